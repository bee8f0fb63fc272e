/**
 * Classes of the program: constants made in `__init__`, methods, `__call__`, single and multiple inheritance in
 * depth-first order. Descriptors other than property, staticmethod and classmethod are not translated, nor are methods
 * by which a class changes what Python itself does with its objects (`__getattr__`, `__new__`, ...).
 */
import { LaneStatus } from '../../ir/types.js';
import { initializeFields } from '../library/dataclasses.js';
import { namedTupleType } from '../library/standard-library.js';
import type { BinaryOperator, Expression, Position, StatementOf } from '../syntax/ast.js';
import {
  bindings,
  classMember,
  isBelowClass,
  methodOrder,
  OPERATORS,
  owners,
  refuseHook,
  type Binding,
} from '../values/classes.js';
import { exceptionClassOf, type ExceptionName } from '../values/exceptions.js';
import { namesOfClass } from '../values/scopes.js';
import {
  isNumPyKind,
  NONE,
  Unsupported,
  type AnyCall,
  type AnyValue,
  type Cell,
  type ClassValue,
  type FunctionValue,
  type Scope,
  type Value,
} from '../values/values.js';
import { table, type Table } from '../values/table.js';
import type { Evaluator } from './evaluator.js';

/** Functions that are to be defined in a class below. */
const abstracts = new WeakSet<Value>();

const DECORATORS: Table<Binding> = table({
  property: 'property',
  cached_property: 'cached',
  staticmethod: 'static',
  classmethod: 'class',
});

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
  // Names in the body are looked up in the body first, then outside; what is defined in it does not see the body's
  // names.
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
    (value, { value: decorator, position }) =>
      ev.calls.called(decorator, { args: [value], keywords: new Map(), position }),
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
