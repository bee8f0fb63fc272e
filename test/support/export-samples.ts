/** Documents to export, and their bytes. */
import type { Cell, ColumnKind, ReportDocument, Row, Rows, Writer } from '../../src/exports/document.js';

/** Texts that have broken exports elsewhere. */
export const HOSTILE_TEXTS: readonly string[] = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '\nx',
  '  =1+1',
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
  '=HYPERLINK("http://example.com","x")',
  'a "quoted" word',
  'two\nlines',
  'two\r\nlines',
  'a,b;c\td',
  'nul \0 inside',
  'bell \u0007, escape \u001b, delete \u007f, next line \u0085',
  'lone \ud800 high, lone \udc00 low',
  'not a character \uffff',
  '_x0041_ is no escape',
  '<b>&amp;</b>',
  "it's",
  "'quoted",
  'Ελλάδα, Россия, naïve, 日本, 😀',
  ' blank at both ends ',
  '',
];

/** What stays of a text: U+FFFD for what no format can hold. */
export const readable = (text: string): string =>
  text.replaceAll(/[\0\u0007\u001b\u007f\u0085\uffff\p{Cs}]/gu, '\ufffd');

export const column = (name: string, kind: ColumnKind) => ({ name, label: `The ${name}`, kind });

/** With a listing of rows of the given kinds. */
export function sampleDocument(kinds: readonly ColumnKind[], over: Partial<ReportDocument> = {}): ReportDocument {
  return {
    name: 'executions',
    title: 'Executions',
    account: 'ACME',
    period: { start: Date.UTC(2026, 9, 1), end: Date.UTC(2026, 10, 1) - 1 },
    filters: [],
    createdAt: Date.UTC(2026, 10, 2, 3, 4, 5),
    currency: 'EUR',
    sections: [],
    listing: {
      name: 'row',
      title: 'Rows',
      empty: 'None.',
      columns: kinds.map((kind, index) => column(`c${index}_${kind}`, kind)),
    },
    ...over,
  };
}

/** In batches of two. */
export async function* batches(rows: readonly Row[]): Rows {
  for (let from = 0; from < rows.length; from += 2) yield rows.slice(from, from + 2);
}

export async function bytesOf(write: Writer, document: ReportDocument, rows: readonly Row[] = []): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of write(document, batches(rows))) pieces.push(piece);
  return Buffer.concat(pieces);
}

export const asRows = (cells: readonly Cell[]): Row[] => cells.map((cell) => [cell]);
