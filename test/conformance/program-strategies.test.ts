/** Strategies on objectives whose program they can read: the rules of a run hold for every reading. */
import { describe, expect, it } from 'vitest';
import type { RunSnapshot } from '../../src/engine/snapshot.js';
import type { RunOutcome } from '../../src/model/run-task.js';
import { openRun, type OpenRun } from '../support/open-runs.js';

const ROSENBROCK = `
def f(x):
    total = 0.0
    for a, b in zip(x, x[1:]):
        total += 100 * (b - a * a) ** 2 + (1 - a) ** 2
    return total
`;
const WAVES = `
import math

def f(x):
    total = 0.0
    for i in range(len(x)):
        z = x[i] + 0.3 * x[i - 1] - 0.7
        total += z * z - 3 * math.cos(4 * z)
    return total
`;
/** A value found by halving, whose slope says nothing. */
const HALVED = `
def f(x):
    low, high = 0.0, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        if middle * middle < 20 + x[1]:
            low = middle
        else:
            high = middle
    return (x[0] - 1) ** 2 + (low - 4.6) ** 2
`;
/** No values on one side. */
const CLIFF = `
import math

def f(x):
    return math.sqrt(x[0] + 1) + abs(x[1] - 2)
`;
const PROGRAMS = { ROSENBROCK, WAVES, HALVED, CLIFF };
/** A fit in which two of three parameters are tied by a narrow, bent valley. */
const FIT = `
import math

T = [0.1 * k for k in range(20)]
Y = [0.5 * math.exp(-t) + 1.5 * math.exp(-3 * t) for t in T]

def f(x):
    return sum((x[0] * math.exp(-x[1] * t) + 1.5 * math.exp(-x[2] * t) - y) ** 2 for t, y in zip(T, Y))
`;
const READERS = ['planner', 'quasi-newton'];
/** Many descents side by side: a few evaluations are none for them. */
const IN_BULK = 'bulk-l-bfgs';

const box = (n: number): OpenRun['task']['bounds'] => Array.from({ length: n }, () => [-4, 5] as const);

/** All but what depends on the clock. */
const essence = ({ evaluations, bestFitness, bestSolution, history, backend }: RunOutcome): object => ({
  evaluations,
  bestFitness,
  bestSolution,
  history: history.map((point) => [point.evaluations, point.bestFitness]),
  readings: backend.readings,
});

describe.each([...READERS, 'envelope-search', IN_BULK])('%s on an open program', (strategy) => {
  it.each(Object.entries(PROGRAMS))('goes on from every snapshot with the same bits: %s', async (_, code) => {
    const task = { bounds: box(3), maxEvaluations: 150, strategy };
    const snapshots: string[] = [];
    const whole = await openRun({ code, task, onSnapshot: (s) => snapshots.push(JSON.stringify(s)) });
    // Or fewer, where the best value was proven to be the lowest.
    expect(whole.terminationReason).toBe(whole.evaluations === 150 ? 'budget' : 'optimal');
    for (let k = 0; k < snapshots.length; k += Math.ceil(snapshots.length / 12)) {
      const resumed = await openRun({ code, task, resumeFrom: JSON.parse(snapshots[k]) as RunSnapshot });
      expect(essence(resumed)).toEqual(essence(whole));
    }
  });

  it('counts every reading and stays within every budget', async () => {
    for (let maxEvaluations = 1; maxEvaluations <= 40; maxEvaluations++) {
      const { evaluations, backend } = await openRun({
        code: ROSENBROCK,
        task: { bounds: box(3), maxEvaluations, strategy },
      });
      expect(evaluations).toBe(maxEvaluations);
      const values = Object.values(backend.use!.tiers).reduce((sum, count) => sum + count, 0);
      const read = Object.values(backend.readings!).reduce((sum, count) => sum + count, 0);
      expect(values + read).toBe(maxEvaluations);
    }
  });

  it('maximises alike', async () => {
    const minimised = await openRun({ code: WAVES, task: { bounds: box(2), maxEvaluations: 120, strategy } });
    const negative = WAVES.replace('return total', 'return -total');
    const task = { bounds: box(2), maxEvaluations: 120, strategy, direction: 'maximize' as const };
    const maximised = await openRun({ code: negative, task });
    expect(maximised.bestSolution).toEqual(minimised.bestSolution);
    expect(maximised.bestFitness).toBe(-minimised.bestFitness!);
  });
});

describe.each(READERS)('%s on an open program', (strategy) => {
  it('uses gradients when it may, and none for a black box', async () => {
    const task = { bounds: box(4), maxEvaluations: 300, strategy };
    const open = await openRun({ code: ROSENBROCK, task });
    const closed = await openRun({ code: ROSENBROCK, task, isBlackBox: true });
    const { gradient = 0, tangents = 0 } = open.backend.readings!;
    expect(gradient + tangents).toBeGreaterThan(5);
    expect(closed.backend.readings).toEqual({});
    expect(open.bestFitness!).toBeLessThan(1e-9);
  });

  it('finds the minimum where gradients mislead', async () => {
    const { bestFitness } = await openRun({ code: HALVED, task: { bounds: box(2), maxEvaluations: 300, strategy } });
    // Along x[0] alone, from the centre of the box: 0.0052.
    expect(bestFitness!).toBeLessThan(1e-3);
  });
});

describe('levenberg-marquardt', () => {
  const strategy = 'levenberg-marquardt';

  it('finds the parameters of a fit', async () => {
    const { bestSolution } = await openRun({ code: FIT, task: { bounds: box(3), maxEvaluations: 500, strategy } });
    [0.5, 1, 3].forEach((value, i) => expect(bestSolution![i]).toBeCloseTo(value, 6));
  });

  it.each([ROSENBROCK, FIT])('goes on from every snapshot with the same bits', async (code) => {
    const task = { bounds: box(3), maxEvaluations: 120, strategy };
    const snapshots: string[] = [];
    const whole = await openRun({ code, task, onSnapshot: (s) => snapshots.push(JSON.stringify(s)) });
    for (let k = 0; k < snapshots.length; k += Math.ceil(snapshots.length / 12)) {
      const resumed = await openRun({ code, task, resumeFrom: JSON.parse(snapshots[k]) as RunSnapshot });
      expect(essence(resumed)).toEqual(essence(whole));
    }
  });

  it('stays in the box, with the best point on its edge', async () => {
    const bounds = [
      [0, 0.3],
      [0, 5],
      [0, 5],
    ] as const;
    const { bestSolution } = await openRun({ code: FIT, task: { bounds, maxEvaluations: 200, strategy } });
    expect(bestSolution![0]).toBe(0.3);
  });
});

it(`${IN_BULK} reads as many gradients as values, and finds the minimum`, async () => {
  const task = { bounds: box(4), maxEvaluations: 12_000, strategy: IN_BULK };
  const { bestFitness, backend } = await openRun({ code: ROSENBROCK, task });
  expect(bestFitness!).toBeLessThan(1e-15);
  expect(backend.readings).toEqual({ gradient: 6_000 });
});

it.each(['levenberg-marquardt', IN_BULK])(
  '%s is refused in words where it cannot read the program',
  async (strategy) => {
    const task = { bounds: box(2), maxEvaluations: 50, strategy };
    await expect(openRun({ code: WAVES, task, isBlackBox: true })).rejects.toThrow(
      `strategy "${strategy}" needs an objective that is compiled, and a run that is not black_box`,
    );
  },
);
