import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLog } from './open-log.js';

const folder = mkdtempSync(path.join(tmpdir(), 'extremum-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the log of evaluations', () => {
  it('writes each number as the shortest text that reads back to the same bits', () => {
    const file = path.join(folder, 'deep', 'numbers.csv');
    const log = openLog({ file }, 2, 1);
    log.add(1, 'value', false, Float64Array.of(9, 0.1), 1, Float64Array.of(-0, 5e-324));
    log.add(2, 'value', true, null, 0, Float64Array.of(Infinity, -Infinity));
    log.add(3, 'bounds', false, null, 0, null);
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
    const file = path.join(folder, 'deep', 'numbers.csv', 'below-a-file.csv');
    const log = openLog({ file }, 1, 1);
    log.add(1, 'value', false, Float64Array.of(1), 0, Float64Array.of(1));
    log.close();
    expect(log.failure).toMatch(/ENOTDIR|EEXIST/);
  });
});
