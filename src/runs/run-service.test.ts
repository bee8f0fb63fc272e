import { setTimeout as sleep } from 'node:timers/promises';
import { NO_USAGE, NO_USE } from '../model/run-usage.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newRun } from '../../test/conformance/store-samples.js';
import { createIdSource } from '../common/ids.js';
import { silentLogger } from '../common/logger.js';
import { FederationService } from '../learning/federation/federation-service.js';
import { LearningService } from '../learning/learning-service.js';
import { runOptimization } from '../engine/run-optimization.js';
import type { RunSnapshot } from '../engine/snapshot.js';
import { strikesOf, type RunRecord } from '../model/run-record.js';
import type { RunOutcome, RunTask } from '../model/run-task.js';
import { strategies } from '../strategies/registry.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { Store } from '../storage/store.js';
import { encodeStart } from './extension.js';
import { RunService } from './run-service.js';
import type { RunJob, RunReport, RunResult } from './worker-protocol.js';

const report: RunReport = {
  progress: { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 },
  checkpoint: Uint8Array.of(1),
  begun: { strategy: 's', backend: 'b' },
  changes: [],
  usage: NO_USAGE,
};

const learningOf = (store: Store): LearningService =>
  new LearningService(store, new FederationService({ store, clock: () => 1_000, epsilonLimit: 1 }));

describe('runs whose process dies', () => {
  let store: Store;
  beforeEach(() => {
    store = openMemoryStore();
  });
  // Runs are told apart by their seeds.
  const create = async (...seeds: number[]): Promise<void> => {
    for (const seed of seeds) {
      const run = newRun(`opt_${seed}`);
      await store.createRun({ ...run, request: { ...run.request, task: { ...run.request.task, seed } } });
    }
  };
  const find = async (seed: number): Promise<RunRecord> => (await store.findRun('acct_1', `opt_${seed}`))!;

  /** The seeds of the runs that began in a process, until one that is deadly has. The others report, some time later. */
  async function life({ deadly = [] as number[], reportAfterMs = 50 }): Promise<number[]> {
    const began: number[] = [];
    let isDead = false;
    // What a dead process asks for does not happen.
    const never = new Promise<never>(() => {});
    const mortal = new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => (isDead ? never : Reflect.apply(member, target, given));
      },
    });
    const carryOut = (job: RunJob): Promise<RunResult> => {
      if (isDead) return never;
      began.push(job.task.seed);
      if (deadly.includes(job.task.seed)) isDead = true;
      else setTimeout(() => isDead || job.reports.postMessage(report), reportAfterMs);
      return never;
    };
    const service = new RunService({
      store: mortal,
      learning: learningOf(store),
      pools: { runThreads: 3, carryOut } as never,
      python: { offer: () => ({ access: { port: null, reason: '' }, withdraw: async () => NO_USE }) } as never,
      ids: createIdSource(Date.now),
      clock: () => 1_000,
      logger: silentLogger,
      metrics: { measured: () => {}, runEnded: () => {}, fellBack: () => {} } as never,
      eventsStored: () => {},
      threadsPerRun: 1,
      leaseMs: 1_000_000,
    });
    await service.start();
    const unfinished = async (): Promise<number> =>
      (await store.listRuns('acct_1', { status: 'running' }, { limit: 100, offset: 0 })).items.filter(
        (run) => strikesOf(run) > 0,
      ).length;
    await vi.waitFor(async () => expect(isDead || (await unfinished()) === 0).toBe(true), { timeout: 5_000 });
    isDead = true;
    return began;
  }

  it('are ended after the third time at the same point, and only the one that did it', async () => {
    await create(1, 2, 3, 4, 5);
    const deadly = [2];
    // Three threads, and the second run ends the process before any has reported.
    expect(await life({ deadly })).toEqual([1, 2]);
    expect(await life({ deadly })).toEqual([1, 2]);
    // From now on those that were there are tried one by one.
    expect(await life({ deadly })).toEqual([1, 2]);
    expect(strikesOf(await find(1))).toBe(0);
    const last = await life({ deadly });
    expect(last).not.toContain(2);
    expect(await find(2)).toMatchObject({ status: 'failed', losses: 3, ending: { terminationReason: 'error' } });
    expect((await find(2)).ending?.error?.message).toContain('3 times at this point');
    for (const seed of [1, 3]) expect(await find(seed)).toMatchObject({ status: 'running' });
  });

  it('are blamed for nothing where they came further each time, however often', async () => {
    await create(1, 2);
    for (let times = 0; times < 8; times++) {
      expect(await life({})).toEqual([1, 2]);
      await sleep(0);
    }
    expect(await find(1)).toMatchObject({ status: 'running', attempt: 8, losses: 7 });
    expect(strikesOf(await find(1))).toBe(0);
  });
});

describe('a run of several objectives that no engine ends keeps its front', () => {
  const task: RunTask = {
    bounds: [
      [-5, 5],
      [-5, 5],
    ],
    maxEvaluations: 150,
    seed: 3,
    direction: 'maximize',
    mode: 'balanced',
    objectives: 2,
  };

  /** What a run has come to after `evaluations`: its snapshot, and the outcome if it had ended there. */
  async function carriedOut(evaluations: number): Promise<{ snapshot: RunSnapshot; outcome: RunOutcome }> {
    let snapshot: RunSnapshot | null = null;
    const outcome = await runOptimization(
      { ...task, maxEvaluations: evaluations },
      {
        strategies,
        primary: {
          backend: 'fake',
          device: 'fake',
          evaluate: async ({ candidates, count }, output) => {
            output.status.fill(0);
            for (let row = 0; row < count; row++) {
              const [x, y] = candidates.subarray(2 * row, 2 * row + 2);
              output.values.set([-(x! ** 2) - y! ** 2, -((x! - 2) ** 2) - y! ** 2], 2 * row);
            }
          },
          close: async () => {},
        },
        fallback: null,
        now: () => 0,
        isCancelled: () => false,
        backendReason: '',
        checkpoint: (latest) => (snapshot = latest),
      },
    );
    return { snapshot: snapshot!, outcome };
  }

  async function setUp(): Promise<{
    service: RunService;
    store: Store;
    outcome: RunOutcome;
    begun: Promise<void>;
    endThread: (result: Error) => void;
  }> {
    const { snapshot, outcome } = await carriedOut(100);
    const store = openMemoryStore();
    const run = newRun('opt_1');
    await store.createRun({ ...run, request: { ...run.request, task } });
    const { evaluations, bestSolution, bestFitness } = outcome;
    const progress = { evaluations, bestSolution, bestFitness, elapsedSeconds: 1 };
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let endThread = (_: Error): void => {};
    const carryOut = (job: RunJob, signal: AbortSignal): Promise<RunResult> => {
      job.reports.postMessage({ ...report, progress, checkpoint: encodeStart(snapshot) });
      begin();
      return new Promise((_, reject) => {
        endThread = reject;
        signal.addEventListener('abort', () => reject(new Error('the thread was ended')));
      });
    };
    const service = new RunService({
      store,
      learning: learningOf(store),
      pools: { runThreads: 1, carryOut } as never,
      python: { offer: () => ({ access: { port: null, reason: '' }, withdraw: async () => NO_USE }) } as never,
      ids: createIdSource(Date.now),
      clock: () => 1_000,
      logger: silentLogger,
      metrics: { measured: () => {}, runEnded: () => {}, fellBack: () => {} } as never,
      eventsStored: () => {},
      threadsPerRun: 1,
      leaseMs: 1_000_000,
    });
    return { service, store, outcome, begun, endThread: (error) => endThread(error) };
  }

  const stored = async (store: Store): Promise<boolean> => (await store.runCheckpoint('opt_1')) !== null;

  it('when its thread does not listen', async () => {
    const { service, store, outcome, begun } = await setUp();
    await service.start();
    await begun;
    await vi.waitFor(async () => expect(await stored(store)).toBe(true), { timeout: 10_000 });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const cancelled = service.cancel('acct_1', 'opt_1');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await cancelled).toMatchObject({
        status: 'failed',
        ending: {
          terminationReason: 'cancelled',
          front: outcome.front,
          bestSolution: outcome.bestSolution,
          evaluations: 100,
        },
      });
    } finally {
      vi.useRealTimers();
    }
    await service.close();
  });

  it('when it was given back, and is cancelled before somebody takes it again', async () => {
    const { service, store, outcome } = await setUp();
    await store.claimRun('opt_1', { owner: 'a', now: 1, leaseUntil: 2_000 });
    const { evaluations, bestSolution, bestFitness } = outcome;
    const progress = { evaluations, bestSolution, bestFitness, elapsedSeconds: 1 };
    const { snapshot } = await carriedOut(100);
    await store.saveProgress('opt_1', 1, { progress, checkpoint: encodeStart(snapshot) });
    await store.releaseRun('opt_1', 1, 'returned');
    await store.requestCancel('acct_1', 'opt_1');
    await service.start();
    await vi.waitFor(async () => expect((await store.findRun('acct_1', 'opt_1'))!.status).toBe('failed'));
    expect((await store.findRun('acct_1', 'opt_1'))!.ending).toMatchObject({
      terminationReason: 'cancelled',
      front: outcome.front,
    });
    await service.close();
  });

  it('when its threads die too often', async () => {
    const { service, store, outcome } = await setUp();
    for (const owner of ['a', 'b', 'c']) {
      const claimed = await store.claimRun('opt_1', { owner, now: 1, leaseUntil: 2_000 });
      const { attempt } = claimed!.run;
      const { evaluations, bestSolution, bestFitness } = outcome;
      const progress = { evaluations, bestSolution, bestFitness, elapsedSeconds: 1, lossesBefore: 0 };
      const { snapshot } = await carriedOut(100);
      if (owner === 'a') await store.saveProgress('opt_1', attempt, { progress, checkpoint: encodeStart(snapshot) });
      await store.releaseRun('opt_1', attempt, 'lost');
    }
    await service.start();
    await vi.waitFor(async () => expect((await store.findRun('acct_1', 'opt_1'))!.status).toBe('failed'));
    expect((await store.findRun('acct_1', 'opt_1'))!.ending).toMatchObject({
      terminationReason: 'error',
      front: outcome.front,
    });
    await service.close();
  });
});
