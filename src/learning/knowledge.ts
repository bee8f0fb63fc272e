/**
 * What an account has learned at a version: its latest lessons, as the table that runs get. A version is determined by its
 * lessons, so that the same version always gives the same bits.
 */
import { createHash } from 'node:crypto';
import {
  COLUMN,
  featureRow,
  KNOWLEDGE_COLUMNS,
  type Knowledge,
  type Lesson,
  type ProblemFeatures,
} from '../model/learning.js';
import { leaderNamed } from './lesson.js';

/** Older lessons are kept but no longer used. */
export const USED_LESSONS = 256;

export const NOTHING: Knowledge = { version: 0, sha256: '', table: new Float64Array(0) };

/** `lessons`: the latest up to `version`, oldest first; of more than are used the oldest are left out. */
export function knowledgeOf(version: number, lessons: readonly Lesson[]): Knowledge {
  const rows = lessons.slice(-USED_LESSONS).filter((lesson) => lesson.features !== null);
  const table = new Float64Array(rows.length * KNOWLEDGE_COLUMNS);
  rows.forEach((lesson, k) => table.set(rowOf(lesson, lesson.features!), k * KNOWLEDGE_COLUMNS));
  return { version, sha256: createHash('sha256').update(Buffer.from(table.buffer)).digest('hex'), table };
}

function rowOf({ leader, winner, cost }: Lesson, features: ProblemFeatures): Float64Array {
  const row = featureRow(features);
  row[COLUMN.leader] = leader;
  row[COLUMN.winner] = leaderNamed(winner);
  row[COLUMN.cost] = cost;
  return row;
}
