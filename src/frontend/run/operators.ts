/**
 * Operators between values of any kind, and their truth values.
 */
import { LaneStatus } from '../../ir/types.js';
import { hasComplex, isComplex, isComplexOperation } from '../arrays/complex.js';
import { concatenated, percentText } from '../library/strings.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import type { BinaryOperator, ComparisonOperator, Position } from '../syntax/ast.js';
import { isText } from '../values/structure.js';
import {
  bool,
  int,
  isBoolKind,
  isNumPyKind,
  tuple,
  typeName,
  Unsupported,
  type AnyValue,
  type ListValue,
  type MaskedValue,
  type NdArray,
  type Scalar,
  type SetValue,
  type StringValue,
  type TupleValue,
  type Value,
} from '../values/values.js';
import { truthOfInstance } from '../library/instances.js';
import { classMember } from '../values/classes.js';
import { callOperator } from './classes.js';
import type { Evaluator } from './evaluator.js';

export class Operators {
  constructor(private readonly ev: Evaluator) {}

  binary(operator: BinaryOperator, a: AnyValue, b: AnyValue, position: Position): Value {
    return this.ev.choices.plain(this.binaryAny(operator, a, b, position), position);
  }

  binaryAny(operator: BinaryOperator, left: AnyValue, right: AnyValue, position: Position): AnyValue {
    if (left.tag === 'choice' || right.tag === 'choice')
      return this.ev.choices.eachOf([left, right], ([a, b]) => this.binaryAny(operator, a, b, position), position);
    const a = this.ev.choices.plain(left, position);
    const b = this.ev.choices.plain(right, position);
    if (a.tag === 'scalar' && b.tag === 'scalar') return this.ev.ops.binary(operator, a, b, position);
    if (isComplexOperation(a, b)) return this.ev.complex.binary(operator, a, b, position);
    if ((isArray(a) && hasComplex(b)) || (isArray(b) && hasComplex(a)))
      throw new Unsupported(`'${operator}' between ${typeName(a)} and ${typeName(b)} of complex numbers`, position);
    if (isArray(a) || isArray(b)) return this.ev.arrays.binary(operator, a, b, position);
    const isRange = (v: Value): boolean => v.tag === 'tuple' && (v.range !== undefined || v.isCurrent !== undefined);
    if (isRange(a) || isRange(b)) throw new Unsupported(`'${operator}' of a range or a view of a dict`, position);
    const sequence = (v: Value): v is ListValue | TupleValue => v.tag === 'list' || v.tag === 'tuple';
    if (operator === '+' && sequence(a) && a.tag === b.tag) {
      const items = [...this.ev.sequences.iterateAny(a, position), ...this.ev.sequences.iterateAny(b, position)];
      return a.tag === 'list' ? this.ev.cells.list(items) : tuple(items);
    }
    if (operator === '*' && (sequence(a) || sequence(b))) {
      const [seq, count] = sequence(a) ? [a, b] : [b as ListValue | TupleValue, a];
      // "can't multiply sequence by non-int of type 'numpy.float64'"
      if (count.tag === 'scalar' && count.kind === 'npfloat') return this.ev.ops.raiseForKind(count, 'TypeError');
      const n = Math.max(0, this.ev.items.staticInt(count, position, 'a repeat count'));
      const items = this.ev.sequences.iterateAny(seq, position);
      this.ev.work.step(position, n * items.length);
      const repeated = items.length === 0 ? [] : Array.from({ length: n }, () => items).flat();
      return seq.tag === 'list' ? this.ev.cells.list(repeated) : tuple(repeated);
    }
    if (
      (a.tag === 'scalar' && a.kind === 'npfloat' && sequence(b)) ||
      (b.tag === 'scalar' && b.kind === 'npfloat' && sequence(a))
    ) {
      return this.ev.arrays.binary(operator, a, b, position);
    }
    if (isText(a) && isText(b) && operator === '+') {
      return concatenated(this.ev, a, b, position);
    }
    if (isText(a) && operator === '%') return percentText(this.ev, a, b, position);
    if (operator === '*' && (a.tag === 'string' || b.tag === 'string')) {
      const [text, count] = a.tag === 'string' ? [a, b] : [b as StringValue, a];
      const n = Math.max(0, this.ev.items.staticInt(count, position, 'a repeat count'));
      return this.ev.knownTexts.repeated(text.value, n, position);
    }
    if (a.tag === 'set' && b.tag === 'set') return this.combineSets(operator, a, b, position);
    if (a.tag === 'dict' && b.tag === 'dict' && operator === '|') {
      if ((a.factory ?? b.factory) !== undefined) throw new Unsupported("'|' of a defaultdict", position);
      const entries = [...a.entries.values(), ...b.entries.values()];
      return this.ev.cells.dict(
        entries.map(({ key, cell }) => [key, this.ev.cells.readAny(cell, position)]),
        position,
      );
    }
    if (a.tag === 'instance' || b.tag === 'instance') {
      const result = callOperator(this.ev, operator, a, b, position);
      if (result !== null) return result;
    }
    // Where nothing catches it, the reason says more.
    const isRefused = ['+', '-', '/', '//', '**'].includes(operator) && isOfPython(a) && isOfPython(b);
    if (isRefused && this.ev.exits.isInTry) return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    throw new Unsupported(`'${operator}' between ${typeName(a)} and ${typeName(b)}`, position);
  }

  private combineSets(operator: BinaryOperator, a: SetValue, b: SetValue, position: Position): Value {
    this.ev.work.step(position, (a.entries.size + b.entries.size) / COPIES_PER_STEP);
    const [p, q] = [[...a.entries], [...b.entries]];
    const pick = (entries: typeof p): Value =>
      this.ev.cells.set(
        entries.map(([, value]) => value),
        position,
        a.isFrozenSet,
      );
    switch (operator) {
      case '|':
        return pick([...p, ...q]);
      case '&':
        return pick(p.filter(([key]) => b.entries.has(key)));
      case '-':
        return pick(p.filter(([key]) => !b.entries.has(key)));
      case '^':
        return pick([...p.filter(([key]) => !b.entries.has(key)), ...q.filter(([key]) => !a.entries.has(key))]);
      default:
        return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
  }

  unary(operator: '+' | '-' | '~' | 'not', value: AnyValue, position: Position): AnyValue {
    if (operator === 'not') return this.ev.ops.not(this.truthOf(value, position));
    if (value.tag === 'choice')
      return this.ev.choices.each(value, (plain) => this.unary(operator, plain, position), position);
    const operand = this.ev.choices.plain(value, position);
    if (isArray(operand)) return this.ev.arrays.unary(operator, operand, position);
    if (isComplex(operand)) return this.ev.complex.unary(operator, operand, position);
    if (operand.tag === 'instance') {
      const method = classMember(operand.cls, { '-': '__neg__', '+': '__pos__', '~': '__invert__' }[operator]);
      if (method !== undefined) return this.ev.calls.call(method, { args: [operand], keywords: new Map(), position });
    }
    if (operand.tag !== 'scalar') throw new Unsupported(`'${operator}' on ${typeName(operand)}`, position);
    switch (operator) {
      case '-':
        return this.ev.ops.negate(operand);
      case '+':
        if (operand.kind === 'npbool')
          throw new Unsupported("'+' before NumPy's truth value, which newer versions refuse", position);
        return isBoolKind(operand.kind) ? this.ev.ops.retag(operand, 'int') : operand;
      case '~':
        if (operand.kind === 'npbool') return this.ev.ops.retag(this.ev.ops.not(operand), 'npbool');
        if (operand.known !== undefined && operand.kind === 'int') return int(-operand.known - 1);
        throw new Unsupported("'~' on numbers that depend on x", position);
    }
  }

  compare(operator: ComparisonOperator, a: AnyValue, b: AnyValue, position: Position): Value {
    return this.ev.choices.plain(this.compareAny(operator, a, b, position), position);
  }

  compareAny(operator: ComparisonOperator, left: AnyValue, right: AnyValue, position: Position): AnyValue {
    if (left.tag === 'choice' || right.tag === 'choice')
      return this.ev.choices.eachOf([left, right], ([a, b]) => this.compareAny(operator, a, b, position), position);
    const a = this.ev.choices.plain(left, position);
    const b = this.ev.choices.plain(right, position);
    if (operator === 'is' || operator === 'is not') return this.ev.equality.isSame(operator === 'is', a, b, position);
    if (operator === 'in' || operator === 'not in') {
      const found = this.ev.equality.contains(b, a, position);
      return operator === 'in' ? found : this.ev.ops.not(found);
    }
    if (a.tag === 'scalar' && b.tag === 'scalar') return this.ev.ops.compare(operator, a, b);
    if (isComplexOperation(a, b)) return this.ev.complex.compare(operator, a, b, position);
    if (isArray(a) || isArray(b) || this.isElementwise(a, b, position) || this.isElementwise(b, a, position))
      return this.ev.arrays.compare(operator, a, b, position);
    if ((operator === '==' || operator === '!=') && (a.tag === 'instance' || b.tag === 'instance')) {
      const equal = this.ev.equality.equalObjects(a, b, position);
      return operator === '==' ? equal : this.ev.ops.not(this.truthOf(equal, position));
    }
    if (operator === '==' || operator === '!=') {
      const equal = this.ev.equality.structurallyEqual(a, b, position);
      return operator === '==' ? equal : this.ev.ops.not(equal);
    }
    throw new Unsupported(`'${operator}' between ${typeName(a)} and ${typeName(b)}`, position);
  }

  /** Whether NumPy compares a scalar of its own with each item of a list or tuple. */
  private isElementwise(scalar: Value, items: Value, position: Position): boolean {
    if (scalar.tag !== 'scalar' || (items.tag !== 'list' && items.tag !== 'tuple')) return false;
    const kinds = this.ev.ops.possibleKinds(scalar);
    if (!kinds.some(isNumPyKind)) return false;
    if (kinds.every(isNumPyKind)) return true;
    throw new Unsupported('comparing a NumPy scalar or a number, depending on x, with a list', position);
  }

  /** Python's truth value, also of NumPy's. */
  truthOf(any: AnyValue, position: Position): Scalar {
    if (any.tag === 'choice')
      return this.ev.choices.eachTruth([any], ([plain]) => this.truthOf(plain, position), position);
    const value = this.ev.choices.plain(any, position);
    switch (value.tag) {
      case 'scalar':
        return this.ev.ops.retag(this.ev.ops.truthScalar(value), 'bool');
      case 'complex':
        return this.ev.ops.retag(this.ev.complex.truth(value), 'bool');
      case 'complexarray':
        return this.truthOf(this.ev.complex.compare('!=', value, int(0), position), position);
      case 'none':
        return bool(false);
      case 'string':
        return bool(value.value.length > 0);
      case 'list':
        return bool(value.cells.length > 0);
      case 'tuple':
        return bool(value.items.length > 0);
      case 'dict':
      case 'set':
        return bool(value.entries.size > 0);
      case 'filtered':
        if (value.isGenerator) return bool(true);
        return value.items.reduce<Scalar>((any, { present }) => this.ev.ops.or(any, present), bool(false));
      case 'text':
      case 'masked':
        throw new Unsupported(
          `a condition on ${value.tag === 'text' ? 'text' : 'an array of a length'} that depends on x`,
          position,
        );
      case 'ndarray':
        if (value.cells.length === 1) return this.truthOf(this.ev.arrays.items(value)[0], position);
        if (value.cells.length === 0) {
          throw new Unsupported('the truth value of an empty array, which newer versions of NumPy refuse', position);
        }
        // "The truth value of an array with more than one element is ambiguous."
        this.ev.ops.locate(position);
        return this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
      case 'instance':
        return truthOfInstance(this.ev, value, position);
      case 'function':
      case 'builtin':
      case 'module':
      case 'type':
      case 'class':
      case 'iterator':
      case 'slice':
      case 'super':
      case 'ellipsis':
      case 'exception':
        return bool(true);
    }
  }
}

const isArray = (value: Value): value is NdArray | MaskedValue => value.tag === 'ndarray' || value.tag === 'masked';

/** Whether a value is of a type of Python's own that no library extends. */
function isOfPython(value: Value): boolean {
  if (value.tag === 'scalar') return !isNumPyKind(value.kind);
  if (value.tag === 'tuple') return value.isCurrent === undefined && value.range === undefined;
  return ['string', 'text', 'none', 'list', 'dict', 'set'].includes(value.tag);
}
