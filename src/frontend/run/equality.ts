/**
 * `==`, `is` and `in`: when two values are one.
 */
import { LaneStatus } from '../../ir/types.js';
import { isComplexOperation } from '../arrays/complex.js';
import { typeObjectName } from '../library/types.js';
import type { Position } from '../syntax/ast.js';
import { isOpenKey } from '../values/keys.js';
import { COPIES_PER_STEP } from '../machine/work.js';
import { isPlainSequence } from '../values/structure.js';
import {
  bool,
  float,
  typeName,
  Unsupported,
  type AnyValue,
  type DictValue,
  type Scalar,
  type SetValue,
  type Value,
} from '../values/values.js';
import { classMember, methodOrder } from '../values/classes.js';
import type { Evaluator } from './evaluator.js';

export class Equality {
  constructor(private readonly ev: Evaluator) {}

  /** `a == b` where one is an object of the program: its class says, or else identity decides. */
  equalObjects(a: Value, b: Value, position: Position): AnyValue {
    const own = (value: Value): Value | undefined =>
      value.tag === 'instance' ? classMember(value.cls, '__eq__') : undefined;
    const refuse = (): never => {
      throw new Unsupported(`'==' between ${typeName(a)} and ${typeName(b)}`, position);
    };
    if ([a, b].some((value) => value.tag === 'instance' && classMember(value.cls, '__ne__') !== undefined)) refuse();
    const [left, right] = [own(a), own(b)];
    const areBoth = a.tag === 'instance' && b.tag === 'instance';
    if (areBoth && a.cls !== b.cls && (left ?? right) !== undefined) refuse();
    if (left !== undefined) return this.ev.calls.call(left, { args: [a, b], keywords: new Map(), position });
    // Types of Python's own leave it to the object.
    if (right !== undefined) return this.ev.calls.call(right, { args: [b, a], keywords: new Map(), position });
    // A dataclass compares fields, in classes below it, too.
    const isData = (value: Value): boolean =>
      value.tag === 'instance' && methodOrder(value.cls).some(({ dataclass }) => dataclass !== undefined);
    if (areBoth && a !== b && a.cls === b.cls && isData(a)) refuse();
    return bool(a === b);
  }

  isSame(expected: boolean, a: Value, b: Value, position: Position): Scalar {
    const answer = (same: boolean): Scalar => bool(same === expected);
    const types = [a, b].map(typeObjectName);
    if (types.every((name) => name !== null)) return answer(types[0] === types[1]);
    if (a.tag === 'none' || b.tag === 'none') return answer(a.tag === b.tag);
    if (a.tag === 'scalar' && b.tag === 'scalar') {
      const kinds = [a, b].map((s) => this.ev.ops.possibleKinds(s));
      const [p, q] = kinds;
      if (!p.some((kind) => q.includes(kind))) return answer(false);
      if (kinds.some((of) => of.length > 1 || of[0] !== 'bool'))
        throw new Unsupported("'is' between numbers", position);
      const equal = this.ev.ops.compare('==', a, b);
      return expected ? equal : this.ev.ops.not(equal);
    }
    if (a.tag !== b.tag && isOfPlainType(a) && isOfPlainType(b)) return answer(false);
    if (!IDENTIFIED.has(a.tag) || a.tag !== b.tag)
      throw new Unsupported(`'is' between ${typeName(a)} and ${typeName(b)}`, position);
    if (a === b) return answer(true);
    // What has met another on a branch stands for both.
    const isOneOrAnother = (value: Value): boolean =>
      (value.tag === 'list' && this.ev.ties.tiedLists.has(value)) ||
      ((value.tag === 'list' || value.tag === 'ndarray') &&
        (value.bulk !== undefined || value.cells.some((cell) => this.ev.ties.isTied(cell))));
    if (isOneOrAnother(a) || isOneOrAnother(b))
      throw new Unsupported("'is' between lists or arrays that depend on x", position);
    return answer(false);
  }

  contains(container: Value, item: Value, position: Position): Scalar {
    if (container.tag === 'dict' || container.tag === 'set') return this.hasKey(container, item, position);
    if (container.tag === 'string') {
      if (item.tag === 'string') {
        this.ev.knownTexts.countSearch(container.value, item.value, position);
        return bool(container.value.includes(item.value));
      }
      if (item.tag === 'text') throw new Unsupported('whether text that depends on x is in a text', position);
      return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
    if (container.tag === 'instance') {
      const method = classMember(container.cls, '__contains__');
      if (method !== undefined) {
        const answer = this.ev.calls.call(method, { args: [container, item], keywords: new Map(), position });
        return this.ev.operators.truthOf(answer, position);
      }
    }
    // Its items are compared all at once.
    if (container.tag === 'ndarray' && (item.tag !== 'scalar' || container.shape.length !== 1))
      throw new Unsupported(`whether ${typeName(item)} is in an array`, position);
    const isArray = container.tag === 'ndarray';
    this.ev.sequences.inTurns(container, position);
    let found: Scalar = bool(false);
    for (const other of this.ev.sequences.iterateAny(container, position)) {
      const equal = isArray
        ? this.ev.operators.truthOf(this.ev.operators.compare('==', item, other, position), position)
        : this.isItem(other, item, position);
      found = this.ev.ops.or(found, equal);
    }
    return found;
  }

  /** An item that depends on x is compared with the known keys one by one. */
  hasKey(container: DictValue | SetValue, item: Value, position: Position): Scalar {
    if (!isOpenKey(item)) return bool(container.entries.has(this.ev.cells.key(item, position)));
    this.ev.work.step(position, container.entries.size);
    const keys = [...container.entries.values()].map((entry) => ('cell' in entry ? entry.key : entry));
    return keys.reduce<Scalar>((found, key) => this.ev.ops.or(found, this.isKey(item, key, position)), bool(false));
  }

  /** Whether a key that depends on x, or has parts that do, equals a known one. */
  isKey(item: AnyValue, key: AnyValue, position: Position): Scalar {
    if (item.tag === 'choice')
      return this.ev.choices.eachTruth([item], ([plain]) => this.isKey(plain, key, position), position);
    if (item.tag === 'tuple' && key.tag === 'tuple') {
      if (item.items.length !== key.items.length) return bool(false);
      return item.items.reduce<Scalar>(
        (equal, part, k) =>
          equal.known === 0 ? equal : this.ev.ops.and(equal, this.isKey(part, key.items[k], position)),
        bool(true),
      );
    }
    if (item.tag === 'scalar' && key.tag === 'scalar')
      return this.ev.ops.compare('==', item, float(key.known as number));
    return bool(!isOpenKey(item) && this.ev.cells.key(item, position) === this.ev.cells.key(key, position));
  }

  /** Containers take an object for equal to itself; whether two NaN are one object, only CPython knows. */
  private refuseTwoNaNs(a: Value, b: Value): void {
    if (a.tag === 'complex' && b.tag === 'complex') {
      const both = this.ev.ops.and(this.ev.complex.isNaN(a), this.ev.complex.isNaN(b));
      this.ev.ops.check(both, LaneStatus.Untranslated);
    }
    if (a.tag !== 'scalar' || b.tag !== 'scalar') return;
    this.ev.ops.check(this.ev.ops.and(this.ev.ops.isNaN(a), this.ev.ops.isNaN(b)), LaneStatus.Untranslated);
  }

  /** Whether an item of a list or tuple counts as equal to a value: for `in`, `index`, `count`. */
  isItem(item: AnyValue, value: AnyValue, position: Position): Scalar {
    return this.ev.choices.eachTruth(
      [item, value],
      ([a, b]) => {
        if (a.tag === 'ndarray' || b.tag === 'ndarray')
          throw new Unsupported('an array compared with the items of a list', position);
        this.refuseTwoNaNs(a, b);
        return this.ev.operators.truthOf(this.ev.operators.compareAny('==', a, b, position), position);
      },
      position,
    );
  }

  structurallyEqual(left: AnyValue, right: AnyValue, position: Position): Scalar {
    if (left.tag === 'choice' || right.tag === 'choice')
      return this.ev.choices.eachTruth([left, right], ([a, b]) => this.structurallyEqual(a, b, position), position);
    const a = this.ev.choices.plain(left, position);
    const b = this.ev.choices.plain(right, position);
    if (a.tag === 'scalar' && b.tag === 'scalar') return this.ev.ops.compare('==', a, b);
    if (isComplexOperation(a, b))
      return this.ev.operators.truthOf(this.ev.complex.compare('==', a, b, position), position);
    if (a.tag === 'string' && b.tag === 'string') return bool(this.ev.knownTexts.isEqual(a.value, b.value, position));
    if (a.tag === 'set' && b.tag === 'set') {
      this.ev.work.step(position, a.entries.size / COPIES_PER_STEP);
      return bool(a.entries.size === b.entries.size && [...a.entries.keys()].every((key) => b.entries.has(key)));
    }
    if (a.tag === 'text' || b.tag === 'text') throw new Unsupported('comparing text that depends on x', position);
    if (a.tag === 'filtered' || b.tag === 'filtered')
      throw new Unsupported('comparing a list of a length that depends on x', position);
    if (a.tag === 'none' || b.tag === 'none') return bool(a.tag === b.tag);
    const types = [a, b].map(typeObjectName);
    if (types.every((name) => name !== null)) return bool(types[0] === types[1]);
    if (types.some((name) => name !== null) && (a.tag === 'class' || b.tag === 'class')) return bool(false);
    if (a.tag === 'class' && b.tag === 'class') return bool(a === b);
    if ((a.tag === 'list' || a.tag === 'tuple') && a.tag === b.tag && isPlainSequence(a) && isPlainSequence(b)) {
      const p = this.ev.sequences.iterateAny(a, position);
      const q = this.ev.sequences.iterateAny(b, position);
      if (p.length !== q.length) return bool(false);
      // The first items that differ decide; later ones are not compared.
      const from = (k: number): Scalar =>
        k === p.length
          ? bool(true)
          : this.ev.branches.branch(
              this.isItem(p[k], q[k], position),
              () => from(k + 1),
              () => bool(false),
              position,
            );
      return from(0);
    }
    if (a.tag !== b.tag && isOfPlainType(a) && isOfPlainType(b)) return bool(false);
    throw new Unsupported(`'==' between ${typeName(a)} and ${typeName(b)}`, position);
  }
}

/** Whether a value is of one of the types whose values equal none of another of these types. */
const isOfPlainType = (value: Value): boolean =>
  ['scalar', 'complex', 'none', 'string', 'text', 'dict', 'set', 'function', 'module', 'class'].includes(value.tag) ||
  value.tag === 'list' ||
  (value.tag === 'tuple' && isPlainSequence(value));

/** Tags of values that are one object as long as they are one value here. */
const IDENTIFIED: ReadonlySet<Value['tag']> = new Set<Value['tag']>([
  ...(['list', 'dict', 'set', 'ndarray', 'instance', 'function', 'class', 'module'] as const),
]);
