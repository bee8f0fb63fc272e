import { describe, expect, test } from 'vitest';
import { seededRandom, randomIr } from '../../test/support/random-ir.js';
import { interpret } from '../ir/interpreter.js';
import { parseIr } from '../ir/parser.js';
import { printIr } from '../ir/printer.js';
import { OP_NAMES, OPS } from '../ir/ops.js';
import { evaluateOp } from '../ir/interpreter.js';
import { verifyIr } from '../ir/verifier.js';
import { intervalOf, type Interval } from './intervals.js';
import { optimizeIr } from './pipeline.js';
import { specializeToBounds } from './specialize-to-bounds.js';

const box = (lower: number[], upper: number[]) => ({
  lower: Float64Array.from(lower),
  upper: Float64Array.from(upper),
});

describe('specialising to bounds', () => {
  test('removes an overflow check that bounded squares cannot reach, keeps one that they can', () => {
    const fn = parseIr(
      `function "f" dimension 1 {
  v0 = const inf
  v1 = x 0
  v2 = mul v1, v1
  v3 = abs v2
  v4 = eq v3, v0
  check v4 Overflow line 2
  yield v2
}
`,
    );
    expect(printIr(optimizeIr(specializeToBounds(fn, box([-5], [10]))))).not.toContain('check');
    expect(printIr(optimizeIr(specializeToBounds(fn, box([-5], [1e200]))))).toContain('check');
  });

  test('never changes what a candidate inside the bounds computes', () => {
    const random = seededRandom(3);
    for (let seed = 1; seed <= 100; seed++) {
      const fn = randomIr(seed);
      const n = fn.dimension;
      const lower = Array.from({ length: n }, () => (random() - 0.7) * 10 ** Math.floor(random() * 5));
      const upper = lower.map((l) => l + random() * 10 ** Math.floor(random() * 5) + 1e-9);
      const specialized = optimizeIr(specializeToBounds(fn, box(lower, upper)));
      expect(verifyIr(specialized), `seed ${seed}`).toEqual([]);
      for (let k = 0; k < 10; k++) {
        const x = lower.map((l, i) => [l, upper[i], l + random() * (upper[i] - l)][Math.floor(random() * 3)]);
        const before = interpret(fn, x);
        const after = interpret(specialized, x);
        expect([after.value, after.status], `seed ${seed} at ${x.join(', ')}`).toEqual([before.value, before.status]);
      }
    }
  });
});

test('every operation on points of intervals lies in the interval of the operation', () => {
  const random = seededRandom(11);
  const ends = [0, -0, 1, -1, 0.5, 2, -3, 1e-300, 1e300, -1e300, 700, Infinity, -Infinity, 100.25];
  const pick = (): number => (random() < 0.5 ? ends[Math.floor(random() * ends.length)] : (random() - 0.5) * 20);
  const interval = (): Interval => {
    const [p, q] = [pick(), pick()];
    return { lo: Math.min(p, q), hi: Math.max(p, q), nan: false };
  };
  const inside = ({ lo, hi }: Interval): number => {
    const r = random();
    if (r < 0.3) return lo;
    if (r < 0.6) return hi;
    const t = lo + random() * (hi - lo);
    return Number.isNaN(t) || t < lo || t > hi ? (lo <= 0 && hi >= 0 ? 0 : lo) : t;
  };
  for (const op of OP_NAMES) {
    const info = OPS[op];
    if (info.result !== 'f64' || info.args.length === 0 || info.args.some((t) => t !== 'f64')) continue;
    for (let k = 0; k < 150; k++) {
      const args = info.args.map(interval);
      const result = intervalOf(op, args, false);
      for (let j = 0; j < 5; j++) {
        const x = args.map(inside);
        const value = evaluateOp(op as 'add', x);
        const ok = Number.isNaN(value) ? result.nan : value >= result.lo && value <= result.hi;
        expect(ok, `${op}(${x.join(', ')}) = ${value} in [${result.lo}, ${result.hi}] nan ${result.nan}`).toBe(true);
      }
    }
  }
});
