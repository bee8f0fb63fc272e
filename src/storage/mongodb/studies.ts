/**
 * Studies in MongoDB. The insertion of an entry under its number decides; a study that was deleted meanwhile is noticed
 * after it, and the entry removed. Snapshots lie in the study's document, or in parts that it names.
 */
import { Binary } from 'mongodb';
import { randomInt } from 'node:crypto';
import { encode } from '../../common/codec.js';
import type { Page, PageRequest } from '../../model/page.js';
import type { StudyEntry, StudyRecord, StudyState, StudySummary } from '../../model/study.js';
import type { StudySnapshot, StudyStore } from '../contract/studies.js';
import { decodeObject, recordWith } from '../damage.js';
import { fittingEntries } from '../rules/study-portions.js';
import { checkSize, type Database } from './database.js';
import { isDuplicateKey, unlessDuplicate } from './driver-errors.js';
import type { Growing, RunParts } from './run-parts.js';
import { compress, expand, pack, type Packed, unpack, window } from './values.js';

interface StudyDocument {
  _id: string;
  accountId: string;
  body: Packed;
  /** 0: none. */
  snapshotSeq: number;
  snapshot: Growing | null;
}

interface EntryDocument {
  /** Study and number. */
  _id: string;
  study: string;
  seq: number;
  token: string;
  summary: string;
  /** The size of `body` as it is stored. */
  bytes: number;
  body: Binary;
  isCompressed: boolean;
}

const COMPRESS_FROM_BYTES = 4_096;
const STATE = { snapshot: 0 } as const;

export class MongodbStudies implements StudyStore {
  private readonly db: Database;
  private readonly parts: RunParts;

  constructor(db: Database, parts: RunParts) {
    this.db = db;
    this.parts = parts;
  }

  private get studies() {
    return this.db.collection<StudyDocument>('studies');
  }

  private get entries() {
    return this.db.collection<EntryDocument>('study_entries');
  }

  async createStudy(study: StudyRecord): Promise<void> {
    const { id: _id, accountId } = study;
    const body = await pack(encode(study));
    const document = checkSize<StudyDocument>({ _id, accountId, body, snapshotSeq: 0, snapshot: null });
    await this.db.decide<unknown>(
      () => this.studies.insertOne(document).catch(unlessDuplicate),
      async () => (await this.studies.findOne({ _id }, { projection: { _id: 1 } })) ?? undefined,
    );
  }

  async findStudy(accountId: string, id: string): Promise<StudyState | null> {
    const found = await this.db.read(() => this.studies.findOne({ _id: id, accountId }, { projection: STATE }));
    return found === null ? null : this.db.records.later(id, () => this.state(found));
  }

  async listStudies(accountId: string, page: PageRequest): Promise<Page<StudyState>> {
    const [found, total] = await this.db.read(() => {
      const items = this.studies.find({ accountId }, { ...window(page), projection: STATE });
      return Promise.all([items.toArray(), this.studies.countDocuments({ accountId })]);
    });
    return {
      items: await this.db.records.allLater(
        found,
        ({ _id }) => _id,
        (one) => this.state(one),
      ),
      total,
    };
  }

  private async state({ _id, body }: Pick<StudyDocument, '_id' | 'body'>): Promise<StudyState> {
    const projection = { seq: 1, summary: 1 } as const;
    const last = await this.db.read(() => this.entries.findOne({ study: _id }, { sort: { seq: -1 }, projection }));
    return {
      study: recordWith(_id, await unpack<StudyRecord>(body)),
      head:
        last === null
          ? { seq: 0, summary: null }
          : { seq: last.seq, summary: decodeObject<StudySummary>(last.summary) },
    };
  }

  async deleteStudy(accountId: string, id: string): Promise<boolean> {
    const isGone = await this.db.decide(
      async () => (await this.studies.deleteOne({ _id: id, accountId })).deletedCount > 0,
      async () => ((await this.studies.findOne({ _id: id, accountId })) === null ? true : undefined),
    );
    if (!isGone) return false;
    await this.db.repeatable(() => this.entries.deleteMany({ study: id }));
    await this.parts.removeBefore(id, 'checkpoint', Infinity);
    return true;
  }

  async appendStudyEntry(id: string, entry: StudyEntry): Promise<boolean> {
    const { seq, token } = entry;
    const summary = encode(entry.summary);
    const isCompressed = entry.body.length >= COMPRESS_FROM_BYTES;
    // Copied before anything is waited for.
    const content = entry.body.slice();
    const body = new Binary(isCompressed ? await compress(content) : content);
    const _id = `${id}/${seq}`;
    const bytes = body.length();
    const document = checkSize<EntryDocument>({ _id, study: id, seq, token, summary, bytes, body, isCompressed });
    const isOurs = async (): Promise<boolean> =>
      (await this.entries.findOne({ _id, token }, { projection: { _id: 1 } })) !== null;
    if (seq > 1 && (await this.isMissing({ _id: `${id}/${seq - 1}` }))) return false;
    const isAdded = await this.db.decide(
      async () => {
        try {
          await this.entries.insertOne(document);
          return true;
        } catch (error) {
          if (isDuplicateKey(error)) return isOurs();
          throw error;
        }
      },
      async () => ((await isOurs()) ? true : undefined),
    );
    if (!isAdded) return false;
    const projection = { _id: 1 } as const;
    if ((await this.db.read(() => this.studies.findOne({ _id: id }, { projection }))) !== null) return true;
    await this.db.repeatable(() => this.entries.deleteMany({ study: id }));
    return false;
  }

  private async isMissing(filter: { readonly _id: string }): Promise<boolean> {
    return (await this.db.read(() => this.entries.findOne(filter, { projection: { _id: 1 } }))) === null;
  }

  async studyEntries(id: string, after: number, limit: number): Promise<readonly StudyEntry[]> {
    const filter = { study: id, seq: { $gt: after } };
    const sizes = await this.db.read(() =>
      this.entries.find(filter, { projection: { seq: 1, bytes: 1 }, sort: { seq: 1 }, limit }).toArray(),
    );
    const upTo = sizes[fittingEntries(sizes.map(({ bytes }) => bytes)) - 1]?.seq;
    if (upTo === undefined) return [];
    const found = await this.db.read(() =>
      this.entries.find({ study: id, seq: { $gt: after, $lte: upTo } }, { sort: { seq: 1 } }).toArray(),
    );
    return Promise.all(found.map((one) => this.db.records.later(id, () => entryOf(one))));
  }

  async findStudyEntry(id: string, token: string): Promise<StudyEntry | null> {
    const found = await this.db.read(() => this.entries.findOne({ study: id, token }));
    return found === null ? null : this.db.records.later(id, () => entryOf(found));
  }

  async saveStudySnapshot(id: string, { seq, checkpoint }: StudySnapshot): Promise<void> {
    // Several processes may save one of the same entry.
    const name = { attempt: seq, serial: randomInt(2 ** 47) };
    const snapshot = await this.parts.save(id, 'checkpoint', name, checkpoint);
    const isSaved = await this.db.decide(
      async () => {
        const update = { $set: { snapshotSeq: seq, snapshot } };
        return (await this.studies.updateOne({ _id: id, snapshotSeq: { $lt: seq } }, update)).matchedCount > 0;
      },
      async () => ((await this.studies.findOne({ _id: id, snapshotSeq: seq })) === null ? undefined : true),
    );
    if (isSaved) await this.parts.removeBefore(id, 'checkpoint', seq);
    else await this.parts.remove(id, 'checkpoint', snapshot);
  }

  async studySnapshot(id: string): Promise<StudySnapshot | null> {
    const projection = { snapshotSeq: 1, snapshot: 1 } as const;
    const found = await this.db.read(() => this.studies.findOne({ _id: id }, { projection }));
    if (found === null || found.snapshot === null) return null;
    const checkpoint = await this.parts.load(id, 'checkpoint', found.snapshot);
    // Superseded since: whoever asks does without.
    return checkpoint === undefined ? null : { seq: found.snapshotSeq, checkpoint };
  }
}

async function entryOf({ seq, token, summary, body, isCompressed }: EntryDocument): Promise<StudyEntry> {
  const bytes = isCompressed ? await expand(body.value()) : body.value();
  return { seq, token, summary: decodeObject<StudySummary>(summary), body: Uint8Array.from(bytes) };
}
