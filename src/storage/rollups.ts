/**
 * Which sums of runs are kept, and how a period is put together from them. Runs are summed by the hour, and days by
 * their hours, of their creation. A bucket is summed once nothing in it changes any more: it has been over for
 * `GRACE_MS`, and every run in it has ended. Until then it is *open*, and its runs are counted one by one, which gives
 * the same sums: whether a bucket is open never changes an answer, only how fast it comes (docs/adr/0028-analytics.md).
 */
import { pickTally, TallySum, type RunTally, type TallyField } from '../model/run-facts.js';
import type { OriginalCount } from './store.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Longer than a creation takes to be stored, and than clocks of several hosts differ. */
export const GRACE_MS = 600_000;

export const hourOf = (time: number): number => Math.floor(time / HOUR_MS) * HOUR_MS;
export const dayOf = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS;

/** From `from` on, before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Starts of the buckets of an account that are not summed. Those without runs are not in it. */
export interface OpenBuckets {
  readonly hours: ReadonlySet<number>;
  /** A day with an open hour counts as open, whether it is here or not. */
  readonly days: ReadonlySet<number>;
}

/** Disjoint spans that make up a period, in their order: sums of days, sums of hours, and runs to be counted. */
export interface Cover {
  readonly days: readonly Span[];
  readonly hours: readonly Span[];
  readonly runs: readonly Span[];
}

export function coverOf({ from, to }: Span, finest: 'hour' | 'day', open: OpenBuckets): Cover {
  const openDays = new Set([...open.days, ...[...open.hours].map(dayOf)]);
  const cover = { days: [] as Span[], hours: [] as Span[], runs: [] as Span[] };
  const add = (to: Span[], span: Span): void => {
    const last = to.at(-1);
    if (last?.to === span.from) to[to.length - 1] = { from: last.from, to: span.to };
    else to.push(span);
  };
  for (let day = dayOf(from); day < to; day += DAY_MS) {
    if (finest === 'day' && day >= from && day + DAY_MS <= to && !openDays.has(day)) {
      add(cover.days, { from: day, to: day + DAY_MS });
      continue;
    }
    for (let hour = Math.max(day, hourOf(from)); hour < Math.min(day + DAY_MS, to); hour += HOUR_MS) {
      const span = { from: Math.max(hour, from), to: Math.min(hour + HOUR_MS, to) };
      const isWhole = span.to - span.from === HOUR_MS;
      add(isWhole && !open.hours.has(hour) ? cover.hours : cover.runs, span);
    }
  }
  return cover;
}

/** Whether sums of whole days fit between the boundaries; the first and the last cut as they like. */
export const finestOf = (boundaries: readonly number[]): 'hour' | 'day' =>
  boundaries.slice(1, -1).every((boundary) => boundary % DAY_MS === 0) ? 'day' : 'hour';

const MOST_QUESTIONS = 16;

/** What to ask the database for: these spans, or, where they are many, one that has all of them. */
export function questionsOf(spans: readonly Span[]): readonly Span[] {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined || spans.length <= MOST_QUESTIONS) return spans;
  return [{ from: first.from, to: last.to }];
}

/** Place of the last of the growing `starts` that is not after `time`; 0 where all are. */
function placeOf(starts: readonly number[], time: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The sum of runs that were created from `start` on, within an hour or a day. */
export interface Bucket {
  readonly start: number;
  readonly tally: Partial<RunTally>;
}

/** Tallies of spans that lie side by side, [boundaries[i], boundaries[i + 1]), from sums of buckets that lie in them. */
export class Tallies<F extends TallyField> {
  readonly #boundaries: readonly number[];
  readonly #fields: readonly F[];
  readonly #sums: readonly TallySum[];

  constructor(boundaries: readonly number[], fields: readonly F[]) {
    this.#boundaries = boundaries;
    this.#fields = fields;
    this.#sums = boundaries.slice(1).map(() => new TallySum());
  }

  /** Those that begin within one of `spans`; the first may begin before it, as it is cut. */
  add(buckets: readonly Bucket[], spans: readonly Span[]): void {
    const starts = spans.map(({ from }) => from);
    const begin = this.#boundaries[0] ?? 0;
    for (const { start, tally } of buckets) {
      const time = Math.max(start, begin);
      const span = spans[placeOf(starts, time)];
      if (span === undefined || time < span.from || time >= span.to) continue;
      this.#sums[Math.min(placeOf(this.#boundaries, time), this.#sums.length - 1)]?.add(tally);
    }
  }

  all(): Pick<RunTally, F>[] {
    return this.#sums.map((sum) => pickTally(sum.result(), this.#fields));
  }
}

/** Counts of the same original added up; the newest first. */
export function mergeCounts(counts: readonly OriginalCount[], limit: number): OriginalCount[] {
  const byId = new Map<string, OriginalCount>();
  for (const { id, count, completed, failed } of counts) {
    const known = byId.get(id) ?? { count: 0, completed: 0, failed: 0 };
    const sums = { count: known.count + count, completed: known.completed + completed, failed: known.failed + failed };
    byId.set(id, { id, ...sums });
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}
