/**
 * Vehicle routing on the classical instances of up to 100 customers, with and without time windows: how many reach the
 * best known cost within five seconds, through the service. Best known costs: CVRPLIB and the DIMACS challenge (proven
 * optimal for all of them but CMT). Unlike `peers.mjs` it needs no other solver.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../support/service.mjs';
import { fixed, median } from '../support/statistics.mjs';

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

export async function run() {
  if (!existsSync(REFERENCE)) return { skipped: `there is no ${REFERENCE}` };
  const service = await startServer({}, { flags: ['--python', 'off', '--workers', '1'] });
  const rows = [];
  const fewer = [];
  try {
    for (const { id, instance, config, expected } of instances()) {
      const { instance_format: format, ...rest } = config;
      // The published optimum of these is that of so many vehicles.
      const [, vehicles] = /-P-n(?:22-k8|50-k8|55-k15)$/.test(id) ? /-k(\d+)$/.exec(id) : [];
      const fleet = vehicles === undefined ? {} : { vehicles: Number(vehicles) };
      const record = await service.call(
        'POST',
        '/v1/domains/supply_chain/optimize',
        {
          problem_type: 'vehicle_routing',
          config: { ...rest, ...fleet, instance: { format, text: text(instance) } },
          ...{ seed: SEED, max_evaluations: 1_000_000, timeout_seconds: SECONDS, mode: 'accurate' },
        },
        { prefer: `wait=${4 * SECONDS}` },
      );
      if (record.best_fitness === null) throw new Error(`${id}: ${JSON.stringify(record.error)}`);
      const gap = record.best_fitness / expected.best_known - 1;
      if (gap < -TOLERANCE) {
        // Published for exactly so many vehicles, which no request asks for: another problem, not counted.
        const published = Number(/-k(\d+)$/.exec(id)?.[1]);
        const used = 1 + record.best_solution.filter((stop) => stop === 0).length;
        if (!(used < published)) throw new Error(`${id}: ${record.best_fitness} is below ${expected.best_known}`);
        fewer.push({
          set: id,
          fewer_vehicles: `${used} of ${published}`,
          cost: record.best_fitness,
          published: expected.best_known,
        });
        continue;
      }
      rows.push({ instance: id, set: path.dirname(instance), customers: customersOf(instance, text(instance)), gap });
      console.log(`  ${id}: ${fixed(100 * gap)} % above the best known`);
    }
  } finally {
    await service.close();
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
      .filter(({ gap }) => gap > TOLERANCE)
      .map(({ instance, customers, gap }) => ({ set: instance, customers, gap_percent: fixed(100 * gap) })),
    ...fewer,
  ];
  return { name: 'classical-routes', settings: { seconds: SECONDS, seed: SEED, workers: 1 }, results };
}

const summary = (set, rows) => ({
  set,
  instances: rows.length,
  at_best_known: rows.filter(({ gap }) => gap <= TOLERANCE).length,
  median_gap_percent: fixed(100 * median(rows.map(({ gap }) => gap))),
  largest_gap_percent: fixed(100 * Math.max(...rows.map(({ gap }) => gap))),
});
