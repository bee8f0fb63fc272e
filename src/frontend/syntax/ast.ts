/**
 * Python's syntax tree, as far as the front end speaks of it: the shape of CPython's `ast` module (3.12 grammar), with
 * camelCase fields. `parser.ts` produces it for every valid program, also for statements that are never compiled.
 */
export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based, UTF-16 code units. */
  readonly column: number;
}

export interface Module {
  readonly body: readonly Statement[];
  /** The part of it that needs the newest Python; null: nothing is newer than Python 3.9. */
  readonly newest: NewSyntax | null;
}

/** Syntax that Pythons before 3.`pythonMinor` refuse. */
export interface NewSyntax extends Position {
  readonly pythonMinor: number;
}

export type Statement = Position &
  (
    | FunctionDef
    | ClassDef
    | { readonly kind: 'Return'; readonly value: Expression | null }
    | { readonly kind: 'Delete'; readonly targets: readonly Expression[] }
    | { readonly kind: 'Assign'; readonly targets: readonly Expression[]; readonly value: Expression }
    | {
        readonly kind: 'AugAssign';
        readonly target: Expression;
        readonly operator: BinaryOperator;
        readonly value: Expression;
      }
    | {
        readonly kind: 'AnnAssign';
        readonly target: Expression;
        readonly annotation: Expression;
        readonly value: Expression | null;
      }
    | {
        readonly kind: 'For';
        readonly isAsync: boolean;
        readonly target: Expression;
        readonly iterable: Expression;
        readonly body: readonly Statement[];
        readonly orElse: readonly Statement[];
      }
    | {
        readonly kind: 'While';
        readonly test: Expression;
        readonly body: readonly Statement[];
        readonly orElse: readonly Statement[];
      }
    | {
        readonly kind: 'If';
        readonly test: Expression;
        readonly body: readonly Statement[];
        readonly orElse: readonly Statement[];
      }
    | {
        readonly kind: 'With';
        readonly isAsync: boolean;
        readonly items: readonly { readonly context: Expression; readonly target: Expression | null }[];
        readonly body: readonly Statement[];
      }
    | {
        readonly kind: 'Match';
        readonly subject: Expression;
        readonly cases: readonly MatchCase[];
      }
    | { readonly kind: 'Raise'; readonly exception: Expression | null; readonly cause: Expression | null }
    | {
        readonly kind: 'Try';
        readonly body: readonly Statement[];
        readonly handlers: readonly ExceptHandler[];
        readonly orElse: readonly Statement[];
        readonly finalBody: readonly Statement[];
        readonly isStar: boolean;
      }
    | { readonly kind: 'Assert'; readonly test: Expression; readonly message: Expression | null }
    | { readonly kind: 'Import'; readonly names: readonly Alias[] }
    | {
        readonly kind: 'ImportFrom';
        readonly module: string;
        readonly names: readonly Alias[];
        readonly level: number;
      }
    | { readonly kind: 'Global'; readonly names: readonly string[] }
    | { readonly kind: 'Nonlocal'; readonly names: readonly string[] }
    | { readonly kind: 'TypeAlias'; readonly name: string }
    | { readonly kind: 'Expr'; readonly value: Expression }
    | { readonly kind: 'Pass' }
    | { readonly kind: 'Break' }
    | { readonly kind: 'Continue' }
  );

export interface MatchCase {
  readonly pattern: Pattern;
  readonly guard: Expression | null;
  readonly body: readonly Statement[];
}

export type Pattern = Position &
  (
    | { readonly kind: 'MatchValue'; readonly value: Expression }
    | { readonly kind: 'MatchSingleton'; readonly value: null | boolean }
    | { readonly kind: 'MatchSequence'; readonly patterns: readonly Pattern[] }
    | {
        readonly kind: 'MatchMapping';
        readonly keys: readonly Expression[];
        readonly patterns: readonly Pattern[];
        readonly rest: string | null;
      }
    | {
        readonly kind: 'MatchClass';
        readonly type: Expression;
        readonly patterns: readonly Pattern[];
        readonly keywordNames: readonly string[];
        readonly keywordPatterns: readonly Pattern[];
      }
    | { readonly kind: 'MatchStar'; readonly name: string | null }
    /** Both null: the wildcard `_`. */
    | { readonly kind: 'MatchAs'; readonly pattern: Pattern | null; readonly name: string | null }
    | { readonly kind: 'MatchOr'; readonly patterns: readonly Pattern[] }
  );

export interface FunctionDef {
  readonly kind: 'FunctionDef';
  readonly isAsync: boolean;
  readonly name: string;
  readonly parameters: Parameters;
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
}

export interface ClassDef {
  readonly kind: 'ClassDef';
  readonly name: string;
  readonly bases: readonly Expression[];
  readonly keywords: readonly Keyword[];
  readonly body: readonly Statement[];
  readonly decorators: readonly Expression[];
}

export interface ExceptHandler extends Position {
  readonly type: Expression | null;
  readonly name: string | null;
  readonly body: readonly Statement[];
}

/** `name` is the dotted module name of `import a.b`, or the imported name (`*` for all). */
export interface Alias extends Position {
  readonly name: string;
  readonly asName: string | null;
}

export interface Parameters {
  readonly positionalOnly: readonly Parameter[];
  readonly positional: readonly Parameter[];
  readonly varArgs: Parameter | null;
  readonly keywordOnly: readonly Parameter[];
  readonly keywordArgs: Parameter | null;
}

export interface Parameter extends Position {
  readonly name: string;
  readonly annotation: Expression | null;
  readonly default: Expression | null;
}

/** `name` null: `**value`. */
export interface Keyword extends Position {
  readonly name: string | null;
  readonly value: Expression;
}

export interface Comprehension {
  readonly target: Expression;
  readonly iterable: Expression;
  readonly conditions: readonly Expression[];
  readonly isAsync: boolean;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**' | '@' | '<<' | '>>' | '&' | '|' | '^';
type UnaryOperator = '+' | '-' | '~' | 'not';
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'is' | 'is not' | 'in' | 'not in';

export type Expression = Position &
  (
    | { readonly kind: 'Name'; readonly name: string }
    /** `text` is the digits without underscores; `value` is null where an int is beyond 2^53. */
    | { readonly kind: 'Int'; readonly text: string; readonly value: number | null }
    | { readonly kind: 'Float'; readonly value: number }
    | { readonly kind: 'Imaginary'; readonly value: number }
    | { readonly kind: 'String'; readonly value: string }
    | { readonly kind: 'Bytes' }
    /**
     * An f-string: its texts and the values of its replacement fields, in order. A format specification follows its
     * value as a joined string of its own. `roles` says what each is; `converted` is a value with `!r` or `=`.
     */
    | {
        readonly kind: 'JoinedString';
        readonly values: readonly Expression[];
        readonly roles: readonly ('text' | 'value' | 'converted' | 'specification')[];
      }
    | { readonly kind: 'True' }
    | { readonly kind: 'False' }
    | { readonly kind: 'None' }
    | { readonly kind: 'Ellipsis' }
    | {
        readonly kind: 'Binary';
        readonly operator: BinaryOperator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | { readonly kind: 'Unary'; readonly operator: UnaryOperator; readonly operand: Expression }
    | { readonly kind: 'Boolean'; readonly operator: 'and' | 'or'; readonly values: readonly Expression[] }
    | {
        readonly kind: 'Compare';
        readonly left: Expression;
        readonly operators: readonly ComparisonOperator[];
        readonly comparators: readonly Expression[];
      }
    | {
        readonly kind: 'Conditional';
        readonly test: Expression;
        readonly body: Expression;
        readonly orElse: Expression;
      }
    | {
        readonly kind: 'Call';
        readonly callee: Expression;
        readonly args: readonly Expression[];
        readonly keywords: readonly Keyword[];
      }
    | { readonly kind: 'Attribute'; readonly value: Expression; readonly name: string }
    | { readonly kind: 'Subscript'; readonly value: Expression; readonly index: Expression }
    | {
        readonly kind: 'Slice';
        readonly lower: Expression | null;
        readonly upper: Expression | null;
        readonly step: Expression | null;
      }
    | { readonly kind: 'Starred'; readonly value: Expression }
    | { readonly kind: 'List'; readonly elements: readonly Expression[] }
    | { readonly kind: 'Tuple'; readonly elements: readonly Expression[] }
    | { readonly kind: 'Set'; readonly elements: readonly Expression[] }
    /** A null key: `**value`. */
    | { readonly kind: 'Dict'; readonly keys: readonly (Expression | null)[]; readonly values: readonly Expression[] }
    | { readonly kind: 'ListComp'; readonly element: Expression; readonly generators: readonly Comprehension[] }
    | { readonly kind: 'SetComp'; readonly element: Expression; readonly generators: readonly Comprehension[] }
    | { readonly kind: 'GeneratorExp'; readonly element: Expression; readonly generators: readonly Comprehension[] }
    | {
        readonly kind: 'DictComp';
        readonly key: Expression;
        readonly value: Expression;
        readonly generators: readonly Comprehension[];
      }
    | { readonly kind: 'Lambda'; readonly parameters: Parameters; readonly body: Expression }
    | { readonly kind: 'NamedExpression'; readonly target: Expression; readonly value: Expression }
    | { readonly kind: 'Await'; readonly value: Expression }
    | { readonly kind: 'Yield'; readonly value: Expression | null }
    | { readonly kind: 'YieldFrom'; readonly value: Expression }
  );

/** A statement or expression of one kind, with its position. */
export type StatementOf<K extends Statement['kind']> = Extract<Statement, { kind: K }>;
export type ExpressionOf<K extends Expression['kind']> = Extract<Expression, { kind: K }>;
