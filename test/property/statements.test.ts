/**
 * Random runs of functions whose structure is known: what an explanation says is computed again, from the function and
 * from every value that the run was given. A sentence that no rule here knows is a failure. One run of four may read
 * the function, which is a Python text there.
 *
 * `EXTREMUM_EXPLAINED_RUNS`: how many, 60 unless it says otherwise; `EXTREMUM_EXPLAINED_SEED`: where their seeds begin.
 */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../src/common/rng.js';
import { explain } from '../../src/explanation/explain.js';
import type { Statement } from '../../src/model/explanation.js';
import { PROBES, type RunTask } from '../../src/model/run-task.js';
import { LEAST_ROUGH } from '../../src/planner/problem-classes.js';
import { isValued, type Reading } from '../../src/model/reading.js';
import { watch, watchOpen, type OnRow, type Single, type Watched } from '../support/watched-run.js';

const RUNS = Number(process.env['EXTREMUM_EXPLAINED_RUNS'] ?? 60);
const OPEN_EVERY = 4;
const FIRST_SEED = Number(process.env['EXTREMUM_EXPLAINED_SEED'] ?? 12_000);

interface Subject {
  readonly objective: Single;
  readonly task: Partial<RunTask>;
  readonly isSum: boolean;
  readonly isNoisy: boolean;
  /** Where the run may read it: the same in Python. */
  readonly code: string | null;
}

type Shape = readonly [javaScript: (y: number, i: number) => number, python: string];
const SHAPES: readonly Shape[] = [
  [(y, i) => (i + 1) * y * y, '(i + 1) * y * y'],
  [(y) => Math.abs(y), 'abs(y)'],
  [(y) => y * y - Math.cos(5 * y) + 1, 'y * y - math.cos(5 * y) + 1'],
  [(y) => y ** 4 + 0.1 * y, 'y ** 4 + 0.1 * y'],
  [(y, i) => (i % 2 === 0 ? y : -2 * y), '(y if i % 2 == 0 else -2 * y)'],
];

function subject(seed: number): Subject {
  const isOpen = seed % OPEN_EVERY === 0;
  const rng = Rng.create(seed);
  const pick = <T>(...all: readonly T[]): T => all[rng.below(all.length)];
  const n = isOpen ? pick(1, 2, 4, 5, 12) : pick(1, 1, 2, 3, 5, 12);
  const bounds = Array.from({ length: n }, () => {
    const lower = -5 * rng.uniform() - 0.1;
    return [lower, lower + 10 ** (2 * rng.uniform() - 0.5)] as const;
  });
  const centres = bounds.map(([lower, upper]) => lower + (upper - lower) * (1.4 * rng.uniform() - 0.2));
  const [shape, inPython] = pick(...SHAPES);
  const [coupling, step, walled] = [isOpen ? pick(0, 1, 1) : pick(0, 0, 1), pick(0, 0, 0, 0.5), pick(0, 0, 0, 1)];
  // A Python text without any value is not compiled.
  const wall = isOpen && bounds[0][0] > centres[0] + walled ? 0 : walled;
  const noise = isOpen ? 0 : pick(0, 0, 0, 1e-2);
  const offset = pick(0, 0, 1, 1e6);
  const sign = pick(1, -1);
  const jitter = Rng.create(seed + 1);
  const objective: Single = (x) => {
    if (wall > 0 && x[0] > centres[0] + wall) return NaN;
    let sum = offset;
    for (let i = 0; i < n; i++) {
      const y = step > 0 ? step * Math.floor((x[i] - centres[i]) / step + 0.5) : x[i] - centres[i];
      sum += shape(y, i) + (i > 0 ? coupling * (x[i] - centres[i]) * (x[i - 1] - centres[i - 1]) : 0);
    }
    return sign * sum + (noise > 0 ? noise * jitter.normal() : 0);
  };
  const direction = sign === 1 ? 'minimize' : 'maximize';
  const code = `
import math

CENTRES = ${JSON.stringify(centres)}

def f(x):
    ${wall > 0 ? `if x[0] > CENTRES[0] + ${wall}:\n        raise ValueError('no value')\n    ` : ''}total = ${offset}.0
    for i in range(${n}):
        y = ${step > 0 ? `${step} * math.floor((x[i] - CENTRES[i]) / ${step} + 0.5)` : 'x[i] - CENTRES[i]'}
        total += ${inPython}
        if i > 0:
            total += ${coupling} * (x[i] - CENTRES[i]) * (x[i - 1] - CENTRES[i - 1])
    return ${sign} * total
`;
  return {
    objective,
    task: {
      bounds,
      direction,
      maxEvaluations: isOpen ? pick(7, 150, 400, 400, 600) : pick(1, 7, 40, 150, 400),
      seed,
      mode: pick('fast', 'balanced', 'accurate'),
      ...(isOpen
        ? {}
        : pick<Partial<RunTask>>({}, {}, {}, { strategy: 'cma-es' }, { strategy: 'differential-evolution' })),
      ...pick<Partial<RunTask>>({}, {}, { targetFitness: sign * (offset + 0.01) }, { stagnationEvaluations: 30 }),
    },
    isSum: coupling === 0 || n === 1,
    isNoisy: noise > 0,
    code: isOpen ? code : null,
  };
}

/** What the run was given, in the order of its evaluations. */
class Log {
  readonly points: number[][] = [];
  readonly values: number[] = [];
  readonly readings = new Set<Reading>();
  /** A gradient that was read had a component of zero. */
  hasZeroSlope = false;
  constructor(private readonly sign: number) {}

  of(objective: Single): Single {
    return (x) => {
      const value = objective(x);
      this.points.push(Array.from(x));
      this.values.push(value);
      return value;
    };
  }

  /** What is no value of a candidate counts as an evaluation that is not finite. */
  readonly onRow: OnRow = (reading, point, results) => {
    this.readings.add(reading);
    const isAnswered = isValued(reading);
    // The objective itself is asked for the value then.
    if (isAnswered && reading !== 'value' && results === null) return;
    if (reading === 'gradient' && results !== null) this.hasZeroSlope ||= results.slice(1).includes(0);
    this.points.push(isAnswered ? [...point!] : [NaN]);
    const value = results?.[0] ?? NaN;
    this.values.push(!isAnswered ? Infinity : (reading === 'value' ? value : this.sign * value) + 0);
  };

  bestOf(count: number): number | null {
    const finite = this.values.slice(0, count).filter(Number.isFinite);
    return finite.length === 0 ? null : this.sign * Math.min(...finite.map((value) => this.sign * value));
  }

  at(x: readonly number[]): number[] {
    return this.values.filter((_, k) => this.points[k].every((value, i) => Object.is(value, x[i])));
  }
}

interface Case extends Watched, Omit<Subject, 'task'> {
  readonly log: Log;
  readonly sign: number;
}

const moved = (x: readonly number[], ...to: readonly (readonly [number, number])[]): number[] => {
  const other = [...x];
  for (const [dimension, value] of to) other[dimension] = value;
  return other;
};

/** A sentence that an explanation may hold, and what must be so where it does. */
type Rule = readonly [
  sentence: RegExp,
  check: (c: Case, numbers: Readonly<Record<string, number>>, text: string) => void,
];

/** Claims on the function itself, in features, votes and reasons alike. */
const CLAIMS: readonly Rule[] = [
  [/(?<!not )pass(ed)? the test for a sum of functions/, ({ isSum }) => expect(isSum).toBe(true)],
  [
    /did not pass the test for a sum of functions/,
    ({ isSum, isNoisy, log }) =>
      expect(!isSum || isNoisy || log.values.some((value) => !Number.isFinite(value))).toBe(true),
  ],
  [
    /evaluated twice had two values|drown in the noise|few noisy values \(|shrinks on noise/,
    ({ isNoisy }) => expect(isNoisy).toBe(true),
  ],
  [/the program is a sum of terms/, ({ isSum }) => expect(isSum).toBe(true)],
  [/slope is exactly zero/, ({ log }) => expect(log.hasZeroSlope).toBe(true)],
  [/small steps along some coordinate/, ({ code }) => expect(code).toBeNull()],
  [
    /no value is better than/i,
    ({ log, sign }, { bound }) => {
      const known = log.values.filter(Number.isFinite);
      expect(Math.min(...known.map((value) => sign * value))).toBeGreaterThanOrEqual(sign * bound);
    },
  ],
  [
    /(?<!whether )ripples|rough at every scale/,
    ({ outcome }) => expect(outcome.planning!.landscape.coarseRoughness).toBeGreaterThan(LEAST_ROUGH),
  ],
  [/more than 5 dimensions/, ({ task }) => expect(task.bounds.length).toBeGreaterThan(5)],
];

const sideways = ({ task }: Case, dimension: number): number => task.bounds[dimension][1] - task.bounds[dimension][0];

function checkSensitivity(
  c: Case,
  { dimension, step, mean, low, high, sides, centre_value: centreValue }: Numbers,
  text: string,
): void {
  const { experiment } = c.outcome;
  const { down, up } = experiment!.sensitivities[dimension];
  const changes = [down, up].flatMap((one) => {
    if (one === null || one.value === null || !Number.isFinite(one.value - centreValue)) return [];
    // Where the point was moved to, and one of the values that the objective gave there.
    const way = Math.abs(one.to - experiment!.centre[dimension]) / (step * sideways(c, dimension));
    expect(way).toBeLessThanOrEqual(1 + 1e-9);
    if (!text.includes('by up to')) expect(way).toBeGreaterThan(1 - 1e-8);
    expect(c.log.at(moved(experiment!.centre, [dimension, one.to]))).toContain(one.value);
    return [one.value - centreValue];
  });
  expect(changes).toHaveLength(sides);
  expect(low).toBeLessThanOrEqual(Math.min(...changes));
  expect(high).toBeGreaterThanOrEqual(Math.max(...changes));
  expect(mean).toBeCloseTo(changes.reduce((sum, change) => sum + change, 0) / sides, 6);
}

function checkInteraction(c: Case, numbers: Numbers, text: string): void {
  const { centre, centreValue } = c.outcome.experiment!;
  const { first, second, to_first: toFirst, to_second: toSecond, excess } = numbers;
  const value = (...to: (readonly [number, number])[]): number => c.objective(moved(centre, ...to));
  const said = text.includes('do not measurably interact') ? false : true;
  if (c.isNoisy) return;
  const again =
    value([first, toFirst], [second, toSecond]) - value([first, toFirst]) - value([second, toSecond]) + centreValue;
  const rounding = 1e-12 * (Math.abs(centreValue) + 1) + 1e-9 * Math.abs(again);
  expect(Math.abs(excess - again)).toBeLessThanOrEqual(rounding);
  if (c.isSum) expect(said).toBe(false);
  if (Math.abs(again) > 100 * rounding) expect(said).toBe(true);
}

function checkBound(c: Case, { dimension, bound, to, change }: Numbers, text: string): void {
  const best = c.outcome.bestSolution!;
  expect(Math.abs(best[dimension] - bound)).toBeLessThanOrEqual(1e-8 * sideways(c, dimension));
  if (to === undefined || c.isNoisy) return;
  const { centre } = c.outcome.experiment!;
  const again = c.objective(moved(centre, [dimension, to])) - c.objective(centre);
  expect(change).toBeCloseTo(again, 6);
  if (text.includes(': the bound binds')) expect(c.sign * again).toBeGreaterThan(0);
  if (text.includes(': the bound does not bind')) expect(c.sign * again).toBeLessThan(0);
}

type Numbers = Readonly<Record<string, number>>;

/** How the sentences of each topic begin, and what is computed again. */
const SENTENCES: Readonly<Record<string, readonly Rule[]>> = {
  result: [
    [
      /^The best value found is \S+, after [\d,]+ evaluations? by [\w, -]+: .*\.$/,
      ({ log, outcome, isNoisy }, numbers, text) => {
        expect(numbers['best_fitness']).toBe(log.bestOf(log.values.length));
        expect(numbers['evaluations']).toBe(log.values.length);
        expect(text.includes('budget')).toBe(outcome.terminationReason === 'budget');
        if (text.includes('is noisy')) expect(isNoisy).toBe(true);
        const { experiment } = outcome;
        const isLate = experiment !== undefined && experiment.centreValue !== outcome.bestFitness;
        expect(text.includes('the experiment at its end')).toBe(isLate);
        if (outcome.terminationReason !== 'budget') return;
        expect(numbers['max_evaluations'] - (numbers['unused'] ?? 0)).toBe(log.values.length);
      },
    ],
    [/^No finite value was found in [\d,]+ evaluations?/, ({ log }) => expect(log.bestOf(Infinity)).toBeNull()],
  ],
  choice: [
    [
      /^[\w-]+, the strategy that the request asked for, worked on \d+ dimensions? with a budget of [\d,]+ evaluations?; nobody/,
      ({ task }, _, text) => expect(text.startsWith(`${task.strategy},`)).toBe(true),
    ],
    [
      /^The run ended with its probes of \d+ dimensions? with/,
      ({ outcome }) => expect(outcome.strategies).toHaveLength(1),
    ],
  ],
  features: [
    [
      /^The problem has \d+ dimensions? and a budget of [\d,]+ evaluations?; /,
      ({ task }, { dimensions, max_evaluations: budget }) => {
        expect([dimensions, budget]).toEqual([task.bounds.length, task.maxEvaluations]);
      },
    ],
  ],
  votes: [[/^After [\d,]+ evaluations? the [\w ]+ (gave|ruled out) [\w-]+/, () => undefined]],
  phase: [
    [
      /^(The run began with [\w-]+|After [\d,]+ evaluations? [\w-]+ took over) \(.+\); by evaluation [\d,]+ (the best value was \S+|no finite value was known)\.$/,
      ({ log }, { to_evaluation: to, best_fitness: best = null }) => expect(best).toBe(log.bestOf(to)),
    ],
  ],
  share: [
    [
      /^[\d,]+ of the [\d,]+ evaluations? went to [\w -]+, \S+ %\.$/,
      (_, { share, evaluations, max_evaluations: budget }) => expect(share).toBe(evaluations / budget),
    ],
  ],
  convergence: [
    [
      /^The first finite value was/,
      ({ log }, { best_fitness: best, evaluation }) => {
        expect(log.values.findIndex(Number.isFinite) + 1).toBe(evaluation);
        expect(best).toBe(log.values[evaluation - 1]);
      },
    ],
    [
      /^\S+ % of the whole improvement was made by evaluation/,
      ({ log, sign }, { share, evaluation, best_fitness: best }) => {
        expect(best).toBe(log.bestOf(evaluation));
        const [first, last] = [log.values.find(Number.isFinite)!, log.bestOf(log.values.length)!];
        const made = (value: number): number => sign * (first - value);
        expect(made(best)).toBeGreaterThanOrEqual(share * made(last) - 1e-9 * Math.abs(made(last)));
        expect(made(log.bestOf(evaluation - 1) ?? first)).toBeLessThanOrEqual(
          share * made(last) + 1e-9 * Math.abs(made(last)),
        );
      },
    ],
    [
      /^The last improvement came at evaluation [\d,]+ of [\d,]+\.$/,
      ({ log }, { evaluation }) => {
        expect(log.bestOf(evaluation)).toBe(log.bestOf(log.values.length));
        if (evaluation > 1) expect(log.bestOf(evaluation - 1)).not.toBe(log.bestOf(log.values.length));
      },
    ],
  ],
  failures: [
    [
      /^[\d,]+ of [\d,]+ evaluations? failed/,
      ({ log }, { failed_evaluations: failed }) => expect(failed).toBe(log.values.filter(Number.isNaN).length),
    ],
  ],
  bounds: [
    [
      /^(None of the \d+ coordinates of the best point lies on a|The best point lies on no) bound\.$/,
      ({ outcome, task }) => {
        const isOn = outcome.bestSolution!.some((x, i) => task.bounds[i].some((bound) => x === bound));
        expect(isOn).toBe(false);
      },
    ],
    [/^x\[\d+\] lies on its (lower|upper) bound \S+(: .*)?\.$/, checkBound],
  ],
  sensitivity: [
    [
      /^Moving x\[\d+\] by (up to )?\S+ % of its range changes the objective by \S+ on average over \d moves?, between /,
      checkSensitivity,
    ],
    [
      /^With x\[\d+\] moved to \S+ the evaluation fails\.$/,
      ({ log, outcome }, { dimension, to }) => {
        expect(log.at(moved(outcome.experiment!.centre, [dimension, to])).some(Number.isNaN)).toBe(true);
      },
    ],
  ],
  interaction: [[/^x\[\d+\] and x\[\d+\] (do not measurably interact|interact): moved together/, checkInteraction]],
  flatness: [
    [/^Within \S+ % of the range along single coordinates the objective changes by at most /, () => undefined],
    [/^The best point of the search, evaluated once more, gave/, ({ isNoisy }) => expect(isNoisy).toBe(true)],
  ],
  decision: [[/^After [\d,]+ evaluations? [\w-]+ was chosen, with \S+ points? of all agents\.$/, () => undefined]],
  alternatives: [[/^After [\d,]+ evaluations? these were not chosen: /, () => undefined]],
  robustness: [
    [
      /^At \d+ random points? within \S+ % of every range the objective changes by \S+ on average, between /,
      ({ outcome }, { low, high, points }) => {
        const { nearby, centreValue } = outcome.experiment!;
        const changes = nearby.filter((value) => value !== null).map((value) => value - centreValue);
        expect([low, high, points]).toEqual([Math.min(...changes), Math.max(...changes), nearby.length]);
      },
    ],
    [
      /^All evaluations at \d+ random points? within/,
      ({ outcome }) => expect(outcome.experiment!.nearby.every((value) => value === null)).toBe(true),
    ],
  ],
  reproduction: [
    [
      /^The same request with seed \d+ and nothing learned (gives the same run in every bit|need not give the same run, as the objective gave two values at one point), with /,
      ({ isNoisy, outcome }, _, text) => {
        if (text.includes('need not')) expect(isNoisy).toBe(true);
        if (isNoisy && outcome.experiment !== undefined) expect(text).toContain('need not');
      },
    ],
  ],
};

function check(c: Case, { topic, text, evidence }: Statement): void {
  expect(text).not.toMatch(
    /[{}]|NaN|undefined|Infinity|(?<![\d.,])1 (dimension|evaluation|point|move|coordinate|run|search)(e?s)\b/,
  );
  const known = SENTENCES[topic]?.filter(([sentence]) => sentence.test(text)) ?? [];
  expect(known, `${topic}: ${text}`).toHaveLength(1);
  for (const [, rule] of [...known, ...CLAIMS.filter(([claim]) => claim.test(text))]) rule(c, evidence, text);
}

describe('an explanation', () => {
  it(`says nothing that is false, in ${RUNS} random runs`, async () => {
    const said = new Map<string, number>();
    const failures: string[] = [];
    const readings = new Set<Reading>();
    let late = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      const own = subject(seed);
      const sign = own.task.direction === 'maximize' ? -1 : 1;
      const log = new Log(sign);
      const watched =
        own.code === null
          ? await watch(log.of(own.objective), own.task)
          : await watchOpen(own.code, own.task, log.onRow);
      for (const reading of log.readings) readings.add(reading);
      if (watched.outcome.strategies.slice(1).some(({ name }) => name === PROBES)) late++;
      const c: Case = { ...watched, ...own, task: watched.task, log, sign };
      for (const statement of explain(watched.run, 5).statements) {
        try {
          check(c, statement);
        } catch (error) {
          failures.push(`seed ${seed}: ${statement.text}: ${String(error)}`);
        }
        said.set(statement.topic, (said.get(statement.topic) ?? 0) + 1);
      }
    }
    expect(failures).toEqual([]);
    // Of boxes and of late probes, too.
    expect(readings).toContain('envelope');
    expect(late).toBeGreaterThan(0);
    // All that there is to say of one objective was said.
    expect([...said.keys()].sort()).toEqual(Object.keys(SENTENCES).sort());
  }, 600_000);
});
