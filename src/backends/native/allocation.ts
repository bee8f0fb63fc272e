/**
 * Register allocation by linear scan over whole live intervals. A register is a block of lanes, 8 bytes each, so few
 * registers mean a small working set: the register freed last, still in the cache, is taken first, and a result may
 * take the place of an operand that ends with it (kernels read a lane before they write it).
 */
import type { Opcode } from './opcodes.js';
import type { MachineInstruction, Selection, VirtualRegister } from './selection.js';

export interface Allocation {
  /** By virtual register; f64 and mask registers are numbered apart. -1: never used. */
  readonly assigned: Int32Array;
  readonly registers: number;
  readonly masks: number;
}

export function allocateRegisters({ instructions, isMask }: Selection): Allocation {
  const { start, end } = liveIntervals(instructions, isMask.length);
  const starting = byPosition(start, instructions.length);
  const ending = byPosition(end, instructions.length);
  const assigned = new Int32Array(isMask.length).fill(-1);
  const free: [number[], number[]] = [[], []];
  const count: [number, number] = [0, 0];
  const release = (register: VirtualRegister) => free[isMask[register] ? 1 : 0].push(assigned[register]);
  for (let at = 0; at < instructions.length; at++) {
    for (const register of ending[at] ?? []) if (start[register] < at) release(register);
    for (const register of starting[at] ?? []) {
      const bank = isMask[register] ? 1 : 0;
      assigned[register] = free[bank].pop() ?? count[bank]++;
    }
    for (const register of ending[at] ?? []) if (start[register] === at) release(register);
  }
  return { assigned, registers: count[0], masks: count[1] };
}

/**
 * First and last position where a register is named. One that comes from outside a loop and is used inside stays until
 * the loop's end: the next round needs it again.
 */
function liveIntervals(instructions: readonly MachineInstruction[], registers: number) {
  const start = new Int32Array(registers).fill(-1);
  const end = new Int32Array(registers).fill(-1);
  const loopEnd = loopEnds(instructions);
  /** Starts of the loops around the current position, outermost first. */
  const loops: number[] = [];
  instructions.forEach(({ opcode, operands }, at) => {
    if (isLoopStart(opcode)) loops.push(at);
    for (const operand of operands) {
      if (operand.kind !== 'register') continue;
      const { register } = operand;
      if (start[register] === -1) start[register] = at;
      const around = loops.find((loop) => loop > start[register]);
      end[register] = Math.max(end[register], around === undefined ? at : loopEnd.get(around)!);
    }
    if (isLoopEnd(opcode)) loops.pop();
  });
  return { start, end };
}

const isLoopStart = (opcode: Opcode) => opcode === 'loop' || opcode === 'for';
const isLoopEnd = (opcode: Opcode) => opcode === 'endloop' || opcode === 'endfor';

/** Position of each start of a loop -> position of its end. */
function loopEnds(instructions: readonly MachineInstruction[]): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  instructions.forEach(({ opcode }, at) => {
    if (isLoopStart(opcode)) open.push(at);
    else if (isLoopEnd(opcode)) ends.set(open.pop()!, at);
  });
  return ends;
}

function byPosition(positions: Int32Array, length: number): (VirtualRegister[] | undefined)[] {
  const lists = new Array<VirtualRegister[] | undefined>(length);
  positions.forEach((at, register) => {
    if (at >= 0) (lists[at] ??= []).push(register);
  });
  return lists;
}
