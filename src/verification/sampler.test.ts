import { describe, expect, it } from 'vitest';
import { denseEvaluations, MAX_PATTERNS, PointSampler } from './sampler.js';

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('points by chance', () => {
  it('are about as many in the last half of a run as in the half before, with any seed', () => {
    const seeds = range(1, 400);
    const between = (from: number, to: number): number => {
      const taken = seeds.map((seed) => range(from, to).filter((e) => new PointSampler(seed).isByChance(e)).length);
      return taken.reduce((a, b) => a + b, 0) / seeds.length;
    };
    // 2 ln 2 = 1.39 of each half; the mean of 400 runs is off by less than 0.06 in two of three cases.
    expect(between(126, 250)).toBeGreaterThan(1.1);
    expect(between(126, 250)).toBeLessThan(1.7);
    expect(between(251, 500)).toBeGreaterThan(1.1);
    expect(between(251, 500)).toBeLessThan(1.7);
    expect(between(1, 2)).toBe(2);
  });

  it('depend on the seed and the number alone', () => {
    const chosen = (seed: number): number[] => range(1, 2_000).filter((e) => new PointSampler(seed).isByChance(e));
    expect(chosen(2 ** 53 - 1)).toEqual(chosen(2 ** 53 - 1));
    expect(chosen(1)).not.toEqual(chosen(2));
    // The upper bits of a seed count, too.
    expect(chosen(1)).not.toEqual(chosen(1 + 2 ** 40));
  });
});

describe('points by patterns', () => {
  it('are the first candidate of each pattern, 48 as they come', () => {
    const sampler = new PointSampler(1);
    expect(range(1, 100).filter((e) => sampler.takesByPattern(e, e % 10))).toEqual(range(1, 10));
    const many = new PointSampler(1);
    expect(range(1, 60).filter((e) => many.takesByPattern(e, e))).toEqual(range(1, 48));
  });

  it('are then one new pattern for each doubling of the evaluations, up to the last', () => {
    const sampler = new PointSampler(1);
    for (const e of range(1, 48)) sampler.takesByPattern(e, e);
    const taken = Array.from({ length: 40 }, (_, k) => 48 * 2 ** (k / 2)).filter((e) =>
      sampler.takesByPattern(e, e + 0.5),
    );
    expect(taken).toEqual(Array.from({ length: MAX_PATTERNS - 48 }, (_, k) => 96 * 2 ** k));
  });

  it('are asked for of all candidates at first, and with falling density later; of large programs less', () => {
    const sampler = new PointSampler(7, 256);
    expect(range(1, 256).every((e) => sampler.asksForPattern(e))).toBe(true);
    const later = range(2_561, 5_120).filter((e) => sampler.asksForPattern(e)).length;
    // 256 ln 2 = 177, with a standard deviation of 13.
    expect(later).toBeGreaterThan(125);
    expect(later).toBeLessThan(230);
    expect([denseEvaluations(10), denseEvaluations(2_000), denseEvaluations(20_000)]).toEqual([4096, 4096, 409]);
    expect(denseEvaluations(1e9)).toBe(64);
  });
});

describe('a sampler that goes on', () => {
  it('takes what one that was never interrupted takes, and nothing twice', () => {
    const patternOf = (e: number): number => Math.floor(Math.sqrt(e)) % 70;
    const course = (sampler: PointSampler, from: number, to: number): number[] =>
      range(from, to).filter((e) => {
        const byChance = sampler.isByChance(e) && sampler.take(e);
        return sampler.takesByPattern(e, patternOf(e)) || byChance;
      });
    const whole = course(new PointSampler(3), 1, 3_000);
    const before = new PointSampler(3);
    const first = course(before, 1, 1_234);
    const state = JSON.parse(JSON.stringify(before.state())) as ReturnType<PointSampler['state']>;
    expect([...first, ...course(new PointSampler(3, undefined, state), 1_235, 3_000)]).toEqual(whole);
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(50);
  });
});
