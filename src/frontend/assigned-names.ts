import type { Expression, Pattern, Statement } from './ast.js';

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
  const target = (node: Expression): void => {
    if (node.kind === 'Name') names.add(node.name);
    else if (node.kind === 'Tuple' || node.kind === 'List') node.elements.forEach(target);
    else if (node.kind === 'Starred') target(node.value);
  };
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
            if (handler.name !== null) names.add(handler.name);
            visit(handler.body);
          }
          visit(node.orElse);
          visit(node.finalBody);
          break;
        case 'Match':
          for (const c of node.cases) {
            captures(c.pattern, names);
            visit(c.body);
          }
          break;
        case 'FunctionDef':
        case 'ClassDef':
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
  const stack: unknown[] = Object.entries(statement).flatMap(([key, value]) => (BLOCKS.has(key) ? [] : [value]));
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    if ('kind' in item) {
      const node = item as Expression;
      if (node.kind === 'Lambda') continue;
      if (node.kind === 'NamedExpression' && node.target.kind === 'Name') names.add(node.target.name);
    }
    for (const value of Object.values(item)) if (typeof value === 'object') stack.push(value);
  }
}

/** Parts of statements that are visited for themselves, or have variables of their own. */
const BLOCKS = new Set(['body', 'orElse', 'finalBody', 'handlers', 'cases', 'parameters']);
