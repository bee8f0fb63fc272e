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
import { alignedFloats } from '../common/aligned.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { PopulationProgram, ResidentPopulation } from '../model/resident-population.js';
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
  /**
   * IR backends: a `LaneStatus`, those of single precision also `UNDECIDED`. Python backends: 0, or `EVALUATION_FAILED`
   * with an entry in `failures`.
   */
  readonly status: Uint8Array;
  /** IR backends: source line of the check that flagged the candidate; 0 where unknown or not flagged. */
  readonly lines?: Int32Array;
  /** Cleared by the kernel, then filled; `index` is the candidate's row. At most one entry per candidate. */
  readonly failures: (EvaluationFailure & { readonly index: number })[];
}

/** Status of a candidate whose evaluation by Python itself failed; details are in `failures`. */
export const EVALUATION_FAILED = 255;

/** Status of a candidate of which only double precision can tell value and status. */
export const UNDECIDED = 254;

/** No value of `approximate` arithmetic is farther from the interpreter's, relative to itself. */
export const RELATIVE_ERROR = 2 ** -10;

/** Results of candidates in single precision, and bounds of their errors, both [count, results]. */
export interface Approximation {
  readonly values: Float64Array;
  readonly errors: Float64Array;
}

/** Whether `value` is as near to `exact` as `error` says; where that is infinite or no number, nothing is said. */
export const isWithin = (value: number, error: number, exact: number): boolean =>
  !(error < Infinity) || Number.isNaN(value) || Object.is(value, exact) || Math.abs(value - exact) <= error;

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
  /** What a GPU has done for this kernel so far, or what takes its place; absent: nothing does anything. */
  readonly gpu?: GpuUse;
  /** Why it evaluates where it does, as far as it chooses between places; absent or empty: it does not. */
  readonly reason?: string;
  /** The device that it works on; absent: the processor. */
  readonly onDevice?: DevicePlace;
  evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void>;
  /**
   * Values with their bounds, also of candidates that do not count, for a judge of these bounds; at most some thousands
   * at once. Absent: it is not `approximate`.
   */
  approximate?(batch: CandidateBatch): Promise<Approximation>;
  /**
   * A population whose generations stay on its device, with this kernel's bits; the caller closes it, before the
   * kernel. `gradient`: the program's gradient, where the population reads it. Null: not of this program, or not now.
   * Absent: it has no device.
   * @throws {ExtremumError} `backend_unavailable`, `backend_lost`: the device does not do it.
   */
  populationOnDevice?(program: PopulationProgram, gradient: IrFunction | null): Promise<ResidentPopulation | null>;
  close(): Promise<void>;
}

export interface GpuUse {
  /** Backend of the device, or the tier of it that evaluated. */
  readonly backend: string;
  /** Candidates whose values came from there. */
  readonly evaluations: number;
  /** In which it worked, also in vain. */
  readonly seconds: number;
}

export interface DevicePlace {
  /** Number of the device in its backend. */
  readonly index: number;
  /** Candidates that it evaluates at once. */
  readonly width: number;
}

/** A device of a backend, as it is at the moment. */
export interface Device {
  readonly index: number;
  readonly name: string;
  /** `lost`: it worked before. */
  readonly state: 'ready' | 'unusable' | 'lost';
  /** Why it is not ready; null: it is. */
  readonly problem: string | null;
}

export interface BackendCapabilities {
  /** Needs `objective.ir`, or runs `objective.source` itself. */
  readonly input: 'ir' | 'python';
  /** Numbers that it computes with. Those of single precision are chosen only where somebody asks for them. */
  readonly precision: 'f64' | 'f32';
  /**
   * `exact`: equal in every bit to the interpreter. `fast`: products fused with sums at will, functions within 4 units
   * in the last place, bits that depend on the host. `approximate`: within `RELATIVE_ERROR` of the interpreter's, or
   * `UNDECIDED` (`single-precision/`). `python`: CPython's own result.
   */
  readonly arithmetic: 'exact' | 'fast' | 'approximate' | 'python';
}

export type Availability =
  | { readonly available: true; readonly device: string }
  | {
      readonly available: false;
      readonly reason: string;
      /** This host was not made for it, so that nobody will miss it. Absent: something is there that does not work. */
      readonly isAbsent?: true;
    };

export interface Backend {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  probe(): Promise<Availability>;
  /** Its devices, usable or not; empty where `probe` says that it cannot work. Absent: it works on the processor. */
  devices?(): Promise<readonly Device[]>;
  /** Throws `ExtremumError` (`backend_unavailable`, or `objective_rejected` with the Python error). */
  open(objective: Objective): Promise<Kernel>;
  close(): Promise<void>;
}

/** `results`: numbers per candidate, the value and the program's outputs. */
export function createOutput(count: number, results = 1): EvaluationOutput {
  return { values: alignedFloats(count * results), status: new Uint8Array(count), failures: [] };
}

/** One that also takes source lines. */
export function createOutputWithLines(count: number, results = 1) {
  return { ...createOutput(count, results), lines: new Int32Array(count) };
}
