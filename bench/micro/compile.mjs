/**
 * From Python source to a program of the virtual machine: time of the front end, of the passes and of encoding, size of
 * the program, and what an evaluation costs, over the dimension. Times are medians in this process after a warm-up; the
 * cost of an evaluation is processor time of one thread. Every program's answers are compared with the interpreter's
 * first.
 *
 * Besides its results it draws bench/results/cost-by-dimension.svg: cost per candidate over D, both logarithmic, beside
 * the line of cost growing as D.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createOutput } from '../../dist/backends/backend.js';
import { encodeProgram } from '../../dist/backends/native/encode.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { compileObjective } from '../../dist/frontend/compile.js';
import { interpret } from '../../dist/ir/interpreter.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { root } from '../../scripts/support/paths.mjs';
import { cpuSeconds, median, rounded } from '../support/statistics.mjs';

const REPETITIONS = 9;
const CANDIDATES = 512;
const DIMENSIONS = [2, 5, 10, 20, 30, 50, 100, 200, 500, 1000];

const python = (body, imports = '') => `${imports}\n\ndef f(x):\n${body.map((line) => `    ${line}\n`).join('')}`;
const NUMPY = 'import numpy as np';

/** Largest dimension of functions of all pairs: 10,000 terms. */
const PAIRS = 100;

const OBJECTIVES = {
  'rosenbrock, loop': {
    order: 1,
    source: python([
      's = 0.0',
      'for i in range(len(x) - 1):',
      '    s += 100 * (x[i + 1] - x[i] * x[i]) ** 2 + (1 - x[i]) ** 2',
      'return s',
    ]),
  },
  'rosenbrock, NumPy': {
    order: 1,
    source: python(['return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)'], NUMPY),
  },
  'rastrigin, NumPy': {
    order: 1,
    source: python(['return 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))'], NUMPY),
  },
  'griewank, generators': {
    order: 1,
    source: python(
      [
        's = sum(v * v for v in x) / 4000',
        'return s - math.prod(math.cos(v / math.sqrt(i)) for i, v in enumerate(x, 1)) + 1',
      ],
      'import math',
    ),
  },
  'styblinski-tang, loop': {
    order: 1,
    source: python(['s = 0', 'for v in x:', '    s += v**4 - 16 * v**2 + 5 * v', 'return s / 2']),
  },
  'pairs, loops': {
    order: 2,
    source: python([
      's = 0.0',
      'for i in range(len(x)):',
      '    for j in range(i + 1, len(x)):',
      '        s += (x[i] - x[j]) ** 2 / (1 + j - i)',
      'return s',
    ]),
  },
  'quadratic form, NumPy': {
    order: 2,
    source: python(
      ['d = len(x)', 'return x @ A[:d, :d] @ x'],
      `${NUMPY}\n\nA = np.cos(np.arange(10000.0)).reshape(100, 100)`,
    ),
  },
};

function compile(code, dimension) {
  const source = { code, entry: 'f', argument: code.includes('numpy') ? 'ndarray' : 'list' };
  const bounds = { lower: new Float64Array(dimension).fill(-5), upper: new Float64Array(dimension).fill(5) };
  const times = [performance.now()];
  const { ir, reasons } = compileObjective(source, { dimension, pythonMinor: 11, bounds });
  if (ir === null) throw new Error(`D = ${dimension}: ${reasons[0]?.message}`);
  times.push(performance.now());
  const optimized = optimizeIr(ir);
  times.push(performance.now());
  const { words } = encodeProgram(optimized);
  times.push(performance.now());
  const [front, passes, encode] = times.slice(1).map((time, k) => time - times[k]);
  return { source, ir: optimized, words: words.length, front, passes, encode, total: front + passes + encode };
}

/** Nanoseconds of processor time per candidate, once the answers have been compared. */
async function cost({ source, ir }, dimension) {
  let state = 11;
  const random = () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const candidates = Float64Array.from({ length: CANDIDATES * dimension }, () => 10 * random() - 5);
  const batch = { candidates, count: CANDIDATES, dimension };
  const backend = new NativeBackend({ threads: 1, offload: false, tier: 'vm' });
  const kernel = await backend.open({ source, dimension, ir });
  const output = createOutput(CANDIDATES);
  await kernel.evaluate(batch, output);
  for (const row of [0, 1, CANDIDATES - 1]) {
    const { value } = interpret(ir, candidates.subarray(row * dimension, (row + 1) * dimension));
    if (!Object.is(value, output.values[row])) throw new Error(`D = ${dimension}: row ${row} is not the interpreter's`);
  }
  const times = [];
  for (let k = 0; k < REPETITIONS; k++) {
    let rounds = 0;
    const start = process.cpuUsage();
    while (rounds === 0 || cpuSeconds(start) < 0.01) {
      await kernel.evaluate(batch, output);
      rounds++;
    }
    times.push(cpuSeconds(start) / rounds);
  }
  await kernel.close();
  await backend.close();
  return (median(times) / CANDIDATES) * 1e9;
}

function plot(series) {
  const [width, height, left, bottom] = [760, 480, 70, 50];
  const all = series.flatMap(({ points }) => points.map(({ ns }) => ns));
  const [lo, hi] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
  const x = (d) => left + (Math.log10(d) / 3) * (width - left - 190);
  const y = (ns) => height - bottom - ((Math.log10(ns) - lo) / (hi - lo)) * (height - bottom - 20);
  const colours = ['#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b', '#e377c2'];
  const parts = [];
  for (const d of [1, 10, 100, 1000]) {
    parts.push(`<path d="M${x(d)} 20V${height - bottom}" stroke="#ddd"/>`);
    parts.push(`<text x="${x(d)}" y="${height - bottom + 18}" text-anchor="middle">${d}</text>`);
  }
  for (let k = lo; k <= hi; k++) {
    parts.push(`<path d="M${left} ${y(10 ** k)}H${x(1000)}" stroke="#ddd"/>`);
    parts.push(`<text x="${left - 8}" y="${y(10 ** k) + 4}" text-anchor="end">1e${k}</text>`);
  }
  series.forEach(({ name, points }, k) => {
    const line = points.map(({ d, ns }, i) => `${i === 0 ? 'M' : 'L'}${x(d).toFixed(1)} ${y(ns).toFixed(1)}`).join('');
    parts.push(`<path d="${line}" fill="none" stroke="${colours[k]}" stroke-width="2"/>`);
    parts.push(`<text x="${x(1000) + 10}" y="${36 + 18 * k}" fill="${colours[k]}">${name}</text>`);
  });
  const [first] = series[0].points;
  const last = series[0].points.at(-1);
  parts.push(
    `<path d="M${x(first.d)} ${y((last.ns * first.d) / last.d)}L${x(last.d)} ${y(last.ns)}" stroke="#888" stroke-dasharray="5 4"/>`,
    `<text x="${x(1000) + 10}" y="${36 + 18 * series.length}" fill="#888">growing as D</text>`,
    `<text x="${(left + x(1000)) / 2}" y="${height - 10}" text-anchor="middle">dimension D</text>`,
    `<text transform="translate(16 ${height / 2}) rotate(-90)" text-anchor="middle">ns per candidate</text>`,
  );
  const style = 'font-family="sans-serif" font-size="12"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${style}><rect width="100%" height="100%" fill="white"/>${parts.join('\n')}</svg>\n`;
}

export async function run() {
  const results = [];
  const series = [];
  for (const [name, { source, order }] of Object.entries(OBJECTIVES)) {
    const points = [];
    for (const dimension of DIMENSIONS.filter((d) => order === 1 || d <= PAIRS)) {
      for (let k = 0; k < 3; k++) compile(source, dimension);
      const all = Array.from({ length: REPETITIONS }, () => compile(source, dimension));
      const of = (field) => rounded(median(all.map((one) => one[field])));
      const ns = await cost(all[0], dimension);
      points.push({ d: dimension, ns });
      results.push({
        objective: name,
        dimension,
        compile_ms: of('total'),
        front_end_ms: of('front'),
        passes_ms: of('passes'),
        encode_ms: of('encode'),
        ir_values: all[0].ir.types.length,
        program_kib: rounded((all[0].words * 4) / 1024),
        ns_per_candidate: rounded(ns),
        ns_per_candidate_and_term: rounded(ns / dimension ** order),
      });
    }
    series.push({ name, points });
  }
  writeFileSync(path.join(root, 'bench', 'results', 'cost-by-dimension.svg'), plot(series));
  return { name: 'compile', settings: { repetitions: REPETITIONS, candidates: CANDIDATES, threads: 1 }, results };
}
