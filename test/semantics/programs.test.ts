/** Small programs that hit what is easy to get wrong: CPython, the interpreter and every backend must agree. */
import { describe, expect, test } from 'vitest';
import { compareBackends, compareWithCPython, loadPrograms } from '../support/differential.js';
import { findPython } from '../support/python.js';

const python = findPython('numpy');

const title = `small programs agree with CPython${python.command === null ? ` (${python.reason})` : ''}`;

describe(title, { timeout: 120_000 }, () => {
  test.skipIf(python.command === null)('in every bit, or their candidates are flagged, on every backend', async () => {
    const { comparisons, wrong } = compareWithCPython(python.command ?? '', loadPrograms());
    expect(wrong).toEqual([]);
    expect(await compareBackends(comparisons)).toEqual([]);
  });
});
