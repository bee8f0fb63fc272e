/** The rules of a run with several objectives. */
import { expect, it } from 'vitest';
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import type { RunOutcome, RunTask } from '../model/run-task.js';
import { strategies } from '../strategies/lists.js';
import type { RunPorts } from './ports.js';
import { repeatOptimization, runOptimization } from './run-optimization.js';
import type { RunSnapshot } from './snapshot.js';

const FLAGGED = 1;
type Objectives = (x: Float64Array) => readonly number[] | typeof FLAGGED | null;

/** Null: the evaluation fails. */
const kernelOf = (objectives: Objectives): Kernel => ({
  backend: 'fake',
  device: 'fake',
  evaluate: (batch: CandidateBatch, output: EvaluationOutput) => {
    output.failures.length = 0;
    for (let row = 0; row < batch.count; row++) {
      const own = objectives(candidateOf(batch, row));
      output.status[row] = own === null ? EVALUATION_FAILED : own === FLAGGED ? FLAGGED : 0;
      const values = own === null || own === FLAGGED ? [NaN, NaN] : own;
      output.values.set(values, row * 2);
      if (own === null) output.failures.push({ index: row, type: 'ValueError', message: 'no', line: 3 });
    }
    return Promise.resolve();
  },
  close: () => Promise.resolve(),
});

const schaffer = (x: Float64Array): number[] => [x[0] ** 2 + x[1] ** 2, (x[0] - 2) ** 2 + x[1] ** 2];

const task = (more: Partial<RunTask> = {}): RunTask => ({
  bounds: [
    [-5, 5],
    [-5, 5],
  ],
  maxEvaluations: 400,
  seed: 1,
  direction: 'minimize',
  mode: 'balanced',
  objectives: 2,
  ...more,
});

const ports = (objectives: Objectives, more: Partial<RunPorts> = {}): RunPorts => ({
  strategies,
  primary: kernelOf(objectives),
  fallback: null,
  now: () => 0,
  isCancelled: () => false,
  backendReason: 'chosen by the test',
  ...more,
});

const run = (objectives: Objectives, more: Partial<RunTask> = {}, with_: Partial<RunPorts> = {}): Promise<RunOutcome> =>
  runOptimization(task(more), ports(objectives, with_));

it('has a front, with the knee as its solution and the hypervolume as its course', async () => {
  const { front, bestSolution, bestFitness, history, evaluations, terminationReason } = await run(schaffer);
  expect([evaluations, terminationReason, bestFitness]).toEqual([400, 'budget', null]);
  expect(bestSolution).toEqual(front!.points[front!.knee].solution);
  expect(history.length).toBeGreaterThan(5);
  history.forEach(({ bestFitness: volume }, i) => {
    if (i > 0) expect(volume).toBeGreaterThan(history[i - 1].bestFitness);
  });
  expect(front!.hypervolume).toBe(history.at(-1)!.bestFitness);
});

it('goes on from every snapshot with the same bits', async () => {
  const snapshots: RunSnapshot[] = [];
  const failing: Objectives = (x) => (x[0] > 3 ? null : schaffer(x));
  const keep = { checkpoint: (s: RunSnapshot) => void snapshots.push(s), checkpointIntervalMs: 0 };
  const whole = await run(failing, {}, keep);
  expect(snapshots.length).toBeGreaterThan(20);
  for (const snapshot of snapshots.filter((_, i) => i % 7 === 0)) {
    const resumed = await runOptimization(task(), ports(failing), JSON.parse(JSON.stringify(snapshot)));
    expect(resumed).toEqual(whole);
  }
});

it('is made again by the same budgets', async () => {
  let end: RunSnapshot | undefined;
  for (const maxEvaluations of [70, 200]) {
    const keep = { checkpoint: (s: RunSnapshot) => void (end = JSON.parse(JSON.stringify(s)) as RunSnapshot) };
    await runOptimization(task({ maxEvaluations }), ports(schaffer, keep), end);
  }
  const { snapshot } = await repeatOptimization(task(), [70, 200], ports(schaffer));
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(end);
});

it('counts candidates that fail or have no number, and leaves those with an infinite value out of the front', async () => {
  const outcome = await run((x) => {
    if (x[0] < 0) return null;
    if (x[0] < 1) return [1, NaN];
    return x[1] < 0 ? [-Infinity, 0] : schaffer(x);
  });
  expect(outcome.failedEvaluations).toBeGreaterThan(20);
  const [first] = outcome.failures;
  expect(first).toMatchObject({ type: 'ValueError', message: 'no', line: 3 });
  const nan = await run((x) => (x[0] < 1 ? [1, NaN] : schaffer(x)));
  expect(nan.failures[0]).toMatchObject({ type: 'NaNResult' });
  for (const { solution } of outcome.front!.points) expect(solution[0] >= 1 && solution[1] >= 0).toBe(true);
});

it('evaluates candidates that compiled code flags by the fallback', async () => {
  const flagged: Objectives = (x) => (x[0] > 1 ? FLAGGED : schaffer(x));
  const outcome = await run(flagged, {}, { fallback: kernelOf(schaffer) });
  const { backend: _other, ...rest } = outcome;
  const { backend, ...plain } = await run(schaffer);
  expect(backend.name).toBe('fake');
  expect(rest).toEqual(plain);
  expect(outcome.backend.use!.reevaluated).toBeGreaterThan(20);
});

it('ends when all of the first evaluations fail, and when the hypervolume does not grow', async () => {
  const failed = await run(() => null);
  expect([failed.terminationReason, failed.evaluations >= 50, failed.front]).toEqual(['error', true, undefined]);
  const stagnated = await run((x) => [Math.trunc(x[0]) ** 2, Math.trunc(x[0] - 2) ** 2], {
    maxEvaluations: 5000,
    stagnationEvaluations: 500,
  });
  expect(stagnated.terminationReason).toBe('stagnated');
  expect(stagnated.evaluations).toBeLessThan(5000);
});

it('maximises by the mirrored search', async () => {
  const low = await run(schaffer, { referencePoint: [30, 30] });
  const high = await run((x) => schaffer(x).map((v) => -v), { direction: 'maximize', referencePoint: [-30, -30] });
  expect(high.bestSolution).toEqual(low.bestSolution);
  expect(high.front!.hypervolume).toBe(low.front!.hypervolume);
  expect(high.front!.reference).toEqual([-30, -30]);
  expect(high.front!.points[0].values.map((v) => -v)).toEqual(low.front!.points[0].values.map((v) => v));
});

it('refuses a strategy for one objective, and one for several where there is one', async () => {
  await expect(run(schaffer, { strategy: 'cma-es' })).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(run(schaffer, { strategy: 'sms-emoa', objectives: 1 })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
