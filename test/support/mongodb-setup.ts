/**
 * Vitest `globalSetup` of the tests that need MongoDB: provides a server's address to them, or why there is none. In
 * order: `MONGODB_URL`; what mongodb-memory-server finds or may download; the mongod of a Python wheel. One server per
 * test run; every test file makes a database of its own in it. The server ends with this process, also when that is
 * killed: mongodb-memory-server has a process of its own watching for it.
 *
 * Where a server is expected (`CI` is set) its absence fails these tests; elsewhere they are skipped with the reason.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MongoBinary, MongoMemoryReplSet } from 'mongodb-memory-server-core';
import type { TestProject } from 'vitest/node';
import { DATA_ROOTS, dataFolder } from './data-folder.js';
import { WHEEL_VERSION, wheelMongod } from './mongod-binary.js';

declare module 'vitest' {
  export interface ProvidedContext {
    mongodb: {
      /** Of the server that test files share. */
      readonly url: string | null;
      /** Of a mongod, for tests that start one of their own. */
      readonly binary: string | null;
      /** Why one of them is null. */
      readonly missing: string;
    };
  }
}

/** `ttlMonitorSleepSecs`, `enableTestCommands`: expiry within seconds, and fail points. */
const PARAMETERS = ['ttlMonitorSleepSecs=1', 'enableTestCommands=1'];

function startReplicaSet(systemBinary: string, dbPath: string): Promise<MongoMemoryReplSet> {
  // The version is only compared with the binary's own: how it is started does not depend on it.
  return MongoMemoryReplSet.create({
    binary: { systemBinary, version: WHEEL_VERSION },
    instanceOpts: [{ dbPath }],
    replSet: {
      count: 1,
      storageEngine: 'wiredTiger',
      args: ['--wiredTigerCacheSizeGB', '0.25', ...PARAMETERS.flatMap((setting) => ['--setParameter', setting])],
    },
  });
}

/** Data of servers (300 MB each), with the process identifier of the test run. */
const FOLDER = 'extremum-mongodb-';

/** Removes what test runs that were killed left behind. */
function removeRelics(): void {
  for (const root of DATA_ROOTS.filter((each) => existsSync(each))) {
    for (const name of readdirSync(root)) {
      const pid = name.startsWith(FOLDER) ? Number(name.slice(FOLDER.length).split('-')[0]) : 0;
      if (pid > 0 && !isAlive(pid)) rmSync(join(root, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const firstLine = (error: unknown): string => String((error as Error).message ?? error).split('\n')[0] ?? '';

/** A mongod of this machine, or why there is none. */
async function findBinary(): Promise<{ readonly binary: string | null; readonly missing: string }> {
  // A download that is blocked costs seconds and a page of log; '1' allows it.
  process.env['MONGOMS_RUNTIME_DOWNLOAD'] ??= '0';
  const sources = [
    { name: 'mongodb-memory-server', find: () => MongoBinary.getPath() },
    { name: 'wheel', find: async () => wheelMongod() },
  ];
  const reasons: string[] = [];
  for (const { name, find } of sources) {
    try {
      return { binary: await find(), missing: '' };
    } catch (error) {
      reasons.push(`${name}: ${firstLine(error)}`);
    }
  }
  return { binary: null, missing: `no MongoDB server here (${reasons.join('; ')})` };
}

export default async function setUp({ provide }: TestProject): Promise<(() => Promise<unknown>) | undefined> {
  const given = process.env['MONGODB_URL'] ?? '';
  const { binary, missing } = await findBinary();
  if (given !== '' || binary === null) {
    provide('mongodb', { url: given === '' ? null : given, binary, missing });
    return undefined;
  }
  removeRelics();
  const folder = dataFolder(`${FOLDER}${process.pid}-`);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const server = await startReplicaSet(binary, folder);
    provide('mongodb', { url: server.getUri(), binary, missing });
    return async () => {
      await server.stop();
      remove();
    };
  } catch (error) {
    remove();
    provide('mongodb', { url: null, binary: null, missing: `${binary} does not start: ${firstLine(error)}` });
    return undefined;
  }
}
