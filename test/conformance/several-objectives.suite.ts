/** What every strategy of several objectives must do. Expectations follow from `capabilities` alone. */
import { describe, expect, it } from 'vitest';
import { FrontArchive } from '../../src/pareto/front-archive.js';
import type { Strategy, StrategyFactory, StrategyProblem } from '../../src/strategies/strategy.js';
import { box } from './strategy.suite.js';
import { inRows } from '../../src/model/candidate-batch.js';

type Objectives = (x: Float64Array) => readonly number[];

/** Squared distances to k points on the axes: the front is what lies between these. */
const distances =
  (k: number): Objectives =>
  (x) =>
    Array.from({ length: k }, (_, j) => x.reduce((sum, v, i) => sum + (v - (i % k === j ? 1 : 0)) ** 2, 0));

/**
 * Runs ask and tell for exactly `budget` evaluations and returns all candidates; the last generation is told in part.
 */
function drive(
  strategy: Strategy,
  objectives: Objectives,
  k: number,
  budget: number,
  archive?: FrontArchive,
): number[] {
  const candidates: number[] = [];
  for (let evaluations = 0; evaluations < budget;) {
    const batch = inRows(strategy.ask());
    const count = Math.min(batch.count, budget - evaluations);
    const values = new Float64Array(count * k);
    for (let row = 0; row < count; row++) {
      const x = batch.candidates.slice(row * batch.dimension, (row + 1) * batch.dimension);
      candidates.push(...x);
      const own = objectives(x);
      values.set(own, row * k);
      if (own.every(Number.isFinite)) archive?.add(x, own);
    }
    evaluations += count;
    strategy.tell(values);
  }
  return candidates;
}

export function severalObjectivesSuite(factory: StrategyFactory, k: number): void {
  const problem = (n: number, more: Partial<StrategyProblem> = {}): StrategyProblem => ({
    bounds: box(n),
    seed: 1,
    budgetEvaluations: 1000,
    objectives: k,
    ...more,
  });
  const create = (n: number, more: Partial<StrategyProblem> = {}): Strategy => factory.create(problem(n, more));
  const restore = (n: number, strategy: Strategy): Strategy =>
    factory.restore(problem(n), JSON.parse(JSON.stringify(strategy.snapshot())));
  const dimensions = [1, 2, 10].filter((n) => n >= factory.capabilities.minDimension);

  describe(`strategy ${factory.name} of ${k} objectives`, () => {
    it('asks for well-formed batches inside the bounds', () => {
      const boxes: [number, number][] = [
        [-5, 5],
        [1, 1 + 1e-9],
        [-1e300, 1e300],
        [-Number.MAX_VALUE, Number.MAX_VALUE],
        [5e-324, 1e-322],
        [1e15, 1e15 + 1],
      ];
      for (const [low, high] of boxes) {
        for (const n of dimensions) {
          const strategy = create(n, { bounds: box(n, low, high) });
          // Both ends pull.
          const candidates = drive(
            strategy,
            (x) => Array.from({ length: k }, (_, j) => (j % 2 === 0 ? x[0] : -x[0])),
            k,
            600,
          );
          expect(candidates.every((v) => v >= low && v <= high)).toBe(true);
        }
      }
    });

    it('asks the same candidates for the same seed and others for another', () => {
      const first = drive(create(4, { seed: 7 }), distances(k), k, 400);
      expect(drive(create(4, { seed: 7 }), distances(k), k, 400)).toEqual(first);
      expect(drive(create(4, { seed: 8 }), distances(k), k, 400)).not.toEqual(first);
    });

    it('begins with the initial solution', () => {
      const initialSolution = [1, -2, 4.5];
      expect([...inRows(create(3, { initialSolution }).ask()).candidates.subarray(0, 3)]).toEqual(initialSolution);
    });

    it('continues with the same bits after restore, wherever the run is cut', () => {
      for (const n of dimensions) {
        const whole = drive(create(n), distances(k), k, 500);
        for (const cut of [1, 17, 40, 333]) {
          const strategy = create(n);
          const head = drive(strategy, distances(k), k, cut);
          const restored = restore(n, strategy);
          expect([...head, ...drive(restored, distances(k), k, 500 - cut)]).toEqual(whole);
          // The cut itself changed nothing either.
          expect([...head, ...drive(strategy, distances(k), k, 500 - cut)]).toEqual(whole);
        }
      }
    });

    it('asks the same of large populations, told whole or in parts, before and after restore', () => {
      const large = { budgetEvaluations: 1_000_000 };
      const evaluations = 150;
      const whole = drive(create(3, large), distances(k), k, evaluations);
      for (const cut of [17, 64, 99]) {
        const strategy = create(3, large);
        const head = drive(strategy, distances(k), k, cut);
        const restored = factory.restore(problem(3, large), JSON.parse(JSON.stringify(strategy.snapshot())));
        expect([...head, ...drive(restored, distances(k), k, evaluations - cut)]).toEqual(whole);
        expect([...head, ...drive(strategy, distances(k), k, evaluations - cut)]).toEqual(whole);
      }
    });

    it('repeats an ask that was not told, also from a snapshot', () => {
      const strategy = create(4);
      drive(strategy, distances(k), k, 100);
      const asked = Array.from(inRows(strategy.ask()).candidates);
      expect(Array.from(inRows(strategy.ask()).candidates)).toEqual(asked);
      expect(Array.from(inRows(restore(4, strategy).ask()).candidates)).toEqual(asked);
    });

    it('refuses a snapshot of another version, and one objective where it takes only several', () => {
      const snapshot = create(2).snapshot();
      expect(() => factory.restore(problem(2), { ...snapshot, version: -1 })).toThrow('version');
      if ((factory.capabilities.objectives?.[0] ?? 1) > 1)
        expect(() => create(2, { objectives: 1 })).toThrow(RangeError);
    });

    it('refuses values of wrong length, NaN or -Infinity and stays usable', () => {
      const strategy = create(3);
      expect(() => strategy.tell(new Float64Array(k))).toThrow(RangeError);
      const { count } = strategy.ask();
      expect(() => strategy.tell(new Float64Array(0))).toThrow(RangeError);
      expect(() => strategy.tell(new Float64Array(count * k - 1))).toThrow(RangeError);
      expect(() => strategy.tell(new Float64Array((count + 1) * k))).toThrow(RangeError);
      const broken = new Float64Array(count * k);
      broken[count * k - 1] = NaN;
      expect(() => strategy.tell(broken)).toThrow('NaN');
      broken[count * k - 1] = -Infinity;
      expect(() => strategy.tell(broken)).toThrow('-Infinity');
      strategy.tell(new Float64Array(count * k));
      expect(strategy.incumbent()).toBeNull();
      drive(strategy, distances(k), k, 100);
    });

    it('goes on while every evaluation fails, or all values are equal, huge or infinite', () => {
      const cases: Objectives[] = [
        () => new Array<number>(k).fill(Infinity),
        () => new Array<number>(k).fill(0),
        (x) => Array.from({ length: k }, (_, j) => (x[0] > 0 === (j === 0) ? 1e308 : -1e308)),
        (x) => Array.from({ length: k }, (_, j) => (j === 0 ? x[0] : Infinity)),
        (x) => Array.from({ length: k }, () => Math.trunc(x[0])),
      ];
      for (const objectives of cases) {
        const strategy = create(2);
        const candidates = drive(strategy, objectives, k, 700);
        expect(candidates.every((v) => v >= -5 && v <= 5)).toBe(true);
      }
    });

    it('finds a front after nothing but failures', () => {
      const strategy = create(2);
      drive(strategy, () => new Array<number>(k).fill(Infinity), k, 700);
      const archive = new FrontArchive(2, k);
      drive(strategy, distances(k), k, 300, archive);
      expect(archive.size).toBeGreaterThan(10);
    });

    it('comes to the front, also when a fifth of the values is missing', () => {
      for (const missing of [0, 5]) {
        let calls = 0;
        const objectives: Objectives = (x) =>
          missing > 0 && ++calls % missing === 0 ? new Array<number>(k).fill(Infinity) : distances(k)(x);
        const archive = new FrontArchive(k, k, new Array<number>(k).fill(3));
        drive(create(k, { budgetEvaluations: 3000 }), objectives, k, 3000, archive);
        const { size, solutions } = archive.front();
        expect(size).toBeGreaterThan(30);
        // The front is the simplex of the k points: x is not negative and adds up to 1.
        let offFront = 0;
        for (let row = 0; row < size; row++) {
          const x = solutions.subarray(row * k, (row + 1) * k);
          offFront += Math.abs(x.reduce((a, b) => a + b, 0) - 1) + x.reduce((sum, v) => sum + Math.max(0, -v), 0);
        }
        // Of the box, about 4 and more.
        expect(offFront / size).toBeLessThan(0.3);
      }
    });

    it('works at the largest dimension it promises', () => {
      const n = factory.capabilities.maxDimension;
      const strategy = create(n);
      drive(strategy, distances(k), k, 30);
      expect(Array.from(inRows(restore(n, strategy).ask()).candidates)).toEqual(
        Array.from(inRows(strategy.ask()).candidates),
      );
    });
  });
}
