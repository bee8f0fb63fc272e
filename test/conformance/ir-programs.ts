/** Programs that pin one point of the IR's meaning each, for the backends' suite. */
import { IrBuilder } from '../../src/ir/builder.js';
import type { IrFunction } from '../../src/ir/types.js';
import { LaneStatus } from '../../src/ir/types.js';

export const PROGRAMS = {
  sphere: () => {
    const b = new IrBuilder('sphere', 2);
    return b.finish(b.op('add', b.op('mul', b.x(0), b.x(0)), b.op('mul', b.x(1), b.x(1))));
  },

  'a constant': () => {
    const b = new IrBuilder('constant', 1);
    return b.finish(b.const(-0));
  },

  'a constant that is not a number': () => {
    const b = new IrBuilder('nan', 1);
    return b.finish(b.const(NaN));
  },

  'the coordinate itself': () => {
    const b = new IrBuilder('coordinate', 3);
    return b.finish(b.x(2));
  },

  /** Every pair of add, sub and mul, with each operand in turn a constant, and squares of them. */
  'all fused pairs': () => {
    const b = new IrBuilder('fused', 3);
    const names = ['add', 'sub', 'mul'] as const;
    let sum = b.const(0);
    for (const inner of names) {
      for (const outer of names) {
        for (const [i, j, k] of [
          [b.x(0), b.x(1), b.x(2)],
          [b.const(1.5), b.x(1), b.x(2)],
          [b.x(0), b.const(-0.3), b.x(2)],
          [b.x(0), b.x(1), b.const(3)],
          [b.const(7), b.x(0), b.const(0.1)],
          [b.x(0), b.const(0.7), b.const(-9)],
          [b.x(2), b.x(2), b.x(1)],
          [b.x(2), b.x(2), b.const(11)],
        ]) {
          const t = () => b.op(inner, i, j);
          // `div` is in no fused pair, so each of these stays by itself.
          sum = b.op('div', b.op('add', sum, b.op('floor', b.op(outer, t(), k))), b.const(2));
          sum = b.op('div', b.op('add', b.op('floor', b.op(outer, k, t())), sum), b.const(2));
          sum = b.op('add', b.op('div', b.op('mul', t(), t()), b.const(8)), b.op('neg', sum));
        }
      }
    }
    return b.finish(sum);
  },

  'no contraction of a product and a sum': () => {
    const b = new IrBuilder('contraction', 2);
    const [x, y] = [b.x(0), b.x(1)];
    return b.finish(b.op('sub', b.op('mul', x, y), b.op('mul', b.op('mul', x, y), b.const(1))));
  },

  'a chain that uses one value many times': () => {
    const b = new IrBuilder('shared', 1);
    const x = b.x(0);
    const square = b.op('mul', x, x);
    const fourth = b.op('mul', square, square);
    const eighth = b.op('mul', fourth, fourth);
    return b.finish(b.op('add', b.op('add', eighth, b.op('add', fourth, fourth)), b.op('sub', square, square)));
  },

  'both sides of a branch': () => {
    const b = new IrBuilder('branch', 2);
    const [x, y] = [b.x(0), b.x(1)];
    const [r, s] = b.if(
      b.op('lt', x, y),
      () => [b.op('mul', x, b.const(3)), y],
      () => [b.const(-1), b.op('sqrt', y)],
    );
    return b.finish(b.op('sub', r, s));
  },

  'branches in branches, with a truth value coming out': () => {
    const b = new IrBuilder('nested', 3);
    const [x, y, z] = [b.x(0), b.x(1), b.x(2)];
    const [outer, flag] = b.if(
      b.op('lt', b.const(0), x),
      () => {
        const [inner, big] = b.if(
          b.op('lt', y, x),
          () => [b.op('add', x, y), b.op('lt', z, y)],
          () => [b.op('exp', y), b.bool(true)],
        );
        return [b.op('mul', inner, inner), big];
      },
      () => {
        const [inner] = b.if(
          b.op('eq', y, z),
          () => [y],
          () => [b.op('neg', z)],
        );
        return [inner, b.op('le', inner, x)];
      },
    );
    return b.finish(b.op('select', flag, outer, b.op('sub', z, outer)));
  },

  'one value as several results of a branch': () => {
    const b = new IrBuilder('twice', 2);
    const [x, y] = [b.x(0), b.x(1)];
    const [p, q, r] = b.if(
      b.op('le', x, b.const(1)),
      () => {
        const v = b.op('mul', x, y);
        return [v, v, x];
      },
      () => [y, b.const(2), y],
    );
    return b.finish(b.op('add', b.op('sub', p, b.op('mul', q, b.const(3))), r));
  },

  'a branch for its check only': () => {
    const b = new IrBuilder('guard', 2);
    const [x, y] = [b.x(0), b.x(1)];
    b.if(
      b.op('lt', x, b.const(0)),
      () => {
        b.check(b.op('lt', y, b.const(0)), LaneStatus.Raised, 12);
        return [];
      },
      () => {
        b.check(b.op('eq', x, b.const(0)), LaneStatus.ZeroDivision, 14);
        return [];
      },
    );
    return b.finish(b.op('div', y, x));
  },

  'the first of several checks': () => {
    const b = new IrBuilder('first', 2);
    const [x, y] = [b.x(0), b.x(1)];
    b.check(b.op('lt', x, b.const(-2)), LaneStatus.MathDomain, 3);
    b.check(b.op('ne', x, x), LaneStatus.IntegerConversion, 4);
    const big = b.op('lt', b.const(3), y);
    b.check(b.op('or', big, b.op('lt', x, b.const(0))), LaneStatus.Overflow, 5);
    b.check(big, LaneStatus.Raised, 6);
    b.check(b.op('le', b.const(2), b.op('add', x, y)), LaneStatus.IndexRange, 7);
    return b.finish(b.op('add', x, y));
  },

  'a check that always fires': () => {
    const b = new IrBuilder('always', 1);
    b.check(b.bool(true), LaneStatus.Untranslated, 9);
    return b.finish(b.x(0));
  },

  'a loop whose params change places': () => {
    const b = new IrBuilder('swap', 2);
    const [, p, q, r] = b.loop([b.const(0), b.x(0), b.x(1), b.const(5)], 100, 1, ([i, p, q, r]) => {
      const next = b.op('add', i, b.const(1));
      return [b.op('lt', next, b.const(4)), next, q, r, p];
    });
    return b.finish(b.op('sub', b.op('mul', p, b.const(100)), b.op('add', b.op('mul', q, b.const(10)), r)));
  },

  'a loop that each lane leaves at its own time': () => {
    const b = new IrBuilder('collatz', 1);
    const start = b.op('add', b.op('abs', b.op('rint', b.x(0))), b.const(1));
    const [steps, , done] = b.loop([b.const(0), start, b.bool(false)], 40, 17, ([steps, n, done]) => {
      const half = b.op('div', n, b.const(2));
      const even = b.op('eq', half, b.op('floor', half));
      const next = b.op('select', even, half, b.op('add', b.op('mul', n, b.const(3)), b.const(1)));
      const more = b.op('lt', b.const(1), next);
      return [more, b.op('add', steps, b.const(1)), next, b.op('xor', done, even)];
    });
    return b.finish(b.op('select', done, steps, b.op('neg', steps)));
  },

  'a loop that goes on while a param holds': () => {
    const b = new IrBuilder('param', 1);
    const [, total] = b.loop([b.bool(true), b.const(0)], 30, 5, ([go, total]) => {
      const next = b.op('add', total, b.op('abs', b.x(0)));
      return [go, b.op('lt', next, b.const(20)), next];
    });
    return b.finish(total);
  },

  'a loop that runs out of fuel on some lanes': () => {
    const b = new IrBuilder('fuel', 1);
    const [n] = b.loop([b.x(0)], 3, 23, ([n]) => {
      const next = b.op('mul', n, b.const(0.5));
      return [b.op('lt', b.const(1), next), next];
    });
    return b.finish(n);
  },

  'a loop with fuel for one round': () => {
    const b = new IrBuilder('once', 1);
    const [n] = b.loop([b.x(0)], 1, 2, ([n]) => [b.op('lt', n, b.const(0)), b.op('add', n, b.const(1))]);
    return b.finish(n);
  },

  'loops in loops and branches, with checks inside': () => {
    const b = new IrBuilder('deep', 2);
    const [x, y] = [b.x(0), b.x(1)];
    const [, sum] = b.loop([b.const(0), b.const(0)], 50, 3, ([i, sum]) => {
      const [next] = b.if(
        b.op('lt', i, b.op('abs', x)),
        () => {
          const [, inner] = b.loop([b.const(0), sum], 6, 8, ([j, inner]) => {
            b.check(b.op('lt', b.const(40), inner), LaneStatus.Overflow, 9);
            const count = b.op('add', j, b.const(1));
            return [b.op('lt', count, b.op('abs', y)), count, b.op('add', inner, b.op('mul', i, j))];
          });
          return [inner];
        },
        () => [b.op('sub', sum, y)],
      );
      const count = b.op('add', i, b.const(1));
      return [b.op('lt', count, b.const(5)), count, next];
    });
    return b.finish(b.op('add', sum, b.op('mul', x, y)));
  },

  'a value from outside a loop that is used after and inside it': () => {
    const b = new IrBuilder('outside', 2);
    const scale = b.op('exp', b.op('neg', b.op('abs', b.x(1))));
    const [, sum] = b.loop([b.const(0), b.x(0)], 20, 1, ([i, sum]) => {
      const step = b.op('mul', b.op('cos', sum), scale);
      const next = b.op('add', i, b.const(1));
      return [b.op('lt', next, b.const(7)), next, b.op('add', sum, step)];
    });
    return b.finish(b.op('add', sum, scale));
  },

  'constants and coordinates as results of branches and loops': () => {
    const b = new IrBuilder('plain', 2);
    const [x, y] = [b.x(0), b.x(1)];
    const [p, t] = b.if(
      b.op('lt', x, y),
      () => [b.const(3), b.bool(false)],
      () => [x, b.bool(true)],
    );
    const [, q, u] = b.loop([b.const(0), p, t], 9, 1, ([i, , u]) => {
      const next = b.op('add', i, b.const(1));
      return [b.op('lt', next, b.const(3)), next, y, b.op('not', u)];
    });
    return b.finish(b.op('select', u, q, b.op('mul', p, q)));
  },

  'results that nobody uses': () => {
    const b = new IrBuilder('unused', 2);
    const [x, y] = [b.x(0), b.x(1)];
    b.op('pow', x, y);
    const [, kept] = b.if(
      b.op('lt', x, y),
      () => [b.op('exp', x), b.op('add', x, y)],
      () => [b.op('sin', y), b.op('sub', x, y)],
    );
    b.loop([x], 2, 31, ([p]) => [b.op('lt', p, b.const(-3)), b.op('mul', p, b.const(1.5))]);
    return b.finish(kept);
  },
} as const satisfies Record<string, () => IrFunction>;

/** A program of about `length` nodes without control flow; values live for long and short times. */
export function straightLine(length: number): IrFunction {
  const b = new IrBuilder(`straight line of ${length}`, 8);
  const values = Array.from({ length: 8 }, (_, k) => b.x(k));
  let truth = b.op('lt', values[0], values[1]);
  for (let k = 0; b.nodeCount < length; k++) {
    const [p, q, old] = [
      values[values.length - 1],
      values[values.length - 1 - (k % 7)],
      values[(k * 31) % values.length],
    ];
    if (k % 97 === 96) b.check(b.op('lt', b.const(1e200), b.op('abs', p)), LaneStatus.Overflow, k);
    if (k % 13 === 0) truth = b.op('xor', truth, b.op('le', old, p));
    const mixed = b.op('select', truth, b.op('sub', p, b.op('mul', q, b.const(0.25))), old);
    values.push(k % 40 === 39 ? b.op('sin', mixed) : b.op('add', b.op('mul', mixed, b.const(0.5)), old));
  }
  return b.finish(values[values.length - 1]);
}
