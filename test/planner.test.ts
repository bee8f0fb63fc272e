/** Runs of the planner through the engine: what is reported about its choices, and what the modes change. */
import { describe, expect, it } from 'vitest';
import { ObjectiveKernel } from '../src/benchmarks/objective-kernel.js';
import { SUITES } from '../src/benchmarks/suites.js';
import type { RunSnapshot } from '../src/engine/snapshot.js';
import { runOptimization } from '../src/engine/run-optimization.js';
import type { RunOutcome, RunTask, StrategyChange } from '../src/model/run-task.js';
import { strategies } from '../src/planner/registry.js';

interface Watched {
  readonly outcome: RunOutcome;
  readonly changes: StrategyChange[];
  readonly snapshots: RunSnapshot[];
}

async function watch(functionId: number, more: Partial<RunTask> = {}, resumeFrom?: RunSnapshot): Promise<Watched> {
  const problem = SUITES.bbob.create(functionId, 4, 1);
  const { lower, upper } = problem.bounds;
  const changes: StrategyChange[] = [];
  const snapshots: RunSnapshot[] = [];
  const outcome = await runOptimization(
    {
      bounds: Array.from(lower, (low, i) => [low, upper[i]!] as const),
      maxEvaluations: 800,
      seed: 3,
      direction: 'minimize',
      mode: 'balanced',
      strategy: 'planner',
      ...more,
    },
    {
      strategies,
      primary: new ObjectiveKernel(problem, { level: 0, seed: 1 }),
      fallback: null,
      now: () => 0,
      isCancelled: () => false,
      backendReason: 'test',
      onStrategyChanged: (change) => changes.push(change),
      checkpoint: (snapshot) => snapshots.push(JSON.parse(JSON.stringify(snapshot)) as RunSnapshot),
      checkpointIntervalMs: 0,
    },
    resumeFrom,
  );
  return { outcome, changes, snapshots };
}

/** Schwefel: many smooth basins, so that members take turns. */
const MANY_BASINS = 20;
/** Weierstrass: rough at every scale. */
const RUGGED = 16;
const ELLIPSOID = 10;

describe('changes of strategy', () => {
  it('are reported as they happen, numbered, with reasons, as the record has them', async () => {
    const { outcome, changes } = await watch(MANY_BASINS);
    expect(changes.length).toBeGreaterThan(2);
    expect(changes.map(({ number }) => number)).toEqual(changes.map((_, k) => k + 1));
    const [probes, ...spans] = outcome.strategies;
    expect(probes!.name).toBe('probes');
    expect(outcome.strategies.at(-1)!.toEvaluation).toBe(800);
    // The step under way when the budget ended may have been the first of another member.
    const reported = spans.slice(1, changes.length + 1);
    expect(spans.length - 1 - changes.length).toBeLessThanOrEqual(1);
    expect(reported.map(({ name, fromEvaluation, reason }) => ({ name, fromEvaluation, reason }))).toEqual(
      changes.map(({ to, evaluations, reason }) => ({ name: to, fromEvaluation: evaluations, reason })),
    );
    for (const [k, { from }] of changes.entries()) expect(from).toBe(spans[k]!.name);
    outcome.strategies.slice(1).forEach((span, k) => {
      expect(span.fromEvaluation).toBe(outcome.strategies[k]!.toEvaluation);
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
