/** A business problem that is solved in this process, with its answer on standard output. */
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { silentLogger } from '../common/logger.js';
import { failureFrom } from '../common/thread-call.js';
import { ConfigError } from '../config.js';
import { checkConfig } from '../domains/configs.js';
import type { ProblemType } from '../domains/problem-type.js';
import type { Json, ProblemSource } from '../model/problem.js';
import type { Mode, RunTask } from '../model/run-task.js';
import { WorkerPools } from '../runs/worker-pools.js';
import { CONTROL_CELLS, Control, type SolveResult } from '../runs/worker-protocol.js';
import type { Flags } from './flags.js';
import { ExitCode } from './optimize.js';
import { forReader, printable, terminalJson } from './text-safety.js';

/** How a problem is to be solved, and what is to be shown. */
interface Solving {
  readonly seed: number;
  readonly maxEvaluations: number;
  readonly mode: Mode;
  readonly timeoutSeconds: number | undefined;
  /** Folder for pictures. */
  readonly pictures: string | undefined;
  readonly isJson: boolean;
}

/** Flags with a value each; `--json` has none. */
export const SOLVING_FLAGS: readonly string[] = ['seed', 'max-evaluations', 'mode', 'timeout', 'pictures'];

const DEFAULT_EVALUATIONS = 1_000;
const MODES: readonly Mode[] = ['fast', 'balanced', 'accurate'];
const SEED_RANGE = 2 ** 32;
/** Entries of a list in the answer that are shown. */
const SHOWN_ENTRIES = 12;

/** @throws {ConfigError} */
export function solvingOf(flags: Flags): Solving {
  return {
    seed: numberOf(flags, 'seed', -Number.MAX_SAFE_INTEGER, true) ?? randomInt(SEED_RANGE),
    maxEvaluations: numberOf(flags, 'max-evaluations', 1, true) ?? DEFAULT_EVALUATIONS,
    mode: modeOf(flags),
    timeoutSeconds: numberOf(flags, 'timeout', 0, false),
    pictures: flags.value('pictures'),
    isJson: flags.switches.has('json'),
  };
}

function numberOf(flags: Flags, name: string, least: number, isInteger: boolean): number | undefined {
  const text = flags.value(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= least && (!isInteger || Number.isSafeInteger(value))) return value;
  throw new ConfigError(
    `--${name} must be ${isInteger ? 'a whole number' : 'a number'} from ${least} on, not ${text}.`,
  );
}

function modeOf(flags: Flags): Mode {
  const text = flags.value('mode') ?? 'balanced';
  const mode = MODES.find((one) => one === text);
  if (mode === undefined) throw new ConfigError(`--mode must be one of ${MODES.join(', ')}, not ${text}.`);
  return mode;
}

/** @throws {ExtremumError} `invalid_request` where the config is wrong */
export async function solveHere(type: ProblemType, config: unknown, asked: Solving): Promise<ExitCode> {
  const { seed, maxEvaluations, mode, timeoutSeconds, pictures, isJson } = asked;
  const checked = checkConfig(type, config);
  const task: RunTask = {
    bounds: [],
    maxEvaluations,
    seed,
    direction: checked.model.sense(checked.config),
    mode,
    timeoutSeconds,
  };
  const source: ProblemSource = { problem: checked.reference, config };
  const pools = new WorkerPools(1, silentLogger);
  try {
    const { result, isInterrupted } = await carryOut(pools, task, source);
    const solved = endOf(result);
    const written = pictures === undefined ? [] : await drawInto(pictures, pools, source, solved);
    if (isJson) console.log(terminalJson(asJson(task, source, solved)));
    else {
      report(type, task, solved);
      for (const name of written) console.log(`Picture: ${printable(name)}`);
    }
    return isInterrupted ? ExitCode.Interrupted : solved.ending.answer === undefined ? ExitCode.Failed : ExitCode.Done;
  } finally {
    await pools.close();
  }
}

type Solved = Extract<SolveResult, { readonly kind: 'solved' }>;

/** Ctrl-C ends the solver, which gives its best so far if it has one; a second one ends the process. */
async function carryOut(
  pools: WorkerPools,
  task: RunTask,
  source: ProblemSource,
): Promise<{ readonly result: SolveResult; readonly isInterrupted: boolean }> {
  const control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_CELLS.count));
  const { port1, port2: reports } = new MessageChannel();
  let isInterrupted = false;
  const interrupt = (): void => {
    if (isInterrupted) process.exit(ExitCode.Interrupted);
    isInterrupted = true;
    Atomics.store(control, CONTROL_CELLS.Control, Control.Cancel);
    Atomics.store(control, CONTROL_CELLS.Stop, 1);
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const result = await pools.solve({ task, source, control, reports }, new AbortController().signal);
    return { result, isInterrupted };
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    port1.close();
  }
}

/** @throws {ExtremumError} where the solver failed */
function endOf(result: SolveResult): Solved {
  if (result.kind === 'solved') return result;
  if (result.kind === 'failed') throw failureFrom(result.error);
  const why = result.kind === 'unbegun' && result.why === 'timeout' ? 'The time was up' : 'Interrupted';
  throw new ConfigError(`${why} before there was an answer.`);
}

async function drawInto(
  folder: string,
  pools: WorkerPools,
  source: ProblemSource,
  { ending }: Solved,
): Promise<string[]> {
  const { answer, bestSolution, bestFitness } = ending;
  if (answer === undefined || bestSolution === null || bestFitness === null) return [];
  mkdirSync(folder, { recursive: true });
  const drawn = { bestSolution, bestFitness, result: answer.result, alternatives: answer.alternatives ?? [] };
  const written: string[] = [];
  for (const kind of answer.pictures) {
    const svg = await pools.draw('', { source, answer: drawn, kind });
    if (svg === null) continue;
    const name = path.join(folder, `${kind.replaceAll('_', '-')}.svg`);
    writeFileSync(name, svg);
    written.push(name);
  }
  return written;
}

/** Named as in a record of the service. */
function asJson(task: RunTask, { problem }: ProblemSource, { ending }: Solved): object {
  const { answer, bestSolution, bestFitness, evaluations, terminationReason, durationSeconds, strategies, error } =
    ending;
  return {
    domain: problem.domain,
    problem_type: problem.problemType,
    model: problem.model,
    seed: task.seed,
    termination_reason: terminationReason,
    strategy_used: strategies.at(-1)?.name ?? null,
    best_solution: bestSolution,
    best_fitness: bestFitness,
    evaluations,
    duration_seconds: durationSeconds,
    sense: answer?.sense ?? null,
    decision_variables: answer?.decisionVariables ?? null,
    result: answer?.result ?? null,
    optimality: answer?.optimality ?? null,
    solver: answer?.solver ?? null,
    constraints:
      answer?.constraints.map(({ shadowPrice, ...state }) =>
        shadowPrice === undefined ? state : { ...state, shadow_price: shadowPrice },
      ) ?? null,
    warnings: answer?.warnings ?? [],
    assumptions: answer?.assumptions ?? [],
    alternatives: answer?.alternatives ?? null,
    explanation: answer?.statements ?? [],
    error,
  };
}

const PROVEN = {
  optimal: 'proven to be the best',
  feasible: 'not proven to be the best',
  heuristic: 'not proven to be the best',
};

function report(type: ProblemType, { seed }: RunTask, { ending }: Solved): void {
  const { answer, bestFitness, durationSeconds, strategies, error } = ending;
  const print = (text: string): void => console.log(forReader(text, process.stdout));
  if (answer === undefined) {
    print(`${type.title}: no solution. ${error?.message ?? ''}`);
    if (error?.conflict !== undefined) print(`These limits cannot hold together: ${error.conflict.join(', ')}.`);
    return;
  }
  const { status, gap } = answer.optimality;
  const apart = gap === null || status === 'optimal' ? '' : `; the best possible value is at most ${short(gap)} away`;
  const { method } = answer.solver;
  print(`${type.title}: ${answer.sense} ${short(bestFitness ?? NaN)}, ${PROVEN[status]}${apart}`);
  print(`by ${method} in ${durationSeconds.toFixed(2)} s (seed ${seed}): ${strategies[0]?.reason ?? ''}\n`);
  const said = answer.statements.map(({ text }) => `- ${text}`);
  if (said.length > 0) print(`${said.join('\n')}\n`);
  for (const line of lines(answer.result, '')) print(line);
  const binding = answer.constraints.filter((one) => one.binding);
  if (binding.length > 0) print(`\nLimits that bind: ${binding.map(({ name }) => name).join(', ')}`);
}

const short = (value: number): string => String(Number(value.toPrecision(10)));

/** The answer as lines of `name: value`; long lists are cut. */
function lines(value: Json, indent: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${indent}${scalar(value)}`];
  const entries = Object.entries(value).filter(([, entry]) => entry !== null);
  const shown = entries.slice(0, Array.isArray(value) ? SHOWN_ENTRIES : entries.length);
  const made = shown.flatMap(([name, entry]) => {
    const label = Array.isArray(value) ? '-' : `${name}:`;
    const flat = oneLine(entry);
    return flat === null ? [`${indent}${label}`, ...lines(entry, `${indent}  `)] : [`${indent}${label} ${flat}`];
  });
  const rest = entries.length - shown.length;
  return rest > 0 ? [...made, `${indent}... and ${rest} more (--json shows all)`] : made;
}

const scalar = (value: Json): string => (typeof value === 'number' ? short(value) : String(value));

/** Short lists and objects of scalars fit one line. */
function oneLine(value: Json): string | null {
  if (typeof value !== 'object' || value === null) return scalar(value);
  const entries = Object.entries<Json>(value);
  if (entries.some(([, entry]) => typeof entry === 'object' && entry !== null)) return null;
  const text = Array.isArray(value)
    ? entries.map(([, entry]) => scalar(entry)).join(', ')
    : entries.map(([name, entry]) => `${name} ${scalar(entry)}`).join(', ');
  return text.length <= 100 ? text : null;
}
