/** Python's `math` module: Python floats in and out, domain and overflow errors as CPython raises them. */
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus } from '../../ir/types.js';
import { copySign, nextAfter, signed } from '../arrays/floats.js';
import type { LibraryMachine } from './library-machine.js';
import { consuming, python, type Implementation, type PythonRow } from './python-row.js';
import {
  float,
  int,
  isBoolKind,
  isIntKind,
  tuple,
  Unsupported,
  type Call,
  type Scalar,
  type Value,
} from '../values/values.js';
import { exactly, named, scalar } from './arguments.js';
import { combinedInLoop } from './folds.js';
import { table, type Table } from '../values/table.js';

type Domain = (ev: LibraryMachine, x: Scalar) => Scalar;

const asFloat = (ev: LibraryMachine, name: string, value: Value | undefined, call: Call): Scalar =>
  ev.ops.certain(scalar(ev, `math.${name}`, value, call), 'float');

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
  return (ev, call) => {
    // The others make a float of an array of one number, or of a truth value of NumPy's, first.
    if (op === 'trunc' && call.args[0]?.tag === 'ndarray') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    const s = scalar(ev, `math.${op}`, call.args[0], call);
    if (op === 'trunc') {
      // NumPy's integers and truth values have no `__trunc__`; its floats are Python's, too.
      const kinds = ev.ops.possibleKinds(s);
      const isWithout = kinds.map((kind) => kind === 'npint' || kind === 'npbool');
      if (isWithout.every(Boolean)) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
      if (isWithout.some(Boolean)) {
        throw new Unsupported(
          "math.trunc() of what is NumPy's integer or something else depending on x",
          call.position,
        );
      }
    }
    return ev.ops.retag(ev.ops.toInt(s, op, call.position), 'int');
  };
}

function predicate(test: (ev: LibraryMachine, x: Scalar) => Scalar): Implementation {
  return (ev, call) => test(ev, scalar(ev, 'math', call.args[0], call));
}

function log(ev: LibraryMachine, call: Call): Value {
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

/** Known integers; floats are no integers: TypeError. */
function integers(ev: LibraryMachine, name: string, call: Call, least: number, most: number): number[] {
  if (call.args.length < least || call.args.length > most)
    throw new Unsupported(`math.${name}() of ${call.args.length} numbers`, call.position);
  return call.args.map((value) => {
    const s = scalar(ev, `math.${name}`, value, call);
    if (!isIntKind(s.kind) && !isBoolKind(s.kind)) return ev.ops.raiseForKind(s, 'TypeError');
    return ev.items.staticInt(s, call.position, `an argument of math.${name}()`);
  });
}

function exactInteger(value: bigint, call: Call): Value {
  if (value > 2n ** 53n || value < -(2n ** 53n)) {
    throw new Unsupported('integers beyond 2**53 need exact arithmetic', call.position);
  }
  return int(Number(value));
}

/** n (n - 1) ... (n - k + 1) for known integers; ends early where the product cannot stay exact. */
function fallingFactorial(n: number, k: number, call: Call): bigint {
  let product = 1n;
  for (let j = 0; j < k && product !== 0n; j++) {
    product *= BigInt(n - j);
    exactInteger(product, call);
  }
  return product;
}

function factorial(ev: LibraryMachine, call: Call): Value {
  const [n] = integers(ev, 'factorial', call, 1, 1);
  return n < 0 ? ev.ops.raise(LaneStatus.MathDomain) : exactInteger(fallingFactorial(n, n, call), call);
}

export function binomial(n: number, k: number, call: Call): Value {
  if (k > n) return int(0);
  const smaller = Math.min(k, n - k);
  let result = 1n;
  for (let j = 0; j < smaller; j++) {
    result = (result * BigInt(n - j)) / BigInt(j + 1);
    exactInteger(result, call);
  }
  return int(Number(result));
}

function comb(ev: LibraryMachine, call: Call): Value {
  const [n, k] = integers(ev, 'comb', call, 2, 2);
  return n < 0 || k < 0 ? ev.ops.raise(LaneStatus.MathDomain) : binomial(n, k, call);
}

function perm(ev: LibraryMachine, call: Call): Value {
  const args = call.args[1]?.tag === 'none' ? call.args.slice(0, 1) : call.args;
  const [n, k = n] = integers(ev, 'perm', { ...call, args }, 1, 2);
  if (n < 0 || k < 0) return ev.ops.raise(LaneStatus.MathDomain);
  return k > n ? int(0) : exactInteger(fallingFactorial(n, k, call), call);
}

function divisor(a: number, b: number): number {
  let [p, q] = [Math.abs(a), Math.abs(b)];
  while (q !== 0) [p, q] = [q, p % q];
  return p;
}

/** Floor of the root of an integer up to 2^53: the rounded root is not above it but for squares beyond 2^52. */
function integerRoot(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const n = scalar(ev, 'math.isqrt', call.args[0], call);
  if (!isIntKind(n.kind) && !isBoolKind(n.kind)) return ops.raiseForKind(n, 'TypeError');
  ops.check(ops.compare('<', n, int(0)), LaneStatus.MathDomain);
  ops.check(ops.compare('>', n, int(2 ** 52)), LaneStatus.IntegerRange);
  return ops.rounding('floor', ops.retag(ops.sqrt(ops.retag(n, 'float'), 'float'), 'float'), 'int');
}

/** Fraction and whole part, both with the sign of x. */
function modf(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const x = asFloat(ev, 'modf', call.args[0], call);
  const whole = ops.rounding('trunc', x, 'float');
  const rest = ops.select(ops.isInf(x), float(0), ops.binary('-', x, whole, call.position));
  return tuple([ops.select(ops.isNaN(x), x, copySign(ev, rest, x)), whole]);
}

/** The distance to the next number away from zero; at the largest one, to the one before. */
function ulp(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const x = ops.abs(asFloat(ev, 'ulp', call.args[0], call));
  const above = ops.retag(nextAfter(ev, call, x, float(Infinity)), 'float');
  const below = ops.retag(nextAfter(ev, call, x, float(-Infinity)), 'float');
  const isLast = ops.isInf(above);
  const distance = ops.select(
    isLast,
    ops.binary('-', x, below, call.position),
    ops.binary('-', above, x, call.position),
  );
  return ops.select(ops.isFinite(x), distance, x);
}

/** x = m 2^e with 1/2 <= |m| < 1; zeros, infinities and NaN as they are, with e = 0. */
function frexp(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const x = asFloat(ev, 'frexp', call.args[0], call);
  const plain = ops.or(ops.isZero(x), ops.not(ops.isFinite(x)));
  const isTiny = ops.compare('<', ops.abs(x), float(2 ** -1022));
  const normal = ops.select(isTiny, ops.binary('*', x, float(2 ** 54), call.position), x);
  const exponent = ops.binary(
    '+',
    ops.primitive('exponent', 'int', normal),
    ops.select(isTiny, int(-53), int(1)),
    call.position,
  );
  const half = ops.binary('*', ops.primitive('mantissa', 'float', normal), float(0.5), call.position);
  return tuple([ops.select(plain, x, copySign(ev, half, x)), ops.select(plain, int(0), exponent)]);
}

function ldexp(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const x = asFloat(ev, 'ldexp', call.args[0], call);
  const exponent = scalar(ev, 'math.ldexp', call.args[1], call);
  if (!isIntKind(exponent.kind) && !isBoolKind(exponent.kind)) return ops.raiseForKind(exponent, 'TypeError');
  // Where a power of two is a number and so is the product, the product is exact; the rest is for CPython.
  ops.check(ops.compare('>', ops.abs(exponent), int(1000)), LaneStatus.Untranslated);
  const power = ops.primitive('scale', 'float', float(1), ops.retag(exponent, 'float'));
  const result = ops.binary('*', x, power, call.position);
  ops.check(ops.and(ops.isInf(result), ops.isFinite(x)), LaneStatus.Overflow);
  return result;
}

/** IEEE 754 remainder, as CPython forms it from fmod. */
function remainder(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const x = asFloat(ev, 'remainder', call.args[0], call);
  const y = asFloat(ev, 'remainder', call.args[1], call);
  const isNaN = ops.or(ops.isNaN(x), ops.isNaN(y));
  ops.check(ops.and(ops.or(ops.isInf(x), ops.isZero(y)), ops.not(isNaN)), LaneStatus.MathDomain);
  const [a, b] = [ops.abs(x), ops.abs(y)];
  const m = ops.math('fmod', 'float', a, b);
  ops.check(ops.and(ops.isNaN(m), ops.not(isNaN)), LaneStatus.ReductionRange);
  const c = ops.binary('-', b, m, call.position);
  const halved = ops.binary('*', float(0.5), ops.binary('-', a, m, call.position), call.position);
  const even = ops.binary(
    '-',
    m,
    ops.binary('*', float(2), ops.math('fmod', 'float', halved, b), call.position),
    call.position,
  );
  const r = ops.select(ops.compare('<', m, c), m, ops.select(ops.compare('>', m, c), ops.negate(c), even));
  const signed = ops.binary('*', copySign(ev, float(1), x), r, call.position);
  return ops.select(isNaN, float(NaN), ops.select(ops.isInf(y), x, signed));
}

/** gamma: ValueError at its poles and at -inf, OverflowError beyond the range. */
function gamma(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const x = asFloat(ev, 'gamma', call.args[0], call);
  const atPole = ops.and(ops.compare('<=', x, float(0)), ops.compare('==', ops.floor(x), x));
  ops.check(atPole, LaneStatus.MathDomain);
  // CPython has exact values there.
  if (x.known !== undefined && Number.isInteger(x.known) && x.known <= 18) {
    return float(Number(fallingFactorial(x.known - 1, x.known - 1, call)));
  }
  const result = ops.math('gamma', 'float', x);
  ops.check(ops.and(ops.isInf(result), ops.isFinite(x)), LaneStatus.Overflow);
  return result;
}

function lgamma(ev: LibraryMachine, call: Call): Value {
  const { ops } = ev;
  const x = asFloat(ev, 'lgamma', call.args[0], call);
  const finite = ops.isFinite(x);
  const isNegative = ops.and(ops.compare('<=', x, float(0)), finite);
  ops.check(ops.and(isNegative, ops.compare('==', ops.floor(x), x)), LaneStatus.MathDomain);
  ops.check(isNegative, LaneStatus.ReductionRange);
  const result = ops.math('lgamma', 'float', x);
  ops.check(ops.and(ops.isInf(result), finite), LaneStatus.Overflow);
  return result;
}

/** Length of a vector, scaled by its largest element so that nothing overflows on the way. */
function euclidean(ev: LibraryMachine, items: readonly Scalar[], call: Call): Scalar {
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
  // CPython carries what is lost along.
  return ops.loose(ops.binary('*', scale, ops.sqrt(sum, 'float'), call.position), items.length + 4);
}

/**
 * Sum with the rounding errors carried along in a second number. Where the bound on what that number itself loses
 * leaves the last bit open, CPython decides.
 */
function exactSum(ev: LibraryMachine, items: readonly Scalar[], call: Call): Scalar {
  const { ops } = ev;
  const add = (a: Scalar, b: Scalar): Scalar => ops.binary('+', a, b, call.position);
  const sub = (a: Scalar, b: Scalar): Scalar => ops.binary('-', a, b, call.position);
  let high: Scalar = float(0);
  let low: Scalar = float(0);
  let size: Scalar = float(0);
  for (const x of items) {
    const sum = add(high, x);
    const part = sub(sum, high);
    const lost = add(sub(high, sub(sum, part)), sub(x, part));
    high = sum;
    low = add(low, lost);
    size = add(size, ops.abs(lost));
  }
  const total = add(high, low);
  // Adding n numbers is off by less than (n - 1) 2^-53 times the sum of their sizes; twice that covers its own
  // rounding.
  const bound = ops.binary('*', size, float(items.length * 2 ** -52), call.position);
  const open = ops.compare('!=', add(high, sub(low, bound)), add(high, add(low, bound)));
  // Overflow, infinities and NaN: CPython tells them apart.
  ops.check(ops.or(open, ops.not(ops.isFinite(total))), LaneStatus.Untranslated);
  return total;
}

/** Undefined: this Python has no such function. */
type MathRow = (ev: LibraryMachine, name: string) => Value | undefined;

/** A function that Pythons before 3.`pythonMinor` do not have. */
const since =
  (pythonMinor: number, row: PythonRow): MathRow =>
  (ev, name) =>
    ev.pythonMinor < pythonMinor ? undefined : row(ev, name);

const FUNCTIONS: Table<MathRow> = table({
  sin: python('x, /', unary('sin', infinite, false)),
  cos: python('x, /', unary('cos', infinite, false)),
  tan: python('x, /', unary('tan', infinite, false)),
  asin: python('x, /', unary('asin', beyondOne, false)),
  acos: python('x, /', unary('acos', beyondOne, false)),
  atan: python('x, /', unary('atan', null, false)),
  sinh: python('x, /', unary('sinh', null, true)),
  cosh: python('x, /', unary('cosh', null, true)),
  tanh: python('x, /', unary('tanh', null, false)),
  asinh: python('x, /', unary('asinh', null, false)),
  acosh: python('x, /', unary('acosh', belowOne, false)),
  atanh: python('x, /', unary('atanh', fromOne, false)),
  exp: python('x, /', unary('exp', null, true)),
  exp2: since(11, python('x, /', unary('exp2', null, true))),
  expm1: python('x, /', unary('expm1', null, true)),
  log2: python('x, /', unary('log2', notPositive, false)),
  log10: python('x, /', unary('log10', notPositive, false)),
  log1p: python('x, /', unary('log1p', fromMinusOne, false)),
  cbrt: since(11, python('x, /', unary('cbrt', null, false))),
  log: python('x, base=, /', log),
  sqrt: python('x, /', (ev, call) => {
    const x = asFloat(ev, 'sqrt', call.args[0], call);
    ev.ops.check(ev.ops.compare('<', x, float(0)), LaneStatus.MathDomain);
    return ev.ops.sqrt(x, 'float');
  }),
  fabs: python('x, /', (ev, call) => ev.ops.abs(asFloat(ev, 'fabs', call.args[0], call))),
  pow: python('x, y, /', (ev, call) => {
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
  }),
  atan2: python('y, x, /', (ev, call) =>
    ev.ops.math('atan2', 'float', asFloat(ev, 'atan2', call.args[0], call), asFloat(ev, 'atan2', call.args[1], call)),
  ),
  hypot: python('*coordinates', (ev, call) => {
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
  }),
  dist: python('p, q, /', (ev, call) => {
    const [p, q] = exactly('math.dist', call, 2).map((v) => ev.sequences.iterate(v, call.position));
    if (p.length !== q.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const differences = p.map((v, k) =>
      ev.ops.retag(ev.operators.binary('-', v, q[k], call.position) as Scalar, 'float'),
    );
    return euclidean(ev, differences, call);
  }),
  fsum: consuming('seq, /', (ev, call) => {
    const items = ev.sequences.iterate(call.args[0], call.position).map((v) => asFloat(ev, 'fsum', v, call));
    return exactSum(ev, items, call);
  }),
  fmod: python('x, y, /', (ev, call) => {
    const { ops } = ev;
    const x = asFloat(ev, 'fmod', call.args[0], call);
    const y = asFloat(ev, 'fmod', call.args[1], call);
    const nan = ops.or(ops.isNaN(x), ops.isNaN(y));
    ops.check(ops.and(ops.or(ops.isInf(x), ops.isZero(y)), ops.not(nan)), LaneStatus.MathDomain);
    const result = ops.math('fmod', 'float', x, y);
    ops.check(ops.and(ops.isNaN(result), ops.not(nan)), LaneStatus.ReductionRange);
    return result;
  }),
  copysign: python('x, y, /', (ev, call) => {
    const x = asFloat(ev, 'copysign', call.args[0], call);
    const y = asFloat(ev, 'copysign', call.args[1], call);
    return copySign(ev, x, signed(ev, y));
  }),
  floor: python('x, /', toInteger('floor')),
  ceil: python('x, /', toInteger('ceil')),
  trunc: python('x, /', toInteger('trunc')),
  isnan: python(
    'x, /',
    predicate((ev, x) => ev.ops.isNaN(x)),
  ),
  isinf: python(
    'x, /',
    predicate((ev, x) => ev.ops.isInf(x)),
  ),
  isfinite: python(
    'x, /',
    predicate((ev, x) => ev.ops.isFinite(x)),
  ),
  degrees: python('x, /', (ev, call) =>
    ev.ops.binary('*', asFloat(ev, 'degrees', call.args[0], call), float(180 / Math.PI), call.position),
  ),
  radians: python('x, /', (ev, call) =>
    ev.ops.binary('*', asFloat(ev, 'radians', call.args[0], call), float(Math.PI / 180), call.position),
  ),
  prod: consuming('iterable, /, *, start=', (ev, call) => {
    const { iterable, start } = named('math.prod', call, ['iterable'], ['start']);
    if (iterable === undefined) throw new Unsupported('math.prod() without arguments', call.position);
    const multiply = (p: Value, v: Value): Value => ev.operators.binary('*', p, v, call.position);
    return (
      combinedInLoop(ev, iterable, start ?? int(1), multiply, call.position, true) ??
      ev.sequences.iterate(iterable, call.position).reduce(multiply, start ?? int(1))
    );
  }),
  isclose: python('a, b, *, rel_tol=, abs_tol=', (ev, call) => {
    const { ops } = ev;
    const a = asFloat(ev, 'isclose', call.args[0], call);
    const b = asFloat(ev, 'isclose', call.args[1], call);
    const relative = asFloat(ev, 'isclose', call.keywords.get('rel_tol') ?? float(1e-9), call);
    const absolute = asFloat(ev, 'isclose', call.keywords.get('abs_tol') ?? float(0), call);
    const negative = ops.or(ops.compare('<', relative, float(0)), ops.compare('<', absolute, float(0)));
    ops.check(negative, LaneStatus.Raised, 'ValueError');
    const difference = ops.abs(ops.binary('-', b, a, call.position));
    const within = (s: Scalar): Scalar =>
      ops.compare('<=', difference, ops.abs(ops.binary('*', relative, s, call.position)));
    const near = ops.or(ops.or(within(a), within(b)), ops.compare('<=', difference, absolute));
    const finite = ops.and(ops.isFinite(a), ops.isFinite(b));
    return ops.or(ops.compare('==', a, b), ops.and(finite, near));
  }),
  factorial: python('n, /', factorial),
  comb: python('n, k, /', comb),
  perm: python('n, k=, /', perm),
  gcd: python('*integers', (ev, call) => int(integers(ev, 'gcd', call, 0, Infinity).reduce(divisor, 0))),
  lcm: python('*integers', (ev, call) => {
    const numbers = integers(ev, 'lcm', call, 0, Infinity);
    if (numbers.includes(0)) return int(0);
    let multiple = 1n;
    for (const n of numbers) {
      multiple = (multiple * BigInt(Math.abs(n))) / BigInt(divisor(Number(multiple), n));
      // It only grows.
      exactInteger(multiple, call);
    }
    return exactInteger(multiple, call);
  }),
  isqrt: python('n, /', integerRoot),
  modf: python('x, /', modf),
  frexp: python('x, /', frexp),
  nextafter: python('x, y, /, *, ~steps=', (ev, call) => {
    const [x, y] = [0, 1].map((k) => asFloat(ev, 'nextafter', call.args[k], call));
    return ev.ops.retag(nextAfter(ev, call, x, y), 'float');
  }),
  ulp: python('x, /', ulp),
  ldexp: python('x, i, /', ldexp),
  remainder: python('x, y, /', remainder),
  erf: python('x, /', unary('erf', null, false)),
  erfc: python('x, /', unary('erfc', null, false)),
  gamma: python('x, /', gamma),
  lgamma: python('x, /', lgamma),
});

const CONSTANTS: Table<number> = table({
  pi: Math.PI,
  e: Math.E,
  tau: 2 * Math.PI,
  inf: Infinity,
  nan: NaN,
});

/** Everything that is translated. */
export const MATH_NAMES: readonly string[] = [...Object.keys(CONSTANTS), ...Object.keys(FUNCTIONS)];

export function mathMember(ev: LibraryMachine, name: string): Value | undefined {
  const constant = CONSTANTS[name];
  if (constant !== undefined) return float(constant);
  return FUNCTIONS[name]?.(ev, `math.${name}`);
}
