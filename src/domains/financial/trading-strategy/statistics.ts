/** Figures that practitioners ask of an equity curve and its trades. */
import { power } from '../../../common/float.js';
import type { JsonObject } from '../../../model/problem.js';

/** Null: it does not exist, for nothing happened, or because it would divide by 0. */
export interface Statistics {
  readonly total_return: number;
  /** Compounded, per year. */
  readonly cagr: number | null;
  readonly sharpe: number | null;
  readonly sortino: number | null;
  /** Volatility of a year. */
  readonly volatility: number | null;
  /** Largest fall from a peak, as a share of it: positive. */
  readonly max_drawdown: number;
  readonly calmar: number | null;
  /** Number of closed trades. */
  readonly trades: number;
  /** Share of the closed trades that won. */
  readonly win_rate: number | null;
  /** Gains of closed trades over losses of closed trades. */
  readonly profit_factor: number | null;
  /** Share of closes with a position. */
  readonly exposure: number;
  readonly position_changes: number;
}

export const OBJECTIVES = [
  'sharpe',
  'sortino',
  'calmar',
  'total_return',
  'cagr',
  'max_drawdown',
  'profit_factor',
] as const;
export type Objective = (typeof OBJECTIVES)[number];

/** Sums over the trades of a backtest. */
export interface Tally {
  closed: number;
  won: number;
  gains: number;
  losses: number;
  held: number;
  changes: number;
}

/** Returns, falls and profits, as shares of the equity, that are rounding. */
export const NOISE = 1e-13;
/** Smaller deviations, as a share of the mean size of a return, are rounding. */
const ROUNDING = 1e-12;

/** `returns`: room for the returns of the bars, overwritten. */
export function statisticsOf(
  equity: Float64Array,
  length: number,
  tally: Tally,
  barsPerYear: number,
  returns: Float64Array,
): Statistics {
  const periods = length - 1;
  const first = equity[0];
  const last = equity[periods];
  let [peak, drawdown, sum, size, below] = [first, 0, 0, 0, 0];
  for (let t = 1; t <= periods; t++) {
    const before = equity[t - 1];
    const value = equity[t];
    // Nothing is earned on a debt.
    let earned = before > 0 ? value / before - 1 : 0;
    if (earned < NOISE && earned > -NOISE) earned = 0;
    returns[t] = earned;
    sum += earned;
    size += earned < 0 ? -earned : earned;
    if (earned < 0) below += earned * earned;
    if (value > peak) peak = value;
    else {
      const fall = (peak - value) / peak;
      if (fall > drawdown && fall > NOISE) drawdown = fall;
    }
  }
  const mean = sum / periods;
  let squares = 0;
  for (let t = 1; t <= periods; t++) {
    const distance = returns[t] - mean;
    squares += distance * distance;
  }
  const year = Math.sqrt(barsPerYear);
  const deviation = periods > 1 ? Math.sqrt(squares / (periods - 1)) : NaN;
  const isSteady = !(deviation > (ROUNDING * size) / periods);
  const downside = Math.sqrt(below / periods);
  const cagr = last > 0 ? power(last / first, barsPerYear / periods) - 1 : -1;
  return {
    total_return: last / first - 1,
    cagr: finite(cagr),
    sharpe: isSteady ? null : finite((mean / deviation) * year),
    sortino: below > 0 ? finite((mean / downside) * year) : null,
    volatility: finite(deviation * year),
    max_drawdown: drawdown,
    calmar: drawdown > 0 ? finite(cagr / drawdown) : null,
    trades: tally.closed,
    win_rate: tally.closed > 0 ? tally.won / tally.closed : null,
    profit_factor: tally.losses > 0 ? finite(tally.gains / tally.losses) : null,
    exposure: tally.held / length,
    position_changes: tally.changes,
  };
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

export const asJson = (statistics: Statistics): JsonObject => ({ ...statistics });
