/** Agenda's own backend for MongoDB, on a connection of ours that is open before Agenda looks at it. */
import { MongoBackend } from '@agendajs/mongo-backend';
import { openClient } from '../../storage/mongodb/database.js';
import type { OpenedBackend } from '../agenda-jobs.js';

const COLLECTION = 'agenda_jobs';
const PROCESS_EVERY_MS = 500;
/** Scans of a few names; one that waits for a server is better given up and asked again. */
const OPTIONS = { appName: 'extremum-jobs', maxPoolSize: 4, serverSelectionTimeoutMS: 5_000 };

/** @throws where the database cannot be reached. */
export async function openMongodbBackend(url: string): Promise<OpenedBackend> {
  const { client, db } = await openClient(url, OPTIONS);
  try {
    // Before Agenda writes: its upserts of recurring jobs make two where two processes start together.
    const single = { unique: true, partialFilterExpression: { type: 'single' } };
    await db.collection(COLLECTION).createIndex({ name: 1, type: 1 }, single);
    const backend = new MongoBackend({ mongo: db, collection: COLLECTION });
    await backend.connect();
    return { backend, processEveryMs: PROCESS_EVERY_MS, close: () => client.close() };
  } catch (error) {
    await client.close();
    throw error;
  }
}
