/** Arithmetic and ranges of index forms. */
import type { IndexForm, IndexTerm, ValueId } from './types.js';

export const constantForm = (offset: number): IndexForm => ({ offset, terms: [] });
export const formOf = (index: ValueId): IndexForm => ({ offset: 0, terms: [{ index, scale: 1 }] });

export function addForms(a: IndexForm, b: IndexForm): IndexForm {
  const terms = new Map(a.terms.map((t) => [t.index, t.scale]));
  for (const { index, scale } of b.terms) terms.set(index, (terms.get(index) ?? 0) + scale);
  return { offset: a.offset + b.offset, terms: ordered(terms) };
}

export function scaleForm(a: IndexForm, factor: number): IndexForm {
  if (factor === 0) return constantForm(0);
  const terms = a.terms.map(({ index, scale }) => ({ index, scale: scale * factor }));
  // A whole number has no negative zero.
  return { offset: a.offset * factor + 0, terms };
}

/** Equal forms have equal keys. */
export function formKey({ offset, terms }: IndexForm): string {
  return terms.length === 0 ? String(offset) : `${offset}+${terms.map((t) => `${t.scale}*${t.index}`).join('+')}`;
}

/** The number, with `values` by index. */
export function evaluateForm({ offset, terms }: IndexForm, values: ArrayLike<number>): number {
  let sum = offset;
  for (const { index, scale } of terms) sum += scale * values[index];
  return sum;
}

export function mapForm({ offset, terms }: IndexForm, rename: (index: ValueId) => ValueId): IndexForm {
  return terms.length === 0
    ? { offset, terms }
    : { offset, terms: terms.map((t) => ({ index: rename(t.index), scale: t.scale })) };
}

/** An enclosing `for`. */
export interface CountedIndex {
  readonly index: ValueId;
  readonly count: IndexForm;
}

/**
 * Smallest and largest value that `form` can have where it stands; never too narrow. Exact for nests in which a count
 * depends on outer indices, such as the inner loop of a triangle: an index is replaced by its own extreme, which is a
 * form of the outer ones, innermost first.
 *
 * @param loops the enclosing `for`s, outermost first
 */
export function formRange(
  form: IndexForm,
  loops: readonly CountedIndex[],
): { readonly min: number; readonly max: number } {
  return { min: -largest(scaleForm(form, -1), loops), max: largest(form, loops) };
}

/** Largest number of turns of a loop, over those of all around it. */
export function largestCount(loop: CountedIndex, outer: readonly CountedIndex[]): number {
  return Math.max(0, formRange(loop.count, outer).max);
}

/** The same of nested loops, outermost first, all together; 1 without loops. */
export function turnsOf(loops: readonly CountedIndex[]): number {
  return loops.reduce((turns, loop, k) => turns * largestCount(loop, loops.slice(0, k)), 1);
}

/** Which turn of nested loops it is, outermost first, counted over all of them: 0, 1, ..., `turnsOf` - 1. */
export function placeOf(loops: readonly CountedIndex[]): IndexForm {
  return loops.reduce(
    (at, loop, k) => addForms(scaleForm(at, largestCount(loop, loops.slice(0, k))), formOf(loop.index)),
    constantForm(0),
  );
}

function largest(form: IndexForm, loops: readonly CountedIndex[]): number {
  let current = form;
  for (let k = loops.length - 1; k >= 0; k--) {
    const { index, count } = loops[k];
    const scale = current.terms.find((t) => t.index === index)?.scale ?? 0;
    if (scale === 0) continue;
    const without = { offset: current.offset, terms: current.terms.filter((t) => t.index !== index) };
    // The body runs with index 0 and with count - 1: the larger of the two ends.
    current = scale < 0 ? without : addForms(without, scaleForm(addForms(count, constantForm(-1)), scale));
  }
  return current.terms.length === 0 ? current.offset : Infinity;
}

function ordered(terms: ReadonlyMap<ValueId, number>): IndexTerm[] {
  return [...terms]
    .filter(([, scale]) => scale !== 0)
    .sort(([a], [b]) => a - b)
    .map(([index, scale]) => ({ index, scale }));
}
