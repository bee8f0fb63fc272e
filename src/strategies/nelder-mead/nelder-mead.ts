/**
 * Nelder and Mead's simplex search in the unit box: for rough or slightly noisy objectives of few variables, where it
 * needs little more than the order of the values. Coefficients adapt to the dimension; points outside the box are moved
 * to its surface.
 *
 * A simplex can collapse before it reaches a minimum. So when it has become small, a new one of the first one's size is
 * set up at its best vertex, each edge pointing down the slope that the old simplex saw, and the search ends only when
 * that gained nothing. The full size costs a few evaluations more than a small one and leaves shallow basins.
 *
 * Sources: Nelder and Mead, "A simplex method for function minimization", 1965; Gao and Han, "Implementing the
 * Nelder-Mead simplex algorithm with adaptive parameters", Comput. Optim. Appl. 51, 2012 (eq. 4.1); Kelley, "Detection
 * and remediation of stagnation in the Nelder-Mead algorithm", SIAM J. Optim. 10, 1999 (oriented restarts, section 4).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { luFactor, luSolve } from '../../linalg/lu.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../search/search.js';
import type { StrategyStop } from '../strategy.js';

/** Edges shorter than this, as a share of the box: the simplex is a point. */
const MIN_SIZE = 1e-10;
/** Spread of the values, relative to them, that is rounding only. */
const MIN_SPREAD = 4e-16;
const FIRST_SIZE = 0.2;
/** An oriented simplex that gains less than this share of what the first gained was not needed. */
const WORTHWHILE_GAIN = 1e-6;

interface NelderMeadStart {
  readonly x: Float64Array;
  /** Fitness of x, where it is known. */
  readonly fitness?: number;
  /** Edge of every new simplex, as a share of the box; default 0.2. */
  readonly size?: number;
}

interface State {
  /** [n + 1, n], best first; only the first row before the simplex is evaluated. */
  readonly vertices: Float64Array;
  /** [n + 1], ascending; NaN where not evaluated. */
  readonly values: Float64Array;
  /** Directions of the edges to evaluate next: +1 or -1 per coordinate; null while the simplex stands. */
  readonly orientation: Float64Array | null;
  readonly size: number;
  /** Best value when the present simplex was set up. */
  readonly before: number;
  /** Gain of the simplices before. */
  readonly gained: number;
  readonly end: StrategyStop | null;
}

export class NelderMead implements Search {
  private state: State;
  private readonly reflection = 1;
  private readonly expansion: number;
  private readonly contraction: number;
  private readonly shrinkage: number;

  constructor(
    private readonly context: SearchContext,
    start: NelderMeadStart,
    snapshot?: SearchSnapshot,
  ) {
    const { n } = context;
    // Gao and Han, eq. (4.1), which for two dimensions are the usual ones; below two they would make no sense.
    const d = Math.max(2, n);
    this.expansion = 1 + 2 / d;
    this.contraction = 0.75 - 1 / (2 * d);
    this.shrinkage = 1 - 1 / d;
    if (snapshot !== undefined) {
      this.state = decode(snapshot, n);
      return;
    }
    const vertices = new Float64Array((n + 1) * n);
    vertices.set(start.x);
    const values = new Float64Array(n + 1).fill(NaN);
    values[0] = start.fitness ?? NaN;
    this.state = {
      vertices,
      values,
      orientation: new Float64Array(n).fill(1),
      size: start.size ?? FIRST_SIZE,
      before: NaN,
      gained: 0,
      end: null,
    };
  }

  end(): StrategyStop | null {
    return this.state.end;
  }

  get fitness(): number {
    return this.state.values[0];
  }

  /** Sets the simplex up, or one iteration: reflect, expand, contract or shrink. */
  *step(): Step {
    const s = this.state;
    if (s.orientation !== null) {
      this.state = yield* this.setUp(s, s.orientation);
      return;
    }
    const next = yield* this.iterate(s);
    this.state = this.judge(next);
  }

  private *setUp(s: State, orientation: Float64Array): Generator<Points, State, Float64Array> {
    const { n } = this.context;
    const vertices = s.vertices.slice();
    const values = s.values.slice();
    const x = vertices.subarray(0, n);
    if (Number.isNaN(values[0])) values[0] = yield* evaluatePoint(x.slice());
    const before = values[0];
    for (let i = 0; i < n; i++) {
      const edge = orientation[i] * s.size;
      const start = (i + 1) * n;
      vertices.copyWithin(start, 0, n);
      const t = x[i] + edge;
      vertices[start + i] = t >= 0 && t <= 1 ? t : x[i] - edge;
    }
    const found = yield { points: vertices.slice(n), count: n };
    values.set(found, 1);
    sort(vertices, values, n);
    return { ...s, vertices, values, orientation: null, before };
  }

  private *iterate(s: State): Generator<Points, State, Float64Array> {
    const { n } = this.context;
    const vertices = s.vertices.slice();
    const values = s.values.slice();
    const worst = vertices.subarray(n * n);
    const centroid = new Float64Array(n);
    for (let k = 0; k < n; k++) for (let i = 0; i < n; i++) centroid[i] += vertices[k * n + i];
    for (let i = 0; i < n; i++) centroid[i] /= n;
    const along = (t: number): Float64Array => centroid.map((c, i) => Math.min(1, Math.max(0, c + t * (c - worst[i]))));
    const accept = (x: Float64Array, value: number): State => {
      worst.set(x);
      values[n] = value;
      sort(vertices, values, n);
      return { ...s, vertices, values };
    };

    const reflected = along(this.reflection);
    const value = yield* evaluatePoint(reflected);
    if (value < values[0]) {
      const expanded = along(this.reflection * this.expansion);
      const further = yield* evaluatePoint(expanded);
      return further < value ? accept(expanded, further) : accept(reflected, value);
    }
    if (value < values[n - 1]) return accept(reflected, value);
    const isOutside = value < values[n];
    const contracted = along(isOutside ? this.reflection * this.contraction : -this.contraction);
    const nearer = yield* evaluatePoint(contracted);
    if (isOutside ? nearer <= value : nearer < values[n]) return accept(contracted, nearer);

    for (let k = 1; k <= n; k++) {
      for (let i = 0; i < n; i++) {
        vertices[k * n + i] = vertices[i] + this.shrinkage * (vertices[k * n + i] - vertices[i]);
      }
    }
    const found = yield { points: vertices.slice(n), count: n };
    values.set(found, 1);
    sort(vertices, values, n);
    return { ...s, vertices, values };
  }

  /** Ends a simplex that has become a point: with a new one there, or, when the last such gained nothing, for good. */
  private judge(s: State): State {
    const { n } = this.context;
    const { vertices, values } = s;
    const best = values[0];
    if (best === Infinity) return sizeOf(vertices, n) < 1e-3 ? { ...s, end: 'stalled' } : s;
    const isFlat = values[n] - best <= MIN_SPREAD * Math.abs(best);
    if (!isFlat && sizeOf(vertices, n) > MIN_SIZE) return s;
    const gain = s.before - best;
    const reason = isFlat ? 'tolFun' : 'tolX';
    if (!(gain > WORTHWHILE_GAIN * s.gained)) return { ...s, end: reason };
    return {
      ...s,
      orientation: downhill(vertices, values, n),
      gained: s.gained + gain,
    };
  }

  snapshot(): SearchSnapshot {
    const s = this.state;
    return {
      vertices: encodeFloats(s.vertices),
      values: encodeFloats(s.values),
      orientation: s.orientation === null ? null : encodeFloats(s.orientation),
      numbers: encodeFloats(Float64Array.of(s.size, s.before, s.gained)),
      end: s.end,
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): NelderMead {
    return new NelderMead(context, { x: new Float64Array(context.n) }, snapshot);
  }
}

function decode(snapshot: SearchSnapshot, n: number): State {
  const s = snapshot as {
    vertices: string;
    values: string;
    orientation: string | null;
    numbers: string;
    end: State['end'];
  };
  const [size, before, gained] = decodeFloats(s.numbers, 3) as unknown as [number, number, number];
  return {
    vertices: decodeFloats(s.vertices, (n + 1) * n),
    values: decodeFloats(s.values, n + 1),
    orientation: s.orientation === null ? null : decodeFloats(s.orientation, n),
    size,
    before,
    gained,
    end: s.end,
  };
}

/** Orders the vertices by their values in place, equal ones as they were. */
function sort(vertices: Float64Array, values: Float64Array, n: number): void {
  const row = new Float64Array(n);
  for (let k = 1; k <= n; k++) {
    const value = values[k];
    if (values[k - 1] <= value) continue;
    row.set(vertices.subarray(k * n, (k + 1) * n));
    let to = k;
    for (; to > 0 && values[to - 1] > value; to--) values[to] = values[to - 1]!;
    vertices.copyWithin((to + 1) * n, to * n, k * n);
    vertices.set(row, to * n);
    values[to] = value;
  }
}

/** Largest distance of a vertex to the best one, along a coordinate. */
function sizeOf(vertices: Float64Array, n: number): number {
  let size = 0;
  for (let k = 1; k <= n; k++) {
    for (let i = 0; i < n; i++) size = Math.max(size, Math.abs(vertices[k * n + i] - vertices[i]));
  }
  return size;
}

/** Signs of the coordinates along which the linear function through all vertices falls; ones where there is none. */
function downhill(vertices: Float64Array, values: Float64Array, n: number): Float64Array {
  const edges = new Float64Array(n * n);
  const rises = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) edges[k * n + i] = vertices[(k + 1) * n + i] - vertices[i];
    rises[k] = values[k + 1] - values[0];
  }
  const order = new Int32Array(n);
  if (!luFactor(edges, order, n)) return new Float64Array(n).fill(1);
  return luSolve(edges, order, rises, n).map((slope) => (slope > 0 ? -1 : 1));
}
