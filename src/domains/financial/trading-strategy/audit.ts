/**
 * Backtests by definition: each indicator from its own window, the account by what it gains and pays at each bar. Slow,
 * and shares neither sums nor bookkeeping with the backtest that it checks.
 */
import { COUNTLESS, NOTHING, quantityOf, type Backtester, type Window } from './backtest.js';
import { INDEX_ROUNDING, ROUNDING } from './rules.js';
import { NOISE, type Statistics } from './statistics.js';

type At = (i: number) => number;

function averageOf(of: ArrayLike<number>, width: number): At {
  return (i) => {
    if (i < width - 1) return NaN;
    let sum = 0;
    for (let k = i - width + 1; k <= i; k++) sum += of[k];
    return sum / width;
  };
}

/** Recursive: each value from the one before. */
function smoothed(of: readonly number[], first: number, span: number, weight: number): number[] {
  const out = of.map(() => NaN);
  const start = first + span - 1;
  for (let i = start; i < of.length; i++) {
    if (i > start) out[i] = weight * of[i] + (1 - weight) * out[i - 1];
    else out[i] = of.slice(first, i + 1).reduce((sum, one) => sum + one / span, 0);
  }
  return out;
}

const exponential = (of: readonly number[], span: number, first = 0): number[] =>
  smoothed(of, first, span, 2 / (span + 1));

/** 1, 0 or -1 from the position before; null while there is nothing to decide from. */
type Rule = (i: number, before: number) => number | null;

function ruleOf({ rule, market }: Backtester, values: readonly number[]): Rule {
  const close = Array.from(market.close);
  const [a, b = NaN, c = NaN] = values;
  const above =
    (fast: At, slow: At): Rule =>
    (i) => {
      const [upper, lower] = [fast(i), slow(i)];
      if (Number.isNaN(upper + lower)) return null;
      return upper - lower > ROUNDING * lower ? 1 : -1;
    };
  const highest = (of: ArrayLike<number>, width: number, i: number): number => {
    let found = of[i - 1];
    for (let k = i - width; k < i; k++) if (of[k] > found) found = of[k];
    return found;
  };
  const lowest = (of: ArrayLike<number>, width: number, i: number): number => {
    let found = of[i - 1];
    for (let k = i - width; k < i; k++) if (of[k] < found) found = of[k];
    return found;
  };
  switch (rule.name) {
    case 'sma_crossover':
      return above(averageOf(close, a), averageOf(close, b));
    case 'ema_crossover': {
      const [fast, slow] = [exponential(close, a), exponential(close, b)];
      return above(
        (i) => fast[i],
        (i) => slow[i],
      );
    }
    case 'macd': {
      const [fast, slow] = [exponential(close, a), exponential(close, b)];
      const line = fast.map((value, i) => value - slow[i]);
      const signal = exponential(line, c, Math.max(a, b) - 1);
      return (i) => {
        if (Number.isNaN(signal[i])) return null;
        const size = Math.max(fast[i], slow[i]) + Math.abs(signal[i]);
        return line[i] - signal[i] > ROUNDING * size ? 1 : -1;
      };
    }
    case 'rsi_reversion': {
      const changes = close.map((value, i) => (i === 0 ? 0 : value - close[i - 1]));
      const up = smoothed(changes.map((change) => Math.max(change, 0)), 1, a, 1 / a); // prettier-ignore
      const down = smoothed(changes.map((change) => Math.max(-change, 0)), 1, a, 1 / a); // prettier-ignore
      return (i, before) => {
        if (Number.isNaN(up[i])) return null;
        const index = up[i] + down[i] > 0 ? 100 - 100 / (1 + up[i] / down[i]) : 50;
        if (index < b - INDEX_ROUNDING) return 1;
        return index > c + INDEX_ROUNDING ? -1 : before;
      };
    }
    case 'bollinger_reversion': {
      const average = averageOf(close, a);
      return (i, before) => {
        const middle = average(i);
        if (Number.isNaN(middle)) return null;
        let squares = 0;
        for (let k = i - a + 1; k <= i; k++) squares += (close[k] - middle) * (close[k] - middle);
        const spread = Math.sqrt(squares / a);
        const room = ROUNDING * middle;
        if (close[i] < middle - b * spread - room) return 1;
        if (close[i] > middle + b * spread + room) return -1;
        if (before === 1 && close[i] < middle - room) return 1;
        return before === -1 && close[i] > middle + room ? -1 : 0;
      };
    }
    case 'donchian_breakout':
      return (i, before) => {
        if (i < Math.max(a, b)) return null;
        if (close[i] > highest(market.high, a, i)) return 1;
        if (close[i] < lowest(market.low, a, i)) return -1;
        if (before === 1) return close[i] < lowest(market.low, b, i) ? 0 : 1;
        if (before === -1) return close[i] > highest(market.high, b, i) ? 0 : -1;
        return 0;
      };
    default:
      return (i) => {
        if (i < a) return null;
        if (close[i] > close[i - a] * (1 + b)) return 1;
        return close[i] < close[i - a] * (1 - b) ? -1 : 0;
      };
  }
}

/** Wanted at each close. */
export function auditPositions(tester: Backtester, values: readonly number[]): number[] {
  const { direction, signal } = tester.config;
  const decide = ruleOf(tester, values);
  const raw: (number | null)[] = [];
  const acted: number[] = [];
  for (let i = 0; i < tester.bars; i++) {
    const before = raw[i - 1] ?? null;
    const wanted = decide(i, before ?? 0);
    raw.push(wanted);
    const isActed = wanted !== null && (signal === 'state' || (before !== null && wanted !== before));
    const own = direction === 'long_only' ? Math.max(0, wanted ?? 0) : (wanted ?? 0);
    acted.push(isActed ? own : (acted[i - 1] ?? 0));
  }
  return acted;
}

/** Equity at the closes of the window: what is held is followed as money that grows with the price, not as shares. */
export function auditEquity(tester: Backtester, wanted: ArrayLike<number>, [from, to]: Window): number[] {
  const { close, fill } = tester.market;
  const { account } = tester;
  const { commission, slippage, isEntryAdjusted } = account;
  const exitCommission = isEntryAdjusted ? 0 : commission;
  const equity = [account.cash];
  let cash = account.cash;
  /** Value of the stock at the last price seen; below 0: sold short. */
  let stock = 0;
  let isOver = false;
  const sellAll = (): void => {
    const side = Math.sign(stock);
    const proceeds = stock * (1 - side * slippage) * (1 - side * exitCommission);
    cash += proceeds;
    stock = 0;
    isOver = cash <= NOTHING * Math.abs(proceeds);
  };
  for (let t = from + 1; t <= to; t++) {
    const before = t - 1 === from ? 0 : wanted[t - 2];
    if (!isOver && wanted[t - 1] !== before) {
      stock *= fill[t] / close[t - 1];
      if (stock !== 0) sellAll();
      const side = Math.sign(wanted[t - 1]);
      if (!isOver && side !== 0) {
        // Of one unit of money at the fill price: what a purchase costs, or a short sale brings in.
        const executed = 1 + side * slippage;
        const shares = quantityOf(account, cash, fill[t], side > 0 ? 1 : -1);
        const isCounted = account.isWhole && shares < COUNTLESS;
        const share = isCounted
          ? shares * (fill[t] / cash)
          : (1 - account.buffer) / (executed * (isEntryAdjusted ? 1 + side * commission : 1 + commission));
        const before = cash;
        stock = side * before * share;
        cash = side > 0 && !isCounted ? account.buffer * before : before - stock * executed * (1 + side * commission);
        if (side > 0 && cash < NOTHING * before) cash = 0;
      }
      stock *= close[t] / fill[t];
    } else stock *= close[t] / close[t - 1];
    if (stock !== 0 && cash + stock <= NOTHING * Math.abs(stock)) {
      sellAll();
      isOver = true;
    }
    equity.push(cash + stock);
  }
  return equity;
}

/** Figures that an objective can be made of, except those that follow from trades. */
export function auditFigures(
  equity: readonly number[],
  barsPerYear: number,
): Pick<Statistics, 'total_return' | 'sharpe' | 'sortino' | 'max_drawdown'> {
  const returns = equity.slice(1).map((value, i) => {
    const earned = equity[i] > 0 ? value / equity[i] - 1 : 0;
    return Math.abs(earned) < NOISE ? 0 : earned;
  });
  const n = returns.length;
  const mean = returns.reduce((sum, one) => sum + one, 0) / n;
  const variance = returns.reduce((sum, one) => sum + ((one - mean) / (n - 1)) * (one - mean), 0);
  const below = returns.reduce((sum, one) => sum + Math.min(0, one) * one, 0) / n;
  let fall = 0;
  for (let t = 0, peak = -Infinity; t < equity.length; t++) {
    peak = Math.max(peak, equity[t]);
    fall = Math.max(fall, 1 - equity[t] / peak);
  }
  return {
    total_return: (equity[equity.length - 1] - equity[0]) / equity[0],
    sharpe: mean * Math.sqrt(barsPerYear / variance),
    sortino: mean * Math.sqrt(barsPerYear / below),
    max_drawdown: fall,
  };
}

/** Difference between sums in another order, as a share of the largest equity so far. */
const ROOM = 1e-10;

/**
 * Where two ways to one equity differ by more than rounding does; null: nowhere. What is rounding while the equity is
 * large stays while it is small, and grows with it again.
 */
export function firstDifference(parts: readonly number[], curve: ArrayLike<number>): number | null {
  let room = 0;
  for (const [t, value] of parts.entries()) {
    const before = Math.abs(parts[t - 1] ?? value);
    const growth = before > 0 ? Math.abs(value) / before : 1;
    room = Math.max(room * Math.max(1, growth), ROOM * Math.abs(value));
    if (!(Math.abs(value - curve[t]) <= room)) return t;
  }
  return null;
}
