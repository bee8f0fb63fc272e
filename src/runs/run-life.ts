/**
 * The life of one run here, from its claim to its end: the thread that carries it out, what is stored on the way, and
 * what becomes of it when the thread ends, dies, or is stopped from outside. Few writes on the way of a short run: one
 * when it ends. Longer ones report progress and a checkpoint about once a second.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { ExtremumError, isDamaged } from '../common/errors.js';
import { failureFrom } from '../common/thread-call.js';
import { startsFor } from '../learning/knowledge.js';
import { lessonOf } from '../learning/lesson.js';
import type { Lesson } from '../model/learning.js';
import type { Front } from '../model/front.js';
import type { ObjectiveSource } from '../model/objective.js';
import { isProblemSource, type ProblemSource } from '../model/problem.js';
import type { RunEvent } from '../model/run-event.js';
import { isMonitored } from '../model/monitoring.js';
import { encodeTrace } from '../model/trace-bytes.js';
import { endingAt, lossesHere, progressOf, type RunEnding, type RunRecord } from '../model/run-record.js';
import { finalStatus, isFinished } from '../model/run-status.js';
import { addUsage, NO_USAGE, type RunUsage } from '../model/run-usage.js';
import type { HistoryPoint, TerminationReason } from '../model/run-task.js';
import { frontIn } from '../engine/front-run.js';
import { unverified, type Misreading } from '../model/verification.js';
import type { ClaimedRun, RunFinish } from '../storage/contract/runs.js';
import type { LogWish } from './evaluation-log/open-log.js';
import { decodeStart, isOfCompiledCode, isRecipe } from './extension.js';
import type { RunSpending } from './metrics.js';
import { NO_OFFER_USE } from './python-host.js';
import { probationMs } from './suspects.js';
import {
  CONTROL_CELLS,
  Control,
  type RunJob,
  type RunReport,
  type RunResult,
  type SolveResult,
} from './worker-protocol.js';
import { RunMonitor, SAMPLE_MS, sourcesOf } from './run-monitor.js';
import type { RunContext } from './run-context.js';
import { STORE_RETRY_MS, type ActiveRun, type RunServiceParts, type Why } from './run-context.js';
import type { RunWaiting } from './run-waiting.js';

/** A worker looks at its control cell once per generation; a thread that does not react this long is ended. */
const CANCEL_GRACE_MS = 1_000;
const TIMEOUT_GRACE_MS = 15_000;
/** A solver notices by itself that its time is up, unless it is within native code, which is told after this long. */
const SOLVER_GRACE_MS = 250;
/** Nobody waits longer for processes that are to end, to learn what they used. */
const PYTHON_END_MS = 1_000;
/** How long a run that its budget ended can be extended. */
const EXTENDABLE_MS = 7 * 86_400_000;

/** A run that searches over a function. */
type ClaimedSearch = Omit<ClaimedRun, 'source'> & { readonly source: ObjectiveSource };

/** The queue, as a run tells it of the turns in its life. */
export interface Turns {
  /** It has shown that it does not end the process. */
  proven(active: ActiveRun): void;
  /** It is to go on, first in its line. */
  requeue(id: string, accountId: string): void;
  /** A thread may be free. */
  next(): void;
}

export class RunLife {
  private readonly context: RunContext;
  private readonly parts: RunServiceParts;
  private readonly waiting: RunWaiting;
  private readonly turns: Turns;

  constructor(context: RunContext, waiting: RunWaiting, turns: Turns) {
    this.context = context;
    this.parts = context.parts;
    this.waiting = waiting;
    this.turns = turns;
  }

  /** A run that this process has just claimed. */
  begin(claimed: ClaimedRun, isAlone = false): void {
    const { run } = claimed;
    const { store, clock } = this.parts;
    const active: ActiveRun = {
      run,
      monitor: isMonitored(run.request) ? new RunMonitor(run, store, sourcesOf(clock)) : null,
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
    this.context.active.set(run.id, active);
    this.parts.logger.debug({ run: run.id, attempt: run.attempt }, 'a run begins');
    this.watch(active);
    this.after(active, (run.request.task.timeoutSeconds ?? Infinity) * 1000 + TIMEOUT_GRACE_MS, 'timeout');
    this.context.track(
      this.carryOut(claimed, active).finally(() => {
        for (const timer of active.timers) clearTimeout(timer);
        this.context.active.delete(run.id);
        this.turns.proven(active);
        this.turns.next();
      }),
    );
  }

  private watch({ run, monitor, timers }: ActiveRun): void {
    if (monitor === null) return;
    const sample = (): void =>
      this.context.track(
        monitor.sample().catch((error: unknown) => {
          this.parts.logger.warn({ err: error, run: run.id }, 'the monitoring trace of a run was not stored');
        }),
      );
    timers.push(setInterval(sample, SAMPLE_MS).unref());
  }

  private async carryOut(claimed: ClaimedRun, active: ActiveRun): Promise<void> {
    const { run, source } = claimed;
    this.timer(active, probationMs(run), () => this.context.track(this.provenByTime(active)));
    if (isProblemSource(source)) await this.conclude(active, await this.solve(run, source, active));
    else await this.search({ ...claimed, source }, active);
  }

  private async search(claimed: ClaimedSearch, active: ActiveRun): Promise<void> {
    const { run, source, checkpoint } = claimed;
    const sha256 = createHash('sha256').update(source.code).digest('hex');
    let result: RunResult | null;
    try {
      let misread = await this.insist(() => this.parts.store.findMisreading(run.accountId, sha256));
      let start = checkpoint;
      if (misread !== null && start !== null && isOfCompiledCode(decodeStart(start))) {
        await this.beginAgain(active, misread, progressOf(run)?.elapsedSeconds ?? 0);
        start = null;
      }
      result = await this.attempt(claimed, active, { checkpoint: start, misread });
      if (result?.kind === 'misread') {
        misread = result.misreading;
        // First of all: wherever this process dies now, nobody runs that code again.
        await this.rememberMisreading(run, sha256, misread);
        this.announce(active, result.begun);
        await this.beginAgain(active, misread, result.elapsedSeconds, result.begun.backend);
        result = await this.attempt(claimed, active, { checkpoint: null, misread });
      }
    } catch (error) {
      if (isDamaged(error)) {
        await this.finish(run, await this.endingOf(run, 'error', (error as Error).message));
        return;
      }
      this.parts.logger.error(
        { err: error, run: run.id },
        'a run is given back: the store does not say what it must know',
      );
      await this.release(run, 'returned');
      return;
    }
    await this.conclude(active, result);
  }

  private async rememberMisreading(run: RunRecord, sha256: string, misreading: Misreading): Promise<void> {
    const { logger, metrics, store } = this.parts;
    metrics.misread('run');
    logger.warn({ run: run.id, function: run.functionId, ...misreading }, 'compiled code misreads a function');
    await this.insist(() => store.saveMisreading(run.accountId, sha256, misreading));
  }

  /**
   * Again and again while the store is down: what it does not say or keep could let wrong values through.
   * @throws what the store throws, once the service is stopping or the store will never do it.
   */
  private async insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const mayReturn = error instanceof ExtremumError && error.retryable;
        if (this.context.isStopping || !mayReturn) throw error;
        this.parts.logger.error({ err: error }, 'what is known of misread functions could not be asked or stored');
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  /** Values of misread code are void: the run is as at its start, but for what it has used. */
  private async beginAgain(
    active: ActiveRun,
    misread: Misreading,
    elapsedSeconds: number,
    from: string | null = null,
  ): Promise<void> {
    active.events.push(this.context.events.moved(active.run, from, misread));
    active.usageBefore = usageOf(active);
    active.usage = NO_USAGE;
    active.lastProgress = { evaluations: 0, bestFitness: null, bestSolution: null, elapsedSeconds };
    await this.store(active, { progress: active.lastProgress, history: [], checkpoint: null });
  }

  /** A later attempt goes on from a checkpoint: it has a file of its own, beside what there is of the earlier one. */
  private logOf({ id, attempt }: RunRecord): LogWish | undefined {
    const { evaluationLogs: logs } = this.parts;
    if (logs === undefined || logs === null) return undefined;
    const name = attempt <= 1 ? id : `${id}-${attempt}`;
    return { file: path.join(logs.folder, `${name}.csv`) };
  }

  /** Null: the thread was ended, or died. */
  private async attempt(
    { run, source }: ClaimedSearch,
    active: ActiveRun,
    { checkpoint, misread }: Pick<RunJob, 'checkpoint' | 'misread'>,
  ): Promise<RunResult | null> {
    const { port1: reports, port2: remoteReports } = new MessageChannel();
    const { python: host, verify } = this.parts;
    const { pythonMinor, task } = run.request;
    const python = host.offer(source, task.bounds.length, {
      owner: run.accountId,
      verify,
      pythonMinor,
      isMisread: misread !== null,
    });
    let saving: Promise<void> = Promise.resolve();
    reports.on('message', (report: RunReport) => {
      active.lastProgress = report.progress;
      active.usage = report.usage;
      this.parts.metrics.measured({ use: report.use });
      // Proven when a checkpoint is stored: then the next death finds it further.
      saving = saving.then(async () => {
        const isSaved = await this.save(active, report);
        if (isSaved && report.checkpoint !== undefined) this.turns.proven(active);
      });
    });
    let result: RunResult | null = null;
    try {
      const job: RunJob = {
        task: run.request.task,
        source,
        pythonMinor: run.request.pythonMinor,
        interpreter: await this.parts.python.facts(source.code),
        math: run.request.math ?? 'exact',
        gpu: run.request.intelligence.gpuAcceleration,
        precision: run.request.precision ?? 'f64',
        ...(await this.learned(run)),
        blackBox: run.request.blackBox,
        checkpoint,
        reportsSoon: lossesHere(run) > 0,
        extension: misread === null ? (run.request.extension ?? null) : null,
        control: active.control,
        threads: this.parts.threadsPerRun,
        reports: remoteReports,
        python: python.access,
        unchecked: python.unchecked,
        misread,
        earlierSeconds: misread === null ? 0 : ((active.lastProgress ?? progressOf(run))?.elapsedSeconds ?? 0),
        log: this.logOf(run),
        gauges: active.monitor?.begin(() => python.waitedSeconds()),
      };
      result = await this.parts.pools.carryOut(job, active.abort.signal);
      active.usage = result.usage;
      if (result.measures !== undefined) this.parts.metrics.measured(result.measures);
    } catch (error) {
      if (active.why === null) this.parts.logger.error({ err: error, run: run.id }, 'a run could not be carried out');
    } finally {
      active.monitor?.end();
      reports.close();
      const used = await withinMs(PYTHON_END_MS, python.withdraw(), NO_OFFER_USE);
      const { cpuSeconds, peakBytes, checkSeconds } = used;
      const thread = active.usage;
      const peakMemoryBytes = thread.peakMemoryBytes + peakBytes;
      active.usage = { ...thread, pythonCpuSeconds: cpuSeconds, checkSeconds, peakMemoryBytes };
    }
    await saving;
    if (result?.kind === 'suspended' && result.report !== null) {
      await this.save(active, { ...result.report, usage: active.usage });
    }
    return result;
  }

  /** Null: the thread was ended, or died. */
  private async solve(run: RunRecord, source: ProblemSource, active: ActiveRun): Promise<SolveResult | null> {
    const { port1: reports, port2: remoteReports } = new MessageChannel();
    let saving: Promise<unknown> = Promise.resolve();
    reports.on('message', (report: RunReport) => {
      active.lastProgress = report.progress;
      active.usage = report.usage;
      saving = saving.then(() => this.save(active, report));
    });
    try {
      const { task } = run.request;
      const { timeoutSeconds = Infinity } = task;
      if (Number.isFinite(timeoutSeconds)) {
        this.timer(active, timeoutSeconds * 1000 + SOLVER_GRACE_MS, () => stopNativeCode(active));
      }
      const gauges = active.monitor?.begin();
      const job = { task, source, control: active.control, reports: remoteReports, gauges };
      const result = await this.parts.pools.solve(job, active.abort.signal);
      active.usage = result.usage;
      return result;
    } catch (error) {
      if (active.why === null) this.parts.logger.error({ err: error, run: run.id }, 'a run could not be carried out');
      return null;
    } finally {
      active.monitor?.end();
      reports.close();
      await saving;
    }
  }

  private async learned({ id, accountId, request }: RunRecord): Promise<Pick<RunJob, 'knowledge' | 'starts'>> {
    const nothing = { knowledge: null, starts: null };
    const { learned, task } = request;
    if (learned === undefined || learned.version === 0) return nothing;
    const knowledge = await this.parts.learning.at(accountId, learned.version);
    // Deleted runs take along what they had found; all else that they taught stays.
    if (knowledge.sha256 === learned.sha256 || knowledge.isErased) {
      return { knowledge: knowledge.table, starts: startsFor(knowledge, learned.shape, task) };
    }
    this.parts.logger.warn(
      { run: id, version: learned.version },
      'what a run was to know was forgotten before it began',
    );
    return nothing;
  }

  /** Returns whether it was stored. */
  private async save(active: ActiveRun, report: RunReport): Promise<boolean> {
    this.note(active, report);
    return this.store(active, report);
  }

  private async store(
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
      const saved = await this.parts.store.saveProgress(run.id, run.attempt, {
        progress,
        history,
        checkpoint,
        events,
      });
      active.lossesBefore = lossesBefore;
      active.strikesBefore = strikesBefore;
      // Those that could not be stored go with the next report.
      active.events.splice(0, events.length);
      if (events.length > 0) this.parts.eventsStored();
      if (!saved) this.end(active, 'superseded');
      this.waiting.nudge(run.id);
      return saved;
    } catch (error) {
      this.parts.logger.warn({ err: error, run: run.id }, 'progress of a run not stored');
      return false;
    }
  }

  /** Makes the events of what a thread has told. */
  private note(active: ActiveRun, { begun, changes }: Pick<RunReport, 'begun' | 'changes'>): void {
    this.announce(active, begun);
    active.events.push(...this.context.events.changed(active.run, changes));
  }

  private announce(active: ActiveRun, begun: RunReport['begun']): void {
    if (!active.isAnnounced) active.events.push(this.context.events.started(active.run, begun));
    active.isAnnounced = true;
  }

  /** It has worked for long enough. Before others begin beside it the store hears that it is not alone any more. */
  private async provenByTime(active: ActiveRun): Promise<void> {
    if (!active.isOnProbation) return;
    const { id, attempt } = active.run;
    try {
      if (active.isAlone) await this.parts.store.noteCompany(id, attempt);
      this.turns.proven(active);
    } catch (error) {
      this.parts.logger.warn({ err: error, run: id }, 'that a run is not alone any more is not stored');
      this.timer(active, STORE_RETRY_MS, () => this.context.track(this.provenByTime(active)));
    }
  }

  /** Decides what became of a run that no thread works on any more. */
  private async conclude(active: ActiveRun, result: RunResult | SolveResult | null): Promise<void> {
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
      if (outcome.verified !== undefined) this.parts.metrics.verified(outcome.verified);
      if (result.checkDefect !== undefined) {
        this.parts.logger.error({ run: run.id, stack: result.checkDefect }, 'the checks of a run failed');
      }
      if (result.logFailure !== undefined) {
        const facts = { run: run.id, reason: result.logFailure };
        this.parts.logger.error(facts, 'the file of the evaluations of a run is not whole');
      }
      this.note(active, result);
      const { extendable } = result;
      const { learned, task } = run.request;
      const lesson = learned === undefined ? null : lessonOf(run.id, task, ending, history, learned.shape);
      await this.finish(run, ending, { history, events: active.events, extendable, lesson });
    } else if (result?.kind === 'solved') {
      const { history, begun } = result;
      const ending = { ...result.ending, verified: unverified('no_function'), usage };
      this.note(active, { begun, changes: [] });
      await this.finish(run, ending, { history, events: active.events });
    } else if (result?.kind === 'unbegun') {
      const ending = await this.endingOf(soFar, result.why, messageOf(active, result.why));
      await this.finish(run, { ...ending, durationSeconds, usage }, { events: active.events });
    } else if (result?.kind === 'failed' && result.error.code !== 'backend_lost') {
      const error = failureFrom(result.error);
      const defect = error.code === 'internal_error';
      if (defect) this.parts.logger.error({ err: error, run: run.id }, `a run failed: ${error.message}`);
      const message = defect ? 'The service failed while it carried out the run.' : error.message;
      const ending = await this.endingOf(soFar, 'error', message);
      await this.finish(run, { ...ending, durationSeconds, usage }, { events: active.events });
    } else if (result?.kind === 'suspended' || active.why === 'interrupted') {
      await this.release(run, 'returned');
      this.turns.requeue(run.id, run.accountId);
    } else if (active.why === 'cancelled' || active.why === 'timeout') {
      const ending = await this.endingOf(soFar, active.why, messageOf(active, active.why));
      await this.finish(run, { ...ending, durationSeconds, usage }, { events: active.events });
    } else if (active.why === null) {
      // Its thread is gone, not the process: none of the other runs can be the cause.
      this.context.cleared.add(run.id);
      await this.release(run, 'lost');
      this.turns.requeue(run.id, run.accountId);
    }
  }

  /** Ending of a run that no engine ended: its last progress, and of several objectives its checkpoint's front. */
  async endingOf(run: RunRecord, reason: TerminationReason, message?: string): Promise<RunEnding> {
    const usage = run.progress?.usage;
    const ending = { ...endingAt(progressOf(run), reason, message), usage };
    const front = await this.frontSoFar(run);
    return front === null ? ending : { ...ending, front, bestSolution: front.points[front.knee]?.solution ?? null };
  }

  /** Asks again and again while the store is down, as `#finish` does. Null: there is none. */
  private async frontSoFar(run: RunRecord): Promise<Front | null> {
    const { task, extension } = run.request;
    if ((task.objectives ?? 1) === 1 || (progressOf(run)?.evaluations ?? 0) === 0) return null;
    for (;;) {
      try {
        const checkpoint = await this.parts.store.runCheckpoint(run.id);
        const start = checkpoint === null ? null : decodeStart(checkpoint);
        if (start === null || !isRecipe(start)) return start === null ? null : frontIn(task, start);
        // It was to be carried out again from the seed, and had not come to its end.
        const original = await this.parts.store.findRun(run.accountId, extension?.of ?? '');
        return original?.ending?.front ?? null;
      } catch (error) {
        this.parts.logger.error({ err: error, run: run.id }, 'the front of a run could not be read');
        const mayReturn = error instanceof ExtremumError && error.retryable;
        if (this.context.isStopping || !mayReturn) return null;
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  /** Gives a run back to whoever takes it next. */
  async release({ id, attempt }: RunRecord, how: 'returned' | 'lost'): Promise<void> {
    this.parts.logger.debug({ run: id, attempt, how }, 'a run is given back');
    try {
      await this.context.active.get(id)?.monitor?.save();
    } catch (error) {
      this.parts.logger.warn({ err: error, run: id }, 'the monitoring trace of a run was not stored');
    }
    try {
      await this.parts.store.releaseRun(id, attempt, how);
    } catch (error) {
      this.parts.logger.error({ err: error, run: id }, 'a run could not be given back');
    }
  }

  /** Writes the end of a run, again and again while the store is down: the result is only here. */
  async finish(
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
    const monitoring = await this.traceOf(run);
    const completedAt = this.parts.clock();
    // Cut off: what it had found nobody has confirmed.
    const verified = unverified(ending.evaluations > 0 ? 'unfinished' : 'nothing_valued');
    const finish: RunFinish = {
      status: finalStatus(ending),
      ending: { verified, ...ending },
      history,
      monitoring,
      lesson: lesson ?? undefined,
      completedAt,
      extendable: extendable === undefined ? undefined : { checkpoint: extendable, until: completedAt + EXTENDABLE_MS },
      events: [...events, ...this.context.events.ended(run, ending, history)],
    };
    for (let failures = 0; ; failures++) {
      try {
        let record = await this.parts.store.finishRun(run.id, run.attempt, finish);
        // A write that seemed to fail may have happened after all.
        if (record === null && failures > 0) record = await this.endedAs(run);
        if (record === null) return null;
        this.context.cleared.delete(run.id);
        this.waiting.wake(run.id);
        this.waiting.nudge(run.id);
        this.parts.eventsStored();
        this.parts.metrics.runEnded(finish.status, ending.terminationReason, spendingOf(run, ending));
        const [reason] = ending.backend?.notCompiled ?? [];
        if (reason?.kind !== undefined) this.parts.metrics.fellBack(reason.kind);
        return record;
      } catch (error) {
        this.parts.logger.error({ err: error, run: run.id }, 'the end of a run could not be stored');
        if (this.context.isStopping) return null;
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  /** Undefined: it keeps none, or what earlier attempts have left cannot be read, and stays. */
  private async traceOf({ id }: RunRecord): Promise<Uint8Array | undefined> {
    try {
      const trace = await this.context.active.get(id)?.monitor?.trace();
      return trace && encodeTrace(trace);
    } catch (error) {
      this.parts.logger.warn({ err: error, run: id }, 'the monitoring trace of a run could not be read');
      return undefined;
    }
  }

  /** The run, if it has ended under this attempt. */
  private async endedAs(run: RunRecord): Promise<RunRecord | null> {
    const found = await this.parts.store.findRun(run.accountId, run.id);
    return found !== null && isFinished(found.status) && found.attempt === run.attempt ? found : null;
  }

  /** Ends a run that nobody can carry out. False: the store could not. */
  async abandon(id: string): Promise<boolean> {
    const { store, clock, metrics, logger } = this.parts;
    const message = 'The run is damaged in the database: it cannot be carried out.';
    const ending = { verified: unverified('nothing_valued'), ...endingAt(null, 'error', message) };
    const events = this.context.events.ended({ id, request: null }, ending);
    try {
      const isEnded = await store.abandonRun(id, { ending, completedAt: clock(), events });
      if (isEnded) metrics.runEnded('failed', 'error');
    } catch (error) {
      logger.error({ err: error, run: id }, 'the end of a run could not be stored');
      return false;
    }
    this.waiting.wake(id);
    this.waiting.nudge(id);
    this.parts.eventsStored();
    return true;
  }

  /** Its thread ends it within a generation, or is ended. */
  cancel(active: ActiveRun): void {
    if (Atomics.exchange(active.control, CONTROL_CELLS.Control, Control.Cancel) === Control.Cancel) return;
    if (isOfProblem(active)) stopNativeCode(active);
    this.after(active, CANCEL_GRACE_MS, 'cancelled');
  }

  /** Lets it save where it is, to go on from there. */
  interrupt(active: ActiveRun, graceMs: number): void {
    Atomics.compareExchange(active.control, CONTROL_CELLS.Control, Control.GoOn, Control.Suspend);
    if (isOfProblem(active)) stopNativeCode(active);
    this.after(active, graceMs, 'interrupted');
  }

  private after(active: ActiveRun, delayMs: number, why: Why): void {
    if (Number.isFinite(delayMs)) this.timer(active, delayMs, () => this.end(active, why));
  }

  private timer(active: ActiveRun, delayMs: number, then: () => void): void {
    // setTimeout takes at most 2^31 - 1 ms.
    const timer = setTimeout(then, Math.min(delayMs, 2_147_483_647));
    timer.unref();
    active.timers.push(timer);
  }

  /** Ends its thread from outside. */
  end(active: ActiveRun, why: Why): void {
    if (why === 'superseded' && active.why !== why) {
      this.parts.logger.warn(
        { run: active.run.id, attempt: active.run.attempt },
        'another process has taken over a run',
      );
    }
    active.why ??= why;
    stopNativeCode(active);
    active.abort.abort();
  }
}

/** Usage of all attempts. */
const usageOf = ({ usageBefore, usage }: ActiveRun, ofThisAttempt = usage): RunUsage =>
  addUsage(usageBefore, ofThisAttempt);

function spendingOf(
  { request }: RunRecord,
  { evaluations, durationSeconds, usage = NO_USAGE }: RunEnding,
): RunSpending {
  const from = request.extension?.from;
  return {
    preset: request.preset,
    evaluations: Math.max(0, evaluations - (from?.evaluations ?? 0)),
    seconds: Math.max(0, durationSeconds - (from?.elapsedSeconds ?? 0)),
    cpuSeconds: usage.threadCpuSeconds + usage.pythonCpuSeconds,
    checkSeconds: usage.checkSeconds ?? 0,
  };
}

async function withinMs<T>(ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const stopNativeCode = ({ control }: ActiveRun): void => void Atomics.store(control, CONTROL_CELLS.Stop, 1);

/** Says of an end without an answer why there is none; undefined: the ending itself says it. */
const messageOf = (active: ActiveRun, why: TerminationReason): string | undefined =>
  isOfProblem(active) && why === 'timeout' ? 'The time limit was reached before there was an answer.' : undefined;

/** A problem's native code keeps what it has found when it is stopped; that of an evaluation loses it. */
const isOfProblem = ({ run }: ActiveRun): boolean => run.request.problem !== undefined;
