/** From a plan to an answer: figures by channel, limits, other budgets, remarks. */
import { type Config, type Problem, weightsOf, problemOf } from './config.js';
import { type Plan, planWithin, planOf, sumOf, oneMore } from './plan.js';
import { countsInSpend, fitnessOf, isProfit } from './objective.js';
import { type SolveContext, Infeasible, type Solution } from '../../problem-type.js';
import type { JsonObject, Remark, ConstraintState } from '../../../model/problem.js';
import { responseOf } from './flighting.js';
import { isConcave } from './curves.js';

const CURVE_POINTS = 25;

const CHANGES = [-0.2, -0.1, 0.1, 0.2];

/** The bound on the objective, from that on the response. */
function boundOf(config: Config, plan: Plan, spent: number): number {
  if (countsInSpend(config)) return Math.min(plan.bound, spent);
  const fitness = fitnessOf(config, plan.response, spent);
  return Math.max(fitness, isProfit(config) ? (config.margin ?? NaN) * plan.bound - spent : plan.bound);
}

/** Response to other budgets, all else equal; null where the least spends do not fit. */
function sensitivity(config: Config, problem: Problem, spent: number, context: SolveContext): JsonObject[] {
  const base = Number.isFinite(problem.total) && !config.objective.startsWith('target') ? problem.total : spent;
  const periods = weightsOf(config).length;
  if (!(base > 0)) return [];
  const { history: _history, ...rest } = config;
  const channels = config.channels.map((channel, i) => ({
    ...channel,
    response: problem.responses[i],
    current_spend: channel.current_spend ?? problem.currents[i],
  }));
  return CHANGES.map((change) => {
    const budget = (base / periods) * (1 + change);
    // Limits that are shares move with the budget, and may then contradict others.
    const other: Config = { ...rest, channels, budget, spend_all: true };
    let response: number | null = null;
    try {
      const changed = problemOf(other, () => context.look());
      response = planWithin(other, changed, changed.total, context).response;
    } catch (error) {
      if (!(error instanceof Infeasible)) throw error;
    }
    return { budget_change: change, budget, total_response: response };
  });
}
export function solve(config: Config, context: SolveContext): Solution {
  const problem = problemOf(config, () => context.look());
  const { channels, ids, current } = problem;
  const weights = weightsOf(config);
  const periods = weights.length;
  const isFlight = periods > 1;
  const plan = planOf(config, problem, context);
  const spends = plan.spend.map(sumOf);
  const spent = sumOf(spends);
  const responses = channels.map((channel, i) => responseOf(channel, plan.spend[i], weights));
  const response = sumOf(responses);
  const fitness = fitnessOf(config, response, spent);
  const worth = config.margin ?? 1;
  const byId = <T>(values: readonly T[]): Record<string, T> =>
    Object.fromEntries(ids.map((name, i) => [name, values[i]]));
  const equal = responseTo(
    problem,
    weights,
    channels.map(() => spent / periods / channels.length),
  );
  const now = current === null ? null : responseTo(problem, weights, current);
  const bound = boundOf(config, plan, spent);
  const areConcave = channels.every(({ curve }) => isConcave(curve));
  return {
    method: 'lagrangian_bisection',
    reason: areConcave
      ? 'returns diminish everywhere, so that equal marginal returns are best, and bisection finds them'
      : 'bisection on the marginal return within branch and bound, for some returns grow before they diminish',
    bestSolution: plan.spend.flat(),
    bestFitness: fitness,
    decisionVariables: ids.flatMap((name) =>
      isFlight ? weights.map((_, t) => `spend on ${name} in period ${t + 1}`) : [`spend on ${name}`],
    ),
    result: {
      spend: byId(spends),
      share: byId(spends.map((x) => (spent > 0 ? x / spent : 0))),
      response: byId(responses),
      marginal_return: byId(plan.marginal.map((slope) => (slope < 1e150 ? slope : null))),
      roi: byId(spends.map((x, i) => (x > 0 ? (worth * responses[i]) / x : null))),
      saturation: byId(
        channels.map(({ curve }, i) =>
          curve.ceiling === null || curve.ceiling === 0 ? null : responses[i] / (curve.ceiling * sumOf(weights)),
        ),
      ),
      total_spend: spent,
      total_response: response,
      profit: config.margin === undefined ? null : config.margin * response - spent,
      equal_split_response: equal,
      current_response: now,
      lift: now === null || now === 0 ? null : response / now - 1,
      lift_over_equal_split: equal > 0 ? response / equal - 1 : null,
      budget_multiplier: plan.multiplier,
      ...(isFlight ? { plan: byId(plan.spend.map((row) => [...row])) } : {}),
      curves: byId(curvesOf(problem, plan, spent, periods)),
      sensitivity: sensitivity(config, problem, spent, context),
      ...(problem.fit === null ? {} : { fit: fitJson(problem, problem.fit) }),
    },
    optimality: plan.isProven
      ? { status: 'optimal', bound, proof: areConcave ? 'convex_kkt' : 'branch_and_bound' }
      : { status: 'feasible', bound, proof: null },
    evaluations: 1,
    iterations: plan.iterations,
    nodes: plan.nodes,
    constraints: constraintsOf(config, problem, plan, spends),
    warnings: warningsOf(config, problem, spent),
    assumptions: [...problem.assumptions, ...assumptionsOf(config, isFlight)],
  };
}

/** Response to the same spends in each period. */
const responseTo = ({ channels }: Problem, weights: readonly number[], spends: readonly number[]): number =>
  channels.reduce(
    (sum, channel, i) =>
      sum +
      responseOf(
        channel,
        weights.map(() => spends[i]),
        weights,
      ),
    0,
  );

/** Points of each channel's curve, up to twice its spend and to what it could get. */
function curvesOf(problem: Problem, plan: Plan, spent: number, periods: number): [number, number][][] {
  return problem.channels.map(({ curve, high }, i) => {
    const top = Math.max(
      Math.min(high, Number.isFinite(problem.total) ? problem.total / periods : 2 * spent),
      2 * plan.spend[i][0],
      1e-6,
    );
    return Array.from({ length: CURVE_POINTS }, (_, k) => {
      const x = (top * k) / (CURVE_POINTS - 1);
      return [x, curve.value(x)];
    });
  });
}

const fitJson = ({ responses, ids }: Problem, fit: NonNullable<Problem['fit']>): JsonObject => ({
  base: fit.base,
  r_squared: fit.rSquared,
  responses: Object.fromEntries(fit.fitted.map((name) => [name, { ...responses[ids.indexOf(name)] }])),
});

function warningsOf(config: Config, problem: Problem, spent: number): Remark[] {
  const warnings: Remark[] = [...problem.warnings];
  const periods = weightsOf(config).length;
  const isFull = problem.total - spent <= 1e-9 * problem.total;
  const maximum = problem.channels.reduce((sum, { high }) => sum + high * periods, 0);
  if (config.spend_all && config.objective.startsWith('maximize') && !isFull && maximum < problem.total) {
    warnings.push({
      code: 'budget_not_spent',
      field: 'config.budget',
      message: `The channels take at most ${Number(maximum.toPrecision(9))} of the budget of ${problem.total}: the rest is left.`,
    });
  }
  if (config.objective.startsWith('target') && spent === 0) {
    warnings.push({
      code: 'target_out_of_reach',
      field: 'config.target',
      message: 'No spend reaches the target: nothing is spent.',
    });
  }
  return warnings;
}

function assumptionsOf(config: Config, isFlight: boolean): Remark[] {
  const assumptions: Remark[] = [];
  if (isFlight) {
    assumptions.push({
      code: 'cycle_repeats',
      field: 'config.periods',
      message: 'The cycle repeats: what the last periods leave behind is in effect in the first ones.',
    });
  } else if (config.channels.some(({ adstock_decay }) => adstock_decay > 0)) {
    assumptions.push({
      code: 'steady_state',
      field: 'config.channels',
      message: 'Spends stay the same from period to period: with carry-over, x is in effect as x / (1 - decay).',
    });
  }
  if (isProfit(config) && config.spend_all) {
    assumptions.push({
      code: 'spend_all',
      field: 'config.spend_all',
      message: 'The whole budget is spent, also where the last units of money earn less than themselves.',
    });
  }
  if (config.objective === 'target_roas' && config.margin === undefined) {
    assumptions.push({
      code: 'response_is_revenue',
      field: 'config.margin',
      message: 'A unit of response is worth one unit of money.',
    });
  }
  return assumptions;
}

function constraintsOf(config: Config, problem: Problem, plan: Plan, spends: readonly number[]): ConstraintState[] {
  const periods = weightsOf(config).length;
  const spent = sumOf(spends);
  const states: ConstraintState[] = [];
  const { total } = problem;
  if (Number.isFinite(total)) {
    const slack = total - spent;
    const price = config.spend_all ? 0 : 1 / (config.margin ?? NaN);
    const taken = periods > 1 ? (slack <= 1e-9 * total ? 1 : 0) : oneMore(problem, spends, price).spent;
    const worth = isProfit(config) ? (config.margin ?? NaN) * plan.multiplier - taken : plan.multiplier;
    states.push({
      name: 'budget',
      value: spent,
      limit: total,
      slack,
      binding: slack <= 1e-9 * total,
      shadowPrice: config.objective.startsWith('maximize') ? worth : undefined,
    });
  }
  if (periods > 1) return states;
  for (const [i, { low, high }] of problem.channels.entries()) {
    const x = spends[i];
    if (low > 0)
      states.push({
        name: `least spend on ${problem.ids[i]}`,
        value: x,
        limit: low,
        slack: x - low,
        binding: x - low <= 1e-9 * (1 + low),
      });
    if (high < total)
      states.push({
        name: `largest spend on ${problem.ids[i]}`,
        value: x,
        limit: high,
        slack: high - x,
        binding: high - x <= 1e-9 * (1 + high),
      });
  }
  return states;
}
