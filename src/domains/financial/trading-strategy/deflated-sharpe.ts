/**
 * The deflated Sharpe ratio: how likely a Sharpe ratio is above 0 once it is the best of many tries. All ratios are
 * those of one bar. Source: Bailey and Lopez de Prado, The Deflated Sharpe Ratio, J. Portfolio Management 40 (2014)
 * 94-107, eq. 1-2.
 */
import { cdf, quantile } from '../../solvers/distributions/normal.js';

/** Euler and Mascheroni. */
const GAMMA = 0.5772156649015329;

/** Expected largest Sharpe ratio of several tries, none of which is any good. */
export function expectedMaximum(sharpes: readonly number[]): number {
  const tries = sharpes.length;
  if (tries < 2) return 0;
  const mean = sharpes.reduce((sum, one) => sum + one, 0) / tries;
  const variance = sharpes.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / (tries - 1);
  return Math.sqrt(variance) * ((1 - GAMMA) * quantile(1 - 1 / tries) + GAMMA * quantile(1 - 1 / (tries * Math.E)));
}

/**
 * Probability that the true ratio is above that expectation; null where the moments contradict a ratio of that size.
 */
export function deflated(
  { sharpe, skewness, kurtosis, bars }: { sharpe: number; skewness: number; kurtosis: number; bars: number },
  expected: number,
): number | null {
  const spread = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
  return spread > 0 ? cdf(((sharpe - expected) * Math.sqrt(bars - 1)) / Math.sqrt(spread)) : null;
}

/** Null where the returns do not vary. `returns`: of the bars of the chosen try. */
export function deflatedSharpe(returns: readonly number[], sharpes: readonly number[]): number | null {
  const bars = returns.length;
  const mean = returns.reduce((sum, one) => sum + one, 0) / bars;
  let [second, third, fourth] = [0, 0, 0];
  for (const one of returns) {
    const distance = one - mean;
    const square = distance * distance;
    second += square / bars;
    third += (square * distance) / bars;
    fourth += (square * square) / bars;
  }
  if (!(second > 0) || bars < 3) return null;
  const sharpe = mean / Math.sqrt((second * bars) / (bars - 1));
  const moments = { skewness: third / (second * Math.sqrt(second)), kurtosis: fourth / (second * second) };
  return deflated({ sharpe, bars, ...moments }, expectedMaximum(sharpes));
}
