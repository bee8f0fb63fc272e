/** Runs generation programs in their CUDA text on the processor, whole runs, under the sanitizers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateKernel } from '../../../src/backends/cuda/generate.js';
import { besides } from '../../../src/backends/cuda/cuda-population.js';
import type { IrFunction } from '../../../src/ir/types.js';
import type { PopulationProgram } from '../../../src/model/resident-population.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const strategies = fileURLToPath(new URL('../../../native/cuda/strategies/', import.meta.url));
const exec = promisify(execFile);
const FLAGS = [
  '-std=c++20',
  '-O0',
  '-ffp-contract=off',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-w',
];
const STANDARD = ['algorithm', 'cstdio', 'cstdlib', 'memory'].map((name) => `#include <${name}>\n`);
const KERNELS = ['move', 'count_odd', 'accept', 'combine', 'gather', 'step'];

export interface GenerationRun {
  /** Place in `programs`. */
  readonly program: number;
  readonly size: number;
  readonly generations: number;
  readonly seed: number;
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** As the strategy gives it; only where it has steps. */
  readonly steps?: PopulationProgram;
}

/**
 * Numbers that `run_generations.h` writes, for each run. `programs`: names of files in native/cuda/strategies, and
 * whether they read gradients, those of `gradient`.
 */
export async function runGenerationsOnHost(
  programs: readonly (readonly [file: string, readsGradients: boolean])[],
  fn: IrFunction,
  gradient: IrFunction | null,
  runs: readonly GenerationRun[],
): Promise<Float64Array[]> {
  const work = mkdtempSync(join(tmpdir(), 'extremum-generations-'));
  try {
    const textOf = (each: IrFunction): string => generateKernel(each, { math: 'exact' }).text;
    const choice = programs.map((_, k) => `program_${k}::run`).join(', ');
    const source = [
      '#include "device_on_host.h"\n',
      ...STANDARD,
      [textOf(fn), ...(gradient === null ? [] : besides(textOf(gradient))), ''].join('\n'),
      ...programs.map(inNamespace),
      `int main(int argc, char **argv) { return (int (*[])(int, char **)){${choice}}[std::atoi(argv[1])](argc - 1, argv + 1); }\n`,
    ].join('');
    writeFileSync(join(work, 'run.cpp'), source);
    await exec('g++', [...FLAGS, '-I', folder, join(work, 'run.cpp'), '-o', join(work, 'run')], { maxBuffer: 2 ** 26 });
    const results: Float64Array[] = [];
    for (const { program, size, generations, seed, lower, upper, steps } of runs) {
      const key = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0];
      const numbers = [size, lower.length, generations, ...key, ...lower, ...upper];
      const more = steps === undefined ? [] : stepArguments(work, steps, generations);
      await exec(join(work, 'run'), [`${program}`, join(work, 'results'), ...numbers.map(String), ...more]);
      results.push(new Float64Array(new Uint8Array(readFileSync(join(work, 'results'))).buffer));
    }
    return results;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function stepArguments(work: string, program: PopulationProgram, generations: number): string[] {
  const launches = Array.from({ length: generations }, (_, generation) => {
    const { before, after } = program.launches({ run: 0, generation });
    const each = [...before, ...after].flatMap(({ step, threads, turn }) => [step, threads, turn]);
    return [before.length, after.length, ...each];
  });
  const [launchFile, constantFile] = [join(work, 'launches'), join(work, 'constants')];
  writeFileSync(launchFile, Uint32Array.from(launches.flat()));
  writeFileSync(constantFile, program.constants);
  return [launchFile, constantFile, ...[program.shared, program.work, program.constants.length].map(String)];
}

/** The program with kernels of its own names. */
function inNamespace([program, readsGradients]: readonly [file: string, readsGradients: boolean], k: number): string {
  const hasSteps = readFileSync(join(strategies, program), 'utf8').includes('__global__ void step(');
  const headers = ['generation.h', program, 'kernels.h'].map((name) => `#include "${strategies}${name}"\n`);
  return [
    ...KERNELS.map((name) => `#define ${name} ${name}_${k}\n`),
    `#define GENERATION_HAS_STEPS ${hasSteps ? 1 : 0}\n`,
    ...(readsGradients ? ['#define EVALUATE_GRADIENT slopes::evaluate_gradient\n'] : []),
    `namespace program_${k} {\n`,
    ...headers,
    '#include "run_generations.h"\n}\n',
    ...['EVALUATE_GRADIENT', 'GENERATION_HAS_STEPS', ...KERNELS].map((name) => `#undef ${name}\n`),
  ].join('');
}
