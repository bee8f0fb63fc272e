/**
 * Usage of the calling thread: one run at a time lives in a worker thread, so the difference between two looks is the
 * run's. Helpers of the engine (compiler threads, collection of garbage) belong to the process, not to a thread, and
 * are not counted.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Kernel } from '../backends/backend.js';
import type { RunUsage } from '../model/run-usage.js';

/** Linux: nanoseconds on a processor, of the thread that reads it. */
const ON_CPU = '/proc/thread-self/schedstat';

/**
 * Processor time of a thread of this process since its start; `thread`: its number in the operating system, absent: the
 * one that asks. Null: the host does not tell.
 */
export function threadCpuSeconds(thread?: number): number | null {
  try {
    const file = thread === undefined ? ON_CPU : `/proc/self/task/${thread}/schedstat`;
    const nanoseconds = Number(readFileSync(file, 'utf8').split(' ')[0]);
    return Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : null;
  } catch {
    return null;
  }
}

/** Elsewhere: the time in which its event loop did not wait. A thread that computes is on a processor as a rule. */
const cpuSeconds = (): number => threadCpuSeconds() ?? performance.eventLoopUtilization().active / 1e3;

/** Heap and buffers of the thread that asks. */
export function threadMemoryBytes(): number {
  const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

export class ThreadMeter {
  /** Whose GPU time counts. Null: none is used. */
  kernel: Pick<Kernel, 'gpu'> | null = null;
  private readonly begin = cpuSeconds();
  private peakBytes = 0;

  /** Since this meter was made. The memory is the most that was seen when somebody looked. */
  usage(): RunUsage {
    this.peakBytes = Math.max(this.peakBytes, threadMemoryBytes());
    const threadCpuSeconds = Math.max(0, cpuSeconds() - this.begin);
    const gpuSeconds = this.kernel?.gpu?.seconds ?? 0;
    return { threadCpuSeconds, pythonCpuSeconds: 0, gpuSeconds, peakMemoryBytes: this.peakBytes };
  }
}
