/** `extremum optimize` of functions that only CPython carries out. All else of it is in optimize.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPython } from '../support/python.js';
import { extremum, type Outcome } from '../support/run-program.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'extremum-optimize-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, code: string): void => writeFileSync(path.join(folder, name), code);

const python = findPython();
describe.skipIf(python.command === null)(`extremum optimize with CPython ${python.reason}`, () => {
  const env = { PYTHON: python.command ?? 'off', PATH: process.env['PATH'] ?? '', PYTHON_EVALUATION_SECONDS: '1' };
  const optimize = (...args: readonly string[]): Promise<Outcome> =>
    extremum(['optimize', ...args], { cwd: folder, env });

  it('runs what is not compiled, says why with line and column, and keeps its prints to itself', async (context) => {
    write('prints.py', 'import sys\n\ndef f(x):\n    sys.stdout.write("no" + "ise")\n    return x[0] ** 2\n');
    const { code, stdout, stderr } = await optimize('prints.py', '--bounds=-1:2', '--budget', '30');
    if (stderr.includes('is not available')) return context.skip(stderr);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\nRan on {7}cpython \(CPython 3/);
    expect(stdout).toContain('Not compiled, so Python itself was called:\nprints.py:4:5: ');
    expect(stdout).not.toContain('noise');
  });

  it('says why one process alone values candidates that take long, and how several do', async (context) => {
    const why = /\nBy one process: .*imports sys, which may keep something between calls.* --stateless lets several/;
    write(
      'slow.py',
      'import sys\nimport time\n\ndef f(x):\n    time.sleep(0.02)\n    return x[0] ** 2 + len(sys.path)\n',
    );
    const alone = await optimize('slow.py', '--bounds=-1:2', '--budget', '12');
    if (alone.stderr.includes('is not available')) return context.skip(alone.stderr);
    expect(alone.stdout).toMatch(why);
    const told = await optimize('slow.py', '--bounds=-1:2', '--budget', '12', '--stateless');
    expect([told.code, why.test(told.stdout)]).toEqual([0, false]);
  });

  it('ends with code 1 and the Python error where no evaluation gives a number', async (context) => {
    write('fails.py', 'import math\n\ndef f(x):\n    return math.sqrt(-1 - x[0])\n');
    const { code, stdout, stderr } = await optimize('fails.py', '--bounds', '0:1', '--seed', '1');
    if (stderr.includes('is not available')) return context.skip(stderr);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /\d+ of \d+ evaluations gave no number; the first:\nfails\.py:4: ValueError: .*\n {8}return math\.sqrt/,
    );
    expect(stderr).toMatch(/^ValueError: .*all of the first \d+ evaluations failed\n$/);
  });

  it('says what to do where calls give several numbers, or too few', async (context) => {
    write('pair.py', 'def f(x):\n    return x[0], 1 - x[0]\n');
    const pair = await optimize('pair.py', '--bounds', '0:1', '--budget', '60');
    if (pair.stderr.includes('is not available')) return context.skip(pair.stderr);
    expect(pair.code).toBe(1);
    expect(pair.stderr).toMatch(
      /\nThe function must return one number; .* say how many: --objectives N \(2 to 4\)\.\n$/,
    );
    const triple = await optimize('pair.py', '--bounds', '0:1', '--budget', '60', '--objectives', '3');
    expect(triple.stderr).toMatch(
      /\nWith --objectives 3 the function must return 3 numbers, in a tuple, list or array\.\n$/,
    );
  });

  it('stops an evaluation that does not end', async (context) => {
    write('endless.py', 'import sys\n\ndef f(x):\n    while sys.maxsize:\n        pass\n');
    const { code, stderr } = await optimize('endless.py', '--bounds', '0:1', '--budget', '2');
    if (stderr.includes('is not available')) return context.skip(stderr);
    expect([code, stderr]).toEqual([
      1,
      'TimeLimit: the evaluation took longer than 1 s and was stopped; all of the first 2 evaluations failed\n' +
        'To give an evaluation more time: --evaluation-seconds N.\n',
    ]);
  });
});
