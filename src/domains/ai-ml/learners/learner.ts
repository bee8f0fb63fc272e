/**
 * The contract of a learner: a model that is fitted to rows of numbers and predicts further rows.
 *
 * All learners are our own, because no library promises equal bits: they draw from the generator that they are given,
 * read no clock, and take `exp`, `log` and `power` from `common/float.ts`. Whoever calls them standardises the
 * features.
 */
import type { Rng } from '../../../common/rng.js';

/** Values of hyperparameters by name. */
export type ParameterValue = number | string | boolean;
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

export interface TrainingData {
  readonly rows: number;
  readonly columns: number;
  /** [rows, columns], row by row. */
  readonly features: Float64Array;
  /** [rows]: a number; with classes the index of the class. */
  readonly target: Float64Array;
  /** Number of classes, at least 2; 0: the target is a number. A class may have no row here. */
  readonly classes: number;
}

export interface Prediction {
  /** [rows]: the number; with classes the index of the predicted class. */
  readonly values: Float64Array;
  /**
   * [rows, classes]: the larger, the more likely the class; probabilities where `Learner.hasProbabilities`. Null: the
   * target is a number.
   */
  readonly scores: Float64Array | null;
}

export interface FittedModel {
  /** `features`: [rows, columns of the training data]. */
  predict(features: Float64Array, rows: number): Prediction;
}

export interface LearningContext {
  /** Drawn from by this fit alone. */
  readonly rng: Rng;
  /** Ends the fit by throwing once the run is over. To be called many times a second. */
  look(): void;
}

/** One hyperparameter, its default and what it may be. */
export type Parameter = { readonly name: string; readonly description: string } & (
  | {
      readonly type: 'float';
      /** A function of the number of columns where one number does not suit all data. */
      readonly default: number | ((columns: number) => number);
      readonly least: number;
      readonly most: number;
    }
  | { readonly type: 'int'; readonly default: number; readonly least: number; readonly most: number }
  | { readonly type: 'choice'; readonly default: ParameterValue; readonly choices: readonly ParameterValue[] }
);

export interface Learner {
  /** Value of `evaluator.model`. */
  readonly name: string;
  readonly takesClasses: boolean;
  readonly takesNumbers: boolean;
  /** Whether scores of classes are probabilities. */
  readonly hasProbabilities: boolean;
  readonly parameters: readonly Parameter[];
  /** Arithmetic operations of one fit, roughly: what sizes are refused by. */
  cost(data: Pick<TrainingData, 'rows' | 'columns' | 'classes'>, values: ParameterValues): number;
  /** `values` has every parameter. @throws {NotFitted} */
  fit(data: TrainingData, values: ParameterValues, context: LearningContext): FittedModel;
  /** Predictions for every row by the model fitted to all others, where there is a way faster than that many fits. */
  leaveOneOut?(data: TrainingData, values: ParameterValues, context: LearningContext): Prediction;
}

/** These values give no model of these data. */
export class NotFitted extends Error {
  override readonly name = 'NotFitted';
}

export const numberOf = (values: ParameterValues, name: string): number => {
  const value = values[name];
  if (typeof value !== 'number') throw new Error(`no number for ${name}`);
  return value;
};

/** The defaults of all parameters, with `given` in their places. */
export const completed = ({ parameters }: Learner, columns: number, given: ParameterValues): ParameterValues => ({
  ...Object.fromEntries(
    parameters.map(({ name, default: value }) => [name, typeof value === 'function' ? value(columns) : value]),
  ),
  ...given,
});
