import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { LinearSolver } from '../highs/linear-solver.js';
import type { LinearProgram } from '../linear-program.js';
import { minimizeDense, type DenseQuadratic } from './active-set.js';
import { branchOverColumns, type Membership, type Relaxation } from './few-columns.js';

function randomDense(rng: Rng, n: number, m: number, scale: number): DenseQuadratic {
  const factors = Array.from({ length: n + 3 }, () => Array.from({ length: n }, () => rng.normal()));
  const curvature = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) curvature[i * n + j] = scale * factors.reduce((sum, f) => sum + f[i] * f[j], 0);
  }
  const inside = Float64Array.from({ length: n }, () => rng.uniform());
  const rows = Array.from({ length: m }, (_, k) => {
    const normal = Float64Array.from({ length: n }, () => (rng.uniform() < 0.3 ? 0 : rng.normal()));
    const at = normal.reduce((sum, value, j) => sum + value * inside[j], 0);
    return { normal, lower: k % 3 === 1 ? -Infinity : at, upper: k % 3 === 2 ? Infinity : at };
  });
  return {
    n,
    curvature,
    cost: Float64Array.from({ length: n }, () => 3 * scale * rng.normal()),
    lower: Float64Array.from(inside, (value, j) => (j % 4 === 0 ? value - 0.1 : 0)),
    upper: Float64Array.from(inside, (_, j) => (j % 5 === 0 ? Infinity : 1)),
    rows,
  };
}

const asProgram = ({ n, curvature, cost, lower, upper, rows }: DenseQuadratic): LinearProgram => ({
  sense: 'minimize',
  columns: Array.from({ length: n }, (_, j) => ({ name: `x${j}`, cost: cost[j], lower: lower[j], upper: upper[j] })),
  rows: rows.map((row, i) => ({
    name: `r${i}`,
    lower: row.lower,
    upper: row.upper,
    terms: Array.from(row.normal, (value, j) => [j, value] as const),
  })),
  quadratic: Array.from({ length: n }, (_, i) => i).flatMap((i) =>
    Array.from({ length: n - i }, (_, k) => ({ i, j: i + k, value: curvature[i * n + i + k] })),
  ),
});

const valueOf = ({ n, curvature, cost }: DenseQuadratic, x: Float64Array): number => {
  let value = 0;
  for (let i = 0; i < n; i++) {
    value += cost[i] * x[i];
    for (let j = 0; j < n; j++) value += 0.5 * curvature[i * n + j] * x[i] * x[j];
  }
  return value;
};

describe('the active-set method', () => {
  it.each([1, 1e-5, 1e5])('agrees with HiGHS to nine digits at a scale of %s', async (scale) => {
    const highs = new LinearSolver(() => false);
    const rng = Rng.create(11);
    for (let k = 0; k < 16; k++) {
      const program = randomDense(rng, 2 + 4 * (k % 7), k % 6, scale);
      const found = minimizeDense(program);
      const other = await highs.solve(asProgram(program));
      expect(other.status).toBe('optimal');
      if (found.status !== 'optimal') throw new Error(found.status);
      const value = valueOf(program, found.values);
      expect(Math.abs(value - other.objective!) / Math.max(scale, Math.abs(value))).toBeLessThan(1e-9);
      for (const [j, x] of found.values.entries()) expect(Math.abs(x - other.values![j])).toBeLessThan(1e-7);
    }
    await highs.close();
  });

  it('finds what contradicts itself infeasible, and what says a thing twice not', () => {
    const rng = Rng.create(12);
    const program = randomDense(rng, 4, 0, 1);
    const normal = Float64Array.of(1, 1, 1, 1);
    const base = { ...program, lower: new Float64Array(4), upper: new Float64Array(4).fill(1) };
    const one = { normal, lower: 1, upper: 1 };
    expect(
      minimizeDense({ ...base, rows: [one, { ...one, normal: normal.map((v) => 2 * v), lower: 2, upper: 2 }] }).status,
    ).toBe('optimal');
    expect(minimizeDense({ ...base, rows: [one, { ...one, lower: 2, upper: 2 }] }).status).toBe('infeasible');
    expect(minimizeDense({ ...base, rows: [{ normal, lower: 5, upper: Infinity }] }).status).toBe('infeasible');
    expect(minimizeDense({ ...base, rows: [{ normal, lower: 4, upper: Infinity }] })).toMatchObject({
      status: 'optimal',
      values: Float64Array.of(1, 1, 1, 1),
    });
  });

  it('does not vouch for a point that lost its digits on the way from a free minimum far away', () => {
    const n = 3;
    const curvature = Float64Array.from({ length: n * n }, (_, at) => (at % (n + 1) === 0 ? 1 : 0));
    const program = {
      n,
      curvature,
      cost: Float64Array.of(1e14, -3e14, 2e14),
      lower: new Float64Array(n),
      upper: new Float64Array(n).fill(1),
      rows: [{ normal: Float64Array.of(0.3, 0.7, 1.1), lower: 1, upper: 1 }],
    };
    const found = minimizeDense(program);
    if (found.status === 'optimal')
      expect(0.3 * found.values[0] + 0.7 * found.values[1] + 1.1 * found.values[2]).toBeCloseTo(1, 9);
    else expect(found.status).toBe('failed');
  });

  it('leaves curvature that is not definite to others', () => {
    const program = randomDense(Rng.create(13), 3, 0, 1);
    expect(minimizeDense({ ...program, curvature: new Float64Array(9).fill(1) }).status).toBe('failed');
  });
});

describe('branch and bound over few columns', () => {
  it.each([0, 0.2])('finds the best of all subsets where a held column is at least %s', async (least) => {
    const rng = Rng.create(14);
    for (let k = 0; k < 20; k++) {
      const n = 7;
      const most = 1 + (k % 4);
      const program = { ...randomDense(rng, n, 0, 1), lower: new Float64Array(n), upper: new Float64Array(n).fill(1) };
      const budget = { normal: new Float64Array(n).fill(1), lower: 1, upper: 1 };
      const relax = (membership: readonly Membership[]): Promise<Relaxation | null> => {
        const found = minimizeDense({
          ...program,
          lower: Float64Array.from(membership, (one) => (one === 'in' ? least : 0)),
          upper: Float64Array.from(membership, (one) => (one === 'out' ? 0 : 1)),
          rows: [budget],
        });
        if (found.status !== 'optimal') return Promise.resolve(null);
        return Promise.resolve({ value: valueOf(program, found.values), weights: [...found.values] });
      };
      let expected = Infinity;
      for (let subset = 1; subset < 1 << n; subset++) {
        const membership = Array.from({ length: n }, (_, j): Membership => ((subset >> j) & 1 ? 'in' : 'out'));
        if (membership.filter((one) => one === 'in').length <= most) {
          expected = Math.min(expected, (await relax(membership))?.value ?? Infinity);
        }
      }
      const result = await branchOverColumns({
        columns: n,
        most,
        least,
        required: membershipOfNone(n),
        relax,
        gap: 1e-9,
        isOver: () => false,
        improved: () => undefined,
      });
      expect(result.best?.value ?? Infinity).toBeCloseTo(expected, 8);
      expect(result.bound).toBeCloseTo(expected, 6);
    }
  });
});

it('gives the best so far, with a bound, where the time is up', async () => {
  const rng = Rng.create(15);
  const n = 30;
  const program = { ...randomDense(rng, n, 0, 1), lower: new Float64Array(n), upper: new Float64Array(n).fill(1) };
  const budget = { normal: new Float64Array(n).fill(1), lower: 1, upper: 1 };
  let left = 4;
  const run = (limit: number) => {
    left = limit;
    return branchOverColumns({
      columns: n,
      most: 4,
      least: 0,
      required: membershipOfNone(n),
      relax: (membership) => {
        if (left-- <= 0) throw new Error('over');
        const upper = Float64Array.from(membership, (one) => (one === 'out' ? 0 : 1));
        const found = minimizeDense({ ...program, cost: new Float64Array(n), upper, rows: [budget] });
        if (found.status !== 'optimal') return Promise.resolve(null);
        const value = valueOf({ ...program, cost: new Float64Array(n) }, found.values);
        return Promise.resolve({ value, weights: [...found.values] });
      },
      gap: 1e-9,
      isOver: () => left <= 0,
      improved: () => undefined,
    });
  };
  const whole = await run(1e6);
  const part = await run(4);
  expect(part.best).not.toBeNull();
  expect(part.best!.value).toBeGreaterThanOrEqual(whole.best!.value);
  expect(part.bound).toBeLessThan(whole.best!.value);
  await expect(run(0)).rejects.toThrow('over');
});

const membershipOfNone = (n: number): boolean[] => Array.from({ length: n }, () => false);
