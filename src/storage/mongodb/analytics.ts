/**
 * Counts of runs in MongoDB. A run's facts lie in its document, so that the update that ends a run counts
 * it, too. Sums are made of hours in which nothing changes any more, and one document for each account says which hours
 * and days are open: whoever is about to change an hour opens it before, and whoever has summed it closes it only where
 * nothing was opened since it began (`version`). So no order in which processes die or go on counts a run twice or not
 * at all (docs/adr/0028-analytics.md).
 */
import type { Document, Filter } from 'mongodb';
import { LoopTurns } from '../../common/loop-turns.js';
import type { Execution, ExecutionPlace } from '../../model/execution.js';
import {
  emptyTally,
  type RunTally,
  TALLY_FIELDS,
  TALLY_RULES,
  type TallyField,
  TallySum,
} from '../../model/run-facts.js';
import type { RunEnding } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import type { AnalyticsStore, CountedFilter, OriginalCount, TrafficReport } from '../contract/analytics.js';
import {
  type Bucket,
  coverOf,
  DAY_MS,
  dayOf,
  durationsAt,
  finestOf,
  GRACE_MS,
  HOUR_MS,
  hourOf,
  isAll,
  joined,
  longestBetween,
  mergeCounts,
  type OpenBuckets,
  questionsOf,
  type Span,
  Tallies,
} from '../rules/rollups.js';
import type { CountedDocument } from './counted.js';
import type { Database } from './database.js';
import { DERIVED } from './indexes.js';
import type { OpenDocument, OpenHours } from './open-hours.js';
import { type Packed, unpack } from './values.js';

type Unit = 'hour' | 'day';

interface RollupDocument {
  _id: string;
  accountId: string;
  unit: Unit;
  start: number;
  tally: RunTally;
}

const BY_CREATION = { createdAt: -1, _id: -1 } as const;
/** The index of lists of executions. */
const BY_ACCOUNT = { accountId: 1, ...BY_CREATION } as const;
/** That of runs that have not ended. */
const UNENDED = { leaseUntil: 1, _id: 1 } as const;
const NOT_ENDED = { evaluations: null, seconds: null, cpuMicros: null, gpuMicros: null } as const;
/** At least so many had what was compressed. */
const UNPACKED_CHARACTERS = 16_384;

function accumulator(field: TallyField): Document {
  const { op, of, status, isOriginal } = TALLY_RULES[field];
  const conditions = [
    ...(status === undefined ? [] : [{ $eq: ['$status', status] }]),
    ...(isOriginal === true ? [{ $not: ['$counted.isDerived'] }] : []),
  ];
  const value = of === undefined ? 1 : pathOf(of);
  return { [`$${op}`]: conditions.length === 0 ? value : { $cond: [{ $and: conditions }, value, 0] } };
}

function pathOf(fact: string): string {
  if (fact === 'bytesIn' || fact === 'bytesOut') return `$traffic.${fact}`;
  return fact === 'createdAt' || fact === 'completedAt' ? `$${fact}` : `$counted.${fact}`;
}

const rollupId = (accountId: string, unit: Unit, start: number): string => `${accountId}/${unit}/${start}`;

export class MongodbAnalytics implements AnalyticsStore {
  private readonly db: Database;
  private readonly hours: OpenHours;

  constructor(db: Database, hours: OpenHours) {
    this.db = db;
    this.hours = hours;
  }

  private get counted() {
    return this.db.collection<CountedDocument>('runs');
  }

  private get rollups() {
    return this.db.collection<RollupDocument>('run_rollups');
  }

  private get states() {
    return this.db.collection<OpenDocument>('open_rollups');
  }

  async addTraffic(reports: readonly TrafficReport[]): Promise<void> {
    const copies = structuredClone(reports);
    const ids = copies.map(({ runId }) => runId);
    const found = await this.db.read(() =>
      this.counted.find({ _id: { $in: ids } }, { projection: { accountId: 1, createdAt: 1 } }).toArray(),
    );
    for (const accountId of new Set(found.map((run) => run.accountId))) {
      const own = found.filter((run) => run.accountId === accountId);
      const ownIds = new Set(own.map(({ _id }) => _id));
      const updates = copies
        .filter(({ runId }) => ownIds.has(runId))
        .map(({ runId, bytesIn, bytesOut }) => ({
          updateOne: {
            filter: { _id: runId },
            update: { $inc: { 'traffic.bytesIn': bytesIn, 'traffic.bytesOut': bytesOut } },
          },
        }));
      const times = own.map(({ createdAt }) => createdAt);
      await this.hours.counting(accountId, times, () =>
        this.db.write(() => this.counted.bulkWrite(updates, { ordered: false })),
      );
    }
  }

  async rollUp(now: number, limit: number): Promise<number> {
    const [hoursBefore, daysBefore] = [now - HOUR_MS - GRACE_MS, now - DAY_MS - GRACE_MS];
    const due = { $or: [{ hours: { $lte: hoursBefore } }, { days: { $lte: daysBefore } }] };
    const accounts = await this.db.read(() => this.states.find(due, { projection: { _id: 1 } }).toArray());
    let done = 0;
    for (const { _id } of accounts) {
      if (done < limit) done += await this.rollUpHours(_id, hoursBefore, limit - done);
      if (done < limit) done += await this.rollUpDays(_id, daysBefore, limit - done);
    }
    return done;
  }

  private async rollUpHours(accountId: string, before: number, limit: number): Promise<number> {
    const state = await this.state(accountId);
    const over = (state?.hours ?? []).filter((hour) => hour <= before).sort((a, b) => a - b);
    if (over.length === 0) return 0;
    const busy = await this.busyHours(accountId, { from: over[0], to: over.at(-1)! + HOUR_MS });
    const summed = over.filter((hour) => !busy.has(hour)).slice(0, limit);
    if (summed.length === 0) return 0;
    const $or = joined(summed).map(({ from, to }) => ({ createdAt: { $gte: from, $lt: to } }));
    const rows = await this.ofRuns({ accountId, $or }, TALLY_FIELDS, HOUR_MS);
    const tallies = new Map(rows.map(({ start, tally }) => [start, tally]));
    await this.saveRollups(
      accountId,
      'hour',
      summed.map((start) => ({ start, tally: tallies.get(start) ?? emptyTally() })),
    );
    const days = [...new Set(summed.map(dayOf))];
    return (await this.close(state, { $pullAll: { hours: summed }, $addToSet: { days: { $each: days } } }))
      ? summed.length
      : 0;
  }

  /** Those with runs that have not ended. */
  private async busyHours(accountId: string, { from, to }: Span): Promise<Set<number>> {
    const unended = { accountId, createdAt: { $gte: from, $lt: to }, leaseUntil: { $gte: 0 } };
    const projection = { _id: 0, createdAt: 1 } as const;
    const found = await this.db.read(() =>
      this.counted
        .find(unended as Filter<CountedDocument>, { projection })
        .hint(UNENDED)
        .toArray(),
    );
    return new Set(found.map(({ createdAt }) => hourOf(createdAt)));
  }

  private async rollUpDays(accountId: string, before: number, limit: number): Promise<number> {
    const state = await this.state(accountId);
    const busy = new Set(state?.hours.map(dayOf));
    const over = (state?.days ?? []).filter((day) => day <= before && !busy.has(day));
    const summed = over.sort((a, b) => a - b).slice(0, limit);
    if (summed.length === 0) return 0;
    const span = { from: summed[0], to: summed.at(-1)! + DAY_MS };
    const sums = new Map(summed.map((start) => [start, new TallySum()]));
    for (const { start, tally } of await this.ofRollups(accountId, 'hour', span, TALLY_FIELDS)) {
      sums.get(dayOf(start))?.add(tally);
    }
    await this.saveRollups(
      accountId,
      'day',
      [...sums].map(([start, sum]) => ({ start, tally: sum.result() })),
    );
    return (await this.close(state, { $pullAll: { days: summed } })) ? summed.length : 0;
  }

  private async saveRollups(
    accountId: string,
    unit: Unit,
    sums: readonly { readonly start: number; readonly tally: RunTally }[],
  ): Promise<void> {
    const replacements = sums.map(({ start, tally }) => ({
      replaceOne: {
        filter: { _id: rollupId(accountId, unit, start) },
        replacement: { accountId, unit, start, tally },
        upsert: true,
      },
    }));
    await this.db.repeatable(() => this.rollups.bulkWrite(replacements, { ordered: false }));
  }

  /** False: something was opened since `state` was read; what was summed stays open. */
  private async close(state: OpenDocument | null, update: Document): Promise<boolean> {
    if (state === null) return false;
    const { _id, version } = state;
    const answer = await this.db.write(() =>
      this.states.updateOne({ _id, version }, { ...update, $inc: { version: 1 } }),
    );
    return answer.matchedCount > 0;
  }

  private state(accountId: string): Promise<OpenDocument | null> {
    return this.db.read(() => this.states.findOne({ _id: accountId }));
  }

  private async open(accountId: string): Promise<OpenBuckets> {
    const state = await this.state(accountId);
    return { hours: new Set(state?.hours), days: new Set(state?.days) };
  }

  async runsSpan(accountId: string): Promise<{ first: number; last: number } | null> {
    const at = async (order: 1 | -1): Promise<number | undefined> => {
      const options = { sort: { createdAt: order }, projection: { _id: 0, createdAt: 1 } } as const;
      return (await this.db.read(() => this.counted.findOne({ accountId }, options)))?.createdAt;
    };
    const [first, last] = await Promise.all([at(1), at(-1)]);
    return first === undefined || last === undefined ? null : { first, last };
  }

  /** By spans of this length, from the epoch on. */
  private async ofRuns(
    filter: Filter<CountedDocument>,
    fields: readonly TallyField[],
    length: number,
  ): Promise<{ start: number; tally: RunTally }[]> {
    const start = { $subtract: ['$createdAt', { $mod: ['$createdAt', length] }] };
    const sums = Object.fromEntries(fields.map((field) => [field, accumulator(field)]));
    const rows = await this.db.read(() =>
      this.counted
        .aggregate<{ _id: number } & RunTally>([{ $match: filter }, { $group: { _id: start, ...sums } }])
        .toArray(),
    );
    return rows.map(({ _id, ...tally }) => ({ start: _id, tally }));
  }

  private async ofRollups(
    accountId: string,
    unit: Unit,
    { from, to }: Span,
    fields: readonly TallyField[],
  ): Promise<{ start: number; tally: Partial<RunTally> }[]> {
    const projection = Object.fromEntries(
      ['start', ...fields.map((field) => `tally.${field}`)].map((name) => [name, 1]),
    );
    return this.db.read(() =>
      this.rollups.find({ accountId, unit, start: { $gte: from, $lt: to } }, { projection }).toArray(),
    );
  }

  async tallies<F extends TallyField>(
    accountId: string,
    boundaries: readonly number[],
    fields: readonly F[],
    optimizationId?: string,
  ): Promise<readonly Pick<RunTally, F>[]> {
    const result = new Tallies(boundaries, fields);
    const span = { from: boundaries[0] ?? 0, to: boundaries.at(-1) ?? 0 };
    const longest = longestBetween(boundaries);
    if (optimizationId !== undefined) {
      result.add(await this.ofRuns(matching(accountId, { ...span, optimizationId }), fields, longest), [span]);
      return result.all();
    }
    // Before the sums: one that is closed meanwhile is counted by its runs, and its sums are passed over.
    const cover = coverOf(span, finestOf(boundaries), await this.open(accountId));
    const ask = async (spans: readonly Span[], question: (part: Span) => Promise<readonly Bucket[]>): Promise<void> => {
      for (const rows of await Promise.all(questionsOf(spans).map(question))) result.add(rows, spans);
    };
    const ofRuns = async (part: Span): Promise<Bucket[]> => {
      // Few rows, where nothing but the part has to be told apart.
      const length = cover.runs.includes(part) ? longest : HOUR_MS;
      const rows = await this.ofRuns(matching(accountId, part), fields, length);
      return rows.map(({ start, tally }) => ({ start: Math.max(start, part.from), tally }));
    };
    await Promise.all([
      ask(cover.days, (part) => this.ofRollups(accountId, 'day', part, fields)),
      ask(cover.hours, (part) => this.ofRollups(accountId, 'hour', part, fields)),
      ask(cover.runs, ofRuns),
    ]);
    return result.all();
  }

  async durationsAt(
    accountId: string,
    count: number,
    places: readonly number[],
    optimizationId?: string,
  ): Promise<readonly number[]> {
    const filter = matching(accountId, { status: 'completed', optimizationId });
    const projection = { _id: 0, 'counted.seconds': 1 } as const;
    return durationsAt(count, places, async ({ skip, take, isFromTop }) => {
      const order = { sort: { 'counted.seconds': isFromTop ? -1 : 1 }, skip, limit: take } as const;
      const found = await this.db.read(() => this.counted.find(filter, { ...order, projection }).toArray());
      return found.map(({ counted }) => counted.seconds);
    });
  }

  async countByOriginal(
    accountId: string,
    filter: CountedFilter,
    limit: number,
  ): Promise<{ items: readonly OriginalCount[]; withoutOriginal: number }> {
    const where = matching(accountId, filter);
    const is = (status: RunStatus): Document => ({ $sum: { $cond: [{ $eq: ['$status', status] }, 1, 0] } });
    const group = { _id: '$counted.originId', count: { $sum: 1 }, completed: is('completed'), failed: is('failed') };
    const newest = { sort: { createdAt: -1 }, limit, projection: { status: 1 } } as const;
    const few = filter.optimizationId === undefined ? { hint: DERIVED } : {};
    const originals = await this.db.read(() =>
      this.counted.find({ ...where, 'counted.isDerived': false }, newest).toArray(),
    );
    // Of older ones so many are newer already.
    const oldest = originals.length < limit ? undefined : originals.at(-1)?._id;
    const since = oldest === undefined ? {} : { 'counted.originId': { $gte: oldest } };
    const ofDerived = { $match: { ...where, 'counted.isDerived': true, ...since } };
    const derived = await this.db.read(() =>
      this.counted
        .aggregate<{ _id: string; count: number; completed: number; failed: number }>(
          [ofDerived, { $group: group }, { $sort: { _id: -1 } }, { $limit: limit }],
          few,
        )
        .toArray(),
    );
    const withoutOriginal = isAll(filter, await this.runsSpan(accountId)) ? 0 : await this.lost(where, few);
    const counts = [
      ...derived.map(({ _id, ...counts }) => ({ id: _id, ...counts })),
      ...originals.map(({ _id, status }) => ({
        id: _id,
        count: 1,
        completed: Number(status === 'completed'),
        failed: Number(status === 'failed'),
      })),
    ];
    return { items: mergeCounts(counts, limit), withoutOriginal };
  }

  /** Originals that do not match the filter themselves, of runs that do. */
  private async lost(where: Filter<CountedDocument>, hint: { readonly hint?: Document }): Promise<number> {
    const group = [{ $match: { ...where, 'counted.isDerived': true } }, { $group: { _id: '$counted.originId' } }];
    const found = await this.db.read(() => this.counted.aggregate<{ _id: string }>(group, hint).toArray());
    const _id = { $in: found.map((one) => one._id) };
    const matching = { $and: [where, { _id }] } as Filter<CountedDocument>;
    return found.length - (await this.db.read(() => this.counted.countDocuments(matching, { hint: { _id: 1 } })));
  }

  async executions(
    accountId: string,
    filter: CountedFilter,
    after: ExecutionPlace | null,
    limit: number,
  ): Promise<readonly Execution[]> {
    if (limit <= 0) return [];
    const rest: Filter<CountedDocument> =
      after === null
        ? {}
        : {
            createdAt: { $lte: after.createdAt },
            $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
          };
    const where = { $and: [matching(accountId, filter), rest] } as Filter<CountedDocument>;
    const projection = {
      createdAt: 1,
      status: 1,
      completedAt: 1,
      'counted.evaluations': 1,
      'counted.seconds': 1,
      'counted.cpuMicros': 1,
      'counted.gpuMicros': 1,
      ending: 1,
    } as const;
    type Found = CountedDocument & { readonly ending: Packed | null };
    // In the order of the index: sorting what is left for each page would make many pages slow.
    const order = { sort: BY_CREATION, ...(filter.optimizationId === undefined ? { hint: BY_ACCOUNT } : {}) };
    const found = await this.db.read(() => this.counted.find<Found>(where, { projection, ...order, limit }).toArray());
    const executions: Execution[] = [];
    const turns = new LoopTurns();
    for (const { _id: id, createdAt, status, completedAt, counted, ending } of found) {
      const { evaluations, seconds, cpuMicros, gpuMicros } = counted;
      const result = ending === null ? null : await unpack<RunEnding>(ending);
      executions.push({
        id,
        createdAt,
        status,
        completedAt,
        ...(completedAt === null ? NOT_ENDED : { evaluations, seconds, cpuMicros, gpuMicros }),
        bestFitness: result?.bestFitness ?? null,
        strategy: result?.strategies.at(-1)?.name ?? null,
      });
      await turns.after(typeof ending === 'string' ? ending.length : UNPACKED_CHARACTERS);
    }
    return executions;
  }
}

function matching(accountId: string, filter: Partial<CountedFilter>): Filter<CountedDocument> {
  const { from, to, status, optimizationId } = filter;
  return {
    accountId,
    ...(from === undefined || to === undefined ? {} : { createdAt: { $gte: from, $lt: to } }),
    ...(status === undefined ? {} : { status }),
    ...(optimizationId === undefined ? {} : { $or: [{ 'counted.originId': optimizationId }, { _id: optimizationId }] }),
  };
}
