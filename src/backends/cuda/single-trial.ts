/**
 * Whether a device computes as the error bounds of single precision assume: a kernel of its arithmetic and of our
 * functions, at the arguments of `single-precision/self-test.ts`.
 */
import { TILE_LANES } from '../../model/tiles.js';
import { LANE_FUNCTIONS, type LaneFunction } from '../single-precision/lanes.js';
import {
  areQuotientsNear,
  ARITHMETIC_INPUTS,
  argumentsOf,
  arithmeticFacts,
  dividends,
  divisors,
  isNear,
  SELF_TEST_ARGUMENTS,
} from '../single-precision/self-test.js';
import { lines } from '../statement-writer.js';
import { FLAG, kernelEntry, kernelText, LANE_END, LANE_HEAD, type KernelText } from './generate.js';
import { floatLiteral } from './literals.js';
import { ALL_THERE, arithmeticIn, cudaLanes } from './single-functions.js';

/** Inputs: those of the arithmetic, dividend and divisor, and the argument of each function. */
const DIVIDEND = ARITHMETIC_INPUTS.length;
const FIRST_ARGUMENT = DIVIDEND + 2;

export interface SingleTrial {
  readonly kernel: KernelText;
  readonly dimension: number;
  readonly results: number;
  /** Rows [count, dimension]. */
  readonly rows: Float64Array;
  readonly count: number;
  /**
   * Functions that are not near enough, from rows [count, results].
   * @throws {RangeError} where the device does not round as the bounds assume.
   */
  judge(found: Float64Array): ReadonlySet<LaneFunction>;
}

export function singleTrial(): SingleTrial {
  const lanes = cudaLanes(ALL_THERE);
  const input = (k: number): string => `x${k}`;
  const facts = arithmeticFacts(lanes, [input(0), input(1), input(2)]);
  const quotient = lanes.binary('div', input(DIVIDEND), input(DIVIDEND + 1));
  const root = lanes.unary('sqrt', input(DIVIDEND + 1));
  const functions = LANE_FUNCTIONS.map((name, k) => lanes.unary(name, input(FIRST_ARGUMENT + k)));
  const results = [...facts, quotient, root, ...functions];
  const dimension = FIRST_ARGUMENT + LANE_FUNCTIONS.length;
  const body = lanes.body(...results.filter((each) => typeof each === 'string'));
  const text = lines(
    FLAG,
    ...arithmeticIn(body),
    LANE_HEAD,
    ...Array.from({ length: dimension }, (_, k) => `const float ${input(k)} = (float)X[${TILE_LANES * k}];`),
    ...body,
    ...results.map(
      (result, k) => `Y[${TILE_LANES * k}] = (double)${typeof result === 'string' ? result : floatLiteral(result)};`,
    ),
    ...LANE_END,
    ...kernelEntry(dimension, results.length),
  );
  const count = SELF_TEST_ARGUMENTS;
  const columns: readonly ArrayLike<number>[] = [
    ...ARITHMETIC_INPUTS.map((number) => new Float32Array(count).fill(number)),
    dividends(),
    divisors(),
    ...LANE_FUNCTIONS.map(argumentsOf),
  ];
  const rows = Float64Array.from(
    { length: count * dimension },
    (_, at) => columns[at % dimension][Math.floor(at / dimension)],
  );
  const judge = (found: Float64Array): ReadonlySet<LaneFunction> => {
    const column = (k: number): Float64Array =>
      Float64Array.from({ length: count }, (_, row) => found[row * results.length + k]);
    const isSound = facts.every((_, k) => column(k).every((fact) => fact === 1));
    const afterFacts = facts.length;
    if (!isSound || !areQuotientsNear(column(afterFacts), column(afterFacts + 1))) {
      throw new RangeError('it does not round as the error bounds assume');
    }
    return new Set(LANE_FUNCTIONS.filter((name, k) => !isNear(name, column(afterFacts + 2 + k))));
  };
  return { kernel: kernelText(text, false, 0), dimension, results: results.length, rows, count, judge };
}
