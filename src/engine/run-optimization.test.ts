import { describe, expect, it, vi } from 'vitest';
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { LaneStatus } from '../ir/types.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import { MAX_HISTORY_POINTS, type RunOutcome, type RunProgress, type RunTask } from '../model/run-task.js';
import type { RunPorts } from './ports.js';
import { repeatOptimization, runOptimization } from './run-optimization.js';
import type { RunSnapshot } from './snapshot.js';
import { strategies } from '../strategies/lists.js';
import { suits } from '../strategies/suitability.js';

type Objective = (x: Float64Array) => number;

/** A kernel around a plain function. A thrown number is a lane status; a thrown Error is a Python-like failure. */
class FakeKernel implements Kernel {
  readonly device = 'test';
  readonly asked: number[][] = [];
  batches = 0;

  constructor(
    readonly backend: string,
    private readonly objective: Objective,
    private readonly before: () => void | Promise<void> = () => {},
  ) {}

  async evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    this.batches++;
    await this.before();
    output.failures.length = 0;
    for (let k = 0; k < batch.count; k++) {
      const x = candidateOf(batch, k).slice();
      this.asked.push([...x]);
      output.status[k] = 0;
      try {
        output.values[k] = this.objective(x);
      } catch (thrown) {
        output.values[k] = NaN;
        if (typeof thrown === 'number') {
          output.status[k] = thrown;
          continue;
        }
        output.status[k] = EVALUATION_FAILED;
        output.failures.push({ index: k, type: 'ValueError', message: (thrown as Error).message, line: 3 });
      }
    }
  }

  async close(): Promise<void> {}
}

const sphere: Objective = (x) => x.reduce((sum, v) => sum + (v - 1) ** 2, 0);
const rastrigin: Objective = (x) => x.reduce((sum, v) => sum + v * v - 10 * Math.cos(2 * Math.PI * v) + 10, 0);

function task(more: Partial<RunTask> = {}): RunTask {
  return {
    bounds: [
      [-5, 5],
      [-5, 5],
      [-5, 5],
    ],
    maxEvaluations: 500,
    seed: 1,
    direction: 'minimize',
    mode: 'balanced',
    ...more,
  };
}

function ports(primary: Kernel, more: Partial<RunPorts> = {}): RunPorts {
  return {
    strategies,
    primary,
    fallback: null,
    now: () => 0,
    isCancelled: () => false,
    backendReason: 'chosen by the test',
    ...more,
  };
}

function run(objective: Objective, more: Partial<RunTask> = {}, with_: Partial<RunPorts> = {}): Promise<RunOutcome> {
  return runOptimization(task(more), ports(new FakeKernel('fake', objective), with_));
}

/** A clock that the objective moves forward. */
function manualClock(): { now: () => number; advance: (ms: number) => void } {
  let time = 0;
  return { now: () => time, advance: (ms) => void (time += ms) };
}

describe('budget', () => {
  it.each([1, 2, 6, 7, 8, 100, 501])('evaluates exactly %i candidates and not one more', async (maxEvaluations) => {
    const kernel = new FakeKernel('fake', sphere);
    const outcome = await runOptimization(task({ maxEvaluations }), ports(kernel));
    expect(outcome.terminationReason).toBe('budget');
    expect(outcome.evaluations).toBe(maxEvaluations);
    expect(kernel.asked).toHaveLength(maxEvaluations);
    expect(outcome.bestFitness).toBe(Math.min(...kernel.asked.map((x) => sphere(Float64Array.from(x)))));
    expect(sphere(Float64Array.from(outcome.bestSolution!))).toBe(outcome.bestFitness);
  });

  it('gives the same outcome for the same seed and another for another', async () => {
    const first = await run(sphere, { seed: 5 });
    expect(await run(sphere, { seed: 5 })).toEqual(first);
    expect((await run(sphere, { seed: 6 })).bestSolution).not.toEqual(first.bestSolution);
  });
});

describe('direction', () => {
  it('maximises by the mirrored search and reports the own value', async () => {
    const low = await run(sphere);
    const high = await run((x) => -sphere(x), { direction: 'maximize' });
    expect(high.bestSolution).toEqual(low.bestSolution);
    expect(high.bestFitness).toBe(-low.bestFitness!);
    expect(high.history.map((point) => -point.bestFitness)).toEqual(low.history.map((point) => point.bestFitness));
  });
});

describe('initial solution', () => {
  it('is evaluated first', async () => {
    const kernel = new FakeKernel('fake', sphere);
    await runOptimization(task({ initialSolution: [0.5, -4, 2] }), ports(kernel));
    expect(kernel.asked[0]).toEqual([0.5, -4, 2]);
  });
});

describe('ends', () => {
  it('ends by target in the own direction, minimising and maximising', async () => {
    const low = await run(sphere, { targetFitness: 0.01, maxEvaluations: 5000 });
    expect(low.terminationReason).toBe('target');
    expect(low.bestFitness).toBeLessThanOrEqual(0.01);
    expect(low.evaluations).toBeLessThan(1000);
    const high = await run((x) => 7 - sphere(x), { direction: 'maximize', targetFitness: 6.99, maxEvaluations: 5000 });
    expect(high.terminationReason).toBe('target');
    expect(high.bestFitness).toBeGreaterThanOrEqual(6.99);
  });

  it('ends by timeout with the best so far', async () => {
    const clock = manualClock();
    const objective: Objective = (x) => {
      clock.advance(10);
      return sphere(x);
    };
    const outcome = await run(objective, { timeoutSeconds: 2 }, { now: clock.now });
    expect(outcome.terminationReason).toBe('timeout');
    expect(outcome.evaluations).toBeGreaterThanOrEqual(200);
    expect(outcome.evaluations).toBeLessThan(210);
    expect(outcome.durationSeconds).toBeGreaterThanOrEqual(2);
    expect(outcome.bestFitness).not.toBeNull();
    expect(outcome.backend.evaluationsPerSecond).toBeCloseTo(100, 6);
  });

  it('interrupts a pending evaluation on timeout or cancellation and does not count it', async () => {
    for (const reason of ['timeout', 'cancelled'] as const) {
      const clock = manualClock();
      let pending = false;
      const kernel = new FakeKernel('slow', sphere);
      const evaluate = kernel.evaluate.bind(kernel);
      const interruptible: Kernel = {
        backend: 'slow',
        device: 'test',
        close: () => kernel.close(),
        evaluate: async (batch, output, signal?: AbortSignal) => {
          if (kernel.batches < 3) return evaluate(batch, output);
          pending = true;
          clock.advance(60_000);
          return new Promise((_, reject) => {
            signal!.addEventListener('abort', () => reject(new ExtremumError('cancelled', 'aborted')));
          });
        },
      };
      const snapshots: RunSnapshot[] = [];
      const outcome = await runOptimization(
        task(reason === 'timeout' ? { timeoutSeconds: 30 } : {}),
        ports(interruptible, {
          now: clock.now,
          isCancelled: () => reason === 'cancelled' && pending,
          checkpoint: (snapshot) => snapshots.push(snapshot),
        }),
      );
      expect(outcome.terminationReason).toBe(reason);
      expect(outcome.evaluations).toBe(3 * 7);
      expect(outcome.bestFitness).not.toBeNull();
      // Nothing is lost: going on from the last checkpoint equals the undisturbed run.
      const resumed = await runOptimization(task(), ports(new FakeKernel('fake', sphere)), snapshots.at(-1));
      expect(resumed.bestSolution).toEqual((await run(sphere)).bestSolution);
    }
  });

  it('ends by cancellation between two generations', async () => {
    const kernel = new FakeKernel('fake', sphere);
    const outcome = await runOptimization(task(), ports(kernel, { isCancelled: () => kernel.batches >= 4 }));
    expect(outcome.terminationReason).toBe('cancelled');
    expect(kernel.batches).toBe(4);
    expect(outcome.bestFitness).not.toBeNull();
  });

  it('ends stagnated after so many evaluations without improvement', async () => {
    const outcome = await run((x) => Math.max(1, sphere(x)), { stagnationEvaluations: 120, maxEvaluations: 5000 });
    expect(outcome.terminationReason).toBe('stagnated');
    expect(outcome.bestFitness).toBe(1);
    const last = outcome.history.at(-1)!.evaluations;
    expect(outcome.evaluations - last).toBeGreaterThanOrEqual(120);
    expect(outcome.evaluations - last).toBeLessThan(120 + 7);
  });

  it('converges in mode fast only', async () => {
    const fast = await run(rastrigin, { mode: 'fast', maxEvaluations: 20_000 });
    expect(fast.terminationReason).toBe('converged');
    expect(fast.evaluations).toBeLessThan(3000);
    for (const mode of ['balanced', 'accurate'] as const) {
      const outcome = await run(rastrigin, { mode, maxEvaluations: 20_000 });
      expect(outcome.terminationReason).toBe('budget');
      expect(outcome.bestFitness!).toBeLessThan(1e-8);
    }
  });

  it('refuses an unknown strategy by name', async () => {
    await expect(run(sphere, { strategy: 'magic' })).rejects.toMatchObject({
      code: 'invalid_request',
      field: 'strategy',
      message: `strategy "magic" is unknown; known: ${strategies.map((strategy) => strategy.name).join(', ')}`,
    });
  });
});

describe('failed evaluations', () => {
  it('count, keep the first three, and never become the best', async () => {
    let calls = 0;
    const outcome = await run((x) => {
      calls++;
      if (calls % 3 === 0) throw new Error(`call ${calls}`);
      return calls === 5 ? NaN : sphere(x);
    });
    expect(outcome.evaluations).toBe(500);
    expect(outcome.failedEvaluations).toBe(167);
    expect(outcome.failures).toEqual([
      { type: 'ValueError', message: 'call 3', line: 3 },
      { type: 'NaNResult', message: 'the objective returned NaN', line: 0 },
      { type: 'ValueError', message: 'call 6', line: 3 },
    ]);
    expect(outcome.bestFitness!).toBeLessThan(1e-3);
  });

  it('end the run when all of the first 50 fail', async () => {
    const outcome = await run(() => {
      throw new Error('bad input');
    });
    expect(outcome.terminationReason).toBe('error');
    expect(outcome.error!.message).toContain('ValueError: bad input (line 3)');
    expect(outcome.evaluations).toBeGreaterThanOrEqual(50);
    expect(outcome.evaluations).toBeLessThan(57);
    expect(outcome.failedEvaluations).toBe(outcome.evaluations);
    expect(outcome.failures).toHaveLength(3);
    expect(outcome.bestSolution).toBeNull();
    expect(outcome.bestFitness).toBeNull();
    expect(outcome.history).toEqual([]);
  });

  it('end the run when the whole of a smaller budget fails', async () => {
    const outcome = await run(() => NaN, { maxEvaluations: 5 });
    expect(outcome.terminationReason).toBe('error');
    expect(outcome.evaluations).toBe(5);
  });

  it('let the run go on when the 50th evaluation works, and not when only the 51st does', async () => {
    const workingFrom = (first: number): Objective => {
      let calls = 0;
      return (x) => (++calls >= first ? sphere(x) : NaN);
    };
    expect((await run(workingFrom(50))).terminationReason).toBe('budget');
    expect((await run(workingFrom(51))).terminationReason).toBe('error');
  });

  it('have a Python-like message when no CPython can evaluate a flagged candidate again', async () => {
    const outcome = await run((x) => {
      if (x[0] < 0) throw LaneStatus.ZeroDivision;
      return sphere(x);
    });
    expect(outcome.failures[0]).toEqual({ type: 'ZeroDivisionError', message: 'division by zero', line: 0 });
    for (const status of Object.values(LaneStatus).filter((s) => s !== LaneStatus.Ok)) {
      const { failures } = await run(
        () => {
          throw status;
        },
        { maxEvaluations: 1 },
      );
      expect(failures[0].type).toMatch(/^[A-Z]\w+$/);
      expect(failures[0].message).not.toContain('status');
    }
  });
});

describe('infinite values', () => {
  it('are no failures and never become the best', async () => {
    for (const direction of ['minimize', 'maximize'] as const) {
      for (const infinite of [Infinity, -Infinity]) {
        const sign = direction === 'minimize' ? 1 : -1;
        const outcome = await run((x) => (x[0] < 0.5 ? infinite : sign * sphere(x)), { direction });
        expect(outcome.failedEvaluations).toBe(0);
        expect(Number.isFinite(outcome.bestFitness)).toBe(true);
        expect(Math.abs(outcome.bestFitness!)).toBeLessThan(1e-2);
      }
    }
    const never = await run(() => -Infinity);
    expect(never.terminationReason).toBe('budget');
    expect(never.bestFitness).toBeNull();
    expect(never.bestSolution).toBeNull();
  });
});

describe('fallback', () => {
  it('evaluates the flagged candidates again, and only those, each counted once', async () => {
    const primary = new FakeKernel('native', (x) => {
      if (x[0] > 4) throw LaneStatus.MathDomain;
      return sphere(x);
    });
    const fallback = new FakeKernel('python', (x) => {
      if (x[0] > 4.5) throw new Error('no luck');
      return sphere(x);
    });
    const outcome = await runOptimization(task({ initialSolution: [4.2, 0, 0] }), ports(primary, { fallback }));
    expect(outcome.evaluations).toBe(500);
    expect(primary.asked).toHaveLength(500);
    expect(fallback.asked).toEqual(primary.asked.filter((x) => x[0] > 4));
    expect(fallback.asked.length).toBeGreaterThan(0);
    expect(outcome.failedEvaluations).toBe(primary.asked.filter((x) => x[0] > 4.5).length);
    expect(outcome.backend.name).toBe('native');
    expect(outcome.backend.reason).toBe('chosen by the test');
    // The fallback's values count like the primary's: the search is the same as on one good kernel.
    const plain = await run(
      (x) => {
        if (x[0] > 4.5) throw new Error('no luck');
        return sphere(x);
      },
      { initialSolution: [4.2, 0, 0] },
    );
    expect(outcome.bestSolution).toEqual(plain.bestSolution);
    expect(outcome.failures).toEqual(plain.failures);
  });

  it('takes over when more than nine in ten of 200 candidates are flagged, and the reason says so', async () => {
    const primary = new FakeKernel('native', () => {
      throw LaneStatus.Untranslated;
    });
    const fallback = new FakeKernel('python', sphere);
    const snapshots: RunSnapshot[] = [];
    const outcome = await runOptimization(
      task(),
      ports(primary, { fallback, checkpoint: (s) => snapshots.push(s), checkpointIntervalMs: 0 }),
    );
    expect(primary.asked).toHaveLength(203); // 29 generations of 7
    expect(fallback.asked).toHaveLength(500);
    expect(outcome.failedEvaluations).toBe(0);
    expect(outcome.backend.name).toBe('python');
    expect(outcome.backend.reason).toBe(
      'chosen by the test; 100 % of 203 candidates on native needed python, so the run moved there',
    );
    expect(outcome.backend.use).toEqual({
      tiers: { native: 203, python: 203 + 297 },
      flagged: { untranslated: 203 },
      reevaluated: 203,
    });
    // The move survives a restart, also one within the window, and so do the counts.
    for (const at of [10, 40]) {
      const again = new FakeKernel('native', () => {
        throw LaneStatus.Untranslated;
      });
      const resumed = await runOptimization(
        task(),
        ports(again, { fallback: new FakeKernel('python', sphere) }),
        snapshots[at],
      );
      expect(again.asked).toHaveLength(Math.max(0, 203 - snapshots[at].evaluations));
      expect(resumed.backend.reason).toBe(outcome.backend.reason);
      expect(resumed.bestSolution).toEqual(outcome.bestSolution);
      expect(resumed.backend.use).toEqual(outcome.backend.use);
    }
    await expect(runOptimization(task(), ports(primary), snapshots[40])).rejects.toMatchObject({
      code: 'backend_unavailable',
    });
  });

  it('stays out while compiled code is of use for some', async () => {
    let calls = 0;
    const primary = new FakeKernel('native', (x) => {
      if (++calls % 5 !== 0) throw calls % 2 === 0 ? LaneStatus.Overflow : LaneStatus.ZeroDivision;
      return sphere(x);
    });
    const outcome = await runOptimization(task(), ports(primary, { fallback: new FakeKernel('python', sphere) }));
    expect(outcome.backend.name).toBe('native');
    expect(primary.asked).toHaveLength(500);
    expect(outcome.backend.use).toEqual({
      tiers: { native: 500, python: 400 },
      flagged: { overflow: 200, zero_division: 200 },
      reevaluated: 400,
    });
  });

  it('that lacks a package cannot load the objective: flagged candidates fail with that, and the run stays', async () => {
    const primary = new FakeKernel('native', (x) => {
      if (x[0] < 4.9) throw LaneStatus.IndexRange;
      return sphere(x);
    });
    const failure = { type: 'ModuleNotFoundError', message: "No module named 'numpy'", line: 1 };
    const rejecting = (facts: object): FakeKernel =>
      new FakeKernel('python', sphere, () => {
        throw new ExtremumError('objective_rejected', 'it does not load', { facts: { ...facts } });
      });
    const fallback = rejecting(failure);
    const given = task({ initialSolution: [5, 0, 0] });
    const outcome = await runOptimization(given, ports(primary, { fallback }));
    expect(outcome.terminationReason).not.toBe('error');
    expect(outcome.backend.name).toBe('native');
    expect(outcome.failedEvaluations).toBe(primary.asked.filter((x) => x[0] < 4.9).length);
    expect(outcome.failedEvaluations).toBeGreaterThan(0.9 * 200);
    expect(outcome.failures[0]).toEqual(failure);
    expect(fallback.batches).toBe(1);
    // Another exception is the objective's own: that nothing of it is evaluated is for the caller to say.
    const broken = rejecting({ type: 'NameError', message: "name 'y' is not defined", line: 1 });
    await expect(runOptimization(given, ports(primary, { fallback: broken }))).rejects.toMatchObject({
      code: 'objective_rejected',
    });
  });

  it('takes over when the primary is lost; without one the loss reaches the caller', async () => {
    const lost = (): FakeKernel => {
      const kernel: FakeKernel = new FakeKernel('native', sphere, () => {
        if (kernel.batches > 5) throw new ExtremumError('backend_lost', 'device gone');
      });
      return kernel;
    };
    const outcome = await runOptimization(task(), ports(lost(), { fallback: new FakeKernel('python', sphere) }));
    expect(outcome.terminationReason).toBe('budget');
    expect(outcome.backend.name).toBe('python');
    expect(outcome.backend.reason).toContain('native was lost');
    expect(outcome.bestSolution).toEqual((await run(sphere)).bestSolution);
    await expect(runOptimization(task(), ports(lost()))).rejects.toMatchObject({ code: 'backend_lost' });
  });
});

describe('history, progress and spans', () => {
  it('lists every improvement', async () => {
    const values: number[] = [];
    const outcome = await run((x) => {
      const value = sphere(x);
      values.push(value);
      return value;
    });
    let best = Infinity;
    const improvements = values.flatMap((value, i) => {
      if (!(value < best)) return [];
      best = value;
      return [[i + 1, value]];
    });
    expect(outcome.history.map((point) => [point.evaluations, point.bestFitness])).toEqual(improvements);
    expect(outcome.strategies).toEqual([
      {
        name: 'cma-es',
        reason: 'the default without planning',
        fromEvaluation: 0,
        toEvaluation: 500,
        bestFitness: outcome.bestFitness,
      },
    ]);
  });

  it('thins the history to its limit, keeping order, first and last', async () => {
    let value = 1e6;
    const outcome = await run(() => value--, { maxEvaluations: 9000 });
    expect(outcome.history.length).toBeLessThanOrEqual(MAX_HISTORY_POINTS);
    expect(outcome.history.length).toBeGreaterThan(MAX_HISTORY_POINTS / 2 - 2);
    expect(outcome.history[0]).toMatchObject({ evaluations: 1, bestFitness: 1e6 });
    expect(outcome.history.at(-1)).toMatchObject({ evaluations: 9000, bestFitness: 1e6 - 8999 });
    const evaluations = outcome.history.map((point) => point.evaluations);
    expect(evaluations).toEqual([...new Set(evaluations)].sort((a, b) => a - b));
  });

  it('reports progress and checkpoints no more often than asked', async () => {
    const clock = manualClock();
    const progress: RunProgress[] = [];
    const checkpoint = vi.fn();
    const objective: Objective = (x) => {
      clock.advance(1);
      return sphere(x);
    };
    await run(
      objective,
      {},
      {
        now: clock.now,
        onProgress: (p) => progress.push(p),
        progressIntervalMs: 100,
        checkpoint,
        checkpointIntervalMs: 200,
      },
    );
    expect(progress.length).toBeGreaterThanOrEqual(4);
    expect(progress.length).toBeLessThanOrEqual(5);
    expect(progress[0].elapsedSeconds).toBeGreaterThanOrEqual(0.1);
    expect(progress[0].bestSolution).toHaveLength(3);
    expect(checkpoint).toHaveBeenCalledTimes(3); // two on the way, one at the end
  });
});

describe('snapshots', () => {
  async function collect(more: Partial<RunTask>): Promise<[RunOutcome, RunSnapshot[]]> {
    const snapshots: RunSnapshot[] = [];
    const outcome = await run(failing(), more, {
      checkpoint: (snapshot) => snapshots.push(JSON.parse(JSON.stringify(snapshot)) as RunSnapshot),
      checkpointIntervalMs: 0,
    });
    return [outcome, snapshots];
  }

  /** Rastrigin with a forbidden corner and a plateau of infinities: every counter moves. */
  function failing(): Objective {
    return (x) => {
      if (x[0] > 2 && x[1] > 1) throw new Error('forbidden');
      return x[0] < -4 ? Infinity : rastrigin(x);
    };
  }

  it('continue with the same bits wherever the run is cut', async () => {
    const more: Partial<RunTask> = { maxEvaluations: 3000 };
    const [outcome, snapshots] = await collect(more);
    expect(snapshots.length).toBeGreaterThan(100);
    for (let at = 0; at < snapshots.length; at += 17) {
      expect(await runOptimization(task(more), ports(new FakeKernel('fake', failing())), snapshots[at])).toEqual(
        outcome,
      );
    }
  });

  it('extend a run that its budget cut, equal to one longer run', async () => {
    const long = await run(failing(), { maxEvaluations: 1200 });
    for (const short of [1, 50, 333, 1003]) {
      const [, snapshots] = await collect({ maxEvaluations: short });
      const kernel = new FakeKernel('fake', failing());
      const extended = await runOptimization(task({ maxEvaluations: 1200 }), ports(kernel), snapshots.at(-1));
      expect(extended).toEqual(long);
      expect(kernel.asked).toHaveLength(1200 - short);
    }
  });

  it('extend a run that its budget cut, also where the longer one ends by itself', async () => {
    // Whether the search has stagnated or converged is asked between generations, wherever a budget has cut.
    for (const more of [{ stagnationEvaluations: 30 }, { mode: 'fast' as const }]) {
      const long = await run(failing(), { maxEvaluations: 100_000, ...more });
      expect(long.terminationReason).toBe('mode' in more ? 'converged' : 'stagnated');
      for (let short = 1; short <= long.evaluations; short += 1 + Math.floor(long.evaluations / 60)) {
        const [cut, snapshots] = await collect({ maxEvaluations: short, ...more });
        expect(cut.terminationReason).toBe('budget');
        const whole = task({ maxEvaluations: 100_000, ...more });
        const extended = await runOptimization(whole, ports(new FakeKernel('fake', failing())), snapshots.at(-1));
        expect(extended).toEqual(long);
      }
    }
  });

  it.each([
    ...strategies
      .filter(({ capabilities }) => suits(capabilities, { objectives: 1, program: null }))
      .map(({ name }) => [{ strategy: name }, [20, 45, 70]] as const),
    // With experiments, whose evaluations come in between.
    [{ explanationLevel: 4 }, [300, 700]] as const,
  ])('are made again by the same budgets: %o', async (more, budgets) => {
    let end: RunSnapshot | undefined;
    for (const maxEvaluations of budgets) {
      const checkpoint = (snapshot: RunSnapshot): void =>
        void (end = JSON.parse(JSON.stringify(snapshot)) as RunSnapshot);
      const kernel = new FakeKernel('fake', failing());
      await runOptimization(task({ ...more, maxEvaluations }), ports(kernel, { checkpoint }), end);
    }
    const kernel = new FakeKernel('fake', failing());
    // Also where the time for it would be over.
    const limited = task({ ...more, maxEvaluations: 1_000, timeoutSeconds: 0 });
    const { outcome, snapshot } = await repeatOptimization(limited, budgets, ports(kernel));
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(end);
    expect(outcome).toMatchObject({ terminationReason: 'budget', evaluations: budgets.at(-1) });
    expect(kernel.asked).toHaveLength(budgets.at(-1)!);
  });

  it('add up the time of all attempts', async () => {
    const clock = manualClock();
    const objective: Objective = (x) => {
      clock.advance(10);
      return sphere(x);
    };
    const snapshots: RunSnapshot[] = [];
    await run(objective, { maxEvaluations: 100 }, { now: clock.now, checkpoint: (s) => snapshots.push(s) });
    const more = task({ timeoutSeconds: 1.5 });
    const resumed = await runOptimization(
      more,
      ports(new FakeKernel('fake', objective), { now: clock.now }),
      snapshots[0],
    );
    expect(resumed.terminationReason).toBe('timeout');
    expect(resumed.evaluations).toBeLessThan(160);
  });

  it('refuse another version and another strategy', async () => {
    const [, snapshots] = await collect({ maxEvaluations: 20 });
    const kernel = new FakeKernel('fake', sphere);
    await expect(runOptimization(task(), ports(kernel), { ...snapshots[0], version: 99 })).rejects.toThrow(
      'version 99',
    );
    const foreign = { ...snapshots[0], strategy: { ...snapshots[0].strategy, name: 'other' } };
    await expect(runOptimization(task(), ports(kernel), foreign)).rejects.toThrow('strategy other');
  });
});

describe('life of a run', () => {
  it('gives the event loop its turn while a kernel computes synchronously', async () => {
    let cancelled = false;
    const timer = setTimeout(() => (cancelled = true), 1);
    const outcome = await run(
      sphere,
      { maxEvaluations: 1e9 },
      { now: () => performance.now(), isCancelled: () => cancelled },
    );
    clearTimeout(timer);
    expect(outcome.terminationReason).toBe('cancelled');
  });

  it('works for one dimension and for ten thousand', async () => {
    const one = await run(sphere, { bounds: [[-5, 5]], maxEvaluations: 300 });
    expect(one.bestFitness!).toBeLessThan(1e-10);
    const bounds = Array.from({ length: 10_000 }, (): [number, number] => [-5, 5]);
    const many = await run(sphere, { bounds, maxEvaluations: 200 });
    expect(many.evaluations).toBe(200);
    expect(many.bestSolution).toHaveLength(10_000);
  });
});
