import { describe, expect, it } from 'vitest';
import { Rng } from '../common/rng.js';
import { nativeLinalg } from './native.js';
import { type PolynomialKind, coefficientCount, fitQuadraticInJs } from './quadratic-fit.js';
import { whitenRowsInJs } from './whiten.js';

const KINDS: readonly PolynomialKind[] = ['linear', 'diagonal', 'full'];
const bits = (values: Float64Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex');
const native = nativeLinalg();

function points(n: number, count: number, rng: Rng): Float64Array {
  const z = new Float64Array(count * n);
  rng.fillNormals(z, 0, z.length);
  return z;
}

/** Rows of `z` by ascending fitness. */
const ranked = (fitness: Float64Array): Int32Array =>
  Int32Array.from(Array.from(fitness.keys()).sort((a, b) => fitness[a] - fitness[b] || a - b));

describe('quadratic fit', () => {
  it.each(KINDS)('finds the coefficients of a %s polynomial', (kind) => {
    const rng = Rng.create(5);
    const n = 4;
    const count = 60;
    const z = points(n, count, rng);
    const truth = (k: number): number => {
      let sum = 3;
      for (let i = 0; i < n; i++) {
        const zi = z[k * n + i];
        sum += (i - 1.5) * zi;
        if (kind !== 'linear') sum += (i + 1) * zi * zi;
        if (kind === 'full') for (let j = 0; j < i; j++) sum += 0.25 * (i + j) * zi * z[k * n + j];
      }
      return sum;
    };
    const fitness = Float64Array.from({ length: count }, (_, k) => truth(k));
    const rows = ranked(fitness);
    const found = new Float64Array(coefficientCount[kind](n));
    const task = { kind, n, count, rows, z, fitness, bestWeight: 20, ridge: 1e-11 };
    expect(fitQuadraticInJs(task, found)).toBe(true);
    const best = fitness[rows[0]];
    const scale = fitness[rows[count - 1]] - best;
    expect(found[0] * scale + best).toBeCloseTo(3, 6);
    if (kind === 'full') {
      // (1), (z0, z0 z0), (z1, z1 z0, z1 z1), ...
      expect(found[1] * scale).toBeCloseTo(-1.5, 6);
      expect(found[2] * scale).toBeCloseTo(1, 6);
      expect(found[4] * scale).toBeCloseTo(0.25, 6);
      expect(found[5] * scale).toBeCloseTo(2, 6);
    } else for (let i = 0; i < n; i++) expect(found[1 + i] * scale).toBeCloseTo(i - 1.5, 6);
  });

  it('refuses values that are all equal', () => {
    const z = points(2, 12, Rng.create(1));
    const rows = Int32Array.from({ length: 12 }, (_, k) => k);
    const task = {
      kind: 'full',
      n: 2,
      count: 12,
      rows,
      z,
      fitness: new Float64Array(12),
      bestWeight: 20,
      ridge: 1e-11,
    } as const;
    expect(fitQuadraticInJs(task, new Float64Array(6))).toBe(false);
  });
});

describe.skipIf(native === null)('native linear algebra gives the bits of the JavaScript form', () => {
  const addon = native!;

  it.each(addon === null ? [] : addon.targets())('fits on %s', (target) => {
    const rng = Rng.create(11);
    for (const kind of KINDS) {
      for (const n of [1, 2, 3, 5, 7, 8, 10, 13, 20]) {
        for (const surplus of [0, 1, 2, 3, 40]) {
          const size = coefficientCount[kind](n);
          const count = Math.max(2, size + surplus);
          const z = points(n, count + 5, rng);
          // Some repeated points, some far away.
          if (surplus === 2) z.copyWithin(0, n, 3 * n);
          if (surplus === 3) for (let i = 0; i < z.length; i += 3) z[i] *= 1e60;
          const fitness = Float64Array.from({ length: count + 5 }, () => rng.normal());
          const rows = ranked(fitness).slice(0, count);
          const wanted = new Float64Array(size);
          const found = new Float64Array(size);
          const solved = fitQuadraticInJs({ kind, n, count, rows, z, fitness, bestWeight: 20, ridge: 1e-11 }, wanted);
          expect(addon.fitQuadratic(KINDS.indexOf(kind), n, count, rows, z, fitness, 20, 1e-11, found, target)).toBe(
            solved,
          );
          expect(bits(found)).toBe(bits(wanted));
        }
      }
    }
  });

  it.each(addon === null ? [] : addon.targets())(
    'refuses singular equations on %s as the other form does',
    (target) => {
      const n = 3;
      const count = 14;
      const fitness = Float64Array.from({ length: count }, (_, k) => k);
      const rows = ranked(fitness);
      for (const z of [
        new Float64Array(count * n),
        new Float64Array(count * n).fill(NaN),
        new Float64Array(count * n).fill(1e200),
      ]) {
        const wanted = new Float64Array(10);
        const found = new Float64Array(10);
        const solved = fitQuadraticInJs({ kind: 'full', n, count, rows, z, fitness, bestWeight: 20, ridge: 0 }, wanted);
        expect(addon.fitQuadratic(2, n, count, rows, z, fitness, 20, 0, found, target)).toBe(solved);
        expect(bits(found)).toBe(bits(wanted));
      }
    },
  );

  it.each(addon === null ? [] : addon.targets())('whitens on %s', (target) => {
    const rng = Rng.create(3);
    for (const n of [1, 2, 5, 10, 17, 40]) {
      for (const count of [0, 1, 7, 8, 15, 16, 17, 50]) {
        const all = points(n, 60, rng);
        const entries = Int32Array.from({ length: count }, () => Math.floor(60 * rng.uniform()));
        const mean = points(n, 1, rng);
        const scale = points(n, 1, rng).map((v) => 0.1 + v * v);
        const factor = points(n, n, rng);
        const task = { n, count, entries, points: all, mean, scale, factor };
        const [wantedZ, wantedLengths] = [new Float64Array(count * n), new Float64Array(count)];
        const [z, lengths] = [new Float64Array(count * n), new Float64Array(count)];
        whitenRowsInJs(task, wantedZ, wantedLengths);
        addon.whitenRows(n, count, entries, all, mean, scale, factor, z, lengths, target);
        expect(bits(z)).toBe(bits(wantedZ));
        expect(bits(lengths)).toBe(bits(wantedLengths));
      }
    }
  });

  it('whitens nothing of nothing', () => {
    const one = Float64Array.of(1);
    const nothing = new Float64Array(0);
    expect(() => addon.whitenRows(1, 0, new Int32Array(0), nothing, one, one, one, nothing, nothing)).not.toThrow();
  });

  it('refuses arrays that are too short', () => {
    const z = new Float64Array(10);
    const rows = Int32Array.of(0, 1, 5);
    expect(() => addon.fitQuadratic(0, 2, 3, rows, z, new Float64Array(5), 20, 0, new Float64Array(3))).toThrow(
      /out of range/,
    );
    rows[2] = -1;
    expect(() => addon.fitQuadratic(0, 2, 3, rows, z, new Float64Array(5), 20, 0, new Float64Array(3))).toThrow(
      /out of range/,
    );
    expect(() => addon.fitQuadratic(2, 2, 2, rows, z, new Float64Array(5), 20, 0, new Float64Array(3))).toThrow(
      /too short/,
    );
  });
});
