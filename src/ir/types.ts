/**
 * The intermediate representation: typed SSA over lanes, one candidate per lane, structured control flow.
 *
 * A function maps one candidate `x` [n] to one f64. Python's own types (float, np.float64, int, bool, lists, arrays)
 * do not appear here: the front end resolves them into f64 and bool values and into `check` instructions that flag
 * the lanes whose result only CPython can give. Start reading with `ops.ts`; `interpreter.ts` defines the meaning.
 *
 * Values are numbered densely from 0; `IrFunction.types[id]` is the type of value `id`. A value is visible after its
 * definition, in the region that defines it and in all regions nested below.
 */
import type { IrType, OpName } from './ops.js';

export type ValueId = number;

/** A whole number that is the same on all lanes: `offset + sum of scale * index`, over indices of enclosing `for`s. */
export interface IndexForm {
  readonly offset: number;
  readonly terms: readonly IndexTerm[];
}

export interface IndexTerm {
  readonly index: ValueId;
  /** A whole number other than 0. An index has one term at most. */
  readonly scale: number;
}

/**
 * Arrays that `load` and `store` work on, by number. The candidate and tables are read-only. Elements of a local array
 * belong to the lane; before the first store they are unspecified. A function has at most one output array. Its final
 * elements are delivered besides the function's value, for lanes that are not flagged.
 */
export type IrArray =
  | { readonly kind: 'candidate' }
  | { readonly kind: 'table'; readonly values: Float64Array }
  | { readonly kind: 'local'; readonly length: number; readonly isOutput?: true };

/** One operation. `args` are value ids; `result` is -1 for operations without a result (`check`). */
export interface Instruction {
  readonly kind: 'op';
  readonly op: OpName;
  readonly args: readonly ValueId[];
  readonly result: ValueId;
  /**
   * `const`: the number; `x`: the coordinate index; `bconst`: 0 or 1; `check`: the LaneStatus; `load` and `store`: the
   * array; `select`: 1 where it states how far its second operand may be off (`IrBuilder.about`); `sin`, `cos`, `tan`:
   * 1 where the angle is known to be quick to reduce (`isAngleOp`); otherwise 0.
   */
  readonly imm: number;
  /** `load`, `store`: the element; `ordinal`: the value; others have none. */
  readonly at?: IndexForm;
  /** Source line (1-based); 0 where unknown. */
  readonly line: number;
}

export interface Region {
  readonly body: readonly IrNode[];
  readonly yields: readonly ValueId[];
}

/**
 * Runs `then` on lanes where `condition` holds and `otherwise` on the rest; `results[k]` is `yields[k]` of the region
 * that ran. Checks inside a region flag only lanes that run it. Both regions yield as many values, of equal types.
 */
export interface IfNode {
  readonly kind: 'if';
  readonly condition: ValueId;
  readonly then: Region;
  readonly otherwise: Region;
  readonly results: readonly ValueId[];
}

/**
 * Repeats `body` at least once. `params` start as `initial`; `body` yields `[again, ...next]`, `again` a bool: the
 * params become `next`, and the lane goes on while `again` holds. `results` are the last `next`. A lane that has run
 * the body `fuel` times and would go on is flagged `LaneStatus.FuelExhausted` and leaves the loop.
 */
export interface LoopNode {
  readonly kind: 'loop';
  readonly initial: readonly ValueId[];
  readonly params: readonly ValueId[];
  readonly body: Region;
  readonly results: readonly ValueId[];
  readonly fuel: number;
  readonly line: number;
}

/**
 * Runs `body` `count` times, not at all for a count below 1; `index` is 0, 1, ..., count - 1. `params` start as
 * `initial`; `body` yields their next values; `results` are the last. All lanes go through it together.
 */
export interface ForNode {
  readonly kind: 'for';
  readonly index: ValueId;
  readonly count: IndexForm;
  readonly initial: readonly ValueId[];
  readonly params: readonly ValueId[];
  readonly body: Region;
  readonly results: readonly ValueId[];
}

export type IrNode = Instruction | IfNode | LoopNode | ForNode;

export interface IrFunction {
  readonly name: string;
  /** Length `n` of a candidate. */
  readonly dimension: number;
  /** Yields exactly one f64: the objective value. */
  readonly body: Region;
  readonly types: readonly IrType[];
  readonly arrays: readonly IrArray[];
}

/**
 * Why a lane's value is not valid. 0 means valid; the first check that fires in program order decides. A flagged lane's
 * value is NaN whatever was computed. Codes are part of the native ABI (grep LANE STATUS).
 */
export const LaneStatus = {
  Ok: 0,
  ZeroDivision: 1,
  MathDomain: 2,
  Overflow: 3,
  /** A negative base with a fractional exponent: Python's result is complex. */
  ComplexResult: 4,
  /** An integer beyond 2^53 in magnitude: Python's int is exact, f64 is not. */
  IntegerRange: 5,
  IndexRange: 6,
  /** `int(nan)`, `int(inf)`, `round(nan)`. */
  IntegerConversion: 7,
  /** A `raise` or a failing `assert` was reached. */
  Raised: 8,
  FuelExhausted: 9,
  /** An argument beyond the range where the mathematics library holds its error bound. */
  ReductionRange: 10,
  /** A path that the compiler did not translate was reached. */
  Untranslated: 11,
} as const;
export type LaneStatus = (typeof LaneStatus)[keyof typeof LaneStatus];

/** The array whose elements `fn` delivers besides its value; null: none. */
export function outputArrayOf(
  fn: Pick<IrFunction, 'arrays'>,
): { readonly array: number; readonly length: number } | null {
  const array = fn.arrays.findIndex((info) => info.kind === 'local' && info.isOutput === true);
  const info = fn.arrays[array];
  return info?.kind === 'local' ? { array, length: info.length } : null;
}

/** Numbers that are delivered for a candidate: the value, then the elements of the output array. */
export const resultsOf = (fn: Pick<IrFunction, 'arrays'>): number => 1 + (outputArrayOf(fn)?.length ?? 0);
