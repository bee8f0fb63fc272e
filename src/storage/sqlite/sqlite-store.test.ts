import { DatabaseSync } from '@photostructure/sqlite';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../common/dist-entry.js';
import { ACCOUNT, claimAt, ending, newRun } from '../../../test/conformance/store-samples.js';
import type { Store } from '../store.js';
import { Database } from './database.js';
import { MIGRATIONS } from './migrations.js';
import { openSqliteStore } from './sqlite-store.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'extremum-sqlite-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const KEY = {
  ...{ id: 'key_1', accountId: 'acct_1', name: 'k', publicId: 'p1', secretHash: 'ab', scopes: ['read'] as const },
  ...{ createdAt: 1, expiresAt: null, revokedAt: null, lastUsedAt: null },
};

describe('SQLite store', () => {
  it('gives no secret where keys are hashed with one that is lost, until another one is asked for', async () => {
    const store = openSqliteStore({ dataDir, exclusive: true });
    await store.ensureAccount({ id: 'acct_1', name: 'one', createdAt: 1 });
    const first = await store.keySecret();
    await store.saveKey(KEY);
    rmSync(join(dataDir, 'pepper'));
    const refusal = { code: 'store_unavailable', message: expect.stringMatching(/none of the 1 keys/) as unknown };
    await expect(store.keySecret()).rejects.toMatchObject(refusal);
    expect(await store.newKeySecret(7)).toBe(1);
    expect(await store.keySecret()).not.toEqual(first);
    expect((await store.findKey('p1'))?.key.revokedAt).toBe(7);
    await expect(store.newKeySecret(8)).rejects.toMatchObject({ code: 'conflict' });
    writeFileSync(join(dataDir, 'pepper'), 'damaged');
    await expect(store.keySecret()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await store.newKeySecret(9)).toBe(0);
    expect(await store.keySecret()).toHaveLength(32);
    await store.close();
  });

  it('writes ahead, syncs every commit, keeps foreign keys', () => {
    const db = new Database(join(dataDir, 'x.db'), MIGRATIONS);
    expect(db.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(db.get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
    expect(db.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
    expect(db.get('PRAGMA busy_timeout')).toEqual({ timeout: 5000 });
    expect(db.get('PRAGMA user_version')).toEqual({ user_version: MIGRATIONS.length });
    db.close();
  });

  it('has the schema that schema.sql shows', () => {
    const db = new Database(join(dataDir, 'x.db'), MIGRATIONS);
    const rows = db.all(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid`);
    db.close();
    const actual = rows.map((row) => `${String(row['sql']).replaceAll(/^ {2}/gm, '')};\n`).join('\n');
    const file = join(packageRoot(), 'src/storage/sqlite/schema.sql');
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, actual);
    expect(actual).toBe(readFileSync(file, 'utf8'));
  });

  it('refuses a second owner of the directory, in this process and in another, until the first closes', async () => {
    const first = openSqliteStore({ dataDir, exclusive: true });
    expect(() => openSqliteStore({ dataDir, exclusive: true })).toThrow(/Another process is using this data directory/);
    const script = `import { DatabaseSync } from '@photostructure/sqlite';
      try { new DatabaseSync(process.argv[1], { timeout: 0 }).exec('BEGIN EXCLUSIVE'); console.log('taken'); }
      catch (error) { console.log(error.message); }`;
    const attempt = (): string =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script, join(dataDir, 'extremum.lock')], {
        encoding: 'utf8',
        cwd: packageRoot(),
      }).trim();
    expect(attempt()).toBe('database is locked');
    await first.close();
    expect(attempt()).toBe('taken');
    await openSqliteStore({ dataDir, exclusive: true }).close();
  });

  it('lets another connection that takes nothing for itself read and write meanwhile', async () => {
    const service = openSqliteStore({ dataDir, exclusive: true });
    const cli = openSqliteStore({ dataDir, exclusive: false });
    await cli.ensureAccount({ id: 'acct_1', name: 'one', createdAt: 1 });
    expect(await service.ensureAccount({ id: 'acct_2', name: 'one', createdAt: 2 })).toMatchObject({ id: 'acct_1' });
    await cli.close();
    await service.close();
  });

  it('refuses a schema that is newer than the program', async () => {
    await openSqliteStore({ dataDir, exclusive: true }).close();
    const raw = new DatabaseSync(join(dataDir, 'extremum.db'));
    raw.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    raw.close();
    expect(() => openSqliteStore({ dataDir, exclusive: true })).toThrow(/schema version \d+; this program knows/);
  });

  it('reads checkpoints that were stored as text', async () => {
    const version = MIGRATIONS.findIndex((migration) => migration.includes('text_checkpoints'));
    const old = new Database(join(dataDir, 'extremum.db'), MIGRATIONS.slice(0, version));
    const text = '{"state":"ü😀","value":{"$f":"-0"}}';
    old.writeNow(() => {
      old.run(`INSERT INTO accounts (id, name, body) VALUES ('acct_1', 'one', '{}')`);
      old.run(`INSERT INTO sources (id, body) VALUES ('s', '{}')`);
      old.run(`INSERT INTO runs (id, account_id, function_id, source_id, status, attempt, losses, cancel_requested,
                 lease_until, created_at, request, metadata)
               VALUES ('opt_1', 'acct_1', 'func_1', 's', 'running', 1, 0, 0, 0, 1, '{}', '{}')`);
      old.run(`INSERT INTO run_checkpoints (run_id, body) VALUES ('opt_1', ?)`, text);
    });
    old.close();
    const store = openSqliteStore({ dataDir, exclusive: true });
    const claimed = await store.claimRun('opt_1', { owner: 'o', now: 1, leaseUntil: 2 });
    expect(new TextDecoder().decode(claimed?.checkpoint ?? undefined)).toBe(text);
    await store.close();
  });

  it('says which file is no database, and gives the directory free again', () => {
    writeFileSync(join(dataDir, 'extremum.db'), 'this is no database, but long enough to look at'.repeat(100));
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => openSqliteStore({ dataDir, exclusive: true })).toThrow(
        /extremum\.db is damaged: file is not a database/,
      );
    }
  });

  it('hands on no event that happened before there were webhooks', async () => {
    const before = MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE webhooks'));
    const old = new Database(join(dataDir, 'extremum.db'), MIGRATIONS.slice(0, before));
    old.writeNow(() => {
      old.run(`INSERT INTO accounts VALUES ('acct_1', 'one', '{"id":"acct_1","name":"one","createdAt":1}')`);
      old.run(`INSERT INTO sources VALUES ('s', '{}')`);
      old.run(
        `INSERT INTO runs (id, account_id, function_id, source_id, status, attempt, losses, cancel_requested, created_at,
           request, metadata) VALUES ('opt_1', 'acct_1', 'func_1', 's', 'pending', 0, 0, 0, 1, '{}', '{}')`,
      );
      old.run(`INSERT INTO run_events VALUES ('opt_1', 1, 'evt_1', '{"id":"evt_1"}')`);
    });
    old.close();
    const store = openSqliteStore({ dataDir, exclusive: true });
    expect(await store.runEvents('acct_1', 'opt_1', 0, 9)).toEqual([{ id: 'evt_1' }]);
    expect(await store.relayEvents(1, 9)).toBe(0);
    const event = { id: 'evt_2', type: 'context.updated', createdAt: 2, body: '{}' } as const;
    await store.updateMetadata('acct_1', 'opt_1', {}, event);
    expect(await store.relayEvents(1, 9)).toBe(1);
    await store.close();
  });

  it('undoes alone what throws, within the transaction that it shares', async () => {
    const db = new Database(join(dataDir, 'x.db'), ['CREATE TABLE t (a INTEGER) STRICT']);
    const insert = (value: number): Promise<number> => db.write(() => db.run('INSERT INTO t VALUES (?)', value));
    const broken = db.write(() => {
      db.run('INSERT INTO t VALUES (2)');
      throw new Error('half-way');
    });
    const outcomes = await Promise.allSettled([insert(1), broken, insert(3)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(db.all('SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 3 }]);
    db.close();
  });

  it('writes many runs of one turn with one commit, and what is queued when it closes', async () => {
    const db = new Database(join(dataDir, 'x.db'), ['CREATE TABLE t (a INTEGER) STRICT']);
    const frames = (): number => Number(db.get('PRAGMA wal_checkpoint(PASSIVE)')?.['log']);
    const before = frames();
    await Promise.all(Array.from({ length: 500 }, (_, i) => db.write(() => db.run('INSERT INTO t VALUES (?)', i))));
    // One page of the table and its header, not 500 of them.
    expect(frames() - before).toBeLessThan(20);
    const last = db.write(() => db.run('INSERT INTO t VALUES (500)'));
    db.close();
    expect(await last).toBe(1);
    await expect(db.write(() => 1)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('leaves all of it in the one file when it is closed', () => {
    const path = join(dataDir, 'x.db');
    const db = new Database(path, ['CREATE TABLE t (a INTEGER) STRICT']);
    db.run('INSERT INTO t VALUES (7)');
    db.close();
    const copy = join(dataDir, 'copy.db');
    copyFileSync(path, copy);
    const again = new Database(copy, ['CREATE TABLE t (a INTEGER) STRICT']);
    expect(again.all('SELECT a FROM t')).toEqual([{ a: 7 }]);
    again.close();
  });

  it('says that it cannot write until a write works again', async () => {
    const db = new Database(join(dataDir, 'x.db'), ['CREATE TABLE t (a INTEGER) STRICT']);
    const insert = (): Promise<number> => db.write(() => db.run('INSERT INTO t VALUES (1)'));
    await insert();
    expect(() => db.checkWrites()).not.toThrow();
    // Like a full disk: every write is refused, reading works.
    db.get('PRAGMA query_only = ON');
    await expect(insert()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(() => db.checkWrites()).toThrow(/refused/);
    expect(db.all('SELECT a FROM t')).toEqual([{ a: 1 }]);
    db.get('PRAGMA query_only = OFF');
    expect(() => db.checkWrites()).not.toThrow();
    await insert();
    db.close();
  });
});

describe('the file of the SQLite store', () => {
  const path = (): string => join(dataDir, 'extremum.db');
  const size = (): number => statSync(path()).size;
  const ids = Array.from({ length: 40 }, (_, i) => `opt_${100 + i}`);
  const fill = async (store: Store): Promise<void> => {
    await store.ensureAccount(ACCOUNT);
    const checkpoint = new Uint8Array(50_000);
    for (const id of ids) {
      await store.createRun(newRun(id), claimAt(1));
      const extendable = { checkpoint, until: 1e15 };
      await store.finishRun(id, 1, { status: 'completed', ending: ending(), completedAt: 9, extendable });
    }
  };

  it('becomes smaller when runs are removed, a bounded part at a time', async () => {
    const store = openSqliteStore({ dataDir, exclusive: true });
    await fill(store);
    expect(await store.returnSpace(1e9)).toBe(false);
    await store.deleteRuns(ACCOUNT.id, ids);
    const full = size();
    expect(full).toBeGreaterThan(1_000_000);
    expect(await store.returnSpace(500_000)).toBe(true);
    let more = 1;
    while (await store.returnSpace(500_000)) more++;
    expect(more).toBeGreaterThanOrEqual(2);
    expect(size()).toBeLessThan(full / 3);
    await store.close();
  });

  it('of an earlier version is written anew where that is quick, and becomes smaller from then on', async () => {
    // As earlier versions made it.
    const earlier = new DatabaseSync(path());
    earlier.exec('PRAGMA auto_vacuum = NONE; CREATE TABLE first (a); DROP TABLE first');
    earlier.close();
    const before = openSqliteStore({ dataDir, exclusive: true });
    await fill(before);
    await before.deleteRuns(ACCOUNT.id, ids.slice(0, 20));
    expect(await before.returnSpace(1e9)).toBe(false);
    await before.close();
    const full = size();
    const store = openSqliteStore({ dataDir, exclusive: true, makeShrinkable: true });
    expect(size()).toBeLessThan(full - 800_000);
    await store.deleteRuns(ACCOUNT.id, ids.slice(20));
    const half = size();
    while (await store.returnSpace(1e6));
    expect(size()).toBeLessThan(half - 800_000);
    expect(await store.deletedRun(ACCOUNT.id, 'opt_139', 5)).toBe('completed');
    await store.close();
  });
});
