/**
 * Kills a service that is at work again and again, at random moments, and looks whether it lost or did anything twice,
 * and whether its reports are what a recount of all runs says, while its clock goes through hours and a midnight.
 * With MongoDB half of the kills are of the server; of a replica set, all: its primary steps down, and the next one is
 * killed.
 */
import { DatabaseSync } from '@photostructure/sqlite';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import { Rng } from '../../src/common/rng.js';
import { openMongodbStore } from '../../src/storage/mongodb/mongodb-store.js';
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.js';
import type { Store } from '../../src/storage/store.js';
import { MixedLoad, type StoredRun } from './mixed-load.js';
import { newDatabaseUrl, startOwnMongod, startOwnReplicaSet, withClient } from './mongodb.js';
import { findPython } from './python.js';
import { recount } from './recount.js';
import { ended, spawnService } from './service-process.js';
import { startWebhookWorld } from './webhook-world.js';

export interface KillLoopOptions {
  readonly store: 'sqlite' | 'mongodb' | 'replicas';
  readonly kills: number;
  readonly seed: number;
  /** Between two kills. */
  readonly longestMs?: number;
  readonly log?: (line: string) => void;
}

export interface KillLoopReport {
  readonly violations: readonly string[];
  readonly kills: { readonly service: number; readonly starting: number; readonly mongod: number };
  /** Runs that were begun more than once. */
  readonly resumed: number;
  /** Hours and days that the service has summed for reports by the end. */
  readonly sums: number;
  readonly load: object;
  readonly seconds: { readonly killing: number; readonly looking: number };
}

const LANES = 8;
/** Of kills of the service, those that meet it while it starts: one in so many. */
const STARTING = 6;
const INTEGRITY_EVERY = 10;
const LEASE_SECONDS = 2;
const ORPHAN_GRACE_MS = 5_000;
/**
 * The service's clock goes on by more than an hour, and the time after which it is summed, where it is started again:
 * so sums are made, and made again where something of an hour still changes. In all by less than anything is kept for,
 * from a time of the day on from which it passes midnight.
 */
const JUMP_MS = 75 * 60_000;
const MOST_JUMPS = 12;
const FIRST_START_MS = 21.5 * 3_600_000;
const DAY_MS = 86_400_000;
const LONG_AFTERWARDS_MS = 3 * DAY_MS;
/** Of the key that every service starts with. */
const ACCOUNT = 'default';
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** The store under the service: what it is started with, and what is looked at behind its back. */
interface Ground {
  readonly flags: readonly string[];
  /** Null: it has no server. Resolves when it is as it was. */
  readonly disturb: ((rng: Rng) => Promise<void>) | null;
  /** While nobody writes. */
  checkIntegrity(): Promise<string[]>;
  runs(): Promise<StoredRun[]>;
  open(): Promise<Store>;
  /** Sums for reports. */
  sums(): Promise<number>;
  /** What a service that was stopped in good order must not leave. */
  leftovers(): Promise<string[]>;
  remove(): Promise<void>;
}

function sqliteGround(): Ground {
  const folder = mkdtempSync(join(tmpdir(), 'extremum-kill-'));
  const dataDir = join(folder, 'data');
  const open = <T>(body: (db: InstanceType<typeof DatabaseSync>) => T): T => {
    // A copy: what a killed process left must be mended by the service, not by who looks.
    const copy = join(folder, 'copy');
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    for (const name of ['extremum.db', 'extremum.db-wal']) {
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copy, name));
    }
    const db = new DatabaseSync(join(copy, 'extremum.db'));
    try {
      return body(db);
    } finally {
      db.close();
    }
  };
  const rows = (sql: string): Record<string, unknown>[] => open((db) => db.prepare(sql).all() as never);
  return {
    flags: ['--data-dir', dataDir],
    disturb: null,
    async checkIntegrity() {
      const found = rows('PRAGMA integrity_check').map((row) => String(row['integrity_check']));
      const broken = rows('PRAGMA foreign_key_check').map((row) => `foreign key ${JSON.stringify(row)}`);
      return [...found.filter((line) => line !== 'ok'), ...broken];
    },
    runs: async () => rows('SELECT id, attempt, losses FROM runs') as unknown as StoredRun[],
    open: async () => openSqliteStore({ dataDir, exclusive: false }),
    sums: async () => Number(rows('SELECT count(*) AS n FROM run_rollups')[0]?.['n']),
    async leftovers() {
      // A write-ahead log without content may stay.
      const expected = new Set(['extremum.db', 'extremum.db-shm', 'extremum.lock', 'pepper']);
      const isLeft = (name: string): boolean =>
        !expected.has(name) &&
        !name.startsWith('jobs.db') &&
        (name !== 'extremum.db-wal' || statSync(join(dataDir, name)).size > 0);
      const files = readdirSync(dataDir).filter(isLeft);
      const checkpoints = rows(
        `SELECT run_id FROM run_checkpoints WHERE run_id IN (SELECT id FROM runs WHERE status = 'failed')`,
      );
      const sources = rows(
        `SELECT id FROM sources WHERE id NOT IN (SELECT source_id FROM functions UNION SELECT source_id FROM runs)`,
      );
      return [
        ...files.map((name) => `the file ${name}`),
        ...checkpoints.map((row) => `the checkpoint of ${String(row['run_id'])}`),
        ...sources.map((row) => `the source ${String(row['id'])}`),
      ];
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function singleGround(): Promise<Ground> {
  const mongod = await startOwnMongod('replica set');
  return mongodbGround(mongod, async (rng) => {
    await mongod.kill();
    await sleep(rng.below(1_000));
    await mongod.restart();
  });
}

async function replicasGround(): Promise<Ground> {
  const set = await startOwnReplicaSet();
  return mongodbGround(set, async (rng) => {
    await set.stepDown();
    await sleep(rng.below(1_000));
    const bringBack = await set.killPrimary();
    await sleep(rng.below(1_000));
    await bringBack();
  });
}

function mongodbGround(server: { readonly url: string; remove(): Promise<void> }, disturb: Ground['disturb']): Ground {
  const url = newDatabaseUrl(server.url);
  return {
    flags: ['--mongodb-url', url, '--lease-seconds', String(LEASE_SECONDS)],
    disturb,
    checkIntegrity: () =>
      withClient(url, async (client) => {
        const broken: string[] = [];
        for (const { name } of await client.db().listCollections({}, { nameOnly: true }).toArray()) {
          const answer = await client.db().command({ validate: name });
          if (answer['valid'] !== true) broken.push(`${name}: ${JSON.stringify(answer['errors'])}`);
        }
        return broken;
      }),
    runs: () =>
      withClient(url, async (client) => {
        const found = await client
          .db()
          .collection<{ _id: string; attempt: number; losses: number }>('runs')
          .find({}, { projection: { attempt: 1, losses: 1 } })
          .toArray();
        return found.map(({ _id, attempt, losses }) => ({ id: _id, attempt, losses }));
      }),
    open: () => openMongodbStore(url),
    sums: () => withClient(url, (client) => client.db().collection('run_rollups').countDocuments()),
    leftovers: () =>
      withClient(url, async (client) => {
        const db = client.db();
        type Name = { run: string; kind: 'checkpoint' | 'history'; attempt: number; serial: number };
        const parts = await db
          .collection<Name>('run_parts')
          .find({}, { projection: { data: 0 } })
          .toArray();
        const filter = { _id: { $in: parts.map(({ run }) => run) } };
        const runs = await db
          .collection<{ _id: string } & Record<Name['kind'], Partial<Name> | null>>('runs')
          .find(filter)
          .toArray();
        const isReferredTo = ({ run, kind, attempt, serial }: Name): boolean => {
          const name = runs.find(({ _id }) => _id === run)?.[kind];
          return name?.attempt === attempt && name.serial === serial;
        };
        const unused = parts.filter((part) => !isReferredTo(part)).map((part) => `the part ${String(part._id)}`);
        const held = await db.collection('runs').countDocuments({ heldFor: { $exists: true } });
        // Of a batch that was not made; it goes an hour later.
        const batches = await db.collection('runs').distinct('batchId', { heldFor: { $exists: true } });
        const made = await db
          .collection<{ _id: string }>('batches')
          .countDocuments({ _id: { $in: batches as string[] } });
        return [...unused, ...(made > 0 ? [`${held} held runs, some of ${made} batches that were made`] : [])];
      }),
    remove: () => server.remove(),
  };
}

const GROUNDS = { sqlite: sqliteGround, mongodb: singleGround, replicas: replicasGround };

/** One service process after another. */
class Victim {
  private readonly flags: readonly string[];
  private child: ChildProcess | null = null;
  private output = '';
  url = NOWHERE;
  startMs = 1_000;
  /** Of its clock, from the next start on. */
  aheadMs = (FIRST_START_MS - (Date.now() % DAY_MS) + DAY_MS) % DAY_MS;
  readonly begun: { run: string; attempt: number }[] = [];
  /** Claims that were given back: to be tried alone, or to make room for such a one. */
  readonly putBack: { run: string }[] = [];
  /** What the service says of answers that were its own fault. */
  readonly failures: string[] = [];

  constructor(flags: readonly string[]) {
    this.flags = flags;
  }

  spawn(): void {
    const child = spawnService(this.flags, {
      NODE_OPTIONS: `--import=${new URL('clock-ahead.mjs', import.meta.url).href}`,
      EXTREMUM_TEST_CLOCK_AHEAD_MS: String(this.aheadMs),
    });
    this.child = child;
    this.output = '';
    this.url = NOWHERE;
    let rest = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.read(line);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      this.url = /listens on (http:\S+)/.exec(String(chunk))?.[1] ?? this.url;
    });
  }

  private read(line: string): void {
    this.output = `${this.output}${line}\n`.slice(-20_000);
    const isOwnFault = line.includes('"msg":"a request failed"') && !line.includes('"status":503');
    if (isOwnFault) this.failures.push(line);
    if (line.includes('"msg":"a run begins"')) this.begun.push(JSON.parse(line) as { run: string; attempt: number });
    if (!line.includes('"msg":"a run is given back"')) return;
    const told = JSON.parse(line) as { run: string; how: 'returned' | 'lost' };
    // What is lost is counted as a loss.
    if (told.how === 'returned') this.putBack.push(told);
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const startedAt = performance.now();
    this.spawn();
    const child = this.child;
    while (this.url === NOWHERE) {
      if (child?.exitCode !== null || child.signalCode !== null) throw new Error(`it did not start: ${this.output}`);
      await sleep(10);
    }
    this.startMs = performance.now() - startedAt;
  }

  /** Returns what is wrong about its end. */
  async kill(): Promise<string[]> {
    const child = this.child;
    if (child?.pid === undefined) return [];
    const family = descendants(child.pid);
    const how = await ended(child, 'SIGKILL');
    const problems = how === 'SIGKILL' ? [] : [`the service ended by itself (${how}): ${this.output}`];
    const deadline = performance.now() + ORPHAN_GRACE_MS;
    let orphans = family;
    while ((orphans = orphans.filter(isAlive)).length > 0 && performance.now() < deadline) await sleep(20);
    return [...problems, ...orphans.map((orphan) => `the process ${orphan.name} outlives the service`)];
  }

  /** In good order. */
  async stop(): Promise<string[]> {
    const child = this.child;
    if (child === null) return [];
    const code = await ended(child, 'SIGTERM');
    return code === 0 ? [] : [`SIGTERM ended the service with ${code}: ${this.output}`];
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Since the start of the machine: a number that is used again is another process. */
  readonly startedAt: string;
}

function readProcess(pid: number): Process | null {
  try {
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ');
    // A zombie has ended.
    return fields[0] === 'Z' ? null : { pid, parent: Number(fields[1]), name, startedAt: fields[19] ?? '' };
  } catch {
    return null;
  }
}

const isAlive = ({ pid, startedAt }: Process): boolean => readProcess(pid)?.startedAt === startedAt;

function descendants(pid: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((found) => found !== null);
  const found: Process[] = [];
  for (let parents = new Set([pid]); parents.size > 0;) {
    const children = all.filter(({ parent }) => parents.has(parent));
    found.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
}

/** Half of the kills, in a random order, are of mongod; of a replica set, all. */
function targets(rng: Rng, kills: number, store: KillLoopOptions['store']): ('service' | 'mongod')[] {
  const list = Array.from({ length: kills }, (_, i): 'service' | 'mongod' =>
    store === 'replicas' || (store === 'mongodb' && i % 2 === 1) ? 'mongod' : 'service',
  );
  for (let i = list.length - 1; i > 0; i--) {
    const j = rng.below(i + 1);
    [list[i], list[j]] = [list[j] ?? 'service', list[i] ?? 'service'];
  }
  return list;
}

/** As the service left it, and with everything summed. */
async function recountTwice(ground: Ground): Promise<string[]> {
  const store = await ground.open();
  try {
    const asLeft = await recount(store, ACCOUNT);
    while ((await store.rollUp(Date.now() + LONG_AFTERWARDS_MS, 100)) > 0);
    return [...asLeft, ...(await recount(store, ACCOUNT)).map((problem) => `all summed: ${problem}`)];
  } finally {
    await store.close();
  }
}

export async function killLoop(options: KillLoopOptions): Promise<KillLoopReport> {
  const { store, kills, seed, longestMs = 2_000, log = () => {} } = options;
  const rng = Rng.create(seed);
  const python = findPython().command;
  const ground = await GROUNDS[store]();
  const world = await startWebhookWorld();
  const place = ['--port', '0', '--python', python ?? 'off', '--python-spares', '1', '--workers', '2'];
  const victim = new Victim([
    ...place,
    '--rate-limit-per-minute',
    '0',
    '--log-level',
    'debug',
    ...world.flags,
    ...ground.flags,
  ]);
  const load = new MixedLoad({
    url: () => victim.url,
    seed,
    lanes: LANES,
    python: python !== null,
    receiver: world.receiver,
  });
  const done = { service: 0, starting: 0, mongod: 0 };
  const note = (problems: readonly string[]): void => problems.forEach((problem) => load.violation(problem));
  try {
    await victim.start();
    await load.prepare();
    load.start();
    const startedAt = performance.now();
    for (const [i, target] of targets(rng, kills, store).entries()) {
      // Where a start takes long, something is to happen between two of them.
      await sleep(50 + rng.below(Math.max(longestMs, Math.ceil(1.5 * victim.startMs))));
      if (target === 'mongod') {
        await ground.disturb?.(rng);
        done.mongod += 1;
      } else {
        note(await victim.kill());
        done.service += 1;
        if (store === 'sqlite' && i % INTEGRITY_EVERY === 0) note(await ground.checkIntegrity());
        if (i + 1 < kills && rng.below(STARTING) === 0) {
          victim.spawn();
          await sleep(rng.below(Math.ceil(victim.startMs)));
          note(await victim.kill());
          done.starting += 1;
        }
        if (i % Math.ceil(kills / MOST_JUMPS) === 0) victim.aheadMs += JUMP_MS;
        await victim.start();
      }
      if ((i + 1) % 10 === 0) log(`${i + 1} of ${kills} kills, ${JSON.stringify(load.summary())}`);
    }
    const killedAt = performance.now();
    await load.stop();
    await load.verify();
    note(await victim.stop());
    note(await ground.checkIntegrity());
    // What a killed process left is removed by a later start.
    await victim.start();
    note(await victim.stop());
    const sums = await ground.sums();
    note(await recountTwice(ground));
    const stored = await ground.runs();
    load.verifyAttempts(stored, victim.begun, victim.putBack);
    note((await ground.leftovers()).map((left) => `left behind: ${left}`));
    const resumed = stored.filter(({ attempt }) => attempt > 1).length;
    const seconds = { killing: (killedAt - startedAt) / 1000, looking: (performance.now() - killedAt) / 1000 };
    // Why an answer was a 500.
    const violations = load.violations.length === 0 ? [] : [...load.violations, ...victim.failures];
    return { violations, kills: done, resumed, sums, load: load.summary(), seconds };
  } finally {
    await victim.kill();
    await load.abandon();
    await world.close();
    await ground.remove();
  }
}
