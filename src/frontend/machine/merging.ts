/**
 * Merges what two sides of a branch leave: walks two values of one structure and pairs their scalars.
 */
import type { OpenRegion } from '../../ir/builder.js';
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import { alternativesOf, areAlikeTuples, choiceOf, isText, sameLayout } from '../values/structure.js';
import {
  bool,
  known,
  RollFailure,
  TEXT,
  typeName,
  type AnyValue,
  type Cell,
  type ChoiceValue,
  type ComplexArray,
  type ComplexValue,
  type Held,
  type ListValue,
  type NdArray,
  type OpaqueValue,
  type Scalar,
  type StringValue,
  type TupleValue,
  type Value,
} from '../values/values.js';
import type { Effects } from './cells.js';

export interface Side<T> {
  readonly region: OpenRegion;
  /** On the clock: what is older was there before the side ran. */
  readonly began: number;
  readonly effects: Effects;
  /** Undefined when the side raises on every lane, caught by the program or not. */
  readonly value: T | undefined;
  readonly raises: boolean;
}

/** One walk over what two sides of a branch leave: places that met before are merged only once. */
export interface Meeting {
  readonly a: Side<unknown>;
  readonly b: Side<unknown>;
  readonly cells: Map<Cell, Map<Cell | null, Cell>>;
  readonly lists: Map<ListValue, Map<ListValue | null, ListValue>>;
}

export class Merging {
  constructor(private readonly ev: Core) {}

  /** Walks two values of one structure and builds the merged one; scalars that differ go through `pair`. */
  zipValues(
    meeting: Meeting,
    p: Held | undefined,
    q: Held | undefined,
    position: Position,
    pair: (x: Scalar, y: Scalar) => Scalar,
  ): Held | undefined {
    if (p === q) return p;
    if (p === undefined || q === undefined) {
      const bound = (p ?? q) as Held;
      const inner = this.mapScalars(
        meeting,
        p === undefined ? meeting.b : meeting.a,
        bound.tag === 'maybe' ? bound.value : bound,
        (s) => {
          if (s.known !== undefined) return s;
          return p === undefined ? pair(UNBOUND, s) : pair(s, UNBOUND);
        },
      );
      const here = bound.tag === 'maybe' ? bound.bound : bool(true);
      const isBound = p === undefined ? pair(bool(false), here) : pair(here, bool(false));
      return { tag: 'maybe', value: inner, bound: isBound };
    }
    if (p.tag === 'maybe' || q.tag === 'maybe') {
      const inner = this.zipValues(
        meeting,
        p.tag === 'maybe' ? p.value : p,
        q.tag === 'maybe' ? q.value : q,
        position,
        pair,
      ) as AnyValue;
      const boundP = p.tag === 'maybe' ? p.bound : bool(true);
      const boundQ = q.tag === 'maybe' ? q.bound : bool(true);
      return { tag: 'maybe', value: inner, bound: pair(boundP, boundQ) };
    }
    if (p.tag === 'opaque') return p;
    if (q.tag === 'opaque') return q;
    if (p.tag === 'choice' || q.tag === 'choice') return this.zipChoices(meeting, p, q, position, pair);
    return this.zipPlain(meeting, p, q, position, pair) ?? this.zipChoices(meeting, p, q, position, pair);
  }

  /** Merges values of one kind; undefined where they are of several. */
  private zipPlain(
    meeting: Meeting,
    p: Value,
    q: Value,
    position: Position,
    pair: (x: Scalar, y: Scalar) => Scalar,
  ): Value | undefined {
    if (p === q) return p;
    if (p.tag === 'scalar' && q.tag === 'scalar') {
      if (p.kind === q.kind && p.id === q.id && Object.is(p.known, q.known)) return p.isCertain === true ? q : p;
      return pair(p, q);
    }
    const again = (x: Held | undefined, y: Held | undefined): Held | undefined =>
      this.zipValues(meeting, x, y, position, pair);
    const { a, b } = meeting;
    if (p.tag === 'complex' && q.tag === 'complex' && p.isNumPy === q.isNumPy) {
      return { ...p, re: again(p.re, q.re) as Scalar, im: again(p.im, q.im) as Scalar };
    }
    if (p.tag === 'complexarray' && q.tag === 'complexarray' && sameLayout(p.re, q.re)) {
      return { tag: 'complexarray', re: again(p.re, q.re) as NdArray, im: again(p.im, q.im) as NdArray };
    }
    if (p.tag === 'tuple' && q.tag === 'tuple' && areAlikeTuples(p, q)) {
      this.ev.work.step(position, p.items.length);
      return { ...p, items: p.items.map((item, k) => again(item, q.items[k]) as AnyValue) };
    }
    if (p.tag === 'list' && q.tag === 'list') {
      const [left, right] = [this.cellsAfter(a, p), this.cellsAfter(b, q)];
      if (left.length === right.length) {
        return this.meetingList(meeting, p, q, () =>
          left.map((cell, k) => this.meetingCell(meeting, cell, right[k], again)),
        );
      }
    }
    if (p.tag === 'ndarray' && q.tag === 'ndarray' && sameLayout(p, q) && p.kind === q.kind) {
      const { kind } = p;
      const retagged = (x: Held | undefined, y: Held | undefined): Held | undefined => {
        const value = again(x, y);
        return value?.tag === 'scalar' ? this.ev.ops.retag(value, kind) : value;
      };
      const [left, right] = [this.cellsAfter(a, p), this.cellsAfter(b, q)];
      this.ev.work.step(position, left.length);
      const cells = left.map((cell, k) => this.meetingCell(meeting, cell, right[k], retagged));
      const isOpen = p.isSometimesInt === true || q.isSometimesInt === true;
      const frozen = p.frozen || q.frozen;
      const array: NdArray = { tag: 'ndarray', shape: p.shape, kind, cells, strides: p.strides, frozen };
      return isOpen ? { ...array, isSometimesInt: true } : array;
    }
    if (p.tag === 'string' && q.tag === 'string' && p.value === q.value) return p;
    if (isText(p) && isText(q) && (p.tag === 'text' || q.tag === 'text')) return TEXT;
    if (p.tag === 'none' && q.tag === 'none') return p;
    return undefined;
  }

  /** Merges values of several kinds: alternatives of one kind become one, the others stand side by side. */
  private zipChoices(
    meeting: Meeting,
    p: Value | ChoiceValue,
    q: Value | ChoiceValue,
    position: Position,
    pair: (x: Scalar, y: Scalar) => Scalar,
  ): AnyValue {
    const rest = [...alternativesOf(q)];
    const zipped: { readonly when: Scalar; readonly value: AnyValue }[] = [];
    for (const { when, value } of alternativesOf(p)) {
      const at = rest.findIndex((other) => this.areAlike(meeting, value, other.value));
      const [partner] = at < 0 ? [] : rest.splice(at, 1);
      if (partner === undefined) {
        const alone = this.mapScalars(meeting, meeting.a, value, (s) => (s.known !== undefined ? s : pair(s, UNBOUND)));
        zipped.push({ when: pair(when, bool(false)), value: alone });
      } else {
        const both = this.zipPlain(meeting, value, partner.value, position, pair);
        if (both === undefined) throw new Error('values that are alike merge');
        zipped.push({ when: pair(when, partner.when), value: both });
      }
    }
    for (const { when, value } of rest) {
      const alone = this.mapScalars(meeting, meeting.b, value, (s) => (s.known !== undefined ? s : pair(UNBOUND, s)));
      zipped.push({ when: pair(bool(false), when), value: alone });
    }
    return choiceOf(zipped, position);
  }

  /** Whether two values merge into one of their kind. Says for each pair what `zipPlain` does. */
  private areAlike(meeting: Meeting, p: Value, q: Value): boolean {
    if (p === q) return true;
    if (p.tag !== q.tag) return isText(p) && isText(q);
    switch (p.tag) {
      case 'scalar':
      case 'none':
      case 'text':
        return true;
      case 'string':
        return p.value === (q as StringValue).value;
      case 'complex':
        return p.isNumPy === (q as ComplexValue).isNumPy;
      case 'complexarray':
        return sameLayout(p.re, (q as ComplexArray).re);
      case 'tuple':
        return areAlikeTuples(p, q as TupleValue);
      case 'list':
        return this.lengthAfter(meeting.a, p) === this.lengthAfter(meeting.b, q as ListValue);
      case 'ndarray':
        return sameLayout(p, q as NdArray) && p.kind === (q as NdArray).kind;
      default:
        return false;
    }
  }

  private lengthAfter(side: Side<unknown>, list: ListValue): number {
    return list.bulk === undefined ? this.cellsAfter(side, list).length : this.ev.bulk.lengthOf(list);
  }

  /** The elements as they are after a side; of large lists and arrays they are built at its end. */
  private cellsAfter(side: Side<unknown>, value: ListValue | NdArray): readonly Cell[] {
    if (value.bulk === undefined) return (value.tag === 'list' ? side.effects.lists.get(value) : null) ?? value.cells;
    this.ev.builder.reopen(side.region);
    try {
      return value.cells;
    } finally {
      this.ev.builder.closeRegion(side.region);
    }
  }

  /** Value that a place holds after a side. */
  valueAfter(side: Side<unknown>, cell: Cell): Held | undefined {
    if (cell.memory !== undefined) {
      throw new RollFailure('elements that a rolled loop stores, moved depending on x', this.ev.ops.here);
    }
    return side.effects.cells.has(cell) ? side.effects.cells.get(cell) : cell.value;
  }

  private meetingCell(
    meeting: Meeting,
    p: Cell,
    q: Cell,
    zip: (x: Held | undefined, y: Held | undefined) => Held | undefined,
  ): Cell {
    const partners = partnersOf(meeting.cells, p);
    const met = partners.get(q);
    if (met !== undefined) return met;
    const cell = this.copyCell(zip(this.valueAfter(meeting.a, p), this.valueAfter(meeting.b, q)), p, q);
    partners.set(q, cell);
    this.ev.ties.tie(cell, p, q);
    return cell;
  }

  /** A place for a value that comes from others; elements of bulk containers are no places to write to. */
  private copyCell(value: Held | undefined, ...sources: readonly Cell[]): Cell {
    const cell = this.ev.cells.cell(value);
    return sources.some((source) => source.isCopy === true) ? { ...cell, isCopy: true } : cell;
  }

  private meetingList(meeting: Meeting, p: ListValue, q: ListValue, cells: () => Cell[]): ListValue {
    const partners = partnersOf(meeting.lists, p);
    const met = partners.get(q);
    if (met !== undefined) return met;
    const list: ListValue = { tag: 'list', cells: cells(), born: this.ev.cells.clock, frozen: p.frozen || q.frozen };
    partners.set(q, list);
    // Lists that were there before, or stand for more than one, have other names.
    const isOld = p.born < meeting.a.began || q.born < meeting.a.began;
    const isShared = partners.size > 1 || [...meeting.lists].some(([other, met]) => other !== p && met.has(q));
    if (isOld || isShared) for (const part of [p, q, list]) this.ev.ties.tiedLists.add(part);
    return list;
  }

  /** A value of the same structure with every scalar replaced: what a variable is where only `side` binds it. */
  private mapScalars(meeting: Meeting, side: Side<unknown>, value: AnyValue, replace: (s: Scalar) => Scalar): AnyValue {
    const again = (v: AnyValue): AnyValue => this.mapScalars(meeting, side, v, replace);
    const cellOf = (c: Cell): Cell => {
      const partners = partnersOf(meeting.cells, c);
      const met = partners.get(null);
      if (met !== undefined) return met;
      const old = this.valueAfter(side, c);
      const replaced = (held: Held): Held =>
        held.tag === 'maybe' ? { ...held, value: again(held.value), bound: replace(held.bound) } : again(held);
      const cell = this.copyCell(old === undefined ? undefined : replaced(old), c);
      partners.set(null, cell);
      this.ev.ties.tie(cell, c);
      return cell;
    };
    switch (value.tag) {
      case 'scalar':
        return replace(value);
      case 'complex':
        return { ...value, re: replace(value.re), im: replace(value.im) };
      case 'complexarray':
        return { tag: 'complexarray', re: again(value.re) as NdArray, im: again(value.im) as NdArray };
      case 'choice': {
        const parts = value.alternatives.map(({ when, value: v }) => ({ when: replace(when), value: again(v) }));
        return choiceOf(parts, this.ev.ops.here);
      }
      case 'tuple':
        if (value.range !== undefined) return value;
        if (value.isCurrent !== undefined) return lostValue(value, this.ev.ops.here);
        this.ev.work.step(this.ev.ops.here, value.items.length);
        return { ...value, items: value.items.map(again) };
      case 'list': {
        // What was there before is itself on all lanes.
        if (value.born < side.began && value.bulk === undefined) return value;
        const partners = partnersOf(meeting.lists, value);
        const met = partners.get(null);
        if (met !== undefined) return met;
        const cells = this.cellsAfter(side, value).map(cellOf);
        const list: ListValue = { tag: 'list', cells, born: this.ev.cells.clock, frozen: value.frozen };
        partners.set(null, list);
        if (value.born < side.began || partners.size > 1) for (const l of [value, list]) this.ev.ties.tiedLists.add(l);
        return list;
      }
      case 'ndarray':
        if (value.bulk === undefined && value.cells.every((cell) => cell.born < side.began)) return value;
        return {
          tag: 'ndarray',
          shape: value.shape,
          kind: value.kind,
          cells: this.cellsAfter(side, value).map(cellOf),
          strides: value.strides,
          frozen: value.frozen,
          isSometimesInt: value.isSometimesInt,
        };
      case 'masked': {
        const items = value.items.map(({ value: s, present }) => ({ value: replace(s), present: replace(present) }));
        const copy = { ...value, items };
        for (const one of [value, copy]) this.ev.cells.holders.set(one, null);
        return copy;
      }
      case 'filtered': {
        const items = value.items.map(({ value: v, present }) => ({ value: again(v), present: replace(present) }));
        return { ...value, items };
      }
      case 'dict':
      case 'instance':
        if (value.born < side.began) return value;
        return lostValue(value, this.ev.ops.here);
      case 'function':
      case 'class':
        // What it has captured may be there on the lanes of the side only.
        return value.born < side.began ? value : lostValue(value, this.ev.ops.here);
      case 'builtin':
        return isLibraryName(value.name) ? value : lostValue(value, this.ev.ops.here);
      case 'iterator':
      case 'super':
        return lostValue(value, this.ev.ops.here);
      case 'none':
      case 'string':
      case 'text':
      case 'set':
      case 'ellipsis':
      case 'slice':
      case 'module':
      case 'type':
      case 'exception':
      case 'opaque':
        return value;
    }
  }
}

/** Stands for a value that is made in a branch on x and used behind it, where its parts cannot be merged. */
const lostValue = (value: Value, position: Position): OpaqueValue => ({
  tag: 'opaque',
  reason: `a ${typeName(value)} that is made on some lanes only, depending on x`,
  position,
});

/** Functions of modules: they have captured nothing of the program. */
export const isLibraryName = (name: string): boolean =>
  !name.includes('.') || /^(math|cmath|numpy|scipy|operator|statistics)\.[\w.]+$/.test(name);

/** Stands for the value of a variable on lanes where it is not bound: any number will do. */
export const UNBOUND: Scalar = known('float', 0);

function partnersOf<T>(table: Map<T, Map<T | null, T>>, place: T): Map<T | null, T> {
  const found = table.get(place);
  if (found !== undefined) return found;
  const created = new Map<T | null, T>();
  table.set(place, created);
  return created;
}
