/**
 * Evaluations per second of the backends for compiled objectives, on programs built by hand: D = 30, row-major candidates,
 * everything within one call of `evaluate`. One row per objective and backend; the answers are compared in every bit with
 * the interpreter's. `median_cpu_...` counts the time that our threads had a processor, per thread: it holds still on a
 * busy machine, where wall time measures the neighbours.
 */
import { createOutput } from '../../dist/backends/backend.js';
import { InterpreterBackend } from '../../dist/backends/interpreter/interpreter-backend.js';
import { JavaScriptBackend } from '../../dist/backends/javascript/javascript-backend.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { loadAddon } from '../../dist/backends/native/addon.js';
import { IrBuilder } from '../../dist/ir/builder.js';

const DIMENSION = 30;
const POPULATION = 4096;
const REPETITIONS = 15;
const MEASURE_MS = 40;
/** The interpreter is slow: it evaluates, and defines the answers of, this many. */
const REFERENCE_ROWS = 128;

function rosenbrock() {
  const b = new IrBuilder('rosenbrock', DIMENSION);
  let sum = b.const(0);
  for (let i = 0; i + 1 < DIMENSION; i++) {
    const [x, y] = [b.x(i), b.x(i + 1)];
    const u = b.op('sub', y, b.op('mul', x, x));
    const v = b.op('sub', b.const(1), x);
    sum = b.op('add', sum, b.op('add', b.op('mul', b.const(100), b.op('mul', u, u)), b.op('mul', v, v)));
  }
  return b.finish(sum);
}

function rastrigin() {
  const b = new IrBuilder('rastrigin', DIMENSION);
  let sum = b.const(10 * DIMENSION);
  for (let i = 0; i < DIMENSION; i++) {
    const x = b.x(i);
    const wave = b.op('mul', b.const(10), b.op('cos', b.op('mul', b.const(2 * Math.PI), x)));
    sum = b.op('add', sum, b.op('sub', b.op('mul', x, x), wave));
  }
  return b.finish(sum);
}

function ackley() {
  const b = new IrBuilder('ackley', DIMENSION);
  let squares = b.const(0);
  let waves = b.const(0);
  for (let i = 0; i < DIMENSION; i++) {
    const x = b.x(i);
    squares = b.op('add', squares, b.op('mul', x, x));
    waves = b.op('add', waves, b.op('cos', b.op('mul', b.const(2 * Math.PI), x)));
  }
  const root = b.op('sqrt', b.op('div', squares, b.const(DIMENSION)));
  const first = b.op('mul', b.const(-20), b.op('exp', b.op('mul', b.const(-0.2), root)));
  const second = b.op('exp', b.op('div', waves, b.const(DIMENSION)));
  return b.finish(b.op('add', b.op('add', b.op('sub', first, second), b.const(20)), b.const(Math.E)));
}

/** In [-5, 5], the same every time. */
function candidates() {
  let state = 1;
  return Float64Array.from({ length: POPULATION * DIMENSION }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * 10 - 5;
  });
}

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
    { name: 'javascript', threads: 1, rows: POPULATION, backend: new JavaScriptBackend() },
    { name: 'interpreter', threads: 1, rows: REFERENCE_ROWS, backend: new InterpreterBackend() },
  ];
};

const objectiveOf = (ir) => ({ source: { code: '', entry: null, argument: 'list' }, dimension: DIMENSION, ir });

async function prepare(fn, contender, all, reference) {
  const kernel = await contender.backend.open(objectiveOf(fn));
  const batch = { candidates: all, count: contender.rows, dimension: DIMENSION };
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
  const { user, system } = process.cpuUsage(cpu);
  const evaluations = (rounds * contender.rows) / 1000;
  return { wall: evaluations / elapsedMs, cpu: (evaluations * 1000 * contender.threads) / (user + system) };
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const rounded = (value) => Number(value.toPrecision(4));

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
        median_million_per_s: rounded(median(wall)),
        worst_million_per_s: rounded(Math.min(...wall)),
        best_million_per_s: rounded(Math.max(...wall)),
        median_cpu_million_per_s: rounded(median(rates.map((rate) => rate.cpu))),
      });
      await kernel.close();
    }
  }
  return {
    name: 'backends',
    settings: { dimension: DIMENSION, population: POPULATION, repetitions: REPETITIONS, layout: 'row-major' },
    results,
  };
}
