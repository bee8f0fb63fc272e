/** Placement against the best choice with hindsight, on a virtual clock: no real time is measured. */
import { expect, test } from 'vitest';
import { SimulatedKernel, simulatedDevice, VirtualClock } from '../../test/support/simulated-places.js';
import { createOutput } from '../backends/backend.js';
import { Rng } from '../common/rng.js';
import { PlacedKernel } from './placed-kernel.js';

const SETTINGS = 500;
/** More batches only make trials cheaper, and the test slower. */
const MOST_BATCHES = 600;
const LARGEST = 1e6;
const OUTPUT = createOutput(LARGEST);
const CANDIDATES = new Float64Array(LARGEST);

interface Setting {
  readonly launch: number;
  readonly bandwidth: number;
  readonly width: number;
  readonly speed: number;
  readonly opening: number;
  readonly each: number;
  readonly bytes: number;
  readonly batches: readonly number[];
}

function settingOf(rng: Rng): Setting {
  const within = (low: number, high: number): number => low * (high / low) ** rng.uniform();
  const sizes = Array.from({ length: rng.uniform() < 0.5 ? 1 : 2 }, () => Math.round(within(4, LARGEST)));
  const evaluations = within(1e3, 1e8);
  const batches: number[] = [];
  let sum = 0;
  // Two sizes follow each other as phases do.
  const phase = 1 + Math.floor(20 * rng.uniform());
  while (sum < evaluations && batches.length < MOST_BATCHES) {
    const size = sizes[Math.floor(batches.length / phase) % sizes.length];
    batches.push(Math.ceil(Math.min(size, evaluations - sum)));
    sum += batches.at(-1)!;
  }
  return {
    launch: within(5e-6, 200e-6),
    bandwidth: within(2e9, 50e9),
    width: Math.round(within(1e3, 3e5)),
    speed: within(0.05, 500),
    opening: within(5e-3, 2),
    each: within(30e-9, 10e-6),
    bytes: 8 * Math.round(within(3, 100)) + 5,
    batches,
  };
}

const CALL = 1e-6;
const hereIn = ({ each }: Setting, count: number): number => CALL + each * count;

/** Flat up to the width: `speed` holds where the device is full. */
function thereIn({ launch, bandwidth, width, speed, each, bytes }: Setting, count: number): number {
  return launch + (count * bytes) / bandwidth + (Math.ceil(count / width) * width * each) / speed;
}

/**
 * Least time with hindsight: all on the processor; or the device is opened at once, and then every batch goes where it
 * takes least.
 */
function least(setting: Setting): number {
  const { opening, batches } = setting;
  let processor = 0;
  let both = 0;
  for (const count of batches) {
    const here = hereIn(setting, count);
    processor += here;
    const there = thereIn(setting, count);
    const done = Math.min(1, Math.max(0, (opening - both) / here));
    const rest = Math.floor(count * (1 - done));
    if (done === 1 || rest === 0) both += here;
    else if (done > 0) both += done * here + Math.min((1 - done) * here, thereIn(setting, rest));
    else both += Math.min(here, there);
  }
  return Math.min(processor, both);
}

interface Outcome {
  readonly ratio: number;
  /** Share of evaluations in batches that went to the device wholly, of those in sizes for which it is slower. */
  readonly astray: number;
  readonly usedDevice: boolean;
}

async function outcomeOf(setting: Setting, rng: Rng): Promise<Outcome> {
  const { launch, bandwidth, width, speed, opening, each, bytes, batches } = setting;
  const clock = new VirtualClock();
  let calls = 0;
  let disturbances = 0;
  /** A twentieth more or less; now and then something else is done first. */
  const withNoise = (seconds: number): number => {
    const disturbance = calls++ > 50 && rng.uniform() < 0.005 ? Math.min(4 * seconds, 2e-3) : 0;
    disturbances += disturbance;
    return seconds * (1 + 0.1 * (rng.uniform() - 0.5)) + disturbance;
  };
  const doubt = (factor: number): number => factor ** (2 * rng.uniform() - 1);
  // A device at work takes a little of the processor.
  const here = (count: number): number => withNoise(hereIn(setting, count) * (clock.isBusy ? 1.03 : 1));
  const processor = new SimulatedKernel('native', clock, { seconds: here }, false);
  const device = new SimulatedKernel('cuda', clock, { seconds: (count) => withNoise(thereIn(setting, count)) }, true);
  const operations = (each / 1e-9) * doubt(3);
  const profile = {
    launchSeconds: launch * doubt(1.2),
    secondsPerByte: doubt(1.2) / bandwidth,
    width: Math.round(width * doubt(1.3)),
    secondsPerOperation: (((width * each) / speed) * doubt(3)) / operations,
    openSeconds: opening * doubt(3),
  };
  const plannedEvaluations = batches.reduce((sum, count) => sum + count, 0);
  const program = { operations, dimension: (bytes - 13) / 8, results: 1, plannedEvaluations };
  const access = simulatedDevice(clock, device, opening, profile);
  const kernel = new PlacedKernel(processor, access, program, clock);
  let [slower, astray] = [0, 0];
  for (const count of batches) {
    const before = kernel.gpu.evaluations;
    await kernel.evaluate({ candidates: CANDIDATES, count, dimension: 1 }, OUTPUT);
    if (thereIn(setting, count) <= 1.05 * hereIn(setting, count)) continue;
    slower += count;
    if (kernel.gpu.evaluations - before === count) astray += count;
  }
  await kernel.close();
  const usedDevice = kernel.gpu.evaluations > 0;
  return {
    ratio: (clock.time - disturbances) / least(setting),
    astray: slower === 0 ? 0 : astray / slower,
    usedDevice,
  };
}

test(
  'costs at most a tenth more than the best choice with hindsight, in 500 settings',
  { timeout: 60_000 },
  async () => {
    const rng = Rng.create(20);
    const outcomes: Outcome[] = [];
    for (let k = 0; k < SETTINGS; k++) outcomes.push(await outcomeOf(settingOf(rng), Rng.create(k)));
    const ratios = outcomes.map(({ ratio }) => ratio).sort((a, b) => a - b);
    const at = (share: number): number => ratios[Math.floor(share * (SETTINGS - 1))];
    const used = outcomes.filter(({ usedDevice }) => usedDevice).length;
    // Both places are the right one in a good part of the settings.
    expect(used).toBeGreaterThan(SETTINGS / 5);
    expect(used).toBeLessThan((SETTINGS * 4) / 5);
    expect(at(0.5), 'median').toBeLessThan(1.01);
    expect(at(0.99), '99 of 100').toBeLessThan(1.07);
    expect(at(1), 'worst').toBeLessThanOrEqual(1.1);
    for (const { astray } of outcomes) expect(astray).toBeLessThan(0.05);
  },
);

/** Of 6,000 settings of the seeds 1 to 12: earlier forms cost more than a tenth more here, or used the slower place. */
test.each([
  { seed: 2, index: 260 },
  { seed: 3, index: 465 },
  { seed: 5, index: 36 },
  { seed: 9, index: 159 },
  { seed: 11, index: 310 },
])('costs at most a tenth more in setting $index of seed $seed, too', async ({ seed, index }) => {
  const rng = Rng.create(seed);
  for (let k = 0; k < index; k++) settingOf(rng);
  const { ratio, astray } = await outcomeOf(settingOf(rng), Rng.create(index));
  expect(ratio).toBeLessThanOrEqual(1.1);
  expect(astray).toBeLessThan(0.05);
});
