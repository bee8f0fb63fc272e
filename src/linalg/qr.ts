/**
 * Householder QR for least squares (Golub and Van Loan, Matrix Computations, 4th ed., 5.2). Works on the matrix itself,
 * not on its square: the condition number stays what it is.
 */

/**
 * Reduces `a` [m, n] (row-major, m >= n) to R in its upper triangle, in place, and `b` [m] to Q' b. What is below the
 * triangle is left unspecified. Cost: O(m n^2).
 */
export function triangularize(a: Float64Array, b: Float64Array, m: number, n: number): void {
  for (let k = 0; k < n; k++) {
    let largest = 0;
    for (let i = k; i < m; i++) largest = Math.max(largest, Math.abs(a[i * n + k]));
    if (!(largest > 0)) continue;
    let squares = 0;
    for (let i = k; i < m; i++) {
      const scaled = a[i * n + k] / largest;
      squares += scaled * scaled;
    }
    const head = a[k * n + k];
    const norm = (head > 0 ? -1 : 1) * largest * Math.sqrt(squares);
    // The reflection I - v v' / (norm v_k), with v = column - norm e_k.
    const first = head - norm;
    a[k * n + k] = first;
    const factor = 1 / (norm * first);
    for (let j = k + 1; j < n; j++) {
      let sum = 0;
      for (let i = k; i < m; i++) sum += a[i * n + k] * a[i * n + j];
      sum *= factor;
      for (let i = k; i < m; i++) a[i * n + j] += sum * a[i * n + k];
    }
    let sum = 0;
    for (let i = k; i < m; i++) sum += a[i * n + k] * b[i];
    sum *= factor;
    for (let i = k; i < m; i++) b[i] += sum * a[i * n + k];
    a[k * n + k] = norm;
  }
}

/**
 * Solves R x = b for the upper triangle R of `r` [., n], row-major; a coordinate whose diagonal element is 0 becomes 0.
 */
export function solveTriangle(r: Float64Array, b: Float64Array, n: number): Float64Array {
  const x = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    let sum = b[i];
    for (let j = i + 1; j < n; j++) sum -= r[i * n + j] * x[j];
    const diagonal = r[i * n + i];
    x[i] = diagonal === 0 ? 0 : sum / diagonal;
  }
  return x;
}
