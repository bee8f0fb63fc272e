import { describe, expect, it } from 'vitest';
import { monitoringRow } from '../../test/conformance/store-samples.js';
import { EMPTY_TRACE } from './monitoring.js';
import { BACKENDS } from '../backends/registry.js';
import { GPU_TIERS } from './run-task.js';
import { decodeTrace, encodeTrace, TRACED_TIERS } from './trace-bytes.js';

describe('the bytes of a trace', () => {
  it('are the trace again', () => {
    const unknown = { evaluations: null, tiers: null, threadCpuSeconds: null, threadMemoryBytes: null, checks: null };
    const rows = [
      monitoringRow({ at: 1_795_851_266_526, tiers: { cpython: 5, other: 2 }, pythonSeconds: 0.1 + 0.2 }),
      monitoringRow(unknown),
      monitoringRow({ tiers: {} }),
    ];
    expect(decodeTrace(encodeTrace({ intervalSeconds: 4, rows }))).toStrictEqual({ intervalSeconds: 4, rows });
    expect(decodeTrace(encodeTrace(EMPTY_TRACE))).toStrictEqual(EMPTY_TRACE);
  });

  it('have a place for each backend', () => {
    const tiers = BACKENDS.flatMap(({ name }) => (name === 'native' ? ['native_code', 'native_vm'] : [name]));
    expect(TRACED_TIERS).toEqual(expect.arrayContaining([...tiers, ...GPU_TIERS]));
  });

  it('are read as the first version wrote them, with fewer tiers', () => {
    const row = monitoringRow({ tiers: { cpython: 5, other: 2 } });
    const now = Array.from(new Float64Array(encodeTrace({ intervalSeconds: 4, rows: [row] }).buffer));
    const first = Float64Array.from([1, ...now.slice(1, now.length - 4)]);
    expect(decodeTrace(new Uint8Array(first.buffer))).toStrictEqual({ intervalSeconds: 4, rows: [row] });
  });

  it('are refused where they are cut or of another version', () => {
    const bytes = encodeTrace({ intervalSeconds: 1, rows: [monitoringRow()] });
    for (const length of [0, 8, 24, bytes.length - 8]) {
      expect(() => decodeTrace(bytes.subarray(0, length))).toThrow();
    }
    expect(() => decodeTrace(bytes.map((byte) => byte ^ 64))).toThrow('no monitoring trace');
  });
});
