import type { Executed as AnyExecuted, MachineInstruction } from './machine-code.mjs';

type Executed = Omit<AnyExecuted, 'double_fused' | 'is_lower_bound'>;
type ByDimension = Readonly<Record<number, Executed>>;

export const DIMENSIONS: readonly number[];
export function countable(text: string): string;
export function executedByKernels(
  text: string,
  instructions: readonly MachineInstruction[],
): {
  readonly move: ByDimension;
  readonly count_odd: ByDimension;
  readonly combine: ByDimension;
  readonly accept: { readonly better: ByDimension; readonly not: ByDimension };
};
