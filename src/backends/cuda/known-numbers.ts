/**
 * What is known of a program's numbers in single precision before it runs: which are whole, and which have no error. A
 * number that a loop or an array hands on is taken for both until something else is found.
 */
import type { ForNode, IfNode, Instruction, IrFunction, LoopNode, Region, ValueId } from '../../ir/types.js';
import { distanceOf } from '../single-precision/enclosures.js';
import { knownOf, UNKNOWN, type NumberOperand, type Operand, type SingleLibrary } from './single-functions.js';

const ALL: NumberOperand = { whole: true, exact: true };

export class KnownNumbers {
  private readonly numbers: NumberOperand[] = [];
  private readonly arrays: NumberOperand[];
  /** Of values that are constants. */
  private readonly constants = new Map<ValueId, number>();
  private isSettled = false;

  /** @throws {RangeError} for an operation that single precision has not. */
  constructor(
    private readonly fn: IrFunction,
    private readonly library: SingleLibrary,
  ) {
    this.arrays = fn.arrays.map((array) => {
      if (array.kind === 'candidate') return UNKNOWN;
      if (array.kind === 'local') return ALL;
      const { values } = array;
      return { whole: values.every(Number.isInteger), exact: values.every((value) => distanceOf(value) === 0) };
    });
    while (!this.isSettled) {
      this.isSettled = true;
      this.region(fn.body);
    }
  }

  /** The operands of an operation, as its device function is written for them. */
  operandsOf({ op, args }: Pick<Instruction, 'op' | 'args'>): readonly Operand[] {
    return args.map((id, k): Operand => {
      if (this.fn.types[id] === 'bool') return 'truth';
      const known = this.numbers[id];
      const number = this.constants.get(id);
      // Exponents are looked at when an operation is written, other numbers are not.
      return op === 'pow' && k === 1 && known.exact && number !== undefined ? { ...known, number } : known;
    });
  }

  private region(region: Region): void {
    for (const node of region.body) {
      switch (node.kind) {
        case 'op':
          this.instruction(node);
          break;
        case 'if':
          this.ifNode(node);
          break;
        case 'for':
          this.loop(node, node.body.yields);
          break;
        case 'loop':
          this.loop(node, node.body.yields.slice(1));
          break;
      }
    }
  }

  private instruction(node: Instruction): void {
    const { op, args, imm, result } = node;
    if (op === 'store') {
      this.arrays[imm] = this.joined(this.arrays[imm], this.numbers[args[0]]);
      return;
    }
    if (this.fn.types[result] !== 'f64') return;
    this.numbers[result] = this.resultOf(node);
    if (op === 'const') this.constants.set(result, imm);
  }

  private resultOf(node: Instruction): NumberOperand {
    switch (node.op) {
      case 'const':
        return knownOf(this.library.constant(node.imm));
      case 'x':
        return UNKNOWN;
      case 'ordinal':
        return ALL;
      case 'load':
        return this.arrays[node.imm];
      default:
        return this.library.resultOf(node.op, this.operandsOf(node));
    }
  }

  private ifNode({ then, otherwise, results }: IfNode): void {
    this.region(then);
    this.region(otherwise);
    this.assign(results, (k) => both(this.numbers[then.yields[k]], this.numbers[otherwise.yields[k]]));
  }

  private loop({ initial, params, body, results }: ForNode | LoopNode, next: readonly ValueId[]): void {
    const join = (from: readonly ValueId[]): void =>
      this.assign(params, (k) => this.joined(this.numbers[params[k]] ?? ALL, this.numbers[from[k]]));
    join(initial);
    this.region(body);
    join(next);
    this.assign(results, (k) => this.numbers[params[k]]);
  }

  /** All are read before any changes. */
  private assign(ids: readonly ValueId[], of: (k: number) => NumberOperand): void {
    const isNumber = (id: ValueId): boolean => this.fn.types[id] === 'f64';
    const found = ids.map((id, k) => (isNumber(id) ? of(k) : UNKNOWN));
    ids.forEach((id, k) => {
      if (isNumber(id)) this.numbers[id] = found[k];
    });
  }

  private joined(known: NumberOperand, other: NumberOperand): NumberOperand {
    const joined = both(known, other);
    if (joined.whole !== known.whole || joined.exact !== known.exact) this.isSettled = false;
    return joined;
  }
}

const both = (a: NumberOperand, b: NumberOperand): NumberOperand => ({
  whole: a.whole && b.whole,
  exact: a.exact && b.exact,
});
