/**
 * Values that the Gaussian process sees in place of fitness: those below the median keep their shape, those above are
 * compressed by a logarithm, both in units of the distance from the lower quartile to the median. An optimum's
 * neighbourhood stays as smooth as it is, and values that are off by orders of magnitude do no harm. The transform is
 * increasing; its values are standardised at the end. A failed evaluation gets the worst value of those that did not
 * fail. Measured against others: docs/adr/0014-bayesian.md.
 */
import { log } from '../../common/float.js';

/** So many units below the median, differences are compressed as well, to keep squares finite. */
const FAR = 1e6;

/** @returns [fitness.length], mean 0 and variance 1; all 0 when all are equal or none is finite */
export function transformed(fitness: Float64Array): Float64Array {
  const values = new Float64Array(fitness.length);
  const sorted = fitness.filter((value) => value !== Infinity).sort();
  if (sorted.length === 0) return values;
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  const middle = sorted[sorted.length >> 1];
  // Quarters, because the difference of two finite numbers may not be finite.
  let unit = 0.25 * middle - 0.25 * sorted[sorted.length >> 2];
  if (!(unit > 0)) unit = 0.25 * most - 0.25 * least;
  if (!(unit > 0)) return values;
  let mean = 0;
  for (let k = 0; k < values.length; k++) {
    values[k] = bent((0.25 * Math.min(most, fitness[k]) - 0.25 * middle) / unit);
    mean += values[k] / values.length;
  }
  let squares = 0;
  for (const value of values) squares += (value - mean) * (value - mean);
  const scale = Math.sqrt(squares / values.length);
  return values.map((value) => (value - mean) / scale);
}

function bent(y: number): number {
  if (y > 0) return log(1 + Math.min(y, Number.MAX_VALUE));
  return y > -FAR ? y : -FAR * (1 + log(Math.min(-y, Number.MAX_VALUE) / FAR));
}
