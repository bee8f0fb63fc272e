/** `evaluation_limits` of an upload: in its record, and in whatever evaluates it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython } from '../support/python.js';
import { startTestService, type Json, type TestService } from '../support/service.js';

const python = findPython();
/** Not compiled; takes `x[0]` seconds. */
const SLEEPS = 'import time\ndef f(x):\n    time.sleep(x[0])\n    return x[0]';
const STOPPED = 'the evaluation took longer than 0.2 s and was stopped';

describe.skipIf(python.command === null)(`limits of the evaluations of a function${python.reason}`, () => {
  let service: TestService;
  beforeAll(async () => {
    const flags = ['--python', python.command ?? 'off', '--python-max-evaluation-seconds', '60'];
    service = await startTestService({ flags });
  });
  afterAll(() => service.cleanUp());

  const upload = (evaluation_limits?: object): Promise<Json> =>
    service.call('POST', '/v1/functions', { body: { name: 'f', code: SLEEPS, language: 'python', evaluation_limits } });

  it('are in its record, and hold in evaluations, runs and replays', async () => {
    const { status, body: made } = await upload({ seconds: 0.2, memory_bytes: 2 ** 29 });
    expect([status, made.evaluation_limits]).toEqual([201, { seconds: 0.2, memory_bytes: 2 ** 29 }]);
    const path = `/v1/functions/${made.id}`;
    expect((await service.call('GET', path)).body.evaluation_limits).toEqual(made.evaluation_limits);
    const evaluated = await service.call('POST', `${path}/evaluate`, { body: { points: [[0], [5]] } });
    expect(evaluated.body).toMatchObject({
      values: [0, null],
      errors: [null, { type: 'TimeLimit', message: STOPPED }],
    });
    const request = {
      objective_function_id: made.id,
      bounds: [[5, 6]],
      max_evaluations: 2,
      seed: 1,
      strategy: 'random-search',
    };
    const { body: run } = await service.call('POST', '/v1/optimize', { body: request });
    expect(run).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(STOPPED) } });
    // The function is gone, its runs keep what it asked for.
    await service.call('DELETE', path);
    const { body: replay } = await service.call('POST', `/v1/optimize/${run.id}/replay`, {
      body: { strategy: 'cma-es' },
    });
    expect(replay).toMatchObject({ replay_of: run.id, error: { message: expect.stringContaining(STOPPED) } });
  });

  it('are those of the service where nothing is asked for', async () => {
    expect((await upload()).body.evaluation_limits).toEqual({ seconds: null, memory_bytes: null });
    const { backends } = (await service.call('GET', '/v1/health')).body;
    const { limits } = backends.find(({ name }: Json) => name === 'cpython');
    expect(limits).toMatchObject({ evaluation_seconds: 10, max_evaluation_seconds: 60 });
    expect(limits.max_memory_bytes).toBe(limits.memory_bytes);
  });

  it('are refused beyond the ceiling, which the error names', async () => {
    const { status, body } = await upload({ seconds: 61 });
    expect([status, body.error]).toMatchObject([
      400,
      { field: 'evaluation_limits.seconds', message: '`evaluation_limits.seconds` must be at most 60, not 61.' },
    ]);
  });
});
