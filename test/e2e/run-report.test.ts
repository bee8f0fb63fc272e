/** Reports of single runs as PDF, from the real service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { missingProgram, run } from '../support/programs.js';
import { BOWL, SPHERE, startTestService, type Json, type TestService } from '../support/service.js';

const noPoppler = missingProgram('pdftotext', 'poppler-utils');
const noQpdf = missingProgram('qpdf', 'qpdf');

const ASSETS = [
  { id: 'World equity', expected_return: 0.07, volatility: 0.2 },
  { id: 'Anleihen "Ü" Ελλάδα', expected_return: 0.03, volatility: 0.05 },
  { id: '<script>alert(1)</script>', expected_return: 0.05, volatility: 0.14 },
] as const;
const PORTFOLIO = {
  objective: 'max_sharpe',
  assets: ASSETS,
  correlation: [
    [1, 0.1, 0.2],
    [0.1, 1, 0.1],
    [0.2, 0.1, 1],
  ],
  risk_free_rate: 0.01,
};

let service: TestService;
let folder: string;
let portfolio: Json;
let infeasible: Json;
let plain: Json;
let failed: Json;
let front: Json;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'extremum-report-'));
  service = await startTestService({ flags: ['--python', 'off'] });
  const solve = async (config: object): Promise<Json> => {
    const body = { problem_type: 'portfolio', config, preset: 'research', seed: 5 };
    const answer = await service.call('POST', '/v1/domains/financial/optimize', { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const search = async (code: string, more: object): Promise<Json> => {
    const objective_function_id = await service.upload(code, 'Günther <b>');
    const body = { objective_function_id, preset: 'research', seed: 5, max_evaluations: 300, ...more };
    return (await service.call('POST', '/v1/optimize', { body })).body;
  };
  portfolio = await solve(PORTFOLIO);
  infeasible = await solve({ ...PORTFOLIO, min_weight: 0.4 });
  const bounds = [
    [-2, 3],
    [-2, 3],
  ];
  plain = await search(BOWL, { bounds });
  failed = await search('def bad(x):\n    return 1 / (x[0] - x[0])\n', { bounds });
  front = await search('def two(x):\n    return x[0] ** 2, (x[0] - 2) ** 2 + x[1] ** 2\n', { bounds, objectives: 2 });
}, 120_000);
afterAll(async () => {
  await service.cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (id: string, query = 'format=pdf', init: RequestInit = {}, key = service.key): Promise<Response> =>
  fetch(`${service.url}/v1/optimize/${id}/explanation?${query}`, {
    ...init,
    headers: { authorization: `Bearer ${key}` },
  });

async function file(id: string, query?: string): Promise<Buffer> {
  const answer = await ask(id, query);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

async function pathOf(id: string, query?: string): Promise<string> {
  const path = join(folder, 'report.pdf');
  writeFileSync(path, await file(id, query));
  return path;
}

const textOf = async (id: string, query?: string): Promise<string> =>
  run('pdftotext', ['-layout', await pathOf(id, query), '-']);

/** Without what a page does to words. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('the report of a run', () => {
  it('is a file with a type and a safe name, for HEAD, too', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(plain.id, 'format=pdf', { method });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      const day = (plain.completed_at as string).slice(0, 10);
      const name = `extremum-report-${plain.id}-${day}.pdf`.replaceAll('_', '-');
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.subarray(0, 4).toString('latin1')).toBe(method === 'GET' ? '%PDF' : '');
    }
  });

  it('has the same bytes each time, also for two who ask at once', async () => {
    const [one, two] = await Promise.all([file(portfolio.id), file(portfolio.id)]);
    expect(one.equals(two)).toBe(true);
    expect((await file(portfolio.id)).equals(one)).toBe(true);
  });

  it.each(['xml', 'PDF', '', 'csv'])('as "%s" is refused, naming `format`', async (format) => {
    const answer = await ask(plain.id, `format=${format}`);
    expect(answer.status).toBe(400);
    expect((await answer.json()).error).toMatchObject({ code: 'invalid_request', field: 'format' });
  });

  it('as JSON is the explanation', async () => {
    expect(await (await ask(plain.id, 'format=json')).json()).toEqual(plain.explanation);
  });

  it('is for its account, and for runs that there are and that have ended', async () => {
    const flags = ['--account', 'others', '--scopes', 'read', '--data-dir', service.dataDir];
    expect((await ask(plain.id, 'format=pdf', {}, await createKey(flags, parseConfig))).status).toBe(404);
    expect((await ask('opt_1')).status).toBe(404);
    const objective_function_id = await service.upload(SPHERE);
    const body = { objective_function_id, bounds: [[-1, 1]], max_evaluations: 10 ** 9, mode: 'accurate' };
    const headers = { prefer: 'respond-async' };
    const { id } = (await service.call('POST', '/v1/optimize', { body, headers })).body;
    expect((await ask(id)).status).toBe(409);
    await service.call('POST', `/v1/optimize/${id}/cancel`);
    expect((await file(id)).subarray(0, 4).toString('latin1')).toBe('%PDF');
  });

  it('ends with a client that leaves, and the service goes on', async () => {
    const gone = new AbortController();
    const asked = ask(portfolio.id, 'format=pdf', { signal: gone.signal });
    gone.abort();
    await expect(asked).rejects.toThrow();
    expect((await file(portfolio.id)).length).toBeGreaterThan(1_000);
  });

  it('is there once its function is deleted, too', async () => {
    const objective_function_id = await service.upload(BOWL, 'short-lived');
    const body = { objective_function_id, bounds: [[-1, 1]], max_evaluations: 20 };
    const { id } = (await service.call('POST', '/v1/optimize', { body })).body;
    await service.call('DELETE', `/v1/functions/${objective_function_id}`);
    expect((await file(id)).subarray(0, 4).toString('latin1')).toBe('%PDF');
  });

  it.skipIf(noPoppler !== '')(`tells a solved problem, every statement and picture of it ${noPoppler}`, async () => {
    const text = flat(await textOf(portfolio.id));
    for (const { id } of ASSETS) expect(text).toContain(id);
    expect(text).toContain('Report: Portfolio weights');
    expect(text).toContain('The answer is proven');
    for (const { text: said } of portfolio.explanation.statements) expect(text).toContain(flat(said as string));
    for (const { message } of portfolio.assumptions) expect(text).toContain(flat(message as string));
    expect(text).toMatch(/Seed 5 /);
    const images = run('pdfimages', ['-list', await pathOf(portfolio.id)])
      .trim()
      .split('\n')
      .slice(2);
    const sizes = await Promise.all(
      portfolio.visuals.map(async ({ url }: Json) => {
        const { body: svg } = await service.call('GET', url as string, { isText: true });
        const [, width, height] = /<svg [^>]*?width="(\d+)" height="(\d+)"/.exec(svg as string) ?? [];
        return `${3 * Number(width)} x ${3 * Number(height)}`;
      }),
    );
    const drawn = images.map((image) => / image +(\d+) +(\d+) +rgb /.exec(image)?.slice(1).join(' x '));
    expect(drawn.toSorted()).toEqual(sizes.toSorted());
    expect(drawn.length).toBeGreaterThan(0);
  });

  it.skipIf(noPoppler !== '')(`has more or less of the explanation, as \`level\` says ${noPoppler}`, async () => {
    const [least, most] = [await textOf(plain.id, 'format=pdf&level=0'), await textOf(plain.id, 'format=pdf&level=5')];
    expect(least).toContain('Level 0 was asked for');
    expect(least).not.toContain('Explanation, level 1');
    expect(most).toContain('Explanation, level 5');
  });

  it.skipIf(noPoppler !== '')(`tells a search, a front, and why there is no answer ${noPoppler}`, async () => {
    const searched = await textOf(plain.id);
    for (const expected of ['Report: Günther <b>', /x\[0\] +-?\d.* +-2 +3\n/, 'How sure the answer is']) {
      expect(searched).toMatch(expected);
    }
    expect(await textOf(front.id)).toMatch(/The best compromise \(knee of the front\)[^]*, the knee/);
    const bad = flat(await textOf(failed.id));
    expect(bad).toContain('Why there is no answer');
    expect(bad).toContain(flat(failed.error.message as string));
    const none = flat(await textOf(infeasible.id));
    expect(none).toContain(flat(infeasible.error.message as string));
    for (const name of infeasible.error.conflict) expect(none).toContain(name as string);
    expect(none).not.toContain('nobody voted');
  });

  it.skipIf(noQpdf !== '')(`is sound ${noQpdf}`, async () => {
    for (const { id } of [portfolio, infeasible, plain, failed, front]) {
      expect(run('qpdf', ['--check', await pathOf(id)])).toContain('No syntax or stream encoding errors found');
    }
  });
});
