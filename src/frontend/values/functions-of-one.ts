/**
 * Functions of one number.
 */
import { isExactCall } from '../../ir/exact-calls.js';
import { scaleForm } from '../../ir/index-form.js';
import { evaluateOp } from '../../ir/interpreter.js';
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus } from '../../ir/types.js';
import type { Position } from '../syntax/ast.js';
import { INT, isIntLike, MIXED, NotTabular, roundHalfEven, ZERO } from './scalar-kinds.js';
import type { ScalarOps } from './scalars.js';
import { bool, dynamic, isBoolKind, isIntKind, known, type Scalar, type ScalarKind } from './values.js';

export function negate(ops: ScalarOps, s: Scalar): Scalar {
  const negated = ops.withUncertain([s], () => negation(ops, s));
  const result = ops.markKinds(negated, [s], (kind) => (kind === 'bool' ? 'int' : kind));
  if (isIntLike(result)) return result;
  const isInt = ops.isSometimesInt(s);
  return isInt ? ops.markInt(result, INT | ZERO, ops.intBound(s)) : ops.mark(result, ops.marksOf(s) & ZERO);
}

function negation(ops: ScalarOps, s: Scalar): Scalar {
  ops.refuseMixed(s, ops.here);
  if (s.kind === 'npbool') ops.raise(LaneStatus.Raised, 'TypeError');
  const kind = isBoolKind(s.kind) ? (s.kind === 'bool' ? 'int' : 'npint') : s.kind;
  if (s.known !== undefined) return known(kind, isIntKind(kind) ? 0 - s.known : -s.known);
  if (s.at !== undefined) return ops.formScalar(kind, scaleForm(s.at, -1));
  const indexed = ops.indexed([s], (v) => negation(ops, v));
  if (indexed !== undefined) return indexed;
  if (isIntKind(kind)) return dynamic(kind, ops.builder.op('sub', ops.builder.const(0), ops.f64(s)));
  return dynamic(kind, ops.builder.op('neg', s.id));
}

export function abs(ops: ScalarOps, s: Scalar): Scalar {
  // NumPy's truth values stay what they are.
  if (s.kind === 'npbool') return s;
  const size = ops.withUncertain([s], () => magnitude(ops, s));
  const result = ops.markKinds(size, [s], (kind) => (kind === 'bool' ? 'int' : kind));
  const marks = ops.marksOf(s) & (MIXED | INT);
  return (marks & INT) === 0 ? ops.mark(result, marks) : ops.markInt(result, marks, ops.intBound(s));
}

function magnitude(ops: ScalarOps, s: Scalar): Scalar {
  const kind = isBoolKind(s.kind) ? (s.kind === 'bool' ? 'int' : 'npint') : s.kind;
  if (s.known !== undefined) return known(kind, Math.abs(s.known));
  const indexed = ops.indexed([s], (v) => magnitude(ops, v));
  if (indexed !== undefined) return indexed;
  return dynamic(kind, ops.builder.op('abs', ops.f64(s)));
}

export function rounding(ops: ScalarOps, op: 'floor' | 'ceil' | 'trunc' | 'rint', s: Scalar, kind: ScalarKind): Scalar {
  if (isIntKind(s.kind) || isBoolKind(s.kind)) return ops.retag(s, kind);
  if (s.known !== undefined) return known(kind, op === 'rint' ? roundHalfEven(s.known) : Math[op](s.known));
  const indexed = ops.indexed([s], (v) => rounding(ops, op, v, kind));
  if (indexed !== undefined) return indexed;
  const result = dynamic(kind, ops.builder.op(op, s.id));
  return isIntKind(kind) ? result : ops.mark(result, ops.marksOf(s) & ZERO);
}

export function sqrt(ops: ScalarOps, s: Scalar, kind: ScalarKind): Scalar {
  if (s.known !== undefined) return known(kind, Math.sqrt(s.known));
  const indexed = ops.indexed([s], (v) => sqrt(ops, v, kind));
  if (indexed !== undefined) return indexed;
  return ops.mark(dynamic(kind, ops.builder.op('sqrt', ops.f64(s))), ops.marksOf(s) & ZERO);
}

export function toInt(ops: ScalarOps, s: Scalar, op: 'floor' | 'ceil' | 'trunc' | 'rint', position: Position): Scalar {
  if (isIntKind(s.kind) || isBoolKind(s.kind)) return ops.retag(s, s.kind === 'npint' ? 'npint' : 'int');
  const indexed = ops.indexed([s], (v) => toInt(ops, v, op, position));
  if (indexed !== undefined) return indexed;
  // Known, but for its kind.
  const constant = s.known === undefined ? ops.builder.constantOf(s.id) : undefined;
  if (constant !== undefined) return toInt(ops, known(s.kind, constant), op, position);
  ops.checkConversion(s);
  return ops.exactInteger(rounding(ops, op, s, 'int'), position);
}

export function signBit(ops: ScalarOps, s: Scalar): Scalar {
  if (s.known !== undefined) return bool(s.known < 0 || Object.is(s.known, -0));
  if (isIntLike(s)) return ops.compare('<', s, known('int', 0));
  ops.requireSign(s);
  return dynamic('bool', ops.builder.op('signbit', s.id));
}

export function math(ops: ScalarOps, op: MathOpName, kind: ScalarKind, ...args: Scalar[]): Scalar {
  if (args.every((s) => s.known !== undefined)) {
    const numbers = args.map((s) => s.known as number);
    const value = evaluateOp(op, numbers);
    if (!ops.statesErrors || isExactCall(op, numbers[0], numbers[1] ?? 0, value)) return known(kind, value);
    if (ops.isTabulating) throw new NotTabular();
    return dynamic(kind, ops.builder.op(op, ...args.map((s) => ops.f64(s))));
  }
  const indexed = ops.indexed(args, (...values) => math(ops, op, kind, ...values));
  if (indexed !== undefined) return indexed;
  if (op === 'atan2') for (const s of args) ops.requireSign(s);
  const result = dynamic(kind, ops.builder.op(op, ...args.map((s) => ops.f64(s))));
  return args.some((s) => ops.has(s, ZERO)) ? ops.mark(result, ZERO) : result;
}

export function primitive(
  ops: ScalarOps,
  op: 'exponent' | 'mantissa' | 'scale',
  kind: ScalarKind,
  ...args: Scalar[]
): Scalar {
  if (args.every((s) => s.known !== undefined))
    return known(
      kind,
      evaluateOp(
        op,
        args.map((s) => s.known as number),
      ),
    );
  return dynamic(kind, ops.builder.op(op, ...args.map((s) => ops.f64(s))));
}
