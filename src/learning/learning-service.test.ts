import { expect, it } from 'vitest';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import { ACCOUNT, claimAt, ending, lesson, newRun } from '../../test/conformance/store-samples.js';
import { LearningService } from './learning-service.js';

it('does not go on with the solution of a run that was deleted, which it remembers', async () => {
  const store = openMemoryStore();
  const service = new LearningService(store, { changes: async () => [], modelAt: async () => [] });
  for (const [i, id] of ['opt_1', 'opt_2'].entries()) {
    await store.createRun(newRun(id), claimAt(1));
    const found = { shape: 's', direction: 'minimize' as const, solution: [i] };
    const taught = { ...lesson(id), found };
    await store.finishRun(id, 1, { status: 'completed', ending: ending(), completedAt: 9, lesson: taught });
  }
  const before = await service.at(ACCOUNT.id, 2);
  expect(before.found.map(({ solution }) => solution)).toEqual([[0], [1]]);
  expect(before.isErased).toBe(false);
  expect(await service.at(ACCOUNT.id, 2)).toBe(before);
  // By another process, perhaps.
  await store.deleteRuns(ACCOUNT.id, ['opt_1']);
  const after = await service.at(ACCOUNT.id, 2);
  expect(after.found.map(({ solution }) => solution)).toEqual([[1]]);
  expect(after.isErased).toBe(true);
  expect(after.sha256).not.toBe(before.sha256);
  expect(after.table).toEqual(before.table);
});
