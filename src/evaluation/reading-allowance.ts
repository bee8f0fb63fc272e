/**
 * How much work may go into reading a program before it is run: a tenth of what its evaluations are expected to take.
 * Both are counted, not timed, because what is read decides how a run searches, and that must not depend on a clock.
 */
import { operationsOf } from '../analysis/operations.js';
import type { IrFunction } from '../ir/types.js';
import type { RunTask } from '../model/run-task.js';

/** In units of about a microsecond. */
export interface ReadingAllowance {
  /** For the analysis, which is counted while it is done. */
  readonly analysis: number;
  /** For the programs derived from the objective's, by their size. */
  readonly derived: number;
}

export const UNLIMITED: ReadingAllowance = { analysis: Infinity, derived: Infinity };

const SHARE = 0.1;
/**
 * Time of a run in microseconds, by evaluation, by variable of each, by operation of each: measured for the planner as
 * it calls a Rosenbrock function of 20 to 10,000 variables (bench/results/large-programs.json), operations for native
 * code.
 */
const PER_EVALUATION = 60;
const PER_VARIABLE = 0.15;
const PER_OPERATION = 0.001;

/**
 * So much is always spent. Programs of up to a hundred variables are read whatever the budget is, as long as that takes
 * no more than a second: what is found may be worth thousands of evaluations.
 */
const LEAST: ReadingAllowance = { analysis: 300_000, derived: 700_000 };
const ORDINARY_DIMENSION = 100;
const LEAST_OF_LARGE: ReadingAllowance = { analysis: 100_000, derived: 100_000 };

export function readingAllowance(
  program: IrFunction,
  { maxEvaluations, timeoutSeconds = Infinity }: Pick<RunTask, 'maxEvaluations' | 'timeoutSeconds'>,
): ReadingAllowance {
  const { dimension } = program;
  const evaluation = PER_EVALUATION + PER_VARIABLE * dimension + PER_OPERATION * operationsOf(program);
  const share = SHARE * Math.min(maxEvaluations * evaluation, timeoutSeconds * 1e6);
  const least = dimension <= ORDINARY_DIMENSION ? LEAST : LEAST_OF_LARGE;
  return { analysis: Math.max(least.analysis, share), derived: Math.max(least.derived, share) };
}
