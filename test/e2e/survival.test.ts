/** What survives: kill -9, an orderly stop, a crash loop. The service is a process of its own here. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distEntry } from '../../src/common/dist-entry.js';
import { createIdSource } from '../../src/common/ids.js';
import { PRESET_CONFIGS } from '../../src/model/intelligence.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import {
  ASYNC,
  KEY,
  endAll,
  ended,
  hasProgress,
  historyOf,
  isDone,
  resultOf,
  spawnService,
  startProcess,
  task,
  undisturbedRun,
  until,
  upload,
  type ServiceProcess,
} from '../support/service-process.js';
import { SPHERE, type Json } from '../support/service.js';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'extremum-survival-'));
});
afterEach(async () => {
  await endAll();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (...flags: string[]): Promise<ServiceProcess> => startProcess('--data-dir', dataDir, ...flags);
// Progress is stored once a second: a machine three times as fast as it was for the undisturbed run still shows some.
const UNDISTURBED_SECONDS = 3;
const WATCHED = {
  preset: 'enterprise',
  intelligence_config: { explanation_level: 2, use_visual_intelligence: false },
};

describe('a service that is ended', () => {
  it('by kill -9, then by SIGTERM, ends its run with the bits of an undisturbed one; what was finished is there', async () => {
    const first = await start();
    const id = await upload(first);
    const undisturbed = await undisturbedRun(first, id, UNDISTURBED_SECONDS);
    const { id: disturbed } = await first.call(
      'POST',
      '/v1/optimize',
      // It keeps a monitoring trace, which changes no bit; else it is as the other one.
      { ...task(id, undisturbed.evaluations as number), ...WATCHED },
      ASYNC,
    );
    const { id: waiting } = await first.call('POST', '/v1/optimize', task(id, 50), ASYNC);
    const before = await until(first, disturbed as string, hasProgress);
    expect(await first.end('SIGKILL')).toBe('SIGKILL');

    const second = await start();
    expect(await second.call('GET', `/v1/optimize/${undisturbed.id}`)).toEqual(undisturbed);
    const resumed = await second.call('GET', `/v1/optimize/${disturbed}`);
    expect(resumed).toMatchObject({ status: 'running', started_at: before.started_at as string });
    expect(resumed.progress.evaluations).toBeGreaterThanOrEqual(before.progress.evaluations as number);
    expect(await second.call('GET', `/v1/optimize/${waiting}`)).toMatchObject({ status: 'pending' });
    expect(await second.end('SIGTERM')).toBe(0);

    const third = await start();
    const done = await until(third, disturbed as string, isDone);
    expect(resultOf(done)).toEqual(resultOf(undisturbed));
    expect(await until(third, waiting as string, isDone)).toMatchObject({ status: 'completed', evaluations: 50 });
    expect(await historyOf(third, disturbed as string)).toEqual(await historyOf(third, undisturbed.id as string));
    const { data: rows } = (await third.call('GET', `/v1/optimize/${disturbed}/monitoring`)) as { data: Json[] };
    const attempts = rows.map(({ attempt }) => attempt as number);
    // Killed within a second of its beginning, an attempt leaves no row; the other two have stored theirs.
    expect([...new Set(attempts)].filter((attempt) => attempt > 1)).toEqual([2, 3]);
    expect(attempts).toEqual([...attempts].sort((a, b) => a - b));
    expect(await third.end('SIGINT')).toBe(0);
  }, 60_000);

  it('by SIGTERM answers who waits and exits 0 within seconds', async () => {
    const service = await start();
    const waited = service.call('POST', '/v1/optimize', task(await upload(service), 1e9));
    let running: Json[] = [];
    while (running.length === 0) running = (await service.call('GET', '/v1/optimize?status=running')).data as Json[];
    const startedAt = performance.now();
    expect(await service.end('SIGTERM')).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(await waited).toMatchObject({ id: running[0].id as string, status: 'running', success: null });
  });

  it('by kill -9 ends a run of several objectives with the same front', async () => {
    const code = 'def f(x):\n    return sum(v * v for v in x), sum((v - 2) ** 2 for v in x)\n';
    const first = await start();
    const { id } = await first.call('POST', '/v1/functions', { name: 'f', code, language: 'python' });
    const wanted = { ...task(id as string, 30_000), objectives: 2 };
    const undisturbed = await first.call('POST', '/v1/optimize', wanted, { prefer: 'wait=300' });
    expect(undisturbed.pareto_front.length).toBeGreaterThan(100);
    const { id: disturbed } = await first.call('POST', '/v1/optimize', wanted, ASYNC);
    await until(first, disturbed as string, hasProgress);
    expect(await first.end('SIGKILL')).toBe('SIGKILL');
    const second = await start();
    const resumed = await until(second, disturbed as string, isDone);
    const resultsOf = ({ pareto_front, hypervolume, reference_point }: Json): Json => ({
      pareto_front,
      hypervolume,
      reference_point,
    });
    expect(resultsOf(resumed)).toEqual(resultsOf(undisturbed));
    expect(resultOf(resumed)).toEqual(resultOf(undisturbed));
  }, 300_000);

  it('by kill -9 while a request waits makes no second run where it is sent again', async () => {
    const first = await start();
    const request = task(await upload(first), 1e9);
    const key = { 'idempotency-key': 'k' };
    const lost = first.call('POST', '/v1/optimize', request, key).catch(() => null);
    let running: Json[] = [];
    while (running.length === 0) running = (await first.call('GET', '/v1/optimize?status=running')).data as Json[];
    await first.end('SIGKILL');
    expect(await lost).toBeNull();

    const second = await start();
    const again = await second.call('POST', '/v1/optimize', request, { ...key, ...ASYNC });
    expect(again).toMatchObject({ id: running[0].id as string, success: null });
    expect(await second.call('POST', '/v1/optimize', request, key)).toEqual(again);
    expect(await second.call('GET', '/v1/optimize')).toMatchObject({ total: 1 });
  });

  it('three times at the same point of a run gives the run up, with the reason', async () => {
    const store = openSqliteStore({ dataDir, exclusive: true });
    const account = await store.ensureAccount({ id: 'acct_1', name: 'default', createdAt: 1 });
    const id = createIdSource().next('opt');
    await store.createRun(
      {
        ...id,
        accountId: account.id,
        functionId: 'func_1',
        source: { code: SPHERE, entry: 'sphere', argument: 'list' },
        request: {
          task: { bounds: [[-1, 1]], maxEvaluations: 1e9, seed: 1, direction: 'minimize', mode: 'balanced' },
          preset: 'production',
          intelligence: PRESET_CONFIGS.production,
          blackBox: false,
          pythonMinor: 12,
        },
        metadata: {},
      },
      { owner: 'dead', now: 0, leaseUntil: 1, alone: true },
    );
    const progress = { evaluations: 1, bestFitness: 0.25, bestSolution: [0.5], elapsedSeconds: 1 };
    await store.saveProgress(id.id, 1, { progress });
    const again = { owner: 'dead', now: 2, leaseUntil: 1, alone: true };
    for (let death = 2; death <= 3; death++) await store.claimRun(id.id, again);
    await store.close();
    const last = await start();
    const record = await until(last, id.id, isDone);
    expect(record).toMatchObject({ status: 'failed', success: false, termination_reason: 'error' });
    expect(record.error.message).toMatch(/ended unexpectedly 3 times/);
    expect(record).toMatchObject({ best_fitness: 0.25, evaluations: 1 });
    await last.end('SIGTERM');
  });

  it('by a second signal ends at once, also where it is writing', async () => {
    const service = await start();
    const code = `def f(x):\n    return x[0]\n# ${'x'.repeat(200_000)}`;
    for (let i = 0; i < 100; i++) {
      const body = { name: `f${i}`, language: 'python', code: `${code}${i}` };
      service.call('POST', '/v1/functions', body).catch(() => {});
    }
    await sleep(300);
    service.child.kill('SIGTERM');
    await sleep(5);
    expect(await service.end('SIGINT')).toBe(130);
  });
});

describe('a start', () => {
  const run = async (flags: string[], env: Record<string, string> = {}): Promise<{ code: unknown; output: string }> => {
    const child = spawnService(['--data-dir', dataDir, ...flags], env);
    let output = '';
    child.stderr?.on('data', (chunk) => (output += String(chunk)));
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    const code = await ended(child);
    return { code, output };
  };

  it('on a taken port ends with one clear line and code 1, and leaves no data', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { code, output } = await run(['--port', String(port), '--python', 'off']);
    await new Promise((resolve) => other.close(resolve));
    expect(code).toBe(1);
    expect(output).toBe(
      `Port taken: something already listens on 127.0.0.1:${port}. Stop it, or choose another port (--port N).\n`,
    );
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('on a data directory that another process uses ends with the reason', async () => {
    const first = await start();
    const { code, output } = await run(['--port', '0', '--python', 'off']);
    expect(code).toBe(1);
    expect(output).toMatch(/^Another process is using this data directory/);
    await first.end('SIGTERM');
  });

  it('without the secret of its keys says what is missing, where and how to mend it, and can begin anew', async () => {
    const first = await start();
    await upload(first);
    await first.end('SIGTERM');
    const pepper = join(dataDir, 'pepper');
    const kept = readFileSync(pepper);
    for (const [spoil, what] of [
      [
        () => rmSync(pepper),
        /^The secret of the API keys is missing: .*pepper is not there, .* 1 keys .*from the backup .*new-secret/,
      ],
      [
        () => writeFileSync(pepper, 'ab'),
        /^The secret of the API keys in .*pepper is damaged: .*from the backup .*new-secret/,
      ],
    ] as const) {
      spoil();
      const refused = await run(['--port', '0', '--python', 'off']);
      expect(refused.code).toBe(1);
      expect(refused.output).toMatch(what);
      expect(refused.output.trim().split('\n')).toHaveLength(1);
    }
    writeFileSync(pepper, kept);
    const mended = await start();
    expect((await mended.call('GET', '/v1/functions')).total).toBe(1);
    const cli = (...argv: string[]): string =>
      spawnSync(process.execPath, [distEntry('cli/main'), 'keys', ...argv, '--data-dir', dataDir], {
        encoding: 'utf8',
      })[argv[0] === 'create' ? 'stdout' : 'output'].toString();
    expect(cli('new-secret')).toMatch(/Another process is using this data directory/);
    await mended.end('SIGTERM');
    expect(cli('new-secret')).toMatch(/The secret of the API keys is there/);
    rmSync(pepper);
    expect(cli('new-secret')).toMatch(/API keys that are invalid now: 1/);
    const key = cli('create', '--account', 'default', '--scopes', 'admin').trim();
    const anew = await start();
    expect((await anew.call('GET', '/v1/functions')).error).toMatchObject({ code: 'unauthorized' });
    expect((await anew.call('GET', '/v1/functions', undefined, { authorization: `Bearer ${key}` })).total).toBe(1);
    await anew.end('SIGTERM');
  }, 60_000);

  describe('ends with one line that says what is wrong and what to do', () => {
    const database = (): string => join(dataDir, 'extremum.db');
    /** A database with records, closed. */
    const filled = async (): Promise<void> => {
      const first = await start();
      await upload(first);
      await first.end('SIGTERM');
    };
    const isRoot = process.getuid?.() === 0;
    it.each<[string, () => unknown, RegExp]>([
      [
        'where the database is cut off',
        async () => {
          await filled();
          truncateSync(database(), 20_000);
        },
        /^The database .*extremum\.db is damaged: database disk image is malformed\. .*from a backup/,
      ],
      [
        'where the pages of the database are others',
        async () => {
          await filled();
          const bytes = readFileSync(database());
          writeFileSync(database(), bytes.fill(0x5a, 4096));
        },
        /^The database .*extremum\.db is damaged: .*from a backup/,
      ],
      [
        'where the database is something else',
        () => writeFileSync(database(), 'no database'.repeat(1_000)),
        /^The database .*extremum\.db is damaged: file is not a database\. .*from a backup/,
      ],
      [
        'where the database is a folder',
        () => mkdirSync(database()),
        /^The database .*extremum\.db cannot be opened: .*unable to open database file/,
      ],
      [
        'where the data folder is a file',
        () => {
          rmSync(dataDir, { recursive: true });
          writeFileSync(dataDir, '');
        },
        /^The data directory .* cannot be made: EEXIST.* choose another one \(--data-dir DIR\)/,
      ],
      ...(isRoot
        ? []
        : [
            [
              'where the data folder cannot be written',
              () => chmodSync(dataDir, 0o500),
              /^The data directory .* cannot be written: EACCES.* choose another one \(--data-dir DIR\)/,
            ] as [string, () => unknown, RegExp],
          ]),
    ])('%s', async (_, spoil, message) => {
      await spoil();
      const { code, output } = await run(['--port', '0', '--python', 'off']);
      expect(output).toMatch(message);
      expect([code, output.trim().split('\n').length]).toEqual([1, 1]);
      if (!isRoot) chmodSync(dataDir, 0o700);
    });
  });

  it('with an interpreter that is none serves, and says so', async () => {
    const service = await start('--python', 'no-such-python');
    const why = "no Python interpreter 'no-such-python' was found; install Python 3 or set PYTHON";
    expect(service.output()).toContain(why);
    const { backends } = await service.call('GET', '/v1/health');
    expect(backends.find(({ name }: Json) => name === 'cpython')).toMatchObject({ available: false, reason: why });
    const code = 'import decimal\ndef f(x):\n    return float(decimal.Decimal(x[0]).ln())\n';
    const refused = await service.call('POST', '/v1/functions', { name: 'f', code, language: 'python' });
    const answer = refused.error ?? (await service.call('POST', '/v1/optimize', task(refused.id as string, 10))).error;
    expect(answer).toMatchObject({ code: 'unavailable', message: expect.stringContaining(why) as string });
    await service.end('SIGTERM');
  });

  it('with a bad setting ends with name, value and rule', async () => {
    expect(await run(['--port', '99999'])).toEqual({
      code: 1,
      output: '--port is "99999"; it must be a whole number from 0 to 65535.\n',
    });
    const wrong = await run(['--port', '0', '--python', 'off'], { BOOTSTRAP_API_KEY: KEY.slice(0, -1) + '!' });
    expect(wrong.code).toBe(1);
    expect(wrong.output).toMatch(/^BOOTSTRAP_API_KEY is no API key/);
    expect((await run([], { BOOTSTRAP_API_KEY: '' })).output).toMatch(/^BOOTSTRAP_API_KEY is empty/);
  });

  it('never writes a key to the log or the database', async () => {
    const service = await start('--log-level', 'trace');
    await upload(service);
    await service.call('GET', '/v1/identity');
    await service.call('GET', '/v1/identity', undefined, { authorization: `Bearer ${KEY}x` });
    await service.end('SIGTERM');
    const secret = KEY.slice(16, 48);
    expect(service.output()).toContain('"msg":"request"');
    expect(service.output()).not.toContain(secret);
    for (const file of readdirSync(dataDir)) {
      expect(readFileSync(join(dataDir, file)).includes(secret), file).toBe(false);
    }
  });
});
