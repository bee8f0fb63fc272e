/** How the parts are. */
import type { DeviceReport } from '../evaluation/devices.js';
import type { BackendProbe } from '../evaluation/placement.js';
import { PYTHON_BACKEND } from '../evaluation/placement-words.js';
import type { Jobs } from '../jobs/jobs.js';
import type { Store } from '../storage/store.js';
import type { PythonHost, PythonLimits } from './python-host.js';
import type { RunService } from './run-service.js';

export interface HealthParts {
  readonly version: string;
  readonly store: Store;
  readonly runs: RunService;
  readonly jobs: Pick<Jobs, 'trouble'>;
  readonly python: PythonHost;
  /** Has a worker thread look at the backends that work inside one. */
  probe(): Promise<readonly BackendProbe[]>;
  /** The devices beside the processor, as they are now. */
  devices(): Promise<readonly DeviceReport[]>;
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly version: string;
  readonly uptimeSeconds: number;
  /** Latency null: it does not answer. */
  readonly store: { readonly kind: string; readonly latencySeconds: number | null };
  readonly scheduler: { readonly kind: string; readonly queued: number; readonly running: number };
  readonly workers: { readonly total: number; readonly busy: number };
  /** Functions of all accounts that compiled code was found to misread. */
  readonly misread: { readonly functions: number };
  readonly backends: readonly BackendHealth[];
}

export type DeviceHealth = DeviceReport;

type BackendHealth = BackendProbe & {
  readonly limits?: PythonLimits;
  /** Absent: it works on the processor, or has none. */
  readonly devices?: readonly DeviceReport[];
  /** Words on what it lacks, and how to mend that. */
  readonly notice?: string;
};

export class HealthService {
  private readonly parts: HealthParts;
  private readonly startedAt = performance.now();
  private stopping = false;
  private misreadFunctions = 0;
  /** The last one that found everything, or is under way. */
  private probed: Promise<readonly BackendProbe[]> | null = null;
  private devices: readonly DeviceReport[] | null = null;
  private isLookingAtDevices = false;

  constructor(parts: HealthParts) {
    this.parts = parts;
  }

  /** From now on the service says that it is not ready, so that nobody sends it more. */
  beginShutdown(): void {
    this.stopping = true;
  }

  /** Null: ready. Otherwise why not. */
  async notReady(): Promise<string | null> {
    if (this.stopping) return 'the service is stopping';
    if ((await this.storeLatency()) === null) return 'the store cannot be read or written';
    return this.parts.jobs.trouble;
  }

  /**
   * `degraded` where the store does not answer, the scheduler does not reach it, or a backend is missing that a default
   * installation has.
   */
  async report(): Promise<HealthReport> {
    const { version, store, runs, jobs, python } = this.parts;
    const [latencySeconds, probed, functions] = await Promise.all([
      this.storeLatency(),
      this.backends(),
      this.misread(),
    ]);
    const { availability, limits, notices } = python;
    const cpython = {
      name: PYTHON_BACKEND,
      isOptional: false,
      ...availability,
      limits: limits ?? undefined,
      notice: notices.length > 0 ? notices.join('\n') : undefined,
    };
    const devices = await this.devicesOf(probed);
    const compiled = probed.map((backend) => {
      const own = devices.filter((device) => device.backend === backend.name);
      return own.length === 0 ? backend : { ...backend, devices: own };
    });
    const backends: BackendHealth[] = [...compiled, cpython];
    const { queued, running, threads } = runs.status();
    const works =
      latencySeconds !== null &&
      jobs.trouble === null &&
      backends.every(({ available, isOptional }) => available || isOptional);
    return {
      status: works ? 'ok' : 'degraded',
      version,
      uptimeSeconds: (performance.now() - this.startedAt) / 1000,
      store: { kind: store.kind, latencySeconds },
      scheduler: { kind: 'agenda', queued, running },
      workers: { total: threads, busy: running },
      misread: { functions },
      backends,
    };
  }

  /** What was missing is looked for again the next time: the addon may be built beside the service. */
  private async backends(): Promise<readonly BackendProbe[]> {
    const probed = (this.probed ??= this.parts.probe());
    let isWhole = false;
    try {
      const probes = await probed;
      isWhole = probes.every(({ available, isOptional }) => available || isOptional);
      return probes;
    } finally {
      if (!isWhole && this.probed === probed) this.probed = null;
    }
  }

  /**
   * Asked anew each time; after the first time nobody waits for the answer. Nothing is asked where no backend has any.
   */
  private async devicesOf(probed: readonly BackendProbe[]): Promise<readonly DeviceReport[]> {
    if (!probed.some(({ available, isOptional }) => available && isOptional)) return [];
    if (!this.isLookingAtDevices) {
      this.isLookingAtDevices = true;
      const asked = this.parts.devices().then(
        (found) => {
          this.devices = found;
        },
        () => {
          // What was known stays.
        },
      );
      const answered = asked.finally(() => (this.isLookingAtDevices = false));
      if (this.devices === null) await answered;
    }
    return this.devices ?? [];
  }

  /** The latest that is known where the store does not answer. */
  private async misread(): Promise<number> {
    try {
      this.misreadFunctions = await this.parts.store.countMisreadings();
    } catch {
      // Its latency says so.
    }
    return this.misreadFunctions;
  }

  private async storeLatency(): Promise<number | null> {
    const startedAt = performance.now();
    try {
      await this.parts.store.ping();
      return (performance.now() - startedAt) / 1000;
    } catch {
      return null;
    }
  }
}
