/**
 * What runs in the worker threads: the functions that the pools call by name (see worker-protocol.ts). A composition
 * root of its own, because a thread shares no objects with the main thread: it names the concrete backends.
 *
 * Nothing is thrown at the pool: failures are data. A run is carried out wholly here, from compilation to outcome.
 */
import { analyzeProgram } from '../analysis/analyze-program.js';
import type { Kernel, Objective } from '../backends/backend.js';
import { BACKENDS } from '../backends/registry.js';
import { connectKernel } from '../backends/remote-kernel.js';
import { ExtremumError } from '../common/errors.js';
import { movable } from '../common/movable.js';
import { giveWay } from '../common/priority.js';
import { Evaluator } from '../engine/evaluator.js';
import { chooseStrategy, repeatOptimization, runOptimization, type Repetition } from '../engine/run-optimization.js';
import type { OpenProgram } from '../engine/ports.js';
import type { IrFunction } from '../ir/types.js';
import { strategies } from '../planner/registry.js';
import type { RunSnapshot } from '../engine/snapshot.js';
import {
  analyzeUpload,
  compileObjective,
  type CompileOptions,
  type CompileResult,
  type UploadAnalysis,
} from '../frontend/compile.js';
import type { Diagnostic } from '../frontend/diagnostic.js';
import { shapeOf } from '../frontend/shape.js';
import type { Bounds } from '../model/bounds.js';
import { resultsIn, type ObjectiveSource } from '../model/objective.js';
import type { ProgramFindings, ProgramStructure } from '../model/program-structure.js';
import type { Direction, EvaluationUse, RunOutcome, RunProgress, StrategyChange } from '../model/run-task.js';
import { optimizeIr } from '../passes/pipeline.js';
import { budgetsTo, decodeStart, encodeStart, hasSameEnd, isEndKept, isRecipe, type Recipe } from './extension.js';
import { difference, type Compilation, type Measures } from './metrics.js';
import { openProgram } from './open-program.js';
import { ThreadMeter } from './thread-meter.js';
import {
  CONTROL_CELLS,
  Control,
  type AnalysisJob,
  type AnalysisResult,
  type BackendProbe,
  type CompilesJob,
  type EvaluationJob,
  type EvaluationResult,
  type PythonAccess,
  type RunJob,
  type RunReport,
  type RunResult,
  type WorkerFailure,
} from './worker-protocol.js';

/** Python's version makes no difference to what is found. */
const ANALYSED_MINOR = 11;
const REPORT_INTERVAL_MS = 1_000;
giveWay();
/** A checkpoint of so many bytes is written every second at most, a larger one that much less often. */
const CHECKPOINT_BYTES_PER_SECOND = 1_000_000;
/** What is kept of a run that its budget ended; more is dropped (docs/adr/0016-service-records.md). */
const END_STATE_BYTES = 4_000_000;

export async function carryOut(job: RunJob): Promise<RunResult> {
  const meter = new ThreadMeter();
  try {
    const stop = job.control.subarray(CONTROL_CELLS.Stop, CONTROL_CELLS.Stop + 1);
    const { bounds } = job.task;
    const box = { lower: Float64Array.from(bounds, ([lo]) => lo), upper: Float64Array.from(bounds, ([, hi]) => hi) };
    const plannedEvaluations = job.task.maxEvaluations;
    const { direction } = job.task;
    const request = { ...job, dimension: bounds.length, bounds: box, stop, plannedEvaluations, direction };
    const { result, use } = await withKernels(request, (kernels) => optimize(job, kernels, meter));
    return { ...result, usage: meter.usage(), measures: measures(use) };
  } catch (error) {
    return { ...failureOf(error), usage: meter.usage(), measures: measures() };
  } finally {
    job.reports.close();
  }
}

type Unmeasured = RunResult extends infer R ? (R extends RunResult ? Omit<R, 'usage'> : never) : never;

async function optimize(
  job: RunJob,
  kernels: Kernels,
  meter: ThreadMeter,
): Promise<{ readonly result: Unmeasured; readonly use: EvaluationUse }> {
  const control = (): number => Atomics.load(job.control, CONTROL_CELLS.Control);
  let unreported: RunProgress | null = null;
  let last: RunSnapshot | null = null;
  const start = job.checkpoint === null ? undefined : decodeStart(job.checkpoint);
  let counted = start === undefined || isRecipe(start) ? undefined : start.evaluator.use;
  let checkpointIntervalMs = REPORT_INTERVAL_MS;
  let changes: StrategyChange[] = [];
  const begun = {
    strategy: chooseStrategy(job.task, strategies).name,
    // Read when a report is made: a kernel of another thread has its name once it has evaluated.
    get backend() {
      return kernels.primary.backend;
    },
  };
  const environment = {
    ...kernels,
    ...(job.knowledge === null ? {} : { knowledge: job.knowledge }),
    ...(job.starts === null ? {} : { starts: job.starts }),
    strategies,
    now: () => performance.now(),
    isCancelled: () => control() !== Control.GoOn,
    progressIntervalMs: REPORT_INTERVAL_MS,
  };
  const ports = {
    ...environment,
    onProgress: (progress: RunProgress) => {
      unreported = progress;
      // Else it goes with the checkpoint.
      if (checkpointIntervalMs === REPORT_INTERVAL_MS) return;
      const report: RunReport = { progress, begun, usage: meter.usage(), changes: [] };
      job.reports.postMessage(report);
    },
    onStrategyChanged: (change: StrategyChange) => {
      changes.push(change);
    },
    get checkpointIntervalMs() {
      return checkpointIntervalMs;
    },
    checkpoint: (snapshot: RunSnapshot) => {
      last = snapshot;
      // The engine's call at the end comes without progress: its outcome follows.
      if (unreported === null) return;
      const use = difference(snapshot.evaluator.use, counted);
      counted = snapshot.evaluator.use;
      const { history } = snapshot;
      const checkpoint = encodeStart(snapshot);
      const report: RunReport = {
        progress: unreported,
        history,
        checkpoint,
        use,
        begun,
        usage: meter.usage(),
        changes,
      };
      unreported = null;
      changes = [];
      const seconds = checkpoint.byteLength / CHECKPOINT_BYTES_PER_SECOND;
      job.reports.postMessage(report, movable(checkpoint));
      checkpointIntervalMs = Math.max(REPORT_INTERVAL_MS, seconds * 1_000);
    },
  };
  const goOn = (resumeFrom?: RunSnapshot): Promise<RunOutcome> => runOptimization(job.task, ports, resumeFrom);
  let outcome: RunOutcome;
  if (start !== undefined && isRecipe(start)) {
    const again = await repeatOptimization(job.task, start.budgets, {
      ...environment,
      onProgress: () =>
        job.reports.postMessage({ progress: start.end, begun, usage: meter.usage(), changes: [] } satisfies RunReport),
    });
    outcome = await afterRepetition(start, again, goOn);
  } else outcome = await goOn(start);
  const use = difference(outcome.backend.use, counted);
  if (outcome.terminationReason === 'cancelled' && control() === Control.Suspend) {
    return {
      result: {
        kind: 'suspended',
        report: last === null ? null : { ...reportOf(outcome, last), begun, usage: meter.usage(), changes },
      },
      use,
    };
  }
  const structure = kernels.program?.structure ?? null;
  const backend = {
    ...outcome.backend,
    notCompiled: kernels.notCompiled,
    ...(structure === null ? {} : { analysis: findingsOf(structure) }),
  };
  const extendable = endState(job, outcome, last);
  return { result: { kind: 'ended', outcome: { ...outcome, backend }, begun, changes, ...extendable }, use };
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

/** Of an end at the budget nothing where it is soon made again, or would take too much room. */
function endState(
  job: RunJob,
  outcome: RunOutcome,
  snapshot: RunSnapshot | null,
): { readonly extendable?: Uint8Array } {
  const { task, math, extension, keepsTimeout = false } = job;
  if (snapshot === null) return {};
  if (outcome.terminationReason === 'timeout' && keepsTimeout) return { extendable: encodeStart(snapshot) };
  if (outcome.terminationReason !== 'budget') return {};
  const budgets = budgetsTo({ task, math, ...(extension === null ? {} : { extension }) }, outcome.backend);
  if (!isEndKept(budgets, outcome.durationSeconds)) return {};
  const extendable = encodeStart(snapshot);
  return extendable.byteLength <= END_STATE_BYTES ? { extendable } : {};
}

function reportOf(outcome: RunOutcome, snapshot: RunSnapshot): Omit<RunReport, 'begun' | 'changes' | 'usage'> {
  const checkpoint = encodeStart(snapshot);
  const { evaluations, bestFitness, bestSolution, durationSeconds: elapsedSeconds, history } = outcome;
  return { progress: { evaluations, bestFitness, bestSolution, elapsedSeconds }, history, checkpoint };
}

const findingsOf = ({ dimension, findings }: ProgramStructure): ProgramFindings => ({ dimension, findings });

export async function analyze(job: AnalysisJob): Promise<AnalysisResult> {
  try {
    const startedAt = performance.now();
    const analysis = analyzeUpload(job.code, job.name, { vectorized: job.vectorized });
    const [problem] = [...analysis.errors, ...analysis.reasons];
    noteCompilation(startedAt, analysis.compiled ? 'compiled' : (problem?.kind ?? 'objective'));
    const program = readUpload(analysis);
    return {
      kind: 'analyzed',
      analysis,
      ...(program === null ? {} : { program }),
      ...(analysis.source === null ? {} : { shape: shapeOf(job.code) }),
      measures: measures(),
    };
  } catch (error) {
    return failureOf(error);
  }
}

/** What the program of an upload says of itself, anywhere. */
function readUpload({ source, vectorized, dimension, results }: UploadAnalysis): ProgramFindings | null {
  if (source === null || dimension === null || results > 1) return null;
  const { ir } = compileObjective(source, { dimension, pythonMinor: ANALYSED_MINOR, vectorized });
  return ir === null ? null : findingsOf(analyzeProgram(optimizeIr(ir)).structure);
}

export async function evaluate(job: EvaluationJob): Promise<EvaluationResult> {
  const { candidates, count, dimension } = job;
  try {
    return await withKernels({ ...job, threads: 1 }, async ({ primary, fallback, backendReason, notCompiled }) => {
      const objectives = resultsIn(job.source);
      const evaluator = new Evaluator(primary, fallback, undefined, objectives);
      const evaluated = await evaluator.evaluate({ candidates, count, dimension }, new AbortController().signal);
      const values = evaluated.slice(0, count * objectives);
      const errors = Array.from({ length: count }, (_, i) => evaluator.failure(i));
      errors.forEach((error, i) => {
        if (error !== null) values.fill(NaN, i * objectives, (i + 1) * objectives);
      });
      const backend = { name: primary.backend, device: primary.device, reason: backendReason };
      const use = measures(evaluator.use());
      return { kind: 'evaluated' as const, objectives, values, errors, backend, notCompiled, measures: use };
    });
  } catch (error) {
    return { ...failureOf(error), measures: measures() };
  }
}

export async function compiles({ source, dimension, pythonMinor }: CompilesJob): Promise<boolean> {
  return compile(source, { dimension, pythonMinor }).ir !== null;
}

export async function probe(): Promise<readonly BackendProbe[]> {
  return Promise.all(
    BACKENDS.filter((entry) => entry.input === 'ir').map(async ({ name, create }) => {
      const backend = create({ threads: 1 });
      const availability = await backend.probe();
      await backend.close();
      return { name, ...availability };
    }),
  );
}

export { rasterize } from './rasterize.js';

// --- compilation

const CACHED_COMPILATIONS = 32;
/** Newest last. A thread sees the same few objectives again and again. */
const compilations = new Map<string, CompileResult>();

function compile(source: ObjectiveSource, options: CompileOptions): CompileResult {
  const { dimension, pythonMinor, bounds } = options;
  const box = bounds === undefined ? null : [[...bounds.lower], [...bounds.upper]];
  const { code, entry, argument, vectorized = false } = source;
  const key = JSON.stringify([dimension, pythonMinor, box, entry, argument, vectorized, resultsIn(source), code]);
  let result = compilations.get(key);
  compilations.delete(key);
  if (result === undefined) {
    const startedAt = performance.now();
    result = compileObjective(source, { ...options, vectorized });
    if (result.ir !== null) result = { ir: optimizeIr(result.ir), reasons: [] };
    noteCompilation(startedAt, result.ir === null ? result.reasons[0]!.kind : 'compiled');
  }
  compilations.set(key, result);
  if (compilations.size > CACHED_COMPILATIONS) compilations.delete(compilations.keys().next().value ?? '');
  return result;
}

/** Since the last answer of this thread, which does one job at a time. */
let compiled: Compilation[] = [];

function noteCompilation(startedAt: number, outcome: Compilation['outcome']): void {
  compiled.push({ seconds: (performance.now() - startedAt) / 1000, outcome });
}

function measures(use: EvaluationUse = difference()): Measures {
  const compilations = compiled;
  compiled = [];
  return { compilations, use };
}

// --- kernels

interface Kernels {
  readonly primary: Kernel;
  readonly fallback: Kernel | null;
  readonly backendReason: string;
  /** Null where the source was not compiled, or must not be read. */
  readonly program: OpenProgram | null;
  /** Why the source was not compiled; empty where it was. */
  readonly notCompiled: readonly Diagnostic[];
}

interface KernelRequest {
  readonly source: ObjectiveSource;
  readonly dimension: number;
  /** Where every candidate will lie; absent: anywhere. */
  readonly bounds?: Bounds;
  readonly pythonMinor: number;
  readonly python: PythonAccess;
  readonly threads: number;
  /** One shared cell: other than 0 ends native code. */
  readonly stop: Int32Array;
  readonly plannedEvaluations?: number;
  /** Absent: `minimize`. */
  readonly direction?: Direction;
  /** The program is only called; absent: true. */
  readonly blackBox?: boolean;
  /** Absent: `exact`. */
  readonly math?: 'exact' | 'fast';
}

/** Compiles, opens what evaluates the objective best on this host, and closes it again when `use` is done. */
async function withKernels<T>(request: KernelRequest, use: (kernels: Kernels) => Promise<T>): Promise<T> {
  const { source, dimension, python } = request;
  const remote = python.port === null ? null : connectKernel(python.port);
  let compiled: Kernel | null = null;
  try {
    const { ir, reasons } = compile(source, { dimension, pythonMinor: request.pythonMinor, bounds: request.bounds });
    let backendReason: string;
    let program: OpenProgram | null = null;
    if (ir === null) {
      const first = reasons[0];
      const where = first === undefined ? '' : ` (line ${first.line}: ${first.message})`;
      backendReason = `the source ${first?.kind === 'objective' ? 'goes to' : 'needs'} CPython${where}`;
    } else {
      const opened = await openCompiled({ source, dimension, ir }, request);
      compiled = opened.kernel;
      backendReason = opened.reason;
      if (request.blackBox === false && request.bounds !== undefined && resultsIn(source) === 1) {
        program = openProgram(ir, request.direction ?? 'minimize', request.bounds, opened.openOther);
      }
    }
    const primary = compiled ?? remote;
    if (primary === null) {
      const why = python.port === null ? `: ${python.reason}` : '';
      throw new ExtremumError('backend_unavailable', `${backendReason}, which is not available${why}.`);
    }
    const fallback = compiled === null ? null : remote;
    return await use({ primary, fallback, backendReason, program, notCompiled: reasons });
  } finally {
    await compiled?.close();
    // The main thread ends the kernel at the other end; nothing is to be waited for.
    python.port?.close();
  }
}

interface Opened {
  readonly kernel: Kernel;
  readonly reason: string;
  /** The same for a program that was derived from the objective's. */
  openOther(ir: IrFunction): Promise<Kernel>;
}

/** The first backend of the registry that works here and takes this objective. The interpreter takes every one. */
async function openCompiled(objective: Objective, request: KernelRequest): Promise<Opened> {
  const { threads, stop, plannedEvaluations, math } = request;
  const passedOver: string[] = [];
  for (const { name, create } of BACKENDS.filter((entry) => entry.input === 'ir')) {
    const backend = create({ threads, cancelFlag: stop, plannedEvaluations, math });
    const availability = await backend.probe();
    if (!availability.available) {
      passedOver.push(`${name}: ${availability.reason}`);
      continue;
    }
    try {
      const kernel = await backend.open(objective);
      const others = passedOver.length === 0 ? '' : `; passed over ${passedOver.join('; ')}`;
      return {
        kernel,
        reason: `the source compiles, and ${name} is the fastest backend that takes it${others}`,
        // In exact arithmetic also where values may be fast: what is read of a program is a fact about it. What is planned
        // are values; of readings there may be few.
        openOther: async (ir) => {
          const other: KernelRequest = { ...request, math: 'exact', plannedEvaluations: 0 };
          return (await openCompiled({ ...objective, dimension: ir.dimension, ir }, other)).kernel;
        },
      };
    } catch (error) {
      if (!(error instanceof ExtremumError) || error.code !== 'backend_unavailable') throw error;
      passedOver.push(`${name}: ${error.message}`);
    }
  }
  throw new ExtremumError('backend_unavailable', `No backend takes this objective (${passedOver.join('; ')}).`);
}

function failureOf(error: unknown): WorkerFailure {
  if (error instanceof ExtremumError) return { kind: 'failed', code: error.code, message: error.message };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'failed', code: 'internal_error', message, ...(stack === undefined ? {} : { stack }) };
}
