import { describe, expect, it } from 'vitest';
import { openRun } from '../../../test/support/open-runs.js';
import { driveStep } from '../../../test/support/drive-search.js';
import { Rng } from '../../common/rng.js';
import type { ProgramStructure, Terms } from '../../model/program-structure.js';
import { Archive } from '../search/archive.js';
import type { SearchContext } from '../search/search.js';
import { bisection, parabolicStep, withSample, NO_SAMPLES } from './axis.js';
import { Coordinates } from './coordinates.js';
import { TermSearch } from './term-search.js';

const strategy = 'term-search';
const box = (n: number, low = -5, high = 5) => Array.from({ length: n }, () => [low, high] as const);

/** Waves on bowls; the minimum, 0, is in another place for each coordinate. */
const WAVES = `
import math

def wave(v, c):
    return (v - c) ** 2 + 10 - 10 * math.cos(2 * math.pi * (v - c))

def f(x):
    return sum(wave(v, 2.7 - 0.9 * i) for i, v in enumerate(x))
`;
/** The same behind a matrix. */
const MIXED = WAVES.replace(
  'enumerate(x)',
  'enumerate([x[i] + 0.4 * x[i - 1] - 0.2 * x[i - 2] for i in range(len(x))])',
);
const STEPS = `
import math

def f(x):
    return sum(abs(math.floor(3 * v + 0.3) - i) + (v - 0.3 * i) ** 2 / 100 for i, v in enumerate(x))
`;
/** No values on one side of the first coordinate. */
const CLIFF = `
import math

def f(x):
    return math.sqrt(x[0] + 1) + abs(x[1] - 2) - x[2] + 5
`;

describe('term search', () => {
  it('finds the minimum of every coordinate at the same time', async () => {
    const solved = async (code: string, n: number, maxEvaluations: number): Promise<number> =>
      (await openRun({ code, task: { bounds: box(n), maxEvaluations, strategy } })).bestFitness!;
    for (const n of [2, 5]) {
      expect(await solved(WAVES, n, 200)).toBeLessThan(1e-8);
      expect(await solved(MIXED, n, 400)).toBeLessThan(1e-8);
      // Least where a step begins.
      expect(await solved(STEPS, n, 200)).toBeLessThan(1e-3);
    }
  });

  it('counts one evaluation for all terms of a run', async () => {
    const { evaluations, backend } = await openRun({
      code: WAVES,
      task: { bounds: box(4), maxEvaluations: 37, strategy },
    });
    expect(evaluations).toBe(37);
    expect(backend.readings).toEqual({ terms: 37 });
  });

  it('finds optima on the bounds, and goes around where there is no value', async () => {
    const { bestFitness, bestSolution } = await openRun({
      code: CLIFF,
      task: { bounds: box(3, -4, 5), maxEvaluations: 200, strategy },
    });
    // sqrt(x[0] + 1) is least at -1, the edge of its domain.
    expect(bestSolution![0]).toBeLessThan(-0.99);
    expect(bestSolution![2]).toBe(5);
    expect(bestFitness!).toBeLessThan(0.1);
  });

  it('goes on from every snapshot with the same bits', async () => {
    for (const code of [WAVES, MIXED, CLIFF]) {
      const task = { bounds: box(3, -4, 5), maxEvaluations: 90, strategy };
      const snapshots: string[] = [];
      const whole = await openRun({ code, task, onSnapshot: (s) => snapshots.push(JSON.stringify(s)) });
      for (let k = 0; k < snapshots.length; k += 7) {
        const resumeFrom = JSON.parse(snapshots[k]) as NonNullable<Parameters<typeof openRun>[0]['resumeFrom']>;
        const resumed = await openRun({ code, task, resumeFrom });
        expect([resumed.bestFitness, resumed.bestSolution]).toEqual([whole.bestFitness, whole.bestSolution]);
      }
    }
  });

  it('begins at the start of the request', async () => {
    const initialSolution = [1.25, -3.5];
    const { bestSolution } = await openRun({
      code: WAVES,
      task: { bounds: box(2), maxEvaluations: 1, strategy, initialSolution },
    });
    expect(bestSolution).toEqual(initialSolution);
  });

  it('is refused where the terms are of several variables', async () => {
    const code = 'def f(x):\n    return (x[0] - x[1]) ** 4 + abs(x[0] * x[1])\n';
    await expect(openRun({ code, task: { bounds: box(2), maxEvaluations: 9, strategy } })).rejects.toThrow(strategy);
  });

  it('stays in the box where it is too narrow or too wide for numbers to tell coordinates', async () => {
    const code = `
import math

def f(x):
    a = 0.8 * x[0] + 0.6 * x[1]
    b = 0.6 * x[0] - 0.8 * x[1]
    return abs(math.sin(a)) + abs(math.sin(b))
`;
    for (const bounds of [
      [2, 2],
      [-8.9e307, 8.9e307],
    ] as const) {
      for (const chosen of [strategy, undefined]) {
        const task = { bounds: [bounds, bounds], maxEvaluations: 30, strategy: chosen };
        const { bestSolution, evaluations } = await openRun({ code, task });
        expect(evaluations).toBeGreaterThan(0);
        for (const x of bestSolution!) expect(x >= bounds[0] && x <= bounds[1]).toBe(true);
      }
    }
  });

  it('ends, and never leaves the box, when every value is missing', () => {
    const terms: Terms = {
      count: 2,
      dependsOn: [[0], [1]],
      form: 'affine',
      matrix: [
        [0.8, 0.6],
        [0.6, -0.8],
      ],
      traits: [0, 1].map(() => ({ isSmooth: false, isConvex: false, isPeriodic: true, hasRounding: false })),
    };
    const structure = { dimension: 2, terms } as unknown as ProgramStructure;
    for (const value of [NaN, 1]) {
      const context: SearchContext = {
        n: 2,
        rng: Rng.create(1),
        archive: new Archive(2),
        budget: 1000,
        program: { structure, resultLength: () => 2 },
      };
      const search = new TermSearch(context);
      for (let steps = 0; search.end() === null; steps++) {
        expect(steps).toBeLessThan(2000);
        driveStep(search, ({ points }) => {
          expect([...points].every((u) => u >= 0 && u <= 1)).toBe(true);
          return Float64Array.of(Number.isNaN(value) ? Infinity : value, value, value);
        });
      }
    }
  });
});

describe('the search along an axis', () => {
  const range = { low: 0, high: 1 };
  const sampled = (f: (t: number) => number, places: readonly number[]) =>
    places.reduce((axis, t) => withSample(axis, range, t, f(t), false), NO_SAMPLES);

  it('goes to the vertex of a parabola', () => {
    const axis = sampled((t) => (t - 0.4) ** 2, [0, 0.5, 1]);
    expect(parabolicStep(axis, range)).toBeCloseTo(0.4, 14);
  });

  it('bisects the interval that promises most', () => {
    expect(
      bisection(
        sampled((t) => (t < 0.5 ? 5 : 0), [0, 0.25, 0.5, 0.75, 1]),
        range,
      ),
    ).toBe(0.625);
    // Beyond the outermost samples, too.
    expect(
      bisection(
        sampled(() => 1, [0.8, 1]),
        range,
      ),
    ).toBe(0.4);
  });

  it('takes samples that only rounding tells apart for one', () => {
    const axis = sampled(() => 1, [0.3]);
    expect(withSample(axis, range, 0.3 + 1e-16, 0, false)).toBe(axis);
  });
});

describe('coordinates behind a matrix', () => {
  it('move one at a time, and never out of the box', () => {
    const matrix = [
      [1, 0.5, 0],
      [0, 1, 0.5],
      [0.5, 0, 1],
    ];
    const terms = { form: 'affine', matrix } as unknown as Terms;
    const coordinates = new Coordinates(3, terms, Float64Array.of(1, 2, 4));
    const point = Float64Array.of(0.5, 0.5, 0.5);
    const before = coordinates.of(point);
    expect(coordinates.move(point, 1, 0.1)).toBe(true);
    const after = coordinates.of(point);
    [0, 1, 2].forEach((k) => expect(after[k] - before[k]).toBeCloseTo(k === 1 ? 0.1 : 0, 14));
    expect(coordinates.move(point, 1, 100)).toBe(false);
    const corners = coordinates.inner.map(({ low, high }, k) => [low - before[k], high - before[k]]);
    for (let corner = 0; corner < 8; corner++) {
      const at = Float64Array.of(0.5, 0.5, 0.5);
      corners.forEach((ends, k) => expect(coordinates.move(at, k, 0.999 * ends[(corner >> k) & 1])).toBe(true));
    }
  });
});
