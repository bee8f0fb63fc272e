/**
 * A limited-memory quasi-Newton search in the unit box, for dimensions whose full matrices do not fit: the last pairs
 * of steps and gradient changes stand for the Hessian. Gradients are forward differences, n evaluations each, asked at
 * once; so a search costs at least 2 n evaluations before it is better than one step downhill, and pays from about 20 n
 * on.
 *
 * Bounds: coordinates at a bound with the gradient pointing outwards are fixed, pairs are restricted to the others, and
 * what leaves the box is projected on it.
 *
 * Symbols: x [n] the current point, f its fitness, g [n] the gradient, s = change of x, y = change of g.
 * Sources: Nocedal and Wright, Numerical Optimization, 2nd ed., algorithm 7.4 (two-loop recursion), eq. 7.20 (its
 * scale), 3.5 (interpolating line search); Bertsekas, "Projected Newton methods for optimization problems with simple
 * constraints", SIAM J. Control Optim. 20, 1982 (the fixed coordinates).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { dot } from '../../linalg/dot.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../search/search.js';
import type { StrategyStop } from '../strategy.js';

const EPSILON = 2.220446049250313e-16;
const MEMORY = 12;
const MIN_DIFFERENCE = 1e-11;
const MAX_DIFFERENCE = 1e-3;
const FIRST_DIFFERENCE = 1e-7;
/** Length of the first step, when nothing is known of the curvature, along the coordinate that moves most. */
const FIRST_STEP = 0.1;
/** Largest step in a coordinate, as a share of the box. */
const MAX_STEP = 0.5;
const ARMIJO = 1e-4;
/** Gain, relative to the fitness, below which a step does not count. */
const NEGLIGIBLE_GAIN = 1e-13;
const MAX_NEGLIGIBLE = 3;
const MAX_SHORTENINGS = 25;
const MAX_LENGTHENINGS = 6;
/** Pairs with s.y below this share of |s| |y| say nothing sure of the curvature. */
const MIN_CURVATURE = 1e-10;
/** Numbers of the difference points asked at once, 8 MiB: all of them up to 1,024 dimensions. */
const MAX_NUMBERS = 2 ** 20;

interface Pair {
  readonly s: Float64Array;
  readonly y: Float64Array;
}

interface State {
  readonly x: Float64Array;
  /** NaN before x was evaluated. */
  readonly f: number;
  /** The step that led to x and the gradient before it: a pair when the gradient at x is there. */
  readonly last: { readonly s: Float64Array; readonly g: Float64Array } | null;
  /** Oldest first. */
  readonly pairs: readonly Pair[];
  readonly negligible: number;
  readonly end: StrategyStop | null;
}

export class LimitedMemoryQuasiNewton implements Search {
  private state: State;

  constructor(
    private readonly context: SearchContext,
    start: { readonly x: Float64Array; readonly fitness?: number },
    snapshot?: SearchSnapshot,
  ) {
    this.state =
      snapshot === undefined
        ? { x: start.x, f: start.fitness ?? NaN, last: null, pairs: [], negligible: 0, end: null }
        : decode(snapshot, context.n);
  }

  end(): StrategyStop | null {
    return this.state.end;
  }

  get fitness(): number {
    return this.state.f;
  }

  get point(): Float64Array {
    return this.state.x;
  }

  /** One gradient and the line search after it. */
  *step(): Step {
    let s = this.state;
    if (Number.isNaN(s.f)) s = { ...s, f: yield* evaluatePoint(s.x) };
    const g = s.f === Infinity ? null : yield* this.gradient(s);
    if (g === null) {
      this.state = { ...s, end: 'stalled' };
      return;
    }
    const pairs = learn(s, g);
    const d = direction(s.x, g, pairs);
    const slope = dot(d, g);
    const moved = slope < 0 ? yield* this.search(s, d, slope) : null;
    if (moved === null) {
      // The pairs may be what misled; without any there is nothing left to try.
      this.state = { ...s, last: null, pairs: [], end: pairs.length === 0 ? 'tolFun' : null };
      return;
    }
    const isNegligible = !(s.f - moved.f > NEGLIGIBLE_GAIN * Math.abs(s.f));
    const negligible = isNegligible ? s.negligible + 1 : 0;
    this.state = {
      x: moved.x,
      f: moved.f,
      last: { s: moved.x.map((value, i) => value - s.x[i]), g },
      pairs,
      negligible,
      end: negligible >= MAX_NEGLIGIBLE ? 'tolFun' : null,
    };
  }

  /** Null where a difference is not finite. */
  private *gradient({ x, f, pairs }: State): Generator<Points, Float64Array | null, Float64Array> {
    const { n } = this.context;
    const newest = pairs.at(-1);
    // Mean curvature along the last step: balances rounding against the curvature's part in the difference.
    const curvature = newest === undefined ? 0 : dot(newest.s, newest.y) / dot(newest.s, newest.s);
    const balanced = 2 * Math.sqrt((4 * EPSILON * Math.abs(f)) / curvature);
    const h = curvature > 0 ? Math.min(MAX_DIFFERENCE, Math.max(MIN_DIFFERENCE, balanced)) : FIRST_DIFFERENCE;
    const g = new Float64Array(n);
    const perBatch = Math.max(1, Math.min(n, Math.floor(MAX_NUMBERS / n)));
    for (let first = 0; first < n; first += perBatch) {
      const count = Math.min(perBatch, n - first);
      const points = new Float64Array(count * n);
      for (let k = 0; k < count; k++) {
        const i = first + k;
        points.set(x, k * n);
        points[k * n + i] = x[i] + h <= 1 ? x[i] + h : x[i] - h;
      }
      const values = yield { points, count, isDifference: true };
      for (let k = 0; k < count; k++) {
        const i = first + k;
        g[i] = (values[k] - f) / (points[k * n + i] - x[i]);
        if (!Number.isFinite(g[i])) return null;
      }
    }
    return g;
  }

  /** Armijo steps along the projected direction, lengthened or shortened to the minimum of a parabola. */
  private *search(
    { x, f: before }: State,
    d: Float64Array,
    slope: number,
  ): Generator<Points, { x: Float64Array; f: number } | null, Float64Array> {
    const at = (t: number): Float64Array => x.map((value, i) => Math.min(1, Math.max(0, value + t * d[i])));
    let t = 1;
    let best = at(t);
    let f = yield* evaluatePoint(best);
    for (let k = 0; !(f <= before + ARMIJO * slope * t); k++) {
      if (k === MAX_SHORTENINGS) return null;
      const curvature = 2 * (f - before - slope * t);
      const minimum = curvature > 0 && curvature < Infinity ? (-slope * t * t) / curvature : 0;
      t = Math.min(0.5 * t, Math.max(0.1 * t, minimum));
      best = at(t);
      if (best.every((value, i) => value === x[i])) return null;
      f = yield* evaluatePoint(best);
    }
    for (let k = 0; k < MAX_LENGTHENINGS; k++) {
      const curvature = 2 * (f - before - slope * t);
      const next = Math.min(4 * t, curvature > 0 ? (-slope * t * t) / curvature : 4 * t);
      // Also where huge values make it NaN.
      if (!(next >= 1.35 * t || next <= t / 1.35)) break;
      const further = at(next);
      if (further.every((value, i) => value === best[i])) break;
      const value = yield* evaluatePoint(further);
      if (!(value < f)) break;
      [t, f, best] = [next, value, further];
    }
    return { x: best, f };
  }

  snapshot(): SearchSnapshot {
    const { x, f, last, pairs, negligible, end } = this.state;
    return {
      x: encodeFloats(x),
      f: encodeFloats(Float64Array.of(f)),
      last: last === null ? null : { s: encodeFloats(last.s), g: encodeFloats(last.g) },
      pairs: pairs.map(({ s, y }) => ({ s: encodeFloats(s), y: encodeFloats(y) })),
      negligible,
      end,
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): LimitedMemoryQuasiNewton {
    return new LimitedMemoryQuasiNewton(context, { x: new Float64Array(context.n) }, snapshot);
  }
}

function decode(snapshot: SearchSnapshot, n: number): State {
  const s = snapshot as {
    x: string;
    f: string;
    last: { s: string; g: string } | null;
    pairs: { s: string; y: string }[];
    negligible: number;
    end: StrategyStop | null;
  };
  return {
    x: decodeFloats(s.x, n),
    f: decodeFloats(s.f, 1)[0],
    last: s.last === null ? null : { s: decodeFloats(s.last.s, n), g: decodeFloats(s.last.g, n) },
    pairs: s.pairs.map((pair) => ({ s: decodeFloats(pair.s, n), y: decodeFloats(pair.y, n) })),
    negligible: s.negligible,
    end: s.end,
  };
}

/** The pairs with what the last step taught. */
function learn({ last, pairs }: State, g: Float64Array): readonly Pair[] {
  if (last === null) return pairs;
  const y = g.map((value, i) => value - last.g[i]);
  const along = dot(last.s, y);
  if (!(along > MIN_CURVATURE * Math.sqrt(dot(last.s, last.s) * dot(y, y))) || along === Infinity) return pairs;
  return [...pairs.slice(-(MEMORY - 1)), { s: last.s, y }];
}

/** The quasi-Newton step over the coordinates that are free, clipped to the box; [n]. */
function direction(x: Float64Array, g: Float64Array, pairs: readonly Pair[]): Float64Array {
  const n = x.length;
  const isFree = new Uint8Array(n);
  for (let i = 0; i < n; i++) isFree[i] = (x[i] <= 0 && g[i] > 0) || (x[i] >= 1 && g[i] < 0) ? 0 : 1;
  let d = twoLoops(g, pairs, isFree);
  // What would leave at once is fixed, too.
  let isOut = false;
  for (let i = 0; i < n; i++) {
    if (isFree[i] === 1 && ((x[i] <= 0 && d[i] < 0) || (x[i] >= 1 && d[i] > 0))) {
      isFree[i] = 0;
      isOut = true;
    }
  }
  if (isOut) d = twoLoops(g, pairs, isFree);
  let longest = 0;
  for (let i = 0; i < n; i++) longest = Math.max(longest, Math.abs(d[i]));
  if (!(longest > 0 && longest < Infinity)) return new Float64Array(n);
  const hasCurvature = pairs.some((pair) => dotFree(pair.s, pair.y, isFree) > 0);
  const scale = hasCurvature ? Math.min(1, MAX_STEP / longest) : Math.min(FIRST_STEP / longest, Number.MAX_VALUE);
  return d.map((value, i) => Math.min(1 - x[i], Math.max(-x[i], scale * value)));
}

/** -H g over the free coordinates, 0 elsewhere (algorithm 7.4). */
function twoLoops(g: Float64Array, pairs: readonly Pair[], isFree: Uint8Array): Float64Array {
  const q = g.map((value, i) => (isFree[i] === 1 ? -value : 0));
  const used = pairs.flatMap((pair) => {
    const along = dotFree(pair.s, pair.y, isFree);
    return along > 0 ? [{ ...pair, along, alpha: 0 }] : [];
  });
  for (const pair of used.toReversed()) {
    pair.alpha = dotFree(pair.s, q, isFree) / pair.along;
    for (let i = 0; i < q.length; i++) if (isFree[i] === 1) q[i] -= pair.alpha * pair.y[i];
  }
  const newest = used.at(-1);
  if (newest !== undefined) {
    const scale = newest.along / dotFree(newest.y, newest.y, isFree);
    for (let i = 0; i < q.length; i++) q[i] *= scale;
  }
  for (const pair of used) {
    const beta = dotFree(pair.y, q, isFree) / pair.along;
    for (let i = 0; i < q.length; i++) if (isFree[i] === 1) q[i] += (pair.alpha - beta) * pair.s[i];
  }
  return q;
}

function dotFree(a: Float64Array, b: Float64Array, isFree: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) if (isFree[i] === 1) sum += a[i] * b[i];
  return sum;
}
