/** Looked at with poppler and qpdf; the bytes are golden. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReportDocument, Row } from '../../src/exports/document.js';
import { pdfWriter } from '../../src/exports/pdf/pdf.js';
import { asRows, bytesOf, column, sampleDocument } from '../support/export-samples.js';
import { missingProgram, run } from '../support/programs.js';

const noPoppler = missingProgram('pdftotext', 'poppler-utils');
const noQpdf = missingProgram('qpdf', 'qpdf');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'extremum-pdf-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function fileOf(document: ReportDocument, rows: readonly Row[] = []): Promise<string> {
  const file = join(folder, 'report.pdf');
  writeFileSync(file, await bytesOf(pdfWriter(), document, rows));
  return file;
}

const textOf = async (document: ReportDocument, rows: readonly Row[] = []): Promise<string> =>
  run('pdftotext', ['-layout', await fileOf(document, rows), '-']);

const months = ['2026-08', '2026-09', '2026-10'];
/** With one of everything. */
const everything = sampleDocument(['text', 'time', 'integer', 'number'], {
  account: 'Ελλάδα & Россия',
  filters: ['Only executions of the status completed.'],
  sections: [
    {
      kind: 'facts',
      name: 'summary',
      title: 'Summary',
      facts: [
        { column: column('total', 'integer'), value: 1_234_567 },
        { column: column('rate', 'share'), value: 2 / 3 },
        { column: column('cost', 'money'), value: 1234.5678901 },
        { column: column('memory', 'bytes'), value: 3 * 2 ** 30 },
        { column: column('none', 'number'), value: null },
      ],
    },
    {
      kind: 'chart',
      shape: 'bars',
      title: 'Runs',
      unit: 'integer',
      categories: months,
      series: [
        { label: 'Completed', role: 'good', values: [10, 20, 30] },
        { label: 'Failed', role: 'bad', values: [1, 0, 3] },
      ],
    },
    {
      kind: 'chart',
      shape: 'line',
      title: 'Rate',
      unit: 'share',
      categories: months,
      series: [{ label: 'Rate', role: 'main', values: [0.9, null, 1] }],
    },
    {
      kind: 'table',
      name: 'empty',
      title: 'Nothing',
      empty: 'There is nothing.',
      columns: [column('a', 'text')],
      rows: [],
    },
  ],
});
const someRows: Row[] = Array.from({ length: 120 }, (_, index) => [
  `opt_${index}`,
  Date.UTC(2026, 9, 1, 0, index),
  index * 1000,
  1e-9 * (index + 1),
]);

describe.skipIf(noPoppler !== '')(`pdf, as text ${noPoppler}`, () => {
  it('shows Latin, Greek, Cyrillic and other letters that the font has', async () => {
    const texts = [
      'naïve façade',
      'Ελληνικά γράμματα',
      'Кириллица Ёж',
      'Ḥaḍramawt',
      'e\u0301te\u0301',
      '→≤∞€',
      'Հայերեն',
      'ქართული',
    ];
    const text = (await textOf(sampleDocument(['text']), asRows(texts))).normalize('NFC');
    for (const expected of texts) expect(text).toContain(expected.normalize('NFC'));
    expect(text).not.toContain('\ufffd');
  });

  it('puts U+FFFD for what the font lacks, and says so', async () => {
    const text = await textOf(sampleDocument(['text']), asRows(['日本 x', 'a\0b', '\ud800y', '𠀀z']));
    for (const expected of ['\ufffd\ufffd x', 'a\ufffdb', '\ufffdy', '\ufffdz']) expect(text).toContain(expected);
    expect(text).toContain('Characters that the font of this file lacks are shown as \ufffd.');
  });

  it('has the account, the period and its number on every page, and every row once', async () => {
    const pages = (await textOf(everything, someRows)).split('\f').slice(0, -1);
    expect(pages.length).toBeGreaterThan(3);
    pages.forEach((page, index) => {
      expect(page).toContain('Account Ελλάδα & Россия, 2026-10-01 00:00 to 2026-10-31 23:59 UTC');
      expect(page).toMatch(new RegExp(`Created 2026-11-02 03:04 UTC by Extremum\\s+Page ${index + 1}\n`));
    });
    const listed = [...pages.join('').matchAll(/\bopt_(\d+)\b/g)].map(([, number]) => Number(number));
    expect(listed).toEqual(someRows.map((_, index) => index));
    // The header is repeated.
    expect(pages.filter((page) => page.includes('The c0_text'))).toHaveLength(pages.length - 1);
  });

  it('shows numbers for people, and what is missing as a dash', async () => {
    const [first] = (await textOf(everything)).split('\f');
    for (const expected of [
      '1,234,567',
      '66.6667 %',
      '1,234.57 EUR',
      '3 GiB',
      '–',
      'There is nothing.',
      'Only executions',
    ]) {
      expect(first).toContain(expected);
    }
  });

  it('cuts what is too long for a line of the listing, and breaks it elsewhere', async () => {
    const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const table = {
      kind: 'table',
      name: 't',
      title: 'T',
      empty: '',
      columns: [column('a', 'text'), column('b', 'text')],
      rows: [[long, 'x']],
    } as const;
    const [, listing] = (await textOf(sampleDocument(['text', 'text'], { sections: [table] }), [[long, 'x']])).split(
      '\f',
    );
    expect(listing).toMatch(/word0 .*word\d+…? *…? +x/);
    expect(listing).not.toContain('word59');
    expect((await textOf(sampleDocument([], { sections: [table], listing: null }))).match(/word\d+/g)).toHaveLength(60);
  });
});

describe.skipIf(noQpdf !== '')(`pdf, as a file ${noQpdf}`, () => {
  it.each([
    ['with everything', everything, someRows],
    ['with nothing', sampleDocument([], { listing: null }), []],
    ['with an empty listing', sampleDocument(['text']), []],
  ])('is sound %s', async (_title, document, rows) => {
    expect(run('qpdf', ['--check', await fileOf(document, rows)])).toContain(
      'No syntax or stream encoding errors found',
    );
  });
});

describe('pdf', () => {
  it('draws charts as paths, and embeds its fonts', async () => {
    const bytes = (await bytesOf(pdfWriter({ isCompressed: false }), everything)).toString('latin1');
    // Bars: of 3 + 2 values above zero in their colours; a dot on each side of the gap.
    expect(bytes.match(/^0\.184 0\.498 0\.757 rg [\d. ]+ re f$/gm)).toHaveLength(3 + 1);
    expect(bytes.match(/^0\.851 0\.439 0\.169 rg [\d. ]+ re f$/gm)).toHaveLength(2 + 1);
    expect(bytes.match(/ c [\d. -]+ c [\d. -]+ c [\d. -]+ c f$/gm)).toHaveLength(2);
    expect(bytes.includes('/Subtype /Image')).toBe(false);
    expect(bytes.match(/\/FontFile2/g)!.length).toBe(2);
    expect(bytes.includes('Helvetica')).toBe(false);
  });

  it('has the same bytes for the same document', async () => {
    const bytes = await bytesOf(pdfWriter({ isCompressed: false }), everything, someRows);
    // Of this writer, looked at as pictures when it was last changed; a new version of PDFKit or the font changes it,
    // too.
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      'd42232fb2012ea5b754a09e30dc067302defbebec3b87aa4638aff1e3dff085d',
    );
    const compressed = await bytesOf(pdfWriter(), everything, someRows);
    expect((await bytesOf(pdfWriter(), everything, someRows)).equals(compressed)).toBe(true);
  });

  it('bears charts of nothing, of one value and of 2,000', async () => {
    const chart = (count: number, value: number, shape: 'bars' | 'line') =>
      ({
        kind: 'chart',
        shape,
        title: 'T',
        unit: 'seconds',
        categories: Array.from({ length: count }, (_, index) => String(index)),
        series: [{ label: 'L', role: 'main', values: Array.from({ length: count }, () => value) }],
      }) as const;
    const charts = [0, 1, 2_000].flatMap((count) =>
      [0, 5e-324, 1e-9, 7, 1.7e308].flatMap((value) => [chart(count, value, 'bars'), chart(count, value, 'line')]),
    );
    const bytes = await bytesOf(
      pdfWriter({ isCompressed: false }),
      sampleDocument([], { sections: charts, listing: null }),
    );
    expect(/NaN|Infinity|undefined/.exec(bytes.toString('latin1'))).toBeNull();
  });
});
