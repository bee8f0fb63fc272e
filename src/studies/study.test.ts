import { describe, expect, it } from 'vitest';
import { callingStrategies, strategies } from '../planner/all-strategies.js';
import { runOptimization } from '../engine/run-optimization.js';
import type { Kernel } from '../backends/backend.js';
import type { StudyRecord } from '../model/study.js';
import { hypervolume } from '../pareto/hypervolume.js';
import { candidatesOf, Study, type StudyOperation, type StudyResult } from './study.js';
import { candidateOf } from '../model/candidate-batch.js';

const record = (overrides: Partial<StudyRecord> = {}): StudyRecord => ({
  id: 'study_1',
  accountId: 'acct_1',
  bounds: [
    [-5, 5],
    [-5, 5],
    [-2, 8],
  ],
  directions: ['minimize'],
  strategy: 'planner',
  seed: 7,
  maxEvaluations: 300,
  metadata: {},
  createdAt: 1,
  ...overrides,
});
const factoryOf = (name: string) => callingStrategies.find((factory) => factory.name === name)!;
const objective = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (v - 1 - i / 4) ** 2 * (1 + 9 * i), 0);

function bestOf(study: Study): { readonly solution: Float64Array; readonly value: number } {
  const best = study.best();
  if (!('point' in best) || best.point === null) throw new Error('no best point');
  return { solution: best.point.solution, value: best.point.values[0] };
}

/** A study with its log, as a service keeps it. */
class Driven {
  readonly log: string[] = [];
  study: Study;
  /** Points of the generation that nobody has. */
  left = 0;

  constructor(readonly record: StudyRecord) {
    this.study = new Study(record, factoryOf(record.strategy));
  }

  add(operation: StudyOperation): void {
    const text = JSON.stringify(operation);
    this.log.push(text);
    this.study.apply(JSON.parse(text) as StudyOperation);
  }

  ask(count: number): { serial: number; solution: Float64Array }[] {
    for (;;) {
      const operation = this.study.proposeAsk(count);
      this.left = this.study.leftAfter(operation);
      this.add(operation);
      if (operation.kind === 'ask') return candidatesOf(operation, this.record.bounds.length);
    }
  }

  /** How many were taken. */
  tell(results: readonly StudyResult[]): number {
    const operation = this.study.proposeTell(results);
    if (operation === null) return 0;
    this.add(operation);
    return operation.kind === 'tell' ? operation.serials.length : 0;
  }

  replayed(): Study {
    const study = new Study(this.record, factoryOf(this.record.strategy));
    for (const text of this.log) study.apply(JSON.parse(text) as StudyOperation);
    return study;
  }

  restored(): Study {
    const snapshot = JSON.parse(JSON.stringify(this.study.snapshot())) as ReturnType<Study['snapshot']>;
    return new Study(this.record, factoryOf(this.record.strategy), snapshot);
  }

  bestValue(): number {
    const best = this.study.best();
    return 'point' in best ? (best.point?.values[0] ?? Infinity) : NaN;
  }

  /** Until the budget is used up, or `isEnough`. `isLost`: nobody ever tells that point. */
  run(
    count: number,
    isLost: (serial: number) => boolean = () => false,
    f = objective,
    isEnough = (): boolean => false,
  ): Float64Array[] {
    const all: Float64Array[] = [];
    while (!isEnough() && this.study.summaryAfter({ kind: 'close' }, 0).evaluations < this.record.maxEvaluations) {
      const asked = this.ask(count);
      all.push(...asked.map(({ solution }) => solution));
      const told = asked.filter(({ serial }) => !isLost(serial));
      this.tell(told.map(({ serial, solution }) => ({ point: serial, values: [f(solution)] })));
    }
    return all;
  }
}

/** Candidates that an uploaded objective is called with, in their order. */
async function candidatesOfRun({ bounds, seed, strategy, maxEvaluations }: StudyRecord): Promise<Float64Array[]> {
  const all: Float64Array[] = [];
  const kernel: Kernel = {
    backend: 'test',
    device: 'none',
    async evaluate(batch, output) {
      for (let k = 0; k < batch.count; k++) {
        all.push(candidateOf(batch, k).slice());
        output.values[k] = objective(all.at(-1)!);
        output.status[k] = 0;
      }
    },
    close: () => Promise.resolve(),
  };
  const task = { bounds, maxEvaluations, seed, direction: 'minimize', mode: 'balanced', strategy } as const;
  await runOptimization(task, {
    primary: kernel,
    fallback: null,
    backendReason: '',
    strategies: callingStrategies,
    now: () => 0,
    isCancelled: () => false,
  });
  return all;
}

const names = callingStrategies.map(({ name }) => name);
/** A second or two where nothing else runs. */
const UNDER_LOAD_MS = 120_000;

describe('a study', () => {
  it.each(names)('asks one by one for the candidates of a run: %s', async (strategy) => {
    const same = record({ strategy, maxEvaluations: 250 });
    expect(new Driven(same).run(1)).toEqual(await candidatesOfRun(same));
  });

  it('asks generation by generation for the candidates of a run', async () => {
    for (const strategy of ['cma-es', 'planner']) {
      const same = record({ strategy });
      const driven = new Driven(same);
      const all: Float64Array[] = [];
      while (all.length < same.maxEvaluations) {
        let asked = driven.ask(1);
        if (driven.left > 0) asked = [...asked, ...driven.ask(driven.left)];
        all.push(...asked.map(({ solution }) => solution));
        // In any order, and in two parts.
        const results = asked
          .map(({ serial, solution }) => ({ point: serial, values: [objective(solution)] }))
          .reverse();
        driven.tell(results.slice(0, 2));
        driven.tell(results.slice(2));
      }
      expect(all).toEqual(await candidatesOfRun(same));
    }
  });

  it('maximises', () => {
    const driven = new Driven(record({ directions: ['maximize'], strategy: 'cma-es' }));
    driven.run(
      1,
      () => false,
      (x) => -objective(x),
    );
    const { value, solution } = bestOf(driven.study);
    expect(value).toBe(-objective(solution));
    expect(value).toBeGreaterThan(-1e-2);
  });

  it.each(names)(
    'is the same after a replay of its log, and from a snapshot, wherever it is cut: %s',
    (strategy) => {
      const driven = new Driven(record({ strategy, maxEvaluations: 120 }));
      let step = 0;
      while (driven.study.summaryAfter({ kind: 'close' }, 0).evaluations < 120) {
        const asked = driven.ask(1 + (step % 4));
        if (step % 5 === 0) driven.tell([{ point: [1 + step / 100, 2, 3], values: [50 + step] }]);
        driven.tell(
          asked
            .filter(({ serial }) => serial % 6 !== 0)
            .map(({ serial, solution }) => ({
              point: serial % 5 === 0 ? Array.from(solution) : serial,
              values: serial % 11 === 0 ? null : [objective(solution)],
            })),
        );
        if (step++ % 7 !== 0) continue;
        const next = (study: Study): string => JSON.stringify(study.proposeAsk(7));
        const replayed = driven.replayed();
        expect(next(replayed)).toBe(next(driven.study));
        driven.study = driven.restored();
        expect(next(replayed)).toBe(next(driven.study));
        expect(replayed.best()).toEqual(driven.study.best());
      }
    },
    UNDER_LOAD_MS,
  );

  const converging = callingStrategies.filter(({ capabilities }) => capabilities.converges !== false);
  it.each(converging.flatMap(({ name }) => [1, 10, 32].map((count) => [name, count] as const)))(
    'reaches its target where a fifth of the points is never told: %s, %i at a time',
    (strategy, count) => {
      const driven = new Driven(record({ strategy, maxEvaluations: 2_000 }));
      const isLost = (serial: number): boolean => (serial * 7919) % 5 === 0;
      driven.run(count, isLost, objective, () => driven.bestValue() < 1e-3);
      expect(driven.bestValue()).toBeLessThan(1e-3);
    },
    UNDER_LOAD_MS,
  );

  it('does not wait for a worker that is slow', () => {
    const driven = new Driven(record({ strategy: 'cma-es', maxEvaluations: 1_000 }));
    const workers: { serial: number; solution: Float64Array }[] = [];
    const late: { serial: number; solution: Float64Array }[] = [];
    for (let k = 0; k < 8; k++) workers.push(driven.ask(1)[0]);
    while (driven.study.summaryAfter({ kind: 'close' }, 0).evaluations < 900) {
      const { serial, solution } = workers.shift()!;
      if (serial % 50 === 0) late.push({ serial, solution });
      else driven.tell([{ point: serial, values: [objective(solution)] }]);
      workers.push(driven.ask(1)[0]);
    }
    expect(bestOf(driven.study).value).toBeLessThan(1e-3);
    // What comes at last is taken: it is a result like any other.
    const before = driven.study.summaryAfter({ kind: 'close' }, 0);
    const accepted = driven.tell(late.map(({ serial }) => ({ point: serial, values: [-serial] })));
    expect(accepted).toBe(late.length);
    const after = driven.study.summaryAfter({ kind: 'close' }, 0);
    expect(after.evaluations - before.evaluations).toBe(late.length);
    expect(bestOf(driven.study).value).toBe(-Math.max(...late.map(({ serial }) => serial)));
    expect(after.open).toBe(before.open - late.length);
  });

  it('takes a value once, and no other', () => {
    const driven = new Driven(record());
    const [one, two] = driven.ask(2);
    expect(driven.tell([{ point: one.serial, values: [3] }])).toBe(1);
    expect(driven.tell([{ point: one.serial, values: [3] }])).toBe(0);
    expect(driven.tell([{ point: Array.from(one.solution), values: [3] }])).toBe(0);
    expect(() => driven.tell([{ point: one.serial, values: [4] }])).toThrow('told already, as [3]');
    expect(() => driven.tell([{ point: one.serial, values: null }])).toThrow('told already');
    expect(() => driven.tell([{ point: Array.from(one.solution), values: [4] }])).toThrow('told already');
    const failed = { point: two.serial, values: null };
    expect(driven.tell([failed, failed])).toBe(1);
    expect(driven.tell([failed])).toBe(0);
    expect(() => driven.tell([{ point: two.serial, values: [1] }])).toThrow('as failed');
    expect(driven.study.summaryAfter({ kind: 'close' }, 9)).toEqual({
      evaluations: 2,
      failedEvaluations: 1,
      open: 0,
      bestFitness: 3,
      at: 9,
    });
    expect(() => driven.tell([{ point: 99, values: [1] }])).toThrow('`results[0].id` is no point of this study');
    // Refused as a whole.
    const three = driven.ask(1)[0];
    expect(() =>
      driven.tell([
        { point: three.serial, values: [1] },
        { point: one.serial, values: [4] },
      ]),
    ).toThrow();
    expect(driven.tell([{ point: three.serial, values: [1] }])).toBe(1);
  });

  it('welcomes points that it did not ask for', () => {
    const driven = new Driven(record());
    driven.ask(1);
    const best = [1, 1.25, 1.5];
    expect(
      driven.tell([
        { point: best, values: [0] },
        { point: best, values: [0] },
        { point: [0, 0, 0], values: null },
      ]),
    ).toBe(2);
    expect(bestOf(driven.study)).toEqual({ solution: Float64Array.from(best), value: 0 });
    expect(() => driven.tell([{ point: best, values: [1] }])).toThrow('told already');
    expect(driven.tell([{ point: [-0, 0, 0], values: null }])).toBe(0);
    // The search goes on from there.
    const asked = driven.run(1);
    const distance = Math.min(...asked.slice(150).map((x) => Math.hypot(...x.map((v, i) => v - best[i]))));
    expect(distance).toBeLessThan(0.05);
  });

  it('begins its strategy anew where the log has other candidates than it makes now', () => {
    const driven = new Driven(record({ strategy: 'cma-es' }));
    const asked = driven.ask(1)[0];
    driven.tell([{ point: asked.serial, values: [1] }]);
    const last = driven.ask(1)[0];
    const other = driven.log.map((text) => {
      const operation = JSON.parse(text) as StudyOperation;
      if (operation.kind !== 'ask' || operation.first !== last.serial) return text;
      return JSON.stringify({
        ...operation,
        solutions: Buffer.from(Float64Array.of(1, 1, 1).buffer).toString('base64'),
      });
    });
    driven.log.splice(0, driven.log.length, ...other);
    driven.study = driven.replayed();
    expect(driven.tell([{ point: last.serial, values: [0.5] }])).toBe(1);
    expect(Array.from(driven.ask(1)[0].solution)).toEqual([1, 1, 1]);
    expect(driven.log.some((text) => text.includes('begin'))).toBe(true);
    driven.run(1);
    expect(bestOf(driven.study).value).toBeLessThan(0.1);
  });

  it('hands out nothing more once the budget is used up, and still takes results', () => {
    const driven = new Driven(record({ maxEvaluations: 5 }));
    const asked = driven.ask(9);
    expect(asked).toHaveLength(5);
    const more = driven.ask(2);
    driven.tell(asked.map(({ serial }) => ({ point: serial, values: [serial] })));
    expect(() => driven.ask(1)).toThrow('all of its 5 evaluations');
    expect(driven.tell([{ point: more[0].serial, values: [0] }])).toBe(1);
    expect(bestOf(driven.study).value).toBe(0);
  });

  it('fills its answers with points that nobody has had, also where the minimum is a corner', () => {
    const sum = (x: Float64Array): number => x.reduce((all, v) => all + v, 0);
    const driven = new Driven(record({ seed: 1, maxEvaluations: 120 }));
    const solutions = driven.run(8, undefined, sum).map((solution) => solution.join());
    // The strategy's own may come again.
    expect(solutions.length - new Set(solutions).size).toBeLessThan(8);
    expect(driven.bestValue()).toBe(-12);
  });

  it('asks only for points inside the bounds, however wide or narrow', () => {
    const bounds = [
      [-Number.MAX_VALUE, Number.MAX_VALUE],
      [1, 1 + 2e-16 * 2],
      [-1e-320, 1e-320],
    ] as const;
    const driven = new Driven(record({ bounds, maxEvaluations: 60 }));
    const asked = driven.run(
      20,
      (serial) => serial % 3 === 0,
      (x) => x[2],
    );
    expect(asked.every((x) => x.every((v, i) => v >= bounds[i][0] && v <= bounds[i][1]))).toBe(true);
  });

  it.each([1, 4, 20, 50])(
    'comes to the front of several objectives where a fifth of the points is never told: %i at a time',
    (count) => {
      const two = record({ directions: ['minimize', 'maximize'], strategy: 'sms-emoa', maxEvaluations: 2_000 });
      const factory = strategies.find(({ name }) => name === 'sms-emoa')!;
      const apart = (x: Float64Array, c: number): number => x.reduce((sum, v) => sum + (v - c) ** 2, 0);
      const course = (cut: number): { asked: number[][]; study: Study } => {
        let study = new Study(two, factory);
        const asked: number[][] = [];
        for (let step = 0; asked.length < 2_000; step++) {
          const operation = study.proposeAsk(count);
          study.apply(operation);
          const told = candidatesOf(operation, 3).filter(({ serial, solution }) => {
            asked.push(Array.from(solution));
            return (serial * 7919) % 5 !== 0;
          });
          const results = told.map(({ serial, solution }) => ({
            point: serial,
            values: [apart(solution, 0), -apart(solution, 2)],
          }));
          if (results.length > 0) study.apply(study.proposeTell(results)!);
          if (step === cut) study = new Study(two, factory, JSON.parse(JSON.stringify(study.snapshot())) as never);
        }
        return { asked, study };
      };
      const { asked, study } = course(-1);
      const best = study.best();
      if (!('front' in best)) throw new Error('no front');
      // The front: the same number c in every coordinate, 3 c^2 and -3 (c - 2)^2; from (12, -12) it dominates 120.
      const values = Float64Array.from(best.front.flatMap(({ values: [f, g] }) => [f, -g]));
      expect(hypervolume(values, best.front.length, 2, [12, 12])).toBeGreaterThan(0.99 * 120);
      expect(course(17).asked).toEqual(asked);
    },
    UNDER_LOAD_MS,
  );

  it('has a front of several objectives, each with its own direction', () => {
    const two = record({ directions: ['minimize', 'maximize'], strategy: 'sms-emoa', maxEvaluations: 600 });
    const factory = strategies.find(({ name }) => name === 'sms-emoa')!;
    const apart = (x: Float64Array, c: number): number => x.reduce((sum, v) => sum + (v - c) ** 2, 0);
    const run = (cut: number): { study: Study; asked: number[][] } => {
      let study = new Study(two, factory);
      const asked: number[][] = [];
      for (let k = 0; k < 60; k++) {
        const operation = study.proposeAsk(10);
        study.apply(operation);
        if (operation.kind !== 'ask') continue;
        const results = candidatesOf(operation, 3).map(({ serial, solution }) => {
          asked.push(Array.from(solution));
          return { point: serial, values: serial % 9 === 0 ? null : [apart(solution, 0), -apart(solution, 2)] };
        });
        study.apply(study.proposeTell(results.slice(1).reverse())!);
        if (k === cut) study = new Study(two, factory, JSON.parse(JSON.stringify(study.snapshot())) as never);
      }
      return { study, asked };
    };
    const whole = run(-1);
    const best = whole.study.best();
    if (!('front' in best)) throw new Error('no front');
    expect(best.front.length).toBeGreaterThan(20);
    expect(best.reference).toHaveLength(2);
    for (const { solution, values } of best.front) expect(values).toEqual([apart(solution, 0), -apart(solution, 2)]);
    // Between 0 and 2 in every coordinate, where the front lies: one is 12 at the end of the other.
    expect(best.front[0].values[0]).toBeLessThan(1);
    expect(Math.max(...best.front.map(({ values }) => values[1]))).toBeGreaterThan(-1);
    expect(
      best.front.every(
        ({ values: [f, g] }, i, all) => i === 0 || (f > all[i - 1].values[0] && g > all[i - 1].values[1]),
      ),
    ).toBe(true);
    for (const cut of [3, 31]) {
      const again = run(cut);
      expect(again.asked).toEqual(whole.asked);
      expect(again.study.best()).toEqual(best);
    }
  });
});
