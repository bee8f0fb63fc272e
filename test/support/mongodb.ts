/** What test files that need MongoDB share: the server, databases of their own, and a mongod that may be killed. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient } from 'mongodb';
import { describe, expect, inject, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import type {} from './mongodb-setup.js';

const provided = inject('mongodb');
const isExpected = /^(1|true|yes)$/i.test(process.env['CI'] ?? '');

function describeWhere(isThere: boolean, name: string, body: () => void): void {
  if (isThere) describe(name, body);
  else if (isExpected) describe(name, () => it('has a MongoDB server', () => expect.fail(provided.missing)));
  else describe.skip(`${name} (skipped: ${provided.missing})`, body);
}

/** `describe`, where there is a server; else skipped with the reason, or failed where one is expected. */
export const describeWithMongodb = (name: string, body: () => void): void =>
  describeWhere(provided.url !== null, name, body);

/** The same for tests that call `startOwnMongod`. */
export const describeWithOwnMongod = (name: string, body: () => void): void =>
  describeWhere(provided.binary !== null, name, body);

/** The server of this test run. */
export function mongodbUrl(): string {
  if (provided.url === null) throw new Error(provided.missing);
  return provided.url;
}

/** The address of a database that nobody else uses. Drop it at the end. */
export function newDatabaseUrl(base = mongodbUrl()): string {
  const url = new URL(base);
  url.pathname = `/extremum_test_${randomBytes(8).toString('hex')}`;
  return url.href;
}

/** Runs `body` with a connection beside the one under test. */
export async function withClient<T>(url: string, body: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 });
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

export async function dropDatabase(url: string): Promise<void> {
  await withClient(url, (client) => client.db().dropDatabase());
}

/** Empties it; what the schema has made stays. */
export async function clearDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const collections = await client.db().listCollections({}, { nameOnly: true }).toArray();
    const others = collections.filter(({ name }) => name !== 'schema');
    await Promise.all(others.map(({ name }) => client.db().collection(name).deleteMany({})));
  });
}

export interface OwnMongod {
  readonly url: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** After `kill`: on the same data, at the same address. Resolves when it takes writes. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

/** A mongod of the caller's own: a replica set of one, or a standalone. Ends with this process in any case. */
export async function startOwnMongod(kind: 'replica set' | 'standalone'): Promise<OwnMongod> {
  const { binary } = provided;
  if (binary === null) throw new Error(provided.missing);
  const folder = mkdtempSync(join(tmpdir(), 'extremum-mongod-'));
  const modest = ['--wiredTigerCacheSizeGB', '0.25', '--setParameter', 'enableTestCommands=1'];
  const replica = kind === 'replica set' ? ['--replSet', 'rs0', '--oplogSize', '64'] : [];
  const supervisor = join(packageRoot(), 'test', 'support', 'mongod-supervisor.mjs');
  const child = spawn(process.execPath, [supervisor, binary, folder, ...modest, ...replica], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (wanted: RegExp): Promise<string> => {
    const { value, done } = await lines.next();
    const found = done === true ? null : wanted.exec(value);
    if (found === null) throw new Error(`mongod did not start: ${done === true ? 'no answer' : value}`);
    return found[1] ?? '';
  };
  const tell = (command: string): unknown => child.stdin.write(`${command}\n`);
  const remove = async (): Promise<void> => {
    child.stdin.end();
    await gone;
  };

  try {
    tell('start');
    const host = `127.0.0.1:${await next(/^ready (\d+)$/)}`;
    const direct = `mongodb://${host}/?directConnection=true`;
    const primary = (): Promise<void> => withClient(direct, waitForPrimary);
    if (kind === 'replica set') {
      // After a restart it elects itself once this time has passed.
      const settings = { electionTimeoutMillis: 500 };
      const config = { _id: 'rs0', members: [{ _id: 0, host }], settings };
      await withClient(direct, (client) => client.db('admin').command({ replSetInitiate: config }));
    }
    await primary();
    return {
      url: kind === 'replica set' ? `mongodb://${host}/?replicaSet=rs0` : direct,
      async kill() {
        tell('kill');
        await next(/^ended$/);
      },
      async restart() {
        tell('start');
        await next(/^ready/);
        await primary();
      },
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function waitForPrimary(client: MongoClient): Promise<void> {
  for (;;) {
    const hello = await client.db('admin').command({ hello: 1 });
    if (hello['isWritablePrimary'] === true) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
