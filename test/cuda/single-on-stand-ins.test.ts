/**
 * The suite of single precision for CUDA, on stand-in libraries: the whole way of a value and its bound, and a device
 * that computes otherwise than the bounds assume.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { CudaBackend } from '../../src/backends/cuda/cuda-backend.js';
import { PROGRAMS } from '../conformance/ir-programs.js';
import {
  checkMemory,
  comparePopulation,
  describeSingleBackend,
  LOST,
  LOST_AT,
  valueAt,
} from '../conformance/single-precision.suite.js';
import { NOTHING_ALIVE, StandIns, standInsMissing } from '../support/cuda/stand-ins.js';

const missing = standInsMissing();
const standIns = missing === '' ? await StandIns.build() : null;
// This file has a process of its own, which opens the libraries once.
Object.assign(process.env, standIns?.environment());

const create = (): CudaBackend => new CudaBackend({ precision: 'f32' });

describe.skipIf(missing !== '')(`cuda in single precision${missing && `: ${missing}`}`, () => {
  afterAll(() => standIns?.remove());

  describeSingleBackend('on stand-in libraries', create, { of: 'few', fitting: 5, decided: 0.6 });

  it('takes populations of 1 to 20,000, and its memory is flat', async () => {
    for (const count of [1, 63, 64, 65, 20_000]) {
      const { isNear, undecided } = await comparePopulation(create(), PROGRAMS.sphere(), count);
      expect({ count, isNear, undecided }).toEqual({ count, isNear: true, undecided: 0 });
    }
    await checkMemory(create(), 1_000);
  });

  it('says nothing about steps of a number of which it knows nothing', async () => {
    const { error } = await valueAt(create(), LOST, LOST_AT);
    expect(error < Infinity).toBe(false);
  });

  it('does not use a device that rounds otherwise', async () => {
    const sphere = { name: 'sphere', code: 'lambda x: x[0] * x[0] + x[1] * x[1]', dimension: 2 };
    const job = { programs: [sphere], counts: [64], options: { precision: 'f32' } };
    const { outcome, report } = await standIns!.run(job, { STAND_IN_FAULTS: 'flip:1:1' });
    const [{ error, differenceOnCpu }] = outcome.results;
    expect(error).toMatchObject({ code: 'backend_unavailable' });
    expect(error!.message).toMatch(/^Stand-in A .*: it does not round as the error bounds assume$/);
    expect(differenceOnCpu).toBeNull();
    expect(report.alive).toEqual(NOTHING_ALIVE);
  });

  it('has every function there', async () => {
    const kernel = await create().open({
      source: { code: 'lambda x: 0', entry: null, argument: 'list' },
      dimension: 2,
      ir: PROGRAMS.sphere(),
    });
    expect(kernel.device).toBe('Stand-in A (GPU 0), f32, driver for CUDA 13.0, NVRTC 13.0');
    await kernel.close();
  });

  it('knows whole numbers, and numbers without an error', async () => {
    const counted = 'def f(x):\n    n = 0\n    while n < 1000:\n        n += 1\n    return n + round(x[0])';
    expect(await valueAt(create(), counted, [0.3])).toEqual({ value: 1000, error: 0 });
    expect(await valueAt(create(), 'lambda x: abs(x[0])', [0.5])).toEqual({ value: 0.5, error: 0 });
  });
});
