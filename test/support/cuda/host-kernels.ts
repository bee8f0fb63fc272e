/**
 * Runs the text of CUDA kernels on the processor: compiled by g++ behind `device_on_host.h` under the address and
 * undefined behaviour sanitizers, many kernels per program.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EvaluationOutput } from '../../../src/backends/backend.js';
import { createOutputWithLines } from '../../../src/backends/backend.js';
import type { IrFunction } from '../../../src/ir/types.js';
import { resultsOf } from '../../../src/ir/types.js';
import { tiledLength, toRows, toTiles } from '../../../src/model/tiles.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const exec = promisify(execFile);

const FLAGS = ['-std=c++20', '-ffp-contract=off', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
/** Noise in generated text: pragmas of CUDA, parentheses that C++ does not need, what only some kernels use. */
const QUIET = ['-Wno-unknown-pragmas', '-Wno-parentheses'];
/** Characters of kernel text per translation unit. */
const UNIT_CHARACTERS = 400_000;
/** Definitions of a kernel's text begin with one of these words, in the first column. */
const DEFINITIONS = /^(?=static |struct |extern )/m;
/** Of a function that gives a number or a truth value: not `lane` and its pieces. */
const LIBRARY_HEAD = /^static __device__ (?:__forceinline__ )?(?:double|float|bool) (\w+)\(/;
const COMPILERS = 2;

/** `-O0` takes a third less time than `-O1`. */
export type OptimizationLevel = '-O0' | '-O1';

/** A kernel, and the candidates [count, dimension] that it evaluates in one launch each. */
export interface HostJob {
  readonly fn: IrFunction;
  readonly batches: readonly Float64Array[];
}

/** How kernels are made: their text, and how many numbers they give for each result. */
export interface HostForm {
  textOf(fn: IrFunction): string;
  readonly numbersPerResult: number;
}

/** What each kernel gives for each of its batches, rows as a backend delivers them. */
export async function runOnHost(
  jobs: readonly HostJob[],
  form: HostForm,
  level: OptimizationLevel = '-O0',
): Promise<EvaluationOutput[][]> {
  const widthOf = (fn: IrFunction): number => form.numbersPerResult * resultsOf(fn);
  const work = mkdtempSync(join(tmpdir(), 'extremum-kernels-'));
  try {
    await build(work, jobs, form, level);
    writeFileSync(
      join(work, 'jobs'),
      Buffer.concat(jobs.flatMap(({ fn, batches }, k) => inputs(fn, batches, k, widthOf(fn)))),
    );
    await exec(join(work, 'run'), [join(work, 'jobs'), join(work, 'results')], { maxBuffer: 2 ** 26 });
    return readResults(readFileSync(join(work, 'results')), jobs, widthOf);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function build(work: string, jobs: readonly HostJob[], form: HostForm, level: OptimizationLevel): Promise<void> {
  const units = unitsOf(jobs.map(({ fn }) => form.textOf(fn)));
  const list = jobs.map((_, k) => `X(${k})`).join(' ');
  units.push(`#define KERNELS(X) ${list}\n#include "run_kernels.h"\n`);
  const objects = units.map((_, k) => join(work, `unit-${k}.o`));
  units.forEach((unit, k) => writeFileSync(join(work, `unit-${k}.cpp`), unit));
  const waiting = units.map((_, k) => k);
  const compile = async (): Promise<void> => {
    for (let k = waiting.pop(); k !== undefined; k = waiting.pop()) {
      const from = ['-I', folder, '-c', join(work, `unit-${k}.cpp`), '-o', objects[k]];
      await exec('g++', [...FLAGS, level, ...QUIET, ...from], { maxBuffer: 2 ** 26 });
    }
  };
  await Promise.all(Array.from({ length: COMPILERS }, compile));
  await exec('g++', [...FLAGS, ...objects, '-o', join(work, 'run')]);
}

/**
 * Translation units of many kernels, each with a name of its own. The texts stand as they are, but for device functions
 * of numbers: those of mathematics are long and the same in every kernel. They stand once in a unit, before its
 * kernels.
 */
function unitsOf(texts: readonly string[]): string[] {
  const units: string[] = [];
  let library = new Map<string, string>();
  texts.forEach((text, k) => {
    if (units.length === 0 || units.at(-1)!.length > UNIT_CHARACTERS) {
      units.push('#include "device_on_host.h"\n');
      library = new Map();
    }
    const definitions = text.split(DEFINITIONS);
    const added = definitions.filter((each) => LIBRARY_HEAD.test(each) && isNew(library, each));
    const own = definitions.filter((each) => !LIBRARY_HEAD.test(each));
    units[units.length - 1] += [
      ...added,
      `#define evaluate evaluate_${k}\nnamespace kernel_${k} {\n`,
      ...own,
      '}\n#undef evaluate\n',
    ].join('');
  });
  return units;
}

function isNew(library: Map<string, string>, definition: string): boolean {
  const name = LIBRARY_HEAD.exec(definition)![1];
  const known = library.get(name);
  if (known !== undefined && known !== definition) throw new Error(`${name} is not the same in all kernels`);
  library.set(name, definition);
  return known === undefined;
}

function inputs(fn: IrFunction, batches: readonly Float64Array[], number: number, width: number): Buffer[] {
  const { dimension } = fn;
  return batches.flatMap((rows) => {
    const count = rows.length / dimension;
    const head = Uint32Array.of(number, count, dimension, width);
    return [Buffer.from(head.buffer), Buffer.from(toTiles(rows, count, dimension).buffer)];
  });
}

function readResults(
  bytes: Buffer,
  jobs: readonly HostJob[],
  widthOf: (fn: IrFunction) => number,
): EvaluationOutput[][] {
  let at = 0;
  const take = (length: number): ArrayBuffer => {
    const part = bytes.subarray(at, at + length);
    at += length;
    return new Uint8Array(part).buffer;
  };
  return jobs.map(({ fn, batches }) =>
    batches.map((rows) => {
      const count = rows.length / fn.dimension;
      const width = widthOf(fn);
      const output = createOutputWithLines(count, width);
      toRows(new Float64Array(take(8 * tiledLength(count, width))), count, width, output.values);
      output.status.set(new Uint8Array(take(count)));
      output.lines.set(new Int32Array(take(4 * count)));
      return output;
    }),
  );
}
