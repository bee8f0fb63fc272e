/** Walks over a program's nodes, for what does not depend on what a node does. */
import type { IrNode, Region, ValueId } from './types.js';

/** The regions of a node, in the order in which they are written. */
export function regionsOf(node: IrNode): readonly Region[] {
  if (node.kind === 'op') return [];
  return node.kind === 'if' ? [node.then, node.otherwise] : [node.body];
}

/** The values that a node defines for what follows it. */
export function resultsOf(node: IrNode): readonly ValueId[] {
  if (node.kind !== 'op') return node.results;
  return node.result < 0 ? [] : [node.result];
}

/** The values that a node takes itself, indices aside; what its regions take, and yield, is theirs. */
export function usesOf(node: IrNode): readonly ValueId[] {
  if (node.kind === 'op') return node.args;
  return node.kind === 'if' ? [node.condition] : node.initial;
}

/** Calls `visit` on the nodes at every depth, each before those inside; then `leave` at the end of each region. */
export function walk(region: Region, visit: (node: IrNode) => void, leave?: (region: Region) => void): void {
  for (const node of region.body) {
    visit(node);
    for (const inner of regionsOf(node)) walk(inner, visit, leave);
  }
  leave?.(region);
}

/** Whether a node at some depth is `wanted`. */
export function contains({ body }: Pick<Region, 'body'>, wanted: (node: IrNode) => boolean): boolean {
  return body.some((node) => wanted(node) || regionsOf(node).some((inner) => contains(inner, wanted)));
}
