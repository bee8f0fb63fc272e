/** The objective fixtures in CPython: what the manifest says of them, and that the sandbox gives the same. */
import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createOutput } from '../src/backends/backend.js';
import { analyzeUpload } from '../src/frontend/compile.js';
import type { ObjectiveSource } from '../src/model/objective.js';
import { askOracle } from './support/cpython-oracle.js';
import {
  boundsFor,
  corners,
  fixtureCode,
  loadObjectiveFixtures,
  objectiveFolder,
  type ObjectiveFixture,
} from './support/objective-fixtures.js';
import { findPython } from './support/python.js';
import { hasNumpy, hasScipy, makeBackend, missing, withoutNumpy, withoutScipy } from './sandbox/support.js';

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

function sourceOf(fixture: ObjectiveFixture): ObjectiveSource {
  const { source, errors } = analyzeUpload(fixtureCode(fixture), 'objective');
  if (source === null) throw new Error(`${fixture.file} is refused: ${errors[0].message}`);
  return source;
}

const share = (part: readonly unknown[], whole: readonly unknown[]): number => part.length / whole.length;

describe('the manifest of the objective fixtures', () => {
  test('names every source once and nothing else', () => {
    const files = readdirSync(objectiveFolder).filter((name) => name.endsWith('.py'));
    expect(fixtures.map((fixture) => fixture.file).sort()).toEqual(files.sort());
  });

  test('gives bounds for each dimension, a source, and purities and tiers that go together', () => {
    for (const fixture of fixtures) {
      const { file, dimensions, purity, tier, list, source, features } = fixture;
      expect(source, file).not.toBe('');
      expect(features.length, file).toBeGreaterThan(0);
      for (const dimension of dimensions) {
        const bounds = boundsFor(fixture, dimension);
        expect(bounds.length, file).toBe(dimension);
        for (const [lower, upper] of bounds) expect(lower, file).toBeLessThan(upper);
      }
      if (tier === 'compiled') expect(['pure', 'library'], file).toContain(purity);
      if (list === 'cpython') expect(purity, file).not.toBe('pure');
    }
  });

  test('keeps the proportions of public objectives', () => {
    const real = fixtures.filter((f) => f.kind === 'real-world');
    const benchmarks = fixtures.filter((f) => f.kind === 'benchmark');
    expect(fixtures.length).toBeGreaterThanOrEqual(150);
    expect(real.length).toBeGreaterThanOrEqual(50);
    const beyondFirstList = benchmarks.filter((f) => f.list !== '90');
    expect(share(beyondFirstList, benchmarks)).toBeGreaterThan(0.1);
    expect(share(beyondFirstList, benchmarks)).toBeLessThan(0.3);
    const compiled = real.filter((f) => f.list !== 'cpython');
    expect(
      share(
        real.filter((f) => f.list === '99'),
        compiled,
      ),
    ).toBeGreaterThan(0.2);
    expect(
      share(
        real.filter((f) => f.list === 'cpython'),
        real,
      ),
    ).toBeGreaterThan(0.15);
  });
});

const python = findPython('numpy', 'scipy');

describe(`the objective fixtures in CPython${suffix(python.reason)}`, { timeout: 60_000 }, () => {
  test.skipIf(python.command === null)('give every stated minimum and value, and numbers inside the bounds', () => {
    const cases = fixtures.flatMap((fixture) => fixture.dimensions.map((dimension) => ({ fixture, dimension })));
    const { results } = askOracle(
      python.command ?? '',
      cases.map(({ fixture, dimension }) => {
        const first = minimizerFor(fixture, dimension);
        const { known } = fixture;
        const stated = [first, known?.x.length === dimension ? known.x : null].filter((p) => p !== null);
        return { source: sourceOf(fixture), points: [...stated, ...points(fixture, dimension, 12)] };
      }),
    );
    for (const [index, { fixture, dimension }] of cases.entries()) {
      const answers = results[index];
      const values = answers.map((answer) => (answer.kind === 'value' ? answer.value : NaN));
      const where = `${fixture.file}, n = ${dimension}`;
      const { minimum, minimizer, known, guards } = fixture;
      if (guards !== true) {
        const errors = answers.filter((answer) => answer.kind === 'error');
        expect(errors, where).toEqual([]);
        for (const value of values) expect(value, where).toSatisfy(Number.isFinite);
      }
      expect(values.some(Number.isFinite), where).toBe(true);
      if (known?.x.length === dimension) {
        const value = values[minimizer === undefined ? 0 : 1];
        expect(Math.abs(value - known.value), `${where} at the known point: ${value}`).toBeLessThanOrEqual(
          known.within,
        );
      }
      if (minimum === undefined) continue;
      const slack = 1e-6 * Math.max(1, Math.abs(minimum));
      for (const value of values) expect(value, where).toBeGreaterThanOrEqual(minimum - slack);
      if (minimizer !== undefined) expect(Math.abs(values[0] - minimum), where).toBeLessThan(slack);
    }
  });
});

const reason = missing ?? (hasNumpy ? (hasScipy ? '' : withoutScipy) : withoutNumpy);

describe(`the objective fixtures for CPython alone, in the sandbox${suffix(reason)}`, () => {
  const backend = reason === '' ? makeBackend() : null;
  afterAll(() => backend?.close());

  test.skipIf(backend === null)(
    'give the bits and the exceptions that CPython gives outside',
    async () => {
      const cases = fixtures
        .filter((fixture) => fixture.tier === 'cpython')
        .map((fixture) => {
          const dimension = fixture.dimensions[0];
          const rows = [...points(fixture, dimension, 6), ...corners(boundsFor(fixture, dimension))];
          return { fixture, dimension, source: sourceOf(fixture), points: rows };
        });
      // As in the sandbox, where libraries choose their code by the processor alone.
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OPENBLAS_')));
      const { results } = askOracle(python.command ?? '', cases, env);
      for (const [index, { fixture, dimension, source, points: rows }] of cases.entries()) {
        const kernel = await backend!.open({ source, dimension, ir: null });
        const output = createOutput(rows.length);
        const candidates = Float64Array.from(rows.flat());
        await kernel.evaluate({ candidates, count: rows.length, dimension }, output);
        await kernel.close();
        rows.forEach((row, k) => {
          const theirs = results[index][k];
          const failure = output.failures.find((f) => f.index === k);
          const mine = failure === undefined ? output.values[k] : failure.type;
          expect(mine, `${fixture.file} at ${row.join(', ')}`).toBe(
            theirs.kind === 'value' ? theirs.value : theirs.type,
          );
        });
      }
    },
    60_000,
  );
});

function suffix(reason: string): string {
  return reason === '' ? '' : ` (skipped: ${reason})`;
}
