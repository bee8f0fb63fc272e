/**
 * The hypervolume of 1 to 4 minimised objectives, exactly: the measure of the part that a set of points dominates in
 * the box ending at a reference point; and the contributions of single points to it.
 *
 * Three objectives are swept along the third one, with the staircase of the first two (Fonseca, Paquete and
 * López-Ibáñez, An improved dimension-sweep algorithm for the hypervolume indicator, CEC 2006). Four are a sum over the
 * points, the worst in the fourth objective first, of what each adds to those after it, a difference of volumes of
 * three objectives (While, Bradstreet and Barone, A fast way of calculating exact hypervolumes, IEEE TEC 16(1), 2012).
 * Limiting points to a corner keeps their order along an axis, so that one sort serves all of the sweeps.
 */

const byColumn = (values: Float64Array, k: number, column: number, rows: number[]): number[] =>
  rows.sort((a, b) => values[a * k + column] - values[b * k + column] || a - b);

/** The first two objectives of the points swept so far: x rising, y falling, and the area that they dominate. */
class Staircase {
  private xs: Float64Array;
  private ys: Float64Array;
  private size = 0;
  private right = 0;
  private top = 0;
  area = 0;

  constructor(capacity: number) {
    this.xs = new Float64Array(capacity);
    this.ys = new Float64Array(capacity);
  }

  clear(right: number, top: number): void {
    this.size = 0;
    this.area = 0;
    this.right = right;
    this.top = top;
  }

  add(x: number, y: number): void {
    const { xs, ys, size } = this;
    // The first step that is not left of x.
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] < x) low = middle + 1;
      else high = middle;
    }
    if (low > 0 && ys[low - 1] <= y) return;
    if (low < size && xs[low] === x && ys[low] <= y) return;
    let ceiling = low > 0 ? ys[low - 1] : this.top;
    let end = low;
    let left = x;
    // Under the steps that it takes away, then as far as the next one.
    while (end < size && ys[end] >= y) {
      this.area += (xs[end] - left) * (ceiling - y);
      left = xs[end]!;
      ceiling = ys[end]!;
      end++;
    }
    this.area += ((end < size ? xs[end] : this.right) - left) * (ceiling - y);
    if (end !== low + 1) {
      xs.copyWithin(low + 1, end, size);
      ys.copyWithin(low + 1, end, size);
      this.size = size - end + low + 1;
    }
    xs[low] = x;
    ys[low] = y;
  }
}

/** Sweeps over one set of points, each limited to a corner: no coordinate is below the corner's. */
class Sweeper {
  private readonly staircase: Staircase;

  constructor(
    private readonly values: Float64Array,
    private readonly k: number,
    private readonly reference: ArrayLike<number>,
    /** All rows that count, rising in the third objective where there is one. */
    private readonly rows: readonly number[],
    rowCount: number,
  ) {
    this.staircase = new Staircase(rowCount + 1);
  }

  /**
   * Volume in the first `min(k, 3)` objectives of the rows for which `isIn` is 1. `corner`: place in `values` of a row,
   * or -1.
   */
  volume(isIn: Uint8Array, corner: number): number {
    const { values, k, reference, staircase } = this;
    const hasDepth = k > 2;
    const far = hasDepth ? reference[2] : 1;
    staircase.clear(reference[0], reference[1]);
    let volume = 0;
    let depth = 0;
    for (const row of this.rows) {
      if (isIn[row] === 0) continue;
      const at = row * k;
      let x = values[at];
      let y = values[at + 1];
      let z = hasDepth ? values[at + 2] : 0;
      if (corner >= 0) {
        x = Math.max(x, values[corner]);
        y = Math.max(y, values[corner + 1]);
        if (hasDepth) z = Math.max(z, values[corner + 2]);
      }
      if (staircase.area > 0) volume += staircase.area * (z - depth);
      depth = z;
      staircase.add(x, y);
    }
    return volume + staircase.area * (far - depth);
  }
}

/** Rows that are better than the reference in every objective. */
function inside(values: Float64Array, count: number, k: number, reference: ArrayLike<number>): number[] {
  const rows: number[] = [];
  for (let row = 0; row < count; row++) {
    let isInside = true;
    for (let i = 0; i < k; i++) if (!(values[row * k + i] < reference[i])) isInside = false;
    if (isInside) rows.push(row);
  }
  return rows;
}

function boxVolume(values: Float64Array, row: number, k: number, reference: ArrayLike<number>, axes: number): number {
  let volume = 1;
  for (let i = 0; i < axes; i++) volume *= reference[i] - values[row * k + i];
  return volume;
}

/**
 * The hypervolume of `values`, row-major [count, k], k = 1 .. 4, against `reference` [k]. Points that are not better
 * than it in every objective add nothing. Infinity where a volume on the way is beyond float64. Cost: O(count log count
 * + shifts) up to three objectives, O(count^2) for four.
 */
export function hypervolume(values: Float64Array, count: number, k: number, reference: ArrayLike<number>): number {
  const volume = measured(values, count, k, reference);
  // Of infinite volumes, or of one without depth.
  return Number.isNaN(volume) ? Infinity : volume;
}

function measured(values: Float64Array, count: number, k: number, reference: ArrayLike<number>): number {
  const rows = inside(values, count, k, reference);
  if (rows.length === 0) return 0;
  if (k === 1) return reference[0] - rows.reduce((least, row) => Math.min(least, values[row]), Infinity);
  byColumn(values, k, k === 2 ? 0 : 2, rows);
  const sweeper = new Sweeper(values, k, reference, rows, rows.length);
  const isIn = new Uint8Array(count).fill(1);
  if (k < 4) return sweeper.volume(isIn, -1);
  let sum = 0;
  for (const row of byColumn(values, k, 3, rows.slice()).reverse()) {
    isIn[row] = 0;
    const own = boxVolume(values, row, k, reference, 3) - sweeper.volume(isIn, row * k);
    sum += (reference[3] - values[row * k + 3]) * Math.max(0, own);
  }
  return sum;
}

/**
 * Contribution of one row's point to the hypervolume of the other rows for which `isIn` is 1; 0 where the point is not
 * better than the reference. `values`: row-major [count, k], k = 2 .. 4. Make one object for each set of values.
 */
export class Contributions {
  private readonly count: number;
  private readonly rows: readonly number[];
  private readonly isInside: Uint8Array;
  private readonly others: Uint8Array;
  private readonly limited: Float64Array;

  constructor(
    private readonly values: Float64Array,
    count: number,
    private readonly k: number,
    private readonly reference: ArrayLike<number>,
  ) {
    this.count = count;
    this.rows = byColumn(values, k, k === 2 ? 0 : 2, inside(values, count, k, reference));
    this.isInside = new Uint8Array(count);
    for (const row of this.rows) this.isInside[row] = 1;
    this.others = new Uint8Array(count);
    this.limited = new Float64Array(k === 4 ? count * k : 0);
    this.sweeper = new Sweeper(values, k, reference, this.rows, this.rows.length);
  }
  private readonly sweeper: Sweeper;

  of(row: number, isIn: Uint8Array): number {
    const { values, k, reference } = this;
    if (this.isInside[row] === 0) return 0;
    const own = boxVolume(values, row, k, reference, k);
    if (k === 4) return Math.max(0, own - this.limitedVolume(row, isIn));
    this.others.set(isIn.subarray(0, this.count));
    this.others[row] = 0;
    return Math.max(0, own - this.sweeper.volume(this.others, row * k));
  }

  /**
   * For four objectives: the volume of the other points, limited to the corner; those that another one of them covers
   * are left out.
   */
  private limitedVolume(row: number, isIn: Uint8Array): number {
    const { values, k, limited } = this;
    const corner = row * k;
    let kept = 0;
    for (const other of this.rows) {
      if (other === row || isIn[other] === 0) continue;
      const at = kept * k;
      for (let i = 0; i < k; i++) limited[at + i] = Math.max(values[other * k + i], values[corner + i]);
      let isCovered = false;
      for (let j = 0; j < kept && !isCovered; j++) isCovered = covers(limited, j * k, at, k);
      if (isCovered) continue;
      let to = 0;
      for (let j = 0; j < kept; j++) {
        if (covers(limited, at, j * k, k)) continue;
        if (to !== j) limited.copyWithin(to * k, j * k, (j + 1) * k);
        to++;
      }
      if (to !== kept) limited.copyWithin(to * k, at, at + k);
      kept = to + 1;
    }
    return hypervolume(limited, kept, k, this.reference);
  }
}

/** Nowhere worse. */
function covers(values: Float64Array, a: number, b: number, k: number): boolean {
  for (let i = 0; i < k; i++) if (values[a + i] > values[b + i]) return false;
  return true;
}
