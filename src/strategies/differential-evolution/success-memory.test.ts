import { describe, expect, it } from 'vitest';
import { SuccessMemory, TERMINAL } from './success-memory.js';

const first = { differentialWeight: 0.4, crossoverRate: 0.6 };

describe('success memory', () => {
  it('takes the weighted Lehmer mean of the successes, and half of the old entry', () => {
    const memory = new SuccessMemory(3, first);
    memory.learn(Float64Array.of(0.2, 0.8), Float64Array.of(0.5, 1), Float64Array.of(1, 3), 2);
    // (0.25 0.04 + 0.75 0.64) / (0.25 0.2 + 0.75 0.8) = 0.49 / 0.65; (0.0625 + 0.75) / (0.125 + 0.75)
    expect(memory.differentialWeights[0]).toBeCloseTo(0.5 * (0.4 + 0.49 / 0.65), 14);
    expect(memory.crossoverRates[0]).toBeCloseTo(0.5 * (0.6 + 0.8125 / 0.875), 14);
    expect([...memory.differentialWeights.subarray(1)]).toEqual([0.4, 0.4]);
  });

  it('replaces its entries in turn, and none without a success', () => {
    const memory = new SuccessMemory(2, first);
    const one = Float64Array.of(0.4);
    memory.learn(one, one, one, 0);
    expect([...memory.crossoverRates]).toEqual([0.6, 0.6]);
    for (const expected of [
      [0.5, 0.6],
      [0.5, 0.5],
      [0.45, 0.5],
    ]) {
      memory.learn(one, one, Float64Array.of(2), 1);
      memory.crossoverRates.forEach((rate, k) => expect(rate).toBeCloseTo(expected[k], 14));
    }
  });

  it('keeps the terminal value once only single coordinates worked', () => {
    const memory = new SuccessMemory(1, first);
    const one = Float64Array.of(1);
    memory.learn(one, Float64Array.of(0), one, 1);
    expect(memory.crossoverRates[0]).toBe(TERMINAL);
    memory.learn(one, Float64Array.of(0.9), one, 1);
    expect(memory.crossoverRates[0]).toBe(TERMINAL);
  });

  it('stays finite when failed parents were replaced and when differences overflow', () => {
    const memory = new SuccessMemory(1, first);
    memory.learn(Float64Array.of(0.5, 0.5), Float64Array.of(0.5, 0.5), Float64Array.of(Infinity, Infinity), 2);
    memory.learn(Float64Array.of(0.5, 0.5), Float64Array.of(0.5, 0.5), Float64Array.of(1e308, 1e308), 2);
    memory.learn(Float64Array.of(0.5, 0.5), Float64Array.of(0.5, 0.5), Float64Array.of(5e-324, Infinity), 2);
    expect(memory.differentialWeights[0]).toBeGreaterThan(0.4);
    expect(memory.differentialWeights[0]).toBeLessThan(0.5);
  });

  it('goes on from a snapshot', () => {
    const memory = new SuccessMemory(2, first);
    const values = Float64Array.of(0.3);
    memory.learn(values, values, values, 1);
    const copy = new SuccessMemory(2, first, memory.snapshot());
    memory.learn(values, values, values, 1);
    copy.learn(values, values, values, 1);
    expect(copy).toEqual(memory);
  });
});
