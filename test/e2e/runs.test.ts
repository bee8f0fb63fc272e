/** Runs over HTTP, from submission to end, with the real engine in real worker threads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOWL, SPHERE, startTestService, type Answer, type Json, type TestService } from '../support/service.js';

const RECORD_FIELDS = [
  ...['conversation_id', 'domain', 'problem_type', 'model', 'sense', 'decision_variables', 'result', 'solver'],
  ...['constraints', 'warnings', 'assumptions', 'alternatives'],
  'analysis backend best_fitness best_solution bounds comparison completed_at created_at deleted_parents direction duration_seconds evaluation_errors evaluations',
  'explanation extension extension_of failed_evaluations features_active hypervolume id intelligence_config learned math max_evaluations metadata mode',
  'objective_function_id objectives optimality pareto_front precision preset progress reference_point replay_of seed started_at status strategies strategy_used success termination_reason',
  'tetrad_config verified visuals',
].flatMap((line) => line.split(' '));

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('runs', () => {
  let service: TestService;
  let sphere: string;
  let bowl: string;
  beforeAll(async () => {
    service = await startTestService({ flags: ['--rate-limit-per-minute', '0'] });
    sphere = await service.upload(SPHERE, 'sphere');
    bowl = await service.upload(BOWL, 'bowl');
  });
  afterAll(async () => service.cleanUp());

  const optimize = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    service.call('POST', '/v1/optimize', { body, headers });
  const small = (extra: object = {}): object => ({
    objective_function_id: sphere,
    bounds: [
      [-5, 5],
      [-5, 5],
    ],
    max_evaluations: 300,
    ...extra,
  });
  /** Minutes at least: the strategy restarts until the budget ends. */
  const long = (extra: object = {}): object => small({ max_evaluations: 1e9, ...extra });
  const ASYNC = { prefer: 'respond-async' };

  async function until(id: string, done: (record: Json) => boolean): Promise<Json> {
    for (;;) {
      const { body } = await service.call('GET', `/v1/optimize/${id}`);
      if (done(body)) return body;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const cancel = (id: string): Promise<Answer> => service.call('POST', `/v1/optimize/${id}/cancel`);

  it('answers 200 with the whole record of a finished run', async () => {
    const { status, body, headers } = await optimize(small({ seed: 42, metadata: { tag: 'a' } }));
    expect(status).toBe(200);
    expect(headers.get('location')).toBeNull();
    expect(headers.get('preference-applied')).toBeNull();
    expect(Object.keys(body).sort()).toEqual([...RECORD_FIELDS].sort());
    expect(body).toMatchObject({
      id: expect.stringMatching(/^opt_\d+$/) as string,
      success: true,
      status: 'completed',
      evaluations: 300,
      failed_evaluations: 0,
      termination_reason: 'budget',
      strategy_used: expect.any(String) as string,
      preset: 'production',
      mode: 'balanced',
      direction: 'minimize',
      seed: 42,
      metadata: { tag: 'a' },
      max_evaluations: 300,
      objective_function_id: sphere,
      features_active: { agentic_intelligence: true, interpretable_intelligence: true, explanation_level: 2 },
      progress: { evaluations: 300, best_fitness: body.best_fitness as number, eta_seconds: 0 },
    });
    for (const time of ['created_at', 'started_at', 'completed_at']) expect(body[time]).toMatch(TIME);
    const { strategies } = body as { strategies: { name: string; reason: string }[] };
    expect(strategies[0]).toMatchObject({ name: 'probes', from_evaluation: 0 });
    expect(strategies.at(-1)).toMatchObject({ name: body.strategy_used as string, to_evaluation: 300 });
    expect(body.best_solution).toHaveLength(2);
    const [a, b] = body.best_solution as [number, number];
    expect(body.best_fitness).toBeCloseTo(a * a + b * b, 12);
    expect(body.best_fitness).toBeLessThan(1e-3);
    expect(body.backend.evaluations_per_second).toBeGreaterThan(0);
    expect((await service.call('GET', `/v1/optimize/${body.id}`)).body).toEqual(body);
  });

  it('explains at the level that was asked for, at the cost of a tenth of the budget', async () => {
    const asked = (level: number, interpretable = true): object => ({
      intelligence_config: { explanation_level: level, use_interpretable_intelligence: interpretable },
      seed: 5,
    });
    const levels = [];
    for (const level of [0, 1, 2, 3, 4, 5]) {
      const { body } = await optimize(small(asked(level)));
      expect(body.evaluations).toBe(300);
      expect(body.features_active.explanation_level).toBe(level);
      levels.push(body.explanation);
      expect((await service.call('GET', `/v1/optimize/${body.id}/explanation`)).body).toEqual(body.explanation);
    }
    expect(levels.map(({ level }) => level)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(levels[0].statements).toEqual([]);
    expect(levels[1].statements).toMatchObject([{ level: 1, topic: 'result', evidence: { evaluations: 300 } }]);
    expect(levels[5].notes).toEqual([]);
    const off = (await optimize(small(asked(5, false)))).body;
    expect(off.explanation).toEqual({ level: 0, statements: [], notes: [] });
    expect(off.features_active).toMatchObject({ interpretable_intelligence: false, explanation_level: 0 });
    const few = (await optimize(small({ ...asked(5), max_evaluations: 20 }))).body;
    expect(few.features_active.explanation_level).toBe(3);
    expect(few.explanation.notes[0]).toContain('Level 5 was asked for');
  });

  it('gives the same bits for the same seed, and reports a seed that it drew', async () => {
    const plain = { tetrad_config: { use_agentic_intelligence: false } };
    const first = (await optimize(small(plain))).body;
    const again = (await optimize(small({ ...plain, seed: first.seed as number }))).body;
    const other = (await optimize(small(plain))).body;
    expect(first).toMatchObject({
      strategies: [{ name: 'cma-es', reason: 'the default without planning' }],
      features_active: { agentic_intelligence: false },
    });
    expect([again.best_solution, again.best_fitness]).toEqual([first.best_solution, first.best_fitness]);
    expect(other.best_solution).not.toEqual(first.best_solution);
  });

  it('maximises, and reports the objective’s own value', async () => {
    const id = await service.upload('def f(x): return 3 - x[0] ** 2\n');
    const { body } = await optimize({
      objective_function_id: id,
      bounds: [[-1, 2]],
      direction: 'maximize',
      max_evaluations: 200,
    });
    expect(body.best_fitness).toBeCloseTo(3, 6);
  });

  it('ends with a proof where it has one, in either direction', async () => {
    const strategy = 'branch-and-bound';
    const proven = await optimize(small({ objective_function_id: bowl }));
    expect(proven.body).toMatchObject({ termination_reason: 'optimal', best_fitness: 0, optimality: { bound: 0 } });
    const { body } = await optimize(small({ objective_function_id: bowl, strategy, seed: 7 }));
    expect(body).toMatchObject({ termination_reason: 'optimal', success: true, strategy_used: strategy });
    const { bound, gap, ...rest } = body.optimality;
    expect(rest).toMatchObject({ status: 'optimal', proof: expect.stringContaining('boxes') as string });
    expect((body.best_fitness as number) - (bound as number)).toBe(gap);
    expect(gap).toBeLessThanOrEqual(1e-8);
    const { body: highest } = await optimize(
      small({ objective_function_id: bowl, strategy, seed: 7, direction: 'maximize', max_evaluations: 20 }),
    );
    const { bound: limit } = highest.optimality;
    expect(limit).toBeGreaterThanOrEqual(highest.best_fitness as number);
    const { body: closed } = await optimize(small({ objective_function_id: bowl, strategy, black_box: true }));
    expect(closed).toMatchObject({ status: 'failed', optimality: null });
    expect(closed.error.message).toContain('needs an objective that is compiled');
  });

  it('stops at a target', async () => {
    const { body } = await optimize(small({ target_fitness: 0.5, max_evaluations: 100_000 }));
    expect(body).toMatchObject({ status: 'completed', termination_reason: 'target' });
    expect(body.best_fitness).toBeLessThanOrEqual(0.5);
    expect(body.evaluations).toBeLessThan(1000);
  });

  it('says what was read in the program, unless it is a black box', async () => {
    const { body } = await optimize(small({ objective_function_id: bowl }));
    expect(body.analysis.dimension).toBe(body.bounds.length);
    expect(body.analysis.findings.map(({ topic }: { topic: string }) => topic)).toEqual([
      'terms',
      'least_squares',
      'convexity',
    ]);
    expect((await optimize(small({ black_box: true }))).body.analysis).toBeNull();
    const { body: uploaded } = await service.call('GET', `/v1/functions/${bowl}`);
    expect(uploaded.analysis.findings).toEqual(body.analysis.findings);
  });

  it('answers 201 at once when asked to, and the record fills up', async () => {
    const { status, body, headers } = await optimize(small(), ASYNC);
    expect(status).toBe(201);
    expect(headers.get('preference-applied')).toBe('respond-async');
    expect(headers.get('location')).toBe(`/v1/optimize/${body.id}`);
    expect(['pending', 'running']).toContain(body.status);
    expect(body).toMatchObject({ success: null, best_solution: null, best_fitness: null, completed_at: null });
    expect(Object.keys(body).sort()).toEqual([...RECORD_FIELDS].sort());
    const done = await until(body.id as string, (record) => record.status === 'completed');
    expect(done.success).toBe(true);
  });

  it('answers 201 when the run outlasts the wait, shows progress, and cancels', async () => {
    const { status, body, headers } = await optimize(long({ seed: 1 }), { prefer: 'wait=0' });
    expect([status, headers.get('preference-applied')]).toEqual([201, 'wait=0']);
    const id = body.id as string;
    const running = await until(id, (record) => record.progress.evaluations > 0);
    expect(running).toMatchObject({ status: 'running', success: null, completed_at: null });
    expect(running.best_solution).toHaveLength(2);
    expect(running.progress.eta_seconds).toBeGreaterThan(0);
    expect((await service.call('GET', `/v1/optimize/${id}/history`)).body.data.length).toBeGreaterThan(0);

    const startedAt = performance.now();
    const cancelled = await cancel(id);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(cancelled.status).toBe(200);
    expect(cancelled.body).toMatchObject({ status: 'failed', success: false, termination_reason: 'cancelled' });
    expect(cancelled.body.best_fitness).toBeLessThanOrEqual(running.best_fitness as number);
    expect(cancelled.body).not.toHaveProperty('error');
    const again = await cancel(id);
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
  });

  it('keeps runs beyond the threads waiting, in order; a waiting one is cancelled at once', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push((await optimize(long(), ASYNC)).body.id as string);
    const statuses = async (): Promise<string[]> =>
      Promise.all(ids.map(async (id) => (await service.call('GET', `/v1/optimize/${id}`)).body.status as string));
    await until(ids[1] ?? '', (record) => record.status === 'running');
    expect(await statuses()).toEqual(['running', 'running', 'pending', 'pending']);
    expect((await service.call('GET', '/v1/health')).body).toMatchObject({
      scheduler: { queued: 2, running: 2 },
      workers: { total: 2, busy: 2 },
    });
    const waiting = await cancel(ids[2] ?? '');
    expect(waiting.body).toMatchObject({
      status: 'failed',
      termination_reason: 'cancelled',
      evaluations: 0,
      started_at: null,
    });
    await cancel(ids[0] ?? '');
    await until(ids[3] ?? '', (record) => record.status === 'running');
    for (const id of [ids[1] ?? '', ids[3] ?? '']) await cancel(id);
    expect(await statuses()).toEqual(['failed', 'failed', 'failed', 'failed']);
  });

  it('ends by its time limit with the best so far', async () => {
    const { status, body } = await optimize(long({ timeout_seconds: 0.3 }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'completed', success: true, termination_reason: 'timeout' });
    expect(body.best_fitness).not.toBeNull();
    expect(body.duration_seconds).toBeLessThan(1.5);
  });

  it('lists newest first, filters, pages and counts', async () => {
    const own = await service.upload('def g(x): return x[0] * 2\n', 'g');
    const made: string[] = [];
    for (let i = 0; i < 3; i++) {
      const run = await optimize({ objective_function_id: own, bounds: [[0, 1]], max_evaluations: 5 });
      made.unshift(run.body.id as string);
    }
    const list = async (query: string): Promise<Json> => (await service.call('GET', `/v1/optimize?${query}`)).body;
    const all = await list(`objective_function_id=${own}`);
    expect(all).toMatchObject({ total: 3, limit: 20, offset: 0 });
    expect(all.data.map(({ id }: { id: string }) => id)).toEqual(made);
    const window = await list(`objective_function_id=${own}&limit=1&offset=1`);
    expect([window.total, window.data.length, window.data[0].id]).toEqual([3, 1, made[1]]);
    expect(await list(`objective_function_id=${own}&status=failed`)).toMatchObject({ data: [], total: 0 });
    expect(await list('offset=100000')).toMatchObject({ data: [], offset: 100_000 });
    expect((await list('limit=2')).data.map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 2));
  });

  it('replaces metadata, and refuses anything else', async () => {
    const { id } = (await optimize(small({ metadata: { a: 1 } }))).body as { id: string };
    const patch = (body: object): Promise<Answer> => service.call('PATCH', `/v1/optimize/${id}`, { body });
    expect((await patch({ metadata: { b: [1, null] } })).body.metadata).toEqual({ b: [1, null] });
    expect((await patch({ metadata: { b: 'x'.repeat(5000) } })).body.error.field).toBe('metadata');
    expect((await patch({})).body.error).toMatchObject({ code: 'invalid_request', field: 'metadata' });
    expect((await patch({ metadata: {}, seed: 1 })).body.error.field).toBe('seed');
    expect((await service.call('GET', `/v1/optimize/${id}`)).body.metadata).toEqual({ b: [1, null] });
    expect((await service.call('PATCH', '/v1/optimize/opt_1', { body: { metadata: {} } })).status).toBe(404);
  });

  it('has a history that falls and ends at the best', async () => {
    const { id, best_fitness: best, evaluations } = (await optimize(small({ seed: 3 }))).body;
    const { data } = (await service.call('GET', `/v1/optimize/${id}/history`)).body;
    const values = data.map((point: Json) => point.best_fitness as number) as number[];
    expect(values).toEqual([...values].sort((a, b) => b - a));
    expect(values.at(-1)).toBe(best);
    expect(data.at(-1).evaluations).toBeLessThanOrEqual(evaluations);
    expect(Object.keys(data[0])).toEqual(['evaluations', 'best_fitness', 'elapsed_seconds']);
  });

  it('fails with the objective’s own error when every evaluation fails', async () => {
    const id = await service.upload('import math\ndef f(x):\n    return math.log(-1 - x[0] * x[0])\n');
    const { status, body } = await optimize({ objective_function_id: id, bounds: [[0, 1]] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', success: false, termination_reason: 'error', best_solution: null });
    expect(body.error.message).toMatch(/math domain error/);
    expect(body.failed_evaluations).toBe(body.evaluations);
    expect(body.evaluation_errors).toHaveLength(3);
    expect(body.evaluation_errors[0]).toMatchObject({ type: 'ValueError' });
  });

  it('keeps a run whose function is deleted', async () => {
    const id = await service.upload(SPHERE);
    const run = await optimize({ objective_function_id: id, bounds: [[-1, 1]], max_evaluations: 20 });
    expect((await service.call('DELETE', `/v1/functions/${id}`)).status).toBe(204);
    expect((await service.call('DELETE', `/v1/functions/${id}`)).status).toBe(404);
    expect((await service.call('GET', `/v1/functions/${id}`)).status).toBe(404);
    expect((await service.call('GET', `/v1/optimize/${run.body.id}`)).status).toBe(200);
    const next = await optimize({ objective_function_id: id, bounds: [[-1, 1]] });
    expect(next.body.error).toMatchObject({ code: 'invalid_request', field: 'objective_function_id' });
  });

  it('refuses what it cannot do, by name', async () => {
    const field = async (extra: object): Promise<string> => (await optimize(small(extra))).body.error.field as string;
    expect(await field({ domain: 'finance' })).toBe('domain');
    expect(await field({ domain: 'financial' })).toBe('problem_type');
    expect(await field({ strategy: 'tabu' })).toBe('strategy');
    expect(await field({ objectives: 5 })).toBe('objectives');
    expect(
      await field({ tetrad_config: { explanation_level: 1 }, intelligence_config: { explanation_level: 2 } }),
    ).toBe('tetrad_config');
    const missing = await optimize({ objective_function_id: sphere });
    expect(missing.body.error).toMatchObject({ code: 'invalid_request', field: 'bounds' });
  });

  it('answers many submissions at once, each with its own run', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => optimize(small({ seed: i }))));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(40).fill(200));
    expect(new Set(answers.map(({ body }) => body.id as string)).size).toBe(40);
    expect(answers.map(({ body }) => body.seed as number)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });
});

describe('functions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ flags: ['--python', 'off'] });
  });
  afterAll(async () => service.cleanUp());

  const post = (code: string, name = 'f'): Promise<Answer> =>
    service.call('POST', '/v1/functions', { body: { name, code, language: 'Python3' } });

  it('stores an upload and gives it back', async () => {
    const { status, body, headers } = await post(SPHERE, 'sphere');
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/functions/${body.id}`);
    expect(body).toEqual({
      id: expect.stringMatching(/^func_\d+$/) as string,
      name: 'sphere',
      language: 'Python3',
      created_at: expect.stringMatching(TIME) as string,
      // printf 'def sphere(x):\n    return sum(v * v for v in x)\n' | sha256sum
      sha256: 'c3635ed64cb2127c3532ffd3c1b1aa8062c19e417183298ac5c4ca4a17610c87',
      vectorized: false,
      objectives: 1,
      evaluation_limits: { seconds: null, memory_bytes: null },
      compilation: {
        compiled: true,
        reasons: [],
        notes: [],
        misread: null,
        stateless: { value: true, reason: 'compiled code keeps nothing between calls' },
      },
    });
    expect((await service.call('GET', `/v1/functions/${body.id}`)).body).toEqual({
      ...body,
      analysis: { dimension: 2, findings: expect.any(Array) as unknown[] },
      code: SPHERE,
    });
    expect((await service.call('GET', '/v1/functions?limit=1')).body).toEqual({
      data: [body],
      total: 1,
      limit: 1,
      offset: 0,
    });
  });

  it.each([
    ['a syntax error', 'def f(x):\n    return x[0] +\n', /Line 2, column \d+: .*In:\s+return x\[0\] \+/s],
    ['no function', 'y = 3\n', /Line \d+/],
    ['a wrong arity', 'def f(x, y):\n    return x[0]\n', /Line 1/],
    ['nothing', '   \n', /./],
  ])('refuses %s on code, with its place', async (_what, code, message) => {
    const { status, body } = await post(code);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_request', field: 'code' });
    expect(body.error.message).toMatch(message);
  });

  it('says why a source needs CPython, and refuses to run it without one', async () => {
    const { status, body } = await post('def f(x):\n    return float(str(x[0]))\n');
    expect(status).toBe(201);
    expect(body.compilation.compiled).toBe(false);
    expect(body.compilation.reasons[0]).toMatchObject({ message: expect.any(String) as string, line: 2 });
    const run = await service.call('POST', '/v1/optimize', {
      body: { objective_function_id: body.id as string, bounds: [[0, 1]] },
    });
    expect(run.status).toBe(503);
    expect(run.body.error).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/needs CPython \(line 2/) as string,
    });
    expect(Number(run.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('evaluates points, with an error for each that fails', async () => {
    const { id } = (await post('import math\ndef f(x):\n    return math.sqrt(x[0]) / x[1]\n')).body as { id: string };
    const evaluate = (points: unknown): Promise<Answer> =>
      service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points } });
    const { status, body } = await evaluate([
      [4, 2],
      [-1, 1],
      [1, 0],
      [1e308, 1e-200],
    ]);
    expect(status).toBe(200);
    // The last one is infinite, which JSON cannot say.
    expect(body.values).toEqual([1, null, null, null]);
    expect(body.errors.map((error: Json) => error?.type as string)).toEqual([
      undefined,
      'ValueError',
      'ZeroDivisionError',
      undefined,
    ]);
    expect(body.backend).toMatchObject({ name: expect.any(String) as string, device: expect.any(String) as string });
    expect((await evaluate([[1, 2], [1]])).body.error.field).toBe('points[1]');
    expect((await service.call('POST', '/v1/functions/func_9/evaluate', { body: { points: [[1]] } })).status).toBe(404);
  });

  it('finishes an upload while every run thread is busy', async () => {
    const id = (await post(SPHERE)).body.id as string;
    const body = { objective_function_id: id, bounds: [[0, 1]], max_evaluations: 1e9 };
    const runs = await Promise.all(
      [1, 2, 3].map(() => service.call('POST', '/v1/optimize', { body, headers: { prefer: 'respond-async' } })),
    );
    const startedAt = performance.now();
    expect((await post(SPHERE)).status).toBe(201);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    for (const run of runs) await service.call('POST', `/v1/optimize/${run.body.id}/cancel`);
  });
});
