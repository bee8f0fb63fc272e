/**
 * The evaluations of a run that its model may be fitted to, whitened by the current search distribution. All of this
 * follows from the archive, so none of it is in a snapshot: what is kept depends on the archive and `begin` alone.
 */
import type { CmaRun } from '../cma-es/cma-run.js';
import type { Archive } from '../search/archive.js';
import type { FitPoints } from '../search/quadratic-model.js';

const FIRST_CAPACITY = 64;

export class SeenPoints {
  private size = 0;
  /** By row, rows in the order of evaluation; longer than needed. */
  private entries: Int32Array = new Int32Array(FIRST_CAPACITY);
  private serials: Float64Array = new Float64Array(FIRST_CAPACITY);
  private values: Float64Array = new Float64Array(FIRST_CAPACITY);
  private coordinates: Float64Array;
  private distances: Float64Array = new Float64Array(FIRST_CAPACITY);
  /** Rows of finite fitness, best first. */
  private ranked: Int32Array = new Int32Array(FIRST_CAPACITY);
  private rankedCount = 0;
  private chosen: Int32Array = new Int32Array(FIRST_CAPACITY);
  private scratch: Float64Array = new Float64Array(FIRST_CAPACITY);
  /** The next entry of the archive to look at, and the serial of the one before. */
  private next = 0;
  private lastSerial = 0;

  /** @param window how many of the latest evaluations are kept at least */
  constructor(
    private readonly archive: Archive,
    private readonly firstEvaluation: number,
    private readonly window: number,
  ) {
    this.coordinates = new Float64Array(FIRST_CAPACITY * archive.n);
  }

  /** [size, n] row-major, whitened. */
  get z(): Float64Array {
    return this.coordinates;
  }

  get fitness(): Float64Array {
    return this.values;
  }

  get count(): number {
    return this.size;
  }

  get finiteCount(): number {
    return this.rankedCount;
  }

  /** Takes in the archive and whitens everything by the distribution that the run samples from now. */
  begin(run: CmaRun): void {
    const { archive, window, firstEvaluation } = this;
    const isCompacted =
      this.next > archive.size || (this.next > 0 && archive.serial(this.next - 1) !== this.lastSerial);
    if (isCompacted) this.size = this.rankedCount = this.next = 0;
    // Whole windows are dropped, so that what is kept depends on the number of evaluations alone.
    const windows = Math.floor((archive.evaluations - firstEvaluation) / window);
    const oldest = firstEvaluation + window * Math.max(0, windows - 1);
    if (this.size > 0 && this.serials[0] <= oldest) this.drop(oldest);
    this.append(oldest);
    run.whitenRows(archive.points, this.entries, 0, this.size, this.coordinates, this.distances);
  }

  /** Takes in what was evaluated since; the distribution is still the one of `begin`. */
  extend(run: CmaRun): void {
    const first = this.size;
    this.append(this.firstEvaluation);
    run.whitenRows(this.archive.points, this.entries, first, this.size, this.coordinates, this.distances);
  }

  /** The `count` best of the `most` points that are nearest to the mean. At most `finiteCount` of either. */
  nearest(most: number, count: number): FitPoints {
    const { ranked, rankedCount, distances, chosen, scratch } = this;
    let farthest = Infinity;
    if (most < rankedCount) {
      for (let r = 0; r < rankedCount; r++) scratch[r] = distances[ranked[r]]!;
      farthest = smallest(scratch, rankedCount, most);
    }
    let found = 0;
    for (let r = 0; r < rankedCount && found < count; r++) {
      const row = ranked[r];
      if (distances[row] <= farthest) chosen[found++] = row;
    }
    return { count: found, rows: chosen, z: this.coordinates, fitness: this.values };
  }

  private append(oldest: number): void {
    const { archive } = this;
    for (; this.next < archive.size; this.next++) {
      const serial = archive.serial(this.next);
      this.lastSerial = serial;
      if (serial <= oldest || serial <= this.firstEvaluation || archive.isDifference(this.next)) continue;
      if (this.size === this.entries.length) this.grow();
      const row = this.size++;
      const value = archive.fitness[this.next];
      this.entries[row] = this.next;
      this.serials[row] = serial;
      this.values[row] = value;
      if (value < Infinity) this.rank(row, value);
    }
  }

  /** Inserts the newest row behind all that are not worse. */
  private rank(row: number, value: number): void {
    const { ranked, values } = this;
    let low = 0;
    let high = this.rankedCount;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ranked[middle]] <= value) low = middle + 1;
      else high = middle;
    }
    ranked.copyWithin(low + 1, low, this.rankedCount);
    ranked[low] = row;
    this.rankedCount++;
  }

  private drop(oldest: number): void {
    const { ranked } = this;
    let dropped = 0;
    while (dropped < this.size && this.serials[dropped] <= oldest) dropped++;
    this.entries.copyWithin(0, dropped, this.size);
    this.serials.copyWithin(0, dropped, this.size);
    this.values.copyWithin(0, dropped, this.size);
    this.size -= dropped;
    let kept = 0;
    for (let r = 0; r < this.rankedCount; r++) if (ranked[r] >= dropped) ranked[kept++] = ranked[r] - dropped;
    this.rankedCount = kept;
  }

  private grow(): void {
    const capacity = 2 * this.entries.length;
    const floats = (values: Float64Array, width = 1): Float64Array => {
      const copy = new Float64Array(capacity * width);
      copy.set(values);
      return copy;
    };
    const integers = (values: Int32Array): Int32Array => {
      const copy = new Int32Array(capacity);
      copy.set(values);
      return copy;
    };
    this.entries = integers(this.entries);
    this.serials = floats(this.serials);
    this.values = floats(this.values);
    this.coordinates = floats(this.coordinates, this.archive.n);
    this.distances = floats(this.distances);
    this.ranked = integers(this.ranked);
    this.chosen = integers(this.chosen);
    this.scratch = floats(this.scratch);
  }
}

/** The `rank`-th smallest of `values[0 .. count]`, counted from 1, by quickselect; disturbs their order. No NaN. */
function smallest(values: Float64Array, count: number, rank: number): number {
  let low = 0;
  let high = count - 1;
  const wanted = rank - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const swapped = values[i];
      values[i++] = values[j]!;
      values[j--] = swapped;
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return values[wanted];
}
