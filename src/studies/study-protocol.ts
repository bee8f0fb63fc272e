/** Messages between the main thread and the threads of studies: plain data; failures travel as data, too. */
import type { ErrorData } from '../common/thread-call.js';
import type { Page, PageRequest } from '../model/page.js';
import type { StudyRecord, StudySummary } from '../model/study.js';
import type { StudyBest, StudyCandidate, StudyResult } from './study.js';

export type StudyQuestion =
  | { readonly kind: 'ask'; readonly count: number }
  | { readonly kind: 'tell'; readonly results: readonly StudyResult[] }
  | { readonly kind: 'best' }
  | { readonly kind: 'values'; readonly page: PageRequest };

export interface StudyJob {
  readonly study: StudyRecord;
  /** The thread may hold the study already. Else it is to be loaded, from this. */
  readonly start: { readonly snapshot: Uint8Array | null; readonly seq: number } | null;
  /** The entries begin after that one. */
  readonly after: number;
  /** To be carried out first, in their order; those that the thread has carried out already are passed over. */
  readonly entries: readonly { readonly seq: number; readonly body: Uint8Array }[];
  /** Null: nothing more. */
  readonly question: StudyQuestion | null;
  readonly now: number;
}

/** An entry that would answer the question, once it is stored. */
export interface Proposal {
  readonly body: Uint8Array;
  readonly summary: StudySummary;
  /** False: it only makes room for the question to be asked again. */
  readonly isAnswer: boolean;
  readonly candidates: readonly StudyCandidate[];
  /** Results in it. */
  readonly accepted: number;
  /** Points of the generation that nobody has then. */
  readonly left: number;
}

export interface StudySnapshotMade {
  readonly seq: number;
  readonly checkpoint: Uint8Array;
}

export type StudyReply =
  /** It does not hold the study, or not as far as the entries begin. */
  | { readonly kind: 'behind' }
  | {
      readonly kind: 'done';
      /** The last entry that was carried out. */
      readonly seq: number;
      /** Null: nothing is to be stored. */
      readonly proposal: Proposal | null;
      /** Null: nobody asked. */
      readonly best: StudyBest | null;
      /** The same. Of points, the latest first; null: open. */
      readonly values: Page<Float64Array | null> | null;
      readonly snapshot: StudySnapshotMade | null;
    }
  | { readonly kind: 'failed'; readonly error: ErrorData };
