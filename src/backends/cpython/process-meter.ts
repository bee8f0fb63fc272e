import { NO_USE, type ProcessUse } from '../../model/run-usage.js';

/** Adds up what the processes of one kernel have used; complete when the kernel is closed. */
export class ProcessMeter {
  private used = NO_USE;

  add({ cpuSeconds, peakBytes }: ProcessUse): void {
    const { cpuSeconds: before, peakBytes: largest } = this.used;
    this.used = { cpuSeconds: before + cpuSeconds, peakBytes: Math.max(largest, peakBytes) };
  }

  get use(): ProcessUse {
    return this.used;
  }
}
