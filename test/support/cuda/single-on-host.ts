/** Kernels in single precision on the processor against the interpreter: every value lies within its bound. */
import { createOutput, isWithin } from '../../../src/backends/backend.js';
import { generateSingleKernel, SINGLE_RESULT_NUMBERS } from '../../../src/backends/cuda/generate-single.js';
import { settle } from '../../../src/backends/single-precision/settle.js';
import { resultsOf, type IrFunction } from '../../../src/ir/types.js';
import { interpretAll } from '../compiled-backends.js';
import { rowsOf, type Case } from './against-interpreter.js';
import { runOnHost, type HostForm, type OptimizationLevel } from './host-kernels.js';

const textOf = (fn: IrFunction): string => generateSingleKernel(fn, new Set()).text;
export const SINGLE: HostForm = { textOf, numbersPerResult: SINGLE_RESULT_NUMBERS };

export interface SingleFindings {
  /** One line for each case of which something is not as it must be. */
  readonly problems: readonly string[];
  /** Names and reasons. */
  readonly refused: readonly string[];
  /** Cases whose programs fit, and the share of their candidates that single precision decides. */
  readonly fitting: number;
  readonly decided: number;
}

export async function singleFindings(all: readonly Case[], level?: OptimizationLevel): Promise<SingleFindings> {
  const refused: string[] = [];
  const cases = all.filter(({ name, fn }) => {
    try {
      textOf(fn);
      return true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refused.push(`${name}: ${error.message}`);
      return false;
    }
  });
  const found = await runOnHost(cases, SINGLE, level);
  const problems: string[] = [];
  let [decided, total] = [0, 0];
  cases.forEach(({ name, fn, batches }, k) =>
    batches.forEach((batch, b) => {
      const rows = rowsOf(batch, fn.dimension);
      const numbers = found[k][b].values;
      const pick = (part: number): Float64Array => numbers.filter((_, at) => at % SINGLE_RESULT_NUMBERS === part);
      const { problem, count } = judged(fn, rows, pick(0), pick(1));
      if (problem !== null) problems.push(`${name}, at [${rows[problem.row]}]: ${problem.what}`);
      decided += count;
      total += rows.length;
    }),
  );
  return { problems, refused, fitting: cases.length, decided: decided / total };
}

interface Judgement {
  readonly problem: { readonly row: number; readonly what: string } | null;
  /** Candidates that are decided. */
  readonly count: number;
}

function judged(fn: IrFunction, rows: number[][], values: Float64Array, errors: Float64Array): Judgement {
  const results = resultsOf(fn);
  const exact = interpretAll(fn, rows);
  const output = createOutput(rows.length, results);
  settle({ values, errors }, rows.length, results, output.values, output.status, null);
  const count = output.status.filter((status) => status === 0).length;
  for (let at = 0; at < values.length; at++) {
    const row = Math.floor(at / results);
    const isDecided = output.status[row] === 0;
    const what = `${values[at]} for ${exact.values[at]}, status ${exact.status[row]}, bound ${errors[at]}`;
    if (isDecided && exact.status[row] !== 0) return { problem: { row, what }, count };
    if (!isWithin(values[at], errors[at], exact.values[at])) return { problem: { row, what }, count };
  }
  return { problem: null, count };
}
