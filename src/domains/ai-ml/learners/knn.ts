/**
 * The k nearest neighbours by Euclidean distance vote, or their mean counts. Equal distances go by row order, and
 * classes with equal votes by their nearest neighbour.
 */
import { numberOf, type Learner, type ParameterValues, type Prediction, type TrainingData } from './learner.js';

/** The k rows of least distance to a point, nearest first. */
class Nearest {
  readonly rows: Int32Array;
  readonly distances: Float64Array;
  count = 0;

  constructor(readonly most: number) {
    this.rows = new Int32Array(most);
    this.distances = new Float64Array(most);
  }

  clear(): void {
    this.count = 0;
  }

  /** Rows come in ascending order, so that a later one of equal distance stays behind. */
  offer(row: number, distance: number): void {
    const { rows, distances, most } = this;
    if (this.count === most && !(distance < distances[most - 1])) return;
    let place = this.count < most ? this.count++ : most - 1;
    for (; place > 0 && distance < distances[place - 1]; place--) {
      rows[place] = rows[place - 1];
      distances[place] = distances[place - 1];
    }
    rows[place] = row;
    distances[place] = distance;
  }
}

/** Weights of the neighbours; those at distance 0 outweigh all others. `squared`: distances squared. */
function weightsOf(squared: Float64Array, count: number, isByDistance: boolean): Float64Array {
  const weights = new Float64Array(count).fill(1);
  if (!isByDistance) return weights;
  const isHit = squared[0] === 0;
  for (let i = 0; i < count; i++) {
    weights[i] = isHit ? (squared[i] === 0 ? 1 : 0) : 1 / Math.sqrt(squared[i]);
  }
  return weights;
}

/** Predicts points one after the other. `skipsOwn`: row i of the training data is no neighbour of point i. */
function predictAll(
  { rows, columns, features, target, classes }: TrainingData,
  points: Float64Array,
  count: number,
  values: ParameterValues,
  { skipsOwn, look }: { readonly skipsOwn: boolean; look(): void },
): Prediction {
  const nearest = new Nearest(Math.min(numberOf(values, 'k'), skipsOwn ? rows - 1 : rows));
  const isByDistance = values['weights'] === 'distance';
  const predicted = new Float64Array(count);
  const scores = classes === 0 ? null : new Float64Array(count * classes);
  for (let i = 0; i < count; i++) {
    if (i % 64 === 0) look();
    nearest.clear();
    for (let row = 0; row < rows; row++) {
      if (skipsOwn && row === i) continue;
      let sum = 0;
      for (let j = 0; j < columns; j++) {
        const d = features[row * columns + j] - points[i * columns + j];
        sum += d * d;
      }
      nearest.offer(row, sum);
    }
    const weights = weightsOf(nearest.distances, nearest.count, isByDistance);
    let total = 0;
    let sum = 0;
    for (let n = 0; n < nearest.count; n++) {
      total += weights[n];
      sum += weights[n] * target[nearest.rows[n]];
    }
    if (scores === null) {
      predicted[i] = sum / total;
      continue;
    }
    const votes = scores.subarray(i * classes, (i + 1) * classes);
    for (let n = 0; n < nearest.count; n++) votes[target[nearest.rows[n]]] += weights[n] / total;
    predicted[i] = winner(votes, nearest, target);
  }
  return { values: predicted, scores };
}

/** Equal sums that were added up in another order differ by rounding. */
const TIE = 1e-12;

/** The class of most votes; of several, that of the nearest neighbour. */
function winner(votes: Float64Array, nearest: Nearest, target: Float64Array): number {
  const most = votes.reduce((a, b) => Math.max(a, b));
  for (let n = 0; n < nearest.count; n++) {
    const label = target[nearest.rows[n]];
    if (votes[label] >= most - TIE) return label;
  }
  throw new Error('no neighbour is of the class with most votes');
}

export const knn: Learner = {
  name: 'knn',
  takesClasses: true,
  takesNumbers: true,
  hasProbabilities: true,
  parameters: [
    { name: 'k', description: 'Neighbours that vote', type: 'int', default: 5, least: 1, most: 10_000 },
    {
      name: 'weights',
      description: 'Whether near neighbours count more: by the inverse of the distance',
      type: 'choice',
      default: 'uniform',
      choices: ['uniform', 'distance'],
    },
  ],
  cost: ({ rows, columns }) => rows * rows * columns,
  fit: (data, values, { look }) => ({
    predict: (features, rows) => predictAll(data, features, rows, values, { skipsOwn: false, look }),
  }),
  leaveOneOut: (data, values, { look }) => predictAll(data, data.features, data.rows, values, { skipsOwn: true, look }),
};
