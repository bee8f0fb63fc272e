/**
 * Runs in MongoDB. The update of a run's own document decides, guarded by its identifier and attempt; checkpoints and
 * histories that do not fit into it are written before (`run-parts.ts`).
 */
import { BSON, type Filter, type MatchKeysAndValues, type UpdateFilter } from 'mongodb';
import { randomInt, randomUUID } from 'node:crypto';
import { encode } from '../../common/codec.js';
import { EMPTY_TRACE, type MonitoringTrace } from '../../model/monitoring.js';
import type { Page } from '../../model/page.js';
import type { RunSource } from '../../model/problem.js';
import type { RunEvent } from '../../model/run-event.js';
import { countedEnding, endedFacts } from '../../model/run-facts.js';
import type { Metadata, NewRun, RunRecord, RunRequest, RunStart } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import { endedSummary, progressSummary, type RunSummary, searchText } from '../../model/run-summary.js';
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
import { decodeObject, objectOf } from '../damage.js';
import { runExists } from '../rules/conflicts.js';
import { EndedSummaries } from '../rules/ended-summaries.js';
import { inTurns } from '../rules/turns.js';
import { checkSize, type Database, type Moment } from './database.js';
import { isDuplicateKey } from './driver-errors.js';
import { BY_TURN } from './indexes.js';
import { KeptCounts } from './kept-counts.js';
import type { MongodbLearning } from './learning.js';
import type { OpenHours } from './open-hours.js';
import { isRemoved } from './removed-runs.js';
import {
  type AddedEvents,
  addEvents,
  eventOf,
  RECORD,
  type RecordFields,
  recordOf,
  type RunDocument,
  runDocument,
} from './run-document.js';
import type { Growing, PartKind, RunParts } from './run-parts.js';
import { itemsOf, matching, setSummary, SHOWN, type ShownFields, summaryIn } from './run-summaries.js';
import { SharedReads } from './shared-reads.js';
import { idOf, pack, unpack } from './values.js';

interface Updated {
  readonly before: RunDocument | null;
  readonly after: RunDocument;
}

type ClaimableDocument = Pick<RunDocument, '_id' | 'accountId' | 'owner' | 'losses'>;

const DROPPED_AT_ONCE = 1_000;
/** Accounts whose turn is looked for; beyond, those whose runs are the youngest wait. */
const MOST_LINES = 1_000;
/** Parts may be superseded while they are read; a run reports about once a second. */
const READ_ATTEMPTS = 10;

export class MongodbRuns implements RunStore {
  private readonly db: Database;
  private readonly parts: RunParts;
  private readonly hours: OpenHours;
  private readonly learning: MongodbLearning;
  private readonly settled = new EndedSummaries();
  private readonly pageReads = new SharedReads<{ result: readonly object[]; moment: Moment | null }>();
  private readonly counts = new KeptCounts();
  /** Numbers the large values that this process writes. */
  private serial = 0;

  constructor(db: Database, parts: RunParts, hours: OpenHours, learning: MongodbLearning) {
    this.db = db;
    this.parts = parts;
    this.hours = hours;
    this.learning = learning;
  }

  private get runs() {
    return this.db.collection<RunDocument>('runs');
  }

  async createRun(run: NewRun, claim?: Claim): Promise<RunRecord> {
    const { id } = run;
    const start = run.start === undefined ? null : startTexts(run.start);
    let document = await runDocument(run, claim);
    if (start !== null) {
      // No run has been claimed as attempt 0, and no other attempt to make this one draws the same number.
      const name = { attempt: 0, serial: randomInt(2 ** 47) };
      const history = await this.parts.save(id, 'history', name, start.history);
      const checkpoint = await this.parts.save(id, 'checkpoint', name, start.checkpoint);
      document = checkSize({ ...document, history, checkpoint });
    }
    const { token, accountId, createdAt } = document;
    await this.hours.counting(accountId, [createdAt], () =>
      this.db.decide<unknown>(
        () =>
          this.runs.insertOne(document).catch((error: unknown) => {
            if (!isDuplicateKey(error)) throw error;
            throw runExists(id);
          }),
        async () => (await this.runs.findOne({ _id: id, token }, { projection: { _id: 1 } })) ?? undefined,
      ),
    );
    return recordOf(document);
  }

  async findRun(accountId: string, id: string): Promise<RunRecord | null> {
    const found = await this.db.read(() =>
      this.runs.findOne<RecordFields>({ _id: id, accountId }, { projection: RECORD }),
    );
    return found === null ? null : this.recordOf(found);
  }

  private recordOf(found: RecordFields): Promise<RunRecord> {
    return this.db.records.later(found._id, () => recordOf(found));
  }

  async listRuns(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunRecord>> {
    const { items, total } = await this.page<RecordFields>(accountId, filter, page, RECORD);
    return { items: await this.db.records.allLater(items, idOf, recordOf), total };
  }

  async listSummaries(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunSummary>> {
    const { items: runs, total } = await this.page<{ _id: string }>(accountId, filter, page, { _id: 1 });
    const ids = runs.map(idOf);
    const { found, missing } = this.settled.lookUp(ids);
    if (missing.length > 0) {
      const stored = await this.db.read(() =>
        this.runs.find<ShownFields>({ _id: { $in: [...missing] }, accountId }, { projection: SHOWN }).toArray(),
      );
      for (const summary of this.db.records.all(stored, idOf, summaryIn)) {
        found.set(summary.id, summary);
        this.settled.keep(summary);
      }
    }
    return { items: ids.flatMap((id) => found.get(id) ?? []), total };
  }

  private async page<T extends object>(
    accountId: string,
    filter: RunFilter,
    page: RunPageRequest,
    projection: Readonly<Record<string, 0 | 1>>,
  ): Promise<Page<T>> {
    const matched = matching(accountId, filter);
    const list = BSON.EJSON.stringify(matched, { relaxed: false });
    const { result, moment } = await this.pageReads.read(JSON.stringify([list, page, projection]), () =>
      this.db.readWithMoment((session) =>
        itemsOf(
          matched,
          page,
          (stretch) => this.runs.countDocuments(stretch, { session }),
          (stretch, window) => this.runs.find<T>(stretch, { ...window, projection, session }).toArray(),
        ),
      ),
    );
    const total = await this.counts.get(moment, list, () => this.db.read(() => this.runs.countDocuments(matched)));
    return { items: result as readonly T[], total };
  }

  async claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]> {
    if (limit <= 0) return [];
    const most = Math.min(limit, 2 ** 31 - 1);
    // From the index alone: the documents may be large, and this is asked often.
    const projection = { accountId: 1, owner: 1, losses: 1 } as const;
    const look = (filter: Filter<RunDocument>, atMost: number): Promise<ClaimableDocument[]> =>
      this.runs
        .find<ClaimableDocument>(filter, { projection, sort: { _id: 1 }, limit: atMost })
        .hint(BY_TURN)
        .toArray();
    // Those whose lease has run out are few; of those that wait there may be very many, of few accounts.
    const [expired, lines] = await this.db.read(() =>
      Promise.all([look({ leaseUntil: { $gt: 0, $lte: now } }, most), this.lines()]),
    );
    const firsts = lines.map(({ first }) => first);
    if (lines.length >= most) return inTurns([...expired, ...firsts].map(claimable)).slice(0, limit);
    // Of every other line one goes before the second of this one.
    const atMost = most - lines.length + 1;
    const waiting = await this.db.read(() =>
      Promise.all(lines.map(({ _id }) => look({ leaseUntil: 0, accountId: _id }, atMost))),
    );
    return inTurns([...expired, ...waiting.flat()].map(claimable)).slice(0, limit);
  }

  /** The oldest waiting run of each account. */
  private lines(): Promise<{ _id: string; first: ClaimableDocument }[]> {
    // The server jumps from account to account in the index.
    return this.runs
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
    const found = await this.db.read(() =>
      this.runs
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
    const options = { returnDocument: 'after', projection: { history: 0, monitoring: 0, events: 0 } } as const;
    const found = await this.db.decide(
      () => this.runs.findOneAndUpdate({ _id: id, leaseUntil: { $lte: now } }, [{ $set: taken }], options),
      () => this.written(id, token),
    );
    if (found === null) return null;
    // A checkpoint that is referred to is there: only the holder of the attempt supersedes it.
    const { source, checkpoint } = found;
    return this.db.records.later(id, async () => {
      const saved = checkpoint === null ? null : await this.parts.load(id, 'checkpoint', checkpoint);
      if (saved === undefined) throw new Error(`the checkpoint of run ${id} lacks a part`);
      return { run: await recordOf(found), source: objectOf(await unpack<RunSource>(source)), checkpoint: saved };
    });
  }

  /** The run, if the update with that token is the last that decided. */
  private async written(id: string, token: string): Promise<RunDocument | undefined> {
    return (await this.runs.findOne({ _id: id, token })) ?? undefined;
  }

  async releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean> {
    const token = randomUUID();
    const released = { leaseUntil: 0, token, ...(how === 'returned' ? { owner: null } : { alone: true }) };
    return this.db.decide(
      async () =>
        (await this.runs.updateOne({ _id: id, attempt, status: 'running' }, { $set: released })).matchedCount > 0,
      async () => ((await this.written(id, token)) === undefined ? undefined : true),
    );
  }

  async noteCompany(id: string, attempt: number): Promise<boolean> {
    const filter = { _id: id, attempt, status: 'running' } as const;
    const answer = await this.db.repeatable(() => this.runs.updateOne(filter, { $set: { alone: false } }));
    return answer.matchedCount > 0;
  }

  async renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number> {
    if (held.length === 0) return 0;
    const mine = held.map(({ id, attempt }) => ({ _id: id, attempt }));
    const filter: Filter<RunDocument> = { $or: mine, status: 'running', leaseUntil: { $gt: 0 } };
    const answer = await this.db.repeatable(() => this.runs.updateMany(filter, { $set: { leaseUntil } }));
    return answer.matchedCount;
  }

  async expireLeases(): Promise<number> {
    const filter: Filter<RunDocument> = { status: 'running', leaseUntil: { $gt: 0 } };
    const answer = await this.db.repeatable(() => this.runs.updateMany(filter, { $set: { leaseUntil: 0 } }));
    return answer.matchedCount;
  }

  async runStates(ids: readonly string[]): Promise<readonly RunState[]> {
    if (ids.length === 0) return [];
    const projection = { accountId: 1, status: 1, attempt: 1, cancelRequested: 1 } as const;
    const found = await this.db.read(() => this.runs.find({ _id: { $in: [...ids] } }, { projection }).toArray());
    const there = found.filter((run) => !isRemoved(run));
    return there.map(({ _id, status, attempt, cancelRequested }) => ({ id: _id, status, attempt, cancelRequested }));
  }

  async saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean> {
    const texts = {
      progress: encode(report.progress),
      history: report.history === undefined ? null : encode(report.history),
    };
    const summary = setSummary(progressSummary(report.progress), report.history);
    const { added, mark } = addEvents(report.events);
    const name = { attempt, serial: ++this.serial };
    const token = randomUUID();
    const history = texts.history === null ? null : await this.parts.save(id, 'history', name, texts.history);
    const bytes = report.checkpoint ?? undefined;
    const isDropped = report.checkpoint === null;
    const checkpoint = bytes === undefined ? null : await this.parts.save(id, 'checkpoint', name, bytes);
    const $set = checkSize({
      progress: await pack(texts.progress),
      token,
      ...(history === null ? {} : { history }),
      ...(checkpoint === null && !isDropped ? {} : { checkpoint, alone: false }),
    });
    const done = await this.update(
      { _id: id, attempt, status: 'running' },
      { $set: { ...$set, ...mark, ...summary }, ...added },
      token,
    );
    // Refused: nobody will ever refer to what was just written.
    const unused = done === null ? { history, checkpoint } : done.before;
    if (history !== null) await this.parts.remove(id, 'history', unused?.history ?? null);
    if (checkpoint !== null || (isDropped && done !== null)) {
      await this.parts.remove(id, 'checkpoint', unused?.checkpoint ?? null);
    }
    return done !== null;
  }

  async finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null> {
    const { status, completedAt } = finish;
    const endingText = encode(finish.ending);
    const historyText = finish.history === undefined ? null : encode(finish.history);
    const trace = finish.monitoring?.slice() ?? null;
    const lesson = finish.lesson === undefined ? null : encode(finish.lesson);
    const ended = countedEnding(finish.ending);
    const kept = finish.extendable?.checkpoint.slice() ?? null;
    const until = finish.extendable?.until;
    const summary = setSummary(endedSummary(finish.ending), finish.history);
    const { added, mark } = addEvents(finish.events);
    const name = { attempt, serial: ++this.serial };
    const token = randomUUID();
    const from: RunStatus[] = status === 'failed' ? ['pending', 'running'] : ['running'];
    const guard = { _id: id, attempt, status: { $in: from } };
    const projection = { accountId: 1, createdAt: 1, counted: 1 } as const;
    const found = await this.db.read(() => this.runs.findOne(guard, { projection }));
    if (found === null) return null;
    const { accountId, createdAt, counted } = found;
    if (lesson !== null) await this.learning.learn(id, accountId, lesson);
    const history = historyText === null ? null : await this.parts.save(id, 'history', name, historyText);
    const checkpoint = kept === null ? null : await this.parts.save(id, 'checkpoint', name, kept);
    const monitoring = trace === null ? null : await this.parts.save(id, 'monitoring', name, trace);
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
      ...(monitoring === null ? {} : { monitoring }),
    });
    const done = await this.hours.counting(accountId, [createdAt], () =>
      this.update(guard, { $set: { ...$set, ...mark, ...summary }, $unset: { leaseUntil: 1 }, ...added }, token),
    );
    if (done === null) {
      await this.parts.remove(id, 'history', history);
      await this.parts.remove(id, 'checkpoint', checkpoint);
      await this.parts.remove(id, 'monitoring', monitoring);
      return null;
    }
    if (history !== null) await this.parts.remove(id, 'history', done.before?.history ?? null);
    await this.parts.remove(id, 'checkpoint', done.before?.checkpoint ?? null);
    if (monitoring !== null) await this.parts.remove(id, 'monitoring', done.before?.monitoring);
    return this.recordOf(done.after);
  }

  async abandonRun(id: string, { ending, completedAt, events }: RunAbandonment): Promise<boolean> {
    const packed = await pack(encode(ending));
    const ended = countedEnding(ending);
    const summary = setSummary(endedSummary(ending), undefined);
    const { added, mark } = addEvents(events);
    const token = randomUUID();
    const unfinished: RunStatus[] = ['pending', 'running'];
    const guard = { _id: id, status: { $in: unfinished } };
    const projection = { accountId: 1, createdAt: 1, counted: 1 } as const;
    const found = await this.db.read(() => this.runs.findOne(guard, { projection }));
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
    const done = await this.hours.counting(accountId, [createdAt], () =>
      this.update(
        guard,
        { $set: { ...$set, ...mark, ...summary }, $inc: { attempt: 1 }, $unset: { leaseUntil: 1 }, ...added },
        token,
      ),
    );
    await this.parts.remove(id, 'checkpoint', done?.before?.checkpoint ?? null);
    return done !== null;
  }

  /**
   * A guarded update. Null: the guard did not hold. `before` is null where the answer was lost and the update was found
   * in the document.
   */
  private async update(
    filter: Filter<RunDocument> & { _id: string },
    update: UpdateFilter<RunDocument> & { $set: Partial<RunDocument> },
    token: string,
  ): Promise<Updated | null> {
    const options = { returnDocument: 'before', projection: { source: 0, events: 0 } } as const;
    return this.db.decide<Updated | null>(
      async () => {
        const before = await this.runs.findOneAndUpdate(filter, update, options);
        return before === null ? null : { before, after: { ...before, ...update.$set } };
      },
      async () => {
        const after = await this.written(filter._id, token);
        return after === undefined ? undefined : { before: null, after };
      },
    );
  }

  async runSource(accountId: string, id: string): Promise<RunSource | null> {
    const found = await this.db.read(() => this.runs.findOne({ _id: id, accountId }, { projection: { source: 1 } }));
    if (found === null) return null;
    return this.db.records.later(id, async () => objectOf(await unpack<RunSource>(found.source)));
  }

  async runCheckpoint(id: string): Promise<Uint8Array | null> {
    const filter: Filter<RunDocument> = { _id: id, status: { $in: ['pending', 'running'] } };
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const found = await this.db.read(() =>
        this.runs.findOne<Pick<RunDocument, 'checkpoint'>>(filter, { projection: { checkpoint: 1 } }),
      );
      if (found === null || found.checkpoint === null) return null;
      // Missing: a later one has taken its place meanwhile.
      const bytes = await this.parts.load(id, 'checkpoint', found.checkpoint);
      if (bytes !== undefined) return bytes;
    }
    throw new Error(`the checkpoint of run ${id} lacks a part`);
  }

  async runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null> {
    const filter: Filter<RunDocument> = { _id: id, accountId, status: { $in: ['completed', 'failed'] } };
    const projection = { source: 1, history: 1, checkpoint: 1, checkpointUntil: 1 } as const;
    const found = await this.db.read(() =>
      this.runs.findOne<Pick<RunDocument, keyof typeof projection>>(filter, { projection }),
    );
    if (found === null) return null;
    // Of a run that has ended nothing is superseded; its checkpoint may just have been removed.
    const load = async (kind: PartKind, stored: Growing | null): Promise<Uint8Array | null> =>
      stored === null ? null : ((await this.parts.load(id, kind, stored)) ?? null);
    const points = await load('history', found.history);
    const checkpoint = await load('checkpoint', (found.checkpointUntil ?? 0) > now ? found.checkpoint : null);
    return this.db.records.later(id, async () => {
      const history = points === null ? [] : decodeObject<HistoryPoint[]>(textIn(points));
      return { source: objectOf(await unpack<RunSource>(found.source)), checkpoint, history };
    });
  }

  async requestCancel(accountId: string, id: string): Promise<RunRecord | null> {
    return this.change({ _id: id, accountId, status: { $in: ['pending', 'running'] } }, { cancelRequested: true });
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null> {
    const text = encode(metadata);
    const given = structuredClone(metadata);
    const { added, mark } = addEvents(event === undefined ? [] : [event]);
    // It never changes.
    const found = await this.db.read(() => this.runs.findOne({ _id: id, accountId }, { projection: { request: 1 } }));
    if (found === null) return null;
    const request = await this.db.records.later(id, async () => objectOf(await unpack<RunRequest>(found.request)));
    const words = { 'summary.words': searchText(id, request, given) };
    return this.change({ _id: id, accountId }, checkSize({ metadata: await pack(text), ...words, ...mark }), added);
  }

  private async change(
    filter: Filter<RunDocument>,
    $set: MatchKeysAndValues<RunDocument>,
    added: AddedEvents['added'] = {},
  ): Promise<RunRecord | null> {
    const options = { returnDocument: 'after', projection: RECORD } as const;
    const found = await this.db.repeatable(() => this.runs.findOneAndUpdate(filter, { $set, ...added }, options));
    return found === null ? null : this.recordOf(found);
  }

  async runEvents(
    accountId: string,
    id: string,
    after: number,
    limit: number,
  ): Promise<readonly (RunEvent | null)[] | null> {
    const [found] = await this.db.read(() =>
      this.runs
        .aggregate<{ events: RunEvent[] }>([
          { $match: { _id: id, accountId } },
          { $project: { events: { $slice: [{ $ifNull: ['$events', []] }, after, limit] } } },
        ])
        .toArray(),
    );
    return found === undefined ? null : this.db.records.each(found.events, () => `${id} events`, eventOf);
  }

  async saveMonitoring(id: string, attempt: number, trace: Uint8Array): Promise<boolean> {
    const bytes = trace.slice();
    const name = { attempt, serial: ++this.serial };
    const monitoring = await this.parts.save(id, 'monitoring', name, bytes);
    const filter = { _id: id, attempt, status: 'running' } as const;
    // Without a token, which is for what decides about the run: this may come between.
    const before = await this.db.repeatable(() =>
      this.runs.findOneAndUpdate(filter, { $set: checkSize({ monitoring }) }, { projection: { monitoring: 1 } }),
    );
    const unused = before === null ? monitoring : before.monitoring;
    // An update that happened twice has found its own.
    const isOwn = before !== null && unused !== undefined && 'serial' in unused && unused.serial === name.serial;
    if (!isOwn) await this.parts.remove(id, 'monitoring', unused);
    return before !== null;
  }

  runMonitoring(accountId: string, id: string): Promise<MonitoringTrace | null> {
    return this.grown(accountId, id, 'monitoring', EMPTY_TRACE, decodeTrace);
  }

  runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    return this.grown<readonly HistoryPoint[]>(accountId, id, 'history', [], (bytes) => decodeObject(textIn(bytes)));
  }

  /** Null: no such run. */
  private async grown<T extends object>(
    accountId: string,
    id: string,
    kind: 'history' | 'monitoring',
    nothing: T,
    read: (bytes: Uint8Array) => T,
  ): Promise<T | null> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const found = await this.db.read(() =>
        this.runs.findOne<Pick<RunDocument, typeof kind>>({ _id: id, accountId }, { projection: { [kind]: 1 } }),
      );
      if (found === null) return null;
      const stored = found[kind] ?? null;
      if (stored === null) return nothing;
      const value = await this.db.records.later(id, async () => {
        const bytes = await this.parts.load(id, kind, stored);
        return bytes === undefined ? undefined : read(bytes);
      });
      if (value !== undefined) return value;
    }
    throw new Error(`the ${kind} of run ${id} lacks a part`);
  }

  async removeExpired(now: number): Promise<void> {
    const expired: Filter<RunDocument> = { checkpointUntil: { $lte: now } };
    for (;;) {
      const projection = { checkpoint: 1 } as const;
      const found = await this.db.read(() => this.runs.find(expired, { projection, limit: DROPPED_AT_ONCE }).toArray());
      if (found.length === 0) return;
      const these = { _id: { $in: found.map(({ _id }) => _id) } };
      const dropped = { $set: { checkpoint: null }, $unset: { checkpointUntil: 1 } } as const;
      await this.db.repeatable(() => this.runs.updateMany(these, dropped));
      for (const { _id, checkpoint } of found) await this.parts.remove(_id, 'checkpoint', checkpoint);
    }
  }

  /** Ends leases that last longer than until `latest`. Returns how many. */
  async bringBackLeases(latest: number): Promise<number> {
    const over = { $set: { leaseUntil: 0 } };
    const answer = await this.db.repeatable(() =>
      this.runs.updateMany({ leaseUntil: { $gt: Math.max(0, latest) } }, over),
    );
    return answer.modifiedCount;
  }
}

const claimable = ({ _id, accountId, owner, losses }: ClaimableDocument): ClaimableRun => ({
  id: _id,
  accountId,
  losses,
  isLost: owner !== null,
});

const textIn = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const startTexts = ({ checkpoint, history }: RunStart): { checkpoint: Uint8Array; history: string } => ({
  checkpoint: checkpoint.slice(),
  history: encode(history),
});
