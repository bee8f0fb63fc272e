/**
 * Interval arithmetic over IR values: where can a value lie when every coordinate lies in its bounds?
 *
 * Endpoints are computed with the operations themselves. Correctly rounded operations are monotone in each operand, so
 * the interval of the *rounded* results needs no widening; functions of the mathematics library are widened by more
 * than their error bound.
 */
import { evaluateOp } from './interpreter.js';
import { opInfo, type MonotoneOpName, type NumberOpName } from './ops.js';

/** All results lie in [lo, hi]; `nan`: or may be NaN. An empty interval (lo > hi) with `nan` is always NaN. */
export interface Interval {
  readonly lo: number;
  readonly hi: number;
  readonly nan: boolean;
}

/** Truth values that are possible. */
export interface Truth {
  readonly canBeTrue: boolean;
  readonly canBeFalse: boolean;
}

export const ANY: Interval = { lo: -Infinity, hi: Infinity, nan: true };
export const EITHER: Truth = { canBeTrue: true, canBeFalse: true };

export const point = (value: number): Interval =>
  Number.isNaN(value) ? { lo: Infinity, hi: -Infinity, nan: true } : { lo: value, hi: value, nan: false };

export const truth = (value: boolean): Truth => ({ canBeTrue: value, canBeFalse: !value });

export function union(a: Interval, b: Interval): Interval {
  return { lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi), nan: a.nan || b.nan };
}

export const unionTruth = (a: Truth, b: Truth): Truth => ({
  canBeTrue: a.canBeTrue || b.canBeTrue,
  canBeFalse: a.canBeFalse || b.canBeFalse,
});

const isEmpty = (a: Interval): boolean => a.lo > a.hi;
const hasInfinity = (a: Interval): boolean => a.lo === -Infinity || a.hi === Infinity;
const hasZero = (a: Interval): boolean => a.lo <= 0 && a.hi >= 0;

/** The hull of corner values; a NaN corner (inf - inf, 0 * inf) says nothing about the others, so the hull is all. */
function hull(corners: readonly number[], nan: boolean): Interval {
  let lo = Infinity;
  let hi = -Infinity;
  for (const c of corners) {
    if (Number.isNaN(c)) return { lo: -Infinity, hi: Infinity, nan: true };
    lo = Math.min(lo, c);
    hi = Math.max(hi, c);
  }
  return { lo, hi, nan };
}

const corners = (a: Interval, b: Interval, f: (x: number, y: number) => number): number[] => [
  f(a.lo, b.lo),
  f(a.lo, b.hi),
  f(a.hi, b.lo),
  f(a.hi, b.hi),
];

/** A little wider than the error of any function of the mathematics library. */
function widen({ lo, hi, nan }: Interval): Interval {
  const slack = 1e-14;
  const down = lo - Math.abs(lo) * slack - Number.MIN_VALUE;
  const up = hi + Math.abs(hi) * slack + Number.MIN_VALUE;
  return { lo: Number.isNaN(down) ? lo : down, hi: Number.isNaN(up) ? hi : up, nan };
}

/** Arguments outside of the domain give NaN. */
function monotone(op: MonotoneOpName, a: Interval, least = opInfo(op).least ?? -Infinity): Interval {
  const { kind, domain: [from, to] = [-Infinity, Infinity], monotony } = opInfo(op);
  const low = Math.max(a.lo, from);
  const high = Math.min(a.hi, to);
  const nan = a.nan || a.lo < from || a.hi > to;
  if (low > high) return { lo: Infinity, hi: -Infinity, nan: true };
  const [p, q] = monotony === 'decreases' ? [high, low] : [low, high];
  const exact = { lo: evaluateOp(op, [p]), hi: evaluateOp(op, [q]), nan };
  const { lo, hi } = kind === 'math' ? widen(exact) : exact;
  if (!(lo <= hi)) return ANY;
  return least === -Infinity ? { lo, hi, nan } : { lo: Math.max(lo, least), hi, nan };
}

function wave(a: Interval): Interval {
  return { lo: -1 - 1e-15, hi: 1 + 1e-15, nan: a.nan || hasInfinity(a) };
}

function magnitude(a: Interval): Interval {
  if (isEmpty(a)) return a;
  const lo = hasZero(a) ? 0 : Math.min(Math.abs(a.lo), Math.abs(a.hi));
  return { lo, hi: Math.max(Math.abs(a.lo), Math.abs(a.hi)), nan: a.nan };
}

/** Interval of a numeric operation; `same` says that both operands are one value, as in a square. */
export function intervalOf(op: NumberOpName, args: readonly Interval[], same: boolean): Interval {
  if (args.some(isEmpty)) return ANY;
  const [a, b] = args;
  const nan = args.some((x) => x.nan);
  switch (op) {
    case 'add':
      return hull([a.lo + b.lo, a.hi + b.hi], nan || (hasInfinity(a) && hasInfinity(b)));
    case 'sub':
      if (same && !hasInfinity(a)) return { lo: 0, hi: 0, nan };
      return hull([a.lo - b.hi, a.hi - b.lo], nan || (hasInfinity(a) && hasInfinity(b)));
    case 'mul': {
      if (same) {
        const m = magnitude(a);
        return { lo: m.lo * m.lo, hi: m.hi * m.hi, nan };
      }
      const zeroTimesInfinity = (hasZero(a) && hasInfinity(b)) || (hasZero(b) && hasInfinity(a));
      return zeroTimesInfinity
        ? { ...ANY }
        : hull(
            corners(a, b, (x, y) => x * y),
            nan,
          );
    }
    case 'div':
      if (hasZero(b) || (hasInfinity(a) && hasInfinity(b))) return ANY;
      return hull(
        corners(a, b, (x, y) => x / y),
        nan,
      );
    case 'abs':
      return magnitude(a);
    case 'floor':
    case 'ceil':
    case 'trunc':
    case 'rint':
      return { lo: evaluateOp(op, [a.lo]), hi: evaluateOp(op, [a.hi]), nan };
    case 'sin':
    case 'cos':
      return wave(a);
    case 'acos':
      return { lo: 0, hi: Math.PI * (1 + 1e-15), nan: nan || a.lo < -1 || a.hi > 1 };
    case 'acosh':
      return monotone(op, a, -Infinity);
    case 'cosh':
      return { lo: 1 - 1e-15, hi: widen(point(evaluateOp(op, [magnitude(a).hi]))).hi, nan };
    case 'atan2':
      return { lo: -Math.PI * (1 + 1e-15), hi: Math.PI * (1 + 1e-15), nan };
    case 'hypot':
      return { lo: 0, hi: widen(point(evaluateOp(op, [magnitude(a).hi, magnitude(b).hi]))).hi, nan };
    case 'pow':
      // Monotone in each operand for a base above zero.
      if (a.lo > 0 && !nan && !hasInfinity(a) && !hasInfinity(b)) {
        return widen(
          hull(
            corners(a, b, (x, y) => evaluateOp('pow', [x, y])),
            false,
          ),
        );
      }
      // A zero of either sign to a negative power is an infinity of either sign.
      return a.lo >= 0 && b.lo >= 0 && !nan && !hasInfinity(b) ? { lo: 0, hi: Infinity, nan: false } : ANY;
    case 'lgamma':
      // The minimum is -0.1215 at 1.46.
      return { lo: -0.1216, hi: Infinity, nan: nan || a.lo < 0 };
    case 'gamma':
      return a.lo > 0 ? { lo: 0.8855, hi: Infinity, nan } : ANY;
    case 'exponent':
    case 'mantissa':
    case 'scale':
    case 'high':
    case 'tan':
    case 'fmod':
      return ANY;
    default:
      return monotone(op, a);
  }
}

export function compareIntervals(op: 'lt' | 'le' | 'eq' | 'ne', a: Interval, b: Interval, same: boolean): Truth {
  const nan = a.nan || b.nan;
  const empty = isEmpty(a) || isEmpty(b);
  if (empty) return truth(op === 'ne');
  if (same) {
    if (op === 'lt') return truth(false);
    if (op === 'ne') return { canBeTrue: nan, canBeFalse: true };
    return { canBeTrue: true, canBeFalse: nan };
  }
  switch (op) {
    case 'lt':
      return { canBeTrue: a.lo < b.hi, canBeFalse: nan || a.hi >= b.lo };
    case 'le':
      return { canBeTrue: a.lo <= b.hi, canBeFalse: nan || a.hi > b.lo };
    case 'eq':
    case 'ne': {
      const canBeEqual = a.lo <= b.hi && b.lo <= a.hi;
      const canDiffer = nan || !(a.lo === a.hi && b.lo === b.hi && a.lo === b.lo);
      return op === 'eq'
        ? { canBeTrue: canBeEqual, canBeFalse: canDiffer }
        : { canBeTrue: canDiffer, canBeFalse: canBeEqual };
    }
  }
}
