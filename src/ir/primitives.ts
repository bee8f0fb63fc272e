/**
 * Results of every primitive of the op table on one lane: the reference for all code generators and the arithmetic of
 * constant folding. Booleans are 0 and 1. Plain IEEE 754 binary64 as JavaScript has it; bit operations go through one
 * shared view. Not re-entrant across threads of one realm, which JavaScript does not have.
 */
import type { PrimitiveOpName } from './ops.js';

const view = new DataView(new ArrayBuffer(8));
const TWO_52 = 2 ** 52;

/** High 32 bits of the representation. */
function highWord(a: number): number {
  view.setFloat64(0, a);
  return view.getUint32(0);
}

/** Nearest integer, ties to even; keeps the sign of zero. */
function rint(a: number): number {
  const magnitude = Math.abs(a);
  if (!(magnitude < TWO_52)) return a;
  const rounded = magnitude + TWO_52 - TWO_52;
  return a < 0 || Object.is(a, -0) ? -rounded : rounded;
}

/** 2^n for an integer n in [-1022, 1023]. */
function powerOfTwo(n: number): number {
  view.setUint32(0, (n + 1023) << 20);
  view.setUint32(4, 0);
  return view.getFloat64(0);
}

/** NaN where the table leaves the result unspecified, so that an unguarded use shows in tests. */
function scale(a: number, b: number): number {
  if (!(Number.isInteger(b) && b >= -2044 && b <= 2046)) return NaN;
  const half = Math.floor(b / 2);
  return a * powerOfTwo(half) * powerOfTwo(b - half);
}

function mantissa(a: number): number {
  view.setFloat64(0, a);
  view.setUint32(0, (view.getUint32(0) & 0x000fffff) | 0x3ff00000);
  return view.getFloat64(0);
}

function high(a: number): number {
  view.setFloat64(0, a);
  view.setUint32(4, view.getUint32(4) & 0xf8000000);
  return view.getFloat64(0);
}

/** Operations of arguments only; `const`, `bconst` and `x` depend on the immediate and are not here. */
export const PRIMITIVES: Readonly<Record<PrimitiveOpName, (a: number, b: number, c: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  sqrt: (a) => Math.sqrt(a),
  neg: (a) => -a,
  abs: (a) => Math.abs(a),
  floor: (a) => Math.floor(a),
  ceil: (a) => Math.ceil(a),
  trunc: (a) => Math.trunc(a),
  rint,

  lt: (a, b) => (a < b ? 1 : 0),
  le: (a, b) => (a <= b ? 1 : 0),
  eq: (a, b) => (a === b ? 1 : 0),
  ne: (a, b) => (a !== b ? 1 : 0),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => a ^ 1,
  select: (a, b, c) => (a !== 0 ? b : c),
  bselect: (a, b, c) => (a !== 0 ? b : c),

  signbit: (a) => (a < 0 || Object.is(a, -0) ? 1 : 0),
  exponent: (a) => ((highWord(a) >>> 20) & 0x7ff) - 1023,
  mantissa,
  scale,
  high,
};
