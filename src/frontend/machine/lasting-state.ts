/**
 * State that lasts from call to call and never reaches the result: counters, records, histories (`global calls`,
 * `self.best`, `history.append(v)`). What such a variable holds depends on earlier calls, so that no number may be
 * computed from it. What remains is to know that keeping it raises nothing: of each variable the types are known that
 * it may have, and expressions on it are followed by their types alone. All else is left to CPython.
 *
 * A variable is found to be state when a call writes it, by then it may have been read as what the module made it: the
 * program is built again, with the variable as one that has no value (`isOpen`).
 */
import type { IrNode } from '../../ir/types.js';
import { contains } from '../../ir/walk.js';
import type { Core } from './core.js';
import type { Expression, ExpressionOf, Position, Statement, StatementOf } from '../syntax/ast.js';
import {
  isBoolKind,
  isIntKind,
  NONE,
  PathCaught,
  PathRaises,
  Unsupported,
  type AnyValue,
  type Cell,
  type DictValue,
  type Held,
  type ListValue,
  type OpaqueValue,
  type Scope,
  type StateTypes,
  type Value,
} from '../values/values.js';

/** Types that a variable may hold, as bits. */
const INT = 1;

const FLOAT = 2;

const NOTHING = 4;

const TEXT = 8;

const CONTAINER = 16;

const OTHER = 32;

/** It may not be bound at all. */
const UNBOUND = 64;

const NUMBER = INT | FLOAT;

interface Lasting extends StateTypes {
  readonly original: Held | undefined;
  readonly poison: OpaqueValue;
  /** Takes away a variable that a call has made. */
  readonly remove: (() => void) | undefined;
}

type Container = ListValue | DictValue;

const REASON = 'what the objective returns would depend on earlier calls';

/** Formats that take every number, and that take every whole one. */
const NUMBER_FORMAT = /^[-+<>^=, 0-9.]*[eEfFgG%]$/;

const WHOLE_FORMAT = /^[-+<>^=, 0-9]*d?$/;

export class LastingState {
  private readonly cells = new Map<Cell, Lasting>();
  private readonly containers = new Map<Container, () => void>();
  /** Variables that are no `None` where the program is. */
  private readonly present = new Set<Cell>();
  /** Whether statements are followed of which only the state says whether they run. */
  private isUncertain = false;
  /** Whether something was found that what is built does not know yet. */
  isOpen = false;

  constructor(private readonly ev: Core) {}

  /** Another program: all is as the module has made it. */
  forget(): void {
    for (const [cell, { original, remove }] of this.cells) {
      cell.value = original;
      remove?.();
    }
    for (const restore of this.containers.values()) restore();
    this.cells.clear();
    this.containers.clear();
    this.again();
  }

  /** The same program once more, with what was found. */
  again(): void {
    for (const [cell, { poison }] of this.cells) cell.value = poison;
    this.present.clear();
    this.isUncertain = false;
    this.isOpen = false;
  }

  get isActive(): boolean {
    return this.cells.size > 0 || this.containers.size > 0;
  }

  // ---- what is state

  isState(cell: Cell): boolean {
    return this.cells.has(cell);
  }

  /** A variable that lasts gets a value. `remove` undoes that the call has made it. */
  assign(cell: Cell, value: AnyValue, position: Position, remove?: () => void): void {
    const { state } = this.found(cell, position, remove);
    this.widen(state, this.typesOf(value));
    if (value.tag === 'none') this.present.delete(cell);
    // With a value it would be one for which other lanes or calls have another.
    if (state.isKept && !this.isUncertain) this.ev.cells.write(cell, value);
    else if (cell.value !== state.poison) this.ev.cells.write(cell, state.poison);
  }

  /** A variable that calls alone bind. */
  adopt(cell: Cell, position: Position, remove: () => void): void {
    this.found(cell, position, remove);
  }

  private found(cell: Cell, position: Position, remove?: () => void): { readonly state: Lasting } {
    const known = this.cells.get(cell);
    if (known !== undefined) return { state: known };
    const original = cell.value;
    const reason = `this reads what an earlier call has left: ${REASON}`;
    const types = { types: original === undefined ? UNBOUND : this.typesOf(original), isKept: false, reason };
    const poison: OpaqueValue & { state: StateTypes } = { tag: 'opaque', reason, position, state: types };
    const state: Lasting = Object.assign(types, { original, poison, remove });
    poison.state = state;
    this.cells.set(cell, state);
    cell.value = poison;
    this.isOpen = true;
    return { state };
  }

  private widen(state: StateTypes, types: number): void {
    if ((state.types | types) === state.types) return;
    state.types |= types;
    this.isOpen = true;
  }

  /** A list or dict that lasts gets more or fewer elements. */
  touch(container: Container): void {
    if (this.containers.has(container)) return;
    const place = container.tag === 'list' ? 'cells' : 'entries';
    const original = Object.getOwnPropertyDescriptor(container, place) as PropertyDescriptor;
    const { ev } = this;
    this.containers.set(container, () => Object.defineProperty(container, place, original));
    Object.defineProperty(container, place, {
      configurable: true,
      enumerable: true,
      get: () => {
        throw new Unsupported(`this reads what earlier calls have put into it: ${REASON}`, ev.ops.here);
      },
    });
    this.isOpen = true;
  }

  isTouched(container: Container): boolean {
    return this.containers.has(container);
  }

  /** `d[key] = value` of a dict that lasts. */
  storeEntry(dict: DictValue, key: Value, value: AnyValue, position: Position): void {
    if (!isHashable(key)) throw new Unsupported('a key that is none of number, text and tuple', position);
    const name = key.tag === 'string' ? `s${key.value}` : key.tag === 'scalar' ? key.known : undefined;
    const entry = this.isTouched(dict) || name === undefined ? undefined : dict.entries.get(name);
    if (entry !== undefined) this.assign(entry.cell, value, position);
    else this.touch(dict);
  }

  /** A variable without a value was read: it may be one that this call has written before. */
  read({ state }: OpaqueValue): void {
    if (state === undefined || state.isKept) return;
    state.isKept = true;
    this.isOpen = true;
  }

  // ---- statements

  /** Carries out a statement that reads or changes the state; false for one that does neither. */
  execute(node: Statement, scope: Scope): boolean {
    if (!this.isActive && !this.isUncertain) return false;
    switch (node.kind) {
      case 'AugAssign':
        return this.augment(node, scope);
      case 'Assign':
        if (!this.mentions(node.value, scope)) return false;
        this.store(node, scope);
        return true;
      case 'If':
        if (!this.mentions(node.test, scope)) return false;
        this.choose(node, scope);
        return true;
      case 'Expr':
        return this.show(node.value, scope);
      default:
        return false;
    }
  }

  /** A call that only shows the state, or puts it into a container of the state. */
  private show(node: Expression, scope: Scope): boolean {
    if (node.kind !== 'Call' || node.keywords.length > 0 || node.callee.kind !== 'Attribute') return false;
    if (!node.args.some((arg) => this.mentions(arg, scope))) return false;
    const { callee, args } = node;
    const list = this.cellOf(callee.value, scope)?.value;
    if (callee.name === 'append' && args.length === 1 && list?.tag === 'list' && list.frozen) {
      this.typeOf(args[0], scope);
      this.touch(list);
      return true;
    }
    if (this.mentions(callee, scope)) return false;
    const shown = this.ev.expressions.evaluate(callee, scope);
    if (shown.tag !== 'builtin' || !/^(logging|warnings)\./.test(shown.name)) return false;
    for (const arg of args) this.text(arg, scope);
    return true;
  }

  private augment(node: StatementOf<'AugAssign'>, scope: Scope): boolean {
    const place = this.placeOf(node.target, scope);
    if (place === null) return false;
    if (place.container !== undefined) {
      const added = this.typeOf(node.value, scope);
      if (node.operator !== '+' || added !== CONTAINER) this.refuse(node);
      return true;
    }
    const { state } = place;
    if ((state.types & UNBOUND) !== 0) this.refuse(node);
    const types = this.arithmetic(node.operator, state.types, node.target, node.value, scope, node);
    this.widen(state, types);
    return true;
  }

  private store(node: StatementOf<'Assign'>, scope: Scope): void {
    const types = this.typeOf(node.value, scope);
    for (const target of node.targets) {
      const place = this.placeOf(target, scope);
      if (place?.cell !== undefined) {
        this.widen(place.state, types);
        if ((types & NOTHING) !== 0) this.present.delete(place.cell);
      } else if (target.kind === 'Name' && !this.isUncertain) {
        this.ev.names.bind(target.name, this.withoutValue(types, node), scope);
      } else this.refuse(target);
    }
  }

  /** Value of a variable that was computed from the state. */
  private withoutValue(types: number, position: Position): OpaqueValue {
    const reason = `this was computed from what an earlier call has left: ${REASON}`;
    return { tag: 'opaque', reason, position, state: { types, isKept: true, reason } };
  }

  /** Only the state says which of the blocks runs: both may do nothing but keep more of it. */
  private choose(node: StatementOf<'If'>, scope: Scope): void {
    const { isUncertain } = this;
    const decide = (): number => this.typeOf(node.test, scope);
    const types = isUncertain ? this.silently(decide, node.test) : decide();
    // The truth value of an array raises.
    if ((types & OTHER) !== 0) this.refuse(node.test);
    this.isUncertain = true;
    try {
      const [whenTrue, whenFalse] = this.nonNull(node.test, scope);
      this.knowing(whenTrue, () => this.follow(node.body, scope));
      this.knowing(whenFalse, () => this.follow(node.orElse, scope));
    } finally {
      this.isUncertain = isUncertain;
    }
  }

  private follow(statements: readonly Statement[], scope: Scope): void {
    for (const node of statements) {
      this.ev.work.step(node);
      this.ev.ops.locate(node);
      switch (node.kind) {
        case 'Pass':
          break;
        case 'If': {
          if (this.mentions(node.test, scope)) this.choose(node, scope);
          else {
            this.silently(() => this.ev.operators.truthOf(this.ev.expressions.evaluate(node.test, scope), node), node);
            this.follow(node.body, scope);
            this.follow(node.orElse, scope);
          }
          break;
        }
        case 'AugAssign':
          if (!this.silently(() => this.augment(node, scope), node)) this.refuse(node);
          break;
        case 'Assign':
          if (node.targets.some((t) => t.kind === 'Name' && !this.isLastingName(t.name, scope))) this.refuse(node);
          if (this.mentions(node.value, scope)) this.silently(() => this.store(node, scope), node);
          else this.silently(() => this.ev.statements.execute(node, scope), node);
          break;
        case 'Expr':
          this.silently(() => this.ev.statements.execute(node, scope), node);
          break;
        default:
          this.refuse(node);
      }
    }
  }

  private isLastingName(name: string, scope: Scope): boolean {
    const cell = this.ev.names.find(name, scope);
    return cell !== undefined && this.ev.cells.isLasting(cell);
  }

  /** Follows something that runs on some calls only: it may change nothing but state, and raise nothing. */
  private silently<T>(run: () => T, position: Position): T {
    const { ev } = this;
    const region = ev.builder.openRegion();
    const journal = ev.cells.openJournal();
    let written: Cell[] = [];
    try {
      const result = run();
      written = [...journal.cells.keys()];
      const changesOther = written.some((cell) => !this.cells.has(cell));
      if (changesOther || journal.lists.size > 0 || hasChecks(region.body)) this.refuse(position);
      return result;
    } catch (error) {
      if (error instanceof PathRaises || error instanceof PathCaught) this.refuse(position);
      throw error;
    } finally {
      ev.cells.rollBack(journal);
      ev.builder.closeRegion(region);
      for (const cell of written) {
        const state = this.cells.get(cell);
        if (state !== undefined) ev.cells.write(cell, state.poison);
      }
    }
  }

  private refuse(position: Position): never {
    throw new Unsupported(`this depends on what an earlier call has left: ${REASON}`, position);
  }

  // ---- expressions, by their types

  /** A variable or container of the state that an expression names. */
  private placeOf(
    node: Expression,
    scope: Scope,
  ):
    | { readonly cell: Cell; readonly state: StateTypes; readonly container?: undefined }
    | { readonly container: Container; readonly cell?: undefined }
    | null {
    const cell = this.cellOf(node, scope);
    const value = cell?.value;
    if (cell === undefined || value === undefined) return null;
    if (value.tag === 'opaque' && value.state !== undefined) return { cell, state: value.state };
    if ((value.tag === 'list' || value.tag === 'dict') && this.containers.has(value)) return { container: value };
    return null;
  }

  private cellOf(node: Expression, scope: Scope): Cell | undefined {
    switch (node.kind) {
      case 'Name':
        return this.ev.names.find(node.name, scope);
      case 'Attribute': {
        const object = this.cellOf(node.value, scope)?.value;
        if (object === undefined || object.tag === 'choice' || object.tag === 'maybe') return undefined;
        return object.tag === 'opaque' ? undefined : this.ev.assignment.attributeCell(object, node.name);
      }
      case 'Subscript': {
        const object = this.cellOf(node.value, scope)?.value;
        const { index } = node;
        if (object?.tag === 'dict' && index.kind === 'String' && !this.containers.has(object)) {
          return object.entries.get(`s${index.value}`)?.cell;
        }
        if (object?.tag === 'list' && index.kind === 'Int' && index.value !== null && !this.containers.has(object)) {
          return object.bulk === undefined ? object.cells[index.value] : undefined;
        }
        return undefined;
      }
      default:
        return undefined;
    }
  }

  mentions(node: Expression, scope: Scope): boolean {
    if (!this.isActive) return false;
    const stack: unknown[] = [node];
    while (stack.length > 0) {
      const item = stack.pop();
      if (typeof item !== 'object' || item === null) continue;
      const part = item as Expression;
      if (['Name', 'Attribute', 'Subscript'].includes(part.kind) && this.placeOf(part, scope) !== null) return true;
      stack.push(...Object.values(item));
    }
    return false;
  }

  /** Names that a test leaves as no `None` where it holds, and where it does not. */
  private nonNull(test: Expression, scope: Scope): readonly [readonly Cell[], readonly Cell[]] {
    if (test.kind === 'Compare' && test.operators.length === 1 && test.comparators[0].kind === 'None') {
      const cell = this.placeOf(test.left, scope)?.cell;
      if (cell === undefined) return [[], []];
      if (test.operators[0] === 'is') return [[], [cell]];
      if (test.operators[0] === 'is not') return [[cell], []];
    }
    return [[], []];
  }

  private knowing<T>(cells: readonly Cell[], run: () => T): T {
    const added = cells.filter((cell) => !this.present.has(cell));
    for (const cell of added) this.present.add(cell);
    try {
      return run();
    } finally {
      for (const cell of added) this.present.delete(cell);
    }
  }

  private typesOf(value: Held): number {
    switch (value.tag) {
      case 'scalar':
        return this.ev.ops
          .possibleKinds(value)
          .reduce((all, kind) => all | (isIntKind(kind) || isBoolKind(kind) ? INT : FLOAT), 0);
      case 'none':
        return NOTHING;
      case 'string':
      case 'text':
        return TEXT;
      case 'list':
      case 'dict':
        return CONTAINER;
      case 'opaque':
        return value.state?.types ?? OTHER;
      default:
        return OTHER;
    }
  }

  /** Types that an expression on the state may give. It must raise nothing. */
  private typeOf(node: Expression, scope: Scope): number {
    if (!this.mentions(node, scope)) return this.typesOf(this.ev.expressions.evaluate(node, scope));
    const place = this.placeOf(node, scope);
    if (place?.container !== undefined) return CONTAINER;
    if (place !== null) {
      const { types } = place.state;
      if ((types & UNBOUND) !== 0) this.refuse(node);
      return this.present.has(place.cell) ? types & ~NOTHING : types;
    }
    switch (node.kind) {
      case 'Binary':
        return this.arithmetic(node.operator, this.typeOf(node.left, scope), node.left, node.right, scope, node);
      case 'Unary': {
        const types = this.typeOf(node.operand, scope);
        if (node.operator === 'not' && (types & OTHER) === 0) return INT;
        if (node.operator === '~' || (types & ~NUMBER) !== 0) this.refuse(node);
        return types;
      }
      case 'Compare':
        return this.comparison(node, scope);
      case 'Boolean': {
        let all = 0;
        let known: readonly Cell[] = [];
        node.values.forEach((value, k) => {
          const types = this.knowing(known, () => {
            const follow = (): number => this.typeOf(value, scope);
            return k === 0 ? follow() : this.silently(follow, value);
          });
          if ((types & OTHER) !== 0) this.refuse(value);
          const [whenTrue, whenFalse] = this.nonNull(value, scope);
          known = [...known, ...(node.operator === 'and' ? whenTrue : whenFalse)];
          all |= types;
        });
        return all;
      }
      case 'Call': {
        const { callee, args } = node;
        const name = callee.kind === 'Name' && this.cellOf(callee, scope) === undefined ? callee.name : '';
        if (node.keywords.length > 0 || args.some((a) => a.kind === 'Starred')) this.refuse(node);
        const types = args.map((arg) => this.typeOf(arg, scope));
        const areNumbers = types.every((t) => t !== 0 && (t & ~NUMBER) === 0);
        const all = types.reduce((a, b) => a | b, 0);
        if (name === 'len' && all === CONTAINER && types.length === 1) return INT;
        if (['min', 'max'].includes(name) && areNumbers && types.length > 1) return all;
        if (name === 'abs' && areNumbers && types.length === 1) return all;
        if (name === 'float' && areNumbers && types.length === 1) return FLOAT;
        return this.refuse(node);
      }
      case 'Tuple':
      case 'List':
        for (const element of node.elements) this.typeOf(element, scope);
        return node.kind === 'List' ? CONTAINER : OTHER;
      case 'JoinedString':
        this.text(node, scope);
        return TEXT;
      default:
        return this.refuse(node);
    }
  }

  private arithmetic(
    operator: ExpressionOf<'Binary'>['operator'],
    left: number,
    leftNode: Expression,
    right: Expression,
    scope: Scope,
    position: Position,
  ): number {
    const isState = [leftNode, right].map((node) => this.mentions(node, scope));
    const divides = operator === '/' || operator === '//' || operator === '%';
    if (divides) {
      // Only a number that is known is certain to be none of zero.
      const divisor = isState[1] ? NONE : this.ev.expressions.evaluate(right, scope);
      const isFine = divisor.tag === 'scalar' && divisor.known !== undefined && divisor.known !== 0;
      if (!isFine || left === 0 || (left & ~NUMBER) !== 0) this.refuse(position);
      return operator === '/' || !isWhole(divisor) ? FLOAT : left;
    }
    const types = this.typeOf(right, scope);
    if (left === 0 || types === 0 || ((left | types) & ~NUMBER) !== 0) this.refuse(position);
    const isFloat = left === FLOAT && types === FLOAT;
    // An int that grows with itself leaves the range of floats, where adding one to a float raises.
    const isSlow = (operator === '+' || operator === '-') && !(isState[0] && isState[1]);
    const isFine = isSlow || (isFloat && ['+', '-', '*'].includes(operator));
    if (!isFine) this.refuse(position);
    return left === FLOAT || types === FLOAT ? FLOAT : left | types;
  }

  private comparison(node: ExpressionOf<'Compare'>, scope: Scope): number {
    if (node.operators.length !== 1) this.refuse(node);
    const [operator] = node.operators;
    const types = this.typeOf(node.left, scope) | this.typeOf(node.comparators[0], scope);
    if (operator === 'is' || operator === 'is not') return INT;
    const isEquality = operator === '==' || operator === '!=';
    const allowed = isEquality ? NUMBER | NOTHING | TEXT : NUMBER;
    if (operator === 'in' || operator === 'not in' || (types & ~allowed) !== 0) this.refuse(node);
    return INT;
  }

  /** Text that shows state, which is printed and dropped. */
  text(node: Expression, scope: Scope): void {
    if (node.kind !== 'JoinedString') {
      this.typeOf(node, scope);
      return;
    }
    node.values.forEach((part, k) => {
      if (node.roles[k] === 'text' || node.roles[k] === 'specification') return;
      const types = this.typeOf(part, scope);
      if (node.roles[k + 1] !== 'specification') return;
      const format = node.values[k + 1];
      const parts = format.kind === 'JoinedString' ? format.values : [format];
      const spec = parts.every((p) => p.kind === 'String') ? parts.map((p) => p.value).join('') : null;
      const isNumber = types !== 0 && (types & ~NUMBER) === 0;
      const isFine =
        spec === '' ||
        (spec !== null && isNumber && (NUMBER_FORMAT.test(spec) || (types === INT && WHOLE_FORMAT.test(spec))));
      if (!isFine) this.refuse(part);
    });
  }
}

const isWhole = (value: Value): boolean => value.tag === 'scalar' && isIntKind(value.kind);

function isHashable(key: AnyValue): boolean {
  if (key.tag === 'tuple') return key.items.every(isHashable);
  return key.tag === 'scalar' || key.tag === 'string' || key.tag === 'text' || key.tag === 'none';
}

/** Whether some lanes may be flagged. */
function hasChecks(body: readonly IrNode[]): boolean {
  return contains({ body }, (node) => node.kind === 'op' && node.op === 'check');
}

export function impure(position: Position): Unsupported {
  return new Unsupported(
    'this changes an object that lasts from call to call: what the objective returns would depend on earlier calls',
    position,
  );
}
