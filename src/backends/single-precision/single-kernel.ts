/**
 * A kernel of a place that knows single precision only: values that count, the rest `UNDECIDED`, and who had the work.
 */
import type { IrFunction } from '../../ir/types.js';
import { resultsOf } from '../../ir/types.js';
import type { CandidateBatch } from '../../model/candidate-batch.js';
import type { Approximation, EvaluationOutput, GpuUse } from '../backend.js';
import { IrKernel } from '../ir-kernel.js';
import { settle } from './settle.js';

export interface SinglePlace {
  readonly device: string;
  /** Counts evaluations on a GPU, in records; null: it is on the processor. */
  readonly gpuTier: string | null;
  /** In which it worked, by a clock of its own; absent: it has none. */
  readonly seconds?: number;
  /** Candidates at once: whole tiles. */
  readonly rows: number;
  /** Values and bounds of at most `rows` candidates, also of those that do not count. */
  approximate(batch: CandidateBatch): Promise<Approximation>;
  close(): void | Promise<void>;
}

export class SingleKernel extends IrKernel {
  private evaluations = 0;
  private seconds = 0;

  constructor(
    name: string,
    ir: IrFunction,
    private readonly place: SinglePlace,
  ) {
    const { dimension } = ir;
    super(
      name,
      place.device,
      ir,
      async (candidates, count, values, status, lines, isTiled) => {
        const layout = isTiled ? ('tiles' as const) : undefined;
        const found = await place.approximate({ candidates, count, dimension, layout });
        settle(found, count, resultsOf(ir), values, status, lines);
      },
      () => place.close(),
      undefined,
      place.rows,
    );
  }

  override get tier(): string {
    return this.place.gpuTier ?? this.backend;
  }

  get gpu(): GpuUse | undefined {
    const { gpuTier, seconds = this.seconds } = this.place;
    return gpuTier === null ? undefined : { backend: gpuTier, evaluations: this.evaluations, seconds };
  }

  override async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    const began = performance.now();
    try {
      await super.evaluate(batch, output, signal);
      this.evaluations += batch.count;
    } finally {
      this.seconds += (performance.now() - began) / 1000;
    }
  }

  /** For a judge of its error bounds. At most as many candidates as the place takes at once. */
  approximate(batch: CandidateBatch): Promise<Approximation> {
    return this.place.approximate(batch);
  }
}
