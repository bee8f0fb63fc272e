/** Which modules are translated, and what their members are. */
import type { Position } from '../ast.js';
import type { Evaluator } from '../evaluator.js';
import { Unsupported, known, type OpaqueValue, type Value } from '../values.js';
import { CMATH_NAMES, cmathMember } from './cmath-module.js';
import { MATH_NAMES, mathMember } from './math-module.js';
import { numpyLinalgMember, numpyMember } from './numpy-module.js';
import { reasonForMember } from './reasons.js';
import { isStandardModule, standardMember } from './standard-library.js';
import { scipyNormalMember, scipySpecialMember } from './scipy-module.js';

type Members = (ev: Evaluator, name: string) => Value | undefined;

const MODULES: Readonly<Record<string, Members | undefined>> = Object.assign(Object.create(null), {
  math: mathMember,
  cmath: cmathMember,
  numpy: numpyMember,
  'numpy.linalg': numpyLinalgMember,
  'numpy.finfo': (_ev: Evaluator, name: string) => {
    const value = FLOAT_INFO[name];
    return value === undefined ? undefined : known('npfloat', value);
  },
  'scipy.special': scipySpecialMember,
  // An object, whose methods are what is used.
  'scipy.stats.norm': scipyNormalMember,
});

/** Of float64. */
const FLOAT_INFO: Readonly<Record<string, number | undefined>> = Object.assign(Object.create(null), {
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

/** Importing is harmless; using an untranslated member is the diagnostic. */
export function importModule(path: string): Value {
  return { tag: 'module', path };
}

export function moduleMember(ev: Evaluator, path: string, name: string, position: Position): Value {
  const value = MODULES[path]?.(ev, name) ?? standardMember(path, name, ev);
  if (value !== undefined) return value;
  const inside = `${path}.${name}`;
  const isModule = (known: string): boolean => known === inside || known.startsWith(`${inside}.`);
  if (isStandardModule(inside) || Object.keys(MODULES).some(isModule)) {
    return importModule(inside);
  }
  const reason = IGNORED.has(path) ? `${inside} is used as a value, not as a type hint` : reasonForMember(inside);
  return { tag: 'opaque', reason, position } satisfies OpaqueValue;
}

/** What `from math import *` binds, or from cmath. Other modules hide which names are used, NumPy's set depends on its version. */
export function allMembers(ev: Evaluator, path: string, position: Position): [string, Value][] {
  const names = { math: MATH_NAMES, cmath: CMATH_NAMES }[path];
  if (names === undefined)
    throw new Unsupported(`from ${path} import * hides which names are used; import them one by one`, position);
  return names.map((name) => [name, moduleMember(ev, path, name, position)]);
}

/** `module.name` in an expression: must be translated. */
export function moduleAttribute(ev: Evaluator, path: string, name: string, position: Position): Value {
  const value = moduleMember(ev, path, name, position);
  if (value.tag === 'opaque') throw new Unsupported(value.reason, position);
  return value;
}
