/**
 * What asking for candidates before all earlier ones are valued would save (docs/adr/0045-side-by-side.md), where
 * evaluations take 0.05 to 0.3 s each and eight processes value them. Time is simulated, so the figures depend on
 * nothing but the seeds: a process takes the next candidate in their order as soon as it is free.
 *
 * - `batches`: as it is. A batch is told when it is there.
 * - `lagged`: behind each batch come as many further candidates as there are processes, made from what is known then.
 *   They keep the processes busy while the batch ends, and are told with the next batch, all in their order: what is
 *   asked for follows from the seed, whatever arrives first.
 * - `alternating`: two searches of half the budget, each of which is valued while the other one waits for its last
 *   candidates.
 *
 * A figure is how many times longer the batches take to get as far: above 1, the other way is faster.
 */
import { Rng } from '../../dist/common/rng.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { extraPoint, extraRng } from '../../dist/strategies/extra-points.js';
import { wide } from '../../dist/strategies/side-by-side.js';
import { fixed, median, quantile } from '../support/statistics.mjs';

const PROCESSES = 8;
const BUDGET = 480;
/** Others are given so many times as long as the batches take, and then have not got as far. */
const PATIENCE = 4;
const SEEDS = 15;
const DIMENSIONS = [3, 10];
const NAMES = ['differential-evolution', 'cma-es', 'planner'];
const SLOWEST = 0.3;
const FASTEST = 0.05;

const sum = (x, term) => x.reduce((total, v, i) => total + term(v - 0.7, i), 0);
const FUNCTIONS = {
  sphere: (x) => sum(x, (v) => v * v),
  ellipsoid: (x) => sum(x, (v, i) => 10 ** ((4 * i) / (x.length - 1)) * v * v),
  rosenbrock: (x) => x.slice(1).reduce((total, v, i) => total + 100 * (v - x[i] ** 2) ** 2 + (1 - x[i]) ** 2, 0),
  rastrigin: (x) => sum(x, (v) => v * v + 10 - 10 * Math.cos(2 * Math.PI * v)),
};

/** When each of the candidates so far ends that processes take in their order. */
class Processes {
  free = new Float64Array(PROCESSES);
  busySeconds = 0;

  constructor(rng) {
    this.rng = rng;
  }

  /** One that is there from `now` on. @returns when it is valued */
  value(now) {
    const seconds = FASTEST + (SLOWEST - FASTEST) * this.rng.uniform();
    const next = this.free.indexOf(Math.min(...this.free));
    this.free[next] = Math.max(this.free[next], now) + seconds;
    this.busySeconds += seconds;
    return this.free[next];
  }
}

/** A search whose batches are filled up as `sideBySide` does. */
class Asking {
  serial = 0;

  constructor(name, n, seed, budget) {
    const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
    this.problem = { bounds, seed, budgetEvaluations: budget, mode: 'accurate', sideBySide: PROCESSES };
    this.inner = strategies.find((strategy) => strategy.name === name).create(this.problem);
  }

  further(count) {
    return Array.from({ length: this.inner.learn === undefined ? 0 : count }, () => {
      const serial = this.serial++;
      const best = this.inner.incumbent()?.solution ?? null;
      return this.inner.another?.(extraRng(this.problem, serial)) ?? extraPoint(this.problem, serial, best);
    });
  }

  /** The rows that it asks for, and those that fill them up. */
  ask() {
    const { candidates, count, dimension } = this.inner.ask();
    const own = Array.from({ length: count }, (_, k) => candidates.slice(k * dimension, (k + 1) * dimension));
    return { own, filling: this.further(wide(count, PROCESSES) - count) };
  }

  tell(own, others) {
    this.inner.tell(Float64Array.from(own, ({ fitness }) => fitness));
    for (const { x, fitness } of others) this.inner.learn(x, fitness);
  }
}

/** Values rows from `now` on; the trace has the best value by time. */
function valued(rows, now, { processes, objective, trace }) {
  return rows.map((x) => {
    const done = { x, fitness: objective(Array.from(x)), at: processes.value(now) };
    trace.push(done);
    return done;
  });
}

const latest = (rows) => Math.max(0, ...rows.map(({ at }) => at));

function batches(world, { name, n, seed }, isOver) {
  const search = new Asking(name, n, seed, BUDGET);
  for (let now = 0; !isOver(now);) {
    const { own, filling } = search.ask();
    const rows = valued([...own, ...filling], now, world);
    now = latest(rows);
    search.tell(rows.slice(0, own.length), rows.slice(own.length));
  }
}

function lagged(world, { name, n, seed }, isOver) {
  const search = new Asking(name, n, seed, BUDGET);
  let late = [];
  for (let now = 0; !isOver(now);) {
    const { own, filling } = search.ask();
    const rows = valued([...own, ...filling], now, world);
    const further = valued(search.further(PROCESSES), now, world);
    now = latest([...late, ...rows]);
    search.tell(rows.slice(0, own.length), [...late, ...rows.slice(own.length)]);
    late = further;
  }
}

function alternating(world, { name, n, seed }, isOver) {
  const searches = [0, 1].map((k) => ({ search: new Asking(name, n, seed + 1000 * k, BUDGET / 2), open: null }));
  for (let turn = 0, now = 0; !isOver(now); turn = 1 - turn) {
    const { search, open } = searches[turn];
    if (open !== null) {
      now = latest(open.rows);
      search.tell(open.rows.slice(0, open.own), open.rows.slice(open.own));
    }
    const { own, filling } = search.ask();
    searches[turn].open = { own: own.length, rows: valued([...own, ...filling], now, world) };
  }
}

/** The best values by time, and which share of the time the processes worked. */
function simulate(way, task, isOver) {
  const world = {
    processes: new Processes(Rng.create(task.seed).split('seconds')),
    objective: FUNCTIONS[task.objective],
    trace: [],
  };
  way(world, task, (now) => isOver(now, world.trace.length));
  world.trace.sort((a, b) => a.at - b.at);
  const seconds = latest(world.trace);
  return { trace: world.trace, seconds, busy: world.processes.busySeconds / (PROCESSES * seconds) };
}

/** How much longer the batches take until they have what they have after the budget. */
function gain(way, task, reference) {
  const target = Math.min(...reference.trace.map(({ fitness }) => fitness));
  const firstAt = (trace) => trace.find(({ fitness }) => fitness <= target)?.at;
  const limit = PATIENCE * reference.seconds;
  const { trace, busy } = simulate(way, task, (now) => now > limit);
  const at = firstAt(trace);
  return { gain: at === undefined ? 1 / PATIENCE : firstAt(reference.trace) / at, busy };
}

export async function run() {
  const results = [];
  for (const name of NAMES) {
    for (const n of DIMENSIONS) {
      const tasks = Object.keys(FUNCTIONS).flatMap((objective) =>
        Array.from({ length: SEEDS }, (_, k) => ({ name, n, objective, seed: k + 1 })),
      );
      const references = tasks.map((task) => simulate(batches, task, (_now, count) => count >= BUDGET));
      const row = { strategy: name, dimension: n, batches_busy: fixed(median(references.map(({ busy }) => busy))) };
      for (const way of [lagged, alternating]) {
        const gains = tasks.map((task, k) => gain(way, task, references[k]));
        const of = (share) => fixed(quantile(gains.map((each) => each.gain), share)); // prettier-ignore
        row[`${way.name}_busy`] = fixed(median(gains.map(({ busy }) => busy)));
        row[`${way.name}_gain_median`] = of(0.5);
        row[`${way.name}_gain_quartiles`] = `${of(0.25)} to ${of(0.75)}`;
      }
      results.push(row);
    }
  }
  const settings = {
    ...{ processes: PROCESSES, seconds: `${FASTEST} to ${SLOWEST}`, budget: BUDGET, seeds: SEEDS },
    objectives: Object.keys(FUNCTIONS).join(', '),
  };
  return { name: 'side-by-side', settings, results };
}
