/**
 * A support vector machine with the kernel e^(-gamma |x - z|^2): of classes one against one, of numbers with an
 * insensitive zone.
 *
 * Both are: least 1/2 a'Qa + p'a, y'a = 0, 0 <= a <= C, with y of 1 and -1. Two variables at a time are solved exactly,
 * the pair that gains most to second order.
 * Source: Fan, Chen and Lin, Working set selection using second order information for training support vector machines,
 * JMLR 6, 2005; notation as in Chang and Lin, LIBSVM, ACM TIST 2(3), 2011.
 */
import { exp } from '../../../common/float.js';
import {
  NotFitted,
  numberOf,
  type FittedModel,
  type Learner,
  type LearningContext,
  type TrainingData,
} from './learner.js';
import { largestOf } from './softmax.js';

const TOLERANCE = 1e-6;
const LEAST_CURVATURE = 1e-12;
/** Steps for each variable. */
const MOST_STEPS = 2_000;
const LEAST_STEPS = 200_000;

function kernel(a: Float64Array, i: number, b: Float64Array, j: number, columns: number, gamma: number): number {
  let sum = 0;
  for (let k = 0; k < columns; k++) {
    const d = a[i * columns + k] - b[j * columns + k];
    sum += d * d;
  }
  return exp(-gamma * sum);
}

/** [rows, rows]. */
function kernelMatrix({ rows, columns, features }: TrainingData, gamma: number, look: () => void): Float64Array {
  const matrix = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++) {
    look();
    matrix[i * rows + i] = 1;
    for (let j = 0; j < i; j++) {
      const value = kernel(features, i, features, j, columns, gamma);
      matrix[i * rows + j] = value;
      matrix[j * rows + i] = value;
    }
  }
  return matrix;
}

interface Dual {
  /** Row of the data that each variable belongs to. */
  readonly row: Int32Array;
  readonly y: Float64Array;
  readonly p: Float64Array;
  readonly c: number;
}

interface Solved {
  readonly a: Float64Array;
  /** The decision is the sum of a_i y_i K(x_i, x) - rho. */
  readonly rho: number;
}

function solveDual({ row, y, p, c }: Dual, matrix: Float64Array, rows: number, look: () => void): Solved {
  const n = row.length;
  const a = new Float64Array(n);
  const gradient = p.slice();
  const mayRise = (k: number): boolean => (y[k] > 0 ? a[k] < c : a[k] > 0);
  const mayFall = (k: number): boolean => (y[k] > 0 ? a[k] > 0 : a[k] < c);
  const most = Math.max(LEAST_STEPS, MOST_STEPS * n);
  for (let step = 0; step < most; step++) {
    if (step % 64 === 0) look();
    let i = -1;
    let largest = -Infinity;
    for (let k = 0; k < n; k++) {
      if (mayRise(k) && -y[k] * gradient[k] > largest) [i, largest] = [k, -y[k] * gradient[k]];
    }
    let j = -1;
    let least = Infinity;
    let gain = Infinity;
    for (let k = 0; k < n && i >= 0; k++) {
      if (!mayFall(k)) continue;
      const value = -y[k] * gradient[k];
      least = Math.min(least, value);
      const b = largest - value;
      if (!(b > 0)) continue;
      const curvature = Math.max(LEAST_CURVATURE, 2 - 2 * matrix[row[i] * rows + row[k]]);
      const change = -(b * b) / curvature;
      if (change < gain) [j, gain] = [k, change];
    }
    if (i < 0 || j < 0 || largest - least < TOLERANCE) return { a, rho: rhoOf({ y, c }, a, gradient) };
    const curvature = Math.max(LEAST_CURVATURE, 2 - 2 * matrix[row[i] * rows + row[j]]);
    const wanted = (largest + y[j] * gradient[j]) / curvature;
    // Both move by as much along y, as far as the box lets them.
    const room = Math.min(y[i] > 0 ? c - a[i] : a[i], y[j] > 0 ? a[j] : c - a[j]);
    const length = Math.min(wanted, room);
    a[i] = clipped(a[i] + y[i] * length, c);
    a[j] = clipped(a[j] - y[j] * length, c);
    for (let k = 0; k < n; k++) {
      gradient[k] += y[k] * length * (matrix[row[i] * rows + row[k]] - matrix[row[j] * rows + row[k]]);
    }
  }
  throw new NotFitted('the machine did not come to rest: take a smaller c');
}

/** Moves a variable to the edge of the box where rounding left it beside the edge. */
const clipped = (a: number, c: number): number => (a < 1e-15 * c ? 0 : a > c * (1 - 1e-15) ? c : a);

/** Mean over the free variables; if there is none, the middle of the possible values. */
function rhoOf({ y, c }: Pick<Dual, 'y' | 'c'>, a: Float64Array, gradient: Float64Array): number {
  let sum = 0;
  let free = 0;
  let low = -Infinity;
  let high = Infinity;
  for (let k = 0; k < a.length; k++) {
    const value = y[k] * gradient[k];
    if (a[k] > 0 && a[k] < c) {
      sum += value;
      free++;
    } else if ((a[k] === 0) === y[k] > 0) high = Math.min(high, value);
    else low = Math.max(low, value);
  }
  if (free > 0) return sum / free;
  return Number.isFinite(low) && Number.isFinite(high) ? (low + high) / 2 : Number.isFinite(low) ? low : high;
}

/** Weights of the rows of the data, and what is taken off. */
interface Machine {
  readonly rows: Int32Array;
  readonly weights: Float64Array;
  readonly rho: number;
}

function machineOf({ row, y }: Dual, { a, rho }: Solved): Machine {
  const weights = new Map<number, number>();
  for (let k = 0; k < a.length; k++) if (a[k] > 0) weights.set(row[k], (weights.get(row[k]) ?? 0) + a[k] * y[k]);
  return { rows: Int32Array.from(weights.keys()), weights: Float64Array.from(weights.values()), rho };
}

/** Decisions of each machine at one point. `near`: kernel of the point with each row of the data. */
const decision = ({ rows, weights, rho }: Machine, near: Float64Array): number => {
  let sum = -rho;
  for (let k = 0; k < rows.length; k++) sum += weights[k] * near[rows[k]];
  return sum;
};

function fit(
  data: TrainingData,
  { c, gamma, epsilon }: { readonly c: number; readonly gamma: number; readonly epsilon: number },
  { look }: LearningContext,
): FittedModel {
  const { rows, columns, features, target, classes } = data;
  const matrix = kernelMatrix(data, gamma, look);
  const trained = (dual: Dual): Machine => machineOf(dual, solveDual(dual, matrix, rows, look));
  /** Kernel of point i with every row. */
  const nearOf = (points: Float64Array, i: number): Float64Array =>
    Float64Array.from({ length: rows }, (_, j) => kernel(points, i, features, j, columns, gamma));

  if (classes === 0) {
    const both = Int32Array.from({ length: 2 * rows }, (_, k) => k % rows);
    const sign = (k: number): number => (k < rows ? 1 : -1);
    const machine = trained({
      row: both,
      y: Float64Array.from(both, (_, k) => sign(k)),
      p: Float64Array.from(both, (i, k) => epsilon - sign(k) * target[i]),
      c,
    });
    return {
      predict: (points, count) => ({
        values: Float64Array.from({ length: count }, (_, i) => {
          if (i % 16 === 0) look();
          return decision(machine, nearOf(points, i));
        }),
        scores: null,
      }),
    };
  }

  const pairs: { readonly one: number; readonly other: number; readonly machine: Machine }[] = [];
  for (let one = 0; one < classes; one++) {
    for (let other = one + 1; other < classes; other++) {
      const row = Int32Array.from(target.keys()).filter((i) => target[i] === one || target[i] === other);
      // A pair of classes that these rows lack.
      if (row.length === 0) continue;
      const y = Float64Array.from(row, (i) => (target[i] === one ? 1 : -1));
      pairs.push({ one, other, machine: trained({ row, y, p: new Float64Array(row.length).fill(-1), c }) });
    }
  }
  return {
    predict(points, count) {
      const scores = new Float64Array(count * classes);
      for (let i = 0; i < count; i++) {
        if (i % 16 === 0) look();
        const near = nearOf(points, i);
        const votes = scores.subarray(i * classes, (i + 1) * classes);
        const sums = new Float64Array(classes);
        for (const { one, other, machine } of pairs) {
          const value = decision(machine, near);
          votes[value > 0 ? one : other]++;
          sums[one] += value;
          sums[other] -= value;
        }
        if (classes === 2) {
          votes.set(sums);
          continue;
        }
        // Below half a vote: sums of decisions part equal votes only.
        for (let k = 0; k < classes; k++) votes[k] += sums[k] / (3 * (Math.abs(sums[k]) + 1));
      }
      return {
        values: Float64Array.from({ length: count }, (_, i) => largestOf(scores, i * classes, classes)),
        scores,
      };
    },
  };
}

export const svmRbf: Learner = {
  name: 'svm_rbf',
  takesClasses: true,
  takesNumbers: true,
  hasProbabilities: false,
  parameters: [
    {
      name: 'c',
      description: 'Weight of errors against smoothness',
      type: 'float',
      default: 1,
      least: 1e-6,
      most: 1e6,
    },
    {
      name: 'gamma',
      description: 'Of the kernel e^(-gamma |x - z|^2). Default: 1 / columns',
      type: 'float',
      default: (columns) => 1 / columns,
      least: 1e-9,
      most: 1e6,
    },
    {
      name: 'epsilon',
      description: 'Of numbers: errors up to it cost nothing',
      type: 'float',
      default: 0.1,
      least: 0,
      most: 1e9,
    },
  ],
  cost: ({ rows, columns, classes }) => rows * rows * (columns / 2 + 30 + (classes === 0 ? 60 : 0)),
  fit: (data, values, context) =>
    fit(
      data,
      { c: numberOf(values, 'c'), gamma: numberOf(values, 'gamma'), epsilon: numberOf(values, 'epsilon') },
      context,
    ),
};
