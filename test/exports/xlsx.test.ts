/** Read back by another implementation, openpyxl. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReportDocument, Row } from '../../src/exports/document.js';
import { MAX_SHEET_ROWS, writeXlsx } from '../../src/exports/xlsx/workbook.js';
import { asRows, bytesOf, column, HOSTILE_TEXTS, readable, sampleDocument } from '../support/export-samples.js';
import { run } from '../support/programs.js';
import { findPython } from '../support/python.js';

const python = findPython('openpyxl');

type ReadCell = [kind: 'none' | 'text' | 'number' | 'time', value: string | number | null, format: string];
interface Workbook {
  readonly created: string;
  readonly sheets: readonly {
    readonly name: string;
    readonly frozen: string | null;
    readonly filter: string | null;
    readonly rows: readonly (readonly ReadCell[])[];
  }[];
}

describe.skipIf(python.command === null)(`xlsx ${python.reason}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'extremum-xlsx-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function readBack(document: ReportDocument, rows: readonly Row[] = []): Promise<Workbook> {
    const file = join(folder, 'book.xlsx');
    writeFileSync(file, await bytesOf(writeXlsx, document, rows));
    const script = fileURLToPath(new URL('../support/read-workbook.py', import.meta.url));
    return JSON.parse(run(python.command!, [script, file])) as Workbook;
  }

  /** Of the listing, without its header. */
  async function listed(
    kinds: Parameters<typeof sampleDocument>[0],
    rows: readonly Row[],
  ): Promise<readonly (readonly ReadCell[])[]> {
    return (await readBack(sampleDocument(kinds), rows)).sheets.at(-1)!.rows.slice(1);
  }

  it('gives texts back as they were, as text', async () => {
    const texts = HOSTILE_TEXTS.filter((text) => text !== '');
    const cells = (await listed(['text'], asRows(texts))).map(([cell]) => cell);
    expect(cells.map(([kind]) => kind)).toEqual(texts.map(() => 'text'));
    // openpyxl leaves the escapes of SpreadsheetML as they are.
    const unescaped = cells.map(([, value]) => String(value).replaceAll('_x000D_', '\r').replaceAll('_x005F_', '_'));
    expect(unescaped).toEqual(texts.map(readable));
  });

  it('cuts text at what a cell holds, not through a character', async () => {
    const long = 'x'.repeat(40_000);
    const pairs = '😀'.repeat(20_000);
    const cells = await listed(['text'], asRows([long, pairs, 'y'.repeat(32_767)]));
    const [first, second, third] = cells.map(([cell]) => String(cell[1]));
    expect(first).toBe('x'.repeat(32_766) + '…');
    expect(second).toBe('😀'.repeat(16_383) + '…');
    expect(third).toBe('y'.repeat(32_767));
  });

  it('keeps the bits of numbers and leaves out what is none', async () => {
    const numbers = [0.1, -1 / 3, 5e-324, 1.7976931348623157e308, 2 ** 53, -0, NaN, Infinity, -Infinity, null];
    const cells = (
      await listed(
        ['number', 'integer'],
        numbers.map((value, index) => [value, index]),
      )
    ).map(([cell]) => cell);
    expect(cells.map(([, value]) => value)).toEqual([
      0.1,
      -1 / 3,
      5e-324,
      1.7976931348623157e308,
      2 ** 53,
      0,
      null,
      null,
      null,
      null,
    ]);
  });

  it('writes days and moments as dates in UTC, shares as percentages', async () => {
    const at = Date.UTC(2026, 1, 28, 23, 59, 59, 999);
    const day = Date.UTC(2026, 2, 1);
    const [first] = await listed(
      ['date', 'time', 'share', 'money', 'integer', 'bytes'],
      [[day, at, 0.125, 1.5, 7, 1024]],
    );
    expect(first).toEqual([
      ['time', '2026-03-01T00:00:00.000', 'yyyy\\-mm\\-dd'],
      ['time', '2026-02-28T23:59:59.999', 'yyyy\\-mm\\-dd hh:mm:ss.000'],
      ['number', 0.125, '0.00%'],
      ['number', 1.5, '#,##0.00####'],
      ['number', 7, '#,##0'],
      ['number', 1024, '#,##0'],
    ]);
  });

  it('has a sheet for each table, with names that are allowed and differ', async () => {
    const table = (title: string) =>
      ({ kind: 'table', name: title, title, empty: '', columns: [column('n', 'integer')], rows: [[1]] }) as const;
    const titles = ['a[b]:c*d?e/f\\g', 'Same', 'same', "'quoted'", 'History', 'x'.repeat(40), '???', '😀'.repeat(20)];
    const document = sampleDocument(['integer'], {
      sections: [
        { kind: 'facts', name: 'f', title: 'Facts', facts: [{ column: column('share', 'share'), value: 0.5 }] },
        ...titles.map(table),
      ],
    });
    const { sheets, created } = await readBack(document, [[1], [2], [3]]);
    expect(sheets.map(({ name }) => name)).toEqual([
      'Overview',
      'a b  c d e f g',
      'Same',
      'same 2',
      'quoted',
      'History 2',
      'x'.repeat(30) + '…',
      'Sheet',
      '😀'.repeat(15) + '…',
      'Rows',
    ]);
    expect(created).toMatch(/^2026-11-02T03:04:05/);
    expect(sheets[0].rows.map((row) => row.map(([, value]) => value).filter((value) => value !== null))).toEqual([
      ['Executions'],
      ['Account ACME, 2026-10-01 00:00 to 2026-10-31 23:59 UTC'],
      ['Created 2026-11-02 03:04 UTC by Extremum'],
      [],
      ['Facts'],
      ['The share', 0.5],
    ]);
    expect(sheets.at(-1)).toMatchObject({ frozen: 'A2', filter: 'A1:A1048576' });
    expect(sheets.at(-1)!.rows).toHaveLength(4);
  });

  it('is a sound archive, the same each time', async () => {
    const rows: Row[] = Array.from({ length: 20_000 }, (_, index) => [`text ${index}`, index / 7]);
    const document = sampleDocument(['text', 'number']);
    const file = join(folder, 'large.xlsx');
    const bytes = await bytesOf(writeXlsx, document, rows);
    writeFileSync(file, bytes);
    const check = 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).testzip())';
    expect(run(python.command!, ['-c', check, file]).trim()).toBe('None');
    expect((await bytesOf(writeXlsx, document, rows)).equals(bytes)).toBe(true);
  });
});

describe('xlsx of too many rows', () => {
  it('fails, and does not leave rows out', async () => {
    let asked = 0;
    async function* endless() {
      const batch: Row[] = Array.from({ length: 2 ** 18 }, () => []);
      for (;;) {
        asked++;
        yield batch;
      }
    }
    const reading = async (): Promise<void> => {
      for await (const piece of writeXlsx(sampleDocument([]), endless())) void piece;
    };
    await expect(reading()).rejects.toThrow(`A sheet has at most ${MAX_SHEET_ROWS} rows.`);
    expect(asked).toBe(4);
  });
});
