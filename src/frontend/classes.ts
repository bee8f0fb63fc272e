/**
 * Classes of the program: constants made in `__init__`, methods, `__call__`, single and multiple inheritance in
 * depth-first order. Descriptors other than property, staticmethod and classmethod are not translated.
 */
import type { StatementOf } from './ast.js';
import type { Evaluator } from './evaluator.js';
import { builtin } from './library/arguments.js';
import {
  Unsupported,
  type Call,
  type ClassValue,
  type FunctionValue,
  type InstanceValue,
  type Scope,
  type Value,
} from './values.js';
import type { Position } from './ast.js';

type Binding = 'method' | 'property' | 'static' | 'class';

/** How a decorated function of a class is bound; methods are not in here. */
const bindings = new WeakMap<FunctionValue, Binding>();

const DECORATORS: Readonly<Record<string, Binding | undefined>> = {
  property: 'property',
  staticmethod: 'static',
  classmethod: 'class',
};

export function defineClass(ev: Evaluator, node: StatementOf<'ClassDef'>, scope: Scope): ClassValue {
  if (node.decorators.length > 0) throw new Unsupported('decorated classes', node);
  if (node.keywords.length > 0) throw new Unsupported('class keywords', node);
  const bases = node.bases.flatMap((base) => {
    if (base.kind === 'Name' && base.name === 'object') return [];
    const value = ev.evaluate(base, scope);
    if (value.tag !== 'class') throw new Unsupported('a base class from elsewhere', base);
    return [value];
  });
  const members: Scope = { parent: null, cells: new Map() };
  // Names in the body are looked up in the body first, then outside; methods do not see the body's names.
  const body: Scope = { parent: scope, cells: members.cells };
  for (const statement of node.body) {
    if (statement.kind !== 'FunctionDef') {
      ev.execute(statement, body);
      continue;
    }
    const [decorator] = statement.decorators;
    const binding = decorator?.kind === 'Name' ? DECORATORS[decorator.name] : undefined;
    if (statement.decorators.length > (binding === undefined ? 0 : 1) || statement.isAsync) {
      throw new Unsupported('decorated methods', statement);
    }
    const method = ev.makeFunction(statement.name, statement.parameters, statement.body, scope, statement);
    if (binding !== undefined) bindings.set(method, binding);
    ev.bind(statement.name, method, body);
  }
  return { tag: 'class', name: node.name, bases, members };
}

export function classMember(cls: ClassValue, name: string): Value | undefined {
  const own = cls.members.cells.get(name)?.value;
  if (own !== undefined) return own;
  for (const base of cls.bases) {
    const inherited = classMember(base, name);
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

export function callClass(ev: Evaluator, cls: ClassValue, call: Call): Value {
  const instance: InstanceValue = { tag: 'instance', cls, attributes: new Map(), frozen: ev.loading };
  const init = classMember(cls, '__init__');
  if (init?.tag === 'function') ev.call(init, { ...call, args: [instance, ...call.args] });
  else if (call.args.length > 0 || call.keywords.size > 0) {
    throw new Unsupported(`${cls.name}() takes no arguments`, call.position);
  }
  return instance;
}

export function instanceAttribute(ev: Evaluator, instance: InstanceValue, name: string, position: Position): Value {
  const own = instance.attributes.get(name);
  if (own !== undefined) return ev.readCell(own, position);
  const member = classMember(instance.cls, name);
  if (member === undefined) throw new Unsupported(`the attribute '${name}' of ${instance.cls.name}`, position);
  if (member.tag !== 'function') return member;
  const bound = (first: Value): Value =>
    builtin(`${instance.cls.name}.${name}`, (call) => ev.call(member, { ...call, args: [first, ...call.args] }));
  switch (bindings.get(member) ?? 'method') {
    case 'static':
      return member;
    case 'class':
      return bound(instance.cls);
    case 'property':
      return ev.call(member, { args: [instance], keywords: new Map(), position });
    case 'method':
      return bound(instance);
  }
}
