/** The problems outside BBOB (bench/outside/): what their table says, in CPython. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { GROUPS, instanceOf, readTable, type Problem } from '../bench/outside/problem-set.mjs';
import { budgetsOf, makeReport, scaleOf, shareOf } from '../bench/outside/report.mjs';
import type { ObjectiveSource } from '../src/model/objective.js';
import { askOracle } from './support/cpython-oracle.js';
import { findPython } from './support/python.js';

const table = readTable();
const { command, reason } = findPython('numpy');
const RANDOM_POINTS = 5;

/** From a fixed linear congruential sequence, so that a failure repeats. */
function pointsIn(bounds: Problem['bounds'], count: number): number[][] {
  let state = 12_345;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  return Array.from({ length: count }, () => bounds.map(([lower, upper]) => lower + next() * (upper - lower)));
}

const sourceOf = (code: string): ObjectiveSource => ({
  code,
  entry: 'f',
  argument: code.includes('import numpy') ? 'ndarray' : 'list',
});

describe('the table', () => {
  test('has as many problems of each group as it promises, half of each held out', () => {
    const least: Record<string, number> = { classical: 30, designs: 30, fits: 30, integers: 20, noisy: 10 };
    for (const group of GROUPS) {
      const own = table.filter((problem) => problem.group === group);
      expect(own.length, group).toBeGreaterThanOrEqual(least[group] ?? Infinity);
      expect(own.filter(({ heldOut }) => heldOut).length, group).toBe(Math.floor(own.length / 2));
    }
  });

  test('names each file once, with a source', () => {
    const folder = fileURLToPath(new URL('../bench/outside/problems', import.meta.url));
    const files = GROUPS.flatMap((group) =>
      readdirSync(`${folder}/${group}`).map((file: string) => `${group}/${file}`),
    );
    expect(table.map(({ group, name }) => `${group}/${name}.py`).sort()).toEqual(files.sort());
    expect(table.filter(({ source }) => source.length < 10)).toEqual([]);
  });

  test('has best points inside the bounds', () => {
    for (const problem of table) {
      for (const { bounds, at } of [problem, instanceOf(problem, 1)].map((one) => ({ at: problem.best.at, ...one }))) {
        expect(at.length, problem.name).toBe(bounds.length);
        at.forEach((v, i) => {
          expect(v, problem.name).toBeGreaterThanOrEqual(bounds[i]?.[0] ?? NaN);
          expect(v, problem.name).toBeLessThanOrEqual(bounds[i]?.[1] ?? NaN);
        });
      }
    }
  });

  test('classical functions have other boxes and optima in each instance', () => {
    for (const problem of table.filter(({ group }) => group === 'classical')) {
      const [first, second] = [instanceOf(problem, 1), instanceOf(problem, 2)];
      expect(first.at, problem.name).not.toEqual(second.at);
      expect(first.bounds, problem.name).not.toEqual(problem.bounds);
      expect(instanceOf(problem, 1), problem.name).toEqual(first);
    }
  });
});

describe.skipIf(command === null)(`in CPython${command === null ? `: ${reason}` : ''}`, () => {
  test('every program gives its best value at its best point, and is finite and not better elsewhere', () => {
    const instances = table.flatMap((problem) =>
      (problem.group === 'classical' ? [1, 2] : [1]).map((k) => ({ name: problem.name, ...instanceOf(problem, k) })),
    );
    const { results } = askOracle(
      command ?? '',
      instances.map(({ code, bounds, at }) => ({
        source: sourceOf(code),
        points: [at, ...pointsIn(bounds, RANDOM_POINTS)],
      })),
    );
    instances.forEach(({ name, value }, k) => {
      const tolerance = 1e-9 * Math.max(1, Math.abs(value));
      const values = (results[k] ?? []).map((result) => (result.kind === 'value' ? result.value : NaN));
      expect(values.length, name).toBe(1 + RANDOM_POINTS);
      expect(Math.abs((values[0] ?? NaN) - value), `${name} at its best point`).toBeLessThanOrEqual(tolerance);
      for (const other of values) expect(other, name).toBeGreaterThanOrEqual(value - tolerance);
    });
  });
});

describe('the share of targets', () => {
  test('counts precisions in units of what random search leaves', () => {
    expect(shareOf(3, 3, 10)).toBe(1);
    expect(shareOf(13, 3, 10)).toBeCloseTo(11 / 51);
    expect(shareOf(4, 3, 10)).toBeCloseTo(16 / 51);
    expect(shareOf(Infinity, 3, 10)).toBe(0);
  });

  test('takes fewer evaluations of random search where it finds the best value', () => {
    expect(scaleOf([9, 6, 4, 3.5], 3)).toBeCloseTo(0.5);
    expect(scaleOf([9, 6, 3, 3], 3)).toBe(3);
  });
});

describe('the report', () => {
  const problems = ['designs', 'noisy'].flatMap((group) => table.filter((one) => one.group === group).slice(0, 2));
  /** Each run reaches `gaps[i]` above the best value at the i-th budget. */
  const recordOf = (
    solver: string,
    gaps: readonly number[],
    own = problems,
  ): { solver: string; runs: Record<string, { best: number[] }> } => ({
    solver,
    runs: Object.fromEntries(own.map(({ name, best }) => [`${name} 1`, { best: gaps.map((gap) => best.value + gap) }])),
  });
  const ours = [recordOf('random', [4, 3, 2, 1]), recordOf('called', [0.4, 0.3, 0.2, 0.1])];
  const reportOf = (...peers: ReturnType<typeof recordOf>[]): string =>
    makeReport(problems, 'all', [...ours, ...peers], ['called', ...peers.map(({ solver }) => solver)]).markdown;
  /** By number of evaluations, the cells of a solver. */
  const cellsOf = (markdown: string, solver: string): string[][] =>
    markdown.split('\n').filter((line) => line.startsWith(`| ${solver} |`)).map((line) => line.split(' | ').slice(1).map((cell) => cell.replace(' |', ''))); // prettier-ignore

  test('says where nothing was run, not only where runs are missing', () => {
    const markdown = reportOf(recordOf('optuna-GP', [0.2, 0.2, 0.2]));
    const number = expect.stringMatching(/^0\.\d{3}$/);
    expect(cellsOf(markdown, 'optuna-GP')).toEqual([...Array(3).fill([number, number]), ['not run', 'not run']]);
    expect(budgetsOf('optuna-GP')).toEqual([50, 100, 200]);
    expect(markdown).not.toContain('Partial');
  });

  test('counts runs that are shorter than they should be, by budget', () => {
    const peer = recordOf('optuna-GP', [0.2, 0.2]);
    for (const { name } of problems.slice(1)) peer.runs[`${name} 1`]?.best.pop();
    const markdown = reportOf(peer);
    expect(cellsOf(markdown, 'optuna-GP')[1]).toEqual(['partly', 'not run']);
    expect(markdown).toContain(
      '**Partial**: optuna-GP 1 of 4 runs at 100 evaluations, optuna-GP not run at 200 evaluations.',
    );
    expect(reportOf(recordOf('optuna-GP', [0.2, 0.2, 0.2], problems.slice(1)))).toContain('optuna-GP 3 of 4 runs.');
  });

  test('asks nothing of a solver where it cannot be run', () => {
    const markdown = reportOf(recordOf('open', [0.1, 0.1, 0.1, 0.1], problems.slice(0, 2)));
    expect(cellsOf(markdown, 'open').map((cells) => cells[1])).toEqual(['–', '–', '–', '–']);
    expect(markdown).not.toContain('Partial');
  });
});
