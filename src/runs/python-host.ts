import type { Availability } from '../backends/backend.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { ProcessUse } from '../model/run-usage.js';
import type { PythonAccess } from './worker-protocol.js';

/**
 * The CPython backend as run and function services see it: it lives in the main thread, which owns its processes, and a
 * worker thread reaches one kernel of it through a port of its own.
 */
export interface PythonHost {
  readonly availability: Availability;
  /** Minor version of Python 3 whose semantics new work gets: the interpreter's, or a default without one. */
  readonly pythonMinor: number;
  /** Processes at this moment. */
  counts(): { readonly busy: number; readonly spare: number };
  /** In force, after what the host allows; null where the backend is not available. */
  readonly limits: PythonLimits | null;
  /**
   * Offers a kernel for this objective. A process is taken when the thread first asks for an evaluation. `loadWithinMs`:
   * for the source's module level, if less than the limit.
   */
  offer(source: ObjectiveSource, dimension: number, loadWithinMs?: number): PythonOffer;
}

/** What uploaded code may use. All but the last two hold for one process. */
export interface PythonLimits {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  /** Of one call of the objective. */
  readonly evaluationSeconds: number;
  readonly loadSeconds: number;
  /** Texts in one answer. */
  readonly outputBytes: number;
  readonly processesPerRun: number;
  readonly spares: number;
}

export interface PythonOffer {
  /** For the job; a port is handed over to the thread (`connectKernel`). */
  readonly access: PythonAccess;
  /**
   * Ends the kernel and its process. To be called when the job is done, however it ended: a thread that has gone to
   * sleep may close its end of the port much later. Resolves when they are gone, to what they used; never rejects.
   */
  withdraw(): Promise<ProcessUse>;
}
