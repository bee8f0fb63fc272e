/** Python's `math` module: Python floats in and out, domain and overflow errors as CPython raises them. */
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus } from '../../ir/types.js';
import type { Evaluator } from '../evaluator.js';
import { Unsupported, float, int, isBoolKind, isIntKind, type Call, type Scalar, type Value } from '../values.js';
import { builtin, named, scalar } from './arguments.js';

type Implementation = (ev: Evaluator, call: Call) => Value;
type Domain = (ev: Evaluator, x: Scalar) => Scalar;

const asFloat = (ev: Evaluator, name: string, value: Value | undefined, call: Call): Scalar =>
  ev.ops.retag(scalar(ev, `math.${name}`, value, call), 'float');

/** One argument; `outside` says where ValueError is raised, `overflows` whether an infinite result is an error. */
function unary(op: MathOpName, outside: Domain | null, overflows: boolean): Implementation {
  return (ev, call) => {
    const x = asFloat(ev, op, call.args[0], call);
    if (call.args.length !== 1 || call.keywords.size > 0)
      throw new Unsupported(`math.${op}() called so`, call.position);
    const { ops } = ev;
    if (outside !== null) ops.check(outside(ev, x), LaneStatus.MathDomain);
    const result = ops.math(op, 'float', x);
    if (overflows) ops.check(ops.and(ops.isInf(result), ops.isFinite(x)), LaneStatus.Overflow);
    return result;
  };
}

const infinite: Domain = (ev, x) => ev.ops.isInf(x);
const beyondOne: Domain = (ev, x) => ev.ops.compare('>', ev.ops.abs(x), float(1));
const fromOne: Domain = (ev, x) => ev.ops.compare('>=', ev.ops.abs(x), float(1));
const belowOne: Domain = (ev, x) => ev.ops.compare('<', x, float(1));
const notPositive: Domain = (ev, x) => ev.ops.compare('<=', x, float(0));
const fromMinusOne: Domain = (ev, x) => ev.ops.compare('<=', x, float(-1));

function toInteger(op: 'floor' | 'ceil' | 'trunc'): Implementation {
  return (ev, call) =>
    ev.ops.retag(ev.ops.toInt(scalar(ev, `math.${op}`, call.args[0], call), op, call.position), 'int');
}

function predicate(test: (ev: Evaluator, x: Scalar) => Scalar): Implementation {
  return (ev, call) => test(ev, scalar(ev, 'math', call.args[0], call));
}

function log(ev: Evaluator, call: Call): Value {
  const { x, base } = named('math.log', call, ['x', 'base']);
  const { ops } = ev;
  const natural = (v: Value | undefined): Scalar => {
    const s = asFloat(ev, 'log', v, call);
    ops.check(notPositive(ev, s), LaneStatus.MathDomain);
    return ops.math('log', 'float', s);
  };
  const numerator = natural(x);
  if (base === undefined) return numerator;
  return ops.binary('/', numerator, natural(base), call.position);
}

function knownInteger(ev: Evaluator, name: string, value: Value | undefined, call: Call): number {
  const s = scalar(ev, `math.${name}`, value, call);
  return ev.staticInt(s, call.position, `an argument of math.${name}()`);
}

function exactInteger(value: bigint, call: Call): Value {
  if (value > 2n ** 53n || value < -(2n ** 53n)) {
    throw new Unsupported('integers beyond 2**53 need exact arithmetic', call.position);
  }
  return int(Number(value));
}

function factorial(ev: Evaluator, call: Call): Value {
  const n = knownInteger(ev, 'factorial', call.args[0], call);
  if (n < 0) return ev.ops.raise(LaneStatus.MathDomain);
  if (n > 18) throw new Unsupported('integers beyond 2**53 need exact arithmetic', call.position);
  let product = 1n;
  for (let k = 2n; k <= BigInt(n); k++) product *= k;
  return exactInteger(product, call);
}

function comb(ev: Evaluator, call: Call): Value {
  const n = knownInteger(ev, 'comb', call.args[0], call);
  const k = knownInteger(ev, 'comb', call.args[1], call);
  if (n < 0 || k < 0) return ev.ops.raise(LaneStatus.MathDomain);
  if (k > n) return int(0);
  if (n > 1000) throw new Unsupported('math.comb() of large numbers', call.position);
  let result = 1n;
  for (let j = 0; j < k; j++) result = (result * BigInt(n - j)) / BigInt(j + 1);
  return exactInteger(result, call);
}

/** Length of a vector, scaled by its largest element so that nothing overflows on the way. */
function euclidean(ev: Evaluator, items: readonly Scalar[], call: Call): Scalar {
  const { ops } = ev;
  if (items.length === 0) return float(0);
  const magnitudes = items.map((s) => ops.abs(s));
  const largest = magnitudes.reduce((a, b) => ops.select(ops.compare('>', b, a), b, a));
  // Infinities and NaN have rules of their own.
  for (const s of items) ops.check(ops.not(ops.isFinite(s)), LaneStatus.Untranslated);
  const scale = ops.select(ops.isZero(largest), float(1), largest);
  const squares = magnitudes.map((s) => {
    const ratio = ops.binary('/', s, scale, call.position);
    return ops.binary('*', ratio, ratio, call.position);
  });
  const sum = squares.reduce((a, b) => ops.binary('+', a, b, call.position));
  return ops.binary('*', scale, ops.sqrt(sum, 'float'), call.position);
}

/** Sum with the rounding errors carried along in a second number; exact but for rare halfway cases. */
function exactSum(ev: Evaluator, items: readonly Scalar[], call: Call): Scalar {
  const { ops } = ev;
  const add = (a: Scalar, b: Scalar): Scalar => ops.binary('+', a, b, call.position);
  const sub = (a: Scalar, b: Scalar): Scalar => ops.binary('-', a, b, call.position);
  let high: Scalar = float(0);
  let low: Scalar = float(0);
  for (const x of items) {
    const sum = add(high, x);
    const part = sub(sum, high);
    const lost = add(sub(high, sub(sum, part)), sub(x, part));
    high = sum;
    low = add(low, lost);
  }
  const total = add(high, low);
  // Overflow, infinities and NaN: CPython tells them apart.
  ops.check(ops.not(ops.isFinite(total)), LaneStatus.Untranslated);
  return total;
}

const FUNCTIONS: Readonly<Record<string, Implementation | undefined>> = Object.assign(Object.create(null), {
  sin: unary('sin', infinite, false),
  cos: unary('cos', infinite, false),
  tan: unary('tan', infinite, false),
  asin: unary('asin', beyondOne, false),
  acos: unary('acos', beyondOne, false),
  atan: unary('atan', null, false),
  sinh: unary('sinh', null, true),
  cosh: unary('cosh', null, true),
  tanh: unary('tanh', null, false),
  asinh: unary('asinh', null, false),
  acosh: unary('acosh', belowOne, false),
  atanh: unary('atanh', fromOne, false),
  exp: unary('exp', null, true),
  exp2: unary('exp2', null, true),
  expm1: unary('expm1', null, true),
  log2: unary('log2', notPositive, false),
  log10: unary('log10', notPositive, false),
  log1p: unary('log1p', fromMinusOne, false),
  cbrt: unary('cbrt', null, false),
  log,
  sqrt: (ev: Evaluator, call: Call) => {
    const x = asFloat(ev, 'sqrt', call.args[0], call);
    ev.ops.check(ev.ops.compare('<', x, float(0)), LaneStatus.MathDomain);
    return ev.ops.sqrt(x, 'float');
  },
  fabs: (ev: Evaluator, call: Call) => ev.ops.abs(asFloat(ev, 'fabs', call.args[0], call)),
  pow: (ev: Evaluator, call: Call) => {
    const { ops } = ev;
    const x = asFloat(ev, 'pow', call.args[0], call);
    const y = asFloat(ev, 'pow', call.args[1], call);
    const finite = ops.and(ops.isFinite(x), ops.isFinite(y));
    const result = ops.math('pow', 'float', x, y);
    // 0 to a negative power and negative bases raise ValueError, as NaN or infinite results of finite arguments show.
    ops.check(ops.and(ops.isNaN(result), ops.and(ops.not(ops.isNaN(x)), ops.not(ops.isNaN(y)))), LaneStatus.MathDomain);
    ops.check(ops.and(ops.isInf(result), ops.and(finite, ops.isZero(x))), LaneStatus.MathDomain);
    ops.check(ops.and(ops.isInf(result), finite), LaneStatus.Overflow);
    return result;
  },
  atan2: (ev: Evaluator, call: Call) =>
    ev.ops.math('atan2', 'float', asFloat(ev, 'atan2', call.args[0], call), asFloat(ev, 'atan2', call.args[1], call)),
  hypot: (ev: Evaluator, call: Call) => {
    const { ops } = ev;
    if (call.args.length === 1) return ops.abs(asFloat(ev, 'hypot', call.args[0], call));
    if (call.args.length !== 2)
      return euclidean(
        ev,
        call.args.map((v) => asFloat(ev, 'hypot', v, call)),
        call,
      );
    const [x, y] = call.args.map((v) => asFloat(ev, 'hypot', v, call));
    const result = ops.math('hypot', 'float', x, y);
    ops.check(ops.and(ops.isInf(result), ops.and(ops.isFinite(x), ops.isFinite(y))), LaneStatus.Overflow);
    return result;
  },
  dist: (ev: Evaluator, call: Call) => {
    const [p, q] = call.args.map((v) => ev.iterate(v, call.position));
    if (p.length !== q?.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const differences = p.map((v, k) => ev.ops.retag(ev.binary('-', v, q[k], call.position) as Scalar, 'float'));
    return euclidean(ev, differences, call);
  },
  fsum: (ev: Evaluator, call: Call) => {
    const items = ev.iterate(call.args[0], call.position).map((v) => asFloat(ev, 'fsum', v, call));
    return exactSum(ev, items, call);
  },
  fmod: (ev: Evaluator, call: Call) => {
    const { ops } = ev;
    const x = asFloat(ev, 'fmod', call.args[0], call);
    const y = asFloat(ev, 'fmod', call.args[1], call);
    const nan = ops.or(ops.isNaN(x), ops.isNaN(y));
    ops.check(ops.and(ops.or(ops.isInf(x), ops.isZero(y)), ops.not(nan)), LaneStatus.MathDomain);
    const result = ops.math('fmod', 'float', x, y);
    ops.check(ops.and(ops.isNaN(result), ops.not(nan)), LaneStatus.ReductionRange);
    return result;
  },
  copysign: (ev: Evaluator, call: Call) => {
    const x = asFloat(ev, 'copysign', call.args[0], call);
    const y = asFloat(ev, 'copysign', call.args[1], call);
    return copySign(ev, x, y);
  },
  floor: toInteger('floor'),
  ceil: toInteger('ceil'),
  trunc: toInteger('trunc'),
  isnan: predicate((ev, x) => ev.ops.isNaN(x)),
  isinf: predicate((ev, x) => ev.ops.isInf(x)),
  isfinite: predicate((ev, x) => ev.ops.isFinite(x)),
  degrees: (ev: Evaluator, call: Call) =>
    ev.ops.binary('*', asFloat(ev, 'degrees', call.args[0], call), float(180 / Math.PI), call.position),
  radians: (ev: Evaluator, call: Call) =>
    ev.ops.binary('*', asFloat(ev, 'radians', call.args[0], call), float(Math.PI / 180), call.position),
  prod: (ev: Evaluator, call: Call) => {
    const { iterable, start } = named('math.prod', call, ['iterable', 'start']);
    if (iterable === undefined) throw new Unsupported('math.prod() without arguments', call.position);
    return ev
      .iterate(iterable, call.position)
      .reduce<Value>((p, v) => ev.binary('*', p, v, call.position), start ?? int(1));
  },
  isclose: (ev: Evaluator, call: Call) => {
    const { ops } = ev;
    const a = asFloat(ev, 'isclose', call.args[0], call);
    const b = asFloat(ev, 'isclose', call.args[1], call);
    const relative = asFloat(ev, 'isclose', call.keywords.get('rel_tol') ?? float(1e-9), call);
    const absolute = asFloat(ev, 'isclose', call.keywords.get('abs_tol') ?? float(0), call);
    const difference = ops.abs(ops.binary('-', b, a, call.position));
    const within = (s: Scalar): Scalar =>
      ops.compare('<=', difference, ops.abs(ops.binary('*', relative, s, call.position)));
    const near = ops.or(ops.or(within(a), within(b)), ops.compare('<=', difference, absolute));
    const finite = ops.and(ops.isFinite(a), ops.isFinite(b));
    return ops.or(ops.compare('==', a, b), ops.and(finite, near));
  },
  factorial,
  comb,
  gcd: (ev: Evaluator, call: Call) => {
    let [a, b] = call.args.map((v) => Math.abs(knownInteger(ev, 'gcd', v, call)));
    while (b !== 0 && b !== undefined) [a, b] = [b, a % b];
    return int(a);
  },
});

/** Magnitude of `x`, sign of `y`. */
export function copySign(ev: Evaluator, x: Scalar, y: Scalar): Scalar {
  const { ops } = ev;
  const magnitude = ops.abs(x);
  if (y.known !== undefined) {
    return y.known < 0 || Object.is(y.known, -0) ? ops.negate(magnitude) : magnitude;
  }
  if (isBoolKind(y.kind) || isIntKind(y.kind)) {
    return ops.select(ops.compare('<', y, int(0)), ops.negate(magnitude), magnitude);
  }
  const negative: Scalar = { tag: 'scalar', kind: 'bool', known: undefined, id: ops.builder.op('signbit', y.id) };
  return ops.select(negative, ops.negate(magnitude), magnitude);
}

const CONSTANTS: Readonly<Record<string, number | undefined>> = Object.assign(Object.create(null), {
  pi: Math.PI,
  e: Math.E,
  tau: 2 * Math.PI,
  inf: Infinity,
  nan: NaN,
});

/** Everything that is translated. */
export const MATH_NAMES: readonly string[] = [...Object.keys(CONSTANTS), ...Object.keys(FUNCTIONS)];

export function mathMember(ev: Evaluator, name: string): Value | undefined {
  const constant = CONSTANTS[name];
  if (constant !== undefined) return float(constant);
  const implementation = FUNCTIONS[name];
  if (implementation === undefined) return undefined;
  if ((name === 'cbrt' || name === 'exp2') && ev.pythonMinor < 11) return undefined;
  return builtin(`math.${name}`, (call) => implementation(ev, call));
}
