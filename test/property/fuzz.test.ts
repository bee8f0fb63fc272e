import { describe, expect, test } from 'vitest';
import { findPython } from '../support/python.js';
import { fuzzRound } from '../support/fuzz-python.js';

const python = findPython('numpy');
const title = python.command === null ? ` (${python.reason})` : '';

/** A bounded sample; `npm run fuzz` goes on for as long as wanted. */
describe(`random programs agree with CPython, and all backends with each other${title}`, () => {
  test.skipIf(python.command === null)('in every bit, with control flow, integers and exceptions', async () => {
    const found = await fuzzRound(python.command ?? '', 'exact', 1, 400, 60);
    expect(found.wrong).toEqual([]);
    // The rest keeps dicts in loops, or gives one list two names, depending on x.
    expect(found.compiled / found.programs).toBeGreaterThan(0.75);
    expect(found.flagged / found.compared).toBeLessThan(0.4);
  });
  test.skipIf(python.command === null)('within rounding, with mathematical functions', async () => {
    const found = await fuzzRound(python.command ?? '', 'smooth', 1, 200, 40);
    expect(found.wrong).toEqual([]);
    expect(found.compiled / found.programs).toBeGreaterThan(0.85);
    expect(found.flagged / found.compared).toBeLessThan(0.3);
  });
});
