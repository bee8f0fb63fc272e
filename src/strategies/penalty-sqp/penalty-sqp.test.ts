import { describe, expect, it } from 'vitest';
import { openRun, type OpenRun } from '../../../test/support/open-runs.js';
import type { RunSnapshot } from '../../engine/snapshot.js';

const strategy = 'penalty-sqp';
const box = (n: number): OpenRun['task']['bounds'] => Array.from({ length: n }, () => [0, 10] as const);
const run = (code: string, n: number, more: Partial<OpenRun['task']> = {}) =>
  openRun({ code, task: { bounds: box(n), maxEvaluations: 100, strategy, ...more } });

/** x y = 2 at its minimum, and x^2 + y^2 < 8. */
const CORNER = `
def f(x):
    g = [2 - x[0] * x[1], x[0] ** 2 + x[1] ** 2 - 8]
    return x[0] + 3 * x[1] + 1000 * sum(max(0, v) for v in g)
`;
/** The same with limits that are enforced by jumps. */
const WALLS = `
def f(x):
    if x[0] * x[1] < 2:
        return 500.0 - x[0]
    return x[0] + 3 * x[1]
`;
/** A median: many bends on the way. */
const MEDIAN = `
DATA = [0.5, 1.25, 2.75, 3.125, 4.5, 7.0, 9.5]

def f(x):
    return sum(abs(x[0] - d) for d in DATA) + 2 * sum(abs(x[1] - 0.5 * d) for d in DATA)
`;
/** Minimax. */
const LARGEST = `
def f(x):
    return max((x[0] - 2) ** 2 + x[1], 5 - x[0] * x[1], x[0] + x[1])
`;
/** No values on one side. */
const CLIFF = `
import math

def f(x):
    return math.sqrt(x[0] - 3) + abs(x[1] - 2)
`;
/** A bend between the centre and the minima, which are many. */
const CLEAR = `
import math

def f(x):
    return sum((v - 2) ** 2 + math.sin(3 * v) + 10 * max(0, x[0] * x[1] - 4) for v in x) + x[2] * x[3]
`;

describe('penalty-sqp', () => {
  it('ends where penalties begin, to all digits', async () => {
    const { bestFitness, bestSolution } = await run(CORNER, 2);
    expect(bestFitness!).toBeCloseTo(2 * Math.sqrt(6), 9);
    expect(bestSolution![0]).toBeCloseTo(Math.sqrt(6), 4);
  });

  it('learns where a branch is a wall, and stays on the good side of it', async () => {
    const { bestFitness } = await run(WALLS, 2);
    expect(bestFitness!).toBeGreaterThanOrEqual(2 * Math.sqrt(6) - 1e-12);
    expect(bestFitness!).toBeLessThan(2 * Math.sqrt(6) + 1e-8);
  });

  it.each(["float('inf')", "float('nan')"])('learns walls beyond which there is no value: %s', async (none) => {
    const start = { initialSolution: [2, 3], maxEvaluations: 60 };
    const { bestFitness } = await run(WALLS.replace('500.0 - x[0]', none), 2, start);
    expect(bestFitness!).toBeCloseTo(2 * Math.sqrt(6), 9);
  });

  it('finds medians, and the least of what is largest', async () => {
    const median = await run(MEDIAN, 2);
    expect(median.bestSolution![0]).toBeCloseTo(3.125, 9);
    expect(median.bestSolution![1]).toBeCloseTo(1.5625, 9);
    // x = y, and 2 x = 5 - x^2.
    const { bestFitness, bestSolution } = await run(LARGEST, 2);
    expect(bestFitness!).toBeCloseTo(2 * Math.sqrt(6) - 2, 9);
    expect(bestSolution![0]).toBeCloseTo(Math.sqrt(6) - 1, 4);
  });

  it('maximises alike', async () => {
    const negative = CORNER.replace('return x[0]', 'return -(x[0]').replace('for v in g)', 'for v in g))');
    const least = await run(CORNER, 2);
    const most = await run(negative, 2, { direction: 'maximize' });
    expect(most.bestSolution).toEqual(least.bestSolution);
  });

  it.each([CORNER, WALLS, MEDIAN, LARGEST, CLIFF])('goes on from every snapshot with the same bits', async (code) => {
    const task = { bounds: box(2), maxEvaluations: 90, strategy };
    const snapshots: string[] = [];
    const whole = await openRun({ code, task, onSnapshot: (s) => snapshots.push(JSON.stringify(s)) });
    expect(whole.evaluations).toBe(90);
    for (let k = 0; k < snapshots.length; k += Math.ceil(snapshots.length / 15)) {
      const resumed = await openRun({ code, task, resumeFrom: JSON.parse(snapshots[k]) as RunSnapshot });
      expect([resumed.evaluations, resumed.bestFitness, resumed.bestSolution]).toEqual([
        whole.evaluations,
        whole.bestFitness,
        whole.bestSolution,
      ]);
    }
  });

  it('counts every reading and stays within every budget', async () => {
    for (let maxEvaluations = 1; maxEvaluations <= 40; maxEvaluations++) {
      const { evaluations, backend } = await run(CORNER, 2, { maxEvaluations });
      expect(evaluations).toBe(maxEvaluations);
      const values = Object.values(backend.use!.tiers).reduce((sum, count) => sum + count, 0);
      const read = Object.values(backend.readings!).reduce((sum, count) => sum + count, 0);
      expect(values + read).toBe(maxEvaluations);
    }
  });

  it('is refused in words where the program has no bends, or cannot be read', async () => {
    await expect(run('def f(x):\n    return x[0] ** 2\n', 1)).rejects.toThrow('does not suit the program');
    const task = { bounds: box(2), maxEvaluations: 50, strategy };
    await expect(openRun({ code: CORNER, task, isBlackBox: true })).rejects.toThrow('not black_box');
  });
});

describe('the planner', () => {
  it('begins with it where a program bends, and says so', async () => {
    const { bestFitness, strategies } = await run(CORNER, 2, { strategy: undefined });
    expect(strategies.map(({ name }) => name).slice(0, 2)).toEqual(['probes', strategy]);
    expect(bestFitness!).toBeCloseTo(2 * Math.sqrt(6), 9);
  });

  it.each([
    ['anew where it has ended at a bend', CLEAR.replace('- 4)', '- 2.5)'), [150, 250]],
    ['no other where it has ended far from those that it met', CLEAR, [10, 60]],
  ])('begins %s', async (_name, code, [least, most]) => {
    const { strategies } = await run(code, 4, { strategy: undefined, maxEvaluations: 300 });
    const spent = strategies.filter(({ name }) => name === strategy);
    const sum = spent.reduce((all, { fromEvaluation, toEvaluation }) => all + toEvaluation - fromEvaluation, 0);
    expect(sum).toBeGreaterThan(least);
    expect(sum).toBeLessThan(most);
  });
});
