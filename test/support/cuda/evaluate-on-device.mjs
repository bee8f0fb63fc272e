/**
 * Evaluates objectives with the CUDA backend in a process of its own: `node evaluate-on-device.mjs JOB`, JOB as JSON
 * {programs: [{name, code, dimension, reading}], counts, times, options, threads, cancel}. Prints one line of JSON:
 * what `probe` says, and for each program, count and time either whether the bits are the interpreter's, or the error
 * and whether the CPU then gives those bits in the same arrays.
 *
 * `times`: so often is each batch evaluated, in rows first, then in tiles, and so on. `reading`: what the engine
 * derives from the program (`src/model/reading.ts`); absent: the value. `threads`: so many worker threads do the whole
 * job at once; absent: the main thread does. `cancel`: the first program is evaluated in a worker until another thread
 * ends it.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createOutputWithLines } from '../../../dist/backends/backend.js';
import { CudaBackend } from '../../../dist/backends/cuda/cuda-backend.js';
import { InterpreterBackend } from '../../../dist/backends/interpreter/interpreter-backend.js';
import { WasmBackend } from '../../../dist/backends/wasm/wasm-backend.js';
import { ExtremumError } from '../../../dist/common/errors.js';
import { openProgram } from '../../../dist/evaluation/derived-programs.js';
import { analyzeUpload, compileObjective } from '../../../dist/frontend/compile.js';
import { resultsOf } from '../../../dist/ir/types.js';
import { toTiles } from '../../../dist/model/tiles.js';
import { optimizeIr } from '../../../dist/passes/pipeline.js';

const job = isMainThread ? JSON.parse(process.argv[2]) : workerData;

async function compiled({ code, dimension, reading }) {
  const { source } = analyzeUpload(code, '');
  const { ir } = compileObjective(source, { dimension, pythonMinor: 12 });
  const own = optimizeIr(ir);
  if (reading === undefined) return { source, dimension, ir: own };
  const box = { lower: new Float64Array(dimension).fill(-10), upper: new Float64Array(dimension).fill(10) };
  const derived = await openProgram(own, 'minimize', box, async (program) => program).open(reading);
  return { source, dimension: derived.dimension, ir: derived };
}

/** Ordinary numbers, and now and then one that makes trouble. */
function candidatesOf(count, dimension) {
  let state = 12345;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
  const special = [0, -0, NaN, Infinity, -Infinity, 1e308, 5e-324];
  return Float64Array.from({ length: count * dimension }, () =>
    next() < 0.02 ? special[Math.floor(next() * special.length)] : 20 * next() - 10,
  );
}

async function evaluateOn(backend, objective, batch, output) {
  const kernel = await backend.open(objective);
  try {
    await kernel.evaluate(batch, output);
  } finally {
    await kernel.close();
  }
}

function difference(found, wanted) {
  const bits = ({ values }) => new BigUint64Array(values.buffer, values.byteOffset, values.length);
  const [mine, theirs] = [bits(found), bits(wanted)];
  for (let k = 0; k < mine.length; k++) {
    if (mine[k] !== theirs[k]) return `value ${k}: ${found.values[k]}, not ${wanted.values[k]}`;
  }
  for (let i = 0; i < found.status.length; i++) {
    const show = ({ status, lines }) => `status ${status[i]}, line ${lines[i]}`;
    if (show(found) !== show(wanted)) return `candidate ${i}: ${show(found)}, not ${show(wanted)}`;
  }
  return null;
}

function describe(error) {
  if (!(error instanceof ExtremumError)) throw error;
  const { code, message, retryable, facts } = error;
  return { code, message, retryable, facts };
}

async function evaluateAll() {
  const backend = new CudaBackend(job.options);
  const availability = await backend.probe();
  const results = [];
  for (const program of job.programs) {
    const objective = await compiled(program);
    let kernel = null;
    let opening = null;
    try {
      kernel = await backend.open(objective);
    } catch (error) {
      opening = describe(error);
    }
    for (const count of job.counts) {
      const { dimension } = objective;
      const batch = { candidates: candidatesOf(count, dimension), count, dimension };
      const tiles = { ...batch, candidates: toTiles(batch.candidates, count, dimension), layout: 'tiles' };
      const fresh = () => createOutputWithLines(count, resultsOf(objective.ir));
      const wanted = fresh();
      await evaluateOn(new InterpreterBackend(), objective, batch, wanted);
      const output = fresh();
      for (let time = 0; time < (job.times ?? 1); time++) {
        const result = { name: program.name, count, device: kernel?.device };
        try {
          if (opening !== null) throw opening;
          await kernel.evaluate(time % 2 === 0 ? batch : tiles, output);
          result.difference = difference(output, wanted);
        } catch (error) {
          result.error = error === opening ? opening : describe(error);
          await evaluateOn(new WasmBackend(), objective, batch, output);
          result.differenceOnCpu = difference(output, wanted);
        }
        results.push(result);
      }
    }
    await kernel?.close();
  }
  await backend.close();
  return { availability, results };
}

/** A worker's evaluation ends when this thread sets its flag, which it does once the worker has begun. */
function cancelFromOutside() {
  const cells = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { ...job, cells, threads: undefined } });
  return new Promise((resolve, reject) => {
    worker.on('message', (message) => {
      if (message === 'begins') Atomics.store(cells, 0, 1);
      else resolve(message);
    });
    worker.on('error', reject);
  });
}

async function evaluateUntilCancelled() {
  const objective = await compiled(job.programs[0]);
  const count = job.counts[0];
  const batch = { candidates: candidatesOf(count, objective.dimension), count, dimension: objective.dimension };
  const output = createOutputWithLines(count, resultsOf(objective.ir));
  const kernel = await new CudaBackend({ ...job.options, cancelFlag: job.cells }).open(objective);
  let rounds = 0;
  try {
    parentPort.postMessage('begins');
    for (;;) {
      await kernel.evaluate(batch, output);
      rounds++;
    }
  } catch (error) {
    const again = createOutputWithLines(count, resultsOf(objective.ir));
    Atomics.store(job.cells, 0, 0);
    await kernel.evaluate(batch, again);
    const wanted = createOutputWithLines(count, resultsOf(objective.ir));
    await evaluateOn(new InterpreterBackend(), objective, batch, wanted);
    await kernel.close();
    return { error: describe(error), rounds, differenceAfterwards: difference(again, wanted) };
  }
}

async function inThreads(count) {
  const results = Array.from({ length: count }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...job, threads: undefined } });
    return new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
  });
  return Promise.all(results);
}

if (!isMainThread) {
  parentPort.postMessage(await (job.cells === undefined ? evaluateAll() : evaluateUntilCancelled()));
} else {
  const work = job.cancel ? cancelFromOutside() : job.threads === undefined ? evaluateAll() : inThreads(job.threads);
  console.log(JSON.stringify(await work));
}
