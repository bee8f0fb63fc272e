/**
 * Branches on x: both sides run, each in a region of its own; what they wrote is merged.
 */
import type { OpenRegion } from '../../ir/builder.js';
import { OPS, type OpName } from '../../ir/ops.js';
import type { IrNode, ValueId } from '../../ir/types.js';
import { resultsOf } from '../../ir/walk.js';
import type { Core } from './core.js';
import type { Position } from '../syntax/ast.js';
import { joinKinds } from '../values/scalar-kinds.js';
import { isPlain } from '../values/structure.js';
import {
  dynamic,
  isBoolKind,
  PathCaught,
  PathRaises,
  RollFailure,
  Unsupported,
  type AnyValue,
  type Cell,
  type Held,
  type ListValue,
  type Scalar,
} from '../values/values.js';
import type { Effects } from './cells.js';
import { UNBOUND, type Meeting, type Side } from './merging.js';

/** Branches on x inside one another; statements after a possible exit count as inside. */
const MAX_BRANCH_DEPTH = 200;

/** Regions of up to so many primitives without effects run unconditionally: cheaper than a branch. */
const SPLICE_NODES = 24;

export class Branches {
  /** Truth values that are known in the branch being evaluated, since it is taken on lanes where they hold. */
  readonly assumptions = new Map<ValueId, boolean>();

  constructor(private readonly ev: Core) {}

  private runSide<T>(body: () => T, assumed: Scalar, holds: boolean): Side<T> {
    if (this.ev.cells.journals.length > MAX_BRANCH_DEPTH) {
      throw new Unsupported('too many branches inside one another', this.ev.ops.here, 'limit');
    }
    const region = this.ev.builder.openRegion();
    const journal = this.ev.cells.openJournal();
    const forget = this.assume(assumed, holds);
    let value: T | undefined;
    let raises = false;
    let done = false;
    try {
      value = body();
      done = true;
    } catch (error) {
      if (!(error instanceof PathRaises) && !(error instanceof PathCaught)) throw error;
      raises = error instanceof PathRaises;
      done = true;
    } finally {
      forget();
      if (!done) {
        this.ev.cells.rollBack(journal);
        this.ev.builder.closeRegion(region);
      }
    }
    const effects = this.ev.cells.rollBack(journal);
    this.ev.builder.closeRegion(region);
    return { region, began: journal.began, effects, value, raises };
  }

  /**
   * Evaluates `then` where `condition` holds and `otherwise` elsewhere, and merges values and effects. A condition
   * known at compile time runs one side only.
   */
  branch(condition: Scalar, then: () => Scalar, otherwise: () => Scalar, position: Position): Scalar;
  branch(condition: Scalar, then: () => AnyValue, otherwise: () => AnyValue, position: Position): AnyValue;
  branch(condition: Scalar, then: () => AnyValue, otherwise: () => AnyValue, position: Position): AnyValue {
    if (condition.known !== undefined) return condition.known !== 0 ? then() : otherwise();
    const settled =
      this.assumptions.size === 0 ? undefined : this.ev.ops.settled(this.ev.ops.truth(condition), this.assumptions);
    if (settled !== undefined) return settled ? then() : otherwise();
    const a = this.runSide(then, condition, true);
    const b = this.runSide(otherwise, condition, false);
    if (a.raises && b.raises) {
      this.placeBare(condition, a, b);
      throw new PathRaises();
    }
    if (a.raises || b.raises) {
      // Lanes of the raising side are flagged by then: whatever the other side computes on them does not matter.
      const live = a.raises ? b : a;
      if (a.raises) this.placeBare(condition, a, null);
      else this.placeBare(condition, null, b);
      this.ev.builder.splice(live.region);
      this.apply(live.effects);
      if (live.value === undefined) throw new PathCaught();
      return live.value;
    }
    return this.merge(condition, a, b, position);
  }

  /** Notes that `condition` is `holds` until the returned function is called. */
  private assume(condition: Scalar, holds: boolean): () => void {
    const id = this.ev.ops.truth(condition);
    const added = this.ev.ops.implied(id, holds).filter(([value]) => !this.assumptions.has(value));
    for (const [value, truth] of added) this.assumptions.set(value, truth);
    return () => {
      for (const [value] of added) this.assumptions.delete(value);
    };
  }

  private placeBare(condition: Scalar, a: Side<AnyValue> | null, b: Side<AnyValue> | null): void {
    const empty = (): OpenRegion => {
      const region = this.ev.builder.openRegion();
      this.ev.builder.closeRegion(region);
      return region;
    };
    this.ev.builder.placeIf(this.ev.ops.truth(condition), a?.region ?? empty(), [], b?.region ?? empty(), []);
  }

  apply(effects: Effects): void {
    for (const [cell, value] of effects.cells) this.leave(cell, value);
    for (const [list, cells] of effects.lists) this.ev.cells.restructure(list, cells, this.ev.ops.here);
    for (const iterator of effects.used) this.ev.cells.useUp(iterator);
  }

  /** Leaves in a variable the value from a branch; undefined: it took the value away. */
  private leave(cell: Cell, value: Held | undefined): void {
    if (value !== undefined) this.ev.cells.write(cell, value);
    else if (cell.value !== undefined) this.ev.cells.unbind(cell);
  }

  private merge(condition: Scalar, a: Side<AnyValue>, b: Side<AnyValue>, position: Position): AnyValue {
    // Pairs of scalars to select between, each with the place where the merged scalar goes.
    const pairs: { readonly a: Scalar; readonly b: Scalar }[] = [];
    const meet = (): Meeting => ({ a, b, cells: new Map(), lists: new Map() });
    const planned = meet();
    const done = meet();
    const plan = (p: Held | undefined, q: Held | undefined): (() => Held | undefined) => {
      const slots: number[] = [];
      const template = this.ev.merging.zipValues(planned, p, q, position, (x, y) => {
        slots.push(pairs.push({ a: x, b: y }) - 1);
        return x;
      });
      if (slots.length === 0 && (template === undefined || isPlain(template))) return () => template;
      return () => {
        let next = 0;
        return this.ev.merging.zipValues(done, p, q, position, () => merged[slots[next++]]);
      };
    };

    for (const iterator of [...a.effects.used, ...b.effects.used]) this.ev.cells.useUp(iterator);
    const value = plan(a.value, b.value);
    const cells: { readonly cell: Cell; readonly merged: () => Held | undefined }[] = [];
    for (const cell of new Set([...a.effects.cells.keys(), ...b.effects.cells.keys()])) {
      const p = a.effects.cells.has(cell) ? a.effects.cells.get(cell) : cell.value;
      const q = b.effects.cells.has(cell) ? b.effects.cells.get(cell) : cell.value;
      cells.push({ cell, merged: plan(p, q) });
    }
    const lists: { readonly list: ListValue; readonly merged: (() => Held | undefined)[] }[] = [];
    for (const list of new Set([...a.effects.lists.keys(), ...b.effects.lists.keys()])) {
      const p = a.effects.lists.get(list) ?? list.cells;
      const q = b.effects.lists.get(list) ?? list.cells;
      if (p.length !== q.length)
        throw new Unsupported(
          'a list whose length depends on x (x[x > 0] of an array, and filters in comprehensions, are compiled)',
          position,
        );
      lists.push({
        list,
        merged: p.map((cell, k) => plan(this.ev.merging.valueAfter(a, cell), this.ev.merging.valueAfter(b, q[k]))),
      });
    }

    const merged = this.selectPairs(condition, a.region, b.region, pairs);
    const result = value();
    // Everything is read before anything is written.
    const values = cells.map(({ cell, merged: get }) => ({ cell, value: get() }));
    const elements = lists.map(({ list, merged: parts }) => ({ list, values: parts.map((get) => get()) }));
    for (const { cell, value: v } of values) this.leave(cell, v);
    for (const { list, values: items } of elements) {
      this.ev.cells.restructure(
        list,
        items.map((v) => this.ev.cells.cell(v)),
        position,
      );
    }
    // No lane goes on from here.
    if (result === undefined) throw new PathCaught();
    // One side was left by an exception that is caught: its lanes do not use the value.
    return result.tag === 'maybe' ? result.value : result;
  }

  /** Places both regions and returns the selected scalars. */
  private selectPairs(
    condition: Scalar,
    then: OpenRegion,
    otherwise: OpenRegion,
    pairs: readonly { readonly a: Scalar; readonly b: Scalar }[],
  ): Scalar[] {
    if (isSpliceable(then) && isSpliceable(otherwise)) {
      this.ev.builder.splice(then);
      this.ev.builder.splice(otherwise);
      return pairs.map(({ a, b }) => (a === UNBOUND ? b : b === UNBOUND ? a : this.ev.ops.select(condition, a, b)));
    }
    const kinds = pairs.map(({ a, b }) =>
      a === UNBOUND ? b.kind : b === UNBOUND ? a.kind : joinKinds(a.kind, b.kind),
    );
    const yieldsOf = (region: OpenRegion, side: 'a' | 'b'): ValueId[] => {
      this.ev.builder.reopen(region);
      const ids = pairs.map((pair, k) => {
        const s = pair[side];
        return isBoolKind(kinds[k]) ? this.ev.ops.truth(s) : this.ev.ops.f64(s);
      });
      this.ev.builder.closeRegion(region);
      return ids;
    };
    // Pairs known to be equal, or where a truth value is known on one side, need no merge through the branch.
    const results = this.ev.builder.placeIf(
      this.ev.ops.truth(condition),
      then,
      yieldsOf(then, 'a'),
      otherwise,
      yieldsOf(otherwise, 'b'),
    );
    return pairs.map(({ a, b }, k) => {
      const kind = kinds[k];
      if (isBoolKind(kind) && (a.known !== undefined || b.known !== undefined)) {
        const through = this.ev.ops.joined(a, b, dynamic(kind, results[k]));
        // true on one side: result = condition or b (resp. not condition or a); keeps "has returned" decidable.
        if (a.known === 1 && b.known === undefined && this.isOutside(b, otherwise))
          return this.ev.ops.select(condition, a, b);
        if (b.known === 1 && a.known === undefined && this.isOutside(a, then))
          return this.ev.ops.select(condition, a, b);
        if (a.known !== undefined && b.known !== undefined) return this.ev.ops.select(condition, a, b);
        return through;
      }
      return this.ev.ops.joined(a === UNBOUND ? b : a, b === UNBOUND ? a : b, dynamic(kind, results[k]));
    });
  }

  /** Whether a value was defined before `region`, so that it is visible after it. */
  private isOutside(s: Scalar, region: OpenRegion): boolean {
    return !region.body.some((node) => resultsOf(node).includes(s.id));
  }

  private isCuredOutside({ cure }: RollFailure): boolean {
    if (cure === undefined) return false;
    return cure.index === undefined ? this.ev.builder.isInFor : this.ev.builder.isOpenIndex(cure.index);
  }

  /** Builds what `run` builds, or nothing at all, and gives false, where that cannot be rolled. */
  attempt(run: () => void): boolean {
    const journal = this.ev.cells.openJournal();
    const region = this.ev.builder.openRegion();
    const close = (): Effects => {
      const effects = this.ev.cells.rollBack(journal);
      this.ev.builder.closeRegion(region);
      return effects;
    };
    try {
      run();
    } catch (error) {
      const effects = close();
      if (error instanceof PathRaises || error instanceof PathCaught) {
        this.ev.builder.splice(region);
        this.apply(effects);
        throw error;
      }
      if (error instanceof RollFailure && !this.isCuredOutside(error)) return false;
      if (error instanceof Unsupported && error.kind === 'unsupported') return false;
      throw error;
    }
    const effects = close();
    this.ev.builder.splice(region);
    this.apply(effects);
    this.ev.hasRolled = true;
    return true;
  }
}

const STAYS_IN_BRANCH: ReadonlySet<OpName> = new Set(['check', 'store', 'sqrt']);

/**
 * Functions stay in their branch: they cost more than it does, and bounds of a logarithm need to know what was asked
 * before it.
 */
function isSpliceable(region: OpenRegion): boolean {
  const isCheap = (node: IrNode): boolean =>
    node.kind === 'op' && !STAYS_IN_BRANCH.has(node.op) && OPS[node.op].kind !== 'math';
  return region.body.length <= SPLICE_NODES && region.body.every(isCheap);
}
