/** Settings judged by training one of our learners. */
import { z } from 'zod';
import { nearMatch } from '../../../common/near-match.js';
import { shown } from '../../../common/validation.js';
import { matrix, number, numbers, type Complain } from '../../fields.js';
import { DATASET_NAMES, DATASETS, loadDataset } from '../datasets/datasets.js';
import { completed, type Learner, type Parameter, type TrainingData } from '../learners/learner.js';
import { learnerNamed, LEARNERS } from '../learners/learners.js';
import { levelsOf, listOf, type SearchSpace, type SpaceParameter } from '../search-space/space.js';
import { isOfClasses, METRICS, type MetricName } from '../validation/metrics.js';
import { validationField } from '../validation/validation.js';

export const MOST_ROWS = 5_000;
export const MOST_COLUMNS = 200;
const MOST_CLASSES = 100;
/** Whole numbers of a given target are classes where there are no more than that. */
const MOST_GUESSED_CLASSES = 20;
/** Operations of one setting with the defaults of the learner: some minutes. */
const MOST_OPERATIONS = 1e11;

const [firstLearner, ...otherLearners] = LEARNERS.map(({ name }) => name);

export const builtin = z.strictObject({
  type: z.literal('builtin'),
  model: z.enum([firstLearner, ...otherLearners]).describe('What is trained'),
  dataset: z
    .strictObject({
      name: z
        .enum(DATASET_NAMES as [string, ...string[]])
        .optional()
        .describe('One that is built in'),
      features: matrix(
        'One row for each example; with `target`, in the place of `name`',
        { least: 4, most: MOST_ROWS },
        { most: MOST_COLUMNS },
      ).optional(),
      target: numbers('What is predicted for each row: a number, or the number of a class', {
        least: 4,
        most: MOST_ROWS,
      }).optional(),
    })
    .describe('What it is trained with: `name`, or `features` and `target`'),
  metric: z.enum(METRICS).optional().describe('Objective. Default: accuracy of classes, mse of numbers'),
  positive_class: number('A class that is told from all others together').optional(),
  validation: validationField,
  standardize: z
    .boolean()
    .default(true)
    .describe('Whether features get mean 0 and population deviation 1, by the rows that a model is fitted to'),
});

export type Builtin = z.output<typeof builtin>;

type Given = Builtin['dataset'];

/** Rows that the client gave; null: a data set that is built in. */
const givenOf = ({ features, target }: Given) =>
  features === undefined || target === undefined ? null : { features, target };

const builtInOf = ({ name }: Given) => DATASETS[name as keyof typeof DATASETS];

const labelsOf = ({ dataset }: Builtin): readonly number[] | null => {
  const given = givenOf(dataset);
  if (given !== null) return [...new Set(given.target)].sort((a, b) => a - b);
  // Which metric there is by default is asked before the data set is known to be complete.
  if (dataset.name === undefined) return null;
  const { classes } = builtInOf(dataset);
  return classes === 0 ? null : Array.from({ length: classes }, (_, i) => i);
};

/** Whether the target is a class, and whether that was guessed. */
export function kindOf(config: Builtin): { readonly isClass: boolean; readonly isGuessed: boolean } {
  const { takesClasses, takesNumbers } = learnerNamed(config.model);
  if (config.metric !== undefined) return { isClass: isOfClasses(config.metric), isGuessed: false };
  if (config.positive_class !== undefined) return { isClass: true, isGuessed: false };
  if (takesClasses !== takesNumbers) return { isClass: takesClasses, isGuessed: false };
  const labels = labelsOf(config);
  if (labels === null) return { isClass: false, isGuessed: false };
  const rows = givenOf(config.dataset);
  if (rows === null) return { isClass: true, isGuessed: false };
  const { target } = rows;
  const isClass =
    labels.every(Number.isInteger) && labels.length <= MOST_GUESSED_CLASSES && labels.length <= target.length / 2;
  return { isClass, isGuessed: true };
}

export const metricNameOf = (config: Builtin): MetricName =>
  config.metric ?? (kindOf(config).isClass ? 'accuracy' : 'mse');

/** The data of a checked config, classes numbered from 0 in the order of their labels. */
export function dataOf(config: Builtin): TrainingData {
  const { dataset, positive_class: positive } = config;
  const { isClass } = kindOf(config);
  const own = givenOf(dataset);
  const given =
    own === null
      ? loadDataset(dataset.name as keyof typeof DATASETS)
      : {
          rows: own.features.length,
          columns: own.features[0].length,
          features: Float64Array.from(own.features.flat()),
          target: Float64Array.from(own.target),
        };
  const { rows, columns, features, target } = given;
  if (!isClass) return { rows, columns, features, target, classes: 0 };
  if (positive !== undefined) {
    return { rows, columns, features, classes: 2, target: target.map((label) => (label === positive ? 1 : 0)) };
  }
  const labels = labelsOf(config) ?? [];
  const places = new Map(labels.map((label, i) => [label, i]));
  return { rows, columns, features, classes: labels.length, target: target.map((label) => places.get(label) ?? NaN) };
}

/** True where nothing was complained about. `metrics`: with their paths. */
export function checkBuiltin(
  config: Builtin,
  space: SearchSpace,
  metrics: readonly (readonly [name: MetricName, path: readonly PropertyKey[]])[],
  complain: Complain,
): boolean {
  const found =
    dataComplaint(config) ??
    metrics.map(([metric, path]) => metricComplaint(config, metric, path)).find((one) => one !== null) ??
    spaceComplaint(learnerNamed(config.model), space) ??
    costComplaint(config);
  if (found === null) return true;
  complain(...found);
  return false;
}

type Complaint = readonly [path: readonly PropertyKey[], message: string];

function dataComplaint(config: Builtin): Complaint | null {
  const { dataset, model, positive_class: positive, validation } = config;
  const path = (name: string): string[] => ['evaluator', 'dataset', name];
  const { name, features, target } = dataset;
  if (name === undefined && features === undefined && target === undefined) {
    return [path('name'), '`{field}` is required, or `features` and `target` in its place.'];
  }
  if (name !== undefined && (features ?? target) !== undefined) {
    return [path('name'), '`{field}` goes without `features` and `target`.'];
  }
  if (name === undefined && features === undefined) return [path('features'), '`{field}` is required beside `target`.'];
  if (name === undefined && target === undefined) return [path('target'), '`{field}` is required beside `features`.'];
  if (features !== undefined && features.length !== target?.length) {
    return [
      path('target'),
      `\`{field}\` must have ${features.length} numbers, one for each row of \`features\`, not ${target?.length}.`,
    ];
  }
  const { isClass } = kindOf(config);
  const { takesClasses, takesNumbers } = learnerNamed(model);
  if (!isClass && name !== undefined && builtInOf(dataset).classes > 0) {
    return takesClasses
      ? [
          ['evaluator', 'metric'],
          `\`{field}\`: the target of ${name} is a class: accuracy, log_loss, f1 and auc fit it.`,
        ]
      : [['evaluator', 'model'], `\`{field}\` predicts numbers; the target of ${name} is a class.`];
  }
  if (isClass ? !takesClasses : !takesNumbers) {
    const able = LEARNERS.filter((one) => (isClass ? one.takesClasses : one.takesNumbers)).map(({ name }) => name);
    const what = isClass ? 'classes' : 'numbers';
    return [['evaluator', 'model'], `\`{field}\` predicts no ${what}; these do: ${able.join(', ')}.`];
  }
  if (!isClass) {
    if (positive === undefined) return null;
    return [['evaluator', 'positive_class'], '`{field}` goes with classes, not with a target that is a number.'];
  }
  const labels = labelsOf(config);
  if (labels === null) {
    return [['evaluator', 'dataset', 'name'], `\`{field}\`: the target of ${name} is a number, not a class.`];
  }
  if (labels.length < 2 || labels.length > MOST_CLASSES) {
    return [
      ['evaluator', 'dataset', 'target'],
      `\`{field}\` must have 2 to ${MOST_CLASSES} classes, not ${labels.length} different values.`,
    ];
  }
  if (positive !== undefined && !labels.includes(positive)) {
    return [
      ['evaluator', 'positive_class'],
      `\`{field}\` must be one of the classes ${labels.slice(0, 20).join(', ')}, not ${positive}.`,
    ];
  }
  const rows = target?.length ?? Infinity;
  if (validation !== 'leave_one_out' && (validation.folds ?? 0) > rows) {
    return [['evaluator', 'validation', 'folds'], `\`{field}\` must be at most ${rows}, the number of rows.`];
  }
  return null;
}

function metricComplaint(config: Builtin, metric: MetricName, path: readonly PropertyKey[]): Complaint | null {
  const { isClass } = kindOf(config);
  const learner = learnerNamed(config.model);
  if (isOfClasses(metric) !== isClass) {
    return [path, `\`{field}\` = ${metric} does not fit a target that is ${isClass ? 'a class' : 'a number'}.`];
  }
  if (metric === 'log_loss' && !learner.hasProbabilities) {
    return [path, `\`{field}\`: ${learner.name} gives no probabilities; auc and accuracy need none.`];
  }
  return null;
}

function spaceComplaint({ name: model, parameters }: Learner, space: SearchSpace): Complaint | null {
  for (const [name, one] of Object.entries(space)) {
    const parameter = parameters.find((known) => known.name === name);
    if (parameter === undefined) {
      const known = parameters.map((each) => each.name);
      const near = nearMatch(name, known);
      const hint = near === null ? '' : ` Did you mean \`${near}\`?`;
      return [['search_space', name], `\`{field}\`: ${model} has the parameters ${known.join(', ')}.${hint}`];
    }
    const complaint = parameterComplaint(parameter, one);
    if (complaint !== null) return [['search_space', name, ...complaint[0]], complaint[1]];
  }
  return null;
}

function parameterComplaint(known: Parameter, given: SpaceParameter): Complaint | null {
  const values = listOf(given);
  const field = given.type === 'ordinal' ? 'values' : 'choices';
  if (known.type === 'choice') {
    if (values === null) return [['type'], `\`{field}\` must be categorical: ${known.choices.map(shown).join(', ')}.`];
    const bad = values.findIndex((value) => !known.choices.includes(value));
    if (bad < 0) return null;
    return [
      [field, bad],
      `\`{field}\` must be one of ${known.choices.map(shown).join(', ')}, not ${shown(values[bad])}.`,
    ];
  }
  const { least, most, type } = known;
  const fits = (value: unknown): boolean =>
    typeof value === 'number' && value >= least && value <= most && (type === 'float' || Number.isInteger(value));
  const range = `${type === 'int' ? 'a whole number' : 'a number'} from ${least} to ${most}`;
  if (values !== null) {
    const bad = values.findIndex((value) => !fits(value));
    return bad < 0 ? null : [[field, bad], `\`{field}\` must be ${range}, not ${shown(values[bad])}.`];
  }
  if (given.type !== 'int' && given.type !== 'float') return null;
  if (type === 'int' && given.type === 'float') return [['type'], '`{field}` must be int: this parameter counts.'];
  if (!fits(given.low)) return [['low'], `\`{field}\` must be ${range}, not ${given.low}.`];
  if (!fits(given.high)) return [['high'], `\`{field}\` must be ${range}, not ${given.high}.`];
  return levelsOf(given) > 0 ? null : [['step'], '`{field}` leaves no value.'];
}

const sizesOf = ({ dataset, ...config }: Builtin): Pick<TrainingData, 'rows' | 'columns' | 'classes'> => {
  const { isClass } = kindOf({ dataset, ...config });
  const classes = isClass
    ? config.positive_class === undefined
      ? (labelsOf({ dataset, ...config })?.length ?? 0)
      : 2
    : 0;
  const given = givenOf(dataset);
  if (given === null) return { ...builtInOf(dataset), classes };
  return { rows: given.features.length, columns: given.features[0].length, classes };
};

/** Operations that judging the defaults takes, roughly. */
export function operationsOf(config: Builtin): number {
  const learner = learnerNamed(config.model);
  const sizes = sizesOf(config);
  const { validation } = config;
  const isFast = learner.leaveOneOut !== undefined;
  const fits =
    validation === 'leave_one_out' ? (isFast ? 1 : sizes.rows) : (validation.folds ?? 5) * validation.repeats;
  return fits * learner.cost(sizes, completed(learner, sizes.columns, {}));
}

function costComplaint(config: Builtin): Complaint | null {
  const operations = operationsOf(config);
  if (operations <= MOST_OPERATIONS) return null;
  return [
    ['evaluator', 'validation'],
    `\`{field}\`: one setting would take about ${operations.toExponential(0)} operations, above ${MOST_OPERATIONS.toExponential(0)}: take fewer folds or rows.`,
  ];
}
