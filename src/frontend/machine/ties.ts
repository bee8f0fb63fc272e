/**
 * Places of which some lanes take one for another, after a branch or a loop that depends on x.
 */
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import { asMaybe } from '../values/structure.js';
import { RollFailure, Unsupported, type Cell, type Held, type ListValue, type OpaqueValue } from '../values/values.js';

export class Ties {
  /** Places of which some lanes take one for the other: a store to one leaves the others unknown. */
  ties = new WeakMap<Cell, Set<Cell>>();
  tiedLists = new WeakSet<ListValue>();

  /** Elements that a loop carries from iteration to iteration, which may have another name in one of them. */
  carriedCells = new WeakSet<Cell>();

  constructor(private readonly ev: Core) {}

  refuseTied(list: ListValue, position: Position): void {
    if (this.tiedLists.has(list)) {
      throw new Unsupported('changing the elements of a list that has another name, depending on x', position);
    }
  }

  tie(cell: Cell, ...others: Cell[]): void {
    if (cell.memory !== undefined || others.some((other) => other.memory !== undefined)) {
      throw new RollFailure('elements that a rolled loop stores, under several names depending on x', this.ev.ops.here);
    }
    for (const other of others) {
      for (const [p, q] of [
        [cell, other],
        [other, cell],
      ]) {
        const tied = this.ties.get(p);
        if (tied === undefined) this.ties.set(p, new Set([q]));
        else tied.add(q);
      }
    }
  }

  isTied(cell: Cell): boolean {
    return this.ties.has(cell) || this.carriedCells.has(cell);
  }

  loseTied(cell: Cell, position: Position): void {
    if (!this.ties.has(cell)) return;
    const lost: OpaqueValue = {
      tag: 'opaque',
      reason: 'an element of a list or array that was changed under another name, depending on x',
      position,
    };
    const seen = new Set([cell]);
    for (const place of seen) {
      for (const other of this.ties.get(place) ?? []) {
        if (seen.has(other)) continue;
        seen.add(other);
        if (other.value?.tag !== 'opaque') this.ev.cells.write(other, lost);
      }
    }
  }

  /** Containers that a loop carries are new ones in its body and after it; on some lanes they are the old. */
  tieValues(old: Held | undefined, made: Held): void {
    if (old === undefined) return;
    if (old.tag === 'maybe' || made.tag === 'maybe') {
      this.tieValues(asMaybe(old).value, asMaybe(made).value);
    } else if (old.tag === 'tuple' && made.tag === 'tuple') {
      old.items.forEach((item, k) => this.tieValues(item, made.items[k]));
    } else if (old.tag === 'complexarray' && made.tag === 'complexarray') {
      this.tieValues(old.re, made.re);
      this.tieValues(old.im, made.im);
    } else if ((old.tag === 'list' && made.tag === 'list') || (old.tag === 'ndarray' && made.tag === 'ndarray')) {
      const [p, q] = [old.cells as readonly Cell[], made.cells as readonly Cell[]];
      if (p.length !== q.length) return;
      p.forEach((cell, k) => {
        this.tie(cell, q[k]);
        if (cell.isCopy === true) this.carriedCells.add(q[k]);
        this.tieValues(cell.value, q[k].value as Held);
      });
      if (old.tag === 'list') for (const list of [old, made as ListValue]) this.tiedLists.add(list);
    }
  }

  /** Ties what a loop's variable is during an iteration to what it was; its elements cannot be stored into. */
  carryContainers(before: Held | undefined, during: Held): void {
    this.tieValues(before, during);
    this.refuseStores(during);
  }

  private refuseStores(value: Held): void {
    if (value.tag === 'maybe') this.refuseStores(value.value);
    else if (value.tag === 'tuple') value.items.forEach((item) => this.refuseStores(item));
    else if (value.tag === 'complexarray') {
      this.refuseStores(value.re);
      this.refuseStores(value.im);
    } else if (value.tag === 'list' || value.tag === 'ndarray') {
      for (const cell of value.cells as readonly Cell[]) {
        if (cell.memory !== undefined)
          throw new RollFailure('elements in memory that a loop replaces', this.ev.ops.here);
        this.carriedCells.add(cell);
        this.refuseStores(cell.value as Held);
      }
    }
  }
}
