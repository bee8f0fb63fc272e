/**
 * Agenda's jobs in SQLite: its documented repository interface, in the semantics of its MongoDB backend (one contract
 * suite runs against both: test/conformance/job-repository.suite.ts). Jobs are few, some for each name: what is not
 * needed for claiming lies in one JSON text, and filters beyond a name are applied in JavaScript, inside the
 * transaction that acts on them.
 *
 * The file holds nothing that could not be made again, so a commit does not wait for the disk (`synchronous = NORMAL`:
 * power loss takes the last commits back and damages nothing), and a file that cannot be read is replaced.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import {
  computeJobState,
  datefields,
  toJobId,
  type JobId,
  type JobParameters,
  type JobRepository,
  type JobRepositoryOptions,
  type JobsOverview,
  type JobsQueryOptions,
  type JobsResult,
  type JobsSort,
  type JobWithState,
  type RemoveJobsOptions,
} from 'agenda';

const SCHEMA_VERSION = 1;
const SCHEMA = `
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    priority REAL NOT NULL,
    next_run_at INTEGER,
    locked_at INTEGER,
    disabled INTEGER NOT NULL,
    -- Everything else, as JSON.
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX jobs_next ON jobs (name, next_run_at);
  -- Of a recurring job there is one row, however many processes make it.
  CREATE UNIQUE INDEX jobs_single ON jobs (name) WHERE type = 'single';
`;
const BUSY_TIMEOUT_MS = 5_000;
const DUE = `name = ?1 AND disabled = 0 AND ((locked_at IS NULL AND next_run_at <= ?2) OR locked_at <= ?3)
  ORDER BY next_run_at, priority DESC LIMIT 1`;

type Stored = Omit<JobParameters, 'unique' | 'uniqueOpts'> & { readonly _id: JobId };
type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;
type Filter = (job: Stored) => boolean;

/** Columns of their own; the rest goes into the body. */
const COLUMNS = new Set([
  '_id',
  'name',
  'type',
  'priority',
  'nextRunAt',
  'lockedAt',
  'disabled',
  'unique',
  'uniqueOpts',
]);
const DATES = new Set<string>(datefields);

export class SqliteJobRepository implements JobRepository {
  private readonly path: string;
  private db: InstanceType<typeof DatabaseSync> | null = null;
  private readonly statements = new Map<string, StatementSyncInstance>();

  /** @param path Of the file, made when missing. Nothing is opened before `connect`. */
  constructor(path: string) {
    this.path = path;
  }

  async connect(): Promise<void> {
    if (this.db !== null) return;
    try {
      this.db = this.open();
    } catch (error) {
      // Locked or on a full disk: another attempt may help, removing it would not.
      if (!/^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { sqliteCodeName?: unknown }).sqliteCodeName))) throw error;
      for (const suffix of ['', '-wal', '-shm']) rmSync(this.path + suffix, { force: true });
      this.db = this.open();
    }
  }

  private open(): InstanceType<typeof DatabaseSync> {
    const db = new DatabaseSync(this.path, { timeout: BUSY_TIMEOUT_MS });
    try {
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
      const { user_version: version } = db.prepare('PRAGMA user_version').get() as Row;
      // Of another version of the program: what it planned is planned again.
      if (version !== SCHEMA_VERSION) {
        db.exec(`DROP TABLE IF EXISTS jobs; ${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}`);
      }
      db.exec('COMMIT');
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  close(): void {
    this.statements.clear();
    try {
      this.db?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The next start reads what is left in the log.
    }
    this.db?.close();
    this.db = null;
  }

  /** Releases all locks of a file that this process alone uses: their holders are dead. */
  releaseAll(): void {
    this.all('UPDATE jobs SET locked_at = NULL WHERE locked_at IS NOT NULL RETURNING id');
  }

  // --- claims

  async getNextJobToRun(
    jobName: string,
    nextScanAt: Date,
    lockDeadline: Date,
    now = new Date(),
    options?: JobRepositoryOptions,
  ): Promise<JobParameters | undefined> {
    const due = [jobName, nextScanAt.getTime(), lockDeadline.getTime()];
    // Most often nothing is due, and looking takes no lock.
    if (this.all(`SELECT id FROM jobs WHERE ${DUE}`, ...due).length === 0) return undefined;
    return this.write(() => {
      const [row] = this.all(`SELECT * FROM jobs WHERE ${DUE}`, ...due);
      return row === undefined ? undefined : this.lock(jobOf(row), now, options);
    });
  }

  async lockJob(job: JobParameters, options?: JobRepositoryOptions): Promise<JobParameters | undefined> {
    return this.write(() => {
      const found = this.find(job._id);
      const isAsGiven =
        found?.name === job.name &&
        found.lockedAt === undefined &&
        found.disabled !== true &&
        found.nextRunAt?.getTime() === job.nextRunAt?.getTime();
      return isAsGiven ? this.lock(found, new Date(), options) : undefined;
    });
  }

  private lock(job: Stored, lockedAt: Date, options: JobRepositoryOptions | undefined): JobParameters {
    return this.put({ ...job, lockedAt, ...modifiedBy(options) });
  }

  /** Not one that will not run again by itself: it is being carried out. */
  async unlockJob({ _id }: JobParameters): Promise<void> {
    this.all('UPDATE jobs SET locked_at = NULL WHERE id = ? AND next_run_at IS NOT NULL RETURNING id', _id ?? null);
  }

  async unlockJobs(jobIds: (JobId | string)[]): Promise<void> {
    this.write(() => {
      for (const id of jobIds) this.all('UPDATE jobs SET locked_at = NULL WHERE id = ? RETURNING id', id);
    });
  }

  // --- writes

  async saveJob<DATA>(job: JobParameters<DATA>, options?: JobRepositoryOptions): Promise<JobParameters<DATA>> {
    const { _id, unique, uniqueOpts, ...given } = job;
    const props = { ...(given as JobParameters), ...modifiedBy(options) };
    return this.write(() => {
      if (_id !== undefined) {
        const found = this.find(_id);
        return found?.name === job.name ? this.put({ ...props, _id: found._id }) : job;
      }
      if (job.type === 'single') {
        const [row] = this.all(`SELECT * FROM jobs WHERE name = ? AND type = 'single'`, job.name);
        if (row === undefined) return this.put({ ...props, _id: newId() });
        const { _id: id, nextRunAt } = jobOf(row);
        // To make a recurring job again must not make it run again.
        const isDue = props.nextRunAt !== null && props.nextRunAt.getTime() <= Date.now();
        return this.put({ ...props, ...(isDue ? { nextRunAt } : {}), _id: id });
      }
      return unique === undefined
        ? this.put({ ...props, _id: newId() })
        : this.saveUnique(props, unique, uniqueOpts ?? {});
    }) as JobParameters<DATA>;
  }

  private saveUnique(
    props: JobParameters,
    unique: Record<string, unknown>,
    { insertOnly, debounce }: NonNullable<JobParameters['uniqueOpts']>,
  ): JobParameters {
    const found = this.named(props.name).find(matching(unique));
    const _id = found?._id ?? newId();
    if (debounce === undefined) return found !== undefined && insertOnly === true ? found : this.put({ ...props, _id });
    const now = new Date();
    const debounceStartedAt = found?.debounceStartedAt ?? now;
    if (debounce.strategy === 'leading') {
      return this.put({
        ...props,
        nextRunAt: found === undefined ? props.nextRunAt : found.nextRunAt,
        debounceStartedAt,
        _id,
      });
    }
    const waited = now.getTime() - debounceStartedAt.getTime();
    if (found !== undefined && debounce.maxWait !== undefined && waited >= debounce.maxWait) {
      const { debounceStartedAt: _over, ...rest } = props;
      return this.put({ ...rest, nextRunAt: now, _id });
    }
    return this.put({ ...props, nextRunAt: new Date(now.getTime() + debounce.delay), debounceStartedAt, _id });
  }

  async saveJobState(job: JobParameters, options?: JobRepositoryOptions): Promise<void> {
    if (job._id === undefined) throw new Error('a job without identifier has no state to save');
    this.write(() => {
      const found = this.find(job._id);
      if (found?.name !== job.name) throw new Error(`there is no job ${job._id} of the name ${job.name} any more`);
      const { lockedAt, nextRunAt, lastRunAt, progress, failReason, failCount, failedAt, lastFinishedAt } = job;
      const state = { lockedAt, nextRunAt, lastRunAt, progress, failReason, failCount, failedAt, lastFinishedAt };
      this.put({ ...found, ...state, ...modifiedBy(options) });
    });
  }

  // --- reads

  async getJobById(id: string): Promise<JobParameters | null> {
    return this.find(id) ?? null;
  }

  async queryJobs(options: JobsQueryOptions = {}): Promise<JobsResult> {
    const { name, names, id, ids, state, search, data, includeDisabled = true, sort, skip = 0, limit = 0 } = options;
    const filters: Filter[] = [];
    if (search !== undefined && search !== '') {
      filters.push((job) => job.name.toLowerCase().includes(search.toLowerCase()));
    } else filters.push(...ofNames({ name, names }));
    filters.push(...ofIds({ id, ids }), ...ofData(data));
    if (!includeDisabled) filters.push((job) => job.disabled !== true);
    const now = new Date();
    const jobs = this.matching(filters)
      .map((job): JobWithState => ({ ...job, state: computeJobState(job, now) }))
      .filter((job) => state === undefined || (state === 'paused' ? job.disabled === true : job.state === state))
      .sort(inOrder(sort));
    return { jobs: jobs.slice(skip, limit > 0 ? skip + limit : undefined), total: jobs.length };
  }

  async getJobsOverview(): Promise<JobsOverview[]> {
    const now = new Date();
    const none = { total: 0, running: 0, scheduled: 0, queued: 0, completed: 0, failed: 0, repeating: 0, paused: 0 };
    return (await this.getDistinctJobNames()).map((name) => {
      const overview: JobsOverview = { name, ...none };
      for (const job of this.named(name)) {
        overview.total++;
        overview[computeJobState(job, now)]++;
        if (job.disabled === true) overview.paused++;
      }
      return overview;
    });
  }

  async getDistinctJobNames(): Promise<string[]> {
    return this.all('SELECT DISTINCT name FROM jobs ORDER BY name').map((row) => String(row['name']));
  }

  async getQueueSize(): Promise<number> {
    const [row] = this.all('SELECT count(*) AS n FROM jobs WHERE next_run_at < ?', Date.now());
    return Number(row?.['n']);
  }

  // --- administration: an empty filter touches nothing

  async removeJobs(options: RemoveJobsOptions): Promise<number> {
    return this.change(options, ({ _id }) => this.all('DELETE FROM jobs WHERE id = ? RETURNING id', _id));
  }

  async disableJobs(options: RemoveJobsOptions): Promise<number> {
    return this.change(options, (job) => job.disabled !== true && this.put({ ...job, disabled: true }));
  }

  async enableJobs(options: RemoveJobsOptions): Promise<number> {
    return this.change(options, (job) => job.disabled !== false && this.put({ ...job, disabled: false }));
  }

  async purgeAllJobs(): Promise<number> {
    return this.all('DELETE FROM jobs RETURNING id').length;
  }

  /** Returns how many jobs `change` said that it changed. */
  private change(options: RemoveJobsOptions, change: (job: Stored) => unknown): number {
    const filters = [...ofIds(options), ...ofNames(options), ...ofData(options.data)];
    if (filters.length === 0) return 0;
    return this.write(() => this.matching(filters).filter((job) => change(job) !== false).length);
  }

  // --- rows

  private matching(filters: readonly Filter[]): Stored[] {
    return this.all('SELECT * FROM jobs')
      .map(jobOf)
      .filter((job) => filters.every((filter) => filter(job)));
  }

  private named(name: string): Stored[] {
    return this.all('SELECT * FROM jobs WHERE name = ?', name).map(jobOf);
  }

  private find(id: JobId | string | undefined): Stored | undefined {
    const [row] = this.all('SELECT * FROM jobs WHERE id = ?', id ?? null);
    return row === undefined ? undefined : jobOf(row);
  }

  /** Stores all of it, and returns it as it is now read. */
  private put(job: JobParameters & { readonly _id: JobId }): Stored {
    const body = Object.fromEntries(Object.entries(job).filter(([key]) => !COLUMNS.has(key)));
    const [row] = this.all(
      `INSERT INTO jobs (id, name, type, priority, next_run_at, locked_at, disabled, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET (name, type, priority, next_run_at, locked_at, disabled, body) =
         (excluded.name, excluded.type, excluded.priority, excluded.next_run_at, excluded.locked_at, excluded.disabled,
          excluded.body)
       RETURNING *`,
      job._id,
      job.name,
      job.type,
      job.priority,
      job.nextRunAt?.getTime() ?? null,
      job.lockedAt?.getTime() ?? null,
      job.disabled === true ? 1 : 0,
      JSON.stringify(body),
    );
    if (row === undefined) throw new Error(`the job ${job._id} was not stored`);
    return jobOf(row);
  }

  private opened(): InstanceType<typeof DatabaseSync> {
    if (this.db === null) throw new Error(`the jobs in ${this.path} are not open`);
    return this.db;
  }

  private all(sql: string, ...parameters: Value[]): Row[] {
    const db = this.opened();
    let statement = this.statements.get(sql);
    if (statement === undefined) this.statements.set(sql, (statement = db.prepare(sql)));
    return statement.all(...parameters) as Row[];
  }

  /** Runs `body` in one transaction that holds the write lock from its start. */
  private write<T>(body: () => T): T {
    const db = this.opened();
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = body();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

const newId = (): JobId => toJobId(randomUUID());

const modifiedBy = ({ lastModifiedBy }: JobRepositoryOptions = {}): Partial<JobParameters> =>
  lastModifiedBy === undefined ? {} : { lastModifiedBy };

function jobOf(row: Row): Stored {
  const texts = Object.entries(JSON.parse(String(row['body'])) as object);
  const body = Object.fromEntries(
    texts.map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'string' && DATES.has(key) ? new Date(value) : value,
    ]),
  ) as unknown as Stored;
  const { id, name, type, priority, next_run_at: next, locked_at: locked, disabled } = row;
  return {
    ...body,
    _id: toJobId(String(id)),
    name: String(name),
    type: type as Stored['type'],
    priority: Number(priority),
    nextRunAt: next === null ? null : new Date(Number(next)),
    ...(locked === null ? {} : { lockedAt: new Date(Number(locked)) }),
    ...(disabled === 1 ? { disabled: true } : {}),
  };
}

// --- filters

function ofIds({
  id,
  ids,
}: {
  readonly id?: JobId | string | undefined;
  readonly ids?: readonly (JobId | string)[] | undefined;
}): Filter[] {
  if (id !== undefined && id !== '') return [(job) => job._id === id];
  return ids === undefined || ids.length === 0 ? [] : [(job) => ids.includes(job._id)];
}

function ofNames({
  name,
  names,
  notNames,
}: {
  readonly name?: string | undefined;
  readonly names?: readonly string[] | undefined;
  readonly notNames?: readonly string[] | undefined;
}): Filter[] {
  if (name !== undefined && name !== '') return [(job) => job.name === name];
  if (names !== undefined && names.length > 0) return [(job) => names.includes(job.name)];
  return notNames === undefined || notNames.length === 0 ? [] : [(job) => !notNames.includes(job.name)];
}

/** Filter for data: each member of `wanted`, if that is an object, must be there and equal; the job may have more. */
function ofData(wanted: unknown): Filter[] {
  return wanted === undefined ? [] : [(job) => contains(job.data, wanted)];
}

function contains(found: unknown, wanted: unknown): boolean {
  if (!isPlain(wanted)) return isDeepStrictEqual(found, wanted);
  return isPlain(found) && Object.entries(wanted).every(([key, value]) => contains(found[key], value));
}

/** Paths such as `data.user.id` and the values there. @throws for an operator, which only MongoDB understands. */
function matching(unique: Record<string, unknown>): Filter {
  const conditions = Object.entries(unique).map(([path, wanted]) => {
    if (path.startsWith('$') || (isPlain(wanted) && Object.keys(wanted).some((key) => key.startsWith('$')))) {
      throw new Error(`unique() takes paths and values, no operator: ${path}`);
    }
    return { keys: path.split('.'), wanted };
  });
  return (job) =>
    conditions.every(({ keys, wanted }) => {
      let found: unknown = job;
      for (const key of keys) found = isPlain(found) ? found[key] : undefined;
      return isDeepStrictEqual(found ?? null, wanted ?? null);
    });
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Missing values are the smallest, as in MongoDB. */
function inOrder(sort: JobsSort | undefined): (a: Stored, b: Stored) => number {
  const given = Object.entries(sort ?? {});
  const keys = given.length > 0 ? given : Object.entries({ nextRunAt: 'desc', lastRunAt: 'desc' });
  const valueOf = (job: Stored, key: string): number | string => {
    const value = (job as unknown as Record<string, unknown>)[key] ?? -Infinity;
    if (value instanceof Date) return value.getTime();
    return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
  };
  return (a, b) => {
    for (const [key, direction] of keys) {
      const [left, right] = [valueOf(a, key), valueOf(b, key)];
      if (left !== right) return left < right === (direction === 'asc') ? -1 : 1;
    }
    return 0;
  };
}
