/**
 * Placement: which backend of this host evaluates a compiled objective, and why that one. The first backend of the
 * registry that works here and takes the objective is used, so that a new backend is a line there and nothing here. The
 * words for all that are in `placement-words.ts`.
 */
import { operationsOf } from '../analysis/operations.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backends/backend.js';
import { BACKENDS, type BackendRegistration } from '../backends/registry.js';
import { ExtremumError } from '../common/errors.js';
import { resultsOf, type IrFunction } from '../ir/types.js';
import { resultsIn, type Direction } from '../model/objective.js';
import { deviceAccess, openOn as openDevice } from './devices.js';
import { REAL_CLOCK, type Clock } from './clock.js';
import { mayOpenDevice, PlacedKernel } from './placed-kernel.js';
import {
  compiledReason,
  doubleInstead,
  GPU_NOT_WANTED,
  NO_DEVICE,
  noBackendTakesIt,
  SEVERAL_OBJECTIVES,
} from './placement-words.js';
import { SinglePrecisionKernel } from './single-precision-kernel.js';

export interface PlacementRequest {
  /** Threads that one evaluation may use. */
  readonly threads: number;
  /** One shared cell: other than 0 ends native code. */
  readonly stop: Int32Array;
  /** Evaluations that the kernel is opened for; absent: not known. */
  readonly plannedEvaluations?: number;
  /** Absent: `exact`. */
  readonly math?: 'exact' | 'fast';
  /** Whether a GPU may value candidates. Absent: it may not. */
  readonly gpu?: boolean;
  /** `f32`: a GPU is to value them, in single precision. Absent: `f64`. */
  readonly precision?: 'f64' | 'f32';
  /** Absent: `minimize`. */
  readonly direction?: Direction;
}

export interface Placement {
  readonly kernel: Kernel;
  /** The part of `kernel` on the processor: the same one where there is no other. */
  readonly processor: Kernel;
  /** Why it is evaluated there: for the record of the run. */
  readonly reason: string;
  /** Opens a kernel for a program that was derived from the objective's; the caller closes it, before `close`. */
  openOther(ir: IrFunction): Promise<Kernel>;
  /** Closes the kernel, and the backends of all kernels that were opened here. */
  close(): Promise<void>;
}

/** Kinds of arithmetic that a request for this one may get. No other is chosen unasked. */
const ACCEPTED: Readonly<Record<'exact' | 'fast', readonly BackendCapabilities['arithmetic'][]>> = {
  exact: ['exact'],
  fast: ['exact', 'fast'],
};

/**
 * The interpreter takes every objective, so that there is always a place.
 * @throws {ExtremumError} `backend_unavailable` where `backends` has none.
 */
export async function place(
  objective: Objective,
  request: PlacementRequest,
  backends: readonly BackendRegistration[] = BACKENDS,
  clock: Clock = REAL_CLOCK,
): Promise<Placement> {
  const first = await openFirst(objective, request, backends);
  const opened = [first.backend];
  const closeBackends = async (): Promise<void> => {
    for (const used of opened.splice(0)) await used.close();
  };
  let chosen: Chosen;
  try {
    chosen = await withDevice(first, objective, request, backends, clock, (backend) => opened.push(backend));
  } catch (error) {
    await first.kernel.close();
    await closeBackends();
    throw error;
  }
  const { kernel, reason } = chosen;
  return {
    kernel,
    processor: first.kernel,
    reason,
    // In exact arithmetic also where values may be fast, because a reading is a fact about the program. The planned
    // evaluations are values; there may be few readings.
    async openOther(ir) {
      const exact: PlacementRequest = { ...request, math: 'exact', plannedEvaluations: 0 };
      const other = await openFirst({ ...objective, dimension: ir.dimension, ir }, exact, backends);
      opened.push(other.backend);
      return other.kernel;
    },
    async close() {
      await kernel.close();
      await closeBackends();
    },
  };
}

interface Opened {
  readonly name: string;
  readonly backend: Backend;
  readonly kernel: Kernel;
  readonly reason: string;
  /** Names of the backends that could not be chosen, each with its reason. */
  readonly passedOver: readonly string[];
}

type Chosen = Pick<Opened, 'kernel' | 'reason'>;

/**
 * The kernel of the processor, or one that values candidates on a device, too, where the run permits it. `opened` gets
 * the device's backend.
 */
async function withDevice(
  first: Opened,
  objective: Objective,
  request: PlacementRequest,
  backends: readonly BackendRegistration[],
  clock: Clock,
  opened: (backend: Backend) => void,
): Promise<Chosen> {
  const { math = 'exact', precision = 'f64', gpu = false, stop, plannedEvaluations = 0 } = request;
  const { kernel, reason } = first;
  const { ir, dimension } = objective;
  const devices = gpu ? backends.filter(({ input, isDevice }) => input === 'ir' && isDevice === true) : [];
  const beside = compiledReason(first.name, first.passedOver, true);
  if (precision === 'f32') {
    const direction = request.direction ?? 'minimize';
    const refusals: string[] = gpu ? [] : [GPU_NOT_WANTED];
    for (const { create } of devices) {
      const single = create({ cancelFlag: stop, math, precision });
      opened(single);
      const there = await singlePrecision(single, objective);
      if (there === null) continue;
      if (typeof there !== 'string') {
        return { kernel: new SinglePrecisionKernel(kernel, there, direction), reason: beside };
      }
      refusals.push(there);
    }
    return { kernel, reason: `${reason}; ${doubleInstead(refusals.length === 0 ? [NO_DEVICE] : refusals)}` };
  }
  const device = devices.find(({ isSingle }) => isSingle !== true);
  // Fast mathematics has bits of its own in each place.
  if (device === undefined || ir === null || math === 'fast') return first;
  const program = { operations: operationsOf(ir), dimension, results: resultsOf(ir), plannedEvaluations };
  if (!mayOpenDevice(program)) return first;
  const access = deviceAccess(device, { cancelFlag: stop }, objective);
  opened(access.backend);
  return { kernel: new PlacedKernel(kernel, access, program, clock), reason: beside };
}

/** Failures of a device that the processor makes good. */
const LEFT_BY: ReadonlySet<string> = new Set(['backend_unavailable', 'backend_lost']);

/** A kernel on the device, or why there is none; null: the host was not made for it. */
async function singlePrecision(backend: Backend, objective: Objective): Promise<Kernel | string | null> {
  if (resultsIn(objective.source) > 1) return SEVERAL_OBJECTIVES;
  try {
    return await openDevice(backend, objective);
  } catch (error) {
    if (error instanceof ExtremumError && LEFT_BY.has(error.code)) return error.message;
    throw error;
  }
}

/** The kernel of the first backend that can be chosen; the others that were looked at are closed again. */
async function openFirst(
  objective: Objective,
  { threads, stop, plannedEvaluations, math = 'exact' }: PlacementRequest,
  backends: readonly BackendRegistration[],
): Promise<Opened> {
  const passedOver: string[] = [];
  for (const { name, create } of backends.filter(({ input, isDevice }) => input === 'ir' && isDevice !== true)) {
    const backend = create({ threads, cancelFlag: stop, plannedEvaluations, math });
    let kernel: Kernel | null = null;
    try {
      const { precision, arithmetic } = backend.capabilities;
      if (precision !== 'f64' || !ACCEPTED[math].includes(arithmetic)) continue;
      const opened = await openOn(backend, objective);
      if ('refusal' in opened) passedOver.push(`${name}: ${opened.refusal}`);
      else ({ kernel } = opened);
    } finally {
      if (kernel === null) await backend.close();
    }
    if (kernel !== null) return { name, backend, kernel, reason: compiledReason(name, passedOver), passedOver };
  }
  throw new ExtremumError('backend_unavailable', noBackendTakesIt(passedOver));
}

/** A kernel, or why the backend cannot work on this host or does not take the objective. */
async function openOn(
  backend: Backend,
  objective: Objective,
): Promise<{ readonly kernel: Kernel } | { readonly refusal: string }> {
  const availability = await backend.probe();
  if (!availability.available) return { refusal: availability.reason };
  try {
    return { kernel: await backend.open(objective) };
  } catch (error) {
    if (error instanceof ExtremumError && LEFT_BY.has(error.code)) return { refusal: error.message };
    throw error;
  }
}

/** Whether a backend works here, for `/v1/health`. `isOptional`: as in the registry. */
export type BackendProbe = { readonly name: string; readonly isOptional: boolean } & Availability;

/** Looks at every backend for compiled objectives. */
export const probe = (): Promise<readonly BackendProbe[]> => probeAll(BACKENDS.filter(({ input }) => input === 'ir'));

/** Looks at those with devices. */
export const probeDevices = (): Promise<readonly BackendProbe[]> =>
  probeAll(BACKENDS.filter(({ isDevice }) => isDevice));

async function probeAll(backends: readonly BackendRegistration[]): Promise<readonly BackendProbe[]> {
  return Promise.all(
    backends.map(async ({ name, isOptional = false, create }) => {
      const backend = create({ threads: 1 });
      const availability = await backend.probe();
      await backend.close();
      return { name, isOptional, ...availability };
    }),
  );
}
