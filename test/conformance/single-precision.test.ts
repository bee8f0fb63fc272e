import { expect, it, test } from 'vitest';
import { GpujsBackend } from '../../src/backends/gpujs/gpujs-backend.js';
import { TfjsBackend } from '../../src/backends/tfjs/tfjs-backend.js';
import {
  checkMemory,
  checkTensors,
  comparePopulation,
  describeSingleBackend,
  LOST,
  LOST_AT,
  valueAt,
} from './single-precision.suite.js';
import { PROGRAMS } from './ir-programs.js';

for (const flavour of ['cpu', 'wasm', 'node', 'node-gpu']) {
  const create = () => new TfjsBackend({ flavour });
  describeSingleBackend(`tfjs (${flavour})`, create, { of: 'some', fitting: 20, decided: 0.5 });
}

it('tfjs is off until the operator switches it on', async () => {
  expect(await new TfjsBackend({ flavour: '' }).probe()).toEqual({
    available: false,
    isAbsent: true,
    reason: 'it is off: EXTREMUM_TFJS names no tfjs backend',
  });
  expect(await new TfjsBackend({ flavour: 'abacus' }).probe()).toEqual({
    available: false,
    reason: 'EXTREMUM_TFJS is abacus, and must be one of cpu, wasm, node, node-gpu',
  });
});

test.each(['cpu', 'wasm'])('tfjs (%s) takes populations of 1 to 10,000', async (flavour) => {
  for (const count of [1, 63, 64, 65, 10_000]) {
    const { isNear, undecided } = await comparePopulation(new TfjsBackend({ flavour }), PROGRAMS.sphere(), count);
    expect({ count, isNear, undecided }).toEqual({ count, isNear: true, undecided: 0 });
  }
});

test.each(['cpu', 'wasm'])('tfjs (%s) keeps no tensor: memory is flat over 200 batches', async (flavour) => {
  await checkTensors(new TfjsBackend({ flavour }), 200);
});

test.each(['cpu', 'wasm'])(
  'tfjs (%s) says nothing about steps of a number of which it knows nothing',
  async (flavour) => {
    const { value, error } = await valueAt(new TfjsBackend({ flavour }), LOST, LOST_AT);
    expect([value, error < Infinity]).toEqual([5, false]);
  },
);

for (const mode of ['cpu', 'webasm', 'gpu', 'headlessgl', 'webgpu']) {
  const create = () => new GpujsBackend({ mode });
  describeSingleBackend(`gpu.js (${mode})`, create, { of: 'few', fitting: 4, decided: 0.5 });
}

it('gpu.js is off until the operator switches it on', async () => {
  expect(await new GpujsBackend({ mode: '' }).probe()).toEqual({
    available: false,
    isAbsent: true,
    reason: 'it is off: EXTREMUM_GPUJS names no mode of gpu.js',
  });
  expect(await new GpujsBackend({ mode: 'abacus' }).probe()).toEqual({
    available: false,
    reason: 'EXTREMUM_GPUJS is abacus, and must be one of cpu, webasm, headlessgl, webgpu, gpu',
  });
});

test.for(['cpu', 'webasm'])(
  'gpu.js (%s) takes populations of 1 to 20,000, and its memory is flat',
  async (mode, { skip }) => {
    const backend = new GpujsBackend({ mode });
    const availability = await backend.probe();
    if (!availability.available) skip(availability.reason);
    for (const count of [1, 63, 64, 65, 20_000]) {
      const { isNear, undecided } = await comparePopulation(backend, PROGRAMS.sphere(), count);
      expect({ count, isNear, undecided }).toEqual({ count, isNear: true, undecided: 0 });
    }
    await checkMemory(backend, 1_000);
  },
);

test.for([
  { mode: 'cpu', precision: 'double', value: 2 ** -30 },
  { mode: 'webasm', precision: 'single', value: 0 },
])('gpu.js ($mode) computes in $precision precision, and bounds hold in both', async ({ mode, value }, { skip }) => {
  const backend = new GpujsBackend({ mode });
  const availability = await backend.probe();
  if (!availability.available) skip(availability.reason);
  const found = await valueAt(backend, 'lambda x: (x[0] + 2 ** -30) - x[0]', [1]);
  expect(found.value).toBe(value);
  expect(found.error).toBeGreaterThan(2 ** -30);
});

test.for(['cpu', 'webasm'])(
  'gpu.js (%s) says nothing about steps of a number of which it knows nothing',
  async (mode, { skip }) => {
    const backend = new GpujsBackend({ mode });
    const availability = await backend.probe();
    if (!availability.available) skip(availability.reason);
    const { value, error } = await valueAt(backend, LOST, LOST_AT);
    expect([value, error < Infinity]).toEqual([5, false]);
  },
);
