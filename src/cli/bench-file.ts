/**
 * `extremum bench file`: strategies on the user's own objective. A composition root: it starts what evaluates the
 * objective.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { budgetOf } from '../benchmarks/benchmark-run.js';
import { carryOutFileExperiment, type FileExperiment } from '../benchmarks/file-experiment.js';
import { fileHistoryCsv, fileReportText, fileRunsCsv } from '../benchmarks/report/file-report.js';
import { ExtremumError } from '../common/errors.js';
import { ConfigError, parsePythonConfig } from '../config.js';
import { LocalRuns } from '../local-runs.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { RunOutcome, RunTask } from '../model/run-task.js';
import { parseBudgetFlag, parseInteger, parseMode, parseNumber, parseStrategies } from './bench-options.js';
import {
  ACCESS_HELP,
  ACCESS_LISTS,
  ACCESS_SWITCHES,
  ACCESS_VALUES,
  accessOf,
  parseAccess,
  withAccess,
  withAdvice,
} from './code-access.js';
import { parseFlags, type Flags } from './flags.js';
import { BOUNDS_HELP, loadObjective, readBounds, readSource } from './objective-file.js';
import { createProgressBar } from './progress-bar.js';

export const FILE_HELP = `Usage: extremum bench file FILE.py --bounds BOUNDS [options]

Compares strategies on an objective of your own: several runs of each, the best value found, and a rank test that says which
differences chance explains.

  extremum bench file examples/rastrigin.py --bounds=-4:6.6x10 --budget 200D
  extremum bench file model.py --function loss --bounds 0:1,10:20 --strategies cma-es --repetitions 21

Options:
${BOUNDS_HELP}
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
${ACCESS_HELP}
  --out DIR             write runs.csv and history.csv there

Exit codes: 0 done; 1 the objective cannot be used; 2 wrong usage; 130 interrupted.`;

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
  ...ACCESS_VALUES,
];
const SWITCHES = ['maximize', 'help', ...ACCESS_SWITCHES];

/** @throws {ConfigError} on bad arguments; {ExtremumError} when the objective cannot be used. */
export async function benchFile(argv: readonly string[], signal: AbortSignal): Promise<void> {
  const flags = parseFlags(argv, VALUES, SWITCHES, ACCESS_LISTS);
  const [file, extra] = flags.positionals;
  if (file === undefined) throw new ConfigError('Which file? extremum bench file FILE.py --bounds ...');
  if (extra !== undefined) throw new ConfigError(`Unknown argument ${JSON.stringify(extra)}.`);
  const experiment = experimentOf(flags);
  const workers = parseInteger(flags, 'workers', 1, 1024, availableParallelism());
  const code = readSource(file);
  const wish = parseAccess(flags);
  const access = accessOf(wish, file, code);
  const config = withAccess(parsePythonConfig(process.env, flags.value('python')), wish, access);
  const local = await LocalRuns.open(config, Math.min(workers, experiment.strategies.length * experiment.repetitions));
  try {
    const source = await loadObjective(local, file, code, flags.value('function'));
    const bar = createProgressBar(process.stderr, 'runs', () => performance.now());
    const runs = await carryOutFileExperiment(experiment, {
      carryOut: (task) => carryOut(local, source, task, signal),
      workers,
      onProgress: (done, total) => bar.show(done, total),
    })
      .catch((error: unknown) => {
        throw error instanceof ExtremumError ? withAdvice(error, access) : error;
      })
      .finally(() => bar.clear());
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
    await local.close();
  }
}

function experimentOf(flags: Flags): FileExperiment {
  const bounds = readBounds(flags);
  const target = parseNumber(flags, 'target');
  return {
    strategies: parseStrategies(flags, bounds.length),
    repetitions: parseInteger(flags, 'repetitions', 1, 10_000, 11),
    bounds,
    budget: budgetOf(parseBudgetFlag(flags), bounds.length),
    direction: flags.switches.has('maximize') ? 'maximize' : 'minimize',
    mode: parseMode(flags),
    seed: parseInteger(flags, 'seed', 0, 1_000_000_000, 1),
    target,
  };
}

async function carryOut(
  runs: LocalRuns,
  source: ObjectiveSource,
  task: RunTask,
  signal: AbortSignal,
): Promise<RunOutcome> {
  if (signal.aborted) throw new ExtremumError('cancelled', 'Interrupted.');
  const run = runs.start({ task, source });
  const stop = (): void => run.stop('cancel');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const result = await run.result;
    if (result.kind === 'suspended' || signal.aborted) throw new ExtremumError('cancelled', 'Interrupted.');
    return result.outcome;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
