/**
 * Least squares with the penalty alpha |w|^2 on the residual sum of squares; the intercept is free.
 *
 * With centred columns X [rows, columns] and centred target y: (X'X + alpha I) w = X'y. Row i, left out of the fit, has
 * the residual e_i / (1 - h_i), h_i = 1 / rows + x_i' (X'X + alpha I)^-1 x_i.
 */
import { choleskyFactor, solveLower, solveUpper } from '../../../linalg/cholesky.js';
import { scalingOf } from '../validation/standardize.js';
import { NotFitted, numberOf, type LearningContext, type Learner, type TrainingData } from './learner.js';

interface Solved {
  readonly means: Float64Array;
  readonly intercept: number;
  readonly weights: Float64Array;
  /** Cholesky factor of X'X + alpha I. */
  readonly factor: Float64Array;
}

function solve({ rows, columns, features, target, ...rest }: TrainingData, alpha: number, look: () => void): Solved {
  const { means } = scalingOf({ rows, columns, features, target, ...rest });
  const intercept = target.reduce((sum, value) => sum + value, 0) / rows;
  const gram = new Float64Array(columns * columns);
  const right = new Float64Array(columns);
  const row = new Float64Array(columns);
  for (let i = 0; i < rows; i++) {
    if (i % 256 === 0) look();
    for (let j = 0; j < columns; j++) row[j] = features[i * columns + j] - means[j];
    for (let j = 0; j < columns; j++) {
      right[j] += row[j] * (target[i] - intercept);
      for (let k = 0; k <= j; k++) gram[j * columns + k] += row[j] * row[k];
    }
  }
  for (let j = 0; j < columns; j++) gram[j * columns + j] += alpha;
  const factor = new Float64Array(columns * columns);
  if (!choleskyFactor(gram, factor, columns)) throw new NotFitted('columns depend on each other: take a larger alpha');
  solveLower(factor, right, right, columns);
  solveUpper(factor, right, right, columns);
  return { means, intercept, weights: right, factor };
}

function predictRow({ means, intercept, weights }: Solved, features: Float64Array, i: number): number {
  let value = intercept;
  for (let j = 0; j < weights.length; j++) value += weights[j] * (features[i * weights.length + j] - means[j]);
  return value;
}

function leaveOneOut(data: TrainingData, alpha: number, { look }: LearningContext): Float64Array {
  const { rows, columns, features, target } = data;
  const solved = solve(data, alpha, look);
  const { means, factor } = solved;
  const z = new Float64Array(columns);
  return Float64Array.from({ length: rows }, (_, i) => {
    for (let j = 0; j < columns; j++) z[j] = features[i * columns + j] - means[j];
    solveLower(factor, z, z, columns);
    const leverage = z.reduce((sum, value) => sum + value * value, 1 / rows);
    if (!(leverage < 1 - 1e-12)) throw new NotFitted('a row decides alone on a weight: take a larger alpha');
    return target[i] - (target[i] - predictRow(solved, features, i)) / (1 - leverage);
  });
}

export const ridge: Learner = {
  name: 'ridge',
  takesClasses: false,
  takesNumbers: true,
  hasProbabilities: false,
  parameters: [
    {
      name: 'alpha',
      description: 'Penalty of the squared weights on the residual sum of squares',
      type: 'float',
      default: 1,
      least: 0,
      most: 1e12,
    },
  ],
  cost: ({ rows, columns }) => rows * columns * columns + columns ** 3,
  fit(data, values, { look }) {
    const solved = solve(data, numberOf(values, 'alpha'), look);
    return {
      predict: (features, rows) => ({
        values: Float64Array.from({ length: rows }, (_, i) => predictRow(solved, features, i)),
        scores: null,
      }),
    };
  },
  leaveOneOut: (data, values, context) => ({
    values: leaveOneOut(data, numberOf(values, 'alpha'), context),
    scores: null,
  }),
};
