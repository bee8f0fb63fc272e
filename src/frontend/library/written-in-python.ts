/**
 * Classes of the standard library whose meaning is best said in Python. They are read by the same evaluator as the source, in a
 * scope of their own, so that names of the source do not reach them.
 */
import type { Module, Position } from '../ast.js';
import type { Evaluator } from '../evaluator.js';
import { parsePython } from '../parser.js';
import { NO_NAMES } from '../scopes.js';
import type { Scope, Value } from '../values.js';
import { builtinValue } from './builtins.js';

/** What an operator gives that is not written here, CPython knows. */
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
        for item in list(iterable):
            self.append(item)
    def extendleft(self, iterable):
        for item in list(iterable):
            self.appendleft(item)
    def pop(self):
        return self._items.pop()
    def popleft(self):
        return self._items.pop(0)
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

const SOURCES: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  'collections.deque': DEQUE,
  'dataclasses.Field': FIELD,
});
const USED = ['len', 'list', 'iter', 'isinstance', 'slice', 'ValueError', 'TypeError'];

const parsed = new Map<string, Module>();

/** Where all of it is: nowhere in the source, so that findings are where it is used. */
export const OUTSIDE: Position = { line: 0, column: 0 };

function moduleOf(path: string, source: string): Module {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const { module } = parsePython(source);
  if (module === null) throw new Error(`${path} is not Python`);
  parsed.set(path, JSON.parse(JSON.stringify(module), (key, value: unknown) => (key === 'line' ? 0 : value)) as Module);
  return parsed.get(path)!;
}

/** The class of that path; undefined where there is none. */
export function writtenInPython(ev: Evaluator, path: string): Value | undefined {
  const source = SOURCES[path];
  if (source === undefined) return undefined;
  const made = ev.libraryClasses.get(path);
  if (made !== undefined) return made;
  const name = path.slice(path.lastIndexOf('.') + 1);
  const names = { ...NO_NAMES, locals: new Set([name, ...USED]) };
  const scope: Scope = { kind: 'function', parent: null, cells: new Map(), names };
  for (const used of USED) scope.cells.set(used, ev.cell(builtinValue(ev, used)));
  scope.cells.set(name, ev.cell(undefined));
  for (const statement of moduleOf(path, source).body) ev.execute(statement, scope);
  const cls = scope.cells.get(name)!.value as Value;
  ev.libraryClasses.set(path, cls);
  return cls;
}
