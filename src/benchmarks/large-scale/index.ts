/**
 * The large-scale suite, COCO's `bbob-largescale`: the functions of the usual suite with rotations of blocks of 40
 * coordinates, values divided by n/40, and in some functions n/40 distinguished coordinates in place of one, so that
 * difficulty does not grow with the dimension for reasons of scale alone. `values.test.ts` compares with the reference
 * implementation.
 */
import type { BenchmarkProblem } from '../problem.js';
import { BBOB_FUNCTIONS, blockRotatedRosenbrock } from '../bbob/functions.js';
import { createProblem } from '../bbob/index.js';
import { firstRotationSeed, normals } from '../bbob/instances.js';
import type { Kit } from '../bbob/kit.js';
import { conditioning, type Rotation } from '../bbob/transformations.js';
import { BLOCK_SIZE, permutedBlocks } from './permuted-blocks.js';

const FUNCTIONS = BBOB_FUNCTIONS.map((definition, i) => (i + 1 === 9 ? blockRotatedRosenbrock : definition));

/** @throws {ExtremumError} `invalid_request` for a number outside the suite. */
export function createLargeScaleProblem(functionId: number, dimension: number, instance: number): BenchmarkProblem {
  return createProblem(FUNCTIONS, functionId, dimension, instance, blockKit);
}

/** Seeds of the permutations before and after a rotation, in millions above the instance's; null: no permutations. */
type PermutationSeeds = readonly [before: number, after: number] | null;

/** Seeds for rotations R and Q. The differences have no meaning; they are how the published instances were drawn. */
function permutationSeeds(functionId: number): { readonly first: PermutationSeeds; readonly second: PermutationSeeds } {
  switch (functionId) {
    case 6:
    case 7:
      return { first: [4, 5], second: [2, 3] };
    case 13:
    case 15:
      return { first: [3, 4], second: [5, 6] };
    case 16:
    case 17:
    case 18:
    case 23:
    case 24:
      return { first: [5, 6], second: [3, 4] };
    case 21:
    case 22:
      return { first: null, second: null };
    default:
      return { first: [2, 3], second: [2, 3] };
  }
}

function blockKit(n: number, seed: number, functionId: number): Kit {
  const seeds = permutationSeeds(functionId);
  const rotationOf = (blocks: number, permutations: PermutationSeeds): Rotation => {
    const [before, after] = (permutations ?? []).map((millions) => seed + 1000000 * millions);
    return permutedBlocks(n, { blocks, before, after });
  };
  const first = (): Rotation => rotationOf(firstRotationSeed(seed), seeds.first);
  const second = (): Rotation => rotationOf(seed, seeds.second);
  return {
    seed,
    first,
    second,
    only: second,
    conditioned(alpha) {
      const [q, r] = [first(), second()];
      const diagonal = conditioning(alpha, n);
      const rotated = new Float64Array(n);
      return {
        apply(x, out) {
          r.apply(x, rotated);
          for (let i = 0; i < n; i++) rotated[i] *= diagonal[i];
          q.apply(rotated, out);
        },
      };
    },
    signs: () => normals(n, seed).map((v) => (v < 0 ? -1 : 1)),
    norm: Math.min(1, BLOCK_SIZE / n),
    head: Math.ceil(n / BLOCK_SIZE),
    blockSize: Math.min(n, BLOCK_SIZE),
  };
}
