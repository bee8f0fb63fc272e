/**
 * The embedded store: one SQLite file. Statements run on the calling thread; writes of one turn of the event loop share
 * one commit, that is one fsync. Texts are encoded before a write is queued, so the caller keeps its objects. Start
 * reading at `openSqliteStore`.
 */
import { createHash } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ExtremumError, isDamaged } from '../../common/errors.js';
import { makeFolder } from '../../common/folders.js';
import { SharedTurns } from '../../common/turns.js';
import type { AccountSettings } from '../../model/account-settings.js';
import { ENDED_KEY_KEPT_MS, type Account, type ApiKeyRecord } from '../../model/api-key.js';
import type { BatchRecord, BatchState } from '../../model/batch.js';
import type { FunctionRecord } from '../../model/function-record.js';
import type { ClaimOutcome, IdempotencyClaim } from '../../model/idempotency.js';
import type { RunSource } from '../../model/problem.js';
import type { Misreading } from '../../model/verification.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { FederatedChange, NumberedChange } from '../../model/federation.js';
import type { Lesson, NumberedLesson } from '../../model/learning.js';
import { countedEnding, createdFacts, endedFacts, type CreatedFacts } from '../../model/run-facts.js';
import type { Metadata, NewRun, RunRecord } from '../../model/run-record.js';
import type { RunEvent } from '../../model/run-event.js';
import type { RunStatus } from '../../model/run-status.js';
import type { HistoryPoint } from '../../model/run-task.js';
import { decode, encode } from '../../common/codec.js';
import type { RequestCount } from '../contract/counting.js';
import type { LearnedState } from '../contract/learning.js';
import type {
  Claim,
  ClaimableRun,
  ClaimedRun,
  HeldRun,
  ProgressReport,
  RunAbandonment,
  RunEnd,
  RunFilter,
  RunFinish,
  RunState,
  RunsAtWork,
} from '../contract/runs.js';
import type { Store } from '../store.js';
import { decodeObject, decodeRecord, type NoteDamage } from '../damage.js';
import { batchExists, keyExists, runExists, secretIsThere } from '../rules/conflicts.js';
import { latestTimes } from '../rules/latest-times.js';
import { MemoryCounting } from '../memory/counting.js';
import { bytesOf, Database, idIn, lockExclusively, numberOf, textOf, type Parameter, type Row } from './database.js';
import { MIGRATIONS } from './migrations.js';
import { isPepperLost, loadPepper, replacePepper } from './pepper.js';
import { eventOf } from './sqlite-webhooks.js';
import { SqliteConversations } from './sqlite-conversations.js';
import { batchState } from '../rules/batch-state.js';
import { learnedState } from '../rules/learned-state.js';

export interface SqliteStoreOptions {
  /** Made when missing. The database is `extremum.db` in it. */
  readonly dataDir: string;
  /** Take the directory for this process: whoever carries out runs must. */
  readonly exclusive: boolean;
  /** Refuse verbs that write. The database must be there. */
  readonly readOnly?: boolean;
  readonly noteDamage?: NoteDamage;
}

/** @throws {ExtremumError} `store_unavailable`. */
export function makeDataDir(dataDir: string): void {
  const attempt = (what: string, body: () => void): void => {
    try {
      body();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const cure = 'Let this user write there, or choose another one (--data-dir DIR).';
      const message = `The data directory ${dataDir} cannot be ${what}: ${why}. ${cure}`;
      throw new ExtremumError('store_unavailable', message, { cause });
    }
  };
  attempt('made', () => makeFolder(dataDir, 0o700));
  attempt('written', () => accessSync(dataDir, constants.W_OK | constants.X_OK));
}

/** @throws {ExtremumError} `conflict`: another process has the directory; `store_unavailable`: cannot be opened. */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  makeDataDir(options.dataDir);
  const unlock = options.exclusive ? lockExclusively(join(options.dataDir, 'extremum.lock')) : () => {};
  try {
    const db = new Database(join(options.dataDir, 'extremum.db'), MIGRATIONS, options.noteDamage);
    if (options.readOnly === true) db.get('PRAGMA query_only = ON');
    return new SqliteStore(db, options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

const CLAIMABLE = `(status = 'pending' OR (status = 'running' AND lease_until <= ?))`;

class SqliteStore extends SqliteConversations implements Store {
  readonly kind = 'sqlite';
  readonly capabilities: Store['capabilities'];
  readonly #db: Database;
  /** Of the secret that is kept apart from the database. */
  readonly #dataDir: string;
  readonly #unlock: () => void;
  /** Records of runs may have megabytes, and many may be asked for at a time. */
  readonly #reads = new SharedTurns();
  /** One process serves requests from this store. */
  readonly #counts = new MemoryCounting();

  constructor(db: Database, { exclusive, dataDir }: SqliteStoreOptions, unlock: () => void) {
    super(db);
    this.#db = db;
    this.#dataDir = dataDir;
    this.#unlock = unlock;
    this.capabilities = { exclusive, durable: true };
  }

  // --- functions

  async saveFunction(record: FunctionRecord): Promise<void> {
    const { source, misread: _found, ...rest } = record;
    const { id, accountId } = record;
    const body = encode(rest);
    const sourceText = encode(source);
    await this.#db.write(() => {
      const sourceId = this.#saveSource(sourceText);
      this.#db.run(
        'INSERT INTO functions (id, account_id, source_id, body) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        id,
        accountId,
        sourceId,
        body,
      );
    });
  }

  async findFunction(accountId: string, id: string): Promise<FunctionRecord | null> {
    const row = this.#db.get(
      `SELECT f.id, f.body, s.body AS source FROM functions f JOIN sources s ON s.id = f.source_id
       WHERE f.id = ? AND f.account_id = ?`,
      id,
      accountId,
    );
    return row === undefined ? null : this.#db.records.one(id, () => this.#function(row));
  }

  async listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>> {
    const rows = this.#db.all(
      `SELECT f.id, f.body, s.body AS source FROM functions f JOIN sources s ON s.id = f.source_id
       WHERE f.account_id = ? ORDER BY f.id DESC LIMIT ? OFFSET ?`,
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.#db.get('SELECT count(*) AS n FROM functions WHERE account_id = ?', accountId);
    return { items: this.#db.records.all(rows, idIn, (row) => this.#function(row)), total: Number(count?.['n']) };
  }

  #function(row: Row): FunctionRecord {
    const record = functionOf(row);
    const misread = this.#misreading(record.accountId, record.sha256);
    return misread === null ? record : { ...record, misread };
  }

  #misreading(accountId: string, sha256: string): Misreading | null {
    const row = this.#db.get('SELECT body FROM misreadings WHERE account_id = ? AND sha256 = ?', accountId, sha256);
    if (row === undefined) return null;
    return this.#db.records.one(`${accountId} ${sha256}`, () => decodeObject<Misreading>(textOf(row, 'body')));
  }

  async saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void> {
    const body = encode(misreading);
    const sql = 'INSERT INTO misreadings (account_id, sha256, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    await this.#db.write(() => this.#db.run(sql, accountId, sha256, body));
  }

  async findMisreading(accountId: string, sha256: string): Promise<Misreading | null> {
    return this.#misreading(accountId, sha256);
  }

  async countMisreadings(): Promise<number> {
    return Number(this.#db.get('SELECT count(*) AS n FROM misreadings')?.['n']);
  }

  async deleteFunction(accountId: string, id: string): Promise<boolean> {
    return this.#db.write(() => {
      const row = this.#db.get('SELECT source_id FROM functions WHERE id = ? AND account_id = ?', id, accountId);
      if (row === undefined) return false;
      const sourceId = row['source_id'] ?? null;
      this.#db.run('DELETE FROM functions WHERE id = ?', id);
      this.#db.run(
        `DELETE FROM sources WHERE id = ? AND NOT EXISTS (SELECT 1 FROM functions WHERE source_id = sources.id)
         AND NOT EXISTS (SELECT 1 FROM runs WHERE source_id = sources.id)`,
        sourceId,
      );
      return true;
    });
  }

  /** `body` is an encoded `RunSource`. */
  #saveSource(body: string): string {
    const id = createHash('sha256').update(body).digest('hex');
    this.#db.run('INSERT INTO sources (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', id, body);
    return id;
  }

  // --- runs

  async createRun(run: NewRun, claim?: Claim): Promise<RunRecord> {
    const encoded = encodeRun(run);
    return this.#db.write(() => {
      this.#insertRun(encoded, claim ?? null, null);
      return this.#run(encoded.id);
    });
  }

  #insertRun(run: EncodedRun, claim: Claim | null, batchId: string | null): void {
    const { id, accountId, functionId, createdAt, source, request, metadata, start } = run;
    if (this.#db.get('SELECT id FROM runs WHERE id = ?', id) !== undefined) {
      throw runExists(id);
    }
    const sourceId = this.#saveSource(source);
    this.#db.run(
      `INSERT INTO runs (id, account_id, function_id, source_id, status, attempt, losses, cancel_requested, owner,
         alone, lease_until, created_at, started_at, request, metadata, batch_id)
       VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      accountId,
      functionId,
      sourceId,
      claim === null ? 'pending' : 'running',
      claim === null ? 0 : 1,
      claim?.owner ?? null,
      Number(claim?.alone ?? false),
      claim?.leaseUntil ?? null,
      createdAt,
      claim?.now ?? null,
      request,
      metadata,
      batchId,
    );
    this.countCreated(run, run.facts, claim === null ? 'pending' : 'running');
    if (start === null) return;
    this.#saveCheckpoint(id, start.checkpoint, null);
    this.#saveHistory(id, start.history);
  }

  async createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void> {
    const { id, accountId } = batch;
    const body = encode(batch);
    const encoded = runs.map(encodeRun);
    await this.#db.write(() => {
      if (this.#db.get('SELECT id FROM batches WHERE id = ?', id) !== undefined) {
        throw batchExists(id);
      }
      this.#db.run('INSERT INTO batches (id, account_id, body) VALUES (?, ?, ?)', id, accountId, body);
      for (const run of encoded) this.#insertRun(run, null, id);
    });
  }

  #batchState(row: Row): BatchState {
    const batch = decodeRecord<BatchRecord>(idIn(row), textOf(row, 'body'));
    const rows = this.#db.all(
      'SELECT status, count(*) AS n, max(completed_at) AS last FROM runs WHERE batch_id = ? GROUP BY status',
      batch.id,
    );
    const groups = rows.map((found) => ({
      status: textOf(found, 'status') as RunStatus,
      count: Number(found['n']),
      lastEndedAt: numberOf(found, 'last'),
    }));
    return batchState(batch, groups);
  }

  async findBatch(accountId: string, id: string): Promise<BatchState | null> {
    const row = this.#db.get('SELECT id, body FROM batches WHERE id = ? AND account_id = ?', id, accountId);
    return row === undefined ? null : this.#db.records.one(id, () => this.#batchState(row));
  }

  async listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    const rows = this.#db.all(
      'SELECT id, body FROM batches WHERE account_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.#db.get('SELECT count(*) AS n FROM batches WHERE account_id = ?', accountId);
    return { items: this.#db.records.all(rows, idIn, (row) => this.#batchState(row)), total: Number(count?.['n']) };
  }

  async findRun(accountId: string, id: string): Promise<RunRecord | null> {
    return this.#reads.run(() => {
      const row = this.#db.get('SELECT * FROM runs WHERE id = ? AND account_id = ?', id, accountId);
      return row === undefined ? [null, 0] : [this.#runOf(row), runCharacters(row)];
    });
  }

  async listRuns(accountId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>> {
    let where = 'account_id = ?';
    const parameters: Parameter[] = [accountId];
    if (filter.status !== undefined) {
      where += ' AND status = ?';
      parameters.push(filter.status);
    }
    if (filter.functionId !== undefined) {
      where += ' AND function_id = ?';
      parameters.push(filter.functionId);
    }
    const ids = this.#db.all(
      `SELECT id FROM runs WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
      ...parameters,
      page.limit,
      page.offset,
    );
    const count = this.#db.get(`SELECT count(*) AS n FROM runs WHERE ${where}`, ...parameters);
    // One by one, because each may be large.
    const items: RunRecord[] = [];
    for (const { id } of ids) {
      try {
        const run = await this.findRun(accountId, String(id));
        if (run !== null) items.push(run);
      } catch (error) {
        if (!isDamaged(error)) throw error;
      }
    }
    return { items, total: Number(count?.['n']) };
  }

  async claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]> {
    const rows = this.#db.all(
      `SELECT id, account_id, losses, status = 'running' AND owner IS NOT NULL AS lost,
         row_number() OVER (PARTITION BY account_id ORDER BY id) AS turn
       FROM runs WHERE status IN ('pending', 'running') AND ${CLAIMABLE} ORDER BY turn, id LIMIT ?`,
      now,
      limit,
    );
    return rows.map((row) => ({
      id: textOf(row, 'id'),
      accountId: textOf(row, 'account_id'),
      losses: Number(row['losses']),
      isLost: row['lost'] === 1,
    }));
  }

  async runsAtWork(now: number): Promise<readonly RunsAtWork[]> {
    const rows = this.#db.all(
      `SELECT account_id, count(*) AS n FROM runs
       WHERE status IN ('pending', 'running') AND status = 'running' AND lease_until > ? GROUP BY account_id`,
      now,
    );
    return rows.map((row) => ({ accountId: textOf(row, 'account_id'), runs: Number(row['n']) }));
  }

  async claimRun(id: string, claim: Claim): Promise<ClaimedRun | null> {
    return this.#db.write(() => {
      const changed = this.#db.run(
        `UPDATE runs SET losses = losses + (status = 'running' AND owner IS NOT NULL),
           strikes = strikes + (status = 'running' AND owner IS NOT NULL AND alone), status = 'running',
           attempt = attempt + 1, owner = ?, alone = ?, lease_until = ?, started_at = coalesce(started_at, ?)
         WHERE id = ? AND ${CLAIMABLE}`,
        claim.owner,
        Number(claim.alone ?? false),
        claim.leaseUntil,
        claim.now,
        id,
        claim.now,
      );
      if (changed === 0) return null;
      this.countClaimed(id);
      const source = this.#db.get('SELECT s.body FROM runs r JOIN sources s ON s.id = r.source_id WHERE r.id = ?', id);
      const checkpoint = this.#db.get('SELECT body FROM run_checkpoints WHERE run_id = ?', id);
      return {
        run: this.#run(id),
        source: this.#sourceOf(id, source),
        checkpoint: checkpoint === undefined ? null : bytesOf(checkpoint, 'body'),
      };
    });
  }

  async releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean> {
    const whose = how === 'returned' ? 'owner = NULL' : 'alone = 1';
    const sql = `UPDATE runs SET ${whose}, lease_until = 0 WHERE id = ? AND attempt = ? AND status = 'running'`;
    return this.#db.write(() => this.#db.run(sql, id, attempt) > 0);
  }

  async noteCompany(id: string, attempt: number): Promise<boolean> {
    const sql = `UPDATE runs SET alone = 0 WHERE id = ? AND attempt = ? AND status = 'running'`;
    return this.#db.write(() => this.#db.run(sql, id, attempt) > 0);
  }

  async renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number> {
    const sql = `UPDATE runs SET lease_until = ? WHERE id = ? AND attempt = ? AND status = 'running' AND lease_until > 0`;
    const mine = held.map(({ id, attempt }) => [id, attempt] as const);
    return this.#db.write(() =>
      mine.map(([id, attempt]) => this.#db.run(sql, leaseUntil, id, attempt)).reduce((sum, n) => sum + n, 0),
    );
  }

  async expireLeases(): Promise<number> {
    const sql = `UPDATE runs SET lease_until = 0 WHERE status = 'running' AND lease_until > 0`;
    return this.#db.write(() => this.#db.run(sql));
  }

  async runStates(ids: readonly string[]): Promise<readonly RunState[]> {
    const sql = 'SELECT id, status, attempt, cancel_requested FROM runs WHERE id = ?';
    return [...new Set(ids)].flatMap((id) => {
      const row = this.#db.get(sql, id);
      if (row === undefined) return [];
      const status = textOf(row, 'status') as RunStatus;
      return [{ id, status, attempt: Number(row['attempt']), cancelRequested: row['cancel_requested'] === 1 }];
    });
  }

  async saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean> {
    const progress = encode(report.progress);
    const history = report.history === undefined ? null : encode(report.history);
    const { checkpoint } = report;
    const events = encodeEvents(report.events);
    return this.#db.write(() => {
      const changed = this.#db.run(
        `UPDATE runs SET progress = ?, alone = alone AND ? WHERE id = ? AND attempt = ? AND status = 'running'`,
        progress,
        Number(checkpoint === undefined),
        id,
        attempt,
      );
      if (changed === 0) return false;
      this.#addEvents(id, events);
      if (history !== null) this.#saveHistory(id, history);
      if (checkpoint === null) this.#db.run('DELETE FROM run_checkpoints WHERE run_id = ?', id);
      else if (checkpoint !== undefined) this.#saveCheckpoint(id, checkpoint, null);
      return true;
    });
  }

  async finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null> {
    const { status, completedAt } = finish;
    const ending = encode(finish.ending);
    const counted = countedEnding(finish.ending);
    const history = finish.history === undefined ? null : encode(finish.history);
    const events = encodeEvents(finish.events);
    const lesson = finish.lesson === undefined ? null : encode(finish.lesson);
    const until = finish.extendable?.until ?? null;
    const checkpoint = finish.extendable?.checkpoint.slice() ?? null;
    return this.#db.write(() => {
      const changed = this.#db.run(
        `UPDATE runs SET status = ?, ending = ?, progress = NULL, completed_at = ?, owner = NULL, lease_until = NULL
         WHERE id = ? AND attempt = ? AND (status = 'running' OR (status = 'pending' AND ? = 'failed'))`,
        status,
        ending,
        completedAt,
        id,
        attempt,
        status,
      );
      if (changed === 0) return null;
      this.countEnded(id, status, completedAt, (base) => endedFacts(base, counted));
      if (lesson !== null) this.#learn(id, lesson);
      this.#addEvents(id, events);
      if (checkpoint === null) this.#db.run('DELETE FROM run_checkpoints WHERE run_id = ?', id);
      else this.#saveCheckpoint(id, checkpoint, until);
      if (history !== null) this.#saveHistory(id, history);
      return this.#run(id);
    });
  }

  async abandonRun(id: string, { ending, completedAt, events: given }: RunAbandonment): Promise<boolean> {
    const text = encode(ending);
    const counted = countedEnding(ending);
    const events = encodeEvents(given);
    return this.#db.write(() => {
      const changed = this.#db.run(
        `UPDATE runs SET status = 'failed', ending = ?, progress = NULL, completed_at = ?, owner = NULL, lease_until = NULL,
           attempt = attempt + 1
         WHERE id = ? AND status IN ('pending', 'running')`,
        text,
        completedAt,
        id,
      );
      if (changed === 0) return false;
      this.countEnded(id, 'failed', completedAt, (base) => endedFacts(base, counted));
      this.#addEvents(id, events);
      this.#db.run('DELETE FROM run_checkpoints WHERE run_id = ?', id);
      return true;
    });
  }

  async runCheckpoint(id: string): Promise<Uint8Array | null> {
    const row = this.#db.get(
      `SELECT c.body FROM run_checkpoints c JOIN runs r ON r.id = c.run_id
       WHERE r.id = ? AND r.status IN ('pending', 'running')`,
      id,
    );
    return row === undefined ? null : bytesOf(row, 'body');
  }

  async runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null> {
    const row = this.#db.get(
      `SELECT s.body AS source, c.body AS checkpoint, h.points FROM runs r JOIN sources s ON s.id = r.source_id
       LEFT JOIN run_checkpoints c ON c.run_id = r.id AND c.keep_until > ?
       LEFT JOIN run_history h ON h.run_id = r.id
       WHERE r.id = ? AND r.account_id = ? AND r.status IN ('completed', 'failed')`,
      now,
      id,
      accountId,
    );
    if (row === undefined) return null;
    return this.#db.records.one(id, () => ({
      source: decodeObject(textOf(row, 'source')),
      checkpoint: row['checkpoint'] === null ? null : bytesOf(row, 'checkpoint'),
      history: row['points'] === null ? [] : decodeObject(textOf(row, 'points')),
    }));
  }

  #learn(runId: string, body: string): void {
    this.#db.run(
      `INSERT INTO lessons (account_id, version, body)
       SELECT account_id, 1 + coalesce((SELECT max(version) FROM lessons l WHERE l.account_id = runs.account_id), 0), ?
       FROM runs WHERE id = ?`,
      body,
      runId,
    );
  }

  async learnedState(accountId: string): Promise<LearnedState> {
    const row = this.#db.get(
      `SELECT max(version) AS last, max(CASE WHEN body IS NULL THEN version END) AS forgotten,
         (SELECT max(serial) FROM federated_changes WHERE account_id = ?) AS changes
       FROM lessons WHERE account_id = ?`,
      accountId,
      accountId,
    );
    const numberAt = (column: string): number => Number(row?.[column] ?? 0);
    return learnedState(numberAt('last'), numberAt('forgotten'), numberAt('changes'));
  }

  async lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]> {
    const rows = this.#db.all(
      `SELECT version, body FROM lessons WHERE account_id = ? AND version > ? AND version <= ? AND body <> ''
       ORDER BY version DESC LIMIT ?`,
      accountId,
      after,
      upTo,
      limit,
    );
    const nameOf = (row: Row): string => `${accountId} lesson ${row['version']}`;
    return this.#db.records.all(rows.reverse(), nameOf, (row) => ({
      version: Number(row['version']),
      lesson: decodeObject<Lesson>(textOf(row, 'body')),
    }));
  }

  async forgetLessons(accountId: string): Promise<void> {
    await this.#db.write(() => {
      const last = numberOf(
        this.#db.get('SELECT max(version) AS n FROM lessons WHERE account_id = ?', accountId) ?? {},
        'n',
      );
      this.#db.run('DELETE FROM lessons WHERE account_id = ? AND version < ?', accountId, last);
      this.#db.run('UPDATE lessons SET body = NULL WHERE account_id = ?', accountId);
    });
  }

  async appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null> {
    const body = encode(change);
    return this.#db.write(() => {
      const there = this.#db.get(
        'SELECT version, body FROM federated_changes WHERE account_id = ? AND serial = ?',
        accountId,
        serial,
      );
      if (there !== undefined) {
        const isSame = decode<FederatedChange>(textOf(there, 'body')).id === change.id;
        return isSame ? numberOf(there, 'version') : null;
      }
      const count = this.#db.get('SELECT count(*) AS n FROM federated_changes WHERE account_id = ?', accountId);
      if (Number(count?.['n']) !== serial - 1) return null;
      const last = this.#db.get('SELECT max(version) AS n FROM lessons WHERE account_id = ?', accountId);
      const version = Number(last?.['n'] ?? 0) + 1;
      this.#db.run(`INSERT INTO lessons (account_id, version, body) VALUES (?, ?, '')`, accountId, version);
      this.#db.run(
        'INSERT INTO federated_changes (account_id, serial, version, body) VALUES (?, ?, ?, ?)',
        accountId,
        serial,
        version,
        body,
      );
      return version;
    });
  }

  async federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]> {
    const rows = this.#db.all(
      'SELECT serial, version, body FROM federated_changes WHERE account_id = ? AND serial > ? ORDER BY serial',
      accountId,
      after,
    );
    return rows.map((row) => ({
      serial: Number(row['serial']),
      version: Number(row['version']),
      change: decode<FederatedChange>(textOf(row, 'body')),
    }));
  }

  async runSource(accountId: string, id: string): Promise<RunSource | null> {
    const row = this.#db.get(
      'SELECT s.body FROM runs r JOIN sources s ON s.id = r.source_id WHERE r.id = ? AND r.account_id = ?',
      id,
      accountId,
    );
    return row === undefined ? null : this.#sourceOf(id, row);
  }

  async requestCancel(accountId: string, id: string): Promise<RunRecord | null> {
    return this.#db.write(() => {
      const changed = this.#db.run(
        `UPDATE runs SET cancel_requested = 1 WHERE id = ? AND account_id = ? AND status IN ('pending', 'running')`,
        id,
        accountId,
      );
      return changed === 0 ? null : this.#run(id);
    });
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null> {
    const text = encode(metadata);
    const events = encodeEvents(event === undefined ? [] : [event]);
    return this.#db.write(() => {
      const changed = this.#db.run('UPDATE runs SET metadata = ? WHERE id = ? AND account_id = ?', text, id, accountId);
      if (changed === 0) return null;
      this.#addEvents(id, events);
      return this.#run(id);
    });
  }

  async runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    const row = this.#db.get(
      `SELECT h.points FROM runs r LEFT JOIN run_history h ON h.run_id = r.id WHERE r.id = ? AND r.account_id = ?`,
      id,
      accountId,
    );
    if (row === undefined) return null;
    return this.#db.records.one(id, () =>
      row['points'] === null ? [] : decodeObject<HistoryPoint[]>(textOf(row, 'points')),
    );
  }

  async runEvents(
    accountId: string,
    id: string,
    after: number,
    limit: number,
  ): Promise<readonly (RunEvent | null)[] | null> {
    if (this.#db.get('SELECT id FROM runs WHERE id = ? AND account_id = ?', id, accountId) === undefined) return null;
    const rows = this.#db.all(
      'SELECT event_id AS id, body FROM run_events WHERE run_id = ? AND position > ? ORDER BY position LIMIT ?',
      id,
      after,
      limit,
    );
    return this.#db.records.each(rows, idIn, eventOf);
  }

  #addEvents(runId: string, events: readonly EncodedEvent[]): void {
    for (const { id, body } of events) {
      this.#db.run(
        `INSERT INTO run_events (run_id, position, event_id, body)
         SELECT ?, 1 + coalesce(max(position), 0), ?, ? FROM run_events WHERE run_id = ?
         ON CONFLICT (run_id, event_id) DO NOTHING`,
        runId,
        id,
        body,
        runId,
      );
    }
  }

  #run(id: string): RunRecord {
    const row = this.#db.get('SELECT * FROM runs WHERE id = ?', id);
    if (row === undefined) throw new Error(`run ${id} vanished within a transaction`);
    return this.#runOf(row);
  }

  #runOf(row: Row): RunRecord {
    return this.#db.records.one(idIn(row), () => runOf(row));
  }

  #sourceOf(runId: string, row: Row | undefined): RunSource {
    return this.#db.records.one(runId, () => decodeObject<RunSource>(textOf(row, 'body')));
  }

  /** `body` is encoded. `keepUntil`: null while the run goes on. */
  #saveCheckpoint(id: string, body: Uint8Array, keepUntil: number | null): void {
    this.#db.run(
      `INSERT INTO run_checkpoints (run_id, body, keep_until) VALUES (?, ?, ?)
       ON CONFLICT (run_id) DO UPDATE SET body = excluded.body, keep_until = excluded.keep_until`,
      id,
      body,
      keepUntil,
    );
  }

  /** `points` are encoded. */
  #saveHistory(id: string, points: string): void {
    this.#db.run(
      'INSERT INTO run_history (run_id, points) VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE SET points = excluded.points',
      id,
      points,
    );
  }

  // --- accounts and keys

  async ensureAccount(candidate: Account): Promise<Account> {
    const copy = structuredClone(candidate);
    return this.#db.write(() => this.#ensureAccount(copy));
  }

  #ensureAccount(candidate: Account): Account {
    this.#db.run(
      'INSERT INTO accounts (id, name, body) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
      candidate.id,
      candidate.name,
      encode(candidate),
    );
    const row = this.#db.get('SELECT id, body FROM accounts WHERE name = ?', candidate.name);
    if (row === undefined) throw new Error('an account vanished within a transaction');
    return this.#accountOf(row);
  }

  #accountOf(row: Row): Account {
    return this.#db.records.one(idIn(row), () => decodeRecord<Account>(idIn(row), textOf(row, 'body')));
  }

  #keyOf(row: Row): ApiKeyRecord {
    return this.#db.records.one(idIn(row), () => keyOf(row));
  }

  async saveKey(key: ApiKeyRecord): Promise<void> {
    const copy = structuredClone(key);
    return this.#db.write(() => this.#saveKey(copy));
  }

  #saveKey(key: ApiKeyRecord): void {
    if (this.#db.get('SELECT id FROM api_keys WHERE public_id = ? OR id = ?', key.publicId, key.id) !== undefined) {
      throw keyExists(key);
    }
    const { lastUsedAt, expiresAt, revokedAt, ...rest } = key;
    this.#db.run(
      `INSERT INTO api_keys (id, account_id, public_id, last_used_at, expires_at, revoked_at, body)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      key.id,
      key.accountId,
      key.publicId,
      lastUsedAt,
      expiresAt,
      revokedAt,
      encode(rest),
    );
  }

  async saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean> {
    const copy = structuredClone({ account, key });
    return this.#db.write(() => {
      if (this.#db.get('SELECT id FROM api_keys LIMIT 1') !== undefined) return false;
      const owner = this.#ensureAccount(copy.account);
      this.#saveKey({ ...copy.key, accountId: owner.id });
      return true;
    });
  }

  async findKey(publicId: string): Promise<{ key: ApiKeyRecord; account: Account } | null> {
    const row = this.#db.get(
      `SELECT k.*, a.body AS account FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.public_id = ?`,
      publicId,
    );
    if (row === undefined) return null;
    return { key: this.#keyOf(row), account: this.#accountOf({ id: row['account_id']!, body: row['account']! }) };
  }

  async findAccount(name: string): Promise<Account | null> {
    const row = this.#db.get('SELECT id, body FROM accounts WHERE name = ?', name);
    return row === undefined ? null : this.#accountOf(row);
  }

  async listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>> {
    const rows = this.#db.all(
      'SELECT * FROM api_keys WHERE account_id = ? AND revoked_at IS NULL ORDER BY id DESC LIMIT ? OFFSET ?',
      accountId,
      page.limit,
      page.offset,
    );
    const count = this.#db.get(
      'SELECT count(*) AS n FROM api_keys WHERE account_id = ? AND revoked_at IS NULL',
      accountId,
    );
    return { items: this.#db.records.all(rows, idIn, keyOf), total: Number(count?.['n']) };
  }

  async findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null> {
    const row = this.#db.get(
      'SELECT * FROM api_keys WHERE id = ? AND account_id = ? AND revoked_at IS NULL',
      id,
      accountId,
    );
    return row === undefined ? null : this.#keyOf(row);
  }

  async revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean> {
    const sql = 'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND account_id = ? AND revoked_at IS NULL';
    return this.#db.write(() => this.#db.run(sql, revokedAt, id, accountId) > 0);
  }

  async limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean> {
    const sql = `UPDATE api_keys SET expires_at = min(coalesce(expires_at, ?), ?)
                 WHERE id = ? AND account_id = ? AND revoked_at IS NULL`;
    return this.#db.write(() => this.#db.run(sql, expiresAt, expiresAt, id, accountId) > 0);
  }

  async touchKey(id: string, usedAt: number): Promise<void> {
    await this.#db.write(() => this.#db.run('UPDATE api_keys SET last_used_at = ? WHERE id = ?', usedAt, id));
  }

  async accountSettings(accountId: string): Promise<AccountSettings> {
    const row = this.#db.get('SELECT body FROM account_settings WHERE account_id = ?', accountId);
    if (row === undefined) return {};
    return this.#db.records.one(`${accountId} settings`, () => decodeObject<AccountSettings>(textOf(row, 'body')));
  }

  async saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void> {
    const body = encode(settings);
    await this.#db.write(() =>
      this.#db.run(
        `INSERT INTO account_settings (account_id, body) VALUES (?, ?)
         ON CONFLICT (account_id) DO UPDATE SET body = excluded.body`,
        accountId,
        body,
      ),
    );
  }

  // --- requests

  async claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome> {
    const { accountId, key, fingerprint, owner, now, leaseUntil, expiresAt, seed } = claim;
    const seedText = encode(seed);
    return this.#db.write(() => {
      this.#db.run(
        'DELETE FROM idempotent_requests WHERE account_id = ? AND key = ? AND expires_at <= ?',
        accountId,
        key,
        now,
      );
      const changed = this.#db.run(
        `INSERT INTO idempotent_requests
           (account_id, key, fingerprint, owner, lease_until, claimed_at, expires_at, seed)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (account_id, key) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
         WHERE answer IS NULL AND lease_until <= excluded.claimed_at AND fingerprint = excluded.fingerprint`,
        accountId,
        key,
        fingerprint,
        owner,
        leaseUntil,
        now,
        expiresAt,
        seedText,
      );
      const row = this.#db.get('SELECT * FROM idempotent_requests WHERE account_id = ? AND key = ?', accountId, key);
      if (row === undefined) throw new Error('a request vanished within a transaction');
      const found = textOf(row, 'fingerprint');
      if (row['answer'] !== null)
        return { kind: 'answered', fingerprint: found, answer: decode(textOf(row, 'answer')) };
      if (changed === 0) return { kind: 'working', fingerprint: found };
      return { kind: 'claimed', seed: decode(textOf(row, 'seed')), claimedAt: Number(row['claimed_at']) };
    });
  }

  #claimed(change: string, ...parameters: Parameter[]): Promise<boolean> {
    const sql = `${change} WHERE account_id = ? AND key = ? AND owner = ? AND answer IS NULL`;
    return this.#db.write(() => this.#db.run(sql, ...parameters) > 0);
  }

  async renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean> {
    return this.#claimed('UPDATE idempotent_requests SET lease_until = ?', leaseUntil, accountId, key, owner);
  }

  async answerRequest(accountId: string, key: string, owner: string, answer: string): Promise<boolean> {
    const text = encode(answer);
    return this.#claimed('UPDATE idempotent_requests SET answer = ?', text, accountId, key, owner);
  }

  async forgetRequest(accountId: string, key: string, owner: string): Promise<boolean> {
    return this.#claimed('DELETE FROM idempotent_requests', accountId, key, owner);
  }

  async expireRequests(): Promise<number> {
    const sql = 'UPDATE idempotent_requests SET lease_until = 0 WHERE answer IS NULL AND lease_until > 0';
    return this.#db.write(() => this.#db.run(sql));
  }

  async countRequest(key: string, now: number, windowMs: number): Promise<RequestCount> {
    return this.#counts.countRequest(key, now, windowMs);
  }

  async removeExpired(now: number): Promise<void> {
    this.#counts.removeExpired(now);
    await this.#db.write(() => {
      this.#db.run('DELETE FROM idempotent_requests WHERE expires_at <= ?', now);
      this.#db.run('DELETE FROM run_checkpoints WHERE keep_until <= ?', now);
      this.#db.run(
        `DELETE FROM api_keys WHERE (expires_at <= ?1 OR revoked_at <= ?1) AND id > (SELECT min(id) FROM api_keys)`,
        now - ENDED_KEY_KEPT_MS,
      );
      this.removeOldDeliveries(now);
      this.removeOldConversations(now);
    });
  }

  async bringBackTimes(now: number, leaseMs: number): Promise<boolean> {
    const { lease, requestExpiry, dueAt } = latestTimes(now, leaseMs);
    return this.#db.write(
      () =>
        this.#db.run(
          `UPDATE runs SET lease_until = 0 WHERE status IN ('pending', 'running') AND status = 'running' AND lease_until > ?`,
          lease,
        ) +
          this.#db.run(
            `UPDATE idempotent_requests SET expires_at = min(expires_at, ?1),
             lease_until = CASE WHEN answer IS NULL AND lease_until > ?2 THEN 0 ELSE lease_until END
           WHERE expires_at > ?1 OR (answer IS NULL AND lease_until > ?2)`,
            requestExpiry,
            lease,
          ) +
          this.#db.run(
            `UPDATE deliveries SET due_at = ?1 WHERE due_at > ?2 AND due_at > CASE WHEN state = 'delivering' THEN ?2 ELSE ?3 END`,
            now,
            lease,
            dueAt,
          ) >
        0,
    );
  }

  async keySecret(): Promise<Uint8Array> {
    await this.ping();
    const keys = this.#db.get('SELECT count(*) AS n FROM api_keys');
    return loadPepper(this.#dataDir, Number(keys?.['n']));
  }

  async newKeySecret(revokedAt: number): Promise<number> {
    if (!isPepperLost(this.#dataDir)) throw secretIsThere();
    const revoked = await this.#db.write(() => {
      this.#db.run('DELETE FROM idempotent_requests');
      return this.#db.run('UPDATE api_keys SET revoked_at = ? WHERE revoked_at IS NULL', revokedAt);
    });
    // Last: until then it is lost, and this may be asked for again.
    replacePepper(this.#dataDir);
    return revoked;
  }

  // --- the store itself

  async ping(): Promise<void> {
    this.#db.get('SELECT 1');
    this.#db.checkWrites();
  }

  async close(): Promise<void> {
    this.#db.close();
    this.#unlock();
  }
}

interface EncodedEvent {
  readonly id: string;
  readonly body: string;
}

const encodeEvents = (events: readonly RunEvent[] = []): EncodedEvent[] =>
  events.map((event) => ({ id: event.id, body: encode(event) }));

interface EncodedRun {
  readonly id: string;
  readonly accountId: string;
  readonly functionId: string;
  readonly createdAt: number;
  readonly source: string;
  readonly request: string;
  readonly metadata: string;
  readonly start: { readonly checkpoint: Uint8Array; readonly history: string } | null;
  readonly facts: CreatedFacts;
}

function encodeRun({
  id,
  accountId,
  functionId,
  createdAt,
  source,
  request: given,
  metadata,
  start,
}: NewRun): EncodedRun {
  const texts = { source: encode(source), request: encode(given), metadata: encode(metadata) };
  const begun = start === undefined ? null : { checkpoint: start.checkpoint.slice(), history: encode(start.history) };
  return { id, accountId, functionId, createdAt, ...texts, start: begun, facts: createdFacts(id, given) };
}

function keyOf(row: Row): ApiKeyRecord {
  const rest = decodeRecord<Omit<ApiKeyRecord, 'expiresAt' | 'revokedAt' | 'lastUsedAt'>>(
    idIn(row),
    textOf(row, 'body'),
  );
  return {
    ...rest,
    expiresAt: numberOf(row, 'expires_at'),
    revokedAt: numberOf(row, 'revoked_at'),
    lastUsedAt: numberOf(row, 'last_used_at'),
  };
}

function functionOf(row: Row): FunctionRecord {
  const rest = decodeRecord<Omit<FunctionRecord, 'source'>>(idIn(row), textOf(row, 'body'));
  return { ...rest, source: decodeObject<FunctionRecord['source']>(textOf(row, 'source')) };
}

/** Of what takes long to read in a row. */
const runCharacters = (row: Row): number => textOf(row, 'request').length + String(row['ending']).length;

function runOf(row: Row): RunRecord {
  const optional = <T>(column: string): T | null =>
    row[column] === null ? null : decodeObject<T>(textOf(row, column));
  return {
    id: textOf(row, 'id'),
    accountId: textOf(row, 'account_id'),
    functionId: textOf(row, 'function_id'),
    status: textOf(row, 'status') as RunStatus,
    request: decodeObject(textOf(row, 'request')),
    metadata: decodeObject(textOf(row, 'metadata')),
    createdAt: Number(row['created_at']),
    startedAt: numberOf(row, 'started_at'),
    completedAt: numberOf(row, 'completed_at'),
    attempt: Number(row['attempt']),
    losses: Number(row['losses']),
    strikes: Number(row['strikes']),
    cancelRequested: row['cancel_requested'] === 1,
    progress: optional('progress'),
    ending: optional('ending'),
  };
}
