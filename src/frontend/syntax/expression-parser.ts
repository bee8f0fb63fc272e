/**
 * Expressions of Python 3.12's grammar (docs.python.org/3.12/reference/grammar.html), by recursive descent with
 * precedence climbing for binary operators. One method per grammar rule that has a shape of its own: the file is as
 * long as the grammar.
 *
 * A node's position is that of its first token, brackets included, as in CPython: `(a) + b` begins at the bracket, the
 * name `a` in it does not. So methods keep their first token, not the position of their left operand.
 */
import type {
  BinaryOperator,
  ComparisonOperator,
  Comprehension,
  Expression,
  Keyword,
  Parameter,
  Parameters,
  Position,
  ExpressionOf,
} from './ast.js';
import { bytesError, decodeText, parseNumber, splitStringLiteral } from './literals.js';
import { describeExpression } from './syntax-details.js';
import { TokenCursor } from './token-cursor.js';
import type { Token } from './tokenizer.js';

const BINARY_PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['|', 1],
  ['^', 2],
  ['&', 3],
  ['<<', 4],
  ['>>', 4],
  ['+', 5],
  ['-', 5],
  ['*', 6],
  ['/', 6],
  ['//', 6],
  ['%', 6],
  ['@', 6],
]);
const LOWEST = 1;
const HIGHEST = 6;

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'is', 'not']);

const STARRED_COMPREHENSION = 'iterable unpacking cannot be used in comprehension';
const MEANT_COMPARISON = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";
const SOFT_KEYWORDS: ReadonlySet<string> = new Set(['match', 'case', 'type', '_']);
const FORGOT_COMMA = 'invalid syntax. Perhaps you forgot a comma?';

type TargetUse = 'assign' | 'delete';

/** Literal text between quotes, or the value of a replacement field. */
type StringPiece =
  | (Position & { readonly text: string })
  | { readonly text: null; readonly value: Expression; readonly role: 'value' | 'converted' | 'specification' };

export abstract class ExpressionParser extends TokenCursor {
  /** Links of left-nested chains (`a + b + c`, `a.b.c`) so far: they make deep trees without recursion. */
  protected chainLinks = 0;

  /** The expression that ended last, without the `if` behind it: where a comma may be missing. */
  private lastExpression: { readonly body: Expression; readonly startIndex: number; readonly endIndex: number } | null =
    null;

  /** Fails at a token that cannot follow the expression before it within brackets. */
  private failBehindExpression(): never {
    const { lastExpression } = this;
    if (lastExpression?.endIndex === this.index && this.atExpressionStart() && !this.at('*')) {
      const { body, startIndex } = lastExpression;
      const start = this.tokenAt(startIndex);
      const isMisspeltPrefix = start.kind === 'name' && this.tokenAt(startIndex + 1).kind === 'string';
      if (!isMisspeltPrefix && !SOFT_KEYWORDS.has(start.name)) this.fail(FORGOT_COMMA, body);
    }
    this.fail();
  }

  /** `star_expressions`: one expression or a tuple without brackets. */
  protected parseStarExpressions(): Expression {
    const start = this.token;
    const first = this.parseStarExpression();
    return this.at(',') ? this.parseTupleRest(start, first, () => this.parseStarExpression()) : first;
  }

  /** The rest of a tuple whose first element is parsed; the current token is the comma behind it. */
  protected parseTupleRest(start: Token, first: Expression, parseElement: () => Expression): Expression {
    const elements = [first];
    while (this.accept(',') && this.atExpressionStart()) elements.push(parseElement());
    return { kind: 'Tuple', elements, line: start.line, column: start.column };
  }

  protected parseStarExpression(): Expression {
    return this.at('*') ? this.parseStarred() : this.parseExpression();
  }

  protected parseStarNamedExpression(): Expression {
    return this.at('*') ? this.parseStarred() : this.parseNamedExpression();
  }

  private parseStarred(): Expression {
    const start = this.advance();
    const value = this.parseBinary(LOWEST);
    return { kind: 'Starred', value, line: start.line, column: start.column };
  }

  protected parseYieldOrStarExpressions(): Expression {
    return this.at('yield') ? this.parseYield() : this.parseStarExpressions();
  }

  protected parseYield(): Expression {
    const { line, column } = this.expect('yield');
    if (this.accept('from')) return { kind: 'YieldFrom', value: this.parseExpression(), line, column };
    const value = this.atExpressionStart() ? this.parseStarExpressions() : null;
    return { kind: 'Yield', value, line, column };
  }

  protected parseNamedExpression(): Expression {
    if (this.atNamedExpression()) {
      const { name, line, column } = this.advance();
      this.advance();
      const value = this.parseExpression();
      return { kind: 'NamedExpression', target: { kind: 'Name', name, line, column }, value, line, column };
    }
    const expression = this.parseExpression();
    if (this.at(':='))
      this.fail(`cannot use assignment expressions with ${describeExpression(expression)}`, expression);
    return expression;
  }

  private atNamedExpression(): boolean {
    return this.token.kind === 'name' && this.next().symbol === ':=';
  }

  /** A condition, subject or decorator: names the likely mistake in `if x = 1`. */
  protected parseCondition(): Expression {
    const expression = this.parseNamedExpression();
    if (this.at('=')) this.failAssignmentInExpression(expression);
    return expression;
  }

  /** The current token is `=` behind an expression that is no target here. */
  private failAssignmentInExpression(left: Expression): never {
    const mistake = this.token;
    this.advance();
    this.parseBinary(LOWEST);
    if (this.at('=') || this.at(':=') || left.kind === 'List' || left.kind === 'Tuple') this.fail(undefined, mistake);
    if (left.kind === 'Name') this.fail(MEANT_COMPARISON, left);
    if (left.kind === 'True' || left.kind === 'False' || left.kind === 'None') {
      this.fail(`cannot assign to ${left.kind}`, left);
    }
    if (!isLikelyComparand(left)) this.fail(undefined, mistake);
    this.fail(`cannot assign to ${describeExpression(left)} here. Maybe you meant '==' instead of '='?`, left);
  }

  /** `expression`: a conditional expression, a lambda, or what binds closer. */
  protected parseExpression(): Expression {
    this.enter();
    const expression = this.at('lambda') ? this.parseLambda() : this.parseConditional();
    this.leave();
    return expression;
  }

  private parseConditional(): Expression {
    const start = this.token;
    const startIndex = this.index;
    const body = this.parseDisjunction();
    this.lastExpression = { body, startIndex, endIndex: this.index };
    if (!this.accept('if')) return body;
    const test = this.parseDisjunction();
    if (!this.accept('else')) {
      if (this.at(':')) this.fail();
      this.fail("expected 'else' after 'if' expression", start);
    }
    const orElse = this.parseExpression();
    return { kind: 'Conditional', test, body, orElse, line: start.line, column: start.column };
  }

  private parseLambda(): Expression {
    const { line, column } = this.advance();
    if (this.at('(')) this.fail('Lambda expression parameters cannot be parenthesized');
    const parameters = this.parseParameters(':', false);
    this.expect(':');
    if (this.atKind('fstring-middle') || this.at('}')) {
      this.fail('f-string: lambda expressions are not allowed without parentheses', { line, column });
    }
    const body = this.parseExpression();
    return { kind: 'Lambda', parameters, body, line, column };
  }

  protected parseDisjunction(): Expression {
    const { line, column } = this.token;
    const first = this.parseConjunction();
    if (!this.at('or')) return first;
    const values = [first];
    while (this.accept('or')) values.push(this.parseConjunction());
    return { kind: 'Boolean', operator: 'or', values, line, column };
  }

  private parseConjunction(): Expression {
    const { line, column } = this.token;
    const first = this.parseInversion();
    if (!this.at('and')) return first;
    const values = [first];
    while (this.accept('and')) values.push(this.parseInversion());
    return { kind: 'Boolean', operator: 'and', values, line, column };
  }

  private parseInversion(): Expression {
    if (!this.at('not')) return this.parseComparison();
    const { line, column } = this.advance();
    this.enter();
    const operand = this.parseInversion();
    this.leave();
    return { kind: 'Unary', operator: 'not', operand, line, column };
  }

  private parseComparison(): Expression {
    const { line, column } = this.token;
    const left = this.parseBinary(LOWEST);
    if (!COMPARISONS.has(this.token.symbol)) return left;
    const operators: ComparisonOperator[] = [];
    const comparators: Expression[] = [];
    for (let operator = this.acceptComparison(); operator !== null; operator = this.acceptComparison()) {
      operators.push(operator);
      comparators.push(this.parseBinary(LOWEST));
    }
    return operators.length === 0 ? left : { kind: 'Compare', left, operators, comparators, line, column };
  }

  private acceptComparison(): ComparisonOperator | null {
    const { symbol } = this.token;
    switch (symbol) {
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
      case 'in':
        this.advance();
        return symbol;
      case 'is':
        this.advance();
        return this.accept('not') ? 'is not' : 'is';
      case 'not':
        if (this.next().symbol !== 'in') return null;
        this.advance();
        this.advance();
        return 'not in';
      default:
        return null;
    }
  }

  /** `bitwise_or` and what binds closer, down to `minimum` precedence. */
  protected parseBinary(minimum: number): Expression {
    const { line, column } = this.token;
    let left = this.parseUnary();
    while (true) {
      const { symbol } = this.token;
      const precedence = BINARY_PRECEDENCE.get(symbol);
      if (precedence === undefined || precedence < minimum) return left;
      this.advance();
      const right = precedence === HIGHEST ? this.parseUnary() : this.parseBinary(precedence + 1);
      left = { kind: 'Binary', operator: symbol as BinaryOperator, left, right, line, column };
      this.chainLinks += 1;
    }
  }

  private parseUnary(): Expression {
    const { symbol, line, column } = this.token;
    if (symbol !== '-' && symbol !== '+' && symbol !== '~') return this.parsePower();
    this.advance();
    this.enter();
    const operand = this.parseUnary();
    this.leave();
    return { kind: 'Unary', operator: symbol, operand, line, column };
  }

  private parsePower(): Expression {
    const { line, column } = this.token;
    const left = this.parseAwait();
    if (!this.accept('**')) return left;
    this.enter();
    const right = this.parseUnary();
    this.leave();
    return { kind: 'Binary', operator: '**', left, right, line, column };
  }

  private parseAwait(): Expression {
    if (!this.at('await')) return this.parsePrimary();
    const { line, column } = this.advance();
    return { kind: 'Await', value: this.parsePrimary(), line, column };
  }

  private parsePrimary(): Expression {
    const { line, column } = this.token;
    let value = this.parseAtom();
    while (true) {
      switch (this.token.symbol) {
        case '.': {
          this.advance();
          const { name } = this.expectName();
          value = { kind: 'Attribute', value, name, line, column };
          break;
        }
        case '(': {
          const { args, keywords } = this.parseCallArguments(true);
          value = { kind: 'Call', callee: value, args, keywords, line, column };
          break;
        }
        case '[': {
          this.advance();
          const index = this.parseSlices();
          this.expectClosing(']', index);
          value = { kind: 'Subscript', value, index, line, column };
          break;
        }
        default:
          return value;
      }
      this.chainLinks += 1;
    }
  }

  private parseAtom(): Expression {
    const { kind, symbol, line, column } = this.token;
    if (kind === 'name') return { kind: 'Name', name: this.advance().name, line, column };
    if (kind === 'number') return this.parseNumberLiteral();
    if (kind === 'string' || kind === 'fstring-start') return this.parseStrings();
    switch (symbol) {
      case '(':
        return this.parseParenthesized();
      case '[':
        return this.parseListDisplay();
      case '{':
        return this.parseBraceDisplay();
      case 'True':
      case 'False':
      case 'None':
        this.advance();
        return { kind: symbol, line, column };
      case '...':
        this.advance();
        return { kind: 'Ellipsis', line, column };
      default:
        return this.fail();
    }
  }

  protected parseNumberLiteral(): Expression {
    const { start, end, line, column } = this.token;
    const number = parseNumber(this.input.source.slice(start, end));
    if (typeof number === 'string') this.fail(number);
    this.advance();
    return { ...number, line, column };
  }

  /** The current token is expected to close a bracket behind `last`. */
  private expectClosing(symbol: string, last: Expression): void {
    if (this.accept(symbol)) return;
    if (this.at('=')) this.failAssignmentInExpression(last);
    this.failBehindExpression();
  }

  /** A group, tuple, generator expression or `(yield)`. */
  private parseParenthesized(): Expression {
    const open = this.advance();
    const { line, column } = open;
    if (this.accept(')')) return { kind: 'Tuple', elements: [], line, column };
    if (this.at('yield')) {
      const value = this.parseYield();
      this.expect(')');
      return value;
    }
    const first = this.parseStarNamedExpression();
    if (this.atComprehension()) {
      const generators = this.parseComprehensionClauses(first);
      this.expect(')');
      return { kind: 'GeneratorExp', element: first, generators, line, column };
    }
    if (!this.at(',')) {
      this.expectClosing(')', first);
      if (first.kind === 'Starred') this.fail('cannot use starred expression here', first);
      return first;
    }
    const elements = this.parseElements(first);
    this.expectClosing(')', elements.at(-1) ?? first);
    return { kind: 'Tuple', elements, line, column };
  }

  private parseListDisplay(): Expression {
    const { line, column } = this.advance();
    if (this.accept(']')) return { kind: 'List', elements: [], line, column };
    const first = this.parseStarNamedExpression();
    if (this.atComprehension()) {
      const generators = this.parseComprehensionClauses(first);
      this.expect(']');
      return { kind: 'ListComp', element: first, generators, line, column };
    }
    const elements = this.parseElements(first);
    this.expectClosing(']', elements.at(-1) ?? first);
    return { kind: 'List', elements, line, column };
  }

  /** The elements of a bracketed display whose first is parsed, with an optional comma at the end. */
  private parseElements(first: Expression): Expression[] {
    const elements = [first];
    while (this.accept(',') && this.atExpressionStart()) elements.push(this.parseStarNamedExpression());
    if (this.atComprehension()) this.fail('did you forget parentheses around the comprehension target?', first);
    return elements;
  }

  private parseBraceDisplay(): Expression {
    const open = this.advance();
    const { line, column } = open;
    if (this.accept('}')) return { kind: 'Dict', keys: [], values: [], line, column };
    if (this.at('**')) return this.parseDictRest(open, null);
    const isPlainKey = !this.at('*') && !this.atNamedExpression();
    const first = this.parseStarNamedExpression();
    if (isPlainKey && this.at(':')) return this.parseDictRest(open, first);
    if (this.atComprehension()) {
      const generators = this.parseComprehensionClauses(first);
      this.expect('}');
      return { kind: 'SetComp', element: first, generators, line, column };
    }
    const elements = this.parseElements(first);
    this.expectClosing('}', elements.at(-1) ?? first);
    return { kind: 'Set', elements, line, column };
  }

  /** A dictionary or its comprehension; the current token is `**`, or the colon behind `firstKey`. */
  private parseDictRest(open: Token, firstKey: Expression | null): Expression {
    const { line, column } = open;
    const keys: (Expression | null)[] = [];
    const values: Expression[] = [];
    let key = firstKey;
    while (true) {
      const start = this.token;
      let value: Expression;
      if (key === null) {
        this.expect('**');
        value = this.parseBinary(LOWEST);
      } else {
        const colon = this.expect(':', "':' expected after dictionary key");
        if (!this.atExpressionStart()) this.fail("expression expected after dictionary key and ':'", colon);
        if (this.at('*')) this.fail('cannot use a starred expression in a dictionary value');
        value = this.parseExpression();
      }
      if (values.length === 0 && this.atComprehension()) {
        if (key === null) this.fail('dict unpacking cannot be used in dict comprehension', start);
        const generators = this.parseComprehensionClauses(value);
        this.expect('}');
        return { kind: 'DictComp', key, value, generators, line, column };
      }
      keys.push(key);
      values.push(value);
      if (!this.accept(',') || this.at('}')) {
        this.expectClosing('}', value);
        return { kind: 'Dict', keys, values, line, column };
      }
      key = this.at('**') ? null : this.parseExpression();
    }
  }

  private atComprehension(): boolean {
    return this.at('for') || (this.at('async') && this.next().symbol === 'for');
  }

  private parseComprehensionClauses(element: Expression): Comprehension[] {
    if (element.kind === 'Starred') this.fail(STARRED_COMPREHENSION, element);
    const generators: Comprehension[] = [];
    while (this.atComprehension()) {
      const isAsync = this.accept('async');
      this.expect('for');
      const target = this.parseTargets();
      this.expect('in');
      const iterable = this.parseDisjunction();
      const conditions: Expression[] = [];
      while (this.accept('if')) conditions.push(this.parseDisjunction());
      generators.push({ target, iterable, conditions, isAsync });
    }
    return generators;
  }

  /** Parses the text between the brackets of a subscript. */
  private parseSlices(): Expression {
    const start = this.token;
    const first = this.parseSlice();
    if (!this.at(',')) {
      if (first.kind !== 'Starred') return first;
      return { kind: 'Tuple', elements: [first], line: start.line, column: start.column };
    }
    const elements = [first];
    while (this.accept(',') && !this.at(']')) elements.push(this.parseSlice());
    return { kind: 'Tuple', elements, line: start.line, column: start.column };
  }

  private parseSlice(): Expression {
    const { line, column } = this.token;
    if (this.at('*')) {
      this.advance();
      return { kind: 'Starred', value: this.parseExpression(), line, column };
    }
    if (this.atNamedExpression()) return this.parseNamedExpression();
    const lower = this.at(':') ? null : this.parseNamedExpression();
    if (lower !== null && !this.at(':')) return lower;
    this.expect(':');
    const endsPart = () => this.at(':') || this.at(',') || this.at(']');
    const upper = endsPart() ? null : this.parseExpression();
    const step = this.accept(':') && !endsPart() ? this.parseExpression() : null;
    return { kind: 'Slice', lower, upper, step, line, column };
  }

  /** Arguments with their brackets; `f(x for x in y)` only where `allowGenerator`. */
  protected parseCallArguments(allowGenerator: boolean): {
    readonly args: readonly Expression[];
    readonly keywords: readonly Keyword[];
  } {
    const open = this.expect('(');
    const args: Expression[] = [];
    const keywords: Keyword[] = [];
    let sawUnpacking = false;
    while (!this.at(')')) {
      const { kind, symbol, line, column } = this.token;
      if (symbol === '*') {
        if (sawUnpacking) this.fail('iterable argument unpacking follows keyword argument unpacking');
        this.advance();
        args.push({ kind: 'Starred', value: this.parseExpression(), line, column });
        if (this.atComprehension()) this.fail(STARRED_COMPREHENSION, { line, column });
      } else if (symbol === '**') {
        this.advance();
        keywords.push({ name: null, value: this.parseExpression(), line, column });
        sawUnpacking = true;
      } else if (kind === 'name' && this.next().symbol === '=') {
        const { name } = this.advance();
        this.advance();
        if (this.at(',') || this.at(')')) this.fail('expected argument value expression', { line, column });
        keywords.push({ name, value: this.parseExpression(), line, column });
        if (this.atComprehension()) {
          this.fail(MEANT_COMPARISON, { line, column });
        }
      } else {
        const argument = this.parsePositionalArgument(open, allowGenerator && args.length + keywords.length === 0);
        if (keywords.length > 0) {
          const before = sawUnpacking ? 'keyword argument unpacking' : 'keyword argument';
          this.fail(`positional argument follows ${before}`, argument);
        }
        args.push(argument);
      }
      if (this.accept(',')) continue;
      if (this.at(')')) break;
      this.failBehindExpression();
    }
    this.advance();
    return { args, keywords };
  }

  private parsePositionalArgument(open: Token, mayBeGenerator: boolean): Expression {
    const { symbol, line, column } = this.token;
    if (this.next().symbol === '=' && (symbol === 'True' || symbol === 'False' || symbol === 'None')) {
      this.fail(`cannot assign to ${symbol}`);
    }
    const argument = this.parseNamedExpression();
    if (this.at('=')) {
      this.fail('expression cannot contain assignment, perhaps you meant "=="?', { line, column });
    }
    if (!this.atComprehension()) return argument;
    const generators = this.parseComprehensionClauses(argument);
    if (!mayBeGenerator || !this.at(')')) {
      this.fail('Generator expression must be parenthesized', { line, column });
    }
    return { kind: 'GeneratorExp', element: argument, generators, line: open.line, column: open.column };
  }

  /** Parameters up to (not including) `closing`. */
  protected parseParameters(closing: ')' | ':', annotated: boolean): Parameters {
    let positionalOnly: Parameter[] = [];
    let positional: Parameter[] = [];
    let varArgs: Parameter | null = null;
    const keywordOnly: Parameter[] = [];
    let keywordArgs: Parameter | null = null;
    let star: Token | null = null;
    let sawSlash = false;
    let sawDefault = false;
    while (!this.at(closing)) {
      if (keywordArgs !== null) this.fail('arguments cannot follow var-keyword argument');
      if (this.at('/')) {
        if (sawSlash) this.fail('/ may appear only once');
        if (star !== null) this.fail('/ must be ahead of *');
        if (positional.length === 0) this.fail('at least one argument must precede /');
        this.advance();
        sawSlash = true;
        positionalOnly = positional;
        positional = [];
      } else if (this.at('*')) {
        if (star !== null) this.fail('* argument may appear only once');
        star = this.advance();
        if (!this.at(',') && !this.at(closing)) {
          varArgs = this.parseParameter(annotated, true);
          if (this.at('=')) this.fail('var-positional argument cannot have default value');
        }
      } else if (this.at('**')) {
        this.advance();
        keywordArgs = this.parseParameter(annotated, false);
        if (this.at('=')) this.fail('var-keyword argument cannot have default value');
      } else {
        if (this.at('(')) this.fail('Function parameters cannot be parenthesized');
        const bare = this.parseParameter(annotated, false);
        const fallback = this.accept('=') ? this.parseDefault(closing) : null;
        const parameter = { ...bare, default: fallback };
        if (star !== null) {
          keywordOnly.push(parameter);
        } else {
          if (fallback !== null) sawDefault = true;
          else if (sawDefault) this.fail('parameter without a default follows parameter with a default', bare);
          positional.push(parameter);
        }
      }
      if (!this.accept(',') && !this.at(closing)) this.fail();
    }
    if (star !== null && varArgs === null && keywordOnly.length === 0) {
      this.fail('named arguments must follow bare *', star);
    }
    return { positionalOnly, positional, varArgs, keywordOnly, keywordArgs };
  }

  private parseDefault(closing: string): Expression {
    if (this.at(closing) || this.at(',')) this.fail('expected default value expression');
    return this.parseExpression();
  }

  private parseParameter(annotated: boolean, mayUnpack: boolean): Parameter {
    const { name, line, column } = this.expectName();
    let annotation: Expression | null = null;
    if (annotated && this.accept(':')) annotation = mayUnpack ? this.parseStarExpression() : this.parseExpression();
    return { name, annotation, default: null, line, column };
  }

  /** `star_targets` before `in`: one target or a tuple without brackets. */
  protected parseTargets(): Expression {
    const start = this.token;
    const first = this.parseTarget();
    return this.at(',') ? this.parseTupleRest(start, first, () => this.parseTarget()) : first;
  }

  /** `star_target`. Stops before `in`, `as` and `=`. */
  protected parseTarget(): Expression {
    const target = this.parseTargetExpression();
    this.checkTarget(target, 'assign');
    return target;
  }

  protected parseTargetExpression(): Expression {
    return this.at('*') ? this.parseStarred() : this.parseBinary(LOWEST);
  }

  /** Refuses what cannot be assigned to or deleted, at the innermost offending expression. */
  protected checkTarget(target: Expression, use: TargetUse, suffix = ''): void {
    switch (target.kind) {
      case 'Name':
      case 'Attribute':
      case 'Subscript':
        return;
      case 'Tuple':
      case 'List':
        for (const element of target.elements) this.checkTarget(element, use);
        return;
      case 'Starred':
        if (use === 'delete') break;
        this.checkTarget(target.value, use);
        return;
      case 'Yield':
      case 'YieldFrom':
        if (use === 'assign') this.fail('assignment to yield expression not possible', target);
        break;
      default:
        break;
    }
    const verb = use === 'assign' ? 'assign to' : 'delete';
    this.fail(`cannot ${verb} ${describeExpression(target)}${suffix}`, target);
  }

  /** Adjacent string literals, which are one value. */
  protected parseStrings(): Expression {
    const { line, column } = this.token;
    const pieces: StringPiece[] = [];
    let bytesCount = 0;
    let literalCount = 0;
    let isFormatted = false;
    while (true) {
      if (this.atKind('string')) {
        if (this.parsePlainString(pieces)) bytesCount += 1;
      } else if (this.atKind('fstring-start')) {
        isFormatted = true;
        this.parseFString(pieces);
      } else {
        break;
      }
      literalCount += 1;
    }
    if (bytesCount > 0) {
      if (bytesCount < literalCount) this.fail('cannot mix bytes and nonbytes literals', { line, column });
      return { kind: 'Bytes', line, column };
    }
    if (isFormatted) return { kind: 'JoinedString', ...mergeText(pieces), line, column };
    const value = pieces.map((piece) => piece.text ?? '').join('');
    return { kind: 'String', value, line, column };
  }

  /** Returns whether the literal is a bytes literal, which adds no piece. */
  private parsePlainString(pieces: StringPiece[]): boolean {
    const { start, end, line, column } = this.token;
    const { prefix, body } = splitStringLiteral(this.input.source.slice(start, end));
    const isRaw = prefix.includes('r');
    if (prefix.includes('b')) {
      const error = bytesError(body, isRaw);
      if (error !== null) this.fail(error);
      this.advance();
      return true;
    }
    pieces.push({ text: this.decode(body, isRaw), line, column });
    this.advance();
    return false;
  }

  private decode(body: string, isRaw: boolean): string {
    if (isRaw) return body;
    const decoded = decodeText(body);
    if (decoded.error !== null) this.fail(decoded.error);
    return decoded.value;
  }

  private parseFString(pieces: StringPiece[]): void {
    const { start, end } = this.advance();
    const [, prefix, quote] = /^(\w*)(.*)$/.exec(this.input.source.slice(start, end))!;
    const isRaw = /r/i.test(prefix);
    while (!this.atKind('fstring-end')) this.parseFStringPart(pieces, isRaw, quote);
    this.advance();
  }

  private parseFStringPart(pieces: StringPiece[], isRaw: boolean, quote: string): void {
    const { kind, start, end, line, column } = this.token;
    if (kind === 'fstring-middle') {
      const text = this.decode(this.input.source.slice(start, end), isRaw);
      if (text !== '') pieces.push({ text, line, column });
      this.advance();
    } else if (this.at('{')) {
      this.enter();
      this.parseReplacementField(pieces, isRaw, quote);
      this.leave();
    } else {
      this.fail();
    }
  }

  /** `{expression}`, with `=`, `!conversion` and `:specification`, the last as a nested joined string. */
  private parseReplacementField(pieces: StringPiece[], isRaw: boolean, quote: string): void {
    const openIndex = this.index;
    const open = this.advance();
    for (const symbol of ['}', '!', ':', '=']) {
      if (this.at(symbol)) this.fail(`f-string: valid expression required before '${symbol}'`);
    }
    if (!this.atExpressionStart() && !this.at('yield')) this.fail("f-string: expecting a valid expression after '{'");
    const value = this.parseYieldOrStarExpressions();
    const text = this.input.source.slice(open.end, this.token.start);
    // Before Python 3.12 the literal was read as a whole, and then taken apart.
    const isFree = [quote, '\\', '#', ...(quote.length === 1 ? ['\n'] : [])].some((part) => text.includes(part));
    if (isFree) this.since(12, open);
    const isShown = this.accept('=');
    if (isShown) {
      pieces.push({ text: this.textSince(openIndex), line: open.line, column: open.column + 1 });
      if (!this.at('!') && !this.at(':') && !this.at('}')) this.fail("f-string: expecting '!', or ':', or '}'");
    }
    const isConverted = this.at('!') || (isShown && !this.at(':'));
    pieces.push({ text: null, value, role: isConverted ? 'converted' : 'value' });
    if (this.atExpressionStart()) this.failBehindExpression();
    if (this.at('!')) this.parseConversion();
    if (this.at(':')) {
      const { line, column } = this.advance();
      const specification: StringPiece[] = [];
      while (!this.at('}')) this.parseFStringPart(specification, isRaw, quote);
      const joined: Expression = { kind: 'JoinedString', ...mergeText(specification), line, column };
      pieces.push({ text: null, value: joined, role: 'specification' });
    }
    this.expect('}', "f-string: expecting '=', or '!', or ':', or '}'");
  }

  /** The source behind a token up to the current one, without comments. */
  private textSince(index: number): string {
    let text = '';
    for (let i = index + 1; i <= this.index; i++) {
      const { start, end } = this.tokenAt(i);
      text += this.input.source.slice(this.tokenAt(i - 1).end, start).replace(/#[^\n]*/g, '');
      if (i < this.index) text += this.input.source.slice(start, end);
    }
    return text;
  }

  private parseConversion(): void {
    const mark = this.advance();
    const { kind, name, start } = this.token;
    if (kind !== 'name') this.fail('f-string: missing conversion character');
    if (start !== mark.end) this.fail('f-string: conversion type must come right after the exclamation mark');
    if (name !== 's' && name !== 'r' && name !== 'a') {
      this.fail(`f-string: invalid conversion character '${name}': expected 's', 'r', or 'a'`);
    }
    this.advance();
  }
}

/** Whether CPython would guess that `=` behind this expression was meant to be `==`. */
export function isLikelyComparand(left: Expression): boolean {
  switch (left.kind) {
    case 'True':
    case 'False':
    case 'None':
    case 'GeneratorExp':
    case 'Compare':
    case 'Boolean':
    case 'Conditional':
    case 'Lambda':
    case 'Yield':
    case 'YieldFrom':
      return false;
    case 'Unary':
      return left.operator !== 'not';
    default:
      return true;
  }
}

/** Joins neighbouring texts, each run at the place of its first, and drops empty ones. */
function mergeText(pieces: readonly StringPiece[]): Pick<ExpressionOf<'JoinedString'>, 'values' | 'roles'> {
  const values: Expression[] = [];
  const roles: ExpressionOf<'JoinedString'>['roles'][number][] = [];
  let texts: string[] = [];
  let at: Position | null = null;
  const flush = () => {
    const value = texts.join('');
    if (at !== null && value !== '') {
      values.push({ kind: 'String', value, line: at.line, column: at.column });
      roles.push('text');
    }
    texts = [];
    at = null;
  };
  for (const piece of pieces) {
    if (piece.text === null) {
      flush();
      values.push(piece.value);
      roles.push(piece.role);
    } else {
      at ??= piece;
      texts.push(piece.text);
    }
  }
  flush();
  return { values, roles };
}
