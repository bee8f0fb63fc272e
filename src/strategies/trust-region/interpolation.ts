/**
 * A quadratic through some points: of all that interpolate, the one whose second derivatives change least from the
 * quadratic before (in the Frobenius norm). Between 2 n + 1 points and (n + 1)(n + 2) / 2, which determine it.
 *
 * The system behind it is, for y_k the points (relative to the base, divided by `scale`),
 *
 *     W = | 0  P' |   P: rows (1, y_k'),  A: entries (y_j . y_k)^2 / 2,
 *         | P  A  |
 *
 * and its inverse H is kept, so that exchanging or adding a point costs O(N^2), N = n + 1 + points. Column n + 1 + t of
 * H holds the Lagrange function of point t: constant, gradient, and the multipliers of y_k y_k' that make its Hessian.
 * Rounding accumulates; `refit`, O(N^3), starts afresh, and is called by itself every N updates.
 *
 * Source: Powell, "Least Frobenius norm updating of quadratic models that satisfy interpolation conditions", Math.
 * Program. 100, 2004 (eq. 2.12 for the exchange of a point; we keep H itself instead of its factors, and refit
 * instead).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { luFactor, luSolve } from '../../linalg/lu.js';
import type { QuadraticForm } from './box-quadratic.js';

/** Largest error at the points after a refit, relative to the spread of the values. */
const MAX_ERROR = 1e-6;

/** Effect that a new point would have on the system. */
interface Weighing {
  /** H w [N]; entry n + 1 + k is the Lagrange function of point k at the new point. */
  readonly weights: Float64Array;
  /** How far w is from what the points can represent; at least 0 but for rounding. */
  readonly beta: number;
  /** `beta` without the unit of the system: a 4th power of a distance. */
  readonly novelty: number;
}

export interface InterpolationSnapshot {
  readonly size: number;
  readonly best: number;
  readonly updates: number;
  /** [scale, constant]. */
  readonly numbers: string;
  readonly base: string;
  readonly points: string;
  readonly values: string;
  readonly gradient: string;
  readonly hessian: string;
  readonly multipliers: string;
  /** Lower triangle, row by row. */
  readonly inverse: string;
}

export class Interpolation {
  readonly n: number;
  size = 0;
  /** Point with the lowest value. */
  best = 0;
  /** [n], in the unit box. */
  readonly base: Float64Array;
  /** [capacity, n] relative to the base, in the unit of the box. */
  readonly points: Float64Array;
  /** [capacity] */
  readonly values: Float64Array;
  private scale = 1;
  private updates = 0;
  /** H [stride, stride], of which [N, N] is in use. */
  private readonly inverse: Float64Array;
  private readonly stride: number;
  /** The quadratic at base + y: constant + gradient.y + y'(hessian + sum of multipliers y_k y_k')y / 2. */
  private constant = 0;
  private readonly gradient: Float64Array;
  private readonly hessian: Float64Array;
  private readonly multipliers: Float64Array;

  constructor(
    base: Float64Array,
    readonly capacity: number,
  ) {
    const n = base.length;
    this.n = n;
    this.base = base.slice();
    this.points = new Float64Array(capacity * n);
    this.values = new Float64Array(capacity);
    this.stride = n + 1 + capacity;
    this.inverse = new Float64Array(this.stride * this.stride);
    this.gradient = new Float64Array(n);
    this.hessian = new Float64Array(n * n);
    this.multipliers = new Float64Array(capacity);
  }

  /** Point `k` relative to the base: a view. */
  point(k: number): Float64Array {
    return this.points.subarray(k * this.n, (k + 1) * this.n);
  }

  /** The quadratic at base + y. */
  value(y: Float64Array): number {
    const { n, gradient, hessian, multipliers } = this;
    let sum = this.constant;
    for (let i = 0; i < n; i++) {
      let half = 0;
      for (let j = 0; j < n; j++) half += hessian[i * n + j] * y[j];
      sum += y[i] * (gradient[i] + 0.5 * half);
    }
    for (let k = 0; k < this.size; k++) {
      const along = this.along(k, y);
      sum += 0.5 * multipliers[k] * along * along;
    }
    return sum;
  }

  /** The quadratic around point `k`. */
  around(k: number): QuadraticForm {
    const { n } = this;
    const multiply = (v: Float64Array, out: Float64Array): void => this.multiply(v, out);
    const gradient = new Float64Array(n);
    multiply(this.point(k), gradient);
    for (let i = 0; i < n; i++) gradient[i] += this.gradient[i];
    return { gradient, multiply };
  }

  /** The Lagrange function of point `t` (1 there, 0 at all others) around point `k`. */
  lagrange(t: number, k: number): QuadraticForm {
    const { n, scale, stride, inverse } = this;
    const column = (n + 1 + t) * stride;
    const factor = 1 / (scale * scale * scale * scale);
    const multiply = (v: Float64Array, out: Float64Array): void => {
      out.fill(0);
      for (let j = 0; j < this.size; j++) {
        const weight = factor * inverse[column + n + 1 + j] * this.along(j, v);
        for (let i = 0; i < n; i++) out[i] += weight * this.points[j * n + i];
      }
    };
    const gradient = new Float64Array(n);
    multiply(this.point(k), gradient);
    for (let i = 0; i < n; i++) gradient[i] += inverse[column + 1 + i] / scale;
    return { gradient, multiply };
  }

  weigh(y: Float64Array): Weighing {
    const { n, size, scale, stride, inverse } = this;
    const count = n + 1 + size;
    const w = new Float64Array(count);
    const inverseSquare = 1 / (scale * scale);
    w[0] = 1;
    let square = 0;
    for (let i = 0; i < n; i++) {
      w[1 + i] = y[i] / scale;
      square += w[1 + i] * w[1 + i];
    }
    for (let k = 0; k < size; k++) {
      const along = this.along(k, y) * inverseSquare;
      w[n + 1 + k] = 0.5 * along * along;
    }
    const weights = new Float64Array(count);
    let whw = 0;
    for (let i = 0; i < count; i++) {
      let sum = 0;
      for (let j = 0; j < count; j++) sum += inverse[i * stride + j] * w[j];
      weights[i] = sum;
      whw += sum * w[i];
    }
    const beta = 0.5 * square * square - whw;
    return { weights, beta, novelty: beta * scale * scale * scale * scale };
  }

  /** By how much the determinant of the system grows when the weighed point takes the place of point `t`. */
  denominator(t: number, { weights, beta }: Weighing): number {
    const at = this.n + 1 + t;
    const tau = weights[at];
    return this.inverse[at * this.stride + at] * beta + tau * tau;
  }

  /** Exchanges point `t` for the one at base + y (eq. 2.12), without its value. */
  exchange(t: number, y: Float64Array, weighing: Weighing): void {
    const { n, stride, inverse } = this;
    const count = n + 1 + this.size;
    const at = n + 1 + t;
    const { beta } = weighing;
    const alpha = inverse[at * stride + at];
    const tau = weighing.weights[at];
    const sigma = alpha * beta + tau * tau;
    const e = weighing.weights.map((value) => -value);
    e[at] += 1;
    const column = new Float64Array(count);
    for (let i = 0; i < count; i++) column[i] = inverse[i * stride + at]!;
    for (let i = 0; i < count; i++) {
      const a = (alpha * e[i] + tau * column[i]) / sigma;
      const b = (tau * e[i] - beta * column[i]) / sigma;
      for (let j = 0; j <= i; j++) {
        const value = inverse[i * stride + j] + (a * e[j] + b * column[j]);
        inverse[i * stride + j] = value;
        inverse[j * stride + i] = value;
      }
    }
    this.absorb(t);
    this.points.set(y, t * n);
    this.updates++;
  }

  /** Adds the point at base + y, without its value. */
  append(y: Float64Array, { weights, beta }: Weighing): void {
    const { n, stride, inverse } = this;
    const count = n + 1 + this.size;
    for (let i = 0; i < count; i++) {
      const a = weights[i] / beta;
      for (let j = 0; j <= i; j++) {
        const value = inverse[i * stride + j] + a * weights[j];
        inverse[i * stride + j] = value;
        inverse[j * stride + i] = value;
      }
      inverse[i * stride + count] = inverse[count * stride + i] = -a;
    }
    inverse[count * stride + count] = 1 / beta;
    this.points.set(y, this.size * n);
    this.multipliers[this.size] = 0;
    this.size++;
    this.updates++;
  }

  /** Makes the quadratic take `value` at point `t`, which has just come in. */
  learn(t: number, value: number): void {
    const { n, scale, stride, inverse } = this;
    this.values[t] = value;
    const error = value - this.value(this.point(t));
    const column = (n + 1 + t) * stride;
    this.constant += error * inverse[column];
    for (let i = 0; i < n; i++) this.gradient[i] += (error * inverse[column + 1 + i]) / scale;
    const factor = error / (scale * scale * scale * scale);
    for (let k = 0; k < this.size; k++) this.multipliers[k] += factor * inverse[column + n + 1 + k];
    if (value < this.values[this.best]) this.best = t;
  }

  get isStale(): boolean {
    return 3 * this.updates > this.n + 1 + this.size;
  }

  /** How far the best point is from the base, in the unit of the system. */
  get drift(): number {
    const y = this.point(this.best);
    let largest = 0;
    for (let i = 0; i < this.n; i++) largest = Math.max(largest, Math.abs(y[i]));
    return largest / this.scale;
  }

  /**
   * Moves the base to the best point, computes H afresh with the unit `scale`, and makes the quadratic go through all
   * points again. The values must all be known; `refit` is the first thing after the points are there.
   *
   * @returns false where the points determine no quadratic; the interpolation is of no use after that
   */
  refit(scale: number): boolean {
    const { n, size } = this;
    this.recenter();
    if (!this.invert(scale)) return false;
    const { inverse, stride } = this;
    const errors = new Float64Array(size);
    for (let k = 0; k < size; k++) errors[k] = this.values[k] - this.value(this.point(k));
    const sums = new Float64Array(n + 1 + size);
    for (let i = 0; i < sums.length; i++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum += inverse[i * stride + n + 1 + k] * errors[k];
      sums[i] = sum;
    }
    this.constant += sums[0];
    for (let i = 0; i < n; i++) this.gradient[i] += sums[1 + i] / scale;
    const factor = 1 / (scale * scale * scale * scale);
    for (let k = 0; k < size; k++) this.multipliers[k] += factor * sums[n + 1 + k];
    return this.isSound();
  }

  /** Whether the quadratic goes through the points, up to a small part of the spread of their values. */
  private isSound(): boolean {
    let error = 0;
    let highest = -Infinity;
    for (let k = 0; k < this.size; k++) {
      error = Math.max(error, Math.abs(this.value(this.point(k)) - this.values[k]));
      highest = Math.max(highest, this.values[k]);
    }
    const spread = highest - this.values[this.best];
    return error <= MAX_ERROR * spread + 1e-14 * Math.abs(highest);
  }

  /** Computes H from the points; the quadratic is left alone. */
  invert(scale: number): boolean {
    const { n, size, stride, inverse } = this;
    const count = n + 1 + size;
    this.scale = scale;
    this.updates = 0;
    const w = new Float64Array(count * count);
    const s = this.points.map((value) => value / scale);
    for (let k = 0; k < size; k++) {
      const row = (n + 1 + k) * count;
      w[row] = w[n + 1 + k] = 1;
      for (let i = 0; i < n; i++) w[row + 1 + i] = w[(1 + i) * count + n + 1 + k] = s[k * n + i]!;
      for (let j = 0; j <= k; j++) {
        let along = 0;
        for (let i = 0; i < n; i++) along += s[k * n + i] * s[j * n + i];
        w[row + n + 1 + j] = w[(n + 1 + j) * count + n + 1 + k] = 0.5 * along * along;
      }
    }
    const order = new Int32Array(count);
    if (!luFactor(w, order, count)) return false;
    const unit = new Float64Array(count);
    for (let t = 0; t < count; t++) {
      unit.fill(0);
      unit[t] = 1;
      const column = luSolve(w, order, unit, count, t);
      for (let i = t; i < count; i++) inverse[i * stride + t] = inverse[t * stride + i] = column[i]!;
    }
    return true;
  }

  /** Moves the base to the best point; H is out of date after that. */
  private recenter(): void {
    const { n, hessian } = this;
    const shift = this.point(this.best).slice();
    this.constant = this.value(shift);
    const change = new Float64Array(n);
    this.multiply(shift, change);
    for (let i = 0; i < n; i++) {
      this.gradient[i] += change[i];
      this.base[i] += shift[i];
    }
    for (let k = 0; k < this.size; k++) this.absorb(k);
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) hessian[j * n + i] = hessian[i * n + j]!;
    for (let k = 0; k < this.size; k++) for (let i = 0; i < n; i++) this.points[k * n + i] -= shift[i];
  }

  /** Puts what point `t` adds to the Hessian into the matrix. */
  private absorb(t: number): void {
    const { n, hessian, points, multipliers } = this;
    const multiplier = multipliers[t];
    multipliers[t] = 0;
    if (multiplier === 0) return;
    for (let i = 0; i < n; i++) {
      const factor = multiplier * points[t * n + i];
      for (let j = 0; j < n; j++) hessian[i * n + j] += factor * points[t * n + j];
    }
  }

  private multiply(v: Float64Array, out: Float64Array): void {
    const { n, hessian, points, multipliers } = this;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += hessian[i * n + j] * v[j];
      out[i] = sum;
    }
    for (let k = 0; k < this.size; k++) {
      if (multipliers[k] === 0) continue;
      const weight = multipliers[k] * this.along(k, v);
      for (let i = 0; i < n; i++) out[i] += weight * points[k * n + i];
    }
  }

  /** y_k . v */
  private along(k: number, v: Float64Array): number {
    const { n, points } = this;
    let sum = 0;
    for (let i = 0; i < n; i++) sum += points[k * n + i] * v[i];
    return sum;
  }

  snapshot(): InterpolationSnapshot {
    const { n, size, stride } = this;
    const count = n + 1 + size;
    const lower = new Float64Array((count * (count + 1)) / 2);
    for (let i = 0, at = 0; i < count; i++) {
      for (let j = 0; j <= i; j++, at++) lower[at] = this.inverse[i * stride + j]!;
    }
    return {
      size,
      best: this.best,
      updates: this.updates,
      numbers: encodeFloats(Float64Array.of(this.scale, this.constant)),
      base: encodeFloats(this.base),
      points: encodeFloats(this.points.subarray(0, size * n)),
      values: encodeFloats(this.values.subarray(0, size)),
      gradient: encodeFloats(this.gradient),
      hessian: encodeFloats(this.hessian),
      multipliers: encodeFloats(this.multipliers.subarray(0, size)),
      inverse: encodeFloats(lower),
    };
  }

  static restore(n: number, capacity: number, s: InterpolationSnapshot): Interpolation {
    const restored = new Interpolation(decodeFloats(s.base, n), capacity);
    const { stride, inverse } = restored;
    const { size } = s;
    restored.size = size;
    restored.best = s.best;
    restored.updates = s.updates;
    const [scale, constant] = decodeFloats(s.numbers, 2);
    restored.scale = scale!;
    restored.constant = constant!;
    restored.points.set(decodeFloats(s.points, size * n));
    restored.values.set(decodeFloats(s.values, size));
    restored.gradient.set(decodeFloats(s.gradient, n));
    restored.hessian.set(decodeFloats(s.hessian, n * n));
    restored.multipliers.set(decodeFloats(s.multipliers, size));
    const count = n + 1 + size;
    const lower = decodeFloats(s.inverse, (count * (count + 1)) / 2);
    for (let i = 0, at = 0; i < count; i++) {
      for (let j = 0; j <= i; j++, at++) inverse[i * stride + j] = inverse[j * stride + i] = lower[at]!;
    }
    return restored;
  }
}
