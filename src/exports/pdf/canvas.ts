/**
 * Pages to draw on: text, rectangles and paths in points from the upper left corner, over PDFKit, which keeps the
 * file's structure. Content is written here, because PDFKit keeps every word that it has ever laid out, and is ten
 * times slower.
 */
import { deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import type { Pixels } from '../../common/rasterize.js';
import { FONT_FILES, Typeface, type EmbeddedFont, type FontWeight } from './fonts.js';

interface CanvasOptions {
  readonly title: string;
  readonly author: string;
  /** Epoch milliseconds; with the same, the same drawings give the same bytes. */
  readonly createdAt: number;
  /** Default true. */
  readonly isCompressed?: boolean;
}

interface TextStyle {
  readonly size: number;
  /** `#rrggbb` */
  readonly color: string;
  readonly weight?: FontWeight;
  readonly align?: 'left' | 'right' | 'center';
}

export type Point = readonly [x: number, y: number];

const A4 = [595.28, 841.89] as const;

const short = (value: number): string => String(Math.round(value * 100) / 100);

const rgb = (color: string): string =>
  [1, 3, 5].map((at) => String(Math.round((parseInt(color.slice(at, at + 2), 16) / 255) * 1000) / 1000)).join(' ');

/** Splits text into what people see as one character: a letter with its marks is not torn apart. */
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Rows as differences to the row above, each behind the number of that filter of PNG (2): flat areas become zeros. */
function lessRowAbove(bytes: Uint8Array, rowBytes: number): Uint8Array {
  const rows = bytes.length / rowBytes;
  const filtered = new Uint8Array(bytes.length + rows);
  for (let row = 0, to = 0; row < rows; row++) {
    filtered[to++] = 2;
    const from = row * rowBytes;
    for (let i = from; i < from + rowBytes; i++) filtered[to++] = bytes[i] - (row === 0 ? 0 : bytes[i - rowBytes]);
  }
  return filtered;
}

export class Canvas {
  private readonly document: PDFKit.PDFDocument;
  private readonly faces: Readonly<Record<FontWeight, Typeface>>;
  private lines: string[] = [];
  private pageCount = 0;
  private pictures = 0;
  width = 0;
  height = 0;

  constructor({ title, author, createdAt, isCompressed = true }: CanvasOptions) {
    this.document = new PDFDocument({
      autoFirstPage: false,
      compress: isCompressed,
      lang: 'en',
      displayTitle: true,
      pdfVersion: '1.7',
      font: FONT_FILES.regular,
      info: {
        Title: title,
        Author: author,
        Creator: 'Extremum',
        Producer: 'Extremum',
        CreationDate: new Date(createdAt),
      },
    });
    this.faces = { regular: this.face('regular'), bold: this.face('bold') };
  }

  private face(weight: FontWeight): Typeface {
    this.document.registerFont(weight, FONT_FILES[weight]).font(weight);
    return new Typeface((this.document as unknown as { _font: EmbeddedFont })._font);
  }

  get pages(): number {
    return this.pageCount;
  }

  /** Whether some text had characters that the fonts lack. */
  get hasReplaced(): boolean {
    return this.faces.regular.hasReplaced || this.faces.bold.hasReplaced;
  }

  /** Ends the page before. */
  addPage(layout: 'portrait' | 'landscape'): void {
    this.flush();
    const size = layout === 'portrait' ? A4 : ([A4[1], A4[0]] as const);
    this.document.addPage({ size: [...size], margin: 0 });
    this.pageCount++;
    [this.width, this.height] = size;
    // Undoes what PDFKit begins a page with: coordinates from the upper edge, in which text would stand on its head.
    this.lines.push(`1 0 0 -1 0 ${short(this.height)} cm`);
    const fonts = (this.document.page as unknown as { fonts: Record<string, unknown> }).fonts;
    for (const face of Object.values(this.faces)) fonts[face.id] = face.ref();
  }

  /** Bytes of the file written since the last call. */
  *take(): Generator<Uint8Array> {
    for (;;) {
      const piece = this.document.read() as Uint8Array | null;
      if (piece === null) return;
      yield piece;
    }
  }

  end(): void {
    this.flush();
    this.document.end();
  }

  private flush(): void {
    // As bytes: PDFKit turns text into them character by character.
    const content = Buffer.from(this.lines.join('\n') + '\n', 'latin1');
    if (this.lines.length > 0) this.document.addContent(content);
    this.lines = [];
  }

  textWidth(text: string, { size, weight = 'regular' }: Pick<TextStyle, 'size' | 'weight'>): number {
    return (this.faces[weight].width(text) * size) / 1000;
  }

  /** At most `width` wide, cut with `…`. `y` is the base line; `x` the left end, the right end or the middle. */
  text(text: string, x: number, y: number, style: TextStyle, width = Infinity): void {
    const { size, color, weight = 'regular', align = 'left' } = style;
    const face = this.faces[weight];
    const room = (width * 1000) / size;
    let glyphs = face.glyphs(text);
    if (glyphs.width > room) glyphs = face.glyphs(this.cut(face, text, room));
    const drawn = (glyphs.width * size) / 1000;
    const left = align === 'left' ? x : align === 'right' ? x - drawn : x - drawn / 2;
    this.lines.push(`BT ${rgb(color)} rg /${face.id} ${size} Tf ${this.at([left, y])} Td [${glyphs.operands}] TJ ET`);
  }

  /** The longest beginning that fits with `…` after it. */
  private cut(face: Typeface, text: string, room: number): string {
    const characters = [...text.slice(0, 1_000)];
    let low = 0;
    let high = characters.length;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (face.width(characters.slice(0, middle).join('') + '…') <= room) low = middle;
      else high = middle - 1;
    }
    return characters.slice(0, low).join('').trimEnd() + '…';
  }

  /** Lines of at most `width`, broken between words, and within a word that is too long for a line. */
  wrap(text: string, width: number, style: Pick<TextStyle, 'size' | 'weight'>): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(/\s+/).flatMap((one) => this.brokenWord(one, width, style))) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line !== '' && this.textWidth(longer, style) > width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return [...lines, line];
  }

  /** Parts of a word of at most `width`, each of one character at least. */
  private brokenWord(word: string, width: number, style: Pick<TextStyle, 'size' | 'weight'>): string[] {
    if (this.textWidth(word, style) <= width) return [word];
    const parts: string[] = [];
    let part = '';
    let room = width;
    for (const { segment } of CHARACTERS.segment(word)) {
      const own = this.textWidth(segment, style);
      if (part !== '' && own > room) {
        parts.push(part);
        part = '';
        room = width;
      }
      part += segment;
      room -= own;
    }
    return [...parts, part];
  }

  /** Pixels without loss, scaled into a box whose upper left corner is (`x`, `y`). */
  picture(
    { width: across, height: down, rgb: colours }: Pixels,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void {
    const data = {
      Type: 'XObject',
      Subtype: 'Image',
      Width: across,
      Height: down,
      ColorSpace: 'DeviceRGB',
      BitsPerComponent: 8,
      Filter: 'FlateDecode',
      DecodeParms: { Predictor: 15, Colors: 3, BitsPerComponent: 8, Columns: across },
    };
    const picture = this.document.ref(data);
    picture.end(deflateSync(lessRowAbove(colours, across * 3)));
    const name = `P${++this.pictures}`;
    (this.document.page as unknown as { xobjects: Record<string, unknown> }).xobjects[name] = picture;
    const place = `${short(width)} 0 0 ${short(height)} ${short(x)} ${short(this.height - y - height)}`;
    this.lines.push(`q ${place} cm /${name} Do Q`);
  }

  rectangle(x: number, y: number, width: number, height: number, color: string): void {
    const [left, bottom] = [short(x), short(this.height - y - height)];
    this.lines.push(`${rgb(color)} rg ${left} ${bottom} ${short(width)} ${short(height)} re f`);
  }

  /** A joined line through the points. */
  line(points: readonly Point[], color: string, thickness: number, dash: readonly number[] = []): void {
    const [first, ...rest] = points;
    if (first === undefined) return;
    const path = [`${this.at(first)} m`, ...rest.map((point) => `${this.at(point)} l`)].join(' ');
    this.lines.push(`q ${rgb(color)} RG ${short(thickness)} w 1 J 1 j [${dash.join(' ')}] 0 d ${path} S Q`);
  }

  /** A filled shape. */
  area(points: readonly Point[], color: string): void {
    const [first, ...rest] = points;
    if (first === undefined) return;
    const path = [`${this.at(first)} m`, ...rest.map((point) => `${this.at(point)} l`)].join(' ');
    this.lines.push(`${rgb(color)} rg ${path} h f`);
  }

  /** A filled disc: four Bezier curves. */
  dot([x, y]: Point, radius: number, color: string): void {
    const k = radius * 0.5523;
    const at = (dx: number, dy: number): string => this.at([x + dx, y + dy]);
    const curves = [
      [at(radius, k), at(k, radius), at(0, radius)],
      [at(-k, radius), at(-radius, k), at(-radius, 0)],
      [at(-radius, -k), at(-k, -radius), at(0, -radius)],
      [at(k, -radius), at(radius, -k), at(radius, 0)],
    ].map((points) => `${points.join(' ')} c`);
    this.lines.push(`${rgb(color)} rg ${at(radius, 0)} m ${curves.join(' ')} f`);
  }

  private at([x, y]: Point): string {
    return `${short(x)} ${short(this.height - y)}`;
  }
}
