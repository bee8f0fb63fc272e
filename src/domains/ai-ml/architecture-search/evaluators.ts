/** How an architecture is valued: by a table of those that were trained before, or by training it. */
import { z } from 'zod';
import { handChecked } from '../../../common/hand-checked.js';
import { shown } from '../../../common/validation.js';
import type { Rng } from '../../../common/rng.js';
import { count, type Complain } from '../../fields.js';
import { DATASET_NAMES, DATASETS, loadDataset } from '../datasets/datasets.js';
import { operationsOf, parametersOf, trainingOperations, trainNetwork, type Training } from '../learners/mlp.js';
import { holdOut, rowsOf, shuffledFolds, type Fold } from '../validation/folds.js';
import { metricOf } from '../validation/metrics.js';
import { scaled, scalingOf } from '../validation/standardize.js';
import type { TrainingData } from '../learners/learner.js';
import { MEASURES, type Measured } from './measured.js';
import { networkOf, shapeOf, type Code, type MlpSpace, type SearchSpace } from './space.js';

export const MOST_ROWS = 50_000;
const MOST_COLUMNS = 20;
/** Operations of one training; a billion take about a second. */
export const MOST_OPERATIONS = 2e10;

type Cell = string | number;

const table = z.strictObject({
  columns: z
    .array(z.string().min(1).max(60))
    .min(2)
    .max(MOST_COLUMNS)
    .describe(
      'Names of the columns; the first one has the codes. `params`, `flops` and `latency_ms` are what they say',
    ),
  rows: handChecked<readonly (readonly Cell[])[]>(
    {
      type: 'array',
      items: { type: 'array', items: { type: ['string', 'number'] }, maxItems: MOST_COLUMNS },
      minItems: 1,
      maxItems: MOST_ROWS,
      description: 'One row for each architecture: its code as a text of digits, then a number for each other column',
    },
    (value, complain) => {
      if (value === undefined) return complain([], '`{field}` is required.');
      if (!Array.isArray(value)) return complain([], `\`{field}\` must be an array of rows, not ${shown(value)}.`);
      if (value.length === 0 || value.length > MOST_ROWS)
        return complain([], `\`{field}\` must have 1 to ${MOST_ROWS} rows, not ${value.length}.`);
      for (const [i, row] of (value as unknown[]).entries()) {
        if (!Array.isArray(row)) return complain([i], `\`{field}\` must be an array, not ${shown(row)}.`);
        if (typeof row[0] !== 'string')
          return complain([i, 0], `\`{field}\` must be a text of digits, not ${shown(row[0])}.`);
        for (let c = 1; c < row.length; c++) {
          const cell: unknown = row[c];
          if (typeof cell !== 'number' || !(Math.abs(cell) <= 1e15))
            return complain([i, c], `\`{field}\` must be a number from -1e15 to 1e15, not ${shown(cell)}.`);
        }
      }
    },
  ),
});

const validation = z
  .strictObject({
    holdout: z.number().min(0.01).max(0.9).optional().describe('Share of the rows that are kept for the accuracy'),
    folds: count(
      'Instead: parts of the rows, each predicted by a network that was trained on the others',
      2,
      20,
    ).optional(),
  })
  .default({ holdout: 0.2 })
  .describe('Which rows the accuracy is measured with; by chance, stratified by class');

export const evaluatorField = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('tabular').describe('A table of architectures that were trained before'),
      metric: z.string().min(1).max(60).describe('Column of the accuracy'),
      table,
    }),
    z.strictObject({
      type: z.literal('train').describe('Training by Adam on one of the built-in data sets, features standardised'),
      dataset: z.enum(DATASET_NAMES).describe('Built-in data set'),
      epochs: count('Passes over the training rows', 1, 500).default(20),
      batch: count('Rows of one step', 1, 4_096).default(64),
      learning_rate: z.number().min(1e-6).max(1).default(1e-3).describe("Adam's step"),
      validation,
    }),
  ])
  .describe('How an architecture is valued');

type EvaluatorConfig = z.output<typeof evaluatorField>;
type Tabular = Extract<EvaluatorConfig, { type: 'tabular' }>;
type Train = Extract<EvaluatorConfig, { type: 'train' }>;

// --- tables

/** Column of a measure; -1: there is none. */
export function columnOf({ metric, table: { columns } }: Tabular, measure: keyof Measured): number {
  return columns.indexOf(measure === 'accuracy' ? metric : measure);
}

function codeFault(text: string, space: Exclude<SearchSpace, MlpSpace>): string | null {
  const { places, base } = shapeOf(space);
  if (text.length !== places) return `must have ${places} digits, not ${text.length}`;
  for (let i = 0; i < places; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit < base)) return `must have digits from 0 to ${base - 1}, not ${shown(text[i])}`;
  }
  return null;
}

export function checkEvaluator(evaluator: EvaluatorConfig, space: SearchSpace, complain: Complain): boolean {
  const refuse = (path: readonly PropertyKey[], message: string): false => {
    complain(['evaluator', ...path], message);
    return false;
  };
  if (evaluator.type === 'train') {
    if (space.type !== 'mlp') return refuse(['type'], '`{field}` "train" needs a search space of the type "mlp".');
    const { holdout, folds } = evaluator.validation;
    if (holdout !== undefined && folds !== undefined)
      return refuse(['validation', 'folds'], '`{field}` has no meaning beside `holdout`.');
    const largest = Array.from({ length: space.layers.max }, () => space.units.reduce((a, b) => Math.max(a, b)));
    const operations = trainingOperations(DATASETS[evaluator.dataset], largest, evaluator) * (folds ?? 1);
    if (operations > MOST_OPERATIONS)
      return refuse(
        ['epochs'],
        `\`{field}\`: the largest network would take ${operations.toPrecision(2)} operations to train; ${MOST_OPERATIONS.toPrecision(2)} are the most.`,
      );
    return true;
  }
  if (space.type === 'mlp')
    return refuse(['type'], '`{field}` "tabular" needs a search space of the type "macro" or "cell".');
  const { columns, rows } = evaluator.table;
  const twice = columns.findIndex((name, i) => columns.indexOf(name) < i);
  if (twice >= 0)
    return refuse(['table', 'columns', twice], `\`{field}\`: ${shown(columns[twice])} is a column already.`);
  if (columnOf(evaluator, 'accuracy') < 1)
    return refuse(['metric'], `\`{field}\`: ${shown(evaluator.metric)} is no column of numbers of the table.`);
  const seen = new Map<string, number>();
  for (const [i, row] of rows.entries()) {
    if (row.length !== columns.length)
      return refuse(
        ['table', 'rows', i],
        `\`{field}\` must have ${columns.length} values, as there are columns, not ${row.length}.`,
      );
    const text = row[0] as string;
    const fault = codeFault(text, space);
    if (fault !== null) return refuse(['table', 'rows', i, 0], `\`{field}\` ${fault}.`);
    const earlier = seen.get(text);
    if (earlier !== undefined)
      return refuse(['table', 'rows', i, 0], `\`{field}\`: row ${earlier} has the code ${shown(text)} too.`);
    seen.set(text, i);
  }
  return true;
}

export interface TableRow {
  readonly code: Code;
  readonly measured: Measured;
}

export function rowsOfTable(evaluator: Tabular): TableRow[] {
  const columns = MEASURES.map((measure) => [measure, columnOf(evaluator, measure)] as const);
  return evaluator.table.rows.map((row) => ({
    code: Array.from(row[0] as string, Number),
    measured: Object.fromEntries(
      columns.map(([measure, c]) => [measure, c < 1 ? null : (row[c] as number)]),
    ) as Measured,
  }));
}

// --- training

/** Sizes of a network, exactly; known before it is trained. */
export function sizesOf(
  space: MlpSpace,
  { dataset }: Train,
  code: Code,
): { readonly params: number; readonly flops: number } {
  const { hidden } = networkOf(space, code);
  return { params: parametersOf(DATASETS[dataset], hidden), flops: operationsOf(DATASETS[dataset], hidden) };
}

interface Split {
  readonly train: TrainingData;
  readonly test: TrainingData;
}

export class Trainer {
  private readonly splits: readonly Split[];

  /** `rng`: of the rows and of each training, by label. */
  constructor(
    private readonly space: MlpSpace,
    private readonly config: Train,
    private readonly rng: (label: string) => Rng,
    private readonly look: () => void,
  ) {
    const data = loadDataset(config.dataset);
    const { holdout, folds } = config.validation;
    const chance = rng('validation');
    const parts: readonly Fold[] =
      folds === undefined ? [holdOut(data, holdout ?? 0.2, chance)] : shuffledFolds(data, folds, chance);
    this.splits = parts.map((fold) => {
      const train = rowsOf(data, fold.train);
      const scaling = scalingOf(train);
      return { train: scaled(train, scaling), test: scaled(rowsOf(data, fold.test), scaling) };
    });
  }

  /** Rows that the accuracy is measured with. */
  get held(): number {
    return this.splits.reduce((sum, { test }) => sum + test.rows, 0);
  }

  /** Share of the held-out rows that are recognised; for numbers r2. The same bits whenever the code comes. */
  accuracy(code: Code): number {
    const { epochs, batch, learning_rate: learningRate } = this.config;
    const training: Training = { epochs, batch, learningRate, l2: 0 };
    const network = networkOf(this.space, code);
    // Of the network, not of its code: the same bits in every search space.
    const name = `train-${network.hidden.join('-')}-${network.activation}-${network.dropout}`;
    let [sum, rows] = [0, 0];
    for (const [k, { train, test }] of this.splits.entries()) {
      const context = { rng: this.rng(`${name}-${k}`), look: this.look };
      const trained = trainNetwork(train, network, training, context);
      const metric = test.classes > 0 ? 'accuracy' : 'r2';
      const value = metricOf(metric, { ...test, ...trained.predict(test.features, test.rows) });
      // A training that diverged may have left no number.
      sum += (value > -1 ? value : -1) * test.rows;
      rows += test.rows;
    }
    return sum / rows;
  }
}
