/**
 * The values that a gradient concerns: they depend on the candidate, and the function's value depends on them, both
 * through operations that have a slope.
 */
import type { IrFunction, IrNode, Region, ValueId } from '../../ir/types.js';
import { differentiableArgs } from './derivatives.js';

export interface Activity {
  /** By value. */
  readonly isActive: readonly boolean[];
  /** By array: elements of it are active values. The candidate is. */
  readonly isArrayActive: readonly boolean[];
}

/** Cost: O(nodes) times the depth of loops that values are carried through. */
export function findActivity(fn: IrFunction): Activity {
  const varied = findVaried(fn);
  const useful = flags(fn);
  useful.values[fn.body.yields[0]] = true;
  while (spread(fn.body, useful, true));
  return {
    isActive: varied.values.map((isVaried, id) => isVaried && useful.values[id]),
    isArrayActive: varied.arrays.map((isVaried, k) => isVaried && useful.arrays[k]),
  };
}

/** Values, and arrays with elements, that depend on the candidate through operations that have a slope. */
export function findVaried(fn: IrFunction): {
  readonly values: readonly boolean[];
  readonly arrays: readonly boolean[];
} {
  const varied = flags(fn);
  fn.arrays.forEach((array, k) => (varied.arrays[k] = array.kind === 'candidate'));
  while (spread(fn.body, varied, false));
  return varied;
}

interface Flags {
  readonly values: boolean[];
  readonly arrays: boolean[];
}

const flags = (fn: IrFunction): Flags => ({
  values: fn.types.map(() => false),
  arrays: fn.arrays.map(() => false),
});

/** Carries flags from arguments to results, or back; whether any was set. */
function spread(region: Region, f: Flags, isBackward: boolean): boolean {
  let changed = false;
  const value = (from: ValueId, to: ValueId): void => {
    const [source, target] = isBackward ? [to, from] : [from, to];
    if (!f.values[source] || f.values[target]) return;
    changed = f.values[target] = true;
  };
  const memory = (id: ValueId, array: number, isStore: boolean): void => {
    const fromValue = isStore !== isBackward;
    if (fromValue ? !f.values[id] || f.arrays[array] : !f.arrays[array] || f.values[id]) return;
    changed = true;
    if (fromValue) f.arrays[array] = true;
    else f.values[id] = true;
  };
  const visit = (node: IrNode): void => {
    switch (node.kind) {
      case 'op':
        if (node.op === 'x') {
          if (!isBackward && !f.values[node.result]) changed = f.values[node.result] = true;
        } else if (node.op === 'load') memory(node.result, node.imm, false);
        else if (node.op === 'store') memory(node.args[0], node.imm, true);
        else for (const k of differentiableArgs(node.op)) value(node.args[k], node.result);
        return;
      case 'if':
        if (isBackward) yieldsOf();
        changed = spread(node.then, f, isBackward) || changed;
        changed = spread(node.otherwise, f, isBackward) || changed;
        if (!isBackward) yieldsOf();
        return;
      case 'for':
      case 'loop':
        carried(node.initial, node.params);
        if (isBackward) carried(node.params, node.results);
        carried(node.kind === 'loop' ? node.body.yields.slice(1) : node.body.yields, node.params);
        changed = spread(node.body, f, isBackward) || changed;
        carried(node.kind === 'loop' ? node.body.yields.slice(1) : node.body.yields, node.params);
        carried(node.kind === 'loop' ? node.body.yields.slice(1) : node.body.yields, node.results);
        carried(node.params, node.results);
        return;
    }
    function yieldsOf(): void {
      if (node.kind !== 'if') return;
      carried(node.then.yields, node.results);
      carried(node.otherwise.yields, node.results);
    }
  };
  const carried = (from: readonly ValueId[], to: readonly ValueId[]): void => from.forEach((id, k) => value(id, to[k]));
  const body = isBackward ? [...region.body].reverse() : region.body;
  body.forEach(visit);
  return changed;
}
