/** Config of a tuning problem: fields, contradictions, and the objectives that follow from it. */
import { z } from 'zod';
import { searchSpace, checkSpace } from '../search-space/space.js';
import { builtin, type Builtin, metricNameOf, checkBuiltin } from './builtin.js';
import { tabular, checkTable } from './table.js';
import { SAMPLERS } from './search.js';
import { positive, number, list, count, type Complain } from '../../fields.js';
import type { Direction } from '../../../model/objective.js';
import { type MetricName, METRICS, directionOf } from '../validation/metrics.js';
import { learnerNamed } from '../learners/learners.js';

export const MOST_OBJECTIVES = 4;

const objective = z.union([
  z.string().min(1).max(100).describe('Metric, or column of the table'),
  z.strictObject({
    metric: z.string().min(1).max(100).describe('Metric, or column of the table'),
    direction: z.enum(['minimize', 'maximize']).optional().describe('Default: by the metric; minimize for a column'),
  }),
]);

export const fields = z.strictObject({
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

export type Config = z.output<typeof fields>;

interface Objective {
  readonly name: string;
  readonly direction: Direction;
}

/** The evaluator with the first objective as the metric, which decides what the target is. */
export const builtinOf = ({ evaluator, objectives }: Config): Builtin => {
  if (evaluator.type !== 'builtin') throw new Error('the evaluator is not built in');
  const [first] = objectives ?? [];
  const name = typeof first === 'string' ? first : first?.metric;
  return name !== undefined && isMetric(name) ? { ...evaluator, metric: name } : evaluator;
};

const isMetric = (name: string): name is MetricName => (METRICS as readonly string[]).includes(name);

export function objectivesOf(config: Config): readonly Objective[] {
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

export function check(config: Config, complain: Complain): void {
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
