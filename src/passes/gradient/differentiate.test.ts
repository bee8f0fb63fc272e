import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCandidates, randomIr, smoothIr } from '../../../test/support/random-ir.js';
import { IrBuilder } from '../../ir/builder.js';
import { constantForm, formOf } from '../../ir/index-form.js';
import { evaluateOp, interpret } from '../../ir/interpreter.js';
import { parseIr } from '../../ir/parser.js';
import { printIr } from '../../ir/printer.js';
import type { IrFunction, Region, ValueId } from '../../ir/types.js';
import { LaneStatus } from '../../ir/types.js';
import { verifyIr } from '../../ir/verifier.js';
import { optimizeIr } from '../pipeline.js';
import { differentiate, GradientTooLarge } from './differentiate.js';

function gradientOf(fn: IrFunction, x: readonly number[]): number[] {
  const raw = differentiate(fn);
  expect(verifyIr(raw)).toEqual([]);
  const gradient = optimizeIr(raw);
  expect(verifyIr(gradient)).toEqual([]);
  const lane = interpret(gradient, x);
  expect(lane.value).toBe(interpret(fn, x).value);
  expect(lane.outputs).toEqual(interpret(raw, x).outputs);
  return Array.from(lane.outputs ?? []);
}

/** Gradient at `x` of the function that `build` writes. */
function gradientAt(x: readonly number[], build: (b: IrBuilder, x: readonly ValueId[]) => ValueId): number[] {
  const b = new IrBuilder('f', x.length);
  const coordinates = x.map((_, k) => b.x(k));
  return gradientOf(b.finish(build(b, coordinates)), x);
}

const close = (actual: readonly number[], expected: readonly number[]): void => {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, k) =>
    expect(Math.abs(value - expected[k])).toBeLessThanOrEqual(1e-14 * Math.abs(expected[k])),
  );
};

describe('the derivative of an operation', () => {
  const EULER = 0.5772156649015329;
  const two = Math.PI ** 2;
  /** At a point, by the formula. */
  const SLOPES: [string, readonly number[], readonly number[]][] = [
    ['add', [2, 3], [1, 1]],
    ['sub', [2, 3], [1, -1]],
    ['mul', [2, 3], [3, 2]],
    ['div', [2, 4], [0.25, -0.125]],
    ['sqrt', [16], [0.125]],
    ['neg', [2], [-1]],
    ['abs', [-2], [-1]],
    ['floor', [2.5], [0]],
    ['sin', [0.5], [0.8775825618903728]],
    ['cos', [0.5], [-0.479425538604203]],
    ['tan', [0.5], [1 / 0.8775825618903728 ** 2]],
    ['asin', [0.6], [1.25]],
    ['acos', [0.6], [-1.25]],
    ['atan', [2], [0.2]],
    ['atan2', [3, 4], [0.16, -0.12]],
    ['sinh', [0], [1]],
    ['cosh', [1], [1.1752011936438014]],
    ['tanh', [1], [1 / 1.5430806348152437 ** 2]],
    ['asinh', [0.75], [0.8]],
    ['acosh', [1.25], [4 / 3]],
    ['atanh', [0.6], [1 / 0.64]],
    ['exp', [1], [Math.E]],
    ['exp2', [3], [8 * Math.LN2]],
    ['expm1', [1], [Math.E]],
    ['log', [4], [0.25]],
    ['log2', [4], [0.25 / Math.LN2]],
    ['log10', [4], [0.25 / Math.LN10]],
    ['log1p', [3], [0.25]],
    ['pow', [2, 3], [12, 8 * Math.LN2]],
    ['cbrt', [8], [1 / 12]],
    ['hypot', [3, 4], [0.6, 0.8]],
    ['fmod', [7, 3], [1, -2]],
    ['erf', [0], [2 / Math.sqrt(Math.PI)]],
    ['erfc', [0], [-2 / Math.sqrt(Math.PI)]],
    ['gamma', [1], [-EULER]],
    ['lgamma', [2], [1 - EULER]],
    // digamma(1/4) = -gamma - pi/2 - 3 log 2
    ['lgamma', [0.25], [-EULER - Math.sqrt(two) / 2 - 3 * Math.LN2]],
  ];
  for (const [op, x, slopes] of SLOPES) {
    it(`${op} at ${x.join(', ')}`, () => {
      close(
        gradientAt(x, (b, args) => b.op(op as 'add', ...args)),
        slopes,
      );
    });
  }

  it('is a documented one where there is none', () => {
    expect(gradientAt([0], (b, [x]) => b.op('abs', x))).toEqual([1]);
    expect(gradientAt([-0], (b, [x]) => b.op('abs', x))).toEqual([1]);
    expect(gradientAt([0], (b, [x]) => b.op('sqrt', x))).toEqual([0]);
    expect(gradientAt([0, 0], (b, [x, y]) => b.op('hypot', x, y))).toEqual([0, 0]);
    const norm = gradientAt([0, 0], (b, [x, y]) => b.op('sqrt', b.op('add', b.op('mul', x, x), b.op('mul', y, y))));
    expect(norm).toEqual([0, 0]);
  });

  it('takes no part where a select takes the other value, however steep', () => {
    const guarded = (x: number) =>
      gradientAt([x], (b, [v]) => b.op('select', b.op('lt', b.const(0), v), b.op('log', v), b.const(0)));
    expect(guarded(2)).toEqual([0.5]);
    expect(guarded(0)).toEqual([0]);
    expect(guarded(-1)).toEqual([0]);
  });
});

describe('the gradient of a program', () => {
  it('adds up over all uses of a coordinate', () => {
    // x^2 y + x
    expect(gradientAt([3, 5], (b, [x, y]) => b.op('add', b.op('mul', b.op('mul', x, x), y), x))).toEqual([31, 9]);
  });

  it('is zero in what the value does not depend on', () => {
    expect(gradientAt([3, 5], (b, [, y]) => b.op('mul', y, b.const(2)))).toEqual([0, 2]);
    expect(gradientAt([3], (b) => b.const(4))).toEqual([0]);
  });

  it('follows the branch that is taken', () => {
    const branch = (x: number) =>
      gradientAt([x, 3], (b, [v, w]) => {
        const [result] = b.if(
          b.op('lt', v, b.const(1)),
          () => [b.op('mul', b.op('sin', v), w)],
          () => [b.op('mul', v, v)],
        );
        return b.op('mul', result, result);
      });
    // (3 sin x)^2
    close(branch(0.5), [18 * Math.sin(0.5) * Math.cos(0.5), 6 * Math.sin(0.5) ** 2]);
    expect(branch(2)).toEqual([32, 0]);
  });

  it('goes back through what a loop carries from turn to turn', () => {
    // y <- sin(y x_i), from 1 on
    const x = [0.7, 1.1, 0.4];
    const gradient = (() => {
      const b = new IrBuilder('chain', 3);
      const [y] = b.for(constantForm(3), [b.const(1)], (index, [value]) => [
        b.op('sin', b.op('mul', value, b.load(b.candidate(), formOf(index)))),
      ]);
      return gradientOf(b.finish(y), x);
    })();
    const y1 = Math.sin(x[0]);
    const y2 = Math.sin(y1 * x[1]);
    const last = Math.cos(y2 * x[2]);
    const second = Math.cos(y1 * x[1]);
    close(gradient, [last * x[2] * second * x[1] * Math.cos(x[0]), last * x[2] * second * y1, last * y2]);
  });

  it('goes back through nested loops whose inner count changes', () => {
    // sum over i, j < i of (x_i x_j)^2
    const b = new IrBuilder('triangle', 4);
    const [sum] = b.for(constantForm(4), [b.const(0)], (i, [outer]) =>
      b.for(formOf(i), [outer], (j, [inner]) => {
        const product = b.op('mul', b.load(b.candidate(), formOf(i)), b.load(b.candidate(), formOf(j)));
        return [b.op('add', inner, b.op('mul', product, product))];
      }),
    );
    const x = [1, 2, 3, 4];
    const squares = 30;
    expect(gradientOf(b.finish(sum), x)).toEqual(x.map((v) => 2 * v * (squares - v * v)));
  });

  it('goes back through elements that are overwritten', () => {
    // a[0] = x; a[0] = a[0]^2; a[0] = a[0]^2
    const b = new IrBuilder('overwritten', 1);
    const array = b.localArray(1);
    const at = constantForm(0);
    b.store(array, at, b.x(0));
    b.for(constantForm(2), [], () => {
      const value = b.load(array, at);
      b.store(array, at, b.op('mul', value, value));
      return [];
    });
    expect(gradientOf(b.finish(b.load(array, at)), [3])).toEqual([4 * 27]);
  });

  it('goes back through a loop that ends when it may, and gives up after thousands of turns', () => {
    // Halved until it is small.
    const b = new IrBuilder('halved', 2);
    const [result] = b.loop([b.x(0)], 1_000_000, 7, ([value]) => {
      const half = b.op('mul', value, b.x(1));
      return [b.op('lt', b.const(1e-3), half), half];
    });
    const fn = b.finish(result);
    close(gradientOf(fn, [1, 0.5]), [0.5 ** 10, 10 * 0.5 ** 9]);
    const slow = [1, 1 - 1e-6];
    expect(interpret(fn, slow).status).toBe(LaneStatus.FuelExhausted);
    const lane = interpret(differentiate(fn), slow);
    expect(lane).toEqual({ value: NaN, status: LaneStatus.Untranslated, line: 7 });
  });

  it('is refused where a way back would keep too much', () => {
    const b = new IrBuilder('long', 1);
    const [result] = b.for(constantForm(100_000), [b.x(0)], (_, [value]) => [b.op('sin', value)]);
    expect(() => differentiate(b.finish(result))).toThrow(GradientTooLarge);
  });

  it('has value, status and line of the function; survives printing', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const fn = randomIr(seed, { counted: true, statements: 10 });
        const gradient = differentiate(fn);
        expect(verifyIr(gradient)).toEqual([]);
        const optimized = optimizeIr(gradient);
        expect(parseIr(printIr(optimized))).toEqual(optimized);
        const rows = randomCandidates(seed, 6, fn.dimension);
        for (let i = 0; i < 6; i++) {
          const x = rows.subarray(i * fn.dimension, (i + 1) * fn.dimension);
          const { outputs, ...lane } = interpret(gradient, x);
          expect(lane).toEqual(interpret(fn, x));
          expect(outputs === undefined).toBe(lane.status !== LaneStatus.Ok);
          expect(interpret(optimized, x).outputs).toEqual(outputs);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is that of the differences, of smooth programs', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (seed, x) => {
          const fn = smoothIr(seed);
          const gradient = gradientOf(fn, x);
          const scale = 1 + Math.max(...gradient.map(Math.abs));
          x.forEach((_, i) => {
            const moved = (h: number) =>
              interpret(
                fn,
                x.map((v, k) => (k === i ? v + h : v)),
              ).value;
            const difference = (h: number) => (moved(h) - moved(-h)) / (2 * h);
            const better = (4 * difference(5e-4) - difference(1e-3)) / 3;
            expect(Math.abs(gradient[i] - better)).toBeLessThan(1e-6 * scale);
          });
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the way back', () => {
  /** Size of the gradient's program, as it is run: numbers of operations by name, and arrays of its own. */
  function sizeOf(fn: IrFunction): { readonly ops: Readonly<Record<string, number>>; readonly locals: number } {
    const gradient = optimizeIr(differentiate(fn));
    const ops: Record<string, number> = {};
    const count = (region: Region): void =>
      region.body.forEach((node) => {
        const name = node.kind === 'op' ? node.op : node.kind;
        ops[name] = (ops[name] ?? 0) + 1;
        if (node.kind === 'if') [node.then, node.otherwise].forEach(count);
        else if (node.kind !== 'op') count(node.body);
      });
    count(gradient.body);
    return { ops, locals: gradient.arrays.filter((array) => array.kind === 'local').length - 1 };
  }

  it('multiplies factors and signs that are known when the program is built', () => {
    // 100 (y - x^2)^2: -400 w x and 200 w
    const b = new IrBuilder('term', 2);
    const [x, y] = [b.x(0), b.x(1)];
    const w = b.op('sub', y, b.op('mul', x, x));
    const fn = b.finish(b.op('mul', b.const(100), b.op('mul', w, w)));
    expect(gradientOf(fn, [3, 5])).toEqual([-400 * -4 * 3, 200 * -4]);
    const value = 3;
    expect(sizeOf(fn).ops).toMatchObject({ mul: value + 3, sub: 1 });
    expect(sizeOf(fn).ops).not.toHaveProperty('add');
  });

  it('keeps factors whose product is beyond what a number holds', () => {
    const huge = (x: number, factors: readonly number[]) =>
      gradientAt([x], (b, [v]) => factors.reduce((product, factor) => b.op('mul', b.const(factor), product), v));
    expect(huge(1, [1e-200, 1e300, 1e-200, 1e150])).toEqual([1e-200 * 1e300 * 1e-200 * 1e150]);
    expect(huge(1, [1e200, 1e-300, 1e-200, 1e300])).toEqual([1]);
  });

  it('keeps nothing that one or two quick operations give again', () => {
    const b = new IrBuilder('chain', 50);
    const [sum] = b.for(constantForm(49), [b.const(0)], (index, [total]) => {
      const [here, next] = [0, 1].map((offset) => b.load(b.candidate(), { ...formOf(index), offset }));
      const w = b.op('sub', next, b.op('mul', here, here));
      return [b.op('add', total, b.op('mul', w, w))];
    });
    const fn = b.finish(sum);
    expect(sizeOf(fn).locals).toBe(0);
    const x = Array.from({ length: 50 }, (_, k) => Math.sin(k));
    const w = x.map((v, k) => (k < 49 ? x[k + 1] - v * v : 0));
    close(
      gradientOf(fn, x),
      x.map((v, k) => 2 * (k > 0 ? w[k - 1] : 0) - 4 * w[k] * v),
    );
  });

  it('stores the derivative of a coordinate that is used once, and adds up those of others', () => {
    const program = (offsets: readonly number[], count: number): IrFunction => {
      const b = new IrBuilder('cubes', 6);
      const [sum] = b.for(constantForm(count), [b.const(1)], (index, [total]) => {
        const cubes = offsets.map((offset) => {
          const x = b.load(b.candidate(), { offset, terms: [{ index, scale: 2 }] });
          return b.op('mul', b.op('mul', x, x), x);
        });
        return [cubes.reduce((known, cube) => b.op('add', known, cube), total)];
      });
      return b.finish(sum);
    };
    const x = [1, 2, 3, 4, 5, 6];
    // Every one once; some not at all; some twice.
    expect(gradientOf(program([0, 1], 3), x)).toEqual([3, 12, 27, 48, 75, 108]);
    expect(sizeOf(program([0, 1], 3)).ops).toMatchObject({ for: 2, store: 2 });
    expect(gradientOf(program([1], 3), x)).toEqual([0, 12, 0, 48, 0, 108]);
    expect(sizeOf(program([1], 3)).ops).toMatchObject({ for: 3, store: 2 });
    expect(gradientOf(program([0, 2], 2), x)).toEqual([3, 0, 54, 0, 75, 0]);
  });

  it('leaves 0 where a branch that uses a coordinate once is not taken', () => {
    const b = new IrBuilder('positive', 3);
    const [sum] = b.for(constantForm(3), [b.const(0)], (index, [total]) => {
      const x = b.load(b.candidate(), formOf(index));
      return b.if(
        b.op('lt', b.const(0), x),
        () => [b.op('add', total, b.op('mul', x, x))],
        () => [total],
      );
    });
    expect(gradientOf(b.finish(sum), [2, -1, 3])).toEqual([4, 0, 6]);
  });

  it('goes back through elements that nobody uses, and through those used once after two stores', () => {
    const b = new IrBuilder('stores', 2);
    const array = b.localArray(3);
    const store = (k: number, value: ValueId): void => b.store(array, constantForm(k), value);
    store(0, b.op('mul', b.x(0), b.x(0)));
    store(1, b.x(0));
    store(1, b.op('mul', b.x(0), b.x(1)));
    store(2, b.x(1));
    const sum = b.op('add', b.load(array, constantForm(0)), b.load(array, constantForm(1)));
    store(0, b.x(1));
    expect(gradientOf(b.finish(sum), [3, 5])).toEqual([11, 3]);
  });
});

describe('an interpreted operation', () => {
  it('has the slopes that its differences show', () => {
    const h = 1e-5;
    const difference = (evaluateOp('gamma', [2.5 + h]) - evaluateOp('gamma', [2.5 - h])) / (2 * h);
    const [slope] = gradientAt([2.5], (b, [x]) => b.op('gamma', x));
    expect(Math.abs(slope - difference)).toBeLessThan(1e-8);
  });
});
