/**
 * The random maps of the large-scale suite: rotations of blocks of coordinates between two permutations (Elhara,
 * Varelas, Nguyen, Tusar, Brockhoff, Hansen, Auger: COCO: The Large Scale Black-Box Optimization Benchmarking
 * (bbob-largescale) Test Suite, arXiv:1903.06396). They cost O(40 n) instead of O(n^2). With one block there are no
 * permutations: up to 40-D the suite is the usual one.
 */
import { ascendingOrder, rotation, uniforms } from '../bbob/instances.js';
import type { Rotation } from '../bbob/transformations.js';

/** Coordinates of a block; the last may have fewer. */
export const BLOCK_SIZE = 40;

/** Between the seeds of two blocks. */
const BLOCK_STRIDE = 1000000;
/** Between the seeds of two swaps. */
const SWAP_STRIDE = 1000;

/**
 * A permutation near the identity: each coordinate, in random order, changes places with a random other one at most n/3
 * away. `p[i]` is the coordinate that comes to place i.
 */
export function nearPermutation(n: number, seed: number): Int32Array {
  const p = Int32Array.from({ length: n }, (_, i) => i);
  if (n <= BLOCK_SIZE) return p;
  const range = Math.floor(n / 3);
  ascendingOrder(uniforms(n, seed)).forEach((first, swap) => {
    const low = Math.max(0, first - range);
    const high = Math.min(n - 1, first + range);
    let second = low + Math.floor(uniforms(1, seed + SWAP_STRIDE * (swap + 1))[0] * (high - low));
    if (second >= first) second++;
    [p[first], p[second]] = [p[second], p[first]];
  });
  return p;
}

interface PermutedBlockSeeds {
  readonly blocks: number;
  /** Seed of the permutation that x meets first; absent: none. */
  readonly before?: number;
  readonly after?: number;
}

/** P_after B P_before. */
export function permutedBlocks(n: number, seeds: PermutedBlockSeeds): Rotation {
  const identity = Int32Array.from({ length: n }, (_, i) => i);
  const before = seeds.before === undefined ? identity : nearPermutation(n, seeds.before);
  const after = seeds.after === undefined ? identity : nearPermutation(n, seeds.after);
  const blocks: { readonly start: number; readonly size: number; readonly matrix: Float64Array }[] = [];
  for (let start = 0; start < n; start += BLOCK_SIZE) {
    const size = Math.min(BLOCK_SIZE, n - start);
    blocks.push({ start, size, matrix: rotation(size, seeds.blocks + BLOCK_STRIDE * blocks.length) });
  }
  const scattered = new Float64Array(n);
  const rotated = new Float64Array(n);
  return {
    apply(x, out) {
      for (let i = 0; i < n; i++) scattered[i] = x[before[i]]!;
      for (const { start, size, matrix } of blocks) {
        for (let i = 0, at = 0; i < size; i++) {
          let sum = 0;
          for (let j = 0; j < size; j++, at++) sum += matrix[at] * scattered[start + j];
          rotated[start + i] = sum;
        }
      }
      for (let i = 0; i < n; i++) out[i] = rotated[after[i]]!;
    },
    applyTransposed(x, out) {
      for (let i = 0; i < n; i++) rotated[after[i]] = x[i]!;
      scattered.fill(0);
      for (const { start, size, matrix } of blocks) {
        for (let i = 0, at = 0; i < size; i++) {
          for (let j = 0; j < size; j++, at++) scattered[start + j] += matrix[at] * rotated[start + i];
        }
      }
      for (let i = 0; i < n; i++) out[before[i]] = scattered[i]!;
    },
  };
}
