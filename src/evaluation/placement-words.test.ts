import { expect, test } from 'vitest';
import {
  describeMisreading,
  interpretedReason,
  misreadNotRunnable,
  misreadReason,
  movedFromFlagged,
  movedFromLost,
  notInterpretable,
  notRunnable,
  reasonAtEnd,
  usedCompiledCode,
  usedPython,
} from './placement-words.js';

const untranslated = { kind: 'unsupported', message: 'no `while` here', line: 3, column: 5 } as const;
const raises = { kind: 'objective', message: 'it raises ValueError', line: 2, column: 1 } as const;
const misreading = { point: [1, 2], compiled: [3], cpython: [4], evaluation: 7, message: '' };

test('a source in CPython: the first reason, with its line', () => {
  expect(interpretedReason([untranslated, raises])).toBe('the source needs CPython (line 3: no `while` here)');
  expect(interpretedReason([raises])).toBe('the source goes to CPython (line 2: it raises ValueError)');
  expect(interpretedReason([])).toBe('the source needs CPython');
  expect(interpretedReason(misreadReason(misreading).reasons)).toBe(describeMisreading(misreading));
});

test('a source that nobody can run: what is missing, and why', () => {
  const why = 'the source needs CPython';
  expect(notInterpretable(why, 'no python3')).toBe('the source needs CPython, which is not available: no python3.');
  expect(notInterpretable(why, null)).toBe('the source needs CPython, which is not available.');
  expect(notRunnable(untranslated, 'no python3')).toBe(
    'This function needs CPython (line 3: no `while` here), which is not available: no python3.',
  );
  expect(notRunnable(raises, 'no python3')).toBe(
    'This function was not compiled (line 2: it raises ValueError). CPython, which would show the exception, is not available: no python3.',
  );
  expect(notRunnable(undefined, 'no python3')).toBe('This function needs CPython, which is not available: no python3.');
  expect(misreadNotRunnable(misreading, 'no python3')).toBe(
    'This function needs CPython: compiled code misreads the source, so CPython evaluates it: at [1, 2] compiled code gave 3, ' +
      'CPython gives 4. It is not available: no python3.',
  );
});

test('a run that moved: from where, why, and after which reason', () => {
  expect(movedFromLost('native', 'cpython', 'it died')).toBe('native was lost, so the run moved to cpython: it died');
  const move = movedFromFlagged('native', 'cpython', 0.951, 200);
  expect(move).toBe('95 % of 200 candidates on native needed cpython, so the run moved there');
  expect(reasonAtEnd('chosen', '', null)).toBe('chosen');
  expect(reasonAtEnd('chosen', '', move)).toBe(`chosen; ${move}`);
  expect(reasonAtEnd('chosen', 'all went there', move)).toBe(`chosen; all went there; ${move}`);
});

test('where values came from', () => {
  const use = (...tiers: string[]): Parameters<typeof usedPython>[0] => ({
    tiers: Object.fromEntries(tiers.map((tier) => [tier, 1])),
    flagged: {},
    reevaluated: 0,
  });
  expect([usedPython(use('cpython')), usedCompiledCode(use('cpython'))]).toEqual([true, false]);
  expect([usedPython(use('native-code')), usedCompiledCode(use('native-code'))]).toEqual([false, true]);
  expect([usedPython(use('cpython', 'wasm')), usedCompiledCode(use('cpython', 'wasm'))]).toEqual([true, true]);
  expect([usedPython(use()), usedCompiledCode(use())]).toEqual([false, false]);
});
