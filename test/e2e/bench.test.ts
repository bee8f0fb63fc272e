/** `extremum bench` as a program of its own. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function extremum(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [distEntry('cli/main'), ...args], { env: {} }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Every file below the folder but those that only resumption reads, with its text. */
function filesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return [path.relative(folder, file), readFileSync(file, 'utf8')] as const;
  });
  return Object.fromEntries(texts.filter(([name]) => name !== 'runs.jsonl').sort(([a], [b]) => a.localeCompare(b)));
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'extremum-bench-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('extremum bench bbob', () => {
  const SMALL = ['bench', 'bbob', '--dims', '2,3', '--functions', '1,8,21', '--instances', '1-3', '--budget', '150'];

  it('prints a table for each dimension and writes tables, pictures and COCO files', async () => {
    const out = path.join(folder, 'out');
    const { code, stdout, stderr } = await extremum(...SMALL, '--strategies', 'cma-es', '--out', out);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^bbob f1,8,21, 2-D, 150 evaluations, instances 1-3\n +hit +se +area +solved/);
    expect(stdout).toMatch(
      /\n> cma-es +0\.\d{3} +0\.\d{3} +0\.\d{3} +[01]\.\d{3} +0\.\d{3} +0\.\d{3} +- +- +0\.\d{3}\n/,
    );
    // Peers were measured on all functions.
    expect(stdout).not.toContain('pycma');
    const files = filesOf(out);
    expect(Object.keys(files)).toEqual([
      ...['bbobexp_f1.info', 'bbobexp_f21.info', 'bbobexp_f8.info'].map((name) => `coco/cma-es/${name}`),
      ...[1, 21, 8].flatMap((f) =>
        ['DIM2.dat', 'DIM2.tdat', 'DIM3.dat', 'DIM3.tdat'].map((n) => `coco/cma-es/data_f${f}/bbobexp_f${f}_${n}`),
      ),
      'ecdf-2D.svg',
      'ecdf-3D.svg',
      'ecdf.csv',
      'experiment.json',
      'runs.csv',
      'summary.csv',
    ]);
    const rows = files['runs.csv'].trimEnd().split('\n');
    expect(rows[0]).toBe('solver,dimension,budget,function,instance,repetition,evaluations,best_delta,hits');
    expect(rows).toHaveLength(1 + 2 * 3 * 3);
    // The tables agree with each other, and the index files with the rows.
    const mean = (dimension: number): number => {
      const own = rows.slice(1).filter((row) => row.split(',')[1] === String(dimension));
      const hits = own.map(
        (row) =>
          row
            .split(',')[8]
            .split(';')
            .filter((hit) => hit !== '').length / 51,
      );
      return hits.reduce((sum, v) => sum + v, 0) / hits.length;
    };
    for (const dimension of [2, 3]) {
      const all = new RegExp(`^cma-es,${dimension},150,3,1,all,([0-9.]+),`, 'm').exec(files['summary.csv']);
      expect(Number(all?.[1])).toBeCloseTo(mean(dimension), 12);
      const end = new RegExp(`^cma-es,${dimension},150,150,([0-9.]+)$`, 'm').exec(files['ecdf.csv']);
      expect(Number(end?.[1])).toBeCloseTo(mean(dimension), 12);
    }
    const index = files['coco/cma-es/bbobexp_f8.info'];
    const [, evaluations] = /_DIM3\.dat, 1:(\d+)\|/.exec(index)!;
    expect(rows).toContainEqual(expect.stringMatching(new RegExp(`^cma-es,3,150,8,1,0,${evaluations},`)));
    expect(files['ecdf-3D.svg']).toMatch(/^<svg [\s\S]*cma-es<\/text>[\s\S]*<\/svg>\n$/);
  });

  it('gives the same files for any number of workers, and when it was killed and resumed', async () => {
    const whole = path.join(folder, 'whole');
    const options = ['--noise', '0.01', '--stretched', '--repetitions', '2', '--strategies', 'cma-es'];
    await extremum(...SMALL, ...options, '--workers', '1', '--out', whole);
    const other = path.join(folder, 'other');
    const two = await extremum(...SMALL, ...options, '--workers', '2', '--out', other);
    expect(two.stdout).toContain(', noise 0.01, stretched box');
    expect(filesOf(other)).toEqual(filesOf(whole));

    // As a process leaves it that was killed while it wrote its eighth run.
    const lines = readFileSync(path.join(other, 'runs.jsonl'), 'utf8').split('\n');
    expect(lines).toHaveLength(2 * 3 * 3 * 2 + 1);
    const torn = path.join(folder, 'torn');
    cpSync(path.join(other, 'experiment.json'), path.join(torn, 'experiment.json'));
    writeFileSync(path.join(torn, 'runs.jsonl'), `${lines.slice(0, 7).join('\n')}\n${lines[7].slice(0, 99)}`);
    await extremum(...SMALL, ...options, '--out', torn);
    expect(filesOf(torn)).toEqual(filesOf(whole));
    const resumed = readFileSync(path.join(torn, 'runs.jsonl'), 'utf8').split('\n');
    expect(resumed.slice(0, 7)).toEqual(lines.slice(0, 7));
    expect(new Set(resumed)).toEqual(new Set(lines));
  });

  it('keeps what it has when it is interrupted', async () => {
    const out = path.join(folder, 'out');
    const args = ['bench', 'bbob', '--dims', '20', '--budget', '2000D', '--workers', '1', '--strategies', 'cma-es'];
    const child = spawn(process.execPath, [distEntry('cli/main'), ...args, '--out', out], { env: {} });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    const runs = path.join(out, 'runs.jsonl');
    while (!existsSync(runs)) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /^Interrupted after \d+ of 120 runs; they are kept, and the same command goes on from here\.\n$/,
    );
    expect(existsSync(path.join(out, 'runs.csv'))).toBe(false);
    const [, done] = /after (\d+) of/.exec(stderr)!;
    expect(readFileSync(runs, 'utf8').trimEnd().split('\n')).toHaveLength(Number(done));
  });

  it('stands beside the peers on the whole suite', async () => {
    const { stdout } = await extremum(
      'bench',
      'bbob',
      '--dims',
      '2',
      '--instances',
      '1',
      '--budget',
      '100',
      '--out',
      folder,
    );
    expect(stdout).toMatch(/\n {2}pycma-lq-CMA-ES +0\.\d{3}/);
    expect(readFileSync(path.join(folder, 'ecdf-2D.svg'), 'utf8')).toContain('pycma-lq-CMA-ES');
  });

  it('has a help that shows how', async () => {
    const { code, stdout } = await extremum('bench', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('extremum bench bbob --dims 2,5 --instances 1-3');
  });

  it('refuses bad arguments with the rule', async () => {
    const { code, stdout, stderr } = await extremum('bench', 'bbob', '--dims', '1');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe('--dims is "1"; it must be a list like 2,5,10 or 1-5 of numbers from 2 to 640.\n');
  });
});

describe('extremum bench file', () => {
  const write = (code: string): string => {
    const file = path.join(folder, 'objective.py');
    writeFileSync(file, code);
    return file;
  };

  it('compares strategies by the best value of several runs', async () => {
    const file = write('def g(x):\n    return x[0]\n\ndef f(x):\n    return sum((v - 1) ** 2 for v in x)\n');
    const args = [
      'bench',
      'file',
      file,
      '--bounds=-5:5x2,0:3',
      '--repetitions',
      '3',
      '--python',
      'off',
      '--strategies',
      'cma-es',
    ];
    const out = path.join(folder, 'out');
    const { code, stdout, stderr } = await extremum(...args, '--budget', '100D', '--out', out);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^objective\.py, 3-D, 300 evaluations, 3 runs each, by (native|wasm|javascript)\n/);
    expect(stdout).toMatch(/\ncma-es +\S+e-\d+/);
    const rows = readFileSync(path.join(out, 'runs.csv'), 'utf8').trimEnd().split('\n');
    const own = rows.filter((row) => row.startsWith('cma-es,')).map((row) => row.split(','));
    expect(own.map((row) => row.slice(0, 5).join())).toEqual([
      'cma-es,0,1,300,0',
      'cma-es,1,2,300,0',
      'cma-es,2,3,300,0',
    ]);
    for (const row of own) {
      const x = row[6].split(';').map(Number);
      expect(Number(row[5])).toBe(x.reduce((sum, v) => sum + (v - 1) ** 2, 0));
    }
    const again = path.join(folder, 'again');
    await extremum(...args, '--budget', '300', '--workers', '1', '--out', again);
    expect(filesOf(again)).toEqual(filesOf(out));
  });

  it('maximises another function of the file up to a target', async () => {
    const file = write('def g(x):\n    return x[0]\n\ndef f(x):\n    return x[0] ** 2\n');
    const args = ['--function', 'g', '--bounds', '0:1', '--maximize', '--target', '0.9', '--strategies', 'cma-es'];
    const { stdout } = await extremum('bench', 'file', file, ...args, '--repetitions', '2', '--python', 'off');
    expect(stdout).toMatch(/ target\ncma-es +0\.9\d+ .* 2\/2\n/);
  });

  it.each([
    ['def f(x):\n    return x[0] +\n', [], /objective\.py:2:\d+: /],
    ['def f(x):\n    return x[0]\n', ['--function', 'h'], /there is no function h that takes one argument/],
    [
      'import math\ndef f(x):\n    return math.sqrt(x[0] * x[0] - 2 * x[0])\n',
      ['--strategies', 'cma-es'],
      /cma-es, repetition \d: ValueError: math domain error; all of the first \d+ evaluations failed/,
    ],
  ])('says what is wrong with %j', async (source, extra, message) => {
    const args = ['bench', 'file', write(source), '--bounds', '0.1:1', '--python', 'off', '--repetitions', '2'];
    const { code, stdout, stderr } = await extremum(...args, ...extra);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});
