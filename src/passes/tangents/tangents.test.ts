import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCandidates, randomIr, seededRandom, smoothIr } from '../../../test/support/random-ir.js';
import { IrBuilder } from '../../ir/builder.js';
import { constantForm, formOf } from '../../ir/index-form.js';
import { interpret } from '../../ir/interpreter.js';
import type { IrFunction } from '../../ir/types.js';
import { verifyIr } from '../../ir/verifier.js';
import { Copier } from '../copier.js';
import { differentiate } from '../gradient/differentiate.js';
import { optimizeIr } from '../pipeline.js';
import { tangents } from './tangents.js';

/** The function, which also delivers its value. */
function delivering(fn: IrFunction): IrFunction {
  const b = new IrBuilder(fn.name, fn.dimension);
  const copier = new Copier(b, fn);
  copier.nodes(fn.body);
  const value = copier.of(fn.body.yields[0]);
  b.store(b.outputArray(1), constantForm(0), value);
  return b.finish(value);
}

describe('tangents', () => {
  it('are the columns of the Jacobian, through loops and branches', () => {
    // r_i = x_i^2 - 3 x_(i+1) where x_i > 0, else x_i.
    const n = 4;
    const b = new IrBuilder('residuals', n);
    const output = b.outputArray(n - 1);
    const [sum] = b.for(constantForm(n - 1), [b.const(0)], (index, [total]) => {
      const here = b.load(b.candidate(), formOf(index));
      const next = b.load(b.candidate(), { ...formOf(index), offset: 1 });
      const [r] = b.if(
        b.op('lt', b.const(0), here),
        () => [b.op('sub', b.op('mul', here, here), b.op('mul', b.const(3), next))],
        () => [here],
      );
      b.store(output, formOf(index), r);
      return [b.op('add', total, b.op('mul', r, r))];
    });
    const fn = b.finish(sum);
    const forward = tangents(fn);
    expect(verifyIr(forward)).toEqual([]);
    expect(forward.dimension).toBe(2 * n);
    const x = [2, -1, 5, 7];
    const column = (j: number): number[] => {
      const lane = interpret(optimizeIr(forward), [...x, ...x.map((_, i) => (i === j ? 1 : 0))]);
      expect(lane.value).toBe(interpret(fn, x).value);
      return Array.from(lane.outputs ?? []);
    };
    expect([0, 1, 2, 3].map(column)).toEqual([
      [4, 0, 0],
      [-3, 1, 0],
      [0, 0, 10],
      [0, 0, -3],
    ]);
  });

  it('are the gradient times the direction, of smooth programs', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const fn = smoothIr(seed);
        const random = seededRandom(seed);
        const [x, v] = [0, 1].map(() => Float64Array.from({ length: 3 }, () => 2 * random() - 1));
        const lane = interpret(tangents(delivering(fn)), Float64Array.of(...x, ...v));
        const parts = Array.from(interpret(differentiate(fn), x).outputs!, (slope, k) => slope * v[k]);
        const size = parts.reduce((sum, part) => sum + Math.abs(part), 0);
        const along = parts.reduce((sum, part) => sum + part, 0);
        expect(Math.abs(lane.outputs![0] - along)).toBeLessThanOrEqual(1e-12 * (1 + size));
      }),
      { numRuns: 200 },
    );
  });

  it('are the gradient times the direction, through loops, branches and arrays', () => {
    let compared = 0;
    let different = 0;
    for (let seed = 1; seed <= 50; seed++) {
      const fn = randomIr(seed, { counted: true, statements: 14, checks: false });
      const [forward, backward] = [optimizeIr(tangents(delivering(fn))), optimizeIr(differentiate(fn))];
      const random = seededRandom(seed);
      for (let k = 0; k < 4; k++) {
        const [x, v] = [0, 1].map(() => Float64Array.from({ length: fn.dimension }, () => 2 * random() - 1));
        const slopes = interpret(backward, x).outputs;
        const along = interpret(forward, Float64Array.of(...x, ...v)).outputs?.[0];
        if (slopes === undefined || along === undefined || !Number.isFinite(along)) continue;
        const parts = Array.from(slopes, (slope, i) => slope * v[i]);
        const size = parts.reduce((sum, part) => sum + Math.abs(part), 0);
        if (!Number.isFinite(size) || size === 0) continue;
        compared++;
        const sum = parts.reduce((total, part) => total + part, 0);
        if (Math.abs(along - sum) > 1e-9 * size) different++;
      }
    }
    expect(compared).toBeGreaterThan(40);
    // Programs that lose digits, in either order of sums.
    expect(different).toBeLessThan(compared / 20);
  });

  it('leave value and status as they are', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const fn = randomIr(seed, { counted: true, statements: 10 });
        const forward = tangents(delivering(fn));
        expect(verifyIr(forward)).toEqual([]);
        const optimized = optimizeIr(forward);
        const rows = randomCandidates(seed, 8, fn.dimension);
        for (let i = 0; i < 4; i++) {
          const row = rows.subarray(2 * i * fn.dimension, 2 * (i + 1) * fn.dimension);
          const { outputs, ...lane } = interpret(forward, row);
          expect(lane).toEqual(interpret(fn, row.subarray(0, fn.dimension)));
          expect(interpret(optimized, row).outputs).toEqual(outputs);
        }
      }),
      { numRuns: 60 },
    );
  });
});
