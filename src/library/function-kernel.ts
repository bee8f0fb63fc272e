/** A function of the caller's as the engine's kernel: called in the thread that called the library. */
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { ExtremumError } from '../common/errors.js';
import { inRows, type CandidateBatch } from '../model/candidate-batch.js';
import { failureOf, type RowSink, type Rows } from './calls.js';

/** Resolves like `work`; rejects with `cancelled` as soon as the signal says so, whatever `work` still does. */
export async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  let abort: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(new ExtremumError('cancelled', 'The evaluation was cancelled.'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export class FunctionKernel implements Kernel {
  readonly backend = 'function';
  readonly device = 'the calling thread';
  /** Exception that the objective threw at the first of all points that failed; undefined: nothing yet. */
  firstError: unknown = undefined;

  /** `call` fills the sink with the results of all rows. */
  constructor(private readonly call: (rows: Rows, sink: RowSink) => Promise<void>) {}

  async evaluate(batch: CandidateBatch, output: EvaluationOutput, signal?: AbortSignal): Promise<void> {
    const { candidates: points, count, dimension } = inRows(batch);
    output.status.fill(0, 0, count);
    output.failures.length = 0;
    let isSettled = false;
    const errors = new Map<number, unknown>();
    const sink: RowSink = {
      values: output.values,
      fail: (index, error) => {
        errors.set(index, error);
        output.values[index] = NaN;
        output.status[index] = EVALUATION_FAILED;
        output.failures.push({ ...failureOf(index, error), line: 0 });
      },
      isOver: () => isSettled || signal?.aborted === true,
    };
    try {
      await unlessAborted(this.call({ points, count, dimension }, sink), signal);
    } finally {
      isSettled = true;
    }
    if (this.firstError === undefined && errors.size > 0) this.firstError = errors.get(Math.min(...errors.keys()));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
