/**
 * Reports of `/v1/analytics` with 100,000 runs in the store, over a year, as a client gets them: each report of the whole
 * account and of one optimization, while `GET /v1/health` is asked beside it (the event loop is not held up). Counts and
 * percentiles are checked against the runs that were put in. First with sums of what is over, as the service keeps them,
 * then with none of them made yet (right after an upgrade).
 */
import { openSqliteStore } from '../../dist/storage/sqlite/sqlite-store.js';
import { composeId } from '../../dist/common/ids.js';
import { Rng } from '../../dist/common/rng.js';
import { PRESET_CONFIGS } from '../../dist/model/intelligence.js';
import { sleep, startServer } from '../support/service.mjs';
import { quantile, rounded, sorted } from '../support/statistics.mjs';

const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);
const RUNS = Math.max(1_000, Math.round(100_000 * scale));
const REQUESTS = Math.max(20, Math.round(200 * scale));
const DAY_MS = 86_400_000;
const DAYS = 365;
const END = Date.UTC(2026, 6, 1);
const BEGIN = END - DAYS * DAY_MS;
const AT_ONCE = 500;

export async function run() {
  const server = await startServer({ kind: 'sqlite' }, { flags: ['--cost-per-cpu-second', '0.00002'] });
  try {
    const { account_id: accountId } = await server.call('GET', '/v1/identity');
    const store = openSqliteStore({ dataDir: server.folder, exclusive: false });
    const made = await fill(store, accountId);
    const before = await measure(server, made, 'none made yet');
    const startedAt = performance.now();
    let sums = 0;
    for (let done = 1; done > 0; sums += done) done = await store.rollUp(END + 2 * DAY_MS, 200);
    const rollUpSeconds = (performance.now() - startedAt) / 1000;
    await store.close();
    const after = await measure(server, made, 'kept');
    const settings = { runs: RUNS, days: DAYS, requests: REQUESTS, sums, roll_up_seconds: rounded(rollUpSeconds) };
    return { name: 'service-analytics', settings, results: [...after, ...before] };
  } finally {
    await server.close();
  }
}

/** Completed, failed and repeated runs; returns what reports must say. */
async function fill(store, accountId) {
  const rng = Rng.create(1);
  const request = {
    task: { bounds: [[-1, 1]], maxEvaluations: 1_000, seed: 7, direction: 'minimize', mode: 'balanced' },
    preset: 'production',
    intelligence: PRESET_CONFIGS.production,
    blackBox: false,
    pythonMinor: 12,
  };
  const source = { code: 'def f(x): return x[0]', entry: 'f', argument: 'list' };
  const seconds = [];
  let failed = 0;
  let original = '';
  for (let i = 0; i < RUNS; i += AT_ONCE) {
    const work = Array.from({ length: Math.min(AT_ONCE, RUNS - i) }, async (_, k) => {
      const n = i + k;
      const createdAt = Math.floor(BEGIN + ((n + rng.uniform()) / RUNS) * (END - BEGIN));
      const id = composeId('opt', createdAt, n % 10_000, n);
      // One optimization was repeated a thousand times.
      const isRepeat = n % 100 === 99;
      if (n === 0) original = id;
      const own = isRepeat ? { ...request, replayOf: original, originId: original } : request;
      const isFailed = rng.uniform() < 0.1;
      const durationSeconds = Math.exp(rng.normal() * 1.5 - 2);
      if (isFailed) failed++;
      else seconds.push(durationSeconds);
      const claim = { owner: 'bench', now: createdAt, leaseUntil: createdAt + 60_000 };
      await store.createRun(
        { id, accountId, functionId: 'func_1', source, request: own, metadata: {}, createdAt },
        claim,
      );
      const ending = {
        terminationReason: isFailed ? 'error' : 'budget',
        bestSolution: [0],
        bestFitness: 0,
        evaluations: 1_000,
        failedEvaluations: n % 7,
        failures: [],
        durationSeconds,
        strategies: [],
        backend: null,
        usage: { threadCpuSeconds: durationSeconds, pythonCpuSeconds: 0, gpuSeconds: 0, peakMemoryBytes: 1e7 + n },
      };
      const completedAt = createdAt + Math.ceil(durationSeconds * 1000);
      await store.finishRun(id, 1, { status: isFailed ? 'failed' : 'completed', ending, completedAt });
    });
    await Promise.all(work);
  }
  return { seconds: sorted(seconds), failed, original, repeats: Math.floor(RUNS / 100) };
}

async function measure(server, { seconds, failed, original, repeats }, sums) {
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  const period = `start_date=${day(BEGIN)}&end_date=${day(END)}`;
  const place = 0.95 * (seconds.length - 1);
  const [below, above] = [seconds[Math.floor(place)], seconds[Math.ceil(place)]];
  const p95 = below + (above - below) * (place % 1);
  const counts = (total, ofFailed) => {
    if (total !== RUNS || ofFailed !== failed) throw new Error(`${total} runs, ${ofFailed} failed`);
  };
  const family = (total) => {
    if (total !== repeats + 1) throw new Error(`${total} runs of one optimization`);
  };
  const one = `optimization_id=${original}`;
  const reports = [
    ['metrics by day', `metrics?${period}`, ({ metrics: m }) => counts(m.total_optimizations, m.failed_optimizations)],
    [
      'metrics by week',
      `metrics?${period}&granularity=week`,
      ({ metrics: m }) => counts(m.total_optimizations, m.failed_optimizations),
    ],
    ['executions', `executions?end_date=${day(END)}`, ({ total, by_status: s }) => counts(total, s.failed)],
    [
      'performance',
      'performance',
      ({ execution_time: t, error_rate: e }) => {
        counts(e.total, e.failed);
        if (Math.abs(t.p95 - p95) > 1e-9) throw new Error(`p95 ${t.p95}, not ${p95}`);
      },
    ],
    ['metrics, one optimization', `metrics?${period}&${one}`, ({ metrics: m }) => family(m.total_optimizations)],
    ['executions, one optimization', `executions?end_date=${day(END)}&${one}`, ({ total }) => family(total)],
    ['performance, one optimization', `performance?${one}`, ({ error_rate: e }) => family(e.total)],
  ];
  const results = [];
  for (const [name, path, check] of reports) {
    const request = { requests: [{ method: 'GET', path: `/v1/analytics/${path}` }], check };
    await server.pace({ ...request, amount: 5, intervalMs: 0 });
    let isOver = false;
    const health = [];
    const watching = (async () => {
      while (!isOver) {
        const sent = performance.now();
        await server.call('GET', '/v1/health');
        health.push(performance.now() - sent);
        await sleep(5);
      }
    })();
    const { times } = await server.pace({ ...request, amount: REQUESTS, intervalMs: 0 });
    isOver = true;
    await watching;
    results.push({
      report: name,
      sums,
      requests: times.length,
      p50_ms: rounded(quantile(times, 0.5)),
      p95_ms: rounded(quantile(times, 0.95)),
      p99_ms: rounded(quantile(times, 0.99)),
      health_p50_ms: rounded(quantile(health, 0.5)),
      health_p99_ms: rounded(quantile(health, 0.99)),
    });
  }
  return results;
}
