/**
 * Eigendecomposition of a real symmetric matrix: Householder reduction to tridiagonal form, then the QL method with
 * implicit shifts (Golub and Van Loan, Matrix Computations, 4th ed., 8.3; Wilkinson's shift). Vectors are kept as rows,
 * so that every inner loop runs along memory.
 */

/** QL needs about 1.7 iterations per eigenvalue; more than this many for one means the input is not finite. */
const MAX_ITERATIONS = 60;
const EPSILON = 2.220446049250313e-16;

/** Workspace for matrices of one size. Not safe for use by two callers at once. */
export class SymmetricEigen {
  private readonly work: Float64Array;
  private readonly diagonal: Float64Array;
  private readonly offDiagonal: Float64Array;
  private readonly scratch: Float64Array;
  private readonly tau: Float64Array;

  constructor(readonly n: number) {
    this.work = new Float64Array(n * n);
    this.diagonal = new Float64Array(n);
    this.offDiagonal = new Float64Array(n);
    this.scratch = new Float64Array(n);
    this.tau = new Float64Array(n);
  }

  /**
   * Shapes: `a` [n, n] row-major, lower triangle read, untouched; `values` [n], ascending on return; `vectors` [n, n],
   * row k the unit eigenvector of `values[k]`, or null when only the values are wanted (about four times cheaper).
   * Errors: residual and loss of orthogonality of a few n * 2.2e-16 relative to the largest eigenvalue.
   * Returns false when the matrix is not finite; `values` and `vectors` are then meaningless.
   */
  decompose(a: Float64Array, values: Float64Array, vectors: Float64Array | null): boolean {
    const { n, work, diagonal } = this;
    let largest = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        const entry = Math.abs(a[i * n + j]);
        if (!(entry < Infinity)) return false;
        if (entry > largest) largest = entry;
      }
    }
    if (vectors !== null) {
      vectors.fill(0, 0, n * n);
      for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
    }
    if (largest === 0) {
      values.fill(0, 0, n);
      return true;
    }
    // Scaled to entries of at most 1, so that no square overflows or vanishes.
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) work[i * n + j] = a[i * n + j] / largest;
    this.tridiagonalize();
    if (vectors !== null) this.accumulate(vectors);
    if (!this.iterate(vectors)) return false;
    for (let i = 0; i < n; i++) values[i] = diagonal[i] * largest;
    sortAscending(values, vectors, n);
    return true;
  }

  /**
   * A = Q T Q^T with Q = H_0 H_1 ... H_{n-3}, H_k = I - tau_k v_k v_k^T. v_k (v_k[k+1] = 1 implied) is left in column k
   * of `work` below the subdiagonal; T goes to `diagonal` and `offDiagonal` (offDiagonal[k] couples k and k+1).
   */
  private tridiagonalize(): void {
    const { n, work, diagonal, offDiagonal, scratch: v, tau } = this;
    const p = offDiagonal; // p[k+1 ..] is free until those entries of T are known
    for (let k = 0; k < n - 2; k++) {
      diagonal[k] = work[k * n + k]!;
      let tail = 0;
      for (let i = k + 2; i < n; i++) tail += work[i * n + k] * work[i * n + k];
      const alpha = work[(k + 1) * n + k];
      if (tail === 0) {
        tau[k] = 0;
        p[k] = alpha;
        continue;
      }
      const norm = Math.sqrt(alpha * alpha + tail);
      const beta = alpha < 0 ? norm : -norm;
      const t = (beta - alpha) / beta;
      const scale = 1 / (alpha - beta);
      tau[k] = t;
      v[k + 1] = 1;
      for (let i = k + 2; i < n; i++) {
        v[i] = work[i * n + k] * scale;
        work[i * n + k] = v[i]!;
      }
      // p = tau A v over the trailing block, from its lower triangle alone.
      for (let i = k + 1; i < n; i++) p[i] = 0;
      for (let i = k + 1; i < n; i++) {
        const row = i * n;
        const vi = v[i];
        let sum = work[row + i] * vi;
        for (let j = k + 1; j < i; j++) {
          const entry = work[row + j];
          sum += entry * v[j];
          p[j] += entry * vi;
        }
        p[i] += sum;
      }
      let pv = 0;
      for (let i = k + 1; i < n; i++) {
        p[i] *= t;
        pv += p[i] * v[i];
      }
      const half = 0.5 * t * pv;
      for (let i = k + 1; i < n; i++) p[i] -= half * v[i];
      for (let i = k + 1; i < n; i++) {
        const row = i * n;
        const vi = v[i];
        const pi = p[i];
        for (let j = k + 1; j <= i; j++) work[row + j] -= vi * p[j] + pi * v[j];
      }
      p[k] = beta;
    }
    if (n > 1) {
      diagonal[n - 2] = work[(n - 2) * n + n - 2]!;
      offDiagonal[n - 2] = work[(n - 1) * n + n - 2]!;
    }
    diagonal[n - 1] = work[n * n - 1]!;
    offDiagonal[n - 1] = 0;
  }

  /** Turns `vectors` (identity) into Q^T, applying the reflectors from the last to the first. */
  private accumulate(vectors: Float64Array): void {
    const { n, work, tau, scratch: v } = this;
    for (let k = n - 3; k >= 0; k--) {
      const t = tau[k];
      if (t === 0) continue;
      v[k + 1] = 1;
      for (let i = k + 2; i < n; i++) v[i] = work[i * n + k]!;
      for (let r = k + 1; r < n; r++) {
        const row = r * n;
        let sum = 0;
        for (let j = k + 1; j < n; j++) sum += vectors[row + j] * v[j];
        sum *= t;
        for (let j = k + 1; j < n; j++) vectors[row + j] -= sum * v[j];
      }
    }
  }

  /** Diagonalises T in place; every plane rotation also turns two rows of `vectors`. */
  private iterate(vectors: Float64Array | null): boolean {
    const { n, diagonal: d, offDiagonal: e } = this;
    for (let first = 0; first < n; first++) {
      for (let iteration = 0; ; iteration++) {
        let last = first;
        while (last < n - 1 && Math.abs(e[last]) > EPSILON * (Math.abs(d[last]) + Math.abs(d[last + 1]))) last++;
        if (last === first) break;
        if (iteration === MAX_ITERATIONS) return false;
        // Wilkinson's shift: the eigenvalue of the leading 2x2 block that is nearer to d[first].
        const g0 = (d[first + 1] - d[first]) / (2 * e[first]);
        const r0 = Math.sqrt(g0 * g0 + 1);
        let g = d[last] - d[first] + e[first] / (g0 + (g0 < 0 ? -r0 : r0));
        let sine = 1;
        let cosine = 1;
        let shift = 0;
        let i = last - 1;
        for (; i >= first; i--) {
          const f = sine * e[i];
          const b = cosine * e[i];
          const r = Math.sqrt(f * f + g * g);
          e[i + 1] = r;
          if (r === 0) {
            // The block splits here: undo the pending shift and start again.
            d[i + 1] -= shift;
            e[last] = 0;
            break;
          }
          sine = f / r;
          cosine = g / r;
          const h = d[i + 1] - shift;
          const w = (d[i] - h) * sine + 2 * cosine * b;
          shift = sine * w;
          d[i + 1] = h + shift;
          g = cosine * w - b;
          if (vectors !== null) rotateRows(vectors, i * n, (i + 1) * n, n, cosine, sine);
        }
        if (i >= first) continue;
        d[first] -= shift;
        e[first] = g;
        e[last] = 0;
      }
    }
    return true;
  }
}

function rotateRows(m: Float64Array, upper: number, lower: number, n: number, cosine: number, sine: number): void {
  for (let k = 0; k < n; k++) {
    const a = m[upper + k];
    const b = m[lower + k];
    m[lower + k] = sine * a + cosine * b;
    m[upper + k] = cosine * a - sine * b;
  }
}

/** Selection sort: at most n swaps of rows. */
function sortAscending(values: Float64Array, vectors: Float64Array | null, n: number): void {
  for (let i = 0; i < n - 1; i++) {
    let smallest = i;
    for (let j = i + 1; j < n; j++) if (values[j] < values[smallest]) smallest = j;
    if (smallest === i) continue;
    const value = values[i];
    values[i] = values[smallest]!;
    values[smallest] = value;
    if (vectors === null) continue;
    for (let k = 0; k < n; k++) {
      const entry = vectors[i * n + k];
      vectors[i * n + k] = vectors[smallest * n + k]!;
      vectors[smallest * n + k] = entry;
    }
  }
}
