/**
 * What descents over boxes are worth where nothing is by accident: rotated bowls with waves whose least point is not
 * that of the bowl (on BBOB's f3, f15, f17, f18 and f24 it is). z = R (x - o) with a random rotation R, a random o and
 *
 *   f(x) = sum of z_i^2 + A (1 - cos 2 pi (z_i - s_i)), + 0.3 (sum of z_i - t_i)^2,
 *
 * s_i at random, A = 3 and 10, in [-5, 5]. t_i is where the term of z_i is least, found to the last digits: so the
 * least value is known, and the last term couples all z_i, which keeps the search on terms away. Share of the 51
 * targets of the BBOB protocol after 1,000 evaluations: open, called, and single searches.
 *
 *   node bench/strategies/shifted-waves.mjs --dims 5,10 --instances 1-15
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { TARGETS } from '../../dist/benchmarks/measure.js';
import { Rng } from '../../dist/common/rng.js';
import { openBackend, openRun } from '../support/open-runs.mjs';
import { rounded } from '../support/statistics.mjs';

const BUDGET = 1000;
const AMPLITUDES = [3, 10];
const SOLVERS = [
  { name: 'open' },
  { name: 'called', blackBox: true },
  { name: 'envelope-search', strategy: 'envelope-search' },
  { name: 'branch-and-bound', strategy: 'branch-and-bound' },
];

/** Rows of a random rotation: orthonormal by Gram and Schmidt. */
function rotation(n, rng) {
  const rows = [];
  while (rows.length < n) {
    let row = Array.from({ length: n }, () => rng.normal());
    for (const other of rows) {
      const along = row.reduce((sum, value, i) => sum + value * other[i], 0);
      row = row.map((value, i) => value - along * other[i]);
    }
    const length = Math.hypot(...row);
    rows.push(row.map((value) => value / length));
  }
  return rows;
}

/** Where z^2 + A (1 - cos 2 pi (z - s)) is least, and that value: on a grid, then by golden sections. */
function least(amplitude, shift) {
  const at = (z) => z * z + amplitude * (1 - Math.cos(2 * Math.PI * (z - shift)));
  let best = 0;
  for (let z = -2; z <= 2; z += 1e-3) if (at(z) < at(best)) best = z;
  let [low, high] = [best - 1e-3, best + 1e-3];
  for (let k = 0; k < 100; k++) {
    const [a, b] = [low + 0.382 * (high - low), low + 0.618 * (high - low)];
    if (at(a) < at(b)) high = b;
    else low = a;
  }
  const z = 0.5 * (low + high);
  return { z, value: at(z) };
}

function waves(n, amplitude, instance) {
  const rng = Rng.create(9000 + instance).split(`waves ${n} ${amplitude}`);
  const rows = rotation(n, rng);
  const centre = rows.map(() => -2.5 + 5 * rng.uniform());
  const shifts = rows.map(() => rng.uniform() - 0.5);
  const leasts = shifts.map((shift) => least(amplitude, shift));
  const code = `import math

ROTATION = ${JSON.stringify(rows)}
CENTRE = ${JSON.stringify(centre)}
SHIFTS = ${JSON.stringify(shifts)}
LEAST = ${JSON.stringify(leasts.map(({ z }) => z))}

def f(x):
    total = 0.0
    coupling = 0.0
    for row, shift, least in zip(ROTATION, SHIFTS, LEAST):
        z = sum(a * (v - c) for a, v, c in zip(row, x, CENTRE))
        total += z * z + ${amplitude} * (1 - math.cos(2 * math.pi * (z - shift)))
        coupling += z - least
    return total + 0.3 * coupling ** 2
`;
  return { code, best: leasts.reduce((sum, { value }) => sum + value, 0) };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function measure({ dims = [5, 10], instances = Array.from({ length: 15 }, (_, k) => k + 1), onRow } = {}) {
  const backend = await openBackend();
  const rows = [];
  for (const n of dims) {
    for (const amplitude of AMPLITUDES) {
      for (const { name, strategy, blackBox } of SOLVERS) {
        const shares = [];
        for (const instance of instances) {
          const { code, best } = waves(n, amplitude, instance);
          const bounds = Array.from({ length: n }, () => [-5, 5]);
          const task = { bounds, maxEvaluations: BUDGET, seed: instance, strategy };
          const { bestFitness } = await openRun(backend, { code, blackBox, task });
          const gap = bestFitness - best;
          if (gap < -1e-9) throw new Error(`${bestFitness} is less than the least value, ${best}`);
          shares.push(TARGETS.filter((target) => gap <= target).length / TARGETS.length);
        }
        const deviation = Math.sqrt(mean(shares.map((share) => (share - mean(shares)) ** 2)) / (shares.length - 1));
        const row = { dimension: n, amplitude, solver: name, fraction_hit: rounded(mean(shares)) };
        rows.push({ ...row, standard_error: rounded(deviation), instances: instances.length });
        onRow?.(rows.at(-1));
      }
    }
  }
  await backend.close();
  return rows;
}

const brief = ({ dimension, amplitude, solver, fraction_hit, standard_error }) =>
  `${dimension}-D, waves of ${amplitude}: ${solver} ${fraction_hit} (${standard_error})`;

export async function run() {
  const results = await measure({ onRow: (row) => console.log(`  ${brief(row)}`) });
  return { name: 'shifted-waves', settings: { budget: BUDGET }, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { dims: { type: 'string', default: '5,10' }, instances: { type: 'string', default: '1-15' } },
  });
  const numbers = (text) =>
    text.split(',').flatMap((part) => {
      const [first, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, k) => first + k);
    });
  await measure({
    dims: numbers(values.dims),
    instances: numbers(values.instances),
    onRow: (row) => console.log(brief(row)),
  });
}
