/** Runs as versions recorded them that had no analytics. */
import { expect } from 'vitest';
import type { Store } from '../../src/storage/store.js';
import { recount } from '../support/recount.js';
import { live, randomCourses, type Course } from './store/analytics.suite.js';

const DAY_MS = 86_400_000;

/** Without the beginning of their chain, what they used, and how long they waited for an improvement. */
function asRecordedBefore({ run, ending, ...course }: Course, index: number): Course {
  const { originId: _none, ...request } = run.request;
  const { usage: _unknown, convergence: _unmeasured, ...rest } = ending;
  const isInterpreted = index % 4 === 0;
  const backend = { notCompiled: isInterpreted ? [{ message: 'outside the subset' }] : [] };
  const experiment = index % 5 === 0 ? { evaluations: 7 } : null;
  return {
    ...course,
    run: { ...run, request },
    ending: { ...rest, backend, ...(experiment === null ? {} : { experiment }) } as unknown as Course['ending'],
  };
}

/** Of two accounts, around midnights, in chains. */
export async function liveBefore(store: Store): Promise<void> {
  for (const [id, name] of Object.entries(ACCOUNTS)) await store.ensureAccount({ id, name, createdAt: 1 });
  await live(store, randomCourses(200, 5, 3 * DAY_MS).map(asRecordedBefore));
}

const ACCOUNTS = { acct_1: 'one', acct_2: 'two' } as const;

/** Right after the upgrade, and when everything has been summed. */
export async function expectAllCounted(store: Store): Promise<void> {
  const [whole] = await store.tallies('acct_1', [0, Date.now()], ['faultyRuns', 'interpretedRuns', 'experimentRuns']);
  expect(Math.min(...Object.values(whole))).toBeGreaterThan(0);
  for (const name of Object.values(ACCOUNTS)) expect(await recount(store, name)).toEqual([]);
  let sums = 0;
  for (let done = 1; done > 0; sums += done) done = await store.rollUp(Date.now(), 20);
  expect(sums).toBeGreaterThan(20);
  for (const name of Object.values(ACCOUNTS)) expect(await recount(store, name)).toEqual([]);
}
