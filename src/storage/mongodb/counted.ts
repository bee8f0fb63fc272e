/** The facts that are counted of a run: a field of its document, which runs of earlier versions get at the start. */
import type { Db } from 'mongodb';
import {
  countedEnding,
  createdFacts,
  endedFacts,
  NOTHING_ENDED,
  type CreatedFacts,
  type EndedFacts,
  type RunTraffic,
} from '../../model/run-facts.js';
import type { RunEnding, RunRequest } from '../../model/run-record.js';
import type { RunStatus } from '../../model/run-status.js';
import { hourOf } from '../rules/rollups.js';
import { unpack, type Packed } from './values.js';

/** A field of the run's document. */
interface CountedFields extends CreatedFacts, EndedFacts {
  /** It repeats or extends another one. */
  readonly isDerived: boolean;
}

/** The part of a run's document that counts need. */
export interface CountedDocument {
  _id: string;
  accountId: string;
  createdAt: number;
  completedAt: number | null;
  status: RunStatus;
  counted: CountedFields;
  /** Absent: none yet. */
  traffic?: RunTraffic;
}

const newOf = (id: string, facts: CreatedFacts): CountedFields => ({
  ...facts,
  ...NOTHING_ENDED,
  isDerived: facts.originId !== id,
});

export const newCounted = (id: string, request: RunRequest): CountedFields => newOf(id, createdFacts(id, request));

type Earlier = Omit<CountedDocument, 'counted'> & {
  request: Packed;
  ending: Packed | null;
  heldFor?: string;
  counted?: CountedFields;
};
const AT_ONCE = 500;

/**
 * Counts the runs that no version before did, oldest first, so that the original of a chain is known. Bears being
 * repeated.
 */
export async function countEarlierRuns(db: Db): Promise<void> {
  const projection = { accountId: 1, heldFor: 1, createdAt: 1, request: 1, ending: 1 } as const;
  const uncounted = db
    .collection<Earlier>('runs')
    .find({ counted: { $exists: false } }, { projection, sort: { _id: 1 }, batchSize: AT_ONCE });
  let batch: Earlier[] = [];
  for await (const run of uncounted) {
    if (batch.push(run) < AT_ONCE) continue;
    await countBatch(db, batch);
    batch = [];
  }
  await countBatch(db, batch);
}

async function countBatch(db: Db, batch: readonly Earlier[]): Promise<void> {
  if (batch.length === 0) return;
  const runs = db.collection<Earlier>('runs');
  const created = new Map<string, CreatedFacts>();
  for (const { _id, request } of batch) created.set(_id, createdFacts(_id, await unpack<RunRequest>(request)));
  const before = await runs
    .find({ _id: { $in: [...created.values()].map(({ originId }) => originId) } }, { projection: { counted: 1 } })
    .toArray();
  const origins = new Map(before.map(({ _id, counted }) => [_id, counted?.originId]));
  const hours = new Map<string, Set<number>>();
  const updates = [];
  for (const { _id, accountId, heldFor, createdAt, ending } of batch) {
    const facts = created.get(_id)!;
    const originId = origins.get(facts.originId) ?? facts.originId;
    // Also of those that repeat or extend this one.
    origins.set(_id, originId);
    const ended = ending === null ? {} : endedFacts(facts, countedEnding(await unpack<RunEnding>(ending)));
    const counted = { ...newOf(_id, { ...facts, originId }), ...ended };
    updates.push({ updateOne: { filter: { _id, counted: { $exists: false } }, update: { $set: { counted } } } });
    const account = heldFor ?? accountId;
    hours.set(account, (hours.get(account) ?? new Set()).add(hourOf(createdAt)));
  }
  const open = db.collection<{ _id: string }>('open_rollups');
  for (const [account, starts] of hours) {
    const update = { $addToSet: { hours: { $each: [...starts] } }, $inc: { version: 1 }, $setOnInsert: { days: [] } };
    await open.updateOne({ _id: account }, update, { upsert: true });
  }
  await runs.bulkWrite(updates, { ordered: false });
}
