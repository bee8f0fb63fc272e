/** What clients and operators see of how objectives are evaluated: compiled code, CPython, limits. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestService, type Answer, type Json, type TestService } from '../support/service.js';
import { hasNumpy, missing, python, withoutNumpy } from '../sandbox/support.js';

describe('evaluation', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ flags: ['--rate-limit-per-minute', '0', '--python', python] });
  });
  afterAll(async () => service.cleanUp());

  const upload = (code: string, extra: object = {}): Promise<Answer> =>
    service.call('POST', '/v1/functions', { body: { name: 'f', code, language: 'python', ...extra } });
  const optimize = async (code: string, extra: object = {}, uploadExtra: object = {}): Promise<Json> => {
    const { id } = (await upload(code, uploadExtra)).body;
    const bounds = [
      [-3, 4],
      [-2, 5],
    ];
    const body = { objective_function_id: id as string, bounds, max_evaluations: 200, seed: 7, ...extra };
    return (await service.call('POST', '/v1/optimize', { body })).body;
  };

  describe('of an objective in population form', () => {
    beforeEach((context) => context.skip(missing !== null || !hasNumpy, missing ?? withoutNumpy));
    const POPULATION =
      'import numpy as np\ndef f(X):\n    assert X.ndim == 2\n    return (X[:, 0] - 1) ** 2 + X[:, 1] ** 2\n';

    it('ends with the same bits as one candidate at a time', async () => {
      const stored = (await upload(POPULATION, { vectorized: true })).body;
      expect(stored.vectorized).toBe(true);
      expect((await service.call('GET', `/v1/functions/${stored.id}`)).body.vectorized).toBe(true);
      const whole = await optimize(POPULATION, {}, { vectorized: true });
      const single = await optimize('import numpy as np\ndef f(x):\n    return (x[0] - 1) ** 2 + x[1] ** 2\n');
      expect(whole).toMatchObject({ status: 'completed', failed_evaluations: 0 });
      expect(whole.best_solution).toEqual(single.best_solution);
      expect(whole.best_fitness).toBe(single.best_fitness);
    });

    it('fails with what was wrong with the result', async () => {
      const run = await optimize('import numpy as np\ndef f(X):\n    return np.sum(X)\n', {}, { vectorized: true });
      expect(run.status).toBe('failed');
      expect(run.error.message).toMatch(/returned shape \(\) for \d+ rows; .*is axis=1 missing\?/);
    });
  });

  it('notes at upload what the host of CPython decides, and keeps it in the record', async () => {
    const code = 'import numpy as np\ndef f(x):\n    return np.dot(x, x)\n';
    const { id, compilation } = (await upload(code)).body;
    expect(compilation).toMatchObject({ compiled: true, notes: [{ line: 3, column: 12 }] });
    expect(compilation.notes[0].message).toContain("the last bits of numpy.dot are those of the host's BLAS library");
    expect((await service.call('GET', `/v1/functions/${id}`)).body.compilation).toEqual(compilation);
  });

  it('says at upload why it will be slow, by place and without the source', async () => {
    const code = '# a secret\nname = "hidden"\ndef f(x):\n    # another\n    return float(str(x[0])) + len(name)\n';
    const { compilation } = (await upload(code)).body;
    expect(compilation).toEqual({
      compiled: false,
      reasons: [{ message: expect.any(String) as string, line: 5, column: expect.any(Number) as number }],
      notes: [],
      misread: null,
      stateless: { value: true, reason: 'the text shows nothing that outlives a call' },
    });
    expect(JSON.stringify(compilation)).not.toMatch(/secret|hidden|another/);
    const only = async (n: number): Promise<string> => {
      const source = `def f(x):\n    if len(x) ** 2 != ${n * n}: raise ValueError\n    return x[0]\n`;
      return (await upload(source)).body.compilation.reasons[0].message as string;
    };
    expect(await only(13)).toMatch(/it compiles for 13 dimensions; for 1, 2, 3 .* it does not/);
    expect(await only(200)).toMatch(/number of dimensions/);
  });

  it('counts what ran it, and what compiled code left to CPython', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const code = 'def f(x):\n    if x[0] > 3: return 1 / (x[1] - x[1])\n    return (x[0] - 2.9) ** 2 + x[1] ** 2\n';
    const run = await optimize(code, { max_evaluations: 300, black_box: true });
    const { tiers, flagged, fallback_reasons: reasons } = run.backend;
    expect(reasons).toEqual([]);
    expect(flagged.total).toBeGreaterThan(0);
    expect(flagged).toEqual({
      total: run.failed_evaluations as number,
      share: flagged.total / 300,
      reevaluated: flagged.total as number,
      by_status: { zero_division: flagged.total as number },
    });
    const { cpython, ...compiled } = tiers;
    expect(cpython).toBe(flagged.total);
    expect(Object.values(compiled)).toEqual([300]);
    expect(run.evaluation_errors[0]).toEqual({ type: 'ZeroDivisionError', message: 'float division by zero', line: 2 });
  });

  it('says why all of it went to CPython', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const { backend } = await optimize('def f(x):\n    return float(str(x[0])) ** 2 + x[1] ** 2\n');
    expect(backend).toMatchObject({ name: 'cpython', native_code: null, tiers: { cpython: 200 } });
    expect(backend.flagged).toEqual({ total: 0, share: 0, reevaluated: 0, by_status: {} });
    expect(backend.fallback_reasons).toMatchObject([
      { code: 'unsupported', line: 2, column: expect.any(Number) as number },
    ]);
  });

  it('tells what became of native code', async ({ skip }) => {
    const code = 'def f(x):\n    return x[0] ** 2 + x[1] ** 2\n';
    const { backend } = await optimize(code, { black_box: true });
    skip(backend.name !== 'native', 'no native addon here');
    expect(backend).toMatchObject({ tiers: { native_vm: 200 }, native_code: { status: 'not_tried' } });
    const long = (await optimize(code, { max_evaluations: 40_000, mode: 'accurate', black_box: true })).backend;
    const { status } = long.native_code;
    const { native_vm: onVm = 0, native_code: native = 0 } = long.tiers;
    expect(onVm + native).toBe(40_000);
    // Other processors than x86-64 have none.
    if (status === 'refused') expect(native).toBe(0);
    else expect([status, native > 0]).toEqual(['accepted', true]);
  });

  it('keeps the mathematics that was asked for in the record', async () => {
    const code = 'import math\ndef f(x):\n    return math.sin(x[0]) + x[1] ** 2\n';
    expect((await optimize(code)).math).toBe('exact');
    expect(await optimize(code, { math: 'fast' })).toMatchObject({ math: 'fast', status: 'completed' });
  });
});

describe('the metrics', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ flags: ['--python', python] });
  });
  afterAll(async () => service.cleanUp());

  /** Every series with its value. */
  async function scrape(): Promise<ReadonlyMap<string, number>> {
    const response = await fetch(`${service.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  }

  it('need no key, take no other method, and describe the process', async () => {
    const found = await scrape();
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']) {
      expect(found.get(name)).toBeGreaterThanOrEqual(0);
    }
    expect([...found.keys()].filter((name) => name.startsWith('extremum_info{version='))).toHaveLength(1);
    expect(found.get('extremum_runs{state="running"}')).toBe(0);
    expect(found.get('extremum_queue_length{queue="runs"}')).toBe(0);
    expect((await service.call('POST', '/metrics')).status).toBe(405);
  });

  it('count runs, evaluations, flags and requests by closed lists of names', async () => {
    const before = await scrape();
    const code = 'def f(x):\n    if x[0] > 3: return 1 / (x[1] - x[1])\n    return (x[0] - 2.9) ** 2 + x[1] ** 2\n';
    const id = await service.upload(code, 'a name that no label may show');
    const bounds = [
      [-3, 4],
      [-2, 5],
    ];
    const body = { objective_function_id: id, bounds, max_evaluations: 300, seed: 7, black_box: true };
    const run = (await service.call('POST', '/v1/optimize', { body })).body;
    await service.call('GET', `/v1/optimize/${run.id}`);
    await service.call('GET', '/v1/nothing-like-this');
    await service.call('GET', '/v1/identity', { key: null });
    const after = await scrape();
    const more = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    for (const [tier, count] of Object.entries(run.backend.tiers)) {
      expect([tier, more(`extremum_evaluations_total{tier="${tier}"}`)]).toEqual([tier, count]);
    }
    expect(more('extremum_flagged_candidates_total{status="zero_division"}')).toBe(run.backend.flagged.total);
    expect(more('extremum_deoptimised_candidates_total')).toBe(run.backend.flagged.reevaluated);
    expect(more('extremum_runs_ended_total{status="completed",reason="budget"}')).toBe(1);
    expect(more('extremum_compile_seconds_count{outcome="compiled"}')).toBeGreaterThanOrEqual(2);
    const requests = (route: string, status: number, method = 'GET'): number =>
      more(`extremum_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`);
    expect(requests('/v1/optimize', 200, 'POST')).toBe(1);
    expect(requests('/v1/optimize/{id}', 200)).toBe(1);
    expect(requests('none', 404)).toBe(1);
    expect(requests('none', 401)).toBe(1);
    expect([...after.keys()].filter((name) => name.includes('no label') || name.includes('nothing-like'))).toEqual([]);
  });

  it('count what goes to CPython, and its processes', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const before = await scrape();
    const id = await service.upload('def f(x):\n    return float(str(x[0])) ** 2\n');
    const body = { objective_function_id: id, bounds: [[0, 1]], max_evaluations: 100 };
    expect((await service.call('POST', '/v1/optimize', { body })).body.status).toBe('completed');
    const more = async (name: string): Promise<number> => ((await scrape()).get(name) ?? 0) - (before.get(name) ?? 0);
    expect(await more('extremum_fallbacks_total{reason="unsupported"}')).toBe(1);
    expect(await more('extremum_evaluations_total{tier="cpython"}')).toBe(100);
    expect(await more('extremum_compile_seconds_count{outcome="unsupported"}')).toBeGreaterThanOrEqual(2);
    expect(
      (await more('extremum_python_processes_taken_total{start="warm"}')) +
        (await more('extremum_python_processes_taken_total{start="cold"}')),
    ).toBe(1);
    // One more told at the upload whether candidates may be shared out: no kernel has taken it.
    await expect.poll(() => more('extremum_python_processes_ended_total{reason="finished"}')).toBe(2);
    expect((await scrape()).get('extremum_python_processes{state="busy"}')).toBe(0);
  });
});

describe('the limits of CPython', () => {
  let service: TestService;
  const LIMITS = {
    'memory-bytes': 2 ** 29,
    'cpu-seconds': 100,
    'evaluation-seconds': 1,
    'load-seconds': 2,
    'output-bytes': 65_536,
    'processes-per-run': 2,
    spares: 1,
  };
  beforeAll(async () => {
    const flags = Object.entries(LIMITS).flatMap(([name, value]) => [`--python-${name}`, String(value)]);
    service = await startTestService({ flags: ['--python', python, ...flags] });
  });
  afterAll(async () => service.cleanUp());
  beforeEach((context) => context.skip(missing !== null, missing ?? ''));

  const evaluate = async (code: string, points: readonly number[][]): Promise<Answer> => {
    const id = await service.upload(code);
    return service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points } });
  };

  it('are the operator’s settings, and health tells them with the level of the sandbox', async () => {
    const { backends } = (await service.call('GET', '/v1/health')).body;
    const cpython = backends.find(({ name }: Json) => name === 'cpython');
    expect(cpython.device).toMatch(/^CPython 3\.\d+.*; sandbox landlock=\d+ seccomp=2 uid=\d+/);
    const expected = Object.entries(LIMITS).map(([name, value]) => [name.replace('-', '_').replace('-', '_'), value]);
    expect(cpython.limits).toEqual({
      ...Object.fromEntries(expected),
      max_memory_bytes: LIMITS['memory-bytes'],
      max_evaluation_seconds: LIMITS['evaluation-seconds'],
    });
  });

  it('hold for memory and for the time of an evaluation', async () => {
    const code =
      'def f(x):\n    if x[0] == 1: return len(bytearray(2**30))\n    while x[0] == 2: str(x)\n    return str(x)[0] == "["';
    const { body } = await evaluate(code, [[0], [1], [2]]);
    expect(body.values).toEqual([1, null, null]);
    expect(body.errors.map((error: Json) => error?.type as string)).toEqual([undefined, 'MemoryLimit', 'TimeLimit']);
    expect(body.errors[2].message).toMatch(/longer than 1 s/);
  });

  it('hold for a source that never ends loading, which is told so', async () => {
    const { status, body } = await evaluate('while True: pass\ndef f(x): return 1', [[0]]);
    expect(status).toBe(400);
    expect(body.error.message).toBe('TimeLimit: loading took longer than 2 s and was stopped');
  });

  it('let many long error texts through, in small portions', async () => {
    const code = 'def f(x):\n    raise ValueError(str(x) + "\\U0001f600" * 1000)';
    const { body } = await evaluate(
      code,
      Array.from({ length: 300 }, (_, i) => [i]),
    );
    expect(body.errors).toHaveLength(300);
    for (const error of body.errors as Json[]) expect(error).toMatchObject({ type: 'ValueError', line: 2 });
  });
});

describe('without CPython', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ flags: ['--python', 'off'] });
  });
  afterAll(async () => service.cleanUp());

  it('who asks for another number of objectives than a function returns hears of that', async () => {
    const id = await service.upload('def f(x):\n    return x[0]\n');
    const evaluate = (objectives: number) =>
      service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points: [[1]], objectives } });
    expect((await evaluate(1)).body.values).toEqual([1]);
    const refused = await evaluate(2);
    expect([refused.status, refused.body.error.field]).toEqual([400, 'objectives']);
  });

  it('an objective that always raises is not said to need it', async () => {
    const id = await service.upload('def f(x):\n    raise ValueError("never")\n');
    const body = { objective_function_id: id, bounds: [[0, 1]] };
    const run = await service.call('POST', '/v1/optimize', { body });
    expect(run.status).toBe(503);
    expect(run.body.error.message).toMatch(
      /^This function was not compiled \(line \d: every evaluation raises an exception.*\)\. CPython, .* is not available: .*PYTHON=off/,
    );
  });
});
