import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCandidates, randomIr } from '../../test/support/random-ir.js';
import { IrBuilder } from '../ir/builder.js';
import { interpret } from '../ir/interpreter.js';
import { parseIr } from '../ir/parser.js';
import { printIr } from '../ir/printer.js';
import type { IrFunction } from '../ir/types.js';
import { verifyIr } from '../ir/verifier.js';
import { PIPELINE, optimizeIr } from './pipeline.js';

const COUNT = 12;

function expectSame(before: IrFunction, after: IrFunction, seed: number): void {
  expect(verifyIr(after)).toEqual([]);
  const rows = randomCandidates(seed, COUNT, before.dimension);
  for (let i = 0; i < COUNT; i++) {
    const x = rows.subarray(i * before.dimension, (i + 1) * before.dimension);
    expect(interpret(after, x), `seed ${seed}, candidate [${[...x].join(', ')}]`).toEqual(interpret(before, x));
  }
}

describe('passes', () => {
  for (const pass of PIPELINE) {
    it(`${pass.name} never changes what the interpreter computes`, () => {
      fc.assert(
        fc.property(fc.nat(), (seed) => {
          const fn = randomIr(seed, { counted: true });
          expectSame(fn, pass.run(fn), seed);
        }),
        { numRuns: 60 },
      );
    });
  }

  it('the whole pipeline keeps value, status and line, also of mostly constant programs', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const fn = randomIr(seed, { dimension: 1, statements: 60 });
        expectSame(fn, optimizeIr(fn), seed);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves its input as it was', () => {
    const fn = randomIr(7);
    const text = printIr(fn);
    optimizeIr(fn);
    expect(printIr(fn)).toBe(text);
  });

  it('a second run finds nothing more in a folded program', () => {
    const fn = optimizeIr(randomIr(11, { statements: 80 }));
    expect(printIr(optimizeIr(fn))).toBe(printIr(fn));
  });

  it('keeps what 100,000 nodes compute', () => {
    const b = new IrBuilder('long', 10);
    let sum = b.const(0);
    for (let k = 0; b.nodeCount < 100_000; k++) {
      sum = b.op('add', sum, b.op('mul', b.op('sub', b.x(k % 10), b.const(k)), b.op('mul', b.const(k), b.const(2))));
    }
    const fn = b.finish(sum);
    const optimized = optimizeIr(fn);
    expect(optimized.types.length).toBeLessThan(fn.types.length);
    expect(interpret(optimized, new Float64Array(10).fill(0.5))).toEqual(interpret(fn, new Float64Array(10).fill(0.5)));
  });
});

/** Each file of test/golden/ir/passes holds a program; beside it lies what each pass makes of it. Renew: vitest -u. */
describe('golden programs', () => {
  const folder = new URL('../../test/golden/ir/passes/', import.meta.url);
  const inputs = readdirSync(folder).filter((name) => /^[a-z-]+\.ir$/.test(name));

  it('are there', () => {
    expect(inputs.length).toBeGreaterThan(3);
  });

  for (const input of inputs) {
    for (const pass of PIPELINE) {
      it(`${pass.name} rewrites ${input} as recorded`, async () => {
        const fn = parseIr(readFileSync(new URL(input, folder), 'utf8'));
        expect(verifyIr(fn)).toEqual([]);
        const golden = fileURLToPath(new URL(input.replace('.ir', `.${pass.name}.out.ir`), folder));
        await expect(printIr(pass.run(fn))).toMatchFileSnapshot(golden);
      });
    }
  }
});
