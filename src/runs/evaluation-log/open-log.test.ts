import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { logFormatOf } from './formats.js';
import { openLog } from './open-log.js';
import { ThriftWriter } from './thrift-writer.js';

const folder = mkdtempSync(path.join(tmpdir(), 'extremum-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the log of evaluations', () => {
  it('is CSV or Parquet by its name, and nothing else', () => {
    expect(['a.csv', 'b.CSV', 'c.parquet', 'd.txt', 'csv'].map(logFormatOf)).toEqual([
      'csv',
      'csv',
      'parquet',
      null,
      null,
    ]);
  });

  it('writes each number as the shortest text that reads back to the same bits', () => {
    const file = path.join(folder, 'deep', 'numbers.csv');
    const log = openLog({ file, format: 'csv' }, 2, 1);
    log.add(1, 'value', false, Float64Array.of(0.1), 0, Float64Array.of(9, -0, 5e-324), 1);
    log.add(2, 'value', true, null, 0, Float64Array.of(Infinity, -Infinity), 0);
    log.add(3, 'bounds', false, null, 0, null, 0);
    expect(existsSync(file)).toBe(false);
    log.close();
    expect(log.failure).toBeNull();
    expect(readFileSync(file, 'utf8')).toBe(
      [
        'evaluation,reading,failed,value,x1,x2',
        '1,value,false,0.1,-0.0,5e-324',
        '2,value,true,,inf,-inf',
        '3,bounds,false,,,',
        '',
      ].join('\n'),
    );
  });

  it('that cannot be written says so and takes no more', () => {
    const file = path.join(folder, 'deep', 'numbers.csv', 'below-a-file.parquet');
    const log = openLog({ file, format: 'parquet' }, 1, 1);
    log.add(1, 'value', false, Float64Array.of(1), 0, Float64Array.of(1), 0);
    log.close();
    expect(log.failure).toMatch(/ENOTDIR|EEXIST/);
  });
});

describe('the compact protocol of Thrift', () => {
  it('writes fields by the difference of their numbers, integers as zigzag varints, and ends a struct with 0', () => {
    const out = new ThriftWriter();
    out.i32(1, 1);
    out.i64(3, 300);
    out.text(4, 'ab');
    out.i32s(6, [0, -1]);
    out.struct(7, () => out.i32(2, 64));
    // By hand, from the specification.
    const expected = [0x15, 2, 0x26, 0xd8, 0x04, 0x18, 2, 0x61, 0x62, 0x29, 0x25, 0, 1, 0x1c, 0x25, 0x80, 0x01, 0, 0];
    expect([...out.end()]).toEqual(expected);
  });
});
