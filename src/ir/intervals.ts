/**
 * Interval arithmetic over IR values: where can a value lie when every coordinate lies in its bounds?
 *
 * Endpoints are computed with the operations themselves. Correctly rounded operations are monotone in each operand, so
 * the interval of the *rounded* results needs no widening; functions of the mathematics library are widened by more than
 * their error bound.
 */
import { evaluateOp } from './interpreter.js';
import { OPS, type MathOpName, type OpName } from './ops.js';

/** All results lie in [lo, hi]; `nan`: or may be NaN. An empty interval (lo > hi) with `nan` is always NaN. */
export interface Interval {
  readonly lo: number;
  readonly hi: number;
  readonly nan: boolean;
}

/** What a truth value can be. */
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

/** Increasing on [from, to]; arguments outside give NaN. */
function increasing(op: MathOpName, a: Interval, from: number, to: number): Interval {
  const lo = Math.max(a.lo, from);
  const hi = Math.min(a.hi, to);
  const nan = a.nan || a.lo < from || a.hi > to;
  if (lo > hi) return { lo: Infinity, hi: -Infinity, nan: true };
  const result = widen({ lo: evaluateOp(op, [lo]), hi: evaluateOp(op, [hi]), nan });
  return result.lo <= result.hi ? result : ANY;
}

function wave(a: Interval): Interval {
  return { lo: -1 - 1e-15, hi: 1 + 1e-15, nan: a.nan || hasInfinity(a) };
}

function mathInterval(op: MathOpName, args: readonly Interval[]): Interval {
  const [a, b] = args;
  const all: [number, number] = [-Infinity, Infinity];
  switch (op) {
    case 'sin':
    case 'cos':
      return wave(a);
    case 'exp':
    case 'exp2': {
      const powers = increasing(op, a, ...all);
      return { ...powers, lo: Math.max(powers.lo, 0) };
    }
    case 'expm1':
    case 'sinh':
    case 'tanh':
    case 'atan':
    case 'asinh':
    case 'cbrt':
      return increasing(op, a, ...all);
    case 'log':
    case 'log2':
    case 'log10':
      return increasing(op, a, 0, Infinity);
    case 'log1p':
      return increasing(op, a, -1, Infinity);
    case 'asin':
    case 'atanh':
      return increasing(op, a, -1, 1);
    case 'acosh':
      return increasing(op, a, 1, Infinity);
    case 'acos':
      return { lo: 0, hi: Math.PI * (1 + 1e-15), nan: a.nan || a.lo < -1 || a.hi > 1 };
    case 'cosh': {
      const m = magnitude(a);
      return { ...increasing('cosh', m, ...all), lo: 1 - 1e-15 };
    }
    case 'atan2':
      return { lo: -Math.PI * (1 + 1e-15), hi: Math.PI * (1 + 1e-15), nan: a.nan || b.nan };
    case 'hypot': {
      const p = magnitude(a);
      const q = magnitude(b);
      return { lo: 0, hi: widen(point(evaluateOp('hypot', [p.hi, q.hi]))).hi, nan: a.nan || b.nan };
    }
    case 'pow':
      // Monotone in each operand for a base above zero.
      if (a.lo > 0 && !a.nan && !b.nan && !hasInfinity(a) && !hasInfinity(b)) {
        return widen(
          hull(
            corners(a, b, (x, y) => evaluateOp('pow', [x, y])),
            false,
          ),
        );
      }
      // A zero of either sign to a negative power is an infinity of either sign.
      return a.lo >= 0 && b.lo >= 0 && !a.nan && !b.nan && !hasInfinity(b) ? { lo: 0, hi: Infinity, nan: false } : ANY;
    case 'erf':
      return increasing(op, a, ...all);
    case 'erfc': {
      const mirrored = widen({ lo: evaluateOp(op, [a.hi]), hi: evaluateOp(op, [a.lo]), nan: a.nan });
      return { ...mirrored, lo: Math.max(mirrored.lo, 0) };
    }
    case 'lgamma':
      // The minimum is -0.1215 at 1.46.
      return { lo: -0.1216, hi: Infinity, nan: a.nan || a.lo < 0 };
    case 'gamma':
      return a.lo > 0 ? { lo: 0.8855, hi: Infinity, nan: a.nan } : ANY;
    case 'fmod':
    case 'tan':
      return ANY;
  }
}

function magnitude(a: Interval): Interval {
  if (isEmpty(a)) return a;
  const lo = hasZero(a) ? 0 : Math.min(Math.abs(a.lo), Math.abs(a.hi));
  return { lo, hi: Math.max(Math.abs(a.lo), Math.abs(a.hi)), nan: a.nan };
}

/** Interval of a numeric operation; `same` says that both operands are one value, as in a square. */
export function intervalOf(op: OpName, args: readonly Interval[], same: boolean): Interval {
  const [a, b] = args;
  if (OPS[op].kind === 'math') return args.some(isEmpty) ? ANY : mathInterval(op as MathOpName, args);
  if (args.some(isEmpty)) return ANY;
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
    case 'sqrt':
      if (a.hi < 0) return { lo: Infinity, hi: -Infinity, nan: true };
      return { lo: Math.sqrt(Math.max(a.lo, 0)), hi: Math.sqrt(a.hi), nan: nan || a.lo < 0 };
    case 'neg':
      return { lo: -a.hi, hi: -a.lo, nan };
    case 'abs':
      return magnitude(a);
    case 'floor':
    case 'ceil':
    case 'trunc':
    case 'rint':
      return { lo: evaluateOp(op, [a.lo]), hi: evaluateOp(op, [a.hi]), nan };
    default:
      return ANY;
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
