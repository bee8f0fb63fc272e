/**
 * How much of the variance of the value each parameter explains alone: the variance of its marginal means over the
 * whole variance (functional ANOVA, main effects).
 *
 * This is exact for a grid that was tried as a whole. Else forests, each grown from another sample of the trials, stand
 * in for the value; its means are taken over settings drawn from the space.
 * Source: Hutter, Hoos and Leyton-Brown, An efficient approach for assessing hyperparameter importance, ICML 2014.
 * Deviation: means over draws, not over the leaves' boxes.
 */
import type { Rng } from '../../../common/rng.js';
import { completed, type FittedModel, type TrainingData } from '../learners/learner.js';
import { randomForest } from '../learners/tree-models.js';
import { rowsOf } from '../validation/folds.js';
import type { Space } from '../search-space/space.js';
import type { Trial } from './search.js';

export interface Importance {
  readonly name: string;
  /** 0 to 1, with the interval from the 10th to the 90th percentile over samples of the trials. */
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

interface ImportanceOptions {
  /** The trials are all settings of the space. */
  readonly isGrid: boolean;
  readonly rng: Rng;
  look(): void;
}

const LEAST_TRIALS = 10;
const MOST_TRIALS = 1_000;
const SAMPLES = 20;
const TREES = 8;
const DRAWS = 100;
const VALUES = 12;

/** In the order of the space; null: too few trials, or none differs. */
export function importanceOf(
  space: Space,
  trials: readonly Trial[],
  options: ImportanceOptions,
): readonly Importance[] | null {
  const valued = trials.filter(({ failure }) => failure === undefined);
  if (valued.length === 0 || valued.every(({ values: [value] }) => value === valued[0].values[0])) return null;
  const isExact = options.isGrid && valued.length === trials.length;
  if (isExact && space.axes.every(({ condition }) => condition === null)) return ofGrid(space, valued);
  return valued.length < LEAST_TRIALS ? null : ofForests(space, valued, options);
}

function ofGrid(space: Space, valued: readonly Trial[]): readonly Importance[] {
  const values = valued.map(({ values: [value] }) => value);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const total = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return space.axes.map(({ name }, i) => {
    const groups = new Map<number, { sum: number; count: number }>();
    for (const {
      point,
      values: [value],
    } of valued) {
      const group = groups.get(point[i]) ?? { sum: 0, count: 0 };
      group.sum += value;
      group.count++;
      groups.set(point[i], group);
    }
    const between = [...groups.values()].reduce((sum, { sum: s, count }) => sum + count * (s / count - mean) ** 2, 0);
    const share = Math.min(1, between / total);
    return { name, share, low: share, high: share };
  });
}

function ofForests(
  space: Space,
  valued: readonly Trial[],
  { rng, look }: ImportanceOptions,
): readonly Importance[] | null {
  const count = Math.min(valued.length, MOST_TRIALS);
  const kept = Array.from({ length: count }, (_, k) => valued[Math.floor((k * valued.length) / count)]);
  const columns = space.dimension;
  const data: TrainingData = {
    rows: count,
    columns,
    features: Float64Array.from(kept.flatMap(({ point }) => [...space.encode(point)])),
    target: Float64Array.from(kept, ({ values: [value] }) => value),
    classes: 0,
  };
  const drawn = Array.from({ length: DRAWS }, () => space.encode(space.sample(rng)));
  const shares = Array.from({ length: SAMPLES }, (_, k) => {
    look();
    const own = rng.split(`sample-${k}`);
    const sample = rowsOf(
      data,
      Int32Array.from({ length: count }, () => own.below(count)),
    );
    const values = completed(randomForest, columns, { trees: TREES, max_features: 1, min_samples_leaf: 2 });
    return sharesOf(space, randomForest.fit(sample, values, { rng: own, look }), drawn);
  });
  return space.axes.map(({ name }, i) => {
    const sorted = shares.map((of) => of[i]).sort((a, b) => a - b);
    return {
      name,
      share: sorted.reduce((sum, value) => sum + value, 0) / SAMPLES,
      low: sorted[Math.floor(0.1 * SAMPLES)],
      high: sorted[Math.ceil(0.9 * SAMPLES) - 1],
    };
  });
}

function varianceOf(values: ArrayLike<number>): number {
  let mean = 0;
  for (let i = 0; i < values.length; i++) mean += values[i] / values.length;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] - mean) ** 2 / values.length;
  return sum;
}

/** By axis: variance of the mean prediction at values of the axis over that of all predictions. */
function sharesOf(space: Space, model: FittedModel, drawn: readonly Float64Array[]): number[] {
  const columns = space.dimension;
  const all = new Float64Array(drawn.length * columns);
  for (const [k, x] of drawn.entries()) all.set(x, k * columns);
  const total = varianceOf(model.predict(all, drawn.length).values);
  return space.segments.map(([from, to]) => {
    const means = drawn.slice(0, VALUES).map((at) => {
      const changed = all.slice();
      for (let k = 0; k < drawn.length; k++) changed.set(at.subarray(from, to), k * columns + from);
      const { values } = model.predict(changed, drawn.length);
      return values.reduce((sum, value) => sum + value, 0) / drawn.length;
    });
    return total > 0 ? Math.min(1, varianceOf(means) / total) : 0;
  });
}
