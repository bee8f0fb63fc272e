/**
 * A monitoring trace as bytes: objects of 2,000 rows would take milliseconds of the event loop whenever they go to the thread
 * of a store. Little-endian f64: version, interval, number of rows; then the rows, a number for each column, NaN for null.
 */
import type { MonitoringRow, MonitoringTrace } from './monitoring.js';

const VERSION = 1;
const HEADER = 3;

/** Names of all tiers (`EvaluationUse.tiers`) of a service; the last one stands for any other. Part of the layout. */
export const TRACED_TIERS = [
  ...['native_code', 'native_vm', 'wasm', 'javascript', 'interpreter', 'cuda', 'cpython'],
  'other',
] as const;

const COLUMNS = [
  ...['at', 'seconds', 'attempt', 'evaluations', 'checks', 'threadCpuSeconds', 'serviceCpuSeconds'],
  ...['threadMemoryBytes', 'serviceMemoryBytes', 'queuedSeconds', 'pythonSeconds'],
] as readonly Exclude<keyof MonitoringRow, 'tiers'>[];
const WIDTH = COLUMNS.length + TRACED_TIERS.length;

export function encodeTrace({ intervalSeconds, rows }: MonitoringTrace): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * (HEADER + WIDTH * rows.length)));
  let place = 0;
  const put = (value: number | null): void => {
    view.setFloat64(8 * place++, value ?? NaN, true);
  };
  [VERSION, intervalSeconds, rows.length].forEach(put);
  for (const row of rows) {
    for (const column of COLUMNS) put(row[column]);
    for (const tier of TRACED_TIERS) put(row.tiers === null ? null : (row.tiers[tier] ?? 0));
  }
  return new Uint8Array(view.buffer);
}

/** @throws {Error} where these are no bytes of a trace */
export function decodeTrace(bytes: Uint8Array): MonitoringTrace {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let place = 0;
  const take = (): number => view.getFloat64(8 * place++, true);
  const [version, intervalSeconds, count] = [take(), take(), take()];
  if (version !== VERSION || bytes.byteLength !== 8 * (HEADER + WIDTH * count)) throw new Error('no monitoring trace');
  const rows = Array.from({ length: count }, () => {
    const row = Object.fromEntries(COLUMNS.map((column) => [column, known(take())]));
    const tiers = TRACED_TIERS.map((tier) => [tier, take()] as const);
    const isKnown = tiers.every(([, evaluations]) => !Number.isNaN(evaluations));
    const counted = Object.fromEntries(tiers.filter(([, evaluations]) => evaluations !== 0));
    return { ...row, tiers: isKnown ? counted : null } as MonitoringRow;
  });
  return { intervalSeconds, rows };
}

const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
