/**
 * Which sums of runs are kept, and how a period is put together from them. Runs are summed by the hour, and days by
 * their hours, of their creation. A bucket is summed once nothing in it changes any more: it has been over for
 * `GRACE_MS`, and every run in it has ended. Until then it is *open*, and its runs are counted one by one, which gives
 * the same sums: whether a bucket is open never changes an answer, only how fast it comes (docs/adr/0028-analytics.md).
 */
import { pickTally, TallySum, type RunTally, type TallyField } from '../../model/run-facts.js';
import type { CountedFilter, OriginalCount } from '../contract/analytics.js';

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
interface Cover {
  readonly days: readonly Span[];
  readonly hours: readonly Span[];
  readonly runs: readonly Span[];
}

/**
 * A day with more of them has all of its runs counted: few spans, where after an upgrade every hour with runs is open.
 */
const MOST_OPEN_HOURS = 3;

/** Appends, as one span where the two touch. */
function add(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last?.to === span.from) spans[spans.length - 1] = { from: last.from, to: span.to };
  else spans.push(span);
}

/** Growing hours as few spans. */
export function joined(hours: readonly number[]): Span[] {
  const spans: Span[] = [];
  for (const hour of hours) add(spans, { from: hour, to: hour + HOUR_MS });
  return spans;
}

export function coverOf({ from, to }: Span, finest: 'hour' | 'day', open: OpenBuckets): Cover {
  const openDays = new Set([...open.days, ...[...open.hours].map(dayOf)]);
  const openHours = new Map<number, number>();
  for (const hour of open.hours) openHours.set(dayOf(hour), (openHours.get(dayOf(hour)) ?? 0) + 1);
  const cover = { days: [] as Span[], hours: [] as Span[], runs: [] as Span[] };
  for (let day = dayOf(from); day < to; day += DAY_MS) {
    if (finest === 'day' && day >= from && day + DAY_MS <= to && !openDays.has(day)) {
      add(cover.days, { from: day, to: day + DAY_MS });
      continue;
    }
    if ((openHours.get(day) ?? 0) > MOST_OPEN_HOURS) {
      add(cover.runs, { from: Math.max(day, from), to: Math.min(day + DAY_MS, to) });
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

/**
 * Length of the spans, from the epoch on, that a sum of runs may cover and still lie between two boundaries, but for
 * the first.
 */
export const longestBetween = (boundaries: readonly number[]): number =>
  boundaries.length <= 2 ? Number.MAX_SAFE_INTEGER : finestOf(boundaries) === 'day' ? DAY_MS : HOUR_MS;

const MOST_QUESTIONS = 16;

/** The spans to ask the database for: these, or, where they are many, one that has all of them. */
export function questionsOf(spans: readonly Span[]): readonly Span[] {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined || spans.length <= MOST_QUESTIONS) return spans;
  return [{ from: first.from, to: last.to }];
}

/** The spans, cut where a boundary lies within one of them. Both grow. */
export function cutAt(spans: readonly Span[], boundaries: readonly number[]): Span[] {
  return spans.flatMap(({ from, to }) => {
    const inner = boundaries.slice(placeOf(boundaries, from), placeOf(boundaries, to) + 1);
    const edges = [from, ...inner.filter((edge) => edge > from && edge < to), to];
    return edges.slice(1).map((edge, i) => ({ from: edges[i], to: edge }));
  });
}

/** Place of the last of the growing `starts` that is not after `time`; 0 where all are. */
function placeOf(starts: readonly number[], time: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The sum of runs that were created from `start` on, within an hour or a day. */
export interface Bucket {
  readonly start: number;
  readonly tally: Partial<RunTally>;
}

/**
 * Tallies of spans that lie side by side, [boundaries[i], boundaries[i + 1]), from sums of buckets that lie in them.
 */
export class Tallies<F extends TallyField> {
  private readonly boundaries: readonly number[];
  private readonly fields: readonly F[];
  private readonly sums: readonly TallySum[];

  constructor(boundaries: readonly number[], fields: readonly F[]) {
    this.boundaries = boundaries;
    this.fields = fields;
    this.sums = boundaries.slice(1).map(() => new TallySum());
  }

  /** Those that begin within one of `spans`; the first may begin before it, as it is cut. */
  add(buckets: readonly Bucket[], spans: readonly Span[]): void {
    const starts = spans.map(({ from }) => from);
    const begin = this.boundaries[0] ?? 0;
    for (const { start, tally } of buckets) {
      const time = Math.max(start, begin);
      const span = spans[placeOf(starts, time)];
      if (span === undefined || time < span.from || time >= span.to) continue;
      this.sums[Math.min(placeOf(this.boundaries, time), this.sums.length - 1)]?.add(tally);
    }
  }

  all(): Pick<RunTally, F>[] {
    return this.sums.map((sum) => pickTally(sum.result(), this.fields));
  }
}

/** Neighbours in the order of durations. */
interface DurationsQuestion {
  /** Those before the first one, from the shortest, or (`isFromTop`) from the longest on. */
  readonly skip: number;
  readonly take: number;
  readonly isFromTop: boolean;
}

/**
 * As `AnalyticsStore.durationsAt`: places that are neighbours are asked for together, from the end that is nearer.
 * `ask` answers in the order that it is asked in; where there are fewer, 0 stands for those that are missing.
 */
export async function durationsAt(
  count: number,
  places: readonly number[],
  ask: (question: DurationsQuestion) => Promise<readonly number[]>,
): Promise<number[]> {
  const found = new Map<number, number>();
  const wanted = [...new Set(places)].sort((a, b) => a - b);
  const groups: number[][] = [];
  for (const place of wanted) {
    const last = groups.at(-1);
    if (last?.at(-1) === place - 1) last.push(place);
    else groups.push([place]);
  }
  const answer = async (group: readonly number[]): Promise<void> => {
    const [first, take] = [group[0], group.length];
    const isFromTop = first > count / 2;
    const skip = isFromTop ? Math.max(0, count - first - take) : first;
    const durations = await ask({ skip, take, isFromTop });
    group.forEach((place, i) => found.set(place, durations[isFromTop ? take - 1 - i : i] ?? 0));
  };
  await Promise.all(groups.map(answer));
  return places.map((place) => found.get(place)!);
}

/** Whether the filter lets every run of an account through; `span`: when its first and last were created. */
export const isAll = (
  { from, to, status, optimizationId }: CountedFilter,
  span: { readonly first: number; readonly last: number } | null,
): boolean =>
  status === undefined && optimizationId === undefined && (span === null || (from <= span.first && to > span.last));

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
