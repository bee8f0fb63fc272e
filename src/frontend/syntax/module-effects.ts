/**
 * Changes that a statement of the module may make, apart from the names that it binds. A statement that is not
 * translated is left out while the module loads; what it would have changed must not be used afterwards.
 */
import { assignedNames, namesInTarget } from './assigned-names.js';
import type { Expression, ExpressionOf, Module, Parameters, Statement } from './ast.js';

interface Touched {
  /** Names of the module whose object it writes to, or that its functions bind with `global`. */
  readonly written: ReadonlySet<string>;
  /** Names of the module that it mentions, also in the functions and classes that it may call. */
  readonly mentioned: ReadonlySet<string>;
  /** It writes to an object under a name of its own, which may be any object that it mentions. */
  readonly isAliased: boolean;
}

/** Functions that may change anything by its name. */
const UNBOUNDED = new Set(['setattr', 'delattr', 'globals', 'locals', 'vars', 'exec', 'eval', '__import__']);
/** Methods that change their object, and functions of libraries that change an argument. */
const CHANGING = new Set([
  ...['append', 'extend', 'insert', 'pop', 'remove', 'clear', 'sort', 'reverse', 'update', 'setdefault', 'popitem'],
  ...['add', 'discard', 'fill', 'put', 'partition', 'resize', 'itemset', 'appendleft', 'popleft', 'rotate', 'at'],
  ...['shuffle', 'fill_diagonal', 'copyto', 'place', 'putmask', 'insort', 'insort_left', 'insort_right'],
  ...['heappush', 'heappop', 'heapify', 'heapreplace', 'heappushpop', '__setitem__', '__delitem__', '__setattr__'],
]);

/** A statement that may touch more is one that may touch all. */
const MOST_NODES = 20_000;

const definitions = new WeakMap<Module, ReadonlyMap<string, readonly unknown[]>>();

/** Functions, classes and assigned values of the module by their names. */
function definitionsOf(module: Module): ReadonlyMap<string, readonly unknown[]> {
  const known = definitions.get(module);
  if (known !== undefined) return known;
  const found = new Map<string, unknown[]>();
  const add = (name: string, node: unknown): void => {
    const nodes = found.get(name);
    if (nodes === undefined) found.set(name, [node]);
    else nodes.push(node);
  };
  for (const node of module.body) {
    if (node.kind === 'FunctionDef' || node.kind === 'ClassDef') add(node.name, node);
    else if (node.kind === 'Assign') {
      for (const target of node.targets) if (target.kind === 'Name') add(target.name, node.value);
    }
  }
  definitions.set(module, found);
  return found;
}

interface Task {
  readonly node: unknown;
  /** Names of the functions that it stands in; null: of the statement itself. */
  readonly locals: Locals | null;
}

/** A local name is fresh where all that it is bound to is made there. */
type Locals = ReadonlyMap<string, 'fresh' | 'any'>;

/** `all`: there is no telling. */
export function touchedBy(statement: Statement, module: Module): Touched | 'all' {
  const own = assignedNames([statement]);
  const mentioned = new Set<string>();
  const written = new Set<string>();
  let isAliased = false;
  const tasks: Task[] = [{ node: statement, locals: null }];
  let walked = 0;
  const enter = (name: string): void => {
    if (mentioned.has(name)) return;
    mentioned.add(name);
    // What it may call does its part, too.
    for (const node of definitionsOf(module).get(name) ?? []) tasks.push({ node, locals: null });
  };
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    const { node: item, locals } = task;
    if (typeof item !== 'object' || item === null) continue;
    if (++walked > MOST_NODES) return 'all';
    const write = (root: string | null): void => {
      const isLocal = root !== null && locals?.has(root) === true;
      if (root === null || own.has(root) || (isLocal && locals?.get(root) !== 'fresh')) isAliased = true;
      if (root !== null && !isLocal) written.add(root);
    };
    const writeTo = (target: Expression): void => {
      if (target.kind === 'Tuple' || target.kind === 'List') target.elements.forEach(writeTo);
      else if (target.kind === 'Starred') writeTo(target.value);
      else if (target.kind !== 'Name') write(rootOf(target));
    };
    const node = item as Statement | Expression;
    let inner = locals;
    switch (node.kind) {
      case 'Name':
        if (UNBOUNDED.has(node.name)) return 'all';
        if (locals?.has(node.name) !== true) enter(node.name);
        break;
      case 'Global':
        node.names.forEach((name) => written.add(name));
        break;
      case 'Assign':
      case 'Delete':
        node.targets.forEach(writeTo);
        break;
      case 'AugAssign':
        if (node.target.kind === 'Name') write(node.target.name);
        else writeTo(node.target);
        break;
      case 'AnnAssign':
      case 'For':
        writeTo(node.target);
        break;
      case 'Call':
        for (const root of changedBy(node)) write(root);
        break;
      case 'FunctionDef':
      case 'Lambda':
        inner = new Map([...(locals ?? []), ...localsOf(node)]);
        break;
      case 'ListComp':
      case 'SetComp':
      case 'DictComp':
      case 'GeneratorExp':
        inner = new Map<string, 'fresh' | 'any'>([
          ...(locals ?? []),
          ...node.generators.flatMap((g) => namesInTarget(g.target).map((name) => [name, 'any'] as const)),
        ]);
        break;
      default:
        break;
    }
    for (const value of Object.values(item)) if (typeof value === 'object') tasks.push({ node: value, locals: inner });
  }
  return { written, mentioned, isAliased };
}

/** The names behind what a call may change; null: something without one. */
function changedBy({ callee, args, keywords }: ExpressionOf<'Call'>): readonly (string | null)[] {
  const out = keywords.filter(({ name }) => name === 'out').map(({ value }) => rootOf(value));
  const name = callee.kind === 'Attribute' ? callee.name : callee.kind === 'Name' ? callee.name : '';
  if (!CHANGING.has(name)) return out;
  // Of a method the object, of a function its first argument.
  const object = callee.kind === 'Attribute' ? [rootOf(callee.value)] : [];
  return [...out, ...object, ...args.slice(0, 1).map(rootOf)];
}

function rootOf(target: Expression): string | null {
  let node = target;
  while (node.kind === 'Attribute' || node.kind === 'Subscript' || node.kind === 'Starred') node = node.value;
  return node.kind === 'Name' ? node.name : null;
}

function localsOf(node: (Statement & { kind: 'FunctionDef' }) | ExpressionOf<'Lambda'>): [string, 'fresh' | 'any'][] {
  const names = parameterNames(node.parameters).map((name): [string, 'any'] => [name, 'any']);
  if (node.kind === 'Lambda') return names;
  const globals = new Set(node.body.flatMap((s) => (s.kind === 'Global' ? s.names : [])));
  const assigned = [...assignedNames(node.body)].filter((name) => !globals.has(name));
  const bound = boundPlainly(node.body);
  const fresh = (name: string): boolean => bound.get(name)?.every(isFresh) === true;
  return [...assigned.map((name): [string, 'fresh' | 'any'] => [name, fresh(name) ? 'fresh' : 'any']), ...names];
}

/** Values that are assigned to names in a function, where assignments are all that binds them. */
function boundPlainly(body: readonly Statement[]): ReadonlyMap<string, readonly (Expression | null)[]> {
  const bound = new Map<string, (Expression | null)[]>();
  const bind = (name: string, value: Expression | null): void => {
    const values = bound.get(name);
    if (values === undefined) bound.set(name, [value]);
    else values.push(value);
  };
  const stack: unknown[] = [...body];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    const node = item as Statement | Expression;
    if (node.kind === 'FunctionDef' || node.kind === 'Lambda' || node.kind === 'ClassDef') continue;
    if (node.kind === 'Assign') {
      for (const target of node.targets) {
        if (target.kind === 'Name') bind(target.name, node.value);
        else for (const name of namesInTarget(target)) bind(name, null);
      }
    } else if (node.kind === 'AnnAssign' && node.target.kind === 'Name') bind(node.target.name, node.value);
    else if (node.kind === 'For') for (const name of namesInTarget(node.target)) bind(name, null);
    else if (node.kind === 'NamedExpression') for (const name of namesInTarget(node.target)) bind(name, null);
    stack.push(...Object.values(item));
  }
  return bound;
}

const FRESH_KINDS: ReadonlySet<string> = new Set([
  ...['Int', 'Float', 'Imaginary', 'String', 'True', 'False', 'None', 'Binary', 'Unary', 'Compare'],
  ...['ListComp', 'SetComp', 'DictComp'],
]);
const FRESH_CALLS = new Set([
  ...[
    'zeros',
    'ones',
    'empty',
    'full',
    'array',
    'arange',
    'linspace',
    'eye',
    'copy',
    'deepcopy',
    'list',
    'dict',
    'set',
  ],
  ...['zeros_like', 'ones_like', 'empty_like', 'full_like', 'float', 'int', 'abs', 'len', 'sum', 'min', 'max', 'sqrt'],
  ...['exp', 'log', 'sin', 'cos', 'mean', 'prod', 'dot'],
]);

/** Whether an expression makes an object of its own, with nothing inside that had a name before. */
function isFresh(value: Expression | null): boolean {
  if (value === null) return false;
  if (FRESH_KINDS.has(value.kind)) return true;
  if (value.kind === 'List' || value.kind === 'Tuple') return value.elements.every(isFresh);
  if (value.kind === 'Dict') return value.values.every(isFresh);
  if (value.kind !== 'Call') return false;
  const { callee } = value;
  return FRESH_CALLS.has(callee.kind === 'Attribute' || callee.kind === 'Name' ? callee.name : '');
}

const parameterNames = ({ positionalOnly, positional, keywordOnly, varArgs, keywordArgs }: Parameters): string[] => [
  ...[...positionalOnly, ...positional, ...keywordOnly].map((p) => p.name),
  ...[varArgs, keywordArgs].flatMap((p) => (p === null ? [] : [p.name])),
];
