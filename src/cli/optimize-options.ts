/** `extremum optimize`: its help, and what its arguments ask for. */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { budgetOf } from '../benchmarks/benchmark-run.js';
import { nearMatch } from '../common/near-match.js';
import { ConfigError } from '../config.js';
import { MAX_EXPLANATION_LEVEL } from '../model/explanation.js';
import { MAX_OBJECTIVES } from '../model/front.js';
import type { RunTask } from '../model/run-task.js';
import { strategies } from '../planner/all-strategies.js';
import type { LogWish } from '../runs/evaluation-log/open-log.js';
import { suits, unsuitability } from '../strategies/suitability.js';
import { parseBudgetFlag, parseInteger, parseMode, parseNumber } from './bench-options.js';
import {
  ACCESS_HELP,
  ACCESS_LISTS,
  ACCESS_SWITCHES,
  ACCESS_VALUES,
  parseAccess,
  type AccessWish,
} from './code-access.js';
import { parseFlags, type Flags } from './flags.js';
import { BOUNDS_HELP, readBounds } from './objective-file.js';
import { wrap } from './text-safety.js';

const HELP_INDENT = 24;
const HELP_WIDTH = 110;

export const OPTIMIZE_USAGE =
  'extremum optimize FILE.py --bounds ...           search here and now; "extremum optimize --help"';

export const OPTIMIZE_HELP = (): string => `Usage: extremum optimize FILE.py --bounds BOUNDS [options]
       extremum optimize --resume CHECKPOINT [options]

Searches for the x with the least f(x), f being a Python function in FILE.py. No service, no database: nothing is left behind.

  extremum optimize examples/rastrigin.py --bounds=-5:5x10
      ten variables, each from -5 to 5; 1000 evaluations; a strategy chosen on the way
  extremum optimize model.py --function loss --bounds 0:1,10:20 --budget 500D --explain 3
      two variables; 500 evaluations for each; then what happened, and why
  extremum optimize model.py --bounds 0:1x4 --maximize --target 0.99 --timeout 60
      the largest value; ends at 0.99, or after a minute
  extremum optimize model.py --bounds 0:1x4 --seed 7 --json | jq .best_solution
      the same result each time, for a script

Ctrl-C keeps what was found: the best so far is printed and a checkpoint written. "extremum optimize --resume CHECKPOINT" goes on
from there, to the very bits of a run that nobody disturbed. A second Ctrl-C ends at once and keeps nothing.

The search:
${BOUNDS_HELP}
  --objectives K        1 (default) to 4: the function returns so many numbers, and the answer is a front, best trade-offs between them
  --function NAME       the objective in FILE.py (default: the one named as the file, f, objective, or the last that takes one argument)
  --budget B            evaluations: 1000 (default), or 200D for 200 times the number of variables
  --strategy NAME       default: planner, which chooses on the way; known:
                        ${strategyList()}
  --mode MODE           fast (ends when it has converged), balanced (default), or accurate (goes on until the budget is used up)
  --seed S              the same seed gives the same result in every bit (default: drawn, and printed)
  --maximize            larger values are better
  --target VALUE        ends when it is reached
  --timeout SECONDS     ends then, with the best so far
  --stagnation N        ends after N evaluations without an improvement
  --start X             where to begin: x1,x2,... within the bounds
  --precision P         f64 (default), or f32: a GPU may value candidates in single precision, the best ones again in double; without a
                        GPU all are in double, and the answer says so
  --black-box           the program is only called, never read: no gradients, no structure
  --stateless           calls do not depend on each other: for a slow function that is not compiled, as many candidates as there are
                        processes (PYTHON_PROCESSES_PER_RUN, default: one per core) are asked for and valued at once

The answer:
  --explain LEVEL       0 nothing, 1 result in a sentence (default), 2 why this strategy, 3 the course, 4 what matters, 5 every decision;
                        4 and 5 spend up to a tenth of the budget on it
  --json                one object: the record of a run as the service's API has it, and \`history\`
  --csv                 every improvement: evaluations,best_fitness,elapsed_seconds (of very many, 2,000); with several objectives the
                        front: f1,f2,...,x1,x2,...
  --no-curve            no drawing
  --log-evaluations FILE
                        a new CSV file with a row for each evaluation: number, kind, value, x; of a resumed run those from then on

Where it runs:
  --threads N           threads of one evaluation (default: number of cores); the result does not depend on it
  --no-gpu              no GPU is used; else one is where it is measured to be faster, to the same bits ("extremum devices")
  --python PROGRAM      for what is not compiled (default: $PYTHON, or python3; "off": none), in a sandbox; its limits are
                        those of the service, PYTHON_... in the environment
${ACCESS_HELP}
  --verify on|off       whether CPython confirms values of compiled code beside the search (default: $VERIFY, or on); where it
                        disagrees the search begins again in CPython
  --checkpoint FILE     a new file, written every second or so: what is left of a run that is killed, interrupted, or out of time
                        (default: only Ctrl-C writes one, NAME.checkpoint.json here; a resumed run writes to the file of --resume)
  --resume CHECKPOINT   go on; the search is as it was begun, so only the options of the last two groups but --explain go with it,
                        and --timeout, which counts from now on

Progress goes to standard error, and only where that is a terminal; with NO_COLOR or TERM=dumb a line every ten seconds. The answer goes to
standard output.

Exit codes: 0 done; 1 the run failed: the objective cannot be used, or gave no finite number; 2 wrong usage, a file that is not there;
130 interrupted (Ctrl-C, SIGTERM, SIGHUP).`;

/** Strategies, in lines below the options' explanations. */
const strategyList = (): string =>
  wrap(strategies.map(({ name }) => name).join(', '), HELP_WIDTH).join(`\n${' '.repeat(HELP_INDENT)}`);

const SEARCH_VALUES = [
  'function',
  'bounds',
  'budget',
  'strategy',
  'mode',
  'seed',
  'target',
  'timeout',
  'stagnation',
  'start',
  'explain',
  'objectives',
  'precision',
];
const SEARCH_SWITCHES = ['maximize', 'black-box', 'stateless'];
const OTHER_VALUES = ['threads', 'python', 'verify', 'checkpoint', 'resume', 'log-evaluations', ...ACCESS_VALUES];
const OTHER_SWITCHES = ['no-gpu', 'json', 'csv', 'no-curve', 'help', ...ACCESS_SWITCHES];
const SEED_RANGE = 2 ** 32;
const DEFAULT_EXPLANATION = 1;

/** The search to make: a new one, or one to go on with. */
type SearchOrigin =
  | {
      readonly kind: 'new';
      readonly file: string;
      /** Absent: whichever an upload would take. */
      readonly function?: string;
      readonly task: RunTask;
      readonly blackBox: boolean;
      /** Absent: `f64`. */
      readonly precision?: 'f32';
      /** See `ObjectiveSource.stateless`; absent: it is judged. */
      readonly stateless?: true;
    }
  | {
      readonly kind: 'resume';
      readonly checkpoint: string;
      /** Time from now on. Absent: the rest of the time that the search was given. */
      readonly timeoutSeconds?: number;
    };

export interface OptimizeOptions {
  readonly search: SearchOrigin;
  readonly output: 'text' | 'json' | 'csv';
  readonly withCurve: boolean;
  readonly threads: number;
  /** Whether a GPU may be used. */
  readonly gpu: boolean;
  readonly python?: string;
  readonly access: AccessWish;
  /** As it was written; absent: what the environment says. */
  readonly verify?: string;
  /** Absent: the default. */
  readonly checkpoint?: string;
  /** Absent: evaluations are not written. */
  readonly log?: LogWish;
}

/** Null: help is wanted. @throws {ConfigError} */
export function parseOptimize(argv: readonly string[]): OptimizeOptions | null {
  if (argv.includes('--help') || argv.includes('-h') || argv[0] === 'help') return null;
  const flags = parseFlags(
    argv,
    [...SEARCH_VALUES, ...OTHER_VALUES],
    [...SEARCH_SWITCHES, ...OTHER_SWITCHES],
    ACCESS_LISTS,
  );
  const { switches } = flags;
  if (switches.has('json') && switches.has('csv')) throw new ConfigError('--json and --csv exclude each other.');
  const python = flags.value('python');
  const verify = flags.value('verify');
  const checkpoint = flags.value('checkpoint');
  return {
    search: searchOf(flags),
    output: switches.has('json') ? 'json' : switches.has('csv') ? 'csv' : 'text',
    withCurve: !switches.has('no-curve'),
    threads: parseInteger(flags, 'threads', 1, 1024, availableParallelism()),
    gpu: !switches.has('no-gpu'),
    python,
    access: parseAccess(flags),
    verify,
    checkpoint,
    log: logOf(flags.value('log-evaluations')),
  };
}

function logOf(file: string | undefined): LogWish | undefined {
  if (file === undefined) return undefined;
  if (/\.(?:parquet|xlsx|json)$/i.test(file)) {
    throw new ConfigError(`--log-evaluations writes CSV: name the file ....csv, not ${JSON.stringify(file)}.`);
  }
  return { file: resolve(file) };
}

function searchOf(flags: Flags): SearchOrigin {
  const [file, extra] = flags.positionals;
  if (extra !== undefined) throw new ConfigError(`Unknown argument ${JSON.stringify(extra)}.`);
  const checkpoint = flags.value('resume');
  if (checkpoint !== undefined) {
    const other =
      file ??
      [
        ...SEARCH_VALUES.filter((name) => name !== 'timeout' && flags.value(name) !== undefined),
        ...SEARCH_SWITCHES.filter((name) => flags.switches.has(name)),
      ]
        .map((name) => `--${name}`)
        .at(0);
    const timeoutSeconds = parseTimeout(flags);
    if (other === undefined) {
      return { kind: 'resume', checkpoint, timeoutSeconds };
    }
    throw new ConfigError(`${other} does not go with --resume: the search is as it was begun.`);
  }
  if (file === undefined) throw new ConfigError('Which file? extremum optimize FILE.py --bounds ...');
  const name = flags.value('function');
  return {
    kind: 'new',
    file,
    function: name,
    task: taskOf(flags),
    blackBox: flags.switches.has('black-box'),
    ...(parsePrecision(flags) === 'f32' ? { precision: 'f32' as const } : {}),
    ...(flags.switches.has('stateless') ? { stateless: true } : {}),
  };
}

function taskOf(flags: Flags): RunTask {
  const bounds = readBounds(flags);
  const objectives = parseInteger(flags, 'objectives', 1, MAX_OBJECTIVES, 1);
  const strategy = parseStrategy(flags, bounds.length, objectives);
  const targetFitness = parseNumber(flags, 'target');
  if (targetFitness !== undefined && objectives > 1) {
    throw new ConfigError('--target is for one objective: a front has no single value.');
  }
  const timeoutSeconds = parseTimeout(flags);
  const maxEvaluations = budgetOf(parseBudgetFlag(flags), bounds.length);
  const stagnation = flags.value('stagnation');
  const initialSolution = parseStart(flags, bounds);
  return {
    bounds,
    maxEvaluations,
    seed: parseInteger(flags, 'seed', 0, 999_999_999_999_999, randomInt(SEED_RANGE)),
    direction: flags.switches.has('maximize') ? 'maximize' : 'minimize',
    mode: parseMode(flags),
    objectives: objectives === 1 ? undefined : objectives,
    strategy,
    timeoutSeconds,
    targetFitness,
    stagnationEvaluations:
      stagnation === undefined ? undefined : parseInteger(flags, 'stagnation', 1, 1_000_000_000, 1),
    initialSolution,
    explanationLevel: parseInteger(flags, 'explain', 0, MAX_EXPLANATION_LEVEL, DEFAULT_EXPLANATION),
  };
}

function parsePrecision(flags: Flags): 'f64' | 'f32' {
  const wanted = flags.value('precision') ?? 'f64';
  if (wanted !== 'f64' && wanted !== 'f32') {
    throw new ConfigError(`--precision is ${JSON.stringify(wanted)}; it must be f64 or f32.`);
  }
  if (wanted === 'f32' && parseInteger(flags, 'objectives', 1, MAX_OBJECTIVES, 1) > 1) {
    throw new ConfigError('--precision f32 is for one objective: of several there is no best candidate.');
  }
  return wanted;
}

function parseTimeout(flags: Flags): number | undefined {
  const seconds = parseNumber(flags, 'timeout');
  if (seconds === undefined || seconds > 0) return seconds;
  throw new ConfigError(`--timeout is ${JSON.stringify(flags.value('timeout'))}; it must be above 0 seconds.`);
}

function parseStrategy(flags: Flags, dimension: number, objectives: number): string | undefined {
  const name = flags.value('strategy');
  if (name === undefined) return undefined;
  const found = strategies.find((strategy) => strategy.name === name);
  if (found === undefined) {
    const names = strategies.map((strategy) => strategy.name);
    const meant = nearMatch(name, names);
    const advice = meant === null ? '' : `did you mean ${meant}? `;
    throw new ConfigError(`--strategy is ${JSON.stringify(name)}; ${advice}known: ${names.join(', ')}.`);
  }
  const task = { dimension, objectives };
  const why = unsuitability(found.capabilities, task);
  if (why === null) return name;
  const suitable = strategies.filter(({ capabilities }) => suits(capabilities, task)).map((strategy) => strategy.name);
  throw new ConfigError(`--strategy ${name} ${why}; suitable: ${suitable.join(', ')}.`);
}

function parseStart(flags: Flags, bounds: RunTask['bounds']): number[] | undefined {
  const text = flags.value('start');
  if (text === undefined) return undefined;
  const start = text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(',')
    .map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (start.length !== bounds.length || !start.every(Number.isFinite)) {
    throw new ConfigError(
      `--start is ${JSON.stringify(text)}; it must be ${bounds.length} numbers joined by commas, one for each variable.`,
    );
  }
  const outside = start.findIndex((value, i) => value < bounds[i][0] || value > bounds[i][1]);
  if (outside < 0) return start;
  const [low, high] = bounds[outside];
  throw new ConfigError(`--start: coordinate ${outside + 1} is ${start[outside]}, outside its bounds ${low}:${high}.`);
}
