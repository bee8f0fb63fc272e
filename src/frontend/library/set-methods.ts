/** Methods of sets. */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { table, type Table } from '../values/table.js';
import { NONE, Unsupported, type SetValue, type Value } from '../values/values.js';
import type { LibraryMachine } from './library-machine.js';
import { methodOf, type MethodRow } from './python-row.js';

/** Whether or not they are compiled: frozen sets have none of them. */
const CHANGING: ReadonlySet<string> = new Set([
  ...['add', 'clear', 'discard', 'pop', 'remove', 'update'],
  ...['difference_update', 'intersection_update', 'symmetric_difference_update'],
]);

const method = methodOf<SetValue>();

const combined = (parameters: string, operator: '|' | '&' | '-' | '^'): MethodRow<SetValue> =>
  method(parameters, (ev, set, call) =>
    call.args.reduce<Value>((result, other) => {
      const right =
        other.tag === 'set' ? other : ev.cells.set(ev.sequences.iterate(other, call.position), call.position);
      return ev.operators.binary(operator, result, right, call.position);
    }, set),
  );

const changing = (
  change: (ev: LibraryMachine, set: SetValue, item: Value, position: Position) => void,
): MethodRow<SetValue> =>
  method('item, /', (ev, set, call) => {
    if (!ev.cells.mayRestructure(set))
      throw new Unsupported('changing a set that lasts, or in a branch that depends on x', call.position);
    change(ev, set, call.args[0], call.position);
    return NONE;
  });

const SET_METHODS: Table<MethodRow<SetValue>> = table({
  union: combined('*others', '|'),
  intersection: combined('*others', '&'),
  difference: combined('*others', '-'),
  symmetric_difference: combined('other, /', '^'),
  copy: method('', (ev, set, call) => ev.cells.set([...set.entries.values()], call.position, set.isFrozenSet)),
  add: changing((ev, set, item, position) => {
    const key = ev.cells.key(item, position);
    if (!set.entries.has(key)) set.entries.set(key, item);
  }),
  discard: changing((ev, set, item, position) => void set.entries.delete(ev.cells.key(item, position))),
});

export function setMethod(ev: LibraryMachine, set: SetValue, name: string, position: Position): Value {
  if (set.isFrozenSet && CHANGING.has(name)) return ev.ops.raise(LaneStatus.Raised, 'AttributeError');
  const made = SET_METHODS[name]?.(ev, `set.${name}`, set);
  if (made === undefined) throw new Unsupported(`the set method '${name}'`, position);
  return made;
}
