/**
 * Hypervolume after 10,000 evaluations of ZDT1-4, ZDT6 (Zitzler, Deb and Thiele 2000) and DTLZ2 (Deb et al. 2002), with all results told and with a
 * fifth of them missing; beside NSGA-II of pymoo, run here too:
 *
 *   pip install pymoo==0.6.2 && EXTREMUM_BENCH_PYTHON=python3 npm run bench -- pareto
 *
 * Of the run's archive only 100 points count, as many as NSGA-II has.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FrontArchive } from '../../dist/pareto/front-archive.js';
import { smsEmoa } from '../../dist/strategies/sms-emoa/sms-emoa.js';
import { fixed, median, sorted } from '../support/statistics.mjs';

const SEEDS = 11;
const EVALUATIONS = 10_000;
const POINTS = 100;
const MISSING = 0.2;

const sum = (values, term) => values.reduce((total, value) => total + term(value), 0);
const { PI, cos, exp, sin, sqrt } = Math;

const zdt = (n, g, f2, f1 = (x) => x) => ({
  variables: n,
  objectives: 2,
  values: (x) => {
    const first = f1(x[0]);
    const rest = g(x.subarray(1));
    return [first, rest * f2(first, rest)];
  },
});
const linear = (rest) => 1 + (9 * sum(rest, (v) => v)) / rest.length;

const PROBLEMS = {
  zdt1: zdt(30, linear, (f, g) => 1 - sqrt(f / g)),
  zdt2: zdt(30, linear, (f, g) => 1 - (f / g) ** 2),
  zdt3: zdt(30, linear, (f, g) => 1 - sqrt(f / g) - (f / g) * sin(10 * PI * f)),
  zdt4: {
    ...zdt(
      10,
      (rest) => 1 + 10 * rest.length + sum(rest, (v) => v * v - 10 * cos(4 * PI * v)),
      (f, g) => 1 - sqrt(f / g),
    ),
    low: -5,
    high: 5,
  },
  zdt6: zdt(
    10,
    (rest) => 1 + 9 * (sum(rest, (v) => v) / rest.length) ** 0.25,
    (f, g) => 1 - (f / g) ** 2,
    (x) => 1 - exp(-4 * x) * sin(6 * PI * x) ** 6,
  ),
  dtlz2: {
    variables: 12,
    objectives: 3,
    values: ([a, b, ...rest]) => {
      const g = 1 + sum(rest, (v) => (v - 0.5) ** 2);
      const [u, v] = [(a * PI) / 2, (b * PI) / 2];
      return [g * cos(u) * cos(v), g * cos(u) * sin(v), g * sin(u)];
    },
  },
};

const referenceOf = ({ objectives }) => new Array(objectives).fill(1.1);

function boundsOf({ variables, low = 0, high = 1 }) {
  const lower = new Float64Array(variables).fill(low);
  const upper = new Float64Array(variables).fill(high);
  // The first variable of all of them is the first objective.
  return { lower: lower.fill(0, 0, 1), upper: upper.fill(1, 0, 1) };
}

/** A pseudo-random number from 0 to 1 for each evaluation: which ones are missing is no matter of the strategy. */
function stream(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

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
      const x = asked.candidates.subarray(row * n, (row + 1) * n);
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
