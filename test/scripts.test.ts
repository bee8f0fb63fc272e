import { fork, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { selectParts } from '../scripts/mutate/selection.mjs';
import { drawCurve, shortNumber } from '../scripts/support/curve.mjs';
import { withLock } from '../scripts/support/lock.mjs';
import { settingsProblem } from '../scripts/support/settings.mjs';

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

describe('bad settings', () => {
  test('are known before anything is built', async () => {
    expect(await settingsProblem({ PORT: '8080' }, ['--workers', '2'])).toBeNull();
    expect(await settingsProblem({ PORT: 'x' }, [])).toMatch(/^PORT is "x"; it must be a whole number/);
    expect(await settingsProblem({}, ['--python-spares=many'])).toMatch(/^--python-spares is "many"; it must be/);
    expect(await settingsProblem({}, ['--prot', '1'])).toMatch(/^Unknown argument "--prot"/);
    expect(await settingsProblem({ WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/40' }, [])).toMatch(/^WEBHOOK_ALLOW_NETWORKS is/);
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
