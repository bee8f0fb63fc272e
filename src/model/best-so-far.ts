/**
 * The best candidate so far of a search with one objective. Fitness is minimized, and +Infinity or NaN (a failed
 * evaluation) is never the best. Of equal candidates the first one stays. Whoever evaluates decides what -Infinity
 * means before it comes here.
 */
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import { candidateOf, type Placed } from './candidate-batch.js';

export interface Incumbent {
  readonly solution: Float64Array;
  readonly fitness: number;
}

export class BestSoFar {
  /** [n], overwritten by the next better candidate; zeros before the first. */
  readonly solution: Float64Array;
  private lowest = Infinity;

  constructor(
    private readonly n: number,
    encoded?: string,
  ) {
    this.solution = new Float64Array(n);
    if (encoded === undefined) return;
    const [fitness, ...solution] = decodeFloats(encoded, n + 1);
    this.lowest = fitness;
    this.solution.set(solution);
  }

  /** +Infinity before the first candidate. */
  get fitness(): number {
    return this.lowest;
  }

  get isKnown(): boolean {
    return this.lowest < Infinity;
  }

  /** Keeps the candidate where it is better than all before; returns whether it is. */
  offer(fitness: number, solution: ArrayLike<number>): boolean {
    if (!(fitness < this.lowest)) return false;
    this.lowest = fitness;
    for (let i = 0; i < this.n; i++) this.solution[i] = solution[i];
    return true;
  }

  /** The same of a candidate of a batch. */
  offerOf(fitness: number, batch: Placed, row: number): boolean {
    return fitness < this.lowest && this.offer(fitness, candidateOf(batch, row));
  }

  /** A copy; null before the first candidate. */
  incumbent(): Incumbent | null {
    return this.isKnown ? { solution: this.solution.slice(), fitness: this.lowest } : null;
  }

  copy(): BestSoFar {
    const copy = new BestSoFar(this.n);
    copy.lowest = this.lowest;
    copy.solution.set(this.solution);
    return copy;
  }

  /** [fitness, ...solution], as the constructor takes it. */
  encode(): string {
    return encodeFloats(Float64Array.of(this.lowest, ...this.solution));
  }
}
