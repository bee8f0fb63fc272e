/** The best weights for each objective that is a convex programme, with at most so many assets where that is asked. */
import { log, exp } from '../../../common/float.js';
import type { Proof, SolvingMethod } from '../../../model/problem.js';
import { Infeasible, Unbounded, Unsolved, type SolveContext } from '../../problem-type.js';
import { HIGHS } from '../../solvers/highs/linear-solver.js';
import type { Column, LinearProgram } from '../../solvers/linear-program.js';
import { branchOverColumns, type Membership } from '../../solvers/quadratic/few-columns.js';
import { solveConvex } from '../../solvers/quadratic/solve-convex.js';
import { tailProgramme } from '../tail.js';
import { boundsOf, currentWeights, type Bound, type Config, type Objective } from './config.js';
import type { Moments } from './moments.js';
import { curvature, homogenized, regionOf, type Region, type Terms } from './region.js';

export interface Optimum {
  readonly weights: Float64Array;
  /** Value to be minimized: variance, or the negative of a quantity to be maximized. */
  readonly value: number;
  /** No portfolio has a smaller value. */
  readonly bound: number;
  /** Change of the value for one more unit of a limit, by its name. Empty with a limit on the number of assets. */
  readonly prices: ReadonlyMap<string, number>;
  readonly method: SolvingMethod;
  readonly proof: Proof | null;
  readonly iterations: number;
  readonly nodes: number;
  readonly library?: string;
}

/** Precision, relative, to which the volatility of a maximal return agrees with the given one. */
const VOLATILITY_DIGITS = 1e-13;
const MAX_STEPS = 200;
/** Less volatility than this share of the largest of a single asset is rounding of the covariance. */
const RISKLESS = 1e-7;
/** Relative difference of values that is no gap. */
const CLOSED = 1e-9;

export interface Problem {
  readonly config: Config;
  readonly moments: Moments;
  readonly context: SolveContext;
}

/** @throws {Infeasible}, {Unbounded} */
export async function optimize(problem: Problem, objective: Objective = problem.config.objective): Promise<Optimum> {
  const { config, context } = problem;
  const bounds = boundsOf(config);
  const most = config.max_assets ?? bounds.length;
  if (most >= bounds.length && config.min_position === 0) {
    const found = await relaxed(problem, objective, bounds);
    return found ?? (await explainInfeasible(problem, objective));
  }
  const isLinear = (objective === 'max_return' && config.l2_penalty === 0) || objective === 'min_cvar';
  if (isLinear) return mixedInteger(problem, objective, most);
  const within = (membership: readonly Membership[]): Bound[] =>
    bounds.map((bound, j) => {
      if (membership[j] === 'out') return { lower: 0, upper: 0 };
      if (membership[j] === 'free') return { lower: Math.min(bound.lower, 0), upper: Math.max(bound.upper, 0) };
      return { ...bound, lower: config.min_position > 0 ? Math.max(bound.lower, config.min_position) : bound.lower };
    });
  let iterations = 0;
  let library: string | undefined;
  const { best, bound, nodes } = await branchOverColumns({
    columns: bounds.length,
    most,
    least: config.min_position,
    required: bounds.map(({ lower, upper }) => lower > 0 || upper < 0),
    relax: async (membership) => {
      const found = await relaxed(problem, objective, within(membership));
      iterations += found?.iterations ?? 0;
      library ??= found?.library;
      return found === null ? null : { value: found.value, weights: [...found.weights] };
    },
    gap: context.mode === 'fast' ? 1e-2 : CLOSED,
    isOver: () => context.isOver(),
    improved: () => undefined,
  });
  if (best === null) {
    context.look();
    return explainInfeasible(problem, objective);
  }
  const isClosed = best.value - bound <= 2 * CLOSED * Math.abs(best.value);
  return {
    weights: Float64Array.from(best.weights),
    value: best.value,
    bound,
    prices: new Map(),
    method: 'qp_branch_and_bound',
    proof: isClosed ? 'branch_and_bound' : null,
    iterations,
    nodes,
    library,
  };
}

/** Null: infeasible. Limits on single weights are those of `bounds`. */
async function relaxed(problem: Problem, objective: Objective, bounds: readonly Bound[]): Promise<Optimum | null> {
  switch (objective) {
    case 'max_sharpe':
      return ratio(problem, bounds, excessOf(problem), true);
    case 'max_diversification':
      return ratio(problem, bounds, volatilitiesOf(problem.moments), false);
    case 'efficient_risk':
      return mostReturn(problem, bounds);
    default: {
      const programme = programmeOf(problem, objective, bounds);
      return solveProgramme(problem, programme, programme.quadratic === undefined ? 'lp' : 'convex_qp');
    }
  }
}

async function solveProgramme(
  { moments, context }: Problem,
  programme: LinearProgram,
  method: 'lp' | 'convex_qp',
): Promise<Optimum | null> {
  const found =
    method === 'lp'
      ? { ...(await context.solveLinear(programme)), library: HIGHS }
      : await solveConvex(programme, context);
  if (found.status === 'infeasible') return null;
  if (found.status === 'interrupted') context.look();
  if (found.values === null || found.objective === null) throw new Error(`a bounded programme is ${found.status}`);
  return {
    weights: found.values.slice(0, moments.ids.length),
    value: found.objective,
    bound: found.objective,
    prices: new Map(programme.rows.map(({ name }, i) => [name, found.rowDuals?.[i] ?? 0])),
    method,
    proof: 'convex_kkt',
    iterations: found.iterations,
    nodes: 0,
    library: found.library,
  };
}

/** A minimization. `target`: least expected return. */
function programmeOf(
  { config, moments }: Problem,
  objective: Objective,
  bounds: readonly Bound[],
  target: number | undefined = config.target_return,
): LinearProgram {
  const { covariance, means, ids } = moments;
  const n = ids.length;
  const isOfReturn = objective === 'max_return' || objective === 'max_utility' || target !== undefined;
  const region = regionOf(config, bounds, isOfReturn);
  const rows = [...region.rows];
  if (target !== undefined)
    rows.push({ name: 'target_return', lower: target, terms: returnTerms(config, means, region) });
  const penalty = config.l2_penalty;
  const minusReturn = (): Column[] => priced(region.columns, returnTerms(config, means, region), -1);
  switch (objective) {
    case 'max_return':
      return {
        sense: 'minimize',
        columns: minusReturn(),
        rows,
        quadratic: penalty === 0 ? undefined : (curvature(new Float64Array(n * n), n, 2, penalty) ?? []),
      };
    case 'max_utility': {
      const half = config.risk_aversion / 2;
      const quadratic = curvature(covariance, n, 2 * half, penalty / half) ?? [];
      return { sense: 'minimize', columns: minusReturn(), rows, quadratic };
    }
    case 'min_cvar': {
      const at = region.columns.length;
      const tail = tailProgramme(moments.scenarios ?? [], config.confidence, { at, probabilities: null });
      const columns = priced([...region.columns, ...tail.columns], tail.cvar, 1);
      return { sense: 'minimize', columns, rows: [...rows, ...tail.rows] };
    }
    default:
      return {
        sense: 'minimize',
        columns: region.columns,
        rows,
        quadratic: curvature(covariance, n, 2, penalty) ?? [],
      };
  }
}

/** Expected return less the cost of trading. */
const returnTerms = ({ transaction_cost }: Config, means: Float64Array | null, { trades }: Region): Terms => [
  ...Array.from(means ?? [], (mean, j) => [j, mean] as const),
  ...(transaction_cost === 0 ? [] : trades.map((j) => [j, -transaction_cost] as const)),
];

function priced(columns: readonly Column[], terms: Terms, factor: number): Column[] {
  const costs = new Map(terms);
  return columns.map((column, j) => ({ ...column, cost: factor * (costs.get(j) ?? 0) }));
}

const excessOf = ({ config, moments }: Problem): Float64Array =>
  (moments.means ?? new Float64Array()).map((mean) => mean - config.risk_free_rate / config.net_exposure);

export const volatilitiesOf = ({ ids, covariance }: Moments): Float64Array =>
  Float64Array.from(ids, (_, j) => Math.sqrt(Math.max(0, covariance[j * (ids.length + 1)] ?? 0)));

/**
 * Most of gain'w over the volatility: least variance of scaled weights whose gain is fixed. `isPaid`: trades cost gain.
 * Source: Cornuejols and Tutuncu, Optimization Methods in Finance (2007), section 8.2.
 */
async function ratio(
  problem: Problem,
  bounds: readonly Bound[],
  gain: Float64Array,
  isPaid: boolean,
): Promise<Optimum | null> {
  const { config, moments } = problem;
  const n = moments.ids.length;
  const region = regionOf(config, bounds, isPaid);
  const unit = gain.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (unit === 0) return null;
  const { columns, rows } = homogenized(region, config.net_exposure);
  const terms: Terms = [
    ...Array.from(gain, (value, j) => [j, value / unit] as const),
    ...(isPaid ? region.trades.map((j) => [j, -config.transaction_cost / unit] as const) : []),
  ];
  const fixed = { name: 'gain', lower: 1, upper: 1, terms };
  const quadratic = curvature(moments.covariance, n, 2, config.l2_penalty) ?? [];
  const found = await solveProgramme(
    problem,
    { sense: 'minimize', columns, rows: [...rows, fixed], quadratic },
    'convex_qp',
  );
  if (found === null) return null;
  const sum = found.weights.reduce((total, value) => total + value, 0);
  const weights = found.weights.map((value) => (value * config.net_exposure) / sum);
  const risk = volatilityOf(moments, weights);
  if (!(found.value > 0) || isRiskless(moments, risk)) {
    throw new Unbounded(
      'Some portfolio without risk earns more than the risk-free rate: its ratio has no upper limit.',
    );
  }
  const value = -unit / Math.sqrt(found.value);
  return { ...found, weights, value, bound: value, prices: new Map() };
}

export const isRiskless = (moments: Moments, volatility: number): boolean =>
  volatility <= RISKLESS * Math.max(...volatilitiesOf(moments));

export function volatilityOf({ covariance, ids }: Moments, weights: ArrayLike<number>): number {
  const n = ids.length;
  let variance = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) variance += (weights[i] ?? 0) * (covariance[i * n + j] ?? 0) * (weights[j] ?? 0);
  }
  return Math.sqrt(Math.max(0, variance));
}

/** The most return within a volatility. */
async function mostReturn(problem: Problem, bounds: readonly Bound[]): Promise<Optimum | null> {
  const { config, moments } = problem;
  const limit = config.target_volatility ?? 0;
  const safest = await solveProgramme(problem, programmeOf(problem, 'min_volatility', bounds), 'convex_qp');
  if (safest === null) return null;
  if (config.l2_penalty > 0) return penalizedReturn(problem, bounds, limit);
  if (volatilityOf(moments, safest.weights) > limit * (1 + 1e-9)) return null;
  const programme = programmeOf(problem, 'max_return', bounds);
  const richest = await solveProgramme(problem, programme, 'lp');
  if (richest === null) return null;
  // Among those of equal return, the one of least risk.
  const most = -richest.value;
  const least = netReturn(config, moments, safest.weights);
  const safestAt = async (target: number): Promise<Optimum | null> =>
    solveProgramme(problem, programmeOf(problem, 'efficient_return', bounds, target), 'convex_qp');
  let high = most - 1e-12 * Math.max(1, Math.abs(most));
  let at: Optimum | null = null;
  let isLowered = false;
  // At its very end the frontier may be a single point, at which programmes resist: then begin a little below.
  for (const share of [1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 0]) {
    try {
      at = await safestAt(high);
      break;
    } catch (error) {
      if (!(error instanceof Unsolved) || share === 0) throw error;
      high = most - share * (most - least);
      isLowered = true;
    }
  }
  let iterations = 0;
  for (let step = 0; step < MAX_STEPS && at !== null; step++) {
    iterations += at.iterations;
    const over = at.value - limit * limit;
    const slope = at.prices.get('target_return') ?? 0;
    // The variance is convex in the return: Newton's steps come from above and never pass the root.
    if (over <= VOLATILITY_DIGITS * limit * limit || !(slope > 0)) {
      const value = -netReturn(config, moments, at.weights);
      if (step === 0 && isLowered && volatilityOf(moments, richest.weights) <= limit * (1 + 1e-12)) {
        return { ...richest, prices: new Map(), iterations };
      }
      // Where the beginning is already within the volatility, the tangent says how far beyond it a return can be.
      const reach = step > 0 || over > 0 ? high : slope > 0 ? Math.min(most, high - over / slope) : most;
      const bound = Math.min(value, -reach);
      const isClosed = value - bound <= 1e-6 * Math.abs(value) + 1e-9;
      return { ...at, value, bound, proof: isClosed ? at.proof : null, prices: new Map(), iterations };
    }
    const next = high - over / slope;
    if (next === high) return { ...at, value: -high, bound: -high, prices: new Map(), iterations };
    high = next;
    at = await safestAt(high);
  }
  // No return above that of least risk fits.
  const value = -netReturn(config, moments, safest.weights);
  return { ...safest, value, bound: value, prices: new Map(), iterations };
}

/**
 * With a penalty on squared weights: by the price of variance, at which the best portfolio has the volatility asked
 * for.
 */
async function penalizedReturn(problem: Problem, bounds: readonly Bound[], limit: number): Promise<Optimum | null> {
  const { config, moments } = problem;
  const n = moments.ids.length;
  const base = programmeOf(problem, 'max_return', bounds);
  const at = async (price: number): Promise<Optimum> => {
    const scaled = moments.covariance.map((value) => value * price);
    const quadratic = curvature(scaled, n, 2, config.l2_penalty) ?? [];
    const found = await solveProgramme(problem, { ...base, quadratic }, 'convex_qp');
    if (found === null) throw new Error('a programme lost its feasible points');
    return found;
  };
  const fits = ({ weights }: Optimum): boolean => volatilityOf(moments, weights) <= limit * (1 + 1e-12);
  const valued = (found: Optimum): Optimum => {
    const squares = found.weights.reduce((sum, weight) => sum + weight * weight, 0);
    const value = config.l2_penalty * squares - netReturn(config, moments, found.weights);
    // By Lagrange: no portfolio within the volatility is better than this.
    const bound = Math.min(value, found.value);
    return { ...found, value, bound, prices: new Map() };
  };
  const free = await at(0);
  if (fits(free)) return valued(free);
  let [low, high] = [1e-6, 1];
  let best = await at(high);
  for (let k = 0; k < 40 && !fits(best); k++) {
    low = high;
    high *= 10;
    best = await at(high);
  }
  if (!fits(best)) return null;
  for (let k = 0; k < MAX_STEPS; k++) {
    const middle = exp((log(low) + log(high)) / 2);
    if (!(middle > low && middle < high)) break;
    const found = await at(middle);
    if (fits(found)) [high, best] = [middle, found];
    else low = middle;
  }
  const squares = limit * limit * high;
  const { value, ...rest } = valued(best);
  return { ...rest, value, bound: Math.min(value, best.value - squares) };
}

export function netReturn(config: Config, { means }: Moments, weights: ArrayLike<number>): number {
  const gross = (means ?? new Float64Array()).reduce((sum, mean, j) => sum + mean * (weights[j] ?? 0), 0);
  return gross - config.transaction_cost * turnoverOf(config, weights);
}

export const turnoverOf = (config: Config, weights: ArrayLike<number>): number =>
  currentWeights(config).reduce((sum, current, j) => sum + Math.abs((weights[j] ?? 0) - current), 0);

/** Linear objectives with a limit on the number of assets or on small positions. */
async function mixedInteger(problem: Problem, objective: Objective, most: number): Promise<Optimum> {
  const { config, moments, context } = problem;
  const bounds = boundsOf(config);
  const loose = bounds.map(({ lower, upper }) => ({ lower: Math.min(lower, 0), upper: Math.max(upper, 0) }));
  const programme = programmeOf(problem, objective, loose);
  const columns = [...programme.columns];
  const rows = [...programme.rows];
  const held = bounds.map(({ lower, upper }, j) => {
    const isRequired = lower > 0 || upper < 0;
    const name = `${moments.ids[j]} is held`;
    const at = columns.push({ name, cost: 0, lower: isRequired ? 1 : 0, upper: 1, isInteger: true }) - 1;
    const least = config.min_position > 0 ? Math.max(lower, config.min_position) : lower;
    rows.push({ name, upper: 0, terms: [[j, 1], [at, -upper]] }, { name, lower: 0, terms: [[j, 1], [at, -least]] }); // prettier-ignore
    return at;
  });
  rows.push({ name: 'max_assets', upper: most, terms: held.map((j) => [j, 1]) });
  const found = await context.solveLinear({ ...programme, columns, rows }, { gap: context.mode === 'fast' ? 1e-2 : 0 });
  if (found.status === 'infeasible') return explainInfeasible(problem, objective);
  if (found.values === null || found.objective === null) {
    context.look();
    throw new Error(`a bounded programme is ${found.status}`);
  }
  const bound = Math.min(found.objective, found.bound ?? found.objective);
  const isClosed =
    found.status === 'optimal' && found.objective - bound <= 1e-6 * Math.max(1e-6, Math.abs(found.objective));
  return {
    weights: found.values.slice(0, bounds.length),
    value: found.objective,
    bound,
    prices: new Map(),
    method: 'milp',
    proof: isClosed ? 'branch_and_bound' : null,
    iterations: found.iterations,
    nodes: found.nodes,
    library: HIGHS,
  };
}

/** @throws {Infeasible} in any case */
async function explainInfeasible(problem: Problem, objective: Objective): Promise<never> {
  const { config, moments, context } = problem;
  const bounds = boundsOf(config);
  const { net_exposure: net, target_return, target_volatility } = config;
  const least = bounds.reduce((sum, { lower }) => sum + lower, 0);
  const most = bounds.reduce((sum, { upper }) => sum + upper, 0);
  const shown = (value: number): string => String(Number(value.toPrecision(6)));
  if (least > net + 1e-9) {
    throw new Infeasible(`The least weights add up to ${shown(least)}, more than net_exposure ${shown(net)}.`, [
      'min_weight',
      'net_exposure',
    ]);
  }
  if (most < net - 1e-9) {
    throw new Infeasible(`The largest weights add up to ${shown(most)}, less than net_exposure ${shown(net)}.`, [
      'max_weight',
      'net_exposure',
    ]);
  }
  const region = regionOf(config, bounds, false);
  const { status, conflict } = await context.solveLinear({
    sense: 'minimize',
    columns: region.columns,
    rows: region.rows,
  });
  if (status === 'infeasible') {
    // Columns and rows that only measure trades and sizes are no limits of anybody's.
    const names = [...new Set(conflict)].filter((name) => !/^(trade|bought|sold|size) of /.test(name));
    const listed =
      names.length === 0
        ? 'The limits on weights cannot hold together.'
        : `These limits cannot hold together: ${names.join(', ')}.`;
    throw new Infeasible(listed, names);
  }
  context.look();
  const richest =
    moments.means === null
      ? null
      : await relaxed(
          { ...problem, config: { ...config, target_return: undefined, l2_penalty: 0 } },
          'max_return',
          bounds,
        );
  const highest = richest === null ? Infinity : -richest.value;
  if (target_return !== undefined && highest < target_return) {
    const message = `The highest expected return within the limits is ${shown(highest)}, below target_return ${shown(target_return)}.`;
    throw new Infeasible(message, ['target_return']);
  }
  if (objective === 'max_sharpe' && highest <= config.risk_free_rate) {
    const message = `No portfolio within the limits earns more than the risk-free rate: the best expected return is ${shown(highest)}.`;
    throw new Infeasible(message, ['risk_free_rate']);
  }
  if (objective === 'efficient_risk' && target_volatility !== undefined) {
    const safest = await relaxed(problem, 'min_volatility', bounds);
    const lowest = safest === null ? 0 : volatilityOf(moments, safest.weights);
    if (lowest > target_volatility) {
      const message = `The lowest volatility within the limits is ${shown(lowest)}, above target_volatility ${shown(target_volatility)}.`;
      throw new Infeasible(message, ['target_volatility']);
    }
  }
  const held = config.max_assets === undefined ? [] : ['max_assets'];
  const small = config.min_position === 0 ? [] : ['min_position'];
  const rest = config.target_return === undefined ? [] : ['target_return'];
  const names = [...held, ...small, ...rest];
  throw new Infeasible(
    `No portfolio satisfies ${names.length === 0 ? 'the limits' : names.join(' and ')} together with the limits on weights.`,
    names,
  );
}

/** Least variance for a given return: a point of the frontier. Null: infeasible. */
export const atReturn = async (problem: Problem, target: number): Promise<Optimum | null> => {
  const config = { ...problem.config, target_return: target };
  try {
    return await optimize({ ...problem, config }, 'efficient_return');
  } catch (error) {
    if (error instanceof Infeasible) return null;
    throw error;
  }
};
