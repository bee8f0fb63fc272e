/** The noiseless BBOB suite: 24 functions, any number of instances, any dimension from 2 to 640. */
import { ExtremumError } from '../../common/errors.js';
import type { BenchmarkProblem } from '../problem.js';
import { BBOB_FUNCTIONS, type FunctionDefinition } from './functions.js';
import { instanceSeed, optimalValue } from './instances.js';
import { denseKit, type Kit } from './kit.js';

const MIN_DIMENSION = 2;
/** Above it the rotation matrices take more memory and time than a benchmark is worth. */
const MAX_DIMENSION = 640;

/**
 * One instance of function 1..24, in the box [-5, 5]^n. Cost of creation: O(n^3) for rotated functions.
 * @throws {ExtremumError} `invalid_request` for a number outside the suite.
 */
export function createBbobProblem(functionId: number, dimension: number, instance: number): BenchmarkProblem {
  return createProblem(BBOB_FUNCTIONS, functionId, dimension, instance, denseKit);
}

/** The same with definitions and parts of another suite. */
export function createProblem(
  definitions: readonly FunctionDefinition[],
  functionId: number,
  dimension: number,
  instance: number,
  kitOf: (n: number, seed: number, functionId: number) => Kit,
): BenchmarkProblem {
  requireInteger('function', functionId, 1, definitions.length);
  requireInteger('dimension', dimension, MIN_DIMENSION, MAX_DIMENSION);
  requireInteger('instance', instance, 1, 10000);
  const { name, create } = definitions[functionId - 1];
  const raw = create(dimension, kitOf(dimension, instanceSeed(functionId, instance), functionId));
  const fopt = optimalValue(functionId, instance);
  return {
    functionId,
    name,
    dimension,
    instance,
    bounds: { lower: new Float64Array(dimension).fill(-5), upper: new Float64Array(dimension).fill(5) },
    optimalValue: fopt,
    optimum: raw.optimum,
    evaluate: (candidates, start) => raw.value(candidates.subarray(start, start + dimension)) + fopt,
  };
}

function requireInteger(what: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  throw new ExtremumError('invalid_request', `${what} ${value} is not in the suite: ${low} to ${high}`, {
    field: what,
  });
}
