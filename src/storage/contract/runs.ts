/** The store's part for runs, from their creation to their end, with their events. */
import type { Lesson } from '../../model/learning.js';
import type { MonitoringTrace } from '../../model/monitoring.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { RunSource } from '../../model/problem.js';
import type { RunEvent } from '../../model/run-event.js';
import type { Metadata, NewRun, RunEnding, RunRecord, StoredProgress } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import type { RunLimit, RunOrder, RunSummary } from '../../model/run-summary.js';
import type { HistoryPoint } from '../../model/run-task.js';
import type { VerbsOf } from './verbs.js';

/** Who takes a run, when, and until when it is theirs unless renewed. Times are epoch milliseconds. */
export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
  /**
   * The process carries out no other run, nor will it until it has said so (`noteCompany`, or progress of this one).
   */
  readonly alone?: boolean;
}

/** A run that may be claimed, as far as it matters whose turn it is. */
export interface ClaimableRun {
  readonly id: string;
  readonly accountId: string;
  /** See `RunRecord`. */
  readonly losses: number;
  /** Whoever had it lost it: the next claim counts a loss. */
  readonly isLost: boolean;
}

export interface RunsAtWork {
  readonly accountId: string;
  readonly runs: number;
}

export interface ClaimedRun {
  readonly run: RunRecord;
  readonly source: RunSource;
  /** The last attempt saved it; null: begin at the start. */
  readonly checkpoint: Uint8Array | null;
}

/** Everything that it takes to go on from the end of a run. */
export interface RunEnd {
  readonly source: RunSource;
  readonly history: readonly HistoryPoint[];
  /** Its state at the end; null: not kept, or no longer. */
  readonly checkpoint: Uint8Array | null;
}

/** A run as the one who claimed it knows it. */
export interface HeldRun {
  readonly id: string;
  readonly attempt: number;
}

/** News of a run for whoever carries it out, or waits for its end. */
export interface RunState extends HeldRun {
  readonly status: RunStatus;
  readonly cancelRequested: boolean;
}

export interface RunFilter {
  readonly status?: RunStatus;
  readonly functionId?: string;
  /** The last one that searched; of runs that have ended. */
  readonly strategy?: string;
  /** All of them hold. */
  readonly limits?: readonly RunLimit[];
  /** Each of them (`searchWords`) occurs in the run's `searchText`. */
  readonly words?: readonly string[];
}

export interface RunPageRequest extends PageRequest {
  /** Absent: newest first. */
  readonly order?: RunOrder;
}

export interface ProgressReport {
  readonly progress: StoredProgress;
  /** Replaces the run's history so far; absent: keeps it. */
  readonly history?: readonly HistoryPoint[];
  /**
   * Replaces the run's checkpoint; null: drops it; absent: keeps it. The one argument that is not copied, as it may be
   * large: it is the store's from the call on, and may be empty when the promise is returned.
   */
  readonly checkpoint?: Uint8Array | null;
  /** Added to the run's events; one that is there already (by its identifier) is not added again. */
  readonly events?: readonly RunEvent[];
}

export interface RunFinish {
  readonly status: 'completed' | 'failed';
  readonly ending: RunEnding;
  /** Replaces the run's history; absent: keeps what was reported. */
  readonly history?: readonly HistoryPoint[];
  /** Replaces the run's monitoring trace (`encodeTrace`); absent: keeps what was stored. */
  readonly monitoring?: Uint8Array;
  readonly completedAt: number;
  /** Its state at the end, kept until that time (epoch milliseconds) for a run that goes on from there. */
  readonly extendable?: { readonly checkpoint: Uint8Array; readonly until: number };
  /** As in `ProgressReport`. */
  readonly events?: readonly RunEvent[];
  /**
   * The lesson of the run, for its account: stored with the end or not at all, and once however often it is written.
   */
  readonly lesson?: Lesson;
}

export type RunAbandonment = Pick<RunFinish, 'ending' | 'completedAt' | 'events'>;

export interface RunStore {
  /**
   * With `claim` the run is born running, as attempt 1: one write instead of two. Its `start` becomes its checkpoint
   * and history.
   * @throws {ExtremumError} `conflict` when the identifier exists already; nothing was written.
   */
  createRun(run: NewRun, claim?: Claim): Promise<RunRecord>;
  findRun(accountId: string, id: string): Promise<RunRecord | null>;
  listRuns(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunRecord>>;
  /** The same list. Its cost does not grow with the size of the records, which are not read. */
  listSummaries(accountId: string, filter: RunFilter, page: RunPageRequest): Promise<Page<RunSummary>>;
  /**
   * Runs that may be claimed at `now`: pending, or running under a lease that has ended. In turns: first the oldest of
   * every account, then the second oldest of every account, and so on; those of a turn oldest first.
   */
  claimableRuns(now: number, limit: number): Promise<readonly ClaimableRun[]>;
  /** How many runs of each account are under a lease at `now`, in any process; accounts without one are left out. */
  runsAtWork(now: number): Promise<readonly RunsAtWork[]>;
  /**
   * Null when somebody else has it or it has ended; exactly one of several claimers wins. `losses` grows when the
   * former lease ran out, not when it was given back; `strikes` too where the former owner had it alone to the end.
   */
  claimRun(id: string, claim: Claim): Promise<ClaimedRun | null>;
  /**
   * Gives a running run back unfinished: claimable at once. `returned` (shutdown) does not count as a loss at the next
   * claim, `lost` (the thread that worked on it, and on nothing else, died) does, as one alone. False: the attempt is
   * not the current one.
   */
  releaseRun(id: string, attempt: number, how: 'returned' | 'lost'): Promise<boolean>;
  /** Others are to begin beside a run that was claimed `alone`. False: the attempt is not the current one. */
  noteCompany(id: string, attempt: number): Promise<boolean>;
  /** Extends the leases of those that are running under this attempt and were not released. Returns how many. */
  renewLeases(held: readonly HeldRun[], leaseUntil: number): Promise<number>;
  /**
   * Ends every lease now. Only for one who knows that every earlier owner is dead: the holder of an exclusive store,
   * at its start. Returns how many.
   */
  expireLeases(): Promise<number>;
  /** Runs of any account, without those that do not exist, in no order. Cheap: meant to be asked often. */
  runStates(ids: readonly string[]): Promise<readonly RunState[]>;
  /**
   * With a checkpoint, whoever had the run alone may have company from then on. False: the attempt is not the current
   * one, or the run has ended; nothing was written.
   */
  saveProgress(id: string, attempt: number, report: ProgressReport): Promise<boolean>;
  /**
   * Ends a run and drops its checkpoint, but for what `extendable` says. Null: the attempt is not the current one or
   * the run has ended; nothing was written. A pending run is ended with its attempt number too (0 when nobody claimed
   * it yet).
   */
  finishRun(id: string, attempt: number, finish: RunFinish): Promise<RunRecord | null>;
  /**
   * Ends a run as failed that `claimRun` has found damaged, whoever has it: nobody can carry it out. It gets another
   * attempt number. False: it has ended, or there is none.
   */
  abandonRun(id: string, end: RunAbandonment): Promise<boolean>;
  /** The run's own copy. Null: no such run. */
  runSource(accountId: string, id: string): Promise<RunSource | null>;
  /** The latest of a run that has not ended. Null: it has none, or there is no such run. */
  runCheckpoint(id: string): Promise<Uint8Array | null>;
  /** Null: no such run, or it has not ended. */
  runEnd(accountId: string, id: string, now: number): Promise<RunEnd | null>;
  /** Marks a run that has not ended; its owner ends it. Null: no such run, or it has ended. */
  requestCancel(accountId: string, id: string): Promise<RunRecord | null>;
  /** Replaces the metadata, in every state, and adds the event to the run's. Null: no such run. */
  updateMetadata(accountId: string, id: string, metadata: Metadata, event?: RunEvent): Promise<RunRecord | null>;
  /**
   * At most `limit` events, in their order, without the first `after`. An event keeps its place, so `after` plus the
   * number of those returned is where to go on. One that is damaged is null. Null: no such run.
   */
  runEvents(accountId: string, id: string, after: number, limit: number): Promise<readonly (RunEvent | null)[] | null>;
  /**
   * Replaces the run's monitoring trace, by bytes of `encodeTrace` (model/trace-bytes.ts). False: the attempt is not
   * the current one, or the run has ended; nothing was written.
   */
  saveMonitoring(id: string, attempt: number, trace: Uint8Array): Promise<boolean>;
  /** Empty where none was stored. Null: no such run. */
  runMonitoring(accountId: string, id: string): Promise<MonitoringTrace | null>;
  /** Oldest first. Null: no such run. */
  runHistory(accountId: string, id: string): Promise<readonly HistoryPoint[] | null>;
}

export const RUN_VERBS: VerbsOf<RunStore> = {
  createRun: 'writes',
  findRun: 'reads',
  listRuns: 'reads',
  listSummaries: 'reads',
  claimableRuns: 'reads',
  runsAtWork: 'reads',
  claimRun: 'writes',
  releaseRun: 'writes',
  noteCompany: 'writes',
  renewLeases: 'writes',
  expireLeases: 'writes',
  runStates: 'reads',
  saveProgress: 'writes',
  finishRun: 'writes',
  abandonRun: 'writes',
  runSource: 'reads',
  runCheckpoint: 'reads much',
  runEnd: 'reads much',
  requestCancel: 'writes',
  updateMetadata: 'writes',
  runEvents: 'reads',
  saveMonitoring: 'writes',
  runMonitoring: 'reads',
  runHistory: 'reads',
};
