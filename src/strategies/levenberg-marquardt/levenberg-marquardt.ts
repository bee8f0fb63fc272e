/**
 * Levenberg-Marquardt in the unit box, for objectives of least-squares form: f = outer(sum of r_k^2), outer increasing.
 * The program gives the residuals with every value, and their derivatives along a direction for one evaluation: a
 * Jacobian costs n.
 *
 * A step d minimises |r + J d|^2 + lambda |D d|^2, with D the largest column norms of J so far, so that units of the
 * coordinates do not matter. Evaluating a point is cheap next to a Jacobian, so several lambdas are tried at once.
 * Where a step leaves the box, the coordinates that hit a bound are held there and the others solved for again.
 *
 * Sums of exponentials and the like have narrow valleys that bend. The second derivative of r along each step, from one
 * more evaluation, says how the valley goes on, and the step is bent to follow (geodesic acceleration).
 *
 * Sources: More, The Levenberg-Marquardt Algorithm: Implementation and Theory (1978); Transtrum and Sethna,
 * Improvements to the Levenberg-Marquardt algorithm for nonlinear least-squares minimization (2012).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { dot } from '../../linalg/dot.js';
import { solveTriangle, triangularize } from '../../linalg/qr.js';
import type { Points, Search, SearchContext, SearchSnapshot, Step } from '../search/search.js';
import type { ProgramView, StrategyStop } from '../strategy.js';

const FIRST_LAMBDA = 1e-3;
const MIN_LAMBDA = 1e-20;
const MAX_LAMBDA = 1e20;
/** Lambdas that are tried together, relative to the current one. */
const TRIED = [1e-2, 1, 1e2];
/** Where along a step the second derivative is taken, as a share of it. */
const PROBE = 0.1;
/** Length of the bend, relative to the step in the metric of D, beyond which it says nothing. */
const MAX_BEND = 0.75;
/** Decrease of the sum of squares, relative to it, below which a step does not count. */
const NEGLIGIBLE_GAIN = 1e-14;
const MAX_SMALL_GAINS = 3;
/**
 * From this dimension on a Jacobian costs so much that a search which does not gain that factor within so many
 * Jacobians leaves the valley to searches with gradients.
 */
const EXPENSIVE_DIMENSION = 16;
const SLOW_FACTOR = 3;
const SLOW_JACOBIANS = 6;

interface LeastSquaresStart {
  readonly x: Float64Array;
}

interface State {
  readonly x: Float64Array;
  /** [m] at x; null before x was evaluated. */
  readonly residuals: Float64Array | null;
  readonly lambda: number;
  /** [n]: D. */
  readonly scales: Float64Array;
  readonly smallGains: number;
  /** Sums of squares at the last points, oldest first. */
  readonly recent: readonly number[];
  readonly end: StrategyStop | null;
}

/** Whether the program of the objective has what it takes. */
export function hasResiduals(n: number, program: ProgramView | undefined): boolean {
  const count = program?.resultLength('residuals') ?? null;
  return count !== null && count >= n && (program?.resultLength('tangents') ?? null) === count;
}

export class LevenbergMarquardt implements Search {
  private state: State;

  constructor(
    private readonly context: SearchContext,
    start: LeastSquaresStart,
    snapshot?: SearchSnapshot,
  ) {
    this.state =
      snapshot === undefined
        ? {
            x: start.x,
            residuals: null,
            lambda: FIRST_LAMBDA,
            scales: new Float64Array(context.n),
            smallGains: 0,
            recent: [],
            end: null,
          }
        : decode(snapshot, context.n);
  }

  end(): StrategyStop | null {
    return this.state.end;
  }

  /** The Jacobian at the current point, and steps from it until one goes down. */
  *step(): Step {
    const { n } = this.context;
    const { x } = this.state;
    let { residuals, lambda } = this.state;
    if (residuals === null) {
      const rows = yield* this.evaluate([x]);
      residuals = rows[0]!;
    }
    if (!residuals.every(Number.isFinite)) return this.stop('stalled');
    const jacobian = yield* this.jacobian(x, residuals.length);
    if (!jacobian.every(Number.isFinite)) return this.stop('stalled');
    const scales = this.state.scales.map((scale, j) => Math.max(scale, columnNorm(jacobian, n, j)));
    const squares = dot(residuals, residuals);
    if (squares === 0) return this.stop('tolFun');

    const place: Place = { x, residuals, jacobian, scales };
    for (;;) {
      const lambdas = TRIED.map((factor) => Math.min(MAX_LAMBDA, Math.max(MIN_LAMBDA, factor * lambda)));
      const trials = distinct(lambdas.map((tried): Trial => ({ lambda: tried, point: straight(place, tried) }))).filter(
        ({ point }) => point.every(Number.isFinite) && !same(point, x),
      );
      if (trials.length === 0) return this.stop('tolX');
      const points = yield* this.bend(place, trials);
      const rows = yield* this.evaluate(points);
      let best = -1;
      let least = squares;
      rows.forEach((row, k) => {
        const sum = dot(row, row);
        if (sum < least) [best, least] = [k, sum];
      });
      if (best >= 0) {
        const isSmall = squares - least <= NEGLIGIBLE_GAIN * squares;
        const smallGains = isSmall ? this.state.smallGains + 1 : 0;
        const recent = [...this.state.recent, squares].slice(-SLOW_JACOBIANS);
        const isSlow = n >= EXPENSIVE_DIMENSION && recent.length === SLOW_JACOBIANS && recent[0] < SLOW_FACTOR * least;
        this.state = {
          x: points[best],
          residuals: rows[best],
          lambda: Math.max(MIN_LAMBDA, trials[best].lambda / 3),
          scales,
          smallGains,
          recent,
          end: smallGains >= MAX_SMALL_GAINS ? 'tolFun' : isSlow ? 'stalled' : null,
        };
        return;
      }
      lambda = lambdas.at(-1)! * 1e3;
      if (lambda >= MAX_LAMBDA) return this.stop('tolFun');
    }
  }

  private stop(end: StrategyStop): void {
    this.state = { ...this.state, end };
  }

  /** Residuals of each point, [m]. */
  private *evaluate(points: readonly Float64Array[]): Generator<Points, Float64Array[], Float64Array> {
    const { n } = this.context;
    const rows = new Float64Array(points.length * n);
    points.forEach((point, k) => rows.set(point, k * n));
    const results = yield { points: rows, count: points.length, reading: 'residuals' };
    const width = results.length / points.length;
    return points.map((_, k) => results.slice(k * width + 1, (k + 1) * width));
  }

  /** [m, n]. */
  private *jacobian(x: Float64Array, m: number): Generator<Points, Float64Array, Float64Array> {
    const { n } = this.context;
    const rows = new Float64Array(n * 2 * n);
    for (let j = 0; j < n; j++) {
      rows.set(x, 2 * j * n);
      rows[(2 * j + 1) * n + j] = 1;
    }
    const results = yield { points: rows, count: n, reading: 'tangents' };
    const jacobian = new Float64Array(m * n);
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < m; k++) jacobian[k * n + j] = results[j * (m + 1) + 1 + k]!;
    }
    return jacobian;
  }

  /** Where the steps lead when they follow the second derivatives of the residuals along them. */
  private *bend(place: Place, trials: readonly Trial[]): Generator<Points, Float64Array[], Float64Array> {
    const { x } = place;
    const probes = trials.map(({ point }) => x.map((value, i) => value + PROBE * (point[i] - value)));
    const rows = yield* this.evaluate(probes);
    return trials.map((trial, k) => bent(place, trial, rows[k]));
  }

  snapshot(): SearchSnapshot {
    const { x, residuals, lambda, scales, smallGains, recent, end } = this.state;
    return {
      x: encodeFloats(x),
      residuals: residuals === null ? null : encodeFloats(residuals),
      count: residuals?.length ?? 0,
      lambda,
      scales: encodeFloats(scales),
      smallGains,
      recent,
      end,
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): LevenbergMarquardt {
    return new LevenbergMarquardt(context, { x: new Float64Array(context.n) }, snapshot);
  }
}

function decode(snapshot: SearchSnapshot, n: number): State {
  const s = snapshot as unknown as Omit<State, 'x' | 'residuals' | 'scales'> & {
    x: string;
    residuals: string | null;
    count: number;
    scales: string;
  };
  return {
    x: decodeFloats(s.x, n),
    residuals: s.residuals === null ? null : decodeFloats(s.residuals, s.count),
    lambda: s.lambda,
    scales: decodeFloats(s.scales, n),
    smallGains: s.smallGains,
    recent: s.recent,
    end: s.end,
  };
}

/** Where a step begins. */
interface Place {
  readonly x: Float64Array;
  /** [m] */
  readonly residuals: Float64Array;
  /** [m, n] */
  readonly jacobian: Float64Array;
  /** [n] */
  readonly scales: Float64Array;
}

interface Trial {
  readonly lambda: number;
  readonly point: Float64Array;
}

/** Steps of different lambdas are the same when all are Newton's. */
const distinct = (trials: readonly Trial[]): Trial[] =>
  trials.filter(({ point }, k) => !trials.slice(0, k).some((other) => same(other.point, point)));

/** Where the step for `lambda` leads, inside the box. */
function straight({ x, residuals, jacobian, scales }: Place, lambda: number): Float64Array {
  const n = x.length;
  const point = x.slice();
  let free = Array.from({ length: n }, (_, i) => i).filter((i) => scales[i] > 0);
  const right = residuals.map((value) => -value);
  // A coordinate whose step leads out of the box is moved to the bound, and the others find their steps without it.
  while (free.length > 0) {
    const step = dampedSolution(jacobian, right, scales, lambda, free);
    free.forEach((i, c) => (point[i] = x[i] + step[c]));
    const out = free.filter((i) => !(point[i] >= 0 && point[i] <= 1));
    if (out.length === 0) break;
    for (const i of out) {
      point[i] = point[i] < 0 ? 0 : 1;
      const moved = point[i] - x[i];
      for (let k = 0; k < right.length; k++) right[k] -= jacobian[k * n + i] * moved;
    }
    free = free.filter((i) => !out.includes(i));
  }
  return point;
}

/** The end of a step, bent; `probe`: the residuals at the share `PROBE` of it. */
function bent({ x, residuals, jacobian, scales }: Place, { lambda, point }: Trial, probe: Float64Array): Float64Array {
  const n = x.length;
  const step = point.map((value, i) => value - x[i]);
  const right = probe.map((value, k) => {
    let along = 0;
    for (let j = 0; j < n; j++) along += jacobian[k * n + j] * step[j];
    return (-2 / PROBE) * ((value - residuals[k]) / PROBE - along);
  });
  const free = Array.from({ length: n }, (_, i) => i).filter((i) => scales[i] > 0 && point[i] > 0 && point[i] < 1);
  if (free.length === 0) return point;
  const acceleration = dampedSolution(jacobian, right, scales, lambda, free);
  const length = norm(free.map((i) => scales[i] * step[i]));
  const bend = norm(free.map((i, c) => scales[i] * acceleration[c]));
  // Also where the probe has no residuals.
  if (!(2 * bend <= MAX_BEND * length)) return point;
  const end = point.slice();
  free.forEach((i, c) => (end[i] = Math.min(1, Math.max(0, end[i] + 0.5 * acceleration[c]))));
  return end;
}

/** The step over the free coordinates, [free.length]. */
function dampedSolution(
  jacobian: Float64Array,
  right: Float64Array,
  scales: Float64Array,
  lambda: number,
  free: readonly number[],
): Float64Array {
  const n = scales.length;
  const m = right.length;
  const columns = free.length;
  const a = new Float64Array((m + columns) * columns);
  const b = new Float64Array(m + columns);
  b.set(right);
  // In units of D, in which the damping is that of a multiple of the identity.
  for (let k = 0; k < m; k++) free.forEach((i, c) => (a[k * columns + c] = jacobian[k * n + i] / scales[i]));
  const damping = Math.sqrt(lambda);
  for (let c = 0; c < columns; c++) a[(m + c) * columns + c] = damping;
  triangularize(a, b, m + columns, columns);
  return solveTriangle(a, b, columns).map((value, c) => value / scales[free[c]]);
}

function columnNorm(jacobian: Float64Array, n: number, j: number): number {
  let sum = 0;
  for (let at = j; at < jacobian.length; at += n) sum += jacobian[at] * jacobian[at];
  return Math.sqrt(sum);
}

function same(a: Float64Array, b: Float64Array): boolean {
  return a.every((value, i) => value === b[i]);
}

const norm = (values: readonly number[]): number => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
