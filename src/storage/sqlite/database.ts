/**
 * One SQLite connection with the settings that durability needs, its migrations, and the lock that keeps a second
 * process from carrying out the same runs. Knows no table.
 */
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { ExtremumError } from '../../common/errors.js';
import { Records, type NoteDamage } from '../damage.js';

export type Parameter = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Parameter>>;

interface PendingWrite {
  readonly body: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value !== 'string') throw new Error(`column ${column} holds no text`);
  return value;
}

export const idIn = (row: Row): string => textOf(row, 'id');

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new Error(`column ${column} holds no bytes`);
  return value;
}

export const numberOf = (row: Row, column: string): number | null => {
  const value = row[column];
  return value === null || value === undefined ? null : Number(value);
};

const BUSY_TIMEOUT_MS = 5_000;
const PROBE_BYTES = 512 * 1024;
/** The mode of `PRAGMA auto_vacuum`. */
const INCREMENTAL = 2;
/** To write a file of this size anew takes about a second. */
const VACUUM_BYTES = 64 * 1024 ** 2;

export class Database {
  readonly records: Records;
  private readonly db: InstanceType<typeof DatabaseSync>;
  private readonly statements = new Map<string, StatementSyncInstance>();
  private readonly batch: PendingWrite[] = [];
  /** Whether the last commit failed: the disk may be full. */
  private writeFailed = false;

  /** @throws {ExtremumError} `store_unavailable` when the file cannot be opened or has a newer schema. */
  constructor(
    readonly path: string,
    migrations: readonly string[],
    note: NoteDamage = () => {},
  ) {
    this.records = new Records(note);
    try {
      this.db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    } catch (cause) {
      throw new ExtremumError('store_unavailable', `The database ${path} cannot be opened: ${messageOf(cause)}.`, {
        cause,
      });
    }
    try {
      // Of a new file: its freed pages can be given back (`returnSpace`). It must come first.
      this.db.exec('PRAGMA auto_vacuum = INCREMENTAL');
      // FULL: a commit survives power loss, not only the process. WAL: readers never wait for the writer.
      this.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
      this.migrate(migrations);
    } catch (error) {
      this.db.close();
      throw wrap(error, path);
    }
  }

  private migrate(migrations: readonly string[]): void {
    // Read under the write lock: of two processes that open a new file together, the second finds the work done.
    this.writeNow(() => {
      const version = Number(this.get('PRAGMA user_version')?.['user_version']);
      if (version > migrations.length) {
        throw new ExtremumError(
          'store_unavailable',
          `The database ${this.path} has schema version ${version}; this program knows versions up to ` +
            `${migrations.length}. Start the newer program, or use another data directory.`,
        );
      }
      for (const migration of migrations.slice(version)) this.db.exec(migration);
      if (version < migrations.length) this.db.exec(`PRAGMA user_version = ${migrations.length}`);
    });
  }

  private statement(sql: string): StatementSyncInstance {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  get(sql: string, ...parameters: Parameter[]): Row | undefined {
    return this.guard(() => this.statement(sql).get(...parameters) as Row | undefined);
  }

  all(sql: string, ...parameters: Parameter[]): Row[] {
    return this.guard(() => this.statement(sql).all(...parameters) as Row[]);
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: Parameter[]): number {
    return this.guard(() => Number(this.statement(sql).run(...parameters).changes));
  }

  /** Runs `body` in one transaction that holds the write lock from its start; an exception undoes all of it. */
  writeNow<T>(body: () => T): T {
    const failedBefore = this.writeFailed;
    return this.guard(() => {
      this.writeFailed = false;
      try {
        this.db.exec('BEGIN IMMEDIATE');
        const result = body();
        this.db.exec('COMMIT');
        return result;
      } catch (error) {
        this.writeFailed ||= failedBefore || isUnavailable(wrap(error, this.path));
        if (this.db.isTransaction) this.db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /**
   * Reads something trivial, and tries to write where the last write failed. @throws {ExtremumError}
   * `store_unavailable`.
   */
  ping(): void {
    this.get('SELECT 1');
    this.checkWrites();
  }

  /** Where the last write failed: tries whether one would work now. @throws {ExtremumError} `store_unavailable`. */
  checkWrites(): void {
    if (!this.writeFailed) return;
    // As large as a request with a source: a few bytes may still find room on a disk that is full for all purposes.
    this.writeNow(() =>
      this.db.exec(`CREATE TABLE write_probe AS SELECT zeroblob(${PROBE_BYTES}); DROP TABLE write_probe`),
    );
  }

  /**
   * The same, soon: all bodies that are given in one turn of the event loop share a transaction, because the cost of a
   * commit is its fsync. A body that throws is undone alone. Resolves when the commit is durable.
   */
  write<T>(body: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.batch.push({ body, resolve: resolve as (value: unknown) => void, reject }) === 1) {
        setImmediate(() => this.flush());
      }
    });
  }

  private flush(): void {
    const batch = this.batch.splice(0);
    if (batch.length === 0) return;
    try {
      const settle = this.writeNow(() => batch.map((entry) => this.attempt(entry)));
      for (const report of settle) report();
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
  }

  /** Runs one body of a batch; returns what to tell its caller once the whole batch is durable. */
  private attempt({ body, resolve, reject }: PendingWrite): () => void {
    this.db.exec('SAVEPOINT one');
    try {
      const result = body();
      this.db.exec('RELEASE one');
      return () => resolve(result);
    } catch (error) {
      // Some failures (a full disk) end the whole transaction; then every body of the batch hears of it.
      this.writeFailed ||= isUnavailable(wrap(error, this.path));
      if (!this.db.isTransaction) throw error;
      this.db.exec('ROLLBACK TO one; RELEASE one');
      return () => reject(error as Error);
    }
  }

  /**
   * Gives at most about so many bytes of pages that are free back to the file system. Returns whether there are more.
   * The file becomes smaller with the next checkpoint, which the last call makes.
   */
  returnSpace(bytes: number): boolean {
    const pragma = (name: string): number => Number(this.get(`PRAGMA ${name}`)?.[name]);
    if (pragma('auto_vacuum') !== INCREMENTAL || pragma('freelist_count') === 0) return false;
    const pages = Math.max(1, Math.ceil(bytes / pragma('page_size')));
    this.writeNow(() => this.db.exec(`PRAGMA incremental_vacuum(${pages})`));
    if (pragma('freelist_count') > 0) return true;
    this.guard(() => this.db.exec('PRAGMA wal_checkpoint(PASSIVE)'));
    return false;
  }

  /**
   * A file that an earlier version made keeps its freed pages for itself until it is written anew. Does so where that
   * is quick and has room; without success nothing is lost.
   */
  makeShrinkable(): void {
    const pragma = (name: string): number => Number(this.get(`PRAGMA ${name}`)?.[name]);
    if (pragma('auto_vacuum') === INCREMENTAL || pragma('page_count') * pragma('page_size') > VACUUM_BYTES) return;
    try {
      this.db.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process has the file, or the disk is full: the next start tries again.
    }
  }

  /** Still writes everything that was given to `write`. */
  close(): void {
    this.flush();
    this.statements.clear();
    if (!this.db.isOpen) return;
    try {
      // Statements that are not collected yet keep SQLite from doing this when it closes. A copy of the one file is
      // then all.
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The next start reads what is left in the log.
    }
    this.db.close();
  }

  private guard<T>(body: () => T): T {
    if (!this.db.isOpen) throw new ExtremumError('store_unavailable', 'The store is closed.');
    try {
      return body();
    } catch (error) {
      throw wrap(error, this.path);
    }
  }
}

/**
 * Takes the data directory for this process until the returned function is called or the process ends, however it ends:
 * the operating system holds the lock, through a second database file that is never written.
 * @throws {ExtremumError} `conflict` when another process has it; `store_unavailable`: it cannot be written.
 */
export function lockExclusively(path: string): () => void {
  let lock: InstanceType<typeof DatabaseSync>;
  try {
    lock = new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    throw new ExtremumError('store_unavailable', `The file ${path} cannot be opened: ${messageOf(cause)}.`, { cause });
  }
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if ((cause as { sqliteCodeName?: unknown }).sqliteCodeName !== 'SQLITE_BUSY') {
      throw new ExtremumError('store_unavailable', `The file ${path} cannot be locked: ${messageOf(cause)}.`, {
        cause,
      });
    }
    throw new ExtremumError(
      'conflict',
      `Another process is using this data directory (it holds ${path}). Stop it, or use another data directory.`,
      { cause },
    );
  }
  return () => {
    if (lock.isOpen) lock.close();
  };
}

const MEND =
  'Stop the service and put the file back from a backup; of what is left `sqlite3 FILE .recover` saves what can be read.';

const isUnavailable = (error: unknown): boolean => error instanceof ExtremumError && error.code === 'store_unavailable';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function wrap(error: unknown, path: string): unknown {
  if (error instanceof ExtremumError) return error;
  const code = (error as { code?: unknown }).code;
  if (code !== 'ERR_SQLITE_ERROR') return error;
  // A broken constraint or bad SQL is a defect of ours, not a database that is down.
  if (/^SQLITE_(CONSTRAINT|ERROR|MISUSE|RANGE)/.test(String((error as { sqliteCodeName?: unknown }).sqliteCodeName))) {
    return error;
  }
  const isBroken = /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { sqliteCodeName?: unknown }).sqliteCodeName));
  const what = isBroken
    ? `The database ${path} is damaged: ${messageOf(error)}. ${MEND}`
    : `The database ${path} refused: ${messageOf(error)}.`;
  return new ExtremumError('store_unavailable', what, { retryable: !isBroken, cause: error });
}
