/**
 * Agenda on a MongoDB that several processes share: one row each, one process at a time, and what ends leave behind.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { silentLogger } from '../../src/common/logger.js';
import { AgendaJobs, type AgendaJobsParts } from '../../src/jobs/agenda-jobs.js';
import { openMongodbBackend } from '../../src/jobs/mongodb/mongodb-backend.js';
import {
  describeWithMongodb,
  describeWithOwnMongod,
  dropDatabase,
  newDatabaseUrl,
  startOwnMongod,
  withClient,
  type OwnMongod,
} from '../support/mongodb.js';
import type { Json } from '../support/service.js';
import { ended } from '../support/service-process.js';

const FOREVER = 3_600_000;
const HOSTS_START_TOGETHER = 50;

const hosts: AgendaJobs[] = [];
const children: ChildProcess[] = [];
const rejections: unknown[] = [];
const onRejection = (error: unknown): void => void rejections.push(error);

function host(url: string, more: Partial<AgendaJobsParts> = {}): AgendaJobs {
  const jobs = new AgendaJobs({
    openBackend: () => openMongodbBackend(url),
    clock: () => Date.now(),
    logger: silentLogger,
    metrics: { jobRan() {} },
    processEveryMs: 50,
    lockMs: 1_000,
    ...more,
  });
  hosts.push(jobs);
  return jobs;
}

const rowsIn = (url: string): Promise<Json[]> =>
  withClient(url, (client) => client.db().collection('agenda_jobs').find().toArray());

beforeEach(() => void process.on('unhandledRejection', onRejection));
afterEach(async () => {
  await Promise.all([
    ...hosts.splice(0).map((one) => one.stop()),
    ...children.splice(0).map((one) => ended(one, 'SIGKILL')),
  ]);
  process.off('unhandledRejection', onRejection);
  expect(rejections.splice(0)).toEqual([]);
});

describeWithMongodb('jobs of several processes', () => {
  let url: string;
  beforeAll(() => {
    url = newDatabaseUrl();
  });
  afterEach(() => dropDatabase(url));
  afterAll(() => dropDatabase(url));

  /** Resolves with the process once it has said `text`. */
  async function worker(text: string, lockMs: number, everyMs: number, workMs: number): Promise<() => string> {
    const script = join(packageRoot(), 'test', 'support', 'jobs-worker.mjs');
    const child = spawn(process.execPath, [script, url, ...[lockMs, everyMs, workMs].map(String)]);
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    await vi.waitFor(() => expect(output).toContain(text), 15_000);
    return () => output;
  }
  const lockedRow = (): Promise<Json> =>
    vi.waitFor(async () => {
      const row = (await rowsIn(url)).find(({ lockedAt }) => lockedAt !== null);
      expect(row).toBeDefined();
      return row;
    }, 10_000);

  it(`two that start together leave one row of each job, ${HOSTS_START_TOGETHER} times`, async () => {
    for (let round = 0; round < HOSTS_START_TOGETHER; round++) {
      const pair = [host(url), host(url)];
      for (const jobs of pair) {
        for (const name of ['relay-events', 'expire'] as const)
          jobs.define(name, async () => null, { everyMs: FOREVER });
      }
      await Promise.all(pair.map((jobs) => jobs.start()));
      expect(pair.map((jobs) => jobs.trouble)).toEqual([null, null]);
      expect((await rowsIn(url)).map(({ name }) => name as string).sort()).toEqual(['expire', 'relay-events']);
      await Promise.all(hosts.splice(0).map((one) => one.stop()));
      await withClient(url, (client) => client.db().dropCollection('agenda_jobs'));
    }
  }, 60_000);

  it('each interval wakes one of them', async () => {
    const runs = [0, 0, 0];
    for (const i of runs.keys()) {
      const jobs = host(url);
      jobs.define('expire', async () => (runs[i]++, null), { everyMs: 300 });
      await jobs.start();
    }
    const before = runs.reduce((a, b) => a + b);
    const startedAt = performance.now();
    await sleep(3_000);
    const intervals = (performance.now() - startedAt) / 300;
    const woken = runs.reduce((a, b) => a + b) - before;
    expect(woken).toBeGreaterThan(2);
    expect(woken).toBeLessThanOrEqual(intervals + 2);
  });

  it('the work of one that is killed is found by another when the lock has run out', async () => {
    await worker('begun', 1_000, 500, FOREVER);
    await lockedRow();
    let runs = 0;
    const jobs = host(url);
    jobs.define('expire', async () => (runs++, null), { everyMs: 500 });
    await jobs.start();
    await vi.waitFor(() => expect(runs).toBe(1));
    await sleep(1_500);
    // The lock is renewed as long as the other lives.
    expect(runs).toBe(1);
    await ended(children[0], 'SIGKILL');
    await vi.waitFor(() => expect(runs).toBeGreaterThan(2), 10_000);
  });

  it('SIGTERM during the work ends it, gives the row back, and is no failure', async () => {
    const output = await worker('begun', FOREVER, FOREVER, FOREVER);
    await lockedRow();
    const startedAt = performance.now();
    expect(await ended(children[0], 'SIGTERM')).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(output()).toMatch(/begun\n[^]*done\nok\n/);
    expect(output()).not.toMatch(/unhandled|failure/);
    expect(await rowsIn(url)).toMatchObject([{ name: 'expire', lockedAt: null }]);
  });
});

describeWithOwnMongod('jobs while the server is away', () => {
  let server: OwnMongod;
  beforeAll(async () => {
    server = await startOwnMongod('replica set');
  }, 60_000);
  afterAll(() => server.remove());

  it('the process lives and says so, nudges work, and so does everything once it is back', async () => {
    const url = newDatabaseUrl(server.url);
    const jobs = host(url);
    let runs = 0;
    jobs.define('expire', async () => (runs++, null), { everyMs: 200 });
    await jobs.start();
    await vi.waitFor(() => expect(runs).toBeGreaterThan(2), 5_000);
    await server.kill();
    await vi.waitFor(() => expect(jobs.trouble).toBe('the scheduler does not reach its store'), 15_000);
    const before = runs;
    jobs.nudge('expire');
    await vi.waitFor(() => expect(runs).toBeGreaterThan(before));
    await server.restart();
    await vi.waitFor(() => expect(jobs.trouble).toBeNull(), 15_000);
    const then = runs;
    await vi.waitFor(() => expect(runs).toBeGreaterThan(then + 2), 15_000);
  }, 60_000);
});
