import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { COLUMN, COMPARED, KNOWLEDGE_COLUMNS, type Lesson, type MemberLesson } from '../model/learning.js';
import { knowledgeOf } from './knowledge.js';

const lesson = (members: readonly MemberLesson[], winner = 'lq-cma-es', spread?: number): Lesson => ({
  runId: 'opt_1',
  strategy: 'planner',
  features: {
    dimensions: 3,
    maxEvaluations: 1000,
    isNoisy: false,
    isSeparable: false,
    coarseRoughness: 0.25,
    fineRoughness: null,
    bend: 0.5,
    skew: 0.125,
    ...(spread === undefined ? {} : { spread }),
  },
  leader: 0,
  winner,
  cost: 300,
  members,
  bestFitness: 0,
});
const OLD: readonly MemberLesson[] = [{ name: 'lq-cma-es', evaluations: 300, gain: 2 }];

describe('knowledge', () => {
  it('keeps the hash that versions of lessons without efforts had', () => {
    const first = [3, 1000, 0, 0, 0.25, -1, 0.5, 0.125, 0, 1, 300];
    const second = [...first.slice(0, 9), 0, 300];
    const sha256 = createHash('sha256')
      .update(Buffer.from(Float64Array.from([...first, ...second]).buffer))
      .digest('hex');
    expect(knowledgeOf(2, [lesson(OLD), lesson(OLD, 'quasi-newton')]).sha256).toBe(sha256);
  });

  it('says that efforts and spread were not noted in old lessons', () => {
    const { table } = knowledgeOf(1, [lesson(OLD)]);
    expect([...table.subarray(COLUMN.spread)]).toEqual(Array.from({ length: 1 + COMPARED.length }, () => NaN));
  });

  it('holds the effort of each member that is compared, and hashes it', () => {
    const of = (effort: number) => [
      { ...OLD[0]!, effort },
      { name: 'probes', evaluations: 9, gain: 0, effort: 9 },
    ];
    const known = knowledgeOf(1, [lesson(of(250), 'lq-cma-es', 2)]);
    expect(known.table).toHaveLength(KNOWLEDGE_COLUMNS);
    expect([...known.table.subarray(COLUMN.spread)]).toEqual([2, 250, 0, 0, 0, 0]);
    expect(known.sha256).not.toBe(knowledgeOf(1, [lesson(of(251), 'lq-cma-es', 2)]).sha256);
  });
});
