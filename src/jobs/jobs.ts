/**
 * Jobs wake work that is due. A job is a name and a handler that does whatever is due by then. Nothing about the work
 * lies with the job, so waking a handler once too often costs a look at the store, and the claim on a document decides
 * who does what.
 */

/** Closed, so that it can label counts. */
export type JobName = 'relay-events' | 'send-deliveries' | 'expire' | 'roll-up' | 'clocks' | 'retain';

/**
 * Does all that is due and returns when it next wants to be woken (epoch ms), or null: when `everyMs` have passed. It
 * may be called at any time, also when nothing is due, and may be cut off at any point by the end of the process.
 * `signal` aborts when the service stops, or when the handler has taken minutes. One that rejects is called again, at
 * first soon, then ever more seldom, up to `everyMs`.
 */
export type JobHandler = (signal: AbortSignal) => Promise<number | null>;

export interface Jobs {
  /**
   * Before `start`. The handler is never run twice at a time in one process; other processes on the store may run it
   * too: a claim on the documents decides. `everyMs`: so often one of the processes on the store that define the job is
   * woken, whatever became of the others.
   */
  define(name: JobName, handler: JobHandler, options: { readonly everyMs: number }): void;
  /** Soon, in this process; again where it is running. Nothing where the job is not defined here. */
  nudge(name: JobName): void;
  /** Wakes every job once. A store that is away is tried again in the background: see `trouble`. */
  start(): Promise<void>;
  /** No handler is started any more; resolves when those that run have ended, or after a few seconds. */
  stop(): Promise<void>;
  /** Why jobs of other processes, or of long ago, may not be found; null: they are. */
  readonly trouble: string | null;
}

/** Told of what happens, for whoever counts. */
export interface JobMetrics {
  jobRan(name: JobName, outcome: 'ok' | 'failed', seconds: number): void;
}
