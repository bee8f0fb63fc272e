/**
 * Long runs: ours and pycma's BIPOP-CMA-ES on the 24 functions of BBOB, 100,000 evaluations, as black boxes.
 *
 *   PEERS_PYTHON=../outside/bin/python node bench/outside/long-runs.mjs --dims 20,40 --instances 16
 *   node bench/outside/long-runs.mjs --report
 *
 * Writes bench/results/long-runs.json after each run and goes on where it was stopped; `--fresh` does again what is
 * asked for. bench/results/long-runs.svg has the share of the protocol's targets over evaluations. Our runs end at the
 * last target; pycma's go on to the end of the budget, which changes no figure. A run takes up to two minutes.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { carryOutRun, seedOf } from '../../dist/benchmarks/benchmark-run.js';
import { TARGETS } from '../../dist/benchmarks/measure.js';
import { parseNumbers } from '../../dist/benchmarks/notation.js';
import { strategies } from '../../dist/planner/all-strategies.js';
import { bbobSource } from '../support/bbob-sources.mjs';
import { commit } from '../support/commit.mjs';
import { openPeers } from '../support/peers.mjs';

const EVALUATIONS = 100_000;
/** Evaluations at which shares are read: five a power of ten. */
const MOMENTS = Array.from({ length: 26 }, (_, k) => Math.round(10 ** (k / 5)));
const OURS = ['planner', 'cma-es'];
const PEER = 'pycma-BIPOP';
const FOLDER = fileURLToPath(new URL('../results', import.meta.url));
const FILE = path.join(FOLDER, 'long-runs.json');
/** As in the protocol's groups. */
const FUNCTIONS = Array.from({ length: 24 }, (_, k) => k + 1);

const CONDITIONS = {
  suite: 'bbob',
  budget: { evaluations: EVALUATIONS, perDimension: false },
  mode: 'balanced',
  seed: 0,
  noise: 0,
  stretched: false,
};

/** The number of targets reached at each of MOMENTS. */
async function ownRun(key) {
  const { hits } = await carryOutRun(key, CONDITIONS, strategies);
  return MOMENTS.map((moment) => hits.filter((evaluations) => evaluations <= moment).length);
}

async function peerRun(peers, key) {
  const { code, problem } = bbobSource(key.functionId, key.dimension, key.instance);
  const { lower, upper } = problem.bounds;
  const { best, error } = await peers.ask({
    solver: PEER,
    code,
    bounds: Array.from(lower, (low, i) => [low, upper[i]]),
    seed: seedOf(key, CONDITIONS.seed),
    budgets: MOMENTS,
    best: problem.optimalValue,
  });
  if (error !== undefined) throw new Error(`${PEER}, f${key.functionId}, ${key.dimension}-D: ${error}`);
  return best.map((value) => TARGETS.filter((target) => value - problem.optimalValue <= target).length);
}

const read = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { name: 'long-runs', runs: {} });

function write(record) {
  const lines = Object.keys(record.runs).sort().map((key) => `    ${JSON.stringify(key)}: ${JSON.stringify(record.runs[key])}`); // prettier-ignore
  const head = { name: record.name, evaluations: EVALUATIONS, moments: MOMENTS, versions: record.versions };
  const start = JSON.stringify(head, null, 2).slice(0, -2);
  writeFileSync(FILE, `${start},\n  "runs": {\n${lines.join(',\n')}\n  }\n}\n`);
}

/** By dimension: each solver's share of all targets at each of MOMENTS, over the problems that all have run. */
function sharesOf({ runs }) {
  const solvers = [...OURS, PEER];
  const problems = new Map();
  for (const [key, reached] of Object.entries(runs)) {
    const [solver, ...problem] = key.split(' ');
    const name = problem.join(' ');
    problems.set(name, { ...problems.get(name), [solver]: reached });
  }
  const whole = [...problems].filter(([, one]) => solvers.every((solver) => one[solver] !== undefined));
  const dimensions = [...new Set(whole.map(([name]) => Number(name.split(' ')[1])))].sort((a, b) => a - b);
  return dimensions.map((dimension) => {
    const these = whole.filter(([name]) => Number(name.split(' ')[1]) === dimension).map(([, one]) => one);
    const share = (solver, k) => these.reduce((sum, one) => sum + one[solver][k], 0) / these.length / TARGETS.length;
    return {
      dimension,
      problems: these.length,
      shares: Object.fromEntries(solvers.map((solver) => [solver, MOMENTS.map((_, k) => share(solver, k))])),
    };
  });
}

const COLOURS = { planner: '#1f77b4', 'cma-es': '#2ca02c', [PEER]: '#d62728' };

/** One panel a dimension, side by side. */
function picture(panels) {
  const [width, height, left, bottom, top] = [380, 340, 50, 46, 30];
  const parts = panels.map(({ dimension, problems, shares }, at) => {
    const x = (evaluations) => at * width + left + (Math.log10(evaluations) / 5) * (width - left - 15);
    const y = (share) => height - bottom - share * (height - bottom - top);
    const grid = [0, 1, 2, 3, 4, 5].map(
      (k) =>
        `<path d="M${x(10 ** k)} ${top}V${height - bottom}" stroke="#ddd"/>` +
        `<text x="${x(10 ** k)}" y="${height - bottom + 16}" text-anchor="middle">1e${k}</text>`,
    );
    const rows = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
      (share) =>
        `<path d="M${x(1)} ${y(share)}H${x(1e5)}" stroke="#ddd"/>` +
        `<text x="${x(1) - 6}" y="${y(share) + 4}" text-anchor="end">${share}</text>`,
    );
    const lines = Object.entries(shares).map(([solver, values], k) => {
      const points = values.map(
        (share, i) => `${i === 0 ? 'M' : 'L'}${x(MOMENTS[i]).toFixed(1)} ${y(share).toFixed(1)}`,
      );
      return (
        `<path d="${points.join('')}" fill="none" stroke="${COLOURS[solver]}" stroke-width="2"/>` +
        `<text x="${x(1) + 10}" y="${top + 18 + 16 * k}" fill="${COLOURS[solver]}">${solver}</text>`
      );
    });
    const title = `<text x="${x(300)}" y="18" text-anchor="middle">${dimension}-D, ${problems} problems</text>`;
    const axis = `<text x="${x(300)}" y="${height - 8}" text-anchor="middle">evaluations</text>`;
    return [...grid, ...rows, ...lines, title, axis].join('\n');
  });
  const style = 'font-family="sans-serif" font-size="12"';
  const box = `0 0 ${width * panels.length} ${height}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" ${style}><rect width="100%" height="100%" fill="white"/>${parts.join('\n')}</svg>\n`;
}

const { values } = parseArgs({
  options: {
    dims: { type: 'string', default: '20,40' },
    instances: { type: 'string', default: '16' },
    functions: { type: 'string' },
    solvers: { type: 'string', default: [...OURS, PEER].join(',') },
    fresh: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
});
function numbers(text) {
  const found = parseNumbers(text, 1, 1_000);
  if (found === null) throw new Error(`${text} is no list of numbers, as 20,40 or 16-18`);
  return found;
}
const solvers = values.solvers.split(',');
const unknown = solvers.find((solver) => ![...OURS, PEER].includes(solver));
if (unknown !== undefined) throw new Error(`no solver ${unknown}; there are ${[...OURS, PEER].join(', ')}`);
const python = process.env['PEERS_PYTHON'];
const peersFile = fileURLToPath(new URL('peers.py', import.meta.url));
const needsPeers = !values.report && solvers.includes(PEER);
if (needsPeers && python === undefined) throw new Error(`${PEER} needs PEERS_PYTHON, a Python with its packages`);
const peers = needsPeers ? openPeers(python, peersFile) : null;
try {
  for (const dimension of values.report ? [] : numbers(values.dims)) {
    for (const instance of numbers(values.instances)) {
      for (const functionId of values.functions === undefined ? FUNCTIONS : numbers(values.functions)) {
        for (const solver of solvers) {
          const name = `${solver} f${functionId} ${dimension} ${instance}`;
          if (!values.fresh && read().runs[name] !== undefined) continue;
          const key = { strategy: solver, functionId, dimension, instance, repetition: 0 };
          const started = performance.now();
          const reached = solver === PEER ? await peerRun(peers, key) : await ownRun(key);
          const version =
            solver === PEER ? (await peers.ask({ solver, versions: true })).version : `extremum ${commit()}`;
          // Read again: another process may carry out other runs.
          const { runs, versions, name: title } = read();
          write({ name: title, runs: { ...runs, [name]: reached }, versions: { ...versions, [solver]: version } });
          const seconds = ((performance.now() - started) / 1000).toFixed(1);
          console.log(`${name}: ${reached.at(-1)} of ${TARGETS.length} targets, ${seconds} s`);
        }
      }
    }
  }
} finally {
  peers?.close();
}

const panels = sharesOf(read());
if (panels.length > 0) writeFileSync(path.join(FOLDER, 'long-runs.svg'), picture(panels));
for (const { dimension, problems, shares } of panels) {
  console.log(`${dimension}-D, ${problems} problems`);
  for (const [solver, all] of Object.entries(shares)) {
    const read = [10, 15, 20, 25].map((k) => `${MOMENTS[k]}: ${all[k].toFixed(3)}`);
    console.log(`  ${solver.padEnd(12)} ${read.join('  ')}`);
  }
}
