/** Device functions that kernels call: primitives that C++ has no operator for. */
import type { PrimitiveOpName } from '../../ir/ops.js';
import { literal } from './literals.js';

export type DeviceFunctionName =
  'divide' | 'square_root' | 'sign_bit' | 'exponent_of' | 'mantissa_of' | 'leading_bits' | 'scale_by' | 'canonical';

const define = (head: string, ...body: readonly string[]): string =>
  `static __device__ __forceinline__ ${head} { ${body.join(' ')} }`;

/**
 * Division and square root are functions, though C++ has them: on a GPU they are sequences of fused operations, and a
 * test that looks for contraction knows them by their lines.
 */
const DEVICE_FUNCTIONS: Readonly<Record<DeviceFunctionName, string>> = {
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
  canonical: define('double canonical(double a)', `return a == a ? a : ${literal(NaN)};`),
};

export const deviceFunction = (name: DeviceFunctionName): string => DEVICE_FUNCTIONS[name];

interface Call {
  readonly text: string;
  readonly needs?: DeviceFunctionName;
}

export function primitiveCall(op: PrimitiveOpName, args: readonly string[]): Call {
  const needed = NEEDED[op];
  if (needed !== undefined) return { text: `${needed}(${args.join(', ')})`, needs: needed };
  const expression = OPERATORS[op];
  if (expression !== undefined) return { text: expression(args[0], args[1], args[2]) };
  return { text: `${op === 'abs' ? 'fabs' : op}(${args[0]})` };
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
