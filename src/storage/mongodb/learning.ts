/** Lessons and federated changes in MongoDB: one log of versions for each account. */
import type { Filter } from 'mongodb';
import { encode } from '../../common/codec.js';
import type { FederatedChange, NumberedChange } from '../../model/federation.js';
import type { Lesson, NumberedLesson } from '../../model/learning.js';
import type { LearnedState, LearningStore } from '../contract/learning.js';
import { decodeObject } from '../damage.js';
import { learnedState, withoutSolution } from '../rules/learned-state.js';
import { checkSize, type Database } from './database.js';
import { isDuplicateKey } from './driver-errors.js';
import { pack, type Packed, unpack } from './values.js';

interface LessonDocument {
  accountId: string;
  version: number;
  /** Absent: forgotten. */
  run?: string;
  /** Encoded; empty of a federated change. Null: forgotten, with all before. */
  body: string | null;
  /** Only a federated change has it, which stays when lessons are forgotten. */
  serial?: number;
  changeId?: string;
  change?: Packed;
}

export class MongodbLearning implements LearningStore {
  private readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }

  private get collection() {
    return this.db.collection<LessonDocument>('lessons');
  }

  /**
   * Before the run's end is written: where this process dies in between, whoever carries it out next comes to the same
   * lesson, and finds it here.
   */
  async learn(run: string, accountId: string, body: string): Promise<void> {
    // Each turn but the last found that another run had just taken the version.
    for (;;) {
      const last = await this.lastLesson({ accountId });
      const document = { accountId, version: (last?.version ?? 0) + 1, run, body };
      const isThere = async (): Promise<true | undefined> =>
        (await this.collection.findOne({ run }, { projection: { _id: 1 } })) === null ? undefined : true;
      const isMade = await this.db.decide(async () => {
        try {
          await this.collection.insertOne({ ...document });
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          return (await isThere()) ?? false;
        }
      }, isThere);
      if (isMade) return;
    }
  }

  private get erasures() {
    return this.db.collection<{ _id: string; erased: number }>('lesson_erasures');
  }

  /**
   * The runs were removed: their lessons lose the solutions. Bears being repeated. Counted afterwards: whoever sees the
   * count sees what it counts.
   */
  async erase(runs: readonly string[]): Promise<void> {
    const found = await this.db.read(() => this.collection.find({ run: { $in: [...runs] } }).toArray());
    const changes = found.flatMap(({ accountId, version, body }) =>
      body === null || body === ''
        ? []
        : [{ updateOne: { filter: { accountId, version, body }, update: { $set: { body: erased(body) } } } }],
    );
    if (changes.length === 0) return;
    await this.db.repeatable(() => this.collection.bulkWrite(changes, { ordered: false }));
    for (const _id of new Set(found.map(({ accountId }) => accountId))) {
      await this.db.upsert(() => this.erasures.updateOne({ _id }, { $inc: { erased: 1 } }, { upsert: true }));
    }
  }

  private lastLesson(filter: Filter<LessonDocument>): Promise<LessonDocument | null> {
    return this.db.read(() =>
      this.collection.findOne(filter, { sort: { version: -1 }, projection: { version: 1, serial: 1 } }),
    );
  }

  async learnedState(accountId: string): Promise<LearnedState> {
    const [last, forgotten, change, erasures] = await Promise.all([
      this.lastLesson({ accountId }),
      this.lastLesson({ accountId, body: null }),
      this.lastLesson({ accountId, serial: { $gt: 0 } }),
      this.db.read(() => this.erasures.findOne({ _id: accountId })),
    ]);
    return learnedState(last?.version ?? 0, forgotten?.version ?? 0, change?.serial ?? 0, erasures?.erased ?? 0);
  }

  async lessons(accountId: string, after: number, upTo: number, limit: number): Promise<readonly NumberedLesson[]> {
    if (limit <= 0) return [];
    const { forgotten } = await this.learnedState(accountId);
    const version = { $gt: Math.max(after, forgotten), $lte: upTo };
    const filter = { accountId, version, body: { $ne: '' } };
    const found = await this.db.read(() => this.collection.find(filter, { sort: { version: -1 }, limit }).toArray());
    const there = found.reverse().filter(({ body }) => body !== null);
    const nameOf = ({ version: number }: LessonDocument): string => `${accountId} lesson ${number}`;
    return this.db.records.all(there, nameOf, (one) => ({
      version: one.version,
      lesson: decodeObject<Lesson>(one.body ?? ''),
    }));
  }

  /** The update of the latest decides: what lies before it is no longer seen. */
  async forgetLessons(accountId: string): Promise<void> {
    const last = await this.lastLesson({ accountId });
    if (last === null) return;
    const { version } = last;
    await this.db.repeatable(() =>
      this.collection.updateOne({ accountId, version }, { $set: { body: null }, $unset: { run: 1 } }),
    );
    const before = { accountId, version: { $lt: version }, serial: { $exists: false } };
    await this.db.repeatable(() => this.collection.deleteMany(before));
  }

  /** One insertion decides: a version, a serial and a change are each there once. */
  async appendFederatedChange(accountId: string, serial: number, change: FederatedChange): Promise<number | null> {
    const packed = await pack(encode(change));
    const { id: changeId } = change;
    const there = async (): Promise<number | 'another' | undefined> => {
      const projection = { version: 1, changeId: 1 } as const;
      const found = await this.collection.findOne({ accountId, serial }, { projection });
      if (found === null) return undefined;
      return found.changeId === changeId ? found.version : 'another';
    };
    const earlier = { accountId, serial: serial - 1 };
    if (serial > 1 && (await this.lastLesson(earlier)) === null) return null;
    // Each turn but the last found that a lesson had just taken the version.
    for (;;) {
      const last = await this.lastLesson({ accountId });
      const version = (last?.version ?? 0) + 1;
      const document = checkSize<LessonDocument>({ accountId, version, body: '', serial, changeId, change: packed });
      const made = await this.db.decide<number | 'another' | 'again'>(async () => {
        try {
          await this.collection.insertOne({ ...document });
          return version;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          return (await there()) ?? 'again';
        }
      }, there);
      if (made !== 'again') return made === 'another' ? null : made;
    }
  }

  async federatedChanges(accountId: string, after: number): Promise<readonly NumberedChange[]> {
    const found = await this.db.read(() =>
      this.collection.find({ accountId, serial: { $gt: after } }, { sort: { serial: 1 } }).toArray(),
    );
    const unpacked = found.map(async ({ serial, version, change }): Promise<NumberedChange[]> => {
      if (serial === undefined || change === undefined) return [];
      return [{ serial, version, change: await unpack<FederatedChange>(change) }];
    });
    return (await Promise.all(unpacked)).flat();
  }
}

/** Both encoded; empty where it cannot be read. */
function erased(body: string): string {
  try {
    return encode(withoutSolution(decodeObject<Lesson>(body)));
  } catch {
    return '';
  }
}
