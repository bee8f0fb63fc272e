/**
 * Logistic regression: the sum of log-losses + l2 / 2 |w|^2 is least; intercepts are free. Two classes have one linear
 * function, more have one for each class (multinomial).
 *
 * Newton steps by conjugate gradients, which need products with the Hessian only, until the gradient's norm is below
 * 1e-10 or no step lessens the loss any more for rounding.
 * Source: Nocedal and Wright, Numerical Optimization, algorithm 7.1 (line search Newton-CG).
 *
 * | symbol | meaning |
 * | --- | --- |
 * | m | linear functions: 1 for two classes, else one for each class |
 * | w | [m, columns + 1]: weights of each function, its intercept last |
 * | p | [rows, m]: probabilities; for two classes that of class 1 |
 */
import { exp, log } from '../../../common/float.js';
import { dot } from '../../../linalg/dot.js';
import { NotFitted, numberOf, type Learner, type TrainingData } from './learner.js';
import { largestOf, sigmoid, softmax } from './softmax.js';

const GRADIENT = 1e-10;
/** Largest gradient where rounding ends the search, relative to the sum of the features' sizes. */
const GRADIENT_AT_ROUNDING = 1e-12;
const MOST_STEPS = 200;

class Loss {
  readonly m: number;
  readonly size: number;
  private readonly p: Float64Array;
  private readonly z: Float64Array;

  constructor(
    private readonly data: TrainingData,
    private readonly l2: number,
    private readonly look: () => void,
  ) {
    this.m = data.classes === 2 ? 1 : data.classes;
    this.size = this.m * (data.columns + 1);
    this.p = new Float64Array(data.rows * this.m);
    this.z = new Float64Array(this.m);
  }

  /** Leaves the probabilities in `p`. */
  at(w: Float64Array): number {
    this.look();
    const { p, m, data } = this;
    const { rows, columns, features, target } = data;
    scoresOf(features, rows, columns, w, m, p);
    let sum = 0;
    for (let i = 0; i < rows; i++) {
      if (m === 1) {
        const z = target[i] === 1 ? p[i] : -p[i];
        sum += z > 0 ? log(1 + exp(-z)) : log(1 + exp(z)) - z;
        p[i] = sigmoid(p[i]);
      } else {
        const own = p[i * m + target[i]];
        const [largest, total] = softmax(p, i * m, m);
        sum += log(total) + largest - own;
      }
    }
    return sum + (this.l2 / 2) * this.squaredWeights(w);
  }

  private squaredWeights(w: Float64Array): number {
    const width = this.data.columns + 1;
    let sum = 0;
    for (let k = 0; k < this.size; k++) if (k % width !== width - 1) sum += w[k] * w[k];
    return sum;
  }

  /** Gradient for the probabilities in `p`. */
  gradient(w: Float64Array, out: Float64Array): void {
    const { p, m, z, data } = this;
    this.penalty(w, out);
    for (let i = 0; i < data.rows; i++) {
      for (let k = 0; k < m; k++) z[k] = p[i * m + k] - (data.target[i] === (m === 1 ? 1 : k) ? 1 : 0);
      this.add(i, z, out);
    }
  }

  /** H v at the probabilities in `p`. */
  product(v: Float64Array, out: Float64Array): void {
    this.look();
    const { p, m, z, data } = this;
    const { rows, columns, features } = data;
    const width = columns + 1;
    this.penalty(v, out);
    for (let i = 0; i < rows; i++) {
      let mean = 0;
      for (let k = 0; k < m; k++) {
        let sum = v[k * width + columns];
        for (let j = 0; j < columns; j++) sum += v[k * width + j] * features[i * columns + j];
        z[k] = sum;
        mean += p[i * m + k] * sum;
      }
      // diag(p) - p p'; with one function p (1 - p)
      for (let k = 0; k < m; k++) z[k] = m === 1 ? p[i] * (1 - p[i]) * z[k] : p[i * m + k] * (z[k] - mean);
      this.add(i, z, out);
    }
  }

  private penalty(v: Float64Array, out: Float64Array): void {
    const width = this.data.columns + 1;
    for (let k = 0; k < this.size; k++) out[k] = k % width === width - 1 ? 0 : this.l2 * v[k];
  }

  private add(i: number, z: Float64Array, out: Float64Array): void {
    const { columns, features } = this.data;
    for (let k = 0; k < this.m; k++) {
      const from = k * (columns + 1);
      for (let j = 0; j < columns; j++) out[from + j] += z[k] * features[i * columns + j];
      out[from + columns] += z[k];
    }
  }
}

/** out[i, k] = w_k' x_i + intercept. */
function scoresOf(
  features: Float64Array,
  rows: number,
  columns: number,
  w: Float64Array,
  m: number,
  out: Float64Array,
): void {
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < m; k++) {
      const from = k * (columns + 1);
      let sum = w[from + columns];
      for (let j = 0; j < columns; j++) sum += w[from + j] * features[i * columns + j];
      out[i * m + k] = sum;
    }
  }
}

/** About H^-1 (-g), to the relative residual `forcing`; null: the curvature is lost in rounding. */
function newtonStep(loss: Loss, gradient: Float64Array, forcing: number): Float64Array | null {
  const { size } = loss;
  const step = new Float64Array(size);
  const residual = gradient.map((value) => -value);
  const direction = residual.slice();
  const product = new Float64Array(size);
  let squared = dot(residual, residual);
  const goal = forcing * forcing * squared;
  for (let k = 0; k < 4 * size + 50 && squared > goal; k++) {
    loss.product(direction, product);
    const curvature = dot(direction, product);
    if (!(curvature > 0)) return k === 0 ? null : step;
    const length = squared / curvature;
    for (let i = 0; i < size; i++) {
      step[i] += length * direction[i];
      residual[i] -= length * product[i];
    }
    const next = dot(residual, residual);
    for (let i = 0; i < size; i++) direction[i] = residual[i] + (next / squared) * direction[i];
    squared = next;
  }
  return step;
}

function minimized(data: TrainingData, l2: number, look: () => void): Float64Array {
  const loss = new Loss(data, l2, look);
  const w = new Float64Array(loss.size);
  const gradient = new Float64Array(loss.size);
  const trial = new Float64Array(loss.size);
  let value = loss.at(w);
  loss.gradient(w, gradient);
  let norm = Math.sqrt(dot(gradient, gradient));
  const roundingNorm = GRADIENT_AT_ROUNDING * (1 + data.features.reduce((sum, x) => sum + Math.abs(x), 0));
  for (let k = 0; k < MOST_STEPS && norm > GRADIENT; k++) {
    const step = newtonStep(loss, gradient, Math.min(0.1, Math.sqrt(norm / (1 + data.rows))));
    if (step === null) break;
    const slope = dot(step, gradient);
    let length = 1;
    let isLess = false;
    for (; length > 1e-10 && !isLess; length /= 2) {
      for (let i = 0; i < loss.size; i++) trial[i] = w[i] + length * step[i];
      const next = loss.at(trial);
      loss.gradient(trial, gradient);
      const nextNorm = Math.sqrt(dot(gradient, gradient));
      // Near the optimum the loss differs by rounding only, and the gradient decides.
      isLess = next <= value + 1e-4 * length * slope || (next <= value + 1e-13 * Math.abs(value) && nextNorm < norm);
      if (isLess) {
        value = next;
        norm = nextNorm;
        w.set(trial);
      }
    }
    if (!isLess) break;
  }
  if (!(norm <= Math.max(GRADIENT, roundingNorm))) {
    throw new NotFitted('the classes can be told apart without a limit: take a larger l2');
  }
  return w;
}

export const logisticRegression: Learner = {
  name: 'logistic_regression',
  takesClasses: true,
  takesNumbers: false,
  hasProbabilities: true,
  parameters: [
    {
      name: 'l2',
      description: 'Penalty: l2 / 2 times the squared weights on the sum of log-losses',
      type: 'float',
      default: 1,
      least: 1e-8,
      most: 1e12,
    },
  ],
  cost: ({ rows, columns, classes }) => 400 * rows * (columns + 1) * (classes === 2 ? 1 : classes),
  fit(data, values, { look }) {
    const { columns, classes } = data;
    const w = minimized(data, numberOf(values, 'l2'), look);
    return {
      predict(features, rows) {
        const m = classes === 2 ? 1 : classes;
        const z = new Float64Array(rows * m);
        scoresOf(features, rows, columns, w, m, z);
        const scores = new Float64Array(rows * classes);
        for (let i = 0; i < rows; i++) {
          if (m === 1) {
            scores[2 * i] = sigmoid(-z[i]);
            scores[2 * i + 1] = sigmoid(z[i]);
          } else {
            scores.set(z.subarray(i * m, (i + 1) * m), i * m);
            softmax(scores, i * m, m);
          }
        }
        return {
          values: Float64Array.from({ length: rows }, (_, i) => largestOf(scores, i * classes, classes)),
          scores,
        };
      },
    };
  },
};
