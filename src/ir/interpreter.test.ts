import { describe, expect, it } from 'vitest';
import { interpret, interpretBatch } from './interpreter.js';
import { parseIr } from './parser.js';
import { LaneStatus } from './types.js';
import { verifyIr } from './verifier.js';

const program = (dimension: number, body: string) => parseIr(`function "f" dimension ${dimension} {\n${body}\n}`);

describe('interpret', () => {
  it('reports the first check that fires in program order, and its line', () => {
    const fn = program(
      1,
      `v0 = x 0\nv1 = const 0\nv2 = eq v0, v1\nv3 = le v0, v1\ncheck v2 ZeroDivision line 3
       check v3 MathDomain line 5\nyield v0`,
    );
    expect(interpret(fn, [0])).toEqual({ value: NaN, status: LaneStatus.ZeroDivision, line: 3 });
    expect(interpret(fn, [-1])).toEqual({ value: NaN, status: LaneStatus.MathDomain, line: 5 });
    expect(interpret(fn, [2])).toEqual({ value: 2, status: LaneStatus.Ok, line: 0 });
  });

  it('flags only lanes that run the region of the check', () => {
    const fn = program(
      1,
      `v0 = x 0\nv1 = const 0\nv2 = lt v0, v1\nv3 = bconst true\nv4 = if v2 {\ncheck v3 Raised line 2\nyield v1
       } else {\nyield v0\n}\nyield v4`,
    );
    expect(interpret(fn, [-1])).toEqual({ value: NaN, status: LaneStatus.Raised, line: 2 });
    expect(interpret(fn, [1]).value).toBe(1);
  });

  it('runs a loop body at least once and hands all params on together', () => {
    const fibonacci = program(
      1,
      `v0 = x 0\nv1 = const 0\nv2 = const 1\nv3, v4, v5 = loop (v6 = v1, v7 = v1, v8 = v2) fuel 100 line 4 {
       v9 = add v6, v2\nv10 = add v7, v8\nv11 = lt v9, v0\nyield v11, v9, v8, v10\n}\nyield v4`,
    );
    expect([0, 1, 2, 10].map((n) => interpret(fibonacci, [n]).value)).toEqual([1, 1, 1, 55]);
  });

  it('flags a lane that would go on after `fuel` rounds, not one that ends in its last round', () => {
    const count = program(
      1,
      `v0 = x 0\nv1 = const 0\nv2 = const 1\nv3 = loop (v4 = v1) fuel 3 line 7 {
       v5 = add v4, v2\nv6 = lt v5, v0\nyield v6, v5\n}\nyield v3`,
    );
    expect(interpret(count, [3])).toEqual({ value: 3, status: LaneStatus.Ok, line: 0 });
    expect(interpret(count, [4])).toEqual({ value: NaN, status: LaneStatus.FuelExhausted, line: 7 });
  });

  it('runs nested counted loops, the inner one as long as the outer index says, and keeps what they store', () => {
    // The sum over i of (the sum of x[0..i])^2, of which the partial sums are kept in an array; then twice the last
    // one.
    const fn = program(
      3,
      `array a0 candidate\narray a1 local 3\nv0 = const 0
       v1 = for v2 [3] (v3 = v0) {
         v4 = for v5 [1 1*v2] (v6 = v0) {\nv7 = load a0 [0 1*v5]\nv8 = add v6, v7\nyield v8\n}
         store v4 a1 [2 -1*v2]
         v9 = mul v4, v4\nv10 = add v3, v9\nyield v10
       }
       v11 = load a1 [0]\nv12 = add v1, v11\nv13 = add v12, v11\nyield v13`,
    );
    expect(verifyIr(fn)).toEqual([]);
    expect(interpret(fn, [1, 2, 3]).value).toBe(1 + 9 + 36 + 12);
  });

  it('hands on the initial values of a counted loop without rounds, also one with a negative count', () => {
    const fn = program(
      1,
      'v0 = x 0\nv1 = const 1\nv2, v3 = for v4 [-2] (v5 = v0, v6 = v1) {\nyield v6, v5\n}\nyield v2',
    );
    expect(interpret(fn, [7]).value).toBe(7);
  });

  it('returns the canonical NaN', () => {
    const bits = new BigUint64Array([0xfff8000000000123n]);
    const odd = new Float64Array(bits.buffer);
    const output = { values: new Float64Array(1), status: new Uint8Array(1) };
    interpretBatch(program(1, 'v0 = x 0\nyield v0'), { candidates: odd, count: 1, dimension: 1 }, output);
    expect(new BigUint64Array(output.values.buffer)[0]).toBe(0x7ff8000000000000n);
  });

  it('evaluates the first `count` rows of a batch and leaves the rest of the output alone', () => {
    const fn = program(2, 'v0 = x 0\nv1 = x 1\nv2 = sub v0, v1\nyield v2');
    const output = { values: new Float64Array(3).fill(9), status: new Uint8Array(3).fill(9) };
    interpretBatch(fn, { candidates: [5, 3, 1, 4, 7, 7], count: 2, dimension: 2 }, output);
    expect([...output.values]).toEqual([2, -3, 9]);
    expect([...output.status]).toEqual([0, 0, 9]);
  });
});
