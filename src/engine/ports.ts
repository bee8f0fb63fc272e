/** What the engine needs from outside. It reads no clock and knows no concrete backend. */
import type { Kernel } from '../backends/backend.js';
import type { RunProgress, StrategyChange } from '../model/run-task.js';
import type { DerivedReading } from '../model/reading.js';
import type { ProgramView, StrategyFactory } from '../strategies/strategy.js';
import type { RunSnapshot } from './snapshot.js';

/** The program of a compiled objective, for strategies that do not only call it. */
export interface OpenProgram extends ProgramView {
  /** Opens what evaluates rows of a reading whose `resultLength` is not null; the caller closes it. */
  open(reading: DerivedReading): Promise<Kernel>;
}

export interface RunPorts {
  /** Those that a task may name; the first that suits the task is the default. */
  readonly strategies: readonly StrategyFactory[];
  readonly primary: Kernel;
  /** CPython, for candidates that the primary flags; null when the primary is CPython or there is none. */
  readonly fallback: Kernel | null;
  /** Null: strategies can only call the objective. */
  readonly program?: OpenProgram | null;
  /** What earlier runs taught (`Knowledge.table`, model/learning.ts); absent: nothing. */
  readonly knowledge?: Float64Array;
  /** See `StrategyProblem.starts`. */
  readonly starts?: Float64Array;
  /** Milliseconds, monotonic. */
  now(): number;
  /** Asked before every generation and, while an evaluation is pending, every 50 ms. */
  isCancelled(): boolean;
  /** At most once per `progressIntervalMs`, default 200; 0 means after every generation. */
  onProgress?(progress: RunProgress): void;
  readonly progressIntervalMs?: number;
  /**
   * `strategy.changed`: the strategy went over to another way of searching. In their order; after a resumption those since
   * the checkpoint come again, with the same numbers.
   */
  onStrategyChanged?(change: StrategyChange): void;
  /** At most once per `checkpointIntervalMs`, default 1,000 (0: after every generation), and once when the run ends. */
  checkpoint?(snapshot: RunSnapshot): void;
  readonly checkpointIntervalMs?: number;
  /** Why the primary backend was chosen. */
  readonly backendReason: string;
}
