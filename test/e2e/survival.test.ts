/** What survives: kill -9, an orderly stop, a crash loop. The service is a process of its own here. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { distEntry, packageRoot } from '../../src/common/dist-entry.js';
import { createIdSource } from '../../src/common/ids.js';
import { generateKey } from '../../src/identity/key-format.js';
import { PRESET_CONFIGS } from '../../src/model/intelligence.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import { SPHERE, type Json } from '../support/service.js';

interface Process {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  call(method: string, path: string, body?: object, headers?: object): Promise<Json>;
  /** Sends the signal and resolves with exit code or signal name. */
  end(signal: NodeJS.Signals): Promise<number | string | null>;
}

const KEY = generateKey();
let dataDir: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'extremum-survival-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => ended(child, 'SIGKILL')));
  rmSync(dataDir, { recursive: true, force: true });
});

function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode ?? child.signalCode);
  return new Promise((resolve) => {
    child.once('exit', (code, by) => resolve(code ?? by));
    if (signal !== undefined) child.kill(signal);
  });
}

function spawnService(flags: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, [distEntry('main'), '--data-dir', dataDir, ...flags], {
    cwd: packageRoot(),
    env: { PATH: process.env['PATH'] ?? '', BOOTSTRAP_API_KEY: KEY, ...env },
  });
  started.push(child);
  return child;
}

async function start(...flags: string[]): Promise<Process> {
  const child = spawnService([
    '--port',
    '0',
    '--python',
    'off',
    '--workers',
    '1',
    '--rate-limit-per-minute',
    '0',
    ...flags,
  ]);
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += String(chunk);
      const found = /listens on (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`the service ended: ${output}`)));
  });
  return {
    child,
    url,
    output: () => output,
    async call(method, path, body, headers = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Json;
    },
    end: (signal) => ended(child, signal),
  };
}

async function upload(service: Process): Promise<string> {
  const { id } = await service.call('POST', '/v1/functions', { name: 'f', code: SPHERE, language: 'python' });
  return id as string;
}

const task = (id: string, maxEvaluations: number): object => ({
  objective_function_id: id,
  bounds: Array.from({ length: 20 }, () => [-5, 5]),
  max_evaluations: maxEvaluations,
  seed: 7,
});
const UNDISTURBED_SECONDS = 3;
const ASYNC = { prefer: 'respond-async' };

async function until(service: Process, id: string, done: (record: Json) => boolean): Promise<Json> {
  for (;;) {
    const record = await service.call('GET', `/v1/optimize/${id}`);
    if (done(record)) return record;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
const isDone = (record: Json): boolean => record.status === 'completed' || record.status === 'failed';

/** What must not depend on what happened to the process. */
const result = ({ best_solution, best_fitness, evaluations, status, termination_reason, seed }: Json): object => ({
  best_solution,
  best_fitness,
  evaluations,
  status,
  termination_reason,
  seed,
});

describe('a service that is ended', () => {
  it('by kill -9, then by SIGTERM, ends its run with the bits of an undisturbed one; what was finished is there', async () => {
    const first = await start();
    const id = await upload(first);
    // Long enough to be ended twice on its way, however fast this machine is.
    let budget = 100_000;
    let undisturbed: Json;
    do {
      budget *= 2;
      undisturbed = await first.call('POST', '/v1/optimize', task(id, budget));
      expect(undisturbed).toMatchObject({ status: 'completed', evaluations: budget });
    } while (undisturbed.duration_seconds < UNDISTURBED_SECONDS);

    const { id: disturbed } = await first.call('POST', '/v1/optimize', task(id, budget), ASYNC);
    const { id: waiting } = await first.call('POST', '/v1/optimize', task(id, 50), ASYNC);
    const before = await until(first, disturbed as string, (record) => record.progress.evaluations > 0);
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
    expect(result(done)).toEqual(result(undisturbed));
    expect(await until(third, waiting as string, isDone)).toMatchObject({ status: 'completed', evaluations: 50 });
    const history = async (run: string): Promise<number[]> =>
      (await third.call('GET', `/v1/optimize/${run}/history`)).data.map((point: Json) => point.best_fitness as number);
    expect(await history(disturbed as string)).toEqual(await history(undisturbed.id as string));
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

  it('three times by the same run gives the run up, with the reason', async () => {
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
      { owner: 'dead', now: 0, leaseUntil: 1 },
    );
    await store.close();
    for (let death = 2; death <= 3; death++) {
      const service = await start();
      await until(service, id.id, (record) => record.progress.evaluations > 0);
      await service.end('SIGKILL');
    }
    const last = await start();
    const record = await until(last, id.id, isDone);
    expect(record).toMatchObject({ status: 'failed', success: false, termination_reason: 'error' });
    expect(record.error.message).toMatch(/ended unexpectedly 3 times/);
    expect(record.best_fitness).not.toBeNull();
    await last.end('SIGTERM');
  });
});

describe('a start', () => {
  const run = async (flags: string[], env: Record<string, string> = {}): Promise<{ code: unknown; output: string }> => {
    const child = spawnService(flags, env);
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
