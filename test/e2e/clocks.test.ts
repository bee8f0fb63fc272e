/**
 * A machine whose clock is wrong for a while: libfaketime (Debian's package `faketime`) gives the whole process another
 * clock, as the operating system would, and moves it while the process lives.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../support/data-folder.js';
import type { Json } from '../support/service.js';
import {
  ASYNC,
  endAll,
  isDone,
  KEY,
  hasProgress,
  startProcessWith,
  task,
  undisturbedRun,
  until,
  upload,
  type ServiceProcess,
} from '../support/service-process.js';

const library = (existsSync('/usr/lib') ? readdirSync('/usr/lib') : [])
  .map((name) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));
const YEAR_MS = 365 * 86_400_000;
const RATE = 60;

const NAME = 'a clock that jumps';
const [suite, name] =
  library === undefined ? [describe.skip, `${NAME} (skipped: no libfaketime, package faketime)`] : [describe, NAME];
suite(name, { timeout: 60_000 }, () => {
  let folder: string;
  beforeEach(() => {
    folder = dataFolder('extremum-clocks-');
  });
  afterEach(async () => {
    await endAll();
    rmSync(folder, { recursive: true, force: true });
  });

  /** From now on the clock of the service is off by so much. */
  const setClock = (years: number): void =>
    writeFileSync(join(folder, 'clock'), `${years < 0 ? '' : '+'}${365 * years}d\n`);
  const start = (...flags: string[]): Promise<ServiceProcess> =>
    startProcessWith(
      {
        LD_PRELOAD: library ?? '',
        FAKETIME_TIMESTAMP_FILE: join(folder, 'clock'),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
      ...['--data-dir', join(folder, 'data'), ...flags],
    );
  /** How far a time of the service is from ours, in years. */
  const yearsOff = (time: string): number => Math.round((Date.parse(time) - Date.now()) / YEAR_MS) || 0;
  const quick = (service: ServiceProcess, id: string): Promise<Json> =>
    service.call('POST', '/v1/optimize', task(id, 100));
  const idsOf = async (service: ServiceProcess, path: string): Promise<string[]> =>
    (await service.call('GET', `${path}?limit=100`)).data.map(({ id }: Json) => id as string) as string[];
  const statusOf = async (service: ServiceProcess, path: string): Promise<[number, number]> => {
    const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${KEY}` } });
    await answer.text();
    return [answer.status, Number(answer.headers.get('x-ratelimit-reset')) - Date.now() / 1000];
  };

  it.each([
    ['ahead, and is set back', [1, 0]],
    ['behind, and is set forward', [-1, 0]],
    ['set forward, and back', [0, 1, 0]],
    ['set back, and forward', [0, -1, 0]],
  ])('in the life of a process (%s) shuts nobody out', async (_, offsets) => {
    setClock(offsets[0] ?? 0);
    const service = await start('--workers', '2', '--rate-limit-per-minute', String(RATE));
    const functions = [await upload(service)];
    // One that is carried out meanwhile, and takes no longer for it.
    const long = await service.call(
      'POST',
      '/v1/optimize',
      { ...task(functions[0] ?? '', 1e9), timeout_seconds: 300 },
      ASYNC,
    );
    for (const years of offsets) {
      setClock(years);
      const [status, resetSeconds] = await statusOf(service, '/v1/identity');
      expect(status).toBe(200);
      expect(resetSeconds - years * (YEAR_MS / 1000)).toBeLessThan(121);
      const id = await upload(service);
      functions.push(id);
      const { created_at } = await service.call('GET', `/v1/functions/${id}`);
      expect(yearsOff(created_at as string)).toBe(years);
      expect(await quick(service, id)).toMatchObject({ status: 'completed', evaluations: 100 });
      // As many as the key may, and more.
      let last: [number, number];
      do last = await statusOf(service, '/v1/functions');
      while (last[0] === 200);
      expect(last[0]).toBe(429);
    }
    // The limit holds: nothing but a jump begins another window.
    expect((await statusOf(service, '/v1/identity'))[0]).toBe(429);
    expect(await service.end('SIGTERM')).toBe(0);

    const again = await start();
    expect(await idsOf(again, '/v1/functions')).toEqual([...functions].sort().reverse());
    const { key } = await again.call('GET', '/v1/identity');
    expect(yearsOff(key.last_used_at as string) === 0 || key.last_used_at === null).toBe(true);
    await until(again, long.id as string, hasProgress);
    const ended = await again.call('POST', `/v1/optimize/${long.id}/cancel`);
    expect(ended).toMatchObject({ termination_reason: 'cancelled' });
    expect(ended.duration_seconds).toBeLessThan(300);
  });

  it.each([
    ['ahead', 1],
    ['behind', -1],
  ])('between two starts, where the first one was %s: runs go on, keys work, lists are in order', async (_, years) => {
    setClock(years);
    const first = await start();
    const id = await upload(first);
    const undisturbed = await undisturbedRun(first, id, 1);
    const budget = undisturbed.max_evaluations as number;
    const run = await first.call('POST', '/v1/optimize', task(id, budget), ASYNC);
    const key = { 'idempotency-key': 'k', ...ASYNC };
    const keyed = await first.call('POST', '/v1/optimize', task(id, budget), key);
    const { id: keyId } = await first.call('POST', '/v1/identity/keys', { name: 'for a day', scopes: ['read'] });
    await until(first, run.id as string, hasProgress);
    await first.end('SIGKILL');

    setClock(0);
    const second = await start();
    // Kept for a day: for the second one a year may have passed.
    const again = await second.call('POST', '/v1/optimize', task(id, budget), key);
    expect(again.id === keyed.id).toBe(years > 0);
    for (const { id: runId } of [run, keyed]) {
      expect(await until(second, runId as string, isDone)).toMatchObject({
        status: 'completed',
        best_fitness: undisturbed.best_fitness,
        evaluations: budget,
      });
    }
    const after = await quick(second, id);
    expect(after).toMatchObject({ status: 'completed' });
    expect([yearsOff(run.created_at as string), yearsOff(after.created_at as string)]).toEqual([years, 0]);
    const ids = [undisturbed.id, run.id, keyed.id, after.id] as string[];
    expect((await idsOf(second, '/v1/optimize')).filter((one) => ids.includes(one))).toEqual([...ids].sort().reverse());
    expect(await idsOf(second, '/v1/identity/keys')).toContain(keyId);
    await expect
      .poll(async () => yearsOff((await second.call('GET', '/v1/identity')).key.last_used_at as string))
      .toBe(0);
  });
});
