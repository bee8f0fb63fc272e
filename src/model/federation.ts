/**
 * Messages by which deployments share what they learned: how many runs there were and what they gained, for problem
 * kinds and leaders out of fixed lists. Nothing else can be said in them. The lists: `planner/problem-classes.ts` and
 * `planner/leaders.ts`.
 */
export const UPDATE_FORMAT = 'extremum-federated-update';
/**
 * Version of the classes, the strategies and the meaning of a gain. Whoever changes any of these raises it, since
 * numbers of another version mean something else.
 */
export const BASE_VERSION = 1;

/** Decades; no run counts for more than that, in either direction. */
export const CLIP = 0.5;

export interface Statistic {
  /** A class and a strategy: `CELLS` (planner/problem-classes.ts). */
  readonly cell: number;
  readonly runs: number;
  /** Decades of evaluations that these runs took less than `usualOf` says, on average; within ±`CLIP`. */
  readonly meanGain: number;
}

/** One deployment's message. */
export interface FederatedUpdate {
  readonly epsilon: number;
  /** By cell, rising. */
  readonly statistics: readonly Statistic[];
}

/** Statistic of one class and strategy, merged from all updates. */
export interface MergedStatistic {
  readonly cell: number;
  /** Runs, less what noise makes them worth less, and no more of one update than it may count for. */
  readonly weight: number;
  readonly meanGain: number;
}

/** One event of an account's federation; the events are ordered. Exports change no model. */
export type FederatedChange = {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
} & (
  | { readonly kind: 'merged'; readonly sha256: string; readonly update: FederatedUpdate }
  | { readonly kind: 'revoked'; readonly updateId: string }
  | {
      readonly kind: 'exported';
      readonly sha256: string;
      readonly update: FederatedUpdate;
      /** Lessons up to this version are in it or in an earlier one. */
      readonly upTo: number;
    }
);

export interface NumberedChange {
  /** From 1 on, without gaps. */
  readonly serial: number;
  /** Version of the account's knowledge; lessons are numbered in the same row. */
  readonly version: number;
  readonly change: FederatedChange;
}

/** Rows of `Knowledge.table` that hold a `MergedStatistic` instead of a lesson are told by this in `COLUMN.isNoisy`. */
export const FEDERATED_ROW = 2;
export const FEDERATED_COLUMN = { cell: 0, weight: 1, meanGain: 3 } as const satisfies Readonly<Record<string, number>>;
