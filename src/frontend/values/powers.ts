/**
 * Powers: `**` of numbers of every kind.
 */
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { isIndexed, valuesOf, type IndexedScalar } from './indexed.js';
import { areExact, arithmeticKind, POWER_ULP, SMALL_POWERS } from './scalar-kinds.js';
import type { ScalarOps } from './scalars.js';
import { bool, isIntKind, known, Unsupported, type Scalar, type ScalarKind } from './values.js';

export function power(ops: ScalarOps, a: Scalar, b: Scalar, position: Position): Scalar {
  const kind = arithmeticKind(a.kind, b.kind);
  if (isIntKind(kind)) return integerPower(ops, a, b, kind, position);
  const indexed = ops.indexed([a, b], (v, w) => power(ops, v, w, position));
  if (indexed !== undefined) return indexed;
  if (b.known !== undefined) {
    const product = smallPower(ops, a, b.known, kind);
    if (product !== null) return product;
  }
  if (isIndexed(b)) return indexedPower(ops, a, b, kind);
  return generalPower(ops, a, b, kind);
}

function generalPower(ops: ScalarOps, a: Scalar, b: Scalar, kind: ScalarKind): Scalar {
  const isPython = kind === 'float';
  if (isPython) {
    const zero = known('float', 0);
    const isNegative = ops.and(ops.compare('<', b, zero), ops.isFinite(b));
    ops.check(ops.and(ops.isZero(a), isNegative), LaneStatus.ZeroDivision);
    const fractional = ops.compare('!=', ops.floor(b), b);
    const negative = ops.compare('<', a, zero);
    ops.check(ops.and(negative, ops.and(fractional, ops.isFinite(b))), LaneStatus.ComplexResult);
  }
  if (!isPython) ops.requireSign(a);
  const result = ops.math('pow', kind, a, b);
  if (isPython) ops.checkOverflow(result, a, b);
  return result;
}

/** A power whose exponent depends on indices: small ones are multiplications, as in an unrolled loop. */
function indexedPower(ops: ScalarOps, a: Scalar, b: IndexedScalar, kind: ScalarKind): Scalar {
  const exponents = valuesOf(ops.builder, b);
  const small = SMALL_POWERS.filter((e) => exponents === undefined || exponents.has(e));
  const matches = small.map((e) => ops.compare('==', b, known('float', e)));
  const isOther = matches.reduce<Scalar>((other, match) => ops.and(other, ops.not(match)), bool(true));
  let result = ops.guarded(isOther, () => generalPower(ops, a, b, kind));
  small.forEach((e, k) => {
    const power = ops.guarded(matches[k], () => smallPower(ops, a, e, kind) as Scalar);
    result = ops.select(matches[k], power, result);
  });
  return result;
}

/** Powers that a few multiplications give within 2 ULP. */
function smallPower(ops: ScalarOps, a: Scalar, exponent: number, kind: ScalarKind): Scalar | null {
  const isPython = kind === 'float';
  // CPython's power is correctly rounded in nearly all cases, so that a product is the next number at most.
  const square = (): Scalar => powerStep(ops, ops.arith('mul', kind, a, a), a, 1);
  const overflowing = (s: Scalar): Scalar => {
    if (isPython) ops.checkOverflow(s, a);
    return s;
  };
  switch (exponent) {
    case 0:
      return known(kind, 1);
    case 1:
      return ops.retag(a, kind);
    case 2:
      return overflowing(square());
    case 3:
      return overflowing(powerStep(ops, ops.arith('mul', kind, square(), a), a, POWER_ULP));
    case 4: {
      const s = square();
      return overflowing(powerStep(ops, ops.arith('mul', kind, s, s), a, POWER_ULP));
    }
    case 0.5:
      if (isPython) ops.check(ops.compare('<', a, known('float', 0)), LaneStatus.ComplexResult);
      return powerStep(ops, powerOfHalf(ops, a, kind), a, 1);
    case -0.5:
      if (isPython) {
        ops.check(ops.compare('<', a, known('float', 0)), LaneStatus.ComplexResult);
        ops.check(ops.isZero(a), LaneStatus.ZeroDivision);
      }
      return powerStep(ops, ops.arith('div', kind, known(kind, 1), powerOfHalf(ops, a, kind)), a, POWER_ULP);
    case -1:
      if (isPython) ops.check(ops.isZero(a), LaneStatus.ZeroDivision);
      return overflowing(powerStep(ops, ops.arith('div', kind, known(kind, 1), a), a, 1));
    default:
      return null;
  }
}

function powerStep(ops: ScalarOps, result: Scalar, base: Scalar, ulp: number): Scalar {
  if (!ops.statesErrors || areExact([base, result]) || (ops.isArrayPower && ulp === 1)) return result;
  return ops.loose(result, ulp);
}

/**
 * pow(a, 0.5) is the root but at -0.0 (gives 0.0) and -inf (gives inf). Python floats below zero are flagged before.
 */
function powerOfHalf(ops: ScalarOps, a: Scalar, kind: ScalarKind): Scalar {
  const root = ops.arith('add', kind, ops.sqrt(a, kind), known(kind, 0));
  if (kind === 'float') return root;
  return ops.select(ops.compare('==', a, known(kind, -Infinity)), known(kind, Infinity), root);
}

function integerPower(ops: ScalarOps, a: Scalar, b: Scalar, kind: ScalarKind, position: Position): Scalar {
  const exponent = b.known;
  if (exponent === undefined)
    throw new Unsupported('an integer power whose exponent depends on x (float(base) ** n is compiled)', position);
  if (exponent < 0) {
    if (kind === 'npint') ops.raise(LaneStatus.Raised, 'ValueError');
    // Python's ints give a float, NumPy's raise.
    if (ops.isUncertain(a) || ops.isUncertain(b)) ops.raise(LaneStatus.Untranslated);
    return power(ops, ops.retag(a, 'float'), b, position);
  }
  if (a.known !== undefined) {
    if (exponent * Math.log2(Math.abs(a.known) + 1) > 64 && Math.abs(a.known) > 1) {
      throw new Unsupported('integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)', position);
    }
    return ops.exactInteger(known(kind, Number(BigInt(a.known) ** BigInt(exponent))), position);
  }
  if (exponent > 64) throw new Unsupported('an integer power above 64 of a number that depends on x', position);
  let result: Scalar = known(kind, 1);
  for (let k = 0; k < exponent; k++) result = ops.binary('*', result, a, position);
  return ops.retag(result, kind);
}
