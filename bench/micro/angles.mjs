/**
 * Sine, cosine and tangent: nanoseconds of processor time per call, of angles up to 411,775 (`common`) and of any size
 * (`far`, uniform in the exponent), on each backend; one thread, D = 30, 4,096 candidates. `sum of sin` adds one call
 * for each coordinate; `bounded` is compiled for bounds, `open` without any.
 *
 * EXTREMUM_BENCH_BASE: the folder of another tree, built, whose figures are to be compared. Both take turns within a
 * repetition; `ratio` is the median of base's time over ours (above 1: we are faster). The base's far angles are left
 * out: it flags them. Common values of both must be equal in every bit.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/support/paths.mjs';
import { cpuSeconds, median, rounded } from '../support/statistics.mjs';

const DIMENSION = 30;
const POPULATION = 4096;
const REPETITIONS = 21;
const MEASURE_MS = 20;

const source = (name) => `import math\n\ndef f(x):\n    return sum(math.${name}(v) for v in x)\n`;

async function load(folder) {
  const module = (file) => import(pathToFileURL(path.join(folder, 'dist', file)).href);
  const [{ compileObjective }, { NativeBackend }, { WasmBackend }, { JavaScriptBackend }, { createOutput }] =
    await Promise.all([
      module('frontend/compile.js'),
      module('backends/native/native-backend.js'),
      module('backends/wasm/wasm-backend.js'),
      module('backends/javascript/javascript-backend.js'),
      module('backends/backend.js'),
    ]);
  return { compileObjective, NativeBackend, WasmBackend, JavaScriptBackend, createOutput };
}

const BACKENDS = {
  'native code': (tree) => new tree.NativeBackend({ threads: 1, offload: false, tier: 'native-code' }),
  'native code fast': (tree) =>
    new tree.NativeBackend({ threads: 1, offload: false, tier: 'native-code', math: 'fast' }),
  vm: (tree) => new tree.NativeBackend({ threads: 1, offload: false, tier: 'vm' }),
  webassembly: (tree) => new tree.WasmBackend(),
  javascript: (tree) => new tree.JavaScriptBackend(),
};

/** Uniform in [-10, 10]; far: uniform in the exponent, of either sign. */
function candidates(isFar) {
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const far = () => (random() < 0.5 ? -1 : 1) * (1 + random()) * 2 ** (20 + Math.floor(1000 * random()));
  return Float64Array.from({ length: POPULATION * DIMENSION }, () => (isFar ? far() : 20 * random() - 10));
}

async function open(tree, backend, name, bounds, all) {
  const code = source(name);
  const objective = { code, entry: 'f', argument: 'list' };
  const compiled = tree.compileObjective(objective, {
    dimension: DIMENSION,
    pythonMinor: 11,
    ...(bounds && { bounds }),
  });
  if (compiled.ir === null) throw new Error(`${name} does not compile`);
  const kernel = await BACKENDS[backend](tree).open({ source: objective, dimension: DIMENSION, ir: compiled.ir });
  const output = tree.createOutput(POPULATION);
  const batch = { candidates: all, count: POPULATION, dimension: DIMENSION };
  for (let k = 0; k < 3; k++) await kernel.evaluate(batch, output);
  return {
    output,
    async seconds(rounds) {
      const start = process.cpuUsage();
      for (let round = 0; round < rounds; round++) await kernel.evaluate(batch, output);
      return cpuSeconds(start) / rounds;
    },
  };
}

async function measure(trees, backend, name, kind, bounds) {
  const all = candidates(kind === 'far');
  const kernels = await Promise.all(trees.map((tree) => open(tree, backend, name, bounds, all)));
  for (const { output } of kernels) {
    if (output.status.some((status) => status !== 0)) throw new Error(`${backend} flags ${kind} angles of ${name}`);
  }
  if (kernels.length > 1 && backend !== 'native code fast') {
    const [ours, base] = kernels.map(({ output }) =>
      Buffer.from(output.values.buffer, output.values.byteOffset, output.values.byteLength),
    );
    if (!ours.equals(base)) throw new Error(`${backend}: other bits of ${name}`);
  }
  const rounds = Math.max(1, Math.ceil(MEASURE_MS / 1000 / Math.max(await kernels[0].seconds(1), 1e-6)));
  const times = kernels.map(() => []);
  for (let k = 0; k < REPETITIONS; k++) {
    for (const [i, kernel] of kernels.entries()) times[i].push(await kernel.seconds(rounds));
  }
  const [ours, base] = times;
  const nanoseconds = (seconds) => rounded((seconds * 1e9) / (POPULATION * DIMENSION));
  return {
    function: name,
    angles: kind,
    compiled: bounds ? 'bounded' : 'open',
    backend,
    ns_per_call: nanoseconds(median(ours)),
    ...(base && {
      base_ns_per_call: nanoseconds(median(base)),
      ratio: rounded(median(ours.map((time, k) => base[k] / time))),
    }),
  };
}

export async function run() {
  const ours = await load(root);
  const folder = process.env.EXTREMUM_BENCH_BASE;
  const base = folder ? await load(path.resolve(folder)) : null;
  const results = [];
  const bounds = { lower: new Float64Array(DIMENSION).fill(-10), upper: new Float64Array(DIMENSION).fill(10) };
  for (const name of ['sin', 'cos', 'tan']) {
    for (const backend of Object.keys(BACKENDS)) {
      const both = base ? [ours, base] : [ours];
      results.push(await measure(both, backend, name, 'common', bounds));
      results.push(await measure(both, backend, name, 'common', null));
      results.push(await measure([ours], backend, name, 'far', null));
    }
  }
  return {
    name: 'angles',
    settings: {
      dimension: DIMENSION,
      population: POPULATION,
      repetitions: REPETITIONS,
      threads: 1,
      base: base !== null,
    },
    results,
  };
}
