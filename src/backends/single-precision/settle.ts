/**
 * Which values of single precision count: those whose error is at most `RELATIVE_ERROR` of them. All other candidates
 * are `UNDECIDED`: those on which a check fires or may fire, and infinite ones, among them. Double precision is to
 * value them.
 */
import { RELATIVE_ERROR, UNDECIDED, type Approximation } from '../backend.js';

/** `values`: rows [count, results]. */
export function settle(
  { values: found, errors }: Approximation,
  count: number,
  results: number,
  values: Float64Array,
  status: Uint8Array,
  lines: Int32Array | null,
): void {
  for (let i = 0; i < count; i++) {
    let counts = true;
    for (let k = i * results; k < (i + 1) * results; k++) {
      counts &&= Number.isFinite(found[k]) && errors[k] <= RELATIVE_ERROR * Math.abs(found[k]);
      values[k] = found[k];
    }
    status[i] = counts ? 0 : UNDECIDED;
    if (!counts) values.fill(NaN, i * results, (i + 1) * results);
    if (lines !== null) lines[i] = 0;
  }
}
