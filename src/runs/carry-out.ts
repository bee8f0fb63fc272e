/**
 * Carries out one run in a worker thread, wholly: from compilation to outcome. Nothing is thrown at the pool, because
 * failures are data.
 */
import { ExtremumError } from '../common/errors.js';
import { MisreadFound, repeatOptimization, runOptimization, type Repetition } from '../engine/run-optimization.js';
import { chooseStrategy } from '../engine/chosen-strategy.js';
import type { RunSnapshot } from '../engine/snapshot.js';
import { LATE, withKernels, type Kernels } from '../evaluation/kernels.js';
import { difference, takeMeasures } from '../evaluation/measures.js';
import { readingAllowance, UNLIMITED, type ReadingAllowance } from '../evaluation/reading-allowance.js';
import { WorkInterrupted } from '../evaluation/work-interrupted.js';
import type { IrFunction } from '../ir/types.js';
import type { EvaluationUse, RunOutcome } from '../model/run-task.js';
import type { Misreading } from '../model/verification.js';
import { strategies } from '../planner/all-strategies.js';
import { needsProgram } from '../strategies/suitability.js';
import {
  budgetsTo,
  decodeStart,
  encodeStart,
  hasSameEnd,
  isEndKept,
  isOfCompiledCode,
  isRecipe,
  type Recipe,
} from './extension.js';
import { openLog } from './evaluation-log/open-log.js';
import { GaugeWriter } from './gauges.js';
import { REPORT_INTERVAL_MS, RunReports } from './run-reports.js';
import { ThreadMeter } from './thread-meter.js';
import { CONTROL_CELLS, Control, failureOf, type RunJob, type RunResult } from './worker-protocol.js';

/** The largest state that is kept of a run that its budget ended (docs/adr/0016-service-records.md). */
const END_STATE_BYTES = 4_000_000;

export async function carryOut(job: RunJob): Promise<RunResult> {
  const meter = new ThreadMeter();
  const gauges = job.gauges === undefined ? null : new GaugeWriter(job.gauges);
  const startedAt = performance.now();
  try {
    const stop = job.control.subarray(CONTROL_CELLS.Stop, CONTROL_CELLS.Stop + 1);
    const { bounds } = job.task;
    const box = { lower: Float64Array.from(bounds, ([lo]) => lo), upper: Float64Array.from(bounds, ([, hi]) => hi) };
    const plannedEvaluations = job.task.maxEvaluations;
    const { direction } = job.task;
    const begun = job.checkpoint === null ? undefined : decodeStart(job.checkpoint);
    const misread = job.misread ?? (begun !== undefined && !isRecipe(begun) ? begun.misread : undefined) ?? null;
    // A run does not go on from values of misread code.
    const start = begun !== undefined && misread !== null && isOfCompiledCode(begun) ? undefined : begun;
    const look = lookFor(job, startedAt);
    const allowance = (ir: IrFunction): ReadingAllowance => allowanceOf(job, start, ir);
    const asked = { plannedEvaluations, direction, look, allowance, seed: job.task.seed };
    const request = { ...job, misread, dimension: bounds.length, bounds: box, stop, ...asked };
    const { result, use } = await withKernels(request, (kernels) =>
      optimize({ job, start, misread, kernels, meter, gauges, startedAt }),
    );
    return { ...result, usage: meter.usage(), measures: takeMeasures(use) };
  } catch (error) {
    if (error instanceof WorkInterrupted) {
      const { why } = error;
      const spent = { usage: meter.usage(), measures: takeMeasures() };
      if (why === 'suspended') return { kind: 'suspended', report: null, ...spent };
      return { kind: 'unbegun', why, ...spent };
    }
    return { ...failureOf(error), usage: meter.usage(), measures: takeMeasures() };
  } finally {
    job.reports.close();
  }
}

/**
 * Compiling and reading end where the run does. One that goes on from a checkpoint is ended by the engine, which has
 * its best.
 */
function lookFor({ control, task, checkpoint, earlierSeconds = 0 }: RunJob, startedAt: number): () => void {
  const { timeoutSeconds = Infinity } = task;
  return () => {
    const wanted = Atomics.load(control, CONTROL_CELLS.Control);
    if (checkpoint !== null) return;
    if (wanted !== Control.GoOn) throw new WorkInterrupted(wanted === Control.Suspend ? 'suspended' : 'cancelled');
    if (earlierSeconds + (performance.now() - startedAt) / 1000 >= timeoutSeconds) throw new WorkInterrupted('timeout');
  };
}

/** How much a run may read: decided when it begins. */
function allowanceOf({ task }: RunJob, start: RunSnapshot | Recipe | undefined, ir: IrFunction): ReadingAllowance {
  if (start !== undefined && !isRecipe(start)) return start.reading ?? UNLIMITED;
  const { capabilities } = chooseStrategy(task, strategies);
  // Asked for by name: it can do nothing else.
  if (needsProgram(capabilities)) return UNLIMITED;
  return readingAllowance(ir, { ...task, maxEvaluations: start?.budgets[0] ?? task.maxEvaluations });
}

type Unmeasured = RunResult extends infer R ? (R extends RunResult ? Omit<R, 'usage'> : never) : never;

async function optimize({
  job,
  start,
  misread,
  kernels,
  meter,
  gauges,
  startedAt,
}: {
  readonly job: RunJob;
  readonly start: RunSnapshot | Recipe | undefined;
  readonly misread: Misreading | null;
  readonly kernels: Kernels;
  readonly meter: ThreadMeter;
  /** Null: nobody watches. */
  readonly gauges: GaugeWriter | null;
  /** Milliseconds, monotonic. */
  readonly startedAt: number;
}): Promise<{ readonly result: Unmeasured; readonly use: EvaluationUse }> {
  const control = (): number => Atomics.load(job.control, CONTROL_CELLS.Control);
  meter.kernel = kernels.primary;
  const begun = {
    strategy: chooseStrategy(job.task, strategies).name,
    // Read when a report is made: a kernel of another thread has its name once it has evaluated.
    get backend() {
      return kernels.primary.backend;
    },
  };
  const reports = new RunReports(job.reports, begun, meter, {
    counted: start === undefined || isRecipe(start) ? undefined : start.evaluator.use,
    isSoon: job.reportsSoon === true,
  });
  const { checker, unchecked, ...opened } = kernels;
  const environment = {
    ...opened,
    ...(checker === null ? { unchecked } : { checks: checker }),
    misread: misread ?? undefined,
    earlierSeconds: job.earlierSeconds,
    knowledge: job.knowledge ?? undefined,
    starts: job.starts ?? undefined,
    strategies,
    now: () => performance.now(),
    startedAt,
    isCancelled: () => control() !== Control.GoOn,
    progressIntervalMs: REPORT_INTERVAL_MS,
    ...(gauges === null ? {} : { onTurn: gauges.count.bind(gauges) }),
  };
  const { bounds, objectives = 1 } = job.task;
  const log = job.log === undefined ? undefined : openLog(job.log, bounds.length, objectives);
  const ports = {
    ...environment,
    log,
    onProgress: reports.progress.bind(reports),
    onStrategyChanged: reports.changed.bind(reports),
    get progressIntervalMs() {
      return reports.intervalMs;
    },
    get checkpointIntervalMs() {
      return reports.checkpointIntervalMs;
    },
    checkpoint: reports.checkpoint.bind(reports),
  };
  let reading = kernels.reading;
  const goOn = async (resumeFrom?: RunSnapshot): Promise<RunOutcome> => {
    try {
      if (reading?.isLate !== true) return await runOptimization(job.task, ports, resumeFrom);
    } catch (error) {
      if (!(error instanceof WorkInterrupted) || error.why !== 'timeout') throw error;
      reading = { findings: LATE, isLate: true };
    }
    // Its time is up: all that is left is a value.
    const { strategy: _asked, ...task } = job.task;
    return runOptimization(task, { ...ports, program: null });
  };
  let outcome: RunOutcome;
  try {
    if (start !== undefined && isRecipe(start)) {
      const again = await repeatOptimization(job.task, start.budgets, {
        ...environment,
        onProgress: () => reports.send(start.end),
      });
      outcome = await afterRepetition(start, again, goOn);
    } else outcome = await goOn(start);
  } catch (error) {
    if (!(error instanceof MisreadFound)) throw error;
    const { misreading, elapsedSeconds } = error;
    // Its evaluations count in metrics, which count work.
    return { result: { kind: 'misread', misreading, begun, elapsedSeconds }, use: difference() };
  } finally {
    log?.close();
  }
  const use = reports.uncounted(outcome.backend.use);
  if (outcome.terminationReason === 'cancelled' && control() === Control.Suspend) {
    return { result: { kind: 'suspended', report: reports.atEnd(outcome) }, use };
  }
  const dimension = job.task.bounds.length;
  const backend = {
    ...outcome.backend,
    notCompiled: kernels.notCompiled,
    analysis: reading === null ? undefined : { dimension, findings: reading.findings },
  };
  // A run that reads its program could not go on from one that did not.
  const extendable = reading?.isLate === true ? {} : endState(job, outcome, reports.last);
  const ended = { kind: 'ended' as const, outcome: { ...outcome, backend }, begun, ...extendable };
  const { changes } = reports;
  const defects = { checkDefect: checker?.defect ?? undefined, logFailure: log?.failure ?? undefined };
  return { result: { ...ended, ...defects, changes }, use };
}

/** Goes on from where the run before has ended, as if its state had been kept. */
async function afterRepetition(
  { end, history }: Recipe,
  { outcome, snapshot }: Repetition,
  goOn: (from: RunSnapshot) => Promise<RunOutcome>,
): Promise<RunOutcome> {
  const { elapsedSeconds, ...best } = end;
  if (outcome.terminationReason === 'cancelled') {
    return { ...outcome, ...best, durationSeconds: elapsedSeconds, history };
  }
  if (hasSameEnd(outcome, end)) return goOn({ ...snapshot, elapsedSeconds, history });
  const message =
    'The run that is extended does not end at the same point again: it was carried out by another version of the service, ' +
    'or what it had learned from has been deleted.';
  throw new ExtremumError('conflict', message);
}

/** Nothing of an end at the budget where it is soon made again, or would take too much room. */
function endState(
  job: RunJob,
  outcome: RunOutcome,
  snapshot: RunSnapshot | null,
): { readonly extendable?: Uint8Array } {
  const { task, math, precision, extension, keepsTimeout = false } = job;
  if (snapshot === null) return {};
  if (outcome.terminationReason === 'timeout' && keepsTimeout) return { extendable: encodeStart(snapshot) };
  if (outcome.terminationReason !== 'budget') return {};
  const budgets = budgetsTo({ task, math, precision, extension: extension ?? undefined }, outcome.backend);
  if (!isEndKept(budgets, outcome.durationSeconds)) return {};
  const extendable = encodeStart(snapshot);
  return extendable.byteLength <= END_STATE_BYTES ? { extendable } : {};
}
