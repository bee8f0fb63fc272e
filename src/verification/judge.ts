/**
 * Whether CPython's answer at a point is what the compiled program says (ADR 31). Equal bits are equal. Otherwise the
 * program is evaluated once more with every library result widened by its error, and both values must lie in what comes
 * out.
 */
import type { IrFunction } from '../ir/types.js';
import type { EvaluationFailure } from '../model/objective.js';
import { contains } from './enclosure.js';
import { OpenEnclosure, enclose, isBounded, sample, type EnclosedResult } from './enclosing-run.js';

export type PythonAnswer = { readonly values: readonly number[] } | { readonly failure: EvaluationFailure };

export type Verdict =
  /** Every bit is equal. */
  | { readonly kind: 'equal' }
  /** The errors of library functions explain the difference. */
  | { readonly kind: 'within' }
  /** Nothing explains it. */
  | { readonly kind: 'misread'; readonly message: string }
  /** It may be explained, or may not: the program amplifies the errors too much, or a branch lies in between. */
  | { readonly kind: 'open'; readonly reason: string };

/** Failures that say nothing of the function. */
const CIRCUMSTANCES: ReadonlySet<string> = new Set(['TimeLimit', 'MemoryLimit', 'ProcessLost', 'MemoryError']);

/**
 * `fn`: the program in its form for judging (`CompileOptions.judging`), which is asked for only where bits differ.
 * `compiled`: the numbers that the run used at `x`, the value and then the outputs.
 */
export function judgePoint(
  fn: IrFunction | (() => IrFunction),
  x: Float64Array,
  compiled: readonly number[],
  python: PythonAnswer,
): Verdict {
  if ('values' in python && haveSameBits(compiled, python.values)) return { kind: 'equal' };
  if ('failure' in python && CIRCUMSTANCES.has(python.failure.type))
    return { kind: 'open', reason: python.failure.message };
  const program = typeof fn === 'function' ? fn() : fn;
  let enclosed: EnclosedResult;
  try {
    enclosed = enclose(program, x);
  } catch (error) {
    if (error instanceof OpenEnclosure) return { kind: 'open', reason: error.message };
    throw error;
  }
  if ('failure' in python) return judgeFailure(enclosed, compiled, python.failure);
  const verdict = judgeValues(enclosed, compiled, python.values);
  return verdict === AMPLIFIED ? judgeSamples(program, x, enclosed, compiled, python.values) : verdict;
}

function haveSameBits(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, k) => Object.is(value, b[k]));
}

const misread = (message: string): Verdict => ({ kind: 'misread', message });

function openCheckOf({ openCheck, results }: EnclosedResult): Verdict | null {
  if (openCheck === null && results !== null) return null;
  const line = openCheck?.line ?? 0;
  return {
    kind: 'open',
    reason: line > 0 ? `rounding decides whether line ${line} raises` : 'rounding decides whether it raises',
  };
}

function judgeFailure(enclosed: EnclosedResult, compiled: readonly number[], failure: EvaluationFailure): Verdict {
  const open = openCheckOf(enclosed);
  if (open !== null) return open;
  if (failure.type === 'NaNResult' && enclosed.results!.some((result) => result.nan))
    return { kind: 'open', reason: 'rounding decides whether the value is a number' };
  const where = failure.line > 0 ? ` in line ${failure.line}` : '';
  return misread(
    `CPython has no value there (${failure.type}: ${failure.message}${where}), not ${compiled.join(', ')}`,
  );
}

/** Intervals grow faster than errors do, where one value is used many times. */
const AMPLIFIED: Verdict = { kind: 'open', reason: 'the errors of library functions are amplified beyond measure' };
const SAMPLES = 24;
/** Factor: errors do not explain a difference that is so many times larger than that of any two samples of errors. */
const BEYOND_ERRORS = 2 ** 20;

/** By some of the errors that there may be, where all of them together say nothing. */
function judgeSamples(
  program: IrFunction,
  x: Float64Array,
  { isSmooth }: EnclosedResult,
  compiled: readonly number[],
  python: readonly number[],
): Verdict {
  const lowest = [...compiled];
  const highest = [...compiled];
  // A linear congruence (Knuth): the same errors each time.
  let state = 1;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  for (let k = 0; k < SAMPLES; k++) {
    const values = sample(program, x, draw);
    if (values === null || !values.every(Number.isFinite)) return AMPLIFIED;
    values.forEach((value, j) => {
      lowest[j] = Math.min(lowest[j], value);
      highest[j] = Math.max(highest[j], value);
    });
  }
  let isOpen = false;
  for (const [j, value] of python.entries()) {
    const spread = highest[j] - lowest[j];
    const distance = Math.max(value - highest[j], lowest[j] - value);
    if (distance <= spread) continue;
    const isBeyond = distance > BEYOND_ERRORS * Math.max(spread, Math.abs(compiled[j]) * 2 ** -52);
    if (isBeyond && isSmooth) {
      return misread(`CPython gives ${value} there, not ${compiled[j]}; errors make a difference of ${spread}`);
    }
    isOpen = true;
  }
  return isOpen ? AMPLIFIED : { kind: 'within' };
}

function judgeValues(enclosed: EnclosedResult, compiled: readonly number[], python: readonly number[]): Verdict {
  const open = openCheckOf(enclosed);
  if (enclosed.results === null || enclosed.results.length !== compiled.length) {
    return open ?? misread(`the program has ${enclosed.results?.length ?? 0} results, not ${compiled.length}`);
  }
  if (python.length !== compiled.length)
    return misread(`CPython gives ${python.length} numbers there, not ${compiled.length}`);
  let isOpen = false;
  for (const [k, result] of enclosed.results.entries()) {
    if (Object.is(compiled[k], python[k])) continue;
    if (contains(result, compiled[k]) && contains(result, python[k])) {
      if (!isBounded(result)) isOpen = true;
      continue;
    }
    if (open !== null) return open;
    const width = result.hi - result.lo;
    const which = compiled.length > 1 ? ` as objective ${k + 1}` : '';
    const allowed = width > 0 ? `, where rounding explains ${result.lo} to ${result.hi}` : '';
    return misread(`CPython gives ${python[k]} there${which}, not ${compiled[k]}${allowed}`);
  }
  return isOpen ? AMPLIFIED : { kind: 'within' };
}
