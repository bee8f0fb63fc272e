/**
 * Device functions that kernels call: primitives that C++ has no operator for, and mathematics.
 *
 * In double precision, mathematics is generated from the expansions of `src/ir/math/`, which gives every backend's
 * bits. They are made for 53 bits: in `float` their constants and splittings would be wrong. In single precision
 * kernels call CUDA's own functions.
 */
import type { MathOpName, PrimitiveOpName } from '../../ir/ops.js';
import { literal, type Precision } from './literals.js';

export type DeviceFunctionName =
  'divide' | 'square_root' | 'sign_bit' | 'exponent_of' | 'mantissa_of' | 'leading_bits' | 'scale_by' | 'canonical';

const define = (head: string, ...body: readonly string[]): string =>
  `static __device__ __forceinline__ ${head} { ${body.join(' ')} }`;

/**
 * Division and square root are functions, though C++ has them: on a GPU they are sequences of fused operations, and a
 * test that looks for contraction puts something else in their place (`OPAQUE`).
 */
const DOUBLE: Readonly<Record<DeviceFunctionName, string>> = {
  divide: define('double divide(double a, double b)', 'return a / b;'),
  square_root: define('double square_root(double a)', 'return sqrt(a);'),
  sign_bit: define('bool sign_bit(double a)', 'return (a == a) & (__double2hiint(a) < 0);'),
  exponent_of: define('double exponent_of(double a)', 'return (double)(((__double2hiint(a) >> 20) & 0x7ff) - 1023);'),
  mantissa_of: define(
    'double mantissa_of(double a)',
    'return __hiloint2double((__double2hiint(a) & 0x000fffff) | 0x3ff00000, __double2loint(a));',
  ),
  leading_bits: define(
    'double leading_bits(double a)',
    'return __hiloint2double(__double2hiint(a), __double2loint(a) & (int)0xf8000000u);',
  ),
  scale_by: [
    define(
      'double power_of_two(double n)',
      'return __hiloint2double((int)(((unsigned)__double2int_rz(n) + 1023u) << 20), 0);',
    ),
    define(
      'double scale_by(double a, double b)',
      'const double h = floor(b * 0.5);',
      'return a * power_of_two(h) * power_of_two(b - h);',
    ),
  ].join('\n'),
  canonical: define('double canonical(double a)', `return a == a ? a : ${literal(NaN, 'f64')};`),
};

/** Those that take the bits of a double apart have no form here. */
const FLOAT: Readonly<Partial<Record<DeviceFunctionName, string>>> = {
  divide: define('float divide(float a, float b)', 'return a / b;'),
  square_root: define('float square_root(float a)', 'return sqrtf(a);'),
  sign_bit: define('bool sign_bit(float a)', 'return (a == a) & (__float_as_int(a) < 0);'),
  canonical: define('float canonical(float a)', `return a == a ? a : ${literal(NaN, 'f32')};`),
};

export function deviceFunction(name: DeviceFunctionName, precision: Precision): string {
  const text = precision === 'f64' ? DOUBLE[name] : FLOAT[name];
  if (text === undefined) throw new Error(`there is no ${name} in single precision`);
  return text;
}

/**
 * Stands for the text of `divide` and `square_root` where a test searches machine code for contraction: what the
 * compiler cannot see through, and what holds no fused operation.
 */
export const OPAQUE: Readonly<Record<Precision, Readonly<Record<'divide' | 'square_root', string>>>> = {
  f64: {
    divide: define(
      'double divide(double a, double b)',
      'double r; asm volatile("max.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b)); return r;',
    ),
    square_root: define(
      'double square_root(double a)',
      'double r; asm volatile("abs.f64 %0, %1;" : "=d"(r) : "d"(a)); return r;',
    ),
  },
  f32: {
    divide: define(
      'float divide(float a, float b)',
      'float r; asm volatile("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r;',
    ),
    square_root: define(
      'float square_root(float a)',
      'float r; asm volatile("abs.f32 %0, %1;" : "=f"(r) : "f"(a)); return r;',
    ),
  },
};

interface Call {
  readonly text: string;
  readonly needs?: DeviceFunctionName;
}

/** Calls that have different names in the two precisions, or need a device function. */
export function primitiveCall(op: PrimitiveOpName, precision: Precision, args: readonly string[]): Call {
  const needed = NEEDED[op];
  if (needed !== undefined) {
    if (precision === 'f32' && FLOAT[needed] === undefined) {
      throw new RangeError(`single precision has no form of \`${op}\`, which takes the bits of a double apart`);
    }
    return { text: `${needed}(${args.join(', ')})`, needs: needed };
  }
  const expression = OPERATORS[op];
  if (expression !== undefined) return { text: expression(args[0], args[1], args[2]) };
  const name = op === 'abs' ? 'fabs' : op;
  return { text: `${name}${precision === 'f32' ? 'f' : ''}(${args[0]})` };
}

const NEEDED: Readonly<Partial<Record<PrimitiveOpName, DeviceFunctionName>>> = {
  div: 'divide',
  sqrt: 'square_root',
  signbit: 'sign_bit',
  exponent: 'exponent_of',
  mantissa: 'mantissa_of',
  high: 'leading_bits',
  scale: 'scale_by',
};

const OPERATORS: Readonly<Partial<Record<PrimitiveOpName, (a: string, b: string, c: string) => string>>> = {
  add: (a, b) => `${a} + ${b}`,
  sub: (a, b) => `${a} - ${b}`,
  mul: (a, b) => `${a} * ${b}`,
  neg: (a) => `-${a}`,
  lt: (a, b) => `${a} < ${b}`,
  le: (a, b) => `${a} <= ${b}`,
  eq: (a, b) => `${a} == ${b}`,
  ne: (a, b) => `${a} != ${b}`,
  // Both operands are there: no branch around the second.
  and: (a, b) => `${a} & ${b}`,
  or: (a, b) => `${a} | ${b}`,
  xor: (a, b) => `${a} != ${b}`,
  not: (a) => `!${a}`,
  select: (a, b, c) => `${a} ? ${b} : ${c}`,
  bselect: (a, b, c) => `${a} ? ${b} : ${c}`,
};

/**
 * Mathematics in single precision. `ulp`: largest errors in units in the last place of a float, as NVIDIA states them
 * (CUDA C++ Programming Guide, mathematical functions), the largest of its versions from 11 on. They come from tests,
 * not from proofs. The error of a whole objective follows from its condition; nothing is promised about it.
 */
export const SINGLE_PRECISION: Readonly<
  Record<MathOpName, { readonly ulp: number; readonly call: (...args: string[]) => string }>
> = {
  sin: named('sinf', 2),
  cos: named('cosf', 2),
  tan: named('tanf', 4),
  asin: named('asinf', 4),
  acos: named('acosf', 3),
  atan: named('atanf', 2),
  atan2: named('atan2f', 3),
  sinh: named('sinhf', 3),
  cosh: named('coshf', 2),
  tanh: named('tanhf', 2),
  asinh: named('asinhf', 3),
  acosh: named('acoshf', 4),
  atanh: named('atanhf', 3),
  exp: named('expf', 2),
  exp2: named('exp2f', 2),
  expm1: named('expm1f', 1),
  log: named('logf', 1),
  log2: named('log2f', 1),
  log10: named('log10f', 2),
  log1p: named('log1pf', 1),
  pow: named('powf', 9),
  cbrt: named('cbrtf', 1),
  hypot: named('hypotf', 3),
  fmod: named('fmodf', 0),
  erf: named('erff', 2),
  erfc: named('erfcf', 6),
  gamma: named('tgammaf', 11),
  // C's has numbers below zero, where the op table's has none.
  lgamma: {
    ulp: 6,
    call: (a) => `${a} < 0.0f && ${a} > ${literal(-Infinity, 'f32')} ? ${literal(NaN, 'f32')} : lgammaf(${a})`,
  },
};

function named(name: string, ulp: number): { ulp: number; call: (...args: string[]) => string } {
  return { ulp, call: (...args) => `${name}(${args.join(', ')})` };
}
