/** What test files that need MongoDB share: the server, databases of their own, and a mongod that may be killed. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MongoClient, type Document } from 'mongodb';
import { describe, expect, inject, it } from 'vitest';
import { packageRoot } from '../../src/common/dist-entry.js';
import { dataFolder } from './data-folder.js';
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
  // Several hosts make it no URL by the rules of others.
  const [, hosts = '', options = ''] = /^([^/]*\/\/[^/?]*)(?:\/[^?]*)?(.*)$/.exec(base) ?? [];
  return `${hosts}/extremum_test_${randomBytes(8).toString('hex')}${options}`;
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

/** The next `times` of the named commands of a service or store on that server fail as `data` says. */
export const failCommands = (url: string, times: number, data: Document): Promise<Document> =>
  withClient(url, (client) =>
    client.db('admin').command({
      configureFailPoint: 'failCommand',
      mode: { times },
      data: { appName: 'extremum', ...data },
    }),
  );

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

/** A mongod of the caller's own. Ends with this process in any case. */
interface Member {
  readonly host: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** After `kill`: on the same data, at the same address. */
  restart(): Promise<void>;
  /** Until `resume` it says nothing, and its connections stay. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export interface OwnMongod extends Omit<Member, 'host'> {
  readonly url: string;
  /** Also resolves only when it takes writes. */
  restart(): Promise<void>;
}

export interface OwnReplicaSet {
  readonly url: string;
  /** The primary becomes a secondary; resolves when there is another primary. */
  stepDown(): Promise<void>;
  /** SIGKILL for the primary; resolves when there is another one. Returns how to bring it back, as a secondary. */
  killPrimary(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}

const REPLICA = ['--replSet', 'rs0', '--oplogSize', '64'];

async function startMember(more: readonly string[]): Promise<Member> {
  const { binary } = provided;
  if (binary === null) throw new Error(provided.missing);
  const folder = dataFolder('extremum-mongod-');
  const modest = ['--wiredTigerCacheSizeGB', '0.25', '--setParameter', 'enableTestCommands=1'];
  const supervisor = join(packageRoot(), 'test', 'support', 'mongod-supervisor.mjs');
  const child = spawn(process.execPath, [supervisor, binary, folder, ...modest, ...more], {
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
    return {
      host,
      async kill() {
        tell('kill');
        await next(/^ended$/);
      },
      async restart() {
        tell('start');
        await next(/^ready/);
      },
      pause: () => tell('pause'),
      resume: () => tell('resume'),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

const direct = (host: string): string => `mongodb://${host}/?directConnection=true`;

async function initiate(hosts: readonly string[], electionTimeoutMillis: number): Promise<void> {
  const members = hosts.map((host, _id) => ({ _id, host }));
  const settings = { electionTimeoutMillis, heartbeatIntervalMillis: electionTimeoutMillis / 2 };
  await withClient(direct(hosts[0] ?? ''), (client) =>
    client.db('admin').command({ replSetInitiate: { _id: 'rs0', members, settings } }),
  );
}

/** A replica set of one, or a standalone. */
export async function startOwnMongod(kind: 'replica set' | 'standalone'): Promise<OwnMongod> {
  const member = await startMember(kind === 'replica set' ? REPLICA : []);
  const { host } = member;
  try {
    // After a restart it elects itself once this time has passed.
    if (kind === 'replica set') await initiate([host], 500);
    await withClient(direct(host), waitForPrimary);
  } catch (error) {
    await member.remove();
    throw error;
  }
  return {
    ...member,
    url: kind === 'replica set' ? `mongodb://${host}/?replicaSet=rs0` : direct(host),
    async restart() {
      await member.restart();
      await withClient(direct(host), waitForPrimary);
    },
  };
}

/** A replica set of three. */
export async function startOwnReplicaSet(): Promise<OwnReplicaSet> {
  const members: Member[] = [];
  const remove = async (): Promise<void> => void (await Promise.all(members.map((member) => member.remove())));
  try {
    // One after the other: none is forgotten where one does not start.
    for (let i = 0; i < 3; i++) members.push(await startMember(REPLICA));
    const hosts = members.map(({ host }) => host);
    await initiate(hosts, 2_000);
    const url = `mongodb://${hosts.join()}/?replicaSet=rs0`;
    /** The primary's place in `members`, once there is one that is not `other`. */
    const primary = (other?: string): Promise<string> =>
      withClient(`${url}&serverSelectionTimeoutMS=60000`, async (client) => {
        for (;;) {
          const hello = await client.db('admin').command({ hello: 1 });
          if (hello['isWritablePrimary'] === true && hello['me'] !== other) return String(hello['me']);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });
    await primary();
    return {
      url,
      async stepDown() {
        const old = await primary();
        await withClient(url, (client) => client.db('admin').command({ replSetStepDown: 10, force: true }));
        await primary(old);
      },
      async killPrimary() {
        const old = await primary();
        const member = members.find(({ host }) => host === old);
        await member?.kill();
        await primary(old);
        return async () => member?.restart();
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
