/** How much there is to do in one evaluation of a program. */
import { largestCount } from '../ir/index-form.js';
import { isMathOp } from '../ir/ops.js';
import type { ForNode, IrFunction, Region } from '../ir/types.js';

/** Assumed for a `while` loop, whose number of turns is not known before it runs. */
const SOME_TURNS = 10;
/** Operations counted for one expansion of the mathematics library. */
const LONG = 20;
/** Simple operations of one evaluation, both sides of branches. Cost: O(nodes). */
export function operationsOf({ body }: IrFunction): number {
  return operationsIn(body, []);
}

function operationsIn(region: Region, loops: readonly ForNode[]): number {
  let sum = 0;
  for (const node of region.body) {
    if (node.kind === 'op') sum += isMathOp(node.op) ? LONG : 1;
    else if (node.kind === 'if') sum += operationsIn(node.then, loops) + operationsIn(node.otherwise, loops);
    else if (node.kind === 'for') sum += largestCount(node, loops) * operationsIn(node.body, [...loops, node]);
    else sum += Math.min(node.fuel, SOME_TURNS) * operationsIn(node.body, loops);
  }
  return sum;
}
