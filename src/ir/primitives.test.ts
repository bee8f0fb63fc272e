import { describe, expect, it } from 'vitest';
import { integerSqrt, fromBits, round, toBits, toExact } from '../../test/support/exact-arithmetic.js';
import { SPECIAL_VALUES, randomNumber, seededRandom } from '../../test/support/random-ir.js';
import { IrBuilder } from './builder.js';
import { interpret } from './interpreter.js';
import type { OpInfo, PrimitiveOpName } from './ops.js';
import { OPS, OP_NAMES } from './ops.js';
import { PRIMITIVES } from './primitives.js';
import { LaneStatus } from './types.js';

const isNegative = (a: number): boolean => !Number.isNaN(a) && toBits(a) >> 63n === 1n;
const isZero = (a: number): boolean => toBits(a) << 1n === 1n << 64n || (toBits(a) & ~(1n << 63n)) === 0n;
const isInfinite = (a: number): boolean => (toBits(a) & ~(1n << 63n)) === 0x7ffn << 52n;
const signOf = (a: number): 1 | -1 => (isNegative(a) ? -1 : 1);
const signedZero = (sign: 1 | -1): number => fromBits(sign === -1 ? 1n << 63n : 0n);
const signedInfinity = (sign: 1 | -1): number => fromBits((sign === -1 ? 1n << 63n : 0n) | (0x7ffn << 52n));
const product = (a: number, b: number): 1 | -1 => (signOf(a) === signOf(b) ? 1 : -1);

function add(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
  if (isInfinite(a)) return isInfinite(b) && signOf(a) !== signOf(b) ? NaN : a;
  if (isInfinite(b)) return b;
  const [p, q] = [toExact(a), toExact(b)];
  const exponent = Math.min(p.exponent, q.exponent);
  const shifted = (e: typeof p): bigint => BigInt(e.sign) * (e.significand << BigInt(e.exponent - exponent));
  const sum = shifted(p) + shifted(q);
  if (sum === 0n) return isZero(a) && isZero(b) && isNegative(a) && isNegative(b) ? signedZero(-1) : 0;
  return round(sum < 0n ? -1 : 1, sum < 0n ? -sum : sum, 1n, exponent);
}

function mul(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
  if (isInfinite(a) || isInfinite(b)) return isZero(a) || isZero(b) ? NaN : signedInfinity(product(a, b));
  const [p, q] = [toExact(a), toExact(b)];
  return round(product(a, b), p.significand * q.significand, 1n, p.exponent + q.exponent);
}

function div(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b) || (isInfinite(a) && isInfinite(b)) || (isZero(a) && isZero(b))) return NaN;
  if (isInfinite(a) || isZero(b)) return signedInfinity(product(a, b));
  if (isInfinite(b)) return signedZero(product(a, b));
  const [p, q] = [toExact(a), toExact(b)];
  return round(product(a, b), p.significand, q.significand, p.exponent - q.exponent);
}

function sqrt(a: number): number {
  if (Number.isNaN(a) || isZero(a)) return a;
  if (isNegative(a)) return NaN;
  if (isInfinite(a)) return a;
  const { significand, exponent } = toExact(a);
  // 120 more bits, an even exponent; a remainder sets a sticky bit, which no tie can come from.
  const even = exponent % 2 === 0;
  const wide = significand << (even ? 240n : 241n);
  const root = integerSqrt(wide);
  const sticky = root * root === wide ? 0n : 1n;
  return round(1, 2n * root + sticky, 1n, (exponent - (even ? 240 : 241)) / 2 - 1);
}

/** Integer part of a finite number, toward zero, and twice its fraction compared with 1. */
function parts(a: number): { whole: bigint; fraction: boolean; half: -1 | 0 | 1 } {
  const { significand, exponent } = toExact(a);
  if (exponent >= 0) return { whole: significand << BigInt(exponent), fraction: false, half: -1 };
  const unit = 1n << BigInt(-exponent);
  const rest = significand % unit;
  return {
    whole: significand / unit,
    fraction: rest !== 0n,
    half: 2n * rest < unit ? -1 : 2n * rest === unit ? 0 : 1,
  };
}

function integral(a: number, up: (p: ReturnType<typeof parts>, negative: boolean) => boolean): number {
  if (Number.isNaN(a) || isInfinite(a)) return a;
  const p = parts(a);
  return round(signOf(a), up(p, isNegative(a)) ? p.whole + 1n : p.whole, 1n, 0);
}

/** A total order key: negative numbers reversed below the positive ones, both zeros equal. */
function key(a: number): bigint {
  const magnitude = toBits(a) & ~(1n << 63n);
  return isNegative(a) ? -magnitude : magnitude;
}
const ordered = (a: number, b: number, holds: (p: bigint, q: bigint) => boolean): number =>
  !Number.isNaN(a) && !Number.isNaN(b) && holds(key(a), key(b)) ? 1 : 0;

/** Every primitive once more, from bits and exact integers alone. */
const INDEPENDENT: Record<PrimitiveOpName, (a: number, b: number, c: number) => number> = {
  add,
  sub: (a, b) => (Number.isNaN(b) ? NaN : add(a, fromBits(toBits(b) ^ (1n << 63n)))),
  mul,
  div,
  sqrt,
  neg: (a) => fromBits(toBits(a) ^ (1n << 63n)),
  abs: (a) => fromBits(toBits(a) & ~(1n << 63n)),
  floor: (a) => integral(a, (p, negative) => negative && p.fraction),
  ceil: (a) => integral(a, (p, negative) => !negative && p.fraction),
  trunc: (a) => integral(a, () => false),
  rint: (a) => integral(a, (p) => p.half > 0 || (p.half === 0 && p.whole % 2n === 1n)),
  lt: (a, b) => ordered(a, b, (p, q) => p < q),
  le: (a, b) => ordered(a, b, (p, q) => p <= q),
  eq: (a, b) => ordered(a, b, (p, q) => p === q),
  ne: (a, b) => 1 - ordered(a, b, (p, q) => p === q),
  and: (a, b) => (a + b === 2 ? 1 : 0),
  or: (a, b) => (a + b === 0 ? 0 : 1),
  xor: (a, b) => (a + b === 1 ? 1 : 0),
  not: (a) => 1 - a,
  select: (a, b, c) => [c, b][a],
  bselect: (a, b, c) => [c, b][a],
  signbit: (a) => (isNegative(a) ? 1 : 0),
  exponent: (a) => Number((toBits(a) >> 52n) & 0x7ffn) - 1023,
  mantissa: (a) => fromBits((toBits(a) & 0x000fffffffffffffn) | 0x3ff0000000000000n),
  scale: (a, b) => {
    const half = Number(BigInt.asIntN(64, BigInt(b)) >> 1n);
    const power = (n: number): number => fromBits(BigInt(n + 1023) << 52n);
    return mul(mul(a, power(half)), power(b - half));
  },
  high: (a) => fromBits(toBits(a) & 0xfffffffff8000000n),
};

const SCALES = [-2044, -2043, -1100, -1075, -1074, -1022, -54, -3, -1, 0, 1, 2, 53, 1023, 1024, 1025, 2045, 2046];

function argumentsOf(op: PrimitiveOpName): number[][] {
  const random = seededRandom(OP_NAMES.indexOf(op) + 1);
  const numbers = [...SPECIAL_VALUES, ...Array.from({ length: 60 }, () => randomNumber(random))];
  const choices = (OPS[op] as OpInfo).args.map((type, index) => {
    if (type === 'bool') return [0, 1];
    if (op === 'scale' && index === 1) return SCALES;
    // The bits of a NaN are unspecified.
    return op === 'mantissa' || op === 'high' ? numbers.filter((a) => !Number.isNaN(a)) : numbers;
  });
  return choices.reduce<number[][]>((rows, values) => rows.flatMap((row) => values.map((v) => [...row, v])), [[]]);
}

describe('primitives', () => {
  const names = Object.keys(PRIMITIVES) as PrimitiveOpName[];

  it('are those of the op table', () => {
    const expected = OP_NAMES.filter((name) => OPS[name].kind === 'primitive' && OPS[name].args.length > 0);
    expect([...names].sort()).toEqual([...expected].sort());
  });

  for (const op of names) {
    it(`${op} is what exact arithmetic and the bits say`, () => {
      const wrong = argumentsOf(op).filter(
        (args) => !Object.is(PRIMITIVES[op](args[0], args[1], args[2]), INDEPENDENT[op](args[0], args[1], args[2])),
      );
      expect(wrong).toEqual([]);
    });

    it(`${op} in a program gives the same as alone`, () => {
      const info: OpInfo = OPS[op];
      const numeric = info.args.filter((type) => type === 'f64').length;
      for (const args of argumentsOf(op).filter((_, k) => k % 7 === 0)) {
        const b = new IrBuilder('one', numeric);
        let coordinate = 0;
        const ids = info.args.map((type, k) => (type === 'f64' ? b.x(coordinate++) : b.bool(args[k] === 1)));
        const result = b.op(op, ...ids);
        const fn = b.finish(info.result === 'bool' ? b.op('select', result, b.const(1), b.const(0)) : result);
        const x = args.filter((_, k) => info.args[k] === 'f64');
        const value = PRIMITIVES[op](args[0], args[1], args[2]);
        expect(interpret(fn, x)).toEqual({ value, status: LaneStatus.Ok, line: 0 });
      }
    });
  }

  it('const, bconst and x give the immediate and the coordinate', () => {
    const b = new IrBuilder('leaves', 2);
    const fn = b.finish(b.op('select', b.bool(true), b.op('add', b.const(0.5), b.x(1)), b.x(0)));
    expect(interpret(fn, [3, 4]).value).toBe(4.5);
  });
});
