/**
 * The text of CUDA kernels gives the interpreter's bits: compiled for the processor, under the address and undefined
 * behaviour sanitizers. What it does not show: how a GPU's compiler and arithmetic take it (see `nvrtc.test.ts`). Every
 * dimension, and the longest kernels, are in `kernels-on-host.slow.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { verifyIr } from '../../src/ir/verifier.js';
import { COUNTED_PROGRAMS } from '../conformance/counted-programs.js';
import { PROGRAMS, straightLine } from '../conformance/ir-programs.js';
import { caseOf, differences, type Case } from '../support/cuda/against-interpreter.js';
import { derivedCases } from '../support/cuda/derived-cases.js';
import { smallestKernelPrograms } from '../support/cuda/kernel-programs.js';
import { missingProgram } from '../support/programs.js';
import { randomCandidates, randomIr } from '../support/random-ir.js';

const missing = missingProgram('g++', 'g++');
describe.skipIf(missing !== '')(`kernels on the processor${missing && `: ${missing}`}`, () => {
  it("give the interpreter's bits for fixtures and examples", { timeout: 600_000 }, async () => {
    const programs = smallestKernelPrograms();
    expect(programs.length).toBeGreaterThan(200);
    expect(await differences(programs.map(caseOf))).toEqual([]);
  });

  it(
    'give them for gradients, bounds over boxes and all that is derived from objectives',
    { timeout: 300_000 },
    async () => {
      const programs = smallestKernelPrograms().filter((_, k) => k % 8 === 0);
      const cases = (await Promise.all(programs.map((program) => derivedCases(program, 1_500)))).flat();
      for (const reading of ['gradient', 'bounds', 'terms', 'residuals', 'tangents', 'envelope', 'switches']) {
        expect(cases.filter(({ name }) => name.endsWith(reading)).length, reading).toBeGreaterThan(0);
      }
      expect(await differences(cases)).toEqual([]);
    },
  );

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
