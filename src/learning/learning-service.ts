/**
 * Knowledge of accounts, from their runs and from other deployments (`federation/`). Every run reads it once, so the
 * latest lessons of each account are kept here, and only newer ones are asked for; the store is the truth.
 */
import { problemDistance } from '../analysis/problem-distance.js';
import { programDistance } from '../analysis/program-features.js';
import { ExtremumError } from '../common/errors.js';
import {
  featureRow,
  type Knowledge,
  type Learned,
  type Lesson,
  type NumberedLesson,
  type ProblemFeatures,
} from '../model/learning.js';
import type { RunRecord } from '../model/run-record.js';
import type { LearnedState, LearningStore } from '../storage/contract/learning.js';
import { classesOf, type ProblemClass } from './classes.js';
import type { FederationService } from './federation/federation-service.js';
import { knowledgeOf, USED_LESSONS } from './knowledge.js';
import { lessonOf } from './lesson.js';

const REMEMBERED_ACCOUNTS = 1_000;
const SIMILAR_RUNS = 20;

export interface Overview {
  readonly version: number;
  /** Since lessons were last forgotten. */
  readonly runs: number;
  /** Classes of the latest runs, from which new runs learn. */
  readonly classes: readonly ProblemClass[];
}

export interface SimilarRun {
  readonly runId: string;
  readonly distance: number;
  readonly strategy: string;
  readonly bestFitness: number;
}

interface Remembered {
  readonly lessons: readonly NumberedLesson[];
  /** As in `LearnedState`, when they were read; so is `erased`. */
  readonly forgotten: number;
  readonly erased: number;
  readonly knowledge: Knowledge;
}

/** Distance by probes, dimensions and budgets, and by the programs if both were read; Infinity if only one was. */
function distance(a: ProblemFeatures, b: ProblemFeatures): number {
  const byProbes = problemDistance(featureRow(a), featureRow(b));
  if (a.program === undefined && b.program === undefined) return byProbes;
  if (a.program === undefined || b.program === undefined) return Infinity;
  return Math.hypot(byProbes, programDistance(a.program, b.program));
}

export class LearningService {
  private readonly store: LearningStore;
  private readonly federation: Pick<FederationService, 'changes' | 'modelAt'>;
  /** The newest version asked for, by account; oldest use first. */
  private readonly remembered = new Map<string, Remembered>();

  constructor(store: LearningStore, federation: Pick<FederationService, 'changes' | 'modelAt'>) {
    this.store = store;
    this.federation = federation;
  }

  /**
   * For one request, which may start many runs: gives the version that a run gets, with its hash. `pinned` undefined:
   * the latest.
   * @throws {ExtremumError} `invalid_request` for a version that is not kept
   */
  reader(accountId: string): (pinned: number | undefined) => Promise<Learned> {
    let state: Promise<LearnedState> | null = null;
    return async (pinned) => {
      if (pinned === 0) return { version: 0, sha256: null };
      const { version, forgotten } = await (state ??= this.known(accountId));
      if (pinned !== undefined && (pinned > version || pinned <= forgotten)) {
        const kept = version === 0 ? 'nothing has been learned yet' : `kept are ${forgotten + 1} to ${version}`;
        const message = `\`learned_version\` = ${pinned} is not kept: it must be 0 (nothing) or a version that is; ${kept}.`;
        throw new ExtremumError('invalid_request', message, { field: 'learned_version' });
      }
      const wanted = pinned ?? version;
      if (wanted === 0) return { version: 0, sha256: null };
      const { sha256 } = await this.at(accountId, wanted);
      return { version: wanted, sha256 };
    };
  }

  /** As the store says; what other deployments taught outlives the lessons. */
  private async known(accountId: string): Promise<LearnedState> {
    const state = await this.store.learnedState(accountId);
    const { version, forgotten, changes } = state;
    if (version > 0 || changes === 0) return state;
    const model = await this.federation.modelAt(accountId, forgotten, changes);
    return model.length === 0 ? state : { ...state, version: forgotten, forgotten: forgotten - 1 };
  }

  /** The knowledge of a version; of forgotten lessons nothing. */
  async at(accountId: string, version: number): Promise<Knowledge> {
    const before = this.remembered.get(accountId);
    const { forgotten, changes, erased } = await this.store.learnedState(accountId);
    const known = before?.erased === erased ? before : undefined;
    if (known === undefined) this.remembered.delete(accountId);
    if (known?.knowledge.version === version) return known.knowledge;
    const isNewer = known !== undefined && known.knowledge.version < version;
    const isUsable = isNewer && known.forgotten === forgotten;
    const from = Math.max(0, version - USED_LESSONS);
    const since = isUsable ? Math.max(from, known.knowledge.version) : from;
    const found = await this.store.lessons(accountId, since, version, USED_LESSONS);
    const lessons = [...(isUsable ? known.lessons.filter((one) => one.version > from) : []), ...found];
    const knowledge = knowledgeOf(
      version,
      lessons.map(({ lesson }) => lesson),
      await this.federation.modelAt(accountId, version, changes),
    );
    // An older version that a request pinned is asked for seldom.
    if (known === undefined || isNewer) this.remember(accountId, { lessons, forgotten, erased, knowledge });
    return knowledge;
  }

  private remember(accountId: string, remembered: Remembered): void {
    this.remembered.delete(accountId);
    this.remembered.set(accountId, remembered);
    if (this.remembered.size <= REMEMBERED_ACCOUNTS) return;
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined) this.remembered.delete(oldest);
  }

  async overview(accountId: string): Promise<Overview> {
    const { version, forgotten, changes } = await this.store.learnedState(accountId);
    if (version === 0) return { version: (await this.known(accountId)).version, runs: 0, classes: [] };
    // Federated changes are numbered with the lessons.
    const others = (await this.federation.changes(accountId, changes)).filter((one) => one.version > forgotten);
    const runs = version - forgotten - others.length;
    return { version, runs, classes: classesOf(await this.latest(accountId, version)) };
  }

  /**
   * The runs of the account that were most like this one, nearest first; none where the run told nothing about its
   * problem.
   */
  async similar(run: RunRecord): Promise<readonly SimilarRun[]> {
    if (run.ending === null) return [];
    const features = lessonOf(run.id, run.request.task, run.ending, [])?.features ?? null;
    if (features === null) return [];
    const { version } = await this.store.learnedState(run.accountId);
    return (await this.latest(run.accountId, version))
      .flatMap((lesson) => {
        if (lesson.features === null || lesson.runId === run.id || lesson.isRunDeleted === true) return [];
        const { runId, strategy, bestFitness } = lesson;
        return [{ runId, distance: distance(features, lesson.features), strategy, bestFitness }];
      })
      .filter(({ distance }) => distance < Infinity)
      .sort((a, b) => a.distance - b.distance || (a.runId < b.runId ? 1 : -1))
      .slice(0, SIMILAR_RUNS);
  }

  private async latest(accountId: string, version: number): Promise<Lesson[]> {
    const found = await this.store.lessons(accountId, Math.max(0, version - USED_LESSONS), version, USED_LESSONS);
    return found.map(({ lesson }) => lesson);
  }

  /** False: there was nothing to forget. */
  async forget(accountId: string): Promise<boolean> {
    const { version } = await this.store.learnedState(accountId);
    if ((await this.store.lessons(accountId, 0, version, 1)).length === 0) return false;
    await this.store.forgetLessons(accountId);
    this.remembered.delete(accountId);
    return true;
  }
}
