/** Context that the parts of the run service share: what they are made of, and the runs of this process. */
import { ExtremumError } from '../common/errors.js';
import type { Clock, IdSource } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import type { LearningService } from '../learning/learning-service.js';
import type { RunEvent } from '../model/run-event.js';
import { type RunRecord } from '../model/run-record.js';
import { type RunUsage } from '../model/run-usage.js';
import type { RunProgress } from '../model/run-task.js';
import type { Store } from '../storage/store.js';
import type { RunMetrics } from './metrics.js';
import type { RunMonitor } from './run-monitor.js';
import { RunEvents } from './run-events.js';
import { type PythonHost } from './python-host.js';
import type { quietMsOf } from './suspects.js';
import type { WorkerPools } from './worker-pools.js';

/** A CSV file for each run and each attempt at it. */
export interface EvaluationLogs {
  readonly folder: string;
}

export interface RunServiceParts {
  readonly store: Store;
  readonly pools: WorkerPools;
  readonly python: PythonHost;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: RunMetrics;
  readonly learning: LearningService;
  /** Events of runs were stored: whoever hands them on may look. */
  readonly eventsStored: () => void;
  /** Runs were removed: the space that they took may be given back. */
  readonly runsRemoved: () => void;
  /** Whether CPython confirms values of compiled code. */
  readonly verify: boolean;
  /** Threads that one run may use for an evaluation. */
  readonly threadsPerRun: number;
  /** Where the evaluations of all runs are written; absent: nowhere. */
  readonly evaluationLogs?: EvaluationLogs | null;
  /** How long a run stays with a process that nothing is heard of. */
  readonly leaseMs: number;
  /** Instead of `quietMsOf`, for tests. */
  readonly quietMs?: typeof quietMsOf;
}

/** Why a thread is ended from outside. */
export type Why = 'cancelled' | 'timeout' | 'superseded' | 'interrupted';

/** A run that this process carries out. */
export interface ActiveRun {
  readonly run: RunRecord;
  /** Null: it keeps no trace. */
  readonly monitor: RunMonitor | null;
  readonly control: Int32Array;
  readonly abort: AbortController;
  /** Why the thread is being ended from outside, if it is. */
  why: Why | null;
  /** Milliseconds, monotonic. */
  readonly begunAt: number;
  lastProgress: RunProgress | null;
  /** Usage of earlier attempts. */
  usageBefore: RunUsage;
  /** Usage of this attempt, as last heard. */
  usage: RunUsage;
  /** Whether `optimization.started` has been made. */
  isAnnounced: boolean;
  /** Made, not yet stored. */
  readonly events: RunEvent[];
  readonly timers: NodeJS.Timeout[];
  /** `losses` and `strikes` at the latest checkpoint that was stored. */
  lossesBefore: number;
  strikesBefore: number;
  /** It has not proved yet that it does not end the process. */
  isOnProbation: boolean;
  /** Claimed alone, and the store has not been told otherwise. */
  isAlone: boolean;
}

export class RunContext {
  readonly parts: RunServiceParts;
  readonly events: RunEvents;
  /** By identifier. */
  readonly active = new Map<string, ActiveRun>();
  /** Runs that are just being claimed, with their accounts: each is promised a thread. */
  readonly claiming = new Map<string, string>();
  /**
   * Runs that are no suspects here: they have proved harmless to this process, or it was their thread that died in it.
   */
  readonly cleared = new Set<string>();
  /** Set once, when the service closes. */
  isStopping = false;
  private readonly working = new Set<Promise<void>>();

  constructor(parts: RunServiceParts) {
    this.parts = parts;
    this.events = new RunEvents(parts.ids);
  }

  /** Work that `settled` waits for. */
  track(work: Promise<void>): void {
    const watched = work
      .catch((error: unknown) => this.parts.logger.error({ err: error }, 'a defect in the life of a run'))
      .finally(() => this.working.delete(watched));
    this.working.add(watched);
  }

  /** Resolves when all tracked work is done. */
  async settled(): Promise<void> {
    await Promise.all(this.working);
  }
}

export const stopping = (): ExtremumError =>
  new ExtremumError('unavailable', 'The service is stopping.', { retryable: true });

/** Pause before work that the store could not do is tried again. */
export const STORE_RETRY_MS = 1_000;
