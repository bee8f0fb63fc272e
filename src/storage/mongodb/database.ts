/**
 * One connection pool to MongoDB with the settings that durability needs, and its schema version.
 * Knows no document.
 */
import {
  BSON,
  MongoClient,
  MongoServerError,
  ReadConcern,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  type MongoClientOptions,
} from 'mongodb';
import { ExtremumError } from '../../common/errors.js';
import { Records, type NoteDamage } from '../damage.js';
import { endDeadCommands } from './dead-connections.js';
import { isAway, isDuplicateKey, isSocketError, isTooLarge, isUnknown } from './driver-errors.js';

export interface Migration {
  readonly name: string;
  /** Must bear being repeated, also by two processes at a time: whoever dies half-way leaves it to the next start. */
  run(db: Db): Promise<void>;
}

/** Names the last write that a majority had. A later write, of whatever process, gives another moment. */
export type Moment = string & { readonly isMoment: true };

interface SchemaDocument {
  _id: 'schema';
  version: number;
  steps: { to: number; name: string; at: Date }[];
}

const DEFAULT_DATABASE = 'extremum';
const TIMEOUTS = {
  /** A replica set elects a new primary within about ten seconds; shorter, and each election would fail requests. */
  serverSelectionTimeoutMS: 12_000,
  connectTimeoutMS: 5_000,
  /** No verb works as long as this on the server; a connection that says nothing for so long is dead. */
  socketTimeoutMS: 30_000,
};
const MAJORITY_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 2_000;
/**
 * Nobody waits longer where the server says nothing at all, as one that is paused. One that answers others may take its
 * time for a large write.
 */
const SILENCE_MS = 5_000;
/** The server's limit is 16 MiB; what updates add later (an ending, progress) needs room too. */
const MAX_DOCUMENT_BYTES = 12 * 1024 ** 2;

/**
 * A connection pool with the settings that durability needs, and the database that the address names.
 * @throws {ExtremumError} `store_unavailable` when it cannot be reached or refuses us.
 */
export async function openClient(url: string, options: MongoClientOptions): Promise<{ client: MongoClient; db: Db }> {
  try {
    const client = new MongoClient(url, {
      // Never the server's default: a standalone acknowledges before its journal is written.
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: MAJORITY_TIMEOUT_MS },
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      ...timeouts(url),
      ...options,
    });
    await client.connect();
    endDeadCommands(client);
    // Reads see what a majority has, which no failover undoes: nobody is told what may yet vanish.
    return { client, db: client.db(databaseName(url), { readConcern: new ReadConcern('majority') }) };
  } catch (cause) {
    throw new ExtremumError(
      'store_unavailable',
      `The database ${placeOf(url)} cannot be reached: ${withoutSecrets(messageOf(cause))}.`,
      { retryable: true, cause },
    );
  }
}

export class Database {
  private readonly client: MongoClient;
  private readonly db: Db;
  private readonly place: string;
  private isOpen = true;
  /** Whether replies tell a moment: a server by itself has none, and a router only that of the latest of its shards. */
  private hasMoments = false;
  /** Whether the last write failed: the disk may be full, the majority away. */
  private writeFailed = false;
  /** When the server last answered anything, by the monotonic clock. */
  private heardAt = -Infinity;

  readonly records: Records;

  private constructor(client: MongoClient, db: Db, place: string, note: NoteDamage) {
    this.records = new Records(note);
    this.client = client;
    this.db = db;
    this.place = place;
  }

  /** @throws {ExtremumError} `store_unavailable` when it cannot be reached, refuses us, or has a newer schema. */
  static async open(url: string, migrations: readonly Migration[], note: NoteDamage = () => {}): Promise<Database> {
    const { client, db } = await openClient(url, { appName: 'extremum' });
    const database = new Database(client, db, placeOf(url), note);
    try {
      // An index over much that is there takes its time.
      await database.migrate(migrations);
      database.hasMoments = typeof (await db.command({ hello: 1 }))['setName'] === 'string';
      return database;
    } catch (error) {
      await database.close();
      throw database.wrap(error);
    }
  }

  private async migrate(migrations: readonly Migration[]): Promise<void> {
    const schema = this.collection<SchemaDocument>('schema');
    const version = (await schema.findOne({ _id: 'schema' }))?.version ?? 0;
    if (version > migrations.length) {
      throw new ExtremumError(
        'store_unavailable',
        `The database ${this.place} has schema version ${version}; this program knows versions up to ` +
          `${migrations.length}. Start the newer program, or use another database.`,
      );
    }
    for (const [offset, { name, run }] of migrations.slice(version).entries()) {
      const to = version + offset + 1;
      await run(this.db);
      const step = { $set: { version: to }, $push: { steps: { to, name, at: new Date() } } };
      try {
        // Only from the version before: of two processes that start together one records the step.
        await schema.updateOne({ _id: 'schema', version: to - 1 }, step, { upsert: to === 1 });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  collection<T extends Document>(name: string): Collection<T> {
    return this.db.collection<T>(name);
  }

  /** Once more where a socket failed; of other failures the driver repeats what is worth it. */
  read<T>(body: () => Promise<T>): Promise<T> {
    return this.guard(async () => {
      try {
        return await body();
      } catch (error) {
        if (!isSocketError(error)) throw error;
        return body();
      }
    });
  }

  /**
   * What `body` reads within its session, and the moment of its last reply; null where the server tells none. What is
   * read after that sees this moment or a later one.
   */
  readWithMoment<T>(body: (session: ClientSession) => Promise<T>): Promise<{ result: T; moment: Moment | null }> {
    return this.read(() =>
      this.client.withSession(async (session) => {
        const result = await body(session);
        const moment = this.hasMoments ? (session.operationTime?.toString() as Moment | undefined) : undefined;
        return { result, moment: moment ?? null };
      }),
    );
  }

  /** Writes, and remembers whether writes work. */
  async write<T>(body: () => Promise<T>): Promise<T> {
    try {
      const result = await this.guard(body);
      this.writeFailed = false;
      return result;
    } catch (error) {
      this.writeFailed ||= error instanceof ExtremumError && error.code === 'store_unavailable';
      throw error;
    }
  }

  /**
   * A write that must not be repeated blindly. A lost connection or a failed write concern says nothing about whether
   * it happened, so `happened` looks: undefined means that it did not, and the first error is reported.
   */
  async decide<T>(body: () => Promise<T>, happened: () => Promise<T | undefined>): Promise<T> {
    return this.write(async () => {
      try {
        return await body();
      } catch (error) {
        if (!isUnknown(error)) throw error;
        // A majority that has this write has all before it: only then does reading tell the truth.
        await this.probeWrite();
        const found = await happened();
        if (found === undefined) throw error;
        return found;
      }
    });
  }

  /** A write that may happen twice: repeated once where its outcome is unknown. */
  async repeatable<T>(body: () => Promise<T>): Promise<T> {
    return this.write(async () => {
      try {
        return await body();
      } catch (error) {
        if (!isUnknown(error)) throw error;
        return body();
      }
    });
  }

  /** A write by `_id` that may happen twice. Of two that insert at a time one meets the index, and goes again. */
  upsert<T>(body: () => Promise<T>): Promise<T> {
    return this.repeatable(async () => {
      try {
        return await body();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return body();
      }
    });
  }

  /** @throws {ExtremumError} `store_unavailable`, within about two seconds. */
  async ping(): Promise<void> {
    const probe = async (): Promise<void> => {
      await this.db.command({ ping: 1 });
      if (!this.writeFailed) return;
      await this.write(() => this.probeWrite());
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(this.silent()), PING_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.read(probe), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async probeWrite(): Promise<void> {
    const probes = this.collection<{ _id: string; at: Date }>('schema');
    await probes.updateOne({ _id: 'write-probe' }, { $set: { at: new Date() } }, { upsert: true });
  }

  async close(): Promise<void> {
    this.isOpen = false;
    await this.client.close();
  }

  private async guard<T>(body: () => Promise<T>): Promise<T> {
    if (!this.isOpen) throw new ExtremumError('store_unavailable', 'The store is closed.');
    try {
      const result = await this.unlessSilent(body());
      this.heardAt = performance.now();
      return result;
    } catch (error) {
      if (error instanceof MongoServerError) this.heardAt = performance.now();
      throw this.wrap(error);
    }
  }

  /** Gives up waiting for a server that is silent; the work may still happen. */
  private unlessSilent<T>(work: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const look = (): void => {
        const left = SILENCE_MS - (performance.now() - Math.max(startedAt, this.heardAt));
        if (left <= 0) reject(this.silent());
        else timer = setTimeout(look, left);
      };
      timer = setTimeout(look, SILENCE_MS);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  private silent(): ExtremumError {
    const message = `The database ${this.place} does not answer.`;
    return new ExtremumError('store_unavailable', message, { retryable: true });
  }

  private wrap(error: unknown): unknown {
    if (isTooLarge(error)) return tooLarge(error);
    if (!isAway(error)) return error;
    const message = `The database ${this.place} refused: ${withoutSecrets(messageOf(error))}.`;
    return new ExtremumError('store_unavailable', message, { retryable: true, cause: error });
  }
}

function tooLarge(cause?: unknown): ExtremumError {
  const message = 'This is more than the database takes in one record (16 MiB, compressed).';
  return new ExtremumError('payload_too_large', message, cause === undefined ? {} : { cause });
}

/** Returns it. @throws {ExtremumError} `payload_too_large` before the server would refuse it, less clearly. */
export function checkSize<T extends Document>(document: T): T {
  if (BSON.calculateObjectSize(document) > MAX_DOCUMENT_BYTES) throw tooLarge();
  return document;
}

/** Ours, where the connection string has none of its own. */
function timeouts(url: string): Partial<typeof TIMEOUTS> {
  const given = new Set([...url.matchAll(/[?&]([A-Za-z]+)=/g)].map(([, name]) => name?.toLowerCase()));
  return Object.fromEntries(Object.entries(TIMEOUTS).filter(([name]) => !given.has(name.toLowerCase())));
}

function databaseName(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? '';
  return path === '' ? DEFAULT_DATABASE : decodeURIComponent(path);
}

/** User and password of every address in the text become `***`. */
const withoutSecrets = (text: string): string => text.replace(/(mongodb(?:\+srv)?:\/\/)[^@/\s]*@/g, '$1***@');

const placeOf = (url: string): string => withoutSecrets(url).replace(/\?.*$/, '');

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
