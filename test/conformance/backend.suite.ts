/**
 * The suite of every backend that takes compiled objectives (`capabilities.input` is `ir`): life cycle, and results
 * equal to the interpreter's in every bit: value (also -0 and the canonical NaN), status and line. Run by one line per
 * backend in `backend.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, EvaluationOutput, Kernel, Objective } from '../../src/backends/backend.js';
import { createOutputWithLines } from '../../src/backends/backend.js';
import { deliver } from '../../src/backends/ir-kernel.js';
import { IrBuilder } from '../../src/ir/builder.js';
import { interpret } from '../../src/ir/interpreter.js';
import type { OpInfo, OpName } from '../../src/ir/ops.js';
import { isAngleOp, OPS, OP_NAMES } from '../../src/ir/ops.js';
import type { IrFunction, ValueId } from '../../src/ir/types.js';
import { resultsOf } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { differentiate } from '../../src/passes/gradient/differentiate.js';
import type { CandidateBatch } from '../../src/model/candidate-batch.js';
import { TILE_LANES, tiledLength, tiledStart } from '../../src/model/tiles.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { quickAngle, randomCandidates, randomIr, SPECIAL_VALUES } from '../support/random-ir.js';
import { COUNTED_PROGRAMS } from './counted-programs.js';
import { PROGRAMS, straightLine } from './ir-programs.js';

/** Programs and candidates of one test, with the interpreter's results; shared by all backends, for it is slow. */
interface Case {
  readonly fn: IrFunction;
  readonly candidates: Float64Array;
  readonly count: number;
  readonly expected: EvaluationOutput;
}

const cases = new Map<string, Case>();
function caseOf(name: string, build: () => { fn: IrFunction; candidates: Float64Array }): Case {
  let found = cases.get(name);
  if (!found) {
    const { fn, candidates } = build();
    expect(verifyIr(fn)).toEqual([]);
    const count = candidates.length / fn.dimension;
    const results = resultsOf(fn);
    const expected = createOutputWithLines(count, results);
    for (let i = 0; i < count; i++) {
      const lane = interpret(fn, candidates.subarray(i * fn.dimension, (i + 1) * fn.dimension));
      deliver(expected.values, i, lane.value, lane.outputs ?? null, results);
      expected.status[i] = lane.status;
      expected.lines[i] = lane.line;
    }
    cases.set(name, (found = { fn, candidates, count, expected }));
  }
  return found;
}

export function describeIrBackend(name: string, create: () => Backend): void {
  describe(`${name} backend`, () => {
    let backend: Backend;
    let missing: string | undefined;
    const kernels: Kernel[] = [];

    beforeAll(async () => {
      backend = create();
      const availability = await backend.probe();
      if (!availability.available) missing = availability.reason;
    });
    afterAll(async () => {
      for (const kernel of kernels) await kernel.close();
      await backend.close();
    });

    const test = (title: string, body: () => Promise<void>) =>
      it(title, async (context) => {
        if (missing !== undefined) context.skip(missing);
        await body();
      });

    const open = async (fn: IrFunction) => {
      const kernel = await backend.open(objectiveOf(fn));
      kernels.push(kernel);
      return kernel;
    };

    const expectEqualToInterpreter = async ({ fn, candidates, count, expected }: Case) => {
      const kernel = await open(fn);
      for (const layout of ['tiles', undefined] as const) {
        const output = createOutputWithLines(count, resultsOf(fn));
        const batch = { candidates, count, dimension: fn.dimension };
        await kernel.evaluate(layout === 'tiles' ? inTiles(batch) : batch, output);
        const what = `${fn.name}, ${layout ?? 'rows'}`;
        expect(firstDifference(what, candidates, expected, output, count, resultsOf(fn))).toBeNull();
      }
      // A faster tier's wrong results would be hidden by the slower one that takes over.
      expect(kernel.device).not.toContain('gave other bits');
      await kernel.close();
    };

    describe('life cycle', () => {
      test('names itself and its device', async () => {
        const kernel = await open(PROGRAMS.sphere());
        expect(kernel.backend).toBe(backend.name);
        const { device } = (await backend.probe()) as { readonly device: string };
        expect(device).not.toBe('');
        // A kernel may add what is true of its objective only.
        expect(kernel.device.startsWith(device)).toBe(true);
      });

      test('refuses an objective without IR', async () => {
        await expect(backend.open({ ...objectiveOf(PROGRAMS.sphere()), ir: null })).rejects.toMatchObject({
          code: 'objective_rejected',
        });
      });

      test('writes nothing beyond count and clears failures', async () => {
        const kernel = await open(PROGRAMS.sphere());
        const output = createOutputWithLines(6);
        output.values.fill(7);
        output.status.fill(7);
        output.lines.fill(7);
        output.failures.push({ index: 0, type: 'Old', message: '', line: 0 });
        await kernel.evaluate({ candidates: new Float64Array(20).fill(2), count: 4, dimension: 2 }, output);
        expect([...output.values]).toEqual([8, 8, 8, 8, 7, 7]);
        expect([...output.status]).toEqual([0, 0, 0, 0, 7, 7]);
        expect([...output.lines]).toEqual([0, 0, 0, 0, 7, 7]);
        expect(output.failures).toEqual([]);
      });

      test('works without lines in the output', async () => {
        const kernel = await open(PROGRAMS.sphere());
        const { values, status, failures } = createOutputWithLines(1);
        await kernel.evaluate(
          { candidates: Float64Array.of(3, 4), count: 1, dimension: 2 },
          { values, status, failures },
        );
        expect(values[0]).toBe(25);
      });

      test('refuses arrays that are too short, a wrong dimension and a bad count', async () => {
        const kernel = await open(PROGRAMS.sphere());
        const batch = { candidates: new Float64Array(8), count: 4, dimension: 2 };
        const refused = { code: 'invalid_request' };
        await expect(kernel.evaluate({ ...batch, count: 5 }, createOutputWithLines(5))).rejects.toMatchObject(refused);
        await expect(kernel.evaluate(batch, createOutputWithLines(3))).rejects.toMatchObject(refused);
        await expect(
          kernel.evaluate(batch, { ...createOutputWithLines(4), lines: new Int32Array(3) }),
        ).rejects.toMatchObject(refused);
        await expect(kernel.evaluate({ ...batch, dimension: 1 }, createOutputWithLines(4))).rejects.toMatchObject(
          refused,
        );
        // A tile has 64 candidates, however many of them count.
        const tile = { ...batch, candidates: new Float64Array(2 * 64), layout: 'tiles' as const };
        await expect(kernel.evaluate(tile, createOutputWithLines(4))).resolves.toBeUndefined();
        const candidates = tile.candidates.subarray(1);
        await expect(kernel.evaluate({ ...tile, candidates }, createOutputWithLines(4))).rejects.toMatchObject(refused);
        for (const count of [-1, 1.5, NaN]) {
          await expect(kernel.evaluate({ ...batch, count }, createOutputWithLines(4))).rejects.toMatchObject(refused);
        }
      });

      test('does nothing for an aborted signal, and works again afterwards', async () => {
        const kernel = await open(PROGRAMS.sphere());
        const batch = { candidates: Float64Array.of(1, 2), count: 1, dimension: 2 };
        const output = createOutputWithLines(1);
        output.values.fill(7);
        await expect(kernel.evaluate(batch, output, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
        expect(output.values[0]).toBe(7);
        await kernel.evaluate(batch, output);
        expect(output.values[0]).toBe(5);
      });

      test('refuses use after close; other kernels go on', async () => {
        const [closed, other] = [await open(PROGRAMS.sphere()), await open(PROGRAMS.sphere())];
        await closed.close();
        const batch = { candidates: Float64Array.of(1, 2), count: 1, dimension: 2 };
        await expect(closed.evaluate(batch, createOutputWithLines(1))).rejects.toMatchObject({
          code: 'backend_unavailable',
        });
        await other.evaluate(batch, createOutputWithLines(1));
        await closed.close();
      });
    });

    describe('equals the interpreter in every bit', () => {
      for (const op of OP_NAMES.filter((name) => OPS[name].args.length > 0 && OPS[name].result !== 'none')) {
        test(`on ${op} of special values`, async () => {
          await expectEqualToInterpreter(caseOf(`op ${op}`, () => opCase(op)));
          if (isAngleOp(op)) {
            await expectEqualToInterpreter(caseOf(`op ${op} quick`, () => opCase(op, undefined, true)));
          }
          for (const k of OPS[op].args.keys()) {
            await expectEqualToInterpreter(caseOf(`op ${op} constant ${k}`, () => opCase(op, k)));
          }
        });
      }

      for (const [title, program] of Object.entries(PROGRAMS)) {
        test(`on the program "${title}"`, async () => {
          await expectEqualToInterpreter(
            caseOf(title, () => {
              const fn = program();
              return { fn, candidates: randomCandidates(11, 300, fn.dimension) };
            }),
          );
        });
      }

      for (const [title, program] of Object.entries(COUNTED_PROGRAMS)) {
        test(`on the program "${title}"`, async () => {
          await expectEqualToInterpreter(
            caseOf(title, () => {
              const fn = program();
              return { fn, candidates: randomCandidates(13, 70, fn.dimension) };
            }),
          );
        });
      }

      test('on random programs', async () => {
        for (let seed = 1; seed <= 50; seed++) {
          const random = caseOf(`random ${seed}`, () => {
            const fn = randomIr(seed);
            return { fn, candidates: randomCandidates(seed + 1000, 20, fn.dimension) };
          });
          await expectEqualToInterpreter(random);
        }
      });

      test('on random programs with counted loops and arrays', async () => {
        for (let seed = 1; seed <= 50; seed++) {
          const random = caseOf(`counted ${seed}`, () => {
            const fn = randomIr(seed, { counted: true, statements: 12 });
            return { fn, candidates: randomCandidates(seed + 2000, 20, fn.dimension) };
          });
          await expectEqualToInterpreter(random);
        }
      });

      test('on programs with outputs: gradients of random programs', async () => {
        for (let seed = 1; seed <= 30; seed++) {
          const random = caseOf(`gradient ${seed}`, () => {
            const fn = optimizeIr(differentiate(randomIr(seed, { counted: seed % 2 === 0, statements: 10 })));
            return { fn, candidates: randomCandidates(seed + 3000, 19, fn.dimension) };
          });
          await expectEqualToInterpreter(random);
        }
      });

      test('on gradients of straight lines, in rows of every length', async () => {
        for (const dimension of [1, 2, 3, 7, 8, 15, 16, 30]) {
          const random = caseOf(`gradient of ${dimension}`, () => {
            const straight = randomIr(dimension, { dimension, control: false, statements: 4 * dimension });
            const fn = optimizeIr(differentiate(straight));
            return { fn, candidates: randomCandidates(dimension + 4000, 83, dimension) };
          });
          await expectEqualToInterpreter(random);
        }
      });

      test('on long straight-line programs', async () => {
        for (const length of [1_300, 6_000]) {
          await expectEqualToInterpreter(
            caseOf(`long ${length}`, () => ({ fn: straightLine(length), candidates: randomCandidates(length, 5, 8) })),
          );
        }
      });

      test('for every size of batch, and wherever in it a candidate is', async () => {
        const { fn, candidates, expected } = caseOf('batches', () => {
          const fn = randomIr(7, { dimension: 3 });
          return { fn, candidates: randomCandidates(5, 1000, 3) };
        });
        const kernel = await open(fn);
        for (const count of [0, 1, 2, 15, 16, 17, 255, 256, 257, 511, 1000]) {
          // Rows from the end backward: the same candidates in other lanes.
          const reversed = new Float64Array(count * 3);
          for (let i = 0; i < count; i++) reversed.set(candidates.subarray(i * 3, i * 3 + 3), (count - 1 - i) * 3);
          const [forward, backward] = [createOutputWithLines(count), createOutputWithLines(count)];
          await kernel.evaluate({ candidates, count, dimension: 3 }, forward);
          await kernel.evaluate(inTiles({ candidates: reversed, count, dimension: 3 }), backward);
          backward.values.reverse();
          backward.status.reverse();
          backward.lines.reverse();
          expect(firstDifference(`first ${count}`, candidates, expected, forward, count)).toBeNull();
          expect(firstDifference(`reversed ${count}`, candidates, expected, backward, count)).toBeNull();
        }
      });
    });
  });
}

/** What no candidate is: some of it leaves quick ways, raises, or never ends. */
const PADDING = [NaN, 0, Infinity, -1e300];

/** The same rows in tiles. What lies behind the last candidate must not matter. */
function inTiles({ candidates, count, dimension }: CandidateBatch): CandidateBatch {
  const tiles = Float64Array.from({ length: tiledLength(count, dimension) }, (_, at) => PADDING[at % PADDING.length]);
  for (let i = 0; i < count; i++) {
    const start = tiledStart(i, dimension);
    for (let k = 0; k < dimension; k++) tiles[start + k * TILE_LANES] = candidates[i * dimension + k]!;
  }
  return { candidates: tiles, layout: 'tiles', count, dimension };
}

const objectiveOf = (ir: IrFunction): Objective => ({
  source: { code: 'lambda x: 0', entry: null, argument: 'list' },
  dimension: ir.dimension,
  ir,
});

/** `op` on all combinations of special values; the argument `constant`, if given, is a constant instead. */
function opCase(op: OpName, constant?: number, isQuick = false): { fn: IrFunction; candidates: Float64Array } {
  const info: OpInfo = OPS[op];
  const arity = info.args.length;
  const how = constant === undefined ? (isQuick ? ' of quick angles' : '') : ` with constant argument ${constant}`;
  const b = new IrBuilder(`${op}${how}`, arity);
  const args = info.args.map((type, k) => {
    const value = k === constant ? b.const([2.5, -3, 0.75][k]) : b.x(k);
    return type === 'bool' ? b.op('lt', value, b.const(1)) : value;
  });
  // Nothing that the op table leaves unspecified may show.
  if (op === 'scale') {
    const magnitude = b.op('abs', args[0]);
    const inside = b.op('and', b.op('le', b.const(2 ** -300), magnitude), b.op('le', magnitude, b.const(2 ** 300)));
    args[0] = b.op('select', inside, args[0], b.const(1.5));
    const exponent = b.op('rint', args[1]);
    args[1] = b.op('select', b.op('le', b.op('abs', exponent), b.const(2044)), exponent, b.const(-7));
  }
  if (isQuick) args[0] = quickAngle(b, args[0]);
  if (op === 'mantissa' || op === 'high') args[0] = b.op('select', b.op('eq', args[0], args[0]), args[0], b.const(1));
  let result: ValueId = b.op(op as 'add', ...args);
  if (info.result === 'bool') result = b.op('select', result, b.const(1), b.const(-0));
  const fn = b.finish(result);
  const values = arity === 3 ? SPECIAL_VALUES.filter((_, k) => k % 4 === 0) : SPECIAL_VALUES;
  const rows: number[][] = values.map((value) => [value]);
  for (let k = 1; k < arity; k++) {
    const shorter = rows.splice(0);
    for (const row of shorter) for (const value of values) rows.push([...row, value]);
  }
  // An interpreted library function is slow; every third pair still meets every value many times.
  const thinned = OPS[op].kind === 'math' && arity === 2 ? rows.filter((_, k) => k % 3 === 0) : rows;
  return { fn, candidates: Float64Array.from(thinned.flat()) };
}

/** A sentence on the first candidate where the two differ, or null. */
function firstDifference(
  what: string,
  candidates: Float64Array,
  expected: EvaluationOutput,
  actual: EvaluationOutput,
  count: number,
  results = 1,
): string | null {
  const [wanted, found] = [expected, actual].map(
    ({ values }) => new BigUint64Array(values.buffer, values.byteOffset, values.length),
  );
  const dimension = expected.status.length === 0 ? 0 : candidates.length / expected.status.length;
  for (let k = 0; k < count * results; k++) {
    const i = Math.floor(k / results);
    if (wanted[k] === found[k] && expected.status[i] === actual.status[i] && expected.lines![i] === actual.lines![i]) {
      continue;
    }
    const row = [...candidates.subarray(i * dimension, (i + 1) * dimension)].map((x) => (Object.is(x, -0) ? '-0' : x));
    const show = (output: EvaluationOutput, bits: BigUint64Array) =>
      `${output.values[k]} (0x${bits[k].toString(16)}), status ${output.status[i]}, line ${output.lines![i]}`;
    return `${what}, row ${i}, result ${k % results} [${row.join(', ')}]: expected ${show(expected, wanted)}, got ${show(actual, found)}`;
  }
  return null;
}
