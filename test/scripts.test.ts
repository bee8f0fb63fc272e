import { fork, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { selectParts } from '../scripts/mutate/selection.mjs';
import { drawCurve, shortNumber } from '../scripts/support/curve.mjs';
import { withLock } from '../scripts/support/lock.mjs';
import {
  nameOf,
  packageFolder,
  sourcesDigest,
  takePrebuild,
  thisHost,
  writePrebuild,
} from '../scripts/support/prebuilt.mjs';
import { Steps } from '../scripts/support/steps.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-scripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the convergence curve', () => {
  const points = [
    { evaluations: 1, best_fitness: 1000 },
    { evaluations: 500, best_fitness: 1 },
    { evaluations: 750, best_fitness: 1e-3 },
  ];

  test('a fall over many powers of ten is drawn on a logarithmic axis', () => {
    expect(drawCurve(points, 1000, { width: 8, height: 3 })).toEqual([
      '      1000 |****',
      '         1 |   ***',
      '     0.001 |     ***',
      '           +--------',
      '            01,000 evaluations',
    ]);
  });

  test('a negative best fitness keeps the axis linear', () => {
    const lines = drawCurve([...points, { evaluations: 900, best_fitness: -1000 }], 1000, { width: 8, height: 3 });
    expect(lines.slice(0, 3)).toEqual(['      1000 |****', '         0 |   *****', '     -1000 |       *']);
  });

  test('one improvement and none at all are no errors', () => {
    expect(drawCurve([{ evaluations: 1, best_fitness: 5 }], 10, { width: 4, height: 2 })[0]).toBe('         5 |****');
    expect(drawCurve([], 10)).toEqual([]);
  });

  test('numbers are short', () => {
    expect([0, 1e-9, 123456, -0.25, 3.14159].map(shortNumber)).toEqual(['0', '1.0e-9', '1.2e+5', '-0.25', '3.142']);
  });
});

describe('the set-up lock', () => {
  test('two holders never overlap', async () => {
    const file = path.join(folder, 'overlap.lock');
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(20);
      inside -= 1;
    };
    await Promise.all([withLock(file, work), withLock(file, work), withLock(file, work)]);
    expect(most).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  test('the lock of a process that is gone is taken over at once', async () => {
    const file = path.join(folder, 'dead.lock');
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(file, String(gone));
    let waited = false;
    expect(
      await withLock(
        file,
        async () => 'done',
        () => (waited = true),
      ),
    ).toBe('done');
    expect(waited).toBe(false);
  });

  test('an error of the work frees the lock', async () => {
    const file = path.join(folder, 'error.lock');
    await expect(withLock(file, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(file)).toBe(false);
  });
});

describe('prebuilt native parts', () => {
  const from = path.join(folder, 'prebuilds');
  const into = path.join(folder, 'taken');
  const built = path.join(packageFolder, 'build', 'Release');
  const hasAddon = existsSync(path.join(built, 'extremum.node'));
  const sources = sourcesDigest();
  const wanted = { from, into, version: '1.2.3', sources };

  test('a package without any is no reason for a line', () => {
    expect(takePrebuild(wanted)).toEqual({ addon: false, launcher: false, line: null });
  });

  test.skipIf(!hasAddon)('those of this host are taken, and load (needs a built addon)', () => {
    const name = path.basename(writePrebuild(built, from, '1.2.3'));
    expect(name).toBe(nameOf(thisHost()));
    const taken = takePrebuild(wanted);
    expect(taken.addon).toBe(true);
    expect(taken.line).toContain(`for ${name} were taken; no compiler is needed`);
    const { targets } = createRequire(import.meta.url)(path.join(into, 'extremum.node')) as { targets(): string[] };
    expect(targets().length).toBeGreaterThan(0);
  });

  test.skipIf(!hasAddon)('what does not fit is left alone, with the reason (needs a built addon)', () => {
    const host = thisHost();
    writePrebuild(built, from, '1.2.3');
    const line = (changes: object): string | null => {
      rmSync(into, { recursive: true, force: true });
      const taken = takePrebuild({ ...wanted, ...changes });
      expect([taken.addon, taken.launcher, existsSync(into)]).toEqual([false, false, false]);
      return taken.line;
    };
    expect(line({ version: '1.2.4' })).toContain('not taken: it is of version 1.2.3, this is 1.2.4.');
    expect(line({ sources: 'other' })).toContain('not taken: it was built from other sources.');
    expect(line({ host: { ...host, napi: 7 } })).toContain('not taken: it needs Node-API 8, this Node.js has 7.');
    expect(line({ host: { ...host, arch: 'riscv64' } })).toMatch(
      /^No prebuilt addon for \w+-riscv64-?\w* \(there is one for /,
    );
    if (host.glibc !== null)
      expect(line({ host: { ...host, glibc: '2.4' } })).toMatch(/it needs glibc 2\.\d+, here is 2\.4\.$/);
    const folderOfHost = path.join(from, nameOf(host));
    writeFileSync(path.join(folderOfHost, 'extremum.node'), 'no machine code');
    expect(line({})).toContain('not taken: it does not run on this processor and system.');
    writeFileSync(path.join(folderOfHost, 'prebuild.json'), '{');
    expect(line({})).toContain('not taken: its prebuild.json cannot be read.');
  });
});

test('no script of package.json is run by npm beside another, for its name', () => {
  const file = path.join(packageFolder, 'package.json');
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, string> };
  const names = Object.keys(scripts);
  expect(names).toContain('make:prebuild');
  expect(names.filter((name) => names.includes(name.replace(/^(pre|post)/, '')) && /^(pre|post)/.test(name))).toEqual(
    [],
  );
});

describe('the steps of a set-up', () => {
  test('each says how long it usually takes here, which it learns, and what has passed', async () => {
    const file = path.join(folder, 'seconds.json');
    const lines: string[] = [];
    let now = 0;
    const make = (): Steps =>
      new Steps(
        file,
        (line) => lines.push(line),
        () => now,
      );
    const works = async (): Promise<boolean> => {
      now += 41_700;
      return true;
    };
    const fails = async (): Promise<boolean> => {
      now += 1_000;
      return false;
    };
    const first = make();
    await first.run('Building', 75, works);
    await first.run('Bundling', 4, fails, (isDone) => isDone);
    await make().run('Building', 75, works);
    await make().run('Bundling', 4, works);
    expect(lines).toEqual([
      '  [0 s] Building (about 75 s) ...',
      ' [42 s] Bundling (about 4 s) ...',
      '  [0 s] Building (about 42 s) ...',
      '  [0 s] Bundling (about 4 s) ...',
    ]);
  });
});

describe('the mutation tool', () => {
  /** Answers the child's questions as CPython would, if the source were `objective`. */
  async function run(objective: (x: number[]) => number, isChecked: boolean): Promise<Record<string, unknown>> {
    const child = fork('scripts/mutate/child.mjs', [], { serialization: 'advanced', execArgv: ['--no-warnings'] });
    try {
      const request = (message: object): Promise<Record<string, unknown>> =>
        new Promise((resolve, reject) => {
          const listen = (answer: Record<string, unknown> & { id?: number; points?: number[][] }): void => {
            if (answer['kind'] === 'ask') {
              const answers = answer.points!.map((x) => ({ values: [objective(x)] }));
              child.send({ kind: 'answers', id: answer.id, answers });
              return;
            }
            child.off('message', listen);
            if (answer['error'] === undefined) resolve(answer['result'] as Record<string, unknown>);
            else reject(new Error(String(answer['error'])));
          };
          child.on('message', listen);
          child.once('exit', () => reject(new Error('the child ended')));
          child.send(message);
        });
      await request({ kind: 'begin', sources: new Map(), backend: 'interpreter' });
      const program = { code: 'def f(x):\n    return x[0] * x[0] + 1.0\n', bounds: [[-2, 3]], points: [[0]] };
      return await request({ kind: 'run', fault: -1, program, evaluations: 60, seed: 1, isChecked });
    } finally {
      child.kill('SIGKILL');
    }
  }

  test('faults are drawn from one part, and from some of its files, where that is asked for', () => {
    const parts = [
      { name: 'a', share: 0.5, files: () => ['a/one.js', 'a/two.js'] },
      { name: 'b', share: 0.25, files: () => ['b/one.js'] },
      { name: 'c', share: 0.25, files: () => ['c/three.js'] },
    ];
    const drawn = (options: object): unknown =>
      selectParts(parts, options).map(({ name, share, files }) => [name, share, files()]);
    expect(drawn({})).toEqual(parts.map(({ name, share, files }) => [name, share, files()]));
    expect(drawn({ part: 'a', file: 'two' })).toEqual([['a', 1, ['a/two.js']]]);
    expect(drawn({ file: 'one' })).toEqual([
      ['a', 2 / 3, ['a/one.js']],
      ['b', 1 / 3, ['b/one.js']],
    ]);
    expect(() => drawn({ part: 'd' })).toThrow("the parts are 'a', 'b', 'c'");
    expect(() => drawn({ file: 'four' })).toThrow('no faults to draw');
  });

  test('its runs are confirmed by the oracle, and a wrong value is found', async () => {
    const right = await run(([x]) => x * x + 1, true);
    expect(right).toMatchObject({ kind: 'ended', verified: { by: 'cpython' } });
    expect(await run(([x]) => x * x + 1.5, true)).toMatchObject({ kind: 'misread' });
    expect(await run(([x]) => x * x + 1.5, false)).toMatchObject({ kind: 'ended', verified: { by: null } });
  }, 60_000);
});
