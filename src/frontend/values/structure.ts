/**
 * The structure of values: which are alike, and the scalars in them.
 */
import type { Position } from '../syntax/ast.js';
import {
  bool,
  TEXT,
  typeName,
  Unsupported,
  type Alternative,
  type AnyValue,
  type ChoiceValue,
  type Held,
  type ListValue,
  type MaybeUnbound,
  type NdArray,
  type Scalar,
  type TupleValue,
  type Value,
} from './values.js';

/** More than that are not told apart. */
const MAX_ALTERNATIVES = 8;

export const alternativesOf = (value: Value | ChoiceValue): readonly Alternative[] =>
  value.tag === 'choice' ? value.alternatives : [{ when: bool(true), value }];

/** One of some values, of which each is there where its `when` holds. */
export function choiceOf(
  parts: readonly { readonly when: Scalar; readonly value: AnyValue }[],
  position: Position,
): AnyValue {
  const alternatives: Alternative[] = [];
  for (const { when, value } of parts) {
    if (when.known === 0) continue;
    if (value.tag === 'opaque') return value;
    if (value.tag === 'choice') throw new Error('alternatives are of one kind each');
    alternatives.push({ when, value });
  }
  if (alternatives.length === 1) return alternatives[0].value;
  if (alternatives.length <= MAX_ALTERNATIVES) return { tag: 'choice', alternatives };
  if (alternatives.every(({ value }) => isText(value))) return TEXT;
  return { tag: 'opaque', reason: `depending on x this is one of ${alternatives.length} kinds of values`, position };
}

export const isText = (value: Value): boolean => value.tag === 'string' || value.tag === 'text';

/** Tuples of one type: neither ranges nor views of dicts, whose items are made when they are asked for. */
export const areAlikeTuples = (p: TupleValue, q: TupleValue): boolean =>
  isPlainSequence(p) &&
  isPlainSequence(q) &&
  p.items.length === q.items.length &&
  p.fields?.typename === q.fields?.typename &&
  p.fields?.names.join() === q.fields?.names.join();

export const isPlainSequence = (value: ListValue | TupleValue): boolean =>
  value.tag === 'list' || (value.range === undefined && value.isCurrent === undefined);

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, k) => n === b[k]);

/** The same shape, and nested alike in memory where that shows. */
export const sameLayout = (p: NdArray, q: NdArray): boolean =>
  sameShape(p.shape, q.shape) && (p.shape.length < 2 || sameShape(p.strides, q.strides));

/** Whether the numbers have equal types, also in being NumPy's on some lanes only. */
export const sameTemplates = (a: readonly Scalar[], b: readonly Scalar[]): boolean =>
  a.length === b.length &&
  a.every((s, k) => s.kind === b[k].kind && (s.id < 0 ? s.id : 0) === (b[k].id < 0 ? b[k].id : 0));

export const asMaybe = (value: Held): MaybeUnbound =>
  value.tag === 'maybe' ? value : { tag: 'maybe', value, bound: bool(true) };

/** The scalars of a structured value, in a fixed order. */
export function scalarsOf(value: Held, position: Position): Scalar[] {
  switch (value.tag) {
    case 'scalar':
      return [value];
    case 'maybe':
      return [...scalarsOf(value.value, position), value.bound];
    case 'complex':
      return [value.re, value.im];
    case 'complexarray':
      return [...scalarsOf(value.re, position), ...scalarsOf(value.im, position)];
    case 'tuple':
      return value.items.flatMap((item) => scalarsOf(item, position));
    case 'list':
    case 'ndarray':
      return value.cells.flatMap((cell) => scalarsOf(cell.value as Held, position));
    case 'none':
      return [];
    default:
      throw new Unsupported(`${typeName(value)} changes in a loop that depends on x`, position);
  }
}

/** Values that never change. */
export const isPlain = (value: Held): boolean =>
  [
    ...['scalar', 'complex', 'string', 'text', 'none', 'ellipsis', 'module', 'type', 'builtin', 'function', 'slice'],
    'opaque',
  ].includes(value.tag);
