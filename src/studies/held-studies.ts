/**
 * The studies that a thread holds: those that were used last. It carries out entries of their logs and says which entry
 * would answer a question.
 */
import { decode, encode } from '../common/codec.js';
import { asFailure, errorData } from '../common/thread-call.js';
import { chooseStrategy } from '../engine/chosen-strategy.js';
import { strategies } from '../planner/all-strategies.js';
import type { StudyRecord } from '../model/study.js';
import type { Proposal, StudyJob, StudyQuestion, StudyReply, StudySnapshotMade } from './study-protocol.js';
import { candidatesOf, Study, type StudyOperation, type StudyStateSnapshot } from './study.js';

/** Each has an archive of up to 2 MB, and as many points as its limits allow. */
const HELD_STUDIES = 24;
/** A snapshot is made after so many entries, or so much work, */
const SNAPSHOT_ENTRIES = 500;
const SNAPSHOT_WORK_MS = 250;
/** but never so often that it costs more than this share of the work. */
const SNAPSHOT_SHARE = 0.05;

interface Held {
  readonly study: Study;
  seq: number;
  /** Since the last snapshot. */
  entries: number;
  workMs: number;
  /** Milliseconds that the last snapshot took. */
  snapshotMs: number;
}

/** Those used last are last. */
const held = new Map<string, Held>();

export function work(job: StudyJob): StudyReply {
  const { id } = job.study;
  try {
    const loaded = job.start === null ? held.get(id) : load(job.study, job.start);
    held.delete(id);
    if (loaded === undefined || loaded.seq < job.after) return { kind: 'behind' };
    held.set(id, loaded);
    for (const [oldest] of held) {
      if (held.size <= HELD_STUDIES) break;
      held.delete(oldest);
    }
    const startedAt = performance.now();
    for (const { seq, body } of job.entries) {
      if (seq <= loaded.seq) continue;
      loaded.study.apply(decodeOperation(body));
      loaded.seq = seq;
      loaded.entries++;
    }
    const answer = answerTo(loaded.study, job.question, job.now);
    loaded.workMs += performance.now() - startedAt;
    return { kind: 'done', seq: loaded.seq, ...answer, snapshot: snapshotWhereDue(loaded) };
  } catch (error) {
    // A refusal has changed nothing.
    if (asFailure(error).code === 'internal_error') held.delete(id);
    return { kind: 'failed', error: errorData(error) };
  }
}

function load(record: StudyRecord, { snapshot, seq }: NonNullable<StudyJob['start']>): Held {
  const factory = chooseStrategy(taskOf(record), strategies);
  const fresh = { entries: 0, workMs: 0, snapshotMs: 0 };
  if (snapshot !== null) {
    try {
      const state = decode<StudyStateSnapshot>(new TextDecoder().decode(snapshot));
      return { study: new Study(record, factory, state), seq, ...fresh };
    } catch (error) {
      // Of another version of the program: the log has everything.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return { study: new Study(record, factory), seq: 0, ...fresh };
}

const taskOf = ({ bounds, maxEvaluations, seed, strategy, directions }: StudyRecord) =>
  ({
    bounds,
    maxEvaluations,
    seed,
    direction: 'minimize',
    mode: 'balanced',
    strategy,
    objectives: directions.length,
  }) as const;

function answerTo(
  study: Study,
  question: StudyQuestion | null,
  now: number,
): Pick<Extract<StudyReply, { kind: 'done' }>, 'proposal' | 'best' | 'values'> {
  const nothing = { proposal: null, best: null, values: null };
  switch (question?.kind) {
    case undefined:
      return nothing;
    case 'best':
      return { ...nothing, best: study.best() };
    case 'values':
      return { ...nothing, values: study.values(question.page) };
    case 'ask':
      return { ...nothing, proposal: propose(study, study.proposeAsk(question.count), 'ask', now) };
    case 'tell': {
      const operation = study.proposeTell(question.results);
      return { ...nothing, proposal: operation && propose(study, operation, 'tell', now) };
    }
  }
}

function propose(study: Study, operation: StudyOperation, wanted: StudyOperation['kind'], now: number): Proposal {
  return {
    body: new TextEncoder().encode(encode(operation)),
    summary: study.summaryAfter(operation, now),
    isAnswer: operation.kind === wanted,
    candidates: candidatesOf(operation, study.dimension),
    accepted: operation.kind === 'tell' ? operation.serials.length : 0,
    left: study.leftAfter(operation),
  };
}

const decodeOperation = (body: Uint8Array): StudyOperation => decode(new TextDecoder().decode(body));

function snapshotWhereDue(one: Held): StudySnapshotMade | null {
  const isDue = one.entries >= SNAPSHOT_ENTRIES || one.workMs >= SNAPSHOT_WORK_MS;
  if (!isDue || one.entries === 0 || one.snapshotMs > SNAPSHOT_SHARE * one.workMs) return null;
  const startedAt = performance.now();
  const checkpoint = new TextEncoder().encode(encode(one.study.snapshot()));
  one.snapshotMs = performance.now() - startedAt;
  one.entries = one.workMs = 0;
  return { seq: one.seq, checkpoint };
}
