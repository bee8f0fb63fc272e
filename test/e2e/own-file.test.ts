/** A file of the user's own on the command line: what it may read, what is refused and which flag lifts that. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';
import { findPython } from '../support/python.js';
import { extremum, type Outcome } from '../support/run-program.js';

const python = findPython();
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'extremum-own-file-')));
  mkdirSync(path.join(root, 'work'));
  write('work/data.csv', '1\n2\n');
  write('work/sibling.py', 'def offset():\n    return 0.5\n');
  write('work/model.py', MODEL);
  write('other.csv', '4\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const MODEL = `
import os
import sibling
data = [float(line) for line in open(os.path.join(os.path.dirname(__file__), 'data.csv'))]
def f(x):
    late = [float(line) for line in open('data.csv')]
    return (x[0] - sum(data)) ** 2 + sibling.offset() + sum(late)
`;
const READS_OTHER = 'def f(x):\n    return x[0] ** 2 + float(open("../other.csv").read())\n';
const RUNS = `import subprocess
def f(x):
    return x[0] ** 2 + float(subprocess.run(['echo', '4'], capture_output=True, text=True).stdout)
`;
const LOADS_OTHER = 'data = float(open("../other.csv").read())\ndef f(x):\n    return x[0] ** 2 + data\n';

const write = (name: string, text: string): void => writeFileSync(path.join(root, name), text);
const env = { PYTHON: python.command ?? 'off', PATH: process.env['PATH'] ?? '' };
const run = (args: readonly string[], cwd = path.join(root, 'work')): Promise<Outcome> => extremum(args, { cwd, env });
const optimize = (file: string, ...args: string[]): Promise<Outcome> =>
  run(['optimize', file, '--bounds=-5:5', '--budget', '40', '--seed', '1', '--json', ...args]);
const best = ({ stdout }: Outcome): unknown => (JSON.parse(stdout) as { best_fitness: unknown }).best_fitness;

describe.skipIf(python.command === null)(`a file of one's own ${python.reason}`, () => {
  it('reads the data and the modules beside it, wherever the command is given', async () => {
    const here = await optimize('model.py');
    expect([here.code, here.stderr]).toEqual([0, '']);
    expect(best(here)).toBeCloseTo(3.5, 6);
    const args = ['optimize', 'work/model.py', '--bounds=-5:5', '--budget', '40', '--seed', '1', '--json'];
    expect(best(await run(args, root))).toBe(best(here));
  });

  it('is told which rule refused it and which flag lifts that', async () => {
    write('work/reads.py', READS_OTHER);
    const refused = await optimize('reads.py');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('PermissionError: ');
    expect(refused.stderr).toContain(
      `The sandbox refuses that: the objective may read ${path.join(root, 'work')}, and`,
    );
    expect(refused.stderr).toMatch(/--allow-read PATH; .*: --unsandboxed\.\n$/);
    expect(best(await optimize('reads.py', '--allow-read', root))).toBeCloseTo(4, 6);
    expect(best(await optimize('reads.py', '--allow-read', '../other.csv'))).toBeCloseTo(4, 6);
    expect(best(await optimize('reads.py', '--unsandboxed'))).toBeCloseTo(4, 6);
  });

  it('is told so for its module level, too, also by the comparison of strategies', async () => {
    write('work/loads.py', LOADS_OTHER);
    const refused = await optimize('loads.py');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('\nThe sandbox refuses that: ');
    const compare = ['bench', 'file', 'loads.py', '--bounds=-5:5', '--budget', '20', '--repetitions', '2'];
    const some = ['--strategies', 'random-search'];
    expect(await run([...compare, ...some])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The sandbox refuses that: ') as string,
    });
    expect(await run([...compare, ...some, '--allow-read', root])).toMatchObject({ code: 0 });
  });

  it('starts other programs where it is not confined', async () => {
    write('work/runs.py', RUNS);
    expect((await optimize('runs.py')).stderr).toContain('The sandbox refuses that: ');
    expect(best(await optimize('runs.py', '--unsandboxed'))).toBeCloseTo(4, 6);
  });

  it('has the memory of its shell where it is not confined', async () => {
    const limit = 'import resource\ndef f(x):\n    return float(resource.getrlimit(resource.RLIMIT_AS)[0] // 2**20)\n';
    write('work/limit.py', limit);
    const args = ['optimize', 'limit.py', '--bounds=-5:5', '--budget', '1', '--json', '--unsandboxed'];
    const entry = distEntry('cli/main');
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-c', 'ulimit -v 204800000; exec "$@"', '-', process.execPath, entry, ...args],
      { cwd: path.join(root, 'work'), env },
    );
    expect((JSON.parse(stdout) as { best_fitness: unknown }).best_fitness).toBe(200_000);
  });

  it('gets the time for an evaluation that was asked for', async () => {
    write(
      'work/slow.py',
      'import time\ndef f(x):\n    time.sleep(1)\n    return x[0] ** 2 + len(open("data.csv").read())\n',
    );
    const slow = ['optimize', 'slow.py', '--bounds=-5:5', '--budget', '1', '--evaluation-seconds'];
    const { code, stderr } = await run([...slow, '0.2']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/TimeLimit: .*\nTo give an evaluation more time: --evaluation-seconds N\.\n$/);
    expect(await run([...slow, '60'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('goes on from a checkpoint with the same rights as long as the file has the same text', async () => {
    const search = ['--bounds=-5:5', '--seed', '1', '--json'];
    const whole = await run(['optimize', 'model.py', ...search, '--budget', '400']);
    const part = ['optimize', 'model.py', ...search, '--budget', '400', '--timeout', '0.15', '--checkpoint', 'c.json'];
    const begun = await run(part);
    if (!begun.stderr.includes('The time is up')) return; // a quick machine: nothing is left to go on with
    const unchanged = await run(['optimize', '--resume', 'c.json', '--timeout', '60', '--json']);
    expect(best(unchanged)).toBe(best(whole));
    await run(part.map((each) => (each === 'c.json' ? 'd.json' : each)));
    write('work/model.py', `${MODEL}\n# changed\n`);
    const changed = await run(['optimize', '--resume', 'd.json', '--timeout', '60', '--json']);
    expect([changed.code, changed.stderr]).toEqual([
      1,
      expect.stringContaining('the file has changed: --allow-read FOLDER'),
    ]);
    const allowed = ['optimize', '--resume', 'd.json', '--timeout', '60', '--json', '--allow-read', '.'];
    expect(best(await run(allowed))).toBe(best(whole));
  });

  it.each([
    [['--allow-read', 'nowhere'], '--allow-read: there is no nowhere.\n'],
    [
      ['--allow-read', '.', '--unsandboxed'],
      '--allow-read says nothing beside --unsandboxed, which allows everything.\n',
    ],
    [['--evaluation-seconds', '0'], '--evaluation-seconds is "0"; it must be from 0.1 to 86400 seconds.\n'],
  ])('refuses %j', async (args, message) => {
    expect(await optimize('model.py', ...args)).toMatchObject({ code: 2, stderr: message });
  });
});
