/**
 * NumPy arrays of static shape: element-wise operations with broadcasting, indexing (views share cells), reductions in
 * NumPy's own order of summation.
 */
import { constantForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import {
  bool,
  float,
  int,
  isBoolKind,
  isIntKind,
  known,
  toNumPyKind,
  typeName,
  Unsupported,
  type ArrayKind,
  type Cell,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import type { ArrayMachine } from './array-machine.js';
import { frontAxis } from './axes.js';
import { mapMasked, maskedDot } from './masked.js';
import {
  axisOrder,
  inMemoryOrder,
  isRowMajor,
  extent,
  MAX_RANK,
  product,
  rowMajor,
  stridesOfReshaped,
  stridesOfResult,
  widerKind,
} from './shapes.js';
import { rowAt, subscript, storeItem } from './indexing.js';

export class ArrayOps {
  constructor(readonly ev: ArrayMachine) {}

  // ---- making ----

  make(
    shape: readonly number[],
    kind: ArrayKind,
    items: readonly Scalar[],
    strides: readonly number[] = rowMajor(shape),
    frozen = this.ev.loading,
  ): NdArray {
    const { ev } = this;
    this.countShape(shape, 1, ev.ops.here);
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

  /** Counts the elements of an array. One without any may have many empty rows. */
  private countShape(shape: readonly number[], perStep: number, position: Position): void {
    if (shape.length > MAX_RANK) throw new Unsupported(`an array of ${shape.length} dimensions`, position);
    this.ev.work.step(position, extent(shape) / (product(shape) > 0 ? perStep : 1));
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
  view(base: NdArray, shape: readonly number[], cells: readonly Cell[], strides: readonly number[]): NdArray {
    const position = this.ev.ops.here;
    this.countShape(shape, COPIES_PER_STEP, position);
    return {
      tag: 'ndarray',
      shape,
      kind: base.kind,
      cells,
      strides,
      frozen: base.frozen,
      isSometimesInt: base.isSometimesInt,
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

  read(cell: Cell): Scalar {
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

  /** Array that `np.asarray` makes of a value: numbers, sequences of equal shape, arrays. */
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
  unwrap(array: NdArray): Value {
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
    this.ev.work.step(this.ev.ops.here, extent(target));
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
    // So does one whose exponent is 0.5 on some lanes.
    const isOpen = operator === '**' && b.tag === 'scalar' && b.known === undefined && !isIntKind(b.kind);
    if (isOpen && (a.tag === 'ndarray' || a.tag === 'masked')) {
      const isRoot = ops.compare('==', b, float(0.5));
      const signed = (s: Scalar): Scalar => ops.retag(s, 'npfloat');
      const rooted = (s: Scalar): Scalar =>
        ops.select(isRoot, ops.sqrt(signed(s), 'npfloat'), ops.retag(this.power(s, b, position), 'npfloat'));
      return this.map([a], rooted, position, 'npfloat');
    }
    if (operator === '**' && b.tag === 'ndarray' && b.shape.length === 0)
      throw new Unsupported('a power by an array without axes', position);
    if (operator !== '**') return this.map([a, b], (p, q) => ops.binary(operator, p, q, position), position);
    return this.map([a, b], (p, q) => this.power(p, q, position), position);
  }

  private power(a: Scalar, b: Scalar, position: Position): Scalar {
    const { ops } = this.ev;
    const outer = ops.isArrayPower;
    ops.isArrayPower = true;
    try {
      return ops.binary('**', a, b, position);
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
    return rowAt(this, array, at, position);
  }

  row(array: NdArray, k: number, rest: readonly number[], position: Position): Value {
    const width = product(rest);
    if (rest.length === 0) {
      if (array.bulk !== undefined) return array.bulk.storage.element(array.bulk.toBase([constantForm(k)]));
      return this.ev.cells.readCell(array.cells[k], position);
    }
    return this.view(array, rest, array.cells.slice(k * width, (k + 1) * width), array.strides.slice(1));
  }

  subscript(array: NdArray, index: Value, position: Position): Value {
    return subscript(this, array, index, position);
  }

  /** For what depends on whether its elements are integers. */
  refuseSometimesInt(array: NdArray, position: Position): void {
    if (array.isSometimesInt === true)
      throw new Unsupported('an array of integers or of floats, depending on x, where it matters', position);
  }

  storeItem(array: NdArray, index: Value, value: Value, position: Position): void {
    storeItem(this, array, index, value, position);
  }

  /** Assigns the sum of `a += b`: NumPy refuses a type that the array cannot hold. */
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
   * where everything is reduced, and whether NumPy's inner loop runs along the line (pairwise summation) or across
   * lines (one after the other). With `byIndex` a line that is everything is in the order of the indices.
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

  /**
   * NumPy's sum of one line: pairwise where the inner loop runs along it, with as many accumulators as `width` says.
   */
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
   * Products summed from left to right. NumPy leaves the order to the BLAS library, so that any order is right.
   * `np.dot` of one element and another is their product, `@` is a sum there, too.
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
