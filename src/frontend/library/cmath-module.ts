/**
 * Python's `cmath` module in the steps of CPython (Modules/cmathmodule.c). What has rules of its own there -
 * infinities, NaN, numbers near the ends of the range - is left to CPython lane by lane. NumPy's functions of the same
 * names use the same formulas.
 */
import { LaneStatus } from '../../ir/types.js';
import {
  acos,
  acosh,
  asinh,
  atanh,
  cos,
  cosh,
  exp,
  leave,
  log,
  log10,
  real,
  sinh,
  SMALLEST_NORMAL,
  sqrt,
  tanh,
  turned,
  type Formula,
} from '../arrays/complex-formulas.js';
import { isNumber, type Pair } from '../arrays/complex.js';
import type { LibraryMachine } from './library-machine.js';
import { python, type Implementation, type PythonRow } from './python-row.js';
import { float, tuple, typeName, Unsupported, type Call, type Scalar, type Value } from '../values/values.js';
import { named, required, scalar } from './arguments.js';
import { table, type Table } from '../values/table.js';

/** Any number that `cmath` takes, as a pair. */
function argument(ev: LibraryMachine, name: string, value: Value | undefined, call: Call): Pair {
  const v = required(`cmath.${name}`, value, call);
  if (isNumber(v)) return ev.complex.pair(v);
  if (v.tag === 'ndarray') return ev.complex.pair(scalar(ev, `cmath.${name}`, v, call));
  throw new Unsupported(`cmath.${name}() of ${typeName(v)}`, call.position);
}

const formula =
  (name: string, compute: Formula): Implementation =>
  (ev, call) => {
    if (call.args.length !== 1 || call.keywords.size > 0)
      throw new Unsupported(`cmath.${name}() called so`, call.position);
    return ev.complex.make(compute(ev, argument(ev, name, call.args[0], call)), false);
  };

/** With a base, the logarithm of zero is infinite instead of an error. */
function logarithm(ev: LibraryMachine, call: Call): Value {
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
  (name: string, test: (ev: LibraryMachine, z: Pair) => Scalar): Implementation =>
  (ev, call) =>
    ev.ops.retag(test(ev, argument(ev, name, call.args[0], call)), 'bool');

function rect(ev: LibraryMachine, call: Call): Value {
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

function isClose(ev: LibraryMachine, call: Call): Value {
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

const phase = (ev: LibraryMachine, z: Pair): Scalar => ev.ops.retag(ev.complex.phase(z), 'float');

const FUNCTIONS: Table<PythonRow> = table({
  exp: python('z, /', formula('exp', exp)),
  log: python('z, base=, /', logarithm),
  log10: python('z, /', formula('log10', log10)),
  sqrt: python('z, /', formula('sqrt', sqrt)),
  sin: python('z, /', formula('sin', turned(sinh))),
  cos: python('z, /', formula('cos', cos)),
  tan: python('z, /', formula('tan', turned(tanh))),
  sinh: python('z, /', formula('sinh', sinh)),
  cosh: python('z, /', formula('cosh', cosh)),
  tanh: python('z, /', formula('tanh', tanh)),
  asin: python('z, /', formula('asin', turned(asinh))),
  acos: python('z, /', formula('acos', acos)),
  atan: python('z, /', formula('atan', turned(atanh))),
  asinh: python('z, /', formula('asinh', asinh)),
  acosh: python('z, /', formula('acosh', acosh)),
  atanh: python('z, /', formula('atanh', atanh)),
  phase: python('z, /', (ev, call) => {
    const { ops } = ev;
    const z = argument(ev, 'phase', call.args[0], call);
    const result = phase(ev, z);
    // CPython takes an angle that underflows for an error.
    const isTiny = ops.compare('<', ops.abs(result), real(SMALLEST_NORMAL));
    leave(ev, ops.and(isTiny, ops.not(ops.isZero(z.im))));
    return result;
  }),
  polar: python('z, /', (ev, call) => {
    const z = argument(ev, 'polar', call.args[0], call);
    return tuple([ev.complex.magnitude(z, false), phase(ev, z)]);
  }),
  rect: python('r, phi, /', rect),
  isclose: python('a, b, *, rel_tol=, abs_tol=', isClose),
  isnan: python(
    'z, /',
    predicate('isnan', (ev, z) => ev.complex.isNaN(z)),
  ),
  isinf: python(
    'z, /',
    predicate('isinf', (ev, z) => ev.ops.or(ev.ops.isInf(z.re), ev.ops.isInf(z.im))),
  ),
  isfinite: python(
    'z, /',
    predicate('isfinite', (ev, z) => ev.complex.isFinite(z)),
  ),
});

const CONSTANTS: Table<number> = table({
  pi: Math.PI,
  e: Math.E,
  tau: 2 * Math.PI,
  inf: Infinity,
  nan: NaN,
});

/** Everything that is translated. */
export const CMATH_NAMES: readonly string[] = [...Object.keys(CONSTANTS), 'infj', 'nanj', ...Object.keys(FUNCTIONS)];

export function cmathMember(ev: LibraryMachine, name: string): Value | undefined {
  const constant = CONSTANTS[name];
  if (constant !== undefined) return float(constant);
  if (name === 'infj' || name === 'nanj')
    return ev.complex.make({ re: real(0), im: real(name === 'infj' ? Infinity : NaN) }, false);
  return FUNCTIONS[name]?.(ev, `cmath.${name}`);
}
