import { describe, expect, it } from 'vitest';
import { Rng } from '../../../common/rng.js';
import { loadDataset } from '../datasets/datasets.js';
import { holdOut, rowsOf } from '../validation/folds.js';
import { metricOf } from '../validation/metrics.js';
import { scaled, scalingOf } from '../validation/standardize.js';
import { completed, type TrainingData } from './learner.js';
import { ACTIVATIONS, mlp, operationsOf, parametersOf, trainNetwork, type Architecture } from './mlp.js';

const context = (seed: number) => ({ rng: Rng.create(seed), look: () => undefined });

/** Rows of a function of two numbers. */
function dataOf(rows: number, classes: number, of: (a: number, b: number) => number, seed = 5): TrainingData {
  const rng = Rng.create(seed);
  const features = Float64Array.from({ length: 2 * rows }, () => 4 * rng.uniform() - 2);
  const target = Float64Array.from({ length: rows }, (_, i) => of(features[2 * i], features[2 * i + 1]));
  return { rows, columns: 2, classes, features, target };
}

describe('the network', () => {
  it.each(ACTIVATIONS)('loses as much in the second tiny step as in the first: %s', (activation) => {
    const learningRate = 1e-6;
    for (const classes of [0, 3]) {
      const data = dataOf(12, classes, (a, b) => (classes === 0 ? a * b : a > 0.5 ? 2 : b > 0 ? 1 : 0));
      const architecture: Architecture = { hidden: [5, 4], activation, dropout: 0 };
      const lossAfter = (epochs: number): number =>
        trainNetwork(data, architecture, { epochs, batch: 12, learningRate, l2: 0 }, context(3)).losses.at(-1) ?? NaN;
      // The loss before the first step, and after each of two: it falls, by nearly as much again in the second.
      const [first, second, third] = [lossAfter(1), lossAfter(2), lossAfter(3)];
      expect(second).toBeLessThan(first);
      expect((second - third) / (first - second)).toBeCloseTo(1, 2);
    }
  });

  it('learns exclusive or, a product, and what a line is', () => {
    const xor = dataOf(400, 2, (a, b) => (a > 0 === b > 0 ? 0 : 1));
    const training = { epochs: 100, batch: 32, learningRate: 0.01, l2: 0 };
    const network = trainNetwork(xor, { hidden: [16], activation: 'relu', dropout: 0 }, training, context(1));
    const test = dataOf(500, 2, (a, b) => (a > 0 === b > 0 ? 0 : 1), 6);
    const accuracy = metricOf('accuracy', { ...test, ...network.predict(test.features, 500) });
    expect(accuracy).toBeGreaterThan(0.95);
    const linear = trainNetwork(xor, { hidden: [], activation: 'relu', dropout: 0 }, training, context(1));
    expect(metricOf('accuracy', { ...test, ...linear.predict(test.features, 500) })).toBeLessThan(0.7);

    const product = dataOf(400, 0, (a, b) => 1_000 + 50 * a * b);
    const curved = trainNetwork(product, { hidden: [24], activation: 'tanh', dropout: 0 }, training, context(1));
    const others = dataOf(300, 0, (a, b) => 1_000 + 50 * a * b, 7);
    expect(metricOf('r2', { ...others, ...curved.predict(others.features, 300) })).toBeGreaterThan(0.95);

    // Without a hidden layer it is least squares.
    const line = dataOf(200, 0, (a, b) => 3 * a - 2 * b + 7);
    const straight = trainNetwork(
      line,
      { hidden: [], activation: 'relu', dropout: 0 },
      { epochs: 300, batch: 50, learningRate: 0.02, l2: 0 },
      context(2),
    );
    const [at] = straight.predict(Float64Array.of(1, 1), 1).values;
    expect(at).toBeCloseTo(8, 3);
  });

  it('gives probabilities, and equal bits for equal seeds only', () => {
    const data = dataOf(60, 3, (a, b) => (a > 0.5 ? 2 : b > 0 ? 1 : 0));
    const architecture: Architecture = { hidden: [8], activation: 'sigmoid', dropout: 0.3 };
    const run = (seed: number): Float64Array | null =>
      trainNetwork(data, architecture, { epochs: 5, batch: 7, learningRate: 0.01, l2: 0.01 }, context(seed)).predict(
        data.features,
        60,
      ).scores;
    const scores = run(1) ?? new Float64Array();
    for (let r = 0; r < 60; r++) expect(scores.slice(3 * r, 3 * r + 3).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    expect(run(1)).toEqual(scores);
    expect(run(2)).not.toEqual(scores);
  });

  it('draws weights towards 0 by the penalty, and stands a constant target', () => {
    const data = dataOf(80, 0, (a) => a);
    const spread = (l2: number): number => {
      const training = { epochs: 200, batch: 80, learningRate: 0.02, l2 };
      const { values } = trainNetwork(
        data,
        { hidden: [], activation: 'relu', dropout: 0 },
        training,
        context(1),
      ).predict(Float64Array.of(-1, 0, 1, 0), 2);
      return values[1] - values[0];
    };
    expect(spread(0)).toBeCloseTo(2, 2);
    // Ridge regression on a standardised target: the slope shrinks by 1 / (1 + l2 / variance of the feature).
    const [mean, n] = [data.target.reduce((a, b) => a + b, 0) / 80, 80];
    const variance = data.target.reduce((sum, a) => sum + (a - mean) ** 2, 0) / n;
    expect(spread(1)).toBeCloseTo(2 / (1 + 1 / variance), 1);
    const constant = { ...data, target: new Float64Array(80).fill(5) };
    const training = { epochs: 20, batch: 16, learningRate: 0.01, l2: 0 };
    const flat = trainNetwork(constant, { hidden: [4], activation: 'relu', dropout: 0 }, training, context(1));
    expect(flat.predict(data.features, 80).values.every(Number.isFinite)).toBe(true);
  });

  it('counts parameters and operations', () => {
    // 64 to 128 to 10: 64 * 128 + 128 and 128 * 10 + 10.
    expect(parametersOf({ columns: 64, classes: 10 }, [128])).toBe(9_610);
    expect(operationsOf({ columns: 64, classes: 10 }, [128])).toBe(2 * (64 * 128 + 128 * 10));
    expect(parametersOf({ columns: 10, classes: 0 }, [])).toBe(11);
  });
});

describe('the learner', () => {
  it('recognises digits', () => {
    const data = loadDataset('digits');
    const { train, test } = holdOut(data, 0.2, Rng.create(1));
    const learned = rowsOf(data, train);
    const scaling = scalingOf(learned);
    const values = completed(mlp, data.columns, { units: 64, epochs: 15 });
    const fitted = mlp.fit(scaled(learned, scaling), values, context(1));
    const held = scaled(rowsOf(data, test), scaling);
    expect(metricOf('accuracy', { ...held, ...fitted.predict(held.features, held.rows) })).toBeGreaterThan(0.95);
    expect(mlp.cost(data, values)).toBeGreaterThan(1e8);
  }, 60_000);

  it('ends when the run is over', () => {
    const look = (): void => {
      throw new Error('over');
    };
    const data = dataOf(50, 0, (a) => a);
    expect(() => mlp.fit(data, completed(mlp, data.columns, {}), { rng: Rng.create(1), look })).toThrow('over');
  });
});
