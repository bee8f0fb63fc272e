/** Lessons and federated changes in memory. */
import type { FederatedChange, NumberedChange } from '../../model/federation.js';
import type { Lesson, NumberedLesson } from '../../model/learning.js';
import type { LearnedState, LearningStore } from '../contract/learning.js';
import { learnedState, withoutSolution } from '../rules/learned-state.js';
import { copy } from './lists.js';

interface Learned {
  readonly forgotten: number;
  readonly lessons: readonly NumberedLesson[];
}

export class MemoryLearning implements LearningStore {
  private readonly learned = new Map<string, Learned>();
  private readonly erased = new Map<string, number>();
  private readonly federated = new Map<string, readonly NumberedChange[]>();

  /** Adds the lesson, as a part of what ends its run. */
  learn(accountId: string, lesson: Lesson): void {
    const { lessons, forgotten } = this.learnedBy(accountId);
    const version = this.lastVersion(accountId) + 1;
    this.learned.set(accountId, { forgotten, lessons: [...lessons, { version, lesson }] });
  }

  /** The run was removed: its lesson loses the solution. */
  erase(accountId: string, runId: string): void {
    const { lessons, forgotten } = this.learnedBy(accountId);
    if (!lessons.some(({ lesson }) => lesson.runId === runId)) return;
    const left = lessons.map((one) =>
      one.lesson.runId === runId ? { ...one, lesson: withoutSolution(one.lesson) } : one,
    );
    this.learned.set(accountId, { forgotten, lessons: left });
    this.erased.set(accountId, (this.erased.get(accountId) ?? 0) + 1);
  }

  private learnedBy(accountId: string): Learned {
    return this.learned.get(accountId) ?? { forgotten: 0, lessons: [] };
  }

  private lastVersion(accountId: string): number {
    const { lessons, forgotten } = this.learnedBy(accountId);
    const changed = this.federated.get(accountId)?.at(-1)?.version ?? 0;
    return Math.max(lessons.at(-1)?.version ?? 0, forgotten, changed);
  }

  async learnedState(accountId: string): Promise<LearnedState> {
    const { forgotten } = this.learnedBy(accountId);
    const changes = this.federated.get(accountId)?.length ?? 0;
    return learnedState(this.lastVersion(accountId), forgotten, changes, this.erased.get(accountId) ?? 0);
  }

  async lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]> {
    const found = this.learnedBy(accountId).lessons.filter(({ version }) => version > after && version <= upTo);
    return copy(found.slice(Math.max(0, found.length - limit)));
  }

  async forgetLessons(accountId: string): Promise<void> {
    this.learned.set(accountId, { forgotten: this.lastVersion(accountId), lessons: [] });
  }

  async appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null> {
    const changes = this.federated.get(accountId) ?? [];
    const there = changes[serial - 1];
    if (there !== undefined) return there.change.id === change.id ? there.version : null;
    if (changes.length !== serial - 1) return null;
    const version = this.lastVersion(accountId) + 1;
    this.federated.set(accountId, [...changes, { serial, version, change: copy(change) }]);
    return version;
  }

  async federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]> {
    return copy((this.federated.get(accountId) ?? []).slice(after));
  }
}
