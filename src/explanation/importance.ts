/**
 * Level 4: what matters: bounds that bind, and, from the experiment around the best point, the sensitivity of each
 * dimension, interactions, flatness. Changes are of the objective's own value, from the centre of the experiment.
 */
import type { Experiment, Interaction, Moved, Sensitivity } from '../model/experiment.js';
import type { Statement } from '../model/explanation.js';
import type { EndedRun } from './explain.js';
import { say } from './say.js';

/** Dimensions and pairs that get a statement of their own: those that change the objective most. */
const SAID = 100;
/** As a share of the width of the bounds: nearer is on the bound. */
const ON_BOUND = 1e-9;

export function importanceStatements(run: EndedRun): Statement[] {
  const { experiment } = run.ending;
  if (experiment === undefined) return bounds(run);
  return [...bounds(run), ...sensitivities(experiment), ...interactions(experiment), ...flatness(experiment)];
}

function bounds({ ending: { bestSolution, experiment }, request: { task } }: EndedRun): Statement[] {
  if (bestSolution === null) return [];
  const worse = task.direction === 'maximize' ? -1 : 1;
  const found = bestSolution.flatMap((x, dimension): Statement[] => {
    const [lower, upper] = task.bounds[dimension]!;
    const margin = ON_BOUND * (upper / 2 - lower / 2) * 2;
    const side = x - lower <= margin ? 'lower' : upper - x <= margin ? 'upper' : null;
    if (side === null) return [];
    const bound = side === 'lower' ? lower : upper;
    const place = `x[{dimension}] lies on its ${side} bound {bound}`;
    const inward = inwardFrom(experiment, dimension, side, x);
    if (experiment === undefined || inward?.value === undefined || inward.value === null) {
      return [say(4, 'bounds', `${place}.`, { dimension, bound })];
    }
    const change = inward.value - experiment.centreValue;
    const verdict = worse * change > 0 ? 'the bound binds' : 'the bound does not bind';
    return [
      say(4, 'bounds', `${place}: ${verdict}, as moving it to {to} changes the objective by {change}.`, {
        dimension,
        bound,
        to: inward.to,
        change,
      }),
    ];
  });
  if (found.length > 0) return found.slice(0, SAID);
  return [
    say(4, 'bounds', 'None of the {dimensions} coordinates of the best point lies on a bound.', {
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

/** Changes that were measured on either side; NaN, Infinity: none here. */
function changes({ down, up }: Sensitivity, centreValue: number): number[] {
  return [down, up].flatMap((one) => {
    const change = one === null || one.value === null ? NaN : one.value - centreValue;
    return Number.isFinite(change) ? [change] : [];
  });
}

interface Measured {
  readonly dimension: number;
  readonly mean: number;
  /** With what two evaluations of the centre differed by on either side. */
  readonly low: number;
  readonly high: number;
  readonly largest: number;
  readonly sides: number;
}

function measure(experiment: Experiment): Measured[] {
  const { centreValue, repeatedValue, sensitivities: all } = experiment;
  const noise = Math.abs((repeatedValue ?? centreValue) - centreValue);
  return all.flatMap((sensitivity) => {
    const measured = changes(sensitivity, centreValue);
    if (measured.length === 0) return [];
    return [
      {
        dimension: sensitivity.dimension,
        mean: measured.reduce((sum, change) => sum + change / measured.length, 0),
        low: Math.min(...measured) - noise,
        high: Math.max(...measured) + noise,
        largest: Math.max(...measured.map(Math.abs)),
        sides: measured.length,
      },
    ];
  });
}

const byInfluence = (a: { readonly largest: number }, b: { readonly largest: number }): number => b.largest - a.largest;

function sensitivities(experiment: Experiment): Statement[] {
  const { step, centreValue } = experiment;
  const said = measure(experiment)
    .sort(byInfluence)
    .slice(0, SAID)
    .map(({ dimension, mean, low, high, sides }) =>
      say(
        4,
        'sensitivity',
        'Moving x[{dimension}] by {step} of its range changes the objective by {mean} on average over {sides} moves, ' +
          'between {low} and {high}.',
        { dimension, step, mean, low, high, sides, centre_value: centreValue },
      ),
    );
  const failed = experiment.sensitivities.flatMap(({ dimension, down, up }) =>
    [down, up].flatMap((one) =>
      one === null || one.value !== null
        ? []
        : [say(4, 'sensitivity', 'With x[{dimension}] moved to {to} the evaluation fails.', { dimension, to: one.to })],
    ),
  );
  return [...said, ...failed.slice(0, SAID)];
}

function interactions(experiment: Experiment): Statement[] {
  const { centreValue, sensitivities: all } = experiment;
  const alone = (dimension: number, to: number): number | null => {
    const { down, up } = all[dimension]!;
    return [down, up].find((one) => one?.to === to)?.value ?? null;
  };
  const excess = ({ first, second, toFirst, toSecond, value }: Interaction): Statement[] => {
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
    const verdict = together === apart ? 'do not interact' : 'interact';
    return [
      say(
        4,
        'interaction',
        `x[{first}] and x[{second}] ${verdict}: moved together, to {to_first} and {to_second}, they change the objective by ` +
          '{together}, one by one by {apart} in all, a difference of {excess}.',
        numbers,
      ),
    ];
  };
  return experiment.interactions
    .flatMap(excess)
    .sort((a, b) => Math.abs(b.evidence['excess'] ?? 0) - Math.abs(a.evidence['excess'] ?? 0));
}

function flatness(experiment: Experiment): Statement[] {
  const measured = measure(experiment).sort(byInfluence);
  const steepest = measured[0];
  const flattest = measured.at(-1);
  if (steepest === undefined || flattest === undefined) return [];
  const { step, centreValue, repeatedValue } = experiment;
  const statements = [
    say(
      4,
      'flatness',
      'Within {step} of the range along single coordinates the objective changes by at most {largest} (x[{steepest}]), ' +
        'along the flattest one by {least} (x[{flattest}]), from {centre_value}.',
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
