import { describe, expect, it } from 'vitest';
import { newRun, ending, lesson } from '../../../test/conformance/store-samples.js';
import { Rng } from '../../common/rng.js';
import { createIdSource, type IdSource } from '../../common/ids.js';
import type { FederatedUpdate } from '../../model/federation.js';
import type { ProblemFeatures } from '../../model/learning.js';
import { openMemoryStore } from '../../storage/memory/memory-store.js';
import type { Store } from '../../storage/store.js';
import { LearningService } from '../learning-service.js';
import { FederationService, type FederationParts } from './federation-service.js';

const features: ProblemFeatures = {
  dimensions: 4,
  maxEvaluations: 8_000,
  isNoisy: false,
  isSeparable: true,
  coarseRoughness: null,
  fineRoughness: null,
  bend: null,
  skew: null,
};
/** With an epsilon of 20 and more the noise of counts is nearly always 0. */
const rng = Rng.create(1);
const quiet = (below: number): number => rng.below(below);
const ids = createIdSource();
const repeated = (id: string): IdSource => ({ next: () => ({ id, createdAt: 1 }), isRepeat: true });

async function teach(store: Store, ...names: string[]): Promise<void> {
  for (const id of names) {
    await store.createRun(newRun(id), { owner: 'me', now: 1, leaseUntil: 1_000 });
    const finish = { status: 'completed' as const, ending: ending(), completedAt: 9 };
    await store.finishRun(id, 1, { ...finish, lesson: { ...lesson(id), features } });
  }
}
const open = (store: FederationParts['store'], epsilonLimit = 100): FederationService =>
  new FederationService({ store, clock: () => 1, epsilonLimit });
const runsIn = ({ statistics }: FederatedUpdate): number => statistics.reduce((sum, { runs }) => sum + runs, 0);
const update = (meanGain: number): FederatedUpdate => ({
  epsilon: 8,
  statistics: [{ cell: 44, runs: 30, meanGain }],
});

describe('exports', () => {
  it('have every run once', async () => {
    const store = openMemoryStore();
    const federation = open(store);
    await teach(store, 'opt_1', 'opt_2', 'opt_3');
    const counts = [];
    counts.push(runsIn((await federation.export('acct_1', 40, ids, quiet)).update));
    counts.push(runsIn((await federation.export('acct_1', 40, ids, quiet)).update));
    await teach(store, 'opt_4');
    counts.push(runsIn((await federation.export('acct_1', 20, ids, quiet)).update));
    expect(counts).toEqual([3, 0, 1]);
    expect((await federation.model('acct_1')).budget).toEqual({ spent: 100, limit: 100 });
    expect((await federation.model('acct_2')).budget).toEqual({ spent: 0, limit: 100 });
  });

  it('spend nothing where the budget is too small, and no more than there is when many come at once', async () => {
    const store = openMemoryStore();
    const federation = open(store, 1);
    await expect(federation.export('acct_1', 1.1, ids)).rejects.toMatchObject({ code: 'conflict' });
    expect((await federation.model('acct_1')).budget.spent).toBe(0);
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, k) => (k % 2 === 0 ? federation : open(store, 1)).export('acct_1', 0.1, ids)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(10);
    expect((await open(store, 1).model('acct_1')).budget.spent).toBe(1);
  });

  it('whose answer was lost are given again, as they were, and spent once', async () => {
    const store = openMemoryStore();
    await teach(store, 'opt_1');
    const crashing = {
      federatedChanges: store.federatedChanges.bind(store),
      learnedState: store.learnedState.bind(store),
      lessons: store.lessons.bind(store),
      forgetLessons: store.forgetLessons.bind(store),
      async appendFederatedChange(...given: Parameters<Store['appendFederatedChange']>): Promise<never> {
        await store.appendFederatedChange(...given);
        throw new Error('the process dies here');
      },
    };
    await expect(open(crashing).export('acct_1', 1, repeated('fed_1'))).rejects.toThrow('dies');
    const stored = (await store.federatedChanges('acct_1', 0))[0].change;
    const again = await open(store).export('acct_1', 1, repeated('fed_1'));
    expect(again.budget.spent).toBe(1);
    expect(stored).toMatchObject({ kind: 'exported', update: again.update, upTo: 1 });
    expect((await store.federatedChanges('acct_1', 0)).length).toBe(1);
  });
});

describe('what a run is given', () => {
  it('has a hash of its own with every update, and the earlier one again without', async () => {
    const store = openMemoryStore();
    const federation = open(store);
    const learning = new LearningService(store, federation);
    const latest = (): ReturnType<ReturnType<LearningService['reader']>> => learning.reader('acct_1')(undefined);
    expect(await latest()).toEqual({ version: 0, sha256: null });
    await teach(store, 'opt_1');
    const own = await latest();
    const { id } = await federation.merge('acct_1', update(0.2), ids);
    const merged = await latest();
    await federation.merge('acct_1', update(-0.2), ids);
    const both = await latest();
    expect([own.version, merged.version, both.version]).toEqual([1, 2, 3]);
    expect(new Set([own.sha256, merged.sha256, both.sha256]).size).toBe(3);
    expect(await federation.revoke('acct_1', id, ids)).toBe(true);
    expect(await federation.revoke('acct_1', id, ids)).toBe(false);
    const [last] = (await federation.list('acct_1', { limit: 9, offset: 0 })).items;
    await federation.revoke('acct_1', last.id, ids);
    expect(await latest()).toEqual({ version: 5, sha256: own.sha256 });
    // By another process, which read nothing of it so far.
    const fresh = new LearningService(store, open(store)).reader('acct_1');
    expect([await fresh(1), await fresh(2), await fresh(3)]).toEqual([own, merged, both]);
    expect(await fresh(0)).toEqual({ version: 0, sha256: null });
    expect((await learning.overview('acct_1')).runs).toBe(1);
  });

  it('keeps what others taught when own lessons are forgotten', async () => {
    const store = openMemoryStore();
    const federation = open(store);
    const learning = new LearningService(store, federation);
    expect(await learning.forget('acct_1')).toBe(false);
    await teach(store, 'opt_1');
    await federation.merge('acct_1', update(0.2), ids);
    expect(await learning.forget('acct_1')).toBe(true);
    expect(await learning.forget('acct_1')).toBe(false);
    const { version, sha256 } = await learning.reader('acct_1')(undefined);
    expect(version).toBe(2);
    expect(await learning.reader('acct_1')(2)).toEqual({ version, sha256 });
    await expect(learning.reader('acct_1')(1)).rejects.toMatchObject({ field: 'learned_version' });
    expect((await learning.at('acct_1', 2)).table.length).toBeGreaterThan(0);
    expect(await learning.overview('acct_1')).toEqual({ version: 2, runs: 0, classes: [] });
  });
});
