/**
 * Says where a text ceases to be JSON, and what is wrong there: what `JSON.parse` says differs by version and length.
 */

interface JsonFault {
  /** From 1; columns in UTF-16 units. */
  readonly line: number;
  readonly column: number;
  readonly what: string;
}

const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** What somebody may have meant as one value. */
const BARE = /[^\s,:[\]{}"]{1,20}/y;

class Fault extends Error {
  constructor(
    readonly at: number,
    readonly what: string,
  ) {
    super(what);
  }
}

/** Null: it is JSON. */
export function jsonFault(text: string): JsonFault | null {
  try {
    new Scanner(text).scan();
    return null;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const before = text.slice(0, fault.at);
    const lastBreak = before.lastIndexOf('\n');
    return { line: before.split('\n').length, column: fault.at - lastBreak, what: fault.what };
  }
}

class Scanner {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Without recursion: a body may have hundreds of thousands of brackets. */
  scan(): void {
    const open: ('[' | '{')[] = [];
    this.blank();
    for (;;) {
      const opened = this.value();
      if (opened !== null) {
        open.push(opened);
        if (this.entered(opened)) continue;
        open.pop();
      }
      // A value has ended, and whatever it ends with it.
      while (open.length > 0 && !this.goesOn(open[open.length - 1])) open.pop();
      if (open.length === 0) break;
    }
    if (this.at < this.text.length) this.fail(`${this.found()} follows the end of the value`);
  }

  /** Reads a value, or the bracket that begins one. */
  private value(): '[' | '{' | null {
    const first = this.text[this.at];
    if (first === '[' || first === '{') {
      this.at++;
      this.blank();
      return first;
    }
    if (first === '"') this.string();
    else if (this.take(NUMBER) === '' && this.take(WORD) === '') this.fail(`a value is expected, not ${this.found()}`);
    const rest = this.peek(BARE);
    if (first !== '"' && rest !== '') this.fail(`a value goes on with \`${rest}\``);
    this.blank();
    return null;
  }

  /** After an opening bracket: false where it is closed at once. */
  private entered(bracket: '[' | '{'): boolean {
    const closing = bracket === '[' ? ']' : '}';
    if (this.text[this.at] === closing) {
      this.at++;
      this.blank();
      return false;
    }
    if (bracket === '{') this.name(`a name in double quotes or \`}\` is expected`);
    return true;
  }

  /** After a value: whether another one follows within the bracket. */
  private goesOn(bracket: '[' | '{'): boolean {
    const closing = bracket === '[' ? ']' : '}';
    const next = this.text[this.at];
    if (next !== ',' && next !== closing) this.fail(`\`,\` or \`${closing}\` is expected, not ${this.found()}`);
    const comma = this.at++;
    this.blank();
    if (next === closing) return false;
    if (this.text[this.at] === closing) {
      this.at = comma;
      this.fail(`no \`,\` may stand before \`${closing}\``);
    }
    if (bracket === '{') this.name('a name in double quotes is expected');
    return true;
  }

  private name(expected: string): void {
    if (this.text[this.at] !== '"') this.fail(`${expected}, not ${this.found()}`);
    this.string();
    this.blank();
    if (this.text[this.at] !== ':') this.fail(`\`:\` is expected after a name, not ${this.found()}`);
    this.at++;
    this.blank();
  }

  private string(): void {
    const begin = this.at++;
    for (;;) {
      this.take(PLAIN);
      const next = this.text[this.at];
      if (next === '"') break;
      if (next === undefined) {
        this.at = begin;
        this.fail('a text has no closing `"`');
      }
      if (next !== '\\') this.fail(`a text has ${this.found()}, which must be written as an escape`);
      if (this.take(ESCAPE) === '') this.fail('a text has a `\\` that begins no escape');
    }
    this.at++;
  }

  private blank(): void {
    this.take(BLANK);
  }

  private peek(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0] ?? '';
  }

  private take(pattern: RegExp): string {
    const taken = this.peek(pattern);
    this.at += taken.length;
    return taken;
  }

  /** What stands there, in words. */
  private found(): string {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) return 'the end';
    const bare = this.peek(BARE);
    if (bare !== '' && /^[\x21-\x7e]+$/.test(bare) && !bare.includes('`')) return `\`${bare}\``;
    const character = String.fromCodePoint(code);
    return /^[\x21-\x5f\x61-\x7e]$/.test(character)
      ? `\`${character}\``
      : `the character U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }

  private fail(what: string): never {
    throw new Fault(this.at, what);
  }
}
