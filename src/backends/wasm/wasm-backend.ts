/**
 * WebAssembly SIMD emitted from the IR: the backend for hosts without the native addon. Two candidates per vector, in
 * the calling thread, which is a worker where the engine lives.
 */
import { ExtremumError } from '../../common/errors.js';
import { IrBuilder } from '../../ir/builder.js';
import type { IrFunction } from '../../ir/types.js';
import { TILE_LANES, toRows } from '../../model/tiles.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backend.js';
import type { CandidateEvaluator } from '../ir-kernel.js';
import { IrKernel, deliver, requireIr } from '../ir-kernel.js';
import type { GeneratedModule } from './generate.js';
import { generateModule } from './generate.js';
import { instantiate, missingSupport } from './host.js';

interface WasmOptions {
  /** One element; another thread sets it non-zero to end a running evaluation, which then rejects with `cancelled`. */
  readonly cancelFlag?: Int32Array;
  /** Nodes per WebAssembly function, roughly. For tests. */
  readonly functionSize?: number;
}

const DEVICE = `V8 ${process.versions.v8}, WebAssembly SIMD, 1 thread`;
/** Limit for memory, and for code, per kernel. */
const MAX_BYTES = 64 * 2 ** 20;

export class WasmBackend implements Backend {
  readonly name = 'wasm';
  readonly capabilities: BackendCapabilities = {
    input: 'ir',
    precision: 'f64',
    arithmetic: 'exact',
  };

  constructor(private readonly options: WasmOptions = {}) {}

  async probe(): Promise<Availability> {
    const reason = missingSupport(() => generateModule(smallest(), MAX_BYTES, true).bytes);
    return reason === '' ? { available: true, device: DEVICE } : { available: false, reason };
  }

  async open(objective: Objective): Promise<Kernel> {
    const ir = requireIr(objective, this.name);
    const program = load(ir, this.options);
    return new IrKernel(this.name, DEVICE, ir, program.evaluate, program.release);
  }

  async close(): Promise<void> {}
}

function smallest(): IrFunction {
  const b = new IrBuilder('smallest', 1);
  return b.finish(b.x(0));
}

interface Program {
  readonly evaluate: CandidateEvaluator;
  readonly release: () => void;
}

/**
 * A module for each layout that comes, for to lay rows out in tiles takes as long as a cheap objective.
 * @throws {ExtremumError} `backend_unavailable` for what is too large.
 */
function load(ir: IrFunction, { cancelFlag, functionSize }: WasmOptions): Program {
  const { dimension } = ir;
  const make = (isTiled: boolean): CandidateEvaluator =>
    blockEvaluator(dimension, generateModule(ir, MAX_BYTES, isTiled, functionSize), isTiled, cancelFlag);
  // What this process or V8 refuses is refused now.
  let evaluateRows: CandidateEvaluator | undefined;
  try {
    evaluateRows = make(false);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ExtremumError('backend_unavailable', `the wasm backend does not take this objective: ${message}`, {
      cause,
    });
  }
  let evaluateTiles: CandidateEvaluator | undefined;
  return {
    evaluate: (candidates, count, values, status, lines, isTiled) => {
      if (evaluateRows === undefined) return;
      if (isTiled) evaluateTiles ??= orInRows(() => make(true), evaluateRows, dimension);
      return (isTiled ? evaluateTiles : evaluateRows)?.(candidates, count, values, status, lines, isTiled);
    },
    // The engine gives code and memory back when nothing refers to them.
    release: () => (evaluateRows = evaluateTiles = undefined),
  };
}

/** A second module may find no room where the first one did. */
export function orInRows(
  make: () => CandidateEvaluator,
  evaluateRows: CandidateEvaluator,
  dimension: number,
): CandidateEvaluator {
  try {
    return make();
  } catch {
    return (candidates, count, values, status, lines) =>
      evaluateRows(toRows(candidates, count, dimension), count, values, status, lines, false);
  }
}

/** Copies tiles, or as many rows, into the module's memory one by one, and results out. */
function blockEvaluator(
  dimension: number,
  { bytes, layout }: GeneratedModule,
  isTiled: boolean,
  cancelFlag?: Int32Array,
): CandidateEvaluator {
  const { memory, run } = instantiate(bytes);
  const { runRows, outputs } = layout;
  const block = new Float64Array(memory.buffer, layout.candidates, TILE_LANES * dimension);
  const results = new Float64Array(memory.buffer, layout.values, TILE_LANES);
  const flags = new Int32Array(memory.buffer, layout.flags, 2 * TILE_LANES);
  // Two lanes each.
  const delivered = outputs === null ? null : new Float64Array(memory.buffer, outputs.address, 2 * outputs.length);
  return (candidates, count, values, status, lines) => {
    status.fill(0, 0, count);
    lines?.fill(0, 0, count);
    for (let first = 0; first < count; first += TILE_LANES) {
      const size = Math.min(TILE_LANES, count - first);
      const start = first * dimension;
      block.set(candidates.subarray(start, start + (isTiled ? TILE_LANES : size) * dimension));
      // An odd last candidate is evaluated twice.
      if (size % 2 === 1 && isTiled)
        for (let at = size; at < block.length; at += TILE_LANES) block[at] = block[at - 1]!;
      else if (size % 2 === 1) block.copyWithin(size * dimension, (size - 1) * dimension, size * dimension);
      for (let from = 0; from < size; from += runRows) {
        if (cancelFlag !== undefined && Atomics.load(cancelFlag, 0) !== 0) {
          throw new ExtremumError('cancelled', 'the evaluation was cancelled');
        }
        const end = Math.min(size, from + runRows);
        const flagged = run(from, (end - from + 1) >> 1) !== 0;
        for (let lane = from; flagged && lane < end; lane++) {
          status[first + lane] = flags[2 * lane];
          if (lines) lines[first + lane] = flags[2 * lane + 1];
        }
        if (delivered === null) continue;
        for (let lane = from; lane < end; lane++) {
          const row = status[first + lane] === 0 ? delivered.filter((_, k) => k % 2 === lane % 2) : null;
          deliver(values, first + lane, results[lane], row, 1 + delivered.length / 2);
        }
      }
      if (delivered === null) values.set(size === TILE_LANES ? results : results.subarray(0, size), first);
    }
  };
}
