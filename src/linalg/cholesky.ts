/**
 * Cholesky factorisation and triangular solves. Matrices are row-major Float64Array [n, n]; of symmetric ones only the
 * lower triangle is read. Nothing allocates. Sums run in a fixed order, so results are equal in every bit everywhere.
 */

/** Dot product of a[aStart ..] and b[bStart ..], `count` terms in four interleaved partial sums. */
function dot(a: Float64Array, aStart: number, b: Float64Array, bStart: number, count: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let k = 0;
  for (; k + 3 < count; k += 4) {
    s0 += a[aStart + k] * b[bStart + k];
    s1 += a[aStart + k + 1] * b[bStart + k + 1];
    s2 += a[aStart + k + 2] * b[bStart + k + 2];
    s3 += a[aStart + k + 3] * b[bStart + k + 3];
  }
  for (; k < count; k++) s0 += a[aStart + k] * b[bStart + k];
  return s0 + s1 + (s2 + s3);
}

/**
 * Factor A = L L^T.
 *
 * Shapes: `a` [n, n] (lower triangle), `l` [n, n], of which the lower triangle is written and the rest left alone.
 * `l` may be `a`. Cost: n^3/6 multiply-adds.
 * Returns false, with `l` partly written, when a pivot is not above `relativePivot` times its diagonal entry of `a`:
 * the matrix is then not safely positive definite (also when it holds a NaN). `look`: called before each row; may
 * throw.
 */
export function choleskyFactor(
  a: Float64Array,
  l: Float64Array,
  n: number,
  relativePivot = 1e-15,
  look?: () => void,
): boolean {
  for (let i = 0; i < n; i++) {
    look?.();
    const row = i * n;
    for (let j = 0; j < i; j++) {
      l[row + j] = (a[row + j] - dot(l, row, l, j * n, j)) / l[j * n + j];
    }
    const diagonal = a[row + i];
    const pivot = diagonal - dot(l, row, l, row, i);
    if (!(pivot > relativePivot * diagonal) || pivot === Infinity) return false;
    l[row + i] = Math.sqrt(pivot);
  }
  return true;
}

/** Solves L z = b. Shapes: `l` [n, n] lower triangular, `b` and `z` [n]; `z` may be `b`. Cost: n^2/2. */
export function solveLower(l: Float64Array, b: Float64Array, z: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) z[i] = (b[i] - dot(l, i * n, z, 0, i)) / l[i * n + i];
}

/** Solves L^T z = b. Shapes and cost as `solveLower`; `z` may be `b`. */
export function solveUpper(l: Float64Array, b: Float64Array, z: Float64Array, n: number): void {
  if (z !== b) z.set(b.subarray(0, n));
  for (let i = n - 1; i >= 0; i--) {
    const value = z[i] / l[i * n + i];
    z[i] = value;
    for (let j = 0; j < i; j++) z[j] -= l[i * n + j] * value;
  }
}
