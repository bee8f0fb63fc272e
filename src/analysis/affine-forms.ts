/**
 * Directions in the space of candidates that values depend on: the rows of the affine forms that they are computed
 * from.
 */
import { luFactor } from '../linalg/lu.js';
import type { NodeId, Trace } from './trace.js';
import { WorkQueue } from './work-queue.js';

/** Directions closer than this, as unit vectors, are one. */
const SAME = 1e-12;
/** Largest ratio of pivots of a matrix that counts as invertible. */
const MAX_PIVOT_RATIO = 1e8;
const MAX_DIMENSION = 200;
const MAX_ROW_STEPS = 400_000;

/** Cost of comparing two directions, in units of work; mostly the first number tells them apart. */
const COMPARISON = 0.02;

/** Gave up: more directions than variables. */
export class TooManyDirections extends Error {}

export class AffineForms {
  /** By direction: a unit vector [n]. */
  readonly directions: Float64Array[] = [];
  private readonly sets: (number | undefined)[] = [];
  private steps = 0;

  constructor(private readonly trace: Trace) {}

  /** The set of directions that the nodes depend on; in `trace.sets`. @throws {TooManyDirections} */
  of(nodes: readonly NodeId[]): number {
    if (this.trace.fn.dimension > MAX_DIMENSION) throw new TooManyDirections();
    return nodes.reduce((set, node) => this.trace.sets.union(set, this.ofOne(node)), 0);
  }

  /** Whether the directions are as many as there are variables, and independent. */
  isInvertible(): boolean {
    const n = this.trace.fn.dimension;
    if (this.directions.length !== n) return false;
    const matrix = new Float64Array(n * n);
    this.directions.forEach((row, k) => matrix.set(row, k * n));
    if (!luFactor(matrix, new Int32Array(n), n)) return false;
    let smallest = Infinity;
    let largest = 0;
    for (let k = 0; k < n; k++) {
      const pivot = Math.abs(matrix[k * n + k]);
      smallest = Math.min(smallest, pivot);
      largest = Math.max(largest, pivot);
    }
    return largest <= MAX_PIVOT_RATIO * smallest;
  }

  private ofOne(node: NodeId): number {
    const { trace, sets } = this;
    const stack = [node];
    while (stack.length > 0) {
      const id = stack[stack.length - 1];
      if (sets[id] !== undefined) {
        stack.pop();
        continue;
      }
      if (trace.deps[id] === 0) sets[id] = 0;
      else if (trace.isAffine[id]) sets[id] = this.directionOf(id);
      else {
        const missing = trace.args[id].filter((arg) => sets[arg] === undefined);
        if (missing.length > 0) stack.push(...missing);
        else sets[id] = trace.args[id].reduce((set, arg) => trace.sets.union(set, sets[arg]!), 0);
      }
    }
    return sets[node]!;
  }

  /** As a set of one; 0 where everything cancels. */
  private directionOf(node: NodeId): number {
    const row = this.rowOf(node);
    this.trace.work.spend(COMPARISON * this.directions.length);
    const length = Math.sqrt(row.reduce((sum, v) => sum + v * v, 0));
    if (length === 0) return 0;
    if (!Number.isFinite(length)) throw new TooManyDirections();
    const first = row.findIndex((v) => Math.abs(v) > 1e-3 * length);
    const unit = row.map((v) => (row[first] < 0 ? -v : v) / length);
    let index = this.directions.findIndex((known) => known.every((v, i) => Math.abs(v - unit[i]) <= SAME));
    if (index < 0) {
      if (this.directions.length > this.trace.fn.dimension) throw new TooManyDirections();
      index = this.directions.push(unit) - 1;
    }
    return this.trace.sets.of([index]);
  }

  /** Coefficients [n] of an affine node. */
  private rowOf(node: NodeId): Float64Array {
    const { ops, args, imm } = this.trace;
    const row = new Float64Array(this.trace.fn.dimension);
    const queue = new WorkQueue();
    queue.add(node, 1);
    for (let next = queue.take(); next !== null; next = queue.take()) {
      if (++this.steps > MAX_ROW_STEPS) throw new TooManyDirections();
      this.trace.work.spend();
      const { node: id, weight } = next;
      const [a, b] = args[id];
      switch (ops[id]) {
        case 'const':
          break;
        case 'x':
          row[imm[id]] += weight;
          break;
        case 'add':
          queue.add(a, weight);
          queue.add(b, weight);
          break;
        case 'sub':
          queue.add(a, weight);
          queue.add(b, -weight);
          break;
        case 'neg':
          queue.add(a, -weight);
          break;
        case 'mul':
          if (this.trace.isConstant(a)) queue.add(b, weight * imm[a]);
          else queue.add(a, weight * imm[b]);
          break;
        case 'div':
          queue.add(a, weight / imm[b]);
          break;
        default:
          throw new Error(`${ops[id]} is not affine`);
      }
    }
    return row;
  }
}
