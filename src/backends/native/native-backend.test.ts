import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../common/dist-entry.js';
import { IrBuilder } from '../../ir/builder.js';
import type { IrFunction } from '../../ir/types.js';
import { createOutput } from '../backend.js';
import type { ProgramHandle } from './addon.js';
import { loadAddon } from './addon.js';
import { encodeProgram } from './encode.js';
import { NativeBackend } from './native-backend.js';

const loaded = loadAddon();
const addonPath = join(packageRoot(), 'build', 'Release', 'extremum.node');
const reason = loaded.addon === null ? ` (${loaded.reason})` : '';
const addon = loaded.addon!;

const objective = (ir: IrFunction) =>
  ({ source: { code: '', entry: null, argument: 'list' }, dimension: ir.dimension, ir }) as const;

function sphere(dimension: number): IrFunction {
  const b = new IrBuilder('sphere', dimension);
  let sum = b.const(0);
  for (let i = 0; i < dimension; i++) sum = b.op('add', sum, b.op('mul', b.x(i), b.x(i)));
  return b.finish(sum);
}

/** Runs for hours where x[0] is positive. */
function endless(): IrFunction {
  const b = new IrBuilder('endless', 1);
  const [n] = b.loop([b.const(0)], 2 ** 31, 1, ([n]) => [b.op('lt', b.const(0), b.x(0)), b.op('add', n, b.const(1))]);
  return b.finish(n);
}

describe.skipIf(loaded.addon === null)(`native addon${reason}`, () => {
  const program = () => {
    const { words, constants } = encodeProgram(sphere(2));
    return addon.load(words, constants);
  };
  const call = (changes: { at: number; value: unknown }[]) => {
    const args: unknown[] = [program(), new Float64Array(8), 4, new Float64Array(4), new Uint8Array(4), null, false, 1, null];
    for (const { at, value } of changes) args[at] = value;
    return (addon.evaluate as (...args: unknown[]) => unknown)(...args);
  };

  it('refuses arguments of a wrong type, and arrays that are too short', () => {
    expect(call([])).toBe(0);
    const wrong: [number, unknown][] = [
      [0, {}],
      [0, null],
      [1, new Float32Array(8)],
      [1, new Float64Array(7)],
      [1, [1, 2, 3, 4, 5, 6, 7, 8]],
      [2, -1],
      [2, 1.5],
      [2, 5],
      [2, 2 ** 53],
      [2, NaN],
      [3, new Float64Array(3)],
      [3, null],
      [4, new Uint8Array(3)],
      [4, new Int8Array(4)],
      [5, new Int32Array(3)],
      [6, 1],
      // Candidates that are not a whole tile.
      [6, true],
      [7, 1e9],
      [8, new Int32Array(1)],
      [8, new Int32Array(new SharedArrayBuffer(0))],
    ];
    for (const [at, value] of wrong) expect(() => call([{ at, value }]), `argument ${at}`).toThrow();
    const detached = new Float64Array(8);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    expect(() => call([{ at: 1, value: detached }])).toThrow();
    const disguised = Object.defineProperty(new Int32Array(1), 'buffer', { value: new SharedArrayBuffer(4) });
    expect(() => call([{ at: 8, value: disguised }])).toThrow('must lie on a SharedArrayBuffer');
  });

  it('refuses a program that its verifier does not accept, and an unknown target', () => {
    const { words, constants } = encodeProgram(sphere(2));
    expect(() => addon.load(words.subarray(0, -1), constants)).toThrow('the program is invalid');
    expect(() => addon.load(words, constants.subarray(0, -1))).toThrow('the program is invalid');
    expect(() => addon.load(words, constants, 'mmx')).toThrow('cannot run here');
    expect(() => addon.load(words, words as unknown as Float64Array)).toThrow();
  });

  it('rejects an evaluation whose outputs were taken away meanwhile', async () => {
    const values = new Float64Array(4);
    const handle: ProgramHandle = program();
    const pending = addon.evaluateAsync(handle, new Float64Array(8), 4, values, new Uint8Array(4), null, false, 1, null);
    structuredClone(values.buffer, { transfer: [values.buffer] });
    await expect(pending).rejects.toThrow('detached');
  });

  it('takes the target that EXTREMUM_SIMD names, if this CPU has it', () => {
    const target = (name: string) =>
      spawnSync(process.execPath, ['-p', `require(${JSON.stringify(addonPath)}).defaultTarget()`], {
        env: { ...process.env, EXTREMUM_SIMD: name },
        encoding: 'utf8',
      }).stdout.trim();
    for (const name of addon.targets()) expect(target(name)).toBe(name);
    expect(target('nonsense')).toBe(addon.targets()[0]);
  });

  it('works in many threads at once, also when they are terminated in the middle', async () => {
    const { words, constants } = encodeProgram(sphere(16));
    const code = `
      const { parentPort, workerData } = require('node:worker_threads');
      const addon = require(workerData.addonPath);
      const handle = addon.load(workerData.words, workerData.constants);
      const candidates = new Float64Array(16 * 2000).fill(0.5), values = new Float64Array(2000), status = new Uint8Array(2000);
      for (let round = 0; ; round++) {
        values.fill(0);
        addon.evaluate(handle, candidates, 2000, values, status, null, false, 2, null);
        if (!values.every((value) => value === 4)) throw new Error('wrong value');
        if (round === 20) parentPort.postMessage('working');
      }`;
    const workers = Array.from(
      { length: 4 },
      () => new Worker(code, { eval: true, workerData: { addonPath, words, constants } }),
    );
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise((resolve, reject) => {
            worker.once('message', resolve);
            worker.once('error', reject);
          }),
      ),
    );
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(call([])).toBe(0);
  });
});

describe.skipIf(loaded.addon === null)(`native backend${reason}`, () => {
  it('ends a running evaluation when the cancel flag is set', async () => {
    const cancelFlag = new Int32Array(new SharedArrayBuffer(4));
    const kernel = await new NativeBackend({ threads: 2, offload: true, cancelFlag }).open(objective(endless()));
    const batch = { candidates: new Float64Array(1000).fill(1), count: 1000, dimension: 1 };
    setTimeout(() => Atomics.store(cancelFlag, 0, 1), 30);
    await expect(kernel.evaluate(batch, createOutput(1000))).rejects.toMatchObject({ code: 'cancelled' });
    Atomics.store(cancelFlag, 0, 0);
    await kernel.evaluate({ ...batch, candidates: new Float64Array(1000) }, createOutput(1000));
    await kernel.close();
  });

  it('leaves the event loop free on the main thread', async () => {
    const cancelFlag = new Int32Array(new SharedArrayBuffer(4));
    const kernel = await new NativeBackend({ threads: 1, offload: true, cancelFlag }).open(objective(endless()));
    let ticks = 0;
    const timer = setInterval(() => {
      if (++ticks === 5) Atomics.store(cancelFlag, 0, 1);
    }, 5);
    const batch = { candidates: Float64Array.of(1), count: 1, dimension: 1 };
    await expect(kernel.evaluate(batch, createOutput(1))).rejects.toMatchObject({ code: 'cancelled' });
    clearInterval(timer);
    expect(ticks).toBeGreaterThanOrEqual(5);
  });

  it('says that an objective is too large for it', async () => {
    const b = new IrBuilder('deep', 1);
    const nest = (depth: number): number => {
      if (depth === 0) return b.x(0);
      const [result] = b.if(
        b.op('lt', b.x(0), b.const(depth)),
        () => [nest(depth - 1)],
        () => [b.const(depth)],
      );
      return result;
    };
    const fn = b.finish(nest(1100));
    await expect(new NativeBackend().open(objective(fn))).rejects.toMatchObject({ code: 'backend_unavailable' });
  });
});
