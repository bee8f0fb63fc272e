import type { ObjectiveSource, Statelessness } from './objective.js';
import type { Misreading } from './verification.js';
import type { ProgramFindings } from './program-structure.js';

/** Why a source is not compiled, at a place in it. Lines and columns are 1-based. */
export interface CompilationReason {
  /**
   * `unsupported`: outside the compiled subset; `limit`: larger than the compiler takes; `objective`: every evaluation
   * raises; `misread`: compiled, with other values than CPython's. Absent in records of earlier versions.
   */
  readonly kind?: 'syntax' | 'objective' | 'unsupported' | 'limit' | 'misread';
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A note on a source, at a place in it. Lines and columns are 1-based. */
export interface Note {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** An accepted upload. Times are epoch milliseconds. */
export interface FunctionRecord {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly language: string;
  readonly source: ObjectiveSource;
  /** SHA-256 of the source text's UTF-8 bytes, lowercase hex. */
  readonly sha256: string;
  readonly compilation: {
    readonly compiled: boolean;
    readonly reasons: readonly CompilationReason[];
    /** Things besides the source that its values depend on, at places in it. Absent in records of earlier versions. */
    readonly notes?: readonly Note[];
    /** Absent in records of earlier versions. */
    readonly stateless?: Statelessness;
  };
  /**
   * Numbers that it gives for the first number of variables that compiled; absent: not compiled, or of an earlier
   * version.
   */
  readonly objectives?: number;
  /**
   * Read at upload, for the first number of variables that compiled; absent: not compiled, or of an earlier version.
   */
  readonly analysis?: ProgramFindings;
  /**
   * `shapeOf` its text (src/frontend/syntax/shape.ts): the same for the same program with other data. Absent in records
   * of earlier versions.
   */
  readonly shape?: string;
  /**
   * Where compiled code was found to misread this text, in whatever function of the account. Absent: nobody found that.
   */
  readonly misread?: Misreading;
  readonly createdAt: number;
}
