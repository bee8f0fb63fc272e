/** Lists through the API: runs filtered, searched, sorted and summarized; pages of whatever has `data`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type Answer, type TestService } from '../support/service.js';

interface Summary {
  readonly id: string;
  readonly best_fitness: number;
  readonly curve: number[];
}

describe('lists', () => {
  let service: TestService;
  const ids: string[] = [];
  const get = (path: string): Promise<Answer> => service.call('GET', path);

  beforeAll(async () => {
    service = await startTestService({ flags: ['--python', 'off'] });
    const code = 'def f(x):\n    return (x[0] - 1) ** 2 + x[1] ** 2 + 3\n';
    const uploaded = await service.call('POST', '/v1/functions', { body: { name: 'Bowl', code, language: 'python' } });
    const requests = [
      { strategy: 'cma-es', metadata: { team: 'red', note: '100%' } },
      { strategy: 'nelder-mead', metadata: { team: 'blue' } },
      { strategy: 'cma-es', direction: 'maximize', metadata: { team: 'dark blue' } },
    ];
    for (const [n, more] of requests.entries()) {
      const bounds = [
        [-2, 2],
        [-2, 2],
      ];
      const run = { objective_function_id: uploaded.body.id as string, bounds, max_evaluations: 60 + n, seed: 1 };
      const made = await service.call('POST', '/v1/optimize', { body: { ...run, ...more } });
      expect(made.status).toBe(200);
      ids.push(made.body.id as string);
    }
  });
  afterAll(async () => service.cleanUp());

  const listed = async (query: string): Promise<number[]> => {
    const summaries = (await get(`/v1/optimize?view=summary&${query}`)).body as { data: Summary[]; total: number };
    const records = (await get(`/v1/optimize?${query}`)).body as { data: Summary[]; total: number };
    expect(records.total).toBe(summaries.total);
    expect(records.data.map(({ id }) => id)).toEqual(summaries.data.map(({ id }) => id));
    return summaries.data.map(({ id }) => ids.indexOf(id));
  };

  it.each([
    ['', [2, 1, 0]],
    ['strategy=cma-es', [2, 0]],
    ['strategy=nelder-mead&status=completed', [1]],
    ['strategy=lp', []],
    ['q=bowl', [2, 1, 0]],
    ['q=BLUE%20team', [2, 1]],
    ['q=dark%20blue', [2]],
    ['q=%25', [0]],
    ['q=.*', []],
    ['q=%00', []],
    ['q=%20', [2, 1, 0]],
    ['q=a%27%20OR%201=1', []],
    ['sort=created_at', [0, 1, 2]],
    ['sort=-best_fitness&limit=1', [2]],
    ['sort=evaluations', [0, 1, 2]],
    ['sort=-evaluations&offset=1', [1, 0]],
    ['sort=best_fitness&q=blue', [1, 2]],
    ['q=evaluations>60', [2, 1]],
    ['q=evaluations>%3D61+evaluations<62', [1]],
    ['q=evaluations%3D60&sort=best_fitness', [0]],
    ['q=Best<3.1', [1, 0]],
    ['q=best>-1e3+blue', [2, 1]],
    ['q=dimensions>2', []],
    ['q=dimensions%3D2', [2, 1, 0]],
    ['q=seconds<1e9+strategy:cma-es', [2, 0]],
    ['q=status:completed+strategy:cma-es+red', [0]],
    ['q=status:completed&status=completed', [2, 1, 0]],
    ['q=status:failed', []],
    ['q=function:func_1', []],
    ['q=note%3D100', []],
  ])('of runs with %s', async (query, expected) => {
    expect(await listed(query)).toEqual(expected);
  });

  it('of summaries have what the records say', async () => {
    const { data } = (await get('/v1/optimize?view=summary')).body as { data: Summary[] };
    for (const { curve, ...summary } of data) {
      const record = (await get(`/v1/optimize/${summary.id}`)).body as object;
      expect(record).toMatchObject(summary);
      expect(curve.at(-1)).toBe(summary.best_fitness);
      expect(curve.length).toBeGreaterThan(20);
      expect(curve.length).toBeLessThanOrEqual(32);
    }
    expect(data).toHaveLength(3);
  });

  it('refuse what is not known, and name what was meant', async () => {
    const refused = await get('/v1/optimize?sort=best_fitnes');
    expect(refused.status).toBe(400);
    expect(refused.body.error.field).toBe('sort');
    expect(refused.body.error.message).toMatch(/Did you mean "best_fitness"\?$/);
    expect((await get('/v1/optimize?strategy=cmaes')).body.error.message).toMatch(/Did you mean "cma-es"\?$/);
    expect((await get(`/v1/optimize?q=${'x'.repeat(10_000)}`)).body.error.field).toBe('q');
  });

  it('come in pages wherever there is `data`', async () => {
    const history = `/v1/optimize/${ids[0]}/history`;
    const paths = ['/v1/domains', '/v1/configuration/presets', `/v1/learning/similar/${ids[0]}`, history];
    for (const path of paths) {
      const all = (await get(path)).body as { data: unknown[]; total: number; limit: number; offset: number };
      expect(all).toMatchObject({ total: all.data.length, limit: path === history ? 2000 : 20, offset: 0 });
      const page = await get(`${path}?limit=2&offset=1`);
      expect(page.body).toEqual({ data: all.data.slice(1, 3), total: all.total, limit: 2, offset: 1 });
      expect((await get(`${path}?limit=101`)).body.error.field).toBe('limit');
      expect((await get(`${path}?offset=5000`)).body.data).toEqual([]);
    }
    expect((await get(history)).body.total).toBeGreaterThan(3);
  });

  it('and bodies that are not JSON are told with their place', async () => {
    const answer = await service.call('POST', '/v1/functions', {
      body: '{"name": "f",\n "code": "def f(x): return 1",}',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toBe(
      'The body is not valid JSON: line 2, column 30: no `,` may stand before `}`.',
    );
  });
});
