/**
 * An account's knowledge at a version: its latest lessons, as the table that runs get. A version is determined by its
 * lessons, so that the same version always gives the same bits.
 */
import { createHash } from 'node:crypto';
import {
  COLUMN,
  featureRow,
  FIRST_COLUMNS,
  KNOWLEDGE_COLUMNS,
  wasProbed,
  type Knowledge,
  type Lesson,
  type ProblemFeatures,
} from '../model/learning.js';
import type { RunTask } from '../model/run-task.js';
import type { MergedStatistic } from '../model/federation.js';
import { rowsOf } from './federation/merge.js';
import { leaderNamed } from './lesson.js';
import { COMPARED, FIRST_LEADERS } from '../planner/leaders.js';

/** Older lessons are kept but no longer used. */
export const USED_LESSONS = 256;

/**
 * `lessons`: the latest up to `version`, oldest first; of more than are used the oldest are left out. `federated`: what
 * other deployments taught by then.
 */
export function knowledgeOf(
  version: number,
  lessons: readonly Lesson[],
  federated: readonly MergedStatistic[] = [],
): Knowledge {
  const used = lessons.slice(-USED_LESSONS);
  const rows = used.filter(({ features, isRepeat }) => features !== null && wasProbed(features) && isRepeat !== true);
  const table = new Float64Array((rows.length + federated.length) * KNOWLEDGE_COLUMNS);
  rows.forEach((lesson, k) => table.set(rowOf(lesson, lesson.features!), k * KNOWLEDGE_COLUMNS));
  const hash = createHash('sha256');
  rows.forEach((lesson, k) => {
    const columns = isOld(lesson) ? FIRST_COLUMNS : KNOWLEDGE_COLUMNS;
    hash.update(
      Buffer.from(table.buffer, k * KNOWLEDGE_COLUMNS * table.BYTES_PER_ELEMENT, columns * table.BYTES_PER_ELEMENT),
    );
  });
  const found = used.flatMap((lesson) => lesson.found ?? []);
  for (const { shape, direction, solution } of found) {
    hash.update(`${shape} ${direction} ${solution.length} `);
    hash.update(Buffer.from(Float64Array.from(solution).buffer));
  }
  const others = rowsOf(federated);
  table.set(others, rows.length * KNOWLEDGE_COLUMNS);
  hash.update(Buffer.from(others.buffer));
  const isErased = used.some(({ isRunDeleted }) => isRunDeleted === true);
  return { version, sha256: hash.digest('hex'), table, found, isErased };
}

/** Solutions that a run begins with at most; each costs it an evaluation. */
const STARTS = 2;

/**
 * [count, n] row by row: what the latest runs of the same program found, newest first, moved into the bounds; null:
 * nothing.
 *
 * @param shape of the run's program; undefined: not known
 */
export function startsFor(
  { found }: Knowledge,
  shape: string | undefined,
  { bounds, direction }: Pick<RunTask, 'bounds' | 'direction'>,
): Float64Array | null {
  if (shape === undefined) return null;
  const rows = new Map<string, readonly number[]>();
  for (const one of found.toReversed()) {
    if (one.shape !== shape || one.direction !== direction || one.solution.length !== bounds.length) continue;
    const row = one.solution.map((value, i) => Math.min(bounds[i][1], Math.max(bounds[i][0], value)));
    rows.set(row.join(), row);
    if (rows.size === STARTS) break;
  }
  return rows.size === 0 ? null : Float64Array.from([...rows.values()].flat());
}

/** Whether a lesson is from before efforts were noted. */
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
