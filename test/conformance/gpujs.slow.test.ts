/**
 * What `npm run check:gpujs` adds: every fixture in all its dimensions, large populations, memory over many batches.
 */
import { expect, test } from 'vitest';
import { GpujsBackend } from '../../src/backends/gpujs/gpujs-backend.js';
import { checkMemory, comparePopulation, describeSingleBackend } from './single-precision.suite.js';
import { PROGRAMS } from './ir-programs.js';

const MODES = ['cpu', 'webasm', 'gpu', 'headlessgl', 'webgpu'];

for (const mode of MODES) {
  const create = () => new GpujsBackend({ mode });
  describeSingleBackend(`gpu.js (${mode})`, create, { of: 'all', fitting: 300, decided: 0.5 });
}

const available: string[] = [];
for (const mode of MODES) {
  if ((await new GpujsBackend({ mode }).probe()).available) available.push(mode);
}

test.each(available)('gpu.js (%s) takes populations of 1 to 1,000,000', async (mode) => {
  for (const count of [1, 2, 1_000, 65_535, 65_537, 1_000_000]) {
    const { isNear, undecided } = await comparePopulation(new GpujsBackend({ mode }), PROGRAMS.sphere(), count);
    expect({ count, isNear, undecided }).toEqual({ count, isNear: true, undecided: 0 });
  }
});

test.each(available)('gpu.js (%s) keeps nothing: memory is flat over 10,000 batches', async (mode) => {
  await checkMemory(new GpujsBackend({ mode }), 10_000);
});
