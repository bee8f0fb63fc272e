import { expect, test } from 'vitest';
import { seededRandom } from '../../test/support/random-ir.js';
import { evaluateOp } from './interpreter.js';
import { intervalOf, type Interval } from './intervals.js';
import { isNumberOp, OP_NAMES, opInfo } from './ops.js';

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
  for (const op of OP_NAMES.filter(isNumberOp)) {
    for (let k = 0; k < 150; k++) {
      const args = opInfo(op).args.map(interval);
      const result = intervalOf(op, args, false);
      for (let j = 0; j < 5; j++) {
        const x = args.map(inside);
        const value = evaluateOp(op, x);
        const ok = Number.isNaN(value) ? result.nan : value >= result.lo && value <= result.hi;
        expect(ok, `${op}(${x.join(', ')}) = ${value} in [${result.lo}, ${result.hi}] nan ${result.nan}`).toBe(true);
      }
    }
  }
});
