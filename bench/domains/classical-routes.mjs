/**
 * Vehicle routing on the classical instances of up to 100 customers, with and without time windows: how many reach the
 * best known cost within five seconds of one processor core, which other load on the machine hardly moves, and how many
 * seconds they take. Best known costs: CVRPLIB and the DIMACS challenge (proven optimal for all of them but CMT). Where
 * PEERS_PYTHON names a Python with PyVRP, that solves the same instances at the same time, on another core.
 *
 *   python3 -m venv ../peers && ../peers/bin/pip install $(grep pyvrp bench/domains/requirements.txt)
 *   PEERS_PYTHON=../peers/bin/python npm run bench -- classical-routes
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkConfig } from '../../dist/domains/configs.js';
import { solveProblem } from '../../dist/domains/solve-problem.js';
import { vehicleRouting } from '../../dist/domains/supply-chain/vehicle-routing/vehicle-routing.js';
import { openContext } from '../../dist/runs/problem-context.js';
import { openPeers } from '../support/peers.mjs';
import { cpuSeconds, fixed, median } from '../support/statistics.mjs';

const REFERENCE = fileURLToPath(new URL('../../../shared/reference/domains/supply_chain', import.meta.url));
const SECONDS = 5;
const SEED = 20_261;
const MOST_CUSTOMERS = 100;
/** Costs of real-valued distances are published with so many digits only. */
const TOLERANCE = 1e-6;

const text = (file) => readFileSync(path.join(REFERENCE, file), 'utf8');

/** Of the reference's cases. */
function instances() {
  const { cases } = JSON.parse(text('cases/vehicle_routing.json'));
  return cases.filter(
    ({ id, instance }) => /^(cvrp|vrptw|tsp)-/.test(id) && customersOf(instance, text(instance)) <= MOST_CUSTOMERS,
  );
}

function customersOf(file, content) {
  const dimension = /^DIMENSION\s*:\s*(\d+)/m.exec(content);
  if (dimension !== null) return Number(dimension[1]) - 1;
  // Solomon's format: a line of seven numbers for the depot and for each customer.
  return content.split('\n').filter((line) => line.trim().split(/\s+/).length === 7 && /^\s*\d/.test(line)).length - 1;
}

/** What PyVRP calls them; it has whole numbers only, so that real distances would be others than ours. */
const ROUNDINGS = { nearest: 'round', truncate_1dp: 'dimacs' };

/** Ends at the best known cost, or when its seconds are over. */
async function solve(config, bestKnown) {
  const started = process.cpuUsage();
  let isReached = false;
  const context = openContext({
    ...{ seed: SEED, maxEvaluations: 1_000_000, mode: 'accurate' },
    isOver: () => isReached || cpuSeconds(started) >= SECONDS,
    improved: (_evaluations, fitness) => (isReached = fitness <= bestKnown * (1 + TOLERANCE)),
  });
  try {
    const solved = await solveProblem(checkConfig(vehicleRouting, config), context, () => cpuSeconds(started));
    if (solved.error !== undefined) throw new Error(JSON.stringify(solved.error));
    return { ...solved, gap: solved.bestFitness / bestKnown - 1, cpuSeconds: cpuSeconds(started) };
  } finally {
    await context.close();
  }
}

/** Null where PyVRP is not asked. */
async function askPeer(peer, { instance, config, expected }, vehicles) {
  const rounding = ROUNDINGS[config.rounding];
  if (peer === null || rounding === undefined) return null;
  const { value, cpu_ms } = await peer.ask({
    ...{ file: path.join(REFERENCE, instance), rounding, limit_cpu_s: SECONDS, seed: SEED },
    ...{ vehicles: config.vehicles ?? vehicles, target: expected.best_known },
  });
  return { gap: value === null ? Infinity : value / expected.best_known - 1, cpuSeconds: cpu_ms / 1_000 };
}

export async function run() {
  if (!existsSync(REFERENCE)) return { skipped: `there is no ${REFERENCE}` };
  const python = process.env.PEERS_PYTHON;
  const peer = python === undefined ? null : openPeers(python, fileURLToPath(new URL('routes.py', import.meta.url)));
  const version = peer === null ? null : (await peer.ask({ solve: 'version' })).version;
  const rows = [];
  const fewer = [];
  try {
    for (const one of instances()) {
      const { id, instance, config, expected } = one;
      const { instance_format: format, ...rest } = config;
      // The published optimum of these is that of so many vehicles.
      const [, vehicles] = /-P-n(?:22-k8|50-k8|55-k15)$/.test(id) ? /-k(\d+)$/.exec(id) : [];
      const fleet = vehicles === undefined ? {} : { vehicles: Number(vehicles) };
      const asked = askPeer(peer, one, fleet.vehicles);
      const own = await solve({ ...rest, ...fleet, instance: { format, text: text(instance) } }, expected.best_known);
      const theirs = await asked;
      if (own.gap < -TOLERANCE) {
        // Published for exactly so many vehicles, which no request asks for: another problem, not counted.
        const published = Number(/-k(\d+)$/.exec(id)?.[1]);
        const used = 1 + own.bestSolution.filter((stop) => stop === 0).length;
        if (!(used < published)) throw new Error(`${id}: ${own.bestFitness} is below ${expected.best_known}`);
        fewer.push({
          set: id,
          fewer_vehicles: `${used} of ${published}`,
          cost: own.bestFitness,
          published: expected.best_known,
        });
        continue;
      }
      const [set, customers] = [path.dirname(instance), customersOf(instance, text(instance))];
      rows.push({ instance: id, set, customers, gap: own.gap, cpuSeconds: own.cpuSeconds, theirs });
      const other = theirs === null ? '' : `, PyVRP ${fixed(100 * theirs.gap)} %`;
      console.log(`  ${id}: ${fixed(100 * own.gap)} % above the best known${other}`);
    }
  } finally {
    peer?.close();
  }
  const sets = [...new Set(rows.map(({ set }) => set))];
  const results = [
    ...sets.map((set) =>
      summary(
        set,
        rows.filter((row) => row.set === set),
      ),
    ),
    summary('all', rows),
    ...rows
      .filter(({ gap, theirs }) => gap > TOLERANCE || theirs?.gap > TOLERANCE)
      .map(({ instance, customers, gap, theirs }) => ({
        ...{ set: instance, customers, gap_percent: fixed(100 * gap) },
        ...(theirs === null ? {} : { peer_gap_percent: fixed(100 * theirs.gap) }),
      })),
    ...fewer,
  ];
  const settings = {
    cpu_seconds: SECONDS,
    seed: SEED,
    threads: 1,
    ...(peer === null ? {} : { peer: `PyVRP ${version}` }),
  };
  return { name: 'classical-routes', settings, results };
}

function summary(set, rows) {
  const theirs = rows.map((row) => row.theirs).filter((one) => one !== null);
  const peer = theirs.length === 0 ? {} : { peer_instances: theirs.length, ...figures(theirs, 'peer_') };
  return { set, instances: rows.length, ...figures(rows), ...peer };
}

const figures = (rows, prefix = '') => ({
  [`${prefix}at_best_known`]: rows.filter(({ gap }) => gap <= TOLERANCE).length,
  [`${prefix}median_gap_percent`]: fixed(100 * median(rows.map(({ gap }) => gap))),
  [`${prefix}mean_gap_percent`]: fixed(100 * mean(rows.map(({ gap }) => gap)), 4),
  [`${prefix}largest_gap_percent`]: fixed(100 * Math.max(...rows.map(({ gap }) => gap))),
  [`${prefix}mean_cpu_seconds`]: fixed(mean(rows.map((row) => row.cpuSeconds))),
});

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
