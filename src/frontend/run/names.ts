/**
 * Names: which variable one stands for, and what reading, binding and unbinding it does.
 */
import { LaneStatus } from '../../ir/types.js';
import { builtinValue } from '../library/builtins.js';
import { reasonForName } from '../library/reasons.js';
import { impure } from '../machine/lasting-state.js';
import type { Position } from '../syntax/ast.js';
import type { Raised } from '../values/exceptions.js';
import { binderOf, ownerOf as scopeOf } from '../values/scopes.js';
import {
  string,
  Unsupported,
  type AnyValue,
  type Cell,
  type FunctionValue,
  type Held,
  type Scope,
} from '../values/values.js';
import type { Evaluator } from './evaluator.js';

export class Names {
  constructor(private readonly ev: Evaluator) {}

  /** The variable that an assignment to a name binds; made where it is not there yet. */
  private boundCell(name: string, scope: Scope): Cell {
    const { owner } = binderOf(name, scope);
    const holder = owner === 'module' ? this.ev.moduleScope : owner;
    // Other functions see it: binding it is an effect.
    if (holder !== scope) this.ev.cells.effects++;
    const cell = holder.cells.get(name);
    if (cell !== undefined) return cell;
    const created = this.ev.cells.cell(undefined);
    holder.cells.set(name, created);
    return created;
  }

  /** Variables of the module that only calls bind: what they are when one begins, earlier ones have left. */
  adoptGlobals(fn: FunctionValue): void {
    if (this.ev.loading) return;
    for (const name of fn.names.boundGlobals) {
      if (this.ev.moduleScope.cells.has(name)) continue;
      const cell: Cell = { value: undefined, born: this.ev.loadedAt };
      this.ev.moduleScope.cells.set(name, cell);
      this.ev.lasting.adopt(cell, fn.position, () => this.ev.moduleScope.cells.delete(name));
    }
  }

  bind(name: string, value: AnyValue, scope: Scope): void {
    const cell = this.boundCell(name, scope);
    if (this.ev.cells.isLasting(cell)) {
      this.ev.cells.effects++;
      this.ev.lasting.assign(cell, value, this.ev.ops.here);
    } else this.ev.cells.write(cell, value);
  }

  /** Names of the module that hold, or share with another, something that can be changed through one of `names`. */
  sharing(names: ReadonlySet<string>): readonly string[] {
    const { cells } = this.ev.moduleScope;
    const objectsOf = (value: Held | undefined): ReadonlySet<object> =>
      value === undefined || value.tag === 'maybe' ? new Set() : changeableIn(value);
    const shared = new Set<object>();
    for (const name of names) for (const object of objectsOf(cells.get(name)?.value)) shared.add(object);
    if (shared.size === 0) return [];
    return [...cells].filter(([, { value }]) => [...objectsOf(value)].some((o) => shared.has(o))).map(([name]) => name);
  }

  /** The variable that a name stands for; undefined for a built-in name, and one that is not known. */
  find(name: string, scope: Scope): Cell | undefined {
    const { owner } = scopeOf(name, scope);
    return (owner === 'module' ? this.ev.moduleScope : owner).cells.get(name);
  }

  lookUp(name: string, scope: Scope, position: Position): AnyValue {
    const cell = this.find(name, scope);
    if (cell !== undefined) {
      this.ev.cells.noteRead(cell);
      const value = cell.value;
      this.ev.ops.locate(position);
      if (value === undefined) return this.ev.ops.raise(LaneStatus.Raised, this.unboundError(name, scope));
      if (value.tag === 'maybe') {
        if (scope.kind === 'class') throw new Unsupported('a name that a class binds depending on x', position);
        this.ev.ops.check(this.ev.ops.not(value.bound), LaneStatus.Raised, this.unboundError(name, scope));
        if (value.value.tag === 'opaque') throw new Unsupported(value.value.reason, position);
        return value.value;
      }
      if (value.tag === 'opaque') {
        this.ev.lasting.read(value);
        throw new Unsupported(value.reason, position);
      }
      return value;
    }
    const builtin = builtinValue(this.ev, name);
    if (builtin !== undefined) return builtin;
    if (name === '__name__') return string('objective');
    if (this.ev.hidden !== null) throw new Unsupported(this.ev.hidden, position);
    throw new Unsupported(reasonForName(name), position);
  }

  /** Exception that reading an unbound variable raises. */
  unboundError(name: string, scope: Scope): Raised {
    const { owner } = scopeOf(name, scope);
    if (owner === scope && scope.kind !== 'class') return 'UnboundLocalError';
    // Since Python 3.12 comprehensions are part of the function around them.
    return owner !== 'module' && scope.kind === 'comprehension' && this.ev.pythonMinor >= 12
      ? ['NameError', 'UnboundLocalError']
      : 'NameError';
  }

  cellToDelete(name: string, scope: Scope): Cell | undefined {
    const { owner } = binderOf(name, scope);
    return (owner === 'module' ? this.ev.moduleScope : owner).cells.get(name);
  }

  /** Takes a name's value away: `del name`, and the end of the clause `except E as name`. */
  unbindName(name: string, scope: Scope, position: Position): void {
    const { owner } = binderOf(name, scope);
    const holder = owner === 'module' ? this.ev.moduleScope : owner;
    const cell = holder.cells.get(name);
    if (cell === undefined) return;
    if (this.ev.cells.isLasting(cell)) throw impure(position);
    if (holder !== scope) this.ev.cells.effects++;
    this.ev.cells.unbind(cell);
    // A name of the module that is gone uncovers the built-in one.
    if (holder === this.ev.moduleScope) holder.cells.delete(name);
  }
}

/** Lists, dicts, sets, arrays (by their cells), objects and iterators that can be reached through a value. */
function changeableIn(value: AnyValue): ReadonlySet<object> {
  const found = new Set<object>();
  const stack: Held[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (found.has(next)) continue;
    let cells: Iterable<Cell> = [];
    switch (next.tag) {
      case 'maybe':
        stack.push(next.value);
        break;
      case 'choice':
        stack.push(...next.alternatives.map((alternative) => alternative.value));
        break;
      case 'tuple':
        if (next.range === undefined) stack.push(...next.items);
        break;
      case 'complexarray':
        stack.push(next.re, next.im);
        break;
      case 'list':
      case 'ndarray':
        found.add(next);
        if (next.bulk !== undefined) found.add(next.bulk.storage);
        else cells = next.cells;
        break;
      case 'dict':
        found.add(next);
        cells = [...next.entries.values()].map((entry) => entry.cell);
        break;
      case 'instance':
        found.add(next);
        cells = next.attributes.values();
        break;
      case 'set':
      case 'iterator':
        found.add(next);
        break;
      default:
        break;
    }
    for (const cell of cells) {
      if (found.has(cell)) continue;
      found.add(cell);
      if (cell.value !== undefined) stack.push(cell.value);
    }
  }
  return found;
}
