/** Patterns of the `match` statement. */
import type { Expression, Pattern } from './ast.js';
import { ExpressionParser } from './expression-parser.js';
import type { Token } from './tokenizer.js';

const REFUSED_VALUE = 'patterns may only match literals and attribute lookups';

export abstract class PatternParser extends ExpressionParser {
  /** `patterns`: what stands between `case` and the guard or colon. */
  protected parsePatterns(): Pattern {
    const start = this.token;
    const first = this.parseMaybeStarPattern();
    if (!this.at(',')) {
      if (first.kind === 'MatchStar') this.fail();
      return first;
    }
    const patterns = [first];
    while (this.accept(',') && !this.at(':') && !this.at('if')) patterns.push(this.parseMaybeStarPattern());
    return { kind: 'MatchSequence', patterns, line: start.line, column: start.column };
  }

  private parseMaybeStarPattern(): Pattern {
    if (!this.at('*')) return this.parsePattern();
    const { line, column } = this.advance();
    const { name } = this.expectName();
    return { kind: 'MatchStar', name: name === '_' ? null : name, line, column };
  }

  private parsePattern(): Pattern {
    this.enter();
    const { line, column } = this.token;
    const pattern = this.parseOrPattern();
    this.leave();
    if (!this.accept('as')) return pattern;
    if (!this.atKind('name')) this.fail('invalid pattern target');
    if (this.atSoftKeyword('_')) this.fail("cannot use '_' as a target");
    const { name } = this.advance();
    if (this.at('.') || this.at('(') || this.at('=')) this.fail('invalid pattern target');
    return { kind: 'MatchAs', pattern, name, line, column };
  }

  private parseOrPattern(): Pattern {
    const { line, column } = this.token;
    const first = this.parseClosedPattern();
    if (!this.at('|')) return first;
    const patterns = [first];
    while (this.accept('|')) patterns.push(this.parseClosedPattern());
    return { kind: 'MatchOr', patterns, line, column };
  }

  private parseClosedPattern(): Pattern {
    const { kind, symbol, line, column } = this.token;
    if (kind === 'name') return this.parseNamePattern();
    switch (symbol) {
      case 'None':
      case 'True':
      case 'False':
        this.advance();
        return { kind: 'MatchSingleton', value: symbol === 'None' ? null : symbol === 'True', line, column };
      case '(':
        return this.parseGroupPattern();
      case '[': {
        this.advance();
        const patterns = this.parseSequenceItems(']');
        return { kind: 'MatchSequence', patterns, line, column };
      }
      case '{':
        return this.parseMappingPattern();
      default:
        return { kind: 'MatchValue', value: this.parseLiteralPattern(), line, column };
    }
  }

  /** Numbers (also negative and complex) and strings. */
  private parseLiteralPattern(): Expression {
    const { kind, line, column } = this.token;
    if (kind === 'string' || kind === 'fstring-start') {
      const value = this.parseStrings();
      if (value.kind === 'JoinedString') this.fail(REFUSED_VALUE, { line, column });
      return value;
    }
    const left = this.parseSignedNumber();
    const operator = this.token.symbol;
    if (operator !== '+' && operator !== '-') return left;
    const real = left.kind === 'Unary' ? left.operand : left;
    if (real.kind === 'Imaginary') this.fail('real number required in complex literal', left);
    this.advance();
    if (!this.atKind('number')) this.fail();
    const right = this.parseNumberLiteral();
    if (right.kind !== 'Imaginary') this.fail('imaginary number required in complex literal', right);
    return { kind: 'Binary', operator, left, right, line, column };
  }

  private parseSignedNumber(): Expression {
    const { line, column } = this.token;
    const isNegative = this.accept('-');
    if (!this.atKind('number')) this.fail();
    const operand = this.parseNumberLiteral();
    return isNegative ? { kind: 'Unary', operator: '-', operand, line, column } : operand;
  }

  /** A capture, the wildcard, a dotted value or a class pattern. */
  private parseNamePattern(): Pattern {
    const { line, column } = this.token;
    const isWildcard = this.atSoftKeyword('_');
    const value = this.parseDottedName();
    if (this.at('(')) return this.parseClassPattern(value);
    if (value.kind === 'Attribute') return { kind: 'MatchValue', value, line, column };
    if (value.kind !== 'Name' || this.at('=')) this.fail();
    return { kind: 'MatchAs', pattern: null, name: isWildcard ? null : value.name, line, column };
  }

  private parseDottedName(): Expression {
    const { name, line, column } = this.expectName();
    let value: Expression = { kind: 'Name', name, line, column };
    while (this.accept('.')) {
      value = { kind: 'Attribute', value, name: this.expectName().name, line, column };
      this.chainLinks += 1;
    }
    return value;
  }

  private parseGroupPattern(): Pattern {
    const { line, column } = this.advance();
    if (this.accept(')')) return { kind: 'MatchSequence', patterns: [], line, column };
    const first = this.parseMaybeStarPattern();
    if (first.kind !== 'MatchStar' && this.accept(')')) return first;
    this.expect(',');
    return { kind: 'MatchSequence', patterns: [first, ...this.parseSequenceItems(')')], line, column };
  }

  private parseSequenceItems(closing: string): Pattern[] {
    const patterns: Pattern[] = [];
    while (!this.at(closing)) {
      patterns.push(this.parseMaybeStarPattern());
      if (!this.accept(',')) break;
    }
    this.expect(closing);
    return patterns;
  }

  private parseMappingPattern(): Pattern {
    const { line, column } = this.advance();
    const keys: Expression[] = [];
    const patterns: Pattern[] = [];
    let rest: string | null = null;
    while (!this.at('}')) {
      if (rest !== null) this.fail();
      if (this.accept('**')) {
        if (this.atSoftKeyword('_')) this.fail();
        rest = this.expectName().name;
      } else {
        keys.push(this.parseMappingKey());
        this.expect(':');
        patterns.push(this.parsePattern());
      }
      if (!this.accept(',')) break;
    }
    this.expect('}');
    return { kind: 'MatchMapping', keys, patterns, rest, line, column };
  }

  private parseMappingKey(): Expression {
    const { kind, symbol, line, column } = this.token;
    if (kind === 'name') {
      const key = this.parseDottedName();
      if (key.kind !== 'Attribute') this.fail();
      return key;
    }
    if (symbol === 'None' || symbol === 'True' || symbol === 'False') {
      this.advance();
      return { kind: symbol, line, column };
    }
    if (kind === 'fstring-start') this.fail('mapping pattern keys may only match literals and attribute lookups');
    return this.parseLiteralPattern();
  }

  private parseClassPattern(type: Expression): Pattern {
    this.expect('(');
    const patterns: Pattern[] = [];
    const keywordNames: string[] = [];
    const keywordPatterns: Pattern[] = [];
    while (!this.at(')')) {
      const start: Token = this.token;
      if (start.kind === 'name' && this.next().symbol === '=') {
        keywordNames.push(this.advance().name);
        this.advance();
        keywordPatterns.push(this.parsePattern());
      } else {
        patterns.push(this.parsePattern());
        if (keywordNames.length > 0) this.fail('positional patterns follow keyword patterns', start);
      }
      if (!this.accept(',')) break;
    }
    this.expect(')');
    const { line, column } = type;
    return { kind: 'MatchClass', type, patterns, keywordNames, keywordPatterns, line, column };
  }
}
