/**
 * Kinds of numbers, and the marks of those that are of several kinds.
 */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { LaneStatus, type IndexForm } from '../../ir/types.js';
import type { BinaryOperator } from '../syntax/ast.js';
import { isBoolKind, isIntKind, isNumPyKind, type Scalar, type ScalarKind } from './values.js';

/** Integers below it are exact; a result that is equal to it may be one more, rounded. */
export const MAX_EXACT_INTEGER = 2 ** 53;

/** Statuses for which a lane is left to CPython and may well get a number there. */
export const LEFT_TO_CPYTHON: ReadonlySet<LaneStatus> = new Set([
  LaneStatus.ComplexResult,
  LaneStatus.IntegerRange,
  LaneStatus.FuelExhausted,
  LaneStatus.ReductionRange,
  LaneStatus.Untranslated,
]);

/** How the result of an arithmetic operation is typed: NumPy's scalar types win over Python's, floats over integers. */
export function arithmeticKind(a: ScalarKind, b: ScalarKind): ScalarKind {
  const numpy = isNumPyKind(a) || isNumPyKind(b);
  const isFloat = !isIntKind(a) && !isBoolKind(a) ? true : !isIntKind(b) && !isBoolKind(b);
  if (isFloat) return numpy ? 'npfloat' : 'float';
  return numpy ? 'npint' : 'int';
}

/** The kind of `a operator b`. */
export function resultKind(operator: BinaryOperator, a: ScalarKind, b: ScalarKind): ScalarKind {
  if (isBoolKind(a) && isBoolKind(b)) {
    const isNumPy = isNumPyKind(a) || isNumPyKind(b);
    if (operator === '&' || operator === '|' || operator === '^') return isNumPy ? 'npbool' : 'bool';
    if (isNumPy && (operator === '+' || operator === '*')) return 'npbool';
  }
  const kind = arithmeticKind(a, b);
  if (operator !== '/') return kind;
  return isNumPyKind(kind) ? 'npfloat' : 'float';
}

/** The kind that can hold either value after a branch; conservative in its checks. */
export function joinKinds(a: ScalarKind, b: ScalarKind): ScalarKind {
  if (a === b) return a;
  if (isBoolKind(a) && isBoolKind(b)) return 'bool';
  const isFloat = (k: ScalarKind): boolean => k === 'float' || k === 'npfloat';
  const isNumPyNumber = (k: ScalarKind): boolean => k === 'npfloat' || k === 'npint';
  if (isFloat(a) || isFloat(b)) return isNumPyNumber(a) && isNumPyNumber(b) ? 'npfloat' : 'float';
  return 'int';
}

/**
 * Marks for what a value's kind does not say, as bits. Where branches meet, one value stands for several Python types:
 *
 * UNCERTAIN: NumPy's on some lanes and Python's on others. It counts as Python's, whose checks are stricter, but
 * whether a check that fires raises, only CPython can tell.
 * MIXED: NumPy's truth value on some lanes only. As a condition all are alike, in arithmetic not.
 * TRUTH: a number that is one of Python's truth values on some lanes: with NumPy's truth values it follows other rules
 * there.
 * INT: a float that is an int on some lanes, where it neither overflows nor has a negative zero.
 * ZERO: where it is zero, its sign is not sure, because it was computed from the former.
 * Above these, a bit for each kind that it has on some lanes or others, where that is known.
 */
export const UNCERTAIN = 1;

export const MIXED = 2;

export const TRUTH = 4;

export const INT = 8;

export const ZERO = 16;

const KINDS: readonly ScalarKind[] = ['bool', 'int', 'float', 'npbool', 'npint', 'npfloat'];

const kindMark = (kind: ScalarKind): number => 32 << KINDS.indexOf(kind);

export const kindMarks = (kinds: Iterable<ScalarKind>): number => {
  let marks = 0;
  for (const kind of kinds) marks |= kindMark(kind);
  return marks;
};

export const markedKinds = (marks: number): readonly ScalarKind[] =>
  KINDS.filter((kind) => (marks & kindMark(kind)) !== 0);

export const PYTHON_KIND: Readonly<Record<ScalarKind, ScalarKind>> = {
  bool: 'bool',
  int: 'int',
  float: 'float',
  npbool: 'bool',
  npint: 'int',
  npfloat: 'float',
};

export const isKnownFloat = (s: Scalar): s is Scalar & { readonly known: number } =>
  s.known !== undefined && (s.kind === 'npfloat' || s.kind === 'float');

export const isIntLike = (s: Scalar): boolean => isIntKind(s.kind) || isBoolKind(s.kind);

/** Whole numbers that are sums, products and powers of whole numbers, without rounding. */
export const areExact = (numbers: readonly Scalar[]): boolean =>
  numbers.every((s) => Number.isInteger(s.known) && Math.abs(s.known as number) <= MAX_EXACT_INTEGER);

/** Units by which products differ from a power of NumPy's, which is itself within 4 of the exact one. */
export const POWER_ULP = 8;

/** Exponents of `ScalarOps.smallPower`. */
export const SMALL_POWERS = [0, 1, 2, 3, 4, 0.5, -0.5, -1];

/** An operation on known numbers that is more than its result, such as one that raises. */
export class NotTabular extends Error {}

/** `a operator b` where that is an index form for every value of the indices. */
export function affineForm(
  operator: BinaryOperator,
  a: IndexForm,
  b: IndexForm,
  rangeOf: (form: IndexForm) => { readonly min: number; readonly max: number },
): IndexForm | undefined {
  switch (operator) {
    case '+':
      return addForms(a, b);
    case '-':
      return addForms(a, scaleForm(b, -1));
    case '*':
      if (b.terms.length === 0) return scaleForm(a, b.offset);
      return a.terms.length === 0 ? scaleForm(b, a.offset) : undefined;
    case '//':
    case '%': {
      const divisor = b.offset;
      if (b.terms.length > 0 || divisor <= 0) return undefined;
      const remainder = ((a.offset % divisor) + divisor) % divisor;
      let quotient: IndexForm;
      if (a.terms.every((t) => t.scale % divisor === 0)) {
        const terms = a.terms.map((t) => ({ index: t.index, scale: t.scale / divisor }));
        quotient = { offset: (a.offset - remainder) / divisor, terms };
      } else {
        // All in one period.
        const { min, max } = rangeOf(a);
        if (Math.floor(min / divisor) !== Math.floor(max / divisor)) return undefined;
        quotient = constantForm(Math.floor(min / divisor));
      }
      return operator === '//' ? quotient : addForms(a, scaleForm(quotient, -divisor));
    }
    default:
      return undefined;
  }
}

export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const difference = value - floor;
  if (difference < 0.5) return floor === 0 && (value < 0 || Object.is(value, -0)) ? -0 : floor;
  if (difference > 0.5) return floor + 1 === 0 ? -0 : floor + 1;
  const even = floor % 2 === 0 ? floor : floor + 1;
  return even === 0 && value < 0 ? -0 : even;
}
