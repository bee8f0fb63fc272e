/**
 * Placement: which backend of this host evaluates a compiled objective, and why that one. The first backend of the
 * registry that works here and takes the objective is used, so that a new backend is a line there and nothing here. The
 * words for all that are in `placement-words.ts`.
 */
import type { Availability, BackendCapabilities, Kernel, Objective } from '../backends/backend.js';
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
  /** The caller closes it. */
  readonly kernel: Kernel;
  /** Why it is evaluated there: for the record of the run. */
  readonly reason: string;
  /** Opens a kernel for a program that was derived from the objective's; the caller closes it. */
  openOther(ir: IrFunction): Promise<Kernel>;
}

/** Precisions that a request for this arithmetic may get. No other is chosen unasked. */
const ACCEPTED: Readonly<Record<'exact' | 'fast', readonly BackendCapabilities['precision'][]>> = {
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
  const { threads, stop, plannedEvaluations, math = 'exact' } = request;
  const passedOver: string[] = [];
  for (const { name, create } of backends.filter((entry) => entry.input === 'ir')) {
    const backend = create({ threads, cancelFlag: stop, plannedEvaluations, math });
    if (!ACCEPTED[math].includes(backend.capabilities.precision)) continue;
    const availability = await backend.probe();
    if (!availability.available) {
      passedOver.push(`${name}: ${availability.reason}`);
      continue;
    }
    try {
      const kernel = await backend.open(objective);
      return {
        kernel,
        reason: compiledReason(name, passedOver),
        // In exact arithmetic also where values may be fast, because a reading is a fact about the program. The planned
        // evaluations are values; there may be few readings.
        openOther: async (ir) => {
          const other: PlacementRequest = { ...request, math: 'exact', plannedEvaluations: 0 };
          return (await place({ ...objective, dimension: ir.dimension, ir }, other, backends)).kernel;
        },
      };
    } catch (error) {
      if (!(error instanceof ExtremumError) || error.code !== 'backend_unavailable') throw error;
      passedOver.push(`${name}: ${error.message}`);
    }
  }
  throw new ExtremumError('backend_unavailable', noBackendTakesIt(passedOver));
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
