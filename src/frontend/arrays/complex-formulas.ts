/**
 * Functions of complex numbers in the steps of CPython (Modules/cmathmodule.c).
 */
import { LaneStatus } from '../../ir/types.js';
import type { ArrayMachine } from './array-machine.js';
import { known, type Scalar } from '../values/values.js';
import type { Pair } from './complex.js';
import { copySign } from './floats.js';
import { table, type Table } from '../values/table.js';

export type Formula = (ev: ArrayMachine, z: Pair) => Pair;

export const real = (value: number): Scalar => known('npfloat', value);

export const SMALLEST_NORMAL = 2 ** -1022;

/** log(DBL_MAX / 4): beyond it CPython scales. */
const LOG_LARGE = 708.3964185322641;

/** CPython evaluates the lanes where `condition` holds. */
export const leave = (ev: ArrayMachine, condition: Scalar): void => ev.ops.check(condition, LaneStatus.Untranslated);

const beyond = (ev: ArrayMachine, s: Scalar, limit: number): Scalar =>
  ev.ops.not(ev.ops.compare('<=', ev.ops.abs(s), real(limit)));

export const exp: Formula = (ev, z) => {
  const { complex, ops } = ev;
  const re = complex.settled(z.re);
  const im = complex.settled(z.im);
  leave(ev, ops.or(beyond(ev, re, LOG_LARGE), ops.not(ops.isFinite(im))));
  const size = ops.math('exp', 'npfloat', re);
  return {
    re: complex.mul(size, ops.math('cos', 'npfloat', im)),
    im: complex.mul(size, ops.math('sin', 'npfloat', im)),
  };
};

export const log: Formula = (ev, z) => {
  const { complex, ops } = ev;
  complex.requireOrdinary(z);
  const [x, y] = [ops.abs(z.re), ops.abs(z.im)];
  const isTiny = (s: Scalar): Scalar => ops.compare('<', s, real(SMALLEST_NORMAL));
  leave(ev, ops.and(isTiny(x), isTiny(y)));
  const length = ops.math('hypot', 'npfloat', x, y);
  const isNearOne = ops.and(ops.compare('>=', length, real(0.71)), ops.compare('<=', length, real(1.73)));
  const isRealLarger = ops.compare('>', x, y);
  const [larger, smaller] = [ops.select(isRealLarger, x, y), ops.select(isRealLarger, y, x)];
  const product = complex.mul(complex.sub(larger, real(1)), complex.add(larger, real(1)));
  const excess = complex.add(product, complex.mul(smaller, smaller));
  // Elsewhere it may lie outside of the domain.
  const near = ops.math('log1p', 'npfloat', ops.select(isNearOne, excess, real(0)));
  return {
    re: ops.select(isNearOne, complex.div(near, real(2)), ops.math('log', 'npfloat', length)),
    im: complex.phase(z),
  };
};

export const log10: Formula = (ev, z) => {
  const { re, im } = log(ev, z);
  return { re: ev.complex.div(re, real(Math.LN10)), im: ev.complex.div(im, real(Math.LN10)) };
};

export const sqrt: Formula = (ev, z) => {
  const { complex, ops } = ev;
  complex.requireOrdinary(z);
  const [x, y] = [ops.abs(z.re), ops.abs(z.im)];
  const isZero = complex.isZero(z);
  const isTiny = (s: Scalar): Scalar => ops.compare('<', s, real(SMALLEST_NORMAL));
  leave(ev, ops.and(ops.and(isTiny(x), isTiny(y)), ops.not(isZero)));
  const scaled = complex.div(x, real(8));
  const length = ops.math('hypot', 'npfloat', scaled, complex.div(y, real(8)));
  const large = complex.mul(real(2), ops.sqrt(complex.add(scaled, length), 'npfloat'));
  const small = complex.div(y, complex.mul(real(2), ops.select(isZero, real(1), large)));
  const isRight = ops.compare('>=', z.re, real(0));
  return {
    re: ops.select(isZero, real(0), ops.select(isRight, large, small)),
    im: ops.select(isZero, z.im, copySign(ev, ops.select(isRight, small, large), z.im)),
  };
};

export const sinh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  leave(ev, ops.or(beyond(ev, z.re, LOG_LARGE), ops.not(ops.isFinite(z.im))));
  return {
    re: complex.mul(ops.math('cos', 'npfloat', z.im), ops.math('sinh', 'npfloat', z.re)),
    im: complex.mul(ops.math('sin', 'npfloat', z.im), ops.math('cosh', 'npfloat', z.re)),
  };
};

export const cosh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  leave(ev, ops.or(beyond(ev, z.re, LOG_LARGE), ops.not(ops.isFinite(z.im))));
  return {
    re: complex.mul(ops.math('cos', 'npfloat', z.im), ops.math('cosh', 'npfloat', z.re)),
    im: complex.mul(ops.math('sin', 'npfloat', z.im), ops.math('sinh', 'npfloat', z.re)),
  };
};

export const tanh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  leave(ev, ops.or(beyond(ev, z.re, LOG_LARGE), ops.not(ops.isFinite(z.im))));
  const tx = ops.math('tanh', 'npfloat', z.re);
  const ty = ops.math('tan', 'npfloat', z.im);
  const cx = complex.div(real(1), ops.math('cosh', 'npfloat', z.re));
  const txty = complex.mul(tx, ty);
  const denominator = complex.add(real(1), complex.mul(txty, txty));
  return {
    re: complex.div(complex.mul(tx, complex.add(real(1), complex.mul(ty, ty))), denominator),
    im: complex.mul(complex.mul(complex.div(ty, denominator), cx), cx),
  };
};

/** f(iz) / i of a function f that is odd: sin from sinh, tan from tanh, asin from asinh, atan from atanh. */
export const turned =
  (formula: Formula): Formula =>
  (ev, z) => {
    const { re, im } = formula(ev, { re: ev.ops.negate(z.im), im: z.re });
    return { re: im, im: ev.ops.negate(re) };
  };

export const cos: Formula = (ev, z) => cosh(ev, { re: ev.ops.negate(z.im), im: z.re });

export const acos: Formula = (ev, z) => {
  const { complex, ops } = ev;
  const left = sqrt(ev, { re: complex.sub(real(1), z.re), im: ops.negate(z.im) });
  const right = sqrt(ev, { re: complex.add(real(1), z.re), im: z.im });
  const height = complex.sub(complex.mul(right.re, left.im), complex.mul(right.im, left.re));
  return {
    re: complex.mul(real(2), ops.math('atan2', 'npfloat', left.re, right.re)),
    im: ops.math('asinh', 'npfloat', height),
  };
};

export const asinh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  const upper = sqrt(ev, { re: complex.add(real(1), z.im), im: ops.negate(z.re) });
  const lower = sqrt(ev, { re: complex.sub(real(1), z.im), im: z.re });
  const height = complex.sub(complex.mul(upper.re, lower.im), complex.mul(lower.re, upper.im));
  const width = complex.sub(complex.mul(upper.re, lower.re), complex.mul(upper.im, lower.im));
  return { re: ops.math('asinh', 'npfloat', height), im: ops.math('atan2', 'npfloat', z.im, width) };
};

export const acosh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  const left = sqrt(ev, { re: complex.sub(z.re, real(1)), im: z.im });
  const right = sqrt(ev, { re: complex.add(z.re, real(1)), im: z.im });
  const height = complex.add(complex.mul(left.re, right.re), complex.mul(left.im, right.im));
  return {
    re: ops.math('asinh', 'npfloat', height),
    im: complex.mul(real(2), ops.math('atan2', 'npfloat', left.im, right.re)),
  };
};

export const atanh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  // Large arguments, and those next to the poles, go other ways.
  leave(ev, ops.or(beyond(ev, z.re, 1e100), beyond(ev, z.im, 1e100)));
  leave(ev, ops.and(ops.compare('==', ops.abs(z.re), real(1)), ops.not(beyond(ev, z.im, 1e-150))));
  const isLeft = ops.signBit(z.re);
  const { re: x, im: y } = complex.select(isLeft, complex.negated(z), z);
  const rest = complex.sub(real(1), x);
  const square = complex.mul(ops.abs(y), ops.abs(y));
  const ratio = complex.div(complex.mul(real(4), x), complex.add(complex.mul(rest, rest), square));
  const width = complex.sub(complex.mul(rest, complex.add(real(1), x)), square);
  const angle = ops.math('atan2', 'npfloat', complex.mul(real(-2), y), width);
  const result: Pair = {
    re: complex.div(ops.math('log1p', 'npfloat', ratio), real(4)),
    im: complex.div(ops.negate(angle), real(2)),
  };
  return complex.select(isLeft, complex.negated(result), result);
};

/** Functions that NumPy has, too, under the same names. */
export const COMPLEX_FORMULAS: Table<Formula> = table({
  exp,
  log,
  log10,
  sqrt,
  sin: turned(sinh),
  cos,
  tan: turned(tanh),
  sinh,
  cosh,
  tanh,
});
