/** The store's part for what the runs of an account taught, and what it exchanges with other deployments. */
import type { FederatedChange, NumberedChange } from '../../model/federation.js';
import type { NumberedLesson } from '../../model/learning.js';
import type { VerbsOf } from './verbs.js';

/**
 * The state of an account's lessons. Versions are dense, from 1 on: each lesson, or federated change, makes the next
 * one.
 */
export interface LearnedState {
  /** The latest version; 0: there is none since lessons were last forgotten. */
  readonly version: number;
  /** Lessons up to this version were forgotten. */
  readonly forgotten: number;
  /** Serial of the latest federated change; 0: there is none. */
  readonly changes: number;
  /** Grows whenever lessons lose their solutions because their runs were removed; 0: none has. */
  readonly erased: number;
}

/**
 * Lessons: `finishRun` adds them. Versions go on after lessons were forgotten, so that one never means two things.
 *
 * Federated changes: a log that only grows. Whoever is first with a serial wins, so that what a change rests on (a
 * budget that is left, an update that is not yet there) still holds when it is written.
 */
export interface LearningStore {
  learnedState(accountId: string): Promise<LearnedState>;
  /**
   * Those of the versions after `after` up to `upTo` that were not forgotten, oldest first; of more than `limit` the
   * latest.
   */
  lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]>;
  /** Forgets every lesson so far. Federated changes stay. */
  forgetLessons(accountId: string): Promise<void>;
  /**
   * Adds the change after the one of `serial - 1`, as the account's next version, which is returned. Null: another has
   * that serial, or nobody the one before; nothing was written. The same change (by its `id`) again is added once.
   */
  appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null>;
  /** Those after that serial, oldest first. */
  federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]>;
}

export const LEARNING_VERBS: VerbsOf<LearningStore> = {
  learnedState: 'reads',
  lessons: 'reads',
  forgetLessons: 'writes',
  appendFederatedChange: 'writes',
  federatedChanges: 'reads',
};
