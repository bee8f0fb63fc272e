/**
 * What was measured of the devices of a process, for all its threads, which share nothing but memory. Loads no backend.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeviceProfile } from './place-costs.js';

const FIELDS = ['launchSeconds', 'secondsPerByte', 'width', 'secondsPerOperation', 'openSeconds'] as const;
/** Devices that are told apart; of others nothing is kept. */
const DEVICES = 64;
const UNKNOWN = 0;
const KNOWN = 1;
/** A thread that measures may be ended. */
const MEASURING_SECONDS = 10;
const LOOK_MS = 5;

/** Memory for the profiles of a process. */
export const newProfiles = (): SharedArrayBuffer => new SharedArrayBuffer(DEVICES * (4 + 8 * FIELDS.length));

/** Profiles by the number of the device. All objects on the same memory say the same. */
export class DeviceProfiles {
  /** `UNKNOWN`, `KNOWN`, or when somebody began to measure it, in seconds. */
  private readonly states: Int32Array;
  private readonly numbers: Float64Array;

  constructor(memory = newProfiles()) {
    this.states = new Int32Array(memory, 0, DEVICES);
    this.numbers = new Float64Array(memory, 4 * DEVICES);
  }

  /** Null: nobody has measured it yet. */
  of(device: number): DeviceProfile | null {
    if (device >= DEVICES || Atomics.load(this.states, device) !== KNOWN) return null;
    const at = device * FIELDS.length;
    return Object.fromEntries(FIELDS.map((name, k) => [name, this.numbers[at + k]])) as unknown as DeviceProfile;
  }

  /** Of the first device that was measured. */
  get first(): DeviceProfile | null {
    const device = this.states.findIndex((_, k) => Atomics.load(this.states, k) === KNOWN);
    return device < 0 ? null : this.of(device);
  }

  /** Measures it if nobody has; one thread at a time. */
  async measured(device: number, measure: () => Promise<DeviceProfile>): Promise<DeviceProfile> {
    if (device >= DEVICES) return measure();
    for (;;) {
      const known = this.of(device);
      if (known !== null) return known;
      const state = Atomics.load(this.states, device);
      const now = Math.floor(Date.now() / 1000) & 0x3fffffff;
      const isFree = state === UNKNOWN || now - state > MEASURING_SECONDS;
      if (!isFree || Atomics.compareExchange(this.states, device, state, now) !== state) {
        await sleep(LOOK_MS);
        continue;
      }
      try {
        const profile = await measure();
        FIELDS.forEach((name, k) => (this.numbers[device * FIELDS.length + k] = profile[name]));
        Atomics.store(this.states, device, KNOWN);
        return profile;
      } catch (error) {
        Atomics.store(this.states, device, UNKNOWN);
        throw error;
      }
    }
  }
}
