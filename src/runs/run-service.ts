/**
 * The life of runs, from submission to end: who works on one, what is written when, what happens when a thread or the
 * whole process dies. The store's document is the truth; this process owns a run only while it holds its lease.
 *
 * The service is the sum of its parts, and each part knows only those before it: who waits (run-waiting.ts), the life
 * of one run (run-life.ts), leases (lease-keeper.ts), whose turn it is (run-queue.ts), what callers ask for
 * (submissions.ts), and what is removed (run-removal.ts). A submission wakes a thread directly; an end wakes the next
 * run and whoever waits for it. Only what other processes do is found by asking: a store that is shared is looked at
 * several times a second for runs that may be taken, cancellations, and ends that are waited for.
 */
import { RunContext, type RunServiceParts } from './run-context.js';
import { RunWaiting } from './run-waiting.js';
import { RunLife } from './run-life.js';
import { LeaseKeeper } from './lease-keeper.js';
import { POLL_MS, RunQueue } from './run-queue.js';
import { RunRemoval } from './run-removal.js';
import { Submissions } from './submissions.js';

/** A thread that is to save where it is gets so long. */
const SUSPEND_GRACE_MS = 3_000;

export class RunService {
  private readonly context: RunContext;
  private readonly waiting: RunWaiting;
  private readonly life: RunLife;
  private readonly leases: LeaseKeeper;
  private readonly queue: RunQueue;
  private readonly submissions: Submissions;
  private readonly removal: RunRemoval;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(parts: RunServiceParts) {
    const context = new RunContext(parts);
    const waiting = new RunWaiting(context);
    // A run that ends makes way for the next one, which the queue chooses.
    const life: RunLife = new RunLife(context, waiting, {
      proven: (active) => queue.proven(active),
      requeue: (id, accountId) => queue.requeue(id, accountId),
      next: () => queue.next(),
    });
    const leases = new LeaseKeeper(context, life);
    const queue = new RunQueue(context, life, leases);
    this.context = context;
    this.waiting = waiting;
    this.life = life;
    this.leases = leases;
    this.queue = queue;
    this.submissions = new Submissions(context, waiting, life, queue);
    this.removal = new RunRemoval(context, waiting);
  }

  /**
   * Takes up what an earlier process left: waiting runs, and those it died on. Call once, before the first submission.
   */
  async start(): Promise<void> {
    await this.queue.start();
    if (!this.context.parts.store.capabilities.exclusive) this.every(POLL_MS, () => this.queue.poll());
    this.every(this.leases.intervalMs, () => this.leases.renew());
    this.queue.next();
  }

  private every(intervalMs: number, work: () => Promise<void>): void {
    const timer = setInterval(() => this.context.track(work()), intervalMs);
    timer.unref();
    this.timers.push(timer);
  }

  // What callers ask for, as submissions.ts says of each.
  readonly submit: Submissions['submit'] = (...asked) => this.submissions.submit(...asked);
  readonly submitBatch: Submissions['submitBatch'] = (...asked) => this.submissions.submitBatch(...asked);
  readonly findBatch: Submissions['findBatch'] = (...asked) => this.submissions.findBatch(...asked);
  readonly listBatches: Submissions['listBatches'] = (...asked) => this.submissions.listBatches(...asked);
  readonly cancelBatch: Submissions['cancelBatch'] = (...asked) => this.submissions.cancelBatch(...asked);
  readonly extend: Submissions['extend'] = (...asked) => this.submissions.extend(...asked);
  readonly replay: Submissions['replay'] = (...asked) => this.submissions.replay(...asked);
  readonly comparison: Submissions['comparison'] = (...asked) => this.submissions.comparison(...asked);
  readonly find: Submissions['find'] = (...asked) => this.submissions.find(...asked);
  readonly list: Submissions['list'] = (...asked) => this.submissions.list(...asked);
  readonly listSummaries: Submissions['listSummaries'] = (...asked) => this.submissions.listSummaries(...asked);
  readonly history: Submissions['history'] = (...asked) => this.submissions.history(...asked);
  readonly monitoring: Submissions['monitoring'] = (...asked) => this.submissions.monitoring(...asked);
  readonly draw: Submissions['draw'] = (...asked) => this.submissions.draw(...asked);
  readonly rasterize: Submissions['rasterize'] = (...asked) => this.submissions.rasterize(...asked);
  readonly updateMetadata: Submissions['updateMetadata'] = (...asked) => this.submissions.updateMetadata(...asked);
  readonly events: Submissions['events'] = (...asked) => this.submissions.events(...asked);
  readonly cancel: Submissions['cancel'] = (...asked) => this.submissions.cancel(...asked);

  readonly deletedParents: Submissions['deletedParents'] = (...asked) => this.submissions.deletedParents(...asked);
  readonly deletedAs: Submissions['deletedAs'] = (...asked) => this.submissions.deletedAs(...asked);

  // Removal, as run-removal.ts says of each.
  readonly remove: RunRemoval['remove'] = (...asked) => this.removal.remove(...asked);
  readonly removeAll: RunRemoval['removeAll'] = (...asked) => this.removal.removeAll(...asked);

  // Waiting, as run-waiting.ts says of each.
  readonly look: RunWaiting['look'] = (...asked) => this.waiting.look(...asked);
  readonly changed: RunWaiting['changed'] = (...asked) => this.waiting.changed(...asked);
  readonly wait: RunWaiting['wait'] = (...asked) => this.waiting.wait(...asked);

  /** Whether nothing more will be heard from here. */
  get isStopping(): boolean {
    return this.context.isStopping;
  }

  status(): { queued: number; running: number; threads: number } {
    const { active, parts } = this.context;
    return { queued: this.queue.size, running: active.size, threads: parts.pools.runThreads };
  }

  /**
   * Stops taking runs, lets the threads save where they are, and gives their runs back. Afterwards the store holds all
   * that is needed to go on. Takes at most a few seconds. The pools are the caller's to close.
   */
  async close(): Promise<void> {
    this.context.isStopping = true;
    for (const timer of this.timers) clearInterval(timer);
    this.queue.stop();
    this.waiting.wakeAll();
    for (const active of this.context.active.values()) this.life.interrupt(active, SUSPEND_GRACE_MS);
    await this.context.settled();
  }
}
