/**
 * Which variable a name stands for, as CPython's symbol table has it (`Python/symtable.c`): what a scope binds anywhere
 * in it is its own throughout, what it declares `global` or `nonlocal` is not; a class is no scope around what lies in
 * it.
 */
import type { Comprehension, Expression, Parameters, Statement } from '../syntax/ast.js';
import { assignedNames, namesAssignedIn, namesInTarget } from '../syntax/assigned-names.js';
import type { Cell, Scope } from './values.js';

export type ScopeKind = 'module' | 'class' | 'function' | 'comprehension';

/** Names that the code of a scope binds and declares. */
export interface NameTable {
  readonly locals: ReadonlySet<string>;
  readonly globals: ReadonlySet<string>;
  readonly nonlocals: ReadonlySet<string>;
  /** Declared global and bound here. */
  readonly boundGlobals: readonly string[];
}

const NONE: ReadonlySet<string> = new Set();
export const NO_NAMES: NameTable = { locals: NONE, globals: NONE, nonlocals: NONE, boundGlobals: [] };

const tables = new WeakMap<object, NameTable>();

function tableOf(key: object, make: () => NameTable): NameTable {
  const found = tables.get(key);
  if (found !== undefined) return found;
  const table = make();
  tables.set(key, table);
  return table;
}

function blockNames(body: readonly Statement[], parameters: readonly string[]): NameTable {
  const globals = new Set<string>();
  const nonlocals = new Set<string>();
  declarations(body, globals, nonlocals);
  const bound = assignedNames(body);
  const locals = new Set(parameters);
  for (const name of bound) if (!globals.has(name) && !nonlocals.has(name)) locals.add(name);
  return { locals, globals, nonlocals, boundGlobals: [...globals].filter((name) => bound.has(name)) };
}

export const namesOfClass = (body: readonly Statement[]): NameTable => tableOf(body, () => blockNames(body, []));

/** Names of a function, or of a lambda. */
export function namesOfFunction(parameters: Parameters, body: readonly Statement[] | Expression): NameTable {
  return tableOf(body, () => {
    const all = [
      ...[...parameters.positionalOnly, ...parameters.positional, ...parameters.keywordOnly],
      ...[parameters.varArgs, parameters.keywordArgs].flatMap((p) => (p === null ? [] : [p])),
    ].map((p) => p.name);
    if (isBlock(body)) return blockNames(body, all);
    return { ...NO_NAMES, locals: new Set([...all, ...namesAssignedIn(body)]) };
  });
}

/** Names of a comprehension: the targets of all its loops. */
export const namesOfComprehension = (generators: readonly Comprehension[]): NameTable =>
  tableOf(generators, () => ({
    ...NO_NAMES,
    locals: new Set(generators.flatMap(({ target }) => namesInTarget(target))),
  }));

const isBlock = (body: readonly Statement[] | Expression): body is readonly Statement[] => Array.isArray(body);

/** `global` and `nonlocal` statements, also in blocks; functions and classes have their own. */
function declarations(body: readonly Statement[], globals: Set<string>, nonlocals: Set<string>): void {
  for (const node of body) {
    switch (node.kind) {
      case 'Global':
        for (const name of node.names) globals.add(name);
        break;
      case 'Nonlocal':
        for (const name of node.names) nonlocals.add(name);
        break;
      case 'If':
      case 'For':
      case 'While':
        declarations(node.body, globals, nonlocals);
        declarations(node.orElse, globals, nonlocals);
        break;
      case 'With':
        declarations(node.body, globals, nonlocals);
        break;
      case 'Match':
        for (const { body: inner } of node.cases) declarations(inner, globals, nonlocals);
        break;
      case 'Try':
        for (const inner of [node.body, node.orElse, node.finalBody, ...node.handlers.map((h) => h.body)]) {
          declarations(inner, globals, nonlocals);
        }
        break;
      default:
        break;
    }
  }
}

/** Where a name leads: to a variable of the module, to that of a function or class, which may not be bound yet. */
type Resolved = { readonly owner: 'module' } | { readonly owner: Scope };

/** The scope whose variable a name is where it is read; built-in names count as the module's. */
export function ownerOf(name: string, scope: Scope): Resolved {
  for (let s: Scope | null = scope; s !== null; s = s.parent) {
    if (s.kind === 'module') break;
    const { locals, globals, nonlocals } = s.names;
    if (s.kind === 'class') {
      if (s !== scope) continue;
      if (globals.has(name)) break;
      if (isBound(s.cells.get(name))) return { owner: s };
      // What a class body binds later is the module's until then.
      if (locals.has(name)) break;
      continue;
    }
    if (globals.has(name)) break;
    if (locals.has(name) && !nonlocals.has(name)) return { owner: s };
  }
  return { owner: 'module' };
}

const isBound = (cell: Cell | undefined): boolean => cell?.value !== undefined;

/** The scope that binds a name which is assigned to in `scope`. */
export function binderOf(name: string, scope: Scope): Resolved {
  if (scope.kind === 'module' || scope.names.globals.has(name)) return { owner: 'module' };
  if (!scope.names.nonlocals.has(name)) return { owner: scope };
  for (let s = scope.parent; s !== null; s = s.parent) {
    if (s.kind === 'function' && s.names.locals.has(name)) return { owner: s };
  }
  return { owner: 'module' };
}

/** Where `:=` binds: comprehensions have no such variables of their own. */
export function holderOf(scope: Scope): Scope {
  let holder = scope;
  while (holder.kind === 'comprehension' && holder.parent !== null) holder = holder.parent;
  return holder;
}

/** Scope that encloses a function or class that is defined in `scope`. */
export function enclosing(scope: Scope): Scope {
  let closure = scope;
  while (closure.kind === 'class' && closure.parent !== null) closure = closure.parent;
  return closure;
}
