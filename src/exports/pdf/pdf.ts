/**
 * PDF: facts as tiles, charts, tables, prose, pictures; the listing on pages of its own, across. Pages leave one after
 * the other, so a page says its own number and not how many there are.
 *
 * Pictures are SVG, and drawn as pixels by the program that also makes our PNG, at three times their size (some 320 to
 * the inch). They use paths, rounded and turned shapes, opacity and several fonts' worth of text sizes: a second
 * program that draws them would have to follow every new picture, and differ from the one that clients see in silence.
 * It costs some 50 KB and a tenth of a second for each.
 */
import { pixelsOf, type Pixels } from '../../common/rasterize.js';
import {
  type Chart,
  type Column,
  type ColumnKind,
  type Facts,
  type Listing,
  type Prose,
  type ReportDocument,
  type Row,
  type Table,
  type Writer,
} from '../document.js';
import { describe } from '../describe.js';
import { Canvas } from './canvas.js';
import { drawChart } from './chart.js';
import { shown } from './numbers.js';
import { BOTTOM, COLORS, MARGIN, TOP } from './style.js';

const TILES_ACROSS = 4;
const TILE_HEIGHT = 38;
const GAP = 10;
const CHART_HEIGHT = 168;
const ROW_HEIGHT = 13;
const HEADER_HEIGHT = 16;
const HEADING_HEIGHT = 24;
/** Lines of a cell on one page: a row of more goes on in a row below. */
const MAX_ROW_LINES = 60;
const MAX_LABEL_LINES = 4;
const LINE_HEIGHT = 9.5;
/** Pixels for each unit of a picture. */
const PICTURE_ZOOM = 3;
/** Height of a picture: two fit on a page. */
const PICTURE_HEIGHT = 318;
const PARAGRAPH = { size: 8.5, color: COLORS.ink } as const;
const PARAGRAPH_LINE = 11.5;
const CELL = { size: 7.5, color: COLORS.ink } as const;
const HEADER = { size: 7.5, color: COLORS.white, weight: 'bold' } as const;
const REPLACED = 'Characters that the font of this file lacks are shown as \uFFFD.';
const ELSEWHERE = ' The same report as csv or xlsx has them.';

/** Widths of columns relative to each other. */
const WEIGHTS: Readonly<Record<ColumnKind, number>> = {
  text: 1.4,
  integer: 1,
  number: 1.2,
  share: 0.9,
  money: 1.1,
  seconds: 1.1,
  bytes: 1,
  date: 1,
  time: 1.5,
};

export interface PdfOptions {
  /** Default true. Off for tests that compare bytes, which else depend on the version of zlib. */
  readonly isCompressed?: boolean;
}

export const pdfWriter = ({ isCompressed = true }: PdfOptions = {}): Writer =>
  async function* (document, rows) {
    const pages = new Pages(document, isCompressed);
    pages.open('portrait');
    yield* pages.take();
    for (const section of document.sections) {
      if (section.kind === 'facts') pages.facts(section);
      else if (section.kind === 'chart') pages.chart(section);
      else if (section.kind === 'prose') pages.prose(section);
      else if (section.kind === 'picture') pages.picture(await pixelsOf(section.svg, PICTURE_ZOOM));
      else {
        pages.beginTable(section);
        for (const row of section.rows) {
          pages.row(row);
          yield* pages.take();
        }
        pages.endTable();
      }
      yield* pages.take();
    }
    if (document.listing !== null) {
      pages.open('landscape');
      pages.beginTable(document.listing);
      for await (const batch of rows) {
        for (const row of batch) {
          pages.row(row);
          yield* pages.take();
        }
      }
      pages.endTable();
    }
    pages.end();
    yield* pages.take();
  };

/** A column and where it is. */
interface Place {
  readonly column: Column;
  readonly x: number;
  readonly width: number;
}

/** Fills pages from the top to the bottom. */
class Pages {
  private readonly document: ReportDocument;
  private readonly canvas: Canvas;
  private layout: 'portrait' | 'landscape' = 'portrait';
  private y = 0;
  private table: Pick<Table, 'title' | 'empty'> & { readonly places: readonly Place[] } = {
    title: '',
    empty: '',
    places: [],
  };
  /** Rows of the table so far. */
  private rows = 0;

  constructor(document: ReportDocument, isCompressed: boolean) {
    this.document = document;
    const { title, account, createdAt } = document;
    this.canvas = new Canvas({ title, author: account, createdAt, isCompressed });
  }

  take(): Iterable<Uint8Array> {
    return this.canvas.take();
  }

  end(): void {
    if (this.canvas.hasReplaced) {
      this.need(ROW_HEIGHT);
      const where = this.document.subject === undefined ? ELSEWHERE : ' The JSON answers of the run have them.';
      this.canvas.text(REPLACED + where, MARGIN, this.y + 9, { size: 7, color: COLORS.muted }, this.width);
    }
    this.canvas.end();
  }

  private get width(): number {
    return this.canvas.width - 2 * MARGIN;
  }

  open(layout: 'portrait' | 'landscape'): void {
    this.layout = layout;
    const canvas = this.canvas;
    canvas.addPage(layout);
    const { title, subtitle, remarks } = describe(this.document);
    const right = canvas.width - MARGIN;
    const small = { size: 7.5, color: COLORS.muted } as const;
    canvas.text('Extremum', right, 30, { size: 9, color: COLORS.accent, weight: 'bold', align: 'right' });
    canvas.text(
      title,
      MARGIN,
      30,
      { size: canvas.pages === 1 ? 15 : 10, color: COLORS.ink, weight: 'bold' },
      this.width - 70,
    );
    canvas.text(subtitle, MARGIN, 43, { size: 8.5, color: COLORS.muted }, this.width);
    canvas.line(
      [
        [MARGIN, 50],
        [right, 50],
      ],
      COLORS.accent,
      1,
    );
    const foot = canvas.height - 24;
    canvas.text(`Page ${canvas.pages}`, right, foot, { ...small, align: 'right' });
    canvas.text(remarks[0] ?? '', MARGIN, foot, small, this.width - 60);
    this.y = TOP;
    if (canvas.pages > 1) return;
    for (const remark of remarks.slice(1)) {
      canvas.text(remark, MARGIN, this.y + 8, small, this.width);
      this.y += 12;
    }
  }

  /** A new page where less than this is left. True: it was needed. */
  private need(height: number): boolean {
    if (this.y + height <= this.canvas.height - BOTTOM) return false;
    this.open(this.layout);
    return true;
  }

  private heading(title: string): void {
    this.y += 6;
    this.canvas.text(title, MARGIN, this.y + 10, { size: 10.5, color: COLORS.accent, weight: 'bold' }, this.width);
    this.y += HEADING_HEIGHT - 6;
  }

  facts({ title, facts }: Facts): void {
    this.need(HEADING_HEIGHT + TILE_HEIGHT);
    this.heading(title);
    const across = Math.min(TILES_ACROSS, facts.length);
    const width = (this.width - GAP * (across - 1)) / across;
    for (let from = 0; from < facts.length; from += across) {
      this.need(TILE_HEIGHT);
      facts.slice(from, from + across).forEach(({ column, value }, index) => {
        const x = MARGIN + index * (width + GAP);
        const canvas = this.canvas;
        canvas.rectangle(x, this.y, width, TILE_HEIGHT, COLORS.band);
        canvas.rectangle(x, this.y, 2, TILE_HEIGHT, COLORS.accent);
        canvas.text(column.label, x + 9, this.y + 13, { size: 7.5, color: COLORS.muted }, width - 14);
        const text = shown(value, column.kind, this.document.currency);
        canvas.text(text, x + 9, this.y + 29, { size: 12.5, color: COLORS.ink, weight: 'bold' }, width - 14);
      });
      this.y += TILE_HEIGHT + 8;
    }
  }

  chart(chart: Chart): void {
    if (chart.categories.length === 0) return;
    this.need(CHART_HEIGHT);
    const box = { x: MARGIN, y: this.y + 6, width: this.width, height: CHART_HEIGHT - 12 };
    drawChart(this.canvas, chart, box, this.document.currency);
    this.y += CHART_HEIGHT + 6;
  }

  prose({ title, paragraphs }: Prose): void {
    this.need(HEADING_HEIGHT + 2 * PARAGRAPH_LINE);
    this.heading(title);
    for (const paragraph of paragraphs) {
      for (const line of this.canvas.wrap(paragraph, this.width, PARAGRAPH)) {
        this.need(PARAGRAPH_LINE);
        this.canvas.text(line, MARGIN, this.y + 8.5, PARAGRAPH, this.width);
        this.y += PARAGRAPH_LINE;
      }
      this.y += 4;
    }
    this.y += 4;
  }

  picture(pixels: Pixels): void {
    const scale = Math.min(this.width / pixels.width, PICTURE_HEIGHT / pixels.height);
    const [width, height] = [pixels.width * scale, pixels.height * scale];
    this.need(height + GAP);
    this.canvas.picture(pixels, MARGIN + (this.width - width) / 2, this.y + GAP, width, height);
    this.y += height + 2 * GAP;
  }

  beginTable(table: Table | Listing): void {
    this.table = { title: table.title, empty: table.empty, places: this.places(table.columns) };
    this.rows = 0;
    this.need(HEADING_HEIGHT + HEADER_HEIGHT + 3 * ROW_HEIGHT);
    this.heading(table.title);
    this.header();
  }

  row(row: Row): void {
    const { places } = this.table;
    const texts = places.map(({ column }, index) => shown(row[index], column.kind, this.document.currency));
    // Long text is broken, but not that of a listing, whose rows are to be found by eye.
    const lines = places.map(({ column, width }, index) =>
      column.kind === 'text' && this.layout === 'portrait'
        ? this.canvas.wrap(texts[index], width - 8, CELL)
        : [texts[index]],
    );
    const most = Math.max(...lines.map((all) => all.length));
    for (let from = 0; from < most; from += MAX_ROW_LINES) {
      this.lines(lines.map((all) => all.slice(from, from + MAX_ROW_LINES)));
    }
    this.rows++;
  }

  private lines(lines: readonly (readonly string[])[]): void {
    const { places } = this.table;
    const height = ROW_HEIGHT + LINE_HEIGHT * (Math.max(...lines.map((all) => all.length)) - 1);
    if (this.need(height)) this.header();
    if (this.rows % 2 === 1) this.canvas.rectangle(MARGIN, this.y, this.width, height, COLORS.band);
    places.forEach(({ column, x, width }, index) => {
      const isText = column.kind === 'text' || column.kind === 'date' || column.kind === 'time';
      lines[index].forEach((line, number) => {
        const y = this.y + 9.2 + LINE_HEIGHT * number;
        if (isText) this.canvas.text(line, x + 4, y, CELL, width - 8);
        else this.canvas.text(line, x + width - 4, y, { ...CELL, align: 'right' }, width - 8);
      });
    });
    this.y += height;
  }

  endTable(): void {
    if (this.rows === 0) {
      this.canvas.text(this.table.empty, MARGIN + 4, this.y + 9.2, { ...CELL, color: COLORS.muted });
      this.y += ROW_HEIGHT;
    }
    this.canvas.line(
      [
        [MARGIN, this.y],
        [MARGIN + this.width, this.y],
      ],
      COLORS.rule,
      0.7,
    );
    this.y += GAP;
  }

  private header(): void {
    const { places } = this.table;
    // A column that says how wide it is holds a label that nobody chose for its room.
    const labels = places.map(({ column: { label, weight }, width }) =>
      weight === undefined ? [label] : this.canvas.wrap(label, width - 8, HEADER).slice(0, MAX_LABEL_LINES),
    );
    const lines = Math.max(...labels.map((all) => all.length));
    const height = HEADER_HEIGHT + LINE_HEIGHT * (lines - 1);
    this.canvas.rectangle(MARGIN, this.y, this.width, height, COLORS.accent);
    places.forEach(({ column, x, width }, index) => {
      const isText = column.kind === 'text' || column.kind === 'date' || column.kind === 'time';
      labels[index].forEach((line, number) => {
        const y = this.y + 10.8 + LINE_HEIGHT * number;
        if (isText) this.canvas.text(line, x + 4, y, HEADER, width - 8);
        else this.canvas.text(line, x + width - 4, y, { ...HEADER, align: 'right' }, width - 8);
      });
    });
    this.y += height;
  }

  /** Shares the width among columns by their contents; identifiers have the room that they need. */
  private places(columns: readonly Column[]): Place[] {
    const weights = columns.map(({ kind, name, weight }) => weight ?? (/(^|_)id$/.test(name) ? 2.5 : WEIGHTS[kind]));
    const sum = weights.reduce((all, weight) => all + weight, 0);
    let x = MARGIN;
    return columns.map((column, index) => {
      const width = (this.width * weights[index]) / sum;
      const place = { column, x, width };
      x += width;
      return place;
    });
  }
}
