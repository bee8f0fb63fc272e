/** Base of the expression, pattern and statement parsers: one token ahead, failing, and the nesting limit. */
import type { NewSyntax, Position } from './ast.js';
import { SyntaxFailure, type Token, type TokenizedSource, type TokenKind } from './tokenizer.js';

/**
 * Levels of recursion the parser allows itself: brackets, unary operators, right operands of `**`, `lambda` and `else`.
 * Every level costs about a dozen stack frames, so this also keeps within the 984 KiB stack of a Node thread.
 */
export const MAX_NESTING = 200;

const EXPRESSION_STARTS: ReadonlySet<string> = new Set('( [ { - + ~ * ... not lambda await None True False'.split(' '));

export abstract class TokenCursor {
  protected token: Token;
  protected index = 0;
  private nesting = 0;
  protected deepestNesting = 0;

  /** The syntax that needs the newest Python. */
  protected newest: NewSyntax | null = null;

  constructor(protected readonly input: TokenizedSource) {
    this.token = this.tokenAt(0);
  }

  /** Says that Python 3.`pythonMinor` brought what stands there. */
  protected since(pythonMinor: number, { line, column }: Position): void {
    if (pythonMinor > (this.newest?.pythonMinor ?? 9)) this.newest = { pythonMinor, line, column };
  }

  /** The token at an index; the `end` token for every index behind it. */
  protected tokenAt(index: number): Token {
    const { tokens } = this.input;
    const token = tokens[Math.min(index, tokens.length - 1)];
    if (token === undefined) throw new Error('the tokenizer did not end the source with an end token');
    return token;
  }

  protected next(): Token {
    return this.tokenAt(this.index + 1);
  }

  protected advance(): Token {
    const { token } = this;
    this.index += 1;
    this.token = this.tokenAt(this.index);
    return token;
  }

  protected at(symbol: string): boolean {
    return this.token.symbol === symbol;
  }

  protected atKind(kind: TokenKind): boolean {
    return this.token.kind === kind;
  }

  protected accept(symbol: string): boolean {
    if (this.token.symbol !== symbol) return false;
    this.advance();
    return true;
  }

  protected expect(symbol: string, message = 'invalid syntax'): Token {
    if (this.token.symbol !== symbol) this.fail(message);
    return this.advance();
  }

  protected expectName(): Token {
    if (!this.atKind('name')) this.fail();
    return this.advance();
  }

  /** Whether the token is a name with exactly this spelling: soft keywords are names elsewhere. */
  protected atSoftKeyword(word: string): boolean {
    return this.token.name === word && this.token.end - this.token.start === word.length;
  }

  /** Whether an expression (or `*expression`) can begin here. */
  protected atExpressionStart(): boolean {
    const { kind, symbol } = this.token;
    if (symbol !== '') return EXPRESSION_STARTS.has(symbol);
    return kind === 'name' || kind === 'number' || kind === 'string' || kind === 'fstring-start';
  }

  /** Ends the analysis with a syntax error, by default at the current token. */
  protected fail(message = 'invalid syntax', at: Position = this.token): never {
    const { unclosed, interruption } = this.input;
    if (interruption !== null && this.atKind('end')) throw new SyntaxFailure(interruption);
    // As CPython does: a bracket left open on an earlier line is the likelier cause.
    if (unclosed !== null && (this.atKind('end') || this.token.line > unclosed.line)) {
      const { symbol, line, column } = unclosed;
      throw new SyntaxFailure({ kind: 'syntax', message: `'${symbol}' was never closed`, line, column });
    }
    let words = message;
    if (message === 'invalid syntax' && this.atKind('indent')) words = 'unexpected indent';
    throw new SyntaxFailure({ kind: 'syntax', message: words, line: at.line, column: at.column });
  }

  protected failLimit(message: string, at: Position = this.token): never {
    throw new SyntaxFailure({ kind: 'limit', message, line: at.line, column: at.column });
  }

  /** Call before parsing something nested; pair with `leave`. */
  protected enter(): void {
    this.nesting += 1;
    if (this.nesting > this.deepestNesting) this.deepestNesting = this.nesting;
    if (this.nesting > MAX_NESTING) this.failLimit(`the expression is nested more than ${MAX_NESTING} deep`);
  }

  protected leave(): void {
    this.nesting -= 1;
  }

  /**
   * Parses with `first` or, where that meets a syntax error, with `second` from the same place. Where both fail, the
   * failure that came further is reported.
   */
  protected either<T>(first: () => T, second: () => T): T {
    const { index, nesting } = this;
    try {
      return first();
    } catch (failure) {
      if (!(failure instanceof SyntaxFailure) || failure.diagnostic.kind === 'limit') throw failure;
      this.index = index;
      this.token = this.tokenAt(index);
      this.nesting = nesting;
      try {
        return second();
      } catch (secondFailure) {
        if (!(secondFailure instanceof SyntaxFailure) || secondFailure.diagnostic.kind === 'limit') throw secondFailure;
        throw isBehind(failure.diagnostic, secondFailure.diagnostic) ? failure : secondFailure;
      }
    }
  }
}

function isBehind(a: Position, b: Position): boolean {
  return a.line > b.line || (a.line === b.line && a.column > b.column);
}
