/**
 * What the service holds after 2,000 runs and after 10,000: the whole process (RSS), and the main thread's heap after a
 * collection. Throws where it has grown. `EXTREMUM_BENCH_SNAPSHOTS=DIR` leaves heap snapshots there.
 */
import { startServer } from '../support/service.mjs';
import { fixed } from '../support/statistics.mjs';

const EVALUATIONS = 100;
const BOX = Array.from({ length: 10 }, () => [-5, 10]);
const CODE = 'def f(x):\n    total = 0.0\n    for v in x:\n        total += (v - 1.5) * (v - 1.5)\n    return total\n';
/** Until the first of these, caches fill and threads load code. */
const STEPS = [2_000, 4_000, 6_000, 8_000, 10_000];
const MEBIBYTE = 2 ** 20;
const MAY_GROW = { heap_mib: 4, rss_mib: 40 };

export async function run() {
  const results = [];
  const server = await startServer({}, { probeMemory: true });
  try {
    const functionId = await server.upload('f', CODE, true);
    const body = { objective_function_id: functionId, bounds: BOX, max_evaluations: EVALUATIONS };
    const requests = Array.from({ length: 40 }, (_, seed) => ({
      method: 'POST',
      path: '/v1/optimize',
      body: { ...body, seed },
    }));
    const check = ({ status, evaluations }) => {
      if (status !== 'completed' || evaluations !== EVALUATIONS) throw new Error(`${status} after ${evaluations}`);
    };
    let done = 0;
    for (const runs of STEPS) {
      await server.fire({ requests, connections: 4, amount: runs - done, check });
      done = runs;
      const folder = process.env['EXTREMUM_BENCH_SNAPSHOTS'];
      const snapshot = folder === undefined ? undefined : `${folder}/after-${runs}.heapsnapshot`;
      const { rss, heapUsed, external } = await server.memory(snapshot);
      results.push({
        runs,
        rss_mib: fixed(rss / MEBIBYTE, 1),
        heap_mib: fixed(heapUsed / MEBIBYTE, 2),
        external_mib: fixed(external / MEBIBYTE, 2),
      });
    }
    const listed = await server.call('GET', '/v1/optimize?limit=1');
    if (listed.total !== done) throw new Error(`${listed.total} runs are stored, not ${done}`);
  } finally {
    await server.close();
  }
  const [first, last] = [results[0], results.at(-1)];
  for (const [what, most] of Object.entries(MAY_GROW)) {
    const grown = last[what] - first[what];
    if (grown > most) throw new Error(`${what} grew by ${fixed(grown)}: ${JSON.stringify(results)}`);
  }
  return { name: 'service-memory', settings: { evaluations: EVALUATIONS, dimension: BOX.length }, results };
}
