import { describe, expect, test } from 'vitest';
import { findPython } from '../support/python.js';
import { fuzzRound } from '../support/fuzz-python.js';

const python = findPython('numpy');
const title = python.command === null ? ` (${python.reason})` : '';

/**
 * A bounded sample, with loops rolled where that pays and wherever it can be; `npm run fuzz` goes on for as long as
 * wanted.
 */
describe(`random programs agree with CPython, and all backends with each other${title}`, { timeout: 120_000 }, () => {
  test.skipIf(python.command === null)('in every bit, with control flow, integers and exceptions', async () => {
    const found = await fuzzRound(python.command ?? '', 'exact', 1, 200, 30);
    expect(found.wrong).toEqual([]);
    // The rest keeps dicts in loops, or gives one list two names, depending on x.
    expect(found.compiled / found.programs).toBeGreaterThan(0.75);
    expect(found.flagged / found.compared).toBeLessThan(0.4);
    expect(found.derived).toBeGreaterThan(12);
  });
  test.skipIf(python.command === null)('within rounding, with mathematical functions', async () => {
    const found = await fuzzRound(python.command ?? '', 'smooth', 1, 100, 20);
    expect(found.wrong).toEqual([]);
    expect(found.compiled / found.programs).toBeGreaterThan(0.85);
    expect(found.flagged / found.compared).toBeLessThan(0.3);
  });
});
