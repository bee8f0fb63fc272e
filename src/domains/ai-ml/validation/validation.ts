/** A learner judged by rows that it has not seen: cross-validation, and a part that is kept apart until the end. */
import { z } from 'zod';
import type { Rng } from '../../../common/rng.js';
import { count } from '../../fields.js';
import {
  completed,
  type Learner,
  type LearningContext,
  type ParameterValues,
  type TrainingData,
} from '../learners/learner.js';
import { foldsByRow, holdOut, rowsOf, shuffledFolds, type Fold } from './folds.js';
import { metricOf, type MetricName, type Outcome } from './metrics.js';
import { scaled, scalingOf } from './standardize.js';

const MOST_FOLDS = 100;
const DEFAULT_FOLDS = 5;

const folded = z.strictObject({
  folds: count(
    'Parts of about equal size; each is predicted by a model of the others. Default: 5',
    2,
    MOST_FOLDS,
  ).optional(),
  assignment: z
    .enum(['shuffled', 'row_index_mod_folds'])
    .default('shuffled')
    .describe('Who is in which part: by chance, stratified by class; or row i in part i mod folds'),
  repeats: count('How often the parts are drawn anew', 1, 20).default(1),
  holdout: z
    .number()
    .min(0.01)
    .max(0.9)
    .optional()
    .describe('Share of the rows that is kept apart from the search: `test_value` is that of these rows'),
});

export const validationField = z
  .union([z.literal('leave_one_out'), folded])
  .default({ folds: DEFAULT_FOLDS, assignment: 'shuffled', repeats: 1 })
  .describe('How a setting is judged: by each row predicted by a model of all others, or by parts');

type ValidationConfig = z.output<typeof validationField>;

export interface Judged {
  /** By metric, over all held-out rows; the mean over repeats. */
  readonly values: readonly number[];
  /** [folds][metrics]; empty where each row is a fold. */
  readonly byFold: readonly (readonly number[])[];
}

interface JudgeParts {
  readonly data: TrainingData;
  readonly learner: Learner;
  readonly metrics: readonly MetricName[];
  readonly validation: ValidationConfig;
  readonly standardize: boolean;
  /** Random numbers of folds and fits: equal ones for every setting. */
  rng(label: string): Rng;
  look(): void;
}

export class Judge {
  /** Rows that the search may see; the others are those of the test. */
  private readonly kept: Fold | null;
  private readonly data: TrainingData;
  /** By repeat; null: each row is a fold. */
  private readonly repeats: readonly (readonly Fold[])[] | null;

  constructor(private readonly parts: JudgeParts) {
    const { data, validation, rng } = parts;
    if (validation === 'leave_one_out') {
      this.kept = null;
      this.data = data;
      this.repeats = null;
      return;
    }
    const { holdout, folds = DEFAULT_FOLDS, assignment, repeats } = validation;
    this.kept = holdout === undefined ? null : holdOut(data, holdout, rng('holdout'));
    this.data = this.kept === null ? data : rowsOf(data, this.kept.train);
    const own = this.data;
    const parted = Math.min(folds, own.rows);
    this.repeats = Array.from({ length: repeats }, (_, k) =>
      assignment === 'row_index_mod_folds'
        ? foldsByRow(own.rows, parted)
        : shuffledFolds(own, parted, rng(`folds-${k}`)),
    );
  }

  /** `share`: of the rows that each model is fitted to. @throws {NotFitted} */
  judge(values: ParameterValues, share = 1): Judged {
    const { metrics } = this.parts;
    if (this.repeats === null) {
      const outcome = share < 1 ? this.leaveEachOut(values, share) : this.leaveOneOut(values);
      return { values: metrics.map((metric) => metricOf(metric, outcome)), byFold: [] };
    }
    const byFold: number[][] = [];
    const sums = metrics.map(() => 0);
    for (const [k, folds] of this.repeats.entries()) {
      const outcomes = folds.map((fold, f) => this.outcomeOf(this.data, fold, values, `${k}-${f}`, share));
      for (const outcome of outcomes) byFold.push(metrics.map((metric) => metricOf(metric, outcome)));
      const whole = joined(outcomes);
      for (const [m, metric] of metrics.entries()) sums[m] += metricOf(metric, whole);
    }
    const { length } = this.repeats;
    return { values: sums.map((sum) => sum / length), byFold };
  }

  /** Values on the rows that were kept apart, by a model of all others; null: there are none. */
  test(values: ParameterValues): readonly number[] | null {
    const { data, metrics } = this.parts;
    if (this.kept === null) return null;
    const outcome = this.outcomeOf(data, this.kept, values, 'test', 1);
    return metrics.map((metric) => metricOf(metric, outcome));
  }

  private outcomeOf(data: TrainingData, fold: Fold, values: ParameterValues, label: string, share: number): Outcome {
    const { learner, standardize } = this.parts;
    const rows = share < 1 ? this.part(fold.train, share, label) : fold.train;
    const train = rowsOf(data, rows);
    const test = rowsOf(data, fold.test);
    const scaling = standardize ? scalingOf(train) : null;
    const of = (one: TrainingData): TrainingData => (scaling === null ? one : scaled(one, scaling));
    const model = learner.fit(of(train), completed(learner, data.columns, values), this.learning(label));
    return { ...model.predict(of(test).features, test.rows), target: test.target, classes: test.classes };
  }

  /** So many rows by chance, the same ones for every setting. */
  private part(rows: Int32Array, share: number, label: string): Int32Array {
    const rng = this.parts.rng(`part-${label}`);
    const wanted = Math.max(2, Math.round(share * rows.length));
    const drawn = Array.from(rows, (row) => [rng.uniform(), row] as const).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return Int32Array.from(drawn.slice(0, wanted).map(([, row]) => row)).sort();
  }

  private learning(label: string): LearningContext {
    return { rng: this.parts.rng(`fit-${label}`), look: () => this.parts.look() };
  }

  private leaveOneOut(values: ParameterValues): Outcome {
    const { learner, standardize } = this.parts;
    const { data } = this;
    if (learner.leaveOneOut === undefined) return this.leaveEachOut(values, 1);
    const all = standardize ? scaled(data, scalingOf(data)) : data;
    const prediction = learner.leaveOneOut(all, completed(learner, data.columns, values), this.learning('all'));
    return { ...prediction, target: data.target, classes: data.classes };
  }

  /** One fit for each row. */
  private leaveEachOut(values: ParameterValues, share: number): Outcome {
    const { data } = this;
    return joined(
      Array.from({ length: data.rows }, (_, i) => {
        this.parts.look();
        const train = Int32Array.from({ length: data.rows - 1 }, (_each, k) => (k < i ? k : k + 1));
        return this.outcomeOf(data, { train, test: Int32Array.of(i) }, values, 'all', share);
      }),
    );
  }
}

function joined(outcomes: readonly Outcome[]): Outcome {
  const [{ classes }] = outcomes;
  const flat = (parts: readonly Float64Array[]): Float64Array => {
    const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };
  const scores = outcomes.flatMap((outcome) => (outcome.scores === null ? [] : [outcome.scores]));
  return {
    classes,
    target: flat(outcomes.map(({ target }) => target)),
    values: flat(outcomes.map(({ values }) => values)),
    scores: scores.length === 0 ? null : flat(scores),
  };
}
