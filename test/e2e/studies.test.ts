/** Studies over HTTP: asked, told, killed, and compared with runs of an uploaded objective. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createKey } from '../../src/cli/keys.js';
import { parseConfig } from '../../src/config.js';
import { callingStrategies } from '../../src/planner/all-strategies.js';
import { dataFolder } from '../support/data-folder.js';
import { ApiContract } from '../support/api-contract.js';
import { endAll, startProcess, type ServiceProcess } from '../support/service-process.js';
import { startTestService, type Answer } from '../support/service.js';

const service = await startTestService({ flags: ['--python', 'off', '--rate-limit-per-minute', '0'] });
const contract = new ApiContract((await service.call('GET', '/v1/openapi.json')).body);
const call = contract.checked(service.call);
afterAll(() => service.cleanUp());

const BOUNDS = [
  [-5, 5],
  [-2, 8],
];
const ellipsoid = ([x, y]: readonly number[]): number => (x - 1) ** 2 + 10 * (y - 2) ** 2;

interface Candidate {
  readonly id: string;
  readonly solution: number[];
}

async function begin(body: object = {}): Promise<string> {
  const made = await call('POST', '/v1/studies', { body: { bounds: BOUNDS, seed: 3, ...body } });
  expect(made.status).toBe(201);
  expect(made.headers.get('location')).toBe(`/v1/studies/${made.body.id}`);
  return made.body.id as string;
}
const ask = (id: string, body: object = {}, headers = {}): Promise<Answer> =>
  call('POST', `/v1/studies/${id}/ask`, { body, headers });
const tell = (id: string, results: object[], headers = {}): Promise<Answer> =>
  call('POST', `/v1/studies/${id}/tell`, { body: { results }, headers });
const candidatesOf = async (id: string, count = 1): Promise<Candidate[]> =>
  (await ask(id, { count })).body.candidates as Candidate[];
const valued = ({ id, solution }: Candidate): object => ({ id, values: [ellipsoid(solution)] });

describe('a study', () => {
  it('has no hypervolume where that lies beyond float64', async () => {
    const id = await begin({ objectives: 2 });
    const results = Array.from({ length: 50 }, (_, k) => ({ solution: [k / 10, 0], values: [k * 1e300, -k * 1e300] }));
    expect((await tell(id, results)).status).toBe(200);
    const best = await call('GET', `/v1/studies/${id}/best`);
    expect(best).toMatchObject({ status: 200, body: { hypervolume: null } });
    expect(best.body.pareto_front).toHaveLength(50);
  });

  it('is made, asked, told, shown, listed and deleted', async () => {
    const id = await begin({ max_evaluations: 4, metadata: { a: 1 }, directions: ['maximize'], strategy: 'cma-es' });
    const fresh = (await call('GET', `/v1/studies/${id}`)).body;
    expect(fresh).toMatchObject({
      id,
      status: 'running',
      evaluations: 0,
      failed_evaluations: 0,
      open: 0,
      best_fitness: null,
      bounds: BOUNDS,
      objectives: 1,
      directions: ['maximize'],
      strategy: 'cma-es',
      seed: 3,
      max_evaluations: 4,
      metadata: { a: 1 },
    });
    expect((await call('GET', `/v1/studies/${id}/best`)).body).toEqual({ best_solution: null, best_fitness: null });
    const asked = await ask(id, { count: 2 });
    const [one, two] = asked.body.candidates as [Candidate, Candidate];
    expect(asked.body.remaining).toBe(4);
    const told = await tell(id, [
      { id: one.id, values: [7] },
      { id: two.id, failed: true },
      { solution: [0, 0], values: [6] },
    ]);
    expect(told.body).toEqual({ accepted: 3, evaluations: 3 });
    expect((await call('GET', `/v1/studies/${id}/best`)).body).toEqual({
      best_solution: one.solution,
      best_fitness: 7,
    });
    await tell(id, [{ solution: [1, 1], values: [8] }]);
    const ended = (await call('GET', `/v1/studies/${id}`)).body;
    expect(ended).toMatchObject({ status: 'completed', evaluations: 4, failed_evaluations: 1, best_fitness: 8 });
    expect((await ask(id)).status).toBe(409);
    expect((await call('GET', `/v1/studies/${id}/points?limit=3`)).body).toEqual({
      data: [
        { id: expect.any(String) as string, status: 'told', asked: false, solution: [1, 1], values: [8] },
        { id: expect.any(String) as string, status: 'told', asked: false, solution: [0, 0], values: [6] },
        { id: two.id, status: 'failed', asked: true, solution: two.solution, values: null },
      ],
      total: 4,
      limit: 3,
      offset: 0,
    });
    const { data, total } = (await call('GET', '/v1/studies?limit=1')).body;
    expect(total).toBeGreaterThan(0);
    expect(data[0]).toEqual(ended);
    expect((await call('DELETE', `/v1/studies/${id}`)).status).toBe(204);
    for (const [method, path, body] of [
      ['DELETE', ''],
      ['GET', ''],
      ['GET', '/best'],
      ['GET', '/points'],
      ['POST', '/ask', {}],
      ['POST', '/tell', { results: [{ solution: [0, 0], values: [1] }] }],
    ] as const) {
      expect((await call(method, `/v1/studies/${id}${path}`, body === undefined ? {} : { body })).status).toBe(404);
    }
  });

  it('has the defaults of its account', async () => {
    const { body } = await call('POST', '/v1/studies', { body: { bounds: [[0, 1]] } });
    expect(body).toMatchObject({ strategy: 'planner', max_evaluations: 1000, directions: ['minimize'], metadata: {} });
    expect(Number.isSafeInteger(body.seed)).toBe(true);
  });

  it('takes a value once and no other, and names what it refuses', async () => {
    const id = await begin();
    const [one, two] = (await candidatesOf(id, 2)) as [Candidate, Candidate];
    expect((await tell(id, [{ id: one.id, values: [1] }])).body).toEqual({ accepted: 1, evaluations: 1 });
    expect((await tell(id, [{ id: one.id, values: [1] }])).body).toEqual({ accepted: 0, evaluations: 1 });
    expect((await tell(id, [{ solution: one.solution, values: [1] }])).body).toEqual({ accepted: 0, evaluations: 1 });
    expect((await tell(id, [{ id: one.id, values: [2] }])).status).toBe(409);
    const both = [
      { id: two.id, values: [5] },
      { id: one.id, failed: true },
    ];
    expect((await tell(id, both)).status).toBe(409);
    expect((await call('GET', `/v1/studies/${id}`)).body).toMatchObject({ evaluations: 1, open: 1 });

    const other = await begin();
    const [stranger] = await candidatesOf(other);
    const refused: [object, string][] = [
      [{ id: stranger.id, values: [1] }, 'results[0].id'],
      [{ id: 'point_1', values: [1] }, 'results[0].id'],
      [{ id: 7, values: [1] }, 'results[0].id'],
      [{ id: two.id }, 'results[0]'],
      [{ values: [1] }, 'results[0]'],
      [{ id: two.id, solution: [0, 0], values: [1] }, 'results[0]'],
      [{ id: two.id, values: [1], failed: true }, 'results[0]'],
      [{ id: two.id, values: [1, 2] }, 'results[0].values'],
      [{ id: two.id, values: [] }, 'results[0].values'],
      [{ id: two.id, values: [null] }, 'results[0].values[0]'],
      [{ id: two.id, failed: false }, 'results[0].failed'],
      [{ id: two.id, values: [1], more: 1 }, 'results[0].more'],
      [{ solution: [0], values: [1] }, 'results[0].solution'],
      [{ solution: [0, 9], values: [1] }, 'results[0].solution[1]'],
    ];
    for (const [result, field] of refused) {
      const answer = await tell(id, [result]);
      expect([answer.status, answer.body.error.field]).toEqual([400, field]);
    }
    const requests: [object, string][] = [
      [{}, 'bounds'],
      [{ bounds: [[1, 0]] }, 'bounds[0]'],
      [{ bounds: [[0, 1]], objectives: 5 }, 'objectives'],
      [{ bounds: [[0, 1]], directions: ['minimize', 'maximize'] }, 'directions'],
      [{ bounds: [[0, 1]], strategy: 'branch-and-bound' }, 'strategy'],
      [{ bounds: [[0, 1]], strategy: 'cma-es', objectives: 2 }, 'strategy'],
      [{ bounds: [[0, 1]], strategy: 'sms-emoa' }, 'strategy'],
      [{ bounds: [[0, 1]], max_evaluations: 100_001 }, 'max_evaluations'],
      [{ bounds: Array(31).fill([0, 1]), strategy: 'bayesian' }, 'strategy'],
    ];
    for (const [body, field] of requests) {
      const answer = await call('POST', '/v1/studies', { body });
      expect([answer.status, answer.body.error.field]).toEqual([400, field]);
    }
    for (const count of [0, 1_001, 1.5]) expect((await ask(id, { count })).status).toBe(400);
  });

  it('has a front of several objectives', async () => {
    const body = { objectives: 2, directions: ['minimize', 'maximize'], max_evaluations: 200 };
    const id = await begin(body);
    expect((await call('GET', `/v1/studies/${id}/best`)).body).toEqual({
      pareto_front: [],
      hypervolume: 0,
      reference_point: null,
    });
    const values = ([x, y]: readonly number[]): number[] => [x ** 2 + y ** 2, -((x - 2) ** 2) - (y - 2) ** 2];
    for (let told = 0; told < 200; told += 20) {
      const candidates = await candidatesOf(id, 20);
      expect((await tell(id, [{ id: candidates[0].id, values: [1] }])).body.error.field).toBe('results[0].values');
      await tell(
        id,
        candidates.map(({ id: point, solution }) => ({ id: point, values: values(solution) })),
      );
    }
    const { pareto_front: front, hypervolume } = (await call('GET', `/v1/studies/${id}/best`)).body;
    expect(front.length).toBeGreaterThan(5);
    for (const point of front) expect(point.values).toEqual(values(point.solution as number[]));
    expect(hypervolume).toBeGreaterThan(0);
    expect((await call('GET', `/v1/studies/${id}`)).body).toMatchObject({
      objectives: 2,
      directions: body.directions,
      strategy: 'sms-emoa',
      status: 'completed',
      best_fitness: null,
    });
  });

  it('belongs to its account, and its scopes are asked for', async () => {
    const id = await begin();
    const keyOf = (account: string, scopes: string): Promise<string> =>
      createKey(['--account', account, '--scopes', scopes, '--data-dir', service.dataDir], parseConfig);
    const stranger = await keyOf('stranger', 'read,run');
    const reader = await keyOf('default', 'read');
    const requests: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/best'],
      ['POST', '/ask', {}],
      ['POST', '/tell', { results: [{ solution: [0, 0], values: [1] }] }],
      ['DELETE', ''],
    ];
    for (const [method, path, body] of requests) {
      const options = body === undefined ? {} : { body };
      const url = `/v1/studies/${id}${path}`;
      expect((await call(method, url, { ...options, key: stranger })).status).toBe(404);
      expect((await call(method, url, { ...options, key: reader })).status).toBe(method === 'GET' ? 200 : 403);
    }
    expect((await call('GET', '/v1/studies', { key: stranger })).body.total).toBe(0);
  });

  it('does once what is sent again under the same key', async () => {
    const headers = { 'idempotency-key': 'study' };
    const body = { bounds: BOUNDS };
    const [first, again] = [
      await call('POST', '/v1/studies', { body, headers }),
      await call('POST', '/v1/studies', { body, headers }),
    ];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const id = first.body.id as string;
    const asked = await ask(id, { count: 3 }, { 'idempotency-key': 'ask' });
    expect((await ask(id, { count: 3 }, { 'idempotency-key': 'ask' })).body).toEqual(asked.body);
    expect((await ask(id, { count: 2 }, { 'idempotency-key': 'ask' })).status).toBe(409);
    expect((await call('GET', `/v1/studies/${id}`)).body.open).toBe(3);
    const results = (asked.body.candidates as Candidate[]).map(valued);
    const told = await tell(id, results, { 'idempotency-key': 'tell' });
    expect(told.body).toEqual({ accepted: 3, evaluations: 3 });
    expect((await tell(id, results, { 'idempotency-key': 'tell' })).body).toEqual(told.body);
  });

  it('gives many clients at once different candidates, and takes all of their results', async () => {
    const id = await begin({ max_evaluations: 200, strategy: 'lq-cma-es' });
    const seen: string[] = [];
    const client = async (): Promise<void> => {
      for (let k = 0; k < 8; k++) {
        const [candidate] = await candidatesOf(id);
        seen.push(candidate.id);
        expect((await tell(id, [valued(candidate)])).status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(new Set(seen).size).toBe(64);
    expect((await call('GET', `/v1/studies/${id}`)).body).toMatchObject({ evaluations: 64, open: 0 });
  });

  it.each(callingStrategies.map(({ name }) => name))(
    'finds what a run of the same objective finds: %s',
    async (strategy) => {
      const code = 'def f(x):\n    return (x[0] - 1) * (x[0] - 1) + 10 * ((x[1] - 2) * (x[1] - 2))\n';
      const common = { bounds: BOUNDS, strategy, seed: 11, max_evaluations: 60 };
      const objective_function_id = await service.upload(code);
      const run = await call('POST', '/v1/optimize', { body: { ...common, objective_function_id, black_box: true } });
      const id = await begin(common);
      for (let told = 0; told < 60;) {
        const asked = await ask(id);
        const all = asked.body.candidates as Candidate[];
        const { remaining } = asked.body as { remaining: number };
        if (remaining > 0 && all.length + told < 60) all.push(...(await candidatesOf(id, remaining)));
        const value = ([x, y]: readonly number[]): number => (x - 1) * (x - 1) + 10 * ((y - 2) * (y - 2));
        await tell(
          id,
          all.map(({ id: point, solution }) => ({ id: point, values: [value(solution)] })),
        );
        told += all.length;
      }
      const best = (await call('GET', `/v1/studies/${id}/best`)).body;
      const { best_solution, best_fitness } = run.body;
      expect(best).toEqual({ best_solution, best_fitness });
    },
  );
});

describe('a study whose service is killed', () => {
  const folder = dataFolder('extremum-studies-');
  afterEach(() => endAll());
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['planner', 'cma-es'])(
    'goes on as if nothing had been: %s',
    async (strategy) => {
      const dataDir = join(folder, strategy);
      const start = (): Promise<ServiceProcess> => startProcess('--data-dir', dataDir);
      const request = { bounds: BOUNDS, seed: 5, strategy, max_evaluations: 60 };
      let process = await start();
      const { id } = await process.call('POST', '/v1/studies', request);
      const reference = await begin(request);
      const [asked, wanted]: number[][][] = [[], []];
      for (let k = 0; k < 60; k++) {
        const { candidates } = await process.call('POST', `/v1/studies/${id}/ask`, {});
        const [candidate] = candidates as [Candidate];
        asked.push(candidate.solution);
        // Killed between an ask and its tell, after a tell, and while a tell is under way.
        const kill = async (): Promise<void> => {
          await process.end('SIGKILL');
          process = await start();
        };
        if (k === 10) await kill();
        const results = { results: [valued(candidate)] };
        if (k === 20) {
          void process.call('POST', `/v1/studies/${id}/tell`, results).catch(() => {});
          await kill();
        }
        await process.call('POST', `/v1/studies/${id}/tell`, results);
        if (k === 30) await kill();
        const [own] = (await candidatesOf(reference)) as [Candidate];
        wanted.push(own.solution);
        await tell(reference, [valued(own)]);
      }
      expect(asked).toEqual(wanted);
      const ended = await process.call('GET', `/v1/studies/${id}`);
      expect(ended).toMatchObject({ status: 'completed', evaluations: 60, open: 0 });
      await process.end('SIGTERM');
    },
    240_000,
  );
});
