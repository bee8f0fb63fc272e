/**
 * Every compiled fixture of `test/fixtures/objectives` as native code against C++, once for each instruction set. One
 * thread, 4,096 candidates in tiles, the largest of the fixture's dimensions up to 30. Yardsticks:
 *  - for twelve fixtures code written by hand (`hand/fixtures.cpp`), with fused operations and, compiled once more,
 *    without, as for `native code` in native-code.mjs; and code by hand that has the bits of the formulas
 *    (`hand/same-bits.cpp`), which does the job of exact mode: no operation is fused or moved where that changes bits;
 *  - for all a plain translation (`support/cpp-translation.mjs`) at `-O3 -march=native`, for AVX2 `-O3 -march=haswell`,
 *    without other flags: gcc fuses products with sums, calls libm for one candidate at a time, and takes vectors of
 *    four where it could take eight. `plain_vector_bytes`: the vectors that it made of a loop; 0: none.
 *
 * Values must agree to 1e-9, or what the fixture's manifest grants, where ours are not flagged; those of
 * `same-bits.cpp` in every bit, unless a function of libm is called (`hand_same_bits_compared`). A translation makes
 * none of Python's checks and writes no status; time of ours begins and ends in JavaScript. `ratio`: our processor time
 * over that of the yardstick, by hand with fused operations where there is one: the median of pairs taken in turns,
 * with its quartiles; `ratio_of_best`: the least of ours over the least of theirs, which a busy machine disturbs less.
 * What explains a ratio: `ratio_without_call`, less the time of a call that only hands over a coordinate;
 * `ratio_to_plain_without_fma`, of the translation with `-ffp-contract=off`, where the other is beyond the goal.
 * `ratio_to_hand_same_bits`: of exact code to code by hand with the same bits.
 * `ratio_of_fast_to_hand`: of ours with `math: 'fast'`, which fuses products with sums as the code by hand does.
 *
 * A turn begins with a part that does not count: a processor that has just waited for the other side is slower for a
 * while, JavaScript more so.
 *
 * `EXTREMUM_BENCH_FIXTURES`: only fixtures whose file contains one of these, separated by commas.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createOutput } from '../../dist/backends/backend.js';
import { loadAddon } from '../../dist/backends/native/addon.js';
import { NativeBackend } from '../../dist/backends/native/native-backend.js';
import { analyzeUpload, compileObjective } from '../../dist/frontend/compile.js';
import { IrBuilder } from '../../dist/ir/builder.js';
import { optimizeIr } from '../../dist/passes/pipeline.js';
import { root } from '../../scripts/support/paths.mjs';
import { translate } from '../support/cpp-translation.mjs';
import { Child, handFolder, INSTRUCTION_SETS } from '../support/hand.mjs';
import { batchOf, candidatesIn, objectiveOf, POPULATION } from '../support/objectives.mjs';
import { cpuSeconds, median, quantile, rounded } from '../support/statistics.mjs';

const REPETITIONS = 15;
const MEASURE_MS = 20;
const UNMEASURED_MS = 4;
const WARM_TURNS = 15;
const CALLS = 2000;
const MOST_DIMENSION = 30;
const PYTHON_MINOR = 11;
const TOLERANCE = 1e-9;
const GOAL = 1.5;
const ARCHITECTURES = { avx512: 'native', avx2: 'haswell' };
const HAND_WRITTEN = new Set(
  (
    'rosenbrock_loop rastrigin_math ackley_two_sums griewank_product_loop welded_beam tariff_elif ' +
    'lennard_jones_cluster np_quadratic_form gear_train minimax_max_list decay_fit_math sir_euler_fit'
  )
    .split(' ')
    .map((name) => `${name}.py`),
);

/** Those whose code by hand with the same bits is compared in every bit; the others call libmvec or have a `pow`. */
const EQUAL_BITS = new Set(
  'rosenbrock_loop tariff_elif lennard_jones_cluster np_quadratic_form gear_train minimax_max_list sir_euler_fit'
    .split(' ')
    .map((name) => `${name}.py`),
);

const folder = path.join(root, 'test', 'fixtures', 'objectives');

/** Its IR and candidates; why there is none in `missing`. */
function load({ file, dimensions, bounds, tolerance }, missing) {
  const { source, errors } = analyzeUpload(readFileSync(path.join(folder, file), 'utf8'), 'objective');
  if (source === null) throw new Error(`${file} is refused: ${errors[0].message}`);
  const small = dimensions.filter((each) => each <= MOST_DIMENSION);
  const dimension = small.length > 0 ? Math.max(...small) : Math.min(...dimensions);
  const box =
    typeof bounds[0] === 'number' ? Array.from({ length: dimension }, () => bounds) : bounds.slice(0, dimension);
  const limits = {
    lower: Float64Array.from(box, ([low]) => low),
    upper: Float64Array.from(box, ([, high]) => high),
  };
  const { ir, reasons } = compileObjective(source, { dimension, bounds: limits, pythonMinor: PYTHON_MINOR });
  if (ir === null) {
    missing[file] = reasons[0].message;
    return [];
  }
  return [{ file, source, dimension, ir: optimizeIr(ir), rows: candidatesIn(box), tolerance: tolerance ?? TOLERANCE }];
}

/** Its path, and bytes of the vectors that gcc made of loops over plain numbers; 0: none. */
function compileLibrary(library, source, flags) {
  const notes = `${library}.txt`;
  const all = ['-std=c++20', '-O3', ...flags, '-fPIC', `-fopt-info-vec-optimized=${notes}`];
  execFileSync('g++', [...all, '-c', source, '-o', `${library}.o`], { stdio: 'pipe' });
  const bytes = readFileSync(notes, 'utf8').matchAll(/loop vectorized using (\d+) byte/g);
  // Linked without -ffast-math, which would make the whole process flush small numbers to 0.
  execFileSync('g++', ['-shared', `${library}.o`, '-o', library, '-lmvec'], { stdio: 'pipe' });
  rmSync(`${library}.o`);
  return { library, vectorBytes: Math.max(0, ...Array.from(bytes, ([, width]) => Number(width))) };
}

/** The twelve, with and without fused operations, and with the bits of the formulas. */
function compileHandWritten(temporary, target) {
  const compile = (name, source, ...flags) =>
    compileLibrary(path.join(temporary, `${target}-${name}.so`), path.join(handFolder, source), [
      '-march=native',
      ...INSTRUCTION_SETS[target],
      ...flags,
    ]).library;
  return {
    hand: compile('hand', 'fixtures.cpp', '-ffast-math'),
    handWithoutFma: compile('hand-without-fma', 'fixtures.cpp', '-ffast-math', '-ffp-contract=off'),
    handSameBits: compile('hand-same-bits', 'same-bits.cpp', '-ffp-contract=off', `-I${path.join(root, 'native')}`),
  };
}

/** What is wrong with the first row where they differ, with a tolerance of 0 in any bit; null: they agree. */
function difference(tolerance, output, theirs) {
  for (let i = 0; i < POPULATION; i++) {
    if (output.status[i] !== 0) continue;
    const [a, b] = [output.values[i], theirs[i]];
    if (Object.is(a, b)) continue;
    if (tolerance > 0 && Math.abs(a - b) <= tolerance * Math.max(1e-3, Math.abs(a))) continue;
    return `row ${i} is ${a}, there ${b}`;
  }
  return null;
}

/**
 * `yardsticks`: library and function by name. Where a formula magnifies the rounding that fused operations leave out,
 * the library that `withoutFma` makes must agree instead, and the fixture is in `sensitive`.
 */
async function compare(fixture, yardsticks, target, { host, temporary, sensitive, callMicroseconds }) {
  const { file, source, dimension, ir, rows } = fixture;
  const batch = batchOf(rows, dimension);
  const tiles = path.join(temporary, 'tiles');
  writeFileSync(tiles, new Uint8Array(batch.candidates.buffer, batch.candidates.byteOffset, 8 * rows.length));

  const kernels = [];
  const output = createOutput(POPULATION);
  const oursWith = async (math, into) => {
    const backend = new NativeBackend({ target, threads: 1, offload: false, tier: 'native-code', math });
    const kernel = await backend.open({ source, dimension, ir });
    kernels.push(kernel);
    const seconds = async (rounds) => {
      const start = process.cpuUsage();
      for (let round = 0; round < rounds; round++) await kernel.evaluate(batch, into);
      return cpuSeconds(start) / rounds;
    };
    await seconds(2);
    return seconds;
  };
  const variants = [{ name: 'ours', seconds: await oursWith('exact', output) }];
  if ('hand' in yardsticks) {
    const fast = createOutput(POPULATION);
    variants.push({ name: 'fast', seconds: await oursWith('fast', fast) });
    const wrong = difference(fixture.tolerance, output, fast.values);
    if (wrong) throw new Error(`${file}, ${target}, fast: ${wrong}`);
  }
  for (const [name, { library, fn, withoutFma }] of Object.entries(yardsticks)) {
    const wordsOf = (file) => `${file} ${fn} ${tiles} ${dimension}`;
    const tolerance = name === 'handSameBits' && EQUAL_BITS.has(fixture.file) ? 0 : fixture.tolerance;
    const wrong = async (file) => difference(tolerance, output, await host.ask(`values ${wordsOf(file)}`, POPULATION));
    let found = await wrong(library);
    if (found && withoutFma) {
      sensitive.add(file);
      found = await wrong(withoutFma());
    }
    if (found) throw new Error(`${file}, ${target}, ${name}: ${found}`);
    const seconds = async (rounds) => (await host.ask(`time ${wordsOf(library)} ${rounds}`, 1))[0] / rounds;
    variants.push({ name, seconds });
  }
  for (const variant of variants) {
    // The least of several turns: the first are slow while JavaScript is compiled.
    const turns = [];
    while (turns.length < WARM_TURNS) turns.push(await variant.seconds(3));
    const roundsOf = (milliseconds) => Math.ceil(milliseconds / 1000 / Math.max(Math.min(...turns), 1e-6));
    [variant.rounds, variant.unmeasured] = [roundsOf(MEASURE_MS), roundsOf(UNMEASURED_MS)];
    variant.times = [];
  }
  for (let k = 0; k < REPETITIONS; k++) {
    for (const variant of variants) {
      await variant.seconds(variant.unmeasured);
      variant.times.push(await variant.seconds(variant.rounds));
    }
  }
  const [{ device }] = kernels;
  for (const kernel of kernels) await kernel.close();
  const timesOf = (name) => variants.find((variant) => variant.name === name)?.times;
  const speed = (name) => (timesOf(name) ? rounded(POPULATION / median(timesOf(name)) / 1e6) : null);
  const ratio = (name, share = 0.5, less = 0, of = 'ours') => {
    const [times, base] = [timesOf(of), timesOf(name)];
    if (!times || !base) return null;
    const pairs = times.map((time, k) => (time - less) / base[k]);
    return rounded(quantile(pairs, share));
  };
  const yardstick = 'hand' in yardsticks ? 'hand' : 'plain';
  return {
    fixture: file,
    dimension,
    target,
    yardstick,
    ratio: ratio(yardstick),
    ratio_lower_quartile: ratio(yardstick, 0.25),
    ratio_upper_quartile: ratio(yardstick, 0.75),
    ratio_of_best: rounded(Math.min(...timesOf('ours')) / Math.min(...timesOf(yardstick))),
    ratio_without_call: ratio(yardstick, 0.5, callMicroseconds[target] / 1e6),
    ratio_to_hand_without_fma: ratio('handWithoutFma'),
    ratio_to_hand_same_bits: ratio('handSameBits'),
    hand_same_bits_compared: yardstick === 'plain' ? null : EQUAL_BITS.has(file) ? 'bits' : 'tolerance',
    ratio_to_plain: ratio('plain'),
    ratio_of_fast_to_hand: ratio('hand', 0.5, 0, 'fast'),
    ours_million_per_s: speed('ours'),
    fast_million_per_s: speed('fast'),
    hand_million_per_s: speed('hand'),
    hand_without_fma_million_per_s: speed('handWithoutFma'),
    hand_same_bits_million_per_s: speed('handSameBits'),
    plain_million_per_s: speed('plain'),
    plain_vector_bytes: yardsticks.plain.vectorBytes,
    flagged: output.status.filter((status) => status !== 0).length,
    device,
  };
}

/** What a call takes whose program only hands over a coordinate: the least, for nothing else is measured beside it. */
async function microsecondsOfCall(target) {
  const b = new IrBuilder('coordinate', 1);
  const backend = new NativeBackend({ target, threads: 1, offload: false, tier: 'native-code' });
  const kernel = await backend.open(objectiveOf(b.finish(b.x(0))));
  const batch = batchOf(new Float64Array(POPULATION), 1);
  const output = createOutput(POPULATION);
  const times = [];
  for (let k = 0; k < REPETITIONS; k++) {
    const start = process.cpuUsage();
    for (let round = 0; round < CALLS; round++) await kernel.evaluate(batch, output);
    times.push((1e6 * cpuSeconds(start)) / CALLS);
  }
  await kernel.close();
  return rounded(Math.min(...times));
}

/** How many are within the goal, and which are not. */
function summarize(target, yardstick, rows) {
  const ratios = rows.map(({ ratio }) => ratio);
  const beyond = rows.filter(({ ratio }) => ratio > GOAL).sort((a, b) => b.ratio - a.ratio);
  console.log(`  ${target}, ${yardstick}: ${rows.length - beyond.length} of ${rows.length} within ${GOAL}`);
  for (const { fixture, ratio } of beyond) console.log(`    ${fixture}: ${ratio}`);
  return {
    target,
    yardstick,
    fixtures: rows.length,
    within_goal: rows.length - beyond.length,
    ratio_median: median(ratios),
    ratio_90_per_cent: quantile(ratios, 0.9),
    ratio_worst: Math.max(...ratios),
    within_goal_of_best: rows.filter(({ ratio_of_best }) => ratio_of_best <= GOAL).length,
  };
}

export async function run() {
  const { addon, reason } = loadAddon();
  if (!addon) return { skipped: reason };
  const wanted = process.env.EXTREMUM_BENCH_FIXTURES?.split(',') ?? [''];
  const temporary = mkdtempSync(path.join(os.tmpdir(), 'extremum-bench-'));
  const program = path.join(temporary, 'host');
  let host = null;
  try {
    execFileSync('g++', ['-O2', path.join(handFolder, 'translation-host.cpp'), '-o', program, '-ldl'], {
      stdio: 'pipe',
    });
    host = new Child(program, []);
    const missing = {};
    const fixtures = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))
      .filter(({ file }) => wanted.some((part) => file.includes(part)))
      .flatMap((fixture) => load(fixture, missing));
    const results = [];
    const context = { host, temporary, sensitive: new Set(), callMicroseconds: {} };
    const targets = Object.keys(ARCHITECTURES).filter((target) => addon.targets().includes(target));
    for (const target of targets) {
      context.callMicroseconds[target] = await microsecondsOfCall(target);
      const byHand = compileHandWritten(temporary, target);
      for (const [number, fixture] of fixtures.entries()) {
        const library = path.join(temporary, `${target}-${number}.so`);
        try {
          writeFileSync(`${library}.cpp`, translate(fixture.ir));
        } catch (error) {
          missing[fixture.file] = error.message;
          continue;
        }
        const plain = (name, ...flags) =>
          compileLibrary(name, `${library}.cpp`, [`-march=${ARCHITECTURES[target]}`, ...flags]);
        const withoutFma = () => plain(`${library}.without-fma`, '-ffp-contract=off').library;
        const yardsticks = { plain: { ...plain(library), fn: 'evaluate', withoutFma } };
        if (HAND_WRITTEN.has(fixture.file)) {
          const fn = path.basename(fixture.file, '.py');
          for (const [name, each] of Object.entries(byHand)) yardsticks[name] = { library: each, fn };
        }
        const row = await compare(fixture, yardsticks, target, context);
        const unfused = async () => {
          const only = { plain: { library: withoutFma(), fn: 'evaluate' } };
          return (await compare(fixture, only, target, context)).ratio;
        };
        results.push({ ...row, ratio_to_plain_without_fma: row.ratio_to_plain > GOAL ? await unfused() : null });
      }
    }
    const summary = targets.flatMap((target) =>
      ['hand', 'plain'].flatMap((yardstick) => {
        const rows = results.filter((row) => row.target === target && row.yardstick === yardstick);
        return rows.length > 0 ? [summarize(target, yardstick, rows)] : [];
      }),
    );
    return {
      name: 'translations',
      settings: {
        population: POPULATION,
        repetitions: REPETITIONS,
        layout: 'tiles',
        threads: 1,
        goal: GOAL,
        call_microseconds: context.callMicroseconds,
        missing,
        sensitive_to_fma: [...context.sensitive],
      },
      summary,
      results,
    };
  } finally {
    host?.close();
    rmSync(temporary, { recursive: true, force: true });
  }
}
