/** A front end that decides wrongly whether an objective takes a list or an array: CPython decides by itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalRuns } from '../../src/local-runs.js';
import { parsePythonConfig } from '../../src/config.js';
import type { Misreading } from '../../src/model/verification.js';
import { findPython } from '../support/python.js';
import { startTestService, type Json, type TestService } from '../support/service.js';

const python = findPython('numpy');
const LIST = `
def f(x):
    kind = 1.0 if isinstance(x, (tuple, list)) else 2.0
    return kind + x[0] * x[0] + x[1] * x[1]
`;
const ARRAY = `
def f(x):
    try:
        return sum(x ** 2) + 1.0
    except TypeError:
        return 0.5
`;
const IMPORTS = `
import numpy
def f(x):
    kind = 1.0 if isinstance(x, numpy.ndarray) else 0.5
    return kind + x[0] * x[0] + x[1] * x[1]
`;
/** The text leaves it open, and the value does not. */
const UNCLEAR = `
def f(x):
    b = 0.0
    if len(x) == 2:
        a, b = x
        x = a
    return x ** 2 + b * b + (1.0 if type(x) is float else 2.0)
`;
/** The text leaves it open, and it does not matter. */
const OPEN = UNCLEAR.replace('(1.0 if type(x) is float else 2.0)', '1.0');

const BOUNDS = [
  [-1, 2],
  [-1, 2],
] as const;
const task = (id: string): object => ({
  objective_function_id: id,
  bounds: BOUNDS,
  max_evaluations: 400,
  seed: 5,
  learned_version: 0,
});

describe.skipIf(python.command === null)(`a kind of argument that is not the right one${python.reason}`, () => {
  const services: Record<string, TestService> = {};
  beforeAll(async () => {
    const flags = ['--python', python.command ?? 'off'];
    services['list'] = await startTestService({ flags, faults: { argument: 'list' } });
    services['ndarray'] = await startTestService({ flags, faults: { argument: 'ndarray' } });
  });
  afterAll(() => Promise.all(Object.values(services).map((service) => service.cleanUp())));
  const run = async (service: TestService, code: string): Promise<Json> => {
    const { status, body: record } = await service.call('POST', '/v1/optimize', {
      body: task(await service.upload(code, 'f')),
    });
    expect(status, JSON.stringify(record)).toBe(200);
    return record;
  };

  it.each([
    ['a list', 'ndarray', LIST, 1, 2],
    ['an array by its use', 'list', ARRAY, 1, 0.5],
    ['an array by an import', 'list', IMPORTS, 1, 0.5],
  ])(
    'is a misreading of a source that takes %s: CPython gives the right one',
    async (_what, wrong, code, least, given) => {
      const service = services[wrong];
      const record = await run(service, code);
      expect(record).toMatchObject({ status: 'completed', optimality: null, backend: { name: 'cpython' } });
      expect(record.backend.reason).toMatch(/^compiled code misreads the source/);
      expect(record.best_fitness).toBeCloseTo(least, 2);
      expect(record.best_fitness).toBeGreaterThanOrEqual(least);
      expect(record.verified).toEqual({ by: null, points: 0, reason: 'interpreted' });
      const id = record.objective_function_id;
      const { body: found } = await service.call('GET', `/v1/functions/${id}`);
      expect(found.compilation).toMatchObject({ compiled: false });
      expect(found.compilation.misread.cpython).not.toBe(found.compilation.misread.compiled);

      // The same where points are evaluated, and in the runs that follow.
      const fresh = await service.upload(`${code}\n# evaluated\n`, 'f');
      for (let k = 0; k < 2; k++) {
        const { body } = await service.call('POST', `/v1/functions/${fresh}/evaluate`, { body: { points: [[0, 0]] } });
        expect(body).toMatchObject({ values: [least], backend: { name: 'cpython' } });
        expect(body.values[0]).not.toBe(given);
      }
      const later = await run(service, code);
      expect(later.best_fitness).toBe(record.best_fitness);
    },
  );

  it('is open where the text does not tell: the record says so, and no proof stands', async () => {
    for (const wrong of ['list', 'ndarray']) {
      const record = await run(services[wrong], UNCLEAR);
      expect(record).toMatchObject({ status: 'completed', optimality: null });
      expect(record.backend.name).not.toBe('cpython');
      expect(record.termination_reason).not.toBe('optimal');
      expect(record.verified).toMatchObject({ by: null, points: 0, reason: 'undecided' });
      expect(record.verified.message).toContain('with a list and with a NumPy array');
    }
  });

  it('is nothing to doubt where it does not matter', async () => {
    const record = await run(services['list'], OPEN);
    expect(record.verified).toEqual({ by: 'cpython', points: expect.any(Number) });
    expect(record).toMatchObject({ termination_reason: 'optimal', optimality: { status: 'optimal' } });
  });

  it('is found by runs without a service, and by those that go on from their checkpoint', async () => {
    const local = await LocalRuns.open(parsePythonConfig({}, python.command ?? 'off', 'on'), 1);
    try {
      const found: Misreading[] = [];
      const source = { code: LIST, entry: 'f', argument: 'ndarray' as const };
      const wanted = { bounds: BOUNDS, seed: 5, direction: 'minimize', mode: 'balanced', strategy: 'cma-es' } as const;
      const start = (maxEvaluations: number, checkpoint?: Uint8Array) =>
        local.start({
          source,
          task: { ...wanted, maxEvaluations },
          onMisread: (misreading) => found.push(misreading),
          ...(checkpoint === undefined ? {} : { checkpoint }),
        }).result;
      const first = await start(60);
      if (first.kind !== 'ended') throw new Error(first.kind);
      expect(found).toMatchObject([{ compiled: [expect.any(Number)], cpython: [expect.any(Number)] }]);
      expect(first.outcome.backend.name).toBe('cpython');
      expect(first.outcome.bestFitness).toBeLessThan(2);
      const second = await start(120, first.extendable);
      if (second.kind !== 'ended') throw new Error(second.kind);
      const { evaluations, backend, bestFitness } = second.outcome;
      expect(evaluations).toBe(120);
      expect(backend.use?.tiers).toEqual({ cpython: 120 });
      expect(bestFitness).toBeGreaterThanOrEqual(1);
      expect(bestFitness).toBeLessThan(2);
      expect(found).toHaveLength(1);
    } finally {
      await local.close();
    }
  });
});
