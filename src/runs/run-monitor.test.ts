import { describe, expect, it } from 'vitest';
import type { MonitoringTrace } from '../model/monitoring.js';
import type { RunRecord } from '../model/run-record.js';
import { encodeTrace } from '../model/trace-bytes.js';
import { ACCOUNT, claimAt, monitoringRow, newRun } from '../../test/conformance/store-samples.js';
import { openMemoryStore } from '../storage/memory/memory-store.js';
import type { Store } from '../storage/store.js';
import { GaugeWriter } from './gauges.js';
import { RunMonitor, type MonitorSources } from './run-monitor.js';

/** Everything stands still until a test moves it. */
function atRest() {
  const state = { clock: 50_000, now: 0, thread: 1, service: 10, memory: 1_000 };
  const sources: MonitorSources = {
    clock: () => state.clock,
    now: () => state.now,
    threadCpuSeconds: () => state.thread,
    serviceCpuSeconds: () => state.service,
    serviceMemoryBytes: () => state.memory,
  };
  const pass = (seconds: number): void => {
    state.clock += 1_000 * seconds;
    state.now += 1_000 * seconds;
  };
  return { state, sources, pass };
}

async function running(store: Store, overrides: Partial<RunRecord['request']> = {}): Promise<RunRecord> {
  const run = newRun('opt_1');
  return store.createRun({ ...run, request: { ...run.request, ...overrides } }, claimAt(run.createdAt + 2_500));
}
const stored = async (store: Store): Promise<MonitoringTrace['rows']> =>
  (await store.runMonitoring(ACCOUNT.id, 'opt_1'))?.rows ?? [];

/** How many traces were stored. */
function counted(store: Store): { readonly saves: () => number; readonly store: RunMonitor['store'] } {
  let saves = 0;
  const saveMonitoring: Store['saveMonitoring'] = (...given) => {
    saves++;
    return store.saveMonitoring(...given);
  };
  return { saves: () => saves, store: { saveMonitoring, runMonitoring: store.runMonitoring.bind(store) } };
}

describe('the monitor of a run', () => {
  it('writes a row for each look: what was counted since the one before', async () => {
    const store = openMemoryStore();
    const { state, sources, pass } = atRest();
    const monitor = new RunMonitor(await running(store), store, sources);
    pass(1);
    await monitor.sample();
    let waited = 0;
    const gauges = new GaugeWriter(monitor.begin(() => waited));
    // Where it goes on from: not of this attempt.
    gauges.count({ evaluations: 500, tiers: { wasm: 500 }, confirmed: 7 });
    pass(1);
    gauges.count({ evaluations: 600, tiers: { wasm: 590, cpython: 5, abacus: 5 }, confirmed: 9 });
    waited = 0.5;
    state.service += 0.75;
    state.memory = 3_000;
    await monitor.sample();
    pass(1);
    await monitor.sample();
    const rows = await stored(store);
    expect(rows).toMatchObject([
      { at: 51_000, seconds: 1, attempt: 1, evaluations: 0, tiers: {}, queuedSeconds: 2.5, threadMemoryBytes: null },
      {
        ...{ at: 52_000, seconds: 1, evaluations: 100, tiers: { wasm: 90, cpython: 5, other: 5 }, checks: 2 },
        ...{ pythonSeconds: 0.5, serviceCpuSeconds: 0.75, serviceMemoryBytes: 3_000, queuedSeconds: 0 },
      },
      { at: 53_000, evaluations: 0, tiers: {}, checks: 0, pythonSeconds: 0, serviceCpuSeconds: 0 },
    ]);
    expect(rows[1]?.threadMemoryBytes).toBeGreaterThan(1_000_000);
  });

  it('does not tell evaluations of a run that solves a problem', async () => {
    const store = openMemoryStore();
    const { sources, pass } = atRest();
    const problem = { domain: 'supply-chain', problemType: 'inventory', model: 'eoq', sense: 'minimize', names: [] };
    const run = await running(store, { problem } as unknown as Partial<RunRecord['request']>);
    const monitor = new RunMonitor(run, store, sources);
    monitor.begin();
    pass(1);
    monitor.end();
    await monitor.sample();
    expect((await monitor.trace()).rows).toMatchObject([{ evaluations: null, tiers: null, checks: null }]);
  });

  it('goes on with what earlier attempts have left, also where the store was away at first', async () => {
    const store = openMemoryStore();
    const { sources, pass } = atRest();
    await running(store);
    await store.saveMonitoring('opt_1', 1, encodeTrace({ intervalSeconds: 1, rows: [monitoringRow({ at: 7 })] }));
    await store.releaseRun('opt_1', 1, 'lost');
    const claimed = await store.claimRun('opt_1', claimAt(60_000));
    let isAway = true;
    const runMonitoring: Store['runMonitoring'] = async (...asked) => {
      if (isAway) throw new Error('away');
      return store.runMonitoring(...asked);
    };
    const saveMonitoring = store.saveMonitoring.bind(store);
    const monitor = new RunMonitor(claimed!.run, { runMonitoring, saveMonitoring }, sources);
    pass(1);
    await expect(monitor.sample()).rejects.toThrow('away');
    expect(await stored(store)).toHaveLength(1);
    isAway = false;
    pass(1);
    await monitor.sample();
    expect(await stored(store)).toMatchObject([
      { at: 7, attempt: 1 },
      { at: 51_000, attempt: 2, queuedSeconds: 0 },
      { at: 52_000, attempt: 2 },
    ]);
  });

  it('stores a long trace less often', async () => {
    const inner = openMemoryStore();
    const { sources, pass } = atRest();
    const { saves, store } = counted(inner);
    const monitor = new RunMonitor(await running(inner), store, sources);
    const look = async (times: number): Promise<number> => {
      const before = saves();
      for (let i = 0; i < times; i++) {
        pass(1);
        await monitor.sample();
      }
      return saves() - before;
    };
    expect(await look(100)).toBe(100);
    await look(500);
    expect(await look(100)).toBeLessThan(40);
    expect((await monitor.trace()).rows).toHaveLength(700);
  });
});
