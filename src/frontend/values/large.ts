/**
 * Large lists and arrays: a rule for their elements instead of cells.
 */
import type { ArrayId } from '../../ir/builder.js';
import type { IndexForm } from '../../ir/types.js';
import type { Scalar, ScalarKind, Value } from './values.js';

export type Element = (at: readonly IndexForm[]) => Scalar;

export interface Storage {
  readonly shape: readonly number[];
  readonly kind: ScalarKind;
  /** Changes when the storage becomes a local array, not what it gives. */
  element: Element;
  /** The local array that it is, in row-major order. */
  array: ArrayId | null;
  readonly born: number;
  /** Operations that an element takes. */
  readonly cost: number;
}

/** A list or array on (a part of) a storage: its own positions to those of the storage. */
export interface BulkView {
  readonly storage: Storage;
  readonly toBase: (at: readonly IndexForm[]) => readonly IndexForm[];
}

/** What can be run over: as many elements as a form says, each given by its position. */
export interface Elements {
  readonly count: IndexForm;
  readonly at: (position: IndexForm) => Value;
}
