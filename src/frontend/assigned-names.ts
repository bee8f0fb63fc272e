import type { Expression, Statement } from './ast.js';

/** Names that a function body binds, hence its local variables; nested functions and comprehensions have their own. */
export function assignedNames(body: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  const target = (node: Expression): void => {
    if (node.kind === 'Name') names.add(node.name);
    else if (node.kind === 'Tuple' || node.kind === 'List') node.elements.forEach(target);
    else if (node.kind === 'Starred') target(node.value);
  };
  const visit = (statements: readonly Statement[]): void => {
    for (const node of statements) {
      switch (node.kind) {
        case 'Assign':
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
          for (const c of node.cases) visit(c.body);
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
