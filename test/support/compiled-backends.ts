/** The backends for compiled objectives that work here, and how one of them is held against the interpreter. */
import { createOutputWithLines, type Backend, type EvaluationOutput } from '../../src/backends/backend.js';
import { deliver } from '../../src/backends/ir-kernel.js';
import { JavaScriptBackend } from '../../src/backends/javascript/javascript-backend.js';
import { loadAddon } from '../../src/backends/native/addon.js';
import { NativeBackend } from '../../src/backends/native/native-backend.js';
import { WasmBackend } from '../../src/backends/wasm/wasm-backend.js';
import { ExtremumError } from '../../src/common/errors.js';
import { interpret } from '../../src/ir/interpreter.js';
import { resultsOf, type IrFunction } from '../../src/ir/types.js';
import type { OracleJob } from './cpython-oracle.js';

export interface Contender {
  readonly name: string;
  readonly backend: Backend;
}

/** Every backend for compiled objectives that works here; the native one once per instruction set. */
export async function compiledBackends(): Promise<readonly Contender[]> {
  const targets = loadAddon().addon?.targets() ?? [];
  const all: Contender[] = [
    ...targets.map((target) => ({
      name: `native ${target}`,
      backend: new NativeBackend({ target, tier: 'vm', threads: 1, offload: false }),
    })),
    ...targets
      .filter((target) => target !== 'scalar')
      .map((target) => ({
        name: `native code ${target}`,
        backend: new NativeBackend({ target, tier: 'native-code', threads: 1, offload: false }),
      })),
    { name: 'wasm', backend: new WasmBackend() },
    // Cut into many functions, which random programs are too short for.
    { name: 'wasm in pieces', backend: new WasmBackend({ functionSize: 5 }) },
    { name: 'javascript', backend: new JavaScriptBackend() },
  ];
  const available = await Promise.all(all.map(({ backend }) => backend.probe()));
  return all.filter((_, k) => available[k].available);
}

export function interpretAll(ir: IrFunction, points: readonly (readonly number[])[]): EvaluationOutput {
  const results = resultsOf(ir);
  const output = createOutputWithLines(points.length, results);
  points.forEach((point, k) => {
    const { value, outputs, status, line } = interpret(ir, point);
    deliver(output.values, k, value, outputs ?? null, results);
    output.status[k] = status;
    output.lines[k] = line;
  });
  return output;
}

/** What a backend says to a program that is too large for it. */
export const REFUSED = 'refused';

export const show = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** What differs first between a backend and the interpreter on these points; null: nothing. */
export async function compareBackend(
  backend: Backend,
  ir: IrFunction,
  { source, points }: OracleJob,
  expected: EvaluationOutput,
): Promise<string | null> {
  const count = points.length;
  const results = resultsOf(ir);
  const output = createOutputWithLines(count, results);
  // By itself a candidate takes one side of each branch, and the other may be skipped.
  const alone = createOutputWithLines(count, results);
  try {
    const kernel = await backend.open({ source, dimension: ir.dimension, ir });
    try {
      const candidates = Float64Array.from(points.flat());
      await kernel.evaluate({ candidates, count, dimension: ir.dimension }, output);
      for (let k = 0; k < count; k++) {
        const one = createOutputWithLines(1, results);
        const row = candidates.slice(k * ir.dimension, (k + 1) * ir.dimension);
        await kernel.evaluate({ candidates: row, count: 1, dimension: ir.dimension }, one);
        alone.values.set(one.values.subarray(0, results), k * results);
        [alone.status[k], alone.lines[k]] = [one.status[0], one.lines[0]];
      }
      // A faster tier that was wrong and dropped.
      if (kernel.device.includes('gave other bits')) return `is ${kernel.device}`;
    } finally {
      await kernel.close();
    }
  } catch (error) {
    if (error instanceof ExtremumError && error.code === 'backend_unavailable') return REFUSED;
    return `fails: ${String(error)}`;
  }
  const line = ({ values, status, lines }: EvaluationOutput, k: number): string => {
    const row = Array.from(values.subarray(k * results, (k + 1) * results), show);
    return `${row.join(', ')} with status ${status[k]}, line ${lines![k]}`;
  };
  for (let k = 0; k < count; k++) {
    const [mine, single, theirs] = [line(output, k), line(alone, k), line(expected, k)];
    if (single !== theirs) return `at [${points[k].map(show).join(', ')}], alone: ${single}, the interpreter ${theirs}`;
    if (mine !== theirs) return `at [${points[k].map(show).join(', ')}]: ${mine}, the interpreter ${theirs}`;
  }
  return null;
}
