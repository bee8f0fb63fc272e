/**
 * `del`, and what takes an element out of a container.
 */
import { LaneStatus } from '../../ir/types.js';
import { impure } from '../machine/lasting-state.js';
import type { Expression, Position } from '../syntax/ast.js';
import { sliceIndices } from '../values/slices.js';
import {
  int,
  RollFailure,
  typeName,
  Unsupported,
  type AnyValue,
  type DictValue,
  type ListValue,
  type Scalar,
  type Scope,
  type Value,
} from '../values/values.js';
import { isFrozenField } from '../values/classes.js';
import type { Evaluator } from './evaluator.js';

export class Deletion {
  constructor(private readonly ev: Evaluator) {}

  delete(target: Expression, scope: Scope): void {
    switch (target.kind) {
      case 'Name': {
        const cell = this.ev.names.cellToDelete(target.name, scope);
        this.ev.ops.locate(target);
        if (cell === undefined)
          throw new Unsupported('deleting something that is no variable of this function', target);
        if (!this.ev.loading && cell.born <= this.ev.loadedAt) throw impure(target);
        const unbound = this.ev.names.unboundError(target.name, scope);
        if (cell.value === undefined) return this.ev.ops.raise(LaneStatus.Raised, unbound);
        if (cell.value.tag === 'maybe')
          this.ev.ops.check(this.ev.ops.not(cell.value.bound), LaneStatus.Raised, unbound);
        this.ev.exits.guarded(() => {
          this.ev.names.unbindName(target.name, scope, target);
        }, target);
        return;
      }
      case 'Tuple':
      case 'List':
        for (const element of target.elements) this.delete(element, scope);
        return;
      case 'Attribute': {
        const object = this.ev.expressions.evaluate(target.value, scope);
        this.ev.ops.locate(target);
        this.ev.exits.guarded(() => this.deleteAttribute(object, target.name, target), target);
        return;
      }
      case 'Subscript': {
        const object = this.ev.expressions.evaluate(target.value, scope);
        const index = this.ev.expressions.evaluate(target.index, scope);
        this.ev.ops.locate(target);
        this.ev.exits.guarded(() => this.deleteItem(object, index, target), target);
        return;
      }
      default:
        throw new Unsupported('deleting this kind of target', target);
    }
  }

  private deleteAttribute(object: Value, name: string, position: Position): void {
    if (object.tag !== 'instance') throw new Unsupported(`deleting an attribute of ${typeName(object)}`, position);
    const cell = object.attributes.get(name);
    if (cell?.value === undefined) return this.ev.ops.raise(LaneStatus.Raised, 'AttributeError');
    if (object.frozen && !this.ev.loading) throw impure(position);
    if (isFrozenField(object.cls, name)) this.ev.ops.raise(LaneStatus.Raised, 'dataclasses.FrozenInstanceError');
    if (cell.value.tag === 'maybe') {
      this.ev.ops.check(this.ev.ops.not(cell.value.bound), LaneStatus.Raised, 'AttributeError');
    }
    this.ev.cells.elementWrites++;
    this.ev.cells.effects++;
    this.ev.cells.unbind(cell);
  }

  private deleteItem(object: Value, index: Value, position: Position): void {
    switch (object.tag) {
      case 'list': {
        if (index.tag === 'slice') {
          const gone = new Set(sliceIndices(index, object.cells.length, position));
          const kept = object.cells.filter((_, k) => !gone.has(k));
          return this.ev.cells.restructure(object, kept, position);
        }
        if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, position);
        this.removeAt(object, index, position);
        return;
      }
      case 'dict':
        this.removeEntry(object, index, position);
        return;
      // "cannot delete array elements"
      case 'ndarray':
        return this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
      case 'tuple':
        return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        throw new Unsupported(`deleting an item of ${typeName(object)}`, position);
    }
  }

  /** Takes an element out of a list, at a position that may depend on x; the others move up. */
  removeAt(list: ListValue, index: Scalar, position: Position): AnyValue {
    if (list.bulk !== undefined) throw new RollFailure('a large list changes its length', position);
    const { cells } = list;
    if (index.known !== undefined) {
      const k = this.ev.items.staticIndex(index, cells.length, position);
      const value = this.ev.cells.readAny(cells[k], position);
      this.ev.exits.guarded(
        () =>
          this.ev.cells.restructure(
            list,
            cells.filter((_, j) => j !== k),
            position,
          ),
        position,
      );
      return value;
    }
    const chosen = this.ev.items.chosenIndex(index, cells.length, position);
    const values = cells.map((cell) => this.ev.cells.readAny(cell, position));
    const value = this.ev.items.gatherFrom(values, chosen, position);
    const kept = values.slice(1).map((next, k) =>
      this.ev.branches.branch(
        this.ev.ops.compare('<=', chosen, int(k)),
        () => next,
        () => values[k],
        position,
      ),
    );
    // Not where there is no such position, which the program may catch.
    this.ev.exits.guarded(
      () =>
        this.ev.cells.restructure(
          list,
          kept.map((v) => this.ev.cells.cell(v)),
          position,
        ),
      position,
    );
    return value;
  }

  /** Takes an entry out of a dict and gives its value; KeyError where there is none. */
  removeEntry(dict: DictValue, key: Value, position: Position): AnyValue {
    const at = this.ev.cells.key(key, position);
    const entry = dict.entries.get(at);
    if (entry === undefined) return this.ev.ops.raise(LaneStatus.Raised, 'KeyError');
    if (dict.frozen && !this.ev.loading) throw impure(position);
    if (!this.ev.cells.mayRestructure(dict)) {
      throw new Unsupported('removing a key of a dict in a branch that depends on x', position);
    }
    const value = this.ev.cells.readAny(entry.cell, position);
    this.ev.cells.elementWrites++;
    this.ev.cells.effects++;
    dict.entries.delete(at);
    return value;
  }
}
