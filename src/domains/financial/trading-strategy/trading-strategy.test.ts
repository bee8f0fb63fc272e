import { describe, expect, it } from 'vitest';
import {
  guideConfigs,
  referenceCases,
  referenceText,
  solveConfig,
  solved,
  type ReferenceCase,
} from '../../../../test/support/problems.js';
import type { Json as Known } from '../../../../test/support/service.js';
import { Rng } from '../../../common/rng.js';
import { checkConfig } from '../../configs.js';
import { Backtester, type Trade } from './backtest.js';
import type { RuleConfig } from './rule-fields.js';
import { ConstraintError, parseConstraint } from './constraint.js';
import { deflated, deflatedSharpe, expectedMaximum } from './deflated-sharpe.js';
import { RULES } from './rules.js';
import { tradingStrategy } from './trading-strategy.js';

const cases = referenceCases('financial', 'trading_strategy');

function googleBars() {
  const rows = referenceText('financial', 'prices/GOOG.csv').trim().split('\n').slice(1);
  const cells = rows.map((row) => row.split(','));
  const column = (k: number): number[] => cells.map((row) => Number(row[k]));
  return { open: column(1), high: column(2), low: column(3), close: column(4), time: cells.map(([date]) => date) };
}

const configOf = ({ instance, config }: ReferenceCase): Record<string, unknown> =>
  instance === undefined ? config : { ...config, bars: googleBars() };

// A backtest written out: at each bar the rule is given the closes so far as a list of their own.

interface Bars {
  readonly open?: readonly number[];
  readonly high?: readonly number[];
  readonly low?: readonly number[];
  readonly close: readonly number[];
}

const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;

function ema(of: readonly number[], span: number): number[] {
  const out: number[] = [];
  for (let i = span - 1; i < of.length; i++) {
    const before = out.at(-1);
    out.push(before === undefined ? mean(of.slice(0, span)) : before + (2 / (span + 1)) * (of[i] - before));
  }
  return out;
}

function rsi(closes: readonly number[], period: number): number {
  const changes = closes.slice(1).map((one, i) => one - closes[i]);
  let up = mean(changes.slice(0, period).map((one) => Math.max(0, one)));
  let down = mean(changes.slice(0, period).map((one) => Math.max(0, -one)));
  for (const change of changes.slice(period)) {
    up = (up * (period - 1) + Math.max(0, change)) / period;
    down = (down * (period - 1) + Math.max(0, -change)) / period;
  }
  return up + down === 0 ? 50 : (100 * up) / (up + down);
}

const TIE = 1e-11;
const compared = (a: number, b: number): number => (Math.abs(a - b) <= TIE * Math.abs(b) ? 0 : Math.sign(a - b));

/** Wanted at the last close of what is given, from the one wanted before; null: not enough bars. */
function wantedBy(model: string, p: Known, bars: Required<Bars>, before: number): number | null {
  const { close, high, low } = bars;
  const n = close.length;
  const last = close[n - 1];
  switch (model) {
    case 'sma_crossover': {
      if (n < Math.max(p['fast'], p['slow'])) return null;
      return compared(mean(close.slice(-p['fast'])), mean(close.slice(-p['slow']))) > 0 ? 1 : -1;
    }
    case 'ema_crossover': {
      const [fast, slow] = [ema(close, p['fast']).at(-1), ema(close, p['slow']).at(-1)];
      return fast === undefined || slow === undefined ? null : compared(fast, slow) > 0 ? 1 : -1;
    }
    case 'macd': {
      const [fast, slow] = [ema(close, p['fast']), ema(close, p['slow'])];
      const length = Math.min(fast.length, slow.length);
      const line = Array.from({ length }, (_, i) => fast.at(i - length)! - slow.at(i - length)!);
      const signal = ema(line, p['signal']).at(-1);
      return signal === undefined
        ? null
        : line.at(-1)! - signal > TIE * (Math.max(fast.at(-1)!, slow.at(-1)!) + Math.abs(signal))
          ? 1
          : -1;
    }
    case 'rsi_reversion': {
      if (n <= p['period']) return null;
      const index = rsi(close, p['period']);
      return index < p['oversold'] - 1e-8 ? 1 : index > p['overbought'] + 1e-8 ? -1 : before;
    }
    case 'bollinger_reversion': {
      if (n < p['period']) return null;
      const window = close.slice(-p['period']);
      const middle = mean(window);
      const width = p['deviations'] * Math.sqrt(mean(window.map((one) => (one - middle) ** 2)));
      if (last < middle - width && compared(last, middle - width) < 0) return 1;
      if (last > middle + width && compared(last, middle + width) > 0) return -1;
      if (before === 1) return compared(last, middle) >= 0 ? 0 : 1;
      return before === -1 && compared(last, middle) > 0 ? -1 : 0;
    }
    case 'donchian_breakout': {
      const [entry, exit] = [p['entry'] as number, p['exit'] as number];
      if (n <= Math.max(entry, exit)) return null;
      const before1 = (of: readonly number[], k: number) => of.slice(n - 1 - k, n - 1);
      if (last > Math.max(...before1(high, entry))) return 1;
      if (last < Math.min(...before1(low, entry))) return -1;
      if (before === 1) return last < Math.min(...before1(low, exit)) ? 0 : 1;
      if (before === -1) return last > Math.max(...before1(high, exit)) ? 0 : -1;
      return 0;
    }
    default: {
      if (n <= p['lookback']) return null;
      const earlier = close[n - 1 - p['lookback']];
      return last > earlier * (1 + p['threshold']) ? 1 : last < earlier * (1 - p['threshold']) ? -1 : 0;
    }
  }
}

/** Wanted at every close, and what is acted on. */
function decisions(config: Known, p: Known): number[] {
  const source: Bars = config['bars'] ?? { close: config['close'] };
  const { close } = source;
  const [high, low] = [source.high ?? close, source.low ?? close];
  const acted: number[] = [];
  let before: number | null = null;
  for (let i = 0; i < close.length; i++) {
    const seen = { open: [], close: close.slice(0, i + 1), high: high.slice(0, i + 1), low: low.slice(0, i + 1) };
    const wanted = wantedBy(config['model'], p, seen, before ?? 0);
    let act = acted.at(-1) ?? 0;
    const isEvent = config['signal'] === 'cross_event';
    if (wanted !== null && (!isEvent || (before !== null && wanted !== before))) {
      act = config['direction'] === 'long_short' ? wanted : Math.max(0, wanted);
    }
    if (wanted !== null) before = wanted;
    acted.push(act);
  }
  return acted;
}

/** Money by money: what the account holds, what it pays and gets. */
function follow(config: Known, acted: readonly number[], from = 0, to = acted.length - 1) {
  const source: Bars = config['bars'] ?? { close: config['close'] };
  const { close, open } = source;
  const commission = config['commission'] ?? 0;
  const slippage = config['slippage'] ?? 0;
  const adjusted = config['commission_model'] === 'entry_price_adjusted';
  const isSame = config['execution'] === 'same_close' || open === undefined;
  let cash = config['initial_cash'] ?? 1;
  let shares = 0;
  let before = 0;
  let isRuined = false;
  const equity = [cash];
  const profits: number[] = [];
  let started = cash;
  const closeOut = (price: number): void => {
    const value = Math.abs(shares) * price * (shares > 0 ? 1 - slippage : 1 + slippage);
    cash += Math.sign(shares) * value - (adjusted ? 0 : commission * value);
    profits.push(Math.abs(cash - started) > 1e-12 * started ? cash - started : 0);
    shares = 0;
  };
  for (let t = from + 1; t <= to; t++) {
    const wanted = acted[t - 1];
    const price = isSame ? close[t - 1] : open[t];
    if (wanted !== before && !isRuined) {
      if (shares !== 0) closeOut(price);
      isRuined = cash <= 0;
      if (!isRuined && wanted !== 0) {
        const executed = price * (1 + wanted * slippage);
        let count =
          (cash * (1 - (config['cash_buffer'] ?? 0))) /
          executed /
          (adjusted ? 1 + wanted * commission : 1 + commission);
        if (config['fractional_shares'] === false) count = Math.floor(count + 1e-9);
        started = cash;
        cash -= wanted * count * executed + commission * count * executed;
        shares = wanted * count;
      }
      before = wanted;
    }
    if (shares !== 0 && cash + shares * close[t] <= 0) {
      closeOut(close[t]);
      isRuined = true;
    }
    equity.push(cash + shares * close[t]);
  }
  const returns = equity.slice(1).map((one, i) => (equity[i]! > 0 ? one / equity[i]! - 1 : 0));
  const average = mean(returns);
  const deviation = Math.sqrt(returns.reduce((sum, one) => sum + (one - average) ** 2, 0) / (returns.length - 1));
  const year = config['bars_per_year'] ?? 252;
  const peaks = equity.map((_, t) => Math.max(...equity.slice(0, t + 1)));
  const max_drawdown = Math.max(...equity.map((one, t) => (peaks[t] - one) / peaks[t]));
  const ratio = equity.at(-1)! / equity[0]!;
  const cagr = ratio > 0 ? ratio ** (year / returns.length) - 1 : -1;
  const gains = profits.filter((one) => one > 0).reduce((sum, one) => sum + one, 0);
  const losses = -profits.filter((one) => one <= 0).reduce((sum, one) => sum + one, 0);
  const downside = Math.sqrt(mean(returns.map((one) => Math.min(0, one) ** 2)));
  const or = (value: number, exists: boolean): number | null => (exists ? value : null);
  return {
    equity,
    returns,
    trades: profits.length,
    total_return: ratio - 1,
    cagr,
    max_drawdown,
    sharpe: or((average / deviation) * Math.sqrt(year), deviation > 1e-15),
    sortino: or((average / downside) * Math.sqrt(year), downside > 0),
    calmar: or(cagr / max_drawdown, max_drawdown > 0),
    profit_factor: or(gains / losses, losses > 0),
  };
}

type Objective = 'sharpe' | 'sortino' | 'calmar' | 'total_return' | 'cagr' | 'max_drawdown' | 'profit_factor';

const valuesOf = (given: unknown): number[] => {
  if (typeof given === 'number') return [given];
  const { min, max, step } = given as { min: number; max: number; step: number };
  const values: number[] = [];
  for (let k = 0; min + k * step <= max + 1e-9; k++) values.push(Number((min + k * step).toFixed(9)));
  return values;
};

/** Every parameter set of a config that satisfies `holds`, valued. */
function enumerate(config: Known, holds: (p: Known) => boolean, from = 0, to?: number) {
  let sets: Known[] = [{}];
  for (const [name, given] of Object.entries(config['parameters'] as object)) {
    sets = sets.flatMap((set) => valuesOf(given).map((value) => ({ ...set, [name]: value })));
  }
  const objective = (config['objective'] ?? 'sharpe') as Objective;
  const sign = objective === 'max_drawdown' ? -1 : 1;
  return sets
    .filter(holds)
    .map((p) => ({ p, ...follow(config, decisions(config, p), from, to) }))
    .filter((one) => one[objective] !== null && one.trades >= (config['min_trades'] ?? 0))
    .map((one) => ({ ...one, value: one[objective]! }))
    .sort((a, b) => sign * (b.value - a.value));
}

const near = (a: number, b: number, room = 1e-8): boolean => Math.abs(a - b) <= room * (1 + Math.abs(b));

/** A walk in whole numbers or in floats, with bars around the closes. */
function randomBars(rng: Rng, n: number, isWhole: boolean): Required<Bars> {
  const round = (value: number): number => (isWhole ? Math.max(1, Math.round(value)) : value);
  const close: number[] = [];
  let price = 50 + 100 * rng.uniform();
  for (let i = 0; i < n; i++) close.push(round((price *= 1 + 0.06 * (rng.uniform() - 0.49))));
  const open = close.map((one, i) => round((close[i - 1] ?? one) * (1 + 0.01 * (rng.uniform() - 0.5))));
  const high = close.map((one, i) => Math.max(one, open[i]) * (1 + 0.005 * rng.uniform()));
  const low = close.map((one, i) => Math.min(one, open[i]) * (1 - 0.005 * rng.uniform()));
  return { open, high, low, close };
}

const PARAMETERS: Readonly<Record<string, (from: (low: number, high: number) => number) => Known>> = {
  sma_crossover: (from) => ({ fast: { min: 1, max: from(3, 6), step: 1 }, slow: { min: 4, max: 20, step: from(3, 6) } }),
  ema_crossover: (from) => ({ fast: { min: 2, max: 6, step: from(1, 2) }, slow: { min: 5, max: 20, step: from(3, 7) } }),
  rsi_reversion: (from) => ({ period: { min: 3, max: 9, step: from(2, 3) }, oversold: from(25, 45), overbought: { min: 55, max: 75, step: 5 } }),
  bollinger_reversion: (from) => ({ period: { min: 4, max: 14, step: from(2, 5) }, deviations: { min: 0.8, max: 2, step: 0.4 } }),
  macd: (from) => ({ fast: { min: 2, max: 5, step: 1 }, slow: from(7, 12), signal: { min: 2, max: 8, step: from(2, 3) } }),
  donchian_breakout: (from) => ({ entry: { min: 3, max: 12, step: from(2, 4) }, exit: { min: 2, max: 8, step: 3 } }),
  momentum: (from) => ({ lookback: { min: 2, max: 20, step: from(2, 4) }, threshold: { min: 0, max: 0.04, step: 0.02 } }),
}; // prettier-ignore

function randomConfig(model: string, seed: number): Known {
  const rng = Rng.create(seed).split(model);
  const from = (low: number, high: number): number => low + rng.below(high - low + 1);
  const pick = <T>(...of: T[]): T => of[rng.below(of.length)];
  const bars = randomBars(rng, from(40, 90), rng.uniform() < 0.5);
  const isWhole = rng.uniform() < 0.3;
  return {
    model,
    ...(rng.uniform() < 0.25 ? { close: bars.close } : { bars, execution: pick('next_open', 'same_close') }),
    parameters: PARAMETERS[model](from),
    direction: pick('long_only', 'long_short'),
    objective: pick('sharpe', 'sharpe', 'sortino', 'calmar', 'total_return', 'cagr', 'max_drawdown', 'profit_factor'),
    commission: pick(0, 0.001, 0.01),
    slippage: pick(0, 0, 0.002),
    signal: pick('state', 'state', 'cross_event'),
    commission_model: pick('per_side', 'per_side', 'entry_price_adjusted'),
    cash_buffer: pick(0, 0, 0.05),
    initial_cash: isWhole ? 5_000 : pick(1, 1_000),
    fractional_shares: !isWhole,
    min_trades: pick(0, 0, 1),
    bars_per_year: pick(252, 52),
  };
}

const holdsFor =
  (model: string) =>
  (p: Known): boolean =>
    model !== 'rsi_reversion' || p['oversold'] < p['overbought'];

describe('reference cases', () => {
  it.skipIf(cases === null).each((cases ?? []).map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    const config = configOf(one);
    const { bestSolution, bestFitness, answer, method } = await solved(tradingStrategy, config);
    const { result } = answer as { result: Known };
    const expected = one.expected as Known;
    expect(answer.optimality.status).toBe('optimal');
    switch (config['model']) {
      case 'kelly_sizing':
        for (const name of ['fraction', 'growth_rate', 'excess_growth_rate']) {
          if (name in expected) expect(near(result[name], expected[name], 1e-9)).toBe(true);
        }
        for (const [i, value] of ((expected['leverage'] ?? []) as number[]).entries()) {
          expect(near(result['leverage'][i], value)).toBe(true);
        }
        expect(method).toBe('closed_form');
        return;
      case 'optimal_execution':
        expect(result['kappa']).toBeCloseTo(expected['kappa'], 9);
        for (const name of ['holdings', 'trades']) {
          for (const [j, value] of (expected[name] as number[]).entries())
            expect(result[name][j]).toBeCloseTo(value, 3);
        }
        expect(near(result['expected_cost'], expected['expected_cost'], 1e-9)).toBe(true);
        expect(near(result['cost_std'], expected['cost_std'], 1e-9)).toBe(true);
        expect(bestSolution).toEqual(result['holdings'].slice(1));
        return;
      case 'perfect_foresight_bound':
        expect(bestFitness).toBeCloseTo(expected['max_profit'], 6);
        return;
    }
    const [fast, slow] = bestSolution;
    const again = follow(config, decisions(config, { fast, slow }));
    expect(result['trades_closed']).toBe(again.trades);
    expect(near(result['equity_final'], again.equity.at(-1), 1e-9)).toBe(true);
    if (expected['equity_final'] !== undefined) {
      expect(Math.abs(result['equity_final'] - expected['equity_final'])).toBeLessThan(0.01);
      expect(Math.abs(result['equity_peak'] - expected['equity_peak'])).toBeLessThan(0.01);
      expect(result['trades_closed']).toBe(expected['trades_closed']);
      expect(result['total_return_pct']).toBeCloseTo(expected['total_return_pct'], 2);
      return;
    }
    expect([fast, slow]).toEqual([expected['fast'], expected['slow']]);
    expect(bestFitness).toBeCloseTo(expected['objective_value'], 8);
    expect(again[config['objective'] as Objective]).toBeCloseTo(bestFitness, 9);
    for (const [name, value] of Object.entries(expected['stats'] as Record<string, number>)) {
      expect(result['in_sample'][name]).toBeCloseTo(value, 8);
    }
    for (const name of ['rebalances', 'combinations']) expect(result[name]).toBe(expected[name]);
    expect(result['second_best']).toBeCloseTo(expected['second_best'], 8);
    expect(answer.warnings.map(({ code }) => code)).toContain('no_out_of_sample');
  });
});

describe.each(RULES.map(({ name }) => name))('%s', (model) => {
  it('chooses what a backtest written out says is best, on 25 random instances', async () => {
    let traded = 0;
    for (let seed = 1; seed <= 25; seed++) {
      const config = randomConfig(model, seed);
      const known = enumerate(config, holdsFor(model));
      const outcome = await solveConfig(tradingStrategy, config);
      if ('error' in outcome) {
        expect([seed, outcome.error.code, known.length]).toEqual([seed, 'infeasible', 0]);
        continue;
      }
      const { bestFitness, answer } = outcome;
      const [best] = known;
      expect([seed, near(bestFitness, best.value)]).toEqual([seed, true]);
      const { result } = answer as { result: Known };
      const own = known.find(({ p }) =>
        Object.entries(p).every(([name, value]) => result['parameters'][name] === value),
      )!;
      // Ties are broken by the order of the grid.
      expect(near(own.value, best.value)).toBe(true);
      expect(result['in_sample'].trades).toBe(own.trades);
      expect(near(result['in_sample'].total_return, own.total_return)).toBe(true);
      expect(near(result['in_sample'].max_drawdown, own.max_drawdown)).toBe(true);
      for (const { bar, equity } of result['equity_curve']) expect(near(equity, own.equity[bar])).toBe(true);
      for (const [i, one] of result['top'].entries()) expect(near(one.objective_value, known[i].value)).toBe(true);
      traded += own.trades;
    }
    expect(traded).toBeGreaterThan(25);
  });

  it('decides nothing by what comes later', () => {
    const rng = Rng.create(3).split(model);
    for (let round = 0; round < 20; round++) {
      const config = { ...randomConfig(model, 100 + round), objective: 'total_return', min_trades: 0 };
      const source: Required<Bars> = config['bars'] ?? { close: config['close'] };
      const n = source.close.length;
      const i = 5 + rng.below(n - 10);
      const altered = (of: readonly number[]): number[] =>
        of.map((one, k) => (k <= i ? one : one * (0.2 + 3 * rng.uniform())));
      // Highs above lows whatever the draws are.
      const later: Known =
        'bars' in config
          ? { ...config, bars: { open: altered(source.open), high: source.high.map((one, k) => (k <= i ? one : 4 * one)), low: source.low.map((one, k) => (k <= i ? one : one / 6)), close: altered(source.close) } } // prettier-ignore
          : { ...config, close: altered(source.close) };
      const testers = [config, later].map((one) => {
        const checked = checkConfig(tradingStrategy, one).config as RuleConfig;
        return new Backtester(
          RULES.find(({ name }) => name === model)!,
          checked,
        );
      });
      const values = Object.values(config['parameters'] as object).map((given) => valuesOf(given)[0]);
      const [before, after] = testers.map((tester) =>
        Array.from(tester.positions(values, new Int8Array(n)).slice(0, i + 1)),
      );
      expect(after).toEqual(before);
      // What the account did up to that close does not change either.
      const [first, second] = testers.map((tester) => {
        const curve = new Float64Array(n);
        tester.follow(tester.positions(values), [0, n - 1], curve);
        return Array.from(curve.slice(0, i + 1));
      });
      expect(second).toEqual(first);
    }
  });
});

describe('every rule', () => {
  const rules = RULES.map((rule) => [rule.name, rule] as const);

  it.each(rules)('%s trades at an open what was decided before that bar has a close', (model, rule) => {
    const rng = Rng.create(8).split(model);
    let compared = 0;
    for (let round = 0; round < 20; round++) {
      const { close, open } = randomBars(rng, 60, round % 2 === 0);
      const i = 10 + rng.below(45);
      const values = Object.values(PARAMETERS[model]((low) => low)).map((given) => valuesOf(given)[0]);
      const [before, after] = [close, close.map((one, k) => (k < i ? one : one * (0.8 + 0.4 * rng.uniform())))].map((own) => {
        const config = { model, bars: { open, close: own }, direction: 'long_short' };
        const tester = new Backtester(rule, checkConfig(tradingStrategy, config).config as RuleConfig);
        const trades: Trade[] = [];
        tester.follow(tester.positions(values), [0, 59], new Float64Array(60), trades);
        return trades
          .filter(({ entryBar }) => entryBar <= i)
          .map(({ entryBar, entryPrice, side, quantity, exitBar, exitPrice }) =>
            exitBar !== null && exitBar <= i
              ? [entryBar, entryPrice, side, quantity, exitBar, exitPrice]
              : [entryBar, entryPrice, side, quantity],
          );
      });
      expect(after).toEqual(before);
      compared += before.length;
    }
    expect(compared).toBeGreaterThan(0);
  }); // prettier-ignore

  it.each(rules)('%s does not care in which unit prices are', async (model) => {
    for (let seed = 200; seed < 205; seed++) {
      const config = {
        ...randomConfig(model, seed),
        fractional_shares: true,
        objective: 'total_return',
        min_trades: 0,
      };
      const scaled = JSON.parse(JSON.stringify(config));
      const scale = (of: number[]): number[] => of.map((one) => one * 1024);
      if (scaled['bars'] === undefined) scaled['close'] = scale(scaled['close']);
      else for (const name of ['open', 'high', 'low', 'close']) scaled['bars'][name] = scale(scaled['bars'][name]);
      const [one, other] = [await solved(tradingStrategy, config), await solved(tradingStrategy, scaled)];
      expect(other.bestSolution).toEqual(one.bestSolution);
      expect(other.answer.result['in_sample']).toEqual(one.answer.result['in_sample']);
    }
  });
});

describe('validation', () => {
  const bars = randomBars(Rng.create(9), 150, false);
  const base = {
    model: 'sma_crossover',
    bars,
    parameters: { fast: { min: 2, max: 6, step: 1 }, slow: { min: 5, max: 20, step: 5 } },
    constraint: 'fast < slow',
    commission: 0.001,
    objective: 'total_return',
  };
  const holds = ({ fast, slow }: Known): boolean => fast < slow;

  it.each([true, false])('walks forward, anchored %s', async (anchored) => {
    const config = { ...base, validation: { method: 'walk_forward', train_bars: 60, test_bars: 25, anchored } };
    const { answer, evaluations, bestSolution } = await solved(tradingStrategy, config);
    const { result } = answer as { result: Known };
    expect(result['folds']).toHaveLength(4);
    const acted = new Array<number>(150).fill(0);
    for (const [k, fold] of (result['folds'] as Known[]).entries()) {
      const split = 59 + 25 * k;
      const [best] = enumerate(config, holds, anchored ? 0 : split - 59, split);
      expect(fold['parameters']).toEqual(best.p);
      const end = Math.min(149, split + 25);
      const own = decisions(config, best.p);
      const tested = follow(config, own, split, end);
      expect(near(fold['out_of_sample'].total_return, tested.total_return)).toBe(true);
      expect(fold['test']).toEqual({ from_bar: split + 1, to_bar: end });
      for (let i = split; i < end; i++) acted[i] = own[i]!;
    }
    const whole = follow(config, acted, 59, 149);
    expect(near(result['out_of_sample'].total_return, whole.total_return)).toBe(true);
    expect(near(result['out_of_sample'].sharpe, whole.sharpe!)).toBe(true);
    const [final] = enumerate(config, holds, anchored ? 0 : 90, 149);
    expect(bestSolution).toEqual(Object.values(final.p));
    expect(evaluations).toBe(5 * result['combinations']);
    const positive = result['folds'].filter((fold: Known) => fold['out_of_sample'].total_return > 0).length / 4;
    expect(result['overfitting'].share_of_folds_positive).toBe(positive);
    expect(answer.warnings.map(({ code }) => code)).not.toContain('no_out_of_sample');
  });

  it('holds the last bars out', async () => {
    const config = { ...base, validation: { method: 'holdout', train_bars: 80, test_bars: 40 } };
    const { answer, bestSolution } = await solved(tradingStrategy, config);
    const [best] = enumerate(config, holds, 30, 109);
    expect(bestSolution).toEqual(Object.values(best.p));
    const { result } = answer as { result: Known };
    const tested = follow(config, decisions(config, best.p), 109, 149);
    expect(near(result['out_of_sample'].total_return, tested.total_return)).toBe(true);
    expect(result['in_sample']).toMatchObject({ from_bar: 30, to_bar: 109 });
    expect(result['out_of_sample']).toMatchObject({ from_bar: 110, to_bar: 149 });
    const held = follow(config, new Array<number>(150).fill(1), 30, 109);
    expect(near(result['benchmark'].total_return, held.total_return)).toBe(true);
  });

  it('warns from 21 sets on that none of them was tested', async () => {
    const codes = async (max: number): Promise<string[]> => {
      const config = { ...base, constraint: undefined, parameters: { fast: 3, slow: { min: 5, max, step: 1 } } };
      return (await solved(tradingStrategy, JSON.parse(JSON.stringify(config)))).answer.warnings.map(
        ({ code }) => code,
      );
    };
    expect(await codes(24)).not.toContain('no_out_of_sample');
    expect(await codes(25)).toContain('no_out_of_sample');
  });

  it('deflates a Sharpe ratio as the paper does', () => {
    // Bailey and Lopez de Prado 2014, numerical example: 100 tries with a variance of 1/2 per year of 250 days.
    const a = Math.sqrt((99 / 100) * (1 / 500));
    const sharpes = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? a : -a));
    const expected = expectedMaximum(sharpes);
    expect(expected).toBeCloseTo(0.1132, 4);
    const moments = { sharpe: 2.5 / Math.sqrt(250), skewness: -3, kurtosis: 10, bars: 1250 };
    expect(deflated(moments, expected)).toBeCloseTo(0.9004, 4);
    expect(deflatedSharpe([0.01, 0.01, 0.01], sharpes)).toBeNull();
    expect(expectedMaximum([0.3])).toBe(0);
  });

  it.each([
    [3, 0],
    [40, 1],
  ])('says how far it came where the time is up after %i looks', async (looks, folds) => {
    const config = { ...base, validation: { method: 'walk_forward', train_bars: 60, test_bars: 25 } };
    let left = looks;
    const outcome = await solved(tradingStrategy, config, { isOver: () => left-- <= 0 });
    const status = folds === 0 ? 'feasible' : 'optimal';
    expect(outcome.answer.optimality.status).toBe(status);
    const [remark] = outcome.answer.warnings.filter(({ code }) => code === 'out_of_time');
    expect(remark.message).toContain(folds === 0 ? 'before every parameter set' : 'only 1 of 4 folds');
    expect(outcome.answer.result['folds']).toHaveLength(folds);
  });

  it('searches where the grid is larger than the budget, and proves nothing', async () => {
    const config = { ...base, parameters: { fast: { min: 2, max: 30, step: 1 }, slow: { min: 3, max: 60, step: 1 } } };
    const { answer, evaluations, method, bestSolution, bestFitness } = await solved(tradingStrategy, config, {
      maxEvaluations: 100,
    });
    expect(evaluations).toBeLessThanOrEqual(100);
    expect(method).not.toBe('exhaustive_enumeration');
    expect(answer.optimality).toMatchObject({ status: 'heuristic', proof: null });
    const [fast, slow] = bestSolution;
    expect(fast).toBeLessThan(slow);
    expect(near(follow(config, decisions(config, { fast, slow })).total_return, bestFitness)).toBe(true);
    const { bestFitness: most } = await solved(tradingStrategy, config, { maxEvaluations: 5_000 });
    expect(bestFitness).toBeLessThanOrEqual(most);
  });
});

describe('constraints', () => {
  const names = ['fast', 'slow', 'signal'];
  it.each([
    ['fast < slow', [2, 3, 0], [3, 3, 0]],
    ['fast<=slow', [3, 3, 0], [4, 3, 0]],
    ['2 * fast + 1 <= slow - signal / 2', [1, 5, 4], [1, 5, 6]],
    ['fast < slow < signal', [1, 2, 3], [1, 3, 3]],
    ['fast > 1 and slow != 5', [2, 4, 0], [2, 5, 0]],
    ['fast > 1, slow >= 5', [2, 5, 0], [1, 5, 0]],
    ['-(fast - slow) * 3 == 6e0', [1, 3, 0], [1, 4, 0]],
    ['fast - slow - signal > .5', [6, 2, 3], [6, 2, 3.5]],
    ['fast / slow / signal == 2', [12, 3, 2], [12, 2, 3.1]],
  ])('%s', (text, holds, fails) => {
    const constraint = parseConstraint(text, names);
    expect([constraint(holds), constraint(fails)]).toEqual([true, false]);
  });

  it.each([
    ['', 'its end'],
    ['fast', 'its end'],
    ['fast < ', 'its end'],
    ['fast < slow slow', '"slow" at character 13'],
    ['fast << slow', '"<" at character 7'],
    ['fast < window', 'names `window`; the parameters are fast, slow, signal'],
    ['fast < slow or 1 < 2', '"or" at character 13'],
    ['fast = slow', '"=" at character 6'],
    ['(fast < slow', '"<" at character 7'],
    ['fast < slow and', 'its end'],
    ['fast < process.exit()', '"." at character 15'],
    ['fast < slow; 1', '";" at character 12'],
    ['constructor < slow', 'names `constructor`'],
    [`${'('.repeat(300)}`, 'longer than 200'],
  ])('%j is refused', (text, words) => {
    expect(() => parseConstraint(text, names)).toThrow(ConstraintError);
    expect(() => parseConstraint(text, names)).toThrow(words);
  });
});

describe('the guide', () => {
  const configs = guideConfigs('financial', 'trading_strategy');

  it('has four examples that are solved to a proof', async () => {
    expect(configs).toHaveLength(4);
    for (const config of configs) {
      expect((await solved(tradingStrategy, config)).answer.optimality.status).toBe('optimal');
    }
  });

  it('says what comes back', async () => {
    const results = await Promise.all(
      configs.map(async (config) => (await solved(tradingStrategy, config)).answer.result),
    );
    const [rule, kelly, execution, foresight] = results as Known[];
    expect(rule['parameters']).toEqual({ fast: 4, slow: 6 });
    expect(rule['combinations']).toBe(52);
    const shown = [rule.objective_value, rule.out_of_sample.total_return, rule.benchmark.out_of_sample.total_return];
    expect(shown.map((value) => value.toFixed(3))).toEqual(['1.465', '0.185', '0.246']);
    const { expected_max_sharpe, deflated_sharpe } = rule.overfitting;
    expect([expected_max_sharpe.toFixed(2), deflated_sharpe.toFixed(2)]).toEqual(['0.66', '0.81']);
    expect([kelly.fraction.toFixed(9), kelly.growth_rate.toFixed(2)]).toEqual(['0.160000000', '0.03']);
    expect([execution.trades[0], execution.expected_cost, execution.cost_std].map(Math.round)).toEqual([
      571_401, 1_140_715, 449_368,
    ]);
    expect(foresight.max_profit).toBe(8);
    expect(foresight.trades.map((one: Known) => [one.buy_price, one.sell_price])).toEqual([
      [10, 15],
      [9, 13],
    ]);
  });
});

describe('what is refused', () => {
  const close = [10, 11, 12, 11, 10, 11, 12, 13, 12, 11];
  const rule = { model: 'sma_crossover', close, parameters: { fast: 2, slow: 4 } };
  const bars = { open: close, close };
  const without = { ...rule, close: undefined };
  it.each([
    [{ ...rule, close: undefined }, 'config.bars'],
    [{ ...rule, bars }, 'config.close'],
    [{ ...rule, close: [10] }, 'config.close'],
    [{ ...rule, close: [10, 0, 11] }, 'config.close[1]'],
    [{ ...rule, close: [10, -1, 11] }, 'config.close[1]'],
    [{ ...rule, close: [10, null, 11] }, 'config.close[1]'],
    [{ ...rule, close: [10, NaN, 11] }, 'config.close[1]'],
    [{ ...rule, close: [10, 1e16] }, 'config.close[1]'],
    [{ ...rule, close: [10, 1e-13] }, 'config.close[1]'],
    [{ ...rule, execution: 'next_open' }, 'config.execution'],
    [{ ...without, bars: { ...bars, open: [1, 2] } }, 'config.bars.open'],
    [{ ...without, bars: { ...bars, time: [1, 2] } }, 'config.bars.time'],
    [{ ...without, bars: { ...bars, time: close.map((_, i) => (i === 4 ? 3 : i)) } }, 'config.bars.time[4]'],
    [{ ...without, bars: { ...bars, time: close.map(() => 'monday') } }, 'config.bars.time[0]'],
    [{ ...without, bars: { ...bars, time: close.map((_, i) => (i === 2 ? 2 : `2024-01-1${i}`)) } }, 'config.bars.time[2]'],
    [{ ...without, bars: { ...bars, high: close, low: close.map((one) => one + 1) } }, 'config.bars.high[0]'],
    [{ ...without, bars: { close } }, 'config.bars.open'],
    [{ ...rule, parameters: { fast: 2, slo: 4 } }, 'config.parameters.slo'],
    [{ ...rule, parameters: { fast: 0 } }, 'config.parameters.fast'],
    [{ ...rule, parameters: { fast: 2.5 } }, 'config.parameters.fast'],
    [{ ...rule, parameters: { fast: { min: 5, max: 2, step: 1 } } }, 'config.parameters.fast.max'],
    [{ ...rule, parameters: { fast: { min: 1, max: 5, step: 0 } } }, 'config.parameters.fast.step'],
    [{ ...rule, parameters: { fast: { min: 1, max: 5, step: 0.5 } } }, 'config.parameters.fast.step'],
    [{ ...rule, parameters: { fast: { min: 1, max: 5 } } }, 'config.parameters.fast.step'],
    [{ ...rule, parameters: { fast: { min: 1, max: 5_000, step: 1 }, slow: { min: 1, max: 5_000, step: 1 } } }, 'config.parameters.slow'],
    [{ ...rule, constraint: 'fast < length' }, 'config.constraint'],
    [{ ...rule, constraint: 'require("fs")' }, 'config.constraint'],
    [{ ...rule, direction: 'short_only' }, 'config.direction'],
    [{ ...rule, objective: 'profit' }, 'config.objective'],
    [{ ...rule, commission: 1 }, 'config.commission'],
    [{ ...rule, commission: -0.1 }, 'config.commission'],
    [{ ...rule, slippage: 0.6 }, 'config.slippage'],
    [{ ...rule, cash_buffer: 1 }, 'config.cash_buffer'],
    [{ ...rule, initial_cash: 0 }, 'config.initial_cash'],
    [{ ...rule, bars_per_year: 0 }, 'config.bars_per_year'],
    [{ ...rule, validation: { train_bars: 5 } }, 'config.validation.train_bars'],
    [{ ...rule, validation: { method: 'walk_forward', train_bars: 5 } }, 'config.validation.test_bars'],
    [{ ...rule, validation: { method: 'walk_forward', test_bars: 5 } }, 'config.validation.train_bars'],
    [{ ...rule, validation: { method: 'walk_forward', train_bars: 8, test_bars: 5 } }, 'config.validation.test_bars'],
    [{ ...rule, validation: { method: 'holdout', train_bars: 10 } }, 'config.validation.train_bars'],
    [{ ...rule, validation: { method: 'holdout', anchored: true } }, 'config.validation.anchored'],
    [{ ...rule, close: Array.from({ length: 1_000 }, (_, i) => 10 + (i % 7)), validation: { method: 'walk_forward', train_bars: 50, test_bars: 1 } }, 'config.validation.test_bars'],
    [{ model: 'rsi_reversion', close, parameters: { oversold: 101 } }, 'config.parameters.oversold'],
    [{ model: 'kelly_sizing' }, 'config.win_probability'],
    [{ model: 'kelly_sizing', win_probability: 0.5 }, 'config.win_loss_ratio'],
    [{ model: 'kelly_sizing', win_probability: 55, win_loss_ratio: 1 }, 'config.win_probability'],
    [{ model: 'kelly_sizing', win_probability: 0.5, win_loss_ratio: 1, covariance: [[1]] }, 'config.covariance'],
    [{ model: 'kelly_sizing', expected_returns: [0.1] }, 'config.covariance'],
    [{ model: 'kelly_sizing', expected_returns: [0.1], covariance: [[1, 0], [0, 1]] }, 'config.covariance'],
    [{ model: 'kelly_sizing', expected_returns: [0.1, 0.2], covariance: [[1, 0.1], [0, 1]] }, 'config.covariance[1][0]'],
    [{ model: 'kelly_sizing', expected_returns: [0.1], covariance: [[0]] }, 'config.covariance[0][0]'],
    [{ model: 'optimal_execution', shares: 1e6, horizon_days: 5, intervals: 5, volatility_per_day: 1, temporary_impact: 1e-7, permanent_impact: 1e-6 }, 'config.temporary_impact'],
    [{ model: 'optimal_execution', shares: 0 }, 'config.shares'],
    [{ model: 'perfect_foresight_bound', close, max_round_trips: 0 }, 'config.max_round_trips'],
  ])('%j at %s', async (config, path) => {
    const given = JSON.parse(JSON.stringify(config, (_, value: unknown) => (Number.isNaN(value) ? 'NaN' : value)));
    await expect(solveConfig(tradingStrategy, given)).rejects.toMatchObject({ field: path });
  }); // prettier-ignore

  it.each([
    [{ ...rule, constraint: 'fast > slow' }, 'fast > slow', ['parameters', 'constraint']],
    [{ ...rule, close: new Array<number>(20).fill(0.1) }, 'never changes', ['objective', 'parameters']],
    [{ ...rule, min_trades: 9 }, 'closes 9 trades', ['min_trades']],
    [{ model: 'rsi_reversion', close, parameters: { oversold: 60, overbought: 40 } }, 'oversold < overbought', ['parameters', 'constraint']],
    [{ model: 'kelly_sizing', expected_returns: [0.1, 0.1], covariance: [[1, 2], [2, 1]] }, 'not positive semidefinite', ['covariance']],
  ])('%j has no solution', async (config, words, conflict) => {
    const outcome = await solveConfig(tradingStrategy, config);
    expect(outcome).toMatchObject({ error: { code: 'infeasible', conflict } });
    expect((outcome as Known).error.message).toContain(words);
  }); // prettier-ignore

  it('needs an evaluation for each choice of a walk forward', async () => {
    const config = { ...rule, validation: { method: 'walk_forward', train_bars: 4, test_bars: 2 } };
    const outcome = await solveConfig(tradingStrategy, config, { maxEvaluations: 3 });
    expect(outcome).toMatchObject({ error: { code: 'infeasible', conflict: ['max_evaluations', 'validation'] } });
  });

  it('has no best stake where a riskless combination earns more than cash', async () => {
    const config = { model: 'kelly_sizing', expected_returns: [0.1, 0.05], covariance: [[1, 1], [1, 1]] }; // prettier-ignore
    expect(await solveConfig(tradingStrategy, config)).toMatchObject({ error: { code: 'unbounded' } });
  });
});

describe('accounts in trouble', () => {
  const run = async (more: Known): Promise<Known> => {
    const config = { model: 'momentum', parameters: { lookback: 1 }, objective: 'total_return', ...more };
    return (await solved(tradingStrategy, config)).answer;
  };
  const codes = (answer: Known): string[] => answer['warnings'].map((one: Known) => one['code']);

  it('owe what a short sale lost beyond the equity', async () => {
    // Sold short at 9 for the whole equity of 1; the next close is 27: 2 - 3.
    const answer = await run({ close: [10, 9, 27, 9, 3], direction: 'long_short' });
    expect(answer['result'].equity_final).toBeCloseTo(-1, 12);
    expect(answer['result'].total_return_pct).toBeCloseTo(-200, 9);
    expect(codes(answer)).toContain('ruined');
    expect(answer['result'].in_sample.max_drawdown).toBeCloseTo(2, 12);
  });

  it.each([3, 7, 49, 0.3])(
    'end at exactly nothing where the price %s doubles, whatever rounding says',
    async (price) => {
      const answer = await run({ close: [2 * price, price, 2 * price, price / 2, price], direction: 'long_short' });
      expect(answer['result'].equity_final).toBeCloseTo(0, 12);
      expect(codes(answer)).toContain('ruined');
    },
  );

  it('keep what a fall by any factor leaves', async () => {
    // Bought at 1e15 on the rise, worth 1e-27 of it, then a thousand times as much.
    const answer = await run({ close: [1e14, 1e15, 1e-12, 1e-9, 1e-9] });
    expect(answer['result'].equity_curve[2].equity / 1e-27).toBeCloseTo(1, 9);
    expect(codes(answer)).not.toContain('ruined');
    expect(codes(answer)).toContain('price_jump');
  });

  it('lose half twice where trading costs half', async () => {
    const answer = await run({ close: [10, 11, 10, 9, 9], commission: 0.5 });
    // 1 / 1.5 of the equity is invested, and half of what the sale brings is left.
    expect(answer['result'].equity_final).toBeCloseTo((10 / 11 / 1.5) * 0.5, 12);
    expect(codes(answer)).toContain('high_cost');
  });

  it('do not trade where a share costs more than there is', async () => {
    const answer = await run({ close: [10, 11, 12, 9, 9], fractional_shares: false, initial_cash: 5 });
    expect(answer['result'].equity_final).toBe(5);
    expect(codes(answer)).toContain('never_trades');
  });

  it('see splits, bars that contradict themselves and years that do not fit', async () => {
    const close = Array.from({ length: 40 }, (_, i) => (i < 20 ? 100 + i : 50 + i));
    const time = close.map((_, i) => `2024-${i < 30 ? '01' : '02'}-${String((i % 30) + 1).padStart(2, '0')}`);
    const answer = await run({
      bars: { open: close.map((one, i) => (i === 20 ? 60 : one)), high: close, low: close, close, time },
      bars_per_year: 12,
    });
    expect(codes(answer)).toEqual(['price_jump', 'inconsistent_bar', 'bars_per_year']);
    expect(answer['warnings'][0].message).toContain('index 20 (2024-01-21)');
  });
});

describe('kelly_sizing', () => {
  it('stakes what a fine search finds, on 30 random bets', async () => {
    const rng = Rng.create(21);
    for (let round = 0; round < 30; round++) {
      const [p, b] = [rng.uniform(), 0.2 + 4 * rng.uniform()];
      const limit = rng.uniform() < 0.3 ? 0.05 + rng.uniform() : undefined;
      const growth = (f: number): number => p * Math.log(1 + f * b) + (1 - p) * Math.log(1 - f);
      let [low, high] = [0, Math.min(1 - 1e-12, limit ?? 1)];
      for (let step = 0; step < 200; step++) {
        const [a, c] = [low + (high - low) / 3, high - (high - low) / 3];
        if (growth(a) < growth(c)) low = a;
        else high = c;
      }
      const config = { model: 'kelly_sizing', win_probability: p, win_loss_ratio: b, max_leverage: limit };
      const { bestSolution, bestFitness } = await solved(tradingStrategy, JSON.parse(JSON.stringify(config)));
      expect(bestSolution[0]).toBeCloseTo(low, 6);
      expect(bestFitness).toBeCloseTo(growth(low), 11);
    }
  });

  /**
   * Best over all choices of signs, held assets and a binding limit or none: the one whose slopes allow nothing better.
   */
  function best(mu: number[], C: number[][], fraction: number, limit: number): number {
    const n = mu.length;
    let most = -Infinity;
    const utility = (f: number[]): number =>
      f.reduce((sum, one, i) => sum + one * mu[i] - (one * dotted(C[i], f)) / (2 * fraction), 0);
    const dotted = (a: number[], f: number[]): number => a.reduce((sum, one, i) => sum + one * f[i], 0);
    for (let code = 0; code < 3 ** n; code++) {
      const signs = mu.map((_, i) => (Math.floor(code / 3 ** i) % 3) - 1);
      const held = signs.flatMap((sign, i) => (sign === 0 ? [] : [i]));
      for (const isBinding of [false, true]) {
        // C f / fraction + price signs = mu on what is held; signs f = limit.
        const rows = held.map((i) => [...held.map((j) => C[i][j] / fraction), isBinding ? signs[i] : 0, mu[i]]);
        rows.push([...held.map((j) => (isBinding ? signs[j] : 0)), isBinding ? 0 : 1, isBinding ? limit : 0]);
        const x = gauss(rows);
        if (x === null) continue;
        const f = mu.map((_, i) => (held.includes(i) ? x[held.indexOf(i)] : 0));
        if (f.some((one, i) => one * signs[i] < 0)) continue;
        if (f.reduce((sum, one) => sum + Math.abs(one), 0) > limit * (1 + 1e-9)) continue;
        most = Math.max(most, utility(f));
      }
    }
    return most;
  }

  function gauss(rows: number[][]): number[] | null {
    const n = rows.length;
    for (let k = 0; k < n; k++) {
      const pivot = rows.slice(k).reduce((at, row, i) => (Math.abs(row[k]) > Math.abs(rows[at][k]) ? i + k : at), k);
      if (Math.abs(rows[pivot][k]) < 1e-12) return null;
      [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
      for (let i = 0; i < n; i++) {
        if (i === k) continue;
        const factor = rows[i][k] / rows[k][k];
        rows[i] = rows[i].map((one, j) => one - factor * rows[k][j]);
      }
    }
    return rows.map((row, i) => row[n] / row[i]);
  }

  it('holds what every choice of assets, signs and a binding limit gives at best, on 25 random problems', async () => {
    const rng = Rng.create(22);
    for (let round = 0; round < 25; round++) {
      const n = 1 + rng.below(4);
      const F = Array.from({ length: n }, () => Array.from({ length: n + 1 }, () => rng.uniform() - 0.5));
      const C = F.map((a, i) => F.map((b, j) => 0.1 * a.reduce((sum, one, k) => sum + one * b[k], i === j ? 0.05 : 0)));
      const mu = F.map(() => 0.2 * (rng.uniform() - 0.4));
      const fraction = rng.uniform() < 0.5 ? 1 : 0.5;
      const limit = rng.uniform() < 0.3 ? undefined : 0.2 + 4 * rng.uniform();
      const config = { model: 'kelly_sizing', expected_returns: mu, covariance: C, risk_free_rate: 0.01, fraction, max_leverage: limit };
      const { bestSolution: f } = await solved(tradingStrategy, JSON.parse(JSON.stringify(config)));
      const excess = mu.map((one) => one - 0.01);
      const known = best(excess, C, fraction, limit ?? 1e9);
      const own = f.reduce((sum, one, i) => sum + one * excess[i] - (one * C[i].reduce((s, c, j) => s + c * f[j], 0)) / (2 * fraction), 0);
      expect(near(own, known, 1e-9)).toBe(true);
      expect(f.reduce((sum, one) => sum + Math.abs(one), 0)).toBeLessThanOrEqual((limit ?? 1e9) * (1 + 1e-9));
    }
  }); // prettier-ignore
});

describe('a limit on leverage', () => {
  const kelly = async (more: Known): Promise<readonly number[]> =>
    (await solved(tradingStrategy, { model: 'kelly_sizing', ...more })).bestSolution;

  it('makes an end where assets move as one', async () => {
    const covariance = [[0.04, 0.04], [0.04, 0.04]]; // prettier-ignore
    // Long the better one, short the other: half of the limit each, and no risk.
    const both = await kelly({ expected_returns: [0.1, 0.08], covariance, max_leverage: 200 });
    expect(both[0] - both[1]).toBeCloseTo(200, 6);
    expect(await kelly({ expected_returns: [0.1, 0.08], covariance, max_leverage: 1 })).toEqual([1, 0]);
  });

  it('is met to the last digits however small it is', async () => {
    const expected_returns = [0.1, -0.3, 0.2];
    const covariance = [[1, 0.2, 0.1], [0.2, 1, 0.3], [0.1, 0.3, 1]]; // prettier-ignore
    expect(await kelly({ expected_returns, covariance, max_leverage: 1e-9 })).toEqual([0, -1e-9, 0]);
  });
});

describe('optimal_execution', () => {
  it('follows the path of the tridiagonal system, on 25 random positions', async () => {
    const rng = Rng.create(31);
    for (let round = 0; round < 25; round++) {
      const n = 1 + rng.below(30);
      const config = {
        model: 'optimal_execution',
        shares: 10 ** (6 * rng.uniform()),
        horizon_days: 0.1 + 20 * rng.uniform(),
        intervals: n,
        volatility_per_day: 2 * rng.uniform(),
        temporary_impact: 10 ** (-7 + 3 * rng.uniform()),
        permanent_impact: round % 2 === 0 ? 0 : 1e-9 * rng.uniform(),
        fixed_cost_per_share: 0.1 * rng.uniform(),
        risk_aversion: round % 5 === 0 ? 0 : 10 ** (-12 + 8 * rng.uniform()),
      };
      const { bestSolution, bestFitness } = await solved(tradingStrategy, config);
      const { shares: X, volatility_per_day: s, risk_aversion: a, fixed_cost_per_share: e } = config;
      const tau = config.horizon_days / n;
      const impact = config.temporary_impact - (config.permanent_impact * tau) / 2;
      const diagonal = 2 + (a * s * s * tau * tau) / impact;
      // -x[j-1] + diagonal x[j] - x[j+1] = 0 between X and 0, by elimination.
      const ratio = [0];
      for (let j = 1; j < n; j++) ratio.push(1 / (diagonal - ratio[j - 1]));
      const path = new Array<number>(n + 1).fill(0);
      path[0] = X;
      // From the end: x[j] = x[j-1] times the ratio of what follows.
      for (let j = 1; j < n; j++) path[j] = path[j - 1] * ratio[n - j];
      for (const [j, held] of bestSolution.entries()) expect(Math.abs(held - path[j + 1])).toBeLessThan(1e-9 * X);
      const cost = (x: number[]): number =>
        (config.permanent_impact * X * X) / 2 + e * X +
        x.slice(1).reduce((sum, held, j) => sum + (impact / tau) * (x[j] - held) ** 2 + a * s * s * tau * held ** 2, 0);
      expect(near(bestFitness, cost(path), 1e-9)).toBe(true);
      for (let k = 0; k < 5 && n > 1; k++) {
        const other = [...path];
        other[1 + rng.below(n - 1)] += X * 0.01 * (rng.uniform() - 0.5);
        expect(cost(other)).toBeGreaterThanOrEqual(bestFitness * (1 - 1e-12));
      }
    }
  }); // prettier-ignore
});

describe('perfect_foresight_bound', () => {
  it('earns what the best of all plans earns, on 60 random series', async () => {
    const rng = Rng.create(41);
    for (let round = 0; round < 60; round++) {
      const n = 2 + rng.below(9);
      const close = Array.from({ length: n }, () => 1 + rng.below(12));
      const most = rng.uniform() < 0.3 ? undefined : 1 + rng.below(4);
      const fee = rng.uniform() < 0.4 ? 0 : 3 * rng.uniform();
      const units = 1 + rng.below(3);
      let known = 0;
      for (let plan = 0; plan < 2 ** n; plan += 2) {
        // Bit n - 1 - i: held after bar i; the last one is never set.
        let [profit, trips, held] = [0, 0, 0];
        for (let i = 0; i < n; i++) {
          const next = (plan >> (n - 1 - i)) & 1;
          if (next > held) trips++;
          profit += (held - next) * units * close[i];
          held = next;
        }
        if (trips <= (most ?? n)) known = Math.max(known, profit - trips * fee);
      }
      const config = { model: 'perfect_foresight_bound', close, max_round_trips: most, fee_per_round_trip: fee, units };
      const { bestFitness, answer } = await solved(tradingStrategy, JSON.parse(JSON.stringify(config)));
      expect([round, near(bestFitness, known, 1e-12)]).toEqual([round, true]);
      expect(answer.optimality.proof).toBe('dynamic_programming');
    }
  });
});

describe('large problems', () => {
  const rng = Rng.create(51);
  let price = 100;
  const close = Array.from({ length: 50_000 }, () => (price *= 1 + 0.01 * (rng.uniform() - 0.4995)));

  it.each(RULES.map(({ name, parameters }) => [name, parameters] as const))('%s over 50,000 bars', async (model, parameters) => {
    const wide = Object.fromEntries(parameters.map(({ name, isWhole }, k) => [name, isWhole ? 12_000 + 500 * k : undefined]));
    const config = { model, close, parameters: wide, objective: 'total_return', direction: 'long_short' };
    const { answer } = await solved(tradingStrategy, JSON.parse(JSON.stringify(config)));
    expect((answer.result['equity_curve'] as unknown[]).length).toBe(1_000);
  }); // prettier-ignore

  it('two million sets on a budget, most of them against the constraint', async () => {
    const config = {
      model: 'sma_crossover',
      close: close.slice(0, 300),
      parameters: { fast: { min: 1, max: 1_400, step: 1 }, slow: { min: 1, max: 1_400, step: 1 } },
      constraint: 'fast * 3 == slow',
    };
    const { bestSolution, evaluations } = await solved(tradingStrategy, config, { maxEvaluations: 200 });
    expect(bestSolution[1]).toBe(3 * bestSolution[0]);
    expect(evaluations).toBeLessThanOrEqual(200);
  });
});

describe('explanations at level 2', () => {
  const cautionsOf = async (more: object): Promise<string> => {
    const [{ example }] = tradingStrategy.models;
    const { answer } = await solved(tradingStrategy, { ...example, ...more });
    return answer.statements.flatMap(({ level, text }) => (level === 2 ? [text] : [])).join(' ');
  };

  it('say what the figures leave out: luck of the choice, costs, a test on other bars', async () => {
    const bare = await cautionsOf({ commission: 0, slippage: 0, validation: { method: 'none' } });
    expect(bare).toContain('overfitting');
    expect(bare).toContain('No bars were kept back');
    expect(bare).toContain('No commission or slippage is charged');
    const charged = await cautionsOf({ commission: 0.001, slippage: 0.0005 });
    expect(charged).toContain('0.1 % of commission and 0.05 % of slippage');
  });
});
