/**
 * Strictly convex quadratic programmes with dense curvature: the dual active-set method. It starts at the free minimum
 * and adds the limit that is broken most, until none is; each point on the way is optimal for the limits in force, so
 * the value only rises.
 * Source: Goldfarb and Idnani, Mathematical Programming 27 (1983) 1-33.
 *
 * Symbols: J = L^-T times a rotation, [n, n] row-major; R upper triangular [n, n], column k for the k-th active limit;
 * u multipliers of the active limits; d = J'n, z the step of the point, r that of the multipliers.
 */
import { choleskyFactor } from '../../../linalg/cholesky.js';

/** Minimizes 1/2 x'Qx + c'x. */
export interface DenseQuadratic {
  readonly n: number;
  /** [n, n] row-major, symmetric. */
  readonly curvature: Float64Array;
  readonly cost: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly rows: readonly { readonly normal: Float64Array; readonly lower: number; readonly upper: number }[];
}

/** `failed`: the curvature is not safely positive definite, or rounding got the better of the method. */
export type DenseSolution =
  | {
      readonly status: 'optimal';
      readonly values: Float64Array;
      /** Change of the minimum for one more unit of each row's binding limit. */
      readonly rowDuals: Float64Array;
      readonly iterations: number;
    }
  | { readonly status: 'infeasible' }
  | { readonly status: 'failed' };

/** Smaller pivots are left to others. */
const RELATIVE_PIVOT = 1e-11;
/** A limit is broken by more than this, for a normal of length 1 and values near 1. */
const BROKEN = 1e-12;
/** Shorter steps are none: the limit's normal depends on those in force. */
const DEPENDENT = 1e-11;
/** Error of the optimality conditions, of the gradient's size, beyond which the answer is not believed. */
const BELIEVED = 1e-8;
/** Violation of a row, of its terms, beyond which it is not believed either: a free minimum far away costs digits. */
const FEASIBLE = 1e-10;
/** Limits that contradict the ones in force by less, of their size, may be rounding. */
const MISSED = 1e-9;

/** lower <= x[j], or -x[j] >= -upper, or the same of a row: sign * (normal'x) >= limit. */
interface Limit {
  /** Column, or n + row. */
  readonly at: number;
  readonly sign: 1 | -1;
  readonly isEquality: boolean;
}

/** `look`: called often; it ends the work by throwing. */
export function minimizeDense(program: DenseQuadratic, look: () => void = () => undefined): DenseSolution {
  return new ActiveSet(program, look).solve();
}

class ActiveSet {
  private readonly n: number;
  private readonly scale: number;
  private readonly x: Float64Array;
  private readonly j: Float64Array;
  private readonly r: Float64Array;
  private readonly u: Float64Array;
  private readonly d: Float64Array;
  private readonly z: Float64Array;
  private readonly step: Float64Array;
  private readonly active: Limit[] = [];
  private readonly isActive: Set<number> = new Set();
  private readonly lengths: Float64Array;

  constructor(
    private readonly program: DenseQuadratic,
    private readonly look: () => void,
  ) {
    const { n, curvature, rows } = program;
    this.n = n;
    let largest = 0;
    for (let i = 0; i < n; i++) largest = Math.max(largest, curvature[i * n + i]);
    // A power of two: exact.
    this.scale = largest > 0 && Number.isFinite(largest) ? 2 ** -Math.floor(Math.log2(largest)) : 1;
    this.x = new Float64Array(n);
    this.j = new Float64Array(n * n);
    this.r = new Float64Array(n * n);
    this.u = new Float64Array(n + 1);
    this.d = new Float64Array(n);
    this.z = new Float64Array(n);
    this.step = new Float64Array(n + 1);
    this.lengths = Float64Array.from(rows, ({ normal }) => Math.sqrt(normal.reduce((sum, v) => sum + v * v, 0)));
  }

  solve(): DenseSolution {
    const { lower, upper, rows } = this.program;
    if (!this.begin()) return { status: 'failed' };
    for (let j = 0; j < this.n; j++) {
      if (lower[j] > upper[j]) return { status: 'infeasible' };
      if (lower[j] === upper[j] && !this.hold({ at: j, sign: 1, isEquality: true })) return { status: 'infeasible' };
    }
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (row.lower > row.upper) return { status: 'infeasible' };
      const isEquality = row.lower === row.upper;
      if (isEquality && !this.hold({ at: this.n + i, sign: 1, isEquality })) return { status: 'infeasible' };
    }
    const most = 100 + 20 * (2 * this.n + 2 * rows.length);
    let iterations = 0;
    for (;;) {
      const broken = this.mostBroken();
      if (broken === null) break;
      for (;;) {
        this.look();
        if (++iterations > most) return { status: 'failed' };
        const outcome = this.toward(broken);
        if (outcome === 'infeasible') return { status: 'infeasible' };
        if (outcome === 'failed') return { status: 'failed' };
        if (outcome === 'held') break;
      }
    }
    return this.answer(iterations);
  }

  private begin(): boolean {
    const n = this.n;
    const { curvature, cost } = this.program;
    const l = new Float64Array(n * n);
    const scaled = curvature.map((value) => value * this.scale);
    if (!choleskyFactor(scaled, l, n, RELATIVE_PIVOT, this.look)) return false;
    // J = L^-T: column k of L^-1 by substitution becomes row k of J.
    for (let k = 0; k < n; k++) {
      this.look();
      for (let i = k; i < n; i++) {
        let sum = i === k ? 1 : 0;
        for (let m = k; m < i; m++) sum -= l[i * n + m] * this.j[k * n + m];
        this.j[k * n + i] = sum / l[i * n + i];
      }
    }
    // x = -Q^-1 c = -J J'c
    const t = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      const price = cost[k] * this.scale;
      for (let i = 0; i < n; i++) t[i] += this.j[k * n + i] * price;
    }
    for (let k = 0; k < n; k++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += this.j[k * n + i] * t[i];
      this.x[k] = -sum;
    }
    return this.x.every(Number.isFinite);
  }

  /** Value of the limit's row or column, minus the limit, times the sign: below 0 it is broken. */
  private slack({ at, sign }: Limit): number {
    const { lower, upper, rows } = this.program;
    if (at < this.n) return sign === 1 ? this.x[at] - lower[at] : upper[at] - this.x[at];
    const row = rows[at - this.n];
    let value = 0;
    for (let j = 0; j < this.n; j++) value += row.normal[j] * this.x[j];
    return sign === 1 ? value - row.lower : row.upper - value;
  }

  /** Sum of the absolute terms of a limit's row or column. */
  private sizeAt({ at }: Limit): number {
    if (at < this.n) return Math.abs(this.x[at]);
    return this.program.rows[at - this.n].normal.reduce((sum, value, j) => sum + Math.abs(value * this.x[j]), 0);
  }

  private key = ({ at, sign }: Limit): number => 2 * at + (sign === 1 ? 0 : 1);

  private mostBroken(): Limit | null {
    const { lower, upper, rows } = this.program;
    const n = this.n;
    let worst = 0;
    let found: Limit | null = null;
    const consider = (at: number, sign: 1 | -1, slack: number, room: number): void => {
      if (!(slack < -room) || slack / room >= worst || this.isActive.has(2 * at + (sign === 1 ? 0 : 1))) return;
      worst = slack / room;
      found = { at, sign, isEquality: false };
    };
    for (let j = 0; j < n; j++) {
      const value = this.x[j];
      const room = BROKEN * (1 + Math.abs(value));
      consider(j, 1, value - lower[j], room);
      consider(j, -1, upper[j] - value, room);
    }
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (row.lower === row.upper) continue;
      let value = 0;
      let size = 0;
      for (let j = 0; j < n; j++) {
        const term = row.normal[j] * this.x[j];
        value += term;
        size += Math.abs(term);
      }
      const room = BROKEN * (this.lengths[i] + size);
      consider(n + i, 1, value - row.lower, room);
      consider(n + i, -1, row.upper - value, room);
    }
    return found;
  }

  /** d, z and r of a limit's normal. */
  private directions({ at, sign }: Limit): void {
    const n = this.n;
    const count = this.active.length;
    if (at < n) for (let i = 0; i < n; i++) this.d[i] = sign * this.j[at * n + i];
    else {
      this.d.fill(0);
      const { normal } = this.program.rows[at - n];
      for (let k = 0; k < n; k++) {
        const weight = sign * normal[k];
        if (weight === 0) continue;
        for (let i = 0; i < n; i++) this.d[i] += weight * this.j[k * n + i];
      }
    }
    for (let k = 0; k < n; k++) {
      let sum = 0;
      for (let i = count; i < n; i++) sum += this.j[k * n + i] * this.d[i];
      this.z[k] = sum;
    }
    for (let i = count - 1; i >= 0; i--) {
      let sum = this.d[i];
      for (let k = i + 1; k < count; k++) sum -= this.r[i * n + k] * this.step[k];
      this.step[i] = sum / this.r[i * n + i];
    }
  }

  /** Squared lengths of d: of its part outside the limits in force, and of the whole. */
  private lengthsOfD(): { readonly free: number; readonly whole: number } {
    let free = 0;
    let whole = 0;
    for (let i = 0; i < this.n; i++) {
      const square = this.d[i] * this.d[i];
      whole += square;
      if (i >= this.active.length) free += square;
    }
    return { free, whole };
  }

  private moveBy(t: number): void {
    for (let k = 0; k < this.n; k++) this.x[k] += t * this.z[k];
  }

  private priceBy(t: number): void {
    const count = this.active.length;
    for (let i = 0; i < count; i++) this.u[i] -= t * this.step[i];
    this.u[count] += t;
  }

  /** False where it contradicts the equalities that are held already. */
  private hold(limit: Limit): boolean {
    this.look();
    this.directions(limit);
    const { free, whole } = this.lengthsOfD();
    const slack = this.slack(limit);
    if (free <= DEPENDENT * DEPENDENT * whole || whole === 0) {
      const value = limit.at < this.n ? this.program.lower[limit.at] : this.program.rows[limit.at - this.n].lower;
      return Math.abs(slack) <= 1e-9 * (1 + Math.abs(value));
    }
    const t = -slack / free;
    this.u[this.active.length] = 0;
    this.moveBy(t);
    this.priceBy(t);
    this.add(limit);
    return true;
  }

  private toward(limit: Limit): 'held' | 'dropped' | 'infeasible' | 'failed' {
    this.directions(limit);
    const count = this.active.length;
    let t1 = Infinity;
    let blocking = -1;
    for (let k = 0; k < count; k++) {
      if (this.active[k].isEquality || !(this.step[k] > 0)) continue;
      const ratio = this.u[k] / this.step[k];
      if (ratio < t1) {
        t1 = ratio;
        blocking = k;
      }
    }
    const { free, whole } = this.lengthsOfD();
    const t2 = free > DEPENDENT * DEPENDENT * whole ? -this.slack(limit) / free : Infinity;
    const t = Math.min(t1, t2);
    // A limit that misses by rounding only proves nothing.
    if (t === Infinity) return -this.slack(limit) <= MISSED * (1 + this.sizeAt(limit)) ? 'failed' : 'infeasible';
    if (!Number.isFinite(t)) return 'failed';
    if (t2 < Infinity) this.moveBy(t);
    this.priceBy(t);
    if (t === t2) {
      this.add(limit);
      return 'held';
    }
    this.drop(blocking);
    return 'dropped';
  }

  /** Rotates J so that d has nothing beyond the new column of R. */
  private add(limit: Limit): void {
    const n = this.n;
    const count = this.active.length;
    for (let i = n - 1; i > count; i--) {
      const a = this.d[i - 1];
      const b = this.d[i];
      if (b === 0) continue;
      const h = Math.sqrt(a * a + b * b);
      const c = a / h;
      const s = b / h;
      this.d[i - 1] = h;
      this.d[i] = 0;
      for (let k = 0; k < n; k++) {
        const p = this.j[k * n + i - 1];
        const q = this.j[k * n + i];
        this.j[k * n + i - 1] = c * p + s * q;
        this.j[k * n + i] = c * q - s * p;
      }
    }
    for (let i = 0; i <= count; i++) this.r[i * n + count] = this.d[i]!;
    this.active.push(limit);
    this.isActive.add(this.key(limit));
    this.u[count + 1] = 0;
  }

  private drop(at: number): void {
    const n = this.n;
    const count = this.active.length;
    const [gone] = this.active.splice(at, 1);
    if (gone !== undefined) this.isActive.delete(this.key(gone));
    for (let k = at; k < count - 1; k++) {
      for (let i = 0; i <= k + 1; i++) this.r[i * n + k] = this.r[i * n + k + 1]!;
    }
    // The multiplier of the limit that is on its way in lies behind the others.
    for (let k = at; k < count; k++) this.u[k] = this.u[k + 1]!;
    this.u[count] = 0;
    for (let k = at; k < count - 1; k++) {
      const a = this.r[k * n + k];
      const b = this.r[(k + 1) * n + k];
      if (b === 0) continue;
      const h = Math.sqrt(a * a + b * b);
      const c = a / h;
      const s = b / h;
      for (let m = k; m < count - 1; m++) {
        const p = this.r[k * n + m];
        const q = this.r[(k + 1) * n + m];
        this.r[k * n + m] = c * p + s * q;
        this.r[(k + 1) * n + m] = c * q - s * p;
      }
      this.r[(k + 1) * n + k] = 0;
      for (let m = 0; m < n; m++) {
        const p = this.j[m * n + k];
        const q = this.j[m * n + k + 1];
        this.j[m * n + k] = c * p + s * q;
        this.j[m * n + k + 1] = c * q - s * p;
      }
    }
  }

  /** Solution with columns exactly on their limits, once the optimality conditions were seen to hold. */
  private answer(iterations: number): DenseSolution {
    const { curvature, cost, lower, upper, rows } = this.program;
    const n = this.n;
    const rowDuals = new Float64Array(rows.length);
    const prices = new Float64Array(n);
    for (const [k, { at, sign }] of this.active.entries()) {
      const price = (sign * this.u[k]) / this.scale;
      if (at < n) {
        prices[at] += price;
        this.x[at] = sign === 1 ? lower[at] : upper[at];
      } else rowDuals[at - n] += price;
    }
    for (let j = 0; j < n; j++) this.x[j] = Math.min(Math.max(this.x[j], lower[j]), upper[j]);
    for (const [i, { normal, lower: least, upper: most }] of rows.entries()) {
      let value = 0;
      let parts = 0;
      for (let j = 0; j < n; j++) {
        value += normal[j] * this.x[j];
        parts += Math.abs(normal[j] * this.x[j]);
      }
      // Where all terms are near 0, as in the trade of an asset that is not held, nothing is left but rounding.
      const room = Math.max(FEASIBLE * Math.max(parts, Math.abs(value)), BROKEN * this.lengths[i]);
      if (value < least - room || value > most + room) return { status: 'failed' };
    }
    let error = 0;
    let size = 0;
    for (let i = 0; i < n; i++) {
      let gradient = cost[i] - prices[i];
      let parts = Math.abs(cost[i]) + Math.abs(prices[i]);
      for (let j = 0; j < n; j++) {
        const term = curvature[i * n + j] * this.x[j];
        gradient += term;
        parts += Math.abs(term);
      }
      for (let m = 0; m < rows.length; m++) {
        const term = rows[m].normal[i] * rowDuals[m];
        gradient -= term;
        parts += Math.abs(term);
      }
      error = Math.max(error, Math.abs(gradient));
      size = Math.max(size, parts);
    }
    if (!(error <= BELIEVED * size)) return { status: 'failed' };
    return { status: 'optimal', values: this.x, rowDuals, iterations };
  }
}
