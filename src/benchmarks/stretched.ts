/** A wider box around the same function, so that nothing is gained from knowing where the usual box has its centre. */
import { Rng } from '../common/rng.js';
import type { BenchmarkProblem } from './problem.js';

/** Every side of the box moves outwards by its own random distance up to this. */
const MAX_STRETCH = 15;

/**
 * Bounds [-5 - a, 5 + b] with a and b uniform in [0, 15), drawn for each coordinate and fixed by function, dimension
 * and instance. Outside [-5, 5]^n the function is what its definition says.
 */
export function stretched(problem: BenchmarkProblem): BenchmarkProblem {
  const { functionId, dimension, instance, bounds } = problem;
  const rng = Rng.create(1 + 10 * instance + 1000 * functionId + 100000 * dimension).split('stretched box');
  const lower = bounds.lower.slice();
  const upper = bounds.upper.slice();
  for (let i = 0; i < dimension; i++) {
    lower[i] -= MAX_STRETCH * rng.uniform();
    upper[i] += MAX_STRETCH * rng.uniform();
  }
  return { ...problem, bounds: { lower, upper } };
}
