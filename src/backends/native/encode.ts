/**
 * Verified IR to the flat program that the native core loads: selection, allocation, then words. Format: `opcodes.ts`.
 * Pure; cost about linear in the nodes.
 */
import type { IrFunction } from '../../ir/types.js';
import type { Allocation } from './allocation.js';
import { allocateRegisters } from './allocation.js';
import {
  HEADER_WORDS,
  INSTRUCTION_WORDS,
  OPCODE_OF,
  OPCODES,
  OPERAND_CONSTANT,
  OPERAND_COORDINATE,
  OPERAND_REGISTER,
  PROGRAM_MAGIC,
  PROGRAM_VERSION,
} from './opcodes.js';
import type { MachineInstruction, MachineOperand, Selection } from './selection.js';
import { selectInstructions } from './selection.js';

export interface EncodedProgram {
  readonly words: Int32Array;
  readonly constants: Float64Array;
}

/** @param sharing whether values take over the registers of others that are not needed any more */
export function encodeProgram(fn: IrFunction, sharing: 'shared' | 'unshared' = 'shared'): EncodedProgram {
  const selection = selectInstructions(fn);
  const { assigned, registers, masks } = sharing === 'shared' ? allocateRegisters(selection) : oneEach(selection);
  const { instructions } = selection;
  const pool = new ConstantPool();
  const words = new Int32Array(HEADER_WORDS + instructions.length * INSTRUCTION_WORDS);
  instructions.forEach((instruction, i) => {
    const at = HEADER_WORDS + i * INSTRUCTION_WORDS;
    words[at] = OPCODE_OF.get(instruction.opcode)!;
    words.set(operandWords(instruction, assigned, pool), at + 1);
  });
  const constants = pool.values();
  words.set([PROGRAM_MAGIC, PROGRAM_VERSION, fn.dimension, registers, masks, instructions.length, constants.length]);
  return { words, constants };
}

/** A register for each value, which is how the compiler of native code sees through a function best. */
function oneEach({ isMask }: Selection): Allocation {
  const count = [0, 0];
  const assigned = Int32Array.from(isMask, (mask) => count[mask ? 1 : 0]++);
  return { assigned, registers: count[0], masks: count[1] };
}

function operandWords({ opcode, operands }: MachineInstruction, assigned: Int32Array, pool: ConstantPool): number[] {
  const { signature } = OPCODES[OPCODE_OF.get(opcode)!];
  return operands.map((operand, k) => {
    const plain = signature[k] === 'f' || signature[k] === 'm';
    if (plain && operand.kind === 'register') return assigned[operand.register];
    return operandWord(operand, assigned, pool);
  });
}

function operandWord(operand: MachineOperand, assigned: Int32Array, pool: ConstantPool): number {
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

/** Distinct constants in order of first use; 0 and -0 are distinct. */
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

  values(): Float64Array {
    return Float64Array.from(this.list);
  }
}
