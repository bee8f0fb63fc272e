/**
 * Hyperparameters of a learner, or the settings of a table, that give the best value of a metric.
 *
 * A space that the budget covers is tried as a whole, which proves the best setting; else a sampler decides what comes
 * next.
 */
import { z } from 'zod';
import { log } from '../../../common/float.js';
import { say, quote } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { Json, JsonObject, Remark, SolvingMethod } from '../../../model/problem.js';
import type { Direction } from '../../../model/run-task.js';
import { barChart } from '../../charts/bar-chart.js';
import { lineChart, type Point as ChartPoint } from '../../charts/line-chart.js';
import { count, list, number, positive, type Complain } from '../../fields.js';
import { Infeasible, model, type ProblemType, type Solution, type SolveContext } from '../../problem-type.js';
import { type ParameterValue, type ParameterValues } from '../learners/learner.js';
import { learnerNamed } from '../learners/learners.js';
import { checkSpace, MOST_PARAMETERS, searchSpace, Space, type Point } from '../search-space/space.js';
import { directionOf, METRICS, type MetricName } from '../validation/metrics.js';
import { Judge } from '../validation/validation.js';
import {
  builtin,
  checkBuiltin,
  dataOf,
  kindOf,
  metricNameOf,
  MOST_COLUMNS,
  MOST_ROWS as MOST_ROWS_OF_DATA,
  operationsOf,
  type Builtin,
} from './builtin.js';
import { importanceOf, type Importance } from './importance.js';
import {
  dividedBy,
  MOST_TRIALS,
  Over,
  SAMPLERS,
  searchAtRandom,
  searchByEngine,
  searchByHalving,
  searchByParzen,
  Trials,
  tryAll,
  type Ending,
  type Halving,
  type Sampler,
  type Task,
  type Trial,
  type Valued,
} from './search.js';
import { checkTable, MOST_ROWS, settingsOf, tabular, type Tabular } from './table.js';

const MOST_OBJECTIVES = 4;
const SHOWN_TRIALS = 1_000;
const SHOWN_FRONT = 200;
/** Space that a Gaussian process is for: coordinates, and evaluations it can be fitted to. */
const MOST_COORDINATES_OF_GP = 20;
/** Operations that an answer is judged anew with. */
const MOST_VERIFIED = 2e8;

const objective = z.union([
  z.string().min(1).max(100).describe('Metric, or column of the table'),
  z.strictObject({
    metric: z.string().min(1).max(100).describe('Metric, or column of the table'),
    direction: z.enum(['minimize', 'maximize']).optional().describe('Default: by the metric; minimize for a column'),
  }),
]);

const fields = z.strictObject({
  search_space: searchSpace,
  evaluator: z
    .discriminatedUnion('type', [
      builtin,
      tabular,
      z.strictObject({
        type: z.literal('function').describe('Not here: an objective of your own goes to /v1/optimize or /v1/studies'),
        objective_function_id: z.string().max(200).describe('Name of the objective'),
      }),
    ])
    .describe('What gives a setting its value: one of our learners, or a table of settings that were tried'),
  direction: z.enum(['minimize', 'maximize']).optional().describe('Default: by the metric; minimize for a column'),
  sampler: z
    .enum(SAMPLERS)
    .default('auto')
    .describe('Which setting comes next. auto: all of them where the budget suffices, else gp or tpe'),
  multi_fidelity: z
    .strictObject({
      resource: z
        .string()
        .max(100)
        .describe(
          'What settings get little of first: `rows`, an int parameter of the learner, or a column of the table',
        ),
      min: positive('Least amount; of `rows` a share'),
      max: positive('Amount of the final value; of `rows` at most 1'),
      eta: number('One of so many settings goes on to the next round').min(1.5).max(10).default(3),
    })
    .optional()
    .describe('Successive halving'),
  objectives: list(objective, 'Several at once: the answer has the Pareto front', MOST_OBJECTIVES).optional(),
  target: number('The search ends once the value is as good').optional(),
  patience: count('The search ends after so many settings without a better one', 1).optional(),
});

type Config = z.output<typeof fields>;

interface Objective {
  readonly name: string;
  readonly direction: Direction;
}

/** The evaluator with the first objective as the metric, which decides what the target is. */
const builtinOf = ({ evaluator, objectives }: Config): Builtin => {
  if (evaluator.type !== 'builtin') throw new Error('the evaluator is not built in');
  const [first] = objectives ?? [];
  const name = typeof first === 'string' ? first : first?.metric;
  return name !== undefined && isMetric(name) ? { ...evaluator, metric: name } : evaluator;
};

const isMetric = (name: string): name is MetricName => (METRICS as readonly string[]).includes(name);

function objectivesOf(config: Config): readonly Objective[] {
  const { evaluator, objectives, direction } = config;
  const byDefault = (name: string): Direction =>
    evaluator.type === 'builtin' && isMetric(name) ? directionOf(name) : (direction ?? 'minimize');
  if (objectives !== undefined) {
    return objectives.map((one) =>
      typeof one === 'string'
        ? { name: one, direction: byDefault(one) }
        : { name: one.metric, direction: one.direction ?? byDefault(one.metric) },
    );
  }
  const name = evaluator.type === 'tabular' ? evaluator.metric : metricNameOf(builtinOf(config));
  return [{ name, direction: direction ?? byDefault(name) }];
}

function check(config: Config, complain: Complain): void {
  const { evaluator, search_space: space, sampler, multi_fidelity: fidelity, objectives, direction, target } = config;
  if (evaluator.type === 'function') {
    return complain(
      ['evaluator', 'type'],
      '`{field}`: an objective of your own goes to POST /v1/optimize (a registered function) or /v1/studies (ask and tell).',
    );
  }
  if (!checkSpace(space, 'search_space', complain)) return;
  const names = objectives?.map((one) => (typeof one === 'string' ? one : one.metric));
  const twice = names?.findIndex((name, i) => names.indexOf(name) < i) ?? -1;
  if (twice >= 0) return complain(['objectives', twice], `\`{field}\`: ${names?.[twice]} is an objective already.`);
  if (evaluator.type === 'builtin') {
    const other = names?.findIndex((name) => !isMetric(name)) ?? -1;
    if (other >= 0) return complain(['objectives', other], `\`{field}\` must be one of ${METRICS.join(', ')}.`);
    const [first] = names ?? [];
    if (first !== undefined && evaluator.metric !== undefined && evaluator.metric !== first) {
      return complain(['evaluator', 'metric'], '`{field}` must be the first of `config.objectives`, or left out.');
    }
    const metrics = objectivesOf(config).map(
      ({ name }, i) => [name as MetricName, names === undefined ? ['evaluator', 'metric'] : ['objectives', i]] as const,
    );
    if (!checkBuiltin(builtinOf(config), space, metrics, complain)) return;
    for (const [i, { name, direction: given }] of objectivesOf(config).entries()) {
      if (given === directionOf(name as MetricName)) continue;
      const path = names === undefined ? ['direction'] : ['objectives', i, 'direction'];
      return complain(path, `\`{field}\`: ${name} is to be ${directionOf(name as MetricName)}d.`);
    }
  } else {
    const measured = objectivesOf(config).map(
      ({ name }, i) => [name, names === undefined ? ['evaluator', 'metric'] : ['objectives', i]] as const,
    );
    if (names !== undefined && !names.includes(evaluator.metric)) {
      return complain(['evaluator', 'metric'], '`{field}` must be one of `config.objectives`.');
    }
    if (!checkTable(evaluator, space, measured, complain)) return;
  }
  if (names !== undefined && names.length > 1) {
    if (direction !== undefined) {
      return complain(
        ['direction'],
        '`{field}` goes with one objective; write {"metric", "direction"} in `objectives`.',
      );
    }
    if (sampler === 'gp' || sampler === 'cmaes') {
      return complain(['sampler'], `\`{field}\` = ${sampler} takes one objective; tpe and random take several.`);
    }
    if (target !== undefined) return complain(['target'], '`{field}` goes with one objective.');
    if (fidelity !== undefined) return complain(['multi_fidelity'], '`{field}` goes with one objective.');
  }
  if (fidelity !== undefined) checkFidelity(config, complain);
}

function checkFidelity(
  { evaluator, multi_fidelity: fidelity, sampler, search_space: space }: Config,
  complain: Complain,
) {
  if (fidelity === undefined) return;
  const { resource, min, max } = fidelity;
  const path = (name: string): string[] => ['multi_fidelity', name];
  if (sampler !== 'auto' && sampler !== 'random') {
    return complain(['sampler'], `\`{field}\` must be auto or random with \`multi_fidelity\`, not ${sampler}.`);
  }
  if (min >= max) return complain(path('max'), `\`{field}\` = ${max} must be above \`min\` = ${min}.`);
  if (Object.hasOwn(space, resource)) {
    return complain(path('resource'), '`{field}` must not be a parameter that is searched.');
  }
  if (evaluator.type === 'tabular') {
    const column = evaluator.columns.indexOf(resource);
    if (column < 0) return complain(path('resource'), '`{field}` is no column of `config.evaluator.columns`.');
    for (const name of ['min', 'max'] as const) {
      if (evaluator.rows.some((row) => row[column] === fidelity[name])) continue;
      return complain(path(name), `\`{field}\` = ${fidelity[name]} is no value of the column ${resource}.`);
    }
    return;
  }
  if (evaluator.type !== 'builtin') return;
  if (resource === 'rows') {
    if (max > 1) complain(path('max'), '`{field}` must be at most 1: it is a share of the rows.');
    return;
  }
  const known = learnerNamed(evaluator.model).parameters.find(({ name, type }) => name === resource && type === 'int');
  if (known?.type !== 'int') {
    const able = learnerNamed(evaluator.model).parameters.flatMap(({ name, type }) => (type === 'int' ? [name] : []));
    return complain(path('resource'), `\`{field}\` must be one of ${['rows', ...able].join(', ')}.`);
  }
  for (const name of ['min', 'max'] as const) {
    const value = fidelity[name];
    if (Number.isInteger(value) && value >= known.least && value <= known.most) continue;
    return complain(
      path(name),
      `\`{field}\` must be a whole number from ${known.least} to ${known.most}, not ${value}.`,
    );
  }
}

/** Amounts of the resource by round, from little to all. */
function halvingOf({ multi_fidelity: fidelity, evaluator }: Config): Halving | null {
  if (fidelity === undefined) return null;
  const { resource, min, max, eta } = fidelity;
  const rounds = Math.floor(log(max / min) / log(eta) + 1e-9);
  const amounts = Array.from({ length: rounds }, (_, k) => dividedBy(max, eta, rounds - k));
  const isWhole = evaluator.type === 'builtin' && resource !== 'rows';
  const given = (amount: number): number => {
    if (evaluator.type !== 'tabular') return isWhole ? Math.max(min, Math.round(amount)) : amount;
    const column = evaluator.columns.indexOf(resource);
    const there = evaluator.rows.flatMap((row) => {
      const value = row[column];
      return typeof value === 'number' && value >= min && value < max ? [value] : [];
    });
    return there.reduce((a, b) => (Math.abs(b - amount) < Math.abs(a - amount) ? b : a), min);
  };
  return { levels: [...new Set(amounts.map(given)), null], eta };
}

/** Gives settings their values, and says more about the best one. */
interface Evaluation {
  readonly pool: readonly Point[] | null;
  value(point: Point, resource?: number): Valued;
  /** Value on rows that were kept apart; null: there are none. */
  test(values: ParameterValues): number | null;
  /** Values with the learner's defaults; null: there are none. */
  baseline(): { readonly params: ParameterValues; readonly valued: Valued } | null;
  readonly warnings: readonly Remark[];
}

function evaluationOf(config: Config, space: Space, rng: SolveContext['rng'], look: () => void): Evaluation {
  const { evaluator } = config;
  if (evaluator.type === 'tabular') return tableEvaluation(config, evaluator, space);
  return learnerEvaluation(config, builtinOf(config), space, rng, look);
}

function tableEvaluation(config: Config, evaluator: Tabular, space: Space): Evaluation {
  const measured = objectivesOf(config).map(({ name }) => name);
  const { multi_fidelity: fidelity } = config;
  const column = fidelity === undefined ? -1 : evaluator.columns.indexOf(fidelity.resource);
  const known = new Map<number | undefined, ReadonlyMap<string, readonly number[]>>();
  const at = (resource: number | undefined) =>
    settingsOf(evaluator, config.search_space, space, measured, (row) =>
      fidelity === undefined ? true : row[column] === (resource ?? fidelity.max),
    );
  const valuesAt = (resource: number | undefined): ReadonlyMap<string, readonly number[]> => {
    const found =
      known.get(resource) ?? new Map(at(resource).settings.map(({ point, values }) => [space.keyOf(point), values]));
    known.set(resource, found);
    return found;
  };
  const { settings, outside, repeated } = at(undefined);
  const warnings: Remark[] = [];
  if (outside > 0) {
    const message = `${outside} rows of the table lie outside the search space and were left out.`;
    warnings.push({ code: 'rows_outside', field: 'config.evaluator.rows', message });
  }
  if (repeated > 0) {
    const message = `${repeated} rows repeat a setting; the mean of equal settings counts.`;
    warnings.push({ code: 'rows_repeated', field: 'config.evaluator.rows', message });
  }
  return {
    pool: settings.map(({ point }) => point),
    value: (point, resource) => ({ values: valuesAt(resource).get(space.keyOf(point)) ?? [NaN], byFold: [] }),
    test: () => null,
    baseline: () => null,
    warnings,
  };
}

function learnerEvaluation(
  { multi_fidelity: fidelity, ...config }: Config,
  evaluator: Builtin,
  space: Space,
  rng: SolveContext['rng'],
  look: () => void,
): Evaluation {
  const learner = learnerNamed(evaluator.model);
  const judge = new Judge({
    data: dataOf(evaluator),
    learner,
    metrics: objectivesOf(config).map(({ name }) => name as MetricName),
    validation: evaluator.validation,
    standardize: evaluator.standardize,
    rng,
    look,
  });
  const whole = (given: ParameterValues): ParameterValues =>
    fidelity === undefined || fidelity.resource === 'rows' ? given : { ...given, [fidelity.resource]: fidelity.max };
  const judged = (values: ParameterValues, share: number): Valued => {
    const { values: own, byFold } = judge.judge(values, share);
    return { values: own, byFold: byFold.map(([first]) => first) };
  };
  return {
    pool: null,
    value(point, resource) {
      const values = whole(space.assignment(point));
      if (fidelity === undefined) return judged(values, 1);
      if (fidelity.resource === 'rows') return judged(values, resource ?? fidelity.max);
      return judged(resource === undefined ? values : { ...values, [fidelity.resource]: resource }, 1);
    },
    test: (values) => judge.test(whole(values))?.[0] ?? null,
    baseline() {
      const values = Object.fromEntries(
        learner.parameters.map(({ name, default: value }) => [
          name,
          typeof value === 'function' ? value(dataOf(evaluator).columns) : value,
        ]),
      );
      const share = fidelity?.resource === 'rows' ? fidelity.max : 1;
      return { params: whole(values), valued: judged(whole(values), share) };
    },
    warnings: [],
  };
}

interface Searched {
  readonly method: Solution['method'];
  readonly reason: string;
  readonly ending: Ending;
  readonly sampler: Exclude<Sampler, 'auto'> | 'halving';
  /** Every setting was tried. */
  readonly isWhole: boolean;
}

const REASONS: Readonly<Record<Searched['sampler'], string>> = {
  grid: 'The budget covers every setting of the grid.',
  random: 'Settings were drawn at random, as asked.',
  tpe: 'Tree-structured Parzen estimators take conditions, choices and several objectives.',
  gp: 'A Gaussian process makes most of few evaluations in a space of few coordinates.',
  cmaes: 'CMA-ES was asked for.',
  halving: 'Many settings get little of the resource, the best of them more.',
};

const METHODS: Readonly<Record<Searched['sampler'], SolvingMethod | { readonly strategy: string }>> = {
  grid: 'exhaustive_enumeration',
  random: 'random_search',
  tpe: 'tree_parzen_estimator',
  gp: { strategy: 'bayesian' },
  cmaes: { strategy: 'cma-es' },
  halving: 'successive_halving',
};

async function searched(config: Config, task: Task, trials: Trials, context: SolveContext): Promise<Searched> {
  const { space, pool, directions } = task;
  const size = pool?.length ?? space.size;
  const answer = (sampler: Searched['sampler'], ending: Ending): Searched => ({
    method: METHODS[sampler],
    reason: REASONS[sampler],
    ending,
    sampler,
    isWhole: ending === 'exhausted' && trials.all.length >= size,
  });
  const halving = halvingOf(config);
  if (halving !== null) return answer('halving', await searchByHalving(task, trials, context, halving));
  const { sampler } = config;
  if (size <= Math.min(context.maxEvaluations, MOST_TRIALS) && (sampler === 'auto' || sampler === 'grid')) {
    return answer('grid', await tryAll(trials, pool ?? space.settings()));
  }
  if (sampler === 'grid') return gridOfSome(task, trials, context, answer);
  const isSmooth = space.axes.every(({ condition }) => condition === null) && directions.length === 1;
  const byDefault = isSmooth && space.dimension <= MOST_COORDINATES_OF_GP ? 'gp' : 'tpe';
  const chosen = sampler === 'auto' ? byDefault : sampler;
  switch (chosen) {
    case 'random':
      return answer(chosen, await searchAtRandom(task, trials, context));
    case 'tpe':
      return answer(chosen, await searchByParzen(task, trials, context));
    case 'gp':
    case 'cmaes': {
      const { strategy } = METHODS[chosen] as { readonly strategy: string };
      return answer(chosen, await searchByEngine(task, trials, context, strategy));
    }
  }
}

/** A grid as fine as the budget allows; where even the coarsest is too large, a part of it by chance. */
async function gridOfSome(
  task: Task,
  trials: Trials,
  context: SolveContext,
  answer: (sampler: Searched['sampler'], ending: Ending) => Searched,
): Promise<Searched> {
  const levels = task.pool === null ? task.space.gridLevels(Math.min(context.maxEvaluations, MOST_TRIALS)) : null;
  if (levels === null) {
    const found = answer('random', await searchAtRandom(task, trials, context));
    return { ...found, reason: 'The whole grid is beyond the budget: settings of it were drawn at random.' };
  }
  const found = answer('grid', await tryAll(trials, task.space.settings(levels)));
  return { ...found, reason: 'The grid is as fine as the budget allows.', isWhole: false };
}

interface Detail {
  readonly trials: readonly Trial[];
  readonly best: Trial;
  readonly seeded: SolveContext['rng'];
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function spreadOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}

/** Work that tells more about the search, as far as there is time for it; null: there was not. */
function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Over) return null;
    throw error;
  }
}

function assumptionsOf(config: Config, { sampler }: Searched): Remark[] {
  const { evaluator, multi_fidelity: fidelity } = config;
  const remarks: Remark[] = [];
  if (evaluator.type !== 'builtin') return remarks;
  const own = builtinOf(config);
  const { validation } = evaluator;
  if (kindOf(own).isGuessed) {
    const what = kindOf(own).isClass ? 'a class: it has few whole numbers' : 'a number: it has many values';
    remarks.push({
      code: 'kind_of_target',
      field: 'config.evaluator.dataset.target',
      message: `The target was taken as ${what}; a \`metric\` of the other kind changes that.`,
    });
  }
  if (evaluator.metric === undefined && config.objectives === undefined) {
    const message = `The metric is ${metricNameOf(own)}, the default for this target.`;
    remarks.push({ code: 'default_metric', field: 'config.evaluator.metric', message });
  }
  if (validation !== 'leave_one_out') {
    const { folds = 5, assignment, repeats } = validation;
    const byClass = kindOf(own).isClass ? ', stratified by class' : '';
    const how = assignment === 'shuffled' ? `drawn by the seed${byClass}` : 'by row';
    const again = repeats > 1 ? `, ${repeats} times` : '';
    remarks.push({
      code: 'folds',
      field: 'config.evaluator.validation',
      message: `${folds} folds, ${how}${again}; the value is that over all held-out rows, the same folds for every setting.`,
    });
  }
  if (evaluator.standardize) {
    const isAll = validation === 'leave_one_out' && learnerNamed(evaluator.model).leaveOneOut !== undefined;
    const message = `Features are standardised by ${isAll ? 'all rows' : 'the rows that each model is fitted to'}.`;
    remarks.push({ code: 'standardized', field: 'config.evaluator.standardize', message });
  }
  const named = Object.keys(config.search_space);
  const fixed = learnerNamed(evaluator.model).parameters.filter(
    ({ name }) => !named.includes(name) && name !== fidelity?.resource,
  );
  if (fixed.length > 0) {
    const message = `Not searched, at their defaults: ${fixed.map(({ name }) => name).join(', ')}.`;
    remarks.push({ code: 'fixed_parameters', field: 'config.search_space', message });
  }
  remarks.push({
    code: 'baseline',
    message: 'The baseline, the defaults of the learner, was judged besides; it is none of the evaluations.',
  });
  if (sampler === 'halving') {
    const message = 'Settings that got a part of the resource count as evaluations, but never as the best.';
    remarks.push({ code: 'parts', field: 'config.multi_fidelity', message });
  }
  return remarks;
}

const shownImportance = (importance: readonly Importance[] | null): Json =>
  importance === null
    ? null
    : Object.fromEntries(importance.map(({ name, share, low, high }) => [name, { share, low, high }]));

async function solve(config: Config, context: SolveContext): Promise<Solution> {
  const space = new Space(config.search_space);
  const objectives = objectivesOf(config);
  const look = (): void => {
    if (context.isOver()) throw new Over();
  };
  const evaluation = evaluationOf(config, space, (label) => context.rng(label), look);
  if (evaluation.pool?.length === 0) {
    throw new Infeasible('no row of the table lies in the search space', ['search_space', 'evaluator.rows']);
  }
  const task: Task = {
    space,
    directions: objectives.map(({ direction }) => direction),
    pool: evaluation.pool,
    value: (point, resource) => evaluation.value(point, resource),
    target: config.target,
    patience: config.patience,
  };
  const trials = new Trials(task, context);
  const found = await searched(config, task, trials, context);
  const front = trials.front();
  const [best] = front;
  if (best === undefined) {
    context.look();
    const [failed] = trials.all.filter(({ failure }) => failure !== undefined);
    throw new Infeasible(`no setting has a value: ${failed?.failure ?? 'none was trained in full'}`, ['search_space']);
  }
  const values = space.assignment(best.point);
  const baseline = orNull(() => evaluation.baseline());
  const test = orNull(() => evaluation.test(values));
  const whole = trials.all.filter(({ resource }) => resource === undefined);
  const importance = orNull(() =>
    importanceOf(space, whole, { isGrid: found.isWhole, rng: context.rng('importance'), look }),
  );
  const failures = trials.all.filter(({ failure }) => failure !== undefined).length;
  const [first] = objectives;
  const named = ({ values: own }: Valued): JsonObject =>
    Object.fromEntries(objectives.map(({ name }, i) => [name, own[i]]));
  const result: JsonObject = {
    best_params: { ...values },
    metric: first.name,
    best_value: best.values[0],
    cv_mean: best.byFold.length === 0 ? null : meanOf(best.byFold),
    cv_std: best.byFold.length === 0 ? null : spreadOf(best.byFold),
    test_value: test,
    baseline: baseline === null ? null : { params: { ...baseline.params }, value: baseline.valued.values[0] },
    importance: shownImportance(importance),
    sampler: found.sampler,
    ended_by: found.ending,
    settings_in_space: Number.isFinite(evaluation.pool?.length ?? space.size)
      ? (evaluation.pool?.length ?? space.size)
      : null,
    failed_trials: failures,
    pareto:
      objectives.length === 1
        ? null
        : front
            .slice(0, SHOWN_FRONT)
            .map((trial) => ({ params: { ...space.assignment(trial.point) }, ...named(trial) })),
    trials: trials.all.slice(0, SHOWN_TRIALS).map((trial) => ({
      params: { ...space.assignment(trial.point) },
      ...(trial.failure === undefined ? { value: trial.values[0] } : { value: null, failure: trial.failure }),
      ...(objectives.length === 1 || trial.failure !== undefined ? {} : { values: named(trial) }),
      ...(trial.resource === undefined ? {} : { resource: trial.resource }),
    })),
  };
  const isProven = found.isWhole && failures === 0 && config.multi_fidelity === undefined;
  const ranked = objectives.length === 1 ? trials.ranked().filter(({ failure }) => failure === undefined) : [];
  return {
    method: found.method,
    reason: found.reason,
    bestSolution: [...best.point],
    bestFitness: best.values[0],
    decisionVariables: space.axes.map(({ name }) => name),
    result,
    optimality: isProven
      ? { status: 'optimal', bound: best.values[0], proof: 'exhaustive' }
      : { status: 'heuristic', bound: null, proof: null },
    evaluations: trials.all.length,
    iterations: trials.all.length,
    warnings: [...evaluation.warnings, ...failureWarnings(trials.all, failures)],
    assumptions: assumptionsOf(config, found),
    alternatives: ranked.slice(1, 6).map((trial) => ({
      params: { ...space.assignment(trial.point) },
      value: trial.values[0],
    })),
    detail: { trials: trials.all, best, seeded: (label) => context.rng(label) } satisfies Detail,
  };
}

function failureWarnings(trials: readonly Trial[], failures: number): Remark[] {
  if (failures === 0) return [];
  const first = trials.find(({ failure }) => failure !== undefined)?.failure ?? '';
  return [
    {
      code: 'failed_trials',
      message: `${failures} of ${trials.length} settings have no value, the first because ${first}.`,
    },
  ];
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * (1 + Math.abs(b));

/** The best of equal settings in the rows of the table as they are; learners are trained anew. */
function verify(config: Config, { bestFitness, result, detail, optimality }: Solution): string | null {
  const { trials, best, seeded } = detail as Detail;
  const [{ direction }] = objectivesOf(config);
  const isBetter = (a: number, b: number): boolean => (direction === 'minimize' ? a < b : a > b);
  const params = result['best_params'] as Readonly<Record<string, ParameterValue>>;
  const { evaluator } = config;
  const whole = trials.filter(({ resource, failure }) => resource === undefined && failure === undefined);
  if (whole.some(({ values }) => isBetter(values[0], bestFitness))) return 'another trial is better';
  if (evaluator.type === 'tabular') return tableComplaint(config, evaluator, params, bestFitness, optimality.status);
  const own = builtinOf(config);
  if (operationsOf(own) > MOST_VERIFIED) return null;
  const space = new Space(config.search_space);
  const again = evaluationOf(config, space, seeded, () => undefined).value(best.point).values[0];
  return isNear(again, bestFitness) ? null : `trained anew it has ${again}`;
}

function tableComplaint(
  config: Config,
  { columns, rows }: Tabular,
  params: Readonly<Record<string, ParameterValue>>,
  bestFitness: number,
  status: string,
): string | null {
  const [{ name, direction }] = objectivesOf(config);
  const { multi_fidelity: fidelity, search_space: space } = config;
  const metric = columns.indexOf(name);
  const isWhole = (row: readonly ParameterValue[]): boolean =>
    fidelity === undefined || row[columns.indexOf(fidelity.resource)] === fidelity.max;
  const isMeant = (row: readonly ParameterValue[]): boolean =>
    Object.entries(params).every(([key, value]) => {
      const cell = row[columns.indexOf(key)];
      // Levels of a step are found to rounding.
      return cell === value || (typeof cell === 'number' && typeof value === 'number' && isNear(cell, value));
    });
  const meant = rows.filter((row) => isWhole(row) && isMeant(row)).map((row) => row[metric] as number);
  if (meant.length === 0) return 'the table has no such setting';
  if (!isNear(meanOf(meant), bestFitness)) return `the table has ${meanOf(meant)} for this setting`;
  const isPlain = Object.values(space).every((one) => one.type === 'ordinal' || one.type === 'categorical');
  if (status !== 'optimal' || !isPlain || meant.length > 1) return null;
  const allowed = Object.entries(space).map(([key, one]) => ({
    column: columns.indexOf(key),
    values: one.type === 'ordinal' ? one.values : one.type === 'categorical' ? one.choices : [],
  }));
  const inSpace = rows.filter((row) => allowed.every(({ column, values }) => values.includes(row[column])));
  const all = inSpace.map((row) => row[metric] as number);
  const bestOfAll = all.reduce((a, b) => (direction === 'minimize' ? Math.min(a, b) : Math.max(a, b)));
  // Where settings repeat, single rows are better than the mean of their setting.
  const isUnique =
    new Set(inSpace.map((row) => allowed.map(({ column }) => String(row[column])).join(' '))).size === all.length;
  const isPure = Object.values(space).every(({ condition }) => condition === undefined);
  return !isUnique || !isPure || bestOfAll === bestFitness ? null : `the table has ${bestOfAll}`;
}

const textOf = (params: JsonObject): string =>
  quote(
    Object.entries(params)
      .map(
        ([name, value]) =>
          `${name} = ${typeof value === 'number' ? Number(value.toPrecision(6)) : JSON.stringify(value)}`,
      )
      .join(', '),
  );

function explain(
  config: Config,
  { result, bestFitness, evaluations, optimality, reason }: Solution,
): readonly Statement[] {
  const objectives = objectivesOf(config);
  const [{ name, direction }] = objectives;
  const best = textOf(result['best_params'] as JsonObject);
  const statements = [say(1, 'result', `${quote(name)} is {value} at ${best}.`, { value: bestFitness })];
  const { cv_std: spread, test_value: test, settings_in_space: size } = result as Record<string, number | null>;
  if (typeof test === 'number') {
    statements.push(say(1, 'result', 'On rows that the search never saw it is {test}.', { test }));
  }
  const front = result['pareto'] as readonly Json[] | null;
  if (front !== null) {
    const text = `{points} settings are such that no other one is better in every objective; shown is the one with the best ${quote(name)}.`;
    statements.push(say(1, 'result', text, { points: front.length }));
  }
  statements.push(
    optimality.status === 'optimal'
      ? say(2, 'choice', 'All {evaluations} settings were tried, so none of them is better.', { evaluations })
      : say(2, 'choice', `${quote(reason)} {evaluations} settings were tried.`, { evaluations }),
  );
  if (optimality.status !== 'optimal') {
    statements.push(
      size === null
        ? say(3, 'constraint', 'The space is a continuum: a better setting may be left.', {})
        : say(3, 'constraint', 'The space has {size} settings: a better one may be left.', { size: size ?? 0 }),
    );
  }
  const baseline = result['baseline'] as { readonly value: number } | null;
  if (baseline !== null) {
    const gain = direction === 'minimize' ? baseline.value - bestFitness : bestFitness - baseline.value;
    statements.push(
      gain > 0
        ? say(5, 'alternatives', 'The defaults of the learner have {value}: tuning gains {gain}.', {
            value: baseline.value,
            gain,
          })
        : say(5, 'alternatives', 'The defaults of the learner have {value}: tuning gains nothing here.', {
            value: baseline.value,
          }),
    );
  }
  if (typeof spread === 'number') {
    const text = 'From fold to fold the value varies by {spread} (standard deviation): smaller gains may be luck.';
    statements.push(say(4, 'sensitivity', text, { spread }));
  }
  const importance = result['importance'] as Readonly<
    Record<string, { share: number; low: number; high: number }>
  > | null;
  const [most] = Object.entries(importance ?? {}).sort(([, a], [, b]) => b.share - a.share);
  if (most !== undefined) {
    const [parameter, { share, low, high }] = most;
    const text = `${quote(parameter)} alone explains {percent} percent of the variation of ${quote(name)} (from {low} to {high} percent).`;
    statements.push(say(4, 'sensitivity', text, { percent: 100 * share, low: 100 * low, high: 100 * high }));
  }
  return statements;
}

type ShownTrial = {
  readonly value: number | null;
  readonly resource?: number;
  readonly values?: Record<string, number>;
};

const trialsOf = (result: JsonObject): readonly ShownTrial[] => result['trials'] as unknown as readonly ShownTrial[];

const IMPORTANT = 12;

export const hyperparameterTuning: ProblemType = {
  domain: 'ai_ml',
  name: 'hyperparameter_tuning',
  aliases: ['hyperparameters', 'hyperparameter_optimization'],
  title: 'Hyperparameter tuning',
  summary:
    'Which settings of a learner predict best, judged by rows that it has not seen; or which rows of a table are best.',
  models: [
    model({
      name: null,
      summary: 'Settings of a learner, or of a table, by a metric.',
      fields,
      example: {
        search_space: {
          k: { type: 'int', low: 1, high: 30 },
          weights: { type: 'categorical', choices: ['uniform', 'distance'] },
        },
        evaluator: { type: 'builtin', model: 'knn', dataset: { name: 'iris' }, metric: 'accuracy' },
      },
      check,
      sense: (config) => objectivesOf(config)[0].direction,
      solve,
      verify,
      explain,
      pictures: {
        trials: (config, { result }) => {
          const [{ name, direction }] = objectivesOf(config);
          const points: ChartPoint[] = [];
          const bests: ChartPoint[] = [];
          let best: number | null = null;
          for (const [i, { value, resource }] of trialsOf(result).entries()) {
            if (value === null || resource !== undefined) continue;
            points.push([i + 1, value]);
            if (best === null || (direction === 'minimize' ? value < best : value > best)) best = value;
            bests.push([i + 1, best]);
          }
          if (points.length === 0) return null;
          return lineChart({
            title: 'Value of each setting that was tried',
            xName: 'trial',
            yName: name,
            series: [
              { name: 'best so far', points: bests, isStepped: true },
              { name: 'trial', points, isScatter: true },
            ],
          });
        },
        importance: (config, { result }) => {
          const importance = result['importance'] as Readonly<Record<string, { share: number }>> | null;
          if (importance === null) return null;
          const sorted = Object.entries(importance)
            .sort(([, a], [, b]) => b.share - a.share)
            .slice(0, IMPORTANT);
          const [{ name }] = objectivesOf(config);
          return barChart({
            title: 'What each parameter alone explains',
            xName: `share of the variance of ${name}`,
            names: sorted.map(([parameter]) => parameter),
            series: [{ name: 'share', values: sorted.map(([, { share }]) => share) }],
          });
        },
        pareto: (config, { result }) => {
          const [a, b] = objectivesOf(config);
          const front = result['pareto'] as readonly Record<string, number>[] | null;
          if (front === null || b === undefined) return null;
          const tried = trialsOf(result).flatMap(({ values }) => (values === undefined ? [] : [values]));
          const of = (one: Record<string, number>): ChartPoint => [one[a.name], one[b.name]];
          return lineChart({
            title: `${a.name} against ${b.name}`,
            xName: a.name,
            yName: b.name,
            series: [
              { name: 'front', points: front.map(of).sort((p, q) => p[0] - q[0]), isStepped: true },
              { name: 'tried', points: tried.map(of), isScatter: true },
            ],
          });
        },
      },
    }),
  ],
  limits: {
    parameters: MOST_PARAMETERS,
    objectives: MOST_OBJECTIVES,
    rows_of_data: MOST_ROWS_OF_DATA,
    columns_of_data: MOST_COLUMNS,
    rows_of_table: MOST_ROWS,
    evaluations: MOST_TRIALS,
  },
};
