/**
 * Arithmetic on Python and NumPy scalars: chooses IR operations by the operands' types and builds the checks for what
 * Python would raise. Facts behind the choices: the semantics table in docs/numerics.md.
 */
import type { IrBuilder } from '../../ir/builder.js';
import { addForms, constantForm, scaleForm } from '../../ir/index-form.js';
import { isExactCall } from '../../ir/exact-calls.js';
import { evaluateOp } from '../../ir/interpreter.js';
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus, type IndexForm, type ValueId } from '../../ir/types.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import type { PlainStatus, Raised } from './exceptions.js';
import { IndexedScalar, isIndexed, tabulate, valuesOf } from './indexed.js';
import {
  PathCaught,
  PathRaises,
  Unsupported,
  bool,
  dynamic,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  known,
  toNumPyKind,
  type Scalar,
  type ScalarKind,
} from './values.js';

/** Integers below it are exact; a result that is equal to it may be one more, rounded. */
const MAX_EXACT_INTEGER = 2 ** 53;

/** What a lane is left to CPython for that may well get a number there. */
const LEFT_TO_CPYTHON: ReadonlySet<LaneStatus> = new Set([
  LaneStatus.ComplexResult,
  LaneStatus.IntegerRange,
  LaneStatus.FuelExhausted,
  LaneStatus.ReductionRange,
  LaneStatus.Untranslated,
]);

/** How the result of an arithmetic operation is typed: NumPy's scalar types win over Python's, floats over integers. */
function arithmeticKind(a: ScalarKind, b: ScalarKind): ScalarKind {
  const numpy = isNumPyKind(a) || isNumPyKind(b);
  const isFloat = !isIntKind(a) && !isBoolKind(a) ? true : !isIntKind(b) && !isBoolKind(b);
  if (isFloat) return numpy ? 'npfloat' : 'float';
  return numpy ? 'npint' : 'int';
}

/** The kind of `a operator b`. */
function resultKind(operator: BinaryOperator, a: ScalarKind, b: ScalarKind): ScalarKind {
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
 * What a value's kind does not say, as bits. Where branches meet, one value stands for several Python types:
 *
 * UNCERTAIN: NumPy's on some lanes and Python's on others. It counts as Python's, whose checks are stricter, but whether a
 * check that fires raises, only CPython can tell.
 * MIXED: NumPy's truth value on some lanes only. As a condition all are alike, in arithmetic not.
 * TRUTH: a number that is one of Python's truth values on some lanes: with NumPy's truth values it follows other rules
 * there.
 * INT: a float that is an int on some lanes, where it neither overflows nor has a negative zero.
 * ZERO: where it is zero, its sign is not sure, because it was computed from the former.
 * Above these, a bit for each kind that it has on some lanes or others, where that is known.
 */
const UNCERTAIN = 1;
const MIXED = 2;
const TRUTH = 4;
const INT = 8;
const ZERO = 16;
const KINDS: readonly ScalarKind[] = ['bool', 'int', 'float', 'npbool', 'npint', 'npfloat'];
const kindMark = (kind: ScalarKind): number => 32 << KINDS.indexOf(kind);
const kindMarks = (kinds: Iterable<ScalarKind>): number => {
  let marks = 0;
  for (const kind of kinds) marks |= kindMark(kind);
  return marks;
};
const markedKinds = (marks: number): readonly ScalarKind[] => KINDS.filter((kind) => (marks & kindMark(kind)) !== 0);

const PYTHON_KIND: Readonly<Record<ScalarKind, ScalarKind>> = {
  bool: 'bool',
  int: 'int',
  float: 'float',
  npbool: 'bool',
  npint: 'int',
  npfloat: 'float',
};

const isKnownFloat = (s: Scalar): s is Scalar & { readonly known: number } =>
  s.known !== undefined && (s.kind === 'npfloat' || s.kind === 'float');
const isIntLike = (s: Scalar): boolean => isIntKind(s.kind) || isBoolKind(s.kind);
/** Whole numbers that are sums, products and powers of whole numbers, without rounding. */
const areExact = (numbers: readonly Scalar[]): boolean =>
  numbers.every((s) => Number.isInteger(s.known) && Math.abs(s.known as number) <= MAX_EXACT_INTEGER);
/** What products differ by from a power of NumPy's, which is within 4 units in the last place of the exact one. */
const POWER_ULP = 8;
/** Exponents of `ScalarOps.smallPower`. */
const SMALL_POWERS = [0, 1, 2, 3, 4, 0.5, -0.5, -1];

/** An operation on known numbers that is more than its result, such as one that raises. */
class NotTabular extends Error {}

export class ScalarOps {
  /** Line that checks built now are blamed on. */
  get line(): number {
    return this.builder.line;
  }
  set line(line: number) {
    this.builder.line = line;
  }
  private at: Position = { line: 0, column: 1 };

  /** What is built from now on stands there. */
  locate(position: Position): void {
    // Of library code: where it is called.
    if (position.line === 0) return;
    this.at = position;
    this.line = position.line;
  }

  /** Where the program is, for findings that have no node of their own. */
  get here(): Position {
    const { line, column } = this.at;
    return { line: this.line, column: line === this.line ? column : 1 };
  }

  /** Whether the program leaves a lane to CPython that may get a number there. */
  leavesLanes = false;

  constructor(public builder: IrBuilder) {}

  /** Forgets what was built so far. */
  restart(builder: IrBuilder): void {
    builder.line = this.line;
    this.builder = builder;
    this.marks.clear();
    this.negations.clear();
    this.junctions.clear();
    this.intBounds.clear();
    this.isBeyondTry = false;
    this.isTabulating = false;
    this.guard = null;
    this.looseness = 0;
    this.isArrayPower = false;
    this.leavesLanes = false;
  }

  // ---- values ----

  /** The IR f64 of a scalar; booleans become 0 or 1. */
  f64(s: Scalar): ValueId {
    if (s.known !== undefined) return this.builder.const(s.known);
    if (isIndexed(s)) return s.number();
    if (isBoolKind(s.kind)) return this.builder.op('select', s.id, this.builder.const(1), this.builder.const(0));
    return s.id;
  }

  /** The IR bool of a scalar's truth value. */
  truth(s: Scalar): ValueId {
    if (s.known !== undefined) return this.builder.bool(s.known !== 0);
    if (isBoolKind(s.kind)) return s.id;
    return this.builder.op('ne', s.id, this.builder.const(0));
  }

  truthScalar(s: Scalar): Scalar {
    if (s.known !== undefined) return bool(s.known !== 0);
    if (isIndexed(s) && !isBoolKind(s.kind)) return this.retag(this.compare('!=', s, known('int', 0)), 'bool');
    return isBoolKind(s.kind) ? s : dynamic('bool', this.truth(s));
  }

  // ---- whole numbers that depend on indices of rolled loops ----

  /** An integer as an index form. */
  formScalar(kind: ScalarKind, at: IndexForm): Scalar {
    if (at.terms.length === 0) return known(kind, at.offset);
    return new IndexedScalar(this.builder, kind, at, undefined);
  }

  /** One of some numbers by its position. */
  pickKnown(kind: ScalarKind, numbers: ArrayLike<number>, position: IndexForm): Scalar {
    if (position.terms.length === 0) return known(kind, numbers[position.offset]);
    const picked = this.indexed([this.formScalar('int', position)], (k) => known(kind, numbers[k.known as number]));
    if (picked !== undefined) return picked;
    const number = this.builder.load(this.builder.table(Float64Array.from(numbers)), position);
    return isBoolKind(kind)
      ? this.built(kind as 'bool', this.builder.op('ne', number, this.builder.const(0)))
      : dynamic(kind, number);
  }

  /** Whether it is of one type on some lanes and of another on others. */
  isNotCertain(s: Scalar): boolean {
    return this.marksOf(s) !== 0;
  }

  /** The index form that an integer is; undefined for integers that depend on x, and for all that are none. */
  formOf(s: Scalar): IndexForm | undefined {
    if (s.at !== undefined) return s.at;
    return isIntKind(s.kind) && s.known !== undefined ? constantForm(s.known) : undefined;
  }

  /** Arithmetic on index forms; undefined where the result is none. */
  private affine(operator: BinaryOperator, a: Scalar, b: Scalar): Scalar | undefined {
    if (a.at === undefined && b.at === undefined) return undefined;
    const p = this.formOf(a);
    const q = this.formOf(b);
    if (p === undefined || q === undefined) return undefined;
    const form = affineForm(operator, p, q, (f) => this.builder.rangeOf(f));
    if (form === undefined) return undefined;
    const { min, max } = this.builder.rangeOf(form);
    if (min <= -MAX_EXACT_INTEGER || max >= MAX_EXACT_INTEGER) return undefined;
    return this.formScalar(arithmeticKind(a.kind, b.kind), form);
  }

  /** A comparison of integers that the ranges of indices decide. */
  private settledByIndex(operator: ComparisonOperator, a: Scalar, b: Scalar): boolean | undefined {
    if (a.at === undefined && b.at === undefined) return undefined;
    const p = a.at ?? (a.known === undefined ? undefined : constantForm(a.known));
    const q = b.at ?? (b.known === undefined ? undefined : constantForm(b.known));
    if (p === undefined || q === undefined || !Number.isFinite(p.offset) || !Number.isFinite(q.offset))
      return undefined;
    const { min, max } = this.builder.rangeOf(addForms(p, scaleForm(q, -1)));
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

  /** The same number as another kind, without change of value. */
  retag(s: Scalar, kind: ScalarKind): Scalar {
    if (s.kind === kind) return s;
    if (isIndexed(s)) {
      if (isBoolKind(kind) && !isBoolKind(s.kind)) return this.retag(this.truthScalar(s), kind);
      return s.as(kind);
    }
    if (s.known !== undefined) return known(kind, isBoolKind(kind) ? (s.known !== 0 ? 1 : 0) : s.known);
    if (isBoolKind(kind)) return dynamic(kind, this.truth(s));
    return dynamic(kind, this.f64(s));
  }

  /** `a` where `condition` holds, else `b`; both of one kind afterwards. */
  select(condition: Scalar, a: Scalar, b: Scalar): Scalar {
    if (condition.known !== undefined) return condition.known !== 0 ? a : b;
    const kind = joinKinds(a.kind, b.kind);
    if (a.known !== undefined && b.known !== undefined && Object.is(a.known, b.known)) {
      return this.joined(a, b, known(kind, a.known));
    }
    const c = this.truth(condition);
    if (isBoolKind(kind)) return this.joined(a, b, this.selectTruth(condition, c, a, b));
    return this.joined(a, b, dynamic(kind, this.builder.op('select', c, this.f64(a), this.f64(b))));
  }

  private selectTruth(condition: Scalar, c: ValueId, a: Scalar, b: Scalar): Scalar {
    if (a.known === 1) return this.or(condition, b);
    if (a.known === 0) return this.and(this.not(condition), b);
    if (b.known === 0) return this.and(condition, a);
    if (b.known === 1) return this.or(this.not(condition), a);
    return dynamic('bool', this.builder.op('bselect', c, a.id, b.id));
  }

  private readonly marks = new Map<ValueId, number>();

  /** A negative id stands for the value in the type of a loop's variable, and holds its marks. */
  private marksOf(s: Scalar): number {
    if (s.known !== undefined || isIndexed(s)) return 0;
    const marks = s.id < 0 ? -1 - s.id : (this.marks.get(s.id) ?? 0);
    return s.isCertain === true ? marks & ZERO : marks;
  }

  private has(s: Scalar, mark: number): boolean {
    return (this.marksOf(s) & mark) !== 0;
  }

  /** The same number as a kind that it is on all lanes: what a conversion gives. */
  certain(s: Scalar, kind: ScalarKind): Scalar {
    const number = this.retag(s, kind);
    return (this.marksOf(number) & ~ZERO) === 0 ? number : { ...number, isCertain: true };
  }

  /** The same number as one of Python's: what `item()` gives. */
  toPython(s: Scalar): Scalar {
    const number = this.retag(s, PYTHON_KIND[s.kind]);
    if (number === s || this.marksOf(number) === 0) return number;
    return this.mark(number, kindMarks(this.possibleKinds(s).map((kind) => PYTHON_KIND[kind])));
  }

  /** What NumPy makes of one of two numbers: a float where either is one. */
  promoted(chosen: Scalar, a: Scalar, b: Scalar): Scalar {
    return [a, b].some((s) => !this.maybeInt(s)) ? this.certain(chosen, 'npfloat') : chosen;
  }

  /** A float that stands for an integer on lanes where others of its array do: it has their type. */
  sometimesInt(s: Scalar): Scalar {
    if (this.isSometimesInt(s)) return this.retag(s, 'npfloat');
    const number = dynamic('npfloat', this.f64(s));
    return this.markInt(number, INT | kindMarks(['npint', 'npfloat']), this.intBound(s));
  }

  private mark(s: Scalar, marks: number): Scalar {
    if (s.isCertain === true) {
      if ((marks & ~ZERO) === 0) this.marks.set(s.id, (this.marks.get(s.id) ?? 0) | marks);
      return (marks & ~ZERO) === 0 ? s : this.mark(dynamic(s.kind, s.id), marks);
    }
    if (s.known === undefined && marks !== 0 && !isIndexed(s))
      this.marks.set(s.id, (this.marks.get(s.id) ?? 0) | marks);
    return s;
  }

  /** The marks of what is `a` on some lanes and `b` on others. */
  private joinedMarks(a: Scalar, b: Scalar): number {
    const kind = joinKinds(a.kind, b.kind);
    const both = this.marksOf(a) | this.marksOf(b);
    let marks = both & ZERO;
    if ((both & MIXED) !== 0 || (a.kind === 'npbool') !== (b.kind === 'npbool')) marks |= MIXED;
    if (this.joinsUncertain(a, b)) marks |= UNCERTAIN;
    if (!isBoolKind(kind) && [a, b].some((s) => this.maybeTruth(s))) marks |= TRUTH;
    if (!isIntKind(kind) && !isBoolKind(kind) && [a, b].some((s) => this.maybeInt(s))) marks |= INT;
    const kinds = new Set([...this.possibleKinds(a), ...this.possibleKinds(b)]);
    return kinds.size > 1 ? marks | kindMarks(kinds) : marks;
  }

  /** `merged` as the value that is `a` on some lanes and `b` on the others. */
  joined(a: Scalar, b: Scalar, merged: Scalar): Scalar {
    const kind = joinKinds(a.kind, b.kind);
    const marks = this.joinedMarks(a, b);
    // The value may be known where its type is not.
    const isOpen = marks !== 0 && merged.known !== undefined;
    const value = isOpen ? dynamic(kind, isBoolKind(kind) ? this.truth(merged) : this.f64(merged)) : merged;
    const result = this.retag(value, kind);
    return (marks & INT) === 0
      ? this.mark(result, marks)
      : this.markInt(result, marks, Math.max(this.intBound(a), this.intBound(b)));
  }

  private maybeTruth(s: Scalar): boolean {
    return isBoolKind(s.kind) || this.has(s, TRUTH);
  }

  private maybeInt(s: Scalar): boolean {
    return isIntLike(s) || this.has(s, INT);
  }

  /** Whether a float is an int on some lanes. */
  isSometimesInt(s: Scalar): boolean {
    return !isIntLike(s) && this.has(s, INT);
  }

  /** Whether a number is a truth value on some lanes. */
  isSometimesBool(s: Scalar): boolean {
    return isBoolKind(s.kind) || this.possibleKinds(s).some(isBoolKind);
  }

  /** The kinds that a value has on some lanes or others. */
  possibleKinds(s: Scalar): readonly ScalarKind[] {
    const marks = this.marksOf(s);
    if (marks === 0) return [s.kind];
    const kinds = new Set<ScalarKind>([s.kind, ...markedKinds(marks)]);
    if (markedKinds(marks).length === 0) {
      if (this.has(s, INT)) kinds.add('int').add('bool');
      if (this.has(s, TRUTH)) kinds.add('bool');
      if (this.has(s, UNCERTAIN | MIXED)) for (const kind of [...kinds]) kinds.add(toNumPyKind(kind));
      if (this.has(s, MIXED)) kinds.add('npbool');
    }
    // The same number may stand elsewhere as another kind, with its marks.
    const here = isNumPyKind(s.kind) ? [...kinds].map(toNumPyKind) : [...kinds];
    return [...new Set(here.filter((kind) => !isBoolKind(s.kind) || isBoolKind(kind)))].filter(
      (kind) => !isIntKind(s.kind) || isIntKind(kind) || isBoolKind(kind),
    );
  }

  /** Marks the kinds that a result has for all kinds of its operands. */
  private markKinds(
    result: Scalar,
    operands: readonly Scalar[],
    kindOf: (...kinds: ScalarKind[]) => ScalarKind,
  ): Scalar {
    if (result.known !== undefined || operands.every((s) => this.marksOf(s) === 0)) return result;
    const [first, second] = operands.map((s) => this.possibleKinds(s));
    const kinds = new Set(first.flatMap((p) => (second ?? [p]).map((q) => kindOf(p, q))));
    return kinds.size > 1 ? this.mark(result, kindMarks(kinds)) : result;
  }

  /** While it holds, the program's own `try` does not get to see the checks. */
  private isBeyondTry = false;

  isUncertain(s: Scalar): boolean {
    return !isNumPyKind(s.kind) && this.has(s, UNCERTAIN | MIXED);
  }

  /** Whether what is `a` on some lanes and `b` on others is of NumPy's type on some only. */
  private joinsUncertain(a: Scalar, b: Scalar): boolean {
    return isNumPyKind(a.kind) !== isNumPyKind(b.kind) || this.isUncertain(a) || this.isUncertain(b);
  }

  /** What stands for the value in the type of a loop's variable that is `a` or `b`. */
  templateId(a: Scalar, b: Scalar): ValueId {
    return -1 - this.joinedMarks(a, b);
  }

  /** The value `id`, of the type that `template` has. */
  like(template: Scalar, id: ValueId): Scalar {
    return this.mark(dynamic(template.kind, id), this.marksOf(template));
  }

  private withUncertain(operands: readonly Scalar[], build: () => Scalar): Scalar {
    if (!operands.some((s) => this.isUncertain(s))) return build();
    return this.beyondTry(() => {
      const result = build();
      return isNumPyKind(result.kind) ? result : this.mark(result, UNCERTAIN);
    });
  }

  private beyondTry<T>(build: () => T): T {
    const before = this.isBeyondTry;
    this.isBeyondTry = true;
    try {
      return build();
    } finally {
      this.isBeyondTry = before;
    }
  }

  refuseMixed(s: Scalar, position: Position): void {
    if (this.has(s, MIXED)) {
      throw new Unsupported("arithmetic on what is NumPy's truth value or something else depending on x", position);
    }
  }

  // ---- what CPython's result may differ by ----

  /** Whether the program states it (`CompileOptions.judging`); where it does not, the functions below give back what they get. */
  statesErrors = false;
  private looseness = 0;

  /** What `build` computes may be computed otherwise by the library: every step is off by so many units in the last place. */
  loosely<T>(ulp: number, build: () => T): T {
    const outer = this.looseness;
    this.looseness = Math.max(outer, ulp);
    try {
      return build();
    } finally {
      this.looseness = outer;
    }
  }

  /** Off by so many units in the last place. */
  loose(s: Scalar, ulp: number): Scalar {
    return this.statesErrors && !isIntLike(s) ? this.about(s, this.units(this.f64(s), ulp)) : s;
  }

  /** A sum of `terms` in any order. */
  anyOrder(sum: Scalar, terms: readonly Scalar[]): Scalar {
    if (!this.statesErrors || isIntLike(sum) || areExact([sum, ...terms])) return sum;
    const g = this.builder;
    const sizes = terms.map((s) => g.op('abs', this.f64(s)));
    return this.anyOrderOf(
      sum,
      dynamic(
        'npfloat',
        sizes.reduce((a, b) => g.op('add', a, b)),
      ),
      terms.length,
    );
  }

  /** The same where the sum of the terms' magnitudes is known. Each order is off by n 2^-53 times it at most; both sides together. */
  anyOrderOf(sum: Scalar, size: Scalar, count: number): Scalar {
    if (!this.statesErrors || isIntLike(sum)) return sum;
    const g = this.builder;
    const least = g.const((count + 1) * Number.MIN_VALUE);
    return this.about(sum, g.op('add', this.units(this.f64(size), count + 1), least));
  }

  /** A sum that was begun at 0.0, as NumPy begins all of floats: it is never -0. */
  fromZero(sum: Scalar): Scalar {
    if (isIntLike(sum)) return sum;
    if (sum.known !== undefined) return known(sum.kind, sum.known + 0);
    const indexed = this.indexed([sum], (s) => this.fromZero(s));
    if (indexed !== undefined) return indexed;
    if (this.builder.isNeverMinusZero(sum.id)) return sum;
    const result = dynamic(sum.kind, this.builder.op('add', sum.id, this.builder.const(0)));
    return this.markInt(result, this.marksOf(sum) & ~ZERO, this.intBound(sum));
  }

  /** A zero may have either sign. */
  eitherZero(s: Scalar): Scalar {
    if (!this.statesErrors || isIntLike(s) || (s.known !== undefined && s.known !== 0)) return s;
    if (this.isTabulating) throw new NotTabular();
    const g = this.builder;
    const value = this.f64(s);
    const isZero = g.op('eq', value, g.const(0));
    return this.about(s, g.op('select', isZero, g.const(Number.MIN_VALUE), g.const(0)));
  }

  private units(value: ValueId, ulp: number): ValueId {
    const g = this.builder;
    return g.op('mul', g.op('abs', value), g.const(ulp * 2 ** -52));
  }

  private about(s: Scalar, radius: ValueId): Scalar {
    if (this.isTabulating) throw new NotTabular();
    const marks = this.marksOf(s);
    return this.mark(dynamic(s.kind, this.builder.about(this.f64(s), radius)), marks);
  }

  /** A step of a library function that is not done just so in CPython. */
  private looseStep(op: 'add' | 'sub' | 'mul' | 'div', a: Scalar, b: Scalar, result: Scalar): Scalar {
    if (!this.statesErrors || this.looseness === 0 || isIntLike(result) || areExact([a, b, result])) return result;
    if (this.isTabulating) throw new NotTabular();
    if (op === 'mul' || op === 'div') return this.loose(result, this.looseness);
    const g = this.builder;
    const size = g.op('add', g.op('abs', this.f64(a)), g.op('abs', this.f64(b)));
    return this.about(result, this.units(size, this.looseness));
  }

  // ---- checks ----

  /**
   * Takes over a check whose exception the program itself catches, and gives the lanes that are left for it (null: none);
   * set by the evaluator.
   */
  intercept: ((condition: Scalar, status: LaneStatus, exception: Raised | null) => Scalar | null) | null = null;
  /** Whether the program itself may catch what is raised here; set by the evaluator. */
  isWatched = (): boolean => false;

  /**
   * Flags the lanes where `condition` holds. Known to hold: this path raises. `exception` names the class where the
   * status alone does not tell.
   */
  check(condition: Scalar, status: PlainStatus): void;
  check(condition: Scalar, status: typeof LaneStatus.Raised, exception: Raised): void;
  check(condition: Scalar, status: LaneStatus, exception: Raised | null = null): void {
    this.checkStatus(condition, status, exception);
  }

  private checkStatus(condition: Scalar, status: LaneStatus, exception: Raised | null): void {
    if (condition.known === 0) return;
    if (this.isTabulating) throw new NotTabular();
    if (this.guard !== null) {
      const { guard } = this;
      this.guard = null;
      try {
        this.checkStatus(this.and(guard, condition), status, exception);
      } finally {
        this.guard = guard;
      }
      return;
    }
    const left = this.isBeyondTry || this.intercept === null ? condition : this.intercept(condition, status, exception);
    if (left === null) return;
    if (left.known !== 0) {
      this.leavesLanes ||= this.isBeyondTry || LEFT_TO_CPYTHON.has(status);
      this.builder.check(this.truth(left), status, this.line);
    }
    // Where lanes are left out, a handler has them.
    if (condition.known !== undefined) throw left.known === 1 ? new PathRaises() : new PathCaught();
  }

  /** Leaves lanes to CPython, whatever the program catches. */
  leave(condition: Scalar): void {
    if (condition.known === 0) return;
    this.leavesLanes = true;
    this.builder.check(this.truth(condition), LaneStatus.Untranslated, this.line);
  }

  /** What converts NaN or an infinity to an integer. */
  checkConversion(s: Scalar): void {
    if (!this.isWatched()) {
      this.checkStatus(this.not(this.isFinite(s)), LaneStatus.IntegerConversion, null);
      return;
    }
    this.checkStatus(this.isNaN(s), LaneStatus.IntegerConversion, 'ValueError');
    this.checkStatus(this.isInf(s), LaneStatus.IntegerConversion, 'OverflowError');
  }

  private isTabulating = false;
  private guard: Scalar | null = null;

  /** What `build` checks counts only where `condition` holds; what it computes does not matter elsewhere. */
  private guarded(condition: Scalar, build: () => Scalar): Scalar {
    const outer = this.guard;
    this.guard = outer === null ? condition : this.and(outer, condition);
    try {
      return build();
    } finally {
      this.guard = outer;
    }
  }

  /** `compute` index by index where the arguments depend on indices of rolled loops only; undefined elsewhere. */
  private indexed(args: readonly Scalar[], compute: (...args: Scalar[]) => Scalar): Scalar | undefined {
    if (!args.some(isIndexed) || this.isTabulating) return undefined;
    this.isTabulating = true;
    try {
      return tabulate(this.builder, args, compute);
    } catch (error) {
      if (error instanceof NotTabular || error instanceof Unsupported) return undefined;
      throw error;
    } finally {
      this.isTabulating = false;
    }
  }

  /** Ends the path: CPython evaluates every lane that gets here. No clause of the program sees it. */
  handOver(): never {
    return this.beyondTry(() => this.raise(LaneStatus.Untranslated));
  }

  /** Ends the path: every lane that gets here is flagged. */
  raise(status: PlainStatus): never;
  raise(status: typeof LaneStatus.Raised, exception: Raised): never;
  raise(status: LaneStatus, exception: Raised | null = null): never {
    this.checkStatus(bool(true), status, exception);
    throw new PathRaises();
  }

  /** A truth value just built: the builder may have settled it. */
  private built(kind: 'bool' | 'npbool', value: ValueId): Scalar {
    const constant = this.builder.constantOf(value);
    return constant === undefined ? dynamic(kind, value) : known(kind, constant);
  }

  private readonly negations = new Map<ValueId, ValueId>();

  not(s: Scalar): Scalar {
    if (s.known !== undefined) return bool(s.known === 0);
    const value = this.truth(s);
    const known = this.negations.get(value);
    if (known !== undefined) return dynamic('bool', known);
    const negated = this.builder.op('not', value);
    this.negations.set(negated, value);
    return this.built('bool', negated);
  }

  /** Operands of `and` and `or`, by their result. */
  private readonly junctions = new Map<ValueId, { readonly op: 'and' | 'or'; readonly operands: readonly ValueId[] }>();

  private junction(op: 'and' | 'or', p: ValueId, q: ValueId): Scalar {
    const id = this.builder.op(op, p, q);
    if (this.builder.constantOf(id) === undefined) this.junctions.set(id, { op, operands: [p, q] });
    return this.built('bool', id);
  }

  /** What `known` truth values make of `id`; undefined where they leave it open. */
  settled(id: ValueId, known: ReadonlyMap<ValueId, boolean>, depth = 8): boolean | undefined {
    const truth = known.get(id);
    if (truth !== undefined || depth === 0) return truth;
    const opposite = this.negations.get(id);
    if (opposite !== undefined) {
      const other = this.settled(opposite, known, depth - 1);
      return other === undefined ? undefined : !other;
    }
    const junction = this.junctions.get(id);
    if (junction === undefined) return undefined;
    const operands = junction.operands.map((operand) => this.settled(operand, known, depth - 1));
    const decides = junction.op === 'or';
    if (operands.includes(decides)) return decides;
    return operands.includes(undefined) ? undefined : !decides;
  }

  /** Truth values that follow where `id` is `holds`, itself included. */
  implied(id: ValueId, holds: boolean): readonly (readonly [ValueId, boolean])[] {
    const found = new Map<ValueId, boolean>([[id, holds]]);
    for (const [value, truth] of found) {
      const opposite = this.negations.get(value);
      if (opposite !== undefined && !found.has(opposite)) found.set(opposite, !truth);
      const junction = this.junctions.get(value);
      if (junction === undefined || (junction.op === 'and') !== truth) continue;
      for (const operand of junction.operands) if (!found.has(operand)) found.set(operand, truth);
    }
    return [...found];
  }

  private areOpposite(a: ValueId, b: ValueId): boolean {
    return this.negations.get(a) === b || this.negations.get(b) === a;
  }

  and(a: Scalar, b: Scalar): Scalar {
    if (a.known !== undefined) return a.known !== 0 ? this.truthScalar(b) : bool(false);
    if (b.known !== undefined) return b.known !== 0 ? this.truthScalar(a) : bool(false);
    const [p, q] = [this.truth(a), this.truth(b)];
    if (p === q) return dynamic('bool', p);
    return this.areOpposite(p, q) ? bool(false) : this.junction('and', p, q);
  }

  or(a: Scalar, b: Scalar): Scalar {
    if (a.known !== undefined) return a.known !== 0 ? bool(true) : this.truthScalar(b);
    if (b.known !== undefined) return b.known !== 0 ? bool(true) : this.truthScalar(a);
    const [p, q] = [this.truth(a), this.truth(b)];
    if (p === q) return dynamic('bool', p);
    return this.areOpposite(p, q) ? bool(true) : this.junction('or', p, q);
  }

  isNaN(s: Scalar): Scalar {
    if (s.known !== undefined) return bool(Number.isNaN(s.known));
    if (isBoolKind(s.kind) || isIntKind(s.kind)) return bool(false);
    const indexed = this.indexed([s], (v) => this.isNaN(v));
    if (indexed !== undefined) return indexed;
    return this.built('bool', this.builder.op('ne', s.id, s.id));
  }

  isInf(s: Scalar): Scalar {
    if (s.known !== undefined) return bool(Math.abs(s.known) === Infinity);
    if (isBoolKind(s.kind) || isIntKind(s.kind)) return bool(false);
    const indexed = this.indexed([s], (v) => this.isInf(v));
    if (indexed !== undefined) return indexed;
    return this.built('bool', this.builder.op('eq', this.builder.op('abs', s.id), this.builder.const(Infinity)));
  }

  isFinite(s: Scalar): Scalar {
    if (s.known !== undefined) return bool(Number.isFinite(s.known));
    if (isBoolKind(s.kind) || isIntKind(s.kind)) return bool(true);
    const indexed = this.indexed([s], (v) => this.isFinite(v));
    if (indexed !== undefined) return indexed;
    return this.built('bool', this.builder.op('lt', this.builder.op('abs', s.id), this.builder.const(Infinity)));
  }

  // ---- comparison ----

  compare(operator: ComparisonOperator, a: Scalar, b: Scalar): Scalar {
    const result = this.comparison(operator, a, b);
    const isMixed = result.kind === 'bool' && (this.isUncertain(a) || this.isUncertain(b));
    return isMixed ? this.mark(result, MIXED) : result;
  }

  private comparison(operator: ComparisonOperator, a: Scalar, b: Scalar): Scalar {
    const kind = isNumPyKind(a.kind) || isNumPyKind(b.kind) ? 'npbool' : 'bool';
    const x = a.known;
    const y = b.known;
    if (x !== undefined && y !== undefined) {
      const result = { '==': x === y, '!=': x !== y, '<': x < y, '<=': x <= y, '>': x > y, '>=': x >= y }[
        operator as '=='
      ];
      return known(kind, result ? 1 : 0);
    }
    const settled = this.settledByIndex(operator, a, b);
    if (settled !== undefined) return known(kind, settled ? 1 : 0);
    if ((isIndexed(a) && a.at === undefined) || (isIndexed(b) && b.at === undefined)) {
      const indexed = this.indexed([a, b], (v, w) => this.comparison(operator, v, w));
      if (indexed !== undefined) return indexed;
    }
    const p = this.f64(a);
    const q = this.f64(b);
    switch (operator) {
      case '==':
        return this.built(kind, this.builder.op('eq', p, q));
      case '!=':
        return this.built(kind, this.builder.op('ne', p, q));
      case '<':
        return this.built(kind, this.builder.op('lt', p, q));
      case '<=':
        return this.built(kind, this.builder.op('le', p, q));
      case '>':
        return this.built(kind, this.builder.op('lt', q, p));
      default:
        return this.built(kind, this.builder.op('le', q, p));
    }
  }

  // ---- arithmetic ----

  /** A primitive on f64 operands, folded when both are known. */
  private arith(op: 'add' | 'sub' | 'mul' | 'div', kind: ScalarKind, a: Scalar, b: Scalar): Scalar {
    const indexed = this.indexed([a, b], (v, w) => this.arith(op, kind, v, w));
    if (indexed !== undefined) return indexed;
    return this.looseStep(op, a, b, this.plainArith(op, kind, a, b));
  }

  private plainArith(op: 'add' | 'sub' | 'mul' | 'div', kind: ScalarKind, a: Scalar, b: Scalar): Scalar {
    if (a.known !== undefined && b.known !== undefined) {
      const x = a.known;
      const y = b.known;
      return known(kind, op === 'add' ? x + y : op === 'sub' ? x - y : op === 'mul' ? x * y : x / y);
    }
    return dynamic(kind, this.builder.op(op, this.f64(a), this.f64(b)));
  }

  /** Python's ints are exact; beyond 2^53 the lane goes to CPython. */
  private exactInteger(s: Scalar, position: Position): Scalar {
    if (!isIntKind(s.kind)) return s;
    if (s.known !== undefined) {
      if (Math.abs(s.known) >= MAX_EXACT_INTEGER) {
        throw new Unsupported(
          'integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)',
          position,
        );
      }
      // Python's int has no negative zero.
      return s.known === 0 ? known(s.kind, 0) : s;
    }
    this.check(this.compare('>=', this.abs(s), known('float', MAX_EXACT_INTEGER)), LaneStatus.IntegerRange);
    return dynamic(s.kind, this.builder.op('add', s.id, this.builder.const(0)));
  }

  binary(operator: BinaryOperator, a: Scalar, b: Scalar, position: Position): Scalar {
    if (
      this.looseness === 0 &&
      isKnownFloat(a) &&
      isKnownFloat(b) &&
      (operator === '+' || operator === '-' || operator === '*')
    ) {
      const kind = arithmeticKind(a.kind, b.kind);
      return known(
        kind,
        operator === '+' ? a.known + b.known : operator === '-' ? a.known - b.known : a.known * b.known,
      );
    }
    const hasInt = this.isSometimesInt(a) || this.isSometimesInt(b);
    const isUncertain = this.isUncertain(a) || this.isUncertain(b);
    const isPlain = !hasInt && !this.has(a, ZERO) && !this.has(b, ZERO);
    if (isPlain && !isUncertain) return this.binaryOf(operator, a, b, position);
    if (hasInt && operator === '**') this.refuseNegativePower(a, b, position);
    const build = (): Scalar => {
      const result = this.withUncertain([a, b], () => this.binaryOf(operator, a, b, position));
      return this.markKinds(result, [a, b], (p, q) => resultKind(operator, p, q));
    };
    if (isPlain) return build();
    // A power of ints is an int of any size where one of floats overflows.
    const result = hasInt && operator === '**' ? this.beyondTry(build) : build();
    if (isIntLike(result)) return result;
    const marks = this.arithmeticMarks(operator, a, b);
    if ((marks & INT) === 0) return this.mark(result, marks);
    const bound = this.integerBound(operator, a, b);
    if (bound >= MAX_EXACT_INTEGER) {
      this.check(this.compare('>=', this.abs(result), known('float', MAX_EXACT_INTEGER)), LaneStatus.IntegerRange);
    }
    return this.markInt(result, marks, bound);
  }

  /** NumPy's integers have no negative powers, where its floats and Python's numbers have. */
  private refuseNegativePower(a: Scalar, b: Scalar, position: Position): void {
    if (b.known !== undefined && b.known >= 0) return;
    const integers = (s: Scalar): ScalarKind[] => this.possibleKinds(s).filter((k) => isIntKind(k) || isBoolKind(k));
    const [p, q] = [integers(a), integers(b)];
    const isOpen = p.length > 0 && q.length > 0 && [...p, ...q].some(isNumPyKind);
    if (!isOpen) return;
    if (b.known !== undefined)
      throw new Unsupported("a negative power of what is NumPy's integer or a float, depending on x", position);
    this.leave(this.compare('<', b, known('int', 0)));
  }

  /** How large a value can be on the lanes where it is an int. */
  private readonly intBounds = new Map<ValueId, number>();

  private intBound(s: Scalar): number {
    if (s.known !== undefined) return isIntLike(s) ? Math.abs(s.known) : 0;
    if (isBoolKind(s.kind)) return 1;
    return isIntKind(s.kind) || this.has(s, INT) ? (this.intBounds.get(s.id) ?? MAX_EXACT_INTEGER) : 0;
  }

  private integerBound(operator: BinaryOperator, a: Scalar, b: Scalar): number {
    const [p, q] = [this.intBound(a), this.intBound(b)];
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

  private markInt(s: Scalar, marks: number, bound: number): Scalar {
    if (s.known === undefined && bound < MAX_EXACT_INTEGER) {
      const other = this.has(s, INT) ? this.intBound(s) : 0;
      this.intBounds.set(s.id, Math.max(bound, other));
    } else if (s.known === undefined) this.intBounds.delete(s.id);
    return this.mark(s, marks);
  }

  private arithmeticMarks(operator: BinaryOperator, a: Scalar, b: Scalar): number {
    const isInt = operator !== '/' && this.maybeInt(a) && this.maybeInt(b);
    const isSum = operator === '+' || operator === '-';
    const isPositive = (s: Scalar): boolean => s.known !== undefined && s.known > 0;
    const isNonzero = (s: Scalar): boolean => s.known !== undefined && s.known !== 0;
    const wasUnsure = this.has(a, ZERO) || this.has(b, ZERO);
    const isUnsure = wasUnsure
      ? !isSum || !(isNonzero(a) || isNonzero(b))
      : isInt && !isSum && !isPositive(b) && !(operator === '*' && isPositive(a));
    return (isInt ? INT : 0) | (isUnsure ? ZERO : 0);
  }

  /** To be called where the sign of a zero decides: CPython takes the lanes where it is not sure. */
  requireSign(s: Scalar): void {
    if (this.has(s, ZERO)) this.check(this.isZero(s), LaneStatus.Untranslated);
  }

  /** TypeError, but for the lanes where it is an int after all. */
  refuseIndex(s: Scalar, exception: 'TypeError' | 'IndexError' = 'TypeError'): never {
    return this.isSometimesInt(s) ? this.raise(LaneStatus.Untranslated) : this.raise(LaneStatus.Raised, exception);
  }

  /** What a number of its kind raises; CPython takes those of several kinds. */
  raiseForKind(s: Scalar, exception: Raised): never {
    if (this.possibleKinds(s).length > 1) return this.handOver();
    return this.raise(LaneStatus.Raised, exception);
  }

  private binaryOf(operator: BinaryOperator, a: Scalar, b: Scalar, position: Position): Scalar {
    // With a number it makes no difference whose truth value it is.
    const isPlain = operator === '+' || operator === '-' || operator === '*';
    const mayBeTruth = (s: Scalar): boolean => isBoolKind(s.kind) || this.has(s, MIXED);
    const clash = (p: Scalar, q: Scalar): boolean => p.kind === 'npbool' && !isBoolKind(q.kind) && this.maybeTruth(q);
    if (clash(a, b) || clash(b, a)) {
      throw new Unsupported(
        "arithmetic of NumPy's truth values with one of Python's or a number depending on x",
        position,
      );
    }
    if (!isPlain || mayBeTruth(b)) this.refuseMixed(a, position);
    if (!isPlain || mayBeTruth(a)) this.refuseMixed(b, position);
    if (isBoolKind(a.kind) && isBoolKind(b.kind) && (a.kind === 'npbool' || b.kind === 'npbool')) {
      if (operator === '+' || operator === '|') return this.retag(this.or(a, b), 'npbool');
      if (operator === '*' || operator === '&') return this.retag(this.and(a, b), 'npbool');
      // NumPy refuses to subtract truth values: TypeError.
      if (operator === '-') this.raise(LaneStatus.Raised, 'TypeError');
      if (operator !== '^') throw new Unsupported(`'${operator}' between NumPy booleans is not translated`, position);
    }
    const indexed =
      this.affine(operator, a, b) ?? this.indexed([a, b], (v, w) => this.binaryOf(operator, v, w, position));
    if (indexed !== undefined) return indexed;
    const kind = arithmeticKind(a.kind, b.kind);
    switch (operator) {
      case '+':
        return this.exactInteger(this.arith('add', kind, a, b), position);
      case '-':
        return this.exactInteger(this.arith('sub', kind, a, b), position);
      case '*':
        return this.exactInteger(this.arith('mul', kind, a, b), position);
      case '/': {
        const floatKind = isNumPyKind(kind) ? 'npfloat' : 'float';
        if (floatKind === 'float') this.check(this.isZero(b), LaneStatus.ZeroDivision);
        else this.requireSign(b);
        return this.arith('div', floatKind, a, b);
      }
      case '//':
        return this.divmod(a, b, kind, position).quotient;
      case '%':
        return this.divmod(a, b, kind, position).remainder;
      case '**':
        return this.power(a, b, position);
      case '&':
      case '|':
      case '^':
        return this.bitwise(operator, a, b, position);
      case '<<':
      case '>>':
        if (a.known !== undefined && b.known !== undefined && b.known >= 0 && isIntKind(kind)) {
          const shifted = operator === '<<' ? a.known * 2 ** b.known : Math.floor(a.known / 2 ** b.known);
          return this.exactInteger(known(kind, shifted), position);
        }
        if (b.known !== undefined && b.known >= 0 && b.known < 53 && isIntKind(kind)) {
          const power = known(kind, 2 ** b.known);
          const number = this.retag(a, kind);
          if (operator === '>>') return this.divmod(number, power, kind, position).quotient;
          return this.exactInteger(this.arith('mul', kind, number, power), position);
        }
        throw new Unsupported(`'${operator}' on numbers that depend on x is not translated`, position);
      case '@':
        throw new Unsupported("'@' between numbers, which is a TypeError", position);
    }
  }

  private bitwise(operator: '&' | '|' | '^', a: Scalar, b: Scalar, position: Position): Scalar {
    if (isBoolKind(a.kind) && isBoolKind(b.kind)) {
      const kind: ScalarKind = isNumPyKind(a.kind) || isNumPyKind(b.kind) ? 'npbool' : 'bool';
      if (operator === '&') return this.retag(this.and(a, b), kind);
      if (operator === '|') return this.retag(this.or(a, b), kind);
      if (a.known !== undefined && b.known !== undefined) return known(kind, a.known === b.known ? 0 : 1);
      return dynamic(kind, this.builder.op('xor', this.truth(a), this.truth(b)));
    }
    const kind = arithmeticKind(a.kind, b.kind);
    if (a.known !== undefined && b.known !== undefined && isIntKind(kind)) {
      const x = BigInt(a.known);
      const y = BigInt(b.known);
      return known(kind, Number(operator === '&' ? x & y : operator === '|' ? x | y : x ^ y));
    }
    throw new Unsupported(`'${operator}' on integers that depend on x is not translated`, position);
  }

  isZero(s: Scalar): Scalar {
    return this.compare('==', s, known('float', 0));
  }

  /** Floor division and remainder as CPython's float_divmod does them; `//` and `%` of a compile share the work. */
  divmod(a: Scalar, b: Scalar, kind: ScalarKind, position: Position): { quotient: Scalar; remainder: Scalar } {
    const zero = this.isZero(b);
    // NumPy integers give 0 with a warning, NumPy floats an infinity or NaN: rare, so CPython decides.
    this.check(zero, isNumPyKind(kind) ? LaneStatus.Untranslated : LaneStatus.ZeroDivision);
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
    const g = this.builder;
    const x = this.f64(a);
    const y = this.f64(b);
    const ratio = g.op('div', x, y);
    const huge = g.op('le', g.const(MAX_EXACT_INTEGER), g.op('abs', ratio));
    const finite = g.op('lt', g.op('abs', x), g.const(Infinity));
    this.check(this.built('bool', g.op('and', huge, finite)), LaneStatus.ReductionRange);
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
      ? { quotient: this.exactInteger(q, position), remainder: this.exactInteger(r, position) }
      : { quotient: q, remainder: r };
  }

  power(a: Scalar, b: Scalar, position: Position): Scalar {
    const kind = arithmeticKind(a.kind, b.kind);
    if (isIntKind(kind)) return this.integerPower(a, b, kind, position);
    const indexed = this.indexed([a, b], (v, w) => this.power(v, w, position));
    if (indexed !== undefined) return indexed;
    if (b.known !== undefined) {
      const product = this.smallPower(a, b.known, kind);
      if (product !== null) return product;
    }
    if (isIndexed(b)) return this.indexedPower(a, b, kind);
    return this.generalPower(a, b, kind);
  }

  private generalPower(a: Scalar, b: Scalar, kind: ScalarKind): Scalar {
    const isPython = kind === 'float';
    if (isPython) {
      const zero = known('float', 0);
      const isNegative = this.and(this.compare('<', b, zero), this.isFinite(b));
      this.check(this.and(this.isZero(a), isNegative), LaneStatus.ZeroDivision);
      const fractional = this.compare('!=', this.floor(b), b);
      const negative = this.compare('<', a, zero);
      this.check(this.and(negative, this.and(fractional, this.isFinite(b))), LaneStatus.ComplexResult);
    }
    if (!isPython) this.requireSign(a);
    const result = this.math('pow', kind, a, b);
    if (isPython) this.checkOverflow(result, a, b);
    return result;
  }

  /** A power whose exponent depends on indices: small ones are multiplications, as in an unrolled loop. */
  private indexedPower(a: Scalar, b: IndexedScalar, kind: ScalarKind): Scalar {
    const exponents = valuesOf(this.builder, b);
    const small = SMALL_POWERS.filter((e) => exponents === undefined || exponents.has(e));
    const matches = small.map((e) => this.compare('==', b, known('float', e)));
    const isOther = matches.reduce<Scalar>((other, match) => this.and(other, this.not(match)), bool(true));
    let result = this.guarded(isOther, () => this.generalPower(a, b, kind));
    small.forEach((e, k) => {
      const power = this.guarded(matches[k], () => this.smallPower(a, e, kind) as Scalar);
      result = this.select(matches[k], power, result);
    });
    return result;
  }

  /** Powers that a few multiplications give within 2 ULP. */
  private smallPower(a: Scalar, exponent: number, kind: ScalarKind): Scalar | null {
    const isPython = kind === 'float';
    // CPython's power is correctly rounded in nearly all cases, so that a product is the next number at most.
    const square = (): Scalar => this.powerStep(this.arith('mul', kind, a, a), a, 1);
    const overflowing = (s: Scalar): Scalar => {
      if (isPython) this.checkOverflow(s, a);
      return s;
    };
    switch (exponent) {
      case 0:
        return known(kind, 1);
      case 1:
        return this.retag(a, kind);
      case 2:
        return overflowing(square());
      case 3:
        return overflowing(this.powerStep(this.arith('mul', kind, square(), a), a, POWER_ULP));
      case 4: {
        const s = square();
        return overflowing(this.powerStep(this.arith('mul', kind, s, s), a, POWER_ULP));
      }
      case 0.5:
        if (isPython) this.check(this.compare('<', a, known('float', 0)), LaneStatus.ComplexResult);
        return this.powerStep(this.powerOfHalf(a, kind), a, 1);
      case -0.5:
        if (isPython) {
          this.check(this.compare('<', a, known('float', 0)), LaneStatus.ComplexResult);
          this.check(this.isZero(a), LaneStatus.ZeroDivision);
        }
        return this.powerStep(this.arith('div', kind, known(kind, 1), this.powerOfHalf(a, kind)), a, POWER_ULP);
      case -1:
        if (isPython) this.check(this.isZero(a), LaneStatus.ZeroDivision);
        return overflowing(this.powerStep(this.arith('div', kind, known(kind, 1), a), a, 1));
      default:
        return null;
    }
  }

  /** Whether powers are those of an array, whose squares and reciprocals NumPy computes as such. */
  isArrayPower = false;

  private powerStep(result: Scalar, base: Scalar, ulp: number): Scalar {
    if (!this.statesErrors || areExact([base, result]) || (this.isArrayPower && ulp === 1)) return result;
    return this.loose(result, ulp);
  }

  /** pow(a, 0.5) is the root but at -0.0 (gives 0.0) and -inf (gives inf). Python floats below zero are flagged before. */
  private powerOfHalf(a: Scalar, kind: ScalarKind): Scalar {
    const root = this.arith('add', kind, this.sqrt(a, kind), known(kind, 0));
    if (kind === 'float') return root;
    return this.select(this.compare('==', a, known(kind, -Infinity)), known(kind, Infinity), root);
  }

  private integerPower(a: Scalar, b: Scalar, kind: ScalarKind, position: Position): Scalar {
    const exponent = b.known;
    if (exponent === undefined)
      throw new Unsupported('an integer power whose exponent depends on x (float(base) ** n is compiled)', position);
    if (exponent < 0) {
      if (kind === 'npint') this.raise(LaneStatus.Raised, 'ValueError');
      // Python's ints give a float, NumPy's raise.
      if (this.isUncertain(a) || this.isUncertain(b)) this.raise(LaneStatus.Untranslated);
      return this.power(this.retag(a, 'float'), b, position);
    }
    if (a.known !== undefined) {
      if (exponent * Math.log2(Math.abs(a.known) + 1) > 64 && Math.abs(a.known) > 1) {
        throw new Unsupported(
          'integers beyond 2**53 need exact arithmetic (a float such as 1e20 is compiled)',
          position,
        );
      }
      return this.exactInteger(known(kind, Number(BigInt(a.known) ** BigInt(exponent))), position);
    }
    if (exponent > 64) throw new Unsupported('an integer power above 64 of a number that depends on x', position);
    let result: Scalar = known(kind, 1);
    for (let k = 0; k < exponent; k++) result = this.binary('*', result, a, position);
    return this.retag(result, kind);
  }

  /** `result` infinite though the operands are finite: OverflowError. */
  private checkOverflow(result: Scalar, ...operands: Scalar[]): void {
    let condition = this.isInf(result);
    for (const operand of operands) condition = this.and(condition, this.isFinite(operand));
    this.check(condition, LaneStatus.Overflow);
  }

  // ---- unary ----

  negate(s: Scalar): Scalar {
    const negated = this.withUncertain([s], () => this.negation(s));
    const result = this.markKinds(negated, [s], (kind) => (kind === 'bool' ? 'int' : kind));
    if (isIntLike(result)) return result;
    const isInt = this.isSometimesInt(s);
    return isInt ? this.markInt(result, INT | ZERO, this.intBound(s)) : this.mark(result, this.marksOf(s) & ZERO);
  }

  private negation(s: Scalar): Scalar {
    this.refuseMixed(s, this.here);
    if (s.kind === 'npbool') this.raise(LaneStatus.Raised, 'TypeError');
    const kind = isBoolKind(s.kind) ? (s.kind === 'bool' ? 'int' : 'npint') : s.kind;
    if (s.known !== undefined) return known(kind, isIntKind(kind) ? 0 - s.known : -s.known);
    if (s.at !== undefined) return this.formScalar(kind, scaleForm(s.at, -1));
    const indexed = this.indexed([s], (v) => this.negation(v));
    if (indexed !== undefined) return indexed;
    if (isIntKind(kind)) return dynamic(kind, this.builder.op('sub', this.builder.const(0), this.f64(s)));
    return dynamic(kind, this.builder.op('neg', s.id));
  }

  abs(s: Scalar): Scalar {
    // NumPy's truth values stay what they are.
    if (s.kind === 'npbool') return s;
    const magnitude = this.withUncertain([s], () => this.magnitude(s));
    const result = this.markKinds(magnitude, [s], (kind) => (kind === 'bool' ? 'int' : kind));
    const marks = this.marksOf(s) & (MIXED | INT);
    return (marks & INT) === 0 ? this.mark(result, marks) : this.markInt(result, marks, this.intBound(s));
  }

  private magnitude(s: Scalar): Scalar {
    const kind = isBoolKind(s.kind) ? (s.kind === 'bool' ? 'int' : 'npint') : s.kind;
    if (s.known !== undefined) return known(kind, Math.abs(s.known));
    const indexed = this.indexed([s], (v) => this.magnitude(v));
    if (indexed !== undefined) return indexed;
    return dynamic(kind, this.builder.op('abs', this.f64(s)));
  }

  floor(s: Scalar, kind: ScalarKind = s.kind): Scalar {
    return this.rounding('floor', s, kind);
  }

  rounding(op: 'floor' | 'ceil' | 'trunc' | 'rint', s: Scalar, kind: ScalarKind): Scalar {
    if (isIntKind(s.kind) || isBoolKind(s.kind)) return this.retag(s, kind);
    if (s.known !== undefined) return known(kind, op === 'rint' ? roundHalfEven(s.known) : Math[op](s.known));
    const indexed = this.indexed([s], (v) => this.rounding(op, v, kind));
    if (indexed !== undefined) return indexed;
    const result = dynamic(kind, this.builder.op(op, s.id));
    return isIntKind(kind) ? result : this.mark(result, this.marksOf(s) & ZERO);
  }

  sqrt(s: Scalar, kind: ScalarKind): Scalar {
    if (s.known !== undefined) return known(kind, Math.sqrt(s.known));
    const indexed = this.indexed([s], (v) => this.sqrt(v, kind));
    if (indexed !== undefined) return indexed;
    return this.mark(dynamic(kind, this.builder.op('sqrt', this.f64(s))), this.marksOf(s) & ZERO);
  }

  /** Python's int(): toward zero, refusing what is not finite. */
  toInt(s: Scalar, op: 'floor' | 'ceil' | 'trunc' | 'rint', position: Position): Scalar {
    if (isIntKind(s.kind) || isBoolKind(s.kind)) return this.retag(s, s.kind === 'npint' ? 'npint' : 'int');
    const indexed = this.indexed([s], (v) => this.toInt(v, op, position));
    if (indexed !== undefined) return indexed;
    // Known, but for its kind.
    const constant = s.known === undefined ? this.builder.constantOf(s.id) : undefined;
    if (constant !== undefined) return this.toInt(known(s.kind, constant), op, position);
    this.checkConversion(s);
    return this.exactInteger(this.rounding(op, s, 'int'), position);
  }

  /** Whether the sign bit is set, also that of a zero. */
  signBit(s: Scalar): Scalar {
    if (s.known !== undefined) return bool(s.known < 0 || Object.is(s.known, -0));
    if (isIntLike(s)) return this.compare('<', s, known('int', 0));
    this.requireSign(s);
    return dynamic('bool', this.builder.op('signbit', s.id));
  }

  /** A function of the mathematics library. */
  math(op: MathOpName, kind: ScalarKind, ...args: Scalar[]): Scalar {
    if (args.every((s) => s.known !== undefined)) {
      const numbers = args.map((s) => s.known as number);
      const value = evaluateOp(op, numbers);
      if (!this.statesErrors || isExactCall(op, numbers[0], numbers[1] ?? 0, value)) return known(kind, value);
      if (this.isTabulating) throw new NotTabular();
      return dynamic(kind, this.builder.op(op, ...args.map((s) => this.f64(s))));
    }
    const indexed = this.indexed(args, (...values) => this.math(op, kind, ...values));
    if (indexed !== undefined) return indexed;
    if (op === 'atan2') for (const s of args) this.requireSign(s);
    const result = dynamic(kind, this.builder.op(op, ...args.map((s) => this.f64(s))));
    return args.some((s) => this.has(s, ZERO)) ? this.mark(result, ZERO) : result;
  }

  /** An operation on the bits of a number. */
  primitive(op: 'exponent' | 'mantissa' | 'scale', kind: ScalarKind, ...args: Scalar[]): Scalar {
    if (args.every((s) => s.known !== undefined))
      return known(
        kind,
        evaluateOp(
          op,
          args.map((s) => s.known as number),
        ),
      );
    return dynamic(kind, this.builder.op(op, ...args.map((s) => this.f64(s))));
  }

  // ---- order ----

  /** NumPy's maximum/minimum: NaN wins, the first of equals stays. */
  npExtremum(which: 'max' | 'min', a: Scalar, b: Scalar): Scalar {
    const keep = which === 'max' ? this.compare('>=', a, b) : this.compare('<=', a, b);
    const extreme = this.promoted(this.select(this.or(keep, this.isNaN(a)), a, b), a, b);
    // Which of two zeros it is depends on the processor's instructions.
    return this.eitherZero(this.retag(extreme, toNumPyKind(joinKinds(a.kind, b.kind))));
  }
}

/** `a operator b` where that is an index form for every value of the indices. */
function affineForm(
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
