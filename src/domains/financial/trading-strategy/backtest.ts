/**
 * The backtest: which positions a rule wants at each close, and what an account makes of them.
 *
 * Wanted positions are decided bar by bar from indicators that were computed bar by bar. What is wanted at the close of
 * bar i - 1 is traded at the fill price of bar i, and the account is marked at its close; nothing reads a later price.
 */
import type { RuleConfig } from './rule-fields.js';
import type { Columns, Decide, Position, Rule } from './rules.js';
import { NOISE, statisticsOf, type Statistics, type Tally } from './statistics.js';
import { executionOf, marketOf, type Market } from './market.js';

/** Positions wanted at each close, into `out`. Before all indicators have values: flat. */
function wantedPositions(
  columns: readonly Float64Array[],
  decide: Decide,
  { direction, signal }: Pick<RuleConfig, 'direction' | 'signal'>,
  out: Int8Array,
): Int8Array {
  const [a, b = a, c = a, d = a, e = a] = columns;
  const isEvent = signal === 'cross_event';
  const least = direction === 'long_only' ? 0 : -1;
  let before: Position = 0;
  let isReady = false;
  // What is acted on: at first nothing, where only changes are.
  let acted = 0;
  for (let i = 0; i < out.length; i++) {
    const [va, vb, vc, vd, ve] = [a[i], b[i], c[i], d[i], e[i]];
    if (va === va && vb === vb && vc === vc && vd === vd && ve === ve) {
      const wanted = decide(va, vb, vc, vd, ve, before);
      if (!isEvent || (isReady && wanted !== before)) acted = wanted < least ? least : wanted;
      before = wanted;
      isReady = true;
    }
    out[i] = acted;
  }
  return out;
}

export interface Account {
  readonly cash: number;
  readonly commission: number;
  readonly slippage: number;
  /** Charged on entry alone, as a worse price. */
  readonly isEntryAdjusted: boolean;
  /** Share of the equity that is not invested. */
  readonly buffer: number;
  readonly isWhole: boolean;
}

export const accountOf = (config: RuleConfig): Account => ({
  cash: config.initial_cash,
  commission: config.commission,
  slippage: config.slippage,
  isEntryAdjusted: config.commission_model === 'entry_price_adjusted',
  buffer: config.cash_buffer,
  isWhole: !config.fractional_shares,
});

/** A trade of a backtest: bars are places in the data; an open trade has no exit. */
export interface Trade {
  readonly side: 1 | -1;
  readonly quantity: number;
  readonly entryBar: number;
  readonly entryPrice: number;
  exitBar: number | null;
  exitPrice: number | null;
  profit: number | null;
  /** Equity at the entry. */
  readonly stake: number;
}

/** An account worth less than this share of what it traded or holds is worth nothing: what is left is rounding. */
export const NOTHING = 1e-12;
/** Shares are whole up to this, relative: rounding costs none. */
const WHOLE = 1e-12;
/** From so many shares on, a part of one is no more than rounding. */
export const COUNTLESS = 1 / WHOLE;

/** Shares bought or sold short with all of the equity but the buffer. */
export function quantityOf(account: Account, equity: number, price: number, side: 1 | -1): number {
  const { commission, slippage, isEntryAdjusted, buffer, isWhole } = account;
  const executed = price * (1 + side * slippage);
  const unit = executed * (1 + (side < 0 && isEntryAdjusted ? -commission : commission));
  const quantity = (equity * (1 - buffer)) / unit;
  return isWhole && quantity < COUNTLESS ? Math.floor(quantity * (1 + WHOLE)) : quantity;
}

/**
 * From the close of bar `from`, with cash alone, to the close of bar `to`. Into `equity` [to - from + 1] and `tally`.
 * An account that is worth nothing or less is closed at that price; its debt stays.
 */
function runAccount(
  { close, fill }: Pick<Market, 'close' | 'fill'>,
  wanted: ArrayLike<number>,
  [from, to]: readonly [number, number],
  account: Account,
  equity: Float64Array,
  tally: Tally,
  trades?: Trade[],
): number | null {
  const { commission, slippage } = account;
  const exitCommission = account.isEntryAdjusted ? 0 : commission;
  let { cash } = account;
  let stake = cash;
  let held = 0;
  let position = 0;
  let ruinedAt: number | null = null;
  let isOver = false;
  tally.closed = tally.won = tally.gains = tally.losses = tally.held = tally.changes = 0;
  equity[0] = cash;

  const exit = (bar: number, price: number): void => {
    const executed = price * (held > 0 ? 1 - slippage : 1 + slippage);
    const proceeds = held * executed * (held > 0 ? 1 - exitCommission : 1 + exitCommission);
    cash += proceeds;
    isOver = cash <= NOTHING * Math.abs(proceeds);
    const profit = cash - stake;
    tally.closed++;
    if (profit > NOISE * stake) {
      tally.won++;
      tally.gains += profit;
    } else if (profit < -NOISE * stake) tally.losses -= profit;
    const open = trades?.at(-1);
    if (open !== undefined) [open.exitBar, open.exitPrice, open.profit] = [bar, executed, profit];
    held = 0;
  };
  const enter = (bar: number, price: number, side: 1 | -1): void => {
    stake = cash;
    const quantity = quantityOf(account, cash, price, side);
    if (!(quantity > 0)) return;
    held = side * quantity;
    const executed = price * (1 + side * slippage);
    // Exactly what is left: of rounding nothing may remain in cash, for prices can fall by any factor.
    if (side > 0 && (!account.isWhole || quantity >= COUNTLESS)) cash *= account.buffer;
    else cash -= held * executed * (1 + side * commission);
    if (side > 0 && cash < NOTHING * stake) cash = 0;
    const exits = { exitBar: null, exitPrice: null, profit: null };
    trades?.push({ side, quantity, entryBar: bar, entryPrice: executed, ...exits, stake });
  };

  for (let t = from + 1; t <= to; t++) {
    const target = wanted[t - 1];
    if (target !== position && ruinedAt === null) {
      const before = held;
      if (held !== 0) exit(t, fill[t]);
      if (isOver) ruinedAt = t;
      else if (target !== 0) enter(t, fill[t], target > 0 ? 1 : -1);
      if (before !== 0 || held !== 0) tally.changes++;
      position = target;
    }
    let worth = cash + held * close[t];
    if (held !== 0 && worth <= NOTHING * Math.abs(held) * close[t]) {
      exit(t, close[t]);
      tally.changes++;
      ruinedAt = t;
      worth = cash;
    }
    if (held !== 0) tally.held++;
    equity[t - from] = worth;
  }
  return ruinedAt;
}

/** Kept indicators take at most so many bytes; beyond, the oldest one makes room. */
const CACHE_BYTES = 64 * 2 ** 20;

function cachedColumns(bars: number): Columns {
  const kept = new Map<string, Float64Array>();
  const most = Math.max(8, Math.floor(CACHE_BYTES / (8 * bars)));
  return (key, make) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (kept.size >= most) kept.delete(kept.keys().next().value as string);
    kept.set(key, made);
    return made;
  };
}

export type Window = readonly [from: number, to: number];

interface Backtest {
  readonly statistics: Statistics;
  readonly ruinedAt: number | null;
}

/** Backtests of one rule on one config's data: indicators are computed once for each parameter value. */
export class Backtester {
  readonly market: Market;
  readonly execution: 'next_open' | 'same_close';
  readonly account: Account;
  private readonly columns: Columns;
  private readonly wanted: Int8Array;
  private readonly equity: Float64Array;
  private readonly returns: Float64Array;
  private readonly tally: Tally = { closed: 0, won: 0, gains: 0, losses: 0, held: 0, changes: 0 };

  constructor(
    readonly rule: Rule,
    readonly config: RuleConfig,
  ) {
    this.market = marketOf(config);
    this.execution = executionOf(config);
    this.account = accountOf(config);
    const bars = this.bars;
    this.columns = cachedColumns(bars);
    this.wanted = new Int8Array(bars);
    this.equity = new Float64Array(bars);
    this.returns = new Float64Array(bars);
  }

  get bars(): number {
    return this.market.close.length;
  }

  /** At every close. Overwritten by the next call without `out`. */
  positions(values: readonly number[], out: Int8Array = this.wanted): Int8Array {
    const columns = this.rule.columns(values, this.market, this.columns);
    return wantedPositions(columns, this.rule.decide(values), this.config, out);
  }

  value(values: readonly number[], window: Window): Statistics {
    return this.follow(this.positions(values), window).statistics;
  }

  /** `curve`: the equity at each close of the window, from `window[0]` on. */
  follow(wanted: ArrayLike<number>, window: Window, curve = this.equity, trades?: Trade[]): Backtest {
    const ruinedAt = runAccount(this.market, wanted, window, this.account, curve, this.tally, trades);
    const length = window[1] - window[0] + 1;
    const statistics = statisticsOf(curve, length, this.tally, this.config.bars_per_year, this.returns);
    return { statistics, ruinedAt };
  }
}
