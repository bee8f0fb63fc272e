/**
 * `node scripts/gpu-model.mjs`: writes docs/gpu-model.md, what kernels should take on two GPUs, from their machine code
 * (bench/results/nvrtc.json, nvrtc-generations.json), the makers' peak figures and the processor's measured speed
 * (bench/results/native-code.json).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as prettier from 'prettier';
import { root } from './support/paths.mjs';

/**
 * Peak figures of NVIDIA's data sheets (SXM form). An operation per lane and clock that multiplies and adds counts
 * twice there, so that instructions are half of them. Every multiprocessor can start as many instructions as
 * single-precision operations: four warps in a clock.
 */
const GPUS = {
  'H100 SXM': { doubleFlops: 34e12, singleFlops: 67e12, bytesPerSecond: 3.35e12 },
  'H200 SXM': { doubleFlops: 34e12, singleFlops: 67e12, bytesPerSecond: 4.8e12 },
};
/** PCIe 5.0 with 16 lanes, of the data sheets' 128 GB/s in both directions together. */
const BUS_BYTES_PER_SECOND = 64e9;
/** Assumed: a launch, two copies and their waiting. */
const LATENCY_SECONDS = 20e-6;
/** Of a multiprocessor of compute capability 9.0; a warp gets them in units of 256 (CUDA C++ Programming Guide). */
const REGISTERS = 65536;
const WARPS = 64;

/** A fixture for each objective of bench/micro/native-code. */
const MEASURED = {
  'rosenbrock_loop.py': 'rosenbrock',
  'rastrigin_math.py': 'rastrigin',
  'ackley_two_sums.py': 'ackley',
};

const read = (name) => JSON.parse(readFileSync(path.join(root, 'bench', 'results', name), 'utf8'));
const significant = (value) => String(Number(value.toPrecision(3)));

/** Candidates, results, and a status and a line for each. */
const bytesOf = ({ dimension, results }) => ({ down: 8 * dimension, up: 8 * results + 5 });

/** What the memory hands out at least: a number of another individual costs as much. */
const SECTOR_BYTES = 32;
const STATISTICS_BYTES = 32;
const TILE = 64;

/**
 * Bytes of an individual in n dimensions, each array once. What threads read of individuals drawn at random are
 * sectors. A line for each program of native/cuda/strategies.
 */
const MOVES = {
  // Position and velocity read and written, the own best and a leader's read, the candidate written; own fitness, and
  // that of three informants.
  'bulk_particle_swarm.h': (n) => n * (5 * 8 + SECTOR_BYTES + 8) + 8 + 3 * SECTOR_BYTES,
  // The point and three others read, trial and candidate written; the fitness of six, scale and rate read and written.
  'bulk_differential_evolution.h': (n) => n * (3 * 8 + 3 * SECTOR_BYTES) + 6 * SECTOR_BYTES + 4 * 8,
  // Point, gradient and ten vectors of pairs read, direction, trial and candidate written; six scalars.
  'bulk_l_bfgs.h': (n) => n * (12 * 8 + 3 * 8) + 6 * 8,
};
/** What `accept` reads and writes besides value, status and statistics, where nothing is better and where it is. */
const ACCEPTS = {
  // The fitness; the candidate becomes the best.
  'bulk_particle_swarm.h': [() => 8, (n) => 16 + 16 * n],
  // Scale and rate, too.
  'bulk_differential_evolution.h': [() => 8, (n) => 16 + 32 + 16 * n],
  // The gradient's reading and some scalars; point and gradient are written, and the step between as a pair.
  'bulk_l_bfgs.h': [(n) => 8 * n + 8 * 7, (n) => 8 * n * 8 + 8 * 14],
};
const VALUE_AND_STATUS = 8 + 1;

/** Executed instructions and bytes of an individual in the kernels that are launched for it. */
function generationKernels({ fixture, kernels }, n) {
  const of = (name, kernel, executed, bytes, isOfAnyDimension = false) => {
    const { registers } = kernels[kernel];
    return { name, executed, bytes, registers, isOfAnyDimension };
  };
  const { move, count_odd, accept, combine } = kernels;
  const [notBetter, better] = [0, 1].map((k) => VALUE_AND_STATUS + STATISTICS_BYTES + ACCEPTS[fixture][k](n));
  const doesNothing = ACCEPTS[fixture][0](1) === ACCEPTS[fixture][0](2);
  // 64 entries become one, and those again.
  const share = 1 / (TILE - 1);
  const combined = Object.entries(combine.executed[n]).map(([pipe, count]) => [pipe, count * share]);
  return [
    of('move', 'move', move.executed[n], MOVES[fixture](n)),
    of('count_odd', 'count_odd', count_odd.executed[n], VALUE_AND_STATUS, true),
    of('accept, not better', 'accept', accept.executed.not[n], notBetter, doesNothing),
    of('accept, better', 'accept', accept.executed.better[n], better),
    of('combine', 'combine', Object.fromEntries(combined), (TILE + 1) * STATISTICS_BYTES * share, true),
  ];
}

const totalOf = ({ executed: { double, single, special, memory, integer } }) =>
  double + single + special + memory + integer;

/** Seconds of a candidate on a full device, and what they are spent on. */
function bound(row, { doubleFlops, singleFlops, bytesPerSecond }) {
  const bytes = row.bytes ?? bytesOf(row).down + bytesOf(row).up;
  const seconds = {
    doubles: row.executed.double / (doubleFlops / 2),
    instructions: totalOf(row) / (singleFlops / 2),
    memory: bytes / bytesPerSecond,
  };
  const [limit, most] = Object.entries(seconds).sort(([, a], [, b]) => b - a)[0];
  return { limit, seconds: most };
}

const warpsOf = ({ registers }) => Math.min(WARPS, Math.floor(REGISTERS / (Math.ceil((registers * 32) / 256) * 256)));

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function kernels(rows) {
  const speeds = (row) => Object.values(GPUS).map((gpu) => significant(1e-6 / bound(row, gpu).seconds));
  return table(
    ['fixture', 'n', 'kernel', 'registers', 'warps', 'doubles', 'fused', 'all', 'bytes', ...Object.keys(GPUS), 'limit'],
    rows.map((row) => [
      row.fixture.replace('.py', ''),
      row.dimension,
      row.variant,
      row.registers,
      warpsOf(row),
      row.executed.double,
      row.executed.double_fused,
      `${row.executed.is_lower_bound ? '>= ' : ''}${totalOf(row)}`,
      bytesOf(row).down + bytesOf(row).up,
      ...speeds(row),
      bound(row, GPUS['H100 SXM']).limit,
    ]),
  );
}

function breakEven(rows, cpu) {
  const head = ['objective, n = 30', 'CPU, one thread', 'over the bus', 'GPU', 'break-even', 'without copies'];
  return table(
    head,
    Object.entries(MEASURED).flatMap(([fixture, objective]) => {
      const row = rows.find((each) => each.fixture === fixture && each.variant === 'f64' && each.dimension === 30);
      const measured = cpu.results.find((each) => each.objective === objective);
      if (row === undefined || measured === undefined) return [];
      const own = 1 / (1e6 * measured.native_code_million_per_s);
      // Copies of one chunk run beside the kernel of another.
      const copy = bytesOf(row).down / BUS_BYTES_PER_SECOND;
      const { seconds } = bound(row, GPUS['H100 SXM']);
      const population = (each) => (each < own ? significant(LATENCY_SECONDS / (own - each)) : 'never');
      const rate = (each) => significant(1e-6 / each);
      return [
        [objective, rate(own), rate(copy), rate(seconds), population(Math.max(copy, seconds)), population(seconds)],
      ];
    }),
  );
}

const programName = ({ fixture }) => fixture.replace('.h', '').replaceAll('_', '-');

function kernelsOfGenerations(rows, dimensions) {
  return table(
    ['program', 'n', 'kernel', 'registers', 'warps', 'doubles', 'all', 'bytes', ...Object.keys(GPUS), 'limit'],
    rows.flatMap((program) =>
      dimensions.flatMap((n, k) =>
        generationKernels(program, n).flatMap((kernel) =>
          kernel.isOfAnyDimension && k > 0
            ? []
            : [
                [
                  programName(program),
                  kernel.isOfAnyDimension ? 'any' : n,
                  kernel.name,
                  kernel.registers,
                  warpsOf(kernel),
                  significant(kernel.executed.double),
                  significant(totalOf(kernel)),
                  significant(kernel.bytes),
                  ...Object.values(GPUS).map((gpu) => significant(1e-6 / bound(kernel, gpu).seconds)),
                  bound(kernel, GPUS['H100 SXM']).limit,
                ],
              ],
        ),
      ),
    ),
  );
}

/** Milliseconds of a whole generation, without the objective. */
function generations(rows) {
  const milliseconds = (program, n, size, gpu, left) =>
    generationKernels(program, n)
      .filter(({ name }) => name !== left)
      .reduce((sum, kernel) => sum + 1e3 * size * bound(kernel, gpu).seconds, 0);
  return table(
    ['program', 'population', ...Object.keys(GPUS).flatMap((name) => [`${name}, none better`, 'all better'])],
    rows.flatMap((program) =>
      [
        [1e6, 100],
        [1e5, 100],
        [1e6, 10],
      ]
        .filter(([, n]) => program.kernels.move.executed[n] !== undefined)
        .map(([size, n]) => [
          programName(program),
          `${size.toLocaleString('en')} x ${n}`,
          ...Object.values(GPUS).flatMap((gpu) =>
            ['accept, better', 'accept, not better'].map(
              (left) => `${significant(milliseconds(program, n, size, gpu, left))} ms`,
            ),
          ),
        ]),
    ),
  );
}

/** Assumed: of a launch behind others, when nobody waits for it. */
const LAUNCH_SECONDS = 3e-6;
/** Of a normal number by Box and Muller, with its words; by hand, as everything about this program. */
const DOUBLES_PER_NORMAL = 100;
/** As in launches.ts of the strategy. */
const PANEL = 16;
const BULK_CMA_ES = [
  { form: 'full', n: 100, size: 10_000 },
  { form: 'full', n: 1_000, size: 10_000 },
  { form: 'limited', n: 1_000, size: 1_000 },
  { form: 'diagonal', n: 1_000, size: 10_000 },
];

/** Of an individual in `count_odd`, `accept`, and in `combine` that of the 64th part of a thread, again and again. */
const ACCEPTED_BYTES = 2 * VALUE_AND_STATUS + 2 * 8 + STATISTICS_BYTES + ((TILE + 1) * STATISTICS_BYTES) / (TILE - 1);

/**
 * What a generation takes, by hand from bulk_cma_es.h: [step, double instructions, bytes, launches]. Products and sums
 * are instructions of their own. Every array counts once for each launch. Steps over n numbers alone count as launches.
 */
function stepsOfBulkCmaEs({ form, n, size }) {
  const numbers = n * size;
  const vector = 8 * numbers;
  const directions = 4 + Math.floor(3 * Math.log(n));
  const panels = Math.ceil(n / PANEL);
  const levels = 1 + Math.ceil(Math.log(Math.ceil(size / TILE)) / Math.log(TILE));
  const merges = Math.ceil(Math.log2(Math.ceil(size / TILE)));
  // Chunks of the sum of products: so many that their matrices are 4 million numbers, at most 256.
  const chunks = Math.max(1, Math.min(256, Math.floor(4e6 / n ** 2), Math.ceil(size / TILE)));
  const draw = ['draw', DOUBLES_PER_NORMAL * numbers, vector, 1];
  const common = [
    // The kernel `move`, levels of sums, and the mean.
    ['points, and the mean of the best', 8 * numbers, 4 * vector, levels + 2],
    // One comparison, five operations and three comparisons (machine code); fitness read and written, statistics.
    ['count_odd, accept, combine', 9 * size, size * ACCEPTED_BYTES, 2 + levels],
    ['ranking', 0, 8 * size * (4 + merges), merges + 3],
    ['paths and step size', 20 * n, 8 * 10 * n, 3],
  ];
  if (form === 'diagonal') return [draw, ['stretch', numbers, 2 * vector, 1], ...common, ['variances', 10 * n, 0, 2]];
  if (form === 'limited') {
    return [
      draw,
      ['directions, along each', 4 * directions * numbers, 2 * directions * vector, directions + 1],
      ...common,
      ['directions, learnt', 10 * directions * n, 8 * 3 * directions * n, directions + 2],
    ];
  }
  return [
    draw,
    ['correlate', size * n ** 2, 2 * vector + 4 * n ** 2, 1],
    ...common,
    ['solution', n ** 2, 4 * n ** 2, 2 * panels - 1],
    ['products', 1.125 * size * n ** 2, vector + 4 * chunks * n ** 2, 1],
    ['covariance', (chunks + 8) * n ** 2 * 0.5, 4 * chunks * n ** 2 + 8 * n ** 2, 1],
    ['factor, where it is made', n ** 3 / 3, 8 * n ** 2 * (panels / 3 + 1), 3 * panels - 1],
  ];
}

function bulkCmaEs() {
  const gpus = Object.values(GPUS);
  const time = ({ doubles, bytes, launches }, gpu) =>
    Math.max(doubles / (gpu.doubleFlops / 2), bytes / gpu.bytesPerSecond) + launches * LAUNCH_SECONDS;
  return table(
    ['form', 'population', 'step', 'doubles', 'bytes', 'launches', ...Object.keys(GPUS)],
    BULK_CMA_ES.flatMap((run) => {
      const steps = stepsOfBulkCmaEs(run).map(([step, doubles, bytes, launches]) => ({
        step,
        doubles,
        bytes,
        launches,
      }));
      const row = (step, counts, milliseconds) => [
        run.form,
        `${run.size.toLocaleString('en')} x ${run.n.toLocaleString('en')}`,
        step,
        ...counts.map((count) => significant(count)),
        ...milliseconds.map((each) => `${significant(1e3 * each)} ms`),
      ];
      const total = (of) => steps.reduce((sum, step) => sum + of(step), 0);
      return [
        ...steps.map((step) =>
          row(
            step.step,
            [step.doubles, step.bytes, step.launches],
            gpus.map((gpu) => time(step, gpu)),
          ),
        ),
        row(
          '**all**',
          [total(({ doubles }) => doubles), total(({ bytes }) => bytes), total(({ launches }) => launches)],
          gpus.map((gpu) => total((step) => time(step, gpu))),
        ),
      ];
    }),
  );
}

const nvrtc = read('nvrtc.json');
const generated = read('nvrtc-generations.json');
// Of which the loops can be counted.
const programs = { ...generated, results: generated.results.filter(({ fixture }) => fixture in MOVES) };
const cpu = read('native-code.json');
// Of single precision there is no figure of the processor to compare with.
const rows = nvrtc.results.filter(({ executed, variant }) => executed !== undefined && variant !== 'f32');
const left = nvrtc.settings.programs_without_time;

const text = `<!-- Written by \`node scripts/gpu-model.mjs\`; do not edit. -->

# What kernels should take on a GPU

No figure here was measured on a GPU. They stand here so that the first one confirms or refutes them
(\`npm run gpu:check\`). All speeds are in millions of candidates per second: what the units allow if nothing waits.

## How it is counted

\`npm run check:nvrtc -- --write\` compiles kernels to sm_90 (${nvrtc.settings.compiler}) and reads the machine code. Each
instruction belongs to a line of the kernel's text and counts as often as the loops around that line turn. Both sides of
an objective's branches count. Ways for arguments out of the ordinary, in mathematics and in divisions, do not.

- **doubles**: instructions of the double-precision units. **fused**: those of them that multiply and add; in exact
  arithmetic they come from divisions and square roots only. **all**: all instructions.
- **bytes**: coordinates read, results, status and line written, once each.
- **warps**: as many of the ${WARPS} of a multiprocessor as its registers hold.
- A candidate takes at least its doubles at half of the peak flops of double precision, all its instructions at half of
  the peak flops of single precision, and its bytes at the peak bandwidth. The largest of the three is the **limit**.

| | double precision | single precision | memory |
| --- | --- | --- | --- |
${Object.entries(GPUS)
  .map(
    ([name, gpu]) =>
      `| ${name} | ${gpu.doubleFlops / 1e12} Tflop/s | ${gpu.singleFlops / 1e12} Tflop/s | ${gpu.bytesPerSecond / 1e12} TB/s |`,
  )
  .join('\n')}

These are NVIDIA's [H100](https://www.nvidia.com/en-us/data-center/h100/) and
[H200](https://www.nvidia.com/en-us/data-center/h200/) data sheets. Not in the model: the rate of conversions and special
functions, latencies that few warps do not hide, the instruction cache, branches that part a warp. These make kernels
slower. An objective that takes one of several branches may be faster. Single precision is left out: its kernels compute
error bounds besides (ADR 53).

## Break-even with the processor

An H100 with PCIe 5.0 at ${BUS_BYTES_PER_SECOND / 1e9} GB/s in each direction, and ${LATENCY_SECONDS * 1e6} µs for a
launch and its copies, which is an assumption. The processor's speed was measured (\`bench/results/native-code.json\`,
commit ${cpu.commit}, ${cpu.machine.cpu}, exact). **Break-even**: the population from which the device is faster.
**Without copies**: the same for candidates that are made on the device.

${breakEven(rows, cpu)}

What is cheap to evaluate is not worth the way over the bus: at n = 30 a candidate takes
${significant((240 / BUS_BYTES_PER_SECOND) * 1e9)} ns there, whatever the GPU does.

## Generations that stay on the device

The same for the kernels of generation programs ([ADR 50](adr/0050-generation-programs.md)), of which the objective's own
is one more. Their loops over coordinates have no count in the text. They are counted in a text in which these loops stay
rolled and all others are unrolled; registers are those of the text as it is used. Each array counts once, and a number of
another individual as the ${SECTOR_BYTES} bytes that the memory hands out. A generation other than the first is meant.
\`accept\` copies a candidate where it is better, so that it stands here twice. \`combine\` is counted for each
individual, although every sixty-fourth thread does its work. In \`bulk-l-bfgs\` \`move\` makes a direction from five
pairs: it passes over them twice, and over the direction more often, all of which is more than a multiprocessor holds,
so that \`move\` may well take several times its limit. There \`better\` is a step that is taken, of which every second
evaluation is a gradient, with a kernel of its own.

${generations(programs.results)}

The table holds a whole generation without the objective. Runs have vectors of at most 10^7 numbers, 100,000 x 100,
those of \`bulk-l-bfgs\` 2 · 10^6; the larger population is that of \`npm run gpu:check\`.

${kernelsOfGenerations(programs.results, programs.settings.dimensions)}

## CMA-ES in bulk

Its kernel holds all steps of a generation ([ADR 51](adr/0051-bulk-cma-es.md)), whose loops go over individuals,
coordinates and directions. What they execute is counted by hand from the text: products and sums in double precision,
without the instructions around them; ${DOUBLES_PER_NORMAL} for a normal number is an estimate. Every array counts once
for each launch, so that what a step reads again and again (\`correlate\` the normal numbers ${1000 / 4} times in 1,000
dimensions) is taken to come from caches. A launch is taken to cost ${LAUNCH_SECONDS * 1e6} µs. The objective is not in
it. **all** is a generation in which a full factor is made: one in six in 1,000 dimensions.

${bulkCmaEs()}

## Kernels

${left > 0 ? `${left} of the fixtures are missing: the run that wrote the counts ended before them.\n` : ''}
${kernels(rows)}
`;
const file = path.join(root, 'docs', 'gpu-model.md');
const options = await prettier.resolveConfig(file);
writeFileSync(file, await prettier.format(text, { ...options, parser: 'markdown' }));
