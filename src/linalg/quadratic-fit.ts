/**
 * Weighted least squares for a quadratic polynomial, by normal equations with a small ridge. Coordinates should be
 * whitened: the equations are then well enough conditioned for Cholesky.
 *
 * ORDER OF SUMS: native/linalg computes the same bits; sums run over points or eliminated rows one after the other, so
 * that vectors may hold any number of columns. What changes here changes there.
 */
import { nativeLinalg } from './native.js';

/** Columns: 1 and z; also the squares; or all products of two of (1, z). */
export type PolynomialKind = 'linear' | 'diagonal' | 'full';

const KIND_NUMBER: Record<PolynomialKind, number> = { linear: 0, diagonal: 1, full: 2 };
const RELATIVE_PIVOT = 1e-15;

export const coefficientCount: Record<PolynomialKind, (n: number) => number> = {
  linear: (n) => n + 1,
  diagonal: (n) => 2 * n + 1,
  full: (n) => ((n + 1) * (n + 2)) / 2,
};

export interface QuadraticFit {
  readonly kind: PolynomialKind;
  readonly n: number;
  /**
   * Points used, best first: `rows` [count] are rows of `z` [., n] and entries of `fitness`, which are finite there.
   */
  readonly count: number;
  readonly rows: Int32Array;
  readonly z: Float64Array;
  readonly fitness: Float64Array;
  /** Weight of the best point where the worst has 1; linear in rank. */
  readonly bestWeight: number;
  /** Relative to the mean diagonal of the normal equations. */
  readonly ridge: number;
}

/**
 * Coefficients of (fitness - best) / (worst - best): constant, slopes, squares; of a full model row by row of the
 * triangle of products (a, b), b <= a, of (1, z). Into `coefficients`; false where the equations cannot be solved.
 */
export function fitQuadratic(task: QuadraticFit, coefficients: Float64Array): boolean {
  const native = nativeLinalg();
  if (native === null) return fitQuadraticInJs(task, coefficients);
  const { kind, n, count, rows, z, fitness, bestWeight, ridge } = task;
  return native.fitQuadratic(KIND_NUMBER[kind], n, count, rows, z, fitness, bestWeight, ridge, coefficients);
}

export function fitQuadraticInJs(task: QuadraticFit, coefficients: Float64Array): boolean {
  const { kind, n, count, rows, fitness, bestWeight } = task;
  const size = coefficientCount[kind](n);
  const offset = fitness[rows[0]];
  const scale = fitness[rows[count - 1]] - offset;
  if (!(scale > 0 && scale < Infinity)) return false;

  // Four points at a time; surplus rows of the last four are zero, which leaves sums as they are.
  const columns = Math.ceil(count / 4) * 4;
  const design = new Float64Array(columns * size);
  const weights = new Float64Array(columns);
  const values = new Float64Array(columns);
  for (let k = 0; k < count; k++) {
    fillRow(kind, n, task.z, rows[k] * n, design, k * size);
    weights[k] = bestWeight - ((bestWeight - 1) * k) / (count - 1);
    values[k] = (fitness[rows[k]] - offset) / scale;
  }
  const moments = new Float64Array(size * size);
  const right = new Float64Array(size);
  for (let k = 0; k < columns; k += 4) {
    const p = k * size;
    const q = p + size;
    const r = q + size;
    const s = r + size;
    for (let row = 0; row < size; row++) {
      const wp = weights[k] * design[p + row];
      const wq = weights[k + 1] * design[q + row];
      const wr = weights[k + 2] * design[r + row];
      const ws = weights[k + 3] * design[s + row];
      right[row] = right[row] + values[k] * wp + values[k + 1] * wq + values[k + 2] * wr + values[k + 3] * ws;
      const at = row * size;
      const used = usedColumns(kind, row);
      for (let j = 0; j < used; j++) {
        moments[at + j] =
          moments[at + j] + wp * design[p + j] + wq * design[q + j] + wr * design[r + j] + ws * design[s + j];
      }
    }
  }

  // Upper triangle, the right-hand side as one more column.
  const stride = size + 1;
  const normal = new Float64Array(size * stride);
  const places = placesOf(kind, n, size);
  let trace = 0;
  for (let i = 0, at = 0; i < size; i++) {
    for (let j = i; j < size; j++) normal[i * stride + j] = moments[places[at++]]!;
    normal[i * stride + size] = right[i]!;
    trace += normal[i * stride + i];
  }
  const ridge = (task.ridge * trace) / size;
  for (let i = 0; i < size; i++) normal[i * stride + i] += ridge;
  const inverse = new Float64Array(size);
  if (!eliminate(normal, size, stride, inverse)) return false;

  // U x = y. Sums in eight parts, by column.
  const parts = new Float64Array(8);
  const solution = new Float64Array(size);
  for (let i = size - 1; i >= 0; i--) {
    parts.fill(0);
    for (let j = i + 1; j < size; j++) parts[j & 7] += normal[i * stride + j] * solution[j];
    const sum = parts[0] + parts[1] + (parts[2] + parts[3]) + (parts[4] + parts[5] + (parts[6] + parts[7]));
    solution[i] = (normal[i * stride + size] - sum) * inverse[i];
  }
  for (let i = 0; i < size; i++) if (!Number.isFinite(solution[i])) return false;
  coefficients.set(solution);
  return true;
}

/** A = U^T U in place; columns beyond the square are solved along. */
function eliminate(a: Float64Array, size: number, stride: number, inverse: Float64Array): boolean {
  for (let i = 0; i < size; i++) {
    const row = i * stride;
    const diagonal = a[row + i];
    let k = 0;
    for (; k + 3 < i; k += 4) {
      const p = k * stride;
      const q = p + stride;
      const r = q + stride;
      const s = r + stride;
      const up = a[p + i];
      const uq = a[q + i];
      const ur = a[r + i];
      const us = a[s + i];
      for (let j = i; j < stride; j++) {
        a[row + j] = a[row + j] - up * a[p + j] - uq * a[q + j] - ur * a[r + j] - us * a[s + j];
      }
    }
    for (; k < i; k++) {
      const p = k * stride;
      const up = a[p + i];
      for (let j = i; j < stride; j++) a[row + j] -= up * a[p + j];
    }
    const pivot = a[row + i];
    if (!(pivot > RELATIVE_PIVOT * diagonal) || pivot === Infinity) return false;
    const factor = 1 / Math.sqrt(pivot);
    inverse[i] = factor;
    for (let j = i; j < stride; j++) a[row + j] *= factor;
  }
  return true;
}

function fillRow(kind: PolynomialKind, n: number, z: Float64Array, start: number, out: Float64Array, to: number): void {
  out[to] = 1;
  if (kind !== 'full') {
    for (let i = 0; i < n; i++) out[to + 1 + i] = z[start + i]!;
    if (kind === 'diagonal') for (let i = 0; i < n; i++) out[to + 1 + n + i] = z[start + i] * z[start + i];
    return;
  }
  let at = to + 1;
  for (let a = 0; a < n; a++) {
    out[at++] = z[start + a]!;
    for (let b = 0; b <= a; b++) out[at++] = z[start + a] * z[start + b];
  }
}

/**
 * How many columns of the row are computed. In a full model the product of two columns is a product of four of (1, z).
 * There are far fewer of these: row (a, b), a >= b, needs only the columns (c, d) with c <= b.
 */
function usedColumns(kind: PolynomialKind, row: number): number {
  if (kind !== 'full') return row + 1;
  const [, b] = factorsOf(row);
  return ((b + 1) * (b + 2)) / 2;
}

const index = (a: number, b: number): number => (a * (a + 1)) / 2 + b;

/** Row and column of the triangle in which column `at` of a full model stands. */
function factorsOf(at: number): [number, number] {
  let a = 0;
  while (index(a + 1, 0) <= at) a++;
  return [a, at - index(a, 0)];
}

/** Where the product of the columns i <= j stands among the moments, row by row. */
function placesOf(kind: PolynomialKind, n: number, size: number): Int32Array {
  const key = `${kind} ${n}`;
  const known = keptPlaces.get(key);
  if (known !== undefined) return known;
  const places = new Int32Array((size * (size + 1)) / 2);
  for (let i = 0, at = 0; i < size; i++) {
    for (let j = i; j < size; j++) {
      if (kind === 'full') {
        // The four factors, largest first: the first two name the row, the last two the column.
        const [a, b, c, d] = [...factorsOf(i), ...factorsOf(j)].sort((x, y) => y - x) as [
          number,
          number,
          number,
          number,
        ];
        places[at++] = index(a, b) * size + index(c, d);
      } else places[at++] = j * size + i;
    }
  }
  if (keptPlaces.size >= MAX_KEPT) keptPlaces.clear();
  keptPlaces.set(key, places);
  return places;
}

const MAX_KEPT = 16;
const keptPlaces = new Map<string, Int32Array>();
