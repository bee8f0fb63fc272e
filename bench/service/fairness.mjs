/**
 * Two accounts under load: one has a batch of 200 runs of five seconds in the queue, the other one sends small runs,
 * one after the other, each once the one before has ended. How long those wait. On each store; with MongoDB also two
 * processes of one thread each, of which one was told of the batch and the other one of the small runs.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../../scripts/support/paths.mjs';
import { onEachStore, startServer } from '../support/service.mjs';
import { quantile, rounded } from '../support/statistics.mjs';

const BATCH = 200;
const RUN_SECONDS = 5;
const SMALL_RUNS = 6;
const WORKERS = 2;
/** Whoever has waited for so long waits for the whole batch. */
const PATIENCE_SECONDS = 60;

const SPHERE = 'def f(x):\n    return x[0] * x[0] + x[1] * x[1]\n';
const BOX = [
  [-1, 1],
  [-1, 1],
];

export async function run() {
  const results = await onEachStore(async (store) => {
    const alone = await startServer(store, { flags: ['--workers', String(WORKERS)] });
    const rows = [await measure(store, [alone], 'one')];
    if (store.url === undefined) return rows;
    // The store has the key of the first one.
    const start = () => startServer(store, { flags: ['--workers', '1'], before: alone });
    const [first, second] = [await start(), await start()];
    return [...rows, await measure(store, [first, second], 'two, of one thread each')];
  });
  const settings = { batch: BATCH, run_seconds: RUN_SECONDS, small_runs: SMALL_RUNS, threads: WORKERS };
  return { name: 'service-fairness', settings, results };
}

async function measure(store, servers, processes) {
  try {
    const [one] = servers;
    const other = servers.at(-1);
    const second = callerWith(other, newAccount(store, one.folder, `other ${processes}`));
    const long = {
      ...requestOf(await one.upload('f', SPHERE, true), 1_000_000_000),
      timeout_seconds: RUN_SECONDS,
      mode: 'accurate',
      strategy: 'cma-es',
      black_box: true,
    };
    const function2 = (await second('POST', '/v1/functions', { name: 'f', language: 'python', code: SPHERE })).id;
    const batch = await one.call('POST', '/v1/batch', { requests: Array.from({ length: BATCH }, () => long) });
    const isBusy = async () => (await one.call('GET', `/v1/batch/${batch.id}`)).status !== 'pending';
    while (!(await isBusy())) await new Promise((resolve) => setTimeout(resolve, 100));
    const times = [];
    for (let i = 0; i < SMALL_RUNS; i++) {
      const sent = performance.now();
      const answer = await second('POST', '/v1/optimize', requestOf(function2, 100), {
        prefer: `wait=${PATIENCE_SECONDS}`,
      });
      times.push((performance.now() - sent) / 1000);
      if (answer.status !== 'completed') {
        await second('POST', `/v1/optimize/${answer.id}/cancel`);
        break;
      }
    }
    await one.call('POST', `/v1/batch/${batch.id}/cancel`);
    await checkBatch(one, batch);
    return {
      store: store.kind,
      processes,
      runs: times.length,
      first_waited_seconds: rounded(times[0]),
      median_seconds: rounded(quantile(times, 0.5)),
      longest_seconds: rounded(quantile(times, 1)),
      gave_up_after_seconds: times.length < SMALL_RUNS ? PATIENCE_SECONDS : null,
    };
  } finally {
    for (const server of servers) await server.close();
  }
}

/** The runs of the batch must have kept the threads busy: each for its five seconds, or until it was cancelled. */
async function checkBatch(server, { optimization_ids: ids }) {
  const begun = [];
  for (const id of ids) {
    const record = await server.call('GET', `/v1/optimize/${id}`);
    if (record.started_at === null) break;
    begun.push(record.termination_reason);
  }
  const others = begun.filter((reason) => reason !== 'timeout' && reason !== 'cancelled');
  if (begun.length === 0 || others.length > 0) throw new Error(`runs of the batch ended otherwise: ${begun}`);
}

const requestOf = (id, evaluations) => ({
  objective_function_id: id,
  bounds: BOX,
  max_evaluations: evaluations,
  seed: 1,
});

/** The key of a new account. */
function newAccount(store, folder, name) {
  const { MONGODB_URL: _given, ...env } = process.env;
  const flags = ['keys', 'create', '--account', name, '--scopes', 'read,run', '--data-dir', folder];
  const given = store.url === undefined ? env : { ...env, MONGODB_URL: store.url };
  const made = spawnSync(process.execPath, [path.join(root, 'dist', 'cli', 'main.js'), ...flags], { env: given });
  const key = /sk_\S+/.exec(String(made.stdout))?.[0];
  if (key === undefined) throw new Error(`no key: ${String(made.stdout)} ${String(made.stderr)}`);
  return key;
}

function callerWith({ url }, key) {
  return async (method, route, body, more = {}) => {
    const response = await fetch(url + route, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
}
