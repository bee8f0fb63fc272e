/**
 * Where the adjoints of an array's elements come from. In general they are cleared, added to by each use on the way
 * back, and cleared by each store; where every element is used at most once, or stored once, less will do.
 */
import { evaluateForm, turnsOf } from '../../ir/index-form.js';
import type { ForNode, IndexForm, IrFunction, Region } from '../../ir/types.js';
import type { Activity } from './activity.js';

export interface ArraySites {
  /** An element has one use at most: its adjoint is stored, not added to an earlier one. */
  readonly isUsedOnce: boolean;
  /** An element has one store at most: its adjoint need not be cleared for an earlier one. */
  readonly isStoredOnce: boolean;
  /** Some adjoints may be read that no use has given. */
  readonly needsClear: boolean;
}

/** A place that loads from an array, or stores to it. */
interface Site {
  readonly at: IndexForm;
  /** Loops around it, outermost first. */
  readonly loops: readonly ForNode[];
  /** In a branch. */
  readonly isConditional: boolean;
}

interface Sites {
  readonly loads: Site[];
  readonly stores: Site[];
}

/** Accesses of one array that are gone through one by one, at most. */
const MOST_ACCESSES = 2 ** 17;

/**
 * By array of `fn`, and of the candidate, of which coordinates by number are uses too. Loops have counts.
 * Cost: O(nodes + accesses), of at most 2^17 accesses an array.
 */
export function findSites(
  fn: IrFunction,
  { isActive, isArrayActive }: Activity,
): { readonly candidate: ArraySites; readonly arrays: readonly ArraySites[] } {
  const found: readonly Sites[] = fn.arrays.map(() => ({ loads: [], stores: [] }));
  const coordinates: Site[] = [];
  const visit = (region: Region, loops: readonly ForNode[], isConditional: boolean): void => {
    for (const node of region.body) {
      if (node.kind === 'if') {
        visit(node.then, loops, true);
        visit(node.otherwise, loops, true);
      } else if (node.kind === 'for') visit(node.body, [...loops, node], isConditional);
      else if (node.kind === 'op') {
        const site = { at: node.at ?? { offset: node.imm, terms: [] }, loops, isConditional };
        if (node.op === 'x' && isActive[node.result]) coordinates.push(site);
        else if (node.op === 'load' && isActive[node.result]) found[node.imm].loads.push(site);
        else if (node.op === 'store' && isArrayActive[node.imm]) found[node.imm].stores.push(site);
      }
    }
  };
  visit(fn.body, [], false);
  const ofCandidate = fn.arrays.flatMap((array, k) => (array.kind === 'candidate' ? found[k].loads : []));
  return {
    candidate: sitesOf([...ofCandidate, ...coordinates], [], fn.dimension),
    arrays: fn.arrays.map((array, k) =>
      sitesOf(found[k].loads, found[k].stores, array.kind === 'local' ? array.length : 0),
    ),
  };
}

function sitesOf(loads: readonly Site[], stores: readonly Site[], length: number): ArraySites {
  const used = accessesOf(loads, length);
  const stored = accessesOf(stores, length);
  const isStoredOnce = stored?.isOnce ?? false;
  return {
    isUsedOnce: used?.isOnce ?? false,
    isStoredOnce,
    needsClear: !(used !== null && used.isOnce && used.isComplete && isStoredOnce),
  };
}

/**
 * Whether no element is met twice, and each is met at least once whatever branches are taken; null: too many to tell.
 */
function accessesOf(
  sites: readonly Site[],
  length: number,
): { readonly isOnce: boolean; readonly isComplete: boolean } | null {
  if (sites.reduce((sum, { loops }) => sum + turnsOf(loops), 0) > MOST_ACCESSES) return null;
  const isMet = new Uint8Array(length);
  const isMetAlways = new Uint8Array(length);
  let isOnce = true;
  for (const site of sites) {
    eachElement(site, (element) => {
      if (isMet[element] !== 0) isOnce = false;
      isMet[element] = 1;
      if (!site.isConditional) isMetAlways[element] = 1;
    });
  }
  return { isOnce, isComplete: isMetAlways.every((met) => met !== 0) };
}

function eachElement({ at, loops }: Site, visit: (element: number) => void): void {
  const indices: number[] = [];
  const turn = (depth: number): void => {
    if (depth === loops.length) return visit(evaluateForm(at, indices));
    const { index, count } = loops[depth];
    const turns = evaluateForm(count, indices);
    for (let k = 0; k < turns; k++) {
      indices[index] = k;
      turn(depth + 1);
    }
  };
  turn(0);
}
