/** Methods of dicts. */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import { isOpenKey } from '../values/keys.js';
import { table, type Table } from '../values/table.js';
import { NONE, tuple, Unsupported, type DictValue, type Value } from '../values/values.js';
import type { LibraryMachine } from './library-machine.js';
import { methodOf, type MethodRow } from './python-row.js';

const method = methodOf<DictValue>();

const DICT_METHODS: Table<MethodRow<DictValue>> = table({
  keys: method('', (ev, dict, call) => ev.sequences.viewOf(dict, (e) => e.key, call.position)),
  values: method('', (ev, dict, call) =>
    ev.sequences.viewOf(dict, (e) => ev.cells.readCell(e.cell, call.position), call.position),
  ),
  items: method('', (ev, dict, call) =>
    ev.sequences.viewOf(dict, (e) => tuple([e.key, ev.cells.readCell(e.cell, call.position)]), call.position),
  ),
  get: method('key, default=, /', (ev, dict, call) => {
    const [key, fallback = NONE] = call.args;
    if (isOpenKey(key)) {
      return ev.branches.branch(
        ev.equality.hasKey(dict, key, call.position),
        () => ev.items.subscript(dict, key, call.position),
        () => fallback,
        call.position,
      );
    }
    const entry = dict.entries.get(ev.cells.key(key, call.position));
    return entry === undefined ? fallback : ev.cells.readCell(entry.cell, call.position);
  }),
  copy: method('', (ev, dict, call) => ({
    ...ev.cells.dict(
      [...dict.entries.values()].map((e) => [e.key, ev.cells.readCell(e.cell, call.position)]),
      call.position,
    ),
    factory: dict.factory,
  })),
  update: method('other=, /, **others', (ev, dict, call) => {
    const args = call.args.map((arg) =>
      arg.tag === 'iterator' ? ev.cells.list(ev.sequences.addedTo(dict, arg, call.position)) : arg,
    );
    const made = ev.calls.call(ev.calls.builtin('dict', call.position), { ...call, args });
    if (made.tag === 'dict') {
      for (const { key, cell } of made.entries.values())
        ev.stores.storeItem(dict, key, ev.cells.readCell(cell, call.position), call.position);
    }
    return NONE;
  }),
  setdefault: method('key, default=, /', (ev, dict, call) => {
    const [key, fallback = NONE] = call.args;
    const entry = dict.entries.get(ev.cells.key(key, call.position));
    if (entry !== undefined) return ev.cells.readCell(entry.cell, call.position);
    ev.stores.storeItem(dict, key, fallback, call.position);
    return fallback;
  }),
  pop: method('key, default=, /', (ev, dict, call) => {
    const [key, fallback] = call.args;
    const isThere = dict.entries.has(ev.cells.key(key, call.position));
    return isThere || fallback === undefined ? ev.deletion.removeEntry(dict, key, call.position) : fallback;
  }),
  popitem: method('', (ev, dict, call) => {
    ev.work.step(call.position, dict.entries.size / COPIES_PER_STEP);
    const last = [...dict.entries.values()].at(-1);
    if (last === undefined) return ev.ops.raise(LaneStatus.Raised, 'KeyError');
    return tuple([last.key, ev.deletion.removeEntry(dict, last.key, call.position)]);
  }),
  clear: method('', (ev, dict, call) => {
    for (const { key } of [...dict.entries.values()]) ev.deletion.removeEntry(dict, key, call.position);
    return NONE;
  }),
});

export function dictMethod(ev: LibraryMachine, dict: DictValue, name: string, position: Position): Value {
  const made = DICT_METHODS[name]?.(ev, `dict.${name}`, dict);
  if (made === undefined) throw new Unsupported(`the dict method '${name}'`, position);
  return made;
}
