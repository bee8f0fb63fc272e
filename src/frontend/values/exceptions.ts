/**
 * Which exceptions a `try` statement catches: the classes of CPython 3.11, of the libraries that are translated, and of
 * the program. Every check of the evaluator names what is raised, so that a clause takes what CPython's would.
 */
import { LaneStatus } from '../../ir/types.js';
import type { Cell, ClassValue, Value } from './values.js';
import { table, type Table } from './table.js';

/** The classes right above each class; `numpy.AxisError` and the like are those of the libraries. */
const PARENTS = {
  BaseException: [],
  GeneratorExit: ['BaseException'],
  KeyboardInterrupt: ['BaseException'],
  SystemExit: ['BaseException'],
  BaseExceptionGroup: ['BaseException'],
  Exception: ['BaseException'],
  ArithmeticError: ['Exception'],
  FloatingPointError: ['ArithmeticError'],
  OverflowError: ['ArithmeticError'],
  ZeroDivisionError: ['ArithmeticError'],
  AssertionError: ['Exception'],
  AttributeError: ['Exception'],
  BufferError: ['Exception'],
  EOFError: ['Exception'],
  ImportError: ['Exception'],
  ModuleNotFoundError: ['ImportError'],
  LookupError: ['Exception'],
  IndexError: ['LookupError'],
  KeyError: ['LookupError'],
  MemoryError: ['Exception'],
  NameError: ['Exception'],
  UnboundLocalError: ['NameError'],
  OSError: ['Exception'],
  BlockingIOError: ['OSError'],
  ChildProcessError: ['OSError'],
  ConnectionError: ['OSError'],
  BrokenPipeError: ['ConnectionError'],
  ConnectionAbortedError: ['ConnectionError'],
  ConnectionRefusedError: ['ConnectionError'],
  ConnectionResetError: ['ConnectionError'],
  FileExistsError: ['OSError'],
  FileNotFoundError: ['OSError'],
  InterruptedError: ['OSError'],
  IsADirectoryError: ['OSError'],
  NotADirectoryError: ['OSError'],
  PermissionError: ['OSError'],
  ProcessLookupError: ['OSError'],
  TimeoutError: ['OSError'],
  ReferenceError: ['Exception'],
  RuntimeError: ['Exception'],
  NotImplementedError: ['RuntimeError'],
  RecursionError: ['RuntimeError'],
  StopAsyncIteration: ['Exception'],
  StopIteration: ['Exception'],
  SyntaxError: ['Exception'],
  IndentationError: ['SyntaxError'],
  TabError: ['IndentationError'],
  SystemError: ['Exception'],
  TypeError: ['Exception'],
  ValueError: ['Exception'],
  UnicodeError: ['ValueError'],
  UnicodeDecodeError: ['UnicodeError'],
  UnicodeEncodeError: ['UnicodeError'],
  UnicodeTranslateError: ['UnicodeError'],
  Warning: ['Exception'],
  BytesWarning: ['Warning'],
  DeprecationWarning: ['Warning'],
  EncodingWarning: ['Warning'],
  FutureWarning: ['Warning'],
  ImportWarning: ['Warning'],
  PendingDeprecationWarning: ['Warning'],
  ResourceWarning: ['Warning'],
  RuntimeWarning: ['Warning'],
  SyntaxWarning: ['Warning'],
  UnicodeWarning: ['Warning'],
  UserWarning: ['Warning'],
  'numpy.AxisError': ['ValueError', 'IndexError'],
  // Under ValueError since NumPy 1.25.
  'numpy.linalg.LinAlgError': ['Exception'],
  'statistics.StatisticsError': ['ValueError'],
  'dataclasses.FrozenInstanceError': ['AttributeError'],
} as const satisfies Record<string, readonly string[]>;

export type ExceptionName = keyof typeof PARENTS;

const parentsOf = (name: ExceptionName): readonly ExceptionName[] => PARENTS[name];
const isExceptionName = (name: string): name is ExceptionName => Object.hasOwn(PARENTS, name);

/** Other names of the same classes. */
const ALIASES: Table<ExceptionName> = table({
  IOError: 'OSError',
  EnvironmentError: 'OSError',
  'scipy.linalg.LinAlgError': 'numpy.linalg.LinAlgError',
});

/** Where it depends on the version of a library whether one class is above another. */
const OPEN_ANCESTORS: Readonly<Partial<Record<ExceptionName, readonly ExceptionName[]>>> = {
  'numpy.linalg.LinAlgError': ['ValueError'],
};

/** The class that a name of Python, or a dotted path of a library, stands for. */
export function exceptionNamed(name: string): ExceptionName | undefined {
  // NumPy 2 has it elsewhere.
  if (name === 'numpy.AxisError') return undefined;
  return ALIASES[name] ?? (isExceptionName(name) ? name : undefined);
}

/**
 * Makes an exception: what it is depends on its arguments where there is a reason to look at them; null: not followed.
 */
export function madeException(name: ExceptionName, count: number): Raised | null {
  switch (name) {
    case 'UnicodeDecodeError':
    case 'UnicodeEncodeError':
      return count === 5 ? null : 'TypeError';
    case 'UnicodeTranslateError':
      return count === 4 ? null : 'TypeError';
    case 'BaseExceptionGroup':
      return null;
    // With an error number it is one of the classes below.
    case 'OSError':
      return count < 2 ? name : null;
    case 'SyntaxError':
    case 'IndentationError':
    case 'TabError':
      return count < 2 ? name : null;
    default:
      return name;
  }
}

/** A class that can be raised: one of the program, or one of those above. */
export type ExceptionClass = ExceptionName | ClassValue;

/**
 * Exception that a check raises: one class; one of several, depending on the lane; or a class below `Exception` that
 * the compiler does not know.
 */
export type Raised = ExceptionName | readonly ExceptionClass[] | 'unknown';

/** Statuses whose exception is told by themselves, and those that are no exception at all: only CPython can tell. */
export type PlainStatus = Exclude<LaneStatus, typeof LaneStatus.Raised | typeof LaneStatus.IntegerConversion>;

const RAISED: Readonly<Partial<Record<LaneStatus, Raised>>> = {
  [LaneStatus.ZeroDivision]: 'ZeroDivisionError',
  [LaneStatus.MathDomain]: 'ValueError',
  [LaneStatus.Overflow]: 'OverflowError',
  [LaneStatus.IndexRange]: 'IndexError',
};

/** No exception: a lane that is flagged with `Raised` all the same, because it has no number. */
export const NO_EXCEPTION: Raised = [];

/** Exception that CPython raises where a lane gets this status; null: nothing that a program could catch. */
export function raisedBy(status: LaneStatus, raised: Raised | null): Raised | null {
  return raised === NO_EXCEPTION ? null : (raised ?? RAISED[status] ?? null);
}

/** The class that a value is, if it is one that can be raised. */
export function exceptionClassOf(value: Value): ExceptionClass | undefined {
  if (value.tag === 'builtin') return exceptionNamed(value.name);
  return value.tag === 'class' && baseExceptions(value).length > 0 ? value : undefined;
}

/** The exceptions of Python or a library that a class of the program is made from. */
function baseExceptions(cls: ClassValue): readonly ExceptionName[] {
  return [...(cls.exceptions ?? []), ...cls.bases.flatMap(baseExceptions)];
}

type Verdict = 'yes' | 'no' | 'open';

const anyOf = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes('yes') ? 'yes' : verdicts.includes('open') ? 'open' : 'no';

/** Whether `cls` is `above` or below it. */
export function isBelow(cls: ExceptionClass, above: ExceptionClass): Verdict {
  if (cls === above) return 'yes';
  if (typeof cls !== 'string') {
    return anyOf([...cls.bases, ...(cls.exceptions ?? [])].map((base) => isBelow(base, above)));
  }
  if (typeof above !== 'string') return 'no';
  if (OPEN_ANCESTORS[cls]?.includes(above) === true) return 'open';
  return anyOf(parentsOf(cls).map((base) => isBelow(base, above)));
}

/** An `except` clause of a `try` statement that is being evaluated. */
export interface Handler {
  /** Null catches everything; `unknown`: what it catches is not known. */
  readonly classes: readonly ExceptionClass[] | null | 'unknown';
  /** Truth value: the lanes that this handler takes. */
  readonly raised: Cell;
  /** Exceptions that it may have taken: a bare `raise` in it raises them again. */
  readonly taken: Set<ExceptionClass | 'unknown'>;
}

/** Whether `handler` catches what is raised; `open`: on some lanes, or only CPython can tell. */
export function catches(handler: Pick<Handler, 'classes'>, raised: Raised): Verdict {
  const { classes } = handler;
  if (classes === null) return 'yes';
  if (classes === 'unknown') return 'open';
  if (raised === 'unknown') {
    return classes.some((c) => c === 'Exception' || c === 'BaseException') ? 'yes' : classes.length > 0 ? 'open' : 'no';
  }
  const each = (typeof raised === 'string' ? [raised] : raised).map((cls) =>
    anyOf(classes.map((above) => isBelow(cls, above))),
  );
  if (each.every((verdict) => verdict === 'yes')) return 'yes';
  return each.every((verdict) => verdict === 'no') ? 'no' : 'open';
}

/** The classes by themselves. */
export function raisedClasses(raised: Raised): readonly (ExceptionClass | 'unknown')[] {
  return typeof raised === 'string' ? [raised] : raised;
}

/** Exception of one of several handlers, when it is raised again. */
export function raisedAgain(taken: Iterable<ExceptionClass | 'unknown'>): Raised {
  const all = [...taken];
  const known = all.filter((cls): cls is ExceptionClass => cls !== 'unknown');
  return known.length === all.length ? known : 'unknown';
}
