/**
 * JSON of an answer as tables that people read: names as words, units out of the names. The shape decides. Single
 * values share one table; lists of equal length stand side by side; a list of objects is a table, with further ones for
 * the lists in it. Work and length are bounded whatever comes: what is left out is said in a row, with the path that
 * holds it.
 */
import type { Json, JsonObject } from '../model/problem.js';
import type { Cell, Column, Row, Table } from './document.js';
import { cutTo } from './text.js';

/** Rows of a table. */
export const MAX_ROWS = 100;
/** Tables of one object. */
const MAX_TABLES = 60;
/** Columns beside each other; more go on in a table below. */
const MAX_ACROSS = 9;
const MAX_COLUMNS = 36;
/** Entries of a list within a cell, and its characters. */
const MAX_INLINE = 12;
const MAX_CELL = 600;
const MAX_DEPTH = 6;
/** Paths that are named because no table holds what is there. */
const MAX_LEFT = 40;

const INTEGER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Ends of names that are units. */
const UNITS: Readonly<Record<string, string>> = {
  mg: 'mg',
  mg_l: 'mg/l',
  mg_h_l: 'mg h/l',
  gy: 'Gy',
  h: 'h',
  per_h: '1/h',
  per_day: 'per day',
  days: 'days',
  seconds: 's',
  bytes: 'bytes',
  musd: 'million USD',
  usd: 'USD',
  eur: 'EUR',
  km: 'km',
  percent: '%',
};

/** `dose_per_fraction_gy`: "Dose per fraction (Gy)". */
export function worded(name: string): string {
  const unit = Object.keys(UNITS)
    .filter((end) => name.endsWith(`_${end}`))
    .reduce((longest, end) => (end.length > longest.length ? end : longest), '');
  const words = (unit === '' ? name : name.slice(0, -unit.length - 1)).replaceAll('_', ' ').trim();
  // Short names are symbols: r1, s and S are three things.
  const first = words.length <= 2 && words !== 'id' ? words : words.slice(0, 1).toUpperCase() + words.slice(1);
  return cutTo(first, MAX_CELL) + (unit === '' ? '' : ` (${UNITS[unit]})`);
}

type Scalar = null | boolean | number | string;

const isScalar = (value: Json | undefined): value is Scalar => value === null || typeof value !== 'object';
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json | undefined): value is JsonObject => !isScalar(value) && !isList(value);
const isScalars = (value: Json | undefined): value is readonly Scalar[] => isList(value) && value.every(isScalar);

/** A value for a column of text: whole numbers in full, others as the format rounds them. */
export function textCell(value: Scalar | undefined): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return cutTo(value, MAX_CELL);
  return Number.isSafeInteger(value) ? INTEGER.format(value) : value;
}

const SHORT = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6, useGrouping: true });

/** A list within a cell. */
function inline(values: readonly Scalar[]): string {
  const texts = values.slice(0, MAX_INLINE).map((value) => {
    const cell = textCell(value);
    if (cell === null) return '–';
    return typeof cell === 'string' ? cell : Number.isFinite(cell) ? SHORT.format(cell) : '–';
  });
  const more = values.length > MAX_INLINE ? [`… ${values.length} in all`] : [];
  return cutTo([...texts, ...more].join(', '), MAX_CELL);
}

/** A column's values, and the `label` that people call it by. */
export interface Field {
  readonly label: string;
  readonly values: readonly Cell[];
}

/** A table of columns, which have the kind that their values have and the room that these need. */
export function tableOf(name: string, title: string, fields: readonly Field[], count: number, where: string): Table {
  const shown = Math.min(count, MAX_ROWS);
  const columns = fields.map(({ label, values }, index): Column => {
    const kind = kindOf(values);
    return { name: `${name}.${index}`, label, kind, weight: weightOf(label, values, kind) };
  });
  const rows: Row[] = Array.from({ length: shown }, (_, row) =>
    fields.map(({ values }, index) => {
      const value = values[row] ?? null;
      return columns[index].kind === 'text' && typeof value === 'number' ? textCell(value) : value;
    }),
  );
  const heading =
    shown < count ? `${title}: the first ${shown} of ${INTEGER.format(count)}; all are in ${where}` : title;
  return { kind: 'table', name, title: heading, empty: 'There are none.', columns, rows };
}

function kindOf(values: readonly Cell[]): 'text' | 'integer' | 'number' {
  const there = values.filter((value) => value !== null);
  if (there.length === 0 || there.some((value) => typeof value === 'string')) return 'text';
  return there.every((value) => Number.isSafeInteger(value)) ? 'integer' : 'number';
}

/** By its longest entries, within limits: one text does not take the room of all others. */
function weightOf(label: string, values: readonly Cell[], kind: Column['kind']): number {
  const longest = values.reduce<number>((most, value) => {
    const length = typeof value === 'string' ? value.length : kind === 'number' ? 9 : INTEGER.format(value ?? 0).length;
    return Math.max(most, length);
  }, 0);
  const word = label.split(' ').reduce((most, one) => Math.max(most, one.length), 0);
  return Math.min(48, Math.max(6, longest, Math.min(word, 14) * 1.15));
}

/** Tables of an object. `path`: where clients find it. */
export function tablesOfJson(object: JsonObject, title: string, path: string): readonly Table[] {
  const maker = new Maker();
  maker.object(object, title, path, 0);
  return maker.done();
}

/** Tables of a list of objects. */
export function tablesOfList(list: readonly JsonObject[], title: string, path: string): readonly Table[] {
  const maker = new Maker();
  maker.list(list, title, path, 0);
  return maker.done();
}

class Maker {
  readonly tables: Table[] = [];
  /** Paths of the parts that no table holds. */
  private readonly left: string[] = [];

  done(): readonly Table[] {
    if (this.left.length === 0) return this.tables;
    const fields = [{ label: 'In the record as', values: this.left }];
    return [
      ...this.tables,
      tableOf('left_out', 'Too long, wide or deep for this report', fields, this.left.length, 'it'),
    ];
  }

  private add(title: string, fields: readonly Field[], count: number, where: string): void {
    if (this.tables.length >= MAX_TABLES) return this.elsewhere(where);
    this.tables.push(tableOf(where, cutTo(title, MAX_CELL), fields, count, where));
  }

  /** Columns in groups that a page has room for, each with the first one. */
  private wide(title: string, fields: readonly Field[], count: number, where: string): void {
    const [first, ...others] = fields.slice(0, MAX_COLUMNS);
    if (first === undefined) return;
    const left = fields.length - MAX_COLUMNS;
    for (let from = 0; from === 0 || from < others.length; from += MAX_ACROSS - 1) {
      const isLast = from + MAX_ACROSS - 1 >= others.length;
      const more = isLast && left > 0 ? `, ${left} more columns are in ${where}` : '';
      const name = from === 0 ? title : `${title}, continued`;
      this.add(name + more, [first, ...others.slice(from, from + MAX_ACROSS - 1)], count, where);
    }
  }

  object(object: JsonObject, title: string, path: string, depth: number): void {
    // Keys may be names of many things: no more of them are looked at than are shown.
    const entries: [string, Json][] = [];
    let count = 0;
    for (const name in object) if (++count <= MAX_ROWS) entries.push([name, object[name]!]);
    const lists = new Map<number, [string, readonly Scalar[]][]>();
    for (const [name, value] of entries) {
      if (isScalars(value) && value.length > 1)
        lists.set(value.length, [...(lists.get(value.length) ?? []), [name, value]]);
    }
    const isInline = (value: Json): value is readonly Scalar[] =>
      isScalars(value) && value.length <= MAX_INLINE && (lists.get(value.length)?.length ?? 1) === 1;
    const single = entries.filter(([, value]) => isScalar(value) || isInline(value) || isEmpty(value));
    if (single.length > 0) {
      const values = single.map(([, value]) =>
        isScalar(value) ? textCell(value) : isScalars(value) ? inline(value) : 'none',
      );
      // Numbers by name may be those of things, whose names stay as they are.
      const areThings = depth > 0 && entries.every(([, value]) => typeof value === 'number');
      const label = single.length === entries.length && depth > 0 ? 'Name' : 'Quantity';
      this.add(
        title,
        [
          { label, values: single.map(([name]) => (areThings ? cutTo(name, MAX_CELL) : worded(name))) },
          { label: 'Value', values: values.map((value) => (value === '' ? 'none' : value)) },
        ],
        count > entries.length && single.length === entries.length ? count : single.length,
        path,
      );
    }
    for (const [length, own] of lists) {
      if (own.every(([, values]) => isInline(values))) continue;
      const place = { label: 'Place', values: Array.from({ length: Math.min(length, MAX_ROWS) }, (_, i) => i + 1) };
      const fields = own.map(([name, values]): Field => ({ label: worded(name), values: cells(values) }));
      const name = own.length === 1 ? worded(own[0][0]) : 'Lists, place by place';
      this.wide(depth === 0 ? name : `${title}: ${name}`, [place, ...fields], length, path);
    }
    for (const [name, value] of entries) {
      const below = depth === 0 ? worded(name) : `${title}: ${worded(name)}`;
      const where = `${path}.${name}`;
      if (isEmpty(value) || isScalar(value) || isScalars(value)) continue;
      if (depth >= MAX_DEPTH) this.elsewhere(where);
      else if (isObject(value)) this.object(value, below, where, depth + 1);
      else if (value.every(isObject)) this.list(value, below, where, depth + 1);
      else this.rows(value, below, where);
    }
  }

  list(list: readonly JsonObject[], title: string, path: string, depth: number): void {
    const shown = list.slice(0, MAX_ROWS);
    const labels = new Map<string, string>();
    const flat = shown.map((entry) => flattened(entry, labels));
    const names = [...new Set(flat.flatMap((entry) => [...entry.keys()]))];
    const isSimple = (name: string): boolean =>
      flat.every((entry) => {
        const value = entry.get(name);
        return value === undefined || isScalar(value) || isScalars(value);
      });
    const simple = names.filter(isSimple);
    const fields = simple.map((name): Field => {
      const values = flat.map((entry) => entry.get(name));
      const isList = values.some((value) => value !== undefined && !isScalar(value));
      return {
        label: labels.get(name) ?? worded(name),
        values: isList
          ? values.map((value) => (isScalars(value) ? inline(value) : textCell(value as Scalar)))
          : cells(values as Scalar[]),
      };
    });
    if (simple.length > 0) this.wide(title, fields, list.length, path);
    for (const name of names) {
      if (isSimple(name)) continue;
      flat.forEach((entry, index) => {
        const value = entry.get(name);
        const below = `${title} ${index + 1}: ${labels.get(name) ?? worded(name)}`;
        const where = `${path}[${index}].${name}`;
        if (value === undefined || isScalar(value)) return;
        if (depth >= MAX_DEPTH) this.elsewhere(where);
        else if (isObject(value)) this.object(value, below, where, depth + 1);
        else if (value.length > 0 && value.every(isObject)) this.list(value, below, where, depth + 1);
        else if (value.length > 0) this.rows(value, below, where);
      });
    }
  }

  /** Adds a list of rows, or of entries without a common shape. */
  private rows(list: readonly Json[], title: string, path: string): void {
    const rows = list.slice(0, MAX_ROWS);
    const isMatrix = rows.every(isScalars);
    const across = rows.reduce<number>((most, row) => Math.max(most, isList(row) ? row.length : 0), 0);
    if (!isMatrix || across > MAX_COLUMNS) return this.elsewhere(path);
    const place = { label: 'Row', values: rows.map((_, index) => index + 1) };
    const columns = Array.from({ length: across }, (_, column): Field => {
      return { label: String(column + 1), values: cells(rows.map((row) => row[column])) };
    });
    this.wide(title, [place, ...columns], list.length, path);
  }

  private elsewhere(path: string): void {
    const every = path.replaceAll(/\[\d+\]/g, '[]');
    if (this.left.includes(every)) return;
    if (this.left.length < MAX_LEFT) this.left.push(every);
    else if (this.left.length === MAX_LEFT) this.left.push('and more');
  }
}

const isEmpty = (value: Json): boolean =>
  value !== null && typeof value === 'object' && (isList(value) ? value.length === 0 : Object.keys(value).length === 0);

/** Numbers stay numbers, so that a column of them is one. */
const cells = (values: readonly (Scalar | undefined)[]): Cell[] =>
  values.slice(0, MAX_ROWS).map((value) => (typeof value === 'number' ? value : textCell(value)));

/** Members of an entry by their path, those of objects in it too; lists as they are. Their labels go to `labels`. */
function flattened(entry: JsonObject, labels: Map<string, string>): Map<string, Json> {
  const flat = new Map<string, Json>();
  const add = (object: JsonObject, path: string, label: string, depth: number): void => {
    for (const [name, value] of Object.entries(object).slice(0, MAX_COLUMNS + 1)) {
      const where = path === '' ? name : `${path}.${name}`;
      // Below the first one it may be the name of a thing.
      const own = path === '' ? worded(name) : `${label}: ${name}`;
      if (isObject(value) && depth < 2) add(value, where, own, depth + 1);
      else {
        flat.set(where, value);
        labels.set(where, own);
      }
    }
  };
  add(entry, '', '', 0);
  return flat;
}
