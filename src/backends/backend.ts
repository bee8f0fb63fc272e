/**
 * The contract between whoever wants candidates evaluated and the places that can do it.
 *
 * Life cycle: `probe()` once (cheap, never throws: says whether the backend can work on this host and why not) ->
 * `open(objective)` once per run -> `kernel.evaluate(batch, output)` any number of times, one call at a time per
 * kernel -> `kernel.close()` -> `backend.close()`. Kernels of one backend are independent of each other.
 *
 * Ownership: the caller owns `batch.candidates` and the arrays of `output`; a kernel may read and write them only until
 * its promise settles and keeps no reference. `output` arrays are at least `batch.count` long; a kernel writes the
 * first `count` entries of `values`, `status` and, where given, `lines`, and replaces the content of `failures`. Of a
 * program with an output array, an entry of `values` is a row: the value and the outputs; of a source with several
 * `results`, they.
 *
 * After a rejected `evaluate` the kernel may be called again unless the error's code is `backend_lost`.
 */
import type { IrFunction } from '../ir/types.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { NativeCodeVerdict } from '../model/run-task.js';
import type { EvaluationFailure } from '../model/objective.js';
import type { ObjectiveSource, Sharing } from '../model/objective.js';

/** The objective that a backend is asked to open. `ir` is null when the source lies outside the compiled subset. */
export interface Objective {
  readonly source: ObjectiveSource;
  readonly dimension: number;
  readonly ir: IrFunction | null;
}

export interface EvaluationOutput {
  /** The objective's own value; NaN where `status` is not 0. */
  readonly values: Float64Array;
  /** IR backends: a `LaneStatus`. Python backends: 0, or `EVALUATION_FAILED` with an entry in `failures`. */
  readonly status: Uint8Array;
  /** IR backends: source line of the check that flagged the candidate; 0 where unknown or not flagged. */
  readonly lines?: Int32Array;
  /** Cleared by the kernel, then filled; `index` is the candidate's row. At most one entry per candidate. */
  readonly failures: (EvaluationFailure & { readonly index: number })[];
}

/** Status of a candidate whose evaluation by Python itself failed; details are in `failures`. */
export const EVALUATION_FAILED = 255;

export interface Kernel {
  /** Registry name of the backend, for the run record. */
  readonly backend: string;
  /** Human-readable device, e.g. `x86-64 avx512, 2 threads`. */
  readonly device: string;
  /** The way in which the last evaluations were run, where a backend has several; absent: the backend's name. */
  readonly tier?: string;
  /** Absent: this backend makes none. */
  readonly nativeCode?: NativeCodeVerdict;
  /** Absent: it is no matter of this backend, or not known yet. */
  readonly sharing?: Sharing;
  /** What a GPU has done for this kernel so far; absent: none does anything. */
  readonly gpu?: GpuUse;
  /** Why it evaluates where it does, as far as it chooses between places; absent or empty: it does not. */
  readonly reason?: string;
  evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface GpuUse {
  /** Backend of the device. */
  readonly backend: string;
  /** Candidates whose values came from there. */
  readonly evaluations: number;
  /** In which it worked, also in vain. */
  readonly seconds: number;
}

export interface BackendCapabilities {
  /** Needs `objective.ir`, or runs `objective.source` itself. */
  readonly input: 'ir' | 'python';
  /** Numbers that it computes with. Those of single precision are chosen only where somebody asks for them. */
  readonly precision: 'f64' | 'f32';
  /**
   * `exact`: equal in every bit to the interpreter. `fast`: products fused with sums at will, functions within 4 units
   * in the last place, bits that depend on the host. `python`: CPython's own result.
   */
  readonly arithmetic: 'exact' | 'fast' | 'python';
}

export type Availability =
  { readonly available: true; readonly device: string } | { readonly available: false; readonly reason: string };

export interface Backend {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  probe(): Promise<Availability>;
  /** Throws `ExtremumError` (`backend_unavailable`, or `objective_rejected` with the Python error). */
  open(objective: Objective): Promise<Kernel>;
  close(): Promise<void>;
}

/** `results`: numbers per candidate, the value and the program's outputs. */
export function createOutput(count: number, results = 1): EvaluationOutput {
  return {
    values: new Float64Array(count * results),
    status: new Uint8Array(count),
    lines: new Int32Array(count),
    failures: [],
  };
}
