/**
 * NumPy's operations on large arrays: element-wise results are expressions that are evaluated where they are used, sums
 * and extremes are rolled loops in NumPy's own order. What is not here expands to elements (`arrays.ts`).
 */
import { addForms, constantForm, formOf, scaleForm } from '../../ir/index-form.js';
import { isMathOp } from '../../ir/ops.js';
import type { IndexForm, IrNode, ValueId } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import type { BulkView, Element, Storage } from '../values/large.js';
import { COMPLEX_WIDTH, linear, rowMajor, sizeOf } from './shapes.js';
import type { ArrayMachine } from './array-machine.js';
import { sliceIndices } from '../values/slices.js';
import {
  PathRaises,
  RollFailure,
  Unsupported,
  dynamic,
  isBoolKind,
  isNumPyKind,
  known,
  toNumPyKind,
  type ArrayKind,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';

/** Expressions that take more operations are computed once and kept when they get a name. */
const MAX_REPEATED_COST = 12;
/** Matrix products of as many terms stay rolled, also those of small vectors. */
const MIN_PRODUCTS = 512;
/** Terms of a sum of products in one round of its loop. */
const PRODUCTS_PER_ROUND = 4;
/** A function of the mathematics library counts as many primitives. */
const MATH_COST = 40;

type Line = (at: IndexForm) => Scalar;

export type LineReduction = 'sum' | 'prod' | 'mean' | 'max' | 'min' | 'any' | 'all' | 'var' | 'std' | 'norm' | 'norm1';

export class BulkArrays {
  constructor(private readonly ev: ArrayMachine) {}

  /** The array's elements at the positions of a shape that it is broadcast to. */
  private reader(array: NdArray, rank: number, position: Position): Element {
    const { ev } = this;
    const missing = rank - array.shape.length;
    const own = (at: readonly IndexForm[]): IndexForm[] =>
      array.shape.map((n, k) => (n === 1 ? constantForm(0) : at[missing + k]));
    if (array.bulk !== undefined) {
      const { storage, toBase } = array.bulk;
      const { element } = storage;
      return (at) => element(toBase(own(at)));
    }
    const items = ev.arrays.items(array);
    if (items.length > 0 && items.every((s) => s.known !== undefined)) {
      const numbers = Float64Array.from(items, (s) => s.known as number);
      return (at) => ev.ops.pickKnown(array.kind, numbers, linear(own(at), array.shape));
    }
    return (at) => {
      const item = ev.bulk.pick(items, linear(own(at), array.shape), position);
      if (item.tag !== 'scalar') throw new RollFailure('elements that are no numbers', position);
      return ev.ops.retag(item, array.kind);
    };
  }

  /** An array in memory as one that is read by forms. What is built with it has to be built at once. */
  private readable(array: NdArray): NdArray {
    const { ev } = this;
    if (array.bulk !== undefined || ev.roll === 'never' || !ev.bulk.isLarge(sizeOf(array.shape))) return array;
    const run = ev.memory.runOf(array.cells);
    if (run === undefined) return array;
    const element: Element = (at) => ev.memory.load(ev.memory.placeIn(run, linear(at, array.shape)));
    const storage = ev.bulk.storage(array.shape, array.kind, element);
    return { ...ev.bulk.arrayOn(storage), strides: array.strides };
  }

  /** Stores a value, broadcast, into a vector in memory; false where that has to be done element by element. */
  fillMemory(target: NdArray, source: NdArray, convert: (s: Scalar) => Scalar, position: Position): boolean {
    const { ev } = this;
    if (ev.roll === 'never' || target.shape.length !== 1 || !ev.bulk.isLarge(target.shape[0])) return false;
    const run = ev.memory.runOf(target.cells);
    if (run === undefined || target.frozen) return false;
    const isSingle = sizeOf(source.shape) === 1;
    const values = isSingle ? source : this.elementwise([source], target.shape, (s) => s, position);
    if (values === null) return false;
    if (values.bulk !== undefined) this.keep(values.bulk.storage);
    const only = isSingle ? ev.arrays.items(source)[0] : undefined;
    const read = this.reader(values, 1, position);
    const done = ev.branches.attempt(() => {
      ev.counted.run(constantForm(target.shape[0]), position, (at) => {
        const item = convert(only ?? read([at]));
        ev.stores.storeByForm(target.cells, false, at, ev.ops.retag(item, target.kind), position);
      });
    });
    return done;
  }

  /** A copy of a large array that can be stored into. */
  copyToMemory(array: NdArray, position: Position): NdArray | null {
    const { ev } = this;
    const copied = this.copy(array, (s) => s, position);
    if (copied?.bulk === undefined) return copied;
    const { storage } = copied.bulk;
    // An array of its own, whatever the storage shares.
    const own = { ...storage, array: null };
    this.keep(own);
    const place = { array: own.array as unknown as number, kind: array.kind };
    const cells = Array.from({ length: sizeOf(array.shape) }, (_, k) =>
      ev.memory.cellAt({ ...place, at: constantForm(k) }),
    );
    return {
      tag: 'ndarray',
      shape: array.shape,
      kind: array.kind,
      cells,
      strides: rowMajor(array.shape),
      frozen: false,
    };
  }

  /** An element-wise operation on arrays of which one is large; null where it has to be done element by element. */
  elementwise(
    operands: readonly NdArray[],
    shape: readonly number[],
    fn: (...s: Scalar[]) => Scalar,
    position: Position,
    kind?: ArrayKind,
  ): NdArray | null {
    const { ev } = this;
    const arrays = operands.map((a) => this.readable(a));
    const changes = arrays.some((a, k) => a !== operands[k]);
    if (ev.loading || ev.exits.isInTry || !arrays.some((a) => a.bulk !== undefined) || !ev.bulk.isLarge(sizeOf(shape)))
      return null;
    if (arrays.some((a) => !isPlainOrder(a))) return null;
    const readers = arrays.map((a) => this.reader(a, shape.length, position));
    const element: Element = (at) => {
      const operands = readers.map((read) => read(at));
      const { line } = ev.ops;
      ev.ops.line = position.line;
      const result = fn(...operands);
      ev.ops.line = line;
      return ev.ops.retag(result, kind ?? toNumPyKind(result.kind));
    };
    const probe = this.probe(shape, element);
    if (probe === null) return null;
    const storage = ev.bulk.storage(shape, probe.kind, element, probe.cost);
    // Checks flag a lane where the operation stands, not where its result is used.
    if (probe.hasEffects || changes) this.keep(storage);
    return ev.bulk.arrayOn(storage);
  }

  /** Form of an element; null where it cannot be expressed by forms. */
  private probe(
    shape: readonly number[],
    element: Element,
  ): { readonly kind: ArrayKind; readonly cost: number; readonly hasEffects: boolean } | null {
    const { builder, ops } = this.ev;
    const loops = shape.map((n) => builder.openFor(constantForm(n), []));
    try {
      const result = element(loops.map(({ loop }) => formOf(loop.index)));
      const { kind } = result;
      if (!isNumPyKind(kind) || ops.isNotCertain(result)) return null;
      const bodies = loops.map((loop) => loop.body);
      return {
        kind,
        cost: bodies.reduce((sum, body) => sum + costOf(body), 0),
        hasEffects: bodies.some((body) =>
          body.some((node) => node.kind !== 'op' || node.op === 'check' || node.op === 'store'),
        ),
      };
    } catch (error) {
      if (error instanceof RollFailure || error instanceof PathRaises || error instanceof Unsupported) return null;
      throw error;
    } finally {
      for (const loop of loops.reverse()) builder.closeRegion(loop);
    }
  }

  /** Computes all elements of an expression into a local array. */
  keep(storage: Storage): void {
    if (storage.array !== null) return;
    const { builder, ops } = this.ev;
    const { shape, kind, element } = storage;
    const array = builder.localArray(sizeOf(shape));
    const nest = (at: readonly IndexForm[]): void => {
      if (at.length === shape.length) {
        builder.store(array, linear(at, shape), ops.f64(element(at)));
        return;
      }
      builder.for(constantForm(shape[at.length]), [], (index) => {
        nest([...at, formOf(index)]);
        return [];
      });
    };
    nest([]);
    storage.array = array;
    storage.element = (at) => this.ev.bulk.asKind(kind, builder.load(array, linear(at, shape)));
  }

  /** A value that gets a name is likely to be used more than once. */
  settle(value: Value): void {
    if (value.tag === 'complexarray') {
      this.settle(value.re);
      this.settle(value.im);
    }
    if (value.tag !== 'ndarray' || value.bulk === undefined) return;
    const { storage } = value.bulk;
    if (storage.cost > MAX_REPEATED_COST && this.ev.cells.isNew(storage.born)) this.keep(storage);
  }

  /** A vector's elements in order, or those of a matrix in row-major order, one by one. */
  private lineOf(array: NdArray): Line | null {
    if (array.bulk === undefined || array.shape.length !== 1) return null;
    const { storage, toBase } = array.bulk;
    const { element } = storage;
    return (at) => element(toBase([at]));
  }

  /** The sum of one part of a large complex vector: as in `reduce`. */
  sumOfPart(part: NdArray, position: Position): Scalar | null {
    const line = part.shape.length === 1 ? this.lineOf(this.readable(part)) : null;
    if (line === null || part.shape[0] < 1 || this.ev.exits.isInTry) return null;
    this.ev.ops.line = position.line;
    return this.sum(line, part.shape[0], position, COMPLEX_WIDTH);
  }

  /** A reduction of a large vector of floats or truth values; null where it has to be done element by element. */
  reduce(name: LineReduction, array: NdArray, ddof: number, position: Position): Scalar | null {
    const { ev } = this;
    const { ops } = ev;
    const line = this.lineOf(this.readable(array));
    const n = array.shape[0];
    if (line === null || n < 1 || ev.exits.isInTry) return null;
    const isTruth = name === 'any' || name === 'all';
    if (array.kind !== 'npfloat' && !isTruth) return null;
    ops.line = position.line;
    const divide = (a: Scalar, b: number): Scalar => ops.binary('/', a, known('npfloat', b), position);
    const square = (s: Scalar): Scalar => ops.binary('*', s, s, position);
    const variance = (): Scalar => {
      const mean = divide(this.sum(line, n, position), n);
      const squares = (at: IndexForm): Scalar => square(ops.binary('-', line(at), mean, position));
      return divide(this.sum(squares, n, position), Math.max(n - ddof, 0));
    };
    switch (name) {
      case 'sum':
        return this.sum(line, n, position);
      case 'mean':
        return divide(this.sum(line, n, position), n);
      case 'var':
        return variance();
      case 'std':
        return ops.sqrt(variance(), 'npfloat');
      case 'norm':
        return ops.sqrt(
          this.anyOrder((at) => square(line(at)), n, position),
          'npfloat',
        );
      case 'norm1':
        return this.sum((at) => ops.abs(line(at)), n, position);
      case 'prod':
        return this.fold(n, [known('npfloat', 1)], (at, [p]) => [ops.binary('*', p, line(at), position)])[0];
      case 'max':
      case 'min': {
        const rest = (at: IndexForm): Scalar => line(addForms(at, constantForm(1)));
        return this.fold(n - 1, [line(constantForm(0))], (at, [best]) => [ops.npExtremum(name, best, rest(at))])[0];
      }
      case 'any':
      case 'all': {
        const combine = (a: Scalar, b: Scalar): Scalar =>
          ops.retag(name === 'any' ? ops.or(a, b) : ops.and(a, b), 'npbool');
        const start = known('npbool', name === 'any' ? 0 : 1);
        return this.fold(n, [start], (at, [all]) => [combine(all, ops.truthScalar(line(at)))])[0];
      }
    }
  }

  /** A sum of numbers that are not negative, in NumPy's order or any other one. */
  private anyOrder(line: Line, n: number, position: Position): Scalar {
    const sum = this.sum(line, n, position);
    return this.ev.ops.anyOrderOf(sum, sum, n);
  }

  /** NumPy's pairwise sum: some sums side by side in blocks of at most 16 rounds, joined by a tree. */
  private sum(line: Line, n: number, position: Position, width: 4 | 8 = 8): Scalar {
    return this.ev.ops.fromZero(this.sumOfLine(line, n, position, width));
  }

  private sumOfLine(line: Line, n: number, position: Position, width: 4 | 8): Scalar {
    const { ops } = this.ev;
    const add = (a: Scalar, b: Scalar): Scalar => ops.binary('+', a, b, position);
    const pairwise = (from: number, count: number): Scalar => {
      if (count > 16 * width) {
        let half = Math.floor(count / 2);
        half -= half % width;
        return add(pairwise(from, half), pairwise(from + half, count - half));
      }
      const rounds = count < width ? 0 : Math.floor(count / width);
      let total: Scalar | null = null;
      if (rounds > 0) {
        // -0 + a is a for every a.
        const start = new Array<Scalar>(width).fill(known('npfloat', -0));
        const r = this.fold(rounds, start, (at, sums) =>
          sums.map((s, j) => add(s, line(addForms(scaleForm(at, width), constantForm(from + j))))),
        );
        const half = add(add(r[0], r[1]), add(r[2], r[3]));
        total = width === 4 ? half : add(half, add(add(r[4], r[5]), add(r[6], r[7])));
      }
      for (let k = rounds * width; k < count; k++) {
        const item = line(constantForm(from + k));
        total = total === null ? item : add(total, item);
      }
      return total as Scalar;
    };
    return pairwise(0, n);
  }

  /** A loop that carries scalars, whose types do not change. */
  private fold(
    count: number,
    start: readonly Scalar[],
    step: (at: IndexForm, state: readonly Scalar[]) => readonly Scalar[],
  ): readonly Scalar[] {
    const { builder, ops } = this.ev;
    const idOf = (s: Scalar): ValueId => (isBoolKind(s.kind) ? ops.truth(s) : ops.f64(s));
    const as = (ids: readonly ValueId[]): Scalar[] => ids.map((id, k) => dynamic(start[k].kind, id));
    const results = builder.for(constantForm(count), start.map(idOf), (index, params) =>
      step(formOf(index), as(params)).map(idOf),
    );
    return as(results);
  }

  /**
   * A product of vectors and matrices in rolled loops, each sum from left to right; null where it is small or has to be
   * done element by element.
   */
  dot(left: NdArray, right: NdArray, position: Position, isSum: boolean): Value | null {
    const { ev } = this;
    const [p, q] = [this.readable(left), this.readable(right)];
    const { ops } = ev;
    const n = q.shape[0];
    const rows = p.shape.length === 2 ? [p.shape[0]] : [];
    const columns = q.shape.length === 2 ? [q.shape[1]] : [];
    const shape = [...rows, ...columns];
    if (n < 1 || sizeOf(shape) < 1 || ev.loading || ev.exits.isInTry) return null;
    // One product, and no sum.
    if (!isSum && sizeOf(p.shape) === 1 && sizeOf(q.shape) === 1) return null;
    if (p.kind !== 'npfloat' && q.kind !== 'npfloat') return null;
    const isBulk = p.bulk !== undefined || q.bulk !== undefined;
    if (!isBulk && !this.isLargeProduct(n * sizeOf(shape))) return null;
    // Each row reads the whole vector, each column the whole matrix.
    if (rows.length > 0) this.settle(q);
    if (columns.length > 0) this.settle(p);
    try {
      const first = this.numbers(p, position);
      const second = this.numbers(q, position);
      if (first.areKnown && second.areKnown) return null;
      const term = (sum: Scalar, at: readonly IndexForm[], k: IndexForm): Scalar => {
        const [i, j] = [at.slice(0, rows.length), at.slice(rows.length)];
        return ops.binary('+', sum, ops.binary('*', first.at([...i, k]), second.at([k, ...j]), position), position);
      };
      const product = (at: readonly IndexForm[]): Scalar => {
        const rounds = Math.floor(n / PRODUCTS_PER_ROUND);
        let [sum] = this.fold(rounds, [known('npfloat', 0)], (round, [s]) => {
          let next = s;
          for (let k = 0; k < PRODUCTS_PER_ROUND; k++)
            next = term(next, at, addForms(scaleForm(round, PRODUCTS_PER_ROUND), constantForm(k)));
          return [next];
        });
        for (let k = rounds * PRODUCTS_PER_ROUND; k < n; k++) sum = term(sum, at, constantForm(k));
        if (!ops.statesErrors) return sum;
        const sizes = this.fold(n, [known('npfloat', 0)], (k, [s]) => {
          const [i, j] = [at.slice(0, rows.length), at.slice(rows.length)];
          const factors = ops.binary('*', first.at([...i, k]), second.at([k, ...j]), position);
          return [ops.binary('+', s, ops.abs(factors), position)];
        });
        return ops.anyOrderOf(sum, sizes[0], n);
      };
      if (shape.length === 0) return product([]);
      const storage = ev.bulk.storage(shape, 'npfloat', product);
      this.keep(storage);
      const result = ev.bulk.arrayOn(storage);
      if (ev.bulk.isLarge(sizeOf(shape))) return result;
      return ev.arrays.make(shape, 'npfloat', ev.arrays.items(result));
    } catch (error) {
      if (error instanceof RollFailure) return null;
      throw error;
    } finally {
      ev.hasRolled = true;
    }
  }

  private isLargeProduct(products: number): boolean {
    const { roll } = this.ev;
    return roll === 'always' || (roll === 'auto' && products >= MIN_PRODUCTS);
  }

  /** Elements by position as floats, of which known ones are a single table. */
  private numbers(array: NdArray, position: Position): { readonly areKnown: boolean; readonly at: Element } {
    const { ev } = this;
    const items = array.bulk === undefined ? ev.arrays.items(array) : [];
    const areKnown = array.bulk === undefined && items.every((s) => s.known !== undefined);
    if (!areKnown) {
      const read = this.reader(array, array.shape.length, position);
      return { areKnown, at: (at) => ev.ops.retag(read(at), 'npfloat') };
    }
    const table = ev.builder.table(Float64Array.from(items, (s) => s.known as number));
    return { areKnown, at: (at) => dynamic('npfloat', ev.builder.load(table, linear(at, array.shape))) };
  }

  /** The view that slices, positions and new axes select; null for other indices. */
  select(array: NdArray, parts: readonly Value[], position: Position): Value | null {
    const { ev } = this;
    if (array.bulk === undefined) return null;
    const shape: number[] = [];
    const strides: number[] = [];
    // For each axis of the array: from the positions of the view.
    const picks: ((at: readonly IndexForm[]) => IndexForm)[] = [];
    let axis = 0;
    for (const part of parts) {
      if (part.tag === 'none') {
        shape.push(1);
        strides.push(0);
        continue;
      }
      const n = array.shape[axis];
      if (part.tag === 'slice') {
        const indices = sliceIndices(part, n, position);
        const start = constantForm(indices[0] ?? 0);
        const step = part.step ?? 1;
        const k = shape.length;
        picks.push((at) => addForms(scaleForm(at[k], step), start));
        shape.push(indices.length);
        strides.push(array.strides[axis] * step);
      } else if (part.tag === 'scalar' && !isBoolKind(part.kind)) {
        const form = ev.ops.formOf(part);
        if (form === undefined) return null;
        const at =
          form.terms.length === 0
            ? constantForm(ev.items.staticIndex(part, n, position, 'IndexError'))
            : ev.bulk.within(form, n, position);
        picks.push(() => at);
      } else return null;
      axis++;
    }
    const { storage, toBase } = array.bulk;
    const select: (at: readonly IndexForm[]) => readonly IndexForm[] = (at) => toBase(picks.map((pick) => pick(at)));
    if (shape.length === 0) return storage.element(select([]));
    return ev.bulk.view(shape, { storage, toBase: select }, strides, array.frozen);
  }

  /** The array that `np.array` makes of a large list. */
  ofList({ storage, toBase }: BulkView, length: number): NdArray {
    const { element } = storage;
    const kind = toNumPyKind(storage.kind);
    const { ops, bulk } = this.ev;
    const item = (at: readonly IndexForm[]): Scalar => {
      const s = element(toBase(at));
      if (ops.isNotCertain(s)) throw new RollFailure('an array of a list of integers and floats', ops.here);
      return ops.retag(s, kind);
    };
    return bulk.arrayOn(bulk.storage([length], kind, item, storage.cost));
  }

  /** A copy, as another kind. */
  copy(array: NdArray, convert: (s: Scalar) => Scalar, position: Position): NdArray | null {
    if (array.bulk === undefined) return null;
    return this.elementwise([array], array.shape, convert, position);
  }
}

/** In row-major order, or a vector: then results are in row-major order too. */
function isPlainOrder({ shape, strides }: NdArray): boolean {
  if (shape.length < 2) return true;
  const expected = rowMajor(shape);
  return shape.every((n, k) => n === 1 || strides[k] === expected[k]);
}

function costOf(body: readonly IrNode[]): number {
  let cost = 0;
  for (const node of body) {
    if (node.kind === 'op') cost += isMathOp(node.op) ? MATH_COST : 1;
    else cost += MATH_COST;
  }
  return cost;
}
