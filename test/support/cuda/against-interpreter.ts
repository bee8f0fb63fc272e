/** Kernels on the processor against the interpreter: value, status and line of every candidate. */
import type { EvaluationOutput } from '../../../src/backends/backend.js';
import { generateKernel } from '../../../src/backends/cuda/generate.js';
import type { IrFunction } from '../../../src/ir/types.js';
import { resultsOf } from '../../../src/ir/types.js';
import { interpretAll } from '../compiled-backends.js';
import { seededRandom, SPECIAL_VALUES } from '../random-ir.js';
import { runOnHost, type HostForm, type OptimizationLevel } from './host-kernels.js';
import type { KernelProgram } from './kernel-programs.js';

const EXACT: HostForm = { textOf: (fn) => generateKernel(fn, { math: 'exact' }).text, numbersPerResult: 1 };

/** A program, and batches of candidates [count, dimension]. */
export interface Case {
  readonly name: string;
  readonly fn: IrFunction;
  readonly batches: readonly Float64Array[];
}

export function rowsOf(candidates: Float64Array, dimension: number): number[][] {
  return Array.from({ length: candidates.length / dimension }, (_, i) => [
    ...candidates.subarray(i * dimension, (i + 1) * dimension),
  ]);
}

/** One line for each case that differs from the interpreter. */
export async function differences(cases: readonly Case[], level?: OptimizationLevel): Promise<string[]> {
  const found = await runOnHost(cases, EXACT, level);
  return cases.flatMap(({ name, fn, batches }, k) =>
    batches.flatMap((batch, b) => {
      const rows = rowsOf(batch, fn.dimension);
      const different = firstDifference(interpretAll(fn, rows), found[k][b], resultsOf(fn));
      return different === null
        ? []
        : [`${name}, ${rows.length} candidates, at [${rows[different.row]}]: ${different.what}`];
    }),
  );
}

function firstDifference(
  wanted: EvaluationOutput,
  found: EvaluationOutput,
  width: number,
): { row: number; what: string } | null {
  const bits = ({ values }: EvaluationOutput) => new BigUint64Array(values.buffer, values.byteOffset, values.length);
  const [mine, theirs] = [bits(found), bits(wanted)];
  for (let k = 0; k < mine.length; k++) {
    const row = Math.floor(k / width);
    const show = (output: EvaluationOutput, all: BigUint64Array) =>
      `${output.values[k]} (0x${all[k].toString(16)}), status ${output.status[row]}, line ${output.lines![row]}`;
    const [f, w] = [show(found, mine), show(wanted, theirs)];
    if (f !== w) return { row, what: `${f}, the interpreter ${w}` };
  }
  return null;
}

/** One batch: candidates within the bounds, and some whose coordinates make trouble. */
export function caseOf({ name, fn, bounds }: KernelProgram, seed: number): Case {
  const random = seededRandom(seed);
  const inside = Array.from({ length: 12 }, () => bounds.map(([low, high]) => low + random() * (high - low)));
  const special = Array.from({ length: 3 }, () =>
    bounds.map(() => SPECIAL_VALUES[Math.floor(random() * SPECIAL_VALUES.length)]),
  );
  return { name, fn, batches: [Float64Array.from([...inside, ...special].flat())] };
}
