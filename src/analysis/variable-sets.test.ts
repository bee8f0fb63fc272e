import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsIn, NumberSets } from './variable-sets.js';

const numbers = fc.array(fc.nat(12_000), { maxLength: 60 });

describe('sets of variables', () => {
  it('are what sets of JavaScript are, and equal ones have one number', () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 6 }), (lists) => {
        const sets = new NumberSets();
        const ids = lists.map((list) => sets.of(list));
        const union = ids.reduce((all, id) => sets.union(all, id), 0);
        const expected = [...new Set(lists.flat())].sort((a, b) => a - b);
        expect(sets.elements(union)).toEqual(expected);
        expect(sets.size(union)).toBe(expected.length);
        expect(sets.of([...expected].reverse())).toBe(union);
        expect([...ids].reverse().reduce((all, id) => sets.union(id, all), 0)).toBe(union);
        if (expected.length > 0) expect(sets.first(union)).toBe(expected[0]);
      }),
    );
  });

  it('mark their elements as bits', () => {
    const sets = new NumberSets();
    const row = new Int32Array(4);
    sets.mark(sets.of([0, 31, 32, 70]), row, 1);
    expect([...row]).toEqual([0, 1 | (1 << 31), 1, 1 << 6]);
    expect(bitsIn(1 | (1 << 31))).toBe(2);
  });

  it('connect all of their elements, and what is connected is not gone through again', () => {
    const sets = new NumberSets();
    const done = new Set<number>();
    let links = 0;
    let prefix = 0;
    for (let k = 0; k < 2000; k++) {
      prefix = sets.union(prefix, sets.of([k]));
      sets.connect(prefix, done, () => links++);
    }
    // One list of each would be two million.
    expect(links).toBeLessThan(2000 * 20);
    const parent = new Map<number, number>();
    const find = (k: number): number => (parent.has(k) ? find(parent.get(k)!) : k);
    sets.connect(sets.of([3, 40, 41, 5000]), new Set(), (i, j) => {
      if (find(i) !== find(j)) parent.set(find(i), find(j));
    });
    expect(new Set([3, 40, 41, 5000].map(find)).size).toBe(1);
  });
});
