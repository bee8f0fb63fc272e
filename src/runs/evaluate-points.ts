/** Evaluates points of a request in a worker thread, and has CPython confirm them. */
import { BatchEvaluator } from '../evaluation/batch-evaluator.js';
import { withKernels } from '../evaluation/kernels.js';
import { takeMeasures } from '../evaluation/measures.js';
import { resultsIn } from '../model/objective.js';
import { unverified, type Verified } from '../model/verification.js';
import type { Checks } from '../verification/checks.js';
import { failureOf, type EvaluationJob, type EvaluationResult } from './worker-protocol.js';

/** Points of one request that are all confirmed. */
const CONFIRMED_POINTS = 64;
/** Seed of the sample that is drawn of more points; the same request checks the same ones. */
const EVALUATED_SEED = 0;

export async function evaluate(job: EvaluationJob): Promise<EvaluationResult> {
  const { candidates, count, dimension } = job;
  try {
    const request = { ...job, threads: 1, seed: EVALUATED_SEED };
    return await withKernels(request, async ({ primary, fallback, backendReason, notCompiled, checker, unchecked }) => {
      const objectives = resultsIn(job.source);
      const evaluator = new BatchEvaluator(primary, fallback, undefined, objectives);
      const evaluated = await evaluator.evaluate({ candidates, count, dimension }, new AbortController().signal);
      const values = evaluated.slice(0, count * objectives);
      const verified = checker === null ? unverified(unchecked) : await confirm(job, checker, evaluator, values);
      const misreading = checker?.misreading ?? null;
      if (misreading !== null) return { kind: 'misread' as const, misreading, measures: takeMeasures(evaluator.use()) };
      const errors = Array.from({ length: count }, (_, i) => evaluator.failure(i));
      errors.forEach((error, i) => {
        if (error !== null) values.fill(NaN, i * objectives, (i + 1) * objectives);
      });
      const backend = { name: primary.backend, device: primary.device, reason: backendReason };
      const use = takeMeasures(evaluator.use());
      const result = { kind: 'evaluated' as const, objectives, values, errors, backend, notCompiled, verified };
      return { ...result, measures: use, checkDefect: checker?.defect ?? undefined };
    });
  } catch (error) {
    return { ...failureOf(error), measures: takeMeasures() };
  }
}

/** All of few points; of many a sample, as of a run. */
async function confirm(
  { candidates, count, dimension }: EvaluationJob,
  checker: Checks,
  evaluator: BatchEvaluator,
  values: Float64Array,
): Promise<Verified> {
  const width = values.length / count;
  const rows = Array.from({ length: count }, (_, row) => row).filter((row) => evaluator.isOfPrimaryAlone(row));
  const points = rows.map((row) => ({
    order: row + 1,
    x: candidates.subarray(row * dimension, (row + 1) * dimension),
    values: Array.from(values.subarray(row * width, (row + 1) * width)),
  }));
  if (points.length > CONFIRMED_POINTS) {
    await checker.note({ candidates, count, dimension }, 1, values, (row) => evaluator.isOfPrimaryAlone(row));
    points.length = 0;
  }
  const verified = await checker.finish({ points, bound: null, elapsedMs: 0, isCancelled: false });
  if (checker.misreading !== null) await checker.earliest();
  return verified;
}
