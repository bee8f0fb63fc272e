/**
 * Searches each coordinate by itself: for additively separable objectives, f(x) = sum of f_i(x_i). Global along every
 * axis, so that many local minima do not trap it.
 *
 * Along an axis it bisects the interval that could most easily hide a better value: the one where the flattest parabola
 * through both ends reaches below the best (STEP: Swarzberg, Seront and Bersini, "S.T.E.P.: the easiest way to optimize
 * a function", 1994). The best sample of each axis is polished by parabolic interpolation (Brent), all axes by turns,
 * so that a budget that ends early leaves none behind.
 *
 * Each time the samples have become four times as many, points aside along all axes are compared with the sum. What is
 * no sum may look like one far from its optimum, as where a limit is passed everywhere.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../search/search.js';
import { brentStep, parabolaMinimum } from '../search/brent-step.js';
import type { StrategyStop } from '../strategy.js';

const FIRST_SAMPLES = 6;
/** Samples per axis after which axes that look unimodal are polished. */
const UNIMODAL_SAMPLES = 12;
/** After so many, all are polished and the sampling goes on with four times as many, up to a last time. */
const FIRST_CYCLE = 160;
const LAST_CYCLE = 640;
/** Evaluations kept for the polish of one axis. */
const POLISH_RESERVE = 14;
const POLISH_LIMIT = 40;
const POLISH_BRACKET = 1e-9;
/** The sum is tested again once there are so many times as many samples. */
const TEST_AGAIN = 4;
/** Error that a sum may have: a share of its terms, and of all values along the axes, whose rounding they carry. */
const SUM_TOLERANCE = 1e-9;
const ROUNDING = 1e-13;
/** Weight, by width, of an interval with a failed end: less than any between two finite values, more than nothing. */
const SHARE_BESIDE_FAILURE = 2 ** -1022;

/** Samples of one axis in increasing `t`; `value` relative to the base point's f when the search began. */
export interface Axis {
  readonly t: readonly number[];
  readonly value: readonly number[];
  /** Where the best sample was when it was polished; -1 before. */
  readonly polishedAt: number;
  readonly polish: Polish;
}

/** How far the polish of one axis has come: steps taken, and the lengths of the last two. */
interface Polish {
  readonly steps: number;
  readonly last: number;
  readonly beforeLast: number;
}

const NO_POLISH: Polish = { steps: 0, last: Infinity, beforeLast: Infinity };

/** Of a search that begins at `x` [n]: the base point alone is sampled. */
export const freshAxes = (x: Float64Array): readonly Axis[] =>
  Array.from(x, (t) => ({ t: [t], value: [0], polishedAt: -1, polish: NO_POLISH }));

interface State {
  readonly base: Float64Array;
  readonly f: number;
  readonly axes: readonly Axis[];
  readonly phase: 'sample' | 'polish' | 'done';
  /** The axis whose turn it is. */
  readonly turn: number;
  readonly cycle: number;
  /** Evaluations of the run when the current round over the axes began. */
  readonly roundBegan: number;
  /** Samples of every axis with which the sum is put to the test again. */
  readonly nextTest: number;
  /** The objective is no sum. */
  readonly isMisplaced: boolean;
}

export class CoordinateSearch implements Search {
  private state: State;

  constructor(
    private readonly context: SearchContext,
    start: { readonly x: Float64Array; readonly fitness?: number },
    snapshot?: SearchSnapshot,
  ) {
    this.state =
      snapshot === undefined
        ? {
            base: start.x.slice(),
            f: start.fitness ?? NaN,
            axes: freshAxes(start.x),
            phase: 'sample',
            turn: 0,
            cycle: FIRST_CYCLE,
            roundBegan: context.archive.evaluations,
            nextTest: FIRST_SAMPLES,
            isMisplaced: false,
          }
        : decode(snapshot, context.n);
  }

  end(): StrategyStop | null {
    return this.state.phase === 'done' ? 'tolX' : null;
  }

  get fitness(): number {
    return this.state.f;
  }

  get isMisplaced(): boolean {
    return this.state.isMisplaced;
  }

  /** The next sample, or the next step of the polish, of one axis. */
  *step(): Step {
    let s = this.state;
    if (Number.isNaN(s.f)) s = { ...s, f: yield* evaluatePoint(s.base) };
    if (this.context.n > 1 && s.phase === 'sample' && s.turn === 0 && fewestSamples(s) >= s.nextTest) {
      const isMisplaced = s.isMisplaced || !(yield* this.isSum(s));
      s = { ...s, isMisplaced, nextTest: TEST_AGAIN * fewestSamples(s) };
    }
    const work = new AxisWork(s, s.turn);
    if (s.phase === 'polish') yield* work.polish();
    else yield* work.sample();
    const axes = s.axes.map((axis, i) => (i === s.turn ? work.axis() : axis));
    this.state = this.advance({ ...s, base: work.base, f: work.f, axes });
  }

  /** Whether points one sample below and above the base, and at the ends far from it, are as a sum would have them. */
  private *isSum({ base, f, axes }: State): Generator<Points, boolean, Float64Array> {
    if (!(f < Infinity)) return true;
    const { n } = this.context;
    const asides: readonly ((here: number, last: number) => number)[] = [
      (here) => here - 1,
      (here) => here + 1,
      (here, last) => (2 * here < last ? last : 0),
    ];
    const points = new Float64Array(asides.length * n);
    const expected = new Float64Array(asides.length).fill(f);
    const tolerance = new Float64Array(asides.length);
    asides.forEach((aside, row) => {
      for (let i = 0; i < n; i++) {
        const { t, value } = axes[i];
        const here = t.indexOf(base[i]);
        const other = aside(here, t.length - 1);
        const isSampled = value[other] < Infinity;
        points[row * n + i] = isSampled ? t[other] : base[i];
        if (!isSampled) continue;
        const step = value[other] - value[here];
        expected[row] += step;
        const range = value.reduce((most, v) => (v < Infinity ? Math.max(most, Math.abs(v)) : most), 0);
        tolerance[row] += SUM_TOLERANCE * Math.abs(step) + ROUNDING * range;
      }
    });
    const values = yield { points, count: asides.length };
    return values.every(
      (value, row) =>
        Math.abs(value - expected[row]) <= tolerance[row] + SUM_TOLERANCE * (Math.abs(f) + Math.abs(value)),
    );
  }

  private advance(s: State): State {
    const { n, archive, budget } = this.context;
    if (s.phase === 'polish') {
      const next = nextUnpolished(s.axes, s.turn + 1);
      if (next !== null) return { ...s, turn: next };
      const isDone =
        s.cycle >= LAST_CYCLE || s.axes.every(isUnimodal) || budget - archive.evaluations < 2 * POLISH_RESERVE * n;
      return isDone
        ? { ...s, phase: 'done' }
        : { ...s, phase: 'sample', turn: 0, cycle: 4 * s.cycle, roundBegan: archive.evaluations };
    }
    if (s.turn + 1 < n) return { ...s, turn: s.turn + 1 };
    // No interval can be split any more.
    if (s.roundBegan === archive.evaluations) return { ...s, phase: 'done' };
    const samples = fewestSamples(s);
    const unpolished = s.axes.filter((axis) => !isPolished(axis)).length;
    const left = budget - archive.evaluations;
    const isTime =
      (samples >= UNIMODAL_SAMPLES && s.axes.every(isUnimodal)) ||
      samples >= s.cycle ||
      left <= POLISH_RESERVE * unpolished + n;
    if (!isTime) return { ...s, turn: 0, roundBegan: archive.evaluations };
    const turn = nextUnpolished(s.axes, 0);
    if (turn === null) return { ...s, phase: 'done' };
    return { ...s, phase: 'polish', turn, axes: s.axes.map((axis) => ({ ...axis, polish: NO_POLISH })) };
  }

  snapshot(): SearchSnapshot {
    const s = this.state;
    return {
      base: encodeFloats(s.base),
      f: encodeFloats(Float64Array.of(s.f)),
      axes: s.axes.map(encodeAxis),
      phase: s.phase,
      turn: s.turn,
      cycle: s.cycle,
      roundBegan: s.roundBegan,
      nextTest: s.nextTest,
      isMisplaced: s.isMisplaced,
    };
  }

  static restore(context: SearchContext, snapshot: SearchSnapshot): CoordinateSearch {
    return new CoordinateSearch(context, { x: new Float64Array(context.n) }, snapshot);
  }
}

export interface SavedAxis {
  readonly samples: number;
  readonly t: string;
  readonly value: string;
  readonly polishedAt: number;
  readonly polish: string;
}

export const encodeAxis = ({ t, value, polishedAt, polish }: Axis): SavedAxis => ({
  samples: t.length,
  t: encodeFloats(Float64Array.from(t)),
  value: encodeFloats(Float64Array.from(value)),
  polishedAt,
  polish: encodeFloats(Float64Array.of(polish.steps, polish.last, polish.beforeLast)),
});

export function decodeAxis({ samples, t, value, polishedAt, polish }: SavedAxis): Axis {
  const [steps, last, beforeLast] = decodeFloats(polish, 3);
  return {
    t: Array.from(decodeFloats(t, samples)),
    value: Array.from(decodeFloats(value, samples)),
    polishedAt,
    polish: { steps, last, beforeLast },
  };
}

function decode(snapshot: SearchSnapshot, n: number): State {
  const s = snapshot as unknown as Omit<State, 'base' | 'f' | 'axes'> & {
    base: string;
    f: string;
    axes: SavedAxis[];
  };
  return {
    base: decodeFloats(s.base, n),
    f: decodeFloats(s.f, 1)[0],
    axes: s.axes.map(decodeAxis),
    phase: s.phase,
    turn: s.turn,
    cycle: s.cycle,
    roundBegan: s.roundBegan,
    nextTest: s.nextTest,
    isMisplaced: s.isMisplaced,
  };
}

const fewestSamples = ({ axes }: State): number => axes.reduce((least, { t }) => Math.min(least, t.length), Infinity);

export function bestIndex(values: readonly number[]): number {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] < values[best]) best = k;
  return best;
}

const isPolished = (axis: Axis): boolean =>
  axis.t[bestIndex(axis.value)] === axis.polishedAt || polishStep(axis) === null;

/** The first axis from `from` on, and then from the beginning, that is not polished. */
function nextUnpolished(axes: readonly Axis[], from: number): number | null {
  for (let k = 0; k < axes.length; k++) {
    const index = (from + k) % axes.length;
    if (!isPolished(axes[index])) return index;
  }
  return null;
}

/** Down to the best sample, up after it. */
function isUnimodal({ value }: Axis): boolean {
  const best = bestIndex(value);
  for (let k = 1; k < value.length; k++) {
    if (k <= best ? value[k] > value[k - 1] : value[k] < value[k - 1]) return false;
  }
  return true;
}

/** The samples of one axis while a step adds to them, with the base point, which moves to every improvement. */
export class AxisWork {
  readonly t: number[];
  private readonly value: number[];
  base: Float64Array;
  f: number;
  private polishedAt: number;
  private progress: Polish;

  constructor(
    state: Pick<State, 'axes' | 'base' | 'f'>,
    private readonly index: number,
  ) {
    const axis = state.axes[index];
    this.t = [...axis.t];
    this.value = [...axis.value];
    this.polishedAt = axis.polishedAt;
    this.progress = axis.polish;
    this.base = state.base;
    this.f = state.f;
  }

  axis(): Axis {
    return { t: this.t, value: this.value, polishedAt: this.polishedAt, polish: this.progress };
  }

  best(): number {
    return this.value[bestIndex(this.value)];
  }

  /** One more sample: of a coarse grid, then where a better value is most easily hidden, and on while it is better. */
  *sample(): Generator<Points, void, Float64Array> {
    const first = this.firstSample();
    if (first !== null) {
      yield* this.evaluate(first);
      return;
    }
    const t = this.easiestBisection();
    if (t === null) return;
    const best = this.best();
    yield* this.evaluate(t);
    for (let k = 0; k < 3 && this.best() < best; k++) {
      const next = this.parabola();
      if (next === null) return;
      const before = this.best();
      yield* this.evaluate(next);
      if (!(this.best() < before)) return;
    }
  }

  private firstSample(): number | null {
    for (let k = 0; k < FIRST_SAMPLES; k++) {
      const t = k / (FIRST_SAMPLES - 1);
      if (!this.t.includes(t)) return t;
    }
    return null;
  }

  /** Evaluates the base point with this coordinate at `t`, and keeps the sample. */
  *evaluate(t: number): Generator<Points, number, Float64Array> {
    const point = this.base.slice();
    point[this.index] = t;
    const f = yield* evaluatePoint(point);
    const here = this.value[this.t.indexOf(this.base[this.index])];
    // Where the base point itself failed, the first success is the level to compare with.
    const value = this.f < Infinity ? here + (f - this.f) : f < Infinity ? 0 : Infinity;
    let k = 0;
    while (k < this.t.length && this.t[k] < t) k++;
    if (this.t[k] !== t) {
      this.t.splice(k, 0, t);
      this.value.splice(k, 0, value);
    }
    if (f < this.f) {
      this.base = point;
      this.f = f;
    }
    return value;
  }

  /** The middle of the interval that could most easily hide a better value; null when none can be split. */
  easiestBisection(): number | null {
    const { t, value } = this;
    const finite = value.filter(Number.isFinite).sort((a, b) => a - b);
    // Where everything has failed so far, the widest interval.
    const best = finite[0] ?? 0;
    const median = finite[finite.length >> 1] ?? 0;
    const margin = Math.max(1e-4 * (median - best), Number.MIN_VALUE);
    let easiest = -1;
    let largest = 0;
    for (let k = 1; k < t.length; k++) {
      const h = t[k] - t[k - 1];
      const middle = t[k - 1] + 0.5 * h;
      if (middle === t[k - 1] || middle === t[k] || h < 1e-12) continue;
      const rise = Math.sqrt(value[k - 1] - best + margin) + Math.sqrt(value[k] - best + margin);
      const share = rise < Infinity ? h / rise : h * SHARE_BESIDE_FAILURE;
      if (share > largest) {
        largest = share;
        easiest = k;
      }
    }
    return easiest < 0 ? null : 0.5 * (t[easiest - 1] + t[easiest]);
  }

  /** The minimum of the parabola through the best sample and its neighbours; null where there is none to try. */
  parabola(): number | null {
    const { t, value } = this;
    const k = bestIndex(value);
    if (k === 0 || k === t.length - 1) return null;
    const next = parabolaMinimum(t, value, k);
    if (next === null) return null;
    const [a, b, c] = [t[k - 1], t[k], t[k + 1]];
    // Not so near a sample that the next parabola is all rounding.
    const room = 1e-3 * Math.min(b - a, c - b);
    if (Math.abs(next - b) < room) return b + (c - b > b - a ? room : -room);
    return next;
  }

  /** One step of the polish. */
  *polish(): Generator<Points, void, Float64Array> {
    const next = polishStep(this.axis());
    if (next !== null) {
      const { steps, last } = this.progress;
      const length = Math.abs(next - this.t[bestIndex(this.value)]);
      this.progress = { steps: steps + 1, last: length, beforeLast: last };
      yield* this.evaluate(next);
    }
    if (polishStep(this.axis()) === null) this.polishedAt = this.t[bestIndex(this.value)]!;
  }
}

/** Where Brent's method would go between the neighbours of the best sample; null where nothing is left to gain. */
function polishStep({ t, value, polish }: Axis): number | null {
  const k = bestIndex(value);
  const b = t[k];
  const a = k === 0 ? b : t[k - 1];
  const c = k === t.length - 1 ? b : t[k + 1];
  if (polish.steps >= POLISH_LIMIT || c - a < POLISH_BRACKET) return null;
  let next: number;
  if (k === 0 || k === t.length - 1) {
    // At a bound: is it lower just inside?
    const inside = k === 0 ? c : a;
    const room = 1e-3 * Math.abs(inside - b);
    if (room < POLISH_BRACKET) return null;
    next = b + (k === 0 ? room : -room);
  } else {
    const minimal = Math.max(POLISH_BRACKET * 0.25, 1e-16 * b);
    next = brentStep(t, value, k, minimal, polish.beforeLast);
  }
  return t.includes(next) ? null : next;
}
