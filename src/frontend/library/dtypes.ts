/** NumPy's element types, and conversion between them. */
import type { LibraryMachine } from './library-machine.js';
import { Unsupported, typeName, type ArrayKind, type Call, type NdArray, type Value } from '../values/values.js';

export function dtypeOf(value: Value | undefined, call: Call): ArrayKind | null {
  if (value === undefined || value.tag === 'none') return null;
  const name = value.tag === 'type' || value.tag === 'builtin' ? value.name : value.tag === 'string' ? value.value : '';
  if (['float', 'float64', 'double', 'f8', 'd'].includes(name)) return 'npfloat';
  if (['int', 'int64', 'int_', 'intp', 'i8'].includes(name)) return 'npint';
  if (['bool', 'bool_'].includes(name)) return 'npbool';
  throw new Unsupported(`the dtype ${name === '' ? typeName(value) : name}`, call.position);
}

export function astype(ev: LibraryMachine, array: NdArray, kind: ArrayKind, call: Call): NdArray {
  const large = ev.bulkArrays.copy(array, (s) => ev.arrays.cast(s, kind, call.position), call.position);
  if (large !== null) return large;
  return ev.arrays.make(
    array.shape,
    kind,
    ev.arrays.items(array).map((s) => ev.arrays.cast(s, kind, call.position)),
    ev.arrays.stridesOfCopy(array),
  );
}
