/** Depth of a syntax tree, measured without recursion. */
import type { Position, Statement } from './ast.js';

/** The position of a node that has more than `limit` nodes above it, or null. */
export function deepestBeyond(body: readonly Statement[], limit: number): Position | null {
  const stack: { readonly node: object; readonly depth: number; readonly place: Position }[] = [];
  const push = (node: object, depth: number, place: Position) => {
    // Arrays and items without a position (comprehensions, parameter lists) are no level of their own.
    if ('line' in node && 'column' in node) {
      stack.push({ node, depth: depth + 1, place: node as Position });
    } else {
      stack.push({ node, depth, place });
    }
  };
  push(body, 0, { line: 1, column: 1 });
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (entry.depth > limit) return { line: entry.place.line, column: entry.place.column };
    for (const child of Object.values(entry.node)) {
      if (typeof child === 'object' && child !== null) push(child as object, entry.depth, entry.place);
    }
  }
  return null;
}
