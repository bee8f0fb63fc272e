/** A few of the programs that `npm run fuzz:python` writes; worker processes load `dist/`. */
import { describe, expect, test } from 'vitest';
import { toHex } from '../support/cpython-oracle.js';
import { Comparer } from '../support/ordinary-python/compare.js';
import { feasibilityProgram } from '../support/ordinary-python/feasibility.js';
import { fuzzOrdinary, jobOf, type FuzzOptions } from '../support/ordinary-python/fuzz.js';
import { ordinaryProgram } from '../support/ordinary-python/program.js';
import { shrink } from '../support/ordinary-python/shrink.js';
import { findPython } from '../support/python.js';

const python = findPython('numpy');
const title = `programs as people write them${python.command === null ? ` (${python.reason})` : ''}`;

describe.skipIf(python.command === null)(title, { timeout: 180_000 }, () => {
  const command = python.command ?? '';
  const fuzz = async (options: Partial<FuzzOptions>): Promise<readonly string[]> => {
    const found: string[] = [];
    const rest = { seconds: Infinity, shrunk: 5, without: [], provesEvery: 0, report: () => undefined };
    await fuzzOrdinary(command, {
      mode: 'ordinary',
      seed: 1,
      count: 1,
      ...rest,
      found: (t) => found.push(t),
      ...options,
    });
    return found;
  };
  test('get the values of CPython', async () => {
    expect(await fuzz({ seed: 200_001, count: 40 })).toEqual([]);
  });
  test('with checks and penalties get no wrong value and no wrong proof', async () => {
    expect(await fuzz({ mode: 'feasibility', seed: 20_001, count: 40, provesEvery: 4 })).toEqual([]);
  });
  test('that are rewritten give the same in CPython', async () => {
    const comparer = new Comparer(command);
    try {
      for (let seed = 1; seed <= 12; seed++) {
        const { code } = ordinaryProgram(seed);
        const [{ argument, points }] = jobOf(ordinaryProgram(seed), seed).calls;
        const calls = [{ argument, points: points.map((p) => p.map(toHex)) }];
        const { forms } = (await comparer.rewriter.ask({ code, seed })) as { forms: [string, string][] };
        const values = async (text: string): Promise<unknown> => {
          const answer = await comparer.scan({ id: 0, code: text, entry: 'f', calls, seconds: 20 });
          const { results } = answer as { results: (readonly string[])[][] };
          return results[0].map((entry) => (entry[0] === 'value' ? entry[1] : 'error'));
        };
        const expected = await values(code);
        for (const [name, text] of forms)
          expect(await values(text), `seed ${seed}, ${name}\n${text}`).toEqual(expected);
      }
    } finally {
      await comparer.close();
    }
  });
  test('that are wrong are found and made small', async () => {
    const comparer = new Comparer(command);
    try {
      // Meant for an array, and read as a list: the same kind of finding as x of the wrong kind.
      const code =
        'import math\ndef g(a):\n    return a + 1.0\ndef f(x):\n    y = 3.0\n    z = [y, g(y)]\n    return z[1] if type(x[0]) is float else x[0]\n';
      const calls = [{ argument: 'ndarray', dimension: 2, points: [[1, 2]] }] as const;
      const [finding] = await comparer.check({ code, calls, argument: 'ndarray', isExact: true });
      expect(finding.kind).toBe('argument');
      const small = await shrink(comparer, finding);
      expect(small.finding.kind).toBe('argument');
      expect(small.finding.code.length).toBeLessThan(code.length / 2);
    } finally {
      await comparer.close();
    }
  });
});

test('a seed decides what is written', () => {
  expect(ordinaryProgram(7)).toEqual(ordinaryProgram(7));
  expect(ordinaryProgram(7).code).not.toBe(ordinaryProgram(8).code);
  expect(feasibilityProgram(7)).toEqual(feasibilityProgram(7));
});
