/**
 * Details that the checks after parsing need and `ast.ts` leaves out: type parameters, return annotations. They are
 * kept beside the tree, keyed by its nodes, because nothing that uses these is ever compiled.
 */
import type { ExpressionOf, FunctionDef, ClassDef, Expression, Position, StatementOf } from './ast.js';

export interface TypeParameter extends Position {
  readonly name: string;
  readonly bound: Expression | null;
}

type TypeParameterOwner = FunctionDef | ClassDef | StatementOf<'TypeAlias'>;

export interface SyntaxDetails {
  readonly typeParameters: Map<TypeParameterOwner, readonly TypeParameter[]>;
  readonly aliasValues: Map<StatementOf<'TypeAlias'>, Expression>;
  readonly returnAnnotations: Map<FunctionDef, Expression>;
  /** Annotated names in parentheses, `(x): int`, which do not make `x` a local name. */
  readonly parenthesizedTargets: Set<StatementOf<'AnnAssign'>>;
}

export function emptyDetails(): SyntaxDetails {
  return {
    typeParameters: new Map(),
    aliasValues: new Map(),
    returnAnnotations: new Map(),
    parenthesizedTargets: new Set(),
  };
}

/** CPython's words for an expression in `cannot assign to ...`. */
export function describeExpression(expression: Expression): string {
  return EXPRESSION_NAMES[expression.kind];
}

const EXPRESSION_NAMES: Readonly<Record<ExpressionOf<Expression['kind']>['kind'], string>> = {
  Name: 'name',
  Int: 'literal',
  Float: 'literal',
  Imaginary: 'literal',
  String: 'literal',
  Bytes: 'literal',
  JoinedString: 'f-string expression',
  True: 'True',
  False: 'False',
  None: 'None',
  Ellipsis: 'ellipsis',
  Binary: 'expression',
  Unary: 'expression',
  Boolean: 'expression',
  Compare: 'comparison',
  Conditional: 'conditional expression',
  Call: 'function call',
  Attribute: 'attribute',
  Subscript: 'subscript',
  Slice: 'slice',
  Starred: 'starred',
  List: 'list',
  Tuple: 'tuple',
  Set: 'set display',
  Dict: 'dict literal',
  ListComp: 'list comprehension',
  SetComp: 'set comprehension',
  GeneratorExp: 'generator expression',
  DictComp: 'dict comprehension',
  Lambda: 'lambda',
  NamedExpression: 'named expression',
  Await: 'await expression',
  Yield: 'yield expression',
  YieldFrom: 'yield expression',
};
