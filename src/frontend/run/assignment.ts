/**
 * Assignment to names, patterns of names, items and attributes, also augmented.
 */
import { LaneStatus } from '../../ir/types.js';
import { widerKind } from '../arrays/shapes.js';
import { isComplex } from '../arrays/complex.js';
import type { Expression, Position, StatementOf } from '../syntax/ast.js';
import {
  isNumPyKind,
  NONE,
  typeName,
  Unsupported,
  type AnyValue,
  type Cell,
  type InstanceValue,
  type MaskedValue,
  type Scope,
  type Value,
} from '../values/values.js';
import { isFrozenField, methodOrder, refuseHook, refusesAttribute } from '../values/classes.js';
import type { Evaluator } from './evaluator.js';

export class Assignment {
  constructor(private readonly ev: Evaluator) {}

  assign(target: Expression, value: AnyValue, scope: Scope): void {
    switch (target.kind) {
      case 'Name':
        this.ev.names.bind(target.name, value, scope);
        return;
      case 'Tuple':
      case 'List': {
        if (value.tag === 'choice') {
          this.ev.choices.each(value, (plain) => (this.assign(target, plain, scope), NONE), target);
          return;
        }
        const items = this.ev.sequences.iterateAny(this.ev.choices.plain(value, target), target);
        const starred = target.elements.findIndex((e) => e.kind === 'Starred');
        const count = target.elements.length;
        if (starred < 0) {
          if (items.length !== count) {
            throw new Unsupported(
              `this unpacks ${count} values, but there are ${items.length} (is it meant for ${count} dimensions?)`,
              target,
            );
          }
          target.elements.forEach((element, k) => this.assign(element, items[k], scope));
          return;
        }
        if (items.length < count - 1) this.ev.ops.raise(LaneStatus.Raised, 'ValueError');
        const tail = count - 1 - starred;
        target.elements.forEach((element, k) => {
          if (element.kind === 'Starred') {
            this.assign(element.value, this.ev.cells.list(items.slice(starred, items.length - tail)), scope);
          } else this.assign(element, k < starred ? items[k] : items[items.length - (count - k)], scope);
        });
        return;
      }
      case 'Subscript': {
        const object = this.ev.expressions.evaluateAny(target.value, scope);
        const index = this.ev.expressions.evaluateAny(target.index, scope);
        this.ev.ops.locate(target);
        this.ev.stores.storeItem(object, index, value, target);
        return;
      }
      case 'Attribute':
        this.storeAttribute(this.ev.expressions.evaluateAny(target.value, scope), target.name, value, target);
        return;
      default:
        throw new Unsupported('an assignment to this kind of target', target);
    }
  }

  private storeAttribute(owner: AnyValue, name: string, value: AnyValue, position: Position): void {
    if (owner.tag === 'choice') {
      this.ev.choices.each(owner, (plain) => (this.storeAttribute(plain, name, value, position), NONE), position);
      return;
    }
    const object = this.ev.choices.plain(owner, position);
    const places = this.attributesOf(object);
    if (places === undefined) throw new Unsupported(`storing an attribute of ${typeName(object)}`, position);
    const cell = places.get(name);
    const lasts = !this.ev.loading && (object.tag === 'instance' ? object.frozen : this.lastsAsObject(object));
    if (object.tag === 'instance' && isFrozenField(object.cls, name))
      this.ev.ops.raise(LaneStatus.Raised, 'dataclasses.FrozenInstanceError');
    if (object.tag === 'instance' && refusesAttribute(object.cls, name))
      this.ev.ops.raise(LaneStatus.Raised, 'AttributeError');
    refuseHook(name, position);
    if (cell !== undefined) {
      this.ev.cells.store(cell, lasts, value, position);
      return;
    }
    // As old as the object, so that a branch on x takes it back.
    const created: Cell = { value: undefined, born: (object as InstanceValue).born };
    places.set(name, created);
    this.ev.cells.effects++;
    if (lasts) {
      const remove = (): void => void places.delete(name);
      this.ev.lasting.adopt(created, position, remove);
      this.ev.lasting.assign(created, value, position);
    } else this.ev.cells.write(created, value);
  }

  /** Where the attributes of an object of the program are that it has itself. */
  private attributesOf(object: Value): Map<string, Cell> | undefined {
    switch (object.tag) {
      case 'instance':
      case 'function':
        return object.attributes;
      case 'class':
        return object.members;
      default:
        return undefined;
    }
  }

  /** Functions and classes of the module, and those that it has made by calls. */
  private lastsAsObject(object: Value): boolean {
    return (object.tag === 'function' || object.tag === 'class') && object.born <= this.ev.loadedAt;
  }

  /** The variable behind an attribute, also of the object's class. */
  attributeCell(object: Value, name: string): Cell | undefined {
    const own = this.attributesOf(object)?.get(name);
    if (own !== undefined) return own;
    const cls = object.tag === 'instance' ? object.cls : object.tag === 'class' ? object : undefined;
    if (cls === undefined) return undefined;
    return methodOrder(cls)
      .map((above) => above.members.get(name))
      .find((cell) => cell !== undefined);
  }

  /** An array of a length that depends on x, changed in place: what has its name alone may as well get a new one. */
  private updatedInPlace(old: MaskedValue, operand: Value, node: StatementOf<'AugAssign'>): AnyValue {
    if (this.ev.cells.holders.get(old) === null)
      throw new Unsupported('a change in place of an array of a length that depends on x and has several names', node);
    const made = this.ev.operators.binary(node.operator, old, operand, node);
    if (made.tag !== 'masked')
      throw new Unsupported('a change in place of an array of a length that depends on x', node);
    if (widerKind(made.kind, old.kind) !== old.kind) return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
    return { ...made, kind: old.kind };
  }

  augmentedAssign(node: StatementOf<'AugAssign'>, scope: Scope): void {
    const apply = (before: AnyValue): AnyValue => {
      const value = this.ev.expressions.evaluateAny(node.value, scope);
      this.ev.ops.locate(node);
      return this.ev.choices.eachOf([before, value], ([old, operand]) => updated(old, operand), node);
    };
    const updated = (old: Value, operand: Value): AnyValue => {
      if (node.operator === '@') throw new Unsupported("'@=', which older versions of NumPy refuse", node);
      if (old.tag === 'ndarray') {
        if (node.operator === '**' && old.kind !== 'npfloat')
          throw new Unsupported('a power in place of integers, where NumPy takes some exponents that are floats', node);
        const result = this.ev.operators.binary(node.operator, old, operand, node);
        // NumPy does not cast complex numbers to real ones.
        if (isComplex(result)) return this.ev.ops.raise(LaneStatus.Raised, 'TypeError');
        this.ev.exits.guarded(() => this.ev.arrays.assignInPlace(old, result, node), node);
        return old;
      }
      if (old.tag === 'complexarray') {
        const result = this.ev.operators.binary(node.operator, old, operand, node);
        this.ev.exits.guarded(() => this.ev.complex.assignInPlace(old, result, node), node);
        return old;
      }
      if (old.tag === 'masked') return this.updatedInPlace(old, operand, node);
      const isNumPy = operand.tag === 'ndarray' || (operand.tag === 'scalar' && isNumPyKind(operand.kind));
      if (old.tag === 'list' && node.operator === '+' && !isNumPy) {
        const items = this.ev.sequences.addedTo(old, operand, node);
        this.ev.exits.guarded(
          () => this.ev.cells.restructure(old, [...old.cells, ...items.map((v) => this.ev.cells.cell(v))], node),
          node,
        );
        return old;
      }
      if (old.tag === 'list' && node.operator === '*') {
        const repeated = this.ev.operators.binary('*', old, operand, node);
        if (repeated.tag !== 'list') return repeated;
        this.ev.exits.guarded(() => this.ev.cells.restructure(old, repeated.cells, node), node);
        return old;
      }
      return this.ev.operators.binaryAny(node.operator, old, operand, node);
    };
    const target = node.target;
    if (target.kind === 'Name') {
      const made = apply(this.ev.expressions.evaluateAny(target, scope));
      this.ev.exits.guarded(() => this.ev.names.bind(target.name, made, scope), target);
      return;
    }
    if (target.kind === 'Subscript') {
      const object = this.ev.expressions.evaluateAny(target.value, scope);
      const index = this.ev.expressions.evaluateAny(target.index, scope);
      const made = apply(this.ev.items.subscriptAny(object, index, target));
      this.ev.exits.guarded(() => this.ev.stores.storeItem(object, index, made, target), target);
      return;
    }
    if (target.kind === 'Attribute') {
      const object = this.ev.expressions.evaluateAny(target.value, scope);
      const made = apply(this.ev.calls.attribute(object, target.name, target));
      this.ev.exits.guarded(() => this.storeAttribute(object, target.name, made, target), target);
      return;
    }
    throw new Unsupported('an assignment to this kind of target', target);
  }
}
