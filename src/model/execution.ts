import type { RunStatus } from './run-status.js';

/** A run as lists of executions show it. */
export interface Execution {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly status: RunStatus;
  /** Epoch milliseconds; null, as all below: it has not ended. */
  readonly completedAt: number | null;
  /** Without those of the run that it extends; `seconds` likewise. */
  readonly evaluations: number | null;
  readonly seconds: number | null;
  /** Microseconds of processor time; `gpuMicros`: of GPU time. */
  readonly cpuMicros: number | null;
  readonly gpuMicros: number | null;
  /** Best value of the objective itself; null also where no value was finite, or the run's record is gone. */
  readonly bestFitness: number | null;
  /** Who searched last. */
  readonly strategy: string | null;
}

/** Where a list of executions was left: the last one that was read. */
export type ExecutionPlace = Pick<Execution, 'id' | 'createdAt'>;

/** An execution with its cost, in the currency of the deployment; null: it has not ended. */
export interface CostedExecution extends Execution {
  readonly cost: number | null;
}
