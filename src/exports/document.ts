/**
 * A report as every format can write it: facts, tables with typed columns, charts, prose, pictures, and at most one
 * listing, whose rows may be many and come batch by batch. Plain data: it crosses to the thread that writes. Writers
 * start at `formats.ts`; reports become documents in `reports.ts` (analytics) and `run-report.ts` (one run).
 */

/**
 * Kind of the values in a column, by which a format shows them: `text`; `integer` and `number`; `share` (0..1, a
 * percentage for people); `money`, in the document's currency; `seconds`; `bytes`; `date` (a day in UTC) and `time` (a
 * moment), both epoch milliseconds.
 */
export type ColumnKind = 'text' | 'integer' | 'number' | 'share' | 'money' | 'seconds' | 'bytes' | 'date' | 'time';

export interface Column {
  /** As the JSON report calls it; members of objects by their path (`cost.total`). */
  readonly name: string;
  /** Name for people. */
  readonly label: string;
  readonly kind: ColumnKind;
  /** Width beside the other columns, where a format has a page to share. Absent: by the kind. */
  readonly weight?: number;
}

/** Text for `text`, a number for all other kinds. Null, and a number that is not finite: there is none. */
export type Cell = string | number | null;
export type Row = readonly Cell[];

/** Single values, each with its name. */
export interface Facts {
  readonly kind: 'facts';
  /** Name for programs; unique in its document, as that of a table is. */
  readonly name: string;
  readonly title: string;
  readonly facts: readonly { readonly column: Column; readonly value: Cell }[];
}

export interface Table {
  readonly kind: 'table';
  readonly name: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Text in the place of rows where there are none. */
  readonly empty: string;
}

/** The meaning of a series, which decides its colour. */
export type SeriesRole = 'main' | 'good' | 'bad' | 'open';

interface Series {
  readonly label: string;
  readonly role: SeriesRole;
  /** One for each category; null: a gap. */
  readonly values: readonly (number | null)[];
}

/** Drawn where the format can draw; its numbers are in a table beside it. */
export interface Chart {
  readonly kind: 'chart';
  /** `bars` stacks its series; `line` joins the values of each. */
  readonly shape: 'bars' | 'line';
  readonly title: string;
  /** Unit of the values: `integer`, `share`, `seconds`, `money`. */
  readonly unit: ColumnKind;
  /** Labels along the axis. */
  readonly categories: readonly string[];
  readonly series: readonly Series[];
}

/** Prose, which only a page holds. */
export interface Prose {
  readonly kind: 'prose';
  readonly title: string;
  readonly paragraphs: readonly string[];
}

/** A picture of our own making as SVG, which only a page holds. It has a title of its own. */
interface Picture {
  readonly kind: 'picture';
  readonly svg: string;
}

export type Section = Facts | Table | Chart | Prose | Picture;

/** A table that comes last, whose rows are handed to the writer batch by batch. */
export type Listing = Omit<Table, 'rows' | 'kind'>;

export interface ReportDocument {
  /** `metrics`, `executions`, `performance`, or the run: for the name of the file. */
  readonly name: string;
  readonly title: string;
  /** Whose report it is. */
  readonly account: string;
  /** Epoch milliseconds, both inclusive; null: all time. */
  readonly period: { readonly start: number; readonly end: number } | null;
  /** Subject, in the place of account and period. Absent: those two. */
  readonly subject?: string;
  /** Parts that were left out, for people: one sentence each. */
  readonly filters: readonly string[];
  /** When the numbers were read, or the run ended: epoch milliseconds. */
  readonly createdAt: number;
  /** Code of the currency of `money`. */
  readonly currency: string;
  readonly sections: readonly Section[];
  readonly listing: Listing | null;
}

/** Batches of a listing's rows. */
export type Rows = AsyncIterable<readonly Row[]>;

/**
 * Writes a document in one format, piece by piece: it does no more than its reader asks for, and whoever stops reading
 * (`return()`) ends it, and `rows` with it.
 */
export type Writer = (document: ReportDocument, rows: Rows) => AsyncIterable<Uint8Array>;

/** The facts and tables: what formats without drawings hold. */
export const tablesOf = ({ sections }: Pick<ReportDocument, 'sections'>): readonly (Facts | Table)[] =>
  sections.filter((section) => section.kind === 'facts' || section.kind === 'table');

/** A cell's number; null where there is none. -0 is 0, as in JSON. */
export const numberOf = (cell: Cell | undefined): number | null =>
  typeof cell === 'number' && Number.isFinite(cell) ? cell + 0 : null;
