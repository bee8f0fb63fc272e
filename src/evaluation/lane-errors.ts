/** Words for a candidate that a compiled kernel flagged and no CPython could evaluate again. */
import { LaneStatus } from '../ir/types.js';
import type { EvaluationFailure } from '../model/objective.js';

const LANE_ERRORS: Readonly<Record<number, readonly [type: string, message: string]>> = {
  [LaneStatus.ZeroDivision]: ['ZeroDivisionError', 'division by zero'],
  [LaneStatus.MathDomain]: ['ValueError', 'math domain error'],
  [LaneStatus.Overflow]: ['OverflowError', 'math range error'],
  [LaneStatus.ComplexResult]: ['NonNumericResult', 'a negative number to a fractional power is complex'],
  [LaneStatus.IntegerRange]: ['OverflowError', 'an integer beyond 2**53 needs CPython'],
  [LaneStatus.IndexRange]: ['IndexError', 'index out of range'],
  [LaneStatus.IntegerConversion]: ['ValueError', 'cannot convert nan or infinity to an integer'],
  [LaneStatus.Raised]: ['RuntimeError', 'the objective raised an exception or an assertion failed'],
  [LaneStatus.FuelExhausted]: ['TimeLimit', 'a loop ran too long'],
  [LaneStatus.ReductionRange]: [
    'ValueError',
    'an argument is too large for the compiled mathematics and needs CPython',
  ],
  [LaneStatus.Untranslated]: ['RuntimeError', 'a statement outside the compiled subset was reached and needs CPython'],
};

const LANE_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(LaneStatus).map(([name, status]) => [status, snakeCase(name)]),
);

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase();
}

/** For counters: `ZeroDivision` is `zero_division`. */
export const laneName = (status: number): string => LANE_NAMES[status] ?? 'unknown';

export function laneFailure(status: number): EvaluationFailure {
  const [type, message] = LANE_ERRORS[status] ?? ['RuntimeError', `the evaluation failed with status ${status}`];
  return { type, message, line: 0 };
}
