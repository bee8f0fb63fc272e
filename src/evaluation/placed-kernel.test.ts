import { describe, expect, test } from 'vitest';
import { SimulatedKernel, simulatedDevice, VirtualClock, type Place } from '../../test/support/simulated-places.js';
import { createOutputWithLines, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { inRows, type CandidateBatch } from '../model/candidate-batch.js';
import { toTiles } from '../model/tiles.js';
import type { DeviceProfile } from './place-costs.js';
import { PlacedKernel, type DeviceAccess } from './placed-kernel.js';

const PROFILE: DeviceProfile = {
  launchSeconds: 20e-6,
  secondsPerByte: 1e-10,
  width: 4096,
  secondsPerOperation: 1e-7,
  openSeconds: 0.01,
};
const PROGRAM = { operations: 1000, dimension: 2, results: 2, plannedEvaluations: 1e7 };

/** Two results for each candidate, a status and a line. */
function evaluate(batch: CandidateBatch, { values, status, lines }: EvaluationOutput): void {
  const { candidates, count } = inRows(batch);
  for (let i = 0; i < count; i++) {
    const [x, y] = [candidates[2 * i], candidates[2 * i + 1]];
    values[2 * i] = x * y;
    values[2 * i + 1] = x - y;
    status[i] = x > 0.9 ? 3 : 0;
    if (lines !== undefined) lines[i] = x > 0.9 ? 7 : 0;
  }
}

const NUMBERS = Float64Array.from({ length: 40_000 }, (_, k) => (k * 0.618_033_988_75) % 1);

/** Every second one in tiles. */
function batchOf(count: number, from: number): CandidateBatch {
  const rows = { candidates: NUMBERS.subarray(from, from + 2 * count), count, dimension: 2 };
  return from % 2 === 0 ? rows : { ...rows, candidates: toTiles(rows.candidates, count, 2), layout: 'tiles' };
}

function isSame(a: EvaluationOutput, b: EvaluationOutput): boolean {
  const bytes = ({ buffer, byteOffset, byteLength }: Float64Array | Uint8Array | Int32Array): Buffer =>
    Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  const same = (x: Float64Array | Uint8Array | Int32Array, y: typeof x): boolean => bytes(x).equals(bytes(y));
  return a.failures.length === 0 && same(a.values, b.values) && same(a.status, b.status) && same(a.lines!, b.lines!);
}

interface Host {
  readonly clock: VirtualClock;
  readonly processor: SimulatedKernel;
  readonly device: SimulatedKernel;
  readonly kernel: PlacedKernel;
  /** Evaluates a batch, and expects the program's own values of it. */
  evaluate(count: number): Promise<void>;
}

function hostOf({
  here = (count) => 1e-6 * count,
  there = () => 100e-6,
  access,
  planned = PROGRAM.plannedEvaluations,
}: {
  readonly here?: Place['seconds'];
  readonly there?: Place['seconds'];
  readonly access?: (clock: VirtualClock, device: Kernel) => DeviceAccess;
  readonly planned?: number;
} = {}): Host {
  const clock = new VirtualClock();
  const processor = new SimulatedKernel('native', clock, { seconds: here, evaluate }, false);
  const device = new SimulatedKernel('cuda', clock, { seconds: there, evaluate }, true);
  const opened = access?.(clock, device) ?? simulatedDevice(clock, device, 0.005, PROFILE);
  const kernel = new PlacedKernel(processor, opened, { ...PROGRAM, plannedEvaluations: planned }, clock);
  let from = 0;
  return {
    clock,
    processor,
    device,
    kernel,
    async evaluate(count) {
      const batch = batchOf(count, (from = (from + 17) % 20_000));
      const [found, wanted] = [createOutputWithLines(count, 2), createOutputWithLines(count, 2)];
      found.failures.push({ index: 0, type: 'old', message: '', line: 0 });
      evaluate(batch, wanted);
      await kernel.evaluate(batch, found);
      if (!isSame(found, wanted)) throw new Error(`a batch of ${count} has other values`);
    },
  };
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let k = 0; k < times; k++) await work();
}

const lost = (): Error => new ExtremumError('backend_lost', 'GPU 0 was lost.');
const outOfMemory = (): Error => new ExtremumError('backend_unavailable', 'out of memory', { retryable: true });

describe('a kernel in two places', () => {
  test('opens the device beside the work, tries it, and goes where it is faster', async () => {
    const { kernel, processor, device, evaluate: next, clock } = hostOf();
    await next(10_000);
    expect(clock.now()).toBeLessThan(0.01);
    await repeat(20, () => next(10_000));
    expect(device.calls.slice(-10)).toEqual(Array(10).fill(10_000));
    expect(kernel.gpu.evaluations + processor.evaluations).toBeGreaterThanOrEqual(210_000);
    expect(kernel.gpu).toMatchObject({ backend: 'cuda', evaluations: expect.any(Number) });
    expect(kernel.gpu.evaluations).toBeGreaterThan(190_000);
    expect(kernel.gpu.seconds).toBeGreaterThan(20 * 100e-6 * 0.9);
    expect(kernel.gpu.seconds).toBeLessThan(0.01);
    expect([kernel.backend, kernel.device]).toEqual(['cuda', 'simulated cuda']);
    expect(kernel.reason).toMatch(
      /^[\d,]+ of 210,000 evaluations went to cuda: for 10,000 candidates it takes \d+ µs, native 10 ms$/,
    );
  });

  test('leaves small batches to the processor, and large ones to the device, in one run', async () => {
    const { kernel, device, evaluate: next } = hostOf();
    await repeat(10, () => next(10_000));
    const before = kernel.gpu.evaluations;
    await repeat(100, () => next(20));
    expect(kernel.gpu.evaluations).toBe(before);
    await next(10_000);
    expect(device.calls.at(-1)).toBe(10_000);
  });

  test('stays on the processor where the device is slower, and tries again only in a hundredth of the time', async () => {
    const { kernel, clock, evaluate: next } = hostOf({ there: () => 25e-3 });
    await repeat(100, () => next(10_000));
    expect(kernel.backend).toBe('native');
    expect(clock.now()).toBeLessThan(1.02 * 100 * 0.01);
    expect(kernel.gpu.seconds).toBeLessThan(0.1);
    expect(kernel.reason).toContain('native 10 ms');
  });

  test('changes its mind when the places do', async () => {
    let [here, there] = [1e-6, 100e-6];
    const { device, processor, evaluate: next } = hostOf({ here: (n) => here * n, there: () => there });
    await repeat(20, () => next(10_000));
    expect(device.calls.at(-1)).toBe(10_000);
    there = 50e-3;
    await repeat(20, () => next(10_000));
    expect(processor.calls.slice(-5)).toEqual(Array(5).fill(10_000));
    there = 100e-6;
    await repeat(600, () => next(10_000));
    expect(device.calls.slice(-5)).toEqual(Array(5).fill(10_000));
    // Code that was compiled meanwhile.
    here = 1e-9;
    await repeat(3000, () => next(1000));
    expect(processor.calls.slice(-5)).toEqual(Array(5).fill(1000));
  });

  test('opens nothing for a run that is over sooner, and says so', async () => {
    const { kernel, device, evaluate: next } = hostOf({ planned: 1000 });
    await repeat(10, () => next(100));
    expect(device.calls).toEqual([]);
    expect(kernel.backend).toBe('native');
    expect(kernel.reason).toMatch(/^cuda was not opened/);
  });

  test('is the processor alone where there is no device, and says nothing of it', async () => {
    let opened = 0;
    const access: DeviceAccess = { name: 'cuda', profile: () => null, open: async () => (opened++, null) };
    const { kernel, processor, evaluate: next } = hostOf({ access: () => access });
    await repeat(10, () => next(10_000));
    expect(opened).toBe(1);
    expect(processor.evaluations).toBe(100_000);
    expect(kernel.reason).toBe('');
    expect(kernel.gpu).toEqual({ backend: 'cuda', evaluations: 0, seconds: 0 });
  });

  test('is the processor alone where the device does not take the program, and says why', async () => {
    const open = async (): Promise<null> => {
      throw new ExtremumError('backend_unavailable', 'it is too large');
    };
    const access: DeviceAccess = { name: 'cuda', profile: () => PROFILE, open };
    const { kernel, evaluate: next } = hostOf({ access: () => access });
    await repeat(10, () => next(10_000));
    expect(kernel.reason).toBe('cuda is not used: it is too large');
  });

  test.each([0, 1, 5])('goes on without a device that is lost in call %i, with the same values', async (call) => {
    const { kernel, processor, device, evaluate: next } = hostOf();
    while (device.calls.length < call) await next(10_000);
    device.failures.push(lost());
    await repeat(10, () => next(10_000));
    const calls = device.calls.length;
    await repeat(10, () => next(10_000));
    expect(device.calls).toHaveLength(calls);
    expect(device.isClosed).toBe(true);
    expect(processor.calls.slice(-5)).toEqual(Array(5).fill(10_000));
    expect(kernel.reason).toMatch(/^cuda (is not used|was left after [\d,]+ evaluations): GPU 0 was lost\.$/);
  });

  test('comes back to a device that was out of memory', async () => {
    const { kernel, device, evaluate: next } = hostOf();
    await repeat(10, () => next(10_000));
    const calls = device.calls.length;
    device.failures.push(outOfMemory());
    await next(10_000);
    expect(device.calls).toHaveLength(calls);
    await repeat(200, () => next(10_000));
    expect(device.calls.length).toBeGreaterThan(calls);
    expect(kernel.reason).toContain('went to cuda');
  });

  test('hands on a defect of the device', async () => {
    const { device, evaluate: next } = hostOf();
    await repeat(10, () => next(10_000));
    device.failures.push(new TypeError('a defect'));
    await expect(repeat(3, () => next(10_000))).rejects.toThrow('a defect');
  });

  test('hands on cancellation', async () => {
    const { device, evaluate: next } = hostOf();
    await repeat(10, () => next(10_000));
    device.failures.push(new ExtremumError('cancelled', 'the evaluation was cancelled'));
    await expect(next(10_000)).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('does not wait for a device that is being opened when it is closed, which is closed then', async () => {
    const {
      kernel,
      device,
      processor,
      evaluate: next,
      clock,
    } = hostOf({
      access: (clock, device) => simulatedDevice(clock, device, 1, PROFILE),
    });
    await next(10_000);
    await kernel.close();
    expect(processor.isClosed).toBe(true);
    expect(device.isClosed).toBe(false);
    await clock.after(2);
    expect(device.isClosed).toBe(true);
  });

  test('takes an empty batch', async () => {
    const { kernel, evaluate: next } = hostOf();
    await next(0);
    await repeat(10, () => next(10_000));
    await next(0);
    expect(kernel.gpu.evaluations).toBeGreaterThan(0);
  });
});
