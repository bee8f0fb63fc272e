/**
 * The service as a process of its own, for the benchmarks that load it; a MongoDB for it; the runs it must reproduce.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import { MongoClient } from 'mongodb';
import { InterpreterBackend } from '../../dist/backends/interpreter/interpreter-backend.js';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { root } from '../../scripts/support/paths.mjs';

const TICKS_PER_SECOND = 100;

/**
 * On a store of its own; `close` ends it and removes its data. `before`: a server that was killed (`kill`), whose data
 * and key this one takes over.
 */
export async function startServer(store, { flags = [], nodeFlags = [], probeMemory = false, before } = {}) {
  const folder = before?.folder ?? mkdtempSync(path.join(os.tmpdir(), 'extremum-load-'));
  const settings = ['--port', '0', '--data-dir', folder, '--rate-limit-per-minute', '0', ...flags];
  const { MONGODB_URL: _given, ...env } = process.env;
  const probe = probeMemory ? ['--import', new URL('memory-probe.mjs', import.meta.url).href] : [];
  const child = spawn(process.execPath, [...probe, ...nodeFlags, path.join(root, 'dist', 'main.js'), ...settings], {
    env: store.url === undefined ? env : { ...env, MONGODB_URL: store.url },
    // The log is written as in earnest, and read by nobody.
    stdio: ['ignore', 'pipe', 'ignore', ...(probeMemory ? ['ipc'] : [])],
  });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  let key = before?.key ?? '';
  let url = '';
  for await (const line of createInterface({ input: child.stdout })) {
    key = /API key.*: (sk_\S+)/.exec(line)?.[1] ?? key;
    url = /listens on (http:\S+)/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
  if (url === '') throw new Error(`the service ended at its start: ${await ended}`);
  child.stdout.resume();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

  const call = async (method, route, body, more = {}) => {
    const response = await fetch(url + route, {
      method,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };

  return {
    url,
    folder,
    key,
    pid: child.pid,
    call,
    /** Its identifier. */
    async upload(name, code, compiled) {
      const { id, compilation } = await call('POST', '/v1/functions', { name, language: 'python', code });
      if (compilation.compiled !== compiled) throw new Error(`${name}: compiled is ${compilation.compiled}`);
      return id;
    },
    /**
     * Sends `requests` (method, path, body) in turn over so many connections: `amount` of them, or for `seconds`, at
     * most `rate` a second. `check` gets every answer and throws at a wrong one.
     */
    async fire({ requests, connections = 1, amount, seconds, rate, check }) {
      const times = [];
      let failure = null;
      const cpuBefore = cpuSecondsOf(child.pid);
      const started = performance.now();
      let answered = started;
      const result = await new Promise((resolve, reject) => {
        const load = autocannon(
          {
            url,
            connections,
            headers,
            timeout: 60,
            ...(amount === undefined ? { duration: seconds } : { amount }),
            ...(rate === undefined ? {} : { overallRate: rate }),
            requests: requests.map(({ method = 'GET', path: route, body }) => ({
              method,
              path: route,
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
              onResponse(status, text) {
                try {
                  if (status !== 200) throw new Error(`${method} ${route}: ${status} ${text.slice(0, 500)}`);
                  check(JSON.parse(text));
                } catch (error) {
                  failure ??= error;
                }
              },
            })),
          },
          (error, done) => (error ? reject(error) : resolve(done)),
        );
        load.on('response', (_client, _status, _bytes, milliseconds) => {
          times.push(milliseconds);
          answered = performance.now();
        });
      });
      // The load ends at a full second, whenever its last answer came.
      const wallSeconds = (answered - started) / 1000;
      if (failure !== null) throw failure;
      if (result.errors > 0) throw new Error(`${result.errors} requests without an answer`);
      const cpuSeconds = cpuSecondsOf(child.pid) - cpuBefore;
      return { times, perSecond: times.length / wallSeconds, cpuMilliseconds: (1000 * cpuSeconds) / times.length };
    },
    /** Sends them one after the other, one each `intervalMs` where the answers come that fast. */
    async pace({ requests, amount, intervalMs, check }) {
      const times = [];
      const cpuBefore = cpuSecondsOf(child.pid);
      const started = performance.now();
      for (let i = 0; i < amount; i++) {
        await sleep(started + i * intervalMs - performance.now());
        const { method, path: route, body } = requests[i % requests.length];
        const sent = performance.now();
        check(await call(method, route, body));
        times.push(performance.now() - sent);
      }
      const perSecond = (1000 * amount) / (performance.now() - started);
      return { times, perSecond, cpuMilliseconds: (1000 * (cpuSecondsOf(child.pid) - cpuBefore)) / amount };
    },
    /** After a collection. Only with `probeMemory`. */
    memory(snapshot) {
      return new Promise((resolve) => {
        child.once('message', resolve);
        child.send({ snapshot });
      });
    },
    /** Ends it at once, as a crash would. */
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async close() {
      child.kill('SIGTERM');
      const code = await ended;
      rmSync(folder, { recursive: true, force: true });
      if (code !== 0) throw new Error(`the service ended with ${code}`);
    },
  };
}

/** Of all threads of a process, from Linux; NaN elsewhere. */
export function cpuSecondsOf(pid) {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
    return (Number(user) + Number(system)) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/**
 * The rows of `measure` for SQLite, then for MongoDB if there is a mongod. `EXTREMUM_BENCH_STORE`: for that one only.
 * `measure({kind, close, ...})`: see `startServer`.
 */
export async function onEachStore(measure) {
  const stores = [{ kind: 'sqlite', close: async () => {} }, await startMongodb()].filter((store) => store !== null);
  const rows = [];
  try {
    for (const store of stores) {
      const isWanted = (process.env['EXTREMUM_BENCH_STORE'] ?? store.kind) === store.kind;
      if (isWanted) rows.push(...(await measure(store)));
    }
  } finally {
    for (const store of stores) await store.close();
  }
  return rows;
}

/** `MONGODB_URL`, or the mongod that the tests fetch, as a replica set of one. Null where there is none. */
async function startMongodb() {
  const given = process.env['MONGODB_URL'] ?? '';
  const database = `extremum_bench_${process.pid}`;
  if (given !== '') {
    const url = new URL(given);
    url.pathname = `/${database}`;
    const close = () => withClient(url.href, (client) => client.db().dropDatabase());
    return { kind: 'mongodb', url: url.href, close };
  }
  const cache = path.join(root, 'node_modules', '.cache');
  const binary = path.join(cache, 'mongod-6.0.5', 'fiftyone', 'db', 'bin', 'mongod');
  if (!existsSync(binary)) return null;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-load-mongod-'));
  const supervisor = path.join(root, 'test', 'support', 'mongod-supervisor.mjs');
  const args = ['--wiredTigerCacheSizeGB', '0.25', '--replSet', 'rs0', '--oplogSize', '64'];
  const child = spawn(process.execPath, [supervisor, binary, folder, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.write('start\n');
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const port = /^ready (\d+)$/.exec(value ?? '')?.[1];
  if (port === undefined) throw new Error(`mongod did not start: ${value}`);
  const host = `127.0.0.1:${port}`;
  await withClient(`mongodb://${host}/?directConnection=true`, async (client) => {
    const config = { _id: 'rs0', members: [{ _id: 0, host }] };
    await client.db('admin').command({ replSetInitiate: config });
    while (!(await client.db('admin').command({ hello: 1 })).isWritablePrimary) await sleep(20);
  });
  const close = async () => {
    child.stdin.end();
    await gone;
  };
  return { kind: 'mongodb', url: `mongodb://${host}/${database}?replicaSet=rs0`, close };
}

async function withClient(url, body) {
  const client = new MongoClient(url);
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Best fitness and evaluations by seed, by the engine itself and the interpreter: what the service must answer. */
export async function referenceRuns({ code, bounds, maxEvaluations, seeds, pythonMinor }) {
  const { source } = analyzeUpload(code, 'objective');
  const dimension = bounds.length;
  const box = { lower: Float64Array.from(bounds, ([lo]) => lo), upper: Float64Array.from(bounds, ([, hi]) => hi) };
  const { ir } = compileObjective(source, { dimension, pythonMinor, bounds: box });
  const primary = await new InterpreterBackend().open({ source, dimension, ir: optimizeIr(ir) });
  const references = new Map();
  for (const seed of seeds) {
    const task = { bounds, maxEvaluations, seed, direction: 'minimize', mode: 'balanced', isPlanned: true };
    const ports = { primary, fallback: null, strategies, now: () => performance.now(), isCancelled: () => false };
    const { bestFitness, evaluations } = await runOptimization(task, { ...ports, backendReason: '' });
    references.set(seed, { fitness: bestFitness, evaluations });
  }
  return references;
}
