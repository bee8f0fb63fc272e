/** The model of portfolios: every objective, from config to answer. Start reading at `solve`. */
import type { JsonObject, Remark } from '../../../model/problem.js';
import { Infeasible, model, type SolveContext, type Solution } from '../../problem-type.js';
import { checkPortfolio, currentWeights, FIELDS, type Config, type Objective } from './config.js';
import { explainPortfolio } from './explain.js';
import { brokenLimit, figuresOf, limitsOf, resultOf } from './figures.js';
import { hierarchicalWeights } from './hierarchical.js';
import { momentsOf, type Moments } from './moments.js';
import { atReturn, netReturn, optimize, volatilitiesOf, volatilityOf, type Optimum, type Problem } from './optimize.js';
import { pictures } from './pictures.js';
import { riskParity, riskSharesOf } from '../risk-parity.js';

/** Minimized. */
const OF_RISK: readonly Objective[] = ['min_volatility', 'efficient_return', 'risk_parity', 'min_cvar', 'hrp'];

const REASONS: Readonly<Record<Objective, string>> = {
  max_sharpe:
    'the ratio of excess return to volatility is largest where a convex quadratic programme in scaled weights is least',
  min_volatility: 'the variance is a convex quadratic function of the weights, and the limits are linear',
  efficient_return: 'the variance is a convex quadratic function of the weights, and the limits are linear',
  efficient_risk: 'the least variance for each return is a convex programme, and it only rises with the return',
  max_utility: 'the utility is a concave quadratic function of the weights, and the limits are linear',
  max_return: 'the expected return and the limits are linear in the weights',
  risk_parity: 'the weights are the minimum of a strictly convex function, which Newton steps reach to the last digits',
  max_diversification:
    'the ratio of volatilities is largest where a convex quadratic programme in scaled weights is least',
  min_cvar: 'the mean of the tail is the minimum of a linear programme over the periods',
  hrp: 'hierarchical risk parity is a rule, which gives the weights directly',
  frontier: 'each point of the frontier is a convex quadratic programme',
};

interface Answer extends Omit<Optimum, 'value' | 'bound' | 'prices'> {
  readonly fitness: number;
  readonly bound: number | null;
  readonly shadowPrice?: (name: string) => number | undefined;
  readonly frontier?: readonly Float64Array[];
}

async function answerTo(problem: Problem): Promise<Answer> {
  const { config, moments } = problem;
  const { objective } = config;
  const plain = { nodes: 0, iterations: 0 } as const;
  if (objective === 'hrp') {
    const weights = hierarchicalWeights(moments.covariance, moments.ids.length, () => problem.context.look()).map(
      (w) => w * config.net_exposure,
    );
    const fitness = volatilityOf(moments, weights);
    return { ...plain, weights, fitness, bound: null, method: 'hierarchical_clustering', proof: null };
  }
  if (objective === 'risk_parity') {
    const budgets = budgetsOf(config, moments);
    const { weights, iterations } = riskParity(moments.covariance, budgets);
    const scaled = weights.map((weight) => weight * config.net_exposure);
    const fitness = budgetError(moments, scaled, budgets);
    return { ...plain, iterations, weights: scaled, fitness, bound: 0, method: 'newton', proof: 'convex_kkt' };
  }
  if (objective === 'frontier') return frontier(problem);
  const found = await optimize(problem);
  return { ...found, ...fitnessOf(problem, found) };
}

/** Fitness in the unit of the objective. */
function fitnessOf(
  { config, moments }: Problem,
  { value, bound, prices, weights }: Optimum,
): Pick<Answer, 'fitness' | 'bound' | 'shadowPrice'> {
  const { objective } = config;
  const priced = (factor: number) => (name: string) =>
    prices.has(name) ? factor * (prices.get(name) ?? 0) : undefined;
  if (objective === 'min_volatility' || objective === 'efficient_return') {
    // The penalty is no part of the volatility.
    const fitness = volatilityOf(moments, weights);
    const penalty = value - fitness * fitness;
    const least = Math.sqrt(Math.max(0, bound - penalty));
    return { fitness, bound: Math.min(fitness, least), shadowPrice: priced(fitness > 0 ? 0.5 / fitness : 0) };
  }
  if (objective === 'min_cvar') return { fitness: value, bound, shadowPrice: priced(1) };
  if (objective === 'max_sharpe' || objective === 'max_diversification') {
    const fitness = ratioOf(config, moments, weights);
    return { fitness, bound: Math.max(fitness, fitness + (value - bound)) };
  }
  const fitness =
    objective === 'max_utility' ? utilityOf(config, moments, weights) : netReturn(config, moments, weights);
  return {
    fitness,
    bound: fitness + Math.max(0, value - bound),
    shadowPrice: objective === 'efficient_risk' ? undefined : priced(-1),
  };
}

function ratioOf(config: Config, moments: Moments, weights: ArrayLike<number>): number {
  const volatility = volatilityOf(moments, weights);
  if (config.objective === 'max_diversification') {
    return volatilitiesOf(moments).reduce((sum, own, j) => sum + own * (weights[j] ?? 0), 0) / volatility;
  }
  return (netReturn(config, moments, weights) - config.risk_free_rate) / volatility;
}

/** Less the penalty on squared weights. */
function utilityOf(config: Config, moments: Moments, weights: ArrayLike<number>): number {
  const risk = volatilityOf(moments, weights) ** 2;
  const squares = Array.from(weights).reduce((sum, weight) => sum + weight * weight, 0);
  return netReturn(config, moments, weights) - (config.risk_aversion / 2) * risk - config.l2_penalty * squares;
}

const budgetsOf = ({ risk_budgets }: Config, { ids }: Moments): Float64Array => {
  const given = Float64Array.from(ids, (_, j) => risk_budgets?.[j] ?? 1);
  const sum = given.reduce((total, budget) => total + budget, 0);
  return given.map((budget) => budget / sum);
};

/** Largest relative deviation of a share of the risk from its budget. */
const budgetError = ({ covariance }: Moments, weights: ArrayLike<number>, budgets: Float64Array): number =>
  Math.max(...riskSharesOf(covariance, weights).map((share, j) => Math.abs(share / (budgets[j] ?? 1) - 1)));

/**
 * Portfolios from the least risk to the highest return, in equal steps of the return. The answer is the one of most
 * Sharpe.
 */
async function frontier(problem: Problem): Promise<Answer> {
  const { config, moments, context } = problem;
  const safest = await optimize(problem, 'min_volatility');
  const richest = await optimize({ ...problem, config: { ...config, l2_penalty: 0 } }, 'max_return');
  const low = netReturn(config, moments, safest.weights);
  const high = Math.max(low, netReturn(config, moments, richest.weights));
  const points: Optimum[] = [safest];
  const steps = config.frontier_points - 1;
  for (let k = 1; k <= steps && !context.isOver(); k++) {
    const target = k === steps ? high - 1e-10 * Math.max(1, Math.abs(high)) : low + ((high - low) * k) / steps;
    const point = high > low ? await atReturn(problem, target) : null;
    if (point !== null) points.push(point);
  }
  const portfolios = points.map(({ weights }) => weights);
  const total = points.reduce(
    (sum, { iterations, nodes }) => ({ iterations: sum.iterations + iterations, nodes: sum.nodes + nodes }),
    { iterations: 0, nodes: 0 },
  );
  let best: Optimum | null = null;
  try {
    best = await optimize(problem, 'max_sharpe');
  } catch (error) {
    // Nothing earns more than the risk-free rate: the points have their ratios all the same.
    if (!(error instanceof Infeasible)) throw error;
  }
  const sharpe = (weights: Float64Array): number => figuresOf(config, moments, weights).sharpe ?? -Infinity;
  const weights = best?.weights ?? portfolios.reduce((a, b) => (sharpe(b) > sharpe(a) ? b : a));
  const proof = best?.proof ?? null;
  const fitness = sharpe(weights);
  if (!Number.isFinite(fitness))
    throw new Infeasible('No portfolio within the limits has any risk: there is no frontier.', []);
  return {
    weights,
    fitness,
    bound: proof === null ? null : fitness,
    method: best?.method ?? safest.method,
    proof,
    ...total,
    frontier: portfolios,
    library: safest.library,
  };
}

async function solve(config: Config, context: SolveContext): Promise<Solution> {
  context.look();
  const moments = momentsOf(config);
  const found = await answerTo({ config, moments, context });
  const weights = Array.from(found.weights, (weight) => (Math.abs(weight) < 1e-12 ? 0 : weight));
  const points = found.frontier?.map((portfolio) => pointOf(config, moments, portfolio));
  const result = resultOf(config, moments, weights);
  return {
    method: found.method,
    reason: REASONS[config.objective],
    bestSolution: weights,
    bestFitness: found.fitness,
    decisionVariables: moments.ids,
    result: points === undefined ? result : { ...result, frontier: points },
    optimality: {
      status: found.proof === null ? (config.objective === 'hrp' ? 'heuristic' : 'feasible') : 'optimal',
      bound: found.bound,
      proof: found.proof,
    },
    evaluations: Math.max(1, Math.min(context.maxEvaluations, points?.length ?? 1)),
    iterations: found.iterations,
    nodes: found.nodes,
    library: found.library,
    constraints: limitsOf(config, moments, weights, found.shadowPrice),
    warnings: moments.warnings,
    assumptions: [...moments.assumptions, ...assumptionsOf(config)],
    alternatives: points,
  };
}

function pointOf(config: Config, moments: Moments, weights: Float64Array): JsonObject {
  const { expectedReturn, volatility, sharpe } = figuresOf(config, moments, weights);
  return {
    expected_return: expectedReturn ?? 0,
    volatility,
    ...(sharpe === null ? {} : { sharpe }),
    weights: Object.fromEntries(moments.ids.map((name, j) => [name, (weights[j] ?? 0) + 0])),
  };
}

function assumptionsOf(config: Config): Remark[] {
  const { objective, risk_free_rate, min_weight, max_weight, net_exposure, transaction_cost } = config;
  const remarks: Remark[] = [];
  const isRule = objective === 'hrp' || objective === 'risk_parity';
  if (objective === 'max_sharpe' && risk_free_rate === 0) {
    const message = 'The risk-free rate is 0: the ratio is that of the expected return itself.';
    remarks.push({ code: 'risk_free_rate', field: 'config.risk_free_rate', message });
  }
  if (!isRule && min_weight === 0 && max_weight === 1 && net_exposure === 1) {
    const message = 'Weights lie between 0 and 1 and add up to 1: nothing is sold short, and no money is borrowed.';
    remarks.push({ code: 'long_only', field: 'config.min_weight', message });
  }
  if (transaction_cost > 0 || config.max_turnover !== undefined) {
    const message = 'Turnover is the sum of absolute changes of weights, purchases and sales together.';
    remarks.push({ code: 'turnover', message });
  }
  if (transaction_cost > 0) {
    const message =
      'The cost of trading is deducted from the return of one period, in the objective and in target_return.';
    remarks.push({ code: 'transaction_cost', field: 'config.transaction_cost', message });
  }
  if (objective === 'max_utility' && config.risk_aversion === 1) {
    remarks.push({ code: 'risk_aversion', field: 'config.risk_aversion', message: 'The risk aversion is 1.' });
  }
  if (objective === 'min_cvar') {
    const message = 'Value at risk and CVaR are those of one period of the data, each period as likely as any other.';
    remarks.push({ code: 'tail_period', message });
  }
  return remarks;
}

/** Recomputed with sums in another order, and against portfolios nearby. */
function verify(config: Config, { bestSolution, bestFitness, result }: Solution): string | null {
  const moments = momentsOf(config);
  const broken = brokenLimit(config, moments, bestSolution);
  if (broken !== null) return broken;
  const { objective } = config;
  const measured = measure(config, moments, bestSolution);
  // The volatility of what has next to no risk is the rounding of its parts.
  const least = objective === 'risk_parity' ? 1 : Math.max(1e-9, ...volatilitiesOf(moments));
  const room = 1e-7 * Math.max(Math.abs(measured), least);
  if (Math.abs(measured - bestFitness) > room) return `fitness ${bestFitness} is ${measured}`;
  if (objective === 'risk_parity' && bestFitness > 1e-7) return `a share of the risk is off by ${bestFitness}`;
  const sign = OF_RISK.includes(objective) ? 1 : -1;
  if (objective === 'frontier' && !(bestFitness > 0)) {
    // Nothing earns more than the risk-free rate: then the answer is the best of the points, and what is off the
    // frontier may have a larger ratio.
    const { frontier: points } = result as { readonly frontier: readonly { readonly sharpe?: number }[] };
    const best = Math.max(...points.map(({ sharpe = -Infinity }) => sharpe));
    return Math.abs(best - bestFitness) <= 1e-9 * Math.abs(best)
      ? null
      : `a point of the frontier has the ratio ${best}`;
  }
  if (objective !== 'hrp' && objective !== 'risk_parity' && config.l2_penalty === 0) {
    // A better portfolio among mixtures with each single asset or with equal weights would contradict convexity.
    for (const other of rivals(bestSolution.length, config)) {
      for (const step of [1, 1e-2]) {
        const mixed = bestSolution.map((weight, j) => weight + step * ((other[j] ?? 0) - weight));
        if (brokenLimit(config, moments, mixed) !== null || isBelowTarget(config, moments, mixed)) continue;
        const value = measure(config, moments, mixed);
        const better = sign * (bestFitness - value);
        if (better > 1e-5 * Math.max(Math.abs(bestFitness), 1e-6))
          return `mixing in another portfolio gives ${value} instead of ${bestFitness}`;
      }
    }
  }
  const { variance } = result as { readonly variance?: number };
  const own = volatilityOf(moments, bestSolution);
  return Math.abs((variance ?? Number.NaN) - own * own) <= 1e-9 * Math.max(own * own, 1e-12) ? null : 'variance';
}

/** Within tolerance of a limit is not within it: such a rival wins by the tolerance. */
const isBelowTarget = (config: Config, moments: Moments, weights: readonly number[]): boolean =>
  limitsOf(config, moments, weights).some(({ slack, name }) => name !== 'net_exposure' && slack < 0);

function rivals(n: number, { net_exposure, max_assets, min_position }: Config): number[][] {
  const singles = Array.from({ length: Math.min(n, 50) }, (_, i) =>
    Array.from({ length: n }, (_unused, j) => (i === j ? net_exposure : 0)),
  );
  const isCounted = max_assets !== undefined || min_position > 0;
  return isCounted ? singles : [...singles, Array.from({ length: n }, () => net_exposure / n)];
}

function measure(config: Config, moments: Moments, weights: readonly number[]): number {
  const { expectedReturn, volatility, sharpe, tail } = figuresOf(config, moments, weights);
  switch (config.objective) {
    case 'min_volatility':
    case 'efficient_return':
    case 'hrp':
      return volatility;
    case 'max_sharpe':
    case 'frontier':
      return sharpe ?? Number.NaN;
    case 'max_diversification':
      return ratioOf(config, moments, weights);
    case 'min_cvar':
      return tail?.cvar ?? Number.NaN;
    case 'risk_parity':
      return budgetError(moments, weights, budgetsOf(config, moments));
    case 'max_utility':
      return utilityOf(config, moments, weights);
    case 'max_return':
    case 'efficient_risk':
      return (expectedReturn ?? Number.NaN) - config.transaction_cost * turnover(config, weights);
  }
}

const turnover = (config: Config, weights: readonly number[]): number =>
  currentWeights(config).reduce((sum, current, j) => sum + Math.abs((weights[j] ?? 0) - current), 0);

export const portfolioModel = model({
  name: null,
  summary: 'Weights of a portfolio that are best for an objective, within limits.',
  fields: FIELDS,
  example: {
    objective: 'max_sharpe',
    assets: [
      { id: 'World equity', expected_return: 0.07, volatility: 0.16, group: 'equity' },
      { id: 'Emerging markets', expected_return: 0.085, volatility: 0.22, group: 'equity' },
      { id: 'Government bonds', expected_return: 0.03, volatility: 0.05, group: 'bonds' },
      { id: 'Corporate bonds', expected_return: 0.042, volatility: 0.07, group: 'bonds' },
      { id: 'Gold', expected_return: 0.04, volatility: 0.15 },
    ],
    correlation: [
      [1, 0.78, -0.1, 0.3, 0.05],
      [0.78, 1, -0.05, 0.32, 0.15],
      [-0.1, -0.05, 1, 0.6, 0.2],
      [0.3, 0.32, 0.6, 1, 0.15],
      [0.05, 0.15, 0.2, 0.15, 1],
    ],
    risk_free_rate: 0.02,
    max_weight: 0.5,
    groups: [{ group: 'equity', max: 0.6 }],
  },
  check: checkPortfolio,
  sense: ({ objective }) => (OF_RISK.includes(objective) ? 'minimize' : 'maximize'),
  solve,
  verify,
  explain: explainPortfolio,
  pictures,
});
