import { expect, it } from 'vitest';
import type { Front } from '../../model/front.js';
import type { EndedRun } from '../ended-run.js';
import { convergencePlot } from './convergence.js';
import { paretoPlot } from './pareto.js';
import { PLOT, scaleOver, ticksOf } from './plot.js';
import { drawVisual, visualsOf } from './visuals.js';

const front = (rows: readonly (readonly number[])[], knee = 0): Front => ({
  points: rows.map((values) => ({ solution: [0], values })),
  knee,
  hypervolume: 1,
  reference: rows[0].map(() => 2),
});

const numbersIn = (svg: string, name: string): number[] =>
  [...svg.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map((match) => Number(match[1]));

it('draws every point of two objectives inside the frame, rising to the right and upwards, and the knee once more', () => {
  const svg = paretoPlot(
    front(
      [
        [0, 9],
        [1, 4],
        [3, 0],
      ],
      1,
    ),
  );
  const [across, down] = [numbersIn(svg, 'cx'), numbersIn(svg, 'cy')];
  expect(across).toHaveLength(4);
  expect(across.slice(0, 3)).toEqual(across.slice(0, 3).toSorted((a, b) => a - b));
  expect(down.slice(0, 3)).toEqual(down.slice(0, 3).toSorted((a, b) => a - b));
  expect([across[3], down[3]]).toEqual([across[1], down[1]]);
  for (const at of across) expect(at >= PLOT.left && at <= PLOT.right).toBe(true);
  expect(svg).toContain('knee: 1, 4');
});

it('draws a line across one axis for each of three and four objectives', () => {
  for (const k of [3, 4]) {
    const rows = Array.from({ length: 5 }, (_, i) => Array.from({ length: k }, (_value, j) => (i * (j + 1)) % 5));
    const svg = paretoPlot(front(rows, 2));
    const courses = [...svg.matchAll(/<polyline points="([^"]*)"/g)].map((match) => match[1].split(' '));
    expect(courses).toHaveLength(6);
    for (const course of courses) expect(course).toHaveLength(k);
    expect(courses[5]).toEqual(courses[2]);
    expect(svg).toContain(`objective ${k}`);
  }
});

it('has only numbers that are finite, whatever is drawn', () => {
  const huge = Number.MAX_VALUE;
  const values = [
    [[0, 0]],
    [
      [-huge, huge],
      [huge, -huge],
    ],
    [
      [5e-324, 1],
      [1, 5e-324],
    ],
    [
      [1, 1 + 2 ** -52],
      [1 + 2 ** -52, 1],
    ],
  ];
  const histories = values.map((rows) =>
    rows.map(([a], i) => ({ evaluations: i + 1, bestFitness: a, elapsedSeconds: 0 })),
  );
  const beyond = { evaluations: 2, bestFitness: Infinity, elapsedSeconds: 0 };
  histories.push([beyond], [{ evaluations: 1, bestFitness: 3, elapsedSeconds: 0 }, beyond]);
  const all = [
    ...values.map((rows) => paretoPlot(front(rows))),
    ...[NaN, Infinity].map((hypervolume) => paretoPlot({ ...front([[0, 0]]), hypervolume })),
    ...histories.map((h) => convergencePlot(h, 7, 'best value')),
  ];
  for (const svg of all) expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  expect(convergencePlot([], 7, 'best value')).toContain('there is no best value');
});

it('puts round numbers on its axes, not too many', () => {
  for (const [low, high] of [
    [0, 1],
    [-3.7, 12.9],
    [1e-9, 2e-9],
    [-1e300, 1e300],
    [41, 43],
  ] as const) {
    const scale = scaleOver([low, high]);
    const ticks = ticksOf(scale);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(9);
    for (const tick of ticks) expect(tick >= scale.low && tick <= scale.high).toBe(true);
  }
  expect(ticksOf({ low: -0.08, high: 1.08, at: () => 0 })).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
});

it('leaves the pictures of a domain problem to the problem', () => {
  const ending = { evaluations: 7, answer: { pictures: ['weights'] } };
  const run = { ending, request: { task: {} } } as unknown as EndedRun;
  const history = [{ evaluations: 1, bestFitness: 3, elapsedSeconds: 0 }];
  expect(visualsOf(run)).toEqual(['weights', 'convergence']);
  expect(drawVisual('weights', run, history)).toBeNull();
  expect(drawVisual('convergence', run, history)).toContain('Convergence');
});

it('leaves them to the problem where they have the names of its own', () => {
  const ending = { evaluations: 7, answer: { pictures: ['importance', 'pareto'] } };
  const run = { ending, request: { task: {} } } as unknown as EndedRun;
  for (const kind of ending.answer.pictures) expect(drawVisual(kind, run, [])).toBeNull();
});
