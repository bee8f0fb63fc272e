import { describe, expect, it } from 'vitest';
import { IrBuilder } from '../../ir/builder.js';
import { addForms, constantForm, formOf, scaleForm } from '../../ir/index-form.js';
import type { IrFunction, ValueId } from '../../ir/types.js';
import { LaneStatus } from '../../ir/types.js';
import { encodeProgram } from './encode.js';
import { HEADER_WORDS, INSTRUCTION_WORDS, OPCODES } from './opcodes.js';

const header = (fn: IrFunction) => {
  const [, , dimension, registers, masks, instructions] = encodeProgram(fn).words;
  return { dimension, registers, masks, instructions };
};

const opcodes = (fn: IrFunction) => {
  const { words } = encodeProgram(fn);
  return Array.from({ length: words[5] }, (_, i) => OPCODES[words[HEADER_WORDS + i * INSTRUCTION_WORDS]].name);
};

const program = (dimension: number, build: (b: IrBuilder) => ValueId) => {
  const b = new IrBuilder('test', dimension);
  return b.finish(build(b));
};

describe('encodeProgram', () => {
  it('takes four steps per term of Rosenbrock and few registers', () => {
    const n = 30;
    const fn = program(n, (b) => {
      let sum = b.const(0);
      for (let i = 0; i < n - 1; i++) {
        const [x, y] = [b.x(i), b.x(i + 1)];
        const u = b.op('sub', y, b.op('mul', x, x));
        const v = b.op('sub', b.const(1), x);
        sum = b.op('add', sum, b.op('add', b.op('mul', b.op('mul', u, u), b.const(100)), b.op('mul', v, v)));
      }
      return sum;
    });
    const { registers, masks, instructions } = header(fn);
    expect(instructions).toBeLessThanOrEqual(4 * (n - 1) + 1);
    expect(registers).toBeLessThanOrEqual(4);
    expect(masks).toBe(0);
  });

  it('reuses registers in a long chain', () => {
    const fn = program(2, (b) => {
      let value = b.x(0);
      for (let i = 0; i < 500; i++) value = b.op('div', b.op('floor', value), b.x(1));
      return value;
    });
    expect(header(fn).registers).toBe(1);
  });

  it('fuses an operation only into its single user', () => {
    const shared = program(2, (b) => {
      const product = b.op('mul', b.x(0), b.x(1));
      return b.op('div', b.op('add', product, b.x(0)), b.op('sub', product, b.x(1)));
    });
    expect(opcodes(shared)).toEqual(['mul', 'add', 'sub', 'div', 'return']);
    const single = program(2, (b) => b.op('sub', b.x(0), b.op('mul', b.x(0), b.x(1))));
    expect(opcodes(single)).toEqual(['mul_rsub', 'return']);
  });

  it('does not move an operation into a loop or branch', () => {
    const fn = program(1, (b) => {
      const outside = b.op('mul', b.x(0), b.const(3));
      const [n] = b.loop([b.const(0)], 5, 1, ([n]) => {
        const next = b.op('add', outside, n);
        return [b.op('lt', next, b.const(9)), next];
      });
      return n;
    });
    const names = opcodes(fn);
    expect(names.indexOf('mul')).toBeLessThan(names.indexOf('loop'));
    expect(names).not.toContain('mul_add');
  });

  it('computes before a branch what is used after it, though the branch takes over a register that it reads', () => {
    // Where all candidates skipped the branch, the difference was never computed.
    const fn = program(2, (b) => {
      const [start] = b.if(b.op('lt', b.x(0), b.x(1)), () => [b.op('sqrt', b.op('abs', b.x(1)))], () => [b.x(0)]); // prettier-ignore
      const difference = b.op('sub', start, b.x(1));
      const [sum] = b.if(
        b.op('lt', start, b.const(2)),
        () => [start],
        () => b.for(constantForm(3), [start], (_, [sum]) => [b.op('add', sum, b.x(1))]),
      );
      return b.op('mul', sum, b.op('add', difference, b.x(0)));
    });
    const names = opcodes(fn);
    const last = names.lastIndexOf('if');
    expect(names.slice(last)).toContain('for');
    expect(names.slice(last + 1, names.indexOf('for'))).not.toContain('sub');
  });

  it('joins a comparison with the check that uses it', () => {
    const fn = program(1, (b) => {
      b.check(b.op('lt', b.x(0), b.const(0)), LaneStatus.MathDomain, 3);
      return b.op('sqrt', b.x(0));
    });
    expect(opcodes(fn)).toEqual(['check_lt', 'sqrt', 'return']);
  });

  it('drops what nobody uses, but never a check or a loop', () => {
    const fn = program(1, (b) => {
      b.op('exp', b.x(0));
      b.if(
        b.op('lt', b.x(0), b.const(2)),
        () => [b.op('sin', b.x(0))],
        () => [b.op('cos', b.x(0))],
      );
      b.loop([b.x(0)], 4, 7, ([n]) => [b.op('lt', n, b.const(0)), b.op('mul', n, b.const(2))]);
      b.check(b.op('le', b.x(0), b.const(-5)), LaneStatus.Raised, 9);
      return b.x(0);
    });
    const names = opcodes(fn);
    for (const name of ['exp', 'sin', 'cos', 'if']) expect(names).not.toContain(name);
    expect(names).toContain('loop');
    expect(names).toContain('check_le');
  });

  it('keeps 0 and -0 apart and stores equal constants once', () => {
    const fn = program(1, (b) =>
      b.op('div', b.op('div', b.op('div', b.x(0), b.const(0)), b.const(-0)), b.op('div', b.x(0), b.const(0))),
    );
    const { constants } = encodeProgram(fn);
    expect([...constants]).toEqual([0, -0]);
  });

  it('takes as many steps per round of a counted loop as for a term without one', () => {
    const fn = program(1000, (b) => {
      const [sum] = b.for(constantForm(999), [b.const(0)], (i, [total]) => {
        const x = b.load(b.candidate(), formOf(i));
        const y = b.load(b.candidate(), addForms(formOf(i), constantForm(1)));
        const u = b.op('sub', y, b.op('mul', x, x));
        const v = b.op('sub', b.const(1), x);
        return [b.op('add', total, b.op('add', b.op('mul', b.op('mul', u, u), b.const(100)), b.op('mul', v, v)))];
      });
      return sum;
    });
    expect(opcodes(fn)).toEqual(['move', 'for', 'sq_rsub', 'sq_mul', 'sub_sq', 'add_add', 'endfor', 'return']);
  });

  it('carries a sum through nested counted loops in one register', () => {
    const fn = program(10, (b) => {
      const [sum] = b.for(constantForm(10), [b.const(0)], (i, outer) =>
        b.for(formOf(i), outer, (j, [total]) => [
          b.op('add', total, b.op('mul', b.load(b.candidate(), formOf(i)), b.load(b.candidate(), formOf(j)))),
        ]),
      );
      return sum;
    });
    expect(opcodes(fn)).toEqual(['move', 'for', 'for', 'mul_add', 'endfor', 'endfor', 'return']);
    expect(header(fn).registers).toBe(1);
  });

  it('takes tables and ordinals as constants', () => {
    const fn = program(3, (b) => {
      const weights = b.table(Float64Array.of(5, 6, 7));
      const [sum] = b.for(constantForm(3), [b.const(0)], (i, [total]) => [
        b.op('add', b.op('mul', total, b.load(weights, formOf(i))), b.ordinal(scaleForm(formOf(i), 2))),
      ]);
      return sum;
    });
    expect(opcodes(fn)).toEqual(['move', 'for', 'mul_add', 'endfor', 'return']);
    expect([...encodeProgram(fn).constants]).toEqual([0, 5, 6, 7]);
  });

  it('computes into a local array, but not where only some lanes are stored', () => {
    const fn = program(4, (b) => {
      const array = b.localArray(4);
      b.for(constantForm(4), [], (i) => {
        b.store(array, formOf(i), b.op('exp', b.load(b.candidate(), formOf(i))));
        return [];
      });
      b.if(
        b.op('lt', b.x(0), b.const(0)),
        () => (b.store(array, constantForm(1), b.op('sqrt', b.x(1))), []),
        () => [],
      );
      return b.load(array, constantForm(1));
    });
    const names = ['for', 'exp', 'endfor', 'lt', 'if', 'sqrt', 'blend', 'else', 'endif', 'return'];
    expect(opcodes(fn)).toEqual(names);
  });

  it('copies elements of a local array only when it is stored to before their last use', () => {
    const fn = program(2, (b) => {
      const array = b.localArray(2);
      b.store(array, constantForm(0), b.x(0));
      b.store(array, constantForm(1), b.x(1));
      const [first, second] = [b.load(array, constantForm(0)), b.load(array, constantForm(1))];
      b.store(array, constantForm(0), second);
      b.store(array, constantForm(1), first);
      return b.op('sub', b.load(array, constantForm(0)), b.load(array, constantForm(1)));
    });
    // The second one is read at the first store, where it lies.
    expect(opcodes(fn)).toEqual(['move', 'move', 'move', 'move', 'move', 'sub', 'return']);
  });
});
