/**
 * The partial evaluator: runs the program with everything that does not depend on `x` computed, and builds IR for the
 * rest. Loops with a static count unroll; user functions inline; a branch on a number that depends on `x` runs both
 * sides, each in a region of its own, and merges what they wrote.
 *
 * Start with `execute` (statements), `evaluate` (expressions), `branch` (merging) and `dynamicLoop` (`while`).
 * Control flow that depends on `x` is data: `returned`, `broke` and `continued` are cells with a truth value, merged
 * like any variable; statements after a possible exit run under the negation.
 */
import { tick } from '../../common/watch.js';
import type { IrBuilder, OpenRegion } from '../../ir/builder.js';
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { OPS, type OpName } from '../../ir/ops.js';
import { LaneStatus, type IndexForm, type IrNode, type ValueId } from '../../ir/types.js';
import { resultsOf } from '../../ir/walk.js';
import type { InterpreterFacts } from '../../model/interpreter-facts.js';
import type {
  BinaryOperator,
  ComparisonOperator,
  Comprehension,
  Expression,
  ExpressionOf,
  Parameters,
  Position,
  Statement,
  StatementOf,
} from '../syntax/ast.js';
import { namesInTarget } from '../syntax/assigned-names.js';
import { ArrayOps, widerKind } from '../arrays/arrays.js';
import { BulkArrays } from '../arrays/bulk-arrays.js';
import { BulkOps, type Elements } from '../arrays/bulk.js';
import {
  callClass,
  callOperator,
  classMember,
  defineClass,
  isFrozenField,
  methodOrder,
  ownerOf,
  refuseHook,
  refusesAttribute,
  truthOfInstance,
} from './classes.js';
import {
  catches,
  exceptionClassOf,
  raisedAgain,
  raisedBy,
  raisedClasses,
  type ExceptionClass,
  type Handler,
  type Raised,
} from '../values/exceptions.js';
import { ComplexOps, hasComplex, isComplex, isComplexOperation } from '../arrays/complex.js';
import { CountedLoops } from './loops/counted.js';
import { cureOf, isIndexed } from '../values/indexed.js';
import { LastingState } from '../machine/lasting-state.js';
import { builtinValue, typeObjectName } from '../library/builtins.js';
import { RandomNumbers } from '../library/random-numbers.js';
import { reasonForName } from '../library/reasons.js';
import { fitted } from '../library/signatures.js';
import { concatenated, droppedText, formatMethod, joinedText, percentText } from '../library/strings.js';
import { matchPattern } from './match-patterns.js';
import { Memory } from '../machine/memory.js';
import { lookingAtAll } from '../library/arguments.js';
import { attributeOf } from '../library/attributes.js';
import { convertTo, numpyCall } from '../library/numpy-module.js';
import { filteredOf, maskedItem } from '../arrays/masked.js';
import { KnownModules } from '../library/importing.js';
import { importMembers, importModule, moduleMember } from '../library/modules.js';
import { ScalarOps, joinKinds } from '../values/scalars.js';
import {
  NO_NAMES,
  binderOf,
  enclosing,
  holderOf,
  namesOfComprehension,
  namesOfFunction,
  ownerOf as scopeOf,
} from '../values/scopes.js';
import {
  NONE,
  TEXT,
  PathCaught,
  PathRaises,
  RollFailure,
  Unsupported,
  bool,
  dynamic,
  float,
  int,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  known,
  string,
  tuple,
  typeName,
  type Alternative,
  type AnyCall,
  type AnyValue,
  type BuiltinValue,
  type Call,
  type Cell,
  type ClassValue,
  type DictEntry,
  type DictValue,
  type InstanceValue,
  type FilteredValue,
  type SetValue,
  type SliceValue,
  type FunctionValue,
  type Held,
  type IteratorValue,
  type ListValue,
  type MaskedValue,
  type MaybeUnbound,
  type NdArray,
  type OpaqueValue,
  type ChoiceValue,
  type ComplexArray,
  type ComplexValue,
  type StringValue,
  type Scalar,
  type ScalarKind,
  type Scope,
  type TupleValue,
  type Value,
} from '../values/values.js';

/** What is consumed item by item. */
export type Stream = Pick<IteratorValue, 'items' | 'isCurrent' | 'hasEffects' | 'elements' | 'traverse'>;

/** With items that are made when they are asked for. */
function lazyStream<T extends Omit<Stream, 'items'>>(
  make: () => AnyValue[],
  rest: T,
): T & { readonly items: AnyValue[] } {
  let items: AnyValue[] | undefined;
  return Object.defineProperty(rest, 'items', { get: () => (items ??= make()), enumerable: false }) as T & {
    readonly items: AnyValue[];
  };
}

/** Limits on what one compilation may build; larger programs run in CPython. */
export const MAX_NODES = 400_000;
const MAX_STEPS = 1_000_000;
const MAX_CALL_DEPTH = 40;
/** Branches on x inside one another; statements after a possible exit count as inside. */
const MAX_BRANCH_DEPTH = 200;
/** Elements that are only copied cost less than those that are computed. */
export const COPIES_PER_STEP = 16;
/** Regions of up to so many primitives without effects run unconditionally: cheaper than a branch. */
const SPLICE_NODES = 24;
/** Iterations of a `while` that depends on x before the lane is handed to CPython. */
const LOOP_FUEL = 100_000;
const MAX_TRIALS = 12;
/** Functions that look at each item of their argument once, and at nothing else of it. */
const CONSUMERS = new Set(['sum', 'max', 'min', 'math.fsum', 'math.prod']);

/** Cells written since a branch began, with the values to go back to. */
export interface Journal {
  readonly began: number;
  readonly cells: Map<Cell, Held | undefined>;
  readonly lists: Map<ListValue, Cell[]>;
  readonly used: IteratorValue[];
}

/** What a side of a branch wrote. */
interface Effects {
  readonly cells: ReadonlyMap<Cell, Held | undefined>;
  readonly lists: ReadonlyMap<ListValue, Cell[]>;
  /** Iterators that it has used up. */
  readonly used: readonly IteratorValue[];
}

interface Frame {
  readonly returned: Cell;
  readonly result: Cell;
  /** The function that runs, and its first argument. */
  method: FunctionValue | null;
  self: Value | undefined;
  /** Of a generator function: its items so far, and how many branches on x were open at its start. */
  yields: { readonly items: AnyValue[]; readonly depth: number } | null;
  loop: { readonly broke: Cell; readonly continued: Cell } | null;
}

interface Side<T> {
  readonly region: OpenRegion;
  /** On the clock: what is older was there before the side ran. */
  readonly began: number;
  readonly effects: Effects;
  /** Undefined when the side raises on every lane, caught by the program or not. */
  readonly value: T | undefined;
  readonly raises: boolean;
}

/**
 * Which loops with a static count stay rolled: those that would be large, all that can, or none. Only time and size
 * depend on it.
 */
export type Roll = 'auto' | 'always' | 'never';

/** Loops that would unroll to more nodes stay rolled. */
const UNROLLED_NODES = 2_000;
/** Shorter loops are always unrolled. */
const MIN_ROLLED_COUNT = 8;

/** One walk over what two sides of a branch leave: places that met before are merged only once. */
interface Meeting {
  readonly a: Side<unknown>;
  readonly b: Side<unknown>;
  readonly cells: Map<Cell, Map<Cell | null, Cell>>;
  readonly lists: Map<ListValue, Map<ListValue | null, ListValue>>;
}

export class Evaluator {
  readonly ops: ScalarOps;
  readonly arrays: ArrayOps;
  readonly complex: ComplexOps;
  /** While the module is loaded nothing depends on `x`. */
  loading = true;
  /** Why a name that is not found may yet be defined: an `import *` that is not followed. */
  hidden: string | null = null;
  /** The clock when the module was loaded. */
  private loadedAt = -1;
  private clock = 0;
  private steps = 0;
  private callDepth = 0;
  /** How often a variable got another value, and how often an element of a container did. */
  private writes = 0;
  private elementWrites = 0;
  /** How often evaluating an expression did more than give a value: changed what outlives it, raised what is caught. */
  private effects = 0;
  private readonly journals: Journal[] = [];
  private frame: Frame;
  readonly bulk: BulkOps;
  readonly bulkArrays: BulkArrays;
  readonly counted: CountedLoops;
  readonly memory: Memory;
  /** What calls leave for later ones. */
  readonly lasting: LastingState;
  /** `for` statements that could not be rolled. */
  private readonly unrollable = new Set<Statement>();
  /** Work that loading the module took. */
  loadingSteps = 0;
  /** Whether anything was built that unrolling would have built differently. */
  hasRolled = false;
  readonly moduleScope: Scope = { kind: 'module', parent: null, cells: new Map(), names: NO_NAMES };
  readonly random: RandomNumbers;
  /** Those that `library/written-in-python.ts` has made. */
  libraryClasses = new Map<string, Value>();
  private loadedClasses: ReadonlyMap<string, Value> = new Map();
  /** What import statements do. */
  readonly modules: KnownModules;

  constructor(
    public builder: IrBuilder,
    readonly pythonMinor: number,
    public roll: Roll,
    interpreter: InterpreterFacts | null = null,
  ) {
    this.modules = new KnownModules(interpreter, pythonMinor);
    this.ops = new ScalarOps(builder);
    this.arrays = new ArrayOps(this);
    this.complex = new ComplexOps(this);
    this.bulk = new BulkOps(this);
    this.bulkArrays = new BulkArrays(this);
    this.counted = new CountedLoops(this);
    this.memory = new Memory(this);
    this.lasting = new LastingState(this);
    this.random = new RandomNumbers(this);
    this.frame = this.newFrame();
    this.ops.intercept = (condition, status, exception) => this.catchCheck(condition, status, exception);
    this.ops.isWatched = () => this.handlers.length > 0;
  }

  // ---- exceptions that the program catches ----

  /** Handlers of the `try` statements being evaluated, outermost first; those of one statement in their order. */
  private readonly handlers: Handler[][] = [];

  /** Gives a check to the clause that catches it. The lanes that are left for the check itself; null: none. */
  private catchCheck(condition: Scalar, status: LaneStatus, exception: Raised | null): Scalar | null {
    if (this.handlers.length === 0) return condition;
    // The first exception of a lane counts.
    const first = this.ops.and(condition, this.unraised());
    const raised = raisedBy(status, exception);
    for (let k = this.handlers.length - 1; raised !== null && k >= 0; k--) {
      for (const handler of this.handlers[k]) {
        const verdict = catches(handler, raised);
        if (verdict === 'no') continue;
        if (verdict === 'yes') {
          this.effects++;
          for (const cls of raisedClasses(raised)) handler.taken.add(cls);
          this.write(handler.raised, this.ops.or(handler.raised.value as Scalar, first));
          if (condition.known !== undefined) throw new PathCaught();
          return null;
        }
        if (condition.known !== undefined) {
          throw new Unsupported('an exception of which only CPython knows what except clause takes it', this.ops.here);
        }
        this.ops.leave(first);
        return null;
      }
    }
    return first;
  }

  /** Lanes on which nothing has been raised for a handler to catch. */
  private unraised(): Scalar {
    let clear: Scalar = bool(true);
    for (const level of this.handlers) {
      for (const { raised } of level) clear = this.ops.and(clear, this.ops.not(raised.value as Scalar));
    }
    return clear;
  }

  /** Runs an effect of a statement whose expressions may have raised: only on lanes where they did not. */
  private guarded(effect: () => void, position: Position): void {
    if (this.handlers.length === 0) {
      effect();
      return;
    }
    const clear = this.unraised();
    if (clear.known === 0) throw new PathCaught();
    this.branch(
      clear,
      () => {
        effect();
        return NONE;
      },
      () => NONE,
      position,
    );
  }

  private executeTry(node: StatementOf<'Try'>, scope: Scope): void {
    if (node.isStar) throw new Unsupported('except*', node);
    if (leavesBlock(node.finalBody)) throw new Unsupported('leaving a finally block', node);
    const level = node.handlers.map((h): Handler => {
      const classes = h.type === null ? null : this.clauseClasses(h.type, scope);
      return { classes, raised: this.cell(bool(false)), taken: new Set() };
    });
    this.handlers.push(level);
    try {
      this.executeBlock(node.body, scope);
    } catch (error) {
      // Another exception of the final block may take its place, for a clause further out.
      if (!(error instanceof PathCaught)) {
        this.ops.leavesLanes ||= error instanceof PathRaises && node.finalBody.length > 0 && this.handlers.length > 1;
        throw error;
      }
    } finally {
      this.handlers.pop();
    }
    const caughtElsewhere = this.unraised();
    let clear = caughtElsewhere;
    for (const { raised } of level) clear = this.ops.and(clear, this.ops.not(raised.value as Scalar));
    let leaving: PathCaught | null = null;
    try {
      if (node.orElse.length > 0) {
        this.whileLive(this.ops.and(clear, this.live()), () => this.executeBlock(node.orElse, scope), node);
      }
      node.handlers.forEach((handler, k) => {
        const raised = level[k].raised.value as Scalar;
        if (raised.known === 0) return;
        this.branch(
          raised,
          () => {
            this.handle(handler, level[k], scope);
            return NONE;
          },
          () => NONE,
          handler,
        );
      });
    } catch (error) {
      if (!(error instanceof PathCaught)) {
        this.ops.leavesLanes ||= error instanceof PathRaises && node.finalBody.length > 0 && this.isInTry;
        throw error;
      }
      leaving = error;
    }
    if (node.finalBody.length > 0) this.executeFinally(node, scope);
    if (leaving !== null) throw leaving;
  }

  /** What the exceptions that are being handled may be, outermost first. */
  private readonly handling: Raised[] = [];

  private handle(clause: StatementOf<'Try'>['handlers'][number], { taken }: Handler, scope: Scope): void {
    const raised = raisedAgain(taken);
    const { name } = clause;
    if (name !== null) this.bind(name, { tag: 'exception', raised }, scope);
    this.handling.push(raised);
    try {
      this.executeBlock(clause.body, scope);
    } catch (error) {
      if (error instanceof PathCaught && name !== null) this.unbindName(name, scope, clause);
      throw error;
    } finally {
      this.handling.pop();
    }
    if (name !== null) this.unbindName(name, scope, clause);
  }

  /** The classes that an `except` clause names: one, or those of a tuple, in which there are no further ones. */
  private clauseClasses(type: Expression, scope: Scope, isInTuple = false): readonly ExceptionClass[] | 'unknown' {
    if (type.kind === 'Tuple') {
      if (isInTuple) return 'unknown';
      const parts = type.elements.map((element) => this.clauseClasses(element, scope, true));
      return parts.includes('unknown') ? 'unknown' : parts.flatMap((part) => (part === 'unknown' ? [] : part));
    }
    const value = this.namedValue(type, scope);
    if (value === undefined || (isInTuple && value.tag === 'tuple')) return 'unknown';
    const items = value.tag === 'tuple' ? value.items : [value];
    const classes = items.map((item) =>
      item.tag === 'choice' || item.tag === 'opaque' ? undefined : exceptionClassOf(item),
    );
    return classes.every((cls) => cls !== undefined) ? classes : 'unknown';
  }

  /** What a name, or an attribute of a module, is, if that is known; reading it has no effect. */
  private namedValue(node: Expression, scope: Scope): Value | undefined {
    if (node.kind === 'Attribute') {
      const object = this.namedValue(node.value, scope);
      const member = object?.tag === 'module' ? moduleMember(this, object.path, node.name, node) : undefined;
      return member?.tag === 'opaque' ? undefined : member;
    }
    if (node.kind !== 'Name') return undefined;
    const cell = this.find(node.name, scope);
    const value = cell === undefined ? builtinValue(this, node.name) : cell.value;
    return value === undefined || value.tag === 'maybe' || value.tag === 'choice' || value.tag === 'opaque'
      ? undefined
      : value;
  }

  /** What a `raise` statement raises. Evaluating that may raise, too. */
  private executeRaise(node: StatementOf<'Raise'>, scope: Scope): never {
    const { exception, cause } = node;
    let raised: Raised;
    if (exception === null) {
      raised = this.handling.at(-1) ?? 'RuntimeError';
    } else {
      try {
        raised = this.raisedValue(exception, scope);
        if (cause !== null && cause.kind !== 'None' && this.raisedValue(cause, scope) === 'TypeError') {
          raised = 'TypeError';
        }
      } catch (error) {
        const isUnknown = error instanceof Unsupported && error.kind === 'unsupported';
        if (!isUnknown || this.handlers.length > 0) throw error;
        // Nothing here catches it.
        raised = 'unknown';
      }
    }
    this.ops.locate(node);
    return this.ops.raise(LaneStatus.Raised, raised);
  }

  private raisedValue(node: Expression, scope: Scope): Raised {
    const value = node.kind === 'Call' ? this.exceptionMade(node, scope) : this.evaluate(node, scope);
    if (value.tag === 'exception') return value.raised;
    if (value.tag === 'instance') return exceptionClassOf(value.cls) === undefined ? 'TypeError' : [value.cls];
    const cls = exceptionClassOf(value);
    if (cls === undefined) {
      const others = ['scalar', 'complex', 'string', 'text', 'none', 'list', 'tuple', 'dict', 'set', 'ndarray'];
      if ([...others, 'function', 'class', 'module'].includes(value.tag)) return 'TypeError';
      throw new Unsupported(`raising ${typeName(value)}`, node);
    }
    // A class is called without arguments.
    const made = this.call(value, { args: [], keywords: new Map(), position: node });
    return made.tag === 'exception' ? made.raised : [cls];
  }

  /** `ValueError("... {x}")`: its text is not made, but what it is made from is evaluated. */
  private exceptionMade(node: ExpressionOf<'Call'>, scope: Scope): Value {
    const callee = this.evaluate(node.callee, scope);
    const cls = exceptionClassOf(callee);
    const isPlain =
      typeof cls === 'string' || (callee.tag === 'class' && classMember(callee, '__init__') === undefined);
    if (cls === undefined || !isPlain || node.keywords.length > 0 || node.args.some((arg) => arg.kind === 'Starred')) {
      return this.evaluate(node, scope);
    }
    for (const arg of node.args) this.evaluateText(arg, scope);
    // As many arguments as there are decide whether it can be made.
    return this.called(callee, { args: node.args.map(() => TEXT), keywords: new Map(), position: node });
  }

  /** It runs on every lane, also on those that return, leave the loop or raise; what it raises takes their place. */
  private executeFinally(node: StatementOf<'Try'>, scope: Scope): void {
    const { returned, loop } = this.frame;
    const raised = this.handlers.flatMap((level) => level.map((handler) => handler.raised));
    const exits = [returned, ...(loop === null ? [] : [loop.broke, loop.continued]), ...raised];
    const before = exits.map((cell) => cell.value as Scalar);
    for (const cell of exits) this.write(cell, bool(false));
    const restore = (): void => {
      const fine = this.unraised();
      exits.forEach((cell, k) => {
        const kept = this.ops.and(before[k], fine);
        this.write(cell, raised.includes(cell) ? this.ops.or(kept, cell.value as Scalar) : kept);
      });
    };
    try {
      this.executeBlock(node.finalBody, scope);
    } catch (error) {
      if (error instanceof PathCaught) restore();
      throw error;
    }
    restore();
  }

  // ---- cells ----

  /** On the clock by which journals know what is older than they are. */
  get now(): number {
    return this.clock;
  }

  /** Whether what was made then is no older than the branch or loop being evaluated. */
  isNew(born: number): boolean {
    const journal = this.journals[this.journals.length - 1];
    return journal === undefined || born >= journal.began;
  }

  /** Whether the program itself may catch what is raised here. */
  get isInTry(): boolean {
    return this.handlers.length > 0;
  }

  isOpen(journal: Journal): boolean {
    return this.journals[this.journals.length - 1] === journal;
  }

  /** Tells whether no element of a container has been written since this call. */
  watchElements(): () => boolean {
    const { elementWrites } = this;
    return () => this.elementWrites === elementWrites;
  }

  cell(value: Held | undefined): Cell {
    this.refuseKept(value);
    const cell: Cell = { value, born: this.clock };
    if (value !== undefined) this.hold(value, cell);
    return cell;
  }

  /**
   * Notes who has an array of a length that depends on x. Such a value has no cells of its own, so that a change in place is
   * seen under one name only: two names for it would go apart.
   */
  private hold(value: Held, cell: Cell): void {
    if (value.tag !== 'masked') return;
    const holder = this.holders.get(value);
    if (holder === undefined) this.holders.set(value, cell);
    else if (holder !== cell) this.holders.set(value, null);
  }

  /** What is computed when it is made, but in Python when it is used, must be used at once where the difference shows. */
  private refuseKept(value: Held | undefined): void {
    if (value?.tag === 'filtered' && value.isGenerator) {
      throw new Unsupported('a generator with a filter that depends on x, kept in a variable', this.ops.here);
    }
    if (value?.tag === 'iterator' && value.hasEffects) {
      throw new Unsupported(`a ${value.name} with effects of its own, kept in a variable`, this.ops.here);
    }
  }

  /** Runs `make` and tells whether it had effects. */
  withEffects<T>(make: () => T): { readonly result: T; readonly hasEffects: boolean } {
    const before = this.effects;
    const result = make();
    return { result, hasEffects: this.effects !== before };
  }

  list(values: readonly AnyValue[]): ListValue {
    this.step(this.ops.here, values.length);
    return { tag: 'list', cells: values.map((v) => this.cell(v)), born: this.clock, frozen: this.loading };
  }

  write(cell: Cell, value: Held): void {
    this.refuseKept(value);
    this.hold(value, cell);
    if (cell.memory !== undefined) {
      this.writes++;
      this.memory.write(cell.memory, this.plain(value, this.ops.here), this.ops.here);
      return;
    }
    if (cell.value !== undefined && value.tag !== 'iterator') this.writes++;
    const journal = this.journals[this.journals.length - 1];
    if (journal !== undefined && cell.born < journal.began && !journal.cells.has(cell)) {
      journal.cells.set(cell, cell.value);
    }
    cell.value = value;
  }

  /** Replaces a list's cells: append, pop, insert ... */
  restructure(list: ListValue, cells: Cell[], position: Position): void {
    if (list.frozen && !this.loading) {
      // On some lanes it may be another list than on others.
      if (list.born > this.loadedAt) throw impure(position);
      this.effects++;
      this.lasting.touch(list);
      return;
    }
    if (list.bulk !== undefined) throw new RollFailure('a large list changes its length', position);
    this.refuseTied(list, position);
    this.step(position, cells.length / COPIES_PER_STEP);
    this.elementWrites++;
    this.effects++;
    const journal = this.journals[this.journals.length - 1];
    if (journal !== undefined && list.born < journal.began && !journal.lists.has(list)) {
      journal.lists.set(list, list.cells);
      list.cells = cells;
      return;
    }
    list.cells = cells;
  }

  private refuseTied(list: ListValue, position: Position): void {
    if (this.tiedLists.has(list)) {
      throw new Unsupported('changing the elements of a list that has another name, depending on x', position);
    }
  }

  /** Appends in place where no journal needs the old cells. */
  append(list: ListValue, value: AnyValue, position: Position): void {
    const journal = this.journals[this.journals.length - 1];
    if ((list.frozen && !this.loading) || list.bulk !== undefined) {
      this.restructure(list, [], position);
    } else if (journal !== undefined && list.born < journal.began) {
      this.restructure(list, [...list.cells, this.cell(value)], position);
    } else {
      this.refuseTied(list, position);
      this.elementWrites++;
      this.effects++;
      list.cells.push(this.cell(value));
    }
  }

  store(cell: Cell, frozen: boolean, value: AnyValue, position: Position): void {
    if (frozen && !this.loading && cell.isCopy !== true) {
      if (!this.isLasting(cell)) throw impure(position);
      this.elementWrites++;
      this.effects++;
      this.lasting.assign(cell, value, position);
      return;
    }
    if (cell.isCopy === true)
      throw new Unsupported('a store into a large list or array from inside a loop or branch', position);
    this.elementWrites++;
    this.effects++;
    if (this.carriedCells.has(cell)) {
      throw new Unsupported('storing into a list or array that a loop replaces, depending on x', position);
    }
    this.loseTied(cell, position);
    this.write(cell, value);
  }

  /**
   * Counts work done at compile time, so that no source makes the compiler run long or use much memory. To be called
   * before `amount` elements are built: an array that is too large for the engine ends the process, not the thread.
   */
  step(position: Position, amount = 1): void {
    tick();
    if (amount > 0) this.steps += amount;
    if (this.steps > MAX_STEPS || this.builder.nodeCount > MAX_NODES) {
      throw new Unsupported('the function is too large to unroll', position, 'limit');
    }
  }

  /** What this program has taken so far, without loading the module. */
  get work(): number {
    return this.steps - this.loadingSteps + this.builder.nodeCount;
  }

  // ---- branches ----

  openJournal(): Journal {
    this.clock++;
    const journal: Journal = { began: this.clock, cells: new Map(), lists: new Map(), used: [] };
    this.journals.push(journal);
    return journal;
  }

  /** Takes back everything written since `journal` began and returns it. */
  rollBack(journal: Journal): Effects {
    if (this.journals.pop() !== journal) throw new Error('journals must close in the reverse order of opening');
    this.clock++;
    const cells = new Map<Cell, Held | undefined>();
    for (const [cell, old] of journal.cells) {
      cells.set(cell, cell.value);
      cell.value = old;
    }
    const lists = new Map<ListValue, Cell[]>();
    for (const [list, old] of journal.lists) {
      lists.set(list, list.cells);
      list.cells = old;
    }
    for (const iterator of journal.used) iterator.used = false;
    return { cells, lists, used: journal.used };
  }

  /** Items can be asked for once. */
  useUp(iterator: IteratorValue): void {
    iterator.used = true;
    this.journals[this.journals.length - 1]?.used.push(iterator);
  }

  private runSide<T>(body: () => T, assumed: Scalar, holds: boolean): Side<T> {
    if (this.journals.length > MAX_BRANCH_DEPTH) {
      throw new Unsupported('too many branches inside one another', this.ops.here, 'limit');
    }
    const region = this.builder.openRegion();
    const journal = this.openJournal();
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
        this.rollBack(journal);
        this.builder.closeRegion(region);
      }
    }
    const effects = this.rollBack(journal);
    this.builder.closeRegion(region);
    return { region, began: journal.began, effects, value, raises };
  }

  /**
   * Evaluates `then` where `condition` holds and `otherwise` elsewhere, and merges values and effects. A condition known
   * at compile time runs one side only.
   */
  branch(condition: Scalar, then: () => Scalar, otherwise: () => Scalar, position: Position): Scalar;
  branch(condition: Scalar, then: () => AnyValue, otherwise: () => AnyValue, position: Position): AnyValue;
  branch(condition: Scalar, then: () => AnyValue, otherwise: () => AnyValue, position: Position): AnyValue {
    if (condition.known !== undefined) return condition.known !== 0 ? then() : otherwise();
    const settled =
      this.assumptions.size === 0 ? undefined : this.ops.settled(this.ops.truth(condition), this.assumptions);
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
      this.builder.splice(live.region);
      this.apply(live.effects);
      if (live.value === undefined) throw new PathCaught();
      return live.value;
    }
    return this.merge(condition, a, b, position);
  }

  /** Truth values that are known in the branch being evaluated, since it is taken on lanes where they hold. */
  private readonly assumptions = new Map<ValueId, boolean>();

  /** Notes that `condition` is `holds` until the returned function is called. */
  private assume(condition: Scalar, holds: boolean): () => void {
    const id = this.ops.truth(condition);
    const added = this.ops.implied(id, holds).filter(([value]) => !this.assumptions.has(value));
    for (const [value, truth] of added) this.assumptions.set(value, truth);
    return () => {
      for (const [value] of added) this.assumptions.delete(value);
    };
  }

  private placeBare(condition: Scalar, a: Side<AnyValue> | null, b: Side<AnyValue> | null): void {
    const empty = (): OpenRegion => {
      const region = this.builder.openRegion();
      this.builder.closeRegion(region);
      return region;
    };
    this.builder.placeIf(this.ops.truth(condition), a?.region ?? empty(), [], b?.region ?? empty(), []);
  }

  private apply(effects: Effects): void {
    for (const [cell, value] of effects.cells) this.leave(cell, value);
    for (const [list, cells] of effects.lists) this.restructure(list, cells, this.ops.here);
    for (const iterator of effects.used) this.useUp(iterator);
  }

  /** What a branch leaves in a variable; undefined: it took the value away. */
  private leave(cell: Cell, value: Held | undefined): void {
    if (value !== undefined) this.write(cell, value);
    else if (cell.value !== undefined) this.unbind(cell);
  }

  private merge(condition: Scalar, a: Side<AnyValue>, b: Side<AnyValue>, position: Position): AnyValue {
    // Pairs of scalars to select between, each with the place where the merged scalar goes.
    const pairs: { readonly a: Scalar; readonly b: Scalar }[] = [];
    const meet = (): Meeting => ({ a, b, cells: new Map(), lists: new Map() });
    const planned = meet();
    const done = meet();
    const plan = (p: Held | undefined, q: Held | undefined): (() => Held | undefined) => {
      const slots: number[] = [];
      const template = this.zipValues(planned, p, q, position, (x, y) => {
        slots.push(pairs.push({ a: x, b: y }) - 1);
        return x;
      });
      if (slots.length === 0 && (template === undefined || isPlain(template))) return () => template;
      return () => {
        let next = 0;
        return this.zipValues(done, p, q, position, () => merged[slots[next++]]);
      };
    };

    for (const iterator of [...a.effects.used, ...b.effects.used]) this.useUp(iterator);
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
      lists.push({ list, merged: p.map((cell, k) => plan(this.valueAfter(a, cell), this.valueAfter(b, q[k]))) });
    }

    const merged = this.selectPairs(condition, a.region, b.region, pairs);
    const result = value();
    // Everything is read before anything is written.
    const values = cells.map(({ cell, merged: get }) => ({ cell, value: get() }));
    const elements = lists.map(({ list, merged: parts }) => ({ list, values: parts.map((get) => get()) }));
    for (const { cell, value: v } of values) this.leave(cell, v);
    for (const { list, values: items } of elements) {
      this.restructure(
        list,
        items.map((v) => this.cell(v)),
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
      this.builder.splice(then);
      this.builder.splice(otherwise);
      return pairs.map(({ a, b }) => (a === UNBOUND ? b : b === UNBOUND ? a : this.ops.select(condition, a, b)));
    }
    const kinds = pairs.map(({ a, b }) =>
      a === UNBOUND ? b.kind : b === UNBOUND ? a.kind : joinKinds(a.kind, b.kind),
    );
    const yieldsOf = (region: OpenRegion, side: 'a' | 'b'): ValueId[] => {
      this.builder.reopen(region);
      const ids = pairs.map((pair, k) => {
        const s = pair[side];
        return isBoolKind(kinds[k]) ? this.ops.truth(s) : this.ops.f64(s);
      });
      this.builder.closeRegion(region);
      return ids;
    };
    // Pairs known to be equal, or where a truth value is known on one side, need no merge through the branch.
    const results = this.builder.placeIf(
      this.ops.truth(condition),
      then,
      yieldsOf(then, 'a'),
      otherwise,
      yieldsOf(otherwise, 'b'),
    );
    return pairs.map(({ a, b }, k) => {
      const kind = kinds[k];
      if (isBoolKind(kind) && (a.known !== undefined || b.known !== undefined)) {
        const through = this.ops.joined(a, b, dynamic(kind, results[k]));
        // true on one side: result = condition or b (resp. not condition or a); keeps "has returned" decidable.
        if (a.known === 1 && b.known === undefined && this.isOutside(b, otherwise))
          return this.ops.select(condition, a, b);
        if (b.known === 1 && a.known === undefined && this.isOutside(a, then)) return this.ops.select(condition, a, b);
        if (a.known !== undefined && b.known !== undefined) return this.ops.select(condition, a, b);
        return through;
      }
      return this.ops.joined(a === UNBOUND ? b : a, b === UNBOUND ? a : b, dynamic(kind, results[k]));
    });
  }

  /** Whether a value was defined before `region`, so that it is visible after it. */
  private isOutside(s: Scalar, region: OpenRegion): boolean {
    return !region.body.some((node) => resultsOf(node).includes(s.id));
  }

  /** Walks two values of one structure and builds the merged one; scalars that differ go through `pair`. */
  private zipValues(
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

  /** Of values of one kind; undefined where they are of several. */
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
      this.step(position, p.items.length);
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
        return value?.tag === 'scalar' ? this.ops.retag(value, kind) : value;
      };
      const [left, right] = [this.cellsAfter(a, p), this.cellsAfter(b, q)];
      this.step(position, left.length);
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

  /** Of values of several kinds: alternatives of one kind are merged, the others stand side by side. */
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
    return list.bulk === undefined ? this.cellsAfter(side, list).length : this.bulk.lengthOf(list);
  }

  /** The elements as they are after a side; of large lists and arrays they are built at its end. */
  private cellsAfter(side: Side<unknown>, value: ListValue | NdArray): readonly Cell[] {
    if (value.bulk === undefined) return (value.tag === 'list' ? side.effects.lists.get(value) : null) ?? value.cells;
    this.builder.reopen(side.region);
    try {
      return value.cells;
    } finally {
      this.builder.closeRegion(side.region);
    }
  }

  /** What a place holds after a side. */
  private valueAfter(side: Side<unknown>, cell: Cell): Held | undefined {
    if (cell.memory !== undefined) {
      throw new RollFailure('elements that a rolled loop stores, moved depending on x', this.ops.here);
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
    this.tie(cell, p, q);
    return cell;
  }

  /** A place for a value that comes from others; elements of bulk containers are no places to write to. */
  private copyCell(value: Held | undefined, ...sources: readonly Cell[]): Cell {
    const cell = this.cell(value);
    return sources.some((source) => source.isCopy === true) ? { ...cell, isCopy: true } : cell;
  }

  private meetingList(meeting: Meeting, p: ListValue, q: ListValue, cells: () => Cell[]): ListValue {
    const partners = partnersOf(meeting.lists, p);
    const met = partners.get(q);
    if (met !== undefined) return met;
    const list: ListValue = { tag: 'list', cells: cells(), born: this.clock, frozen: p.frozen || q.frozen };
    partners.set(q, list);
    // Lists that were there before, or stand for more than one, have other names.
    const isOld = p.born < meeting.a.began || q.born < meeting.a.began;
    const isShared = partners.size > 1 || [...meeting.lists].some(([other, met]) => other !== p && met.has(q));
    if (isOld || isShared) for (const part of [p, q, list]) this.tiedLists.add(part);
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
      this.tie(cell, c);
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
        return choiceOf(parts, this.ops.here);
      }
      case 'tuple':
        if (value.range !== undefined) return value;
        if (value.isCurrent !== undefined) return lostValue(value, this.ops.here);
        this.step(this.ops.here, value.items.length);
        return { ...value, items: value.items.map(again) };
      case 'list': {
        // What was there before is itself on all lanes.
        if (value.born < side.began && value.bulk === undefined) return value;
        const partners = partnersOf(meeting.lists, value);
        const met = partners.get(null);
        if (met !== undefined) return met;
        const cells = this.cellsAfter(side, value).map(cellOf);
        const list: ListValue = { tag: 'list', cells, born: this.clock, frozen: value.frozen };
        partners.set(null, list);
        if (value.born < side.began || partners.size > 1) for (const l of [value, list]) this.tiedLists.add(l);
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
          ...(value.isSometimesInt === true && { isSometimesInt: true }),
        };
      case 'masked': {
        const items = value.items.map(({ value: s, present }) => ({ value: replace(s), present: replace(present) }));
        const copy = { ...value, items };
        for (const one of [value, copy]) this.holders.set(one, null);
        return copy;
      }
      case 'filtered': {
        const items = value.items.map(({ value: v, present }) => ({ value: again(v), present: replace(present) }));
        return { ...value, items };
      }
      case 'dict':
      case 'instance':
        if (value.born < side.began) return value;
        return lostValue(value, this.ops.here);
      case 'function':
      case 'class':
        // What it has captured may be there on the lanes of the side only.
        return value.born < side.began ? value : lostValue(value, this.ops.here);
      case 'builtin':
        return isLibraryName(value.name) ? value : lostValue(value, this.ops.here);
      case 'iterator':
      case 'super':
        return lostValue(value, this.ops.here);
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

  // ---- values of several kinds ----

  /** The first use of a value that an alternative was not translated for; its lanes went to CPython. */
  handedOver: Unsupported | null = null;

  /** @throws {Unsupported} where a value is of several kinds, or must not be looked into. */
  plain(value: Held, position: Position): Value {
    switch (value.tag) {
      case 'opaque':
        this.lasting.read(value);
        throw new Unsupported(value.reason, position);
      case 'choice':
        throw new Unsupported(`depending on x this is ${typeName(value)}`, position);
      case 'maybe':
        throw new Unsupported('a variable that is bound on some lanes only, depending on x', position);
      default:
        return value;
    }
  }

  /** `use` of each alternative, on its lanes; a use that is not translated leaves them to CPython. */
  each(value: AnyValue, use: (plain: Value) => AnyValue, position: Position): AnyValue {
    if (value.tag !== 'choice') return use(this.plain(value, position));
    const { alternatives } = value;
    let untranslated: Unsupported | null = null;
    let isAnyTranslated = false;
    const attempt = (plain: Value, isLast: boolean): AnyValue => {
      try {
        const result = use(plain);
        isAnyTranslated = true;
        return result;
      } catch (error) {
        if (!(error instanceof Unsupported)) isAnyTranslated = true;
        if (!(error instanceof Unsupported) || error.kind !== 'unsupported') throw error;
        untranslated ??= error;
        if (isLast && !isAnyTranslated) throw untranslated;
        this.handedOver ??= error;
        this.ops.locate(error.position);
        return this.ops.handOver();
      }
    };
    const from = (k: number): AnyValue => {
      this.step(position, 10);
      const alternative = alternatives[k];
      const isLast = k === alternatives.length - 1;
      if (isLast) return attempt(alternative.value, true);
      return this.branch(
        alternative.when,
        () => attempt(alternative.value, false),
        () => from(k + 1),
        position,
      );
    };
    return from(0);
  }

  /** The same of several values, each combination on its lanes. */
  eachOf(values: readonly AnyValue[], use: (plain: readonly Value[]) => AnyValue, position: Position): AnyValue {
    const at = values.findIndex((value) => value.tag === 'choice');
    if (at < 0) return use(values.map((value) => this.plain(value, position)));
    return this.each(values[at], (plain) => this.eachOf(values.with(at, plain), use, position), position);
  }

  eachTruth(values: readonly AnyValue[], use: (plain: readonly Value[]) => Scalar, position: Position): Scalar {
    const truth = this.eachOf(values, use, position);
    if (truth.tag !== 'scalar') throw new Error('truth values merge into one');
    return truth;
  }

  private eachArgument(call: AnyCall, use: (call: Call) => AnyValue): AnyValue {
    const { args, keywords, position } = call;
    const names = [...keywords.keys()];
    return this.eachOf(
      [...args, ...keywords.values()],
      (plain) => {
        const named = new Map(names.map((name, k) => [name, plain[args.length + k]]));
        return use({ args: plain.slice(0, args.length), keywords: named, position });
      },
      position,
    );
  }

  attribute(object: AnyValue, name: string, position: Position): AnyValue {
    return this.each(object, (plain) => attributeOf(this, plain, name, position), position);
  }

  // ---- one place or another, depending on x ----

  /** Places of which some lanes take one for the other: a store to one leaves the others unknown. */
  private ties = new WeakMap<Cell, Set<Cell>>();
  private tiedLists = new WeakSet<ListValue>();
  /** Of arrays of a length that depends on x: the cell that holds one; null where more than one may. */
  private readonly holders = new WeakMap<MaskedValue, Cell | null>();

  private tie(cell: Cell, ...others: Cell[]): void {
    if (cell.memory !== undefined || others.some((other) => other.memory !== undefined)) {
      throw new RollFailure('elements that a rolled loop stores, under several names depending on x', this.ops.here);
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

  private loseTied(cell: Cell, position: Position): void {
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
        if (other.value?.tag !== 'opaque') this.write(other, lost);
      }
    }
  }

  // ---- control state ----

  private newFrame(): Frame {
    return {
      returned: this.cell(bool(false)),
      result: this.cell(undefined),
      method: null,
      self: undefined,
      yields: null,
      loop: null,
    };
  }

  /** Whether the statement after this one runs. */
  live(): Scalar {
    let live = this.ops.and(this.unraised(), this.ops.not(this.frame.returned.value as Scalar));
    const loop = this.frame.loop;
    if (loop !== null) {
      live = this.ops.and(live, this.ops.not(loop.broke.value as Scalar));
      live = this.ops.and(live, this.ops.not(loop.continued.value as Scalar));
    }
    return live;
  }

  /** Runs `body` on the lanes that are still in this block. */
  whileLive(live: Scalar, body: () => void, position: Position): void {
    this.branch(
      live,
      () => {
        const { returned, loop } = this.frame;
        if (live.known === undefined) {
          this.write(returned, bool(false));
          if (loop !== null) {
            this.write(loop.broke, bool(false));
            this.write(loop.continued, bool(false));
          }
          this.resetRaised();
        }
        body();
        return NONE;
      },
      () => NONE,
      position,
    );
  }

  // ---- statements ----

  executeBlock(statements: readonly Statement[], scope: Scope): void {
    for (let k = 0; k < statements.length; k++) {
      this.execute(statements[k], scope);
      if (k + 1 === statements.length) return;
      const live = this.live();
      if (live.known === 0) return;
      if (live.known === undefined) {
        const rest = statements.slice(k + 1);
        this.whileLive(live, () => this.executeBlock(rest, scope), rest[0]);
        return;
      }
    }
  }

  execute(node: Statement, scope: Scope): void {
    this.step(node);
    this.ops.locate(node);
    if (this.lasting.execute(node, scope)) return;
    switch (node.kind) {
      case 'Expr':
        // A docstring, or a call for its effect.
        if (node.value.kind === 'String' || node.value.kind === 'Ellipsis') return;
        this.evaluateAny(node.value, scope);
        return;
      case 'Pass':
        return;
      case 'Assign': {
        const value = this.evaluateAny(node.value, scope);
        if (value.tag !== 'choice' && value.tag !== 'opaque') this.bulkArrays.settle(value);
        // CPython 3.11.2 stores the first value last in `a, a = 1, 2`, and other versions the last one.
        if (this.pythonMinor === 11 && node.targets.some((target) => swaps(target, node.value)))
          throw new Unsupported('a name twice in one assignment, whose order depends on the version of CPython', node);
        this.guarded(() => {
          for (const target of node.targets) this.assign(target, value, scope);
        }, node);
        return;
      }
      case 'AnnAssign':
        if (node.value !== null) {
          const value = this.evaluateAny(node.value, scope);
          this.guarded(() => this.assign(node.target, value, scope), node);
        }
        return;
      case 'AugAssign':
        this.augmentedAssign(node, scope);
        return;
      case 'Return': {
        const value = node.value === null ? NONE : this.evaluateAny(node.value, scope);
        this.guarded(() => {
          this.write(this.frame.result, value);
          this.write(this.frame.returned, bool(true));
        }, node);
        return;
      }
      case 'If':
        this.executeIf(node, scope);
        return;
      case 'For':
        this.executeFor(node, scope);
        return;
      case 'While':
        this.executeWhile(node, scope);
        return;
      case 'Break':
        if (this.frame.loop !== null) this.write(this.frame.loop.broke, bool(true));
        return;
      case 'Continue':
        if (this.frame.loop !== null) this.write(this.frame.loop.continued, bool(true));
        return;
      case 'FunctionDef':
        if (node.isAsync) throw new Unsupported('async functions, which need an event loop', node);
        this.bind(node.name, this.defineFunction(node, scope), scope);
        return;
      case 'Assert': {
        const test = this.truthOf(this.evaluateAny(node.test, scope), node);
        const { message } = node;
        if (message !== null && message.kind !== 'String') {
          this.branch(
            this.ops.not(test),
            () => (this.evaluateText(message, scope), NONE),
            () => NONE,
            node,
          );
        }
        this.ops.locate(node);
        this.ops.check(this.ops.not(test), LaneStatus.Raised, 'AssertionError');
        return;
      }
      case 'Raise':
        return this.executeRaise(node, scope);
      case 'Import':
        for (const alias of node.names) {
          const { name, value } = importModule(this, alias);
          this.bind(name, value, scope);
        }
        return;
      case 'ImportFrom':
        for (const [name, value] of importMembers(this, node, node)) this.bind(name, value, scope);
        return;
      case 'ClassDef':
        this.bind(node.name, defineClass(this, node, scope), scope);
        return;
      case 'Try':
        this.executeTry(node, scope);
        return;
      case 'With':
        this.executeWith(node, scope);
        return;
      case 'Match':
        this.executeMatch(node, scope);
        return;
      case 'Global':
      case 'Nonlocal':
        return;
      case 'Delete':
        for (const target of node.targets) this.delete(target, scope);
        return;
      case 'TypeAlias':
        return;
    }
  }

  /** The first case that matches and whose guard holds. */
  private executeMatch(node: StatementOf<'Match'>, scope: Scope): void {
    const any = this.evaluateAny(node.subject, scope);
    const run = (subject: Value, index: number): AnyValue => {
      if (index === node.cases.length) return NONE;
      const { pattern, guard, body } = node.cases[index];
      const { holds, captures } = matchPattern(this, pattern, subject, scope);
      const rest = (): AnyValue => run(subject, index + 1);
      const enter = (): AnyValue => {
        for (const [name, value] of captures) this.bind(name, value, scope);
        const taken = (): AnyValue => (this.executeBlock(body, scope), NONE);
        if (guard === null) return taken();
        return this.branch(this.truthOf(this.evaluateAny(guard, scope), guard), taken, rest, guard);
      };
      return this.branch(holds, enter, rest, pattern);
    };
    this.guarded(() => this.each(any, (subject) => run(subject, 0), node), node);
  }

  /** The variable that an assignment to a name binds; made where it is not there yet. */
  private boundCell(name: string, scope: Scope): Cell {
    const { owner } = binderOf(name, scope);
    const holder = owner === 'module' ? this.moduleScope : owner;
    // Other functions see it: binding it is an effect.
    if (holder !== scope) this.effects++;
    const cell = holder.cells.get(name);
    if (cell !== undefined) return cell;
    const created = this.cell(undefined);
    holder.cells.set(name, created);
    return created;
  }

  /** Variables of the module that only calls bind: what they are when one begins, earlier ones have left. */
  private adoptGlobals(fn: FunctionValue): void {
    if (this.loading) return;
    for (const name of fn.names.boundGlobals) {
      if (this.moduleScope.cells.has(name)) continue;
      const cell: Cell = { value: undefined, born: this.loadedAt };
      this.moduleScope.cells.set(name, cell);
      this.lasting.adopt(cell, fn.position, () => this.moduleScope.cells.delete(name));
    }
  }

  private executeIf(node: StatementOf<'If'>, scope: Scope): void {
    // An `elif` chain is a nest of orElse blocks; the branches nest with it.
    const test = this.truthOf(this.evaluateAny(node.test, scope), node);
    this.ops.locate(node);
    this.guarded(() => {
      this.branch(
        test,
        () => {
          this.executeBlock(node.body, scope);
          return NONE;
        },
        () => {
          this.executeBlock(node.orElse, scope);
          return NONE;
        },
        node,
      );
    }, node);
  }

  /** Context managers that only silence warnings. */
  private executeWith(node: StatementOf<'With'>, scope: Scope): void {
    for (const { context, target } of node.items) {
      const callee = context.kind === 'Call' ? context.callee : null;
      const name = callee?.kind === 'Attribute' ? callee.name : callee?.kind === 'Name' ? callee.name : '';
      const silences =
        target === null &&
        context.kind === 'Call' &&
        (name === 'catch_warnings' ||
          (name === 'errstate' &&
            context.keywords.every((k) => k.value.kind === 'String' && k.value.value !== 'raise')));
      // What it is may say more than that it is a with statement: open(...).
      if (!silences && context.kind === 'Call' && context.callee.kind === 'Name') this.evaluate(context.callee, scope);
      if (!silences)
        throw new Unsupported('a with statement other than np.errstate(...) and warnings.catch_warnings()', node);
    }
    const isFilter = (s: Statement): boolean =>
      s.kind === 'Expr' &&
      s.value.kind === 'Call' &&
      s.value.callee.kind === 'Attribute' &&
      (s.value.callee.name === 'simplefilter' || s.value.callee.name === 'filterwarnings') &&
      s.value.args[0]?.kind === 'String' &&
      s.value.args[0].value === 'ignore';
    this.executeBlock(
      node.body.filter((s) => !isFilter(s)),
      scope,
    );
  }

  /** Runs a loop body once per value; exits that depend on x turn the remaining iterations into branches. */
  private executeFor(node: StatementOf<'For'>, scope: Scope): void {
    if (node.isAsync) throw new Unsupported('async for', node);
    const range = this.dynamicRange(node.iterable, scope);
    if (range !== null) {
      this.executeDynamicFor(node, range, scope);
      return;
    }
    this.each(
      this.evaluateAny(node.iterable, scope),
      (source) => {
        this.executeForOver(node, source, scope);
        return NONE;
      },
      node.iterable,
    );
  }

  private executeForOver(node: StatementOf<'For'>, source: Value, scope: Scope): void {
    const iterable = source.tag === 'masked' ? filteredOf(this, source) : source;
    const outer = this.frame.loop;
    const loop = { broke: this.cell(bool(false)), continued: this.cell(bool(false)) };
    this.frame.loop = loop;
    try {
      const elements = this.roll === 'never' || this.loading ? null : this.bulk.elementsOf(iterable, node.iterable);
      const done = elements === null ? 0 : this.rollFor(node, elements, scope, loop);
      if (done !== 'all') this.unrollFor(node, iterable, done, scope, loop);
      else if (iterable.tag === 'iterator') this.useUp(iterable);
    } finally {
      this.frame.loop = outer;
    }
    this.afterLoop(loop.broke, node.orElse, scope, node);
  }

  private unrollFor(
    node: StatementOf<'For'>,
    iterable: Value,
    done: number,
    scope: Scope,
    loop: { readonly continued: Cell },
  ): void {
    const stream = iterable.tag === 'filtered' ? null : this.stream(iterable, node.iterable);
    const changed = (k: number): void => {
      if (stream !== null && !stream.isCurrent(k)) {
        throw new Unsupported(
          'a loop that changes what it runs over (loop over a copy: for v in list(values))',
          node.iterable,
        );
      }
    };
    const items: readonly { readonly value: AnyValue; readonly present: Scalar }[] =
      iterable.tag === 'filtered'
        ? iterable.items
        : (stream?.items ?? []).map((value) => ({ value, present: bool(true) }));
    let hasEnded = true;
    for (const [k, { value, present }] of items.entries()) {
      if (k < done) continue;
      const live = this.ops.and(this.live(), present);
      if (live.known === 0) {
        hasEnded = false;
        break;
      }
      changed(k);
      this.whileLive(
        live,
        () => {
          this.step(node);
          this.assign(node.target, value, scope);
          this.executeBlock(node.body, scope);
          this.write(loop.continued, bool(false));
        },
        node,
      );
    }
    if (hasEnded && this.live().known !== 0) changed(items.length);
  }

  /**
   * Runs a loop rolled where that pays. Returns how many iterations are done: `all`, or those at the start that have been
   * built, the rest to be unrolled.
   */
  private rollFor(
    node: StatementOf<'For'>,
    elements: Elements,
    scope: Scope,
    loop: { readonly broke: Cell; readonly continued: Cell },
  ): number | 'all' {
    const { count } = elements;
    const length = count.terms.length === 0 ? count.offset : undefined;
    const iteration = (at: IndexForm): void => {
      this.step(node);
      this.assign(node.target, elements.at(at), scope);
      this.executeBlock(node.body, scope);
      this.write(loop.continued, bool(false));
    };
    if (length !== undefined) {
      if (this.unrollable.has(node) || length < (this.roll === 'always' ? 1 : MIN_ROLLED_COUNT)) return 0;
      if (this.roll === 'auto') {
        const first = this.firstIteration(length, (k) => iteration(constantForm(k)));
        if (first !== 'large') return first === 'kept' ? 1 : 0;
      }
    }
    const result = this.counted.attempt({
      count,
      iteration,
      scratch: loop.continued,
      isAccumulator: (cell) => this.isAccumulator(cell, node, scope),
      position: node,
    });
    if (result === 'all') this.hasRolled = true;
    else this.unrollable.add(node);
    return result;
  }

  /** Builds the first iteration, and keeps it when all of them together are small enough to unroll. */
  private firstIteration(count: number, run: (index: number) => void): 'kept' | 'large' | 'failed' {
    // The inner loops of a triangle are empty at one end.
    const last = this.sizeOf(() => run(count - 1));
    if (last * count > UNROLLED_NODES) return 'large';
    const before = this.builder.nodeCount;
    const journal = this.openJournal();
    const region = this.builder.openRegion();
    const keep = (): void => {
      const effects = this.rollBack(journal);
      this.builder.closeRegion(region);
      this.builder.splice(region);
      this.apply(effects);
    };
    try {
      run(0);
    } catch (error) {
      if (error instanceof PathRaises || error instanceof PathCaught) keep();
      else {
        this.rollBack(journal);
        this.builder.closeRegion(region);
        // Outside of a journal it may be possible.
        if (error instanceof RollFailure || (error instanceof Unsupported && error.kind === 'unsupported'))
          return 'failed';
      }
      throw error;
    }
    const isSmall = (this.builder.nodeCount - before + 1) * count <= UNROLLED_NODES;
    if (isSmall) keep();
    else {
      this.rollBack(journal);
      this.builder.closeRegion(region);
    }
    return isSmall ? 'kept' : 'large';
  }

  /** How many nodes something builds, which is thrown away. */
  private sizeOf(run: () => void): number {
    const before = this.builder.nodeCount;
    const journal = this.openJournal();
    const region = this.builder.openRegion();
    try {
      run();
    } catch (error) {
      const isExpected =
        error instanceof PathRaises ||
        error instanceof PathCaught ||
        error instanceof RollFailure ||
        (error instanceof Unsupported && error.kind === 'unsupported');
      if (!isExpected) throw error;
    } finally {
      this.rollBack(journal);
      this.builder.closeRegion(region);
    }
    return this.builder.nodeCount - before + 1;
  }

  /** Whether a loop does nothing with a variable but `+=`, `-=` and `*=`. */
  private isAccumulator(cell: Cell, node: StatementOf<'For'>, scope: Scope): boolean {
    const name = [...scope.cells].find(([, c]) => c === cell)?.[0];
    if (name === undefined) return false;
    for (const { value } of scope.cells.values())
      if (value?.tag === 'function' && value.closure === scope) return false;
    let mentions = 0;
    let updates = 0;
    const stack: unknown[] = [node.body];
    while (stack.length > 0) {
      const item = stack.pop();
      if (typeof item !== 'object' || item === null) continue;
      const part = item as Statement | Expression;
      if (part.kind === 'Name' && part.name === name) mentions++;
      if (
        part.kind === 'AugAssign' &&
        part.target.kind === 'Name' &&
        part.target.name === name &&
        ['+', '-', '*'].includes(part.operator)
      ) {
        updates++;
      }
      stack.push(...Object.values(item));
    }
    return mentions === updates;
  }

  /** The bounds of a `range(...)` of which one depends on x; null for any other iterable. */
  private dynamicRange(node: Expression, scope: Scope): { start: Scalar; stop: Scalar; step: number } | null {
    if (node.kind !== 'Call' || node.callee.kind !== 'Name' || node.callee.name !== 'range') return null;
    if (node.keywords.length > 0 || node.args.some((a) => a.kind === 'Starred')) return null;
    const callee = this.evaluate(node.callee, scope);
    if (callee.tag !== 'builtin' || callee.name !== 'range') return null;
    const values = node.args.map((arg) => this.evaluate(arg, scope));
    if (!values.every((v): v is Scalar => v.tag === 'scalar')) return null;
    // Bounds that depend on the indices of rolled loops only are known for each of them.
    if (values.every((v) => v.known !== undefined || isIndexed(v))) return null;
    // Floats are no bounds of a range: TypeError.
    for (const v of values) if (v.kind === 'float' || v.kind === 'npfloat') this.ops.refuseIndex(v);
    const [start, stop, by] = values.length === 1 ? [int(0), values[0], undefined] : values;
    const step = by === undefined ? 1 : this.staticInt(by, node, 'a range step');
    if (step === 0) this.ops.raise(LaneStatus.Raised, 'ValueError');
    return { start, stop, step };
  }

  private executeDynamicFor(
    node: StatementOf<'For'>,
    { start, stop, step }: { start: Scalar; stop: Scalar; step: number },
    scope: Scope,
  ): void {
    const outer = this.frame.loop;
    const loop = { broke: this.cell(bool(false)), continued: this.cell(bool(false)) };
    const counter = this.cell(start);
    this.frame.loop = loop;
    try {
      this.dynamicLoop(
        () => this.ops.compare(step > 0 ? '<' : '>', counter.value as Scalar, stop),
        () => {
          this.assign(node.target, counter.value as Scalar, scope);
          // Counted before the body, so that `continue` cannot skip it.
          this.write(counter, this.ops.binary('+', counter.value as Scalar, int(step), node));
          this.executeBlock(node.body, scope);
        },
        loop,
        node,
      );
    } finally {
      this.frame.loop = outer;
    }
    this.afterLoop(loop.broke, node.orElse, scope, node);
  }

  private afterLoop(broke: Cell, orElse: readonly Statement[], scope: Scope, position: Position): void {
    if (orElse.length === 0) return;
    const live = this.ops.and(this.live(), this.ops.not(broke.value as Scalar));
    if (live.known === 0) return;
    this.whileLive(live, () => this.executeBlock(orElse, scope), position);
  }

  private executeWhile(node: StatementOf<'While'>, scope: Scope): void {
    const outer = this.frame.loop;
    const loop = { broke: this.cell(bool(false)), continued: this.cell(bool(false)) };
    this.frame.loop = loop;
    try {
      // As long as nothing depends on x, run it; from the first iteration that does, build a loop.
      for (;;) {
        // An iteration costs a region and a journal.
        this.step(node, 20);
        const journal = this.openJournal();
        const region = this.builder.openRegion();
        let isStatic = false;
        let goesOn = false;
        let entersLoop = false;
        try {
          const test = this.truthOf(this.evaluateAny(node.test, scope), node);
          if (test.known !== undefined) {
            entersLoop = test.known !== 0;
            if (entersLoop) this.executeBlock(node.body, scope);
            this.write(loop.continued, bool(false));
            const live = this.live();
            isStatic = live.known !== undefined;
            goesOn = test.known !== 0 && live.known === 1;
          }
        } catch (error) {
          const effects = this.rollBack(journal);
          this.builder.closeRegion(region);
          if (error instanceof PathRaises || error instanceof PathCaught) {
            this.builder.splice(region);
            this.apply(effects);
          }
          throw error;
        }
        const effects = this.rollBack(journal);
        this.builder.closeRegion(region);
        if (!isStatic) {
          const build = (): void =>
            this.dynamicLoop(
              () => this.truthOf(this.evaluateAny(node.test, scope), node),
              () => this.executeBlock(node.body, scope),
              loop,
              node,
            );
          try {
            build();
          } catch (error) {
            if (!(error instanceof BecomesComplex) || !entersLoop) throw error;
            // A number that the first iteration, which every lane runs, makes complex: it stays outside.
            this.builder.splice(region);
            this.apply(effects);
            this.whileLive(this.live(), build, node);
          }
          break;
        }
        this.builder.splice(region);
        this.apply(effects);
        if (!goesOn) break;
      }
    } finally {
      this.frame.loop = outer;
    }
    this.afterLoop(loop.broke, node.orElse, scope, node);
  }

  /**
   * Builds an IR loop. Which cells it carries is found by trial: the body runs in a region that is thrown away until it
   * writes no cell that is not carried and changes no carried cell's type.
   */
  private dynamicLoop(
    test: () => Scalar,
    body: () => void,
    loop: { readonly broke: Cell; readonly continued: Cell },
    position: Position,
  ): void {
    const carried = new Map<Cell, Held>();
    for (let trial = 0; trial < MAX_TRIALS; trial++) {
      // Loops within loops multiply.
      this.step(position, 100);
      const templates = [...carried.entries()];
      const scalars = templates.flatMap(([, template]) => scalarsOf(template, position));
      const kinds = scalars.map((s) => s.kind);
      const carry = (ids: readonly ValueId[], k: number): Scalar => this.ops.like(scalars[k], ids[k]);
      const types = kinds.map((kind) => (isBoolKind(kind) ? ('bool' as const) : ('f64' as const)));
      const initial = templates.flatMap(([cell, template]) => {
        // A variable first bound inside the loop starts as zero, unbound.
        if (cell.value === undefined) return scalarsOf(template, position).map((s) => known(s.kind, 0));
        const { value } = cell;
        return scalarsOf(template.tag === 'maybe' ? asMaybe(value) : value, position);
      });
      const initialIds = initial.map((s, k) => this.idAs(s, kinds[k]));
      const params = this.builder.params(types);
      const region = this.builder.openRegion();
      const journal = this.openJournal();
      let next = 0;
      for (const [cell, template] of templates) {
        const during = this.rebuild(template, () => carry(params, next++));
        this.carryContainers(cell.value, during);
        this.write(cell, during);
      }
      let again: Scalar = bool(false);
      let raised = false;
      let finished = false;
      try {
        const condition = this.ops.and(test(), this.unraised());
        this.whileLive(condition, body, position);
        this.write(loop.continued, bool(false));
        again = this.ops.and(condition, this.live());
        finished = true;
      } catch (error) {
        if (!(error instanceof PathRaises) && !(error instanceof PathCaught)) throw error;
        raised = error instanceof PathRaises;
        finished = true;
      } finally {
        if (!finished) {
          this.rollBack(journal);
          this.builder.closeRegion(region);
        }
      }
      if (journal.lists.size > 0) {
        this.rollBack(journal);
        this.builder.closeRegion(region);
        throw new Unsupported('the length of a list changes in a loop that depends on x', position);
      }
      if (raised) {
        // Every lane that enters the loop raises.
        this.rollBack(journal);
        this.builder.closeRegion(region);
        this.builder.splice(region);
        throw new PathRaises();
      }
      let stable = true;
      const finals: Scalar[] = [];
      const finalValues = new Map<Cell, Held>();
      try {
        for (const cell of journal.cells.keys()) {
          if (cell === loop.continued) continue;
          const before = carried.get(cell);
          if (cell.value === undefined)
            throw new Unsupported('deleting a variable in a loop that depends on x', position);
          const after = cell.value;
          if (before === undefined) {
            const old = journal.cells.get(cell);
            // Every iteration leaves it as it was.
            if (old === after || (old?.tag === 'scalar' && isSameNumber(old, after))) continue;
            // Not bound before the loop: bound after it where an iteration has bound it.
            const start = old ?? asMaybe(after);
            carried.set(cell, this.joinTemplates(start, after, position));
            stable = false;
            continue;
          }
          const joined = this.joinTemplates(before, after, position);
          if (!sameTemplates(scalarsOf(joined, position), scalarsOf(before, position))) {
            carried.set(cell, joined);
            stable = false;
          }
        }
      } catch (error) {
        this.rollBack(journal);
        this.builder.closeRegion(region);
        throw error;
      }
      if (stable) {
        for (const [cell, template] of templates) {
          const value = cell.value as Held;
          finalValues.set(cell, value);
          finals.push(...scalarsOf(template.tag === 'maybe' ? asMaybe(value) : value, position));
        }
        const yields = [this.ops.truth(again), ...finals.map((s, k) => this.idAs(s, kinds[k]))];
        this.rollBack(journal);
        this.builder.closeRegion(region);
        const results = this.builder.placeLoop(initialIds, params, region, yields, LOOP_FUEL, position.line);
        next = 0;
        for (const [cell, template] of templates) {
          const before = cell.value;
          const after = this.rebuild(template, () => carry(results, next++));
          this.tieValues(before, after);
          this.tieValues(finalValues.get(cell), after);
          this.write(cell, after);
        }
        return;
      }
      this.rollBack(journal);
      this.builder.closeRegion(region);
    }
    throw new Unsupported('variables whose types keep changing in a loop that depends on x', position);
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

  /** Elements that a loop carries from iteration to iteration, which may have another name in one of them. */
  private carriedCells = new WeakSet<Cell>();

  private refuseStores(value: Held): void {
    if (value.tag === 'maybe') this.refuseStores(value.value);
    else if (value.tag === 'tuple') value.items.forEach((item) => this.refuseStores(item));
    else if (value.tag === 'complexarray') {
      this.refuseStores(value.re);
      this.refuseStores(value.im);
    } else if (value.tag === 'list' || value.tag === 'ndarray') {
      for (const cell of value.cells as readonly Cell[]) {
        if (cell.memory !== undefined) throw new RollFailure('elements in memory that a loop replaces', this.ops.here);
        this.carriedCells.add(cell);
        this.refuseStores(cell.value as Held);
      }
    }
  }

  /** The IR value of a scalar in the representation of `kind`. */
  idAs(s: Scalar, kind: ScalarKind): ValueId {
    return isBoolKind(kind) ? this.ops.truth(s) : this.ops.f64(s);
  }

  /** A value of the template's structure with its scalars replaced in order. */
  rebuild(template: AnyValue, next: () => Scalar): AnyValue;
  rebuild(template: Held, next: () => Scalar): Held;
  rebuild(template: Held, next: () => Scalar): Held {
    switch (template.tag) {
      case 'scalar':
        return next();
      case 'maybe':
        return { tag: 'maybe', value: this.rebuild(template.value, next), bound: next() };
      case 'complex':
        return { ...template, re: next(), im: next() };
      case 'complexarray':
        return {
          tag: 'complexarray',
          re: this.rebuild(template.re, next) as NdArray,
          im: this.rebuild(template.im, next) as NdArray,
        };
      case 'tuple':
        return { ...template, items: template.items.map((item) => this.rebuild(item, next)) };
      case 'list':
        return {
          ...this.list(template.cells.map((cell) => this.rebuild(cell.value as AnyValue, next))),
          frozen: template.frozen,
        };
      case 'ndarray':
        return this.arrays.make(
          template.shape,
          template.kind,
          template.cells.map(() => next()),
          template.strides,
          template.frozen,
        );
      default:
        return template;
    }
  }

  joinTemplates(p: AnyValue, q: AnyValue, position: Position): AnyValue;
  joinTemplates(p: Held, q: Held, position: Position): Held;
  joinTemplates(p: Held, q: Held, position: Position): Held {
    if (p.tag === 'maybe' || q.tag === 'maybe') {
      const value = this.joinTemplates(asMaybe(p).value, asMaybe(q).value, position);
      return { tag: 'maybe', value, bound: dynamic('bool', -1) };
    }
    if (p.tag === 'scalar' && q.tag === 'scalar') {
      if ((p.kind === 'npbool') !== (q.kind === 'npbool')) {
        throw new Unsupported(
          "a variable of the loop is NumPy's truth value or something else depending on x",
          position,
        );
      }
      return dynamic(joinKinds(p.kind, q.kind), this.ops.templateId(p, q));
    }
    if (p.tag === 'complex' && q.tag === 'complex' && p.isNumPy === q.isNumPy) {
      const join = (x: Scalar, y: Scalar): Scalar => this.joinTemplates(x, y, position) as Scalar;
      return { ...p, re: join(p.re, q.re), im: join(p.im, q.im) };
    }
    if (p.tag === 'complexarray' && q.tag === 'complexarray') {
      const join = (x: NdArray, y: NdArray): NdArray => this.joinTemplates(x, y, position) as NdArray;
      return { tag: 'complexarray', re: join(p.re, q.re), im: join(p.im, q.im) };
    }
    if (p.tag === 'tuple' && q.tag === 'tuple' && areAlikeTuples(p, q)) {
      this.step(position, p.items.length);
      return { ...p, items: p.items.map((item, k) => this.joinTemplates(item, q.items[k], position)) };
    }
    if (p.tag === 'list' && q.tag === 'list' && p.cells.length === q.cells.length) {
      const items = p.cells.map((cell, k) =>
        this.joinTemplates(cell.value as AnyValue, q.cells[k].value as AnyValue, position),
      );
      return { ...this.list(items), frozen: p.frozen || q.frozen };
    }
    if (p.tag === 'ndarray' && q.tag === 'ndarray' && sameLayout(p, q) && p.kind === q.kind) {
      return this.arrays.make(
        p.shape,
        p.kind,
        p.cells.map(() => dynamic(p.kind, -1)),
        p.strides,
        p.frozen || q.frozen,
      );
    }
    if (p.tag === q.tag && (p.tag === 'none' || p === q)) return p;
    if (p.tag === 'scalar' && q.tag === 'complex')
      throw new BecomesComplex('a variable of the loop is a real or a complex number depending on x', position);
    throw new Unsupported(`a variable of the loop is ${typeName(p)} or ${typeName(q)} depending on x`, position);
  }

  // ---- assignment ----

  bind(name: string, value: AnyValue, scope: Scope): void {
    const cell = this.boundCell(name, scope);
    if (this.isLasting(cell)) {
      this.effects++;
      this.lasting.assign(cell, value, this.ops.here);
    } else this.write(cell, value);
  }

  /** Whether it is there before the call and after it. */
  isLasting(cell: Cell): boolean {
    return !this.loading && cell.born <= this.loadedAt;
  }

  assign(target: Expression, value: AnyValue, scope: Scope): void {
    switch (target.kind) {
      case 'Name':
        this.bind(target.name, value, scope);
        return;
      case 'Tuple':
      case 'List': {
        if (value.tag === 'choice') {
          this.each(value, (plain) => (this.assign(target, plain, scope), NONE), target);
          return;
        }
        const items = this.iterateAny(this.plain(value, target), target);
        const starred = target.elements.findIndex((e) => e.kind === 'Starred');
        const count = target.elements.length;
        if (starred < 0) {
          if (items.length !== count) {
            throw new Unsupported(
              `this unpacks ${count} values, but there are ${items.length} (is it meant for ${count} dimensions?)`,
              target,
            );
          }
          target.elements.forEach((element, k) => this.assign(element, items[k], scope));
          return;
        }
        if (items.length < count - 1) this.ops.raise(LaneStatus.Raised, 'ValueError');
        const tail = count - 1 - starred;
        target.elements.forEach((element, k) => {
          if (element.kind === 'Starred') {
            this.assign(element.value, this.list(items.slice(starred, items.length - tail)), scope);
          } else this.assign(element, k < starred ? items[k] : items[items.length - (count - k)], scope);
        });
        return;
      }
      case 'Subscript': {
        const object = this.evaluateAny(target.value, scope);
        const index = this.evaluateAny(target.index, scope);
        this.ops.locate(target);
        this.storeItem(object, index, value, target);
        return;
      }
      case 'Attribute':
        this.storeAttribute(this.evaluateAny(target.value, scope), target.name, value, target);
        return;
      default:
        throw new Unsupported('an assignment to this kind of target', target);
    }
  }

  private storeAttribute(owner: AnyValue, name: string, value: AnyValue, position: Position): void {
    if (owner.tag === 'choice') {
      this.each(owner, (plain) => (this.storeAttribute(plain, name, value, position), NONE), position);
      return;
    }
    const object = this.plain(owner, position);
    const places = this.attributesOf(object);
    if (places === undefined) throw new Unsupported(`storing an attribute of ${typeName(object)}`, position);
    const cell = places.get(name);
    const lasts = !this.loading && (object.tag === 'instance' ? object.frozen : this.lastsAsObject(object));
    if (object.tag === 'instance' && isFrozenField(object.cls, name))
      this.ops.raise(LaneStatus.Raised, 'dataclasses.FrozenInstanceError');
    if (object.tag === 'instance' && refusesAttribute(object.cls, name))
      this.ops.raise(LaneStatus.Raised, 'AttributeError');
    refuseHook(name, position);
    if (cell !== undefined) {
      this.store(cell, lasts, value, position);
      return;
    }
    // As old as the object, so that a branch on x takes it back.
    const created: Cell = { value: undefined, born: (object as InstanceValue).born };
    places.set(name, created);
    this.effects++;
    if (lasts) {
      const remove = (): void => void places.delete(name);
      this.lasting.adopt(created, position, remove);
      this.lasting.assign(created, value, position);
    } else this.write(created, value);
  }

  /** Where the attributes of an object of the program are that it has itself. */
  private attributesOf(object: Value): Map<string, Cell> | undefined {
    switch (object.tag) {
      case 'instance':
      case 'function':
        return object.attributes;
      case 'class':
        return object.members;
      default:
        return undefined;
    }
  }

  /** Functions and classes of the module, and those that it has made by calls. */
  private lastsAsObject(object: Value): boolean {
    return (object.tag === 'function' || object.tag === 'class') && object.born <= this.loadedAt;
  }

  /** The variable behind an attribute, also of the object's class. */
  attributeCell(object: Value, name: string): Cell | undefined {
    const own = this.attributesOf(object)?.get(name);
    if (own !== undefined) return own;
    const cls = object.tag === 'instance' ? object.cls : object.tag === 'class' ? object : undefined;
    if (cls === undefined) return undefined;
    return methodOrder(cls)
      .map((above) => above.members.get(name))
      .find((cell) => cell !== undefined);
  }

  private delete(target: Expression, scope: Scope): void {
    switch (target.kind) {
      case 'Name': {
        const cell = this.cellToDelete(target.name, scope);
        this.ops.locate(target);
        if (cell === undefined)
          throw new Unsupported('deleting something that is no variable of this function', target);
        if (!this.loading && cell.born <= this.loadedAt) throw impure(target);
        const unbound = this.unboundError(target.name, scope);
        if (cell.value === undefined) return this.ops.raise(LaneStatus.Raised, unbound);
        if (cell.value.tag === 'maybe') this.ops.check(this.ops.not(cell.value.bound), LaneStatus.Raised, unbound);
        this.guarded(() => {
          this.unbindName(target.name, scope, target);
        }, target);
        return;
      }
      case 'Tuple':
      case 'List':
        for (const element of target.elements) this.delete(element, scope);
        return;
      case 'Attribute': {
        const object = this.evaluate(target.value, scope);
        this.ops.locate(target);
        this.guarded(() => this.deleteAttribute(object, target.name, target), target);
        return;
      }
      case 'Subscript': {
        const object = this.evaluate(target.value, scope);
        const index = this.evaluate(target.index, scope);
        this.ops.locate(target);
        this.guarded(() => this.deleteItem(object, index, target), target);
        return;
      }
      default:
        throw new Unsupported('deleting this kind of target', target);
    }
  }

  private deleteAttribute(object: Value, name: string, position: Position): void {
    if (object.tag !== 'instance') throw new Unsupported(`deleting an attribute of ${typeName(object)}`, position);
    const cell = object.attributes.get(name);
    if (cell?.value === undefined) return this.ops.raise(LaneStatus.Raised, 'AttributeError');
    if (object.frozen && !this.loading) throw impure(position);
    if (isFrozenField(object.cls, name)) this.ops.raise(LaneStatus.Raised, 'dataclasses.FrozenInstanceError');
    if (cell.value.tag === 'maybe') {
      this.ops.check(this.ops.not(cell.value.bound), LaneStatus.Raised, 'AttributeError');
    }
    this.elementWrites++;
    this.effects++;
    this.unbind(cell);
  }

  private deleteItem(object: Value, index: Value, position: Position): void {
    switch (object.tag) {
      case 'list': {
        if (index.tag === 'slice') {
          const gone = new Set(sliceIndices(index, object.cells.length, position));
          const kept = object.cells.filter((_, k) => !gone.has(k));
          return this.restructure(object, kept, position);
        }
        if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, position);
        this.removeAt(object, index, position);
        return;
      }
      case 'dict':
        this.removeEntry(object, index, position);
        return;
      // "cannot delete array elements"
      case 'ndarray':
        return this.ops.raise(LaneStatus.Raised, 'ValueError');
      case 'tuple':
        return this.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        throw new Unsupported(`deleting an item of ${typeName(object)}`, position);
    }
  }

  /** Takes an element out of a list, at a position that may depend on x; the others move up. */
  removeAt(list: ListValue, index: Scalar, position: Position): AnyValue {
    if (list.bulk !== undefined) throw new RollFailure('a large list changes its length', position);
    const { cells } = list;
    if (index.known !== undefined) {
      const k = this.staticIndex(index, cells.length, position);
      const value = this.readAny(cells[k], position);
      this.restructure(
        list,
        cells.filter((_, j) => j !== k),
        position,
      );
      return value;
    }
    const chosen = this.chosenIndex(index, cells.length, position);
    const values = cells.map((cell) => this.readAny(cell, position));
    const value = this.gatherFrom(values, chosen, position);
    const kept = values.slice(1).map((next, k) =>
      this.branch(
        this.ops.compare('<=', chosen, int(k)),
        () => next,
        () => values[k],
        position,
      ),
    );
    this.restructure(
      list,
      kept.map((v) => this.cell(v)),
      position,
    );
    return value;
  }

  /** Takes an entry out of a dict and gives its value; KeyError where there is none. */
  removeEntry(dict: DictValue, key: Value, position: Position): AnyValue {
    const at = dictKey(key, position);
    const entry = dict.entries.get(at);
    if (entry === undefined) return this.ops.raise(LaneStatus.Raised, 'KeyError');
    if (dict.frozen && !this.loading) throw impure(position);
    if (!this.mayRestructure(dict)) {
      throw new Unsupported('removing a key of a dict in a branch that depends on x', position);
    }
    const value = this.readAny(entry.cell, position);
    this.elementWrites++;
    this.effects++;
    dict.entries.delete(at);
    return value;
  }

  private unbind(cell: Cell): void {
    const journal = this.journals[this.journals.length - 1];
    if (journal !== undefined && cell.born < journal.began && !journal.cells.has(cell)) {
      journal.cells.set(cell, cell.value);
    }
    cell.value = undefined;
  }

  storeItem(owner: AnyValue, at: AnyValue, value: AnyValue, position: Position): void {
    if (owner.tag === 'choice' || at.tag === 'choice') {
      this.eachOf([owner, at], ([object, index]) => (this.storeItem(object, index, value, position), NONE), position);
      return;
    }
    const object = this.plain(owner, position);
    const index = this.plain(at, position);
    switch (object.tag) {
      case 'list': {
        if (index.tag === 'slice') {
          this.storeSlice(object, index, this.plain(value, position), position);
          return;
        }
        if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, position);
        if (index.at !== undefined && object.bulk === undefined) {
          const at = this.bulk.within(index.at, object.cells.length, position);
          this.storeByForm(object.cells, object.frozen, at, this.plain(value, position), position);
          return;
        }
        if (index.known === undefined && !isIndexed(index)) {
          const put = (k: number): void => this.store(object.cells[k], object.frozen, value, position);
          this.storeAtChosen(index, object.cells.length, put, position);
          return;
        }
        const k = this.staticIndex(index, object.cells.length, position);
        this.store(object.cells[k], object.frozen, value, position);
        return;
      }
      case 'ndarray':
        this.arrays.storeItem(object, index, this.plain(value, position), position);
        return;
      case 'complexarray': {
        const source = this.complex.operand(this.plain(value, position), position);
        this.arrays.storeItem(object.re, index, this.complex.partOf(source, 're'), position);
        this.arrays.storeItem(object.im, index, this.complex.partOf(source, 'im'), position);
        return;
      }
      case 'dict': {
        if (object.frozen && !this.loading) {
          if (object.born > this.loadedAt) throw impure(position);
          this.effects++;
          this.lasting.storeEntry(object, index, value, position);
          return;
        }
        if (isOpenKey(index) && object.entries.size > 0) {
          this.storeAtChosenKey(object, index, value, position);
          return;
        }
        const key = dictKey(index, position);
        const entry = object.entries.get(key);
        if (entry !== undefined) this.store(entry.cell, object.frozen, value, position);
        else {
          if (!this.mayRestructure(object)) {
            throw new Unsupported('adding a key to a dict in a branch that depends on x', position);
          }
          this.effects++;
          object.entries.set(key, { key: index, cell: this.cell(value) });
        }
        return;
      }
      case 'instance': {
        const method = classMember(object.cls, '__setitem__');
        if (method === undefined) throw new Unsupported(`item assignment to ${typeName(object)}`, position);
        this.call(method, { args: [object, index, value], keywords: new Map(), position });
        return;
      }
      case 'scalar':
      case 'tuple':
      case 'string':
      case 'none':
        this.ops.locate(position);
        return this.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        throw new Unsupported(`item assignment to ${typeName(object)}`, position);
    }
  }

  /** `a[i:j] = values`: any number of values takes the place of those between; with a step there are as many. */
  private storeSlice(list: ListValue, slice: SliceValue, value: Value, position: Position): void {
    const items = this.iterateAny(value, position);
    const { cells } = list;
    const places = sliceIndices(slice, cells.length, position);
    if ((slice.step ?? 1) !== 1) {
      if (items.length !== places.length) return this.ops.raise(LaneStatus.Raised, 'ValueError');
      places.forEach((k, j) => this.store(cells[k], list.frozen, items[j], position));
      return;
    }
    const [start] = sliceIndices({ lower: slice.lower, upper: null, step: null }, cells.length, position);
    const at = start ?? cells.length;
    const made = items.map((v) => this.cell(v));
    this.restructure(list, [...cells.slice(0, at), ...made, ...cells.slice(at + places.length)], position);
  }

  /** A store to the cell at a position that depends on indices of rolled loops: in memory. */
  storeByForm(cells: readonly Cell[], frozen: boolean, at: IndexForm, value: Value, position: Position): void {
    if (frozen && !this.loading) throw impure(position);
    const run = this.memory.runOf(cells);
    if (run === undefined) throw new RollFailure('a store at an index of the loop', position, { cells });
    this.elementWrites++;
    this.effects++;
    this.writes++;
    this.memory.write(this.memory.placeIn(run, at), value, position);
  }

  /** An array of a length that depends on x, changed in place: what has its name alone may as well get a new one. */
  private updatedInPlace(old: MaskedValue, operand: Value, node: StatementOf<'AugAssign'>): AnyValue {
    if (this.holders.get(old) === null)
      throw new Unsupported('a change in place of an array of a length that depends on x and has several names', node);
    const made = this.binary(node.operator, old, operand, node);
    if (made.tag !== 'masked')
      throw new Unsupported('a change in place of an array of a length that depends on x', node);
    if (widerKind(made.kind, old.kind) !== old.kind) return this.ops.raise(LaneStatus.Raised, 'TypeError');
    return { ...made, kind: old.kind };
  }

  private augmentedAssign(node: StatementOf<'AugAssign'>, scope: Scope): void {
    const apply = (before: AnyValue): AnyValue => {
      const value = this.evaluateAny(node.value, scope);
      this.ops.locate(node);
      return this.eachOf([before, value], ([old, operand]) => updated(old, operand), node);
    };
    const updated = (old: Value, operand: Value): AnyValue => {
      if (node.operator === '@') throw new Unsupported("'@=', which older versions of NumPy refuse", node);
      if (old.tag === 'ndarray') {
        const result = this.binary(node.operator, old, operand, node);
        // NumPy does not cast complex numbers to real ones.
        if (isComplex(result)) return this.ops.raise(LaneStatus.Raised, 'TypeError');
        this.guarded(() => this.arrays.assignInPlace(old, result, node), node);
        return old;
      }
      if (old.tag === 'complexarray') {
        const result = this.binary(node.operator, old, operand, node);
        this.guarded(() => this.complex.assignInPlace(old, result, node), node);
        return old;
      }
      if (old.tag === 'masked') return this.updatedInPlace(old, operand, node);
      const isNumPy = operand.tag === 'ndarray' || (operand.tag === 'scalar' && isNumPyKind(operand.kind));
      if (old.tag === 'list' && node.operator === '+' && !isNumPy) {
        const items = this.iterateAny(operand, node);
        this.guarded(() => this.restructure(old, [...old.cells, ...items.map((v) => this.cell(v))], node), node);
        return old;
      }
      if (old.tag === 'list' && node.operator === '*') {
        const repeated = this.binary('*', old, operand, node);
        if (repeated.tag !== 'list') return repeated;
        this.guarded(() => this.restructure(old, repeated.cells, node), node);
        return old;
      }
      return this.binaryAny(node.operator, old, operand, node);
    };
    const target = node.target;
    if (target.kind === 'Name') {
      const made = apply(this.evaluateAny(target, scope));
      this.guarded(() => this.bind(target.name, made, scope), target);
      return;
    }
    if (target.kind === 'Subscript') {
      const object = this.evaluateAny(target.value, scope);
      const index = this.evaluateAny(target.index, scope);
      const made = apply(this.subscriptAny(object, index, target));
      this.guarded(() => this.storeItem(object, index, made, target), target);
      return;
    }
    if (target.kind === 'Attribute') {
      const object = this.evaluateAny(target.value, scope);
      const made = apply(this.attribute(object, target.name, target));
      this.guarded(() => this.storeAttribute(object, target.name, made, target), target);
      return;
    }
    throw new Unsupported('an assignment to this kind of target', target);
  }

  // ---- functions ----

  makeFunction(
    name: string,
    parameters: Parameters,
    body: readonly Statement[] | Expression,
    scope: Scope,
    position: Position,
  ): FunctionValue {
    const defaults = new Map<string, AnyValue>();
    for (const p of [...parameters.positionalOnly, ...parameters.positional, ...parameters.keywordOnly]) {
      if (p.default !== null) defaults.set(p.name, this.evaluateAny(p.default, scope));
    }
    const isBlock = Array.isArray(body);
    const names = namesOfFunction(parameters, body);
    const isGenerator = isBlock && hasYield(body as readonly Statement[]);
    const closure = enclosing(scope);
    const common = { born: this.clock, attributes: new Map<string, Cell>() };
    return { tag: 'function', name, parameters, defaults, body, closure, names, isGenerator, position, ...common };
  }

  /** Decorators are called with the function, the innermost first. */
  defineFunction(node: StatementOf<'FunctionDef'>, scope: Scope): Value {
    const decorators = node.decorators.map((d) => ({ position: d, value: this.evaluate(d, scope) }));
    const made: Value = this.makeFunction(node.name, node.parameters, node.body, scope, node);
    return decorators.reduceRight<Value>(
      (fn, { value, position }) =>
        this.plain(this.call(value, { args: [fn], keywords: new Map(), position }), position),
      made,
    );
  }

  dict(entries: readonly (readonly [Value, AnyValue])[], position: Position): DictValue {
    this.step(position, entries.length);
    const map: DictValue['entries'] = new Map();
    for (const [key, value] of entries) map.set(dictKey(key, position), { key, cell: this.cell(value) });
    return { tag: 'dict', entries: map, born: this.clock, frozen: this.loading };
  }

  set(items: readonly Value[], position: Position, isFrozenSet = false): SetValue {
    this.step(position, items.length);
    const entries = new Map<string | number, Value>();
    for (const item of items) {
      const key = dictKey(item, position);
      if (!entries.has(key)) entries.set(key, item);
    }
    return { tag: 'set', isFrozenSet, entries, born: this.clock, frozen: this.loading };
  }

  instance(cls: ClassValue): InstanceValue {
    return { tag: 'instance', cls, attributes: new Map(), born: this.clock, frozen: this.loading };
  }

  /** Calls a function of NumPy by its name. */
  numpy(name: string, call: Call): Value {
    return this.plain(numpyCall(this, name, call), call.position);
  }

  builtin(name: string, position: Position): Value {
    const value = builtinValue(this, name);
    if (value === undefined) throw new Unsupported(reasonForName(name), position);
    return value;
  }

  /** Names of the module that hold, or share with another, something that can be changed through one of `names`. */
  sharing(names: ReadonlySet<string>): readonly string[] {
    const { cells } = this.moduleScope;
    const objectsOf = (value: Held | undefined): ReadonlySet<object> =>
      value === undefined || value.tag === 'maybe' ? new Set() : changeableIn(value);
    const shared = new Set<object>();
    for (const name of names) for (const object of objectsOf(cells.get(name)?.value)) shared.add(object);
    if (shared.size === 0) return [];
    return [...cells].filter(([, { value }]) => [...objectsOf(value)].some((o) => shared.has(o))).map(([name]) => name);
  }

  /** Ends the loading of the module: what was made so far lasts from call to call. */
  endLoading(): void {
    this.loading = false;
    this.loadedAt = this.clock++;
    this.loadingSteps = this.steps;
    this.random.endLoading();
    this.loadedClasses = new Map(this.libraryClasses);
  }

  /**
   * Begins another program of the same module. What the module has made holds for all of them: nothing of it depends on x, and
   * code that would change it is refused.
   */
  restart(builder: IrBuilder, roll: Roll, isSameProgram = false): void {
    if (isSameProgram) this.lasting.again();
    else this.lasting.forget();
    this.builder = builder;
    this.roll = roll;
    this.ops.restart(builder);
    this.complex.restart();
    this.random.restart();
    this.libraryClasses = new Map(this.loadedClasses);
    this.steps = this.loadingSteps;
    this.callDepth = 0;
    this.journals.length = 0;
    this.handlers.length = 0;
    this.frame = this.newFrame();
    this.unrollable.clear();
    this.assumptions.clear();
    this.handedOver = null;
    this.hasRolled = false;
    this.ties = new WeakMap();
    this.tiedLists = new WeakSet();
    this.carriedCells = new WeakSet();
  }

  /** Whether the contents of a container may be changed here, so that no branch has to undo it. */
  mayRestructure(container: { readonly born: number; readonly frozen: boolean }): boolean {
    if (container.frozen && !this.loading) return false;
    const journal = this.journals[this.journals.length - 1];
    return journal === undefined || container.born >= journal.began;
  }

  /** `super()` in a method. */
  superOf(position: Position): Value {
    const { method, self } = this.frame;
    const cls = method === null ? undefined : ownerOf(method);
    if (cls === undefined || self === undefined) throw new Unsupported('super() outside a method', position);
    return { tag: 'super', cls, self };
  }

  private callBuiltin(callee: BuiltinValue, given: AnyCall): AnyValue {
    this.ops.locate(given.position);
    const call = fitted(this, callee.name, given);
    if (callee.callAny !== undefined) return callee.callAny(call);
    return this.eachArgument(call, (plain) => {
      this.ops.locate(call.position);
      return callee.call(plain);
    });
  }

  call(target: AnyValue, call: AnyCall): AnyValue {
    if (target.tag === 'choice') return this.each(target, (plain) => this.call(plain, call), call.position);
    const callee = this.plain(target, call.position);
    switch (callee.tag) {
      case 'builtin':
        return this.callBuiltin(callee, call);
      case 'function':
        return this.callFunction(callee, call);
      case 'class':
        return callClass(this, callee, call);
      case 'instance': {
        const method = classMember(callee.cls, '__call__');
        if (method?.tag !== 'function') throw new Unsupported(`calling ${typeName(callee)}`, call.position);
        return this.callFunction(method, { ...call, args: [callee, ...call.args] });
      }
      case 'type':
        this.ops.locate(call.position);
        return this.eachArgument(call, (plain) =>
          lookingAtAll(callee.name, plain, (noted) => convertTo(this, callee.name, noted)),
        );
      default:
        throw new Unsupported(`calling ${typeName(callee)}`, call.position);
    }
  }

  /** A call whose result is looked into. */
  called(callee: AnyValue, call: AnyCall): Value {
    return this.plain(this.call(callee, call), call.position);
  }

  private callFunction(fn: FunctionValue, call: AnyCall): AnyValue {
    if (this.callDepth >= MAX_CALL_DEPTH)
      throw new Unsupported(
        `more than ${MAX_CALL_DEPTH} calls inside one another: recursion must end after a known number of steps`,
        call.position,
      );
    this.step(call.position);
    if (fn.position.line === 0) requireFit(fn, call);
    const { names } = fn;
    const scope: Scope = { kind: 'function', parent: fn.closure, cells: new Map(), names, function: fn };
    this.bindArguments(fn, call, scope);
    for (const name of names.locals) if (!scope.cells.has(name)) scope.cells.set(name, this.cell(undefined));
    this.adoptGlobals(fn);
    const caller = this.frame;
    this.frame = this.newFrame();
    this.frame.method = fn;
    const [self] = call.args;
    this.frame.self = self === undefined || self.tag === 'choice' || self.tag === 'opaque' ? undefined : self;
    this.callDepth++;
    try {
      if (!Array.isArray(fn.body)) return this.evaluateAny(fn.body as Expression, scope);
      const body = fn.body as readonly Statement[];
      if (fn.isGenerator) return this.generate(fn, body, call, scope);
      this.executeBlock(body, scope);
      return this.resultOf(this.frame);
    } catch (error) {
      if (fn.position.line > 0 || !(error instanceof Unsupported)) throw error;
      throw new Unsupported(error.message, call.position, error.kind);
    } finally {
      this.frame = caller;
      this.callDepth--;
      this.ops.locate(call.position);
    }
  }

  /** A generator function: its items are computed when it is called, and hold while what it reads is unchanged. */
  private generate(fn: FunctionValue, body: readonly Statement[], call: AnyCall, scope: Scope): Value {
    if (this.handlers.length > 0) throw new Unsupported('a generator function in a try statement', call.position);
    const yields = { items: [] as AnyValue[], depth: this.journals.length };
    this.frame.yields = yields;
    const sources = [...call.args, ...call.keywords.values(), ...fn.defaults.values()];
    const { cells, isBulk } = cellsOf(sources);
    const { elementWrites } = this;
    const values = cells.map((cell) => cell.value);
    const { hasEffects } = this.withEffects(() => {
      try {
        this.executeBlock(body, scope);
      } catch (error) {
        // Python raises it where the item is asked for, if anybody asks.
        if (error instanceof PathRaises) this.ops.leavesLanes = true;
        throw error;
      }
    });
    const isSame = this.watchFunction(fn);
    return this.iterator(
      'generator',
      yields.items,
      () =>
        isSame() &&
        cells.every((cell, k) => cell.value === values[k]) &&
        (!isBulk || this.elementWrites === elementWrites) &&
        cellsOf(sources).cells.every((cell, k) => cell === cells[k]),
      hasEffects,
    );
  }

  private addYield(values: readonly AnyValue[], position: Position): Value {
    const { yields } = this.frame;
    if (yields === null) throw new Unsupported('yield outside a generator function', position);
    if (yields.depth !== this.journals.length) {
      throw new Unsupported(
        'a generator function whose number of items depends on x, or one with a while loop',
        position,
      );
    }
    yields.items.push(...values);
    return NONE;
  }

  private resultOf(frame: Frame): AnyValue {
    const returned = frame.returned.value as Scalar;
    const result = frame.result.value;
    if (result === undefined || returned.known === 0) return NONE;
    const value = result.tag === 'maybe' ? result.value : result;
    if (returned.known !== undefined || value.tag === 'opaque') return value;
    // Lanes that fall off the end give None.
    const given = alternativesOf(value).map((a) => ({ when: this.ops.and(returned, a.when), value: a.value }));
    const isNone = given.findIndex((a) => a.value.tag === 'none');
    const none = isNone < 0 ? [] : given.splice(isNone, 1);
    const without = none.reduce<Scalar>((when, a) => this.ops.or(when, a.when), this.ops.not(returned));
    return choiceOf([...given, { when: without, value: NONE }], this.ops.here);
  }

  private bindArguments(fn: FunctionValue, call: AnyCall, scope: Scope): void {
    const { parameters } = fn;
    const positional = [...parameters.positionalOnly, ...parameters.positional];
    const wrong = (): never => {
      this.ops.locate(call.position);
      return this.ops.raise(LaneStatus.Raised, 'TypeError');
    };
    const bound = new Map<string, AnyValue>();
    call.args.forEach((value, k) => {
      if (k < positional.length) bound.set(positional[k].name, value);
      else if (parameters.varArgs === null) wrong();
    });
    if (parameters.varArgs !== null) {
      bound.set(parameters.varArgs.name, tuple(call.args.slice(positional.length)));
    }
    const named = new Set([...parameters.positional, ...parameters.keywordOnly].map((p) => p.name));
    const extra = new Map<string, AnyValue>();
    for (const [name, value] of call.keywords) {
      if (named.has(name) && !bound.has(name)) bound.set(name, value);
      else if (parameters.keywordArgs !== null && !named.has(name)) extra.set(name, value);
      else wrong();
    }
    for (const p of [...positional, ...parameters.keywordOnly]) {
      if (bound.has(p.name)) continue;
      const value = fn.defaults.get(p.name);
      if (value === undefined) wrong();
      else bound.set(p.name, value);
    }
    if (parameters.keywordArgs !== null) {
      const entries = [...extra].map(([k, v]) => [string(k), v] as const);
      bound.set(parameters.keywordArgs.name, this.dict(entries, call.position));
    }
    for (const [name, value] of bound) scope.cells.set(name, this.cell(value));
  }

  // ---- expressions ----

  /** A value to be looked into. @throws {Unsupported} where it is of several kinds, or of none that is known. */
  evaluate(node: Expression, scope: Scope): Value {
    return this.plain(this.evaluateAny(node, scope), node);
  }

  /** A value to be handed on, or to be asked which kind it is (`each`). */
  evaluateAny(node: Expression, scope: Scope): AnyValue {
    switch (node.kind) {
      case 'Name':
        return this.lookUp(node.name, scope, node);
      case 'Int':
        if (node.value === null)
          throw new Unsupported('integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)', node);
        return int(node.value);
      case 'Float':
        return float(node.value);
      case 'String':
        return string(node.value);
      case 'True':
        return bool(true);
      case 'False':
        return bool(false);
      case 'None':
        return NONE;
      case 'Ellipsis':
        return { tag: 'ellipsis' };
      case 'Imaginary':
        this.ops.locate(node);
        return this.complex.make({ re: float(0), im: float(node.value) }, false);
      case 'Bytes':
        throw new Unsupported('bytes', node);
      case 'Await':
        throw new Unsupported('await', node);
      case 'JoinedString':
        return this.eachOf(
          node.values.map((part) => this.evaluateAny(part, scope)),
          (parts) => joinedText(node, parts),
          node,
        );
      case 'Set':
        return this.set(
          this.evaluateItems(node.elements, scope).map((item) => this.plain(item, node)),
          node,
        );
      case 'SetComp':
        return this.set(
          this.comprehend(node.generators, this.evaluate(node.generators[0].iterable, scope), scope, (inner) =>
            this.evaluate(node.element, inner),
          ).map((item) => this.plain(item, node)),
          node,
        );
      case 'Yield':
        return this.addYield([node.value === null ? NONE : this.evaluateAny(node.value, scope)], node);
      case 'YieldFrom':
        return this.addYield(this.iterateAny(this.evaluate(node.value, scope), node.value), node);
      case 'Binary':
        return this.evaluateBinary(node, scope);
      case 'Unary': {
        const operand = this.evaluateAny(node.operand, scope);
        this.ops.locate(node);
        return this.unary(node.operator, operand, node);
      }
      case 'Boolean':
        return this.evaluateBoolean(node, scope, 0);
      case 'Compare':
        return this.evaluateCompare(node, scope);
      case 'Conditional': {
        const test = this.truthOf(this.evaluateAny(node.test, scope), node);
        return this.branch(
          test,
          () => this.evaluateAny(node.body, scope),
          () => this.evaluateAny(node.orElse, scope),
          node,
        );
      }
      case 'Call':
        return this.evaluateCall(node, scope);
      case 'Attribute': {
        const object = this.evaluateAny(node.value, scope);
        this.ops.locate(node);
        return this.attribute(object, node.name, node);
      }
      case 'Subscript': {
        const object = this.evaluateAny(node.value, scope);
        const index = this.evaluateAny(node.index, scope);
        this.ops.locate(node);
        return this.subscriptAny(object, index, node);
      }
      case 'Slice': {
        const part = (e: Expression | null): number | null => {
          if (e === null) return null;
          const v = this.evaluate(e, scope);
          if (v.tag === 'none') return null;
          return this.staticInt(v, e, 'a slice bound');
        };
        return { tag: 'slice', lower: part(node.lower), upper: part(node.upper), step: part(node.step) };
      }
      case 'Starred':
        throw new Unsupported('a starred expression at this place', node);
      case 'List':
        return this.list(this.evaluateItems(node.elements, scope));
      case 'Tuple': {
        const items = this.evaluateItems(node.elements, scope);
        for (const item of items) if (item.tag === 'masked') this.holders.set(item, null);
        return tuple(items);
      }
      case 'Dict': {
        const entries: (readonly [Value, AnyValue])[] = [];
        node.keys.forEach((keyNode, k) => {
          const value = keyNode === null ? null : this.evaluate(keyNode, scope);
          const held = this.evaluateAny(node.values[k], scope);
          if (value !== null) entries.push([value, held]);
          else if (held.tag !== 'dict') throw new Unsupported(`** unpacking of ${typeName(held)}`, node);
          else for (const { key, cell } of held.entries.values()) entries.push([key, this.readAny(cell, node)]);
        });
        return this.dict(entries, node);
      }
      case 'ListComp':
      case 'GeneratorExp':
        return this.comprehension(node, scope);
      case 'DictComp': {
        const entries: (readonly [Value, AnyValue])[] = [];
        this.comprehend(node.generators, this.evaluate(node.generators[0].iterable, scope), scope, (inner) => {
          const key = this.evaluate(node.key, inner);
          entries.push([key, this.evaluateAny(node.value, inner)]);
          return NONE;
        });
        return this.dict(entries, node);
      }
      case 'Lambda':
        return this.makeFunction('<lambda>', node.parameters, node.body, scope, node);
      case 'NamedExpression': {
        const value = this.evaluateAny(node.value, scope);
        const holder = holderOf(scope);
        if (holder !== scope) this.effects++;
        this.guarded(() => this.assign(node.target, value, holder), node);
        return value;
      }
    }
  }

  /** The variable that a name stands for; undefined for a built-in name, and one that is not known. */
  find(name: string, scope: Scope): Cell | undefined {
    const { owner } = scopeOf(name, scope);
    return (owner === 'module' ? this.moduleScope : owner).cells.get(name);
  }

  private lookUp(name: string, scope: Scope, position: Position): AnyValue {
    const cell = this.find(name, scope);
    if (cell !== undefined) {
      const value = cell.value;
      this.ops.locate(position);
      if (value === undefined) return this.ops.raise(LaneStatus.Raised, this.unboundError(name, scope));
      if (value.tag === 'maybe') {
        if (scope.kind === 'class') throw new Unsupported('a name that a class binds depending on x', position);
        this.ops.check(this.ops.not(value.bound), LaneStatus.Raised, this.unboundError(name, scope));
        if (value.value.tag === 'opaque') throw new Unsupported(value.value.reason, position);
        return value.value;
      }
      if (value.tag === 'opaque') {
        this.lasting.read(value);
        throw new Unsupported(value.reason, position);
      }
      return value;
    }
    const builtin = builtinValue(this, name);
    if (builtin !== undefined) return builtin;
    if (name === '__name__') return string('objective');
    if (this.hidden !== null) throw new Unsupported(this.hidden, position);
    throw new Unsupported(reasonForName(name), position);
  }

  /** What reading a variable raises that is not bound. */
  private unboundError(name: string, scope: Scope): Raised {
    const { owner } = scopeOf(name, scope);
    if (owner === scope && scope.kind !== 'class') return 'UnboundLocalError';
    // Since Python 3.12 comprehensions are part of the function around them.
    return owner !== 'module' && scope.kind === 'comprehension' && this.pythonMinor >= 12
      ? ['NameError', 'UnboundLocalError']
      : 'NameError';
  }

  private cellToDelete(name: string, scope: Scope): Cell | undefined {
    const { owner } = binderOf(name, scope);
    return (owner === 'module' ? this.moduleScope : owner).cells.get(name);
  }

  /** Takes a name's value away: `del name`, and the end of the clause `except E as name`. */
  private unbindName(name: string, scope: Scope, position: Position): void {
    const { owner } = binderOf(name, scope);
    const holder = owner === 'module' ? this.moduleScope : owner;
    const cell = holder.cells.get(name);
    if (cell === undefined) return;
    if (this.isLasting(cell)) throw impure(position);
    if (holder !== scope) this.effects++;
    this.unbind(cell);
    // A name of the module that is gone uncovers the built-in one.
    if (holder === this.moduleScope) holder.cells.delete(name);
  }

  private evaluateItems(nodes: readonly Expression[], scope: Scope): AnyValue[] {
    const items: AnyValue[] = [];
    for (const node of nodes) {
      if (node.kind === 'Starred') items.push(...this.iterateAny(this.evaluate(node.value, scope), node));
      else items.push(this.evaluateAny(node, scope));
    }
    return items;
  }

  /** Long chains such as `a + b + c + ...` nest to the left: walked without recursion. */
  private evaluateBinary(node: ExpressionOf<'Binary'>, scope: Scope): AnyValue {
    const spine: ExpressionOf<'Binary'>[] = [];
    let left: Expression = node;
    while (left.kind === 'Binary') {
      spine.push(left as ExpressionOf<'Binary'>);
      left = left.left;
    }
    let value = this.evaluateAny(left, scope);
    for (let k = spine.length - 1; k >= 0; k--) {
      const { operator, right } = spine[k];
      const operand = this.evaluateAny(right, scope);
      this.step(spine[k]);
      this.ops.locate(spine[k]);
      value = this.binaryAny(operator, value, operand, spine[k]);
    }
    return value;
  }

  binary(operator: BinaryOperator, a: AnyValue, b: AnyValue, position: Position): Value {
    return this.plain(this.binaryAny(operator, a, b, position), position);
  }

  binaryAny(operator: BinaryOperator, left: AnyValue, right: AnyValue, position: Position): AnyValue {
    if (left.tag === 'choice' || right.tag === 'choice')
      return this.eachOf([left, right], ([a, b]) => this.binaryAny(operator, a, b, position), position);
    const a = this.plain(left, position);
    const b = this.plain(right, position);
    if (a.tag === 'scalar' && b.tag === 'scalar') return this.ops.binary(operator, a, b, position);
    if (isComplexOperation(a, b)) return this.complex.binary(operator, a, b, position);
    if ((isArray(a) && hasComplex(b)) || (isArray(b) && hasComplex(a)))
      throw new Unsupported(`'${operator}' between ${typeName(a)} and ${typeName(b)} of complex numbers`, position);
    if (isArray(a) || isArray(b)) return this.arrays.binary(operator, a, b, position);
    const isRange = (v: Value): boolean => v.tag === 'tuple' && (v.range !== undefined || v.isCurrent !== undefined);
    if (isRange(a) || isRange(b)) throw new Unsupported(`'${operator}' of a range or a view of a dict`, position);
    const sequence = (v: Value): v is ListValue | TupleValue => v.tag === 'list' || v.tag === 'tuple';
    if (operator === '+' && sequence(a) && a.tag === b.tag) {
      const items = [...this.iterateAny(a, position), ...this.iterateAny(b, position)];
      return a.tag === 'list' ? this.list(items) : tuple(items);
    }
    if (operator === '*' && (sequence(a) || sequence(b))) {
      const [seq, count] = sequence(a) ? [a, b] : [b as ListValue | TupleValue, a];
      // "can't multiply sequence by non-int of type 'numpy.float64'"
      if (count.tag === 'scalar' && count.kind === 'npfloat') return this.ops.raiseForKind(count, 'TypeError');
      const n = Math.max(0, this.staticInt(count, position, 'a repeat count'));
      const items = this.iterateAny(seq, position);
      this.step(position, n * items.length);
      const repeated = Array.from({ length: n }, () => items).flat();
      return seq.tag === 'list' ? this.list(repeated) : tuple(repeated);
    }
    if (
      (a.tag === 'scalar' && a.kind === 'npfloat' && sequence(b)) ||
      (b.tag === 'scalar' && b.kind === 'npfloat' && sequence(a))
    ) {
      return this.arrays.binary(operator, a, b, position);
    }
    if (isText(a) && isText(b) && operator === '+') {
      if (a.tag === 'string' && b.tag === 'string') this.step(position, a.value.length + b.value.length);
      return concatenated(a, b);
    }
    if (isText(a) && operator === '%') return percentText(this, a, b, position);
    if (operator === '*' && (a.tag === 'string' || b.tag === 'string')) {
      const [text, count] = a.tag === 'string' ? [a, b] : [b as typeof a & { tag: 'string' }, a];
      const n = Math.max(0, this.staticInt(count, position, 'a repeat count'));
      this.step(position, n * text.value.length);
      return string(text.value.repeat(n));
    }
    if (a.tag === 'set' && b.tag === 'set') return this.combineSets(operator, a, b, position);
    if (a.tag === 'dict' && b.tag === 'dict' && operator === '|') {
      if ((a.factory ?? b.factory) !== undefined) throw new Unsupported("'|' of a defaultdict", position);
      const entries = [...a.entries.values(), ...b.entries.values()];
      return this.dict(
        entries.map(({ key, cell }) => [key, this.readAny(cell, position)]),
        position,
      );
    }
    if (a.tag === 'instance' || b.tag === 'instance') {
      const result = callOperator(this, operator, a, b, position);
      if (result !== null) return result;
    }
    // Where nothing catches it, the reason says more.
    const isRefused = ['+', '-', '/', '//', '**'].includes(operator) && isOfPython(a) && isOfPython(b);
    if (isRefused && this.isInTry) return this.ops.raise(LaneStatus.Raised, 'TypeError');
    throw new Unsupported(`'${operator}' between ${typeName(a)} and ${typeName(b)}`, position);
  }

  private combineSets(operator: BinaryOperator, a: SetValue, b: SetValue, position: Position): Value {
    const [p, q] = [[...a.entries], [...b.entries]];
    const pick = (entries: typeof p): Value =>
      this.set(
        entries.map(([, value]) => value),
        position,
        a.isFrozenSet,
      );
    switch (operator) {
      case '|':
        return pick([...p, ...q]);
      case '&':
        return pick(p.filter(([key]) => b.entries.has(key)));
      case '-':
        return pick(p.filter(([key]) => !b.entries.has(key)));
      case '^':
        return pick([...p.filter(([key]) => !b.entries.has(key)), ...q.filter(([key]) => !a.entries.has(key))]);
      default:
        return this.ops.raise(LaneStatus.Raised, 'TypeError');
    }
  }

  unary(operator: '+' | '-' | '~' | 'not', value: AnyValue, position: Position): AnyValue {
    if (operator === 'not') return this.ops.not(this.truthOf(value, position));
    if (value.tag === 'choice') return this.each(value, (plain) => this.unary(operator, plain, position), position);
    const operand = this.plain(value, position);
    if (isArray(operand)) return this.arrays.unary(operator, operand, position);
    if (isComplex(operand)) return this.complex.unary(operator, operand, position);
    if (operand.tag === 'instance') {
      const method = classMember(operand.cls, { '-': '__neg__', '+': '__pos__', '~': '__invert__' }[operator]);
      if (method !== undefined) return this.call(method, { args: [operand], keywords: new Map(), position });
    }
    if (operand.tag !== 'scalar') throw new Unsupported(`'${operator}' on ${typeName(operand)}`, position);
    switch (operator) {
      case '-':
        return this.ops.negate(operand);
      case '+':
        if (operand.kind === 'npbool')
          throw new Unsupported("'+' before NumPy's truth value, which newer versions refuse", position);
        return isBoolKind(operand.kind) ? this.ops.retag(operand, 'int') : operand;
      case '~':
        if (operand.kind === 'npbool') return this.ops.retag(this.ops.not(operand), 'npbool');
        if (operand.known !== undefined && operand.kind === 'int') return int(-operand.known - 1);
        throw new Unsupported("'~' on numbers that depend on x", position);
    }
  }

  private evaluateBoolean(node: ExpressionOf<'Boolean'>, scope: Scope, index: number): AnyValue {
    const value = this.evaluateAny(node.values[index], scope);
    if (index === node.values.length - 1) return value;
    const rest = (): AnyValue => this.evaluateBoolean(node, scope, index + 1);
    const truth = this.truthOf(value, node);
    return node.operator === 'and'
      ? this.branch(truth, rest, () => value, node)
      : this.branch(truth, () => value, rest, node);
  }

  private evaluateCompare(node: ExpressionOf<'Compare'>, scope: Scope): AnyValue {
    const from = (left: AnyValue, index: number): AnyValue => {
      const right = this.evaluateAny(node.comparators[index], scope);
      this.ops.locate(node);
      const result = this.compareAny(node.operators[index], left, right, node);
      if (index === node.operators.length - 1) return result;
      return this.branch(
        this.truthOf(result, node),
        () => from(right, index + 1),
        () => result,
        node,
      );
    };
    return from(this.evaluateAny(node.left, scope), 0);
  }

  compare(operator: ComparisonOperator, a: AnyValue, b: AnyValue, position: Position): Value {
    return this.plain(this.compareAny(operator, a, b, position), position);
  }

  compareAny(operator: ComparisonOperator, left: AnyValue, right: AnyValue, position: Position): AnyValue {
    if (left.tag === 'choice' || right.tag === 'choice')
      return this.eachOf([left, right], ([a, b]) => this.compareAny(operator, a, b, position), position);
    const a = this.plain(left, position);
    const b = this.plain(right, position);
    if (operator === 'is' || operator === 'is not') return this.isSame(operator === 'is', a, b, position);
    if (operator === 'in' || operator === 'not in') {
      const found = this.contains(b, a, position);
      return operator === 'in' ? found : this.ops.not(found);
    }
    if (a.tag === 'scalar' && b.tag === 'scalar') return this.ops.compare(operator, a, b);
    if (isComplexOperation(a, b)) return this.complex.compare(operator, a, b, position);
    if (isArray(a) || isArray(b) || this.isElementwise(a, b, position) || this.isElementwise(b, a, position))
      return this.arrays.compare(operator, a, b, position);
    if ((operator === '==' || operator === '!=') && (a.tag === 'instance' || b.tag === 'instance')) {
      const equal = this.equalObjects(a, b, position);
      return operator === '==' ? equal : this.ops.not(this.truthOf(equal, position));
    }
    if (operator === '==' || operator === '!=') {
      const equal = this.structurallyEqual(a, b, position);
      return operator === '==' ? equal : this.ops.not(equal);
    }
    throw new Unsupported(`'${operator}' between ${typeName(a)} and ${typeName(b)}`, position);
  }

  /** Whether NumPy compares a scalar of its own with each item of a list or tuple. */
  private isElementwise(scalar: Value, items: Value, position: Position): boolean {
    if (scalar.tag !== 'scalar' || (items.tag !== 'list' && items.tag !== 'tuple')) return false;
    const kinds = this.ops.possibleKinds(scalar);
    if (!kinds.some(isNumPyKind)) return false;
    if (kinds.every(isNumPyKind)) return true;
    throw new Unsupported('comparing a NumPy scalar or a number, depending on x, with a list', position);
  }

  /** `a == b` where one is an object of the program: its class says, or else identity decides. */
  private equalObjects(a: Value, b: Value, position: Position): AnyValue {
    const own = (value: Value): Value | undefined =>
      value.tag === 'instance' ? classMember(value.cls, '__eq__') : undefined;
    const refuse = (): never => {
      throw new Unsupported(`'==' between ${typeName(a)} and ${typeName(b)}`, position);
    };
    if ([a, b].some((value) => value.tag === 'instance' && classMember(value.cls, '__ne__') !== undefined)) refuse();
    const [left, right] = [own(a), own(b)];
    const areBoth = a.tag === 'instance' && b.tag === 'instance';
    if (areBoth && a.cls !== b.cls && (left ?? right) !== undefined) refuse();
    if (left !== undefined) return this.call(left, { args: [a, b], keywords: new Map(), position });
    // Types of Python's own leave it to the object.
    if (right !== undefined) return this.call(right, { args: [b, a], keywords: new Map(), position });
    // A dataclass compares fields, in classes below it, too.
    const isData = (value: Value): boolean =>
      value.tag === 'instance' && methodOrder(value.cls).some(({ dataclass }) => dataclass !== undefined);
    if (areBoth && a !== b && a.cls === b.cls && isData(a)) refuse();
    return bool(a === b);
  }

  private isSame(expected: boolean, a: Value, b: Value, position: Position): Scalar {
    const answer = (same: boolean): Scalar => bool(same === expected);
    const types = [a, b].map(typeObjectName);
    if (types.every((name) => name !== null)) return answer(types[0] === types[1]);
    if (a.tag === 'none' || b.tag === 'none') return answer(a.tag === b.tag);
    if (a.tag === 'scalar' && b.tag === 'scalar') {
      const kinds = [a, b].map((s) => this.ops.possibleKinds(s));
      const [p, q] = kinds;
      if (!p.some((kind) => q.includes(kind))) return answer(false);
      if (kinds.some((of) => of.length > 1 || of[0] !== 'bool'))
        throw new Unsupported("'is' between numbers", position);
      const equal = this.ops.compare('==', a, b);
      return expected ? equal : this.ops.not(equal);
    }
    if (a.tag !== b.tag && isOfPlainType(a) && isOfPlainType(b)) return answer(false);
    if (!IDENTIFIED.has(a.tag) || a.tag !== b.tag)
      throw new Unsupported(`'is' between ${typeName(a)} and ${typeName(b)}`, position);
    if (a === b) return answer(true);
    // What has met another on a branch stands for both.
    const isOneOrAnother = (value: Value): boolean =>
      (value.tag === 'list' && this.tiedLists.has(value)) ||
      ((value.tag === 'list' || value.tag === 'ndarray') &&
        (value.bulk !== undefined || value.cells.some((cell) => this.isTied(cell))));
    if (isOneOrAnother(a) || isOneOrAnother(b))
      throw new Unsupported("'is' between lists or arrays that depend on x", position);
    return answer(false);
  }

  private contains(container: Value, item: Value, position: Position): Scalar {
    if (container.tag === 'dict' || container.tag === 'set') return this.hasKey(container, item, position);
    if (container.tag === 'string') {
      if (item.tag === 'string') return bool(container.value.includes(item.value));
      if (item.tag === 'text') throw new Unsupported('whether text that depends on x is in a text', position);
      return this.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    if (container.tag === 'instance') {
      const method = classMember(container.cls, '__contains__');
      if (method !== undefined) {
        const answer = this.call(method, { args: [container, item], keywords: new Map(), position });
        return this.truthOf(answer, position);
      }
    }
    // Its items are compared all at once.
    if (container.tag === 'ndarray' && (item.tag !== 'scalar' || container.shape.length !== 1))
      throw new Unsupported(`whether ${typeName(item)} is in an array`, position);
    const isArray = container.tag === 'ndarray';
    let found: Scalar = bool(false);
    for (const other of this.iterateAny(container, position)) {
      const equal = isArray
        ? this.truthOf(this.compare('==', item, other, position), position)
        : this.isItem(other, item, position);
      found = this.ops.or(found, equal);
    }
    return found;
  }

  /** What depends on x is compared with the known keys one by one. */
  hasKey(container: DictValue | SetValue, item: Value, position: Position): Scalar {
    if (!isOpenKey(item)) return bool(container.entries.has(dictKey(item, position)));
    this.step(position, container.entries.size);
    const keys = [...container.entries.values()].map((entry) => ('cell' in entry ? entry.key : entry));
    return keys.reduce<Scalar>((found, key) => this.ops.or(found, this.isKey(item, key, position)), bool(false));
  }

  /** Whether a key that depends on x, or has parts that do, equals a known one. */
  private isKey(item: AnyValue, key: AnyValue, position: Position): Scalar {
    if (item.tag === 'choice') return this.eachTruth([item], ([plain]) => this.isKey(plain, key, position), position);
    if (item.tag === 'tuple' && key.tag === 'tuple') {
      if (item.items.length !== key.items.length) return bool(false);
      return item.items.reduce<Scalar>(
        (equal, part, k) => (equal.known === 0 ? equal : this.ops.and(equal, this.isKey(part, key.items[k], position))),
        bool(true),
      );
    }
    if (item.tag === 'scalar' && key.tag === 'scalar') return this.ops.compare('==', item, float(key.known as number));
    return bool(!isOpenKey(item) && dictKey(item, position) === dictKey(key, position));
  }

  /** Containers take an object for equal to itself; whether two NaN are one object, only CPython knows. */
  private refuseTwoNaNs(a: Value, b: Value): void {
    if (a.tag === 'complex' && b.tag === 'complex') {
      const both = this.ops.and(this.complex.isNaN(a), this.complex.isNaN(b));
      this.ops.check(both, LaneStatus.Untranslated);
    }
    if (a.tag !== 'scalar' || b.tag !== 'scalar') return;
    this.ops.check(this.ops.and(this.ops.isNaN(a), this.ops.isNaN(b)), LaneStatus.Untranslated);
  }

  /** Whether an item of a list or tuple counts as equal to a value: for `in`, `index`, `count`. */
  isItem(item: AnyValue, value: AnyValue, position: Position): Scalar {
    return this.eachTruth(
      [item, value],
      ([a, b]) => {
        if (a.tag === 'ndarray' || b.tag === 'ndarray')
          throw new Unsupported('an array compared with the items of a list', position);
        this.refuseTwoNaNs(a, b);
        return this.truthOf(this.compareAny('==', a, b, position), position);
      },
      position,
    );
  }

  private structurallyEqual(left: AnyValue, right: AnyValue, position: Position): Scalar {
    if (left.tag === 'choice' || right.tag === 'choice')
      return this.eachTruth([left, right], ([a, b]) => this.structurallyEqual(a, b, position), position);
    const a = this.plain(left, position);
    const b = this.plain(right, position);
    if (a.tag === 'scalar' && b.tag === 'scalar') return this.ops.compare('==', a, b);
    if (isComplexOperation(a, b)) return this.truthOf(this.complex.compare('==', a, b, position), position);
    if (a.tag === 'string' && b.tag === 'string') return bool(a.value === b.value);
    if (a.tag === 'set' && b.tag === 'set') {
      return bool(a.entries.size === b.entries.size && [...a.entries.keys()].every((key) => b.entries.has(key)));
    }
    if (a.tag === 'text' || b.tag === 'text') throw new Unsupported('comparing text that depends on x', position);
    if (a.tag === 'filtered' || b.tag === 'filtered')
      throw new Unsupported('comparing a list of a length that depends on x', position);
    if (a.tag === 'none' || b.tag === 'none') return bool(a.tag === b.tag);
    const types = [a, b].map(typeObjectName);
    if (types.every((name) => name !== null)) return bool(types[0] === types[1]);
    if (types.some((name) => name !== null) && (a.tag === 'class' || b.tag === 'class')) return bool(false);
    if (a.tag === 'class' && b.tag === 'class') return bool(a === b);
    if ((a.tag === 'list' || a.tag === 'tuple') && a.tag === b.tag && isPlainSequence(a) && isPlainSequence(b)) {
      const p = this.iterateAny(a, position);
      const q = this.iterateAny(b, position);
      if (p.length !== q.length) return bool(false);
      // The first items that differ decide; later ones are not compared.
      const from = (k: number): Scalar =>
        k === p.length
          ? bool(true)
          : this.branch(
              this.isItem(p[k], q[k], position),
              () => from(k + 1),
              () => bool(false),
              position,
            );
      return from(0);
    }
    if (a.tag !== b.tag && isOfPlainType(a) && isOfPlainType(b)) return bool(false);
    throw new Unsupported(`'==' between ${typeName(a)} and ${typeName(b)}`, position);
  }

  /** Python's truth value, also of NumPy's. */
  truthOf(any: AnyValue, position: Position): Scalar {
    if (any.tag === 'choice') return this.eachTruth([any], ([plain]) => this.truthOf(plain, position), position);
    const value = this.plain(any, position);
    switch (value.tag) {
      case 'scalar':
        return this.ops.retag(this.ops.truthScalar(value), 'bool');
      case 'complex':
        return this.ops.retag(this.complex.truth(value), 'bool');
      case 'complexarray':
        return this.truthOf(this.complex.compare('!=', value, int(0), position), position);
      case 'none':
        return bool(false);
      case 'string':
        return bool(value.value.length > 0);
      case 'list':
        return bool(value.cells.length > 0);
      case 'tuple':
        return bool(value.items.length > 0);
      case 'dict':
      case 'set':
        return bool(value.entries.size > 0);
      case 'filtered':
        if (value.isGenerator) return bool(true);
        return value.items.reduce<Scalar>((any, { present }) => this.ops.or(any, present), bool(false));
      case 'text':
      case 'masked':
        throw new Unsupported(
          `a condition on ${value.tag === 'text' ? 'text' : 'an array of a length'} that depends on x`,
          position,
        );
      case 'ndarray':
        if (value.cells.length === 1) return this.truthOf(this.arrays.items(value)[0], position);
        if (value.cells.length === 0) {
          throw new Unsupported('the truth value of an empty array, which newer versions of NumPy refuse', position);
        }
        // "The truth value of an array with more than one element is ambiguous."
        this.ops.locate(position);
        return this.ops.raise(LaneStatus.Raised, 'ValueError');
      case 'instance':
        return truthOfInstance(this, value, position);
      case 'function':
      case 'builtin':
      case 'module':
      case 'type':
      case 'class':
      case 'iterator':
      case 'slice':
      case 'super':
      case 'ellipsis':
      case 'exception':
        return bool(true);
    }
  }

  private evaluateCall(node: ExpressionOf<'Call'>, scope: Scope): AnyValue {
    const { callee: target } = node;
    if (target.kind !== 'Attribute') return this.evaluateCallOf(this.evaluateAny(target, scope), node, scope);
    // A method belongs to one alternative.
    return this.each(
      this.evaluateAny(target.value, scope),
      (object) => {
        this.ops.locate(target);
        return this.evaluateCallOf(attributeOf(this, object, target.name, target), node, scope);
      },
      target,
    );
  }

  private evaluateCallOf(callee: AnyValue, node: ExpressionOf<'Call'>, scope: Scope): AnyValue {
    if (callee.tag === 'builtin' && callee.name === 'print') {
      for (const { name } of node.keywords) if (name === null) throw new Unsupported('print() with **', node);
      const given = [...node.args, ...node.keywords.map((k) => k.value)].map((arg) => this.evaluateText(arg, scope));
      const named = node.keywords.map(({ name }, k) => [name!, given[node.args.length + k]] as const);
      return this.call(callee, { args: given.slice(0, node.args.length), keywords: new Map(named), position: node });
    }
    if (callee.tag === 'builtin' && callee.name === 'super' && scope.kind === 'comprehension')
      throw new Unsupported('super() in a comprehension', node);
    if (callee.tag === 'builtin' && (callee.name === 'any' || callee.name === 'all')) {
      const short = this.shortCircuit(callee.name, node, scope);
      if (short !== null) return short;
    }
    const args: AnyValue[] = [];
    if (callee.tag === 'builtin' && callee.name === 'isinstance' && this.pythonMinor >= 10) {
      const [value, types] = node.args;
      if (node.args.length === 2 && types.kind === 'Binary' && types.operator === '|' && node.keywords.length === 0) {
        const checked = [this.evaluateAny(value, scope), this.unionOf(types, scope)];
        return this.call(callee, { args: checked, keywords: new Map(), position: node });
      }
    }
    for (const arg of node.args) {
      if (arg.kind === 'Starred') args.push(...this.iterateAny(this.evaluate(arg.value, scope), arg));
      else if (arg.kind === 'ListComp' && callee.tag === 'builtin' && CONSUMERS.has(callee.name)) {
        args.push(this.comprehension(arg, scope, true));
      } else args.push(this.evaluateAny(arg, scope));
    }
    const keywords = new Map<string, AnyValue>();
    for (const { name, value } of node.keywords) {
      const v = this.evaluateAny(value, scope);
      if (name !== null) keywords.set(name, v);
      else if (v.tag === 'dict') {
        for (const { key, cell } of v.entries.values()) {
          if (key.tag !== 'string' || keywords.has(key.value)) this.ops.raise(LaneStatus.Raised, 'TypeError');
          else keywords.set(key.value, this.readAny(cell, node));
        }
      } else throw new Unsupported('** unpacking', node);
    }
    this.ops.locate(node);
    const call: AnyCall = { args, keywords, position: node };
    return this.handlers.length > 0 && mayChange(callee) ? this.callUnraised(callee, call) : this.call(callee, call);
  }

  /** `int | float`, of types. */
  private unionOf(node: Expression, scope: Scope): TupleValue {
    const parts = (part: Expression): Value[] =>
      part.kind === 'Binary' && part.operator === '|'
        ? [...parts(part.left), ...parts(part.right)]
        : [this.evaluate(part, scope)];
    const types = parts(node);
    if (!types.every((type) => type.tag === 'class' || typeObjectName(type) !== null))
      throw new Unsupported('a union of other things than types', node);
    return tuple(types);
  }

  /** A call for which an argument may have raised: it happens only on lanes where none did. */
  private callUnraised(callee: AnyValue, call: AnyCall): AnyValue {
    const clear = this.unraised();
    if (clear.known === 0) throw new PathCaught();
    return this.branch(
      clear,
      () => {
        if (clear.known === undefined) this.resetRaised();
        return this.call(callee, call);
      },
      () => {
        throw new PathCaught();
      },
      call.position,
    );
  }

  private resetRaised(): void {
    for (const level of this.handlers) for (const { raised } of level) this.write(raised, bool(false));
  }

  /**
   * What is only printed or put into a message: the text is not made, but what it is made from is evaluated, since that
   * may raise or change something.
   */
  private evaluateText(node: Expression, scope: Scope): AnyValue {
    const isText = (e: Expression): boolean => e.kind === 'String' || e.kind === 'JoinedString';
    const shown = (parts: readonly Expression[], make: (values: readonly Value[]) => AnyValue): AnyValue => {
      const values = parts.map((part) => this.evaluateText(part, scope));
      if (parts.some((part) => this.lasting.mentions(part, scope))) return TEXT;
      return this.eachOf(values, make, node);
    };
    if (node.kind === 'Starred') {
      this.iterateAny(this.evaluate(node.value, scope), node);
      return TEXT;
    }
    if (node.kind === 'Tuple') {
      for (const element of node.elements) this.evaluateText(element, scope);
      return TEXT;
    }
    if (node.kind === 'JoinedString' && !this.lasting.mentions(node, scope))
      return shown(node.values, (values) => joinedText(node, values, droppedText));
    if (node.kind === 'Binary' && node.operator === '+' && (isText(node.left) || isText(node.right)))
      return shown([node.left, node.right], ([a, b]) => this.binary('+', a, b, node));
    if (node.kind === 'Binary' && node.operator === '%' && node.left.kind === 'String') {
      const { left, right } = node;
      return shown(right.kind === 'Tuple' ? right.elements : [right], (values) =>
        percentText(this, string(left.value), right.kind === 'Tuple' ? tuple(values) : values[0], node, droppedText),
      );
    }
    if (node.kind === 'Call' && node.callee.kind === 'Attribute' && node.callee.name === 'format') {
      const { callee, args, keywords } = node;
      const isPlain = args.every((arg) => arg.kind !== 'Starred') && keywords.every(({ name }) => name !== null);
      const template = callee.value;
      if (template.kind === 'String' && isPlain) {
        return shown([...args, ...keywords.map(({ value }) => value)], (values) => {
          const named = new Map(keywords.map(({ name }, k) => [name!, values[args.length + k]]));
          const call = { args: values.slice(0, args.length), keywords: named, position: node };
          return formatMethod(template.value, call, droppedText);
        });
      }
    }
    if (!this.lasting.mentions(node, scope)) return this.evaluateAny(node, scope);
    this.lasting.text(node, scope);
    return TEXT;
  }

  /** `any`/`all` over a generator stop at the first decided element: later ones may raise and must not. */
  private shortCircuit(name: 'any' | 'all', node: ExpressionOf<'Call'>, scope: Scope): Value | null {
    const argument = node.args[0];
    if (node.args.length !== 1 || node.keywords.length > 0) return null;
    if (argument.kind !== 'GeneratorExp' || argument.generators.length !== 1) return null;
    const [generator] = argument.generators;
    if (generator.isAsync) return null;
    const iterable = this.evaluate(generator.iterable, scope);
    const goesOn = name === 'all';
    const state = this.cell(bool(false));
    const decide = (item: AnyValue): void => {
      const inner = this.comprehensionScope(argument.generators, scope);
      const decided = this.branch(
        state.value as Scalar,
        () => bool(true),
        () => {
          this.assign(generator.target, item, inner);
          let applies: Scalar = bool(true);
          for (const c of generator.conditions) {
            applies = this.branch(
              applies,
              () => this.truthOf(this.evaluateAny(c, inner), c),
              () => bool(false),
              c,
            );
          }
          return this.branch(
            applies,
            () => {
              const truth = this.truthOf(this.evaluateAny(argument.element, inner), argument);
              return goesOn ? this.ops.not(truth) : truth;
            },
            () => bool(false),
            argument,
          );
        },
        argument,
      );
      this.write(state, decided);
    };
    if (!this.rollOver(iterable, [state], decide, argument)) {
      for (const item of this.iterateAny(iterable, argument)) {
        if ((state.value as Scalar).known === 1) break;
        decide(item);
      }
    }
    const decided = state.value as Scalar;
    return goesOn ? this.ops.not(decided) : decided;
  }

  /**
   * The variables of a comprehension; those of its loop `k` and the loops inside it are new ones, those of the loops around
   * it are the ones in `outer`.
   */
  private comprehensionScope(
    generators: readonly Comprehension[],
    parent: Scope,
    outer: ReadonlyMap<string, Cell> = new Map(),
    k = 0,
  ): Scope {
    const cells = new Map(outer);
    for (const { target } of generators.slice(k)) {
      for (const name of namesInTarget(target)) {
        const isOuter = generators.slice(0, k).some((g) => namesInTarget(g.target).includes(name));
        if (!isOuter) cells.set(name, this.cell(undefined));
      }
    }
    return { kind: 'comprehension', parent, cells, names: namesOfComprehension(generators) };
  }

  /** A filter that depends on x gives elements that are there on some lanes only. */
  private comprehension(
    node: ExpressionOf<'ListComp'> | ExpressionOf<'GeneratorExp'>,
    scope: Scope,
    isConsumed = false,
  ): Value {
    const [{ target, iterable, isAsync }] = node.generators;
    if (isAsync) throw new Unsupported('async comprehensions', target);
    const outermost = this.evaluate(iterable, scope);
    const rolled = this.rolledComprehension(node, outermost, scope, node.kind === 'GeneratorExp' || isConsumed);
    return rolled ?? this.unrolledComprehension(node, outermost, scope);
  }

  private unrolledComprehension(
    node: ExpressionOf<'ListComp'> | ExpressionOf<'GeneratorExp'>,
    outermost: Value,
    scope: Scope,
  ): Value {
    const isGenerator = node.kind === 'GeneratorExp';
    const collect = (items: readonly AnyValue[], hasEffects: boolean): Value =>
      isGenerator ? this.iterator('generator', items, this.watch(node, scope), hasEffects) : this.list(items);
    const before = this.effects;
    const items: { value: AnyValue; present: Scalar }[] = [];
    // What is there on some lanes only is computed on them alone.
    const where = (present: Scalar, make: () => AnyValue, at: Position): AnyValue => {
      if (present.known === 1) return make();
      const held = this.cell(undefined);
      this.branch(
        present,
        () => {
          this.write(held, make());
          return NONE;
        },
        () => NONE,
        at,
      );
      const merged = held.value;
      if (merged === undefined) return NONE;
      return merged.tag === 'maybe' ? merged.value : merged;
    };
    const level = (k: number, inner: Scope, outer: Scalar): void => {
      if (k === node.generators.length) {
        items.push({ value: where(outer, () => this.evaluateAny(node.element, inner), node), present: outer });
        return;
      }
      const { target, iterable, conditions, isAsync } = node.generators[k];
      if (isAsync) throw new Unsupported('async comprehensions', target);
      const evaluateSource = (): Value => {
        const made = this.evaluate(iterable, inner);
        const isPlainSequence = outer.known === 1 || ['list', 'tuple', 'ndarray'].includes(made.tag);
        return isPlainSequence ? made : tuple(this.iterate(made, iterable));
      };
      const source = k === 0 ? outermost : this.plain(where(outer, evaluateSource, iterable), iterable);
      // Chosen by x itself, or of a length that is known.
      const list = source.tag === 'masked' ? filteredOf(this, source) : source;
      const isChosen = list.tag === 'filtered' && !list.isGenerator;
      const members = isChosen
        ? list.items
        : this.iterateAny(list, iterable).map((value) => ({ value, present: bool(true) }));
      for (const member of members) {
        this.step(target);
        this.assign(target, member.value, inner);
        let present = this.ops.and(outer, member.present);
        for (const condition of conditions) {
          present = this.branch(
            present,
            () => this.truthOf(this.evaluateAny(condition, inner), condition),
            () => bool(false),
            condition,
          );
        }
        if (present.known !== 0) level(k + 1, inner, present);
      }
    };
    level(0, this.comprehensionScope(node.generators, scope), bool(true));
    if (items.some((item) => item.present.known === undefined)) return { tag: 'filtered', isGenerator, items };
    return collect(
      items.map((item) => item.value),
      this.effects !== before,
    );
  }

  /**
   * A large comprehension whose items are asked for where they are used (a generator, or the argument of a function that
   * consumes it at once), or a large list; null where it is small or cannot be rolled.
   */
  private rolledComprehension(
    node: ExpressionOf<'ListComp'> | ExpressionOf<'GeneratorExp'>,
    outermost: Value,
    scope: Scope,
    isConsumed: boolean,
  ): Value | null {
    if (this.roll === 'never' || this.loading) return null;
    const [first] = node.generators;
    if (node.generators.some((g) => g.isAsync)) return null;
    const source = this.bulk.elementsOf(outermost, first.iterable);
    if (source === null || (outermost.tag === 'iterator' && outermost.used)) return null;
    const isSymbolic = source.count.terms.length > 0;
    if (!isSymbolic && !this.bulk.isLarge(source.count.offset * (node.generators.length > 1 ? 8 : 1))) return null;
    const evaluateItems = (): AnyValue[] => {
      if (isSymbolic) throw new RollFailure('the items of a comprehension', node);
      const items = this.unrolledComprehension(node, outermost, scope);
      if (items.tag === 'filtered') throw new Unsupported('a filter that depends on x here', node);
      return this.iterateAny(items, node);
    };
    // Each evaluation of a body has variables of its own, so that none is left from a trial.
    const innerOf = (outer: Scope | null, k: number): Scope =>
      this.comprehensionScope(node.generators, scope, outer?.cells, k);
    const element = (form: IndexForm): Value => {
      const inner = innerOf(null, 0);
      this.assign(first.target, source.at(form), inner);
      return this.evaluate(node.element, inner);
    };
    const isPlain = node.generators.length === 1 && first.conditions.length === 0;
    if (!isConsumed) {
      if (!isPlain || isSymbolic) return null;
      return this.bulk.collect({ count: source.count, at: element }, node);
    }
    const level = (k: number, outer: Scope, body: (item: AnyValue) => void): void => {
      if (k === node.generators.length) {
        body(this.evaluateAny(node.element, outer));
        return;
      }
      const { target, iterable, conditions } = node.generators[k];
      const values = k === 0 ? source : this.bulk.elementsOf(this.evaluate(iterable, outer), iterable);
      if (values === null) throw new RollFailure('what a comprehension runs over', iterable);
      const filtered = (index: number, inner: Scope): void => {
        if (index === conditions.length) {
          level(k + 1, inner, body);
          return;
        }
        const truth = this.truthOf(this.evaluateAny(conditions[index], inner), conditions[index]);
        this.branch(
          truth,
          () => (filtered(index + 1, inner), NONE),
          () => NONE,
          conditions[index],
        );
      };
      this.counted.run(values.count, node, (form) => {
        this.step(node);
        const inner = innerOf(k === 0 ? null : outer, k);
        this.assign(target, values.at(form), inner);
        filtered(0, inner);
      });
    };
    const isSame = this.watch(node, scope);
    const traverse = (body: (item: AnyValue) => void): void => {
      if (!isSame()) throw new Unsupported('a generator whose source has changed', node);
      if (outermost.tag === 'iterator') this.useUp(outermost);
      level(0, scope, body);
    };
    const elements = isPlain ? { count: source.count, at: element } : undefined;
    const common = { tag: 'iterator' as const, name: 'generator', frozen: false, used: false };
    return Object.assign(
      lazyStream(evaluateItems, { isCurrent: isSame, hasEffects: true, elements, traverse }),
      common,
    );
  }

  /**
   * Gives every item of a large value to `body`, which keeps what it needs in `state`, in a rolled loop. False where that is
   * not possible; nothing has happened then.
   */
  rollOver(value: Value, state: readonly Cell[], body: (item: AnyValue) => void, position: Position): boolean {
    if (this.roll === 'never' || this.loading) return false;
    const isIterator = value.tag === 'iterator';
    if (isIterator && value.used) return false;
    const elements = this.bulk.elementsOf(value, position);
    const traverse = isIterator ? value.traverse : undefined;
    if (traverse === undefined) {
      if (elements === null) return false;
      if (elements.count.terms.length === 0 && !this.bulk.isLarge(elements.count.offset)) return false;
    }
    const done = this.attempt(() => {
      this.counted.withState(state, () => {
        if (traverse !== undefined) traverse(body);
        else if (elements !== null) this.counted.run(elements.count, position, (form) => body(elements.at(form)));
      });
    });
    if (done && isIterator) this.useUp(value);
    return done;
  }

  private isCuredOutside({ cure }: RollFailure): boolean {
    if (cure === undefined) return false;
    return cure.index === undefined ? this.builder.isInFor : this.builder.isOpenIndex(cure.index);
  }

  /** Builds what `run` builds, or nothing at all, and gives false, where that cannot be rolled. */
  attempt(run: () => void): boolean {
    const journal = this.openJournal();
    const region = this.builder.openRegion();
    const close = (): Effects => {
      const effects = this.rollBack(journal);
      this.builder.closeRegion(region);
      return effects;
    };
    try {
      run();
    } catch (error) {
      const effects = close();
      if (error instanceof PathRaises || error instanceof PathCaught) {
        this.builder.splice(region);
        this.apply(effects);
        throw error;
      }
      if (error instanceof RollFailure && !this.isCuredOutside(error)) return false;
      if (error instanceof Unsupported && error.kind === 'unsupported') return false;
      throw error;
    }
    const effects = close();
    this.builder.splice(region);
    this.apply(effects);
    this.hasRolled = true;
    return true;
  }

  private comprehend(
    generators: readonly Comprehension[],
    outermost: Value,
    scope: Scope,
    element: (inner: Scope) => AnyValue,
  ): AnyValue[] {
    const items: AnyValue[] = [];
    const inner = this.comprehensionScope(generators, scope);
    const run = (level: number): void => {
      if (level === generators.length) {
        items.push(element(inner));
        return;
      }
      const { target, iterable, conditions, isAsync } = generators[level];
      if (isAsync) throw new Unsupported('async comprehensions', target);
      const values = level === 0 ? outermost : this.evaluate(iterable, inner);
      for (const item of this.iterateAny(values, iterable)) {
        this.step(target);
        // Each iteration binds afresh, so that branches never see another iteration's variable.
        this.assign(target, item, inner);
        let keep = true;
        for (const condition of conditions) {
          const truth = this.truthOf(this.evaluateAny(condition, inner), condition);
          if (truth.known === undefined) {
            throw new Unsupported('a nested comprehension with a filter that depends on x', condition);
          }
          if (truth.known === 0) {
            keep = false;
            break;
          }
        }
        if (keep) run(level + 1);
      }
    };
    run(0);
    return items;
  }

  // ---- sequences ----

  /** Items that are consumed one by one while the program goes on. */
  stream(value: Value, position: Position): Stream {
    if (value.tag === 'iterator') {
      if (value.used)
        throw new Unsupported(`${value.name === 'iterator' ? 'an' : 'a'} ${value.name} that is used twice`, position);
      if (value.frozen && !this.loading) throw impure(position);
      this.useUp(value);
      return value;
    }
    if (value.tag === 'instance') {
      const method = classMember(value.cls, '__iter__');
      if (method === undefined) throw new Unsupported(`iterating over ${typeName(value)}`, position);
      const made = this.called(method, { args: [value], keywords: new Map(), position });
      if (made.tag !== 'iterator') throw new Unsupported(`iterating over ${typeName(value)}`, position);
      return this.stream(made, position);
    }
    const elements = this.roll === 'never' ? undefined : (this.bulk.elementsOf(value, position) ?? undefined);
    if (elements !== undefined && (value.tag === 'tuple' ? value.range !== undefined : 'bulk' in value)) {
      const isCurrent = value.tag === 'tuple' ? (): boolean => true : this.watchElements();
      return lazyStream(() => this.iterateAny(value, position), { isCurrent, hasEffects: false, elements });
    }
    const items = this.iterateAny(value, position);
    if (value.tag === 'tuple' && value.isCurrent !== undefined) {
      return { items, isCurrent: value.isCurrent, hasEffects: false, elements };
    }
    if (value.tag === 'dict') {
      const { isCurrent } = this.viewOf(value, (e) => e.key, position);
      const isSameSize = (): boolean => isCurrent?.(items.length) !== false;
      return { items, isCurrent: isSameSize, hasEffects: false, elements };
    }
    if (value.tag !== 'list' && (value.tag !== 'ndarray' || value.shape.length !== 1)) {
      return { items, isCurrent: () => true, hasEffects: false, elements };
    }
    const before = value.cells.map((cell) => cell.value);
    const isCurrent = (k: number): boolean =>
      value.cells.length === before.length && (k === before.length || value.cells[k].value === before[k]);
    return { items, isCurrent, hasEffects: false, elements };
  }

  iterator(
    name: string,
    items: readonly AnyValue[],
    isCurrent: (k: number) => boolean,
    hasEffects: boolean,
  ): IteratorValue {
    this.step(this.ops.here, items.length);
    return { tag: 'iterator', name, items, isCurrent, hasEffects, frozen: this.loading, used: false };
  }

  /** What gives items made of the items of other streams. */
  combine(
    name: string,
    streams: readonly Stream[],
    count: (lengths: readonly number[]) => number,
    make: (items: readonly AnyValue[], position: Scalar) => AnyValue,
    source?: (k: number, count: number) => number,
  ): IteratorValue {
    const sourceOf = source ?? ((k: number): number => k);
    const isCurrent = (k: number): boolean =>
      streams.every((s) => {
        if (source === undefined) return s.isCurrent(k);
        const n = s.items.length;
        return s.isCurrent(k < n ? source(k, n) : n);
      });
    const hasEffects = streams.some((s) => s.hasEffects);
    const items = (): AnyValue[] => {
      const n = count(streams.map((s) => s.items.length));
      this.step({ line: this.ops.line, column: 1 }, n);
      return Array.from({ length: n }, (_, k) =>
        make(
          streams.map((s) => s.items[sourceOf(k, n)]),
          int(k),
        ),
      );
    };
    const all = streams.map((s) => s.elements);
    const common = { tag: 'iterator' as const, name, frozen: this.loading, used: false };
    if (all.length === 0 || !all.every((e): e is Elements => e !== undefined && e.count.terms.length === 0)) {
      return { ...common, items: items(), isCurrent, hasEffects };
    }
    const n = count(all.map((e) => e.count.offset));
    const scale = sourceOf(1, n) - sourceOf(0, n);
    const at = (form: IndexForm): Value => {
      const from = addForms(scaleForm(form, scale), constantForm(sourceOf(0, n)));
      const item = make(
        all.map((e) => e.at(from)),
        this.ops.formScalar('int', form),
      );
      return this.plain(item, this.ops.here);
    };
    return Object.assign(
      lazyStream(items, { isCurrent, hasEffects, elements: { count: constantForm(n), at } }),
      common,
    );
  }

  /** Tells whether what an expression has read is unchanged since this call. */
  private watch(node: Expression, scope: Scope): () => boolean {
    const { writes, elementWrites } = this;
    const read: { cell: Cell; value: Held | undefined }[] = [];
    for (const name of namesIn(node)) {
      const cell = this.find(name, scope);
      if (cell !== undefined) read.push({ cell, value: cell.value });
    }
    // A function reads variables of its own.
    if (read.some(({ value }) => value?.tag === 'function' && value.closure !== this.moduleScope)) {
      return () => this.writes === writes && this.elementWrites === elementWrites;
    }
    const readsElements = read.some(({ value }) => value !== undefined && !isPlain(value));
    return () =>
      read.every(({ cell, value }) => cell.value === value) && (!readsElements || this.elementWrites === elementWrites);
  }

  /** Tells whether all that calls of a function depend on, besides their arguments, is unchanged since this call. */
  watchFunction(fn: Value): () => boolean {
    if (fn.tag !== 'function' || fn.closure === this.moduleScope) return () => true;
    const { writes, elementWrites } = this;
    return () => this.writes === writes && this.elementWrites === elementWrites;
  }

  /** What `keys()`, `values()`, `items()` and running over a dict itself give: it holds while the dict is unchanged. */
  viewOf(dict: DictValue, item: (entry: DictEntry) => Value, position: Position): TupleValue {
    const entries = [...dict.entries.values()];
    this.step(position, entries.length);
    const values = entries.map((e) => e.cell.value);
    const isSameSize = (): boolean => {
      const now = [...dict.entries.values()];
      return now.length === entries.length && entries.every((e, k) => e === now[k]);
    };
    const isCurrent = (k: number): boolean =>
      isSameSize() && (k === entries.length || entries[k].cell.value === values[k]);
    return { ...tuple(entries.map(item)), isCurrent };
  }

  /** The items of anything iterable whose length is static, to be looked into. */
  iterate(value: Value, position: Position): Value[] {
    return this.iterateAny(value, position).map((item) => this.plain(item, position));
  }

  /** The same, to be handed on. */
  iterateAny(value: Value, position: Position): AnyValue[] {
    switch (value.tag) {
      case 'instance':
      case 'iterator': {
        const { items, isCurrent } = this.stream(value, position);
        for (let k = 0; k <= items.length; k++) {
          if (!isCurrent(k)) throw new Unsupported(`${typeName(value)} whose source has changed`, position);
        }
        return [...items];
      }
      case 'list':
        this.step(position, value.cells.length);
        return value.cells.map((cell) => this.readAny(cell, position));
      case 'tuple':
        this.step(position, value.items.length);
        for (let k = 0; value.isCurrent !== undefined && k <= value.items.length; k++) {
          if (!value.isCurrent(k)) throw new Unsupported('a view of a dict that has changed since', position);
        }
        return [...value.items];
      case 'ndarray':
        return this.arrays.rows(value, position);
      case 'complexarray': {
        const imaginary = this.arrays.rows(value.im, position);
        return this.arrays.rows(value.re, position).map((re, k) => this.complex.combine(re, imaginary[k]));
      }
      case 'complex':
        this.ops.locate(position);
        return this.ops.raise(LaneStatus.Raised, 'TypeError');
      case 'dict':
        this.step(position, value.entries.size);
        return [...value.entries.values()].map((e) => e.key);
      case 'string':
        this.step(position, value.value.length);
        return [...value.value].map(string);
      case 'set':
        // Sorted numbers are the same in any order; nothing else is.
        throw new Unsupported(
          "iterating over a set, whose order is CPython's own (sorted(...) has an order)",
          position,
        );
      case 'scalar':
      case 'none':
      case 'function':
        // Not iterable.
        this.ops.locate(position);
        return this.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        throw new Unsupported(`iterating over ${typeName(value)}`, position);
    }
  }

  readCell(cell: Cell, position: Position): Value {
    return this.plain(this.readAny(cell, position), position);
  }

  readAny(cell: Cell, position: Position): AnyValue {
    const value = cell.value;
    if (value === undefined) throw new Error('an element cell is always bound');
    if (value.tag === 'maybe') {
      // Elements are always there, attributes are not.
      this.ops.check(this.ops.not(value.bound), LaneStatus.Raised, 'AttributeError');
      if (value.value.tag === 'opaque') throw new Unsupported(value.value.reason, position);
      return value.value;
    }
    if (value.tag === 'opaque') {
      this.lasting.read(value);
      throw new Unsupported(value.reason, position);
    }
    return value;
  }

  subscript(object: AnyValue, index: AnyValue, position: Position): Value {
    return this.plain(this.subscriptAny(object, index, position), position);
  }

  subscriptAny(owner: AnyValue, at: AnyValue, position: Position): AnyValue {
    if (owner.tag === 'choice' || at.tag === 'choice')
      return this.eachOf([owner, at], ([object, index]) => this.subscriptAny(object, index, position), position);
    const object = this.plain(owner, position);
    const index = this.plain(at, position);
    if (object.tag === 'complexarray') {
      return this.complex.combine(
        this.subscript(object.re, index, position),
        this.subscript(object.im, index, position),
      );
    }
    if (index.tag === 'scalar' && index.at !== undefined) {
      const element = this.elementAt(object, index.at, position);
      if (element !== null) return element;
    }
    switch (object.tag) {
      case 'list':
      case 'tuple': {
        if (object.tag === 'list' && object.bulk !== undefined && index.tag === 'scalar' && index.known !== undefined) {
          const k = this.staticIndex(index, this.bulk.lengthOf(object), position);
          return this.bulk.listElement(object, constantForm(k), position);
        }
        if (object.tag === 'list' && object.bulk !== undefined && index.tag === 'slice') {
          return this.bulk.slice(object, index, position);
        }
        const items = object.tag === 'list' ? object.cells : object.items;
        if (index.tag === 'slice') {
          const positions = sliceIndices(index, items.length, position);
          this.step(position, positions.length);
          const values = positions.map((k) =>
            object.tag === 'list' ? this.readAny(object.cells[k], position) : object.items[k],
          );
          return object.tag === 'list' ? this.list(values) : tuple(values);
        }
        if (index.tag !== 'scalar') throw new Unsupported(`a list index of type ${typeName(index)}`, position);
        if (index.known === undefined) return this.gather(object, index, position);
        const k = this.staticIndex(index, items.length, position);
        return object.tag === 'list' ? this.readAny(object.cells[k], position) : object.items[k];
      }
      case 'ndarray':
        return this.arrays.subscript(object, index, position);
      case 'masked':
        return maskedItem(this, object, index, position);
      case 'filtered':
        return this.filteredItem(object, index, position);
      case 'dict': {
        if (isOpenKey(index)) return this.chooseEntry(object, index, position);
        const entry = object.entries.get(dictKey(index, position));
        if (entry === undefined && object.factory !== undefined) {
          const made = this.call(object.factory, { args: [], keywords: new Map(), position });
          this.storeItem(object, index, made, position);
          return made;
        }
        if (entry === undefined) return this.ops.raise(LaneStatus.Raised, 'KeyError');
        return this.readAny(entry.cell, position);
      }
      case 'string': {
        if (index.tag === 'scalar' && index.known !== undefined) {
          this.step(position, object.value.length);
          const characters = [...object.value];
          return string(characters[this.staticIndex(index, characters.length, position)]);
        }
        if (index.tag === 'slice') {
          const characters = [...object.value];
          return string(
            sliceIndices(index, characters.length, position)
              .map((k) => characters[k])
              .join(''),
          );
        }
        throw new Unsupported('a character of text chosen by x', position);
      }
      case 'instance': {
        const method = classMember(object.cls, '__getitem__');
        if (method !== undefined) return this.call(method, { args: [object, index], keywords: new Map(), position });
        throw new Unsupported(`indexing ${typeName(object)}`, position);
      }
      case 'scalar':
        return this.scalarItem(object, index, position);
      case 'none':
      case 'function':
        return this.ops.raise(LaneStatus.Raised, 'TypeError');
      default:
        // np.s_[...]
        if (object.tag === 'module' && object.path === 'numpy.s_') return index;
        throw new Unsupported(`indexing ${typeName(object)}`, position);
    }
  }

  /** Python's numbers have no items, NumPy's only what an array without axes has. */
  private scalarItem(value: Scalar, index: Value, position: Position): AnyValue {
    const kinds = this.ops.possibleKinds(value);
    if (!kinds.some(isNumPyKind)) return this.ops.raise(LaneStatus.Raised, 'TypeError');
    if (!kinds.every(isNumPyKind)) throw new Unsupported(`indexing ${typeName(value)}`, position);
    if (index.tag === 'tuple' && index.items.length === 0) return value;
    const isBool = index.tag === 'scalar' && isBoolKind(index.kind);
    if ((index.tag === 'scalar' && !isBool) || index.tag === 'slice' || index.tag === 'string')
      return this.ops.raise(LaneStatus.IndexRange);
    if (index.tag !== 'none') throw new Unsupported(`indexing ${typeName(value)}`, position);
    return this.arrays.subscript(this.arrays.toArray(value, position), index, position);
  }

  /** An item of a list that a filter on x has left some items of: the first or the last. */
  private filteredItem(list: FilteredValue, index: Value, position: Position): AnyValue {
    const isEnd = index.tag === 'scalar' && (index.known === 0 || index.known === -1) && isIntKind(index.kind);
    if (list.isGenerator || !isEnd)
      throw new Unsupported('an item of a list filtered by x other than the first and the last', position);
    const order = index.known === 0 ? list.items : [...list.items].reverse();
    const none = order.reduce<Scalar>((all, { present }) => this.ops.and(all, this.ops.not(present)), bool(true));
    this.ops.check(none, LaneStatus.IndexRange);
    const last = order.at(-1);
    if (last === undefined) return this.ops.raise(LaneStatus.IndexRange);
    return order.slice(0, -1).reduceRight<AnyValue>(
      (rest, { value, present }) =>
        this.branch(
          present,
          () => value,
          () => rest,
          position,
        ),
      last.value,
    );
  }

  /** An element by an index that depends on those of rolled loops; null where the index is no position. */
  private elementAt(object: Value, index: IndexForm, position: Position): AnyValue | null {
    switch (object.tag) {
      case 'list':
        return this.bulk.listElement(object, this.bulk.within(index, this.bulk.lengthOf(object), position), position);
      case 'tuple': {
        if (object.range !== undefined && object.range.count.terms.length === 0) {
          return object.range.at(this.bulk.within(index, object.range.count.offset, position));
        }
        return this.bulk.pick(
          object.items.map((item) => this.plain(item, position)),
          this.bulk.within(index, object.items.length, position),
          position,
        );
      }
      case 'ndarray':
        if (object.shape.length === 0) return null;
        return this.arrays.rowAt(object, this.bulk.within(index, object.shape[0], position), position);
      default:
        return null;
    }
  }

  /** The value of a dict under a key that depends on x: the known keys one by one. */
  private chooseEntry(dict: DictValue, key: Value, position: Position): AnyValue {
    const missing = this.ops.not(this.hasKey(dict, key, position));
    // A factory adds the key.
    if (dict.factory === undefined) this.ops.check(missing, LaneStatus.Raised, 'KeyError');
    else this.ops.check(missing, LaneStatus.Untranslated);
    const entries = [...dict.entries.values()].flatMap(({ key: other, cell }) => {
      const equal = this.isKey(key, other, position);
      return equal.known === 0 ? [] : [{ equal, cell }];
    });
    const last = entries.pop();
    if (last === undefined) return this.ops.raise(LaneStatus.Raised, 'KeyError');
    return entries.reduceRight<AnyValue>(
      (rest, { equal, cell }) =>
        this.branch(
          equal,
          () => this.readAny(cell, position),
          () => rest,
          position,
        ),
      this.readAny(last.cell, position),
    );
  }

  /** A store under a key that depends on x: to an entry that is there; where there is none, CPython adds it. */
  private storeAtChosenKey(dict: DictValue, key: Value, value: AnyValue, position: Position): void {
    this.ops.check(this.ops.not(this.hasKey(dict, key, position)), LaneStatus.Untranslated);
    for (const { key: other, cell } of [...dict.entries.values()]) {
      this.branch(
        this.isKey(key, other, position),
        () => (this.store(cell, dict.frozen, value, position), NONE),
        () => NONE,
        position,
      );
    }
  }

  /** An element chosen by a number that depends on x: a chain of selects. */
  private gather(object: ListValue | TupleValue, index: Scalar, position: Position): AnyValue {
    const items = this.iterateAny(object, position);
    return this.gatherFrom(items, index, position);
  }

  gatherFrom(items: readonly AnyValue[], index: Scalar, position: Position, noIndex: NoIndex = 'TypeError'): AnyValue {
    const chosen = this.chosenIndex(index, items.length, position, noIndex);
    return items.reduceRight((rest, item, k) => {
      const isIt = this.ops.compare('==', chosen, int(k));
      if (item.tag === 'scalar' && rest.tag === 'scalar') return this.ops.select(isIt, item, rest);
      return this.branch(
        isIt,
        () => item,
        () => rest,
        position,
      );
    });
  }

  /** A store at a position that depends on x: `store` is asked for every position, each for the lanes that mean it. */
  storeAtChosen(
    index: Scalar,
    length: number,
    store: (k: number) => void,
    position: Position,
    noIndex: NoIndex = 'TypeError',
  ): void {
    const chosen = this.chosenIndex(index, length, position, noIndex);
    for (let k = 0; k < length; k++) {
      this.branch(
        this.ops.compare('==', chosen, int(k)),
        () => {
          store(k);
          return NONE;
        },
        () => NONE,
        position,
      );
    }
  }

  /** An index that depends on x as a position from 0 to `length` - 1; out of range raises IndexError. */
  private chosenIndex(index: Scalar, length: number, position: Position, noIndex: NoIndex = 'TypeError'): Scalar {
    // Where the index is known in each iteration, an unrolled loop needs no choice.
    if (isIndexed(index)) throw new RollFailure('an element by the index of a loop', position, cureOf(index));
    if (index.kind === 'float' || index.kind === 'npfloat') return this.ops.refuseIndex(index, noIndex);
    if (index.kind === 'npbool') throw new Unsupported("NumPy's truth value as an index", position);
    if (length === 0) return this.ops.raise(LaneStatus.IndexRange);
    this.step(position, length);
    const negative = this.ops.compare('<', index, int(0));
    const chosen = this.ops.select(negative, this.ops.binary('+', index, int(length), position), index);
    const outside = this.ops.or(this.ops.compare('<', chosen, int(0)), this.ops.compare('>=', chosen, int(length)));
    this.ops.check(outside, LaneStatus.IndexRange);
    return chosen;
  }

  /** A position in a sequence of `length`, from an index known at compile time; out of range raises IndexError. */
  staticIndex(index: Scalar, length: number, position: Position, noIndex: NoIndex = 'TypeError'): number {
    this.ops.locate(position);
    if (index.known === undefined)
      throw new Unsupported('a position that depends on x where it must be known', position);
    if (index.kind === 'float' || index.kind === 'npfloat') this.ops.raise(LaneStatus.Raised, noIndex);
    if (index.kind === 'npbool') throw new Unsupported("NumPy's truth value as an index", position);
    const k = index.known < 0 ? index.known + length : index.known;
    if (k < 0 || k >= length) this.ops.raise(LaneStatus.IndexRange);
    return k;
  }

  staticInt(value: Value, position: Position, what: string): number {
    if (value.tag !== 'scalar') throw new Unsupported(`${what} of type ${typeName(value)}`, position);
    if (value.known === undefined) throw new Unsupported(`${what} that depends on x`, position);
    if (!Number.isInteger(value.known) || value.kind === 'float' || value.kind === 'npfloat') {
      this.ops.locate(position);
      this.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    if (value.kind === 'npbool') throw new Unsupported(`${what} of NumPy's truth values`, position);
    return value.known;
  }
}

/** What a number that is no whole one raises as an index: of a list, or of an array. */
export type NoIndex = 'TypeError' | 'IndexError';

function impure(position: Position): Unsupported {
  return new Unsupported(
    'this changes an object that lasts from call to call: what the objective returns would depend on earlier calls',
    position,
  );
}

/** Characters that tell a key from others. */
const MAX_KEY = 1 << 16;

export function dictKey(value: AnyValue, position: Position): string | number {
  if (value.tag === 'string') return `s${value.value}`;
  if (value.tag === 'none') return 'none';
  if (value.tag === 'scalar' && value.known !== undefined) return value.known + 0;
  if (value.tag === 'tuple') {
    const key = JSON.stringify(value.items.map((item) => dictKey(item, position)));
    // A tuple that holds another one twice, and so on, has few parts and many elements.
    if (key.length > MAX_KEY)
      throw new Unsupported('a key of a dict or set that has too many parts', position, 'limit');
    return key;
  }
  throw new Unsupported('a key of a dict or set that depends on x, or is none of number, text and tuple', position);
}

/** Whether which key it is depends on x. */
export const isOpenKey = (value: AnyValue): boolean =>
  value.tag === 'scalar' ? value.known === undefined : value.tag === 'tuple' && value.items.some(isOpenPart);
const isOpenPart = (value: AnyValue): boolean => value.tag === 'choice' || isOpenKey(value);

/** What is made in a branch on x and used behind it, where its parts cannot be merged. */
const lostValue = (value: Value, position: Position): OpaqueValue => ({
  tag: 'opaque',
  reason: `a ${typeName(value)} that is made on some lanes only, depending on x`,
  position,
});

/** More than that are not told apart. */
const MAX_ALTERNATIVES = 8;

const alternativesOf = (value: Value | ChoiceValue): readonly Alternative[] =>
  value.tag === 'choice' ? value.alternatives : [{ when: bool(true), value }];

/** One of some values, of which each is there where its `when` holds. */
function choiceOf(parts: readonly { readonly when: Scalar; readonly value: AnyValue }[], position: Position): AnyValue {
  const alternatives: Alternative[] = [];
  for (const { when, value } of parts) {
    if (when.known === 0) continue;
    if (value.tag === 'opaque') return value;
    if (value.tag === 'choice') throw new Error('alternatives are of one kind each');
    alternatives.push({ when, value });
  }
  if (alternatives.length === 1) return alternatives[0].value;
  if (alternatives.length <= MAX_ALTERNATIVES) return { tag: 'choice', alternatives };
  if (alternatives.every(({ value }) => isText(value))) return TEXT;
  return { tag: 'opaque', reason: `depending on x this is one of ${alternatives.length} kinds of values`, position };
}

const isText = (value: Value): boolean => value.tag === 'string' || value.tag === 'text';

/** Tuples of one type: neither ranges nor views of dicts, whose items are made when they are asked for. */
const areAlikeTuples = (p: TupleValue, q: TupleValue): boolean =>
  isPlainSequence(p) &&
  isPlainSequence(q) &&
  p.items.length === q.items.length &&
  p.fields?.typename === q.fields?.typename &&
  p.fields?.names.join() === q.fields?.names.join();

const isPlainSequence = (value: ListValue | TupleValue): boolean =>
  value.tag === 'list' || (value.range === undefined && value.isCurrent === undefined);

/** Of types whose values equal none of another of these types. */
const isOfPlainType = (value: Value): boolean =>
  ['scalar', 'complex', 'none', 'string', 'text', 'dict', 'set', 'function', 'module', 'class'].includes(value.tag) ||
  value.tag === 'list' ||
  (value.tag === 'tuple' && isPlainSequence(value));

/** What is one object as long as it is one value here. */
const IDENTIFIED: ReadonlySet<Value['tag']> = new Set<Value['tag']>([
  ...(['list', 'dict', 'set', 'ndarray', 'instance', 'function', 'class', 'module'] as const),
]);

/** Functions of modules: they have captured nothing of the program. */
const isLibraryName = (name: string): boolean =>
  !name.includes('.') || /^(math|cmath|numpy|scipy|operator|statistics)\.[\w.]+$/.test(name);

/** A variable that is real before the first iteration of a loop and complex after it. */
class BecomesComplex extends Unsupported {}

/** Stands for the value of a variable on lanes where it is not bound: any number will do. */
const UNBOUND: Scalar = known('float', 0);

/** What a place holds where `side` has run. */
function partnersOf<T>(table: Map<T, Map<T | null, T>>, place: T): Map<T | null, T> {
  const found = table.get(place);
  if (found !== undefined) return found;
  const created = new Map<T | null, T>();
  table.set(place, created);
  return created;
}

const sameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, k) => n === b[k]);

/** The same shape, and nested alike in memory where that shows. */
const sameLayout = (p: NdArray, q: NdArray): boolean =>
  sameShape(p.shape, q.shape) && (p.shape.length < 2 || sameShape(p.strides, q.strides));

const isSameNumber = (a: Scalar, b: Held): boolean =>
  b.tag === 'scalar' && a.kind === b.kind && a.known !== undefined && Object.is(a.known, b.known);

const isArray = (value: Value): value is NdArray | MaskedValue => value.tag === 'ndarray' || value.tag === 'masked';

/** Of equal types, also in being NumPy's on some lanes only. */
export const sameTemplates = (a: readonly Scalar[], b: readonly Scalar[]): boolean =>
  a.length === b.length &&
  a.every((s, k) => s.kind === b[k].kind && (s.id < 0 ? s.id : 0) === (b[k].id < 0 ? b[k].id : 0));

export const asMaybe = (value: Held): MaybeUnbound =>
  value.tag === 'maybe' ? value : { tag: 'maybe', value, bound: bool(true) };

/** The scalars of a structured value, in a fixed order. */
export function scalarsOf(value: Held, position: Position): Scalar[] {
  switch (value.tag) {
    case 'scalar':
      return [value];
    case 'maybe':
      return [...scalarsOf(value.value, position), value.bound];
    case 'complex':
      return [value.re, value.im];
    case 'complexarray':
      return [...scalarsOf(value.re, position), ...scalarsOf(value.im, position)];
    case 'tuple':
      return value.items.flatMap((item) => scalarsOf(item, position));
    case 'list':
    case 'ndarray':
      return (value as ListValue | NdArray).cells.flatMap((cell) => scalarsOf(cell.value as Held, position));
    case 'none':
      return [];
    default:
      throw new Unsupported(`${typeName(value)} changes in a loop that depends on x`, position);
  }
}

/** Positions that a slice selects, as Python's slice.indices. */
export function sliceIndices(
  slice: { lower: number | null; upper: number | null; step: number | null },
  length: number,
  position: Position,
): number[] {
  const step = slice.step ?? 1;
  if (step === 0) throw new Unsupported('a slice step of zero', position);
  const clamp = (value: number, low: number, high: number): number => {
    const v = value < 0 ? value + length : value;
    return Math.min(Math.max(v, low), high);
  };
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  let k = slice.lower === null ? (step > 0 ? 0 : length - 1) : clamp(slice.lower, low, high);
  const end = slice.upper === null ? (step > 0 ? length : -1) : clamp(slice.upper, low, high);
  const indices: number[] = [];
  for (; step > 0 ? k < end : k > end; k += step) indices.push(k);
  return indices;
}

/** Whether calling it may change something: functions of the program, and methods of what can be changed. */
const mayChange = (callee: AnyValue): boolean =>
  callee.tag === 'choice' ||
  callee.tag === 'function' ||
  callee.tag === 'class' ||
  callee.tag === 'instance' ||
  (callee.tag === 'builtin' && callee.name.includes('.') && !/^(math|numpy)\./.test(callee.name));

/** Values that never change. */
const isPlain = (value: Held): boolean =>
  [
    ...['scalar', 'complex', 'string', 'text', 'none', 'ellipsis', 'module', 'type', 'builtin', 'function', 'slice'],
    'opaque',
  ].includes(value.tag);

const NAMES = new WeakMap<Expression, ReadonlySet<string>>();

/** All names that an expression mentions. */
function namesIn(node: Expression): ReadonlySet<string> {
  const found = NAMES.get(node);
  if (found !== undefined) return found;
  const names = new Set<string>();
  NAMES.set(node, names);
  const stack: unknown[] = [node];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    if ('kind' in item && item.kind === 'Name' && 'name' in item) names.add(item.name as string);
    stack.push(...Object.values(item));
  }
  return names;
}

const YIELDS = new WeakMap<readonly Statement[], boolean>();

/** Whether a function body has a `yield` of its own. */
function hasYield(body: readonly Statement[]): boolean {
  const found = YIELDS.get(body);
  if (found !== undefined) return found;
  let result = false;
  const stack: unknown[] = [...body];
  while (stack.length > 0 && !result) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    const { kind } = item as { kind?: unknown };
    if (kind === 'FunctionDef' || kind === 'ClassDef' || kind === 'Lambda') continue;
    result = kind === 'Yield' || kind === 'YieldFrom';
    stack.push(...Object.values(item));
  }
  YIELDS.set(body, result);
  return result;
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

/** Functions of libraries have further parameters than are written here. */
function requireFit({ name, parameters, defaults }: FunctionValue, { args, keywords, position }: AnyCall): void {
  const { positionalOnly, positional, keywordOnly, varArgs } = parameters;
  const places = [...positionalOnly, ...positional];
  const given = new Set(places.slice(0, args.length).map((p) => p.name));
  const all = [...places, ...keywordOnly].map((p) => p.name);
  const isStrange = [...keywords.keys()].some((key) => given.has(key) || !all.includes(key));
  const isMissing = all.some((p) => !given.has(p) && !keywords.has(p) && !defaults.has(p));
  if (isStrange || isMissing || (args.length > places.length && varArgs === null))
    throw new Unsupported(`${name}() with these arguments`, position);
}

/** The cells that can be reached through values; large lists and arrays have none. */
function cellsOf(values: readonly AnyValue[]): { readonly cells: readonly Cell[]; readonly isBulk: boolean } {
  const cells = new Set<Cell>();
  let isBulk = false;
  const stack: Held[] = [...values];
  while (stack.length > 0) {
    const held = stack.pop() as Held;
    const value = held.tag === 'maybe' ? held.value : held;
    if (value.tag === 'choice') stack.push(...value.alternatives.map((alternative) => alternative.value));
    if ((value.tag === 'list' || value.tag === 'ndarray') && value.bulk !== undefined) {
      isBulk = true;
      continue;
    }
    const inside =
      value.tag === 'list' || value.tag === 'ndarray'
        ? value.cells
        : value.tag === 'dict'
          ? [...value.entries.values()].map((entry) => entry.cell)
          : value.tag === 'instance'
            ? [...value.attributes.values()]
            : [];
    if (value.tag === 'tuple') stack.push(...value.items);
    if (value.tag === 'complexarray') stack.push(value.re, value.im);
    for (const cell of inside) {
      if (cells.has(cell)) continue;
      cells.add(cell);
      if (cell.value !== undefined) stack.push(cell.value);
    }
  }
  return { cells: [...cells], isBulk };
}

/** Whether a statement of the block, nested ones included, may leave it: `return`, or `break` out of a loop around it. */
function leavesBlock(statements: readonly Statement[], isInLoop = false): boolean {
  return statements.some((s) => {
    switch (s.kind) {
      case 'Return':
        return true;
      case 'Break':
      case 'Continue':
        return !isInLoop;
      case 'If':
        return leavesBlock(s.body, isInLoop) || leavesBlock(s.orElse, isInLoop);
      case 'For':
      case 'While':
        return leavesBlock(s.body, true) || leavesBlock(s.orElse, isInLoop);
      case 'With':
        return leavesBlock(s.body, isInLoop);
      case 'Try': {
        const blocks = [s.body, s.orElse, s.finalBody, ...s.handlers.map((h) => h.body)];
        return blocks.some((block) => leavesBlock(block, isInLoop));
      }
      default:
        return false;
    }
  });
}

const STAYS_IN_BRANCH: ReadonlySet<OpName> = new Set(['check', 'store', 'sqrt']);

/** Functions stay in their branch: they cost more than it does, and bounds of a logarithm need to know what was asked before it. */
function isSpliceable(region: OpenRegion): boolean {
  const isCheap = (node: IrNode): boolean =>
    node.kind === 'op' && !STAYS_IN_BRANCH.has(node.op) && OPS[node.op].kind !== 'math';
  return region.body.length <= SPLICE_NODES && region.body.every(isCheap);
}

/** Whether a display of values is unpacked into names of which one occurs twice. */
function swaps(target: Expression, value: Expression): boolean {
  if ((target.kind !== 'Tuple' && target.kind !== 'List') || (value.kind !== 'Tuple' && value.kind !== 'List'))
    return false;
  const names = target.elements.flatMap((element) => (element.kind === 'Name' ? [element.name] : []));
  return new Set(names).size < names.length;
}

/** Of a type of Python's own that no library extends. */
function isOfPython(value: Value): boolean {
  if (value.tag === 'scalar') return !isNumPyKind(value.kind);
  if (value.tag === 'tuple') return value.isCurrent === undefined && value.range === undefined;
  return ['string', 'text', 'none', 'list', 'dict', 'set'].includes(value.tag);
}
