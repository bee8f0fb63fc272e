/**
 * A process whose modules have faults, of which one at a time is there (`globalThis.seededFault`): compiles programs
 * and runs them with it, and says what came out. One request after the other; it asks its parent for CPython's answers.
 */
import { Session } from 'node:inspector/promises';
import { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { root } from '../support/paths.mjs';

const dist = (file) => import(pathToFileURL(path.join(root, 'dist', file)).href);
const PYTHON_MINOR = Number(process.env.MUTATE_PYTHON_MINOR ?? 11);
/** Rows of a run that are handed back. */
const MAX_LOGGED = 600;

let backendName = 'interpreter';
let session = null;

process.on('message', async (message) => {
  if (message.kind === 'answers') return waiting.get(message.id)?.(message.answers);
  try {
    process.send({ kind: 'done', result: await REQUESTS[message.kind](message) });
  } catch (error) {
    process.send({ kind: 'done', error: `${error?.name}: ${error?.message}`.slice(0, 300) });
  }
});

const waiting = new Map();
let questions = 0;
function ask(source, points, argument) {
  const id = ++questions;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    process.send({ kind: 'ask', id, source, points, argument });
  });
}

const REQUESTS = {
  /** `sources`: by the address of the module. */
  async begin({ sources, backend }) {
    globalThis.seededFault = -1;
    if (sources.size > 0) register('./loader.mjs', { parentURL: import.meta.url, data: sources });
    backendName = backend;
    await Promise.all([dist('frontend/compile.js'), dist('passes/pipeline.js'), dist('ir/interpreter.js')]);
    return null;
  },

  /** For each program its values and statuses, or why there are none. */
  async values({ fault, programs }) {
    const results = [];
    await forget();
    globalThis.seededFault = fault;
    for (const program of programs) results.push(await valuesOf(program));
    return results;
  },

  /** The same, with the parts of the files under `folders` that each program executes. */
  async cover({ programs, folders }) {
    session = new Session();
    session.connect();
    await valuesOf(programs[0]);
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const results = [];
    for (const program of programs) {
      await session.post('Profiler.takePreciseCoverage');
      const started = performance.now();
      const values = await valuesOf(program);
      values.ms = performance.now() - started;
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const files = result
        .filter(({ url }) => folders.some((folder) => url.includes(`/dist/${folder}`)))
        .map(({ url, functions }) => ({
          file: url.slice(url.indexOf('/dist/') + '/dist/'.length),
          // Three numbers for each range: where it starts and ends, and whether it ran.
          ranges: Int32Array.from(
            functions
              .filter(({ ranges }) => ranges[0].count > 0)
              .flatMap(({ ranges }) =>
                ranges.flatMap(({ startOffset, endOffset, count }) => [startOffset, endOffset, count > 0 ? 1 : 0]),
              ),
          ),
        }))
        .filter(({ ranges }) => ranges.length > 0);
      results.push({ values, files });
    }
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
    return results;
  },

  run: carryOutRun,
};

/** The front end keeps the last source, and what its module has made. */
async function forget() {
  globalThis.seededFault = -1;
  await compiled({ code: `def f(x):\n    return x[0] + ${++forgotten}\n`, bounds: [[0, 1]] });
}
let forgotten = 0;

async function compiled({ code, bounds }) {
  const { analyzeUpload, compileObjective } = await dist('frontend/compile.js');
  const { optimizeIr } = await dist('passes/pipeline.js');
  const { source, errors, vectorized } = analyzeUpload(code, 'f');
  if (source === null) return { refused: errors[0]?.message ?? 'refused' };
  if (vectorized) return { refused: 'in population form' };
  const { ir, reasons } = compileObjective(source, { dimension: bounds.length, pythonMinor: PYTHON_MINOR });
  return ir === null ? { refused: reasons[0]?.message ?? 'not compiled' } : { source, ir: optimizeIr(ir) };
}

async function valuesOf(program) {
  try {
    const made = await compiled(program);
    if ('refused' in made) return made;
    const { source, ir } = made;
    const { points } = program;
    const n = program.bounds.length;
    const candidates = Float64Array.from(points.flat());
    const output = { values: new Float64Array(points.length), status: new Uint8Array(points.length), failures: [] };
    if (backendName === 'interpreter') {
      const { interpretBatch } = await dist('ir/interpreter.js');
      interpretBatch(ir, { candidates, count: points.length, dimension: n }, output);
    } else {
      const backend = await makeBackend();
      const kernel = await backend.open({ source, dimension: n, ir });
      await kernel.evaluate({ candidates, count: points.length, dimension: n }, output);
      await kernel.close();
    }
    return { source, values: output.values, status: output.status };
  } catch (error) {
    return { refused: `${error?.name}: ${error?.message}`.slice(0, 200) };
  }
}

/** `native-code`: machine code from the first evaluation on. */
async function makeBackend() {
  switch (backendName) {
    case 'wasm':
      return new (await dist('backends/wasm/wasm-backend.js')).WasmBackend({});
    case 'javascript':
      return new (await dist('backends/javascript/javascript-backend.js')).JavaScriptBackend();
    case 'interpreter':
      return new (await dist('backends/interpreter/interpreter-backend.js')).InterpreterBackend();
    default: {
      const { NativeBackend } = await dist('backends/native/native-backend.js');
      return new NativeBackend({ tier: backendName === 'native' ? 'vm' : 'native-code', threads: 1, offload: false });
    }
  }
}

/** A kernel that has CPython's answers from the parent. `argument`: as `ArgumentChoice` of the service's processes. */
function pythonKernel(source, argument) {
  return {
    backend: 'cpython',
    device: 'CPython',
    async evaluate(batch, output) {
      const { candidateOf } = await dist('model/candidate-batch.js');
      output.failures.length = 0;
      const points = Array.from({ length: batch.count }, (_, k) => Array.from(candidateOf(batch, k)));
      (await ask(source, points, argument)).forEach((answer, index) => {
        output.values[index] = answer.values?.[0] ?? NaN;
        output.status[index] = answer.failure === undefined ? 0 : 255;
        if (answer.failure !== undefined) output.failures.push({ ...answer.failure, index });
      });
    },
    async close() {},
  };
}

/**
 * A run as a worker thread of the service carries it out: what it ends with, and which candidates compiled code valued.
 */
async function carryOutRun({ fault, program, evaluations, seed, isChecked }) {
  await forget();
  globalThis.seededFault = fault;
  const made = await compiled(program);
  if ('refused' in made) return made;
  const { source } = made;
  const [{ BACKENDS }, { carryOut }, { serveKernel }, { candidateOf }] = await Promise.all([
    dist('backends/registry.js'),
    dist('runs/run-worker.js'),
    dist('backends/remote-kernel.js'),
    dist('model/candidate-batch.js'),
  ]);
  const log = [];
  let isFirst = true;
  const logging = (kernel) => ({
    ...kernel,
    backend: kernel.backend,
    device: kernel.device,
    close: () => kernel.close(),
    async evaluate(batch, output, signal) {
      await kernel.evaluate(batch, output, signal);
      for (let k = 0; k < batch.count && log.length < MAX_LOGGED; k++) {
        if (output.status[k] !== 0) continue;
        log.push({
          x: Array.from(candidateOf(batch, k)),
          value: output.values[k],
        });
      }
    },
  });
  const create = () => {
    const backend = makeBackend();
    return {
      name: backendName,
      capabilities: { input: 'ir', precision: 'f64', arithmetic: 'exact' },
      probe: async () => (await backend).probe(),
      async open(objective) {
        const kernel = await (await backend).open(objective);
        if (!isFirst) return kernel;
        isFirst = false;
        return logging(kernel);
      },
      close: async () => (await backend).close(),
    };
  };
  BACKENDS.splice(0, BACKENDS.length, { name: backendName, input: 'ir', create });
  const ports = [new MessageChannel(), new MessageChannel()];
  const [reports, python] = ports;
  reports.port1.on('message', () => {});
  const open = async () => pythonKernel(source, 'given');
  const server = serveKernel(python.port1, open, 1, isChecked ? pythonKernel(source, 'checked') : undefined);
  const control = new Int32Array(new SharedArrayBuffer(8));
  const started = performance.now();
  const result = await carryOut({
    task: {
      bounds: program.bounds,
      maxEvaluations: evaluations,
      seed,
      direction: 'minimize',
      mode: 'balanced',
      timeoutSeconds: 20,
    },
    source,
    pythonMinor: PYTHON_MINOR,
    math: 'exact',
    blackBox: false,
    checkpoint: null,
    knowledge: null,
    starts: null,
    extension: null,
    control,
    threads: 1,
    reports: reports.port2,
    python: { port: python.port2 },
    unchecked: isChecked ? null : 'setting',
    misread: null,
    earlierSeconds: 0,
  });
  const seconds = (performance.now() - started) / 1000;
  await server.close();
  for (const { port1, port2 } of ports) {
    port1.close();
    port2.close();
  }
  const { kind, outcome, misreading, code, message } = result;
  // The oracle is always there: a run that did not reach it says nothing of the faults.
  if (isChecked && outcome?.verified?.reason === 'no_interpreter') {
    throw new Error('the run was not connected to the process that confirms its values');
  }
  return {
    kind,
    seconds,
    log,
    ...(outcome && {
      reason: outcome.terminationReason,
      best: outcome.bestFitness,
      solution: outcome.bestSolution === null ? null : Array.from(outcome.bestSolution ?? []),
      verified: outcome.verified ?? null,
    }),
    ...(misreading && { misreading: { evaluation: misreading.evaluation, message: misreading.message } }),
    ...(code && { failure: `${code}: ${message}` }),
  };
}
