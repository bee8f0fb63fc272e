/**
 * What wakes work that is due. A job is a name and a handler that does whatever is due by then: nothing about the work
 * lies with the job, so waking a handler once too often costs a look at the store, and the claim on a document decides
 * who does what.
 */

/** Closed, so that it can label counts. */
export const JOB_NAMES = ['relay-events', 'send-deliveries', 'find-lost-runs', 'expire'] as const;

export type JobName = (typeof JOB_NAMES)[number];

/**
 * Does all that is due and returns when it next wants to be woken (epoch ms), or null: `everyMs` after this. It may be
 * called at any time, also when nothing is due, and may be cut off at any point by the end of the process. `signal` aborts
 * when the service stops. A handler that rejects is called again, at first soon, then ever more seldom, up to `everyMs`.
 */
export type JobHandler = (signal: AbortSignal) => Promise<number | null>;

export interface Jobs {
  /**
   * Before `start`. The handler is never run twice at a time in one process; other processes on the store may run it too:
   * a claim on the documents decides.
   */
  define(name: JobName, handler: JobHandler, options: { readonly everyMs: number }): void;
  /** Soon, in this process. Nothing where the job is not defined here. */
  nudge(name: JobName): void;
  start(): Promise<void>;
  /** No handler is started any more; resolves when those that run have ended, or after a few seconds. */
  stop(): Promise<void>;
}

/** What happened, for whoever counts. */
export interface JobMetrics {
  jobRan(name: JobName, outcome: 'ok' | 'failed', seconds: number): void;
}
