/** Programs with counted loops and arrays that pin one point of their meaning each, for the backends' suite. */
import { IrBuilder } from '../../src/ir/builder.js';
import { addForms, constantForm, formOf, scaleForm } from '../../src/ir/index-form.js';
import type { IndexForm, IrFunction, ValueId } from '../../src/ir/types.js';
import { LaneStatus } from '../../src/ir/types.js';

const plus = (form: IndexForm, offset: number) => addForms(form, constantForm(offset));

/** `a[k] = x[k % dimension] + k` for a new array of `length`. */
function filled(b: IrBuilder, dimension: number, length: number): number {
  const array = b.localArray(length);
  for (let k = 0; k < length; k++) {
    b.store(array, constantForm(k), b.op('add', b.x(k % dimension), b.const(k)));
  }
  return array;
}

/** Weighted, so that no two elements can change places unseen. */
function sumOf(b: IrBuilder, array: number, length: number): ValueId {
  const [sum] = b.for(constantForm(length), [b.const(0)], (i, [total]) => [
    b.op('add', b.op('mul', total, b.const(0.75)), b.load(array, formOf(i))),
  ]);
  return sum;
}

export const COUNTED_PROGRAMS = {
  'Rosenbrock as a counted loop': () => rolledRosenbrock(7),

  'a triangle of counted loops': () => {
    const n = 6;
    const b = new IrBuilder('triangle', n);
    const x = b.candidate();
    const [sum] = b.for(constantForm(n), [b.const(0)], (i, outer) =>
      b.for(plus(formOf(i), 1), outer, (j, [total]) => {
        const product = b.op('mul', b.load(x, addForms(formOf(i), scaleForm(formOf(j), -1))), b.load(x, formOf(j)));
        return [b.op('add', total, b.op('mul', product, b.ordinal(addForms(scaleForm(formOf(i), 3), formOf(j)))))];
      }),
    );
    return b.finish(sum);
  },

  'a product of matrices, by three counted loops': () => {
    const n = 3;
    const b = new IrBuilder('matrices', n * n);
    const [left, right, out] = [
      b.table(Float64Array.from({ length: n * n }, (_, k) => Math.sin(k))),
      b.candidate(),
      b.localArray(n * n),
    ];
    const at = (row: ValueId, column: ValueId) => addForms(scaleForm(formOf(row), n), formOf(column));
    b.for(constantForm(n), [], (i) => {
      b.for(constantForm(n), [], (j) => {
        const [sum] = b.for(constantForm(n), [b.const(0)], (k, [total]) => [
          b.op('add', total, b.op('mul', b.load(left, at(i, k)), b.load(right, at(k, j)))),
        ]);
        b.store(out, at(i, j), sum);
        return [];
      });
      return [];
    });
    return b.finish(sumOf(b, out, n * n));
  },

  'forms with negative scales': () => {
    const n = 5;
    const b = new IrBuilder('backward', n);
    const table = b.table(Float64Array.of(1, -2, 3, -4, 5, -6, 7, -8, 9));
    const array = filled(b, n, 9);
    const [sum] = b.for(constantForm(n), [b.const(0)], (i, [total]) => {
      const back = plus(scaleForm(formOf(i), -1), n - 1);
      const far = plus(scaleForm(formOf(i), -2), 2 * (n - 1));
      const factor = b.op('add', b.load(table, far), b.ordinal(plus(scaleForm(formOf(i), -3), -1)));
      const term = b.op('mul', b.op('sub', b.load(b.candidate(), back), b.load(array, far)), factor);
      b.store(array, back, term);
      return [b.op('add', total, term)];
    });
    return b.finish(b.op('add', sum, sumOf(b, array, 9)));
  },

  'forms that are 0, which has no sign': () => {
    const b = new IrBuilder('zeros', 1);
    const [sum] = b.for(constantForm(1), [b.x(0)], (i, outer) =>
      b.for(constantForm(1), outer, (j, [total]) => {
        const forms = [scaleForm(formOf(i), -1), addForms(scaleForm(formOf(i), -2), scaleForm(formOf(j), -1))];
        return [forms.reduce((s, at) => b.op('add', s, b.op('div', b.const(1), b.ordinal(at))), total)];
      }),
    );
    return b.finish(sum);
  },

  'counted loops without a round': () => {
    const b = new IrBuilder('no rounds', 2);
    const x = b.candidate();
    const never = (count: IndexForm, initial: ValueId) =>
      b.for(count, [initial, b.bool(true)], (i, [, truth]) => {
        b.check(truth, LaneStatus.Raised, 3);
        return [b.load(x, plus(formOf(i), 1)), b.bool(false)];
      });
    const [first, truth] = never(constantForm(0), b.x(0));
    const [second] = never(constantForm(-5), b.op('neg', b.x(1)));
    // Counts -2, -1, 0, 1, 2: three times nothing.
    const [sum] = b.for(constantForm(5), [b.op('select', truth, first, second)], (i, outer) =>
      b.for(plus(formOf(i), -2), outer, (j, [total]) => [
        b.op('add', total, b.ordinal(plus(addForms(formOf(i), formOf(j)), 1))),
      ]),
    );
    return b.finish(b.op('sub', sum, b.op('mul', second, b.const(3))));
  },

  'stores on the lanes that take a branch': () => {
    const b = new IrBuilder('branch stores', 3);
    const array = filled(b, 3, 6);
    b.for(constantForm(5), [], (i) => {
      b.if(
        b.op('lt', b.load(array, formOf(i)), b.x(1)),
        () => (b.store(array, formOf(i), b.op('mul', b.x(2), b.ordinal(formOf(i)))), []),
        () => {
          b.store(array, plus(formOf(i), 1), b.const(-2));
          b.if(
            b.op('lt', b.x(0), b.x(2)),
            () => (b.store(array, constantForm(0), b.op('sub', b.load(array, formOf(i)), b.const(1))), []),
            () => [],
          );
          return [];
        },
      );
      return [];
    });
    return b.finish(sumOf(b, array, 6));
  },

  'stores in a loop that lanes leave one after the other': () => {
    const b = new IrBuilder('loop stores', 2);
    const array = filled(b, 2, 4);
    const start = b.op('abs', b.x(0));
    b.loop([b.const(0), start], 40, 1, ([n, v]) => {
      b.for(constantForm(4), [], (i) => {
        b.store(array, formOf(i), b.op('add', b.load(array, formOf(i)), v));
        return [];
      });
      const next = b.op('add', n, b.const(1));
      const small = b.op('mul', v, b.const(0.5));
      return [b.op('and', b.op('lt', b.const(0.3), small), b.op('lt', next, b.const(12))), next, small];
    });
    return b.finish(sumOf(b, array, 4));
  },

  'a counted loop on some lanes, whose params others have as well': () => {
    const b = new IrBuilder('some lanes', 2);
    const [n, v] = b.loop([b.const(0), b.x(0)], 30, 7, ([n, v]) => {
      const [w] = b.for(constantForm(3), [v], (i, [w]) => [
        b.op('add', b.op('mul', w, b.const(0.5)), b.ordinal(formOf(i))),
      ]);
      const next = b.op('add', n, b.const(1));
      return [b.op('and', b.op('lt', w, b.x(1)), b.op('lt', next, b.const(8))), next, w];
    });
    const [r] = b.if(
      b.op('lt', v, b.x(1)),
      () => b.for(constantForm(4), [v], (i, [w]) => [b.op('sub', b.ordinal(formOf(i)), w)]),
      () => [b.op('mul', v, n)],
    );
    return b.finish(b.op('add', r, b.op('mul', v, b.const(0.125))));
  },

  'a loop in a counted loop': () => {
    const b = new IrBuilder('loop in for', 3);
    const [sum] = b.for(constantForm(3), [b.const(1)], (i, [total]) => {
      const x = b.op('abs', b.load(b.candidate(), formOf(i)));
      const [v] = b.loop([b.op('add', x, total)], 60, 12, ([v]) => {
        const half = b.op('mul', v, b.const(0.5));
        return [b.op('and', b.op('lt', b.const(1), half), b.op('lt', half, b.const(1e6))), half];
      });
      return [b.op('add', v, b.ordinal(formOf(i)))];
    });
    return b.finish(sum);
  },

  'the first check that fires in a counted loop': () => {
    const n = 4;
    const b = new IrBuilder('checks', n);
    const [sum] = b.for(constantForm(n), [b.const(0)], (i, [total]) => {
      const x = b.load(b.candidate(), formOf(i));
      b.check(b.op('lt', x, b.const(-2)), LaneStatus.MathDomain, 10);
      b.for(formOf(i), [], (j) => {
        b.check(b.op('lt', b.op('mul', x, b.load(b.candidate(), formOf(j))), b.const(-1)), LaneStatus.ZeroDivision, 20);
        return [];
      });
      b.if(
        b.op('lt', total, b.const(0)),
        () => (b.check(b.op('lt', b.const(1.5), x), LaneStatus.Overflow, 30), []),
        () => [],
      );
      return [b.op('add', total, x)];
    });
    return b.finish(sum);
  },

  'an array of ten thousand elements': () => {
    const b = new IrBuilder('long array', 2);
    const length = 10_000;
    const array = b.localArray(length);
    b.for(constantForm(length / 100), [], (i) => {
      const at = plus(scaleForm(formOf(i), 100), 99);
      b.store(array, at, b.op('add', b.x(0), b.ordinal(at)));
      return [];
    });
    const [sum] = b.for(constantForm(length / 100), [b.const(0)], (i, [total]) => [
      b.op('sub', b.load(array, plus(scaleForm(formOf(i), -100), length - 1)), b.op('mul', total, b.x(1))),
    ]);
    return b.finish(sum);
  },

  'truths from outside of a loop and constants in it, more than there are registers': () => {
    const b = new IrBuilder('truths', 4);
    const truths = Array.from({ length: 12 }, (_, k) => b.op('lt', b.x(k % 4), b.const(k / 4 - 1)));
    const [sum] = b.for(constantForm(5), [b.x(3)], (_, [total]) => [
      truths.reduce(
        (known, truth, k) =>
          b.op('select', truth, b.op('sub', known, b.const(1.5 + k)), b.op('mul', known, b.const(2.5 + k))),
        total,
      ),
    ]);
    return b.finish(sum);
  },

  'many params': () => {
    const b = new IrBuilder('many params', 5);
    const initial = Array.from({ length: 60 }, (_, k) => b.op('add', b.x(k % 5), b.const(k)));
    const truths = Array.from({ length: 20 }, (_, k) => b.op('lt', b.x(k % 5), b.const(k - 10)));
    const results = b.for(constantForm(7), [...initial, ...truths], (i, params) =>
      params.map((id, k) => {
        const next = params[(k + 1) % 60];
        if (k >= 60) return b.op('xor', id, b.op('lt', next, b.ordinal(formOf(i))));
        return k % 3 === 0
          ? b.op('sub', id, next)
          : k % 3 === 1
            ? next
            : b.op('select', params[60 + (k % 20)], id, next);
      }),
    );
    let sum = b.const(0);
    results.forEach((id, k) => {
      sum = b.op('add', sum, k < 60 ? b.op('mul', id, b.const(k + 1)) : b.op('select', id, b.const(k), b.const(0)));
    });
    return b.finish(sum);
  },

  'params of a counted loop that change places': () => {
    const b = new IrBuilder('swap', 3);
    const results = b.for(
      constantForm(5),
      [b.x(0), b.x(1), b.x(2), b.op('lt', b.x(0), b.x(1)), b.bool(true), b.const(1)],
      (_, [p, q, r, t, u]) => [q, p, b.op('add', p, r), u, t, r],
    );
    const [p, q, r, t, u, last] = results;
    const truth = b.op('select', t, b.op('add', p, b.op('mul', q, b.const(3))), b.op('select', u, r, last));
    return b.finish(b.op('sub', truth, b.op('mul', last, b.const(7))));
  },

  'a param whose next value another one keeps': () => {
    const b = new IrBuilder('delay', 4);
    const [now, before, sum] = b.for(constantForm(4), [b.const(0), b.const(5), b.x(3)], (i, [now, , sum]) => {
      const next = b.op('add', now, b.load(b.candidate(), formOf(i)));
      return [next, now, b.op('mul', b.op('add', sum, next), b.op('sub', next, now))];
    });
    return b.finish(b.op('add', now, b.op('mul', b.op('sub', before, sum), b.const(2))));
  },

  'the result of a counted loop as one param of the next, and its start as another': () => {
    const b = new IrBuilder('aliases', 3);
    const [p, q] = b.for(constantForm(3), [b.x(0), b.x(1)], (i, [p, q]) => {
      const [inner] = b.for(constantForm(2), [p], (j, [v]) => [
        b.op('add', v, b.ordinal(addForms(formOf(i), formOf(j)))),
      ]);
      return [b.op('mul', q, b.const(2)), inner];
    });
    const [r, s] = b.for(constantForm(2), [p, p], (_, [r, s]) => [b.op('sub', r, q), b.op('mul', s, b.const(-1))]);
    return b.finish(b.op('add', b.op('add', r, s), b.op('mul', q, b.const(0.5))));
  },

  'elements as initial values, next values and results': () => {
    const n = 4;
    const b = new IrBuilder('elements', n);
    const array = filled(b, n, n);
    const table = b.table(Float64Array.of(3, 1, 4, 1.5));
    const [p, q, r] = b.for(constantForm(n), [b.load(array, constantForm(2)), b.x(1), b.const(0)], (i, [p, q]) => {
      const old = b.load(array, formOf(i));
      b.store(array, formOf(i), b.op('add', p, q));
      const [chosen] = b.if(
        b.op('lt', p, q),
        () => [b.load(array, formOf(i))],
        () => [b.load(table, formOf(i))],
      );
      return [old, b.load(b.candidate(), formOf(i)), b.op('sub', chosen, b.ordinal(formOf(i)))];
    });
    return b.finish(b.op('add', b.op('mul', p, b.const(2)), b.op('sub', q, b.op('mul', r, sumOf(b, array, n)))));
  },

  'elements that are overwritten before they are used': () => {
    const n = 5;
    const b = new IrBuilder('bubbles', n);
    const array = filled(b, n, n);
    b.for(constantForm(n - 1), [], (i) => {
      b.for(plus(scaleForm(formOf(i), -1), n - 1), [], (j) => {
        const [left, right] = [b.load(array, formOf(j)), b.load(array, plus(formOf(j), 1))];
        const ordered = b.op('le', left, right);
        b.store(array, formOf(j), b.op('select', ordered, left, right));
        b.store(array, plus(formOf(j), 1), b.op('select', ordered, right, left));
        return [];
      });
      return [];
    });
    return b.finish(sumOf(b, array, n));
  },

  'an element whose product waits while it is overwritten': () => {
    const b = new IrBuilder('waiting', 2);
    const array = filled(b, 2, 3);
    const [sum] = b.for(constantForm(2), [b.const(0)], (i, [total]) => {
      const product = b.op('mul', b.load(array, formOf(i)), b.x(0));
      b.for(constantForm(2), [], (j) => {
        b.store(array, addForms(formOf(i), formOf(j)), b.op('sub', b.load(array, formOf(j)), total));
        return [];
      });
      return [b.op('add', product, b.op('add', total, b.load(array, plus(formOf(i), 1))))];
    });
    return b.finish(b.op('add', sum, sumOf(b, array, 3)));
  },

  'functions of the library in a counted loop': () => {
    const n = 9;
    const b = new IrBuilder('Rastrigin', n);
    const [sum] = b.for(constantForm(n), [b.const(10 * n)], (i, [total]) => {
      const x = b.load(b.candidate(), formOf(i));
      const wave = b.op('cos', b.op('mul', b.const(2 * Math.PI), x));
      const weight = b.op('pow', b.ordinal(plus(formOf(i), 1)), b.const(0.3));
      return [b.op('add', total, b.op('mul', weight, b.op('sub', b.op('mul', x, x), b.op('mul', b.const(10), wave))))];
    });
    return b.finish(sum);
  },
} as const satisfies Record<string, () => IrFunction>;

export function rolledRosenbrock(n: number): IrFunction {
  const b = new IrBuilder('Rosenbrock', n);
  const [sum] = b.for(constantForm(n - 1), [b.const(0)], (i, [total]) => {
    const [x, y] = [b.load(b.candidate(), formOf(i)), b.load(b.candidate(), plus(formOf(i), 1))];
    const u = b.op('sub', y, b.op('mul', x, x));
    const v = b.op('sub', b.const(1), x);
    return [b.op('add', total, b.op('add', b.op('mul', b.op('mul', u, u), b.const(100)), b.op('mul', v, v)))];
  });
  return b.finish(sum);
}
