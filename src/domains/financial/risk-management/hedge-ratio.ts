/**
 * Futures against an exposure, so that what is left varies least: ratio = correlation x spot volatility / futures
 * volatility.
 * Source: Hull, Options, Futures and Other Derivatives, chapter 3.
 */
import { z } from 'zod';
import { say } from '../../../explanation/say.js';
import type { Remark } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { number, numbers, positive } from '../../fields.js';
import { model } from '../../problem-type.js';

const MOST_PERIODS = 20_000;
const LARGEST = 1e6;

const volatility = (of: string) =>
  z
    .number()
    .min(1e-9)
    .max(LARGEST)
    .describe(`Standard deviation of changes of the ${of} price, in one period`)
    .optional();
const series = (of: string) =>
  numbers(`Changes of the ${of} price, oldest first, instead of volatilities and correlation`, {
    least: 3,
    most: MOST_PERIODS,
    minimum: -LARGEST,
    maximum: LARGEST,
  }).optional();

const fields = z.strictObject({
  spot_volatility: volatility('spot'),
  futures_volatility: volatility('futures'),
  correlation: number('Correlation of the two changes, from -1 to 1').min(-1).max(1).optional(),
  spot_returns: series('spot'),
  futures_returns: series('futures'),
  exposure_units: number('Units that are held (or owed: below 0)').min(-1e12).max(1e12),
  contract_size: positive('Units of one futures contract').min(1e-6).max(1e12).default(1),
});

type Config = z.output<typeof fields>;

interface Moments {
  readonly spot: number;
  readonly futures: number;
  readonly correlation: number;
}

function momentsOf(config: Config): Moments {
  const { spot_returns, futures_returns, spot_volatility = 0, futures_volatility = 1, correlation = 0 } = config;
  if (spot_returns === undefined || futures_returns === undefined) {
    return { spot: spot_volatility, futures: futures_volatility, correlation };
  }
  const n = spot_returns.length;
  const centred = (values: readonly number[]): number[] => {
    const mean = values.reduce((sum, value) => sum + value, 0) / n;
    return values.map((value) => value - mean);
  };
  const [s, f] = [centred(spot_returns), centred(futures_returns)];
  const product = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, t) => sum + value * b[t], 0) / (n - 1);
  const spot = Math.sqrt(product(s, s));
  const futures = Math.sqrt(product(f, f));
  return { spot, futures, correlation: Math.max(-1, Math.min(1, product(s, f) / (spot * futures))) };
}

/** Standard deviation of the position with so many contracts sold against it. */
function deviationWith(config: Config, contracts: number): number {
  const { spot, futures, correlation } = momentsOf(config);
  const held = config.exposure_units * spot;
  const sold = contracts * config.contract_size * futures;
  // As a sum of squares, which no rounding makes negative.
  const shared = held - correlation * sold;
  return Math.sqrt(shared * shared + (1 - correlation * correlation) * sold * sold);
}

const ratioOf = ({ spot, futures, correlation }: Moments): number => (correlation * spot) / futures;

interface Result {
  readonly hedge_ratio: number;
  readonly contracts: number;
  readonly exact_contracts: number;
  readonly hedge_effectiveness: number;
  readonly effectiveness_with_contracts: number;
  readonly unhedged_deviation: number;
  readonly hedged_deviation: number;
}

export const hedgeRatio = model({
  name: 'hedge_ratio',
  summary: 'How many futures contracts leave the least variation of an exposure.',
  fields,
  example: {
    model: 'hedge_ratio',
    spot_volatility: 0.0263,
    futures_volatility: 0.0313,
    correlation: 0.928,
    exposure_units: 2000000,
    contract_size: 42000,
  },

  check(config, complain) {
    const { spot_returns, futures_returns } = config;
    const moments = ['spot_volatility', 'futures_volatility', 'correlation'] as const;
    const hasSeries = spot_returns !== undefined || futures_returns !== undefined;
    if (hasSeries) {
      for (const name of ['spot_returns', 'futures_returns'] as const) {
        if (config[name] === undefined) return complain([name], '`{field}` is required beside the other series.');
      }
      for (const name of moments) {
        if (config[name] !== undefined)
          return complain([name], '`{field}` is estimated from the series: leave it out.');
      }
      if (spot_returns?.length !== futures_returns?.length) {
        const expected = `${spot_returns?.length} numbers, as \`config.spot_returns\` has`;
        return complain(['futures_returns'], `\`{field}\` must have ${expected}, not ${futures_returns?.length}.`);
      }
      for (const name of ['spot_returns', 'futures_returns'] as const) {
        const values = config[name] ?? [];
        if (values.every((value) => value === values[0])) {
          return complain([name], '`{field}` never changes: a series without variation has no correlation.');
        }
      }
      const { spot, futures } = momentsOf(config);
      if (!(spot > 0)) return complain(['spot_returns'], '`{field}` varies by rounding only.');
      if (!(futures > 0)) complain(['futures_returns'], '`{field}` varies by rounding only.');
      return;
    }
    for (const name of moments) {
      if (config[name] === undefined) {
        return complain([name], '`{field}` is required (or `spot_returns` with `futures_returns`).');
      }
    }
  },

  sense: () => 'minimize',

  solve(config, context) {
    context.look();
    const { exposure_units, contract_size } = config;
    const moments = momentsOf(config);
    const ratio = ratioOf(moments);
    const exact = (ratio * exposure_units) / contract_size;
    // The variance is a parabola in the contracts: the nearest whole number is the best one.
    const contracts = Math.round(exact) + 0;
    const unhedged = deviationWith(config, 0);
    const hedged = deviationWith(config, contracts);
    const result: Result = {
      hedge_ratio: ratio + 0,
      contracts,
      exact_contracts: exact + 0,
      hedge_effectiveness: moments.correlation * moments.correlation,
      effectiveness_with_contracts: unhedged > 0 ? 1 - (hedged / unhedged) ** 2 : 0,
      unhedged_deviation: unhedged,
      hedged_deviation: hedged,
    };
    return {
      method: 'closed_form',
      reason: 'the variance is a parabola in the number of contracts, so the nearest whole number is the best one',
      bestSolution: [contracts],
      bestFitness: hedged,
      decisionVariables: ['contracts sold'],
      result: { ...result, action: contracts > 0 ? 'sell' : contracts < 0 ? 'buy' : 'none' },
      optimality: { status: 'optimal', bound: hedged, proof: 'closed_form' },
      evaluations: 1,
      assumptions: assumptionsOf(config),
    };
  },

  verify(config, { bestSolution: [contracts], bestFitness }) {
    if (!Number.isInteger(contracts)) return `${contracts} contracts`;
    // Not by the formula of the ratio: a contract more or less is no better.
    const own = deviationWith(config, contracts);
    if (Math.abs(own - bestFitness) > 1e-9 * own) return `a deviation of ${own}`;
    for (const other of [contracts - 1, contracts + 1]) {
      if (deviationWith(config, other) < own * (1 - 1e-12)) return `${other} contracts leave less`;
    }
    return null;
  },

  explain(_config, { result }) {
    const known = result as unknown as Result;
    const { contracts, hedge_ratio, hedge_effectiveness, hedged_deviation, unhedged_deviation } = known;
    const verb = contracts > 0 ? 'Sell' : 'Buy';
    return [
      contracts === 0
        ? say(1, 'result', 'Trade no contract: a whole one would add to the risk.', {})
        : say(1, 'result', `${verb} {contracts:contract|contracts}: the ratio of the hedge is {ratio}.`, {
            contracts: Math.abs(contracts),
            ratio: hedge_ratio,
          }),
      say(
        1,
        'result',
        'The standard deviation falls from {before} to {after}, in units of the exposure times price changes.',
        {
          before: unhedged_deviation,
          after: hedged_deviation,
        },
      ),
      say(
        2,
        'choice',
        'The ratio is the correlation times the spot volatility over the futures volatility: the slope of a regression.',
        {},
      ),
      say(3, 'assumption', 'Past volatilities and correlation are taken to hold over the life of the hedge.', {}),
      say(
        4,
        'sensitivity',
        'The best hedge takes away {share} percent of the variance; whole contracts take {whole}.',
        {
          share: 100 * hedge_effectiveness,
          whole: 100 * known.effectiveness_with_contracts,
        },
      ),
    ];
  },

  pictures: {
    deviation_by_contracts: (config, { bestSolution: [contracts], bestFitness }) => {
      const { exact_contracts: exact } = figures(config);
      const reach = Math.max(2, 1.5 * Math.abs(exact));
      const points = Array.from({ length: 81 }, (_, k): readonly [number, number] => {
        const at = exact + ((k - 40) / 40) * reach;
        return [at, deviationWith(config, at)];
      });
      return lineChart({
        title: 'What is left of the risk',
        xName: 'contracts sold (negative: bought)',
        yName: 'standard deviation (units of the exposure times price change)',
        series: [{ name: 'standard deviation', points }],
        marks: [{ at: [contracts, bestFitness], name: 'best' }],
      });
    },
  },
});

const figures = (config: Config): { readonly exact_contracts: number } => ({
  exact_contracts: (ratioOf(momentsOf(config)) * config.exposure_units) / config.contract_size,
});

function assumptionsOf({ contract_size, spot_returns }: Config): Remark[] {
  const remarks: Remark[] = [];
  if (contract_size === 1) {
    const message = 'A contract covers one unit of the exposure.';
    remarks.push({ code: 'contract_size', field: 'config.contract_size', message });
  }
  if (spot_returns !== undefined) {
    const message = `Volatilities and correlation are those of ${spot_returns.length} periods, each weighing the same.`;
    remarks.push({ code: 'estimated', field: 'config.spot_returns', message });
  }
  return remarks;
}
