/**
 * Cells: the places that a program writes, and the journals by which a branch is taken back.
 */
import { LaneStatus } from '../../ir/types.js';
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import { dictKey } from '../values/keys.js';
import {
  RollFailure,
  Unsupported,
  type AnyValue,
  type Cell,
  type ClassValue,
  type DictValue,
  type Held,
  type InstanceValue,
  type IteratorValue,
  type ListValue,
  type MaskedValue,
  type SetValue,
  type Value,
} from '../values/values.js';
import { impure } from './lasting-state.js';
import { COPIES_PER_STEP } from './work.js';

/** Cells written since a branch began, with the values to go back to. */
export interface Journal {
  readonly began: number;
  /** Of a loop whose body is followed once for all its rounds. */
  readonly isLoop: boolean;
  readonly cells: Map<Cell, Held | undefined>;
  readonly lists: Map<ListValue, Cell[]>;
  readonly used: IteratorValue[];
}

/** Writes of a side of a branch. */
export interface Effects {
  readonly cells: ReadonlyMap<Cell, Held | undefined>;
  readonly lists: ReadonlyMap<ListValue, Cell[]>;
  /** Iterators that it has used up. */
  readonly used: readonly IteratorValue[];
}

export class Cells {
  clock = 0;
  /** How often a variable got another value, and how often an element of a container did. */
  writes = 0;
  elementWrites = 0;
  /** How often evaluating an expression did more than give a value: changed what outlives it, raised what is caught. */
  effects = 0;
  /** How many of these changed only what was made since the latest `withEffects` began. */
  private innerEffects = 0;
  private since = Infinity;
  private elementWritesOfLoading = 0;
  private readonly readers: ((cell: Cell) => void)[] = [];
  readonly journals: Journal[] = [];
  /** Cell that holds an array of a length that depends on x; null where more than one may. */
  readonly holders = new WeakMap<MaskedValue, Cell | null>();

  constructor(private readonly ev: Core) {}

  /** On the clock by which journals know what is older than they are. */
  get now(): number {
    return this.clock;
  }

  /** Whether what was made then is no older than the branch or loop being evaluated. */
  isNew(born: number): boolean {
    const journal = this.journals[this.journals.length - 1];
    return journal === undefined || born >= journal.began;
  }

  isOpen(journal: Journal): boolean {
    return this.journals[this.journals.length - 1] === journal;
  }

  /** Tells whether no element of a container has been written since this call. */
  watchElements(): () => boolean {
    const { elementWrites } = this;
    return () => this.elementWrites === elementWrites;
  }

  /** No element has been written since the module was loaded. */
  get areElementsAsLoaded(): boolean {
    return this.elementWrites === this.elementWritesOfLoading;
  }

  endLoading(): void {
    this.elementWritesOfLoading = this.elementWrites;
  }

  /** Tells `note` of each variable, element and attribute that `run` reads, arrays as a whole left out. */
  watchReads<T>(note: (cell: Cell) => void, run: () => T): T {
    this.readers.push(note);
    try {
      return run();
    } finally {
      this.readers.pop();
    }
  }

  noteRead(cell: Cell): void {
    for (const note of this.readers) note(cell);
  }

  get isInLoop(): boolean {
    return this.journals.some(({ isLoop }) => isLoop);
  }

  /** Whether a variable holds the same in every round of the loops that are followed once, and is no state. */
  isSettled(cell: Cell): boolean {
    const isOfRound = ({ isLoop, cells, began }: Journal): boolean => isLoop && (cells.has(cell) || cell.born >= began);
    return !this.journals.some(isOfRound) && !this.ev.lasting.isState(cell);
  }

  cell(value: Held | undefined): Cell {
    this.refuseKept(value);
    const cell: Cell = { value, born: this.clock };
    if (value !== undefined) this.hold(value, cell);
    return cell;
  }

  /**
   * Notes who has an array of a length that depends on x. Such a value has no cells of its own, so that a change in
   * place is seen under one name only: two names for it would go apart.
   */
  private hold(value: Held, cell: Cell): void {
    if (value.tag !== 'masked') return;
    const holder = this.holders.get(value);
    if (holder === undefined) this.holders.set(value, cell);
    else if (holder !== cell) this.holders.set(value, null);
  }

  /** Values computed when they are made, in Python when used, must be used at once where the difference shows. */
  private refuseKept(value: Held | undefined): void {
    if (value?.tag === 'filtered' && value.isGenerator) {
      throw new Unsupported('a generator with a filter that depends on x, kept in a variable', this.ev.ops.here);
    }
    if (value?.tag === 'iterator' && value.hasEffects) {
      throw new Unsupported(`a ${value.name} with effects of its own, kept in a variable`, this.ev.ops.here);
    }
  }

  /** Runs `make` and tells whether it had effects. */
  withEffects<T>(make: () => T): {
    readonly result: T;
    readonly hasEffects: boolean;
    readonly hasOuterEffects: boolean;
  } {
    const { effects, innerEffects, since } = this;
    this.since = ++this.clock;
    try {
      const result = make();
      // What was not noted with its age reached anything.
      const inner = this.innerEffects - innerEffects;
      return { result, hasEffects: this.effects !== effects, hasOuterEffects: this.effects - effects > inner };
    } finally {
      this.since = since;
    }
  }

  /** Notes a change of something that was made then. */
  private changed(born: number): void {
    this.effects++;
    if (born >= this.since) this.innerEffects++;
  }

  list(values: readonly AnyValue[]): ListValue {
    this.ev.work.step(this.ev.ops.here, values.length);
    return { tag: 'list', cells: values.map((v) => this.cell(v)), born: this.clock, frozen: this.ev.loading };
  }

  write(cell: Cell, value: Held): void {
    this.refuseKept(value);
    this.hold(value, cell);
    if (cell.memory !== undefined) {
      this.writes++;
      this.ev.memory.write(cell.memory, this.ev.choices.plain(value, this.ev.ops.here), this.ev.ops.here);
      return;
    }
    if (cell.value !== undefined && value.tag !== 'iterator') this.writes++;
    const journal = this.journals[this.journals.length - 1];
    if (journal !== undefined && cell.born < journal.began && !journal.cells.has(cell)) {
      journal.cells.set(cell, cell.value);
    }
    cell.value = value;
  }

  /** Replaces a list's cells: append, pop, insert ... */
  restructure(list: ListValue, cells: Cell[], position: Position): void {
    if (list.frozen && !this.ev.loading) {
      // On some lanes it may be another list than on others.
      if (list.born > this.ev.loadedAt) throw impure(position);
      this.effects++;
      this.ev.lasting.touch(list);
      return;
    }
    if (list.bulk !== undefined) throw new RollFailure('a large list changes its length', position);
    this.ev.ties.refuseTied(list, position);
    this.ev.work.step(position, cells.length / COPIES_PER_STEP);
    this.elementWrites++;
    this.changed(list.born);
    const journal = this.journals[this.journals.length - 1];
    if (journal !== undefined && list.born < journal.began && !journal.lists.has(list)) {
      journal.lists.set(list, list.cells);
      list.cells = cells;
      return;
    }
    list.cells = cells;
  }

  /** Appends in place where no journal needs the old cells. */
  append(list: ListValue, value: AnyValue, position: Position): void {
    const journal = this.journals[this.journals.length - 1];
    if ((list.frozen && !this.ev.loading) || list.bulk !== undefined) {
      this.restructure(list, [], position);
    } else if (journal !== undefined && list.born < journal.began) {
      this.restructure(list, [...list.cells, this.cell(value)], position);
    } else {
      this.ev.ties.refuseTied(list, position);
      this.elementWrites++;
      this.changed(list.born);
      list.cells.push(this.cell(value));
    }
  }

  store(cell: Cell, frozen: boolean, value: AnyValue, position: Position): void {
    if (frozen && !this.ev.loading && cell.isCopy !== true) {
      if (!this.isLasting(cell)) throw impure(position);
      this.elementWrites++;
      this.effects++;
      this.ev.lasting.assign(cell, value, position);
      return;
    }
    if (cell.isCopy === true)
      throw new Unsupported('a store into a large list or array from inside a loop or branch', position);
    this.elementWrites++;
    this.changed(cell.born);
    if (this.ev.ties.carriedCells.has(cell)) {
      throw new Unsupported('storing into a list or array that a loop replaces, depending on x', position);
    }
    this.ev.ties.loseTied(cell, position);
    this.write(cell, value);
  }

  openJournal(isLoop = false): Journal {
    this.clock++;
    const journal: Journal = { began: this.clock, isLoop, cells: new Map(), lists: new Map(), used: [] };
    this.journals.push(journal);
    return journal;
  }

  /** Takes back everything written since `journal` began and returns it. */
  rollBack(journal: Journal): Effects {
    if (this.journals.pop() !== journal) throw new Error('journals must close in the reverse order of opening');
    this.clock++;
    const cells = new Map<Cell, Held | undefined>();
    for (const [cell, old] of journal.cells) {
      cells.set(cell, cell.value);
      cell.value = old;
    }
    const lists = new Map<ListValue, Cell[]>();
    for (const [list, old] of journal.lists) {
      lists.set(list, list.cells);
      list.cells = old;
    }
    for (const iterator of journal.used) iterator.used = false;
    return { cells, lists, used: journal.used };
  }

  /** Items can be asked for once. */
  useUp(iterator: IteratorValue): void {
    iterator.used = true;
    this.journals[this.journals.length - 1]?.used.push(iterator);
  }

  /** Whether it is there before the call and after it. */
  isLasting(cell: Cell): boolean {
    return !this.ev.loading && cell.born <= this.ev.loadedAt;
  }

  unbind(cell: Cell): void {
    const journal = this.journals[this.journals.length - 1];
    if (journal !== undefined && cell.born < journal.began && !journal.cells.has(cell)) {
      journal.cells.set(cell, cell.value);
    }
    cell.value = undefined;
  }

  /** What tells a key of a dict or set from others. */
  key(value: AnyValue, position: Position): string | number {
    const key = dictKey(value, position);
    if (typeof key === 'string') this.ev.work.step(position, key.length / COPIES_PER_STEP);
    return key;
  }

  dict(entries: readonly (readonly [Value, AnyValue])[], position: Position): DictValue {
    this.ev.work.step(position, entries.length);
    const map: DictValue['entries'] = new Map();
    for (const [key, value] of entries) map.set(this.key(key, position), { key, cell: this.cell(value) });
    return { tag: 'dict', entries: map, born: this.clock, frozen: this.ev.loading };
  }

  set(items: readonly Value[], position: Position, isFrozenSet = false): SetValue {
    this.ev.work.step(position, items.length);
    const entries = new Map<string | number, Value>();
    for (const item of items) {
      const key = this.key(item, position);
      if (!entries.has(key)) entries.set(key, item);
    }
    return { tag: 'set', isFrozenSet, entries, born: this.clock, frozen: this.ev.loading };
  }

  instance(cls: ClassValue): InstanceValue {
    return { tag: 'instance', cls, attributes: new Map(), born: this.clock, frozen: this.ev.loading };
  }

  /** Whether the contents of a container may be changed here, so that no branch has to undo it. */
  mayRestructure(container: { readonly born: number; readonly frozen: boolean }): boolean {
    if (container.frozen && !this.ev.loading) return false;
    const journal = this.journals[this.journals.length - 1];
    return journal === undefined || container.born >= journal.began;
  }

  readCell(cell: Cell, position: Position): Value {
    return this.ev.choices.plain(this.readAny(cell, position), position);
  }

  readAny(cell: Cell, position: Position): AnyValue {
    this.noteRead(cell);
    const value = cell.value;
    if (value === undefined) throw new Error('an element cell is always bound');
    if (value.tag === 'maybe') {
      // Elements are always there, attributes are not.
      this.ev.ops.check(this.ev.ops.not(value.bound), LaneStatus.Raised, 'AttributeError');
      if (value.value.tag === 'opaque') throw new Unsupported(value.value.reason, position);
      return value.value;
    }
    if (value.tag === 'opaque') {
      this.ev.lasting.read(value);
      throw new Unsupported(value.reason, position);
    }
    return value;
  }
}
