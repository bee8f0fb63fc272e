/**
 * The experiment around the best point that the levels 4 and 5 of an explanation need: which coordinates matter, which
 * ones act together, how robust the point is. It takes evaluations at the end of a run, which the engine keeps back
 * from the search: never more than a tenth of the budget.
 *
 * Its questions follow from the task and the answers alone, so that a run that was interrupted in the middle goes on
 * by asking again from the beginning with the answers that are there.
 */
import { Rng } from '../common/rng.js';
import type {
  Experiment,
  Interaction,
  Measured,
  Moved,
  Plane,
  Sensitivity,
  SeveralMeasured,
  Slice,
} from '../model/experiment.js';
import type { RunTask } from '../model/run-task.js';

/** Share of the budget that explanations may cost. */
const SHARE = 0.1;
/** How far a coordinate is moved, as a share of the width of its bounds. */
const STEP = 0.01;
/** A bound that is nearer than this share of a step leaves no room to move. */
const LEAST_ROOM = 0.01;
/** Pairs of so many dimensions are moved together. */
const PAIRED_DIMENSIONS = 5;
const NEARBY_POINTS = 10;
/** Pictures: how many dimensions are cut, in how many points; how many points a plane has on each side. */
const SLICES = 4;
const SLICE_POINTS = { least: 8, most: 24 } as const;
const PLANE_SIDE = { least: 8, most: 16 } as const;
const LEVEL_OF_SENSITIVITY = 4;
const LEVEL_OF_ROBUSTNESS = 5;

interface ExperimentPlan {
  /** 0: the budget is too small for a look at every dimension, and there is no experiment. */
  readonly sides: 0 | 1 | 2;
  readonly pairedDimensions: number;
  readonly nearbyPoints: number;
  readonly slices: number;
  readonly slicePoints: number;
  /** 0: no plane. */
  readonly planeSide: number;
  /** Evaluations that it takes at most. */
  readonly evaluations: number;
}

const FAILED: Measured = { value: null };
const NO_PICTURES = { slices: 0, slicePoints: 0, planeSide: 0 };
const NONE: ExperimentPlan = { sides: 0, pairedDimensions: 0, nearbyPoints: 0, ...NO_PICTURES, evaluations: 0 };

/** Plan of an experiment that the task's budget allows for. */
export function planExperiment({
  bounds: { length: n },
  maxEvaluations,
  explanationLevel = 0,
  isPictured = false,
  objectives = 1,
}: Pick<RunTask, 'bounds' | 'maxEvaluations' | 'explanationLevel' | 'isPictured' | 'objectives'>): ExperimentPlan {
  if (explanationLevel < LEVEL_OF_SENSITIVITY) return NONE;
  let left = Math.floor(SHARE * maxEvaluations) - 1;
  const sides = left >= 2 * n ? 2 : left >= n ? 1 : 0;
  if (sides === 0) return NONE;
  left -= sides * n;
  const wanted = explanationLevel >= LEVEL_OF_ROBUSTNESS ? NEARBY_POINTS : 0;
  let pairedDimensions = Math.min(PAIRED_DIMENSIONS, n);
  while (pairs(pairedDimensions) > left) pairedDimensions--;
  left -= pairs(pairedDimensions);
  const nearbyPoints = Math.min(wanted, left);
  left -= nearbyPoints;
  const pictures = isPictured && objectives === 1 ? planPictures(n, left) : NO_PICTURES;
  const { slices, slicePoints, planeSide } = pictures;
  const evaluations =
    1 + sides * n + pairs(pairedDimensions) + nearbyPoints + slices * slicePoints + planeSide * planeSide;
  return { sides, pairedDimensions, nearbyPoints, ...pictures, evaluations };
}

/** With `left` evaluations: slices first; a plane, where there is enough for both. */
function planPictures(n: number, left: number): Pick<ExperimentPlan, 'slices' | 'slicePoints' | 'planeSide'> {
  const slices = Math.min(SLICES, n);
  if (left < slices * SLICE_POINTS.least) return NO_PICTURES;
  const isPlane = n > 1 && left >= slices * SLICE_POINTS.least + PLANE_SIDE.least ** 2;
  const forSlices = left - (isPlane ? PLANE_SIDE.least ** 2 : 0);
  const slicePoints = Math.min(SLICE_POINTS.most, Math.floor(forSlices / slices));
  const rest = left - slices * slicePoints;
  return { slices, slicePoints, planeSide: isPlane ? Math.min(PLANE_SIDE.most, Math.floor(Math.sqrt(rest))) : 0 };
}

const pairs = (dimensions: number): number => (dimensions * (dimensions - 1)) / 2;

/** Where an experiment takes place, and what it measures there. */
export interface Centre {
  readonly solution: Float64Array;
  readonly value: number;
  /** Absent: one objective. */
  readonly several?: Pick<SeveralMeasured, 'values' | 'reference'>;
  /** Report on a point of these values, one per objective. */
  measure(values: Float64Array): Measured;
}

/** Centre of an experiment with one objective. */
export const plainCentre = (solution: Float64Array, value: number): Centre => ({
  solution,
  value,
  measure: ([own = NaN]) => ({ value: Number.isFinite(own) ? own : null }),
});

/** Yields points, row by row, and is told their values, [rows, objectives]; NaN or infinite: the evaluation failed. */
type Experimenting = Generator<Float64Array, Experiment, Float64Array>;

export function* experimentAround(
  { solution: centre, value: centreValue, several, measure }: Centre,
  task: RunTask,
  fromEvaluation: number,
): Experimenting {
  const plan = planExperiment(task);
  const { bounds } = task;
  let evaluations = 0;
  const ask = function* (points: readonly Float64Array[]): Generator<Float64Array, Measured[], Float64Array> {
    if (points.length === 0) return [];
    const rows = new Float64Array(points.length * centre.length);
    points.forEach((point, row) => rows.set(point, row * centre.length));
    evaluations += points.length;
    const values = yield rows;
    const width = values.length / points.length;
    return points.map((_, row) => measure(values.subarray(row * width, (row + 1) * width)));
  };
  const moved = (...coordinates: readonly (readonly [number, number])[]): Float64Array => {
    const point = centre.slice();
    for (const [dimension, to] of coordinates) point[dimension] = to;
    return point;
  };

  const targets = bounds.map((pair, i) => targetsOf(centre[i], pair, plan.sides));
  const asked = targets.flatMap((sides, i) => sides.map(({ to }) => moved([i, to])));
  const [repeated = FAILED, ...values] = yield* ask([centre, ...asked]);
  let next = 0;
  const sensitivities = targets.map((sides, dimension): Sensitivity => {
    const measured = { down: null as Moved | null, up: null as Moved | null };
    for (const { side, to } of sides) measured[side] = { to, ...(values[next++] ?? FAILED) };
    return { dimension, ...measured };
  });

  const influence = ({ down, up }: Sensitivity): number =>
    Math.max(...[down, up].map((one) => (one === null ? -1 : Math.abs((one.value ?? Infinity) - centreValue))));
  // Sorting is stable: of equal ones the first dimensions.
  const byInfluence = [...sensitivities].sort((a, b) =>
    influence(b) > influence(a) ? 1 : influence(b) < influence(a) ? -1 : 0,
  );
  const first = byInfluence
    .slice(0, plan.pairedDimensions)
    .map(({ dimension, down, up }) => ({ dimension, to: (up ?? down)?.to }))
    .filter((one): one is { dimension: number; to: number } => one.to !== undefined)
    .sort((a, b) => a.dimension - b.dimension);
  const together = first.flatMap((a, k) => first.slice(k + 1).map((b) => [a, b] as const));
  const joint = yield* ask(together.map(([a, b]) => moved([a.dimension, a.to], [b.dimension, b.to])));
  const interactions = together.map(([a, b], k): Interaction => ({
    first: a.dimension,
    second: b.dimension,
    toFirst: a.to,
    toSecond: b.to,
    ...(joint[k] ?? FAILED),
  }));

  const nearby = yield* ask(nearbyPoints(centre, task, plan.nearbyPoints));

  const rng = Rng.create(task.seed).split('pictures');
  const cuts = byInfluence.slice(0, plan.slices).map(({ dimension }) => ({
    dimension,
    to: scattered(bounds[dimension], plan.slicePoints, rng, true),
  }));
  const along = yield* ask(cuts.flatMap(({ dimension, to }) => to.map((x) => moved([dimension, x]))));
  const slices = cuts.map(({ dimension, to }, i): Slice => ({
    dimension,
    points: to.map((x, k): Moved => ({ to: x, ...(along[i * plan.slicePoints + k] ?? FAILED) })),
  }));
  const plane = yield* measurePlane(byInfluence, plan.planeSide);
  return {
    fromEvaluation,
    evaluations,
    centre: [...centre],
    centreValue,
    repeatedValue: repeated.value,
    several: several === undefined ? undefined : { ...several, repeated: repeated.values ?? null, nearby },
    step: STEP,
    sensitivities,
    interactions,
    nearby: nearby.map(({ value }) => value),
    ...(slices.length === 0 ? {} : { slices }),
    ...(plane === null ? {} : { plane }),
  };

  function* measurePlane(
    [one, other]: readonly Sensitivity[],
    side: number,
  ): Generator<Float64Array, Plane | null, Float64Array> {
    if (side === 0 || one === undefined || other === undefined) return null;
    const [first, second] = [one.dimension, other.dimension].sort((a, b) => a - b);
    const [firstAt, secondAt] = [first, second].map((dimension) => scattered(bounds[dimension], side, rng, false));
    const values = yield* ask(secondAt.flatMap((v) => firstAt.map((u) => moved([first, u], [second, v]))));
    return { first, second, firstAt, secondAt, values: values.map(({ value }) => value) };
  }
}

/** Points may lie so far from the ends of their parts, in shares of a part. */
const LEAST_DISTANCE = 0.1;

/**
 * One point in each of `count` equal parts of the bounds, upwards. Equal distances would make a slow wave of a fast one
 * that they miss. `isWhole`: the first and the last one lie on the bounds.
 */
function scattered(bounds: readonly [number, number], count: number, rng: Rng, isWhole: boolean): number[] {
  return Array.from({ length: count }, (_, k) => {
    const inPart = LEAST_DISTANCE + (1 - 2 * LEAST_DISTANCE) * rng.uniform();
    const share = isWhole && k === 0 ? 0 : isWhole && k === count - 1 ? 1 : (k + inPart) / count;
    return Math.min(bounds[1], Math.max(bounds[0], bounds[0] * (1 - share) + bounds[1] * share));
  });
}

/** Where a coordinate is moved to; of one side only towards the farther bound. */
function targetsOf(
  x: number,
  [lower, upper]: readonly [number, number],
  sides: ExperimentPlan['sides'],
): { readonly side: 'down' | 'up'; readonly to: number }[] {
  const step = STEP * Math.min(upper - lower, Number.MAX_VALUE);
  const both = [
    { side: 'down' as const, to: Math.max(lower, x - step), room: x - lower },
    { side: 'up' as const, to: Math.min(upper, x + step), room: upper - x },
  ].filter(({ to, room }) => room >= LEAST_ROOM * step && to !== x);
  if (sides === 2 || both.length < 2) return both;
  return [both[0].room > both[1].room ? both[0] : both[1]];
}

/** `count` random points at most a step away from the centre in every coordinate, and within the bounds. */
export function nearbyPoints(
  centre: Float64Array,
  { bounds, seed }: Pick<RunTask, 'bounds' | 'seed'>,
  count: number,
): Float64Array[] {
  const rng = Rng.create(seed).split('nearby points');
  return Array.from({ length: count }, () =>
    centre.map((x, i) => {
      const [lower, upper] = bounds[i];
      const step = STEP * Math.min(upper - lower, Number.MAX_VALUE);
      return Math.min(upper, Math.max(lower, x + step * (2 * rng.uniform() - 1)));
    }),
  );
}
