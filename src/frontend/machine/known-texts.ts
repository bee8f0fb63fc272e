/**
 * Makes and reads text that is known at compile time: the one place that does. It counts before it builds, and no text
 * grows beyond a limit, so that whatever is done with a text afterwards is little work, too. The engine ends the
 * process where an array or a text is too large for it, and there is nothing to catch.
 */
import type { Position } from '../syntax/ast.js';
import { string, type StringValue } from '../values/values.js';
import type { Core } from './core.js';
import { COPIES_PER_STEP, MAX_TEXT, tooLarge } from './work.js';

export class KnownTexts {
  constructor(private readonly ev: Core) {}

  /** Text of at most `length` characters, which `build` makes once they are counted. */
  make(length: number, build: () => string, position: Position): StringValue {
    this.count(length, position);
    return string(build());
  }

  /** Counts that so many characters are made or looked at. */
  count(length: number, position: Position): void {
    // Not only many in all: also where the width of a field is no number that could be added.
    if (!(length <= MAX_TEXT)) throw tooLarge(position);
    this.ev.work.step(position, length / COPIES_PER_STEP);
  }

  /** Counts a search for `part`, which takes the product of the lengths where much of both is alike. */
  countSearch(text: string, part: string, position: Position): void {
    this.ev.work.step(position, (text.length * Math.max(1, part.length)) / COPIES_PER_STEP);
  }

  /** Pieces one after another, `separator` between them. */
  joined(pieces: readonly string[], separator: string, position: Position): StringValue {
    const between = separator.length * Math.max(0, pieces.length - 1);
    const length = pieces.reduce((sum, piece) => sum + piece.length, between);
    return this.make(length, () => pieces.join(separator), position);
  }

  repeated(text: string, times: number, position: Position): StringValue {
    return this.make(text.length * times, () => (text === '' ? '' : text.repeat(times)), position);
  }

  /** With blanks, or zeros after the sign, before it. */
  padded(sign: string, digits: string, width: number, filler: ' ' | '0', position: Position): StringValue {
    const length = Math.max(width, sign.length + digits.length);
    return this.make(
      length,
      () => (filler === '0' ? sign + digits.padStart(width - sign.length, '0') : (sign + digits).padStart(width)),
      position,
    );
  }

  replaced(text: string, from: string, to: string, position: Position): StringValue {
    const parts = this.split(text, from, position);
    return this.joined(parts, to, position);
  }

  split(text: string, separator: string, position: Position): string[] {
    this.countSearch(text, separator, position);
    return text.split(separator);
  }

  /** Its code points. */
  characters(text: string, position: Position): string[] {
    this.count(text.length, position);
    return Array.from(text);
  }

  /** How many code points it has. */
  length(text: string, position: Position): number {
    this.count(text.length, position);
    let length = 0;
    for (let k = 0; k < text.length; k += text.codePointAt(k)! > 0xffff ? 2 : 1) length++;
    return length;
  }

  /** The characters from `start` to `end`, of the engine's. */
  part(text: string, start: number, end: number, position: Position): StringValue {
    return this.make(Math.max(0, end - start), () => text.slice(start, end), position);
  }

  isEqual(a: string, b: string, position: Position): boolean {
    if (a.length === b.length) this.count(a.length, position);
    return a === b;
  }

  /** Negative where `a` comes before `b` by its code points. */
  compare(a: string, b: string, position: Position): number {
    const length = Math.min(a.length, b.length);
    this.count(length, position);
    for (let k = 0; k < length;) {
      const p = a.codePointAt(k)!;
      const difference = p - b.codePointAt(k)!;
      if (difference !== 0) return difference;
      k += p > 0xffff ? 2 : 1;
    }
    return a.length - b.length;
  }
}
