/**
 * Shapes, and the order of elements in them.
 */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import type { IndexForm } from '../../ir/types.js';
import type { ArrayKind, NdArray, Scalar, Value } from '../values/values.js';

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

/** Steps to go over an array; one without elements may have many empty rows. */
export const extent = (shape: readonly number[]): number => shape.reduce((a, b) => a * Math.max(1, b), 1);

export const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** `[:]` along an axis. */
export const ALL: Value = { tag: 'slice', lower: null, upper: null, step: null };

/** Complex numbers that NumPy adds side by side; of real ones it adds twice as many. */
export const COMPLEX_WIDTH = 4;

/** NumPy's own limit. */
export const MAX_RANK = 32;

export function isRowMajor({ shape, strides, cells }: NdArray): boolean {
  if (cells.length === 0) return true;
  const expected = rowMajor(shape);
  return shape.every((n, k) => n === 1 || strides[k] === expected[k]);
}

/**
 * Axes longer than one from the outermost to the innermost loop, as NumPy's iterators nest them: by falling strides, in
 * the order of the indices where operands do not agree. A stride of zero says nothing.
 */
export function axisOrder(operands: readonly (readonly number[])[], shape: readonly number[]): number[] {
  const order: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] === 1) continue;
    // `order` is innermost first; the axis moves inwards past those of larger strides.
    let place = order.length;
    for (let k = order.length - 1; k >= 0; k--) {
      const verdicts = operands
        .filter((strides) => strides[axis] !== 0 && strides[order[k]] !== 0)
        .map((strides) => Math.abs(strides[order[k]]) > Math.abs(strides[axis]));
      if (verdicts.length === 0) continue;
      if (!verdicts.every((isLarger) => isLarger)) break;
      place = k;
    }
    order.splice(place, 0, axis);
  }
  return order.reverse();
}

export function inMemoryOrder({ shape, strides }: NdArray, items: readonly Scalar[]): Scalar[] {
  const steps = rowMajor(shape);
  let offsets = [0];
  for (const axis of axisOrder([strides], shape)) {
    offsets = offsets.flatMap((base) => Array.from({ length: shape[axis] }, (_, k) => base + k * steps[axis]));
  }
  return offsets.map((k) => items[k]);
}

/** Strides of a new array for the result of an element-wise operation: nested like its operands. */
export function stridesOfResult(operands: readonly NdArray[], shape: readonly number[]): number[] {
  if (shape.length < 2 || operands.every((a) => isRowMajor(a) || a.shape.length === 0)) return rowMajor(shape);
  const broadcast = operands.map((a) => {
    const missing = shape.length - a.shape.length;
    return shape.map((_, k) => (k < missing || a.shape[k - missing] === 1 ? 0 : a.strides[k - missing]));
  });
  const strides = new Array<number>(shape.length).fill(1);
  let step = 1;
  for (const axis of axisOrder(broadcast, shape).reverse()) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

/** Strides of a view of another shape, or null where only a copy has it: axes that split or merge must lie in a row. */
export function stridesOfReshaped(array: NdArray, shape: readonly number[]): number[] | null {
  if (isRowMajor(array)) return rowMajor(shape);
  const old = array.shape.flatMap((n, k) => (n === 1 ? [] : [{ n, step: array.strides[k] }]));
  const strides = new Array<number>(shape.length).fill(1);
  let i = 0;
  let j = 0;
  while (i < old.length && j < shape.length) {
    const [from, to] = [i, j];
    let [size, wanted] = [old[i++].n, shape[j++]];
    while (size !== wanted) {
      if (size < wanted) size *= old[i++].n;
      else wanted *= shape[j++];
    }
    for (let k = from; k + 1 < i; k++) if (old[k].step !== old[k + 1].step * old[k + 1].n) return null;
    let { step } = old[i - 1];
    for (let k = j - 1; k >= to; k--) {
      strides[k] = step;
      step *= shape[k];
    }
  }
  return strides;
}

export function widerKind(a: ArrayKind, b: ArrayKind): ArrayKind {
  if (a === 'npfloat' || b === 'npfloat') return 'npfloat';
  return a === 'npint' || b === 'npint' ? 'npint' : 'npbool';
}
