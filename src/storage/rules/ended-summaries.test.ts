import { describe, expect, it } from 'vitest';
import type { RunStatus } from '../../model/run-status.js';
import type { RunSummary } from '../../model/run-summary.js';
import { EndedSummaries } from './ended-summaries.js';

const summary = (id: string, status: RunStatus = 'completed'): RunSummary => ({
  id,
  functionId: 'func_1',
  status,
  problemType: null,
  maxEvaluations: 10,
  createdAt: 1,
  completedAt: null,
  curve: [1],
  strategy: null,
  bestFitness: 1,
  evaluations: 10,
  durationSeconds: null,
});

describe('summaries of ended runs', () => {
  it('are found again as they were kept, those of runs that go on are not', () => {
    const ended = new EndedSummaries();
    const [first, second] = [summary('a'), summary('b', 'failed')];
    for (const each of [first, second, summary('c', 'running'), summary('d', 'pending')]) ended.keep(each);
    const { found, missing } = ended.lookUp(['d', 'b', 'x', 'a', 'c']);
    expect([...found]).toEqual([
      ['b', second],
      ['a', first],
    ]);
    expect(missing).toEqual(['d', 'x', 'c']);
  });

  it('are let go, the oldest first, where there are too many', () => {
    const ended = new EndedSummaries();
    const ids = Array.from({ length: 5_000 }, (_, k) => `run ${k}`);
    for (const id of ids) ended.keep(summary(id));
    const { found, missing } = ended.lookUp(ids);
    expect(found.size).toBe(4_096);
    expect(missing).toEqual(ids.slice(0, 5_000 - 4_096));
  });
});
