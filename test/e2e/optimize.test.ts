/** `extremum optimize` as a program of its own: in pipes, at a terminal, interrupted, resumed. */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeCheckpoint } from '../../src/cli/checkpoint-file.js';
import { distEntry } from '../../src/common/dist-entry.js';
import { extremum, outcomeOf, type Outcome, type RunSettings } from '../support/run-program.js';

const SPHERE = 'def f(x):\n    return sum((v - 0.5) ** 2 for v in x)\n';
const RASTRIGIN =
  'import math\n\ndef f(x):\n    return 10 * len(x) + sum(v * v - 10 * math.cos(2 * math.pi * v) for v in x)\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'extremum-optimize-'));
  write('sphere.py', SPHERE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, code: string): void => writeFileSync(path.join(folder, name), code);
const optimize = (args: readonly string[], settings: RunSettings = {}): Promise<Outcome> =>
  extremum(['optimize', ...args], { cwd: folder, env: { PYTHON: 'off' }, ...settings });

/** Without what time alone decides. */
function recordOf(text: string): Record<string, unknown> {
  const record = JSON.parse(text) as Record<string, unknown> & { history: { elapsed_seconds?: number }[] };
  for (const point of record.history) delete point.elapsed_seconds;
  const timed = ['duration_seconds', 'created_at', 'started_at', 'completed_at', 'backend'];
  for (const name of timed) delete record[name];
  return record;
}

describe('extremum optimize in a pipe', () => {
  it('prints the answer, moves no cursor, and leaves nothing behind', async () => {
    const args = ['sphere.py', '--bounds', '-5,5 x2', '--budget', '300', '--seed', '1'];
    const { code, stdout, stderr } = await optimize(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('\x1b');
    expect(stdout).toMatch(/best value, log scale, over evaluations/);
    expect(stdout).toMatch(/\nBest value {3}\d\S*\nat x {9}\[\S+, \S+\]\n/);
    expect(stdout).toMatch(/\nRan on {7}(native|wasm|javascript) \(/);
    expect(stdout).toMatch(/\n- The best value found is \S+, after \d+ evaluations/);
    expect(readdirSync(folder)).toEqual(['sphere.py']);
  });

  it('gives the record of the API as JSON, the same for the same seed and any number of threads', async () => {
    const args = ['sphere.py', '--bounds=-5:5x3', '--budget', '60D', '--seed', '7', '--explain', '0', '--json'];
    const first = await optimize([...args, '--threads', '1']);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const record = recordOf(first.stdout);
    expect(record).toMatchObject({ success: true, status: 'completed', id: null, seed: 7, max_evaluations: 180 });
    expect(record['function']).toEqual({ file: 'sphere.py', name: 'f' });
    expect(record['best_fitness']).toBe((record['history'] as { best_fitness: number }[]).at(-1)?.best_fitness);
    expect(recordOf((await optimize([...args, '--threads', '3'])).stdout)).toEqual(record);
  });

  it('gives the improvements as CSV; --maximize and --target do what they say', async () => {
    write('g.py', 'def g(x):\n    return -(x[0] ** 2)\n');
    const args = ['g.py', '--bounds', '[[-3, 4]]', '--maximize', '--target=-0.01', '--seed', '2', '--csv'];
    const { code, stdout } = await optimize(args);
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe('evaluations,best_fitness,elapsed_seconds');
    const values = rows.map((row) => Number(row.split(',')[1]));
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(values.at(-1)).toBeGreaterThanOrEqual(-0.01);
  });

  it('reads the bounds of many variables from a file', async () => {
    const pairs = Array.from({ length: 3000 }, (_, i) => [-1 - i, 2]);
    write('lines.txt', pairs.map(([low, high]) => `${low}, ${high}\n`).join(''));
    write('pairs.json', JSON.stringify(pairs));
    const args = ['sphere.py', '--seed', '1', '--budget', '20', '--json', '--bounds'];
    const [lines, json] = [await optimize([...args, '@lines.txt']), await optimize([...args, '@pairs.json'])];
    expect(recordOf(lines.stdout)['bounds']).toEqual(pairs);
    expect(recordOf(json.stdout)).toEqual(recordOf(lines.stdout));
  }, 60_000);

  it('finds a front of several objectives', async () => {
    write('two.py', 'def f(x):\n    return x[0] ** 2 + x[1] ** 2, (x[0] - 2) ** 2 + x[1] ** 2\n');
    const args = ['two.py', '--bounds=-1:4x2', '--objectives', '2', '--budget', '400', '--seed', '1'];
    const text = await optimize(args);
    expect([text.code, text.stderr]).toEqual([0, '']);
    expect(text.stdout).toMatch(/\nFront {8}\d+ points, hypervolume \d\S*; its knee is\nat x {9}\[/);
    expect(text.stdout).toMatch(/\n {12}f1 {12}f2\n/);
    expect(text.stdout.match(/ {2}knee\n/g)?.length ?? 0).toBeLessThanOrEqual(1);
    const csv = (await optimize([...args, '--csv'])).stdout.trimEnd().split('\n');
    expect(csv[0]).toBe('f1,f2,x1,x2');
    expect(csv.length).toBeGreaterThan(10);
    const rows = csv.slice(1).map((row) => row.split(',').map(Number));
    for (const [f1, f2, x1 = NaN, x2 = NaN] of rows) {
      expect([f1, f2]).toEqual([x1 ** 2 + x2 ** 2, (x1 - 2) ** 2 + x2 ** 2]);
    }
    const record = recordOf((await optimize([...args, '--json'])).stdout);
    expect(record).toMatchObject({ objectives: 2, best_fitness: null });
    expect(record['pareto_front']).toHaveLength(rows.length);
  }, 60_000);

  it('ends with code 1 where nothing was found', async () => {
    write('nan.py', 'def f(x):\n    return x[0] * float("nan")\n');
    const { code, stdout, stderr } = await optimize(['nan.py', '--bounds', '0:1', '--budget', '40', '--seed', '1']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/Best value {3}none\n/);
    expect(stderr).not.toBe('');
  });

  it('ends quietly where nobody reads on', async () => {
    const command = `"${process.execPath}" "${distEntry('cli/main')}" optimize sphere.py --bounds 0:1x50 --csv | head -1`;
    const child = spawn('sh', ['-c', command], { cwd: folder, env: { PATH: process.env['PATH'], PYTHON: 'off' } });
    const { code, stdout, stderr } = await outcomeOf(child);
    expect([code, stdout, stderr]).toEqual([0, 'evaluations,best_fitness,elapsed_seconds\n', '']);
  });

  it('says so where the answer cannot be written', async () => {
    const command = `"${process.execPath}" "${distEntry('cli/main')}" optimize sphere.py --bounds 0:1 > /dev/full`;
    const child = spawn('sh', ['-c', command], { cwd: folder, env: { PATH: process.env['PATH'], PYTHON: 'off' } });
    const { code, stderr } = await outcomeOf(child);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The answer could not be written: ENOSPC/);
  });

  it('shows nothing of a hostile name that would act on a terminal, and escapes it in JSON', async () => {
    const name = 'a\x1b[31m\x9b2J\n.py';
    write(name, 'def f(x):\n    return x[0], 1\n');
    for (const args of [[name], [name, '--bounds', '0:1'], [`${name}x`, '--bounds', '0:1'], ['--resume', name]]) {
      const { stdout, stderr } = await optimize(args);
      expect(stdout + stderr).toMatch(/^[^\x00-\x09\x0b-\x1f\x7f-\x9f]+$/);
    }
    const long = await optimize([name, '--bounds', '0:1', '--json', '--budget', '3']);
    expect(long.stderr + long.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    write(name, SPHERE);
    const { stdout } = await optimize([name, '--bounds', '0:1', '--json', '--budget', '3']);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(recordOf(stdout)['function']).toEqual({ file: name, name: 'f' });
  });

  it('keeps a checkpoint while it runs, from which a killed run goes on with the same bits', async () => {
    write('long.py', RASTRIGIN);
    const search = ['long.py', '--bounds=-4:6x10', '--strategy', 'cma-es', '--mode', 'accurate', '--seed', '3'];
    const file = path.join(folder, 'c.json');
    let killed: Outcome;
    let budget = 100_000;
    do {
      budget *= 2;
      rmSync(file, { force: true });
      const args = [...search, '--budget', String(budget), '--checkpoint', 'c.json'];
      const child = spawn(process.execPath, [distEntry('cli/main'), 'optimize', ...args], {
        cwd: folder,
        env: { PYTHON: 'off' },
      });
      const watch = setInterval(() => existsSync(file) && child.kill('SIGKILL'), 5);
      killed = await outcomeOf(child);
      clearInterval(watch);
    } while (killed.code === 0);
    expect(killed.code).toBeNull();
    expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual(['c.json']);
    const whole = await optimize([...search, '--budget', String(budget), '--json']);
    const resumed = await optimize(['--resume', 'c.json', '--json']);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    expect(recordOf(resumed.stdout)).toEqual(recordOf(whole.stdout));
    const again = await optimize([...search, '--checkpoint', 'c.json']);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/^--checkpoint: c\.json exists, and nothing is overwritten/);
  }, 120_000);

  it('has the front so far of a run of several objectives that is interrupted', async () => {
    write('two.py', 'def f(x):\n    return sum(v * v for v in x), sum((v - 2) ** 2 for v in x)\n');
    const args = ['two.py', '--bounds=-4:6x3', '--objectives', '2', '--budget', '100000000', '--seed', '3'];
    const file = path.join(folder, 'c.json');
    const child = spawn(
      process.execPath,
      [distEntry('cli/main'), 'optimize', ...args, '--checkpoint', 'c.json', '--csv'],
      {
        cwd: folder,
        env: { PYTHON: 'off' },
      },
    );
    const watch = setInterval(() => {
      if (!existsSync(file)) return;
      // Once: a second one would end it at once.
      clearInterval(watch);
      child.kill('SIGTERM');
    }, 5);
    const { code, stdout, stderr } = await outcomeOf(child).finally(() => clearInterval(watch));
    expect([code, stderr]).toEqual([130, 'Interrupted; go on with: extremum optimize --resume c.json\n']);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe('f1,f2,x1,x2,x3');
    expect(rows.length).toBeGreaterThan(10);
    const resumed = await optimize(['--resume', 'c.json', '--timeout', '0.3', '--json']);
    expect(recordOf(resumed.stdout)).toMatchObject({ termination_reason: 'timeout', objectives: 2 });
  }, 60_000);

  it('says once that a checkpoint cannot be written, and writes it elsewhere when it is interrupted', async () => {
    write('long.py', RASTRIGIN);
    mkdirSync(path.join(folder, 'away'));
    const args = ['long.py', '--bounds=-4:6x10', '--strategy', 'cma-es', '--mode', 'accurate', '--budget', '999999999'];
    const checkpoint = ['--checkpoint', path.join('away', 'c.json')];
    const child = spawn(process.execPath, [distEntry('cli/main'), 'optimize', ...args, ...checkpoint], {
      cwd: folder,
      env: { PYTHON: 'off' },
    });
    // A second time it would have been said by then.
    child.stderr.once('data', () => setTimeout(() => child.kill('SIGTERM'), 2_500).unref());
    const watch = setInterval(() => {
      if (!existsSync(path.join(folder, 'away/c.json'))) return;
      clearInterval(watch);
      renameSync(path.join(folder, 'away'), path.join(folder, 'gone'));
    }, 5);
    const { code, stderr } = await outcomeOf(child).finally(() => clearInterval(watch));
    expect(code).toBe(130);
    expect(stderr).toBe(
      'The checkpoint away/c.json cannot be written: ENOENT: no such file or directory\n' +
        'Interrupted; go on with: extremum optimize --resume long.checkpoint.json\n',
    );
    expect((await optimize(['--resume', 'long.checkpoint.json', '--timeout', '0.2'])).code).toBe(0);
  }, 60_000);

  it('keeps a checkpoint when the time is up; --timeout gives it more', async () => {
    write('long.py', RASTRIGIN);
    // Never read: whether the time suffices for that would decide what is searched.
    const method = ['--strategy', 'cma-es', '--mode', 'accurate', '--black-box'];
    const search = ['long.py', '--bounds=-4:6x10', ...method, '--seed', '3'];
    const endless = [...search, '--budget', '999999999', '--checkpoint', 'c.json'];
    let [seconds, first] = [0.4, await optimize([...endless, '--timeout', '0.4'])];
    // A busy machine may not come to the first candidates.
    while (first.code !== 0 && seconds < 10) {
      seconds *= 2;
      first = await optimize([...endless, '--timeout', String(seconds)]);
    }
    expect(first.stderr).toBe('The time is up; go on with: extremum optimize --resume c.json --timeout SECONDS\n');
    expect(first.code).toBe(0);
    const none = await optimize(['--resume', 'c.json']);
    expect([none.code, none.stderr]).toEqual([
      2,
      `The time of this search, ${seconds} s, is up; give it more with --timeout SECONDS.\n`,
    ]);
    const more = recordOf((await optimize(['--resume', 'c.json', '--timeout', String(seconds), '--json'])).stdout);
    expect(more).toMatchObject({ termination_reason: 'timeout', checkpoint: 'c.json' });
    const untimed = await optimize([...search, '--budget', String(more['evaluations']), '--json']);
    const { history, best_solution: best } = recordOf(untimed.stdout);
    expect({ history, best }).toEqual({ history: more['history'], best: more['best_solution'] });
  }, 120_000);

  it.each([
    [['nowhere.py', '--bounds', '0:1'], /^nowhere\.py cannot be read: there is no such file\.\n$/],
    [['/dev/zero', '--bounds', '0:1'], /^\/dev\/zero cannot be read: it has more than 262144 bytes\.\n$/],
    [['sphere.py'], /^--bounds is needed/],
    [['sphere.py', '--bounds', '@no.txt'], /^--bounds: no\.txt cannot be read: there is no such file\.\n$/],
    [['sphere.py', '--bounds', '@sphere.py'], /^sphere\.py: --bounds is "def f/],
    [['sphere.py', '--bonds', '1:0'], /^Unknown argument "--bonds"; did you mean --bounds\?\n$/],
    [['sphere.py', '--bounds', '0:1', '--strategy', 'cmaes'], /; did you mean cma-es\? known: /],
    [['sphere.py', '--bounds', '1:0'], /^--bounds: coordinate 1 has 1:0; the lower bound must be below the upper\.\n$/],
    [['sphere.py', '--bounds', '0:1', '--strategy', 'luck'], /^--strategy is "luck"; known: planner, /],
    [['sphere.py', '--bounds', '0:1', '--objectives', '2', '--target', '1'], /^--target is for one objective/],
    [
      ['sphere.py', '--bounds', '0:1', '--objectives', '2', '--strategy', 'cma-es'],
      /^--strategy cma-es searches for one objective, not for 2; suitable: sms-emoa\.\n$/,
    ],
    [['sphere.py', '--bounds', '0:1', '--start', '2'], /^--start: coordinate 1 is 2, outside its bounds 0:1\.\n$/],
    [['sphere.py', '--bounds', '0:1', '--json', '--csv'], /^--json and --csv exclude each other\.\n$/],
    [['--resume', 'nowhere.json'], /^The checkpoint nowhere\.json cannot be read: there is no such file\.\n$/],
    [['--resume', 'sphere.py'], /^sphere\.py is no checkpoint of extremum optimize\.\n$/],
    [['sphere.py', '--bounds', '0:1', '--checkpoint', 'no/c.json'], /^--checkpoint: no\/c\.json cannot be written/],
    [['--resume', 'c.json', '--seed', '1'], /^--seed does not go with --resume: the search is as it was begun\.\n$/],
    [['--resume', 'c.json', 'sphere.py'], /^sphere\.py does not go with --resume/],
  ])('refuses %j with code 2', async (args, message) => {
    const { code, stdout, stderr } = await optimize(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('shows an error of the source with its line and a caret', async () => {
    write('broken.py', 'def f(x):\n    return sum(v for v in x\n');
    const { code, stdout, stderr } = await optimize(['broken.py', '--bounds', '0:1']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe("broken.py:2:15: '(' was never closed\n        return sum(v for v in x\n                  ^\n");
  });

  it('names the function that is not there', async () => {
    const { code, stderr } = await optimize(['sphere.py', '--bounds', '0:1', '--function', 'g']);
    expect([code, stderr]).toEqual([1, 'sphere.py: there is no function g that takes one argument\n']);
  });

  it('says where CPython would be needed and is not there', async () => {
    write('files.py', 'def f(x):\n    return len(open("/etc/hostname").read()) * x[0]\n');
    const { code, stderr } = await optimize(['files.py', '--bounds', '0:1']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^the source needs CPython \(line 2: .*\), which is not available: .*switched off/);
  });

  it('explains itself before it asks for anything', async () => {
    const { code, stdout } = await optimize(['--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: extremum optimize FILE\.py --bounds BOUNDS/);
    expect(stdout).toContain('Exit codes: 0 done; 1 the run failed');
  });
});

const hasScript = spawnSync('script', ['--version']).status === 0;

/** Runs at a terminal of its own; what it writes to it is `stdout`. `script` from util-linux. */
function atTerminal(
  args: readonly string[],
  env: Record<string, string>,
  onOutput?: RunSettings['onOutput'],
): Promise<Outcome> {
  const quoted = [process.execPath, distEntry('cli/main'), 'optimize', ...args].map((part) => `'${part}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 90 rows 30; ${quoted}`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh', PYTHON: 'off', LANG: 'C.UTF-8', TERM: 'xterm', ...env },
  });
  return outcomeOf(child, onOutput);
}

describe.skipIf(!hasScript)('extremum optimize at a terminal (needs script from util-linux)', () => {
  const long = (budget: number): string[] => [
    ...['long.py', '--bounds=-4:6x10', '--strategy', 'cma-es', '--mode', 'accurate', '--seed', '3', '--budget'],
    String(budget),
  ];
  beforeEach(() => write('long.py', RASTRIGIN));

  /** Presses Ctrl-C once `what` is seen. */
  const interruptAt = (what: string): RunSettings['onOutput'] => {
    let isDone = false;
    return (output, child) => {
      if (isDone || !output.includes(what)) return;
      isDone = true;
      child.stdin?.write('\x03');
    };
  };

  it('draws a bar and a curve; Ctrl-C keeps the best; --resume gives the bits of an undisturbed run', async () => {
    let first: Outcome;
    let budget = 50_000;
    // Until it takes so long on this machine that there is a report to wait for.
    do first = await atTerminal(long((budget *= 2)), {}, interruptAt(' left  '));
    while (first.code === 0);
    expect(first.code).toBe(130);
    expect(first.stdout).toMatch(/\[#*-+\] [\d,]+\/[\d,]+ {2}best \d\S* {2}[\d,]+\/s {2}\d+ \w+ left {2}cma-es on \w+/);
    expect(first.stdout).toMatch(/[\u2801-\u28ff]/);
    expect(first.stdout).toMatch(/Best value {3}\d\S*\r\n/);
    expect(first.stdout).toContain('Interrupted; go on with: extremum optimize --resume long.checkpoint.json');
    expect(readdirSync(folder).sort()).toEqual(['long.checkpoint.json', 'long.py', 'sphere.py']);
    rmSync(path.join(folder, 'long.py'));
    const resumed = await optimize(['--resume', 'long.checkpoint.json', '--json']);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    write('long.py', RASTRIGIN);
    const whole = await optimize([...long(budget), '--json']);
    expect(recordOf(resumed.stdout)).toEqual(recordOf(whole.stdout));
  }, 120_000);

  it('ends at once at a second Ctrl-C', async () => {
    let presses = 0;
    const { code, stdout } = await atTerminal(long(1_000_000_000), {}, (output, child) => {
      const due = output.includes('stopping') ? 2 : output.includes('starting') ? 1 : 0;
      for (; presses < due; presses++) child.stdin?.write('\x03');
    });
    // The run may have been suspended between the two.
    expect(code).toBe(130);
    expect(stdout).not.toContain('    at ');
  }, 60_000);

  it.each<Record<string, string>>([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('moves no cursor with %j', async (env) => {
    const { code, stdout } = await atTerminal(['sphere.py', '--bounds=-5:5x2', '--seed', '1', '--budget', '200'], env);
    expect(code).toBe(0);
    expect(stdout).not.toContain('\x1b');
    expect(stdout).toMatch(/Best value {3}\d/);
  });

  it('draws in ASCII where the terminal shows nothing else', async () => {
    const { stdout } = await atTerminal(['sphere.py', '--bounds=-5:5x2', '--seed', '1', '--budget', '200'], {
      LANG: 'C',
    });
    expect(stdout).toMatch(/\| *\*\*/);
    expect(stdout).toMatch(/^[\x00-\x7f]*$/);
  });
});

describe('a damaged checkpoint', () => {
  it('is refused', async () => {
    const source = { code: SPHERE, entry: 'f', argument: 'list' } as const;
    const task = { bounds: [[0, 1]], maxEvaluations: 10, seed: 1, direction: 'minimize', mode: 'balanced' } as const;
    const file = path.join(folder, 'c.json');
    writeCheckpoint(file, {
      program: '0',
      file: 'sphere.py',
      source,
      task,
      blackBox: false,
      pythonMinor: 12,
      evaluations: 0,
      elapsedSeconds: 0,
      snapshot: '{}',
    });
    writeFileSync(file, readFileSync(file, 'utf8').replace('"seed":1', '"seed":2'));
    const { code, stderr } = await optimize(['--resume', 'c.json']);
    expect([code, stderr]).toEqual([2, 'The checkpoint c.json was changed, cut short or is damaged.\n']);
  });
});
