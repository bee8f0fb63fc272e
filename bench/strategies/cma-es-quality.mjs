/**
 * Evaluations until f - fopt <= 1e-8 on functions with a shifted optimum, box [-5, 5]^n, and the same from pycma:
 *
 *   python3 -m venv /tmp/venv && /tmp/venv/bin/pip install cma==4.5.0
 *   /tmp/venv/bin/python bench/strategies/pycma_quality.py > bench/results/pycma-quality.json
 *
 * Where every run reaches the target, `log10_evaluations_mean` and `_se` are compared; where not, `solved`. The optimum
 * lies at 2.5 sin(i + 1) (`corner`: the linear slope ends in the corner of the box). Keep functions and settings in
 * step with pycma_quality.py.
 */
import { existsSync, readFileSync } from 'node:fs';
import { inRows } from '../../dist/model/candidate-batch.js';
import { strategies } from '../../dist/strategies/lists.js';

const SEEDS = 15;
const TARGET = 1e-8;
const DIMENSIONS = [5, 10, 20];
const budgetFor = (n) => 4000 * n;

const sum = (n, term) => {
  let total = 0;
  for (let i = 0; i < n; i++) total += term(i);
  return total;
};
const FUNCTIONS = {
  sphere: (d) => sum(d.length, (i) => d[i] * d[i]),
  ellipsoid: (d) => sum(d.length, (i) => 10 ** ((6 * i) / (d.length - 1)) * d[i] * d[i]),
  // Neighbours coupled: the ellipsoid in rotated coordinates.
  coupled: (d) => {
    const n = d.length;
    return sum(n, (i) => 10 ** ((6 * i) / (n - 1)) * (0.6 * d[i] + 0.8 * d[(i + 1) % n]) ** 2);
  },
  rosenbrock: (d) => sum(d.length - 1, (i) => 100 * ((d[i] + 1) ** 2 - d[i + 1] - 1) ** 2 + d[i] * d[i]),
  ackley: (d) => {
    const n = d.length;
    const squares = sum(n, (i) => d[i] * d[i]) / n;
    const cosines = sum(n, (i) => Math.cos(2 * Math.PI * d[i])) / n;
    return 20 - 20 * Math.exp(-0.2 * Math.sqrt(squares)) + Math.E - Math.exp(cosines);
  },
  rastrigin: (d) => sum(d.length, (i) => d[i] * d[i] - 10 * Math.cos(2 * Math.PI * d[i]) + 10),
  corner: (d, x) => sum(x.length, (i) => 10 ** (i / (x.length - 1)) * (5 - x[i])),
};

function evaluationsToTarget(factory, name, n, seed) {
  const objective = FUNCTIONS[name];
  const bounds = { lower: new Float64Array(n).fill(-5), upper: new Float64Array(n).fill(5) };
  const budget = budgetFor(n);
  const strategy = factory.create({ bounds, seed, budgetEvaluations: budget });
  const d = new Float64Array(n);
  for (let evaluations = 0; evaluations < budget;) {
    const { candidates, count } = inRows(strategy.ask());
    const fitness = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      const x = candidates.subarray(k * n, (k + 1) * n);
      for (let i = 0; i < n; i++) d[i] = x[i] - 2.5 * Math.sin(i + 1);
      fitness[k] = objective(d, x);
      evaluations++;
      if (fitness[k] <= TARGET && evaluations <= budget) return evaluations;
    }
    strategy.tell(fitness);
  }
  return null;
}

function summary(counts) {
  const solved = counts.filter((count) => count !== null);
  const logs = solved.map(Math.log10);
  const mean = logs.reduce((total, v) => total + v, 0) / logs.length;
  const variance = logs.reduce((total, v) => total + (v - mean) ** 2, 0) / (logs.length - 1);
  const sorted = [...solved].sort((a, b) => a - b);
  return {
    solved: `${solved.length}/${counts.length}`,
    evaluations_median: sorted[sorted.length >> 1] ?? null,
    log10_evaluations_mean: logs.length > 0 ? mean : null,
    log10_evaluations_se: logs.length > 1 ? Math.sqrt(variance / logs.length) : null,
  };
}

export async function run() {
  const factory = strategies.find((strategy) => strategy.name === 'cma-es');
  const peerFile = new URL('../results/pycma-quality.json', import.meta.url);
  const peer = existsSync(peerFile) ? JSON.parse(readFileSync(peerFile, 'utf8')).results : [];
  const results = [];
  for (const name of Object.keys(FUNCTIONS)) {
    for (const n of DIMENSIONS) {
      const counts = [];
      for (let seed = 1; seed <= SEEDS; seed++) counts.push(evaluationsToTarget(factory, name, n, seed));
      const row = { function: name, dimension: n, ...summary(counts) };
      const other = peer.find((p) => p.function === name && p.dimension === n);
      results.push({
        ...row,
        pycma_solved: other?.solved ?? null,
        pycma_evaluations_median: other?.evaluations_median ?? null,
        ratio_to_pycma: ratio(row, other),
        ratio_error_2se: ratioError(row, other),
      });
    }
  }
  const solvable = results.filter((r) => r.function === 'sphere' || r.function === 'ellipsoid');
  if (solvable.some((r) => r.solved !== `${SEEDS}/${SEEDS}`)) throw new Error('a unimodal function was not solved');
  const settings = {
    seeds: `1..${SEEDS}`,
    target: TARGET,
    budget: '4000 n',
    peer: 'pycma 4.5.0, BIPOP, sigma0 0.2 of the box',
  };
  return { name: 'cma-es-quality', settings, results };
}

/** Geometric mean of our evaluations over pycma's; below 1: ours needs fewer. */
function ratio(own, other) {
  if (own.log10_evaluations_mean === null || (other?.log10_evaluations_mean ?? null) === null) return null;
  return 10 ** (own.log10_evaluations_mean - other.log10_evaluations_mean);
}

/** The factor that two standard errors of the difference make. */
function ratioError(own, other) {
  if ((own.log10_evaluations_se ?? null) === null || (other?.log10_evaluations_se ?? null) === null) return null;
  return 10 ** (2 * Math.hypot(own.log10_evaluations_se, other.log10_evaluations_se));
}
