import type { Expression, Parameters, Pattern, Statement } from './ast.js';

const found = new WeakMap<readonly Statement[], ReadonlySet<string>>();

/** Names that a function body binds, hence its local variables; nested functions and comprehensions have their own. */
export function assignedNames(body: readonly Statement[]): ReadonlySet<string> {
  const known = found.get(body);
  if (known !== undefined) return known;
  const names = collect(body);
  found.set(body, names);
  return names;
}

function collect(body: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  const target = (node: Expression): void => namesInTarget(node).forEach((name) => names.add(name));
  const visit = (statements: readonly Statement[]): void => {
    for (const node of statements) {
      namedExpressions(node, names);
      switch (node.kind) {
        case 'Assign':
          node.targets.forEach(target);
          break;
        case 'Delete':
          node.targets.forEach(target);
          break;
        case 'AugAssign':
        case 'AnnAssign':
          target(node.target);
          break;
        case 'For':
          target(node.target);
          visit(node.body);
          visit(node.orElse);
          break;
        case 'While':
        case 'If':
          visit(node.body);
          visit(node.orElse);
          break;
        case 'With':
          for (const item of node.items) if (item.target !== null) target(item.target);
          visit(node.body);
          break;
        case 'Try':
          visit(node.body);
          for (const handler of node.handlers) {
            addNamed([handler.type], names);
            if (handler.name !== null) names.add(handler.name);
            visit(handler.body);
          }
          visit(node.orElse);
          visit(node.finalBody);
          break;
        case 'Match':
          for (const c of node.cases) {
            captures(c.pattern, names);
            if (c.guard !== null) addNamed([c.guard], names);
            visit(c.body);
          }
          break;
        case 'FunctionDef':
          addNamed(outerParts(node.parameters), names);
          names.add(node.name);
          break;
        case 'ClassDef':
        case 'TypeAlias':
          names.add(node.name);
          break;
        case 'Import':
        case 'ImportFrom':
          for (const alias of node.names) names.add(alias.asName ?? alias.name.split('.')[0]);
          break;
        default:
          break;
      }
    }
  };
  visit(body);
  return names;
}

/** Names that a pattern binds. */
function captures(pattern: Pattern, names: Set<string>): void {
  const bind = (name: string | null): void => {
    if (name !== null) names.add(name);
  };
  const all = (patterns: readonly Pattern[]): void => patterns.forEach((p) => captures(p, names));
  switch (pattern.kind) {
    case 'MatchAs':
      bind(pattern.name);
      if (pattern.pattern !== null) captures(pattern.pattern, names);
      return;
    case 'MatchStar':
      bind(pattern.name);
      return;
    case 'MatchMapping':
      bind(pattern.rest);
      all(pattern.patterns);
      return;
    case 'MatchClass':
      all(pattern.patterns);
      all(pattern.keywordPatterns);
      return;
    case 'MatchSequence':
    case 'MatchOr':
      all(pattern.patterns);
      return;
    default:
      return;
  }
}

/** Targets of `:=` in the expressions of a statement, also within comprehensions; lambdas have their own. */
function namedExpressions(statement: Statement, names: Set<string>): void {
  addNamed(
    Object.entries(statement).flatMap(([key, value]: [string, unknown]) => (BLOCKS.has(key) ? [] : [value])),
    names,
  );
}

/** The same of an expression: of the body of a lambda, say. */
export function namesAssignedIn(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  addNamed([expression], names);
  return names;
}

/** Names that an assignment binds. */
export function namesInTarget(node: Expression): readonly string[] {
  if (node.kind === 'Name') return [node.name];
  if (node.kind === 'Tuple' || node.kind === 'List') return node.elements.flatMap(namesInTarget);
  return node.kind === 'Starred' ? namesInTarget(node.value) : [];
}

/** Parts that are evaluated where a function or lambda is defined, not where it is called. */
const outerParts = (parameters: Parameters): readonly unknown[] =>
  [...parameters.positionalOnly, ...parameters.positional, ...parameters.keywordOnly].map((p) => p.default);

function addNamed(parts: readonly unknown[], names: Set<string>): void {
  const stack: unknown[] = [...parts];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    if ('kind' in item) {
      const node = item as Expression;
      if (node.kind === 'Lambda') {
        stack.push(...outerParts(node.parameters));
        continue;
      }
      if (node.kind === 'NamedExpression' && node.target.kind === 'Name') names.add(node.target.name);
    }
    for (const value of Object.values(item)) if (typeof value === 'object') stack.push(value);
  }
}

/** Parts of statements that are visited for themselves, or have variables of their own. */
const BLOCKS = new Set(['body', 'orElse', 'finalBody', 'handlers', 'cases', 'parameters']);
