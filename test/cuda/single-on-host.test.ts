/**
 * Kernels in single precision keep their bounds: compiled for the processor, under the address and undefined behaviour
 * sanitizers. With IEEE arithmetic and no fused products a GPU has the same bits. Every dimension is in
 * `single-on-host.slow.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { analyzeUpload, compileObjective } from '../../src/frontend/compile.js';
import { optimizeIr } from '../../src/passes/pipeline.js';
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

  it('keeps them at numbers below all normal ones, of which it knows no logarithm', async () => {
    const codes = [
      ...['math.log(x[0])', 'math.log(abs(x[0]))', 'math.log(max(x[0], 1e-40))', 'math.log(x[0] * x[1])'],
      ...['math.log(x[0] / x[1])', 'math.log(x[0] - x[1])', 'math.log10(x[0])', 'abs(x[0]) ** 0.3'],
    ];
    const small = [2 ** -149, 2 ** -140, 2 ** -127, 2 ** -126, 2 ** -125, 2 ** -121, 2 ** -120, 2 ** -60, 1, 2 ** 60];
    const batch = Float64Array.from(small.flatMap((a) => small.flatMap((b) => [a, b])));
    const cases = codes.map((code): Case => {
      const { source } = analyzeUpload(`import math\n\ndef f(x):\n    return ${code}\n`, '');
      const { ir } = compileObjective(source!, { dimension: 2, pythonMinor: 12 });
      return { name: code, fn: optimizeIr(ir!), batches: [batch] };
    });
    const { problems, fitting, decided } = await singleFindings(cases);
    expect(problems).toEqual([]);
    expect(fitting).toBe(codes.length);
    expect(decided).toBeGreaterThan(0.2);
  });
});
