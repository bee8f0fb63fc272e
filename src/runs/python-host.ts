import type { Availability } from '../backends/backend.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { PythonAccess } from './worker-protocol.js';

/**
 * The CPython backend as run and function services see it: it lives in the main thread, which owns its processes, and a
 * worker thread reaches one kernel of it through a port of its own.
 */
export interface PythonHost {
  readonly availability: Availability;
  /** Minor version of Python 3 whose semantics new work gets: the interpreter's, or a default without one. */
  readonly pythonMinor: number;
  /** Offers a kernel for this objective. A process is taken when the thread first asks for an evaluation. */
  offer(source: ObjectiveSource, dimension: number): PythonOffer;
}

export interface PythonOffer {
  /** For the job; a port is handed over to the thread (`connectKernel`). */
  readonly access: PythonAccess;
  /**
   * Ends the kernel and its process. To be called when the job is done, however it ended: a thread that has gone to
   * sleep may close its end of the port much later.
   */
  withdraw(): void;
}
