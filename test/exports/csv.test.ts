/** Read back by Python's own parser. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { writeCsv } from '../../src/exports/csv.js';
import { asRows, bytesOf, column, HOSTILE_TEXTS, readable, sampleDocument } from '../support/export-samples.js';
import { findPython } from '../support/python.js';

const python = findPython();

const PARSE = `
import csv, io, json, sys
text = sys.stdin.buffer.read().decode('utf-8')
json.dump(list(csv.reader(io.StringIO(text, newline=''), strict=True)), sys.stdout)
`;

function parse(csv: Buffer): string[][] {
  const { stdout, stderr, status } = spawnSync(python.command!, ['-c', PARSE], { input: csv, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as string[][];
}

describe('csv', () => {
  it.skipIf(python.command === null)(`gives texts back as they were ${python.reason}`, async () => {
    const records = parse(await bytesOf(writeCsv, sampleDocument(['text']), asRows(HOSTILE_TEXTS)));
    expect(records[0]).toEqual(['table', 'c0_text']);
    const texts = records.slice(1).map(([table, text]) => {
      expect(table).toBe('row');
      return text;
    });
    // The guard is the only thing that is added.
    const unguarded = texts.map((text, index) =>
      text === `'${readable(HOSTILE_TEXTS[index])}` ? text.slice(1) : text,
    );
    expect(unguarded).toEqual(HOSTILE_TEXTS.map(readable));
  });

  it.each(['=1', '+1', '-1', '@x', '\tx', '\rx', '\nx', ' =1', '\t=1', '＝1', '＋1', '－1', '＠x', '=', '-'])(
    'lets no spreadsheet take %j for a formula',
    async (text) => {
      const csv = (await bytesOf(writeCsv, sampleDocument(['text']), [[text]])).toString();
      const field = csv.slice(csv.indexOf('\r\nrow,') + 6).replace(/^"/, '');
      expect(field.startsWith(`'${text.slice(0, 1)}`)).toBe(true);
    },
  );

  it.each(['a=1', 'x-1', '1-2', "'", 'e+5'])('leaves %j alone', async (text) => {
    expect((await bytesOf(writeCsv, sampleDocument(['text']), [[text]])).toString()).toContain(`\r\nrow,${text}\r\n`);
  });

  it('writes numbers and times as JSON does, never guarded', async () => {
    const kinds = ['integer', 'number', 'share', 'money', 'date', 'time'] as const;
    const noon = Date.UTC(2026, 1, 3, 12, 30, 15, 7);
    const rows = [
      [-5, -1.5e-300, 0.1, 2 / 3, noon, noon],
      [-0, NaN, Infinity, -Infinity, null, null],
      [2 ** 53, 5e-324, 1, 1e21, 0, -1],
    ];
    const csv = (await bytesOf(writeCsv, sampleDocument(kinds), rows)).toString();
    expect(csv.split('\r\n').slice(1)).toEqual([
      `row,-5,-1.5e-300,0.1,${2 / 3},2026-02-03,2026-02-03T12:30:15.007Z`,
      'row,0,,,,,',
      'row,9007199254740992,5e-324,1,1e+21,1970-01-01,1969-12-31T23:59:59.999Z',
      '',
    ]);
  });

  it('has as many fields in every record, and each name of a column once', async () => {
    const document = sampleDocument(['integer'], {
      sections: [
        { kind: 'facts', name: 'sum', title: 'Sum', facts: [{ column: column('total', 'integer'), value: 3 }] },
        {
          kind: 'table',
          name: 'days',
          title: 'Days',
          empty: '',
          columns: [column('total', 'integer'), column('day', 'text')],
          rows: [[1, 'a']],
        },
        { kind: 'chart', shape: 'bars', title: '', unit: 'integer', categories: [], series: [] },
      ],
    });
    const csv = (await bytesOf(writeCsv, document, [[9]])).toString();
    expect(csv).toBe('table,total,day,c0_integer\r\nsum,3,,\r\ndays,1,a,\r\nrow,,,9\r\n');
  });

  it('has a header where there are no rows', async () => {
    expect((await bytesOf(writeCsv, sampleDocument(['integer', 'text']))).toString()).toBe(
      'table,c0_integer,c1_text\r\n',
    );
  });
});
