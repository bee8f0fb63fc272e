/**
 * Every evaluation of a run, shared by all its searches: points in the unit box with their fitness. `compact`, between
 * two steps, keeps the newest half and the best quarter when there are too many.
 */
import { decodeFloats, encodeFloats } from '../../common/float64-codec.js';
import { decodeLattice, encodeLattice, type Lattice, type LatticeSnapshot } from './lattice.js';

/** Numbers in the point matrix: 2 MiB, so that a checkpoint stays small. */
const MAX_NUMBERS = 2 ** 18;
const MIN_CAPACITY = 64;

export interface ArchiveSnapshot {
  /** [size, n] row by row. */
  readonly points: string;
  readonly fitness: string;
  /** Which evaluation of the run each entry was; negative for points of finite differences. */
  readonly serials: string;
  readonly evaluations: number;
  /** Absent: false. */
  readonly isMisled?: boolean;
  /** Absent: none is known. */
  readonly lattice?: LatticeSnapshot;
}

export class Archive {
  /** [size, n] row-major; longer than needed. */
  points: Float64Array;
  fitness: Float64Array;
  private serials: Float64Array;
  size = 0;
  /** Evaluations so far, also those no longer kept. */
  evaluations = 0;
  /** Entry with the lowest fitness; -1 while none is finite. */
  best = -1;
  /** The program's gradients do not fit its values; set between steps only. */
  isMisled = false;
  /** Cells within which the value does not change; null: none are known. Set between steps only. */
  lattice: Lattice | null = null;
  private readonly capacity: number;

  constructor(
    readonly n: number,
    snapshot?: ArchiveSnapshot,
  ) {
    this.capacity = Math.max(MIN_CAPACITY, Math.floor(MAX_NUMBERS / n));
    if (snapshot === undefined) {
      this.points = new Float64Array(MIN_CAPACITY * n);
      this.fitness = new Float64Array(MIN_CAPACITY);
      this.serials = new Float64Array(MIN_CAPACITY);
      return;
    }
    const size = Buffer.from(snapshot.fitness, 'base64').byteLength / 8;
    this.fitness = decodeFloats(snapshot.fitness, size);
    this.points = decodeFloats(snapshot.points, size * n);
    this.serials = decodeFloats(snapshot.serials, size);
    this.size = size;
    this.evaluations = snapshot.evaluations;
    this.isMisled = snapshot.isMisled === true;
    this.lattice = snapshot.lattice === undefined ? null : decodeLattice(snapshot.lattice, n);
    for (let k = 0; k < size; k++) this.considerBest(k);
  }

  /**
   * Adds the point at `points[start .. start+n]`.
   *
   * @param isDifference a point of a finite difference: so close to another that fits should leave it out
   */
  add(points: Float64Array, start: number, fitness: number, isDifference: boolean): void {
    const { n } = this;
    if (this.size === this.fitness.length) this.grow();
    const at = this.size * n;
    for (let i = 0; i < n; i++) this.points[at + i] = points[start + i]!;
    this.evaluations++;
    this.fitness[this.size] = fitness;
    this.serials[this.size] = isDifference ? -this.evaluations : this.evaluations;
    this.size++;
    this.considerBest(this.size - 1);
  }

  /** Counts evaluations that gave no value of a point. */
  count(evaluations: number): void {
    this.evaluations += evaluations;
  }

  /** Which evaluation of the run, counted from 1, the entry was. */
  serial(entry: number): number {
    return Math.abs(this.serials[entry]);
  }

  isDifference(entry: number): boolean {
    return this.serials[entry] < 0;
  }

  get bestFitness(): number {
    return this.best < 0 ? Infinity : this.fitness[this.best];
  }

  /** A copy of the best point, or null before the first finite fitness. */
  bestPoint(): Float64Array | null {
    return this.best < 0 ? null : this.points.slice(this.best * this.n, (this.best + 1) * this.n);
  }

  /** Of the finite values that are kept; Infinity where there are none. */
  median(): number {
    const values = this.fitness.subarray(0, this.size).filter(Number.isFinite).sort();
    return values.length === 0 ? Infinity : values[values.length >> 1];
  }

  /** Squared distance of the entry to `point`. */
  squaredDistance(entry: number, point: Float64Array): number {
    const { n, points } = this;
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const d = points[entry * n + i] - point[i];
      sum += d * d;
    }
    return sum;
  }

  /** As it was when it had `size` entries after so many evaluations; there must have been no `compact` since. */
  snapshot(size: number, evaluations: number): ArchiveSnapshot {
    const { n } = this;
    return {
      points: encodeFloats(this.points.subarray(0, size * n)),
      fitness: encodeFloats(this.fitness.subarray(0, size)),
      serials: encodeFloats(this.serials.subarray(0, size)),
      evaluations,
      isMisled: this.isMisled ? true : undefined,
      lattice: this.lattice === null ? undefined : encodeLattice(this.lattice),
    };
  }

  /** A copy with the best entry and the `count` latest. */
  latest(count: number): Archive {
    const { n, points, fitness, size, best } = this;
    const copy = new Archive(n);
    const from = Math.max(0, size - count);
    if (best >= 0 && best < from) copy.add(points, best * n, fitness[best], false);
    for (let entry = from; entry < size; entry++) copy.add(points, entry * n, fitness[entry], this.isDifference(entry));
    return copy;
  }

  private considerBest(entry: number): void {
    if (this.fitness[entry] < this.bestFitness) this.best = entry;
  }

  private grow(): void {
    const { n } = this;
    const length = Math.max(MIN_CAPACITY, 2 * this.fitness.length);
    const wider = (values: Float64Array, count: number): Float64Array => {
      const copy = new Float64Array(count);
      copy.set(values);
      return copy;
    };
    this.points = wider(this.points, length * n);
    this.fitness = wider(this.fitness, length);
    this.serials = wider(this.serials, length);
  }

  /** Drops entries when there are more than fit. Numbers of entries change. */
  compact(): void {
    const { n, size } = this;
    if (size <= this.capacity) return;
    const ranked = Array.from({ length: size }, (_, k) => k).sort((a, b) =>
      this.fitness[a] < this.fitness[b] ? -1 : this.fitness[a] > this.fitness[b] ? 1 : a - b,
    );
    const isKept = new Uint8Array(size).fill(1, size >> 1);
    for (let r = 0; r < size >> 2; r++) isKept[ranked[r]] = 1;
    let to = 0;
    const best = this.best;
    for (let k = 0; k < size; k++) {
      if (isKept[k] === 0) continue;
      this.points.copyWithin(to * n, k * n, (k + 1) * n);
      this.fitness[to] = this.fitness[k]!;
      this.serials[to] = this.serials[k]!;
      if (k === best) this.best = to;
      to++;
    }
    this.size = to;
  }
}
