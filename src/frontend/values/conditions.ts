/**
 * Truth values: what follows from them, and what is settled where some are known.
 */
import type { ValueId } from '../../ir/types.js';
import type { ScalarOps } from './scalars.js';
import { bool, dynamic, type Scalar } from './values.js';

export function selectTruth(ops: ScalarOps, condition: Scalar, c: ValueId, a: Scalar, b: Scalar): Scalar {
  if (a.known === 1) return ops.or(condition, b);
  if (a.known === 0) return ops.and(not(ops, condition), b);
  if (b.known === 0) return ops.and(condition, a);
  if (b.known === 1) return ops.or(not(ops, condition), a);
  return dynamic('bool', ops.builder.op('bselect', c, a.id, b.id));
}

export function not(ops: ScalarOps, s: Scalar): Scalar {
  if (s.known !== undefined) return bool(s.known === 0);
  const value = ops.truth(s);
  const known = ops.negations.get(value);
  if (known !== undefined) return dynamic('bool', known);
  const negated = ops.builder.op('not', value);
  ops.negations.set(negated, value);
  return ops.built('bool', negated);
}

export function junction(ops: ScalarOps, op: 'and' | 'or', p: ValueId, q: ValueId): Scalar {
  const id = ops.builder.op(op, p, q);
  if (ops.builder.constantOf(id) === undefined) ops.junctions.set(id, { op, operands: [p, q] });
  return ops.built('bool', id);
}

export function settled(
  ops: ScalarOps,
  id: ValueId,
  known: ReadonlyMap<ValueId, boolean>,
  depth = 8,
): boolean | undefined {
  const truth = known.get(id);
  if (truth !== undefined || depth === 0) return truth;
  const opposite = ops.negations.get(id);
  if (opposite !== undefined) {
    const other = settled(ops, opposite, known, depth - 1);
    return other === undefined ? undefined : !other;
  }
  const junction = ops.junctions.get(id);
  if (junction === undefined) return undefined;
  const operands = junction.operands.map((operand) => settled(ops, operand, known, depth - 1));
  const decides = junction.op === 'or';
  if (operands.includes(decides)) return decides;
  return operands.includes(undefined) ? undefined : !decides;
}

export function implied(ops: ScalarOps, id: ValueId, holds: boolean): readonly (readonly [ValueId, boolean])[] {
  const found = new Map<ValueId, boolean>([[id, holds]]);
  for (const [value, truth] of found) {
    const opposite = ops.negations.get(value);
    if (opposite !== undefined && !found.has(opposite)) found.set(opposite, !truth);
    const junction = ops.junctions.get(value);
    if (junction === undefined || (junction.op === 'and') !== truth) continue;
    for (const operand of junction.operands) if (!found.has(operand)) found.set(operand, truth);
  }
  return [...found];
}

export function areOpposite(ops: ScalarOps, a: ValueId, b: ValueId): boolean {
  return ops.negations.get(a) === b || ops.negations.get(b) === a;
}
