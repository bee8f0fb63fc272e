/**
 * Arithmetic and comparison of two numbers.
 */
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { LaneStatus } from '../../ir/types.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import { isIndexed } from './indexed.js';
import {
  affineForm,
  arithmeticKind,
  INT,
  isIntLike,
  isKnownFloat,
  MAX_EXACT_INTEGER,
  MIXED,
  resultKind,
  ZERO,
} from './scalar-kinds.js';
import type { ScalarOps } from './scalars.js';
import {
  dynamic,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  known,
  Unsupported,
  type Scalar,
  type ScalarKind,
} from './values.js';

/** Arithmetic on index forms; undefined where the result is none. */
function affine(ops: ScalarOps, operator: BinaryOperator, a: Scalar, b: Scalar): Scalar | undefined {
  if (a.at === undefined && b.at === undefined) return undefined;
  const p = ops.formOf(a);
  const q = ops.formOf(b);
  if (p === undefined || q === undefined) return undefined;
  const form = affineForm(operator, p, q, (f) => ops.builder.rangeOf(f));
  if (form === undefined) return undefined;
  const { min, max } = ops.builder.rangeOf(form);
  if (min <= -MAX_EXACT_INTEGER || max >= MAX_EXACT_INTEGER) return undefined;
  return ops.formScalar(arithmeticKind(a.kind, b.kind), form);
}

/** A comparison of integers that the ranges of indices decide. */
function settledByIndex(ops: ScalarOps, operator: ComparisonOperator, a: Scalar, b: Scalar): boolean | undefined {
  if (a.at === undefined && b.at === undefined) return undefined;
  const p = a.at ?? (a.known === undefined ? undefined : constantForm(a.known));
  const q = b.at ?? (b.known === undefined ? undefined : constantForm(b.known));
  if (p === undefined || q === undefined || !Number.isFinite(p.offset) || !Number.isFinite(q.offset)) return undefined;
  const { min, max } = ops.builder.rangeOf(addForms(p, scaleForm(q, -1)));
  const decide = (holds: boolean, fails: boolean): boolean | undefined => (holds ? true : fails ? false : undefined);
  switch (operator) {
    case '<':
      return decide(max < 0, min >= 0);
    case '<=':
      return decide(max <= 0, min > 0);
    case '>':
      return decide(min > 0, max <= 0);
    case '>=':
      return decide(min >= 0, max < 0);
    case '==':
      return decide(min === 0 && max === 0, min > 0 || max < 0);
    case '!=':
      return decide(min > 0 || max < 0, min === 0 && max === 0);
    default:
      return undefined;
  }
}

export function comparison(ops: ScalarOps, operator: ComparisonOperator, a: Scalar, b: Scalar): Scalar {
  const kind = isNumPyKind(a.kind) || isNumPyKind(b.kind) ? 'npbool' : 'bool';
  const x = a.known;
  const y = b.known;
  if (x !== undefined && y !== undefined) {
    const result = { '==': x === y, '!=': x !== y, '<': x < y, '<=': x <= y, '>': x > y, '>=': x >= y }[
      operator as '=='
    ];
    return known(kind, result ? 1 : 0);
  }
  const settled = settledByIndex(ops, operator, a, b);
  if (settled !== undefined) return known(kind, settled ? 1 : 0);
  if ((isIndexed(a) && a.at === undefined) || (isIndexed(b) && b.at === undefined)) {
    const indexed = ops.indexed([a, b], (v, w) => comparison(ops, operator, v, w));
    if (indexed !== undefined) return indexed;
  }
  const p = ops.f64(a);
  const q = ops.f64(b);
  switch (operator) {
    case '==':
      return ops.built(kind, ops.builder.op('eq', p, q));
    case '!=':
      return ops.built(kind, ops.builder.op('ne', p, q));
    case '<':
      return ops.built(kind, ops.builder.op('lt', p, q));
    case '<=':
      return ops.built(kind, ops.builder.op('le', p, q));
    case '>':
      return ops.built(kind, ops.builder.op('lt', q, p));
    default:
      return ops.built(kind, ops.builder.op('le', q, p));
  }
}

export function exactInteger(ops: ScalarOps, s: Scalar, position: Position): Scalar {
  if (!isIntKind(s.kind)) return s;
  if (s.known !== undefined) {
    if (Math.abs(s.known) >= MAX_EXACT_INTEGER) {
      throw new Unsupported('integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)', position);
    }
    // Python's int has no negative zero.
    return s.known === 0 ? known(s.kind, 0) : s;
  }
  ops.check(ops.compare('>=', ops.abs(s), known('float', MAX_EXACT_INTEGER)), LaneStatus.IntegerRange);
  return dynamic(s.kind, ops.builder.op('add', s.id, ops.builder.const(0)));
}

export function binary(ops: ScalarOps, operator: BinaryOperator, a: Scalar, b: Scalar, position: Position): Scalar {
  if (
    ops.looseness === 0 &&
    isKnownFloat(a) &&
    isKnownFloat(b) &&
    (operator === '+' || operator === '-' || operator === '*')
  ) {
    const kind = arithmeticKind(a.kind, b.kind);
    return known(kind, operator === '+' ? a.known + b.known : operator === '-' ? a.known - b.known : a.known * b.known);
  }
  const hasInt = ops.isSometimesInt(a) || ops.isSometimesInt(b);
  const isUncertain = ops.isUncertain(a) || ops.isUncertain(b);
  const isPlain = !hasInt && !ops.has(a, ZERO) && !ops.has(b, ZERO);
  if (isPlain && !isUncertain) return binaryOf(ops, operator, a, b, position);
  if (hasInt && operator === '**') refuseNegativePower(ops, a, b, position);
  const build = (): Scalar => {
    const result = ops.withUncertain([a, b], () => binaryOf(ops, operator, a, b, position));
    return ops.markKinds(result, [a, b], (p, q) => resultKind(operator, p, q));
  };
  if (isPlain) return build();
  // A power of ints is an int of any size where one of floats overflows.
  const result = hasInt && operator === '**' ? ops.beyondTry(build) : build();
  if (isIntLike(result)) return result;
  const marks = arithmeticMarks(ops, operator, a, b);
  if ((marks & INT) === 0) return ops.mark(result, marks);
  const bound = integerBound(ops, operator, a, b);
  if (bound >= MAX_EXACT_INTEGER) {
    ops.check(ops.compare('>=', ops.abs(result), known('float', MAX_EXACT_INTEGER)), LaneStatus.IntegerRange);
  }
  return markInt(ops, result, marks, bound);
}

/** NumPy's integers have no negative powers, where its floats and Python's numbers have. */
function refuseNegativePower(ops: ScalarOps, a: Scalar, b: Scalar, position: Position): void {
  if (b.known !== undefined && b.known >= 0) return;
  const integers = (s: Scalar): ScalarKind[] => ops.possibleKinds(s).filter((k) => isIntKind(k) || isBoolKind(k));
  const [p, q] = [integers(a), integers(b)];
  const isOpen = p.length > 0 && q.length > 0 && [...p, ...q].some(isNumPyKind);
  if (!isOpen) return;
  if (b.known !== undefined)
    throw new Unsupported("a negative power of what is NumPy's integer or a float, depending on x", position);
  ops.leave(ops.compare('<', b, known('int', 0)));
}

function integerBound(ops: ScalarOps, operator: BinaryOperator, a: Scalar, b: Scalar): number {
  const [p, q] = [ops.intBound(a), ops.intBound(b)];
  switch (operator) {
    case '+':
    case '-':
      return p + q;
    case '*':
      return p * q;
    case '//':
      return p;
    case '%':
      return q;
    default:
      return b.known === undefined ? Infinity : p ** b.known;
  }
}

export function markInt(ops: ScalarOps, s: Scalar, marks: number, bound: number): Scalar {
  if (s.known === undefined && bound < MAX_EXACT_INTEGER) {
    const other = ops.has(s, INT) ? ops.intBound(s) : 0;
    ops.intBounds.set(s.id, Math.max(bound, other));
  } else if (s.known === undefined) ops.intBounds.delete(s.id);
  return ops.mark(s, marks);
}

function arithmeticMarks(ops: ScalarOps, operator: BinaryOperator, a: Scalar, b: Scalar): number {
  const isInt = operator !== '/' && ops.maybeInt(a) && ops.maybeInt(b);
  const isSum = operator === '+' || operator === '-';
  const isPositive = (s: Scalar): boolean => s.known !== undefined && s.known > 0;
  const isNonzero = (s: Scalar): boolean => s.known !== undefined && s.known !== 0;
  const wasUnsure = ops.has(a, ZERO) || ops.has(b, ZERO);
  const isUnsure = wasUnsure
    ? !isSum || !(isNonzero(a) || isNonzero(b))
    : isInt && !isSum && !isPositive(b) && !(operator === '*' && isPositive(a));
  return (isInt ? INT : 0) | (isUnsure ? ZERO : 0);
}

function binaryOf(ops: ScalarOps, operator: BinaryOperator, a: Scalar, b: Scalar, position: Position): Scalar {
  // With a number it makes no difference whose truth value it is.
  const isPlain = operator === '+' || operator === '-' || operator === '*';
  const mayBeTruth = (s: Scalar): boolean => isBoolKind(s.kind) || ops.has(s, MIXED);
  const clash = (p: Scalar, q: Scalar): boolean => p.kind === 'npbool' && !isBoolKind(q.kind) && ops.maybeTruth(q);
  if (clash(a, b) || clash(b, a)) {
    throw new Unsupported(
      "arithmetic of NumPy's truth values with one of Python's or a number depending on x",
      position,
    );
  }
  if (!isPlain || mayBeTruth(b)) ops.refuseMixed(a, position);
  if (!isPlain || mayBeTruth(a)) ops.refuseMixed(b, position);
  if (isBoolKind(a.kind) && isBoolKind(b.kind) && (a.kind === 'npbool' || b.kind === 'npbool')) {
    if (operator === '+' || operator === '|') return ops.retag(ops.or(a, b), 'npbool');
    if (operator === '*' || operator === '&') return ops.retag(ops.and(a, b), 'npbool');
    // NumPy refuses to subtract truth values: TypeError.
    if (operator === '-') ops.raise(LaneStatus.Raised, 'TypeError');
    if (operator !== '^') throw new Unsupported(`'${operator}' between NumPy booleans is not translated`, position);
  }
  const indexed = affine(ops, operator, a, b) ?? ops.indexed([a, b], (v, w) => binaryOf(ops, operator, v, w, position));
  if (indexed !== undefined) return indexed;
  const kind = arithmeticKind(a.kind, b.kind);
  switch (operator) {
    case '+':
      return exactInteger(ops, ops.arith('add', kind, a, b), position);
    case '-':
      return exactInteger(ops, ops.arith('sub', kind, a, b), position);
    case '*':
      return exactInteger(ops, ops.arith('mul', kind, a, b), position);
    case '/': {
      const floatKind = isNumPyKind(kind) ? 'npfloat' : 'float';
      if (floatKind === 'float') ops.check(ops.isZero(b), LaneStatus.ZeroDivision);
      else ops.requireSign(b);
      return ops.arith('div', floatKind, a, b);
    }
    case '//':
      return divmod(ops, a, b, kind, position).quotient;
    case '%':
      return divmod(ops, a, b, kind, position).remainder;
    case '**':
      return ops.power(a, b, position);
    case '&':
    case '|':
    case '^':
      return bitwise(ops, operator, a, b, position);
    case '<<':
    case '>>':
      if (a.known !== undefined && b.known !== undefined && b.known >= 0 && isIntKind(kind)) {
        const shifted = operator === '<<' ? a.known * 2 ** b.known : Math.floor(a.known / 2 ** b.known);
        return exactInteger(ops, known(kind, shifted), position);
      }
      if (b.known !== undefined && b.known >= 0 && b.known < 53 && isIntKind(kind)) {
        const power = known(kind, 2 ** b.known);
        const number = ops.retag(a, kind);
        if (operator === '>>') return divmod(ops, number, power, kind, position).quotient;
        return exactInteger(ops, ops.arith('mul', kind, number, power), position);
      }
      throw new Unsupported(`'${operator}' on numbers that depend on x is not translated`, position);
    case '@':
      throw new Unsupported("'@' between numbers, which is a TypeError", position);
  }
}

function bitwise(ops: ScalarOps, operator: '&' | '|' | '^', a: Scalar, b: Scalar, position: Position): Scalar {
  if (isBoolKind(a.kind) && isBoolKind(b.kind)) {
    const kind: ScalarKind = isNumPyKind(a.kind) || isNumPyKind(b.kind) ? 'npbool' : 'bool';
    if (operator === '&') return ops.retag(ops.and(a, b), kind);
    if (operator === '|') return ops.retag(ops.or(a, b), kind);
    if (a.known !== undefined && b.known !== undefined) return known(kind, a.known === b.known ? 0 : 1);
    return dynamic(kind, ops.builder.op('xor', ops.truth(a), ops.truth(b)));
  }
  const kind = arithmeticKind(a.kind, b.kind);
  if (a.known !== undefined && b.known !== undefined && isIntKind(kind)) {
    const x = BigInt(a.known);
    const y = BigInt(b.known);
    return known(kind, Number(operator === '&' ? x & y : operator === '|' ? x | y : x ^ y));
  }
  throw new Unsupported(`'${operator}' on integers that depend on x is not translated`, position);
}

/** Floor division and remainder as CPython's float_divmod does them; `//` and `%` of a compile share the work. */
function divmod(
  ops: ScalarOps,
  a: Scalar,
  b: Scalar,
  kind: ScalarKind,
  position: Position,
): { quotient: Scalar; remainder: Scalar } {
  const zero = ops.isZero(b);
  // NumPy integers give 0 with a warning, NumPy floats an infinity or NaN: rare, so CPython decides.
  ops.check(zero, isNumPyKind(kind) ? LaneStatus.Untranslated : LaneStatus.ZeroDivision);
  if (a.known !== undefined && b.known !== undefined) {
    const x = a.known;
    const y = b.known;
    let mod = x % y;
    let div = (x - mod) / y;
    if (mod !== 0) {
      if (y < 0 !== mod < 0) {
        mod += y;
        div -= 1;
      }
    } else mod = y < 0 || Object.is(y, -0) ? -0 : 0;
    let quotient = Math.floor(div);
    if (div - quotient > 0.5) quotient += 1;
    if (div === 0) quotient = x / y < 0 || Object.is(x / y, -0) ? -0 : 0;
    if (isIntKind(kind)) return { quotient: known(kind, quotient + 0), remainder: known(kind, mod + 0) };
    return { quotient: known(kind, quotient), remainder: known(kind, mod) };
  }
  const g = ops.builder;
  const x = ops.f64(a);
  const y = ops.f64(b);
  const ratio = g.op('div', x, y);
  const huge = g.op('le', g.const(MAX_EXACT_INTEGER), g.op('abs', ratio));
  const finite = g.op('lt', g.op('abs', x), g.const(Infinity));
  ops.check(ops.built('bool', g.op('and', huge, finite)), LaneStatus.ReductionRange);
  const mod = g.op('fmod', x, y);
  const modIsZero = g.op('eq', mod, g.const(0));
  const yNegative = g.op('lt', y, g.const(0));
  const crosses = g.op('and', g.op('not', modIsZero), g.op('xor', yNegative, g.op('lt', mod, g.const(0))));
  const signedZero = g.op('select', yNegative, g.const(-0), g.const(0));
  const adjusted = g.op('select', crosses, g.op('add', mod, y), mod);
  const remainder = g.op('select', modIsZero, signedZero, adjusted);
  const exact = g.op('div', g.op('sub', x, mod), y);
  const div = g.op('select', crosses, g.op('sub', exact, g.const(1)), exact);
  const floor = g.op('floor', div);
  const late = g.op('lt', g.const(0.5), g.op('sub', div, floor));
  const rounded = g.op('select', late, g.op('add', floor, g.const(1)), floor);
  const zeroQuotient = g.op('select', g.op('signbit', ratio), g.const(-0), g.const(0));
  const quotient = g.op('select', g.op('eq', div, g.const(0)), zeroQuotient, rounded);
  const q = dynamic(kind, quotient);
  const r = dynamic(kind, remainder);
  return isIntKind(kind)
    ? { quotient: exactInteger(ops, q, position), remainder: exactInteger(ops, r, position) }
    : { quotient: q, remainder: r };
}
