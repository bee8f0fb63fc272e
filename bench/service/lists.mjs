/**
 * Pages of 20 runs out of 10,000, as a client gets them, on each store: full records beside summaries, in the usual
 * order and sorted, filtered, searched. The runs are copies of one that the service carried out, with other values.
 * Every answer is checked against what was put in. The load generator runs on the same machine.
 */
import { copyRuns } from '../support/copied-runs.mjs';
import { idOf } from '../support/fill.mjs';
import { onEachStore, startServer } from '../support/service.mjs';
import { quantile, rounded } from '../support/statistics.mjs';

const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);
const RUNS = Math.max(500, Math.round(10_000 * scale));
const LISTED = 20;
const CONNECTIONS = 8;
const SECONDS = Math.max(2, 5 * scale);
const TEAMS = 50;
const BEGIN = 1_600_000_000_000;

export async function run() {
  const results = await onEachStore(measureStore);
  return { name: 'service-lists', settings: { runs: RUNS, listed: LISTED, connections: CONNECTIONS }, results };
}

async function measureStore(store) {
  const server = await startServer(store);
  try {
    await fill(store, server);
    const rows = [];
    for (const [name, query, check] of CASES) {
      const load = {
        requests: [{ path: `/v1/optimize?limit=${LISTED}&${query}` }],
        connections: CONNECTIONS,
        check: ({ data, total }) => {
          if (data.length !== LISTED) throw new Error(`${name}: ${data.length} runs of ${total}`);
          check(data, total);
        },
      };
      await server.fire({ ...load, seconds: 1 });
      const { times, perSecond, cpuMilliseconds } = await server.fire({ ...load, seconds: SECONDS });
      rows.push({
        store: store.kind,
        case: name,
        requests: times.length,
        per_second: rounded(perSecond),
        p50_ms: rounded(quantile(times, 0.5)),
        p99_ms: rounded(quantile(times, 0.99)),
        server_cpu_ms: Number.isNaN(cpuMilliseconds) ? null : rounded(cpuMilliseconds),
      });
      console.log(`  ${store.kind} ${name}: ${rounded(perSecond)} a second`);
    }
    return rows;
  } finally {
    await server.close();
  }
}

const createdAt = (n) => BEGIN + n * 1_000;
/** No two runs have the same. */
const bestOf = (n) => (n * 7_919) % RUNS;
const isFailed = (n) => n % 4 === 0;

/** The runs are numbered from 0. */
const fill = (store, server) =>
  copyRuns(store, server, RUNS, (n, history) => ({
    status: isFailed(n) ? 'failed' : 'completed',
    bestFitness: bestOf(n),
    metadata: { team: `team-${n % TEAMS}`, note: 'a run of the benchmark of lists' },
    createdAt: createdAt(n),
    history,
  }));

const same = (found, wanted) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
  }
};
const numbers = Array.from({ length: RUNS }, (_, n) => n);
/** The newest is the run whose record was copied. */
const newest = (data, total) => {
  same(total, RUNS + 1);
  same(
    data.slice(1).map(({ id }) => id),
    numbers
      .slice(1 - LISTED)
      .map((n) => idOf(n, createdAt(n)))
      .reverse(),
  );
};
const values = (data) => data.map(({ best_fitness: best }) => best);
const largest = (data) => same(values(data), numbers.slice(-LISTED).reverse());
const failed = numbers.filter(isFailed);
const lowestFailed = failed
  .map(bestOf)
  .sort((a, b) => a - b)
  .slice(0, LISTED);

const CASES = [
  ['full records', '', newest],
  ['summaries', 'view=summary', newest],
  ['full records, sorted by value', 'sort=-best_fitness', largest],
  ['summaries, sorted by value', 'view=summary&sort=-best_fitness', largest],
  [
    'summaries, failed, sorted by value',
    'view=summary&status=failed&sort=best_fitness',
    (data, total) => {
      same(total, failed.length);
      same(values(data), lowestFailed);
    },
  ],
  [
    'summaries, search',
    'view=summary&q=team-7',
    (data, total) => {
      const found = numbers.filter((n) => `team-${n % TEAMS}`.includes('team-7'));
      same(total, found.length);
      same(data[0].id, idOf(found.at(-1), createdAt(found.at(-1))));
    },
  ],
];
