/**
 * Hypervolume after 10,000 evaluations of ZDT1-4, ZDT6 and DTLZ2, with all results told and with a fifth of them
 * failed; beside NSGA-II of pymoo, run here too. Studies, a fifth of whose results is never told: `pareto-studies.mjs`.
 *
 *   pip install pymoo==0.6.2 && EXTREMUM_BENCH_PYTHON=python3 npm run bench -- pareto
 *
 * Of the run's archive only 100 points count, as many as NSGA-II has.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { candidateOf } from '../../dist/model/candidate-batch.js';
import { FrontArchive } from '../../dist/pareto/front-archive.js';
import { smsEmoa } from '../../dist/strategies/sms-emoa/kind.js';
import { boundsOf, PROBLEMS, referenceOf, stream } from '../support/pareto-problems.mjs';
import { fixed, median, sorted } from '../support/statistics.mjs';

const SEEDS = 11;
const EVALUATIONS = 10_000;
const POINTS = 100;
const MISSING = 0.2;

function hypervolumeOf(problem, seed, missing) {
  const { variables: n, objectives: k, values } = problem;
  const strategy = smsEmoa.create({
    bounds: boundsOf(problem),
    seed,
    budgetEvaluations: EVALUATIONS,
    objectives: k,
  });
  const archive = new FrontArchive(n, k, referenceOf(problem), undefined, POINTS);
  const draw = stream(seed);
  for (let evaluations = 0; evaluations < EVALUATIONS;) {
    const asked = strategy.ask();
    const count = Math.min(asked.count, EVALUATIONS - evaluations);
    const told = new Float64Array(count * k).fill(Infinity);
    for (let row = 0; row < count; row++) {
      if (draw() < missing) continue;
      const x = candidateOf(asked, row);
      const own = values(x);
      told.set(own, row * k);
      archive.add(x, own);
    }
    strategy.tell(told);
    evaluations += count;
  }
  return archive.front().hypervolume;
}

const pointOf = (problem) => {
  const { lower, upper } = boundsOf(problem);
  return Array.from(lower, (low, i) => low + (upper[i] - low) * ((0.37 * (i + 1)) % 1));
};

/** Null where pymoo is not installed. */
function peer() {
  const problems = Object.entries(PROBLEMS).map(([name, problem]) => {
    const { variables, objectives } = problem;
    return { name, variables, objectives, reference: referenceOf(problem), point: pointOf(problem) };
  });
  const script = fileURLToPath(new URL('./pymoo_pareto.py', import.meta.url));
  const input = JSON.stringify({ problems, seeds: SEEDS, evaluations: EVALUATIONS });
  const { status, stdout } = spawnSync(process.env['EXTREMUM_BENCH_PYTHON'] ?? 'python3', [script], { input });
  return status === 0 ? JSON.parse(stdout) : null;
}

const figures = (prefix, values) => ({
  [`${prefix}_median`]: fixed(median(values), 4),
  [`${prefix}_least`]: fixed(sorted(values)[0], 4),
  [`${prefix}_most`]: fixed(sorted(values).at(-1), 4),
});

export async function run() {
  const pymoo = peer();
  const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1);
  const results = Object.entries(PROBLEMS).map(([name, problem]) => {
    const other = pymoo?.problems[name];
    problem.values(Float64Array.from(pointOf(problem))).forEach((value, i) => {
      if (other !== undefined && !(Math.abs(value - other.values[i]) < 1e-9))
        throw new Error(`${name}: ${value}, not ${other.values[i]}`);
    });
    const startedAt = performance.now();
    const all = seeds.map((seed) => hypervolumeOf(problem, seed, 0));
    const ms = (performance.now() - startedAt) / (SEEDS * EVALUATIONS);
    return {
      problem: name,
      variables: problem.variables,
      objectives: problem.objectives,
      ...figures('hypervolume', all),
      ...figures(
        'fifth_missing',
        seeds.map((seed) => hypervolumeOf(problem, seed, MISSING)),
      ),
      ...(other === undefined ? {} : figures('pymoo', other.hypervolumes)),
      microseconds_per_evaluation: fixed(1000 * ms, 0),
    };
  });
  const reference = '1.1 in each objective';
  const peerName = pymoo === null ? 'pymoo is not installed' : `pymoo ${pymoo.version}, NSGA-II, population 100`;
  return {
    name: 'pareto',
    settings: { seeds: `1..${SEEDS}`, evaluations: EVALUATIONS, points: POINTS, reference, peer: peerName },
    results,
  };
}
