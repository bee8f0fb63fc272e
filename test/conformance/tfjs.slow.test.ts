/** What `npm run check:tfjs` adds: every fixture in all its dimensions, large populations, memory over many batches. */
import { expect, test } from 'vitest';
import { TfjsBackend } from '../../src/backends/tfjs/tfjs-backend.js';
import { checkTensors, comparePopulation, describeSingleBackend } from './single-precision.suite.js';
import { PROGRAMS } from './ir-programs.js';

const FLAVOURS = ['cpu', 'wasm', 'node', 'node-gpu'];

for (const flavour of FLAVOURS) {
  const create = () => new TfjsBackend({ flavour });
  describeSingleBackend(`tfjs (${flavour})`, create, { of: 'all', fitting: 300, decided: 0.5 });
}

const available: string[] = [];
for (const flavour of FLAVOURS) {
  if ((await new TfjsBackend({ flavour }).probe()).available) available.push(flavour);
}

test.each(available)('tfjs (%s) takes populations of 1 to 1,000,000', async (flavour) => {
  for (const count of [1, 2, 1_000, 65_535, 65_537, 1_000_000]) {
    const { isNear, undecided } = await comparePopulation(new TfjsBackend({ flavour }), PROGRAMS.sphere(), count);
    expect({ count, isNear, undecided }).toEqual({ count, isNear: true, undecided: 0 });
  }
});

test.each(available)('tfjs (%s) keeps no tensor: memory is flat over 10,000 batches', async (flavour) => {
  await checkTensors(new TfjsBackend({ flavour }), 10_000);
});
