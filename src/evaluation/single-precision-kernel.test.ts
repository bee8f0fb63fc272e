import { describe, expect, test } from 'vitest';
import { createOutput, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { Rng } from '../common/rng.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import type { Direction } from '../model/objective.js';
import { toTiles } from '../model/tiles.js';
import { SinglePrecisionKernel } from './single-precision-kernel.js';

const DIMENSION = 3;
/** The coordinate that counts. */
const xOf = (batch: CandidateBatch, row: number): number => candidateOf(batch, row)[1];
/** Values near each other, which single precision does not tell apart; checks stop some candidates. */
const valueOf = (x: number): number => 1 + 1e-9 * x;
const isStopped = (x: number): boolean => x > 0.99;

class FakeKernel implements Kernel {
  readonly device: string;
  readonly rows: number[] = [];
  failures: Error[] = [];
  isClosed = false;

  constructor(
    readonly backend: string,
    private readonly round: (value: number) => number,
  ) {
    this.device = `fake ${backend}`;
  }

  async evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    const { count } = batch;
    output.failures.length = 0;
    const failure = this.failures.shift();
    if (failure !== undefined) {
      output.values.fill(-1);
      throw failure;
    }
    this.rows.push(count);
    for (let i = 0; i < count; i++) {
      const x = xOf(batch, i);
      output.status[i] = isStopped(x) ? 3 : 0;
      output.values[i] = isStopped(x) ? NaN : this.round(valueOf(x));
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function hostOf(direction: Direction = 'minimize', round = Math.fround) {
  const [processor, device] = [new FakeKernel('native', (value) => value), new FakeKernel('cuda', round)];
  return { processor, device, kernel: new SinglePrecisionKernel(processor, device, direction) };
}

/** Batches of odd seeds lie in tiles. */
function batchOf(count: number, seed = 1): CandidateBatch {
  const rng = Rng.create(seed);
  const candidates = Float64Array.from({ length: DIMENSION * count }, () => rng.uniform());
  const rows = { candidates, count, dimension: DIMENSION };
  return seed % 2 === 0 ? rows : { ...rows, candidates: toTiles(candidates, count, DIMENSION), layout: 'tiles' };
}

async function evaluated(kernel: Kernel, batch: CandidateBatch): Promise<EvaluationOutput> {
  const output = createOutput(batch.count);
  await kernel.evaluate(batch, output);
  return output;
}

describe('single precision', () => {
  test.each([
    ['minimize', 'rounded', Math.fround],
    ['maximize', 'rounded', Math.fround],
    ['minimize', 'far off', (value: number) => 2 - value],
    ['maximize', 'far off', (value: number) => 2 - value],
  ] as const)('%s: what is the best of its batch so far is of double precision (%s)', async (direction, _, round) => {
    const sign = direction === 'minimize' ? 1 : -1;
    const { kernel } = hostOf(direction, round);
    for (let seed = 0; seed < 20; seed++) {
      const batch = batchOf(200, seed);
      const { values, status } = await evaluated(kernel, batch);
      let best = Infinity;
      for (let i = 0; i < batch.count; i++) {
        const x = xOf(batch, i);
        expect(status[i]).toBe(isStopped(x) ? 3 : 0);
        if (isStopped(x) || sign * values[i] >= best) continue;
        best = sign * values[i];
        expect(values[i]).toBe(valueOf(x));
      }
    }
  });

  test('most candidates are valued once, by the device', async () => {
    // Values far enough apart for single precision.
    const { kernel, processor } = hostOf('minimize', (value) => 1 + Math.fround(value - 1));
    await evaluated(kernel, batchOf(1000));
    const again = processor.rows.reduce((sum, rows) => sum + rows, 0);
    expect(again).toBeLessThan(50);
    expect(kernel.gpu).toEqual({ backend: 'cuda', evaluations: 1000 - again, seconds: 0 });
    expect([kernel.backend, kernel.device]).toEqual(['cuda', 'fake cuda']);
    expect(kernel.reason).toMatch(/^single precision was asked for: cuda valued 9\d\d of 1,000 evaluations; /);
  });

  test('a small batch goes to the processor', async () => {
    const { kernel, device } = hostOf();
    await evaluated(kernel, batchOf(10));
    expect(device.rows).toEqual([]);
    expect([kernel.backend, kernel.gpu.evaluations]).toEqual(['native', 0]);
  });

  test('a batch that the device has no memory for goes to the processor, and the next one to the device again', async () => {
    const { kernel, device, processor } = hostOf();
    device.failures.push(new ExtremumError('backend_unavailable', 'out of memory', { retryable: true }));
    const { values } = await evaluated(kernel, batchOf(100));
    expect(values[0]).toBe(valueOf(xOf(batchOf(100), 0)));
    expect(processor.rows).toEqual([100]);
    await evaluated(kernel, batchOf(100));
    expect(device.rows).toEqual([100]);
  });

  test('a device that is lost is left, and the reason says so', async () => {
    const { kernel, device, processor } = hostOf('minimize', (value) => value);
    await evaluated(kernel, batchOf(100));
    device.failures.push(new ExtremumError('backend_lost', 'GPU 0 was lost'));
    await evaluated(kernel, batchOf(100));
    await evaluated(kernel, batchOf(100));
    expect(device.rows).toEqual([100]);
    expect(processor.rows.slice(-2)).toEqual([100, 100]);
    expect(kernel.reason).toMatch(
      /^cuda was left after \d+ evaluations: GPU 0 was lost; from there on values are in double precision$/,
    );
  });

  test('cancellation and defects are handed on', async () => {
    const { kernel, device } = hostOf();
    device.failures.push(new ExtremumError('cancelled', 'cancelled'), new TypeError('a defect'));
    await expect(evaluated(kernel, batchOf(100))).rejects.toMatchObject({ code: 'cancelled' });
    await expect(evaluated(kernel, batchOf(100))).rejects.toThrow('a defect');
  });

  test('both kernels are closed', async () => {
    const { kernel, device, processor } = hostOf();
    await kernel.close();
    expect([device.isClosed, processor.isClosed]).toEqual([true, true]);
  });
});
