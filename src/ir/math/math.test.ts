import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SPECIAL_VALUES } from '../../../test/support/random-ir.js';
import { evaluateOp } from '../interpreter.js';
import type { MathOpName, OpInfo } from '../ops.js';
import { OPS, OP_NAMES, TRIG_MAX_ARGUMENT, isMathOp } from '../ops.js';
import { verifyIr } from '../verifier.js';
import { MATH_LIBRARY } from './index.js';

const NAMES = OP_NAMES.filter(isMathOp);
const inf = Infinity;
const tiny = Number.MIN_VALUE;
const normal = 2 ** -1022;
const huge = Number.MAX_VALUE;
const PI = Math.PI;

describe('every expansion', () => {
  it('exists for every math operation of the op table', () => {
    expect(Object.keys(MATH_LIBRARY).sort()).toEqual([...NAMES].sort());
  });

  for (const name of NAMES) {
    it(`${name} is valid, straight-line, of primitives only, with as many coordinates as arguments`, () => {
      const fn = MATH_LIBRARY[name];
      expect(verifyIr(fn)).toEqual([]);
      expect(fn.dimension).toBe(OPS[name].args.length);
      expect(fn.body.body.filter((node) => node.kind !== 'op' || OPS[node.op].kind !== 'primitive')).toEqual([]);
    });
  }
});

/** C11 Annex F. */
const SPECIAL: Readonly<Record<MathOpName, readonly (readonly number[])[]>> = {
  sin: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [inf, NaN],
    [-inf, NaN],
  ],
  cos: [
    [0, 1],
    [-0, 1],
    [tiny, 1],
    [inf, NaN],
    [-inf, NaN],
  ],
  tan: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [inf, NaN],
    [-inf, NaN],
  ],
  asin: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [1, PI / 2],
    [-1, -PI / 2],
    [1.0000000000000002, NaN],
    [-inf, NaN],
  ],
  acos: [
    [1, 0],
    [0, PI / 2],
    [-0, PI / 2],
    [-1, PI],
    [1.0000000000000002, NaN],
    [inf, NaN],
    [tiny, PI / 2],
  ],
  atan: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [inf, PI / 2],
    [-inf, -PI / 2],
    [1, PI / 4],
    [huge, PI / 2],
  ],
  atan2: [
    [0, 0, 0],
    [-0, 0, -0],
    [0, -0, PI],
    [-0, -0, -PI],
    [0, 1, 0],
    [-0, 1, -0],
    [0, -1, PI],
    [-0, -1, -PI],
    [1, 0, PI / 2],
    [1, -0, PI / 2],
    [-1, 0, -PI / 2],
    [-1, -0, -PI / 2],
    [1, inf, 0],
    [-1, inf, -0],
    [1, -inf, PI],
    [-1, -inf, -PI],
    [inf, 1, PI / 2],
    [-inf, 1, -PI / 2],
    [inf, inf, PI / 4],
    [-inf, inf, -PI / 4],
    [inf, -inf, (3 * PI) / 4],
    [-inf, -inf, (-3 * PI) / 4],
    [NaN, 1, NaN],
    [1, NaN, NaN],
    [inf, NaN, NaN],
    [huge, huge, PI / 4],
    [huge, -huge, (3 * PI) / 4],
    [tiny, tiny, PI / 4],
    [tiny, 1, tiny],
    [1, huge, 2 ** -1024],
    [tiny, -huge, PI],
    [huge, tiny, PI / 2],
  ],
  sinh: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [inf, inf],
    [-inf, -inf],
    [711, inf],
    [-1e300, -inf],
  ],
  cosh: [
    [0, 1],
    [-0, 1],
    [inf, inf],
    [-inf, inf],
    [711, inf],
    [-1e300, inf],
    [tiny, 1],
  ],
  tanh: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [inf, 1],
    [-inf, -1],
    [1e300, 1],
    [-800, -1],
    [20, 1],
  ],
  asinh: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [inf, inf],
    [-inf, -inf],
  ],
  acosh: [
    [1, 0],
    [0.9999999999999999, NaN],
    [-1, NaN],
    [inf, inf],
    [-inf, NaN],
  ],
  atanh: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [1, inf],
    [-1, -inf],
    [1.0000000000000002, NaN],
    [inf, NaN],
  ],
  exp: [
    [0, 1],
    [-0, 1],
    [tiny, 1],
    [inf, inf],
    [-inf, 0],
    [709.782712893384, 1.7976931348622732e308],
    [709.7827128933841, inf],
    [1e300, inf],
    [-1e300, 0],
    [-745.1332191019411, tiny],
    [-745.1332191019412, 0],
    [-746, 0],
  ],
  exp2: [
    [0, 1],
    [-0, 1],
    [inf, inf],
    [-inf, 0],
    [1, 2],
    [-1, 0.5],
    [1023, 2 ** 1023],
    [1024, inf],
    [-1022, normal],
    [-1074, tiny],
    [-1075, 0],
    [-1074.9999999999998, tiny],
    [1e300, inf],
    [-1e300, 0],
  ],
  expm1: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [inf, inf],
    [-inf, -1],
    [-50, -1],
    [-1e300, -1],
    [1e300, inf],
  ],
  log: [
    [1, 0],
    [0, -inf],
    [-0, -inf],
    [-tiny, NaN],
    [-inf, NaN],
    [inf, inf],
  ],
  log2: [
    [1, 0],
    [0, -inf],
    [-0, -inf],
    [-1, NaN],
    [-inf, NaN],
    [inf, inf],
  ],
  log10: [
    [1, 0],
    [0, -inf],
    [-0, -inf],
    [-1, NaN],
    [-inf, NaN],
    [inf, inf],
  ],
  log1p: [
    [0, 0],
    [-0, -0],
    [tiny, tiny],
    [-tiny, -tiny],
    [-1, -inf],
    [-1.0000000000000002, NaN],
    [-inf, NaN],
    [inf, inf],
  ],
  pow: [
    [NaN, 0, 1],
    [NaN, -0, 1],
    [1, NaN, 1],
    [1, inf, 1],
    [1, -inf, 1],
    [-1, inf, 1],
    [-1, -inf, 1],
    [-1, NaN, NaN],
    [0, NaN, NaN],
    [NaN, 1, NaN],
    [0, 3, 0],
    [-0, 3, -0],
    [0, 2, 0],
    [-0, 2, 0],
    [-0, 2.5, 0],
    [0, -3, inf],
    [-0, -3, -inf],
    [-0, -2, inf],
    [-0, -2.5, inf],
    [0, inf, 0],
    [0, -inf, inf],
    [-0, inf, 0],
    [-0, -inf, inf],
    [0.5, inf, 0],
    [0.5, -inf, inf],
    [2, inf, inf],
    [2, -inf, 0],
    [-0.5, inf, 0],
    [-2, inf, inf],
    [-2, -inf, 0],
    [inf, 2, inf],
    [inf, -2, 0],
    [-inf, 3, -inf],
    [-inf, 2, inf],
    [-inf, 2.5, inf],
    [-inf, -3, -0],
    [-inf, -2, 0],
    [-inf, inf, inf],
    [inf, inf, inf],
    [inf, -inf, 0],
    [-8, 1 / 3, NaN],
    [-2, 3, -8],
    [-2, 2, 4],
    [-2, -1, -0.5],
    [2, 0.5, Math.SQRT2],
    [10, 308, 1e308],
    [10, 309, inf],
    [-10, 309, -inf],
    [10, -400, 0],
    [-10, -401, -0],
    [2, -1074, tiny],
    [2, -1075, 0],
    [2, 1023, 2 ** 1023],
    [2, 1024, inf],
    [-2, 1023, -(2 ** 1023)],
    [tiny, 1, tiny],
    [tiny, -1, inf],
    [huge, 1, huge],
    [huge, -1, 5.562684646268003e-309],
    [1e300, 1e300, inf],
    [1e-300, 1e300, 0],
    [-1, 2 ** 53, 1],
    [-1, 2 ** 53 - 1, -1],
    [-1, huge, 1],
    [0.9999999999999999, huge, 0],
    [1.0000000000000002, huge, inf],
    [3, 2, 9],
    [7, 3, 343],
    [1.5, 2, 2.25],
    [4, -0.5, 0.5],
  ],
  cbrt: [
    [0, 0],
    [-0, -0],
    [inf, inf],
    [-inf, -inf],
    [8, 2],
    [-27, -3],
    [1e-300, 1e-100],
    [2 ** -1074, 2 ** -358],
    [1, 1],
  ],
  hypot: [
    [3, 4, 5],
    [-3, -4, 5],
    [0, 0, 0],
    [-0, 0, 0],
    [0, -5, 5],
    [inf, NaN, inf],
    [NaN, -inf, inf],
    [NaN, 1, NaN],
    [1, NaN, NaN],
    [huge, 0, huge],
    [huge, huge, inf],
    [tiny, 0, tiny],
    [3 * tiny, 4 * tiny, 5 * tiny],
    [3e300, 4e300, 5e300],
    [3e-310, 4e-310, 5e-310],
    [1, tiny, 1],
  ],
  fmod: [
    [7, 3, 1],
    [-7, 3, -1],
    [7, -3, 1],
    [-7.5, 2, -1.5],
    [0, 3, 0],
    [-0, 3, -0],
    [6, 3, 0],
    [-6, 3, -0],
    [1, 0, NaN],
    [inf, 3, NaN],
    [3, inf, 3],
    [-3, -inf, -3],
    [NaN, 1, NaN],
    [1, NaN, NaN],
    [5, 5, 0],
    [tiny, 1, tiny],
    [1, tiny, NaN],
    [2 ** 53 - 1, 1, 0],
    [2 ** 53, 1, NaN],
    [huge, huge, 0],
    [huge, 2 ** 971 * 3, 2 ** 971],
    [1, 2, 1],
    [5 * tiny, 3 * tiny, 2 * tiny],
    [0.3, 0.1, 0.09999999999999998],
    [huge, normal, NaN],
  ],
  erf: [
    [0, 0],
    [-0, -0],
    [inf, 1],
    [-inf, -1],
    [6, 1],
    [-1e300, -1],
    [tiny, tiny],
  ],
  erfc: [
    [0, 1],
    [-0, 1],
    [inf, 0],
    [-inf, 2],
    [28, 0],
    [-1e300, 2],
    [tiny, 1],
  ],
  gamma: [
    [0, inf],
    [-0, -inf],
    [inf, inf],
    [-inf, NaN],
    [-1, NaN],
    [-171, NaN],
    [-1e300, NaN],
    [171.7, inf],
    [1e300, inf],
    [tiny, inf],
    [-tiny, -inf],
    [1, 1],
    [2, 1],
    [-190.5, -0],
    [-191.5, 0],
  ],
  lgamma: [
    [0, inf],
    [-0, inf],
    [1, 0],
    [2, 0],
    [inf, inf],
    [-inf, inf],
    [-0.5, NaN],
    [-1, NaN],
    [1e306, inf],
  ],
};

describe('special values', () => {
  for (const name of NAMES) {
    it(`${name} follows C Annex F`, () => {
      for (const row of SPECIAL[name]) {
        const args = row.slice(0, -1);
        expect(evaluateOp(name, args), `${name}(${args.map(String).join(', ')})`).toBe(row[row.length - 1]);
      }
      if (OPS[name].args.length === 1) expect(evaluateOp(name, [NaN])).toBeNaN();
    });
  }

  it('log2 is exact at powers of two, log10 at powers of ten', () => {
    for (let k = -1074; k <= 1023; k++) expect(evaluateOp('log2', [2 ** k])).toBe(k);
    for (let k = -307; k <= 308; k++) expect(evaluateOp('log10', [Number(`1e${k}`)])).toBe(k);
  });

  it('exp2 and pow give powers of two exactly, also denormal ones', () => {
    for (let k = -1074; k <= 1023; k++) {
      expect(evaluateOp('exp2', [k])).toBe(2 ** k);
      expect(evaluateOp('pow', [2, k])).toBe(2 ** k);
    }
  });

  it('pow of integers is exact where the result fits 53 bits', () => {
    for (let base = 2; base <= 30; base++) {
      for (let k = 1; base ** k <= 2 ** 53; k++) {
        expect(evaluateOp('pow', [base, k])).toBe(Number(BigInt(base) ** BigInt(k)));
      }
    }
  });

  const within = (name: MathOpName) => (a: number) =>
    !Number.isFinite(a) || Math.abs(a) <= ((OPS[name] as OpInfo).maxArgument ?? Infinity);

  it('odd functions are odd and even ones even, in every bit', () => {
    const values = SPECIAL_VALUES.filter((a) => !Number.isNaN(a));
    for (const name of ['sin', 'tan', 'asin', 'atan', 'sinh', 'tanh', 'asinh', 'atanh', 'cbrt', 'erf'] as const) {
      for (const a of values.filter(within(name))) expect(evaluateOp(name, [-a])).toBe(-evaluateOp(name, [a]));
    }
    for (const name of ['cos', 'cosh'] as const) {
      for (const a of values.filter(within(name))) expect(evaluateOp(name, [-a])).toBe(evaluateOp(name, [a]));
    }
  });
});

/** Position on the scale of all doubles, so that neighbours differ by one. */
const view = new DataView(new ArrayBuffer(8));
function position(a: number): bigint {
  view.setFloat64(0, a);
  const bits = view.getBigInt64(0);
  return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
}

describe('error bounds', () => {
  const folder = new URL('../../../test/golden/numerics/', import.meta.url);
  const header = JSON.parse(readFileSync(new URL('reference.json', folder), 'utf8')) as {
    command: string;
    functions: { name: MathOpName; points: number }[];
  };
  const bytes = readFileSync(new URL('reference.bin', folder));
  const table = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  let offset = 0;

  it('are tested for every function', () => {
    expect(header.functions.map((entry) => entry.name).sort()).toEqual([...NAMES].sort());
  });

  for (const { name, points } of header.functions) {
    const arity = OPS[name].args.length;
    const start = offset;
    offset += points * (arity + 1);

    it(`${name} stays within ${OPS[name].ulp} units of the correctly rounded value at ${points} arguments`, () => {
      expect(points).toBeGreaterThanOrEqual(1000);
      const wrong: string[] = [];
      for (let k = 0; k < points; k++) {
        const row = table.subarray(start + k * (arity + 1), start + (k + 1) * (arity + 1));
        const args = [...row.subarray(0, arity)];
        const got = evaluateOp(name, args);
        const distance = position(got) - position(row[arity]);
        const limit = BigInt(OPS[name].ulp);
        if (Number.isNaN(got) || distance > limit || distance < -limit) {
          wrong.push(`${name}(${args.join(', ')}) = ${got}, should be ${row[arity]}`);
        }
      }
      expect(wrong).toEqual([]);
    });
  }

  it('hold next to multiples of pi/2: the doubles closest to any of the first 2^18', () => {
    // Found by trying all of them with integers of 300 bits; values by mpmath 1.3.0 with 400 bits.
    const closest = [
      [45.553093477052, 1, -6.189806365883577e-19],
      [91.106186954104, -1.2379612731767154e-18, -1],
      [182.212373908208, 2.475922546353431e-18, 1],
      [364.424747816416, 4.951845092706862e-18, 1],
    ];
    for (const [x, sine, cosine] of closest) {
      expect(evaluateOp('sin', [x])).toBe(sine);
      expect(evaluateOp('cos', [x])).toBe(cosine);
    }
  });

  it('end at the reduction limit that the op table states', () => {
    for (const name of ['sin', 'cos', 'tan'] as const) {
      expect((OPS[name] as OpInfo).maxArgument).toBe(TRIG_MAX_ARGUMENT);
      expect(evaluateOp(name, [TRIG_MAX_ARGUMENT])).not.toBeNaN();
    }
  });
});
