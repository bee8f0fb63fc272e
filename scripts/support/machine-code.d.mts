export interface MachineInstruction {
  readonly op: string;
  readonly operands: string;
  readonly lines: readonly number[];
  readonly place: string;
  readonly isInLoop: boolean;
}
export interface Executed {
  readonly double: number;
  readonly single: number;
  readonly special: number;
  readonly memory: number;
  readonly integer: number;
  readonly double_fused: number;
  readonly is_lower_bound: boolean;
}
export function instructionsOf(disassembly: string): MachineInstruction[];
export function contractions(text: string, instructions: readonly MachineInstruction[]): string[];
export function countsOf(instructions: readonly MachineInstruction[]): Record<string, number>;
export function executedOf(text: string, instructions: readonly MachineInstruction[]): Executed;
