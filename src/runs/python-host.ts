import type { Availability } from '../backends/backend.js';
import type { PythonAccess } from '../evaluation/kernels.js';
import type { InterpreterFacts } from '../model/interpreter-facts.js';
import type { ObjectiveSource, Statelessness } from '../model/objective.js';
import { NO_USE, type ProcessUse } from '../model/run-usage.js';
import type { VerificationGap } from '../model/verification.js';

/**
 * The CPython backend as run and function services see it: it lives in the main thread, which owns its processes, and a
 * worker thread reaches one kernel of it through a port of its own.
 */
export interface PythonHost {
  readonly availability: Availability;
  /** Words on each thing that the interpreter lacks, with the command that mends it, for people. */
  readonly notices: readonly string[];
  /** Minor version of Python 3 whose semantics new work gets: the interpreter's, or a default without one. */
  readonly pythonMinor: number;
  /** Facts about the modules that a source names, as the interpreter has them; null without one. Never rejects. */
  facts(code: string): Promise<InterpreterFacts | null>;
  /** Whether calls of a source that is not compiled are free of each other, and why. Never rejects. */
  judge(source: ObjectiveSource): Promise<Statelessness>;
  /** Processes at this moment. */
  counts(): { readonly busy: number; readonly spare: number; readonly checking: number };
  /** In force, after what the host allows; null where the backend is not available. */
  readonly limits: PythonLimits | null;
  /**
   * Offers a kernel for this objective. A process is taken when the thread first asks for an evaluation.
   */
  offer(source: ObjectiveSource, dimension: number, wanted: WantedOffer): PythonOffer;
}

interface WantedOffer {
  /** For the source's module level, if less than the limit. */
  readonly loadWithinMs?: number;
  /**
   * Whose process checks values: it stays a while for later checks of the same source and owner, and of nobody else.
   */
  readonly owner: string;
  /** The setting: whether values are checked. */
  readonly verify: boolean;
  /** Minor version of the run's Python: another interpreter says nothing about its values. */
  readonly pythonMinor: number;
  /** Compiled code misreads the source: CPython also decides by itself whether it takes a list or an array. */
  readonly isMisread: boolean;
}

/** Limits on what uploaded code may use. All but the last two hold for one process. */
export interface PythonLimits {
  readonly memoryBytes: number;
  /** The most that a function may ask for (`EvaluationLimits`). */
  readonly mostMemoryBytes: number;
  readonly cpuSeconds: number;
  /** Seconds for one call of the objective. */
  readonly evaluationSeconds: number;
  /** The most that a function may ask for. */
  readonly mostEvaluationSeconds: number;
  readonly loadSeconds: number;
  /** Texts in one answer. */
  readonly outputBytes: number;
  readonly processesPerRun: number;
  readonly spares: number;
}

interface PythonOffer {
  /** For the job; a port is handed over to the thread (`connectKernel`). */
  readonly access: PythonAccess;
  /** Why nobody checks values; null: `ConnectedKernel.checks` does. */
  readonly unchecked: VerificationGap | null;
  /**
   * Ends the kernel and its process. To be called when the job is done, however it ended: a thread that has gone to
   * sleep may close its end of the port much later. Resolves when they are gone, to what they used; never rejects.
   */
  withdraw(): Promise<OfferUse>;
  /** Seconds so far in which the thread waited for values: for a process, for its loading, for the evaluations. */
  waitedSeconds(): number;
}

export interface OfferUse extends ProcessUse {
  /** In which values were checked. */
  readonly checkSeconds: number;
}

export const NO_OFFER_USE: OfferUse = { ...NO_USE, checkSeconds: 0 };
