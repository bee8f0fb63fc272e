/**
 * CSV (RFC 4180: UTF-8 without a mark, CRLF, one header, the same number of fields in every record). A document's
 * tables share the file: the first field of a record, `table`, says whose it is, and the header has the columns of all
 * tables, of each name once. Fields of other tables' columns are empty.
 *
 * Numbers and times are as in JSON. Text that a spreadsheet would take for a formula gets a `'` before it; numbers
 * never.
 */
import { stringify } from 'csv-stringify/sync';
import { numberOf, tablesOf, type Cell, type Column, type ColumnKind, type Row, type Writer } from './document.js';
import { writable } from './text.js';

/** A spreadsheet also skips blanks before the sign. */
const FORMULA = /^(\s*[=+\-@＝＋－＠]|[\t\r\n])/;
const ROWS_AT_ONCE = 500;

function field(cell: Cell | undefined, kind: ColumnKind): string {
  if (typeof cell === 'string') {
    const text = writable(cell);
    return FORMULA.test(text) ? `'${text}` : text;
  }
  const value = numberOf(cell);
  if (value === null) return '';
  if (kind === 'date') return new Date(value).toISOString().slice(0, 10);
  return kind === 'time' ? new Date(value).toISOString() : String(value);
}

export const writeCsv: Writer = async function* (document, rows) {
  const tables = tablesOf(document).map((section) =>
    section.kind === 'table'
      ? section
      : {
          name: section.name,
          columns: section.facts.map(({ column }) => column),
          rows: [section.facts.map(({ value }) => value)],
        },
  );
  const { listing } = document;
  const names = new Set([...tables, ...(listing === null ? [] : [listing])].flatMap(namesOf));
  const place = new Map([...names].map((name, index) => [name, index + 1]));

  const record = (table: string, columns: readonly Column[], row: Row): string[] => {
    const fields = new Array<string>(names.size + 1).fill('');
    fields[0] = table;
    columns.forEach(({ name, kind }, index) => (fields[place.get(name)!] = field(row[index], kind)));
    return fields;
  };
  yield encode([['table', ...names]]);
  for (const table of tables) {
    for (let from = 0; from < table.rows.length; from += ROWS_AT_ONCE) {
      const batch = table.rows.slice(from, from + ROWS_AT_ONCE);
      yield encode(batch.map((row) => record(table.name, table.columns, row)));
    }
  }
  if (listing === null) return;
  for await (const batch of rows) {
    yield encode(batch.map((row) => record(listing.name, listing.columns, row)));
  }
};

const namesOf = ({ columns }: { readonly columns: readonly Column[] }): string[] => columns.map(({ name }) => name);

/** Where the end of a record is given, a lone CR or LF would else stay without quotes. */
const OPTIONS = { record_delimiter: '\r\n', quote_record_delimiter: true } as const;

const encode = (records: readonly (readonly string[])[]): Uint8Array =>
  Buffer.from(stringify(records as string[][], OPTIONS));
