/**
 * The service under load, as a process of its own on loopback, on each store: reads, optimisations (1,000 evaluations,
 * n = 10, planned), and how soon `GET /v1/health` answers while runs occupy all cores. Every answer is checked; those
 * of runs against the engine itself. The load generator runs on the same machine.
 */
import os from 'node:os';
import { ROSENBROCK } from '../support/python-sources.mjs';
import { onEachStore, referenceRuns, sleep, startServer } from '../support/service.mjs';
import { quantile, rounded } from '../support/statistics.mjs';

const DIMENSION = 10;
const EVALUATIONS = 1_000;
const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1);
const BOX = Array.from({ length: DIMENSION }, () => [-5, 10]);
const LARGE = 10_000;
const LISTED = 20;

const SPHERE = 'def f(x):\n    total = 0.0\n    for v in x:\n        total += v * v\n    return total\n';
// The same values: text of x at run time is outside the compiled subset, and costs little.
const NOT_COMPILED = `${ROSENBROCK}\ndef f(x):\n    return rosenbrock(x) + 0.0 * len(str(x[0]))\n`;

/** `EXTREMUM_BENCH_SCALE` shortens all of it, for trying out. */
const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);
/** Long enough for some answers in any case. */
const during = (seconds) => Math.max(2, seconds * scale);

export async function run() {
  const results = await onEachStore(measureStore);
  const settings = { evaluations: EVALUATIONS, dimension: DIMENSION, listed: LISTED, large_dimension: LARGE };
  return { name: 'service-load', settings, results };
}

async function measureStore(store) {
  const server = await startServer(store);
  try {
    const row = (name, connections, { times, perSecond, cpuMilliseconds }) => ({
      store: store.kind,
      case: name,
      connections,
      requests: times.length,
      per_second: rounded(perSecond),
      p50_ms: rounded(quantile(times, 0.5)),
      p99_ms: rounded(quantile(times, 0.99)),
      max_ms: rounded(quantile(times, 1)),
      server_cpu_ms: Number.isNaN(cpuMilliseconds) ? null : rounded(cpuMilliseconds),
    });
    const fire = async (name, load) => row(name, load.connections, await server.fire(load));

    const functionId = await server.upload('rosenbrock', ROSENBROCK, true);
    const record = await server.call('POST', '/v1/optimize', requestOf(functionId, SEEDS[0]));
    const references = await referencesFor(record.backend.python_version);
    const compiled = optimisation(functionId, record.backend.name, references);
    // Every thread has compiled the objective and loaded all code it needs.
    await server.fire({ ...compiled, connections: 4, amount: 60 * os.availableParallelism() });
    const one = {
      requests: [{ path: `/v1/optimize/${record.id}` }],
      check: (answer) => same(answer, record, ['id', 'status', 'best_fitness', 'seed']),
    };
    const list = {
      requests: [{ path: `/v1/optimize?limit=${LISTED}` }],
      check: ({ data, total }) => {
        if (data.length !== LISTED || total < LISTED) throw new Error(`a list of ${data.length} of ${total}`);
        for (const answer of data) compiled.check(answer);
      },
    };
    await server.fire({ ...one, connections: 8, seconds: 1 });
    const rows = [
      await fire('GET one run', { ...one, connections: 8, seconds: during(5) }),
      await fire('GET list', { ...list, connections: 8, seconds: during(5) }),
      await fire('POST optimize, compiled', { ...compiled, connections: 1, amount: Math.ceil(300 * scale) }),
      await fire('POST optimize, compiled', { ...compiled, connections: 4, seconds: during(8) }),
    ];
    const usual = await server.call('GET', '/v1/health');
    if (usual.backends.some(({ name, available }) => name === 'cpython' && available)) {
      const cpython = optimisation(await server.upload('f', NOT_COMPILED, false), 'cpython', references);
      const paced = { ...cpython, amount: Math.ceil(50 * scale), intervalMs: 250 };
      await server.fire({ ...cpython, connections: 1, amount: 10 });
      // Each takes a process that has imported NumPy: while it runs the next one is started. At a pace that leaves room
      // for that this is the time of a run, and as fast as it goes the time of both.
      rows.push(
        row('POST optimize, CPython, 4 a second', 1, await server.pace(paced)),
        await fire('POST optimize, CPython', { ...cpython, connections: 1, amount: Math.ceil(60 * scale) }),
        await fire('POST optimize, CPython', { ...cpython, connections: 4, seconds: during(5) }),
      );
    } else console.log('  without CPython, which is not available here: set PYTHON to one that has NumPy');

    let degraded = 0;
    const watchedRow = (name, load) => {
      const told = { ...row(name, health.connections, load), server_cpu_ms: null, degraded };
      if (degraded > load.times.length / 100) throw new Error(`health is degraded: ${JSON.stringify(told)}`);
      degraded = 0;
      return told;
    };
    const health = {
      requests: [{ path: '/v1/health' }],
      connections: 4,
      seconds: during(10),
      rate: 100,
      // A database that is starved by the load answers a ping late: that is told, not hidden.
      check: ({ status }) => {
        if (status !== usual.status) degraded++;
      },
    };
    const busy = 2 * os.availableParallelism();
    const [, watched] = await Promise.all([
      server.fire({ ...compiled, connections: busy, seconds: health.seconds + 0.5 }),
      server.fire(health),
    ]);
    rows.push(watchedRow('GET health, all cores run', watched));
    rows.push(await besideLargeRuns(server, health, watchedRow));
    return rows;
  } finally {
    await server.close();
  }
}

/** Runs of many variables, one for each core, which save large checkpoints all the time. */
async function besideLargeRuns(server, health, watchedRow) {
  const functionId = await server.upload('sphere', SPHERE, true);
  const body = {
    objective_function_id: functionId,
    bounds: Array.from({ length: LARGE }, () => [-5, 10]),
    max_evaluations: 10_000_000,
    black_box: true,
    seed: 1,
  };
  const started = [];
  for (let i = 0; i < os.availableParallelism(); i++) {
    started.push(await server.call('POST', '/v1/optimize', body, { prefer: 'respond-async' }));
  }
  const progress = async ({ id }) => (await server.call('GET', `/v1/optimize/${id}`)).evaluations;
  // From the start on: the first checkpoint comes after a second, the next when its size allows.
  const watched = await server.fire({ ...health, seconds: during(15) });
  const before = await Promise.all(started.map(progress));
  // They go on: what was measured is not the quiet after their end.
  while ((await Promise.all(started.map(progress))).some((now, i) => now <= before[i])) await sleep(200);
  for (const { id } of started) await server.call('POST', `/v1/optimize/${id}/cancel`);
  const name = `GET health, ${started.length} runs of ${LARGE} variables`;
  return watchedRow(name, watched);
}

let references = null;

/** `version`: of the Python whose meaning the service gives to the source, e.g. 3.11. */
async function referencesFor(version) {
  const pythonMinor = Number(version.split('.')[1]);
  const task = { code: ROSENBROCK, bounds: BOX, maxEvaluations: EVALUATIONS, seeds: SEEDS, pythonMinor };
  return (references ??= await referenceRuns(task));
}

const requestOf = (functionId, seed) => ({
  objective_function_id: functionId,
  bounds: BOX,
  max_evaluations: EVALUATIONS,
  seed,
  // All evaluations are made, and the same ones with every backend and after any other run.
  black_box: true,
  learned_version: 0,
});

function optimisation(functionId, backend, references) {
  const requests = SEEDS.map((seed) => ({ method: 'POST', path: '/v1/optimize', body: requestOf(functionId, seed) }));
  const check = (answer) => {
    const { fitness, evaluations } = references.get(answer.seed);
    same(answer, { status: 'completed', best_fitness: fitness, evaluations }, [
      'status',
      'best_fitness',
      'evaluations',
    ]);
    if (answer.backend.name !== backend) throw new Error(`evaluated by ${answer.backend.name}, not ${backend}`);
  };
  return { requests, check };
}

function same(actual, expected, fields) {
  for (const field of fields) {
    if (actual[field] !== expected[field]) {
      throw new Error(`${field} is ${actual[field]} where it must be ${expected[field]} (seed ${actual.seed})`);
    }
  }
}
