/**
 * The candidates that nothing dominates of all that were added, with their hypervolume. All objectives are minimised
 * here: whoever maximises negates.
 *
 * The reference point of the hypervolume is the one that was given, or else fixed when `REFERENCE_POINTS` points have
 * been added: in each objective the worst value by then, and a tenth of the extent beyond it. Until then it is taken of
 * what is there, and the hypervolume of different times cannot be compared (`isReferenceFixed`).
 *
 * There are `capacity` points at most. When a quarter more has come together, those closest to others go (in values
 * scaled by the extent of the front; Zitzler, Laumanns and Thiele, SPEA2, TIK report 103, 2001); the best in each
 * objective stay.
 */
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import { MAX_OBJECTIVES } from '../model/front.js';
import { hypervolume } from './hypervolume.js';
import { kneeOf } from './knee.js';

const REFERENCE_POINTS = 50;
/** Distance of the reference point beyond the worst values, as a share of their extent. */
const REFERENCE_MARGIN = 0.1;
const MAX_POINTS = 500;
/**
 * Numbers that the points of a front hold at most, where they are more than `LEAST_POINTS`: for the size of records.
 */
const MAX_NUMBERS = 100_000;
const LEAST_POINTS = 20;

/** Number of points that fit into the record of a run. */
export const frontCapacity = (n: number): number =>
  Math.max(LEAST_POINTS, Math.min(MAX_POINTS, Math.floor(MAX_NUMBERS / n)));

export interface FrontArchiveSnapshot {
  /** Base64 of f64: [size, n], [size, k]. */
  readonly solutions: string;
  readonly values: string;
  /** Points added so far, up to when the reference is fixed. */
  readonly added: number;
  /** Best and worst of the added values, or, once it is fixed, the reference point. */
  readonly best: string;
  readonly worst: string;
  readonly reference: string | null;
}

export interface ArchivedFront {
  /** Row-major [size, n] and [size, k], rising in the first objective, then in the next. Copies. */
  readonly solutions: Float64Array;
  readonly values: Float64Array;
  readonly size: number;
  /** Row of the knee; -1 where there is no point. */
  readonly knee: number;
  readonly hypervolume: number;
  /** [k]; null before the first point. */
  readonly reference: Float64Array | null;
}

export class FrontArchive {
  size = 0;
  private solutions: Float64Array;
  private values: Float64Array;
  private added = 0;
  private readonly best: Float64Array;
  private readonly worst: Float64Array;
  private fixed: Float64Array | null;
  private readonly room: number;

  /**
   * @param n coordinates of a candidate
   * @param k objectives, 2 .. 4
   * @param reference [k], minimised; absent: from the first points
   */
  constructor(
    private readonly n: number,
    private readonly k: number,
    reference: readonly number[] | null = null,
    snapshot?: FrontArchiveSnapshot,
    private readonly capacity = frontCapacity(n),
  ) {
    if (!(k >= 2 && k <= MAX_OBJECTIVES))
      throw new RangeError(`a front has 2 to ${MAX_OBJECTIVES} objectives, not ${k}`);
    this.room = capacity + Math.max(1, capacity >> 2);
    this.solutions = new Float64Array(0);
    this.values = new Float64Array(0);
    this.fixed = reference === null ? null : Float64Array.from(reference);
    this.best = new Float64Array(k).fill(Infinity);
    this.worst = new Float64Array(k).fill(-Infinity);
    if (snapshot === undefined) return;
    this.size = Buffer.from(snapshot.values, 'base64').byteLength / 8 / k;
    this.grow(this.size);
    this.solutions.set(decodeFloats(snapshot.solutions, this.size * n));
    this.values.set(decodeFloats(snapshot.values, this.size * k));
    this.added = snapshot.added;
    this.best.set(decodeFloats(snapshot.best, k));
    this.worst.set(decodeFloats(snapshot.worst, k));
    this.fixed = snapshot.reference === null ? null : decodeFloats(snapshot.reference, k);
  }

  get isReferenceFixed(): boolean {
    return this.fixed !== null;
  }

  /**
   * Adds a candidate unless a point is as good in every objective; drops those that it dominates.
   *
   * @param solution [n], @param values [k], all finite; both are copied
   * @returns whether it is in the front now
   */
  add(solution: ArrayLike<number>, values: ArrayLike<number>): boolean {
    const { n, k } = this;
    this.noteExtent(values);
    let to = 0;
    for (let row = 0; row < this.size; row++) {
      let isWorse = false;
      let isBetter = false;
      for (let i = 0; i < k; i++) {
        const own = this.values[row * k + i];
        if (own < values[i]) isBetter = true;
        else if (own > values[i]) isWorse = true;
      }
      // Nothing has been dropped by then: what one point of the front covers dominates no other.
      if (!isWorse) return false;
      if (isBetter) {
        if (to !== row) this.move(row, to);
        to++;
      }
    }
    this.size = to;
    this.grow(to + 1);
    for (let i = 0; i < n; i++) this.solutions[to * n + i] = solution[i]!;
    for (let i = 0; i < k; i++) this.values[to * k + i] = values[i]!;
    this.size++;
    if (this.size > this.room) this.thin(this.capacity);
    return true;
  }

  /** Hypervolume of the points that are there now. */
  hypervolume(): number {
    const reference = this.reference();
    return reference === null ? 0 : hypervolume(this.values, this.size, this.k, reference);
  }

  /** The front as it is. Asking for it changes nothing in the archive. */
  front(): ArchivedFront {
    if (this.size > this.capacity) {
      const copy = new FrontArchive(this.n, this.k, null, this.snapshot(), this.capacity);
      copy.thin(this.capacity);
      return copy.front();
    }
    const { n, k, size } = this;
    const order = Array.from({ length: size }, (_, row) => row).sort((a, b) => {
      for (let i = 0; i < k; i++) {
        const difference = this.values[a * k + i] - this.values[b * k + i];
        if (difference !== 0) return difference;
      }
      return a - b;
    });
    const rows = (matrix: Float64Array, width: number): Float64Array => {
      const sorted = new Float64Array(size * width);
      order.forEach((row, at) => sorted.set(matrix.subarray(row * width, (row + 1) * width), at * width));
      return sorted;
    };
    const values = rows(this.values, k);
    const reference = this.reference();
    return {
      solutions: rows(this.solutions, n),
      values,
      size,
      knee: size === 0 ? -1 : kneeOf(values, size, k),
      hypervolume: reference === null ? 0 : hypervolume(values, size, k, reference),
      reference,
    };
  }

  snapshot(): FrontArchiveSnapshot {
    const { n, k, size } = this;
    return {
      solutions: encodeFloats(this.solutions.subarray(0, size * n)),
      values: encodeFloats(this.values.subarray(0, size * k)),
      added: this.added,
      best: encodeFloats(this.best),
      worst: encodeFloats(this.worst),
      reference: this.fixed === null ? null : encodeFloats(this.fixed),
    };
  }

  private reference(): Float64Array | null {
    if (this.fixed !== null) return this.fixed;
    if (this.added === 0) return null;
    return this.worst.map((worst, i) => {
      const extent = worst - this.best[i];
      const margin = REFERENCE_MARGIN * (extent > 0 ? extent : Math.abs(worst) || 1);
      return Math.min(worst + margin, Number.MAX_VALUE);
    });
  }

  private noteExtent(values: ArrayLike<number>): void {
    if (this.fixed !== null) return;
    for (let i = 0; i < this.k; i++) {
      this.best[i] = Math.min(this.best[i], values[i]);
      this.worst[i] = Math.max(this.worst[i], values[i]);
    }
    this.added++;
    if (this.added === REFERENCE_POINTS) this.fixed = this.reference();
  }

  private move(from: number, to: number): void {
    this.solutions.copyWithin(to * this.n, from * this.n, (from + 1) * this.n);
    this.values.copyWithin(to * this.k, from * this.k, (from + 1) * this.k);
  }

  private grow(rows: number): void {
    if (this.values.length >= rows * this.k) return;
    const most = Math.max(rows, Math.min(this.room + 1, 2 * (this.values.length / this.k) || 16));
    const wider = (matrix: Float64Array, width: number): Float64Array => {
      const copy = new Float64Array(most * width);
      copy.set(matrix);
      return copy;
    };
    this.solutions = wider(this.solutions, this.n);
    this.values = wider(this.values, this.k);
  }

  /**
   * Takes away, one by one, the point whose nearest neighbour is nearest, until `count` are left. Cost: O(k size^2).
   */
  private thin(count: number): void {
    const { k, size } = this;
    const scaled = this.scaled();
    const distance = (a: number, b: number): number => {
      let sum = 0;
      for (let i = 0; i < k; i++) sum += (scaled[a * k + i] - scaled[b * k + i]) ** 2;
      return sum;
    };
    const isKept = new Uint8Array(size).fill(1);
    const isEnd = this.ends();
    const nearest = new Int32Array(size);
    const gap = new Float64Array(size);
    const look = (row: number): void => {
      gap[row] = Infinity;
      for (let other = 0; other < size; other++) {
        if (other === row || isKept[other] === 0) continue;
        const d = distance(row, other);
        if (d < gap[row]) [gap[row], nearest[row]] = [d, other];
      }
    };
    for (let row = 0; row < size; row++) look(row);
    for (let left = size; left > count; left--) {
      let closest = -1;
      for (let row = 0; row < size; row++) {
        if (isKept[row] === 0 || isEnd[row] === 1) continue;
        if (closest < 0 || gap[row] < gap[closest]) closest = row;
      }
      isKept[closest] = 0;
      for (let row = 0; row < size; row++) if (isKept[row] === 1 && nearest[row] === closest) look(row);
    }
    let to = 0;
    for (let row = 0; row < size; row++) {
      if (isKept[row] === 0) continue;
      if (to !== row) this.move(row, to);
      to++;
    }
    this.size = to;
  }

  /** Each objective over its extent in the front. */
  private scaled(): Float64Array {
    const { k, size, values } = this;
    const scaled = new Float64Array(size * k);
    for (let i = 0; i < k; i++) {
      let best = Infinity;
      let worst = -Infinity;
      for (let row = 0; row < size; row++) {
        best = Math.min(best, values[row * k + i]);
        worst = Math.max(worst, values[row * k + i]);
      }
      const half = worst / 2 - best / 2;
      for (let row = 0; row < size; row++) {
        scaled[row * k + i] = half > 0 ? (values[row * k + i] / 2 - best / 2) / half : 0;
      }
    }
    return scaled;
  }

  /** The best row of each objective. */
  private ends(): Uint8Array {
    const { k, size, values } = this;
    const isEnd = new Uint8Array(size);
    for (let i = 0; i < k; i++) {
      let end = 0;
      for (let row = 1; row < size; row++) if (values[row * k + i] < values[end * k + i]) end = row;
      isEnd[end] = 1;
    }
    return isEnd;
  }
}
