/** How much of a study's log is read at a time. */
import { STUDY_READ_BYTES } from '../contract/studies.js';

/** How many of the first entries fit into one portion, at least one; `sizes`: their bytes, in their order. */
export function fittingEntries(sizes: readonly number[]): number {
  let sum = 0;
  const tooMany = sizes.findIndex((bytes, i) => (sum += bytes) > STUDY_READ_BYTES && i > 0);
  return tooMany < 0 ? sizes.length : tooMany;
}
