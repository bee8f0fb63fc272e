/**
 * Solves systems with a square matrix that need not be symmetric or definite: Gaussian elimination with partial
 * pivoting. Matrices are row-major Float64Array [n, n]. Sums run in a fixed order, so results are equal in every bit
 * everywhere.
 */

/**
 * Factor P A = L U in place: L (unit diagonal) below, U on and above the diagonal of `a`; `order` [n] says which row of
 * A became which row of L U. Cost: n^3/3 multiply-adds.
 * Returns false, with `a` partly written, when a pivot is zero or not finite.
 */
export function luFactor(a: Float64Array, order: Int32Array, n: number): boolean {
  for (let i = 0; i < n; i++) order[i] = i;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i * n + k]) > Math.abs(a[pivot * n + k])) pivot = i;
    const largest = a[pivot * n + k];
    if (largest === 0 || !Number.isFinite(largest)) return false;
    if (pivot !== k) {
      for (let j = 0; j < n; j++) {
        const value = a[k * n + j];
        a[k * n + j] = a[pivot * n + j]!;
        a[pivot * n + j] = value;
      }
      const row = order[k];
      order[k] = order[pivot]!;
      order[pivot] = row;
    }
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / largest;
      a[i * n + k] = factor;
      if (factor === 0) continue;
      for (let j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

/**
 * The x of A x = b, from `luFactor`; only x[first ...], the rest 0. Shapes: `lu` [n, n], `order`, `b` and the result
 * [n].
 * Cost: at most n^2, less for larger `first` and for zeros at the beginning of P b.
 */
export function luSolve(lu: Float64Array, order: Int32Array, b: Float64Array, n: number, first = 0): Float64Array {
  const x = new Float64Array(n);
  let begin = 0;
  while (begin < n && b[order[begin]] === 0) begin++;
  for (let i = begin; i < n; i++) {
    let sum = b[order[i]];
    for (let j = begin; j < i; j++) sum -= lu[i * n + j] * x[j];
    x[i] = sum;
  }
  for (let i = n - 1; i >= first; i--) {
    let sum = x[i];
    for (let j = i + 1; j < n; j++) sum -= lu[i * n + j] * x[j];
    x[i] = sum / lu[i * n + i];
  }
  return x.fill(0, 0, first);
}
