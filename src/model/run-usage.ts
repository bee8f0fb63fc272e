/**
 * Resources that a run used, measured while it was carried out; the sum over all attempts. Absent in records of earlier
 * versions.
 */
export interface RunUsage {
  /** Processor time of the thread that carried it out, and of its helpers. */
  readonly threadCpuSeconds: number;
  /** Processor time of its CPython processes, as the kernel accounts for them. */
  readonly pythonCpuSeconds: number;
  readonly gpuSeconds: number;
  /**
   * Time in which CPython checked values beside the run; not part of the other figures. Absent in records of earlier
   * versions.
   */
  readonly checkSeconds?: number;
  /**
   * Heap and buffers of the thread (looked at when it reports, and at the end) plus the largest resident set of a
   * process.
   */
  readonly peakMemoryBytes: number;
}

export const NO_USAGE: RunUsage = {
  threadCpuSeconds: 0,
  pythonCpuSeconds: 0,
  gpuSeconds: 0,
  checkSeconds: 0,
  peakMemoryBytes: 0,
};

export const addUsage = (a: RunUsage, b: RunUsage): RunUsage => ({
  threadCpuSeconds: a.threadCpuSeconds + b.threadCpuSeconds,
  pythonCpuSeconds: a.pythonCpuSeconds + b.pythonCpuSeconds,
  gpuSeconds: a.gpuSeconds + b.gpuSeconds,
  checkSeconds: (a.checkSeconds ?? 0) + (b.checkSeconds ?? 0),
  peakMemoryBytes: Math.max(a.peakMemoryBytes, b.peakMemoryBytes),
});

/** Resources that processes used: processor time of all of them, and the largest resident set of one. */
export interface ProcessUse {
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

export const NO_USE: ProcessUse = { cpuSeconds: 0, peakBytes: 0 };
