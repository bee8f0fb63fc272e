/** Which modules are translated, and what their members are. */
import { LaneStatus } from '../../ir/types.js';
import type { Alias, Position } from '../syntax/ast.js';
import type { LibraryMachine } from './library-machine.js';
import { Unsupported, known, type AnyValue, type OpaqueValue, type Value } from '../values/values.js';
import { exceptionNamed } from '../values/exceptions.js';
import { exceptionType } from './builtins.js';
import { CMATH_NAMES, cmathMember } from './cmath-module.js';
import { MATH_NAMES, mathMember } from './math-module.js';
import { numpyLinalgMember, numpyMember } from './numpy-module.js';
import { reasonForImport, reasonForMember } from './reasons.js';
import { isStandardModule, standardMember } from './standard-library.js';
import { LIBRARY_MODULES } from './written-in-python.js';
import { scipyNormalMember, scipyOptimizeMember, scipySpecialMember } from './scipy-module.js';
import { table, type Table } from '../values/table.js';

type Members = (ev: LibraryMachine, name: string) => Value | undefined;

const MODULES: Table<Members> = table({
  math: mathMember,
  cmath: cmathMember,
  numpy: numpyMember,
  // For what is written in Python.
  'library.numpy': numpyMember,
  'library.numpy.linalg': numpyLinalgMember,
  'numpy.linalg': numpyLinalgMember,
  'numpy.random': (ev, name) => ev.random.member('numpy', name),
  random: (ev, name) => ev.random.member('python', name),
  'numpy.finfo': (_ev, name) => {
    const value = FLOAT_INFO[name];
    return value === undefined ? undefined : known('npfloat', value);
  },
  'scipy.special': scipySpecialMember,
  'scipy.optimize': scipyOptimizeMember,
  // An object, whose methods are what is used.
  'scipy.stats.norm': scipyNormalMember,
});

/** Members of `numpy.finfo` of float64. */
const FLOAT_INFO: Table<number> = table({
  eps: 2 ** -52,
  epsneg: 2 ** -53,
  max: Number.MAX_VALUE,
  min: -Number.MAX_VALUE,
  tiny: 2 ** -1022,
  smallest_normal: 2 ** -1022,
  smallest_subnormal: 2 ** -1074,
});

/** Modules without effect on the numbers: type hints and the like. */
const IGNORED = new Set(['typing', '__future__', 'collections.abc', 'numpy.typing']);

const moduleValue = (path: string): Value => ({ tag: 'module', path });

/** The effect of an import is not known, so nothing behind it is. */
export class UnknownImport extends Unsupported {}

/** `import path`: raises what it raises. That a module is not translated matters where a member of it is used. */
function requireModule(ev: LibraryMachine, path: string, position: Position): void {
  const outcome = ev.modules.importing(path);
  if (outcome.kind === 'unknown') throw new UnknownImport(reasonForImport(path, ev.modules.facts === null), position);
  if (outcome.kind === 'stands' && ev.exits.isInTry) {
    throw new UnknownImport(`${path} is not installed for this Python, and the source reckons with that`, position);
  }
  if (outcome.kind === 'raises') failImport(ev, outcome.exception, `importing ${path} raises`, position);
}

function failImport(ev: LibraryMachine, exception: string, what: string, position: Position): never {
  // Where nothing catches it there is no objective: CPython shows it.
  if (ev.loading && !ev.exits.isInTry) throw new UnknownImport(`${what} ${exception} in this Python`, position);
  ev.ops.locate(position);
  return ev.ops.raise(LaneStatus.Raised, exceptionNamed(exception) ?? 'unknown');
}

/** `import a.b` and `import a.b as c`. */
export function importModule(ev: LibraryMachine, alias: Alias): { readonly name: string; readonly value: Value } {
  requireModule(ev, alias.name, alias);
  if (ev.loading) ev.modules.noteImport(alias.name);
  const path = alias.asName === null ? alias.name.split('.')[0] : alias.name;
  return { name: alias.asName ?? path, value: moduleValue(path) };
}

/** `from path import ...`: each name in turn, as those before one that is missing are bound. */
export function* importMembers(
  ev: LibraryMachine,
  { module: path, names, level }: { readonly module: string; readonly names: readonly Alias[]; readonly level: number },
  position: Position,
): Generator<readonly [string, AnyValue]> {
  if (level > 0) failImport(ev, 'ImportError', 'a relative import raises', position);
  requireModule(ev, path, position);
  if (ev.loading) ev.modules.noteImport(path);
  for (const alias of names) {
    if (alias.name === '*') {
      yield* allMembers(ev, path, alias);
      continue;
    }
    const offers = ev.modules.offers(path, alias.name);
    if (offers === null) {
      throw new UnknownImport(ev.modules.whyUnknown(path, alias.name), alias);
    }
    if (!offers) failImport(ev, 'ImportError', `importing ${alias.name} from ${path} raises`, alias);
    if (ev.loading) ev.modules.noteImport(`${path}.${alias.name}`);
    yield [alias.asName ?? alias.name, translatedMember(ev, path, alias.name, alias)];
  }
}

export function moduleMember(ev: LibraryMachine, path: string, name: string, position: Position): Value | OpaqueValue {
  const isAsked = !ev.modules.standsFor(path) || ev.exits.isInTry;
  if (isAsked && ev.modules.knows(path) && ev.modules.has(path, name) !== true) {
    const reason = ev.modules.whyUnknown(path, name);
    return { tag: 'opaque', reason, position } satisfies OpaqueValue;
  }
  return translatedMember(ev, path, name, position);
}

/** Value of a member that is there. */
function translatedMember(ev: LibraryMachine, path: string, name: string, position: Position): Value | OpaqueValue {
  const value = MODULES[path]?.(ev, name) ?? standardMember(path, name, ev);
  if (value !== undefined) return value;
  const inside = `${path}.${name}`;
  const exception = exceptionNamed(inside);
  if (exception !== undefined) return exceptionType(exception);
  const isModule = (known: string): boolean => known === inside || known.startsWith(`${inside}.`);
  if (isStandardModule(inside) || [...Object.keys(MODULES), ...LIBRARY_MODULES].some(isModule)) {
    return moduleValue(inside);
  }
  const reason = IGNORED.has(path) ? `${inside} is used as a value, not as a type hint` : reasonForMember(inside);
  return { tag: 'opaque', reason, position } satisfies OpaqueValue;
}

/**
 * Names that `from math import *` binds, or the same from cmath. Other modules hide which names are used, NumPy's set
 * depends on its version.
 */
function allMembers(ev: LibraryMachine, path: string, position: Position): [string, AnyValue][] {
  const names = { math: MATH_NAMES, cmath: CMATH_NAMES }[path];
  if (names === undefined)
    throw new Unsupported(`from ${path} import * hides which names are used; import them one by one`, position);
  const there = names.filter((name) => ev.modules.has(path, name) !== false);
  return there.map((name) => [name, moduleMember(ev, path, name, position)]);
}

/** `module.name` in an expression: must be translated. */
export function moduleAttribute(ev: LibraryMachine, path: string, name: string, position: Position): Value {
  if (ev.modules.has(path, name) === false) {
    ev.ops.locate(position);
    return ev.ops.raise(LaneStatus.Raised, 'AttributeError');
  }
  const value = moduleMember(ev, path, name, position);
  if (value.tag === 'opaque') throw new Unsupported(value.reason, position);
  return value;
}
