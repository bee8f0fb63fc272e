/** Finds the objective in an upload: which callable it is, and whether it takes one argument. */
import type { Expression, Module, Parameters, Position, Statement } from './syntax/ast.js';
import type { Diagnostic } from './syntax/diagnostic.js';

export interface FoundObjective {
  /** Null: the whole source is one expression. */
  readonly entry: string | null;
  readonly parameters: Parameters | null;
  readonly body: readonly Statement[] | Expression;
}

type Found = { readonly objective: FoundObjective } | { readonly error: Diagnostic };

interface Candidate extends FoundObjective {
  readonly entry: string;
  readonly parameters: Parameters;
  readonly position: Position;
}

export function findObjective(module: Module, name: string): Found {
  const only = module.body.length === 1 ? module.body[0] : undefined;
  if (only?.kind === 'Expr') return wholeExpression(only.value);
  const candidates = module.body.flatMap(candidatesOf);
  const computed = computedObjective(module, name);
  if (computed !== null && !candidates.some((c) => c.entry === computed)) {
    return { objective: { entry: computed, parameters: null, body: [] } };
  }
  if (candidates.length === 0) {
    return { error: problem('the source defines no function; write f(x) and return a number', { line: 1, column: 1 }) };
  }
  const byName = (wanted: string): Candidate | undefined => candidates.findLast((c) => c.entry === wanted);
  const chosen =
    byName(name) ?? byName(snakeCase(name)) ?? byName('f') ?? byName('objective') ?? lastThatFits(candidates);
  const misfit = arityProblem(chosen.parameters);
  if (misfit !== null) {
    return {
      error: problem(`the objective ${chosen.entry}() ${misfit}; it is called with one argument, x`, chosen.position),
    };
  }
  return { objective: chosen };
}

/** `objective = Problem(3)` or `f = problem.evaluate`: a name that is made for it holds something callable. */
function computedObjective(module: Module, name: string): string | null {
  const assigned = module.body.flatMap((node) =>
    node.kind === 'Assign' && (node.value.kind === 'Call' || node.value.kind === 'Attribute')
      ? node.targets.flatMap((t) => (t.kind === 'Name' ? [t.name] : []))
      : [],
  );
  return [name, snakeCase(name), 'f', 'objective'].find((wanted) => assigned.includes(wanted)) ?? null;
}

/** The last function; one that takes a single argument is preferred over a helper or `main()` behind it. */
function lastThatFits(candidates: readonly Candidate[]): Candidate {
  return candidates.findLast((c) => arityProblem(c.parameters) === null) ?? candidates[candidates.length - 1];
}

function wholeExpression(value: Expression): Found {
  if (value.kind === 'Lambda') {
    const misfit = arityProblem(value.parameters);
    if (misfit !== null) return { error: problem(`the lambda ${misfit}; it is called with one argument, x`, value) };
    return { objective: { entry: null, parameters: value.parameters, body: value.body } };
  }
  if (!mentions(value, (e) => e.kind === 'Name' && e.name === 'x')) {
    return { error: problem('the source defines no function, and as an expression it does not mention x', value) };
  }
  return { objective: { entry: null, parameters: null, body: value } };
}

function candidatesOf(node: Statement): Candidate[] {
  if (node.kind === 'FunctionDef' && !node.isAsync) {
    return [{ entry: node.name, parameters: node.parameters, body: node.body, position: pick(node) }];
  }
  if (node.kind === 'Assign' && node.value.kind === 'Lambda') {
    const { value } = node;
    return node.targets.flatMap((t) =>
      t.kind === 'Name'
        ? [{ entry: t.name, parameters: value.parameters, body: value.body, position: pick(node) }]
        : [],
    );
  }
  return [];
}

function arityProblem(p: Parameters): string | null {
  const positional = [...p.positionalOnly, ...p.positional];
  if (positional.length === 0 && p.varArgs === null) return 'takes no argument';
  const needed = positional.filter((q) => q.default === null).length;
  if (needed > 1) return `needs ${needed} arguments`;
  const keyword = p.keywordOnly.find((q) => q.default === null);
  return keyword === undefined ? null : `needs the keyword argument '${keyword.name}'`;
}

/** "Rosenbrock Function" -> rosenbrock_function; camelCase is split, too. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
}

const pick = (p: Position): Position => ({ line: p.line, column: p.column });

function problem(message: string, at: Position): Diagnostic {
  return { kind: 'objective', message, line: at.line, column: at.column };
}

type Node = { readonly kind?: unknown };

/** Whether any expression below a node satisfies `test`. Iterative: trees may be deep. */
export function mentions(root: Statement | Expression, test: (e: Expression) => boolean): boolean {
  return search(root, (node) => test(node as Expression));
}

function search(root: Node, test: (node: Node) => boolean): boolean {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const item = stack.pop();
    if (Array.isArray(item)) {
      for (const part of item) stack.push(part);
    } else if (typeof item === 'object' && item !== null) {
      if ('kind' in item && test(item)) return true;
      for (const part of Object.values(item)) if (typeof part === 'object' && part !== null) stack.push(part);
    }
  }
  return false;
}
