/**
 * The whole CUDA backend on stand-in libraries, each case in a process of its own: bits, cache, threads, cancellation,
 * and every fault with its sentence, after which the CPU gives the same bits. Speed, races and the limits of a real GPU
 * do not show here.
 */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  NOTHING_ALIVE,
  StandIns,
  standInsMissing,
  type DeviceJob,
  type DeviceOutcome,
  type StandInReport,
} from '../support/cuda/stand-ins.js';
import { compiledPrograms } from '../support/objective-fixtures.js';

const missing = standInsMissing();

const SPHERE = {
  name: 'sphere',
  code: 'def objective(x):\n    total = 0.0\n    for v in x:\n        total += v * v\n    return total\n',
  dimension: 3,
};
/** A division and a logarithm that stop some candidates. */
const CHECKED = {
  name: 'checked',
  code: 'import math\n\ndef objective(x):\n    if x[0] > 9:\n        return 1 / (x[1] - x[1])\n    return math.log(x[1] + 8) + math.sin(x[2])\n',
  dimension: 3,
};
/** Goes to the device in chunks of 64. */
const IN_CHUNKS: DeviceJob = { programs: [CHECKED], counts: [300], options: { chunkRows: 64 } };

function clean({ alive, mistakes }: StandInReport): void {
  expect(mistakes).toEqual([]);
  expect(alive).toEqual(NOTHING_ALIVE);
}

describe.skipIf(missing !== '')(`the cuda backend on stand-in libraries${missing && `: ${missing}`}`, () => {
  let standIns: StandIns;

  beforeAll(async () => {
    standIns = await StandIns.build();
  });
  afterAll(() => standIns.remove());

  /** Every batch failed on the device with this code, and the CPU gave the interpreter's bits for it. */
  function expectFailures({ results }: DeviceOutcome, code: string, message: RegExp): void {
    expect(results.length).toBeGreaterThan(0);
    for (const { error, differenceOnCpu } of results) {
      expect(error).toMatchObject({ code });
      expect(error!.message).toMatch(message);
      expect(differenceOnCpu).toBeNull();
    }
  }

  const differences = ({ results }: DeviceOutcome): unknown[] => results.filter((result) => result.difference !== null);

  describe('evaluates', () => {
    it("gives the interpreter's bits for fixtures, in every size of batch", { timeout: 240_000 }, async () => {
      const wanted = ['rastrigin', 'ackley', 'rosenbrock', 'beam', 'loop', 'clip', 'log'];
      const fixtures = compiledPrograms();
      const chosen = wanted.flatMap((word) => fixtures.find(({ name }) => name.includes(word)) ?? []);
      expect(chosen.length).toBeGreaterThanOrEqual(4);
      const job = { programs: [CHECKED, ...chosen], counts: [1, 63, 64, 65, 5000], times: 2 };
      const { outcome, report } = await standIns.run(job);
      expect(outcome.availability).toEqual({
        available: true,
        device: 'Stand-in A, driver for CUDA 13.0, NVRTC 13.0',
      });
      expect(outcome.results).toHaveLength(10 * job.programs.length);
      expect(differences(outcome)).toEqual([]);
      expect(report.launches).toBeGreaterThan(10 * job.programs.length);
      clean(report);
    });

    it('gives them for gradients and for bounds over boxes', async () => {
      const readings = (['gradient', 'bounds', 'envelope'] as const).map((reading) => ({ ...CHECKED, reading }));
      const { outcome, report } = await standIns.run({ programs: readings, counts: [1, 65, 700], times: 2 });
      expect(outcome.results).toHaveLength(18);
      expect(differences(outcome)).toEqual([]);
      clean(report);
    });

    it('keeps buffers between batches, and sends a large batch in chunks of bounded memory', async () => {
      const { outcome, report } = await standIns.run({ programs: [SPHERE], counts: [200_000], times: 2 });
      expect(differences(outcome)).toEqual([]);
      // Two waves of 1,024 threads.
      expect(report.launches).toBe(2 * Math.ceil(200_000 / 2048));
      expect(report.mostDeviceBytes).toBe(2048 * (8 * 4 + 5));
      clean(report);
    });

    it('takes smaller chunks where the device has little free memory', async () => {
      const bytesFor128 = 128 * (8 * 4 + 5);
      const { outcome, report } = await standIns.run(
        { programs: [SPHERE], counts: [1000] },
        { STAND_IN_FREE: `${2 * bytesFor128}` },
      );
      expect(differences(outcome)).toEqual([]);
      expect(report.mostDeviceBytes).toBe(bytesFor128);
      expect(report.launches).toBe(8);
    });

    it.each(['1', '2'])('works in two threads at once on devices: %s', async (devices) => {
      const job = { programs: [SPHERE, CHECKED], counts: [65, 5000], times: 3, threads: 2 };
      const { outcome, report } = await standIns.run<DeviceOutcome[]>(job, { STAND_IN_DEVICES: devices });
      expect(outcome).toHaveLength(2);
      for (const each of outcome) {
        expect(each.availability.device).toMatch(devices === '2' ? /^Stand-in A, Stand-in B, / : /^Stand-in A, driver/);
        expect(each.results).toHaveLength(12);
        expect(differences(each)).toEqual([]);
      }
      clean(report);
    });

    it('spreads kernels over devices, and takes the one that is asked for', async () => {
      const job = { programs: [SPHERE], counts: [64], options: { device: 1 } };
      const { outcome } = await standIns.run(job, { STAND_IN_DEVICES: '2' });
      expect(outcome.results[0]).toMatchObject({ device: expect.stringMatching(/^Stand-in B \(GPU 1\), f64/) });
      expect(differences(outcome)).toEqual([]);
    });

    it('ends between chunks when another thread cancels, and can be called again', async () => {
      const job = { programs: [CHECKED], counts: [50_000], cancel: true, options: { chunkRows: 64 } };
      const { outcome, report } = await standIns.run<{ error: { code: string }; differenceAfterwards: null }>(job);
      expect(outcome).toMatchObject({ error: { code: 'cancelled' }, differenceAfterwards: null });
      clean(report);
    });
  });

  describe('keeps kernels on disk', () => {
    const job: DeviceJob = { programs: [SPHERE], counts: [65] };
    const files = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

    async function compiledBy(env: Record<string, string>, given = job): Promise<number> {
      const { outcome, report } = await standIns.run(given, env);
      expect(differences(outcome)).toEqual([]);
      clean(report);
      return report.compiled;
    }

    it('compiles nothing in a second process', async () => {
      const env = { EXTREMUM_CUDA_CACHE: standIns.cacheFolder() };
      expect(await compiledBy(env)).toBe(1);
      expect(await compiledBy(env)).toBe(0);
      expect(files(env.EXTREMUM_CUDA_CACHE)).toHaveLength(1);
    });

    it('compiles anew for another text, other options and another NVRTC', async () => {
      const env = { EXTREMUM_CUDA_CACHE: standIns.cacheFolder() };
      const libraries = standIns.folderWith({
        'libcuda.so.1': 'libcuda.so.1',
        'libnvrtc.so.13': 'libnvrtc.so.13',
        'libnvrtc-builtins.so.13.1': 'libnvrtc-builtins.so.13.0',
      });
      expect(await compiledBy(env)).toBe(1);
      expect(await compiledBy(env, { ...job, programs: [CHECKED] })).toBe(1);
      // The builtins' own name is in the file: the stand-in finds it by the loader's path only.
      const newer = { EXTREMUM_CUDA_LIBRARY_PATH: libraries, STAND_IN_NVRTC: '13.1', LD_LIBRARY_PATH: libraries };
      expect(await compiledBy({ ...env, ...newer })).toBe(1);
      expect(files(env.EXTREMUM_CUDA_CACHE)).toHaveLength(3);
    });

    it('compiles a damaged file anew, and replaces it', async () => {
      const env = { EXTREMUM_CUDA_CACHE: standIns.cacheFolder() };
      await compiledBy(env);
      const [file] = files(env.EXTREMUM_CUDA_CACHE);
      const whole = readFileSync(file);
      const flipped = Buffer.from(whole);
      flipped[whole.length - 100] ^= 1;
      const damages = [
        () => writeFileSync(file, flipped),
        () => truncateSync(file, whole.length - 1),
        () => truncateSync(file, 20),
        () => truncateSync(file, 0),
      ];
      for (const damage of damages) {
        damage();
        expect(await compiledBy(env)).toBe(1);
        expect(readFileSync(file)).toEqual(whole);
        expect(await compiledBy(env)).toBe(0);
      }
    });

    it('compiles anew what the driver refuses of it', async () => {
      const env = { EXTREMUM_CUDA_CACHE: standIns.cacheFolder() };
      await compiledBy(env);
      expect(await compiledBy({ ...env, STAND_IN_FAULTS: 'cuModuleLoadDataEx:1:209' })).toBe(1);
    });

    it('works without a folder that can be written to', async () => {
      const occupied = join(standIns.cacheFolder(), '..', 'a-file');
      writeFileSync(occupied, '');
      expect(await compiledBy({ EXTREMUM_CUDA_CACHE: join(occupied, 'kernels') })).toBe(1);
      expect(await compiledBy({ EXTREMUM_CUDA_CACHE: 'off' })).toBe(1);
    });
  });

  describe('says why it cannot be used', () => {
    const SMALL: DeviceJob = { programs: [SPHERE], counts: [10] };

    async function expectReason(env: Record<string, string>, reason: RegExp): Promise<void> {
      const { outcome, report } = await standIns.run(SMALL, env);
      expect(outcome.availability).toMatchObject({ available: false, reason: expect.stringMatching(reason) });
      expectFailures(outcome, 'backend_unavailable', reason);
      clean(report);
    }

    it('without a driver', async ({ skip }) => {
      const empty = standIns.folderWith({});
      const { outcome } = await standIns.run(SMALL, { EXTREMUM_CUDA_LIBRARY_PATH: empty });
      skip(!outcome.availability.reason?.startsWith('there is no NVIDIA driver'), 'this machine has a driver');
      await expectReason(
        { EXTREMUM_CUDA_LIBRARY_PATH: empty },
        /^there is no NVIDIA driver here: libcuda\.so\.1 was not found \(looked in \/.*, the loader's path\)$/,
      );
    });

    it('with a libcuda that is damaged, or has not what is needed', async () => {
      const damaged = standIns.folderWith({});
      writeFileSync(join(damaged, 'libcuda.so.1'), 'no library');
      await expectReason(
        { EXTREMUM_CUDA_LIBRARY_PATH: damaged },
        /libcuda\.so\.1 does not load: .*(ELF|file too short)/,
      );
      const old = standIns.folderWith({ 'libcuda.so.1': 'libnvrtc-builtins.so.13.0' });
      await expectReason({ EXTREMUM_CUDA_LIBRARY_PATH: old }, /driver is too old: its libcuda has no cuInit;/);
    });

    it.each([
      ['an old driver', { STAND_IN_DRIVER: '11040' }, /too old: it supports CUDA 11\.4, and 12\.0 or later is needed/],
      ['no device', { STAND_IN_FAULTS: 'cuInit:0:100' }, /sees no GPU \(CUDA_ERROR_NO_DEVICE\)/],
      ['a count of no devices', { STAND_IN_DEVICES: '0' }, /sees no GPU \(CUDA_ERROR_NO_DEVICE\)/],
      ['a driver of two versions', { STAND_IN_FAULTS: 'cuInit:0:803' }, /different versions .*: restart the machine/],
      ['GPUs that are not ready', { STAND_IN_FAULTS: 'cuInit:0:802' }, /CUDA_ERROR_SYSTEM_NOT_READY/],
      ["the toolkit's stub", { STAND_IN_FAULTS: 'cuInit:0:34' }, /stub for linking/],
      [
        'a driver that does not start',
        { STAND_IN_FAULTS: 'cuInit:0:999' },
        /not start \(CUDA_ERROR_UNKNOWN in cuInit\)/,
      ],
      [
        'an attribute missing',
        { STAND_IN_FAULTS: 'cuDeviceGetAttribute:0:1' },
        /CUDA_ERROR_INVALID_VALUE in cuDeviceGetAttr/,
      ],
      [
        'a driver older than NVRTC',
        { STAND_IN_DRIVER: '12040' },
        /too old for NVRTC 13\.0: it supports CUDA 12\.4; update the driver, or install NVRTC 12/,
      ],
      [
        'a device that NVRTC does not know',
        { STAND_IN_ARCHITECTURE: '100' },
        /NVRTC 13\.0 does not compile for the Stand-in A \(compute capability 9\.0\)/,
      ],
      ['an NVRTC without version', { STAND_IN_FAULTS: 'nvrtcVersion:0:3' }, /does not say which version/],
    ])('with %s', async (_, env, reason) => {
      await expectReason(env, reason);
    });

    it('without NVRTC, and without its builtins', async ({ skip }) => {
      const driver = standIns.folderWith({ 'libcuda.so.1': 'libcuda.so.1' });
      const { outcome } = await standIns.run(SMALL, { EXTREMUM_CUDA_LIBRARY_PATH: driver });
      skip(outcome.availability.available, 'this machine has NVRTC');
      await expectReason(
        { EXTREMUM_CUDA_LIBRARY_PATH: driver },
        /^NVRTC is missing: neither libnvrtc\.so\.13 nor libnvrtc\.so\.12 was found .*EXTREMUM_CUDA_LIBRARY_PATH/,
      );
      const bare = standIns.folderWith({ 'libcuda.so.1': 'libcuda.so.1', 'libnvrtc.so.13': 'libnvrtc.so.13' });
      await expectReason(
        { EXTREMUM_CUDA_LIBRARY_PATH: bare },
        /^NVRTC 13\.0 lacks its builtins: libnvrtc-builtins\.so\.13\.0 must lie beside it in \/.*BUILTIN_OPERATION_FAILURE/,
      );
    });

    it('prefers an NVRTC that the driver takes', async () => {
      const both = standIns.folderWith({
        'libcuda.so.1': 'libcuda.so.1',
        'libnvrtc.so.12': 'libnvrtc.so.13',
        'libnvrtc-builtins.so.12.4': 'libnvrtc-builtins.so.13.0',
        'libnvrtc.so.13': 'libnvrtc-builtins.so.13.0',
      });
      const env = { EXTREMUM_CUDA_LIBRARY_PATH: both, STAND_IN_DRIVER: '12040', STAND_IN_NVRTC: '12.4' };
      const { outcome } = await standIns.run(SMALL, { ...env, LD_LIBRARY_PATH: both });
      expect(outcome.availability.device).toBe('Stand-in A, driver for CUDA 12.4, NVRTC 12.4');
    });
  });

  const sdk = process.env['EXTREMUM_CUDA_SDK'];
  const noSdk = sdk === undefined ? ': needs EXTREMUM_CUDA_SDK, folder of the pip package nvidia-cuda-nvrtc' : '';
  it.skipIf(noSdk !== '')(`opens the real NVRTC, whose machine code the stand-in refuses${noSdk}`, async () => {
    const libraries = `${sdk}/lib:${standIns.folderWith({ 'libcuda.so.1': 'libcuda.so.1' })}`;
    const job = { programs: [CHECKED], counts: [10] };
    const { outcome, report } = await standIns.run(job, { EXTREMUM_CUDA_LIBRARY_PATH: libraries });
    expect(outcome.availability.device).toMatch(/^Stand-in A, driver for CUDA 13\.0, NVRTC 1[23]\.\d+$/);
    expectFailures(outcome, 'backend_unavailable', /machine code \(CUDA_ERROR_INVALID_IMAGE in cuModuleLoadDataEx\)/);
    clean(report);
  });

  describe('refuses a kernel', () => {
    it.each([
      [
        'that NVRTC does not compile, with its log',
        { STAND_IN_FAULTS: 'nvrtcCompileProgram:1:6' },
        /^NVRTC does not compile the kernel \(NVRTC_ERROR_COMPILATION in nvrtcCompileProgram\): kernel\.cu\(12\): error: expected a ";"/,
      ],
      [
        'whose machine code is not there',
        { STAND_IN_FAULTS: 'nvrtcGetCUBINSize:2:3' },
        /^NVRTC gave no machine code for the kernel/,
      ],
      [
        'that the driver does not load',
        { STAND_IN_FAULTS: 'cuModuleLoadDataEx:1:209' },
        /does not take the kernel's machine code \(CUDA_ERROR_NO_BINARY_FOR_GPU in cuModuleLoadDataEx\)/,
      ],
      [
        'that is not in its module',
        { STAND_IN_FAULTS: 'cuModuleGetFunction:1:500' },
        /CUDA_ERROR_NOT_FOUND in cuModuleGetFunction, evaluate/,
      ],
      [
        'that needs too much local memory',
        { STAND_IN_LOCAL: '1000000' },
        /^a candidate needs 1000000 bytes of local memory, which is 977 MiB for all threads of GPU 0 \(Stand-in A\); at most 256 MiB are allowed/,
      ],
      [
        'where there is no memory for a context',
        { STAND_IN_FAULTS: 'cuDevicePrimaryCtxRetain:1:2' },
        /out of memory \(CUDA_ERROR_OUT_OF_MEMORY in cuDevicePrimaryCtxRetain\)/,
      ],
      [
        'where there is none for its code',
        { STAND_IN_FAULTS: 'cuModuleLoadDataEx:1:2' },
        /OUT_OF_MEMORY in cuModuleLoad/,
      ],
      [
        'where there is none for a stream',
        { STAND_IN_FAULTS: 'cuStreamCreate:1:2' },
        /OUT_OF_MEMORY in cuStreamCreate/,
      ],
      ['where there is none for an event', { STAND_IN_FAULTS: 'cuEventCreate:3:2' }, /OUT_OF_MEMORY in cuEventCreate/],
    ])('%s', async (_, env, message) => {
      const { outcome, report } = await standIns.run({ programs: [CHECKED], counts: [70] }, env);
      expect(outcome.availability.available).toBe(true);
      expectFailures(outcome, 'backend_unavailable', message);
      clean(report);
    });
  });

  describe('fails', () => {
    const allocations = [
      ...[1, 2, 3, 4].map((nth) => ['cuMemAlloc', `cuMemAlloc_v2:${nth}:2`] as const),
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((nth) => ['cuMemHostAlloc', `cuMemHostAlloc:${nth}:2`] as const),
    ];
    it.each(allocations)('when memory ends (%s, %s), and can be called again', async (call, fault) => {
      const { outcome, report } = await standIns.run({ ...IN_CHUNKS, times: 2 }, { STAND_IN_FAULTS: fault });
      const [first, second] = outcome.results;
      expectFailures({ ...outcome, results: [first] }, 'backend_unavailable', new RegExp(`OUT_OF_MEMORY in ${call}, `));
      expect(first.error).toMatchObject({ retryable: true, facts: { cudaError: 'CUDA_ERROR_OUT_OF_MEMORY' } });
      expect(second.difference).toBeNull();
      clean(report);
    });

    it('when not even one tile fits', async () => {
      const { outcome, report } = await standIns.run(IN_CHUNKS, { STAND_IN_FREE: '1000' });
      expectFailures(
        outcome,
        'backend_unavailable',
        /too little free memory for a tile of candidates: 1 MiB are needed/,
      );
      clean(report);
    });

    it.each([
      ['a launch', 'cuLaunchKernel:2:701', /CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES in cuLaunchKernel, 1 blocks/],
      ['a copy to the device', 'cuMemcpyHtoDAsync_v2:2:1', /CUDA_ERROR_INVALID_VALUE in cuMemcpyHtoDAsync/],
      ['a copy back', 'cuMemcpyDtoHAsync_v2:3:1', /CUDA_ERROR_INVALID_VALUE in cuMemcpyDtoHAsync/],
      ['an event', 'cuEventRecord:2:1', /CUDA_ERROR_INVALID_VALUE in cuEventRecord/],
    ])('with %s, and the kernel stays failed', async (_, fault, message) => {
      const { outcome, report } = await standIns.run({ ...IN_CHUNKS, times: 2 }, { STAND_IN_FAULTS: fault });
      expect(outcome.results).toHaveLength(2);
      expectFailures(outcome, 'backend_lost', message);
      clean(report);
    });

    it.each([
      ['in a kernel', 'kernel:2:719', 'CUDA_ERROR_LAUNCH_FAILED in cuEventSynchronize'],
      ['by a bad address', 'kernel:3:700', 'CUDA_ERROR_ILLEGAL_ADDRESS in cuEventSynchronize'],
      ['in a copy', 'copy:5:999', 'CUDA_ERROR_UNKNOWN in cuEventSynchronize'],
      ['at a launch', 'cuLaunchKernel:3:709', 'CUDA_ERROR_CONTEXT_IS_DESTROYED in cuLaunchKernel'],
    ])('when the device is lost %s, for the rest of the process', async (_, fault, cause) => {
      const job = { ...IN_CHUNKS, programs: [CHECKED, SPHERE], times: 2 };
      const { outcome, report } = await standIns.run(job, { STAND_IN_FAULTS: fault });
      expect(outcome.results).toHaveLength(4);
      const sentence = new RegExp(
        `^GPU 0 \\(Stand-in A\\) was lost \\(${cause}.*\\); it is not used until the process is started again$`,
      );
      expectFailures({ ...outcome, results: outcome.results.slice(0, 2) }, 'backend_lost', sentence);
      expectFailures({ ...outcome, results: outcome.results.slice(2) }, 'backend_unavailable', sentence);
      clean(report);
    });

    it('on one device, and goes on with the other', async () => {
      const job = { ...IN_CHUNKS, programs: [CHECKED, SPHERE] };
      const { outcome, report } = await standIns.run(job, { STAND_IN_DEVICES: '2', STAND_IN_FAULTS: 'kernel:2:719' });
      expectFailures({ ...outcome, results: outcome.results.slice(0, 1) }, 'backend_lost', /^GPU 0 /);
      expect(outcome.results[1]).toMatchObject({
        difference: null,
        device: expect.stringMatching(/^Stand-in B \(GPU 1\)/),
      });
      clean(report);
    });
  });
});
