/**
 * What runs in the worker threads: the functions that the pools call by name (see worker-protocol.ts). A composition
 * root of its own, because a thread shares no objects with the main thread: it names the concrete backends.
 *
 * Nothing is thrown at the pool: failures are data. A run is carried out wholly here, from compilation to outcome.
 */
import { Piscina } from 'piscina';
import { analyzeProgram } from '../analysis/analyze-program.js';
import type { Kernel, Objective } from '../backends/backend.js';
import { BACKENDS } from '../backends/registry.js';
import { connectKernel } from '../backends/remote-kernel.js';
import { ExtremumError } from '../common/errors.js';
import { movable } from '../common/movable.js';
import { giveWay } from '../common/priority.js';
import { watched } from '../common/watch.js';
import { Evaluator } from '../engine/evaluator.js';
import {
  chooseStrategy,
  MisreadFound,
  repeatOptimization,
  runOptimization,
  type Repetition,
} from '../engine/run-optimization.js';
import type { OpenProgram } from '../engine/ports.js';
import type { IrFunction } from '../ir/types.js';
import { strategies } from '../planner/registry.js';
import { needsProgram } from '../strategies/suitability.js';
import type { RunSnapshot } from '../engine/snapshot.js';
import {
  analyzeUpload,
  compileObjective,
  type CompileOptions,
  type CompileResult,
  type UploadAnalysis,
} from '../frontend/compile.js';
import { notesOnHostProducts } from '../frontend/host-products.js';
import { shapeOf } from '../frontend/shape.js';
import type { Bounds } from '../model/bounds.js';
import type { InterpreterFacts } from '../model/interpreter-facts.js';
import { resultsIn, type ObjectiveSource } from '../model/objective.js';
import type { Finding, ProgramFindings, ProgramStructure } from '../model/program-structure.js';
import type { Direction, EvaluationUse, RunOutcome, RunProgress, RunTask, StrategyChange } from '../model/run-task.js';
import type { CompilationReason } from '../model/function-record.js';
import { unverified, type Misreading, type VerificationGap, type Verified } from '../model/verification.js';
import { outcomeProgram } from '../passes/outcomes/outcome-program.js';
import { optimizeIr } from '../passes/pipeline.js';
import { Checker } from '../verification/checker.js';
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
import { difference, type Compilation, type Measures } from './metrics.js';
import { misreadReason } from './misread-reason.js';
import { openProgram } from './open-program.js';
import { readingAllowance, UNLIMITED, type ReadingAllowance } from './reading-allowance.js';
import { ThreadMeter } from './thread-meter.js';
import type { ThreadFaults } from './worker-pools.js';
import {
  CONTROL_CELLS,
  Control,
  type AnalysisJob,
  type AnalysisResult,
  type BackendProbe,
  type CompilesJob,
  type EvaluationJob,
  type EvaluationResult,
  type PictureJob,
  type ProblemJob,
  type PythonAccess,
  type RunJob,
  type RunReport,
  type RunResult,
  type SolveResult,
  type WorkerFailure,
} from './worker-protocol.js';

const REPORT_INTERVAL_MS = 1_000;
/** Before the first of the reports that are to come soon; doubled for each. */
const SOON_MS = 50;
giveWay();
/** Points of one request that are all confirmed. */
const CONFIRMED_POINTS = 64;
/** Of more points a sample is drawn; the same request checks the same ones. */
const EVALUATED_SEED = 0;
/** A checkpoint of so many bytes is written every second at most, a larger one that much less often. */
const CHECKPOINT_BYTES_PER_SECOND = 1_000_000;
/** What is kept of a run that its budget ended; more is dropped (docs/adr/0016-service-records.md). */
const END_STATE_BYTES = 4_000_000;

export async function carryOut(job: RunJob): Promise<RunResult> {
  const meter = new ThreadMeter();
  const startedAt = performance.now();
  try {
    const stop = job.control.subarray(CONTROL_CELLS.Stop, CONTROL_CELLS.Stop + 1);
    const { bounds } = job.task;
    const box = { lower: Float64Array.from(bounds, ([lo]) => lo), upper: Float64Array.from(bounds, ([, hi]) => hi) };
    const plannedEvaluations = job.task.maxEvaluations;
    const { direction } = job.task;
    const begun = job.checkpoint === null ? undefined : decodeStart(job.checkpoint);
    const misread = job.misread ?? (begun !== undefined && !isRecipe(begun) ? begun.misread : undefined) ?? null;
    // What misread code valued is nothing to go on from.
    const start = begun !== undefined && misread !== null && isOfCompiledCode(begun) ? undefined : begun;
    const look = lookFor(job, startedAt);
    const allowance = (ir: IrFunction): ReadingAllowance => allowanceOf(job, start, ir);
    const asked = { plannedEvaluations, direction, look, allowance };
    const request = { ...job, misread, dimension: bounds.length, bounds: box, stop, ...asked };
    const { result, use } = await withKernels(request, (kernels) =>
      optimize({ job, start, misread, kernels, meter, startedAt }),
    );
    return { ...result, usage: meter.usage(), measures: measures(use) };
  } catch (error) {
    if (error instanceof Interrupted) {
      const { why } = error;
      const spent = { usage: meter.usage(), measures: measures() };
      if (why === 'suspended') return { kind: 'suspended', report: null, ...spent };
      return { kind: 'unbegun', why, ...spent };
    }
    return { ...failureOf(error), usage: meter.usage(), measures: measures() };
  } finally {
    job.reports.close();
  }
}

/** Thrown by a look at the outside from within the work before the search. */
class Interrupted extends Error {
  constructor(readonly why: 'cancelled' | 'suspended' | 'timeout') {
    super(why);
  }
}

/** Compiling and reading end where the run does. One that goes on from a checkpoint is ended by the engine, which has its best. */
function lookFor({ control, task, checkpoint, earlierSeconds = 0 }: RunJob, startedAt: number): () => void {
  const { timeoutSeconds = Infinity } = task;
  return () => {
    const wanted = Atomics.load(control, CONTROL_CELLS.Control);
    if (checkpoint !== null) return;
    if (wanted !== Control.GoOn) throw new Interrupted(wanted === Control.Suspend ? 'suspended' : 'cancelled');
    if (earlierSeconds + (performance.now() - startedAt) / 1000 >= timeoutSeconds) throw new Interrupted('timeout');
  };
}

/** What a run may read, as it is decided when it begins. */
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
  startedAt,
}: {
  readonly job: RunJob;
  readonly start: RunSnapshot | Recipe | undefined;
  readonly misread: Misreading | null;
  readonly kernels: Kernels;
  readonly meter: ThreadMeter;
  /** Milliseconds, monotonic. */
  readonly startedAt: number;
}): Promise<{ readonly result: Unmeasured; readonly use: EvaluationUse }> {
  const control = (): number => Atomics.load(job.control, CONTROL_CELLS.Control);
  let unreported: RunProgress | null = null;
  let last: RunSnapshot | null = null;
  let counted = start === undefined || isRecipe(start) ? undefined : start.evaluator.use;
  let reportIntervalMs = job.reportsSoon === true ? SOON_MS : REPORT_INTERVAL_MS;
  let checkpointIntervalMs = reportIntervalMs;
  let changes: StrategyChange[] = [];
  const begun = {
    strategy: chooseStrategy(job.task, strategies).name,
    // Read when a report is made: a kernel of another thread has its name once it has evaluated.
    get backend() {
      return kernels.primary.backend;
    },
  };
  const { checker, unchecked, ...opened } = kernels;
  const environment = {
    ...opened,
    ...(checker === null ? { unchecked } : { checks: checker }),
    ...(misread === null ? {} : { misread }),
    earlierSeconds: job.earlierSeconds,
    ...(job.knowledge === null ? {} : { knowledge: job.knowledge }),
    ...(job.starts === null ? {} : { starts: job.starts }),
    strategies,
    now: () => performance.now(),
    startedAt,
    isCancelled: () => control() !== Control.GoOn,
    progressIntervalMs: REPORT_INTERVAL_MS,
  };
  const ports = {
    ...environment,
    onProgress: (progress: RunProgress) => {
      unreported = progress;
      // Else it goes with the checkpoint.
      if (checkpointIntervalMs === reportIntervalMs) return;
      const report: RunReport = { progress, begun, usage: meter.usage(), changes: [] };
      job.reports.postMessage(report);
    },
    onStrategyChanged: (change: StrategyChange) => {
      changes.push(change);
    },
    get progressIntervalMs() {
      return reportIntervalMs;
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
      reportIntervalMs = Math.min(REPORT_INTERVAL_MS, 2 * reportIntervalMs);
      checkpointIntervalMs = Math.max(reportIntervalMs, seconds * 1_000);
    },
  };
  let reading = kernels.reading;
  const goOn = async (resumeFrom?: RunSnapshot): Promise<RunOutcome> => {
    try {
      if (reading?.isLate !== true) return await runOptimization(job.task, ports, resumeFrom);
    } catch (error) {
      if (!(error instanceof Interrupted) || error.why !== 'timeout') throw error;
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
        onProgress: () =>
          job.reports.postMessage({
            progress: start.end,
            begun,
            usage: meter.usage(),
            changes: [],
          } satisfies RunReport),
      });
      outcome = await afterRepetition(start, again, goOn);
    } else outcome = await goOn(start);
  } catch (error) {
    if (!(error instanceof MisreadFound)) throw error;
    const { misreading, elapsedSeconds } = error;
    // What was evaluated counts in metrics, which count work.
    return { result: { kind: 'misread', misreading, begun, elapsedSeconds }, use: difference() };
  }
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
  const dimension = job.task.bounds.length;
  const backend = {
    ...outcome.backend,
    notCompiled: kernels.notCompiled,
    ...(reading === null ? {} : { analysis: { dimension, findings: reading.findings } }),
  };
  // What did not read its program is not where a run that does could go on from.
  const extendable = reading?.isLate === true ? {} : endState(job, outcome, last);
  const defect = checker?.defect ?? null;
  const checkDefect = defect === null ? {} : { checkDefect: defect };
  const ended = { kind: 'ended' as const, outcome: { ...outcome, backend }, begun, changes, ...extendable };
  return { result: { ...ended, ...checkDefect }, use };
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

/** Longer than any source within the limits of the front end should take: the last resort. */
const CHECK_MS = 10_000;
const TOO_MUCH = 'to compile the function takes too long';

class TooLong extends Error {}

/** What takes too long to compile is accepted all the same, for CPython. */
function checked(job: AnalysisJob, startedAt: number): UploadAnalysis {
  const { code, name, vectorized, pythonMinor, interpreter, isTooMuch = false } = job;
  const look = (): void => {
    if (performance.now() - startedAt > CHECK_MS) throw new TooLong();
  };
  try {
    if (!isTooMuch) return watched(look, () => analyzeUpload(code, name, { vectorized, pythonMinor, interpreter }));
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
  }
  return analyzeUpload(code, name, { vectorized, isTooMuch: TOO_MUCH });
}

export async function analyze(job: AnalysisJob): Promise<AnalysisResult> {
  try {
    const startedAt = performance.now();
    const analysis = checked(job, startedAt);
    const [problem] = [...analysis.errors, ...analysis.reasons];
    noteCompilation(startedAt, analysis.compiled ? 'compiled' : (problem?.kind ?? 'objective'));
    const program = readUpload(analysis, job);
    return {
      kind: 'analyzed',
      analysis,
      ...(program === null ? {} : { program }),
      ...(analysis.source === null ? {} : { shape: shapeOf(job.code), notes: notesOnHostProducts(job.code) }),
      measures: measures(),
    };
  } catch (error) {
    return failureOf(error);
  }
}

/** What the program of an upload says of itself, anywhere. */
function readUpload(
  { source, vectorized, dimension, results }: UploadAnalysis,
  { pythonMinor, interpreter }: AnalysisJob,
): ProgramFindings | null {
  if (source === null || dimension === null || results > 1) return null;
  const { ir } = compileObjective(source, { dimension, pythonMinor, interpreter, vectorized });
  return ir === null ? null : findingsOf(analyzeProgram(optimizeIr(ir)).structure);
}

export async function evaluate(job: EvaluationJob): Promise<EvaluationResult> {
  const { candidates, count, dimension } = job;
  try {
    const request = { ...job, threads: 1, seed: EVALUATED_SEED };
    return await withKernels(request, async ({ primary, fallback, backendReason, notCompiled, checker, unchecked }) => {
      const objectives = resultsIn(job.source);
      const evaluator = new Evaluator(primary, fallback, undefined, objectives);
      const evaluated = await evaluator.evaluate({ candidates, count, dimension }, new AbortController().signal);
      const values = evaluated.slice(0, count * objectives);
      const verified = checker === null ? unverified(unchecked) : await confirm(job, checker, evaluator, values);
      const misreading = checker?.misreading ?? null;
      if (misreading !== null) return { kind: 'misread' as const, misreading, measures: measures(evaluator.use()) };
      const errors = Array.from({ length: count }, (_, i) => evaluator.failure(i));
      errors.forEach((error, i) => {
        if (error !== null) values.fill(NaN, i * objectives, (i + 1) * objectives);
      });
      const backend = { name: primary.backend, device: primary.device, reason: backendReason };
      const use = measures(evaluator.use());
      const result = { kind: 'evaluated' as const, objectives, values, errors, backend, notCompiled, verified };
      const defect = checker?.defect ?? null;
      return { ...result, measures: use, ...(defect === null ? {} : { checkDefect: defect }) };
    });
  } catch (error) {
    return { ...failureOf(error), measures: measures() };
  }
}

/** Of few points all, of many a sample as of a run. */
async function confirm(
  { candidates, count, dimension }: EvaluationJob,
  checker: Checker,
  evaluator: Evaluator,
  values: Float64Array,
): Promise<Verified> {
  const width = values.length / count;
  const rows = Array.from({ length: count }, (_, row) => row).filter((row) => evaluator.isOfPrimaryAlone(row));
  const points = rows.map((row) => ({
    order: row + 1,
    x: candidates.subarray(row * dimension, (row + 1) * dimension),
    values: Array.from(values.subarray(row * width, (row + 1) * width)),
  }));
  if (points.length > CONFIRMED_POINTS) {
    await checker.note({ candidates, count, dimension }, 1, values, (row) => evaluator.isOfPrimaryAlone(row));
    points.length = 0;
  }
  const verified = await checker.finish({ points, bound: null, elapsedMs: 0, isCancelled: false });
  if (checker.misreading !== null) await checker.earliest();
  return verified;
}

export async function compiles({ source, ...options }: CompilesJob): Promise<boolean> {
  return compile(source, options).ir !== null;
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

export { rasterize } from '../common/rasterize.js';

/** Problem types and their solvers are loaded by the first problem. */
export const solve = async (job: ProblemJob): Promise<SolveResult> => (await import('./problem-run.js')).solve(job);
export const draw = async (job: PictureJob): Promise<string | null> => (await import('./problem-run.js')).draw(job);

// --- compilation

/** What a test does to programs (`ThreadFaults`); otherwise nothing. */
const { programs } = (Piscina.workerData ?? {}) as ThreadFaults;
const faulty: (ir: IrFunction) => IrFunction =
  programs === undefined
    ? (ir) => ir
    : ((await import(programs)) as { default: (ir: IrFunction) => IrFunction }).default;

const CACHED_COMPILATIONS = 32;
/** Newest last. A thread sees the same few objectives again and again. */
const compilations = new Map<string, CompileResult>();

function compile(source: ObjectiveSource, options: CompileOptions): CompileResult {
  const { dimension, pythonMinor, interpreter = null, bounds } = options;
  const box = bounds === undefined ? null : [[...bounds.lower], [...bounds.upper]];
  const { code, entry, argument, vectorized = false } = source;
  const key = JSON.stringify([
    dimension,
    pythonMinor,
    interpreter?.key,
    box,
    entry,
    argument,
    vectorized,
    resultsIn(source),
    code,
  ]);
  let result = compilations.get(key);
  compilations.delete(key);
  if (result === undefined) {
    const startedAt = performance.now();
    result = compileObjective(source, { ...options, vectorized });
    if (result.ir !== null) result = { ir: faulty(optimizeIr(result.ir)), reasons: [] };
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
  /** Null where the source was not compiled, or is not read. */
  readonly program: OpenProgram | null;
  /** What was found in the program, or why it is not read; null: it must not be. */
  readonly reading: { readonly findings: readonly Finding[]; readonly isLate: boolean } | null;
  /** Absent: none is needed. */
  readonly readingAllowance?: ReadingAllowance;
  /** Why the source was not compiled; empty where it was. */
  readonly notCompiled: readonly CompilationReason[];
  /** Null: nobody confirms values, for the reason `unchecked`. */
  readonly checker: Checker | null;
  readonly unchecked: VerificationGap;
}

interface KernelRequest {
  readonly source: ObjectiveSource;
  readonly dimension: number;
  /** Where every candidate will lie; absent: anywhere. */
  readonly bounds?: Bounds;
  readonly pythonMinor: number;
  readonly interpreter: InterpreterFacts | null;
  readonly python: PythonAccess;
  /** Why nobody checks values; null: the port of `python` does, too. */
  readonly unchecked: VerificationGap | null;
  /** Null: nobody has found that compiled code misreads the source. */
  readonly misread: Misreading | null;
  /** Decides which values are checked; absent: the task's. */
  readonly seed?: number;
  readonly task?: RunTask;
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
  /** What may be read of a program; absent: all. */
  readonly allowance?: (ir: IrFunction) => ReadingAllowance;
  /** Ends compilation and reading by throwing. */
  readonly look?: () => void;
}

/** The time was up while the program was read. */
const LATE: readonly Finding[] = [
  { topic: 'limits', text: 'The time of the run was up before its program had been read.', lines: [] },
];

/** Compiles, opens what evaluates the objective best on this host, and closes it again when `use` is done. */
async function withKernels<T>(request: KernelRequest, use: (kernels: Kernels) => Promise<T>): Promise<T> {
  const { source, dimension, python } = request;
  const remote = python.port === null ? null : connectKernel(python.port);
  let compiled: Kernel | null = null;
  let checking: Checking | null = null;
  try {
    const { look = () => undefined, pythonMinor, interpreter, bounds } = request;
    const { ir, reasons } =
      request.misread === null
        ? watched(look, () => compile(source, { dimension, pythonMinor, interpreter, bounds }))
        : misreadReason(request.misread);
    let backendReason: string;
    let read: Pick<Kernels, 'program' | 'reading' | 'readingAllowance'> = { program: null, reading: null };
    if (ir === null) {
      const first = reasons[0];
      const where = first === undefined ? '' : ` (line ${first.line}: ${first.message})`;
      backendReason =
        first?.kind === 'misread'
          ? first.message
          : `the source ${first?.kind === 'objective' ? 'goes to' : 'needs'} CPython${where}`;
    } else {
      const opened = await openCompiled({ source, dimension, ir }, request);
      compiled = opened.kernel;
      backendReason = opened.reason;
      read = readProgram(ir, request, opened);
      if (remote !== null && request.unchecked === null) {
        checking = await openChecker(ir, request, opened, remote.checks);
      }
    }
    const primary = compiled ?? remote;
    if (primary === null) {
      const why = python.port === null ? `: ${python.reason}` : '';
      throw new ExtremumError('backend_unavailable', `${backendReason}, which is not available${why}.`);
    }
    const fallback = compiled === null ? null : remote;
    const { checker = null } = checking ?? {};
    const unchecked = ir === null ? 'interpreted' : (request.unchecked ?? 'no_interpreter');
    return await use({ primary, fallback, backendReason, ...read, notCompiled: reasons, checker, unchecked });
  } finally {
    await compiled?.close();
    await checking?.close();
    // The main thread ends the kernel at the other end; nothing is to be waited for.
    python.port?.close();
  }
}

interface Checking {
  readonly checker: Checker;
  close(): Promise<void>;
}

/** Of a larger program nobody asks for patterns: to make that program takes longer than a short run. */
const MAX_OUTCOME_VALUES = 200_000;

/** Programs in their form for judging, by the program that runs. */
const judgedForms = new WeakMap<IrFunction, IrFunction>();

/** Not optimised: it says of library functions how far results may differ. Where there is none, the program that runs. */
function judgedForm(
  ir: IrFunction,
  { source, dimension, pythonMinor, interpreter, bounds }: KernelRequest,
): IrFunction {
  let judged = judgedForms.get(ir);
  if (judged === undefined) {
    const { vectorized = false } = source;
    judged =
      compileObjective(source, { dimension, pythonMinor, interpreter, bounds, vectorized, judging: true }).ir ?? ir;
    judgedForms.set(ir, judged);
  }
  return judged;
}

/** Programs of patterns, by the program whose branches they look at; null: it has none. */
const outcomePrograms = new WeakMap<IrFunction, IrFunction | null>();

async function openChecker(ir: IrFunction, request: KernelRequest, opened: Opened, python: Kernel): Promise<Checking> {
  const { source, math, seed = request.task?.seed ?? 0, direction = 'minimize' } = request;
  let program = outcomePrograms.get(ir);
  if (program === undefined) {
    const derived = ir.types.length > MAX_OUTCOME_VALUES ? null : outcomeProgram(ir);
    program = derived === null ? null : optimizeIr(derived);
    outcomePrograms.set(ir, program);
  }
  const outcomes = program === null ? null : await opened.openOther(program);
  // What fast mathematics gives has no bits that CPython could confirm: the program's own values are compared.
  const exact = math === 'fast' ? await opened.openOther(ir) : undefined;
  const checker = new Checker({
    ir,
    judged: () => judgedForm(ir, request),
    width: resultsIn(source),
    seed,
    direction,
    primary: opened.kernel,
    outcomes,
    python,
    ...(exact === undefined ? {} : { exact }),
    now: () => performance.now(),
  });
  const close = async (): Promise<void> => {
    await Promise.all([outcomes?.close(), exact?.close()]);
  };
  return { checker, close };
}

/** The program as far as it may be read, with what is found in it. */
function readProgram(
  ir: IrFunction,
  { source, bounds, blackBox, direction = 'minimize', allowance, look = () => undefined }: KernelRequest,
  { openOther }: Opened,
): Pick<Kernels, 'program' | 'reading' | 'readingAllowance'> {
  if (blackBox !== false || bounds === undefined || resultsIn(source) !== 1) return { program: null, reading: null };
  const allowed = allowance?.(ir) ?? UNLIMITED;
  const isLimited = allowed.analysis < Infinity;
  try {
    const { isRead, ...program } = watched(look, () => openProgram(ir, direction, bounds, openOther, allowed, look));
    return {
      program: isRead ? program : null,
      reading: { findings: program.structure?.findings ?? [], isLate: false },
      ...(isLimited ? { readingAllowance: allowed } : {}),
    };
  } catch (error) {
    if (!(error instanceof Interrupted) || error.why !== 'timeout') throw error;
    return { program: null, reading: { findings: LATE, isLate: true } };
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
