/** How well predictions fit what was observed. All over the rows that are given, each with the same weight. */
import { log } from '../../../common/float.js';
import type { Direction } from '../../../model/objective.js';
import type { Prediction } from '../learners/learner.js';

export const METRICS = ['accuracy', 'log_loss', 'f1', 'auc', 'mse', 'mae', 'r2'] as const;
export type MetricName = (typeof METRICS)[number];

/** Probabilities are kept so far from 0 that a logarithm is finite. */
const LEAST_PROBABILITY = 1e-15;

export const isOfClasses = (metric: MetricName): boolean => !['mse', 'mae', 'r2'].includes(metric);

export const directionOf = (metric: MetricName): Direction =>
  ['log_loss', 'mse', 'mae'].includes(metric) ? 'minimize' : 'maximize';

/** Predictions for rows, and what was observed of them. */
export interface Outcome extends Prediction {
  /** [rows]: as `TrainingData.target`. */
  readonly target: Float64Array;
  readonly classes: number;
}

/**
 * NaN where it has no value: r2 of a constant target, auc without rows of both kinds.
 *
 * With two classes f1 and auc are those of class 1; with more, the mean over the classes that have rows, each against
 * the rest.
 */
export function metricOf(metric: MetricName, outcome: Outcome): number {
  switch (metric) {
    case 'accuracy':
      return accuracy(outcome);
    case 'log_loss':
      return logLoss(outcome);
    case 'f1':
      return overClasses(outcome, f1Of);
    case 'auc':
      return overClasses(outcome, aucOf);
    case 'mse':
      return meanOf(outcome, (error) => error * error);
    case 'mae':
      return meanOf(outcome, Math.abs);
    case 'r2':
      return r2(outcome);
  }
}

const meanOf = ({ target, values }: Outcome, loss: (error: number) => number): number => {
  let sum = 0;
  for (let i = 0; i < target.length; i++) sum += loss(values[i] - target[i]);
  return sum / target.length;
};

function accuracy({ target, values }: Outcome): number {
  let right = 0;
  for (let i = 0; i < target.length; i++) if (values[i] === target[i]) right++;
  return right / target.length;
}

function logLoss({ target, scores, classes }: Outcome): number {
  if (scores === null) throw new Error('log_loss without probabilities');
  let sum = 0;
  for (let i = 0; i < target.length; i++) {
    const p = scores[i * classes + target[i]];
    sum -= log(Math.min(1, Math.max(LEAST_PROBABILITY, p)));
  }
  return sum / target.length;
}

function r2(outcome: Outcome): number {
  const { target } = outcome;
  let mean = 0;
  for (const value of target) mean += value / target.length;
  let total = 0;
  for (const value of target) total += (value - mean) ** 2;
  if (!(total > 0)) return NaN;
  return 1 - meanOf(outcome, (error) => error * error) / (total / target.length);
}

function overClasses(outcome: Outcome, of: (outcome: Outcome, positive: number) => number): number {
  if (outcome.classes === 2) return of(outcome, 1);
  let sum = 0;
  let count = 0;
  for (let c = 0; c < outcome.classes; c++) {
    if (!outcome.target.includes(c)) continue;
    sum += of(outcome, c);
    count++;
  }
  return sum / count;
}

/** 2 TP / (2 TP + FP + FN); 0 where nothing was predicted or observed. */
function f1Of({ target, values }: Outcome, positive: number): number {
  let hits = 0;
  let either = 0;
  for (let i = 0; i < target.length; i++) {
    if (values[i] === positive && target[i] === positive) hits++;
    either += (values[i] === positive ? 1 : 0) + (target[i] === positive ? 1 : 0);
  }
  return either === 0 ? 0 : (2 * hits) / either;
}

/** Share of pairs, one of the class and one not, whose scores stand in the right order; equal scores count one half. */
function aucOf({ target, scores, classes }: Outcome, positive: number): number {
  if (scores === null) throw new Error('auc without scores');
  const order = Array.from(target.keys()).sort(
    (a, b) => scores[a * classes + positive] - scores[b * classes + positive] || a - b,
  );
  const scoreAt = (place: number): number => scores[order[place] * classes + positive];
  let below = 0;
  let pairs = 0;
  let positives = 0;
  for (let from = 0, to = 0; from < order.length; from = to) {
    let ups = 0;
    while (to < order.length && scoreAt(to) === scoreAt(from)) {
      if (target[order[to]] === positive) ups++;
      to++;
    }
    const downs = to - from - ups;
    pairs += ups * (below + downs / 2);
    below += downs;
    positives += ups;
  }
  return positives === 0 || below === 0 ? NaN : pairs / (positives * below);
}
