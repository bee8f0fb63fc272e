/** Facts about values that an interval program needs before it is built. Cost: O(nodes) times the depth of loops. */
import { opInfo } from '../../ir/ops.js';
import type { IrFunction, IrNode, Region, ValueId } from '../../ir/types.js';

export interface Flow {
  /** By value: depends on the candidate. What does not is one number, whatever the box. */
  readonly varies: readonly boolean[];
  readonly arrayVaries: readonly boolean[];
  /** By array: is stored to where only some points of a box may come by. */
  readonly isJoined: readonly boolean[];
  /**
   * By value: whether it is NaN can show in something that is not NaN, because it is compared, for example. Where it
   * cannot, a NaN makes the value of the program NaN or does not matter at all.
   */
  readonly heedsNaN: readonly boolean[];
}

export function analyzeFlow(fn: IrFunction): Flow {
  const varies = fn.types.map(() => false);
  const arrayVaries = fn.arrays.map(({ kind }) => kind === 'candidate');
  const isJoined = fn.arrays.map(() => false);
  const heedsNaN = fn.types.map(() => false);
  const heedful = fn.arrays.map(() => false);
  let changed = true;
  const set = (flags: boolean[], id: number, value: boolean): void => {
    if (!value || flags[id]) return;
    flags[id] = changed = true;
  };

  const forward = (region: Region, isPartial: boolean): void => {
    for (const node of region.body) forwardNode(node, isPartial);
  };
  const carry = (from: readonly ValueId[], to: readonly ValueId[], offset = 0): void =>
    to.forEach((id, k) => set(varies, id, varies[from[k + offset]]));
  const forwardNode = (node: IrNode, isPartial: boolean): void => {
    switch (node.kind) {
      case 'op':
        if (node.op === 'store') {
          set(isJoined, node.imm, isPartial);
          set(arrayVaries, node.imm, isPartial || varies[node.args[0]]);
        } else if (node.op === 'x') set(varies, node.result, true);
        else if (node.op === 'load') set(varies, node.result, arrayVaries[node.imm]);
        else if (node.result >= 0)
          set(
            varies,
            node.result,
            node.args.some((id) => varies[id]),
          );
        return;
      case 'if': {
        const isOpen = varies[node.condition];
        for (const part of [node.then, node.otherwise]) {
          forward(part, isPartial || isOpen);
          carry(part.yields, node.results);
        }
        for (const id of node.results) set(varies, id, isOpen);
        return;
      }
      case 'for':
        carry(node.initial, node.params);
        forward(node.body, isPartial);
        carry(node.body.yields, node.params);
        carry(node.params, node.results);
        return;
      case 'loop':
        carry(node.initial, node.params);
        forward(node.body, true);
        carry(node.body.yields, node.params, 1);
        // Points leave it after different numbers of turns.
        for (const id of node.results) set(varies, id, true);
    }
  };

  const back = (from: readonly ValueId[], to: readonly ValueId[], offset = 0): void =>
    to.forEach((id, k) => set(heedsNaN, from[k + offset], heedsNaN[id]));
  const backward = (region: Region): void => {
    for (let k = region.body.length - 1; k >= 0; k--) backwardNode(region.body[k]);
  };
  const backwardNode = (node: IrNode): void => {
    switch (node.kind) {
      case 'op':
        if (node.op === 'load') set(heedful, node.imm, heedsNaN[node.result]);
        else if (node.op === 'store') set(heedsNaN, node.args[0], heedful[node.imm]);
        else for (const id of node.args) set(heedsNaN, id, opInfo(node.op).seesNaN === true || heedsNaN[node.result]);
        return;
      case 'if':
        for (const part of [node.then, node.otherwise]) {
          back(part.yields, node.results);
          backward(part);
        }
        return;
      default: {
        const offset = node.kind === 'loop' ? 1 : 0;
        back(node.params, node.results);
        back(node.body.yields, node.params, offset);
        backward(node.body);
        back(node.initial, node.params);
      }
    }
  };

  while (changed) {
    changed = false;
    forward(fn.body, false);
  }
  changed = true;
  while (changed) {
    changed = false;
    backward(fn.body);
  }
  return { varies, arrayVaries, isJoined, heedsNaN };
}
