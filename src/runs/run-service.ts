/**
 * The life of a run, from submission to its end: who works on it, what is written when, what happens when a thread or
 * the whole process dies. The store's document is the truth; this process owns a run only while it holds its lease.
 *
 * Few writes on the way of a short run: one when it is created (claimed in the same write where a thread is free), one
 * when it ends. Longer ones report progress and a checkpoint about once a second. A submission wakes a thread directly,
 * an end wakes the next run and whoever waits for it. Only what other processes do is found by asking: a store that is
 * shared is looked at several times a second for runs that may be taken, cancellations, and ends that are waited for.
 */
import { createHash, randomUUID } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { ExtremumError, isDamaged } from '../common/errors.js';
import { TurnQueue } from '../common/turn-queue.js';
import { chooseStrategy } from '../engine/run-optimization.js';
import type { Clock, IdSource } from '../common/ids.js';
import type { Logger } from '../common/logger.js';
import { failureFrom } from '../common/thread-call.js';
import type { LearningService } from '../learning/learning-service.js';
import { startsFor } from '../learning/knowledge.js';
import { lessonOf } from '../learning/lesson.js';
import type { Lesson } from '../model/learning.js';
import type { Front } from '../model/front.js';
import type { ObjectiveSource } from '../model/objective.js';
import { isProblemSource, type ProblemSource, type RunSource } from '../model/problem.js';
import type { BatchState } from '../model/batch.js';
import type { Page, PageRequest } from '../model/page.js';
import type { RunEvent } from '../model/run-event.js';
import {
  endingAt,
  lossesHere,
  progressOf,
  strikesHere,
  type Comparison,
  type Metadata,
  type NewRun,
  type RunEnding,
  type RunRecord,
  type RunRequest,
  type RunStart,
} from '../model/run-record.js';
import { originOf } from '../model/run-facts.js';
import { finalStatus, isFinished } from '../model/run-status.js';
import { addUsage, NO_USAGE, type RunUsage } from '../model/run-usage.js';
import type { Direction, HistoryPoint, RunProgress, TerminationReason } from '../model/run-task.js';
import { frontIn } from '../engine/front-run.js';
import { unverified, type Misreading } from '../model/verification.js';
import { hypervolume } from '../pareto/hypervolume.js';
import { strategies } from '../planner/registry.js';
import type { Claim, ClaimableRun, ClaimedRun, RunFilter, RunFinish, RunsAtWork } from '../storage/contract/runs.js';
import type { Store } from '../storage/store.js';
import type { RunMetrics } from './metrics.js';
import { budgetsTo, decodeStart, encodeStart, isOfCompiledCode, isRecipe } from './extension.js';
import { RunEvents } from './run-events.js';
import { NO_OFFER_USE, type PythonHost } from './python-host.js';
import { isTriedAlone, MAX_STRIKES, probationMs, quietMsOf, Suspects } from './suspects.js';
import type { WorkerPools } from './worker-pools.js';
import {
  CONTROL_CELLS,
  Control,
  type RunJob,
  type RunReport,
  type RunResult,
  type SolveResult,
} from './worker-protocol.js';

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
  /** Whether CPython confirms values of compiled code. */
  readonly verify: boolean;
  /** Threads that one run may use for an evaluation. */
  readonly threadsPerRun: number;
  /** How long a run stays with a process that nothing is heard of. */
  readonly leaseMs: number;
  /** Instead of `quietMsOf`, for tests. */
  readonly quietMs?: typeof quietMsOf;
}

export interface Submission {
  /** Empty for a problem. */
  readonly functionId: string;
  readonly source: RunSource;
  readonly request: RunRequest;
  readonly metadata: Metadata;
  readonly start?: RunStart;
}

/** Of a lease: how often it is renewed. */
const HEARTBEATS = 4;
/** A shared store is asked this often for runs to take and for what became of those that are carried out here. */
const POLL_MS = 250;
/** Runs that are looked up at once; each is taken only when a thread is free. */
const POLL_RUNS = 32;
/** Whoever waits for a run that another process carries out asks after a share of the time waited so far. */
const WAIT_SHARE = 0.25;
const WAIT_POLL_MS = { least: 20, most: 1_000 } as const;
/** A worker looks at its control cell once per generation; a thread that does not react this long is ended. */
const CANCEL_GRACE_MS = 1_000;
/** The call that cancels answers with the ended run, or after so long with the run as it is. */
const CANCEL_ANSWER_SECONDS = 5;
const TIMEOUT_GRACE_MS = 15_000;
/** A solver notices by itself that its time is up, unless it is within native code, which is told after this long. */
const SOLVER_GRACE_MS = 250;
const SUSPEND_GRACE_MS = 3_000;
/** Where a run is to be alone, the others get so long to end by themselves before they are interrupted. */
const MAKE_ROOM_MS = 2_000;
/** Interrupted, they get so long to finish the generation that they are in. */
const MAKE_ROOM_GRACE_MS = 30_000;
const STORE_RETRY_MS = 1_000;
/** Nobody waits longer for processes that are to end, to learn what they used. */
const PYTHON_END_MS = 1_000;
/** How long a run that its budget ended can be extended. */
const EXTENDABLE_MS = 7 * 86_400_000;
/** Whoever watches a run that another process may carry out looks this often. */
const WATCH_POLL_MS = 1_000;

/** A run that searches over a function. */
type ClaimedSearch = Omit<ClaimedRun, 'source'> & { readonly source: ObjectiveSource };

type Why = 'cancelled' | 'timeout' | 'superseded' | 'interrupted';

interface ActiveRun {
  readonly run: RunRecord;
  readonly control: Int32Array;
  readonly abort: AbortController;
  /** Why the thread is being ended from outside, if it is. */
  why: Why | null;
  /** Milliseconds, monotonic. */
  readonly begunAt: number;
  lastProgress: RunProgress | null;
  /** Of attempts before. */
  usageBefore: RunUsage;
  /** Of this attempt, as last heard. */
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

export class RunService {
  readonly #parts: RunServiceParts;
  readonly #owner = randomUUID();
  readonly #active = new Map<string, ActiveRun>();
  /** Runs that wait for a thread. Of a shared store: as far as is known here, since `#queueSeenAt`. */
  readonly #queue = new TurnQueue();
  #queueSeenAt = -Infinity;
  /** Runs of each account that other processes carried out then. */
  #elsewhere: ReadonlyMap<string, number> = new Map();
  readonly #waiting = new Map<string, Waiting>();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** Of each run those of this turn of the event loop. */
  readonly #looks = new Map<string, Map<string, Promise<Seen | null>>>();
  readonly #events: RunEvents;
  #waitTimer: NodeJS.Timeout | null = null;
  /** Runs that may be what ends processes, and the identifier of the one of them that is being tried. */
  readonly #suspects = new Suspects();
  #trial: string | null = null;
  /** Those that are no suspects here: they have proved harmless to this process, or it was their thread that died in it. */
  readonly #cleared = new Set<string>();
  #dueTimer: NodeJS.Timeout | null = null;
  #roomTimer: NodeJS.Timeout | null = null;
  #startedAt = 0;
  /** Runs that are just being claimed, with their accounts: each is promised a thread. */
  readonly #claiming = new Map<string, string>();
  readonly #working = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #polling = false;
  /** The last look at the shared store found runs to take. */
  #moreToTake = false;
  #pollFailed = false;
  #stopping = false;

  constructor(parts: RunServiceParts) {
    this.#parts = parts;
    this.#events = new RunEvents(parts.ids);
  }

  /** Takes up what an earlier process left: waiting runs, and those it died on. Call once, before the first submission. */
  async start(): Promise<void> {
    const { store, clock, logger, leaseMs } = this.#parts;
    this.#startedAt = performance.now();
    if (store.capabilities.exclusive) {
      const lost = await store.expireLeases();
      const waiting = await store.claimableRuns(clock(), Number.MAX_SAFE_INTEGER);
      if (waiting.length > 0) logger.info({ runs: waiting.length, lost }, 'taking up unfinished runs');
      for (const run of waiting) this.#await(run);
    } else this.#every(POLL_MS, () => this.#poll());
    this.#every(leaseMs / HEARTBEATS, () => this.#renewLeases());
    this.#pump();
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    const timer = setInterval(() => this.#track(work()), intervalMs);
    timer.unref();
    this.#timers.push(timer);
  }

  // --- what callers ask for

  /** The run as it is where an earlier attempt at the same request has submitted it. */
  async submit(accountId: string, submission: Submission, ids = this.#parts.ids): Promise<RunRecord> {
    const { id, createdAt } = ids.next('opt');
    const run: NewRun = { ...submission, id, accountId, createdAt };
    try {
      return await this.#submit(run);
    } catch (error) {
      const isThere = error instanceof ExtremumError && error.code === 'conflict';
      const found = isThere ? await this.find(accountId, id) : null;
      if (found === null) throw error;
      return found;
    }
  }

  /** All of them or none. The batch as it is where an earlier attempt at the same request has submitted it. */
  async submitBatch(accountId: string, submissions: readonly Submission[], ids = this.#parts.ids): Promise<BatchState> {
    if (this.#stopping) throw stopping();
    const { id, createdAt } = ids.next('batch');
    const runs = submissions.map((submission): NewRun => ({ ...submission, accountId, ...ids.next('opt') }));
    const runIds = runs.map((run) => run.id);
    const { store, pools } = this.#parts;
    try {
      await store.createBatch({ id, accountId, runIds, createdAt }, runs);
    } catch (error) {
      if (!(error instanceof ExtremumError && error.code === 'conflict')) throw error;
    }
    const isNew = (runId: string): boolean => !this.#active.has(runId) && !this.#claiming.has(runId);
    if (pools.runThreads > 0) for (const runId of runIds.filter(isNew)) this.#queue.add(accountId, runId);
    this.#pump();
    const found = await this.findBatch(accountId, id);
    if (found === null) throw new Error(`the batch ${id} vanished`);
    return found;
  }

  findBatch(accountId: string, id: string): Promise<BatchState | null> {
    return this.#parts.store.findBatch(accountId, id);
  }

  listBatches(accountId: string, page: PageRequest): Promise<Page<BatchState>> {
    return this.#parts.store.listBatches(accountId, page);
  }

  /**
   * Cancels whatever of it has not ended. Null: no such batch. @throws {ExtremumError} `conflict` when all has ended.
   */
  async cancelBatch(accountId: string, id: string): Promise<BatchState | null> {
    const found = await this.findBatch(accountId, id);
    if (found === null) return null;
    if (found.counts.pending + found.counts.running === 0) {
      throw new ExtremumError('conflict', 'The batch has ended already; it cannot be cancelled.');
    }
    await Promise.all(
      found.batch.runIds.map(async (runId) => {
        try {
          await this.cancel(accountId, runId);
        } catch (error) {
          // This one has ended, or will: nobody can carry it out.
          if (!(error instanceof ExtremumError && (error.code === 'conflict' || isDamaged(error)))) throw error;
        }
      }),
    );
    return this.findBatch(accountId, id);
  }

  async #submit(run: NewRun): Promise<RunRecord> {
    if (this.#stopping) throw stopping();
    const { id, accountId, source } = run;
    if (this.#queue.size > 0 || !this.#hasFreeThread()) {
      const record = await this.#parts.store.createRun(run);
      // Without threads of its own it leaves the run to other processes.
      if (this.#parts.pools.runThreads > 0) this.#queue.add(accountId, id);
      this.#pump();
      return record;
    }
    this.#claiming.set(id, accountId);
    try {
      const record = await this.#parts.store.createRun(run, this.#claim());
      this.#begin({ run: record, source, checkpoint: run.start?.checkpoint ?? null });
      return record;
    } finally {
      this.#claiming.delete(id);
      this.#pump();
    }
  }

  /**
   * A new run that goes on from the end of one that its budget ended. Null: no such run.
   * @throws {ExtremumError} `conflict`: it has not ended so, or too long ago; `invalid_request`: the budget is no larger.
   */
  async extend(
    accountId: string,
    id: string,
    maxEvaluations: number,
    ids = this.#parts.ids,
  ): Promise<RunRecord | null> {
    const run = await this.find(accountId, id);
    if (run === null) return null;
    const { ending, request } = run;
    const refusal = (why: string): ExtremumError =>
      new ExtremumError('conflict', `Only a run that its budget ended can be extended; this one ${why}.`);
    if (request.problem !== undefined) {
      throw refusal('solves a domain problem: send its request again with a larger `max_evaluations`');
    }
    if (ending === null) throw refusal(`has not ended yet (${run.status})`);
    if (ending.terminationReason !== 'budget') throw refusal(`ended otherwise (${ending.terminationReason})`);
    if (maxEvaluations <= ending.evaluations) {
      const message = `\`max_evaluations\` counts the ${ending.evaluations} of the run so far too: it must be larger than that.`;
      throw new ExtremumError('invalid_request', message, { field: 'max_evaluations' });
    }
    const end = await this.#parts.store.runEnd(accountId, id, this.#parts.clock());
    if (end === null) return null;
    const budgets = budgetsTo(request, ending.backend);
    if (end.checkpoint === null && budgets === null) {
      const message =
        'The state in which the run ended is not kept (it was too large, or ended more than 7 days ago), and the run cannot be ' +
        'carried out again to the same end.';
      throw new ExtremumError('conflict', message);
    }
    const { source, history } = end;
    const factory = chooseStrategy(request.task, strategies);
    const { evaluations, bestFitness, bestSolution, durationSeconds: elapsedSeconds } = ending;
    const volume = ending.front?.hypervolume;
    const extension = {
      of: id,
      from: {
        evaluations,
        bestFitness,
        bestSolution,
        ...(volume === undefined ? {} : { hypervolume: volume }),
        elapsedSeconds,
      },
      isExact:
        factory.capabilities.dependsOnBudget === false &&
        ending.experiment === undefined &&
        request.extension?.isExact !== false,
      ...(budgets === null ? {} : { budgets }),
    };
    const checkpoint = end.checkpoint ?? encodeStart({ budgets: budgets ?? [], end: extension.from, history });
    const task = { ...request.task, maxEvaluations };
    const { functionId, metadata } = run;
    const start = { checkpoint, history };
    const originId = originOf(request) ?? id;
    return this.submit(
      accountId,
      { functionId, source, metadata, start, request: { ...request, task, extension, originId } },
      ids,
    );
  }

  /**
   * A new run of the same request with another strategy: seed, budget, what was learned, bounds and source are the
   * run's own. Null: no such run.
   */
  async replay(accountId: string, id: string, strategy: string, ids = this.#parts.ids): Promise<RunRecord | null> {
    const [run, source] = await Promise.all([this.find(accountId, id), this.#parts.store.runSource(accountId, id)]);
    if (run === null || source === null) return null;
    const { extension: _begun, ...request } = run.request;
    // The method of a problem is the problem's own.
    const task = request.problem === undefined ? { ...request.task, strategy } : request.task;
    const { functionId, metadata } = run;
    return this.submit(
      accountId,
      {
        functionId,
        source,
        metadata,
        request: { ...request, task, replayOf: id, originId: originOf(run.request) ?? id },
      },
      ids,
    );
  }

  /** Of a replay, when both have ended; else null. */
  async comparison(run: RunRecord): Promise<Comparison | null> {
    const { replayOf } = run.request;
    if (replayOf === undefined || run.ending === null) return null;
    const [original, history] = await Promise.all([
      this.find(run.accountId, replayOf),
      this.history(run.accountId, run.id),
    ]);
    if (original === null || original.ending === null) return null;
    if ((run.request.task.objectives ?? 1) > 1) {
      return compareFronts(run.request.task.direction, original.ending.front, run.ending.front);
    }
    return compare(run.request.task.direction, original.ending.bestFitness, run.ending.bestFitness, history ?? []);
  }

  find(accountId: string, id: string): Promise<RunRecord | null> {
    return this.#parts.store.findRun(accountId, id);
  }

  list(accountId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>> {
    return this.#parts.store.listRuns(accountId, filter, page);
  }

  history(accountId: string, id: string): Promise<readonly HistoryPoint[] | null> {
    return this.#parts.store.runHistory(accountId, id);
  }

  /**
   * A picture of the problem that the run has solved, as SVG. Null: it has none of that kind, or solves none.
   */
  async draw({ accountId, id, ending }: RunRecord, kind: string): Promise<string | null> {
    const answer = ending?.answer;
    if (answer === undefined || !answer.pictures.includes(kind)) return null;
    const source = await this.#parts.store.runSource(accountId, id);
    if (source === null || !isProblemSource(source)) return null;
    const { bestSolution, bestFitness } = ending ?? {};
    const drawn = {
      bestSolution: bestSolution ?? [],
      bestFitness: bestFitness ?? NaN,
      result: answer.result,
      alternatives: answer.alternatives ?? [],
    };
    return this.#parts.pools.draw(accountId, { source, answer: drawn, kind });
  }

  /** A picture of our own making as PNG. */
  rasterize(accountId: string, svg: string): Promise<Uint8Array> {
    return this.#parts.pools.rasterize(accountId, svg);
  }

  async updateMetadata(accountId: string, id: string, metadata: Metadata): Promise<RunRecord | null> {
    const event = this.#events.updated(id, metadata);
    const run = await this.#parts.store.updateMetadata(accountId, id, metadata, event);
    this.#nudge(id);
    if (run !== null) this.#parts.eventsStored();
    return run;
  }

  /** See `RunStore.runEvents`. */
  events(accountId: string, id: string, after: number, limit: number): Promise<readonly (RunEvent | null)[] | null> {
    return this.#parts.store.runEvents(accountId, id, after, limit);
  }

  /** Whether nothing more will be heard from here. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /**
   * A run with its events from `after` on. Those who look at the same time, as all do who were woken by the same change, share
   * one look. Null: no such run.
   */
  look(accountId: string, id: string, after: number, limit: number): Promise<Seen | null> {
    const looks = this.#looks.get(id) ?? new Map<string, Promise<Seen | null>>();
    if (looks.size === 0) {
      this.#looks.set(id, looks);
      setImmediate(() => this.#forgetLooks(id, looks));
    }
    const key = `${accountId} ${after} ${limit}`;
    const made = looks.get(key) ?? this.#look(accountId, id, after, limit);
    looks.set(key, made);
    return made;
  }

  async #look(accountId: string, id: string, after: number, limit: number): Promise<Seen | null> {
    // The run first: all events of one that is seen to have ended are there.
    const run = await this.find(accountId, id);
    const events = run === null ? null : await this.events(accountId, id, after, limit);
    return run === null || events === null ? null : { run, events };
  }

  #forgetLooks(id: string, looks = this.#looks.get(id)): void {
    if (this.#looks.get(id) === looks) this.#looks.delete(id);
  }

  /**
   * `happened` resolves when something may have changed about a run, or after `ms`, or by `stop`. Listens from the call on: ask
   * for it before looking.
   */
  changed(id: string, ms: number): Watch {
    // What other processes do is found by looking.
    const longest = this.#parts.store.capabilities.exclusive ? ms : Math.min(ms, WATCH_POLL_MS);
    let stop = (): void => {};
    const happened = new Promise<void>((resolve) => {
      const watchers = this.#watchers.get(id) ?? new Set();
      this.#watchers.set(id, watchers);
      stop = () => {
        clearTimeout(timer);
        watchers.delete(stop);
        if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
        resolve();
      };
      const timer = setTimeout(stop, longest);
      watchers.add(stop);
      if (this.#stopping) stop();
    });
    return { happened, stop };
  }

  #nudge(id: string): void {
    // What was seen until now others are not to share.
    this.#forgetLooks(id);
    for (const done of [...(this.#watchers.get(id) ?? [])]) done();
  }

  /** The run once it has ended, or as it is after `seconds`; earlier when the service stops. Null: no such run. */
  async wait(accountId: string, id: string, seconds: number): Promise<RunRecord | null> {
    if (seconds > 0) await this.#ended(accountId, id, seconds * 1000);
    return this.find(accountId, id);
  }

  /**
   * Ends a run with what it has found so far. A waiting one ends at once, a running one within a generation.
   * Null: no such run. @throws {ExtremumError} `conflict` when it has ended already.
   */
  async cancel(accountId: string, id: string): Promise<RunRecord | null> {
    const marked = await this.#parts.store.requestCancel(accountId, id);
    if (marked === null) {
      const run = await this.find(accountId, id);
      if (run === null) return null;
      throw new ExtremumError('conflict', `The run has ended already (${run.status}); it cannot be cancelled.`);
    }
    const active = this.#active.get(id);
    if (active !== undefined) {
      this.#cancelActive(active);
      return this.wait(accountId, id, CANCEL_ANSWER_SECONDS);
    }
    // One that waits to be tried is ended by whoever claims it.
    const suspect = this.#suspects.delete(id);
    if (suspect !== undefined) this.#track(this.#take(id, accountId));
    if (marked.status === 'pending') {
      const ended = await this.#finish(marked, await this.#endingOf(marked, 'cancelled'));
      if (ended !== null) return ended;
    }
    // Somebody is just claiming it: the claim will see the mark. Or another process carries it out, and looks.
    return this.wait(accountId, id, CANCEL_ANSWER_SECONDS);
  }

  status(): { queued: number; running: number; threads: number } {
    const queued = this.#queue.size + this.#suspects.size;
    return { queued, running: this.#active.size, threads: this.#parts.pools.runThreads };
  }

  /**
   * Stops taking runs, lets the threads save where they are, and gives their runs back. Afterwards the store holds all
   * that is needed to go on. Takes at most a few seconds. The pools are the caller's to close.
   */
  async close(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const timer of [this.#dueTimer, this.#roomTimer]) if (timer !== null) clearTimeout(timer);
    for (const id of this.#waiting.keys()) this.#wake(id);
    for (const id of [...this.#watchers.keys()]) this.#nudge(id);
    for (const active of this.#active.values()) {
      this.#interrupt(active, SUSPEND_GRACE_MS);
    }
    await Promise.all(this.#working);
  }

  /** Lets it save where it is, to go on from there. */
  #interrupt(active: ActiveRun, graceMs: number): void {
    Atomics.compareExchange(active.control, CONTROL_CELLS.Control, Control.GoOn, Control.Suspend);
    if (isOfProblem(active)) stopNativeCode(active);
    this.#after(active, graceMs, 'interrupted');
  }

  // --- the queue

  #hasFreeThread(): boolean {
    if (this.#stopping || this.#trial !== null || this.#suspects.next(performance.now()) !== undefined) return false;
    return this.#active.size + this.#claiming.size < this.#parts.pools.runThreads;
  }

  #claim(): Claim {
    const now = this.#parts.clock();
    return { owner: this.#owner, now, leaseUntil: now + this.#parts.leaseMs };
  }

  /** Puts a run that may be claimed where it waits. */
  #await({ id, accountId, losses, isLost }: ClaimableRun): void {
    if (this.#active.has(id) || this.#claiming.has(id) || this.#suspects.has(id)) return;
    // Whether it is to be tried alone, or later, is known once it was claimed.
    if (isLost && !this.#cleared.has(id)) {
      this.#suspects.add({ id, accountId, losses, isTriedAlone: false, dueAt: 0 });
    } else this.#queue.add(accountId, id);
  }

  /** Runs of each account, here and elsewhere. */
  #atWork(): ReadonlyMap<string, number> {
    const counts = new Map(this.#elsewhere);
    const here = new Map(this.#claiming);
    for (const { run } of this.#active.values()) here.set(run.id, run.accountId);
    for (const accountId of here.values()) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    return counts;
  }

  #pump(): void {
    this.#pumpSuspects();
    const isShared = !this.#parts.store.capabilities.exclusive;
    while (this.#queue.size > 0 && this.#hasFreeThread()) {
      // Whose turn it is depends on what others have taken, and whom they have heard of, since.
      if (isShared && performance.now() - this.#queueSeenAt > POLL_MS) return this.#track(this.#poll());
      const next = this.#queue.take(this.#atWork());
      if (next !== undefined) this.#track(this.#take(next.id, next.owner));
    }
    if (this.#moreToTake && this.#queue.size === 0 && this.#hasFreeThread()) this.#track(this.#poll());
  }

  /** See suspects.ts. */
  #pumpSuspects(): void {
    const now = performance.now();
    this.#wakeWhenDue(now);
    const suspect = this.#suspects.next(now);
    if (this.#stopping || this.#trial !== null || suspect === undefined) return;
    const isQuiet = [...this.#active.values()].every(({ isOnProbation }) => !isOnProbation);
    if (this.#claiming.size > 0 || !isQuiet) return;
    if (suspect.isTriedAlone && this.#active.size > 0) return this.#makeRoom();
    if (this.#active.size >= this.#parts.pools.runThreads) return;
    this.#suspects.delete(suspect.id);
    this.#trial = suspect.id;
    this.#track(this.#take(suspect.id, suspect.accountId));
  }

  #wakeWhenDue(now: number): void {
    if (this.#dueTimer !== null) clearTimeout(this.#dueTimer);
    this.#dueTimer = null;
    const dueAt = this.#suspects.nextDueAt(now);
    if (this.#stopping || dueAt === Infinity) return;
    this.#dueTimer = setTimeout(() => this.#pump(), Math.ceil(dueAt - now));
    this.#dueTimer.unref();
  }

  /** For a run that is to be alone: what does not end soon is interrupted, and goes on afterwards. */
  #makeRoom(): void {
    if (this.#roomTimer !== null) return;
    this.#roomTimer = setTimeout(() => {
      this.#roomTimer = null;
      const isNeeded = this.#suspects.next(performance.now())?.isTriedAlone === true && this.#trial === null;
      if (this.#stopping || !isNeeded) return;
      for (const active of this.#active.values()) this.#interrupt(active, MAKE_ROOM_GRACE_MS);
    }, MAKE_ROOM_MS);
    this.#roomTimer.unref();
  }

  /** It has worked for long enough. Before others begin beside it the store hears that it is not alone any more. */
  async #provenByTime(active: ActiveRun): Promise<void> {
    if (!active.isOnProbation) return;
    const { id, attempt } = active.run;
    try {
      if (active.isAlone) await this.#parts.store.noteCompany(id, attempt);
      this.#proven(active);
    } catch (error) {
      this.#parts.logger.warn({ err: error, run: id }, 'that a run is not alone any more is not stored');
      this.#timer(active, STORE_RETRY_MS, () => this.#track(this.#provenByTime(active)));
    }
  }

  #proven(active: ActiveRun): void {
    active.isAlone = false;
    if (!active.isOnProbation) return;
    active.isOnProbation = false;
    const { run } = active;
    if (lossesHere(run) > 0) this.#cleared.add(run.id);
    if (this.#trial === run.id) this.#trial = null;
    this.#pump();
  }

  // --- a store that other processes share

  /** Looks for runs to take where a thread is free, and at what others did to the runs that are carried out here. */
  async #poll(): Promise<void> {
    if (this.#polling || this.#stopping) return;
    this.#polling = true;
    try {
      await this.#lookAtActive();
      await this.#lookForRuns();
      this.#pollFailed = false;
    } catch (error) {
      if (!this.#pollFailed) this.#parts.logger.warn({ err: error }, 'the shared store could not be asked');
      this.#pollFailed = true;
    } finally {
      this.#polling = false;
    }
  }

  async #lookForRuns(): Promise<void> {
    this.#moreToTake = false;
    if (!this.#hasFreeThread()) return;
    const { store, clock } = this.#parts;
    const known = this.#queue.ids();
    const now = clock();
    const [found, atWork] = await Promise.all([store.claimableRuns(now, POLL_RUNS), store.runsAtWork(now)]);
    this.#moreToTake = found.length === POLL_RUNS;
    this.#elsewhere = this.#carriedOutElsewhere(atWork);
    const ids = new Set(found.map(({ id }) => id));
    // What was known before and is not found any more others have taken, or its turn comes later.
    this.#queue.keep((id) => ids.has(id) || !known.has(id));
    // Some may have been queued meanwhile; taking one twice does nothing. What is carried out here is not taken again where
    // the store was away for longer than its lease: it is renewed as soon as that works.
    for (const run of found) this.#await(run);
    this.#queueSeenAt = performance.now();
    this.#pump();
  }

  #carriedOutElsewhere(atWork: readonly RunsAtWork[]): ReadonlyMap<string, number> {
    const counts = new Map(atWork.map(({ accountId, runs }) => [accountId, runs]));
    for (const { run } of this.#active.values()) {
      counts.set(run.accountId, Math.max(0, (counts.get(run.accountId) ?? 0) - 1));
    }
    return counts;
  }

  async #lookAtActive(): Promise<void> {
    const asked = [...this.#active.values()];
    if (asked.length === 0) return;
    const states = new Map((await this.#parts.store.runStates(asked.map(({ run }) => run.id))).map((s) => [s.id, s]));
    for (const active of asked) {
      const { id, attempt } = active.run;
      if (this.#active.get(id) !== active) continue;
      const state = states.get(id);
      if (state === undefined || state.attempt !== attempt) this.#end(active, 'superseded');
      else if (state.cancelRequested && !isFinished(state.status)) this.#cancelActive(active);
    }
  }

  async #take(id: string, accountId: string): Promise<void> {
    this.#claiming.set(id, accountId);
    const isTrial = this.#trial === id;
    const alone = isTrial && this.#active.size === 0;
    try {
      const claimed = await this.#parts.store.claimRun(id, { ...this.#claim(), alone });
      if (claimed === null) return;
      const { run } = claimed;
      if (run.cancelRequested) await this.#finish(run, await this.#endingOf(run, 'cancelled'));
      else if (strikesHere(run) >= MAX_STRIKES) {
        const message =
          `The service ended unexpectedly ${strikesHere(run)} times at this point of the run, while it carried out nothing ` +
          'else; the run was given up.';
        await this.#finish(run, await this.#endingOf(run, 'error', message));
      } else if (this.#mayBegin(run, isTrial, alone)) this.#begin(claimed, alone);
      else await this.#putBack(run);
    } catch (error) {
      if (isDamaged(error) && (await this.#abandon(id))) return;
      this.#parts.logger.error({ err: error, run: id }, 'a waiting run could not be claimed');
      if (!this.#stopping) setTimeout(() => this.#requeue(id, accountId), STORE_RETRY_MS).unref();
    } finally {
      this.#claiming.delete(id);
      if (this.#trial === id && !this.#active.has(id)) this.#trial = null;
      this.#pump();
    }
  }

  /** Ends a run that nobody can carry out. False: the store could not. */
  async #abandon(id: string): Promise<boolean> {
    const { store, clock, metrics, logger } = this.#parts;
    const message = 'The run is damaged in the database: it cannot be carried out.';
    const ending = { verified: unverified('nothing_valued'), ...endingAt(null, 'error', message) };
    const events = this.#events.ended({ id, request: null }, ending);
    try {
      const isEnded = await store.abandonRun(id, { ending, completedAt: clock(), events });
      if (isEnded) metrics.runEnded('failed', 'error');
    } catch (error) {
      logger.error({ err: error, run: id }, 'the end of a run could not be stored');
      return false;
    }
    this.#wake(id);
    this.#nudge(id);
    this.#parts.eventsStored();
    return true;
  }

  #requeue(id: string, accountId: string): void {
    if (this.#stopping) return;
    this.#queue.add(accountId, id, 'first');
    this.#pump();
  }

  #mayBegin(run: RunRecord, isTrial: boolean, alone: boolean): boolean {
    if (lossesHere(run) === 0 || this.#cleared.has(run.id)) return true;
    return isTrial && (!isTriedAlone(run) || (alone && this.#dueAt(run) <= performance.now()));
  }

  /** When it may be tried. */
  #dueAt(run: RunRecord): number {
    return this.#startedAt + (this.#parts.quietMs ?? quietMsOf)(run);
  }

  async #putBack(run: RunRecord): Promise<void> {
    const { id, accountId, attempt, losses } = run;
    this.#suspects.add({ id, accountId, losses, isTriedAlone: isTriedAlone(run), dueAt: this.#dueAt(run) });
    this.#parts.logger.debug({ run: id, attempt }, 'a run waits until it can be tried alone');
    await this.#release(run, 'returned');
  }

  #track(work: Promise<void>): void {
    const watched = work
      .catch((error: unknown) => this.#parts.logger.error({ err: error }, 'a defect in the life of a run'))
      .finally(() => this.#working.delete(watched));
    this.#working.add(watched);
  }

  async #renewLeases(): Promise<void> {
    if (this.#active.size === 0) return;
    try {
      const held = [...this.#active.values()].map(({ run: { id, attempt } }) => ({ id, attempt }));
      await this.#parts.store.renewLeases(held, this.#parts.clock() + this.#parts.leaseMs);
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'leases could not be renewed');
    }
  }

  // --- one run

  #begin(claimed: ClaimedRun, isAlone = false): void {
    const { run } = claimed;
    const active: ActiveRun = {
      run,
      control: new Int32Array(new SharedArrayBuffer(4 * CONTROL_CELLS.count)),
      abort: new AbortController(),
      why: null,
      begunAt: performance.now(),
      lastProgress: null,
      usageBefore: run.progress?.usage ?? NO_USAGE,
      usage: NO_USAGE,
      // Every report carries progress, and the first one carries the event too.
      isAnnounced: run.progress !== null,
      events: [],
      timers: [],
      lossesBefore: run.progress?.lossesBefore ?? 0,
      strikesBefore: run.progress?.strikesBefore ?? 0,
      isOnProbation: true,
      isAlone,
    };
    this.#active.set(run.id, active);
    this.#parts.logger.debug({ run: run.id, attempt: run.attempt }, 'a run begins');
    this.#after(active, (run.request.task.timeoutSeconds ?? Infinity) * 1000 + TIMEOUT_GRACE_MS, 'timeout');
    this.#track(
      this.#carryOut(claimed, active).finally(() => {
        for (const timer of active.timers) clearTimeout(timer);
        this.#active.delete(run.id);
        this.#proven(active);
        this.#pump();
      }),
    );
  }

  async #carryOut(claimed: ClaimedRun, active: ActiveRun): Promise<void> {
    const { run, source } = claimed;
    this.#timer(active, probationMs(run), () => this.#track(this.#provenByTime(active)));
    if (isProblemSource(source)) await this.#conclude(active, await this.#solve(run, source, active));
    else await this.#search({ ...claimed, source }, active);
  }

  async #search(claimed: ClaimedSearch, active: ActiveRun): Promise<void> {
    const { run, source, checkpoint } = claimed;
    const sha256 = createHash('sha256').update(source.code).digest('hex');
    let result: RunResult | null;
    try {
      let misread = await this.#insist(() => this.#parts.store.findMisreading(run.accountId, sha256));
      let start = checkpoint;
      if (misread !== null && start !== null && isOfCompiledCode(decodeStart(start))) {
        await this.#beginAgain(active, misread, progressOf(run)?.elapsedSeconds ?? 0);
        start = null;
      }
      result = await this.#attempt(claimed, active, { checkpoint: start, misread });
      if (result?.kind === 'misread') {
        misread = result.misreading;
        // First of all: wherever this process dies now, nobody runs that code again.
        await this.#rememberMisreading(run, sha256, misread);
        this.#announce(active, result.begun);
        await this.#beginAgain(active, misread, result.elapsedSeconds, result.begun.backend);
        result = await this.#attempt(claimed, active, { checkpoint: null, misread });
      }
    } catch (error) {
      if (isDamaged(error)) {
        await this.#finish(run, await this.#endingOf(run, 'error', (error as Error).message));
        return;
      }
      this.#parts.logger.error(
        { err: error, run: run.id },
        'a run is given back: the store does not say what it must know',
      );
      await this.#release(run, 'returned');
      return;
    }
    await this.#conclude(active, result);
  }

  async #rememberMisreading(run: RunRecord, sha256: string, misreading: Misreading): Promise<void> {
    const { logger, metrics, store } = this.#parts;
    metrics.misread('run');
    logger.warn({ run: run.id, function: run.functionId, ...misreading }, 'compiled code misreads a function');
    await this.#insist(() => store.saveMisreading(run.accountId, sha256, misreading));
  }

  /**
   * Again and again while the store is down: what it does not say or keep could let wrong values through.
   * @throws what the store throws, once the service is stopping or the store will never do it.
   */
  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const mayReturn = error instanceof ExtremumError && error.retryable;
        if (this.#stopping || !mayReturn) throw error;
        this.#parts.logger.error({ err: error }, 'what is known of misread functions could not be asked or stored');
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  /** What misread code valued is void: the run is as at its start, but for what it has used. */
  async #beginAgain(
    active: ActiveRun,
    misread: Misreading,
    elapsedSeconds: number,
    from: string | null = null,
  ): Promise<void> {
    active.events.push(this.#events.moved(active.run, from, misread));
    active.usageBefore = usageOf(active);
    active.usage = NO_USAGE;
    active.lastProgress = { evaluations: 0, bestFitness: null, bestSolution: null, elapsedSeconds };
    await this.#store(active, { progress: active.lastProgress, history: [], checkpoint: null });
  }

  /** Null: the thread was ended, or died. */
  async #attempt(
    { run, source }: ClaimedSearch,
    active: ActiveRun,
    { checkpoint, misread }: Pick<RunJob, 'checkpoint' | 'misread'>,
  ): Promise<RunResult | null> {
    const { port1: reports, port2: remoteReports } = new MessageChannel();
    const { python: host, verify } = this.#parts;
    const { pythonMinor, task } = run.request;
    const python = host.offer(source, task.bounds.length, { owner: run.accountId, verify, pythonMinor });
    let saving: Promise<void> = Promise.resolve();
    reports.on('message', (report: RunReport) => {
      active.lastProgress = report.progress;
      active.usage = report.usage;
      this.#parts.metrics.measured({ use: report.use });
      // Proven when a checkpoint is stored: then the next death finds it further.
      saving = saving.then(async () => {
        const isSaved = await this.#save(active, report);
        if (isSaved && report.checkpoint !== undefined) this.#proven(active);
      });
    });
    let result: RunResult | null = null;
    try {
      const job: RunJob = {
        task: run.request.task,
        source,
        pythonMinor: run.request.pythonMinor,
        interpreter: await this.#parts.python.facts(source.code),
        math: run.request.math ?? 'exact',
        ...(await this.#learned(run)),
        blackBox: run.request.blackBox,
        checkpoint,
        reportsSoon: lossesHere(run) > 0,
        extension: misread === null ? (run.request.extension ?? null) : null,
        control: active.control,
        threads: this.#parts.threadsPerRun,
        reports: remoteReports,
        python: python.access,
        unchecked: python.unchecked,
        misread,
        earlierSeconds: misread === null ? 0 : ((active.lastProgress ?? progressOf(run))?.elapsedSeconds ?? 0),
      };
      result = await this.#parts.pools.carryOut(job, active.abort.signal);
      active.usage = result.usage;
      if (result.measures !== undefined) this.#parts.metrics.measured(result.measures);
    } catch (error) {
      if (active.why === null) this.#parts.logger.error({ err: error, run: run.id }, 'a run could not be carried out');
    } finally {
      reports.close();
      const used = await withinMs(PYTHON_END_MS, python.withdraw(), NO_OFFER_USE);
      const { cpuSeconds, peakBytes, checkSeconds } = used;
      const thread = active.usage;
      const peakMemoryBytes = thread.peakMemoryBytes + peakBytes;
      active.usage = { ...thread, pythonCpuSeconds: cpuSeconds, checkSeconds, peakMemoryBytes };
    }
    await saving;
    if (result?.kind === 'suspended' && result.report !== null) {
      await this.#save(active, { ...result.report, usage: active.usage });
    }
    return result;
  }

  /** Null: the thread was ended, or died. */
  async #solve(run: RunRecord, source: ProblemSource, active: ActiveRun): Promise<SolveResult | null> {
    const { port1: reports, port2: remoteReports } = new MessageChannel();
    let saving: Promise<unknown> = Promise.resolve();
    reports.on('message', (report: RunReport) => {
      active.lastProgress = report.progress;
      active.usage = report.usage;
      saving = saving.then(() => this.#save(active, report));
    });
    try {
      const { task } = run.request;
      const { timeoutSeconds = Infinity } = task;
      if (Number.isFinite(timeoutSeconds)) {
        this.#timer(active, timeoutSeconds * 1000 + SOLVER_GRACE_MS, () => stopNativeCode(active));
      }
      const job = { task, source, control: active.control, reports: remoteReports };
      const result = await this.#parts.pools.solve(job, active.abort.signal);
      active.usage = result.usage;
      return result;
    } catch (error) {
      if (active.why === null) this.#parts.logger.error({ err: error, run: run.id }, 'a run could not be carried out');
      return null;
    } finally {
      reports.close();
      await saving;
    }
  }

  async #learned({ id, accountId, request }: RunRecord): Promise<Pick<RunJob, 'knowledge' | 'starts'>> {
    const nothing = { knowledge: null, starts: null };
    const { learned, task } = request;
    if (learned === undefined || learned.version === 0) return nothing;
    const knowledge = await this.#parts.learning.at(accountId, learned.version);
    if (knowledge.sha256 === learned.sha256) {
      return { knowledge: knowledge.table, starts: startsFor(knowledge, learned.shape, task) };
    }
    this.#parts.logger.warn(
      { run: id, version: learned.version },
      'what a run was to know was forgotten before it began',
    );
    return nothing;
  }

  /** Returns whether it was stored. */
  async #save(active: ActiveRun, report: RunReport): Promise<boolean> {
    this.#note(active, report);
    return this.#store(active, report);
  }

  async #store(
    active: ActiveRun,
    report: Pick<RunReport, 'progress' | 'history'> & { checkpoint?: Uint8Array | null; usage?: RunUsage },
  ): Promise<boolean> {
    const { run } = active;
    const { history, checkpoint } = report;
    const before = checkpoint === undefined ? active : { lossesBefore: run.losses, strikesBefore: run.strikes };
    const { lossesBefore, strikesBefore } = before;
    const usage = usageOf(active, report.usage);
    const progress = { ...report.progress, lossesBefore, strikesBefore, usage };
    const events = [...active.events];
    try {
      const saved = await this.#parts.store.saveProgress(run.id, run.attempt, {
        progress,
        history,
        checkpoint,
        events,
      });
      active.lossesBefore = lossesBefore;
      active.strikesBefore = strikesBefore;
      // Those that could not be stored go with the next report.
      active.events.splice(0, events.length);
      if (events.length > 0) this.#parts.eventsStored();
      if (!saved) this.#end(active, 'superseded');
      this.#nudge(run.id);
      return saved;
    } catch (error) {
      this.#parts.logger.warn({ err: error, run: run.id }, 'progress of a run not stored');
      return false;
    }
  }

  /** Makes the events of what a thread has told. */
  #note(active: ActiveRun, { begun, changes }: Pick<RunReport, 'begun' | 'changes'>): void {
    this.#announce(active, begun);
    active.events.push(...this.#events.changed(active.run, changes));
  }

  #announce(active: ActiveRun, begun: RunReport['begun']): void {
    if (!active.isAnnounced) active.events.push(this.#events.started(active.run, begun));
    active.isAnnounced = true;
  }

  /** Decides what became of a run that no thread works on any more. */
  async #conclude(active: ActiveRun, result: RunResult | SolveResult | null): Promise<void> {
    const { run, lastProgress } = active;
    const usage = usageOf(active);
    // What it reported last may be long ago.
    const durationSeconds = (progressOf(run)?.elapsedSeconds ?? 0) + (performance.now() - active.begunAt) / 1000;
    // Of a business problem a solution without its answer, such as `optimality` and `result`, says nothing.
    const progress = isOfProblem(active) ? null : (lastProgress ?? run.progress);
    const soFar: RunRecord = { ...run, progress };
    if (result?.kind === 'ended') {
      const { history, ...outcome } = result.outcome;
      const ending = { ...outcome, usage };
      if (outcome.verified !== undefined) this.#parts.metrics.verified(outcome.verified);
      if (result.checkDefect !== undefined) {
        this.#parts.logger.error({ run: run.id, stack: result.checkDefect }, 'the checks of a run failed');
      }
      this.#note(active, result);
      const { extendable } = result;
      const { learned, task } = run.request;
      const lesson = learned === undefined ? null : lessonOf(run.id, task, ending, history, learned.shape);
      await this.#finish(run, ending, { history, events: active.events, extendable, lesson });
    } else if (result?.kind === 'solved') {
      const { history, begun } = result;
      const ending = { ...result.ending, verified: unverified('no_function'), usage };
      this.#note(active, { begun, changes: [] });
      await this.#finish(run, ending, { history, events: active.events });
    } else if (result?.kind === 'unbegun') {
      const ending = await this.#endingOf(soFar, result.why, messageOf(active, result.why));
      await this.#finish(run, { ...ending, durationSeconds, usage }, { events: active.events });
    } else if (result?.kind === 'failed' && result.error.code !== 'backend_lost') {
      const error = failureFrom(result.error);
      const defect = error.code === 'internal_error';
      if (defect) this.#parts.logger.error({ err: error, run: run.id }, `a run failed: ${error.message}`);
      const message = defect ? 'The service failed while it carried out the run.' : error.message;
      const ending = await this.#endingOf(soFar, 'error', message);
      await this.#finish(run, { ...ending, durationSeconds, usage }, { events: active.events });
    } else if (result?.kind === 'suspended' || active.why === 'interrupted') {
      await this.#release(run, 'returned');
      this.#requeue(run.id, run.accountId);
    } else if (active.why === 'cancelled' || active.why === 'timeout') {
      const ending = await this.#endingOf(soFar, active.why, messageOf(active, active.why));
      await this.#finish(run, { ...ending, durationSeconds, usage }, { events: active.events });
    } else if (active.why === null) {
      // Its thread is gone, not the process: none of the other runs can be the cause.
      this.#cleared.add(run.id);
      await this.#release(run, 'lost');
      this.#requeue(run.id, run.accountId);
    }
  }

  /** What it has found and used, where no engine ended it: with several objectives the front of its last checkpoint. */
  async #endingOf(run: RunRecord, reason: TerminationReason, message?: string): Promise<RunEnding> {
    const usage = run.progress?.usage;
    const ending = { ...endingAt(progressOf(run), reason, message), ...(usage === undefined ? {} : { usage }) };
    const front = await this.#frontSoFar(run);
    return front === null ? ending : { ...ending, front, bestSolution: front.points[front.knee]?.solution ?? null };
  }

  /** Asks again and again while the store is down, as `#finish` does. Null: there is none. */
  async #frontSoFar(run: RunRecord): Promise<Front | null> {
    const { task, extension } = run.request;
    if ((task.objectives ?? 1) === 1 || (progressOf(run)?.evaluations ?? 0) === 0) return null;
    for (;;) {
      try {
        const checkpoint = await this.#parts.store.runCheckpoint(run.id);
        const start = checkpoint === null ? null : decodeStart(checkpoint);
        if (start === null || !isRecipe(start)) return start === null ? null : frontIn(task, start);
        // It was to be carried out again from the seed, and had not come to its end.
        const original = await this.find(run.accountId, extension?.of ?? '');
        return original?.ending?.front ?? null;
      } catch (error) {
        this.#parts.logger.error({ err: error, run: run.id }, 'the front of a run could not be read');
        const mayReturn = error instanceof ExtremumError && error.retryable;
        if (this.#stopping || !mayReturn) return null;
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  async #release({ id, attempt }: RunRecord, how: 'returned' | 'lost'): Promise<void> {
    this.#parts.logger.debug({ run: id, attempt, how }, 'a run is given back');
    try {
      await this.#parts.store.releaseRun(id, attempt, how);
    } catch (error) {
      this.#parts.logger.error({ err: error, run: id }, 'a run could not be given back');
    }
  }

  /** Writes the end of a run, again and again while the store is down: the result is only here. */
  async #finish(
    run: RunRecord,
    ending: RunEnding,
    {
      history,
      events = [],
      extendable,
      lesson = null,
    }: {
      history?: readonly HistoryPoint[];
      events?: readonly RunEvent[];
      extendable?: Uint8Array;
      lesson?: Lesson | null;
    } = {},
  ): Promise<RunRecord | null> {
    const completedAt = this.#parts.clock();
    // Cut off: what it had found nobody has confirmed.
    const verified = unverified(ending.evaluations > 0 ? 'unfinished' : 'nothing_valued');
    const finish: RunFinish = {
      status: finalStatus(ending),
      ending: { verified, ...ending },
      ...(history === undefined ? {} : { history }),
      ...(lesson === null ? {} : { lesson }),
      completedAt,
      ...(extendable === undefined
        ? {}
        : { extendable: { checkpoint: extendable, until: completedAt + EXTENDABLE_MS } }),
      events: [...events, ...this.#events.ended(run, ending, history)],
    };
    for (let failures = 0; ; failures++) {
      try {
        let record = await this.#parts.store.finishRun(run.id, run.attempt, finish);
        // A write that seemed to fail may have happened after all.
        if (record === null && failures > 0) record = await this.#endedAs(run);
        if (record === null) return null;
        this.#cleared.delete(run.id);
        this.#wake(run.id);
        this.#nudge(run.id);
        this.#parts.eventsStored();
        this.#parts.metrics.runEnded(finish.status, ending.terminationReason);
        const [reason] = ending.backend?.notCompiled ?? [];
        if (reason?.kind !== undefined) this.#parts.metrics.fellBack(reason.kind);
        return record;
      } catch (error) {
        this.#parts.logger.error({ err: error, run: run.id }, 'the end of a run could not be stored');
        if (this.#stopping) return null;
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  /** The run, if it has ended under this attempt. */
  async #endedAs(run: RunRecord): Promise<RunRecord | null> {
    const found = await this.#parts.store.findRun(run.accountId, run.id);
    return found !== null && isFinished(found.status) && found.attempt === run.attempt ? found : null;
  }

  #cancelActive(active: ActiveRun): void {
    if (Atomics.exchange(active.control, CONTROL_CELLS.Control, Control.Cancel) === Control.Cancel) return;
    if (isOfProblem(active)) stopNativeCode(active);
    this.#after(active, CANCEL_GRACE_MS, 'cancelled');
  }

  #after(active: ActiveRun, delayMs: number, why: Why): void {
    if (Number.isFinite(delayMs)) this.#timer(active, delayMs, () => this.#end(active, why));
  }

  #timer(active: ActiveRun, delayMs: number, then: () => void): void {
    // setTimeout takes at most 2^31 - 1 ms.
    const timer = setTimeout(then, Math.min(delayMs, 2_147_483_647));
    timer.unref();
    active.timers.push(timer);
  }

  #end(active: ActiveRun, why: Why): void {
    if (why === 'superseded' && active.why !== why) {
      this.#parts.logger.warn(
        { run: active.run.id, attempt: active.run.attempt },
        'another process has taken over a run',
      );
    }
    active.why ??= why;
    stopNativeCode(active);
    active.abort.abort();
  }

  // --- waiting

  #ended(accountId: string, id: string, timeoutMs: number): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? { since: performance.now(), wake: new Set() };
      this.#waiting.set(id, waiting);
      const done = (): void => {
        clearTimeout(timer);
        waiting.wake.delete(done);
        if (waiting.wake.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      waiting.wake.add(done);
      // It may have ended before anybody listened.
      if (!this.#active.has(id)) void this.#doneAlready(accountId, id, done);
      if (!this.#parts.store.capabilities.exclusive) this.#askAgain();
    });
  }

  async #doneAlready(accountId: string, id: string, done: () => void): Promise<void> {
    const run = await this.find(accountId, id).catch(() => null);
    if (run === null || isFinished(run.status)) done();
  }

  #wake(id: string): void {
    for (const wake of [...(this.#waiting.get(id)?.wake ?? [])]) wake();
  }

  /** Asks a shared store for the ends that are waited for: soon for who just came, seldom for who waits for long. */
  #askAgain(): void {
    if (this.#waitTimer !== null) clearTimeout(this.#waitTimer);
    this.#waitTimer = null;
    if (this.#waiting.size === 0 || this.#stopping) return;
    const youngest = Math.max(...[...this.#waiting.values()].map(({ since }) => since));
    const share = (performance.now() - youngest) * WAIT_SHARE;
    const delayMs = Math.min(WAIT_POLL_MS.most, Math.max(WAIT_POLL_MS.least, share));
    this.#waitTimer = setTimeout(() => this.#track(this.#lookForEnds()), delayMs);
    this.#waitTimer.unref();
  }

  async #lookForEnds(): Promise<void> {
    // What is carried out here wakes its waiters itself.
    const asked = [...this.#waiting.keys()].filter((id) => !this.#active.has(id));
    try {
      for (const { id, status } of await this.#parts.store.runStates(asked)) if (isFinished(status)) this.#wake(id);
    } catch {
      // Whoever waits asks again, or runs into the failure when the wait is over.
    }
    this.#askAgain();
  }
}

/** Of all attempts. */
const usageOf = ({ usageBefore, usage }: ActiveRun, ofThisAttempt = usage): RunUsage =>
  addUsage(usageBefore, ofThisAttempt);

async function withinMs<T>(ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const stopNativeCode = ({ control }: ActiveRun): void => void Atomics.store(control, CONTROL_CELLS.Stop, 1);

/** Its native code keeps what it has found when it is stopped; that of an evaluation loses it. */
/** Of an end without an answer; undefined: what the ending itself says. */
const messageOf = (active: ActiveRun, why: TerminationReason): string | undefined =>
  isOfProblem(active) && why === 'timeout' ? 'The time limit was reached before there was an answer.' : undefined;

const isOfProblem = ({ run }: ActiveRun): boolean => run.request.problem !== undefined;

const stopping = (): ExtremumError => new ExtremumError('unavailable', 'The service is stopping.', { retryable: true });

/** `history`: of the replay. */
export function compare(
  direction: Direction,
  original: number | null,
  replay: number | null,
  history: readonly HistoryPoint[],
): Comparison {
  const sign = direction === 'maximize' ? -1 : 1;
  const fitness = (value: number | null): number => (value === null ? Infinity : sign * value);
  const matching = history.find(({ bestFitness }) => fitness(bestFitness) <= fitness(original));
  return {
    bestFitnessDifference: original === null || replay === null ? null : replay - original,
    evaluationsToMatch: matching?.evaluations ?? null,
    isBetter: fitness(replay) < fitness(original),
  };
}

/** By the hypervolumes, both measured from the original's reference point. */
function compareFronts(direction: Direction, original: Front | undefined, replay: Front | undefined): Comparison {
  const sign = direction === 'maximize' ? -1 : 1;
  const reference = (original ?? replay)?.reference.map((value) => sign * value) ?? [];
  const measure = (front: Front | undefined): number => {
    const points = front?.points ?? [];
    const values = Float64Array.from(points.flatMap((point) => point.values.map((value) => sign * value)));
    return points.length === 0 ? 0 : hypervolume(values, points.length, reference.length, reference);
  };
  return {
    bestFitnessDifference: null,
    evaluationsToMatch: null,
    isBetter: measure(replay) > measure(original),
  };
}
