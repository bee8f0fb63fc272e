/** `extremum optimize`: one run, here and now, without a service. */
import { ExtremumError } from '../common/errors.js';
import { ConfigError, parsePythonConfig } from '../config.js';
import { packageVersion } from '../common/version.js';
import { frontIn } from '../engine/front-run.js';
import { LocalRuns, type LocalRunResult } from '../local-runs.js';
import type { Front } from '../model/front.js';
import { endingAt } from '../model/run-record.js';
import type { RunTask } from '../model/run-task.js';
import { decodeStart, isRecipe } from '../runs/extension.js';
import { describeMisreading } from '../evaluation/placement-words.js';
import type { CodeAccess } from '../backends/cpython/worker-spec.js';
import { checkNewCheckpoint, readCheckpoint } from './checkpoint-file.js';
import { CheckpointKeeper, type RunBasis } from './checkpoint-keeper.js';
import { accessAdvice, accessOf, withAccess, withAdvice } from './code-access.js';
import { loadObjective, readSource } from './objective-file.js';
import { OPTIMIZE_HELP, parseOptimize, type OptimizeOptions } from './optimize-options.js';
import { csvReport, jsonReport, textReport, type FinishedRun } from './optimize-report.js';
import { createRunDisplay, type RunDisplay } from './run-display.js';
import { showsUnicode, sizeOf } from './terminal.js';
import { complain, printable, quoted } from './text-safety.js';

/** Exit codes; `--help` explains them. */
export const ExitCode = { Done: 0, Failed: 1, Usage: 2, Interrupted: 130 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A shell stops and continues its jobs; Windows knows no such thing. */
const HAS_JOBS = process.platform !== 'win32';

/** The start of a run. */
interface Beginning extends RunBasis {
  /** State to go on from. */
  readonly snapshot?: Uint8Array;
}

/** Resolves to the exit code. Rejects with a defect of ours only. */
export async function optimize(argv: readonly string[]): Promise<ExitCode> {
  const interruption = new Interruption();
  try {
    const options = parseOptimize(argv);
    if (options === null) {
      await print(`${OPTIMIZE_HELP()}\n`);
      return ExitCode.Done;
    }
    return await carryOut(options, interruption);
  } catch (error) {
    if (interruption.isWanted) {
      console.error('Interrupted before anything was evaluated.');
      return ExitCode.Interrupted;
    }
    if (error instanceof ConfigError) {
      complain(error.message);
      return ExitCode.Usage;
    }
    if (!(error instanceof ExtremumError)) throw error;
    complain(error.message);
    return ExitCode.Failed;
  } finally {
    interruption.close();
  }
}

/** The first signal is handled by whoever listens; a second one ends the process. */
class Interruption {
  private readonly abort = new AbortController();
  private display: RunDisplay | null = null;
  /** Ctrl-Z: the shell writes below what stays, not into the drawing. */
  private readonly onPause = (): void => {
    this.display?.hide();
    process.kill(process.pid, 'SIGSTOP');
  };
  private readonly onSignal = (): void => {
    if (this.isWanted) {
      this.display?.close();
      process.exit(ExitCode.Interrupted);
    }
    this.abort.abort();
  };

  constructor() {
    for (const name of SIGNALS) process.on(name, this.onSignal);
    if (HAS_JOBS) process.on('SIGTSTP', this.onPause);
  }

  get isWanted(): boolean {
    return this.abort.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** It is removed before the process is ended. */
  shows(display: RunDisplay): void {
    this.display = display;
  }

  close(): void {
    for (const name of SIGNALS) process.off(name, this.onSignal);
    process.off('SIGTSTP', this.onPause);
  }
}

async function carryOut(options: OptimizeOptions, interruption: Interruption): Promise<ExitCode> {
  const { search, threads } = options;
  const begun = search.kind === 'resume' ? await resumed(search) : null;
  const code = search.kind === 'new' ? readSource(search.file) : '';
  const from = search.kind === 'resume' ? search.checkpoint : undefined;
  if (options.checkpoint !== undefined && options.checkpoint !== from) checkNewCheckpoint(options.checkpoint);
  const startedAt = Date.now();
  const file = search.kind === 'new' ? search.file : (begun?.file ?? '');
  const access = accessOf(options.access, file, begun?.source.code ?? code);
  const config = parsePythonConfig(process.env, options.python, options.verify);
  const local = await LocalRuns.open(withAccess(config, options.access, access), 1);
  let run: FinishedRun;
  try {
    const beginning = begun ?? (await beginningOf(local, search as Search<'new'>, code));
    const display = createRunDisplay(process.stderr, {
      task: beginning.task,
      isResumed: begun !== null,
      withCurve: options.withCurve,
      env: process.env,
      now: () => performance.now(),
    });
    interruption.shows(display);
    const keeper = new CheckpointKeeper(beginning, options.checkpoint, from, (message) => {
      // It stays above what is drawn next.
      display.hide();
      complain(message);
    });
    try {
      const result = await runOf({ local, beginning, threads, display, keeper, interruption });
      run = finished(beginning, result, keeper, startedAt);
    } catch (error) {
      if (!(error instanceof ExtremumError)) throw error;
      if (from === undefined || error.code !== 'internal_error') throw withAdvice(error, access);
      throw new ConfigError(`The checkpoint ${printable(from)} cannot be gone on from: ${error.message}`);
    } finally {
      display.close();
    }
  } finally {
    await local.close();
  }
  return report(run, options, access);
}

type Search<Kind> = Extract<OptimizeOptions['search'], { readonly kind: Kind }>;

async function beginningOf(local: LocalRuns, search: Search<'new'>, code: string): Promise<Beginning> {
  const { file, task, blackBox, stateless } = search;
  const loaded = await loadObjective(local, file, code, search.function);
  const results = task.objectives === undefined ? {} : { results: task.objectives };
  const source = { ...loaded, ...results, ...(stateless === undefined ? {} : { stateless }) };
  return { file, source, task, blackBox, pythonMinor: local.pythonMinor };
}

async function resumed({ checkpoint: file, timeoutSeconds }: Search<'resume'>): Promise<Beginning> {
  const { snapshot, program, evaluations: _, elapsedSeconds, ...beginning } = await readCheckpoint(file);
  if (program !== packageVersion()) {
    complain(
      `${printable(file)} was written by version ${printable(program)}, this is ${packageVersion()}: the rest may differ from what that would do.`,
    );
  }
  const limit = beginning.task.timeoutSeconds ?? Infinity;
  if (timeoutSeconds === undefined && elapsedSeconds >= limit) {
    throw new ConfigError(`The time of this search, ${limit} s, is up; give it more with --timeout SECONDS.`);
  }
  const more = timeoutSeconds === undefined ? {} : { timeoutSeconds: elapsedSeconds + timeoutSeconds };
  return { ...beginning, task: { ...beginning.task, ...more }, snapshot: new TextEncoder().encode(snapshot) };
}

interface Course {
  readonly local: LocalRuns;
  readonly beginning: Beginning;
  readonly threads: number;
  readonly display: RunDisplay;
  readonly keeper: CheckpointKeeper;
  readonly interruption: Interruption;
}

async function runOf({ local, beginning, threads, display, keeper, interruption }: Course): Promise<LocalRunResult> {
  const { task, source, blackBox, pythonMinor, snapshot } = beginning;
  const { signal } = interruption;
  signal.throwIfAborted();
  const run = local.start({
    task,
    source,
    blackBox,
    pythonMinor,
    threads,
    keepsTimeout: true,
    checkpoint: snapshot,
    onReport: (report) => {
      display.report(report);
      const { progress, checkpoint } = report;
      if (checkpoint !== undefined) keeper.update({ progress, checkpoint });
    },
    onMisread: (misreading) => {
      keeper.forget();
      display.hide();
      complain(
        printable(`A defect of ours, please report it: ${describeMisreading(misreading)}. The search begins again.`),
      );
    },
  });
  const stop = (): void => {
    display.say('stopping');
    run.stop('suspend');
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await run.result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function finished(
  beginning: Beginning,
  result: LocalRunResult,
  keeper: CheckpointKeeper,
  startedAt: number,
): FinishedRun {
  const { file, source, task, blackBox, pythonMinor } = beginning;
  const base = { file, source, task, blackBox, pythonMinor, startedAt, completedAt: Date.now() };
  if (result.kind === 'ended') {
    const { outcome, extendable: state } = result;
    const { history, ...ending } = outcome;
    const { evaluations, bestFitness, bestSolution, durationSeconds: elapsedSeconds } = outcome;
    const progress = { evaluations, bestFitness, bestSolution, elapsedSeconds };
    const isKept = ending.terminationReason === 'timeout' && state !== undefined;
    return {
      ...base,
      ending,
      history,
      checkpoint: isKept ? keeper.keep({ progress, checkpoint: state }, false) : null,
    };
  }
  const { progress = null, history = [], checkpoint } = result.report ?? {};
  const front = checkpoint === undefined ? null : frontOf(task, checkpoint);
  return {
    ...base,
    ending: { ...endingAt(progress, 'cancelled'), front: front ?? undefined },
    history,
    checkpoint: progress === null || checkpoint === undefined ? null : keeper.keep({ progress, checkpoint }, true),
  };
}

/** Front of a run of several objectives as far as it has come. */
function frontOf(task: RunTask, checkpoint: Uint8Array): Front | null {
  const state = decodeStart(checkpoint);
  return isRecipe(state) ? null : frontIn(task, state);
}

async function report(run: FinishedRun, { output, withCurve }: OptimizeOptions, access: CodeAccess): Promise<ExitCode> {
  await print(textOf(run, output, withCurve));
  const { checkpoint, ending } = run;
  const resume = checkpoint === null ? null : `go on with: extremum optimize --resume ${quoted(checkpoint)}`;
  switch (ending.terminationReason) {
    case 'cancelled':
      complain(`Interrupted; ${resume ?? 'nothing to go on from was kept'}`);
      return ExitCode.Interrupted;
    case 'error':
      complain(printable(ending.error?.message ?? 'The run failed.'));
      advise(run, access);
      for (const line of adviceOn(run)) complain(line);
      return ExitCode.Failed;
    case 'timeout':
      if (resume !== null) complain(`The time is up; ${resume} --timeout SECONDS`);
      break;
    case 'budget':
    case 'target':
    case 'optimal':
    case 'converged':
    case 'stagnated':
      break;
  }
  advise(run, access);
  if (ending.bestSolution !== null) return ExitCode.Done;
  complain('No evaluation gave a finite value.');
  return ExitCode.Failed;
}

/** What to do about failures that the sandbox made, each advice once. */
function advise({ ending }: FinishedRun, access: CodeAccess): void {
  const rejection =
    ending.error === null || ending.error === undefined ? [] : [{ type: '', message: ending.error.message }];
  const advice = [...ending.failures, ...rejection].map((failure) => accessAdvice(failure, access));
  for (const line of new Set(advice)) if (line !== null) complain(line);
}

/** Where a call gave another number of numbers than it should. */
function adviceOn({ ending, task: { objectives = 1 } }: FinishedRun): string[] {
  if (ending.failures[0]?.type !== 'NonNumericResult') return [];
  return objectives === 1
    ? ['The function must return one number; if it has several objectives, say how many: --objectives N (2 to 4).']
    : [`With --objectives ${objectives} the function must return ${objectives} numbers, in a tuple, list or array.`];
}

function textOf(run: FinishedRun, output: OptimizeOptions['output'], withCurve: boolean): string {
  switch (output) {
    case 'json':
      return jsonReport(run);
    case 'csv':
      return csvReport(run);
    case 'text':
      return textReport(run, {
        columns: sizeOf(process.stdout).columns,
        withCurve,
        unicode: showsUnicode(process.env),
      });
  }
}

/**
 * Resolves when it is written, or nobody reads any more.
 * @throws {ExtremumError} `unavailable` where it cannot be written, as on a full disk.
 */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error || (error as NodeJS.ErrnoException).code === 'EPIPE') return resolve();
      reject(new ExtremumError('unavailable', `The answer could not be written: ${error.message}`, { cause: error }));
    });
  });
}
