/**
 * `extremum bench`: benchmarks for those who compare strategies. Reads the command line, prints tables, writes files.
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { RunConditions } from '../benchmarks/benchmark-run.js';
import { carryOutExperiment, type BenchmarkExperiment } from '../benchmarks/benchmark-experiment.js';
import { openExperimentFolder } from '../benchmarks/experiment-folder.js';
import { numbersText, parseNumbers } from '../benchmarks/notation.js';
import { PEERS_FILE, readPeers } from '../benchmarks/report/peers.js';
import { reportText, writeReport } from '../benchmarks/report/write-report.js';
import { FUNCTION_COUNT, MAX_INSTANCE, SUITES, type SuiteName } from '../benchmarks/suites.js';
import { ExtremumError } from '../common/errors.js';
import { ConfigError } from '../config.js';
import { benchFile, FILE_HELP } from './bench-file.js';
import { parseBudgetFlag, parseInteger, parseMode, parseStrategies, strategyNames } from './bench-options.js';
import { parseFlags, type Flags } from './flags.js';
import { createProgressBar } from './progress-bar.js';

export const BENCH_USAGE =
  'extremum bench SUITE | file FILE.py              measure strategies; "extremum bench --help"';

const help = (): string => `Usage: extremum bench SUITE [options]
       extremum bench file FILE.py --bounds ... [options]

Runs strategies on benchmark functions and measures how many of the 51 precision targets f - fopt = 1e2 ... 1e-8 they reach, and how
fast. A run ends at its budget or at f - fopt <= 1e-8; a strategy that ends by itself earlier is started again with what is left.

  extremum bench bbob --dims 2,5 --instances 1-3                a first look, all strategies
  extremum bench bbob --dims 2,5,10,20 --strategies cma-es      the usual measurement of one strategy
  extremum bench bbob --budget 2000D --mode accurate            longer runs: 2,000 evaluations for each dimension
  extremum bench bbob --dims 5 --noise 0.01                     1 % multiplicative noise
  extremum bench bbob --stretched                               the optimum is not near the centre of the box

Suites:
${Object.entries(SUITES)
  .map(([name, suite]) => `  ${name.padEnd(18)} ${suite.title}, ${suite.minDimension}-D to ${suite.maxDimension}-D`)
  .join('\n')}

Options:
  --dims LIST           dimensions, e.g. 2,5,10 (default: the suite's usual ones)
  --functions LIST      e.g. 1-24 (default) or 1,8,15
  --instances LIST      e.g. 1-5 (default); another instance is another rotation and shift of the same function
  --repetitions R       runs with other seeds on each instance (default 1)
  --budget B            evaluations of one run: 1000 (default), or 200D for 200 times the dimension
  --strategies LIST     default all that search in so many dimensions, of: ${strategyNames().join(', ')}
  --mode MODE           fast, balanced (default) or accurate, as in a request
  --noise S             f - fopt is multiplied by exp(S N(0,1)); targets are judged without noise
  --stretched           bounds [-5 - a, 5 + b] with a, b up to 15, drawn for each coordinate
  --seed S              shifts the seeds of all runs (default 0: those of the protocol)
  --out DIR             where runs are kept and results are written (default ./extremum-bench/SUITE)
  --resume              go on where an earlier call with this folder stopped (default)
  --fresh               throw away what the folder has
  --workers N           threads (default: number of cores); the results do not depend on it
  --peers FILE          published figures to stand beside: peers.csv or JSON (default: those that come with the program; "off": none)

Prints for each dimension: hit (share of targets reached) with its standard error, area under the curve over log evaluations, share of
solved runs, the hits by function group, and pairwise comparisons. Writes to DIR: runs.csv, summary.csv, ecdf.csv, ecdf-<n>D.svg, and
coco/<strategy>/ with COCO's .info, .dat and .tdat files, which cocopp and IOHanalyzer read.

"extremum bench file --help" tells how to compare strategies on an objective of your own.

Exit codes: 0 done; 1 it failed; 2 wrong usage; 130 interrupted (what is done is kept, the same call goes on).`;

const VALUES = [
  'dims',
  'functions',
  'instances',
  'repetitions',
  'budget',
  'strategies',
  'mode',
  'noise',
  'seed',
  'out',
  'workers',
  'peers',
];
const SWITCHES = ['stretched', 'resume', 'fresh', 'help'];

/** @throws {ConfigError} on bad arguments. */
export async function bench(argv: readonly string[]): Promise<void> {
  const [what, ...rest] = argv;
  const asksForHelp = rest.includes('--help');
  if (what === 'file' && asksForHelp) return console.log(FILE_HELP);
  if (what === undefined || what === 'help' || what === '--help' || asksForHelp) return console.log(help());
  if (what === 'file') return void (await interruptible((signal) => benchFile(rest, signal)));
  if (!Object.hasOwn(SUITES, what)) {
    const known = [...Object.keys(SUITES), 'file'].join(', ');
    throw new ConfigError(`There is no benchmark ${JSON.stringify(what)}; known: ${known}.`);
  }
  await benchSuite(what as SuiteName, parseFlags(rest, VALUES, SWITCHES));
}

async function benchSuite(suite: SuiteName, flags: Flags): Promise<void> {
  const experiment = experimentOf(suite, flags);
  const workers = parseInteger(flags, 'workers', 1, 1024, availableParallelism());
  const out = path.resolve(flags.value('out') ?? path.join('extremum-bench', suite));
  const peersFile = flags.value('peers') ?? PEERS_FILE;
  const peers = peersFile === 'off' ? [] : readPeers(peersFile);
  const fresh = flags.switches.has('fresh');
  if (fresh && flags.switches.has('resume')) throw new ConfigError('--fresh and --resume exclude each other.');
  const folder = openExperimentFolder(out, experiment.conditions, { fresh });
  const runs = await interruptible((signal) => {
    const bar = createProgressBar(process.stderr, 'runs', () => performance.now());
    return carryOutExperiment(experiment, {
      folder,
      workers,
      signal,
      onProgress: (done, total) => bar.show(done, total),
    }).finally(() => bar.clear());
  });
  if (runs === null) return;
  writeReport(out, experiment, runs, peers);
  console.log(reportText(experiment, runs, peers));
  console.log(`Written to ${out}: runs.csv, summary.csv, ecdf.csv, ecdf-<n>D.svg, coco/`);
}

function experimentOf(suite: SuiteName, flags: Flags): BenchmarkExperiment {
  const [extra] = flags.positionals;
  if (extra !== undefined) throw new ConfigError(`Unknown argument ${JSON.stringify(extra)}.`);
  const { minDimension, maxDimension, usualDimensions } = SUITES[suite];
  const noise = Number(flags.value('noise') ?? 0);
  if (!(noise >= 0 && noise <= 10)) {
    throw new ConfigError(`--noise is ${JSON.stringify(flags.value('noise'))}; it must be a number from 0 to 10.`);
  }
  const conditions: RunConditions = {
    suite,
    budget: parseBudgetFlag(flags),
    mode: parseMode(flags),
    seed: parseInteger(flags, 'seed', 0, 10_000_000, 0),
    noise,
    stretched: flags.switches.has('stretched'),
  };
  const dimensions = parseList(flags, 'dims', minDimension, maxDimension, numbersText(usualDimensions));
  return {
    dimensions,
    functions: parseList(flags, 'functions', 1, FUNCTION_COUNT, `1-${FUNCTION_COUNT}`),
    instances: parseList(flags, 'instances', 1, MAX_INSTANCE, '1-5'),
    repetitions: parseInteger(flags, 'repetitions', 1, 10_000, 1),
    strategies: parseStrategies(flags, Math.max(...dimensions)),
    conditions,
  };
}

function parseList(flags: Flags, name: string, low: number, high: number, fallback: string): number[] {
  const text = flags.value(name) ?? fallback;
  const list = parseNumbers(text, low, high);
  if (list !== null) return list;
  const rule = `it must be a list like 2,5,10 or 1-5 of numbers from ${low} to ${high}`;
  throw new ConfigError(`--${name} is ${JSON.stringify(text)}; ${rule}.`);
}

/** Null when Ctrl-C (or SIGTERM) ended the work; the exit code is then set. A second one ends the process at once. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
  const abort = new AbortController();
  const stop = (): void => (abort.signal.aborted ? process.exit(130) : abort.abort());
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    return await work(abort.signal);
  } catch (error) {
    if (!(error instanceof ExtremumError) || error.code !== 'cancelled') throw error;
    console.error(error.message);
    process.exitCode = 130;
    return null;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
