import type { JsonObject } from '../../../model/problem.js';
import type { ProblemType } from '../../problem-type.js';
import { MAX_COMBINATIONS } from './grid.js';
import { MAX_FOLDS } from './config.js';
import { kellySizing, MAX_ASSETS } from './kelly-sizing.js';
import { MAX_INTERVALS, optimalExecution } from './optimal-execution.js';
import { MAX_ROUND_TRIPS, perfectForesightBound } from './perfect-foresight-bound.js';
import { ruleModel } from './rule-model.js';
import { MAX_BARS } from './parameter.js';
import { RULES } from './rules.js';
import { WEEKLY_CLOSES } from './weekly-closes.js';

/** A fund by its weekly closes; the last 30 weeks test what the others choose. */
const weekly = (parameters: JsonObject, more: JsonObject = {}): JsonObject => ({
  close: [...WEEKLY_CLOSES],
  parameters,
  commission: 0.001,
  bars_per_year: 52,
  validation: { method: 'holdout', test_bars: 30 },
  ...more,
});

const EXAMPLES: Readonly<Record<(typeof RULES)[number]['name'], JsonObject>> = {
  sma_crossover: weekly(
    { fast: { min: 2, max: 10, step: 1 }, slow: { min: 6, max: 26, step: 2 } },
    { constraint: 'fast < slow' },
  ),
  ema_crossover: weekly(
    { fast: { min: 2, max: 8, step: 2 }, slow: { min: 10, max: 26, step: 4 } },
    { constraint: '2 * fast <= slow', validation: { method: 'walk_forward', train_bars: 60, test_bars: 15 } },
  ),
  rsi_reversion: weekly(
    { period: 6, oversold: { min: 25, max: 45, step: 5 }, overbought: { min: 55, max: 75, step: 5 } },
    { objective: 'total_return' },
  ),
  bollinger_reversion: weekly({ period: { min: 8, max: 20, step: 4 }, deviations: { min: 1, max: 2, step: 0.25 } }),
  macd: weekly({ fast: 6, slow: 13, signal: { min: 3, max: 9, step: 2 } }, { objective: 'calmar' }),
  donchian_breakout: weekly(
    { entry: { min: 4, max: 12, step: 2 }, exit: { min: 2, max: 8, step: 2 } },
    { constraint: 'exit <= entry', direction: 'long_short' },
  ),
  momentum: weekly({ lookback: { min: 2, max: 26, step: 2 } }, { min_trades: 2 }),
};

export const tradingStrategy: ProblemType = {
  domain: 'financial',
  name: 'trading_strategy',
  aliases: ['trading_strategies'],
  title: 'Trading rules and sizes',
  summary:
    'Which parameters of a trading rule were best and how much of that is luck, how large a bet should be, and how to sell a position.',
  models: [
    ...RULES.map((rule) => ruleModel(rule, EXAMPLES[rule.name] ?? {})),
    kellySizing,
    optimalExecution,
    perfectForesightBound,
  ],
  limits: {
    bars: MAX_BARS,
    parameter_sets: MAX_COMBINATIONS,
    folds: MAX_FOLDS,
    kelly_assets: MAX_ASSETS,
    execution_intervals: MAX_INTERVALS,
    round_trips: MAX_ROUND_TRIPS,
  },
};
