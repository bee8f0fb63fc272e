/**
 * The text of CUDA kernels gives the interpreter's bits: compiled for the processor, under the address and undefined
 * behaviour sanitizers. What it does not show: how a GPU's compiler and arithmetic take it (see `nvrtc.test.ts`).
 */
import { describe, expect, it } from 'vitest';
import type { EvaluationOutput } from '../../src/backends/backend.js';
import type { IrFunction } from '../../src/ir/types.js';
import { resultsOf } from '../../src/ir/types.js';
import { verifyIr } from '../../src/ir/verifier.js';
import { COUNTED_PROGRAMS } from '../conformance/counted-programs.js';
import { PROGRAMS, straightLine } from '../conformance/ir-programs.js';
import { interpretAll } from '../support/compiled-backends.js';
import { runOnHost } from '../support/cuda/host-kernels.js';
import { kernelPrograms } from '../support/cuda/kernel-programs.js';
import { missingProgram } from '../support/programs.js';
import { randomCandidates, randomIr, seededRandom, SPECIAL_VALUES } from '../support/random-ir.js';

const missing = missingProgram('g++', 'g++');
const EXACT = { precision: 'f64', math: 'exact' } as const;

interface Case {
  readonly name: string;
  readonly fn: IrFunction;
  readonly batches: readonly Float64Array[];
}

function rowsOf(candidates: Float64Array, dimension: number): number[][] {
  return Array.from({ length: candidates.length / dimension }, (_, i) => [
    ...candidates.subarray(i * dimension, (i + 1) * dimension),
  ]);
}

/** One line for each case that differs from the interpreter. */
async function differences(cases: readonly Case[]): Promise<string[]> {
  const found = await runOnHost(cases, EXACT);
  return cases.flatMap(({ name, fn, batches }, k) =>
    batches.flatMap((batch, b) => {
      const rows = rowsOf(batch, fn.dimension);
      const different = firstDifference(interpretAll(fn, rows), found[k][b], resultsOf(fn));
      return different === null
        ? []
        : [`${name}, ${rows.length} candidates, at [${rows[different.row]}]: ${different.what}`];
    }),
  );
}

function firstDifference(
  wanted: EvaluationOutput,
  found: EvaluationOutput,
  width: number,
): { row: number; what: string } | null {
  const bits = ({ values }: EvaluationOutput) => new BigUint64Array(values.buffer);
  const [mine, theirs] = [bits(found), bits(wanted)];
  for (let k = 0; k < mine.length; k++) {
    const row = Math.floor(k / width);
    const show = (output: EvaluationOutput, all: BigUint64Array) =>
      `${output.values[k]} (0x${all[k].toString(16)}), status ${output.status[row]}, line ${output.lines![row]}`;
    const [f, w] = [show(found, mine), show(wanted, theirs)];
    if (f !== w) return { row, what: `${f}, the interpreter ${w}` };
  }
  return null;
}

describe.skipIf(missing !== '')(`kernels on the processor${missing && `: ${missing}`}`, () => {
  it("give the interpreter's bits for every fixture and example", { timeout: 600_000 }, async () => {
    const random = seededRandom(1);
    const cases = kernelPrograms().map(({ name, fn, bounds }): Case => {
      const inside = Array.from({ length: 12 }, () => bounds.map(([low, high]) => low + random() * (high - low)));
      const special = Array.from({ length: 3 }, () =>
        bounds.map(() => SPECIAL_VALUES[Math.floor(random() * SPECIAL_VALUES.length)]),
      );
      return { name, fn, batches: [Float64Array.from([...inside, ...special].flat())] };
    });
    expect(await differences(cases)).toEqual([]);
  });

  it('give them for the programs of the conformance suite', { timeout: 300_000 }, async () => {
    const all = { ...PROGRAMS, ...COUNTED_PROGRAMS };
    const cases = Object.entries(all).map(([name, program]): Case => {
      const fn = program();
      return { name, fn, batches: [randomCandidates(11, 90, fn.dimension)] };
    });
    for (const length of [1_300, 6_000, 10_000]) {
      cases.push({ name: `long ${length}`, fn: straightLine(length), batches: [randomCandidates(length, 5, 8)] });
    }
    expect(await differences(cases)).toEqual([]);
  });

  it('give them for random programs, and for every count', { timeout: 300_000 }, async () => {
    const cases: Case[] = [];
    for (let seed = 1; seed <= 60; seed++) {
      const fn = randomIr(seed, seed % 2 === 0 ? {} : { counted: true, statements: 12 });
      expect(verifyIr(fn)).toEqual([]);
      cases.push({ name: `random ${seed}`, fn, batches: [randomCandidates(seed + 1000, 30, fn.dimension)] });
    }
    const fn = randomIr(7, { dimension: 3 });
    const all = randomCandidates(5, 1000, 3);
    const batches = [1, 63, 64, 65, 1000].map((count) => all.slice(0, 3 * count));
    cases.push({ name: 'counts', fn, batches });
    expect(await differences(cases)).toEqual([]);
  });
});
