import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SPECIAL_VALUES } from '../../../test/support/random-ir.js';
import { evaluateOp, interpret } from '../interpreter.js';
import type { MathOpName } from '../ops.js';
import { OPS, OP_NAMES, TRIG_QUICK_ARGUMENT, isMathOp } from '../ops.js';
import type { IfNode, IrNode } from '../types.js';
import { verifyIr } from '../verifier.js';
import { arityOf, LIBRARY_NAMES, MATH_LIBRARY } from './index.js';

const NAMES = OP_NAMES.filter(isMathOp);
const inf = Infinity;
const tiny = Number.MIN_VALUE;
const normal = 2 ** -1022;
const huge = Number.MAX_VALUE;
const PI = Math.PI;

const WITH_RARE_ARGUMENTS = ['sin', 'cos', 'tan', 'exp', 'exp2', 'log', 'log2', 'log10', 'pow'];

describe('every expansion', () => {
  it('exists for every math operation of the op table, and for quick angles', () => {
    const quick = ['sin_quick', 'cos_quick', 'tan_quick'];
    expect(Object.keys(MATH_LIBRARY).sort()).toEqual([...NAMES, ...quick].sort());
    expect(LIBRARY_NAMES).toEqual([...NAMES, ...quick]);
  });

  for (const name of LIBRARY_NAMES) {
    it(`${name} is valid, straight-line but for an end, of primitives only, with as many coordinates as arguments`, () => {
      const fn = MATH_LIBRARY[name];
      const isStep = (node: IrNode): boolean => node.kind === 'op' && OPS[node.op].kind === 'primitive';
      expect(verifyIr(fn)).toEqual([]);
      expect(fn.dimension).toBe(arityOf(name));
      const others = fn.body.body.filter((node) => !isStep(node));
      expect(others).toHaveLength(WITH_RARE_ARGUMENTS.includes(name) ? 1 : 0);
      for (const node of others) {
        expect(node).toBe(fn.body.body.at(-1));
        expect(node).toMatchObject({ kind: 'if', results: fn.body.yields, otherwise: { body: [] } });
        expect((node as IfNode).then.body.filter((inner) => !isStep(inner))).toEqual([]);
      }
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

  it('functions of quick angles have the bits of those of any', () => {
    const angles = [...SPECIAL_VALUES.filter((a) => Math.abs(a) <= TRIG_QUICK_ARGUMENT), inf, -inf, NaN];
    for (let k = -300; k <= 300; k++) angles.push(k * 1.37, k * 1371.9);
    for (const name of ['sin', 'cos', 'tan'] as const) {
      const quick = MATH_LIBRARY[`${name}_quick`];
      for (const a of angles) expect(interpret(quick, [a]).value, `${name}(${a})`).toBe(evaluateOp(name, [a]));
    }
  });

  it('odd functions are odd and even ones even, in every bit', () => {
    const values = SPECIAL_VALUES.filter((a) => !Number.isNaN(a));
    for (const name of ['sin', 'tan', 'asin', 'atan', 'sinh', 'tanh', 'asinh', 'atanh', 'cbrt', 'erf'] as const) {
      for (const a of values) expect(evaluateOp(name, [-a])).toBe(-evaluateOp(name, [a]));
    }
    for (const name of ['cos', 'cosh'] as const) {
      for (const a of values) expect(evaluateOp(name, [-a])).toBe(evaluateOp(name, [a]));
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

  it('hold for angles of any size: the doubles closest to multiples of pi/2, and others', () => {
    // The closest of each exponent by continued fractions; values by mpmath 1.4.1 with 1,300 bits.
    const angles = [
      [6381956970095103 * 2 ** 797, 1.0, -4.687165924254628e-19, -2.133485385753704e18],
      [1.0638745296653083e256, -9.374331848509255e-19, -1.0, 9.374331848509255e-19],
      [14461176.67027838, -1.0, -1.6985038298986004e-18, 5.88753456069451e17],
      [3.576149729694266e39, -1.0, -1.8208566377382172e-18, 5.4919205569206874e17],
      [2.1277490593306166e256, 1.874866369701851e-18, 1.0, 1.874866369701851e-18],
      [3.924293714572882e298, 1.0, 2.0149386674952238e-18, 4.962930217836868e17],
      [6.426511099577231e173, -1.0, 2.4853662876185346e-18, -4.0235517999167635e17],
      [1.3930726336834465e259, -1.0, -3.147980759904577e-18, 3.1766394913745043e17],
      [411775.00000000006, 0.16692361553639545, 0.9859698304594606, 0.16929890791750624],
      [1e6, -0.34999350217129294, 0.9367521275331447, -0.373624453987599],
      [1e15, 0.8582727931702359, -0.5131937377869703, -1.672414782127583],
      [1e22, -0.8522008497671888, 0.523214785395139, -1.6287782256068988],
      [2 ** 52 + 1, 0.06377812111975718, -0.9979641031953171, -0.06390823168443646],
      [2 ** 53, -0.848925964814655, -0.5285117844130887, 1.6062574002155612],
      [1.2345e100, 0.9969767616876765, -0.07770030022306239, -12.831054176438842],
      [2 ** 1023, 0.563127779850884, -0.826369834614148, -0.6814476476066215],
      [Number.MAX_VALUE, 0.004961954789184062, -0.9999876894265599, -0.004962015874444895],
    ];
    const distance = (got: number, wanted: number): number => Math.abs(Number(position(got) - position(wanted)));
    for (const [x, sine, cosine, tangent] of angles) {
      for (const sign of [1, -1]) {
        expect(distance(evaluateOp('sin', [sign * x]), sign * sine), `sin ${sign * x}`).toBeLessThanOrEqual(1);
        expect(distance(evaluateOp('cos', [sign * x]), cosine), `cos ${sign * x}`).toBeLessThanOrEqual(1);
        expect(distance(evaluateOp('tan', [sign * x]), sign * tangent), `tan ${sign * x}`).toBeLessThanOrEqual(2);
      }
    }
  });

  it('hold where the quick reduction ends: both give the same there, within the bounds', () => {
    // Steps across the limit are as small as the derivative asks for.
    const [below, above] = [TRIG_QUICK_ARGUMENT, 411775.00000000006];
    expect(evaluateOp('sin', [above]) - evaluateOp('sin', [below])).toBeCloseTo(0.98597 * (above - below), 14);
    expect(evaluateOp('cos', [above]) - evaluateOp('cos', [below])).toBeCloseTo(-0.16692 * (above - below), 14);
  });
});
