/**
 * Philox4x32-10: random numbers by counter, so that every thread finds its own without a state. Source: Salmon, Moraes,
 * Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. `native/cuda/strategies/generation.h` has the
 * device's form.
 */
const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** The upper half of the product of two unsigned numbers of 32 bits. */
function upperHalf(a: number, b: number): number {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const first = Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16);
  const middle = first >>> 0;
  const second = (Math.imul(aLow, bHigh) + (middle & 0xffff)) >>> 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (second >>> 16)) >>> 0;
}

/** The block of four words for a counter of four and a key of two, into `words`. */
export function philox(
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key0: number,
  key1: number,
  words: Uint32Array,
): void {
  let [c0, c1, c2, c3, k0, k1] = [counter0, counter1, counter2, counter3, key0, key1];
  for (let round = 0; round < ROUNDS; round++) {
    const upper0 = upperHalf(MULTIPLIER_0, c0);
    const lower0 = Math.imul(MULTIPLIER_0, c0);
    const upper1 = upperHalf(MULTIPLIER_1, c2);
    const lower1 = Math.imul(MULTIPLIER_1, c2);
    c0 = upper1 ^ c1 ^ k0;
    c1 = lower1;
    c2 = upper0 ^ c3 ^ k1;
    c3 = lower0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

/** Uniform in [0, 1), a multiple of 2^-32. */
export const uniform32 = (word: number): number => word * 2.3283064365386963e-10;

/** Uniform in [0, 1), a multiple of 2^-53. */
export const uniform53 = (high: number, low: number): number =>
  ((high >>> 5) * 67108864 + (low >>> 6)) * 1.1102230246251565e-16;

/** One of 0 .. size - 1, size at most 2^20: the product is exact. */
export const indexBelow = (word: number, size: number): number => Math.floor(word * size * 2.3283064365386963e-10);
