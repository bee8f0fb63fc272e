/**
 * Counted loops that stay loops against the same program with every round written out, on the same kernel: one thread,
 * processor time, the two forms in turns, medians over the repetitions. Answers are compared in every bit first.
 *
 * `rolled_speed` is the speed of the loop in units of the unrolled program; `first_ms` the time from the program to the
 * first 256 values, which is where loops pay: it grows with the rounds only where they are written out.
 */
import { createOutput } from '../../dist/backends/backend.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { WasmBackend } from '../../dist/backends/wasm/wasm-backend.js';
import { JavaScriptBackend } from '../../dist/backends/javascript/javascript-backend.js';
import { IrBuilder } from '../../dist/ir/builder.js';
import { addForms, constantForm, formOf } from '../../dist/ir/index-form.js';
import { objectiveOf } from '../support/objectives.mjs';
import { cpuSeconds, median, rounded } from '../support/statistics.mjs';

const REPETITIONS = 15;
const MEASURE_MS = 30;
const DIMENSIONS = [30, 100, 1000];

/**
 * A sum over `count(i, ...)` rounds, as loops or written out. `term(b, x, indices)`: `x(offset, k)` is x[indices[k] +
 * offset].
 */
function sumOver(name, n, rolled, start, counts, term) {
  const b = new IrBuilder(name, n);
  if (rolled) {
    const nest = (indices, total) => {
      if (indices.length === counts.length) {
        const x = (offset, k) => b.load(b.candidate(), addForms(formOf(indices[k]), constantForm(offset)));
        return b.op('add', total, term(b, x));
      }
      const outer = indices.at(-1);
      const count = counts[indices.length];
      const form = typeof count === 'number' ? constantForm(count) : formOf(outer);
      return b.for(form, [total], (i, [inner]) => [nest([...indices, i], inner)])[0];
    };
    return b.finish(nest([], b.const(start)));
  }
  const nest = (indices, total) => {
    if (indices.length === counts.length)
      return b.op(
        'add',
        total,
        term(b, (offset, k) => b.x(indices[k] + offset)),
      );
    const count = counts[indices.length];
    let sum = total;
    for (let i = 0; i < (typeof count === 'number' ? count : indices.at(-1)); i++) sum = nest([...indices, i], sum);
    return sum;
  };
  return b.finish(nest([], b.const(start)));
}

const OBJECTIVES = {
  rosenbrock: (n, rolled) =>
    sumOver('rosenbrock', n, rolled, 0, [n - 1], (b, x) => {
      const u = b.op('sub', x(1, 0), b.op('mul', x(0, 0), x(0, 0)));
      const v = b.op('sub', b.const(1), x(0, 0));
      return b.op('add', b.op('mul', b.const(100), b.op('mul', u, u)), b.op('mul', v, v));
    }),
  rastrigin: (n, rolled) =>
    sumOver('rastrigin', n, rolled, 10 * n, [n], (b, x) => {
      const wave = b.op('cos', b.op('mul', b.const(2 * Math.PI), x(0, 0)));
      return b.op('sub', b.op('mul', x(0, 0), x(0, 0)), b.op('mul', b.const(10), wave));
    }),
  pairs: (n, rolled) =>
    n > 100
      ? null
      : sumOver('pairs', n, rolled, 0, [n, 'outer'], (b, x) => {
          const d = b.op('sub', x(0, 0), x(0, 1));
          return b.op('mul', d, d);
        }),
};

const BACKENDS = {
  vm: () => new NativeBackend({ threads: 1, offload: false, tier: 'vm' }),
  'native code': () => new NativeBackend({ threads: 1, offload: false, tier: 'native-code' }),
  wasm: () => new WasmBackend(),
  javascript: () => new JavaScriptBackend(),
};

async function compare(name, n, backendName) {
  const count = Math.max(256, Math.min(4096, Math.floor(2 ** 17 / n)));
  let state = 7;
  const random = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const batch = { candidates: Float64Array.from({ length: count * n }, () => 4 * random() - 2), count, dimension: n };
  const forms = [];
  for (const rolled of [false, true]) {
    const first = [];
    let kernel, output;
    for (let k = 0; k < 3; k++) {
      const start = process.cpuUsage();
      kernel = await BACKENDS[backendName]().open(objectiveOf(OBJECTIVES[name](n, rolled)));
      output = createOutput(count);
      await kernel.evaluate({ ...batch, count: 256 }, output);
      first.push(cpuSeconds(start));
    }
    if (backendName === 'native code' && !kernel.device.includes('native code')) return null;
    await kernel.evaluate(batch, output);
    const start = process.cpuUsage();
    await kernel.evaluate(batch, output);
    const rounds = Math.max(1, Math.ceil(MEASURE_MS / 1000 / Math.max(1e-6, cpuSeconds(start))));
    forms.push({ kernel, output, rounds, times: [], first: median(first) });
  }
  const [unrolled, rolled] = forms;
  rolled.output.values.forEach((value, i) => {
    if (!Object.is(value, unrolled.output.values[i])) throw new Error(`${name}, ${backendName}: row ${i} differs`);
  });
  for (let k = 0; k < REPETITIONS; k++) {
    for (const form of forms) {
      const start = process.cpuUsage();
      for (let round = 0; round < form.rounds; round++) await form.kernel.evaluate(batch, form.output);
      form.times.push(cpuSeconds(start) / form.rounds);
    }
  }
  for (const { kernel } of forms) await kernel.close();
  const perSecond = ({ times }) => rounded(count / median(times) / 1e6);
  return {
    objective: name,
    dimension: n,
    backend: backendName,
    unrolled_million_per_s: perSecond(unrolled),
    rolled_million_per_s: perSecond(rolled),
    rolled_speed: rounded(median(rolled.times.map((time, k) => unrolled.times[k] / time))),
    unrolled_first_ms: rounded(unrolled.first * 1000),
    rolled_first_ms: rounded(rolled.first * 1000),
  };
}

export async function run() {
  const results = [];
  for (const name of Object.keys(OBJECTIVES)) {
    for (const n of DIMENSIONS) {
      if (OBJECTIVES[name](n, true) === null) continue;
      for (const backend of Object.keys(BACKENDS)) {
        const row = await compare(name, n, backend);
        if (row !== null) results.push(row);
      }
    }
  }
  return { name: 'rolled', results, settings: { repetitions: REPETITIONS, threads: 1, first_rows: 256 } };
}
