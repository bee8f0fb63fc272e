/** The fixtures at many points; `EXTREMUM_FUZZ_SEED` chooses others. */
import { expect, test } from 'vitest';
import { compareWithCPython } from '../support/compare-objectives.js';
import { compiledPrograms } from '../support/objective-fixtures.js';
import { findPython } from '../support/python.js';

const seed = Number(process.env['EXTREMUM_FUZZ_SEED'] ?? 1);
const python = findPython('numpy');

test.skipIf(python.command === null)(
  `fixtures agree with CPython at many points${python.command === null ? ` (${python.reason})` : ''}`,
  async () => {
    const { wrong, inside, flagged } = await compareWithCPython(python.command!, compiledPrograms(), 60, seed);
    expect(wrong).toEqual([]);
    expect(flagged / inside).toBeLessThan(0.01);
  },
);
