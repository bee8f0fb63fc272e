/**
 * The native-code tier against hand-written C++ (`hand/kernels.cpp`: AVX-512 or AVX2, libmvec), NumPy over the whole
 * population, the virtual machine and generated JavaScript: D = 30, 4,096 candidates in tiles, one thread. All variants
 * take turns within a repetition and count processor time, so a busy moment of the machine meets everyone; what is
 * reported are medians over the repetitions of the ratio within each. Answers are checked first: ours in every bit with
 * the interpreter's, the others' to 1e-12 relative.
 *
 * `native code fast` is what `math: "fast"` gives; its yardstick may use FMA, that of `native code` may not, which is
 * what our promise of equal bits costs on its own. Either is the better of two kernels: on whole columns, and on tiles
 * as ours. `rows` takes candidates row by row: ours makes tiles of them, the hand-written one is the plain loop over a
 * candidate's coordinates that the compiler vectorises. Two threads: threads.mjs.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createOutput } from '../../dist/backends/backend.js';
import { JavaScriptBackend } from '../../dist/backends/javascript/javascript-backend.js';
import { loadAddon } from '../../dist/backends/native/addon.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { Child, compileHandWritten, handFolder, INSTRUCTION_SETS, tryTo } from '../support/hand.mjs';
import {
  ackley,
  batchOf,
  candidates,
  DIMENSION,
  objectiveOf,
  POPULATION,
  rastrigin,
  reference,
  rosenbrock,
} from '../support/objectives.mjs';
import { cpuSeconds, median, rounded } from '../support/statistics.mjs';

const REPETITIONS = 21;
const MEASURE_MS = 25;
const REFERENCE_ROWS = 128;

/** One variant: `seconds(rounds)` of processor time for so many whole populations. */
const external = (name, child, kernel) => ({
  name,
  values: () => child.ask(`values ${kernel}`, POPULATION),
  seconds: async (rounds) => (await child.ask(`time ${kernel} ${rounds}`, 1))[0],
});

async function ours(name, backend, fn, batch, exact = true) {
  const kernel = await backend.open(objectiveOf(fn));
  const output = createOutput(POPULATION);
  await kernel.evaluate(batch, output);
  await kernel.evaluate(batch, output);
  return {
    name,
    exact,
    values: async () => output.values,
    async seconds(rounds) {
      const start = process.cpuUsage();
      for (let round = 0; round < rounds; round++) await kernel.evaluate(batch, output);
      return cpuSeconds(start);
    },
  };
}

function check(variant, values, reference) {
  for (let i = 0; i < REFERENCE_ROWS; i++) {
    const [got, wanted] = [values[i], reference[i]];
    const right = variant.exact
      ? Object.is(got, wanted)
      : Math.abs(got - wanted) <= 1e-12 * Math.max(1, Math.abs(wanted));
    if (!right) throw new Error(`${variant.name}: row ${i} is ${got}, not ${wanted}`);
  }
}

async function compare(fn, variants, all) {
  const expected = await reference(fn, all, REFERENCE_ROWS);
  for (const variant of variants) {
    check(variant, await variant.values(), expected);
    const once = Math.max(await variant.seconds(2), 1e-6) / 2;
    variant.rounds = Math.max(1, Math.ceil(MEASURE_MS / 1000 / once));
    variant.times = [];
  }
  for (let k = 0; k < REPETITIONS; k++) {
    for (const variant of variants) variant.times.push((await variant.seconds(variant.rounds)) / variant.rounds);
  }
  const timesOf = (name) => variants.find((variant) => variant.name === name)?.times;
  /** Speed of `name` in units of `base`. */
  const ratio = (name, base) => {
    const [a, b] = [timesOf(name), base];
    return a && b ? rounded(median(a.map((time, k) => b[k] / time))) : null;
  };
  /** The better of both layouts. */
  const hand = (name) => {
    const [columns, tiles] = [timesOf(`${name} columns`), timesOf(`${name} tiles`)];
    return columns && (median(columns) < median(tiles) ? columns : tiles);
  };
  const unit = (name) => name.replaceAll(' ', '_');
  return {
    objective: fn.name,
    ...Object.fromEntries(
      variants.map(({ name, times }) => [`${unit(name)}_million_per_s`, rounded(POPULATION / median(times) / 1e6)]),
    ),
    native_code_vs_hand_without_fma: ratio('native code', hand('hand without fma')),
    native_code_fast_vs_hand_with_fma: ratio('native code fast', hand('hand with fma')),
    rows_vs_tiles: ratio('native code rows', timesOf('native code')),
    native_code_vs_numpy: ratio('native code', timesOf('numpy')),
    native_code_fast_vs_numpy: ratio('native code fast', timesOf('numpy')),
    vm_vs_numpy: ratio('vm', timesOf('numpy')),
    native_code_vs_vm: ratio('native code', timesOf('vm')),
    native_code_vs_javascript: ratio('native code', timesOf('javascript')),
    vm_vs_hand_without_fma: ratio('vm', hand('hand without fma')),
  };
}

/**
 * Milliseconds of processor time to open a kernel with and without native code, and evaluations that make up for it.
 */
async function breakEven(fn, row, target) {
  const opening = async (tier) => {
    const times = [];
    for (let k = 0; k < 31; k++) {
      const start = process.cpuUsage();
      for (let i = 0; i < 20; i++) {
        const kernel = await new NativeBackend({ target, threads: 1, offload: false, tier }).open(objectiveOf(fn));
        await kernel.close();
      }
      times.push((1000 * cpuSeconds(start)) / 20);
    }
    return median(times);
  };
  await opening('vm');
  const [vm, code] = [await opening('vm'), await opening('native-code')];
  const { native_code_million_per_s: fast, vm_million_per_s: slow } = row;
  return {
    compile_ms: rounded(code - vm),
    break_even_evaluations: Math.round(((code - vm) * 1000) / (1 / slow - 1 / fast)),
  };
}

export async function run() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'extremum-bench-'));
  const missing = {};
  const children = [];
  try {
    const all = candidates();
    const file = path.join(folder, 'candidates');
    writeFileSync(file, new Uint8Array(all.buffer));
    const start = (command, args) => {
      const child = new Child(command, args);
      children.push(child);
      return child;
    };
    const hand = (set, name, ...flags) =>
      tryTo(
        () => start(compileHandWritten(folder, `${set}-${name}`, file, [...INSTRUCTION_SETS[set], ...flags]), [file]),
        missing,
        `${set} ${name}`,
      );
    const numpy = tryTo(
      () => {
        const python = process.env.EXTREMUM_BENCH_PYTHON || 'python3';
        execFileSync(python, ['-c', 'import numpy'], { stdio: 'pipe' });
        return start(python, [path.join(handFolder, 'population.py'), file]);
      },
      missing,
      'numpy',
    );
    const { addon, reason } = loadAddon();
    if (!addon) missing['native'] = reason;
    const results = [];
    const tiles = batchOf(all);
    const rows = { candidates: all, count: POPULATION, dimension: DIMENSION };
    for (const target of Object.keys(INSTRUCTION_SETS)) {
      if (!addon?.targets().includes(target)) continue;
      const fused = hand(target, 'with FMA');
      const plain = hand(target, 'without FMA', '-ffp-contract=off');
      for (const fn of [rosenbrock(), rastrigin(), ackley()]) {
        const native = (tier, math = 'exact') => new NativeBackend({ target, threads: 1, offload: false, tier, math });
        const byHand = (name, child, layouts) =>
          child ? layouts.map((layout) => external(`${name} ${layout}`, child, `${fn.name}-${layout}`)) : [];
        const variants = [
          await ours('native code', native('native-code'), fn, tiles),
          await ours('native code fast', native('native-code', 'fast'), fn, tiles, false),
          ...byHand('hand without fma', plain, ['columns', 'tiles']),
          ...byHand('hand with fma', fused, ['columns', 'tiles', 'rows']),
          await ours('native code rows', native('native-code'), fn, rows),
          await ours('vm', native('vm'), fn, tiles),
          ...(numpy ? [external('numpy', numpy, fn.name)] : []),
          await ours('javascript', new JavaScriptBackend(), fn, tiles),
        ];
        const row = await compare(fn, variants, all);
        results.push({ ...row, target, ...(await breakEven(fn, row, target)) });
      }
    }
    return {
      name: 'native-code',
      settings: {
        dimension: DIMENSION,
        population: POPULATION,
        repetitions: REPETITIONS,
        layout: 'tiles',
        threads: 1,
        missing,
      },
      results,
    };
  } finally {
    for (const child of children) child.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
