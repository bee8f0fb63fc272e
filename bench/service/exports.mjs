/**
 * 100,000 executions as csv, xlsx and pdf from a service of its own: seconds to the first byte and to the last, the
 * service's memory (RSS) at its highest, and how long `/livez` takes meanwhile. Throws where a file lacks executions.
 */
import { readFileSync } from 'node:fs';
import { composeId } from '../../dist/common/ids.js';
import { PRESET_CONFIGS } from '../../dist/model/intelligence.js';
import { openSqliteStore } from '../../dist/storage/sqlite/sqlite-store.js';
import { startServer } from '../support/service.mjs';
import { fixed, quantile } from '../support/statistics.mjs';

const EXECUTIONS = Number(process.env['EXTREMUM_BENCH_EXECUTIONS'] ?? 100_000);
const FORMATS = ['csv', 'xlsx', 'pdf'];
const AT_ONCE = 1_000;
const EVERY_MS = 60_000;
const HEALTH_EVERY_MS = 20;
const MEBIBYTE = 2 ** 20;

const request = {
  task: { bounds: [[-1, 1]], maxEvaluations: 100, seed: 7, direction: 'minimize', mode: 'balanced' },
  preset: 'production',
  intelligence: PRESET_CONFIGS.production,
  blackBox: false,
  pythonMinor: 12,
};
const source = { code: 'def f(x):\n    return x[0] * x[0]\n', entry: 'f', argument: 'list' };
const span = { name: 'quasi-newton', reason: '', fromEvaluation: 0, toEvaluation: 100, bestFitness: 0 };

/** Writes runs that have ended, beside the service. */
async function fill(dataDir, accountId) {
  const store = openSqliteStore({ dataDir, exclusive: false });
  const begin = Date.now() - EXECUTIONS * EVERY_MS;
  const one = async (index) => {
    const createdAt = begin + index * EVERY_MS;
    const id = composeId('opt', createdAt, index % 10_000, index);
    const run = { id, accountId, functionId: 'func_1', source, request, metadata: {}, createdAt };
    await store.createRun(run, { owner: 'bench', now: createdAt, leaseUntil: createdAt + EVERY_MS });
    const status = index % 9 === 0 ? 'failed' : 'completed';
    const ending = {
      terminationReason: status === 'failed' ? 'error' : 'converged',
      bestSolution: [index / EXECUTIONS],
      bestFitness: (index / EXECUTIONS) ** 2,
      evaluations: index % 1_000,
      failedEvaluations: 0,
      failures: [],
      durationSeconds: (index % 977) / 1_000,
      strategies: [span],
      backend: null,
    };
    await store.finishRun(id, 1, { status, ending, completedAt: createdAt + 1_000 });
  };
  try {
    for (let from = 0; from < EXECUTIONS; from += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, EXECUTIONS - from) }, (_, index) => one(from + index)));
    }
  } finally {
    await store.close();
  }
}

/** Bytes, from Linux. */
const rssOf = (pid) => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

/** Asks for a sign of life every so often until stopped; what it took, and the memory at its highest. */
function watch({ url, pid }) {
  const milliseconds = [];
  let highest = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const sent = performance.now();
      await (await fetch(`${url}/livez`)).text();
      milliseconds.push(performance.now() - sent);
      highest = Math.max(highest, rssOf(pid));
      await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS));
    }
  })();
  return async () => {
    isDone = true;
    await watching;
    return { p99: quantile(milliseconds, 0.99), highest };
  };
}

async function download(server, key, format) {
  const stop = watch(server);
  const sent = performance.now();
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${server.url}/v1/analytics/executions?format=${format}`, { headers });
  let first = null;
  let bytes = 0;
  let rows = 0;
  for await (const piece of answer.body) {
    first ??= performance.now() - sent;
    bytes += piece.length;
    if (format === 'csv') rows += Buffer.from(piece).toString('latin1').split('\nexecutions,').length - 1;
  }
  const all = performance.now() - sent;
  if (answer.status !== 200) throw new Error(`${format}: ${answer.status}`);
  // A line end and its record may lie in two pieces.
  if (format === 'csv' && rows < 0.99 * EXECUTIONS) throw new Error(`${rows} executions of ${EXECUTIONS} came`);
  const { p99, highest } = await stop();
  return {
    format,
    executions: EXECUTIONS,
    first_byte_seconds: fixed(first / 1000, 3),
    seconds: fixed(all / 1000),
    mebibytes: fixed(bytes / MEBIBYTE, 1),
    highest_rss_mib: fixed(highest / MEBIBYTE, 0),
    health_p99_ms: fixed(p99, 1),
  };
}

export async function run() {
  const results = [];
  const server = await startServer({});
  try {
    const { account_id: accountId } = await server.call('GET', '/v1/identity');
    await fill(server.folder, accountId);
    const total = (await server.call('GET', '/v1/analytics/executions')).total;
    if (total !== EXECUTIONS) throw new Error(`${total} executions are counted, not ${EXECUTIONS}`);
    results.push({ format: 'none', executions: EXECUTIONS, highest_rss_mib: fixed(rssOf(server.pid) / MEBIBYTE, 0) });
    for (const format of FORMATS) results.push(await download(server, server.key, format));
  } finally {
    await server.close();
  }
  return { name: 'service-exports', settings: { executions: EXECUTIONS }, results };
}
