/**
 * Types of Python and NumPy that programs name.
 */
import type { Value } from '../values/values.js';

const TYPES = new Set([
  'float',
  'int',
  'bool',
  'list',
  'tuple',
  'str',
  'dict',
  'complex',
  'set',
  'frozenset',
  'object',
  'slice',
]);

export const isTypeName = (name: string): boolean => TYPES.has(name);

/** The name of a type of Python's or NumPy's that a value is; null for all else. Equal names are one type. */
export function typeObjectName(value: Value): string | null {
  if (value.tag === 'type') return value.name;
  return value.tag === 'builtin' && isTypeName(value.name) ? value.name : null;
}
