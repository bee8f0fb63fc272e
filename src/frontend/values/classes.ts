/**
 * Classes of the program as values: the order of their methods, their members, and what is refused of them.
 */
import type { BinaryOperator, Position } from '../syntax/ast.js';
import {
  Unsupported,
  type ClassValue,
  type FunctionValue,
  type Held,
  type InstanceValue,
  type Value,
} from './values.js';

export type Binding = 'method' | 'property' | 'cached' | 'static' | 'class';

/** How a decorated function of a class is bound; methods are not in here. */
export const bindings = new WeakMap<FunctionValue, Binding>();

export const OPERATORS: Readonly<Record<BinaryOperator, string>> = {
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

export const isSpecial = (name: string): boolean => /^__\w+__$/.test(name);

/** Other names of this form change what is done without asking: `__new__`, `__getattr__`, `__iadd__`. */
export function refuseHook(name: string, position: Position): void {
  if (isSpecial(name) && !HOOKS.has(name)) throw new Unsupported(`a class with ${name}`, position);
}

/** The class in which a method was defined: where `super()` starts. */
export const owners = new WeakMap<FunctionValue, ClassValue>();

export const ownerOf = (method: FunctionValue): ClassValue | undefined => owners.get(method);

/** Whether a frozen dataclass, the object's own or one above, refuses to store or delete an attribute. */
export function isFrozenField(cls: ClassValue, name: string): boolean {
  return methodOrder(cls).some(
    (above) => above.dataclass?.isFrozen === true && (above === cls || above.dataclass.fields.includes(name)),
  );
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

export const isBelowClass = (cls: ClassValue, above: ClassValue): boolean => methodOrder(cls).includes(above);

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
