/**
 * Removes what cannot happen while every coordinate stays inside its bounds: checks that never fire and comparisons that
 * always come out one way. Results are equal in every bit for candidates inside the bounds, and only for those.
 */
import type { IrFunction, IrNode, IrType, Region, ValueId } from '../ir/types.js';
import type { Bounds } from '../model/bounds.js';
import {
  ANY,
  EITHER,
  compareIntervals,
  intervalOf,
  point,
  truth,
  union,
  unionTruth,
  type Interval,
  type Truth,
} from './intervals.js';

export function specializeToBounds(fn: IrFunction, bounds: Bounds): IrFunction {
  const numbers: Interval[] = new Array<Interval>(fn.types.length).fill(ANY);
  const truths: Truth[] = new Array<Truth>(fn.types.length).fill(EITHER);

  const join = (result: ValueId, a: ValueId, b: ValueId): void => {
    if (fn.types[result] === 'f64') numbers[result] = union(numbers[a], numbers[b]);
    else truths[result] = unionTruth(truths[a], truths[b]);
  };

  const region = (r: Region): Region => ({ body: r.body.flatMap(node), yields: r.yields });

  const node = (n: IrNode): IrNode[] => {
    if (n.kind === 'if') {
      const then = region(n.then);
      const otherwise = region(n.otherwise);
      n.results.forEach((result, k) => join(result, n.then.yields[k], n.otherwise.yields[k]));
      if (n.results.length === 0 && then.body.length === 0 && otherwise.body.length === 0) return [];
      return [{ ...n, then, otherwise }];
    }
    // Nothing is known about what a loop carries.
    if (n.kind === 'loop') return [{ ...n, body: region(n.body) }];
    const [a, b, c] = n.args;
    switch (n.op) {
      case 'check':
        return truths[a].canBeTrue ? [n] : [];
      case 'const':
        numbers[n.result] = point(n.imm);
        return [n];
      case 'bconst':
        truths[n.result] = truth(n.imm !== 0);
        return [n];
      case 'x':
        numbers[n.result] = { lo: bounds.lower[n.imm], hi: bounds.upper[n.imm], nan: false };
        return [n];
      case 'lt':
      case 'le':
      case 'eq':
      case 'ne':
        return settled(n, compareIntervals(n.op, numbers[a], numbers[b], a === b));
      case 'and':
        return settled(n, {
          canBeTrue: truths[a].canBeTrue && truths[b].canBeTrue,
          canBeFalse: truths[a].canBeFalse || truths[b].canBeFalse,
        });
      case 'or':
        return settled(n, {
          canBeTrue: truths[a].canBeTrue || truths[b].canBeTrue,
          canBeFalse: truths[a].canBeFalse && truths[b].canBeFalse,
        });
      case 'not':
        return settled(n, { canBeTrue: truths[a].canBeFalse, canBeFalse: truths[a].canBeTrue });
      case 'select':
        if (!truths[a].canBeTrue) numbers[n.result] = numbers[c];
        else if (!truths[a].canBeFalse) numbers[n.result] = numbers[b];
        else join(n.result, b, c);
        return [n];
      case 'bselect':
        join(n.result, b, c);
        return [n];
      default:
        if (fn.types[n.result] === 'f64') {
          numbers[n.result] = intervalOf(
            n.op,
            n.args.map((arg) => numbers[arg]),
            a === b,
          );
        }
        return [n];
    }
  };

  /** A comparison that always comes out one way becomes a constant; folding does the rest. */
  const settled = (n: Extract<IrNode, { kind: 'op' }>, result: Truth): IrNode[] => {
    truths[n.result] = result;
    if (result.canBeTrue && result.canBeFalse) return [n];
    return [{ ...n, op: 'bconst', args: [], imm: result.canBeTrue ? 1 : 0 }];
  };

  const types: readonly IrType[] = fn.types;
  return { ...fn, body: region(fn.body), types };
}
