/**
 * Minimizes a smooth function in a box by limited-memory BFGS with projection: coordinates at a bound that the gradient
 * pushes outwards are held, the two-loop recursion works on the others, and steps are cut off at the bounds. Meant for
 * tens of variables and tens of iterations, as the likelihood and the acquisition function need.
 * Source: Nocedal and Wright, Numerical Optimization, 2nd ed., algorithms 7.4 and 7.5.
 */
import { dot } from '../../linalg/dot.js';

/** Returns the value at `x` and writes the gradient; anything not finite counts as worse than everything. */
export type Differentiable = (x: Float64Array, gradient: Float64Array) => number;

interface LbfgsOptions {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly iterations: number;
  /** Longest first step in any coordinate: nothing is known of the curvature yet. */
  readonly firstStep: number;
  /** Ends when an iteration gains less. */
  readonly tolerance: number;
}

const PAIRS = 6;
const ARMIJO = 1e-4;
const MAX_SHORTENINGS = 8;

/** Moves `x` to the best point found and returns its value. */
export function minimize(f: Differentiable, x: Float64Array, options: LbfgsOptions): number {
  const { lower, upper } = options;
  const n = x.length;
  let g = new Float64Array(n);
  let value = f(x, g);
  if (!Number.isFinite(value)) return value;
  const steps: Float64Array[] = [];
  const changes: Float64Array[] = [];
  const d = new Float64Array(n);
  for (let iteration = 0; iteration < options.iterations; iteration++) {
    const isHeld = (i: number): boolean => (x[i] <= lower[i] && g[i] > 0) || (x[i] >= upper[i] && g[i] < 0);
    for (let i = 0; i < n; i++) d[i] = isHeld(i) ? 0 : -g[i];
    twoLoops(d, steps, changes);
    let slope = 0;
    for (let i = 0; i < n; i++) {
      if (isHeld(i)) d[i] = 0;
      slope += d[i] * g[i];
    }
    if (!(slope < 0)) {
      if (steps.length === 0) break;
      steps.length = changes.length = 0;
      continue;
    }
    let t = 1;
    if (steps.length === 0) {
      let longest = 0;
      for (let i = 0; i < n; i++) longest = Math.max(longest, Math.abs(d[i]));
      t = Math.min(1, options.firstStep / longest);
    }
    const next = new Float64Array(n);
    const nextG = new Float64Array(n);
    let nextValue = NaN;
    let isLower = false;
    for (let k = 0; k <= MAX_SHORTENINGS && !isLower; k++) {
      let predicted = 0;
      for (let i = 0; i < n; i++) {
        next[i] = Math.min(upper[i], Math.max(lower[i], x[i] + t * d[i]));
        predicted += g[i] * (next[i] - x[i]);
      }
      nextValue = f(next, nextG);
      isLower = Number.isFinite(nextValue) && nextValue <= value + ARMIJO * predicted && nextValue < value;
      t *= 0.3;
    }
    if (!isLower) {
      if (steps.length === 0) break;
      steps.length = changes.length = 0;
      continue;
    }
    const step = next.map((v, i) => v - x[i]);
    const change = nextG.map((v, i) => v - g[i]);
    const along = dot(step, change);
    if (along > 1e-10 * dot(change, change)) {
      steps.push(step);
      changes.push(change);
      if (steps.length > PAIRS) {
        steps.shift();
        changes.shift();
      }
    }
    const gain = value - nextValue;
    x.set(next);
    g = nextG;
    value = nextValue;
    if (gain < options.tolerance) break;
  }
  return value;
}

/** d := H d with the inverse Hessian H that the pairs stand for. */
function twoLoops(d: Float64Array, steps: readonly Float64Array[], changes: readonly Float64Array[]): void {
  const m = steps.length;
  if (m === 0) return;
  const a = new Float64Array(m);
  for (let k = m - 1; k >= 0; k--) {
    const s = steps[k];
    const y = changes[k];
    a[k] = dot(s, d) / dot(s, y);
    for (let i = 0; i < d.length; i++) d[i] -= a[k] * y[i];
  }
  const scale = dot(steps[m - 1], changes[m - 1]) / dot(changes[m - 1], changes[m - 1]);
  for (let i = 0; i < d.length; i++) d[i] *= scale;
  for (let k = 0; k < m; k++) {
    const s = steps[k];
    const y = changes[k];
    const b = dot(y, d) / dot(s, y);
    for (let i = 0; i < d.length; i++) d[i] += (a[k] - b) * s[i];
  }
}
