/** The objective of a plan: a response, a profit or a spend, and the target that it keeps. */
import type { Config } from './config.js';

export const targetReturn = ({ objective, target = NaN, margin = 1 }: Config): number =>
  objective === 'target_roas' ? target / margin : 1 / target;

export const isProfit = ({ objective }: Config): boolean => objective === 'maximize_profit';

export const countsInSpend = ({ objective }: Config): boolean => objective === 'min_spend_for_response';

export function fitnessOf(config: Config, response: number, spent: number): number {
  if (countsInSpend(config)) return spent;
  return isProfit(config) ? (config.margin ?? NaN) * response - spent : response;
}
