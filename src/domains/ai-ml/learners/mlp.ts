/**
 * A multilayer perceptron: dense layers, trained on small batches by Adam. Softmax over classes with the cross entropy
 * as loss, or one linear output with half the squared error, of a target that is standardised for the training.
 * Sources: Rumelhart, Hinton and Williams 1986; Kingma and Ba 2015 (arXiv:1412.6980, algorithm 1); Glorot and Bengio
 * 2010 (initial weights); Srivastava et al. 2014 (dropout).
 */
import { exp, log } from '../../../common/float.js';
import type { Rng } from '../../../common/rng.js';
import { shuffledRows } from '../validation/folds.js';
import { numberOf, type FittedModel, type Learner, type LearningContext, type TrainingData } from './learner.js';

export const ACTIVATIONS = ['relu', 'tanh', 'sigmoid'] as const;
type Activation = (typeof ACTIVATIONS)[number];

export interface Architecture {
  /** Units of each hidden layer; none: a linear model. */
  readonly hidden: readonly number[];
  readonly activation: Activation;
  /** Share of the hidden units that are left out in each training step, from 0 to below 1. */
  readonly dropout: number;
}

export interface Training {
  readonly epochs: number;
  /** Rows of one step, at most. */
  readonly batch: number;
  readonly learningRate: number;
  /** Penalty: half of this times the sum of the squared weights; biases are free. */
  readonly l2: number;
}

const [BETA1, BETA2, EPSILON] = [0.9, 0.999, 1e-8];

const outputsOf = (classes: number): number => (classes > 0 ? classes : 1);

/** Inputs, units of each hidden layer, outputs. */
const widthsOf = (
  { columns, classes }: Pick<TrainingData, 'columns' | 'classes'>,
  hidden: readonly number[],
): number[] => [columns, ...hidden, outputsOf(classes)];

/** Weights and biases. */
export function parametersOf(data: Pick<TrainingData, 'columns' | 'classes'>, hidden: readonly number[]): number {
  const widths = widthsOf(data, hidden);
  return widths.slice(1).reduce((sum, units, i) => sum + units * (widths[i] + 1), 0);
}

/** Multiplications and additions of one prediction, those of the biases included; activations are not counted. */
export function operationsOf(data: Pick<TrainingData, 'columns' | 'classes'>, hidden: readonly number[]): number {
  const widths = widthsOf(data, hidden);
  return widths.slice(1).reduce((sum, units, i) => sum + 2 * units * widths[i], 0);
}

/** Operations of a training, roughly: forward, backward, and the gradient of the weights. */
export const trainingOperations = (
  data: Pick<TrainingData, 'rows' | 'columns' | 'classes'>,
  hidden: readonly number[],
  { epochs, batch }: Pick<Training, 'epochs' | 'batch'>,
): number => {
  const steps = epochs * Math.ceil(data.rows / batch);
  return 3 * operationsOf(data, hidden) * data.rows * epochs + 12 * parametersOf(data, hidden) * steps;
};

function activate(values: Float64Array, activation: Activation): void {
  for (let i = 0; i < values.length; i++) {
    const x = values[i];
    if (activation === 'relu') values[i] = x > 0 ? x : 0;
    else if (activation === 'tanh') values[i] = 1 - 2 / (exp(2 * x) + 1);
    else values[i] = 1 / (1 + exp(-x));
  }
}

/** Slope of the activation, from its own value. */
function slope(value: number, activation: Activation): number {
  if (activation === 'relu') return value > 0 ? 1 : 0;
  return activation === 'tanh' ? 1 - value * value : value * (1 - value);
}

/** In place, over one row of `count` from `start`. */
function softmax(values: Float64Array, start: number, count: number): void {
  let most = -Infinity;
  for (let c = 0; c < count; c++) most = Math.max(most, values[start + c]);
  let sum = 0;
  for (let c = 0; c < count; c++) {
    values[start + c] = exp(values[start + c] - most);
    sum += values[start + c];
  }
  for (let c = 0; c < count; c++) values[start + c] /= sum;
}

/** One dense layer with Adam's state. `weights` [outputs, inputs + 1]: the bias is the last of each row. */
class Layer {
  readonly weights: Float64Array;
  private readonly gradient: Float64Array;
  private readonly mean: Float64Array;
  private readonly square: Float64Array;

  constructor(
    readonly inputs: number,
    readonly outputs: number,
    rng: Rng,
  ) {
    const size = outputs * (inputs + 1);
    this.weights = new Float64Array(size);
    this.gradient = new Float64Array(size);
    this.mean = new Float64Array(size);
    this.square = new Float64Array(size);
    const limit = Math.sqrt(6 / (inputs + outputs));
    for (let o = 0; o < outputs; o++) {
      for (let i = 0; i < inputs; i++) this.weights[o * (inputs + 1) + i] = limit * (2 * rng.uniform() - 1);
    }
  }

  /** `x` [rows, inputs] to `z` [rows, outputs]. */
  forward(x: Float64Array, rows: number, z: Float64Array): void {
    const { inputs, outputs, weights } = this;
    for (let r = 0; r < rows; r++) {
      const from = r * inputs;
      for (let o = 0; o < outputs; o++) {
        const at = o * (inputs + 1);
        let sum = weights[at + inputs];
        for (let i = 0; i < inputs; i++) sum += weights[at + i] * x[from + i];
        z[r * outputs + o] = sum;
      }
    }
  }

  /**
   * Adds up the gradient from `dz` [rows, outputs]; `dx` [rows, inputs] becomes the slope of the loss by the inputs.
   */
  backward(x: Float64Array, dz: Float64Array, rows: number, dx: Float64Array | null): void {
    const { inputs, outputs, weights, gradient } = this;
    gradient.fill(0);
    dx?.fill(0, 0, rows * inputs);
    for (let r = 0; r < rows; r++) {
      const from = r * inputs;
      for (let o = 0; o < outputs; o++) {
        const d = dz[r * outputs + o];
        if (d === 0) continue;
        const at = o * (inputs + 1);
        for (let i = 0; i < inputs; i++) gradient[at + i] += d * x[from + i];
        gradient[at + inputs] += d;
        if (dx === null) continue;
        for (let i = 0; i < inputs; i++) dx[from + i] += d * weights[at + i];
      }
    }
  }

  /** One step of Adam; `power1`, `power2`: its decay rates to the number of the step. */
  step({ learningRate, l2 }: Training, power1: number, power2: number): void {
    const { inputs, weights, gradient, mean, square } = this;
    for (let k = 0; k < weights.length; k++) {
      const isBias = k % (inputs + 1) === inputs;
      const g = gradient[k] + (isBias ? 0 : l2 * weights[k]);
      mean[k] = BETA1 * mean[k] + (1 - BETA1) * g;
      square[k] = BETA2 * square[k] + (1 - BETA2) * g * g;
      weights[k] -= (learningRate * (mean[k] / (1 - power1))) / (Math.sqrt(square[k] / (1 - power2)) + EPSILON);
    }
  }
}

export interface Network extends FittedModel {
  /** Mean loss of each epoch's steps, without the penalty, dropout included. */
  readonly losses: readonly number[];
}

/** Mean and deviation of the target; 0 and 1 with classes. */
function scaleOf({ rows, target, classes }: TrainingData): readonly [mean: number, deviation: number] {
  if (classes > 0) return [0, 1];
  let mean = 0;
  for (const value of target) mean += value / rows;
  let squares = 0;
  for (const value of target) squares += (value - mean) ** 2 / rows;
  const deviation = Math.sqrt(squares);
  return [mean, deviation > 1e-12 * Math.abs(mean) ? deviation : 1];
}

/** The class with the largest of the `count` scores from `start`; the first of equal ones. */
function bestOf(scores: Float64Array, start: number, count: number): number {
  let best = 0;
  for (let c = 1; c < count; c++) if (scores[start + c] > scores[start + best]) best = c;
  return best;
}

export function trainNetwork(
  data: TrainingData,
  { hidden, activation, dropout }: Architecture,
  training: Training,
  { rng, look }: LearningContext,
): Network {
  const { rows, columns, classes, features, target } = data;
  const widths = widthsOf(data, hidden);
  const outputs = outputsOf(classes);
  const layers = widths.slice(1).map((units, i) => new Layer(widths[i], units, rng));
  const [mean, deviation] = scaleOf(data);
  const size = Math.min(training.batch, rows);
  // Inputs of each layer and, last, the outputs; slopes of the loss by them; which hidden units are in.
  const values = widths.map((units) => new Float64Array(size * units));
  const slopes = widths.map((units) => new Float64Array(size * units));
  const masks = widths.map((units) => new Float64Array(dropout > 0 ? size * units : 0));
  const last = layers.length;
  const losses: number[] = [];
  let [power1, power2] = [1, 1];

  /** Loss of the batch. */
  const step = (order: readonly number[], from: number, count: number): number => {
    for (let r = 0; r < count; r++) {
      const row = order[from + r];
      values[0].set(features.subarray(row * columns, (row + 1) * columns), r * columns);
    }
    for (const [l, layer] of layers.entries()) {
      const out = values[l + 1].subarray(0, count * layer.outputs);
      layer.forward(values[l], count, out);
      if (l + 1 === last) continue;
      activate(out, activation);
      if (dropout === 0) continue;
      for (let k = 0; k < out.length; k++) {
        masks[l + 1][k] = rng.uniform() < dropout ? 0 : 1 / (1 - dropout);
        out[k] *= masks[l + 1][k];
      }
    }
    let loss = 0;
    const [out, dOut] = [values[last], slopes[last]];
    for (let r = 0; r < count; r++) {
      const wanted = target[order[from + r]];
      if (classes > 0) {
        softmax(out, r * outputs, outputs);
        loss -= log(Math.max(1e-15, out[r * outputs + wanted])) / count;
        for (let c = 0; c < outputs; c++)
          dOut[r * outputs + c] = (out[r * outputs + c] - (c === wanted ? 1 : 0)) / count;
      } else {
        const error = out[r] - (wanted - mean) / deviation;
        loss += (0.5 * error * error) / count;
        dOut[r] = error / count;
      }
    }
    power1 *= BETA1;
    power2 *= BETA2;
    for (let l = last - 1; l >= 0; l--) {
      const layer = layers[l];
      const before = l === 0 ? null : slopes[l];
      layer.backward(values[l], slopes[l + 1], count, before);
      layer.step(training, power1, power2);
      if (before === null) continue;
      for (let k = 0; k < count * layer.inputs; k++) {
        const mask = dropout === 0 ? 1 : masks[l][k];
        before[k] *= mask === 0 ? 0 : mask * slope(values[l][k] / mask, activation);
      }
    }
    return loss;
  };

  for (let epoch = 0; epoch < training.epochs; epoch++) {
    const order = shuffledRows(rows, rng);
    let loss = 0;
    for (let from = 0; from < rows; from += size) {
      look();
      const count = Math.min(size, rows - from);
      loss += (step(order, from, count) * count) / rows;
    }
    losses.push(loss);
  }

  const predict: FittedModel['predict'] = (given, count) => {
    let x = given;
    for (const [l, layer] of layers.entries()) {
      const z = new Float64Array(count * layer.outputs);
      layer.forward(x, count, z);
      if (l + 1 < last) activate(z, activation);
      x = z;
    }
    if (classes === 0) return { values: x.map((value) => value * deviation + mean), scores: null };
    for (let r = 0; r < count; r++) softmax(x, r * outputs, outputs);
    const scores = x;
    return { values: Float64Array.from({ length: count }, (_, r) => bestOf(scores, r * outputs, outputs)), scores };
  };
  return { predict, losses };
}

const MOST_LAYERS = 4;
const MOST_UNITS = 512;

const hiddenOf = (values: Parameters<Learner['cost']>[1]): number[] =>
  Array.from({ length: numberOf(values, 'layers') }, () => numberOf(values, 'units'));

export const mlp: Learner = {
  name: 'mlp',
  takesClasses: true,
  takesNumbers: true,
  hasProbabilities: true,
  parameters: [
    { name: 'layers', description: 'Hidden layers', type: 'int', default: 1, least: 1, most: MOST_LAYERS },
    { name: 'units', description: 'Units of each hidden layer', type: 'int', default: 32, least: 1, most: MOST_UNITS },
    { name: 'activation', description: 'Of the hidden units', type: 'choice', default: 'relu', choices: ACTIVATIONS },
    {
      name: 'dropout',
      description: 'Share of hidden units left out in each step',
      type: 'float',
      default: 0,
      least: 0,
      most: 0.9,
    },
    { name: 'learning_rate', description: "Adam's step", type: 'float', default: 1e-3, least: 1e-6, most: 1 },
    {
      name: 'l2',
      description: 'Half of this times the squared weights is added to the loss',
      type: 'float',
      default: 1e-4,
      least: 0,
      most: 100,
    },
    { name: 'epochs', description: 'Passes over the rows', type: 'int', default: 50, least: 1, most: 500 },
    { name: 'batch', description: 'Rows of one step', type: 'int', default: 32, least: 1, most: 1_024 },
  ],
  cost: (data, values) =>
    trainingOperations(data, hiddenOf(values), {
      epochs: numberOf(values, 'epochs'),
      batch: numberOf(values, 'batch'),
    }),
  fit: (data, values, context) =>
    trainNetwork(
      data,
      {
        hidden: hiddenOf(values),
        activation: values['activation'] as Activation,
        dropout: numberOf(values, 'dropout'),
      },
      {
        epochs: numberOf(values, 'epochs'),
        batch: numberOf(values, 'batch'),
        learningRate: numberOf(values, 'learning_rate'),
        l2: numberOf(values, 'l2'),
      },
      context,
    ),
};
