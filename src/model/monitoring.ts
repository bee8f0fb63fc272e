/**
 * The monitoring trace of a run: what was measured while a process carried it out, second by second. Rows are thinned
 * by joining neighbours, so that sums over a trace stay what they were, however long the run lasts.
 */
import type { Preset } from './intelligence.js';

/** The presets whose runs keep a trace. */
const MONITORED: readonly Preset[] = ['enterprise'];

export const isMonitored = ({ preset }: { readonly preset: Preset }): boolean => MONITORED.includes(preset);

/** A trace has no more rows. */
export const MAX_MONITORING_ROWS = 2_000;

/** Sums are over the seconds of the row. Null: not known; a sum of which a part is not known is not known. */
export interface MonitoringRow {
  /** End of the row, epoch milliseconds. */
  readonly at: number;
  /** How long it lasted, by a monotonic clock. */
  readonly seconds: number;
  /** The attempt at the run that it belongs to. */
  readonly attempt: number;
  /**
   * Counted when their batch was done. Null: the run solves a problem, and solvers tell only what they have improved.
   */
  readonly evaluations: number | null;
  /** Candidates by what valued them (`EvaluationUse.tiers`); null as above. */
  readonly tiers: Readonly<Record<string, number>> | null;
  /** Processor time of the thread that carries out the run. */
  readonly threadCpuSeconds: number | null;
  /** Processor time of the whole service process, with all of its threads. */
  readonly serviceCpuSeconds: number;
  /** Heap and buffers of the thread: the most that was seen. */
  readonly threadMemoryBytes: number | null;
  /** Resident set of the whole service process: the most that was seen. */
  readonly serviceMemoryBytes: number;
  /** Before this row, in the queue: from the request to the first attempt. */
  readonly queuedSeconds: number;
  /** In which the run waited for CPython: for a process, for its loading, for values. */
  readonly pythonSeconds: number;
  /** Values of compiled code that CPython confirmed; null as of `evaluations`. */
  readonly checks: number | null;
}

export interface MonitoringTrace {
  /** How long a row is to be: 1, doubled whenever there were too many. */
  readonly intervalSeconds: number;
  /** Oldest first. */
  readonly rows: readonly MonitoringRow[];
}

export const EMPTY_TRACE: MonitoringTrace = { intervalSeconds: 1, rows: [] };

/**
 * The trace with one more row. It joins the last one while that is of the same attempt and shorter than the interval;
 * when there are too many rows, each two neighbours become one and the interval doubles.
 */
export function withRow({ intervalSeconds, rows }: MonitoringTrace, row: MonitoringRow): MonitoringTrace {
  const last = rows.at(-1);
  // Half of the new row: samples come a little late, never exactly at their second.
  const isOpen =
    last !== undefined && last.attempt === row.attempt && last.seconds + row.seconds / 2 <= intervalSeconds;
  const grown = isOpen ? [...rows.slice(0, -1), joined(last, row)] : [...rows, row];
  if (grown.length <= MAX_MONITORING_ROWS) return { intervalSeconds, rows: grown };
  return { intervalSeconds: 2 * intervalSeconds, rows: inPairs(grown) };
}

function inPairs(rows: readonly MonitoringRow[]): MonitoringRow[] {
  const halved: MonitoringRow[] = [];
  for (let i = 0; i < rows.length; i += 2) {
    const second = rows[i + 1];
    halved.push(second === undefined ? rows[i] : joined(rows[i], second));
  }
  return halved;
}

const sumOf = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** `first`, then `second`. */
function joined(first: MonitoringRow, second: MonitoringRow): MonitoringRow {
  const memory = Math.max(first.threadMemoryBytes ?? 0, second.threadMemoryBytes ?? 0);
  return {
    at: second.at,
    seconds: first.seconds + second.seconds,
    attempt: second.attempt,
    evaluations: sumOf(first.evaluations, second.evaluations),
    tiers: first.tiers === null || second.tiers === null ? null : sumOfTiers(first.tiers, second.tiers),
    threadCpuSeconds: sumOf(first.threadCpuSeconds, second.threadCpuSeconds),
    serviceCpuSeconds: first.serviceCpuSeconds + second.serviceCpuSeconds,
    threadMemoryBytes: memory === 0 ? null : memory,
    serviceMemoryBytes: Math.max(first.serviceMemoryBytes, second.serviceMemoryBytes),
    queuedSeconds: first.queuedSeconds + second.queuedSeconds,
    pythonSeconds: first.pythonSeconds + second.pythonSeconds,
    checks: sumOf(first.checks, second.checks),
  };
}

type Tiers = NonNullable<MonitoringRow['tiers']>;

function sumOfTiers(first: Tiers, second: Tiers): Tiers {
  const sum: Record<string, number> = { ...first };
  for (const [tier, count] of Object.entries(second)) sum[tier] = (sum[tier] ?? 0) + count;
  return sum;
}

/** Where most candidates of a row were valued; null: nothing was valued, or it is not known. */
export function placeOf({ tiers }: MonitoringRow): string | null {
  let place: string | null = null;
  for (const [tier, count] of Object.entries(tiers ?? {})) {
    if (count > 0 && count > (place === null ? 0 : (tiers?.[place] ?? 0))) place = tier;
  }
  return place;
}
