/** Checks the arguments of the library's callers: wrong types are TypeErrors, wrong values RangeErrors. */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mode, RunTask } from '../model/run-task.js';
import { strategies } from '../planner/all-strategies.js';
import { suits, unsuitability, type SearchedTask } from '../strategies/suitability.js';
import type { BatchObjectiveFunction, ObjectiveFunction, Options, PythonObjective } from './types.js';

const MAX_DIMENSION = 10_000;
const MAX_BUDGET = 1_000_000_000;
const MAX_CONCURRENCY = 1_024;
const SEED_RANGE = 2 ** 32;
const MODES: readonly Mode[] = ['fast', 'balanced', 'accurate'];
const OPTIONS = new Set<string>([
  'bounds',
  'budget',
  'seed',
  'strategy',
  'mode',
  'target',
  'start',
  'signal',
  'onProgress',
  'concurrency',
  'batch',
] satisfies (keyof Options)[]);

export type CheckedObjective =
  | { readonly kind: 'function'; readonly call: ObjectiveFunction }
  | { readonly kind: 'batch'; readonly call: BatchObjectiveFunction }
  | { readonly kind: 'module'; readonly href: string; readonly name: string; readonly isBatch: boolean }
  | ({ readonly kind: 'python' } & PythonObjective);

export interface CheckedArguments {
  readonly objective: CheckedObjective;
  readonly task: RunTask;
  readonly signal: AbortSignal | null;
  readonly onProgress: Options['onProgress'];
  /** Null: the default of the objective's kind. */
  readonly concurrency: number | null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** @throws {TypeError} {RangeError} */
export function checkArguments(
  objective: unknown,
  options: unknown,
  direction: RunTask['direction'],
): CheckedArguments {
  if (!isObject(options)) throw new TypeError('options must be an object with bounds');
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) {
    throw new TypeError(`options.${unknown} is not known; known are ${[...OPTIONS].join(', ')}`);
  }
  const { signal, onProgress, batch = false } = options;
  if (typeof batch !== 'boolean') throw new TypeError('options.batch must be a boolean');
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError('options.signal must be an AbortSignal');
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new TypeError('options.onProgress must be a function');
  }
  const checked = checkObjective(objective, batch);
  return {
    objective: checked,
    task: checkTask(options, direction, checked.kind === 'python'),
    signal: signal ?? null,
    onProgress: onProgress as Options['onProgress'],
    concurrency: wholeNumber(options, 'concurrency', 1, MAX_CONCURRENCY) ?? null,
  };
}

function checkObjective(objective: unknown, isBatch: boolean): CheckedObjective {
  if (typeof objective === 'function') {
    return isBatch
      ? { kind: 'batch', call: objective as BatchObjectiveFunction }
      : { kind: 'function', call: objective as ObjectiveFunction };
  }
  if (isObject(objective) && 'module' in objective) {
    const { module, export: name = 'default' } = objective;
    if (typeof name !== 'string') throw new TypeError('objective.export must be the name of an export');
    return { kind: 'module', href: hrefOf(module), name, isBatch };
  }
  if (isObject(objective) && 'python' in objective) {
    if (isBatch) throw new TypeError('options.batch is not for Python: a population form is recognised in the source');
    for (const name of ['python', 'function', 'interpreter']) {
      const value = objective[name];
      if (name === 'python' ? typeof value !== 'string' : value !== undefined && typeof value !== 'string') {
        throw new TypeError(`objective.${name} must be a string`);
      }
    }
    if (objective['interpreter'] === '') throw new RangeError('objective.interpreter must not be empty');
    return { kind: 'python', ...(objective as unknown as PythonObjective) };
  }
  throw new TypeError('the objective must be a function, { module, export } or { python }');
}

function hrefOf(module: unknown): string {
  if (module instanceof URL) return module.href;
  if (typeof module === 'string' && path.isAbsolute(module)) return pathToFileURL(module).href;
  if (typeof module === 'string' && /^(file|data):/.test(module) && URL.canParse(module)) return module;
  throw new TypeError(
    "objective.module must be a URL, as new URL('./objective.js', import.meta.url), or an absolute path",
  );
}

type Given = Readonly<Record<string, unknown>>;

function checkTask(options: Given, direction: RunTask['direction'], isPython: boolean): RunTask {
  const bounds = checkBounds(options['bounds']);
  const { strategy, mode = 'balanced', target } = options;
  const found = MODES.find((known) => known === mode);
  if (found === undefined) throw new RangeError(`options.mode must be one of ${MODES.join(', ')}`);
  if (target !== undefined && typeof target !== 'number') throw new TypeError('options.target must be a number');
  if (target !== undefined && !Number.isFinite(target)) throw new RangeError('options.target must be finite');
  const initialSolution = checkStart(options['start'], bounds);
  return {
    bounds,
    maxEvaluations: wholeNumber(options, 'budget', 1, MAX_BUDGET) ?? 1000,
    seed: wholeNumber(options, 'seed', 0, Number.MAX_SAFE_INTEGER) ?? randomInt(SEED_RANGE),
    direction,
    mode: found,
    strategy: strategy === undefined ? undefined : checkStrategy(strategy, bounds.length, isPython),
    targetFitness: target,
    initialSolution,
  };
}

function wholeNumber(options: Given, name: keyof Options, low: number, high: number): number | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw new TypeError(`options.${name} must be a number`);
  if (Number.isSafeInteger(value) && value >= low && value <= high) return value;
  throw new RangeError(`options.${name} is ${value}; it must be a whole number from ${low} to ${high}`);
}

function checkStrategy(strategy: unknown, dimension: number, isPython: boolean): string {
  if (typeof strategy !== 'string') throw new TypeError('options.strategy must be a string');
  // Whether a Python program suits is known when it is compiled.
  const task: SearchedTask = { dimension, objectives: 1, program: isPython ? undefined : null };
  const found = strategies.find(({ name }) => name === strategy);
  const why = found === undefined ? 'is unknown' : unsuitability(found.capabilities, task);
  if (why === null) return strategy;
  const suitable = strategies.filter(({ capabilities }) => suits(capabilities, task)).map(({ name }) => name);
  throw new RangeError(`options.strategy: "${strategy}" ${why}; suitable here: ${suitable.join(', ')}`);
}

/** A copy of numbers; null where it is nothing of the kind. */
function numbers(value: unknown): number[] | null {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return null;
  const copy = Array.from(value as ArrayLike<unknown>);
  return copy.every((member) => typeof member === 'number') ? copy : null;
}

function checkBounds(bounds: unknown): RunTask['bounds'] {
  const pairs = pairsOf(bounds);
  if (pairs.length < 1 || pairs.length > MAX_DIMENSION) {
    throw new RangeError(`options.bounds has ${pairs.length} dimensions; 1 to ${MAX_DIMENSION} are possible`);
  }
  pairs.forEach(([low, high], i) => {
    if (low < high && Number.isFinite(low) && Number.isFinite(high)) return;
    throw new RangeError(`options.bounds[${i}] is [${low}, ${high}]; both must be finite, the lower below the upper`);
  });
  return pairs;
}

function pairsOf(bounds: unknown): (readonly [number, number])[] {
  if (Array.isArray(bounds)) {
    return bounds.map((pair: unknown, i) => {
      const [low, high, ...more] = numbers(pair) ?? [];
      if (low !== undefined && high !== undefined && more.length === 0) return [low, high] as const;
      throw new TypeError(`options.bounds[${i}] must be a pair of numbers`);
    });
  }
  const lower = isObject(bounds) ? numbers(bounds['lower']) : null;
  const upper = isObject(bounds) ? numbers(bounds['upper']) : null;
  if (lower === null || upper === null) {
    throw new TypeError('options.bounds must be pairs of numbers, or { lower, upper } with two arrays of numbers');
  }
  if (lower.length !== upper.length) {
    throw new RangeError(`options.bounds has ${lower.length} lower and ${upper.length} upper bounds`);
  }
  return lower.map((low, i) => [low, upper[i]] as const);
}

function checkStart(start: unknown, bounds: RunTask['bounds']): number[] | undefined {
  if (start === undefined) return undefined;
  const point = numbers(start);
  if (point === null) throw new TypeError('options.start must be an array of numbers');
  if (point.length !== bounds.length) {
    throw new RangeError(`options.start has ${point.length} coordinates, the bounds ${bounds.length}`);
  }
  const outside = point.findIndex((value, i) => !(value >= bounds[i][0] && value <= bounds[i][1]));
  if (outside < 0) return point;
  throw new RangeError(`options.start[${outside}] is ${point[outside]}, outside its bounds`);
}
