/**
 * What generation programs cost on the processor besides the objective, against the strategies that they resemble:
 * evaluations each second of ask and tell alone, on a sphere, and the best value. One thread.
 *
 * Of `bulk-cma-es` each form, in dimensions and populations that have it, `--generations` / 10 of them.
 *
 *   node bench/strategies/generations.mjs [--population 100000] [--generations 100] [--dimension 30]
 */
import { parseArgs } from 'node:util';
import { inRows } from '../../dist/model/candidate-batch.js';
import { bulkCmaEs } from '../../dist/strategies/bulk-cma-es/kind.js';
import { parametersOf } from '../../dist/strategies/bulk-cma-es/layout.js';
import { bulkDifferentialEvolution } from '../../dist/strategies/bulk-differential-evolution/kind.js';
import { bulkParticleSwarm } from '../../dist/strategies/bulk-particle-swarm/kind.js';
import { strategies } from '../../dist/strategies/lists.js';

/** `GENERATIONS` of src/strategies/generations/generation-strategy.ts: the budget divided by it is the population. */
const PLANNED_GENERATIONS = 400;

const { values } = parseArgs({
  options: {
    population: { type: 'string', default: '100000' },
    generations: { type: 'string', default: '100' },
    dimension: { type: 'string', default: '30' },
  },
});
const [population, generations, dimension] = [values.population, values.generations, values.dimension].map(Number);
/** Dimensions and populations of `bulk-cma-es`. */
const FORMS = [
  [30, 10_000],
  [300, 300],
  [300, 500],
];
const named = (name) => strategies.find((factory) => factory.name === name);

function measure(factory, budgetEvaluations, evaluations, n = dimension, more = {}) {
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
  const strategy = factory.create({ bounds, seed: 1, budgetEvaluations });
  let [used, spentMs, best, largest] = [0, 0, Infinity, 0];
  while (used < evaluations) {
    let start = performance.now();
    const { candidates, count } = inRows(strategy.ask());
    spentMs += performance.now() - start;
    const told = Math.min(count, evaluations - used);
    const fitness = new Float64Array(told);
    for (let k = 0; k < told; k++) {
      for (let i = 0; i < n; i++) fitness[k] += (candidates[k * n + i] - 1) ** 2;
      if (fitness[k] < best) best = fitness[k];
    }
    start = performance.now();
    strategy.tell(fitness);
    spentMs += performance.now() - start;
    used += told;
    largest = Math.max(largest, count);
  }
  const perSecond = Math.round(used / (spentMs / 1000));
  const facts = { strategy: factory.name, ...more, n, population: largest, evaluations: used, perSecond, best };
  console.log(JSON.stringify(facts));
}

for (const factory of [bulkParticleSwarm, bulkDifferentialEvolution]) {
  measure(factory, PLANNED_GENERATIONS * population, generations * population);
}
for (const [n, size] of FORMS) {
  const evaluations = Math.ceil(generations / 10) * size;
  measure(bulkCmaEs, PLANNED_GENERATIONS * size, evaluations, n, { form: parametersOf(n, size).form });
}
// Their populations follow from the budget and are small; a tenth of the evaluations shows their speed.
for (const name of ['particle-swarm', 'differential-evolution']) {
  measure(named(name), generations * population, (generations * population) / 10);
}
