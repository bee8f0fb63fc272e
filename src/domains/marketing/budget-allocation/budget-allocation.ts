/**
 * A budget over channels with diminishing or S-shaped returns. Concave curves: money goes to where the next unit brings
 * most, until all bring the same. S-shaped ones: branch and bound (`allocate.ts`). Targets: the largest total that
 * keeps a return, or the least that brings a response, by a search over totals that skips none which could do.
 * Sources: Dorfman and Steiner 1954; Jin, Wang, Sun, Chan and Koehler 2017 (carry-over and shape effects).
 */
import { quote, say } from '../../../explanation/say.js';
import type { Statement } from '../../../model/explanation.js';
import type { ConstraintState, JsonObject, Remark } from '../../../model/problem.js';
import { lineChart } from '../../charts/line-chart.js';
import { Infeasible, model, Unbounded, type ProblemType, type SolveContext } from '../../problem-type.js';
import { allocate, type Division } from './allocate.js';
import {
  check,
  fields,
  MOST_CELLS,
  MOST_CHANNELS,
  MOST_FITTED,
  MOST_PERIODS,
  MOST_ROWS,
  problemOf,
  weightsOf,
} from './config.js';
import type { Config, Problem } from './config.js';
import { curveOf, isConcave, MOST } from './curves.js';
import { fly, inEffect, responseOf, type Channel } from './flighting.js';

const CURVE_POINTS = 25;
const MOST_SERIES = 6;
const CHANGES = [-0.2, -0.1, 0.1, 0.2];
const MOST_TOTALS = 2_000;

interface Plan {
  /** By channel, then period. */
  readonly spend: readonly (readonly number[])[];
  readonly response: number;
  /** No plan has a better objective. */
  readonly bound: number;
  readonly isProven: boolean;
  readonly multiplier: number;
  readonly nodes: number;
  readonly iterations: number;
  readonly marginal: readonly number[];
}

const totalLow = ({ channels }: Problem): number => channels.reduce((sum, { low }) => sum + low, 0);
const sumOf = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);

/** Upper limits above what the total leaves are no limits. */
const within = (channels: readonly Channel[], total: number): Channel[] => {
  const lows = channels.reduce((sum, { low }) => sum + low, 0);
  return channels.map((channel) => ({
    ...channel,
    high: Math.min(channel.high, Math.max(channel.low, total - lows + channel.low)),
  }));
};

/**
 * Effect of one more unit of `total`: how much of it is spent, and the response to that. It goes where it brings most
 * among the channels that have room, if it earns `price` there; limits that are shares of the budget move with it.
 */
function oneMore(
  { channels, total }: Pick<Problem, 'channels' | 'total'>,
  x: readonly number[],
  price = 0,
): { readonly spent: number; readonly response: number } {
  const slopes = channels.map(({ curve }, i) => curve.slope(x[i]));
  const hasRoom = ({ most }: Channel, i: number): boolean => x[i] < most * (1 - 1e-9);
  const isAtLow = ({ low }: Channel, i: number): boolean => x[i] <= low + 1e-9 * (1 + low);
  const isFree = (channel: Channel, i: number): boolean => hasRoom(channel, i) && !isAtLow(channel, i);
  const takers = channels.some(isFree) ? isFree : hasRoom;
  const best = Math.max(-1, ...slopes.filter((slope, i) => Number.isFinite(slope) && takers(channels[i], i)));
  const isSpent = total - sumOf(x) <= 1e-9 * total && best >= price;
  let [spent, response] = [0, 0];
  for (const [i, channel] of channels.entries()) {
    const share = !hasRoom(channel, i) ? channel.highShare : isAtLow(channel, i) ? channel.lowShare : 0;
    if (share > 0) [spent, response] = [spent + share, response + share * slopes[i]];
  }
  return isSpent ? { spent: 1, response: response + (1 - spent) * best } : { spent, response };
}

const unshared = (channel: Channel): Channel => ({ ...channel, lowShare: 0, highShare: 0 });

const divide = (problem: Problem, total: number, context: SolveContext, price = 0, known?: Float64Array): Division =>
  allocate(within(problem.channels, total), total, { price, known: known ?? null, isOver: () => context.isOver() });

const planFrom = (problem: Problem, division: Division, more: Partial<Plan> = {}): Plan => ({
  spend: [...division.x].map((x) => [x]),
  response: problem.channels.reduce((sum, { curve }, i) => sum + curve.value(division.x[i]), 0),
  bound: division.bound,
  isProven: division.isProven,
  // Of the spend that was found: with a target, the budget need not be what limits it.
  multiplier: oneMore({ channels: problem.channels.map(unshared), total: sumOf(division.x) }, [...division.x]).response,
  nodes: division.nodes,
  iterations: 1,
  marginal: problem.channels.map(({ curve }, i) => curve.slope(division.x[i])),
  ...more,
});

/** The current spend as a plan, where it is within all limits. */
function feasibleCurrent(problem: Problem, periods: number): Float64Array | undefined {
  const { current, channels, total } = problem;
  if (current === null || sumOf(current) * periods > total) return undefined;
  return current.every((x, i) => x >= channels[i].low && x <= channels[i].high)
    ? Float64Array.from(current)
    : undefined;
}

function planWithin(config: Config, problem: Problem, total: number, context: SolveContext): Plan {
  const weights = weightsOf(config);
  const current = total === problem.total ? feasibleCurrent(problem, weights.length) : undefined;
  if (weights.length === 1 && typeof config.periods === 'number') {
    const price = config.spend_all ? 0 : 1 / (config.margin ?? NaN);
    const division = divide(problem, total, context, price, current);
    // `allocate` counts in units of response, and the price with it.
    const spent = sumOf(division.x);
    return planFrom(problem, division, {
      bound: division.bound + price * spent,
      multiplier: oneMore({ ...problem, total }, [...division.x], price).response,
    });
  }
  const known = current === undefined ? null : [...current].map((x) => weights.map(() => x));
  const flight = fly(within(problem.channels, total), weights, total, known, () => context.isOver());
  return {
    spend: flight.spend,
    response: flight.value,
    bound: flight.bound,
    isProven: flight.isProven,
    multiplier: flight.multiplier,
    nodes: flight.nodes,
    iterations: flight.moves,
    marginal: flight.marginal.map((row) => Math.max(...row)),
  };
}

/** A total from which on returns are below `slope` per unit, however it is divided. @throws {Unbounded} */
function saturatingTotal({ channels }: Problem, slope: number): number {
  const turns = channels.map(({ curve }) => Math.max(curve.inflection ?? 0, ...curve.corners.map(([x]) => x)));
  for (let total = Math.max(1, 4 * sumOf(turns)); total <= MOST; total *= 2) {
    if (channels.reduce((sum, { curve, high }) => sum + curve.value(Math.min(total, high)), 0) < slope * total)
      return total;
  }
  throw new Unbounded(
    'However much is spent, the return stays above the target: some response curve hardly flattens. Send `budget`, or `max` of the channels.',
  );
}

/**
 * The largest total S with V(S) >= t S, V being the most response to S. From above: V(S) bounds the response of every
 * smaller total, so that none above V(S) / t can do; nor can any above the line of `allocate`.
 */
function planAtReturn(problem: Problem, t: number, context: SolveContext): Plan {
  const limit = sumOf(problem.channels.map(({ high }) => high));
  let total = Math.min(problem.total, limit);
  if (total === Infinity) total = saturatingTotal(problem, t);
  const least = totalLow(problem);
  const nothing = 1e-12 * total;
  let nodes = 0;
  for (let step = 1; step <= MOST_TOTALS; step++) {
    context.look();
    const division = divide(problem, total, context);
    nodes += division.nodes;
    const { slope, start } = division.line;
    const next = Math.min(division.bound / t, t > slope ? start / (t - slope) : Infinity);
    if (next >= total * (1 - 1e-10)) {
      return planFrom(problem, division, {
        nodes,
        iterations: step,
        isProven: division.isProven,
      });
    }
    if (next < least * (1 - 1e-10) || next <= nothing) {
      if (least === 0) return planFrom(problem, divide(problem, 0, context), { nodes, iterations: step, bound: 0 });
      throw new Infeasible(
        `Even the least spends, ${Number(least.toPrecision(9))} together, bring less per unit of money than the target asks for.`,
        ['target', ...problem.ids.flatMap((name, i) => (problem.channels[i].low > 0 ? [`min of ${name}`] : []))],
      );
    }
    total = Math.max(least, next);
  }
  const division = divide(problem, total, context);
  return planFrom(problem, division, { nodes, iterations: MOST_TOTALS, isProven: false });
}

/** The least total that brings the response. */
function planForResponse(problem: Problem, target: number, context: SolveContext): Plan {
  const limit = sumOf(problem.channels.map(({ high }) => high));
  let low = totalLow(problem);
  let nodes = 0;
  let iterations = 0;
  const at = (total: number): Division => {
    context.look();
    iterations++;
    const division = divide(problem, total, context);
    nodes += division.nodes;
    return division;
  };
  const most = Math.min(problem.total, limit);
  let high = most === Infinity ? Math.max(1, 2 * low) : most;
  let best = at(high);
  while (best.value < target && most === Infinity && high < MOST) best = at((high *= 4));
  if (best.value < target) {
    const names = Number.isFinite(most) ? ['target', ...(problem.total <= limit ? ['budget'] : ['max'])] : ['target'];
    throw new Infeasible(
      `A response of ${target} is out of reach: ${Number.isFinite(most) ? `${Number(high.toPrecision(9))}, all that may be spent,` : 'any spend'} brings at most ${Number(best.bound.toPrecision(9))}.`,
      names,
    );
  }
  const first = at(low);
  if (first.value >= target) return planFrom(problem, first, { nodes, iterations, bound: low });
  let isProven = best.isProven;
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    // Where the curve is smooth its tangent leads to the total in a few steps; halving keeps the rest safe.
    const slope = best.multiplier;
    const guess = step % 3 === 2 || !(slope > 0) ? NaN : high - (best.value - target) / slope;
    const total = guess > low && guess < high ? guess : low + (high - low) / 2;
    const division = at(total);
    isProven &&= division.isProven;
    if (division.value >= target) [high, best] = [total, division];
    else low = total;
  }
  return planFrom(problem, best, { nodes, iterations, bound: low, isProven: isProven && high - low <= 1e-8 * high });
}

const targetReturn = ({ objective, target = NaN, margin = 1 }: Config): number =>
  objective === 'target_roas' ? target / margin : 1 / target;

const isProfit = ({ objective }: Config): boolean => objective === 'maximize_profit';

const countsInSpend = ({ objective }: Config): boolean => objective === 'min_spend_for_response';

function fitnessOf(config: Config, response: number, spent: number): number {
  if (countsInSpend(config)) return spent;
  return isProfit(config) ? (config.margin ?? NaN) * response - spent : response;
}

/** The bound on the objective, from that on the response. */
function boundOf(config: Config, plan: Plan, spent: number): number {
  if (countsInSpend(config)) return Math.min(plan.bound, spent);
  const fitness = fitnessOf(config, plan.response, spent);
  return Math.max(fitness, isProfit(config) ? (config.margin ?? NaN) * plan.bound - spent : plan.bound);
}

function planOf(config: Config, problem: Problem, context: SolveContext): Plan {
  switch (config.objective) {
    case 'maximize_response':
    case 'maximize_profit':
      return planWithin(config, problem, problem.total, context);
    case 'target_roas':
    case 'target_cpa':
      return planAtReturn(problem, targetReturn(config), context);
    case 'min_spend_for_response':
      return planForResponse(problem, config.target ?? NaN, context);
  }
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

export const budgetModel = model({
  name: null,
  summary: 'Spends of channels, from their response curves.',
  fields,
  example: {
    budget: 100000,
    channels: [
      { id: 'search', response: { type: 'hill', max: 8000, half_saturation: 20000, shape: 1 }, min: 2000 },
      { id: 'social', response: { type: 'hill', max: 5000, half_saturation: 15000, shape: 0.8 }, max: 25000 },
      { id: 'tv', response: { type: 'hill', max: 20000, half_saturation: 120000, shape: 0.9 }, adstock_decay: 0.5 },
      { id: 'display', response: { type: 'hill', max: 1500, half_saturation: 8000, shape: 1.6 }, max: 6000 },
    ],
  },
  check,
  sense: (config) => (countsInSpend(config) ? 'minimize' : 'maximize'),

  solve(config, context) {
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
    const evenly = spent / periods / channels.length;
    const at = (spend: readonly number[]): number =>
      channels.reduce(
        (sum, channel, i) =>
          sum +
          responseOf(
            channel,
            weights.map(() => spend[i]),
            weights,
          ),
        0,
      );
    const equal = at(channels.map(() => evenly));
    const now = current === null ? null : at(current);
    const top = (i: number): number =>
      Math.max(
        Math.min(channels[i].high, Number.isFinite(problem.total) ? problem.total / periods : 2 * spent),
        2 * plan.spend[i][0],
        1e-6,
      );
    const bound = boundOf(config, plan, spent);
    const areConcave = channels.every(({ curve }) => isConcave(curve));
    const isFull = problem.total - spent <= 1e-9 * problem.total;
    const warnings: Remark[] = [...problem.warnings];
    const maximum = channels.reduce((sum, { high }) => sum + high * periods, 0);
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
        curves: byId(
          channels.map(({ curve }, i) =>
            Array.from({ length: CURVE_POINTS }, (_, k) => {
              const x = (top(i) * k) / (CURVE_POINTS - 1);
              return [x, curve.value(x)];
            }),
          ),
        ),
        sensitivity: sensitivity(config, problem, spent, context),
        ...(problem.fit === null
          ? {}
          : {
              fit: {
                base: problem.fit.base,
                r_squared: problem.fit.rSquared,
                responses: Object.fromEntries(
                  problem.fit.fitted.map((name) => [name, { ...problem.responses[ids.indexOf(name)] }]),
                ),
              },
            }),
      },
      optimality: plan.isProven
        ? { status: 'optimal', bound, proof: areConcave ? 'convex_kkt' : 'branch_and_bound' }
        : { status: 'feasible', bound, proof: null },
      evaluations: 1,
      iterations: plan.iterations,
      nodes: plan.nodes,
      constraints: constraintsOf(config, problem, plan, spends),
      warnings,
      assumptions: [...problem.assumptions, ...assumptionsOf(config, isFlight)],
    };
  },

  verify(config, { bestSolution, bestFitness, result }) {
    const { spend, total_response, fit } = result as unknown as {
      readonly spend: Record<string, number>;
      readonly total_response: number;
      readonly fit?: { readonly responses: Record<string, Config['response']> };
    };
    const weights = weightsOf(config);
    const periods = weights.length;
    let response = 0;
    let spent = 0;
    for (const [i, channel] of config.channels.entries()) {
      const name = channel.id ?? String(i + 1);
      const x = bestSolution.slice(i * periods, (i + 1) * periods);
      const sum = sumOf(x);
      spent += sum;
      if (Math.abs(sum - spend[name]) > 1e-9 * (1 + sum)) return `the spends of ${name} add up to ${sum}`;
      const { min, max, min_share = 0, max_share = 1, current_spend, adstock_decay } = channel;
      const slack = 1e-8 * (1 + sum);
      const { budget = Infinity, change_limit = Infinity } = config;
      for (const one of x) {
        if (!(one >= min - slack && one <= (max ?? Infinity) + slack))
          return `the spend ${one} of ${name} is outside its limits`;
        if (current_spend !== undefined && Math.abs(one - current_spend) > change_limit * current_spend + slack) {
          return `the spend of ${name} changes too much`;
        }
      }
      if (
        budget < Infinity &&
        (sum < min_share * budget - slack || (periods === 1 && sum > max_share * budget + slack))
      ) {
        return `the share of ${name} is outside its limits`;
      }
      const given = fit?.responses[name] ?? channel.response ?? config.response;
      const known = given === undefined || (given.type === 'power' && given.scale === undefined) ? null : given;
      const exponent = given?.type === 'power' ? given.exponent : 0.5;
      const { current_response = NaN } = channel;
      // The steady state by its sum over the past, where the cycle is short; else as `inEffect` gives it.
      const effect = inEffect(x, adstock_decay);
      response += effect.reduce((total, y, t) => {
        const value =
          known === null
            ? current_response * (y / (current_spend ?? NaN)) ** exponent
            : curveOf(known, adstock_decay).value(y);
        return total + weights[t] * value;
      }, 0);
    }
    if (!(Math.abs(response - total_response) <= 1e-8 * (1 + Math.abs(response))))
      return `the curves add up to ${response}`;
    if (spent > (config.budget ?? Infinity) * periods * (1 + 1e-9)) return `${spent} is more than the budget`;
    const fitness = fitnessOf(config, response, spent);
    if (!(Math.abs(fitness - bestFitness) <= 1e-8 * (1 + Math.abs(fitness) + spent)))
      return `the objective is ${fitness}`;
    const t = targetReturn(config);
    if (config.objective.startsWith('target') && response < t * spent * (1 - 1e-8))
      return 'the return is below the target';
    if (countsInSpend(config) && response < (config.target ?? NaN) * (1 - 1e-8))
      return 'the response is below the target';
    return null;
  },

  explain(config, { bestFitness, result, optimality }) {
    const {
      share,
      total_response,
      total_spend,
      equal_split_response,
      lift,
      budget_multiplier,
      sensitivity: others,
    } = result as unknown as {
      readonly share: Record<string, number>;
      readonly total_response: number;
      readonly total_spend: number;
      readonly equal_split_response: number;
      readonly lift: number | null;
      readonly budget_multiplier: number;
      readonly sensitivity: readonly { readonly budget_change: number; readonly total_response: number | null }[];
    };
    const ranked = Object.entries(share).sort(([, a], [, b]) => b - a);
    const shown = ranked.filter(([, part]) => part > 1e-6).slice(0, 5);
    const none = ranked.filter(([, part]) => part <= 1e-6).map(([name]) => name);
    const parts = shown.map(([name], i) => `{share${i}} percent on ${quote(name)}`).join(', ');
    const evidence = Object.fromEntries(shown.map(([, part], i) => [`share${i}`, 100 * part]));
    const statements: Statement[] = [
      shown.length === 0
        ? say(1, 'result', 'Spend nothing: no spend reaches the target.', {})
        : say(1, 'result', `Spend {spent}: ${parts}. That brings a response of {response}.`, {
            ...evidence,
            spent: total_spend,
            response: total_response,
          }),
    ];
    if (isProfit(config)) statements.push(say(1, 'result', 'The profit is {profit}.', { profit: bestFitness }));
    if (none.length > 0 && shown.length > 0) {
      statements.push(
        say(
          2,
          'choice',
          `Nothing goes to ${quote(none.slice(0, 5).join(', '))}: its first units of money bring less than the last ones elsewhere.`,
          {},
        ),
      );
    }
    statements.push(
      optimality.status === 'optimal'
        ? say(
            2,
            'choice',
            `One more unit of ${config.objective.startsWith('maximize') ? 'budget' : 'spend'} would bring {multiplier}; no other division brings more than this one.`,
            {
              multiplier: budget_multiplier,
            },
          )
        : say(2, 'choice', 'No division can bring more than {bound}; whether one does is not known.', {
            bound: optimality.bound ?? bestFitness,
          }),
    );
    for (const { budget_change, total_response: other } of others) {
      if (other === null || Math.abs(budget_change) !== 0.2 || !(total_response > 0)) continue;
      const words = budget_change > 0 ? 'A budget 20 percent larger' : 'A budget 20 percent smaller';
      statements.push(
        say(4, 'sensitivity', `${words} would change the response by {change} percent.`, {
          change: 100 * (other / total_response - 1),
        }),
      );
    }
    if (lift !== null) {
      statements.push(
        say(5, 'alternatives', 'Against the current spend that is {lift} percent more.', { lift: 100 * lift }),
      );
    }
    statements.push(
      say(5, 'alternatives', 'The same money in equal parts would bring {equal}.', { equal: equal_split_response }),
    );
    return statements;
  },

  pictures: {
    response_curves: (config, { result }) => {
      const { curves, spend, response } = result as unknown as {
        readonly curves: Record<string, readonly (readonly [number, number])[]>;
        readonly spend: Record<string, number>;
        readonly response: Record<string, number>;
      };
      if (weightsOf(config).length > 1) return null;
      const names = Object.keys(curves)
        .sort((a, b) => spend[b] - spend[a])
        .slice(0, MOST_SERIES);
      return lineChart({
        title: 'Response by spend, and where each channel stands',
        xName: `spend per period (${config.currency ?? 'money'})`,
        yName: 'response',
        series: names.map((name) => ({ name, points: curves[name] })),
        marks: names.map((name) => ({ at: [spend[name], response[name]], name })),
      });
    },
    budget_curve: (_config, { result }) => {
      const {
        sensitivity: others,
        total_spend,
        total_response,
      } = result as unknown as {
        readonly sensitivity: readonly { readonly budget_change: number; readonly total_response: number | null }[];
        readonly total_spend: number;
        readonly total_response: number;
      };
      const known = others.flatMap(({ budget_change, total_response: y }) =>
        y === null ? [] : [[100 * budget_change, y] as const],
      );
      if (known.length < 2 || total_spend === 0) return null;
      const points = [...known, [0, total_response] as const].sort(([a], [b]) => a - b);
      return lineChart({
        title: 'Best response by the budget',
        xName: 'change of the budget (percent)',
        yName: 'total response',
        series: [{ name: 'response', points }],
        marks: [{ at: [0, total_response], name: 'this budget' }],
      });
    },
    flight_plan: (config, { result }) => {
      const { plan } = result as unknown as { readonly plan?: Record<string, readonly number[]> };
      if (plan === undefined) return null;
      const names = Object.keys(plan)
        .sort((a, b) => sumOf(plan[b]) - sumOf(plan[a]))
        .slice(0, MOST_SERIES);
      return lineChart({
        title: 'Spend by period',
        xName: 'period',
        yName: `spend (${config.currency ?? 'money'})`,
        series: names.map((name) => ({
          name,
          isStepped: true,
          points: [
            ...plan[name].map((x, t) => [t + 1, x] as const),
            [plan[name].length + 1, plan[name][plan[name].length - 1]] as const,
          ],
        })),
      });
    },
  },
});

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
      ...(config.objective.startsWith('maximize') ? { shadowPrice: worth } : {}),
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

export const budgetAllocation: ProblemType = {
  domain: 'marketing',
  name: 'budget_allocation',
  aliases: [],
  title: 'Budgets over channels',
  summary:
    'How to divide a budget among channels whose returns diminish or are S-shaped, now or over a cycle of periods.',
  models: [budgetModel],
  limits: {
    channels: MOST_CHANNELS,
    periods: MOST_PERIODS,
    channels_times_periods: MOST_CELLS,
    history_rows: MOST_ROWS,
    fitted_channels: MOST_FITTED,
  },
};
