/**
 * A global search of a function of one variable, given by samples: where to look next. Along with parabolic steps
 * around the best sample it bisects the interval that could most easily hide a better value: the one where the parabola
 * through both ends down to a little below the best is flattest (STEP: Swarzberg, Seront and Bersini, "S.T.E.P.: the
 * easiest way to optimize a function", 1994).
 */
import { brentStep } from '../search/brent-step.js';

/** Samples in increasing `t`; a value that does not exist is +Infinity. */
export interface Axis {
  readonly t: readonly number[];
  readonly value: readonly number[];
  /** Lengths of the last two parabolic steps; Infinity before. */
  readonly last: number;
  readonly beforeLast: number;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

export const NO_SAMPLES: Axis = { t: [], value: [], last: Infinity, beforeLast: Infinity };

/** Samples closer than this share of the range are one: rounding would decide which is better. */
const SAME = 1e-14;
/** How far below the best the parabolas reach, at least, and as a share of the way from best to median. */
const MIN_DEPTH = 1e-8;
const DEPTH_SHARE = 1e-4;
/** Weight of an interval beside a failure: less than any other, more than nothing. */
const SHARE_BESIDE_FAILURE = 2 ** -1022;

export function bestOf({ value }: Axis): number {
  let best = 0;
  for (let k = 1; k < value.length; k++) if (value[k] < value[best]) best = k;
  return best;
}

/** The sample nearest to `t`. */
export function nearest({ t: places }: Axis, t: number): number {
  let k = 0;
  while (k < places.length - 1 && Math.abs(places[k + 1] - t) <= Math.abs(places[k] - t)) k++;
  return k;
}

/** `isStep`: the sample was a parabolic step. */
export function withSample(axis: Axis, range: Range, t: number, value: number, isStep: boolean): Axis {
  const width = range.high - range.low;
  let k = 0;
  while (k < axis.t.length && axis.t[k] < t) k++;
  const isKnown = [k - 1, k].some((at) => at in axis.t && Math.abs(axis.t[at] - t) <= SAME * width);
  if (isKnown) return axis;
  const before = axis.t.length === 0 ? t : axis.t[bestOf(axis)];
  const next = {
    t: [...axis.t.slice(0, k), t, ...axis.t.slice(k)],
    value: [...axis.value.slice(0, k), value, ...axis.value.slice(k)],
    last: axis.last,
    beforeLast: axis.beforeLast,
  };
  if (isStep) return { ...next, last: Math.abs(t - before), beforeLast: axis.last };
  return next.t[bestOf(next)] === t ? { ...next, last: Infinity, beforeLast: Infinity } : next;
}

/**
 * Where a parabola through a sample, which is not above its neighbours, and these, or golden section, leads; null where
 * they are too close.
 */
export function parabolicStep(axis: Axis, range: Range, k = bestOf(axis)): number | null {
  const { t, value, beforeLast } = axis;
  if (t.length < 2 || value[k] === Infinity) return null;
  const minimal = 4 * SAME * (range.high - range.low);
  const b = t[k];
  if (k === 0 || k === t.length - 1) {
    const bound = k === 0 ? range.low : range.high;
    if (k === 0 ? b > bound : b < bound) return bound;
    // At the bound: is it lower just inside?
    const inside = k === 0 ? 1 : k - 1;
    const room = 1e-3 * (t[inside] - b);
    return Math.abs(room) < minimal || value[inside] === Infinity ? null : b + room;
  }
  if (t[k + 1] - t[k - 1] < 4 * minimal || (value[k - 1] === value[k] && value[k + 1] === value[k])) return null;
  return brentStep(t, value, k, minimal, beforeLast);
}

/** The middle of the interval in `range` that could most easily hide a better value; null where none can be split. */
export function bisection(axis: Axis, range: Range): number | null {
  const { t, value } = axis;
  const { low, high } = range;
  const finite = value.filter(Number.isFinite).sort((p, q) => p - q);
  const best = finite[0] ?? 0;
  const depth = Math.max(MIN_DEPTH, DEPTH_SHARE * ((finite[finite.length >> 1] ?? 0) - best));
  const minimal = 4 * SAME * (range.high - range.low);
  let easiest: number | null = null;
  let largest = 0;
  const consider = (begin: number, end: number, left: number, right: number): void => {
    const from = Math.max(begin, low);
    const h = Math.min(end, high) - from;
    if (h < minimal) return;
    const rise = Math.sqrt(left - best + depth) + Math.sqrt(right - best + depth);
    const share = rise < Infinity ? h / rise : h * SHARE_BESIDE_FAILURE;
    if (share > largest) [largest, easiest] = [share, from + 0.5 * h];
  };
  const end = t.length - 1;
  // Beyond the outermost samples nothing is known but their own values.
  consider(low, t[0], value[0], value[0]);
  for (let k = 1; k <= end; k++) consider(t[k - 1], t[k], value[k - 1], value[k]);
  consider(t[end], high, value[end], value[end]);
  return easiest;
}
