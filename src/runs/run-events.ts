/**
 * The events of a run. Each is made once, with its text; the store keeps it in the write that reports what happened.
 */
import type { IdSource } from '../common/ids.js';
import type { RunEvent, RunEventType } from '../model/run-event.js';
import type { Metadata, RunEnding, RunRecord } from '../model/run-record.js';
import { finalStatus } from '../model/run-status.js';
import type { HistoryPoint, StrategyChange } from '../model/run-task.js';
import type { Misreading } from '../model/verification.js';
import { describeMisreading, PYTHON_BACKEND } from '../evaluation/placement-words.js';

/** Changes of strategy that make events in a run; later changes make none. */
const MAX_CHANGES = 1_000;

export interface RunBeginning {
  readonly strategy: string;
  readonly backend: string;
}

export class RunEvents {
  private readonly ids: IdSource;

  constructor(ids: IdSource) {
    this.ids = ids;
  }

  private make(runId: string, type: RunEventType, data: object): RunEvent {
    const { id, createdAt } = this.ids.next('evt');
    const envelope = { id, type, created_at: new Date(createdAt).toISOString() };
    return { id, type, createdAt, body: JSON.stringify({ ...envelope, data: { optimization_id: runId, ...data } }) };
  }

  started(run: RunRecord, { strategy, backend }: RunBeginning): RunEvent {
    return this.make(run.id, 'optimization.started', { strategy, backend });
  }

  changed(run: RunRecord, changes: readonly StrategyChange[]): RunEvent[] {
    return changes
      .filter(({ number }) => number <= MAX_CHANGES)
      .map(({ from, to, reason, evaluations }) =>
        this.make(run.id, 'strategy.changed', { from, to, reason, evaluations }),
      );
  }

  /** Compiled code misread the source: what was told of the search before is void. */
  moved(run: RunRecord, from: string | null, misreading: Misreading): RunEvent {
    const { point, compiled, cpython, bound, evaluation } = misreading;
    const one = (values: readonly number[]): number | readonly number[] => (values.length === 1 ? values[0] : values);
    return this.make(run.id, 'backend.changed', {
      from,
      to: PYTHON_BACKEND,
      reason: describeMisreading(misreading),
      evaluations: evaluation,
      point,
      compiled: one(compiled),
      cpython: 'type' in cpython ? cpython : one(cpython),
      bound,
    });
  }

  updated(runId: string, metadata: Metadata): RunEvent {
    return this.make(runId, 'context.updated', { metadata });
  }

  /**
   * One event, or two where more than the end is to be said; the end comes last. `request`: null where it cannot be
   * read.
   */
  ended(
    { id, request }: Pick<RunRecord, 'id'> & { readonly request: RunRecord['request'] | null },
    ending: RunEnding,
    history: readonly HistoryPoint[] = [],
  ): RunEvent[] {
    const { terminationReason: reason, bestSolution, bestFitness, evaluations, front } = ending;
    const best = {
      best_solution: bestSolution,
      best_fitness: bestFitness,
      hypervolume: front?.hypervolume,
    };
    const events: RunEvent[] = [];
    if (reason === 'stagnated') {
      const since = evaluations - (history.at(-1)?.evaluations ?? 0);
      events.push(this.make(id, 'optimization.stagnated', { evaluations_without_improvement: since }));
    } else if (reason === 'timeout') {
      const limit = request?.task.timeoutSeconds ?? null;
      events.push(this.make(id, 'optimization.timeout', { timeout_seconds: limit, ...best }));
    }
    if (reason === 'cancelled') events.push(this.make(id, 'optimization.cancelled', { ...best, evaluations }));
    else if (finalStatus(ending) === 'failed')
      events.push(this.make(id, 'optimization.failed', { error: ending.error ?? null }));
    else {
      const result = { ...best, evaluations, duration_seconds: ending.durationSeconds };
      const status = finalStatus(ending);
      events.push(this.make(id, 'optimization.completed', { status, result, termination_reason: reason }));
    }
    return events;
  }
}
