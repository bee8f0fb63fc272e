/**
 * What Agenda asks of whoever keeps its jobs: its documented repository interface, as far as Agenda or an operator's
 * tool may come to rely on it. Runs against our SQLite repository and against Agenda's own for MongoDB, so that what
 * Agenda does does not depend on the database.
 */
import type { JobParameters, JobRepository } from 'agenda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

export interface RepositoryFixture {
  /** Connected, on jobs that were empty before the test. */
  readonly repository: JobRepository;
  /** On the same jobs, as another process has it. */
  readonly another: JobRepository;
  cleanUp(): Promise<void>;
}

const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const by = { lastModifiedBy: 'me' };

const minutes = (count: number): Date => new Date(Date.now() + count * 60_000);

function job(name: string, more: Partial<JobParameters> = {}): JobParameters {
  return { name, type: 'normal', priority: 0, nextRunAt: minutes(-1), data: {}, ...more };
}

export function jobRepositorySuite(kind: string, make: () => Promise<RepositoryFixture>): void {
  describe(`${kind} as Agenda's repository`, () => {
    let fixture: RepositoryFixture;
    let repository: JobRepository;
    beforeEach(async () => {
      fixture = await make();
      ({ repository } = fixture);
    });
    afterEach(() => fixture.cleanUp());

    const save = (name: string, more?: Partial<JobParameters>): Promise<JobParameters> =>
      repository.saveJob(job(name, more), by);
    const next = (name: string, from = repository, deadline = LONG_AGO): Promise<JobParameters | undefined> =>
      from.getNextJobToRun(name, minutes(0), deadline, undefined, by);
    const namesOf = async (): Promise<string[]> => (await repository.queryJobs()).jobs.map(({ name }) => name).sort();
    const idOf = ({ _id }: JobParameters): string => {
      expect(_id).toBeTypeOf('string');
      return _id as string;
    };

    describe('claims', () => {
      it('gives a due job out once, locked', async () => {
        await save('a');
        const claimed = await next('a');
        expect(claimed).toMatchObject({ name: 'a', lastModifiedBy: 'me' });
        expect(Math.abs(claimed!.lockedAt!.getTime() - Date.now())).toBeLessThan(10_000);
        expect(await next('a')).toBeUndefined();
        expect(await next('a', fixture.another)).toBeUndefined();
      });

      it('the time of the lock is the one that is given', async () => {
        await save('a');
        const now = minutes(-5);
        const claimed = await repository.getNextJobToRun('a', minutes(0), LONG_AGO, now, by);
        expect(claimed?.lockedAt).toEqual(now);
      });

      it('gives out nothing of another name, not due, without a time, or disabled', async () => {
        await save('other');
        await save('a', { nextRunAt: minutes(1) });
        await save('a', { nextRunAt: null });
        await save('a', { disabled: true });
        expect(await next('a')).toBeUndefined();
      });

      it('what is due before the next scan counts as due', async () => {
        await save('a', { nextRunAt: minutes(1) });
        expect(await repository.getNextJobToRun('a', minutes(2), LONG_AGO, undefined, by)).toBeDefined();
      });

      it('the earliest first, then the one of the highest priority', async () => {
        const [early, late] = [minutes(-3), minutes(-2)];
        await save('a', { nextRunAt: late, priority: 10, data: 3 });
        await save('a', { nextRunAt: early, priority: 0, data: 2 });
        await save('a', { nextRunAt: early, priority: 5, data: 1 });
        const order = [await next('a'), await next('a'), await next('a')].map((claimed) => claimed?.data);
        expect(order).toEqual([1, 2, 3]);
      });

      it('a lock older than the deadline is given to another, also where no time is set any more', async () => {
        for (const nextRunAt of [minutes(-1), minutes(60), null]) {
          const { name } = await save(`a ${String(nextRunAt)}`, { nextRunAt, lockedAt: minutes(-10) });
          expect(await next(name)).toBeUndefined();
          expect(await next(name, repository, minutes(-5))).toMatchObject({ nextRunAt });
          expect(await next(name, repository, minutes(-5))).toBeUndefined();
        }
      });

      it('of many claims at a time each job is given to one', async () => {
        await Promise.all(Array.from({ length: 20 }, (_, i) => save('a', { data: i })));
        const lanes = Array.from({ length: 40 }, (_, i) => next('a', i % 2 === 0 ? repository : fixture.another));
        const given = (await Promise.all(lanes)).flatMap((claimed) => (claimed === undefined ? [] : [claimed.data]));
        expect(new Set(given).size).toBe(given.length);
        for (let claimed = await next('a'); claimed !== undefined; claimed = await next('a')) given.push(claimed.data);
        expect((given as number[]).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
      });

      it('lockJob locks a job as it was seen, once', async () => {
        const seen = await save('a');
        expect(await repository.lockJob(seen, by)).toMatchObject({ _id: seen._id, lastModifiedBy: 'me' });
        expect(await repository.lockJob(seen, by)).toBeUndefined();
        const moved = await save('b');
        await repository.saveJobState({ ...moved, nextRunAt: minutes(3) }, by);
        expect(await repository.lockJob(moved, by)).toBeUndefined();
        const disabled = await save('c', { disabled: true });
        expect(await repository.lockJob(disabled, by)).toBeUndefined();
        expect(await repository.lockJob(job('never saved'), by)).toBeUndefined();
      });

      it('unlockJob gives a job back, but not one that is being carried out for the last time', async () => {
        await save('a');
        await repository.unlockJob((await next('a'))!);
        const again = await next('a');
        expect(again).toBeDefined();
        await repository.saveJobState({ ...again!, nextRunAt: null }, by);
        await repository.unlockJob(again!);
        expect((await repository.getJobById(idOf(again!)))?.lockedAt).toBeDefined();
        await repository.unlockJob(job('never saved'));
      });

      it('unlockJobs gives back all of them, and no other', async () => {
        const [a, b, c] = [await save('a'), await save('b'), await save('c')];
        for (const { name } of [a, b, c]) await next(name);
        await repository.unlockJobs([idOf(a), idOf(b)]);
        await repository.unlockJobs([]);
        expect([await next('a'), await next('b'), await next('c')].map((claimed) => claimed?.name)).toEqual([
          'a',
          'b',
          undefined,
        ]);
      });
    });

    describe('saving', () => {
      it('a new job gets an identifier, and is read as it was given', async () => {
        const given = job('a', {
          data: { text: 'ä\u0000😀', nested: { list: [1, null, 'x'], nextRunAt: '2026-01-01T00:00:00.000Z' } },
          priority: -10,
          repeatInterval: 1_500,
          repeatTimezone: 'Europe/Berlin',
          startDate: minutes(1),
          endDate: minutes(2),
          skipDays: [0, 6],
          failCount: 2,
          failReason: 'why',
          failedAt: minutes(-1),
          lastRunAt: minutes(-2),
          lastFinishedAt: minutes(-3),
          progress: 50,
          fork: true,
        });
        const saved = await repository.saveJob(given, by);
        const found = await repository.getJobById(idOf(saved));
        expect(found).toMatchObject({ ...given, lastModifiedBy: 'me' });
        expect(saved).toMatchObject(given);
        expect(await repository.getJobById(idOf(saved).replace(/./g, '0'))).toBeNull();
      });

      it('a job with an identifier is changed; one that is gone is not made again', async () => {
        const saved = await save('a', { failCount: 1 });
        const { failCount: _none, ...rest } = saved;
        const changed = await repository.saveJob({ ...rest, priority: 20, data: { now: 'this' } }, by);
        expect(changed).toMatchObject({ _id: saved._id, priority: 20, data: { now: 'this' } });
        expect((await repository.getJobById(idOf(saved)))?.failCount).toBeUndefined();
        expect(await repository.removeJobs({ id: idOf(saved) })).toBe(1);
        await repository.saveJob(changed, by);
        expect(await namesOf()).toEqual([]);
      });

      it('of a recurring job there is one, and making it again does not make it due', async () => {
        const first = await save('a', { type: 'single', nextRunAt: minutes(10), repeatInterval: 1 });
        const again = await save('a', { type: 'single', nextRunAt: minutes(-1), repeatInterval: 2 });
        expect(again).toMatchObject({ _id: first._id, nextRunAt: first.nextRunAt, repeatInterval: 2 });
        const later = minutes(20);
        expect(await save('a', { type: 'single', nextRunAt: later })).toMatchObject({
          _id: first._id,
          nextRunAt: later,
        });
        expect(await namesOf()).toEqual(['a']);
      });

      it('of many that make it at a time one makes it', async () => {
        for (let round = 0; round < 10; round++) {
          const lanes = Array.from({ length: 8 }, (_, i) =>
            (i % 2 === 0 ? repository : fixture.another).saveJob(job(`a${round}`, { type: 'single' }), by),
          );
          const ids = (await Promise.all(lanes)).map(idOf);
          expect(new Set(ids).size).toBe(1);
        }
        expect((await namesOf()).length).toBe(10);
      });

      it('unique jobs are found by their data: changed, or left as they are', async () => {
        const unique = { 'data.user.id': 7 };
        const first = await save('a', { data: { user: { id: 7 }, text: 'one' }, unique });
        const second = await save('a', { data: { user: { id: 7 }, text: 'two' }, unique });
        expect(second).toMatchObject({ _id: first._id, data: { text: 'two' } });
        const third = await save('a', {
          data: { user: { id: 7 }, text: 'three' },
          unique,
          uniqueOpts: { insertOnly: true },
        });
        expect(third).toMatchObject({ _id: first._id, data: { text: 'two' } });
        await save('b', { data: { user: { id: 7 } }, unique });
        await save('a', { data: { user: { id: 8 } }, unique: { 'data.user.id': 8 } });
        expect(await namesOf()).toEqual(['a', 'a', 'b']);
      });

      it('trailing jobs wait for quiet, at most so long', async () => {
        const unique = { 'data.id': 1 };
        const quiet = (delay: number, maxWait?: number): Promise<JobParameters> =>
          save('a', {
            data: { id: 1 },
            unique,
            uniqueOpts: { debounce: { delay, ...(maxWait === undefined ? {} : { maxWait }) } },
          });
        const first = await quiet(60_000);
        expect(first.nextRunAt!.getTime()).toBeGreaterThan(Date.now() + 30_000);
        const second = await quiet(120_000);
        expect(second._id).toEqual(first._id);
        expect(second.nextRunAt!.getTime()).toBeGreaterThan(first.nextRunAt!.getTime());
        expect(second.debounceStartedAt).toEqual(first.debounceStartedAt);
        await new Promise((resolve) => setTimeout(resolve, 5));
        const forced = await quiet(120_000, 1);
        expect(forced.nextRunAt!.getTime()).toBeLessThanOrEqual(Date.now());
        expect(forced.debounceStartedAt).toBeUndefined();
        expect(await namesOf()).toEqual(['a']);
      });

      it('leading jobs run at the first time that was asked for', async () => {
        const unique = { 'data.id': 1 };
        const uniqueOpts = { debounce: { delay: 60_000, strategy: 'leading' as const } };
        const first = await save('a', { data: { id: 1 }, nextRunAt: minutes(-1), unique, uniqueOpts });
        const second = await save('a', { data: { id: 1, text: 'new' }, nextRunAt: minutes(9), unique, uniqueOpts });
        expect(second).toMatchObject({ _id: first._id, nextRunAt: first.nextRunAt, data: { text: 'new' } });
      });

      it('saveJobState writes the state and nothing else', async () => {
        const saved = await save('a', { data: 'kept', lockedAt: minutes(0) });
        const state = {
          lastRunAt: minutes(-2),
          lastFinishedAt: minutes(-1),
          nextRunAt: minutes(5),
          failCount: 3,
          failReason: 'why',
          failedAt: minutes(-1),
          progress: 10,
        };
        const { lockedAt: _open, ...unlocked } = saved;
        await repository.saveJobState(
          { ...unlocked, ...state, data: 'ignored', priority: 9 },
          { lastModifiedBy: 'you' },
        );
        const found = await repository.getJobById(idOf(saved));
        expect(found).toMatchObject({ ...state, data: 'kept', priority: 0, lastModifiedBy: 'you' });
        expect(found?.lockedAt).toBeUndefined();
      });

      it('saveJobState fails where the job is gone, or has another name', async () => {
        const saved = await save('a');
        await expect(repository.saveJobState(job('a'), by)).rejects.toThrow();
        await expect(repository.saveJobState({ ...saved, name: 'b' }, by)).rejects.toThrow();
        await repository.removeJobs({ id: idOf(saved) });
        await expect(repository.saveJobState(saved, by)).rejects.toThrow();
      });
    });

    describe('asking', () => {
      it('by name, identifier, part of a name, data and state', async () => {
        const a = await save('alpha', { data: { user: { id: 1, more: true }, text: 'x' } });
        const b = await save('beta', { data: { user: { id: 2 } }, nextRunAt: minutes(5) });
        await save('gamma', { disabled: true, lockedAt: minutes(0) });
        const found = async (options: Parameters<JobRepository['queryJobs']>[0]): Promise<string[]> => {
          const { jobs, total } = await repository.queryJobs(options);
          expect(total).toBe(jobs.length);
          return jobs.map(({ name }) => name).sort();
        };
        expect(await found({})).toEqual(['alpha', 'beta', 'gamma']);
        expect(await found({ name: 'alpha' })).toEqual(['alpha']);
        expect(await found({ names: ['alpha', 'beta', 'none'] })).toEqual(['alpha', 'beta']);
        expect(await found({ id: idOf(b) })).toEqual(['beta']);
        expect(await found({ id: 'no identifier' })).toEqual([]);
        expect(await found({ ids: [idOf(a), idOf(b)] })).toEqual(['alpha', 'beta']);
        expect(await found({ search: 'ALPH' })).toEqual(['alpha']);
        expect(await found({ search: 'a.*a' })).toEqual([]);
        expect(await found({ data: { user: { id: 1 } } })).toEqual(['alpha']);
        expect(await found({ data: { user: { id: 3 } } })).toEqual([]);
        expect(await found({ includeDisabled: false })).toEqual(['alpha', 'beta']);
        expect(await found({ state: 'queued' })).toEqual(['alpha']);
        expect(await found({ state: 'scheduled' })).toEqual(['beta']);
        expect(await found({ state: 'running' })).toEqual(['gamma']);
        expect(await found({ state: 'paused' })).toEqual(['gamma']);
      });

      it('in order and in pages, the latest first unless asked otherwise', async () => {
        for (const [i, name] of ['b', 'a', 'c'].entries())
          await save(name, { nextRunAt: minutes(i), priority: 10 - i });
        await save('d', { nextRunAt: null });
        const page = async (options: Parameters<JobRepository['queryJobs']>[0]): Promise<string> => {
          const { jobs, total } = await repository.queryJobs(options);
          expect(total).toBe(4);
          return jobs.map(({ name }) => name).join('');
        };
        expect(await page({})).toBe('cabd');
        expect(await page({ sort: { nextRunAt: 'asc' } })).toBe('dbac');
        expect(await page({ sort: { name: 'desc' } })).toBe('dcba');
        expect(await page({ skip: 1, limit: 2 })).toBe('ab');
        expect(await page({ skip: 3 })).toBe('d');
        expect(await page({ skip: 9, limit: 2 })).toBe('');
      });

      it('an overview counts the states of each name', async () => {
        await save('a', { lockedAt: minutes(0) });
        await save('a', { nextRunAt: minutes(3) });
        await save('a', { disabled: true });
        await save('a', { nextRunAt: null, lastFinishedAt: minutes(-1) });
        await save('b', { failedAt: minutes(-1) });
        await save('b', { repeatInterval: 5 });
        const overview = await repository.getJobsOverview();
        expect(overview.sort((x, y) => (x.name < y.name ? -1 : 1))).toEqual([
          {
            name: 'a',
            total: 4,
            running: 1,
            scheduled: 1,
            queued: 1,
            completed: 1,
            failed: 0,
            repeating: 0,
            paused: 1,
          },
          {
            name: 'b',
            total: 2,
            running: 0,
            scheduled: 0,
            queued: 0,
            completed: 0,
            failed: 1,
            repeating: 1,
            paused: 0,
          },
        ]);
        expect((await repository.getDistinctJobNames()).sort()).toEqual(['a', 'b']);
        expect(await repository.getQueueSize()).toBe(4);
      });
    });

    describe('administration', () => {
      beforeEach(async () => {
        for (const name of ['a', 'b', 'c']) await save(name, { data: { of: name } });
      });

      it.each([
        ['a name', { name: 'a' }, ['b', 'c']],
        ['names', { names: ['a', 'b'] }, ['c']],
        ['all but names', { notNames: ['a'] }, ['a']],
        ['data', { data: { of: 'b' } }, ['a', 'c']],
        ['a name and data that do not meet', { name: 'a', data: { of: 'b' } }, ['a', 'b', 'c']],
        ['nothing', {}, ['a', 'b', 'c']],
        ['empty lists', { ids: [], names: [], notNames: [] }, ['a', 'b', 'c']],
        ['what is no identifier', { id: 'none' }, ['a', 'b', 'c']],
      ])('removes by %s', async (_by, options, left) => {
        expect(await repository.removeJobs(options)).toBe(3 - left.length);
        expect(await namesOf()).toEqual(left);
      });

      it('removes by identifiers', async () => {
        const { jobs } = await repository.queryJobs({ names: ['a', 'b'] });
        expect(await repository.removeJobs({ ids: jobs.map(idOf) })).toBe(2);
        expect(await namesOf()).toEqual(['c']);
      });

      it('disabled jobs are not given out until they are enabled; who is so already is not counted', async () => {
        expect(await repository.disableJobs({})).toBe(0);
        expect(await repository.disableJobs({ names: ['a', 'b'] })).toBe(2);
        expect(await repository.disableJobs({ notNames: ['c'] })).toBe(0);
        expect([await next('a'), await next('c')].map((claimed) => claimed?.name)).toEqual([undefined, 'c']);
        expect(await repository.enableJobs({})).toBe(0);
        expect(await repository.enableJobs({ name: 'a' })).toBe(1);
        expect([await next('a'), await next('b')].map((claimed) => claimed?.name)).toEqual(['a', undefined]);
      });

      it('purges everything', async () => {
        expect(await repository.purgeAllJobs()).toBe(3);
        expect(await namesOf()).toEqual([]);
      });
    });
  });
}
