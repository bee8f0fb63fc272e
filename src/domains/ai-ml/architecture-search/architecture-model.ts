/**
 * Which architecture is best, within limits of its size: all of them where the budget is enough, else the most
 * promising ones.
 */
import { z } from 'zod';
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState, JsonObject, Remark } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { positive } from '../../fields.js';
import { Infeasible, model, type Solution, type SolveContext } from '../../problem-type.js';
import { chainPicture } from './chain-picture.js';
import {
  checkEvaluator,
  columnOf,
  evaluatorField,
  rowsOfTable,
  sizesOf,
  Trainer,
  type TableRow,
} from './evaluators.js';
import {
  brokenLimits,
  directionOf,
  frontOf,
  LIMIT_NAMES,
  LIMITS,
  measureOf,
  OBJECTIVES,
  valuesOf,
  type Measure,
  type Measured,
  type ObjectiveName,
  type Valued,
} from './measured.js';
import { evolve, sampleAll, sampleAtRandom, sampleByModel, type Ledger } from './samplers.js';
import {
  checkSpace,
  codesOf,
  decoded,
  keyOf,
  listed,
  networkOf,
  sampled,
  searchSpaceField,
  sizeOf,
  smallestOf,
  type Candidates,
  type Code,
} from './space.js';
import { DATASETS } from '../datasets/datasets.js';
import { operationsOf, parametersOf } from '../learners/mlp.js';

const SAMPLERS = ['auto', 'regularized_evolution', 'random', 'bayesian', 'exhaustive'] as const;
type Sampler = Exclude<(typeof SAMPLERS)[number], 'auto'>;

/** Spaces of dense networks up to this size are listed. */
const MOST_LISTED = 50_000;
const MOST_ALTERNATIVES = 9;
const MOST_SHOWN = 1_000;

const fields = z.strictObject({
  search_space: searchSpaceField,
  evaluator: evaluatorField,
  objective: z.enum(OBJECTIVES).optional().describe('What is wanted. Absent: maximize_accuracy'),
  objectives: z
    .array(z.enum(OBJECTIVES))
    .min(2)
    .max(OBJECTIVES.length)
    .optional()
    .describe('Instead, several wants at once: the answer is the front of the best compromises'),
  constraints: z
    .strictObject({
      max_params: positive('Weights and biases, at most').optional(),
      max_flops: positive('Operations of one prediction, at most').optional(),
      max_latency_ms: positive('Time of one prediction in milliseconds, at most').optional(),
    })
    .default({})
    .describe('Limits of the size'),
  sampler: z
    .enum(SAMPLERS)
    .default('auto')
    .describe('Which ones to value. auto: all, where the budget is enough, else regularized evolution'),
});

type Config = z.output<typeof fields>;

const objectivesOf = ({ objective, objectives }: Config): readonly ObjectiveName[] =>
  objectives ?? [objective ?? 'maximize_accuracy'];

/** Measures that objectives and limits need, with the path of what needs them. */
function neededBy(config: Config): (readonly [Measure, readonly PropertyKey[]])[] {
  const { objectives, constraints } = config;
  return [
    ...objectivesOf(config).map(
      (name, i) => [measureOf(name), objectives === undefined ? ['objective'] : ['objectives', i]] as const,
    ),
    ...LIMIT_NAMES.filter((name) => constraints[name] !== undefined).map(
      (name) => [LIMITS[name], ['constraints', name]] as const,
    ),
  ];
}

/** Ends a training when the time is up. */
class TimeUp extends Error {}

/** The candidates of a search, and how one of their codes is valued. */
interface Task {
  readonly candidates: Candidates;
  /** Number of candidates that keep the limits; null: not counted. */
  readonly feasible: number | null;
  /** Before limits. */
  readonly size: number;
  measure(code: Code): Measured;
  /** Rows of the table that keep the limits; null: there is no table. */
  readonly rows: readonly TableRow[] | null;
  /** Rows by which accuracies are measured; null: the table knows. */
  readonly held: number | null;
}

function taskOf(config: Config, context: SolveContext): Task {
  const { search_space: space, evaluator, constraints } = config;
  if (evaluator.type === 'tabular') {
    const rows = rowsOfTable(evaluator);
    const kept = rows.filter(({ measured }) => brokenLimits(measured, constraints).length === 0);
    if (kept.length === 0) throw noneWithin(config, rows);
    const byKey = new Map(kept.map((row) => [keyOf(row.code), row.measured]));
    return {
      candidates: listed(
        space,
        kept.map(({ code }) => code),
      ),
      feasible: kept.length,
      size: rows.length,
      measure: (code) => byKey.get(keyOf(code)) as Measured,
      rows: kept,
      held: null,
    };
  }
  if (space.type !== 'mlp') throw new Error('only dense networks can be trained');
  const measuredSize = (code: Code): Measured => ({
    ...sizesOf(space, evaluator, code),
    accuracy: null,
    latency_ms: null,
  });
  const fits = (code: Code): boolean => brokenLimits(measuredSize(code), constraints).length === 0;
  const smallest = smallestOf(space).map((hidden) => ({
    params: parametersOf(DATASETS[evaluator.dataset], hidden),
    flops: operationsOf(DATASETS[evaluator.dataset], hidden),
  }));
  const broken = smallest.map((sizes) => brokenLimits({ ...sizes, accuracy: null, latency_ms: null }, constraints));
  if (broken.every((names) => names.length > 0)) {
    const names = LIMIT_NAMES.filter((name) => broken.some((one) => one.includes(name)));
    const least = smallest.reduce((a, b) => (b.params < a.params ? b : a));
    const message = `Even the smallest network has ${least.params} parameters and takes ${least.flops} operations.`;
    throw new Infeasible(message, names);
  }
  const size = sizeOf(space);
  const all = size <= MOST_LISTED ? [...codesOf(space)].filter(fits) : null;
  const look = (): void => {
    if (context.isOver()) throw new TimeUp();
  };
  const trainer = new Trainer(space, evaluator, (label) => context.rng(label), look);
  return {
    candidates: all === null ? sampled(space, fits) : listed(space, all),
    feasible: all === null ? null : all.length,
    size,
    measure: (code) => ({ ...measuredSize(code), accuracy: trainer.accuracy(code) }),
    rows: null,
    held: trainer.held,
  };
}

function noneWithin({ constraints }: Config, rows: readonly TableRow[]): Infeasible {
  const names = LIMIT_NAMES.filter((name) => constraints[name] !== undefined);
  const alone = names.find((name) =>
    rows.every(({ measured }) => brokenLimits(measured, { [name]: constraints[name] }).length > 0),
  );
  if (alone === undefined) return new Infeasible('No architecture of the table keeps all limits at once.', names);
  const least = rows.reduce((a, { measured }) => Math.min(a, measured[LIMITS[alone]] ?? Infinity), Infinity);
  return new Infeasible(`No architecture of the table keeps \`${alone}\`: the least is ${least}.`, [alone]);
}

/** The valued architectures, in their order, and the best on the way. */
class Trials implements Ledger {
  readonly valued: Valued[] = [];
  readonly history: { readonly evaluations: number; readonly one: Valued }[] = [];
  private readonly known = new Set<string>();

  constructor(
    private readonly task: Task,
    private readonly objectives: readonly ObjectiveName[],
    private readonly context: SolveContext,
  ) {}

  isKnown(code: Code): boolean {
    return this.known.has(keyOf(code));
  }

  value(code: Code): boolean {
    const { context, valued } = this;
    if (valued.length >= context.maxEvaluations || (valued.length > 0 && context.isOver())) return false;
    let measured: Measured;
    try {
      measured = this.task.measure(code);
    } catch (error) {
      if (!(error instanceof TimeUp)) throw error;
      // Without any answer there is nothing to return.
      if (valued.length === 0) context.look();
      return false;
    }
    this.known.add(keyOf(code));
    const one: Valued = { code, measured, values: valuesOf(measured, this.objectives) };
    valued.push(one);
    const best = this.history.at(-1);
    if (best === undefined || one.values[0] > best.one.values[0]) {
      this.history.push({ evaluations: valued.length, one });
      context.improved(valued.length, natural(one, this.objectives), code);
    }
    return true;
  }
}

/** Value in the unit and sign of the first objective. */
const natural = ({ measured }: Valued, objectives: readonly ObjectiveName[]): number =>
  measured[measureOf(objectives[0])] as number;

function samplerFor({ sampler }: Config, { candidates }: Task, { maxEvaluations }: SolveContext): Sampler {
  if (sampler !== 'auto') return sampler;
  return candidates.all !== null && candidates.all.length <= maxEvaluations ? 'exhaustive' : 'regularized_evolution';
}

function run(sampler: Sampler, task: Task, trials: Trials, context: SolveContext): void {
  const { candidates } = task;
  const rng = context.rng(sampler);
  switch (sampler) {
    case 'exhaustive':
      // Too many to list: an order by chance is as good as any.
      return candidates.all === null ? sampleAtRandom(candidates, trials, rng) : sampleAll(candidates.all, trials);
    case 'random':
      return sampleAtRandom(candidates, trials, rng);
    case 'bayesian':
      return sampleByModel(candidates, trials, rng, () => context.isOver());
    case 'regularized_evolution':
      return evolve(candidates, trials, rng);
  }
}

const METHODS: Readonly<Record<Sampler, Solution['method']>> = {
  exhaustive: 'exhaustive_enumeration',
  random: 'random_search',
  regularized_evolution: 'regularized_evolution',
  bayesian: { strategy: 'bayesian' },
};

const REASONS: Readonly<Record<Sampler, string>> = {
  exhaustive: 'the budget is enough to value every architecture',
  random: 'it was asked for',
  regularized_evolution:
    'good architectures differ little from each other, and the budget is too small for all of them',
  bayesian: 'it was asked for: a model of what was valued says which one to value next',
};

const measuresOf = ({ measured }: Valued): JsonObject =>
  Object.fromEntries(Object.entries(measured).filter(([, value]) => value !== null));

const pointOf = (one: Valued): JsonObject => ({ encoding: keyOf(one.code), ...measuresOf(one) });

function statesOf({ constraints }: Config, { measured }: Valued): ConstraintState[] {
  return LIMIT_NAMES.flatMap((name) => {
    const limit = constraints[name];
    const value = measured[LIMITS[name]];
    if (limit === undefined || value === null) return [];
    return [{ name, value, limit, slack: limit - value, binding: limit === value }];
  });
}

const NAMES: Readonly<Record<Measure, string>> = {
  accuracy: 'accuracy',
  params: 'parameters',
  flops: 'operations of one prediction',
  latency_ms: 'latency (ms)',
};

export const searchArchitectures = model({
  name: null,
  summary: 'Which architecture of a search space is the most accurate or the smallest, within limits.',
  fields,
  example: {
    search_space: { type: 'mlp', layers: { min: 1, max: 2 }, units: [8, 16], activations: ['relu', 'tanh'] },
    evaluator: {
      type: 'train',
      dataset: 'iris',
      epochs: 30,
      batch: 16,
      learning_rate: 0.01,
      validation: { holdout: 0.3 },
    },
    objective: 'maximize_accuracy',
    constraints: { max_params: 250 },
  },

  check(config, complain) {
    const { search_space: space, evaluator, objective, objectives } = config;
    if (!checkSpace(space, complain)) return;
    if (objective !== undefined && objectives !== undefined)
      return complain(['objectives'], '`{field}` has no meaning beside `objective`.');
    const twice = (objectives ?? []).findIndex((name, i, all) => all.indexOf(name) < i);
    if (twice >= 0) return complain(['objectives', twice], '`{field}` is in the list already.');
    if (!checkEvaluator(evaluator, space, complain)) return;
    for (const [measure, path] of neededBy(config)) {
      if (evaluator.type === 'train') {
        if (measure === 'latency_ms')
          return complain(
            path,
            '`{field}` needs a table with `latency_ms`: nothing is timed here, since times differ from run to run.',
          );
      } else if (columnOf(evaluator, measure) < 1) {
        return complain(path, `\`{field}\` needs the column \`${measure}\` in the table.`);
      }
    }
  },

  sense: (config) => directionOf(objectivesOf(config)[0]),

  solve(config, context) {
    const { search_space: space, evaluator } = config;
    const objectives = objectivesOf(config);
    const task = taskOf(config, context);
    const sampler = samplerFor(config, task, context);
    const trials = new Trials(task, objectives, context);
    run(sampler, task, trials, context);
    const { valued, history } = trials;
    const best = history.at(-1)?.one;
    if (best === undefined) {
      context.look();
      throw new Error('no architecture was valued');
    }
    const isComplete = valued.length === task.feasible;
    const fitness = natural(best, objectives);
    const ranked =
      objectives.length > 1 ? [] : valued.filter((one) => one !== best).sort((a, b) => b.values[0] - a.values[0]);
    const front = objectives.length > 1 ? frontOf(valued) : null;
    const rank =
      task.rows === null || objectives.length > 1
        ? null
        : 1 + task.rows.filter(({ measured }) => valuesOf(measured, objectives)[0] > best.values[0]).length;
    return {
      method: METHODS[sampler],
      reason:
        isComplete && sampler !== 'exhaustive'
          ? 'it was asked for, and it came to value every architecture'
          : REASONS[sampler],
      bestSolution: best.code,
      bestFitness: fitness,
      decisionVariables: best.code.map((_, i) => nameOfDigit(config, i)),
      result: {
        architecture: decoded(space, best.code),
        encoding: keyOf(best.code),
        best_value: fitness,
        ...best.measured,
        ...(rank === null ? {} : { rank }),
        feasible: task.feasible,
        search_space_size: task.size,
        ...(front === null ? {} : { front_size: front.length, pareto: front.slice(0, MOST_SHOWN).map(pointOf) }),
        history: history.slice(-MOST_SHOWN).map(({ evaluations, one }) => ({
          evaluations,
          encoding: keyOf(one.code),
          best_value: natural(one, objectives),
        })),
      },
      optimality: isComplete
        ? { status: 'optimal', bound: fitness, proof: 'exhaustive' }
        : { status: 'heuristic', bound: null, proof: null },
      evaluations: valued.length,
      constraints: statesOf(config, best),
      ...(objectives.length > 1 ? {} : { alternatives: ranked.slice(0, MOST_ALTERNATIVES).map(pointOf) }),
      warnings:
        sampler === 'exhaustive' && !isComplete
          ? [
              {
                code: 'not_all_valued',
                field: 'config.sampler',
                message: 'The budget or the time was not enough to value every architecture.',
              },
            ]
          : [],
      assumptions: assumptionsOf(config),
      detail: {
        held: evaluator.type === 'train' && DATASETS[evaluator.dataset].classes > 0 ? task.held : null,
        valued,
      } satisfies Detail,
    };
  },

  verify(config, { bestSolution: code, bestFitness, result, optimality, detail }) {
    const { search_space: space, evaluator, constraints } = config;
    const objectives = objectivesOf(config);
    const measure = measureOf(objectives[0]);
    const own = result as unknown as Measured;
    if (own[measure] !== bestFitness) return `the ${measure} is ${own[measure]}`;
    if (brokenLimits(own, constraints).length > 0) return 'a limit is broken';
    if (evaluator.type === 'tabular') {
      const { columns, rows } = evaluator.table;
      const row = rows.find(([text]) => text === code.join(''));
      if (row === undefined) return 'the table has no such architecture';
      const of = (cells: readonly (string | number)[], name: Measure): number =>
        cells[columns.indexOf(name === 'accuracy' ? evaluator.metric : name)] as number;
      if (of(row, measure) !== bestFitness) return `the table has ${of(row, measure)}`;
      if (optimality.status !== 'optimal') return null;
      const sign = directionOf(objectives[0]) === 'maximize' ? 1 : -1;
      const isBetter = (cells: readonly (string | number)[]): boolean =>
        sign * of(cells, measure) > sign * bestFitness &&
        LIMIT_NAMES.every((name) => constraints[name] === undefined || of(cells, LIMITS[name]) <= constraints[name]);
      return rows.some(isBetter) ? 'the table has a better one' : null;
    }
    if (space.type !== 'mlp') return 'a network that cannot be trained';
    // Layer by layer: a weight for each input and one bias, for each unit.
    const { columns, classes } = DATASETS[evaluator.dataset];
    let [inputs, params, flops]: number[] = [columns, 0, 0];
    for (const units of [...networkOf(space, code).hidden, classes || 1]) {
      params += units * inputs + units;
      flops += units * (inputs + inputs);
      inputs = units;
    }
    if (own.params !== params || own.flops !== flops) return `there are ${params} parameters, and ${flops} operations`;
    const { held } = detail as Detail;
    if (held === null || own.accuracy === null) return null;
    const right = own.accuracy * held;
    return Math.abs(right - Math.round(right)) < 1e-6 && own.accuracy <= 1
      ? null
      : `${right} of ${held} rows are no number of rows`;
  },

  explain(config, { result, bestFitness, optimality, evaluations }) {
    const objectives = objectivesOf(config);
    const { architecture, params, feasible, rank, pareto } = result as unknown as {
      readonly architecture: { readonly text: string };
      readonly params: number | null;
      readonly feasible: number | null;
      readonly rank?: number;
      readonly pareto?: readonly Readonly<Record<Measure, number>>[];
    };
    const measure = measureOf(objectives[0]);
    const text = quote(architecture.text);
    const shown = text.length > 200 ? `${text.slice(0, 200)} ...` : text;
    const size = params === null || measure === 'params' ? '' : ', with {params} parameters';
    const statements: Statement[] = [
      say(1, 'result', `${shown}: the ${NAMES[measure]} is {value}${size}.`, {
        value: bestFitness,
        ...(size === '' ? {} : { params: params as number }),
      }),
      optimality.status === 'optimal'
        ? say(2, 'choice', 'All of the {count:architecture|architectures} within the limits were valued.', {
            count: evaluations,
          })
        : say(
            2,
            'choice',
            feasible === null
              ? '{count:architecture was|architectures were} valued.'
              : 'Of {all:architecture|architectures}, {count:was|were} valued.',
            {
              count: evaluations,
              ...(feasible === null ? {} : { all: feasible }),
            },
          ),
    ];
    if (rank !== undefined && optimality.status !== 'optimal')
      statements.push(
        say(3, 'constraint', 'In the table it is number {rank} of {all}.', { rank, all: feasible ?? rank }),
      );
    if (pareto !== undefined)
      statements.push(
        say(
          1,
          'front',
          '{count:architecture is|architectures are} such that no other one is better in everything that is wanted.',
          {
            count: pareto.length,
          },
        ),
      );
    const [second] = pareto === undefined ? [] : pareto.slice(-1);
    if (second !== undefined && pareto !== undefined && pareto.length > 1) {
      const parts = objectives.map((name, i) => `${NAMES[measureOf(name)]} {v${i}}`).join(', ');
      statements.push(
        say(
          5,
          'alternatives',
          `At the other end of the front: ${parts}.`,
          Object.fromEntries(objectives.map((name, i) => [`v${i}`, second[measureOf(name)]])),
        ),
      );
    }
    return statements;
  },

  pictures: {
    history: (config, { result }) => {
      const history = result['history'] as unknown as readonly {
        readonly evaluations: number;
        readonly best_value: number;
      }[];
      if (history.length < 2) return null;
      const measure = measureOf(objectivesOf(config)[0]);
      return lineChart({
        title: 'Best architecture so far',
        xName: 'architectures valued',
        yName: NAMES[measure],
        series: [
          { name: 'best', points: history.map((one) => [one.evaluations, one.best_value] as const), isStepped: true },
        ],
        marks: history.slice(-1).map((one) => ({ at: [one.evaluations, one.best_value] as const, name: 'best' })),
      });
    },
    front: (config, { result, bestFitness }) => {
      const objectives = objectivesOf(config);
      if (objectives.length !== 2) return null;
      const points = result['pareto'] as unknown as readonly Readonly<Record<Measure, number>>[];
      const [first, second] = objectives.map(measureOf);
      const place = (one: Readonly<Record<Measure, number>>): readonly [number, number] => [one[second], one[first]];
      const best = points.find((one) => one[first] === bestFitness);
      return lineChart({
        title: `Best compromises of ${NAMES[first]} and ${NAMES[second]}`,
        xName: NAMES[second],
        yName: NAMES[first],
        series: [{ name: 'architectures', points: points.map(place), isScatter: true }],
        marks: best === undefined ? [] : [{ at: place(best), name: 'best_solution' }],
      });
    },
    architecture: ({ search_space: space, evaluator }, { bestSolution }) => {
      if (space.type !== 'mlp') {
        const blocks = bestSolution.map((digit) => space.choices[digit]);
        const isChain = space.type === 'macro';
        const title = isChain ? 'Layers, from the input on' : 'Operations of the edges of the cell';
        return chainPicture(
          title,
          blocks.map((name, i) => ({ name, below: nameOfPlace(space.type, i) })),
          isChain,
        );
      }
      const { hidden, activation, dropout } = networkOf(space, bestSolution);
      if (evaluator.type !== 'train') return null;
      const { columns, classes } = DATASETS[evaluator.dataset];
      return chainPicture('Layers, from the input on', [
        { name: `${columns} inputs`, below: evaluator.dataset },
        ...hidden.map((units) => ({
          name: `${units} units`,
          below: dropout > 0 ? `${activation}, dropout ${dropout}` : activation,
        })),
        { name: classes > 0 ? `${classes} classes` : '1 number', below: classes > 0 ? 'softmax' : 'linear' },
      ]);
    },
  },
});

interface Detail {
  /** Rows by which an accuracy is counted; null: it is no share of rows. */
  readonly held: number | null;
  readonly valued: readonly Valued[];
}

function nameOfPlace(type: 'macro' | 'cell', i: number): string {
  if (type === 'macro') return `layer ${i + 1}`;
  let to = 1;
  let from = i;
  while (from >= to) from -= to++;
  return `edge ${to}<-${from}`;
}

function nameOfDigit({ search_space: space }: Config, i: number): string {
  if (space.type !== 'mlp') return `operation of ${nameOfPlace(space.type, i)}`;
  const { max } = space.layers;
  if (i === 0) return 'hidden layers above the least';
  if (i <= max) return `units of layer ${i}, by place`;
  return i === max + 1 ? 'activation, by place' : 'dropout, by place';
}

function assumptionsOf(config: Config): Remark[] {
  const { objective, objectives, evaluator } = config;
  const remarks: Remark[] = [];
  if (objective === undefined && objectives === undefined)
    remarks.push({
      code: 'default_assumed',
      field: 'config.objective',
      message: 'The most accurate architecture is wanted.',
    });
  if (evaluator.type === 'train') {
    const { holdout, folds } = evaluator.validation;
    const rows =
      folds === undefined
        ? `on ${Math.round(100 * (holdout ?? 0.2))} percent of the rows, which no training sees`
        : `on all rows, each predicted by a network that was trained without its part of ${folds}`;
    remarks.push({
      code: 'validation',
      field: 'config.evaluator.validation',
      message: `Accuracies are measured ${rows}. The best of many is a little better there than on new rows.`,
    });
    remarks.push({
      code: 'operations_counted',
      message:
        'Operations are the multiplications and additions of the layers for one prediction; activations are not counted.',
    });
    if (DATASETS[evaluator.dataset].classes === 0)
      remarks.push({
        code: 'r2_is_accuracy',
        field: 'config.evaluator.dataset',
        message:
          'The target is a number, so the accuracy is the share of its variance that is explained (R²); what is below -1 counts as -1.',
      });
  }
  return remarks;
}
