/**
 * Entry of the front end: Python source in, what the service and the engine need out. Pure functions of their
 * arguments; safe to call in any thread.
 */
import type { IrFunction } from '../ir/types.js';
import type { ObjectiveSource } from '../model/objective.js';
import type { Diagnostic } from './diagnostic.js';

export interface UploadAnalysis {
  /** Findings that refuse the upload (`syntax`, `objective`); empty when it can be stored. */
  readonly errors: readonly Diagnostic[];
  /** How to call it; null when `errors` is not empty. */
  readonly source: ObjectiveSource | null;
  /** Whether it compiles for the dimensions that were tried. */
  readonly compiled: boolean;
  /** Why it needs CPython, in plain words; empty when it compiles. */
  readonly reasons: readonly Diagnostic[];
}

export interface CompileOptions {
  readonly dimension: number;
  /** Minor version of the Python 3 whose semantics are kept (`sum` changed in 3.12). */
  readonly pythonMinor: number;
}

export type CompileResult =
  | { readonly ir: IrFunction; readonly reasons: readonly [] }
  | { readonly ir: null; readonly reasons: readonly Diagnostic[] };

/** Checks an upload; `name` helps to find the objective among several functions. Takes under 50 ms. */
export declare function analyzeUpload(code: string, name: string): UploadAnalysis;

/** Compiles an accepted upload for one dimension. */
export declare function compileObjective(source: ObjectiveSource, options: CompileOptions): CompileResult;
