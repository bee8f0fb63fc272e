/** Runs in SQLite. */
import { encode } from '../../common/codec.js';
import { isDamaged } from '../../common/errors.js';
import { SharedTurns } from '../../common/loop-turns.js';
import { EMPTY_TRACE, type MonitoringTrace } from '../../model/monitoring.js';
import type { Page } from '../../model/page.js';
import type { RunSource } from '../../model/problem.js';
import type { RunEvent } from '../../model/run-event.js';
import { countedEnding, endedFacts } from '../../model/run-facts.js';
import type { Metadata, NewRun, RunRecord } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import { curveOf, endedSummary, progressSummary, type RunSummary, searchText } from '../../model/run-summary.js';
import type { HistoryPoint } from '../../model/run-task.js';
import { decodeTrace } from '../../model/trace-bytes.js';
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
  RunPageRequest,
  RunsAtWork,
  RunState,
  RunStore,
} from '../contract/runs.js';
import { decodeObject } from '../damage.js';
import { runExists } from '../rules/conflicts.js';
import { bytesOf, type Database, idIn, type Row, textOf } from './database.js';
import type { SqliteLearning } from './learning.js';
import { addEvents, encodeEvents, eventOf } from './run-events.js';
import type { RunFactsTable } from './run-facts-table.js';
import { type EncodedRun, encodeRun, runCharacters, runOf } from './run-rows.js';
import { removeUnusedSource, saveSource } from './sources.js';
import type { RunSummaries } from './run-summaries.js';

const CLAIMABLE = `(status = 'pending' OR (status = 'running' AND lease_until <= ?))`;

export interface RemovedRun {
  readonly id: string;
  /** Null: it belonged to none. */
  readonly batchId: string | null;
  readonly status: string;
  readonly completedAt: number;
}

export class SqliteRuns implements RunStore {
  private readonly db: Database;
  private readonly facts: RunFactsTable;
  private readonly summaries: RunSummaries;
  private readonly learning: SqliteLearning;
  /** Records of runs may have megabytes, and many may be asked for at a time. */
  private readonly reads = new SharedTurns();

  constructor(db: Database, facts: RunFactsTable, summaries: RunSummaries, learning: SqliteLearning) {
    this.db = db;
    this.facts = facts;
    this.summaries = summaries;
    this.learning = learning;
  }

  async createRun(run: NewRun, claim?: Claim): Promise<RunRecord> {
    const encoded = encodeRun(run);
    return this.db.write(() => {
      this.insert(encoded, claim ?? null, null);
      return this.run(encoded.id);
    });
  }

  /** Within a write. Null: nobody has claimed it; it belongs to no batch. */
  insert(run: EncodedRun, claim: Claim | null, batchId: string | null): void {
    const { id, accountId, functionId, createdAt, source, request, metadata, start } = run;
    // One that was removed has left its facts.
    if (this.db.get('SELECT id FROM runs WHERE id = ?', id) !== undefined || this.facts.has(run)) {
      throw runExists(id);
    }
    const sourceId = saveSource(this.db, source);
    this.db.run(
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
    this.facts.created(run, run.facts, claim === null ? 'pending' : 'running');
    this.summaries.created(run.summary, claim === null ? 'pending' : 'running');
    if (start === null) return;
    this.saveCheckpoint(id, start.checkpoint, null);
    this.saveHistory(id, start.history);
  }

  async findRun(accountId: string, id: string): Promise<RunRecord | null> {
    return this.reads.run(() => {
      const row = this.db.get('SELECT * FROM runs WHERE id = ? AND account_id = ?', id, accountId);
      return row === undefined ? [null, 0] : [this.runOf(row), runCharacters(row)];
    });
  }

  async listRuns(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunRecord>> {
    const { items: ids, total } = await this.summaries.listIds(accountId, filter, page);
    // One by one, because each may be large.
    const items: RunRecord[] = [];
    for (const id of ids) {
      try {
        const run = await this.findRun(accountId, id);
        if (run !== null) items.push(run);
      } catch (error) {
        if (!isDamaged(error)) throw error;
      }
    }
    return { items, total };
  }

  async listSummaries(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunSummary>> {
    return this.summaries.list(accountId, filter, page);
  }

  async claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]> {
    const rows = this.db.all(
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
    const rows = this.db.all(
      `SELECT account_id, count(*) AS n FROM runs
       WHERE status IN ('pending', 'running') AND status = 'running' AND lease_until > ? GROUP BY account_id`,
      now,
    );
    return rows.map((row) => ({ accountId: textOf(row, 'account_id'), runs: Number(row['n']) }));
  }

  async claimRun(id: string, claim: Claim): Promise<ClaimedRun | null> {
    return this.db.write(() => {
      const changed = this.db.run(
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
      this.facts.claimed(id);
      this.summaries.claimed(id);
      const source = this.db.get('SELECT s.body FROM runs r JOIN sources s ON s.id = r.source_id WHERE r.id = ?', id);
      const checkpoint = this.db.get('SELECT body FROM run_checkpoints WHERE run_id = ?', id);
      return {
        run: this.run(id),
        source: this.sourceOf(id, source),
        checkpoint: checkpoint === undefined ? null : bytesOf(checkpoint, 'body'),
      };
    });
  }

  async releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean> {
    const whose = how === 'returned' ? 'owner = NULL' : 'alone = 1';
    const sql = `UPDATE runs SET ${whose}, lease_until = 0 WHERE id = ? AND attempt = ? AND status = 'running'`;
    return this.db.write(() => this.db.run(sql, id, attempt) > 0);
  }

  async noteCompany(id: string, attempt: number): Promise<boolean> {
    const sql = `UPDATE runs SET alone = 0 WHERE id = ? AND attempt = ? AND status = 'running'`;
    return this.db.write(() => this.db.run(sql, id, attempt) > 0);
  }

  async renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number> {
    const sql = `UPDATE runs SET lease_until = ? WHERE id = ? AND attempt = ? AND status = 'running' AND lease_until > 0`;
    const mine = held.map(({ id, attempt }) => [id, attempt] as const);
    return this.db.write(() =>
      mine.map(([id, attempt]) => this.db.run(sql, leaseUntil, id, attempt)).reduce((sum, n) => sum + n, 0),
    );
  }

  async expireLeases(): Promise<number> {
    const sql = `UPDATE runs SET lease_until = 0 WHERE status = 'running' AND lease_until > 0`;
    return this.db.write(() => this.db.run(sql));
  }

  async runStates(ids: readonly string[]): Promise<readonly RunState[]> {
    const sql = 'SELECT id, status, attempt, cancel_requested FROM runs WHERE id = ?';
    return [...new Set(ids)].flatMap((id) => {
      const row = this.db.get(sql, id);
      if (row === undefined) return [];
      const status = textOf(row, 'status') as RunStatus;
      return [{ id, status, attempt: Number(row['attempt']), cancelRequested: row['cancel_requested'] === 1 }];
    });
  }

  async saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean> {
    const progress = encode(report.progress);
    const history = report.history === undefined ? null : encode(report.history);
    const { checkpoint } = report;
    const state = progressSummary(report.progress);
    const curve = encodeCurve(report.history, state.evaluations);
    const events = encodeEvents(report.events);
    return this.db.write(() => {
      const changed = this.db.run(
        `UPDATE runs SET progress = ?, alone = alone AND ? WHERE id = ? AND attempt = ? AND status = 'running'`,
        progress,
        Number(checkpoint === undefined),
        id,
        attempt,
      );
      if (changed === 0) return false;
      this.summaries.progressed(id, state, curve);
      addEvents(this.db, id, events);
      if (history !== null) this.saveHistory(id, history);
      if (checkpoint === null) this.db.run('DELETE FROM run_checkpoints WHERE run_id = ?', id);
      else if (checkpoint !== undefined) this.saveCheckpoint(id, checkpoint, null);
      return true;
    });
  }

  async finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null> {
    const { status, completedAt } = finish;
    const ending = encode(finish.ending);
    const counted = countedEnding(finish.ending);
    const state = endedSummary(finish.ending);
    const curve = encodeCurve(finish.history, state.evaluations);
    const history = finish.history === undefined ? null : encode(finish.history);
    const monitoring = finish.monitoring?.slice() ?? null;
    const events = encodeEvents(finish.events);
    const lesson = finish.lesson === undefined ? null : encode(finish.lesson);
    const until = finish.extendable?.until ?? null;
    const checkpoint = finish.extendable?.checkpoint.slice() ?? null;
    return this.db.write(() => {
      const changed = this.db.run(
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
      this.facts.ended(id, status, completedAt, (base) => endedFacts(base, counted));
      this.summaries.ended(id, status, state, completedAt, curve);
      if (lesson !== null) this.learning.learn(id, lesson);
      addEvents(this.db, id, events);
      if (checkpoint === null) this.db.run('DELETE FROM run_checkpoints WHERE run_id = ?', id);
      else this.saveCheckpoint(id, checkpoint, until);
      if (history !== null) this.saveHistory(id, history);
      if (monitoring !== null) this.saveTrace(id, monitoring);
      return this.run(id);
    });
  }

  async abandonRun(id: string, { ending, completedAt, events: given }: RunAbandonment): Promise<boolean> {
    const text = encode(ending);
    const counted = countedEnding(ending);
    const state = endedSummary(ending);
    const events = encodeEvents(given);
    return this.db.write(() => {
      const changed = this.db.run(
        `UPDATE runs SET status = 'failed', ending = ?, progress = NULL, completed_at = ?, owner = NULL, lease_until = NULL,
           attempt = attempt + 1
         WHERE id = ? AND status IN ('pending', 'running')`,
        text,
        completedAt,
        id,
      );
      if (changed === 0) return false;
      this.facts.ended(id, 'failed', completedAt, (base) => endedFacts(base, counted));
      this.summaries.ended(id, 'failed', state, completedAt, null);
      addEvents(this.db, id, events);
      this.db.run('DELETE FROM run_checkpoints WHERE run_id = ?', id);
      return true;
    });
  }

  async runSource(accountId: string, id: string): Promise<RunSource | null> {
    const row = this.db.get(
      'SELECT s.body FROM runs r JOIN sources s ON s.id = r.source_id WHERE r.id = ? AND r.account_id = ?',
      id,
      accountId,
    );
    return row === undefined ? null : this.sourceOf(id, row);
  }

  async runCheckpoint(id: string): Promise<Uint8Array | null> {
    const row = this.db.get(
      `SELECT c.body FROM run_checkpoints c JOIN runs r ON r.id = c.run_id
       WHERE r.id = ? AND r.status IN ('pending', 'running')`,
      id,
    );
    return row === undefined ? null : bytesOf(row, 'body');
  }

  async runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null> {
    const row = this.db.get(
      `SELECT s.body AS source, c.body AS checkpoint, h.points FROM runs r JOIN sources s ON s.id = r.source_id
       LEFT JOIN run_checkpoints c ON c.run_id = r.id AND c.keep_until > ?
       LEFT JOIN run_history h ON h.run_id = r.id
       WHERE r.id = ? AND r.account_id = ? AND r.status IN ('completed', 'failed')`,
      now,
      id,
      accountId,
    );
    if (row === undefined) return null;
    return this.db.records.one(id, () => ({
      source: decodeObject(textOf(row, 'source')),
      checkpoint: row['checkpoint'] === null ? null : bytesOf(row, 'checkpoint'),
      history: row['points'] === null ? [] : decodeObject(textOf(row, 'points')),
    }));
  }

  async requestCancel(accountId: string, id: string): Promise<RunRecord | null> {
    return this.db.write(() => {
      const changed = this.db.run(
        `UPDATE runs SET cancel_requested = 1 WHERE id = ? AND account_id = ? AND status IN ('pending', 'running')`,
        id,
        accountId,
      );
      return changed === 0 ? null : this.run(id);
    });
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null> {
    const text = encode(metadata);
    const given = structuredClone(metadata);
    const events = encodeEvents(event === undefined ? [] : [event]);
    return this.db.write(() => {
      const changed = this.db.run('UPDATE runs SET metadata = ? WHERE id = ? AND account_id = ?', text, id, accountId);
      if (changed === 0) return null;
      addEvents(this.db, id, events);
      const run = this.run(id);
      this.summaries.renamed(id, searchText(id, run.request, given));
      return run;
    });
  }

  async saveMonitoring(id: string, attempt: number, trace: Uint8Array): Promise<boolean> {
    const body = trace.slice();
    return this.db.write(() => {
      const sql = `SELECT id FROM runs WHERE id = ? AND attempt = ? AND status = 'running'`;
      if (this.db.get(sql, id, attempt) === undefined) return false;
      this.saveTrace(id, body);
      return true;
    });
  }

  async runMonitoring(accountId: string, id: string): Promise<MonitoringTrace | null> {
    const row = this.db.get(
      `SELECT m.body FROM runs r LEFT JOIN run_monitoring m ON m.run_id = r.id WHERE r.id = ? AND r.account_id = ?`,
      id,
      accountId,
    );
    if (row === undefined) return null;
    return this.db.records.one(id, () => (row['body'] === null ? EMPTY_TRACE : decodeTrace(bytesOf(row, 'body'))));
  }

  async runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    const row = this.db.get(
      `SELECT h.points FROM runs r LEFT JOIN run_history h ON h.run_id = r.id WHERE r.id = ? AND r.account_id = ?`,
      id,
      accountId,
    );
    if (row === undefined) return null;
    return this.db.records.one(id, () =>
      row['points'] === null ? [] : decodeObject<HistoryPoint[]>(textOf(row, 'points')),
    );
  }

  async runEvents(
    accountId: string,
    id: string,
    after: number,
    limit: number,
  ): Promise<readonly (RunEvent | null)[] | null> {
    if (this.db.get('SELECT id FROM runs WHERE id = ? AND account_id = ?', id, accountId) === undefined) return null;
    const rows = this.db.all(
      'SELECT event_id AS id, body FROM run_events WHERE run_id = ? AND position > ? ORDER BY position LIMIT ?',
      id,
      after,
      limit,
    );
    return this.db.records.each(rows, idIn, eventOf);
  }

  private run(id: string): RunRecord {
    const row = this.db.get('SELECT * FROM runs WHERE id = ?', id);
    if (row === undefined) throw new Error(`run ${id} vanished within a transaction`);
    return this.runOf(row);
  }

  private runOf(row: Row): RunRecord {
    return this.db.records.one(idIn(row), () => runOf(row));
  }

  private sourceOf(runId: string, row: Row | undefined): RunSource {
    return this.db.records.one(runId, () => decodeObject<RunSource>(textOf(row, 'body')));
  }

  /** `body` is encoded. `keepUntil`: null while the run goes on. */
  private saveCheckpoint(id: string, body: Uint8Array, keepUntil: number | null): void {
    this.db.run(
      `INSERT INTO run_checkpoints (run_id, body, keep_until) VALUES (?, ?, ?)
       ON CONFLICT (run_id) DO UPDATE SET body = excluded.body, keep_until = excluded.keep_until`,
      id,
      body,
      keepUntil,
    );
  }

  /** `points` are encoded. */
  private saveHistory(id: string, points: string): void {
    this.db.run(
      'INSERT INTO run_history (run_id, points) VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE SET points = excluded.points',
      id,
      points,
    );
  }

  private saveTrace(id: string, body: Uint8Array): void {
    this.db.run(
      'INSERT INTO run_monitoring (run_id, body) VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE SET body = excluded.body',
      id,
      body,
    );
  }

  /**
   * Within a write: removes a run that has ended, with all that is kept of it here but its facts. Null: there is no
   * such run.
   */
  remove(accountId: string, id: string): RemovedRun | null {
    const row = this.db.get(
      `SELECT source_id, batch_id, status, completed_at FROM runs
       WHERE id = ? AND account_id = ? AND status IN ('completed', 'failed')`,
      id,
      accountId,
    );
    if (row === undefined) return null;
    for (const table of ['run_history', 'run_monitoring', 'run_events', 'run_checkpoints']) {
      this.db.run(`DELETE FROM ${table} WHERE run_id = ?`, id);
    }
    this.db.run('DELETE FROM runs WHERE id = ?', id);
    removeUnusedSource(this.db, textOf(row, 'source_id'));
    const batchId = row['batch_id'] === null ? null : textOf(row, 'batch_id');
    return { id, batchId, status: textOf(row, 'status'), completedAt: Number(row['completed_at']) };
  }

  /** Within a write. */
  removeExpired(now: number): void {
    this.db.run('DELETE FROM run_checkpoints WHERE keep_until <= ?', now);
  }

  /** Within a write: ends leases that last longer than until `latest`. Returns how many. */
  bringBackLeases(latest: number): number {
    return this.db.run(
      `UPDATE runs SET lease_until = 0 WHERE status IN ('pending', 'running') AND status = 'running' AND lease_until > ?`,
      Math.max(0, latest),
    );
  }
}

/** Null: the one that is stored stays. */
const encodeCurve = (history: readonly HistoryPoint[] | undefined, evaluations: number): string | null =>
  history === undefined ? null : encode(curveOf(history, evaluations));
