import { describe, expect, it } from 'vitest';
import { monitoringRow as row } from '../../test/conformance/store-samples.js';
import { EMPTY_TRACE, MAX_MONITORING_ROWS, type MonitoringTrace, placeOf, withRow } from './monitoring.js';

/** Rows of a second each, which come as late as a timer does. */
function traceOf(seconds: number, evaluations = (second: number): number => second): MonitoringTrace {
  let trace = EMPTY_TRACE;
  for (let second = 1; second <= seconds; second++) {
    trace = withRow(trace, row({ at: second * 1_001, seconds: 1.001, evaluations: evaluations(second) }));
  }
  return trace;
}

const sum = (values: readonly number[]): number => values.reduce((so, value) => so + value, 0);

describe('a monitoring trace', () => {
  it('has a row for each second while there are not too many', () => {
    const { rows, intervalSeconds } = traceOf(MAX_MONITORING_ROWS);
    expect(rows.map(({ at }) => at)).toEqual(Array.from({ length: MAX_MONITORING_ROWS }, (_, i) => (i + 1) * 1_001));
    expect(intervalSeconds).toBe(1);
  });

  it('has rows of equal length however long it grows, and loses nothing of their sums', () => {
    for (const seconds of [2_001, 2_002, 9_000]) {
      const { rows, intervalSeconds } = traceOf(seconds);
      expect(rows.length).toBeGreaterThan(MAX_MONITORING_ROWS / 2 - 1);
      expect(rows.length).toBeLessThanOrEqual(MAX_MONITORING_ROWS);
      for (const one of rows.slice(0, -1)) expect(Math.abs(one.seconds / intervalSeconds - 1)).toBeLessThan(0.01);
      expect(sum(rows.map(({ evaluations }) => evaluations ?? NaN))).toBe((seconds * (seconds + 1)) / 2);
      expect(sum(rows.map((one) => one.seconds))).toBeCloseTo(seconds * 1.001, 6);
      expect(rows.at(-1)?.at).toBe(seconds * 1_001);
    }
  });

  it('keeps a row that is longer than the interval as it is', () => {
    const { rows } = withRow(withRow(EMPTY_TRACE, row({ seconds: 7 })), row());
    expect(rows.map(({ seconds }) => seconds)).toEqual([7, 1]);
  });

  it('begins a row for each attempt', () => {
    const { rows } = withRow(withRow(EMPTY_TRACE, row({ seconds: 0.25 })), row({ seconds: 0.25, attempt: 2 }));
    expect(rows.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('joins rows by sums, the most memory, and null where a part of a sum is not known', () => {
    const half = { seconds: 0.25, serviceMemoryBytes: 5, queuedSeconds: 2, tiers: { wasm: 4 }, checks: 3 };
    const trace = withRow(EMPTY_TRACE, row({ ...half, threadMemoryBytes: null, threadCpuSeconds: null }));
    const { rows } = withRow(
      trace,
      row({ seconds: 0.25, at: 9, serviceMemoryBytes: 4, tiers: { wasm: 1, cpython: 2 } }),
    );
    expect(rows).toEqual([
      row({
        ...{ at: 9, seconds: 0.5, evaluations: 20, tiers: { wasm: 5, cpython: 2 }, checks: 3, queuedSeconds: 2 },
        ...{ threadCpuSeconds: null, serviceCpuSeconds: 1.5, threadMemoryBytes: 1_000, serviceMemoryBytes: 5 },
      }),
    ]);
  });

  it('names the place where most was valued', () => {
    expect(placeOf(row({ tiers: { wasm: 1, cpython: 2 } }))).toBe('cpython');
    expect(placeOf(row({ tiers: {} }))).toBeNull();
    expect(placeOf(row({ tiers: null }))).toBeNull();
  });
});
