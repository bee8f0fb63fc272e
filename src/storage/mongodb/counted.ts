/** What is counted of a run, as a field of its document; and for the runs of earlier versions. */
import type { Db } from 'mongodb';
import { countedEnding, createdFacts, endedFacts, NOTHING_ENDED, type CreatedFacts } from '../../model/run-facts.js';
import type { RunEnding, RunRequest } from '../../model/run-record.js';
import { hourOf } from '../rollups.js';
import type { CountedDocument, CountedFields } from './mongodb-analytics.js';
import { unpack, type Packed } from './values.js';

const newOf = (id: string, facts: CreatedFacts): CountedFields => ({
  ...facts,
  ...NOTHING_ENDED,
  isDerived: facts.originId !== id,
});

export const newCounted = (id: string, request: RunRequest): CountedFields => newOf(id, createdFacts(id, request));

/** Counts the runs that no version before did, oldest first, so that the original of a chain is known. Bears being repeated. */
export async function countEarlierRuns(db: Db): Promise<void> {
  type Earlier = Omit<CountedDocument, 'counted'> & {
    request: Packed;
    ending: Packed | null;
    heldFor?: string;
    counted?: CountedFields;
  };
  const runs = db.collection<Earlier>('runs');
  const open = db.collection<{ _id: string }>('open_rollups');
  const projection = { accountId: 1, heldFor: 1, createdAt: 1, request: 1, ending: 1 } as const;
  for await (const run of runs.find({ counted: { $exists: false } }, { projection, sort: { _id: 1 } })) {
    const { _id, accountId, heldFor, createdAt, request, ending } = run;
    const created = createdFacts(_id, await unpack<RunRequest>(request));
    const before = await runs.findOne({ _id: created.originId }, { projection: { counted: 1 } });
    const facts = { ...created, originId: before?.counted?.originId ?? created.originId };
    const ended = ending === null ? {} : endedFacts(facts, countedEnding(await unpack<RunEnding>(ending)));
    const counted = { ...newOf(_id, facts), ...ended };
    const update = { $addToSet: { hours: hourOf(createdAt) }, $inc: { version: 1 }, $setOnInsert: { days: [] } };
    await open.updateOne({ _id: heldFor ?? accountId }, update, { upsert: true });
    await runs.updateOne({ _id, counted: { $exists: false } }, { $set: { counted } });
  }
}
