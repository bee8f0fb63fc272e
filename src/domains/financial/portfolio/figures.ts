/** Figures that practitioners ask of a portfolio: computed from config and weights alone. */
import type { ConstraintState, JsonObject } from '../../../model/problem.js';
import { riskSharesOf } from '../risk-parity.js';
import { lossesOf, tailOf, type Tail } from '../tail.js';
import { assetOf, boundsOf, idsOf, type Config } from './config.js';
import type { Moments } from './moments.js';
import { isRiskless, netReturn, turnoverOf, volatilitiesOf, volatilityOf } from './optimize.js';
import { linearLimits } from './region.js';

/** Smaller weights are not held. */
export const HELD = 1e-9;
/** A limit within this of the value binds. */
const BINDING = 1e-7;

export interface Figures {
  readonly expectedReturn: number | null;
  readonly volatility: number;
  /** Null: no expected returns, or no risk. */
  readonly sharpe: number | null;
  readonly tail: Tail | null;
}

export function figuresOf(config: Config, moments: Moments, weights: ArrayLike<number>): Figures {
  const volatility = volatilityOf(moments, weights);
  const { means, scenarios } = moments;
  const expectedReturn = means === null ? null : means.reduce((sum, mean, j) => sum + mean * (weights[j] ?? 0), 0);
  const excess = means === null ? null : netReturn(config, moments, weights) - config.risk_free_rate;
  return {
    expectedReturn,
    volatility,
    sharpe: excess === null || isRiskless(moments, volatility) ? null : excess / volatility,
    tail: scenarios === null ? null : tailOf(lossesOf(scenarios, weights), config.confidence, null),
  };
}

/** Result without `frontier`. */
export function resultOf(config: Config, moments: Moments, weights: ArrayLike<number>): JsonObject {
  const { ids } = moments;
  const { expectedReturn, volatility, sharpe, tail } = figuresOf(config, moments, weights);
  const all = ids.map((_, j) => weights[j] ?? 0);
  const sizes = all.map(Math.abs);
  const squares = all.reduce((sum, weight) => sum + weight * weight, 0);
  const single = volatilitiesOf(moments).reduce((sum, value, j) => sum + value * (all[j] ?? 0), 0);
  const hasCurrent = config.assets?.some((one) => one.current_weight !== undefined) === true;
  const turnover = turnoverOf(config, all);
  const cost = config.transaction_cost * turnover;
  return {
    weights: Object.fromEntries(ids.map((name, j) => [name, all[j] ?? 0])),
    ...(expectedReturn === null ? {} : { expected_return: expectedReturn }),
    ...(expectedReturn === null || cost === 0
      ? {}
      : { net_expected_return: expectedReturn - cost, transaction_costs: cost }),
    volatility,
    variance: volatility * volatility,
    ...(sharpe === null ? {} : { sharpe }),
    risk_contributions: riskSharesOf(moments.covariance, all),
    ...(volatility > 0 ? { diversification_ratio: single / volatility } : {}),
    effective_assets: squares > 0 ? sizes.reduce((sum, size) => sum + size, 0) ** 2 / squares : 0,
    assets_held: sizes.filter((size) => size > HELD).length,
    ...(hasCurrent ? { turnover } : {}),
    ...(tail === null ? {} : { var: tail.var, cvar: tail.cvar }),
    ...(config.capital === undefined ? {} : { shares: sharesOf(config, all) }),
  };
}

/** Whole shares: weights rounded towards 0; then one share after another of the asset furthest below its weight. */
export function sharesOf(config: Config, weights: readonly number[]): JsonObject {
  const { capital = 0, prices_now } = config;
  const ids = idsOf(config);
  const prices = ids.map((name, j) => prices_now?.[j] ?? assetOf(config, name, j)?.price ?? lastPrice(config, name, j));
  const counts = ids.map((_, j) => Math.trunc((capital * (weights[j] ?? 0)) / (prices[j] ?? 1) + 1e-9) + 0);
  let left = capital - counts.reduce((sum, count, j) => sum + count * (prices[j] ?? 0), 0);
  const shortfall = (j: number): number => capital * (weights[j] ?? 0) - (counts[j] ?? 0) * (prices[j] ?? 0);
  for (;;) {
    let best = -1;
    for (const j of ids.keys()) {
      const isAffordable = (prices[j] ?? Infinity) <= left && shortfall(j) > (prices[j] ?? Infinity) / 2;
      if (isAffordable && (best < 0 || shortfall(j) > shortfall(best))) best = j;
    }
    if (best < 0) break;
    counts[best] = (counts[best] ?? 0) + 1;
    left -= prices[best] ?? 0;
  }
  return { ...Object.fromEntries(ids.map((name, j) => [name, counts[j] ?? 0])), leftover_cash: left };
}

function lastPrice({ prices }: Config, name: string, j: number): number {
  if (prices === undefined) return Number.NaN;
  if (Array.isArray(prices)) return (prices as readonly (readonly number[])[]).at(-1)?.[j] ?? Number.NaN;
  return (prices as Readonly<Record<string, readonly number[]>>)[name]?.at(-1) ?? Number.NaN;
}

/** Every limit that the config names. `price`: change of best_fitness for one more unit, where it is known. */
export function limitsOf(
  config: Config,
  moments: Moments,
  weights: ArrayLike<number>,
  price: (name: string) => number | undefined = () => undefined,
): ConstraintState[] {
  const all = idsOf(config).map((_, j) => weights[j] ?? 0);
  const states: ConstraintState[] = [];
  const push = (name: string, value: number, limit: number, slack: number, row: string = name): void => {
    const shadowPrice = price(row);
    const isBinding = slack <= BINDING * Math.max(1, Math.abs(limit));
    states.push({
      name,
      value,
      limit,
      slack,
      binding: isBinding,
      shadowPrice: shadowPrice === undefined ? undefined : isBinding ? shadowPrice + 0 : 0,
    });
  };
  const sum = all.reduce((total, weight) => total + weight, 0);
  push('net_exposure', sum, config.net_exposure, Math.abs(sum - config.net_exposure));
  for (const { name, terms, min, max } of linearLimits(config)) {
    const value = terms.reduce((total, [j, coefficient]) => total + coefficient * (all[j] ?? 0), 0);
    if (min !== undefined) push(`${name}, min`, value, min, value - min, name);
    if (max !== undefined) push(`${name}, max`, value, max, max - value, name);
  }
  const { gross_exposure, max_turnover, target_return, target_volatility, max_assets, min_position } = config;
  const gross = all.reduce((total, weight) => total + Math.abs(weight), 0);
  if (gross_exposure !== undefined) push('gross_exposure', gross, gross_exposure, gross_exposure - gross);
  if (max_turnover !== undefined) {
    const turnover = turnoverOf(config, all);
    push('max_turnover', turnover, max_turnover, max_turnover - turnover);
  }
  if (target_return !== undefined) {
    const value = netReturn(config, moments, all);
    push('target_return', value, target_return, value - target_return);
  }
  if (target_volatility !== undefined) {
    const value = volatilityOf(moments, all);
    push('target_volatility', value, target_volatility, target_volatility - value);
  }
  const held = all.map(Math.abs).filter((size) => size > HELD);
  if (max_assets !== undefined) push('max_assets', held.length, max_assets, max_assets - held.length);
  if (min_position > 0 && held.length > 0) {
    const least = Math.min(...held);
    push('min_position', least, min_position, least - min_position);
  }
  return states;
}

/** Sentence about the limit that the weights break; null: none. */
export function brokenLimit(config: Config, moments: Moments, weights: readonly number[]): string | null {
  const tolerance = 1e-6;
  for (const [j, { lower, upper }] of boundsOf(config).entries()) {
    const weight = weights[j] ?? 0;
    if (weight < lower - tolerance || weight > upper + tolerance) {
      const isOut = Math.abs(weight) <= HELD && lower <= 0;
      if (!isOut) return `weight ${weight} of ${moments.ids[j]} is outside ${lower}..${upper}`;
    }
  }
  for (const { name, value, limit, slack } of limitsOf(config, moments, weights)) {
    const isOff = name === 'net_exposure' ? slack > tolerance : slack < -tolerance * Math.max(1, Math.abs(limit));
    if (isOff) return `${name}: ${value} against a limit of ${limit}`;
  }
  return null;
}
