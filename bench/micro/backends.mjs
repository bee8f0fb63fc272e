/**
 * Evaluations per second of the backends for compiled objectives, on programs built by hand: D = 30, candidates in
 * tiles, everything within one call of `evaluate`. One row per objective and backend; the answers are compared in every
 * bit with the interpreter's. `median_cpu_...` counts the time that our threads had a processor, per thread: it holds
 * still on a busy machine, where wall time measures the neighbours.
 */
import { createOutput } from '../../dist/backends/backend.js';
import { InterpreterBackend } from '../../dist/backends/interpreter/interpreter-backend.js';
import { JavaScriptBackend } from '../../dist/backends/javascript/javascript-backend.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { WasmBackend } from '../../dist/backends/wasm/wasm-backend.js';
import { loadAddon } from '../../dist/backends/native/addon.js';
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
import { cpuSeconds, median, rounded } from '../support/statistics.mjs';

const REPETITIONS = 15;
const MEASURE_MS = 40;
/** The interpreter is slow: it evaluates, and defines the answers of, this many. */
const REFERENCE_ROWS = 128;

const contenders = () => {
  const native = (target, threads) => ({
    name: `native ${target}`,
    threads,
    rows: POPULATION,
    backend: new NativeBackend({ target, threads, offload: false }),
  });
  const targets = loadAddon().addon?.targets() ?? [];
  return [
    ...targets.slice(0, 1).flatMap((target) => [native(target, 1), native(target, 2)]),
    ...targets.slice(1).map((target) => native(target, 1)),
    { name: 'wasm', threads: 1, rows: POPULATION, backend: new WasmBackend() },
    { name: 'javascript', threads: 1, rows: POPULATION, backend: new JavaScriptBackend() },
    { name: 'interpreter', threads: 1, rows: REFERENCE_ROWS, backend: new InterpreterBackend() },
  ];
};

async function prepare(fn, contender, all, reference) {
  const kernel = await contender.backend.open(objectiveOf(fn));
  const batch = { ...batchOf(all), count: contender.rows };
  const output = createOutput(contender.rows);
  const evaluate = () => kernel.evaluate(batch, output);
  await evaluate();
  for (let i = 0; i < REFERENCE_ROWS; i++) {
    if (!Object.is(output.values[i], reference.values[i])) {
      throw new Error(`${fn.name} on ${contender.name}: row ${i} is ${output.values[i]}, not ${reference.values[i]}`);
    }
  }
  const started = performance.now();
  await evaluate();
  const rounds = Math.max(1, Math.round(MEASURE_MS / (performance.now() - started)));
  return { contender, kernel, evaluate, rounds, rates: [] };
}

/** Million evaluations per second over one repetition: of elapsed time, and of processor time per thread. */
async function measure({ contender, evaluate, rounds }) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  for (let round = 0; round < rounds; round++) await evaluate();
  const elapsedMs = performance.now() - started;
  const seconds = cpuSeconds(cpu);
  const millions = (rounds * contender.rows) / 1e6;
  return { wall: (1000 * millions) / elapsedMs, cpu: (millions * contender.threads) / seconds };
}

export async function run() {
  const all = candidates();
  const results = [];
  for (const fn of [rosenbrock(), rastrigin(), ackley()]) {
    const reference = createOutput(REFERENCE_ROWS);
    const interpreter = await new InterpreterBackend().open(objectiveOf(fn));
    await interpreter.evaluate({ candidates: all, count: REFERENCE_ROWS, dimension: DIMENSION }, reference);
    const cases = [];
    for (const contender of contenders()) cases.push(await prepare(fn, contender, all, reference));
    // Repetitions of all take turns, so that a busy moment of the machine meets everyone.
    for (let k = 0; k < REPETITIONS; k++) for (const entry of cases) entry.rates.push(await measure(entry));
    for (const { contender, kernel, rates } of cases) {
      const wall = rates.map((rate) => rate.wall);
      results.push({
        objective: fn.name,
        backend: contender.name,
        threads: contender.threads,
        median_million_per_s: rounded(median(wall), 4),
        worst_million_per_s: rounded(Math.min(...wall), 4),
        best_million_per_s: rounded(Math.max(...wall), 4),
        median_cpu_million_per_s: rounded(median(rates.map((rate) => rate.cpu)), 4),
      });
      await kernel.close();
    }
  }
  return {
    name: 'backends',
    settings: { dimension: DIMENSION, population: POPULATION, repetitions: REPETITIONS, layout: 'tiles' },
    results,
  };
}
