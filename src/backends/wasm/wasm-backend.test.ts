import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { randomCandidates, randomIr } from '../../../test/support/random-ir.js';
import { straightLine } from '../../../test/conformance/ir-programs.js';
import { distEntry } from '../../common/dist-entry.js';
import { IrBuilder } from '../../ir/builder.js';
import { constantForm } from '../../ir/index-form.js';
import { interpret } from '../../ir/interpreter.js';
import type { IrFunction } from '../../ir/types.js';
import { LaneStatus } from '../../ir/types.js';
import { toTiles } from '../../model/tiles.js';
import { createOutputWithLines } from '../backend.js';
import { generateModule } from './generate.js';
import { splitProgram } from '../split.js';
import { orInRows, WasmBackend } from './wasm-backend.js';

const MANY_BYTES = 2 ** 26;
const objectiveOf = (ir: IrFunction) => ({
  source: { code: '', entry: null, argument: 'list' as const },
  dimension: ir.dimension,
  ir,
});

describe('programs of several functions', () => {
  it('are cut where they are too long, and only there', () => {
    expect(splitProgram(straightLine(900), 1000).pieces).toHaveLength(0);
    const { pieces, shared } = splitProgram(straightLine(6000), 1000);
    expect(pieces.length).toBeGreaterThanOrEqual(6);
    for (const { body } of pieces) expect(body.length).toBeLessThanOrEqual(1000);
    expect(shared.size).toBeGreaterThan(0);
  });

  it('equal the interpreter wherever they are cut, also within branches and loops', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const fn = seed % 2 === 0 ? randomIr(seed) : randomIr(seed, { counted: true, statements: 15 });
      const count = 5;
      const candidates = randomCandidates(seed, count, fn.dimension);
      for (const functionSize of [1, 7]) {
        const kernel = await new WasmBackend({ functionSize }).open(objectiveOf(fn));
        const output = createOutputWithLines(count);
        await kernel.evaluate({ candidates, count, dimension: fn.dimension }, output);
        for (let i = 0; i < count; i++) {
          const { value, status, line } = interpret(fn, candidates.subarray(i * fn.dimension, (i + 1) * fn.dimension));
          const found = { value: output.values[i], status: output.status[i], line: output.lines[i] };
          expect({ seed, functionSize, ...found }).toEqual({ seed, functionSize, value, status, line });
        }
        await kernel.close();
      }
    }
  });
});

it('refuses what it cannot count to, and arrays that do not fit', async () => {
  const refused = (fn: IrFunction) =>
    expect(new WasmBackend().open(objectiveOf(fn))).rejects.toMatchObject({ code: 'backend_unavailable' });
  const endless = new IrBuilder('endless', 1);
  const [sum] = endless.for(constantForm(2 ** 31), [endless.x(0)], (_, params) => params);
  await refused(endless.finish(sum));
  const large = new IrBuilder('large', 1);
  const array = large.localArray(2 ** 23);
  large.store(array, constantForm(0), large.x(0));
  await refused(large.finish(large.load(array, constantForm(0))));
});

it('equals the interpreter in branches and loops nested deeply', async () => {
  const b = new IrBuilder('deep', 2);
  const nest = (depth: number): number =>
    depth === 0
      ? b.op('mul', b.x(0), b.x(1))
      : b.if(
          b.op('lt', b.x(depth % 2), b.const(depth)),
          () => b.loop([b.x(1)], 3, depth, ([p]) => [b.op('lt', p, b.const(0)), b.op('add', p, nest(depth - 1))]),
          () => [b.const(-depth)],
        )[0];
  const fn = b.finish(nest(6));
  const kernel = await new WasmBackend().open(objectiveOf(fn));
  const output = createOutputWithLines(64);
  const candidates = randomCandidates(3, 64, 2);
  await kernel.evaluate({ candidates, count: 64, dimension: 2 }, output);
  const wanted = Array.from({ length: 64 }, (_, i) => interpret(fn, candidates.subarray(2 * i, 2 * i + 2)));
  expect([...output.values]).toEqual(wanted.map(({ value }) => value));
  expect([...output.status]).toEqual(wanted.map(({ status }) => status));
  await kernel.close();
});

it('writes nothing of the name into the module', () => {
  const b = new IrBuilder('secretname', 1);
  const { bytes } = generateModule(b.finish(b.op('exp', b.x(0))), MANY_BYTES, true);
  expect(Buffer.from(bytes).includes('secretname')).toBe(false);
});

it('shows flags of one block only in that block', async () => {
  const b = new IrBuilder('flags', 1);
  b.check(b.op('lt', b.x(0), b.const(0)), LaneStatus.MathDomain, 3);
  const kernel = await new WasmBackend().open(objectiveOf(b.finish(b.x(0))));
  const count = 1001;
  const candidates = new Float64Array(count).fill(1);
  candidates[700] = -1;
  const output = createOutputWithLines(count);
  output.status.fill(9);
  output.lines.fill(9);
  await kernel.evaluate({ candidates, count, dimension: 1 }, output);
  const flagged = [...output.status.keys()].filter((i) => output.status[i] !== 0 || output.lines[i] !== 0);
  expect(flagged).toEqual([700]);
  expect([output.values[700], output.status[700], output.lines[700]]).toEqual([NaN, LaneStatus.MathDomain, 3]);
  await kernel.close();
});

it('ends when the flag of another thread is set, and works again when it is cleared', async () => {
  const cancelFlag = new Int32Array(new SharedArrayBuffer(4));
  const b = new IrBuilder('line', 1);
  const kernel = await new WasmBackend({ cancelFlag }).open(objectiveOf(b.finish(b.x(0))));
  const batch = { candidates: Float64Array.of(2, 3), count: 2, dimension: 1 };
  Atomics.store(cancelFlag, 0, 1);
  await expect(kernel.evaluate(batch, createOutputWithLines(2))).rejects.toMatchObject({ code: 'cancelled' });
  Atomics.store(cancelFlag, 0, 0);
  const output = createOutputWithLines(2);
  await kernel.evaluate(batch, output);
  expect([...output.values]).toEqual([2, 3]);
  await kernel.close();
});

it('takes tiles as rows where there is no room for a module of their own', async () => {
  const seen: number[][] = [];
  const evaluate = orInRows(
    () => {
      throw new RangeError('WebAssembly.Memory(): could not allocate memory');
    },
    (candidates, _count, _values, _status, _lines, isTiled) => void seen.push([...candidates, Number(isTiled)]),
    2,
  );
  const { values, status, lines } = createOutputWithLines(3);
  await evaluate(toTiles([1, 2, 3, 4, 5, 6], 3, 2), 3, values, status, lines ?? null, true);
  expect(seen).toEqual([[1, 2, 3, 4, 5, 6, 0]]);
});

it('refuses what needs too much memory', async () => {
  const b = new IrBuilder('wide', 2 ** 23);
  await expect(new WasmBackend().open(objectiveOf(b.finish(b.x(0))))).rejects.toMatchObject({
    code: 'backend_unavailable',
    message: expect.stringMatching(/needs \d+ bytes of memory/),
  });
});

it('is unavailable, with the reason, where V8 may not compile', () => {
  const script = `
    import { WasmBackend } from ${JSON.stringify(distEntry('backends/wasm/wasm-backend'))};
    console.log(JSON.stringify(await new WasmBackend().probe()));`;
  const { stdout } = spawnSync(process.execPath, ['--jitless', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toMatchObject({ available: false, reason: expect.stringContaining('no WebAssembly') });
});
