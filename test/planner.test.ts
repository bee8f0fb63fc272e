/** Runs of the planner through the engine: what is reported about its choices, and what the modes change. */
import { describe, expect, it } from 'vitest';
import type { EvaluationOutput } from '../src/backends/backend.js';
import { ObjectiveKernel } from '../src/benchmarks/objective-kernel.js';
import { SUITES } from '../src/benchmarks/suites.js';
import { inRows, type CandidateBatch } from '../src/model/candidate-batch.js';
import type { RunSnapshot } from '../src/engine/snapshot.js';
import { runOptimization } from '../src/engine/run-optimization.js';
import type { RunOutcome, RunTask, StrategyChange } from '../src/model/run-task.js';
import { strategies } from '../src/planner/all-strategies.js';
import { Rng } from '../src/common/rng.js';
import { watch as watchPlain } from './support/watched-run.js';

class WatchedKernel extends ObjectiveKernel {
  /** Evaluations of the centre of BBOB's box. */
  centres = 0;

  override evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    const { candidates, count, dimension } = inRows(batch);
    for (let at = 0; at < count * dimension; at += dimension) {
      if (candidates.subarray(at, at + dimension).every((value) => value === 0)) this.centres++;
    }
    return super.evaluate(batch, output);
  }
}

interface Watched {
  readonly centres: number;
  readonly outcome: RunOutcome;
  readonly changes: StrategyChange[];
  readonly snapshots: RunSnapshot[];
}

async function watch(
  functionId: number,
  more: Partial<RunTask> = {},
  resumeFrom?: RunSnapshot,
  starts?: Float64Array,
): Promise<Watched> {
  const problem = SUITES.bbob.create(functionId, 4, 1);
  const { lower, upper } = problem.bounds;
  const changes: StrategyChange[] = [];
  const snapshots: RunSnapshot[] = [];
  const primary = new WatchedKernel(problem, { level: 0, seed: 1 });
  const outcome = await runOptimization(
    {
      bounds: Array.from(lower, (low, i) => [low, upper[i]] as const),
      maxEvaluations: 800,
      seed: 3,
      direction: 'minimize',
      mode: 'balanced',
      strategy: 'planner',
      ...more,
    },
    {
      strategies,
      primary,
      fallback: null,
      now: () => 0,
      isCancelled: () => false,
      backendReason: 'test',
      onStrategyChanged: (change) => changes.push(change),
      checkpoint: (snapshot) => snapshots.push(JSON.parse(JSON.stringify(snapshot)) as RunSnapshot),
      checkpointIntervalMs: 0,
      ...(starts === undefined ? {} : { starts }),
    },
    resumeFrom,
  );
  return { outcome, changes, snapshots, centres: primary.centres };
}

/** Schwefel: many smooth basins, so that members take turns. */
const MANY_BASINS = 20;
/** Weierstrass: rough at every scale. */
const RUGGED = 16;
const ELLIPSOID = 10;
/** An ellipsoid whose values come in steps. */
const STEPS = 7;

describe('changes of strategy', () => {
  it('are reported as they happen, numbered, with reasons, as the record has them', async () => {
    const { outcome, changes } = await watch(MANY_BASINS);
    expect(changes.length).toBeGreaterThan(2);
    expect(changes.map(({ number }) => number)).toEqual(changes.map((_, k) => k + 1));
    const [probes, ...spans] = outcome.strategies;
    expect(probes.name).toBe('probes');
    expect(outcome.strategies.at(-1)!.toEvaluation).toBe(800);
    // The last one too, whose first step the budget may have ended.
    expect(spans.slice(1).map(({ name, fromEvaluation, reason }) => ({ name, fromEvaluation, reason }))).toEqual(
      changes.map(({ to, evaluations, reason }) => ({ name: to, fromEvaluation: evaluations, reason })),
    );
    for (const [k, { from }] of changes.entries()) expect(from).toBe(spans[k].name);
    outcome.strategies.slice(1).forEach((span, k) => {
      expect(span.fromEvaluation).toBe(outcome.strategies[k].toEvaluation);
      expect(span.reason.length).toBeGreaterThan(10);
    });
  });

  it('go on with the next number after a resumption', async () => {
    const whole = await watch(MANY_BASINS);
    const middle = whole.snapshots.find(({ evaluations }) => evaluations > 400)!;
    const resumed = await watch(MANY_BASINS, {}, middle);
    expect(resumed.outcome).toEqual({ ...whole.outcome, backend: resumed.outcome.backend });
    expect(resumed.changes).toEqual(whole.changes.slice(-resumed.changes.length));
    expect(resumed.changes.length).toBeLessThan(whole.changes.length);
  });
});

describe('what earlier runs of the same program found', () => {
  const near = (functionId: number, by: number): Float64Array =>
    SUITES.bbob.create(functionId, 4, 1).optimum.map((value) => value + by);
  const starts = Float64Array.of(...near(MANY_BASINS, 0.5), ...near(MANY_BASINS, 1e-3));

  it('is looked at after the centre of the box, and searched from where it is better', async () => {
    const { outcome } = await watch(MANY_BASINS, {}, undefined, starts);
    const { optimalValue } = SUITES.bbob.create(MANY_BASINS, 4, 1);
    expect(outcome.planning?.starts).toBe(2);
    expect(outcome.strategies[0]).toMatchObject({ name: 'probes', evidence: { count: 2 } });
    expect(outcome.history.find(({ bestFitness }) => bestFitness < optimalValue + 0.01)!.evaluations).toBe(3);
    expect(outcome.bestFitness! - optimalValue).toBeLessThan(1e-8);
  });

  it('leaves the second descent to the centre', async () => {
    const known = await watch(MANY_BASINS, {}, undefined, starts);
    expect(known.outcome.strategies.map(({ name }) => name)).toContain('distant-restarts');
    const unknown = await watch(MANY_BASINS);
    expect(known.centres).toBe(unknown.centres + 1);
  });

  it('does not matter where the request says where to begin', async () => {
    const initialSolution = [1, 1, 1, 1];
    const { outcome } = await watch(MANY_BASINS, { initialSolution }, undefined, starts);
    expect(outcome).toEqual((await watch(MANY_BASINS, { initialSolution })).outcome);
    expect(outcome.planning!.starts).toBeUndefined();
  });

  it('is remembered by a run that goes on after it was forgotten', async () => {
    const whole = await watch(MANY_BASINS, {}, undefined, starts);
    for (const evaluations of [1, 3, 20, 300]) {
      const snapshot = whole.snapshots.find((one) => one.evaluations >= evaluations)!;
      const resumed = await watch(MANY_BASINS, {}, snapshot);
      expect(resumed.outcome).toEqual({ ...whole.outcome, backend: resumed.outcome.backend });
    }
  });
});

describe('the planning record', () => {
  it('has the findings, and the votes of every agent for a bounded number of decisions', async () => {
    const { outcome } = await watch(RUGGED);
    const { landscape, decisions, decisionCount } = outcome.planning!;
    expect(landscape).toMatchObject({ isNoisy: false, isSeparable: false });
    expect(landscape['coarseRoughness']).toBeGreaterThan(0.12);
    expect(decisions.length).toBeLessThanOrEqual(16);
    expect(decisionCount).toBeGreaterThanOrEqual(decisions.length);
    expect(new Set(decisions.at(-1)!.votes.map(({ agent }) => agent))).toContain('specialist');
    expect(JSON.parse(JSON.stringify(outcome.planning))).toEqual(outcome.planning);
    expect(JSON.stringify(outcome.planning).length).toBeLessThan(100_000);
  });
});

describe('a short run', () => {
  it('descends from the centre instead of asking about the form', async () => {
    const { outcome } = await watch(ELLIPSOID, { maxEvaluations: 119 });
    expect(outcome.planning!.landscape).toMatchObject({ isNoisy: false, isSeparable: null, coarseRoughness: null });
    expect(outcome.strategies[1]).toMatchObject({ name: 'quasi-newton', fromEvaluation: 2 });
    const longer = await watch(ELLIPSOID, { maxEvaluations: 120 });
    expect(longer.outcome.planning!.landscape).toMatchObject({ isSeparable: false });
  });

  it('asks a Gaussian process where the descent meets steps, and goes on with the same bits', async () => {
    const whole = await watch(STEPS, { maxEvaluations: 60 });
    expect(whole.outcome.planning!.landscape).toMatchObject({ isFlat: true });
    expect(whole.outcome.strategies.map(({ name }) => name)).toEqual(['probes', 'quasi-newton', 'bayesian']);
    for (const evaluations of [1, 2, 5, 30]) {
      const snapshot = whole.snapshots.find((one) => one.evaluations >= evaluations)!;
      const resumed = await watch(STEPS, { maxEvaluations: 60 }, snapshot);
      expect(resumed.outcome).toEqual({ ...whole.outcome, backend: resumed.outcome.backend });
    }
  });
});

describe('modes', () => {
  it('fast ends where it converges, the others at the budget', async () => {
    const fast = await watch(ELLIPSOID, { mode: 'fast', maxEvaluations: 3000 });
    expect(fast.outcome.terminationReason).toBe('converged');
    expect(fast.outcome.evaluations).toBeLessThan(1000);
    expect(fast.outcome.bestFitness! - SUITES.bbob.create(ELLIPSOID, 4, 1).optimalValue).toBeLessThan(1e-6);
    for (const mode of ['balanced', 'accurate'] as const) {
      expect((await watch(ELLIPSOID, { mode })).outcome.terminationReason).toBe('budget');
    }
  });
});

describe('a noisy objective', () => {
  const noisyRun = (
    dimensions: number,
    maxEvaluations: number,
    coupling: number,
    resumeFrom?: RunSnapshot,
    limit = Infinity,
  ) => {
    let evaluations = resumeFrom?.evaluations ?? 0;
    const objective = (x: ArrayLike<number>): number => {
      const u = Array.from(x, (value, i) => value - 1 + 0.3 * i);
      const terms = u.map((value, i) => value * value + coupling * value * u[(i + 1) % u.length]);
      const beyond = Math.max(0, u.reduce((sum, value) => sum + value, 0) - limit);
      return terms.reduce((sum, term) => sum + term, 0) + 50 * beyond + 0.01 * Rng.create(++evaluations).normal();
    };
    const bounds = Array.from({ length: dimensions }, () => [-5, 5] as const);
    return watchPlain(objective, { bounds, maxEvaluations, explanationLevel: 0 }, resumeFrom);
  };

  it('is asked whether it is a sum from three variables on, in runs of 100 evaluations for each', async () => {
    const isSum = async (...of: Parameters<typeof noisyRun>) =>
      (await noisyRun(...of)).outcome.planning!.landscape['isSeparable'];
    expect(await isSum(2, 1000, 0)).toBeNull();
    expect(await isSum(3, 299, 0)).toBeNull();
    expect(await isSum(3, 300, 0)).toBe(true);
    expect(await isSum(4, 400, 0.9)).toBe(false);
  });

  it('with a common limit at the optimum alone passes for a sum until it is searched, with the same bits after a cut', async () => {
    const whole = await noisyRun(4, 400, 0, undefined, -14);
    expect(whole.outcome.strategies.map(({ name }) => name)).toEqual(['probes', 'coordinate-search', 'lq-cma-es']);
    expect(whole.outcome.strategies[1].reason).toMatch(/passed the test for a sum/);
    expect(whole.outcome.strategies[1].toEvaluation).toBeLessThan(100);
    expect(whole.outcome.planning!.landscape['isSeparable']).toBe(false);
    for (const evaluations of [40, 70]) {
      const snapshot = whole.snapshots.find((one) => one.evaluations >= evaluations)!;
      const resumed = await noisyRun(4, 400, 0, snapshot, -14);
      expect(resumed.outcome).toEqual({ ...whole.outcome, backend: resumed.outcome.backend });
    }
  });

  it('that is a sum is searched along single coordinates, with the same bits after a cut', async () => {
    const whole = await noisyRun(4, 400, 0);
    expect(whole.outcome.strategies[1]).toMatchObject({ name: 'coordinate-search' });
    for (const evaluations of [1, 4, 60, 300]) {
      const snapshot = whole.snapshots.find((one) => one.evaluations >= evaluations)!;
      const resumed = await noisyRun(4, 400, 0, snapshot);
      expect(resumed.outcome).toEqual({ ...whole.outcome, backend: resumed.outcome.backend });
    }
  });
});
