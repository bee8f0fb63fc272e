import { describe, expect, it } from 'vitest';
import { Rng } from '../../common/rng.js';
import { Archive } from '../search/archive.js';
import type { SearchContext } from '../search/search.js';
import { Bayesian } from './bayesian.js';

type Objective = (x: Float64Array) => number;

const context = (n: number): SearchContext => ({ n, rng: Rng.create(5), archive: new Archive(n), budget: 1000 });

/** Steps until it ends or so many evaluations are used; returns the sizes of the batches. */
function drive(search: Bayesian, { n, archive }: SearchContext, objective: Objective, evaluations: number): number[] {
  const counts: number[] = [];
  while (archive.evaluations < evaluations && search.end() === null) {
    const step = search.step();
    for (let next = step.next(); next.done !== true;) {
      const { points, count } = next.value;
      const fitness = new Float64Array(count);
      for (let k = 0; k < count; k++) {
        fitness[k] = objective(points.slice(k * n, (k + 1) * n));
        archive.add(points, k * n, fitness[k], false);
      }
      counts.push(count);
      next = step.next(fitness);
    }
  }
  return counts;
}

const bowl: Objective = (x) => x.reduce((sum, v, i) => sum + (i + 1) * (v - 0.3 - 0.1 * (i % 4)) ** 2, 0);
/** Branin's function on the unit square; its minimum is 0.397887. */
const branin: Objective = (x) => {
  const [a, b] = [15 * x[0] - 5, 15 * x[1]];
  const valley = b - (5.1 / (4 * Math.PI ** 2)) * a * a + (5 / Math.PI) * a - 6;
  return valley * valley + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(a) + 10;
};

describe('Bayesian optimization', () => {
  it('finds the minimum of a bowl in a few evaluations per dimension', () => {
    for (const [n, evaluations] of [
      [2, 25],
      [6, 90],
    ] as const) {
      const c = context(n);
      drive(new Bayesian(c, { usesArchive: true }), c, bowl, evaluations);
      expect(c.archive.bestFitness).toBeLessThan(1e-3);
    }
  });

  it("finds one of the minima of Branin's function", () => {
    const c = context(2);
    drive(new Bayesian(c, { usesArchive: true }), c, branin, 50);
    expect(c.archive.bestFitness).toBeLessThan(0.41);
  });

  it('is not led astray by noise', () => {
    const c = context(2);
    const noise = Rng.create(9);
    drive(new Bayesian(c, { usesArchive: true }), c, (x) => bowl(x) + 0.02 * noise.normal(), 50);
    const best = c.archive.bestPoint()!;
    expect(bowl(best)).toBeLessThan(0.05);
  });

  it('ends after 10 evaluations per dimension or when its region has shrunk', () => {
    const c = context(2);
    const search = new Bayesian(c, { usesArchive: true });
    drive(search, c, branin, 1000);
    expect(search.end()).not.toBeNull();
    expect(c.archive.evaluations).toBeLessThanOrEqual(20);
    const flat = context(3);
    const idle = new Bayesian(flat, { usesArchive: true });
    drive(idle, flat, () => 0, 1000);
    expect(idle.end()).toBe('tolX');
  });

  it('begins with what others evaluated and takes in what they evaluate later', () => {
    const c = context(2);
    const rng = Rng.create(4);
    const share = (x: Float64Array): void => c.archive.add(x, 0, bowl(x), false);
    for (let k = 0; k < 12; k++) share(Float64Array.of(rng.uniform(), rng.uniform()));
    const search = new Bayesian(c, { usesArchive: true });
    // No design of its own.
    expect(drive(search, c, bowl, 13)).toEqual([1]);
    share(Float64Array.of(0.3, 0.4));
    drive(search, c, bowl, 15);
    const last = c.archive.points.slice(14 * 2);
    expect(Math.hypot(last[0] - 0.3, last[1] - 0.4)).toBeLessThan(0.2);
  });

  it('leaves out what was evaluated before, where it is to begin anew', () => {
    const c = context(2);
    for (let k = 0; k < 12; k++) c.archive.add(Float64Array.of(k / 12, 0.5), 0, k, false);
    const first = Float64Array.of(0.9, 0.8);
    const counts = drive(new Bayesian(c, { usesArchive: false, first }), c, bowl, 14);
    expect(counts[0]).toBeGreaterThan(3);
    expect([...c.archive.points.slice(24, 26)]).toEqual([...first]);
  });

  it('goes on from a snapshot with the same bits, after points of others, too', () => {
    const run = (cut: number): number[] => {
      const c = context(3);
      let search = new Bayesian(c, { usesArchive: true });
      drive(search, c, bowl, 20);
      c.archive.add(Float64Array.of(0.3, 0.4, 0.5), 0, 0.1, false);
      drive(search, c, bowl, cut);
      search = Bayesian.restore(c, JSON.parse(JSON.stringify(search.snapshot())));
      drive(search, c, bowl, 60);
      return [...c.archive.points.slice(0, 180)];
    };
    const whole = run(21);
    for (const cut of [22, 30, 45]) expect(run(cut)).toEqual(whole);
  });
});
