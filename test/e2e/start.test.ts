import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { missing } from '../sandbox/support.js';
import { makeBarePython } from '../support/python.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly secondsToServing: number;
  output(): string;
  stop(): Promise<number | null>;
}

function launch(flags: readonly string[], env: NodeJS.ProcessEnv): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['scripts/start.mjs', ...flags], {
    cwd: root,
    env: { ...process.env, LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  return { child, output: () => output };
}

/** Starts the service as a user does and waits until it says that it serves. */
async function start(dataDir: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const began = performance.now();
  const { child, output } = launch(['--port', '0', '--data-dir', dataDir, ...flags], env);
  while (!output().includes('Serving until Ctrl-C.')) {
    if (child.exitCode !== null || performance.now() - began > 60_000) {
      child.kill('SIGKILL');
      throw new Error(`npm start did not get to serving:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    child,
    url: /serves on (\S+)/.exec(output())?.[1] ?? '',
    secondsToServing: (performance.now() - began) / 1000,
    output,
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGINT');
      return ((await exit) as [number | null])[0];
    },
  };
}

describe('npm start', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-start-'));
  const dataDir = path.join(folder, 'data');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  let key = '';

  test('the first start prints a key, an optimised example and a curl that works; Ctrl-C ends it with 0', async () => {
    const service = await start(dataDir);
    try {
      key = /shown only this once:\s+(sk_\w+)/.exec(service.output())?.[1] ?? '';
      expect(key).toMatch(/^sk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
      expect(service.output()).toMatch(/best fitness +\S+ \(known optimum 0\)/);
      expect(service.output()).toMatch(/\|\*/);
      expect(service.output()).toContain(`-H "Authorization: Bearer ${key}"`);
      const [, body] = /-d '(.*)'$/m.exec(service.output()) ?? [];
      const answer = await fetch(`${service.url}/v1/optimize`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: body ?? '',
      });
      expect(answer.status).toBe(200);
      expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  }, 90_000);

  test('a second start answers within 3 s, keeps all data and tells nobody the key', async () => {
    // On a machine with other work to do, a process gets its share of the processor and no more.
    const limit = 3 * Math.max(1, os.loadavg()[0] / os.availableParallelism());
    const service = await start(dataDir);
    try {
      expect(service.secondsToServing).toBeLessThan(limit);
      expect(service.output()).not.toContain('sk_');
      const headers = { authorization: `Bearer ${key}` };
      const list = (await (await fetch(`${service.url}/v1/optimize`, { headers })).json()) as { total: number };
      expect(list.total).toBe(2);
    } finally {
      expect(await service.stop()).toBe(0);
    }
  }, 90_000);

  test('a later start runs the example when it is given a key, and not with --no-example', async () => {
    const withKey = await start(dataDir, [], { EXTREMUM_API_KEY: key });
    const shown = withKey.output();
    await withKey.stop();
    expect(shown).toContain('best fitness');
    expect(shown).toContain('Bearer $EXTREMUM_API_KEY');
    expect(shown).not.toContain(key);
    const without = await start(dataDir, ['--no-example'], { EXTREMUM_API_KEY: key });
    const quiet = without.output();
    await without.stop();
    expect(quiet).not.toContain('best fitness');
  }, 90_000);

  test('an interpreter without NumPy and SciPy is named, with the command that mends each', async (context) => {
    const python = makeBarePython();
    try {
      context.skip(missing !== null || python.command === null, missing ?? python.reason);
      const service = await start(dataDir, ['--no-example', '--python', python.command ?? '']);
      const shown = service.output();
      await service.stop();
      expect(shown).toContain(`The Python interpreter ${python.command} (3.`);
      expect(shown).toMatch(/ has no NumPy: .* To install it \(and start again\): \S+ .*numpy$/m);
      expect(shown).toMatch(/ has no SciPy: .* To install it \(and start again\): \S+ .*scipy$/m);
    } finally {
      python.remove();
    }
  }, 90_000);

  test('a port that is taken is a clear error', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const { child, output } = launch(['--port', String(port), '--data-dir', path.join(folder, 'other')], {});
      const [code] = (await once(child, 'close')) as [number];
      expect(output()).toContain(`Port taken: something already listens on 127.0.0.1:${port}.`);
      expect(code).toBe(1);
    } finally {
      server.close();
    }
  }, 60_000);

  test('a bad setting is named with its rule', async () => {
    const { child, output } = launch(['--port', 'http'], {});
    const [code] = (await once(child, 'close')) as [number];
    expect(output()).toContain('--port is "http"; it must be a whole number from 0 to 65535.');
    expect(code).toBe(1);
  }, 60_000);
});
