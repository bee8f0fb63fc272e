/** One message, read: its quantities, and its words with the phrases that slots look for. */
import { scan } from './quantities/scan.js';
import { type Quantity } from './quantities/quantity.js';
import { normalised, stem, stemsOf, type Stems } from './text.js';

export type Token =
  | {
      readonly kind: 'word';
      readonly start: number;
      readonly end: number;
      readonly text: string;
      readonly stem: string;
      readonly isMended: boolean;
    }
  | {
      readonly kind: 'quantity';
      readonly start: number;
      readonly end: number;
      readonly index: number;
      readonly stem: string;
    }
  /** End of a sentence, or a comma. */
  | { readonly kind: 'stop' | 'comma'; readonly start: number; readonly end: number };

export interface Message {
  /** As the user wrote it. */
  readonly text: string;
  /** In lower case, of equal length. */
  readonly plain: string;
  readonly quantities: readonly Quantity[];
  /** Said not to be meant: "not 20". */
  readonly denied: readonly Quantity[];
  readonly tokens: readonly Token[];
  /** Place of each quantity among the tokens. */
  readonly places: readonly number[];
}

export function readMessage(text: string, stems: Stems): Message {
  const plain = normalised(text);
  const { quantities, denied } = scan(plain);
  const tokens: Token[] = [];
  const places: number[] = [];
  let next = 0;
  const piece = /([a-z\u03bc][a-z0-9_\u03bc']*)|([.!?;\n])|([,()[\]|])/g;
  let from = 0;
  const add = (to: number): void => {
    const part = plain.slice(from, to);
    for (const found of part.matchAll(piece)) {
      const start = from + found.index;
      const end = start + found[0].length;
      if (found[1] !== undefined)
        tokens.push({
          kind: 'word',
          start,
          end,
          text: found[1],
          stem: stems.of(found[1]),
          isMended: stems.of(found[1]) !== stem(found[1]),
        });
      else tokens.push({ kind: found[2] === undefined ? 'comma' : 'stop', start, end });
    }
  };
  for (; next < quantities.length; next++) {
    const one = quantities[next];
    if (one.start < from) continue;
    add(one.start);
    places[next] = tokens.length;
    tokens.push({
      kind: 'quantity',
      start: one.start,
      end: one.end,
      index: next,
      stem: plain.slice(one.start, one.end),
    });
    from = one.end;
  }
  add(plain.length);
  return { text, plain, quantities, denied, tokens, places };
}

/** Phrases by their first stem. */
export class Phrases<T> {
  private readonly byFirst = new Map<string, { readonly stems: readonly string[]; readonly of: T }[]>();

  add(phrase: string, of: T): void {
    const stems = stemsOf(phrase);
    const [first] = stems;
    if (first === undefined) return;
    const same = this.byFirst.get(first);
    if (same === undefined) this.byFirst.set(first, [{ stems, of }]);
    else same.push({ stems, of });
  }

  /** Occurrences, each with its first and last token. */
  find(
    tokens: readonly Token[],
  ): { readonly of: T; readonly from: number; readonly to: number; readonly words: number }[] {
    const found: { of: T; from: number; to: number; words: number }[] = [];
    for (const [i, token] of tokens.entries()) {
      // Numbers are words too: "two sided", "half life".
      if (token.kind !== 'word' && token.kind !== 'quantity') continue;
      for (const { stems, of } of this.byFirst.get(token.stem) ?? []) {
        const fits = stems.every((one, k) => {
          const other = tokens[i + k];
          return (other?.kind === 'word' || other?.kind === 'quantity') && other.stem === one;
        });
        if (fits) found.push({ of, from: i, to: i + stems.length - 1, words: stems.length });
      }
    }
    return found;
  }
}

/** The words around a quantity, for people: from the last stop or comma to the next. */
export function wordsAround(message: Message, index: number): string {
  const one = message.quantities[index];
  const before =
    message.text
      .slice(Math.max(0, one.start - 24), one.start)
      .split(/[.;!?\n,]/)
      .at(-1) ?? '';
  const after = message.text.slice(one.end, one.end + 24).split(/[.;!?\n,]/)[0] ?? '';
  return `${before.replace(/^\S*\s/, ' ')}${message.text.slice(one.start, one.end)}${after.replace(/\s\S*$/, '')}`.trim();
}
