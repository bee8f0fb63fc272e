/**
 * Functions that work along one axis.
 */
import { frontAxis } from '../arrays/axes.js';
import {
  toNumPyKind,
  Unsupported,
  type ArrayKind,
  type Call,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { axisOf } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { arrayOf } from './numpy-shape.js';

export const range = (n: number): number[] => Array.from({ length: Math.max(0, n) }, (_, k) => k);

export const isKnown = (s: Scalar): boolean => s.known !== undefined;

/** Replaces each line along an axis by another of a common length. */
export function alongAxis(
  ev: LibraryMachine,
  array: NdArray,
  axis: number,
  fn: (line: readonly Scalar[]) => readonly Scalar[],
  kind?: ArrayKind,
): NdArray {
  const items = ev.arrays.items(array);
  const { shape } = array;
  const n = shape[axis];
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const outer = shape.slice(0, axis).reduce((a, b) => a * b, 1);
  const lines = range(outer).map((o) =>
    range(inner).map((i) => fn(range(n).map((j) => items[(o * n + j) * inner + i]))),
  );
  const length = lines[0]?.[0]?.length ?? 0;
  const results = lines.flatMap((row) => range(length).flatMap((j) => row.map((line) => line[j])));
  const made = kind ?? (results.length === 0 ? array.kind : toNumPyKind(results[0].kind));
  return ev.arrays.make([...shape.slice(0, axis), length, ...shape.slice(axis + 1)], made, results);
}

export function lastAxis(ev: LibraryMachine, axis: Value | undefined, array: NdArray, call: Call): number {
  const along = axis === undefined ? -1 : ev.items.staticInt(axis, call.position, 'an axis');
  return frontAxis(ev, along, array.shape.length);
}

/** The array and axis of a function that flattens without an axis. */
export function flattening(ev: LibraryMachine, array: NdArray, axis: Value | undefined, call: Call): [NdArray, number] {
  const along = axisOf(ev, axis, call);
  return along === null ? [ev.arrays.flat(array), 0] : [array, frontAxis(ev, along, array.shape.length)];
}

export function vectorOf(ev: LibraryMachine, name: string, value: Value | undefined, call: Call): NdArray {
  const array = arrayOf(ev, name, value, call);
  if (array.shape.length !== 1) throw new Unsupported(`numpy.${name}() of what is no vector`, call.position);
  return array;
}
