/**
 * What a gradient costs: the time of the program that gives value and gradient, in values, both in machine code, for
 * one candidate (as quasi-Newton descents ask for them) and for batches. Differences cost n + 1 values. `bounded`:
 * where all coordinates are known to lie within [-5, 5], checks for overflow are left out, and a value is least.
 *
 * `vm_values`: the same on the virtual machine alone; `vm_gradient_in_values`: a gradient of the virtual machine in
 * values of machine code. Of one candidate also the calls after which machine code has made up for being compiled.
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
/** A quadratic form with a captured matrix, and a least-squares fit to captured data. */
const WRITTEN = {
  'quadratic form': `
def f(x):
    n = len(x)
    a = [[1.0 / (1 + i + j) for j in range(n)] for i in range(n)]
    return sum(x[i] * a[i][j] * x[j] for i in range(n) for j in range(n))
`,
  'least squares': `
import math
def f(x):
    n = len(x)
    t = [0.05 * k for k in range(40)]
    s = 0.0
    for k in range(40):
        r = math.sin(t[k])
        for i in range(n):
            r -= x[i] * math.exp(-0.1 * i) * math.cos(0.3 * i * t[k])
        s += r * r
    return s
`,
};
for (const [name, code] of Object.entries(WRITTEN)) OBJECTIVES[name] = analyzeUpload(code, 'f').source;
/** Beyond that, the matrix has a million numbers. */
const MOST_COORDINATES = { 'quadratic form': 100 };
const DIMENSIONS = [30, 1000];
const COUNTS = [1, 512];
const REPETITIONS = 15;
const SECONDS = 0.004;

async function measure(source, dimension, count, isBounded) {
  const [lower, upper] = [-5, 5].map((end) => new Float64Array(dimension).fill(end));
  const bounds = isBounded ? { lower, upper } : undefined;
  const { ir: raw } = compileObjective(source, { dimension, pythonMinor: 11, bounds });
  const value = optimizeIr(raw);
  const gradient = optimizeIr(differentiate(value));
  const candidates = Float64Array.from({ length: count * dimension }, (_, k) => Math.sin(12.9898 * k) * 2);
  const batch = { candidates, count, dimension };
  const sides = [];
  for (const tier of ['vm', 'native-code']) {
    for (const ir of [value, gradient]) {
      // What a run that asks for one candidate at a time is given.
      const vectors = tier === 'native-code' && count === 1 ? 1 : 0;
      const backend = new NativeBackend({ threads: 1, offload: false, tier, vectors });
      const start = process.cpuUsage();
      const kernel = await backend.open({ source, dimension, ir });
      const opening = cpuSeconds(start);
      const output = createOutput(count, resultsOf(ir));
      await kernel.evaluate(batch, output);
      if (tier === 'native-code' && !kernel.device.endsWith('native code')) throw new Error(kernel.device);
      sides.push({ kernel, output, opening, times: [], rounds: 1 });
    }
  }
  check(sides, count, dimension);
  for (let k = 0; k <= REPETITIONS; k++) {
    for (const side of sides) {
      const start = process.cpuUsage();
      for (let r = 0; r < side.rounds; r++) await side.kernel.evaluate(batch, side.output);
      const seconds = cpuSeconds(start);
      if (k > 0) side.times.push(seconds / side.rounds);
      else side.rounds = Math.max(1, Math.ceil(SECONDS / seconds));
    }
  }
  const ratio = (a, b) => rounded(median(a.times.map((time, k) => time / b.times[k])));
  const [vmValue, vmGradient, codeValue, codeGradient] = sides;
  const times = sides.map((side) => median(side.times));
  for (const { kernel } of sides) await kernel.close();
  return {
    values: ratio(codeGradient, codeValue),
    value_ns: rounded((times[2] / count) * 1e9),
    gradient_ns: rounded((times[3] / count) * 1e9),
    vm_values: ratio(vmGradient, vmValue),
    vm_gradient_in_values: ratio(vmGradient, codeValue),
    vm_gradient_ns: rounded((times[1] / count) * 1e9),
    ...(count === 1 && {
      break_even_calls: Math.ceil(
        Math.max(0, codeGradient.opening - vmGradient.opening) / Math.max(1e-9, times[1] - times[3]),
      ),
    }),
    ir_values: value.types.length,
    gradient_ir_values: gradient.types.length,
  };
}

/**
 * All have the same bits, those of the value with the gradient too; the gradient itself: scripts/check-gradients.mjs.
 */
function check([vmValue, vmGradient, codeValue, codeGradient], count, n) {
  for (const [one, other, width] of [
    [vmValue, codeValue, 1],
    [vmGradient, codeGradient, n + 1],
  ]) {
    for (let k = 0; k < count * width; k++) {
      if (!Object.is(one.output.values[k], other.output.values[k]))
        throw new Error(`number ${k}: machine code differs`);
    }
  }
  for (let k = 0; k < count; k++) {
    const value = vmValue.output.values[k];
    if (!Object.is(value, vmGradient.output.values[k * (n + 1)]))
      throw new Error(`row ${k}: another value with the gradient`);
  }
}

export async function run() {
  const results = [];
  const { available, reason } = await new NativeBackend({ threads: 1 }).probe();
  if (!available) throw new Error(reason);
  for (const bounded of [false, true]) {
    for (const count of COUNTS) {
      for (const largest of DIMENSIONS) {
        for (const [objective, source] of Object.entries(OBJECTIVES)) {
          const dimension = Math.min(largest, MOST_COORDINATES[objective] ?? Infinity);
          const row = await measure(source, dimension, count, bounded);
          results.push({ objective, dimension, count, bounded, ...row });
        }
      }
    }
  }
  return { name: 'gradients', settings: { repetitions: REPETITIONS, threads: 1 }, results };
}
