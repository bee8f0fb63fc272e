/**
 * `bulk-cma-es` against the search of `cma-es` with the same population: generations of the first run until a value is
 * within 1e-8 of the minimum, in [-5, 5]^n, a line for each function, dimension and population. A run that ends before
 * that, or takes 3,000 generations, stands with its best value. Minutes for each line of 40 dimensions.
 *
 *   node bench/strategies/bulk-cma-es.mjs [--functions sphere,rosenbrock] [--shapes 10:200,40:500] [--seeds 7]
 */
import { parseArgs } from 'node:util';
import { Rng } from '../../dist/common/rng.js';
import { inRows } from '../../dist/model/candidate-batch.js';
import { bulkCmaEs } from '../../dist/strategies/bulk-cma-es/kind.js';
import { CmaRun } from '../../dist/strategies/cma-es/cma-run.js';

/** `GENERATIONS` of src/strategies/generations/generation-strategy.ts: the budget divided by it is the population. */
const PLANNED_GENERATIONS = 400;
const MOST_GENERATIONS = 3_000;
const TARGET = 1e-8;
const FIRST_SIGMA = 0.2;
/** The minimum is not in the centre, where the searches begin. */
const SHIFT = 1.3;

const FUNCTIONS = {
  sphere: (x) => x.reduce((sum, v) => sum + (v - SHIFT) ** 2, 0),
  ellipsoid: (x) => x.reduce((sum, v, i) => sum + 1e6 ** (i / (x.length - 1)) * (v - SHIFT) ** 2, 0),
  rosenbrock: (x) => x.slice(1).reduce((sum, v, i) => sum + 100 * (v - x[i] ** 2) ** 2 + (1 - x[i]) ** 2, 0),
  rastrigin: (x) => x.reduce((sum, v) => sum + (v - SHIFT) ** 2 + 10 - 10 * Math.cos(2 * Math.PI * (v - SHIFT)), 0),
};

const { values: flags } = parseArgs({
  options: {
    functions: { type: 'string', default: 'sphere,ellipsoid,rosenbrock,rastrigin' },
    shapes: { type: 'string', default: '10:200,10:2000,40:500' },
    seeds: { type: 'string', default: '7' },
  },
});

const boxOf = (n) => ({ lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) });

function bulk(n, population, seed) {
  const budgetEvaluations = PLANNED_GENERATIONS * population;
  const strategy = bulkCmaEs.create({ bounds: boxOf(n), seed, budgetEvaluations });
  return {
    ask: () => strategy.ask(),
    tell(fitness) {
      strategy.tell(fitness);
      return strategy.stop();
    },
  };
}

function usual(n, lambda, seed) {
  const start = { lambda, sigma: FIRST_SIGMA, mean: new Float64Array(n), evaluateMean: false };
  const run = new CmaRun(boxOf(n), start);
  const rng = Rng.create(seed);
  return {
    ask() {
      run.sample(rng);
      return { ...run.x, count: lambda };
    },
    tell: (fitness) => run.learn(fitness, Infinity),
  };
}

function generationsOf(search, value, n) {
  let best = Infinity;
  for (let generation = 1; generation <= MOST_GENERATIONS; generation++) {
    const { candidates, count } = inRows(search.ask());
    const fitness = Float64Array.from({ length: count }, (_, k) => value([...candidates.subarray(k * n, (k + 1) * n)]));
    best = fitness.reduce((a, b) => Math.min(a, b), best);
    const reason = search.tell(fitness);
    if (best <= TARGET) return generation;
    if (reason !== null) return `${reason} at ${best.toExponential(1)}`;
  }
  return `at ${best.toExponential(1)}`;
}

for (const shape of flags.shapes.split(',')) {
  const [n, population] = shape.split(':').map(Number);
  for (const name of flags.functions.split(',')) {
    const seeds = Array.from({ length: Number(flags.seeds) }, (_, k) => k + 1);
    const runs = (search) => seeds.map((seed) => generationsOf(search(n, population, seed), FUNCTIONS[name], n));
    console.log(JSON.stringify({ function: name, n, population, 'bulk-cma-es': runs(bulk), 'cma-es': runs(usual) }));
  }
}
