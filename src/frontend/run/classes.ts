/**
 * Classes of the program: constants made in `__init__`, methods, `__call__`, single and multiple inheritance in
 * depth-first order. Descriptors other than property, staticmethod and classmethod are not translated, nor are methods by
 * which a class changes what Python itself does with its objects (`__getattr__`, `__new__`, ...).
 */
import { LaneStatus } from '../../ir/types.js';
import type { BinaryOperator, Expression, Position, StatementOf } from '../syntax/ast.js';
import type { Evaluator } from './evaluator.js';
import { exceptionClassOf, type ExceptionName } from '../values/exceptions.js';
import { builtin, handingOn, takeAny } from '../library/arguments.js';
import { namesOfClass } from '../values/scopes.js';
import { namedTupleType } from '../library/standard-library.js';
import {
  NONE,
  Unsupported,
  bool,
  int,
  string,
  tuple,
  isIntKind,
  isNumPyKind,
  typeName,
  type Call,
  type Cell,
  type ClassValue,
  type FunctionValue,
  type Held,
  type InstanceValue,
  type Scalar,
  type Scope,
  type SuperValue,
  type AnyCall,
  type AnyValue,
  type Value,
} from '../values/values.js';

type Binding = 'method' | 'property' | 'cached' | 'static' | 'class';

/** How a decorated function of a class is bound; methods are not in here. */
const bindings = new WeakMap<FunctionValue, Binding>();

/** Functions that are to be defined in a class below. */
const abstracts = new WeakSet<Value>();

const DECORATORS: Readonly<Record<string, Binding | undefined>> = {
  property: 'property',
  cached_property: 'cached',
  staticmethod: 'static',
  classmethod: 'class',
};

const OPERATORS: Readonly<Record<BinaryOperator, string>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'truediv',
  '//': 'floordiv',
  '%': 'mod',
  '**': 'pow',
  '@': 'matmul',
  '<<': 'lshift',
  '>>': 'rshift',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
};

/** Names by which a class says what Python shall do, where that is followed or what would ask for it is refused. */
const HOOKS: ReadonlySet<string> = new Set(
  [
    ...['init', 'post_init', 'call', 'bool', 'len', 'getitem', 'eq', 'ne', 'neg', 'pos', 'invert', 'slots'],
    ...Object.values(OPERATORS).flatMap((name) => [name, `r${name}`]),
    ...['lt', 'le', 'gt', 'ge', 'hash', 'repr', 'str', 'format', 'iter', 'next', 'contains', 'setitem', 'delitem'],
    ...['enter', 'exit', 'abs', 'float', 'int', 'index', 'complex', 'round', 'floor', 'ceil', 'trunc', 'reversed'],
    ...['copy', 'deepcopy', 'reduce', 'getstate', 'setstate', 'doc', 'module', 'qualname', 'name', 'annotations'],
    ...['match_args', 'divmod', 'rdivmod'],
  ].map((name) => `__${name}__`),
);

const isSpecial = (name: string): boolean => /^__\w+__$/.test(name);

/** Other names of this form change what is done without asking: `__new__`, `__getattr__`, `__iadd__`. */
export function refuseHook(name: string, position: Position): void {
  if (isSpecial(name) && !HOOKS.has(name)) throw new Unsupported(`a class with ${name}`, position);
}

/** The class in which a method was defined: where `super()` starts. */
const owners = new WeakMap<FunctionValue, ClassValue>();
export const ownerOf = (method: FunctionValue): ClassValue | undefined => owners.get(method);

/** Classes that add nothing to an object. */
const EMPTY_BASES = ['object', 'ABC', 'Protocol', 'Generic'];

/** Values that are no classes, nor make one. */
const NO_CLASSES: ReadonlySet<string> = new Set([
  ...['scalar', 'complex', 'string', 'text', 'none', 'list', 'tuple', 'dict', 'set', 'function', 'ndarray', 'module'],
]);

export function defineClass(ev: Evaluator, node: StatementOf<'ClassDef'>, scope: Scope): Value {
  if (node.keywords.length > 0) throw new Unsupported('class keywords (metaclass=...)', node);
  const decorators = node.decorators.map((d) => ({ position: d, value: ev.expressions.evaluate(d, scope) }));
  let isNamedTuple = false;
  let isAbstract = false;
  const exceptions: ExceptionName[] = [];
  const bases = node.bases.flatMap((base) => {
    const value = ev.expressions.evaluate(base.kind === 'Subscript' ? base.value : base, scope);
    if (value.tag === 'class') {
      isAbstract ||= value.isAbstract === true;
      return [value];
    }
    const name = value.tag === 'type' || value.tag === 'builtin' ? value.name : '';
    const exception = exceptionClassOf(value);
    if (typeof exception === 'string') {
      exceptions.push(exception);
      return [];
    }
    if (NO_CLASSES.has(value.tag)) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
    isNamedTuple ||= name === 'NamedTuple';
    isAbstract ||= name === 'ABC' || name === 'Protocol';
    if (EMPTY_BASES.includes(name) || name === 'NamedTuple') return [];
    throw new Unsupported('a class with a base class that is not of this source', base);
  });
  const members = new Map<string, Cell>();
  // Names in the body are looked up in the body first, then outside; what is defined in it does not see the body's names.
  const body: Scope = { kind: 'class', parent: scope, cells: members, names: namesOfClass(node.body) };
  const annotated: string[] = [];
  const methods: FunctionValue[] = [];
  for (const statement of node.body) {
    if (statement.kind !== 'FunctionDef') {
      if (
        statement.kind === 'AnnAssign' &&
        statement.target.kind === 'Name' &&
        !isClassVariable(statement.annotation)
      ) {
        annotated.push(statement.target.name);
      }
      ev.statements.execute(statement, body);
      continue;
    }
    if (statement.isAsync) throw new Unsupported('async methods', statement);
    const names = statement.decorators.map((d) => (d.kind === 'Name' || d.kind === 'Attribute' ? d.name : ''));
    const binding = names.map((name) => DECORATORS[name]).find((b) => b !== undefined);
    const unknown = names.findIndex((name) => DECORATORS[name] === undefined && name !== 'abstractmethod');
    if (unknown >= 0)
      throw new Unsupported(
        'a method with a decorator other than property, staticmethod, classmethod and abstractmethod',
        statement.decorators[unknown],
      );
    const method = ev.functions.makeFunction(statement.name, statement.parameters, statement.body, body, statement);
    if (binding !== undefined) bindings.set(method, binding);
    if (names.includes('abstractmethod')) abstracts.add(method);
    methods.push(method);
    ev.names.bind(statement.name, method, body);
  }
  for (const name of members.keys()) refuseHook(name, node);
  if (isNamedTuple) {
    if (methods.length > 0) throw new Unsupported('a NamedTuple with methods', node);
    const defaults = annotated.flatMap((name) => {
      const value = members.get(name)?.value;
      return value === undefined ? [] : [ev.choices.plain(value, node)];
    });
    return namedTupleType(ev, node.name, annotated, defaults);
  }
  const born = ev.cells.now;
  const made = { bases, exceptions, members, annotated, isAbstract };
  const cls: ClassValue = { tag: 'class', name: node.name, ...made, position: node, born };
  const above = bases.reduce((n, base) => n + methodOrder(base).length, 0);
  ev.work.step(node, bases.length > 1 ? above + (above * above) / 100 : above);
  methodOrder(cls);
  const decorated = decorators.reduceRight<Value>(
    (value, { value: decorator, position }) => ev.calls.called(decorator, { args: [value], keywords: new Map(), position }),
    cls,
  );
  for (const method of methods) owners.set(method, decorated.tag === 'class' ? decorated : cls);
  return decorated;
}

/** `ClassVar[...]` is no field. */
function isClassVariable(annotation: Expression): boolean {
  const head = annotation.kind === 'Subscript' ? annotation.value : annotation;
  return (head.kind === 'Name' || head.kind === 'Attribute') && head.name === 'ClassVar';
}

// ---- dataclasses

interface Field {
  readonly default?: Value;
  readonly factory?: Value;
}
const described = new WeakMap<Value, Field>();

/** `field(default=..., default_factory=...)`. */
export function fieldDescription(_ev: Evaluator, call: Call): Value {
  const marker = builtin('dataclasses.field', () => {
    throw new Unsupported('a dataclass field used as a value', call.position);
  });
  for (const key of call.keywords.keys()) {
    if (!['default', 'default_factory', 'repr', 'compare', 'hash', 'metadata'].includes(key)) {
      throw new Unsupported(`the argument '${key}' of field()`, call.position);
    }
  }
  takeAny(call);
  described.set(marker, { default: call.keywords.get('default'), factory: call.keywords.get('default_factory') });
  return marker;
}

/** `@dataclass`, also with arguments. */
export function dataclassDecorator(ev: Evaluator, call: Call): Value {
  const make = (value: Value | undefined, options: ReadonlyMap<string, Value>): Value => {
    if (value?.tag !== 'class') throw new Unsupported('dataclass() of something that is no class', call.position);
    for (const key of options.keys()) {
      if (!['frozen', 'eq', 'repr', 'slots', 'unsafe_hash', 'order'].includes(key)) {
        throw new Unsupported(`the argument '${key}' of dataclass()`, call.position);
      }
    }
    const isSet = (name: string): boolean => {
      const option = options.get(name);
      return option !== undefined && ev.operators.truthOf(option, call.position).known === 1;
    };
    const fields = [...new Set([...value.bases.flatMap((b) => b.dataclass?.fields ?? []), ...value.annotated])];
    checkDefaults(ev, value, fields);
    if (isSet('slots')) value.members.set('__slots__', ev.cells.cell(tuple(value.annotated.map(string))));
    return { ...value, dataclass: { fields, isFrozen: isSet('frozen') } };
  };
  const given = new Map(call.keywords);
  const [first] = call.args;
  if (first !== undefined) return make(first, given);
  return builtin('dataclasses.dataclass', (inner) => make(inner.args[0], given));
}

/** A default that could be changed is refused, and a field without one behind one that has. */
function checkDefaults(ev: Evaluator, cls: ClassValue, fields: readonly string[]): void {
  let hasDefaults = false;
  for (const name of fields) {
    const value = classMember(cls, name);
    const field = value === undefined ? undefined : described.get(value);
    if (field?.default !== undefined && field.factory !== undefined) ev.ops.raise(LaneStatus.Raised, 'ValueError');
    const fallback = field === undefined ? value : (field.default ?? field.factory);
    if (fallback === undefined && hasDefaults) ev.ops.raise(LaneStatus.Raised, 'TypeError');
    const { tag } = (field === undefined ? value : field.default) ?? NONE;
    if (tag === 'list' || tag === 'dict' || tag === 'set') ev.ops.raise(LaneStatus.Raised, 'ValueError');
    hasDefaults = fallback !== undefined;
  }
}

/** Whether a frozen dataclass, the object's own or one above, refuses to store or delete an attribute. */
export function isFrozenField(cls: ClassValue, name: string): boolean {
  return methodOrder(cls).some(
    (above) => above.dataclass?.isFrozen === true && (above === cls || above.dataclass.fields.includes(name)),
  );
}

/** Defaults are those of the dataclass, whatever a class below it calls by the same name. */
function initializeFields(
  ev: Evaluator,
  instance: InstanceValue,
  cls: ClassValue,
  fields: readonly string[],
  call: AnyCall,
): void {
  const given = new Map<string, AnyValue>(call.keywords);
  call.args.forEach((value, k) => {
    if (k >= fields.length || given.has(fields[k])) ev.ops.raise(LaneStatus.Raised, 'TypeError');
    given.set(fields[k], value);
  });
  for (const name of given.keys()) if (!fields.includes(name)) ev.ops.raise(LaneStatus.Raised, 'TypeError');
  for (const name of fields) {
    let value = given.get(name);
    if (value === undefined) {
      const fallback = classMember(cls, name);
      const field = fallback === undefined ? undefined : described.get(fallback);
      if (field?.factory !== undefined) {
        value = ev.calls.call(field.factory, { args: [], keywords: new Map(), position: call.position });
      } else value = field === undefined ? fallback : field.default;
    }
    if (value === undefined) ev.ops.raise(LaneStatus.Raised, 'TypeError');
    else instance.attributes.set(name, ev.cells.cell(value));
  }
}

// ---- objects

const orders = new WeakMap<ClassValue, readonly ClassValue[]>();

/** The class and all above it, in the order in which attributes are looked up (C3 linearisation). */
export function methodOrder(cls: ClassValue): readonly ClassValue[] {
  const known = orders.get(cls);
  if (known !== undefined) return known;
  if (cls.bases.length < 2) {
    const order = [cls, ...cls.bases.flatMap((base) => methodOrder(base))];
    orders.set(cls, order);
    return order;
  }
  const rows = [...cls.bases.map((base) => [...methodOrder(base)]), [...cls.bases]];
  const order = [cls];
  for (;;) {
    const heads = rows.filter((row) => row.length > 0);
    if (heads.length === 0) break;
    const next = heads.find(([head]) => heads.every((row) => row.lastIndexOf(head) <= 0))?.[0];
    if (next === undefined) throw new Unsupported('classes above this one in no consistent order', cls.position);
    order.push(next);
    for (const row of heads) if (row[0] === next) row.shift();
  }
  orders.set(cls, order);
  return order;
}

export function classMember(cls: ClassValue, name: string): Value | undefined {
  for (const above of methodOrder(cls)) {
    const member = above.members.get(name)?.value;
    if (member === undefined) continue;
    if (member.tag === 'choice' || member.tag === 'maybe' || member.tag === 'opaque') {
      const reason = member.tag === 'opaque' ? member.reason : `'${name}' of class ${cls.name}, which depends on x`;
      throw new Unsupported(reason, cls.position);
    }
    return member;
  }
  return undefined;
}

export function callClass(ev: Evaluator, cls: ClassValue, call: AnyCall): Value {
  if (cls.isAbstract === true && isUnfinished(cls)) return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  const instance = ev.cells.instance(cls);
  // That of the class itself or of the nearest one above, written in it or made by @dataclass.
  const maker = methodOrder(cls).find((above) => above.members.has('__init__') || above.dataclass !== undefined);
  const init = maker === undefined ? undefined : classMember(maker, '__init__');
  if (maker?.members.has('__init__') === true && init?.tag === 'function') {
    const result = ev.calls.call(init, { ...call, args: [instance, ...call.args] });
    if (result.tag !== 'none') {
      if (result.tag === 'choice' || result.tag === 'opaque')
        throw new Unsupported('what __init__() returns', call.position);
      ev.ops.raise(LaneStatus.Raised, 'TypeError');
    }
  } else if (maker?.dataclass !== undefined) {
    initializeFields(ev, instance, maker, maker.dataclass.fields, call);
    const after = classMember(cls, '__post_init__');
    if (after !== undefined) ev.calls.call(after, { args: [instance], keywords: new Map(), position: call.position });
  } else if (call.keywords.size > 0 || (call.args.length > 0 && exceptionClassOf(cls) === undefined)) {
    ev.ops.raise(LaneStatus.Raised, 'TypeError');
  }
  return instance;
}

/** `a + b` where a or b is an object whose class says what that is; null where neither does. */
export function callOperator(
  ev: Evaluator,
  operator: BinaryOperator,
  a: Value,
  b: Value,
  position: Position,
): AnyValue | null {
  const method = (value: Value, prefix: string): Value | undefined =>
    value.tag === 'instance' ? classMember(value.cls, `__${prefix}${OPERATORS[operator]}__`) : undefined;
  const own = method(a, '');
  // NumPy asks an array first; objects of one type are not asked the other way round.
  const areAlike = a.tag === 'instance' && b.tag === 'instance' && a.cls === b.cls;
  const reflected = a.tag === 'ndarray' || areAlike ? undefined : method(b, 'r');
  if (reflected === undefined)
    return own === undefined ? null : ev.calls.call(own, { args: [a, b], keywords: new Map(), position });
  if (a.tag === 'scalar' && ev.ops.possibleKinds(a).some(isNumPyKind)) return null;
  // A class below that of the other operand is asked first where it has a method of its own.
  const isFirst =
    a.tag === 'instance' && b.tag === 'instance' && isBelowClass(b.cls, a.cls) && reflected !== method(a, 'r');
  if (own === undefined || isFirst) return ev.calls.call(reflected, { args: [b, a], keywords: new Map(), position });
  return ev.calls.call(own, { args: [a, b], keywords: new Map(), position });
}

/** Whether it lacks a method that a class above it only names. */
const isUnfinished = (cls: ClassValue): boolean =>
  methodOrder(cls).some(({ members }) =>
    [...members.keys()].some((name) => abstracts.has(classMember(cls, name) ?? NONE)),
  );

const isBelowClass = (cls: ClassValue, above: ClassValue): boolean => methodOrder(cls).includes(above);

/** What `__len__` gives: an integer that is not negative. */
export function lengthOfInstance(ev: Evaluator, method: Value, instance: InstanceValue, position: Position): Scalar {
  const result = ev.calls.call(method, { args: [instance], keywords: new Map(), position });
  if (result.tag !== 'scalar' || ev.ops.isNotCertain(result)) throw new Unsupported('this __len__()', position);
  if (!isIntKind(result.kind) && result.kind !== 'bool') return ev.ops.raise(LaneStatus.Raised, 'TypeError');
  ev.ops.check(ev.ops.compare('<', result, int(0)), LaneStatus.Raised, 'ValueError');
  return ev.ops.retag(result, 'int');
}

/** Whether an object counts as true. */
export function truthOfInstance(ev: Evaluator, instance: InstanceValue, position: Position): Scalar {
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
export function superAttribute(ev: Evaluator, { cls, self }: SuperValue, name: string, position: Position): AnyValue {
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

export function instanceAttribute(ev: Evaluator, instance: InstanceValue, name: string, position: Position): AnyValue {
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
export function classAttribute(ev: Evaluator, cls: ClassValue, name: string, position: Position): AnyValue | undefined {
  const cell = ev.assignment.attributeCell(cls, name);
  if (cell?.value === undefined) return undefined;
  const member = ev.cells.readAny(cell, position);
  if (member.tag !== 'function') return member;
  const binding = bindings.get(member);
  if (binding === 'class') return boundMember(ev, member, cls, cls, name, position);
  if (binding === 'property' || binding === 'cached') throw new Unsupported('a property of a class', position);
  return member;
}

/** Whether there is an attribute, for `hasattr` and `getattr` with a default; null: only Python knows. */
export function hasAttribute(instance: InstanceValue, name: string): boolean | null {
  const own = instance.attributes.get(name)?.value;
  if (own !== undefined) return own.tag === 'maybe' ? null : true;
  const member = classMember(instance.cls, name);
  // A property may raise AttributeError itself.
  if (member?.tag === 'function' && /property|cached/.test(bindings.get(member) ?? '')) return null;
  if (member !== undefined) return true;
  return isSpecial(name) && !['__len__', '__call__', '__iter__', '__getitem__'].includes(name) ? null : false;
}

/** Whether Python refuses to store an attribute of this name: a property, or a name that is not among the slots. */
export function refusesAttribute(cls: ClassValue, name: string): boolean {
  const member = classMember(cls, name);
  if (member?.tag === 'function' && bindings.get(member) === 'property') return true;
  if (methodOrder(cls).some(({ exceptions = [] }) => exceptions.length > 0)) return false;
  const slots = methodOrder(cls).map((above) => above.members.get('__slots__')?.value);
  if (slots.includes(undefined)) return false;
  return !slots.some((names) => namesIn(names, cls.position).has(name));
}

function namesIn(slots: Held | undefined, position: Position): ReadonlySet<string> {
  const items =
    slots?.tag === 'tuple' ? slots.items : slots?.tag === 'list' ? slots.cells.map((c) => c.value) : [slots];
  return new Set(
    items.map((item) => {
      if (item?.tag !== 'string' || item.value === '__dict__') throw new Unsupported('these __slots__', position);
      return item.value;
    }),
  );
}

/** What a class of a library has that is not written here, is not known. */
export function refuseUnwritten(cls: ClassValue, name: string, position: Position): void {
  if (methodOrder(cls).some((above) => above.position.line === 0))
    throw new Unsupported(`the attribute '${name}' of ${cls.name}`, position);
}

function boundMember(
  ev: Evaluator,
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
      if (!ev.cells.isNew(self.born)) throw new Unsupported('a cached property first used in a branch or loop', position);
      self.attributes.set(name, { value, born: self.born });
      return value;
    }
    case 'method':
      return bound(self);
  }
}
