/**
 * Parts that an instance is built from besides its shift. The large-scale suite has the same functions as the usual
 * one, but with sparse rotations and normalised values: a kit for each makes one definition do for both.
 */
import { firstRotationSeed, normals, rotation } from './instances.js';
import { conditionedRotation, conditioning, denseMap, type LinearMap, type Rotation } from './transformations.js';

export interface Kit {
  /** Seed of the instance. */
  readonly seed: number;
  /** The rotation with seed `firstRotationSeed`; made anew at each call, as the others. */
  first(): Rotation;
  /** The rotation with the instance's own seed. */
  second(): Rotation;
  /** The rotation of those functions that have but one, with the seed of the second. */
  only(): Rotation;
  /** First rotation after Lambda^alpha after the second. */
  conditioned(alpha: number): LinearMap;
  /** -1 or 1 for each coordinate. */
  signs(): Float64Array;
  /** Factor of the function's sum. */
  readonly norm: number;
  /** Coordinates that are distinguished where the usual definition distinguishes the first. */
  readonly head: number;
  /** Dimension of the rotated subspaces. */
  readonly blockSize: number;
}

/** Dense rotations, as the noiseless suite has them. */
export function denseKit(n: number, seed: number): Kit {
  const first = (): Float64Array => rotation(n, firstRotationSeed(seed));
  const second = (): Float64Array => rotation(n, seed);
  return {
    seed,
    first: () => denseMap(first(), n),
    second: () => denseMap(second(), n),
    only: () => denseMap(second(), n),
    conditioned: (alpha) => denseMap(conditionedRotation(first(), conditioning(alpha, n), second(), n), n),
    signs: () => normals(n, seed).map((v) => (v < 0 ? -1 : 1)),
    norm: 1,
    head: 1,
    blockSize: n,
  };
}
