/** The one place that chooses where Agenda keeps its rows: with the store of the service. */
import { AgendaJobs, type OpenedBackend } from './agenda-jobs.js';
import type { Jobs } from './jobs.js';
import type { LocalJobParts } from './local-job.js';

interface JobSettings {
  readonly dataDir: string;
  readonly mongodbUrl: string | null;
}

export function createJobs({ dataDir, mongodbUrl }: JobSettings, parts: LocalJobParts): Jobs {
  // Loading a driver takes a noticeable part of a start.
  const openBackend = async (): Promise<OpenedBackend> =>
    mongodbUrl === null
      ? (await import('./sqlite/sqlite-backend.js')).openSqliteBackend(dataDir)
      : (await import('./mongodb/mongodb-backend.js')).openMongodbBackend(mongodbUrl);
  return new AgendaJobs({ ...parts, openBackend });
}
