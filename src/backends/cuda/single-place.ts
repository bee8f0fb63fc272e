/** A kernel on a device as a place of single precision: values and bounds of candidates. */
import { resultsOf, type IrFunction } from '../../ir/types.js';
import type { CandidateBatch } from '../../model/candidate-batch.js';
import type { CandidateEvaluator } from '../ir-kernel.js';
import type { Approximation } from '../backend.js';
import type { SinglePlace } from '../single-precision/single-kernel.js';
import type { CudaAddon, KernelHandle } from './driver.js';
import { SINGLE_RESULT_NUMBERS } from './generate-single.js';

export class CudaPlace implements SinglePlace {
  readonly gpuTier = 'cuda';
  seconds = 0;
  private readonly results: number;
  private isOpen = true;

  constructor(
    private readonly addon: CudaAddon,
    private readonly handle: KernelHandle,
    private readonly evaluate: CandidateEvaluator,
    readonly device: string,
    readonly rows: number,
    ir: IrFunction,
  ) {
    this.results = resultsOf(ir);
  }

  async approximate({ candidates, count, layout }: CandidateBatch): Promise<Approximation> {
    const length = count * this.results;
    const found = new Float64Array(SINGLE_RESULT_NUMBERS * length);
    try {
      await this.evaluate(candidates, count, found, new Uint8Array(count), null, layout === 'tiles');
    } finally {
      // While it is at work its state would have to be waited for.
      if (this.isOpen) this.seconds = this.addon.cudaState(this.handle).deviceSeconds;
    }
    const [values, errors] = [new Float64Array(length), new Float64Array(length)];
    for (let k = 0; k < length; k++) {
      values[k] = found[SINGLE_RESULT_NUMBERS * k];
      errors[k] = found[SINGLE_RESULT_NUMBERS * k + 1];
    }
    return { values, errors };
  }

  close(): void {
    this.isOpen = false;
    this.addon.cudaClose(this.handle);
  }
}
