/** Which pairs of variables can interact in a sum of terms: all others have mixed differences of zero. */
import { nodesOf, type Term } from './sums.js';
import type { NodeId, Trace } from './trace.js';

/** Beyond it pairs are not counted one by one. */
const MAX_PAIRED = 1_000;
const MAX_DEPTH = 30;

export class Interactions {
  private readonly n: number;
  /** [n][n], symmetric; null: too large. */
  private readonly pairs: Uint8Array | null;
  private readonly parent: Int32Array;
  private readonly seen = new Set<NodeId>();
  private readonly seenSets = new Set<number>();

  constructor(
    private readonly trace: Trace,
    terms: readonly Term[],
  ) {
    this.n = trace.fn.dimension;
    this.pairs = this.n <= MAX_PAIRED ? new Uint8Array(this.n * this.n) : null;
    this.parent = Int32Array.from({ length: this.n }, (_, k) => k);
    for (const term of terms) {
      if (term.kind === 'plain') this.add(term.node, 0);
      else this.addAll(nodesOf(term).reduce((set, node) => trace.sets.union(set, trace.deps[node]), 0));
    }
  }

  canInteract(i: number, j: number): boolean {
    return this.pairs === null ? this.find(i) === this.find(j) : this.pairs[i * this.n + j] === 1;
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
    let count = 0;
    for (let i = 0; i < this.n; i++) for (let j = 0; j < i; j++) count += this.pairs[i * this.n + j];
    return count;
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
    const { sets } = this.trace;
    const left = sets.elements(a);
    const right = sets.elements(b);
    if (left.length === 0 || right.length === 0) return;
    const { pairs, n } = this;
    for (const i of left) this.unite(i, left[0]);
    for (const j of right) this.unite(j, left[0]);
    if (pairs === null) return;
    for (const i of left) {
      for (const j of right) if (i !== j) pairs[i * n + j] = pairs[j * n + i] = 1;
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
