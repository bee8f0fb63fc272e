/**
 * Subscripts of arrays: numbers, slices, masks and arrays of positions, also those that depend on x.
 */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { isIndexed } from '../values/indexed.js';
import { sliceIndices } from '../values/slices.js';
import {
  int,
  isBoolKind,
  isIntKind,
  known,
  RollFailure,
  tuple,
  Unsupported,
  type Cell,
  type MaskedValue,
  type NdArray,
  type Scalar,
  type Value,
} from '../values/values.js';
import type { ArrayOps } from './arrays.js';
import { isSameMask, mapMasked, masked, maskedItem } from './masked.js';
import { ALL, isRowMajor, linear, product, rowMajor } from './shapes.js';

export function rowAt(arrays: ArrayOps, array: NdArray, at: IndexForm, position: Position): Value {
  const [, ...rest] = array.shape;
  if (at.terms.length === 0) return arrays.row(array, at.offset, rest, position);
  if (rest.length === 0) {
    if (array.bulk !== undefined) return array.bulk.storage.element(array.bulk.toBase([at]));
    const run = arrays.ev.memory.runOf(array.cells);
    if (run !== undefined) return arrays.ev.memory.load(arrays.ev.memory.placeIn(run, at));
    return arrays.ev.bulk.pick(arrays.items(array), at, position);
  }
  return rowByForm(arrays, array, at, rest, position);
}

/** A row, or the rows of one, at a position that depends on indices of rolled loops. */
function rowByForm(
  arrays: ArrayOps,
  array: NdArray,
  at: IndexForm,
  rest: readonly number[],
  position: Position,
): NdArray {
  const { ev } = arrays;
  if (array.bulk !== undefined) throw new RollFailure('a row of a large matrix', position);
  const width = product(rest);
  const run = ev.memory.runOf(array.cells);
  if (run !== undefined) {
    ev.work.step(position, width);
    const from = scaleForm(at, width);
    const cells = Array.from({ length: width }, (_, j) =>
      ev.memory.cellAt(ev.memory.placeIn(run, addForms(from, constantForm(j)))),
    );
    return arrays.view(array, rest, cells, array.strides.slice(1));
  }
  const items = arrays.items(array);
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
function scalarView(arrays: ArrayOps, element: Scalar, array: NdArray): NdArray {
  const cell: Cell = { value: element, born: arrays.ev.cells.now, isCopy: true };
  return { tag: 'ndarray', shape: [], kind: array.kind, cells: [cell], strides: [], frozen: array.frozen };
}

/** The view that an index selects, or null where the index is of a kind that makes no view. */
function select(arrays: ArrayOps, array: NdArray, index: Value, position: Position, isStore = false): NdArray | null {
  let parts: readonly Value[] = index.tag === 'tuple' ? arrays.ev.sequences.iterate(index, position) : [index];
  const ellipsis = parts.findIndex((p) => p.tag === 'ellipsis');
  const consuming = parts.filter((p) => p.tag !== 'none' && p.tag !== 'ellipsis').length;
  const full: Value = { tag: 'slice', lower: null, upper: null, step: null };
  const missing = new Array<Value>(Math.max(0, array.shape.length - consuming)).fill(full);
  parts =
    ellipsis < 0 ? [...parts, ...missing] : [...parts.slice(0, ellipsis), ...missing, ...parts.slice(ellipsis + 1)];
  // A truth value takes no axis.
  if (parts.some((p) => p.tag === 'scalar' && isBoolKind(p.kind))) return null;
  if (consuming > array.shape.length) return arrays.ev.ops.raise(LaneStatus.IndexRange);
  if (array.bulk !== undefined) {
    const selected = arrays.ev.bulkArrays.select(array, parts, position);
    if (selected !== null) return selected.tag === 'ndarray' ? selected : scalarView(arrays, selected as Scalar, array);
  }
  if (array.bulk === undefined && parts.some((p) => p.tag === 'scalar' && p.at !== undefined)) {
    return selectByForm(arrays, array, parts, position, isStore);
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
      picks = [arrays.ev.items.staticIndex(part, n, position, 'IndexError')];
    } else return null;
    const s = stride;
    offsets = offsets.flatMap((base) => picks.map((k) => base + k * s));
    axis++;
  }
  const { cells } = array;
  return arrays.view(
    array,
    shape,
    offsets.map((k) => cells[k]),
    strides,
  );
}

/** The view at positions of which some depend on indices of rolled loops; null for other indices. */
function selectByForm(
  arrays: ArrayOps,
  array: NdArray,
  parts: readonly Value[],
  position: Position,
  isStore: boolean,
): NdArray | null {
  const { ev } = arrays;
  const run = ev.memory.runOf(array.cells);
  if (run === undefined) {
    if (isStore) {
      if (array.frozen) throw new RollFailure('a store into an array that lasts', position);
      throw new RollFailure('a store at an index of the loop', position, { cells: array.cells });
    }
    const items = arrays.items(array);
    // It is a view: what is stored into the array later would have to show.
    const isSame = ev.cells.watchElements();
    const storage = ev.bulk.storage(array.shape, array.kind, (at) => {
      if (!isSame()) throw new RollFailure('a view on an array that changes', position);
      return ev.ops.retag(ev.bulk.pick(items, linear(at, array.shape), position) as Scalar, array.kind);
    });
    const whole = { ...ev.bulk.arrayOn(storage), strides: array.strides, frozen: true };
    const selected = ev.bulkArrays.select(whole, parts, position);
    if (selected === null) return null;
    return selected.tag === 'ndarray' ? selected : scalarView(arrays, selected as Scalar, array);
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
  return arrays.view(array, shape, cells, strides);
}

export function subscript(arrays: ArrayOps, array: NdArray, index: Value, position: Position): Value {
  const view = select(arrays, array, index, position);
  if (view !== null) {
    // With `...` among its parts an index gives an array, of no axes too.
    const parts = index.tag === 'tuple' ? index.items : [index];
    const isNumber = view.shape.length === 0 && !parts.some((part) => part.tag === 'ellipsis');
    return isNumber ? arrays.ev.cells.readCell(view.cells[0], position) : view;
  }
  const choice = choiceIn(array, index);
  if (choice !== null) {
    const items = Array.from({ length: choice.length }, (_, k) => subscript(arrays, array, choice.at(k), position));
    return arrays.ev.choices.plain(arrays.ev.items.gatherFrom(items, choice.index, position, 'IndexError'), position);
  }
  if (index.tag === 'list' || index.tag === 'ndarray') {
    const picks = arrays.toArray(index, position);
    if (picks.kind === 'npbool') {
      if (picks.shape.length !== array.shape.length || arrays.items(picks).some((s) => s.known === undefined)) {
        return chooseMasked(arrays, array, picks, position);
      }
      if (picks.shape.some((n, k) => n !== array.shape[k])) return arrays.ev.ops.raise(LaneStatus.IndexRange);
      const { cells } = picks;
      const chosen = arrays.items(array).filter((_, k) => arrays.read(cells[k]).known === 1);
      return arrays.make([chosen.length], array.kind, chosen);
    }
    arrays.refuseSometimesInt(picks, position);
    if (index.tag === 'ndarray' && picks.kind === 'npfloat') return arrays.ev.ops.raise(LaneStatus.IndexRange);
    const [count, ...rest] = array.shape;
    const depends = (s: Scalar): boolean => s.known === undefined && !isIndexed(s);
    const rows = arrays.items(picks).some(depends) ? arrays.rows(array, position) : [];
    const chosen = arrays.items(picks).flatMap((s) => {
      const row = depends(s)
        ? arrays.ev.items.gatherFrom(rows, s, position, 'IndexError')
        : arrays.row(array, arrays.ev.items.staticIndex(s, count, position, 'IndexError'), rest, position);
      return row.tag === 'ndarray' ? arrays.items(row) : [row as Scalar];
    });
    return arrays.make([...picks.shape, ...rest], array.kind, chosen);
  }
  const parts = index.tag === 'tuple' ? arrays.ev.sequences.iterate(index, position) : [index];
  const picked = pickMasked(arrays, array, parts, position);
  if (picked !== null) return picked;
  if (index.tag === 'tuple') {
    const chosen = chooseFancy(arrays, array, parts, position);
    if (chosen !== null) return chosen;
  }
  throw new Unsupported('an array index other than numbers, slices, masks and arrays of positions', position);
}

/** The first part of an index that is a number depending on x, and the index with a known one in its place. */
function choiceIn(
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
function pickMasked(arrays: ArrayOps, array: NdArray, parts: readonly Value[], position: Position): Value | null {
  const { ev } = arrays;
  const isAll = (p: Value): boolean => p.tag === 'slice' && p.lower === null && p.upper === null && p.step === null;
  // A mask for the first axis, and a column.
  const [first, second] = parts;
  if (array.shape.length === 2 && first?.tag === 'ndarray' && first.kind === 'npbool' && first.shape.length === 1) {
    if (first.shape[0] !== array.shape[0]) return ev.ops.raise(LaneStatus.IndexRange);
    if (parts.length === 1 || isAll(second)) return chooseMasked(arrays, array, first, position);
    if (second.tag === 'scalar')
      return maskedItem(ev, chooseMasked(arrays, array, first, position), tuple([ALL, second]), position);
  }
  if (!parts.some((p) => p.tag === 'masked')) return null;
  const rest = parts.slice(1);
  if (array.shape.length === 2 && rest.every(isAll)) {
    const rows = first as MaskedValue;
    if (rows.kind !== 'npint' || rows.width !== undefined) return null;
    const width = array.shape[1];
    const cells = arrays.items(array);
    const columns = Array.from({ length: width }, (_, j) =>
      mapMasked(
        ev,
        [rows],
        (s) =>
          pickAt(
            arrays,
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
  const source = arrays.items(array);
  return mapMasked(
    ev,
    parts,
    (...at) => {
      let items = source;
      at.forEach((s, axis) => {
        const width = items.length / array.shape[axis];
        const columns = Array.from({ length: width }, (_, j) => items.filter((_, k) => k % width === j));
        items = columns.map((column) => pickAt(arrays, column, s, position));
      });
      return items[0];
    },
    position,
    array.kind,
  );
}

function pickAt(arrays: ArrayOps, items: readonly Scalar[], at: Scalar, position: Position): Scalar {
  if (at.known !== undefined) return items[arrays.ev.items.staticIndex(at, items.length, position, 'IndexError')];
  return arrays.ev.items.gatherFrom(items, at, position, 'IndexError') as Scalar;
}

/** Elements or rows under a mask that depends on x. */
function chooseMasked(arrays: ArrayOps, array: NdArray, mask: NdArray, position: Position): MaskedValue {
  arrays.refuseSometimesInt(array, position);
  if (mask.shape.length === 1 && array.shape.length === 2) {
    if (mask.shape[0] !== array.shape[0]) arrays.ev.ops.raise(LaneStatus.IndexRange);
    if (!isRowMajor(array)) throw new Unsupported('rows chosen by a mask, of a matrix in another order', position);
    const width = array.shape[1];
    const present = arrays.items(mask).flatMap((s) => new Array<Scalar>(width).fill(s));
    return masked(array.kind, arrays.items(array), present, width);
  }
  if (mask.shape.length !== array.shape.length)
    throw new Unsupported('parts of an array chosen by a mask that depends on x', position);
  if (mask.shape.some((n, k) => n !== array.shape[k])) return arrays.ev.ops.raise(LaneStatus.IndexRange);
  return masked(array.kind, arrays.items(array), arrays.items(mask));
}

/** An element for each combination of known index arrays, broadcast against each other; null for other indices. */
function chooseFancy(arrays: ArrayOps, array: NdArray, parts: readonly Value[], position: Position): Value | null {
  const chosen = fancyPlaces(arrays, array, parts, position);
  if (chosen === null) return null;
  const items = arrays.items(array);
  return arrays.unwrap(
    arrays.make(
      chosen.shape,
      array.kind,
      chosen.places.map((k) => items[k]),
    ),
  );
}

/** The elements at known positions along the first axis, or at combinations of positions; null for other indices. */
function chosenCells(arrays: ArrayOps, array: NdArray, index: Value, position: Position): NdArray | null {
  const { cells } = array;
  if (index.tag === 'tuple') {
    const chosen = fancyPlaces(arrays, array, arrays.ev.sequences.iterate(index, position), position);
    return chosen === null ? null : arrays.viewAt(array, chosen.shape, chosen.places, rowMajor(chosen.shape));
  }
  if (index.tag !== 'list' && index.tag !== 'ndarray') return null;
  const picks = arrays.toArray(index, position);
  const [count, ...rest] = array.shape;
  if (picks.kind !== 'npint' || arrays.items(picks).some((s) => s.known === undefined)) return null;
  const width = product(rest);
  const rows = arrays.items(picks).map((s) => arrays.ev.items.staticIndex(s, count, position, 'IndexError'));
  const chosen = rows.flatMap((k) => cells.slice(k * width, (k + 1) * width));
  const shape = [...picks.shape, ...rest];
  return arrays.view(array, shape, chosen, rowMajor(shape));
}

function fancyPlaces(
  arrays: ArrayOps,
  array: NdArray,
  parts: readonly Value[],
  position: Position,
): { readonly shape: readonly number[]; readonly places: readonly number[] } | null {
  if (parts.length !== array.shape.length || parts.length === 0) return null;
  if (!parts.every((p) => p.tag === 'ndarray' || p.tag === 'list' || (p.tag === 'scalar' && !isBoolKind(p.kind)))) {
    return null;
  }
  const indices = parts.map((p) => arrays.toArray(p, position));
  if (indices.some((p) => p.kind !== 'npint' || arrays.items(p).some((s) => s.known === undefined))) return null;
  const shape = indices.map((p) => p.shape).reduce((p, q) => arrays.broadcastShape(p, q, 'IndexError'));
  const columns = indices.map((p) => arrays.broadcastTo(p, shape));
  const steps = rowMajor(array.shape);
  const places = Array.from({ length: product(shape) }, (_, k) =>
    columns.reduce(
      (sum, column, axis) =>
        sum +
        steps[axis] * arrays.ev.items.staticIndex(arrays.read(column[k]), array.shape[axis], position, 'IndexError'),
      0,
    ),
  );
  return { shape, places };
}

export function storeItem(arrays: ArrayOps, array: NdArray, index: Value, value: Value, position: Position): void {
  arrays.refuseSometimesInt(array, position);
  const view = select(arrays, array, index, position, true);
  if (view === null) {
    const choice = choiceIn(array, index);
    if (choice !== null && !isIndexed(choice.index)) {
      const put = (k: number): void => storeItem(arrays, array, choice.at(k), value, position);
      arrays.ev.stores.storeAtChosen(choice.index, choice.length, put, position, 'IndexError');
      return;
    }
    // Of positions that occur twice, the last one stays.
    const chosen = chosenCells(arrays, array, index, position);
    if (chosen !== null) return arrays.assignAll(chosen, value, position);
    const mask = index.tag === 'ndarray' && index.kind === 'npbool' ? index : maskOf(arrays, array, index, position);
    if (mask === null || mask.shape.length !== array.shape.length) {
      throw new Unsupported(
        'storing through an array index other than numbers, slices, masks and known positions',
        position,
      );
    }
    if (mask.shape.some((n, k) => n !== array.shape[k])) arrays.ev.ops.raise(LaneStatus.IndexRange);
    const truths = arrays.items(mask);
    if (value.tag === 'masked') {
      // What was read through the same mask goes back to its places.
      if (!isSameMask(truths, value)) throw new Unsupported('storing elements of one mask through another', position);
      array.cells.forEach((cell, k) => {
        const item = arrays.convert(value.items[k].value, array.kind, position);
        const chosen = arrays.ev.ops.select(truths[k], item, arrays.read(cell));
        arrays.ev.cells.store(cell, array.frozen, arrays.ev.ops.retag(chosen, array.kind), position);
      });
      return;
    }
    const source = arrays.toArray(value, position);
    if (source.cells.length !== 1) return storeChosen(arrays, array, truths, source, position);
    const [masks, [first]] = [mask.cells, source.cells];
    array.cells.forEach((cell, k) => {
      const chosen = arrays.ev.ops.select(
        arrays.read(masks[k]),
        arrays.convert(arrays.read(first), array.kind, position),
        arrays.read(cell),
      );
      arrays.ev.cells.store(cell, array.frozen, arrays.ev.ops.retag(chosen, array.kind), position);
    });
    return;
  }
  arrays.assignAll(view, value, position);
}

/** The mask that chooses what positions do of which some are there on some lanes only; null for other indices. */
function maskOf(arrays: ArrayOps, array: NdArray, index: Value, position: Position): NdArray | null {
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
      (sum, s, axis) => sum + steps[axis] * arrays.ev.items.staticIndex(s, array.shape[axis], position, 'IndexError'),
      0,
    );
    const before = truths[place];
    truths[place] = before.known === 0 ? present : arrays.ev.ops.or(before, present);
  }
  return arrays.make(array.shape, 'npbool', truths);
}

/** As many elements as a known mask has places, in order. */
function storeChosen(
  arrays: ArrayOps,
  array: NdArray,
  truths: readonly Scalar[],
  source: NdArray,
  position: Position,
): void {
  if (truths.some((s) => s.known === undefined)) {
    throw new Unsupported('storing an array through a mask that depends on x', position);
  }
  const places = truths.flatMap((s, k) => (s.known === 1 ? [k] : []));
  const items = arrays.items(source);
  if (items.length !== places.length) arrays.ev.ops.raise(LaneStatus.Raised, 'ValueError');
  const { cells } = array;
  places.forEach((place, k) =>
    arrays.ev.cells.store(cells[place], array.frozen, arrays.convert(items[k], array.kind, position), position),
  );
}
