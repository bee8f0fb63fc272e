/**
 * A monitoring trace as bytes: objects of 2,000 rows would take milliseconds of the event loop whenever they go to the
 * thread of a store. Little-endian f64: version, interval, number of rows; then the rows, a number for each column, NaN
 * for null.
 */
import type { MonitoringRow, MonitoringTrace } from './monitoring.js';

const VERSION = 2;
const HEADER = 3;

const FIRST_TIERS = ['native_code', 'native_vm', 'wasm', 'javascript', 'interpreter', 'cuda', 'cpython', 'other'];
/** Names of all tiers (`EvaluationUse.tiers`) of a service; `other` stands for any other. Part of the layout. */
export const TRACED_TIERS = [...FIRST_TIERS, 'tfjs', 'tfjs-gpu', 'gpujs', 'gpujs-gpu'] as const;
const TIERS_OF_VERSION = new Map<number, readonly string[]>([
  [1, FIRST_TIERS],
  [VERSION, TRACED_TIERS],
]);

/** Beside the tiers. */
const COLUMNS = 11;
const WIDTH = COLUMNS + TRACED_TIERS.length;

export function encodeTrace({ intervalSeconds, rows }: MonitoringTrace): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * (HEADER + WIDTH * rows.length)));
  let place = 0;
  const put = (value: number | null): void => {
    view.setFloat64(8 * place++, value ?? NaN, true);
  };
  [VERSION, intervalSeconds, rows.length].forEach(put);
  for (const { tiers, ...row } of rows) {
    put(row.at);
    put(row.seconds);
    put(row.attempt);
    put(row.evaluations);
    put(row.checks);
    put(row.threadCpuSeconds);
    put(row.serviceCpuSeconds);
    put(row.threadMemoryBytes);
    put(row.serviceMemoryBytes);
    put(row.queuedSeconds);
    put(row.pythonSeconds);
    for (const tier of TRACED_TIERS) put(tiers === null ? null : (tiers[tier] ?? 0));
  }
  return new Uint8Array(view.buffer);
}

/** @throws {Error} where these are no bytes of a trace */
export function decodeTrace(bytes: Uint8Array): MonitoringTrace {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let place = 0;
  const take = (): number => view.getFloat64(8 * place++, true);
  const [version, intervalSeconds, count] = [take(), take(), take()];
  const traced = TIERS_OF_VERSION.get(version);
  if (traced === undefined || bytes.byteLength !== 8 * (HEADER + (COLUMNS + traced.length) * count)) {
    throw new Error('no monitoring trace');
  }
  const takeKnown = (): number | null => {
    const value = take();
    return Number.isNaN(value) ? null : value;
  };
  const takeTiers = (): MonitoringRow['tiers'] => {
    const tiers: Record<string, number> = {};
    let isKnown = true;
    for (const tier of traced) {
      const evaluations = take();
      if (Number.isNaN(evaluations)) isKnown = false;
      else if (evaluations !== 0) tiers[tier] = evaluations;
    }
    return isKnown ? tiers : null;
  };
  // In the order in which they were put.
  const rows = Array.from({ length: count }, (): MonitoringRow => ({
    at: take(),
    seconds: take(),
    attempt: take(),
    evaluations: takeKnown(),
    checks: takeKnown(),
    threadCpuSeconds: takeKnown(),
    serviceCpuSeconds: take(),
    threadMemoryBytes: takeKnown(),
    serviceMemoryBytes: take(),
    queuedSeconds: take(),
    pythonSeconds: take(),
    tiers: takeTiers(),
  }));
  return { intervalSeconds, rows };
}
