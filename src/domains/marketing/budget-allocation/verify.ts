/** Adds up spends and responses anew from config and solution, and holds them against every limit. */
import { type Config, weightsOf } from './config.js';
import type { Solution } from '../../problem-type.js';
import { sumOf } from './plan.js';
import { inEffect } from './flighting.js';
import { curveOf } from './curves.js';
import { fitnessOf, targetReturn, countsInSpend } from './objective.js';

export function verify(config: Config, { bestSolution, bestFitness, result }: Solution): string | null {
  const { spend, total_response, fit } = result as unknown as {
    readonly spend: Record<string, number>;
    readonly total_response: number;
    readonly fit?: { readonly responses: Record<string, Config['response']> };
  };
  const weights = weightsOf(config);
  const periods = weights.length;
  let response = 0;
  let spent = 0;
  for (const [i, channel] of config.channels.entries()) {
    const name = channel.id ?? String(i + 1);
    const x = bestSolution.slice(i * periods, (i + 1) * periods);
    const sum = sumOf(x);
    spent += sum;
    if (Math.abs(sum - spend[name]) > 1e-9 * (1 + sum)) return `the spends of ${name} add up to ${sum}`;
    const { min, max, min_share = 0, max_share = 1, current_spend, adstock_decay } = channel;
    const slack = 1e-8 * (1 + sum);
    const { budget = Infinity, change_limit = Infinity } = config;
    for (const one of x) {
      if (!(one >= min - slack && one <= (max ?? Infinity) + slack))
        return `the spend ${one} of ${name} is outside its limits`;
      if (current_spend !== undefined && Math.abs(one - current_spend) > change_limit * current_spend + slack) {
        return `the spend of ${name} changes too much`;
      }
    }
    if (
      budget < Infinity &&
      (sum < min_share * budget - slack || (periods === 1 && sum > max_share * budget + slack))
    ) {
      return `the share of ${name} is outside its limits`;
    }
    const given = fit?.responses[name] ?? channel.response ?? config.response;
    const known = given === undefined || (given.type === 'power' && given.scale === undefined) ? null : given;
    const exponent = given?.type === 'power' ? given.exponent : 0.5;
    const { current_response = NaN } = channel;
    // The steady state by its sum over the past, where the cycle is short; else as `inEffect` gives it.
    const effect = inEffect(x, adstock_decay);
    response += effect.reduce((total, y, t) => {
      const value =
        known === null
          ? current_response * (y / (current_spend ?? NaN)) ** exponent
          : curveOf(known, adstock_decay).value(y);
      return total + weights[t] * value;
    }, 0);
  }
  if (!(Math.abs(response - total_response) <= 1e-8 * (1 + Math.abs(response))))
    return `the curves add up to ${response}`;
  if (spent > (config.budget ?? Infinity) * periods * (1 + 1e-9)) return `${spent} is more than the budget`;
  const fitness = fitnessOf(config, response, spent);
  if (!(Math.abs(fitness - bestFitness) <= 1e-8 * (1 + Math.abs(fitness) + spent)))
    return `the objective is ${fitness}`;
  const t = targetReturn(config);
  if (config.objective.startsWith('target') && response < t * spent * (1 - 1e-8))
    return 'the return is below the target';
  if (countsInSpend(config) && response < (config.target ?? NaN) * (1 - 1e-8))
    return 'the response is below the target';
  return null;
}
