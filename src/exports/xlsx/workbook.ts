/**
 * XLSX (ECMA-376, SpreadsheetML) as a stream: a sheet for each table, the listing's last, with typed cells, a frozen
 * header, a filter and widths. Rows leave as they come; nothing but the names of the sheets is kept.
 *
 * Written here, because libraries either hold the whole workbook or stream a single sheet (ADR 24).
 */
import {
  numberOf,
  tablesOf,
  type Cell,
  type Column,
  type ColumnKind,
  type Facts,
  type ReportDocument,
  type Row,
  type Rows,
  type Writer,
} from '../document.js';
import { describe } from '../describe.js';
import { cutTo, writable } from '../text.js';
import { zip, type ZipEntry } from './zip.js';

/** Rows of a sheet, the header included. */
export const MAX_SHEET_ROWS = 1_048_576;
/** UTF-16 units of a cell; with more the program "repairs" the file. */
const MAX_TEXT = 32_767;
const MAX_SHEET_NAME = 31;
const ROWS_AT_ONCE = 500;
/** Day 0 of its calendar, which has a 29 February 1900. */
const EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;

const NUMBER_FORMATS: Readonly<Record<ColumnKind, string>> = {
  text: '@',
  integer: '#,##0',
  number: 'General',
  share: '0.00%',
  money: '#,##0.00####',
  seconds: '#,##0.000',
  bytes: '#,##0',
  date: 'yyyy\\-mm\\-dd',
  time: 'yyyy\\-mm\\-dd hh:mm:ss.000',
};
const KINDS = Object.keys(NUMBER_FORMATS) as readonly ColumnKind[];
/** Indices in `cellXfs`: the default, one for each kind, then these. */
const styleOf = (kind: ColumnKind): number => 1 + KINDS.indexOf(kind);
const HEADER_STYLE = 1 + KINDS.length;
const TITLE_STYLE = HEADER_STYLE + 1;

/** In characters of the default font. */
const WIDTHS: Readonly<Record<ColumnKind, number>> = {
  text: 24,
  integer: 14,
  number: 18,
  share: 13,
  money: 15,
  seconds: 15,
  bytes: 18,
  date: 12,
  time: 24,
};

export const writeXlsx: Writer = (document, rows) => zip(parts(document, rows));

interface Sheet {
  readonly name: string;
  /** Null: it is no table, so it has neither a frozen header nor a filter. */
  readonly columns: readonly Column[] | null;
  readonly widths: readonly number[];
  readonly rows: AsyncIterable<string> | Iterable<string>;
}

async function* parts(document: ReportDocument, rows: Rows): AsyncGenerator<ZipEntry> {
  const sheets = sheetsOf(document, rows);
  const names = sheets.map(({ name }) => name);
  yield part('[Content_Types].xml', contentTypes(names.length));
  yield part('_rels/.rels', RELATIONSHIPS);
  yield part('docProps/core.xml', coreProperties(document));
  yield part('xl/workbook.xml', workbook(names));
  yield part('xl/_rels/workbook.xml.rels', workbookRelationships(names.length));
  yield part('xl/styles.xml', STYLES);
  for (const [index, sheet] of sheets.entries()) {
    yield { path: `xl/worksheets/sheet${index + 1}.xml`, content: sheetXml(sheet) };
  }
}

const part = (path: string, xml: string): ZipEntry => ({ path, content: [Buffer.from(HEAD + xml)] });

function sheetsOf(document: ReportDocument, rows: Rows): Sheet[] {
  const taken = new Set<string>();
  const tables = tablesOf(document);
  const facts = tables.filter((section) => section.kind === 'facts');
  const sheets = [overview(document, facts, taken)];
  for (const table of tables) {
    if (table.kind !== 'table') continue;
    sheets.push(tableSheet(table.title, table.columns, batches(table.rows), taken));
  }
  const { listing } = document;
  if (listing !== null) sheets.push(tableSheet(listing.title, listing.columns, rows, taken));
  return sheets;
}

/** The first sheet: what the report is about, then its facts, one below the other. */
function overview(document: ReportDocument, facts: readonly Facts[], taken: Set<string>): Sheet {
  const { title, subtitle, remarks } = describe(document);
  const text = (value: string): readonly [Cell, ColumnKind] => [value, 'text'];
  const lines: (readonly (readonly [Cell, ColumnKind])[])[] = [subtitle, ...remarks].map((line) => [text(line)]);
  for (const { title: heading, facts: all } of facts) {
    lines.push(
      [],
      [text(heading)],
      ...all.map(({ column, value }) => [text(column.label), [value, column.kind] as const]),
    );
  }
  const isHeading = (line: number): boolean => lines[line]?.length === 1 && lines[line - 1]?.length === 0;
  const xml = lines.map((cells, index) =>
    rowXml(
      index + 2,
      cells.map(([value, kind], column) =>
        cellXml(column, index + 2, value, isHeading(index) ? TITLE_STYLE : styleOf(kind), kind),
      ),
    ),
  );
  const first = rowXml(1, [cellXml(0, 1, title, TITLE_STYLE, 'text')]);
  return { name: sheetName('Overview', taken), columns: null, widths: [44, 26], rows: [first, ...xml] };
}

function tableSheet(title: string, columns: readonly Column[], rows: Rows, taken: Set<string>): Sheet {
  const widths = columns.map(({ kind, label }) => Math.max(WIDTHS[kind], label.length + 4));
  return { name: sheetName(title, taken), columns, widths, rows: tableRows(columns, rows) };
}

async function* tableRows(columns: readonly Column[], rows: Rows): AsyncGenerator<string> {
  yield rowXml(
    1,
    columns.map(({ label }, column) => cellXml(column, 1, label, HEADER_STYLE, 'text')),
  );
  let row = 1;
  for await (const batch of rows) {
    if (row + batch.length > MAX_SHEET_ROWS) throw new RangeError(`A sheet has at most ${MAX_SHEET_ROWS} rows.`);
    const line = (cells: Row): string => {
      row++;
      return rowXml(
        row,
        columns.map(({ kind }, column) => cellXml(column, row, cells[column] ?? null, styleOf(kind), kind)),
      );
    };
    yield batch.map(line).join('');
  }
}

async function* batches(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) yield rows.slice(from, from + ROWS_AT_ONCE);
}

/** Name of a sheet without the characters that the format forbids; unique also without regard to case. */
function sheetName(title: string, taken: Set<string>): string {
  const plain = writable(title)
    .replaceAll(/[[\]:*?/\\\t\r\n]/g, ' ')
    .replaceAll(/^'+|'+$/g, '')
    .trim();
  const wanted = plain === '' ? 'Sheet' : plain;
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : ` ${number}`;
    const name = cutTo(wanted, MAX_SHEET_NAME - ending.length) + ending;
    // `History` is the format's own.
    if (taken.has(name.toLowerCase()) || name.toLowerCase() === 'history') continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

async function* sheetXml({ columns, widths, rows }: Sheet): AsyncGenerator<Uint8Array> {
  const frozen =
    columns === null
      ? ''
      : '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  yield Buffer.from(`${HEAD}<worksheet xmlns="${MAIN}">${frozen}<cols>${cols.join('')}</cols><sheetData>`);
  for await (const text of rows) yield Buffer.from(text);
  // To the end of the sheet: how many rows there are was not known before, and is not said here either.
  const filter = columns === null ? '' : `<autoFilter ref="A1:${letters(columns.length - 1)}${MAX_SHEET_ROWS}"/>`;
  yield Buffer.from(`</sheetData>${filter}</worksheet>`);
}

const rowXml = (row: number, cells: readonly string[]): string => `<row r="${row}">${cells.join('')}</row>`;

function cellXml(column: number, row: number, cell: Cell, style: number, kind: ColumnKind): string {
  const at = `r="${letters(column)}${row}" s="${style}"`;
  if (typeof cell === 'string') {
    return `<c ${at} t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
  }
  const value = numberOf(cell);
  if (value === null) return '';
  const isDate = kind === 'date' || kind === 'time';
  return `<c ${at}><v>${isDate ? value / DAY_MS + EPOCH_DAYS : value}</v></c>`;
}

/** A, ..., Z, AA, ... */
const letters = (column: number): string =>
  (column >= 26 ? letters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * A carriage return, and text that reads like an escape of one, are escaped (ST_Xstring): XML would make it a line
 * feed.
 */
const escaped = (text: string): string =>
  cutTo(writable(text), MAX_TEXT)
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character])
    .replaceAll('\r', '_x000D_');

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const each = (count: number, make: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index + 1)).join('');

const contentTypes = (sheets: number): string =>
  `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>' +
  `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>` +
  each(sheets, (n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`) +
  '</Types>';

const RELATIONSHIPS =
  `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>` +
  `<Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`;

const coreProperties = (document: ReportDocument): string => {
  const created = new Date(document.createdAt).toISOString();
  return (
    `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
    'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<dc:title>${escaped(document.title)}</dc:title><dc:creator>Extremum</dc:creator>` +
    `<dcterms:created xsi:type="dcterms:W3CDTF">${created}</dcterms:created></cp:coreProperties>`
  );
};

const workbook = (names: readonly string[]): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
  each(names.length, (n) => `<sheet name="${escaped(names[n - 1])}" sheetId="${n}" r:id="rId${n}"/>`) +
  '</sheets></workbook>';

const workbookRelationships = (sheets: number): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">` +
  each(sheets, (n) => `<Relationship Id="rId${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`) +
  `<Relationship Id="rId${sheets + 1}" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`;

/** Formats of our own begin at 164. */
const STYLES =
  `<styleSheet xmlns="${MAIN}"><numFmts count="${KINDS.length}">` +
  each(KINDS.length, (n) => `<numFmt numFmtId="${163 + n}" formatCode="${NUMBER_FORMATS[KINDS[n - 1]]}"/>`) +
  '</numFmts><fonts count="3"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><color rgb="FFFFFFFF"/><name val="Calibri"/></font><font><b/><sz val="13"/><name val="Calibri"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FF1F3A5F"/></patternFill></fill></fills>' +
  '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs>' +
  `<cellXfs count="${KINDS.length + 3}"><xf numFmtId="0" xfId="0"/>` +
  each(KINDS.length, (n) => `<xf numFmtId="${163 + n}" xfId="0" applyNumberFormat="1"/>`) +
  '<xf numFmtId="0" fontId="1" fillId="2" xfId="0" applyFont="1" applyFill="1"/>' +
  '<xf numFmtId="0" fontId="2" xfId="0" applyFont="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
