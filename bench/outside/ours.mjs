/**
 * Our runs on problems of the set, for bench/outside/outside.mjs: a process that answers each line of standard input
 * with one.
 *
 * The solver `called` knows values only; `open` reads the program; `random` draws points. The answer has the best value
 * after each number of evaluations in `budgets`.
 */
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Rng } from '../../dist/common/rng.js';
import { openBackend, openRun } from '../support/open-runs.mjs';
import { median } from '../support/statistics.mjs';

const DRAWS = 5;

/** `values[k]` is the value of evaluation k + 1; NaN is no value. */
export function bestAfter(values, budgets) {
  let best = Infinity;
  let next = 0;
  return budgets.map((budget) => {
    for (; next < Math.min(budget, values.length); next++) if (values[next] < best) best = values[next];
    return best;
  });
}

/** What the search sees of a value. Relative noise is BBOB's: of the distance to the best value. */
export function noisy(value, noise, best, rng) {
  if (noise?.additive !== undefined) return value + noise.additive * rng.normal();
  if (noise?.relative !== undefined) return best + (value - best) * Math.exp(noise.relative * rng.normal());
  return value;
}

/** Keeps the values without noise, in the order of evaluation. */
class Watched {
  values = [];

  constructor(inner, see) {
    this.inner = inner;
    this.see = see;
  }

  get backend() {
    return this.inner.backend;
  }

  get device() {
    return this.inner.device;
  }

  async evaluate(batch, output, ...rest) {
    await this.inner.evaluate(batch, output, ...rest);
    for (let k = 0; k < batch.count; k++) {
      this.values.push(output.status[k] === 0 ? output.values[k] : NaN);
      if (output.status[k] === 0) output.values[k] = this.see(output.values[k]);
    }
  }

  close() {
    return this.inner.close();
  }
}

async function oneRun(backend, { solver, code, bounds, noise, best, strategy }, budget, seed) {
  const rng = Rng.create(seed).split('noise');
  let watched = null;
  const outcome = await openRun(backend, {
    code,
    blackBox: solver !== 'open',
    task: { bounds, maxEvaluations: budget, seed, ...(strategy === undefined ? {} : { strategy }) },
    wrap: (kernel) => (watched = new Watched(kernel, (value) => noisy(value, noise, best, rng))),
  });
  if (outcome.evaluations > budget) throw new Error(`${outcome.evaluations} evaluations of ${budget}`);
  return { outcome, values: watched.values };
}

/** Each budget is a run of its own: a search that knows its budget plans with it. */
async function search(backend, request) {
  const best = [];
  let failed = 0;
  for (const budget of request.budgets) {
    const { outcome, values } = await oneRun(backend, request, budget, request.seed);
    // A program that is read is also run for gradients and bounds, and these count: the run's own history has the
    // order.
    const reached = request.solver === 'open' ? (outcome.bestFitness ?? Infinity) : bestAfter(values, [budget])[0];
    best.push(reached);
    failed += outcome.failedEvaluations;
  }
  return { best, failed };
}

/** The median of several draws. */
async function draw(backend, { code, bounds, budgets, seed }) {
  const draws = [];
  for (let k = 0; k < DRAWS; k++) {
    const request = { solver: 'called', code, bounds, strategy: 'random-search' };
    draws.push(bestAfter((await oneRun(backend, request, budgets.at(-1), seed + k)).values, budgets));
  }
  return { best: budgets.map((_, i) => median(draws.map((one) => one[i]))), failed: 0 };
}

async function main() {
  const backend = await openBackend();
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    console.log(JSON.stringify(await (request.solver === 'random' ? draw : search)(backend, request)));
  }
  await backend.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
