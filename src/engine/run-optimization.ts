/**
 * Carries out one run: ask -> evaluate -> tell until something ends it. This file owns the order of things and the ends
 * of a run; it knows contracts only. Start with `runOptimization`. Beside it: what a run has found (`run-tally.ts`),
 * evaluations (`evaluations.ts`), time and cancellation (`run-limits.ts`), the experiment at the end
 * (`exploration.ts`).
 */
import { ExtremumError } from '../common/errors.js';
import { isProven } from '../model/certificate.js';
import type { RunOutcome, RunTask, TerminationReason } from '../model/run-task.js';
import { unverified, type CheckState, type Misreading, type Verified } from '../model/verification.js';
import { sideBySide } from '../strategies/side-by-side.js';
import type { Strategy, StrategyFactory, StrategySnapshot } from '../strategies/strategy.js';
import { Evaluations } from './evaluations.js';
import { Exploration } from './exploration.js';
import { ResidentGenerations } from './resident-generations.js';
import { RunLimits } from './run-limits.js';
import { outcomeOf } from './outcome.js';
import type { RunPorts } from './ports.js';
import { RUN_SNAPSHOT_VERSION, type RunSnapshot } from './snapshot.js';
import { chooseStrategy, requireSuitable, strategyProblem } from './chosen-strategy.js';
import { RunTally } from './run-tally.js';

const DEFAULT_PROGRESS_INTERVAL_MS = 200;
const DEFAULT_CHECKPOINT_INTERVAL_MS = 1000;
/** How often a pending evaluation is checked for cancellation and time-out, and a busy run lets the event loop turn. */
const POLL_INTERVAL_MS = 50;

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
 * Ends: `budget`, `target`, `timeout`, `cancelled`, `stagnated` as the task says; `optimal` when the strategy has
 * proven the best value; `converged` in mode `fast` at the strategy's first stop reason, in mode `balanced` when the
 * strategy has stopped and does not restart, and in every mode when a proof does not stand (`Checks.isDoubtful`);
 * `error` when the first 50 evaluations (or the whole budget) all failed. Kernels stay open.
 *
 * @throws {ExtremumError} `invalid_request` for an unknown strategy; whatever code a kernel rejects with: the caller
 * decides
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
 * Carries out again, without a limit of time, what led to the end of a run: with each of the growing `budgets` in turn,
 * as if it had been extended from one to the next. Ends early where an outcome is not `budget`.
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
  private readonly limits: RunLimits;
  private readonly tally: RunTally;
  private readonly evaluations: Evaluations;
  private readonly exploration: Exploration;
  /** Null: the strategy's generations do not leave it. */
  private readonly resident: ResidentGenerations | null;
  /** Evaluations before this attempt. */
  private readonly evaluationsBefore: number;
  /** Candidates asked for at once. */
  private readonly width: number | undefined;

  /** The rest of a generation that a smaller budget cut is yet to come. */
  private isCut: boolean;
  /** Number of the latest `strategy.changed`. */
  private lastChange = 0;
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
    this.factory = sideBySide(chooseStrategy(task, ports.strategies));
    // Requests were held to the largest dimension; a domain that chooses for itself may take the time.
    const view = ports.program ?? null;
    requireSuitable(this.factory, { program: view === null ? null : { n: task.bounds.length, view } });
    if (snapshot !== undefined) requireReadable(snapshot, this.factory);
    this.lastProgressAt = this.lastCheckpointAt = this.lastTurnAt = ports.now();
    const earlierSeconds = snapshot?.elapsedSeconds ?? ports.earlierSeconds ?? 0;
    this.limits = new RunLimits(task, ports, ports.startedAt ?? this.lastProgressAt, earlierSeconds);
    this.tally = new RunTally(task, () => this.limits.elapsedSeconds(), snapshot);
    this.evaluations = new Evaluations(ports, this.tally, this.limits.signal, snapshot);
    this.exploration = new Exploration(task, this.tally, snapshot);
    this.evaluationsBefore = snapshot?.evaluations ?? 0;
    this.isCut = snapshot?.isCut === true;
    this.width = snapshot === undefined ? ports.sideBySide : snapshot.sideBySide;
    const problem = strategyProblem(task, this.exploration.searchBudget, { ...ports, sideBySide: this.width });
    this.strategy =
      snapshot === undefined ? this.factory.create(problem) : this.factory.restore(problem, snapshot.strategy.state);
    const { strategy, tally, evaluations } = this;
    const { signal } = this.limits;
    const snapshotWith = async (state: StrategySnapshot): Promise<RunSnapshot> => {
      await this.settleChecks();
      return this.snapshotWith(state);
    };
    this.resident = ResidentGenerations.of({ strategy, ports, tally, evaluations, signal, snapshotWith });
    if (snapshot === undefined) return;
    this.lastChange = this.strategy.change?.()?.number ?? 0;
    if (snapshot.checks !== undefined) ports.checks?.restore(snapshot.checks);
  }

  async execute(): Promise<RunOutcome> {
    const poll = setInterval(() => this.limits.stopRequest(), POLL_INTERVAL_MS);
    this.tellCounts();
    try {
      if (this.tally.evaluations === 0 && this.limits.isLate()) await this.evaluateFirst();
      let reason = this.exploration.endOfSearch ?? this.endReason();
      while (reason === null) {
        await this.generation();
        await this.stopIfMisread();
        reason = this.endReason();
        if (reason === null) await this.report();
      }
      await this.resident?.leave();
      reason = await this.explore(reason);
      await this.settleChecks();
      this.checksOfSearch = this.ports.checks?.state() ?? null;
      this.ports.checkpoint?.(this.snapshot());
      const verified = await this.verify(reason);
      // What was proven holds for one kind of argument, and nobody can tell whether it is the right one.
      return this.outcome(reason === 'optimal' && this.isDoubtful ? 'converged' : reason, verified);
    } finally {
      this.tellCounts();
      clearInterval(poll);
      this.resident?.close();
      await this.evaluations.reader.close();
    }
  }

  private explore(reason: TerminationReason): Promise<TerminationReason> {
    return this.exploration.explore(reason, {
      evaluate: async (batch) => {
        const values = await this.evaluations.evaluate(batch);
        await this.stopIfMisread();
        return values;
      },
      stopRequest: () => this.limits.stopRequest(),
      report: () => this.report(),
    });
  }

  private async stopIfMisread(): Promise<void> {
    const { checks } = this.ports;
    if (checks === undefined || checks.misreading === null) return;
    throw new MisreadFound((await checks.earliest()) ?? checks.misreading, this.limits.elapsedSeconds());
  }

  /** Verdict of the checks on the values; they end with the search. */
  private async verify(reason: TerminationReason): Promise<Verified | null> {
    const { checks, unchecked } = this.ports;
    if (checks === undefined) return unchecked === undefined ? null : unverified(unchecked);
    const certificate = this.strategy.certificate?.() ?? null;
    const verified = await checks.finish({
      points: this.tally.endPoints(),
      bound: certificate === null ? null : this.tally.sign * certificate.bound,
      elapsedMs: this.limits.elapsedSeconds() * 1000,
      isCancelled: reason === 'cancelled',
    });
    await this.stopIfMisread();
    return verified;
  }

  private get isDoubtful(): boolean {
    return this.ports.checks?.isDoubtful === true;
  }

  private settleChecks(): Promise<void> | undefined {
    return this.ports.checks?.settle();
  }

  /** One value, so that the run has not been for nothing: where the search would begin, or of the centre of the box. */
  private async evaluateFirst(): Promise<void> {
    const { bounds, initialSolution } = this.task;
    const candidates = Float64Array.from(initialSolution ?? bounds.map(([low, high]) => low + 0.5 * (high - low)));
    await this.limits.withGrace(() => this.evaluations.evaluate({ candidates, count: 1, dimension: bounds.length }));
  }

  /** One ask, evaluate, tell, or two; does nothing more when an evaluation was interrupted. */
  private async generation(): Promise<void> {
    if ((await this.resident?.generation(this.room)) === true) {
      this.isCut = false;
      return;
    }
    do {
      const asked = this.strategy.ask();
      // To ask may take longer than the run has.
      if (this.tally.evaluations === 0 && this.limits.isLate()) return this.evaluateFirst();
      const { room } = this;
      const isCut = asked.count > room;
      const batch = isCut ? { ...asked, count: room } : asked;
      const results = await this.evaluations.evaluate(batch);
      if (results === null) return;
      this.strategy.tell(results);
      this.isCut = isCut || this.strategy.isWithinGeneration === true;
    } while (this.strategy.isWithinGeneration === true && this.room > 0);
    const change = this.strategy.change?.() ?? null;
    if (change === null || change.number === this.lastChange) return;
    this.lastChange = change.number;
    this.ports.onStrategyChanged?.(change);
  }

  /** Evaluations that are left for the search. */
  private get room(): number {
    return this.exploration.searchEnd - this.tally.evaluations;
  }

  /** Reason to end the run now, the most telling one first; null to go on. */
  private endReason(): TerminationReason | null {
    const { task, tally } = this;
    const { searchEnd } = this.exploration;
    if (tally.isHopeless(searchEnd)) return 'error';
    if (task.targetFitness !== undefined && tally.best.fitness <= tally.sign * task.targetFitness) return 'target';
    if (this.isOptimal()) return 'optimal';
    if (tally.evaluations >= searchEnd) return 'budget';
    const request = this.limits.stopRequest();
    if (request !== null) return request;
    // What follows is asked between generations only.
    if (this.isCut) return null;
    const { stagnationEvaluations } = task;
    if (stagnationEvaluations !== undefined && tally.evaluations - tally.lastImprovement >= stagnationEvaluations) {
      return 'stagnated';
    }
    return this.hasConverged() ? 'converged' : null;
  }

  private isOptimal(): boolean {
    const certificate = this.strategy.certificate?.() ?? null;
    return certificate !== null && isProven(this.tally.best.fitness, certificate.bound);
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

  private async report(): Promise<void> {
    const { ports } = this;
    const now = ports.now();
    if (ports.onProgress && now - this.lastProgressAt >= (ports.progressIntervalMs ?? DEFAULT_PROGRESS_INTERVAL_MS)) {
      this.lastProgressAt = now;
      ports.onProgress(this.tally.progress());
    }
    const checkpointInterval = ports.checkpointIntervalMs ?? DEFAULT_CHECKPOINT_INTERVAL_MS;
    if (ports.checkpoint && now - this.lastCheckpointAt >= checkpointInterval) {
      this.lastCheckpointAt = now;
      await this.settleChecks();
      await this.resident?.sync();
      ports.checkpoint(this.snapshot());
    }
    // Kernels that compute within the call leave the event loop no turn: timers and messages would starve.
    if (now - this.lastTurnAt >= POLL_INTERVAL_MS) {
      this.lastTurnAt = now;
      this.tellCounts();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  private tellCounts(): void {
    const { ports, tally, evaluations } = this;
    if (ports.onTurn === undefined) return;
    const { tiers } = evaluations.evaluator.use();
    ports.onTurn({ evaluations: tally.evaluations, tiers, confirmed: ports.checks?.confirmed ?? 0 });
  }

  snapshot(): RunSnapshot {
    return this.resident?.kept ?? this.snapshotWith(this.strategy.snapshot());
  }

  private snapshotWith(state: StrategySnapshot): RunSnapshot {
    const { evaluator, reader } = this.evaluations;
    return {
      version: RUN_SNAPSHOT_VERSION,
      strategy: { name: this.factory.name, state },
      ...this.tally.snapshot(),
      isCut: this.isCut ? true : undefined,
      sideBySide: this.width,
      history: this.tally.history.toArray(),
      ...this.exploration.snapshot(),
      elapsedSeconds: this.limits.elapsedSeconds(),
      evaluator: evaluator.state(),
      readings: reader.evaluations(),
      ...this.checksSoFar(),
      reading: this.ports.readingAllowance,
    };
  }

  private checksSoFar(): Pick<RunSnapshot, 'checks' | 'misread'> {
    const { checks, misread } = this.ports;
    const state = this.checksOfSearch ?? checks?.state();
    return { checks: state, misread };
  }

  private outcome(terminationReason: TerminationReason, verified: Verified | null): RunOutcome {
    const { task, ports, strategy, tally, evaluations, exploration, evaluationsBefore } = this;
    const elapsedSeconds = (): number => this.limits.elapsedSeconds();
    return outcomeOf(
      { task, ports, strategy, tally, evaluations, exploration, evaluationsBefore, elapsedSeconds },
      terminationReason,
      verified,
    );
  }
}

/** @throws {ExtremumError} `internal_error`: the snapshot is of another version, or of another strategy. */
function requireReadable({ version, strategy }: RunSnapshot, { name }: StrategyFactory): void {
  const message =
    version !== RUN_SNAPSHOT_VERSION
      ? `run snapshot version ${version} cannot be read; this build reads ${RUN_SNAPSHOT_VERSION}`
      : strategy.name !== name
        ? `the snapshot belongs to strategy ${strategy.name}, the task asks for ${name}`
        : null;
  if (message !== null) throw new ExtremumError('internal_error', message);
}
