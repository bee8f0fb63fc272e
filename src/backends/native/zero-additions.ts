/**
 * Drops `a + 0` where it is `a`, or where nobody can tell: it differs for `a = -0` alone. Python makes many of these:
 * `sum` begins with 0, a matrix product ends with it, and an `int` has no -0. No pass of `passes/`: what derives
 * programs, and counts their operations to decide how much is read, sees them as they are.
 *
 * First those whose operand is never -0. Then, of what is left, those where no value that must stay depends on the sign
 * of that zero: going backward, a value *matters* where a result that matters would be another one. Changes of values
 * that do not matter are signs of zeros only, and meet nothing but operations that keep it so.
 */
import type { OpName } from '../../ir/ops.js';
import type { Instruction, IrFunction, IrNode, Region, ValueId } from '../../ir/types.js';
import { walk } from '../../ir/walk.js';

/** The same values and status for every candidate; what is dropped leaves gaps in the numbers. Cost: O(nodes). */
export function dropZeroAdditions(fn: IrFunction): IrFunction {
  return dropWhere(dropWhere(fn, operandIsNeverNegativeZero), resultDoesNotMatter);
}

/** The same for an argument of either sign of zero. */
export const BLIND_TO_ZERO_SIGN: ReadonlySet<OpName> = new Set(['abs', 'cos', 'cosh', 'exp', 'lt', 'le', 'eq', 'ne']);
/** A zero, of whatever sign, for one of whatever sign. */
export const ZERO_TO_ZERO: ReadonlySet<OpName> = new Set(
  ['neg', 'sqrt', 'floor', 'ceil', 'trunc', 'rint', 'sin', 'tan', 'asin', 'atan', 'sinh', 'tanh'] as const,
);

type Definitions = readonly (Instruction | undefined)[];
type Judge = (fn: IrFunction, definitions: Definitions) => (addition: Instruction, operand: ValueId) => boolean;

function dropWhere(fn: IrFunction, judge: Judge): IrFunction {
  const definitions = new Array<Instruction | undefined>(fn.types.length);
  const additions = new Map<Instruction, ValueId>();
  walk(fn.body, (node) => {
    if (node.kind !== 'op' || node.result < 0) return;
    definitions[node.result] = node;
    if (node.op !== 'add') return;
    const zero = node.args.findIndex((id) => definitions[id]?.op === 'const' && Object.is(definitions[id].imm, 0));
    if (zero >= 0) additions.set(node, node.args[1 - zero]);
  });
  if (additions.size === 0) return fn;
  const isDropped = judge(fn, definitions);
  const renamed = new Map<ValueId, ValueId>();
  for (const [node, operand] of additions)
    if (isDropped(node, operand)) renamed.set(node.result, renamed.get(operand) ?? operand);
  if (renamed.size === 0) return fn;
  const use = (id: ValueId): ValueId => renamed.get(id) ?? id;
  const isKept = (node: IrNode): boolean => node.kind !== 'op' || !renamed.has(node.result);
  const region = ({ body, yields }: Region): Region => ({
    body: body.filter(isKept).map(rewrite),
    yields: yields.map(use),
  });
  const rewrite = (node: IrNode): IrNode => {
    if (node.kind === 'op') return { ...node, args: node.args.map(use) };
    if (node.kind === 'if') return { ...node, then: region(node.then), otherwise: region(node.otherwise) };
    return { ...node, initial: node.initial.map(use), body: region(node.body) };
  };
  return { ...fn, body: region(fn.body) };
}

function operandIsNeverNegativeZero(fn: IrFunction, definitions: Definitions) {
  const never = neverNegativeZero(fn, definitions);
  return (_: Instruction, operand: ValueId): boolean => never[operand] === 1;
}

/** By value: 1 where it is known never to be -0. Nothing is known of what loops carry. */
function neverNegativeZero(fn: IrFunction, definitions: Definitions): Uint8Array {
  const never = new Uint8Array(fn.types.length);
  const judge = ({ op, args, imm }: Instruction): boolean => {
    const [a, b, c] = args;
    switch (op) {
      case 'const':
        return !Object.is(imm, -0);
      case 'ordinal':
      case 'abs':
      case 'exp':
      case 'cosh':
        return true;
      case 'add':
        return never[a] === 1 || never[b] === 1;
      case 'sub':
      case 'sqrt':
      case 'floor':
        return never[a] === 1;
      case 'mul':
        return a === b;
      case 'select':
        return never[b] === 1 && never[c] === 1;
      default:
        return false;
    }
  };
  definitions.forEach((node) => {
    if (node !== undefined && judge(node)) never[node.result] = 1;
  });
  return never;
}

function resultDoesNotMatter(fn: IrFunction, definitions: Definitions) {
  const never = neverNegativeZero(fn, definitions);
  const matters = new Uint8Array(fn.types.length);
  const keep = (ids: readonly ValueId[]): void => ids.forEach((id) => (matters[id] = 1));
  const isNonZero = (id: ValueId): boolean => {
    const definition = definitions[id];
    return definition?.op === 'const' && definition.imm !== 0;
  };

  const instruction = (node: Instruction): void => {
    const { op, args, result } = node;
    const [a, b, c] = args;
    if (BLIND_TO_ZERO_SIGN.has(op) || (op === 'mul' && a === b)) return;
    const matter = result < 0 || matters[result] === 1;
    if (matter && (op === 'add' || op === 'sub')) {
      // A number other than zero hides the sign of what it is added to, and so does a zero that is always +0.
      if (isNonZero(a) || isNonZero(b)) return;
      if (op === 'add' && never[b] === 1) return keep([b]);
      return keep(never[a] === 1 ? [a] : args);
    }
    if (op === 'add' || op === 'sub' || op === 'mul' || ZERO_TO_ZERO.has(op)) {
      if (matter) keep(args);
    } else if (op === 'div') {
      if (matter) keep([a]);
      keep([b]);
    } else if (op === 'select' && node.imm === 0) {
      if (matter) keep([b, c]);
    } else {
      keep(args);
    }
  };
  const region = ({ body }: Region): void => {
    for (let k = body.length - 1; k >= 0; k--) {
      const node = body[k];
      if (node.kind === 'op') {
        instruction(node);
      } else if (node.kind === 'if') {
        node.results.forEach((id, j) => {
          if (matters[id] === 1) keep([node.then.yields[j], node.otherwise.yields[j]]);
        });
        region(node.then);
        region(node.otherwise);
      } else {
        keep(node.initial);
        keep(node.body.yields);
        region(node.body);
      }
    }
  };
  keep(fn.body.yields);
  region(fn.body);
  return ({ result }: Instruction): boolean => matters[result] === 0;
}
