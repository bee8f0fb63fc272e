/**
 * `bulk-cma-es` against the search of `cma-es` with the same population: generations of the first run until a value is
 * within 1e-8 of the minimum, in [-5, 5]^n, a line for each function, dimension and population. A run that ends before
 * that, or takes as many generations as it may, stands with its best value. Minutes for each line of 40 dimensions.
 * `diagonal`: `bulk-cma-es` as it was before memory was limited anywhere.
 *
 *   node bench/strategies/bulk-cma-es.mjs [--functions sphere,rosenbrock] [--shapes 10:200,40:500] [--seeds 7]
 *       [--generations 3000] [--searches bulk-cma-es,diagonal,cma-es]
 */
import { parseArgs } from 'node:util';
import { Rng } from '../../dist/common/rng.js';
import { inRows } from '../../dist/model/candidate-batch.js';
import { firstBulkCmaEsProgram } from '../../dist/strategies/bulk-cma-es/bulk-cma-es.js';
import { bulkCmaEs } from '../../dist/strategies/bulk-cma-es/kind.js';
import { CmaRun } from '../../dist/strategies/cma-es/cma-run.js';
import { generationStrategy } from '../../dist/strategies/generations/generation-strategy.js';

/** `GENERATIONS` of src/strategies/generations/generation-strategy.ts: the budget divided by it is the population. */
const PLANNED_GENERATIONS = 400;
const TARGET = 1e-8;
const FIRST_SIGMA = 0.2;
/** The minimum is not in the centre, where the searches begin. */
const SHIFT = 1.3;

const shifted = (x) => x.map((v) => v - SHIFT);

const MIRRORS = new Map();

/** Mirrored at four random planes, which are the same in every run. */
function rotated(x) {
  const n = x.length;
  if (!MIRRORS.has(n)) {
    const rng = Rng.create(99);
    const mirrors = Array.from({ length: 4 }, () => Array.from({ length: n }, () => rng.normal()));
    MIRRORS.set(n, mirrors);
  }
  for (const normal of MIRRORS.get(n)) {
    let [along, squared] = [0, 0];
    for (let i = 0; i < n; i++) {
      along += normal[i] * x[i];
      squared += normal[i] * normal[i];
    }
    for (let i = 0; i < n; i++) x[i] -= ((2 * along) / squared) * normal[i];
  }
  return x;
}

const ellipsoid = (y) => y.reduce((sum, v, i) => sum + 1e6 ** (i / (y.length - 1)) * v * v, 0);
const sumOfSquares = (y) => y.reduce((sum, v) => sum + v * v, 0);
const cigar = (y) => 1e6 * sumOfSquares(y) - (1e6 - 1) * y[0] ** 2;
const discus = (y) => sumOfSquares(y) + (1e6 - 1) * y[0] ** 2;

const FUNCTIONS = {
  sphere: (x) => x.reduce((sum, v) => sum + (v - SHIFT) ** 2, 0),
  ellipsoid: (x) => ellipsoid(shifted(x)),
  'rotated-ellipsoid': (x) => ellipsoid(rotated(shifted(x))),
  cigar: (x) => cigar(shifted(x)),
  'rotated-cigar': (x) => cigar(rotated(shifted(x))),
  discus: (x) => discus(shifted(x)),
  'rotated-discus': (x) => discus(rotated(shifted(x))),
  rosenbrock: (x) => x.slice(1).reduce((sum, v, i) => sum + 100 * (v - x[i] ** 2) ** 2 + (1 - x[i]) ** 2, 0),
  rastrigin: (x) => x.reduce((sum, v) => sum + (v - SHIFT) ** 2 + 10 - 10 * Math.cos(2 * Math.PI * (v - SHIFT)), 0),
};

const { values: flags } = parseArgs({
  options: {
    functions: { type: 'string', default: 'sphere,ellipsoid,rosenbrock,rastrigin' },
    shapes: { type: 'string', default: '10:200,10:2000,40:500' },
    seeds: { type: 'string', default: '7' },
    generations: { type: 'string', default: '3000' },
    searches: { type: 'string', default: 'bulk-cma-es,cma-es' },
  },
});

const boxOf = (n) => ({ lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) });

const bulk = (factory) => (n, population, seed) => {
  const budgetEvaluations = PLANNED_GENERATIONS * population;
  const strategy = factory.create({ bounds: boxOf(n), seed, budgetEvaluations });
  return {
    ask: () => strategy.ask(),
    tell(fitness) {
      strategy.tell(fitness);
      return strategy.stop();
    },
  };
};

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

const SEARCHES = {
  'bulk-cma-es': bulk(bulkCmaEs),
  diagonal: bulk(generationStrategy(firstBulkCmaEsProgram)),
  'cma-es': usual,
};

function generationsOf(search, value, n) {
  let best = Infinity;
  for (let generation = 1; generation <= Number(flags.generations); generation++) {
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
    const found = flags.searches.split(',').map((search) => [search, runs(SEARCHES[search])]);
    console.log(JSON.stringify({ function: name, n, population, ...Object.fromEntries(found) }));
  }
}
