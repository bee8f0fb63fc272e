import { describe, expect, it } from 'vitest';
import { createIdSource } from '../common/ids.js';
import type { RunEnding, RunRecord } from '../model/run-record.js';
import type { TerminationReason } from '../model/run-task.js';
import { RunEvents } from './run-events.js';

const events = new RunEvents(createIdSource(() => 1_700_000_000_000));
// What the events are made of.
const run = { id: 'opt_1', request: { task: { timeoutSeconds: 5 } } } as unknown as RunRecord;
const ending = (terminationReason: TerminationReason, more: Partial<RunEnding> = {}): RunEnding => ({
  terminationReason,
  bestSolution: [0.5],
  bestFitness: 0.25,
  evaluations: 100,
  failedEvaluations: 0,
  failures: [],
  durationSeconds: 2,
  strategies: [],
  backend: null,
  ...more,
});
const best = { best_solution: [0.5], best_fitness: 0.25 };

describe('the end of a run', () => {
  const told = (end: RunEnding): [string, unknown][] =>
    events
      .ended(run, end, [{ evaluations: 30, bestFitness: 0.25, elapsedSeconds: 1 }])
      .map(({ type, body }) => [type, (JSON.parse(body) as { data: unknown }).data]);
  const completed = (reason: TerminationReason): [string, unknown] => [
    'optimization.completed',
    {
      optimization_id: 'opt_1',
      status: 'completed',
      result: { ...best, evaluations: 100, duration_seconds: 2 },
      termination_reason: reason,
    },
  ];

  it.each(['budget', 'target', 'optimal', 'converged'] as const)('by %s is one event', (reason) => {
    expect(told(ending(reason))).toEqual([completed(reason)]);
  });

  it('by stagnation or time says so before it is completed', () => {
    const stagnated = { optimization_id: 'opt_1', evaluations_without_improvement: 70 };
    expect(told(ending('stagnated'))).toEqual([['optimization.stagnated', stagnated], completed('stagnated')]);
    const timeout = { optimization_id: 'opt_1', timeout_seconds: 5, ...best };
    expect(told(ending('timeout'))).toEqual([['optimization.timeout', timeout], completed('timeout')]);
  });

  it('by cancellation is no failure', () => {
    const data = { optimization_id: 'opt_1', ...best, evaluations: 100 };
    expect(told(ending('cancelled'))).toEqual([['optimization.cancelled', data]]);
  });

  it('by an error says which', () => {
    const error = { message: 'ZeroDivisionError' };
    const data = { optimization_id: 'opt_1', error };
    expect(told(ending('error', { error }))).toEqual([['optimization.failed', data]]);
  });

  it('writes numbers that are not finite as null', () => {
    const [event] = events.ended(run, ending('budget', { bestFitness: -Infinity, bestSolution: [-0] }));
    expect(event?.body).toContain('"best_solution":[0],"best_fitness":null');
  });
});

it('has an envelope with the identifier and time of the event', () => {
  const { id, type, createdAt, body } = events.started(run, { strategy: 'cma-es', backend: 'native' });
  expect(JSON.parse(body)).toEqual({
    id,
    type,
    created_at: new Date(createdAt).toISOString(),
    data: { optimization_id: 'opt_1', strategy: 'cma-es', backend: 'native' },
  });
});

it('tells the first 1,000 changes of strategy', () => {
  const change = (number: number): Parameters<RunEvents['changed']>[1][number] => ({
    number,
    from: 'a',
    to: 'b',
    reason: 'why',
    evaluations: 9,
  });
  expect(events.changed(run, [change(999), change(1000), change(1001)])).toHaveLength(2);
});
