/** The state of an account's lessons. */
import type { Lesson } from '../../model/learning.js';
import type { LearnedState } from '../contract/learning.js';

/**
 * @param last The latest version; 0: there is none.
 * @param forgotten The latest version that was forgotten; 0: there is none.
 * @param changes The serial of the latest federated change; 0: there is none.
 * @param erased See `LearnedState`.
 */
export const learnedState = (last: number, forgotten: number, changes: number, erased: number): LearnedState => ({
  version: last > forgotten ? last : 0,
  forgotten,
  changes,
  erased,
});

/** The part of a lesson that stays when its run is removed. */
export function withoutSolution({ found: _found, ...rest }: Lesson): Lesson {
  return { ...rest, isRunDeleted: true };
}
