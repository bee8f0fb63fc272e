/**
 * Searches each coordinate by itself under noise, for sums of functions of single coordinates.
 *
 * A scan samples every axis as `CoordinateSearch` does. The descent then goes in rounds: the point itself a few times,
 * which shows the noise, and two more points along each coordinate, at distances over which the function changes by
 * several times the noise. A parabola along each gives its minimum, which enters an estimate with a variance, as in a
 * Kalman filter: where noise falls with the value, each round forgets the last; where it does not, rounds are averaged.
 * When no round is better, the axes are scanned again, more closely and with less noise.
 *
 * Early in the first scan, and after it, it asks whether coordinates have to do with each other close to the best
 * point, as those of a sum with a common limit have. Each round of the descent tells, too. Then others search better,
 * as they do where each axis has one valley.
 *
 * The widths follow Moré and Wild, "Estimating derivatives of noisy functions", ACM TOMS 38, 2012.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { type Search, type SearchContext, type SearchSnapshot, type Step, evaluatePoint } from '../search/search.js';
import { isSumCloseBy } from '../search/sum-under-noise.js';
import type { StrategyStop } from '../strategy.js';
import {
  type Axis,
  AxisWork,
  bestIndex,
  decodeAxis,
  encodeAxis,
  freshAxes,
  type SavedAxis,
} from './coordinate-search.js';

/** Samples per axis of the first two scans, the factor for each further one, and the most. */
const FIRST_SCAN = 40;
const SCAN_GROWTH = 1.25;
const LAST_SCAN = 400;
/**
 * Samples per axis from which the search ends if each axis has one valley: fewer may all lie at the same place of a
 * ripple. How far a valley may be from even, in standard deviations.
 */
const ONE_VALLEY_SAMPLES = 14;
const UNEVEN = 6;
/** Scans that find no better valley, in a row, after which the search ends. */
const BARREN_SCANS = 3;
/** Samples per axis after which it is first asked whether it is a sum close by; again after the first scan. */
const FIRST_LOOK = 6;
/** By how much points of that question are higher than the best one, in standard deviations of the noise. */
const CLEAR_RISE = 20;
/** Evaluations of the point itself in each round, and for that question. */
const REPEATS = 3;
/** Change of the function over the width, in standard deviations of the noise. */
const RISE = 10;
/** Widening of a look that saw nothing but noise. */
const WIDENING = 4;
/** Standard deviations that are more than noise. */
const CLEAR = 2;
const SURE = 3;
/** Rounds without a better value after which the descent ends. */
const FRUITLESS_ROUNDS = 3;
/** Rounds in a row that make it worse, and rounds that show a product of coordinates, after which the search ends. */
const FAILED_ROUNDS = 3;
const MIXED_ROUNDS = 2;
/** Standard deviations of the noise, and share of the terms, by which a move of all coordinates misses their sum. */
const MIXED_NOISE = 5;
const MIXED_SHARE = 0.3;
/** The noise of a round is at least this share of that of the last: three values may agree by chance. */
const LEAST_NOISE = 0.15;
const LEAST_WIDTH = 1e-10;
/** How far the minimum of a parabola moves between two rounds, in widths, and its curvature, relative to it. */
const DRIFT = 0.05;
const CURVATURE_DRIFT = 0.2;
/** Evaluations per dimension below which no scan begins. */
const LEAST_LEFT = 12;

/** All [n]. Location of the minimum with its variance, curvature with its variance, half the width of a look. */
interface Estimates {
  readonly at: Float64Array;
  readonly variance: Float64Array;
  readonly curvature: Float64Array;
  readonly curvatureVariance: Float64Array;
  readonly width: Float64Array;
  /** Widest looks. */
  readonly cap: Float64Array;
}

interface State {
  readonly phase: 'scan' | 'question' | 'descent' | 'done';
  readonly base: Float64Array;
  readonly f: number;
  readonly axes: readonly Axis[];
  readonly turn: number;
  readonly samples: number;
  readonly noise: number;
  readonly estimates: Estimates | null;
  /** The base of the latest round that was not worse. */
  readonly before: Float64Array;
  readonly fBefore: number;
  /** `fBefore` when the latest descent ended. */
  readonly fDescended: number;
  readonly fruitless: number;
  readonly failed: number;
  readonly mixed: number;
  /** It has ended because coordinates have to do with each other. */
  readonly isMisplaced: boolean;
  /** How often it was asked whether it is a sum close by. */
  readonly asked: number;
  /** Of the values of the point then. */
  readonly deviation: number;
  /** Scans that have ended in a descent without an end of the search, and those of them in a row that were in vain. */
  readonly scans: number;
  readonly barren: number;
}

export class NoisyCoordinateSearch implements Search {
  private state: State;

  constructor(
    private readonly context: SearchContext,
    start: { readonly x: Float64Array; readonly fitness?: number },
    snapshot?: SearchSnapshot,
  ) {
    this.state =
      snapshot === undefined
        ? {
            phase: 'scan',
            base: start.x.slice(),
            f: start.fitness ?? NaN,
            axes: freshAxes(start.x),
            turn: 0,
            samples: FIRST_SCAN,
            noise: 0,
            estimates: null,
            before: start.x.slice(),
            fBefore: Infinity,
            fDescended: Infinity,
            fruitless: 0,
            failed: 0,
            mixed: 0,
            isMisplaced: false,
            asked: 0,
            deviation: 0,
            scans: 0,
            barren: 0,
          }
        : decode(snapshot, context.n);
  }

  end(): StrategyStop | null {
    return this.state.phase === 'done' ? 'stalled' : null;
  }

  get isMisplaced(): boolean {
    return this.state.isMisplaced;
  }

  *step(): Step {
    const { phase, estimates } = this.state;
    if (phase === 'question') yield* this.ask();
    else if (phase === 'scan' || estimates === null) yield* this.scan();
    else yield* this.descend(estimates);
  }

  /** Whether it is a sum close to the best point, too. */
  private *ask(): Step {
    const { n, rng } = this.context;
    const { base, axes, asked, estimates } = this.state;
    const points = new Float64Array(REPEATS * n);
    for (let row = 0; row < REPEATS; row++) points.set(base, row * n);
    const { mean, deviation } = spreadOf(yield { points, count: REPEATS });
    const move = (i: number, isUp: boolean): number => away(axes[i], base[i], CLEAR_RISE * deviation, isUp);
    const isSum = yield* isSumCloseBy(base, mean, move, asked === 0, rng);
    const next = estimates === null ? 'scan' : 'descent';
    this.state = { ...this.state, phase: isSum ? next : 'done', isMisplaced: !isSum, deviation, asked: asked + 1 };
  }

  private *scan(): Step {
    const { n, budget, archive } = this.context;
    let s = this.state;
    if (Number.isNaN(s.f)) s = { ...s, f: yield* evaluatePoint(s.base) };
    const work = new AxisWork(s, s.turn);
    yield* work.sample();
    const axes = s.axes.map((axis, i) => (i === s.turn ? work.axis() : axis));
    s = { ...s, base: work.base, f: work.f, axes, turn: (s.turn + 1) % n };
    if (s.turn !== 0) {
      this.state = s;
      return;
    }
    const samples = Math.min(...axes.map((axis) => axis.t.length));
    // One valley is as well left to others: a population loses nothing to noise there, and meets better points than the
    // mean of few where the noise stays.
    const hasOneValley =
      s.scans === 0 && samples >= ONE_VALLEY_SAMPLES && axes.every((axis) => isValley(axis, UNEVEN * s.deviation));
    if (hasOneValley) {
      this.state = { ...s, phase: 'done' };
      return;
    }
    const isOver = samples >= s.samples || budget - archive.evaluations < LEAST_LEFT * n;
    if (isOver) s = { ...s, ...descentFrom(s.base, axes) };
    const isAsked = s.scans === 0 && (isOver || (s.asked === 0 && samples >= FIRST_LOOK));
    this.state = isAsked ? { ...s, phase: 'question' } : s;
  }

  /** One round. */
  private *descend(estimates: Estimates): Step {
    const { n, rng } = this.context;
    const s = this.state;
    const { base } = s;
    const offsets = Array.from(base, (x, i) => looks(x, estimates.width[i]));
    const sides = offsets.map(() => (rng.uniform() < 0.5 ? 0 : 1));
    const rows = REPEATS + 2 * n + 1;
    const points = new Float64Array(rows * n);
    for (let row = 0; row < rows; row++) points.set(base, row * n);
    offsets.forEach((pair, i) => {
      pair.forEach((offset, k) => (points[(REPEATS + 2 * i + k) * n + i] = base[i] + offset));
      points[(rows - 1) * n + i] = base[i] + pair[sides[i]];
    });
    const values = yield { points, count: rows };

    const { mean: f, deviation } = spreadOf(values.subarray(0, REPEATS));
    const noise = Math.max(deviation, LEAST_NOISE * s.noise, Number.MIN_VALUE);
    const most = Math.max(noise, s.noise);
    if (!(f <= s.fBefore + SURE * most && f < Infinity)) {
      const failed = s.failed + 1;
      const phase = failed < FAILED_ROUNDS ? 'descent' : 'done';
      this.state = { ...s, phase, failed, base: s.before, estimates: narrower(estimates, s.before) };
      return;
    }
    const moves = offsets.map((_, i) => [values[REPEATS + 2 * i] - f, values[REPEATS + 2 * i + 1] - f] as const);
    const mixed =
      s.mixed +
      (isMixed(
        values[rows - 1] - f,
        moves.map((pair, i) => pair[sides[i]]),
        most,
      )
        ? 1
        : 0);
    const next = copyOf(estimates);
    const seen = offsets.map((offset, i) => learn(next, i, base[i], offset, moves[i], noise));
    const isBetter = f < s.fBefore - most;
    // A look that saw nothing is no round without a gain.
    const fruitless = isBetter ? 0 : s.fruitless + (seen.every((one) => one) ? 1 : 0);
    const after: State = {
      ...s,
      base: next.at.slice(),
      f,
      noise,
      before: base,
      fBefore: f,
      fruitless,
      failed: 0,
      mixed,
    };
    this.state = this.judged({ ...after, estimates: next }, next.width);
  }

  private judged(s: State, width: Float64Array): State {
    const { n, archive, budget } = this.context;
    if (s.mixed >= MIXED_ROUNDS) return { ...s, phase: 'done', isMisplaced: true };
    if (width.every((w) => w <= LEAST_WIDTH)) return { ...s, phase: 'done' };
    if (s.fruitless < FRUITLESS_ROUNDS) return s;
    const barren = s.fBefore < s.fDescended - SURE * s.noise ? 0 : s.barren + 1;
    if (barren >= BARREN_SCANS) return { ...s, phase: 'done' };
    if (budget - archive.evaluations < LEAST_LEFT * n) return s;
    return {
      ...s,
      phase: 'scan',
      base: s.before,
      f: s.fBefore,
      axes: freshAxes(s.before),
      turn: 0,
      samples: Math.min(LAST_SCAN, s.scans > 0 ? Math.ceil(SCAN_GROWTH * s.samples) : s.samples),
      fDescended: s.fBefore,
      scans: s.scans + 1,
      barren,
    };
  }

  snapshot(): SearchSnapshot {
    const { base, f, axes, noise, deviation, estimates, before, fBefore, fDescended, ...rest } = this.state;
    return {
      ...rest,
      underNoise: true,
      base: encodeFloats(base),
      before: encodeFloats(before),
      numbers: encodeFloats(Float64Array.of(f, noise, deviation, fBefore, fDescended)),
      axes: axes.map(encodeAxis),
      estimates:
        estimates === null
          ? null
          : Object.fromEntries(Object.entries(estimates).map(([name, v]) => [name, encodeFloats(v as Float64Array)])),
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): NoisyCoordinateSearch {
    return new NoisyCoordinateSearch(context, { x: new Float64Array(context.n) }, snapshot);
  }
}

type Saved = Omit<
  State,
  'base' | 'before' | 'f' | 'noise' | 'deviation' | 'fBefore' | 'fDescended' | 'axes' | 'estimates'
> & {
  readonly base: string;
  readonly before: string;
  readonly numbers: string;
  readonly axes: readonly SavedAxis[];
  readonly estimates: Readonly<Record<keyof Estimates, string>> | null;
};

function decode(snapshot: SearchSnapshot, n: number): State {
  const { base, before, numbers, axes, estimates, ...rest } = snapshot as unknown as Saved;
  const [f, noise, deviation, fBefore, fDescended] = decodeFloats(numbers, 5);
  return {
    ...rest,
    base: decodeFloats(base, n),
    before: decodeFloats(before, n),
    f,
    noise,
    deviation,
    fBefore,
    fDescended,
    axes: axes.map(decodeAxis),
    estimates:
      estimates === null
        ? null
        : (Object.fromEntries(
            Object.entries(estimates).map(([name, text]) => [name, decodeFloats(text, n)]),
          ) as unknown as Estimates),
  };
}

function spreadOf(values: Float64Array): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}

/** Down to the best sample, up after it, but for steps of up to `noise`. */
function isValley({ value }: Axis, noise: number): boolean {
  const best = bestIndex(value);
  return value.every((v, k) => k === 0 || (k <= best ? v <= value[k - 1] + noise : v >= value[k - 1] - noise));
}

/** A descent from the best samples. */
const descentFrom = (base: Float64Array, axes: readonly Axis[]): Partial<State> => ({
  phase: 'descent',
  estimates: firstEstimates(base, axes),
  before: base,
  fBefore: Infinity,
  fruitless: 0,
  failed: 0,
});

/** The nearest sample to one side of `x` that is higher by `rise`, or the last; at a bound, to the other side. */
function away({ t, value }: Axis, x: number, rise: number, isUp: boolean): number {
  const own = Math.max(0, t.indexOf(x));
  const towards = (step: number): number | null => {
    let found: number | null = null;
    for (let k = own + step; k >= 0 && k < t.length; k += step) {
      if (!(value[k] < Infinity)) continue;
      found = t[k];
      if (value[k] - value[own] >= rise) break;
    }
    return found;
  };
  return towards(isUp ? 1 : -1) ?? towards(isUp ? -1 : 1) ?? x;
}

/** Whether a move of all coordinates at once changes the value otherwise than by the sum of `moves`. */
function isMixed(all: number, moves: readonly number[], noise: number): boolean {
  const n = moves.length;
  const missed = Math.abs(all - moves.reduce((sum, value) => sum + value, 0));
  const deviation = noise * Math.sqrt(n + 1 + (n - 1) ** 2 / REPEATS);
  const rise = moves.reduce((sum, value) => sum + Math.abs(value), 0);
  return missed > MIXED_NOISE * deviation && missed > MIXED_SHARE * rise;
}

function firstEstimates(base: Float64Array, axes: readonly Axis[]): Estimates {
  const n = base.length;
  const width = new Float64Array(n);
  const cap = new Float64Array(n);
  axes.forEach(({ t }, i) => {
    const k = Math.max(0, t.indexOf(base[i]));
    const left = k > 0 ? t[k] - t[k - 1] : Infinity;
    const right = k < t.length - 1 ? t[k + 1] - t[k] : Infinity;
    width[i] = Math.max(Math.min(left, right), 1e-6);
    cap[i] = Math.max(left < Infinity ? left : 0, right < Infinity ? right : 0, width[i]);
  });
  return {
    at: base.slice(),
    variance: width.map((w) => w * w),
    curvature: new Float64Array(n),
    curvatureVariance: new Float64Array(n).fill(Infinity),
    width,
    cap,
  };
}

const copyOf = (e: Estimates): Estimates => ({
  at: e.at.slice(),
  variance: e.variance.slice(),
  curvature: e.curvature.slice(),
  curvatureVariance: e.curvatureVariance.slice(),
  width: e.width.slice(),
  cap: e.cap.slice(),
});

/** Back at `before`, with half the widths. */
function narrower(e: Estimates, before: Float64Array): Estimates {
  const width = e.width.map((w) => 0.5 * w);
  return { ...e, at: before.slice(), variance: width.map((w) => w * w), width };
}

/** Two points at `x`, on both sides, or on one where there is no room. */
function looks(x: number, width: number): readonly [number, number] {
  const w = Math.min(width, 0.5);
  if (x - w < 0) return x + 2 * w <= 1 && x < 0.5 * w ? [w, 2 * w] : [x > 0 ? -x : w, w];
  if (x + w > 1) return x - 2 * w >= 0 && 1 - x < 0.5 * w ? [-w, -2 * w] : [-w, x < 1 ? 1 - x : -w];
  return [-w, w];
}

/** Takes in what was seen along coordinate `i` of a base at `x`; false where all of it may be noise. */
function learn(
  e: Estimates,
  i: number,
  x: number,
  [o1, o2]: readonly [number, number],
  [y1, y2]: readonly [number, number],
  noise: number,
): boolean {
  const w = e.width[i];
  // The parabola's curvature and slope are c1 y1 + c2 y2 and d1 y1 + d2 y2.
  const c1 = 2 / (o1 * (o1 - o2));
  const c2 = -2 / (o2 * (o1 - o2));
  const d1 = 1 / o1 - 0.5 * c1 * o1;
  const d2 = -0.5 * c2 * o1;
  const varianceOf = (a: number, b: number): number => noise * noise * (a * a + b * b + ((a + b) * (a + b)) / REPEATS);
  const seen = c1 * y1 + c2 * y2;
  const slope = d1 * y1 + d2 * y2;
  if (!Number.isFinite(seen) || !Number.isFinite(slope)) {
    e.width[i] = 0.5 * w;
    return true;
  }
  const known = e.curvatureVariance[i] + (CURVATURE_DRIFT * e.curvature[i]) ** 2;
  const gain = shareOf(known, varianceOf(c1, c2));
  const curvature = e.curvature[i] + gain * (seen - e.curvature[i]);
  const curvatureVariance = known < Infinity ? (1 - gain) * known : varianceOf(c1, c2);
  e.curvature[i] = curvature;
  e.curvatureVariance[i] = curvatureVariance;
  const slopeVariance = varianceOf(d1, d2);
  if (!(curvature > CLEAR * Math.sqrt(curvatureVariance))) {
    if (w >= e.cap[i]) e.cap[i] = Math.min(0.5, 2 * e.cap[i]);
    e.width[i] = Math.min(WIDENING * w, e.cap[i]);
    e.variance[i] = Infinity;
    const isSlope = Math.abs(slope) > CLEAR * Math.sqrt(slopeVariance);
    e.at[i] = isSlope ? clamp(x + (y1 < y2 ? o1 : o2)) : x;
    return false;
  }
  const wanted = -slope / curvature;
  const step = Math.max(-2 * w, Math.min(2 * w, wanted));
  const before = step === wanted ? e.variance[i] + (DRIFT * w) ** 2 : Infinity;
  // NaN where the squares of tiny numbers are 0: nothing of the noise is left.
  const variance = (slopeVariance + step * step * curvatureVariance) / (curvature * curvature) || 0;
  const share = shareOf(before, variance);
  e.at[i] = clamp(before < Infinity ? e.at[i] + share * (x + step - e.at[i]) : x + step);
  e.variance[i] = step !== wanted ? Infinity : before < Infinity ? (1 - share) * before : variance;
  const next = Math.sqrt((2 * RISE * noise) / curvature);
  e.width[i] = Math.min(e.cap[i], Math.max(0.1 * w, Math.min(2 * w, next)));
  return true;
}

/** What a new measurement counts beside an estimate. */
const shareOf = (known: number, measured: number): number =>
  known < Infinity && known + measured > 0 ? known / (known + measured) : 1;

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
