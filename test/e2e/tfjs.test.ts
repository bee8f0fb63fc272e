/** A service whose operator has chosen TensorFlow.js, on the processor. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/service.js';
import { endAll, startProcessWith, type ServiceProcess } from '../support/service-process.js';

const RASTRIGIN = `import math

def rastrigin(x):
    return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)
`;

describe('a service with TensorFlow.js', () => {
  let service: ServiceProcess;
  let folder: string;
  let objective: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'extremum-tfjs-'));
    const env = { EXTREMUM_TFJS: 'wasm', EXTREMUM_CUDA_LIBRARY_PATH: '' };
    service = await startProcessWith(env, '--data-dir', folder);
    const body = { name: 'rastrigin', code: RASTRIGIN, language: 'python' };
    ({ id: objective } = await service.call('POST', '/v1/functions', body));
  });
  afterAll(async () => {
    await endAll();
    rmSync(folder, { recursive: true, force: true });
  });

  const optimize = (more: object): Promise<Json> =>
    service.call('POST', '/v1/optimize', {
      objective_function_id: objective,
      bounds: Array.from({ length: 10 }, () => [-5, 5]),
      max_evaluations: 5_000,
      seed: 7,
      strategy: 'random-search',
      ...more,
    });

  it('says what was loaded', async () => {
    const { backends } = await service.call('GET', '/v1/health');
    expect(backends.find(({ name }: Json) => name === 'tfjs')).toMatchObject({
      available: true,
      device: 'TensorFlow.js 4.22.0, wasm, f32',
    });
  });

  it('values a run in single precision there, the best in double, and no GPU is said to have done it', async () => {
    const record = await optimize({ precision: 'f32' });
    expect(record).toMatchObject({ status: 'completed', precision: 'f32', evaluations: 5_000 });
    expect(record.backend).toMatchObject({ name: 'tfjs', device: expect.stringMatching(/^TensorFlow\.js/) });
    expect(record.backend.reason).toMatch(
      /; single precision was asked for: tfjs valued 4,\d\d\d of 5,000 evaluations/,
    );
    expect(record.backend.tiers.tfjs).toBeGreaterThan(4_000);
    expect(record.features_active.gpu_acceleration).toBe(false);
    const { values } = await service.call('POST', `/v1/functions/${objective}/evaluate`, {
      points: [record.best_solution],
    });
    expect(values).toEqual([record.best_fitness]);
    const { resource_usage: used } = await service.call('GET', '/v1/analytics/performance');
    expect(used.gpu.seconds).toBe(0);
  });

  it('gives the same run the same bits', async () => {
    const resultOf = ({ best_solution, best_fitness, history }: Json): object => ({
      best_solution,
      best_fitness,
      history,
    });
    const request = { precision: 'f32', strategy: 'differential-evolution' };
    expect(resultOf(await optimize(request))).toEqual(resultOf(await optimize(request)));
  });

  it('is not asked in double precision', async () => {
    const record = await optimize({ max_evaluations: 50_000 });
    expect(record.backend.tiers.tfjs).toBeUndefined();
  });
});
