/**
 * Devices beside the processor: how a run comes to one, and which there are. Nothing of a device is opened before a run
 * is long enough for it, or somebody asks.
 */
import type { Backend, Device, Kernel, Objective } from '../backends/backend.js';
import { BACKENDS, type BackendOptions, type BackendRegistration } from '../backends/registry.js';
import { ExtremumError } from '../common/errors.js';
import { measureProfile } from './device-profile.js';
import { DeviceProfiles } from './device-profiles.js';
import type { DeviceProfile } from './place-costs.js';
import type { DeviceAccess } from './placed-kernel.js';

/** What this process has measured. */
let profiles = new DeviceProfiles();

/** From now on this thread shares what is measured with whoever has the same memory. */
export function shareProfiles(memory: SharedArrayBuffer): void {
  profiles = new DeviceProfiles(memory);
}

/** The caller closes `backend`, after the kernel. */
export function deviceAccess(
  { name, create }: BackendRegistration,
  options: BackendOptions,
  objective: Objective,
): DeviceAccess & { readonly backend: Backend } {
  const backend = create(options);
  return {
    name,
    backend,
    profile: () => profiles.first,
    async open() {
      const kernel = await openOn(backend, objective);
      if (kernel === null) return null;
      try {
        return { kernel, profile: await profileOf(kernel, create) };
      } catch (error) {
        await kernel.close();
        throw error;
      }
    },
  };
}

/**
 * Null: there is no such device here.
 * @throws {ExtremumError} `backend_unavailable`: it does not work, or does not take the program.
 */
export async function openOn(backend: Backend, objective: Objective): Promise<Kernel | null> {
  const availability = await backend.probe();
  if (availability.available) return backend.open(objective);
  if (availability.isAbsent) return null;
  throw new ExtremumError('backend_unavailable', availability.reason);
}

const profileOf = (kernel: Kernel, create: BackendRegistration['create']): Promise<DeviceProfile> =>
  measuredOn(kernel.onDevice?.index ?? 0, create);

async function measuredOn(device: number, create: BackendRegistration['create']): Promise<DeviceProfile> {
  return profiles.measured(device, async () => {
    const backend = create({ device });
    try {
      return await measureProfile(backend);
    } finally {
      await backend.close();
    }
  });
}

/** A device and what was measured of it. */
export interface DeviceReport extends Device {
  readonly backend: string;
  /** Null: it was not measured. */
  readonly speed: DeviceSpeed | null;
}

export interface DeviceSpeed {
  /** From the call for one candidate to its value. */
  readonly launchSeconds: number;
  /** To the device and back, where many candidates go at once. */
  readonly bytesPerSecond: number;
  /** In double precision, all units of the device together. */
  readonly operationsPerSecond: number;
}

/** All devices of this host. `measures`: those that are ready and were not measured yet are, which takes a moment. */
export async function listDevices(measures: boolean): Promise<readonly DeviceReport[]> {
  const reports: DeviceReport[] = [];
  for (const { name, create, isSingle } of BACKENDS.filter(({ isDevice }) => isDevice === true)) {
    const backend = create({});
    try {
      for (const device of (await backend.devices?.()) ?? []) {
        // Profiles are of double precision, and decide about runs in it.
        const report = isSingle ? { ...device, speed: null } : await measuredReport(device, create, measures);
        reports.push({ ...report, backend: name });
      }
    } finally {
      await backend.close();
    }
  }
  return reports;
}

async function measuredReport(
  device: Device,
  create: BackendRegistration['create'],
  measures: boolean,
): Promise<Omit<DeviceReport, 'backend'>> {
  const known = profiles.of(device.index);
  if (known !== null || !measures || device.state !== 'ready') {
    return { ...device, speed: known === null ? null : speedOf(known) };
  }
  try {
    return { ...device, speed: speedOf(await measuredOn(device.index, create)) };
  } catch (error) {
    if (!(error instanceof ExtremumError)) throw error;
    const state = error.code === 'backend_lost' ? 'lost' : 'unusable';
    return { ...device, state, problem: error.message, speed: null };
  }
}

const speedOf = ({ launchSeconds, secondsPerByte, width, secondsPerOperation }: DeviceProfile): DeviceSpeed => ({
  launchSeconds,
  bytesPerSecond: 1 / secondsPerByte,
  operationsPerSecond: width / secondsPerOperation,
});
