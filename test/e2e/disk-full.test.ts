/** A service whose data directory takes no more: a full disk, a limit on the size of files, a read-only file system. */
import { DatabaseSync } from '@photostructure/sqlite';
import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ASYNC,
  KEY,
  endAll,
  ended,
  hasProgress,
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

const run = (...[command, ...more]: [string, ...string[]]): boolean => spawnSync(command, more).status === 0;

let folder: string;
let isMounted = false;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'extremum-full-'));
  isMounted = false;
});
afterEach(async () => {
  await endAll();
  if (isMounted) run('umount', '--lazy', folder);
  rmSync(folder, { recursive: true, force: true });
});

/** Makes the folder a small file system of its own. False: this user may not. */
function mountSmall(): boolean {
  isMounted = run('mount', '-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder);
  return isMounted;
}

const start = (): Promise<ServiceProcess> => startProcess('--data-dir', folder);

async function ask(service: ServiceProcess, method: string, path: string, body?: object): Promise<[number, Json]> {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  return [response.status, await response.json()];
}

/** Goes through a time without room; `fill` begins it and returns how to end it. */
async function survive(fill: (service: ServiceProcess) => () => void): Promise<void> {
  const service = await start();
  const functionId = await upload(service);
  const undisturbed = await undisturbedRun(service, functionId, 1);
  const request = task(functionId, undisturbed.evaluations as number);
  const { id } = await service.call('POST', '/v1/optimize', request, ASYNC);
  await until(service, id as string, hasProgress);

  const free = fill(service);
  const refused = { error: { code: 'unavailable', message: 'The service cannot read or write its data.' } };
  let accepted = 1;
  const uploadLarge = async (): Promise<[number, Json]> => {
    const code = `${SPHERE}# ${accepted} ${'x'.repeat(250_000)}\n`;
    const answer = await ask(service, 'POST', '/v1/functions', { name: 'g', code, language: 'python' });
    if (answer[0] === 201) accepted += 1;
    return answer;
  };
  // The write-ahead log is written over from its start where that is possible: it may have room for some.
  while ((await uploadLarge())[0] === 201);
  expect(accepted).toBeLessThan(200);
  expect(await uploadLarge()).toMatchObject([503, refused]);
  expect((await ask(service, 'GET', '/readyz'))[0]).toBe(503);
  expect((await ask(service, 'GET', '/livez'))[0]).toBe(200);
  expect(await ask(service, 'GET', '/v1/health')).toMatchObject([200, { status: 'degraded' }]);
  // What is there can be read.
  expect(await ask(service, 'GET', `/v1/optimize/${undisturbed.id as string}`)).toMatchObject([200, undisturbed]);
  await sleep(2_000);
  expect(await uploadLarge()).toMatchObject([503, refused]);
  expect(service.child.exitCode).toBeNull();

  free();
  while ((await ask(service, 'GET', '/readyz'))[0] !== 200) await sleep(50);
  expect((await uploadLarge())[0]).toBe(201);
  expect(resultOf(await until(service, id as string, isDone))).toEqual(resultOf(undisturbed));
  expect(await service.call('GET', '/v1/functions')).toMatchObject({ total: accepted });
  expect(await service.end('SIGTERM')).toBe(0);
  const db = new DatabaseSync(join(folder, 'extremum.db'));
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  db.close();
}

describe('a service without room for its data says so, goes on reading, and recovers', () => {
  it('on a full file system', async ({ skip }) => {
    if (!mountSmall()) skip('may not mount a file system of its own');
    await survive(() => {
      const ballast = join(folder, 'ballast');
      const file = openSync(ballast, 'w');
      const piece = Buffer.alloc(64 * 1024);
      const write = (size: number): boolean => {
        try {
          return writeSync(file, piece, 0, size) === size;
        } catch {
          return false;
        }
      };
      for (const size of [piece.length, 4_096, 1]) while (write(size));
      closeSync(file);
      return () => rmSync(ballast);
    });
  }, 120_000);

  it('where files may not grow', async ({ skip }) => {
    const limit = (pid: number | undefined, size: string): boolean =>
      run('prlimit', '--pid', String(pid ?? 0), `--fsize=${size}:`);
    if (!limit(process.pid, 'unlimited')) skip('needs prlimit (Debian: apt-get install util-linux)');
    await survive(({ child: { pid } }) => {
      expect(limit(pid, '4096')).toBe(true);
      return () => void limit(pid, 'unlimited');
    });
  }, 120_000);
});

it('a start on a read-only data directory ends with the reason, and works once it is writable', async ({ skip }) => {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !mountSmall()) skip('root may write anywhere, and may not mount a file system of its own');
  const writable = (wanted: boolean): void => {
    if (isRoot) expect(run('mount', '-o', `remount,${wanted ? 'rw' : 'ro'}`, folder)).toBe(true);
    else chmodSync(folder, wanted ? 0o700 : 0o500);
  };
  const refused = async (): Promise<string> => {
    const child = spawnService(['--data-dir', folder, '--port', '0', '--python', 'off', '--log-level', 'silent']);
    let output = '';
    child.stderr?.on('data', (chunk) => (output += String(chunk)));
    expect(await ended(child)).toBe(1);
    return output;
  };
  writable(false);
  expect(await refused()).toMatch(/^[^\n]*extremum[^\n]*\n$/);
  writable(true);
  const service = await start();
  const functionId = await upload(service);
  expect(await service.end('SIGTERM')).toBe(0);
  writable(false);
  expect(await refused()).toMatch(/^[^\n]*extremum[^\n]*\n$/);
  writable(true);
  const again = await start();
  expect(await again.call('GET', `/v1/functions/${functionId}`)).toMatchObject({ id: functionId });
  expect(await again.end('SIGTERM')).toBe(0);
}, 120_000);
