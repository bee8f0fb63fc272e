/**
 * What a gradient costs: the time of the program that gives value and gradient, in values, on the virtual machine (it runs
 * both; machine code is made of plain values only), for one candidate and for batches. Differences cost n + 1 values.
 */
import { readFileSync } from 'node:fs';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { createOutput } from '../../dist/backends/backend.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { resultsOf } from '../../dist/ir/types.js';
import { differentiate } from '../../dist/passes/gradient/differentiate.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { cpuSeconds, median, rounded } from '../support/statistics.mjs';

/** Files of examples/. */
const OBJECTIVES = Object.fromEntries(
  ['rosenbrock', 'rastrigin', 'ackley', 'griewank', 'levy', 'schwefel'].map((name) => {
    const code = readFileSync(new URL(`../../examples/${name}.py`, import.meta.url), 'utf8');
    return [name, analyzeUpload(code, name).source];
  }),
);
const DIMENSIONS = [30, 1000];
const COUNTS = [1, 512];
const REPETITIONS = 15;
const SECONDS = 0.01;

async function measure(backend, source, dimension, count) {
  const { ir: raw } = compileObjective(source, { dimension, pythonMinor: 11 });
  const value = optimizeIr(raw);
  const gradient = optimizeIr(differentiate(value));
  const candidates = Float64Array.from({ length: count * dimension }, (_, k) => Math.sin(12.9898 * k) * 2);
  const batch = { candidates, count, dimension };
  const sides = [];
  for (const ir of [value, gradient]) {
    const kernel = await backend.open({ source, dimension, ir });
    const output = createOutput(count, resultsOf(ir));
    await kernel.evaluate(batch, output);
    sides.push({ kernel, output, times: [] });
  }
  check(sides, count, dimension);
  let rounds = 1;
  for (let k = 0; k < REPETITIONS; k++) {
    for (const side of sides) {
      const start = process.cpuUsage();
      for (let r = 0; r < rounds; r++) await side.kernel.evaluate(batch, side.output);
      const seconds = cpuSeconds(start);
      side.times.push(seconds / rounds);
      if (k === 0 && side === sides[0]) rounds = Math.max(1, Math.ceil(SECONDS / seconds));
    }
  }
  const [plain, both] = sides.map(({ times }) => median(times.slice(1)));
  for (const { kernel } of sides) await kernel.close();
  return {
    values: rounded(both / plain),
    value_ns: rounded((plain / count) * 1e9),
    ir_values: value.types.length,
    gradient_ir_values: gradient.types.length,
  };
}

/** The program with the gradient has the value's own bits; the gradient itself: scripts/check-gradients.mjs. */
function check([plain, both], count, n) {
  const width = n + 1;
  for (let k = 0; k < count; k++) {
    const value = plain.output.values[k];
    if (!Object.is(value, both.output.values[k * width])) throw new Error(`row ${k}: another value with the gradient`);
  }
}

export async function run() {
  const results = [];
  const backend = new NativeBackend({ threads: 1, tier: 'vm' });
  await backend.probe();
  for (const count of COUNTS) {
    for (const dimension of DIMENSIONS) {
      for (const [objective, source] of Object.entries(OBJECTIVES)) {
        results.push({ objective, dimension, count, ...(await measure(backend, source, dimension, count)) });
      }
    }
  }
  await backend.close();
  return { name: 'gradients', settings: { repetitions: REPETITIONS, threads: 1 }, results };
}
