/** Weights whose shares of the variance are given. */
import { z } from 'zod';
import { join, quote, say, type Clause } from '../../../explanation/say.js';
import type { Remark } from '../../../model/problem.js';
import { barChart } from '../../charts/bar-chart.js';
import { matrix, numbers } from '../../fields.js';
import { model } from '../../problem-type.js';
import { checkSymmetric, correlationAt, correlationField, semidefinite, symmetric } from '../covariance.js';
import { riskParity, riskSharesOf } from '../risk-parity.js';
import { checkNames, namesOf } from './holdings.js';
import { MOST_HOLDINGS } from './scenarios.js';

/** Relative error of a share of the risk. */
const EXACT = 1e-7;

const fields = z.strictObject({
  assets: namesOf('Names of the assets. Absent: their places, from "1"').optional(),
  volatilities: numbers('Standard deviation of the return of each asset, as a decimal', {
    most: MOST_HOLDINGS,
    minimum: 1e-9,
    maximum: 1e6,
  }).optional(),
  correlation: correlationField(MOST_HOLDINGS).optional(),
  covariance: matrix(
    'Covariance of returns, instead of volatilities and correlation',
    { most: MOST_HOLDINGS },
    { most: MOST_HOLDINGS, minimum: -1e12, maximum: 1e12 },
  ).optional(),
  risk_budgets: numbers('Share of the risk for each asset; made to add up to 1. Absent: equal', {
    most: MOST_HOLDINGS,
    minimum: 1e-9,
    maximum: 1e9,
  }).optional(),
});

type Config = z.output<typeof fields>;

const widthOf = ({ covariance, volatilities }: Config): number => covariance?.length ?? volatilities?.length ?? 0;

const namesIn = (config: Config): readonly string[] =>
  config.assets ?? Array.from({ length: widthOf(config) }, (_, j) => String(j + 1));

function budgetsOf({ risk_budgets }: Config, n: number): number[] {
  const given = risk_budgets ?? new Array<number>(n).fill(1);
  const sum = given.reduce((total, budget) => total + budget, 0);
  return given.map((budget) => budget / sum);
}

function covarianceOf(config: Config, warnings: Remark[]): Float64Array {
  const { covariance, correlation, volatilities = [] } = config;
  const n = widthOf(config);
  const table = symmetric(n, (i, j) =>
    covariance === undefined ? correlationAt(correlation, i, j) * volatilities[i] * volatilities[j] : covariance[i][j],
  );
  if (covariance === undefined && correlation === undefined && n > 1) {
    const message = 'No correlation was given: the assets are taken as uncorrelated.';
    warnings.push({ code: 'no_correlation', field: 'config.correlation', message });
  }
  return semidefinite(table, n, warnings);
}

/** Largest relative deviation of a share of the risk from its budget. */
const errorOf = (shares: readonly number[], budgets: readonly number[]): number =>
  shares.reduce((most, share, j) => Math.max(most, Math.abs(share / budgets[j] - 1)), 0);

export const riskBudgeting = model({
  name: 'risk_budgeting',
  summary: 'Weights whose shares of the risk are as budgeted.',
  fields,
  example: {
    model: 'risk_budgeting',
    assets: ['Equity', 'Bonds', 'Commodities'],
    volatilities: [0.16, 0.05, 0.18],
    correlation: [
      [1, -0.1, 0.3],
      [-0.1, 1, 0],
      [0.3, 0, 1],
    ],
    risk_budgets: [0.5, 0.3, 0.2],
  },

  check(config, complain) {
    const { covariance, volatilities, correlation, risk_budgets } = config;
    if (covariance === undefined && volatilities === undefined) {
      return complain(['volatilities'], '`{field}` or `covariance` is required.');
    }
    if (covariance !== undefined) {
      for (const name of ['volatilities', 'correlation'] as const) {
        if (config[name] !== undefined) {
          return complain([name], '`{field}` and `covariance` exclude each other.');
        }
      }
    }
    const n = widthOf(config);
    if (covariance !== undefined) {
      if (!checkSymmetric(covariance, n, { name: 'covariance', complain })) return;
      const riskless = covariance.findIndex((row, i) => !(row[i] > 0));
      if (riskless >= 0) {
        return complain(
          ['covariance', riskless, riskless],
          '`{field}` must be above 0: an asset without risk has no share of it.',
        );
      }
    }
    if (Array.isArray(correlation)) {
      if (!checkSymmetric(correlation as number[][], n, { name: 'correlation', complain })) return;
    }
    if (risk_budgets !== undefined && risk_budgets.length !== n) {
      const field = volatilities === undefined ? 'covariance' : 'volatilities';
      return complain(
        ['risk_budgets'],
        `\`{field}\` must have ${n} numbers, as \`config.${field}\` has, not ${risk_budgets.length}.`,
      );
    }
    checkNames(config.assets, n, { name: 'assets', complain });
  },

  sense: () => 'minimize',

  solve(config, context) {
    context.look();
    const n = widthOf(config);
    const warnings: Remark[] = [];
    const covariance = covarianceOf(config, warnings);
    const budgets = budgetsOf(config, n);
    const { weights, iterations } = riskParity(covariance, Float64Array.from(budgets));
    const names = namesIn(config);
    const shares = riskSharesOf(covariance, weights);
    const single = weights.reduce((sum, weight, j) => sum + weight * Math.sqrt(covariance[j * (n + 1)]), 0);
    const variance = varianceOf(covariance, weights);
    const volatility = Math.sqrt(variance);
    const fitness = errorOf(shares, budgets);
    return {
      method: 'newton',
      reason: 'the weights are the minimum of a strictly convex function, which Newton steps reach to the last digits',
      bestSolution: Array.from(weights),
      bestFitness: fitness,
      decisionVariables: names,
      result: {
        weights: Object.fromEntries(names.map((name, j) => [name, weights[j]])),
        risk_contributions: shares,
        risk_budgets: budgets,
        volatility,
        variance,
        diversification_ratio: single / volatility,
      },
      optimality: { status: 'optimal', bound: 0, proof: 'convex_kkt' },
      evaluations: 1,
      iterations,
      warnings,
      assumptions:
        config.risk_budgets === undefined
          ? [
              {
                code: 'equal_budgets',
                field: 'config.risk_budgets',
                message: 'Every asset carries an equal share of the risk.',
              },
            ]
          : [],
    };
  },

  verify(config, { bestSolution: weights, bestFitness, result }) {
    const n = weights.length;
    const covariance = covarianceOf(config, []);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    if (Math.abs(sum - 1) > 1e-9 || weights.some((weight) => !(weight > 0))) return `weights that add up to ${sum}`;
    // Shares are slopes of the logarithm of the variance: here by columns instead of rows.
    const variance = varianceOf(covariance, weights);
    const shares = weights.map((weight, j) => {
      let slope = 0;
      for (let i = n - 1; i >= 0; i--) slope += covariance[i * n + j] * weights[i];
      return (slope * weight) / variance;
    });
    const error = errorOf(shares, budgetsOf(config, n));
    if (error > EXACT || bestFitness > EXACT) return `a share of the risk is off by ${error}`;
    const { variance: told } = result as unknown as { readonly variance: number };
    return Math.abs(told - variance) <= 1e-9 * variance ? null : `a variance of ${variance}`;
  },

  explain(_config, { bestSolution, decisionVariables, result }) {
    const { volatility, diversification_ratio, risk_contributions } = result as unknown as {
      readonly volatility: number;
      readonly diversification_ratio: number;
      readonly risk_contributions: readonly number[];
    };
    const order = bestSolution.map((_, j) => j).sort((a, b) => bestSolution[b] - bestSolution[a] || a - b);
    const listed = join(
      order.slice(0, 5).map((j, k): Clause => ({
        template: `${quote(decisionVariables[j])} {weight_${k + 1}}`,
        evidence: { [`weight_${k + 1}`]: bestSolution[j] },
      })),
      ', ',
    );
    const riskiest = risk_contributions.reduce((best, share, j, all) => (share > all[best] ? j : best), 0);
    return [
      say(1, 'result', `Hold ${listed.template}: each asset carries its share of the risk.`, listed.evidence),
      say(1, 'result', 'The volatility is {volatility}.', { volatility }),
      say(
        2,
        'choice',
        'Newton steps minimize a strictly convex function whose slope is 0 where every share fits: no other long weights do.',
        {},
      ),
      say(3, 'assumption', 'Volatilities and correlations are taken as known. Expected returns play no part.', {}),
      say(4, 'sensitivity', `${quote(decisionVariables[riskiest])} carries {share} percent of the variance.`, {
        share: 100 * risk_contributions[riskiest],
      }),
      say(5, 'trade_off', 'Volatilities of single assets are {ratio} times that of the portfolio, on average.', {
        ratio: diversification_ratio,
      }),
    ];
  },

  pictures: {
    weights: (config, { bestSolution, result }) => {
      const names = namesIn(config);
      const { risk_contributions: shares } = result as unknown as { readonly risk_contributions: readonly number[] };
      const order = names
        .map((_, j) => j)
        .sort((a, b) => bestSolution[b] - bestSolution[a] || a - b)
        .slice(0, 15);
      return barChart({
        title: 'Weights and shares of the risk',
        xName: 'share of the portfolio, share of the variance',
        names: order.map((j) => names[j]),
        series: [
          { name: 'weight', values: order.map((j) => bestSolution[j]) },
          { name: 'share of the variance', values: order.map((j) => shares[j]) },
        ],
      });
    },
  },
});

function varianceOf(covariance: Float64Array, weights: ArrayLike<number>): number {
  const n = weights.length;
  let variance = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) variance += weights[i] * covariance[i * n + j] * weights[j];
  return variance;
}
