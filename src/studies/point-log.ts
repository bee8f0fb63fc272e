/** The points of a study, read from its log a page at a time: each with its values, or with none yet. */
import { decode } from '../common/codec.js';
import { decodeFloats } from '../common/float64-codec.js';
import { LoopTurns } from '../common/loop-turns.js';
import type { Page, PageRequest } from '../model/page.js';
import type { StudyEntry, StudyState, StudySummary } from '../model/study.js';
import type { StudyOperation } from './study.js';

/** Entries that are read at a time. */
const PORTION = 200;

export interface LoggedPoint {
  /** From 1, in the order in which they were handed out, or told without that. */
  readonly serial: number;
  /** False: it was told without having been asked for. */
  readonly isAsked: boolean;
  readonly solution: Float64Array;
  /** In the objectives' own directions; NaN: the evaluation failed. Null: it was not told yet. */
  readonly values: Float64Array | null;
}

/** Some entries after that number, in their order: at most `limit`, at least one where there is one. */
type ReadEntries = (after: number, limit: number) => Promise<readonly StudyEntry[]>;

/**
 * The latest first. The log is read from the entry that made the page's oldest point until all of its points are told, or to
 * the entry that `state` ends with, so that pages of a study that grows do not contradict each other.
 */
export async function pointsOf(
  { study, head }: StudyState,
  entriesAfter: ReadEntries,
  { limit, offset }: PageRequest,
): Promise<Page<LoggedPoint>> {
  const total = pointsAfter(head.summary);
  const last = total - offset;
  if (last <= 0) return { items: [], total };
  const start = await startOf(last - limit, head.seq, entriesAfter);
  const page = new PointPage(study.bounds.length, study.directions.length, last - limit, last, start.points);
  const turns = new LoopTurns();
  let { seq } = start;
  while (seq < head.seq && !page.isComplete) {
    const entries = await entriesAfter(seq, PORTION);
    // The study was deleted meanwhile.
    if (entries.length === 0) break;
    for (const entry of entries) {
      if (entry.seq > head.seq) break;
      page.read(decode(new TextDecoder().decode(entry.body)));
      await turns.after(entry.body.length);
    }
    seq = entries.at(-1)!.seq;
  }
  return { items: page.latestFirst(), total };
}

/** How many points there are after an entry: each was told, or is open. */
const pointsAfter = (summary: StudySummary | null): number =>
  summary === null ? 0 : summary.evaluations + summary.open;

/** The last entry after which there are at most so many points, by bisection: their number never falls. */
async function startOf(
  points: number,
  end: number,
  entriesAfter: ReadEntries,
): Promise<{ readonly seq: number; readonly points: number }> {
  let start = { seq: 0, points: 0 };
  for (let above = end + 1; above - start.seq > 1;) {
    const seq = Math.floor((start.seq + above) / 2);
    const [entry] = await entriesAfter(seq - 1, 1);
    const found = entry === undefined ? Infinity : pointsAfter(entry.summary);
    if (found <= points) start = { seq, points: found };
    else above = seq;
  }
  return start;
}

/** The points of serials above `after` up to `last`. */
class PointPage {
  private readonly points = new Map<
    number,
    { isAsked: boolean; solution: Float64Array; values: Float64Array | null }
  >();
  private told = 0;

  /** @param count Points before the first entry that is read. */
  constructor(
    private readonly n: number,
    private readonly m: number,
    private readonly after: number,
    private readonly last: number,
    private count: number,
  ) {}

  /** Nothing that follows in the log can change it. */
  get isComplete(): boolean {
    return this.told === this.last - Math.max(0, this.after);
  }

  read(operation: StudyOperation): void {
    if (operation.kind === 'ask') this.readAsk(operation);
    else if (operation.kind === 'tell') this.readTell(operation);
  }

  private isWanted(serial: number): boolean {
    return serial > this.after && serial <= this.last;
  }

  private readAsk({ first, rows, solutions: encoded }: Extract<StudyOperation, { kind: 'ask' }>): void {
    const { n } = this;
    this.count = first + rows.length - 1;
    if (first > this.last || this.count <= this.after) return;
    const solutions = decodeFloats(encoded, rows.length * n);
    rows.forEach((_, k) => {
      if (!this.isWanted(first + k)) return;
      this.points.set(first + k, { isAsked: true, solution: solutions.slice(k * n, (k + 1) * n), values: null });
    });
  }

  private readTell(operation: Extract<StudyOperation, { kind: 'tell' }>): void {
    const { n, m } = this;
    const { serials } = operation;
    if (serials.every((serial) => serial > 0 && !this.isWanted(serial))) return;
    const values = decodeFloats(operation.values, serials.length * m);
    const foreign = decodeFloats(operation.solutions, serials.filter((serial) => serial === 0).length * n);
    let foreignCount = 0;
    serials.forEach((serial, k) => {
      const own = values.slice(k * m, (k + 1) * m);
      if (serial > 0) {
        const point = this.points.get(serial);
        if (point === undefined) return;
        point.values = own;
        this.told++;
        return;
      }
      const solution = foreign.slice(foreignCount * n, ++foreignCount * n);
      this.count++;
      if (!this.isWanted(this.count)) return;
      this.points.set(this.count, { isAsked: false, solution, values: own });
      this.told++;
    });
  }

  latestFirst(): LoggedPoint[] {
    return [...this.points].map(([serial, point]) => ({ serial, ...point })).sort((a, b) => b.serial - a.serial);
  }
}
