/** What benchmarks do with the times they took. */

export const sorted = (values) => [...values].sort((a, b) => a - b);

/** The value below which `share` of the others lie; the upper one of two neighbours. */
export const quantile = (values, share) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];

export const median = (values) => quantile(values, 0.5);

/** To so many significant digits. */
export const rounded = (value, digits = 3) => Number(value.toPrecision(digits));

/** To so many decimals. */
export const fixed = (value, decimals = 2) => Number(value.toFixed(decimals));

/** Seconds of processor time of this process, all of its threads, since `start` (of `process.cpuUsage()`). */
export function cpuSeconds(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}
