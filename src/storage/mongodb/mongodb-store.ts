/**
 * The store in MongoDB, which several processes on several hosts may share. Every decision is one atomic update of one
 * document: it works without transactions, on a replica set and on a standalone.
 *
 * Which write decides: of a run, the update of its own document, guarded by its identifier and attempt; checkpoints and
 * histories that do not fit into it are written before (run-parts.ts). Of a first key, the insertion of the key, which
 * only one document may be; the account that was made for it before is found again by its name.
 *
 * A write whose outcome is unknown (connection lost, no majority in time) is looked for before it is reported: each
 * deciding update of a run leaves a token of its own in the document.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Binary, type Filter, type UpdateFilter } from 'mongodb';
import { ExtremumError } from '../../common/errors.js';
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
import { countedEnding, endedFacts } from '../../model/run-facts.js';
import type { Metadata, NewRun, RunRecord, RunStart } from '../../model/run-record.js';
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
import { decodeObject, decodeRecord, objectOf, recordWith, type NoteDamage } from '../damage.js';
import { latestTimes } from '../rules/latest-times.js';
import { batchExists, keyExists, runExists, secretIsThere } from '../rules/conflicts.js';
import { checkSize, Database } from './database.js';
import { isDuplicateKey } from './driver-errors.js';
import { BY_TURN, MIGRATIONS } from './migrations.js';
import { MongodbConversations } from './mongodb-conversations.js';
import type { CountedDocument } from './mongodb-analytics.js';
import { newCounted } from './counted.js';
import { RunParts, type Growing, type PartKind } from './run-parts.js';
import { pack, unpack, window, type Packed } from './values.js';
import { batchState } from '../rules/batch-state.js';
import { learnedState } from '../rules/learned-state.js';
import { standingOf } from '../rules/request-claims.js';
import { inTurns } from '../rules/turns.js';

interface AccountDocument {
  _id: string;
  name: string;
  body: string;
}

interface KeyDocument {
  _id: string;
  accountId: string;
  publicId: string;
  lastUsedAt: number | null;
  /** Absent in documents of earlier versions: null. */
  expiresAt?: number | null;
  /** Also absent: null. */
  revokedAt?: number | null;
  body: string;
  first?: true;
}

interface SettingsDocument {
  /** The account's. */
  _id: string;
  body: string;
}

interface RequestDocument {
  /** Account and key: the account's identifier has no blank. */
  _id: string;
  fingerprint: string;
  /** The attempt that has it: also tells whether a write happened. */
  owner: string;
  leaseUntil: number;
  claimedAt: number;
  expiresAt: number;
  /** Encoded. */
  seed: string;
  answer: Packed | null;
}

interface CountDocument {
  _id: string;
  count: number;
  resetAt: number;
}

interface FunctionDocument {
  _id: string;
  accountId: string;
  body: Packed;
}

interface MisreadingDocument {
  /** Account and hash: neither has a blank. */
  _id: string;
  body: string;
}

interface RunDocument extends CountedDocument {
  functionId: string;
  source: Packed;
  attempt: number;
  losses: number;
  cancelRequested: boolean;
  /** Null unless running; null also when given back. */
  owner: string | null;
  /** The owner carries out nothing else. Absent: it may. */
  alone?: boolean;
  /** Absent: 0. */
  strikes?: number;
  /** While the run has not ended: from when on it may be claimed. 0: now. */
  leaseUntil?: number;
  startedAt: number | null;
  request: Packed;
  metadata: Packed;
  progress: Packed | null;
  ending: Packed | null;
  history: Growing | null;
  checkpoint: Growing | null;
  /** Of a run that has ended: how long its checkpoint is kept. Absent: it has none. */
  checkpointUntil?: number;
  /** Of the last deciding update. */
  token: string | null;
  /** Absent: none. `body` is JSON, which escapes what BSON would refuse. */
  events?: RunEvent[];
  /** Absent: webhooks have been told of all of them. */
  unrelayed?: true;
  batchId?: string;
  /** The account it will belong to; until its batch has been made it belongs to none, and cannot be claimed. */
  heldFor?: string;
}

interface LessonDocument {
  accountId: string;
  version: number;
  /** Absent: forgotten. */
  run?: string;
  /** Encoded; empty of a federated change. Null: forgotten, with all before. */
  body: string | null;
  /** Of a federated change, which stays when lessons are forgotten. */
  serial?: number;
  changeId?: string;
  change?: Packed;
}

interface BatchDocument {
  _id: string;
  accountId: string;
  body: Packed;
}

interface Updated {
  readonly before: RunDocument | null;
  readonly after: RunDocument;
}

type RecordFields = Omit<RunDocument, 'source' | 'history' | 'checkpoint' | 'events' | 'counted' | 'traffic'>;

interface SecretDocument {
  _id: 'key-secret';
  secret: Binary;
}

const SECRET_BYTES = 32;
const SECRET_MEND =
  'Put the document back from the backup that the database comes from. Where there is none, begin anew: stop all processes, and ' +
  '`extremum keys new-secret --mongodb-url URL` makes another secret; every API key becomes invalid.';
const REMEMBERED_ACCOUNTS = 10_000;
const DROPPED_AT_ONCE = 1_000;
/** A batch that is not made within this time never will be. */
const HELD_MS = 3_600_000;
/** Accounts whose turn is looked for; beyond, those whose runs are the youngest wait. */
const MOST_LINES = 1_000;
/** What a `RunRecord` does not need. */
const RECORD = { source: 0, history: 0, checkpoint: 0, events: 0, counted: 0, traffic: 0 } as const;
/** Parts may be superseded while they are read; a run reports about once a second. */
const READ_ATTEMPTS = 10;

/**
 * @param url A MongoDB connection string; its path names the database (`extremum` where it names none).
 * @throws {ExtremumError} `store_unavailable`: not to be reached, or its schema is newer.
 */
export async function openMongodbStore(url: string, noteDamage?: NoteDamage): Promise<Store> {
  const db = await Database.open(url, MIGRATIONS, noteDamage);
  const parts = new RunParts(db);
  try {
    await parts.sweep();
  } catch (error) {
    await db.close();
    throw error;
  }
  return new MongodbStore(db, parts);
}

class MongodbStore extends MongodbConversations implements Store {
  readonly kind = 'mongodb';
  readonly capabilities = { exclusive: false, durable: true };
  readonly #db: Database;
  readonly #parts: RunParts;
  /** Encoded, by identifier. */
  readonly #accountBodies = new Map<string, string>();
  /** Numbers the large values that this process writes. */
  #serial = 0;

  constructor(db: Database, parts: RunParts) {
    super(db, parts);
    this.#db = db;
    this.#parts = parts;
  }

  get #accounts() {
    return this.#db.collection<AccountDocument>('accounts');
  }
  get #keys() {
    return this.#db.collection<KeyDocument>('api_keys');
  }
  get #settings() {
    return this.#db.collection<SettingsDocument>('account_settings');
  }
  get #batches() {
    return this.#db.collection<BatchDocument>('batches');
  }
  get #requests() {
    return this.#db.collection<RequestDocument>('idempotent_requests');
  }
  get #lessons() {
    return this.#db.collection<LessonDocument>('lessons');
  }
  get #functions() {
    return this.#db.collection<FunctionDocument>('functions');
  }
  get #misreadings() {
    return this.#db.collection<MisreadingDocument>('misreadings');
  }
  get #secrets() {
    return this.#db.collection<SecretDocument>('settings');
  }
  get #runs() {
    return this.#db.collection<RunDocument>('runs');
  }

  // --- functions

  async saveFunction(record: FunctionRecord): Promise<void> {
    const { misread: _found, ...kept } = record;
    const { id, accountId } = record;
    const text = encode(kept);
    const document = checkSize<FunctionDocument>({ _id: id, accountId, body: await pack(text) });
    await this.#db.decide<unknown>(
      () =>
        this.#functions.insertOne(document).catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
        }),
      async () => (await this.#functions.findOne({ _id: id }, { projection: { _id: 1 } })) ?? undefined,
    );
  }

  async findFunction(accountId: string, id: string): Promise<FunctionRecord | null> {
    const found = await this.#db.read(() => this.#functions.findOne({ _id: id, accountId }));
    if (found === null) return null;
    const record = await this.#db.records.later(id, () => functionOf(found));
    const misread = await this.findMisreading(accountId, record.sha256);
    return misread === null ? record : { ...record, misread };
  }

  async listFunctions(accountId: string, page: PageRequest): Promise<Page<FunctionRecord>> {
    const [found, total] = await this.#db.read(() => {
      const items = this.#functions.find({ accountId }, window(page));
      return Promise.all([items.toArray(), this.#functions.countDocuments({ accountId })]);
    });
    const records = await this.#db.records.allLater(found, idOf, functionOf);
    const names = [...new Set(records.map(({ sha256 }) => misreadingName(accountId, sha256)))];
    const misread =
      names.length === 0 ? [] : await this.#db.read(() => this.#misreadings.find({ _id: { $in: names } }).toArray());
    const bodies = new Map(misread.map(({ _id, body }) => [_id, body]));
    const items = this.#db.records.all(
      records,
      ({ id }) => id,
      (record) => {
        const body = bodies.get(misreadingName(accountId, record.sha256));
        return body === undefined ? record : { ...record, misread: decodeObject<Misreading>(body) };
      },
    );
    return { items, total };
  }

  async saveMisreading(accountId: string, sha256: string, misreading: Misreading): Promise<void> {
    const $setOnInsert = { body: encode(misreading) };
    const filter = { _id: misreadingName(accountId, sha256) };
    await this.#db.repeatable(() =>
      this.#misreadings.updateOne(filter, { $setOnInsert }, { upsert: true }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      }),
    );
  }

  async findMisreading(accountId: string, sha256: string): Promise<Misreading | null> {
    const _id = misreadingName(accountId, sha256);
    const found = await this.#db.read(() => this.#misreadings.findOne({ _id }));
    return found === null ? null : this.#db.records.one(_id, () => decodeObject<Misreading>(found.body));
  }

  async countMisreadings(): Promise<number> {
    return this.#db.read(() => this.#misreadings.estimatedDocumentCount());
  }

  async deleteFunction(accountId: string, id: string): Promise<boolean> {
    return this.#db.decide(
      async () => (await this.#functions.deleteOne({ _id: id, accountId })).deletedCount > 0,
      async () => ((await this.#functions.findOne({ _id: id, accountId })) === null ? true : undefined),
    );
  }

  // --- runs

  async createRun(run: NewRun, claim?: Claim): Promise<RunRecord> {
    const { id } = run;
    const start = run.start === undefined ? null : startTexts(run.start);
    let document = await runDocument(run, claim);
    if (start !== null) {
      // No run has been claimed as attempt 0, and no other attempt to make this one draws the same number.
      const name = { attempt: 0, serial: randomInt(2 ** 47) };
      const history = await this.#parts.save(id, 'history', name, start.history);
      const checkpoint = await this.#parts.save(id, 'checkpoint', name, start.checkpoint);
      document = checkSize({ ...document, history, checkpoint });
    }
    const { token, accountId, createdAt } = document;
    await this.counting(accountId, [createdAt], () =>
      this.#db.decide<unknown>(
        () =>
          this.#runs.insertOne(document).catch((error: unknown) => {
            if (!isDuplicateKey(error)) throw error;
            throw runExists(id);
          }),
        async () => (await this.#runs.findOne({ _id: id, token }, { projection: { _id: 1 } })) ?? undefined,
      ),
    );
    return recordOf(document);
  }

  // --- batches

  /**
   * The insertion of the batch decides. Its runs are written before, held: they belong to no account and cannot be
   * claimed. Then they are let go; where this process dies first, `#settleHeld` of another one does it.
   */
  async createBatch(batch: BatchRecord, runs: readonly NewRun[]): Promise<void> {
    const { id, accountId } = batch;
    const document: BatchDocument = checkSize({ _id: id, accountId, body: await pack(encode(batch)) });
    const held = (await Promise.all(runs.map((run) => runDocument(run)))).map((run): RunDocument => {
      const { leaseUntil: _none, ...rest } = run;
      return { ...rest, accountId: '', heldFor: accountId, batchId: id };
    });
    // Those that an earlier attempt has written are the same.
    await this.#db.repeatable(() =>
      this.#runs.insertMany(held, { ordered: false }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      }),
    );
    const isMade = await this.#db.decide(
      async () => {
        try {
          await this.#batches.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      },
      async () => ((await this.#batches.findOne({ _id: id })) === null ? undefined : true),
    );
    await this.#letGo(id, accountId);
    if (!isMade) throw batchExists(id);
  }

  async #letGo(batchId: string, accountId: string): Promise<void> {
    const update = { $set: { accountId, leaseUntil: 0 }, $unset: { heldFor: 1 } } as const;
    const held = { batchId, heldFor: { $exists: true } };
    const found = await this.#db.read(() => this.#runs.find(held, { projection: { createdAt: 1 } }).toArray());
    const times = found.map(({ createdAt }) => createdAt);
    await this.counting(accountId, times, () => this.#db.repeatable(() => this.#runs.updateMany(held, update)));
  }

  /** What a death left held: let go where its batch exists, removed where it was never made. */
  async #settleHeld(now: number): Promise<void> {
    const found = await this.#db.read(() =>
      this.#runs
        .aggregate<{ _id: string; account: string; last: number }>([
          { $match: { heldFor: { $exists: true } } },
          { $group: { _id: '$batchId', account: { $first: '$heldFor' }, last: { $max: '$createdAt' } } },
        ])
        .toArray(),
    );
    for (const { _id, account, last } of found) {
      if ((await this.#db.read(() => this.#batches.findOne({ _id }, { projection: { _id: 1 } }))) !== null) {
        await this.#letGo(_id, account);
      } else if (last < now - HELD_MS) {
        await this.#db.repeatable(() => this.#runs.deleteMany({ batchId: _id, heldFor: { $exists: true } }));
      }
    }
  }

  async #batchStates(found: readonly BatchDocument[]): Promise<BatchState[]> {
    const groups = await this.#db.read(() =>
      this.#runs
        .aggregate<{ _id: { batch: string; status: RunStatus }; n: number; last: number | null }>([
          { $match: { batchId: { $in: found.map(({ _id }) => _id) } } },
          { $group: { _id: { batch: '$batchId', status: '$status' }, n: { $sum: 1 }, last: { $max: '$completedAt' } } },
        ])
        .toArray(),
    );
    return this.#db.records.allLater(found, idOf, async ({ _id, body }) => {
      const own = groups
        .filter((group) => group._id.batch === _id)
        .map((group) => ({ status: group._id.status, count: group.n, lastEndedAt: group.last }));
      return batchState(recordWith(_id, await unpack<BatchRecord>(body)), own);
    });
  }

  async findBatch(accountId: string, id: string): Promise<BatchState | null> {
    const found = await this.#db.read(() => this.#batches.findOne({ _id: id, accountId }));
    if (found === null) return null;
    await this.#db.records.later(id, async () => recordWith(id, await unpack<BatchRecord>(found.body)));
    return (await this.#batchStates([found]))[0] ?? null;
  }

  async listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    const [found, total] = await this.#db.read(() => {
      const items = this.#batches.find({ accountId }, window(page));
      return Promise.all([items.toArray(), this.#batches.countDocuments({ accountId })]);
    });
    return { items: await this.#batchStates(found), total };
  }

  async findRun(accountId: string, id: string): Promise<RunRecord | null> {
    const found = await this.#db.read(() =>
      this.#runs.findOne<RecordFields>({ _id: id, accountId }, { projection: RECORD }),
    );
    return found === null ? null : this.#recordOf(found);
  }

  #recordOf(found: RecordFields): Promise<RunRecord> {
    return this.#db.records.later(found._id, () => recordOf(found));
  }

  async listRuns(accountId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>> {
    const { status, functionId } = filter;
    const query: Filter<RunDocument> = {
      accountId,
      ...(status === undefined ? {} : { status }),
      ...(functionId === undefined ? {} : { functionId }),
    };
    const [found, total] = await this.#db.read(() => {
      const items = this.#runs.find<RecordFields>(query, { ...window(page), projection: RECORD });
      return Promise.all([items.toArray(), this.#runs.countDocuments(query)]);
    });
    return { items: await this.#db.records.allLater(found, idOf, recordOf), total };
  }

  async claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]> {
    if (limit <= 0) return [];
    const most = Math.min(limit, 2 ** 31 - 1);
    // From the index alone: the documents may be large, and this is asked often.
    const projection = { accountId: 1, owner: 1, losses: 1 } as const;
    const look = (filter: Filter<RunDocument>, atMost: number): Promise<ClaimableDocument[]> =>
      this.#runs
        .find<ClaimableDocument>(filter, { projection, sort: { _id: 1 }, limit: atMost })
        .hint(BY_TURN)
        .toArray();
    // Those whose lease has run out are few; of those that wait there may be very many, of few accounts.
    const [expired, lines] = await this.#db.read(() =>
      Promise.all([look({ leaseUntil: { $gt: 0, $lte: now } }, most), this.#lines()]),
    );
    const firsts = lines.map(({ first }) => first);
    if (lines.length >= most) return inTurns([...expired, ...firsts].map(claimable)).slice(0, limit);
    // Of every other line one goes before the second of this one.
    const atMost = most - lines.length + 1;
    const waiting = await this.#db.read(() =>
      Promise.all(lines.map(({ _id }) => look({ leaseUntil: 0, accountId: _id }, atMost))),
    );
    return inTurns([...expired, ...waiting.flat()].map(claimable)).slice(0, limit);
  }

  /** The oldest waiting run of each account. */
  #lines(): Promise<{ _id: string; first: ClaimableDocument }[]> {
    // The server jumps from account to account in the index.
    return this.#runs
      .aggregate<{ _id: string; first: ClaimableDocument }>(
        [
          { $match: { leaseUntil: 0 } },
          { $sort: { leaseUntil: 1, accountId: 1, _id: 1 } },
          {
            $group: {
              _id: '$accountId',
              id: { $first: '$_id' },
              owner: { $first: '$owner' },
              losses: { $first: '$losses' },
            },
          },
          { $sort: { id: 1 } },
          { $limit: MOST_LINES },
          { $project: { first: { _id: '$id', accountId: '$_id', owner: '$owner', losses: '$losses' } } },
        ],
        { hint: BY_TURN },
      )
      .toArray();
  }

  async runsAtWork(now: number): Promise<readonly RunsAtWork[]> {
    const found = await this.#db.read(() =>
      this.#runs
        .aggregate<{ _id: string; runs: number }>(
          [{ $match: { leaseUntil: { $gt: now } } }, { $group: { _id: '$accountId', runs: { $sum: 1 } } }],
          { hint: BY_TURN },
        )
        .toArray(),
    );
    return found.map(({ _id, runs }) => ({ accountId: _id, runs }));
  }

  async claimRun(id: string, claim: Claim): Promise<ClaimedRun | null> {
    const { owner, now, leaseUntil, alone = false } = claim;
    const token = randomUUID();
    const isLoss = { $and: [{ $eq: ['$status', 'running'] }, { $ne: ['$owner', null] }] };
    const isStrike = { $and: [isLoss, { $eq: ['$alone', true] }] };
    const taken = {
      status: 'running',
      attempt: { $add: ['$attempt', 1] },
      losses: { $add: ['$losses', { $cond: [isLoss, 1, 0] }] },
      strikes: { $add: [{ $ifNull: ['$strikes', 0] }, { $cond: [isStrike, 1, 0] }] },
      alone,
      owner: { $literal: owner },
      leaseUntil,
      startedAt: { $ifNull: ['$startedAt', now] },
      token,
    };
    const options = { returnDocument: 'after', projection: { history: 0, events: 0 } } as const;
    const found = await this.#db.decide(
      () => this.#runs.findOneAndUpdate({ _id: id, leaseUntil: { $lte: now } }, [{ $set: taken }], options),
      () => this.#written(id, token),
    );
    if (found === null) return null;
    // A checkpoint that is referred to is there: only the holder of the attempt supersedes it.
    const { source, checkpoint } = found;
    return this.#db.records.later(id, async () => {
      const saved = checkpoint === null ? null : await this.#parts.load(id, 'checkpoint', checkpoint);
      if (saved === undefined) throw new Error(`the checkpoint of run ${id} lacks a part`);
      return { run: await recordOf(found), source: objectOf(await unpack<RunSource>(source)), checkpoint: saved };
    });
  }

  /** The run, if the update with that token is the last that decided. */
  async #written(id: string, token: string): Promise<RunDocument | undefined> {
    return (await this.#runs.findOne({ _id: id, token })) ?? undefined;
  }

  async releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean> {
    const token = randomUUID();
    const released = { leaseUntil: 0, token, ...(how === 'returned' ? { owner: null } : { alone: true }) };
    return this.#db.decide(
      async () =>
        (await this.#runs.updateOne({ _id: id, attempt, status: 'running' }, { $set: released })).matchedCount > 0,
      async () => ((await this.#written(id, token)) === undefined ? undefined : true),
    );
  }

  async noteCompany(id: string, attempt: number): Promise<boolean> {
    const filter = { _id: id, attempt, status: 'running' } as const;
    const answer = await this.#db.repeatable(() => this.#runs.updateOne(filter, { $set: { alone: false } }));
    return answer.matchedCount > 0;
  }

  async renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number> {
    if (held.length === 0) return 0;
    const mine = held.map(({ id, attempt }) => ({ _id: id, attempt }));
    const filter: Filter<RunDocument> = { $or: mine, status: 'running', leaseUntil: { $gt: 0 } };
    const answer = await this.#db.repeatable(() => this.#runs.updateMany(filter, { $set: { leaseUntil } }));
    return answer.matchedCount;
  }

  async expireLeases(): Promise<number> {
    const filter: Filter<RunDocument> = { status: 'running', leaseUntil: { $gt: 0 } };
    const answer = await this.#db.repeatable(() => this.#runs.updateMany(filter, { $set: { leaseUntil: 0 } }));
    return answer.matchedCount;
  }

  async runStates(ids: readonly string[]): Promise<readonly RunState[]> {
    if (ids.length === 0) return [];
    const projection = { status: 1, attempt: 1, cancelRequested: 1 } as const;
    const found = await this.#db.read(() => this.#runs.find({ _id: { $in: [...ids] } }, { projection }).toArray());
    return found.map(({ _id, status, attempt, cancelRequested }) => ({ id: _id, status, attempt, cancelRequested }));
  }

  async saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean> {
    const texts = {
      progress: encode(report.progress),
      history: report.history === undefined ? null : encode(report.history),
    };
    const { added, mark } = addEvents(report.events);
    const name = { attempt, serial: ++this.#serial };
    const token = randomUUID();
    const history = texts.history === null ? null : await this.#parts.save(id, 'history', name, texts.history);
    const bytes = report.checkpoint ?? undefined;
    const isDropped = report.checkpoint === null;
    const checkpoint = bytes === undefined ? null : await this.#parts.save(id, 'checkpoint', name, bytes);
    const $set = checkSize({
      progress: await pack(texts.progress),
      token,
      ...(history === null ? {} : { history }),
      ...(checkpoint === null && !isDropped ? {} : { checkpoint, alone: false }),
    });
    const done = await this.#update(
      { _id: id, attempt, status: 'running' },
      { $set: { ...$set, ...mark }, ...added },
      token,
    );
    // Refused: nobody will ever refer to what was just written.
    const unused = done === null ? { history, checkpoint } : done.before;
    if (history !== null) await this.#parts.remove(id, 'history', unused?.history ?? null);
    if (checkpoint !== null || (isDropped && done !== null)) {
      await this.#parts.remove(id, 'checkpoint', unused?.checkpoint ?? null);
    }
    return done !== null;
  }

  async finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null> {
    const { status, completedAt } = finish;
    const endingText = encode(finish.ending);
    const historyText = finish.history === undefined ? null : encode(finish.history);
    const lesson = finish.lesson === undefined ? null : encode(finish.lesson);
    const ended = countedEnding(finish.ending);
    const kept = finish.extendable?.checkpoint.slice() ?? null;
    const until = finish.extendable?.until;
    const { added, mark } = addEvents(finish.events);
    const name = { attempt, serial: ++this.#serial };
    const token = randomUUID();
    const from: RunStatus[] = status === 'failed' ? ['pending', 'running'] : ['running'];
    const guard = { _id: id, attempt, status: { $in: from } };
    const projection = { accountId: 1, createdAt: 1, counted: 1 } as const;
    const found = await this.#db.read(() => this.#runs.findOne(guard, { projection }));
    if (found === null) return null;
    const { accountId, createdAt, counted } = found;
    if (lesson !== null) await this.#learn(id, accountId, lesson);
    const history = historyText === null ? null : await this.#parts.save(id, 'history', name, historyText);
    const checkpoint = kept === null ? null : await this.#parts.save(id, 'checkpoint', name, kept);
    const $set = checkSize({
      status,
      ending: await pack(endingText),
      progress: null,
      completedAt,
      owner: null,
      checkpoint,
      ...(until === undefined ? {} : { checkpointUntil: until }),
      counted: { ...counted, ...endedFacts(counted, ended) },
      token,
      ...(history === null ? {} : { history }),
    });
    const done = await this.counting(accountId, [createdAt], () =>
      this.#update(guard, { $set: { ...$set, ...mark }, $unset: { leaseUntil: 1 }, ...added }, token),
    );
    if (done === null) {
      await this.#parts.remove(id, 'history', history);
      await this.#parts.remove(id, 'checkpoint', checkpoint);
      return null;
    }
    if (history !== null) await this.#parts.remove(id, 'history', done.before?.history ?? null);
    await this.#parts.remove(id, 'checkpoint', done.before?.checkpoint ?? null);
    return this.#recordOf(done.after);
  }

  /**
   * A guarded update. Null: the guard did not hold. `before` is null where the answer was lost and the update was found
   * in the document.
   */
  async #update(
    filter: Filter<RunDocument> & { _id: string },
    update: UpdateFilter<RunDocument> & { $set: Partial<RunDocument> },
    token: string,
  ): Promise<Updated | null> {
    const options = { returnDocument: 'before', projection: { source: 0, events: 0 } } as const;
    return this.#db.decide<Updated | null>(
      async () => {
        const before = await this.#runs.findOneAndUpdate(filter, update, options);
        return before === null ? null : { before, after: { ...before, ...update.$set } };
      },
      async () => {
        const after = await this.#written(filter._id, token);
        return after === undefined ? undefined : { before: null, after };
      },
    );
  }

  /**
   * Before the run's end is written: where this process dies in between, whoever carries it out next comes to the same
   * lesson, and finds it here.
   */
  async #learn(run: string, accountId: string, body: string): Promise<void> {
    // Each turn but the last found that another run had just taken the version.
    for (;;) {
      const last = await this.#lastLesson({ accountId });
      const document = { accountId, version: (last?.version ?? 0) + 1, run, body };
      const isThere = async (): Promise<true | undefined> =>
        (await this.#lessons.findOne({ run }, { projection: { _id: 1 } })) === null ? undefined : true;
      const isMade = await this.#db.decide(async () => {
        try {
          await this.#lessons.insertOne({ ...document });
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          return (await isThere()) ?? false;
        }
      }, isThere);
      if (isMade) return;
    }
  }

  #lastLesson(filter: Filter<LessonDocument>): Promise<LessonDocument | null> {
    return this.#db.read(() =>
      this.#lessons.findOne(filter, { sort: { version: -1 }, projection: { version: 1, serial: 1 } }),
    );
  }

  async learnedState(accountId: string): Promise<LearnedState> {
    const [last, forgotten, change] = await Promise.all([
      this.#lastLesson({ accountId }),
      this.#lastLesson({ accountId, body: null }),
      this.#lastLesson({ accountId, serial: { $gt: 0 } }),
    ]);
    return learnedState(last?.version ?? 0, forgotten?.version ?? 0, change?.serial ?? 0);
  }

  async lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]> {
    if (limit <= 0) return [];
    const { forgotten } = await this.learnedState(accountId);
    const version = { $gt: Math.max(after, forgotten), $lte: upTo };
    const filter = { accountId, version, body: { $ne: '' } };
    const found = await this.#db.read(() => this.#lessons.find(filter, { sort: { version: -1 }, limit }).toArray());
    const there = found.reverse().filter(({ body }) => body !== null);
    const nameOf = ({ version: number }: LessonDocument): string => `${accountId} lesson ${number}`;
    return this.#db.records.all(there, nameOf, (one) => ({
      version: one.version,
      lesson: decodeObject<Lesson>(one.body ?? ''),
    }));
  }

  /** The update of the latest decides: what lies before it is no longer seen. */
  async forgetLessons(accountId: string): Promise<void> {
    const last = await this.#lastLesson({ accountId });
    if (last === null) return;
    const { version } = last;
    await this.#db.repeatable(() =>
      this.#lessons.updateOne({ accountId, version }, { $set: { body: null }, $unset: { run: 1 } }),
    );
    const before = { accountId, version: { $lt: version }, serial: { $exists: false } };
    await this.#db.repeatable(() => this.#lessons.deleteMany(before));
  }

  /** One insertion decides: a version, a serial and a change are each there once. */
  async appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null> {
    const packed = await pack(encode(change));
    const { id: changeId } = change;
    const there = async (): Promise<number | 'another' | undefined> => {
      const projection = { version: 1, changeId: 1 } as const;
      const found = await this.#lessons.findOne({ accountId, serial }, { projection });
      if (found === null) return undefined;
      return found.changeId === changeId ? found.version : 'another';
    };
    const earlier = { accountId, serial: serial - 1 };
    if (serial > 1 && (await this.#lastLesson(earlier)) === null) return null;
    // Each turn but the last found that a lesson had just taken the version.
    for (;;) {
      const last = await this.#lastLesson({ accountId });
      const version = (last?.version ?? 0) + 1;
      const document = checkSize<LessonDocument>({ accountId, version, body: '', serial, changeId, change: packed });
      const made = await this.#db.decide<number | 'another' | 'again'>(async () => {
        try {
          await this.#lessons.insertOne({ ...document });
          return version;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          return (await there()) ?? 'again';
        }
      }, there);
      if (made !== 'again') return made === 'another' ? null : made;
    }
  }

  async federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]> {
    const found = await this.#db.read(() =>
      this.#lessons.find({ accountId, serial: { $gt: after } }, { sort: { serial: 1 } }).toArray(),
    );
    const unpacked = found.map(async ({ serial, version, change }): Promise<NumberedChange[]> => {
      if (serial === undefined || change === undefined) return [];
      return [{ serial, version, change: await unpack<FederatedChange>(change) }];
    });
    return (await Promise.all(unpacked)).flat();
  }

  async runSource(accountId: string, id: string): Promise<RunSource | null> {
    const found = await this.#db.read(() => this.#runs.findOne({ _id: id, accountId }, { projection: { source: 1 } }));
    if (found === null) return null;
    return this.#db.records.later(id, async () => objectOf(await unpack<RunSource>(found.source)));
  }

  async requestCancel(accountId: string, id: string): Promise<RunRecord | null> {
    return this.#change({ _id: id, accountId, status: { $in: ['pending', 'running'] } }, { cancelRequested: true });
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null> {
    const text = encode(metadata);
    const { added, mark } = addEvents(event === undefined ? [] : [event]);
    return this.#change({ _id: id, accountId }, checkSize({ metadata: await pack(text), ...mark }), added);
  }

  async runEvents(
    accountId: string,
    id: string,
    after: number,
    limit: number,
  ): Promise<readonly (RunEvent | null)[] | null> {
    const [found] = await this.#db.read(() =>
      this.#runs
        .aggregate<{ events: RunEvent[] }>([
          { $match: { _id: id, accountId } },
          { $project: { events: { $slice: [{ $ifNull: ['$events', []] }, after, limit] } } },
        ])
        .toArray(),
    );
    return found === undefined ? null : this.#db.records.each(found.events, () => `${id} events`, eventOf);
  }

  async #change(
    filter: Filter<RunDocument>,
    $set: Partial<RunDocument>,
    added: AddedEvents['added'] = {},
  ): Promise<RunRecord | null> {
    const options = { returnDocument: 'after', projection: RECORD } as const;
    const found = await this.#db.repeatable(() => this.#runs.findOneAndUpdate(filter, { $set, ...added }, options));
    return found === null ? null : this.#recordOf(found);
  }

  async abandonRun(id: string, { ending, completedAt, events }: RunAbandonment): Promise<boolean> {
    const packed = await pack(encode(ending));
    const ended = countedEnding(ending);
    const { added, mark } = addEvents(events);
    const token = randomUUID();
    const unfinished: RunStatus[] = ['pending', 'running'];
    const guard = { _id: id, status: { $in: unfinished } };
    const projection = { accountId: 1, createdAt: 1, counted: 1 } as const;
    const found = await this.#db.read(() => this.#runs.findOne(guard, { projection }));
    if (found === null) return false;
    const { accountId, createdAt, counted } = found;
    const $set = checkSize({
      status: 'failed' as const,
      ending: packed,
      progress: null,
      completedAt,
      owner: null,
      checkpoint: null,
      counted: { ...counted, ...endedFacts(counted, ended) },
      token,
    });
    const done = await this.counting(accountId, [createdAt], () =>
      this.#update(
        guard,
        { $set: { ...$set, ...mark }, $inc: { attempt: 1 }, $unset: { leaseUntil: 1 }, ...added },
        token,
      ),
    );
    await this.#parts.remove(id, 'checkpoint', done?.before?.checkpoint ?? null);
    return done !== null;
  }

  async runCheckpoint(id: string): Promise<Uint8Array | null> {
    const filter: Filter<RunDocument> = { _id: id, status: { $in: ['pending', 'running'] } };
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const found = await this.#db.read(() =>
        this.#runs.findOne<Pick<RunDocument, 'checkpoint'>>(filter, { projection: { checkpoint: 1 } }),
      );
      if (found === null || found.checkpoint === null) return null;
      // Missing: a later one has taken its place meanwhile.
      const bytes = await this.#parts.load(id, 'checkpoint', found.checkpoint);
      if (bytes !== undefined) return bytes;
    }
    throw new Error(`the checkpoint of run ${id} lacks a part`);
  }

  async runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null> {
    const filter: Filter<RunDocument> = { _id: id, accountId, status: { $in: ['completed', 'failed'] } };
    const projection = { source: 1, history: 1, checkpoint: 1, checkpointUntil: 1 } as const;
    const found = await this.#db.read(() =>
      this.#runs.findOne<Pick<RunDocument, keyof typeof projection>>(filter, { projection }),
    );
    if (found === null) return null;
    // Of a run that has ended nothing is superseded; its checkpoint may just have been removed.
    const load = async (kind: PartKind, stored: Growing | null): Promise<Uint8Array | null> =>
      stored === null ? null : ((await this.#parts.load(id, kind, stored)) ?? null);
    const points = await load('history', found.history);
    const checkpoint = await load('checkpoint', (found.checkpointUntil ?? 0) > now ? found.checkpoint : null);
    return this.#db.records.later(id, async () => {
      const history = points === null ? [] : decodeObject<HistoryPoint[]>(textIn(points));
      return { source: objectOf(await unpack<RunSource>(found.source)), checkpoint, history };
    });
  }

  async runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const found = await this.#db.read(() =>
        this.#runs.findOne<Pick<RunDocument, 'history'>>({ _id: id, accountId }, { projection: { history: 1 } }),
      );
      if (found === null) return null;
      if (found.history === null) return [];
      const { history } = found;
      const points = await this.#db.records.later(id, async () => {
        const bytes = await this.#parts.load(id, 'history', history);
        return bytes === undefined ? undefined : decodeObject<HistoryPoint[]>(textIn(bytes));
      });
      if (points !== undefined) return points;
    }
    throw new Error(`the history of run ${id} lacks a part`);
  }

  // --- accounts and keys

  async ensureAccount(candidate: Account): Promise<Account> {
    const { name } = candidate;
    const document = { _id: candidate.id, name, body: encode(candidate) };
    const find = (): Promise<AccountDocument | null> => this.#accounts.findOne({ name });
    const existing = await this.#db.read(find);
    if (existing !== null) return this.#readAccount(existing);
    const made = await this.#db.decide(
      async () => {
        try {
          await this.#accounts.insertOne(document);
          return document;
        } catch (error) {
          // Somebody else made it just now.
          const other = isDuplicateKey(error) ? await find() : null;
          if (other === null) throw error;
          return other;
        }
      },
      async () => (await find()) ?? undefined,
    );
    return this.#readAccount(made);
  }

  #readAccount({ _id, body }: Pick<AccountDocument, '_id' | 'body'>): Account {
    return this.#db.records.one(_id, () => decodeRecord<Account>(_id, body));
  }

  #readKey(found: KeyDocument): ApiKeyRecord {
    return this.#db.records.one(found._id, () => keyOf(found));
  }

  async saveKey(key: ApiKeyRecord): Promise<void> {
    const { id, publicId } = key;
    if (!(await this.#insertKey(keyDocument(key)))) throw keyExists({ id, publicId });
  }

  /** False: a unique index has its like already. */
  async #insertKey(document: KeyDocument): Promise<boolean> {
    return this.#db.decide(
      async () => {
        try {
          await this.#keys.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      },
      async () => ((await this.#keys.findOne({ _id: document._id })) === null ? undefined : true),
    );
  }

  async saveFirstKey(account: Account, key: ApiKeyRecord): Promise<boolean> {
    const copy = structuredClone({ account, key });
    const any = await this.#db.read(() => this.#keys.findOne({}, { projection: { _id: 1 } }));
    if (any !== null) return false;
    const owner = await this.ensureAccount(copy.account);
    // Of several processes that came so far, the index lets one through.
    return this.#insertKey({ ...keyDocument({ ...copy.key, accountId: owner.id }), first: true });
  }

  async findKey(publicId: string): Promise<{ key: ApiKeyRecord; account: Account } | null> {
    const found = await this.#db.read(() => this.#keys.findOne({ publicId }));
    if (found === null) return null;
    const account = await this.#accountOf(found.accountId);
    return account === null ? null : { key: this.#readKey(found), account };
  }

  /** Every request asks; an account never changes. */
  async #accountOf(id: string): Promise<Account | null> {
    let body = this.#accountBodies.get(id);
    if (body === undefined) {
      const found = await this.#db.read(() => this.#accounts.findOne({ _id: id }));
      if (found === null) return null;
      body = found.body;
      if (this.#accountBodies.size >= REMEMBERED_ACCOUNTS) this.#accountBodies.clear();
      this.#accountBodies.set(id, body);
    }
    return this.#readAccount({ _id: id, body });
  }

  async findAccount(name: string): Promise<Account | null> {
    const found = await this.#db.read(() => this.#accounts.findOne({ name }));
    return found === null ? null : this.#readAccount(found);
  }

  async listKeys(accountId: string, page: PageRequest): Promise<Page<ApiKeyRecord>> {
    const filter: Filter<KeyDocument> = { accountId, revokedAt: null };
    const [found, total] = await this.#db.read(() =>
      Promise.all([this.#keys.find(filter, window(page)).toArray(), this.#keys.countDocuments(filter)]),
    );
    return { items: this.#db.records.all(found, idOf, keyOf), total };
  }

  async findKeyById(accountId: string, id: string): Promise<ApiKeyRecord | null> {
    const found = await this.#db.read(() => this.#keys.findOne({ _id: id, accountId, revokedAt: null }));
    return found === null ? null : this.#readKey(found);
  }

  async revokeKey(accountId: string, id: string, revokedAt: number): Promise<boolean> {
    return this.#db.decide(
      async () =>
        (await this.#keys.updateOne({ _id: id, accountId, revokedAt: null }, { $set: { revokedAt } })).matchedCount > 0,
      async () => ((await this.#keys.findOne({ _id: id, accountId, revokedAt })) === null ? undefined : true),
    );
  }

  async limitKey(accountId: string, id: string, expiresAt: number): Promise<boolean> {
    // `$min` of an expression passes over null.
    const update = [{ $set: { expiresAt: { $min: ['$expiresAt', expiresAt] } } }];
    const filter: Filter<KeyDocument> = { _id: id, accountId, revokedAt: null };
    return this.#db.repeatable(async () => (await this.#keys.updateOne(filter, update)).matchedCount > 0);
  }

  async accountSettings(accountId: string): Promise<AccountSettings> {
    const found = await this.#db.read(() => this.#settings.findOne({ _id: accountId }));
    if (found === null) return {};
    return this.#db.records.one(`${accountId} settings`, () => decodeObject<AccountSettings>(found.body));
  }

  async saveAccountSettings(accountId: string, settings: AccountSettings): Promise<void> {
    const document = { body: encode(settings) };
    await this.#upsert(() => this.#settings.replaceOne({ _id: accountId }, document, { upsert: true }));
  }

  /** A write by `_id` that may happen twice. Of two that insert at a time one meets the index, and goes again. */
  async #upsert<T>(body: () => Promise<T>): Promise<T> {
    return this.#db.repeatable(async () => {
      try {
        return await body();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return body();
      }
    });
  }

  async touchKey(id: string, usedAt: number): Promise<void> {
    await this.#db.repeatable(() => this.#keys.updateOne({ _id: id }, { $set: { lastUsedAt: usedAt } }));
  }

  // --- requests

  async claimRequest(claim: IdempotencyClaim): Promise<ClaimOutcome> {
    const { fingerprint, owner, now, leaseUntil, expiresAt, seed } = claim;
    const _id = requestId(claim.accountId, claim.key);
    const document = {
      _id,
      fingerprint,
      owner,
      leaseUntil,
      claimedAt: now,
      expiresAt,
      seed: encode(seed),
      answer: null,
    };
    // Each turn but the last found that somebody else had just changed it.
    for (;;) {
      if (await this.#insertRequest(document)) return { kind: 'claimed', seed, claimedAt: now };
      const found = await this.#db.read(() => this.#requests.findOne({ _id }));
      if (found === null) continue;
      const same = { _id, owner: found.owner, leaseUntil: found.leaseUntil };
      const standing = standingOf(found, { now, fingerprint });
      if (standing === 'over') {
        await this.#db.repeatable(() => this.#requests.deleteOne({ ...same, expiresAt: found.expiresAt }));
      } else if (found.answer !== null) {
        return { kind: 'answered', fingerprint: found.fingerprint, answer: await unpack<string>(found.answer) };
      } else if (standing === 'working') {
        return { kind: 'working', fingerprint: found.fingerprint };
      } else if (await this.#changeRequest({ ...same, answer: null }, { owner, leaseUntil })) {
        return { kind: 'claimed', seed: decode<string>(found.seed), claimedAt: found.claimedAt };
      }
    }
  }

  /** False: there is one already. */
  async #insertRequest(document: RequestDocument): Promise<boolean> {
    const { _id, owner } = document;
    return this.#db.decide(
      async () => {
        try {
          await this.#requests.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      },
      async () => ((await this.#requests.findOne({ _id, owner })) === null ? undefined : true),
    );
  }

  /** `$set` must make the document such that it shows whether this happened. */
  async #changeRequest(filter: Filter<RequestDocument>, $set: Partial<RequestDocument>): Promise<boolean> {
    const { _id, owner } = { ...filter, ...$set };
    return this.#db.decide(
      async () => (await this.#requests.updateOne(filter, { $set })).matchedCount > 0,
      async () => ((await this.#requests.findOne({ ...$set, _id, owner })) === null ? undefined : true),
    );
  }

  async renewRequest(accountId: string, key: string, owner: string, leaseUntil: number): Promise<boolean> {
    return this.#changeRequest({ _id: requestId(accountId, key), owner, answer: null }, { leaseUntil });
  }

  async answerRequest(accountId: string, key: string, owner: string, answer: string): Promise<boolean> {
    const filter = { _id: requestId(accountId, key), owner, answer: null };
    return this.#changeRequest(filter, checkSize({ answer: await pack(encode(answer)) }));
  }

  async forgetRequest(accountId: string, key: string, owner: string): Promise<boolean> {
    const _id = requestId(accountId, key);
    return this.#db.decide(
      async () => (await this.#requests.deleteOne({ _id, owner, answer: null })).deletedCount > 0,
      async () => ((await this.#requests.findOne({ _id, owner })) === null ? true : undefined),
    );
  }

  async expireRequests(): Promise<number> {
    const filter: Filter<RequestDocument> = { answer: null, leaseUntil: { $gt: 0 } };
    const answer = await this.#db.repeatable(() => this.#requests.updateMany(filter, { $set: { leaseUntil: 0 } }));
    return answer.matchedCount;
  }

  async countRequest(key: string, now: number, windowMs: number): Promise<RequestCount> {
    // A count that a failover loses does not matter: not worth waiting for a majority on every request.
    const counts = this.#db.collection<CountDocument>('request_counts');
    const resetAt = { $ifNull: ['$resetAt', 0] };
    // As `isWindowOver`.
    const isOver = { $or: [{ $lte: [resetAt, now] }, { $gt: [resetAt, now + 2 * windowMs] }] };
    const next = {
      count: { $cond: [isOver, 1, { $add: ['$count', 1] }] },
      resetAt: { $cond: [isOver, now + windowMs, '$resetAt'] },
    };
    const found = await this.#upsert(() =>
      counts.findOneAndUpdate({ _id: key }, [{ $set: next }], {
        upsert: true,
        returnDocument: 'after',
        writeConcern: { w: 1, journal: false },
      }),
    );
    if (found === null) throw new Error('an upsert without a document');
    return { count: found.count, resetAt: found.resetAt };
  }

  async removeExpired(now: number): Promise<void> {
    await this.#settleHeld(now);
    await this.#dropCheckpoints(now);
    await this.#db.repeatable(() => this.#requests.deleteMany({ expiresAt: { $lte: now } }));
    const counts = this.#db.collection<CountDocument>('request_counts');
    await this.#db.repeatable(() => counts.deleteMany({ resetAt: { $lte: now } }));
    await this.#removeKeys(now - ENDED_KEY_KEPT_MS);
    await this.removeOldDeliveries(now);
    await this.removeOldConversations(now);
  }

  async #removeKeys(endedBefore: number): Promise<void> {
    const [oldest] = await this.#db.read(() => this.#keys.find({}, { sort: { _id: 1 }, limit: 1 }).toArray());
    if (oldest === undefined) return;
    const ended = [{ expiresAt: { $lte: endedBefore } }, { revokedAt: { $lte: endedBefore } }];
    await this.#db.repeatable(() => this.#keys.deleteMany({ _id: { $gt: oldest._id }, $or: ended }));
  }

  async #dropCheckpoints(now: number): Promise<void> {
    const expired: Filter<RunDocument> = { checkpointUntil: { $lte: now } };
    for (;;) {
      const projection = { checkpoint: 1 } as const;
      const found = await this.#db.read(() =>
        this.#runs.find(expired, { projection, limit: DROPPED_AT_ONCE }).toArray(),
      );
      if (found.length === 0) return;
      const these = { _id: { $in: found.map(({ _id }) => _id) } };
      const dropped = { $set: { checkpoint: null }, $unset: { checkpointUntil: 1 } } as const;
      await this.#db.repeatable(() => this.#runs.updateMany(these, dropped));
      for (const { _id, checkpoint } of found) await this.#parts.remove(_id, 'checkpoint', checkpoint);
    }
  }

  async bringBackTimes(now: number, leaseMs: number): Promise<boolean> {
    const { lease, requestExpiry, dueAt } = latestTimes(now, leaseMs);
    const change = async (update: () => Promise<{ readonly modifiedCount: number }>): Promise<number> =>
      (await this.#db.repeatable(update)).modifiedCount;
    const over = { $set: { leaseUntil: 0 } };
    const changes = [
      await change(() => this.#runs.updateMany({ leaseUntil: { $gt: lease } }, over)),
      await change(() => this.#requests.updateMany({ answer: null, leaseUntil: { $gt: lease } }, over)),
      await change(() =>
        this.#requests.updateMany({ expiresAt: { $gt: requestExpiry } }, { $set: { expiresAt: requestExpiry } }),
      ),
      await this.bringBackDeliveries(now, lease, dueAt),
    ];
    return changes.some((count) => count > 0);
  }

  async keySecret(): Promise<Uint8Array> {
    const found = (await this.#findSecret()) ?? (await this.#firstSecret());
    if (found.secret.length() === SECRET_BYTES) return found.secret.value();
    const what = 'The secret of the API keys, the document `key-secret` of the collection `settings`, is damaged.';
    throw new ExtremumError('store_unavailable', `${what} ${SECRET_MEND}`);
  }

  #findSecret(): Promise<SecretDocument | null> {
    return this.#db.read(() => this.#secrets.findOne({ _id: 'key-secret' }));
  }

  async #firstSecret(): Promise<SecretDocument> {
    const keys = await this.#db.read(() => this.#keys.countDocuments({}));
    // Of processes that start together one may have made secret and key since.
    const late = keys === 0 ? null : await this.#findSecret();
    if (late !== null) return late;
    if (keys > 0) {
      const what =
        'The secret of the API keys is missing: there is no document `key-secret` in the collection `settings`, and without it ' +
        `none of the ${keys} keys in the database can be checked.`;
      throw new ExtremumError('store_unavailable', `${what} ${SECRET_MEND}`);
    }
    await this.#makeSecret();
    const found = await this.#findSecret();
    if (found === null) throw new Error('the secret of the keys vanished');
    return found;
  }

  /** Repeatable, and safe for processes that start together: `_id` is unique, and the first secret stays. */
  async #makeSecret(): Promise<void> {
    const $setOnInsert = { secret: new Binary(randomBytes(SECRET_BYTES)) };
    await this.#db.repeatable(async () => {
      await this.#secrets
        .updateOne({ _id: 'key-secret' }, { $setOnInsert }, { upsert: true })
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
        });
    });
  }

  async newKeySecret(revokedAt: number): Promise<number> {
    const found = await this.#findSecret();
    if (found?.secret.length() === SECRET_BYTES) throw secretIsThere();
    await this.#db.repeatable(() => this.#requests.deleteMany({}));
    const live = { revokedAt: null };
    const revoked = await this.#db.repeatable(() => this.#keys.updateMany(live, { $set: { revokedAt } }));
    // Last: until then it is lost, and this may be asked for again.
    if (found !== null)
      await this.#db.repeatable(() => this.#secrets.deleteOne({ _id: 'key-secret', secret: found.secret }));
    await this.#makeSecret();
    return revoked.matchedCount;
  }

  // --- the store itself

  ping(): Promise<void> {
    return this.#db.ping();
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}

type ClaimableDocument = Pick<RunDocument, '_id' | 'accountId' | 'owner' | 'losses'>;

const claimable = ({ _id, accountId, owner, losses }: ClaimableDocument): ClaimableRun => ({
  id: _id,
  accountId,
  losses,
  isLost: owner !== null,
});

const requestId = (accountId: string, key: string): string => `${accountId} ${key}`;

function keyDocument(key: ApiKeyRecord): KeyDocument {
  const { lastUsedAt, expiresAt, revokedAt, ...rest } = key;
  const { id, accountId, publicId } = key;
  return { _id: id, accountId, publicId, lastUsedAt, expiresAt, revokedAt, body: encode(rest) };
}

const idOf = ({ _id }: { readonly _id: string }): string => _id;

const functionOf = async ({ _id, body }: FunctionDocument): Promise<FunctionRecord> =>
  recordWith(_id, await unpack<FunctionRecord>(body));

function eventOf(event: RunEvent): RunEvent {
  const { id, type, body } = objectOf(event);
  if ([id, type, body].some((text) => typeof text !== 'string')) throw new Error('what is stored is no event');
  return event;
}

function keyOf({ _id, body, lastUsedAt, expiresAt, revokedAt }: KeyDocument): ApiKeyRecord {
  const rest = decodeRecord<ApiKeyRecord>(_id, body);
  return { ...rest, expiresAt: expiresAt ?? null, revokedAt: revokedAt ?? null, lastUsedAt };
}

interface AddedEvents {
  readonly added: { readonly $addToSet?: { readonly events: { readonly $each: RunEvent[] } } };
  /** To be set with them: webhooks are to be told. */
  readonly mark: { readonly unrelayed?: true };
}

/** As part of an update that may happen twice: what is equal is added once. */
function addEvents(events: readonly RunEvent[] = []): AddedEvents {
  if (events.length === 0) return { added: {}, mark: {} };
  const $each = events.map(({ id, type, createdAt, body }) => ({ id, type, createdAt, body }));
  return { added: { $addToSet: checkSize({ events: { $each } }) }, mark: { unrelayed: true } };
}

const textIn = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const misreadingName = (accountId: string, sha256: string): string => `${accountId} ${sha256}`;

const startTexts = ({ checkpoint, history }: RunStart): { checkpoint: Uint8Array; history: string } => ({
  checkpoint: checkpoint.slice(),
  history: encode(history),
});

async function runDocument(run: NewRun, claim?: Claim): Promise<RunDocument> {
  const { id, accountId, functionId, createdAt } = run;
  const texts = [encode(run.source), encode(run.request), encode(run.metadata)] as const;
  const given = structuredClone(claim);
  const counted = newCounted(id, run.request);
  const [source, request, metadata] = await Promise.all([pack(texts[0]), pack(texts[1]), pack(texts[2])]);
  return checkSize<RunDocument>({
    _id: id,
    accountId,
    functionId,
    source,
    status: given === undefined ? 'pending' : 'running',
    attempt: given === undefined ? 0 : 1,
    losses: 0,
    cancelRequested: false,
    owner: given?.owner ?? null,
    alone: given?.alone ?? false,
    strikes: 0,
    leaseUntil: given?.leaseUntil ?? 0,
    createdAt,
    startedAt: given?.now ?? null,
    completedAt: null,
    request,
    metadata,
    progress: null,
    ending: null,
    history: null,
    checkpoint: null,
    token: randomUUID(),
    counted,
  });
}

async function recordOf(document: RecordFields): Promise<RunRecord> {
  const { request, metadata, progress, ending } = document;
  const optional = async <T>(packed: Packed | null): Promise<T | null> =>
    packed === null ? null : objectOf(await unpack<T>(packed));
  return {
    id: document._id,
    accountId: document.accountId,
    functionId: document.functionId,
    status: document.status,
    request: objectOf(await unpack(request)),
    metadata: objectOf(await unpack(metadata)),
    createdAt: document.createdAt,
    startedAt: document.startedAt,
    completedAt: document.completedAt,
    attempt: document.attempt,
    losses: document.losses,
    strikes: document.strikes ?? 0,
    cancelRequested: document.cancelRequested,
    progress: await optional(progress),
    ending: await optional(ending),
  };
}
