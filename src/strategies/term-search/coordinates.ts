/** The coordinates along which a sum of terms is separable: those of x, or of z = A x. Points are in the unit box. */
import { luFactor, luSolve } from '../../linalg/lu.js';
import type { Terms } from '../../model/program-structure.js';
import type { Range } from './axis.js';

export class Coordinates {
  /**
   * By coordinate: the rows of z as a function of the unit box [n], and what one unit of z moves there [n]; null: x
   * itself.
   */
  private readonly maps: { readonly rows: Float64Array[]; readonly columns: Float64Array[] } | null;
  /** False where the box is so narrow or so wide that numbers do not tell where a coordinate goes. */
  readonly areKnown: boolean;
  readonly ranges: readonly Range[];
  /** Around the centre: all points in them lie inside the box. */
  readonly inner: readonly Range[];

  constructor(
    readonly n: number,
    { form, matrix }: Terms,
    widths: Float64Array | undefined,
  ) {
    const rows =
      form === 'affine' ? matrix?.map((row) => Float64Array.from(row, (v, i) => v * (widths?.[i] ?? 1))) : undefined;
    const columns = rows === undefined ? null : columnsOfInverse(rows, n);
    this.areKnown = rows === undefined || columns !== null;
    if (rows === undefined || columns === null) {
      this.maps = null;
      this.ranges = this.inner = Array.from({ length: n }, () => ({ low: 0, high: 1 }));
      return;
    }
    this.maps = { rows, columns };
    const spread = rows.map((row) => 0.5 * row.reduce((sum, v) => sum + Math.abs(v), 0));
    const centres = rows.map((row) => 0.5 * row.reduce((sum, v) => sum + v, 0));
    let largest = 0;
    for (let i = 0; i < n; i++) {
      largest = Math.max(
        largest,
        columns.reduce((sum, column, k) => sum + Math.abs(column[i]) * spread[k], 0),
      );
    }
    const share = Math.min(1, 0.5 / largest);
    this.ranges = centres.map((c, k) => ({ low: c - spread[k], high: c + spread[k] }));
    this.inner = centres.map((c, k) => ({ low: c - share * spread[k], high: c + share * spread[k] }));
  }

  /** Coordinates [n] of a point. */
  of(point: Float64Array): Float64Array {
    if (this.maps === null) return point.slice();
    return Float64Array.from(this.maps.rows, (row) => row.reduce((sum, v, i) => sum + v * point[i], 0));
  }

  /** Where coordinate `k`, now `z`, can go from `point` with the others staying as they are. */
  reach(point: Float64Array, k: number, z: number): Range {
    if (this.maps === null) return this.ranges[k];
    const column = this.maps.columns[k];
    let [least, most] = [-Infinity, Infinity];
    column.forEach((slope, i) => {
      if (slope === 0) return;
      const ends = [-point[i] / slope, (1 - point[i]) / slope];
      least = Math.max(least, Math.min(...ends));
      most = Math.min(most, Math.max(...ends));
    });
    return { low: z + Math.min(0, least), high: z + Math.max(0, most) };
  }

  /** Moves coordinate `k` of `point` by `amount` where that leads to the box; whether it did. */
  move(point: Float64Array, k: number, amount: number): boolean {
    if (this.maps === null) {
      point[k] = Math.min(1, Math.max(0, point[k] + amount));
      return true;
    }
    const column = this.maps.columns[k];
    for (let i = 0; i < this.n; i++) {
      const next = point[i] + amount * column[i];
      if (next < -ROUNDING || next > 1 + ROUNDING) return false;
    }
    for (let i = 0; i < this.n; i++) point[i] = Math.min(1, Math.max(0, point[i] + amount * column[i]));
    return true;
  }
}

/** Beyond the box by no more than this is on its side. */
const ROUNDING = 1e-14;

/** Null where it has no inverse, or numbers are too small or too large for it. */
function columnsOfInverse(rows: readonly Float64Array[], n: number): Float64Array[] | null {
  if (rows.some((row) => !Number.isFinite(row.reduce((sum, v) => sum + Math.abs(v), 0)))) return null;
  const lu = new Float64Array(n * n);
  rows.forEach((row, k) => lu.set(row, k * n));
  const order = new Int32Array(n);
  if (!luFactor(lu, order, n)) return null;
  const columns = rows.map((_, k) => {
    const unit = new Float64Array(n);
    unit[k] = 1;
    return luSolve(lu, order, unit, n);
  });
  return columns.every((column) => column.every(Number.isFinite)) ? columns : null;
}
