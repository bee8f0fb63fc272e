/** Cells of which a value is known. */
import type { Archive } from './archive.js';
import { keyOf, moveToMiddle, type Lattice } from './lattice.js';

/** Least value seen in each cell; follows from the archive alone. */
export class SeenCells {
  private readonly values = new Map<string, { readonly point: Float64Array; readonly value: number }>();
  private next = 0;
  private lastSerial = 0;

  constructor(
    private readonly archive: Archive,
    private readonly lattice: Lattice,
  ) {}

  /** Takes in what was evaluated since; all of it where the archive has dropped entries. */
  sync(): this {
    const { archive, lattice, values } = this;
    const isCompacted =
      this.next > archive.size || (this.next > 0 && archive.serial(this.next - 1) !== this.lastSerial);
    if (isCompacted) {
      values.clear();
      this.next = 0;
    }
    for (; this.next < archive.size; this.next++) {
      const key = keyOf(lattice, archive.points, this.next * archive.n);
      const value = archive.fitness[this.next];
      if (!(value >= (values.get(key)?.value ?? Infinity)) || !values.has(key)) {
        const point = archive.points.slice(this.next * archive.n, (this.next + 1) * archive.n);
        moveToMiddle(lattice, point);
        values.set(key, { point, value });
      }
    }
    if (archive.size > 0) this.lastSerial = archive.serial(archive.size - 1);
    return this;
  }

  value(key: string): number | undefined {
    return this.values.get(key)?.value;
  }

  /** The middles of those with finite values that are nearest to `x`, counted in cells. */
  nearest(x: Float64Array, count: number): { readonly point: Float64Array; readonly value: number }[] {
    const { width } = this.lattice;
    const found = [...this.values.values()]
      .filter(({ value }) => value < Infinity)
      .map((one) => ({ ...one, distance: one.point.reduce((sum, u, i) => sum + ((u - x[i]) / width[i]) ** 2, 0) }));
    return found.sort((a, b) => a.distance - b.distance).slice(0, count);
  }
}
