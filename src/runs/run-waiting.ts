/**
 * Whoever waits for the end of a run, or watches it. What happens here wakes them directly. Of a shared store this
 * process also asks after what others do: soon for who just came, seldom for who waits for long.
 */
import type { RunEvent } from '../model/run-event.js';
import { type RunRecord } from '../model/run-record.js';
import { isFinished } from '../model/run-status.js';
import type { RunContext } from './run-context.js';
import { type RunServiceParts } from './run-context.js';

/** Whoever waits for a run that another process carries out asks after a share of the time waited so far. */
const WAIT_SHARE = 0.25;
const WAIT_POLL_MS = { least: 20, most: 1_000 } as const;
/** Whoever watches a run that another process may carry out looks this often. */
const WATCH_POLL_MS = 1_000;

interface Waiting {
  readonly since: number;
  readonly wake: Set<() => void>;
}

/** Somebody waits for a change. */
export interface Watch {
  readonly happened: Promise<void>;
  readonly stop: () => void;
}

export interface Seen {
  readonly run: RunRecord;
  readonly events: readonly (RunEvent | null)[];
}

export class RunWaiting {
  private readonly context: RunContext;
  private readonly parts: RunServiceParts;
  private readonly waiting = new Map<string, Waiting>();
  private readonly watchers = new Map<string, Set<() => void>>();
  /** Looks of this turn of the event loop, by run. */
  private readonly looks = new Map<string, Map<string, Promise<Seen | null>>>();
  private waitTimer: NodeJS.Timeout | null = null;

  constructor(context: RunContext) {
    this.context = context;
    this.parts = context.parts;
  }

  /**
   * A run with its events from `after` on. Those who look at the same time, as all do who were woken by the same
   * change, share one look. Null: no such run.
   */
  look(accountId: string, id: string, after: number, limit: number): Promise<Seen | null> {
    const looks = this.looks.get(id) ?? new Map<string, Promise<Seen | null>>();
    if (looks.size === 0) {
      this.looks.set(id, looks);
      setImmediate(() => this.forgetLooks(id, looks));
    }
    const key = `${accountId} ${after} ${limit}`;
    const made = looks.get(key) ?? this.lookOnce(accountId, id, after, limit);
    looks.set(key, made);
    return made;
  }

  private async lookOnce(accountId: string, id: string, after: number, limit: number): Promise<Seen | null> {
    // The run first: all events of one that is seen to have ended are there.
    const run = await this.parts.store.findRun(accountId, id);
    const events = run === null ? null : await this.parts.store.runEvents(accountId, id, after, limit);
    return run === null || events === null ? null : { run, events };
  }

  private forgetLooks(id: string, looks = this.looks.get(id)): void {
    if (this.looks.get(id) === looks) this.looks.delete(id);
  }

  /**
   * `happened` resolves when something may have changed about a run, or after `ms`, or by `stop`. Listens from the call
   * on: ask for it before looking.
   */
  changed(id: string, ms: number): Watch {
    // What other processes do is found by looking.
    const longest = this.parts.store.capabilities.exclusive ? ms : Math.min(ms, WATCH_POLL_MS);
    let stop = (): void => {};
    const happened = new Promise<void>((resolve) => {
      const watchers = this.watchers.get(id) ?? new Set();
      this.watchers.set(id, watchers);
      stop = () => {
        clearTimeout(timer);
        watchers.delete(stop);
        if (watchers.size === 0 && this.watchers.get(id) === watchers) this.watchers.delete(id);
        resolve();
      };
      const timer = setTimeout(stop, longest);
      watchers.add(stop);
      if (this.context.isStopping) stop();
    });
    return { happened, stop };
  }

  /** Something has changed about a run: whoever watches it looks again. */
  nudge(id: string): void {
    // What was seen until now others are not to share.
    this.forgetLooks(id);
    for (const done of [...(this.watchers.get(id) ?? [])]) done();
  }

  /** The run once it has ended, or as it is after `seconds`; earlier when the service stops. Null: no such run. */
  async wait(accountId: string, id: string, seconds: number): Promise<RunRecord | null> {
    if (seconds > 0) await this.ended(accountId, id, seconds * 1000);
    return this.parts.store.findRun(accountId, id);
  }

  private ended(accountId: string, id: string, timeoutMs: number): Promise<void> {
    if (this.context.isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.waiting.get(id) ?? { since: performance.now(), wake: new Set() };
      this.waiting.set(id, waiting);
      const done = (): void => {
        clearTimeout(timer);
        waiting.wake.delete(done);
        if (waiting.wake.size === 0) this.waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      waiting.wake.add(done);
      // It may have ended before anybody listened.
      if (!this.context.active.has(id)) void this.doneAlready(accountId, id, done);
      if (!this.parts.store.capabilities.exclusive) this.askAgain();
    });
  }

  private async doneAlready(accountId: string, id: string, done: () => void): Promise<void> {
    const run = await this.parts.store.findRun(accountId, id).catch(() => null);
    if (run === null || isFinished(run.status)) done();
  }

  /** A run has ended. */
  wake(id: string): void {
    for (const wake of [...(this.waiting.get(id)?.wake ?? [])]) wake();
  }

  /** Asks a shared store for the ends that are waited for: soon for who just came, seldom for who waits for long. */
  private askAgain(): void {
    if (this.waitTimer !== null) clearTimeout(this.waitTimer);
    this.waitTimer = null;
    if (this.waiting.size === 0 || this.context.isStopping) return;
    const youngest = Math.max(...[...this.waiting.values()].map(({ since }) => since));
    const share = (performance.now() - youngest) * WAIT_SHARE;
    const delayMs = Math.min(WAIT_POLL_MS.most, Math.max(WAIT_POLL_MS.least, share));
    this.waitTimer = setTimeout(() => this.context.track(this.lookForEnds()), delayMs);
    this.waitTimer.unref();
  }

  private async lookForEnds(): Promise<void> {
    // What is carried out here wakes its waiters itself.
    const asked = [...this.waiting.keys()].filter((id) => !this.context.active.has(id));
    try {
      for (const { id, status } of await this.parts.store.runStates(asked)) if (isFinished(status)) this.wake(id);
    } catch {
      // Whoever waits asks again, or runs into the failure when the wait is over.
    }
    this.askAgain();
  }

  /** Nothing more will be heard from here: nobody waits on. */
  wakeAll(): void {
    for (const id of this.waiting.keys()) this.wake(id);
    for (const id of [...this.watchers.keys()]) this.nudge(id);
  }
}
