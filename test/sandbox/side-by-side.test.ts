/**
 * Functions of which the upload says that calls are free of each other: strategies ask for as many candidates as there
 * are processes, and which of them is valued first changes nothing.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { runOptimization } from '../../src/engine/run-optimization.js';
import type { RunSnapshot } from '../../src/engine/snapshot.js';
import { strategies } from '../../src/planner/all-strategies.js';
import { makeBackend, objective, skipWithoutSandbox } from './support.js';

const PROCESSES = 4;
const BUDGET = 22;

/** `seconds`: that an evaluation takes, in terms of `x`. */
const source = (seconds: string): string =>
  `import time\ndef f(x):\n    time.sleep(${seconds})\n    return sum((v - 1.25) ** 2 for v in x)`;
const RISING = '0.002 * (int(abs(x[0]) * 1000) % 5)';
const FALLING = `0.008 - ${RISING}`;

describe('candidates that are valued side by side', () => {
  skipWithoutSandbox();
  const backend = makeBackend({ processesPerRun: PROCESSES, spares: 0 });
  afterAll(() => backend.close());

  /** A run of a declared function, which goes on from `from` where it is given. */
  async function search(
    strategy: string,
    seconds: string,
    { from, budget = BUDGET }: { from?: RunSnapshot; budget?: number } = {},
  ) {
    const kernel = await backend.open(objective(source(seconds), { dimension: 2, stateless: true }));
    const batches: number[] = [];
    const snapshots: RunSnapshot[] = [];
    const primary = {
      backend: kernel.backend,
      device: kernel.device,
      sharing: kernel.sharing,
      evaluate: (...given: Parameters<typeof kernel.evaluate>) => {
        batches.push(given[0].count);
        return kernel.evaluate(...given);
      },
      close: async () => {},
    };
    const task = {
      bounds: [[-5, 5] as const, [-5, 4] as const],
      ...{ maxEvaluations: budget, seed: 7, direction: 'minimize' as const, mode: 'balanced' as const, strategy },
    };
    const ports = {
      ...{ strategies, primary, fallback: null, backendReason: '', sideBySide: PROCESSES },
      now: () => performance.now(),
      isCancelled: () => false,
      checkpoint: (snapshot: RunSnapshot) => void snapshots.push(JSON.parse(JSON.stringify(snapshot)) as RunSnapshot),
      checkpointIntervalMs: 0,
    };
    const { bestSolution, bestFitness, evaluations, backend: use } = await runOptimization(task, ports, from);
    const { busy } = backend.counts();
    await kernel.close();
    return { found: { bestSolution, bestFitness, evaluations }, batches, snapshots, sharing: use.sharing, busy };
  }

  it.each(['planner', 'cma-es', 'differential-evolution', 'bayesian', 'trust-region'])(
    'give %s the same result whichever is valued first, also where it is interrupted or extended',
    { timeout: 60_000 },
    async (strategy) => {
      const one = await search(strategy, RISING);
      expect(one.batches.slice(0, -1).filter((count) => count % PROCESSES !== 0)).toEqual([]);
      expect(one.busy).toBe(PROCESSES);
      expect(one.found.evaluations).toBe(BUDGET);
      expect((await search(strategy, FALLING)).found).toEqual(one.found);
      expect((await search(strategy, FALLING, { from: one.snapshots[1] })).found).toEqual(one.found);
    },
  );

  it('are the same after a budget that cuts a batch is raised', { timeout: 60_000 }, async () => {
    const whole = await search('cma-es', RISING);
    for (const budget of [9, 15]) {
      const cut = await search('cma-es', RISING, { budget });
      expect((await search('cma-es', FALLING, { from: cut.snapshots.at(-1) })).found).toEqual(whole.found);
    }
  });

  it('are told in the record, with the reason', async () => {
    const { sharing } = await search('cma-es', RISING, { budget: 4 });
    expect(sharing).toEqual({ stateless: { value: true, reason: 'the upload says so' }, processes: PROCESSES });
  });
});

describe('whether calls are free of each other', () => {
  skipWithoutSandbox();
  const backend = makeBackend({ spares: 0 });
  afterAll(() => backend.close());
  const judged = (code: string, rest = {}) => backend.judge(objective(code, rest).source);

  it('is judged from the text, with a place and a reason, and nothing of it is run', async () => {
    expect(await judged('import math\ndef f(x): return math.sin(x[0])')).toEqual({
      value: true,
      reason: 'the text shows nothing that outlives a call',
    });
    expect(await judged('import os\nos._exit(1)\ndef f(x): return x[0]')).toEqual({
      value: false,
      reason: 'line 1: the source imports os, which may keep something between calls',
    });
    expect(await judged('n = []\ndef f(x):\n    n.append(1)\n    return len(n)')).toEqual({
      value: false,
      reason: 'line 2: the source may change an object that it has not made itself',
    });
  });

  it("is the uploader's word where there is one", async () => {
    const code = 'import os\ndef f(x): return x[0]';
    expect(await judged(code, { stateless: true })).toEqual({ value: true, reason: 'the upload says so' });
    expect(await judged('def f(x): return x[0]', { stateless: false })).toMatchObject({ value: false });
  });
});
