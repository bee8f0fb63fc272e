/**
 * The life of studies: what is stored when, and who holds their state (docs/adr/0026-studies.md). A request becomes an
 * entry of the study's log in three steps: the thread that has the study catches up with the log, proposes the entry,
 * and the store takes it if nobody was faster; else all of it once more. Nothing is answered before the entry is
 * stored.
 */
import { randomUUID } from 'node:crypto';
import type { Clock, IdSource } from '../common/ids.js';
import { Limit } from '../common/limit.js';
import type { Logger } from '../common/logger.js';
import { failureFrom } from '../common/thread-call.js';
import type { Page, PageRequest } from '../model/page.js';
import type { StudyEntry, StudyRecord, StudyState } from '../model/study.js';
import { decode } from '../common/codec.js';
import { STUDY_READ_BYTES, type StudySnapshot, type StudyStore } from '../storage/contract/studies.js';
import { pointsOf, type LoggedPoint } from './point-log.js';
import type { Proposal, StudyJob, StudyQuestion, StudyReply } from './study-protocol.js';
import type { StudyThreads } from './study-threads.js';
import { candidatesOf, type StudyBest, type StudyCandidate, type StudyOperation, type StudyResult } from './study.js';

interface StudyServiceParts {
  readonly store: StudyStore;
  readonly threads: Pick<StudyThreads, 'work'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Entries that a thread is given at a time. */
const PORTION = 200;
/** A portion of fewer bytes was not cut by its size. */
const PORTION_BYTES = STUDY_READ_BYTES / 4;

/**
 * Studies that are loaded at a time. Much fewer than a thread holds: were more loaded than it holds, each would push
 * out another one before that had all of its log, and none would ever be ready.
 */
const LOADS_AT_ONCE = 4;

type Done = Extract<StudyReply, { kind: 'done' }>;

export interface Asked {
  readonly candidates: readonly StudyCandidate[];
  /** Points of the generation that nobody has yet; 0 where the answer was given before. */
  readonly left: number;
}

export interface Told {
  readonly accepted: number;
  readonly evaluations: number;
}

export class StudyService {
  private readonly parts: StudyServiceParts;
  /** How far the threads of this process have come. */
  private readonly seqs = new Map<string, number>();
  /** The last request of each study that has one under way: they are answered one after the other. */
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly loads = new Limit(LOADS_AT_ONCE);

  constructor(parts: StudyServiceParts) {
    this.parts = parts;
  }

  async create(
    accountId: string,
    study: Omit<StudyRecord, 'id' | 'accountId' | 'createdAt'>,
    ids: IdSource,
  ): Promise<StudyState> {
    const { store } = this.parts;
    const { id, createdAt } = ids.next('study');
    const record = { ...study, id, accountId, createdAt };
    await store.createStudy(record);
    // An earlier attempt at the same request may have made it, with another seed.
    return (ids.isRepeat === true ? await store.findStudy(accountId, id) : null) ?? emptyState(record);
  }

  find(accountId: string, id: string): Promise<StudyState | null> {
    return this.parts.store.findStudy(accountId, id);
  }

  list(accountId: string, page: PageRequest): Promise<Page<StudyState>> {
    return this.parts.store.listStudies(accountId, page);
  }

  remove(accountId: string, id: string): Promise<boolean> {
    this.seqs.delete(id);
    return this.parts.store.deleteStudy(accountId, id);
  }

  /**
   * Null: no such study.
   * @throws {ExtremumError} `conflict`: its budget is used up.
   */
  async ask(accountId: string, id: string, count: number, ids: IdSource): Promise<Asked | null> {
    const token = ids.next('ask').id;
    return this.inTurn(accountId, id, async ({ study }) => {
      const before = ids.isRepeat === true ? await this.parts.store.findStudyEntry(id, token) : null;
      if (before !== null) return askedBefore(before, study);
      const added = await this.add(study, { kind: 'ask', count }, token);
      if (added === null) return null;
      const { proposal, entry } = added;
      return proposal === null ? askedBefore(entry, study) : { candidates: proposal.candidates, left: proposal.left };
    });
  }

  /**
   * Null: no such study. `resultsFor` says what is told, of a study that is there.
   * @throws {ExtremumError} `invalid_request`: a point that is none of the study's; `conflict`: another value than
   * before.
   */
  async tell(
    accountId: string,
    id: string,
    resultsFor: (study: StudyRecord) => readonly StudyResult[],
    ids: IdSource,
  ): Promise<Told | null> {
    const token = ids.next('tell').id;
    return this.inTurn(accountId, id, async ({ study }) => {
      const results = resultsFor(study);
      const before = ids.isRepeat === true ? await this.parts.store.findStudyEntry(id, token) : null;
      if (before !== null) return { accepted: acceptedIn(before), evaluations: before.summary.evaluations };
      const added = await this.add(study, { kind: 'tell', results }, token);
      if (added === null) return null;
      const { entry, proposal } = added;
      if (entry === null) {
        const state = await this.parts.store.findStudy(accountId, id);
        return { accepted: 0, evaluations: state?.head.summary?.evaluations ?? 0 };
      }
      this.follow(study, entry);
      return { accepted: proposal?.accepted ?? acceptedIn(entry), evaluations: entry.summary.evaluations };
    });
  }

  /** Null: no such study. */
  async best(accountId: string, id: string): Promise<StudyBest | null> {
    return this.inTurn(accountId, id, async ({ study }) => {
      const { best } = await this.consult(study, { kind: 'best' });
      return best;
    });
  }

  /** Null: no such study. */
  async points(accountId: string, id: string, page: PageRequest): Promise<Page<LoggedPoint> | null> {
    const { store } = this.parts;
    const known = await this.inTurn(accountId, id, async ({ study }) => {
      const { seq, values } = await this.consult(study, { kind: 'values', page });
      return values && { study, seq, values };
    });
    return known && (await pointsOf(known, (seq, limit) => store.studyEntries(id, seq, limit), page.offset));
  }

  /** One request of a study after the other. */
  private async inTurn<T>(
    accountId: string,
    id: string,
    body: (state: StudyState) => Promise<T | null>,
  ): Promise<T | null> {
    const found = await this.parts.store.findStudy(accountId, id);
    if (found === null) return null;
    const before = this.turns.get(id);
    const afterBefore = async (): Promise<T | null> => {
      await before;
      const state = await this.parts.store.findStudy(accountId, id);
      return state === null ? null : body(state);
    };
    const turn = before === undefined ? body(found) : afterBefore();
    const settled = turn.catch(() => {});
    this.turns.set(id, settled);
    try {
      return await turn;
    } finally {
      if (this.turns.get(id) === settled) this.turns.delete(id);
    }
  }

  /**
   * Adds the entry that answers the question, after others that it needs. `entry` null: the question needs none.
   * `proposal` null: an earlier attempt has added it. Null: the study was deleted.
   */
  private async add(
    study: StudyRecord,
    question: StudyQuestion,
    token: string,
  ): Promise<{ readonly entry: StudyEntry | null; readonly proposal: Proposal | null } | null> {
    const { store } = this.parts;
    for (;;) {
      const { seq, proposal } = await this.consult(study, question);
      if (proposal === null) return { entry: null, proposal: null };
      const { body, summary, isAnswer } = proposal;
      const entry = { seq: seq + 1, token: isAnswer ? token : randomUUID(), body, summary };
      if (await store.appendStudyEntry(study.id, entry)) {
        if (isAnswer) return { entry, proposal };
        continue;
      }
      if ((await store.findStudy(study.accountId, study.id)) === null) {
        this.seqs.delete(study.id);
        return null;
      }
      const before = await store.findStudyEntry(study.id, token);
      if (before !== null) return { entry: before, proposal: null };
    }
  }

  /** Has the study's thread catch up with the log and answer. */
  private async consult(study: StudyRecord, question: StudyQuestion): Promise<Done> {
    while (this.seqs.has(study.id)) {
      const done = await this.portion(study, question, null);
      if (done.isAll) return done.reply;
    }
    return this.loads.run(() => this.load(study, question));
  }

  /** As `#consult`, where the thread may not hold the study. */
  private async load(study: StudyRecord, question: StudyQuestion): Promise<Done> {
    let canUseSnapshot = true;
    for (;;) {
      const isKnown = this.seqs.has(study.id);
      const saved: StudySnapshot | null =
        !isKnown && canUseSnapshot ? await this.parts.store.studySnapshot(study.id) : null;
      const done = await this.portion(study, question, saved);
      if (done.isAll) return done.reply;
      // Its thread has ended, or holds others now; or it cannot read the snapshot.
      if (!done.isHeld) canUseSnapshot = saved === null;
    }
  }

  /** The next entries of the log; with the last of them the question is answered. */
  private async portion(
    study: StudyRecord,
    question: StudyQuestion,
    saved: StudySnapshot | null,
  ): Promise<{ readonly isAll: true; readonly reply: Done } | { readonly isAll: false; readonly isHeld: boolean }> {
    const known = this.seqs.get(study.id);
    const after = known ?? saved?.seq ?? 0;
    const start = known === undefined ? { snapshot: saved?.checkpoint ?? null, seq: after } : null;
    const entries: readonly StudyEntry[] = await this.parts.store.studyEntries(study.id, after, PORTION);
    const bytes = entries.reduce((sum, { body }) => sum + body.length, 0);
    const isAll = entries.length < PORTION && bytes < PORTION_BYTES;
    const reply = await this.work(study, { start, after, entries, question: isAll ? question : null });
    return isAll && reply !== null ? { isAll, reply } : { isAll: false, isHeld: reply !== null };
  }

  /** In the background: a result is taken by the strategy, which makes its next generation. */
  private follow(study: StudyRecord, entry: StudyEntry): void {
    this.work(study, { start: null, after: entry.seq - 1, entries: [entry], question: null }).catch((error: unknown) =>
      this.parts.logger.warn({ err: error, studyId: study.id }, 'a study did not go on'),
    );
  }

  /** Null: the thread does not hold the study so far. */
  private async work(study: StudyRecord, job: Omit<StudyJob, 'study' | 'now'>): Promise<Done | null> {
    const { store, threads, clock, logger } = this.parts;
    const { id } = study;
    let reply: StudyReply;
    try {
      reply = await threads.work({ study, ...job, now: clock() });
    } catch (error) {
      this.seqs.delete(id);
      throw error;
    }
    if (reply.kind === 'behind') {
      this.seqs.delete(id);
      return null;
    }
    if (reply.kind === 'failed') {
      const error = failureFrom(reply.error);
      if (error.code === 'internal_error') this.seqs.delete(id);
      throw error;
    }
    this.seqs.set(id, reply.seq);
    const { snapshot } = reply;
    if (snapshot !== null) {
      store.saveStudySnapshot(id, snapshot).catch((error: unknown) => {
        logger.warn({ err: error, studyId: id }, 'a snapshot of a study was not saved');
      });
    }
    return reply;
  }
}

const emptyState = (study: StudyRecord): StudyState => ({ study, head: { seq: 0, summary: null } });

const askedBefore = (entry: StudyEntry | null, { bounds }: StudyRecord): Asked => ({
  candidates: entry === null ? [] : candidatesOf(operationIn(entry), bounds.length),
  left: 0,
});

const operationIn = ({ body }: StudyEntry): StudyOperation => decode(new TextDecoder().decode(body));

const acceptedIn = (entry: StudyEntry): number => {
  const operation = operationIn(entry);
  return operation.kind === 'tell' ? operation.serials.length : 0;
};
