/**
 * Which run begins next, where a thread is free. Runs wait in a line for each account, and the lines are served in
 * turns. Runs that may be what ends processes wait apart, and are tried one by one (suspects.ts). Of a shared store
 * this process knows only what it has seen there, so it looks again before it takes.
 */
import { isDamaged } from '../common/errors.js';
import { TurnQueue } from '../common/turn-queue.js';
import { lossesHere, strikesHere, type NewRun, type RunRecord } from '../model/run-record.js';
import type { ClaimableRun, RunsAtWork } from '../storage/contract/runs.js';
import { isTriedAlone, MAX_STRIKES, quietMsOf, Suspects } from './suspects.js';
import type { RunContext } from './run-context.js';
import { STORE_RETRY_MS, stopping, type ActiveRun, type RunServiceParts } from './run-context.js';
import type { RunLife } from './run-life.js';
import { type Turns } from './run-life.js';
import type { LeaseKeeper } from './lease-keeper.js';

/** Runs that are looked up at once; each is taken only when a thread is free. */
const POLL_RUNS = 32;
/** Where a run is to be alone, the others get so long to end by themselves before they are interrupted. */
const MAKE_ROOM_MS = 2_000;
/** Interrupted, they get so long to finish the generation that they are in. */
const MAKE_ROOM_GRACE_MS = 30_000;
/** A shared store is asked this often for runs to take and for what became of those that are carried out here. */
export const POLL_MS = 250;

export class RunQueue implements Turns {
  private readonly context: RunContext;
  private readonly parts: RunServiceParts;
  private readonly life: RunLife;
  private readonly leases: LeaseKeeper;
  /** Runs that wait for a thread. Of a shared store: as far as is known here, since `#queueSeenAt`. */
  private readonly queue = new TurnQueue();
  private queueSeenAt = -Infinity;
  /** Runs of each account that other processes carried out then. */
  private elsewhere: ReadonlyMap<string, number> = new Map();
  /** Runs that may be what ends processes, and the identifier of the one of them that is being tried. */
  private readonly suspects = new Suspects();
  private trial: string | null = null;
  private dueTimer: NodeJS.Timeout | null = null;
  private roomTimer: NodeJS.Timeout | null = null;
  private startedAt = 0;
  private polling = false;
  /** The last look at the shared store found runs to take. */
  private moreToTake = false;
  private pollFailed = false;

  constructor(context: RunContext, life: RunLife, leases: LeaseKeeper) {
    this.context = context;
    this.parts = context.parts;
    this.life = life;
    this.leases = leases;
  }

  /** How many runs wait. */
  get size(): number {
    return this.queue.size + this.suspects.size;
  }

  /** Takes up what an earlier process left, of a store that nobody else uses. */
  async start(): Promise<void> {
    const { store, clock, logger } = this.parts;
    this.startedAt = performance.now();
    if (!store.capabilities.exclusive) return;
    const lost = await store.expireLeases();
    const waiting = await store.claimableRuns(clock(), Number.MAX_SAFE_INTEGER);
    if (waiting.length > 0) logger.info({ runs: waiting.length, lost }, 'taking up unfinished runs');
    for (const run of waiting) this.await(run);
  }

  /** The service stops: nothing begins any more. */
  stop(): void {
    for (const timer of [this.dueTimer, this.roomTimer]) if (timer !== null) clearTimeout(timer);
  }

  /** A run that is just stored. Without threads of its own this process leaves it to others. */
  add(accountId: string, id: string): void {
    if (this.parts.pools.runThreads === 0 || this.context.active.has(id) || this.context.claiming.has(id)) return;
    this.queue.add(accountId, id);
  }

  /** Stores a run, claimed in the same write where a thread is free. */
  async begin(run: NewRun): Promise<RunRecord> {
    if (this.context.isStopping) throw stopping();
    const { id, accountId, source } = run;
    if (this.queue.size > 0 || !this.hasFreeThread) {
      const record = await this.parts.store.createRun(run);
      if (this.parts.pools.runThreads > 0) this.queue.add(accountId, id);
      this.next();
      return record;
    }
    this.context.claiming.set(id, accountId);
    try {
      const record = await this.parts.store.createRun(run, this.leases.claim());
      this.life.begin({ run: record, source, checkpoint: run.start?.checkpoint ?? null });
      return record;
    } finally {
      this.context.claiming.delete(id);
      this.next();
    }
  }

  /** One that waits to be tried, and is to be cancelled, is ended by whoever claims it. */
  claimSuspect(id: string, accountId: string): void {
    const suspect = this.suspects.delete(id);
    if (suspect !== undefined) this.context.track(this.take(id, accountId));
  }

  private get hasFreeThread(): boolean {
    if (this.context.isStopping || this.trial !== null || this.suspects.next(performance.now()) !== undefined)
      return false;
    return this.context.active.size + this.context.claiming.size < this.parts.pools.runThreads;
  }

  /** Puts a run that may be claimed where it waits. */
  private await({ id, accountId, losses, isLost }: ClaimableRun): void {
    if (this.context.active.has(id) || this.context.claiming.has(id) || this.suspects.has(id)) return;
    // Whether it is to be tried alone, or later, is known once it was claimed.
    if (isLost && !this.context.cleared.has(id)) {
      this.suspects.add({ id, accountId, losses, isTriedAlone: false, dueAt: 0 });
    } else this.queue.add(accountId, id);
  }

  /** Runs of each account, here and elsewhere. */
  private atWork(): ReadonlyMap<string, number> {
    const counts = new Map(this.elsewhere);
    const here = new Map(this.context.claiming);
    for (const { run } of this.context.active.values()) here.set(run.id, run.accountId);
    for (const accountId of here.values()) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    return counts;
  }

  /** Begins what may begin. */
  next(): void {
    this.pumpSuspects();
    const isShared = !this.parts.store.capabilities.exclusive;
    while (this.queue.size > 0 && this.hasFreeThread) {
      // Whose turn it is depends on what others have taken, and whom they have heard of, since.
      if (isShared && performance.now() - this.queueSeenAt > POLL_MS) return this.context.track(this.poll());
      const next = this.queue.take(this.atWork());
      if (next !== undefined) this.context.track(this.take(next.id, next.owner));
    }
    if (this.moreToTake && this.queue.size === 0 && this.hasFreeThread) this.context.track(this.poll());
  }

  /** See suspects.ts. */
  private pumpSuspects(): void {
    const now = performance.now();
    this.wakeWhenDue(now);
    const suspect = this.suspects.next(now);
    if (this.context.isStopping || this.trial !== null || suspect === undefined) return;
    const isQuiet = [...this.context.active.values()].every(({ isOnProbation }) => !isOnProbation);
    if (this.context.claiming.size > 0 || !isQuiet) return;
    if (suspect.isTriedAlone && this.context.active.size > 0) return this.makeRoom();
    if (this.context.active.size >= this.parts.pools.runThreads) return;
    this.suspects.delete(suspect.id);
    this.trial = suspect.id;
    this.context.track(this.take(suspect.id, suspect.accountId));
  }

  private wakeWhenDue(now: number): void {
    if (this.dueTimer !== null) clearTimeout(this.dueTimer);
    this.dueTimer = null;
    const dueAt = this.suspects.nextDueAt(now);
    if (this.context.isStopping || dueAt === Infinity) return;
    this.dueTimer = setTimeout(() => this.next(), Math.ceil(dueAt - now));
    this.dueTimer.unref();
  }

  /** For a run that is to be alone: what does not end soon is interrupted, and goes on afterwards. */
  private makeRoom(): void {
    if (this.roomTimer !== null) return;
    this.roomTimer = setTimeout(() => {
      this.roomTimer = null;
      const isNeeded = this.suspects.next(performance.now())?.isTriedAlone === true && this.trial === null;
      if (this.context.isStopping || !isNeeded) return;
      for (const active of this.context.active.values()) this.life.interrupt(active, MAKE_ROOM_GRACE_MS);
    }, MAKE_ROOM_MS);
    this.roomTimer.unref();
  }

  /** See `Turns`. */
  proven(active: ActiveRun): void {
    active.isAlone = false;
    if (!active.isOnProbation) return;
    active.isOnProbation = false;
    const { run } = active;
    if (lossesHere(run) > 0) this.context.cleared.add(run.id);
    if (this.trial === run.id) this.trial = null;
    this.next();
  }

  /** Looks for runs to take where a thread is free, and at what others did to the runs that are carried out here. */
  async poll(): Promise<void> {
    if (this.polling || this.context.isStopping) return;
    this.polling = true;
    try {
      await this.leases.look();
      await this.lookForRuns();
      this.pollFailed = false;
    } catch (error) {
      if (!this.pollFailed) this.parts.logger.warn({ err: error }, 'the shared store could not be asked');
      this.pollFailed = true;
    } finally {
      this.polling = false;
    }
  }

  private async lookForRuns(): Promise<void> {
    this.moreToTake = false;
    if (!this.hasFreeThread) return;
    const { store, clock } = this.parts;
    const known = this.queue.ids();
    const now = clock();
    const [found, atWork] = await Promise.all([store.claimableRuns(now, POLL_RUNS), store.runsAtWork(now)]);
    this.moreToTake = found.length === POLL_RUNS;
    this.elsewhere = this.carriedOutElsewhere(atWork);
    const ids = new Set(found.map(({ id }) => id));
    // What was known before and is not found any more others have taken, or its turn comes later.
    this.queue.keep((id) => ids.has(id) || !known.has(id));
    // Some may have been queued meanwhile; taking one twice does nothing. What is carried out here is not taken again
    // where the store was away for longer than its lease: it is renewed as soon as that works.
    for (const run of found) this.await(run);
    this.queueSeenAt = performance.now();
    this.next();
  }

  private carriedOutElsewhere(atWork: readonly RunsAtWork[]): ReadonlyMap<string, number> {
    const counts = new Map(atWork.map(({ accountId, runs }) => [accountId, runs]));
    for (const { run } of this.context.active.values()) {
      counts.set(run.accountId, Math.max(0, (counts.get(run.accountId) ?? 0) - 1));
    }
    return counts;
  }

  private async take(id: string, accountId: string): Promise<void> {
    this.context.claiming.set(id, accountId);
    const isTrial = this.trial === id;
    const alone = isTrial && this.context.active.size === 0;
    try {
      const claimed = await this.parts.store.claimRun(id, { ...this.leases.claim(), alone });
      if (claimed === null) return;
      const { run } = claimed;
      if (run.cancelRequested) await this.life.finish(run, await this.life.endingOf(run, 'cancelled'));
      else if (strikesHere(run) >= MAX_STRIKES) {
        const message =
          `The service ended unexpectedly ${strikesHere(run)} times at this point of the run, while it carried out nothing ` +
          'else; the run was given up.';
        await this.life.finish(run, await this.life.endingOf(run, 'error', message));
      } else if (this.mayBegin(run, isTrial, alone)) this.life.begin(claimed, alone);
      else await this.putBack(run);
    } catch (error) {
      if (isDamaged(error) && (await this.life.abandon(id))) return;
      this.parts.logger.error({ err: error, run: id }, 'a waiting run could not be claimed');
      if (!this.context.isStopping) setTimeout(() => this.requeue(id, accountId), STORE_RETRY_MS).unref();
    } finally {
      this.context.claiming.delete(id);
      if (this.trial === id && !this.context.active.has(id)) this.trial = null;
      this.next();
    }
  }

  /** See `Turns`. */
  requeue(id: string, accountId: string): void {
    if (this.context.isStopping) return;
    this.queue.add(accountId, id, 'first');
    this.next();
  }

  private mayBegin(run: RunRecord, isTrial: boolean, alone: boolean): boolean {
    if (lossesHere(run) === 0 || this.context.cleared.has(run.id)) return true;
    return isTrial && (!isTriedAlone(run) || (alone && this.dueAt(run) <= performance.now()));
  }

  /** When it may be tried. */
  private dueAt(run: RunRecord): number {
    return this.startedAt + (this.parts.quietMs ?? quietMsOf)(run);
  }

  private async putBack(run: RunRecord): Promise<void> {
    const { id, accountId, attempt, losses } = run;
    this.suspects.add({ id, accountId, losses, isTriedAlone: isTriedAlone(run), dueAt: this.dueAt(run) });
    this.parts.logger.debug({ run: id, attempt }, 'a run waits until it can be tried alone');
    await this.life.release(run, 'returned');
  }
}
