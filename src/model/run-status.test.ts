import { describe, expect, it } from 'vitest';
import { endingAt } from './run-record.js';
import { finalStatus, whyNoValue } from './run-status.js';

const REASONS = ['budget', 'target', 'optimal', 'converged', 'stagnated', 'timeout'] as const;

describe('the status of a run', () => {
  it.each(REASONS)('is completed only with a value (%s)', (terminationReason) => {
    expect(finalStatus({ terminationReason, bestSolution: [1] })).toBe('completed');
    expect(finalStatus({ terminationReason, bestSolution: null })).toBe('failed');
  });

  it('is failed for a run that was cancelled or in error, whatever it found', () => {
    expect(finalStatus({ terminationReason: 'cancelled', bestSolution: [1] })).toBe('failed');
    expect(finalStatus({ terminationReason: 'error', bestSolution: [1] })).toBe('failed');
  });

  it('comes with the reason where there is no value', () => {
    const why = (terminationReason: (typeof REASONS)[number], evaluations: number) =>
      whyNoValue({ terminationReason, evaluations, bestSolution: null });
    expect(why('timeout', 0)).toBe('The time limit was reached before the first evaluation had ended.');
    expect(why('timeout', 7)).toBe('The time limit was reached, and none of 7 evaluations gave a finite value.');
    expect(why('budget', 1)).toBe('The one evaluation gave no finite value.');
    expect(whyNoValue({ terminationReason: 'budget', evaluations: 7, bestSolution: [0] })).toBeNull();
    expect(endingAt(null, 'timeout').error?.message).toMatch(/before the first evaluation/);
    expect(endingAt(null, 'cancelled').error).toBeUndefined();
  });
});
