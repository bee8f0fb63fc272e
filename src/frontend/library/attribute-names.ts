/**
 * Which attributes values of Python's and NumPy's own types have, so that what none of them has raises AttributeError.
 */
import type { LibraryMachine } from './library-machine.js';
import { isNumPyKind, type ScalarKind, type Value } from '../values/values.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const FLOAT = 'as_integer_ratio conjugate from_number fromhex hex imag is_integer real';
const INT =
  'as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer numerator real to_bytes';
/** Attribute names in any version of Python, without those that begin with an underscore. */
const NAMES = {
  float: words(FLOAT),
  int: words(INT),
  bool: words(INT),
  complex: words('conjugate from_number imag real'),
  string: words(
    'capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii ' +
      'isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip ' +
      'maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split ' +
      'splitlines startswith strip swapcase title translate upper zfill',
  ),
  list: words('append clear copy count extend index insert pop remove reverse sort'),
  tuple: words('count index'),
  dict: words('clear copy fromkeys get items keys pop popitem setdefault update values'),
  set: words(
    'add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset ' +
      'issuperset pop remove symmetric_difference symmetric_difference_update union update',
  ),
  none: new Set<string>(),
} as const;

/** Attribute names of arrays and of NumPy's numbers, which share most of them. */
const NUMPY = words(
  'T all any argmax argmin argpartition argsort astype base byteswap choose clip compress conj conjugate copy ctypes ' +
    'cumprod cumsum data device diagonal dot dtype dump dumps fill flags flat flatten getfield imag item itemset ' +
    'itemsize mT max mean min nbytes ndim newbyteorder nonzero partition prod ptp put ravel real repeat reshape resize ' +
    'round searchsorted setfield setflags shape size sort squeeze std strides sum swapaxes take to_device tobytes ' +
    `tofile tolist tostring trace transpose var view ${FLOAT} ${INT}`,
);
/** NumPy may get others: only what other types have is certain to be missing. */
const ELSEWHERE = new Set(Object.values(NAMES).flatMap((names) => [...names]));
const lacksInNumPy = (name: string): boolean => ELSEWHERE.has(name) && !NUMPY.has(name);

const lacksOfKind = (kind: ScalarKind, name: string): boolean =>
  isNumPyKind(kind) ? lacksInNumPy(name) : !NAMES[kind].has(name);

/** Whether a value is certain not to have an attribute. */
export function lacksAttribute(ev: LibraryMachine, value: Value, name: string): boolean {
  if (name.startsWith('_')) return false;
  switch (value.tag) {
    case 'scalar':
      return ev.ops.possibleKinds(value).every((kind) => lacksOfKind(kind, name));
    case 'complex':
      return value.isNumPy ? lacksInNumPy(name) : !NAMES.complex.has(name);
    case 'ndarray':
    case 'complexarray':
    case 'masked':
      return lacksInNumPy(name);
    case 'string':
    case 'text':
      return !NAMES.string.has(name);
    case 'tuple': {
      const isPlain = value.fields === undefined && value.range === undefined && value.isCurrent === undefined;
      return isPlain && !NAMES.tuple.has(name);
    }
    case 'dict':
      // A dict with a factory has it as an attribute.
      return value.factory === undefined && !NAMES.dict.has(name);
    case 'list':
    case 'set':
    case 'none':
      return !NAMES[value.tag].has(name);
    default:
      return false;
  }
}
