/** The state of an account's lessons. */
import type { LearnedState } from '../contract/learning.js';

/**
 * @param last The latest version; 0: there is none.
 * @param forgotten The latest version that was forgotten; 0: there is none.
 * @param changes The serial of the latest federated change; 0: there is none.
 */
export const learnedState = (last: number, forgotten: number, changes: number): LearnedState => ({
  version: last > forgotten ? last : 0,
  forgotten,
  changes,
});
