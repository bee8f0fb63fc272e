/** A service whose operator has chosen TensorFlow.js or gpu.js, on the processor. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../support/service.js';
import { endAll, startProcessWith, type ServiceProcess } from '../support/service-process.js';

const RASTRIGIN = `import math

def rastrigin(x):
    return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)
`;

const LIBRARIES = [
  {
    name: 'tfjs',
    variable: 'EXTREMUM_TFJS',
    place: 'wasm',
    needs: '@tensorflow/tfjs-core',
    device: 'TensorFlow.js 4.22.0, wasm, f32',
  },
  { name: 'gpujs', variable: 'EXTREMUM_GPUJS', place: 'webasm', needs: 'gpu.js', device: 'gpu.js 2.24.1, webasm, f32' },
] as const;

/** gpu.js is no dependency: `CONTRIBUTING.md` says how tests find it. */
function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

for (const { name, variable, place, needs, device } of LIBRARIES)
  describe.skipIf(!isInstalled(needs))(`a service with ${name}`, () => {
    let service: ServiceProcess;
    let folder: string;
    let objective: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), `extremum-${name}-`));
      const env = {
        [variable]: place,
        EXTREMUM_CUDA_LIBRARY_PATH: '',
        NODE_PATH: process.env['NODE_PATH'] ?? '',
      };
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
      expect(backends.find((each: Json) => each.name === name)).toMatchObject({ available: true, device });
    });

    it('values a run in single precision there, the best in double, and no GPU is said to have done it', async () => {
      const record = await optimize({ precision: 'f32' });
      expect(record).toMatchObject({ status: 'completed', precision: 'f32', evaluations: 5_000 });
      expect(record.backend).toMatchObject({ name, device });
      expect(record.backend.reason).toMatch(
        new RegExp(`; single precision was asked for: ${name} valued 4,\\d\\d\\d of 5,000 evaluations`),
      );
      expect(record.backend.tiers[name]).toBeGreaterThan(4_000);
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
      expect(record.backend.tiers[name]).toBeUndefined();
    });
  });
