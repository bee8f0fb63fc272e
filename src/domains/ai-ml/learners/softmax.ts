/** Probabilities of classes from one score for each class. */
import { exp } from '../../../common/float.js';

/** 1 / (1 + e^-z) without overflow. */
export function sigmoid(z: number): number {
  if (z >= 0) return 1 / (1 + exp(-z));
  const e = exp(z);
  return e / (1 + e);
}

/**
 * Replaces `scores[from .. from + count)` by their probabilities; returns the largest score and the sum of e^(score -
 * largest).
 */
export function softmax(scores: Float64Array, from: number, count: number): readonly [largest: number, sum: number] {
  let largest = -Infinity;
  for (let k = from; k < from + count; k++) largest = Math.max(largest, scores[k]);
  let sum = 0;
  for (let k = from; k < from + count; k++) {
    scores[k] = exp(scores[k] - largest);
    sum += scores[k];
  }
  for (let k = from; k < from + count; k++) scores[k] /= sum;
  return [largest, sum];
}

/** Index of the largest of `scores[from .. from + count)`, the first of equal ones. */
export function largestOf(scores: Float64Array, from: number, count: number): number {
  let best = 0;
  for (let k = 1; k < count; k++) if (scores[from + k] > scores[from + best]) best = k;
  return best;
}
