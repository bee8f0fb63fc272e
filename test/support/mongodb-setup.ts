/**
 * Vitest `globalSetup` of the tests that need MongoDB: provides a server's address to them, or why there is none. In
 * order: `MONGODB_URL`; what mongodb-memory-server finds or may download; the mongod of a Python wheel. One server per
 * test run; every test file makes a database of its own in it. The server ends with this process, also when that is
 * killed: mongodb-memory-server has a process of its own watching for it.
 *
 * Where a server is expected (`CI` is set) its absence fails the run; elsewhere the tests are skipped with the reason.
 */
import { MongoBinary, MongoMemoryReplSet } from 'mongodb-memory-server-core';
import type { TestProject } from 'vitest/node';
import { WHEEL_VERSION, wheelMongod } from './mongod-binary.js';

declare module 'vitest' {
  export interface ProvidedContext {
    mongodb: { readonly url: string } | { readonly missing: string };
  }
}

/** `ttlMonitorSleepSecs`, `enableTestCommands`: expiry within seconds, and fail points. */
const PARAMETERS = ['ttlMonitorSleepSecs=1', 'enableTestCommands=1'];

function startReplicaSet(systemBinary: string): Promise<MongoMemoryReplSet> {
  // Said where the version is another: how it is started does not depend on it.
  return MongoMemoryReplSet.create({
    binary: { systemBinary, version: WHEEL_VERSION },
    replSet: {
      count: 1,
      storageEngine: 'wiredTiger',
      args: ['--wiredTigerCacheSizeGB', '0.25', ...PARAMETERS.flatMap((setting) => ['--setParameter', setting])],
    },
  });
}

const firstLine = (error: unknown): string => String((error as Error).message ?? error).split('\n')[0] ?? '';

export default async function setUp({ provide }: TestProject): Promise<(() => Promise<unknown>) | undefined> {
  const given = process.env['MONGODB_URL'];
  if (given !== undefined && given !== '') {
    provide('mongodb', { url: given });
    return undefined;
  }
  // A download that is blocked costs seconds and a page of log; '1' allows it.
  process.env['MONGOMS_RUNTIME_DOWNLOAD'] ??= '0';
  const sources = [
    { name: 'mongodb-memory-server', binary: () => MongoBinary.getPath() },
    { name: 'wheel', binary: async () => wheelMongod() },
  ];
  const reasons: string[] = [];
  for (const { name, binary } of sources) {
    try {
      const server = await startReplicaSet(await binary());
      provide('mongodb', { url: server.getUri() });
      return () => server.stop();
    } catch (error) {
      reasons.push(`${name}: ${firstLine(error)}`);
    }
  }
  const missing = `no MongoDB server here (${reasons.join('; ')})`;
  if (/^(1|true|yes)$/i.test(process.env['CI'] ?? '')) throw new Error(missing);
  provide('mongodb', { missing });
  return undefined;
}
