/**
 * Verified IR to the flat program that the native core loads: selection, allocation, then words. Format: `opcodes.ts`.
 * Pure; cost about linear in the nodes.
 */
import type { LibraryName } from '../../ir/math/index.js';
import { turnsOf } from '../../ir/index-form.js';
import { outputArrayOf, type ForNode, type IrFunction, type Region } from '../../ir/types.js';
import type { Allocation } from './allocation.js';
import { allocateRegisters } from './allocation.js';
import {
  HEADER_WORDS,
  INSTRUCTION_WORDS,
  OPCODE_OF,
  OPCODES,
  OPERAND_CONSTANT,
  OPERAND_COORDINATE,
  OPERAND_ELEMENT,
  OPERAND_REGISTER,
  PROGRAM_MAGIC,
  PROGRAM_VERSION,
  SPACE,
} from './opcodes.js';
import type { Opcode } from './opcodes.js';
import type { MachineElement, MachineInstruction, MachineOperand, Selection } from './selection.js';
import { selectInstructions } from './selection.js';

export interface EncodedProgram {
  readonly words: Int32Array;
  readonly constants: Float64Array;
  /** Functions of the mathematics library that it calls. */
  readonly functions: ReadonlySet<LibraryName>;
  /** How often a node runs in one evaluation, on average and at most: more than once in counted loops. */
  readonly turns: number;
}

/** @param sharing whether values take over the registers of others that are not needed any more */
export function encodeProgram(fn: IrFunction, sharing: 'shared' | 'unshared' = 'shared'): EncodedProgram {
  const selection = selectInstructions(fn);
  const { assigned, registers, masks } = sharing === 'shared' ? allocateRegisters(selection) : oneEach(selection);
  const { instructions } = selection;
  const pool = new ConstantPool();
  const elements = new ElementTable(fn, pool);
  const words = new Int32Array(HEADER_WORDS + instructions.length * INSTRUCTION_WORDS);
  const functions = new Set<LibraryName>();
  instructions.forEach((instruction, i) => {
    if (isMathOpcode(instruction.opcode)) functions.add(instruction.opcode);
    const at = HEADER_WORDS + i * INSTRUCTION_WORDS;
    words[at] = OPCODE_OF.get(instruction.opcode)!;
    words.set(operandWords(instruction, assigned, pool, elements), at + 1);
  });
  const constants = pool.values();
  words.set([PROGRAM_MAGIC, PROGRAM_VERSION, fn.dimension, registers, masks, instructions.length]);
  words.set([constants.length, elements.words.length, elements.locals, outputArrayOf(fn)?.length ?? 0], 6);
  const all = new Int32Array(words.length + elements.words.length);
  all.set(words);
  all.set(elements.words, words.length);
  return { words: all, constants, functions, turns: meanTurns(fn.body) };
}

function meanTurns(body: Region): number {
  let [nodes, runs] = [1, 1];
  const visit = (region: Region, loops: readonly ForNode[]): void => {
    nodes += region.body.length;
    runs += region.body.length * turnsOf(loops);
    for (const node of region.body) {
      if (node.kind === 'if') [node.then, node.otherwise].forEach((side) => visit(side, loops));
      else if (node.kind === 'loop') visit(node.body, loops);
      else if (node.kind === 'for') visit(node.body, [...loops, node]);
    }
  };
  visit(body, []);
  return Math.max(1, runs / nodes);
}

const isMathOpcode = (opcode: Opcode): opcode is LibraryName => OPCODES[OPCODE_OF.get(opcode)!].group === 'math';

/** A register for each value, which is how the compiler of native code sees through a function best. */
function oneEach({ isMask }: Selection): Allocation {
  const count = [0, 0];
  const assigned = Int32Array.from(isMask, (mask) => count[mask ? 1 : 0]++);
  return { assigned, registers: count[0], masks: count[1] };
}

function operandWords(
  { opcode, operands }: MachineInstruction,
  assigned: Int32Array,
  pool: ConstantPool,
  elements: ElementTable,
): number[] {
  const { signature } = OPCODES[OPCODE_OF.get(opcode)!];
  return operands.map((operand, k) => {
    const plain = signature[k] === 'f' || signature[k] === 'm';
    if (plain && operand.kind === 'register') return assigned[operand.register];
    if (operand.kind === 'element') {
      const element = elements.index(operand);
      return signature[k] === 'c' ? element : signature[k] === 'f' ? ~element : (element << 2) | OPERAND_ELEMENT;
    }
    return operandWord(operand, assigned, pool);
  });
}

function operandWord(
  operand: Exclude<MachineOperand, MachineElement>,
  assigned: Int32Array,
  pool: ConstantPool,
): number {
  switch (operand.kind) {
    case 'register':
      return (assigned[operand.register] << 2) | OPERAND_REGISTER;
    case 'coordinate':
      return (operand.index << 2) | OPERAND_COORDINATE;
    case 'constant':
      return (pool.index(operand.value) << 2) | OPERAND_CONSTANT;
    case 'integer':
      return operand.value;
  }
}

/**
 * Distinct elements in order of first use, as words. Local arrays lie one after the other, tables among the constants.
 */
class ElementTable {
  readonly words: number[] = [];
  /** Blocks of all local arrays. */
  readonly locals: number;
  private readonly indexOf = new Map<string, number>();
  /** By array. */
  private readonly start: (number | undefined)[] = [];

  constructor(
    private readonly fn: IrFunction,
    private readonly pool: ConstantPool,
  ) {
    let locals = 0;
    const place = (isOutput: boolean): void =>
      fn.arrays.forEach((array, k) => {
        if (array.kind !== 'local' || (array.isOutput ?? false) !== isOutput) return;
        this.start[k] = locals;
        locals += array.length;
      });
    place(true);
    place(false);
    this.locals = locals;
  }

  index({ space, array, offset, terms }: MachineElement): number {
    const place = [offset + this.startOf(space, array), ...terms.flatMap(({ level, scale }) => [level, scale])];
    const key = `${space}:${place.join(':')}`;
    let index = this.indexOf.get(key);
    if (index === undefined) {
      index = this.indexOf.size;
      this.indexOf.set(key, index);
      this.words.push(SPACE[space], terms.length, ...wide(place[0]));
      for (const { level, scale } of terms) this.words.push(level, ...wide(scale));
    }
    return index;
  }

  private startOf(space: MachineElement['space'], array: number): number {
    if (space === 'local') return this.start[array]!;
    const table = this.fn.arrays[array];
    if (space !== 'constant' || table.kind !== 'table') return 0;
    return (this.start[array] ??= this.pool.append(table.values));
  }
}

/** A whole number as two words, the low one first. */
function wide(value: number): [number, number] {
  const bits = BigInt(value);
  return [Number(BigInt.asIntN(32, bits)), Number(BigInt.asIntN(32, bits >> 32n))];
}

/** Distinct constants in order of first use; 0 and -0 are distinct. Tables lie among them. */
class ConstantPool {
  private readonly indexOf = new Map<number | '-0', number>();
  private readonly list: number[] = [];

  index(value: number): number {
    const key = Object.is(value, -0) ? '-0' : value;
    let index = this.indexOf.get(key);
    if (index === undefined) {
      index = this.list.push(value) - 1;
      this.indexOf.set(key, index);
    }
    return index;
  }

  /** Index of the first of `values`. */
  append(values: Float64Array): number {
    const start = this.list.length;
    for (const value of values) this.list.push(value);
    return start;
  }

  values(): Float64Array {
    return Float64Array.from(this.list);
  }
}
