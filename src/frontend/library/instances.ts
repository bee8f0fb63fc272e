/**
 * Attributes of instances, of classes and of `super()`, and what Python asks an instance through its methods.
 */
import { LaneStatus } from '../../ir/types.js';
import type { LibraryMachine } from './library-machine.js';
import type { Position } from '../syntax/ast.js';
import { bindings, classMember, isSpecial, methodOrder, refuseUnwritten } from '../values/classes.js';
import { exceptionClassOf } from '../values/exceptions.js';
import {
  bool,
  int,
  isIntKind,
  NONE,
  typeName,
  Unsupported,
  type AnyValue,
  type ClassValue,
  type InstanceValue,
  type Scalar,
  type SuperValue,
  type Value,
} from '../values/values.js';
import { handingOn, takeAny } from './arguments.js';
import { initializeFields } from './dataclasses.js';

/** What `__len__` gives: an integer that is not negative. */
export function lengthOfInstance(
  ev: LibraryMachine,
  method: Value,
  instance: InstanceValue,
  position: Position,
): Scalar {
  const result = ev.calls.call(method, { args: [instance], keywords: new Map(), position });
  if (result.tag !== 'scalar' || ev.ops.isNotCertain(result)) throw new Unsupported('this __len__()', position);
  if (!isIntKind(result.kind) && result.kind !== 'bool') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  ev.ops.check(ev.ops.compare('<', result, int(0)), LaneStatus.Raised, 'ValueError');
  return ev.ops.retag(result, 'int');
}

/** Whether an object counts as true. */
export function truthOfInstance(ev: LibraryMachine, instance: InstanceValue, position: Position): Scalar {
  const own = classMember(instance.cls, '__bool__');
  if (own === undefined) {
    const length = classMember(instance.cls, '__len__');
    if (length === undefined) return bool(true);
    return ev.operators.truthOf(lengthOfInstance(ev, length, instance, position), position);
  }
  const result = ev.calls.call(own, { args: [instance], keywords: new Map(), position });
  if (result.tag === 'scalar' && !ev.ops.isNotCertain(result))
    return result.kind === 'bool' ? result : ev.ops.raise(LaneStatus.Raised, 'TypeError');
  throw new Unsupported('this __bool__()', position);
}

/** What `super().name` is. */
export function superAttribute(
  ev: LibraryMachine,
  { cls, self }: SuperValue,
  name: string,
  position: Position,
): AnyValue {
  const order = methodOrder(self.tag === 'instance' ? self.cls : self.tag === 'class' ? self : cls);
  const at = order.indexOf(cls);
  const above = at < 0 ? methodOrder(cls).slice(1) : order.slice(at + 1);
  for (const base of above) {
    const member = base.members.get(name)?.value;
    if (member !== undefined) return boundMember(ev, ev.choices.plain(member, position), self, base, name, position);
  }
  if (name === '__init__') {
    const base = above.find(({ dataclass }) => dataclass !== undefined);
    const data = base?.dataclass;
    return handingOn('super().__init__', (call) => {
      if (base !== undefined && data !== undefined && self.tag === 'instance')
        initializeFields(ev, self, base, data.fields, call);
      else if (call.args.length + call.keywords.size > 0) {
        const isException = self.tag === 'instance' && exceptionClassOf(self.cls) !== undefined;
        takeAny(call);
        if (!isException || call.keywords.size > 0) ev.ops.raise(LaneStatus.Raised, 'TypeError');
      }
      return NONE;
    });
  }
  throw new Unsupported(`super().${name}`, position);
}

export function instanceAttribute(
  ev: LibraryMachine,
  instance: InstanceValue,
  name: string,
  position: Position,
): AnyValue {
  const own = instance.attributes.get(name);
  if (own?.value !== undefined) return ev.cells.readAny(own, position);
  const member = classMember(instance.cls, name);
  if (member !== undefined) return boundMember(ev, member, instance, instance.cls, name, position);
  if (name === '__class__') return instance.cls;
  if (isSpecial(name)) throw new Unsupported(`the attribute '${name}' of ${typeName(instance)}`, position);
  refuseUnwritten(instance.cls, name, position);
  ev.ops.line = position.line;
  return ev.ops.raise(LaneStatus.Raised, 'AttributeError');
}

/** What `C.name` is; undefined: nothing that is known. */
export function classAttribute(
  ev: LibraryMachine,
  cls: ClassValue,
  name: string,
  position: Position,
): AnyValue | undefined {
  const cell = ev.assignment.attributeCell(cls, name);
  if (cell?.value === undefined) return undefined;
  const member = ev.cells.readAny(cell, position);
  if (member.tag !== 'function') return member;
  const binding = bindings.get(member);
  if (binding === 'class') return boundMember(ev, member, cls, cls, name, position);
  if (binding === 'property' || binding === 'cached') throw new Unsupported('a property of a class', position);
  return member;
}

function boundMember(
  ev: LibraryMachine,
  member: Value,
  self: Value,
  cls: ClassValue,
  name: string,
  position: Position,
): AnyValue {
  if (member.tag !== 'function') return member;
  const bound = (first: Value): Value =>
    handingOn(`${cls.name}.${name}`, (call) => ev.calls.call(member, { ...call, args: [first, ...call.args] }));
  switch (bindings.get(member) ?? 'method') {
    case 'static':
      return member;
    case 'class':
      return bound(self.tag === 'instance' ? self.cls : cls);
    case 'property':
      return ev.calls.call(member, { args: [self], keywords: new Map(), position });
    case 'cached': {
      const value = ev.calls.call(member, { args: [self], keywords: new Map(), position });
      if (self.tag !== 'instance') return value;
      if (self.frozen && !ev.loading) {
        // Kept for later calls: the same for all of them only where it is known.
        if (value.tag === 'string' || (value.tag === 'scalar' && value.known !== undefined)) return value;
        throw new Unsupported('a cached property of an object that lasts', position);
      }
      if (!ev.cells.isNew(self.born))
        throw new Unsupported('a cached property first used in a branch or loop', position);
      self.attributes.set(name, { value, born: self.born });
      return value;
    }
    case 'method':
      return bound(self);
  }
}
