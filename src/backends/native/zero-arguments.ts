/**
 * Functions of `a * 0`, which is a zero or NaN: `exp(-k * t)` at the first of `t = 0, 1, 2, ...` is one. An addition or
 * a product gives the same. No pass of `passes/`, for the reason that zero-additions.ts has.
 */
import type { OpName } from '../../ir/ops.js';
import type { Instruction, IrFunction, IrNode, Region, ValueId } from '../../ir/types.js';
import { walk } from '../../ir/walk.js';

/** 1 for a zero of either sign, NaN for NaN. */
export const ONE_AT_ZERO: ReadonlySet<OpName> = new Set(['exp', 'exp2', 'cos', 'cosh']);
/** The zero itself for a zero of either sign, NaN for NaN. */
export const ITSELF_AT_ZERO: ReadonlySet<OpName> = new Set(
  ['sqrt', 'sin', 'tan', 'asin', 'atan', 'sinh', 'tanh', 'asinh', 'atanh', 'expm1', 'log1p'] as const,
);

/** The same values and status for every candidate. Cost: O(nodes). */
export function settleZeroArguments(fn: IrFunction): IrFunction {
  const one = fn.types.length;
  const products = new Map<ValueId, Instruction>();
  const zeros = new Set<ValueId>();
  const settled = new Map<Instruction, Instruction>();
  walk(fn.body, (node) => {
    if (node.kind !== 'op') return;
    const { op, args, result, imm } = node;
    if (op === 'const' && imm === 0) zeros.add(result);
    else if (op === 'mul' && args.some((id) => zeros.has(id))) products.set(result, node);
    const product = products.get(args[0]);
    if (product === undefined) return;
    if (ONE_AT_ZERO.has(op)) settled.set(node, { ...node, op: 'add', args: [args[0], one], imm: 0 });
    else if (ITSELF_AT_ZERO.has(op)) settled.set(node, { ...product, result });
  });
  if (settled.size === 0) return fn;
  const region = ({ body, yields }: Region): Region => ({ body: body.map(rewrite), yields });
  const rewrite = (node: IrNode): IrNode => {
    if (node.kind === 'op') return settled.get(node) ?? node;
    if (node.kind === 'if') return { ...node, then: region(node.then), otherwise: region(node.otherwise) };
    return { ...node, body: region(node.body) };
  };
  const { body, yields } = region(fn.body);
  const constant: Instruction = { kind: 'op', op: 'const', args: [], result: one, imm: 1, line: 0 };
  return { ...fn, types: [...fn.types, 'f64'], body: { body: [constant, ...body], yields } };
}
