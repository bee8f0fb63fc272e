/**
 * NumPy arrays of static shape: element-wise operations with broadcasting, indexing (views share cells), reductions in
 * NumPy's own order of summation.
 */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import type { ArrayMachine } from './array-machine.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import { isIndexed } from '../values/indexed.js';
import { sliceIndices } from '../values/slices.js';
import {
  bool,
  int,
  isBoolKind,
  isIntKind,
  known,
  RollFailure,
  toNumPyKind,
  tuple,
  typeName,
  Unsupported,
  type ArrayKind,
  type Cell,
  type MaskedValue,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import { frontAxis } from './axes.js';
import { isSameMask, mapMasked, masked, maskedDot, maskedItem } from './masked.js';
import { linear, rowMajor } from './shapes.js';

const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** `[:]` along an axis. */
const ALL: Value = { tag: 'slice', lower: null, upper: null, step: null };

/** Of complex numbers, NumPy adds as many side by side, of real ones twice as many. */
export const COMPLEX_WIDTH = 4;

/** NumPy's own limit. */
const MAX_RANK = 32;

export class ArrayOps {
  constructor(private readonly ev: ArrayMachine) {}

  // ---- making ----

  make(
    shape: readonly number[],
    kind: ArrayKind,
    items: readonly Scalar[],
    strides: readonly number[] = rowMajor(shape),
    frozen = this.ev.loading,
  ): NdArray {
    const { ev } = this;
    ev.work.step(ev.ops.here, items.length);
    if (!items.some((s) => ev.ops.isNotCertain(s))) {
      const cells = items.map((s) => ev.cells.cell(ev.ops.retag(s, kind)));
      return { tag: 'ndarray', shape, kind, cells, strides, frozen };
    }
    const array = { tag: 'ndarray', shape, kind, strides, frozen } as const;
    if (!this.mayBeNarrower(items, kind))
      return { ...array, cells: items.map((s) => ev.cells.cell(ev.ops.certain(s, kind))) };
    if (kind !== 'npfloat') throw new Unsupported('an array of truth values or numbers, depending on x', ev.ops.here);
    const cells = items.map((s) => ev.cells.cell(ev.ops.sometimesInt(s)));
    return { ...array, cells, isSometimesInt: true };
  }

  /** Whether numbers of which not all are of one kind on all lanes make an array of a narrower kind on some. */
  private mayBeNarrower(items: readonly Scalar[], kind: ArrayKind): boolean {
    const { ops } = this.ev;
    if (kind === 'npbool') return false;
    const isNarrow = (s: Scalar): boolean =>
      kind === 'npfloat' ? isIntKind(s.kind) || isBoolKind(s.kind) || ops.isSometimesInt(s) : ops.isSometimesBool(s);
    return items.every(isNarrow) && items.some((s) => widerKind(toNumPyKind(s.kind), kind) === toNumPyKind(s.kind));
  }

  filled(shape: readonly number[], kind: ArrayKind, value: Scalar, position: Position): NdArray {
    const size = product(shape);
    this.ev.work.step(position, size);
    return this.make(shape, kind, new Array<Scalar>(size).fill(value));
  }

  /** A view on cells of another array. */
  private view(base: NdArray, shape: readonly number[], cells: readonly Cell[], strides: readonly number[]): NdArray {
    const position = this.ev.ops.here;
    this.ev.work.step(position, cells.length / COPIES_PER_STEP);
    if (shape.length > MAX_RANK) throw new Unsupported(`an array of ${shape.length} dimensions`, position);
    return {
      tag: 'ndarray',
      shape,
      kind: base.kind,
      cells,
      strides,
      frozen: base.frozen,
      ...(base.isSometimesInt === true && { isSometimesInt: true }),
    };
  }

  /** A view on the elements at some positions. */
  viewAt(base: NdArray, shape: readonly number[], positions: readonly number[], strides: readonly number[]): NdArray {
    const { cells } = base;
    return this.view(
      base,
      shape,
      positions.map((k) => cells[k]),
      strides,
    );
  }

  /** The array with its elements as another kind; itself where it has that kind. */
  ofKind(array: NdArray, kind: ArrayKind, position: Position): NdArray {
    if (array.kind === kind && array.isSometimesInt !== true) return array;
    const items = this.items(array).map((s) => this.cast(s, kind, position));
    return this.make(array.shape, kind, items, this.stridesOfCopy(array));
  }

  /** The diagonal of a matrix: a view that cannot be written to. */
  diagonal(array: NdArray): NdArray {
    const [rows, columns] = array.shape;
    const all = array.cells;
    const cells = Array.from({ length: Math.min(rows, columns) }, (_, k) => all[k * columns + k]);
    const step = array.strides[0] + array.strides[1];
    return { ...this.view(array, [cells.length], cells, [step]), frozen: true };
  }

  /** The elements along all axes from last to first. */
  reversed(array: NdArray): NdArray {
    const strides = array.strides.map((step) => -step);
    return this.view(array, array.shape, [...array.cells].reverse(), strides);
  }

  items(array: NdArray): Scalar[] {
    return array.cells.map((cell) => this.read(cell));
  }

  private read(cell: Cell): Scalar {
    return this.ev.cells.readCell(cell, this.ev.ops.here) as Scalar;
  }

  /** A copy that is nested in memory as the array is. */
  copy(array: NdArray): NdArray {
    const large = this.ev.bulkArrays.copyToMemory(array, this.ev.ops.here);
    if (large !== null) return large;
    return this.make(array.shape, array.kind, this.items(array), this.stridesOfCopy(array));
  }

  /** A copy in the order of the indices. */
  copyRowMajor(array: NdArray): NdArray {
    return this.make(array.shape, array.kind, this.items(array));
  }

  stridesOfCopy(array: NdArray): readonly number[] {
    return stridesOfResult([array], array.shape);
  }

  /** What `np.asarray` makes of a value: numbers, sequences of equal shape, arrays. */
  toArray(value: Value, position: Position): NdArray {
    if (value.tag === 'ndarray') return value;
    if (value.tag === 'scalar') return this.make([], toNumPyKind(value.kind), [value]);
    if (value.tag === 'list' && value.bulk !== undefined)
      return this.ev.bulkArrays.ofList(value.bulk, this.ev.bulk.lengthOf(value));
    if (value.tag === 'list' || value.tag === 'tuple') {
      const items = this.ev.sequences.iterate(value, position);
      if (items.length > 0 && items.every((item): item is Scalar => item.tag === 'scalar')) {
        const kind = items.reduce<ArrayKind>((k, s) => widerKind(k, toNumPyKind(s.kind)), toNumPyKind(items[0].kind));
        this.ev.work.step(position, items.length);
        return this.make([items.length], kind, items);
      }
      const parts = items.map((item) => this.toArray(item, position));
      if (parts.length === 0) return this.make([0], 'npfloat', []);
      const [first] = parts;
      if (parts.some((p) => p.shape.length !== first.shape.length || p.shape.some((n, k) => n !== first.shape[k]))) {
        throw new Unsupported('an array made of rows of different lengths', position);
      }
      this.ev.work.step(position, parts.length);
      const kind = parts.map((p) => p.kind).reduce(widerKind);
      return this.make(
        [parts.length, ...first.shape],
        kind,
        parts.flatMap((p) => this.items(p)),
      );
    }
    throw new Unsupported(`an array of ${typeName(value)}`, position);
  }

  /** The result of a function that gives an array without axes where others of its kind give a number. */
  withoutAxes(value: Value): Value {
    return value.tag === 'scalar' ? this.make([], toNumPyKind(value.kind), [value]) : value;
  }

  /** A 0-d result of an element-wise operation is a NumPy scalar. */
  private unwrap(array: NdArray): Value {
    return array.shape.length === 0 ? this.ev.ops.retag(this.read(array.cells[0]), array.kind) : array;
  }

  /** The same elements in some order, where it is not known in which they are; for what does not depend on it. */
  withoutOrder(array: NdArray): NdArray {
    if (array.bulk !== undefined || !array.cells.some((cell) => cell.value?.tag === 'opaque')) return array;
    const groups = new Map<object, { readonly members: readonly Scalar[]; count: number }>();
    const items: Scalar[] = [];
    for (const { value } of array.cells) {
      if (value?.tag === 'scalar') items.push(value);
      else if (value?.tag === 'opaque' && value.group !== undefined) {
        const seen = groups.get(value.group);
        if (seen === undefined) groups.set(value.group, { members: value.group.members, count: 1 });
        else seen.count++;
      } else return array;
    }
    const all = [...groups.values()];
    // Of a part that is not whole, it is not known which elements these are.
    if (all.some(({ members, count }) => members.length !== count)) return array;
    return this.make([array.cells.length], array.kind, [...items, ...all.flatMap(({ members }) => members)]);
  }

  // ---- element-wise ----

  broadcastShape(
    a: readonly number[],
    b: readonly number[],
    mismatch: 'ValueError' | 'IndexError' = 'ValueError',
  ): number[] {
    const rank = Math.max(a.length, b.length);
    const shape: number[] = [];
    for (let k = 0; k < rank; k++) {
      const p = a[a.length - rank + k] ?? 1;
      const q = b[b.length - rank + k] ?? 1;
      // Operands could not be broadcast together.
      if (p !== q && p !== 1 && q !== 1) this.ev.ops.raise(LaneStatus.Raised, mismatch);
      shape.push(p === 1 ? q : p);
    }
    return shape;
  }

  /** Positions in an array of `shape` for each element of the broadcast `target`. */
  private broadcastIndex(shape: readonly number[], target: readonly number[]): number[] {
    this.ev.work.step(this.ev.ops.here, product(target));
    let indices = [0];
    const offset = target.length - shape.length;
    let stride = product(shape);
    const strides = shape.map((n) => (stride = n === 0 ? 0 : stride / n));
    for (let k = 0; k < target.length; k++) {
      const n = target[k];
      const s = k < offset || shape[k - offset] === 1 ? 0 : strides[k - offset];
      const next: number[] = [];
      for (const base of indices) for (let j = 0; j < n; j++) next.push(base + j * s);
      indices = next;
    }
    return indices;
  }

  broadcastTo(array: NdArray, shape: readonly number[]): readonly Cell[] {
    if (array.shape.length === shape.length && array.shape.every((n, k) => n === shape[k])) return array.cells;
    // Of a large array `cells` builds every element.
    const { cells } = array;
    return this.broadcastIndex(array.shape, shape).map((k) => cells[k]);
  }

  /** Applies a scalar function to broadcast operands; `kind` absent: the widest of the results. */
  map(values: readonly Value[], fn: (...s: Scalar[]) => Scalar, position: Position, kind?: ArrayKind): Value {
    if (values.some((v) => v.tag === 'masked')) return mapMasked(this.ev, values, fn, position, kind);
    const arrays = values.map((v) => this.toArray(v, position));
    const shape = arrays.map((a) => a.shape).reduce((p, q) => this.broadcastShape(p, q));
    const bulk = this.ev.bulkArrays.elementwise(arrays, shape, fn, position, kind);
    if (bulk !== null) return bulk;
    const size = product(shape);
    this.ev.work.step(position, size);
    const columns = arrays.map((a) => this.broadcastTo(a, shape));
    const { ops } = this.ev;
    const results: Scalar[] = [];
    const item = (j: number, k: number): Scalar => ops.retag(this.read(columns[j][k]), arrays[j].kind);
    let widest: ArrayKind | undefined;
    for (let k = 0; k < size; k++) {
      ops.line = position.line;
      // Large matrices of data are computed with here.
      const result =
        columns.length === 1
          ? fn(item(0, k))
          : columns.length === 2
            ? fn(item(0, k), item(1, k))
            : fn(...columns.map((_, j) => item(j, k)));
      const made = toNumPyKind(result.kind);
      widest = widest === undefined || widest === made ? made : widerKind(widest, made);
      results.push(result);
    }
    const resultKind = kind ?? widest ?? 'npfloat';
    return this.unwrap(this.make(shape, resultKind, results, stridesOfResult(arrays, shape)));
  }

  binary(operator: BinaryOperator, a: Value, b: Value, position: Position): Value {
    if (operator === '@') return this.matmul(a, b, position);
    const { ops } = this.ev;
    // Also where there are no elements, or their shapes do not fit.
    const hasBits = (v: Value): boolean => {
      if (v.tag === 'masked') return true;
      const array = this.toArray(v, position);
      this.refuseSometimesInt(array, position);
      return array.kind !== 'npfloat';
    };
    if (['&', '|', '^', '<<', '>>'].includes(operator) && ![a, b].map(hasBits).every(Boolean))
      return ops.raise(LaneStatus.Raised, 'TypeError');
    // An array to the power 0.5 takes roots; a scalar's power differs at -0 and -inf.
    if (operator === '**' && b.tag === 'scalar' && b.known === 0.5) {
      const root = (s: Scalar): Scalar => this.ev.ops.sqrt(this.ev.ops.retag(s, 'npfloat'), 'npfloat');
      return this.map([a], root, position, 'npfloat');
    }
    if (operator !== '**') return this.map([a, b], (p, q) => ops.binary(operator, p, q, position), position);
    const outer = ops.isArrayPower;
    ops.isArrayPower = true;
    try {
      return this.map([a, b], (p, q) => ops.binary(operator, p, q, position), position);
    } finally {
      ops.isArrayPower = outer;
    }
  }

  unary(operator: '+' | '-' | '~', a: Value, position: Position): Value {
    if (operator === '~' && a.tag === 'ndarray') this.refuseSometimesInt(a, position);
    if (operator === '~' && a.tag === 'ndarray' && a.kind === 'npfloat')
      return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    return this.map([a], (s) => this.ev.operators.unary(operator, s, position) as Scalar, position);
  }

  /** Arrays that cannot be compared element by element: older versions of NumPy call them unequal, newer ones raise. */
  refuseMisfits(a: Value, b: Value, position: Position): void {
    if (a.tag === 'masked' || b.tag === 'masked') return;
    const [p, q] = [a, b].map((v) => [...this.toArray(v, position).shape].reverse());
    if (p.some((n, k) => n !== 1 && k < q.length && q[k] !== 1 && n !== q[k]))
      throw new Unsupported('a comparison of arrays whose shapes do not fit', position);
  }

  compare(operator: ComparisonOperator, a: Value, b: Value, position: Position): Value {
    if (operator === '==' || operator === '!=') this.refuseMisfits(a, b, position);
    return this.map([a, b], (p, q) => this.ev.ops.compare(operator, p, q), position, 'npbool');
  }

  convert(s: Scalar, kind: ArrayKind, position: Position): Scalar {
    if (kind === 'npint' && !isIntKind(s.kind) && !isBoolKind(s.kind)) {
      return this.ev.ops.retag(this.ev.ops.toInt(s, 'trunc', position), 'npint');
    }
    return this.ev.ops.certain(s, kind);
  }

  /** As `convert`, for a whole array: what is not finite becomes some integer there, instead of raising. */
  cast(s: Scalar, kind: ArrayKind, position: Position): Scalar {
    if (kind === 'npint' && !isIntKind(s.kind) && !isBoolKind(s.kind)) {
      this.ev.ops.check(this.ev.ops.not(this.ev.ops.isFinite(s)), LaneStatus.Untranslated);
    }
    return this.convert(s, kind, position);
  }

  // ---- indexing ----

  rows(array: NdArray, position: Position): Value[] {
    if (array.shape.length === 0) return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    const [count, ...rest] = array.shape;
    return Array.from({ length: count }, (_, k) => this.row(array, k, rest, position));
  }

  /** A row, or an element of a vector, by a position that depends on indices of rolled loops. */
  rowAt(array: NdArray, at: IndexForm, position: Position): Value {
    const [, ...rest] = array.shape;
    if (at.terms.length === 0) return this.row(array, at.offset, rest, position);
    if (rest.length === 0) {
      if (array.bulk !== undefined) return array.bulk.storage.element(array.bulk.toBase([at]));
      const run = this.ev.memory.runOf(array.cells);
      if (run !== undefined) return this.ev.memory.load(this.ev.memory.placeIn(run, at));
      return this.ev.bulk.pick(this.items(array), at, position);
    }
    return this.rowByForm(array, at, rest, position);
  }

  /** A row, or the rows of one, at a position that depends on indices of rolled loops. */
  private rowByForm(array: NdArray, at: IndexForm, rest: readonly number[], position: Position): NdArray {
    const { ev } = this;
    if (array.bulk !== undefined) throw new RollFailure('a row of a large matrix', position);
    const width = product(rest);
    const run = ev.memory.runOf(array.cells);
    if (run !== undefined) {
      ev.work.step(position, width);
      const from = scaleForm(at, width);
      const cells = Array.from({ length: width }, (_, j) =>
        ev.memory.cellAt(ev.memory.placeIn(run, addForms(from, constantForm(j)))),
      );
      return this.view(array, rest, cells, array.strides.slice(1));
    }
    const items = this.items(array);
    // A row is a part of the matrix, not a copy: what is stored into it later would have to show.
    const isSame = ev.cells.watchElements();
    const storage = ev.bulk.storage(rest, array.kind, (index) => {
      if (!isSame()) throw new RollFailure('rows of a matrix that changes', position);
      const place = addForms(scaleForm(at, width), linear(index, rest));
      return ev.ops.retag(ev.bulk.pick(items, place, position) as Scalar, array.kind);
    });
    return { ...ev.bulk.arrayOn(storage), strides: array.strides.slice(1), frozen: true };
  }

  /** An element as an array without axes, which cannot be stored into. */
  private scalarView(element: Scalar, array: NdArray): NdArray {
    const cell: Cell = { value: element, born: this.ev.cells.now, isCopy: true };
    return { tag: 'ndarray', shape: [], kind: array.kind, cells: [cell], strides: [], frozen: array.frozen };
  }

  private row(array: NdArray, k: number, rest: readonly number[], position: Position): Value {
    const width = product(rest);
    if (rest.length === 0) {
      if (array.bulk !== undefined) return array.bulk.storage.element(array.bulk.toBase([constantForm(k)]));
      return this.ev.cells.readCell(array.cells[k], position);
    }
    return this.view(array, rest, array.cells.slice(k * width, (k + 1) * width), array.strides.slice(1));
  }

  /** The view that an index selects, or null where the index is of a kind that makes no view. */
  private select(array: NdArray, index: Value, position: Position, isStore = false): NdArray | null {
    let parts: readonly Value[] = index.tag === 'tuple' ? this.ev.sequences.iterate(index, position) : [index];
    const ellipsis = parts.findIndex((p) => p.tag === 'ellipsis');
    const consuming = parts.filter((p) => p.tag !== 'none' && p.tag !== 'ellipsis').length;
    const full: Value = { tag: 'slice', lower: null, upper: null, step: null };
    const missing = new Array<Value>(Math.max(0, array.shape.length - consuming)).fill(full);
    parts =
      ellipsis < 0 ? [...parts, ...missing] : [...parts.slice(0, ellipsis), ...missing, ...parts.slice(ellipsis + 1)];
    // A truth value takes no axis.
    if (parts.some((p) => p.tag === 'scalar' && isBoolKind(p.kind))) return null;
    if (consuming > array.shape.length) return this.ev.ops.raise(LaneStatus.IndexRange);
    if (array.bulk !== undefined) {
      const selected = this.ev.bulkArrays.select(array, parts, position);
      if (selected !== null) return selected.tag === 'ndarray' ? selected : this.scalarView(selected as Scalar, array);
    }
    if (array.bulk === undefined && parts.some((p) => p.tag === 'scalar' && p.at !== undefined)) {
      return this.selectByForm(array, parts, position, isStore);
    }
    const shape: number[] = [];
    let axis = 0;
    let offsets = [0];
    let stride = product(array.shape);
    const strides: number[] = [];
    for (const part of parts) {
      if (part.tag === 'none') {
        shape.push(1);
        strides.push(0);
        continue;
      }
      const n = array.shape[axis];
      stride = n === 0 ? 0 : stride / n;
      let picks: number[];
      if (part.tag === 'slice') {
        picks = sliceIndices(part, n, position);
        shape.push(picks.length);
        strides.push(array.strides[axis] * (part.step ?? 1));
      } else if (part.tag === 'scalar' && !isBoolKind(part.kind) && part.known !== undefined) {
        picks = [this.ev.items.staticIndex(part, n, position, 'IndexError')];
      } else return null;
      const s = stride;
      offsets = offsets.flatMap((base) => picks.map((k) => base + k * s));
      axis++;
    }
    const { cells } = array;
    return this.view(
      array,
      shape,
      offsets.map((k) => cells[k]),
      strides,
    );
  }

  /** The view at positions of which some depend on indices of rolled loops; null for other indices. */
  private selectByForm(array: NdArray, parts: readonly Value[], position: Position, isStore: boolean): NdArray | null {
    const { ev } = this;
    const run = ev.memory.runOf(array.cells);
    if (run === undefined) {
      if (isStore) {
        if (array.frozen) throw new RollFailure('a store into an array that lasts', position);
        throw new RollFailure('a store at an index of the loop', position, { cells: array.cells });
      }
      const items = this.items(array);
      // It is a view: what is stored into the array later would have to show.
      const isSame = ev.cells.watchElements();
      const storage = ev.bulk.storage(array.shape, array.kind, (at) => {
        if (!isSame()) throw new RollFailure('a view on an array that changes', position);
        return ev.ops.retag(ev.bulk.pick(items, linear(at, array.shape), position) as Scalar, array.kind);
      });
      const whole = { ...ev.bulk.arrayOn(storage), strides: array.strides, frozen: true };
      const selected = ev.bulkArrays.select(whole, parts, position);
      if (selected === null) return null;
      return selected.tag === 'ndarray' ? selected : this.scalarView(selected as Scalar, array);
    }
    const shape: number[] = [];
    const strides: number[] = [];
    let forms: IndexForm[] = [constantForm(0)];
    let axis = 0;
    const steps = rowMajor(array.shape);
    for (const part of parts) {
      if (part.tag === 'none') {
        shape.push(1);
        strides.push(0);
        continue;
      }
      const n = array.shape[axis];
      let picks: IndexForm[];
      if (part.tag === 'slice') {
        picks = sliceIndices(part, n, position).map(constantForm);
        shape.push(picks.length);
        strides.push(array.strides[axis] * (part.step ?? 1));
      } else if (part.tag === 'scalar' && !isBoolKind(part.kind)) {
        const form = ev.ops.formOf(part);
        if (form === undefined) return null;
        const isKnown = form.terms.length === 0;
        picks = [
          isKnown
            ? constantForm(ev.items.staticIndex(part, n, position, 'IndexError'))
            : ev.bulk.within(form, n, position),
        ];
      } else return null;
      const step = steps[axis];
      forms = forms.flatMap((base) => picks.map((k) => addForms(base, scaleForm(k, step))));
      axis++;
    }
    ev.work.step(position, forms.length);
    const cells = forms.map((form) => ev.memory.cellAt(ev.memory.placeIn(run, form)));
    return this.view(array, shape, cells, strides);
  }

  subscript(array: NdArray, index: Value, position: Position): Value {
    const view = this.select(array, index, position);
    if (view !== null) {
      // With `...` among its parts an index gives an array, of no axes too.
      const parts = index.tag === 'tuple' ? index.items : [index];
      const isNumber = view.shape.length === 0 && !parts.some((part) => part.tag === 'ellipsis');
      return isNumber ? this.ev.cells.readCell(view.cells[0], position) : view;
    }
    const choice = this.choiceIn(array, index);
    if (choice !== null) {
      const items = Array.from({ length: choice.length }, (_, k) => this.subscript(array, choice.at(k), position));
      return this.ev.choices.plain(this.ev.items.gatherFrom(items, choice.index, position, 'IndexError'), position);
    }
    if (index.tag === 'list' || index.tag === 'ndarray') {
      const picks = this.toArray(index, position);
      if (picks.kind === 'npbool') {
        if (picks.shape.length !== array.shape.length || this.items(picks).some((s) => s.known === undefined)) {
          return this.chooseMasked(array, picks, position);
        }
        if (picks.shape.some((n, k) => n !== array.shape[k])) return this.ev.ops.raise(LaneStatus.IndexRange);
        const { cells } = picks;
        const chosen = this.items(array).filter((_, k) => this.read(cells[k]).known === 1);
        return this.make([chosen.length], array.kind, chosen);
      }
      this.refuseSometimesInt(picks, position);
      if (index.tag === 'ndarray' && picks.kind === 'npfloat') return this.ev.ops.raise(LaneStatus.IndexRange);
      const [count, ...rest] = array.shape;
      const depends = (s: Scalar): boolean => s.known === undefined && !isIndexed(s);
      const rows = this.items(picks).some(depends) ? this.rows(array, position) : [];
      const chosen = this.items(picks).flatMap((s) => {
        const row = depends(s)
          ? this.ev.items.gatherFrom(rows, s, position, 'IndexError')
          : this.row(array, this.ev.items.staticIndex(s, count, position, 'IndexError'), rest, position);
        return row.tag === 'ndarray' ? this.items(row) : [row as Scalar];
      });
      return this.make([...picks.shape, ...rest], array.kind, chosen);
    }
    const parts = index.tag === 'tuple' ? this.ev.sequences.iterate(index, position) : [index];
    const picked = this.pickMasked(array, parts, position);
    if (picked !== null) return picked;
    if (index.tag === 'tuple') {
      const chosen = this.chooseFancy(array, parts, position);
      if (chosen !== null) return chosen;
    }
    throw new Unsupported('an array index other than numbers, slices, masks and arrays of positions', position);
  }

  /** The first part of an index that is a number depending on x, and the index with a known one in its place. */
  private choiceIn(
    array: NdArray,
    index: Value,
  ): { readonly index: Scalar; readonly length: number; readonly at: (k: number) => Value } | null {
    const parts = index.tag === 'tuple' ? index.items : [index];
    const place = parts.findIndex((p) => p.tag === 'scalar' && p.known === undefined && !isBoolKind(p.kind));
    const before = parts.slice(0, Math.max(place, 0));
    const axis = before.filter((p) => p.tag !== 'none').length;
    // Behind `...` the axis would have to be counted from the end; arrays among the parts pair up with each other.
    if (place < 0 || axis >= array.shape.length || before.some((p) => p.tag === 'ellipsis')) return null;
    if (parts.some((p) => p.tag === 'list' || p.tag === 'ndarray')) return null;
    const at = (k: number): Value => tuple(parts.map((p, j) => (j === place ? int(k) : p)));
    return { index: parts[place] as Scalar, length: array.shape[axis], at };
  }

  /** Elements at positions of which some are there on some lanes only, one per axis; null for other indices. */
  private pickMasked(array: NdArray, parts: readonly Value[], position: Position): Value | null {
    const { ev } = this;
    const isAll = (p: Value): boolean => p.tag === 'slice' && p.lower === null && p.upper === null && p.step === null;
    // A mask for the first axis, and a column.
    const [first, second] = parts;
    if (array.shape.length === 2 && first?.tag === 'ndarray' && first.kind === 'npbool' && first.shape.length === 1) {
      if (first.shape[0] !== array.shape[0]) return ev.ops.raise(LaneStatus.IndexRange);
      if (parts.length === 1 || isAll(second)) return this.chooseMasked(array, first, position);
      if (second.tag === 'scalar')
        return maskedItem(ev, this.chooseMasked(array, first, position), tuple([ALL, second]), position);
    }
    if (!parts.some((p) => p.tag === 'masked')) return null;
    const rest = parts.slice(1);
    if (array.shape.length === 2 && rest.every(isAll)) {
      const rows = first as MaskedValue;
      if (rows.kind !== 'npint' || rows.width !== undefined) return null;
      const width = array.shape[1];
      const cells = this.items(array);
      const columns = Array.from({ length: width }, (_, j) =>
        mapMasked(
          ev,
          [rows],
          (s) =>
            this.pickAt(
              cells.filter((_, k) => k % width === j),
              s,
              position,
            ),
          position,
          array.kind,
        ),
      );
      const items = rows.items.flatMap((_, k) => columns.map((column) => column.items[k]));
      return { tag: 'masked', kind: array.kind, items, width };
    }
    if (parts.length !== array.shape.length) return null;
    if (!parts.every((p) => (p.tag === 'masked' && p.kind === 'npint') || (p.tag === 'scalar' && isIntKind(p.kind)))) {
      return null;
    }
    const source = this.items(array);
    return mapMasked(
      ev,
      parts,
      (...at) => {
        let items = source;
        at.forEach((s, axis) => {
          const width = items.length / array.shape[axis];
          const columns = Array.from({ length: width }, (_, j) => items.filter((_, k) => k % width === j));
          items = columns.map((column) => this.pickAt(column, s, position));
        });
        return items[0];
      },
      position,
      array.kind,
    );
  }

  private pickAt(items: readonly Scalar[], at: Scalar, position: Position): Scalar {
    if (at.known !== undefined) return items[this.ev.items.staticIndex(at, items.length, position, 'IndexError')];
    return this.ev.items.gatherFrom(items, at, position, 'IndexError') as Scalar;
  }

  /** Elements or rows under a mask that depends on x. */
  private chooseMasked(array: NdArray, mask: NdArray, position: Position): MaskedValue {
    this.refuseSometimesInt(array, position);
    if (mask.shape.length === 1 && array.shape.length === 2) {
      if (mask.shape[0] !== array.shape[0]) this.ev.ops.raise(LaneStatus.IndexRange);
      if (!isRowMajor(array)) throw new Unsupported('rows chosen by a mask, of a matrix in another order', position);
      const width = array.shape[1];
      const present = this.items(mask).flatMap((s) => new Array<Scalar>(width).fill(s));
      return masked(array.kind, this.items(array), present, width);
    }
    if (mask.shape.length !== array.shape.length)
      throw new Unsupported('parts of an array chosen by a mask that depends on x', position);
    if (mask.shape.some((n, k) => n !== array.shape[k])) return this.ev.ops.raise(LaneStatus.IndexRange);
    return masked(array.kind, this.items(array), this.items(mask));
  }

  /** An element for each combination of known index arrays, broadcast against each other; null for other indices. */
  private chooseFancy(array: NdArray, parts: readonly Value[], position: Position): Value | null {
    const chosen = this.fancyPlaces(array, parts, position);
    if (chosen === null) return null;
    const items = this.items(array);
    return this.unwrap(
      this.make(
        chosen.shape,
        array.kind,
        chosen.places.map((k) => items[k]),
      ),
    );
  }

  /** The elements at known positions along the first axis, or at combinations of positions; null for other indices. */
  private chosenCells(array: NdArray, index: Value, position: Position): NdArray | null {
    const { cells } = array;
    if (index.tag === 'tuple') {
      const chosen = this.fancyPlaces(array, this.ev.sequences.iterate(index, position), position);
      return chosen === null ? null : this.viewAt(array, chosen.shape, chosen.places, rowMajor(chosen.shape));
    }
    if (index.tag !== 'list' && index.tag !== 'ndarray') return null;
    const picks = this.toArray(index, position);
    const [count, ...rest] = array.shape;
    if (picks.kind !== 'npint' || this.items(picks).some((s) => s.known === undefined)) return null;
    const width = product(rest);
    const rows = this.items(picks).map((s) => this.ev.items.staticIndex(s, count, position, 'IndexError'));
    const chosen = rows.flatMap((k) => cells.slice(k * width, (k + 1) * width));
    const shape = [...picks.shape, ...rest];
    return this.view(array, shape, chosen, rowMajor(shape));
  }

  private fancyPlaces(
    array: NdArray,
    parts: readonly Value[],
    position: Position,
  ): { readonly shape: readonly number[]; readonly places: readonly number[] } | null {
    if (parts.length !== array.shape.length || parts.length === 0) return null;
    if (!parts.every((p) => p.tag === 'ndarray' || p.tag === 'list' || (p.tag === 'scalar' && !isBoolKind(p.kind)))) {
      return null;
    }
    const indices = parts.map((p) => this.toArray(p, position));
    if (indices.some((p) => p.kind !== 'npint' || this.items(p).some((s) => s.known === undefined))) return null;
    const shape = indices.map((p) => p.shape).reduce((p, q) => this.broadcastShape(p, q, 'IndexError'));
    const columns = indices.map((p) => this.broadcastTo(p, shape));
    const steps = rowMajor(array.shape);
    const places = Array.from({ length: product(shape) }, (_, k) =>
      columns.reduce(
        (sum, column, axis) =>
          sum +
          steps[axis] * this.ev.items.staticIndex(this.read(column[k]), array.shape[axis], position, 'IndexError'),
        0,
      ),
    );
    return { shape, places };
  }

  /** For what depends on whether its elements are integers. */
  refuseSometimesInt(array: NdArray, position: Position): void {
    if (array.isSometimesInt === true)
      throw new Unsupported('an array of integers or of floats, depending on x, where it matters', position);
  }

  storeItem(array: NdArray, index: Value, value: Value, position: Position): void {
    this.refuseSometimesInt(array, position);
    const view = this.select(array, index, position, true);
    if (view === null) {
      const choice = this.choiceIn(array, index);
      if (choice !== null && !isIndexed(choice.index)) {
        const put = (k: number): void => this.storeItem(array, choice.at(k), value, position);
        this.ev.stores.storeAtChosen(choice.index, choice.length, put, position, 'IndexError');
        return;
      }
      // Of positions that occur twice, the last one stays.
      const chosen = this.chosenCells(array, index, position);
      if (chosen !== null) return this.assignAll(chosen, value, position);
      const mask = index.tag === 'ndarray' && index.kind === 'npbool' ? index : this.maskOf(array, index, position);
      if (mask === null || mask.shape.length !== array.shape.length) {
        throw new Unsupported(
          'storing through an array index other than numbers, slices, masks and known positions',
          position,
        );
      }
      if (mask.shape.some((n, k) => n !== array.shape[k])) this.ev.ops.raise(LaneStatus.IndexRange);
      const truths = this.items(mask);
      if (value.tag === 'masked') {
        // What was read through the same mask goes back to its places.
        if (!isSameMask(truths, value)) throw new Unsupported('storing elements of one mask through another', position);
        array.cells.forEach((cell, k) => {
          const item = this.convert(value.items[k].value, array.kind, position);
          const chosen = this.ev.ops.select(truths[k], item, this.read(cell));
          this.ev.cells.store(cell, array.frozen, this.ev.ops.retag(chosen, array.kind), position);
        });
        return;
      }
      const source = this.toArray(value, position);
      if (source.cells.length !== 1) return this.storeChosen(array, truths, source, position);
      const [masks, [first]] = [mask.cells, source.cells];
      array.cells.forEach((cell, k) => {
        const chosen = this.ev.ops.select(
          this.read(masks[k]),
          this.convert(this.read(first), array.kind, position),
          this.read(cell),
        );
        this.ev.cells.store(cell, array.frozen, this.ev.ops.retag(chosen, array.kind), position);
      });
      return;
    }
    this.assignAll(view, value, position);
  }

  /** The mask that chooses what positions do of which some are there on some lanes only; null for other indices. */
  private maskOf(array: NdArray, index: Value, position: Position): NdArray | null {
    const parts = index.tag === 'tuple' ? index.items : [index];
    if (parts.length !== array.shape.length) return null;
    if (!parts.every((p): p is MaskedValue => p.tag === 'masked' && p.kind === 'npint')) return null;
    const [first] = parts;
    const mask = first.items.map((item) => item.present);
    if (parts.some((p) => !isSameMask(mask, p))) return null;
    const truths = new Array<Scalar>(product(array.shape)).fill(known('npbool', 0));
    const steps = rowMajor(array.shape);
    for (const [k, present] of mask.entries()) {
      const places = parts.map((p) => p.items[k].value);
      if (places.some((s) => s.known === undefined)) return null;
      const place = places.reduce(
        (sum, s, axis) => sum + steps[axis] * this.ev.items.staticIndex(s, array.shape[axis], position, 'IndexError'),
        0,
      );
      const before = truths[place];
      truths[place] = before.known === 0 ? present : this.ev.ops.or(before, present);
    }
    return this.make(array.shape, 'npbool', truths);
  }

  /** As many elements as a known mask has places, in order. */
  private storeChosen(array: NdArray, truths: readonly Scalar[], source: NdArray, position: Position): void {
    if (truths.some((s) => s.known === undefined)) {
      throw new Unsupported('storing an array through a mask that depends on x', position);
    }
    const places = truths.flatMap((s, k) => (s.known === 1 ? [k] : []));
    const items = this.items(source);
    if (items.length !== places.length) this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const { cells } = array;
    places.forEach((place, k) =>
      this.ev.cells.store(cells[place], array.frozen, this.convert(items[k], array.kind, position), position),
    );
  }

  /** What `a += b` does with the sum: NumPy refuses a type that the array cannot hold. */
  assignInPlace(target: NdArray, value: Value, position: Position): void {
    const { ops } = this.ev;
    const isOpen =
      value.tag === 'scalar'
        ? new Set(ops.possibleKinds(value).map(toNumPyKind)).size > 1
        : value.tag === 'ndarray' && value.isSometimesInt === true;
    if (isOpen && target.kind !== 'npfloat')
      throw new Unsupported('what raises or not, depending on the type that x gives a number', position);
    const kind = value.tag === 'ndarray' ? value.kind : value.tag === 'scalar' ? toNumPyKind(value.kind) : target.kind;
    if (widerKind(kind, target.kind) !== target.kind) {
      // What has no elements does not tell its type.
      if (target.cells.length === 0) throw new Unsupported('a change in place of an empty array', position);
      this.ev.ops.line = position.line;
      this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    this.assignAll(target, value, position);
  }

  /** Stores a value, broadcast, into every element of an array or view. */
  assignAll(target: NdArray, value: Value, position: Position): void {
    this.refuseSometimesInt(target, position);
    const source = this.toArray(value, position);
    if (source.shape.length > target.shape.length)
      throw new Unsupported('storing an array into one of fewer dimensions', position);
    const shape = this.broadcastShape(source.shape, target.shape);
    if (product(shape) !== target.cells.length) this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const convert = (s: Scalar): Scalar =>
      value.tag === 'scalar' ? this.convert(s, target.kind, position) : this.cast(s, target.kind, position);
    if (this.ev.bulkArrays.fillMemory(target, source, convert, position)) return;
    // Read everything before writing: source and target may overlap.
    const values = this.broadcastTo(source, target.shape).map((cell) => this.read(cell));
    target.cells.forEach((cell, k) => this.ev.cells.store(cell, target.frozen, convert(values[k]), position));
  }

  // ---- shape ----

  reshape(array: NdArray, shape: readonly number[], position: Position): NdArray {
    const rest = shape.filter((n) => n !== -1).reduce((a, b) => a * b, 1);
    const resolved = shape.map((n) => (n === -1 ? array.cells.length / rest : n));
    if (product(resolved) !== array.cells.length || resolved.some((n) => !Number.isInteger(n))) {
      this.ev.ops.line = position.line;
      this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    }
    const strides = stridesOfReshaped(array, resolved);
    if (strides === null) return this.make(resolved, array.kind, this.items(array));
    return this.view(array, resolved, array.cells, strides);
  }

  /** One dimension: a view of what lies in row-major order, else a copy. */
  ravel(array: NdArray): NdArray {
    const size = array.cells.length;
    if (!isRowMajor(array)) return this.make([size], array.kind, this.items(array));
    return this.view(array, [size], array.cells, [1]);
  }

  /** `array.flat`: all elements, whose stores go through wherever they lie. */
  flat(array: NdArray): NdArray {
    return this.view(array, [array.cells.length], array.cells, [1]);
  }

  transpose(array: NdArray): NdArray {
    if (array.shape.length < 2) return array;
    const shape = [...array.shape].reverse();
    const n = array.shape.length;
    let stride = array.cells.length;
    const strides = array.shape.map((m) => (stride = m === 0 ? 0 : stride / m));
    let offsets = [0];
    for (let axis = n - 1; axis >= 0; axis--) {
      offsets = offsets.flatMap((base) =>
        Array.from({ length: array.shape[axis] }, (_, k) => base + k * strides[axis]),
      );
    }
    const { cells } = array;
    return this.view(
      array,
      shape,
      offsets.map((k) => cells[k]),
      [...array.strides].reverse(),
    );
  }

  concatenate(arrays: readonly NdArray[], axis: number, position: Position): NdArray {
    const [first] = arrays;
    const rank = first.shape.length;
    // Zero-dimensional arrays cannot be concatenated.
    if (rank === 0) return this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const k = frontAxis(this.ev, axis, rank);
    if (arrays.some((a) => a.shape.length !== rank || a.shape.some((n, j) => j !== k && n !== first.shape[j]))) {
      this.ev.ops.line = position.line;
      this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    }
    const kind = arrays.map((a) => a.kind).reduce(widerKind);
    const outer = product(first.shape.slice(0, k));
    const items: Scalar[] = [];
    for (let o = 0; o < outer; o++) {
      for (const a of arrays) {
        const width = product(a.shape.slice(k));
        items.push(...this.items(a).slice(o * width, (o + 1) * width));
      }
    }
    const shape = [...first.shape];
    shape[k] = arrays.reduce((sum, a) => sum + a.shape[k], 0);
    return this.make(shape, kind, items);
  }

  // ---- reductions ----

  /**
   * Reduces along `axis` (null: everything). `reduce` gets the lines, in the order in which NumPy goes through memory
   * where everything is reduced, and whether NumPy's inner loop runs along the line (pairwise summation) or across lines
   * (one after the other). With `byIndex` a line that is everything is in the order of the indices.
   */
  reduce(
    value: Value,
    axis: number | null,
    keepDims: boolean,
    reduce: (line: readonly Scalar[], inner: boolean) => Scalar,
    position: Position,
    byIndex = false,
  ): Value {
    const array = this.toArray(value, position);
    const items = this.items(array);
    this.ev.work.step(position, items.length);
    const { shape } = array;
    const rank = shape.length;
    if (axis === null) {
      const result = reduce(byIndex || isRowMajor(array) ? items : inMemoryOrder(array, items), true);
      if (!keepDims) return result;
      return this.make(new Array<number>(rank).fill(1), toNumPyKind(result.kind), [result]);
    }
    const k = frontAxis(this.ev, axis, rank);
    const n = shape[k];
    const inner = product(shape.slice(k + 1));
    const outer = product(shape.slice(0, k));
    const isInner = axisOrder([array.strides], shape).at(-1) === k;
    const results: Scalar[] = [];
    for (let o = 0; o < outer; o++) {
      for (let i = 0; i < inner; i++) {
        const line = Array.from({ length: n }, (_, j) => items[(o * n + j) * inner + i]);
        results.push(reduce(line, isInner));
      }
    }
    const reduced = shape.flatMap((m, j) => (j === k ? (keepDims ? [1] : []) : [m]));
    const kind = results.length === 0 ? 'npfloat' : toNumPyKind(results[0].kind);
    return this.unwrap(this.make(reduced, kind, results));
  }

  /** NumPy's sum of one line: pairwise where the inner loop runs along it, with as many accumulators as `width` says. */
  sumLine(line: readonly Scalar[], inner: boolean, position: Position, width: 4 | 8 = 8): Scalar {
    return this.ev.ops.fromZero(this.sumOfLine(line, inner, position, width));
  }

  private sumOfLine(line: readonly Scalar[], inner: boolean, position: Position, width: 4 | 8): Scalar {
    const { ops } = this.ev;
    const add = (a: Scalar, b: Scalar): Scalar => ops.binary('+', a, b, position);
    const numbers = line.map((s) => (isBoolKind(s.kind) ? ops.retag(s, 'npint') : ops.retag(s, toNumPyKind(s.kind))));
    if (numbers.length === 0) return known('npfloat', 0);
    const isFloat = numbers[0].kind === 'npfloat';
    if (!inner || !isFloat) return numbers.reduce(add);
    const pairwise = (from: number, n: number): Scalar => {
      if (n < width) {
        let sum = numbers[from];
        for (let k = 1; k < n; k++) sum = add(sum, numbers[from + k]);
        return sum;
      }
      if (n <= 16 * width) {
        const r = numbers.slice(from, from + width);
        let k = width;
        for (; k < n - (n % width); k += width) for (let j = 0; j < width; j++) r[j] = add(r[j], numbers[from + k + j]);
        let sum = add(add(r[0], r[1]), add(r[2], r[3]));
        if (width === 8) sum = add(sum, add(add(r[4], r[5]), add(r[6], r[7])));
        for (; k < n; k++) sum = add(sum, numbers[from + k]);
        return sum;
      }
      let half = Math.floor(n / 2);
      half -= half % width;
      return add(pairwise(from, half), pairwise(from + half, n - half));
    };
    return pairwise(0, numbers.length);
  }

  extremum(which: 'max' | 'min', line: readonly Scalar[]): Scalar {
    // Zero-size array to reduction operation.
    if (line.length === 0) return this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    return line
      .map((s) => this.ev.ops.retag(s, toNumPyKind(s.kind)))
      .reduce((a, b) => this.ev.ops.npExtremum(which, a, b));
  }

  /** Index of the first extreme element; NaN counts as the extreme. */
  argExtremum(which: 'max' | 'min', line: readonly Scalar[]): Scalar {
    const { ops } = this.ev;
    if (line.length === 0) return ops.raise(LaneStatus.Raised, 'ValueError');
    let best = line[0];
    let index: Scalar = int(0);
    for (let k = 1; k < line.length; k++) {
      const beats = ops.or(
        ops.compare(which === 'max' ? '>' : '<', line[k], best),
        ops.and(ops.isNaN(line[k]), ops.not(ops.isNaN(best))),
      );
      const wins = ops.and(beats, ops.not(ops.isNaN(best)));
      best = ops.select(wins, line[k], best);
      index = ops.select(wins, int(k), index);
    }
    return ops.retag(index, 'npint');
  }

  mean(line: readonly Scalar[], inner: boolean, position: Position): Scalar {
    const { ops } = this.ev;
    if (line.length === 0) return known('npfloat', NaN);
    const floats = line.map((s) => ops.retag(s, 'npfloat'));
    return ops.binary('/', this.sumLine(floats, inner, position), known('npfloat', line.length), position);
  }

  variance(line: readonly Scalar[], inner: boolean, ddof: number, position: Position): Scalar {
    const { ops } = this.ev;
    const mean = this.mean(line, inner, position);
    const squares = line.map((s) => {
      const d = ops.binary('-', s, mean, position);
      return ops.binary('*', d, d, position);
    });
    if (squares.length === 0) return known('npfloat', NaN);
    const divisor = known('npfloat', Math.max(line.length - ddof, 0));
    return ops.binary('/', this.sumLine(squares, inner, position), divisor, position);
  }

  /** `a @ b`: of arrays only. */
  matmul(a: Value, b: Value, position: Position): Value {
    const isArray = (v: Value): boolean => v.tag === 'ndarray' && v.shape.length > 0;
    const isNumber = (v: Value): boolean => v.tag === 'scalar' || (v.tag === 'ndarray' && v.shape.length === 0);
    if ((isArray(a) && isNumber(b)) || (isNumber(a) && isArray(b)))
      return this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
    if (isNumber(a) || isNumber(b)) throw new Unsupported("'@' with a number", position);
    return this.dot(a, b, position, true);
  }

  /**
   * Products summed from left to right. NumPy leaves the order to the BLAS library, so that any order is right. `np.dot`
   * of one element and another is their product, `@` is a sum there, too.
   */
  dot(a: Value, b: Value, position: Position, isSum = false): Value {
    if (a.tag === 'masked' || b.tag === 'masked') return maskedDot(this.ev, a, b, position);
    const { ops } = this.ev;
    const p = this.toArray(a, position);
    const q = this.toArray(b, position);
    if (p.shape.length === 0 || q.shape.length === 0) {
      return this.map([a, b], (x, y) => ops.binary('*', x, y, position), position);
    }
    if (p.shape.length > 2 || q.shape.length > 2)
      throw new Unsupported(
        'matrix products of arrays with three or more dimensions (numpy.einsum() is compiled)',
        position,
      );
    const n = p.shape[p.shape.length - 1];
    if (n !== q.shape[0]) return ops.raise(LaneStatus.Raised, 'ValueError');
    const bulk = this.ev.bulkArrays.dot(p, q, position, isSum);
    if (bulk !== null) return bulk;
    const rowCount = p.shape.length === 2 ? p.shape[0] : 1;
    const columnCount = q.shape.length === 2 ? q.shape[1] : 1;
    const x = this.items(p);
    const y = this.items(q);
    this.ev.work.step(position, rowCount * columnCount * n);
    const kind = widerKind(p.kind, q.kind);
    const isProduct = !isSum && x.length === 1 && y.length === 1;
    const results: Scalar[] = [];
    for (let i = 0; i < rowCount; i++) {
      for (let j = 0; j < columnCount; j++) {
        let sum: Scalar = known(kind === 'npbool' ? 'npint' : kind, 0);
        const terms: Scalar[] = [];
        for (let k = 0; k < n; k++) {
          const term = ops.binary('*', x[i * n + k], y[k * columnCount + j], position);
          sum = k === 0 ? term : ops.binary('+', sum, term, position);
          terms.push(term);
        }
        results.push(ops.anyOrder(isProduct ? sum : ops.fromZero(sum), terms));
      }
    }
    const shape = [...(p.shape.length === 2 ? [rowCount] : []), ...(q.shape.length === 2 ? [columnCount] : [])];
    return this.unwrap(this.make(shape, kind, results));
  }

  all(line: readonly Scalar[]): Scalar {
    return this.ev.ops.retag(
      line.reduce<Scalar>((a, s) => this.ev.ops.and(a, this.ev.ops.truthScalar(s)), bool(true)),
      'npbool',
    );
  }

  any(line: readonly Scalar[]): Scalar {
    return this.ev.ops.retag(
      line.reduce<Scalar>((a, s) => this.ev.ops.or(a, this.ev.ops.truthScalar(s)), bool(false)),
      'npbool',
    );
  }
}

function isRowMajor({ shape, strides, cells }: NdArray): boolean {
  if (cells.length === 0) return true;
  const expected = rowMajor(shape);
  return shape.every((n, k) => n === 1 || strides[k] === expected[k]);
}

/**
 * Axes longer than one from the outermost to the innermost loop, as NumPy's iterators nest them: by falling strides, in
 * the order of the indices where operands do not agree. A stride of zero says nothing.
 */
function axisOrder(operands: readonly (readonly number[])[], shape: readonly number[]): number[] {
  const order: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] === 1) continue;
    // `order` is innermost first; the axis moves inwards past those of larger strides.
    let place = order.length;
    for (let k = order.length - 1; k >= 0; k--) {
      const verdicts = operands
        .filter((strides) => strides[axis] !== 0 && strides[order[k]] !== 0)
        .map((strides) => Math.abs(strides[order[k]]) > Math.abs(strides[axis]));
      if (verdicts.length === 0) continue;
      if (!verdicts.every((isLarger) => isLarger)) break;
      place = k;
    }
    order.splice(place, 0, axis);
  }
  return order.reverse();
}

function inMemoryOrder({ shape, strides }: NdArray, items: readonly Scalar[]): Scalar[] {
  const steps = rowMajor(shape);
  let offsets = [0];
  for (const axis of axisOrder([strides], shape)) {
    offsets = offsets.flatMap((base) => Array.from({ length: shape[axis] }, (_, k) => base + k * steps[axis]));
  }
  return offsets.map((k) => items[k]);
}

/** Strides of a new array for the result of an element-wise operation: nested like its operands. */
function stridesOfResult(operands: readonly NdArray[], shape: readonly number[]): number[] {
  if (shape.length < 2 || operands.every((a) => isRowMajor(a) || a.shape.length === 0)) return rowMajor(shape);
  const broadcast = operands.map((a) => {
    const missing = shape.length - a.shape.length;
    return shape.map((_, k) => (k < missing || a.shape[k - missing] === 1 ? 0 : a.strides[k - missing]));
  });
  const strides = new Array<number>(shape.length).fill(1);
  let step = 1;
  for (const axis of axisOrder(broadcast, shape).reverse()) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

/** Strides of a view of another shape, or null where only a copy has it: axes that split or merge must lie in a row. */
function stridesOfReshaped(array: NdArray, shape: readonly number[]): number[] | null {
  if (isRowMajor(array)) return rowMajor(shape);
  const old = array.shape.flatMap((n, k) => (n === 1 ? [] : [{ n, step: array.strides[k] }]));
  const strides = new Array<number>(shape.length).fill(1);
  let i = 0;
  let j = 0;
  while (i < old.length && j < shape.length) {
    const [from, to] = [i, j];
    let [size, wanted] = [old[i++].n, shape[j++]];
    while (size !== wanted) {
      if (size < wanted) size *= old[i++].n;
      else wanted *= shape[j++];
    }
    for (let k = from; k + 1 < i; k++) if (old[k].step !== old[k + 1].step * old[k + 1].n) return null;
    let { step } = old[i - 1];
    for (let k = j - 1; k >= to; k--) {
      strides[k] = step;
      step *= shape[k];
    }
  }
  return strides;
}

export function widerKind(a: ArrayKind, b: ArrayKind): ArrayKind {
  if (a === 'npfloat' || b === 'npfloat') return 'npfloat';
  return a === 'npint' || b === 'npint' ? 'npint' : 'npbool';
}
