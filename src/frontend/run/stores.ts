/**
 * Stores into items of containers, also at positions and keys that depend on x.
 */
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import { impure } from '../machine/lasting-state.js';
import type { Position } from '../syntax/ast.js';
import { isIndexed } from '../values/indexed.js';
import { isOpenKey } from '../values/keys.js';
import { sliceIndices } from '../values/slices.js';
import {
  int,
  NONE,
  RollFailure,
  typeName,
  Unsupported,
  type AnyValue,
  type Cell,
  type DictValue,
  type ListValue,
  type Scalar,
  type SliceValue,
  type Value,
} from '../values/values.js';
import { classMember } from '../values/classes.js';
import type { Evaluator } from './evaluator.js';
import type { NoIndex } from '../machine/machine.js';

export class Stores {
  constructor(private readonly ev: Evaluator) {}

  storeItem(owner: AnyValue, at: AnyValue, value: AnyValue, position: Position): void {
    if (owner.tag === 'choice' || at.tag === 'choice') {
      this.ev.choices.eachOf(
        [owner, at],
        ([object, index]) => (this.storeItem(object, index, value, position), NONE),
        position,
      );
      return;
    }
    const object = this.ev.choices.plain(owner, position);
    const index = this.ev.choices.plain(at, position);
    switch (object.tag) {
      case 'list': {
        if (index.tag === 'slice') {
          this.storeSlice(object, index, this.ev.choices.plain(value, position), position);
          return;
        }
        if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, position);
        if (index.at !== undefined && object.bulk === undefined) {
          const at = this.ev.bulk.within(index.at, object.cells.length, position);
          this.storeByForm(object.cells, object.frozen, at, this.ev.choices.plain(value, position), position);
          return;
        }
        if (index.known === undefined && !isIndexed(index)) {
          const put = (k: number): void => this.ev.cells.store(object.cells[k], object.frozen, value, position);
          this.storeAtChosen(index, object.cells.length, put, position);
          return;
        }
        const k = this.ev.items.staticIndex(index, object.cells.length, position);
        this.ev.cells.store(object.cells[k], object.frozen, value, position);
        return;
      }
      case 'ndarray':
        this.ev.arrays.storeItem(object, index, this.ev.choices.plain(value, position), position);
        return;
      case 'complexarray': {
        const source = this.ev.complex.operand(this.ev.choices.plain(value, position), position);
        this.ev.arrays.storeItem(object.re, index, this.ev.complex.partOf(source, 're'), position);
        this.ev.arrays.storeItem(object.im, index, this.ev.complex.partOf(source, 'im'), position);
        return;
      }
      case 'dict': {
        if (object.frozen && !this.ev.loading) {
          if (object.born > this.ev.loadedAt) throw impure(position);
          this.ev.cells.effects++;
          this.ev.lasting.storeEntry(object, index, value, position);
          return;
        }
        if (isOpenKey(index) && object.entries.size > 0) {
          this.storeAtChosenKey(object, index, value, position);
          return;
        }
        const key = this.ev.cells.key(index, position);
        const entry = object.entries.get(key);
        if (entry !== undefined) this.ev.cells.store(entry.cell, object.frozen, value, position);
        else {
          if (!this.ev.cells.mayRestructure(object)) {
            throw new Unsupported('adding a key to a dict in a branch that depends on x', position);
          }
          this.ev.cells.effects++;
          object.entries.set(key, { key: index, cell: this.ev.cells.cell(value) });
        }
        return;
      }
      case 'instance': {
        const method = classMember(object.cls, '__setitem__');
        if (method === undefined) throw new Unsupported(`item assignment to ${typeName(object)}`, position);
        this.ev.calls.call(method, { args: [object, index, value], keywords: new Map(), position });
        return;
      }
      case 'scalar':
      case 'tuple':
      case 'string':
      case 'none':
        this.ev.ops.locate(position);
        return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        throw new Unsupported(`item assignment to ${typeName(object)}`, position);
    }
  }

  /** `a[i:j] = values`: any number of values takes the place of those between; with a step there are as many. */
  private storeSlice(list: ListValue, slice: SliceValue, value: Value, position: Position): void {
    // The bounds are known before it is used up.
    this.ev.sequences.inTurns(value, position);
    const items = this.ev.sequences.iterateAny(value, position);
    const { cells } = list;
    const places = sliceIndices(slice, cells.length, position);
    if ((slice.step ?? 1) !== 1) {
      if (items.length !== places.length) return this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
      places.forEach((k, j) => this.ev.cells.store(cells[k], list.frozen, items[j], position));
      return;
    }
    const [start] = sliceIndices({ lower: slice.lower, upper: null, step: null }, cells.length, position);
    const at = start ?? cells.length;
    const made = items.map((v) => this.ev.cells.cell(v));
    this.ev.cells.restructure(list, [...cells.slice(0, at), ...made, ...cells.slice(at + places.length)], position);
  }

  /** A store to the cell at a position that depends on indices of rolled loops: in memory. */
  storeByForm(cells: readonly Cell[], frozen: boolean, at: IndexForm, value: Value, position: Position): void {
    if (frozen && !this.ev.loading) throw impure(position);
    const run = this.ev.memory.runOf(cells);
    if (run === undefined) throw new RollFailure('a store at an index of the loop', position, { cells });
    this.ev.cells.elementWrites++;
    this.ev.cells.effects++;
    this.ev.cells.writes++;
    this.ev.memory.write(this.ev.memory.placeIn(run, at), value, position);
  }

  /** A store under a key that depends on x: to an entry that is there; where there is none, CPython adds it. */
  private storeAtChosenKey(dict: DictValue, key: Value, value: AnyValue, position: Position): void {
    this.ev.ops.check(this.ev.ops.not(this.ev.equality.hasKey(dict, key, position)), LaneStatus.Untranslated);
    for (const { key: other, cell } of [...dict.entries.values()]) {
      this.ev.branches.branch(
        this.ev.equality.isKey(key, other, position),
        () => (this.ev.cells.store(cell, dict.frozen, value, position), NONE),
        () => NONE,
        position,
      );
    }
  }

  /** A store at a position that depends on x: `store` is asked for every position, each for the lanes that mean it. */
  storeAtChosen(
    index: Scalar,
    length: number,
    store: (k: number) => void,
    position: Position,
    noIndex: NoIndex = 'TypeError',
  ): void {
    const chosen = this.ev.items.chosenIndex(index, length, position, noIndex);
    for (let k = 0; k < length; k++) {
      this.ev.branches.branch(
        this.ev.ops.compare('==', chosen, int(k)),
        () => {
          store(k);
          return NONE;
        },
        () => NONE,
        position,
      );
    }
  }
}
