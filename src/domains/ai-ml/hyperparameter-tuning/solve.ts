/** Tries settings, and says how good the best one is: against the defaults, on rows kept apart, and by parameter. */
import { type Trial, Over, type Task, Trials, type Valued } from './search.js';
import { type SolveContext, type Solution, Infeasible } from '../../problem-type.js';
import { type Config, builtinOf, objectivesOf } from './config.js';
import { type Searched, searched } from './sampling.js';
import type { Remark, Json, JsonObject } from '../../../model/problem.js';
import { kindOf, metricNameOf } from './builtin.js';
import { learnerNamed } from '../learners/learners.js';
import { type Importance, importanceOf } from './importance.js';
import { Space } from '../search-space/space.js';
import { evaluationOf } from './evaluation.js';

const SHOWN_TRIALS = 1_000;
const SHOWN_FRONT = 200;

export interface Detail {
  readonly trials: readonly Trial[];
  readonly best: Trial;
  readonly seeded: SolveContext['rng'];
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

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

export async function solve(config: Config, context: SolveContext): Promise<Solution> {
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
