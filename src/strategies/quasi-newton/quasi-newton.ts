/**
 * A quasi-Newton search in the unit box, for smooth objectives without noise. Gradients are the program's where it can
 * be read, asked for at accepted points only, else finite differences.
 *
 * Unusually, several BFGS matrices that differ in the size of their start live side by side. All learn from the same
 * gradients, which cost one evaluation each or, as differences, n, and the full step of each is tried, which costs one.
 * The start matters more than anything else in the first 2 n steps: a small one suits a few stiff directions, a large
 * one many. Where a gradient is dear there are more of them, half a decade apart, of which three are tried.
 *
 * Where the sides of the box differ, nobody says whether coordinates are alike in shares of the box or in the units of
 * the request. The first step is tried both ways, and the better one says in which metric the matrices start.
 *
 * Symbols: x [n] the current point, f its fitness, g [n] the gradient, B [n, n] a model of the Hessian, d [n] a step.
 * Sources: Nocedal and Wright, Numerical Optimization, 2nd ed., 6.1 (BFGS), 18.3 (Powell's damping), 8.1 (differences).
 */
import { exp, log, power } from '../../common/float.js';
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { choleskyFactor, solveLower, solveUpper } from '../../linalg/cholesky.js';
import { dot } from '../../linalg/dot.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../search/search.js';
import { findLattice } from '../search/find-lattice.js';
import { reflect } from '../search/points.js';
import type { StrategyStop } from '../strategy.js';

const EPSILON = 2.220446049250313e-16;
const MIN_DIFFERENCE = 1e-11;
const MAX_DIFFERENCE = 1e-3;
const FIRST_DIFFERENCE = 1e-7;
/** Sizes of the first matrices relative to the curvature along the first step. */
const START_SIZES = [1, 1e-2, 1e-4];
/**
 * Sizes around and between them, where a gradient is so dear that the right one is worth finding: that of the latest
 * step and its neighbours are tried. After the first 2 n steps the three are left.
 */
const FINE_SIZES = Array.from({ length: 15 }, (_, k) => power(10, 1 - k / 2));
/** Indices of the three. */
const COARSE = [2, 6, 10];
/** Dimension from which a gradient by differences is dear. */
const DEAR_DIMENSION = 8;
/** Dimension beyond which so many matrices take too long. */
const MAX_FINE_DIMENSION = 64;
/** Widths of the box that differ by a larger factor are of different units. */
const MAX_WIDTH_RATIO = 1e6;
/** Largest step in a coordinate, as a share of the box. */
const MAX_STEP = 0.5;
const ARMIJO = 1e-4;
/** Gain, relative to the fitness, below which a step does not count. */
const NEGLIGIBLE_GAIN = 1e-13;
/** A decrease that a gradient promises, relative to the fitness, which cannot be missed for rounding. */
const CLEAR_PROMISE = 1e-8;
/**
 * Comparing a gradient with values: step, share of the slope that may differ, rounding of values, distance of a second
 * try.
 */
const VERIFIED_STEP = 1e-5;
const VERIFIED_SHARE = 0.1;
const VERIFIED_ROUNDING = 1e-14;
const NEARBY = 0.01;
/** Difference that asks again where the first one was exactly zero: too wide for rounding to hide a slope. */
const WIDE_DIFFERENCE = 1e-3;
/** Where a coordinate that still changes nothing is taken to change nothing anywhere. */
const FAR_DIFFERENCE = 0.25;
const MAX_SHORTENINGS = 25;
/** Shortenings of one step that tell of a kink ahead, where a smooth objective is met by the parabola sooner. */
const KINKED_SHORTENINGS = 2;
/** A step is long enough once the slope at its end is at most this share of the slope at its beginning. */
const WOLFE = 0.5;
/** Evaluations that look for such a step, at most. */
const MAX_CROSSINGS = 8;
/** Difference ahead that the slope is told by, as a share of the step. */
const AHEAD = 0.01;
const MAX_LENGTHENINGS = 6;
/** Factor by which a step has to become longer or shorter, and its gain larger, for one evaluation more. */
const WORTH = { ratio: 1.35, gain: 1.1 };
const WORTH_BESIDE_DIFFERENCES = { ratio: 1.1, gain: 1 };

export interface QuasiNewtonStart {
  readonly x: Float64Array;
  /** Fitness of x, where it is known. */
  readonly fitness?: number;
  /** Length of the first step, when nothing is known of the curvature; default 0.1. */
  readonly firstStep?: number;
  /** Give up when even a multiple of the predicted decrease would not reach the best of the archive, twice in a row. */
  readonly canBeAbandoned?: boolean;
  /** Compare the first gradient of the program with a difference: it cannot see what only decides between branches. */
  readonly verifies?: boolean;
  /**
   * Sizes of the first matrices relative to the curvature along the first step, where similar problems told; default 1,
   * 0.01 and 0.0001, and, where gradients are dear, those around and between them.
   */
  readonly startSizes?: readonly number[];
  /** The matrix to begin with, [n, n], in place of those that begin as these sizes say. */
  readonly matrix?: Float64Array;
  /**
   * End, as on a plateau, where the program rounds some coordinates (`search/lattice.ts`), or where for another reason
   * the value does not depend on some coordinate close to the first point.
   */
  readonly looksForSteps?: 'cells' | 'any';
}

interface State {
  x: Float64Array;
  /** NaN before x was evaluated. */
  f: number;
  g: Float64Array | null;
  /** The last step and the gradient before it: the matrices learn from them at the next gradient. */
  last: { readonly step: Float64Array; readonly gradient: Float64Array } | null;
  /** Index into `metrics`: the metric of the latest step without a matrix. */
  metric: number;
  matrices: Float64Array[];
  winner: number;
  iteration: number;
  lastWinnerChange: number;
  isCentral: boolean;
  /** The program's gradient has none here, or promised what no step kept. */
  isMisled: boolean;
  smallGains: number;
  hopeless: number;
  end: StrategyStop | null;
}

interface Move {
  readonly x: Float64Array;
  readonly f: number;
  readonly winner: number;
  readonly metric: number;
  readonly predicted: number;
}

/**
 * [n] each: which coordinates are free, and how far the others move, to a face or (0) not at all. `share`: what the
 * free ones take of the model's step.
 */
interface Held {
  readonly isFree: Uint8Array;
  readonly to: Float64Array;
  share: number;
}

/** A step along a line that ends at `t`, and one that went too far. */
interface Crossing {
  readonly at: (t: number) => Float64Array;
  /** Fitness and slope where the line begins. */
  readonly before: number;
  readonly slope: number;
  readonly t: number;
  readonly x: Float64Array;
  readonly f: number;
  readonly tooFar: number;
}

export class QuasiNewton implements Search {
  private state: State;
  private readonly firstStep: number;
  private readonly metrics: readonly Float64Array[];
  private readonly canBeAbandoned: boolean;
  private readonly verifies: boolean;
  private readonly startSizes: readonly number[] | undefined;
  private readonly looksForSteps: 'cells' | 'any' | null;
  /** Differences were exactly zero, all of them or, if it looks for steps, one: a plateau, or steps. */
  isFlat = false;

  constructor(
    private readonly context: SearchContext,
    start: QuasiNewtonStart,
    snapshot?: SearchSnapshot,
  ) {
    this.firstStep = start.firstStep ?? 0.1;
    this.metrics = metricsOf(context);
    this.canBeAbandoned = start.canBeAbandoned ?? false;
    this.verifies = start.verifies ?? false;
    this.startSizes = start.startSizes;
    this.looksForSteps = start.looksForSteps ?? null;
    this.state = {
      x: start.x,
      f: start.fitness ?? NaN,
      g: null,
      last: null,
      metric: 0,
      matrices: start.matrix === undefined ? [] : [start.matrix],
      winner: 0,
      iteration: 0,
      lastWinnerChange: 0,
      isCentral: false,
      isMisled: false,
      smallGains: 0,
      hopeless: 0,
      end: null,
    };
    if (snapshot !== undefined) this.state = decode(snapshot, context.n);
    this.isFlat = snapshot?.['isFlat'] === true;
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

  /** The one that the latest step went by; undefined before there is one. */
  get matrix(): Float64Array | undefined {
    return this.state.matrices[this.state.winner];
  }

  /** One gradient and the line search after it. */
  *step(): Step {
    const s: State = { ...this.state, matrices: this.state.matrices };
    if (Number.isNaN(s.f)) s.f = yield* evaluatePoint(s.x);
    if (s.f === Infinity) {
      this.state = { ...s, end: 'stalled' };
      return;
    }
    let g = this.isExact(s) ? yield* exactGradient(s.x) : null;
    let isMisled = false;
    if (g !== null && this.verifies && s.iteration === 0) {
      isMisled = !(yield* this.fits(s.x, g)) && !(yield* this.fitsNearby(s.x));
      if (isMisled) g = null;
    }
    if (g === null) {
      s.isMisled = true;
      g = yield* this.differences(s);
    }
    if (g === null) {
      if (isMisled) this.context.archive.isMisled = true;
      this.state = { ...s, end: 'stalled' };
      return;
    }
    if (this.looksForSteps !== null && s.iteration === 0 && !s.isCentral) {
      const lattice = yield* findLattice(this.context, s.x, s.f, g);
      if (lattice !== null) {
        this.context.archive.lattice = lattice;
        if (isMisled) this.context.archive.isMisled = true;
        this.isFlat = true;
        this.state = { ...s, end: 'tolFun' };
        return;
      }
    }
    if (g.every((value) => value === 0) && !s.isCentral) {
      this.isFlat = s.iteration === 0;
      if (isMisled) this.context.archive.isMisled = true;
      this.state = { ...s, end: 'tolFun' };
      return;
    }
    if (this.looksForSteps === 'any' && s.iteration === 0 && s.isMisled && (yield* this.comesInSteps(s.x, s.f, g))) {
      this.isFlat = true;
      this.state = { ...s, end: 'tolFun' };
      return;
    }
    const next: State = { ...s, g, matrices: this.learn(s, g), last: null, iteration: s.iteration + 1 };
    if (next.matrices.length === FINE_SIZES.length && next.iteration > 2 * this.context.n) {
      next.matrices = COARSE.map((k) => next.matrices[k]);
      next.winner = Math.max(0, Math.min(2, Math.round((next.winner - COARSE[0]) / 4)));
    }

    const moved = yield* this.move(next);
    const gain = moved === null ? 0 : s.f - moved.f;
    if (moved !== null && gain > 0) {
      const step = moved.x.map((value, i) => value - s.x[i]);
      next.last = { step, gradient: g };
      next.x = moved.x;
      next.f = moved.f;
      next.metric = moved.metric;
      if (moved.winner !== next.winner) next.lastWinnerChange = next.iteration;
      next.winner = moved.winner;
      next.hopeless = this.isHopeless(moved.f, moved.predicted) ? s.hopeless + 1 : 0;
    }
    next.smallGains = gain > NEGLIGIBLE_GAIN * Math.abs(s.f) ? 0 : s.smallGains + 1;
    if (moved === null || gain <= 0 || next.smallGains >= 3) {
      const isPromising = moved === null && this.promise(next) > CLEAR_PROMISE * Math.abs(s.f);
      if (s.isCentral || (this.isExact(s) && !isPromising)) next.end = 'tolFun';
      next.isCentral = next.isMisled = true;
      next.smallGains = 0;
    }
    if (this.canBeAbandoned && next.hopeless >= 2) next.end = 'stalled';
    if (isMisled) this.context.archive.isMisled = true;
    this.state = next;
  }

  private isHopeless(fitness: number, predicted: number): boolean {
    return fitness + 4 * predicted > this.context.archive.bestFitness;
  }

  private isExact(s: State): boolean {
    return (
      !s.isMisled && !this.context.archive.isMisled && (this.context.program?.resultLength('gradient') ?? null) !== null
    );
  }

  /** Whether values to both sides of x, along a random direction, are as far apart as the gradient says. */
  private *fits(x: Float64Array, g: Float64Array): Generator<Points, boolean, Float64Array> {
    const { n, rng } = this.context;
    const direction = x.map((value) => {
      const along = rng.normal();
      return Math.min(value, 1 - value) < Math.abs(along) * VERIFIED_STEP ? 0 : along;
    });
    const points = new Float64Array(2 * n);
    place(points, 0, x, direction, VERIFIED_STEP);
    place(points, n, x, direction, -VERIFIED_STEP);
    const [above, below] = yield { points, count: 2, isDifference: true };
    const change = above - below;
    const expected = 2 * VERIFIED_STEP * dot(g, direction);
    const rounding = VERIFIED_ROUNDING * (Math.abs(above) + Math.abs(below));
    // Also where there are no values.
    return !(Math.abs(change - expected) > VERIFIED_SHARE * (Math.abs(change) + Math.abs(expected)) + rounding);
  }

  /**
   * Whether the value stays the same, to the last bit, along a coordinate whose difference is zero, and changes far
   * away: one that changes it nowhere is only idle.
   */
  private *comesInSteps(x: Float64Array, f: number, g: Float64Array): Generator<Points, boolean, Float64Array> {
    const still = [...g.keys()].filter((i) => g[i] === 0);
    if (still.length === 0) return false;
    const near = yield this.moved(x, still, WIDE_DIFFERENCE);
    const same = still.filter((_, row) => near[row] === f);
    if (same.length === 0) return false;
    const far = yield this.moved(x, same, FAR_DIFFERENCE);
    return far.some((value) => value !== f);
  }

  /** x, moved towards the middle of the box along one of `coordinates` in each row. */
  private moved(x: Float64Array, coordinates: readonly number[], by: number): Points {
    const { n } = this.context;
    const points = new Float64Array(coordinates.length * n);
    coordinates.forEach((i, row) => {
      points.set(x, row * n);
      points[row * n + i] += x[i] > 0.5 ? -by : by;
    });
    return { points, count: coordinates.length, isDifference: true };
  }

  /** A kink at x itself is no reason to distrust. */
  private *fitsNearby(x: Float64Array): Generator<Points, boolean, Float64Array> {
    const { rng } = this.context;
    const point = x.map((value) => reflect(value + NEARBY * rng.normal()));
    const value = yield* evaluatePoint(point);
    const g = value < Infinity ? yield* exactGradient(point) : null;
    return g === null || (yield* this.fits(point, g));
  }

  /** Decrease that the gradient promises for a first step into its direction, before any curvature. */
  private promise({ g }: State): number {
    return this.firstStep * Math.sqrt(dot(g!, g!));
  }

  /** Null where a difference is not finite. */
  private *differences(s: State): Generator<Points, Float64Array | null, Float64Array> {
    const { n } = this.context;
    const { x, f, isCentral } = s;
    const matrix = s.matrices[s.winner];
    const h = new Float64Array(n);
    const count = isCentral ? 2 * n : n;
    const points = new Float64Array(count * n);
    for (let i = 0; i < n; i++) {
      const curvature = matrix === undefined ? 0 : matrix[i * n + i];
      const size =
        curvature > 0
          ? Math.min(MAX_DIFFERENCE, Math.max(MIN_DIFFERENCE, 2 * Math.sqrt((4 * EPSILON * Math.abs(f)) / curvature)))
          : FIRST_DIFFERENCE;
      const wanted = isCentral ? Math.min(MAX_DIFFERENCE, 10 * size) : size;
      if (isCentral) {
        // Both points inside.
        const room = Math.min(x[i], 1 - x[i]);
        h[i] = room >= wanted ? wanted : 0;
      }
      const sign = x[i] + wanted > 1 ? -1 : 1;
      points.set(x, i * n);
      points[i * n + i] = x[i] + (isCentral && h[i] > 0 ? wanted : sign * wanted);
      if (!isCentral) h[i] = points[i * n + i] - x[i];
      else {
        points.set(x, (n + i) * n);
        points[(n + i) * n + i] = h[i] > 0 ? x[i] - wanted : x[i] + sign * wanted * 0.5;
      }
    }
    const values = yield { points, count, isDifference: true };
    const g = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const curvature = matrix === undefined ? 0 : matrix[i * n + i];
      if (!isCentral) {
        g[i] = (values[i] - f) / h[i] - 0.5 * h[i] * curvature;
      } else if (h[i] > 0) {
        const width = points[i * n + i] - points[(n + i) * n + i];
        g[i] = (values[i] - values[n + i]) / width;
      } else {
        // At a bound: the parabola through x and two points on one side.
        const a = points[i * n + i] - x[i];
        const b = points[(n + i) * n + i] - x[i];
        const qa = (values[i] - f) / a;
        const qb = (values[n + i] - f) / b;
        g[i] = (qb * a - qa * b) / (a - b);
      }
      if (!Number.isFinite(g[i])) return null;
    }
    return g;
  }

  /** The matrices after what the last step taught. */
  private learn(s: State, g: Float64Array): Float64Array[] {
    const { n } = this.context;
    if (s.last === null) return s.matrices;
    const { step, gradient } = s.last;
    const change = g.map((value, i) => value - gradient[i]);
    const along = dot(step, change);
    const length = dot(step, step);
    if (!Number.isFinite(along) || !(length > 0)) return s.matrices;
    let matrices = s.matrices;
    if (matrices.length === 0) {
      // Curvature along the first step; where that is not convex, the size of the gradient's change has to do.
      const metric = this.metrics[s.metric];
      const squared = step.reduce((sum, value, i) => sum + value * value * metric[i], 0);
      const changed = change.reduce((sum, value, i) => sum + (value * value) / metric[i], 0);
      const curvature = along > 0 ? along / squared : Math.sqrt(changed / squared);
      if (!(curvature > 0 && curvature < Infinity)) return matrices;
      matrices = this.sizesOf(s).map((size) => {
        const b = new Float64Array(n * n);
        for (let i = 0; i < n; i++) b[i * n + i] = size * curvature * metric[i];
        return b;
      });
    }
    return matrices.map((b) => dampedUpdate(b, step, change, n));
  }

  /** Whether a gradient costs so many evaluations that a few more for a better step are worth it. */
  private isDear({ isMisled }: State): boolean {
    return isMisled && this.context.n >= DEAR_DIMENSION;
  }

  private sizesOf(s: State): readonly number[] {
    const isFine = this.isDear(s) && this.context.n <= MAX_FINE_DIMENSION;
    return this.startSizes ?? (isFine ? FINE_SIZES : START_SIZES);
  }

  /** Indices of the matrices whose steps are tried; of fine sizes the three, until one has given a step. */
  private triedOf({ matrices, winner, iteration, lastWinnerChange }: State): readonly number[] {
    const { n } = this.context;
    if (matrices.length === FINE_SIZES.length) {
      return lastWinnerChange === 0 ? COARSE : [winner - 1, winner, winner + 1].filter((k) => k in matrices);
    }
    const isOpen = iteration <= 2 * n || iteration - lastWinnerChange <= n;
    return isOpen ? [...matrices.keys()] : [Math.min(winner, matrices.length - 1)];
  }

  /** The best of the steps that are tried; null when none goes down. */
  private *move(s: State): Generator<Points, Move | null, Float64Array> {
    const { n } = this.context;
    const g = s.g!;
    const hasMatrices = s.matrices.length > 0;
    const starts = hasMatrices ? s.matrices : this.metrics;
    const tried = hasMatrices ? this.triedOf(s) : [...starts.keys()];
    const directions = tried.map((k) =>
      this.direction(s, (held) =>
        hasMatrices ? newtonStep(starts[k], g, held, n) : descent(g, starts[k], held.isFree, this.firstStep),
      ),
    );
    const usable = tried.map((_, k) => k).filter((k) => dot(directions[k], g) < 0);
    if (usable.length === 0) return null;
    const points = new Float64Array(usable.length * n);
    usable.forEach((k, row) => place(points, row * n, s.x, directions[k], 1));
    const values = yield { points, count: usable.length };
    let row = 0;
    for (let k = 1; k < usable.length; k++) if (values[k] < values[row]) row = k;
    const chosen = usable[row];
    const winner = hasMatrices ? tried[chosen] : 0;
    const metric = hasMatrices ? s.metric : tried[chosen];
    const d = directions[chosen];
    const slope = dot(d, g);
    const result = (x: Float64Array, f: number) => ({ x, f, winner, metric, predicted: slope });
    const at = (t: number): Float64Array => {
      const x = new Float64Array(n);
      place(x, 0, s.x, d, t);
      return x;
    };
    let t = 1;
    let f = values[row];
    let x: Float64Array = points.slice(row * n, (row + 1) * n);
    if (f <= s.f + ARMIJO * slope) {
      // Lengthen, or shorten, to the minimum of the parabola while that promises enough.
      const worth = this.isDear(s) ? WORTH_BESIDE_DIFFERENCES : WORTH;
      for (let k = 0; k < MAX_LENGTHENINGS; k++) {
        const curvature = 2 * (f - s.f - slope * t);
        if (!(curvature > 0) && k > 0) break;
        const minimum = curvature > 0 ? (-slope * t * t) / curvature : 4 * t;
        const next = Math.min(4 * t, minimum);
        const promised = curvature > 0 ? -(slope * next + (0.5 * curvature * next * next) / (t * t)) : -slope * next;
        const ratio = next / t;
        // Also where huge values make them NaN.
        if (!(ratio >= worth.ratio || ratio <= 1 / worth.ratio) || !(promised >= worth.gain * (s.f - f))) break;
        const further = at(next);
        if (same(further, x)) break;
        const value = yield* evaluatePoint(further);
        if (!(value < f)) break;
        [t, f, x] = [next, value, further];
      }
      return result(x, f);
    }
    for (let k = 1; k <= MAX_SHORTENINGS; k++) {
      const tooFar = t;
      const curvature = 2 * (f - s.f - slope * t);
      const minimum = curvature > 0 && curvature < Infinity ? (-slope * t * t) / curvature : 0;
      t = Math.min(0.5 * t, Math.max(0.1 * t, minimum));
      x = at(t);
      if (same(x, s.x)) return null;
      f = yield* evaluatePoint(x);
      if (!(f <= s.f + ARMIJO * slope * t)) continue;
      if (k >= KINKED_SHORTENINGS) [x, f] = yield* this.across({ at, before: s.f, slope, t, x, f, tooFar });
      return result(x, f);
    }
    return null;
  }

  /**
   * Beyond a kink that the step ends before, if there is one: the matrices learn of it only there, and without that
   * every further step is as short. A step that keeps less than half of the slope is far enough (weak conditions of
   * Wolfe). Source: Lewis and Overton, "Nonsmooth optimization via quasi-Newton methods", Math. Program. 141, 2013.
   */
  private *across(step: Crossing): Generator<Points, [Float64Array, number], Float64Array> {
    const { at, before, slope } = step;
    let { t, x, f, tooFar } = step;
    for (let k = 0; k < MAX_CROSSINGS; k++) {
      const ahead = at((1 + AHEAD) * t);
      if (same(ahead, x)) break;
      const [value] = yield { points: ahead, count: 1, isDifference: true };
      if (!(value - f < WOLFE * slope * AHEAD * t)) break;
      for (; k < MAX_CROSSINGS; k++) {
        const middle = 0.5 * (t + tooFar);
        const between = at(middle);
        const reached = yield* evaluatePoint(between);
        if (reached <= before + ARMIJO * slope * middle) {
          [t, x, f] = [middle, between, reached];
          break;
        }
        tooFar = middle;
      }
    }
    return [x, f];
  }

  /**
   * A step inside the box: [n], clipped where it leaves it. Where that leads up, coordinates that leave stop at their
   * face, and the others are solved for again; where that leads up, too, the step is cut short.
   */
  private direction(s: State, stepOver: (held: Held) => Float64Array): Float64Array {
    const { n } = this.context;
    const { x } = s;
    const g = s.g!;
    const held: Held = { isFree: new Uint8Array(n), to: new Float64Array(n), share: 1 };
    for (let i = 0; i < n; i++) held.isFree[i] = (x[i] <= 0 && g[i] > 0) || (x[i] >= 1 && g[i] < 0) ? 0 : 1;
    const leaving = (d: Float64Array, where: (i: number) => boolean): boolean => {
      let isAny = false;
      for (let i = 0; i < n; i++) {
        if (held.isFree[i] === 0 || !where(i)) continue;
        isAny = true;
        held.isFree[i] = 0;
        held.to[i] = d[i] < 0 ? -x[i] : 1 - x[i];
      }
      return isAny;
    };
    let first = stepOver(held);
    while (leaving(first, (i) => (x[i] <= 0 && first[i] < 0) || (x[i] >= 1 && first[i] > 0))) first = stepOver(held);
    const longest = largest(first);
    if (longest > MAX_STEP) held.share = MAX_STEP / longest;
    first = first.map((value) => held.share * value);
    // Where it leaves the box: along the face.
    const clipped = first.map((value, i) => Math.min(1 - x[i], Math.max(-x[i], value)));
    if (dot(clipped, g) < 0) return clipped;
    let again = first;
    while (leaving(again, (i) => x[i] + again[i] < 0 || x[i] + again[i] > 1)) again = stepOver(held);
    const reach = largest(again);
    if (reach > MAX_STEP) again = again.map((value) => (value * MAX_STEP) / reach);
    return dot(again, g) < 0 ? again : cut(first, x);
  }

  snapshot(): SearchSnapshot {
    const s = this.state;
    return {
      x: encodeFloats(s.x),
      f: encodeFloats(Float64Array.of(s.f)),
      g: s.g === null ? null : encodeFloats(s.g),
      last: s.last === null ? null : { step: encodeFloats(s.last.step), gradient: encodeFloats(s.last.gradient) },
      metric: s.metric,
      matrices: s.matrices.map(encodeFloats),
      winner: s.winner,
      iteration: s.iteration,
      lastWinnerChange: s.lastWinnerChange,
      isCentral: s.isCentral,
      isMisled: s.isMisled,
      smallGains: s.smallGains,
      hopeless: s.hopeless,
      end: s.end,
      isFlat: this.isFlat,
      firstStep: this.firstStep,
      canBeAbandoned: this.canBeAbandoned,
      verifies: this.verifies,
      startSizes: this.startSizes,
      looksForSteps: this.looksForSteps ?? undefined,
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): QuasiNewton {
    const start = snapshot as Omit<QuasiNewtonStart, 'x' | 'fitness'>;
    return new QuasiNewton(context, { ...start, x: new Float64Array(context.n) }, snapshot);
  }
}

function decode(snapshot: SearchSnapshot, n: number): State {
  const s = snapshot as unknown as Omit<State, 'x' | 'f' | 'g' | 'last' | 'matrices'> & {
    x: string;
    f: string;
    g: string | null;
    last: { step: string; gradient: string } | null;
    matrices: string[];
  };
  return {
    x: decodeFloats(s.x, n),
    f: decodeFloats(s.f, 1)[0],
    g: s.g === null ? null : decodeFloats(s.g, n),
    last: s.last === null ? null : { step: decodeFloats(s.last.step, n), gradient: decodeFloats(s.last.gradient, n) },
    metric: s.metric,
    matrices: s.matrices.map((text) => decodeFloats(text, n * n)),
    winner: s.winner,
    iteration: s.iteration,
    lastWinnerChange: s.lastWinnerChange,
    isCentral: s.isCentral,
    isMisled: s.isMisled,
    smallGains: s.smallGains,
    hopeless: s.hopeless,
    end: s.end,
  };
}

/**
 * Diagonals of the metrics in which coordinates may be alike: shares of the box; where its sides differ, also the units
 * of the request, scaled to a geometric mean of 1.
 */
function metricsOf({ n, widths }: SearchContext): Float64Array[] {
  const shares = new Float64Array(n).fill(1);
  if (widths === undefined) return [shares];
  const narrowest = Math.min(...widths);
  const ratio = Math.max(...widths) / narrowest;
  if (!(ratio > 1 && ratio <= MAX_WIDTH_RATIO)) return [shares];
  const relative = widths.map((width) => width / narrowest);
  const mean = exp(relative.reduce((sum, value) => sum + log(value), 0) / n);
  return [shares, relative.map((value) => (value / mean) * (value / mean))];
}

/** Steepest descent in a metric, of the given length, over the free coordinates. */
function descent(g: Float64Array, metric: Float64Array, isFree: Uint8Array, length: number): Float64Array {
  const d = g.map((value, i) => (isFree[i] === 1 ? -value / metric[i] : 0));
  const full = Math.sqrt(dot(d, d));
  return full > 0 ? d.map((value) => (length * value) / full) : d;
}

const largest = (d: Float64Array): number => d.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** The part of a step that lies in the box. */
function cut(d: Float64Array, x: Float64Array): Float64Array {
  const inside = d.reduce((least, value, i) => {
    const room = value < 0 ? x[i] : 1 - x[i];
    return Math.abs(value) > room ? Math.min(least, room / Math.abs(value)) : least;
  }, 1);
  return d.map((value) => inside * value);
}

/** The program's own; null where it has none. */
function* exactGradient(x: Float64Array): Generator<Points, Float64Array | null, Float64Array> {
  const results = yield { points: x, count: 1, reading: 'gradient' };
  return results.every(Number.isFinite) ? results.slice(1) : null;
}

function place(out: Float64Array, start: number, x: Float64Array, d: Float64Array, t: number): void {
  for (let i = 0; i < x.length; i++) out[start + i] = Math.min(1, Math.max(0, x[i] + t * d[i]));
}

function same(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Powell's damped BFGS; the matrix itself where the update is not finite. */
function dampedUpdate(b: Float64Array, step: Float64Array, change: Float64Array, n: number): Float64Array {
  const bs = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += b[i * n + j] * step[j];
    bs[i] = sum;
  }
  const sbs = dot(step, bs);
  const sy = dot(step, change);
  if (!(sbs > 0)) return b;
  const theta = sy >= 0.2 * sbs ? 1 : (0.8 * sbs) / (sbs - sy);
  const y = change.map((value, i) => theta * value + (1 - theta) * bs[i]);
  const sy2 = dot(step, y);
  if (!(sy2 > 0)) return b;
  const updated = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const value = b[i * n + j] - (bs[i] * bs[j]) / sbs + (y[i] * y[j]) / sy2;
      if (!Number.isFinite(value)) return b;
      updated[i * n + j] = value;
    }
  }
  return updated;
}

/**
 * The step to the least of the model over the free coordinates, its slope times `share`, the others moved as `to` says;
 * steepest descent where B is not positive definite.
 */
function newtonStep(b: Float64Array, g: Float64Array, { isFree, to, share }: Held, n: number): Float64Array {
  const free: number[] = [];
  const d = to.slice();
  for (let i = 0; i < n; i++) if (isFree[i] === 1) free.push(i);
  const m = free.length;
  const sub = new Float64Array(m * m);
  const right = new Float64Array(m);
  free.forEach((i, r) => {
    let sum = share * g[i];
    for (let j = 0; j < n; j++) if (to[j] !== 0) sum += b[i * n + j] * to[j];
    right[r] = -sum;
    free.forEach((j, c) => (sub[r * m + c] = b[i * n + j]!));
  });
  if (choleskyFactor(sub, sub, m)) {
    solveLower(sub, right, right, m);
    solveUpper(sub, right, right, m);
    free.forEach((i, r) => (d[i] = right[r]!));
    return d;
  }
  free.forEach((i) => (d[i] = (-share * g[i]) / Math.max(b[i * n + i], Number.MIN_VALUE)));
  return d;
}
