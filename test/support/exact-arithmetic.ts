/**
 * IEEE 754 binary64 arithmetic on exact integers: an independent definition for testing, which shares nothing with the
 * arithmetic of the host. A finite number is `sign * significand * 2^exponent`.
 */
export interface Exact {
  readonly sign: 1 | -1;
  readonly significand: bigint;
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

export function toBits(value: number): bigint {
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}

export function fromBits(bits: bigint): number {
  view.setBigUint64(0, BigInt.asUintN(64, bits));
  return view.getFloat64(0);
}

/** Of a finite number; zero has the significand 0 and keeps its sign. */
export function toExact(value: number): Exact {
  const bits = toBits(value);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return {
    sign: bits >> 63n === 1n ? -1 : 1,
    significand: biased === 0 ? fraction : fraction | (1n << 52n),
    exponent: Math.max(biased, 1) - 1075,
  };
}

/** Nearest binary64, ties to even, of sign * (numerator / denominator) * 2^exponent. */
export function round(sign: 1 | -1, numerator: bigint, denominator: bigint, exponent: number): number {
  const signBit = sign === -1 ? 1n << 63n : 0n;
  if (numerator === 0n) return fromBits(signBit);
  // Exponent of the last place: 53 significant bits, or the least denormal.
  let last = bitLength(numerator) - bitLength(denominator) + exponent - 53;
  if (scaleFloor(numerator, denominator, exponent - last) >= 1n << 53n) last++;
  last = Math.max(last, -1074);
  const shift = exponent - last;
  const top = shift >= 0 ? numerator << BigInt(shift) : numerator;
  const bottom = shift >= 0 ? denominator : denominator << BigInt(-shift);
  let significand = top / bottom;
  const twice = 2n * (top - significand * bottom);
  if (twice > bottom || (twice === bottom && significand % 2n === 1n)) significand++;
  if (significand >= 1n << 53n) {
    significand >>= 1n;
    last++;
  }
  if (last > 971) return fromBits(signBit | (0x7ffn << 52n));
  const biased = significand < 1n << 52n ? 0n : BigInt(last + 1075);
  return fromBits(signBit | (biased << 52n) | (significand & 0xfffffffffffffn));
}

/** Floor of the square root. */
export function integerSqrt(n: bigint): bigint {
  if (n < 2n) return n;
  let x = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

function scaleFloor(numerator: bigint, denominator: bigint, shift: number): bigint {
  return shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift));
}

function bitLength(n: bigint): number {
  return n.toString(2).length;
}
