/**
 * Sequential quadratic programming on the objective itself, where its program bends or jumps: penalties such as
 * `1000 * max(0, g)`, limits that a branch enforces, sums of absolute values. The program tells the numbers z_j whose
 * signs decide, and how much steeper it is beyond them (`passes/switches`). A step minimises a quadratic with a hinge
 * for every bend of that kind, and so ends in the corner where penalties meet, which descents only creep along.
 *
 * What a comparison decides is learned from failure: where a step crosses some and goes up, they are kept on their side
 * from there on, like walls.
 *
 * A point costs an evaluation, its slopes another, and so does each of the switches that a step comes close to.
 *
 * Sources: Fletcher, Practical Methods of Optimization, 1987, section 14.3 (Sl1QP, second-order correction); Nocedal
 * and Wright, Numerical Optimization, 2006, chapter 18 (damped update of the Hessian of the Lagrangian).
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { dot } from '../../linalg/dot.js';
import { switchCount } from '../../model/reading.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../search/search.js';
import type { StrategyStop } from '../strategy.js';
import { hingeStep, type Hinge } from './hinge-step.js';

const FIRST_RADIUS = 0.2;
const MAX_RADIUS = 1;
const MIN_RADIUS = 1e-15;
/** Curvature before any is known, as a share of the greatest slope. */
const FIRST_CURVATURE = 1e-3;
/** Shares of the predicted decrease: for a step to count, and for the radius to grow. */
const LEAST_SHARE = 0.1;
const GOOD_SHARE = 0.5;
const GOOD_CORRECTED = 0.25;
const GROWTH = 2;
const SHRINKAGE = 0.35;
/** Predicted decrease, relative to the value, below which there is nothing left to gain. */
const NEGLIGIBLE = 1e-15;
/** Share of a rise that only a jump explains: what was crossed becomes a wall. */
const JUMP_SHARE = 0.3;
/** Share of an error from which the slopes of a bend are asked for anew. */
const MISSED_SHARE = 0.1;
/** Length of a step below which differences of slopes are rounding. */
const SHORTEST_MEASURED = 1e-9;
const MAX_TRIALS = 30;
/** Steps within which one meets a bend or a wall. */
const PATIENCE = 6;
/** Weight of a wall, relative to the greatest slope of the objective over its own. */
const WALL_WEIGHT = 1e4;
/** A wall is approached, and not reached: this share of the distance stays. */
const WALL_DISTANCE = 1e-3;
/** Distances, in the unit box: within which a wall is stood at, and beyond it where the other side is looked at. */
const CLOSE = 1e-6;
const ACROSS = 1e-7;
/** Distance within which a search that has come to its end stands at a bend or a wall. */
const STANDING = 1e-4;
/** Rounds in which the slopes of switches that a step comes to are asked for anew. */
const MAX_ROUNDS = 4;
/** Slope of a hinge, relative to that of the objective, that is none. */
const NOT_ZERO = 1e-8;

/** What the program says of itself at a point. */
interface Slopes {
  /** [n] */
  readonly gradient: Float64Array;
  /** [m]: how much steeper it is where z > 0. */
  readonly bends: Float64Array;
  /** [m] */
  readonly z: Float64Array;
}

interface State {
  /** Steps so far, and whether one of them has met a bend or a wall. */
  readonly steps: number;
  readonly hasMet: boolean;
  /** It has converged, and neither at a bend nor at a wall; absent: it has not, or stands at one. */
  readonly isClearOfBends?: boolean;
  readonly x: Float64Array;
  readonly f: number | null;
  readonly slopes: Slopes | null;
  readonly radius: number;
  /** [n, n]; null before the first step. */
  readonly hessian: Float64Array | null;
  /** [m, n]; rows of `age` -1 are unknown. */
  readonly normals: Float64Array;
  /** [m]: steps since they were asked for. */
  readonly age: Int32Array;
  /** [m]: 1 where a crossing went up. */
  readonly isWall: Uint8Array;
  readonly end: StrategyStop | null;
}

export class PenaltySqp implements Search {
  private readonly m: number;
  private state: State;

  constructor(
    context: SearchContext,
    start: { readonly x: Float64Array; readonly fitness?: number },
    snapshot?: SearchSnapshot,
  ) {
    const { n, program } = context;
    this.m = switchCount(n, program!.resultLength('switches')!);
    this.state =
      snapshot === undefined
        ? {
            steps: 0,
            hasMet: false,
            x: start.x,
            f: start.fitness ?? null,
            slopes: null,
            radius: FIRST_RADIUS,
            hessian: null,
            normals: new Float64Array(this.m * n),
            age: new Int32Array(this.m).fill(-1),
            isWall: new Uint8Array(this.m),
            end: null,
          }
        : decode(snapshot, n, this.m);
  }

  end(): StrategyStop | null {
    return this.state.end;
  }

  get isMisplaced(): boolean {
    const { end, hessian, hasMet, isClearOfBends } = this.state;
    return end !== null && hessian !== null && (!hasMet || isClearOfBends === true);
  }

  /** One step that goes down. */
  *step(): Step {
    const { x, age: ageBefore } = this.state;
    const f = this.state.f ?? (yield* evaluatePoint(x));
    if (!(f < Infinity)) return this.stop('stalled');
    const slopes = this.state.slopes ?? (yield* this.slopesAt(x));
    if (!isFinite(slopes)) return this.stop('stalled');
    const isWall = this.state.isWall.slice();
    const normals = this.state.normals.slice();
    const age = ageBefore.slice();
    const hessian = this.state.hessian ?? diagonal(x.length, FIRST_CURVATURE * largest(slopes.gradient) || 1);
    const place: Place = { x, f, slopes, hessian, normals, age, isWall };
    let { radius } = this.state;

    for (let trial = 0; trial < MAX_TRIALS; trial++) {
      const plan = yield* this.plan(place, radius, slopes.z);
      if (plan === null) return this.stop('stalled');
      const { step } = plan;
      if (!(plan.decrease > NEGLIGIBLE * Math.abs(f)) || largest(step) < MIN_RADIUS) {
        if (yield* this.crossWall(place)) return;
        return this.converge('tolFun', place);
      }
      let at = moved(x, step);
      let value = yield* evaluatePoint(at);
      let told: Slopes | null = null;
      let isCorrected = false;
      let multipliers = plan.multipliers;
      if (!(value < f - LEAST_SHARE * plan.decrease)) {
        told = yield* this.slopesAt(at);
        if (told.z.every(Number.isFinite)) {
          const crossed = this.crossed(place, told.z);
          const rise = value - f;
          const isJump = rise === Infinity || (rise > 0 && this.jump(place, told, step, value) > JUMP_SHARE * rise);
          if (crossed.length > 0 && isJump) {
            for (const j of crossed) isWall[j] = 1;
            continue;
          }
          const missed = this.missed(place, told.z, step, value - f + plan.decrease);
          if (missed.length > 0) {
            yield* this.learnNormals(x, normals, age, () => true, missed);
            continue;
          }
          // Second-order correction: the hinges where they are at the end of the step.
          const z = told.z.map((end, j) => (age[j] < 0 ? slopes.z[j] : end - dotRow(normals, j, step)));
          const corrected = yield* this.plan(place, radius, z);
          if (corrected !== null && largest(corrected.step) > 0) {
            const second = moved(x, corrected.step);
            const better = yield* evaluatePoint(second);
            if (better < value) {
              [at, value, told, multipliers] = [second, better, null, corrected.multipliers];
              isCorrected = true;
            }
          }
        }
      }
      const share = (f - value) / plan.decrease;
      const length = largest(moved(at, x, -1));
      if (share > (isCorrected ? GOOD_CORRECTED : GOOD_SHARE))
        radius = Math.min(MAX_RADIUS, Math.max(radius, GROWTH * length));
      else if (!(share > LEAST_SHARE)) radius = SHRINKAGE * Math.min(radius, largest(step));
      if (!(value < f)) {
        if (radius < MIN_RADIUS) return this.converge('tolX', place);
        continue;
      }
      const next = told ?? (yield* this.slopesAt(at));
      if (!isFinite(next)) return this.stop('stalled');
      const s = moved(at, x, -1);
      const before = this.lagrangian(slopes, normals, multipliers);
      this.follow(place, next, s);
      const n = x.length;
      const least = NOT_ZERO * largest(slopes.gradient);
      // What of them counts in the Lagrangian: their own curvature is in it.
      const counting = this.modelled(place).filter((j) =>
        [slopes, next].some((end) => Math.abs(excess(end, multipliers, j)) * largest(row(normals, j, n)) > least),
      );
      yield* this.learnNormals(at, normals, age, (j) => age[j] > 0, counting);
      const after = this.lagrangian(next, normals, multipliers);
      const updated = updatedHessian(this.state.hessian, hessian, s, moved(after, before, -1));
      const hasMet = this.state.hasMet || counting.length > 0 || isWall.includes(1);
      const found = { x: at, f: value, slopes: next, radius, hessian: updated };
      const steps = this.state.steps + 1;
      // Where nothing has bent for that long, other descents do as well.
      const end = hasMet || steps < PATIENCE ? null : 'stalled';
      this.state = { ...this.state, ...found, normals, age, isWall, steps, hasMet, end };
      return;
    }
    this.stop('stalled');
  }

  /** Looks across walls, and bends downwards, that it stands at; whether one side is lower, and it has gone there. */
  private *crossWall({ x, f, slopes, normals, age, isWall }: Place): Generator<Points, boolean, Float64Array> {
    const n = x.length;
    const falling = Array.from({ length: this.m }, (_, j) => j).filter((j) => slopes.bends[j] < 0);
    yield* this.learnNormals(x, normals, age, (j) => age[j] !== 0, falling);
    for (let j = 0; j < this.m; j++) {
      const normal = normals.subarray(j * n, (j + 1) * n);
      const steepest = largest(normal);
      if ((isWall[j] === 0 && !(slopes.bends[j] < 0)) || !(Math.abs(slopes.z[j]) < CLOSE * steepest)) continue;
      const square = dot(normal, normal);
      const change = -slopes.z[j] - Math.sign(slopes.z[j]) * ACROSS * steepest;
      const beyond = x.map((value, i) => Math.min(1, Math.max(0, value + (change * normal[i]) / square)));
      const value = yield* evaluatePoint(beyond);
      if (!(value < f)) continue;
      isWall[j] = 0;
      this.state = {
        ...this.state,
        x: beyond,
        f: value,
        slopes: null,
        radius: FIRST_RADIUS,
        hessian: null,
        normals,
        age: age.map((steps) => (steps < 0 ? steps : steps + 1)),
        isWall,
      };
      return true;
    }
    return false;
  }

  private stop(end: StrategyStop): void {
    this.state = { ...this.state, end };
  }

  private converge(end: StrategyStop, place: Place): void {
    const n = place.x.length;
    const isClearOfBends = this.modelled(place).every((j) => {
      const steepest = largest(place.normals.subarray(j * n, (j + 1) * n));
      return !(Math.abs(place.slopes.z[j]) < STANDING * steepest);
    });
    this.state = { ...this.state, end, isClearOfBends };
  }

  /** The switches that are hinges of the model: bends upwards, and walls. */
  private modelled({ slopes, isWall }: Pick<Place, 'slopes' | 'isWall'>): number[] {
    return Array.from({ length: this.m }, (_, j) => j).filter((j) => slopes.bends[j] > 0 || isWall[j] === 1);
  }

  /** Comparisons that the step has crossed, and that are no walls yet. */
  private crossed({ slopes, isWall }: Place, z: Float64Array): number[] {
    return Array.from({ length: this.m }, (_, j) => j).filter(
      (j) => isWall[j] === 0 && slopes.bends[j] === 0 && slopes.z[j] > 0 !== z[j] > 0,
    );
  }

  /** What neither slopes at both ends of the step nor bends explain of its rise. */
  private jump(place: Place, told: Slopes, step: Float64Array, value: number): number {
    const modelled = this.modelled(place);
    const before = base(place, modelled);
    const after = base({ ...place, slopes: told }, modelled);
    let explained = 0;
    for (let i = 0; i < step.length; i++) explained += 0.5 * (before[i] + after[i]) * step[i];
    for (const j of modelled) {
      if (place.isWall[j] === 0) {
        explained += place.slopes.bends[j] * (Math.max(0, told.z[j]) - Math.max(0, place.slopes.z[j]));
      }
    }
    return value - place.f - explained;
  }

  /** Bends whose old normals are to blame for most of an error of the model. */
  private missed(place: Place, z: Float64Array, step: Float64Array, error: number): number[] {
    const { slopes, normals, age } = place;
    const errors = this.modelled(place).map((j) => {
      const planned = slopes.z[j] + dotRow(normals, j, step);
      const off = age[j] > 0 ? slopes.bends[j] * (Math.max(0, z[j]) - Math.max(0, planned)) : 0;
      return { j, off: Math.abs(off) };
    });
    return errors.filter(({ off }) => off > MISSED_SHARE * error).map(({ j }) => j);
  }

  /** The step within a radius, with the slopes of all switches that it comes to. */
  private *plan(place: Place, radius: number, z: Float64Array): Generator<Points, Plan | null, Float64Array> {
    const { x, normals, age } = place;
    yield* this.learnNormals(x, normals, age, (j) => age[j] < 0, this.modelled(place));
    for (let round = 0; ; round++) {
      const hinges = this.hinges(place, z);
      const found = hingeStep({
        gradient: base(place, this.modelled(place)),
        hessian: place.hessian,
        hinges: hinges.map(({ hinge }) => hinge),
        lower: x.map((value) => Math.max(-value, -radius)),
        upper: x.map((value) => Math.min(1 - value, radius)),
      });
      if (found === null) return null;
      const multipliers = new Float64Array(this.m);
      hinges.forEach(({ j, sign }, k) => (multipliers[j] = sign * found.multipliers[k]));
      const least = NOT_ZERO * largest(place.slopes.gradient);
      const bent = hinges.filter(({ j, hinge }, k) => {
        const steepest = largest(hinge.slope);
        const multiplier = found.multipliers[k];
        return age[j] > 0 && multiplier * steepest > least && (hinge.weight - multiplier) * steepest > least;
      });
      if (round === MAX_ROUNDS || bent.length === 0) {
        const decrease = this.decrease(place, z, found.step);
        return { step: found.step, multipliers, decrease };
      }
      const wanted = bent.map(({ j }) => j);
      yield* this.learnNormals(x, normals, age, (j) => age[j] > 0, wanted);
    }
  }

  private hinges(place: Place, z: Float64Array): { j: number; sign: number; hinge: Hinge }[] {
    const { slopes, normals, isWall } = place;
    const n = place.x.length;
    const steepest = largest(slopes.gradient);
    return this.modelled(place).map((j) => {
      const slope = normals.slice(j * n, (j + 1) * n);
      if (isWall[j] === 0) return { j, sign: 1, hinge: { weight: slopes.bends[j], z: z[j], slope } };
      const sign = slopes.z[j] > 0 ? -1 : 1;
      const weight = (WALL_WEIGHT * steepest) / (largest(slope) || 1);
      const distance = WALL_DISTANCE * Math.abs(slopes.z[j]);
      return { j, sign, hinge: { weight, z: sign * z[j] + distance, slope: slope.map((value) => sign * value) } };
    });
  }

  /** Decrease of the model, of bends alone: walls are none of the value. */
  private decrease(place: Place, z: Float64Array, step: Float64Array): number {
    const { slopes, hessian, normals, isWall } = place;
    const n = step.length;
    let change = 0;
    const gradient = base(place, this.modelled(place));
    for (let i = 0; i < n; i++) {
      change += gradient[i] * step[i];
      for (let k = 0; k < n; k++) change += 0.5 * step[i] * hessian[i * n + k] * step[k];
    }
    for (const j of this.modelled(place)) {
      if (isWall[j] === 1) continue;
      const end = z[j] + dotRow(normals, j, step);
      change += slopes.bends[j] * (Math.max(0, end) - Math.max(0, slopes.z[j]));
    }
    return -change;
  }

  /** Slopes of the Lagrangian, [n]. */
  private lagrangian(slopes: Slopes, normals: Float64Array, multipliers: Float64Array): Float64Array {
    const n = slopes.gradient.length;
    const sum = slopes.gradient.slice();
    for (let j = 0; j < this.m; j++) {
      const weight = excess(slopes, multipliers, j);
      if (weight !== 0) for (let i = 0; i < n; i++) sum[i] += weight * normals[j * n + i];
    }
    return sum;
  }

  /** Normals that were not asked for follow what z has done along the step. */
  private follow({ slopes, normals, age }: Place, next: Slopes, step: Float64Array): void {
    const n = step.length;
    const square = step.reduce((sum, value) => sum + value * value, 0);
    for (let j = 0; j < this.m; j++) {
      if (age[j] < 0) continue;
      age[j]++;
      const missed = next.z[j] - slopes.z[j] - dotRow(normals, j, step);
      if (!Number.isFinite(missed) || square === 0) continue;
      for (let i = 0; i < n; i++) normals[j * n + i] += (missed * step[i]) / square;
    }
  }

  private *slopesAt(x: Float64Array): Generator<Points, Slopes, Float64Array> {
    const { m } = this;
    const n = x.length;
    const row = new Float64Array(n + 2 * m + 1);
    row.set(x);
    row[n + 2 * m] = 1;
    const results = yield { points: row, count: 1, reading: 'switches' };
    return {
      gradient: results.slice(1, n + 1),
      bends: results.slice(n + 1, n + m + 1),
      z: results.slice(n + m + 1, n + 2 * m + 1),
    };
  }

  /** Asks for the normals of those of `among` that are wanted. */
  private *learnNormals(
    x: Float64Array,
    normals: Float64Array,
    age: Int32Array,
    isWanted: (j: number) => boolean,
    among: readonly number[],
  ): Generator<Points, void, Float64Array> {
    const { m } = this;
    const n = x.length;
    const asked = among.filter(isWanted);
    if (asked.length === 0) return;
    const length = n + 2 * m + 1;
    const points = new Float64Array(asked.length * length);
    asked.forEach((j, k) => {
      points.set(x, k * length);
      points[k * length + n + m + j] = 1;
    });
    const results = yield { points, count: asked.length, reading: 'switches' };
    asked.forEach((j, k) => {
      const at = k * (1 + length) + 1;
      for (let i = 0; i < n; i++) {
        const value = results[at + i];
        normals[j * n + i] = Number.isFinite(value) ? value : 0;
      }
      age[j] = 0;
    });
  }

  snapshot(): SearchSnapshot {
    const { x, slopes, hessian, normals, age, isWall, ...rest } = this.state;
    return {
      ...rest,
      x: encodeFloats(x),
      slopes: slopes === null ? null : encodeFloats(Float64Array.of(...slopes.gradient, ...slopes.bends, ...slopes.z)),
      hessian: hessian === null ? null : encodeFloats(hessian),
      normals: encodeFloats(normals),
      age: Array.from(age),
      isWall: Array.from(isWall),
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): PenaltySqp {
    return new PenaltySqp(context, { x: new Float64Array(context.n) }, snapshot);
  }
}

interface Place {
  readonly x: Float64Array;
  readonly f: number;
  readonly slopes: Slopes;
  readonly hessian: Float64Array;
  readonly normals: Float64Array;
  readonly age: Int32Array;
  readonly isWall: Uint8Array;
}

interface Plan {
  readonly step: Float64Array;
  /** [m] */
  readonly multipliers: Float64Array;
  readonly decrease: number;
}

/** The slopes without those of the bends that count here: the hinges have them. */
function base({ slopes, normals, isWall }: Place, modelled: readonly number[]): Float64Array {
  const n = slopes.gradient.length;
  const sum = slopes.gradient.slice();
  for (const j of modelled) {
    if (isWall[j] === 1 || !(slopes.z[j] > 0)) continue;
    for (let i = 0; i < n; i++) sum[i] -= slopes.bends[j] * normals[j * n + i];
  }
  return sum;
}

/** Damped BFGS; the first step gives the scale. */
function updatedHessian(
  known: Float64Array | null,
  used: Float64Array,
  s: Float64Array,
  y: Float64Array,
): Float64Array {
  const n = s.length;
  if (largest(s) < SHORTEST_MEASURED) return used;
  const sy = dot(s, y);
  const ss = dot(s, s);
  let h = used;
  if (known === null) {
    const scale = sy > 1e-8 * Math.sqrt(ss * dot(y, y)) ? dot(y, y) / sy : 0;
    if (scale > 0) h = diagonal(n, scale);
  }
  const hs = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) hs[i] += h[i * n + k] * s[k];
  const shs = dot(s, hs);
  if (!(shs > 0)) return h;
  const theta = sy >= 0.2 * shs ? 1 : (0.8 * shs) / (shs - sy);
  const r = y.map((value, i) => theta * value + (1 - theta) * hs[i]);
  const sr = dot(s, r);
  const updated = h.map((value, at) => {
    const i = Math.floor(at / n);
    const k = at % n;
    return value - (hs[i] * hs[k]) / shs + (r[i] * r[k]) / sr;
  });
  return updated.every(Number.isFinite) ? updated : h;
}

function decode(snapshot: SearchSnapshot, n: number, m: number): State {
  const s = snapshot as unknown as Pick<State, 'steps' | 'hasMet' | 'f' | 'radius' | 'end'> & {
    readonly x: string;
    readonly slopes: string | null;
    readonly hessian: string | null;
    readonly normals: string;
    readonly age: readonly number[];
    readonly isWall: readonly number[];
  };
  const slopes = s.slopes === null ? null : decodeFloats(s.slopes, n + 2 * m);
  return {
    ...s,
    x: decodeFloats(s.x, n),
    slopes:
      slopes === null ? null : { gradient: slopes.slice(0, n), bends: slopes.slice(n, n + m), z: slopes.slice(n + m) },
    hessian: s.hessian === null ? null : decodeFloats(s.hessian, n * n),
    normals: decodeFloats(s.normals, m * n),
    age: Int32Array.from(s.age),
    isWall: Uint8Array.from(s.isWall),
  };
}

/** What the model gives switch j beyond what the slopes of this side have of it. */
const excess = ({ z, bends }: Slopes, multipliers: Float64Array, j: number): number =>
  multipliers[j] - (z[j] > 0 && bends[j] > 0 ? bends[j] : 0);

const row = (rows: Float64Array, j: number, n: number): Float64Array => rows.subarray(j * n, (j + 1) * n);

const isFinite = ({ gradient, bends, z }: Slopes): boolean =>
  [gradient, bends, z].every((numbers) => numbers.every(Number.isFinite));

function diagonal(n: number, value: number): Float64Array {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) matrix[i * n + i] = value;
  return matrix;
}

const largest = (v: Float64Array): number => v.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

const moved = (x: Float64Array, step: Float64Array, factor = 1): Float64Array =>
  x.map((value, i) => value + factor * step[i]);

function dotRow(rows: Float64Array, j: number, v: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < v.length; i++) sum += rows[j * v.length + i] * v[i];
  return sum;
}
