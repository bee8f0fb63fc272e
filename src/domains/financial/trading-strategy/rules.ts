/**
 * The trading rules: which parameters they have, which indicators, and which position they want at a close. A rule
 * decides from the values of its indicators at that bar and the position that it wanted before; it is given nothing
 * else.
 */
import { type Parameter, MAX_BARS } from './parameter.js';
import type { Market } from './market.js';
import {
  traced,
  slidingMean,
  exponentialMean,
  relativeStrength,
  slidingDeviation,
  histogram,
  channel,
  lagged,
} from './indicators.js';

/** 1 long, 0 flat, -1 short. */
export type Position = -1 | 0 | 1;

export type Decide = (a: number, b: number, c: number, d: number, e: number, before: Position) => Position;

/** Indicator values at every bar, computed once for each key. */
export type Columns = (key: string, make: () => Float64Array) => Float64Array;

export interface Rule {
  readonly name: string;
  readonly summary: string;
  /** When it wants to be long, short and flat: for people. */
  readonly words: string;
  readonly parameters: readonly Parameter[];
  /** Holds of every parameter set, in the words of a constraint. */
  readonly requires?: string;
  /** Whether it looks at highs and lows. */
  readonly usesRange?: boolean;
  /** At most five columns; the decision is made where all have values. */
  columns(values: readonly number[], market: Market, columns: Columns): readonly Float64Array[];
  decide(values: readonly number[]): Decide;
}

/**
 * Averages nearer than this, relative, are equal: their difference is rounding. No round number, since differences of
 * prices are: none shall lie on the border.
 */
export const ROUNDING = 0.97e-12;
/** The same for an index from 0 to 100. */
export const INDEX_ROUNDING = 0.97e-9;

const bars = (name: string, description: string, usual: number): Parameter => ({
  name,
  description,
  isWhole: true,
  min: 1,
  max: MAX_BARS,
  default: usual,
});

const real = (name: string, description: string, [min, usual, max]: readonly [number, number, number]): Parameter => ({
  name,
  description,
  isWhole: false,
  min,
  max,
  default: usual,
});

const mean = ({ close }: Market, width: number, columns: Columns): Float64Array =>
  columns(`mean ${width}`, () => traced(slidingMean(width), close));

const exponential = ({ close }: Market, span: number, columns: Columns): Float64Array =>
  columns(`exponential ${span}`, () => traced(exponentialMean(span), close));

const isAbove: Decide = (fast, slow) => (fast - slow > ROUNDING * slow ? 1 : -1);

const smaCrossover: Rule = {
  name: 'sma_crossover',
  summary: 'Long while the fast simple moving average of the close is above the slow one.',
  words: 'long while the fast average is above the slow one, else short',
  parameters: [bars('fast', 'Bars of the fast average', 50), bars('slow', 'Bars of the slow average', 200)],
  columns: ([fast, slow], market, columns) => [mean(market, fast, columns), mean(market, slow, columns)],
  decide: () => isAbove,
};

const emaCrossover: Rule = {
  name: 'ema_crossover',
  summary: 'Long while the fast exponential moving average of the close is above the slow one.',
  words: 'long while the fast average is above the slow one, else short',
  parameters: [
    bars('fast', 'Span of the fast average: the newest close weighs 2 / (span + 1)', 12),
    bars('slow', 'Span of the slow average', 26),
  ],
  columns: ([fast, slow], market, columns) => [exponential(market, fast, columns), exponential(market, slow, columns)],
  decide: () => isAbove,
};

const rsiReversion: Rule = {
  name: 'rsi_reversion',
  summary: 'Long once the relative strength index falls below `oversold`, until it rises above `overbought`.',
  words: 'long from an index below `oversold` on, short from one above `overbought` on',
  parameters: [
    bars('period', "Bars of the relative strength index, with Wilder's averages", 14),
    real('oversold', 'Index below which the rule buys, 0 to 100', [0, 30, 100]),
    real('overbought', 'Index above which the rule sells, 0 to 100', [0, 70, 100]),
  ],
  requires: 'oversold < overbought',
  columns: ([period], { close }, columns) => [
    columns(`strength ${period}`, () => traced(relativeStrength(period), close)),
  ],
  decide:
    ([, oversold, overbought]) =>
    (index, _b, _c, _d, _e, before) => {
      if (index < oversold - INDEX_ROUNDING) return 1;
      return index > overbought + INDEX_ROUNDING ? -1 : before;
    },
};

const bollingerReversion: Rule = {
  name: 'bollinger_reversion',
  summary: 'Long once the close falls below the lower Bollinger band, until it is back at the average.',
  words:
    'long from a close below the lower band until the average, short from one above the upper band until the average',
  parameters: [
    bars('period', 'Bars of the average and of the standard deviation (of the population)', 20),
    real('deviations', 'Standard deviations from the average to each band', [0.01, 2, 100]),
  ],
  columns: ([period], market, columns) => [
    market.close,
    mean(market, period, columns),
    columns(`deviation ${period}`, () => traced(slidingDeviation(period), market.close)),
  ],
  decide:
    ([, deviations]) =>
    (close, average, deviation, _d, _e, before) => {
      const distance = close - average;
      const rounding = ROUNDING * average;
      if (distance < -deviations * deviation - rounding) return 1;
      if (distance > deviations * deviation + rounding) return -1;
      if (before > 0) return distance >= -rounding ? 0 : 1;
      return before < 0 && distance > rounding ? -1 : 0;
    },
};

const macd: Rule = {
  name: 'macd',
  summary: 'Long while the MACD line (fast less slow exponential average) is above its own exponential average.',
  words: 'long while the MACD line is above its signal line, else short',
  parameters: [
    bars('fast', 'Span of the fast average', 12),
    bars('slow', 'Span of the slow average', 26),
    bars('signal', 'Span of the signal line: the average of the MACD line', 9),
  ],
  columns: ([fast, slow, signal], market, columns) => [
    columns(`histogram ${fast} ${slow} ${signal}`, () =>
      traced(histogram(signal), exponential(market, fast, columns), exponential(market, slow, columns)),
    ),
  ],
  decide: () => (difference) => (difference > ROUNDING ? 1 : -1),
};

const donchianBreakout: Rule = {
  name: 'donchian_breakout',
  summary: 'Long once the close is above the highest high of the bars before, until it is below their lowest low.',
  words:
    'long from a close above the highest high of the `entry` bars before until one below the lowest low of the `exit` bars before; short the other way round',
  parameters: [
    bars('entry', 'Bars before this one whose highest high is to be broken', 20),
    bars('exit', 'Bars before this one whose lowest low ends the position', 10),
  ],
  usesRange: true,
  columns([entry, exit], { close, high, low }, columns) {
    const highest = (width: number) => columns(`highest ${width}`, () => traced(channel(width, 1), high));
    const lowest = (width: number) => columns(`lowest ${width}`, () => traced(channel(width, -1), low));
    return [close, highest(entry), lowest(entry), lowest(exit), highest(exit)];
  },
  decide: () => (close, high, low, exitLow, exitHigh, before) => {
    if (close > high) return 1;
    if (close < low) return -1;
    if (before > 0) return close < exitLow ? 0 : 1;
    return before < 0 && !(close > exitHigh) ? -1 : 0;
  },
};

const momentum: Rule = {
  name: 'momentum',
  summary: 'Long while the close is above what it was some bars ago.',
  words:
    'long while the return over `lookback` bars is above `threshold`, short while it is below -`threshold`, else flat',
  parameters: [
    bars('lookback', 'Bars over which the return is taken', 126),
    real('threshold', 'Return that must be exceeded, a decimal', [0, 0, 0.99]),
  ],
  columns: ([lookback], { close }, columns) => [
    close,
    columns(`close ${lookback} ago`, () => traced(lagged(lookback), close)),
  ],
  decide:
    ([, threshold]) =>
    (close, before) => {
      if (close > before * (1 + threshold)) return 1;
      return close < before * (1 - threshold) ? -1 : 0;
    },
};

export const RULES = [
  smaCrossover,
  emaCrossover,
  rsiReversion,
  bollingerReversion,
  macd,
  donchianBreakout,
  momentum,
] as const;
