/** What every store must do with what is counted of runs; part of ../store.suite.ts. */
import { describe, expect, it } from 'vitest';
import { composeId } from '../../../src/common/ids.js';
import { Rng } from '../../../src/common/rng.js';
import { TALLY_FIELDS, type RunTally } from '../../../src/model/run-facts.js';
import type { NewRun, RunEnding, RunRequest } from '../../../src/model/run-record.js';
import { openMemoryStore } from '../../../src/storage/memory/memory-store.js';
import type { CountedFilter } from '../../../src/storage/contract/analytics.js';
import type { Store } from '../../../src/storage/store.js';
import { ending, newRun } from '../store-samples.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Wednesday, shortly before midnight UTC. */
const BEGIN = Date.UTC(2026, 2, 4, 23, 30);
const ACCOUNTS = ['acct_1', 'acct_2'] as const;

export interface Course {
  readonly run: NewRun;
  /** How far it goes. */
  readonly fate: 'pending' | 'running' | 'cancelled' | 'failed' | 'completed';
  readonly ending: RunEnding;
  readonly completedAt: number;
}

/** Runs around midnights: some extend or repeat an earlier one, some never end. Made anew for the same seed. */
export function randomCourses(count: number, seed: number, spanMs: number): Course[] {
  const rng = Rng.create(seed);
  const whole = (below: number): number => Math.floor(rng.uniform() * below);
  const courses: Course[] = [];
  for (let i = 0; i < count; i++) {
    // Many lie on the very edges of hours and days.
    const edge = BEGIN - (BEGIN % HOUR) + HOUR * whole(spanMs / HOUR) + [-1, 0, 1][whole(3)];
    const createdAt = rng.uniform() < 0.4 ? edge : BEGIN + whole(spanMs);
    const id = composeId('opt', createdAt, i % 10_000, i);
    const accountId = ACCOUNTS[whole(10) === 0 ? 1 : 0];
    const earlier = courses.filter((course) => course.run.accountId === accountId && course.run.createdAt < createdAt);
    const parent = rng.uniform() < 0.25 ? earlier[whole(earlier.length)] : undefined;
    const base = newRun(id).request;
    const request = parent === undefined ? base : derived(base, parent, rng.uniform() < 0.5);
    const evaluations = (request.extension?.from.evaluations ?? 0) + whole(1_000);
    const seconds = (request.extension?.from.elapsedSeconds ?? 0) + rng.uniform() * 10 ** (whole(5) - 3);
    const fates = [
      'completed',
      'completed',
      'completed',
      'completed',
      'failed',
      'cancelled',
      'running',
      'pending',
    ] as const;
    const fate = fates[whole(fates.length)];
    const terminationReason = fate === 'failed' ? 'error' : fate === 'cancelled' ? 'cancelled' : 'budget';
    courses.push({
      run: newRun(id, { accountId, createdAt, request }),
      fate,
      completedAt: createdAt + whole(3 * HOUR),
      ending: ending({
        terminationReason,
        evaluations,
        failedEvaluations: whole(evaluations + 1),
        durationSeconds: seconds,
        convergence: {
          first: { evaluations: 1, bestFitness: 1 },
          milestones: [],
          lastImprovement: whole(evaluations + 1),
          longestWait: whole(100),
        },
        usage: {
          threadCpuSeconds: seconds * 0.9,
          pythonCpuSeconds: whole(3),
          gpuSeconds: whole(2),
          peakMemoryBytes: whole(10 ** 9),
        },
      }),
    });
  }
  return courses;
}

function derived(base: RunRequest, { run, ending: end }: Course, isReplay: boolean): RunRequest {
  const originId = run.request.originId ?? run.id;
  if (isReplay) return { ...base, replayOf: run.id, originId };
  const from = { evaluations: end.evaluations, bestFitness: 1, bestSolution: [1], elapsedSeconds: end.durationSeconds };
  return { ...base, originId, extension: { of: run.id, from, isExact: true } };
}

/** Lets runs go as far as they go, up to the time `until`; `from` as in an earlier call. */
export async function live(
  store: Store,
  courses: readonly Course[],
  from = -Infinity,
  until = Infinity,
): Promise<void> {
  const within = (time: number): boolean => time >= from && time < until;
  for (const { run, fate, ending: end, completedAt } of courses) {
    if (within(run.createdAt)) {
      await store.createRun(run);
      if (fate !== 'pending' && fate !== 'cancelled') {
        await store.claimRun(run.id, { owner: 'me', now: run.createdAt, leaseUntil: run.createdAt + DAY * 365 });
      }
    }
    if (fate === 'pending' || fate === 'running' || !within(completedAt)) continue;
    const attempt = fate === 'cancelled' ? 0 : 1;
    const status = fate === 'completed' ? 'completed' : 'failed';
    const record = await store.finishRun(run.id, attempt, { status, ending: end, completedAt });
    expect(record?.status).toBe(status);
  }
}

/** Sums of floating-point numbers depend on their order. */
const rounded = (tally: RunTally): RunTally => ({
  ...tally,
  seconds: Number(tally.seconds.toPrecision(10)),
  completedSeconds: Number(tally.completedSeconds.toPrecision(10)),
});

export function analyticsSuite(current: () => Store, openAnother: () => Promise<Store | null>): void {
  const all = async (
    store: Store,
    accountId: string,
    boundaries: readonly number[],
    id?: string,
  ): Promise<RunTally[]> => (await store.tallies(accountId, boundaries, TALLY_FIELDS, id)).map(rounded);

  /** Everything a store says about these runs is what the plain model says. */
  async function compare(store: Store, model: Store, courses: readonly Course[], spanMs: number): Promise<void> {
    const first = BEGIN - (BEGIN % DAY);
    const days = Array.from({ length: Math.ceil(spanMs / DAY) + 3 }, (_, i) => first + i * DAY);
    const hours = Array.from({ length: Math.ceil(spanMs / HOUR) + 3 }, (_, i) => BEGIN - (BEGIN % HOUR) + i * HOUR);
    const end = BEGIN + spanMs - 1_234_567;
    const cut = [BEGIN + 17, ...days.slice(1).filter((day) => day < end), end];
    for (const accountId of [...ACCOUNTS, 'acct_nobody']) {
      expect(await store.runsSpan(accountId)).toEqual(await model.runsSpan(accountId));
      for (const boundaries of [days, hours, cut, [0, BEGIN + spanMs * 2]]) {
        expect(await all(store, accountId, boundaries)).toEqual(await all(model, accountId, boundaries));
      }
      const family = courses.find(({ run }) => run.request.originId !== undefined)?.run;
      for (const id of [family?.id, family?.request.originId, 'opt_1']) {
        if (id === undefined) continue;
        expect(await all(store, accountId, days, id)).toEqual(await all(model, accountId, days, id));
        const [{ completed } = { completed: 0 }] = await all(model, accountId, [0, BEGIN + spanMs * 2], id);
        const places = Array.from({ length: completed }, (_, place) => place);
        const expected = await model.durationsAt(accountId, completed, places, id);
        expect(await store.durationsAt(accountId, completed, places, id)).toEqual(expected);
      }
      const [whole] = await model.tallies(accountId, [0, BEGIN + spanMs * 2], ['completed']);
      const count = whole?.completed ?? 0;
      const places = count === 0 ? [0] : [0, Math.floor(count / 3), Math.floor(count / 2), count - 2, count - 1];
      expect(await store.durationsAt(accountId, count, places)).toEqual(
        await model.durationsAt(accountId, count, places),
      );
      const period = { from: BEGIN + HOUR, to: BEGIN + spanMs - HOUR };
      const filters: CountedFilter[] = [
        period,
        { ...period, status: 'failed' },
        { ...period, status: 'pending' },
        { from: 0, to: BEGIN + spanMs * 2, optimizationId: family?.request.originId ?? 'opt_1' },
        { ...period, optimizationId: family?.id ?? 'opt_1', status: 'completed' },
      ];
      for (const filter of filters) {
        for (const limit of [5, 1_000]) {
          const expected = await model.countByOriginal(accountId, filter, limit);
          expect(await store.countByOriginal(accountId, filter, limit)).toEqual(expected);
        }
      }
    }
  }

  describe('counts of runs', () => {
    it('are exact whatever has been summed: before, on the way, twice, after later changes', async () => {
      const store = current();
      const model = openMemoryStore();
      const spanMs = 4 * DAY;
      const courses = randomCourses(150, 7, spanMs);
      // Sums are made between, of hours in which some runs go on.
      const times = [-Infinity, BEGIN + DAY, BEGIN + 2 * DAY, BEGIN + 3 * DAY, Infinity];
      for (const [i, until] of times.slice(1).entries()) {
        await live(store, courses, times[i], until);
        await live(model, courses, times[i], until);
        if (until === Infinity) await compare(store, model, courses, spanMs);
        else while ((await store.rollUp(until, 7)) > 0);
        if (i === 1) await compare(store, model, courses, spanMs);
      }
      while ((await store.rollUp(BEGIN + 100 * DAY, 50)) > 0);
      expect(await store.rollUp(BEGIN + 100 * DAY, 50)).toBe(0);
      await compare(store, model, courses, spanMs);
      // Those that were left end now, long after their hours were over.
      for (const { run, fate, ending: end } of courses.filter((one) => one.fate === 'running')) {
        const finish = { status: 'completed' as const, ending: end, completedAt: BEGIN + 9 * DAY };
        expect(fate).toBe('running');
        await store.finishRun(run.id, 1, finish);
        await model.finishRun(run.id, 1, finish);
      }
      const report = { runId: courses[3].run.id, bytesIn: 100, bytesOut: 2_000 };
      const unknown = { ...report, runId: 'opt_9' };
      for (const each of [store, model]) await each.addTraffic([report, unknown, report]);
      await compare(store, model, courses, spanMs);
      while ((await store.rollUp(BEGIN + 100 * DAY, 50)) > 0);
      await compare(store, model, courses, spanMs);
    }, 120_000);

    it('do not count a refused end, nor a second one', async () => {
      const store = current();
      const createdAt = BEGIN;
      await store.createRun(newRun('opt_1', { createdAt }), { owner: 'me', now: 1, leaseUntil: 1_000 });
      const finish = { status: 'completed' as const, ending: ending(), completedAt: createdAt + 5 };
      expect(await store.finishRun('opt_1', 2, finish)).toBeNull();
      expect(await all(store, 'acct_1', [0, createdAt + 1])).toMatchObject([
        { running: 1, completed: 0, evaluations: 0 },
      ]);
      await store.finishRun('opt_1', 1, finish);
      expect(await store.finishRun('opt_1', 1, finish)).toBeNull();
      expect(await all(store, 'acct_1', [0, createdAt + 1])).toMatchObject([
        { running: 0, completed: 1, evaluations: 10 },
      ]);
    });

    it('count the runs of a batch', async () => {
      const store = current();
      const runs = [1, 2, 3].map((n) => newRun(`opt_${n}`, { createdAt: BEGIN + n }));
      await store.createBatch(
        { id: 'batch_1', accountId: 'acct_1', runIds: runs.map(({ id }) => id), createdAt: BEGIN },
        runs,
      );
      expect(await store.rollUp(BEGIN + DAY, 9)).toBe(0);
      expect(await all(store, 'acct_1', [BEGIN, BEGIN + DAY])).toMatchObject([{ pending: 3, originalPending: 3 }]);
    });

    it('stay exact where two processes sum while runs begin and end', async () => {
      const store = current();
      const another = (await openAnother()) ?? store;
      const model = openMemoryStore();
      const courses = randomCourses(60, 11, DAY);
      try {
        const [left, right] = [courses.slice(0, 30), courses.slice(30)];
        let isOver = false;
        const summing = [store, another].map(async (each) => {
          while (!isOver) {
            await each.rollUp(BEGIN + 3 * DAY, 3);
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
        });
        await Promise.all([live(store, left), live(another, right)]);
        isOver = true;
        await Promise.all(summing);
        await live(model, courses);
        await compare(store, model, courses, DAY);
        while ((await another.rollUp(BEGIN + 30 * DAY, 50)) > 0);
        await compare(store, model, courses, DAY);
      } finally {
        if (another !== store) await another.close();
      }
    }, 120_000);
  });
}
