/**
 * `npm run gpu:check`: on a machine with an NVIDIA GPU, in less than eight minutes, checks that the GPU gives the CPU's
 * bits for every objective fixture that compiles, and for runs whose generations stay there, and that values of single
 * precision are within their bounds of the CPU's; measures all, and writes bench/results/gpu-NAME.json.
 *
 *   node scripts/gpu-check.mjs [--carried] [--fixtures WORD] [--dimensions 30,100] [--populations 1000,10000] [--out
 *   FOLDER]
 *
 * Builds first. On a machine without compilers, and with `--carried`, it takes the build that was carried there:
 * `dist/`, `build/Release/extremum.node`, `node_modules/`. Exit code: 0 all bits are equal and all bounds kept, 1 some
 * are not or time ran out before all was checked, 2 no GPU can be used (the reason is printed), 3 there is no build.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './support/paths.mjs';

/** Of the whole; the limit of the machine that it is made for is eight minutes. */
const BUILD_AND_CHECK_SECONDS = 270;
const ALL_SECONDS = 430;

const COUNTS = [1, 65, 2000];
/** Share of coordinates that are no ordinary numbers. */
const SPECIAL_SHARE = 0.02;
const SPECIAL = [0, -0, NaN, Infinity, -Infinity, 1e308, 5e-324];

/** Candidates of a batch are not made larger than this. */
const MOST_BYTES = 3 * 2 ** 30;
const LEAST_SECONDS = 0.4;
const LEAST_ROUNDS = 3;

/** Strategies whose generations can stay on a device, and the generations that are compared. */
const RESIDENT = ['bulk-particle-swarm', 'bulk-differential-evolution', 'bulk-cma-es', 'bulk-l-bfgs'];
const GENERATIONS = 30;
/** Numbers of a vector, in place of the 10^7 of a service, which has to store them; nothing is stored here. */
const LARGEST_VECTOR = 1e8;
/** The population whose state is compared after two generations, where the processor has the memory. */
const LARGEST = { name: 'bulk-particle-swarm', dimension: 100, population: 1_000_000, generations: 2 };
/** Of positions, velocities, bests and candidates; of two runs, and what comes back. */
const LARGEST_BYTES = 8 * LARGEST_VECTOR * (2 * 4 + 3);

/** The budget divided by it is the population (`src/strategies/generations/generation-strategy.ts`). */
const PLANNED_GENERATIONS = 400;

const OBJECTIVES = {
  rosenbrock:
    'def objective(x):\n    s = 0.0\n    for i in range(len(x) - 1):\n        s += 100 * (x[i + 1] - x[i] * x[i]) ** 2 + (1 - x[i]) ** 2\n    return s\n',
  rastrigin:
    'import math\n\ndef objective(x):\n    s = 10.0 * len(x)\n    for v in x:\n        s += v * v - 10 * math.cos(2 * math.pi * v)\n    return s\n',
  ackley:
    'import math\n\ndef objective(x):\n    a = 0.0\n    b = 0.0\n    for v in x:\n        a += v * v\n        b += math.cos(2 * math.pi * v)\n    n = len(x)\n    return -20 * math.exp(-0.2 * math.sqrt(a / n)) - math.exp(b / n) + 20 + math.e\n',
};

const { values: flags } = parseArgs({
  options: {
    carried: { type: 'boolean', default: false },
    fixtures: { type: 'string', default: '' },
    dimensions: { type: 'string', default: '30,100,1000' },
    populations: { type: 'string', default: '1000,10000,100000,1000000,10000000' },
    out: { type: 'string', default: join(root, 'bench', 'results') },
  },
});
const numbers = (text) => text.split(',').map(Number);

const started = performance.now();
const seconds = () => (performance.now() - started) / 1e3;

async function buildOrTakeCarried() {
  const carried = existsSync(join(root, 'dist', 'backends', 'cuda', 'cuda-backend.js'));
  if (flags.carried) return carried;
  try {
    const { build } = await import('./build.mjs');
    const { notices } = await build();
    for (const notice of notices) console.log(notice);
    return true;
  } catch (error) {
    console.log(
      `it cannot be built here (${error.message.split('\n')[0]})${carried ? '; the carried build is taken' : ''}`,
    );
    return carried;
  }
}

/** Modules of the build. */
async function load() {
  const from = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
  const modules = await Promise.all([
    from('backends/backend.js'),
    from('backends/single-precision/trial.js'),
    from('backends/cuda/cuda-backend.js'),
    from('backends/native/native-backend.js'),
    from('backends/wasm/wasm-backend.js'),
    from('frontend/compile.js'),
    from('ir/types.js'),
    from('passes/gradient/differentiate.js'),
    from('passes/pipeline.js'),
    from('model/tiles.js'),
    from('common/aligned.js'),
    from('strategies/lists.js'),
  ]);
  return Object.assign({}, ...modules);
}

function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function fixtures() {
  const folder = join(root, 'test', 'fixtures', 'objectives');
  const all = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return all
    .filter(({ tier, file }) => tier === 'compiled' && file.includes(flags.fixtures))
    .flatMap(({ file, dimensions, bounds }) =>
      dimensions.map((dimension) => ({
        name: `${file}, n = ${dimension}`,
        code: readFileSync(join(folder, file), 'utf8'),
        dimension,
        bounds: typeof bounds[0] === 'number' ? Array.from({ length: dimension }, () => bounds) : bounds,
      })),
    );
}

function candidatesIn(bounds, count) {
  const random = randomNumbers(count);
  return Float64Array.from({ length: count * bounds.length }, (_, k) => {
    const [lower, upper] = bounds[k % bounds.length];
    return random() < SPECIAL_SHARE
      ? SPECIAL[Math.floor(random() * SPECIAL.length)]
      : lower + random() * (upper - lower);
  });
}

function firstDifference(found, wanted) {
  const bits = ({ values }) => new BigUint64Array(values.buffer, values.byteOffset, values.length);
  const [mine, theirs] = [bits(found), bits(wanted)];
  for (let k = 0; k < mine.length; k++) {
    if (mine[k] !== theirs[k]) return `number ${k} is ${found.values[k]}, on the CPU ${wanted.values[k]}`;
  }
  for (let i = 0; i < found.status.length; i++) {
    if (found.status[i] !== wanted.status[i] || found.lines[i] !== wanted.lines[i]) {
      return `candidate ${i} has status ${found.status[i]}, line ${found.lines[i]}, on the CPU ${wanted.status[i]}, ${wanted.lines[i]}`;
    }
  }
  return null;
}

/** Where a value of single precision is not within its bound, or counts though it must not; null: nowhere. */
function firstBeyond(lib, { values, errors }, { status }, wanted) {
  for (let k = 0; k < values.length; k++) {
    const row = Math.floor(k / (values.length / status.length));
    const what = `number ${k} is ${values[k]} within ${errors[k]}, on the CPU ${wanted.values[k]}`;
    if (!lib.isWithin(values[k], errors[k], wanted.values[k])) return what;
    if (status[row] === 0 && wanted.status[row] !== 0) return `${what}, status ${wanted.status[row]}`;
  }
  return null;
}

class Check {
  different = [];
  refused = [];
  unchecked = [];
  refusedSingle = [];
  equal = 0;
  within = 0;
  decided = 0;
  singleCandidates = 0;
  equalRuns = 0;

  constructor(lib, cpu) {
    this.lib = lib;
    this.cpu = cpu;
    this.double = new lib.CudaBackend({ offload: false });
    this.single = new lib.CudaBackend({ offload: false, precision: 'f32' });
  }

  compile({ code, dimension }) {
    const { source } = this.lib.analyzeUpload(code, '');
    const { ir } = this.lib.compileObjective(source, { dimension, pythonMinor: 12 });
    return { source, dimension, ir: this.lib.optimizeIr(ir) };
  }

  gradientOf({ ir }) {
    return this.lib.optimizeIr(this.lib.differentiate(ir));
  }

  /** `rows` in rows on the CPU, in tiles on the GPU. */
  async evaluate(kernel, objective, rows) {
    const { dimension } = objective;
    const count = rows.length / dimension;
    const output = this.lib.createOutputWithLines(count, this.lib.resultsOf(objective.ir));
    const batch =
      kernel.backend === 'cuda'
        ? { candidates: this.lib.toTiles(rows, count, dimension), layout: 'tiles', count, dimension }
        : { candidates: rows, count, dimension };
    await kernel.evaluate(batch, output);
    return output;
  }

  async all(programs) {
    for (const program of programs) {
      if (seconds() > BUILD_AND_CHECK_SECONDS) this.unchecked.push(program.name);
      else await this.one(program);
    }
  }

  async one(program) {
    const objective = this.compile(program);
    const opened = [];
    const open = async (backend) => {
      const kernel = await backend.open(objective);
      opened.push(kernel);
      return kernel;
    };
    try {
      const onCpu = await open(this.cpu);
      const onGpu = await open(this.double);
      for (const count of COUNTS) {
        const candidates = candidatesIn(program.bounds, count);
        const wanted = await this.evaluate(onCpu, objective, candidates);
        const difference = firstDifference(await this.evaluate(onGpu, objective, candidates), wanted);
        if (difference !== null) this.different.push(`${program.name}, ${count} candidates: ${difference}`);
        else this.equal++;
      }
      await this.inSinglePrecision(program, objective, open, onCpu);
    } catch (error) {
      if (error.code === 'backend_unavailable') this.refused.push(`${program.name}: ${error.message.split('\n')[0]}`);
      else this.different.push(`${program.name}: ${error.message.split('\n')[0]}`);
    } finally {
      for (const kernel of opened) await kernel.close();
    }
  }

  /** Not everything has a form there. */
  async inSinglePrecision(program, objective, open, onCpu) {
    let kernel;
    try {
      kernel = await open(this.single);
    } catch (error) {
      if (error.code !== 'backend_unavailable' || error.message.includes('which is not within')) throw error;
      this.refusedSingle.push(`${program.name}: ${error.message.split('\n')[0]}`);
      return;
    }
    for (const count of COUNTS) {
      const candidates = candidatesIn(program.bounds, count);
      const wanted = await this.evaluate(onCpu, objective, candidates);
      const output = await this.evaluate(kernel, objective, candidates);
      const found = await kernel.approximate({ candidates, count, dimension: objective.dimension });
      const beyond = firstBeyond(this.lib, found, output, wanted);
      if (beyond !== null) this.different.push(`${program.name} in single precision, ${count} candidates: ${beyond}`);
      else this.within++;
      this.singleCandidates += count;
      this.decided += output.status.filter((status) => status === 0).length;
    }
  }
}

/** A run whose population stays on the GPU. */
class ResidentRun {
  static async open(check, kernel, gradient, name, dimension, population) {
    const run = new ResidentRun();
    run.strategy = newStrategy(check, name, dimension, population);
    run.population = await kernel.populationOnDevice(run.strategy.generations.program, gradient);
    run.population.load(run.strategy.generations.state);
    return run;
  }

  async generation() {
    const { generations } = this.strategy;
    await this.population.evaluate(generations.begin(), new AbortController().signal);
    generations.end(this.population.accept(1, this.strategy.incumbent()?.fitness ?? Infinity));
  }

  /** The strategy with its state. */
  snapshot() {
    this.population.store(this.strategy.generations.state);
    return JSON.stringify(this.strategy.snapshot());
  }

  close() {
    this.population.close();
  }
}

function newStrategy({ lib }, name, dimension, population) {
  const bounds = { lower: new Float64Array(dimension).fill(-5), upper: new Float64Array(dimension).fill(4) };
  const factory = lib.strategies.find((each) => each.name === name);
  const budgetEvaluations = PLANNED_GENERATIONS * population;
  return factory.create({ bounds, seed: 11, budgetEvaluations, largestVector: LARGEST_VECTOR });
}

/** Two generations of the largest population, number by number: a snapshot has no room for it. */
async function checkLargest(check) {
  const { name, generations } = LARGEST;
  const population = Math.min(LARGEST.population, Math.max(...numbers(flags.populations)));
  const dimension = numbers(flags.dimensions).includes(LARGEST.dimension)
    ? LARGEST.dimension
    : numbers(flags.dimensions)[0];
  const what = `${name}, ${population} x ${dimension}`;
  if (seconds() > BUILD_AND_CHECK_SECONDS) return `${what}: not compared, no time was left`;
  if ((LARGEST_BYTES * population * dimension) / LARGEST_VECTOR > os.freemem()) {
    return `${what}: not compared, too large for the memory here`;
  }
  const objective = check.compile({ code: OBJECTIVES.rastrigin, dimension });
  const [onCpu, onGpu] = [await check.cpu.open(objective), await check.double.open(objective)];
  let run = null;
  try {
    run = await ResidentRun.open(check, onGpu, null, name, dimension, population);
    const twin = newStrategy(check, name, dimension, population);
    for (let g = 0; g < generations; g++) {
      await run.generation();
      const batch = twin.ask();
      const output = check.lib.createOutputWithLines(batch.count);
      await onCpu.evaluate(batch, output);
      twin.tell(output.values.slice(0, batch.count));
    }
    const { state } = run.strategy.generations;
    run.population.store(state);
    const bits = ({ vectors, scalars }) => [...vectors, ...scalars].map(({ buffer }) => Buffer.from(buffer));
    const wanted = bits(twin.generations.state);
    if (!bits(state).every((part, k) => part.equals(wanted[k]))) {
      check.different.push(`${what}: the state after ${generations} generations`);
      return `${what}: other bits`;
    }
    return `${what}: the bits of the CPU after ${generations} generations`;
  } catch (error) {
    check.different.push(`${what}: ${error.message.split('\n')[0]}`);
    return `${what}: failed`;
  } finally {
    run?.close();
    await onCpu.close();
    await onGpu.close();
  }
}

async function checkGenerations(check) {
  const [dimension] = numbers(flags.dimensions);
  const objective = check.compile({ code: OBJECTIVES.rastrigin, dimension });
  const gradient = check.gradientOf(objective);
  const [onCpu, onGpu] = [await check.cpu.open(objective), await check.double.open(objective)];
  const slopes = await check.cpu.open({ ...objective, ir: gradient });
  try {
    for (const name of RESIDENT) {
      const run = await ResidentRun.open(check, onGpu, gradient, name, dimension, 1000);
      const twin = newStrategy(check, name, dimension, 1000);
      try {
        for (let g = 0; g < GENERATIONS; g++) {
          await run.generation();
          const batch = twin.ask();
          const output = check.lib.createOutputWithLines(batch.count);
          await onCpu.evaluate(batch, output);
          twin.tell(output.values.slice(0, batch.count));
          if (twin.isWithinGeneration !== true) continue;
          const results = check.lib.createOutputWithLines(batch.count, 1 + dimension);
          await slopes.evaluate(twin.ask(), results);
          twin.tell(results.values);
        }
        if (run.snapshot() === JSON.stringify(twin.snapshot())) check.equalRuns++;
        else check.different.push(`${name}: the state after ${GENERATIONS} generations`);
      } finally {
        run.close();
      }
    }
  } catch (error) {
    check.different.push(`generations on the GPU: ${error.message.split('\n')[0]}`);
  } finally {
    await onCpu.close();
    await onGpu.close();
    await slopes.close();
  }
}

/** Whole generations, of which nothing but statistics crosses the bus. */
async function measureGenerations(check) {
  const rows = [];
  for (const dimension of numbers(flags.dimensions)) {
    const objective = check.compile({ code: OBJECTIVES.rastrigin, dimension });
    const gradient = check.gradientOf(objective);
    const kernel = await check.double.open(objective);
    try {
      for (const strategy of RESIDENT) {
        const row = {
          objective: 'rastrigin',
          strategy,
          dimension,
          population: Math.max(...numbers(flags.populations)),
        };
        if (seconds() > ALL_SECONDS) {
          rows.push({ ...row, skipped: 'no time left' });
          continue;
        }
        const run = await ResidentRun.open(check, kernel, gradient, strategy, dimension, row.population);
        // A strategy may make it smaller.
        row.population = run.strategy.generations.program.size;
        try {
          const each = await timePerBatch(() => run.generation());
          rows.push({ ...row, gpu_million_per_s: significant(row.population / each / 1e6) });
        } finally {
          run.close();
        }
      }
    } finally {
      await kernel.close();
    }
  }
  return rows;
}

async function timePerBatch(work) {
  await work();
  const times = [];
  const first = performance.now();
  while (times.length < LEAST_ROUNDS || performance.now() - first < LEAST_SECONDS * 1e3) {
    const start = performance.now();
    await work();
    times.push((performance.now() - start) / 1e3);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

const significant = (value) => Number(value.toPrecision(4));

async function measure(check) {
  const rows = [];
  for (const dimension of numbers(flags.dimensions)) {
    const bounds = Array.from({ length: dimension }, () => [-5, 5]);
    for (const population of numbers(flags.populations)) {
      const bytes = 8 * dimension * population;
      if (bytes > MOST_BYTES || bytes > os.freemem() / 3) {
        rows.push({ dimension, population, skipped: 'too large for the memory here' });
        continue;
      }
      const random = randomNumbers(1);
      // In tiles.
      const candidates = check.lib.alignedFloats(check.lib.tiledLength(population, dimension));
      for (let k = 0; k < candidates.length; k++) candidates[k] = 10 * random() - 5;
      for (const [objective, code] of Object.entries(OBJECTIVES)) {
        const row = { objective, dimension, population };
        if (seconds() > ALL_SECONDS) rows.push({ ...row, skipped: 'no time left' });
        else rows.push({ ...row, ...(await compareSpeed(check, { code, dimension, bounds }, candidates, population)) });
      }
    }
  }
  return rows;
}

async function compareSpeed(check, program, candidates, count) {
  const objective = check.compile(program);
  const batch = { candidates, layout: 'tiles', count, dimension: program.dimension };
  const row = {};
  const outputs = [];
  for (const [place, backend] of [
    ['cpu', check.cpu],
    ['gpu', check.double],
    ['gpu_f32', check.single],
  ]) {
    const kernel = await backend.open(objective);
    const output = check.lib.createOutputWithLines(count);
    outputs.push(output);
    try {
      row[`${place}_million_per_s`] = significant(
        count / (await timePerBatch(() => kernel.evaluate(batch, output))) / 1e6,
      );
    } finally {
      await kernel.close();
    }
  }
  const difference = firstDifference(outputs[1], outputs[0]);
  if (difference !== null) check.different.push(`benchmark, n = ${program.dimension}: ${difference}`);
  return { ...row, ratio: significant(row.gpu_million_per_s / row.cpu_million_per_s) };
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return 'unknown';
  }
}

function write(device, check, results) {
  // Figures of the processor must never be taken for those of a GPU.
  if (device.startsWith('Stand-in')) return console.log('a stand-in is no GPU: no figures are written');
  const name = `gpu-${device
    .split(',')[0]
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')}`;
  const report = {
    name,
    commit: commit(),
    date: new Date().toISOString(),
    machine: {
      device,
      cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
      cores: os.availableParallelism(),
      node: process.version,
    },
    settings: {
      batches_with_equal_bits: check.equal,
      runs_with_equal_bits: check.equalRuns,
      refused: check.refused,
      unchecked: check.unchecked,
      single_precision: {
        batches_within_bounds: check.within,
        candidates_decided: significant(check.decided / Math.max(1, check.singleCandidates)),
        refused: check.refusedSingle,
      },
      copies_included: true,
    },
    results,
  };
  mkdirSync(flags.out, { recursive: true });
  writeFileSync(join(flags.out, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  console.log(`written: ${join(flags.out, `${name}.json`)}`);
}

async function main() {
  if (!(await buildOrTakeCarried())) {
    console.error('there is no build: carry dist/, build/Release/extremum.node and node_modules/ here');
    return 3;
  }
  const lib = await load();
  const availability = await new lib.CudaBackend().probe();
  if (!availability.available) {
    console.error(`no GPU can be used: ${availability.reason}`);
    return 2;
  }
  console.log(availability.device);
  const native = new lib.NativeBackend({ offload: false });
  const cpu = (await native.probe()).available ? native : new lib.WasmBackend();
  const check = new Check(lib, cpu);
  await check.all(fixtures());
  await checkGenerations(check);
  console.log(`${check.equal} batches have the bits of the CPU (${cpu.name}), ${check.different.length} do not`);
  console.log(`${check.equalRuns} of ${RESIDENT.length} runs that stay there have the bits of the CPU`);
  console.log(await checkLargest(check));
  const { within, decided, singleCandidates } = check;
  const share = Math.round((100 * decided) / Math.max(1, singleCandidates));
  console.log(`${within} batches of single precision keep their bounds, with ${share} % of the candidates decided`);
  for (const line of check.refusedSingle) console.log(`  in double precision only: ${line}`);
  for (const line of check.refused) console.log(`  runs on the CPU only: ${line}`);
  for (const line of check.unchecked) console.log(`  not checked, no time was left: ${line}`);
  const generations = await measureGenerations(check);
  const results = [...(await measure(check)), ...generations];
  console.table(results);
  for (const line of check.different) console.error(`  different: ${line}`);
  if (check.different.length > 0) return 1;
  write(availability.device, check, results);
  return check.unchecked.length > 0 ? 1 : 0;
}

process.exitCode = await main();
