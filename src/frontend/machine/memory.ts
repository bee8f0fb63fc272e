/**
 * Lists and arrays that a rolled loop stores into: their elements live in a local array of the IR, where an index form
 * finds them. Their cells stay the cells that views and aliases share; reading one loads, writing one stores. Branches
 * need not merge them and loops need not carry them, since a store counts on the lanes that execute it.
 */
import type { ArrayId } from '../../ir/builder.js';
import { addForms, constantForm, formKey, scaleForm } from '../../ir/index-form.js';
import type { IndexForm } from '../../ir/types.js';
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import {
  RollFailure,
  type Cell,
  type MemoryPlace,
  type Scalar,
  type ScalarKind,
  type Value,
} from '../values/values.js';

/** Cells that lie in one local array at equal distances. */
export interface MemoryRun {
  readonly array: ArrayId;
  readonly kind: ScalarKind;
  readonly start: IndexForm;
  readonly step: number;
}

/** Larger lists and arrays are not moved: a backend's frame has to hold them. */
const MAX_ELEMENTS = 1 << 15;

export class Memory {
  constructor(private readonly ev: Core) {}

  /** A cell for a place: what it holds is loaded when it is read. */
  cellAt(place: MemoryPlace): Cell {
    const cell: Cell = { value: undefined, born: this.ev.cells.now };
    this.occupy(cell, place);
    return cell;
  }

  private occupy(cell: Cell, place: MemoryPlace): void {
    const { ev } = this;
    cell.memory = place;
    Object.defineProperty(cell, 'value', {
      get: () => ev.bulk.asKind(place.kind, ev.builder.load(place.array, place.at)),
      set: () => {
        throw new Error('a cell in memory is written by a store');
      },
    });
  }

  /** Where cells lie; undefined where they are not in memory, or not at equal distances. */
  runOf(cells: readonly Cell[]): MemoryRun | undefined {
    const first = cells[0]?.memory;
    if (first === undefined) return undefined;
    const second = cells[1]?.memory ?? first;
    const distance = addForms(second.at, scaleForm(first.at, -1));
    if (distance.terms.length > 0) return undefined;
    const key = formKey({ ...first.at, offset: 0 });
    for (let k = 1; k < cells.length; k++) {
      const { memory } = cells[k];
      if (memory?.array !== first.array || memory.at.offset !== first.at.offset + k * distance.offset) return undefined;
      if (memory.at.terms.length > 0 && formKey({ ...memory.at, offset: 0 }) !== key) return undefined;
    }
    return { array: first.array, kind: first.kind, start: first.at, step: distance.offset };
  }

  placeIn(run: MemoryRun, position: IndexForm): MemoryPlace {
    return { array: run.array, kind: run.kind, at: addForms(run.start, scaleForm(position, run.step)) };
  }

  load({ array, kind, at }: MemoryPlace): Scalar {
    return this.ev.bulk.asKind(kind, this.ev.builder.load(array, at));
  }

  /** @throws {RollFailure} where the value is of another kind than the elements. */
  write(place: MemoryPlace, value: Value, position: Position): void {
    const { ops, builder } = this.ev;
    if (value.tag !== 'scalar' || value.kind !== place.kind || ops.isNotCertain(value)) {
      throw new RollFailure('an element that is not of the type of the others', position);
    }
    builder.store(place.array, place.at, ops.f64(value));
  }

  /** Whether the cells could be moved here, so that everything that follows sees them there. */
  canMove(cells: readonly Cell[]): boolean {
    const { ev } = this;
    if (cells.length > MAX_ELEMENTS || new Set(cells).size !== cells.length) return false;
    let kind: ScalarKind | undefined;
    return cells.every((cell) => {
      if (cell.memory !== undefined || cell.isCopy === true || !ev.cells.isNew(cell.born) || ev.ties.isTied(cell))
        return false;
      const { value } = cell;
      if (value?.tag !== 'scalar' || ev.ops.isNotCertain(value)) return false;
      kind ??= value.kind;
      return value.kind === kind;
    });
  }

  /** Moves cells into a new local array, in their order. */
  move(cells: readonly Cell[]): void {
    const { ops, builder } = this.ev;
    const values = cells.map((cell) => cell.value as Scalar);
    const [{ kind }] = values;
    const array = builder.localArray(cells.length);
    const fill = (element: (at: IndexForm) => Scalar): void => {
      builder.for(constantForm(cells.length), [], (index) => {
        const at = { offset: 0, terms: [{ index, scale: 1 }] };
        builder.store(array, at, ops.f64(element(at)));
        return [];
      });
    };
    const [first] = values;
    const coordinates = values.map((s) => (s.known === undefined ? builder.coordinateOf(ops.f64(s)) : undefined));
    const [c0] = coordinates;
    if (values.every((s) => s.known !== undefined && Object.is(s.known, first.known))) fill(() => first);
    else if (values.every((s) => s.known !== undefined)) {
      const table = builder.table(Float64Array.from(values, (s) => s.known as number));
      fill((at) => this.ev.bulk.asKind(kind, builder.load(table, at)));
    } else if (c0 !== undefined && coordinates.every((c, k) => c === c0 + k)) {
      fill((at) => this.ev.bulk.asKind(kind, builder.load(builder.candidate(), addForms(at, constantForm(c0)))));
    } else values.forEach((s, k) => builder.store(array, constantForm(k), ops.f64(s)));
    cells.forEach((cell, k) => this.occupy(cell, { array, kind, at: constantForm(k) }));
  }
}
