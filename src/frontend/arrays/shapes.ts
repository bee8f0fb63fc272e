/**
 * Shapes, and the order of elements in them.
 */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import type { IndexForm } from '../../ir/types.js';

export const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Position in row-major order. */
export function linear(at: readonly IndexForm[], shape: readonly number[]): IndexForm {
  return at.reduce<IndexForm>((sum, form, k) => addForms(scaleForm(sum, shape[k]), form), constantForm(0));
}

/** Strides of an array whose elements lie in the order of their indices. */
export function rowMajor(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let k = shape.length - 1; k >= 0; k--) {
    strides[k] = step;
    step *= shape[k];
  }
  return strides;
}
