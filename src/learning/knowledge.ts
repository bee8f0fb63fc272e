/**
 * What an account has learned at a version: its latest lessons, as the table that runs get. A version is determined by its
 * lessons, so that the same version always gives the same bits.
 */
import { createHash } from 'node:crypto';
import {
  COLUMN,
  COMPARED,
  featureRow,
  FIRST_COLUMNS,
  FIRST_LEADERS,
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
  const hash = createHash('sha256');
  rows.forEach((lesson, k) => {
    const columns = isOld(lesson) ? FIRST_COLUMNS : KNOWLEDGE_COLUMNS;
    hash.update(
      Buffer.from(table.buffer, k * KNOWLEDGE_COLUMNS * table.BYTES_PER_ELEMENT, columns * table.BYTES_PER_ELEMENT),
    );
  });
  return { version, sha256: hash.digest('hex'), table };
}

/** From before efforts were noted. */
const isOld = ({ members }: Lesson): boolean => members.every(({ effort }) => effort === undefined);

function rowOf(lesson: Lesson, features: ProblemFeatures): Float64Array {
  const { leader, winner, cost, members } = lesson;
  const row = featureRow(features);
  row[COLUMN.leader] = leader;
  const place = leaderNamed(winner);
  row[COLUMN.winner] = isOld(lesson) && place >= FIRST_LEADERS ? 0 : place;
  row[COLUMN.cost] = cost;
  COMPARED.forEach((name, k) => {
    row[COLUMN.effort + k] = isOld(lesson) ? NaN : (members.find((member) => member.name === name)?.effort ?? 0);
  });
  return row;
}
