/**
 * WebAssembly SIMD emitted from the IR: the backend for hosts without the native addon. Two candidates per vector, in
 * the calling thread, which is a worker where the engine lives.
 */
import { ExtremumError } from '../../common/errors.js';
import { IrBuilder } from '../../ir/builder.js';
import type { IrFunction } from '../../ir/types.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backend.js';
import type { RowEvaluator } from '../ir-kernel.js';
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
    precision: 'exact',
    preferredBatch: 64,
    maxDimension: 2 ** 21,
  };

  constructor(private readonly options: WasmOptions = {}) {}

  async probe(): Promise<Availability> {
    const reason = missingSupport(() => generateModule(smallest(), MAX_BYTES).bytes);
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
  readonly evaluate: RowEvaluator;
  readonly release: () => void;
}

/** @throws {ExtremumError} `backend_unavailable` for what is too large. */
function load(ir: IrFunction, { cancelFlag, functionSize }: WasmOptions): Program {
  try {
    const module = generateModule(ir, MAX_BYTES, functionSize);
    let evaluate: RowEvaluator | undefined = blockEvaluator(ir.dimension, module, cancelFlag);
    return {
      evaluate: (...args) => evaluate?.(...args),
      // The engine gives code and memory back when nothing refers to them.
      release: () => (evaluate = undefined),
    };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ExtremumError('backend_unavailable', `the wasm backend does not take this objective: ${message}`, {
      cause,
    });
  }
}

/** Copies rows into the module's memory block by block, and results out. */
function blockEvaluator(dimension: number, { bytes, layout }: GeneratedModule, cancelFlag?: Int32Array): RowEvaluator {
  const { memory, run } = instantiate(bytes);
  const { blockRows, outputs } = layout;
  const rows = new Float64Array(memory.buffer, layout.candidates, blockRows * dimension);
  const results = new Float64Array(memory.buffer, layout.values, blockRows);
  const flags = new Int32Array(memory.buffer, layout.flags, 2 * blockRows);
  // Two lanes each.
  const delivered = outputs === null ? null : new Float64Array(memory.buffer, outputs.address, 2 * outputs.length);
  return (candidates, count, values, status, lines) => {
    status.fill(0, 0, count);
    lines?.fill(0, 0, count);
    for (let first = 0; first < count; first += blockRows) {
      if (cancelFlag !== undefined && Atomics.load(cancelFlag, 0) !== 0) {
        throw new ExtremumError('cancelled', 'the evaluation was cancelled');
      }
      const size = Math.min(blockRows, count - first);
      rows.set(candidates.subarray(first * dimension, (first + size) * dimension));
      // An odd last row is evaluated twice.
      if (size % 2 === 1) rows.copyWithin(size * dimension, (size - 1) * dimension, size * dimension);
      const flagged = run((size + 1) >> 1) !== 0;
      if (delivered === null) values.set(size === blockRows ? results : results.subarray(0, size), first);
      if (flagged) {
        for (let i = 0; i < size; i++) {
          status[first + i] = flags[2 * i];
          if (lines) lines[first + i] = flags[2 * i + 1];
        }
      }
      if (delivered === null) continue;
      for (let lane = 0; lane < size; lane++) {
        const row = status[first + lane] === 0 ? delivered.filter((_, k) => k % 2 === lane) : null;
        deliver(values, first + lane, results[lane], row, 1 + delivered.length / 2);
      }
    }
  };
}
