/** Pasted JSON and CSV. */
import type { Json, JsonObject } from '../../model/problem.js';
import type { Message } from './message.js';

/** The JSON value in a message, from its first bracket on; null: there is none. */
export function pastedJson(text: string): Json | null {
  const open = text.search(/[[{]/);
  if (open < 0) return null;
  const close = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  if (close <= open) return null;
  try {
    const value = JSON.parse(text.slice(open, close + 1)) as Json;
    // "[10, 20]" in a sentence and coordinates are left to the other readers.
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

export interface Table {
  /** Lower case, with underscores. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Span in the text. */
  readonly start: number;
  readonly end: number;
}

const cellOf = (raw: string): string | number => {
  const text = raw.trim().replace(/^"(.*)"$/, '$1');
  const bare = text.replace(/^[$\u20ac\u00a3]\s*/, '').replace(/(?<=\d) ?%$/, '');
  if (!/^[+-]?(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?$/i.test(bare)) return text;
  return bare === text || !text.endsWith('%') ? Number(bare) : Number(bare) / 100;
};

/** Lines with equally many cells under a line of names; null: there is no such table. */
export function pastedTable(text: string): Table | null {
  const lines: { readonly text: string; readonly start: number }[] = [];
  let place = 0;
  for (const raw of text.split('\n')) {
    if (raw.trim() !== '') lines.push({ text: raw.trim(), start: place });
    place += raw.length + 1;
  }
  for (const sign of ['\t', '|', ';', ',']) {
    const split = lines.map((line) => line.text.replace(/^\||\|$/g, '').split(sign));
    const start = split.findIndex(
      (cells, i) =>
        cells.length >= 2 && cells.every((cell) => /^[\s"]*[a-z]/i.test(cell)) && split[i + 1]?.length === cells.length,
    );
    if (start < 0) continue;
    const width = split[start].length;
    const rows: (string | number)[][] = [];
    let last = start;
    for (const cells of split.slice(start + 1)) {
      if (cells.length !== width) break;
      last += 1;
      if (cells.every((cell) => /^[\s:-]*$/.test(cell))) continue;
      rows.push(cells.map(cellOf));
    }
    if (rows.length === 0 || !rows.some((row) => row.some((cell) => typeof cell === 'number'))) continue;
    const end = lines[last].start + lines[last].text.length + 1;
    return { columns: split[start].map((cell) => cell.trim().replaceAll('"', '').toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')), rows, start: lines[start].start, end }; // prettier-ignore
  }
  return null;
}

/** Rows as objects with the given fields, by what their columns are called; null: a needed column is missing. */
export function rowsAs(
  table: Table,
  fields: Readonly<Record<string, RegExp>>,
  needed: readonly string[],
): JsonObject[] | null {
  const columnOf = new Map<string, number>();
  for (const [field, names] of Object.entries(fields)) {
    const at = table.columns.findIndex((column, i) => names.test(column) && ![...columnOf.values()].includes(i));
    if (at >= 0) columnOf.set(field, at);
  }
  if (needed.some((field) => !columnOf.has(field))) return null;
  return table.rows.map((row) => Object.fromEntries([...columnOf].flatMap(([field, at]) => (row[at] === '' ? [] : [[field, field === 'id' ? String(row[at]) : row[at]]])))); // prettier-ignore
}

/** Quantities that stand in the table. */
export const insideTable = (message: Message, { start, end }: Table): number[] =>
  message.quantities.flatMap((one, i) => (one.start >= start && one.end <= end ? [i] : []));
