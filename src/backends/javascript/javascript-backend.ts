/**
 * JavaScript generated from the IR: the backend for hosts without the native addon. Evaluates in the calling thread,
 * which is a worker where the engine lives.
 */
import { candidateStart, candidateStride } from '../../model/candidate-batch.js';
import type { Availability, Backend, BackendCapabilities, Kernel, Objective } from '../backend.js';
import { resultsOf } from '../../ir/types.js';
import { IrKernel, deliver, requireIr } from '../ir-kernel.js';
import { generateLane } from './generate.js';
import { compileLane, type Lane } from './library.js';

const DEVICE = `V8 ${process.versions.v8}, 1 thread`;

export class JavaScriptBackend implements Backend {
  readonly name = 'javascript';
  readonly capabilities: BackendCapabilities = {
    input: 'ir',
    precision: 'f64',
    arithmetic: 'exact',
  };

  async probe(): Promise<Availability> {
    try {
      new Function('return 1')();
      return { available: true, device: DEVICE };
    } catch {
      return {
        available: false,
        reason: 'this process may not generate code (--disallow-code-generation-from-strings)',
      };
    }
  }

  async open(objective: Objective): Promise<Kernel> {
    const ir = requireIr(objective, this.name);
    const lanes = new Map<number, Lane>();
    const laneOf = (stride: number): Lane => {
      let lane = lanes.get(stride);
      if (lane === undefined) lanes.set(stride, (lane = compileLane(generateLane(ir, stride))));
      return lane;
    };
    // What this process or V8 refuses is refused now.
    laneOf(1);
    const flag = new Int32Array(2);
    const width = resultsOf(ir);
    return new IrKernel(this.name, DEVICE, ir, (candidates, count, values, status, lines, isTiled) => {
      const layout = { layout: isTiled ? ('tiles' as const) : undefined, dimension: ir.dimension };
      const lane = laneOf(candidateStride(layout));
      for (let i = 0; i < count; i++) {
        flag[0] = flag[1] = 0;
        const value = lane(candidates, candidateStart(layout, i), flag);
        deliver(values, i, value, flag[0] === 0 ? (lane.outputs ?? null) : null, width);
        status[i] = flag[0];
        if (lines) lines[i] = flag[1];
      }
    });
  }

  async close(): Promise<void> {}
}
