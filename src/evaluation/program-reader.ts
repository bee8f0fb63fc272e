/**
 * Evaluates batches of the readings that derived programs give, each on a kernel of its own that is opened at its first
 * batch.
 */
import { createOutput, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import type { IrFunction } from '../ir/types.js';
import type { CandidateBatch } from '../model/candidate-batch.js';
import type { DerivedReading } from '../model/reading.js';
import type { ProgramView } from '../strategies/strategy.js';

/** The program of a compiled objective, for strategies that do not only call it. */
export interface OpenProgram extends ProgramView {
  /** Opens what evaluates rows of a reading whose `resultLength` is not null; the caller closes it. */
  open(reading: DerivedReading): Promise<Kernel>;
  /** What it is opened for; null where there is none. */
  derived(reading: DerivedReading): IrFunction | null;
}

interface Opened {
  readonly kernel: Kernel;
  /** Numbers of a row of results. */
  readonly width: number;
  output: EvaluationOutput;
}

export class ProgramReader {
  private readonly opened = new Map<DerivedReading, Opened>();
  private readonly counts: Record<string, number>;

  constructor(
    private readonly program: OpenProgram | null,
    counts: Readonly<Record<string, number>> = {},
  ) {
    this.counts = { ...counts };
  }

  /** Rows so far, by reading. */
  evaluations(): Readonly<Record<string, number>> {
    return { ...this.counts };
  }

  /** [count, width], valid until the next call for the reading. A row that was flagged is NaN throughout. */
  async read(batch: CandidateBatch, reading: DerivedReading, signal: AbortSignal): Promise<Float64Array> {
    const opened = this.opened.get(reading) ?? (await this.open(reading));
    const { kernel, width } = opened;
    const { count } = batch;
    if (opened.output.status.length < count) opened.output = createOutput(count, width);
    const { values, status } = opened.output;
    await kernel.evaluate(batch, opened.output, signal);
    this.count(reading, count);
    for (let k = 0; k < count; k++) if (status[k] !== 0) values.fill(NaN, k * width, (k + 1) * width);
    return values.subarray(0, count * width);
  }

  /** Rows that a device has read by itself. */
  count(reading: DerivedReading, rows: number): void {
    this.counts[reading] = (this.counts[reading] ?? 0) + rows;
  }

  async close(): Promise<void> {
    for (const { kernel } of this.opened.values()) await kernel.close();
    this.opened.clear();
  }

  private async open(reading: DerivedReading): Promise<Opened> {
    const length = this.program?.resultLength(reading) ?? null;
    if (this.program === null || length === null) throw new Error(`the program cannot be read for ${reading}`);
    const opened = { kernel: await this.program.open(reading), width: 1 + length, output: createOutput(1, 1 + length) };
    this.opened.set(reading, opened);
    return opened;
  }
}
