/**
 * Curve fits of the NIST Statistical Reference Datasets, both starts, 1,000 evaluations: in how many every parameter
 * has the certified digits (6; 4 where the data set's own rounding allows no more). Beside it the same runs as a black
 * box.
 *
 *   node bench/strategies/nist.mjs --data ../shared/reference/nist-strd
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBackend, openRun } from '../support/open-runs.mjs';

const DATA = fileURLToPath(new URL('../../../shared/reference/nist-strd', import.meta.url));
const BUDGET = 1000;

const exponentials = 'b[0] * math.exp(-b[1] * x) + b[2] * math.exp(-b[3] * x) + b[4] * math.exp(-b[5] * x)';
const gauss =
  'b[0] * math.exp(-b[1] * x) + b[2] * math.exp(-(x - b[3]) ** 2 / b[4] ** 2) + b[5] * math.exp(-(x - b[6]) ** 2 / b[7] ** 2)';
/** The model of each data set in Python, in the parameters b and the predictor x. */
const MODELS = {
  Bennett5: 'b[0] * (b[1] + x) ** (-1 / b[2])',
  BoxBOD: 'b[0] * (1 - math.exp(-b[1] * x))',
  Chwirut1: 'math.exp(-b[0] * x) / (b[1] + b[2] * x)',
  DanWood: 'b[0] * x ** b[1]',
  ENSO:
    'b[0] + b[1] * math.cos(2 * math.pi * x / 12) + b[2] * math.sin(2 * math.pi * x / 12)' +
    ' + b[4] * math.cos(2 * math.pi * x / b[3]) + b[5] * math.sin(2 * math.pi * x / b[3])' +
    ' + b[7] * math.cos(2 * math.pi * x / b[6]) + b[8] * math.sin(2 * math.pi * x / b[6])',
  Gauss1: gauss,
  Gauss3: gauss,
  Hahn1: '(b[0] + b[1] * x + b[2] * x ** 2 + b[3] * x ** 3) / (1 + b[4] * x + b[5] * x ** 2 + b[6] * x ** 3)',
  Kirby2: '(b[0] + b[1] * x + b[2] * x ** 2) / (1 + b[3] * x + b[4] * x ** 2)',
  Lanczos1: exponentials,
  Lanczos2: exponentials,
  Lanczos3: exponentials,
  MGH10: 'b[0] * math.exp(b[1] / (x + b[2]))',
  MGH17: 'b[0] + b[1] * math.exp(-x * b[3]) + b[2] * math.exp(-x * b[4])',
  Misra1a: 'b[0] * (1 - math.exp(-b[1] * x))',
  Misra1b: 'b[0] * (1 - (1 + b[1] * x / 2) ** -2)',
  Misra1c: 'b[0] * (1 - (1 + 2 * b[1] * x) ** -0.5)',
  Nelson: 'b[0] - b[1] * x[0] * math.exp(-b[2] * x[1])',
  Rat42: 'b[0] / (1 + math.exp(b[1] - b[2] * x))',
  Rat43: 'b[0] / (1 + math.exp(b[1] - b[2] * x)) ** (1 / b[3])',
};
const ROUNDED = new Set(['Lanczos1', 'Lanczos2']);

/** Starts, certified parameters and observations of a file as NIST publishes it. */
function read(folder, name) {
  const lines = readFileSync(path.join(folder, `${name}.dat`), 'utf8').split(/\r?\n/);
  const rows = lines.flatMap((line) => {
    const [, rest] = /^\s*b\d+\s*=\s*(.*)$/.exec(line) ?? [];
    return rest === undefined ? [] : [rest.trim().split(/\s+/).map(Number)];
  });
  const at = lines.findLastIndex((line) => /^Data:/.test(line));
  const observations = lines
    .slice(at + 1)
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((row) => row.length >= 2 && row.every(Number.isFinite));
  return {
    starts: [rows.map((row) => row[0]), rows.map((row) => row[1])],
    certified: rows.map((row) => row[2]),
    // Nelson's model is of the logarithm.
    observations: name === 'Nelson' ? observations.map(([y, ...x]) => [Math.log(y), ...x]) : observations,
  };
}

function sourceOf(name, observations) {
  const x = observations.map(([, ...predictors]) => (predictors.length === 1 ? predictors[0] : predictors));
  return `import math

X = ${JSON.stringify(x)}
Y = ${JSON.stringify(observations.map(([y]) => y))}

def model(b, x):
    return ${MODELS[name]}

def f(b):
    total = 0.0
    for x, y in zip(X, Y):
        total += (y - model(b, x)) ** 2
    return total
`;
}

/** -log10 of the relative error of the worst parameter. */
const agreement = (solution, certified) =>
  Math.min(...solution.map((value, k) => -Math.log10(Math.max(Math.abs(value / certified[k] - 1), 1e-16))));

/** @returns one row for each data set and start */
async function measure({ data = DATA, strategy, only, onRow = () => {} } = {}) {
  const backend = await openBackend();
  const rows = [];
  for (const name of Object.keys(MODELS)) {
    if (only !== undefined && !only.includes(name)) continue;
    const { starts, certified, observations } = read(data, name);
    const code = sourceOf(name, observations);
    const widest = starts[0].map((value, k) => Math.max(Math.abs(value), Math.abs(starts[1][k])));
    const bounds = widest.map((m) => [-10 * m, 10 * m]);
    // -log10 of a relative error of half a unit in the last of so many digits, whatever the first one is.
    const wanted = (ROUNDED.has(name) ? 4 : 6) - Math.log10(5);
    for (const [k, initialSolution] of starts.entries()) {
      const task = { bounds, maxEvaluations: BUDGET, initialSolution, strategy };
      const row = { data: name, start: k + 1 };
      for (const [kind, blackBox] of Object.entries({ open: false, black_box: true })) {
        if (blackBox && strategy === 'levenberg-marquardt') continue;
        const { bestSolution, bestFitness } = await openRun(backend, { code, task, blackBox });
        const digits = bestSolution === null ? 0 : agreement(bestSolution, certified);
        row[`${kind}_digits`] = Math.round(digits * 10) / 10;
        row[`${kind}_is_certified`] = digits >= wanted;
        row[`${kind}_sum_of_squares`] = bestFitness;
      }
      rows.push(row);
      onRow(row);
    }
  }
  await backend.close();
  return rows;
}

const count = (rows, kind) => rows.filter((row) => row[`${kind}_is_certified`]).length;

export async function run() {
  if (!existsSync(DATA)) return { skipped: `there is no ${DATA}` };
  const results = await measure();
  const [open, blackBox] = ['open', 'black_box'].map((kind) => count(results, kind));
  console.log(`  certified: ${open} of ${results.length}; as a black box ${blackBox}`);
  const settings = {
    budget: BUDGET,
    strategy: 'planner',
    certified: { open, black_box: blackBox, of: results.length },
  };
  return { name: 'nist', settings, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { data: { type: 'string' }, strategy: { type: 'string' }, only: { type: 'string' } },
  });
  const rows = await measure({ ...values, only: values.only?.split(',') });
  console.table(rows);
  console.log(`certified: ${count(rows, 'open')} of ${rows.length}; as a black box ${count(rows, 'black_box')}`);
}
