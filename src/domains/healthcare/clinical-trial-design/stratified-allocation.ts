/**
 * How a sample is shared among strata so that the estimated mean is most precise.
 * Sources: Neyman 1934; Cochran, Sampling Techniques (1977), section 5.5; integers by marginal gains, Wright 2012.
 *
 * Symbols: N_h size, S_h standard deviation, c_h cost of a unit, W_h = N_h / N.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import { barChart } from '../../charts/bar-chart.js';
import { count, numbers } from '../../fields.js';
import { Infeasible, model } from '../../problem-type.js';
import { DECISION_SUPPORT } from '../decision-support.js';

export const MOST_STRATA = 1_000;
/** Rows of a picture. */
const MOST_DRAWN = 60;
const LARGEST_POPULATION = 1e9;

interface Config {
  readonly total_n: number;
  readonly strata_sizes: readonly number[];
  readonly strata_sd: readonly number[];
  readonly strata_costs?: readonly number[] | undefined;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const costsOf = ({ strata_sizes, strata_costs }: Config): readonly number[] =>
  strata_costs ?? strata_sizes.map(() => 1);

/** W_h S_h. */
const spreads = ({ strata_sizes, strata_sd }: Config): number[] => {
  const population = sum(strata_sizes);
  return strata_sizes.map((size, h) => (size / population) * strata_sd[h]);
};

/** Variance of the estimated mean, without finite-population correction; strata that do not vary add nothing. */
const variance = (config: Config, n: readonly number[]): number =>
  sum(spreads(config).map((spread, h) => (spread === 0 ? 0 : spread ** 2 / n[h])));

/** Amount that the correction takes off, whatever the allocation. */
const correction = (config: Config): number =>
  sum(spreads(config).map((spread, h) => spread ** 2 / config.strata_sizes[h]));

/** n_h in proportion to W_h S_h / sqrt(c_h), none above N_h: what a full stratum cannot take goes to the others. */
function exactAllocation(config: Config): number[] {
  const { total_n, strata_sizes } = config;
  const costs = costsOf(config);
  const weights = spreads(config).map((spread, h) => spread / Math.sqrt(costs[h]));
  const isFull = strata_sizes.map(() => false);
  for (;;) {
    const left = total_n - sum(strata_sizes.filter((_, h) => isFull[h]));
    const weight = sum(weights.filter((_, h) => !isFull[h]));
    // Only strata that do not vary are left: evenly by size.
    const room = sum(strata_sizes.filter((_, h) => !isFull[h]));
    const share = (h: number): number =>
      weight > 0 ? (left * weights[h]) / weight : room > 0 ? (left * strata_sizes[h]) / room : 0;
    const n = strata_sizes.map((size, h) => (isFull[h] ? size : share(h)));
    const over = n.flatMap((own, h) => (!isFull[h] && own > strata_sizes[h] ? [h] : []));
    if (over.length === 0) return n;
    for (const h of over) isFull[h] = true;
  }
}

/**
 * Integers of the same total with the least sum of gain_h / n_h, gain_h = (W_h S_h)^2 / c_h, and 1 <= n_h <= N_h. One
 * more unit gains gain / (n (n + 1)), which falls: taking the largest gains first is optimal. A threshold on the gain
 * does most of it at once.
 */
function integerAllocation(config: Config): number[] {
  const { total_n, strata_sizes } = config;
  const costs = costsOf(config);
  const gains = spreads(config).map((spread, h) => spread ** 2 / costs[h]);
  const above = (threshold: number): number[] =>
    gains.map((gain, h) => {
      const most = Math.floor((1 + Math.sqrt(1 + (4 * gain) / threshold)) / 2);
      return Math.min(strata_sizes[h], Math.max(1, most));
    });
  // Every gain is below the high one; that of a stratum's last unit is above the low one.
  let high = Math.max(...gains);
  let low = Math.min(...gains.filter((gain) => gain > 0)) / LARGEST_POPULATION ** 2;
  for (let step = 0; step < 200 && high / low > 1 + 1e-12; step++) {
    const middle = Math.sqrt(high) * Math.sqrt(low);
    if (sum(above(middle)) > total_n) low = middle;
    else high = middle;
  }
  const n = above(high);
  let left = total_n - sum(n);
  while (left > 0) {
    let best = -1;
    let most = 0;
    for (const [h, gain] of gains.entries()) {
      const own = gain / (n[h] * (n[h] + 1));
      if (n[h] < strata_sizes[h] && own > most) [best, most] = [h, own];
    }
    if (best < 0) break;
    n[best]++;
    left--;
  }
  // Strata that do not vary take what the others have no room for.
  for (const [h, size] of strata_sizes.entries()) {
    const more = Math.min(left, size - n[h]);
    n[h] += more;
    left -= more;
  }
  return n;
}

/** No allocation that costs as much has a smaller variance (Cauchy and Schwarz). */
const costBound = (config: Config, n: readonly number[]): number => {
  const costs = costsOf(config);
  const cost = sum(n.map((own, h) => own * costs[h]));
  return sum(spreads(config).map((spread, h) => spread * Math.sqrt(costs[h]))) ** 2 / cost;
};

const hasEqualCosts = (config: Config): boolean => new Set(costsOf(config)).size === 1;

/** Allocation in proportion to the sizes, as it would be done without knowing the deviations. */
const proportional = ({ total_n, strata_sizes }: Config): number[] => {
  const population = sum(strata_sizes);
  return strata_sizes.map((size) => (total_n * size) / population);
};

export const stratifiedAllocation = model({
  name: 'stratified_allocation',
  summary: 'Neyman allocation: how a sample is shared among strata.',
  fields: z.strictObject({
    total_n: count('Units to sample in all', 1, LARGEST_POPULATION),
    strata_sizes: numbers('Units in each stratum', {
      least: 1,
      most: MOST_STRATA,
      minimum: 1,
      maximum: LARGEST_POPULATION,
    }),
    strata_sd: numbers('Standard deviation within each stratum', {
      least: 1,
      most: MOST_STRATA,
      minimum: 0,
      maximum: 1e100,
    }),
    strata_costs: numbers('Cost of a unit of each stratum. Absent: equal', {
      ...{ least: 1, most: MOST_STRATA, minimum: 1e-9, maximum: 1e9 },
    }).optional(),
  }),
  example: { model: 'stratified_allocation', total_n: 200, strata_sizes: [500, 300, 200], strata_sd: [10, 20, 40] },

  check({ total_n, strata_sizes, strata_sd, strata_costs }, complain) {
    const strata = strata_sizes.length;
    if (strata_sd.length !== strata) {
      return complain(['strata_sd'], `\`{field}\` has ${strata_sd.length} entries, but there are ${strata} strata.`);
    }
    if (strata_costs !== undefined && strata_costs.length !== strata) {
      return complain(
        ['strata_costs'],
        `\`{field}\` has ${strata_costs.length} entries, but there are ${strata} strata.`,
      );
    }
    const broken = strata_sizes.findIndex((size) => !Number.isInteger(size));
    if (broken >= 0)
      return complain(['strata_sizes', broken], `\`{field}\` = ${strata_sizes[broken]} must be a whole number.`);
    if (strata_sd.every((deviation) => deviation < 1e-100)) {
      return complain(
        ['strata_sd'],
        '`{field}` must have an entry above 0: without any variation there is nothing to allocate.',
      );
    }
    const least = strata_sd.findIndex((deviation) => deviation > 0 && deviation < 1e-100);
    if (least >= 0) return complain(['strata_sd', least], '`{field}` must be 0 or at least 1e-100.');
    if (total_n < strata)
      complain(['total_n'], `\`{field}\` = ${total_n} must be at least ${strata}: one for each stratum.`);
  },

  sense: () => 'minimize',

  solve(config) {
    const { total_n, strata_sizes } = config;
    const population = sum(strata_sizes);
    if (total_n > population) {
      throw new Infeasible(`The strata have ${population} units in all: ${total_n} cannot be sampled.`, [
        'total_n',
        'strata_sizes',
      ]);
    }
    const exact = exactAllocation(config);
    const n = integerAllocation(config);
    const costs = costsOf(config);
    const reached = variance(config, n);
    const isEqual = hasEqualCosts(config);
    const full = exact.flatMap((own, h) => (own === strata_sizes[h] && total_n < population ? [h + 1] : []));
    const exactVariance = variance(config, exact);
    return {
      method: 'closed_form',
      reason: 'the variance is least where every stratum gets its share of size times deviation',
      bestSolution: n,
      bestFitness: reached,
      decisionVariables: n.map((_, h) => `n_${h + 1}`),
      result: {
        n,
        n_exact: exact,
        variance_of_mean: exactVariance,
        variance_of_mean_integers: reached,
        standard_error: Math.sqrt(reached),
        variance_of_mean_finite_population: Math.max(0, reached - correction(config)),
        total_cost: sum(n.map((own, h) => own * costs[h])),
        variance_if_proportional: variance(config, proportional(config)),
        design_effect: reached / variance(config, proportional(config)),
      },
      optimality: isEqual
        ? { status: 'optimal', bound: reached, proof: 'closed_form' }
        : { status: 'feasible', bound: Math.min(reached, costBound(config, n)), proof: null },
      evaluations: 1,
      constraints: [
        { name: 'total_n', value: sum(n), limit: total_n, slack: 0, binding: true },
        ...full.map((h) => ({
          ...{ name: `strata_sizes[${h - 1}]`, value: n[h - 1], limit: strata_sizes[h - 1] },
          ...{ slack: strata_sizes[h - 1] - n[h - 1], binding: n[h - 1] === strata_sizes[h - 1] },
        })),
      ],
      warnings: [
        DECISION_SUPPORT,
        ...(full.length === 0
          ? []
          : [
              {
                code: 'full_strata',
                field: 'config.strata_sizes',
                message: `Strata ${full.slice(0, 10).join(', ')} are sampled completely; the others take what they had no room for.`,
              },
            ]),
      ],
      assumptions: [
        {
          code: 'no_finite_population_correction',
          message:
            'variance_of_mean leaves out the finite-population correction, which is the same for every allocation.',
        },
        ...(config.strata_costs === undefined
          ? [
              {
                code: 'default_assumed',
                field: 'config.strata_costs',
                message: 'A unit costs the same in every stratum.',
              },
            ]
          : [
              {
                code: 'cost_weighting',
                field: 'config.strata_costs',
                message: 'Shares are those with the least variance for their cost; a total cost was not asked for.',
              },
            ]),
      ],
    };
  },

  verify(config, { bestSolution: n, bestFitness, result }) {
    const { total_n, strata_sizes } = config;
    if (!n.every((own, h) => Number.isInteger(own) && own >= 1 && own <= strata_sizes[h]))
      return 'a stratum has an impossible share';
    if (sum(n) !== total_n) return `the shares add up to ${sum(n)}`;
    if (!(Math.abs(variance(config, n) - bestFitness) <= 1e-12 * bestFitness))
      return `the variance is ${variance(config, n)}`;
    const exact = result['n_exact'] as number[];
    if (!(Math.abs(sum(exact) - total_n) <= 1e-9 * total_n)) return `the exact shares add up to ${sum(exact)}`;
    // What moving one unit between two strata would change; most gain by one more, least loss by one less.
    const costs = costsOf(config);
    const gains = spreads(config).map((spread, h) => spread ** 2 / costs[h]);
    const more = Math.max(...n.map((own, h) => (own < strata_sizes[h] ? gains[h] / (own * (own + 1)) : 0)));
    const less = Math.min(...n.map((own, h) => (own > 1 ? gains[h] / (own * (own - 1)) : Infinity)));
    return more <= less * (1 + 1e-9) ? null : 'moving a unit to another stratum would gain';
  },

  explain(config, { bestSolution: n, bestFitness, result }) {
    const largest = n.indexOf(Math.max(...n));
    const proportion = Number(result['variance_if_proportional']);
    return [
      say(
        1,
        'result',
        'Of {total:unit|units} the strata get ' + listed(n) + '; the mean then has the standard error {error}.',
        {
          total: config.total_n,
          error: Math.sqrt(bestFitness),
          ...Object.fromEntries(n.slice(0, SHOWN).map((own, h) => [`n${h}`, own])),
        },
      ),
      say(
        2,
        'choice',
        'Stratum {stratum} gets most: a stratum counts by its size times its deviation, over the root of its cost.',
        {
          stratum: largest + 1,
        },
      ),
      say(4, 'sensitivity', 'Sharing in proportion to the sizes would make the variance {factor} times as large.', {
        factor: proportion / bestFitness,
      }),
    ];
  },

  pictures: {
    allocation: (config, { bestSolution: n }) => {
      const drawn = n.slice(0, MOST_DRAWN);
      return barChart({
        title: `Units sampled from ${drawn.length < n.length ? `the first ${MOST_DRAWN} strata` : 'each stratum'}`,
        xName: 'units',
        names: drawn.map((_, h) => `stratum ${h + 1}`),
        series: [
          { name: 'this allocation', values: drawn },
          { name: 'in proportion to the sizes', values: proportional(config).slice(0, MOST_DRAWN) },
        ],
      });
    },
  },
});

const SHOWN = 8;

/** Placeholders of the first shares. */
const listed = (n: readonly number[]): string => {
  const names = n.slice(0, SHOWN).map((_, h) => `{n${h}}`);
  return n.length > SHOWN ? `${names.join(', ')} and so on` : names.join(', ');
};
