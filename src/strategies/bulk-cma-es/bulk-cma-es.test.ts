import { describe, expect, it } from 'vitest';
import { decodeFloats } from '../../common/float64-codec.js';
import { inRows } from '../../model/candidate-batch.js';
import { generationStrategy } from '../generations/generation-strategy.js';
import { firstBulkCmaEsProgram } from './bulk-cma-es.js';
import { bulkCmaEs } from './kind.js';
import { layoutOf, parametersOf } from './layout.js';

const boxOf = (n: number, low = -5, high = 5) => ({
  lower: new Float64Array(n).fill(low),
  upper: new Float64Array(n).fill(high),
});

type Value = (x: readonly number[]) => number;

/** Rows of the last generation, and the best value of all. */
function search(n: number, size: number, generations: number, value: Value) {
  const strategy = bulkCmaEs.create({ bounds: boxOf(n), seed: 3, budgetEvaluations: 400 * size });
  let best = Infinity;
  let rows: number[][] = [];
  for (let g = 0; g < generations && strategy.stop() === null; g++) {
    const { candidates, count } = inRows(strategy.ask());
    rows = Array.from({ length: count }, (_, k) => [...candidates.subarray(k * n, (k + 1) * n)]);
    const fitness = Float64Array.from(rows, value);
    best = fitness.reduce((a, b) => Math.min(a, b), best);
    strategy.tell(fitness);
  }
  return { strategy, rows, best };
}

const ellipsoid =
  (condition: number): Value =>
  (x) =>
    x.reduce((sum, v, i) => sum + condition ** (i / (x.length - 1)) * (v - 1) ** 2, 0);

describe('bulk-cma-es', () => {
  it('has a full covariance where it can be learnt in time, else directions for small populations', () => {
    for (const [n, size, form] of [
      [40, 24, 'full'],
      [100, 24, 'limited'],
      [100, 79, 'limited'],
      [100, 80, 'full'],
      [300, 300, 'limited'],
      [300, 301, 'diagonal'],
      [1_000, 10_000, 'full'],
      [1_001, 1_000, 'limited'],
      [1_001, 1_000_000, 'diagonal'],
    ] as const) {
      expect(parametersOf(n, size).form, `${n}, ${size}`).toBe(form);
      expect(parametersOf(n, size, false).form).toBe(form === 'full' ? 'full' : 'diagonal');
    }
  });

  it.each([
    ['full', 8, 100],
    ['limited', 120, 60],
    ['diagonal', 150, 155],
  ])('reaches an optimum in a corner of the box: %s', (form, n, size) => {
    expect(parametersOf(n, size).form).toBe(form);
    const { best, rows } = search(n, size, 400, (x) => x.reduce((sum, v) => sum + v, 0));
    expect(best).toBe(-5 * n);
    expect(rows.flat().every((v) => v >= -5 && v <= 5)).toBe(true);
  });

  it('learns a rotated valley, which a diagonal cannot', () => {
    const cigar: Value = (x) => {
      const along = x.reduce((sum, v) => sum + v - 1, 0) / Math.sqrt(x.length);
      return along ** 2 + 1e6 * (x.reduce((sum, v) => sum + (v - 1) ** 2, 0) - along ** 2);
    };
    expect(search(8, 100, 150, cigar).best).toBeLessThan(1e-8);
  });

  it('goes on where the covariance is as good as singular', () => {
    const { best, rows } = search(6, 60, 1_000, ellipsoid(1e18));
    expect(rows.flat().every((v) => v >= -5 && v <= 5)).toBe(true);
    expect(best).toBeLessThan(1e-3);
  });

  it('goes on with a diagonal where a run began with one', () => {
    const [n, size] = [120, 60];
    const problem = { bounds: boxOf(n), seed: 3, budgetEvaluations: 400 * size };
    const [first, again] = [generationStrategy(firstBulkCmaEsProgram).create(problem), bulkCmaEs.create(problem)];
    const fitness = (): Float64Array => Float64Array.from({ length: size }, (_, k) => (k * 7) % size);
    for (const strategy of [first, again]) for (let g = 0; g < 4; g++) strategy.tell((strategy.ask(), fitness()));
    const restored = bulkCmaEs.restore(problem, first.snapshot());
    expect(restored.snapshot()).toEqual(first.snapshot());
    expect([first, again].map((strategy) => strategy.snapshot().version)).toEqual([1, 2]);
    const next = inRows(first.ask()).candidates;
    expect(inRows(restored.ask()).candidates).toEqual(next);
    expect(inRows(again.ask()).candidates).not.toEqual(next);
  });

  it.each([
    ['full', 8, 100],
    ['limited', 120, 60],
    ['diagonal', 150, 155],
  ])('refuses a snapshot of which some is missing: %s', (form, n, size) => {
    expect(parametersOf(n, size).form).toBe(form);
    const problem = { bounds: boxOf(n), seed: 3, budgetEvaluations: 400 * size };
    const strategy = bulkCmaEs.create(problem);
    for (let g = 0; g < 3; g++) strategy.tell((strategy.ask(), Float64Array.from({ length: size }, (_, k) => k)));
    // In the middle of a generation, too.
    strategy.ask();
    strategy.tell(new Float64Array(10));
    const snapshot = strategy.snapshot() as unknown as { version: number; shared: string; told: { fitness: string } };
    const fitness = snapshot.told.fitness.slice(12);
    for (const damage of [
      { shared: undefined },
      { shared: '' },
      { shared: snapshot.shared.slice(12) },
      // As much as another form has.
      { shared: snapshot.shared.slice(0, 4 * Math.floor(snapshot.shared.length / 8)) },
      { told: { ...snapshot.told, fitness } },
      { version: 1, shared: `AAAA${snapshot.shared}` },
      { version: 3 },
    ]) {
      expect(() => bulkCmaEs.restore(problem, { ...snapshot, ...damage })).toThrow(RangeError);
    }
    const next = inRows(bulkCmaEs.restore(problem, snapshot).ask()).candidates;
    expect(next).toEqual(inRows(strategy.ask()).candidates);
  });

  it('stores what the individuals share, and no population', () => {
    const [n, size] = [4, 100];
    const { strategy } = search(n, size, 5, ellipsoid(10));
    const { vectors, scalars, shared } = strategy.snapshot() as Readonly<Record<string, unknown>>;
    expect([vectors, scalars]).toEqual([[], []]);
    expect(decodeFloats(shared, layoutOf(n, size, 'full').shared).every(Number.isFinite)).toBe(true);
  });
});
