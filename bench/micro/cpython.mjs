/**
 * What the CPython path costs beyond the objective itself, as in a run: the engine's side in a worker thread, the
 * processes on the main thread's. Four parts, told apart by `part`:
 *
 * - `overhead`: time per candidate above the objective's own, which the objective measures itself (so the two clock
 *   readings per call count as overhead). Batches of 1 to 1,000; the target is < 10 microseconds for 100. `above`: time
 *   on the wall, which a busy machine makes longer; `above_cpu`: processor time of both sides together, less the
 *   objective's undisturbed time.
 * - `reevaluation`: compiled code with a share of flagged candidates, which CPython evaluates again, against all of
 *   them in CPython: ratio of the times. Above 1 it pays to move a run to CPython altogether (FLAG_LIMIT in
 *   src/evaluation/batch-evaluator.ts).
 * - `processes`: several processes against one, for an objective of about 1 ms.
 * - `start`: from asking for a kernel to having it, with a warm spare and without.
 *
 * All answers are checked against the same sums in JavaScript.
 */
import { isMainThread, MessageChannel, parentPort, Worker, workerData } from 'node:worker_threads';
import { createOutput } from '../../dist/backends/backend.js';
import { createCPythonBackend } from '../../dist/backends/cpython/cpython-backend.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { InterpreterBackend } from '../../dist/backends/interpreter/interpreter-backend.js';
import { connectKernel, serveKernel } from '../../dist/backends/remote-kernel.js';
import { Evaluator } from '../../dist/evaluation/batch-evaluator.js';
import { compileObjective } from '../../dist/frontend/compile.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { fixed, median, quantile } from '../support/statistics.mjs';

const DIMENSION = 30;
const REPETITIONS = 301;
/** In this coordinate, a row that asks for the seconds spent in the objective so far, and sets them back. */
const ASK = 1e9;
/** The same for the processor time of the Python process. */
const ASK_CPU = 2e9;

const TIMED = `
from time import perf_counter, process_time
spent = [0.0]
def f(x):
    if x[0] == ${ASK}:
        total, spent[0] = spent[0], 0.0
        return total
    if x[0] == ${ASK_CPU}:
        return process_time()
    began = perf_counter()
    value = g(x)
    spent[0] += perf_counter() - began
    return value
`;

const square = (x) => x * x;
const OBJECTIVES = {
  sphere: {
    argument: 'list',
    code: 'def g(x):\n    s = 0.0\n    for v in x:\n        s += v * v\n    return s\n',
    expected: (x) => x.reduce((sum, v) => sum + v * v, 0),
  },
  rosenbrock: {
    argument: 'list',
    code: 'def g(x):\n    s = 0.0\n    for i in range(len(x) - 1):\n        s += 100.0 * (x[i + 1] - x[i] * x[i]) ** 2 + (1.0 - x[i]) ** 2\n    return s\n',
    expected: (x) => {
      let sum = 0;
      for (let i = 0; i + 1 < x.length; i++) sum += 100 * square(x[i + 1] - x[i] * x[i]) + square(1 - x[i]);
      return sum;
    },
  },
  numpy: {
    argument: 'ndarray',
    code: 'import numpy as np\ndef g(x):\n    return np.sum(x ** 2)\n',
    expected: (x) => x.reduce((sum, v) => sum + v * v, 0),
  },
};

/** In [-5, 5], the same every time. */
function candidates(count, dimension = DIMENSION) {
  let state = 1;
  return Float64Array.from({ length: count * dimension }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * 10 - 5;
  });
}

function check(what, output, batch, expected) {
  for (let i = 0; i < batch.count; i++) {
    const wanted = expected(Array.from(batch.candidates.subarray(i * batch.dimension, (i + 1) * batch.dimension)));
    const close = Math.abs(output.values[i] - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted));
    if (output.status[i] !== 0 || !close) throw new Error(`${what}: row ${i} is ${output.values[i]}, not ${wanted}`);
  }
}

// --- the engine's side

async function overhead(kernel, name) {
  const results = [];
  for (const count of [1, 10, 100, 1000]) {
    const batch = { candidates: candidates(count), count, dimension: DIMENSION };
    const [output, answer] = [createOutput(count), createOutput(1)];
    const ask = async (what) => {
      await kernel.evaluate(
        { candidates: new Float64Array(DIMENSION).fill(what), count: 1, dimension: DIMENSION },
        answer,
      );
      return answer.values[0] * 1e6;
    };
    const [own, above] = [[], []];
    for (let k = -20; k < REPETITIONS; k++) {
      await ask(ASK);
      const began = performance.now();
      await kernel.evaluate(batch, output);
      const microseconds = (performance.now() - began) * 1000;
      const spent = await ask(ASK);
      if (k < 0) continue;
      own.push(spent / count);
      above.push(microseconds / count - own.at(-1));
    }
    check(name, output, batch, OBJECTIVES[name].expected);
    const cpuBefore = await ask(ASK_CPU);
    const hereBefore = process.cpuUsage();
    for (let k = 0; k < REPETITIONS; k++) await kernel.evaluate(batch, output);
    const here = process.cpuUsage(hereBefore);
    const cpu = (await ask(ASK_CPU)) - cpuBefore + here.user + here.system;
    above.sort((a, b) => a - b);
    results.push({
      part: 'overhead',
      objective: name,
      batch: count,
      own_microseconds_median: fixed(median(own)),
      above_microseconds_median: fixed(above[REPETITIONS >> 1]),
      above_cpu_microseconds: fixed(cpu / (REPETITIONS * count) - quantile(own, 0.1)),
      above_microseconds_p10: fixed(above[Math.floor(REPETITIONS / 10)]),
      above_microseconds_p90: fixed(above[Math.floor(REPETITIONS * 0.9)]),
    });
  }
  return results;
}

const FLAGGED_DIMENSION = 10;
const FLAGGED_BATCH = 14;
/** Rows whose first coordinate is negative need an integer beyond 2**53, which only CPython has. */
const FLAGGING =
  'def f(x):\n    if x[0] < 0.0:\n        return float(int(x[1] * 1e20) % 1000)\n    s = 0.0\n    for i in range(len(x) - 1):\n' +
  '        u = x[i + 1] - x[i] * x[i]\n        v = 1.0 - x[i]\n        s += 100.0 * (u * u) + v * v\n    return s\n';
const flaggingSource = { code: FLAGGING, entry: 'f', argument: 'list' };

async function reevaluation(fallback) {
  const { ir } = compileObjective(flaggingSource, { dimension: FLAGGED_DIMENSION, pythonMinor: 11 });
  const native = new NativeBackend({ threads: 1, offload: false });
  const backend = (await native.probe()).available ? native : new InterpreterBackend();
  const primary = await backend.open({ source: flaggingSource, dimension: FLAGGED_DIMENSION, ir: optimizeIr(ir) });
  const moved = new Evaluator(primary, fallback, { windowEvaluations: 0, windowFlagged: 0, moveReason: 'measured' });
  const signal = new AbortController().signal;
  const results = [];
  for (const share of [0.02, 0.05, 0.25, 0.5, 0.75, 0.9, 1]) {
    // Flagged rows at random, so that at a small share most batches have none.
    const batches = Array.from({ length: 200 }, (_, k) => {
      const rows = candidates(FLAGGED_BATCH * (k + 1), FLAGGED_DIMENSION).slice(FLAGGED_BATCH * k * FLAGGED_DIMENSION);
      const draws = candidates(FLAGGED_BATCH * 200 + FLAGGED_BATCH * k, 1).slice(-FLAGGED_BATCH);
      draws.forEach((draw, row) => {
        const first = row * FLAGGED_DIMENSION;
        rows[first] = Math.abs(rows[first]) * ((draw + 5) / 10 < share ? -1 : 1);
      });
      return { candidates: rows, count: FLAGGED_BATCH, dimension: FLAGGED_DIMENSION };
    });
    let stay = 0;
    let move = 0;
    let flagged = 0;
    for (const batch of batches) {
      const staying = new Evaluator(primary, fallback); // a new one: its window never fills, so it never moves
      let began = performance.now();
      const values = Float64Array.from((await staying.evaluate(batch, signal)).subarray(0, batch.count));
      stay += performance.now() - began;
      flagged += staying.use().reevaluated;
      began = performance.now();
      const all = await moved.evaluate(batch, signal);
      move += performance.now() - began;
      for (let i = 0; i < batch.count; i++) {
        if (values[i] !== all[i]) throw new Error(`re-evaluation: row ${i} is ${values[i]}, in CPython ${all[i]}`);
      }
    }
    results.push({
      part: 'reevaluation',
      batch: FLAGGED_BATCH,
      flagged_share: fixed(flagged / (batches.length * FLAGGED_BATCH), 3),
      stay_to_move_ratio: fixed(stay / move),
    });
  }
  await primary.close();
  return results;
}

if (!isMainThread && workerData?.bench === 'cpython') {
  const { port, part, name } = workerData;
  const kernel = connectKernel(port);
  parentPort.postMessage(part === 'overhead' ? await overhead(kernel, name) : await reevaluation(kernel));
  await kernel.close();
}

// --- the main thread's side

async function inWorker(backend, objective, data) {
  const { port1, port2 } = new MessageChannel();
  const server = serveKernel(port1, () => backend.open(objective));
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { bench: 'cpython', port: port2, ...data },
    transferList: [port2],
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
    await server.close();
  }
}

async function processes(python, results) {
  const code = 'def f(x):\n    s = 0.0\n    for i in range(20000):\n        s += x[0] * i\n    return s\n';
  const objective = { source: { code, entry: 'f', argument: 'list' }, dimension: 1, ir: null };
  const batch = { candidates: candidates(64, 1), count: 64, dimension: 1 };
  const opened = [];
  for (const count of [1, 2]) {
    const backend = createCPythonBackend({ python, processesPerRun: count, spares: 0 });
    opened.push({ count, backend, kernel: await backend.open(objective), output: createOutput(64), times: [] });
  }
  for (let k = -10; k < 31; k++) {
    for (const { kernel, output, times } of opened) {
      const began = performance.now();
      await kernel.evaluate(batch, output);
      if (k >= 0) times.push(performance.now() - began);
    }
  }
  const [one, two] = opened;
  if (String(one.output.values) !== String(two.output.values))
    throw new Error('two processes give other values than one');
  check('processes', one.output, batch, ([x]) => {
    let sum = 0;
    for (let i = 0; i < 20000; i++) sum += x * i;
    return sum;
  });
  results.push({ part: 'processes', batch: 64, two_to_one_speedup: fixed(median(one.times) / median(two.times)) });
  for (const { kernel, backend } of opened) {
    await kernel.close();
    await backend.close();
  }
}

async function start(python, results) {
  const codes = {
    numpy: 'import numpy as np\ndef f(x):\n    return np.sum(x)\n',
    scipy:
      'import numpy as np\nfrom scipy.special import erf\nfrom scipy.integrate import quad\ndef f(x):\n    return np.sum(x) + erf(0.0)\n',
  };
  const batch = { candidates: Float64Array.of(1, 2), count: 1, dimension: 2 };
  for (const [name, code] of Object.entries(codes)) {
    const objective = { source: { code, entry: 'f', argument: 'ndarray' }, dimension: 2, ir: null };
    for (const spares of [0, 1]) {
      const backend = createCPythonBackend({ python, spares });
      const times = [];
      for (let k = -2; k < 7; k++) {
        // Time to become warm, between runs.
        await new Promise((resolve) => setTimeout(resolve, spares === 0 && k > 0 ? 0 : 1_500));
        const began = performance.now();
        const kernel = await backend.open(objective);
        if (k >= 0) times.push(performance.now() - began);
        const output = createOutput(1);
        await kernel.evaluate(batch, output);
        if (output.values[0] !== 3) throw new Error(`start: ${output.values[0]} instead of 3`);
        await kernel.close();
      }
      results.push({ part: 'start', objective: name, warm: spares > 0, open_ms_median: fixed(median(times), 1) });
      await backend.close();
    }
  }
}

export async function run() {
  const python = process.env['PYTHON'] || process.env['EXTREMUM_BENCH_PYTHON'] || '/usr/bin/python3';
  const backend = createCPythonBackend({ python, processesPerRun: 1 });
  const availability = await backend.probe();
  if (!availability.available) throw new Error(`CPython is not available: ${availability.reason}`);
  const results = [];
  for (const [name, { code, argument }] of Object.entries(OBJECTIVES)) {
    const objective = { source: { code: code + TIMED, entry: 'f', argument }, dimension: DIMENSION, ir: null };
    results.push(...(await inWorker(backend, objective, { part: 'overhead', name })));
  }
  const objective = { source: flaggingSource, dimension: FLAGGED_DIMENSION, ir: null };
  results.push(...(await inWorker(backend, objective, { part: 'reevaluation' })));
  await backend.close();
  await processes(python, results);
  await start(python, results);
  return {
    name: 'cpython',
    settings: { device: availability.device, dimension: DIMENSION, repetitions: REPETITIONS },
    results,
  };
}
