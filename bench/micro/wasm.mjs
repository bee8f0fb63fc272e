/**
 * WebAssembly SIMD against generated JavaScript, both in the calling thread: D = 30, candidates in tiles, everything
 * within one call of `evaluate`. Million evaluations per second of processor time; the two take turns, and the ratio is
 * the median of the ratios of neighbours, so that it holds still on a busy machine. All answers are compared in every
 * bit with each other, and the first rows with the interpreter's.
 */
import { createOutput } from '../../dist/backends/backend.js';
import { InterpreterBackend } from '../../dist/backends/interpreter/interpreter-backend.js';
import { JavaScriptBackend } from '../../dist/backends/javascript/javascript-backend.js';
import { WasmBackend } from '../../dist/backends/wasm/wasm-backend.js';
import {
  ackley,
  batchOf,
  candidates,
  DIMENSION,
  objectiveOf,
  POPULATION,
  rastrigin,
  rosenbrock,
} from '../support/objectives.mjs';
import { cpuSeconds, median, rounded, sorted } from '../support/statistics.mjs';

const REPETITIONS = 31;
const MEASURE_MS = 20;
/** Until V8's optimizing compilers, which work beside us, have done their part. */
const WARM_UP_MS = 500;
const REFERENCE_ROWS = 128;

async function prepare(backend, fn, batch) {
  const opened = performance.now();
  const kernel = await backend.open(objectiveOf(fn));
  const open_ms = performance.now() - opened;
  const output = createOutput(batch.count);
  const evaluate = () => kernel.evaluate(batch, output);
  const started = performance.now();
  let calls = 0;
  while (performance.now() - started < WARM_UP_MS) {
    await evaluate();
    calls++;
  }
  return { kernel, output, evaluate, open_ms, calls: Math.max(1, Math.round((calls * MEASURE_MS) / WARM_UP_MS)) };
}

async function rate({ evaluate, calls }) {
  const before = process.cpuUsage();
  for (let k = 0; k < calls; k++) await evaluate();
  return (calls * POPULATION) / 1e6 / cpuSeconds(before);
}

function check(fn, contender, expected, rows) {
  for (let i = 0; i < rows; i++) {
    if (!Object.is(contender.output.values[i], expected.values[i])) {
      throw new Error(`${fn.name} row ${i}: ${contender.output.values[i]}, not ${expected.values[i]}`);
    }
  }
}

export async function run() {
  const all = candidates();
  const batch = batchOf(all);
  const results = [];
  for (const fn of [rosenbrock(), rastrigin(), ackley()]) {
    const reference = createOutput(REFERENCE_ROWS);
    const interpreter = await new InterpreterBackend().open(objectiveOf(fn));
    await interpreter.evaluate({ ...batch, count: REFERENCE_ROWS }, reference);
    const wasm = await prepare(new WasmBackend(), fn, batch);
    const javascript = await prepare(new JavaScriptBackend(), fn, batch);
    check(fn, wasm, reference, REFERENCE_ROWS);
    check(fn, javascript, wasm.output, POPULATION);
    const rates = { wasm: [], javascript: [] };
    for (let k = 0; k < REPETITIONS; k++) {
      rates.wasm.push(await rate(wasm));
      rates.javascript.push(await rate(javascript));
    }
    const ratios = sorted(rates.wasm.map((value, k) => value / rates.javascript[k]));
    results.push({
      objective: fn.name,
      wasm_cpu_million_per_s: rounded(median(rates.wasm), 4),
      javascript_cpu_million_per_s: rounded(median(rates.javascript), 4),
      median_ratio: rounded(median(ratios), 4),
      ratio_quartile_1: rounded(ratios[REPETITIONS >> 2], 4),
      ratio_quartile_3: rounded(ratios[(3 * REPETITIONS) >> 2], 4),
      wasm_open_ms: rounded(wasm.open_ms, 4),
      javascript_open_ms: rounded(javascript.open_ms, 4),
    });
    await wasm.kernel.close();
    await javascript.kernel.close();
  }
  return {
    name: 'wasm',
    settings: {
      dimension: DIMENSION,
      population: POPULATION,
      repetitions: REPETITIONS,
      layout: 'tiles',
      threads: 1,
    },
    results,
  };
}
