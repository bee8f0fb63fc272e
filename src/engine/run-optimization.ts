/**
 * Carries out one run: ask -> evaluate -> tell until something ends it. This file owns the rules of a run (budget,
 * direction, failures, ends, history, checkpoints); it knows contracts only. Start with `runOptimization`.
 *
 * Fitness: an evaluation that fails or gives NaN has fitness +Infinity and is counted in `failedEvaluations`. An infinite
 * value is no failure, but it never becomes the best, because a record cannot show it; -inf when minimising (+inf when
 * maximising) therefore ranks last like its opposite, so that the search leaves the place where the objective has no
 * finite value.
 *
 * With several objectives a candidate counts when all of its values are finite. The front of them (`front-run.ts`) takes the
 * place of the best candidate, its hypervolume that of the best fitness: an improvement is a larger hypervolume.
 */
import { ExtremumError } from '../common/errors.js';
import { decodeFloats, encodeFloats } from '../common/float64-codec.js';
import { BestSoFar } from '../model/best-so-far.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { Experiment } from '../model/experiment.js';
import { isProven, type Certificate, type Optimality } from '../model/certificate.js';
import { isValued, type DerivedReading } from '../model/reading.js';
import { whyNoValue } from '../model/run-status.js';
import { unverified, type CheckState, type Misreading, type Verified } from '../model/verification.js';
import type { EvaluationFailure, RunOutcome, RunProgress, RunTask, TerminationReason } from '../model/run-task.js';
import type { Strategy, StrategyFactory, StrategyProblem } from '../strategies/strategy.js';
import { suits, unsuitability, type SearchedTask } from '../strategies/suitability.js';
import { Evaluator } from '../evaluation/evaluator.js';
import { reasonAtEnd } from '../evaluation/placement-words.js';
import { ProgramReader } from '../evaluation/program-reader.js';
import type { EndPoint } from '../verification/checks.js';
import { convergenceOf } from './convergence.js';
import { FrontRun } from './front-run.js';
import { experimentAround, plainCentre, planExperiment } from './experiment.js';
import { ImprovementHistory } from './history.js';
import type { RunPorts } from './ports.js';
import { RUN_SNAPSHOT_VERSION, type ExperimentSnapshot, type RunSnapshot } from './snapshot.js';

/** A run in which every one of so many first evaluations failed is hopeless. */
const HOPELESS_EVALUATIONS = 50;
const KEPT_FAILURES = 3;
const DEFAULT_PROGRESS_INTERVAL_MS = 200;
const DEFAULT_CHECKPOINT_INTERVAL_MS = 1000;
/** Seconds that a run whose time was up before its first evaluation may still take for it. */
const FIRST_EVALUATION_SECONDS = 1;
/** How often a pending evaluation is checked for cancellation and time-out, and a busy run lets the event loop turn. */
const POLL_INTERVAL_MS = 50;

/** Points of a front that are confirmed; of a larger one those at even distances along it. */
const CHECKED_FRONT = 64;

/** Compiled code gave a value that CPython does not: nothing of the run can be kept. */
export class MisreadFound extends Error {
  constructor(
    readonly misreading: Misreading,
    /** Seconds of all attempts so far. */
    readonly elapsedSeconds: number,
  ) {
    super(misreading.message);
    this.name = 'MisreadFound';
  }
}

/**
 * Runs the task to its end. With `resumeFrom`, a snapshot of the same task, it goes on with the same bits as an
 * undisturbed run; a larger `maxEvaluations` than the snapshot's run had extends that run.
 *
 * Ends: `budget`, `target`, `timeout`, `cancelled`, `stagnated` as the task says; `optimal` when the strategy has proven the best value; `converged` in mode `fast` at the strategy's
 * first stop reason, in mode `balanced` when the strategy has stopped and does not restart, in mode `accurate` never;
 * `error` when the first 50 evaluations (or the whole budget) all failed. Kernels stay open.
 *
 * @throws {ExtremumError} `invalid_request` for an unknown strategy; whatever code a kernel rejects with: the caller decides
 *   whether to go on from the last checkpoint. One exception: when the primary is lost and a fallback is there, the run
 *   goes on with the fallback.
 * @throws {MisreadFound} where a check finds that compiled code misread the objective.
 */
export async function runOptimization(task: RunTask, ports: RunPorts, resumeFrom?: RunSnapshot): Promise<RunOutcome> {
  const run = new OptimizationRun(task, ports, resumeFrom);
  return run.execute();
}

export interface Repetition {
  readonly outcome: RunOutcome;
  readonly snapshot: RunSnapshot;
}

/**
 * Carries out again, without a limit of time, what led to the end of a run: with each of the growing `budgets` in turn, as
 * if it had been extended from one to the next. Ends early where an outcome is not `budget`.
 */
export async function repeatOptimization(
  task: RunTask,
  budgets: readonly number[],
  ports: RunPorts,
): Promise<Repetition> {
  const { timeoutSeconds: _unlimited, ...untimed } = task;
  let last: Repetition | undefined;
  for (const maxEvaluations of budgets) {
    const run: OptimizationRun = new OptimizationRun({ ...untimed, maxEvaluations }, ports, last?.snapshot);
    last = { outcome: await run.execute(), snapshot: run.snapshot() };
    if (last.outcome.terminationReason !== 'budget') break;
  }
  if (last === undefined) throw new Error('there is nothing to repeat');
  return last;
}

class OptimizationRun {
  private readonly factory: StrategyFactory;
  private readonly strategy: Strategy;
  private readonly evaluator: Evaluator;
  private readonly reader: ProgramReader;
  private readonly history: ImprovementHistory;
  private readonly sign: 1 | -1;
  private readonly startedAt: number;
  /** Seconds that earlier attempts of a resumed run took. */
  private readonly earlierSeconds: number;

  private evaluations = 0;
  private failedEvaluations = 0;
  private leadingFailures = 0;
  private readonly failures: EvaluationFailure[] = [];
  private readonly best: BestSoFar;
  /** Null: one objective. */
  private readonly front: FrontRun | null;
  private lastImprovement = 0;
  /** Evaluations by which the search ends: the budget without what the experiment needs. */
  private readonly searchEnd: number;
  /** Evaluations of experiments in earlier parts of an extended run. */
  private experimented = 0;
  private experiment: { snapshot: ExperimentSnapshot; result: Experiment | null } | null = null;
  /** The rest of a generation that a smaller budget cut is yet to come. */
  private isCut = false;
  /** Number of the latest `strategy.changed`. */
  private lastChange = 0;

  private readonly abort = new AbortController();
  private stopRequest: 'cancelled' | 'timeout' | null = null;
  /** By how much the time limit may be passed. */
  private graceSeconds = 0;
  private fitness = new Float64Array(0);
  private evaluatingMs = 0;
  private evaluationsBefore = 0;
  private lastProgressAt: number;
  private lastCheckpointAt: number;
  private lastTurnAt: number;
  /** State of the checks when the search ended, without what its end adds. */
  private checksOfSearch: CheckState | null = null;

  constructor(
    private readonly task: RunTask,
    private readonly ports: RunPorts,
    snapshot: RunSnapshot | undefined,
  ) {
    this.factory = chooseStrategy(task, ports.strategies);
    // Requests were held to the largest dimension; a domain that chooses for itself may take the time.
    const view = ports.program ?? null;
    requireSuitable(this.factory, { program: view === null ? null : { n: task.bounds.length, view } });
    this.sign = task.direction === 'maximize' ? -1 : 1;
    const objectives = task.objectives ?? 1;
    this.front = objectives === 1 ? null : new FrontRun(task, objectives, this.sign, snapshot?.front);
    this.best = new BestSoFar(task.bounds.length);
    this.lastProgressAt = this.lastCheckpointAt = this.lastTurnAt = ports.now();
    this.startedAt = ports.startedAt ?? this.lastProgressAt;
    this.searchEnd = task.maxEvaluations - planExperiment(task).evaluations;
    const problem = strategyProblem(task, this.searchEnd, ports);
    this.reader = new ProgramReader(ports.program ?? null, snapshot?.readings);
    if (snapshot === undefined) {
      this.strategy = this.factory.create(problem);
      this.evaluator = new Evaluator(ports.primary, ports.fallback, undefined, objectives);
      this.history = new ImprovementHistory();
      this.earlierSeconds = ports.earlierSeconds ?? 0;
      return;
    }
    checkVersion(snapshot);
    const { experiment } = snapshot;
    this.experimented = snapshot.experimented ?? 0;
    // What goes on with little more than it has used searches to its end.
    if (experiment?.maxEvaluations !== task.maxEvaluations && snapshot.evaluations > this.searchEnd) {
      this.searchEnd = task.maxEvaluations;
    }
    if (experiment?.maxEvaluations === task.maxEvaluations) this.experiment = { snapshot: experiment, result: null };
    else if (experiment !== undefined) this.experimented += snapshot.evaluations - experiment.fromEvaluation;
    const searched = this.searchEnd - this.experimented;
    const rest = { ...problem, budgetEvaluations: Math.max(1, searched) };
    checkStrategy(snapshot, this.factory.name);
    this.strategy = this.factory.restore(rest, snapshot.strategy.state);
    this.lastChange = this.strategy.change?.()?.number ?? 0;
    this.evaluator = new Evaluator(ports.primary, ports.fallback, snapshot.evaluator, objectives);
    this.history = new ImprovementHistory([...snapshot.history]);
    this.earlierSeconds = snapshot.elapsedSeconds;
    if (snapshot.checks !== undefined) ports.checks?.restore(snapshot.checks);
    this.evaluations = this.evaluationsBefore = snapshot.evaluations;
    this.failedEvaluations = snapshot.failedEvaluations;
    this.leadingFailures = snapshot.leadingFailures;
    this.failures.push(...snapshot.failures);
    this.lastImprovement = snapshot.lastImprovement;
    this.isCut = snapshot.isCut === true;
    if (snapshot.best === null) return;
    this.best.offer(this.sign * snapshot.best.value, decodeFloats(snapshot.best.solution, task.bounds.length));
  }

  async execute(): Promise<RunOutcome> {
    const poll = setInterval(() => this.pollStop(), POLL_INTERVAL_MS);
    try {
      if (this.isLate()) await this.evaluateFirst();
      let reason = this.experiment?.snapshot.reason ?? this.endReason();
      while (reason === null) {
        await this.generation();
        await this.stopIfMisread();
        reason = this.endReason();
        if (reason === null) await this.report();
      }
      reason = await this.explore(reason);
      await this.settleChecks();
      this.checksOfSearch = this.ports.checks?.state() ?? null;
      this.ports.checkpoint?.(this.snapshot());
      const verified = await this.verify(reason);
      return this.outcome(reason, verified);
    } finally {
      clearInterval(poll);
      await this.reader.close();
    }
  }

  private async stopIfMisread(): Promise<void> {
    const { checks } = this.ports;
    if (checks === undefined || checks.misreading === null) return;
    throw new MisreadFound((await checks.earliest()) ?? checks.misreading, this.elapsedSeconds());
  }

  /** Verdict of the checks on the values; they end with the search. */
  private async verify(reason: TerminationReason): Promise<Verified | null> {
    const { checks, unchecked } = this.ports;
    if (checks === undefined) return unchecked === undefined ? null : unverified(unchecked);
    const certificate = this.strategy.certificate?.() ?? null;
    const verified = await checks.finish({
      points: this.endPoints(),
      bound: certificate === null ? null : this.sign * certificate.bound,
      elapsedMs: this.elapsedSeconds() * 1000,
      isCancelled: reason === 'cancelled',
    });
    await this.stopIfMisread();
    return verified;
  }

  /** The best point, or those of the front. */
  private endPoints(): readonly EndPoint[] {
    if (this.front === null) {
      if (!this.best.isKnown) return [];
      return [{ order: this.lastImprovement, x: this.best.solution, values: [this.sign * this.best.fitness] }];
    }
    const { points = [] } = this.front.result() ?? {};
    const step = Math.max(1, points.length / CHECKED_FRONT);
    return Array.from({ length: Math.min(points.length, CHECKED_FRONT) }, (_, k) => {
      const { solution, values } = points[Math.floor(k * step)];
      return { order: this.evaluations + 1 + k, x: Float64Array.from(solution), values };
    });
  }

  private settleChecks(): Promise<void> | undefined {
    return this.ports.checks?.settle();
  }

  /** Whether the time was up before the first evaluation. */
  private isLate(): boolean {
    const { timeoutSeconds = Infinity } = this.task;
    return this.evaluations === 0 && this.elapsedSeconds() >= timeoutSeconds && !this.ports.isCancelled();
  }

  /** One value, so that the run has not been for nothing: where the search would begin, or of the centre of the box. */
  private async evaluateFirst(): Promise<void> {
    const { bounds, initialSolution } = this.task;
    const candidates = Float64Array.from(initialSolution ?? bounds.map(([low, high]) => low + 0.5 * (high - low)));
    this.graceSeconds = FIRST_EVALUATION_SECONDS + this.elapsedSeconds();
    await this.evaluateBatch({ candidates, count: 1, dimension: bounds.length });
    this.graceSeconds = 0;
  }

  /** One ask, evaluate, tell; does nothing when the evaluation was interrupted. */
  private async generation(): Promise<void> {
    const asked = this.strategy.ask();
    const room = this.searchEnd - this.evaluations;
    const isCut = asked.count > room;
    const batch = isCut ? { ...asked, count: room } : asked;
    const results = await this.evaluateBatch(batch);
    if (results === null) return;
    this.strategy.tell(results);
    this.isCut = isCut;
    const change = this.strategy.change?.() ?? null;
    if (change === null || change.number === this.lastChange) return;
    this.lastChange = change.number;
    this.ports.onStrategyChanged?.(change);
  }

  /** Results of all rows, counted; null: the evaluation was interrupted. Valid until the next call. */
  private async evaluateBatch(batch: CandidateBatch): Promise<Float64Array | null> {
    const before = this.ports.now();
    let results: Float64Array;
    try {
      const { reading = 'value' } = batch;
      if (this.front !== null) results = await this.evaluateAll(batch, this.front);
      else results = reading === 'value' ? await this.evaluate(batch) : await this.read(batch, reading);
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
      return null;
    }
    this.evaluatingMs += this.ports.now() - before;
    return results;
  }

  /** The fitness of each row. */
  private async evaluate(batch: CandidateBatch): Promise<Float64Array> {
    const { count } = batch;
    const values = await this.evaluator.evaluate(batch, this.abort.signal);
    if (this.fitness.length !== count) this.fitness = new Float64Array(count);
    const first = this.evaluations + 1;
    const anyFailed = this.evaluator.failedRows > 0;
    for (let i = 0; i < count; i++) {
      const failure = anyFailed ? this.evaluator.failure(i) : null;
      this.fitness[i] = this.judge(batch, i, failure ?? this.sign * values[i]);
    }
    await this.note(batch, first, values);
    return this.fitness;
  }

  /** Tells the checks what the evaluator has just valued. */
  private note(batch: CandidateBatch, first: number, values: Float64Array): Promise<void> | null | undefined {
    return this.ports.checks?.note(batch, first, values, (row) => this.evaluator.isOfPrimaryAlone(row));
  }

  /** All values of each row, minimised, [count, objectives]. */
  private async evaluateAll(batch: CandidateBatch, front: FrontRun): Promise<Float64Array> {
    const { count } = batch;
    const k = front.objectives;
    const values = await this.evaluator.evaluate(batch, this.abort.signal);
    const told = new Float64Array(count * k);
    const first = this.evaluations + 1;
    for (let i = 0; i < count; i++) {
      this.evaluations++;
      const failure = this.evaluator.failure(i);
      const own = told.subarray(i * k, (i + 1) * k);
      if (failure !== null) {
        this.noteFailure(failure);
        own.fill(Infinity);
        continue;
      }
      for (let j = 0; j < k; j++) own[j] = this.sign * values[i * k + j];
      if (own.every(Number.isFinite)) front.add(batch, i, own, this.evaluations);
      else own.fill(Infinity);
    }
    await this.note(batch, first, values);
    if (!front.measure(this.evaluations)) return told;
    this.lastImprovement = front.improvedAt;
    this.history.add({
      evaluations: front.improvedAt,
      bestFitness: front.hypervolume,
      elapsedSeconds: this.elapsedSeconds(),
    });
    return told;
  }

  /** All results of each row, of derived programs. A candidate that has none is evaluated as any other. */
  private async read(batch: CandidateBatch, reading: DerivedReading): Promise<Float64Array> {
    const { count, candidates, dimension: n } = batch;
    const results = await this.reader.read(batch, reading, this.abort.signal);
    if (!isValued(reading)) {
      this.evaluations += count;
      if (reading === 'bounds') await this.ports.checks?.noteBoxes(batch, this.evaluations - count + 1);
      return results;
    }
    const width = results.length / count;
    // Judged when all is there: an evaluation that is interrupted has not happened.
    const judged: (number | EvaluationFailure)[] = [];
    const own = new Float64Array(count);
    const isCompiled: boolean[] = [];
    for (let i = 0; i < count; i++) {
      let value: number | EvaluationFailure = results[i * width];
      const isAlone = value !== value;
      if (isAlone) value = await this.evaluateAlone(candidates.subarray(i * n, (i + 1) * n));
      judged.push(value);
      isCompiled.push(!isAlone || this.evaluator.isOfPrimaryAlone(0));
      own[i] = typeof value === 'number' ? this.sign * value : NaN;
    }
    const first = this.evaluations + 1;
    judged.forEach((value, i) => (results[i * width] = this.judge(batch, i, value)));
    await this.ports.checks?.note({ candidates, count, dimension: n }, first, own, (row) => isCompiled[row]);
    return results;
  }

  private async evaluateAlone(candidate: Float64Array): Promise<number | EvaluationFailure> {
    const batch = { candidates: candidate, count: 1, dimension: candidate.length };
    const values = await this.evaluator.evaluate(batch, this.abort.signal);
    return this.evaluator.failure(0) ?? this.sign * values[0];
  }

  /** Turns the result of an evaluation into fitness; counts evaluations and failures and keeps the best. */
  private judge(batch: CandidateBatch, row: number, own: number | EvaluationFailure): number {
    this.evaluations++;
    if (typeof own !== 'number') {
      this.noteFailure(own);
      return Infinity;
    }
    if (own === -Infinity) return Infinity;
    if (this.best.offer(own, batch.candidates, row * batch.dimension)) this.noteImprovement(own);
    return own;
  }

  private noteFailure(failure: EvaluationFailure): void {
    if (this.failedEvaluations === this.evaluations - 1) this.leadingFailures++;
    this.failedEvaluations++;
    if (this.failures.length < KEPT_FAILURES) this.failures.push(failure);
  }

  private noteImprovement(fitness: number): void {
    this.lastImprovement = this.evaluations;
    this.history.add({
      evaluations: this.evaluations,
      bestFitness: this.sign * fitness,
      elapsedSeconds: this.elapsedSeconds(),
    });
  }

  /** Reason to end the run now, the most telling one first; null to go on. */
  private endReason(): TerminationReason | null {
    const { task } = this;
    if (this.leadingFailures >= Math.min(HOPELESS_EVALUATIONS, this.searchEnd)) return 'error';
    if (task.targetFitness !== undefined && this.best.fitness <= this.sign * task.targetFitness) return 'target';
    if (this.isOptimal()) return 'optimal';
    if (this.evaluations >= this.searchEnd) return 'budget';
    this.pollStop();
    if (this.stopRequest !== null) return this.stopRequest;
    // What follows is asked between generations only.
    if (this.isCut) return null;
    const { stagnationEvaluations } = task;
    if (stagnationEvaluations !== undefined && this.evaluations - this.lastImprovement >= stagnationEvaluations) {
      return 'stagnated';
    }
    return this.hasConverged() ? 'converged' : null;
  }

  /**
   * The experiment around the best point, where the task wants one and there is such a point. Returns what ended the run:
   * `reason`, or what ended the experiment.
   */
  private async explore(reason: TerminationReason): Promise<TerminationReason> {
    const isDone = reason === 'cancelled' || reason === 'timeout' || reason === 'error';
    const isPlanned = this.searchEnd < this.task.maxEvaluations;
    const begun = this.experiment?.snapshot ?? this.beginExperiment();
    if (isDone || !isPlanned || begun === null) return reason;
    const n = this.task.bounds.length;
    let snapshot: ExperimentSnapshot = {
      maxEvaluations: this.task.maxEvaluations,
      fromEvaluation: this.evaluations,
      reason,
      answers: encodeFloats(new Float64Array(0)),
      ...begun,
    };
    const answers = Array.from(decodeFloats(snapshot.answers, Buffer.from(snapshot.answers, 'base64').byteLength / 8));
    this.experiment = { snapshot, result: null };
    const centre = this.front?.centre(snapshot) ?? plainCentre(decodeFloats(snapshot.centre, n), snapshot.centreValue);
    const course = experimentAround(centre, this.task, snapshot.fromEvaluation);
    const width = this.front?.objectives ?? 1;
    let told = 0;
    let step = course.next();
    while (step.done !== true) {
      const rows = step.value;
      const count = rows.length / n;
      if (told + count * width > answers.length) {
        this.pollStop();
        if (this.stopRequest !== null) return this.stopRequest;
        const values = await this.evaluateBatch({ candidates: rows, count, dimension: n });
        await this.stopIfMisread();
        if (values === null) return this.stopRequest ?? reason;
        answers.push(...values.map((fitness) => this.sign * fitness));
        snapshot = { ...snapshot, answers: encodeFloats(Float64Array.from(answers)) };
        this.experiment = { snapshot, result: null };
        await this.report();
      }
      step = course.next(Float64Array.from(answers.slice(told, told + count * width)));
      told += count * width;
    }
    this.experiment = { snapshot, result: step.value };
    return reason;
  }

  /** Where the experiment is to be; null where no finite value is known. */
  private beginExperiment(): Pick<ExperimentSnapshot, 'centre' | 'centreValue' | 'several'> | null {
    if (this.front !== null) return this.front.beginExperiment();
    if (!this.best.isKnown) return null;
    return { centre: encodeFloats(this.best.solution), centreValue: this.sign * this.best.fitness };
  }

  private isOptimal(): boolean {
    const certificate = this.strategy.certificate?.() ?? null;
    return certificate !== null && isProven(this.best.fitness, certificate.bound);
  }

  private optimality({ bound, proof }: Certificate): Optimality {
    const { sign } = this;
    const bestFitness = this.best.fitness;
    // A value that another interpreter gave, or fast mathematics, may lie beyond.
    const best = Math.min(bound, bestFitness);
    return {
      status: isProven(bestFitness, bound) ? 'optimal' : 'feasible',
      bound: sign * best,
      gap: bestFitness < Infinity ? bestFitness - best : null,
      proof,
    };
  }

  private hasConverged(): boolean {
    if (this.strategy.stop() === null) return false;
    switch (this.task.mode) {
      case 'fast':
        return true;
      case 'balanced':
        return !this.factory.capabilities.restarts;
      case 'accurate':
        return false;
    }
  }

  private pollStop(): void {
    if (this.stopRequest !== null) return;
    const { timeoutSeconds } = this.task;
    if (this.ports.isCancelled()) this.stopRequest = 'cancelled';
    else if (timeoutSeconds !== undefined && this.elapsedSeconds() >= timeoutSeconds + this.graceSeconds) {
      this.stopRequest = 'timeout';
    }
    const isMisread = (this.ports.checks?.misreading ?? null) !== null;
    if (this.stopRequest !== null || isMisread) this.abort.abort();
  }

  private async report(): Promise<void> {
    const { ports } = this;
    const now = ports.now();
    if (ports.onProgress && now - this.lastProgressAt >= (ports.progressIntervalMs ?? DEFAULT_PROGRESS_INTERVAL_MS)) {
      this.lastProgressAt = now;
      ports.onProgress(this.progress());
    }
    const checkpointInterval = ports.checkpointIntervalMs ?? DEFAULT_CHECKPOINT_INTERVAL_MS;
    if (ports.checkpoint && now - this.lastCheckpointAt >= checkpointInterval) {
      this.lastCheckpointAt = now;
      await this.settleChecks();
      ports.checkpoint(this.snapshot());
    }
    // Kernels that compute within the call leave the event loop no turn: timers and messages would starve.
    if (now - this.lastTurnAt >= POLL_INTERVAL_MS) {
      this.lastTurnAt = now;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  private elapsedSeconds(): number {
    return this.earlierSeconds + (this.ports.now() - this.startedAt) / 1000;
  }

  private bestFound(): Pick<RunProgress, 'bestSolution' | 'bestFitness'> {
    if (this.front !== null) return { bestSolution: this.front.knee(), bestFitness: null };
    return this.best.isKnown
      ? { bestSolution: Array.from(this.best.solution), bestFitness: this.sign * this.best.fitness }
      : { bestSolution: null, bestFitness: null };
  }

  private progress(): RunProgress {
    const { front } = this;
    return {
      evaluations: this.evaluations,
      ...this.bestFound(),
      ...(front?.isMeasured !== true ? {} : { hypervolume: front.hypervolume }),
      elapsedSeconds: this.elapsedSeconds(),
    };
  }

  snapshot(): RunSnapshot {
    const { bestFitness } = this.bestFound();
    return {
      version: RUN_SNAPSHOT_VERSION,
      strategy: { name: this.factory.name, state: this.strategy.snapshot() },
      evaluations: this.evaluations,
      failedEvaluations: this.failedEvaluations,
      leadingFailures: this.leadingFailures,
      failures: this.failures.slice(),
      best: bestFitness === null ? null : { solution: encodeFloats(this.best.solution), value: bestFitness },
      ...(this.front === null ? {} : { front: this.front.snapshot() }),
      lastImprovement: this.lastImprovement,
      ...(this.isCut ? { isCut: true } : {}),
      history: this.history.toArray(),
      ...(this.experimented === 0 ? {} : { experimented: this.experimented }),
      ...(this.experiment === null ? {} : { experiment: this.experiment.snapshot }),
      elapsedSeconds: this.elapsedSeconds(),
      evaluator: this.evaluator.state(),
      readings: this.reader.evaluations(),
      ...this.checksSoFar(),
      ...(this.ports.readingAllowance === undefined ? {} : { reading: this.ports.readingAllowance }),
    };
  }

  private checksSoFar(): Pick<RunSnapshot, 'checks' | 'misread'> {
    const { checks, misread } = this.ports;
    const state = this.checksOfSearch ?? checks?.state();
    return { ...(state === undefined ? {} : { checks: state }), ...(misread === undefined ? {} : { misread }) };
  }

  private outcome(terminationReason: TerminationReason, verified: Verified | null): RunOutcome {
    const kernel = this.evaluator.kernel;
    const { moveReason } = this.evaluator.state();
    const { backendReason } = this.ports;
    const best = this.bestFound();
    const planning = this.strategy.planning?.() ?? null;
    const certificate = this.strategy.certificate?.() ?? null;
    const history = this.history.toArray();
    const convergence = convergenceOf(history);
    const experiment = this.experiment?.result ?? null;
    const front = this.front?.result() ?? null;
    const noValue = whyNoValue({ terminationReason, evaluations: this.evaluations, ...best });
    return {
      terminationReason,
      ...best,
      ...(front === null ? {} : { front }),
      evaluations: this.evaluations,
      failedEvaluations: this.failedEvaluations,
      failures: this.failures.slice(),
      durationSeconds: this.elapsedSeconds(),
      history,
      strategies: this.phases(best.bestFitness),
      ...(planning === null ? {} : { planning }),
      ...(certificate === null ? {} : { optimality: this.optimality(certificate) }),
      ...(convergence === undefined ? {} : { convergence }),
      ...(experiment === null ? {} : { experiment }),
      ...(verified === null ? {} : { verified }),
      backend: {
        name: kernel.backend,
        device: kernel.device,
        reason: reasonAtEnd(backendReason, moveReason),
        evaluationsPerSecond:
          this.evaluatingMs > 0 ? ((this.evaluations - this.evaluationsBefore) / this.evaluatingMs) * 1000 : 0,
        use: this.evaluator.use(),
        readings: this.reader.evaluations(),
        nativeCode: this.ports.primary.nativeCode ?? null,
      },
      ...(noValue === null ? {} : { error: { message: noValue } }),
      ...(terminationReason === 'error' ? { error: { message: this.hopelessMessage() } } : {}),
    };
  }

  private phases(bestFitness: number | null): RunOutcome['strategies'] {
    const phases = this.strategy.phases?.() ?? [];
    if (phases.length > 0) {
      return phases.map((phase) => ({
        ...phase,
        bestFitness: phase.bestFitness === null ? null : this.sign * phase.bestFitness,
      }));
    }
    const toEvaluation = this.experiment?.snapshot.fromEvaluation ?? this.evaluations;
    const unplanned = this.front === null ? 'the default without planning' : 'the default for several objectives';
    const reason = this.task.strategy === undefined ? unplanned : 'asked for in the request';
    return [{ name: this.factory.name, reason, fromEvaluation: 0, toEvaluation, bestFitness }];
  }

  private hopelessMessage(): string {
    const first = this.failures[0];
    const place = first.line > 0 ? ` (line ${first.line})` : '';
    return `${first.type}: ${first.message}${place}; all of the first ${this.leadingFailures} evaluations failed`;
  }
}

export function chooseStrategy(task: RunTask, strategies: readonly StrategyFactory[]): StrategyFactory {
  const { strategy: name, objectives = 1 } = task;
  const factory = strategies.find((strategy) =>
    name === undefined
      ? suits(strategy.capabilities, { objectives }) &&
        (task.isPlanned !== false || strategy.capabilities.plans !== true)
      : strategy.name === name,
  );
  if (factory !== undefined) {
    requireSuitable(factory, { objectives });
    return factory;
  }
  const known = strategies.map((strategy) => strategy.name).join(', ');
  throw new ExtremumError('invalid_request', `strategy "${name}" is unknown; known: ${known}`, { field: 'strategy' });
}

/** @throws {ExtremumError} `invalid_request`: the strategy does not suit the task. */
export function requireSuitable({ name, capabilities }: StrategyFactory, task: SearchedTask): void {
  const why = unsuitability(capabilities, task);
  if (why !== null) throw new ExtremumError('invalid_request', `strategy "${name}" ${why}`, { field: 'strategy' });
}

/** A task as a strategy is told of it. */
export function strategyProblem(
  task: RunTask,
  budgetEvaluations: number,
  { program = null, knowledge, starts }: Pick<RunPorts, 'program' | 'knowledge' | 'starts'>,
): StrategyProblem {
  return {
    bounds: {
      lower: Float64Array.from(task.bounds, ([low]) => low),
      upper: Float64Array.from(task.bounds, ([, high]) => high),
    },
    seed: task.seed,
    budgetEvaluations,
    mode: task.mode,
    ...(task.objectives === undefined ? {} : { objectives: task.objectives }),
    ...(task.initialSolution === undefined ? {} : { initialSolution: task.initialSolution }),
    ...(program === null ? {} : { program }),
    ...(knowledge === undefined ? {} : { knowledge }),
    ...(starts === undefined ? {} : { starts }),
  };
}

function checkVersion(snapshot: RunSnapshot): void {
  if (snapshot.version !== RUN_SNAPSHOT_VERSION) {
    throw new ExtremumError(
      'internal_error',
      `run snapshot version ${snapshot.version} cannot be read; this build reads ${RUN_SNAPSHOT_VERSION}`,
    );
  }
}

function checkStrategy(snapshot: RunSnapshot, strategyName: string): void {
  if (snapshot.strategy.name !== strategyName) {
    throw new ExtremumError(
      'internal_error',
      `the snapshot belongs to strategy ${snapshot.strategy.name}, the task asks for ${strategyName}`,
    );
  }
}
