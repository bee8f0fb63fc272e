/** As `single-on-host.test.ts`: every fixture at each of its dimensions, optimised by g++. */
import { describe, expect, it } from 'vitest';
import { caseOf } from '../support/cuda/against-interpreter.js';
import { kernelPrograms } from '../support/cuda/kernel-programs.js';
import { singleFindings } from '../support/cuda/single-on-host.js';
import { missingProgram } from '../support/programs.js';

const missing = missingProgram('g++', 'g++');

describe.skipIf(missing !== '')(`single precision on the processor${missing && `: ${missing}`}`, () => {
  it('keeps its bounds on every fixture and example', { timeout: 1_800_000 }, async () => {
    const { problems, refused, fitting, decided } = await singleFindings(kernelPrograms().map(caseOf), '-O1');
    console.log(`${fitting} fit, ${decided.toFixed(3)} of their candidates are decided`);
    console.log(refused.join('\n'));
    expect(problems).toEqual([]);
    expect(fitting).toBeGreaterThan(400);
  });
});
