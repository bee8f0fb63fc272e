/**
 * Python's lexical structure (reference: docs.python.org/3.12/reference/lexical_analysis.html; behaviour and messages
 * follow CPython 3.12's tokenizer). Turns a whole source into one array of tokens; knows nothing of the grammar.
 * One lexical grammar, in one file.
 *
 * Most errors here end the analysis: CPython, too, prefers a tokenizer error anywhere in the file to a grammar error
 * before it. Not so for wrong indentation, for a stray backslash (`interruption`) and for a bracket that is never
 * closed (`unclosed`): these are reported by the parser when it gets there.
 *
 * f-strings are tokenized as PEP 701 says: `fstring-start`, then text pieces (`fstring-middle`) and ordinary tokens
 * between braces, then `fstring-end`. A stack of `FString` records says where inside such literals we are.
 */
import type { Diagnostic } from './diagnostic.js';

export type TokenKind =
  | 'name'
  | 'keyword'
  | 'number'
  | 'string'
  | 'operator'
  | 'fstring-start'
  | 'fstring-middle'
  | 'fstring-end'
  | 'newline'
  | 'indent'
  | 'dedent'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The operator or keyword; '' for every other kind, so one comparison tells them apart from names. */
  readonly symbol: string;
  /** The NFKC form of a name; '' for every other kind. */
  readonly name: string;
  /** Offsets into `TokenizedSource.source`, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** 1-based. */
  readonly line: number;
  /** 1-based, UTF-16 code units. */
  readonly column: number;
}

interface OpenBracket {
  readonly symbol: string;
  readonly line: number;
  readonly column: number;
}

export interface TokenizedSource {
  /** The source with `\n` line ends, without byte order mark, ending in a line end: what token offsets refer to. */
  readonly source: string;
  /** Always ends with an `end` token. */
  readonly tokens: readonly Token[];
  /** The innermost bracket that is open at the end of the source, or null. */
  readonly unclosed: OpenBracket | null;
  /** The error at which the tokens end early, or null. */
  readonly interruption: Diagnostic | null;
}

/** Ends the analysis; never leaves `parsePython`. Not an `Error`: no stack trace is needed. */
export class SyntaxFailure {
  constructor(readonly diagnostic: Diagnostic) {}
}

/** Ends the tokens early; see `TokenizedSource.interruption`. */
class Interruption {
  constructor(readonly diagnostic: Diagnostic) {}
}

/** CPython allows 200 (MAXLEVEL). */
const MAX_BRACKET_DEPTH = 100;
/** CPython's MAXINDENT. */
const MAX_INDENTS = 100;
/** CPython allows 150 (MAXFSTRINGLEVEL); every level costs a bracket anyway. */
const MAX_FSTRING_DEPTH = 100;
/** CPython's MAX_EXPR_NESTING: replacement fields within format specifications. */
const MAX_FIELD_NESTING = 3;
const TAB_SIZE = 8;

const KEYWORDS: ReadonlyMap<string, string> = new Map(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield'
  )
    .split(' ')
    .map((word) => [word, word]),
);

/** Keywords that may follow a number without a space, as in `1if x else 2` (CPython: verify_end_of_number). */
const AFTER_NUMBER = ['and', 'else', 'for', 'if', 'in', 'is', 'or', 'not'];

/** By length, so that the longest match is tried first. The maps give one shared string per operator. */
const OPERATORS_3: ReadonlyMap<string, string> = interned('**= //= >>= <<= ...');
const OPERATORS_2: ReadonlyMap<string, string> = interned(
  '!= %= &= ** *= += -= -> // /= := << <= <> == >= >> @= ^= |=',
);
const OPERATORS_1: ReadonlyMap<string, string> = interned('% & ( ) * + , - . / : ; < = > @ [ ] ^ { | } ~ ! $ ? `');

function interned(operators: string): ReadonlyMap<string, string> {
  return new Map(operators.split(' ').map((operator) => [operator, operator]));
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

const NUL = 0x00;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const FORM_FEED = 0x0c;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const HASH = 0x23;
const SINGLE_QUOTE = 0x27;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;

/** Whether a code unit can be part of a name; units of 128 and above are checked later, as whole names. */
function isNameUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    unit === UNDERSCORE ||
    isDigit(unit) ||
    unit >= 0x80
  );
}

function isDigit(unit: number): boolean {
  return unit >= DIGIT_0 && unit <= DIGIT_9;
}

function isHexDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x61 && unit <= 0x66) || (unit >= 0x41 && unit <= 0x46);
}

/** An f-string literal that is being read. */
interface FString {
  readonly quote: number;
  readonly quoteSize: 1 | 3;
  readonly isRaw: boolean;
  readonly line: number;
  readonly column: number;
  /** Brackets of any kind opened inside the literal. */
  bracketDepth: number;
  /** `bracketDepth` before the innermost open replacement field; -1 outside fields. */
  fieldDepth: number;
  /** Whether text is expected next (also in a format specification), not expression tokens. */
  inText: boolean;
}

/** Reads the whole source. @throws {SyntaxFailure} at the first lexical error; nothing else. */
export function tokenize(code: string): TokenizedSource {
  return new Tokenizer(normalizeSource(code)).run();
}

/** Code point as in `U+20AC`. */
function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function normalizeSource(code: string): string {
  let source = code.startsWith('\ufeff') ? code.slice(1) : code;
  if (source.includes('\r')) source = source.replace(/\r\n?/g, '\n');
  return source.endsWith('\n') ? source : `${source}\n`;
}

class Tokenizer {
  private readonly tokens: Token[] = [];
  private readonly brackets: OpenBracket[] = [];
  private readonly fstrings: FString[] = [];
  /** Columns of the open blocks, counting a tab to the next multiple of 8, and (`alternative`) as one. */
  private readonly indents = [0];
  private readonly alternativeIndents = [0];
  private position = 0;
  private line = 1;
  private lineStart = 0;

  constructor(private readonly source: string) {}

  run(): TokenizedSource {
    this.refuseBadCharacters();
    const interruption = this.readTokens();
    const unclosed = this.brackets.at(-1) ?? null;
    if (interruption === null && unclosed === null) {
      for (let i = this.indents.length; i > 1; i--) this.push('dedent', this.position, this.position);
    }
    this.push('end', this.position, this.position);
    return { source: this.source, tokens: this.tokens, unclosed, interruption };
  }

  private readTokens(): Diagnostic | null {
    try {
      this.readIndentation();
      while (this.position < this.source.length) this.readNext();
      return null;
    } catch (failure) {
      if (failure instanceof Interruption) return failure.diagnostic;
      throw failure;
    }
  }

  private readNext(): void {
    const fstring = this.fstrings.at(-1);
    if (fstring?.inText) {
      this.readFStringText(fstring);
      return;
    }
    this.skipBlanksAndComment();
    if (this.position >= this.source.length) return;
    if (this.unit() !== LINE_FEED) {
      this.readToken();
      return;
    }
    const endsLine = this.brackets.length === 0;
    if (endsLine) this.push('newline', this.position, this.position + 1);
    this.position += 1;
    this.newLine();
    if (endsLine) this.readIndentation();
  }

  /** NUL bytes and halves of surrogate pairs, which CPython cannot even read. */
  private refuseBadCharacters(): void {
    const nul = this.source.indexOf('\0');
    if (nul >= 0) this.failAtOffset('source code cannot contain null bytes', nul);
    const surrogate = this.source.search(/\p{Surrogate}/u);
    if (surrogate >= 0) this.failAtOffset('source code cannot contain unpaired surrogates', surrogate);
  }

  private unit(ahead = 0): number {
    const offset = this.position + ahead;
    return offset < this.source.length ? this.source.charCodeAt(offset) : NUL;
  }

  private newLine(): void {
    this.line += 1;
    this.lineStart = this.position;
  }

  private push(kind: TokenKind, start: number, end: number, symbol = '', name = ''): void {
    this.tokens.push({ kind, symbol, name, start, end, line: this.line, column: start - this.lineStart + 1 });
  }

  private fail(message: string, offset = this.position): never {
    throw new SyntaxFailure({ kind: 'syntax', message, line: this.line, column: offset - this.lineStart + 1 });
  }

  private interrupt(message: string, offset = this.position): never {
    throw new Interruption({ kind: 'syntax', message, line: this.line, column: offset - this.lineStart + 1 });
  }

  private failAt(message: string, line: number, column: number, kind: 'syntax' | 'limit' = 'syntax'): never {
    throw new SyntaxFailure({ kind, message, line, column });
  }

  /** For errors found before lines are counted. */
  private failAtOffset(message: string, offset: number): never {
    const before = this.source.slice(0, offset);
    this.failAt(message, before.split('\n').length, offset - (before.lastIndexOf('\n') + 1) + 1);
  }

  /** Reads blank and comment lines up to the next line of code and emits its `indent` or `dedent` tokens. */
  private readIndentation(): void {
    let column = 0;
    let alternative = 0;
    let continuedColumn = 0;
    while (this.position < this.source.length) {
      const unit = this.unit();
      if (unit === BACKSLASH) {
        // The indentation that counts is that of the first physical line.
        if (continuedColumn === 0) continuedColumn = column;
        this.skipContinuation();
        continue;
      }
      if (unit === HASH) {
        this.skipComment();
        continue;
      }
      if (unit === SPACE) {
        column += 1;
        alternative += 1;
      } else if (unit === TAB) {
        column = (Math.floor(column / TAB_SIZE) + 1) * TAB_SIZE;
        alternative += 1;
      } else if (unit === FORM_FEED || unit === LINE_FEED) {
        column = 0;
        alternative = 0;
      } else {
        break;
      }
      this.position += 1;
      if (unit === LINE_FEED) {
        this.newLine();
        continuedColumn = 0;
      }
    }
    if (this.position >= this.source.length) return;
    if (continuedColumn !== 0) {
      column = continuedColumn;
      alternative = continuedColumn;
    }
    this.applyIndentation(column, alternative);
  }

  private applyIndentation(column: number, alternative: number): void {
    const inconsistent = 'inconsistent use of tabs and spaces in indentation';
    const current = this.indents.at(-1) ?? 0;
    const currentAlternative = this.alternativeIndents.at(-1) ?? 0;
    if (column === current) {
      if (alternative !== currentAlternative) this.interrupt(inconsistent);
      return;
    }
    if (column > current) {
      if (alternative <= currentAlternative) this.interrupt(inconsistent);
      if (this.indents.length >= MAX_INDENTS) this.interrupt('too many levels of indentation');
      this.indents.push(column);
      this.alternativeIndents.push(alternative);
      this.push('indent', this.position, this.position);
      return;
    }
    while (column < (this.indents.at(-1) ?? 0)) {
      this.indents.pop();
      this.alternativeIndents.pop();
      this.push('dedent', this.position, this.position);
    }
    if (column !== this.indents.at(-1)) this.interrupt('unindent does not match any outer indentation level');
    if (alternative !== this.alternativeIndents.at(-1)) this.interrupt(inconsistent);
  }

  private skipComment(): void {
    const end = this.source.indexOf('\n', this.position);
    this.position = end < 0 ? this.source.length : end;
  }

  private skipBlanksAndComment(): void {
    while (true) {
      const unit = this.unit();
      if (unit === SPACE || unit === TAB || unit === FORM_FEED) this.position += 1;
      else if (unit === HASH) this.skipComment();
      else if (unit === BACKSLASH) this.skipContinuation();
      else return;
    }
  }

  /** Skips a backslash and the line end that must follow it. */
  private skipContinuation(): void {
    if (this.unit(1) !== LINE_FEED)
      this.interrupt('unexpected character after line continuation character', this.position + 1);
    if (this.position + 2 >= this.source.length) this.interrupt('unexpected EOF while parsing');
    this.position += 2;
    this.newLine();
  }

  private readToken(): void {
    const start = this.position;
    const unit = this.unit();
    if (isDigit(unit) || (unit === DOT && isDigit(this.unit(1)))) this.readNumber();
    else if (unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE) this.readString(start);
    else if (isNameUnit(unit)) this.readNameOrPrefixedString();
    else this.readOperator();
  }

  private readNameOrPrefixedString(): void {
    const { source } = this;
    const start = this.position;
    let position = start;
    let isAscii = true;
    while (position < source.length) {
      const unit = source.charCodeAt(position);
      if (!isNameUnit(unit)) {
        const isQuote = unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE;
        if (
          isQuote &&
          position - start <= 2 &&
          /^(?:[bB][rR]?|[rR][bB]?|[uU]|[fF][rR]?|[rR][fF])$/.test(source.slice(start, position))
        ) {
          this.position = position;
          if (/[fF]/.test(source.slice(start, position))) this.readFStringStart(start);
          else this.readString(start);
          return;
        }
        break;
      }
      if (unit >= 0x80) isAscii = false;
      position += 1;
    }
    this.position = position;
    const text = source.slice(start, position);
    if (isAscii) {
      const keyword = KEYWORDS.get(text);
      if (keyword === undefined) this.push('name', start, position, '', text);
      else this.push('keyword', start, position, keyword);
      return;
    }
    this.checkName(text, start);
    this.push('name', start, position, '', text.normalize('NFKC'));
  }

  private checkName(text: string, start: number): void {
    if (/^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(text)) return;
    let offset = 0;
    for (const character of text) {
      const allowed = offset === 0 ? /^[\p{XID_Start}_]$/u : /^\p{XID_Continue}$/u;
      if (!allowed.test(character)) this.failCharacter(character, start + offset);
      offset += character.length;
    }
  }

  private failCharacter(character: string, offset: number): never {
    if (/[\p{C}\p{Z}]/u.test(character)) {
      this.fail(`invalid non-printable character ${codePointName(character)}`, offset);
    }
    this.fail(`invalid character '${character}' (${codePointName(character)})`, offset);
  }

  private readNumber(): void {
    const start = this.position;
    const radix = this.unit(1) | 0x20;
    if (this.unit() === DIGIT_0 && (radix === 0x78 || radix === 0x6f || radix === 0x62)) {
      this.position += 2;
      if (radix === 0x78) this.readRadixDigits('hexadecimal', isHexDigit);
      else if (radix === 0x6f) this.readRadixDigits('octal', (unit) => unit >= DIGIT_0 && unit <= 0x37);
      else this.readRadixDigits('binary', (unit) => unit === DIGIT_0 || unit === 0x31);
    } else {
      this.readDecimal(start);
    }
    this.push('number', start, this.position);
  }

  private readRadixDigits(name: string, isRadixDigit: (unit: number) => boolean): void {
    const refuseDigit = () => {
      if (isDigit(this.unit())) this.fail(`invalid digit '${String.fromCharCode(this.unit())}' in ${name} literal`);
    };
    do {
      if (this.unit() === UNDERSCORE) this.position += 1;
      if (!isRadixDigit(this.unit())) {
        refuseDigit();
        this.fail(`invalid ${name} literal`, this.position - 1);
      }
      while (isRadixDigit(this.unit())) this.position += 1;
    } while (this.unit() === UNDERSCORE);
    refuseDigit();
    this.checkEndOfNumber(name);
  }

  private readDecimal(start: number): void {
    let isInteger = true;
    if (this.unit() !== DOT) this.readDigits();
    if (this.unit() === DOT) {
      isInteger = false;
      this.position += 1;
      if (isDigit(this.unit())) this.readDigits();
    }
    if ((this.unit() | 0x20) === 0x65) {
      const sign = this.unit(1) === 0x2b || this.unit(1) === 0x2d ? 1 : 0;
      if (isDigit(this.unit(1 + sign))) {
        isInteger = false;
        this.position += 1 + sign;
        this.readDigits();
      } else if (sign === 1) {
        this.fail('invalid decimal literal', this.position + 1);
      }
    }
    if ((this.unit() | 0x20) === 0x6a) {
      this.position += 1;
      this.checkEndOfNumber('imaginary');
      return;
    }
    if (isInteger && this.source.charCodeAt(start) === DIGIT_0) {
      const text = this.source.slice(start, this.position);
      if (/[1-9]/.test(text)) {
        const message =
          'leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers';
        this.fail(message, start);
      }
    }
    this.checkEndOfNumber('decimal');
  }

  private readDigits(): void {
    while (true) {
      while (isDigit(this.unit())) this.position += 1;
      if (this.unit() !== UNDERSCORE) return;
      this.position += 1;
      if (!isDigit(this.unit())) this.fail('invalid decimal literal', this.position - 1);
    }
  }

  private checkEndOfNumber(name: string): void {
    const unit = this.unit();
    if (unit >= 0x80 || !isNameUnit(unit)) return;
    if (AFTER_NUMBER.some((word) => this.source.startsWith(word, this.position))) return;
    this.fail(`invalid ${name} literal`, this.position - 1);
  }

  /** Reads a string whose prefix (if any) begins at `start`; the position is that of the quote. */
  private readString(start: number): void {
    const { source } = this;
    const quote = this.unit();
    const startLine = this.line;
    const startColumn = start - this.lineStart + 1;
    const isTriple = this.unit(1) === quote && this.unit(2) === quote;
    let position = this.position + (isTriple ? 3 : 1);
    while (true) {
      if (position >= source.length) this.failUnterminatedString(quote, isTriple, startLine, startColumn);
      const unit = source.charCodeAt(position);
      if (unit === quote) {
        if (!isTriple) break;
        if (source.charCodeAt(position + 1) === quote && source.charCodeAt(position + 2) === quote) break;
        position += 1;
      } else if (unit === LINE_FEED) {
        if (!isTriple) this.failUnterminatedString(quote, isTriple, startLine, startColumn);
        position += 1;
        this.position = position;
        this.newLine();
      } else if (unit === BACKSLASH) {
        position += 1;
        if (source.charCodeAt(position) === LINE_FEED) {
          this.position = position + 1;
          this.newLine();
        }
        position += 1;
      } else {
        position += 1;
      }
    }
    this.position = position + (isTriple ? 3 : 1);
    this.tokens.push({
      kind: 'string',
      symbol: '',
      name: '',
      start,
      end: this.position,
      line: startLine,
      column: startColumn,
    });
  }

  private failUnterminatedString(quote: number, isTriple: boolean, line: number, column: number): never {
    const fstring = this.fstrings.at(-1);
    // The quote was meant to end the f-string around it.
    if (fstring?.quote === quote && fstring.quoteSize === (isTriple ? 3 : 1)) {
      this.failAt("f-string: expecting '}'", line, column);
    }
    this.failUnterminated('string', isTriple, line, column);
  }

  private failUnterminated(what: string, isTriple: boolean, line: number, column: number): never {
    // The appended line end is not a line of its own.
    const lastLine = isTriple && this.line > line && this.lineStart >= this.source.length ? this.line - 1 : this.line;
    const kind = isTriple ? `unterminated triple-quoted ${what} literal` : `unterminated ${what} literal`;
    this.failAt(`${kind} (detected at line ${lastLine})`, line, column);
  }

  private readFStringStart(start: number): void {
    const quote = this.unit();
    const quoteSize = this.unit(1) === quote && this.unit(2) === quote ? 3 : 1;
    const column = start - this.lineStart + 1;
    if (this.fstrings.length >= MAX_FSTRING_DEPTH) {
      this.failAt(`f-strings are nested more than ${MAX_FSTRING_DEPTH} deep`, this.line, column, 'limit');
    }
    this.position += quoteSize;
    this.push('fstring-start', start, this.position);
    this.fstrings.push({
      quote,
      quoteSize,
      isRaw: /[rR]/.test(this.source.slice(start, this.position)),
      line: this.line,
      column,
      bracketDepth: 0,
      fieldDepth: -1,
      inText: true,
    });
  }

  /** Reads text up to a brace or the closing quote. The position afterwards is that of the brace, or past the quote. */
  private readFStringText(fstring: FString): void {
    const { source } = this;
    const inFormatSpec = fstring.fieldDepth >= 0;
    const start = this.position;
    const startLine = this.line;
    const startColumn = start - this.lineStart + 1;
    let inCharacterName = false;
    const pushText = (end: number) => {
      if (end === start) return;
      this.tokens.push({
        kind: 'fstring-middle',
        symbol: '',
        name: '',
        start,
        end,
        line: startLine,
        column: startColumn,
      });
    };
    while (true) {
      if (this.position >= source.length) {
        this.failUnterminated('f-string', fstring.quoteSize === 3, fstring.line, fstring.column);
      }
      const unit = this.unit();
      if (unit === LINE_FEED) {
        if (fstring.quoteSize === 1) {
          if (!inFormatSpec) this.failUnterminated('f-string', false, fstring.line, fstring.column);
          // The specification ends here; only the closing brace may follow on the next lines.
          pushText(this.position);
          fstring.inText = false;
          return;
        }
        this.position += 1;
        this.newLine();
      } else if (unit === fstring.quote && this.atClosingQuote(fstring)) {
        pushText(this.position);
        if (fstring.bracketDepth > 0) this.fail("f-string: expecting '}', or format specs");
        this.push('fstring-end', this.position, this.position + fstring.quoteSize);
        this.position += fstring.quoteSize;
        this.fstrings.pop();
        return;
      } else if (unit === LEFT_BRACE) {
        if (this.unit(1) === LEFT_BRACE && !inFormatSpec) {
          // `{{` is one brace: the piece of text ends with the first.
          pushText(this.position + 1);
          this.position += 2;
          return;
        }
        pushText(this.position);
        if (fstring.fieldDepth + 1 >= MAX_FIELD_NESTING) this.fail('f-string: expressions nested too deeply');
        fstring.inText = false;
        fstring.fieldDepth += 1;
        return;
      } else if (unit === RIGHT_BRACE) {
        if (inCharacterName) {
          this.position += 1;
          inCharacterName = false;
        } else if (this.unit(1) === RIGHT_BRACE && !inFormatSpec) {
          pushText(this.position + 1);
          this.position += 2;
          return;
        } else {
          pushText(this.position);
          if (!inFormatSpec) this.fail("f-string: single '}' is not allowed");
          fstring.inText = false;
          return;
        }
      } else if (unit === BACKSLASH) {
        const next = this.unit(1);
        this.position += 1;
        if (next === LEFT_BRACE || next === RIGHT_BRACE) continue;
        this.position += 1;
        if (next === LINE_FEED) this.newLine();
        if (!fstring.isRaw && next === 0x4e && this.unit() === LEFT_BRACE) {
          inCharacterName = true;
          this.position += 1;
        }
      } else {
        this.position += 1;
      }
    }
  }

  private atClosingQuote(fstring: FString): boolean {
    return fstring.quoteSize === 1 || (this.unit(1) === fstring.quote && this.unit(2) === fstring.quote);
  }

  private readOperator(): void {
    const { source, position } = this;
    const fstring = this.fstrings.at(-1);
    const first = OPERATORS_1.get(source.charAt(position));
    if (first === undefined) this.failCharacter(String.fromCodePoint(source.codePointAt(position) ?? 0), position);
    if (first === ':' && fstring !== undefined && fstring.bracketDepth - 1 === fstring.fieldDepth) {
      this.position += 1;
      this.push('operator', position, this.position, first);
      fstring.inText = true;
      return;
    }
    const operator =
      OPERATORS_3.get(source.slice(position, position + 3)) ??
      OPERATORS_2.get(source.slice(position, position + 2)) ??
      first;
    if (first === '(' || first === '[' || first === '{') this.openBracket(first, fstring);
    else if (first === ')' || first === ']' || first === '}') this.closeBracket(first, fstring);
    this.position += operator.length;
    this.push('operator', position, this.position, operator);
  }

  private openBracket(symbol: string, fstring: FString | undefined): void {
    const column = this.position - this.lineStart + 1;
    if (this.brackets.length >= MAX_BRACKET_DEPTH) {
      this.failAt(`brackets are nested more than ${MAX_BRACKET_DEPTH} deep`, this.line, column, 'limit');
    }
    this.brackets.push({ symbol, line: this.line, column });
    if (fstring !== undefined) fstring.bracketDepth += 1;
  }

  private closeBracket(symbol: string, fstring: FString | undefined): void {
    const open = this.brackets.pop();
    if (open === undefined) this.fail(`unmatched '${symbol}'`);
    if (CLOSING[open.symbol] !== symbol) {
      if (fstring !== undefined && open.symbol === '{' && fstring.bracketDepth - 1 === fstring.fieldDepth) {
        this.fail(`f-string: unmatched '${symbol}'`);
      }
      const place = open.line === this.line ? '' : ` on line ${open.line}`;
      this.fail(`closing parenthesis '${symbol}' does not match opening parenthesis '${open.symbol}'${place}`);
    }
    if (fstring === undefined) return;
    fstring.bracketDepth -= 1;
    if (symbol === '}' && fstring.bracketDepth === fstring.fieldDepth) {
      fstring.fieldDepth -= 1;
      fstring.inText = true;
    }
  }
}
