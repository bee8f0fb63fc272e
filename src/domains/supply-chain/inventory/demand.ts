/** Uncertain demand as configs describe it, and the distributions that follow from it. */
import { z } from 'zod';
import {
  latticeDistribution,
  latticeSum,
  lognormalDistribution,
  normalDistribution,
  onLattice,
  poissonDistribution,
  poissonLattice,
  tableDistribution,
  uniformDistribution,
  type Distribution,
  type Lattice,
} from '../../solvers/distributions/distribution.js';
import { number, numbers, type Complain } from '../../fields.js';
import type { Remark } from '../../../model/problem.js';
import { amount, positive, MOST } from './costs.js';

const MAX_DEMAND_VALUES = 10_000;
/** Beyond that the demand of single units is not worth counting: send a normal distribution. */
export const MAX_POISSON_MEAN = 100_000;
const MAX_LOG = 25;

const FORMS = {
  normal: z.strictObject({
    distribution: z.literal('normal'),
    mean: positive('Expected demand in one time unit'),
    sd: amount('Standard deviation of the demand in one time unit'),
  }),
  poisson: z.strictObject({
    distribution: z.literal('poisson'),
    mean: positive('Expected demand in one time unit; at most 100000').max(MAX_POISSON_MEAN),
  }),
  lognormal: z.strictObject({
    distribution: z.literal('lognormal'),
    mu: number('Mean of the logarithm of the demand').min(-MAX_LOG).max(MAX_LOG),
    sigma: positive('Standard deviation of the logarithm of the demand').max(3),
  }),
  uniform: z.strictObject({
    distribution: z.literal('uniform'),
    low: amount('Least demand'),
    high: positive('Greatest demand'),
  }),
  discrete: z.strictObject({
    distribution: z.literal('discrete'),
    values: numbers('Demands that occur', { most: MAX_DEMAND_VALUES, minimum: 0, maximum: MOST }),
    probabilities: numbers('Of each value, adding up to 1', { most: MAX_DEMAND_VALUES, minimum: 0, maximum: 1 }),
  }),
  empirical: z.strictObject({
    distribution: z.literal('empirical'),
    values: numbers('Demands that were observed; each counts alike', {
      most: MAX_DEMAND_VALUES,
      minimum: 0,
      maximum: MOST,
    }),
  }),
};

type Form = keyof typeof FORMS;
export type Demand = { [F in Form]: z.output<(typeof FORMS)[F]> }[Form];
export type DemandOf<F extends Form> = Extract<Demand, { readonly distribution: F }>;

/** The field `demand`, in the forms that a model takes. */
export function demandField<const F extends Form>(forms: readonly [F, ...F[]]) {
  const options = forms.map((form) => FORMS[form]) as unknown as [(typeof FORMS)[F], ...(typeof FORMS)[F][]];
  return z
    .discriminatedUnion('distribution', options as never)
    .describe(`Demand in one time unit: ${forms.join(', ')}`) as unknown as z.ZodType<DemandOf<F>>;
}

/** Complains about the first contradiction; true where there is none. */
export function checkDemand(demand: Demand, complain: Complain): boolean {
  if (demand.distribution === 'normal' && demand.sd > 100 * demand.mean) {
    complain(['demand', 'sd'], '`{field}` must be at most 100 times `config.demand.mean`.');
    return false;
  }
  if (demand.distribution === 'uniform' && demand.low >= demand.high) {
    complain(['demand', 'high'], `\`{field}\` must be above \`config.demand.low\` = ${demand.low}.`);
    return false;
  }
  if (demand.distribution === 'discrete') {
    const { values, probabilities } = demand;
    if (values.length !== probabilities.length) {
      complain(['demand', 'probabilities'], `\`{field}\` must have one number for each of ${values.length} values.`);
      return false;
    }
    const total = probabilities.reduce((sum, chance) => sum + chance, 0);
    if (Math.abs(total - 1) > 1e-6) {
      complain(['demand', 'probabilities'], `\`{field}\` must add up to 1, not ${total}.`);
      return false;
    }
  }
  if (demand.distribution === 'discrete' || demand.distribution === 'empirical') {
    if (distributionOf(demand).mean > 0) return true;
    complain(['demand', 'values'], '`{field}` must have a demand above 0 that can occur.');
    return false;
  }
  return true;
}

/** Distribution of the demand in one time unit. */
export function distributionOf(demand: Demand): Distribution {
  switch (demand.distribution) {
    case 'normal':
      return normalDistribution(demand.mean, demand.sd);
    case 'poisson':
      return poissonDistribution(demand.mean);
    case 'lognormal':
      return lognormalDistribution(demand.mu, demand.sigma);
    case 'uniform':
      return uniformDistribution(demand.low, demand.high);
    case 'discrete':
      return tableDistribution(demand.values, demand.probabilities);
    case 'empirical':
      return tableDistribution(
        demand.values,
        demand.values.map(() => 1),
      );
  }
}

/** Whether a sum over `duration` time units has a distribution that is known whatever the duration is. */
export const addsUp = ({ distribution }: Demand): boolean => distribution === 'normal' || distribution === 'poisson';

/** Points of a grid on which sums are formed: for one standard deviation of the sum, and altogether. */
const POINTS_PER_DEVIATION = 200;
const MOST_POINTS = 4_000;
/** Whole demands up to this size are added up as they are. */
const MOST_WHOLE = 8_000;
const MOST_RANGE = 200_000;
/** The chance of values beyond the grid. */
const BEYOND = 1e-8;

export interface DemandSum {
  readonly total: Distribution;
  /** Null: exact. Else the distance of the grid's points. */
  readonly step: number | null;
}

/** Demand over a duration, which is a whole number unless `addsUp`. Demands of different time units are independent. */
export function demandOver(demand: Demand, duration: number, look: () => void): DemandSum {
  if (demand.distribution === 'normal') {
    return { total: normalDistribution(demand.mean * duration, demand.sd * Math.sqrt(duration)), step: null };
  }
  if (demand.distribution === 'poisson') return { total: poissonDistribution(demand.mean * duration), step: null };
  const one = distributionOf(demand);
  if (duration === 1) return { total: one, step: null };
  if (demand.distribution === 'discrete' || demand.distribution === 'empirical') {
    const whole = wholeLattice(demand);
    if (whole !== null && whole.chances.length * Math.sqrt(duration) <= MOST_WHOLE) {
      return { total: latticeDistribution(latticeSum(whole, duration, look), 1), step: null };
    }
  }
  const [lowest, highest] = [one.quantile(BEYOND), one.quantile(1 - BEYOND)];
  const fine = (one.sd * Math.sqrt(duration)) / POINTS_PER_DEVIATION;
  if (!(fine > 0)) return { total: tableDistribution([one.mean * duration], [1]), step: null };
  const step = Math.max(fine, (highest - lowest) / MOST_POINTS);
  const sum = latticeSum(onLattice(one, step, lowest, highest), duration, look);
  return { total: latticeDistribution(sum, step), step };
}

/** Chances of whole demands; null where one is none. */
export function wholeLattice(demand: DemandOf<'poisson' | 'discrete' | 'empirical'>): Lattice | null {
  if (demand.distribution === 'poisson') return poissonLattice(demand.mean);
  const { values } = demand;
  if (!values.every(Number.isSafeInteger)) return null;
  const weights = demand.distribution === 'discrete' ? demand.probabilities : values.map(() => 1 / values.length);
  const occurring = values.filter((_, i) => weights[i] > 0);
  const first = occurring.reduce((a, b) => Math.min(a, b), Infinity);
  const last = occurring.reduce((a, b) => Math.max(a, b), -Infinity);
  if (last - first > MOST_RANGE) return null;
  const chances = new Float64Array(last - first + 1);
  values.forEach((value, i) => {
    if (weights[i] > 0) chances[value - first] += weights[i];
  });
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  return { first, chances: chances.map((chance) => chance / total) };
}

/** Remarks on what a distribution leaves open, for `assumptions` and `warnings`. */
export function remarksOn(demand: Demand): Remark[] {
  if (demand.distribution !== 'normal') return [];
  const chance = distributionOf(demand).cdf(0);
  if (!(chance > 0.001)) return [];
  const message = `A normal demand of this mean and deviation is negative with probability ${Number(chance.toPrecision(2))}: another distribution may fit better.`;
  return [{ code: 'negative_demand', field: 'config.demand.sd', message }];
}
