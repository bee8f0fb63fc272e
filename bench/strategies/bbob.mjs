/**
 * Strategies on the BBOB functions, for those who build them: share of the 51 precision targets 1e2 .. 1e-8 reached
 * within the budget. In `npm run bench` all strategies run a quick set; by itself it takes a choice:
 *
 *   node bench/strategies/bbob.mjs --dims 2,5 --instances 1-5 --budget 1000 --strategies cma-es
 *
 * `extremum bench bbob` is the whole measurement: threads, files, peers, tests.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { carryOutRun } from '../../dist/benchmarks/benchmark-run.js';
import { parseBudget, parseNumbers } from '../../dist/benchmarks/notation.js';
import { FUNCTION_GROUPS, groupOf } from '../../dist/benchmarks/problem.js';
import { summarize } from '../../dist/benchmarks/report/statistics.js';
import { callingStrategies, strategies } from '../../dist/planner/all-strategies.js';

const numbers = (text, low = 1, high = 10_000) => {
  const list = parseNumbers(text, low, high);
  if (list === null) throw new Error(`not a list of numbers from ${low} to ${high}: ${text}`);
  return list;
};

async function measure({ dims, instances, functions, repetitions, conditions, names }) {
  const rows = [];
  for (const dimension of dims) {
    for (const strategy of names) {
      const runs = [];
      const start = performance.now();
      for (const functionId of functions) {
        for (const instance of instances) {
          for (let repetition = 0; repetition < repetitions; repetition++) {
            const key = { strategy, functionId, dimension, instance, repetition };
            runs.push(await carryOutRun(key, conditions, strategies));
          }
        }
      }
      const all = summarize(runs);
      const groups = FUNCTION_GROUPS.flatMap((group) => {
        const own = runs.filter((run) => groupOf(run.functionId) === group);
        return own.length === 0 ? [] : [[group, summarize(own).fractionHit]];
      });
      rows.push({
        dimension,
        strategy,
        fraction_hit: all.fractionHit,
        standard_error: all.standardError,
        area: all.area,
        solved: all.solved,
        ...Object.fromEntries(groups),
        milliseconds_per_run: (performance.now() - start) / runs.length,
      });
    }
  }
  return rows;
}

export async function run() {
  const settings = { instances: '1-3', budget: 1000, dimensions: '2, 5, 10', repetitions: 1, mode: 'balanced' };
  const results = await measure({
    dims: [2, 5, 10],
    instances: [1, 2, 3],
    functions: numbers('1-24'),
    repetitions: 1,
    conditions: { suite: 'bbob', budget: parseBudget('1000'), mode: 'balanced', seed: 0, noise: 0, stretched: false },
    names: callingStrategies.map((strategy) => strategy.name),
  });
  return { name: 'bbob', settings, results };
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      suite: { type: 'string', default: 'bbob' },
      dims: { type: 'string', default: '2,5' },
      instances: { type: 'string', default: '1-5' },
      functions: { type: 'string', default: '1-24' },
      repetitions: { type: 'string', default: '1' },
      budget: { type: 'string', default: '1000' },
      strategies: { type: 'string', default: callingStrategies.map((strategy) => strategy.name).join() },
      mode: { type: 'string', default: 'balanced' },
      noise: { type: 'string', default: '0' },
      stretched: { type: 'boolean', default: false },
      seed: { type: 'string', default: '0' },
    },
  });
  const rows = await measure({
    dims: numbers(values.dims),
    instances: numbers(values.instances),
    functions: numbers(values.functions),
    repetitions: Number(values.repetitions),
    conditions: {
      suite: values.suite,
      budget: parseBudget(values.budget),
      mode: values.mode,
      seed: Number(values.seed),
      noise: Number(values.noise),
      stretched: values.stretched,
    },
    names: values.strategies.split(','),
  });
  const shown = (v) => (typeof v === 'number' && !Number.isInteger(v) ? Number(v.toFixed(4)) : v);
  console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, shown(v)]))));
}
