/** Logs of evaluations, as their readers have them: pandas where it is there, and the text itself. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { SPHERE, startTestService, type Json } from '../support/service.js';

const folder = mkdtempSync(path.join(tmpdir(), 'extremum-evaluations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fails on a part of the box. */
const PARTIAL = 'import math\n\ndef partial(x):\n    return math.sqrt(x[0]) + (x[1] - 0.3) ** 2 * (x[1] + 2)\n';
const file = path.join(folder, 'partial.py');
writeFileSync(file, PARTIAL);

function optimize(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const command = ['optimize', file, '--bounds=-1:3x2', '--python', 'off', '--budget', '600', '--seed', '3', '--json'];
  return spawnSync(process.execPath, [path.join(packageRoot(), 'dist/cli/main.js'), ...command, ...args], {
    encoding: 'utf8',
    cwd: folder,
  });
}

interface Row {
  readonly evaluation: number;
  readonly reading: string;
  readonly failed: boolean;
  readonly value: number;
  readonly x: readonly number[];
}

const numberOf = (text: string): number =>
  text === '' ? NaN : text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text);

function rowsIn(csv: string): Row[] {
  const [head = '', ...lines] = csv.trimEnd().split('\n');
  expect(head).toBe('evaluation,reading,failed,value,x1,x2');
  return lines.map((line) => {
    const [evaluation = '', reading = '', failed = '', value = '', ...x] = line.split(',');
    return {
      evaluation: Number(evaluation),
      reading,
      failed: failed === 'true',
      value: numberOf(value),
      x: x.map(numberOf),
    };
  });
}

/** Improvements that the rows show, as the history has them. */
function improvements(rows: readonly Row[]): { evaluations: number; best_fitness: number }[] {
  let best = Infinity;
  const found = [];
  for (const { evaluation, value } of rows) {
    if (!(value < best) || value === -Infinity) continue;
    best = value;
    found.push({ evaluations: evaluation, best_fitness: value });
  }
  return found;
}

const shortly = (history: Json): Json =>
  history.map(({ evaluations, best_fitness }: Json) => ({ evaluations, best_fitness }));

describe('extremum optimize --log-evaluations', () => {
  it('writes a row for each evaluation; they say what the record and its history say', () => {
    const log = path.join(folder, 'all.csv');
    const run = optimize('--log-evaluations', log, '--explain', '5');
    expect(run.stderr).toBe('');
    const record = JSON.parse(run.stdout);
    const rows = rowsIn(readFileSync(log, 'utf8'));
    expect(rows.map(({ evaluation }) => evaluation)).toEqual(rows.map((_, i) => i + 1));
    expect(rows.length).toBe(record.evaluations);
    expect(rows.filter(({ failed }) => failed).length).toBe(record.failed_evaluations);
    expect(record.failed_evaluations).toBeGreaterThan(0);
    expect(improvements(rows)).toEqual(shortly(record.history));
    const best = rows.find(({ value }) => value === record.best_fitness);
    expect(best?.x).toEqual(record.best_solution);
    // Nothing is left of the file that it was while the run went on.
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  }, 60_000);

  it('refuses a file that is there', () => {
    writeFileSync(path.join(folder, 'there.csv'), 'mine');
    const taken = optimize('--log-evaluations', path.join(folder, 'there.csv'));
    expect([taken.status, taken.stderr]).toEqual([2, expect.stringContaining('exists, and nothing is overwritten')]);
    expect(readFileSync(path.join(folder, 'there.csv'), 'utf8')).toBe('mine');
  }, 60_000);

  it('refuses a name of another format than CSV', () => {
    const named = path.join(folder, 'log.parquet');
    const refused = optimize('--log-evaluations', named);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('--log-evaluations writes CSV')]);
    expect(existsSync(named)).toBe(false);
  }, 60_000);

  it('several objectives have a column each', () => {
    writeFileSync(path.join(folder, 'two.py'), 'def two(x):\n    return x[0] ** 2, (x[1] - 1) ** 2\n');
    const log = path.join(folder, 'two.csv');
    execFileSync(
      process.execPath,
      [
        path.join(packageRoot(), 'dist/cli/main.js'),
        ...['optimize', 'two.py', '--bounds=-1:3x2', '--python', 'off', '--budget', '100', '--seed', '1'],
        ...['--objectives', '2', '--maximize', '--no-curve', '--log-evaluations', log],
      ],
      { cwd: folder },
    );
    const [head, first = ''] = readFileSync(log, 'utf8').split('\n');
    expect(head).toBe('evaluation,reading,failed,value1,value2,x1,x2');
    const [, , , value1, value2, x1, x2] = first.split(',').map(Number);
    expect([value1, value2]).toEqual([x1 ** 2, (x2 - 1) ** 2]);
  }, 60_000);

  const pandas = ['python3', '/usr/bin/python3', process.env['EXTREMUM_PANDAS'] ?? ''].find(
    (python) => python !== '' && spawnSync(python, ['-c', 'import pandas'], { stdio: 'ignore' }).status === 0,
  );

  it('is read by pandas, in every bit', (context) => {
    context.skip(pandas === undefined, 'no Python has pandas; EXTREMUM_PANDAS may name one');
    const csv = path.join(folder, 'same.csv');
    const record = JSON.parse(optimize('--log-evaluations', csv).stdout);
    const script = `
import json, sys, pandas
csv = pandas.read_csv(sys.argv[1], float_precision='round_trip')
before = csv['value'].fillna(float('inf')).cummin().shift(fill_value=float('inf'))
best = csv[csv['value'] < before]
print(json.dumps({'rows': len(csv), 'failed': int(csv['failed'].sum()), 'dtypes': [str(t) for t in csv.dtypes],
    'history': [{'evaluations': int(e), 'best_fitness': float(v)} for e, v in zip(best['evaluation'], best['value'])]}))`;
    const read = JSON.parse(execFileSync(pandas!, ['-c', script, csv], { encoding: 'utf8' }));
    expect(read.rows).toBe(record.evaluations);
    expect(read.failed).toBe(record.failed_evaluations);
    expect(read.dtypes[0]).toBe('int64');
    expect(read.dtypes.slice(2)).toEqual(['bool', 'float64', 'float64', 'float64']);
    expect(read.history).toEqual(shortly(record.history));
  }, 60_000);

  it('is read by the lines of the guide', (context) => {
    context.skip(pandas === undefined, 'no Python has pandas; EXTREMUM_PANDAS may name one');
    const csv = path.join(folder, 'guide.csv');
    const record = JSON.parse(optimize('--log-evaluations', csv).stdout);
    const guide = readFileSync(path.join(packageRoot(), 'docs/guides/command-line.md'), 'utf8');
    const lines = /^```python\n(.*?)^```/ms.exec(guide)?.[1] ?? '';
    expect(lines).toContain('"FILE.csv"');
    const script = `${lines.replace('"FILE.csv"', JSON.stringify(csv))}
import json
print(json.dumps({'rows': len(rows), 'failed': int(rows['failed'].sum()), 'readings': sorted(set(values['reading'])),
    'best': rows.loc[rows['value'].idxmin(), ['value', 'x1', 'x2']].tolist()}))`;
    expect(JSON.parse(execFileSync(pandas!, ['-c', script], { encoding: 'utf8' }))).toEqual({
      rows: record.evaluations,
      failed: record.failed_evaluations,
      readings: ['value'],
      best: [record.best_fitness, ...record.best_solution],
    });
  }, 60_000);
});

describe('LOG_EVALUATIONS', () => {
  it('has the service write a file for each run', async () => {
    const logs = path.join(folder, 'logs');
    const service = await startTestService({ flags: ['--log-evaluations', logs, '--python', 'off'] });
    try {
      const id = await service.upload(SPHERE);
      const { body } = await service.call('POST', '/v1/optimize', {
        body: {
          objective_function_id: id,
          bounds: [
            [-3, 4],
            [-1, 2],
          ],
          max_evaluations: 500,
          seed: 1,
        },
      });
      expect(readdirSync(logs)).toEqual([`${body.id}.csv`]);
      const rows = rowsIn(readFileSync(path.join(logs, `${body.id}.csv`), 'utf8'));
      expect(rows.length).toBe(body.evaluations);
      const history = await service.call('GET', `/v1/optimize/${body.id}/history`);
      expect(improvements(rows)).toEqual(shortly(history.body.data));
    } finally {
      await service.cleanUp();
    }
    expect(existsSync(logs)).toBe(true);
  }, 60_000);
});
