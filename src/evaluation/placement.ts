/**
 * Placement: which backend of this host evaluates a compiled objective, and why that one. The first backend of the
 * registry that works here and takes the objective is used, so that a new backend is a line there and nothing here. The
 * words for all that are in `placement-words.ts`.
 */
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backends/backend.js';
import { BACKENDS, type BackendRegistration } from '../backends/registry.js';
import { ExtremumError } from '../common/errors.js';
import type { IrFunction } from '../ir/types.js';
import { compiledReason, noBackendTakesIt } from './placement-words.js';

export interface PlacementRequest {
  /** Threads that one evaluation may use. */
  readonly threads: number;
  /** One shared cell: other than 0 ends native code. */
  readonly stop: Int32Array;
  /** Evaluations that the kernel is opened for; absent: not known. */
  readonly plannedEvaluations?: number;
  /** Absent: `exact`. */
  readonly math?: 'exact' | 'fast';
}

export interface Placement {
  readonly kernel: Kernel;
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
): Promise<Placement> {
  const { backend, kernel, reason } = await openFirst(objective, request, backends);
  const opened = [backend];
  return {
    kernel,
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
      for (const used of opened.splice(0)) await used.close();
    },
  };
}

interface Opened {
  readonly backend: Backend;
  readonly kernel: Kernel;
  readonly reason: string;
}

/** The kernel of the first backend that can be chosen; the others that were looked at are closed again. */
async function openFirst(
  objective: Objective,
  { threads, stop, plannedEvaluations, math = 'exact' }: PlacementRequest,
  backends: readonly BackendRegistration[],
): Promise<Opened> {
  const passedOver: string[] = [];
  for (const { name, create } of backends.filter((entry) => entry.input === 'ir')) {
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
    if (kernel !== null) return { backend, kernel, reason: compiledReason(name, passedOver) };
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
    if (error instanceof ExtremumError && error.code === 'backend_unavailable') return { refusal: error.message };
    throw error;
  }
}

/** Whether a backend works here, for `/v1/health`. `isOptional`: as in the registry. */
export type BackendProbe = { readonly name: string; readonly isOptional: boolean } & Availability;

/** Looks at every backend for compiled objectives. */
export async function probe(): Promise<readonly BackendProbe[]> {
  return Promise.all(
    BACKENDS.filter((entry) => entry.input === 'ir').map(async ({ name, isOptional = false, create }) => {
      const backend = create({ threads: 1 });
      const availability = await backend.probe();
      await backend.close();
      return { name, isOptional, ...availability };
    }),
  );
}
