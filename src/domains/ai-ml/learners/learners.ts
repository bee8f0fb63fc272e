/** All learners by name. */
import type { Learner } from './learner.js';
import { knn } from './knn.js';
import { logisticRegression } from './logistic-regression.js';
import { mlp } from './mlp.js';
import { ridge } from './ridge.js';
import { svmRbf } from './svm-rbf.js';
import { decisionTree, gradientBoosting, randomForest } from './tree-models.js';

export const LEARNERS: readonly Learner[] = [
  knn,
  ridge,
  logisticRegression,
  svmRbf,
  decisionTree,
  randomForest,
  gradientBoosting,
  mlp,
];

/** @throws {Error} where there is none: a defect */
export function learnerNamed(name: string): Learner {
  const found = LEARNERS.find((learner) => learner.name === name);
  if (found === undefined) throw new Error(`no learner ${name}`);
  return found;
}
