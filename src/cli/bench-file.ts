/** `extremum bench file`: strategies on the user's own objective. A composition root: it starts what evaluates the objective. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { budgetOf } from '../benchmarks/benchmark-run.js';
import { carryOutFileExperiment, type FileExperiment } from '../benchmarks/file-experiment.js';
import { fileHistoryCsv, fileReportText, fileRunsCsv } from '../benchmarks/report/file-report.js';
import { ExtremumError } from '../common/errors.js';
import { silentLogger } from '../common/logger.js';
import { ConfigError, parseConfig } from '../config.js';
import { startPython } from '../main.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { RunOutcome, RunTask } from '../model/run-task.js';
import type { PythonHost } from '../runs/python-host.js';
import { errorOf, WorkerPools } from '../runs/worker-pools.js';
import { CONTROL_CELLS, type RunJob } from '../runs/worker-protocol.js';
import { parseBudgetFlag, parseInteger, parseMode, parseStrategies } from './bench-options.js';
import { parseFlags, type Flags } from './flags.js';
import { createProgressBar } from './progress-bar.js';

export const FILE_HELP = `Usage: extremum bench file FILE.py --bounds BOUNDS [options]

Compares strategies on an objective of your own: several runs of each, the best value found, and a rank test that says which
differences chance explains.

  extremum bench file examples/rastrigin.py --bounds=-4:6.6x10 --budget 200D
  extremum bench file model.py --function loss --bounds 0:1,10:20 --strategies cma-es --repetitions 21

Options:
  --bounds BOUNDS       LOW:HIGH for each coordinate, joined by commas; LOW:HIGHxN for N alike; or JSON, [[-5, 5], [0, 1]]
  --function NAME       the objective in FILE (default: f, objective, or the last that takes one argument)
  --budget B            evaluations of one run: 1000 (default), or 200D for 200 times the dimension
  --strategies LIST     default: all
  --repetitions R       runs of each strategy, from different seeds (default 11)
  --mode MODE           fast, balanced (default) or accurate, as in a request
  --maximize            larger values are better
  --target VALUE        a run ends when it is reached; the table shows how many reached it
  --seed S              of the first repetition (default 1)
  --workers N           runs at a time (default: number of cores); the results do not depend on it
  --python PROGRAM      for objectives that are not compiled (default: $PYTHON, or python3; "off": none); its limits are
                        those of the service, PYTHON_... in the environment
  --out DIR             write runs.csv and history.csv there`;

const VALUES = [
  'bounds',
  'function',
  'budget',
  'strategies',
  'repetitions',
  'mode',
  'target',
  'seed',
  'workers',
  'python',
  'out',
];
const SWITCHES = ['maximize', 'help'];
const MAX_DIMENSION = 10_000;

/** @throws {ConfigError} on bad arguments; {ExtremumError} when the objective cannot be used. */
export async function benchFile(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const flags = parseFlags(argv, VALUES, SWITCHES);
  const [file, extra] = flags.positionals;
  if (file === undefined) throw new ConfigError('Which file? extremum bench file FILE.py --bounds ...');
  if (extra !== undefined) throw new ConfigError(`Unknown argument ${JSON.stringify(extra)}.`);
  const experiment = experimentOf(flags);
  const workers = parseInteger(flags, 'workers', 1, 1024, availableParallelism());
  const code = readSource(file);
  const interpreter = flags.value('python');
  const config = parseConfig(process.env, interpreter === undefined ? [] : ['--python', interpreter]);
  const pools = new WorkerPools(Math.min(workers, experiment.strategies.length * experiment.repetitions), silentLogger);
  try {
    const python = await startPython(config, silentLogger, { pythonTaken: () => {}, pythonEnded: () => {} });
    try {
      const source = await analyze(pools, file, code, flags.value('function'));
      const bar = createProgressBar(process.stderr, 'runs', () => performance.now());
      const runs = await carryOutFileExperiment(experiment, {
        carryOut: (task) => carryOut(pools, python, source, task, signal),
        workers,
        onProgress: (done, total) => bar.show(done, total),
      }).finally(() => bar.clear());
      const { bounds, budget, repetitions } = experiment;
      const backends = [...new Set(runs.map((run) => run.backend))].join(', ');
      console.log(
        `${path.basename(file)}, ${bounds.length}-D, ${budget} evaluations, ${repetitions} runs each, by ${backends}`,
      );
      console.log(fileReportText(experiment, runs));
      const out = flags.value('out');
      if (out === undefined) return;
      mkdirSync(out, { recursive: true });
      writeFileSync(path.join(out, 'runs.csv'), fileRunsCsv(runs));
      writeFileSync(path.join(out, 'history.csv'), fileHistoryCsv(runs));
      console.log(`Written to ${out}: runs.csv, history.csv`);
    } finally {
      await python.close();
    }
  } finally {
    await pools.close();
  }
}

function experimentOf(flags: Flags): FileExperiment {
  const text = flags.value('bounds');
  if (text === undefined) throw new ConfigError('--bounds is needed, as --bounds=-5:5x10 or --bounds 0:1,10:20.');
  const bounds = parseBounds(text);
  const target = flags.value('target');
  if (target !== undefined && !Number.isFinite(Number(target))) {
    throw new ConfigError(`--target is ${JSON.stringify(target)}; it must be a number.`);
  }
  return {
    strategies: parseStrategies(flags, bounds.length),
    repetitions: parseInteger(flags, 'repetitions', 1, 10_000, 11),
    bounds,
    budget: budgetOf(parseBudgetFlag(flags), bounds.length),
    direction: flags.switches.has('maximize') ? 'maximize' : 'minimize',
    mode: parseMode(flags),
    seed: parseInteger(flags, 'seed', 0, 1_000_000_000, 1),
    ...(target === undefined ? {} : { target: Number(target) }),
  };
}

/** @throws {ConfigError} */
export function parseBounds(text: string): (readonly [number, number])[] {
  const pairs = text.trimStart().startsWith('[') ? boundsFromJson(text) : boundsFromShorthand(text);
  if (pairs === null || pairs.length === 0) {
    const rule = 'it must be LOW:HIGH for each coordinate, as 0:1,10:20 or -5:5x10, or JSON, as [[0, 1], [10, 20]]';
    throw new ConfigError(`--bounds is ${JSON.stringify(text)}; ${rule}.`);
  }
  if (pairs.length > MAX_DIMENSION) {
    throw new ConfigError(`--bounds has ${pairs.length} coordinates; at most ${MAX_DIMENSION} are possible.`);
  }
  pairs.forEach(([low, high], i) => {
    if (low < high && Number.isFinite(high - low)) return;
    throw new ConfigError(`--bounds: coordinate ${i + 1} has ${low}:${high}; the lower bound must be below the upper.`);
  });
  return pairs;
}

function boundsFromJson(text: string): (readonly [number, number])[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const isPair = (pair: unknown): pair is [number, number] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((v) => typeof v === 'number');
  return Array.isArray(parsed) && parsed.every(isPair) ? parsed : null;
}

function boundsFromShorthand(text: string): (readonly [number, number])[] | null {
  const pairs: (readonly [number, number])[] = [];
  for (const part of text.split(',')) {
    const match = /^\s*([^:\s]+)\s*:\s*([^:\sx]+)\s*(?:x\s*(\d{1,6}))?\s*$/.exec(part);
    const [low, high, times] = [Number(match?.[1]), Number(match?.[2]), Number(match?.[3] ?? 1)];
    if (match === null || !Number.isFinite(low) || !Number.isFinite(high) || times > MAX_DIMENSION) return null;
    for (let i = 0; i < times; i++) pairs.push([low, high]);
  }
  return pairs;
}

function readSource(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${file} cannot be read: ${(cause as Error).message}`);
  }
}

async function analyze(
  pools: WorkerPools,
  file: string,
  code: string,
  name: string | undefined,
): Promise<ObjectiveSource> {
  const result = await pools.analyze({ code, name: name ?? path.basename(file, '.py') });
  if (result.kind === 'failed') throw errorOf(result);
  const { errors, source, vectorized } = result.analysis;
  const [first] = errors;
  if (first !== undefined) {
    throw new ExtremumError('objective_rejected', `${file}:${first.line}:${first.column}: ${first.message}`);
  }
  if (source === null) throw new ExtremumError('objective_rejected', `${file} has no objective.`);
  // An upload falls back to other names; who names a function here means that one.
  if (name !== undefined && source.entry !== name) {
    throw new ExtremumError('objective_rejected', `${file} has no function ${name} that takes one argument.`);
  }
  return vectorized ? { ...source, vectorized } : source;
}

async function carryOut(
  pools: WorkerPools,
  python: PythonHost,
  source: ObjectiveSource,
  task: RunTask,
  signal: AbortSignal,
): Promise<RunOutcome> {
  // Nobody listens to reports; the port is there because a run has one.
  const { port1: reports, port2: remoteReports } = new MessageChannel();
  const offer = python.offer(source, task.bounds.length);
  const job: RunJob = {
    task,
    source,
    pythonMinor: python.pythonMinor,
    math: 'exact',
    blackBox: false,
    knowledge: null,
    checkpoint: null,
    extension: null,
    control: new Int32Array(new SharedArrayBuffer(4 * CONTROL_CELLS.count)),
    threads: 1,
    reports: remoteReports,
    python: offer.access,
  };
  try {
    const result = await pools.carryOut(job, signal);
    if (result.kind === 'failed') throw errorOf(result);
    if (result.kind === 'suspended') throw new ExtremumError('cancelled', 'The run was suspended.');
    return result.outcome;
  } catch (error) {
    if (signal.aborted) throw new ExtremumError('cancelled', 'Interrupted.', { cause: error });
    throw error;
  } finally {
    reports.close();
    offer.withdraw();
  }
}
