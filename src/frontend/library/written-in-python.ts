/**
 * Classes and functions of libraries whose meaning is best said in Python. They are read by the same evaluator as the
 * source, in a scope of their own, so that names of the source do not reach them. `leave_where(c)`: where c holds,
 * CPython evaluates; so it does where an argument or attribute is asked for that is not here.
 */
import { LaneStatus } from '../../ir/types.js';
import { assignedNames } from '../syntax/assigned-names.js';
import type { Module } from '../syntax/ast.js';
import type { LibraryMachine } from './library-machine.js';
import { parsePython } from '../syntax/parser.js';
import { NO_NAMES } from '../values/scopes.js';
import { NONE, bool, type Scope, type Value } from '../values/values.js';
import { builtin, notRaising } from './arguments.js';
import { builtinValue } from './builtins.js';

/** Operators that are not written here are for CPython. */
const DEQUE = `
class deque:
    def __init__(self, iterable=(), maxlen=None):
        if maxlen is not None and maxlen < 0:
            raise ValueError
        self.maxlen = maxlen
        self._items = []
        self.extend(iterable)
    def append(self, item):
        self._items.append(item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)
    def appendleft(self, item):
        self._items.insert(0, item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()
    def extend(self, iterable):
        for item in added_to(self, iterable):
            self.append(item)
    def extendleft(self, iterable):
        for item in added_to(self, iterable):
            self.appendleft(item)
    def pop(self):
        return self._items.pop()
    def popleft(self):
        return self._items.pop(0)
    def insert(self, k, item):
        if self.maxlen is not None and len(self._items) >= self.maxlen:
            raise IndexError
        self._items.insert(k, item)
    def clear(self):
        self._items.clear()
    def reverse(self):
        self._items.reverse()
    def rotate(self, n=1):
        if len(self._items) > 0:
            k = -n % len(self._items)
            self._items[:] = self._items[k:] + self._items[:k]
    def copy(self):
        return deque(self._items, self.maxlen)
    def __copy__(self):
        return deque(self._items, self.maxlen)
    def count(self, item):
        return self._items.count(item)
    def index(self, item):
        return self._items.index(item)
    def remove(self, item):
        self._items.remove(item)
    def __len__(self):
        return len(self._items)
    def __iter__(self):
        return iter(self._items)
    def __contains__(self, item):
        return item in self._items
    def __getitem__(self, k):
        if isinstance(k, slice):
            raise TypeError
        return self._items[k]
    def __setitem__(self, k, item):
        if isinstance(k, slice):
            raise TypeError
        self._items[k] = item
    def __eq__(self, other):
        return isinstance(other, deque) and self._items == other._items
`;

const FIELD = `
class Field:
    def __init__(self, name):
        self.name = name
`;

const POLY1D = `
class poly1d:
    def __init__(self, c_or_r):
        c = np.atleast_1d(c_or_r)
        while len(c) > 1 and is_known(c[0]) and c[0] == 0:
            c = c[1:]
        if len(c) > 1:
            leave_where(c[0] == 0)
        self.coeffs = self.c = self.coef = self.coefficients = c
        self.order = self.o = len(c) - 1
    def __call__(self, val):
        return np.polyval(self.coeffs, val)
    def __len__(self):
        return self.order
    def __iter__(self):
        return iter(self.coeffs)
    def deriv(self):
        return poly1d(np.polyder(self.coeffs))
    def integ(self):
        return poly1d(np.polyint(self.coeffs))
`;

const CORRELATIONS = `
def corrcoef(x, y=None):
    c = np.cov(x if y is None else np.vstack([x, y]))
    if c.ndim == 0:
        return c / c
    s = np.sqrt(np.diag(c))
    return np.clip(c / s[:, None] / s[None, :], -1, 1)
`;

/** NumPy adds logarithms of the pivots. */
const DETERMINANTS = `
def slogdet(a):
    d = np.linalg.det(a)
    size = abs(d)
    leave_where(not (1e-280 < size and size < 1e280))
    return np.sign(d), np.log(size)
`;

/** As SciPy computes moments; where they are no more than rounding, its versions differ. */
const MOMENTS = `
def parts(a):
    a = np.asarray(a)
    if a.ndim != 1 or len(a) == 0:
        leave_where(True)
    mean = np.mean(a)
    d = a - mean
    m2 = np.mean(d ** 2)
    leave_where(m2 <= (2.220446049250313e-16 * mean) ** 2)
    return d, m2
def skew(a):
    d, m2 = parts(a)
    return np.mean(d ** 2 * d) / m2 ** 1.5
def kurtosis(a, *, fisher=True):
    d, m2 = parts(a)
    value = np.mean((d ** 2) ** 2) / m2 ** 2.0
    return value - 3 if fisher else value
`;

const INTEGRALS = `
def trapezoid(y, x=None, dx=1.0):
    return np.trapz(y, dx=dx) if x is None else np.trapz(y, x)
def simpson(y, *, x=None, dx=1.0):
    y = np.asarray(y)
    if y.ndim != 1 or len(y) % 2 == 0 or len(y) < 3:
        leave_where(True)
    if x is None:
        return np.sum(y[:-2:2] + 4 * y[1:-1:2] + y[2::2]) * (dx / 3.0)
    h = np.diff(np.asarray(x))
    h0, h1 = h[0::2], h[1::2]
    leave_where(np.any(h == 0))
    total, product, ratio = h0 + h1, h0 * h1, h0 / h1
    return np.sum(total / 6.0 * (y[:-2:2] * (2.0 - 1.0 / ratio) + y[1:-1:2] * (total * (total / product)) + y[2::2] * (2.0 - ratio)))
`;

const SPECIAL = `
def logsumexp(a):
    a = np.asarray(a)
    top = np.max(a)
    leave_where(not np.isfinite(top))
    return np.log(np.sum(np.exp(a - top))) + top
def softmax(x, axis=None):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)
`;

const DISTANCES = `
def euclidean(u, v):
    d = np.asarray(u) - np.asarray(v)
    length = np.linalg.norm(d)
    leave_where(not np.all(np.isfinite(d)))
    leave_where(length > 1e140 or (length < 1e-140 and np.any(d != 0)))
    return length
def sqeuclidean(u, v):
    d = np.asarray(u) - np.asarray(v)
    return np.dot(d, d)
def cityblock(u, v):
    return np.sum(np.abs(np.asarray(u) - np.asarray(v)))
def chebyshev(u, v):
    return np.max(np.abs(np.asarray(u) - np.asarray(v)))
def lengths(d, metric):
    if metric == "euclidean":
        return np.sqrt(np.sum(d * d, axis=-1))
    if metric == "sqeuclidean":
        return np.sum(d * d, axis=-1)
    if metric == "cityblock":
        return np.sum(np.abs(d), axis=-1)
    leave_where(True)
def cdist(XA, XB, metric="euclidean"):
    a, b = np.asarray(XA), np.asarray(XB)
    return lengths(a[:, None, :] - b[None, :, :], metric)
def pdist(X, metric="euclidean"):
    a = np.asarray(X)
    first = [i for i in range(len(a)) for j in range(i + 1, len(a))]
    second = [j for i in range(len(a)) for j in range(i + 1, len(a))]
    return lengths(a[first] - a[second], metric)
`;

interface Library {
  readonly source: string;
  readonly names: readonly string[];
  /** How far each step of a formula may be off from the library's own, in units in the last place. */
  readonly ulp?: number;
}

/** SciPy's formulas take other steps. */
const FORMULA_ULP = 8;

/** By the path of the module. */
const LIBRARIES: readonly (readonly [string, Library])[] = [
  ['collections', { source: DEQUE, names: ['deque'] }],
  ['dataclasses', { source: FIELD, names: ['Field'] }],
  ['numpy', { source: POLY1D, names: ['poly1d'] }],
  ['numpy', { source: CORRELATIONS, names: ['corrcoef'], ulp: FORMULA_ULP }],
  ['numpy.linalg', { source: DETERMINANTS, names: ['slogdet'], ulp: FORMULA_ULP }],
  ['scipy.stats', { source: MOMENTS, names: ['skew', 'kurtosis'], ulp: FORMULA_ULP }],
  ['scipy.integrate', { source: INTEGRALS, names: ['trapezoid', 'simpson'], ulp: FORMULA_ULP }],
  ['scipy.special', { source: SPECIAL, names: ['logsumexp', 'softmax'], ulp: FORMULA_ULP }],
  [
    'scipy.spatial.distance',
    {
      source: DISTANCES,
      names: ['euclidean', 'sqeuclidean', 'cityblock', 'chebyshev', 'cdist', 'pdist'],
      ulp: FORMULA_ULP,
    },
  ],
];
const PLACES: ReadonlyMap<string, Library> = new Map(
  LIBRARIES.flatMap(([path, library]) => library.names.map((name) => [`${path}.${name}`, library] as const)),
);
export const LIBRARY_MODULES: readonly string[] = LIBRARIES.map(([path]) => path);

const USED = ['len', 'list', 'iter', 'isinstance', 'slice', 'range', 'ValueError', 'TypeError', 'IndexError'];

const parsed = new Map<string, Module>();

/** All of it is nowhere in the source, so that findings are where it is used. */
function moduleOf(source: string): Module {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const { module } = parsePython(source);
  if (module === null) throw new Error('a library that is not Python');
  const moved = JSON.parse(JSON.stringify(module), (key, value: unknown) => (key === 'line' ? 0 : value)) as Module;
  parsed.set(source, moved);
  return moved;
}

function helpers(ev: LibraryMachine): [string, Value][] {
  const leave = builtin('leave_where', (call) => {
    ev.ops.check(ev.operators.truthOf(call.args[0], call.position), LaneStatus.Untranslated);
    return NONE;
  });
  const isKnown = builtin('is_known', ({ args: [value] }) => bool(value.tag === 'scalar' && value.known !== undefined));
  const added = builtin('added_to', ({ args: [container, source], position }) =>
    ev.cells.list(ev.sequences.addedTo(container, source, position)),
  );
  // Whatever the interpreter's NumPy has.
  const np: Value = { tag: 'module', path: 'library.numpy' };
  return [
    ['np', np],
    ['leave_where', leave],
    ['is_known', isKnown],
    ['added_to', added],
  ];
}

/** Value that a path names; undefined where it is nothing that is written here. */
export function writtenInPython(ev: LibraryMachine, path: string): Value | undefined {
  const library = PLACES.get(path);
  if (library === undefined) return undefined;
  const made = ev.libraryClasses.get(path);
  if (made !== undefined) return made;
  const module = moduleOf(library.source);
  const names = {
    ...NO_NAMES,
    locals: new Set([...assignedNames(module.body), ...USED, ...helpers(ev).map(([n]) => n)]),
  };
  const scope: Scope = { kind: 'function', parent: null, cells: new Map(), names };
  for (const name of names.locals) scope.cells.set(name, ev.cells.cell(undefined));
  for (const name of USED) scope.cells.set(name, ev.cells.cell(builtinValue(ev, name)));
  for (const [name, value] of helpers(ev)) scope.cells.set(name, ev.cells.cell(value));
  for (const statement of module.body) ev.statements.execute(statement, scope);
  const value = scope.cells.get(path.slice(path.lastIndexOf('.') + 1))!.value as Value;
  const { ulp } = library;
  const whole =
    ulp === undefined || value.tag !== 'function'
      ? value
      : builtin(path, (call) => notRaising(path, call, () => ev.ops.loosely(ulp, () => ev.calls.call(value, call))));
  ev.libraryClasses.set(path, whole);
  return whole;
}
