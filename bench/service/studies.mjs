/**
 * Studies over HTTP, on each store: how long `ask` and `tell` of one candidate take, and of many; the same in a study
 * of 10,000 told points, how soon that one answers after the service was killed; and 1,000 studies at the same time.
 * Every candidate is compared, in every bit, with that of the same study in this process, whose time is what the
 * strategy itself takes: `besides_p50_ms` is the median of a round (ask, then tell) less that.
 */
import { Study } from '../../dist/studies/study.js';
import { chooseStrategy } from '../../dist/engine/chosen-strategy.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { readFileSync } from 'node:fs';
import { onEachStore, startServer } from '../support/service.mjs';
import { quantile, rounded } from '../support/statistics.mjs';

/** `EXTREMUM_BENCH_SCALE` shortens all of it, for trying out. */
const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);
const times = (count) => Math.max(10, Math.round(count * scale));
const DIMENSION = 10;
const ROUNDS = times(400);
const BATCH = 50;
const MANY_POINTS = times(10_000);
const STUDIES = times(1_000);
const AT_ONCE = 16;
const SEED = 1;

const CASES = [
  { strategy: 'planner', objectives: 1 },
  { strategy: 'cma-es', objectives: 1 },
  { strategy: 'sms-emoa', objectives: 2 },
];

const boundsOf = (n) => Array.from({ length: n }, () => [-5, 10]);
const rosenbrock = (x) => {
  let total = 0;
  for (let i = 0; i + 1 < x.length; i++) total += 100 * (x[i + 1] - x[i] * x[i]) ** 2 + (1 - x[i]) ** 2;
  return total;
};
const sphere = (x) => x.reduce((total, value) => total + (value - 2) ** 2, 0);
const valuesOf = (x, objectives) => (objectives === 1 ? [rosenbrock(x)] : [rosenbrock(x), sphere(x)]);

/** The same study without service and store. Its points are named by their place. */
class LocalStudy {
  constructor({ strategy, objectives, bounds, maxEvaluations }) {
    const directions = new Array(objectives).fill('minimize');
    const record = { bounds, directions, strategy, seed: SEED, maxEvaluations };
    const task = { ...record, direction: 'minimize', mode: 'balanced', objectives };
    this.study = new Study(record, chooseStrategy(task, strategies));
  }

  ask(count) {
    for (;;) {
      const operation = this.study.proposeAsk(count);
      this.study.apply(operation);
      if (operation.kind !== 'ask') continue;
      const solutions = new Float64Array(Uint8Array.from(Buffer.from(operation.solutions, 'base64')).buffer);
      const n = this.study.dimension;
      return operation.rows.map((_, k) => ({
        serial: operation.first + k,
        solution: solutions.slice(k * n, (k + 1) * n),
      }));
    }
  }

  tell(results) {
    this.study.apply(this.study.proposeTell(results));
  }
}

const timed = async (into, work) => {
  const startedAt = performance.now();
  const result = await work();
  into.push(performance.now() - startedAt);
  return result;
};

/** One study there and here. */
class Pair {
  asks = [];
  tells = [];
  rounds = [];
  local = [];

  static async begin(server, { strategy, objectives, maxEvaluations, dimension = DIMENSION }) {
    const bounds = boundsOf(dimension);
    const own = { bounds, objectives, strategy, seed: SEED, max_evaluations: maxEvaluations };
    const { id } = await server.call('POST', '/v1/studies', own);
    return new Pair(id, objectives, new LocalStudy({ strategy, objectives, bounds, maxEvaluations }));
  }

  constructor(id, objectives, study) {
    Object.assign(this, { id, objectives, study });
  }

  async round(server, count) {
    const path = `/v1/studies/${this.id}`;
    const asking = [];
    const telling = [];
    const { candidates } = await timed(asking, () => server.call('POST', `${path}/ask`, { count }));
    const results = candidates.map(({ id, solution }) => ({ id, values: valuesOf(solution, this.objectives) }));
    await timed(telling, () => server.call('POST', `${path}/tell`, { results }));
    this.asks.push(...asking);
    this.tells.push(...telling);
    this.rounds.push(asking[0] + telling[0]);
    const startedAt = performance.now();
    const own = this.study.ask(count);
    this.study.tell(own.map(({ serial }, k) => ({ point: serial, values: results[k].values })));
    this.local.push(performance.now() - startedAt);
    const isSame = candidates.every(({ solution }, k) =>
      solution.every((value, i) => value === own[k].solution[i] + 0),
    );
    if (candidates.length !== own.length || !isSame) throw new Error('another candidate than in this process');
  }

  forget() {
    for (const list of [this.asks, this.tells, this.rounds, this.local]) list.length = 0;
  }

  figures() {
    const besides = quantile(this.rounds, 0.5) - quantile(this.local, 0.5);
    return {
      rounds: this.rounds.length,
      ask_p50_ms: rounded(quantile(this.asks, 0.5)),
      ask_p95_ms: rounded(quantile(this.asks, 0.95)),
      tell_p50_ms: rounded(quantile(this.tells, 0.5)),
      tell_p95_ms: rounded(quantile(this.tells, 0.95)),
      round_p50_ms: rounded(quantile(this.rounds, 0.5)),
      round_p95_ms: rounded(quantile(this.rounds, 0.95)),
      strategy_p50_ms: rounded(quantile(this.local, 0.5)),
      besides_p50_ms: rounded(besides),
    };
  }
}

export async function run() {
  const results = await onEachStore(measure);
  const settings = { dimension: DIMENSION, batch: BATCH, points: MANY_POINTS, studies: STUDIES, at_once: AT_ONCE };
  return { name: 'service-studies', settings, results };
}

async function measure(store) {
  let server = await startServer(store);
  const rows = [];
  const row = (name, more) => rows.push({ store: store.kind, case: name, ...more });
  try {
    for (const { strategy, objectives } of CASES) {
      const sequential = await Pair.begin(server, { strategy, objectives, maxEvaluations: 100_000 });
      for (let i = 0; i < 20; i++) await sequential.round(server, 1);
      sequential.forget();
      for (let i = 0; i < ROUNDS; i++) await sequential.round(server, 1);
      row('one by one', { strategy, count: 1, ...sequential.figures() });
      const batched = await Pair.begin(server, { strategy, objectives, maxEvaluations: 100_000 });
      for (let i = 0; i < ROUNDS / 8; i++) await batched.round(server, BATCH);
      row('batched', { strategy, count: BATCH, ...batched.figures() });
    }
    for (const { strategy, objectives } of CASES) {
      const large = await Pair.begin(server, { strategy, objectives, maxEvaluations: 100_000 });
      // Half of them one by one: as many entries as there may be.
      for (let told = 0; told < MANY_POINTS / 2; told += BATCH) await large.round(server, BATCH);
      for (let told = 0; told < MANY_POINTS / 2; told++) await large.round(server, 1);
      large.forget();
      for (let i = 0; i < ROUNDS / 4; i++) await large.round(server, 1);
      const figures = large.figures();
      await server.kill();
      const startedAt = performance.now();
      server = await startServer(store, { before: server });
      const listening = performance.now();
      await large.round(server, 1);
      const firstAsk = large.asks.at(-1);
      row('of many points', {
        strategy,
        count: 1,
        ...figures,
        restart_ms: rounded(listening - startedAt),
        first_ask_ms: rounded(firstAsk),
      });
    }
    row('many at once', await manyAtOnce(server));
    return rows;
  } finally {
    await server.close();
  }
}

/** Rounds of one candidate over all of them in turn: most are not in memory when they are asked. */
async function manyAtOnce(server) {
  const pairs = [];
  const each = async (work) => {
    let next = 0;
    const worker = async () => {
      while (next < STUDIES) await work(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  };
  await each(async (i) => {
    pairs[i] = await Pair.begin(server, { strategy: 'cma-es', objectives: 1, maxEvaluations: 1_000, dimension: 5 });
  });
  const all = new Pair('', 1, null);
  const startedAt = performance.now();
  for (let round = 0; round < 5; round++) await each((i) => pairs[i].round(server, 1));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const pair of pairs) {
    for (const list of ['asks', 'tells', 'rounds', 'local']) all[list].push(...pair[list]);
  }
  return {
    strategy: 'cma-es',
    count: 1,
    ...all.figures(),
    rounds_per_second: rounded((5 * STUDIES) / seconds),
    resident_mib: residentMib(server.pid),
  };
}

/** From Linux; null elsewhere. */
function residentMib(pid) {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
  } catch {
    return null;
  }
}
