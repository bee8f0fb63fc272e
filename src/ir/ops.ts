/**
 * The op table: the one source of every operation's name, arity, types, meaning, error bound and traits. Printer,
 * parser, verifier, interpreter, code generators, intervals, analyses and tests are driven from it.
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

export type IrType = 'f64' | 'bool' | 'index';

export interface OpInfo extends Partial<Traits> {
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

/**
 * How an operation behaves as a function of numbers: what intervals, gradients and analyses read of it. What is left
 * out is not known, but for `domain` and `seesNaN`. `test/property/op-table.test.ts` compares all of it with samples.
 */
interface Traits {
  /**
   * Where it has neither kink nor jump nor a slope without bound:
   *  - `everywhere`: in its domain, and at an end of it where it is finite;
   *  - `either side of zero`: where its argument does not change its sign;
   *  - `off zero`: where its first argument is not 0;
   *  - `above zero`: where its first argument is above 0;
   *  - `between poles`: within an interval shorter than its period;
   *  - `elsewhere`: all but some places that these words do not tell;
   *  - `steps`: it rounds: it has jumps between which its slopes are whole numbers;
   *  - `bits`: it takes a number apart.
   */
  readonly smooth:
    'everywhere' | 'either side of zero' | 'off zero' | 'above zero' | 'between poles' | 'elsewhere' | 'steps' | 'bits';
  /** Where a monotone function is a number. Absent: everywhere. */
  readonly domain: readonly [number, number];
  /**
   * Over its domain, but for errors of rounding. `mirrored`: the same for an argument and its negative, and larger for
   * a larger magnitude.
   */
  readonly monotony: 'increases' | 'decreases' | 'mirrored';
  readonly curvature: 'convex' | 'concave';
  /** No result is below it, errors included. */
  readonly least: number;
  /** Where an increasing function is 0; its results have the sign of a - zero, errors included. */
  readonly zero: number;
  readonly period: number;
  /** It is finite where the arguments and the result are; lies between two numbers; or is the result itself. */
  readonly slope: 'finite' | readonly [number, number] | 'itself';
  /** A NaN among its arguments can give something else than NaN. Absent: it gives NaN. */
  readonly seesNaN: true;
}

/** Traits that a row states. `smooth` is required: nobody should guess whether a function is smooth. */
type Stated = Partial<Traits> & Pick<Traits, 'smooth'>;

const f = 'f64' as const;
const b = 'bool' as const;

interface Row<Kind, Result> {
  readonly kind: Kind;
  readonly args: readonly IrType[];
  readonly result: Result;
  readonly ulp: number;
  readonly doc: string;
}

function leaf<R extends IrType>(result: R, doc: string): Row<'primitive', R> {
  return { kind: 'primitive', args: [], result, ulp: 0, doc };
}
function primitive<const T extends Stated>(
  args: readonly IrType[],
  doc: string,
  traits: T,
): Row<'primitive', 'f64'> & T {
  return { kind: 'primitive', args, result: f, ulp: 0, doc, ...traits };
}
function truth<const T extends Partial<Traits>>(
  args: readonly IrType[],
  doc: string,
  traits: T,
): Row<'primitive', 'bool'> & T {
  return { kind: 'primitive', args, result: b, ulp: 0, doc, ...traits };
}
function math<const T extends Stated>(arity: number, ulp: number, doc: string, traits: T): Row<'math', 'f64'> & T {
  const args: IrType[] = new Array<IrType>(arity).fill(f);
  return { kind: 'math', args, result: f, ulp, doc, ...traits };
}

const smooth = { smooth: 'everywhere' } as const;
const rising = { ...smooth, monotony: 'increases' } as const;
const rounding = { smooth: 'steps' } as const;
const wave = { ...smooth, period: 2 * Math.PI, slope: [-1, 1] } as const;
const seesNaN = { seesNaN: true } as const;
const POSITIVE = [0, Infinity] as const;

/** Angles up to here, 2^18 quadrants, are reduced the quick way; those beyond take about five times as long. */
export const TRIG_QUICK_ARGUMENT = 411775;

export const OPS = {
  const: leaf(f, 'The immediate.'),
  bconst: leaf(b, 'The immediate as a truth value.'),
  x: leaf(f, 'Coordinate `imm` of the candidate.'),

  add: primitive([f, f], 'a + b', smooth),
  sub: primitive([f, f], 'a - b', smooth),
  mul: primitive([f, f], 'a * b', { ...smooth, slope: 'finite' }),
  div: primitive([f, f], 'a / b, IEEE: x/0 is an infinity or NaN', { smooth: 'elsewhere' }),
  sqrt: primitive([f], 'Square root, correctly rounded; NaN below zero', {
    smooth: 'above zero',
    domain: POSITIVE,
    monotony: 'increases',
    curvature: 'concave',
  }),
  neg: primitive([f], 'Sign flipped, also of zero', { ...smooth, monotony: 'decreases' }),
  abs: primitive([f], 'Sign cleared', { smooth: 'either side of zero', monotony: 'mirrored', curvature: 'convex' }),
  floor: primitive([f], 'Largest integer not above a; keeps -0', rounding),
  ceil: primitive([f], 'Smallest integer not below a; -0 for a in (-1, -0]', rounding),
  trunc: primitive([f], 'Toward zero; keeps the sign of zero', rounding),
  rint: primitive([f], 'Nearest integer, ties to even; keeps the sign of zero', rounding),

  lt: truth([f, f], 'a < b; false with NaN', seesNaN),
  le: truth([f, f], 'a <= b; false with NaN', seesNaN),
  eq: truth([f, f], 'a == b; false with NaN', seesNaN),
  ne: truth([f, f], 'a != b; true with NaN', seesNaN),
  and: truth([b, b], 'a and b, both evaluated', {}),
  or: truth([b, b], 'a or b, both evaluated', {}),
  xor: truth([b, b], 'a differs from b', {}),
  not: truth([b], 'not a', {}),
  select: primitive([b, f, f], 'b where a holds, else c', { smooth: 'elsewhere' }),
  bselect: truth([b, b, b], 'b where a holds, else c', {}),

  signbit: truth([f], 'Sign bit set; false for NaN', { smooth: 'bits', ...seesNaN }),
  exponent: primitive([f], 'Total on bits: ((bits >> 52) & 0x7ff) - 1023 as f64', { smooth: 'bits', ...seesNaN }),
  mantissa: primitive([f], 'Total on bits: (bits & 0x000fffffffffffff) | 0x3ff0000000000000, a number in [1, 2)', {
    smooth: 'bits',
    ...seesNaN,
  }),
  scale: primitive(
    [f, f],
    'a * 2^b as (a * 2^h) * 2^(b-h), h = floor(b/2): rounded once for an ordinary a. For an integer b in [-2044, 2046]; ' +
      'unspecified but trap-free elsewhere, use under a guard',
    smooth,
  ),
  high: primitive([f], 'Total on bits: bits & 0xfffffffff8000000, the leading 26 significant bits', {
    smooth: 'bits',
    ...seesNaN,
  }),

  sin: math(1, 1, 'sine; NaN for infinities', wave),
  cos: math(1, 1, 'cosine; NaN for infinities', wave),
  tan: math(1, 2, 'tangent; NaN for infinities', { smooth: 'between poles', period: Math.PI }),
  asin: math(1, 1, 'arc sine; NaN outside [-1, 1]', {
    smooth: 'elsewhere',
    domain: [-1, 1],
    monotony: 'increases',
    zero: 0,
  }),
  acos: math(1, 1, 'arc cosine; NaN outside [-1, 1]', {
    smooth: 'elsewhere',
    domain: [-1, 1],
    monotony: 'decreases',
  }),
  atan: math(1, 1, 'arc tangent', { ...rising, zero: 0, slope: 'finite' }),
  atan2: math(2, 2, 'atan2(y, x), all quadrants and signed zeros as C', { smooth: 'elsewhere' }),
  sinh: math(1, 2, 'hyperbolic sine', { ...rising, zero: 0, slope: 'finite' }),
  cosh: math(1, 1, 'hyperbolic cosine', { ...smooth, monotony: 'mirrored', curvature: 'convex', slope: 'finite' }),
  tanh: math(1, 2, 'hyperbolic tangent', { ...rising, zero: 0, slope: 'finite' }),
  asinh: math(1, 2, 'inverse hyperbolic sine', { ...rising, zero: 0 }),
  acosh: math(1, 2, 'inverse hyperbolic cosine; NaN below 1', {
    smooth: 'elsewhere',
    domain: [1, Infinity],
    monotony: 'increases',
    least: 0,
  }),
  atanh: math(1, 2, 'inverse hyperbolic tangent; NaN outside [-1, 1]', { ...rising, domain: [-1, 1], zero: 0 }),
  exp: math(1, 1, 'e^a; infinity on overflow, gradual underflow', {
    ...rising,
    least: 0,
    curvature: 'convex',
    slope: 'itself',
  }),
  exp2: math(1, 1, '2^a; exact for an integer a', { ...rising, least: 0, curvature: 'convex' }),
  expm1: math(1, 1, 'e^a - 1 without cancellation', { ...rising, zero: 0, curvature: 'convex' }),
  log: math(1, 1, 'natural logarithm; -inf at 0, NaN below', {
    ...rising,
    domain: POSITIVE,
    zero: 1,
    curvature: 'concave',
  }),
  log2: math(1, 1, 'logarithm to base 2, exact at powers of two', {
    ...rising,
    domain: POSITIVE,
    curvature: 'concave',
  }),
  log10: math(1, 1, 'logarithm to base 10; exact at powers of ten', {
    ...rising,
    domain: POSITIVE,
    curvature: 'concave',
  }),
  log1p: math(1, 1, 'log(1 + a)', { ...rising, domain: [-1, Infinity], zero: 0, curvature: 'concave' }),
  pow: math(
    2,
    1,
    'a^b with all special cases of C pow (Annex F), inf on overflow, NaN for a negative base and fractional b',
    { smooth: 'elsewhere', ...seesNaN },
  ),
  cbrt: math(1, 1, 'cube root', { smooth: 'off zero', monotony: 'increases', zero: 0 }),
  hypot: math(2, 1, 'sqrt(a^2 + b^2) without needless overflow', {
    smooth: 'above zero',
    monotony: 'mirrored',
    curvature: 'convex',
    ...seesNaN,
  }),
  fmod: math(2, 0, 'C fmod, exact; NaN where |a/b| >= 2^53 (the front end flags those lanes)', { smooth: 'steps' }),
  erf: math(1, 1, 'error function', { ...rising, zero: 0, slope: 'finite' }),
  erfc: math(1, 3, '1 - erf(a) without cancellation', { ...smooth, monotony: 'decreases', least: 0 }),
  gamma: math(1, 5, 'gamma function; infinities at the zeros, NaN at negative integers and -inf', {
    smooth: 'elsewhere',
  }),
  lgamma: math(
    1,
    4,
    'log of the gamma function; NaN for finite arguments below zero (the front end flags those lanes)',
    smooth,
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

/** Operations that make a number of numbers. */
export type NumberOpName = Exclude<
  { [K in OpName]: (typeof OPS)[K] extends { readonly smooth: string; readonly result: 'f64' } ? K : never }[OpName],
  'select'
>;

/** Functions of one number that only increase, or only decrease, where they are numbers. */
export type MonotoneOpName = {
  [K in OpName]: (typeof OPS)[K] extends { readonly monotony: 'increases' | 'decreases' } ? K : never;
}[OpName];

export const OP_NAMES = Object.keys(OPS) as readonly OpName[];
export const opInfo = (name: OpName): OpInfo => OPS[name];
export const isNumberOp = (name: OpName): name is NumberOpName =>
  opInfo(name).smooth !== undefined && OPS[name].result === 'f64' && name !== 'select';
/** Operations on angles: `imm` is 1 where the angle is known to be within TRIG_QUICK_ARGUMENT, or not a number. */
export type AngleOpName = 'sin' | 'cos' | 'tan';
export const isAngleOp = (name: OpName): name is AngleOpName => name === 'sin' || name === 'cos' || name === 'tan';
export const isMathOp = (name: OpName): name is MathOpName => OPS[name].kind === 'math';

/** An `index` is the counter of a `for`: the same on all lanes. It is used in index forms only. */
