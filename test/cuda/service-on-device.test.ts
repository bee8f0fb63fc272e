/** The service and the command line on stand-in libraries: what they say of devices, and runs that use one. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';
import { StandIns, standInsMissing } from '../support/cuda/stand-ins.js';
import type { Json } from '../support/service.js';
import { endAll, startCountedProcess, startProcessWith, type ServiceProcess } from '../support/service-process.js';

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

  describe('a service whose runs leave their generations on the device', () => {
    // Populations of 70.
    const LARGE = { strategy: 'bulk-particle-swarm', max_evaluations: 28_000, seed: 11 };
    const SIZE = 70;
    /** Move, evaluate, count and accept, half a millisecond each by the stand-in's clock, and a new best two more. */
    const [LEAST_SECONDS, MOST_SECONDS] = [4 * 0.5e-3, 6 * 0.5e-3];
    let folder: string;
    let alone: Json;
    let there: Json;
    let lost: Json;

    async function serve(
      env: Readonly<Record<string, string>>,
      use: (run: (isOnDevice: boolean) => Promise<Json>) => Promise<void>,
    ): Promise<void> {
      const data = ['--data-dir', mkdtempSync(join(folder, 'data-'))];
      const service = await startCountedProcess({ ...standIns.environment(), ...env }, ...data);
      const body = { name: 'rastrigin', code: RASTRIGIN, language: 'python' };
      const { id } = await service.call('POST', '/v1/functions', body);
      await use(async (isOnDevice) => {
        const record = await service.call('POST', '/v1/optimize', {
          objective_function_id: id,
          bounds: Array.from({ length: 4 }, () => [-5, 6]),
          intelligence_config: { use_gpu_acceleration: isOnDevice },
          ...LARGE,
        });
        const { data: points } = await service.call('GET', `/v1/optimize/${record.id}/history`);
        const { resource_usage: used } = await service.call('GET', '/v1/analytics/performance');
        return { ...record, points, gpuSeconds: used.gpu.seconds };
      });
      await service.end('SIGKILL');
    }

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'extremum-generations-'));
      await serve({}, async (run) => {
        alone = await run(false);
        there = await run(true);
      });
      await serve({ STAND_IN_FAULTS: 'kernel:900:719' }, async (run) => {
        lost = await run(true);
      });
    });
    afterAll(async () => {
      await endAll();
      rmSync(folder, { recursive: true, force: true });
    });

    const bitsOf = ({ best_solution, best_fitness, evaluations, termination_reason, points }: Json): object => ({
      ...{ best_solution, best_fitness, evaluations, termination_reason },
      points: points.map(({ elapsed_seconds: _, ...rest }: Json) => rest),
    });

    it('says what the device did, and gives the bits of the processor', () => {
      expect(alone).toMatchObject({ status: 'completed', evaluations: 28_000, gpuSeconds: 0 });
      expect(alone.features_active.gpu_acceleration).toBe(false);
      expect(alone.backend.tiers).not.toHaveProperty('cuda');
      expect(alone.points.length).toBeGreaterThan(10);

      expect(bitsOf(there)).toEqual(bitsOf(alone));
      expect(there.features_active.gpu_acceleration).toBe(true);
      const { name, device, reason, tiers } = there.backend;
      expect([name, device]).toEqual(['cuda', expect.stringMatching(/^Stand-in A \(GPU 0\), f64/)]);
      const generations = Number(/; (\d+) generations stayed there$/.exec(reason)?.[1]);
      expect(generations).toBeGreaterThan(300);
      expect(tiers.cuda).toBeGreaterThanOrEqual(generations * SIZE);
      expect(tiers.cuda).toBeLessThan(28_000);
      expect(there.gpuSeconds).toBeGreaterThanOrEqual(generations * LEAST_SECONDS);
      expect(there.gpuSeconds).toBeLessThan(generations * MOST_SECONDS);
      expect(Math.round(there.gpuSeconds * 1e6) % 500).toBe(0);
    });

    it('loses the device in the middle, says so, and gives the same bits', () => {
      expect(bitsOf(lost)).toEqual(bitsOf(alone));
      expect(lost.backend.reason).toMatch(/cuda was left after [\d,]+ evaluations: GPU 0 \(Stand-in A\) was lost/);
      const { cuda, ...rest } = lost.backend.tiers as Record<string, number>;
      expect(cuda).toBeGreaterThan(10 * SIZE);
      expect(cuda).toBeLessThan(20_000);
      expect(cuda + Object.values(rest).reduce((sum, count) => sum + count, 0)).toBe(28_000);
      expect(lost.features_active.gpu_acceleration).toBe(true);
      expect(lost.gpuSeconds).toBeGreaterThan(0);
      expect(lost.gpuSeconds).toBeLessThan(there.gpuSeconds);
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
          devices: [{ name: 'Stand-in A', state: 'ready', compared: 25, compared_single: 25, problems: [] }],
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
      expect(stdout).toMatch(/fails in f64: rosenbrock, 63 candidates: value 0 is .*, on the processor /);
      expect(stdout).toMatch(/25 batches in f32 have the processor's values, within their bounds\n/);
    });

    it('finds a value of single precision outside its bound', () => {
      // After those in double precision come trials of the device and of the kernel.
      const { status, stdout } = devices({ STAND_IN_FAULTS: 'flip:119:50' });
      expect(status).toBe(1);
      expect(stdout).toMatch(/25 batches in f64 have the processor's bits\n/);
      expect(stdout).toMatch(/fails in f32: rosenbrock, 63 candidates: value 0 is .* within .*, on the processor /);
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
