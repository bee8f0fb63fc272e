/** Measures what a device is like, whatever the program (`DeviceProfile`), with three small programs. */
import { operationsOf } from '../analysis/operations.js';
import { createOutput, type Backend, type Kernel } from '../backends/backend.js';
import { compileObjective } from '../frontend/compile.js';
import type { IrFunction } from '../ir/types.js';
import type { ObjectiveSource } from '../model/objective.js';
import { optimizeIr } from '../passes/pipeline.js';
import { TILE_LANES, tiledLength } from '../model/tiles.js';
import { STATUS_BYTES, type DeviceProfile } from './place-costs.js';

const IDLE = sourceOf('    return x[0]\n');
/** 16,000 operations, each of which waits for the one before. */
const BUSY = sourceOf(`    a = x[0]
    for i in range(4000):
        a = (a * 0.5 + x[0]) * 0.75 - 0.25
    return a
`);
/** Numbers of a candidate, and candidates, where copies are measured. */
const WIDE_DIMENSION = 32;
const WIDE_COUNT = 32_768;
/** The middle one of so many counts, after one that does not. */
const LAUNCHES = 9;
const BATCHES = 3;

function sourceOf(body: string): ObjectiveSource {
  return { code: `def f(x):\n${body}`, entry: 'f', argument: 'list' };
}

/** `backend`: for one device. */
export async function measureProfile(backend: Backend): Promise<DeviceProfile> {
  let openSeconds = 0;
  const withKernel = async <T>(source: ObjectiveSource, dimension: number, use: Use<T>): Promise<T> => {
    const { ir } = compileObjective(source, { dimension, pythonMinor: 12 });
    if (ir === null) throw new Error('a program of our own does not compile');
    const program = optimizeIr(ir);
    const startedAt = performance.now();
    const kernel = await backend.open({ source, dimension, ir: program });
    openSeconds = Math.max(openSeconds, (performance.now() - startedAt) / 1000);
    try {
      return await use(kernel, program);
    } finally {
      await kernel.close();
    }
  };
  const launchSeconds = await withKernel(IDLE, 1, (kernel) => secondsOf(kernel, 1, 1, LAUNCHES));
  const secondsPerByte = await withKernel(IDLE, WIDE_DIMENSION, async (kernel) => {
    const seconds = await secondsOf(kernel, WIDE_COUNT, WIDE_DIMENSION, BATCHES);
    return above(seconds - launchSeconds) / (WIDE_COUNT * bytesOf(WIDE_DIMENSION));
  });
  const [width, secondsPerOperation] = await withKernel(BUSY, 1, async (kernel, program) => {
    const count = kernel.onDevice?.width ?? 1;
    const seconds = await secondsOf(kernel, count, 1, BATCHES);
    const overhead = launchSeconds + count * bytesOf(1) * secondsPerByte;
    return [count, above(seconds - overhead) / operationsOf(program)] as const;
  });
  return { launchSeconds, secondsPerByte, width, secondsPerOperation, openSeconds };
}

type Use<T> = (kernel: Kernel, program: IrFunction) => Promise<T>;

/** Disturbed measurements may come out below nothing. */
const above = (seconds: number): number => Math.max(seconds, 1e-9);

const bytesOf = (dimension: number): number => 8 * (dimension + 1) + STATUS_BYTES;

/** Of a batch of `count` equal candidates, as strategies hand them over: less than a tile in rows. */
async function secondsOf(kernel: Kernel, count: number, dimension: number, times: number): Promise<number> {
  const candidates = new Float64Array(tiledLength(count, dimension)).fill(0.5);
  const batch = { candidates, layout: count < TILE_LANES ? undefined : ('tiles' as const), count, dimension };
  const output = createOutput(count);
  const taken: number[] = [];
  for (let time = 0; time <= times; time++) {
    const startedAt = performance.now();
    await kernel.evaluate(batch, output);
    if (time > 0) taken.push((performance.now() - startedAt) / 1000);
  }
  return taken.sort((a, b) => a - b)[times >> 1];
}
