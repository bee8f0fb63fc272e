/** The binomial distribution for many sizes, by sums of positive terms: no gamma functions, no cancellation. */

/**
 * Rows for one probability, made when first asked for, each from the one before by Pascal's rule. Relative error of any
 * value that is not denormal: below size * 3e-16. Memory: 16 bytes for each pair of size and count.
 */
export class Binomial {
  private readonly masses: Float64Array[] = [Float64Array.of(1)];
  private readonly tails: Float64Array[] = [];

  constructor(readonly p: number) {}

  /** P(X = k) at index k, 0 to `size`. */
  mass(size: number): Float64Array {
    for (let n = this.masses.length; n <= size; n++) {
      const before = this.masses[n - 1];
      const row = new Float64Array(n + 1);
      for (let k = 0; k <= n; k++) row[k] = (before[k] ?? 0) * (1 - this.p) + (before[k - 1] ?? 0) * this.p;
      this.masses.push(row);
    }
    return this.masses[size];
  }

  /** P(X >= k) at index k, 0 to `size` + 1. */
  tail(size: number): Float64Array {
    let row = this.tails[size];
    if (row === undefined) {
      const mass = this.mass(size);
      row = new Float64Array(size + 2);
      for (let k = size; k >= 0; k--) row[k] = row[k + 1] + mass[k];
      this.tails[size] = row;
    }
    return row;
  }

  /** P(X > k), any integer k. */
  above(k: number, size: number): number {
    if (k < 0) return 1;
    return this.tail(size)[k + 1] ?? 0;
  }

  /** P(X <= k), summed from below: precise where it is small. */
  atMost(k: number, size: number): number {
    const mass = this.mass(size);
    let sum = 0;
    for (let i = 0; i <= k && i <= size; i++) sum += mass[i];
    return sum;
  }
}
