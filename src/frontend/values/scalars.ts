/**
 * Arithmetic on Python and NumPy scalars: chooses IR operations by the operands' types and builds the checks for what
 * Python would raise. Facts behind the choices: the semantics table in docs/numerics.md.
 */
import type { IrBuilder } from '../../ir/builder.js';
import { constantForm } from '../../ir/index-form.js';
import type { MathOpName } from '../../ir/ops.js';
import { LaneStatus, type IndexForm, type ValueId } from '../../ir/types.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import type { PlainStatus, Raised } from './exceptions.js';
import { IndexedScalar, isIndexed, tabulate } from './indexed.js';
import {
  areExact,
  INT,
  isIntLike,
  joinKinds,
  kindMarks,
  LEFT_TO_CPYTHON,
  MAX_EXACT_INTEGER,
  MIXED,
  NotTabular,
  PYTHON_KIND,
  TRUTH,
  UNCERTAIN,
  ZERO,
} from './scalar-kinds.js';
import {
  bool,
  dynamic,
  isBoolKind,
  isIntKind,
  isNumPyKind,
  known,
  PathCaught,
  PathRaises,
  toNumPyKind,
  Unsupported,
  type Scalar,
  type ScalarKind,
} from './values.js';
import { power } from './powers.js';
import { exactInteger, binary, markInt, comparison } from './arithmetic.js';
import { not, selectTruth, areOpposite, junction, settled, implied } from './conditions.js';
import { withUncertain, markKinds, beyondTry, mark, possibleKinds, joined, joinedMarks } from './marks.js';
import { math, sqrt, abs, rounding, signBit, negate, primitive, toInt } from './functions-of-one.js';

export class ScalarOps {
  /** Line that checks built now are blamed on. */
  get line(): number {
    return this.builder.line;
  }
  set line(line: number) {
    this.builder.line = line;
  }
  private at: Position = { line: 0, column: 1 };

  /** Sets the position of all that is built from now on. */
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
    return selectTruth(this, condition, c, a, b);
  }

  readonly marks = new Map<ValueId, number>();

  /** A negative id stands for the value in the type of a loop's variable, and holds its marks. */
  marksOf(s: Scalar): number {
    if (s.known !== undefined || isIndexed(s)) return 0;
    const marks = s.id < 0 ? -1 - s.id : (this.marks.get(s.id) ?? 0);
    return s.isCertain === true ? marks & ZERO : marks;
  }

  has(s: Scalar, mark: number): boolean {
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

  /** Chosen one of two numbers, as NumPy makes it: a float where either is one. */
  promoted(chosen: Scalar, a: Scalar, b: Scalar): Scalar {
    return [a, b].some((s) => !this.maybeInt(s)) ? this.certain(chosen, 'npfloat') : chosen;
  }

  /** A float that stands for an integer on lanes where others of its array do: it has their type. */
  sometimesInt(s: Scalar): Scalar {
    if (this.isSometimesInt(s)) return this.retag(s, 'npfloat');
    const number = dynamic('npfloat', this.f64(s));
    return this.markInt(number, INT | kindMarks(['npint', 'npfloat']), this.intBound(s));
  }

  mark(s: Scalar, marks: number): Scalar {
    return mark(this, s, marks);
  }

  /** The marks of what is `a` on some lanes and `b` on others. */
  private joinedMarks(a: Scalar, b: Scalar): number {
    return joinedMarks(this, a, b);
  }

  /** `merged` as the value that is `a` on some lanes and `b` on the others. */
  joined(a: Scalar, b: Scalar, merged: Scalar): Scalar {
    return joined(this, a, b, merged);
  }

  maybeTruth(s: Scalar): boolean {
    return isBoolKind(s.kind) || this.has(s, TRUTH);
  }

  maybeInt(s: Scalar): boolean {
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
    return possibleKinds(this, s);
  }

  /** Marks the kinds that a result has for all kinds of its operands. */
  markKinds(result: Scalar, operands: readonly Scalar[], kindOf: (...kinds: ScalarKind[]) => ScalarKind): Scalar {
    return markKinds(this, result, operands, kindOf);
  }

  /** While it holds, the program's own `try` does not get to see the checks. */
  isBeyondTry = false;

  isUncertain(s: Scalar): boolean {
    return !isNumPyKind(s.kind) && this.has(s, UNCERTAIN | MIXED);
  }

  /** Whether what is `a` on some lanes and `b` on others is of NumPy's type on some only. */
  joinsUncertain(a: Scalar, b: Scalar): boolean {
    return isNumPyKind(a.kind) !== isNumPyKind(b.kind) || this.isUncertain(a) || this.isUncertain(b);
  }

  /** Id that stands for the value in the type of a loop's variable that is `a` or `b`. */
  templateId(a: Scalar, b: Scalar): ValueId {
    return -1 - this.joinedMarks(a, b);
  }

  /** The value `id`, of the type that `template` has. */
  like(template: Scalar, id: ValueId): Scalar {
    return this.mark(dynamic(template.kind, id), this.marksOf(template));
  }

  withUncertain(operands: readonly Scalar[], build: () => Scalar): Scalar {
    return withUncertain(this, operands, build);
  }

  beyondTry<T>(build: () => T): T {
    return beyondTry(this, build);
  }

  refuseMixed(s: Scalar, position: Position): void {
    if (this.has(s, MIXED)) {
      throw new Unsupported("arithmetic on what is NumPy's truth value or something else depending on x", position);
    }
  }

  // ---- what CPython's result may differ by ----

  /**
   * Whether the program states it (`CompileOptions.judging`); where it does not, the functions below give back what
   * they get.
   */
  statesErrors = false;
  looseness = 0;

  /** The library may compute otherwise what `build` computes: each step is off by `ulp` units in the last place. */
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

  /**
   * The same where the sum of the terms' magnitudes is known. Each order is off by n 2^-53 times it at most; both sides
   * together.
   */
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
   * Takes over a check whose exception the program itself catches, and gives the lanes that are left for it (null:
   * none); set by the evaluator.
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

  /** Checks that no NaN or infinity is converted to an integer. */
  checkConversion(s: Scalar): void {
    if (!this.isWatched()) {
      this.checkStatus(this.not(this.isFinite(s)), LaneStatus.IntegerConversion, null);
      return;
    }
    this.checkStatus(this.isNaN(s), LaneStatus.IntegerConversion, 'ValueError');
    this.checkStatus(this.isInf(s), LaneStatus.IntegerConversion, 'OverflowError');
  }

  isTabulating = false;
  private guard: Scalar | null = null;

  /** Checks of `build` count only where `condition` holds; elsewhere its result does not matter. */
  guarded(condition: Scalar, build: () => Scalar): Scalar {
    const outer = this.guard;
    this.guard = outer === null ? condition : this.and(outer, condition);
    try {
      return build();
    } finally {
      this.guard = outer;
    }
  }

  /** `compute` index by index where the arguments depend on indices of rolled loops only; undefined elsewhere. */
  indexed(args: readonly Scalar[], compute: (...args: Scalar[]) => Scalar): Scalar | undefined {
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
  built(kind: 'bool' | 'npbool', value: ValueId): Scalar {
    const constant = this.builder.constantOf(value);
    return constant === undefined ? dynamic(kind, value) : known(kind, constant);
  }

  readonly negations = new Map<ValueId, ValueId>();

  not(s: Scalar): Scalar {
    return not(this, s);
  }

  /** Operands of `and` and `or`, by their result. */
  readonly junctions = new Map<ValueId, { readonly op: 'and' | 'or'; readonly operands: readonly ValueId[] }>();

  private junction(op: 'and' | 'or', p: ValueId, q: ValueId): Scalar {
    return junction(this, op, p, q);
  }

  /** Truth value of `id` that follows from those that are `known`; undefined where they leave it open. */
  settled(id: ValueId, known: ReadonlyMap<ValueId, boolean>, depth = 8): boolean | undefined {
    return settled(this, id, known, depth);
  }

  /** Truth values that follow where `id` is `holds`, itself included. */
  implied(id: ValueId, holds: boolean): readonly (readonly [ValueId, boolean])[] {
    return implied(this, id, holds);
  }

  private areOpposite(a: ValueId, b: ValueId): boolean {
    return areOpposite(this, a, b);
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
    return comparison(this, operator, a, b);
  }

  // ---- arithmetic ----

  /** A primitive on f64 operands, folded when both are known. */
  arith(op: 'add' | 'sub' | 'mul' | 'div', kind: ScalarKind, a: Scalar, b: Scalar): Scalar {
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
  exactInteger(s: Scalar, position: Position): Scalar {
    return exactInteger(this, s, position);
  }

  binary(operator: BinaryOperator, a: Scalar, b: Scalar, position: Position): Scalar {
    return binary(this, operator, a, b, position);
  }

  /** How large a value can be on the lanes where it is an int. */
  readonly intBounds = new Map<ValueId, number>();

  intBound(s: Scalar): number {
    if (s.known !== undefined) return isIntLike(s) ? Math.abs(s.known) : 0;
    if (isBoolKind(s.kind)) return 1;
    return isIntKind(s.kind) || this.has(s, INT) ? (this.intBounds.get(s.id) ?? MAX_EXACT_INTEGER) : 0;
  }

  markInt(s: Scalar, marks: number, bound: number): Scalar {
    return markInt(this, s, marks, bound);
  }

  /** To be called where the sign of a zero decides: CPython takes the lanes where it is not sure. */
  requireSign(s: Scalar): void {
    if (this.has(s, ZERO)) this.check(this.isZero(s), LaneStatus.Untranslated);
  }

  /** TypeError, but for the lanes where it is an int after all. */
  refuseIndex(s: Scalar, exception: 'TypeError' | 'IndexError' = 'TypeError'): never {
    return this.isSometimesInt(s) ? this.raise(LaneStatus.Untranslated) : this.raise(LaneStatus.Raised, exception);
  }

  /** Raises what a number of its kind raises; CPython takes those of several kinds. */
  raiseForKind(s: Scalar, exception: Raised): never {
    if (this.possibleKinds(s).length > 1) return this.handOver();
    return this.raise(LaneStatus.Raised, exception);
  }

  isZero(s: Scalar): Scalar {
    return this.compare('==', s, known('float', 0));
  }

  power(a: Scalar, b: Scalar, position: Position): Scalar {
    return power(this, a, b, position);
  }

  /** Whether powers are those of an array, whose squares and reciprocals NumPy computes as such. */
  isArrayPower = false;

  /** `result` infinite though the operands are finite: OverflowError. */
  checkOverflow(result: Scalar, ...operands: Scalar[]): void {
    let condition = this.isInf(result);
    for (const operand of operands) condition = this.and(condition, this.isFinite(operand));
    this.check(condition, LaneStatus.Overflow);
  }

  // ---- unary ----

  negate(s: Scalar): Scalar {
    return negate(this, s);
  }

  abs(s: Scalar): Scalar {
    return abs(this, s);
  }

  floor(s: Scalar, kind: ScalarKind = s.kind): Scalar {
    return this.rounding('floor', s, kind);
  }

  rounding(op: 'floor' | 'ceil' | 'trunc' | 'rint', s: Scalar, kind: ScalarKind): Scalar {
    return rounding(this, op, s, kind);
  }

  sqrt(s: Scalar, kind: ScalarKind): Scalar {
    return sqrt(this, s, kind);
  }

  /** Python's int(): toward zero, refusing what is not finite. */
  toInt(s: Scalar, op: 'floor' | 'ceil' | 'trunc' | 'rint', position: Position): Scalar {
    return toInt(this, s, op, position);
  }

  /** Whether the sign bit is set, also that of a zero. */
  signBit(s: Scalar): Scalar {
    return signBit(this, s);
  }

  /** A function of the mathematics library. */
  math(op: MathOpName, kind: ScalarKind, ...args: Scalar[]): Scalar {
    return math(this, op, kind, ...args);
  }

  /** An operation on the bits of a number. */
  primitive(op: 'exponent' | 'mantissa' | 'scale', kind: ScalarKind, ...args: Scalar[]): Scalar {
    return primitive(this, op, kind, ...args);
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
