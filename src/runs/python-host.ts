import type { MessagePort } from 'node:worker_threads';
import type { Availability } from '../backends/backend.js';
import type { ObjectiveSource } from '../model/objective.js';

/**
 * The CPython backend as run and function services see it: it lives in the main thread, which owns its processes, and a
 * worker thread reaches one kernel of it through a port of its own.
 */
export interface PythonHost {
  readonly availability: Availability;
  /** Minor version of Python 3 whose semantics new work gets: the interpreter's, or a default without one. */
  readonly pythonMinor: number;
  /**
   * Offers a kernel for this objective; the port is handed to the thread (`connectKernel`). A process is taken when the
   * thread first asks for an evaluation, and ended when the port closes, also because the thread died.
   */
  offer(source: ObjectiveSource, dimension: number): MessagePort;
}
