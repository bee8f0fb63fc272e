/**
 * Reports of `/v1/analytics` with 100,000 runs in the store, over a year, as a client gets them, on SQLite and MongoDB:
 * each report of the whole account and of one optimization, over periods from a day to all of it, while `GET
 * /v1/health` is asked beside it (the event loop is not held up). Counts and percentiles are checked against the runs
 * that were put in.
 *
 * In three states: `kept`, with sums of what is over, as the service keeps them; `burst`, with 20,000 runs of this very
 * hour besides, which have to be counted one by one; `none`, with no sums at all, as in the first seconds after an
 * upgrade. `server_cpu_ms` is processor time of the service for a report and the questions after its health meanwhile,
 * without that of a mongod.
 */
import { Rng } from '../../dist/common/rng.js';
import { endingOf, fillRuns, idOf, openEverything, openStoreOf } from '../support/fill.mjs';
import { onEachStore, sleep, startServer } from '../support/service.mjs';
import { quantile, rounded, sorted } from '../support/statistics.mjs';

const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);
const RUNS = Math.max(1_000, Math.round(100_000 * scale));
const BURST = Math.max(200, Math.round(20_000 * scale));
const REQUESTS = Math.max(20, Math.round(100 * scale));
/** Without sums reports are slow, and few of them are ever asked for. */
const REQUESTS_WITHOUT_SUMS = 10;
const TRIES = 3;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 365;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const BEGIN = TODAY - DAYS * DAY_MS;
const SUMMED_AT_ONCE = 50;

export async function run() {
  const results = await onEachStore(measureStore);
  const settings = { runs: RUNS, days: DAYS, burst: BURST, requests: REQUESTS };
  return { name: 'service-analytics', settings, results };
}

async function measureStore(store) {
  const server = await startServer(store, { flags: ['--cost-per-cpu-second', '0.00002'] });
  try {
    const { account_id: accountId } = await server.call('GET', '/v1/identity');
    const made = { seconds: [], failed: 0, total: 0, family: 0, original: '' };
    await fillRuns(store, server, accountId, yearOfRuns(made));
    const rows = [];
    const report = async (state, requests, until) => {
      const known = { ...made, seconds: sorted(made.seconds) };
      for (const one of reportsOf(known)) {
        let row = await measure(server, one, requests);
        // The service sums, too, once a minute: a machine that is very busy cannot measure a report without.
        for (let tries = 1; (await until?.()) === false && tries < TRIES; tries++) {
          row = await measure(server, one, requests);
        }
        rows.push({ store: store.kind, state, ...row });
      }
    };
    const everything = await openEverything(store, server);
    const isStillOpen = async () => {
      const before = await everything.count();
      await everything.open();
      return before === everything.hours;
    };
    await everything.open();
    await report('none', REQUESTS_WITHOUT_SUMS, isStillOpen);
    rows.push({ store: store.kind, state: 'kept', ...(await rollUp(store, server)) });
    await report('kept', REQUESTS);
    await fillRuns(store, server, accountId, burstOfRuns(made));
    await report('burst', REQUESTS);
    await everything.close();
    return rows;
  } finally {
    await server.close();
  }
}

/** Seconds until everything that is over has been summed, beside a service that is at rest. */
async function rollUp(store, server) {
  const opened = await openStoreOf(store, server);
  try {
    const startedAt = performance.now();
    let sums = 0;
    for (let done = 1; done > 0; sums += done) done = await opened.rollUp(TODAY + HOUR_MS, SUMMED_AT_ONCE);
    return { report: 'summing all', sums, seconds: rounded((performance.now() - startedAt) / 1000) };
  } finally {
    await opened.close();
  }
}

function note(made, { status, ending }) {
  made.total++;
  if (status === 'failed') made.failed++;
  else made.seconds.push(ending.durationSeconds);
}

function runOf(rng, n) {
  const durationSeconds = Math.exp(rng.normal() * 1.5 - 2);
  const usage = { threadCpuSeconds: durationSeconds, pythonCpuSeconds: 0, gpuSeconds: 0, peakMemoryBytes: 1e7 + n };
  const status = rng.uniform() < 0.1 ? 'failed' : 'completed';
  return { status, ending: endingOf({ durationSeconds, failedEvaluations: n % 7, usage }) };
}

/** One optimization is repeated a thousand times, and every tenth of the others once or twice. */
function* yearOfRuns(made) {
  const rng = Rng.create(1);
  const ids = [];
  for (let n = 0; n < RUNS; n++) {
    const createdAt = Math.floor(BEGIN + ((n + rng.uniform()) / RUNS) * DAYS * DAY_MS);
    ids.push(idOf(n + 1, createdAt));
    const ofFamily = n % 100 === 99;
    const origin = ofFamily ? 0 : n % 10 === 9 ? 10 * Math.floor(rng.uniform() * Math.floor(n / 10)) : null;
    const one = { createdAt, ...runOf(rng, n), ...(origin === null ? {} : { originId: ids[origin] }) };
    note(made, one);
    made.original = ids[0];
    made.family += Number(n === 0 || origin === 0);
    yield one;
  }
}

/** In the hour that has begun. */
function* burstOfRuns(made) {
  const rng = Rng.create(2);
  const begin = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  for (let n = 0; n < BURST; n++) {
    const createdAt = begin + Math.floor(rng.uniform() * Math.max(1_000, Date.now() - begin));
    const one = { createdAt, ...runOf(rng, n) };
    note(made, one);
    yield one;
  }
}

/** Name, path and what the answer must say. */
function reportsOf({ seconds, failed, total, family, original }) {
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  const since = (days) => `start_date=${day(TODAY - days * DAY_MS)}&end_date=${day(TODAY)}`;
  const place = 0.5 * (seconds.length - 1);
  const [below, above] = [seconds[Math.floor(place)], seconds[Math.ceil(place)]];
  const median = below + (above - below) * (place % 1);
  const same = (found, wanted) => {
    if (found !== wanted) throw new Error(`${found} instead of ${wanted}`);
  };
  const all = ({ metrics: m }) => {
    same(m.total_optimizations, total);
    same(m.failed_optimizations, failed);
  };
  const some = ({ metrics: m }) => {
    if (!(m.total_optimizations > 0 && m.total_optimizations < total)) throw new Error(JSON.stringify(m));
  };
  const one = `optimization_id=${original}`;
  return [
    ['metrics, 2 days by hour', `metrics?${since(1)}&granularity=hour`, some],
    ['metrics, 80 days by hour', `metrics?${since(79)}&granularity=hour`, some],
    ['metrics, a month by day', `metrics?${since(30)}`, some],
    ['metrics, a year by day', `metrics?${since(DAYS)}`, all],
    ['metrics, a year by week', `metrics?${since(DAYS)}&granularity=week`, all],
    ['metrics, a year by month', `metrics?${since(DAYS)}&granularity=month`, all],
    ['executions, a month', `executions?${since(30)}`, ({ total: found }) => same(found < total, true)],
    [
      'executions, all',
      'executions',
      ({ total: found, by_status: s }) => same(`${found} ${s.failed}`, `${total} ${failed}`),
    ],
    [
      'performance',
      'performance',
      ({ execution_time: t, error_rate: e }) => {
        same(`${e.total} ${e.failed}`, `${total} ${failed}`);
        if (Math.abs(t.median - median) > 1e-9) throw new Error(`median ${t.median}, not ${median}`);
      },
    ],
    [
      'metrics, one optimization',
      `metrics?${since(DAYS)}&${one}`,
      ({ metrics: m }) => same(m.total_optimizations, family),
    ],
    ['executions, one optimization', `executions?${one}`, ({ total: found }) => same(found, family)],
    ['performance, one optimization', `performance?${one}`, ({ error_rate: e }) => same(e.total, family)],
  ];
}

async function measure(server, [name, path, check], amount) {
  const request = { requests: [{ method: 'GET', path: `/v1/analytics/${path}` }], check, intervalMs: 0 };
  await server.pace({ ...request, amount: 3 });
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
  const { times, cpuMilliseconds } = await server.pace({ ...request, amount });
  isOver = true;
  await watching;
  return {
    report: name,
    requests: times.length,
    p50_ms: rounded(quantile(times, 0.5)),
    p95_ms: rounded(quantile(times, 0.95)),
    server_cpu_ms: Number.isNaN(cpuMilliseconds) ? null : rounded(cpuMilliseconds),
    health_p50_ms: rounded(quantile(health, 0.5)),
    health_p95_ms: rounded(quantile(health, 0.95)),
  };
}
