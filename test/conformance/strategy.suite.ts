/**
 * What every strategy must do, whatever it is. Each registered strategy runs this list
 * (`strategy.conformance.test.ts`); expectations follow from its capabilities, never from its name. A new strategy says
 * through `StrategyExpectations` how its stop reasons can be brought about.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Strategy, StrategyFactory, StrategyProblem, StrategyStop } from '../../src/strategies/strategy.js';
import { inRows } from '../../src/model/candidate-batch.js';

export interface StrategyExpectations {
  /**
   * For each reason the strategy can give: an objective (and dimension) that must bring it about within `evaluations`.
   */
  readonly stops: Partial<
    Record<StrategyStop, { dimension: number; evaluations: number; objective: (x: Float64Array) => number }>
  >;
  /**
   * Evaluations within which a shifted sphere in 5-D must reach 1e-8 for each of five seeds; absent: it converges to
   * nothing.
   */
  readonly sphereEvaluations?: number;
  /** Dimensions in which it is cut and restored; fewer for strategies that take long. */
  readonly restoredAt?: readonly number[];
}

type Objective = (x: Float64Array) => number;

export function box(n: number, lower = -5, upper = 5): StrategyProblem['bounds'] {
  return { lower: new Float64Array(n).fill(lower), upper: new Float64Array(n).fill(upper) };
}

const shiftedSphere: Objective = (x) => x.reduce((sum, v, i) => sum + (v - 1.5 + 0.25 * (i % 3)) ** 2, 0);

interface Trace {
  readonly candidates: number[];
  readonly best: number;
  readonly stops: StrategyStop[];
  /** Numbers in `candidates` when the first stop reason was named, or all. */
  readonly beforeStop: number;
}

/** Runs ask/tell for exactly `budget` evaluations; the last generation is told in part. */
function drive(strategy: Strategy, objective: Objective, budget: number): Trace {
  const candidates: number[] = [];
  const stops: StrategyStop[] = [];
  let evaluations = 0;
  let best = Infinity;
  let beforeStop = Infinity;
  while (evaluations < budget) {
    const batch = inRows(strategy.ask());
    const count = Math.min(batch.count, budget - evaluations);
    const fitness = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      const x = batch.candidates.slice(k * batch.dimension, (k + 1) * batch.dimension);
      candidates.push(...x);
      fitness[k] = objective(x);
      best = Math.min(best, fitness[k]);
    }
    evaluations += count;
    strategy.tell(fitness);
    const stop = strategy.stop();
    if (stop === null) continue;
    stops.push(stop);
    beforeStop = Math.min(beforeStop, candidates.length);
  }
  return { candidates, best, stops, beforeStop: Math.min(beforeStop, candidates.length) };
}

export function strategySuite(factory: StrategyFactory, expectations: StrategyExpectations): void {
  const { converges = true } = factory.capabilities;
  const problem = (n: number, more: Partial<StrategyProblem> = {}): StrategyProblem => ({
    bounds: box(n),
    seed: 1,
    budgetEvaluations: 10_000,
    ...more,
  });
  const create = (n: number, more: Partial<StrategyProblem> = {}): Strategy => factory.create(problem(n, more));
  const dimensions = [1, 2, 3, 10, 40].filter(
    (n) => n >= factory.capabilities.minDimension && n <= factory.capabilities.maxDimension,
  );

  describe(`strategy ${factory.name}`, () => {
    it('asks for well-formed batches inside the bounds', () => {
      const boxes: [number, number][] = [
        [-5, 5],
        [0, 1],
        [1, 1 + 1e-9],
        [-1e300, 1e300],
        [-Number.MAX_VALUE, Number.MAX_VALUE],
        [5e-324, 1e-322],
        [1e15, 1e15 + 1],
      ];
      for (const [low, high] of boxes) {
        for (const n of dimensions) {
          const bounds = box(n, low, high);
          const strategy = create(n, { bounds });
          // A linear objective drives the search into a corner.
          for (let generation = 0; generation < 60; generation++) {
            const batch = inRows(strategy.ask());
            expect(batch.dimension).toBe(n);
            expect(batch.count).toBeGreaterThan(0);
            expect(batch.candidates.length).toBeGreaterThanOrEqual(batch.count * n);
            const used = batch.candidates.subarray(0, batch.count * n);
            expect(used.every((v) => v >= low && v <= high)).toBe(true);
            strategy.tell(Float64Array.from({ length: batch.count }, (_, k) => -used[k * n] / 2));
          }
        }
      }
    });

    it('asks the same candidates for the same seed and others for another', () => {
      for (const n of dimensions) {
        const first = drive(create(n, { seed: 7 }), shiftedSphere, 400).candidates;
        expect(drive(create(n, { seed: 7 }), shiftedSphere, 400).candidates).toEqual(first);
        if (!factory.capabilities.dependsOnSeed) continue;
        expect(drive(create(n, { seed: 8 }), shiftedSphere, 400).candidates).not.toEqual(first);
      }
    });

    it('begins with the initial solution', () => {
      const initialSolution = [1, -2, 4.5];
      const batch = inRows(create(3, { initialSolution }).ask());
      expect([...batch.candidates.subarray(0, 3)]).toEqual(initialSolution);
    });

    it('continues with the same bits after restore, wherever the run is cut', () => {
      for (const n of expectations.restoredAt ?? dimensions) {
        const whole = drive(create(n), shiftedSphere, 700).candidates;
        for (const cut of [1, 17, 40, 333, 601]) {
          const strategy = create(n);
          const head = drive(strategy, shiftedSphere, cut).candidates;
          const text = JSON.stringify(strategy.snapshot());
          const restored = factory.restore(problem(n), JSON.parse(text));
          expect(restored.incumbent()).toEqual(strategy.incumbent());
          expect(restored.stop()).toBe(strategy.stop());
          expect([...head, ...drive(restored, shiftedSphere, 700 - cut).candidates]).toEqual(whole);
          // The cut itself changed nothing either.
          expect([...head, ...drive(strategy, shiftedSphere, 700 - cut).candidates]).toEqual(whole);
        }
      }
    });

    it('asks the same of large populations, told whole or in parts, before and after restore', () => {
      const large = { budgetEvaluations: 2_000_000, sideBySide: 70 };
      const n = Math.min(10, factory.capabilities.maxDimension);
      const evaluations = 200;
      const whole = drive(create(n, large), shiftedSphere, evaluations).candidates;
      for (const cut of [17, 64, 150]) {
        const strategy = create(n, large);
        const head = drive(strategy, shiftedSphere, cut).candidates;
        const restored = factory.restore(problem(n, large), JSON.parse(JSON.stringify(strategy.snapshot())));
        expect([...head, ...drive(restored, shiftedSphere, evaluations - cut).candidates]).toEqual(whole);
        expect([...head, ...drive(strategy, shiftedSphere, evaluations - cut).candidates]).toEqual(whole);
      }
    });

    it('repeats an ask that was not told, also from a snapshot', () => {
      const strategy = create(4);
      drive(strategy, shiftedSphere, 100);
      const asked = Array.from(inRows(strategy.ask()).candidates);
      expect(Array.from(inRows(strategy.ask()).candidates)).toEqual(asked);
      const restored = factory.restore(problem(4), JSON.parse(JSON.stringify(strategy.snapshot())));
      expect(Array.from(inRows(restored.ask()).candidates)).toEqual(asked);
    });

    it('takes results that it did not ask for, at any time, and goes on from a snapshot with the same bits', () => {
      const better = Float64Array.of(1.5, 1.75, 2, 1.5);
      const search = (cut: number): { candidates: number[]; fitness: number | undefined } => {
        let strategy = create(4);
        const candidates: number[] = [];
        for (let evaluation = 0; evaluation < 120; evaluation++) {
          candidates.push(...inRows(strategy.ask()).candidates.subarray(0, 4));
          if (evaluation % 30 === 29) strategy.learn?.(better, 1e-3 / evaluation);
          strategy.tell(Float64Array.of(shiftedSphere(Float64Array.from(candidates.slice(-4)))));
          if (evaluation % 30 === 20) strategy.learn?.(better, 1e-3);
          if (evaluation === cut)
            strategy = factory.restore(problem(4), JSON.parse(JSON.stringify(strategy.snapshot())));
        }
        return { candidates, fitness: strategy.incumbent()?.fitness };
      };
      const whole = search(-1);
      if (create(4).learn !== undefined) expect(whole.fitness).toBeLessThanOrEqual(1e-3 / 119);
      for (const cut of [0, 20, 21, 29, 30, 59, 80]) expect(search(cut)).toEqual(whole);
    });

    it('refuses a snapshot of another version', () => {
      const snapshot = create(2).snapshot();
      expect(() => factory.restore(problem(2), { ...snapshot, version: -1 })).toThrow('version');
    });

    it('refuses fitness of wrong length, NaN or -Infinity and stays usable', () => {
      const strategy = create(3);
      expect(() => strategy.tell(Float64Array.of(1))).toThrow(RangeError);
      const { count } = strategy.ask();
      expect(() => strategy.tell(new Float64Array(0))).toThrow(RangeError);
      expect(() => strategy.tell(new Float64Array(count + 1))).toThrow(RangeError);
      const broken = new Float64Array(count);
      broken[count - 1] = NaN;
      expect(() => strategy.tell(broken)).toThrow('NaN');
      broken[count - 1] = -Infinity;
      expect(() => strategy.tell(broken)).toThrow('-Infinity');
      expect(strategy.incumbent()).toBeNull();
      strategy.tell(new Float64Array(count).fill(3));
      expect(strategy.incumbent()?.fitness).toBe(3);
    });

    it('keeps the best candidate told, also of a partial tell', () => {
      const strategy = create(2);
      const batch = inRows(strategy.ask());
      const first = Array.from(batch.candidates.subarray(0, 2));
      strategy.tell(Float64Array.of(5));
      expect(strategy.incumbent()).toEqual({ solution: Float64Array.from(first), fitness: 5 });
      const rest = inRows(strategy.ask());
      const second = Array.from(rest.candidates.subarray(0, 2));
      strategy.tell(Float64Array.of(4));
      const incumbent = strategy.incumbent()!;
      expect(incumbent).toEqual({ solution: Float64Array.from(second), fitness: 4 });
      incumbent.solution.fill(99);
      expect(Array.from(strategy.incumbent()!.solution)).toEqual(second);
    });

    it('has no incumbent and goes on while every evaluation fails', () => {
      const strategy = create(3);
      drive(strategy, () => Infinity, 1500);
      expect(strategy.incumbent()).toBeNull();
      drive(strategy, shiftedSphere, 300);
      expect(strategy.incumbent()!.fitness).toBeLessThan(5);
    });

    if (converges)
      it('finds the optimum although part of the box fails', () => {
        const { best } = drive(create(3), (x) => (x[0] < 1.4 ? Infinity : shiftedSphere(x)), 4000);
        expect(best).toBeLessThan(1e-6);
      });

    it('survives equal, huge and infinite fitness', () => {
      const values: Objective[] = [() => 0, () => 1e308, (x) => (x[0] > 0 ? 1e308 : -1e308), (x) => Math.trunc(x[0])];
      for (const objective of values) {
        const { candidates } = drive(create(2), objective, 2000);
        expect(candidates.every((v) => v >= -5 && v <= 5)).toBe(true);
      }
    });

    for (const [reason, how] of Object.entries(expectations.stops)) {
      it(`stops by ${reason}`, () => {
        const { stops } = drive(create(how.dimension), how.objective, how.evaluations);
        expect(stops).toContain(reason);
      });
    }

    it('names a stop reason until the next ask and restarts only if it says so', () => {
      const strategy = create(2);
      let evaluations = 0;
      if (!converges) {
        expect(drive(strategy, () => 0, 20_000).stops).toEqual([]);
        return;
      }
      while (strategy.stop() === null && evaluations < 20_000) {
        const { count } = strategy.ask();
        strategy.tell(new Float64Array(count));
        evaluations += count;
      }
      expect(strategy.stop()).not.toBeNull();
      const restored = factory.restore(problem(2), JSON.parse(JSON.stringify(strategy.snapshot())));
      expect(restored.stop()).toBe(strategy.stop());
      strategy.ask();
      expect(strategy.stop() === null).toBe(factory.capabilities.restarts);
    });

    it('reaches the target on the sphere, if it converges', () => {
      const { sphereEvaluations } = expectations;
      expect(sphereEvaluations !== undefined).toBe(converges);
      for (const seed of [1, 2, 3, 4, 5]) {
        const { best } = drive(create(5, { seed }), shiftedSphere, sphereEvaluations ?? 3000);
        expect(best).toBeLessThan(converges ? 1e-8 : 5);
      }
    });

    if (factory.capabilities.rankBased)
      it('takes the same way under increasing transforms of the objective', () => {
        // Exactly increasing on the values at hand: floats may not merge two different values.
        const transforms: ((v: number) => number)[] = [(v) => 4 * v, (v) => v / 1024, (v) => 2 ** 60 * v, (v) => v - 0];
        fc.assert(
          fc.property(
            fc.integer({ min: 1, max: 6 }),
            fc.integer({ min: 0, max: 1_000_000 }),
            fc.constantFrom(...transforms, (v: number) => (v < 20 ? v : v * v)),
            (n, seed, transform) => {
              const plain = drive(create(n, { seed }), shiftedSphere, 250);
              const bent = drive(create(n, { seed }), (x) => transform(shiftedSphere(x)), 250);
              const length = Math.min(plain.beforeStop, bent.beforeStop);
              expect(length).toBeGreaterThan(100 * n);
              expect(bent.candidates.slice(0, length)).toEqual(plain.candidates.slice(0, length));
            },
          ),
          { numRuns: 40, seed: 4711 },
        );
      });

    if (!factory.capabilities.dependsOnBudget)
      it('does not depend on the budget', () => {
        const small = drive(create(4, { budgetEvaluations: 10 }), shiftedSphere, 500).candidates;
        expect(drive(create(4, { budgetEvaluations: 1_000_000 }), shiftedSphere, 500).candidates).toEqual(small);
      });

    it('works at the largest dimension it promises', () => {
      const n = factory.capabilities.maxDimension;
      const strategy = create(n);
      const { best } = drive(strategy, shiftedSphere, 120);
      expect(best).toBeLessThan(Infinity);
      const restored = factory.restore(problem(n), JSON.parse(JSON.stringify(strategy.snapshot())));
      expect(Array.from(inRows(restored.ask()).candidates)).toEqual(Array.from(inRows(strategy.ask()).candidates));
    });
  });
}
