import { setTimeout as sleep } from 'node:timers/promises';
import { NO_USAGE } from '../model/run-usage.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newRun } from '../../test/conformance/store-samples.js';
import { ExtremumError } from '../common/errors.js';
import { createIdSource } from '../common/ids.js';
import { silentLogger, type Logger } from '../common/logger.js';
import { FederationService } from '../learning/federation/federation-service.js';
import { LearningService } from '../learning/learning-service.js';
import { runOptimization } from '../engine/run-optimization.js';
import type { RunSnapshot } from '../engine/snapshot.js';
import { lossesHere, strikesHere, type NewRun, type RunRecord } from '../model/run-record.js';
import type { RunOutcome, RunTask } from '../model/run-task.js';
import { strategies } from '../strategies/lists.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { Store } from '../storage/store.js';
import { encodeStart } from './extension.js';
import { NO_OFFER_USE } from './python-host.js';
import type { RunServiceParts } from './run-context.js';
import { RunService } from './run-service.js';
import { quietMsOf } from './suspects.js';
import {
  CONTROL_CELLS,
  Control,
  failureOf,
  type ProblemJob,
  type RunJob,
  type RunReport,
  type RunResult,
  type SolveResult,
} from './worker-protocol.js';
import { candidateOf } from '../model/candidate-batch.js';

const report: RunReport = {
  progress: { evaluations: 1, bestFitness: 1, bestSolution: [1], elapsedSeconds: 1 },
  checkpoint: Uint8Array.of(1),
  begun: { strategy: 's', backend: 'b' },
  changes: [],
  usage: NO_USAGE,
};

const PYTHON = {
  notices: [],
  facts: async () => null,
  offer: () => ({
    access: { port: null, reason: '' },
    unchecked: 'no_interpreter',
    withdraw: async () => NO_OFFER_USE,
    waitedSeconds: () => 0,
  }),
};
const METRICS = { measured: () => {}, runEnded: () => {}, fellBack: () => {}, verified: () => {}, misread: () => {} };

const learningOf = (store: Store): LearningService =>
  new LearningService(store, new FederationService({ store, clock: () => 1_000, epsilonLimit: 1 }));

/** All that a test does not look at. */
function serviceOn(
  store: Store,
  {
    threads,
    carryOut,
    solve,
    quietMs = () => 0,
    logger = silentLogger,
  }: {
    threads: number;
    carryOut?: (job: RunJob) => Promise<RunResult>;
    solve?: (job: ProblemJob) => Promise<SolveResult>;
    quietMs?: RunServiceParts['quietMs'];
    logger?: Logger;
  },
): RunService {
  return new RunService({
    store,
    learning: learningOf(store),
    pools: { runThreads: threads, carryOut, solve } as never,
    python: PYTHON as never,
    verify: true,
    ids: createIdSource(Date.now),
    clock: () => 1_000,
    logger,
    metrics: METRICS,
    eventsStored: () => {},
    runsRemoved: () => {},
    threadsPerRun: 1,
    leaseMs: 1_000_000,
    quietMs,
  });
}

const requestOf = (seed: number): NewRun['request'] => {
  const { request } = newRun('opt_1');
  return { ...request, task: { ...request.task, seed } };
};

describe('native code of a solver, whose thread sees nothing meanwhile', () => {
  const problem = { domain: 'supply_chain', problemType: 'vehicle_routing', model: null } as const;

  /** Milliseconds until it is told to stop. */
  async function toldAfter(timeoutSeconds: number, use: (service: RunService) => void): Promise<number> {
    const store = openMemoryStore();
    const { request } = newRun('opt_1');
    const task = { ...request.task, timeoutSeconds };
    await store.createRun({
      ...newRun('opt_1'),
      source: { problem, config: {} },
      request: { ...request, task, problem },
    });
    let closing = async (): Promise<void> => {};
    const told = new Promise<number>((resolve) => {
      const solve = async ({ control }: ProblemJob): Promise<SolveResult> => {
        const startedAt = performance.now();
        use(service);
        while (Atomics.load(control, CONTROL_CELLS.Stop) === 0) await sleep(5);
        resolve(performance.now() - startedAt);
        return { kind: 'unbegun', why: 'timeout', usage: NO_USAGE };
      };
      const service = serviceOn(store, { threads: 1, solve });
      void service.start();
      closing = () => service.close();
    });
    const after = await told;
    await closing();
    return after;
  }

  it('is no success where its time was up before there was an answer, whatever it had found', async () => {
    const store = openMemoryStore();
    const { request } = newRun('opt_1');
    await store.createRun({
      ...newRun('opt_1'),
      source: { problem, config: {} },
      request: { ...request, task: { ...request.task, timeoutSeconds: 60 }, problem },
    });
    const solve = async ({ reports }: ProblemJob): Promise<SolveResult> => {
      const progress = { evaluations: 7, bestFitness: 1, bestSolution: [1], elapsedSeconds: 0.1 };
      const begun = { strategy: 'vehicle_routing', backend: 'solver' };
      reports.postMessage({ progress, begun, usage: NO_USAGE, changes: [] });
      await sleep(50);
      return { kind: 'unbegun', why: 'timeout', usage: NO_USAGE };
    };
    const service = serviceOn(store, { threads: 1, solve });
    await service.start();
    await vi.waitFor(async () => expect((await store.findRun('acct_1', 'opt_1'))?.status).toBe('failed'));
    const { ending } = (await store.findRun('acct_1', 'opt_1'))!;
    await service.close();
    expect(ending).toMatchObject({
      terminationReason: 'timeout',
      bestSolution: null,
      error: { message: 'The time limit was reached before there was an answer.' },
    });
  });

  it('is told of the end of its time', async () => {
    const after = await toldAfter(0.1, () => {});
    expect(after).toBeGreaterThan(90);
    expect(after).toBeLessThan(30_000);
  });

  it('is told of a cancellation long before its time is up', async () => {
    const after = await toldAfter(60, (service) => void service.cancel('acct_1', 'opt_1'));
    expect(after).toBeLessThan(30_000);
  });
});

describe('runs whose process dies', () => {
  let store: Store;
  /** Runs that processes gave back, as they say in their logs. */
  const givenBack: unknown[] = [];
  const logger: Logger = {
    ...silentLogger,
    debug: (facts, message) =>
      void (message === 'a run is given back' && givenBack.push((facts as { run: string }).run)),
  };
  beforeEach(() => {
    givenBack.length = 0;
    store = openMemoryStore();
  });
  // Runs are told apart by their seeds.
  const create = async (...seeds: number[]): Promise<void> => {
    for (const seed of seeds) await store.createRun({ ...newRun(`opt_${seed}`), request: requestOf(seed) });
  };
  const find = async (seed: number): Promise<RunRecord> => (await store.findRun('acct_1', `opt_${seed}`))!;

  interface Life {
    /** Their beginning ends the process. */
    readonly deadly?: readonly number[];
    /** They never report. */
    readonly silent?: readonly number[];
    readonly reportAfterMs?: number;
    readonly quietMs?: RunServiceParts['quietMs'];
    /** Else it ends by itself when every run has come further, or has been given up. */
    readonly until?: (began: readonly number[]) => boolean;
  }

  /** The seeds of the runs that began in a process, in their order. */
  async function life({ deadly = [], silent = [], reportAfterMs = 50, quietMs, until }: Life): Promise<number[]> {
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
      const { seed } = job.task;
      if (isDead) return never;
      began.push(seed);
      if (deadly.includes(seed)) isDead = true;
      else if (!silent.includes(seed)) setTimeout(() => isDead || job.reports.postMessage(report), reportAfterMs);
      return new Promise((resolve) => {
        const watch = setInterval(() => {
          if (isDead) return clearInterval(watch);
          if (Atomics.load(job.control, CONTROL_CELLS.Control) !== Control.Suspend) return;
          clearInterval(watch);
          resolve({ kind: 'suspended', report: null, usage: NO_USAGE });
        }, 5);
      });
    };
    await serviceOn(mortal, { threads: 3, carryOut, quietMs, logger }).start();
    // The memory store answers in microtasks: after a turn of the event loop whoever may begin has begun.
    await new Promise((resolve) => setImmediate(resolve));
    const unfinished = async (): Promise<number> =>
      (await store.listRuns('acct_1', { status: 'running' }, { limit: 100, offset: 0 })).items.filter(
        (run) => lossesHere(run) > 0,
      ).length;
    const isOver = async (): Promise<boolean> => isDead || (until?.(began) ?? (await unfinished()) === 0);
    await vi.waitFor(async () => expect(await isOver()).toBe(true), { timeout: 20_000, interval: 5 });
    isDead = true;
    return began;
  }

  it('are ended after the third time at which they were alone, and only the one that did it', async () => {
    await create(1, 2, 3, 4, 5);
    const deadly = [2];
    // Three threads, and the second run ends the process before any has reported.
    expect(await life({ deadly })).toEqual([1, 2]);
    // Those that were there begin one by one.
    expect(await life({ deadly })).toEqual([1, 2]);
    expect(lossesHere(await find(1))).toBe(0);
    // Who was there twice is tried alone: the first one is interrupted for it.
    expect(await life({ deadly })).toEqual([1, 2]);
    expect(await find(1)).toMatchObject({ status: 'running', strikes: 0 });
    for (let strike = 1; strike < 3; strike++) expect(await life({ deadly })).toEqual([2]);
    const last = await life({ deadly });
    expect(last).not.toContain(2);
    expect(await find(2)).toMatchObject({
      status: 'failed',
      losses: 5,
      strikes: 3,
      ending: { terminationReason: 'error' },
    });
    expect((await find(2)).ending?.error?.message).toContain('3 times at this point');
    for (const seed of [1, 3, 4, 5]) {
      expect(strikesHere(await find(seed))).toBe(0);
      expect((await find(seed)).status).not.toBe('failed');
      // Every attempt but the last was lost, or the log says that it was given back.
      const { id, attempt, losses } = await find(seed);
      expect(attempt, id).toBeLessThanOrEqual(losses + 1 + givenBack.filter((run) => run === id).length);
    }
    expect(givenBack).toContain((await find(1)).id);
  }, 60_000);

  it('are blamed for nothing where they came further each time, however often', async () => {
    await create(1, 2);
    for (let times = 0; times < 8; times++) {
      expect(await life({})).toEqual([1, 2]);
      await sleep(0);
    }
    expect(await find(1)).toMatchObject({ status: 'running', attempt: 8, losses: 7 });
    expect(lossesHere(await find(1))).toBe(0);
  });

  it('are not given up by what kills the process from outside as soon as anything begins', async () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    await create(...seeds);
    // The first death is of several; then each run is alone once, and what would be alone again waits.
    for (let kill = 0; kill <= seeds.length; kill++) {
      expect(await life({ deadly: seeds, quietMs: quietMsOf })).toHaveLength(1);
    }
    for (const seed of seeds) {
      const run = await find(seed);
      expect([run.status, run.strikes <= 1]).toEqual(['running', true]);
    }
    // A process that is left in peace carries all of them out.
    const last = await life({ until: (began) => began.length >= 3 });
    expect(new Set(last).size).toBeGreaterThanOrEqual(3);
  }, 60_000);

  it('with a strike wait until the process has lived for a while, and others go on meanwhile', async () => {
    await create(1, 2, 3);
    const quietMs = (run: RunRecord): number => (strikesHere(run) > 0 ? 300 : 0);
    for (let death = 0; death < 2; death++) {
      expect(await life({ deadly: [1], quietMs: quietMs as never })).toEqual([1]);
    }
    const startedAt = performance.now();
    expect(await life({ deadly: [1], quietMs: quietMs as never })).toEqual([2, 3, 1]);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
    expect(lossesHere(await find(2))).toBe(0);
  }, 60_000);

  it('are not alone any more once others may begin because they have worked for long', async () => {
    await create(1, 2);
    expect(await life({ deadly: [1] })).toEqual([1]);
    // The second begins beside the first, which has not reported, and ends the process.
    expect(await life({ silent: [1], deadly: [2] })).toEqual([1, 2]);
    await store.expireLeases();
    const claimed = await store.claimRun('opt_1', { owner: 'next', now: 1, leaseUntil: 2 });
    expect(claimed?.run).toMatchObject({ losses: 2, strikes: 0 });
  }, 60_000);

  it('are cancelled at once while they wait to be tried', async () => {
    await create(1);
    for (let death = 0; death < 2; death++) await life({ deadly: [1], quietMs: quietMsOf });
    const service = serviceOn(store, { threads: 3, carryOut: () => new Promise(() => {}), quietMs: quietMsOf });
    await service.start();
    await vi.waitFor(() => expect(service.status().queued).toBe(1));
    const startedAt = performance.now();
    expect(await service.cancel('acct_1', 'opt_1')).toMatchObject({ status: 'failed' });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await service.close();
  }, 60_000);
});

describe('runs of several accounts', () => {
  /** Runs that note the order in which they begin, and end when they are told to. */
  function stage(): { began: string[]; end(): void; carryOut: (job: RunJob) => Promise<RunResult> } {
    const began: string[] = [];
    const ends: (() => void)[] = [];
    return {
      began,
      end: () => ends.shift()?.(),
      carryOut: (job) => {
        began.push(job.task.seed > 100 ? 'b' : 'a');
        return new Promise((resolve) => {
          ends.push(() => resolve({ ...failureOf(new ExtremumError('invalid_request', 'over')), usage: NO_USAGE }));
        });
      },
    };
  }
  const submission = (seed: number) => ({
    functionId: 'func_1',
    source: newRun('opt_1').source,
    request: requestOf(seed),
    metadata: {},
  });

  it.each([1, 2])(
    'take turns: behind a batch of one account another does not wait, with %i threads',
    async (threads) => {
      const { began, end, carryOut } = stage();
      const service = serviceOn(openMemoryStore(), { threads, carryOut });
      await service.start();
      await service.submitBatch(
        'acct_1',
        Array.from({ length: 20 }, (_, i) => submission(i)),
      );
      await vi.waitFor(() => expect(began).toHaveLength(threads));
      for (const seed of [101, 102]) await service.submit('acct_2', submission(seed));
      for (let ended = 1; ended <= 4; ended++) {
        end();
        await vi.waitFor(() => expect(began).toHaveLength(threads + ended));
      }
      expect(began.slice(threads, threads + 3)).toEqual(['b', 'a', 'b']);
      end();
      void service.close();
    },
  );

  it('take turns in several processes on one store, whichever of them was told of the run', async () => {
    const memory = openMemoryStore();
    const shared = new Proxy(memory, {
      get: (target, name) => {
        if (name === 'capabilities') return { exclusive: false, durable: false };
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const { began, end, carryOut } = stage();
    const services = [0, 1].map(() => serviceOn(shared, { threads: 1, carryOut }));
    for (const service of services) await service.start();
    await services[0].submitBatch(
      'acct_1',
      Array.from({ length: 50 }, (_, i) => submission(i)),
    );
    await vi.waitFor(() => expect(began).toHaveLength(2), { timeout: 5_000 });
    await services[1].submit('acct_2', submission(101));
    // Whichever process is free first: the account that has none at work is next.
    end();
    await vi.waitFor(() => expect(began).toHaveLength(3), { timeout: 5_000 });
    expect(began).toEqual(['a', 'a', 'b']);
    for (const service of services) void service.close();
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

  /** A run after `evaluations`: its snapshot, and the outcome if it had ended there. */
  async function carriedOut(evaluations: number): Promise<{ snapshot: RunSnapshot; outcome: RunOutcome }> {
    let snapshot: RunSnapshot | null = null;
    const outcome = await runOptimization(
      { ...task, maxEvaluations: evaluations },
      {
        strategies,
        primary: {
          backend: 'fake',
          device: 'fake',
          evaluate: async (batch, output) => {
            output.status.fill(0);
            for (let row = 0; row < batch.count; row++) {
              const [x, y] = candidateOf(batch, row);
              output.values.set([-(x ** 2) - y ** 2, -((x - 2) ** 2) - y ** 2], 2 * row);
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
      python: PYTHON as never,
      verify: true,
      ids: createIdSource(Date.now),
      clock: () => 1_000,
      logger: silentLogger,
      metrics: METRICS,
      eventsStored: () => {},
      runsRemoved: () => {},
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

describe('those who watch a run', () => {
  it('share a look, but none from before a change', async () => {
    const store = openMemoryStore();
    let looks = 0;
    const counting = new Proxy(store, {
      get: (target, name) => {
        if (name === 'findRun') looks++;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const service = serviceOn(counting, { threads: 1, carryOut: () => new Promise<never>(() => {}) });
    await store.createRun(newRun('opt_1'));
    const look = (after = 0) => service.look('acct_1', 'opt_1', after, 10);
    const [first, second] = [look(), look()];
    expect(looks).toBe(1);
    await Promise.all([look(1), service.look('acct_2', 'opt_1', 0, 10)]);
    expect(looks).toBe(3);
    await service.updateMetadata('acct_1', 'opt_1', { changed: true });
    expect([(await first)?.run.metadata, (await second)?.run.metadata]).toEqual([{}, {}]);
    const { happened } = service.changed('opt_1', 60_000);
    expect(await look()).toMatchObject({ run: { metadata: { changed: true } }, events: [{ type: 'context.updated' }] });
    await service.updateMetadata('acct_1', 'opt_1', { changed: 2 });
    await happened;
    // Asked for in the same turn as the change, too.
    const before = look();
    const update = service.updateMetadata('acct_1', 'opt_1', { changed: 3 });
    await update;
    expect((await look())?.run.metadata).toEqual({ changed: 3 });
    await before;
    expect(await service.look('acct_2', 'opt_1', 0, 10)).toBeNull();
  });
});

describe('a run whose record is damaged', () => {
  it('ends where it is claimed, and keeps nobody waiting', async () => {
    const store = openMemoryStore();
    for (const seed of [1, 2]) await store.createRun({ ...newRun(`opt_${seed}`), request: requestOf(seed) });
    const damaged = new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (name === 'claimRun') {
          return async (...given: Parameters<Store['claimRun']>) => {
            if (given[0] === 'opt_1') throw new ExtremumError('record_damaged', 'The record opt_1 is damaged.');
            return store.claimRun(...given);
          };
        }
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const began: number[] = [];
    const carryOut = (job: RunJob): Promise<RunResult> => {
      began.push(job.task.seed);
      return new Promise<never>(() => {});
    };
    const service = serviceOn(damaged, { threads: 1, carryOut });
    await service.start();
    expect(await service.wait('acct_1', 'opt_1', 5)).toMatchObject({
      status: 'failed',
      ending: { terminationReason: 'error', error: { message: expect.stringContaining('damaged') as string } },
    });
    await vi.waitFor(() => expect(began).toEqual([2]));
    const events = await store.runEvents('acct_1', 'opt_1', 0, 9);
    expect(events?.map((event) => event?.type)).toEqual(['optimization.failed']);
  });
});
