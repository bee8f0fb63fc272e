/** What every store must make of runs that a version without summaries has stored. */
import { expect } from 'vitest';
import type { Page } from '../../src/model/page.js';
import type { RunSummary } from '../../src/model/run-summary.js';
import type { Store } from '../../src/storage/store.js';
import { ACCOUNT, claimAt, ending, everything, newFunction, newRun } from './store-samples.js';

/** Runs in every state, one with a history that lies in parts; returns their summaries. */
export async function liveBefore(store: Store): Promise<Page<RunSummary>> {
  await store.ensureAccount(ACCOUNT);
  await store.saveFunction(newFunction('func_1', { name: 'Old Bowl' }));
  const { request } = newRun('opt_1');
  const problem = { domain: 'financial', problemType: 'portfolio', model: null } as const;
  await store.createRun(newRun('opt_1', { metadata: { team: 'Red' } }));
  await store.createRun(newRun('opt_2', { functionId: '', request: { ...request, problem } }), claimAt(1));
  await store.createRun(newRun('opt_3'), claimAt(1));
  await store.createRun(newRun('opt_4'), claimAt(1));
  const progress = { evaluations: 7, bestFitness: 2, bestSolution: [1], elapsedSeconds: 1 };
  const history = Array.from({ length: 2_000 }, (_, i) => ({
    evaluations: i + 1,
    bestFitness: 1 / (i + Math.sin(i)),
    elapsedSeconds: Math.sqrt(i),
  }));
  await store.saveProgress('opt_2', 1, { progress, history: history.slice(0, 7) });
  const strategies = [{ name: 'cma-es', reason: '', fromEvaluation: 0, toEvaluation: 9, bestFitness: 1 }];
  const end = ending({ evaluations: 2_000, strategies });
  await store.finishRun('opt_3', 1, { status: 'completed', ending: end, history, completedAt: 9 });
  await store.finishRun('opt_4', 1, { status: 'failed', ending: ending({ bestFitness: NaN }), completedAt: 9 });
  const made = await store.listSummaries(ACCOUNT.id, {}, everything);
  // The first value is not finite.
  expect(made.items.map(({ curve }) => curve.length)).toEqual([0, 32, 6, 0]);
  return made;
}

export async function expectSummarized(store: Store, before: Page<RunSummary>): Promise<void> {
  expect(await store.listSummaries(ACCOUNT.id, {}, everything)).toStrictEqual(before);
  const found = async (...words: string[]): Promise<string[]> =>
    (await store.listRuns(ACCOUNT.id, { words }, everything)).items.map(({ id }) => id);
  expect(await found('red')).toEqual(['opt_1']);
  expect(await found('old', 'bowl')).toEqual(['opt_4', 'opt_3', 'opt_1']);
  expect(await found('portfolio')).toEqual(['opt_2']);
  expect((await store.listRuns(ACCOUNT.id, { strategy: 'cma-es' }, everything)).total).toBe(1);
  await expectDimensions(store);
}

/** A problem has none. */
export async function expectDimensions(store: Store): Promise<void> {
  const limits = [{ measure: 'dimensions', op: '=', value: newRun('opt_1').request.task.bounds.length }] as const;
  const { items } = await store.listRuns(ACCOUNT.id, { limits }, everything);
  expect(items.map(({ id }) => id)).toEqual(['opt_4', 'opt_3', 'opt_1']);
}
