/** The prices of a config as arrays, and what looks wrong about them. */
import type { RuleConfig } from './rule-fields.js';
import type { Remark } from '../../../model/problem.js';
import { instantOf } from './instant.js';

export interface Market {
  readonly close: Float64Array;
  /** Where they are not given: the closes. */
  readonly high: Float64Array;
  readonly low: Float64Array;
  /** Price before costs for a decision at the bar before; NaN at the first bar. */
  readonly fill: Float64Array;
  readonly time: readonly (string | number)[] | null;
}

/** Without opens only the close that decides has a price to trade at. */
export const executionOf = ({ execution, bars }: RuleConfig): 'next_open' | 'same_close' =>
  execution ?? (bars === undefined ? 'same_close' : 'next_open');

export function marketOf(config: RuleConfig): Market {
  const close = Float64Array.from(config.bars?.close ?? config.close ?? []);
  const { open = [], high, low, time = null } = config.bars ?? {};
  const isNextOpen = executionOf(config) === 'next_open';
  return {
    close,
    high: high === undefined ? close : Float64Array.from(high),
    low: low === undefined ? close : Float64Array.from(low),
    fill: close.map((_, i) => (i === 0 ? NaN : isNextOpen ? open[i] : close[i - 1])),
    time,
  };
}

/** A change from one bar to the next that is more likely a split than a market. */
const JUMP = 1.8;
const JUMPS_NAMED = 3;

const YEAR_MS = 365.25 * 86_400_000;
/** Ratio of bars per year, as the times say, to those of the config. */
const UNUSUAL = 1.5;
const ENOUGH_BARS = 30;

export function remarksOnData(config: RuleConfig, { close, time }: Market): Remark[] {
  const remarks: Remark[] = [];
  const { open, high, low } = config.bars ?? {};
  const jumps: number[] = [];
  for (let i = 1; i < close.length; i++) {
    const price = open?.[i] ?? close[i];
    const ratio = price / close[i - 1];
    if (ratio >= JUMP || ratio <= 1 / JUMP) jumps.push(i);
  }
  if (jumps.length > 0) {
    const named = jumps
      .slice(0, JUMPS_NAMED)
      .map((i) => `index ${i}${time === null ? '' : ` (${time[i]})`}`)
      .join(', ');
    const more = jumps.length > JUMPS_NAMED ? ` and ${jumps.length - JUMPS_NAMED} more` : '';
    remarks.push({
      code: 'price_jump',
      field: config.bars === undefined ? 'config.close' : 'config.bars',
      message: `Prices jump by a factor of ${JUMP} or more at ${named}${more}: prices must be adjusted for splits.`,
    });
  }
  if (open !== undefined && (high !== undefined || low !== undefined)) {
    const outside = open.findIndex(
      (price, i) =>
        Math.max(price, close[i]) > (high?.[i] ?? Infinity) || Math.min(price, close[i]) < (low?.[i] ?? -Infinity),
    );
    if (outside >= 0) {
      remarks.push({
        code: 'inconsistent_bar',
        field: 'config.bars',
        message: `The open or close at index ${outside} lies outside its high and low; others may do so too.`,
      });
    }
  }
  // Numbers may count anything, from seconds to bars.
  if (time !== null && typeof time[0] === 'string' && time.length >= ENOUGH_BARS) {
    const years = (instantOf(time[time.length - 1]) - instantOf(time[0])) / YEAR_MS;
    const found = (time.length - 1) / years;
    const ratio = found / config.bars_per_year;
    if (ratio > UNUSUAL || ratio < 1 / UNUSUAL) {
      remarks.push({
        code: 'bars_per_year',
        field: 'config.bars_per_year',
        message: `The times say about ${Number(found.toPrecision(3))} bars per year; bars_per_year is ${config.bars_per_year}.`,
      });
    }
  }
  return remarks;
}
