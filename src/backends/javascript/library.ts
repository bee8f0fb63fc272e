/**
 * Functions that generated code calls: primitives that JavaScript has no operator for, and the mathematics library,
 * generated from its expansions. Made once per thread.
 *
 * A mathematics function takes its arguments from `T[0]`, `T[1]` and leaves its result in `T[0]`: V8 does not inline
 * functions of this size, and would allocate every argument and result on the heap.
 */
import { LIBRARY_NAMES, MATH_LIBRARY } from '../../ir/math/index.js';
import { generateMathFunction } from './generate.js';

/** A lane function: see `generate.ts`. */
export interface Lane {
  (candidates: Float64Array, offset: number, flag: Int32Array): number;
  /** Outputs of the last call besides the value, where the program has an output array. */
  readonly outputs?: Float64Array;
}

/** Statements; `Bytes` decides where the high word of a number lies. */
const PRIMITIVES = `
const T = new Float64Array(2);
const D = new Float64Array(1);
const W = new Int32Array(D.buffer);
const H = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;
const L = 1 - H;
function rint(a) {
  const m = Math.abs(a);
  if (!(m < 4503599627370496)) return a;
  const r = m + 4503599627370496 - 4503599627370496;
  return a < 0 || (a === 0 && 1 / a < 0) ? -r : r;
}
function exponent(a) { D[0] = a; return ((W[H] >>> 20) & 0x7ff) - 1023; }
function mantissa(a) { D[0] = a; W[H] = (W[H] & 0x000fffff) | 0x3ff00000; return D[0]; }
function high(a) { D[0] = a; W[L] = W[L] & 0xf8000000; return D[0]; }
function powerOfTwo(n) { W[H] = (n + 1023) << 20; W[L] = 0; return D[0]; }
function scale(a, b) { const h = Math.floor(b * 0.5); return a * powerOfTwo(h) * powerOfTwo(b - h); }
`;

let source: string | undefined;

/** Compiles the text of `generateLane`. @throws {EvalError} where this process may not generate code from text. */
export function compileLane(text: string): Lane {
  source ??= PRIMITIVES + LIBRARY_NAMES.map((name) => generateMathFunction(name, MATH_LIBRARY[name])).join('\n');
  return new Function(`'use strict';\n${source}\n${text}\nreturn lane;`)() as Lane;
}
