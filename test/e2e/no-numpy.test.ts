/**
 * An interpreter without NumPy: compiled code stands for it where it can, and what it cannot do fails with a remedy.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { missing } from '../sandbox/support.js';
import { makeBarePython } from '../support/python.js';
import { startTestService, type Json, type TestService } from '../support/service.js';

const python = makeBarePython();
afterAll(() => python.remove());

/** Compiled; from 2 on the subscript is out of range, which only CPython would put into its words. */
const PARTLY = 'import numpy as np\ndef f(x):\n    return np.sum((x - 0.25) ** 2) + [1.0, 2.0][int(x[0])]\n';
const REMEDY = /this Python interpreter has no NumPy; to install it: \S+ (-m pip install |install python3-)numpy$/;

describe('where the interpreter has no NumPy', () => {
  let service: TestService;
  beforeEach((context) => context.skip(missing !== null || python.command === null, missing ?? python.reason));
  beforeAll(async () => {
    service = await startTestService({ flags: ['--python', python.command ?? 'off'] });
  });
  afterAll(() => service.cleanUp());

  const evaluate = async (id: string, points: number[][]): Promise<Json> =>
    service.call('POST', `/v1/functions/${id}/evaluate`, { body: { points } });
  const optimize = async (id: string, bounds: number[][], more: object = {}): Promise<Json> =>
    (
      await service.call('POST', '/v1/optimize', {
        body: { objective_function_id: id, bounds, max_evaluations: 300, seed: 3, ...more },
      })
    ).body;

  it('values all points but those that compiled code leaves to CPython, which fail with the remedy', async () => {
    const { status, body } = await evaluate(await service.upload(PARTLY), [
      [0.25, 0.25],
      [5, 0],
      [1.25, 0.25],
    ]);
    expect(status).toBe(200);
    expect(body.values).toEqual([1, null, 3]);
    expect(body.errors).toEqual([
      null,
      { type: 'ImportError', message: expect.stringMatching(REMEDY) as string, line: 0 },
      null,
    ]);
    expect(body.verified).toEqual({
      by: null,
      points: 0,
      reason: 'missing_module',
      message: expect.stringMatching(REMEDY) as string,
    });
  });

  it('searches on where candidates fail, in compiled code, and says why nobody has confirmed a value', async () => {
    const id = await service.upload(PARTLY);
    const box = [
      [0, 1.9],
      [-1, 1],
    ];
    const record = await optimize(id, [[0, 4], box[1]]);
    expect(record).toMatchObject({ status: 'completed', verified: { by: null, points: 0, reason: 'missing_module' } });
    expect(record.verified.message).toMatch(REMEDY);
    expect(record.backend.name).not.toBe('cpython');
    expect(record.failed_evaluations).toBeGreaterThan(0);
    expect(record.evaluation_errors[0].message).toMatch(REMEDY);
    expect(record.best_fitness).toBeCloseTo((await optimize(id, box)).best_fitness, 6);
  });

  it('fails a run of which no candidate can be valued', async () => {
    const record = await optimize(await service.upload(PARTLY), [
      [3, 4],
      [0, 1],
    ]);
    expect(record.status).toBe('failed');
    expect(record.error.message).toMatch(REMEDY);
  });

  it('refuses to evaluate what only CPython with NumPy can', async () => {
    const code = 'import numpy as np\ndef f(x):\n    return float(np.linalg.svd(np.outer(x, x))[1][0])\n';
    const { status, body } = await evaluate(await service.upload(code), [[1, 2]]);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.message).toMatch(REMEDY);
  });

  it('confirms values of what needs no NumPy', async () => {
    const { body } = await evaluate(await service.upload('def f(x):\n    return x[0] ** 2\n'), [[3]]);
    expect(body).toMatchObject({ values: [9], verified: { by: 'cpython', points: 1 } });
  });

  it('is said by /v1/health, which is content all the same', async () => {
    const { body } = await service.call('GET', '/v1/health');
    expect(body.status).toBe('ok');
    const { available, notice } = body.backends.find(({ name }: Json) => name === 'cpython');
    expect(available).toBe(true);
    expect(notice).toContain(`The Python interpreter ${python.command} `);
    expect(notice.split('\n')).toEqual([
      expect.stringMatching(/ has no NumPy: .* To install it \(and start again\): /),
      expect.stringMatching(/ has no SciPy: .* To install it \(and start again\): /),
    ]);
  });
});
