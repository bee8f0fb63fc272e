import { describe, expect, test } from 'vitest';
import { TargetHits, TARGETS } from './measure.js';

describe('targets', () => {
  test('are 51, five in a decade, from 1e2 to 1e-8', () => {
    expect(TARGETS).toHaveLength(51);
    expect([TARGETS[0], TARGETS[5], TARGETS[50]]).toEqual([100, 10, 1e-8]);
    for (let k = 1; k < 51; k++) expect(TARGETS[k] / TARGETS[k - 1]).toBeCloseTo(10 ** -0.2, 12);
  });

  test('are hit at the evaluation that first reaches them, several at once where a value passes several', () => {
    const hits = new TargetHits();
    for (const delta of [150, 100, 120, 12, 12, 9]) hits.add(delta);
    // 100, 63.1, 39.8, 25.1, 15.8, 10: the second value is exactly the first target.
    expect(hits.hits).toEqual([2, 4, 4, 4, 4, 6]);
    expect(hits.evaluations).toBe(6);
    expect(hits.bestDelta).toBe(9);
  });

  test('end the run with the last one: nothing after it counts', () => {
    const hits = new TargetHits();
    hits.add(1);
    expect(hits.isFinished).toBe(false);
    hits.add(1e-8);
    expect(hits.isFinished).toBe(true);
    hits.add(0);
    expect([hits.evaluations, hits.bestDelta]).toEqual([2, 1e-8]);
    expect(hits.hits).toHaveLength(51);
  });

  test('a value below the optimum by rounding is the optimum, an infinite one reaches nothing', () => {
    const hits = new TargetHits();
    hits.add(Infinity);
    hits.add(-1e-13);
    expect(hits.bestDelta).toBe(0);
    expect(hits.hits.every((at) => at === 2)).toBe(true);
  });
});
