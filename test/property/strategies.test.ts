/**
 * Every registered strategy on boxes and objectives that nobody would wish for: it goes on, stays inside the bounds,
 * keeps the best of what it was told, and continues from a snapshot, taken anywhere, with the same bits.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callingStrategies } from '../../src/planner/all-strategies.js';
import type { Strategy, StrategyFactory, StrategyProblem } from '../../src/strategies/strategy.js';
import { inRows } from '../../src/model/candidate-batch.js';

const HUGE = Number.MAX_VALUE;
const TINY = Number.MIN_VALUE;

/** Lower and upper bound of one coordinate. */
const WIDTHS: readonly (readonly [number, number])[] = [
  [-5, 5],
  [0, TINY],
  [0, 1e-300],
  [-HUGE, HUGE],
  [-1e308, 1e308],
  [1e300, HUGE],
  [-1e-300, 1e308],
  [1, 1 + 2 ** -52],
  [-1e17, -1e17 + 64],
  [1e15, 1e15 + 0.25],
];

/** A pseudo-random number from 0 to 1 that depends on every bit of the candidate. */
function hash(x: Float64Array): number {
  let state = 1;
  for (const word of new Uint32Array(x.slice().buffer)) state = Math.imul(state ^ word, 0x9e3779b1) ^ (state >>> 15);
  return (state >>> 0) / 4294967296;
}

/** Of the candidate and its place in the box, each coordinate from 0 to 1. */
type Objective = (x: Float64Array, unit: Float64Array) => number;

const bowl = (unit: Float64Array): number => unit.reduce((sum, u) => sum + (u - 0.3) ** 2, 0);

const OBJECTIVES: Readonly<Record<string, Objective>> = {
  'a bowl': (_, unit) => bowl(unit),
  'a bowl that fails on half of the box': (_, unit) => (unit[0] < 0.5 ? Infinity : bowl(unit)),
  'a bowl of huge values': (_, unit) => 1e308 * (bowl(unit) / unit.length - 0.5),
  'a bowl of denormal values': (_, unit) => 1e-320 * bowl(unit),
  'a bowl with a hole': (_, unit) => (unit[0] < 0.01 ? -HUGE : bowl(unit)),
  'a slope of 600 decades': (_, unit) => 10 ** (600 * unit[0] - 300),
  'a slope': (_, unit) => -unit[0],
  steps: (_, unit) => Math.floor(4 * unit[0]),
  'always 0': () => 0,
  'always -0': () => -0,
  'always the largest number': () => HUGE,
  'always the lowest number': () => -HUGE,
  'fails always': () => Infinity,
  'one point in 16 is finite': (x) => (hash(x) < 1 / 16 ? 1 : Infinity),
  noise: (x) => hash(x),
  'the largest or the lowest number': (x) => (hash(x) < 0.5 ? HUGE : -HUGE),
  'noise and failures': (x) => (hash(x) < 0.5 ? Infinity : hash(x)),
};

interface Case {
  readonly box: readonly (readonly [number, number])[];
  readonly objective: string;
  readonly budgetEvaluations: number;
  readonly seed: number;
  readonly mode: StrategyProblem['mode'];
  readonly start: 'none' | 'lower' | 'upper' | 'inside';
  /** How much of each batch is told at once, as a share of it. */
  readonly shares: readonly number[];
  /** After so many tells it is cut. */
  readonly cut: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  box: fc.oneof(
    fc.array(fc.constantFrom(...WIDTHS), { minLength: 1, maxLength: 6 }),
    fc
      .tuple(fc.constantFrom(...WIDTHS), fc.integer({ min: 1, max: 6 }))
      .map(([width, n]) => Array.from({ length: n }, () => width)),
  ),
  objective: fc.constantFrom(...Object.keys(OBJECTIVES)),
  budgetEvaluations: fc.oneof(fc.constantFrom(1, 2, 3), fc.integer({ min: 4, max: 400 })),
  seed: fc.nat(),
  mode: fc.constantFrom(undefined, 'fast', 'balanced', 'accurate'),
  start: fc.constantFrom('none', 'lower', 'upper', 'inside'),
  shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
  cut: fc.nat({ max: 60 }),
});

function problemOf({ box, budgetEvaluations, seed, mode, start }: Case): StrategyProblem {
  const at = { lower: 0, upper: 1, inside: 0.25, none: null }[start];
  return {
    bounds: { lower: Float64Array.from(box, ([low]) => low), upper: Float64Array.from(box, ([, high]) => high) },
    seed,
    budgetEvaluations,
    ...(mode === undefined ? {} : { mode }),
    ...(at === null
      ? {}
      : {
          initialSolution: box.map(([low, high]) =>
            Math.min(high, Math.max(low, at === 0.25 ? 0.75 * low + 0.25 * high : at === 0 ? low : high)),
          ),
        }),
  };
}

/** A strategy that is told what the objective says, and what has come of it so far. */
class Session {
  readonly asked: number[] = [];
  private evaluations = 0;
  private tells = 0;
  private best = Infinity;

  constructor(
    private readonly factory: StrategyFactory,
    private readonly c: Case,
    private strategy: Strategy,
  ) {}

  /** Goes on until the budget is used up, or there is nothing left to try. */
  run(isCut: boolean): this {
    const { c, factory } = this;
    const objective = OBJECTIVES[c.objective];
    const half = c.box.map(([low, high]) => high / 2 - low / 2);
    while (this.evaluations < c.budgetEvaluations) {
      if (isCut && this.tells === c.cut) {
        const { strategy } = this;
        const text = JSON.stringify(strategy.snapshot());
        expect(text.length).toBeLessThan(200_000);
        this.strategy = factory.restore(problemOf(c), JSON.parse(text));
        expect(this.strategy.stop()).toBe(strategy.stop());
        expect(this.strategy.incumbent()).toEqual(strategy.incumbent());
      }
      if (this.strategy.stop() !== null && !factory.capabilities.restarts) break;
      const { candidates, count, dimension } = inRows(this.strategy.ask());
      expect(count).toBeGreaterThan(0);
      const share = Math.ceil(count * c.shares[this.tells % c.shares.length]);
      const told = Math.min(Math.max(1, share), c.budgetEvaluations - this.evaluations);
      const fitness = new Float64Array(told);
      for (let k = 0; k < told; k++) {
        const x = candidates.slice(k * dimension, (k + 1) * dimension);
        const isInside = x.every((value, i) => value >= c.box[i][0] && value <= c.box[i][1]);
        expect(isInside, `[${x.join(', ')}] inside the bounds`).toBe(true);
        const value = objective(
          x,
          x.map((v, i) => (half[i] === 0 ? 0 : (v / 2 - c.box[i][0] / 2) / half[i])),
        );
        fitness[k] = value;
        this.best = Math.min(this.best, value);
        this.asked.push(...x);
      }
      this.strategy.tell(fitness);
      this.evaluations += told;
      this.tells++;
    }
    expect(this.strategy.incumbent()?.fitness ?? Infinity).toBe(this.best);
    // What the record of a run shows is data, too.
    JSON.stringify([this.strategy.phases?.(), this.strategy.change?.(), this.strategy.planning?.()], (_, value) => {
      if (typeof value === 'number') expect(value).not.toBeNaN();
      return value as unknown;
    });
    return this;
  }
}

/** What went wrong before. */
const KNOWN: readonly Case[] = [
  {
    // Slopes whose product with a step overflows.
    box: [
      [-5, 5],
      [-5, 5],
    ],
    objective: 'a bowl of huge values',
    budgetEvaluations: 7,
    seed: 0,
    mode: undefined,
    start: 'upper',
    shares: [0],
    cut: 0,
  },
  {
    // Gains that are no numbers.
    box: [[0, 1e-300]],
    objective: 'the largest or the lowest number',
    budgetEvaluations: 300,
    seed: 3,
    mode: undefined,
    start: 'none',
    shares: [1],
    cut: 10,
  },
  {
    // A step size of 0.
    box: [
      [-5, 5],
      [-1e308, 1e308],
      [-5, 5],
      [0, TINY],
      [-5, 5],
      [1e15, 1e15 + 0.25],
    ],
    objective: 'a bowl',
    budgetEvaluations: 136,
    seed: 1150754019,
    mode: undefined,
    start: 'upper',
    shares: [0],
    cut: 0,
  },
];

describe('strategies in spite of everything', () => {
  for (const factory of callingStrategies) {
    it(factory.name, { timeout: 60_000 }, () => {
      fc.assert(
        fc.property(cases, (c) => {
          const { minDimension, maxDimension } = factory.capabilities;
          fc.pre(c.box.length >= minDimension && c.box.length <= maxDimension);
          const create = (): Session => new Session(factory, c, factory.create(problemOf(c)));
          const whole = create().run(false).asked;
          const cut = create().run(true).asked;
          const differs = whole.findIndex((value, k) => !Object.is(value, cut[k]));
          expect([cut.length, differs]).toEqual([whole.length, -1]);
        }),
        {
          numRuns: Number(process.env['EXTREMUM_PROPERTY_RUNS'] ?? 40),
          seed: Number(process.env['EXTREMUM_PROPERTY_SEED'] ?? 4711),
          examples: KNOWN.map((c) => [c]),
        },
      );
    });
  }
});
