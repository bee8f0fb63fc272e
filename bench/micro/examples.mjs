/**
 * Evaluations per second of every backend on `examples/`, compiled from their Python source as a run compiles them:
 * D = 30 where the function takes any dimension, else its own; population 4,096; one call of `evaluate` per population,
 * one thread (CPython: one process). Native, WebAssembly, JavaScript and interpreter must agree in every bit, CPython
 * to 1e-9.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createOutput } from '../../dist/backends/backend.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { createBackend } from '../../dist/backends/registry.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { root } from '../../scripts/support/paths.mjs';
import { candidatesIn, POPULATION } from '../support/objectives.mjs';

const DIMENSION = 30;
const REPETITIONS = 11;
const MEASURE_MS = 30;
/** The slow ones evaluate fewer rows; rates are per evaluation all the same. */
const ROWS = { native: POPULATION, wasm: POPULATION, javascript: POPULATION, interpreter: 128, cpython: 512 };

function load({ file, bounds, compiled }) {
  const code = readFileSync(path.join(root, 'examples', file), 'utf8');
  const { source } = analyzeUpload(code, path.basename(file, '.py'));
  const takesAnyDimension = compiled && bounds.every((pair) => String(pair) === String(bounds[0]));
  const box = takesAnyDimension ? Array.from({ length: DIMENSION }, () => bounds[0]) : bounds;
  const inside = {
    lower: Float64Array.from(box, ([low]) => low),
    upper: Float64Array.from(box, ([, high]) => high),
  };
  const { ir } = compileObjective(source, { dimension: box.length, bounds: inside, pythonMinor: 11 });
  return {
    name: path.basename(file, '.py'),
    objective: { source, dimension: box.length, ir: ir && optimizeIr(ir) },
    candidates: candidatesIn(box),
  };
}

async function prepare(backend, { name, objective, candidates }, reference) {
  const kernel = await backend.open(objective);
  const rows = ROWS[backend.name];
  const batch = { candidates, count: rows, dimension: objective.dimension };
  const output = createOutput(rows);
  const evaluate = () => kernel.evaluate(batch, output);
  await evaluate();
  for (let i = 0; i < Math.min(rows, reference?.values.length ?? 0); i++) {
    const [found, expected] = [output.values[i], reference.values[i]];
    const agree =
      backend.name === 'cpython'
        ? reference.status[i] !== 0 || Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected))
        : Object.is(found, expected);
    if (!agree) throw new Error(`${name} on ${backend.name}: row ${i} is ${found}, not ${expected}`);
  }
  const started = performance.now();
  await evaluate();
  const rounds = Math.max(1, Math.round(MEASURE_MS / (performance.now() - started)));
  return { backend: backend.name, kernel, evaluate, rounds, rows, rates: [] };
}

async function measure({ evaluate, rounds, rows }) {
  const started = performance.now();
  for (let round = 0; round < rounds; round++) await evaluate();
  return (rounds * rows) / ((performance.now() - started) / 1000);
}

export async function run() {
  const python = process.env['PYTHON'] || '/usr/bin/python3';
  const opened = ['native', 'wasm', 'javascript', 'interpreter', 'cpython'].map((name) =>
    // As in a run's worker thread: evaluated in the calling thread.
    name === 'native' ? new NativeBackend({ threads: 1, offload: false }) : createBackend(name, { python }),
  );
  const available = [];
  for (const backend of opened) if ((await backend.probe()).available) available.push(backend);
  const results = [];
  for (const example of JSON.parse(readFileSync(path.join(root, 'examples', 'examples.json'), 'utf8'))) {
    const loaded = load(example);
    const { ir, dimension } = loaded.objective;
    let reference = null;
    if (ir !== null) {
      reference = createOutput(ROWS.interpreter);
      const kernel = await createBackend('interpreter').open(loaded.objective);
      await kernel.evaluate({ candidates: loaded.candidates, count: ROWS.interpreter, dimension }, reference);
      await kernel.close();
    }
    const cases = [];
    for (const backend of available) {
      if (ir !== null || backend.capabilities.input === 'python') cases.push(await prepare(backend, loaded, reference));
    }
    // Repetitions of all take turns, so that a busy moment of the machine meets everyone.
    for (let k = 0; k < REPETITIONS; k++) for (const entry of cases) entry.rates.push(await measure(entry));
    for (const { backend, kernel, rates } of cases) {
      rates.sort((a, b) => a - b);
      results.push({
        example: loaded.name,
        dimension,
        backend,
        evaluations_per_second_median: Math.round(rates[REPETITIONS >> 1]),
        evaluations_per_second_min: Math.round(rates[0]),
        evaluations_per_second_max: Math.round(rates.at(-1)),
      });
      await kernel.close();
    }
  }
  for (const backend of opened) await backend.close();
  return { name: 'examples', settings: { population: POPULATION, repetitions: REPETITIONS, threads: 1 }, results };
}
