/** Reports of analytics as files, from the real service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { FORMAT_FACTS, EXPORT_FORMATS } from '../../src/exports/export-format.js';
import { missingProgram, run } from '../support/programs.js';
import { findPython } from '../support/python.js';
import { SPHERE, startTestService, type Json, type TestService } from '../support/service.js';

const python = findPython('openpyxl');
const noPoppler = missingProgram('pdftotext', 'poppler-utils');

const today = new Date().toISOString().slice(0, 10);
const PERIOD = `start_date=${today}&end_date=${today}`;
const REPORTS = [`metrics?${PERIOD}`, 'executions?', 'performance?'] as const;

let service: TestService;
let folder: string;
let runs: Json[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'extremum-exports-'));
  service = await startTestService({ flags: ['--cost-per-evaluation', '0.125', '--currency', 'EUR'] });
  const sphere = await service.upload(SPHERE, 'sphere');
  const bad = await service.upload('def bad(x):\n    return 1 / (x[0] - x[0])\n', 'bad');
  runs = [];
  for (const [id, evaluations] of [
    [sphere, 40],
    [sphere, 60],
    [bad, 30],
  ] as const) {
    const request = { objective_function_id: id, bounds: [[-1, 1]], max_evaluations: evaluations, mode: 'accurate' };
    runs.push((await service.call('POST', '/v1/optimize', { body: { ...request, black_box: true } })).body);
  }
}, 60_000);
afterAll(async () => {
  await service.cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${service.url}/v1/analytics/${path}`, { ...init, headers: { authorization: `Bearer ${service.key}` } });

async function file(path: string): Promise<Buffer> {
  const answer = await ask(path);
  expect(answer.status, path).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** By table, each record as an object of the columns that it has. */
function csvTables(csv: string): Record<string, Record<string, string>[]> {
  const [header = [], ...records] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  const tables: Record<string, Record<string, string>[]> = {};
  for (const [table = '', ...fields] of records) {
    const entries = fields
      .map((field, index) => [header[index + 1], field] as const)
      .filter(([, field]) => field !== '');
    (tables[table] ??= []).push(Object.fromEntries(entries));
  }
  return tables;
}

const json = async (path: string): Promise<Json> => (await ask(path)).json();

function sheetsOf(bytes: Buffer): Record<string, unknown[][]> {
  const path = join(folder, 'report.xlsx');
  writeFileSync(path, bytes);
  const script = fileURLToPath(new URL('../support/read-workbook.py', import.meta.url));
  const { sheets } = JSON.parse(run(python.command!, [script, path]));
  return Object.fromEntries(
    sheets.map(({ name, rows }: Json) => [
      name,
      rows.map((row: Json) => row.map(([, value]: Json) => value as unknown)),
    ]),
  );
}

describe('exported reports', () => {
  it.each(REPORTS.flatMap((report) => EXPORT_FORMATS.map((format) => [report, format] as const)))(
    'of %s come as %s with a type and a safe name, and HEAD says so',
    async (report, format) => {
      const path = `${report}&format=${format}`.replace('?&', '?');
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(path, { method });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe(FORMAT_FACTS[format].mediaType);
        const name = /^attachment; filename="([A-Za-z0-9.-]+)"$/.exec(
          answer.headers.get('content-disposition') ?? '',
        )?.[1];
        expect(name).toMatch(new RegExp(`^extremum-${report.split('?')[0]}-[0-9-]+(to-[0-9-]+)?\\.${format}$`));
        const bytes = Buffer.from(await answer.arrayBuffer());
        if (method === 'HEAD') expect(bytes).toHaveLength(0);
        else
          expect(bytes.subarray(0, 4).toString('latin1')).toBe(
            { csv: 'tabl', xlsx: 'PK\u0003\u0004', pdf: '%PDF' }[format],
          );
      }
    },
  );

  it.each(REPORTS)('of %s are JSON where no format is asked for, or that', async (report) => {
    for (const path of [report, `${report}&format=json`.replace('?&', '?')]) {
      const answer = await ask(path);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBeNull();
    }
  });

  it.each(REPORTS.flatMap((report) => ['xml', 'CSV', '', 'csv%20'].map((format) => [report, format] as const)))(
    'of %s as "%s" are refused, naming `format`',
    async (report, format) => {
      const answer = await ask(`${report}&format=${format}`.replace('?&', '?'));
      expect(answer.status).toBe(400);
      expect((await answer.json()).error).toMatchObject({ code: 'invalid_request', field: 'format' });
    },
  );

  it('have the numbers of the JSON report in csv', async () => {
    const [metrics, executions, performance] = await Promise.all(REPORTS.map(json));
    const m = csvTables((await file(`${REPORTS[0]}&format=csv`)).toString());
    const { cost, ...counts } = metrics.metrics;
    const text = (object: object) =>
      Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]));
    expect(m['metrics']).toEqual([{ ...text(counts), 'cost.total': String(cost.total), 'cost.currency': 'EUR' }]);
    expect(m['trends'].map((row) => Number(row['optimizations_per_day']))).toEqual(
      metrics.trends.optimizations_per_day,
    );
    expect(m['trends'].map((row) => Number(row['success_rate']))).toEqual(metrics.trends.success_rate);

    const e = csvTables((await file('executions?format=csv')).toString());
    expect(e['summary']).toEqual([
      {
        total: '3',
        ...text(
          Object.fromEntries(
            Object.entries(executions.by_status as object).map(([name, n]) => [`by_status.${name}`, n as number]),
          ),
        ),
      },
    ]);
    expect(e['time_series']).toEqual(executions.time_series.map(text));
    expect(e['by_optimization']).toEqual(executions.by_optimization.map(text));
    expect(e['executions']).toEqual(
      runs.toReversed().map((one) => ({
        id: one.id,
        created_at: one.created_at,
        status: one.status,
        evaluations: String(one.evaluations),
        duration_seconds: String(one.duration_seconds),
        ...(one.best_fitness === null ? {} : { best_fitness: String(one.best_fitness) }),
        strategy_used: one.strategy_used,
        cost: String(0.125 * one.evaluations),
      })),
    );

    const p = csvTables((await file('performance?format=csv')).toString());
    expect(p['execution_time']).toEqual([
      text(
        Object.fromEntries(
          Object.entries(performance.execution_time as object).map(([name, n]) => [
            `execution_time.${name}`,
            n as number,
          ]),
        ),
      ),
    ]);
    expect(p['cost_efficiency']).toEqual([
      {
        'cost_efficiency.cost_per_execution': String(performance.cost_efficiency.cost_per_execution),
        'cost_efficiency.currency': 'EUR',
      },
    ]);
  });

  it.skipIf(python.command === null)(`have them in xlsx ${python.reason}`, async () => {
    const executions = await json('executions?');
    const sheets = sheetsOf(await file('executions?format=xlsx'));
    expect(Object.keys(sheets)).toEqual(['Overview', 'Executions per day', 'By optimization', 'Executions']);
    expect(sheets['Executions per day'].slice(1).map(([, ...numbers]) => numbers)).toEqual(
      executions.time_series.map(({ optimizations, successful, failed }: Json) => [optimizations, successful, failed]),
    );
    expect(sheets['Executions'].slice(1)).toEqual(
      runs
        .toReversed()
        .map((one) => [
          one.id,
          (one.created_at as string).slice(0, -1),
          one.status,
          one.evaluations,
          one.duration_seconds,
          one.best_fitness,
          one.strategy_used,
          0.125 * one.evaluations,
        ]),
    );
    const { metrics } = await json(REPORTS[0]);
    const overview = new Map(
      sheetsOf(await file(`${REPORTS[0]}&format=xlsx`))['Overview'].map(([name, value]) => [name, value]),
    );
    expect(overview.get('Evaluations')).toBe(metrics.total_evaluations);
    expect(overview.get('Cost')).toBe(metrics.cost.total);
  });

  it.skipIf(noPoppler !== '')(`have them in pdf, rounded ${noPoppler}`, async () => {
    const { metrics } = await json(REPORTS[0]);
    const pdf = async (report: string): Promise<string> => {
      const path = join(folder, 'report.pdf');
      writeFileSync(path, await file(`${report}&format=pdf`.replace('?&', '?')));
      return run('pdftotext', ['-layout', path, '-']);
    };
    const text = await pdf(REPORTS[0]);
    expect(text).toContain(`Account default, ${today} 00:00 to ${today} 23:59 UTC`);
    expect(text).toContain(`${Number(metrics.average_optimization_time.toPrecision(6))} s`);
    expect(text).toContain(`${metrics.cost.total} EUR`);
    const listed = await pdf('executions?');
    for (const one of runs) expect(listed).toMatch(new RegExp(`${one.id} .*${one.status} +${one.evaluations} `));
    expect(await pdf('performance?')).toContain('99 of 100 within');
  });

  it('are counted, by what came of them', async () => {
    await file('executions?format=xlsx');
    const count = async (): Promise<number> => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      const sample = /^extremum_export_duration_seconds_count\{format="xlsx",outcome="complete"\} (\d+)$/m.exec(text);
      return Number(sample?.[1] ?? 0);
    };
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await file('executions?format=xlsx');
    expect(await count()).toBe(before + 1);
  });

  it('obey the filters of the report', async () => {
    const [first, , third] = runs;
    const ids = async (query: string): Promise<(string | undefined)[]> =>
      (csvTables((await file(`executions?format=csv&${query}`)).toString())['executions'] ?? []).map(
        (row) => row['id'],
      );
    expect(await ids('status=failed')).toEqual([third.id]);
    expect(await ids(`optimization_id=${first.id}`)).toEqual([first.id]);
    expect(await ids('start_date=2020-01-01&end_date=2020-01-31')).toEqual([]);
  });

  it('never show what belongs to another account', async () => {
    const make = (account: string, scopes: string): Promise<string> =>
      createKey(['--account', account, '--scopes', scopes, '--data-dir', service.dataDir], parseConfig);
    const as = (key: string): Promise<Response> =>
      fetch(`${service.url}/v1/analytics/executions?format=csv`, { headers: { authorization: `Bearer ${key}` } });
    const tables = csvTables(await (await as(await make('others', 'read'))).text());
    expect(tables['executions']).toBeUndefined();
    expect(tables['summary']).toMatchObject([{ total: '0' }]);
    expect((await as(await make('others', 'run'))).status).toBe(403);
  });

  it('end with a client that leaves, and the service goes on', async () => {
    const gone = new AbortController();
    const answer = await ask('executions?format=pdf', { signal: gone.signal });
    gone.abort();
    await expect(answer.arrayBuffer()).rejects.toThrow();
    expect((await ask('executions?format=csv')).status).toBe(200);
  });
});
