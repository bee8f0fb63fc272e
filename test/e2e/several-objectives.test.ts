/** Runs of several objectives, as clients see them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hypervolume } from '../../src/pareto/hypervolume.js';
import { findPython } from '../support/python.js';
import { startTestService, type Json, type TestService } from '../support/service.js';

const withNumPy = findPython('numpy');
const python = withNumPy.command ?? findPython().command;

/** Schaffer's first problem: the front is x in 0 .. 2. */
const SCHAFFER = 'def f(x):\n    return x[0] ** 2, (x[0] - 2) ** 2\n';
const SPHERES = `import numpy as np
def f(x):
    return np.array([np.sum((x - 0.2) ** 2), np.sum((x - 0.5) ** 2), np.sum((x - 0.8) ** 2)])
`;
const BOX = [
  [-5, 5],
  [-5, 5],
];

const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i])));

/** The measure of `points` from `reference`, of minimised values. */
const volumeOf = (points: readonly { values: readonly number[] }[], reference: readonly number[]): number =>
  hypervolume(Float64Array.from(points.flatMap(({ values }) => values)), points.length, reference.length, reference);

describe('several objectives', () => {
  let service: TestService;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const flags = ['--rate-limit-per-minute', '0', '--python', python ?? 'off'];
    service = await startTestService({ flags });
    ids['schaffer'] = await service.upload(SCHAFFER);
    ids['spheres'] = await service.upload(SPHERES);
  }, 60_000);
  afterAll(() => service.cleanUp());

  const post = async (body: object): Promise<{ status: number; body: Json }> =>
    service.call('POST', '/v1/optimize', {
      body: {
        objective_function_id: ids['schaffer'],
        bounds: BOX,
        seed: 5,
        max_evaluations: 600,
        objectives: 2,
        ...body,
      },
    });
  const run = async (body: object = {}): Promise<Json> => {
    const answer = await post(body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const read = async (path: string): Promise<Json> => (await service.call('GET', path)).body;
  const refusedField = async (body: object): Promise<[number, string]> => {
    const { status, body: answer } = await post(body);
    return [status, answer.error.field];
  };

  it('delivers a front, its hypervolume and its knee', async () => {
    const record = await run();
    expect(record).toMatchObject({ success: true, objectives: 2, best_fitness: null, strategy_used: 'sms-emoa' });
    expect(record.backend.tiers.cpython).toBeUndefined();
    const front = record.pareto_front as { solution: number[]; values: number[] }[];
    expect(front.length).toBeGreaterThan(20);
    for (const { solution, values } of front) {
      expect(values).toEqual([solution[0] ** 2, (solution[0] - 2) ** 2]);
      const better = front.filter((other) => other.values.every((value, i) => value <= values[i]));
      expect(better).toHaveLength(1);
    }
    expect(front.map(({ values }) => values[0])).toEqual(
      front.map(({ values }) => values[0]).toSorted((a, b) => a - b),
    );
    expect(record.hypervolume).toBeCloseTo(volumeOf(front, record.reference_point), 9);
    // The middle of the front, where both are 1.
    expect(distance(record.best_solution.slice(0, 1), [1])).toBeLessThan(0.1);
    expect(front.some(({ solution }) => distance(solution, record.best_solution) === 0)).toBe(true);
    expect(record.progress.hypervolume).toBe(record.hypervolume);
    const { data } = await read(`/v1/optimize/${record.id}/history`);
    expect(data.length).toBeGreaterThan(3);
    expect(data.every((point: Json, i: number) => i === 0 || point.hypervolume > data[i - 1].hypervolume)).toBe(true);
    expect(data.every((point: Json) => point.best_fitness === null)).toBe(true);
    const list = await read('/v1/optimize?limit=1');
    expect(list.data[0]).toMatchObject({ id: record.id, hypervolume: record.hypervolume, pareto_front: null });
  });

  it('gives the same bits for the same seed, and others for another', async () => {
    const [first, second, other] = [await run({ seed: 9 }), await run({ seed: 9 }), await run({ seed: 10 })];
    expect(second.pareto_front).toEqual(first.pareto_front);
    expect(second.hypervolume).toBe(first.hypervolume);
    expect(other.pareto_front).not.toEqual(first.pareto_front);
  });

  it('measures from the reference point of the request, and maximises all objectives', async () => {
    const asked = await run({ reference_point: [4, 4] });
    expect(asked.reference_point).toEqual([4, 4]);
    // All of x in 0 .. 2: the integral of 4 - (sqrt(u) - 2)^2 over u in 0 .. 4.
    expect(asked.hypervolume).toBeGreaterThan(13);
    expect(asked.hypervolume).toBeLessThan(16 - 8 / 3);
    const code = 'def f(x):\n    return [-x[0] ** 2, -(x[0] - 2) ** 2]\n';
    const id = await service.upload(code);
    const maximised = await run({ objective_function_id: id, direction: 'maximize', reference_point: [-4, -4] });
    expect(maximised.hypervolume).toBe(asked.hypervolume);
    expect(maximised.pareto_front).toEqual(
      asked.pareto_front.map(({ solution, values }: Json) => ({ solution, values: values.map((v: number) => -v + 0) })),
    );
  });

  it('takes arrays of three', async () => {
    const record = await run({ objective_function_id: ids['spheres'], objectives: 3, max_evaluations: 900 });
    expect(record.pareto_front.length).toBeGreaterThan(20);
    expect(record.pareto_front[0].values).toHaveLength(3);
    // On the line between the three centres.
    expect(distance(record.best_solution, [0.5, 0.5])).toBeLessThan(0.2);
  });

  it('explains the front with its numbers', async () => {
    const record = await run({ preset: 'research' });
    const { statements, notes, level } = record.explanation;
    expect([level, notes]).toEqual([5, []]);
    const topics = statements.filter((one: Json) => one.level > 3).map(({ topic }: Json) => topic as string);
    expect([...new Set(topics)].sort()).toEqual(
      ['bounds', 'flatness', 'front', 'interaction', 'reproduction', 'robustness', 'sensitivity'].sort(),
    );
    const [result] = statements;
    expect(result.evidence).toMatchObject({
      points: record.pareto_front.length,
      objectives: 2,
      hypervolume: record.hypervolume,
      evaluations: record.evaluations,
    });
    const extents = statements.filter(({ topic, evidence }: Json) => topic === 'front' && evidence.objective === 1);
    expect(record.evaluations).toBeGreaterThan(590);
    const firsts = record.pareto_front.map(({ values }: Json) => values[0]);
    expect(extents[0].evidence).toMatchObject({ lowest: Math.min(...firsts), highest: Math.max(...firsts) });
    const tradeOffs = statements.filter(({ topic }: Json) => topic === 'trade_off');
    expect(tradeOffs).toHaveLength(2);
    const knee = record.pareto_front.find(({ solution }: Json) => distance(solution, record.best_solution) === 0);
    expect(tradeOffs[1].evidence).toMatchObject({
      knee_value: knee.values[1],
      best_value: Math.min(...record.pareto_front.map(({ values }: Json) => values[1])),
      change_1: record.pareto_front.at(-1).values[0] - knee.values[0],
    });
    const all = await read(`/v1/optimize/${record.id}/explanation?level=5`);
    expect(all.statements.every(({ text }: Json) => !/[{}]|NaN|undefined|best value/.test(text))).toBe(true);
  });

  it('is replayed and extended', async () => {
    const record = await run({ max_evaluations: 300 });
    const replay = await service.call('POST', `/v1/optimize/${record.id}/replay`, { body: { strategy: 'sms-emoa' } });
    expect(replay.body.pareto_front).toEqual(record.pareto_front);
    expect(replay.body.comparison).toEqual({
      best_fitness_difference: null,
      evaluations_to_match: null,
      better: false,
    });
    const other = await service.call('POST', `/v1/optimize/${record.id}/replay`, { body: { strategy: 'cma-es' } });
    expect([other.status, other.body.error.field]).toEqual([400, 'strategy']);
    const extended = await service.call('POST', `/v1/optimize/${record.id}/extend`, { body: { max_evaluations: 600 } });
    expect(extended.body).toMatchObject({
      evaluations: 600,
      extension: { from_evaluation: 300, equals_one_run: false },
    });
    expect(extended.body.reference_point).toEqual(record.reference_point);
    expect(extended.body.hypervolume).toBeGreaterThan(record.hypervolume);
  });

  it('refuses what does not go together, at its field', async () => {
    expect(await refusedField({ strategy: 'cma-es' })).toEqual([400, 'strategy']);
    expect(await refusedField({ strategy: 'sms-emoa', objectives: 1 })).toEqual([400, 'strategy']);
    expect(await refusedField({ target_fitness: 1 })).toEqual([400, 'target_fitness']);
    expect(await refusedField({ objectives: 5 })).toEqual([400, 'objectives']);
    expect(await refusedField({ reference_point: [1] })).toEqual([400, 'reference_point']);
    expect(await refusedField({ objectives: 1, reference_point: [1] })).toEqual([400, 'reference_point']);
  });

  it.skipIf(python === null)('has the bits of compiled code from CPython', async () => {
    const compiled = await run();
    const id = await service.upload(`def f(x):\n    eval("1")\n    return [x[0] ** 2, (x[0] - 2) ** 2]\n`);
    const called = await run({ objective_function_id: id });
    expect(called.backend.name).toBe('cpython');
    expect(called.pareto_front).toEqual(compiled.pareto_front);
  });

  it('says how many numbers a function returns, and evaluates it', async () => {
    const show = async (id: string): Promise<unknown> => (await read(`/v1/functions/${id}`)).objectives;
    expect([await show(ids['schaffer']), await show(ids['spheres'])]).toEqual([2, 3]);
    const evaluate = async (id: string, body: object): Promise<Json> =>
      (await service.call('POST', `/v1/functions/${id}/evaluate`, { body })).body;
    const points = [
      [1, 0],
      [3, 0],
    ];
    const found = await evaluate(ids['schaffer'], { points });
    expect(found).toMatchObject({ objectives: 2, errors: [null, null] });
    expect(found.values).toEqual([
      [1, 1],
      [9, 1],
    ]);
    expect((await evaluate(ids['schaffer'], { points, objectives: 2 })).values).toEqual(found.values);
    expect((await evaluate(ids['schaffer'], { points, objectives: 5 })).error.field).toBe('objectives');
    const single = await service.upload('def f(x):\n    return x[0]\n');
    expect(await show(single)).toBe(1);
    expect(await evaluate(single, { points })).toMatchObject({ objectives: 1, values: [1, 3] });
  });

  it.skipIf(python === null)('finds out how many numbers a function returns that only CPython runs', async () => {
    const evaluate = async (id: string, points: number[][], body: object = {}): Promise<Json> =>
      (await service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points, ...body } })).body;
    const pair = await service.upload(
      `def f(x):\n    eval("1")\n    if x[0] < 0:\n        raise ValueError("low")\n    return [x[0], 1e308 * x[0]]\n`,
    );
    expect((await read(`/v1/functions/${pair}`)).objectives).toBeNull();
    const found = await evaluate(pair, [[-1], [1], [9]]);
    expect(found.objectives).toBe(2);
    // The last one is infinite, which JSON cannot say.
    expect(found.values).toEqual([null, [1, 1e308], [9, null]]);
    expect(found.errors).toMatchObject([{ type: 'ValueError', message: 'low' }, null, null]);
    const told = await evaluate(pair, [[1]], { objectives: 1 });
    expect(told).toMatchObject({ objectives: 1, values: [null] });
    expect(told.errors[0].message).toBe(
      'the objective returned a list of 2 elements, not one number; ' +
        'a run with "objectives": 2 (--objectives 2) takes them as 2 objectives',
    );
    // Where some points give no number at all, their place in the list does not matter.
    const powers = await service.upload('def f(d): return [v ** 1.5 for v in d]\n');
    const orders = [await evaluate(powers, [[-1], [4]]), await evaluate(powers, [[4], [-1]])];
    expect(orders).toMatchObject([
      { objectives: 1, values: [null, 8], errors: [{ type: 'NonNumericResult' }, null] },
      { objectives: 1, values: [8, null], errors: [null, { type: 'NonNumericResult' }] },
    ]);
    const text = await service.upload('def f(x):\n    eval("1")\n    return "a", "b"\n');
    const none = await evaluate(text, [[1]]);
    expect(none).toMatchObject({ objectives: 1, values: [null], errors: [{ type: 'NonNumericResult' }] });
  });

  it('finds out how many numbers a function returns for each row of a population', async (context) => {
    context.skip(withNumPy.command === null, withNumPy.reason);
    const code =
      'import numpy as np\ndef f(X):\n    eval("1")\n    return np.stack([X[:, 0], X[:, 1], X[:, 0]], axis=1)\n';
    const upload = { name: 'rows', code, language: 'python', vectorized: true };
    const { id } = (await service.call('POST', '/v1/functions', { body: upload })).body;
    const evaluate = async (body: object): Promise<Json> =>
      (await service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points: [[1, 2]], ...body } })).body;
    expect(await evaluate({})).toMatchObject({ objectives: 3, values: [[1, 2, 1]] });
    const hint = await evaluate({ objectives: 1 });
    expect(hint.errors[0].message).toContain('shape (1,); a run with "objectives": 3 (--objectives 3)');
  });

  it.skipIf(python === null)('fails candidates that give another number of values, with what they gave', async () => {
    const { status, body } = await post({ objectives: 3 });
    expect([status, body.status]).toEqual([200, 'failed']);
    expect(body.error.message).toContain(
      'the objective returned a tuple of 2 elements, not 3 numbers, one per objective',
    );
    const one = await post({ objectives: 1 });
    expect(one.body.error.message).toContain('not one number; a run with "objectives": 2 (--objectives 2)');
    const sometimes = await service.upload(
      'def f(x):\n    return (1.0,) if x[0] < 0 else (x[0] ** 2, (x[0] - 2) ** 2)\n',
    );
    const record = await run({ objective_function_id: sometimes });
    expect(record.failed_evaluations).toBeGreaterThan(5);
    expect(record.evaluation_errors[0].message).toContain('a tuple of 1 elements, not 2 numbers');
    expect(record.pareto_front.length).toBeGreaterThan(20);
    const nan = await service.upload(
      'def f(x):\n    return x[0] ** 2, float("nan") if x[0] < 1 else (x[0] - 2) ** 2\n',
    );
    const rest = await run({ objective_function_id: nan });
    expect(rest.failed_evaluations).toBeGreaterThan(5);
    expect(Math.min(...rest.pareto_front.map(({ solution }: Json) => solution[0]))).toBeGreaterThanOrEqual(1);
  });

  it('says that a hypervolume is beyond float64, where it is', async () => {
    const huge = await service.upload('def f(x):\n    return x[0] * 1e308, -x[0] * 1e308\n');
    const record = await run({ objective_function_id: huge, preset: 'enterprise', bounds: [[-1.5, 1.5]] });
    expect(record).toMatchObject({ status: 'completed', hypervolume: null, progress: { hypervolume: null } });
    expect(JSON.stringify(record.explanation)).toContain('hypervolume beyond the range of float64');
    const shown = [record.explanation];
    for (const { url } of record.visuals) {
      const drawn = await fetch(service.url + url, { headers: { authorization: `Bearer ${service.key}` } });
      shown.push(await drawn.text());
    }
    expect(shown).toHaveLength(3);
    expect(JSON.stringify(shown)).not.toMatch(/NaN|Infinity/);
  });

  it.each([
    ['the same objective twice', 'x[0] ** 2 + x[1] ** 2, x[0] ** 2 + x[1] ** 2'],
    ['a constant one', 'x[0] ** 2 + x[1] ** 2, 3.0'],
    ['nothing but constants', '1.0, -2.0, 0.0'],
  ])('has a front of one point where there is no conflict: %s', async (_, values) => {
    const objective_function_id = await service.upload(`def f(x):\n    return ${values}\n`);
    const record = await run({ objective_function_id, objectives: values.split(', ').length, preset: 'research' });
    expect(record).toMatchObject({ status: 'completed', failed_evaluations: 0 });
    expect(record.pareto_front).toHaveLength(1);
    expect(record.best_solution).toEqual(record.pareto_front[0].solution);
    expect(record.hypervolume).toBeGreaterThan(0);
    const { level, statements } = record.explanation;
    expect([level, statements.every(({ text }: Json) => !/[{}]|NaN|undefined|Infinity/.test(text))]).toEqual([5, true]);
    for (const kind of ['pareto', 'convergence']) {
      const answer = await fetch(`${service.url}/v1/optimize/${record.id}/visuals/${kind}`, {
        headers: { authorization: `Bearer ${service.key}` },
      });
      expect([answer.status, /NaN|Infinity|undefined/.test(await answer.text())]).toEqual([200, false]);
    }
  });

  it('takes an infinite value for a constraint that is broken', async () => {
    const code =
      'def f(x):\n    if x[0] + x[1] < 1:\n        return float("inf"), 0.0\n    return x[0] ** 2, (x[0] - 2) ** 2 + x[1] ** 2\n';
    const record = await run({ objective_function_id: await service.upload(code) });
    expect(record.failed_evaluations).toBe(0);
    expect(record.pareto_front.length).toBeGreaterThan(10);
    for (const { solution } of record.pareto_front) expect(solution[0] + solution[1]).toBeGreaterThanOrEqual(1);
    const never = await service.upload('def f(x):\n    return float("inf"), x[0]\n');
    const none = await run({ objective_function_id: never, max_evaluations: 100 });
    expect(none).toMatchObject({ pareto_front: null, best_solution: null, status: 'failed', success: false });
    expect(none).toMatchObject({
      termination_reason: 'budget',
      error: { message: expect.stringMatching(/^None of /) },
    });
  });

  it('draws the front and the course, as SVG and as PNG', async () => {
    const record = await run({ preset: 'enterprise' });
    expect(record.visuals).toEqual(
      ['convergence', 'pareto', 'importance', 'parallel'].map((kind) => ({
        kind,
        url: `/v1/optimize/${record.id}/visuals/${kind}`,
      })),
    );
    const draw = (url: string, accept: string): Promise<Response> =>
      fetch(service.url + url, { headers: { authorization: `Bearer ${service.key}`, accept } });
    for (const { kind, url } of record.visuals) {
      const svg = await draw(url, '*/*');
      expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
      expect(svg.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      const shown: Record<string, RegExp> = {
        convergence: /hypervolume over 600 evaluations/,
        pareto: /hypervolume .*<circle/s,
        importance: /largest change of the hypervolume/,
        parallel: /points of the front/,
      };
      expect(await svg.text()).toMatch(shown[kind]);
      const png = await draw(url, 'image/png');
      expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png']);
      const bytes = Buffer.from(await png.arrayBuffer());
      // Signature, then width and height.
      expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
      expect(bytes.readUInt32BE(16)).toBe(1520);
      if (kind === 'pareto') expect(bytes.readUInt32BE(20)).toBe(1040);
      expect(bytes.length).toBeGreaterThan(5_000);
      expect((await draw(url, 'image/png, image/svg+xml')).headers.get('content-type')).toContain('svg');
    }
    const one = await run({
      objectives: 1,
      objective_function_id: await service.upload('def f(x):\n    return x[0] ** 2\n'),
    });
    expect(one.visuals).toEqual([]);
    expect((await draw(`/v1/optimize/${one.id}/visuals/convergence`, '*/*')).status).toBe(200);
    for (const path of [`${one.id}/visuals/pareto`, `${record.id}/visuals/landscape`, 'opt_1/visuals/pareto']) {
      const missing = await service.call('GET', `/v1/optimize/${path}`);
      expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found']);
    }
    const refused = await service.call('GET', `/v1/optimize/${one.id}/visuals/slice`);
    expect(refused.body.error.message).toMatch(/^There is no picture `slice` of this optimization: .* level 4 and 5/);
    const endless = { max_evaluations: 100_000_000, black_box: true };
    const going = await service.call('POST', '/v1/optimize', {
      body: { objective_function_id: ids['schaffer'], bounds: BOX, objectives: 2, ...endless },
      headers: { prefer: 'respond-async' },
    });
    const early = await service.call('GET', `/v1/optimize/${going.body.id}/visuals/pareto`);
    expect([early.status, early.body.error.code]).toEqual([409, 'conflict']);
    const cancelled = await service.call('POST', `/v1/optimize/${going.body.id}/cancel`);
    expect(cancelled.body.status).toBe('failed');
  });

  it('takes a population of rows', async (context) => {
    context.skip(withNumPy.command === null, withNumPy.reason);
    const code = 'import numpy as np\ndef f(X):\n    return np.stack([X[:, 0] ** 2, (X[:, 0] - 2) ** 2], axis=1)\n';
    const { body } = await service.call('POST', '/v1/functions', {
      body: { name: 'rows', code, language: 'python', vectorized: true },
    });
    const record = await run({ objective_function_id: body.id });
    expect(record.pareto_front.length).toBeGreaterThan(20);
  });
});
