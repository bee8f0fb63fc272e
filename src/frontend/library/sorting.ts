/**
 * `sorted` and `list.sort`, also of numbers that depend on x: a network of exchanges.
 */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import type { LibraryMachine } from './library-machine.js';
import { bool, typeName, Unsupported, type AnyValue, type Call, type Scalar, type Value } from '../values/values.js';

/** Less than, for keys that are numbers, texts, or tuples of them; null: depends on x in a way that is not followed. */
function isLess(ev: LibraryMachine, a: Value, b: Value, call: Call): Scalar {
  if (a.tag === 'scalar' && b.tag === 'scalar') return ev.ops.compare('<', a, b);
  if (a.tag === 'string' && b.tag === 'string') return bool(ev.knownTexts.compare(a.value, b.value, call.position) < 0);
  if ((a.tag === 'tuple' || a.tag === 'list') && a.tag === b.tag) {
    const p = ev.sequences.iterate(a, call.position);
    const q = ev.sequences.iterate(b, call.position);
    // The first items that differ decide.
    let less: Scalar = bool(p.length < q.length);
    for (let k = Math.min(p.length, q.length) - 1; k >= 0; k--) {
      const equal = ev.operators.truthOf(ev.operators.compare('==', p[k], q[k], call.position), call.position);
      less =
        equal.known === 0
          ? isLess(ev, p[k], q[k], call)
          : equal.known === 1
            ? less
            : ev.ops.select(equal, less, isLess(ev, p[k], q[k], call));
    }
    return less;
  }
  throw new Unsupported(`ordering ${typeName(a)} and ${typeName(b)}`, call.position);
}

/** Scalars and tuples of them can change places by selection; other objects would lose their identity. */
const mayMove = (value: AnyValue): boolean =>
  value.tag === 'scalar' || value.tag === 'complex' || (value.tag === 'tuple' && value.items.every(mayMove));

/** With NaN the order that Python gives depends on its algorithm, and on which NaN are one object. */
function refuseNaN(ev: LibraryMachine, key: AnyValue, position: Position): void {
  if (key.tag === 'scalar') ev.ops.check(ev.ops.isNaN(key), LaneStatus.Untranslated);
  else if (key.tag === 'tuple' || key.tag === 'list')
    for (const part of ev.sequences.iterateAny(key, position)) refuseNaN(ev, part, position);
}

/** Sorts, keeping equal elements in order, as Python's sort does; `reverse` keeps it, too. */
export function sortValues(
  ev: LibraryMachine,
  items: readonly Value[],
  key: Value | null,
  reverse: boolean,
  call: Call,
): Value[] {
  if (key === null && items.every((v) => v.tag === 'scalar')) {
    // Equal elements keep their order both ways.
    return reverse ? sortScalars(ev, [...items].reverse(), call).reverse() : sortScalars(ev, items, call);
  }
  const position = call.position;
  const a = items.map((item) => ({
    item,
    key: key === null ? item : ev.calls.called(key, { args: [item], keywords: new Map(), position }),
  }));
  for (const { key: k } of a) refuseNaN(ev, k, position);
  ev.work.step(position, a.length * a.length);
  for (let i = 1; i < a.length; i++) {
    for (let j = i; j > 0; j--) {
      const [p, q] = [a[j - 1], a[j]];
      const swap = reverse ? isLess(ev, p.key, q.key, call) : isLess(ev, q.key, p.key, call);
      if (swap.known === 0) break;
      if (swap.known === 1) {
        [a[j - 1], a[j]] = [q, p];
        continue;
      }
      if (![p.item, q.item, p.key, q.key].every(mayMove)) {
        throw new Unsupported('sorting objects by a key that depends on x', position);
      }
      const choose = (yes: Value, no: Value): Value =>
        ev.choices.plain(
          ev.branches.branch(
            swap,
            () => yes,
            () => no,
            position,
          ),
          position,
        );
      a[j - 1] = { item: choose(q.item, p.item), key: choose(q.key, p.key) };
      a[j] = { item: choose(p.item, q.item), key: choose(p.key, q.key) };
    }
  }
  return a.map(({ item }) => item);
}

/** Known numbers are sorted here; numbers that depend on x by an odd-even merge network of compare-exchanges. */
export function sortScalars(ev: LibraryMachine, items: readonly Value[], call: Call): Scalar[] {
  if (!items.every((v): v is Scalar => v.tag === 'scalar'))
    throw new Unsupported('sorting values that are no numbers, without a key', call.position);
  if (items.every((s) => s.known !== undefined)) {
    if (items.some((s) => Number.isNaN(s.known))) throw new Unsupported('sorting NaN', call.position);
    return [...items].sort((a, b) => (a.known as number) - (b.known as number));
  }
  const { ops } = ev;
  // With NaN the order that Python gives depends on its algorithm.
  for (const s of items) ops.check(ops.isNaN(s), LaneStatus.Untranslated);
  const a = [...items];
  ev.work.step(call.position, a.length * a.length);
  // Insertion order keeps equal elements in place: strictly greater neighbours swap.
  for (let i = 1; i < a.length; i++) {
    for (let j = i; j > 0; j--) {
      const swap = ops.compare('>', a[j - 1], a[j]);
      [a[j - 1], a[j]] = [ops.select(swap, a[j], a[j - 1]), ops.select(swap, a[j - 1], a[j])];
    }
  }
  return a;
}
