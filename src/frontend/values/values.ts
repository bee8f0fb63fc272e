/**
 * Values that the partial evaluator computes with: Python objects whose structure (type, length, shape) is known at
 * compile time and whose numbers are either known or values of the IR.
 *
 * Every mutable place (a variable, a list element, an array element) is a `Cell`. Views and aliases share cells, so
 * that a store through one is seen through the other, as in Python and NumPy. Branches that depend on `x` journal the
 * cells they write and merge them afterwards (see `machine/branches.ts`).
 */
import type { ArrayId } from '../../ir/builder.js';
import type { IndexForm, ValueId } from '../../ir/types.js';
import type { Expression, Parameters, Position, Statement } from '../syntax/ast.js';
import type { ExceptionName, Raised } from './exceptions.js';
import type { BulkView, Elements } from './large.js';
import type { NameTable, ScopeKind } from './scopes.js';
import type { Signature } from './signatures.js';

/**
 * Python's numeric types, and NumPy's scalar types. The type decides meaning: `1.0/0.0` raises for `float` and is `inf`
 * for `npfloat`. Where a branch may give either, `float` is the conservative choice: its checks are a superset, and a
 * flagged lane is evaluated by CPython.
 */
export type ScalarKind = 'bool' | 'int' | 'float' | 'npbool' | 'npint' | 'npfloat';

/** Exactly one of `known` and `id` is set. Booleans are known as 0/1, or an IR bool; all else is an IR f64. */
export interface Scalar {
  readonly tag: 'scalar';
  readonly kind: ScalarKind;
  readonly known: number | undefined;
  readonly id: ValueId;
  /** The number was converted: it is of its kind on all lanes, whatever the same number is elsewhere. */
  readonly isCertain?: true;
  /** Index form of an integer that depends on indices of rolled loops only (`indexed.ts`). */
  readonly at?: IndexForm | undefined;
}

export interface Cell {
  /** Undefined: an unbound variable. */
  value: Held | undefined;
  /** When it was made, on the evaluator's clock: a journal that began later records its changes. */
  readonly born: number;
  /** Stands for an element of a bulk list or array: no place to write to. */
  readonly isCopy?: true;
  /** Where its value lies, if that is in a local array (`memory.ts`). */
  memory?: MemoryPlace;
}

export type ArrayKind = 'npfloat' | 'npint' | 'npbool';

/**
 * `cells` are in the view's own row-major order. `strides`: how they lie in memory, in elements per step along each
 * axis; that decides the order of summation, and whether a reshape is a view.
 */
export interface NdArray {
  readonly tag: 'ndarray';
  readonly shape: readonly number[];
  readonly kind: ArrayKind;
  /** A bulk array has read-only cells, made when they are asked for. */
  readonly cells: readonly Cell[];
  readonly strides: readonly number[];
  readonly frozen: boolean;
  readonly bulk?: BulkView;
  /** An array of floats that is one of integers on some lanes, each of its elements is then. */
  readonly isSometimesInt?: true;
}

/**
 * Python's complex, or numpy.complex128: two floats of the same origin. The IR knows real numbers only; arithmetic is
 * in `complex.ts`.
 */
export interface ComplexValue {
  readonly tag: 'complex';
  readonly isNumPy: boolean;
  readonly re: Scalar;
  readonly im: Scalar;
}

/** An array of numpy.complex128: two of floats, of one shape and nested alike; views of one are views of both. */
export interface ComplexArray {
  readonly tag: 'complexarray';
  readonly re: NdArray;
  readonly im: NdArray;
}

export interface ListValue {
  readonly tag: 'list';
  /** A bulk list has read-only cells, made when they are asked for. */
  cells: Cell[];
  readonly bulk?: BulkView | undefined;
  readonly born: number;
  /** Made while the module was loaded: changing it during a call would carry state from call to call. */
  readonly frozen: boolean;
}

export interface TupleValue {
  readonly tag: 'tuple';
  readonly items: readonly AnyValue[];
  /** Elements of a `range`, whose items are made when they are asked for. */
  readonly range?: Elements;
  /** Whether item `k` of a view of a dict, or for `items.length` the number of entries, is still what it was. */
  readonly isCurrent?: (k: number) => boolean;
  /** Names of a named tuple. */
  readonly fields?: { readonly typename: string; readonly names: readonly string[] };
}

/** A set of known numbers and texts. Its order is CPython's own: it is not iterated over. */
export interface SetValue {
  readonly tag: 'set';
  /** A `frozenset`, not a `set`. */
  readonly isFrozenSet: boolean;
  readonly entries: Map<string | number, Value>;
  readonly born: number;
  readonly frozen: boolean;
}

export interface DictEntry {
  readonly key: Value;
  readonly cell: Cell;
}

export interface DictValue {
  readonly tag: 'dict';
  /** Default factory of a defaultdict: it makes the value of a key that is missing. */
  readonly factory?: Value | undefined;
  readonly entries: Map<string | number, DictEntry>;
  readonly born: number;
  readonly frozen: boolean;
}

export interface FunctionValue {
  readonly tag: 'function';
  readonly name: string;
  readonly parameters: Parameters;
  readonly defaults: ReadonlyMap<string, AnyValue>;
  readonly body: readonly Statement[] | Expression;
  readonly closure: Scope;
  readonly names: NameTable;
  /** Its body has a `yield`: a call gives an iterator. */
  readonly isGenerator: boolean;
  readonly position: Position;
  readonly born: number;
  /** `f.calls = 0` */
  readonly attributes: Map<string, Cell>;
}

export interface Call {
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly position: Position;
}

/** A call that hands values on without looking into them. */
export interface AnyCall {
  readonly args: readonly AnyValue[];
  readonly keywords: ReadonlyMap<string, AnyValue>;
  readonly position: Position;
}

export interface BuiltinValue {
  readonly tag: 'builtin';
  readonly name: string;
  /** Which arguments it takes; absent: it looks at them itself. */
  readonly signature?: Signature | undefined;
  /**
   * It looks at each item of its argument once, and at nothing else of it: a list that is made for it need not be one.
   */
  readonly isConsumer?: boolean | undefined;
  readonly call: (call: Call) => AnyValue;
  /** Call of a function that hands its arguments on; absent: each alternative of an argument is a call of its own. */
  readonly callAny?: (call: AnyCall) => AnyValue;
}

/** A module of which some members are translated; `path` is dotted. */
interface ModuleValue {
  readonly tag: 'module';
  readonly path: string;
}

/** A type object used as a function, a dtype or with isinstance. */
interface TypeValue {
  readonly tag: 'type';
  readonly name: string;
}

export interface SliceValue {
  readonly tag: 'slice';
  readonly lower: number | null;
  readonly upper: number | null;
  readonly step: number | null;
}

/** A class of the program: methods and class attributes, its own before its bases'. */
export interface ClassValue {
  readonly tag: 'class';
  readonly name: string;
  readonly bases: readonly ClassValue[];
  /** Exceptions of Python or a library among its bases. */
  readonly exceptions?: readonly ExceptionName[];
  readonly position: Position;
  readonly born: number;
  readonly members: Map<string, Cell>;
  /** Names with annotations, in order: the fields of a dataclass. */
  readonly annotated: readonly string[];
  /** It has no objects as long as methods are only named. */
  readonly isAbstract?: boolean;
  /** Arguments of a dataclass's constructor. */
  readonly dataclass?: { readonly fields: readonly string[]; readonly isFrozen: boolean };
}

/** `super()`: what the classes above `cls` define, for `self`. */
export interface SuperValue {
  readonly tag: 'super';
  readonly cls: ClassValue;
  readonly self: Value;
}

export interface InstanceValue {
  readonly tag: 'instance';
  readonly cls: ClassValue;
  readonly attributes: Map<string, Cell>;
  readonly born: number;
  readonly frozen: boolean;
}

/**
 * Iterator that `zip`, `enumerate`, `map`, `reversed` and generator expressions give. Python computes its items as they
 * are asked for, here they are computed when it is made: they hold while what they were computed from is unchanged.
 */
export interface IteratorValue {
  readonly tag: 'iterator';
  /** Python's name of its type. */
  readonly name: string;
  readonly items: readonly AnyValue[];
  /** The same for a rolled loop: by position, or one after the other. */
  readonly elements?: Elements | undefined;
  readonly traverse?: ((body: (item: AnyValue) => void) => void) | undefined;
  /** Whether item `k`, or for `items.length` the end, is still what it was. */
  readonly isCurrent: (k: number) => boolean;
  /** Computing its items changed something or raised what the program catches: in Python that happens on use. */
  readonly hasEffects: boolean;
  /** They are computed only where they are asked for, here too: used one by one their effects are in order. */
  readonly isLazy?: boolean | undefined;
  /** Made while the module was loaded: the first call would use it up for the second. */
  readonly frozen: boolean;
  used: boolean;
}

/** Elements of which some exist only on some lanes: what a comprehension with a filter on x gives. */
export interface FilteredValue {
  readonly tag: 'filtered';
  /** The elements are those of a generator expression: to be used once, at once. */
  readonly isGenerator: boolean;
  /** As for `IteratorValue`. */
  readonly hasEffects: boolean;
  readonly items: readonly { readonly value: AnyValue; readonly present: Scalar }[];
}

/** Elements of an array chosen by a mask that depends on x (`masked.ts`). */
export interface MaskedValue {
  readonly tag: 'masked';
  readonly kind: ArrayKind;
  /** Number of items in each row, where the elements are rows of a matrix: all of a row are there or none. */
  readonly width?: number;
  readonly items: readonly { readonly value: Scalar; readonly present: Scalar }[];
}

/** Something the compiler does not translate; using it in any way is the diagnostic. */
export interface OpaqueValue {
  readonly tag: 'opaque';
  readonly reason: string;
  readonly position: Position;
  /** Group of elements whose order is not known: each of them, this one too, is one of the members. */
  readonly group?: { readonly members: readonly Scalar[] };
  /** Types of what earlier calls have left (`lasting-state.ts`). */
  readonly state?: StateTypes;
}

/**
 * A value that is of one kind on some lanes and of another on others (ADR 32). Of the alternatives, each is the value
 * where its `when` holds; of lanes that have one, exactly one does.
 */
export interface ChoiceValue {
  readonly tag: 'choice';
  readonly alternatives: readonly Alternative[];
}

export interface Alternative {
  readonly when: Scalar;
  readonly value: Value;
}

/** A variable that is bound only on the lanes where `bound` holds. */
export interface MaybeUnbound {
  readonly tag: 'maybe';
  readonly value: AnyValue;
  readonly bound: Scalar;
}

export interface StringValue {
  readonly tag: 'string';
  readonly value: string;
}

/** Values that can be looked into. */
export type Value =
  | Scalar
  | ComplexValue
  | NdArray
  | ComplexArray
  | ListValue
  | TupleValue
  | DictValue
  | FunctionValue
  | BuiltinValue
  | ModuleValue
  | TypeValue
  | SliceValue
  | ClassValue
  | InstanceValue
  | FilteredValue
  | MaskedValue
  | IteratorValue
  | SetValue
  | SuperValue
  | ExceptionValue
  | { readonly tag: 'none' }
  /** Text that shows a number depending on x: it can be printed and dropped. */
  | { readonly tag: 'text' }
  | { readonly tag: 'ellipsis' }
  | StringValue;

/** Values that can be handed on: also those whose kind must be asked first, or that must not be looked into at all. */
export type AnyValue = Value | ChoiceValue | OpaqueValue;

/** Content of a place. */
export type Held = AnyValue | MaybeUnbound;

/** An exception that was caught, or that is made to be raised: what it holds is never looked at. */
interface ExceptionValue {
  readonly tag: 'exception';
  readonly raised: Raised;
}

/** One frame of variables. `parent` is the lexically enclosing scope. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | null;
  /** All that a function or comprehension binds, bound or not; of a class and the module, what has been bound. */
  readonly cells: Map<string, Cell>;
  readonly names: NameTable;
  /** The function whose variables they are. */
  readonly function?: FunctionValue;
}

export const NONE: Value = { tag: 'none' };
export const TEXT: Value = { tag: 'text' };

export function known(kind: ScalarKind, value: number): Scalar {
  return { tag: 'scalar', kind, known: value, id: -1 };
}
export function dynamic(kind: ScalarKind, id: ValueId): Scalar {
  return { tag: 'scalar', kind, known: undefined, id };
}
export const int = (value: number): Scalar => known('int', value);
export const float = (value: number): Scalar => known('float', value);
export const bool = (value: boolean): Scalar => known('bool', value ? 1 : 0);
/**
 * Text that is in the source: a name or a literal; or the digits of a number, or a character. Everything else is made
 * by `machine/known-texts.ts`, which counts it.
 */
export const string = (value: string): StringValue => ({ tag: 'string', value });
export const tuple = (items: readonly AnyValue[]): TupleValue => ({ tag: 'tuple', items });

export const isBoolKind = (kind: ScalarKind): boolean => kind === 'bool' || kind === 'npbool';
export const isIntKind = (kind: ScalarKind): boolean => kind === 'int' || kind === 'npint';
export const isNumPyKind = (kind: ScalarKind): kind is ArrayKind =>
  kind === 'npfloat' || kind === 'npint' || kind === 'npbool';

export function toNumPyKind(kind: ScalarKind): ArrayKind {
  switch (kind) {
    case 'bool':
    case 'npbool':
      return 'npbool';
    case 'int':
    case 'npint':
      return 'npint';
    case 'float':
    case 'npfloat':
      return 'npfloat';
  }
}

/** Name of a value's Python type, for messages. */
export function typeName(value: Held): string {
  switch (value.tag) {
    case 'scalar':
      return {
        bool: 'bool',
        int: 'int',
        float: 'float',
        npbool: 'numpy.bool_',
        npint: 'numpy.int64',
        npfloat: 'numpy.float64',
      }[value.kind];
    case 'complex':
      return value.isNumPy ? 'numpy.complex128' : 'complex';
    case 'ndarray':
      return 'numpy.ndarray';
    case 'complexarray':
      return 'numpy.ndarray of complex numbers';
    case 'none':
      return 'NoneType';
    case 'string':
    case 'text':
      return 'str';
    case 'maybe':
      return typeName(value.value);
    case 'choice':
      return value.alternatives.map((alternative) => typeName(alternative.value)).join(' or ');
    case 'instance':
      return value.cls.name;
    case 'exception':
      return 'an exception';
    case 'iterator':
      return value.name;
    case 'filtered':
      return 'list of a length that depends on x';
    case 'masked':
      return 'array of a length that depends on x';
    default:
      return value.tag;
  }
}

/** Valid Python that the compiler does not translate: the whole function goes to CPython. */
export class Unsupported extends Error {
  constructor(
    message: string,
    readonly position: Position,
    readonly kind: 'unsupported' | 'limit' | 'objective' = 'unsupported',
  ) {
    super(message);
  }
}

/**
 * The code being evaluated raises on every lane that gets here. The check that flags those lanes is already built;
 * caught where the path began (a branch, or the whole function).
 */
export class PathRaises extends Error {}

/** Help for a loop that cannot be rolled: to take its first or last iteration out, or move elements into memory. */
type Cure =
  | { readonly index: ValueId; readonly end: 'first' | 'last' }
  | { readonly index?: undefined; readonly cells: readonly Cell[] };

/**
 * A rolled loop asks something of its index that only an unrolled one can give. Caught where the loop began; `cure`
 * says what may help before it is unrolled.
 */
export class RollFailure extends Error {
  constructor(
    message: string,
    readonly position: Position,
    readonly cure?: Cure,
  ) {
    super(message);
  }
}

/** The same, but a `try` statement of the program catches it: its handler's lanes are noted. */
export class PathCaught extends Error {}

/** The types that a variable of the state may have. */
export interface StateTypes {
  types: number;
  /** The program reads it after it has written it: what is written is kept. */
  isKept: boolean;
  readonly reason: string;
}

/** A place in a local array. */
export interface MemoryPlace {
  readonly array: ArrayId;
  readonly kind: ScalarKind;
  readonly at: IndexForm;
}
