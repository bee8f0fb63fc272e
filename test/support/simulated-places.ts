/**
 * A processor and a device on a virtual clock, for tests of placement. The processor's work moves the clock; the device
 * works beside it, and what it has done is heard at the next turn. Nothing depends on real time.
 */
import type { EvaluationOutput, Kernel } from '../../src/backends/backend.js';
import type { DeviceProfile } from '../../src/evaluation/place-costs.js';
import type { Clock } from '../../src/evaluation/clock.js';
import type { DeviceAccess } from '../../src/evaluation/placed-kernel.js';
import type { CandidateBatch } from '../../src/model/candidate-batch.js';

/** Seconds of one turn of the event loop. */
const TURN = 3e-6;

interface Event {
  readonly at: number;
  readonly happen: () => void;
}

export class VirtualClock implements Clock {
  time = 0;
  private readonly events: Event[] = [];

  now(): number {
    return this.time;
  }

  async turn(): Promise<void> {
    this.time += TURN;
    for (let next = this.due(this.time); next !== null; next = this.due(this.time)) next.happen();
    // Whoever waited for them hears of it now.
    for (let k = 0; k < 10; k++) await Promise.resolve();
  }

  /** Resolves after `seconds`; when nobody works any more, time passes by itself. */
  after(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.events.push({ at: this.time + seconds, happen: resolve });
      this.events.sort((a, b) => a.at - b.at);
      setImmediate(() => {
        const next = this.due(Infinity);
        if (next === null) return;
        this.time = Math.max(this.time, next.at);
        next.happen();
      });
    });
  }

  get isBusy(): boolean {
    return this.events.length > 0;
  }

  private due(time: number): Event | null {
    return this.events.length > 0 && this.events[0].at <= time ? this.events.shift()! : null;
  }
}

export interface Place {
  /** Seconds that a batch takes there, at the moment. */
  seconds(count: number): number;
  /** Absent: no values are written. */
  evaluate?(batch: CandidateBatch, output: EvaluationOutput): void;
}

export class SimulatedKernel implements Kernel {
  readonly device: string;
  /** Candidates of all calls. */
  evaluations = 0;
  isClosed = false;
  /** Thrown by the next calls. */
  failures: Error[] = [];
  calls: number[] = [];

  constructor(
    readonly backend: string,
    private readonly clock: VirtualClock,
    private readonly place: Place,
    /** Works beside the processor. */
    private readonly isApart: boolean,
  ) {
    this.device = `simulated ${backend}`;
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    if (this.isClosed) throw new Error('evaluated after it was closed');
    output.failures.length = 0;
    const seconds = this.place.seconds(batch.count);
    if (this.isApart) await this.clock.after(seconds);
    else this.clock.time += seconds;
    const failure = this.failures.shift();
    if (failure !== undefined) {
      output.values.fill(-1);
      throw failure;
    }
    this.evaluations += batch.count;
    this.calls.push(batch.count);
    this.place.evaluate?.(batch, output);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** A device that is there after `openSeconds`. `known`: what was measured of it before. */
export function simulatedDevice(
  clock: VirtualClock,
  kernel: Kernel,
  openSeconds: number,
  profile: DeviceProfile,
  known: DeviceProfile | null = profile,
): DeviceAccess {
  return {
    name: kernel.backend,
    profile: () => known,
    async open() {
      await clock.after(openSeconds);
      return { kernel, profile };
    },
  };
}
