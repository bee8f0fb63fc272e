/** Runs of plain JavaScript functions by the engine itself, with their snapshots and as records. */
import type { EvaluationOutput, Kernel } from '../../src/backends/backend.js';
import { runOptimization } from '../../src/engine/run-optimization.js';
import type { RunSnapshot } from '../../src/engine/snapshot.js';
import { openProgram } from '../../src/evaluation/derived-programs.js';
import type { EndedRun } from '../../src/explanation/ended-run.js';
import { candidateOf, type CandidateBatch } from '../../src/model/candidate-batch.js';
import { PRESET_CONFIGS } from '../../src/model/intelligence.js';
import { isOfBox, type Reading } from '../../src/model/reading.js';
import type { RunOutcome, RunTask } from '../../src/model/run-task.js';
import { strategies } from '../../src/planner/all-strategies.js';
import type { RunPorts } from '../../src/engine/ports.js';
import { resultsOf, type IrFunction } from '../../src/ir/types.js';
import { boundsOf, compilePython, openKernel } from './open-runs.js';

export type Single = (x: ArrayLike<number>) => number;
export type Objective = (x: ArrayLike<number>) => number | readonly number[];

class PlainKernel implements Kernel {
  readonly backend = 'test';
  readonly device = 'test';

  constructor(private readonly objective: Objective) {}

  async evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    output.failures.length = 0;
    for (let k = 0; k < batch.count; k++) {
      output.status[k] = 0;
      const values = [this.objective(candidateOf(batch, k))].flat();
      output.values.set(values, k * values.length);
    }
  }

  async close(): Promise<void> {}
}

/** A row that was asked for, and its results; null where there are none. Of a box there is no point. */
export type OnRow = (reading: Reading, point: readonly number[] | null, results: readonly number[] | null) => void;

class HeardKernel implements Kernel {
  readonly backend = 'test';
  readonly device = 'test';

  constructor(
    private readonly inner: Kernel,
    private readonly width: number,
    private readonly onRow: OnRow,
  ) {}

  async evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    await this.inner.evaluate(batch, output);
    const { reading = 'value' } = batch;
    for (let k = 0; k < batch.count; k++) {
      const results = Array.from(output.values.subarray(k * this.width, (k + 1) * this.width));
      const point = isOfBox(reading) ? null : Array.from(candidateOf(batch, k));
      this.onRow(reading, point, output.status[k] === 0 ? results : null);
    }
  }

  close = (): Promise<void> => this.inner.close();
}

export interface Watched {
  readonly task: RunTask;
  readonly outcome: RunOutcome;
  readonly snapshots: RunSnapshot[];
  readonly run: EndedRun;
}

export const watch = (objective: Objective, more: Partial<RunTask> = {}, resumeFrom?: RunSnapshot): Promise<Watched> =>
  watchRun({ primary: new PlainKernel(objective), program: null }, taskOf(more), resumeFrom);

/** The same of a Python text, which is compiled and may be read. */
export async function watchOpen(code: string, more: Partial<RunTask>, onRow: OnRow): Promise<Watched> {
  const task = taskOf(more);
  const ir = compilePython(code, task.bounds.length, task.bounds);
  const heard = async (one: IrFunction): Promise<Kernel> =>
    new HeardKernel(await openKernel(one), resultsOf(one), onRow);
  const program = openProgram(ir, task.direction, boundsOf(task.bounds), heard);
  return watchRun({ primary: await heard(ir), program }, task);
}

function taskOf(more: Partial<RunTask>): RunTask {
  return {
    bounds: Array.from({ length: 4 }, () => [-5, 5] as const),
    maxEvaluations: 600,
    seed: 3,
    direction: 'minimize',
    mode: 'balanced',
    explanationLevel: 5,
    ...more,
  };
}

async function watchRun(
  { primary, program }: Required<Pick<RunPorts, 'primary' | 'program'>>,
  task: RunTask,
  resumeFrom?: RunSnapshot,
): Promise<Watched> {
  const snapshots: RunSnapshot[] = [];
  const outcome = await runOptimization(
    task,
    {
      strategies,
      primary,
      program,
      fallback: null,
      now: () => 0,
      isCancelled: () => false,
      backendReason: 'test',
      checkpoint: (snapshot) => snapshots.push(JSON.parse(JSON.stringify(snapshot)) as RunSnapshot),
      checkpointIntervalMs: 0,
    },
    resumeFrom,
  );
  const { history: _history, ...ending } = outcome;
  const run = {
    ...{ id: 'opt_1', accountId: 'acct_1', functionId: 'func_1', status: 'completed' as const, metadata: {} },
    ...{ createdAt: 0, startedAt: 0, completedAt: 0, attempt: 1, losses: 0, strikes: 0 },
    ...{ cancelRequested: false, progress: null },
    request: {
      task,
      preset: 'research' as const,
      intelligence: { ...PRESET_CONFIGS.research, explanationLevel: task.explanationLevel ?? 0 },
      blackBox: program === null,
      pythonMinor: 12,
    },
    ending,
  };
  return { task, outcome, snapshots, run };
}
