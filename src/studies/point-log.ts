/** The points of a study as its log has them, a page at a time: what was handed out, what was told, and of what nobody knows yet. */
import { decode } from '../common/codec.js';
import { decodeFloats } from '../common/float64-codec.js';
import { LoopTurns } from '../common/loop-turns.js';
import type { Page, PageRequest } from '../model/page.js';
import type { StudyEntry, StudyState } from '../model/study.js';
import type { StudyOperation } from './study.js';

export interface LoggedPoint {
  /** From 1, in the order in which they were handed out, or told without that. */
  readonly serial: number;
  /** False: it was told without having been asked for. */
  readonly isAsked: boolean;
  readonly solution: Float64Array;
  /** In the objectives' own directions; NaN: the evaluation failed. Null: it was not told yet. */
  readonly values: Float64Array | null;
}

/**
 * The latest first. The log is read to the entry that `state` ends with, so pages of a study that grows do not contradict themselves.
 * @param entriesAfter Some entries after that number, in their order, at least one where there is one.
 */
export async function pointsOf(
  { study, head }: StudyState,
  entriesAfter: (seq: number) => Promise<readonly StudyEntry[]>,
  { limit, offset }: PageRequest,
): Promise<Page<LoggedPoint>> {
  const total = (head.summary?.evaluations ?? 0) + (head.summary?.open ?? 0);
  const last = total - offset;
  const page = new PointPage(study.bounds.length, study.directions.length, last - limit, last);
  const turns = new LoopTurns();
  for (let seq = 0; seq < head.seq && last > 0;) {
    const entries = await entriesAfter(seq);
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

/** The points of serials above `after` up to `last`. */
class PointPage {
  private readonly points = new Map<
    number,
    { isAsked: boolean; solution: Float64Array; values: Float64Array | null }
  >();
  private count = 0;

  constructor(
    private readonly n: number,
    private readonly m: number,
    private readonly after: number,
    private readonly last: number,
  ) {}

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
    const values = decodeFloats(operation.values, serials.length * m);
    const foreign = decodeFloats(operation.solutions, serials.filter((serial) => serial === 0).length * n);
    let foreignCount = 0;
    serials.forEach((serial, k) => {
      const own = values.slice(k * m, (k + 1) * m);
      if (serial > 0) {
        const point = this.points.get(serial);
        if (point !== undefined) point.values = own;
        return;
      }
      const solution = foreign.slice(foreignCount * n, ++foreignCount * n);
      this.count++;
      if (this.isWanted(this.count)) this.points.set(this.count, { isAsked: false, solution, values: own });
    });
  }

  latestFirst(): LoggedPoint[] {
    return [...this.points].map(([serial, point]) => ({ serial, ...point })).sort((a, b) => b.serial - a.serial);
  }
}
