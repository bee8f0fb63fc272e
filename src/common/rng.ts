/**
 * Seeded random numbers for searches: xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", ACM TOMS 47(4), 2021), 32-bit integer arithmetic, seeded through splitmix64. Not for secrets.
 *
 * Promise: integers and uniforms are fixed by the algorithm. Normals use only + - * / and sqrt beyond that, with our
 * own exp and log (`float.ts`), so they too are equal in every bit on every engine. The sequence is part of what "same
 * seed, same bits" means: changing anything here changes every run.
 */
import { exp, log } from './float.js';

/** The whole state: [s0, s1, s2, s3] and the key [low, high] that `split` derives from; unsigned 32-bit numbers. */
export type RngSnapshot = readonly number[];

const MASK64 = (1n << 64n) - 1n;

/** One step of splitmix64: the next state and its output. */
function splitmix64(state: bigint): [state: bigint, output: bigint] {
  const next = (state + 0x9e3779b97f4a7c15n) & MASK64;
  let z = next;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK64;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK64;
  return [next, z ^ (z >> 31n)];
}

/** FNV-1a, 64 bits, over the UTF-16 code units of a label. */
function hashLabel(label: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < label.length; i++) {
    hash = ((hash ^ BigInt(label.charCodeAt(i))) * 0x100000001b3n) & MASK64;
  }
  return hash;
}

/*
 * Ziggurat with 128 layers of equal area (Marsaglia and Tsang 2000; layer and mantissa bits kept apart as in Doornik
 * 2005). LAYER_X[i]: right edge of layer i, LAYER_X[0] = area / f(TAIL_START) is the pseudo-edge of the base layer.
 */
const LAYERS = 128;
const TAIL_START = 3.442619855899;
const LAYER_AREA = 9.91256303526217e-3;
const LAYER_X = new Float64Array(LAYERS + 1);
/** exp(-x^2 / 2) at the edges. */
const LAYER_DENSITY = new Float64Array(LAYERS + 1);
/** Below this share of its edge a point of layer i surely lies under the curve. */
const LAYER_RATIO = new Float64Array(LAYERS);

function density(x: number): number {
  return exp(-0.5 * x * x);
}

(function buildLayers(): void {
  let f = density(TAIL_START);
  LAYER_X[0] = LAYER_AREA / f;
  LAYER_X[1] = TAIL_START;
  for (let i = 2; i < LAYERS; i++) {
    f += LAYER_AREA / LAYER_X[i - 1];
    LAYER_X[i] = Math.sqrt(-2 * log(f));
  }
  LAYER_X[LAYERS] = 0;
  for (let i = 0; i <= LAYERS; i++) LAYER_DENSITY[i] = density(LAYER_X[i]);
  for (let i = 0; i < LAYERS; i++) LAYER_RATIO[i] = LAYER_X[i + 1] / LAYER_X[i];
})();

const TWO_POW_26 = 67108864;
const TWO_POW_29 = 536870912;
const TWO_POW_MINUS_52 = 2.220446049250313e-16;
const TWO_POW_MINUS_53 = 1.1102230246251565e-16;

/**
 * One step of xoshiro128** on its state [4]: uniform over 0 .. 2^32 - 1. For twins of native code that carry the state
 * alone.
 */
export function nextUint32(s: Int32Array): number {
  const s1 = s[1];
  const scrambled = Math.imul(s1, 5);
  const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9);
  s[2] ^= s[0];
  s[3] ^= s1;
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= s1 << 9;
  s[3] = (s[3] << 11) | (s[3] >>> 21);
  return result >>> 0;
}

export class Rng {
  private readonly s = new Int32Array(4);

  private constructor(private readonly key: bigint) {}

  /** `seed`: any safe integer; different seeds give independent streams. */
  static create(seed: number): Rng {
    if (!Number.isSafeInteger(seed)) throw new RangeError(`seed must be a safe integer, not ${seed}`);
    return Rng.fromKey(BigInt.asUintN(64, BigInt(seed)));
  }

  static restore(snapshot: RngSnapshot): Rng {
    if (snapshot.length !== 6 || snapshot.some((w) => !Number.isInteger(w) || w < 0 || w > 0xffffffff)) {
      throw new RangeError('a generator snapshot is six unsigned 32-bit integers');
    }
    const rng = new Rng(BigInt(snapshot[4]) | (BigInt(snapshot[5]) << 32n));
    for (let i = 0; i < 4; i++) rng.s[i] = snapshot[i]!;
    return rng;
  }

  private static fromKey(key: bigint): Rng {
    const rng = new Rng(key);
    let state = key;
    for (let i = 0; i < 4; i += 2) {
      const [next, output] = splitmix64(state);
      state = next;
      rng.s[i] = Number(BigInt.asIntN(32, output));
      rng.s[i + 1] = Number(BigInt.asIntN(32, output >> 32n));
    }
    return rng;
  }

  /** An independent stream. Depends on the seed and the label only, not on what was drawn so far. */
  split(label: string): Rng {
    const [, mixed] = splitmix64(this.key ^ hashLabel(label));
    return Rng.fromKey(mixed);
  }

  snapshot(): RngSnapshot {
    const words = Array.from(this.s, (word) => word >>> 0);
    return [...words, Number(this.key & 0xffffffffn), Number(this.key >> 32n)];
  }

  /** Uniform over 0 .. 2^32 - 1. */
  nextUint32(): number {
    return nextUint32(this.s);
  }

  /** Uniform over the multiples of 2^-53 in [0, 1). */
  uniform(): number {
    const high = this.nextUint32() >>> 5;
    return (high * TWO_POW_26 + (this.nextUint32() >>> 6)) * TWO_POW_MINUS_53;
  }

  /** Uniform integer in 0 .. bound - 1, without bias; `bound` in 1 .. 2^32. */
  below(bound: number): number {
    const limit = 4294967296 - (4294967296 % bound);
    let draw = this.nextUint32();
    while (draw >= limit) draw = this.nextUint32();
    return draw % bound;
  }

  /** Standard normal. */
  normal(): number {
    const one = this.one;
    this.fillNormals(one, 0, 1);
    return one[0];
  }
  private readonly one = new Float64Array(1);

  /** Writes `count` standard normals to `out[start ...]`. The same numbers as `count` calls of `normal`. */
  fillNormals(out: Float64Array, start: number, count: number): void {
    const s = this.s;
    // The state lives in locals while the loop runs: about three times faster than through the array.
    let s0 = s[0];
    let s1 = s[1];
    let s2 = s[2];
    let s3 = s[3];
    const end = start + count;
    for (let k = start; k < end; k++) {
      let t = Math.imul(s1, 5);
      const a = Math.imul((t << 7) | (t >>> 25), 9);
      t = s1 << 9;
      s2 ^= s0;
      s3 ^= s1;
      s1 ^= s2;
      s0 ^= s3;
      s2 ^= t;
      s3 = (s3 << 11) | (s3 >>> 21);
      t = Math.imul(s1, 5);
      const b = Math.imul((t << 7) | (t >>> 25), 9);
      t = s1 << 9;
      s2 ^= s0;
      s3 ^= s1;
      s1 ^= s2;
      s0 ^= s3;
      s2 ^= t;
      s3 = (s3 << 11) | (s3 >>> 21);

      const layer = a & 127;
      const share = ((a >> 8) * TWO_POW_29 + (b >>> 3)) * TWO_POW_MINUS_52;
      if (Math.abs(share) < LAYER_RATIO[layer]) {
        out[k] = share * LAYER_X[layer];
        continue;
      }
      s[0] = s0;
      s[1] = s1;
      s[2] = s2;
      s[3] = s3;
      out[k] = this.outsideCore(layer, share);
      s0 = s[0]!;
      s1 = s[1]!;
      s2 = s[2]!;
      s3 = s[3]!;
    }
    s[0] = s0;
    s[1] = s1;
    s[2] = s2;
    s[3] = s3;
  }

  /** About 1.2 % of the draws: the tail, or a layer's wedge. A refused point draws a whole new normal. */
  private outsideCore(layer: number, share: number): number {
    if (layer === 0) {
      for (;;) {
        const x = -log(1 - this.uniform()) / TAIL_START;
        const y = -log(1 - this.uniform());
        if (y + y > x * x) return share < 0 ? -(TAIL_START + x) : TAIL_START + x;
      }
    }
    const x = share * LAYER_X[layer];
    const above = LAYER_DENSITY[layer];
    const below = LAYER_DENSITY[layer + 1];
    if (above + this.uniform() * (below - above) < density(x)) return x;
    const a = this.nextUint32();
    const nextLayer = a & 127;
    const nextShare = ((a >> 8) * TWO_POW_29 + (this.nextUint32() >>> 3)) * TWO_POW_MINUS_52;
    if (Math.abs(nextShare) < LAYER_RATIO[nextLayer]) return nextShare * LAYER_X[nextLayer];
    return this.outsideCore(nextLayer, nextShare);
  }
}
