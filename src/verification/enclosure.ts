/**
 * Interval arithmetic for one value of a program: all that it can be, given that results of library functions are known
 * within their error only. Ends of correctly rounded operations are computed by these operations themselves: they are
 * monotonic, so nothing has to be widened, and what is one point stays that point in every bit.
 */
import { isExactCall } from '../ir/exact-calls.js';
import { evaluateOp } from '../ir/interpreter.js';
import { opInfo, type MathOpName, type MonotoneOpName } from '../ir/ops.js';
import { PRIMITIVES } from '../ir/primitives.js';
import { LIBRARY_ERRORS } from './library-errors.js';

/**
 * Numbers from `lo` to `hi`, and NaN besides where `nan` holds. Only NaN: both ends are NaN. One point: both ends have
 * the same bits. Where the ends differ, zeros of either sign count as one.
 */
export interface Enclosure {
  readonly lo: number;
  readonly hi: number;
  readonly nan: boolean;
}

export const CAN_BE_TRUE = 1;
export const CAN_BE_FALSE = 2;
export const EITHER = 3;

export const pointOf = (value: number): Enclosure => ({ lo: value, hi: value, nan: value !== value });
export const ANYTHING: Enclosure = { lo: -Infinity, hi: Infinity, nan: true };

export const isPoint = ({ lo, hi, nan }: Enclosure): boolean => Object.is(lo, hi) && (!nan || lo !== lo);
const isOnlyNaN = ({ lo }: Enclosure): boolean => lo !== lo;
const hasInfinity = ({ lo, hi }: Enclosure): boolean => lo === -Infinity || hi === Infinity;
const hasZero = ({ lo, hi }: Enclosure): boolean => lo <= 0 && hi >= 0;

export function joinOf(a: Enclosure, b: Enclosure): Enclosure {
  if (isOnlyNaN(a)) return isOnlyNaN(b) ? a : { ...b, nan: true };
  if (isOnlyNaN(b)) return { ...a, nan: true };
  return { lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi), nan: a.nan || b.nan };
}

/** Whether `value` may be a result; a zero of the wrong sign only where there is but one point. */
export function contains(a: Enclosure, value: number): boolean {
  if (value !== value) return a.nan;
  return isPoint(a) ? Object.is(a.lo, value) : a.lo <= value && value <= a.hi;
}

const view = new DataView(new ArrayBuffer(8));

/** The distance from |a| to the next larger number; that of the largest one for an infinity. */
function unitOf(a: number): number {
  const magnitude = Math.min(Math.abs(a), Number.MAX_VALUE);
  if (magnitude < 2 ** -1022) return Number.MIN_VALUE;
  view.setFloat64(0, magnitude);
  const exponent = (view.getUint32(0) >>> 20) - 1023;
  return exponent < -970 ? 2 ** (exponent - 52) : 2 ** exponent * 2 ** -52;
}

/** The enclosure of numbers that are off by as much. */
function widened({ lo, hi, nan }: Enclosure, ulp: number, absolute: number): Enclosure {
  if (lo !== lo) return { lo, hi, nan };
  const down = lo === Infinity ? Number.MAX_VALUE : lo - (unitOf(lo) * ulp + absolute);
  const up = hi === -Infinity ? -Number.MAX_VALUE : hi + (unitOf(hi) * ulp + absolute);
  return { lo: down, hi: up, nan };
}

const SMALL_UNITS = 64 * Number.MIN_VALUE;

/** `a`, off by at most `radius`. */
export function within(a: Enclosure, radius: Enclosure): Enclosure {
  if (isOnlyNaN(a)) return a;
  const r = isOnlyNaN(radius) || radius.nan ? Infinity : Math.max(Math.abs(radius.lo), Math.abs(radius.hi));
  // An overflow that the other order of a sum has, or a NaN of it, counts as well where the radius is infinite.
  if (r === Infinity) return ANYTHING;
  // Below the normal numbers a share of a value is none.
  const isTiny = Math.abs(a.lo) < 2 ** -960 && Math.abs(a.hi) < 2 ** -960;
  if (r === 0 && (!isTiny || (a.lo === 0 && a.hi === 0))) return a;
  if (isTiny) return { lo: a.lo - Math.max(r, SMALL_UNITS), hi: a.hi + Math.max(r, SMALL_UNITS), nan: a.nan };
  // An infinite sum whose bound is finite is what all orders have.
  return { lo: down(a.lo - r), hi: up(a.hi + r), nan: a.nan };
}

/** The sums above are rounded themselves. */
const down = (a: number): number => a - unitOf(a);
const up = (a: number): number => a + unitOf(a);

function hullOf(a: number, b: number, c: number, d: number, nan: boolean): Enclosure {
  if (a !== a || b !== b || c !== c || d !== d) return ANYTHING;
  return { lo: Math.min(a, b, c, d), hi: Math.max(a, b, c, d), nan };
}

/** An operation on one number. */
export function enclosureOf1(op: UnaryOp, a: Enclosure): Enclosure {
  if (isPoint(a)) return pointOf(PRIMITIVES[op](a.lo, 0, 0));
  if (isOnlyNaN(a)) return pointOf(NaN);
  const { nan } = a;
  switch (op) {
    case 'sqrt':
      if (a.hi < 0) return pointOf(NaN);
      return { lo: a.lo < 0 ? -0 : Math.sqrt(a.lo), hi: Math.sqrt(a.hi), nan: nan || a.lo < 0 };
    case 'neg':
      return { lo: -a.hi, hi: -a.lo, nan };
    case 'abs':
      return magnitudeOf(a);
    case 'floor':
    case 'ceil':
    case 'trunc':
    case 'rint':
    case 'high':
      return { lo: PRIMITIVES[op](a.lo, 0, 0), hi: PRIMITIVES[op](a.hi, 0, 0), nan };
    case 'exponent': {
      const m = magnitudeOf(a);
      // A NaN has the exponent of an infinity.
      const most = nan ? Infinity : m.hi;
      return { lo: PRIMITIVES.exponent(m.lo, 0, 0), hi: PRIMITIVES.exponent(most, 0, 0), nan: false };
    }
    case 'mantissa': {
      const isOnePiece = !nan && !hasZero(a) && PRIMITIVES.exponent(a.lo, 0, 0) === PRIMITIVES.exponent(a.hi, 0, 0);
      if (!isOnePiece) return { lo: 1, hi: 2, nan: false };
      const [p, q] = [PRIMITIVES.mantissa(a.lo, 0, 0), PRIMITIVES.mantissa(a.hi, 0, 0)];
      return { lo: Math.min(p, q), hi: Math.max(p, q), nan: false };
    }
  }
}

/** An operation on two numbers; `same`: they are one value. */
export function enclosureOf2(op: BinaryOp, a: Enclosure, b: Enclosure, same: boolean): Enclosure {
  if (isPoint(a) && isPoint(b)) return pointOf(PRIMITIVES[op](a.lo, b.lo, 0));
  if (isOnlyNaN(a) || isOnlyNaN(b)) return pointOf(NaN);
  const nan = a.nan || b.nan;
  switch (op) {
    case 'add':
      return between(a.lo + b.lo, a.hi + b.hi, nan || opposite(a, b, 1));
    case 'sub':
      if (same && !hasInfinity(a)) return { lo: 0, hi: 0, nan };
      return between(a.lo - b.hi, a.hi - b.lo, nan || opposite(a, b, -1));
    case 'mul':
      if (same) return squareOf(a);
      if ((hasZero(a) && hasInfinity(b)) || (hasZero(b) && hasInfinity(a))) return ANYTHING;
      return hullOf(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi, nan);
    case 'div':
      if (hasZero(b) || (hasInfinity(a) && hasInfinity(b))) return ANYTHING;
      return hullOf(a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi, nan);
    case 'scale': {
      const s = PRIMITIVES.scale;
      return hullOf(s(a.lo, b.lo, 0), s(a.lo, b.hi, 0), s(a.hi, b.lo, 0), s(a.hi, b.hi, 0), nan);
    }
  }
}

export type UnaryOp = 'sqrt' | 'neg' | 'abs' | 'floor' | 'ceil' | 'trunc' | 'rint' | 'high' | 'exponent' | 'mantissa';
export type BinaryOp = 'add' | 'sub' | 'mul' | 'div' | 'scale';

const between = (lo: number, hi: number, nan: boolean): Enclosure => (lo <= hi ? { lo, hi, nan } : ANYTHING);

/** A function of the mathematics library; `b` is 0 where it has one argument. */
export function enclosureOfCall(op: MathOpName, a: Enclosure, b: Enclosure): Enclosure {
  return isPoint(a) && isPoint(b) ? libraryPoint(op, a.lo, b.lo) : libraryRange(op, a, b);
}

/** Whether a + sign * b can be a sum of infinities of opposite signs. */
function opposite(a: Enclosure, b: Enclosure, sign: 1 | -1): boolean {
  const [low, high] = sign === 1 ? [b.lo, b.hi] : [-b.hi, -b.lo];
  return (a.hi === Infinity && low === -Infinity) || (a.lo === -Infinity && high === Infinity);
}

function squareOf(a: Enclosure): Enclosure {
  const m = magnitudeOf(a);
  return { lo: m.lo * m.lo, hi: m.hi * m.hi, nan: a.nan };
}

function magnitudeOf(a: Enclosure): Enclosure {
  if (isOnlyNaN(a)) return a;
  const [p, q] = [Math.abs(a.lo), Math.abs(a.hi)];
  return { lo: hasZero(a) ? 0 : Math.min(p, q), hi: Math.max(p, q), nan: a.nan };
}

// --- functions of the mathematics library

function libraryPoint(op: MathOpName, a: number, b: number): Enclosure {
  const value = evaluateOp(op, [a, b]);
  if (isExactCall(op, a, b, value)) return pointOf(value);
  // Beyond the largest number on one side only: when a little less is finite.
  if (!Number.isFinite(value) && !isNearOverflow(op, a, b)) return pointOf(value);
  return limited(op, errorAround(op, pointOf(value)));
}

const isNearOverflow = (op: MathOpName, a: number, b: number): boolean => {
  const less = 1 - 2 ** -40;
  return [
    [a * less, b],
    [a / less, b],
    [a, b * less],
    [a, b / less],
  ].some(([p, q]) => Number.isFinite(evaluateOp(op, [p, q])));
};

function errorAround(op: MathOpName, a: Enclosure): Enclosure {
  const { ulp, absolute } = LIBRARY_ERRORS[op];
  const wide = ulp === 0 && absolute === 0 ? a : widened(a, ulp, absolute);
  // Libraries for vector instructions may give zero for what is too small to be normal.
  if (ulp === 0 || wide.lo > 2 ** -1022 || wide.hi < -(2 ** -1022)) return wide;
  return { lo: Math.min(wide.lo, 0), hi: Math.max(wide.hi, 0), nan: wide.nan };
}

/** The enclosure cut to the function's range. */
function limited(op: MathOpName, a: Enclosure): Enclosure {
  const [least, most] = RANGES[op] ?? [-Infinity, Infinity];
  return { lo: Math.max(a.lo, least), hi: Math.min(a.hi, most), nan: a.nan };
}

const RANGES: Partial<Record<MathOpName, readonly [number, number]>> = {
  // Libraries for vector instructions may exceed 1 by a unit.
  sin: [-1 - 2 ** -51, 1 + 2 ** -51],
  cos: [-1 - 2 ** -51, 1 + 2 ** -51],
  tanh: [-1 - 2 ** -51, 1 + 2 ** -51],
  erf: [-1, 1],
  erfc: [0, 2],
  exp: [0, Infinity],
  exp2: [0, Infinity],
  cosh: [1 - 2 ** -51, Infinity],
  acos: [0, Infinity],
  acosh: [0, Infinity],
  hypot: [0, Infinity],
  expm1: [-1, Infinity],
};

function libraryRange(op: MathOpName, a: Enclosure, b: Enclosure): Enclosure {
  if (isOnlyNaN(a) || isOnlyNaN(b)) return op === 'pow' || op === 'hypot' ? ANYTHING : pointOf(NaN);
  const nan = a.nan || b.nan;
  switch (op) {
    case 'sin':
    case 'cos':
      return limited(op, errorAround(op, wave(op, a)));
    case 'tan':
      return tangent(a);
    case 'cosh': {
      const m = magnitudeOf(a);
      return limited(op, errorAround(op, { lo: evaluateOp(op, [m.lo]), hi: evaluateOp(op, [m.hi]), nan }));
    }
    case 'hypot': {
      const [p, q] = [magnitudeOf(a), magnitudeOf(b)];
      const ends = { lo: evaluateOp(op, [p.lo, q.lo]), hi: evaluateOp(op, [p.hi, q.hi]), nan };
      return limited(op, errorAround(op, ends));
    }
    case 'atan2': {
      // The angle jumps where the point crosses the negative axis.
      if (hasZero(a) && b.lo <= 0) return { lo: -Math.PI - 2 ** -48, hi: Math.PI + 2 ** -48, nan };
      return errorAround(op, { ...corners(op, a, b), nan });
    }
    case 'pow':
      return power(a, b, nan);
    case 'gamma':
    case 'lgamma': {
      // Monotonic on either side of the minimum at 1.4616.
      const isFalling = a.lo > 0 && a.hi < 1.461;
      if (!isFalling && !(a.lo > 1.462))
        return a.lo > 0 && op === 'gamma' ? { lo: 0.885, hi: Infinity, nan } : ANYTHING;
      return errorAround(op, { ...corners(op, a, pointOf(0)), nan });
    }
    case 'fmod':
      return remainder(a, b, nan);
    default:
      return monotonic(op, a);
  }
}

function monotonic(op: MathOpName & MonotoneOpName, a: Enclosure): Enclosure {
  const { domain: [from, to] = [-Infinity, Infinity], monotony } = opInfo(op);
  const nan = a.nan || a.lo < from || a.hi > to;
  const [lo, hi] = [Math.max(a.lo, from), Math.min(a.hi, to)];
  if (lo > hi) return pointOf(NaN);
  const [p, q] = [evaluateOp(op, [lo]), evaluateOp(op, [hi])];
  return limited(op, errorAround(op, monotony === 'decreases' ? { lo: q, hi: p, nan } : { lo: p, hi: q, nan }));
}

function corners(op: MathOpName, a: Enclosure, b: Enclosure): Enclosure {
  const at = (p: number, q: number): number => evaluateOp(op, [p, q]);
  return hullOf(at(a.lo, b.lo), at(a.lo, b.hi), at(a.hi, b.lo), at(a.hi, b.hi), false);
}

function wave(op: 'sin' | 'cos', a: Enclosure): Enclosure {
  if (hasInfinity(a) || a.hi - a.lo > 3) return { lo: -1, hi: 1, nan: a.nan || hasInfinity(a) };
  const [p, q] = [evaluateOp(op, [a.lo]), evaluateOp(op, [a.hi])];
  // The derivative, up to its sign: where it changes in between, there is a largest or a smallest value.
  const slope = op === 'sin' ? 'cos' : 'sin';
  const sign = op === 'sin' ? 1 : -1;
  const tiny = 1e-9;
  const [rising, falling] = [sign * evaluateOp(slope, [a.lo]), sign * evaluateOp(slope, [a.hi])];
  let [lo, hi] = [Math.min(p, q), Math.max(p, q)];
  if (p !== p || q !== q) return { lo: -1, hi: 1, nan: true };
  const isAtTop = Math.abs(rising) < tiny || Math.abs(falling) < tiny;
  if ((rising > 0 && falling < 0) || (isAtTop && hi > 0.5)) hi = 1;
  if ((rising < 0 && falling > 0) || (isAtTop && lo < -0.5)) lo = -1;
  return { lo, hi, nan: a.nan };
}

function tangent(a: Enclosure): Enclosure {
  if (hasInfinity(a) || a.hi - a.lo > 1) return ANYTHING;
  const cosines = [a.lo, a.hi].map((end) => evaluateOp('cos', [end]));
  // A pole in between.
  if (!(Math.abs(cosines[0]) > 1e-15 && Math.abs(cosines[1]) > 1e-15 && cosines[0] > 0 === cosines[1] > 0))
    return ANYTHING;
  return errorAround('tan', { lo: evaluateOp('tan', [a.lo]), hi: evaluateOp('tan', [a.hi]), nan: a.nan });
}

function power(a: Enclosure, b: Enclosure, nan: boolean): Enclosure {
  if (nan || hasInfinity(a) || hasInfinity(b)) return ANYTHING;
  // Monotonic in either operand above a base of zero.
  if (a.lo > 0) return limited('exp', errorAround('pow', corners('pow', a, b)));
  if (!isPoint(b)) return a.lo >= 0 && b.lo > 0 ? limited('exp', errorAround('pow', corners('pow', a, b))) : ANYTHING;
  const y = b.lo;
  if (y < 0) {
    if (hasZero(a) || !Number.isInteger(y)) return ANYTHING;
    return errorAround('pow', corners('pow', a, b));
  }
  if (!Number.isInteger(y)) {
    if (a.hi < 0) return pointOf(NaN);
    const ends = { lo: 0, hi: evaluateOp('pow', [a.hi, y]), nan: a.lo < 0 };
    return limited('exp', errorAround('pow', ends));
  }
  if (y === 0) return pointOf(1);
  const base = y % 2 === 0 ? magnitudeOf(a) : a;
  return errorAround('pow', { lo: evaluateOp('pow', [base.lo, y]), hi: evaluateOp('pow', [base.hi, y]), nan: false });
}

function remainder(a: Enclosure, b: Enclosure, nan: boolean): Enclosure {
  if (hasInfinity(a) || hasZero(b)) return ANYTHING;
  if (isPoint(b) && a.lo < 0 === a.hi < 0) {
    const [p, q] = [evaluateOp('fmod', [a.lo, b.lo]), evaluateOp('fmod', [a.hi, b.lo])];
    // As many whole divisors are taken off at both ends.
    const isOnePiece = Math.abs(a.hi - q - (a.lo - p)) < Math.abs(b.lo) / 2;
    if (isOnePiece && p <= q) return { lo: p, hi: q, nan };
  }
  const most = Math.max(Math.abs(b.lo), Math.abs(b.hi));
  return { lo: a.lo < 0 ? -most : -0, hi: a.hi > 0 ? most : 0, nan };
}

// --- truth

export const truthOf = (value: boolean): number => (value ? CAN_BE_TRUE : CAN_BE_FALSE);

const truthFrom = (canBeTrue: boolean, canBeFalse: boolean): number =>
  (canBeTrue ? CAN_BE_TRUE : 0) | (canBeFalse ? CAN_BE_FALSE : 0);

export function compared(op: 'lt' | 'le' | 'eq' | 'ne', a: Enclosure, b: Enclosure, same: boolean): number {
  if (isOnlyNaN(a) || isOnlyNaN(b)) return truthOf(op === 'ne');
  const nan = a.nan || b.nan;
  if (same) {
    if (op === 'lt') return CAN_BE_FALSE;
    return op === 'ne' ? truthFrom(nan, true) : truthFrom(true, nan);
  }
  switch (op) {
    case 'lt':
      return truthFrom(a.lo < b.hi, nan || a.hi >= b.lo);
    case 'le':
      return truthFrom(a.lo <= b.hi, nan || a.hi > b.lo);
    case 'eq':
      return truthFrom(a.lo <= b.hi && b.lo <= a.hi, nan || !(a.lo === a.hi && b.lo === b.hi && a.lo === b.lo));
    case 'ne':
      return truthFrom(nan || !(a.lo === a.hi && b.lo === b.hi && a.lo === b.lo), a.lo <= b.hi && b.lo <= a.hi);
  }
}

/** Whether the sign bit is set; not that of a NaN. */
export function signOf(a: Enclosure): number {
  if (isOnlyNaN(a)) return CAN_BE_FALSE;
  if (isPoint(a)) return truthOf(a.lo < 0 || Object.is(a.lo, -0));
  return truthFrom(a.lo <= 0, a.nan || a.hi >= 0);
}

const inverted = (t: number): number => ((t & CAN_BE_TRUE) << 1) | ((t & CAN_BE_FALSE) >> 1);

/** Connects truth values alone. */
export function connected(op: 'and' | 'or' | 'xor' | 'not', a: number, b: number): number {
  switch (op) {
    case 'not':
      return inverted(a);
    case 'and':
      return (a & b & CAN_BE_TRUE) | ((a | b) & CAN_BE_FALSE);
    case 'or':
      return ((a | b) & CAN_BE_TRUE) | (a & b & CAN_BE_FALSE);
    case 'xor':
      return a === EITHER || b === EITHER ? EITHER : truthOf(a !== b);
  }
}
