/**
 * A study: an optimization whose objective the client evaluates itself. What happens to it is a log of numbered
 * entries; everything else (its strategy's state, which points are open, the best one) follows from its definition and
 * the log.
 */
import type { Metadata } from './run-record.js';
import type { Direction } from './objective.js';

type Bound = readonly [min: number, max: number];

/** A study's settings, which it has from its beginning on. */
export interface StudyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly bounds: readonly Bound[];
  /** One for each objective. */
  readonly directions: readonly Direction[];
  /** The name in the registry of strategies. */
  readonly strategy: string;
  readonly seed: number;
  readonly maxEvaluations: number;
  readonly metadata: Metadata;
  readonly createdAt: number;
}

/** How a study stands after an entry of its log. */
export interface StudySummary {
  /** Results so far, failed ones included. */
  readonly evaluations: number;
  readonly failedEvaluations: number;
  /** Points that were handed out and not told yet. */
  readonly open: number;
  /** In the objective's own direction; null: there is none, or there are several objectives. */
  readonly bestFitness: number | null;
  /** When the entry was made, epoch milliseconds. */
  readonly at: number;
}

/** The end of a study's log; `seq` 0 and no summary: it is empty. */
interface StudyHead {
  readonly seq: number;
  readonly summary: StudySummary | null;
}

export interface StudyState {
  readonly study: StudyRecord;
  readonly head: StudyHead;
}

/** One entry of a study's log. */
export interface StudyEntry {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Token of the request that made it: the store keeps only one of two entries with the same token. */
  readonly token: string;
  /** A `StudyOperation` (src/studies/study.ts), encoded. */
  readonly body: Uint8Array;
  readonly summary: StudySummary;
}
