/** The one place that chooses a store: everybody else gets what it returns. */
import type { NoteDamage } from './damage.js';
import { openSqliteStore } from './sqlite/sqlite-store.js';
import { openThreadedSqliteStore } from './sqlite/threaded-store.js';
import type { Store } from './store.js';

interface StoreSettings {
  readonly dataDir: string;
  readonly mongodbUrl: string | null;
}

/**
 * @param exclusive Take an embedded database for this process, as whoever carries out runs must; it gets a thread.
 * @throws {ExtremumError} `store_unavailable`, or `conflict`: another process has the data directory.
 */
export async function openStore(
  { dataDir, mongodbUrl }: StoreSettings,
  exclusive: boolean,
  noteDamage?: NoteDamage,
): Promise<Store> {
  if (mongodbUrl === null)
    return exclusive ? openThreadedSqliteStore(dataDir, noteDamage) : openSqliteStore({ dataDir, exclusive });
  // Loading the driver takes a noticeable part of a start, for nothing where it is not used.
  const { openMongodbStore } = await import('./mongodb/mongodb-store.js');
  return openMongodbStore(mongodbUrl, noteDamage);
}
