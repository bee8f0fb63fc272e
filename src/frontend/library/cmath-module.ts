/**
 * Python's `cmath` module in the steps of CPython (Modules/cmathmodule.c). What has rules of its own there - infinities,
 * NaN, numbers near the ends of the range - is left to CPython lane by lane. NumPy's functions of the same names use the
 * same formulas.
 */
import { LaneStatus } from '../../ir/types.js';
import { isNumber, type Pair } from '../arrays/complex.js';
import type { Evaluator } from '../run/evaluator.js';
import { Unsupported, float, known, tuple, typeName, type Call, type Scalar, type Value } from '../values/values.js';
import { builtin, named, required, scalar } from './arguments.js';
import { copySign } from './math-module.js';

type Formula = (ev: Evaluator, z: Pair) => Pair;

const real = (value: number): Scalar => known('npfloat', value);
const SMALLEST_NORMAL = 2 ** -1022;
/** log(DBL_MAX / 4): beyond it CPython scales. */
const LOG_LARGE = 708.3964185322641;

/** CPython evaluates the lanes where `condition` holds. */
const leave = (ev: Evaluator, condition: Scalar): void => ev.ops.check(condition, LaneStatus.Untranslated);

const beyond = (ev: Evaluator, s: Scalar, limit: number): Scalar =>
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

const log10: Formula = (ev, z) => {
  const { re, im } = log(ev, z);
  return { re: ev.complex.div(re, real(Math.LN10)), im: ev.complex.div(im, real(Math.LN10)) };
};

const sqrt: Formula = (ev, z) => {
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

const sinh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  leave(ev, ops.or(beyond(ev, z.re, LOG_LARGE), ops.not(ops.isFinite(z.im))));
  return {
    re: complex.mul(ops.math('cos', 'npfloat', z.im), ops.math('sinh', 'npfloat', z.re)),
    im: complex.mul(ops.math('sin', 'npfloat', z.im), ops.math('cosh', 'npfloat', z.re)),
  };
};

const cosh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  leave(ev, ops.or(beyond(ev, z.re, LOG_LARGE), ops.not(ops.isFinite(z.im))));
  return {
    re: complex.mul(ops.math('cos', 'npfloat', z.im), ops.math('cosh', 'npfloat', z.re)),
    im: complex.mul(ops.math('sin', 'npfloat', z.im), ops.math('sinh', 'npfloat', z.re)),
  };
};

const tanh: Formula = (ev, z) => {
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
const turned =
  (formula: Formula): Formula =>
  (ev, z) => {
    const { re, im } = formula(ev, { re: ev.ops.negate(z.im), im: z.re });
    return { re: im, im: ev.ops.negate(re) };
  };

const cos: Formula = (ev, z) => cosh(ev, { re: ev.ops.negate(z.im), im: z.re });

const acos: Formula = (ev, z) => {
  const { complex, ops } = ev;
  const left = sqrt(ev, { re: complex.sub(real(1), z.re), im: ops.negate(z.im) });
  const right = sqrt(ev, { re: complex.add(real(1), z.re), im: z.im });
  const height = complex.sub(complex.mul(right.re, left.im), complex.mul(right.im, left.re));
  return {
    re: complex.mul(real(2), ops.math('atan2', 'npfloat', left.re, right.re)),
    im: ops.math('asinh', 'npfloat', height),
  };
};

const asinh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  const upper = sqrt(ev, { re: complex.add(real(1), z.im), im: ops.negate(z.re) });
  const lower = sqrt(ev, { re: complex.sub(real(1), z.im), im: z.re });
  const height = complex.sub(complex.mul(upper.re, lower.im), complex.mul(lower.re, upper.im));
  const width = complex.sub(complex.mul(upper.re, lower.re), complex.mul(upper.im, lower.im));
  return { re: ops.math('asinh', 'npfloat', height), im: ops.math('atan2', 'npfloat', z.im, width) };
};

const acosh: Formula = (ev, z) => {
  const { complex, ops } = ev;
  const left = sqrt(ev, { re: complex.sub(z.re, real(1)), im: z.im });
  const right = sqrt(ev, { re: complex.add(z.re, real(1)), im: z.im });
  const height = complex.add(complex.mul(left.re, right.re), complex.mul(left.im, right.im));
  return {
    re: ops.math('asinh', 'npfloat', height),
    im: complex.mul(real(2), ops.math('atan2', 'npfloat', left.im, right.re)),
  };
};

const atanh: Formula = (ev, z) => {
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
export const COMPLEX_FORMULAS: Readonly<Record<string, Formula | undefined>> = Object.assign(Object.create(null), {
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

/** Any number that `cmath` takes, as a pair. */
function argument(ev: Evaluator, name: string, value: Value | undefined, call: Call): Pair {
  const v = required(`cmath.${name}`, value, call);
  if (isNumber(v)) return ev.complex.pair(v);
  if (v.tag === 'ndarray') return ev.complex.pair(scalar(ev, `cmath.${name}`, v, call));
  throw new Unsupported(`cmath.${name}() of ${typeName(v)}`, call.position);
}

type Implementation = (ev: Evaluator, call: Call) => Value;

const formula =
  (name: string, compute: Formula): Implementation =>
  (ev, call) => {
    if (call.args.length !== 1 || call.keywords.size > 0)
      throw new Unsupported(`cmath.${name}() called so`, call.position);
    return ev.complex.make(compute(ev, argument(ev, name, call.args[0], call)), false);
  };

/** With a base, the logarithm of zero is infinite instead of an error. */
function logarithm(ev: Evaluator, call: Call): Value {
  if (call.args.length < 1 || call.args.length > 2 || call.keywords.size > 0)
    throw new Unsupported('cmath.log() called so', call.position);
  const { complex, ops } = ev;
  const [z, base] = call.args.map((v) => argument(ev, 'log', v, call));
  if (call.args.length === 1) {
    ops.check(complex.isZero(z), LaneStatus.MathDomain);
    return complex.make(log(ev, z), false);
  }
  const [numerator, denominator] = [log(ev, z), log(ev, base)];
  ops.check(complex.isZero(denominator), LaneStatus.MathDomain);
  return complex.make(complex.quotient(numerator, denominator, false), false);
}

const predicate =
  (name: string, test: (ev: Evaluator, z: Pair) => Scalar): Implementation =>
  (ev, call) =>
    ev.ops.retag(test(ev, argument(ev, name, call.args[0], call)), 'bool');

function rect(ev: Evaluator, call: Call): Value {
  const { complex, ops } = ev;
  const [length, phase] = call.args.map((v) => ops.retag(scalar(ev, 'cmath.rect', v, call), 'npfloat'));
  if (call.args.length !== 2) return ops.raise(LaneStatus.Raised, 'TypeError');
  leave(ev, ops.not(complex.isFinite({ re: length, im: phase })));
  return complex.make(
    {
      re: complex.mul(length, ops.math('cos', 'npfloat', phase)),
      im: complex.mul(length, ops.math('sin', 'npfloat', phase)),
    },
    false,
  );
}

function isClose(ev: Evaluator, call: Call): Value {
  const { complex, ops } = ev;
  const { a, b, rel_tol: relative, abs_tol: absolute } = named('cmath.isclose', call, ['a', 'b', 'rel_tol', 'abs_tol']);
  const [p, q] = [argument(ev, 'isclose', a, call), argument(ev, 'isclose', b, call)];
  const limit = (value: Value | undefined, fallback: number): Scalar =>
    ops.retag(scalar(ev, 'cmath.isclose', value ?? float(fallback), call), 'npfloat');
  const [rel, abs] = [limit(relative, 1e-9), limit(absolute, 0)];
  ops.check(ops.or(ops.compare('<', rel, real(0)), ops.compare('<', abs, real(0))), LaneStatus.Raised, 'ValueError');
  for (const z of [p, q]) complex.requireOrdinary(z);
  const distance = complex.magnitude(complex.difference(p, q), true);
  const within = (z: Pair): Scalar => ops.compare('<=', distance, complex.mul(rel, complex.magnitude(z, true)));
  const near = ops.or(ops.or(within(p), within(q)), ops.compare('<=', distance, abs));
  const equal = ops.and(ops.compare('==', p.re, q.re), ops.compare('==', p.im, q.im));
  return ops.retag(ops.or(equal, near), 'bool');
}

const phase = (ev: Evaluator, z: Pair): Scalar => ev.ops.retag(ev.complex.phase(z), 'float');

const FUNCTIONS: Readonly<Record<string, Implementation | undefined>> = Object.assign(Object.create(null), {
  exp: formula('exp', exp),
  log: logarithm,
  log10: formula('log10', log10),
  sqrt: formula('sqrt', sqrt),
  sin: formula('sin', turned(sinh)),
  cos: formula('cos', cos),
  tan: formula('tan', turned(tanh)),
  sinh: formula('sinh', sinh),
  cosh: formula('cosh', cosh),
  tanh: formula('tanh', tanh),
  asin: formula('asin', turned(asinh)),
  acos: formula('acos', acos),
  atan: formula('atan', turned(atanh)),
  asinh: formula('asinh', asinh),
  acosh: formula('acosh', acosh),
  atanh: formula('atanh', atanh),
  phase: (ev: Evaluator, call: Call) => {
    const { ops } = ev;
    const z = argument(ev, 'phase', call.args[0], call);
    const result = phase(ev, z);
    // CPython takes an angle that underflows for an error.
    const isTiny = ops.compare('<', ops.abs(result), real(SMALLEST_NORMAL));
    leave(ev, ops.and(isTiny, ops.not(ops.isZero(z.im))));
    return result;
  },
  polar: (ev: Evaluator, call: Call) => {
    const z = argument(ev, 'polar', call.args[0], call);
    return tuple([ev.complex.magnitude(z, false), phase(ev, z)]);
  },
  rect,
  isclose: isClose,
  isnan: predicate('isnan', (ev, z) => ev.complex.isNaN(z)),
  isinf: predicate('isinf', (ev, z) => ev.ops.or(ev.ops.isInf(z.re), ev.ops.isInf(z.im))),
  isfinite: predicate('isfinite', (ev, z) => ev.complex.isFinite(z)),
});

const CONSTANTS: Readonly<Record<string, number | undefined>> = Object.assign(Object.create(null), {
  pi: Math.PI,
  e: Math.E,
  tau: 2 * Math.PI,
  inf: Infinity,
  nan: NaN,
});

/** Everything that is translated. */
export const CMATH_NAMES: readonly string[] = [...Object.keys(CONSTANTS), 'infj', 'nanj', ...Object.keys(FUNCTIONS)];

export function cmathMember(ev: Evaluator, name: string): Value | undefined {
  const constant = CONSTANTS[name];
  if (constant !== undefined) return float(constant);
  if (name === 'infj' || name === 'nanj')
    return ev.complex.make({ re: real(0), im: real(name === 'infj' ? Infinity : NaN) }, false);
  const implementation = FUNCTIONS[name];
  return implementation === undefined ? undefined : builtin(`cmath.${name}`, (call) => implementation(ev, call));
}
