/**
 * The sources of functions and runs, which share them. A source is named by the hash of its text, so each is stored
 * once.
 */
import { createHash } from 'node:crypto';
import type { Database } from './database.js';

/** @param body An encoded `RunSource`. @returns Its identifier. */
export function saveSource(db: Database, body: string): string {
  const id = createHash('sha256').update(body).digest('hex');
  db.run('INSERT INTO sources (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', id, body);
  return id;
}

/** Removes a source that no function and no run has any more. Within a write. */
export function removeUnusedSource(db: Database, id: string): void {
  db.run(
    `DELETE FROM sources WHERE id = ? AND NOT EXISTS (SELECT 1 FROM functions WHERE source_id = sources.id)
     AND NOT EXISTS (SELECT 1 FROM runs WHERE source_id = sources.id)`,
    id,
  );
}
