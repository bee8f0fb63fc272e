/**
 * Python source in, syntax tree or diagnostics out: `parsePython` is the entry; the class below holds the statements
 * of Python 3.12's grammar. Expressions are in `expression-parser.ts`, patterns in `pattern-parser.ts`, and what
 * CPython refuses only after parsing (scopes, `return` outside a function) in `scope-check.ts`. Why our own parser:
 * `docs/adr/0003-own-python-parser.md`.
 *
 * Sources are untrusted: work is linear in their length, recursion is bounded by `MAX_NESTING` and the tokenizer's
 * limits on brackets and blocks, and the finished tree is at most `MAX_TREE_DEPTH` deep, so that readers of the tree
 * may recurse.
 */
import type {
  Alias,
  BinaryOperator,
  ClassDef,
  ExceptHandler,
  Expression,
  FunctionDef,
  Module,
  Position,
  Statement,
  StatementOf,
  MatchCase,
} from './ast.js';
import type { Diagnostic } from './diagnostic.js';
import { isLikelyComparand } from './expression-parser.js';
import { PatternParser } from './pattern-parser.js';
import { checkScopes } from './scope-check.js';
import { describeExpression, emptyDetails, type TypeParameter } from './syntax-details.js';
import { SyntaxFailure, tokenize, type Token } from './tokenizer.js';
import { deepestBeyond } from './tree-depth.js';

/** In bytes of UTF-8. */
export const MAX_SOURCE_BYTES = 256 * 1024;
/** Levels of expressions and statements within each other, counting every link of `a + b + c` and every `elif`. */
export const MAX_TREE_DEPTH = 1000;
/** `elif` branches of one statement: each is an `If` in the `orElse` of the one before. */
export const MAX_ELIF_BRANCHES = 500;

export interface ParseResult {
  /** Null when `errors` is not empty. */
  readonly module: Module | null;
  /** Errors of kind `syntax` or `limit`, in the order of the source. */
  readonly errors: readonly Diagnostic[];
}

/**
 * Parses a whole module. Never throws.
 *
 * A mistake in tokens or grammar ends the analysis and is the only diagnostic; mistakes in scopes are all reported.
 * Cost: linear in the length of `code`.
 */
export function parsePython(code: string): ParseResult {
  const sizeBytes = Buffer.byteLength(code, 'utf8');
  if (sizeBytes > MAX_SOURCE_BYTES) {
    const message = `the source has ${sizeBytes} bytes; at most ${MAX_SOURCE_BYTES} are allowed`;
    return { module: null, errors: [{ kind: 'limit', message, line: 1, column: 1 }] };
  }
  try {
    const parser = new StatementParser(tokenize(code));
    const module = parser.parseModule();
    const errors = checkScopes(module, parser.details);
    return errors.length === 0 ? { module, errors } : { module: null, errors };
  } catch (failure) {
    if (failure instanceof SyntaxFailure) return { module: null, errors: [failure.diagnostic] };
    throw failure;
  }
}

const AUGMENTED: ReadonlySet<string> = new Set('+= -= *= /= //= %= **= @= <<= >>= &= |= ^='.split(' '));

/** At most so many nodes lie on a path through one level of the parser's recursion, chains left out. */
const NODES_PER_NESTING = 16;
/** At most so many statements, handlers and expression statements lie within each other: 100 blocks. */
const NODES_OF_BLOCKS = 250;

const EXPECTED_COLON = "expected ':'";

interface ConditionalBranch extends Position {
  readonly test: Expression;
  readonly body: readonly Statement[];
}

class StatementParser extends PatternParser {
  readonly details = emptyDetails();

  parseModule(): Module {
    const body: Statement[] = [];
    while (!this.atKind('end')) this.parseStatement(body);
    if (this.input.unclosed !== null || this.input.interruption !== null) this.fail();
    this.checkDepth(body);
    return { body, newest: this.newest };
  }

  private checkDepth(body: readonly Statement[]): void {
    // Most sources are too simple to need a look at their tree.
    const bound = this.chainLinks + this.deepestNesting * NODES_PER_NESTING + NODES_OF_BLOCKS;
    if (bound <= MAX_TREE_DEPTH) return;
    const place = deepestBeyond(body, MAX_TREE_DEPTH);
    if (place !== null) this.failLimit(`expressions and statements are nested more than ${MAX_TREE_DEPTH} deep`, place);
  }

  private parseStatement(body: Statement[]): void {
    switch (this.token.symbol) {
      case 'if':
        body.push(this.parseIf());
        return;
      case 'while':
        body.push(this.parseWhile());
        return;
      case 'for':
        body.push(this.parseFor(this.token, false));
        return;
      case 'try':
        body.push(this.parseTry());
        return;
      case 'with':
        body.push(this.parseWith(this.token, false));
        return;
      case 'def':
        body.push(this.parseFunction(this.token, false, []));
        return;
      case 'class':
        body.push(this.parseClass([]));
        return;
      case 'async':
        body.push(this.parseAsync());
        return;
      case '@':
        body.push(this.parseDecorated());
        return;
      default:
        if (this.atSoftKeyword('match') && this.isMatchStatement()) body.push(this.parseMatch());
        else this.parseSimpleStatements(body);
    }
  }

  private parseAsync(): Statement {
    const start = this.advance();
    switch (this.token.symbol) {
      case 'def':
        return this.parseFunction(start, true, []);
      case 'for':
        return this.parseFor(start, true);
      case 'with':
        return this.parseWith(start, true);
      default:
        return this.fail();
    }
  }

  private parseDecorated(): Statement {
    const decorators: Expression[] = [];
    while (this.accept('@')) {
      decorators.push(this.parseCondition());
      this.expectNewline();
    }
    const start = this.token;
    if (this.at('class')) return this.parseClass(decorators);
    const isAsync = this.accept('async');
    if (!this.at('def')) this.fail();
    return this.parseFunction(start, isAsync, decorators);
  }

  private expectNewline(): void {
    if (!this.atKind('newline')) this.fail();
    this.advance();
  }

  /** Statements up to the end of the line, separated by semicolons. */
  private parseSimpleStatements(body: Statement[]): void {
    do {
      body.push(this.parseSimpleStatement());
    } while (this.accept(';') && !this.atKind('newline'));
    this.expectNewline();
  }

  private parseSimpleStatement(): Statement {
    const { symbol, line, column } = this.token;
    switch (symbol) {
      case 'return': {
        this.advance();
        const value = this.atExpressionStart() ? this.parseStarExpressions() : null;
        return { kind: 'Return', value, line, column };
      }
      case 'import':
        return this.parseImport();
      case 'from':
        return this.parseImportFrom();
      case 'raise':
        return this.parseRaise();
      case 'pass':
        this.advance();
        return { kind: 'Pass', line, column };
      case 'break':
        this.advance();
        return { kind: 'Break', line, column };
      case 'continue':
        this.advance();
        return { kind: 'Continue', line, column };
      case 'del':
        return this.parseDelete();
      case 'yield': {
        const value = this.parseYield();
        if (this.at('=')) this.fail('assignment to yield expression not possible', value);
        if (AUGMENTED.has(this.token.symbol)) this.failAugmented(value);
        return { kind: 'Expr', value, line, column };
      }
      case 'assert': {
        this.advance();
        const test = this.parseExpression();
        const message = this.accept(',') ? this.parseExpression() : null;
        return { kind: 'Assert', test, message, line, column };
      }
      case 'global':
        this.advance();
        return { kind: 'Global', names: this.parseNames(), line, column };
      case 'nonlocal':
        this.advance();
        return { kind: 'Nonlocal', names: this.parseNames(), line, column };
      default:
        if (this.atSoftKeyword('type') && this.next().kind === 'name') return this.parseTypeAlias();
        return this.parseExpressionStatement();
    }
  }

  private parseNames(): string[] {
    const names = [this.expectName().name];
    while (this.accept(',')) names.push(this.expectName().name);
    return names;
  }

  /** An assignment of any form, or an expression. */
  private parseExpressionStatement(): Statement {
    const start = this.token;
    const { line, column } = start;
    const first = this.parseStarExpressions();
    const { symbol } = this.token;
    if (symbol === '=') return this.parseAssignment(start, first);
    if (symbol === ':') return this.parseAnnotated(start, first);
    if (AUGMENTED.has(symbol)) {
      if (first.kind !== 'Name' && first.kind !== 'Attribute' && first.kind !== 'Subscript') this.failAugmented(first);
      const operator = symbol.slice(0, -1) as BinaryOperator;
      this.advance();
      const value = this.parseYieldOrStarExpressions();
      return { kind: 'AugAssign', target: first, operator, value, line, column };
    }
    if (first.kind === 'Name' && (first.name === 'print' || first.name === 'exec') && this.atExpressionStart()) {
      this.fail(`Missing parentheses in call to '${first.name}'. Did you mean ${first.name}(...)?`, first);
    }
    return { kind: 'Expr', value: first, line, column };
  }

  private failAugmented(target: Expression): never {
    this.fail(`'${describeExpression(target)}' is an illegal expression for augmented assignment`, target);
  }

  /** The current token is the first `=`. */
  private parseAssignment(start: Token, first: Expression): Statement {
    const targets: Expression[] = [];
    let value = first;
    while (this.accept('=')) {
      const isTarget = targets.length > 0 || isLikelyComparand(value);
      const target = value;
      value = this.parseYieldOrStarExpressions();
      const suffix = isTarget && !this.at('=') ? " here. Maybe you meant '==' instead of '='?" : '';
      this.checkTarget(target, 'assign', targets.length === 0 ? suffix : '');
      targets.push(target);
    }
    if (AUGMENTED.has(this.token.symbol)) this.fail();
    return { kind: 'Assign', targets, value, line: start.line, column: start.column };
  }

  /** The current token is the colon of `target: annotation`. */
  private parseAnnotated(start: Token, target: Expression): Statement {
    this.advance();
    // What follows the colon of a misspelt statement is seldom an expression.
    if (!this.atExpressionStart()) this.fail();
    if (target.kind === 'List' || target.kind === 'Tuple') {
      this.fail(`only single target (not ${target.kind.toLowerCase()}) can be annotated`, target);
    }
    if (target.kind !== 'Name' && target.kind !== 'Attribute' && target.kind !== 'Subscript') {
      this.fail('illegal target for annotation', target);
    }
    const annotation = this.parseExpression();
    const value = this.accept('=') ? this.parseYieldOrStarExpressions() : null;
    const { line, column } = start;
    const statement = { kind: 'AnnAssign', target, annotation, value, line, column } as const;
    if (start.symbol === '(') this.details.parenthesizedTargets.add(statement);
    return statement;
  }

  private parseImport(): Statement {
    const { line, column } = this.advance();
    const names: Alias[] = [];
    do {
      const start = this.token;
      const name = this.parseDottedModule();
      const asName = this.accept('as') ? this.expectName().name : null;
      names.push({ name, asName, line: start.line, column: start.column });
    } while (this.accept(','));
    return { kind: 'Import', names, line, column };
  }

  private parseDottedModule(): string {
    const parts = [this.expectName().name];
    while (this.accept('.')) parts.push(this.expectName().name);
    return parts.join('.');
  }

  private parseImportFrom(): Statement {
    const { line, column } = this.advance();
    let level = 0;
    while (this.at('.') || this.at('...')) level += this.advance().symbol.length;
    const module = level > 0 && this.at('import') ? '' : this.parseDottedModule();
    this.expect('import');
    return { kind: 'ImportFrom', module, names: this.parseImportedNames(), level, line, column };
  }

  private parseImportedNames(): Alias[] {
    const { line, column } = this.token;
    if (this.accept('*')) return [{ name: '*', asName: null, line, column }];
    const isParenthesized = this.accept('(');
    const names: Alias[] = [];
    do {
      if (names.length > 0 && isParenthesized && this.at(')')) break;
      if (names.length > 0 && !isParenthesized && this.atKind('newline')) {
        this.fail('trailing comma not allowed without surrounding parentheses');
      }
      const start = this.expectName();
      const asName = this.accept('as') ? this.expectName().name : null;
      names.push({ name: start.name, asName, line: start.line, column: start.column });
    } while (this.accept(','));
    if (isParenthesized) this.expect(')');
    return names;
  }

  private parseRaise(): Statement {
    const { line, column } = this.advance();
    if (this.atKind('newline') || this.at(';')) {
      return { kind: 'Raise', exception: null, cause: null, line, column };
    }
    const exception = this.parseExpression();
    const cause = this.accept('from') ? this.parseExpression() : null;
    return { kind: 'Raise', exception, cause, line, column };
  }

  private parseDelete(): Statement {
    const { line, column } = this.advance();
    const targets: Expression[] = [];
    do {
      if (targets.length > 0 && !this.atExpressionStart()) break;
      const target = this.parseTargetExpression();
      this.checkTarget(target, 'delete');
      targets.push(target);
    } while (this.accept(','));
    return { kind: 'Delete', targets, line, column };
  }

  private parseTypeAlias(): Statement {
    const { line, column } = this.advance();
    this.since(12, { line, column });
    const { name } = this.expectName();
    const parameters = this.parseTypeParameters();
    this.expect('=');
    const value = this.parseExpression();
    const statement = { kind: 'TypeAlias', name, line, column } as const;
    this.details.typeParameters.set(statement, parameters);
    this.details.aliasValues.set(statement, value);
    return statement;
  }

  private parseTypeParameters(): readonly TypeParameter[] {
    const parameters: TypeParameter[] = [];
    if (this.at('[')) this.since(12, this.token);
    if (!this.accept('[')) return parameters;
    do {
      if (parameters.length > 0 && this.at(']')) break;
      const { line, column } = this.token;
      const kind = this.accept('*') ? 'TypeVarTuple' : this.accept('**') ? 'ParamSpec' : 'TypeVar';
      const { name } = this.expectName();
      if (kind !== 'TypeVar' && this.at(':')) this.fail(`cannot use bound with ${kind}`);
      const bound = this.accept(':') ? this.parseExpression() : null;
      parameters.push({ name, bound, line, column });
    } while (this.accept(','));
    this.expect(']');
    return parameters;
  }

  /** The colon that ends a header. Where something else follows on the line, the header itself is the mistake. */
  private expectColon(): void {
    if (this.accept(':')) return;
    this.fail(this.atKind('newline') ? EXPECTED_COLON : 'invalid syntax');
  }

  /** A block behind its colon: indented lines, or simple statements on the same line. */
  private parseBlock(what: string, header: Position): Statement[] {
    const body: Statement[] = [];
    if (!this.atKind('newline')) {
      this.parseSimpleStatements(body);
      return body;
    }
    this.advance();
    this.expectIndent(what, header);
    while (!this.atKind('dedent')) {
      if (this.atKind('end')) this.fail();
      this.parseStatement(body);
    }
    this.advance();
    return body;
  }

  private expectIndent(what: string, header: Position): void {
    if (!this.atKind('indent')) this.fail(`expected an indented block after ${what} on line ${header.line}`);
    this.advance();
  }

  private parseIf(): Statement {
    const branches: ConditionalBranch[] = [];
    do {
      if (branches.length > MAX_ELIF_BRANCHES) {
        this.failLimit(`the statement has more than ${MAX_ELIF_BRANCHES} 'elif' branches`);
      }
      const start = this.advance();
      const test = this.parseCondition();
      this.expectColon();
      const body = this.parseBlock(`'${start.symbol}' statement`, start);
      branches.push({ test, body, line: start.line, column: start.column });
    } while (this.at('elif'));
    let orElse: readonly Statement[] = this.parseElse();
    if (branches.length > 1) this.chainLinks += branches.length;
    for (const branch of branches.slice(1).reverse()) orElse = [{ kind: 'If', ...branch, orElse }];
    const [first] = branches;
    if (first === undefined) throw new Error('an if statement has a first branch');
    return { kind: 'If', ...first, orElse };
  }

  private parseElse(): Statement[] {
    if (!this.at('else')) return [];
    const start = this.advance();
    this.expect(':', EXPECTED_COLON);
    return this.parseBlock("'else' statement", start);
  }

  private parseWhile(): Statement {
    const start = this.advance();
    const test = this.parseCondition();
    this.expectColon();
    const body = this.parseBlock("'while' statement", start);
    return { kind: 'While', test, body, orElse: this.parseElse(), line: start.line, column: start.column };
  }

  private parseFor(start: Token, isAsync: boolean): Statement {
    const header = this.expect('for');
    const target = this.parseTargets();
    this.expect('in');
    const iterable = this.parseStarExpressions();
    this.expectColon();
    const body = this.parseBlock("'for' statement", header);
    const { line, column } = start;
    return { kind: 'For', isAsync, target, iterable, body, orElse: this.parseElse(), line, column };
  }

  private parseWith(start: Token, isAsync: boolean): Statement {
    const header = this.expect('with');
    const items = this.at('(')
      ? this.either(
          () => this.parseParenthesizedItems(),
          () => this.parseWithItems(),
        )
      : this.parseWithItems();
    this.expectColon();
    const body = this.parseBlock("'with' statement", header);
    return { kind: 'With', isAsync, items, body, line: start.line, column: start.column };
  }

  private parseWithItem(): StatementOf<'With'>['items'][number] {
    const context = this.parseExpression();
    return { context, target: this.accept('as') ? this.parseTarget() : null };
  }

  private parseWithItems(): StatementOf<'With'>['items'] {
    const items = [this.parseWithItem()];
    while (this.accept(',')) items.push(this.parseWithItem());
    return items;
  }

  /** `with (a as b, c):`. Fails where the bracket only begins an expression, as in `with (a).b:`. */
  private parseParenthesizedItems(): StatementOf<'With'>['items'] {
    this.advance();
    const items = [this.parseWithItem()];
    while (this.accept(',') && !this.at(')')) items.push(this.parseWithItem());
    this.expect(')');
    if (!this.at(':')) this.fail();
    return items;
  }

  private parseTry(): Statement {
    const start = this.advance();
    this.expect(':', EXPECTED_COLON);
    const body = this.parseBlock("'try' statement", start);
    const handlers: ExceptHandler[] = [];
    let isStar = false;
    while (this.at('except')) {
      const isStarHere: boolean = this.next().symbol === '*';
      if (handlers.length > 0 && isStarHere !== isStar) {
        this.fail("cannot have both 'except' and 'except*' on the same 'try'");
      }
      isStar = isStarHere;
      handlers.push(this.parseHandler(isStar));
    }
    const orElse = handlers.length > 0 ? this.parseElse() : [];
    const finalBody = this.parseFinally();
    if (handlers.length === 0 && finalBody === null) this.fail("expected 'except' or 'finally' block");
    const { line, column } = start;
    return { kind: 'Try', body, handlers, orElse, finalBody: finalBody ?? [], isStar, line, column };
  }

  private parseFinally(): Statement[] | null {
    if (!this.at('finally')) return null;
    const start = this.advance();
    this.expect(':', EXPECTED_COLON);
    return this.parseBlock("'finally' statement", start);
  }

  private parseHandler(isStar: boolean): ExceptHandler {
    const start = this.advance();
    if (isStar) this.since(11, this.advance());
    let type: Expression | null = null;
    let name: string | null = null;
    if (this.atExpressionStart()) {
      const first = this.token;
      type = this.parseExpression();
      if (this.at(',')) this.fail('multiple exception types must be parenthesized', first);
      if (this.accept('as')) name = this.expectName().name;
    } else if (isStar) {
      this.fail('expected one or more exception types');
    }
    this.expectColon();
    const body = this.parseBlock(`'except${isStar ? '*' : ''}' statement`, start);
    return { type, name, body, line: start.line, column: start.column };
  }

  private parseFunction(start: Token, isAsync: boolean, decorators: readonly Expression[]): Statement {
    const header = this.expect('def');
    const { name } = this.expectName();
    const typeParameters = this.parseTypeParameters();
    this.expect('(', "expected '('");
    const parameters = this.parseParameters(')', true);
    this.expect(')');
    const returns = this.accept('->') ? this.parseExpression() : null;
    this.expect(':', EXPECTED_COLON);
    const body = this.parseBlock('function definition', header);
    const { line, column } = start;
    const statement: FunctionDef & Position = {
      kind: 'FunctionDef',
      isAsync,
      name,
      parameters,
      body,
      decorators,
      line,
      column,
    };
    if (typeParameters.length > 0) this.details.typeParameters.set(statement, typeParameters);
    if (returns !== null) this.details.returnAnnotations.set(statement, returns);
    return statement;
  }

  private parseClass(decorators: readonly Expression[]): Statement {
    const { line, column } = this.advance();
    const header = { line, column };
    const { name } = this.expectName();
    const typeParameters = this.parseTypeParameters();
    const { args, keywords } = this.at('(') ? this.parseCallArguments(false) : { args: [], keywords: [] };
    this.expect(':', EXPECTED_COLON);
    const body = this.parseBlock('class definition', header);
    const statement: ClassDef & Position = {
      kind: 'ClassDef',
      name,
      bases: args,
      keywords,
      body,
      decorators,
      line,
      column,
    };
    if (typeParameters.length > 0) this.details.typeParameters.set(statement, typeParameters);
    return statement;
  }

  /**
   * `match` begins a statement where its line ends with a colon and is more than `match:`. No simple statement ends
   * so, and a `match` statement has no other form.
   */
  private isMatchStatement(): boolean {
    let index = this.index + 1;
    while (this.tokenAt(index).kind !== 'newline' && this.tokenAt(index).kind !== 'end') index += 1;
    return index > this.index + 2 && this.tokenAt(index - 1).symbol === ':';
  }

  private parseMatch(): Statement {
    const start = this.advance();
    this.since(10, start);
    const { line, column } = start;
    const subjectStart = this.token;
    let subject = this.parseStarNamedExpression();
    if (this.at(',')) subject = this.parseTupleRest(subjectStart, subject, () => this.parseStarNamedExpression());
    else if (subject.kind === 'Starred') this.fail();
    this.expectColon();
    this.expectNewline();
    this.expectIndent("'match' statement", start);
    const cases: MatchCase[] = [];
    do {
      cases.push(this.parseCase());
    } while (!this.atKind('dedent'));
    this.advance();
    return { kind: 'Match', subject, cases, line, column };
  }

  private parseCase(): MatchCase {
    if (!this.atSoftKeyword('case')) this.fail();
    const start = this.advance();
    const pattern = this.parsePatterns();
    const guard = this.accept('if') ? this.parseNamedExpression() : null;
    this.expectColon();
    const body = this.parseBlock("'case' statement", start);
    return { pattern, guard, body };
  }
}
