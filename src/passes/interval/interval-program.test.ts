import { describe, expect, it } from 'vitest';
import { randomIr, seededRandom } from '../../../test/support/random-ir.js';
import { IrBuilder } from '../../ir/builder.js';
import { constantForm, formOf } from '../../ir/index-form.js';
import { interpret } from '../../ir/interpreter.js';
import type { IrFunction, ValueId } from '../../ir/types.js';
import { LaneStatus } from '../../ir/types.js';
import { verifyIr } from '../../ir/verifier.js';
import { optimizeIr } from '../pipeline.js';
import { differentiate } from '../gradient/differentiate.js';
import { envelopeProgram, intervalProgram } from './interval-program.js';

type Bounds = readonly [number, number];

function boundsOf(program: IrFunction, lower: readonly number[], upper: readonly number[]): Bounds | null {
  const lane = interpret(program, [...lower, ...upper]);
  return lane.status === LaneStatus.Ok ? [lane.value, lane.outputs![0]] : null;
}

/** Bounds, over `box`, of a function of as many coordinates as the box has sides. */
function over(box: readonly Bounds[], build: (b: IrBuilder, x: readonly ValueId[]) => ValueId): Bounds | null {
  const b = new IrBuilder('f', box.length);
  const coordinates = box.map((_, k) => b.x(k));
  const raw = intervalProgram(b.finish(build(b, coordinates)));
  expect(verifyIr(raw)).toEqual([]);
  const program = optimizeIr(raw);
  expect(verifyIr(program)).toEqual([]);
  return boundsOf(
    program,
    box.map(([low]) => low),
    box.map(([, high]) => high),
  );
}

const close = (actual: Bounds | null, expected: Bounds): void => {
  for (const k of [0, 1]) {
    const slack = 1e-14 * Math.max(1, Math.abs(expected[k]));
    if (Number.isFinite(expected[k])) expect(Math.abs(actual![k] - expected[k])).toBeLessThanOrEqual(slack);
    else expect(actual![k]).toBe(expected[k]);
  }
};

describe('the bounds of an operation', () => {
  const EXAMPLES: [string, readonly Bounds[], Bounds][] = [
    [
      'add',
      [
        [1, 2],
        [10, 20],
      ],
      [11, 22],
    ],
    [
      'sub',
      [
        [1, 2],
        [10, 20],
      ],
      [-19, -8],
    ],
    [
      'mul',
      [
        [-1, 2],
        [-3, 5],
      ],
      [-6, 10],
    ],
    [
      'div',
      [
        [1, 2],
        [-4, -2],
      ],
      [-1, -0.25],
    ],
    [
      'div',
      [
        [-1, 2],
        [2, 4],
      ],
      [-0.5, 1],
    ],
    [
      'div',
      [
        [1, 2],
        [-1, 1],
      ],
      [-Infinity, Infinity],
    ],
    ['abs', [[-3, 2]], [0, 3]],
    ['sqrt', [[4, 9]], [2, 3]],
    // Below zero there is no value.
    ['sqrt', [[-4, 9]], [0, 3]],
    ['floor', [[-1.5, 1.5]], [-2, 1]],
    ['sin', [[0.5, 1]], [Math.sin(0.5), Math.sin(1)]],
    ['sin', [[1, 2]], [Math.sin(1), 1]],
    ['sin', [[4, 5]], [-1, Math.sin(4)]],
    ['sin', [[-1, 10]], [-1, 1]],
    ['cos', [[-0.5, 1]], [Math.cos(1), 1]],
    ['cos', [[3, 4]], [-1, Math.cos(4)]],
    ['cos', [[4, 5]], [Math.cos(4), Math.cos(5)]],
    ['tan', [[-1, 1]], [-Math.tan(1), Math.tan(1)]],
    ['tan', [[1, 2]], [-Infinity, Infinity]],
    ['acos', [[-0.5, 0.5]], [Math.acos(0.5), Math.acos(-0.5)]],
    ['exp', [[-1, 1]], [1 / Math.E, Math.E]],
    ['log', [[0, 1]], [-Infinity, 0]],
    ['cosh', [[-1, 2]], [1, Math.cosh(2)]],
    [
      'atan2',
      [
        [1, 2],
        [-1, 1],
      ],
      [Math.PI / 4, (3 * Math.PI) / 4],
    ],
    [
      'hypot',
      [
        [-3, 1],
        [4, 4],
      ],
      [4, 5],
    ],
    [
      'fmod',
      [
        [7.25, 7.75],
        [2, 2],
      ],
      [1.25, 1.75],
    ],
    [
      'fmod',
      [
        [7, 9],
        [2, 2],
      ],
      [0, 2],
    ],
    [
      'pow',
      [
        [1, 4],
        [-0.5, 2],
      ],
      [0.5, 16],
    ],
    ['gamma', [[1, 3]], [0.885603194, 2]],
    ['erfc', [[0, 1]], [0.15729920705028513, 1]],
  ];
  for (const [op, box, expected] of EXAMPLES) {
    it(`${op} over ${JSON.stringify(box)}`, () => {
      close(
        over(box, (b, x) => b.op(op as 'add', ...x)),
        expected,
      );
    });
  }

  it('are those of a square, not of two independent factors', () => {
    expect(over([[-2, 1]], (b, [x]) => b.op('mul', x, x))).toEqual([0, 4]);
  });

  it('are those of a square also where a factor stands before it', () => {
    const scaled = (c: number, d: number) =>
      over([[-2, 1]], (b, [x]) => b.op('mul', b.op('mul', b.const(c), x), b.op('mul', x, b.const(d))));
    expect(scaled(3, 1)).toEqual([0, 12]);
    expect(scaled(-3, 1)).toEqual([-12, 0]);
    expect(scaled(-3, -2)).toEqual([0, 24]);
    const above = over([[1, 2]], (b, [x]) => b.op('mul', b.op('mul', b.const(-3), x), b.op('neg', x)));
    expect(above).toEqual([3, 12]);
    const turned = over([[-2, 1]], (b, [x]) => {
      const factors = b.table(Float64Array.of(2, -2));
      const [sum] = b.for(constantForm(2), [b.const(0)], (index, [total]) => {
        const multiple = b.op('mul', b.load(factors, formOf(index)), x);
        return [b.op('add', total, b.op('mul', multiple, x))];
      });
      return sum;
    });
    expect(turned).toEqual([-8, 8]);
  });

  it('are those of a power by its whole exponent', () => {
    const power = (box: Bounds, exponent: number) => over([box], (b, [x]) => b.op('pow', x, b.const(exponent)));
    close(power([-2, 1], 2), [0, 4]);
    close(power([-2, 1], 3), [-8, 1]);
    close(power([-2, 1], 0.5), [0, 1]);
    close(power([1, 2], -1), [0.5, 1]);
    close(power([-2, 1], -1), [-Infinity, Infinity]);
    close(power([-2, 1], -2), [0.25, Infinity]);
  });

  it('are a number where the box is a point, but for the slack of the library', () => {
    expect(over([[0.1, 0.1]], (b, [x]) => b.op('add', b.op('mul', x, b.const(3)), b.const(0.7)))).toEqual([
      0.1 * 3 + 0.7,
      0.1 * 3 + 0.7,
    ]);
  });
});

describe('the bounds of a program', () => {
  it('follow the branch that the whole box takes, and join both elsewhere', () => {
    const branch = (box: Bounds) =>
      over([box], (b, [x]) => {
        const [result] = b.if(
          b.op('lt', x, b.const(1)),
          () => [b.op('neg', x)],
          () => [b.op('mul', x, b.const(10))],
        );
        return result;
      });
    expect(branch([-1, 0.5])).toEqual([-0.5, 1]);
    expect(branch([1, 2])).toEqual([10, 20]);
    // What is below 1 goes one way, the rest the other.
    expect(branch([-1, 2])).toEqual([-1, 20]);
  });

  it('know what a comparison of maximum and minimum tells', () => {
    const maximum = over(
      [
        [-1, 4],
        [1, 3],
      ],
      (b, [x, y]) => b.op('select', b.op('lt', x, y), y, x),
    );
    expect(maximum).toEqual([1, 4]);
    const minimum = over(
      [
        [-1, 4],
        [1, 3],
      ],
      (b, [x, y]) => b.op('select', b.op('lt', x, y), x, y),
    );
    expect(minimum).toEqual([-1, 3]);
  });

  it('are about the points that do not raise', () => {
    const root = (box: Bounds) =>
      over([box], (b, [x]) => {
        b.check(b.op('lt', x, b.const(0)), LaneStatus.MathDomain, 1);
        b.check(b.op('eq', x, b.const(0)), LaneStatus.ZeroDivision, 1);
        return b.op('div', b.const(1), b.op('sqrt', x));
      });
    expect(root([4, 16])).toEqual([0.25, 0.5]);
    expect(root([-4, 16])![0]).toBe(0.25);
    expect(root([-4, -1])).toEqual([Infinity, -Infinity]);
  });

  it('say nothing where another interpreter knows the value', () => {
    const whole = (box: Bounds) =>
      over([box], (b, [x]) => {
        b.check(b.op('lt', b.const(9), x), LaneStatus.IntegerRange, 1);
        return x;
      });
    expect(whole([1, 9])).toEqual([1, 9]);
    expect(whole([1, 10])).toEqual([-Infinity, Infinity]);
  });

  it('take NaN for a possibility where it is compared', () => {
    // log x, or 5 where that is not below 1, as it is not for x < 0.
    const guarded = (box: Bounds) =>
      over([box], (b, [x]) => {
        const y = b.op('log', x);
        return b.op('select', b.op('lt', y, b.const(1)), b.const(-1), b.const(5));
      });
    expect(guarded([-2, 2])).toEqual([-1, 5]);
    expect(guarded([1, 2])).toEqual([-1, -1]);
  });

  it('join what points leave a loop with at different turns', () => {
    // Halves until it is at most 1.
    const halved = (box: Bounds) =>
      over([box], (b, [x]) => {
        const [result] = b.loop([x], 1000, 1, ([v]) => {
          const half = b.op('mul', v, b.const(0.5));
          return [b.op('lt', b.const(1), half), half];
        });
        return result;
      });
    expect(halved([5, 8])).toEqual([0.625, 1]);
    expect(halved([5, 40])).toEqual([0.5, 1]);
  });

  it('keep an old element where only some points store a new one', () => {
    const stored = (box: Bounds) =>
      over([box], (b, [x]) => {
        const array = b.localArray(2);
        b.store(array, constantForm(0), b.const(1));
        b.if(
          b.op('lt', x, b.const(0)),
          () => {
            b.store(array, constantForm(0), b.const(7));
            return [];
          },
          () => [],
        );
        return b.load(array, constantForm(0));
      });
    expect(stored([-2, -1])).toEqual([7, 7]);
    expect(stored([0, 1])).toEqual([1, 1]);
    expect(stored([-1, 1])).toEqual([1, 7]);
  });

  it('go through counted loops and arrays', () => {
    const bounds = over(
      [
        [-1, 2],
        [3, 4],
      ],
      (b) => {
        const [sum] = b.for(constantForm(2), [b.const(0)], (index, [total]) => {
          const x = b.load(b.candidate(), formOf(index));
          return [b.op('add', total, b.op('mul', x, x))];
        });
        return sum;
      },
    );
    expect(bounds).toEqual([9, 20]);
  });

  it('are not spoiled by a compensated sum, in whatever order it takes its terms', () => {
    const box: readonly Bounds[] = [
      [1, 2],
      [3, 4],
    ];
    const fast = over(box, (b, [x, y]) => {
      const total = b.op('add', x, y);
      return b.op('add', total, b.op('add', b.op('sub', x, total), y));
    });
    close(fast, [4, 6]);
    const ordered = over(box, (b, [x, y]) => {
      const total = b.op('add', x, y);
      const isLarger = b.op('le', b.op('abs', y), b.op('abs', x));
      const large = b.op('select', isLarger, x, y);
      const small = b.op('select', isLarger, y, x);
      return b.op('add', total, b.op('add', b.op('sub', large, total), small));
    });
    close(ordered, [4, 6]);
  });
});

describe('random programs', () => {
  const inside = (random: () => number, low: number, high: number): number => {
    const kind = random();
    if (kind < 0.1) return low;
    if (kind < 0.2) return high;
    return Math.min(high, Math.max(low, low + random() * (high - low)));
  };

  it('have their values between their bounds', () => {
    let informative = 0;
    for (let seed = 1; seed <= 120; seed++) {
      const fn = randomIr(seed, { counted: seed % 2 === 0, statements: seed % 3 === 0 ? 12 : 30 });
      const program = optimizeIr(intervalProgram(fn));
      expect(verifyIr(program), `seed ${seed}`).toEqual([]);
      const random = seededRandom(seed);
      for (let k = 0; k < 8; k++) {
        const size = 10 ** (2 - 6 * random());
        const lower = Array.from({ length: fn.dimension }, () => (random() < 0.1 ? 0 : (random() - 0.5) * 10));
        const upper = lower.map((low) => low + (random() < 0.1 ? 0 : random() * size));
        const bounds = boundsOf(program, lower, upper);
        if (bounds === null) continue;
        if (Math.max(Math.abs(bounds[0]), Math.abs(bounds[1])) < Infinity) informative++;
        for (let at = 0; at < 12; at++) {
          const x = lower.map((low, i) => inside(random, low, upper[i]));
          const { value, status } = interpret(fn, x);
          if (status !== LaneStatus.Ok || Number.isNaN(value)) continue;
          const where = `seed ${seed}, [${lower.join(', ')}] to [${upper.join(', ')}], x = [${x.join(', ')}]`;
          expect(value, where).toBeGreaterThanOrEqual(bounds[0]);
          expect(value, where).toBeLessThanOrEqual(bounds[1]);
        }
      }
    }
    expect(informative).toBeGreaterThan(150);
  });
});

describe('the envelope', () => {
  const overBox = (program: IrFunction, lower: readonly number[], upper: readonly number[]): number | null => {
    const lane = interpret(program, [...lower, ...upper]);
    return lane.status === LaneStatus.Ok ? lane.value : null;
  };

  it('lies a fiftieth of the way up, and on the lower bound where there is no upper one', () => {
    const square = (b: IrBuilder): ValueId => b.op('mul', b.x(0), b.x(0));
    const of = (build: (b: IrBuilder) => ValueId): IrFunction => {
      const b = new IrBuilder('f', 1);
      return envelopeProgram(b.finish(build(b)));
    };
    expect(overBox(of(square), [1], [3])).toBeCloseTo(1 + 0.02 * 8, 14);
    expect(overBox(of(square), [1], [1e200])).toBe(1);
  });

  it('has slopes that a constant in the objective does not change', () => {
    const slopes = (offset: number): number[] => {
      const b = new IrBuilder('f', 2);
      const waves = b.op('sin', b.op('mul', b.const(5), b.x(0)));
      const bowl = b.op('add', b.op('mul', b.x(0), b.x(1)), b.op('mul', b.x(1), b.x(1)));
      const f = b.finish(b.op('add', b.op('add', waves, bowl), b.const(offset)));
      const { outputs } = interpret(optimizeIr(differentiate(optimizeIr(envelopeProgram(f)))), [0.1, -2, 0.3, 1]);
      return [...outputs!];
    };
    expect(slopes(0).some((slope) => slope !== 0)).toBe(true);
    expect(slopes(-1234.5)).toEqual(slopes(0));
  });

  it('has the slopes of its own values, for random programs', () => {
    const H = 1e-4;
    let compared = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const program = optimizeIr(envelopeProgram(randomIr(seed, { counted: seed % 2 === 0, statements: 12 })));
      const gradient = optimizeIr(differentiate(program));
      expect(verifyIr(gradient), `seed ${seed}`).toEqual([]);
      const random = seededRandom(seed);
      const n = program.dimension / 2;
      for (let k = 0; k < 6; k++) {
        const lower = Array.from({ length: n }, () => 4 * (random() - 0.5));
        const upper = lower.map((low) => low + 0.2 + random());
        const ends = [...lower, ...upper];
        const at = (i: number, by: number): number | null => {
          const moved = ends.with(i, ends[i] + by);
          return overBox(program, moved.slice(0, n), moved.slice(n));
        };
        const value = at(0, 0);
        const { status, outputs } = interpret(gradient, ends);
        if (value === null || !Number.isFinite(value) || status !== LaneStatus.Ok) continue;
        expect(interpret(gradient, ends).value).toBe(value);
        for (let i = 0; i < 2 * n; i++) {
          const [below, above] = [at(i, -H), at(i, H)];
          if (below === null || above === null) continue;
          const [left, right] = [(value - below) / H, (above - value) / H];
          // Not at a kink, and not where values are so large that differences drown.
          if (!(Math.abs(left - right) <= 1e-2 * (1 + Math.abs(left)) && Math.abs(value) < 1e4)) continue;
          compared++;
          const where = `seed ${seed}, end ${i} of [${ends.join(', ')}]`;
          const slope = 0.5 * (left + right);
          expect(Math.abs(outputs![i] - slope), where).toBeLessThanOrEqual(1e-3 * (1 + Math.abs(slope)));
        }
      }
    }
    expect(compared).toBeGreaterThan(200);
  });
});
