/** `minimize` and `maximize`: one run of the engine for a caller in the same process. */
import { availableParallelism } from 'node:os';
import type { Kernel } from '../backends/backend.js';
import { CALLED_AS_IT_IS } from '../evaluation/placement-words.js';
import { runOptimization } from '../engine/run-optimization.js';
import { strategies } from '../planner/all-strategies.js';
import { checkArguments, type CheckedArguments, type CheckedObjective } from './arguments.js';
import { callBatch, callEach } from './calls.js';
import { FunctionKernel } from './function-kernel.js';
import { ModuleKernel } from './module-kernel.js';
import { endOfOutcome, publicProgress, resultOf } from './result.js';
import type {
  BatchObjectiveFunction,
  ModuleObjective,
  ObjectiveFunction,
  Options,
  PythonObjective,
  Result,
} from './types.js';

/**
 * Searches for the point within the bounds where the objective is least, by the engine of the service. The same seed
 * gives the same bits, with any concurrency, as far as the objective itself does.
 *
 * A function is called in this thread, and the search runs here too: it lets the event loop turn several times a second
 * between calls. A module is evaluated in worker threads, Python in threads and processes of their own. Nothing of all
 * that outlives the call.
 *
 * Rejects with TypeError and RangeError for bad arguments; with {ExtremumError} `objective_rejected` where the
 * objective cannot be used, or gave no finite value at all (`cause`: what a function threw first);
 * `backend_unavailable` where Python source needs an interpreter that is not there; with the signal's reason where
 * nothing was found before.
 */
export function minimize(
  objective: BatchObjectiveFunction | ModuleObjective,
  options: Options & { readonly batch: true },
): Promise<Result>;
export function minimize(
  objective: ObjectiveFunction | ModuleObjective | PythonObjective,
  options: Options & { readonly batch?: false },
): Promise<Result>;
export async function minimize(objective: unknown, options: unknown): Promise<Result> {
  return search(checkArguments(objective, options, 'minimize'));
}

/** As `minimize`, for the point where the objective is greatest; values are the objective's own. */
export function maximize(
  objective: BatchObjectiveFunction | ModuleObjective,
  options: Options & { readonly batch: true },
): Promise<Result>;
export function maximize(
  objective: ObjectiveFunction | ModuleObjective | PythonObjective,
  options: Options & { readonly batch?: false },
): Promise<Result>;
export async function maximize(objective: unknown, options: unknown): Promise<Result> {
  return search(checkArguments(objective, options, 'maximize'));
}

type Called = Exclude<CheckedObjective, { readonly kind: 'python' }>;

async function search(given: CheckedArguments): Promise<Result> {
  const { objective, signal } = given;
  signal?.throwIfAborted();
  if (objective.kind !== 'python') return searchCalled(objective, given);
  // Who has no Python need not load what carries it out.
  const { searchPython } = await import('./python-search.js');
  return searchPython(objective, given);
}

async function searchCalled(objective: Called, given: CheckedArguments): Promise<Result> {
  const { task, signal, onProgress, concurrency } = given;
  const kernel = kernelOf(objective, concurrency);
  try {
    const outcome = await runOptimization(task, {
      strategies,
      primary: kernel,
      fallback: null,
      now: () => performance.now(),
      isCancelled: () => signal?.aborted === true,
      onProgress: onProgress === undefined ? undefined : (progress) => onProgress(publicProgress(progress)),
      backendReason: CALLED_AS_IT_IS,
    });
    return resultOf(endOfOutcome(outcome), given, kernel instanceof FunctionKernel ? kernel.firstError : undefined);
  } finally {
    await kernel.close();
  }
}

function kernelOf(objective: Called, concurrency: number | null): Kernel {
  switch (objective.kind) {
    case 'function':
      return new FunctionKernel((rows, sink) => callEach(objective.call, rows, sink, concurrency ?? 1));
    case 'batch':
      return new FunctionKernel((rows, sink) => callBatch(objective.call, rows, sink));
    case 'module':
      return new ModuleKernel(objective, concurrency ?? availableParallelism());
  }
}
