/**
 * Functions that take functions of the program.
 */
import { LaneStatus } from '../../ir/types.js';
import { frontAxis } from '../arrays/axes.js';
import { masked } from '../arrays/masked.js';
import {
  bool,
  known,
  toNumPyKind,
  typeName,
  Unsupported,
  type ArrayKind,
  type Call,
  type Scalar,
  type Value,
} from '../values/values.js';
import { builtin, named, required, scalar } from './arguments.js';
import type { LibraryMachine } from './library-machine.js';
import { alongAxis } from './numpy-axes.js';
import { arrayOf } from './numpy-shape.js';

// ---- functions of functions

function callAt(ev: LibraryMachine, fn: Value, args: readonly Value[], call: Call): Value {
  return ev.calls.called(fn, { args, keywords: new Map(), position: call.position });
}

/** The function for each element; the type of the result is that of the first. */
export function vectorize(ev: LibraryMachine, call: Call): Value {
  const { pyfunc, otypes } = named('numpy.vectorize', call, ['pyfunc', 'otypes']);
  const fn = required('numpy.vectorize', pyfunc, call);
  const wanted =
    otypes === undefined || otypes.tag === 'none' ? undefined : ev.sequences.iterate(otypes, call.position)[0];
  const isFloat = wanted !== undefined && 'name' in wanted && ['float', 'float64'].includes(wanted.name);
  if (wanted !== undefined && !isFloat) throw new Unsupported('numpy.vectorize() with these otypes', call.position);
  return builtin('numpy.vectorize', (inner) => {
    if (inner.keywords.size > 0 || inner.args.length === 0)
      throw new Unsupported('a vectorized function called so', inner.position);
    const { ops } = ev;
    let kind: ArrayKind | null = isFloat ? 'npfloat' : null;
    const { result, hasEffects } = ev.cells.withEffects(() =>
      ev.arrays.map(
        inner.args,
        (...elements) => {
          // The function gets Python's numbers.
          const numbers = elements.map((s) => ops.toPython(s));
          const value = callAt(ev, fn, numbers, inner);
          if (value.tag !== 'scalar')
            throw new Unsupported(`a vectorized function that gives ${typeName(value)}`, inner.position);
          const kinds = new Set(ops.possibleKinds(value).map(toNumPyKind));
          const [only] = kinds;
          kind ??= kinds.size === 1 ? only : null;
          if (kind === null || (kind !== 'npfloat' && (kinds.size > 1 || only !== kind))) {
            throw new Unsupported(
              'a vectorized function that gives numbers of several types (otypes=[float] settles it)',
              inner.position,
            );
          }
          return ops.retag(value, kind);
        },
        inner.position,
      ),
    );
    if (hasEffects) throw new Unsupported('a vectorized function with effects of its own', inner.position);
    return ev.arrays.withoutAxes(result);
  });
}

export function applyAlongAxis(ev: LibraryMachine, call: Call): Value {
  const [fn, axis, source, ...more] = call.args;
  const array = arrayOf(ev, 'apply_along_axis', source, call);
  const along = frontAxis(
    ev,
    ev.items.staticInt(required('axis', axis, call), call.position, 'an axis'),
    array.shape.length,
  );
  let isScalar = false;
  const result = alongAxis(ev, array, along, (line) => {
    const value = callAt(ev, fn, [ev.arrays.make([line.length], array.kind, line), ...more], call);
    isScalar = value.tag === 'scalar';
    return value.tag === 'scalar' ? [value] : ev.arrays.items(ev.arrays.toArray(value, call.position));
  });
  if (!isScalar) return result;
  const shape = array.shape.filter((_, k) => k !== along);
  return shape.length === 0 ? ev.arrays.items(result)[0] : ev.arrays.reshape(result, shape, call.position);
}

/** Where several conditions hold the last one counts; functions get the chosen elements only. */
export function piecewise(ev: LibraryMachine, call: Call): Value {
  const [x, conditions, functions] = call.args;
  if (call.args.length !== 3 || call.keywords.size > 0)
    throw new Unsupported('numpy.piecewise() with more arguments', call.position);
  const { position } = call;
  const array = ev.arrays.toArray(x, position);
  const flat = ev.arrays.flat(array);
  const items = ev.arrays.items(flat);
  const listed = ev.sequences.iterate(conditions, position);
  const masks = listed.map((c) =>
    ev.arrays.items(ev.arrays.flat(ev.arrays.toArray(c, position))).map((s) => ev.ops.truthScalar(s)),
  );
  const choices = ev.sequences.iterate(functions, position);
  if (masks.some((mask) => mask.length !== items.length))
    throw new Unsupported('numpy.piecewise() with these conditions', position);
  if (choices.length === masks.length + 1) {
    masks.push(
      items.map((_, k) => ev.ops.not(masks.reduce<Scalar>((any, mask) => ev.ops.or(any, mask[k]), bool(false)))),
    );
  }
  if (choices.length !== masks.length) return ev.ops.raise(LaneStatus.Raised, 'ValueError');
  let results: Scalar[] = items.map(() => known(flat.kind, 0));
  masks.forEach((mask, c) => {
    const choice = choices[c];
    ev.arrays.refuseSometimesInt(flat, position);
    const chosen = masked(flat.kind, items, mask);
    const value = ['function', 'builtin', 'instance'].includes(choice.tag)
      ? callAt(ev, choice, [chosen], call)
      : choice;
    const column =
      value.tag === 'masked'
        ? value.items.map((item) => item.value)
        : items.map(() => scalar(ev, 'numpy.piecewise', value, call));
    results = results.map((before, k) =>
      ev.ops.retag(ev.ops.select(mask[k], ev.arrays.convert(column[k], flat.kind, position), before), flat.kind),
    );
  });
  return ev.arrays.make(array.shape, flat.kind, results);
}
