/**
 * Many benchmark runs on several threads. Which runs there are, their order and their results do not depend on the
 * number of threads, nor on interruptions: finished runs are kept in the folder and are not done again.
 */
import { Piscina } from 'piscina';
import { distEntry } from '../common/dist-entry.js';
import { ExtremumError } from '../common/errors.js';
import { errorFrom, type Reply } from '../common/thread-call.js';
import { workerExecArgv } from '../common/worker-threads.js';
import type { RunConditions, RunKey, BenchmarkRun } from './benchmark-run.js';
import type { BenchmarkJob } from './benchmark-worker.js';
import type { ExperimentFolder } from './experiment-folder.js';

export interface BenchmarkExperiment {
  readonly strategies: readonly string[];
  readonly functions: readonly number[];
  readonly dimensions: readonly number[];
  readonly instances: readonly number[];
  readonly repetitions: number;
  readonly conditions: RunConditions;
}

interface ExperimentPorts {
  readonly folder: ExperimentFolder;
  readonly workers: number;
  /** Ends the threads at once; finished runs stay in the folder. */
  readonly signal?: AbortSignal;
  /** `done` includes the runs that the folder had. */
  onProgress?(done: number, total: number): void;
}

/** Every run of the experiment, in the order of all tables and files. */
export function runsOf(experiment: BenchmarkExperiment): RunKey[] {
  const keys: RunKey[] = [];
  for (const dimension of experiment.dimensions) {
    for (const functionId of experiment.functions) {
      for (let repetition = 0; repetition < experiment.repetitions; repetition++) {
        for (const instance of experiment.instances) {
          for (const strategy of experiment.strategies) {
            keys.push({ strategy, functionId, dimension, instance, repetition });
          }
        }
      }
    }
  }
  return keys;
}

export const runId = ({ strategy, functionId, dimension, instance, repetition }: RunKey): string =>
  `${strategy} ${dimension} ${functionId} ${instance} ${repetition}`;

/**
 * Carries out what the folder does not have yet. The records of all runs, in the order of `runsOf`.
 * @throws {ExtremumError} `cancelled` when the signal ended it; `internal_error` naming the run that failed.
 */
export async function carryOutExperiment(
  experiment: BenchmarkExperiment,
  ports: ExperimentPorts,
): Promise<BenchmarkRun[]> {
  const { folder, signal } = ports;
  const keys = runsOf(experiment);
  const missing = keys.filter((key) => folder.find(runId(key)) === undefined);
  let done = keys.length - missing.length;
  ports.onProgress?.(done, keys.length);
  if (missing.length > 0) {
    const threads = Math.min(ports.workers, missing.length);
    const pool = new Piscina({
      filename: distEntry('benchmarks/benchmark-worker'),
      execArgv: workerExecArgv(),
      minThreads: threads,
      maxThreads: threads,
    });
    let ended: Promise<void> | null = null;
    const end = (): Promise<void> => (ended ??= pool.destroy());
    const stop = (): void => void end();
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', stop, { once: true });
      // One at a time for each thread: a failure must not leave thousands of runs in the queue.
      const work = missing.values();
      await Promise.all(
        Array.from({ length: threads }, async () => {
          for (const key of work) {
            const job: BenchmarkJob = { key, conditions: experiment.conditions };
            const reply = (await pool.run(job)) as Reply<BenchmarkRun>;
            if ('error' in reply) throw failureOf(key, errorFrom(reply.error));
            folder.add(runId(key), reply.value);
            ports.onProgress?.(++done, keys.length);
          }
        }),
      );
    } catch (error) {
      if (signal?.aborted === true) {
        throw new ExtremumError(
          'cancelled',
          `Interrupted after ${done} of ${keys.length} runs; they are kept, and the same command goes on from here.`,
          { cause: error },
        );
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      await end();
    }
  }
  return keys.map((key) => folder.find(runId(key))!);
}

function failureOf(key: RunKey, cause: Error): ExtremumError {
  const { strategy, functionId, dimension, instance, repetition } = key;
  const place = `${strategy} on f${functionId}, ${dimension}-D, instance ${instance}, repetition ${repetition}`;
  return new ExtremumError('internal_error', `${place}: ${cause.message}`, { cause });
}
