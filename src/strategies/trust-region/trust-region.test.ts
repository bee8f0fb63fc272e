import { describe, expect, it } from 'vitest';
import { driveStep, fitnessOf } from '../../../test/support/drive-search.js';
import { Rng } from '../../common/rng.js';
import { Archive } from '../search/archive.js';
import type { SearchContext } from '../search/search.js';
import { minimizeInBox } from './box-quadratic.js';
import { Interpolation } from './interpolation.js';
import { TrustRegion } from './trust-region.js';

const contextOf = (n: number): SearchContext => ({ n, rng: Rng.create(1), archive: new Archive(n), budget: 10_000 });

type Objective = (x: Float64Array) => number;

/** Runs the search to its end, or for `limit` evaluations; gives how many there were. */
function drive(search: TrustRegion, { n, archive }: SearchContext, objective: Objective, limit = 5000): number {
  const before = archive.evaluations;
  while (search.end() === null && archive.evaluations - before < limit) {
    driveStep(search, (asked) => {
      expect(asked.points.every((v) => v >= 0 && v <= 1)).toBe(true);
      const fitness = fitnessOf(asked, objective);
      fitness.forEach((value, k) => archive.add(asked.points, k * n, value, false));
      return fitness;
    });
  }
  return archive.evaluations - before;
}

/** A random quadratic with positive definite Hessian and its minimum at `optimum`. */
function randomQuadratic(n: number, rng: Rng, optimum: Float64Array): Objective {
  const rows = new Float64Array(n * n);
  rng.fillNormals(rows, 0, n * n);
  return (x) => {
    let sum = 0;
    for (let k = 0; k < n; k++) {
      let along = x[k] - optimum[k];
      for (let i = 0; i < n; i++) along += rows[k * n + i] * (x[i] - optimum[i]);
      sum += along * along;
    }
    return sum;
  };
}

describe('minimizeInBox', () => {
  const form = (gradient: number[], hessian: number[][]) => ({
    gradient: Float64Array.from(gradient),
    multiply: (v: Float64Array, out: Float64Array): void =>
      out.set(hessian.map((row) => row.reduce((sum, h, j) => sum + h * v[j], 0))),
  });
  const box = (n: number, radius: number) => ({
    lower: new Float64Array(n).fill(-radius),
    upper: new Float64Array(n).fill(radius),
  });

  it('finds the minimum inside', () => {
    const { lower, upper } = box(2, 10);
    const { step, decrease } = minimizeInBox(
      form(
        [-4, -7],
        [
          [2, 1],
          [1, 3],
        ],
      ),
      lower,
      upper,
    );
    // H s = -g has the solution (1, 2); the decrease is -g's / 2.
    expect(step[0]).toBeCloseTo(1, 12);
    expect(step[1]).toBeCloseTo(2, 12);
    expect(decrease).toBeCloseTo(9, 12);
  });

  it('goes along the surface where the minimum is outside', () => {
    const { lower, upper } = box(2, 1);
    const { step } = minimizeInBox(
      form(
        [-4, -7],
        [
          [2, 1],
          [1, 3],
        ],
      ),
      lower,
      upper,
    );
    // On s_1 = 1: 3 s_1 = 7 - s_0 leaves the box, too; on s_0: 2 s_0 = 4 - 1 does. The corner.
    expect([...step]).toEqual([1, 1]);
  });

  it('leaves along negative curvature and stays where the box has no room', () => {
    const { lower, upper } = box(2, 1);
    const { step, decrease } = minimizeInBox(
      form(
        [1, 0],
        [
          [-2, 0],
          [0, 1],
        ],
      ),
      lower,
      upper,
    );
    expect([...step]).toEqual([-1, 0]);
    expect(decrease).toBeCloseTo(2, 12);
    const none = minimizeInBox(
      form(
        [1, -1],
        [
          [1, 0],
          [0, 1],
        ],
      ),
      Float64Array.of(0, -1),
      Float64Array.of(1, 0),
    );
    expect(none.decrease).toBe(0);
    expect([...none.step]).toEqual([0, 0]);
  });
});

describe('Interpolation', () => {
  /** 2 n + 1 points along the axes around the middle. */
  function cross(n: number, objective: Objective): Interpolation {
    const model = new Interpolation(new Float64Array(n).fill(0.5), 3 * n + 1);
    model.size = 2 * n + 1;
    for (let k = 1; k < model.size; k++) model.points[k * n + ((k - 1) % n)] = k <= n ? 0.1 : -0.1;
    for (let k = 0; k < model.size; k++) {
      model.values[k] = objective(model.point(k).map((v) => 0.5 + v));
      if (model.values[k] < model.values[model.best]) model.best = k;
    }
    return model;
  }

  it('goes through all points after refits, exchanges and additions', () => {
    const n = 4;
    const rng = Rng.create(3);
    const objective: Objective = (x) => x.reduce((sum, v, i) => sum + (i + 1) * v ** 3 - v * x[(i + 1) % n], 0);
    const model = cross(n, objective);
    expect(model.refit(0.1)).toBe(true);
    for (let round = 0; round < 40; round++) {
      const y = Float64Array.from({ length: n }, () => 0.3 * (rng.uniform() - 0.5));
      const value = objective(y.map((v, i) => model.base[i] + v));
      const weighing = model.weigh(y);
      if (round < n) {
        model.append(y, weighing);
        model.learn(model.size - 1, value);
      } else {
        let t = 0;
        for (let k = 1; k < model.size; k++) {
          if (model.denominator(k, weighing) > model.denominator(t, weighing)) t = k;
        }
        model.exchange(t, y, weighing);
        model.learn(t, value);
        // Its Lagrange function is 1 at the new point and 0 at the others.
        for (let k = 0; k < model.size; k++) {
          expect(model.weigh(model.point(k)).weights[n + 1 + t]).toBeCloseTo(k === t ? 1 : 0, 6);
        }
      }
      for (let k = 0; k < model.size; k++) expect(model.value(model.point(k))).toBeCloseTo(model.values[k], 8);
      if (round % 10 === 9) expect(model.refit(0.1)).toBe(true);
    }
  });

  it('has the least second derivatives that its points allow', () => {
    const n = 3;
    const optimum = Float64Array.of(0.4, 0.7, 0.55);
    const model = cross(n, (x) => x.reduce((sum, v, i) => sum + (i + 1) * (v - optimum[i]) ** 2, 0));
    expect(model.refit(0.1)).toBe(true);
    // Along the axes the points say everything, and nothing speaks for mixed derivatives.
    const out = new Float64Array(n);
    const { multiply } = model.around(model.best);
    for (let i = 0; i < n; i++) {
      multiply(
        Float64Array.from({ length: n }, (_, j) => (i === j ? 1 : 0)),
        out,
      );
      out.forEach((v, j) => expect(v).toBeCloseTo(i === j ? 2 * (i + 1) : 0, 9));
    }
  });

  it('says when the points determine nothing', () => {
    const model = new Interpolation(Float64Array.of(0.5, 0.5), 7);
    model.size = 5;
    expect(model.refit(0.1)).toBe(false);
  });
});

describe('TrustRegion', () => {
  it('minimises quadratics in a few evaluations per dimension', () => {
    const rng = Rng.create(11);
    for (const n of [1, 2, 5, 8]) {
      const optimum = Float64Array.from({ length: n }, () => 0.2 + 0.6 * rng.uniform());
      const context = contextOf(n);
      const search = new TrustRegion(context, { x: new Float64Array(n).fill(0.5) });
      drive(search, context, randomQuadratic(n, rng, optimum), 40 * n + 20);
      expect(search.fitness).toBeLessThan(1e-8);
      search.point.forEach((v, i) => expect(v).toBeCloseTo(optimum[i], 3));
    }
  });

  it('finds minima on the surface of the box', () => {
    const context = contextOf(3);
    const search = new TrustRegion(context, { x: Float64Array.of(0.5, 0.05, 0.99) });
    drive(search, context, (x) => x[0] - 2 * x[1] + (x[2] - 1.5) ** 2);
    expect(search.end()).not.toBeNull();
    expect([...search.point]).toEqual([0, 1, 1]);
  });

  it('uses the points of the archive instead of new ones', () => {
    const n = 4;
    const rng = Rng.create(2);
    const objective = randomQuadratic(n, rng, new Float64Array(n).fill(0.52));
    const context = contextOf(n);
    for (let k = 0; k < 60; k++) {
      const x = Float64Array.from({ length: n }, () => 0.5 + 0.15 * rng.normal());
      context.archive.add(x, 0, objective(x), false);
    }
    const { archive } = context;
    const search = new TrustRegion(context, { x: archive.bestPoint()!, fitness: archive.bestFitness });
    const step = search.step();
    expect(step.next(new Float64Array(0)).done).toBe(true);
    expect(drive(search, context, objective)).toBeGreaterThan(0);
    expect(search.fitness).toBeLessThan(1e-8);
  });

  it('comes close to the minimum under noise of one per cent', () => {
    const n = 5;
    const rng = Rng.create(8);
    const context = contextOf(n);
    const sphere = (x: Float64Array): number => x.reduce((sum, v) => sum + (10 * v - 6) ** 2, 0);
    const search = new TrustRegion(context, { x: new Float64Array(n).fill(0.3) });
    drive(search, context, (x) => sphere(x) * (1 + 0.01 * rng.normal()), 300);
    expect(sphere(search.point)).toBeLessThan(1e-4);
  });

  it('ends on a plateau, at its last radius, and when everything fails', () => {
    const ended = (objective: Objective) => {
      const context = contextOf(2);
      const search = new TrustRegion(context, { x: Float64Array.of(0.5, 0.5) });
      drive(search, context, objective);
      return search.end();
    };
    expect(ended(() => 3)).toBe('tolFun');
    expect(ended((x) => Math.abs(x[0] - 0.3) + Math.abs(x[1] - 0.6))).toBe('tolX');
    expect(ended(() => Infinity)).toBe('stalled');
  });
});
