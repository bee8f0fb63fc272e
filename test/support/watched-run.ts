/** Runs of plain JavaScript functions by the engine itself, with their snapshots and as records. */
import type { EvaluationOutput, Kernel } from '../../src/backends/backend.js';
import { runOptimization } from '../../src/engine/run-optimization.js';
import type { RunSnapshot } from '../../src/engine/snapshot.js';
import type { EndedRun } from '../../src/explanation/ended-run.js';
import { candidateOf, type CandidateBatch } from '../../src/model/candidate-batch.js';
import { PRESET_CONFIGS } from '../../src/model/intelligence.js';
import type { RunOutcome, RunTask } from '../../src/model/run-task.js';
import { strategies } from '../../src/planner/all-strategies.js';

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

export interface Watched {
  readonly task: RunTask;
  readonly outcome: RunOutcome;
  readonly snapshots: RunSnapshot[];
  readonly run: EndedRun;
}

export async function watch(
  objective: Objective,
  more: Partial<RunTask> = {},
  resumeFrom?: RunSnapshot,
): Promise<Watched> {
  const task: RunTask = {
    bounds: Array.from({ length: 4 }, () => [-5, 5] as const),
    maxEvaluations: 600,
    seed: 3,
    direction: 'minimize',
    mode: 'balanced',
    explanationLevel: 5,
    ...more,
  };
  const snapshots: RunSnapshot[] = [];
  const outcome = await runOptimization(
    task,
    {
      strategies,
      primary: new PlainKernel(objective),
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
      blackBox: true,
      pythonMinor: 12,
    },
    ending,
  };
  return { task, outcome, snapshots, run };
}
