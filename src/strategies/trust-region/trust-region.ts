/**
 * A trust-region search in the unit box without derivatives: every evaluation refines a quadratic through 2 n + 1
 * points or more, whose minimum in a region around the best point is evaluated next. Where the points lie badly, one of
 * them is moved to where it tells most.
 *
 * Begins with what the archive knows: evaluated points near the start take the places of new ones. So a search that
 * continues another begins with a full quadratic, often without an evaluation.
 *
 * Two radii, as in Powell's methods: `delta`, in which steps are taken, grows and shrinks with the success of the
 * quadratic; `rho`, the resolution, only shrinks, when neither a step nor a better point is left at it, so that noise
 * and kinks below it are averaged away. Regions are boxes, so that they and the bounds are one thing.
 *
 * Sources: Powell, "The BOBYQA algorithm for bound constrained optimization without derivatives", DAMTP 2009/NA06
 * (radii, choice of the point to drop); Ragonneau and Zhang, COBYQA, 2022. Ours: regions are boxes; the number of
 * points grows from 2 n + 1 to `maxPoints` as evaluations come.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { type Points, type Search, type SearchContext, type SearchSnapshot, type Step } from '../search/search.js';
import type { StrategyStop } from '../strategy.js';
import { minimizeInBox } from './box-quadratic.js';
import { Interpolation, type InterpolationSnapshot } from './interpolation.js';

const FIRST_RADIUS = 0.1;
const LAST_RADIUS = 1e-9;
/** Spread of the values, relative to them, that is rounding only. */
const MIN_SPREAD = 1e-13;
/** Points whose exchange would not make the system at least this much better conditioned stay. */
const MIN_DENOMINATOR = 0.1;
/** Part of a new point that the others do not represent, relative to its distance (4th power), for it to be added. */
const MIN_NOVELTY = 1e-4;
/** Away from the best point by more than this many regions: the quadratic is not local there. */
const FAR = 2;
/** The base moves with the best point when it is farther, in first radii of the system. */
/** Pairs of coordinates that are tried for a new diagonal point. */
const MAX_PAIRS = 24;
const MAX_DRIFT = 10;

interface TrustRegionStart {
  readonly x: Float64Array;
  /** Fitness of x, where it is known. */
  readonly fitness?: number;
  /** First radius as a share of the box; default 0.1. */
  readonly radius?: number;
}

interface Advance {
  readonly kind: 'advance';
  /** [n], from the best point. */
  readonly step: Float64Array;
  /** Decrease that the quadratic promises. */
  readonly decrease: number;
}

type Plan = Advance | { readonly kind: 'improve'; readonly t: number } | { readonly kind: 'extend' };

/**
 * Points of the quadratic: more than 2 n + 1 help along bent valleys, but as many as determine it fully make it follow
 * every kink (2-D).
 */
const maxPoints = (n: number): number => Math.max(2 * n + 1, Math.min(3 * n + 1, Math.floor(0.4 * (n + 1) * (n + 2))));

export class TrustRegion implements Search {
  private model: Interpolation | null = null;
  private x: Float64Array;
  private f: number;
  private delta: number;
  private rho: number;
  /** The last step failed: look at the points first. */
  private isSuspect = false;
  /** The next evaluation; null before the first points. */
  private plan: Plan | null = null;
  private reason: StrategyStop | null = null;

  constructor(
    private readonly context: SearchContext,
    start: TrustRegionStart,
  ) {
    this.x = start.x.slice();
    this.f = start.fitness ?? NaN;
    this.delta = this.rho = start.radius ?? FIRST_RADIUS;
  }

  end(): StrategyStop | null {
    return this.reason;
  }

  get fitness(): number {
    return this.f;
  }

  get point(): Float64Array {
    return this.x;
  }

  /** The first points, one step, or one better point. */
  *step(): Step {
    const { model, plan } = this;
    if (model === null || plan === null) yield* this.begin();
    else if (plan.kind === 'improve') yield* this.improve(model, plan.t);
    else if (plan.kind === 'extend') yield* this.extend(model);
    else yield* this.advance(model, plan);
    this.settle();
  }

  private *begin(): Step {
    const { n, archive } = this.context;
    const model = new Interpolation(this.x, maxPoints(n));
    const isKnown = !Number.isNaN(this.f);
    const first = design(this.x, this.delta);
    model.size = 2 * n + 1;
    model.points.set(first);
    const values = new Float64Array(model.capacity).fill(NaN);
    values[0] = this.f;
    if (!model.invert(this.delta)) throw new Error('trust-region: the first points determine a quadratic');

    for (const entry of this.nearby()) {
      const y = new Float64Array(n);
      for (let i = 0; i < n; i++) y[i] = archive.points[entry * n + i] - this.x[i];
      const weighing = model.weigh(y);
      let t = -1;
      let largest = MIN_DENOMINATOR;
      for (let k = 1; k < 2 * n + 1; k++) {
        if (!Number.isNaN(values[k])) continue;
        const denominator = model.denominator(k, weighing);
        if (denominator > largest) [t, largest] = [k, denominator];
      }
      if (t >= 0) model.exchange(t, y, weighing);
      else if (model.size < model.capacity && this.isNovel(y, weighing.novelty)) {
        t = model.size;
        model.append(y, weighing);
      } else continue;
      values[t] = archive.fitness[entry]!;
    }

    const open: number[] = [];
    for (let k = 0; k < model.size; k++) if (Number.isNaN(values[k])) open.push(k);
    if (open.length > 0) {
      const points = new Float64Array(open.length * n);
      open.forEach((k, row) => place(points, row * n, this.x, model.point(k)));
      const found = yield { points, count: open.length };
      open.forEach((k, row) => (values[k] = found[row]!));
    }
    this.f = values[0]!;
    if (!isKnown && this.f === Infinity) {
      this.reason = 'stalled';
      return;
    }
    const [level, finite] = failureLevel(values.subarray(0, model.size));
    if (finite === 0) {
      this.reason = 'stalled';
      return;
    }
    for (let k = 0; k < model.size; k++) {
      model.values[k] = Math.min(values[k], level);
      if (model.values[k] < model.values[model.best]) model.best = k;
    }
    this.model = model;
    this.note(model);
    if (!this.refit(model, this.delta)) this.reason = 'stalled';
  }

  /** Entries of the archive that are near the start but not too near, nearest first. */
  private nearby(): number[] {
    const { n, archive } = this.context;
    const found: [number, number][] = [];
    for (let entry = 0; entry < archive.size; entry++) {
      if (archive.isDifference(entry) || !(archive.fitness[entry] < Infinity)) continue;
      let distance = 0;
      for (let i = 0; i < n; i++) {
        distance = Math.max(distance, Math.abs(archive.points[entry * n + i] - this.x[i]));
      }
      if (distance <= FAR * this.delta && distance >= 0.1 * this.delta) found.push([distance, entry]);
    }
    found.sort(([a, entryA], [b, entryB]) => a - b || entryA - entryB);
    return found.slice(0, 2 * maxPoints(n)).map(([, entry]) => entry);
  }

  /** @param step from the best point to the new one */
  private isNovel(step: Float64Array, novelty: number): boolean {
    let square = 0;
    for (const v of step) square += v * v;
    square = Math.min(square, this.delta * this.delta);
    return novelty > MIN_NOVELTY * square * square;
  }

  /** Decides what to evaluate next: with the step that needed the last evaluation, so that the end is seen in time. */
  private settle(): void {
    this.plan = null;
    while (this.model !== null && this.reason === null && this.plan === null) this.plan = this.choose(this.model);
  }

  /** Plan of the next evaluation; null after a change of the radii. */
  private choose(model: Interpolation): Plan | null {
    if (this.isSuspect) {
      const far = this.farthest(model, this.near());
      if (far >= 0) return { kind: 'improve', t: far };
      if (model.size < model.capacity) return { kind: 'extend' };
    }
    const { lower, upper } = this.region(model, model.best, this.delta);
    const { step, decrease } = minimizeInBox(model.around(model.best), lower, upper);
    if (largestOf(step) >= 0.5 * this.rho && decrease > 0) return { kind: 'advance', step, decrease };
    this.delta = this.delta <= 15 * this.rho ? this.rho : 0.1 * this.delta;
    const far = this.farthest(model, FAR * this.delta);
    if (far >= 0) return { kind: 'improve', t: far };
    if (this.delta <= this.rho) this.refine(model);
    return null;
  }

  /** Points within this distance of the best one tell about the region. */
  private near(): number {
    return FAR * Math.max(this.delta, this.rho);
  }

  /** To the minimum of the quadratic in the region. */
  private *advance(model: Interpolation, { step, decrease }: Advance): Step {
    const { best } = model;
    const length = largestOf(step);
    const y = model.point(best).map((value, i) => value + step[i]);
    const value = yield* this.evaluate(model, y);
    const gain = model.values[best] - value;
    const ratio = gain / decrease;
    if (!this.take(model, y, value, gain > 0)) return;
    const half = 0.5 * this.delta;
    const wanted = ratio < 0.1 ? Math.min(half, length) : Math.max(half, ratio <= 0.7 ? length : 2 * length);
    this.delta = Math.min(0.5, wanted <= 1.5 * this.rho ? this.rho : wanted);
    this.isSuspect = ratio < 0.1;
    if (!this.isSuspect || model.size < model.capacity || this.farthest(model, this.near()) >= 0) return;
    if (!(ratio > 0) && Math.max(this.delta, length) <= this.rho) this.refine(model);
  }

  /** Moves point `t` to where its Lagrange function is largest near the best point. */
  private *improve(model: Interpolation, t: number): Step {
    const { n } = model;
    const { best } = model;
    const distance = distanceBetween(model.point(t), model.point(best));
    const radius = Math.max(Math.min(0.1 * distance, this.delta), this.rho);
    const form = model.lagrange(t, best);
    const negative = {
      gradient: form.gradient.map((value) => -value),
      multiply: (v: Float64Array, out: Float64Array) => {
        form.multiply(v, out);
        for (let i = 0; i < n; i++) out[i] = -out[i];
      },
    };
    const { lower, upper } = this.region(model, best, radius);
    const down = minimizeInBox(form, lower, upper);
    const up = minimizeInBox(negative, lower, upper);
    const { step } = down.decrease > up.decrease ? down : up;
    const y = model.point(best).map((value, i) => value + step[i]);
    const value = yield* this.evaluate(model, y);
    this.take(model, y, value, value < model.values[best], t);
    this.isSuspect = false;
  }

  /** Adds a point on a diagonal of two coordinates, for the mixed derivative that the points tell least about. */
  private *extend(model: Interpolation): Step {
    const { n } = model;
    const best = model.point(model.best);
    const { gradient } = model.around(model.best);
    const { lower, upper } = this.region(model, model.best, this.delta);
    let chosen = best;
    let largest = -Infinity;
    // All pairs in few dimensions; others in turn as the model grows.
    const pairs = n * (n >> 1);
    const first = pairs > MAX_PAIRS ? model.size * MAX_PAIRS : 0;
    for (let pair = first; pair < first + Math.min(pairs, MAX_PAIRS); pair++) {
      const i = pair % n;
      const apart = 1 + (Math.floor(pair / n) % (n >> 1));
      const y = best.slice();
      for (const k of [i, (i + apart) % n]) {
        const isDown = gradient[k] > 0 ? -lower[k] >= 0.5 * upper[k] : -lower[k] > 2 * upper[k];
        y[k] += isDown ? lower[k] : upper[k];
      }
      const { novelty } = model.weigh(y);
      if (novelty > largest) [chosen, largest] = [y, novelty];
    }
    const value = yield* this.evaluate(model, chosen);
    this.take(model, chosen, value, value < model.values[model.best]);
    this.isSuspect = false;
  }

  private *evaluate(model: Interpolation, y: Float64Array): Generator<Points, number, Float64Array> {
    const point = new Float64Array(model.n);
    place(point, 0, model.base, y);
    // What was rounded or clipped on the way is where the value belongs.
    for (let i = 0; i < model.n; i++) y[i] = point[i] - model.base[i];
    const answer = yield { points: point, count: 1 };
    return Math.min(answer[0], failureLevel(model.values.subarray(0, model.size))[0]);
  }

  /**
   * Takes an evaluated point into the model, in the place of `t` or of the point that is worth least; false where the
   * search ends instead.
   */
  private take(model: Interpolation, y: Float64Array, value: number, isBetter: boolean, t = -1): boolean {
    const around = isBetter ? y : model.point(model.best).slice();
    let at = -1;
    for (let attempt = 0; attempt < 2 && at < 0; attempt++) {
      if (attempt > 0 && !this.refit(model, this.delta, y)) return false;
      const weighing = model.weigh(y);
      const isFull = model.size === model.capacity;
      if (
        t < 0 &&
        !isFull &&
        this.isNovel(
          y.map((v, i) => v - around[i]),
          weighing.beta,
        )
      ) {
        if (this.farthest(model, this.near()) < 0) {
          at = model.size;
          model.append(y, weighing);
          break;
        }
      }
      if (t < 0) at = this.leastUseful(model, weighing, around, isBetter);
      else if (model.denominator(t, weighing) > 0) at = t;
      if (at >= 0) model.exchange(at, y, weighing);
    }
    if (at < 0) {
      // Rounding has it all: begin again around the best point.
      this.model = null;
      return false;
    }
    model.learn(at, value);
    this.note(model);
    if (model.isStale || model.drift > MAX_DRIFT) return this.refit(model, this.delta);
    return true;
  }

  private leastUseful(
    model: Interpolation,
    weighing: ReturnType<Interpolation['weigh']>,
    around: Float64Array,
    isBetter: boolean,
  ): number {
    let found = -1;
    let largest = 0;
    for (let k = 0; k < model.size; k++) {
      if (k === model.best && !isBetter) continue;
      const share = distanceBetween(model.point(k), around) / this.delta;
      const weight = Math.max(1, share * share * share * share) * model.denominator(k, weighing);
      if (weight > largest) [found, largest] = [k, weight];
    }
    return found;
  }

  /** The next finer resolution, or the end. */
  private refine(model: Interpolation): void {
    this.isSuspect = false;
    if (spreadOf(model) <= MIN_SPREAD * Math.abs(model.values[model.best])) {
      this.reason = 'tolFun';
      return;
    }
    if (this.rho <= LAST_RADIUS) {
      this.reason = 'tolX';
      return;
    }
    const share = this.rho / LAST_RADIUS;
    const next = share <= 16 ? LAST_RADIUS : share <= 250 ? Math.sqrt(share) * LAST_RADIUS : 0.1 * this.rho;
    this.delta = Math.max(0.5 * this.rho, next);
    this.rho = next;
    this.refit(model, this.delta);
  }

  private refit(model: Interpolation, scale: number, y?: Float64Array): boolean {
    const before = model.base.slice();
    const isSound = model.refit(scale);
    if (y !== undefined) for (let i = 0; i < model.n; i++) y[i] -= model.base[i] - before[i];
    if (!isSound) this.model = null;
    return isSound;
  }

  /** The part of the box within `radius` of point `k`, relative to it. */
  private region(model: Interpolation, k: number, radius: number): { lower: Float64Array; upper: Float64Array } {
    const y = model.point(k);
    const x = model.base.map((value, i) => value + y[i]);
    return {
      lower: x.map((value) => Math.min(0, Math.max(-radius, -value))),
      upper: x.map((value) => Math.max(0, Math.min(radius, 1 - value))),
    };
  }

  /** The point farthest from the best one, if farther than `distance`; else -1. */
  private farthest(model: Interpolation, distance: number): number {
    const best = model.point(model.best);
    let found = -1;
    let largest = distance;
    for (let k = 0; k < model.size; k++) {
      const away = distanceBetween(model.point(k), best);
      if (away > largest) [found, largest] = [k, away];
    }
    return found;
  }

  private note(model: Interpolation): void {
    const y = model.point(model.best);
    this.x = model.base.map((value, i) => clamp(value + y[i]));
    this.f = model.values[model.best]!;
  }

  snapshot(): SearchSnapshot {
    const { plan } = this;
    return {
      model: this.model?.snapshot() ?? null,
      plan: plan?.kind === 'advance' ? { ...plan, step: encodeFloats(plan.step) } : plan,
      x: encodeFloats(this.x),
      numbers: encodeFloats(Float64Array.of(this.f, this.delta, this.rho)),
      isSuspect: this.isSuspect,
      end: this.reason,
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): TrustRegion {
    const s = snapshot as {
      model: InterpolationSnapshot | null;
      plan: Exclude<Plan, Advance> | { kind: 'advance'; step: string; decrease: number } | null;
      x: string;
      numbers: string;
      isSuspect: boolean;
      end: StrategyStop | null;
    };
    const { n } = context;
    const search = new TrustRegion(context, { x: decodeFloats(s.x, n) });
    const [f, delta, rho] = decodeFloats(s.numbers, 3);
    search.model = s.model === null ? null : Interpolation.restore(n, maxPoints(n), s.model);
    search.plan = s.plan?.kind === 'advance' ? { ...s.plan, step: decodeFloats(s.plan.step, n) } : s.plan;
    search.f = f!;
    search.delta = delta!;
    search.rho = rho!;
    search.isSuspect = s.isSuspect;
    search.reason = s.end;
    return search;
  }
}

/**
 * x and, along each coordinate, a point on both sides, or two on one side where there is no room: [2 n + 1, n], minus
 * x.
 */
function design(x: Float64Array, radius: number): Float64Array {
  const n = x.length;
  const points = new Float64Array((2 * n + 1) * n);
  for (let i = 0; i < n; i++) {
    const isAbove = x[i] + radius <= 1;
    const isBelow = x[i] - radius >= 0;
    points[(1 + i) * n + i] = isAbove ? radius : -radius;
    points[(1 + n + i) * n + i] = isAbove && isBelow ? -radius : isAbove ? 2 * radius : -2 * radius;
  }
  return points;
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

function place(out: Float64Array, start: number, base: Float64Array, y: Float64Array): void {
  for (let i = 0; i < base.length; i++) out[start + i] = clamp(base[i] + y[i]);
}

function largestOf(v: Float64Array): number {
  let largest = 0;
  for (const value of v) largest = Math.max(largest, Math.abs(value));
  return largest;
}

function distanceBetween(a: Float64Array, b: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

function spreadOf(model: Interpolation): number {
  let highest = -Infinity;
  for (let k = 0; k < model.size; k++) highest = Math.max(highest, model.values[k]);
  return highest - model.values[model.best];
}

/** Value that a failed evaluation counts as, worse than all others but not by much; and how many have not failed. */
function failureLevel(values: Float64Array): [number, number] {
  let lowest = Infinity;
  let highest = -Infinity;
  let finite = 0;
  for (const value of values) {
    if (value === Infinity) continue;
    finite++;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return [Math.min(Number.MAX_VALUE, highest + Math.max(highest - lowest, Math.abs(highest), 1)), finite];
}
