/** What a service does where runs are deleted, over HTTP; for each database. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BOWL, startTestService, type Json, type TestService } from './service.js';

const ASYNC = { prefer: 'respond-async' };
const FLAGS = ['--rate-limit-per-minute', '0', '--python', 'off'];
const OPENING =
  'Inventory, how many to order at a time: every order costs us $8, holding one part for a year costs 22.5 cents, ' +
  'and we sell 1,300 parts a year.';

/** `flags`: of the database. */
export function deletionSuite(flags: () => readonly string[]): void {
  let service: TestService;
  let bowl: string;
  let endless: string;
  beforeAll(async () => {
    service = await startTestService({ flags: [...FLAGS, ...flags()] });
    bowl = await service.upload(BOWL);
    endless = await service.upload('import math\ndef f(x):\n    return sum(v * v - math.cos(6.28 * v) for v in x)\n');
  }, 120_000);
  afterAll(() => service.cleanUp());

  const get = (path: string) => service.call('GET', path);
  const remove = (path: string) => service.call('DELETE', path);
  const post = (path: string, body: object, headers = {}) => service.call('POST', path, { body, headers });
  const request = (more: object = {}): Json => ({
    objective_function_id: bowl,
    bounds: [
      [-5, 5],
      [-5, 5],
    ],
    max_evaluations: 60,
    black_box: true,
    seed: 3,
    ...more,
  });
  const run = async (more: object = {}, headers = {}): Promise<Json> => {
    const { status, body } = await post('/v1/optimize', request(more), headers);
    expect(status).toBe(200);
    return body;
  };
  const today = (): string => new Date().toISOString().slice(0, 10);
  const metrics = async (): Promise<Json> =>
    (await get(`/v1/analytics/metrics?start_date=${today()}&end_date=${today()}`)).body;

  it('goes through once, and leaves nothing but the sums of analytics', async () => {
    const { id } = await run();
    // Traffic of this run is counted a moment later.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = await metrics();
    expect((await remove(`/v1/optimize/${id}`)).status).toBe(204);
    for (const path of ['', '/history', '/explanation', '/events', '/monitoring']) {
      expect((await get(`/v1/optimize/${id}${path}`)).status, path).toBe(404);
    }
    const again = await remove(`/v1/optimize/${id}`);
    expect([again.status, again.body.error.code]).toEqual([404, 'not_found']);
    for (const [path, body] of [
      ['cancel', {}],
      ['extend', { max_evaluations: 1_000 }],
      ['replay', { strategy: 'cma-es' }],
    ] as const) {
      expect((await post(`/v1/optimize/${id}/${path}`, body)).status, path).toBe(404);
    }
    expect((await get('/v1/optimize?limit=100')).body.data.map((one: Json) => one.id)).not.toContain(id);
    expect(await metrics()).toEqual(before);
    const executions = (await get(`/v1/analytics/executions?optimization_id=${id}`)).body;
    expect(executions.total).toBe(1);
  });

  it('is refused while the run goes on', async () => {
    const body = request({ objective_function_id: endless, max_evaluations: 1e9, mode: 'accurate' });
    const { id } = (await post('/v1/optimize', body, ASYNC)).body;
    const refused = await remove(`/v1/optimize/${id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toMatch(/has not ended \((pending|running)\); cancel it/);
    expect((await remove('/v1/optimize?status=failed&before=2999-01-01T00:00:00Z')).status).toBe(200);
    expect((await get(`/v1/optimize/${id}`)).body.status).toMatch(/pending|running/);
    await post(`/v1/optimize/${id}/cancel`, {});
    expect((await remove(`/v1/optimize/${id}`)).status).toBe(204);
  });

  it('takes filters that say which runs, and no others', async () => {
    for (const [query, field] of [
      ['', 'status'],
      ['?status=running', 'status'],
      ['?status=', 'status'],
      ['?before=yesterday', 'before'],
      ['?before=2026-02-30T00:00:00Z', 'before'],
      ['?status=failed&limit=3', 'limit'],
      ['?objective_function_id=func_1', 'objective_function_id'],
    ] as const) {
      const { status, body } = await remove(`/v1/optimize${query}`);
      expect([status, body.error.code, body.error.field], query).toEqual([400, 'invalid_request', field]);
    }
    const first = await run();
    const failed = (await post('/v1/optimize', request({ max_evaluations: 1e9 }), ASYNC)).body;
    await post(`/v1/optimize/${failed.id}/cancel`, {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await run();
    const state = (await get(`/v1/optimize/${failed.id}`)).body.status;
    expect((await remove(`/v1/optimize?status=failed&before=${first.completed_at}`)).body).toEqual({ deleted: 0 });
    expect((await remove(`/v1/optimize?before=${second.completed_at}&status=completed`)).body).toEqual({
      deleted: state === 'failed' ? 1 : 2,
    });
    expect((await get(`/v1/optimize/${first.id}`)).status).toBe(404);
    expect((await get(`/v1/optimize/${second.id}`)).status).toBe(200);
    const read = (await service.call('POST', '/v1/identity/keys', { body: { name: 'r', scopes: ['read'] } })).body.key;
    const forbidden = await service.call('DELETE', '/v1/optimize?status=completed', { key: read });
    expect(forbidden.status).toBe(403);
  });

  it('of many runs goes step by step, and takes all', async () => {
    const requests = Array.from({ length: 130 }, (_, seed) => request({ max_evaluations: 4, seed }));
    const batch = (await post('/v1/batch', { requests })).body;
    await expect
      .poll(async () => (await get(`/v1/batch/${batch.id}`)).body.status, { timeout: 60_000, interval: 200 })
      .toBe('completed');
    const [kept] = batch.optimization_ids as [string];
    expect((await remove(`/v1/optimize/${kept}`)).status).toBe(204);
    const ended = (await get(`/v1/batch/${batch.id}`)).body;
    expect(ended).toMatchObject({ total: 130, completed: 130, deleted: 1, deleted_optimization_ids: [kept] });
    const { deleted } = (await remove('/v1/optimize?status=completed')).body;
    expect(deleted).toBeGreaterThanOrEqual(129);
    expect((await get('/v1/optimize?status=completed')).body.total).toBe(0);
    expect((await get(`/v1/batch/${batch.id}`)).body).toEqual({
      ...ended,
      deleted: 130,
      deleted_optimization_ids: batch.optimization_ids,
    });
    expect((await post(`/v1/batch/${batch.id}/cancel`, {})).status).toBe(409);
  }, 120_000);

  it('leaves replays and extensions, which say so', async () => {
    const parent = await run({ strategy: 'cma-es' });
    const replay = (await post(`/v1/optimize/${parent.id}/replay`, { strategy: 'differential-evolution' })).body;
    const extension = (await post(`/v1/optimize/${parent.id}/extend`, { max_evaluations: 120 })).body;
    expect(replay).toMatchObject({ replay_of: parent.id, deleted_parents: [] });
    expect(replay.comparison).not.toBeNull();
    expect(extension).toMatchObject({ extension_of: parent.id, deleted_parents: [] });
    expect((await remove(`/v1/optimize/${parent.id}`)).status).toBe(204);
    const gone = { deleted_parents: [parent.id], comparison: null };
    const look = async (id: string): Promise<Json> => (await get(`/v1/optimize/${id}`)).body;
    expect(await look(replay.id)).toEqual({ ...replay, ...gone });
    expect(await look(extension.id)).toEqual({ ...extension, ...gone });
    const list: Json[] = (await get('/v1/optimize')).body.data;
    expect(list.find(({ id }) => id === replay.id)).toMatchObject(gone);
    // Both live on by themselves.
    const further = await post(`/v1/optimize/${extension.id}/extend`, { max_evaluations: 180 });
    expect(further.body).toMatchObject({ status: 'completed', evaluations: 180, deleted_parents: [] });
    expect((await post(`/v1/optimize/${replay.id}/replay`, { strategy: 'cma-es' })).status).toBe(200);
  });

  it('answers a request that made the run 404 when it is sent again, and makes no other', async () => {
    const key = { 'idempotency-key': `made and deleted ${service.dataDir}` };
    const { id } = await run({}, key);
    const replay = await post('/v1/optimize', request(), key);
    expect([replay.body.id, replay.headers.get('idempotent-replayed')]).toEqual([id, 'true']);
    await remove(`/v1/optimize/${id}`);
    const before = (await get('/v1/optimize')).body.total;
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body } = await post('/v1/optimize', request(), key);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
      expect(body.error.message).toMatch(/has been deleted/);
    }
    expect((await post('/v1/optimize', request({ seed: 4 }), key)).status).toBe(409);
    expect((await get('/v1/optimize')).body.total).toBe(before);
  });

  it('concerns domain runs and conversations alike', async () => {
    const path = '/v1/domains/conversational';
    const begun = (await post(`${path}/create`, { description: OPENING })).body;
    expect(begun).toMatchObject({ status: 'ready_to_optimize', optimization_deleted: false });
    const id = begun.conversation_id as string;
    const solved = (await post(`${path}/complete/${id}`, {})).body;
    expect(solved).toMatchObject({ status: 'completed', conversation_id: id });
    const completed = (await get(`${path}/status/${id}`)).body;
    expect((await remove(`/v1/optimize/${solved.id}`)).status).toBe(204);
    expect((await get(`/v1/optimize/${solved.id}/visuals/cost`)).status).toBe(404);
    expect((await get(`${path}/status/${id}`)).body).toEqual({ ...completed, optimization_deleted: true });
    const again = await post(`${path}/complete/${id}`, {});
    expect(again.status).toBe(409);
    expect(again.body.error.message).toContain(`${solved.id}, which has been deleted`);
  });

  it('races with replays, extensions and itself without a half run or an error of the service', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await run({ strategy: 'cma-es', seed: round });
      const answers = await Promise.all([
        post(`/v1/optimize/${id}/replay`, { strategy: 'cma-es' }),
        remove(`/v1/optimize/${id}`),
        post(`/v1/optimize/${id}/extend`, { max_evaluations: 90 }),
        remove(`/v1/optimize/${id}`),
        service.call('PATCH', `/v1/optimize/${id}`, { body: { metadata: { round } } }),
        get(`/v1/optimize/${id}`),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect([statuses[1], statuses[3]].sort()).toEqual([204, 404]);
      for (const [i, { status, body }] of answers.entries()) {
        expect([200, 201, 204, 404], `${i}: ${JSON.stringify(body)}`).toContain(status);
      }
      for (const child of [answers[0], answers[2]]) {
        if (child?.status !== 200) continue;
        expect((await get(`/v1/optimize/${child.body.id}`)).body).toMatchObject({
          status: 'completed',
          deleted_parents: [id],
        });
      }
      expect((await get(`/v1/optimize/${id}`)).status).toBe(404);
    }
  }, 60_000);

  it('keeps so many runs of each account as the operator says', async () => {
    await service.stop();
    const dataDir = service.dataDir;
    const more = [...FLAGS, ...flags(), '--retain-runs-count', '3'];
    service = await startTestService({ dataDir, key: service.key, flags: more });
    for (let seed = 0; seed < 5; seed++) await run({ seed });
    // A removal wakes the job.
    const newest = (await get('/v1/optimize?limit=5')).body.data.map(({ id }: Json) => id as string);
    expect((await remove(`/v1/optimize/${newest[4]}`)).status).toBe(204);
    await expect.poll(async () => (await get('/v1/optimize')).body.total, { timeout: 20_000 }).toBe(3);
    expect((await get('/v1/optimize')).body.data.map(({ id }: Json) => id as string)).toEqual(newest.slice(0, 3));
  }, 60_000);
}
