/**
 * Verified IR to the text of a CUDA kernel in single precision, with error bounds (`single-precision/`). It has the
 * form of the other kernels (`generate.ts`): candidates come in double precision, and each result is two numbers, the
 * value and its bound. A lane of which a bound leaves open which way it goes, whether a check fires, or whether a loop
 * ends, stops there. It has NaN in all its results: only double precision tells what happens on it.
 */
import type { IndexForm, Instruction, IrFunction } from '../../ir/types.js';
import { outputArrayOf } from '../../ir/types.js';
import { TILE_LANES } from '../../model/tiles.js';
import { UNDECIDED } from '../backend.js';
import { WHOLE } from '../single-precision/enclosures.js';
import type { LaneFunction } from '../single-precision/lanes.js';
import type { MathInstruction, PrimitiveInstruction } from '../statement-writer.js';
import { KernelWriter, type KernelText } from './generate.js';
import { KnownNumbers } from './known-numbers.js';
import { floatLiteral } from './literals.js';
import { enclosureText, SingleLibrary } from './single-functions.js';

/** Numbers of a result: the value and its bound. */
export const SINGLE_RESULT_NUMBERS = 2;

/**
 * `missing`: functions that the device has not passed.
 * @throws {RangeError} for what the device cannot take, and operations that single precision has not.
 */
export function generateSingleKernel(fn: IrFunction, missing: ReadonlySet<LaneFunction>): KernelText {
  return new SingleWriter(fn, new SingleLibrary(missing)).kernel();
}

/** With their bounds, NVRTC takes a second or two for a thousand of them, and longer where functions are larger. */
const NODES_PER_FUNCTION = 500;
const MAX_NODES = 15_000;

const STOP = `return Flag{${UNDECIDED}, 0};`;

class SingleWriter extends KernelWriter {
  protected override readonly number = 'Enclosure';
  protected override readonly bool = 'Truth';
  protected override readonly numbersPerResult = SINGLE_RESULT_NUMBERS;
  private readonly known: KnownNumbers;

  constructor(
    fn: IrFunction,
    private readonly library: SingleLibrary,
  ) {
    super(fn, NODES_PER_FUNCTION, MAX_NODES);
    this.known = new KnownNumbers(fn, library);
  }

  protected override definitions(): readonly string[] {
    return this.library.text();
  }

  protected override delivery(): readonly string[] {
    const output = outputArrayOf(this.fn);
    const put = (at: string, from: string): string =>
      `Y[${TILE_LANES} * (${at})] = (double)${from}.value; Y[${TILE_LANES} * (${at} + 1)] = (double)${from}.error;`;
    const value = put('0', this.value(this.fn.body.yields[0]));
    if (output === null || output.length === 0) return [value];
    const element = put('2 * (1 + k)', `${this.array(output.array)}[k]`);
    return [value, `for (int k = 0; k < ${output.length}; k++) { ${element} }`];
  }

  protected override literal(value: number): string {
    return enclosureText(this.library.constant(value));
  }

  protected override truth(value: boolean): string {
    return `Truth{${value}, ${!value}}`;
  }

  protected override decision(truth: string): { before: string[]; holds: string } {
    return { before: [`if (!${truth}.yes && !${truth}.no) ${STOP}`], holds: `${truth}.yes` };
  }

  protected override fires(truth: string): string {
    return `!${truth}.no`;
  }

  /** Whatever it is, only double precision tells. */
  protected override flag(): string {
    return STOP;
  }

  protected override read(coordinate: string): string {
    return `enclose(${coordinate})`;
  }

  protected override ordinal(at: IndexForm): string {
    return `Enclosure{${this.ordinalIn('float', WHOLE, at)}, ${floatLiteral(0)}}`;
  }

  protected override primitive(node: PrimitiveInstruction, args: readonly string[]): string {
    return this.call(node, args);
  }

  protected override math(node: MathInstruction, args: readonly string[]): { before: string[]; result: string } {
    return { before: [], result: this.call(node, args) };
  }

  private call(node: Instruction, args: readonly string[]): string {
    const isTruth = this.fn.types[node.result] === 'bool';
    // Compared with itself: a question for NaN.
    const isItself = (node.op === 'eq' || node.op === 'ne') && node.args[0] === node.args[1];
    const count = isItself ? 1 : args.length;
    const operands = this.known.operandsOf(node).slice(0, count);
    return `${this.library.call(node.op, operands, isTruth)}(${args.slice(0, count).join(', ')})`;
  }
}
