/**
 * Level 4: what matters: bounds that bind, and, from the experiment around the best point, the sensitivity of each
 * dimension, interactions, flatness. Changes are of the objective's own value, from the centre of the experiment; with
 * several objectives of the hypervolume that the knee dominates by itself, and of each objective.
 */
import type { Experiment, Interaction, Moved, Sensitivity } from '../model/experiment.js';
import type { Statement } from '../model/explanation.js';
import type { RunTask } from '../model/run-task.js';
import type { EndedRun } from './ended-run.js';
import { changesOfAll, shapeStatements, standing } from './front.js';
import { say } from './say.js';

/** Dimensions and pairs that get a statement of their own: those that change the objective most. */
const SAID = 100;
const NO_BOUND = 'None of the {dimensions} coordinates of the best point lies on a bound.';
/** As a share of the width of the bounds: nearer is on the bound. */
const ON_BOUND = 1e-9;

export function importanceStatements(run: EndedRun): Statement[] {
  const { experiment, front } = run.ending;
  const own = bounds(run);
  if (front !== undefined) own.push(...shapeStatements(front, run.request.task, SAID));
  if (experiment === undefined) return own;
  return [...own, ...sensitivities(experiment, run.request.task), ...interactions(experiment), ...flatness(experiment)];
}

/** Name of the quantity in `value` of a measured point. */
export const measured = ({ several }: Experiment): string =>
  several === undefined ? 'the objective' : 'the hypervolume that the point dominates by itself';

function bounds({ ending: { bestSolution, experiment }, request: { task } }: EndedRun): Statement[] {
  if (bestSolution === null) return [];
  // A hypervolume is the better the larger it is.
  const worse = task.direction === 'maximize' || (task.objectives ?? 1) > 1 ? -1 : 1;
  const found = bestSolution.flatMap((x, dimension): Statement[] => {
    const [lower, upper] = task.bounds[dimension];
    const margin = ON_BOUND * (upper / 2 - lower / 2) * 2;
    const side = x - lower <= margin ? 'lower' : upper - x <= margin ? 'upper' : null;
    if (side === null) return [];
    const bound = side === 'lower' ? lower : upper;
    const place = `x[{dimension:plain}] lies on its ${side} bound {bound}`;
    const inward = inwardFrom(experiment, dimension, side, x);
    if (experiment === undefined || inward?.value === undefined || inward.value === null) {
      return [say(4, 'bounds', `${place}.`, { dimension, bound })];
    }
    const change = inward.value - experiment.centreValue;
    const verdict =
      Math.abs(change) <= uncertaintyOf(experiment, [inward.value])
        ? 'whether the bound binds cannot be told'
        : worse * change > 0
          ? 'the bound binds'
          : 'the bound does not bind';
    return [
      say(4, 'bounds', `${place}: ${verdict}, as moving it to {to} changes ${measured(experiment)} by {change}.`, {
        dimension,
        bound,
        to: inward.to,
        change,
      }),
    ];
  });
  if (found.length > 0) return found.slice(0, SAID);
  return [
    say(4, 'bounds', bestSolution.length === 1 ? 'The best point lies on no bound.' : NO_BOUND, {
      dimensions: bestSolution.length,
    }),
  ];
}

/** Nothing where the experiment was around another point. */
function inwardFrom(
  experiment: Experiment | undefined,
  dimension: number,
  side: 'lower' | 'upper',
  x: number,
): Moved | null {
  if (experiment?.centre[dimension] !== x) return null;
  const sensitivity = experiment.sensitivities[dimension];
  return (side === 'lower' ? sensitivity?.up : sensitivity?.down) ?? null;
}

/** As many units in the last place are taken for the rounding of an objective's own arithmetic. */
const ROUNDINGS = 64;

/** Differences of these values from the centre's of at most this much say nothing: noise, or rounding. */
function uncertaintyOf({ centreValue, repeatedValue }: Experiment, values: readonly number[]): number {
  const noise = Math.abs((repeatedValue ?? centreValue) - centreValue);
  const size = Math.max(Math.abs(centreValue), ...values.map(Math.abs));
  return 2 * noise + ROUNDINGS * Number.EPSILON * size;
}

/** Changes that were measured on either side; NaN, Infinity: none here. */
function changes({ down, up }: Sensitivity, centreValue: number): number[] {
  return [down, up].flatMap((one) => {
    const change = one === null || one.value === null ? NaN : one.value - centreValue;
    return Number.isFinite(change) ? [change] : [];
  });
}

interface Influence {
  readonly dimension: number;
  readonly mean: number;
  /** Ends of the influence: wider by the difference of two evaluations of the centre. */
  readonly low: number;
  readonly high: number;
  readonly largest: number;
  readonly sides: number;
  /** Where it was moved to. */
  readonly points: readonly Moved[];
}

function influences(experiment: Experiment): Influence[] {
  const { centreValue, repeatedValue, sensitivities: all } = experiment;
  const noise = Math.abs((repeatedValue ?? centreValue) - centreValue);
  return all.flatMap((sensitivity) => {
    const found = changes(sensitivity, centreValue);
    if (found.length === 0) return [];
    const { down, up } = sensitivity;
    return [
      {
        dimension: sensitivity.dimension,
        mean: found.reduce((sum, change) => sum + change / found.length, 0),
        low: Math.min(...found) - noise,
        high: Math.max(...found) + noise,
        largest: Math.max(...found.map(Math.abs)),
        sides: found.length,
        points: [down, up].filter((one) => one !== null),
      },
    ];
  });
}

const byInfluence = (a: { readonly largest: number }, b: { readonly largest: number }): number => b.largest - a.largest;

function sensitivities(experiment: Experiment, { bounds: all }: RunTask): Statement[] {
  const { step, centre, centreValue } = experiment;
  /** A bound was nearer than the step. */
  const isCut = (dimension: number, points: readonly Moved[]): boolean => {
    const [lower, upper] = all[dimension];
    const whole = step * (upper - lower);
    return points.some(({ to }) => Math.abs(to - centre[dimension]) < whole * (1 - ON_BOUND));
  };
  const said = influences(experiment)
    .sort(byInfluence)
    .slice(0, SAID)
    .map(({ dimension, mean, low, high, sides, points }) => {
      const several = changesOfAll(experiment, points);
      return say(
        4,
        'sensitivity',
        `Moving x[{dimension:plain}] by ${isCut(dimension, points) ? 'up to ' : ''}{step:percent} of its range changes ${measured(experiment)} by {mean} on average over ` +
          `{sides:move|moves}, between {low} and {high}${several.template}.`,
        { dimension, step, mean, low, high, sides, centre_value: centreValue, ...several.evidence },
      );
    });
  const failed = experiment.sensitivities.flatMap(({ dimension, down, up }) =>
    [down, up].flatMap((one) =>
      one === null || one.value !== null
        ? []
        : [
            say(4, 'sensitivity', 'With x[{dimension:plain}] moved to {to} the evaluation fails.', {
              dimension,
              to: one.to,
            }),
          ],
    ),
  );
  return [...said, ...failed.slice(0, SAID)];
}

function interactions(experiment: Experiment): Statement[] {
  const { centreValue, sensitivities: all } = experiment;
  const alone = (dimension: number, to: number): number | null => {
    const { down, up } = all[dimension];
    return [down, up].find((one) => one?.to === to)?.value ?? null;
  };
  const excess = (interaction: Interaction): Statement[] => {
    const { first, second, toFirst, toSecond, value } = interaction;
    const a = alone(first, toFirst);
    const b = alone(second, toSecond);
    if (value === null || a === null || b === null) return [];
    const together = value - centreValue;
    const apart = a - centreValue + (b - centreValue);
    const numbers = {
      first,
      second,
      to_first: toFirst,
      to_second: toSecond,
      together,
      apart,
      excess: together - apart,
    };
    if (!Object.values(numbers).every(Number.isFinite)) return [];
    const pair = standing(interaction);
    const isTold = Math.abs(together - apart) > 2 * uncertaintyOf(experiment, [a, b, value]);
    const verdict = isTold ? 'interact' : 'do not measurably interact';
    return [
      say(
        4,
        'interaction',
        `x[{first:plain}] and x[{second:plain}] ${verdict}: moved together, to {to_first} and {to_second}, they change ` +
          `${measured(experiment)} by {together}, one by one by {apart} in all, a difference of {excess}${pair.template}.`,
        { ...numbers, ...pair.evidence },
      ),
    ];
  };
  return experiment.interactions
    .flatMap(excess)
    .sort((a, b) => Math.abs(b.evidence['excess'] ?? 0) - Math.abs(a.evidence['excess'] ?? 0));
}

function flatness(experiment: Experiment): Statement[] {
  const sorted = influences(experiment).sort(byInfluence);
  const steepest = sorted[0];
  const flattest = sorted.at(-1);
  if (steepest === undefined || flattest === undefined) return [];
  const { step, centreValue, repeatedValue } = experiment;
  const flat = sorted.length === 1 ? '' : ', along the flattest one by {least} (x[{flattest:plain}])';
  const statements = [
    say(
      4,
      'flatness',
      `Within {step:percent} of the range along single coordinates ${measured(experiment)} changes by at most {largest} ` +
        `(x[{steepest:plain}])${flat}, from {centre_value}.`,
      {
        step,
        largest: steepest.largest,
        steepest: steepest.dimension,
        least: flattest.largest,
        flattest: flattest.dimension,
        centre_value: centreValue,
      },
    ),
  ];
  if (repeatedValue === null || repeatedValue === centreValue) return statements;
  const template =
    'The best point of the search, evaluated once more, gave {repeated_value} instead of {centre_value}: the intervals ' +
    'are widened by {noise}.';
  const noise = Math.abs(repeatedValue - centreValue);
  return [
    ...statements,
    say(4, 'flatness', template, { repeated_value: repeatedValue, centre_value: centreValue, noise }),
  ];
}
