/** Fingerprints of molecules as sets of bits, and how far apart two of them are (Tanimoto 1958). */
import { handChecked } from '../../../common/hand-checked.js';
import { shown } from '../../../common/validation.js';

const MOST_BITS = 4_096;

/** A text of 0 and 1, or the positions of the bits that are set. */
type GivenFingerprint = string | readonly number[];

export const fingerprintField = handChecked<GivenFingerprint>(
  {
    anyOf: [
      { type: 'string', pattern: '^[01]+$', minLength: 1, maxLength: MOST_BITS },
      { type: 'array', items: { type: 'integer', minimum: 0, maximum: MOST_BITS - 1 }, maxItems: MOST_BITS },
    ],
    description: 'Fingerprint: a text of 0 and 1, or the positions, from 0, of the bits that are set',
  },
  (value, complain) => {
    if (typeof value === 'string') {
      if (value.length <= MOST_BITS && /^[01]+$/.test(value)) return;
      return complain([], `\`{field}\` must have 1 to ${MOST_BITS} characters, each 0 or 1.`);
    }
    if (!Array.isArray(value))
      return complain([], `\`{field}\` must be a text of 0 and 1 or an array of positions, not ${shown(value)}.`);
    if (value.length > MOST_BITS) return complain([], `\`{field}\` must have at most ${MOST_BITS} positions.`);
    const bad = value.findIndex((bit) => !Number.isInteger(bit) || bit < 0 || bit >= MOST_BITS);
    if (bad >= 0)
      complain([bad], `\`{field}\` must be a position from 0 to ${MOST_BITS - 1}, not ${shown(value[bad])}.`);
  },
);

export type Bits = Uint32Array;

export function bitsOf(given: GivenFingerprint): Bits {
  const bits = new Uint32Array(MOST_BITS / 32);
  const set = (bit: number): void => {
    bits[bit >>> 5] |= 1 << (bit & 31);
  };
  if (typeof given === 'string') for (let i = 0; i < given.length; i++) given[i] === '1' && set(i);
  else given.forEach(set);
  return bits;
}

/** Ones in 32 bits. */
function onesIn(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** 1 minus the share of the bits of either that both have; 0 where neither has any. */
export function tanimotoDistance(a: Bits, b: Bits): number {
  let [both, either] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    both += onesIn(a[i] & b[i]);
    either += onesIn(a[i] | b[i]);
  }
  return either === 0 ? 0 : (either - both) / either;
}
