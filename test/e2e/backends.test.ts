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
    const { id } = (await upload(code, uploadExtra)).body as Json;
    const bounds = [
      [-3, 4],
      [-2, 5],
    ];
    const body = { objective_function_id: id as string, bounds, max_evaluations: 200, seed: 7, ...extra };
    return (await service.call('POST', '/v1/optimize', { body })).body as Json;
  };

  describe('of an objective in population form', () => {
    beforeEach((context) => context.skip(missing !== null || !hasNumpy, missing ?? withoutNumpy));
    const POPULATION =
      'import numpy as np\ndef f(X):\n    assert X.ndim == 2\n    return (X[:, 0] - 1) ** 2 + X[:, 1] ** 2\n';

    it('ends with the same bits as one candidate at a time', async () => {
      const stored = (await upload(POPULATION, { vectorized: true })).body as Json;
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

  it('keeps the mathematics that was asked for in the record', async () => {
    const code = 'import math\ndef f(x):\n    return math.sin(x[0]) + x[1] ** 2\n';
    expect((await optimize(code)).math).toBe('exact');
    expect(await optimize(code, { math: 'fast' })).toMatchObject({ math: 'fast', status: 'completed' });
  });
});
