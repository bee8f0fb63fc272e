/** Pictures of real runs: drawn of what the run measured, refused with a reason where that is too little. */
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { planExperiment } from '../src/engine/experiment-design.js';
import { drawVisual, noVisual, visualsOf } from '../src/explanation/visuals/visuals.js';
import { clippedIn, overlapsIn } from './support/pictures.js';
import { watch, type Objective, type Single, type Watched } from './support/watched-run.js';

const bowl: Single = (x) => Array.from(x).reduce((sum, own, i) => sum + (i + 1) * (own - 0.3 * i) ** 2, 0);
const ridges: Single = (x) => Array.from(x).reduce((sum, own) => sum + Math.cos(40 * own) + 0.001 * own * own, 0);
/** Searches in no time; the planner has several members. */
const QUICK = { strategy: 'differential-evolution' } as const;
/** The first coordinate costs, the second one saves, and the others do nothing. */
const twoCosts: Objective = (x) => [(x[0] + 5) ** 2 + x[1] ** 2, (x[0] - 5) ** 2 + x[1] ** 2];

const circles = (svg: string): number => svg.split('<circle').length - 1;
const lines = (svg: string): number => svg.split('<polyline').length - 1;

function draw({ run, outcome }: Watched, kind: string): string {
  const svg = drawVisual(kind, run, outcome.history);
  if (svg === null) throw new Error(`no ${kind}: ${noVisual(kind, run)}`);
  // For a look at them: EXTREMUM_PICTURES is a folder.
  const folder = process.env['EXTREMUM_PICTURES'];
  if (folder !== undefined)
    writeFileSync(
      `${folder}/${kind}-${run.request.task.bounds.length}-${run.request.task.objectives ?? 1}-${run.ending.evaluations}.svg`,
      svg,
    );
  expect(svg).not.toMatch(/NaN|Infinity|undefined|null/);
  expect(overlapsIn(svg)).toEqual([]);
  expect(clippedIn(svg)).toEqual([]);
  return svg;
}

describe('pictures of a run with an experiment', () => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await watch(bowl, { isPictured: true, maxEvaluations: 3_000 });
  });

  it('are all but those of several objectives', () => {
    expect(visualsOf(watched.run)).toEqual(['convergence', 'strategies', 'importance', 'slice', 'contour', 'parallel']);
    for (const kind of visualsOf(watched.run)) draw(watched, kind);
    expect(noVisual('pareto', watched.run)).toBe('it shows several objectives, and there is one');
  });

  it('show values that the objective has', () => {
    const { slices, plane, centre } = watched.outcome.experiment!;
    const at = (...moved: readonly (readonly [number, number])[]): number => {
      const point = [...centre];
      for (const [dimension, to] of moved) point[dimension] = to;
      return bowl(point);
    };
    expect(slices).toHaveLength(4);
    for (const { dimension, points } of slices!) {
      expect([points[0].to, points.at(-1)!.to]).toEqual([-5, 5]);
      for (const { to, value } of points) expect(value).toBe(at([dimension, to]));
    }
    const { first, second, firstAt, secondAt, values } = plane!;
    // The last coordinates weigh most.
    expect([first, second]).toEqual([2, 3]);
    expect(values).toHaveLength(firstAt.length * secondAt.length);
    values.forEach((value, i) => {
      const [column, row] = [i % firstAt.length, Math.floor(i / firstAt.length)];
      expect(value).toBe(at([first, firstAt[column]], [second, secondAt[row]]));
    });
  });

  it('show points in the order in which they were the best', () => {
    const improvements = watched.outcome.improvements!;
    expect(improvements.length).toBeLessThanOrEqual(64);
    for (const { value, solution } of improvements) expect(value).toBe(bowl(solution));
    const values = improvements.map(({ value }) => value);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(improvements.at(-1)).toMatchObject({
      value: watched.outcome.bestFitness,
      solution: watched.outcome.bestSolution,
    });
    expect(lines(draw(watched, 'parallel'))).toBe(improvements.length + 1);
  });

  it('cost no more than the tenth of the budget that an explanation may take', () => {
    for (const n of [1, 2, 4, 30, 60, 200]) {
      const bounds = Array.from({ length: n }, () => [-5, 5] as const);
      for (const maxEvaluations of [30, 100, 200, 600, 1_000, 2_000, 5_000, 100_000]) {
        for (const explanationLevel of [3, 4, 5]) {
          const plan = planExperiment({ bounds, maxEvaluations, explanationLevel, isPictured: true });
          const plain = planExperiment({ bounds, maxEvaluations, explanationLevel });
          expect(plan.evaluations).toBeLessThanOrEqual(maxEvaluations / 10);
          expect(plan).toMatchObject({ sides: plain.sides, nearbyPoints: plain.nearbyPoints });
          if (plan.slices > 0) expect(plan.slicePoints).toBeGreaterThanOrEqual(8);
        }
      }
    }
  });

  it('are the same of a run that was interrupted', async () => {
    const short = { ...QUICK, isPictured: true, maxEvaluations: 2_500 } as const;
    const whole = await watch(bowl, short);
    const { snapshots } = whole;
    for (const snapshot of [snapshots[2], snapshots[snapshots.length >> 1], snapshots.at(-2)!]) {
      const { experiment, improvements } = (await watch(bowl, short, snapshot)).outcome;
      expect({ experiment, improvements }).toEqual({
        experiment: whole.outcome.experiment,
        improvements: whole.outcome.improvements,
      });
    }
  });
});

describe('a contour', () => {
  it('has lines where neighbours predict the values, and says that it has none where they do not', async () => {
    const pictured = { isPictured: true, maxEvaluations: 3_000, ...QUICK } as const;
    const smooth = draw(await watch(bowl, pictured), 'contour');
    expect(smooth).toMatch(/<path d="M[^"]*L[^"]*" fill="none" stroke="#fff"/);
    const rough = draw(await watch(ridges, pictured), 'contour');
    expect(rough).not.toContain('stroke="#fff" stroke-opacity');
    expect(rough).toContain('neighbours do not predict the values');
  });

  it('leaves failed points white, and is not made of too few others', async () => {
    const pictured = { isPictured: true, maxEvaluations: 3_000, ...QUICK } as const;
    const some = await watch((x) => (x[3] > 3.8 ? NaN : bowl(x)), pictured);
    expect(draw(some, 'contour')).toContain('failed (white)');
    draw(some, 'slice');
    const many = await watch((x) => (x[3] > 0 || x[2] > 0 ? NaN : bowl(x)), pictured);
    expect(noVisual('contour', many.run)).toMatch(/^\d+ of \d+ evaluations over the plane failed$/);
    const flat = await watch(() => 7, pictured);
    expect(noVisual('contour', flat.run)).toBe('the objective has hardly any different values over the plane');
    expect(noVisual('importance', flat.run)).toMatch(/^no coordinate changes the objective by more than/);
    expect(noVisual('parallel', flat.run)).toBe('it has only 1 point to show');
  });
});

describe('pictures that would show too little', () => {
  it.each([
    ['slice', { isPictured: true, explanationLevel: 3 }, /^only explanations of level 4 and 5 make an experiment/],
    ['importance', { explanationLevel: 3 }, /^only explanations of level 4 and 5 make an experiment/],
    ['slice', { maxEvaluations: 600 }, /^slices are measured where `use_visual_intelligence` is on/],
    [
      'contour',
      { isPictured: true, maxEvaluations: 300 },
      /^a tenth of its 300 evaluations is too little for contours/,
    ],
    ['parallel', {}, /^points are kept where `use_visual_intelligence` is on/],
    [
      'strategies',
      { strategy: 'differential-evolution', explanationLevel: 3 },
      /^differential-evolution searched from the beginning to the end$/,
    ],
  ] as const)('are not made, with the reason: %s, %o', async (kind, more, reason) => {
    const { run, outcome } = await watch(bowl, { ...QUICK, ...more });
    expect(visualsOf(run)).not.toContain(kind);
    expect(drawVisual(kind, run, outcome.history)).toBeNull();
    expect(noVisual(kind, run)).toMatch(reason);
  });

  it('of one dimension have slices, and neither a contour nor parallel axes', async () => {
    const one = await watch(bowl, { ...QUICK, bounds: [[-5, 5]], isPictured: true, maxEvaluations: 2_000 });
    expect(circles(draw(one, 'slice'))).toBe(24 + 2);
    expect(noVisual('contour', one.run)).toBe('it shows two coordinates, and there is one');
    expect(noVisual('parallel', one.run)).toBe('it shows several coordinates, and there is one');
  });
});

it('draws the front of several objectives across the axes of variables and objectives, the knee on top', async () => {
  const watched = await watch(twoCosts, { objectives: 2, maxEvaluations: 800, isPictured: true });
  expect(visualsOf(watched.run)).toEqual(['convergence', 'pareto', 'importance', 'parallel']);
  const svg = draw(watched, 'parallel');
  expect(lines(svg)).toBe(watched.outcome.front!.points.length + 1);
  for (const name of ['x[0]', 'x[3]', 'objective 1', 'objective 2']) expect(svg).toContain(`>${name}<`);
  draw(watched, 'importance');
  expect(noVisual('slice', watched.run)).toBe('it shows one objective, and there are 2');
});

it('has room for twelve variables with long numbers', async () => {
  const bounds = Array.from({ length: 12 }, (_, i) => [-1234.5678 * 10 ** i, 98765.4321 * 10 ** i] as const);
  const wide: Single = (x) => Array.from(x).reduce((sum, own, i) => sum + (own / bounds[i][1]) ** 2, -1e-7);
  const watched = await watch(wide, { ...QUICK, bounds, isPictured: true, maxEvaluations: 6_000 });
  for (const kind of visualsOf(watched.run)) draw(watched, kind);
  expect(visualsOf(watched.run)).toContain('parallel');
});
