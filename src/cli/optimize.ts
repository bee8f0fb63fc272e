/** `extremum optimize`: one run, here and now, without a service. */
import path from 'node:path';
import { ExtremumError } from '../common/errors.js';
import { ConfigError, parsePythonConfig } from '../config.js';
import { packageVersion } from '../common/version.js';
import { LocalRuns, type LocalRunResult } from '../local-runs.js';
import { endingAt } from '../model/run-record.js';
import type { RunReport } from '../runs/worker-protocol.js';
import { readCheckpoint, writeCheckpoint, writeNewCheckpoint, type Checkpoint } from './checkpoint-file.js';
import { loadObjective, printable, readSource } from './objective-file.js';
import { OPTIMIZE_HELP, parseOptimize, type OptimizeOptions } from './optimize-options.js';
import { csvReport, jsonReport, textReport, type FinishedRun } from './optimize-report.js';
import { createRunDisplay, type RunDisplay } from './run-display.js';
import { showsUnicode, sizeOf } from './terminal.js';

/** Exit codes; `--help` explains them. */
export const ExitCode = { Done: 0, Failed: 1, Usage: 2, Interrupted: 130 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What a run begins with. */
interface Beginning extends Pick<Checkpoint, 'file' | 'source' | 'task' | 'blackBox' | 'pythonMinor'> {
  /** To go on from. */
  readonly snapshot?: Uint8Array;
}

/** Resolves to the exit code. Rejects with a defect of ours only. */
export async function optimize(argv: readonly string[]): Promise<ExitCode> {
  // Whoever reads may have seen enough: no more is written, and nothing is wrong.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
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
      console.error(error.message);
      return ExitCode.Usage;
    }
    if (!(error instanceof ExtremumError)) throw error;
    console.error(error.message);
    return ExitCode.Failed;
  } finally {
    interruption.close();
  }
}

/** The first signal is handled by whoever listens; a second one ends the process. */
class Interruption {
  private readonly abort = new AbortController();
  private display: RunDisplay | null = null;
  private readonly onSignal = (): void => {
    if (this.isWanted) {
      this.display?.close();
      process.exit(ExitCode.Interrupted);
    }
    this.abort.abort();
  };

  constructor() {
    for (const name of SIGNALS) process.on(name, this.onSignal);
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
  }
}

async function carryOut(options: OptimizeOptions, interruption: Interruption): Promise<ExitCode> {
  const { search, threads } = options;
  const begun = search.kind === 'resume' ? resumed(search.checkpoint) : null;
  const code = search.kind === 'new' ? readSource(search.file) : '';
  const startedAt = Date.now();
  const local = await LocalRuns.open(parsePythonConfig(process.env, options.python), 1);
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
    try {
      const result = await runOf(local, beginning, threads, display, interruption);
      run = finished(beginning, result, options, startedAt);
    } finally {
      display.close();
    }
  } finally {
    await local.close();
  }
  return report(run, options);
}

type Search<Kind> = Extract<OptimizeOptions['search'], { readonly kind: Kind }>;

async function beginningOf(local: LocalRuns, search: Search<'new'>, code: string): Promise<Beginning> {
  const { file, task, blackBox } = search;
  const loaded = await loadObjective(local, file, code, search.function);
  const source = task.objectives === undefined ? loaded : { ...loaded, results: task.objectives };
  return { file, source, task, blackBox, pythonMinor: local.pythonMinor };
}

function resumed(file: string): Beginning {
  const { snapshot, program, ...beginning } = readCheckpoint(file);
  if (program !== packageVersion()) {
    console.error(
      `${file} was written by version ${program}, this is ${packageVersion()}: the rest may differ from what that would do.`,
    );
  }
  return { ...beginning, snapshot: new TextEncoder().encode(snapshot) };
}

async function runOf(
  local: LocalRuns,
  { task, source, blackBox, pythonMinor, snapshot }: Beginning,
  threads: number,
  display: RunDisplay,
  { signal }: Interruption,
): Promise<LocalRunResult> {
  signal.throwIfAborted();
  const run = local.start({
    task,
    source,
    blackBox,
    pythonMinor,
    threads,
    ...(snapshot === undefined ? {} : { checkpoint: snapshot }),
    onReport: (report) => display.report(report),
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
  options: OptimizeOptions,
  startedAt: number,
): FinishedRun {
  const { file, source, task, blackBox, pythonMinor } = beginning;
  const base = { file, source, task, blackBox, pythonMinor, startedAt, completedAt: Date.now() };
  if (result.kind === 'ended') {
    const { history, ...ending } = result.outcome;
    return { ...base, ending, history, checkpoint: null };
  }
  const { report } = result;
  return {
    ...base,
    ending: endingAt(report?.progress ?? null, 'cancelled'),
    history: report?.history ?? [],
    checkpoint: report === null ? null : keep(beginning, report, options),
  };
}

/** Writes the checkpoint; null where the report has none, or it could not be written, which is said. */
function keep(beginning: Beginning, report: RunReport, { search, checkpoint: wanted }: OptimizeOptions): string | null {
  if (report.checkpoint === undefined) return null;
  const { file, source, task, blackBox, pythonMinor } = beginning;
  const checkpoint: Checkpoint = {
    program: packageVersion(),
    file,
    source,
    task,
    blackBox,
    pythonMinor,
    evaluations: report.progress.evaluations,
    snapshot: new TextDecoder().decode(report.checkpoint),
  };
  const target = wanted ?? (search.kind === 'resume' ? search.checkpoint : undefined);
  try {
    if (target === undefined) return writeNewCheckpoint(path.basename(file, '.py'), checkpoint);
    writeCheckpoint(target, checkpoint);
    return target;
  } catch (error) {
    console.error(`The checkpoint could not be written: ${(error as Error).message}`);
    return null;
  }
}

async function report(run: FinishedRun, { output, withCurve }: OptimizeOptions): Promise<ExitCode> {
  await print(textOf(run, output, withCurve));
  const { terminationReason, error } = run.ending;
  if (terminationReason === 'cancelled') {
    const { checkpoint } = run;
    const how =
      checkpoint === null
        ? 'nothing to go on from was kept'
        : `go on with: extremum optimize --resume ${quoted(checkpoint)}`;
    console.error(`Interrupted; ${how}`);
    return ExitCode.Interrupted;
  }
  if (terminationReason !== 'error') return ExitCode.Done;
  console.error(printable(error?.message ?? 'The run failed.'));
  return ExitCode.Failed;
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

const quoted = (name: string): string => (/^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);

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
