import type { NodeId } from './trace.js';

/** Nodes with weights, largest number first: a node comes when all that it is used in has been. */
export class WorkQueue {
  private readonly weights = new Map<NodeId, number>();
  private readonly heap: NodeId[] = [];

  add(node: NodeId, weight: number): void {
    const known = this.weights.get(node);
    this.weights.set(node, (known ?? 0) + weight);
    if (known !== undefined) return;
    const { heap } = this;
    let at = heap.push(node) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent] >= node) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = node;
  }

  take(): { readonly node: NodeId; readonly weight: number } | null {
    const { heap, weights } = this;
    if (heap.length === 0) return null;
    const node = heap[0];
    const last = heap.pop()!;
    const { length } = heap;
    if (length > 0) {
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= length) break;
        if (child + 1 < length && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= last) break;
        heap[at] = heap[child];
        at = child;
      }
      heap[at] = last;
    }
    const weight = weights.get(node)!;
    weights.delete(node);
    return { node, weight };
  }
}
