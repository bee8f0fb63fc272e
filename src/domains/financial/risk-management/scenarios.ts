/** Common parts of the models with scenarios: probabilities, the worst scenarios, parts of a tail, its picture. */
import { exp } from '../../../common/float.js';
import type { Json } from '../../../model/problem.js';
import { lineChart, type Point, type Series } from '../../charts/line-chart.js';
import { matrix, numbers, type Complain } from '../../fields.js';
import { lossesOf, type Tail } from '../tail.js';

export const MOST_SCENARIOS = 5_000;
export const MOST_HOLDINGS = 200;
/** Rows times columns. */
export const MOST_ENTRIES = 250_000;
/** Gains of one unit in a scenario. */
const LARGEST_GAIN = 1e12;
/** Rounding of the sum of probabilities, before they are made to add up. */
const SUM_ROUNDING = 1e-6;
const WORST = 5;
const MOST_BINS = 40;

export const scenarioTable = (description: string) =>
  matrix(description, { most: MOST_SCENARIOS }, { most: MOST_HOLDINGS, minimum: -LARGEST_GAIN, maximum: LARGEST_GAIN });

export const probabilitiesField = () =>
  numbers('Probability of each scenario; they add up to 1. Absent: equal', {
    most: MOST_SCENARIOS,
    minimum: 0,
    maximum: 1,
  }).optional();

type Scenarios = readonly (readonly number[])[];

/** `name`: the field with the scenarios. True where all holds. */
export function checkScenarios(
  scenarios: Scenarios,
  probabilities: readonly number[] | undefined,
  { name, complain }: { readonly name: string; readonly complain: Complain },
): boolean {
  const entries = scenarios.length * (scenarios[0]?.length ?? 0);
  if (entries > MOST_ENTRIES) {
    complain([name], `\`{field}\` can have at most ${MOST_ENTRIES} numbers in all, not ${entries}.`);
    return false;
  }
  if (probabilities === undefined) return true;
  if (probabilities.length !== scenarios.length) {
    const expected = `${scenarios.length} numbers, one for each row of \`config.${name}\``;
    complain(['probabilities'], `\`{field}\` must have ${expected}, not ${probabilities.length}.`);
    return false;
  }
  const sum = probabilities.reduce((total, share) => total + share, 0);
  if (Math.abs(sum - 1) > SUM_ROUNDING) {
    complain(['probabilities'], `\`{field}\` must add up to 1, not ${Number(sum.toPrecision(8))}.`);
    return false;
  }
  return true;
}

/** Adding up to 1; null: all are equal. */
export function normalized(probabilities: readonly number[] | undefined): readonly number[] | null {
  if (probabilities === undefined) return null;
  const sum = probabilities.reduce((total, share) => total + share, 0);
  return probabilities.map((share) => share / sum);
}

export function meansOf(scenarios: Scenarios, probabilities: readonly number[] | null): number[] {
  const equal = 1 / scenarios.length;
  const means = new Array<number>(scenarios[0].length).fill(0);
  for (const [s, row] of scenarios.entries()) {
    const share = probabilities?.[s] ?? equal;
    for (const [j, gain] of row.entries()) means[j] += share * gain;
  }
  return means;
}

/** The largest magnitude; 1 where all is 0. */
export const sizeOf = (scenarios: Scenarios): number =>
  scenarios.reduce((most, row) => row.reduce((a, b) => Math.max(a, Math.abs(b)), most), 0) || 1;

/**
 * The probabilities within the tail from the duals of a programme's scenarios: at most probability / (1 - confidence)
 * each, adding up to 1.
 */
export function tailShares(
  duals: ArrayLike<number>,
  confidence: number,
  probabilities: readonly number[] | null,
): number[] {
  const equal = 1 / duals.length;
  const raw = Array.from(duals, (dual, s) =>
    Math.min(Math.max(0, dual), (probabilities?.[s] ?? equal) / (1 - confidence)),
  );
  const sum = raw.reduce((total, share) => total + share, 0);
  return raw.map((share) => (sum > 0 ? share / sum : 0));
}

/** Mean gain of one unit of each holding, over the tail. */
export function tailGains(scenarios: Scenarios, shares: readonly number[]): number[] {
  const gains = new Array<number>(scenarios[0].length).fill(0);
  for (const [s, row] of scenarios.entries()) {
    const share = shares[s];
    if (share > 0) for (const [j, gain] of row.entries()) gains[j] += share * gain;
  }
  return gains;
}

/** Losses from the largest on. */
export function worstOf(losses: readonly number[], probabilities: readonly number[] | null): Json[] {
  const order = losses.map((_, s) => s).sort((a, b) => losses[b] - losses[a] || a - b);
  return order
    .slice(0, WORST)
    .map((s) => ({ scenario: s + 1, loss: losses[s] + 0, probability: probabilities?.[s] ?? 1 / losses.length }));
}

/** Mean of the worst 1 - confidence, taken from the largest loss down: not as the programme has it. */
export function meanOfTail(
  losses: readonly number[],
  confidence: number,
  probabilities: readonly number[] | null,
): number {
  const order = losses.map((_, s) => s).sort((a, b) => losses[b] - losses[a]);
  const mass = 1 - confidence;
  let left = mass;
  let sum = 0;
  for (const s of order) {
    const taken = Math.min(left, probabilities?.[s] ?? 1 / losses.length);
    sum += taken * losses[s];
    left -= taken;
    if (left <= 0) break;
  }
  return sum / (mass - Math.max(0, left));
}

/** How the losses are spread, with the tail marked. Null: they are all the same. */
export function lossPicture(
  scenarios: Scenarios,
  holdings: readonly number[],
  {
    probabilities,
    tail,
    xName,
  }: { readonly probabilities: readonly number[] | null; readonly tail: Tail; readonly xName: string },
): string | null {
  const losses = lossesOf(scenarios, holdings);
  const low = losses.reduce((a, b) => Math.min(a, b), Infinity);
  const high = losses.reduce((a, b) => Math.max(a, b), -Infinity);
  const count = Math.min(MOST_BINS, Math.ceil(2 * Math.sqrt(losses.length)));
  const width = (high - low) / count;
  if (!(width > 0)) return null;
  const bins = new Array<number>(count).fill(0);
  for (const [s, loss] of losses.entries()) {
    bins[Math.min(count - 1, Math.floor((loss - low) / width))] += 100 * (probabilities?.[s] ?? 1 / losses.length);
  }
  const points: Point[] = bins.map((share, k) => [low + (k + 0.5) * width, share]);
  return lineChart({
    title: 'Losses over the scenarios',
    xName,
    yName: 'probability (percent)',
    series: [{ name: 'losses', points, width, isColumns: true }, ...upright(tail, Math.max(...bins))],
  });
}

/** The same of a normal distribution. */
export function normalLossPicture(mean: number, deviation: number, tail: Tail): string | null {
  if (!(deviation > 0)) return null;
  const points = Array.from({ length: 81 }, (_, k): Point => {
    const z = (k - 40) / 10;
    return [mean + z * deviation, exp((-z * z) / 2) / (deviation * Math.sqrt(2 * Math.PI))];
  });
  return lineChart({
    title: 'Losses of a period, normal',
    xName: 'loss (share of the portfolio, negative: gain)',
    yName: 'probability density',
    series: [{ name: 'losses', points }, ...upright(tail, 0.4 / deviation)],
  });
}

const upright = ({ var: quantile, cvar }: Tail, height: number): Series[] =>
  [['VaR', quantile] as const, ['CVaR', cvar] as const].map(([name, at]) => ({
    name,
    points: [
      [at, 0],
      [at, height],
    ],
    isDashed: true,
  }));
