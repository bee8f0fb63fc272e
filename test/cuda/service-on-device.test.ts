/** The service and the command line on stand-in libraries: what they say of devices, and runs that use one. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';
import { StandIns, standInsMissing } from '../support/cuda/stand-ins.js';
import type { Json } from '../support/service.js';
import { endAll, startProcessWith, type ServiceProcess } from '../support/service-process.js';

const missing = standInsMissing();

const RASTRIGIN = `import math

def rastrigin(x):
    return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)
`;

describe.skipIf(missing !== '')(`a host with stand-in libraries${missing && `: ${missing}`}`, () => {
  let standIns: StandIns;
  beforeAll(async () => {
    standIns = await StandIns.build();
  });
  afterAll(() => standIns.remove());

  describe('the service', () => {
    let service: ServiceProcess;
    let folder: string;
    let objective: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'extremum-devices-'));
      service = await startProcessWith(standIns.environment(), '--data-dir', folder);
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
        strategy: 'differential-evolution',
        ...more,
      });

    it('lists the device with its state and its measured speed', async () => {
      const { backends } = await service.call('GET', '/v1/health');
      const cuda = backends.find(({ name }: Json) => name === 'cuda');
      expect(cuda).toMatchObject({ available: true, device: 'Stand-in A, driver for CUDA 13.0, NVRTC 13.0' });
      expect(cuda.devices).toEqual([
        {
          index: 0,
          name: 'Stand-in A',
          state: 'ready',
          launch_seconds: expect.any(Number),
          bytes_per_second: expect.any(Number),
          operations_per_second: expect.any(Number),
        },
      ]);
      expect(cuda.devices[0].launch_seconds).toBeGreaterThan(0);
      expect(backends.find(({ name }: Json) => name === 'native')).not.toHaveProperty('devices');
    });

    it('values a run in single precision there, says so, and counts the time of the device', async () => {
      const record = await optimize({ precision: 'f32', strategy: 'random-search' });
      expect(record).toMatchObject({ status: 'completed', precision: 'f32', evaluations: 5_000 });
      expect(record.features_active.gpu_acceleration).toBe(true);
      expect(record.backend).toMatchObject({
        name: 'cuda',
        device: expect.stringMatching(/^Stand-in A \(GPU 0\), f32/),
      });
      expect(record.backend.reason).toMatch(
        /; single precision was asked for: cuda valued [\d,]+ of 5,000 evaluations/,
      );
      const { values } = await service.call('POST', `/v1/functions/${objective}/evaluate`, {
        points: [record.best_solution],
      });
      expect(values).toEqual([record.best_fitness]);
      const { resource_usage: used } = await service.call('GET', '/v1/analytics/performance');
      expect(used.gpu.seconds).toBeGreaterThan(0);
      // The stand-in's clock: half a millisecond for each launch.
      expect(Math.round(used.gpu.seconds * 1e6) % 500).toBe(0);
    });

    it.each(['differential-evolution', 'bulk-particle-swarm'])(
      'gives the bits of the processor in double precision, whoever values the candidates of %s',
      async (strategy) => {
        const resultOf = ({ best_solution, best_fitness, evaluations }: Json): object => ({
          best_solution,
          best_fitness,
          evaluations,
        });
        const large = { max_evaluations: 60_000, strategy };
        const wanted = await optimize({ ...large, intelligence_config: { use_gpu_acceleration: false } });
        expect(wanted.features_active.gpu_acceleration).toBe(false);
        const record = await optimize({ ...large, intelligence_config: { use_gpu_acceleration: true } });
        expect(resultOf(record)).toEqual(resultOf(wanted));
        expect(record.features_active.gpu_acceleration).toBe((record.backend.tiers.cuda ?? 0) > 0);
        expect(record.precision).toBe('f64');
      },
    );

    it('values a run in double precision where GPUs are switched off, and says so', async () => {
      const record = await optimize({ precision: 'f32', preset: 'minimal' });
      expect(record.features_active.gpu_acceleration).toBe(false);
      expect(record.backend.reason).toMatch(
        /; values are in double precision instead of single, because GPU acceleration is switched off$/,
      );
    });

    it('refuses a precision that it does not know, or that does not go with the rest', async () => {
      const fieldOf = async (more: object): Promise<string> => (await optimize(more)).error.field;
      expect(await fieldOf({ precision: 'f16' })).toBe('precision');
      expect(await fieldOf({ precision: 'f32', objectives: 2, strategy: undefined })).toBe('precision');
      const problem = { domain: 'supply_chain', problem_type: 'inventory', config: {}, precision: 'f32' };
      const { error } = await service.call('POST', '/v1/optimize', problem);
      expect(error.field).toBe('precision');
    });
  });

  describe('extremum devices', () => {
    const devices = (env: Readonly<Record<string, string>>, ...flags: string[]) =>
      spawnSync(process.execPath, [distEntry('cli/main'), 'devices', ...flags], {
        encoding: 'utf8',
        env: { ...standIns.environment(), ...env },
      });

    it('measures the device and finds the bits of the processor', () => {
      const { status, stdout, stderr } = devices({}, '--json');
      expect(stderr).toBe('');
      expect(status).toBe(0);
      const { backends } = JSON.parse(stdout);
      expect(backends).toMatchObject([
        {
          name: 'cuda',
          available: true,
          devices: [{ name: 'Stand-in A', state: 'ready', compared: 25, problems: [] }],
        },
        { name: 'tfjs', available: false, devices: [] },
        { name: 'gpujs', available: false, devices: [] },
      ]);
      expect(backends[0].devices[0].operations_per_second).toBeGreaterThan(0);
    });

    it('finds one wrong bit', () => {
      // The first launches measure the device.
      const { status, stdout } = devices({ STAND_IN_FAULTS: 'flip:80:1' });
      expect(status).toBe(1);
      expect(stdout).toMatch(/fails: rosenbrock, 63 candidates: value 0 is .*, on the processor /);
    });

    it('says why no GPU can be used', () => {
      const { status, stdout } = devices({ STAND_IN_DEVICES: '0' });
      expect(status).toBe(3);
      expect(stdout).toMatch(/^cuda: no GPU can be used: the NVIDIA driver is there, but sees no GPU/);
      const json = devices({ STAND_IN_DEVICES: '0' }, '--json');
      expect(json.status).toBe(3);
      expect(JSON.parse(json.stdout).backends).toMatchObject([
        { name: 'cuda', available: false, devices: [] },
        { name: 'tfjs', available: false, devices: [] },
        { name: 'gpujs', available: false, devices: [] },
      ]);
      // TensorFlow.js on the processor is none.
      const tfjs = devices({ STAND_IN_DEVICES: '0', EXTREMUM_TFJS: 'cpu' });
      expect([tfjs.status, tfjs.stderr]).toEqual([3, '']);
      expect(tfjs.stdout).toMatch(/\ntfjs: TensorFlow\.js 4\.22\.0, cpu, f32\n/);
    });

    it('refuses what it does not know', () => {
      const { status, stderr } = devices({}, '--jsn');
      expect(status).toBe(2);
      expect(stderr).toContain('did you mean --json?');
    });
  });
});
