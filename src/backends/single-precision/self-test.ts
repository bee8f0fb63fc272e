/**
 * Whether a place computes as the error analysis assumes. Libraries and drivers promise little: the functions of some
 * GPUs are off by 1e-3. Each is compared with the mathematics library at 2,048 arguments, where it may be off by half
 * of what the analysis allows. Nobody can prove more from outside; what fails here is not used.
 */
import { evaluateOp } from '../../ir/interpreter.js';
import { ERF_ERROR, FUNCTION_ERROR, LARGEST_ANGLE, QUOTIENT_ERROR } from './enclosures.js';
import type { LaneFunction, Lanes, Num } from './lanes.js';

export const SELF_TEST_ARGUMENTS = 2048;

/** Ranges in which a function is looked at. */
const RANGES: Readonly<Record<LaneFunction, readonly [number, number]>> = {
  exp: [-87, 88],
  log: [1e-6, 1e6],
  sin: [-LARGEST_ANGLE, LARGEST_ANGLE],
  cos: [-LARGEST_ANGLE, LARGEST_ANGLE],
  tanh: [-8, 8],
  asin: [-1, 1],
  acos: [-1, 1],
  atan: [-50, 50],
  erf: [-5, 5],
};

export const argumentsOf = (name: LaneFunction): Float32Array =>
  Float32Array.from({ length: SELF_TEST_ARGUMENTS }, (_, k) => {
    const [low, high] = RANGES[name];
    // Half of them over the range, half near its middle or the ends of what is quick to reduce.
    const part = (Math.floor(k / 2) + 0.5) / (SELF_TEST_ARGUMENTS / 2);
    if (k % 2 === 0) return low + part * (high - low);
    return name === 'log' ? 0.5 + part : (2 * part - 1) * Math.min(high, 4);
  });

/** Whether results at `argumentsOf(name)` are twice as near as the analysis assumes. */
export function isNear(name: LaneFunction, results: ArrayLike<number>): boolean {
  return argumentsOf(name).every((argument, k) => {
    const exact = evaluateOp(name, [argument]);
    const assumed = name === 'erf' ? ERF_ERROR : FUNCTION_ERROR * (isAbsolute(name) ? 1 : Math.abs(exact));
    return Math.abs(results[k] - exact) <= assumed / 2 || Object.is(results[k], exact);
  });
}

const isAbsolute = (name: LaneFunction): boolean => ['sin', 'cos', 'asin', 'acos'].includes(name);

export const dividends = (): Float32Array => argumentsOf('atan');
/** Also those whose roots are looked at. */
export const divisors = (): Float32Array => argumentsOf('log');

/** Whether quotients of `dividends` by `divisors` and roots of `divisors` are twice as near as the analysis assumes. */
export function areQuotientsNear(quotients: ArrayLike<number>, roots: ArrayLike<number>): boolean {
  const above = dividends();
  const isNear = (found: number, exact: number): boolean =>
    Math.abs(found - exact) <= (QUOTIENT_ERROR / 2) * Math.abs(exact);
  return divisors().every((b, k) => isNear(quotients[k], above[k] / b) && isNear(roots[k], Math.sqrt(b)));
}

export const ARITHMETIC_INPUTS = [0, 1, Math.fround(1 / 3)] as const;
const UNIT_AND_A_HALF = 1.5 * 2 ** -23;

/** Roundings, infinities and NaN: 1 for each that is as it should be. The numbers are `ARITHMETIC_INPUTS`. */
export function arithmeticFacts<V>(lanes: Lanes<V>, [zero, one, third]: readonly [V, V, V]): readonly Num<V>[] {
  const infinity = lanes.binary('div', one, zero);
  const nothing = lanes.binary('sub', infinity, infinity);
  const truth = (flag: V): Num<V> => lanes.select(flag, 1, 0);
  const threeThirds = lanes.binary('sub', lanes.binary('mul', third, 3), 1);
  return [
    truth(lanes.compare('gt', infinity, 3e38)),
    truth(lanes.not(lanes.compare('ge', nothing, 0))),
    truth(lanes.not(lanes.compare('gt', 0, nothing))),
    truth(lanes.compare('ge', lanes.select(lanes.compare('ge', nothing, 0), nothing, one), 1)),
    truth(lanes.compare('ge', UNIT_AND_A_HALF, lanes.unary('abs', threeThirds))),
    truth(lanes.compare('ge', lanes.unary('floor', lanes.binary('add', one, 0.5)), 1)),
  ];
}
