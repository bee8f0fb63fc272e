/** Options that both kinds of benchmark have. */
import type { BenchmarkBudget } from '../benchmarks/benchmark-run.js';
import { parseBudget } from '../benchmarks/notation.js';
import { ConfigError } from '../config.js';
import type { Mode } from '../model/run-task.js';
import { callingStrategies } from '../planner/all-strategies.js';
import { suits, unsuitability } from '../strategies/suitability.js';
import type { Flags } from './flags.js';

const MODES: readonly Mode[] = ['fast', 'balanced', 'accurate'];

export const strategyNames = (): string[] => callingStrategies.map((strategy) => strategy.name);

export function parseInteger(flags: Flags, name: string, low: number, high: number, fallback: number): number {
  const text = flags.value(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= low && value <= high) return value;
  throw new ConfigError(`--${name} is ${JSON.stringify(text)}; it must be a whole number from ${low} to ${high}.`);
}

/** Undefined where it is absent. */
export function parseNumber(flags: Flags, name: string): number | undefined {
  const text = flags.value(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new ConfigError(`--${name} is ${JSON.stringify(text)}; it must be a number.`);
}

export function parseBudgetFlag(flags: Flags): BenchmarkBudget {
  const text = flags.value('budget') ?? '1000';
  const budget = parseBudget(text);
  if (budget !== null) return budget;
  throw new ConfigError(`--budget is ${JSON.stringify(text)}; it must be a number of evaluations, as 1000 or 200D.`);
}

export function parseMode(flags: Flags): Mode {
  const text = flags.value('mode') ?? 'balanced';
  const mode = MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new ConfigError(`--mode is ${JSON.stringify(text)}; it must be one of ${MODES.join(', ')}.`);
}

/** In the order given, which is that of the tables; by default all that search in so many dimensions. */
export function parseStrategies(flags: Flags, dimension: number): string[] {
  const text = flags.value('strategies');
  if (text === undefined) {
    return callingStrategies.filter(({ capabilities }) => suits(capabilities, { dimension })).map(({ name }) => name);
  }
  const names = text.split(',').map((name) => name.trim());
  const known = strategyNames();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const list = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw new ConfigError(`--strategies names ${list}; known: ${known.join(', ')}.`);
  }
  for (const { name, capabilities } of callingStrategies) {
    const why = names.includes(name) ? unsuitability(capabilities, { dimension }) : null;
    if (why !== null) throw new ConfigError(`--strategies: ${name} ${why}.`);
  }
  return [...new Set(names)];
}
