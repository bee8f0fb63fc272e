/** The increasing function around a sum of terms. */
import { evaluateOp } from '../ir/interpreter.js';
import type { OuterStep } from '../model/program-structure.js';

/** The value of f where the terms add up to `sum`; NaN where a step has no name. */
export function applyOuter(outer: readonly OuterStep[], sum: number): number {
  return outer.reduceRight((value, step) => applyStep(step, value), sum);
}

function applyStep({ op, offset = 0, factor = 1 }: OuterStep, value: number): number {
  switch (op) {
    case 'affine':
      return offset + factor * value;
    case 'power':
      return evaluateOp('pow', [value, factor]);
    case 'exponential':
      return evaluateOp('pow', [factor, value]);
    case 'reciprocal':
      return factor / value;
    case 'monotone':
      return NaN;
    default:
      return evaluateOp(op as Parameters<typeof evaluateOp>[0], [value]);
  }
}
