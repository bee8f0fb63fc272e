/** As `kernels-on-host.test.ts`: every fixture at each of its dimensions, optimised by g++. Takes three minutes. */
import { describe, expect, it } from 'vitest';
import { caseOf, differences } from '../support/cuda/against-interpreter.js';
import { derivedCases } from '../support/cuda/derived-cases.js';
import { kernelPrograms, smallestKernelPrograms } from '../support/cuda/kernel-programs.js';
import { missingProgram } from '../support/programs.js';

const missing = missingProgram('g++', 'g++');

describe.skipIf(missing !== '')(`kernels on the processor${missing && `: ${missing}`}`, () => {
  it("give the interpreter's bits for every fixture and example", { timeout: 1_800_000 }, async () => {
    expect(await differences(kernelPrograms().map(caseOf), '-O1')).toEqual([]);
  });

  it('give them for all that is derived from objectives', { timeout: 1_800_000 }, async () => {
    const cases = await Promise.all(smallestKernelPrograms().map((program) => derivedCases(program, 10_000)));
    expect(await differences(cases.flat())).toEqual([]);
  });
});
