/**
 * What descents in bulk find, against the searches that they resemble, with the same evaluations: a value and a
 * gradient are one each. Prints the median and the quartiles of the best value over the seeds.
 *
 *   node bench/strategies/descents.mjs [--evaluations 200000] [--dimension 10] [--seeds 11]
 *       [--strategies bulk-l-bfgs,l-bfgs,quasi-newton] [--objectives rosenbrock,rastrigin,ellipsoid,logistic]
 */
import { parseArgs } from 'node:util';
import { runOptimization } from '../../dist/engine/run-optimization.js';
import { openProgram } from '../../dist/evaluation/derived-programs.js';
import { place } from '../../dist/evaluation/placement.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { strategies } from '../../dist/planner/all-strategies.js';

/**
 * Boxes have no minimum in their middle, where some searches begin, and no diagonal through it, on which all variables
 * would stay one.
 */
const OBJECTIVES = {
  rosenbrock: {
    box: (i) => [-5 - 0.13 * (i % 10), 5 - 0.29 * (i % 10)],
    code: `def f(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))
`,
  },
  rastrigin: {
    box: (i) => [-4.1 - 0.13 * (i % 10), 6.4 - 0.29 * (i % 10)],
    code: `import math

def f(x):
    return 10.0 * len(x) + sum(v * v - 10.0 * math.cos(2.0 * math.pi * v) for v in x)
`,
  },
  ellipsoid: {
    box: (i) => [-4.1 - 0.13 * i, 6.4 - 0.09 * i],
    code: `def f(x):
    n = len(x)
    return sum(10.0 ** (6.0 * i / (n - 1)) * (x[i] + 0.3 * x[i - 1]) ** 2 for i in range(n))
`,
  },
  // A fit whose features have lengths from 1 to 1e-2.
  logistic: {
    box: (i) => [-8 - 0.13 * i, 9.4 + 0.29 * i],
    code: `import math

def f(x):
    n = len(x)
    total = 0.0
    for k in range(3 * n):
        z = 0.0
        for i in range(n):
            z += math.sin(1.0 + k * 1.7 + i * 2.3) * x[i] * 10.0 ** (-2.0 * i / (n - 1))
        total += math.log(1.0 + math.exp(-abs(z))) + max(z, 0.0) - (0.5 + 0.5 * math.cos(3.1 * k)) * z
    for v in x:
        total += 0.0001 * v * v
    return total
`,
  },
};

const { values } = parseArgs({
  options: {
    evaluations: { type: 'string', default: '200000' },
    dimension: { type: 'string', default: '10' },
    seeds: { type: 'string', default: '11' },
    strategies: { type: 'string', default: 'bulk-l-bfgs,l-bfgs,quasi-newton' },
    objectives: { type: 'string', default: 'rosenbrock,rastrigin' },
  },
});
const [maxEvaluations, dimension, seeds] = [values.evaluations, values.dimension, values.seeds].map(Number);

async function bestOf({ code, box }, strategy, seed) {
  const { source } = analyzeUpload(code, '');
  const ir = optimizeIr(compileObjective(source, { dimension, pythonMinor: 12 }).ir);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const { kernel, openOther, close } = await place({ source, dimension, ir }, { threads: 1, stop, gpu: false });
  const bounds = Array.from({ length: dimension }, (_, i) => box(i));
  const side = (k) => Float64Array.from(bounds, (pair) => pair[k]);
  const task = { bounds, strategy, maxEvaluations, seed, direction: 'minimize', mode: 'accurate' };
  const { bestFitness, evaluations } = await runOptimization(task, {
    strategies,
    primary: kernel,
    fallback: null,
    program: openProgram(ir, 'minimize', { lower: side(0), upper: side(1) }, openOther),
    backendReason: '',
    now: () => performance.now(),
    isCancelled: () => false,
  });
  await close();
  if (evaluations !== maxEvaluations) throw new Error(`${strategy} has ended after ${evaluations} evaluations`);
  return bestFitness;
}

for (const name of values.objectives.split(',')) {
  const objective = OBJECTIVES[name];
  for (const strategy of values.strategies.split(',')) {
    const found = [];
    for (let seed = 1; seed <= seeds; seed++) found.push(await bestOf(objective, strategy, seed));
    found.sort((a, b) => a - b);
    const at = (share) => found[Math.round(share * (seeds - 1))].toPrecision(3);
    const [lower, median, upper] = [0.25, 0.5, 0.75].map(at);
    console.log(
      JSON.stringify({ objective: name, dimension, strategy, evaluations: maxEvaluations, lower, median, upper }),
    );
  }
}
