/** Features of mean 0 and population deviation 1. */
import type { TrainingData } from '../learners/learner.js';

interface Scaling {
  /** [columns] each. A column without spread is only centred. */
  readonly means: Float64Array;
  readonly deviations: Float64Array;
}

export function scalingOf({ rows, columns, features }: TrainingData): Scaling {
  const means = new Float64Array(columns);
  const deviations = new Float64Array(columns);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) means[j] += features[i * columns + j];
  for (let j = 0; j < columns; j++) means[j] /= rows;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) deviations[j] += (features[i * columns + j] - means[j]) ** 2;
  }
  for (let j = 0; j < columns; j++) {
    const deviation = Math.sqrt(deviations[j] / rows);
    // What is left of a constant by rounding is no spread.
    deviations[j] = deviation > 1e-12 * Math.abs(means[j]) ? deviation : 1;
  }
  return { means, deviations };
}

export function scaled(data: TrainingData, { means, deviations }: Scaling): TrainingData {
  const { columns } = data;
  const features = data.features.map((value, i) => (value - means[i % columns]) / deviations[i % columns]);
  return { ...data, features };
}
