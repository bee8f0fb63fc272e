import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  boundsFor,
  loadObjectiveFixtures,
  objectiveFolder,
  type ObjectiveFixture,
} from './support/objective-fixtures.js';
import { analyzeUpload } from '../src/frontend/compile.js';
import { askOracle } from './support/cpython-oracle.js';
import { findPython } from './support/python.js';

const fixtures = loadObjectiveFixtures();

/** Points inside the bounds from a fixed linear congruential sequence, so that a failure repeats. */
function points(fixture: ObjectiveFixture, dimension: number, count: number): number[][] {
  let state = 12_345;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const bounds = boundsFor(fixture, dimension);
  return Array.from({ length: count }, () => bounds.map(([lower, upper]) => lower + next() * (upper - lower)));
}

const minimizerFor = (fixture: ObjectiveFixture, dimension: number): readonly number[] | null => {
  const { minimizer } = fixture;
  if (minimizer === undefined) return null;
  return typeof minimizer === 'number' ? Array.from({ length: dimension }, () => minimizer) : minimizer;
};

describe('objective fixtures', () => {
  test('the manifest names every source once and nothing else', () => {
    const files = readdirSync(objectiveFolder).filter((name) => name.endsWith('.py'));
    expect(fixtures.map((fixture) => fixture.file).sort()).toEqual(files.sort());
  });

  const python = findPython('numpy');
  test.skipIf(python.command === null)(`CPython agrees with every stated minimum${suffix(python.reason)}`, () => {
    const cases = fixtures.flatMap((fixture) => fixture.dimensions.map((dimension) => ({ fixture, dimension })));
    const { results } = askOracle(
      python.command ?? '',
      cases.map(({ fixture, dimension }) => {
        const { source } = analyzeUpload(readFileSync(objectiveFolder + fixture.file, 'utf8'), 'objective');
        if (source === null) throw new Error(`${fixture.file} is refused`);
        const known = minimizerFor(fixture, dimension);
        const random = points(fixture, dimension, 20);
        return { source, points: known === null ? random : [known, ...random] };
      }),
    );
    for (const [index, { fixture, dimension }] of cases.entries()) {
      const answers = results[index] ?? [];
      const values = answers.flatMap((answer) => (answer.kind === 'value' ? [answer.value] : []));
      expect(answers.length).toBeGreaterThanOrEqual(20);
      const where = `${fixture.file}, n = ${dimension}`;
      expect(
        answers.filter((answer) => answer.kind === 'error'),
        where,
      ).toEqual([]);
      for (const value of values) expect(value, where).toSatisfy(Number.isFinite);
      const { minimum } = fixture;
      if (minimum === undefined) continue;
      const slack = 1e-6 * Math.max(1, Math.abs(minimum));
      for (const value of values) expect(value, where).toBeGreaterThanOrEqual(minimum - slack);
      if (fixture.minimizer !== undefined) expect(Math.abs((values[0] ?? NaN) - minimum), where).toBeLessThan(slack);
    }
  });
});

function suffix(reason: string): string {
  return reason === '' ? '' : ` (skipped: ${reason})`;
}
