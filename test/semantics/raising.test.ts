/**
 * Statements that raise in CPython raise the same class in compiled code, or their source steps aside; others do not
 * raise.
 */
import { describe, expect, test } from 'vitest';
import { findPython } from '../support/python.js';
import { compareRaising } from '../support/raising.js';
import { raisingStatements, sampleOf } from '../support/raising-statements.js';

const python = findPython('numpy');
const title = `statements that raise${python.command === null ? ` (${python.reason})` : ''}`;

describe(title, { timeout: 120_000 }, () => {
  test.skipIf(python.command === null)('take the except clause that they take in CPython', () => {
    const { raising, compiled, wrong } = compareRaising(python.command ?? '', sampleOf(raisingStatements(), 800));
    expect(wrong).toEqual([]);
    expect(raising).toBeGreaterThan(1_500);
    // Most could step aside, but not all of them.
    expect(compiled).toBeGreaterThan(400);
  });
});
