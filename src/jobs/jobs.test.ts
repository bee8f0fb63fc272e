import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger, type Logger } from '../common/logger.js';
import { AgendaJobs, type AgendaJobsParts, type OpenedBackend } from './agenda-jobs.js';
import type { JobHandler, JobName } from './jobs.js';
import { LocalJob, type LocalJobParts } from './local-job.js';
import { openSqliteBackend } from './sqlite/sqlite-backend.js';
import { SqliteJobRepository } from './sqlite/job-repository.js';

const outcomes: string[] = [];
const metrics = { jobRan: (_name: JobName, outcome: string) => void outcomes.push(outcome) };
const parts: LocalJobParts = { clock: () => Date.now(), logger: silentLogger, metrics };
const FOREVER = 3_600_000;

let dataDir: string;
const started: { stop(): Promise<void> }[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'extremum-jobs-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(started.splice(0).map((one) => one.stop()));
  rmSync(dataDir, { recursive: true });
  outcomes.length = 0;
});

describe('a job in one process', () => {
  function local(handler: JobHandler, more: Partial<LocalJobParts> = {}, everyMs = FOREVER): LocalJob {
    const job = new LocalJob('expire', handler, everyMs, { ...parts, ...more });
    started.push(job);
    return job;
  }

  test('is run again when the handler asked to be woken', async () => {
    let runs = 0;
    local(async () => (++runs < 3 ? Date.now() + 5 : null)).wake();
    await vi.waitFor(() => expect(runs).toBe(3));
  });

  test('runs once more however often it is woken while it runs, never twice at a time', async () => {
    const seen = { runs: 0, now: 0, most: 0 };
    const job = local(async () => {
      seen.most = Math.max(seen.most, ++seen.now);
      seen.runs++;
      await sleep(20);
      seen.now--;
      return null;
    });
    for (let i = 0; i < 10; i++) job.wake();
    void job.run();
    await vi.waitFor(() => expect(seen.runs).toBe(2));
    await sleep(50);
    expect(seen).toEqual({ runs: 2, now: 0, most: 1 });
  });

  test.each<[string, JobHandler]>([
    ['throws at once', () => expect.fail('at once')],
    ['rejects', () => Promise.reject(new Error('later'))],
    [
      'throws what is no error',
      () => {
        throw undefined;
      },
    ],
    ['answers nonsense', async () => Number.NaN],
    ['answers nothing', async () => undefined as never],
    ['never answers', () => new Promise(() => {})],
  ])('a handler that %s is counted as failed, and run again', async (_how, poison) => {
    let runs = 0;
    const handler: JobHandler = (signal) => (++runs <= 2 ? poison(signal) : Promise.resolve(null));
    const job = local(handler, { longestMs: 10, graceMs: 10 }, 5);
    await expect(job.run()).rejects.toBeDefined();
    await vi.waitFor(() => expect(outcomes).toEqual(['failed', 'failed', 'ok']));
  });

  test('failures are tried again ever more seldom, at most as seldom as agreed', async () => {
    vi.useFakeTimers();
    const at: number[] = [];
    local(
      async () => {
        at.push(Date.now());
        throw new Error('always');
      },
      {},
      1_500,
    ).wake();
    await vi.advanceTimersByTimeAsync(8_000);
    const gaps = at.slice(1).map((time, i) => time - at[i]);
    expect(gaps).toEqual([250, 500, 1_000, 1_500, 1_500, 1_500, 1_500]);
  });

  test('one that takes too long is told, and its end accepted', async () => {
    const handler: JobHandler = (signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
    await local(handler, { longestMs: 10, graceMs: 5_000 }).run();
    expect(outcomes).toEqual(['ok']);
  });

  test('a clock that is set back does not make it wait longer than agreed, nor a time in the past spin', async () => {
    vi.useFakeTimers();
    let runs = 0;
    local(
      async () => {
        if (++runs === 1) return Date.now() + 1_000;
        return Date.now() - 600_000;
      },
      {},
      60_000,
    ).wake();
    await vi.advanceTimersByTimeAsync(0);
    vi.setSystemTime(Date.now() - 600_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(25);
    expect(runs).toBe(4);
  });
});

describe('jobs woken by Agenda', () => {
  const quick = { processEveryMs: 20, lockMs: 400, checkEveryMs: 50 };

  function agenda(more: Partial<AgendaJobsParts> = {}): AgendaJobs {
    const openBackend = (): Promise<OpenedBackend> => openSqliteBackend(dataDir);
    const jobs = new AgendaJobs({ ...parts, openBackend, ...quick, ...more });
    started.push(jobs);
    return jobs;
  }

  async function withRows<T>(body: (rows: SqliteJobRepository) => Promise<T>): Promise<T> {
    const rows = new SqliteJobRepository(join(dataDir, 'jobs.db'));
    await rows.connect();
    try {
      return await body(rows);
    } finally {
      rows.close();
    }
  }

  test('every job is woken at the start, and again and again', async () => {
    const jobs = agenda();
    const runs = { often: 0, seldom: 0 };
    jobs.define('relay-events', async () => (runs.often++, null), { everyMs: 50 });
    jobs.define('expire', async () => (runs.seldom++, null), { everyMs: FOREVER });
    await jobs.start();
    expect(jobs.trouble).toBeNull();
    await vi.waitFor(() => expect(runs.often).toBeGreaterThan(4));
    // At the start, and by its new row unless that came while the first was running.
    expect(runs.seldom).toBeLessThanOrEqual(2);
  });

  test('a nudge needs no scan, and one for what is not defined does nothing', async () => {
    const jobs = agenda({ processEveryMs: FOREVER });
    let runs = 0;
    jobs.define('relay-events', async () => (runs++, null), { everyMs: FOREVER });
    jobs.nudge('relay-events');
    expect(runs).toBe(0);
    await jobs.start();
    await vi.waitFor(() => expect(runs).toBeGreaterThan(0));
    const before = runs;
    jobs.nudge('relay-events');
    jobs.nudge('send-deliveries');
    await vi.waitFor(() => expect(runs).toBeGreaterThan(before));
  });

  test('a poisonous handler disturbs no other', async () => {
    const jobs = agenda();
    let good = 0;
    jobs.define('relay-events', () => expect.fail('poison'), { everyMs: 20 });
    jobs.define('expire', async () => (good++, null), { everyMs: 20 });
    await jobs.start();
    await vi.waitFor(() => expect(good).toBeGreaterThan(5));
    expect(outcomes.filter((outcome) => outcome === 'failed').length).toBeGreaterThan(2);
    expect(jobs.trouble).toBeNull();
  });

  test('a handler that works longer than a lock lives is not given to another', async () => {
    const jobs = agenda({ processEveryMs: 10 });
    const seen = { now: 0, most: 0 };
    jobs.define(
      'expire',
      async () => {
        seen.most = Math.max(seen.most, ++seen.now);
        await sleep(1_200);
        seen.now--;
        return null;
      },
      { everyMs: FOREVER },
    );
    await jobs.start();
    await sleep(200);
    // As another process would: with the lock life that it too has.
    for (let i = 0; i < 30; i++) {
      const deadline = new Date(Date.now() - quick.lockMs);
      expect(await withRows((rows) => rows.getNextJobToRun('expire', new Date(), deadline))).toBeUndefined();
      await sleep(25);
    }
    expect(seen.most).toBe(1);
  });

  test('rows that are lost, or planned for after a clock was set back, are made anew', async () => {
    const jobs = agenda();
    let runs = 0;
    jobs.define('expire', async () => (runs++, null), { everyMs: 100 });
    await jobs.start();
    await withRows((rows) => rows.purgeAllJobs());
    const before = runs;
    await vi.waitFor(() => expect(runs).toBeGreaterThan(before + 2));
    // Ten minutes ago this process thought that it was now.
    await withRows(async (rows) => {
      const { jobs: found } = await rows.queryJobs({ name: 'expire' });
      await rows.saveJob({
        ...found[0],
        nextRunAt: new Date(Date.now() + 600_000),
        lockedAt: new Date(Date.now() + 600_000),
      });
    });
    const then = runs;
    await vi.waitFor(() => expect(runs).toBeGreaterThan(then + 2), 5_000);
  });

  test('between two looks, however far apart, nothing is wrong', async () => {
    vi.useFakeTimers();
    const jobs = agenda({ processEveryMs: 8_000 });
    jobs.define('expire', async () => null, { everyMs: FOREVER });
    await jobs.start();
    const said = new Set<string | null>();
    for (let i = 0; i < 200; i++) {
      await vi.advanceTimersByTimeAsync(100);
      said.add(jobs.trouble);
    }
    expect([...said]).toEqual([null]);
  });

  const MINUTE = 60_000;
  /** Advances by whole minutes, in steps that Agenda's looks fit into; tells how often the job ran. */
  async function runsWithin(minutes: number): Promise<number> {
    const before = outcomes.length;
    for (let i = 0; i < minutes * 12; i++) await vi.advanceTimersByTimeAsync(5_000);
    return outcomes.length - before;
  }

  test('a clock that is set forward makes up for nothing: one run, then as before', async () => {
    vi.useFakeTimers();
    const jobs = agenda({ processEveryMs: 1_000, lockMs: 30_000 });
    jobs.define('expire', async () => null, { everyMs: MINUTE });
    await jobs.start();
    for (const hours of [1, 24 * 400]) {
      const before = await runsWithin(10);
      expect(before).toBeGreaterThanOrEqual(9);
      expect(before).toBeLessThanOrEqual(11);
      vi.setSystemTime(Date.now() + hours * 60 * MINUTE);
      const step = outcomes.length;
      await vi.advanceTimersByTimeAsync(5_000);
      expect(outcomes.length - step).toBe(1);
      expect(jobs.trouble).toBeNull();
    }
  });

  test.each(['2026-03-29T00:50:00Z', '2026-10-25T00:50:00Z'])('daylight saving changes nothing (%s)', async (now) => {
    const { TZ } = process.env;
    try {
      process.env['TZ'] = 'Europe/Berlin';
      vi.useFakeTimers({ now: Date.parse(now) });
      const offset = new Date().getTimezoneOffset();
      const jobs = agenda({ processEveryMs: 1_000, lockMs: 30_000 });
      jobs.define('expire', async () => null, { everyMs: MINUTE });
      await jobs.start();
      const runs = await runsWithin(20);
      expect(Math.abs(new Date().getTimezoneOffset() - offset)).toBe(60);
      expect(runs).toBeGreaterThanOrEqual(19);
      expect(runs).toBeLessThanOrEqual(21);
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  });

  test('handlers that work for long, all at once, are no silence of the store', async () => {
    vi.useFakeTimers();
    const jobs = agenda({ processEveryMs: 500, lockMs: 30_000 });
    const work = (): Promise<null> => new Promise((resolve) => setTimeout(() => resolve(null), 120_000));
    jobs.define('expire', work, { everyMs: 1_000 });
    await jobs.start();
    const said = new Set<string | null>();
    for (let i = 0; i < 600; i++) {
      await vi.advanceTimersByTimeAsync(100);
      said.add(jobs.trouble);
    }
    expect([...said]).toEqual([null]);
  });

  test('what a dead process has locked is open to the next one at once', async () => {
    const first = agenda();
    first.define('expire', async () => null, { everyMs: FOREVER });
    await first.start();
    await first.stop();
    await withRows(async (rows) => {
      const { jobs: found } = await rows.queryJobs();
      await rows.saveJob({ ...found[0], nextRunAt: new Date(), lockedAt: new Date() });
    });
    const second = agenda({ lockMs: FOREVER });
    let runs = 0;
    second.define('expire', async () => (runs++, null), { everyMs: FOREVER });
    await second.start();
    await vi.waitFor(() => expect(runs).toBeGreaterThan(0));
    await withRows(async (rows) => expect((await rows.queryJobs()).total).toBe(1));
  });

  test('a file that is no database is replaced', async () => {
    writeFileSync(join(dataDir, 'jobs.db'), 'no database '.repeat(1_000));
    const jobs = agenda();
    jobs.define('expire', async () => null, { everyMs: FOREVER });
    await jobs.start();
    expect(jobs.trouble).toBeNull();
  });

  test('the end is told to who runs, waited for, and written down', async () => {
    const jobs = agenda();
    let ended = false;
    const handler: JobHandler = async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await sleep(20);
      ended = true;
      return null;
    };
    jobs.define('expire', handler, { everyMs: FOREVER });
    await jobs.start();
    const isLocked = async (): Promise<boolean> =>
      withRows(async (rows) => (await rows.queryJobs()).jobs[0]?.lockedAt !== undefined);
    await vi.waitFor(async () => expect(await isLocked()).toBe(true));
    await jobs.stop();
    expect(ended).toBe(true);
    // Nothing is left in the log.
    expect(statSync(join(dataDir, 'jobs.db-wal')).size).toBe(0);
    expect(await isLocked()).toBe(false);
    jobs.nudge('expire');
    expect(outcomes).toEqual(['ok']);
  });

  test('a row whose claim is answered after the stop is given back before the end', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let hasClaimed = false;
    const openBackend = async (): Promise<OpenedBackend> => {
      const opened = await openSqliteBackend(dataDir);
      const { repository } = opened.backend;
      const next = repository.getNextJobToRun.bind(repository);
      repository.getNextJobToRun = async (...asked) => {
        const found = await next(...asked);
        if (found === undefined) return undefined;
        hasClaimed = true;
        await answered;
        return found;
      };
      return opened;
    };
    const jobs = agenda({ openBackend, lockMs: FOREVER });
    jobs.define('expire', async () => null, { everyMs: FOREVER });
    await jobs.start();
    await vi.waitFor(() => expect(hasClaimed).toBe(true), 5_000);
    const stopped = jobs.stop();
    await sleep(100);
    answer();
    await stopped;
    const { jobs: rows } = await withRows((repository) => repository.queryJobs({ names: ['expire'] }));
    expect(rows).toMatchObject([{ name: 'expire' }]);
    expect(rows[0]?.lockedAt ?? null).toBeNull();
  });

  test('a store that is away at the start is tried again; nudges work meanwhile', async () => {
    let away = true;
    const warnings: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (_facts, message) => void warnings.push(message) };
    const openBackend = (): Promise<OpenedBackend> =>
      away ? Promise.reject(new Error('away')) : openSqliteBackend(dataDir);
    const jobs = agenda({ openBackend, logger });
    let runs = 0;
    jobs.define('expire', async () => (runs++, null), { everyMs: FOREVER });
    await jobs.start();
    expect(jobs.trouble).toBe('the scheduler has not started');
    expect(warnings).toEqual(['the scheduler does not start; trying again']);
    jobs.nudge('expire');
    await vi.waitFor(() => expect(runs).toBe(2));
    away = false;
    await vi.waitFor(() => expect(jobs.trouble).toBeNull(), 5_000);
    await vi.waitFor(() => expect(runs).toBe(3), 5_000);
  });

  test('a store that goes away is told once, and heard of again', async () => {
    let away = false;
    const said: string[] = [];
    const say = (_facts: object, message: string): void => void said.push(message);
    const logger: Logger = { ...silentLogger, warn: say, info: say };
    const openBackend = async (): Promise<OpenedBackend> => {
      const opened = await openSqliteBackend(dataDir);
      const { repository } = opened.backend;
      const next = repository.getNextJobToRun.bind(repository);
      repository.getNextJobToRun = (...asked) => (away ? Promise.reject(new Error('away')) : next(...asked));
      return opened;
    };
    const jobs = agenda({ openBackend, logger });
    jobs.define('expire', async () => null, { everyMs: FOREVER });
    await jobs.start();
    away = true;
    await vi.waitFor(() => expect(said).toEqual(['the scheduler had a failure']));
    await sleep(100);
    away = false;
    await vi.waitFor(() =>
      expect(said).toEqual(['the scheduler had a failure', 'the scheduler reaches its store again']),
    );
  });
});
