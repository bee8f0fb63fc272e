/**
 * Where a source leaves last bits to the machine that CPython runs on: NumPy hands products of arrays and linear
 * algebra to a BLAS library, whose order of adding depends on the library and on the processor. By the text alone: a
 * method `dot` may be anybody's.
 */
import type { Note } from '../model/function-record.js';
import type { Expression, Module, Position, Statement } from './syntax/ast.js';
import { parsePython } from './syntax/parser.js';

/** Functions of NumPy whose last bits are the host's, beside those of all of `linalg`. */
const FUNCTIONS = [
  ...['dot', 'vdot', 'inner', 'matmul', 'tensordot', 'einsum', 'convolve', 'correlate', 'cov', 'corrcoef', 'polyfit'],
];
const LIBRARY_FUNCTION = new RegExp(`^(numpy\\.(${FUNCTIONS.join('|')})|(numpy|scipy)\\.linalg\\.\\w+)$`);
/** A source without any of these words has none of them. */
const WORDS = new RegExp(`@|\\b(linalg|${FUNCTIONS.join('|')})\\b`);

/** The first place of each function, in the order of the text. */
export function notesOnHostProducts(code: string): readonly Note[] {
  if (!WORDS.test(code)) return [];
  const { module } = parsePython(code);
  return module === null ? [] : [...placesIn(module)].map(([what, at]) => ({ message: messageFor(what), ...at }));
}

const messageFor = (what: string): string =>
  `in CPython the last bits of ${what} are those of the host's BLAS library and processor; compiled code has its own, the same everywhere`;

function placesIn(module: Module): ReadonlyMap<string, Position> {
  const nodes = nodesOf(module);
  const paths = importedPaths(nodes);
  const own = new Set(nodes.flatMap((node) => (node.kind === 'FunctionDef' ? [node.name] : [])));
  const places = new Map<string, Position>();
  const add = (what: string, { line, column }: Position): void => {
    const before = places.get(what);
    if (before === undefined || line < before.line || (line === before.line && column < before.column))
      places.set(what, { line, column });
  };
  for (const node of nodes) {
    if ((node.kind === 'Binary' || node.kind === 'AugAssign') && node.operator === '@' && !own.has('__matmul__')) {
      add('@', node);
    } else if (node.kind === 'Call') {
      const { callee } = node;
      const path = pathOf(callee, paths);
      if (path !== null) {
        if (LIBRARY_FUNCTION.test(path)) add(path, callee);
      } else if (callee.kind === 'Attribute' && callee.name === 'dot' && !own.has('dot')) {
        add('.dot()', callee);
      }
    }
  }
  return new Map([...places].sort(([, a], [, b]) => a.line - b.line || a.column - b.column));
}

/** Path that a name or a chain of attributes of an imported module stands for; null: nothing that was imported. */
function pathOf(node: Expression, paths: ReadonlyMap<string, string>): string | null {
  const parts: string[] = [];
  let at = node;
  for (; at.kind === 'Attribute'; at = at.value) parts.unshift(at.name);
  const root = at.kind === 'Name' ? paths.get(at.name) : undefined;
  return root === undefined ? null : [root, ...parts].join('.');
}

/** Dotted paths by the names that import statements bind, anywhere in the source. */
function importedPaths(nodes: readonly (Statement | Expression)[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const node of nodes) {
    if (node.kind === 'Import') {
      for (const { name, asName } of node.names) {
        const [top = name] = name.split('.');
        paths.set(asName ?? top, asName === null ? top : name);
      }
    } else if (node.kind === 'ImportFrom') {
      for (const { name, asName } of node.names) {
        if (name !== '*') paths.set(asName ?? name, `${node.module}.${name}`);
        else if (node.module === 'numpy') for (const each of FUNCTIONS) paths.set(each, `numpy.${each}`);
      }
    }
  }
  return paths;
}

/** All statements and expressions. Iterative: trees may be deep. */
function nodesOf(module: Module): readonly (Statement | Expression)[] {
  const nodes: (Statement | Expression)[] = [];
  const stack: unknown[] = [module.body];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    if ('kind' in item) nodes.push(item as Statement | Expression);
    for (const part of Object.values(item)) if (typeof part === 'object' && part !== null) stack.push(part);
  }
  return nodes;
}
