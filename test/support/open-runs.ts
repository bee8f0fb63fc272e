/** Runs of the engine on Python text that is compiled and may be read, without any service around them. */
import type { Kernel } from '../../src/backends/backend.js';
import { InterpreterBackend } from '../../src/backends/interpreter/interpreter-backend.js';
import { runOptimization } from '../../src/engine/run-optimization.js';
import type { RunSnapshot } from '../../src/engine/snapshot.js';
import { compileObjective } from '../../src/frontend/compile.js';
import type { IrFunction } from '../../src/ir/types.js';
import type { Bounds } from '../../src/model/bounds.js';
import type { RunOutcome, RunTask } from '../../src/model/run-task.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { strategies } from '../../src/planner/all-strategies.js';
import { openProgram } from '../../src/evaluation/derived-programs.js';

export function compilePython(
  code: string,
  dimension: number,
  bounds?: readonly (readonly [number, number])[],
): IrFunction {
  const argument = code.includes('numpy') ? ('ndarray' as const) : ('list' as const);
  const box = bounds === undefined ? {} : { bounds: boundsOf(bounds) };
  const { ir, reasons } = compileObjective({ code, entry: 'f', argument }, { dimension, pythonMinor: 11, ...box });
  if (ir === null) throw new Error(`not compiled: ${JSON.stringify(reasons)}`);
  return optimizeIr(ir);
}

export const boundsOf = (bounds: RunTask['bounds']): Bounds => ({
  lower: Float64Array.from(bounds, ([low]) => low),
  upper: Float64Array.from(bounds, ([, high]) => high),
});

export const openKernel = async (ir: IrFunction): Promise<Kernel> =>
  new InterpreterBackend().open({ source: { code: '', entry: 'f', argument: 'list' }, dimension: ir.dimension, ir });

export interface OpenRun {
  readonly code: string;
  readonly task: Omit<RunTask, 'mode' | 'direction' | 'seed'> & Partial<RunTask>;
  /** The program is only called. */
  readonly isBlackBox?: boolean;
  readonly resumeFrom?: RunSnapshot;
  /** Gets the snapshot after every generation. */
  readonly onSnapshot?: (snapshot: RunSnapshot) => void;
}

export async function openRun({ code, task, isBlackBox, resumeFrom, onSnapshot }: OpenRun): Promise<RunOutcome> {
  const ir = compilePython(code, task.bounds.length, task.bounds);
  const whole: RunTask = { seed: 1, mode: 'balanced', direction: 'minimize', ...task };
  const primary = await openKernel(ir);
  return runOptimization(
    whole,
    {
      strategies,
      primary,
      fallback: null,
      program: isBlackBox === true ? null : openProgram(ir, whole.direction, boundsOf(whole.bounds), openKernel),
      now: () => 0,
      isCancelled: () => false,
      backendReason: 'chosen by the test',
      ...(onSnapshot === undefined ? {} : { checkpoint: onSnapshot, checkpointIntervalMs: 0 }),
    },
    resumeFrom,
  );
}
