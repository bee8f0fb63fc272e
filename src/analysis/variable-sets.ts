/**
 * Sets of small whole numbers, each kept once: equal sets have equal numbers. Set 0 is empty.
 *
 * A set is a tree over its elements (Okasaki and Gill, Fast Mergeable Integer Maps, 1998, big-endian; leaves hold 32
 * elements), and equal trees are one. Sets that differ by little share all but a path: the prefixes of a sum of n terms
 * take O(n log n), not O(n^2).
 */
export class NumberSets {
  /**
   * By set: its elements are 32 `keys` + the bits of `masks`, or those of `lefts` and `rights`; all have the bits of
   * `keys` above `branchings`.
   */
  private readonly keys: number[] = [0];
  /** Branch: the bit of the key by which its two sides part. Leaf: 0. */
  private readonly branchings: number[] = [0];
  /** Branch: its left side. Leaf: its mask. */
  private readonly lefts: number[] = [0];
  private readonly rights: number[] = [0];
  private readonly counts: number[] = [0];
  private readonly known = new Map<number, number>();
  private readonly unions = new Map<number, number>();

  of(elements: readonly number[]): number {
    return elements.reduce((set, k) => this.union(set, this.leaf(k >>> 5, 1 << (k & 31))), 0);
  }

  union(a: number, b: number): number {
    if (a === b || b === 0) return a;
    if (a === 0) return b;
    if (this.branchings[a] === 0 && this.branchings[b] === 0) return this.unionOfLeaves(a, b);
    const pair = a < b ? a * LIMIT + b : b * LIMIT + a;
    let result = this.unions.get(pair);
    if (result === undefined) {
      result = this.branchings[a] >= this.branchings[b] ? this.merge(a, b) : this.merge(b, a);
      this.unions.set(pair, result);
    }
    return result;
  }

  /** How many elements it has. Cost: O(1). */
  size(set: number): number {
    return this.counts[set];
  }

  /** Increasing. Cost: O(elements). */
  elements(set: number): readonly number[] {
    const elements: number[] = [];
    const visit = (id: number): void => {
      if (this.branchings[id] !== 0) {
        visit(this.lefts[id]);
        visit(this.rights[id]);
        return;
      }
      for (let mask = this.lefts[id]; mask !== 0; mask &= mask - 1) {
        elements.push(32 * this.keys[id] + 31 - Math.clz32(mask & -mask));
      }
    };
    visit(set);
    return elements;
  }

  /** Whether the set has it. Cost: O(log elements). */
  has(set: number, element: number): boolean {
    let id = set;
    while (this.branchings[id] !== 0)
      id = ((element >>> 5) & this.branchings[id]) === 0 ? this.lefts[id] : this.rights[id];
    return id !== 0 && this.keys[id] === element >>> 5 && (this.lefts[id] & (1 << (element & 31))) !== 0;
  }

  /**
   * Calls `link` with pairs of elements that connect all of the set. What sets in `done` have in common with it is not
   * gone through again: together the prefixes of a sum of n terms take O(n log n).
   */
  connect(set: number, done: Set<number>, link: (i: number, j: number) => void): void {
    if (done.has(set)) return;
    done.add(set);
    if (this.branchings[set] !== 0) {
      const [left, right] = [this.lefts[set], this.rights[set]];
      this.connect(left, done, link);
      this.connect(right, done, link);
      link(this.first(left), this.first(right));
      return;
    }
    const [first, ...others] = this.elements(set);
    for (const other of others) link(first, other);
  }

  /** The smallest element; of a set that has one. */
  first(set: number): number {
    let id = set;
    while (this.branchings[id] !== 0) id = this.lefts[id];
    return 32 * this.keys[id] + 31 - Math.clz32(this.lefts[id] & -this.lefts[id]);
  }

  /** The elements as bits of `row`, from 32 * `offset` on. */
  mark(set: number, row: Int32Array, offset: number): void {
    if (this.branchings[set] !== 0) {
      this.mark(this.lefts[set], row, offset);
      this.mark(this.rights[set], row, offset);
    } else if (set !== 0) row[offset + this.keys[set]] |= this.lefts[set];
  }

  private unionOfLeaves(a: number, b: number): number {
    return this.keys[a] === this.keys[b] ? this.leaf(this.keys[a], this.lefts[a] | this.lefts[b]) : this.join(a, b);
  }

  /** `a` is a branch, at least as far up as `b`. */
  private merge(a: number, b: number): number {
    const bit = this.branchings[a];
    if (!hasPrefix(this.keys[b], this.keys[a], bit)) return this.join(a, b);
    const [left, right] = [this.lefts[a], this.rights[a]];
    if (this.branchings[b] === bit) {
      return this.branch(this.keys[a], bit, this.union(left, this.lefts[b]), this.union(right, this.rights[b]));
    }
    return (this.keys[b] & bit) === 0
      ? this.branch(this.keys[a], bit, this.union(left, b), right)
      : this.branch(this.keys[a], bit, left, this.union(right, b));
  }

  /** Union of two sets whose keys part above the branchings of both. */
  private join(a: number, b: number): number {
    const [p, q] = [this.keys[a], this.keys[b]];
    const bit = 1 << (31 - Math.clz32(p ^ q));
    const prefix = p & ~(2 * bit - 1);
    return (p & bit) === 0 ? this.branch(prefix, bit, a, b) : this.branch(prefix, bit, b, a);
  }

  private leaf(key: number, mask: number): number {
    // Below the numbers of branches.
    return this.make(-(key * 2 ** 32 + (mask >>> 0)), key, 0, mask, 0, bitsIn(mask));
  }

  private branch(key: number, bit: number, left: number, right: number): number {
    return this.make(left * LIMIT + right, key, bit, left, right, this.counts[left] + this.counts[right]);
  }

  private make(name: number, key: number, bit: number, left: number, right: number, count: number): number {
    const found = this.known.get(name);
    if (found !== undefined) return found;
    const id = this.keys.push(key) - 1;
    this.known.set(name, id);
    this.branchings.push(bit);
    this.lefts.push(left);
    this.rights.push(right);
    this.counts.push(count);
    return id;
  }
}

/** More sets than any trace has. */
const LIMIT = 2 ** 26;

/** Whether `key` has the bits of `prefix` above `bit`. */
const hasPrefix = (key: number, prefix: number, bit: number): boolean => (key & ~(2 * bit - 1)) === prefix;

export function bitsIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
