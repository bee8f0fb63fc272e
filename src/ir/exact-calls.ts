/** Calls of library functions that have the same result in every library. */
import type { MathOpName } from './ops.js';

type Exact = (a: number, b: number, value: number) => boolean;

/** Rule for finite arguments: nothing is rounded at `points`. */
const at =
  (...points: readonly number[]): Exact =>
  (a) =>
    points.includes(a);

/** Whether `value`, a number, is exact. */
const EXACT: Readonly<Record<MathOpName, Exact>> = {
  sin: at(0),
  cos: at(0),
  tan: at(0),
  asin: at(0),
  acos: at(1),
  // Angles are rounded, also those of infinities.
  atan: (_a, _b, value) => value === 0,
  atan2: (_a, _b, value) => value === 0,
  sinh: at(0),
  cosh: at(0),
  tanh: at(0),
  asinh: at(0),
  acosh: at(0, 1),
  atanh: at(0),
  exp: at(0),
  exp2: at(0),
  expm1: at(0),
  log: at(0, 1),
  log2: at(0, 1),
  log10: at(0, 1),
  log1p: at(0),
  pow(a, b, value) {
    if (b === 0 || b === 1 || a === 1 || a === 0 || !Number.isFinite(b)) return true;
    // A whole number that needs no rounding.
    return Number.isInteger(a) && Number.isInteger(b) && b > 0 && Math.abs(value) <= 2 ** 53;
  },
  cbrt: at(0),
  hypot: (a, b) => a === 0 || b === 0 || !Number.isFinite(b),
  fmod: () => true,
  erf: at(0),
  erfc: at(0),
  gamma: at(0, 1, 2),
  lgamma: at(0, 1, 2),
};

/** Whether `value`, the result of a call, is that of every library; `b` is 0 for functions of one argument. */
export function isExactCall(op: MathOpName, a: number, b: number, value: number): boolean {
  if (value !== value) return true;
  const isAngle = op === 'atan' || op === 'atan2';
  return (!isAngle && !Number.isFinite(a)) || EXACT[op](a, b, value);
}
