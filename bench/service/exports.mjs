/**
 * 100,000 executions as csv, xlsx and pdf, each from a service of its own: seconds to the first byte and to the last,
 * how long `/livez` takes meanwhile, and memory: that of the whole process (its resident set, from the kernel: the
 * event loop, the thread of the store and the thread that writes the file), at its highest, and how much more that is
 * than before the export. Throws where a file lacks executions.
 */
import { readFileSync } from 'node:fs';
import { endingOf, fillRuns } from '../support/fill.mjs';
import { startServer } from '../support/service.mjs';
import { fixed, quantile } from '../support/statistics.mjs';

const EXECUTIONS = Number(process.env['EXTREMUM_BENCH_EXECUTIONS'] ?? 100_000);
const FORMATS = (process.env['EXTREMUM_BENCH_FORMATS'] ?? 'csv,xlsx,pdf').split(',');
const EVERY_MS = 60_000;
const HEALTH_EVERY_MS = 20;
const MEBIBYTE = 2 ** 20;

function* runs() {
  const begin = Date.now() - EXECUTIONS * EVERY_MS;
  for (let index = 0; index < EXECUTIONS; index++) {
    const ending = endingOf({
      bestSolution: [index / EXECUTIONS],
      bestFitness: (index / EXECUTIONS) ** 2,
      evaluations: index % 1_000,
      durationSeconds: (index % 977) / 1_000,
    });
    yield { createdAt: begin + index * EVERY_MS, status: index % 9 === 0 ? 'failed' : 'completed', ending };
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

async function download(server, format) {
  const before = rssOf(server.pid);
  const stop = watch(server);
  const sent = performance.now();
  const headers = { authorization: `Bearer ${server.key}` };
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
    rss_before_mib: fixed(before / MEBIBYTE, 0),
    highest_rss_mib: fixed(highest / MEBIBYTE, 0),
    rss_growth_mib: fixed((highest - before) / MEBIBYTE, 0),
    health_p99_ms: fixed(p99, 1),
  };
}

/** The second export of a process finds its code loaded and its heap grown. */
async function measure(format) {
  const server = await startServer({});
  try {
    const { account_id: accountId } = await server.call('GET', '/v1/identity');
    await fillRuns({}, server, accountId, runs());
    const { total } = await server.call('GET', '/v1/analytics/executions');
    if (total !== EXECUTIONS) throw new Error(`${total} executions are counted, not ${EXECUTIONS}`);
    return [
      { nth: 1, ...(await download(server, format)) },
      { nth: 2, ...(await download(server, format)) },
    ];
  } finally {
    await server.close();
  }
}

export async function run() {
  const results = [];
  for (const format of FORMATS) results.push(...(await measure(format)));
  return { name: 'service-exports', settings: { executions: EXECUTIONS }, results };
}
