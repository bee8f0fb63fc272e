/** Agenda's backend for a service of one process: a file of its own beside the store's. */
import { join } from 'node:path';
import type { OpenedBackend } from '../agenda-jobs.js';
import { SqliteJobRepository } from './job-repository.js';

/** Nobody else leaves anything here. */
const PROCESS_EVERY_MS = 5_000;

/** @param dataDir Taken by this process alone (see `lockExclusively`). */
export async function openSqliteBackend(dataDir: string): Promise<OpenedBackend> {
  const repository = new SqliteJobRepository(join(dataDir, 'jobs.db'));
  await repository.connect();
  repository.releaseAll();
  const close = async (): Promise<void> => repository.close();
  const backend = { name: 'sqlite', repository, connect: () => repository.connect(), disconnect: close };
  return { backend, processEveryMs: PROCESS_EVERY_MS, close };
}
