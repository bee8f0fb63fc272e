import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { COLUMN, KNOWLEDGE_COLUMNS, type Lesson, type MemberLesson } from '../model/learning.js';
import { knowledgeOf, startsFor } from './knowledge.js';
import { COMPARED } from '../planner/leaders.js';

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
    spread,
  },
  leader: 0,
  winner,
  cost: 300,
  members,
  bestFitness: 0,
});
const OLD: readonly MemberLesson[] = [{ name: 'lq-cma-es', evaluations: 300, gain: 2 }];

const found = (solution: readonly number[], shape = 'a', more: Partial<Lesson> = {}): Lesson => ({
  ...lesson(OLD),
  found: { shape, direction: 'minimize', solution },
  ...more,
});
const task = {
  bounds: [
    [0, 10],
    [-1, 1],
  ],
  direction: 'minimize',
} as const;

describe('what a run begins with', () => {
  const starts = (
    lessons: readonly Lesson[],
    shape: string | undefined = 'a',
    of: Parameters<typeof startsFor>[2] = task,
  ) => startsFor(knowledgeOf(lessons.length, lessons), shape, of);

  it('is what the latest runs of its program found, newest first, each once', () => {
    const lessons = [found([1, 0]), found([2, 0]), found([3, 0]), found([3, 0]), found([9, 9], 'b'), lesson(OLD)];
    expect([...starts(lessons)!]).toEqual([3, 0, 2, 0]);
  });

  it('is moved into its bounds', () => {
    expect([...starts([found([20, -3])])!]).toEqual([10, -1]);
  });

  it('is nothing where no run of the program in this direction and of as many variables taught anything', () => {
    expect(starts([])).toBeNull();
    expect(starts([lesson(OLD), found([1, 0], 'b'), found([1, 0, 0])])).toBeNull();
    expect(starts([found([1, 0])], 'a', { ...task, direction: 'maximize' })).toBeNull();
    expect(startsFor(knowledgeOf(1, [found([1, 0])]), undefined, task)).toBeNull();
  });

  it('is part of what the hash covers', () => {
    const hash = (...lessons: Lesson[]): string => knowledgeOf(1, lessons).sha256;
    expect(new Set([hash(lesson(OLD)), hash(found([1, 0])), hash(found([1, 1])), hash(found([1, 0], 'b'))]).size).toBe(
      4,
    );
  });
});

describe('knowledge', () => {
  it('compares kinds of problems by runs that were probed and began with nothing known', () => {
    const features = lesson(OLD).features!;
    const read = { ...features, isSeparable: null, coarseRoughness: null, bend: null, skew: null };
    expect(knowledgeOf(1, [{ ...lesson(OLD), isRepeat: true }]).table).toHaveLength(0);
    expect(knowledgeOf(1, [{ ...lesson(OLD), features: read }]).table).toHaveLength(0);
    expect(knowledgeOf(1, [{ ...lesson(OLD), features: { ...read, isNoisy: true } }]).table).not.toHaveLength(0);
  });

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
      { ...OLD[0], effort },
      { name: 'probes', evaluations: 9, gain: 0, effort: 9 },
    ];
    const known = knowledgeOf(1, [lesson(of(250), 'lq-cma-es', 2)]);
    expect(known.table).toHaveLength(KNOWLEDGE_COLUMNS);
    expect([...known.table.subarray(COLUMN.spread)]).toEqual([2, 250, 0, 0, 0, 0]);
    expect(known.sha256).not.toBe(knowledgeOf(1, [lesson(of(251), 'lq-cma-es', 2)]).sha256);
  });
});
