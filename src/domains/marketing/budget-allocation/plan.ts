/**
 * The spends of a budget problem. Concave curves: money goes to where the next unit brings most, until all bring the
 * same. S-shaped ones: branch and bound (`allocate.ts`). Targets: the largest total that keeps a return, or the least
 * that brings a response, by a search over totals that skips none which could do.
 * Sources: Dorfman and Steiner 1954; Jin, Wang, Sun, Chan and Koehler 2017 (carry-over and shape effects).
 */
import { type Problem, type Config, weightsOf } from './config.js';
import { type Channel, fly } from './flighting.js';
import { type SolveContext, Unbounded, Infeasible } from '../../problem-type.js';
import { type Division, allocate } from './allocate.js';
import { MOST } from './curves.js';
import { targetReturn } from './objective.js';

const MOST_TOTALS = 2_000;

export interface Plan {
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
export const sumOf = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);

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
export function oneMore(
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

export function planWithin(config: Config, problem: Problem, total: number, context: SolveContext): Plan {
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

export function planOf(config: Config, problem: Problem, context: SolveContext): Plan {
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
