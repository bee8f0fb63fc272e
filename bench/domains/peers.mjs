/**
 * Domain problems against what a practitioner would solve them with, from the same data, in one run: ours and the
 * peer's solutions take turns. Ours are asked of a warm service over HTTP (`request_ms`); `solver_ms` is what the
 * solver itself took of it. The peer's time is that of a warm Python process from data in memory, without HTTP.
 * `cpu_ms` and `peer_cpu_ms` are of the processor, all threads, which other load on the machine hardly moves. Where
 * both prove their answers these must be equal.
 *
 *   python3 -m venv ../peers && ../peers/bin/pip install -r bench/domains/requirements.txt
 *   PEERS_PYTHON=../peers/bin/python npm run bench -- domains/peers
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '../../dist/common/rng.js';
import { openPeers } from '../support/peers.mjs';
import { cpuSecondsOf, startServer } from '../support/service.mjs';
import { fixed, median, rounded, sorted } from '../support/statistics.mjs';

const REFERENCE = fileURLToPath(new URL('../../../shared/reference/domains', import.meta.url));
const REPETITIONS = 5;
/** Of one solution; slower ones are measured once. */
const LIMIT_S = 60;
const SLOW_MS = 3_000;
const SEEDS = 3;
const TABLE_SEEDS = 11;

const text = (file) => readFileSync(path.join(REFERENCE, file), 'utf8');
const casesOf = (file) => JSON.parse(text(file)).cases;
const caseOf = (file, id) => casesOf(file).find((one) => one.id === id);

/** The numbers of a table, without its header; the last column may be text. */
const rowsOf = (file) =>
  text(file)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map((cell) => (Number.isNaN(Number(cell)) ? cell : Number(cell))));

/** Mean and deviation of each asset, then the upper triangle of correlations. */
function readAssets(file) {
  const numbers = text(file).trim().split(/\s+/).map(Number);
  const n = numbers[0];
  const means = Array.from({ length: n }, (_, i) => numbers[1 + 2 * i]);
  const deviations = Array.from({ length: n }, (_, i) => numbers[2 + 2 * i]);
  const covariance = means.map(() => new Array(n).fill(0));
  for (let at = 1 + 2 * n; at + 2 < numbers.length; at += 3) {
    const [i, j] = [numbers[at] - 1, numbers[at + 1] - 1];
    covariance[i][j] = covariance[j][i] = numbers[at + 2] * deviations[i] * deviations[j];
  }
  return { means, covariance };
}

function portfolios() {
  const [port1, port2, port3] = [1, 2, 3].map((k) => readAssets(`financial/orlib/port${k}.txt`));
  const ppo = JSON.parse(text('financial/ppo20.json'));
  const configOf = ({ means, covariance }, more) => ({ expected_returns: means, covariance, ...more });
  const target = caseOf('financial/cases/portfolio.json', 'orlib-port2-frontier-1000').config.target_return;
  const frontier = (name, assets, more) => ({
    problem: `portfolio, ${more.objective}, ${name}`,
    ours: ['financial', 'portfolio', configOf(assets, more)],
    peer: 'PyPortfolioOpt',
    task: { solve: 'frontier', ...assets, ...more },
    agreement: 1e-6,
  });
  const few = (name, assets, most, more) => ({
    problem: `portfolio, at most ${most} of ${assets.means.length} assets, ${name}`,
    ours: ['financial', 'portfolio', configOf(assets, { ...more, max_assets: most })],
    peer: 'cvxpy, SCIP',
    task: { solve: 'few_assets', ...assets, most, target_return: more.target_return },
    // SCIP keeps limits to 1e-6.
    agreement: 5e-6,
  });
  return [
    frontier('31 assets', port1, { objective: 'min_volatility' }),
    frontier('89 assets', port3, { objective: 'min_volatility' }),
    frontier('85 assets', port2, { objective: 'efficient_return', target_return: target }),
    frontier(
      '20 assets',
      { means: ppo.expected_returns, covariance: ppo.covariance },
      { objective: 'max_sharpe', risk_free_rate: 0.02 },
    ),
    few('min_volatility', port1, 3, { objective: 'min_volatility' }),
    few('min_volatility', port1, 10, { objective: 'min_volatility' }),
    few('efficient_return', port2, 10, { objective: 'efficient_return', target_return: target }),
    few('min_volatility', port3, 10, { objective: 'min_volatility' }),
  ];
}

/** A common factor and noise, to six decimals. */
function scenarios(rows, columns) {
  const rng = Rng.create(1);
  return Array.from({ length: rows }, () => {
    const market = rng.normal();
    return Array.from({ length: columns }, () => fixed(0.0006 + 0.004 * market + 0.012 * rng.normal(), 6));
  });
}

function tails() {
  return [
    [1_500, 20],
    [2_500, 100],
  ].flatMap(([rows, columns]) => {
    const returns = scenarios(rows, columns);
    const config = { model: 'min_cvar', scenario_returns: returns, confidence: 0.95 };
    const shared = { ours: ['financial', 'risk_management', config], agreement: 1e-6 };
    const problem = `least CVaR, ${rows} scenarios of ${columns} assets`;
    return [
      { ...shared, problem, peer: 'scipy, HiGHS', task: { solve: 'least_cvar_linear', returns, confidence: 0.95 } },
      { ...shared, problem, peer: 'PyPortfolioOpt', task: { solve: 'least_cvar', returns, confidence: 0.95 } },
    ];
  });
}

/** Opening costs, then for each customer its demand and what serving it from each site costs. */
function readSites(file) {
  const numbers = text(file).trim().split(/\s+/).map(Number);
  const [sites, customers] = numbers;
  const opening = Array.from({ length: sites }, (_, i) => numbers[3 + 2 * i]);
  const start = 2 + 2 * sites;
  const serving = Array.from({ length: customers }, (_, j) =>
    Array.from({ length: sites }, (_unused, i) => numbers[start + j * (sites + 1) + 1 + i]),
  );
  return { opening, serving };
}

/** Agents and jobs, the values and resources of each agent, the capacities. */
function readAgents(file) {
  const numbers = text(file).trim().split(/\s+/).map(Number);
  const [agents, jobs] = numbers;
  const rowsFrom = (start) =>
    Array.from({ length: agents }, (_, a) => numbers.slice(start + a * jobs, start + (a + 1) * jobs));
  return {
    values: rowsFrom(2),
    resources: rowsFrom(2 + agents * jobs),
    capacities: numbers.slice(2 + 2 * agents * jobs, 2 + 2 * agents * jobs + agents),
  };
}

function bondsToBuy() {
  const rng = Rng.create(3);
  const bonds = Array.from({ length: 20 }, () => {
    const years = 1 + Math.floor(10 * rng.uniform());
    const coupon = 1 + Math.floor(7 * rng.uniform());
    const cash_flows = Array.from({ length: years }, (_, t) => (t === years - 1 ? 100 + coupon : coupon));
    const worth = cash_flows.reduce((sum, flow, t) => sum + flow / 1.04 ** (t + 1), 0);
    return { price: Number((worth * (0.98 + 0.04 * rng.uniform())).toFixed(2)), cash_flows };
  });
  const liabilities = Array.from({ length: 10 }, () => 100 * Math.round(100 + 200 * rng.uniform()));
  return { bonds, liabilities, reinvestment_rate: 0.01 };
}

function integers() {
  const sites = (name) => ({
    problem: `facility location, ${name}`,
    ours: ['supply_chain', 'warehouse', { model: 'facility_location', capacitated: false, instance: { format: 'orlib_cap', text: text(`supply_chain/warehouse/orlib/${name}.txt`) } }], // prettier-ignore
    peer: 'OR-Tools, SCIP',
    task: { solve: 'facilities', ...readSites(`supply_chain/warehouse/orlib/${name}.txt`) },
    agreement: 1e-6,
  });
  const agents = (name) => {
    const read = readAgents(`marketing/gap/${name}.txt`);
    return {
      problem: `assignment, ${name} (${read.values.length} agents, ${read.values[0].length} jobs)`,
      ours: ['marketing', 'campaign', { model: 'assignment', sense: 'maximize', ...read }],
      peer: 'OR-Tools, CP-SAT',
      task: { solve: 'assignment', ...read },
      agreement: 1e-9,
    };
  };
  const reach = caseOf('marketing/cases/campaign.json', 'reach-40x80').config;
  const bins = caseOf('supply_chain/cases/warehouse.json', 'bpp-triplet-60').config;
  const bonds = bondsToBuy();
  return [
    sites('cap71'),
    sites('cap101'),
    sites('cap131'),
    agents('gap4-0'),
    agents('gap8-0'),
    agents('gap12-0'),
    agents('gap12-1'),
    {
      problem: 'media reach, 40 vehicles, 80 groups',
      ours: ['marketing', 'campaign', reach],
      peer: 'OR-Tools, CP-SAT',
      task: { solve: 'reach', ...reach },
      agreement: 1e-9,
    },
    {
      problem: 'bin packing, triplets of 60 items',
      ours: ['supply_chain', 'warehouse', bins],
      peer: 'OR-Tools, CP-SAT',
      task: { solve: 'bins', ...bins },
      agreement: 1e-9,
    },
    {
      problem: 'whole bonds, 20 for 10 years',
      ours: ['financial', 'risk_management', { model: 'cash_flow_matching', integer_lots: true, ...bonds }],
      peer: 'OR-Tools, SCIP',
      task: { solve: 'bonds', ...bonds },
      agreement: 1e-6,
    },
  ];
}

const others = () => [
  {
    problem: 'sample size of a t test, effect 0.2',
    ours: ['healthcare', 'clinical_trial_design', { model: 'fixed', endpoint: 'continuous', mean_difference: 0.2, standard_deviation: 1, alpha: 0.05, sides: 2, power: 0.8 }], // prettier-ignore
    value: ({ result }) => result.n_per_arm,
    peer: 'statsmodels',
    task: { solve: 'sample_size', effect: 0.2, alpha: 0.05, power: 0.8 },
    agreement: 1e-9,
  },
  {
    problem: 'k nearest neighbours on iris, all 60 settings, leaving one out',
    ours: ['ai_ml', 'hyperparameter_tuning', caseOf('ai_ml/cases/hyperparameter_tuning.json', 'knn-loo-iris').config],
    peer: 'Optuna, scikit-learn',
    task: { solve: 'tune_neighbours', rows: rowsOf('ai_ml/datasets/iris.csv') },
    // One flower of 150: votes that tie go to the nearest class here, to the first one there.
    agreement: 0.007,
  },
];

/** [case, evaluations]: a tenth of the table. */
const TABLES = [
  ['lda-on-grid', 29],
  ['svm-on-grid', 140],
];

/** [instance, seconds]. */
const ROUTES = [
  ['cvrp/A/A-n69-k9.vrp', 5],
  ['cvrp/P/P-n76-k5.vrp', 5],
  ['cvrp/E/E-n101-k8.vrp', 5],
  ['cvrp/XML100/XML100_1111_01.vrp', 5],
  ['cvrp/X/X-n101-k25.vrp', 5],
  ['cvrp/X/X-n200-k36.vrp', 30],
  ['cvrp/X/X-n303-k21.vrp', 30],
  ['cvrp/X/X-n502-k39.vrp', 30],
];

function bestKnownOf(file) {
  const { expected } = casesOf('supply_chain/cases/vehicle_routing.json').find(({ instance }) => instance === file);
  return expected.best_known;
}

export async function run() {
  const python = process.env.PEERS_PYTHON;
  if (python === undefined) return { skipped: 'PEERS_PYTHON names no Python with bench/domains/requirements.txt' };
  if (!existsSync(REFERENCE)) return { skipped: `there is no ${REFERENCE}` };
  const peers = openPeers(python, fileURLToPath(new URL('peers.py', import.meta.url)), { limit_s: LIMIT_S });
  const service = await startServer({}, { flags: ['--python', 'off', '--workers', '1'] });
  const solve = async ([domain, problem_type, config], more = {}) => {
    const body = { problem_type, config, max_evaluations: 1_000_000, timeout_seconds: LIMIT_S, ...more };
    const cpuBefore = cpuSecondsOf(service.pid);
    const started = performance.now();
    const run = await service.call('POST', `/v1/domains/${domain}/optimize`, body, {
      prefer: `wait=${2 * LIMIT_S}`,
    });
    const requestMs = performance.now() - started;
    const cpuMs = 1_000 * (cpuSecondsOf(service.pid) - cpuBefore);
    if (run.best_fitness === null) throw new Error(`${problem_type}: ${JSON.stringify(run.error)}`);
    return { run, requestMs, cpuMs, solverMs: 1_000 * run.solver.seconds };
  };
  const results = [];
  try {
    const { cpu_ms: _cpuMs, ...version } = await peers.ask({ solve: 'versions' });
    for (const one of [...portfolios(), ...tails(), ...integers(), ...others()]) {
      results.push(await compare(one, solve, peers));
    }
    for (const [id, evaluations] of TABLES) results.push(await compareTables(id, evaluations, solve, peers));
    for (const [instance, seconds] of ROUTES) results.push(await compareRoutes(instance, seconds, solve, peers));
    const settings = {
      repetitions: REPETITIONS,
      limit_seconds: LIMIT_S,
      routing_seeds: SEEDS,
      table_seeds: TABLE_SEEDS,
      http_overhead_ms: await overheadOf(solve),
      versions: version,
    };
    return { name: 'domains', settings, results };
  } finally {
    peers.close();
    await service.close();
  }
}

/** Median of what a request takes beside its solver: a closed form. */
async function overheadOf(solve) {
  const config = { model: 'hedge_ratio', spot_volatility: 0.2, futures_volatility: 0.3, correlation: 0.8, exposure_units: 1_000 }; // prettier-ignore
  const times = [];
  for (let k = 0; k < 50; k++) {
    const { requestMs, solverMs } = await solve(['financial', 'risk_management', config]);
    if (k >= 10) times.push(requestMs - solverMs);
  }
  return rounded(median(times));
}

async function compare(
  { problem, ours, value = ({ best_fitness }) => best_fitness, peer, task, agreement },
  solve,
  peers,
) {
  // Once before it counts.
  const first = await peers.ask(task);
  const warm = await solve(ours);
  const isSlow = first.ms > SLOW_MS || warm.requestMs > SLOW_MS;
  const pairs = isSlow ? [[warm, first]] : [];
  for (let k = 0; pairs.length < (isSlow ? 1 : REPETITIONS); k++) {
    const theirs = k % 2 === 0 ? await peers.ask(task) : null;
    const own = await solve(ours);
    pairs.push([own, theirs ?? (await peers.ask(task))]);
  }
  const [own, theirs] = [pairs[0][0], pairs[0][1]];
  const [ownValue, peerValue] = [value(own.run), theirs.value];
  const isProven = own.run.optimality.status === 'optimal';
  const difference = peerValue === null ? null : Math.abs(ownValue - peerValue) / Math.max(Math.abs(ownValue), 1e-12);
  if (isProven && theirs.proven && difference > agreement) {
    throw new Error(`${problem}: ${ownValue} against ${peerValue} of ${peer}`);
  }
  const requests = pairs.map(([{ requestMs }]) => requestMs);
  const times = pairs.map(([, { ms }]) => ms);
  const row = {
    problem,
    peer,
    request_ms: rounded(median(requests)),
    solver_ms: rounded(median(pairs.map(([{ solverMs }]) => solverMs))),
    peer_ms: rounded(median(times)),
    // The clock of our process ticks every 10 ms: a mean, not a median.
    cpu_ms: rounded(mean(pairs.map(([{ cpuMs }]) => cpuMs))),
    peer_cpu_ms: rounded(mean(pairs.map(([, { cpu_ms }]) => cpu_ms))),
    peer_over_request: rounded(median(pairs.map(([{ requestMs }, { ms }]) => ms / requestMs))),
    request_ms_range: sorted(requests).filter(isEnd).map((ms) => rounded(ms)).join(' .. '), // prettier-ignore
    peer_ms_range: sorted(times).filter(isEnd).map((ms) => rounded(ms)).join(' .. '), // prettier-ignore
    pairs: pairs.length,
    is_proven: isProven,
    peer_is_proven: theirs.proven,
    value: ownValue,
    peer_value: peerValue,
  };
  console.log(`  ${problem}: ${row.request_ms} ms (solver ${row.solver_ms}), ${peer} ${row.peer_ms} ms`);
  return row;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const isEnd = (_value, at, all) => at === 0 || at === all.length - 1;

/** How far the best of a few settings is from the best of the whole table. */
async function compareTables(id, evaluations, solve, peers) {
  const { instance, config, expected } = caseOf('ai_ml/cases/hyperparameter_tuning.json', id);
  const [columns, rows] = [text(`ai_ml/${instance}`).split('\n')[0].trim().split(','), rowsOf(`ai_ml/${instance}`)];
  const table = { ...config, evaluator: { ...config.evaluator, columns, rows } };
  const above = (value) => 100 * (value / expected.best_value - 1);
  const own = [];
  const theirs = [];
  for (let seed = 1; seed <= TABLE_SEEDS; seed++) {
    const { run } = await solve(['ai_ml', 'hyperparameter_tuning', table], { seed, max_evaluations: evaluations });
    own.push(above(run.best_fitness));
    const task = { columns, rows, parameters: Object.keys(config.search_space), metric: config.evaluator.metric };
    const { value } = await peers.ask({ solve: 'tune_table', ...task, evaluations, seed });
    theirs.push(above(value));
  }
  const row = {
    problem: `tuning on a table, ${id}, ${evaluations} of ${rows.length} settings`,
    peer: 'Optuna, TPE',
    seeds: TABLE_SEEDS,
    gap_percent: fixed(median(own)),
    peer_gap_percent: fixed(median(theirs)),
    gap_percent_range: sorted(own).filter(isEnd).map((value) => fixed(value)).join(' .. '), // prettier-ignore
    peer_gap_percent_range: sorted(theirs).filter(isEnd).map((value) => fixed(value)).join(' .. '), // prettier-ignore
  };
  console.log(`  ${row.problem}: ${row.gap_percent} % above the best, Optuna ${row.peer_gap_percent} %`);
  return row;
}

async function compareRoutes(instance, seconds, solve, peers) {
  const best = bestKnownOf(instance);
  const config = { instance: { format: 'vrplib', text: text(`supply_chain/${instance}`) }, rounding: 'nearest' };
  const file = path.join(REFERENCE, 'supply_chain', instance);
  const gap = (cost) => 100 * (cost / best - 1);
  const own = [];
  const theirs = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { run } = await solve(['supply_chain', 'vehicle_routing', config], {
      ...{ seed, timeout_seconds: seconds, mode: 'accurate' },
    });
    own.push(gap(run.best_fitness));
    const { value } = await peers.ask({ solve: 'routes', file, rounding: 'round', limit_s: seconds, seed });
    theirs.push(value === null ? Infinity : gap(value));
  }
  const name = path.basename(instance, '.vrp');
  const row = {
    problem: `vehicle routing, ${name}`,
    peer: 'PyVRP',
    seconds,
    seeds: SEEDS,
    best_known: best,
    gap_percent: fixed(median(own)),
    peer_gap_percent: fixed(median(theirs)),
    gap_percent_range: sorted(own).filter(isEnd).map((value) => fixed(value)).join(' .. '), // prettier-ignore
    peer_gap_percent_range: sorted(theirs).filter(isEnd).map((value) => fixed(value)).join(' .. '), // prettier-ignore
  };
  console.log(
    `  ${row.problem}, ${seconds} s: ${row.gap_percent} % above the best known, PyVRP ${row.peer_gap_percent} %`,
  );
  return row;
}
