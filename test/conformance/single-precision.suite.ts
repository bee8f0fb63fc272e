/**
 * The suite of backends in single precision, whose values are within `RELATIVE_ERROR` of those in double precision, or
 * `UNDECIDED`. Values that do not count are looked at, too: each lies within the bound that was computed for it.
 */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOutput,
  isWithin,
  RELATIVE_ERROR,
  UNDECIDED,
  type Approximation,
  type Backend,
  type EvaluationOutput,
  type Objective,
} from '../../src/backends/backend.js';
import { JavaScriptBackend } from '../../src/backends/javascript/javascript-backend.js';
import type { SingleKernel } from '../../src/backends/single-precision/single-kernel.js';
import type { Tfjs } from '../../src/backends/tfjs/tensor-lanes.js';
import { ExtremumError } from '../../src/common/errors.js';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { resultsOf, type IrFunction } from '../../src/ir/types.js';
import type { CandidateBatch } from '../../src/model/candidate-batch.js';
import { toTiles } from '../../src/model/tiles.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
import { interpretAll } from '../support/compiled-backends.js';
import { compiledPrograms, corners } from '../support/objective-fixtures.js';
import { randomCandidates, randomIr, seededRandom } from '../support/random-ir.js';
import { COUNTED_PROGRAMS } from './counted-programs.js';
import { PROGRAMS } from './ir-programs.js';

interface Case {
  readonly name: string;
  readonly ir: IrFunction;
  readonly points: readonly (readonly number[])[];
  readonly expected: EvaluationOutput;
}

export interface Expectations {
  /** Which fixtures: few or some, in their fewest dimensions, or all, and what does not fit is printed. */
  readonly of: 'few' | 'some' | 'all';
  /** How many of them must fit at least. */
  readonly fitting: number;
  /** Share of their candidates that single precision must decide at least. */
  readonly decided: number;
}

const objectiveOf = (ir: IrFunction): Objective => ({
  source: { code: 'lambda x: 0', entry: null, argument: 'list' },
  dimension: ir.dimension,
  ir,
});

const caseOf = (name: string, ir: IrFunction, points: readonly (readonly number[])[]): Case => ({
  name,
  ir,
  points,
  expected: interpretAll(ir, points),
});

/** Of the fixtures, one in so many. */
const ONE_IN = { few: 40, some: 8 };

const fixtures = new Map<Expectations['of'], readonly Case[]>();

/** Shared by all backends: making them takes longer than evaluating them. */
function fixtureCases(of: Expectations['of']): readonly Case[] {
  let cases = fixtures.get(of);
  if (cases === undefined) {
    const all = compiledPrograms();
    const fewest = all.filter(({ code }, k) => all[k - 1]?.code !== code);
    const programs = of === 'all' ? all : fewest.filter((_, k) => k % ONE_IN[of] === 0);
    cases = programs.map(({ name, code, dimension, bounds }) => {
      const { source } = analyzeUpload(code, 'objective');
      const box = {
        lower: Float64Array.from(bounds, ([lower]) => lower),
        upper: Float64Array.from(bounds, ([, upper]) => upper),
      };
      const { ir } = compileObjective(source!, { dimension, bounds: box, pythonMinor: 11 });
      const random = seededRandom(dimension);
      const inside = Array.from({ length: 8 }, () => bounds.map(([low, high]) => low + random() * (high - low)));
      return caseOf(name, optimizeIr(ir!), [...inside, ...corners(bounds)]);
    });
    fixtures.set(of, cases);
  }
  return cases;
}

const rowsOf = (flat: Float64Array, dimension: number): number[][] =>
  Array.from({ length: flat.length / dimension }, (_, i) => [...flat.subarray(i * dimension, (i + 1) * dimension)]);

/** With checks, branches, loops, arrays and every operation, at special numbers, too. */
const programCases = (random: number): readonly Case[] =>
  [
    ...Object.entries({ ...PROGRAMS, ...COUNTED_PROGRAMS }).map(([name, build]) => [name, build()] as const),
    ...Array.from({ length: random }, (_, seed) => [`random ${seed}`, randomIr(seed)] as const),
    ...Array.from({ length: random }, (_, seed) => [`counted ${seed}`, randomIr(seed, { counted: true })] as const),
  ].map(([name, ir]) => caseOf(name, ir, rowsOf(randomCandidates(7, 40, ir.dimension), ir.dimension)));

/** What is not as it must be; null: nothing. */
function problemOf({ ir, expected }: Case, found: EvaluationOutput, { values, errors }: Approximation): string | null {
  const results = resultsOf(ir);
  for (let at = 0; at < expected.values.length; at++) {
    const row = Math.floor(at / results);
    const exact = expected.values[at];
    const isDecided = found.status[row] === 0;
    if (!isDecided && found.status[row] !== UNDECIDED) return `row ${row}: status ${found.status[row]}`;
    if (isDecided !== !Number.isNaN(found.values[at])) return `row ${row}: ${found.values[at]}, decided: ${isDecided}`;
    if (isDecided && expected.status[row] !== 0) return `row ${row}: no status for ${expected.status[row]}`;
    const allowed = RELATIVE_ERROR * Math.abs(found.values[at]);
    if (isDecided && !(Math.abs(found.values[at] - exact) <= allowed)) {
      return `row ${row}: ${found.values[at]} for ${exact}`;
    }
    if (!isWithin(values[at], errors[at], exact)) {
      return `row ${row}: ${values[at]} for ${exact}, which is not within ${errors[at]}`;
    }
  }
  return null;
}

/** Not for a value that was wrong when the kernel was tried. */
const isWellRefused = (reason: string): boolean =>
  reason.includes('does not take this objective: ') && !reason.includes('which is not within');

export function describeSingleBackend(name: string, create: () => Backend, expectations: Expectations): void {
  describe(name, () => {
    let backend: Backend;
    let missing: string | undefined;
    beforeAll(async () => {
      backend = create();
      const availability = await backend.probe();
      if (!availability.available) missing = availability.reason;
    });
    afterAll(() => backend.close());

    const test = (title: string, body: () => Promise<void>) =>
      it(title, async (context) => {
        if (missing !== undefined) context.skip(missing);
        await body();
      });

    /** Problems, reasons of the programs that do not fit, and the share of candidates that are decided. */
    async function check(cases: readonly Case[]) {
      const problems: string[] = [];
      const refusals = new Map<string, string>();
      let [decided, all] = [0, 0];
      for (const each of cases) {
        const { ir, points } = each;
        let kernel: SingleKernel;
        try {
          kernel = (await backend.open(objectiveOf(ir))) as SingleKernel;
        } catch (error) {
          if (!(error instanceof ExtremumError) || error.code !== 'backend_unavailable') throw error;
          refusals.set(each.name, error.message);
          continue;
        }
        const batch = { candidates: Float64Array.from(points.flat()), count: points.length, dimension: ir.dimension };
        const output = createOutput(batch.count, resultsOf(ir));
        await kernel.evaluate(inTiles(batch), output);
        const problem = problemOf(each, output, await kernel.approximate(batch));
        if (problem !== null) problems.push(`${each.name}, ${problem}`);
        all += batch.count;
        decided += output.status.filter((status) => status === 0).length;
        await kernel.close();
      }
      return { problems, refusals, fitting: cases.length - refusals.size, decided: decided / all };
    }

    test('keeps its bounds on every fixture that fits', async () => {
      const cases = fixtureCases(expectations.of);
      const { problems, refusals, fitting, decided } = await check(cases);
      if (expectations.of === 'all') {
        console.log(`${name}: ${fitting} of ${cases.length} fixtures fit, ${decided.toFixed(3)} of candidates decided`);
        console.log([...refusals].map(([each, why]) => `  ${each}: ${why}`).join('\n'));
      }
      expect(problems).toEqual([]);
      expect(fitting).toBeGreaterThanOrEqual(expectations.fitting);
      expect(decided).toBeGreaterThanOrEqual(expectations.decided);
      expect([...refusals].filter(([, why]) => !isWellRefused(why))).toEqual([]);
    });

    test('keeps its bounds on programs with checks, branches and loops, at any numbers', async () => {
      const { problems, refusals, fitting } = await check(programCases(expectations.of === 'all' ? 60 : 20));
      expect(problems).toEqual([]);
      expect([...refusals].filter(([, why]) => !isWellRefused(why))).toEqual([]);
      expect(fitting).toBeGreaterThan(20);
    });

    test('does not take a source without IR', async () => {
      await expect(backend.open({ ...objectiveOf(PROGRAMS.sphere()), ir: null })).rejects.toMatchObject({
        code: 'objective_rejected',
      });
    });
  });
}

/**
 * Whether each value of a population is the JavaScript backend's within `RELATIVE_ERROR`, and how many are undecided.
 */
export async function comparePopulation(backend: Backend, ir: IrFunction, count: number) {
  const { dimension } = ir;
  const random = seededRandom(count);
  const rows = {
    candidates: Float64Array.from({ length: count * dimension }, () => 4 * random() - 2),
    count,
    dimension,
  };
  const [found, exact] = [createOutput(count), createOutput(count)];
  const [single, double] = [await backend.open(objectiveOf(ir)), await new JavaScriptBackend().open(objectiveOf(ir))];
  await single.evaluate(inTiles(rows), found);
  await double.evaluate(rows, exact);
  await Promise.all([single.close(), double.close()]);
  const isNear = (value: number, k: number) =>
    found.status[k] === UNDECIDED || Math.abs(value - exact.values[k]) <= RELATIVE_ERROR * Math.abs(value);
  const undecided = found.status.filter((status) => status !== 0).length;
  return { isNear: found.values.every(isNear), undecided };
}

/** 5, and a step of an unknown number times a zero that is none in double precision, which gives 106,869. */
export const LOST = `import numpy as np
def objective(x):
    return 5.0 + np.floor(np.exp(1e8 * x[0] - 1e7) * (x[1] - 0.5))`;
export const LOST_AT = [0.1000003, 0.50000001];

/** One value and its bound. */
export async function valueAt(backend: Backend, code: string, point: readonly number[]) {
  const { source } = analyzeUpload(code, 'objective');
  const { ir } = compileObjective(source!, { dimension: point.length, pythonMinor: 11 });
  const kernel = (await backend.open(objectiveOf(optimizeIr(ir!)))) as SingleKernel;
  const batch = { candidates: Float64Array.from(point), count: 1, dimension: point.length };
  const { values, errors } = await kernel.approximate(batch);
  await kernel.close();
  return { value: values[0], error: errors[0] };
}

/** Twice: another thread frees the arrays of the first collection, and the second waits for it. */
const collect = (): void => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  gc();
};

/** What is in use now: of JavaScript, and of arrays and WebAssembly. */
function bytesInUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Far below what one number kept of each batch would take. */
const BYTES_PER_BATCH = 100;

/** What is kept of batches is kept each time; what others in this process keep meanwhile, once. */
const ROUNDS = 3;

/** How many bytes more there are after `batches` than before, for each batch: the least of some rounds. */
export async function checkMemory(backend: Backend, batches: number): Promise<void> {
  const kernel = await backend.open(objectiveOf(PROGRAMS.sphere()));
  const batch = inTiles({ candidates: new Float64Array(128).fill(3), count: 64, dimension: 2 });
  const output = createOutput(64);
  const run = async (count: number): Promise<void> => {
    for (let k = 0; k < count; k++) await kernel.evaluate(batch, output);
  };
  await run(batches / 10);
  let least = Infinity;
  for (let round = 0; round < ROUNDS && least >= BYTES_PER_BATCH; round++) {
    const before = bytesInUse();
    await run(batches);
    least = Math.min(least, (bytesInUse() - before) / batches);
  }
  expect(least).toBeLessThan(BYTES_PER_BATCH);
  expect(output.values.every((value) => value === 18)).toBe(true);
  await kernel.close();
}

/** Whether tfjs has as many tensors and bytes after `batches` as after one. */
export async function checkTensors(backend: Backend, batches: number): Promise<void> {
  const tf = createRequire(import.meta.url)('@tensorflow/tfjs-core') as Tfjs;
  const kernel = await backend.open(objectiveOf(PROGRAMS.sphere()));
  const batch = inTiles({ candidates: new Float64Array(128).fill(3), count: 64, dimension: 2 });
  const output = createOutput(64);
  await kernel.evaluate(batch, output);
  const before = tf.memory();
  for (let k = 0; k < batches; k++) await kernel.evaluate(batch, output);
  const { numTensors, numBytes } = tf.memory();
  expect({ numTensors, numBytes }).toEqual({ numTensors: before.numTensors, numBytes: before.numBytes });
  expect(output.values.every((value) => value === 18)).toBe(true);
  await kernel.close();
}

function inTiles({ candidates, count, dimension }: CandidateBatch): CandidateBatch {
  return { candidates: toTiles(candidates, count, dimension), layout: 'tiles', count, dimension };
}
