/** A decision tree, a random forest, and boosted trees. */
import { log } from '../../../common/float.js';
import {
  NotFitted,
  numberOf,
  type FittedModel,
  type Learner,
  type LearningContext,
  type Parameter,
  type ParameterValues,
  type Prediction,
  type TrainingData,
} from './learner.js';
import { largestOf, sigmoid, softmax } from './softmax.js';
import { growTree, leafAt, sortedColumns, type Tree, type TreeOptions } from './tree.js';

/** Numbers that the leaves of one model hold at most: 160 MB. */
const MOST_NUMBERS = 2e7;

const MAX_DEPTH = 50;

const depthParameter = (value: number): Parameter => ({
  name: 'max_depth',
  description: 'Splits from the root to a leaf, at most',
  type: 'int',
  default: value,
  least: 1,
  most: MAX_DEPTH,
});

const LEAF_PARAMETER: Parameter = {
  name: 'min_samples_leaf',
  description: 'Rows of a leaf, at least',
  type: 'int',
  default: 1,
  least: 1,
  most: 10_000,
};

const SPLIT_PARAMETER: Parameter = {
  name: 'min_samples_split',
  description: 'Rows of a part that is split further, at least',
  type: 'int',
  default: 2,
  least: 2,
  most: 10_000,
};

const treesParameter = (description: string): Parameter => ({
  name: 'trees',
  description,
  type: 'int',
  default: 100,
  least: 1,
  most: 1_000,
});

const optionsOf = (values: ParameterValues, { look }: LearningContext): TreeOptions => ({
  maxDepth: numberOf(values, 'max_depth'),
  minSamplesLeaf: numberOf(values, 'min_samples_leaf'),
  minSamplesSplit: numberOf(values, 'min_samples_split'),
  look,
});

/** Means of the trees' predictions for each row. */
function meanOfTrees(trees: readonly Tree[], { columns, classes }: TrainingData): FittedModel {
  return {
    predict(features, rows): Prediction {
      const width = Math.max(1, classes);
      const means = new Float64Array(rows * width);
      for (let i = 0; i < rows; i++) {
        for (const tree of trees) {
          const leaf = leafAt(tree, features, i, columns);
          for (let c = 0; c < width; c++) means[i * width + c] += tree.values[leaf * width + c] / trees.length;
        }
      }
      return classes === 0 ? { values: means, scores: null } : ofScores(means, rows, classes);
    },
  };
}

const ofScores = (scores: Float64Array, rows: number, classes: number): Prediction => ({
  values: Float64Array.from({ length: rows }, (_, i) => largestOf(scores, i * classes, classes)),
  scores,
});

const sortingOperations = ({ rows, columns }: Pick<TrainingData, 'rows' | 'columns'>): number =>
  rows * columns * (4 + 4 * Math.log2(rows + 1));

const growingOperations = ({ rows, columns }: Pick<TrainingData, 'rows' | 'columns'>, depth: number): number =>
  10 * rows * columns * Math.min(depth, Math.log2(rows + 1));

export const decisionTree: Learner = {
  name: 'decision_tree',
  takesClasses: true,
  takesNumbers: true,
  hasProbabilities: true,
  parameters: [depthParameter(MAX_DEPTH), LEAF_PARAMETER, SPLIT_PARAMETER],
  cost: (sizes, values) => sortingOperations(sizes) + growingOperations(sizes, numberOf(values, 'max_depth')),
  fit(data, values, context) {
    const weights = new Float64Array(data.rows).fill(1);
    const growth = { data, order: sortedColumns(data), target: data.target, weights };
    return meanOfTrees([growTree(growth, optionsOf(values, context))], data);
  },
};

export const randomForest: Learner = {
  name: 'random_forest',
  takesClasses: true,
  takesNumbers: true,
  hasProbabilities: true,
  parameters: [
    treesParameter('Trees whose mean counts'),
    {
      name: 'max_features',
      description: 'Share of the columns that each split chooses among. Default: their square root',
      type: 'float',
      default: (columns) => 1 / Math.sqrt(columns),
      least: 0.001,
      most: 1,
    },
    {
      name: 'bootstrap',
      description: 'Whether each tree has rows of its own, drawn with replacement',
      type: 'choice',
      default: true,
      choices: [true, false],
    },
    depthParameter(MAX_DEPTH),
    LEAF_PARAMETER,
    SPLIT_PARAMETER,
  ],
  cost: (sizes, values) =>
    sortingOperations(sizes) + numberOf(values, 'trees') * growingOperations(sizes, numberOf(values, 'max_depth')),
  fit(data, values, context) {
    const { rows, columns } = data;
    const order = sortedColumns(data);
    const count = Math.max(1, Math.round(numberOf(values, 'max_features') * columns));
    const trees: Tree[] = [];
    let held = 0;
    for (let k = 0; k < numberOf(values, 'trees'); k++) {
      // A generator for each tree: more trees leave the first ones as they are.
      const rng = context.rng.split(`tree-${k}`);
      const weights = new Float64Array(rows).fill(values['bootstrap'] === true ? 0 : 1);
      if (values['bootstrap'] === true) for (let i = 0; i < rows; i++) weights[rng.below(rows)]++;
      const drawn = count < columns ? { drawn: { count, rng } } : {};
      const grown = growTree(
        { data, order, target: data.target, weights },
        { ...optionsOf(values, context), ...drawn },
      );
      const tree = { ...grown, leafOf: NONE };
      held += tree.values.length;
      if (held > MOST_NUMBERS) {
        throw new NotFitted('the forest is too large for memory: fewer trees, or a larger min_samples_leaf');
      }
      trees.push(tree);
    }
    return meanOfTrees(trees, data);
  },
};

const NONE = new Int32Array(0);

/**
 * Boosted trees: each round adds a tree of the loss's gradient, of squared error or of the multinomial log-loss, with
 * one Newton step in each leaf.
 * Source: Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29(5), 2001,
 * algorithms 3, 5 and 6.
 *
 * | symbol | meaning |
 * | --- | --- |
 * | m | functions: one for numbers and for two classes (log-odds of class 1), else one for each class |
 * | f | [rows, m]: their values |
 */
export const gradientBoosting: Learner = {
  name: 'gradient_boosting',
  takesClasses: true,
  takesNumbers: true,
  hasProbabilities: true,
  parameters: [
    treesParameter('Rounds; each adds a tree, with more than two classes one for each class'),
    {
      name: 'learning_rate',
      description: 'Share of each tree that counts',
      type: 'float',
      default: 0.1,
      least: 1e-4,
      most: 1,
    },
    {
      name: 'subsample',
      description: 'Share of the rows that each round is grown from',
      type: 'float',
      default: 1,
      least: 0.01,
      most: 1,
    },
    depthParameter(3),
    LEAF_PARAMETER,
    SPLIT_PARAMETER,
  ],
  cost: (sizes, values) =>
    sortingOperations(sizes) +
    numberOf(values, 'trees') *
      (sizes.classes > 2 ? sizes.classes : 1) *
      growingOperations(sizes, numberOf(values, 'max_depth') + 1),
  fit: boosted,
};

interface Boosted {
  readonly tree: Tree;
  /** By node: what the leaf adds. */
  readonly steps: Float64Array;
}

function boosted(data: TrainingData, values: ParameterValues, context: LearningContext): FittedModel {
  const { rows, columns, classes, target } = data;
  const m = classes > 2 ? classes : 1;
  const first = startOf(data, m);
  const f = Float64Array.from({ length: rows * m }, (_, k) => first[k % m]);
  const order = sortedColumns(data);
  const rate = numberOf(values, 'learning_rate');
  const options = optionsOf(values, context);
  const weights = new Float64Array(rows).fill(1);
  const drawn = Math.max(1, Math.round(numberOf(values, 'subsample') * rows));
  const rounds: (readonly Boosted[])[] = [];
  const p = new Float64Array(rows * m);
  let held = 0;
  for (let k = 0; k < numberOf(values, 'trees'); k++) {
    if (drawn < rows) drawRows(weights, drawn, context);
    p.set(f);
    if (classes === 2) for (let i = 0; i < rows; i++) p[i] = sigmoid(f[i]);
    else if (classes > 2) for (let i = 0; i < rows; i++) softmax(p, i * m, m);
    const round: Boosted[] = [];
    for (let c = 0; c < m; c++) {
      const seen = (i: number): number => (classes > 2 ? (target[i] === c ? 1 : 0) : target[i]);
      const residual = Float64Array.from({ length: rows }, (_, i) => seen(i) - p[i * m + c]);
      const growth = { data: { ...data, classes: 0 }, order, target: residual, weights };
      const grown = growTree(growth, options);
      const steps = stepsOf(grown, residual, classes);
      for (let i = 0; i < rows; i++) {
        const leaf = weights[i] > 0 ? grown.leafOf[i] : leafAt(grown, data.features, i, columns);
        f[i * m + c] += rate * steps[leaf];
      }
      held += steps.length;
      if (held > MOST_NUMBERS) throw new NotFitted('the trees are too large for memory: fewer of them, or less depth');
      round.push({ tree: { ...grown, leafOf: NONE }, steps });
    }
    rounds.push(round);
  }
  return {
    predict(features, count) {
      const sums = Float64Array.from({ length: count * m }, (_, k) => first[k % m]);
      for (let i = 0; i < count; i++) {
        for (const round of rounds) {
          for (const [c, { tree, steps }] of round.entries()) {
            sums[i * m + c] += rate * steps[leafAt(tree, features, i, columns)];
          }
        }
      }
      if (classes === 0) return { values: sums, scores: null };
      if (classes > 2) {
        for (let i = 0; i < count; i++) softmax(sums, i * m, m);
        return ofScores(sums, count, classes);
      }
      const scores = Float64Array.from({ length: count * 2 }, (_, k) =>
        sigmoid(k % 2 === 1 ? sums[k >> 1] : -sums[k >> 1]),
      );
      return ofScores(scores, count, 2);
    },
  };
}

/** The best constant: the mean; the log-odds; logarithms of the shares of the classes. */
function startOf({ target, rows, classes }: TrainingData, m: number): Float64Array {
  if (classes === 0) return Float64Array.of(target.reduce((sum, value) => sum + value, 0) / rows);
  const shares = Array.from({ length: classes }, (_, c) => {
    const count = target.reduce((sum, label) => sum + (label === c ? 1 : 0), 0);
    // A class that these rows lack stays possible.
    return Math.min(1 - 1e-6, Math.max(1e-6, count / rows));
  });
  if (m === 1) return Float64Array.of(log(shares[1] / (1 - shares[1])));
  return Float64Array.from(shares, log);
}

/** Draws `count` rows without replacement. */
function drawRows(weights: Float64Array, count: number, { rng }: LearningContext): void {
  let left = count;
  for (let i = 0; i < weights.length; i++) {
    const isIn = rng.uniform() * (weights.length - i) < left;
    weights[i] = isIn ? 1 : 0;
    if (isIn) left--;
  }
}

/** The Newton step of each leaf: of squared error the mean of the residuals. */
function stepsOf({ column, leafOf, values }: Tree, residual: Float64Array, classes: number): Float64Array {
  if (classes === 0) return values.slice();
  const sums = new Float64Array(column.length);
  const curvatures = new Float64Array(column.length);
  for (const [i, leaf] of leafOf.entries()) {
    if (leaf < 0) continue;
    const size = Math.abs(residual[i]);
    sums[leaf] += residual[i];
    curvatures[leaf] += size * (1 - size);
  }
  const factor = classes > 2 ? (classes - 1) / classes : 1;
  return sums.map((sum, leaf) => (curvatures[leaf] > 1e-150 ? (factor * sum) / curvatures[leaf] : 0));
}
