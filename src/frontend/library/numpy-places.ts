/**
 * Where things are in an array.
 */
import { LaneStatus } from '../../ir/types.js';
import { distinct, masked } from '../arrays/masked.js';
import { rowMajor } from '../arrays/shapes.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import {
  bool,
  known,
  tuple,
  Unsupported,
  type Call,
  type MaskedValue,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { flag, named, required } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { isKnown, range, vectorOf } from './numpy-axes.js';
import { arrayOf } from './numpy-shape.js';

// ---- where things are

/** Positions of what is not zero, one array per axis. */
export function nonzero(ev: LibraryMachine, value: Value, call: Call): Value {
  const array = ev.arrays.toArray(value, call.position);
  if (array.shape.length === 0) throw new Unsupported('numpy.nonzero() of a single number', call.position);
  const truths = ev.arrays.items(array).map((s) => ev.ops.truthScalar(s));
  const { shape } = array;
  if (!truths.every(isKnown)) {
    const steps = rowMajor(shape);
    return tuple(
      shape.map((n, axis) => {
        const places = range(truths.length).map((k) => known('npint', Math.floor(k / steps[axis]) % n));
        return masked('npint', places, truths);
      }),
    );
  }
  const found = range(truths.length).filter((k) => truths[k].known !== 0);
  let step = truths.length;
  return tuple(
    shape.map((n) => {
      step = n === 0 ? 0 : step / n;
      const along = step;
      return ev.arrays.make(
        [found.length],
        'npint',
        found.map((k) => known('npint', Math.floor(k / along) % n)),
      );
    }),
  );
}

export function argwhere(ev: LibraryMachine, call: Call): Value {
  const places = nonzero(ev, required('numpy.argwhere', call.args[0], call), call);
  const columns = ev.sequences.iterate(places, call.position);
  const chosen = columns.filter((c): c is MaskedValue => c.tag === 'masked');
  if (chosen.length > 0) {
    const items = chosen[0].items.flatMap((_, k) => chosen.map((c) => c.items[k]));
    return { tag: 'masked', kind: 'npint', items, width: chosen.length };
  }
  return ev.arrays.transpose(ev.arrays.toArray(ev.cells.list(columns), call.position));
}

/** How many elements of a known sorted table are below each number (`right`: not above). */
function searchTable(ev: LibraryMachine, table: NdArray, value: Value, right: boolean, call: Call): Value {
  const steps = ev.arrays.items(table);
  if (table.shape.length !== 1 || !steps.every(isKnown) || steps.some((s) => Number.isNaN(s.known))) {
    throw new Unsupported('searching in a table that depends on x', call.position);
  }
  if (steps.some((s, k) => k > 0 && (s.known as number) < (steps[k - 1].known as number))) {
    throw new Unsupported('searching in a table that is not sorted', call.position);
  }
  const { ops } = ev;
  return ev.arrays.map(
    [value],
    (v) => {
      const count = steps.reduce<Scalar>(
        (n, s) => {
          const isBelow = ops.compare(right ? '<=' : '<', s, v);
          return ops.binary('+', n, ops.retag(ops.truthScalar(isBelow), 'npint'), call.position);
        },
        known('npint', 0),
      );
      // NaN sorts to the end.
      return ops.retag(ops.select(ops.isNaN(v), known('npint', steps.length), count), 'npint');
    },
    call.position,
    'npint',
  );
}

export function searchsorted(ev: LibraryMachine, call: Call): Value {
  const { a, v, side } = named('numpy.searchsorted', call, ['a', 'v', 'side']);
  const isRight = side?.tag === 'string' && side.value === 'right';
  if (!isRight && side !== undefined && (side.tag !== 'string' || side.value !== 'left'))
    throw new Unsupported('this side of numpy.searchsorted()', call.position);
  return searchTable(ev, arrayOf(ev, 'searchsorted', a, call), required('numpy.searchsorted', v, call), isRight, call);
}

export function digitize(ev: LibraryMachine, call: Call): Value {
  const { x, bins, right } = named('numpy.digitize', call, ['x', 'bins', 'right']);
  return searchTable(
    ev,
    arrayOf(ev, 'digitize', bins, call),
    required('numpy.digitize', x, call),
    !flag(right, false, call),
    call,
  );
}

export function unique(ev: LibraryMachine, call: Call): Value {
  const { ar } = named('numpy.unique', call, ['ar']);
  const array = arrayOf(ev, 'unique', ar, call);
  ev.arrays.refuseSometimesInt(array, call.position);
  const items = ev.arrays.items(array);
  if (!items.every(isKnown)) {
    const all = items.map((value) => ({ value: ev.ops.retag(value, array.kind), present: bool(true) }));
    return distinct(ev, array.kind, all, call.position);
  }
  const values = [...new Set(items.map((s) => (s.known as number) + 0))].sort((p, q) => p - q);
  if (values.some(Number.isNaN)) throw new Unsupported('numpy.unique() of NaN', call.position);
  return ev.arrays.make(
    [values.length],
    array.kind,
    values.map((v) => known(array.kind, v)),
  );
}

export function bincount(ev: LibraryMachine, call: Call): Value {
  const { x, minlength } = named('numpy.bincount', call, ['x', 'minlength']);
  const array = vectorOf(ev, 'bincount', x, call);
  if (array.kind === 'npfloat') throw new Unsupported('numpy.bincount() of what are no whole numbers', call.position);
  const numbers = ev.arrays.items(array).map((s) => ev.items.staticInt(s, call.position, 'a number of bincount()'));
  if (numbers.some((v) => v < 0)) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const least = minlength === undefined ? 0 : ev.items.staticInt(minlength, call.position, 'a length');
  const length = numbers.reduce((most, v) => Math.max(most, v + 1), least);
  ev.work.step(call.position, length + numbers.length);
  const counts = new Float64Array(length);
  for (const v of numbers) counts[v]++;
  return ev.arrays.make(
    [length],
    'npint',
    Array.from(counts, (count) => known('npint', count)),
  );
}

export function isIn(ev: LibraryMachine, call: Call): Value {
  const [element, test] = call.args;
  if (call.keywords.size > 0) throw new Unsupported('numpy.isin() with keywords', call.position);
  const values = ev.arrays.items(ev.arrays.toArray(required('numpy.isin', test, call), call.position));
  const elements = required('numpy.isin', element, call);
  const count =
    elements.tag === 'masked' ? elements.items.length : ev.arrays.toArray(elements, call.position).cells.length;
  ev.work.step(call.position, (count * values.length) / COPIES_PER_STEP);
  const found = ev.arrays.map(
    [elements],
    (s) => values.reduce<Scalar>((any, v) => ev.ops.or(any, ev.ops.compare('==', s, v)), bool(false)),
    call.position,
    'npbool',
  );
  return ev.arrays.withoutAxes(found);
}
