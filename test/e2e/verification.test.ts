/** CPython has the last word: what becomes of a run whose compiled code gives another value. The fault is seeded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython } from '../support/python.js';
import { startTestService, type Json, type TestService } from '../support/service.js';

const python = findPython('numpy');
/**
 * The number that `faulty-programs.mjs` changes is in the disc around the optimum: a proof of 0 there would be wrong.
 */
const DISC = `
def disc(x):
    if x[0] * x[0] + x[1] * x[1] < 0.5:
        return 4.25 + x[0] * x[0] + x[1] * x[1]
    return x[0] * x[0] + x[1] * x[1]
`;
const RIGHT = DISC.replaceAll('4.25', '3.25');
const FRONT = `
def front(x):
    a = x[0] * x[0] + x[1] * x[1]
    return a, (x[0] - 1) * (x[0] - 1) + x[1] * x[1] + (4.25 if x[0] > 0.75 else 0.0)
`;
/** Bounds are wide, so that runs go on to their budget. */
const LONG = `
def long(x):
    s = sum(v * (v + 1) - v for v in x)
    return s + 4.25 if s < 1e-3 else s
`;

const task = (id: string, more: object = {}): object => ({
  objective_function_id: id,
  bounds: [
    [-1, 2],
    [-1, 2],
  ],
  max_evaluations: 400,
  seed: 5,
  learned_version: 0,
  ...more,
});

const bitsOf = (record: Json): object => ({
  best: record.best_solution,
  fitness: record.best_fitness,
  front: record.pareto_front,
  evaluations: record.evaluations,
  reason: record.termination_reason,
});

describe.skipIf(python.command === null)(`a source that compiled code misreads${python.reason}`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      flags: ['--python', python.command ?? 'off'],
      faults: { programs: new URL('../support/faulty-programs.mjs', import.meta.url).href },
    });
  });
  afterAll(() => service.cleanUp());
  const run = async (body: object): Promise<Json> => {
    const { status, body: record } = await service.call('POST', '/v1/optimize', { body });
    expect(status, JSON.stringify(record)).toBe(200);
    return record;
  };
  const ended = async (id: string): Promise<Json> => {
    for (;;) {
      const { status, body: record } = await service.call('GET', `/v1/optimize/${id}`);
      expect(status, JSON.stringify(record)).toBe(200);
      if (record.status !== 'pending' && record.status !== 'running') return record;
      await sleep(50);
    }
  };
  /** The same text by its values, which is never compiled. */
  const uncompiled = (code: string, name: string): Promise<string> =>
    service.upload(`${code}\ndef slow(x):\n    v = ${name}(x)\n    return v if len(str(x[0])) else v\n`, 'slow');

  it("is run again by CPython, with its bits and without a proof, and is CPython's from then on", async () => {
    const id = await service.upload(DISC);
    const record = await run(task(id));
    const reference = await run(task(await uncompiled(DISC, 'disc')));
    expect(reference.backend.name).toBe('cpython');
    expect(record).toMatchObject({ status: 'completed', optimality: null, backend: { name: 'cpython' } });
    expect(record.best_fitness).toBeGreaterThanOrEqual(0.5);
    expect(bitsOf(record)).toStrictEqual(bitsOf(reference));
    expect(record.verified).toEqual({ by: null, points: 0, reason: 'interpreted' });
    expect(record.backend.reason).toMatch(/^compiled code misreads the source, so CPython evaluates it: at \[/);
    expect(record.backend.fallback_reasons[0]).toMatchObject({ code: 'misread' });

    const { body: found } = await service.call('GET', `/v1/functions/${id}`);
    const { compiled, misread } = found.compilation;
    expect(compiled).toBe(false);
    expect(misread.point).toHaveLength(2);
    expect(misread.cpython - misread.compiled).toBeCloseTo(4.25, 9);
    // Whoever uploads the text again is told at once.
    const again = await service.call('POST', '/v1/functions', { body: { name: 'b', code: DISC, language: 'python' } });
    expect(again.body.compilation.misread).toEqual(misread);

    const { body: history } = await service.call('GET', `/v1/optimize/${record.id}/history`);
    expect(history.data[0].best_fitness).toBeGreaterThan(0.25);
    const stream = await service.call('GET', `/v1/optimize/${record.id}/events`, { isText: true });
    const events = String(stream.body).matchAll(/event: backend.changed\ndata: (.*)\n/g);
    const told = [...events].map(([, data]) => JSON.parse(data).data);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ to: 'cpython', compiled: misread.compiled, cpython: misread.cpython });

    const later = await run(task(id, { seed: 6 }));
    expect(later.backend).toMatchObject({ name: 'cpython' });
    expect(later.backend.reason).toBe(record.backend.reason);
    const { body: metrics } = await service.call('GET', '/metrics', { isText: true });
    expect(metrics).toContain('extremum_misreadings_total{by="run"} 1');
    const { body: health } = await service.call('GET', '/v1/health');
    expect(health.misread.functions).toBeGreaterThanOrEqual(1);
  });

  it('is found where the mathematics is fast, whose other last bits are no misreading', async () => {
    const record = await run(task(await service.upload(fresh(DISC, 7)), { math: 'fast', seed: 8 }));
    expect(record.backend.fallback_reasons[0]).toMatchObject({ code: 'misread' });
    const sum = 'import math\n\ndef f(x):\n    return sum(math.sin(3.7 * v) / 3.0 + 0.1 * v * v for v in x) / 7.0\n';
    const id = await service.upload(sum, 'f');
    const many = { bounds: Array.from({ length: 12 }, () => [-5, 5]), black_box: true };
    const fast = await run(task(id, { ...many, math: 'fast' }));
    expect(fast.backend.name).not.toBe('cpython');
    expect(fast.verified).toEqual({ by: 'cpython', points: expect.any(Number) });
    expect(fast.verified.points).toBeGreaterThan(1);
  });

  it('is compiled where no point shows the fault, and the record says how many were confirmed', async () => {
    const record = await run(task(await service.upload(RIGHT)));
    expect(record.backend.name).not.toBe('cpython');
    expect(record.verified).toEqual({ by: 'cpython', points: expect.any(Number) });
    expect(record.verified.points).toBeGreaterThanOrEqual(1);
    const again = await run(task(record.objective_function_id));
    expect(again.verified).toEqual(record.verified);
  });

  const reference = async (code: string, name: string, more: object = {}): Promise<Json> => {
    const record = await run(task(await uncompiled(code, name), more));
    expect(record.backend.name).toBe('cpython');
    return record;
  };
  const fresh = (code: string, mark: number): string => `${code}\n# ${mark}\n`;

  it('has the front of CPython with several objectives', async () => {
    const more = { objectives: 2, max_evaluations: 300 };
    const record = await run(task(await service.upload(FRONT), more));
    expect(record.backend).toMatchObject({ name: 'cpython', reason: expect.stringMatching(/^compiled code misreads/) });
    expect(bitsOf(record)).toStrictEqual(bitsOf(await reference(FRONT, 'front', more)));
    const { body } = await service.call('GET', `/v1/functions/${record.objective_function_id}`);
    expect(body.compilation.misread.compiled).toHaveLength(2);
    expect(body.compilation.misread.cpython).toHaveLength(2);
  });

  it('is evaluated by CPython at given points, and marked by that', async () => {
    const id = await service.upload(fresh(DISC, 1));
    const evaluate = (points: number[][]): Promise<Json> =>
      service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points } }).then(({ body }) => body);
    const outside = await evaluate([[1, 1]]);
    expect(outside).toMatchObject({ values: [2], verified: { by: 'cpython', points: 1 } });
    expect(outside.backend.name).not.toBe('cpython');
    const inside = await evaluate([
      [1, 1],
      [0.5, 0],
    ]);
    expect(inside).toMatchObject({ values: [2, 4.5], backend: { name: 'cpython' } });
    expect(inside.verified).toEqual({ by: null, points: 0, reason: 'interpreted' });
    const { body } = await service.call('GET', `/v1/functions/${id}`);
    expect(body.compilation.misread).toEqual({ point: [0.5, 0], compiled: 0.25, cpython: 4.5 });
    expect((await run(task(id))).backend.name).toBe('cpython');
  });

  it('is checked by a sample where many points are evaluated', async () => {
    const id = await service.upload(fresh(DISC, 2));
    const points = Array.from({ length: 300 }, (_, i) => (i === 250 ? [0, 0] : [1, i / 300]));
    const { body } = await service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points } });
    // The only point of its branch.
    expect(body).toMatchObject({ backend: { name: 'cpython' } });
    expect(body.values[250]).toBe(4.25);
  });

  it("is found by runs of a batch, by replays and by extensions; all end with CPython's bits", async () => {
    const id = await service.upload(fresh(DISC, 3));
    const requests = [1, 2, 3].map((seed) => task(id, { seed }));
    const { body: batch } = await service.call('POST', '/v1/batch', { body: { requests } });
    expect(batch.optimization_ids, JSON.stringify(batch)).toHaveLength(3);
    for (const [k, runId] of batch.optimization_ids.entries()) {
      const record = await ended(String(runId));
      expect(record.status).toBe('completed');
      expect(bitsOf(record)).toStrictEqual(bitsOf(await reference(DISC, 'disc', { seed: k + 1 })));
    }

    const first = await run(task(await service.upload(fresh(RIGHT, 4)), { strategy: 'cma-es' }));
    expect(first.backend.name).not.toBe('cpython');
    const wait = { prefer: 'wait=60' };
    const replay = await service.call('POST', `/v1/optimize/${first.id}/replay`, {
      body: { strategy: 'nelder-mead' },
      headers: wait,
    });
    expect(replay.body, JSON.stringify(replay.body)).toMatchObject({
      verified: { by: 'cpython' },
      replay_of: first.id,
    });
  });

  it('ends an extension that goes on from what compiled code had valued', async () => {
    const id = await service.upload(fresh(LONG, 5));
    const more = { strategy: 'cma-es', max_evaluations: 60, bounds: Array.from({ length: 4 }, () => [-5, 5]) };
    const first = await run(task(id, more));
    expect(first.verified).toMatchObject({ by: 'cpython' });
    const extended = await service.call('POST', `/v1/optimize/${first.id}/extend`, {
      body: { max_evaluations: 1_500 },
      headers: { prefer: 'wait=60' },
    });
    const whole = await reference(LONG, 'long', { ...more, max_evaluations: 1_500 });
    expect(extended.body.backend.name).toBe('cpython');
    expect(bitsOf(extended.body)).toStrictEqual(bitsOf(whole));
    // The record of the first one never changes; what goes on from it does so in CPython.
    const again = await service.call('POST', `/v1/optimize/${first.id}/extend`, {
      body: { max_evaluations: 1_500 },
      headers: { prefer: 'wait=60' },
    });
    expect(bitsOf(again.body)).toStrictEqual(bitsOf(whole));
  });

  it('is seen by nobody where the setting is off', async () => {
    const off = await startTestService({
      flags: ['--python', python.command ?? 'off', '--verify', 'off'],
      faults: { programs: new URL('../support/faulty-programs.mjs', import.meta.url).href },
    });
    try {
      const { body } = await off.call('POST', '/v1/optimize', { body: task(await off.upload(DISC)) });
      expect(body.verified).toEqual({ by: null, points: 0, reason: 'setting' });
      expect(body.backend.name).not.toBe('cpython');
    } finally {
      await off.cleanUp();
    }
  });

  it('counts the time of checks apart', async () => {
    await run(task(await service.upload(fresh(RIGHT, 6)), { strategy: 'cma-es' }));
    const { body } = await service.call('GET', '/v1/analytics/performance');
    expect(body.resource_usage.checks.seconds).toBeGreaterThan(0);
  });
});
