/**
 * How far a function of the mathematics library may be from the exact value, on either side. Ours: the op table.
 * CPython's: glibc states at most 2 ULP for the functions used here (Library manual, "Errors in Math Functions"); musl
 * and Apple's library stay within the same; CPython states 10 ULP for its own gamma and lgamma. NumPy's loops for
 * vector instructions (SVML, Highway) keep 4 ULP. SciPy's gamma, lgamma, erf and erfc (Cephes, Boost) stay within 8 ULP
 * of the exact value, or, beside a zero, within as many of 1.
 */
import type { MathOpName } from '../ir/ops.js';

interface LibraryError {
  /** Units in the last place of the larger magnitude in the result, the error of both sides together. */
  readonly ulp: number;
  /** An absolute error on top, for functions that lose relative accuracy beside a zero. */
  readonly absolute: number;
}

const VECTOR = 4;

const relative = (ulp: number, absolute = 0): LibraryError => ({ ulp, absolute });

export const LIBRARY_ERRORS: Readonly<Record<MathOpName, LibraryError>> = {
  sin: relative(VECTOR + 2, 2 ** -64),
  cos: relative(VECTOR + 2, 2 ** -64),
  tan: relative(VECTOR + 3, 2 ** -64),
  asin: relative(VECTOR + 2),
  acos: relative(VECTOR + 2),
  atan: relative(VECTOR + 2),
  atan2: relative(VECTOR + 3),
  sinh: relative(VECTOR + 3),
  cosh: relative(VECTOR + 2),
  tanh: relative(VECTOR + 3),
  asinh: relative(VECTOR + 3),
  acosh: relative(VECTOR + 3),
  atanh: relative(VECTOR + 3),
  exp: relative(VECTOR + 2),
  exp2: relative(VECTOR + 2),
  expm1: relative(VECTOR + 2),
  log: relative(VECTOR + 2),
  log2: relative(VECTOR + 2),
  log10: relative(VECTOR + 2),
  log1p: relative(VECTOR + 2),
  pow: relative(VECTOR + 2),
  cbrt: relative(VECTOR + 2),
  hypot: relative(3),
  fmod: relative(0),
  erf: relative(10),
  erfc: relative(20),
  gamma: relative(32),
  lgamma: relative(32, 2 ** -48),
};
