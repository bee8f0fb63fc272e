/**
 * Items of containers: subscripts, also at positions that depend on x.
 */
import { constantForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import { maskedItem } from '../arrays/masked.js';
import type { NoIndex } from '../machine/machine.js';
import type { Position } from '../syntax/ast.js';
import { classMember } from '../values/classes.js';
import { cureOf, isIndexed } from '../values/indexed.js';
import { isOpenKey } from '../values/keys.js';
import { sliceIndices } from '../values/slices.js';
import {
  bool,
  int,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  RollFailure,
  string,
  tuple,
  typeName,
  Unsupported,
  type AnyValue,
  type DictValue,
  type FilteredValue,
  type ListValue,
  type Scalar,
  type TupleValue,
  type Value,
} from '../values/values.js';
import type { Evaluator } from './evaluator.js';

export class Items {
  constructor(private readonly ev: Evaluator) {}

  subscript(object: AnyValue, index: AnyValue, position: Position): Value {
    return this.ev.choices.plain(this.subscriptAny(object, index, position), position);
  }

  subscriptAny(owner: AnyValue, at: AnyValue, position: Position): AnyValue {
    if (owner.tag === 'choice' || at.tag === 'choice')
      return this.ev.choices.eachOf(
        [owner, at],
        ([object, index]) => this.subscriptAny(object, index, position),
        position,
      );
    const object = this.ev.choices.plain(owner, position);
    const index = this.ev.choices.plain(at, position);
    if (object.tag === 'complexarray') {
      return this.ev.complex.combine(
        this.subscript(object.re, index, position),
        this.subscript(object.im, index, position),
      );
    }
    if (index.tag === 'scalar' && index.at !== undefined) {
      const element = this.elementAt(object, index.at, position);
      if (element !== null) return element;
    }
    switch (object.tag) {
      case 'list':
      case 'tuple': {
        if (object.tag === 'list' && object.bulk !== undefined && index.tag === 'scalar' && index.known !== undefined) {
          const k = this.staticIndex(index, this.ev.bulk.lengthOf(object), position);
          return this.ev.bulk.listElement(object, constantForm(k), position);
        }
        if (object.tag === 'list' && object.bulk !== undefined && index.tag === 'slice') {
          return this.ev.bulk.slice(object, index, position);
        }
        const items = object.tag === 'list' ? object.cells : object.items;
        if (index.tag === 'slice') {
          const positions = sliceIndices(index, items.length, position);
          this.ev.work.step(position, positions.length);
          const values = positions.map((k) =>
            object.tag === 'list' ? this.ev.cells.readAny(object.cells[k], position) : object.items[k],
          );
          return object.tag === 'list' ? this.ev.cells.list(values) : tuple(values);
        }
        if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, position);
        if (index.known === undefined) return this.gather(object, index, position);
        const k = this.staticIndex(index, items.length, position);
        return object.tag === 'list' ? this.ev.cells.readAny(object.cells[k], position) : object.items[k];
      }
      case 'ndarray':
        return this.ev.arrays.subscript(object, index, position);
      case 'masked':
        return maskedItem(this.ev, object, index, position);
      case 'filtered':
        return this.filteredItem(object, index, position);
      case 'dict': {
        if (isOpenKey(index)) return this.chooseEntry(object, index, position);
        const entry = object.entries.get(this.ev.cells.key(index, position));
        if (entry === undefined && object.factory !== undefined) {
          const made = this.ev.calls.call(object.factory, { args: [], keywords: new Map(), position });
          this.ev.stores.storeItem(object, index, made, position);
          return made;
        }
        if (entry === undefined) return this.ev.ops.raise(LaneStatus.Raised, 'KeyError');
        return this.ev.cells.readAny(entry.cell, position);
      }
      case 'string': {
        if (index.tag === 'scalar' && index.known !== undefined) {
          const characters = this.ev.knownTexts.characters(object.value, position);
          return string(characters[this.staticIndex(index, characters.length, position)]);
        }
        if (index.tag === 'slice') {
          const characters = this.ev.knownTexts.characters(object.value, position);
          const chosen = sliceIndices(index, characters.length, position).map((k) => characters[k]);
          return this.ev.knownTexts.joined(chosen, '', position);
        }
        throw new Unsupported('a character of text chosen by x', position);
      }
      case 'instance': {
        const method = classMember(object.cls, '__getitem__');
        if (method !== undefined)
          return this.ev.calls.call(method, { args: [object, index], keywords: new Map(), position });
        throw new Unsupported(`indexing ${typeName(object)}`, position);
      }
      case 'scalar':
        return this.scalarItem(object, index, position);
      case 'none':
      case 'function':
        return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        // np.s_[...]
        if (object.tag === 'module' && object.path === 'numpy.s_') return index;
        throw new Unsupported(`indexing ${typeName(object)}`, position);
    }
  }

  /** Python's numbers have no items, NumPy's only what an array without axes has. */
  private scalarItem(value: Scalar, index: Value, position: Position): AnyValue {
    const kinds = this.ev.ops.possibleKinds(value);
    if (!kinds.some(isNumPyKind)) return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    if (!kinds.every(isNumPyKind)) throw new Unsupported(`indexing ${typeName(value)}`, position);
    if (index.tag === 'tuple' && index.items.length === 0) return value;
    const isBool = index.tag === 'scalar' && isBoolKind(index.kind);
    if ((index.tag === 'scalar' && !isBool) || index.tag === 'slice' || index.tag === 'string')
      return this.ev.ops.raise(LaneStatus.IndexRange);
    if (index.tag !== 'none') throw new Unsupported(`indexing ${typeName(value)}`, position);
    return this.ev.arrays.subscript(this.ev.arrays.toArray(value, position), index, position);
  }

  /** An item of a list that a filter on x has left some items of: the first or the last. */
  private filteredItem(list: FilteredValue, index: Value, position: Position): AnyValue {
    const isEnd = index.tag === 'scalar' && (index.known === 0 || index.known === -1) && isIntKind(index.kind);
    if (list.isGenerator || !isEnd)
      throw new Unsupported('an item of a list filtered by x other than the first and the last', position);
    const order = index.known === 0 ? list.items : [...list.items].reverse();
    const none = order.reduce<Scalar>((all, { present }) => this.ev.ops.and(all, this.ev.ops.not(present)), bool(true));
    this.ev.ops.check(none, LaneStatus.IndexRange);
    const last = order.at(-1);
    if (last === undefined) return this.ev.ops.raise(LaneStatus.IndexRange);
    return order.slice(0, -1).reduceRight<AnyValue>(
      (rest, { value, present }) =>
        this.ev.branches.branch(
          present,
          () => value,
          () => rest,
          position,
        ),
      last.value,
    );
  }

  /** An element by an index that depends on those of rolled loops; null where the index is no position. */
  private elementAt(object: Value, index: IndexForm, position: Position): AnyValue | null {
    switch (object.tag) {
      case 'list':
        return this.ev.bulk.listElement(
          object,
          this.ev.bulk.within(index, this.ev.bulk.lengthOf(object), position),
          position,
        );
      case 'tuple': {
        if (object.range !== undefined && object.range.count.terms.length === 0) {
          return object.range.at(this.ev.bulk.within(index, object.range.count.offset, position));
        }
        return this.ev.bulk.pick(
          object.items.map((item) => this.ev.choices.plain(item, position)),
          this.ev.bulk.within(index, object.items.length, position),
          position,
        );
      }
      case 'ndarray':
        if (object.shape.length === 0) return null;
        return this.ev.arrays.rowAt(object, this.ev.bulk.within(index, object.shape[0], position), position);
      default:
        return null;
    }
  }

  /** The value of a dict under a key that depends on x: the known keys one by one. */
  private chooseEntry(dict: DictValue, key: Value, position: Position): AnyValue {
    const missing = this.ev.ops.not(this.ev.equality.hasKey(dict, key, position));
    // A factory adds the key.
    if (dict.factory === undefined) this.ev.ops.check(missing, LaneStatus.Raised, 'KeyError');
    else this.ev.ops.check(missing, LaneStatus.Untranslated);
    const entries = [...dict.entries.values()].flatMap(({ key: other, cell }) => {
      const equal = this.ev.equality.isKey(key, other, position);
      return equal.known === 0 ? [] : [{ equal, cell }];
    });
    const last = entries.pop();
    if (last === undefined) return this.ev.ops.raise(LaneStatus.Raised, 'KeyError');
    return entries.reduceRight<AnyValue>(
      (rest, { equal, cell }) =>
        this.ev.branches.branch(
          equal,
          () => this.ev.cells.readAny(cell, position),
          () => rest,
          position,
        ),
      this.ev.cells.readAny(last.cell, position),
    );
  }

  /** An element chosen by a number that depends on x: a chain of selects. */
  private gather(object: ListValue | TupleValue, index: Scalar, position: Position): AnyValue {
    const items = this.ev.sequences.iterateAny(object, position);
    return this.gatherFrom(items, index, position);
  }

  gatherFrom(items: readonly AnyValue[], index: Scalar, position: Position, noIndex: NoIndex = 'TypeError'): AnyValue {
    const chosen = this.chosenIndex(index, items.length, position, noIndex);
    return items.reduceRight((rest, item, k) => {
      const isIt = this.ev.ops.compare('==', chosen, int(k));
      if (item.tag === 'scalar' && rest.tag === 'scalar') return this.ev.ops.select(isIt, item, rest);
      return this.ev.branches.branch(
        isIt,
        () => item,
        () => rest,
        position,
      );
    });
  }

  /** An index that depends on x as a position from 0 to `length` - 1; out of range raises IndexError. */
  chosenIndex(index: Scalar, length: number, position: Position, noIndex: NoIndex = 'TypeError'): Scalar {
    // Where the index is known in each iteration, an unrolled loop needs no choice.
    if (isIndexed(index)) throw new RollFailure('an element by the index of a loop', position, cureOf(index));
    if (index.kind === 'float' || index.kind === 'npfloat') return this.ev.ops.refuseIndex(index, noIndex);
    if (index.kind === 'npbool') throw new Unsupported("NumPy's truth value as an index", position);
    if (length === 0) return this.ev.ops.raise(LaneStatus.IndexRange);
    this.ev.work.step(position, length);
    const negative = this.ev.ops.compare('<', index, int(0));
    const chosen = this.ev.ops.select(negative, this.ev.ops.binary('+', index, int(length), position), index);
    const outside = this.ev.ops.or(
      this.ev.ops.compare('<', chosen, int(0)),
      this.ev.ops.compare('>=', chosen, int(length)),
    );
    this.ev.ops.check(outside, LaneStatus.IndexRange);
    return chosen;
  }

  /** A position in a sequence of `length`, from an index known at compile time; out of range raises IndexError. */
  staticIndex(index: Scalar, length: number, position: Position, noIndex: NoIndex = 'TypeError'): number {
    this.ev.ops.locate(position);
    if (index.known === undefined)
      throw new Unsupported('a position that depends on x where it must be known', position);
    if (index.kind === 'float' || index.kind === 'npfloat') this.ev.ops.raise(LaneStatus.Raised, noIndex);
    if (index.kind === 'npbool') throw new Unsupported("NumPy's truth value as an index", position);
    const k = index.known < 0 ? index.known + length : index.known;
    if (k < 0 || k >= length) this.ev.ops.raise(LaneStatus.IndexRange);
    return k;
  }

  staticInt(value: Value, position: Position, what: string): number {
    if (value.tag !== 'scalar') throw new Unsupported(`${what} of type ${typeName(value)}`, position);
    if (value.known === undefined) throw new Unsupported(`${what} that depends on x`, position);
    if (!Number.isInteger(value.known) || value.kind === 'float' || value.kind === 'npfloat') {
      this.ev.ops.locate(position);
      this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    if (value.kind === 'npbool') throw new Unsupported(`${what} of NumPy's truth values`, position);
    return value.known;
  }
}
