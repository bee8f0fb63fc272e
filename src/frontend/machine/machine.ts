/**
 * The narrow interface through which library and arrays reach the evaluator: what they may ask, and nothing else.
 */
import type { IrBuilder } from '../../ir/builder.js';
import type { IndexForm } from '../../ir/types.js';
import type { BinaryOperator, ComparisonOperator, Position, Statement } from '../syntax/ast.js';
import type { ScalarOps } from '../values/scalars.js';
import type { Stream } from '../values/streams.js';
import type {
  AnyCall,
  AnyValue,
  Call,
  Cell,
  ClassValue,
  DictEntry,
  DictValue,
  Held,
  InstanceValue,
  IteratorValue,
  ListValue,
  MemoryPlace,
  Scalar,
  Scope,
  SetValue,
  TupleValue,
  Value,
} from '../values/values.js';
import type { KnownTexts } from './known-texts.js';
import type { MemoryRun } from './memory.js';

/**
 * Which loops with a static count stay rolled: those that would be large, all that can, or none. Only time and size
 * depend on it.
 */
export type Roll = 'auto' | 'always' | 'never';

/** A pass over the items of a value in a rolled loop. */
export interface Pass {
  /** Keeps what it needs in cells. */
  readonly body: (item: AnyValue) => void;
  /** Those of its cells that it only adds to, or multiplies: see `CountedLoop`. */
  readonly accumulators: readonly Cell[];
  /** Gets the first item in place of `body`, outside the loop: then their number must be known. */
  readonly first?: ((item: AnyValue) => void) | undefined;
}

/** The evaluator as library and arrays may use it. `run/evaluator.ts` puts it together. */
export interface Machine {
  readonly builder: IrBuilder;
  /** Operations on numbers. */
  readonly ops: ScalarOps;
  /** Minor version of the Python 3 whose semantics are kept. */
  readonly pythonMinor: number;
  /** While the module is loaded nothing depends on `x`. */
  readonly loading: boolean;
  readonly roll: Roll;
  /** Whether anything was built that unrolling would have built differently. */
  hasRolled: boolean;

  /** Work of the compilation. */
  readonly work: {
    /**
     * Counts work done at compile time, so that no source makes the compiler run long or use much memory. To be called
     * before `amount` elements are built: an array that is too large for the engine ends the process, not the thread.
     */
    step(position: Position, amount?: number): void;
    /** An array of `length` elements, counted before it is made. */
    array<T>(position: Position, length: number, element: (k: number) => T): T[];
  };

  /** Text that is known at compile time. */
  readonly knownTexts: KnownTexts;

  /** Places that are written. */
  readonly cells: {
    /** Appends in place where no journal needs the old cells. */
    append(list: ListValue, value: AnyValue, position: Position): void;
    /** No element has been written since the module was loaded. */
    readonly areElementsAsLoaded: boolean;
    cell(value: Held | undefined): Cell;
    dict(entries: readonly (readonly [Value, AnyValue])[], position: Position): DictValue;
    /** What tells a key of a dict or set from others. */
    key(value: AnyValue, position: Position): string | number;
    instance(cls: ClassValue): InstanceValue;
    /** Within a loop whose body is followed once for all its rounds. */
    readonly isInLoop: boolean;
    /** Whether a variable holds the same in every round of such loops, and is no state. */
    isSettled(cell: Cell): boolean;
    /** Whether what was made then is no older than the branch or loop being evaluated. */
    isNew(born: number): boolean;
    list(values: readonly AnyValue[]): ListValue;
    /** Whether the contents of a container may be changed here, so that no branch has to undo it. */
    mayRestructure(container: { readonly born: number; readonly frozen: boolean }): boolean;
    /** On the clock by which journals know what is older than they are. */
    readonly now: number;
    readAny(cell: Cell, position: Position): AnyValue;
    readCell(cell: Cell, position: Position): Value;
    /** Replaces a list's cells: append, pop, insert ... */
    restructure(list: ListValue, cells: Cell[], position: Position): void;
    set(items: readonly Value[], position: Position, isFrozenSet?: boolean): SetValue;
    store(cell: Cell, frozen: boolean, value: AnyValue, position: Position): void;
    /** Items can be asked for once. */
    useUp(iterator: IteratorValue): void;
    /** Tells whether no element of a container has been written since this call. */
    watchElements(): () => boolean;
    /** Tells `note` of each variable, element and attribute that `run` reads, arrays as a whole left out. */
    watchReads<T>(note: (cell: Cell) => void, run: () => T): T;
    /** Runs `make` and tells whether it had effects. */
    withEffects<T>(make: () => T): { readonly result: T; readonly hasEffects: boolean };
    write(cell: Cell, value: Held): void;
  };

  /** Branches on x. */
  readonly branches: {
    /** Builds what `run` builds, or nothing at all, and gives false, where that cannot be rolled. */
    attempt(run: () => void): boolean;
    /**
     * Evaluates `then` where `condition` holds and `otherwise` elsewhere, and merges values and effects. A condition
     * known at compile time runs one side only.
     */
    branch(condition: Scalar, then: () => Scalar, otherwise: () => Scalar, position: Position): Scalar;
    branch(condition: Scalar, then: () => AnyValue, otherwise: () => AnyValue, position: Position): AnyValue;
  };

  /** Values of several kinds. */
  readonly choices: {
    /** The same of several values, each combination on its lanes. */
    eachOf(values: readonly AnyValue[], use: (plain: readonly Value[]) => AnyValue, position: Position): AnyValue;
    /** @throws {Unsupported} where a value is of several kinds, or must not be looked into. */
    plain(value: Held, position: Position): Value;
  };

  /** Exits and exceptions. */
  readonly exits: {
    /** Whether the program itself may catch what is raised here. */
    readonly isInTry: boolean;
    /** Runs an effect on lanes where nothing was raised that the program catches. */
    guarded(effect: () => void, position: Position): void;
  };

  /** Elements that rolled loops store. */
  readonly memory: {
    /** A cell for a place: what it holds is loaded when it is read. */
    cellAt(place: MemoryPlace): Cell;
    load({ array, kind, at }: MemoryPlace): Scalar;
    placeIn(run: MemoryRun, position: IndexForm): MemoryPlace;
    /** Where cells lie; undefined where they are not in memory, or not at equal distances. */
    runOf(cells: readonly Cell[]): MemoryRun | undefined;
  };

  /** Statements. */
  readonly statements: {
    execute(node: Statement, scope: Scope): void;
  };

  /** Loops over large values. */
  readonly rolling: {
    /**
     * Gives every item of a large value to `body`, in a rolled loop. False where that is not possible: nothing has
     * happened then.
     */
    rollOver(value: Value, pass: Pass, position: Position): boolean;
  };

  /** Variables behind attributes. */
  readonly assignment: {
    /** The variable behind an attribute, also of the object's class. */
    attributeCell(object: Value, name: string): Cell | undefined;
  };

  /** Stores into containers. */
  readonly stores: {
    /**
     * A store at a position that depends on x: `store` is asked for every position, each for the lanes that mean it.
     */
    storeAtChosen(
      index: Scalar,
      length: number,
      store: (k: number) => void,
      position: Position,
      noIndex?: NoIndex,
    ): void;
    /** A store to the cell at a position that depends on indices of rolled loops: in memory. */
    storeByForm(cells: readonly Cell[], frozen: boolean, at: IndexForm, value: Value, position: Position): void;
    storeItem(owner: AnyValue, at: AnyValue, value: AnyValue, position: Position): void;
  };

  /** Operations that take an element out of a container. */
  readonly deletion: {
    /** Takes an element out of a list, at a position that may depend on x; the others move up. */
    removeAt(list: ListValue, index: Scalar, position: Position): AnyValue;
    /** Takes an entry out of a dict and gives its value; KeyError where there is none. */
    removeEntry(dict: DictValue, key: Value, position: Position): AnyValue;
  };

  /** Functions of the program. */
  readonly functions: {
    /** `super()` in a method. */
    superOf(position: Position): Value;
  };

  /** Calls. */
  readonly calls: {
    attribute(object: AnyValue, name: string, position: Position): AnyValue;
    builtin(name: string, position: Position): Value;
    call(target: AnyValue, call: AnyCall): AnyValue;
    /** A call whose result is looked into. */
    called(callee: AnyValue, call: AnyCall): Value;
    /** Calls a function of NumPy by its name. */
    numpy(name: string, call: Call): Value;
  };

  /** Operators and truth values. */
  readonly operators: {
    binary(operator: BinaryOperator, a: AnyValue, b: AnyValue, position: Position): Value;
    compare(operator: ComparisonOperator, a: AnyValue, b: AnyValue, position: Position): Value;
    /** Python's truth value, also of NumPy's. */
    truthOf(any: AnyValue, position: Position): Scalar;
    unary(operator: '+' | '-' | '~' | 'not', value: AnyValue, position: Position): AnyValue;
  };

  /** When two values are one. */
  readonly equality: {
    /** An item that depends on x is compared with the known keys one by one. */
    hasKey(container: DictValue | SetValue, item: Value, position: Position): Scalar;
    /** Whether an item of a list or tuple counts as equal to a value: for `in`, `index`, `count`. */
    isItem(item: AnyValue, value: AnyValue, position: Position): Scalar;
  };

  /** Sequences and streams that are iterated over. */
  readonly sequences: {
    /** Iterator over items that are made of the items of other streams. */
    combine(
      name: string,
      streams: readonly Stream[],
      count: (lengths: readonly number[]) => number,
      make: (items: readonly AnyValue[], position: Scalar) => AnyValue,
      source?: (k: number, count: number) => number,
    ): IteratorValue;
    /**
     * For what asks for items one by one, in turns with other code, or not for all of them: Python computes each when
     * it is asked for, and so what that changes or raises comes at its time.
     * @throws {Unsupported} where items that were computed all at once have changed or raised something.
     */
    inTurns(source: Value | Stream, position: Position): void;
    /** The same for several streams: those of equal lengths may have one with effects among them. */
    inStep(streams: readonly Stream[], lengths: readonly number[]): void;
    /**
     * Items that a container grows by, one after the other.
     * @throws {Unsupported} where an iterator that gives them may read the container: it would see each of them.
     */
    addedTo(container: Value, source: Value, position: Position): AnyValue[];
    /**
     * To be called after each item: refuses a list, an array or a dict that has changed since while Python runs over
     * it.
     */
    watched(value: Value, position: Position): () => void;
    /** Whether code that has these values may get at another one. */
    reaches(roots: readonly (Held | undefined)[], target: Value): boolean;
    /** The items of anything iterable whose length is static, to be looked into. */
    iterate(value: Value, position: Position): Value[];
    /** The same, to be handed on. */
    iterateAny(value: Value, position: Position): AnyValue[];
    iterator(
      name: string,
      items: readonly AnyValue[],
      isCurrent: (k: number) => boolean,
      hasEffects: boolean,
    ): IteratorValue;
    /** Items that are consumed one by one while the program goes on. */
    stream(value: Value, position: Position): Stream;
    /** View that `keys()`, `values()`, `items()` and running over a dict give: it holds while the dict is unchanged. */
    viewOf(dict: DictValue, item: (entry: DictEntry) => Value, position: Position): TupleValue;
    /**
     * Tells whether all that calls of a function depend on, besides what its arguments are, is unchanged since this
     * call.
     */
    watchFunction(fn: Value, args: readonly AnyValue[]): () => boolean;
  };

  /** Items of containers. */
  readonly items: {
    gatherFrom(items: readonly AnyValue[], index: Scalar, position: Position, noIndex?: NoIndex): AnyValue;
    /** A position in a sequence of `length`, from an index known at compile time; out of range raises IndexError. */
    staticIndex(index: Scalar, length: number, position: Position, noIndex?: NoIndex): number;
    staticInt(value: Value, position: Position, what: string): number;
    subscript(object: AnyValue, index: AnyValue, position: Position): Value;
  };

  /** Counted loops. */
  readonly counted: {
    /** Builds a loop of the library. @throws {RollFailure} */
    run(count: IndexForm, position: Position, iteration: (index: IndexForm) => void): void;
  };
}

/** Exception that a number which is not whole raises as an index: of a list, or of an array. */
export type NoIndex = 'TypeError' | 'IndexError';
