/**
 * What it costs that CPython confirms values: optimisations (1,000 evaluations, n = 10, planned) on two services, one
 * with `VERIFY` on and one with it off, in turns, so that both see the same machine. Records are checked: the same bits
 * from both, and values confirmed by the first one. Processor time is of the service with its threads; `check_ms` are
 * the seconds of the checking processes, from its analytics.
 */
import { ROSENBROCK } from '../support/python-sources.mjs';
import { startServer } from '../support/service.mjs';
import { quantile, rounded } from '../support/statistics.mjs';

const DIMENSION = 10;
const EVALUATIONS = 1_000;
const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
const ROUNDS = 15;
const scale = Number(process.env['EXTREMUM_BENCH_SCALE'] ?? 1);

/** Plain arithmetic; library functions, whose last bits differ; branches, whose patterns are asked for. */
const CASES = {
  arithmetic: ROSENBROCK,
  functions: `import math

def f(x):
    total = 10.0 * len(x)
    for v in x:
        total += v * v - 10.0 * math.cos(2.0 * math.pi * v) + math.exp(0.1 * v)
    return total
`,
  branches: `def f(x):
    if x[0] + x[1] > 10.0:
        return 1e6
    total = 0.0
    for v in x:
        total += v * v if v > 0 else 2.0 * v * v - v
    return total
`,
};

export async function run() {
  const rows = [];
  const servers = {};
  try {
    for (const verify of ['on', 'off'])
      servers[verify] = await startServer({ kind: 'sqlite' }, { flags: ['--verify', verify] });
    for (const [name, code] of Object.entries(CASES)) {
      const functions = {};
      for (const [verify, server] of Object.entries(servers)) functions[verify] = await server.upload(name, code, true);
      const bits = new Map();
      const load = (verify, connections, amount) => ({
        connections,
        amount,
        requests: SEEDS.map((seed) => ({
          method: 'POST',
          path: '/v1/optimize',
          body: requestOf(functions[verify], seed),
        })),
        check: (record) => check(record, verify, bits),
      });
      for (const [verify, server] of Object.entries(servers)) await server.fire(load(verify, 4, 600));
      for (const connections of [1, 4]) {
        const sums = { on: fresh(), off: fresh() };
        for (let round = 0; round < Math.max(2, ROUNDS * scale); round++) {
          // Who is second in one round is first in the next.
          for (const verify of round % 2 === 0 ? ['on', 'off'] : ['off', 'on']) {
            const server = servers[verify];
            const before = await checkSeconds(server);
            const { times, perSecond, cpuMilliseconds } = await server.fire(load(verify, connections, 80));
            const sum = sums[verify];
            sum.times.push(...times);
            sum.perSecond.push(perSecond);
            sum.cpu.push(cpuMilliseconds);
            sum.check.push((1000 * ((await checkSeconds(server)) - before)) / times.length);
          }
        }
        for (const [verify, { times, perSecond, cpu, check }] of Object.entries(sums)) {
          rows.push({
            case: name,
            connections,
            verify,
            requests: times.length,
            p50_ms: rounded(quantile(times, 0.5)),
            p90_ms: rounded(quantile(times, 0.9)),
            per_second: rounded(quantile(perSecond, 0.5)),
            server_cpu_ms: rounded(quantile(cpu, 0.5)),
            check_ms: rounded(quantile(check, 0.5)),
          });
        }
        const growth = quantile(sums.on.times, 0.5) - quantile(sums.off.times, 0.5);
        const pairs = sums.on.perSecond.map((on, k) => on / sums.off.perSecond[k]);
        rows.push({
          case: name,
          connections,
          verify: 'on against off',
          median_grows_ms: rounded(growth),
          throughput_ratio: rounded(quantile(pairs, 0.5)),
        });
      }
    }
  } finally {
    for (const server of Object.values(servers)) await server.close();
  }
  const settings = { evaluations: EVALUATIONS, dimension: DIMENSION, rounds: ROUNDS };
  return { name: 'service-verification', settings, results: rows };
}

const fresh = () => ({ times: [], perSecond: [], cpu: [], check: [] });

const checkSeconds = async (server) =>
  (await server.call('GET', '/v1/analytics/performance')).resource_usage.checks.seconds;

const requestOf = (functionId, seed) => ({
  objective_function_id: functionId,
  bounds: Array.from({ length: DIMENSION }, () => [-5, 10]),
  max_evaluations: EVALUATIONS,
  seed,
  black_box: true,
  learned_version: 0,
});

function check(record, verify, bits) {
  const { status, best_fitness: fitness, evaluations, verified, seed } = record;
  if (status !== 'completed') throw new Error(`a run ended as ${status}`);
  const known = bits.get(seed) ?? { fitness, evaluations };
  bits.set(seed, known);
  if (fitness !== known.fitness || evaluations !== known.evaluations) throw new Error(`other bits for seed ${seed}`);
  const isRight =
    verify === 'on' ? verified.by === 'cpython' && verified.reason === undefined : verified.reason === 'setting';
  if (!isRight) throw new Error(`verified is ${JSON.stringify(verified)}`);
}
