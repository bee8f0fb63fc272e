/**
 * The best parameter set of a window: every set where the budget allows it, else a search by the engine's strategies.
 */
import type { SolveContext } from '../../problem-type.js';
import type { Backtester, Window } from './backtest.js';
import type { Grid } from './grid.js';
import type { Objective, Statistics } from './statistics.js';

export interface Tried {
  readonly place: number;
  readonly values: readonly number[];
  readonly statistics: Statistics;
  readonly value: number;
}

export interface Choice {
  /** Best first, at most `TOP`. */
  readonly top: readonly Tried[];
  /** Different sets that were valued. */
  readonly tried: number;
  /** Sharpe ratios of one bar of all sets that have one. */
  readonly sharpes: readonly number[];
  readonly mostTrades: number;
  /** Null: every set was valued. */
  readonly strategy: string | null;
  /** False: the time was up. */
  readonly isComplete: boolean;
}

export const TOP = 10;

export const signOf = (objective: Objective): 1 | -1 => (objective === 'max_drawdown' ? -1 : 1);

/** `better`: told of each best one so far. */
export async function choose(
  tester: Backtester,
  grid: Grid,
  window: Window,
  budget: number,
  context: SolveContext,
  better?: (tried: Tried, count: number) => void,
): Promise<Choice> {
  const { objective, min_trades, bars_per_year } = tester.config;
  const sign = signOf(objective);
  const top: Tried[] = [];
  const sharpes: number[] = [];
  let tried = 0;
  let mostTrades = 0;
  const year = Math.sqrt(bars_per_year);
  const precedes = (a: Tried, b: Tried): boolean =>
    a.value === b.value ? a.place < b.place : sign * a.value > sign * b.value;
  const value = (place: number): number => {
    const values = grid.at(place);
    const statistics = tester.value(values, window);
    tried++;
    if (statistics.sharpe !== null) sharpes.push(statistics.sharpe / year);
    mostTrades = Math.max(mostTrades, statistics.trades);
    const worth = statistics[objective];
    if (worth === null || !Number.isFinite(worth) || statistics.trades < min_trades) return NaN;
    const one: Tried = { place, values, statistics, value: worth };
    const rank = top.findIndex((other) => precedes(one, other));
    if (rank === 0 || top.length === 0) better?.(one, tried);
    if (rank >= 0) top.splice(rank, 0, one);
    else if (top.length < TOP) top.push(one);
    if (top.length > TOP) top.pop();
    return worth;
  };

  if (grid.places.length <= budget) {
    for (const place of grid.places) {
      if (context.isOver()) return { top, tried, sharpes, mostTrades, strategy: null, isComplete: false };
      value(place);
    }
    return { top, tried, sharpes, mostTrades, strategy: null, isComplete: true };
  }
  const known = new Map<number, number>();
  const recalled = (place: number): number => {
    let worth = known.get(place);
    if (worth === undefined) known.set(place, (worth = value(place)));
    return worth;
  };
  const { bounds, placeAt } = boxOf(grid);
  const { strategy } = await context.search({
    bounds,
    direction: sign > 0 ? 'maximize' : 'minimize',
    maxEvaluations: budget,
    seed: context.seed,
    evaluate: (x) => recalled(placeAt(x)),
  });
  return { top, tried, sharpes, mostTrades, strategy, isComplete: !context.isOver() };
}

/** Share of all combinations that satisfy the constraints from which on the parameters themselves are searched. */
const DENSE = 0.25;

/** The box that a strategy searches, and the set that a point of it means: coordinates are indices of values. */
function boxOf(grid: Grid): {
  readonly bounds: readonly (readonly [number, number])[];
  readonly placeAt: (x: Float64Array) => number;
} {
  const { places, values } = grid;
  const indexOf = (x: number, length: number): number => Math.min(length - 1, Math.floor(x));
  const size = values.reduce((product, own) => product * own.length, 1);
  if (places.length < DENSE * size) {
    // In the order of the grid: most of the box would mean the same few sets.
    return { bounds: [[0, places.length]], placeAt: ([rank]) => places[indexOf(rank, places.length)] };
  }
  const free = values.flatMap((own, k) => (own.length > 1 ? [k] : []));
  const indices = values.map(() => 0);
  return {
    bounds: free.map((k) => [0, values[k].length] as const),
    placeAt(x) {
      for (const [j, k] of free.entries()) indices[k] = indexOf(x[j], values[k].length);
      return grid.allowedFrom(grid.placeOf(indices));
    },
  };
}
