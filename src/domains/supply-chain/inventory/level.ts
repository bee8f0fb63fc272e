/**
 * Common part of newsvendor and base stock: one level against uncertain demand, where each unit too many and each unit
 * too few has its cost. The best level is the quantile of the demand at the critical ratio.
 * Source: Arrow, Harris and Marschak 1951; Snyder and Shen (2019), sections 4.3 and 4.4.
 */
import type { Complain } from '../../fields.js';
import { leftover, type Distribution } from '../../solvers/distributions/distribution.js';
import { amount, positive, sensitivityTo, TOO_HIGH } from './costs.js';
import { demandField } from './demand.js';

export const LEVEL_FIELDS = {
  demand: demandField(['normal', 'poisson', 'lognormal', 'uniform', 'discrete', 'empirical']),
  holding_cost: positive('Cost of a unit that is left over. Or `price` and `unit_cost`').optional(),
  stockout_cost: positive('Cost of a unit that is missing. Or `price` and `unit_cost`').optional(),
  price: positive('What a sold unit brings').optional(),
  unit_cost: amount('What a unit costs').optional(),
  salvage_value: amount('What a unit that is left over brings, with `price`. Default: 0').optional(),
};

interface LevelCosts {
  readonly holding_cost?: number | undefined;
  readonly stockout_cost?: number | undefined;
  readonly price?: number | undefined;
  readonly unit_cost?: number | undefined;
  readonly salvage_value?: number | undefined;
}

/** Cost of each unit too many and too few. */
interface Mismatch {
  readonly over: number;
  readonly under: number;
}

export function mismatchOf({
  holding_cost = NaN,
  stockout_cost = NaN,
  price,
  unit_cost = NaN,
  salvage_value = 0,
}: LevelCosts): Mismatch {
  if (price === undefined) return { over: holding_cost, under: stockout_cost };
  return { over: unit_cost - salvage_value, under: price - unit_cost };
}

export const criticalRatio = ({ over, under }: Mismatch): number => under / (under + over);

/** Complains unless one of both ways to name the costs is there, whole; true where it is. */
export function checkLevelCosts(config: LevelCosts, complain: Complain): boolean {
  const { price, unit_cost, salvage_value = 0 } = config;
  const ways = [
    ['price', 'unit_cost'],
    ['holding_cost', 'stockout_cost'],
  ] as const;
  const isPriced = price !== undefined || (unit_cost !== undefined && config.holding_cost === undefined);
  const [own, other] = isPriced ? ways : ([ways[1], [...ways[0], 'salvage_value']] as const);
  const foreign = other.find((field) => config[field] !== undefined);
  const missing = own.find((field) => config[field] === undefined);
  if (missing !== undefined) {
    complain(
      [missing],
      `\`{field}\` is required: send \`${own.join('` and `')}\`, or \`${other[0]}\` and \`${other[1]}\`.`,
    );
  } else if (foreign !== undefined) {
    complain([foreign], `\`{field}\` does not go with \`config.${own[0]}\`: send \`${own.join('` and `')}\` alone.`);
  } else if (price !== undefined && unit_cost !== undefined && price <= unit_cost) {
    complain(['price'], `\`{field}\` must be above \`config.unit_cost\` = ${unit_cost}, or nothing is worth ordering.`);
  } else if (unit_cost !== undefined && price !== undefined && salvage_value >= unit_cost) {
    complain(
      ['salvage_value'],
      `\`{field}\` must be below \`config.unit_cost\` = ${unit_cost}: nothing would be risked.`,
    );
  } else return true;
  return false;
}

interface LevelOutcome {
  readonly cost: number;
  readonly over: number;
  readonly under: number;
  readonly left: number;
  readonly short: number;
}

export function outcomeOf(demand: Distribution, costs: Mismatch, level: number): LevelOutcome {
  const [left, short] = [leftover(demand, level), demand.shortage(level)];
  const [over, under] = [costs.over * left, costs.under * short];
  return { cost: over + under, over, under, left, short };
}

/** Cycle service level: the chance that nothing is missing. Fill rate: the share of the demand that is not missing. */
export const serviceOf = (demand: Distribution, level: number): { cycle: number; fill_rate: number } => ({
  cycle: demand.cdf(level),
  fill_rate: Math.min(1, Math.max(0, 1 - demand.shortage(level) / demand.mean)),
});

export function levelSensitivity(
  config: LevelCosts,
  demand: Distribution,
  least: number,
): Record<string, number | null> {
  const inputs = (['holding_cost', 'stockout_cost', 'price', 'unit_cost', 'salvage_value'] as const).filter(
    (input) => (config[input] ?? 0) > 0,
  );
  const costs = inputs.map((input) => [input, { ...config, [input]: (config[input] ?? 0) * TOO_HIGH }] as const);
  const levelFor = (one: LevelCosts): number => {
    const ratio = criticalRatio(mismatchOf(one));
    return ratio > 0 && ratio < 1 ? Math.max(least, demand.quantile(ratio)) : NaN;
  };
  const cost = (truth: LevelCosts, level: number): number => outcomeOf(demand, mismatchOf(truth), level).cost;
  const byCosts = sensitivityTo(config, Object.fromEntries(costs), levelFor, cost);
  // Where all demands are taken to be a tenth higher, so is the level.
  const level = levelFor(config);
  const excess = cost(config, level * TOO_HIGH) / cost(config, level) - 1;
  return { demand: Number.isFinite(excess) ? Math.max(0, excess) : null, ...byCosts };
}

/** Null, or why a level is not the best: the cost is convex, so that neighbours tell. */
export function levelComplaint(demand: Distribution, costs: Mismatch, level: number, least: number): string | null {
  const { cost } = outcomeOf(demand, costs, level);
  const step = Math.max(demand.sd * 1e-3, Math.abs(level) * 1e-9);
  for (const other of [level - step, level + step]) {
    if (other < least || step === 0) continue;
    if (outcomeOf(demand, costs, other).cost < cost * (1 - 1e-9) - 1e-12 * (costs.over + costs.under) * demand.sd) {
      return `the level ${other} costs less`;
    }
  }
  return null;
}
