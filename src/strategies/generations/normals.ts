/**
 * Standard normal numbers of random words, by Box and Muller: two from each block of four words, without a loop that
 * ends at random. The functions are series that both sides of a generation program write out alike, for libraries
 * differ in the last bit; `native/cuda/strategies/bulk_cma_es.h` has the device's form.
 */
import { log } from '../../common/float.js';
import { uniform53 } from './philox.js';

const TWO_PI = 6.283185307179586;

/** sin t and cos t for |t| <= pi / 4, truncation error below 1e-16. */
const sine = (t: number, z: number): number =>
  t *
  (1 +
    z *
      (-1 / 6 +
        z *
          (1 / 120 +
            z *
              (-1 / 5040 +
                z *
                  (1 / 362880 +
                    z *
                      (-1 / 39916800 +
                        z * (1 / 6227020800 + z * (-1 / 1307674368000 + z * (1 / 355687428096000)))))))));
const cosine = (z: number): number =>
  1 +
  z *
    (-1 / 2 +
      z *
        (1 / 24 +
          z *
            (-1 / 720 +
              z *
                (1 / 40320 +
                  z * (-1 / 3628800 + z * (1 / 479001600 + z * (-1 / 87178291200 + z * (1 / 20922789888000))))))));

/** Two numbers of the four `words`, into `pair`. */
export function normalPair(words: Uint32Array, pair: Float64Array): void {
  const radius = Math.sqrt(-2 * log(1 - uniform53(words[0], words[1])));
  const turn = uniform53(words[2], words[3]);
  const quarter = Math.floor(4 * turn + 0.5);
  const t = (turn - 0.25 * quarter) * TWO_PI;
  const z = t * t;
  const c = cosine(z);
  const s = sine(t, z);
  const isAcross = quarter === 1 || quarter === 3;
  const sign = quarter === 2 || quarter === 3 ? -1 : 1;
  pair[0] = radius * (sign * (isAcross ? -s : c));
  pair[1] = radius * (sign * (isAcross ? c : s));
}
