import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { loadDataset, type DatasetName } from '../datasets/datasets.js';
import { foldsByRow, rowsOf } from '../validation/folds.js';
import { metricOf } from '../validation/metrics.js';
import { scaled, scalingOf } from '../validation/standardize.js';
import { completed, NotFitted, type ParameterValues, type Prediction, type TrainingData } from './learner.js';
import { learnerNamed, LEARNERS } from './learners.js';
import { growTree, leafAt, sortedColumns } from './tree.js';

const context = (seed = 1) => ({ rng: Rng.create(seed), look: () => undefined });

/** Every fifth row is predicted by a model of the others, standardised by those. */
function predicted(name: string, dataset: DatasetName, given: ParameterValues, seed = 1) {
  const data = loadDataset(dataset);
  const [fold] = foldsByRow(data.rows, 5);
  const train = rowsOf(data, fold.train);
  const test = rowsOf(data, fold.test);
  const scaling = scalingOf(train);
  const learner = learnerNamed(name);
  const model = learner.fit(scaled(train, scaling), completed(learner, data.columns, given), context(seed));
  return { ...model.predict(scaled(test, scaling).features, test.rows), target: test.target, classes: data.classes };
}

const expectNear = (own: ArrayLike<number>, expected: readonly number[], tolerance: number): void => {
  for (const [i, value] of expected.entries()) {
    expect(Math.abs(own[i] - value)).toBeLessThan(tolerance * (1 + Math.abs(value)));
  }
};

const columnOf = ({ scores }: Prediction, classes: number, c: number): number[] =>
  [...(scores ?? [])].filter((_, k) => k % classes === c);

// Figures of scikit-learn 1.9.1 (NumPy 2, float64), on the same rows, standardised in the same way; tolerances of its
// solvers 1e-10 or below; trees with squared error and Gini impurity, no randomness but for ties.
describe('predictions of another implementation', () => {
  it('ridge: diabetes, alpha 3.5', () => {
    const { values } = predicted('ridge', 'diabetes', { alpha: 3.5 });
    expectNear(values, [206.118672369, 107.891636673, 104.231446921, 173.233705309], 1e-11);
  });

  it('logistic regression: breast_cancer, l2 0.7', () => {
    const own = predicted('logistic_regression', 'breast_cancer', { l2: 0.7 });
    const expected = [3.09540723011e-10, 0.0534025231799, 0.0473094925092, 8.77838303977e-5];
    expectNear(columnOf(own, 2, 1), expected, 1e-11);
  });

  it('logistic regression of three classes: wine, l2 0.7', () => {
    const { scores } = predicted('logistic_regression', 'wine', { l2: 0.7 });
    const expected = [0.999840108912, 0.000150245557912, 9.64553021863e-6, 0.999962758383, 1.06800542344e-5];
    expectNear(scores ?? [], expected, 1e-10);
  });

  it('svm_rbf: decisions of breast_cancer, c 3, gamma 0.02', () => {
    const own = predicted('svm_rbf', 'breast_cancer', { c: 3, gamma: 0.02 });
    expectNear(columnOf(own, 2, 1), [-1.39112903891, -0.531247538332, -0.846978141143, -2.25762853045], 2e-6);
  });

  it('svm_rbf of three classes: votes and decisions of wine', () => {
    const { scores } = predicted('svm_rbf', 'wine', { c: 3, gamma: 0.02 });
    const expected = [2.25826619979, 0.894778849875, -0.249564410072, 2.26144098264, 0.818569670934, -0.236495452282];
    expectNear(scores ?? [], expected, 2e-6);
  });

  it('svm_rbf of numbers: diabetes, c 30, gamma 0.02, epsilon 5', () => {
    const { values } = predicted('svm_rbf', 'diabetes', { c: 30, gamma: 0.02, epsilon: 5 });
    expectNear(values, [198.211881002, 118.343691188, 122.182317492, 171.213628994], 2e-6);
  });

  it('decision_tree: diabetes and breast_cancer', () => {
    const numbers = predicted('decision_tree', 'diabetes', { max_depth: 4, min_samples_leaf: 5 });
    expectNear(numbers.values, [231.75, 86.4901960784, 100.603174603, 166.783783784, 100.603174603], 1e-11);
    const classes = predicted('decision_tree', 'breast_cancer', { max_depth: 3, min_samples_leaf: 5 });
    expectNear(columnOf(classes, 2, 1), [0, 0.4, 0.333333333333, 0, 0.977941176471, 0], 1e-11);
  });

  it('gradient_boosting: diabetes, breast_cancer and digits, few rounds of depth 2', () => {
    const given = { trees: 5, max_depth: 2, min_samples_leaf: 20 };
    const numbers = predicted('gradient_boosting', 'diabetes', given);
    expectNear(numbers.values, [175.2828385, 127.607432569, 127.607432569, 157.754560428], 1e-10);
    const two = predicted('gradient_boosting', 'breast_cancer', given);
    expectNear(columnOf(two, 2, 1), [0.412093148323, 0.548392880011, 0.503196665987, 0.372805571787], 1e-10);
    // Three rounds of data without equally good splits.
    const ten = predicted('gradient_boosting', 'digits', { trees: 3, max_depth: 2, min_samples_leaf: 50 });
    expectNear(ten.scores ?? [], [0.373221447516, 0.0726780079615, 0.0707327913944, 0.0632864644857], 1e-10);
  });

  // Seeds 0 .. 7 there: 2897 to 3177.
  it('random_forest: diabetes, as good as there', () => {
    for (const seed of [1, 2, 3]) {
      const { values, target } = predicted('random_forest', 'diabetes', { max_features: 0.3 }, seed);
      const error = values.reduce((sum, value, i) => sum + (value - target[i]) ** 2, 0) / values.length;
      expect(error).toBeGreaterThan(2800);
      expect(error).toBeLessThan(3300);
    }
  });
});

/** Random data; values are few, so that many are equal. */
function randomData(seed: number, classes: number, most = 40): TrainingData {
  const rng = Rng.create(seed);
  const rows = 8 + rng.below(most);
  const columns = 1 + rng.below(4);
  const features = Float64Array.from({ length: rows * columns }, () => rng.below(12) / 4);
  const target = Float64Array.from({ length: rows }, () => (classes > 0 ? rng.below(classes) : rng.below(20) - 10));
  return { rows, columns, features, target, classes };
}

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 1);

/** Gini impurity or squared error in a list of targets, summed over its rows. */
function impurity(targets: readonly number[], classes: number): number {
  if (targets.length === 0) return 0;
  const mean = targets.reduce((sum, value) => sum + value, 0) / targets.length;
  if (classes === 0) return targets.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const counts = Array.from({ length: classes }, (_, c) => targets.filter((label) => label === c).length);
  return targets.length - counts.reduce((sum, count) => sum + count * count, 0) / targets.length;
}

describe('trees', () => {
  it.each(SEEDS)('each split is the best of all, and rows end where they belong (seed %i)', (seed) => {
    const classes = seed % 3 === 0 ? 0 : 2 + (seed % 3);
    const data = randomData(seed, classes);
    const { rows, columns, features, target } = data;
    const leaf = 1 + (seed % 4);
    const options = { maxDepth: 4, minSamplesLeaf: leaf, minSamplesSplit: 2, look: () => undefined };
    const weights = new Float64Array(rows).fill(1);
    const tree = growTree({ data, order: sortedColumns(data), target, weights }, options);
    const visit = (node: number, inside: readonly number[], depth: number): void => {
      const of = (some: readonly number[]): number =>
        impurity(
          some.map((row) => target[row]),
          classes,
        );
      let best = Infinity;
      for (let j = 0; j < columns; j++) {
        for (const at of inside) {
          const limit = features[at * columns + j];
          const left = inside.filter((row) => features[row * columns + j] <= limit);
          const right = inside.filter((row) => features[row * columns + j] > limit);
          if (left.length >= leaf && right.length >= leaf) best = Math.min(best, of(left) + of(right));
        }
      }
      if (tree.column[node] < 0) {
        expect(best === Infinity || depth === 4 || of(inside) < 1e-9).toBe(true);
        for (const row of inside) {
          expect(tree.leafOf[row]).toBe(node);
          expect(leafAt(tree, features, row, columns)).toBe(node);
        }
        return;
      }
      const goesLeft = (row: number): boolean => features[row * columns + tree.column[node]] <= tree.threshold[node];
      const left = inside.filter(goesLeft);
      const right = inside.filter((row) => !goesLeft(row));
      expect(of(left) + of(right)).toBeCloseTo(best, 9);
      visit(tree.child[node], left, depth + 1);
      visit(tree.child[node] + 1, right, depth + 1);
    };
    visit(
      0,
      Array.from({ length: rows }, (_, i) => i),
      0,
    );
  });

  it('a row of weight 2 is as good as the row twice', () => {
    for (const seed of SEEDS) {
      const data = randomData(seed, 3);
      const twice = rowsOf(
        data,
        Int32Array.from({ length: 2 * data.rows }, (_, k) => k >> 1),
      );
      const options = { maxDepth: 5, minSamplesLeaf: 2, minSamplesSplit: 2, look: () => undefined };
      const grown = (one: TrainingData, weight: number) =>
        growTree(
          {
            data: one,
            order: sortedColumns(one),
            target: one.target,
            weights: new Float64Array(one.rows).fill(weight),
          },
          options,
        );
      const { leafOf: _a, ...own } = grown(data, 2);
      const { leafOf: _b, ...other } = grown(twice, 1);
      expect(own).toEqual(other);
    }
  });
});

describe('optimality', () => {
  it.each(SEEDS)('logistic_regression: no small step lessens the loss (seed %i)', (seed) => {
    const classes = 2 + (seed % 3);
    const data = randomData(seed, classes);
    const l2 = 0.05 * seed;
    const learner = learnerNamed('logistic_regression');
    const { scores } = learner.fit(data, { l2 }, context()).predict(data.features, data.rows);
    // The gradient by intercepts: predicted and observed shares are equal.
    for (let c = 0; c < classes; c++) {
      const shares = columnOf({ values: data.target, scores }, classes, c);
      const observed = data.target.filter((label) => label === c).length;
      expect(shares.reduce((sum, p) => sum + p, 0)).toBeCloseTo(observed, 8);
    }
    // By weights: l2 w = sum of (y - p) x. Weights follow from log-odds of points that differ in one feature by 1.
    const p = (x: Float64Array): Float64Array =>
      learner.fit(data, { l2 }, context()).predict(x, 1).scores ?? new Float64Array(0);
    const zero = new Float64Array(data.columns);
    const one = zero.slice();
    one[0] = 1;
    const [at0, at1] = [p(zero), p(one)];
    const weight = (c: number): number => Math.log(at1[c] / at1[0]) - Math.log(at0[c] / at0[0]);
    const pull = (c: number): number => {
      let sum = 0;
      for (let i = 0; i < data.rows; i++) {
        sum += ((data.target[i] === c ? 1 : 0) - (scores ?? [])[i * classes + c]) * data.features[i * data.columns];
      }
      return sum;
    };
    const expected = classes === 2 ? pull(1) / l2 : (pull(1) - pull(0)) / l2;
    expect(weight(1)).toBeCloseTo(expected, 6);
  });

  it.each(SEEDS)('ridge: each row left out, by a fit of its own (seed %i)', (seed) => {
    const data = randomData(seed, 0);
    const alpha = 0.1 * seed;
    const learner = learnerNamed('ridge');
    const fast = learner.leaveOneOut?.(data, { alpha }, context());
    for (let i = 0; i < data.rows; i++) {
      const others = rowsOf(
        data,
        Int32Array.from({ length: data.rows - 1 }, (_, k) => (k < i ? k : k + 1)),
      );
      const row = data.features.subarray(i * data.columns, (i + 1) * data.columns);
      const { values } = learner.fit(others, { alpha }, context()).predict(row, 1);
      expect(fast?.values[i]).toBeCloseTo(values[0], 9);
    }
  });

  it.each(SEEDS)('knn: sorted by distance and row (seed %i)', (seed) => {
    const classes = seed % 2 === 0 ? 3 : 0;
    const data = randomData(seed, classes);
    const { rows, columns, features, target } = data;
    const k = 1 + (seed % 6);
    for (const weights of ['uniform', 'distance']) {
      const own = learnerNamed('knn').leaveOneOut?.(data, { k, weights }, context());
      for (let i = 0; i < rows; i++) {
        const near = Array.from({ length: rows }, (_, row) => row)
          .filter((row) => row !== i)
          .map((row) => {
            let sum = 0;
            for (let j = 0; j < columns; j++) sum += (features[row * columns + j] - features[i * columns + j]) ** 2;
            return { row, distance: Math.sqrt(sum) };
          })
          .sort((a, b) => a.distance - b.distance || a.row - b.row)
          .slice(0, k);
        const isHit = near[0].distance === 0;
        const weightOf = (distance: number): number =>
          weights === 'uniform' ? 1 : isHit ? Number(distance === 0) : 1 / distance;
        const total = near.reduce((sum, { distance }) => sum + weightOf(distance), 0);
        if (classes === 0) {
          const mean = near.reduce((sum, { row, distance }) => sum + weightOf(distance) * target[row], 0) / total;
          expect(own?.values[i]).toBeCloseTo(mean, 9);
        } else {
          const votes = [0, 0, 0];
          for (const { row, distance } of near) votes[target[row]] += weightOf(distance);
          const most = Math.max(...votes);
          const winner = near.find(({ row }) => votes[target[row]] > most - 1e-9);
          expect(own?.values[i]).toBe(target[winner?.row ?? -1]);
        }
      }
    }
  });
});

describe('every learner', () => {
  it.each(LEARNERS.map((learner) => [learner.name, learner] as const))('%s repeats its bits', (_, learner) => {
    for (const classes of [0, 2, 3]) {
      if (classes === 0 ? !learner.takesNumbers : !learner.takesClasses) continue;
      const data = randomData(7, classes);
      const values = completed(learner, data.columns, {});
      const fit = () => learner.fit(data, values, context()).predict(data.features, data.rows);
      const first = fit();
      expect(fit()).toEqual(first);
      expect(first.values).toHaveLength(data.rows);
      expect(first.values.every(Number.isFinite)).toBe(true);
      expect(first.scores === null).toBe(classes === 0);
      if (first.scores === null) continue;
      expect(first.scores).toHaveLength(data.rows * classes);
      if (!learner.hasProbabilities) continue;
      for (let i = 0; i < data.rows; i++) {
        const row = first.scores.subarray(i * classes, (i + 1) * classes);
        expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 9);
        expect(row.every((p) => p >= 0)).toBe(true);
      }
    }
  });

  it.each(LEARNERS.map((learner) => [learner.name, learner] as const))(
    '%s bears columns without spread, rows that repeat, and a class without rows',
    (_, learner) => {
      const rows = 12;
      const features = new Float64Array(rows * 2).fill(1);
      for (const classes of [0, 3]) {
        if (classes === 0 ? !learner.takesNumbers : !learner.takesClasses) continue;
        const target = Float64Array.from({ length: rows }, (__, i) => i % 2);
        const data = { rows, columns: 2, features, target, classes };
        const { values } = learner.fit(data, completed(learner, 2, {}), context()).predict(features, rows);
        expect(values.every(Number.isFinite)).toBe(true);
      }
    },
  );

  it('ends within a fit once somebody says so', () => {
    for (const learner of LEARNERS) {
      const data = loadDataset(learner.takesClasses ? 'breast_cancer' : 'diabetes');
      let looks = 0;
      const look = (): void => {
        if (++looks > 1) throw new RangeError('over');
      };
      const values = completed(learner, data.columns, {});
      const work = () => learner.fit(data, values, { rng: Rng.create(1), look }).predict(data.features, data.rows);
      expect(work, learner.name).toThrow('over');
    }
  });

  it('says why there is no model', () => {
    const features = Float64Array.from({ length: 20 }, (_, k) => k >> 1);
    const target = Float64Array.from({ length: 10 }, (_, i) => i);
    const data = { rows: 10, columns: 2, features, target, classes: 0 };
    expect(() => learnerNamed('ridge').fit(data, { alpha: 0 }, context())).toThrow(NotFitted);
  });
});

describe('metrics', () => {
  const outcome = (target: number[], scores: number[], classes: number) => ({
    target: Float64Array.from(target),
    scores: Float64Array.from(scores),
    values: Float64Array.from(target, (_, i) => {
      const row = scores.slice(i * classes, (i + 1) * classes);
      return row.indexOf(Math.max(...row));
    }),
    classes,
  });

  it('auc counts pairs in order, f1 and log_loss follow their formulas', () => {
    for (const seed of SEEDS) {
      const rng = Rng.create(seed);
      const rows = 6 + rng.below(20);
      const target = Array.from({ length: rows }, (_, i) => (i < 2 ? i : rng.below(2)));
      const ups = Array.from({ length: rows }, () => (1 + rng.below(8)) / 10);
      const own = outcome(
        target,
        ups.flatMap((p) => [1 - p, p]),
        2,
      );
      let pairs = 0;
      let right = 0;
      for (let a = 0; a < rows; a++) {
        for (let b = 0; b < rows; b++) {
          if (target[a] !== 1 || target[b] !== 0) continue;
          pairs++;
          right += ups[a] > ups[b] ? 1 : ups[a] === ups[b] ? 0.5 : 0;
        }
      }
      expect(metricOf('auc', own)).toBeCloseTo(right / pairs, 12);
      const loss = target.reduce((sum, label, i) => sum - Math.log(label === 1 ? ups[i] : 1 - ups[i]), 0) / rows;
      expect(metricOf('log_loss', own)).toBeCloseTo(loss, 12);
      const hits = target.filter((label, i) => label === 1 && own.values[i] === 1).length;
      const predictedUps = own.values.filter((label) => label === 1).length;
      const observedUps = target.filter((label) => label === 1).length;
      const precision = predictedUps === 0 ? 0 : hits / predictedUps;
      const recall = hits / observedUps;
      const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
      expect(metricOf('f1', own)).toBeCloseTo(f1, 12);
    }
  });
});
