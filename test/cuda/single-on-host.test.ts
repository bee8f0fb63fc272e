/**
 * Kernels in single precision keep their bounds: compiled for the processor, under the address and undefined behaviour
 * sanitizers. With IEEE arithmetic and no fused products a GPU has the same bits. Every dimension is in
 * `single-on-host.slow.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { COUNTED_PROGRAMS } from '../conformance/counted-programs.js';
import { PROGRAMS } from '../conformance/ir-programs.js';
import { caseOf, type Case } from '../support/cuda/against-interpreter.js';
import { smallestKernelPrograms } from '../support/cuda/kernel-programs.js';
import { singleFindings } from '../support/cuda/single-on-host.js';
import { missingProgram } from '../support/programs.js';
import { randomCandidates, randomIr } from '../support/random-ir.js';

const missing = missingProgram('g++', 'g++');
describe.skipIf(missing !== '')(`single precision on the processor${missing && `: ${missing}`}`, () => {
  it('keeps its bounds on fixtures and examples', { timeout: 600_000 }, async () => {
    const { problems, refused, fitting, decided } = await singleFindings(smallestKernelPrograms().map(caseOf));
    expect(problems).toEqual([]);
    expect(refused).toEqual(['examples/gamma_likelihood.py: single precision has no form of `lgamma`']);
    expect(fitting).toBeGreaterThan(200);
    // A fifth of the candidates has coordinates that make trouble.
    expect(decided).toBeGreaterThan(0.65);
  });

  it('keeps them on the programs of the conformance suite, and on random ones', { timeout: 300_000 }, async () => {
    const random = Array.from({ length: 80 }, (_, seed) => seed + 1);
    const programs = [
      ...Object.entries({ ...PROGRAMS, ...COUNTED_PROGRAMS }).map(([name, build]) => [name, build()] as const),
      ...random.map((seed) => [`random ${seed}`, randomIr(seed)] as const),
      ...random.map((seed) => [`counted ${seed}`, randomIr(seed, { counted: true, statements: 12 })] as const),
    ];
    const cases = programs.map(([name, fn]): Case => ({ name, fn, batches: [randomCandidates(11, 90, fn.dimension)] }));
    const { problems, fitting } = await singleFindings(cases);
    expect(problems).toEqual([]);
    // Others take the bits of a double apart.
    expect(fitting).toBeGreaterThan(40);
  });
});
