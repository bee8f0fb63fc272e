/**
 * Python source for the library: compiled and searched in a worker thread, its CPython in processes, all for one call.
 */
import { availableParallelism } from 'node:os';
import { ExtremumError } from '../common/errors.js';
import { ConfigError, parsePythonConfig } from '../config.js';
import { LocalRuns, objectiveOf } from '../local-runs.js';
import type { CheckedArguments, CheckedObjective } from './arguments.js';
import { endOfOutcome, endOfReport, publicProgress, resultOf } from './result.js';
import type { Result } from './types.js';

type Python = Extract<CheckedObjective, { readonly kind: 'python' }>;

/** @throws as `minimize` does. */
export async function searchPython(objective: Python, given: CheckedArguments): Promise<Result> {
  const { task, signal, onProgress, concurrency } = given;
  const local = await LocalRuns.open(configOf(objective), 1);
  try {
    const source = objectiveOf(await analyze(local, objective), objective.function);
    signal?.throwIfAborted();
    const run = local.start({
      task,
      source,
      threads: concurrency ?? availableParallelism(),
      onReport: onProgress === undefined ? undefined : ({ progress }) => onProgress(publicProgress(progress)),
    });
    const stop = (): void => run.stop('cancel');
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const result = await run.result;
      return resultOf(result.kind === 'ended' ? endOfOutcome(result.outcome) : endOfReport(result.report), given);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  } finally {
    await local.close();
  }
}

async function analyze(local: LocalRuns, { python, function: name }: Python): ReturnType<LocalRuns['analyze']> {
  const analysis = await local.analyze(python, name ?? 'f');
  const [first] = analysis.errors;
  if (first === undefined) return analysis;
  const { message, line, column } = first;
  throw new ExtremumError('objective_rejected', `line ${line}, column ${column}: ${message}`, {
    facts: { line, column },
  });
}

/** The environment says what CPython may use, as it does for the service. */
function configOf({ interpreter }: Python): ReturnType<typeof parsePythonConfig> {
  try {
    return parsePythonConfig(process.env, interpreter);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new RangeError(error.message, { cause: error });
  }
}
