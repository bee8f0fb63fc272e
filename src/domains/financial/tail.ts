/**
 * Tails of losses over scenarios. Loss = -gain. Value at risk at a confidence: the quantile of the loss. CVaR (expected
 * shortfall): the mean of the worst 1 - confidence of the probability. Both are positive where money is lost.
 * Source: Rockafellar and Uryasev, J. Risk 2(3) (2000) 21-41.
 */
import type { Column, Row } from '../solvers/linear-program.js';

export interface Tail {
  readonly var: number;
  readonly cvar: number;
}

/** Rounding of sums of probabilities. */
const ROUNDING = 1e-12;

/** `scenarios`: gain of one unit of each holding, a row for each scenario. */
export const lossesOf = (scenarios: readonly ArrayLike<number>[], holdings: ArrayLike<number>): number[] =>
  scenarios.map((row) => {
    let loss = 0;
    for (let j = 0; j < row.length; j++) loss -= (row[j] ?? 0) * (holdings[j] ?? 0);
    return loss;
  });

/** `probabilities` add up to 1; null: all are equal. */
export function tailOf(losses: readonly number[], confidence: number, probabilities: readonly number[] | null): Tail {
  const equal = 1 / losses.length;
  const order = losses.map((_, s) => s).sort((a, b) => (losses[a] ?? 0) - (losses[b] ?? 0) || a - b);
  let below = 0;
  let quantile = losses[order.at(-1) ?? 0] ?? 0;
  for (const [k, s] of order.entries()) {
    below = probabilities === null ? (k + 1) / losses.length : below + (probabilities[s] ?? 0);
    if (below < confidence - ROUNDING) continue;
    quantile = losses[s] ?? 0;
    break;
  }
  const beyond = losses.reduce((sum, loss, s) => sum + (probabilities?.[s] ?? equal) * Math.max(0, loss - quantile), 0);
  return { var: quantile, cvar: quantile + beyond / (1 - confidence) };
}

interface TailProgramme {
  /** The threshold, which is the value at risk at an optimum, then the loss beyond it in each scenario. */
  readonly columns: readonly Column[];
  /** One for each scenario. At an optimum the duals of a minimized CVaR are the probabilities of its tail. */
  readonly rows: readonly Row[];
  /** The CVaR as a sum over the columns. */
  readonly cvar: readonly (readonly [column: number, coefficient: number])[];
}

/** The CVaR of the first columns of a programme. `at`: where `columns` will stand. Source: as above, eq. 17. */
export function tailProgramme(
  scenarios: readonly ArrayLike<number>[],
  confidence: number,
  { at, probabilities }: { readonly at: number; readonly probabilities: readonly number[] | null },
): TailProgramme {
  const share = (s: number): number =>
    probabilities === null ? 1 / ((1 - confidence) * scenarios.length) : (probabilities[s] ?? 0) / (1 - confidence);
  return {
    columns: [
      { name: 'value at risk', cost: 0, lower: -Infinity },
      ...scenarios.map((_, s) => ({ name: `loss beyond it in scenario ${s + 1}`, cost: 0 })),
    ],
    rows: scenarios.map((gains, s) => ({
      name: `scenario ${s + 1}`,
      lower: 0,
      terms: [...Array.from(gains, (gain, j) => [j, gain] as const), [at, 1] as const, [at + 1 + s, 1] as const],
    })),
    cvar: [[at, 1] as const, ...scenarios.map((_, s) => [at + 1 + s, share(s)] as const)],
  };
}
