/** The reference interpreter as a backend: slow, plain, everywhere. Other backends are tested against it. */
import { interpret } from '../../ir/interpreter.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backend.js';
import { IrKernel, requireIr } from '../ir-kernel.js';

const DEVICE = 'reference interpreter, 1 thread';

export class InterpreterBackend implements Backend {
  readonly name = 'interpreter';
  readonly capabilities: BackendCapabilities = {
    input: 'ir',
    precision: 'exact',
    preferredBatch: 1,
    maxDimension: Infinity,
  };

  async probe(): Promise<Availability> {
    return { available: true, device: DEVICE };
  }

  async open(objective: Objective): Promise<Kernel> {
    const ir = requireIr(objective, this.name);
    return new IrKernel(this.name, DEVICE, objective.dimension, (candidates, count, values, status, lines) => {
      for (let i = 0; i < count; i++) {
        const lane = interpret(ir, candidates.subarray(i * ir.dimension, (i + 1) * ir.dimension));
        values[i] = lane.value;
        status[i] = lane.status;
        if (lines) lines[i] = lane.line;
      }
    });
  }

  async close(): Promise<void> {}
}
