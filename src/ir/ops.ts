/**
 * The op table: the one source of every operation's name, arity, types, meaning and error bound. Printer, parser,
 * verifier, interpreter, code generators and tests are driven from it.
 *
 * Three kinds:
 *  - `primitive`: exact IEEE 754 binary64 operations (or pure bit operations) that every backend implements directly
 *    and without contraction, so that results are equal in every bit. NaN payloads and signs are unspecified: no
 *    primitive but the ones marked "total on bits" may let them show, and those are used under a NaN guard.
 *  - `math`: functions of the mathematics library. Each is written once, in `math/`, as an expansion into primitives;
 *    backends generate code from that expansion and never call a vendor's function.
 *  - `memory`: elements of arrays, and the number that an index form is.
 *  - `effect`: no result.
 */
import type { IrType } from './types.js';

export interface OpInfo {
  readonly kind: 'primitive' | 'math' | 'memory' | 'effect';
  readonly args: readonly IrType[];
  readonly result: IrType | 'none';
  /**
   * Largest distance of a result from the correctly rounded one, in units in the last place; 0 = exact or correctly
   * rounded. Measured errors are in docs/numerics.md.
   */
  readonly ulp: number;
  readonly doc: string;
}

const f = 'f64' as const;
const b = 'bool' as const;

function primitive(args: readonly IrType[], result: IrType, doc: string): OpInfo & { readonly kind: 'primitive' } {
  return { kind: 'primitive', args, result, ulp: 0, doc };
}
function math(arity: number, ulp: number, doc: string): OpInfo & { readonly kind: 'math' } {
  const args: IrType[] = new Array<IrType>(arity).fill(f);
  return { kind: 'math', args, result: f, ulp, doc };
}

/** Angles up to here, 2^18 quadrants, are reduced the quick way; those beyond take about five times as long. */
export const TRIG_QUICK_ARGUMENT = 411775;

export const OPS = {
  const: primitive([], f, 'The immediate.'),
  bconst: primitive([], b, 'The immediate as a truth value.'),
  x: primitive([], f, 'Coordinate `imm` of the candidate.'),

  add: primitive([f, f], f, 'a + b'),
  sub: primitive([f, f], f, 'a - b'),
  mul: primitive([f, f], f, 'a * b'),
  div: primitive([f, f], f, 'a / b, IEEE: x/0 is an infinity or NaN'),
  sqrt: primitive([f], f, 'Square root, correctly rounded; NaN below zero'),
  neg: primitive([f], f, 'Sign flipped, also of zero'),
  abs: primitive([f], f, 'Sign cleared'),
  floor: primitive([f], f, 'Largest integer not above a; keeps -0'),
  ceil: primitive([f], f, 'Smallest integer not below a; -0 for a in (-1, -0]'),
  trunc: primitive([f], f, 'Toward zero; keeps the sign of zero'),
  rint: primitive([f], f, 'Nearest integer, ties to even; keeps the sign of zero'),

  lt: primitive([f, f], b, 'a < b; false with NaN'),
  le: primitive([f, f], b, 'a <= b; false with NaN'),
  eq: primitive([f, f], b, 'a == b; false with NaN'),
  ne: primitive([f, f], b, 'a != b; true with NaN'),
  and: primitive([b, b], b, 'a and b, both evaluated'),
  or: primitive([b, b], b, 'a or b, both evaluated'),
  xor: primitive([b, b], b, 'a differs from b'),
  not: primitive([b], b, 'not a'),
  select: primitive([b, f, f], f, 'b where a holds, else c'),
  bselect: primitive([b, b, b], b, 'b where a holds, else c'),

  signbit: primitive([f], b, 'Sign bit set; false for NaN'),
  exponent: primitive([f], f, 'Total on bits: ((bits >> 52) & 0x7ff) - 1023 as f64'),
  mantissa: primitive([f], f, 'Total on bits: (bits & 0x000fffffffffffff) | 0x3ff0000000000000, a number in [1, 2)'),
  scale: primitive(
    [f, f],
    f,
    'a * 2^b as (a * 2^h) * 2^(b-h), h = floor(b/2): rounded once for an ordinary a. For an integer b in [-2044, 2046]; ' +
      'unspecified but trap-free elsewhere, use under a guard',
  ),
  high: primitive([f], f, 'Total on bits: bits & 0xfffffffff8000000, the leading 26 significant bits'),

  sin: math(1, 1, 'sine; NaN for infinities'),
  cos: math(1, 1, 'cosine; NaN for infinities'),
  tan: math(1, 2, 'tangent; NaN for infinities'),
  asin: math(1, 1, 'arc sine; NaN outside [-1, 1]'),
  acos: math(1, 1, 'arc cosine; NaN outside [-1, 1]'),
  atan: math(1, 1, 'arc tangent'),
  atan2: math(2, 2, 'atan2(y, x), all quadrants and signed zeros as C'),
  sinh: math(1, 2, 'hyperbolic sine'),
  cosh: math(1, 1, 'hyperbolic cosine'),
  tanh: math(1, 2, 'hyperbolic tangent'),
  asinh: math(1, 2, 'inverse hyperbolic sine'),
  acosh: math(1, 2, 'inverse hyperbolic cosine; NaN below 1'),
  atanh: math(1, 2, 'inverse hyperbolic tangent; NaN outside [-1, 1]'),
  exp: math(1, 1, 'e^a; infinity on overflow, gradual underflow'),
  exp2: math(1, 1, '2^a; exact for an integer a'),
  expm1: math(1, 1, 'e^a - 1 without cancellation'),
  log: math(1, 1, 'natural logarithm; -inf at 0, NaN below'),
  log2: math(1, 1, 'logarithm to base 2, exact at powers of two'),
  log10: math(1, 1, 'logarithm to base 10; exact at powers of ten'),
  log1p: math(1, 1, 'log(1 + a)'),
  pow: math(
    2,
    1,
    'a^b with all special cases of C pow (Annex F), inf on overflow, NaN for a negative base and fractional b',
  ),
  cbrt: math(1, 1, 'cube root'),
  hypot: math(2, 1, 'sqrt(a^2 + b^2) without needless overflow'),
  fmod: math(2, 0, 'C fmod, exact; NaN where |a/b| >= 2^53 (the front end flags those lanes)'),
  erf: math(1, 1, 'error function'),
  erfc: math(1, 3, '1 - erf(a) without cancellation'),
  gamma: math(1, 5, 'gamma function; infinities at the zeros, NaN at negative integers and -inf'),
  lgamma: math(
    1,
    4,
    'log of the gamma function; NaN for finite arguments below zero (the front end flags those lanes)',
  ),

  load: { kind: 'memory', args: [], result: f, ulp: 0, doc: 'Element `at` of the array `imm`.' },
  store: { kind: 'memory', args: [f], result: 'none', ulp: 0, doc: 'Element `at` of the local array `imm` becomes a.' },
  ordinal: { kind: 'memory', args: [], result: f, ulp: 0, doc: 'The index form `at` as a number.' },

  check: { kind: 'effect', args: [b], result: 'none', ulp: 0, doc: 'Flags the lane with status `imm` where a holds.' },
} as const satisfies Record<string, OpInfo>;

export type OpName = keyof typeof OPS;
export type MathOpName = { [K in OpName]: (typeof OPS)[K]['kind'] extends 'math' ? K : never }[OpName];

/** Primitives that are functions of their arguments alone. */
export type PrimitiveOpName = Exclude<OpName, MathOpName | LeafOpName | 'store' | 'check'>;

/** Operations without arguments. */
export type LeafOpName = 'const' | 'bconst' | 'x' | 'load' | 'ordinal';

export const OP_NAMES = Object.keys(OPS) as readonly OpName[];
export const opInfo = (name: OpName): OpInfo => OPS[name];
/** Operations on angles: `imm` is 1 where the angle is known to be within TRIG_QUICK_ARGUMENT, or not a number. */
export type AngleOpName = 'sin' | 'cos' | 'tan';
export const isAngleOp = (name: OpName): name is AngleOpName => name === 'sin' || name === 'cos' || name === 'tan';
export const isMathOp = (name: OpName): name is MathOpName => OPS[name].kind === 'math';
