/**
 * The fonts of our PDF documents, DejaVu Sans Condensed in two weights (Latin, Greek, Cyrillic, Armenian, Georgian,
 * Arabic, Hebrew and symbols; no CJK), and text as glyphs of them. Fonts are embedded, only the glyphs that were used:
 * PDF's built-in ones garble everything outside Latin-1.
 *
 * A character that the font lacks is drawn as U+FFFD, never as something else.
 */
import { createRequire } from 'node:module';
import { REPLACEMENT, writable } from '../text.js';

const require = createRequire(import.meta.url);

export type FontWeight = 'regular' | 'bold';
export const FONT_FILES: Readonly<Record<FontWeight, string>> = {
  regular: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  bold: require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
};

/** The part that we use of an embedded font of PDFKit 0.20. */
export interface EmbeddedFont {
  readonly id: string;
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
  /** Glyphs as four hexadecimal digits each, and where they are, in thousandths of the size. */
  encode(text: string): readonly [readonly string[], readonly Position[]];
  ref(): unknown;
}

interface Position {
  /** Width of the glyph itself, before the font's rules move it. */
  readonly advanceWidth: number;
  readonly xAdvance: number;
  readonly xOffset: number;
}

interface Glyphs {
  /** Operands of PDF's `TJ`: glyphs, and moves in thousandths of the size. */
  readonly operands: string;
  /** In thousandths of the size. */
  readonly width: number;
}

interface Character {
  readonly code: string;
  readonly width: number;
}

const ASCII = /^[ -~]*$/;
/** Characters that stand side by side as they are: no joining, no marks above, from left to right. */
const PLAIN = /^[\u0020-\u02FF\u0370-\u0482\u048A-\u058F\u1E00-\u20CF\u2100-\u2BFF\uFFFD]*$/;

export class Typeface {
  private readonly embedded: EmbeddedFont;
  /** Characters met so far: at most those that the font holds, whatever texts come. */
  private readonly characters = new Map<string, Character>();
  /** Whether a character was replaced so far. */
  hasReplaced = false;

  constructor(embedded: EmbeddedFont) {
    this.embedded = embedded;
  }

  get id(): string {
    return this.embedded.id;
  }

  /** The reference for a page's resources. */
  ref(): unknown {
    return this.embedded.ref();
  }

  /**
   * One line of text as the font can show it: composed, blanks for line ends and tabs, replaced where it lacks
   * something.
   */
  private shown(text: string): string {
    if (ASCII.test(text)) return text;
    let shown = '';
    for (const character of writable(text).normalize('NFC').replaceAll(/\s/g, ' ')) {
      const isThere = this.embedded.font.hasGlyphForCodePoint(character.codePointAt(0)!);
      shown += isThere ? character : REPLACEMENT;
    }
    this.hasReplaced ||= shown.includes(REPLACEMENT);
    return shown;
  }

  glyphs(text: string): Glyphs {
    const shown = this.shown(text);
    if (!PLAIN.test(shown)) return this.shaped(shown);
    let codes = '';
    let width = 0;
    for (const character of shown) {
      const { code, width: advance } = this.character(character);
      codes += code;
      width += advance;
    }
    return { operands: `<${codes}>`, width };
  }

  /** Slower: by the font's rules, as Arabic needs. Vertical moves are left out, as a table has one line. */
  private shaped(text: string): Glyphs {
    const [codes, positions] = this.embedded.encode(text);
    let operands = '';
    let width = 0;
    codes.forEach((code, index) => {
      const { advanceWidth, xAdvance, xOffset } = positions[index];
      operands += xOffset === 0 ? `<${code}>` : ` ${(-xOffset).toFixed(0)} <${code}> ${xOffset.toFixed(0)} `;
      if (advanceWidth !== xAdvance) operands += ` ${(advanceWidth - xAdvance).toFixed(0)} `;
      width += xAdvance;
    });
    return { operands, width };
  }

  width(text: string): number {
    return this.glyphs(text).width;
  }

  private character(character: string): Character {
    let known = this.characters.get(character);
    if (known === undefined) {
      const [[code = ''], [position]] = this.embedded.encode(character);
      known = { code, width: position?.xAdvance ?? 0 };
      this.characters.set(character, known);
    }
    return known;
  }
}
