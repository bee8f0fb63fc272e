/** The points of a study: what was handed out, which results are there, and what is known by its solution alone. */
import { createHash } from 'node:crypto';
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';

/** Handed out, not told. */
interface OpenCandidate {
  readonly solution: Float64Array;
  /** In the generation of that number; negative: in none. */
  row: number;
  readonly generation: number;
  /** Results of the study when it was handed out. */
  readonly resultsBefore: number;
  /** So many results later nobody counts on it any more. */
  readonly patience: number;
}

/** Numbers that are kept for each open point: serial, row, generation, resultsBefore, patience. */
const FACTS = 5;
const HASH_BYTES = 16;

export interface PointsSnapshot {
  readonly count: number;
  /** [count, m]; NaN: failed, or open. */
  readonly values: string;
  readonly hashes: string;
  /** [open, FACTS] */
  readonly open: string;
  readonly openCount: number;
  /** [open, n] */
  readonly solutions: string;
  readonly recent: readonly number[];
}

export class StudyPoints {
  /** Numbered from 1: in the order in which they were handed out, or told without that. Null: open. */
  private readonly valueRows: (Float64Array | null)[] = [];
  private readonly hashes: string[] = [];
  private readonly bySolution = new Map<string, number[]>();
  private readonly openPoints = new Map<number, OpenCandidate>();
  /** Serials that somebody may still be at work on; some are told already. */
  private recent: number[] = [];

  constructor(
    private readonly n: number,
    private readonly m: number,
    snapshot?: PointsSnapshot,
  ) {
    if (snapshot === undefined) return;
    const { count, openCount } = snapshot;
    const values = decodeFloats(snapshot.values, count * m);
    const hashes = Buffer.from(snapshot.hashes, 'base64').toString('latin1');
    for (let k = 0; k < count; k++) {
      this.valueRows.push(values.slice(k * m, (k + 1) * m));
      this.note(hashes.slice(k * HASH_BYTES, (k + 1) * HASH_BYTES));
    }
    const facts = decodeFloats(snapshot.open, openCount * FACTS);
    const solutions = decodeFloats(snapshot.solutions, openCount * n);
    for (let k = 0; k < openCount; k++) {
      const [serial, row, generation, resultsBefore, patience] = facts.subarray(k * FACTS, (k + 1) * FACTS);
      this.valueRows[serial - 1] = null;
      this.openPoints.set(serial, {
        solution: solutions.slice(k * n, (k + 1) * n),
        row,
        generation,
        resultsBefore,
        patience,
      });
    }
    this.recent = [...snapshot.recent];
  }

  /** How many there are: the serial of the latest. */
  get count(): number {
    return this.valueRows.length;
  }

  get openCount(): number {
    return this.openPoints.size;
  }

  /** Null: open; NaN: failed. Undefined: there is no such point. */
  values(serial: number): Float64Array | null | undefined {
    return this.valueRows[serial - 1];
  }

  open(serial: number): OpenCandidate | undefined {
    return this.openPoints.get(serial);
  }

  /** Serials, oldest first. */
  withSolution(solution: Float64Array): readonly number[] {
    return this.bySolution.get(hashOf(solution)) ?? [];
  }

  /** Open points that not too many results have overtaken: about as many as there are evaluations under way. */
  underWay(results: number): readonly number[] {
    this.recent = this.recent.filter((serial) => {
      const point = this.openPoints.get(serial);
      return point !== undefined && !isOverdue(point, results);
    });
    return this.recent;
  }

  handOut(point: OpenCandidate): number {
    this.valueRows.push(null);
    this.note(hashOf(point.solution));
    const serial = this.count;
    this.openPoints.set(serial, point);
    this.recent.push(serial);
    return serial;
  }

  /** Takes the result of an open point. */
  tell(serial: number, values: Float64Array): OpenCandidate {
    const point = this.openPoints.get(serial);
    if (point === undefined) throw new Error(`point ${serial} is not open`);
    this.openPoints.delete(serial);
    this.valueRows[serial - 1] = values;
    return point;
  }

  /** Takes a result that nobody had asked for. */
  add(solution: Float64Array, values: Float64Array): void {
    this.valueRows.push(values);
    this.note(hashOf(solution));
  }

  private note(hash: string): void {
    this.hashes.push(hash);
    const same = this.bySolution.get(hash);
    if (same === undefined) this.bySolution.set(hash, [this.hashes.length]);
    else same.push(this.hashes.length);
  }

  snapshot(): PointsSnapshot {
    const { count, m, n } = this;
    const values = new Float64Array(count * m).fill(NaN);
    this.valueRows.forEach((own, k) => own !== null && values.set(own, k * m));
    const facts = new Float64Array(this.openPoints.size * FACTS);
    const solutions = new Float64Array(this.openPoints.size * n);
    [...this.openPoints].forEach(([serial, point], k) => {
      const { solution, row, generation, resultsBefore, patience } = point;
      facts.set([serial, row, generation, resultsBefore, patience], k * FACTS);
      solutions.set(solution, k * n);
    });
    return {
      count,
      values: encodeFloats(values),
      hashes: Buffer.from(this.hashes.join(''), 'latin1').toString('base64'),
      open: encodeFloats(facts),
      openCount: this.openPoints.size,
      solutions: encodeFloats(solutions),
      recent: this.recent,
    };
  }
}

export const isOverdue = ({ resultsBefore, patience }: OpenCandidate, results: number): boolean =>
  results - resultsBefore >= patience;

/** 0 and -0 are the same place. */
function hashOf(solution: Float64Array): string {
  const bytes = solution.map((value) => value + 0);
  return createHash('sha256').update(bytes).digest().toString('latin1', 0, HASH_BYTES);
}
