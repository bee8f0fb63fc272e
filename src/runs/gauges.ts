/**
 * Figures that the thread of a run shows to the main thread while it works. They are in shared memory, because a thread
 * that computes for long answers no question. The thread writes, the main thread reads; each figure is whole by itself.
 */
import { readlinkSync } from 'node:fs';
import type { RunCounts } from '../engine/ports.js';
import { TRACED_TIERS as TIERS } from '../model/trace-bytes.js';
import { threadCpuSeconds, threadMemoryBytes } from './thread-meter.js';

const PLACE_OF = new Map<string, number>(TIERS.map((tier, place) => [tier, place]));
const OTHER = TIERS.indexOf('other');
const CELLS = { thread: 0, cpuNanos: 1, memoryBytes: 2, evaluations: 3, checks: 4, tiers: 5 } as const;

/** To be handed to the thread with its job. */
export type Gauges = BigInt64Array;

export const newGauges = (): Gauges => new BigInt64Array(new SharedArrayBuffer(8 * (CELLS.tiers + TIERS.length)));

/** In the thread of the run. */
export class GaugeWriter {
  private readonly gauges: Gauges;
  private begin: RunCounts | null = null;

  constructor(gauges: Gauges) {
    this.gauges = gauges;
    const cpu = threadCpuSeconds();
    const thread = ownThread();
    if (cpu === null || thread === null) return;
    this.set(CELLS.cpuNanos, Math.round(cpu * 1e9));
    // Last: whoever sees the thread sees what it had used before.
    this.set(CELLS.thread, thread);
  }

  /** What the first call tells was counted before this attempt. */
  count(counts: RunCounts): void {
    this.begin ??= counts;
    const { evaluations, confirmed, tiers } = this.begin;
    this.set(CELLS.memoryBytes, threadMemoryBytes());
    this.set(CELLS.evaluations, counts.evaluations - evaluations);
    this.set(CELLS.checks, counts.confirmed - confirmed);
    let rest = 0;
    for (const [tier, count] of Object.entries(counts.tiers)) {
      const own = count - (tiers[tier] ?? 0);
      const place = PLACE_OF.get(tier);
      if (place === undefined) rest += own;
      else this.set(CELLS.tiers + place, own);
    }
    if (rest > 0) this.set(CELLS.tiers + OTHER, rest);
  }

  private set(cell: number, value: number): void {
    Atomics.store(this.gauges, cell, BigInt(value));
  }
}

/** Since the attempt began. */
export interface GaugeReading {
  readonly evaluations: number;
  readonly tiers: Readonly<Record<string, number>>;
  readonly checks: number;
  /** Null: not looked at yet. */
  readonly memoryBytes: number | null;
  /** The thread's number in the operating system, and its processor time before; null: not known. */
  readonly thread: { readonly id: number; readonly cpuSecondsBefore: number } | null;
}

export function readGauges(gauges: Gauges): GaugeReading {
  const at = (cell: number): number => Number(Atomics.load(gauges, cell));
  const tiers = TIERS.map((tier, place) => [tier, at(CELLS.tiers + place)] as const).filter(([, count]) => count > 0);
  const id = at(CELLS.thread);
  return {
    evaluations: at(CELLS.evaluations),
    tiers: Object.fromEntries(tiers),
    checks: at(CELLS.checks),
    memoryBytes: at(CELLS.memoryBytes) || null,
    thread: id === 0 ? null : { id, cpuSecondsBefore: at(CELLS.cpuNanos) / 1e9 },
  };
}

/** Linux: `<process>/task/<thread>`. */
function ownThread(): number | null {
  try {
    const number = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isInteger(number) ? number : null;
  } catch {
    return null;
  }
}
