/**
 * Jobs woken by Agenda. Every job has one row in the store, which Agenda hands to one of the processes on that store
 * every `everyMs`: so what a dead process left is found by another, without each of them looking all the time. What
 * this process knows by itself (a nudge, a time that a handler named, a failure) wakes it here at once or by a timer,
 * and costs the store nothing.
 *
 * Agenda decides nothing and its rows hold no work: losing them, or waking twice, is harmless. Its own lock has no
 * fencing number, so a handler must bear being run by two processes at a time (see `jobs.ts`).
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agenda, AgendaBackend, Job, JobId, JobParameters, JobRepository } from 'agenda';
import type { JobHandler, JobName, Jobs } from './jobs.js';
import { LocalJob, type LocalJobParts } from './local-job.js';

export interface OpenedBackend {
  /** Connected, with an unique index on the names of recurring jobs. */
  readonly backend: AgendaBackend;
  /**
   * How often Agenda is to look for what other processes may have left. A row's time is met however seldom it looks.
   */
  readonly processEveryMs: number;
  close(): Promise<void>;
}

export interface AgendaJobsParts extends LocalJobParts {
  /** Rejects where the store is away; asked again later. */
  readonly openBackend: () => Promise<OpenedBackend>;
  /** Interval for tests, instead of the backend's. */
  readonly processEveryMs?: number;
  /** After so long a row that a dead process has locked is given to another. */
  readonly lockMs?: number;
  /** Interval of the check that every row is there and its time makes sense. */
  readonly checkEveryMs?: number;
}

const LOCK_MS = 30_000;
/** Renewals of a lock in its time, while a handler works: more often than silence is noticed. */
const TOUCHES = 8;
const CHECK_EVERY_MS = 60_000;
const RECONNECT_MS = 1_000;
/**
 * Beyond the time between two looks: the store may be slow for a while, as in the election of a primary, before anybody
 * is told.
 */
const SILENCE_MS = 5_000;
/** Slack for a row's time and for its lock: further in the future than any clock of another host explains. */
const CLOCK_SLACK_MS = 60_000;
/** After the handlers have ended: for Agenda to write that they have. */
const DRAIN_MS = 2_000;

interface Running {
  readonly agenda: Agenda;
  readonly opened: OpenedBackend;
}

export class AgendaJobs implements Jobs {
  private readonly parts: AgendaJobsParts;
  private readonly jobs = new Map<JobName, LocalJob>();
  private running: Running | null = null;
  private starting: Promise<void> | null = null;
  private started = false;
  private stopping = false;
  private readonly timers = new Set<NodeJS.Timeout>();
  /** When the store last answered a scan, by the monotonic clock. */
  private heardAt = -Infinity;
  private isSilent = false;
  /** Identifiers of the rows that this process holds: from the claim until Agenda has written that they are free. */
  private readonly claimed = new Set<string>();
  /** Questions for the next row, and locks that are being given back. */
  private readonly claiming = new Set<Promise<unknown>>();

  constructor(parts: AgendaJobsParts) {
    this.parts = parts;
  }

  define(name: JobName, handler: JobHandler, { everyMs }: { readonly everyMs: number }): void {
    if (this.started || this.jobs.has(name)) throw new Error(`the job ${name} is defined twice or too late`);
    this.jobs.set(name, new LocalJob(name, handler, everyMs, this.parts));
  }

  nudge(name: JobName): void {
    if (this.started && !this.stopping) this.jobs.get(name)?.wake();
  }

  /** Runs each handler once: something may have been left. A store that is away is tried again in the background. */
  async start(): Promise<void> {
    this.started = true;
    for (const job of this.jobs.values()) job.wake();
    this.starting = this.connect();
    await this.starting;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all([this.stopAgenda(), ...[...this.jobs.values()].map((job) => job.stop())]);
    if (this.running !== null) await this.drained(this.running.agenda);
    await this.running?.opened.close();
    this.running = null;
  }

  /** Gives back what it has claimed and not begun. */
  private async stopAgenda(): Promise<void> {
    // One that waits for a server that is away is left to the end of the process.
    await Promise.race([this.starting, sleep(DRAIN_MS, undefined, { ref: false })]);
    await this.running?.agenda
      .stop(false)
      .catch((error: unknown) => this.parts.logger.debug({ err: error }, 'locks of jobs stay'));
  }

  /** Null: the store is heard of. Otherwise what is wrong. */
  get trouble(): string | null {
    if (this.running === null) return 'the scheduler has not started';
    return performance.now() - this.heardAt > this.running.agenda.attrs.processEvery + SILENCE_MS
      ? 'the scheduler does not reach its store'
      : null;
  }

  private async connect(): Promise<void> {
    let opened: OpenedBackend | null = null;
    try {
      opened = await this.parts.openBackend();
      if (this.stopping) return await opened.close();
      const agenda = await this.createAgenda(opened);
      await this.ensureRows(agenda);
      await agenda.start();
      this.heardAt = performance.now();
      this.running = { agenda, opened };
      this.checkLater();
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'the scheduler does not start; trying again');
      await opened?.close().catch(() => {});
      this.later(RECONNECT_MS, () => (this.starting = this.connect()));
    }
  }

  private async createAgenda({ backend, processEveryMs }: OpenedBackend): Promise<Agenda> {
    // Loading it takes a noticeable part of a start, and nobody else needs it.
    const { Agenda } = await import('agenda');
    const agenda = new Agenda({
      // Connected already: a failure inside the constructor would be an unhandled rejection.
      backend: {
        name: backend.name,
        repository: this.watched(backend.repository),
        ownsConnection: false,
        connect,
        disconnect,
      },
      // More seldom than a job is due, and it would be missed.
      processEvery: this.parts.processEveryMs ?? Math.min(processEveryMs, ...this.intervals()),
      defaultConcurrency: 1,
      defaultLockLimit: 1,
      lockLimit: this.jobs.size,
      maxConcurrency: this.jobs.size,
      defaultLockLifetime: this.parts.lockMs ?? LOCK_MS,
      removeOnComplete: true,
    });
    agenda.on('error', (error: unknown) => this.report(error));
    agenda.on('complete', (row: Job) => this.claimed.delete(String(row.attrs._id)));
    for (const job of this.jobs.values()) agenda.define(job.name, (row: Job) => this.carryOut(job, row));
    return agenda;
  }

  /** Agenda calls this when it has claimed the row. */
  private async carryOut(job: LocalJob, row: Job): Promise<void> {
    let touched: Promise<void> = Promise.resolve();
    const touch = (): void => {
      // While all handlers work, Agenda asks the store for nothing else.
      touched = row.touch().then(
        () => this.hear(),
        (error: unknown) => this.report(error),
      );
    };
    const touching = setInterval(touch, (this.parts.lockMs ?? LOCK_MS) / TOUCHES);
    try {
      await job.run();
    } finally {
      clearInterval(touching);
      // Else it might be written after the end, and lock the row again.
      await touched;
    }
  }

  /** Resolves when no row is being claimed or given back, and Agenda has written the ends of all runs; or soon. */
  private async drained(agenda: Agenda): Promise<void> {
    const signal = AbortSignal.timeout(DRAIN_MS);
    await Promise.race([Promise.allSettled(this.claiming), once(signal, 'abort')]);
    while (this.claimed.size > 0 && !signal.aborted) await once(agenda, 'complete', { signal }).catch(() => {});
  }

  /** The repository, listened to. */
  private watched(repository: JobRepository): JobRepository {
    const asking = new Set<string>();
    const next = repository.getNextJobToRun.bind(repository);
    const unlock = repository.unlockJob.bind(repository);
    const unlockAll = repository.unlockJobs.bind(repository);
    return Object.assign(repository, {
      getNextJobToRun: async (...asked: Parameters<typeof next>) => {
        const [name] = asked;
        // While the store is away, Agenda would add a question with every tick.
        if (asking.has(name) || this.stopping) return undefined;
        asking.add(name);
        return this.claim(async () => {
          const found = await next(...asked);
          this.hear();
          if (found === undefined) return undefined;
          const lockedFor = Date.now() - (found.lockedAt?.getTime() ?? 0);
          // The answer came late, as from a server that was away: Agenda drops an expired row, but never counts it as
          // free again.
          if (this.stopping || lockedFor > (this.parts.lockMs ?? LOCK_MS) / 2) {
            await unlock(found);
            return undefined;
          }
          this.claimed.add(String(found._id));
          return found;
        }).finally(() => asking.delete(name));
      },
      // Agenda does not wait for it, nor look at its failure; the lock then runs out.
      unlockJob: async (job: JobParameters) => {
        this.claimed.delete(String(job._id));
        await this.claim(() => unlock(job)).catch((error: unknown) => this.report(error));
      },
      unlockJobs: (ids: (JobId | string)[]) => {
        for (const id of ids) this.claimed.delete(String(id));
        return unlockAll(ids);
      },
    });
  }

  /** Does what the end of this process waits for. */
  private async claim<T>(body: () => Promise<T>): Promise<T> {
    const work = body();
    this.claiming.add(work);
    try {
      return await work;
    } finally {
      this.claiming.delete(work);
    }
  }

  private hear(): void {
    this.heardAt = performance.now();
    if (this.isSilent) this.parts.logger.info({}, 'the scheduler reaches its store again');
    this.isSilent = false;
  }

  private report(error: unknown): void {
    // Once for each time that the store is away.
    if (this.isSilent || this.stopping) return;
    this.isSilent = true;
    this.parts.logger.warn({ err: error }, 'the scheduler had a failure');
  }

  private checkLater(): void {
    this.later(this.parts.checkEveryMs ?? CHECK_EVERY_MS, async () => {
      const agenda = this.running?.agenda;
      if (agenda !== undefined) await this.ensureRows(agenda).catch((error: unknown) => this.report(error));
      this.checkLater();
    });
  }

  /**
   * One row for each job, with its interval. One whose time or lock lies too far ahead, as a clock that was set back
   * leaves it, is made anew: it would not be woken until then.
   */
  private async ensureRows(agenda: Agenda): Promise<void> {
    const names = [...this.jobs.keys()];
    const { jobs: rows } = await agenda.db.queryJobs({ names });
    for (const { name, everyMs } of this.jobs.values()) {
      const row = rows.find((found) => found.name === name);
      const latest = this.parts.clock() + CLOCK_SLACK_MS;
      const strayed =
        row !== undefined &&
        ((row.nextRunAt?.getTime() ?? Infinity) > latest + everyMs || (row.lockedAt?.getTime() ?? 0) > latest);
      if (strayed) await agenda.db.removeJobs({ id: row._id });
      if (row === undefined || strayed || row.repeatInterval !== everyMs) await agenda.every(everyMs, name);
    }
  }

  private intervals(): number[] {
    return [...this.jobs.values()].map(({ everyMs }) => everyMs);
  }

  private later(delayMs: number, body: () => unknown): void {
    if (this.stopping) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void body();
    }, delayMs);
    timer.unref();
    this.timers.add(timer);
  }
}

const connect = async (): Promise<void> => {};
const disconnect = connect;
