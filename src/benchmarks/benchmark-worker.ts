/** The function that an experiment calls in its worker threads. */
import { ExtremumError } from '../common/errors.js';
import { strategies } from '../planner/registry.js';
import { carryOutRun, type RunConditions, type RunKey, type RunRecord } from './benchmark-run.js';

export interface BenchmarkJob {
  readonly key: RunKey;
  readonly conditions: RunConditions;
}

/** Failures are data, because an error loses its class on the way between threads. */
export type BenchmarkResult =
  | { readonly kind: 'done'; readonly record: RunRecord }
  | { readonly kind: 'failed'; readonly message: string; readonly stack?: string };

export default async function carryOut({ key, conditions }: BenchmarkJob): Promise<BenchmarkResult> {
  try {
    return { kind: 'done', record: await carryOutRun(key, conditions, strategies) };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { kind: 'failed', message, ...(error instanceof ExtremumError || stack === undefined ? {} : { stack }) };
  }
}
