/** The reference interpreter as a backend: slow, plain, everywhere. Other backends are tested against it. */
import { interpret } from '../../ir/interpreter.js';
import { candidateOf } from '../../model/candidate-batch.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backend.js';
import { resultsOf } from '../../ir/types.js';
import { IrKernel, deliver, requireIr } from '../ir-kernel.js';

const DEVICE = 'reference interpreter, 1 thread';

export class InterpreterBackend implements Backend {
  readonly name = 'interpreter';
  readonly capabilities: BackendCapabilities = {
    input: 'ir',
    precision: 'f64',
    arithmetic: 'exact',
  };

  async probe(): Promise<Availability> {
    return { available: true, device: DEVICE };
  }

  async open(objective: Objective): Promise<Kernel> {
    const ir = requireIr(objective, this.name);
    const width = resultsOf(ir);
    return new IrKernel(this.name, DEVICE, ir, (candidates, count, values, status, lines, isTiled) => {
      const batch = { candidates, dimension: ir.dimension, layout: isTiled ? ('tiles' as const) : undefined };
      for (let i = 0; i < count; i++) {
        const lane = interpret(ir, candidateOf(batch, i));
        deliver(values, i, lane.value, lane.outputs ?? null, width);
        status[i] = lane.status;
        if (lines) lines[i] = lane.line;
      }
    });
  }

  async close(): Promise<void> {}
}
