/**
 * Large lists and arrays, whose elements are given by a rule instead of cells: `element` of some index forms. What they
 * hold is the candidate, a table of known numbers, a local array of the IR, or an expression of other elements. Rolled
 * loops run over them without a trace of their length in the IR.
 *
 * A `Storage` is what NumPy calls the base of an array: views share it. Its elements never change; a program that
 * stores into one is compiled without any.
 */
import type { ArrayId } from '../../ir/builder.js';
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import type { IndexForm } from '../../ir/types.js';
import type { ArrayMachine } from './array-machine.js';
import type { Position } from '../syntax/ast.js';
import { isIndexed } from '../values/indexed.js';
import type { BulkView, Element, Elements, Storage } from '../values/large.js';
import { joinKinds } from '../values/scalar-kinds.js';
import { sliceIndices } from '../values/slices.js';
import {
  dynamic,
  isBoolKind,
  isNumPyKind,
  RollFailure,
  tuple,
  typeName,
  type Cell,
  type ComplexValue,
  type ListValue,
  type NdArray,
  type Scalar,
  type ScalarKind,
  type SliceValue,
  type Value,
} from '../values/values.js';
import { linear, rowMajor, sizeOf } from './shapes.js';

/** Lists and arrays from this many elements on are bulk. */
const BULK_SIZE = 64;

const same = (at: readonly IndexForm[]): readonly IndexForm[] => at;

export class BulkOps {
  constructor(private readonly ev: ArrayMachine) {}

  /** Whether a list or array of `n` elements is kept as one. */
  isLarge(n: number): boolean {
    const { roll } = this.ev;
    return roll !== 'never' && n >= (roll === 'always' ? 1 : BULK_SIZE);
  }

  storage(shape: readonly number[], kind: ScalarKind, element: Element, cost = 1): Storage {
    return { shape, kind, element, array: null, born: this.ev.cells.now, cost };
  }

  /** The candidate: a list of floats or an array. */
  candidate(kind: 'float' | 'npfloat', shape: readonly number[]): ListValue | NdArray {
    const { builder } = this.ev;
    const storage = this.storage(shape, kind, (at) =>
      dynamic(kind, builder.load(builder.candidate(), linear(at, shape))),
    );
    return kind === 'float' ? this.listOn({ storage, toBase: same }, shape[0]) : this.arrayOn(storage);
  }

  arrayOn(storage: Storage): NdArray {
    if (!isNumPyKind(storage.kind)) throw new Error('an array of Python numbers');
    return this.view(storage.shape, { storage, toBase: same }, rowMajor(storage.shape), this.ev.loading);
  }

  view(shape: readonly number[], bulk: BulkView, strides: readonly number[], frozen: boolean): NdArray {
    const { ev } = this;
    return {
      tag: 'ndarray',
      shape,
      kind: bulk.storage.kind as NdArray['kind'],
      get cells() {
        return ev.bulk.expand(shape, bulk);
      },
      strides,
      frozen,
      bulk,
    };
  }

  listOn(bulk: BulkView, length: number, frozen = this.ev.loading): ListValue {
    const { ev } = this;
    return {
      tag: 'list',
      get cells() {
        return ev.bulk.expand([length], bulk);
      },
      set cells(_) {
        throw new RollFailure('a large list changes its length', ev.ops.here);
      },
      bulk,
      born: ev.cells.now,
      frozen,
    };
  }

  /** All elements, one by one. */
  private expand(shape: readonly number[], bulk: BulkView): Cell[] {
    const size = sizeOf(shape);
    this.ev.work.step(this.ev.ops.here, size);
    const at = shape.map(() => 0);
    return Array.from({ length: size }, () => {
      const value = bulk.storage.element(bulk.toBase(at.map(constantForm)));
      for (let k = at.length - 1; k >= 0; k--) {
        if (++at[k] < shape[k]) break;
        at[k] = 0;
      }
      return { value, born: this.ev.cells.now, isCopy: true as const };
    });
  }

  // ---- elements by form ----

  /** `position` counted from the start, where -1 is the last of `length`. */
  within(position: IndexForm, length: number, at: Position): IndexForm {
    const { min, max } = this.ev.builder.rangeOf(position);
    if (min >= 0 && max < length) return position;
    if (max < 0 && min >= -length) return addForms(position, constantForm(length));
    throw this.wraps(position, min < 0 ? 'min' : 'max', at);
  }

  /** Taking the iteration out of the loop at which the smallest or largest value occurs may help. */
  private wraps(position: IndexForm, which: 'min' | 'max', at: Position): RollFailure {
    const term = position.terms[position.terms.length - 1];
    const end = term.scale > 0 === (which === 'min') ? 'first' : 'last';
    return new RollFailure('an index that wraps around or leaves its range', at, { index: term.index, end });
  }

  /** One of some values, which are all there are, by its position. */
  pick(values: readonly Value[], position: IndexForm, at: Position): Value {
    if (position.terms.length === 0) return values[position.offset];
    const [first] = values;
    if (values.every((v) => v === first)) return first;
    if (values.every((v): v is Scalar => v.tag === 'scalar')) return this.pickScalar(values, position, at);
    if (first.tag === 'complex' && values.every((v) => v.tag === 'complex' && v.isNumPy === first.isNumPy)) {
      const part = (name: 're' | 'im'): Scalar =>
        this.pickScalar(
          values.map((v) => (v as ComplexValue)[name]),
          position,
          at,
        );
      return { ...first, re: part('re'), im: part('im') };
    }
    if (first.tag === 'tuple' && values.every((v) => v.tag === 'tuple' && v.items.length === first.items.length)) {
      return tuple(
        first.items.map((_, k) =>
          this.pick(
            values.map((v) => this.ev.choices.plain((v as typeof first).items[k], at)),
            position,
            at,
          ),
        ),
      );
    }
    if (first.tag === 'list' && values.every((v) => v.tag === 'list')) return this.pickRow(values, position, at);
    throw new RollFailure(`an index that picks one of several values of type ${typeName(first)}`, at);
  }

  private pickScalar(values: readonly Scalar[], position: IndexForm, at: Position): Scalar {
    const { builder, ops } = this.ev;
    const kind = values.map((s) => s.kind).reduce(joinKinds);
    for (const s of values) {
      if (isNumPyKind(s.kind) !== isNumPyKind(kind) || isBoolKind(s.kind) !== isBoolKind(kind)) {
        throw new RollFailure('an index that picks one of several types of numbers', at);
      }
    }
    if (values.every((s) => s.known !== undefined)) {
      const numbers = values.map((s) => s.known as number);
      if (values.every((s) => s.kind === kind)) return ops.pickKnown(kind, numbers, position);
      return this.ofAnyKind(values, builder.load(builder.table(Float64Array.from(numbers)), position));
    }
    const coordinates = values.map((s) =>
      s.known !== undefined || isIndexed(s) ? undefined : builder.coordinateOf(s.id),
    );
    const [c0, c1] = coordinates;
    if (c0 !== undefined && c1 !== undefined && coordinates.every((c, k) => c === c0 + k * (c1 - c0))) {
      const form = addForms(constantForm(c0), scaleForm(position, c1 - c0));
      return dynamic(kind, builder.load(builder.candidate(), form));
    }
    if (values.some((s) => ops.isNotCertain(s))) throw new RollFailure('numbers of uncertain types', at);
    const array = builder.arrayOf(values.map((s) => ops.f64(s)));
    return this.ofAnyKind(values, builder.load(array, position));
  }

  /** The number that is one of some, with the kinds of all. */
  private ofAnyKind(values: readonly Scalar[], number: number): Scalar {
    const kind = values.map((s) => s.kind).reduce(joinKinds);
    const [first] = values;
    const others = values.filter((s) => s.kind !== first.kind);
    return others.reduce((merged, s) => this.ev.ops.joined(first, s, merged), this.asKind(kind, number));
  }

  /** A number as the scalar of a kind; truth values are kept as 0 and 1. */
  asKind(kind: ScalarKind, number: number): Scalar {
    if (!isBoolKind(kind)) return dynamic(kind, number);
    return dynamic(kind, this.ev.builder.op('ne', number, this.ev.builder.const(0)));
  }

  /** A row of a matrix given as lists of equal length: its elements are picked in their turn. */
  private pickRow(rows: readonly ListValue[], position: IndexForm, at: Position): Value {
    const width = this.lengthOf(rows[0]);
    if (rows.some((row) => this.lengthOf(row) !== width)) throw new RollFailure('rows of different lengths', at);
    const { ev } = this;
    if (rows.some((row) => row.bulk !== undefined)) throw new RollFailure('rows that are large themselves', at);
    const cells = rows.flatMap((row) => row.cells.map((cell) => ev.cells.readCell(cell, at)));
    if (!cells.every((v): v is Scalar => v.tag === 'scalar'))
      throw new RollFailure('rows of other values than numbers', at);
    const kind = cells.map((s) => s.kind).reduce(joinKinds);
    // A row is the list itself, not a copy: what is stored into it later would have to show.
    const isSame = ev.cells.watchElements();
    const storage = this.storage([width], kind, ([j]) => {
      if (!isSame()) throw new RollFailure('rows of a matrix that changes', at);
      return this.pickScalar(cells, addForms(scaleForm(position, width), j), at);
    });
    return this.listOn({ storage, toBase: same }, width, true);
  }

  lengthOf(list: ListValue): number {
    return list.bulk === undefined ? list.cells.length : list.bulk.storage.shape[0];
  }

  /** Elements that a rolled loop can run over; null where only single items can be had. */
  elementsOf(value: Value, at: Position): Elements | null {
    switch (value.tag) {
      case 'list': {
        const length = this.lengthOf(value);
        return { count: constantForm(length), at: (form) => this.listElement(value, form, at) };
      }
      case 'tuple':
        if (value.range !== undefined) return value.range;
        return {
          count: constantForm(value.items.length),
          at: (form) => {
            for (let k = 0; value.isCurrent !== undefined && k <= value.items.length; k++)
              if (!value.isCurrent(k)) throw new RollFailure('a view of a dict that has changed since', at);
            const items = value.items.map((item) => this.ev.choices.plain(item, at));
            return this.pick(items, form, at);
          },
        };
      case 'ndarray':
        if (value.shape.length === 0) return null;
        return {
          count: constantForm(value.shape[0]),
          at: (form) => this.ev.arrays.rowAt(value, form, at),
        };
      case 'complexarray': {
        const [re, im] = [this.elementsOf(value.re, at), this.elementsOf(value.im, at)];
        if (re === null || im === null) return null;
        return { count: re.count, at: (form) => this.ev.complex.combine(re.at(form), im.at(form)) };
      }
      case 'iterator':
        return value.used || (value.frozen && !this.ev.loading) ? null : (value.elements ?? null);
      default:
        return null;
    }
  }

  /** A part of a large list: a copy. */
  slice(list: ListValue & { readonly bulk?: BulkView | undefined }, slice: SliceValue, at: Position): ListValue {
    const positions = sliceIndices(slice, this.lengthOf(list), at);
    const { storage, toBase } = list.bulk as BulkView;
    const { element, kind } = storage;
    const start = constantForm(positions[0] ?? 0);
    const step = slice.step ?? 1;
    const part = this.storage([positions.length], kind, ([k]) =>
      element(toBase([addForms(scaleForm(k, step), start)])),
    );
    return this.listOn({ storage: part, toBase: same }, positions.length);
  }

  /** An element of a list; `position` is from the start and inside. */
  listElement(list: ListValue, position: IndexForm, at: Position): Value {
    if (list.bulk !== undefined) return list.bulk.storage.element(list.bulk.toBase([position]));
    if (position.terms.length === 0) return this.ev.cells.readCell(list.cells[position.offset], at);
    const run = this.ev.memory.runOf(list.cells);
    if (run !== undefined) return this.ev.memory.load(this.ev.memory.placeIn(run, position));
    return this.pick(
      list.cells.map((cell) => this.ev.cells.readCell(cell, at)),
      position,
      at,
    );
  }

  /** A list of numbers, computed one after the other into a local array; null where that cannot be rolled. */
  collect(elements: Elements, at: Position): ListValue | null {
    const { ev } = this;
    const { builder } = ev;
    const length = elements.count.offset;
    const array = builder.localArray(length);
    let kind: ScalarKind | undefined;
    const isDone = ev.branches.attempt(() => {
      ev.counted.run(elements.count, at, (form) => {
        ev.work.step(at);
        const item = elements.at(form);
        if (item.tag !== 'scalar' || ev.ops.isNotCertain(item))
          throw new RollFailure('a list of other values than numbers', at);
        if (kind !== undefined && kind !== item.kind) throw new RollFailure('a list of several types of numbers', at);
        kind = item.kind;
        builder.store(array, form, ev.ops.f64(item));
      });
    });
    if (!isDone || kind === undefined) return null;
    const storage = this.memory([length], kind, array);
    return this.listOn({ storage, toBase: same }, length);
  }

  memory(shape: readonly number[], kind: ScalarKind, array: ArrayId): Storage {
    const element: Element = (at) => this.asKind(kind, this.ev.builder.load(array, linear(at, shape)));
    return { shape, kind, element, array, born: this.ev.cells.now, cost: 1 };
  }

  /** Numbers in arithmetic progression, as `range` gives them. */
  progression(start: IndexForm, step: number, count: IndexForm): Elements {
    const { ops } = this.ev;
    return { count, at: (form) => ops.formScalar('int', addForms(start, scaleForm(form, step))) };
  }
}
