/** Which pairs of variables can interact in a sum of terms: all others have mixed differences of zero. */
import { nodesOf, type Term } from './sums.js';
import type { NodeId, Trace } from './trace.js';
import { bitsIn } from './variable-sets.js';

/** Largest number of variables whose pairs are counted one by one. */
const MAX_PAIRED = 1_000;
const MAX_DEPTH = 30;
/** Pairs of a variable with 32 others, in units of work. */
const WORD = 0.002;

export class Interactions {
  private readonly n: number;
  /** [n][words] bits, symmetric but for the diagonal, which says nothing; null: too large. */
  private readonly pairs: Int32Array | null;
  /** Number of 32-bit words in a row of `pairs`. */
  private readonly words: number;
  private readonly parent: Int32Array;
  private readonly seen = new Set<NodeId>();
  private readonly seenSets = new Set<number>();
  private readonly connected = new Set<number>();

  constructor(
    private readonly trace: Trace,
    terms: readonly Term[],
  ) {
    this.n = trace.fn.dimension;
    this.words = (this.n + 31) >>> 5;
    this.pairs = this.n <= MAX_PAIRED ? new Int32Array(this.n * this.words) : null;
    this.parent = Int32Array.from({ length: this.n }, (_, k) => k);
    for (const term of terms) {
      if (term.kind === 'plain') this.add(term.node, 0);
      else this.addAll(nodesOf(term).reduce((set, node) => trace.sets.union(set, trace.deps[node]), 0));
    }
  }

  canInteract(i: number, j: number): boolean {
    if (i === j) return false;
    if (this.pairs === null) return this.find(i) === this.find(j);
    return (this.pairs[i * this.words + (j >>> 5)] & (1 << (j & 31))) !== 0;
  }

  /** Connected variables together; each group and the groups increasing. */
  blocks(used: readonly number[]): number[][] {
    const groups = new Map<number, number[]>();
    for (const k of used) {
      const root = this.find(k);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, [k]);
      else group.push(k);
    }
    return [...groups.values()];
  }

  count(used: readonly number[]): number {
    if (this.pairs === null) return this.blocks(used).reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
    const { n, words } = this;
    let count = 0;
    for (const word of this.pairs) count += bitsIn(word);
    for (let i = 0; i < n; i++) count -= (this.pairs[i * words + (i >>> 5)] >>> (i & 31)) & 1;
    return count / 2;
  }

  /** A product interacts across its factors, a sum within its addends, anything else among all that it depends on. */
  private add(node: NodeId, depth: number): void {
    const { ops, args, deps, isAffine } = this.trace;
    if (isAffine[node] || this.seen.has(node)) return;
    this.seen.add(node);
    const [a, b] = args[node];
    if (depth < MAX_DEPTH) {
      switch (ops[node]) {
        case 'add':
        case 'sub':
          this.add(a, depth + 1);
          this.add(b, depth + 1);
          return;
        case 'neg':
          this.add(a, depth + 1);
          return;
        case 'mul':
          this.add(a, depth + 1);
          this.add(b, depth + 1);
          this.addAcross(deps[a], deps[b]);
          return;
        default:
      }
    }
    this.addAll(deps[node]);
  }

  private addAll(set: number): void {
    if (this.seenSets.has(set)) return;
    this.seenSets.add(set);
    this.addAcross(set, set);
  }

  private addAcross(a: number, b: number): void {
    if (a === 0 || b === 0) return;
    const { sets } = this.trace;
    sets.connect(a, this.connected, (i, j) => this.unite(j, i));
    sets.connect(b, this.connected, (i, j) => this.unite(j, i));
    this.unite(sets.first(b), sets.first(a));
    if (this.pairs === null) return;
    this.addPairs(a, b, this.pairs);
    if (a !== b) this.addPairs(b, a, this.pairs);
  }

  private addPairs(a: number, b: number, pairs: Int32Array): void {
    const { sets } = this.trace;
    const row = new Int32Array(this.words);
    this.trace.work.spend(WORD * sets.size(a) * row.length);
    sets.mark(b, row, 0);
    for (const i of sets.elements(a)) {
      const start = i * this.words;
      for (let word = 0; word < row.length; word++) pairs[start + word] |= row[word];
    }
  }

  private unite(i: number, j: number): void {
    this.parent[this.find(i)] = this.find(j);
  }

  private find(i: number): number {
    const { parent } = this;
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  }
}
