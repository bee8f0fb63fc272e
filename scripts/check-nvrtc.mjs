/**
 * `npm run check:nvrtc`: compiles the kernel of every objective fixture with NVIDIA's own compiler, to machine code for
 * sm_90 (H100, H200), and reads that code; so it does with the kernels of every generation program
 * (native/cuda/strategies). No GPU is needed; the compiler comes from pip (scripts/nvrtc.mjs).
 *
 *   node scripts/check-nvrtc.mjs [--fixtures WORD,WORD] [--every-dimension] [--seconds N] [--write]
 *
 * In exact arithmetic, and in single precision, no product may be fused with a sum: every fused instruction must belong
 * to a division or a square root of the text, which are sequences of them. That this finds contraction is shown in the
 * same run: with --fmad=true one program in ten is compiled again, in both precisions, and must be found guilty where
 * it has a product in a sum. Where checks read all such products, too, the compiler fuses none of them: these programs
 * are compiled once more without their checks. Registers, spills and times are printed; `--write` puts those of
 * fixtures, and how many instructions a candidate executes, into bench/results/nvrtc.json, and those of generation
 * programs into bench/results/nvrtc-generations.json, whichever were compiled, from which `node scripts/gpu-model.mjs`
 * makes docs/gpu-model.md.
 *
 * Exit code: 0 nothing is contracted, 1 something is or does not compile, 2 the compiler cannot be had (with the
 * reason).
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { contractions, executedOf, instructionsOf, withoutChecks } from './support/machine-code.mjs';
import { countable, DIMENSIONS, executedByKernels } from './support/generation-counts.mjs';
import { fetchNvrtc } from './nvrtc.mjs';
import { findProgram, root } from './support/paths.mjs';

const exec = promisify(execFile);
const ARCHITECTURE = 'sm_90';
const COMPILERS = 2;
const FOLDER = path.join(root, 'test', 'fixtures', 'objectives');
const GENERATIONS = path.join(root, 'native', 'cuda', 'strategies');
/** Whose kernel stands before a generation program's. */
const GENERATIONS_OF = { file: 'rastrigin_math.py', dimension: 30 };

const { values: flags } = parseArgs({
  options: {
    fixtures: { type: 'string', default: '' },
    'every-dimension': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '3600' },
    write: { type: 'boolean', default: false },
  },
});

/** What is compiled of each program: exact, in single precision with bounds, and with products that are fused. */
const VARIANTS = {
  f64: (lib, fn) => lib.generateKernel(fn, { math: 'exact' }),
  f32: (lib, fn) => lib.generateSingleKernel(fn, new Set()),
  fast: (lib, fn) => lib.generateKernel(fn, { math: 'fast' }),
};

function programs() {
  const words = flags.fixtures.split(',');
  return JSON.parse(readFileSync(path.join(FOLDER, 'manifest.json'), 'utf8'))
    .filter(({ tier, file }) => tier === 'compiled' && words.some((word) => file.includes(word)))
    .flatMap(({ file, dimensions }) =>
      (flags['every-dimension'] ? dimensions : [representative(file, dimensions)]).map((dimension) => ({
        file,
        dimension,
      })),
    )
    .sort((a, b) => b.dimension - a.dimension);
}

/** In which no product may be fused with a sum. */
const UNFUSED = ['f64', 'f32', 'generations'];

/** Texts of native/cuda/strategies that stand around each program. */
const AROUND = new Set(['generation.h', 'kernels.h']);

const generationPrograms = () =>
  readdirSync(GENERATIONS).filter(
    (file) => !AROUND.has(file) && flags.fixtures.split(',').some((word) => file.includes(word)),
  );

/** Those whose speed is measured on the processor (bench/micro/native-code), in that dimension. */
const MEASURED = { 'rosenbrock_loop.py': 30, 'rastrigin_math.py': 30, 'ackley_two_sums.py': 30 };

const representative = (file, dimensions) => MEASURED[file] ?? Math.min(...dimensions);

async function load() {
  const from = (name) => import(new URL(`../dist/${name}`, import.meta.url).href);
  const names = ['cuda/generate', 'cuda/generate-single', 'cuda/single-trial', 'cuda/cuda-population'].map(
    (name) => `backends/${name}.js`,
  );
  const modules = await Promise.all(
    [...names, 'frontend/compile.js', 'passes/pipeline.js', 'passes/gradient/differentiate.js', 'ir/types.js'].map(
      from,
    ),
  );
  return Object.assign({}, ...modules);
}

function programOf(lib, { file, dimension }) {
  const { source } = lib.analyzeUpload(readFileSync(path.join(FOLDER, file), 'utf8'), '');
  const { ir } = lib.compileObjective(source, { dimension, pythonMinor: 12 });
  return lib.optimizeIr(ir);
}

/** The kernels of a generation program, whose loops have no counts that stand in the text. */
async function generationKernels(lib, file) {
  const name = path.basename(file, '.h').replaceAll('_', '-');
  const fn = programOf(lib, GENERATIONS_OF);
  const { text, ...kernel } = VARIANTS.f64(lib, fn);
  const readsGradients = readFileSync(path.join(GENERATIONS, file), 'utf8').includes('gradient(p, k, i)');
  const slopes = readsGradients ? VARIANTS.f64(lib, lib.optimizeIr(lib.differentiate(fn))).text : null;
  const { dimension } = GENERATIONS_OF;
  const whole = await lib.generationText(text, slopes, name);
  return { fixture: file, dimension, variant: 'generations', ...kernel, text: whole };
}

function kernelsOf(lib, { file, dimension }) {
  const fn = programOf(lib, { file, dimension });
  const shape = { results: lib.resultsOf(fn), values: fn.types.length };
  return Object.entries(VARIANTS).flatMap(([variant, generate]) => {
    const row = { fixture: file, dimension, variant, ...shape };
    try {
      return [{ ...row, ...generate(lib, fn) }];
    } catch (error) {
      // Single precision has no form of some operations, no GPU has room for some programs.
      if (error instanceof RangeError) return [{ ...row, refused: error.message }];
      throw error;
    }
  });
}

/** A process that compiles one kernel after the other. */
class Compiler {
  lines = [];
  waiting = [];

  constructor(sdk, work, program, number) {
    this.sdk = sdk;
    this.prefix = path.join(work, `${number}-`);
    this.child = spawn(program, [path.join(sdk, 'lib'), ARCHITECTURE], { stdio: ['pipe', 'pipe', 'inherit'] });
    let rest = '';
    this.child.stdout.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const line of lines) (this.waiting.shift() ?? ((each) => this.lines.push(each)))(line);
    });
    this.child.on('close', () => this.waiting.splice(0).forEach((resolve) => resolve('ended')));
  }

  line() {
    if (this.lines.length > 0) return Promise.resolve(this.lines.shift());
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async compile(text, options) {
    const [source, image, log] = ['cu', 'cubin', 'log'].map((suffix) => this.prefix + suffix);
    writeFileSync(source, text);
    const all = [...options, '--generate-line-info', '--ptxas-options=-v'];
    this.child.stdin.write(`${[source, image, log, ...all].join('\t')}\n`);
    const [result, ms] = (await this.line()).split(' ');
    const messages = readFileSync(log, 'utf8');
    if (result !== '0')
      return { failed: `NVRTC says ${result}: ${messages.split('\n').find((each) => each.includes('error'))}` };
    const disassembler = path.join(this.sdk, 'bin', 'nvdisasm');
    const { stdout } = await exec(disassembler, ['-c', '-gi', image], { maxBuffer: 2 ** 30 });
    const [, ...parts] = messages.split(/Compiling entry function '/);
    return {
      instructions: instructionsOf(stdout),
      compile_ms: Math.round(Number(ms)),
      cubin_bytes: statSync(image).size,
      ...resourcesOf(messages),
      ofEntries: new Map(parts.map((part) => [/^\w+/.exec(part)[0], resourcesOf(part)])),
    };
  }
}

/** What ptxas says of kernels; of several the largest. */
function resourcesOf(messages) {
  const number = (pattern) => {
    const found = [...messages.matchAll(pattern)].map(([, digits]) => Number(digits));
    return found.length === 0 ? NaN : Math.max(...found);
  };
  return {
    registers: number(/Used (\d+) registers/g),
    stack_bytes: number(/(\d+) bytes stack frame/g),
    spill_store_bytes: number(/(\d+) bytes spill stores/g),
    spill_load_bytes: number(/(\d+) bytes spill loads/g),
  };
}

async function measured(
  compiler,
  isControl,
  { text, options, blockThreads: _, localBytes: local_bytes, refused, ...row },
) {
  if (refused !== undefined) return { ...row, refused };
  const { instructions, ofEntries, ...facts } = await compiler.compile(text, options);
  if (instructions === undefined) return { ...row, ...facts };
  const result = {
    ...row,
    ...facts,
    local_bytes,
    instructions: instructions.length,
    ...(row.variant === 'generations'
      ? { ...largestOf(ofEntries), ...(await generationCounts(compiler, text, options, ofEntries)) }
      : { executed: executedOf(text, instructions) }),
    contracted: [],
  };
  if (!UNFUSED.includes(row.variant)) return result;
  result.contracted = contractions(text, instructions);
  if (!isControl) return result;
  // The proof that the search finds something: the same text, with contraction.
  const fusing = options.map((option) => (option === '--fmad=false' ? '--fmad=true' : option));
  const fusedIn = async (each) => contractions(each, (await compiler.compile(each, fusing)).instructions).length;
  result.contracted_with_fmad = await fusedIn(text);
  // A product that a check reads, too, must be there by itself, so that fusing it would save nothing.
  if (result.contracted_with_fmad === 0) result.contracted_without_checks = await fusedIn(withoutChecks(text));
  return result;
}

/** Of a generation program's own kernels: those of the objective stand before it. */
function largestOf(ofEntries) {
  const own = [...ofEntries].filter(([name]) => !name.startsWith('evaluate')).map(([, resources]) => resources);
  return Object.fromEntries(Object.keys(own[0]).map((name) => [name, Math.max(...own.map((each) => each[name]))]));
}

/** Of each kernel of a generation program what it needs, and what an individual executes by dimension. */
async function generationCounts(compiler, text, options, ofEntries) {
  // They take a compilation of their own.
  if (!flags.write) return {};
  const counted = countable(text);
  const { instructions } = await compiler.compile(counted, options);
  const executed = executedByKernels(counted, instructions);
  const kernels = Object.entries(executed).map(([kernel, counts]) => [
    kernel,
    { ...ofEntries.get(kernel), executed: counts },
  ]);
  return { kernels: Object.fromEntries(kernels) };
}

async function checkAll(sdk) {
  const work = mkdtempSync(path.join(os.tmpdir(), 'extremum-nvrtc-'));
  try {
    const program = path.join(work, 'compile_kernels');
    const source = path.join(root, 'test', 'support', 'cuda', 'compile_kernels.cpp');
    execFileSync('g++', ['-std=c++20', '-O1', source, '-o', program, '-ldl']);
    const lib = await load();
    const waiting = programs().reverse();
    const generations = generationPrograms();
    const rows = [];
    const started = performance.now();
    let taken = 0;
    let version = '';
    const worker = async (number) => {
      const compiler = new Compiler(sdk, work, program, number);
      version = await compiler.line();
      while (generations.length > 0) {
        rows.push(await measured(compiler, true, await generationKernels(lib, generations.pop())));
      }
      while (waiting.length > 0 && performance.now() - started < 1e3 * Number(flags.seconds)) {
        const isChosen = taken++ % 10 === 0;
        for (const kernel of kernelsOf(lib, waiting.pop())) {
          rows.push(await measured(compiler, isChosen, kernel));
        }
      }
      compiler.child.stdin.end();
    };
    await Promise.all(Array.from({ length: COMPILERS }, (_, k) => worker(k)));
    return { version, left: waiting.length, rows: rows.sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const key = ({ fixture, dimension, variant }) => `${fixture} ${String(dimension).padStart(6)} ${variant}`;

function write(version, left, rows) {
  const isOfProgram = ({ variant }) => variant === 'generations';
  const [programs, fixtures] = [rows.filter(isOfProgram), rows.filter((row) => !isOfProgram(row))];
  if (programs.length > 0) writeReport('nvrtc-generations', { dimensions: DIMENSIONS }, version, programs);
  if (fixtures.length > 0) writeReport('nvrtc', { programs_without_time: left }, version, fixtures);
}

function writeReport(name, settings, version, rows) {
  const git = ['rev-parse', '--short=12', 'HEAD'];
  const report = {
    name,
    commit: execFileSync('git', git, { cwd: root, encoding: 'utf8' }).trim(),
    date: new Date().toISOString(),
    machine: { cpu: os.cpus()[0]?.model.trim() ?? 'unknown', cores: os.availableParallelism(), node: process.version },
    settings: {
      compiler: version,
      architecture: ARCHITECTURE,
      ...settings,
      load_average: os.loadavg()[0],
    },
  };
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  const text = `${JSON.stringify(report, null, 2).slice(0, -2)},\n  "results": [\n${lines}\n  ]\n}\n`;
  writeFileSync(path.join(root, 'bench', 'results', `${name}.json`), text);
}

async function main() {
  if (findProgram('g++') === null) {
    console.error('it cannot be checked here: needs g++');
    return 2;
  }
  let sdk = process.env['EXTREMUM_CUDA_SDK'];
  try {
    sdk ??= await fetchNvrtc();
  } catch (error) {
    console.error(`it cannot be checked here: ${error.message.split('\n')[0]}`);
    return 2;
  }
  const { version, left, rows } = await checkAll(sdk);
  const compiled = rows.filter(({ instructions }) => instructions !== undefined);
  const failed = rows.filter((row) => row.failed !== undefined);
  for (const row of failed) console.log(`does not compile: ${key(row)}: ${row.failed}`);
  for (const variant of [...Object.keys(VARIANTS), 'generations']) {
    const own = compiled.filter((row) => row.variant === variant);
    if (own.length === 0) continue;
    const most = (field) => Math.max(...own.map((row) => row[field]));
    const spilling = own.filter((row) => row.spill_store_bytes > 0).length;
    const refused = rows.filter((row) => row.variant === variant && row.refused !== undefined);
    const without = refused.length > 0 ? `, no kernel for ${refused.length} more` : '';
    const facts = `at most ${most('registers')} registers, ${spilling} spill, ${most('compile_ms')} ms${without}`;
    console.log(`${variant}: ${own.length} kernels; ${facts}`);
    for (const row of refused) console.log(`  ${key(row)}: ${row.refused}`);
  }
  const guilty = compiled.filter(({ contracted }) => contracted.length > 0);
  for (const row of guilty) console.log(`contracted: ${key(row)}: ${row.contracted.slice(0, 3).join('; ')}`);
  if (left > 0) console.log(`no time was left for ${left} programs`);
  const controls = UNFUSED.flatMap((variant) => {
    const checked = compiled.filter((row) => row.variant === variant && row.contracted_with_fmad !== undefined);
    const unchecked = checked.filter((row) => row.contracted_without_checks > 0).length;
    const found = checked.filter((row) => row.contracted_with_fmad > 0).length + unchecked;
    return checked.length === 0 ? [] : [{ variant, found, checked: checked.length, unchecked }];
  });
  const counts = controls.map(
    ({ variant, found, checked, unchecked }) =>
      `${found} of ${checked} ${variant}${unchecked > 0 ? ` (${unchecked} without checks)` : ''}`,
  );
  console.log(
    `${version}: ${guilty.length} kernels are contracted; with --fmad=true ${counts.join(', ') || 'none'} would be`,
  );
  if (flags.write) write(version, left, rows);
  const isShown = controls.length > 0 && controls.every(({ found }) => found > 0);
  return guilty.length > 0 || failed.length > 0 || !isShown ? 1 : 0;
}

process.exitCode = await main();
