/**
 * The points of a study, a page at a time. Their values come from the study's held state, which knows them all; where
 * they lie is read from the entries of the log that made them, and from no others: the entry that told a point may be
 * anywhere after that, or nowhere.
 */
import { decode } from '../common/codec.js';
import { decodeFloats } from '../common/float64-codec.js';
import { LoopTurns } from '../common/loop-turns.js';
import type { Page } from '../model/page.js';
import type { StudyEntry, StudyRecord, StudySummary } from '../model/study.js';
import { candidatesOf, type StudyOperation } from './study.js';

/** Entries that are read at a time, at most. */
const PORTION = 64;

export interface LoggedPoint {
  /** From 1, in the order in which they were handed out, or told without that. */
  readonly serial: number;
  /** False: it was told without having been asked for. */
  readonly isAsked: boolean;
  readonly solution: Float64Array;
  /** In the objectives' own directions; NaN: the evaluation failed. Null: it was not told yet. */
  readonly values: Float64Array | null;
}

interface KnownValues {
  readonly study: StudyRecord;
  /** The entry after which they are known. */
  readonly seq: number;
  /** Of the points of the page, the latest first; null: open. */
  readonly values: Page<Float64Array | null>;
}

/** Some entries after that number, in their order: at most `limit`, at least one where there is one. */
type ReadEntries = (after: number, limit: number) => Promise<readonly StudyEntry[]>;

/** A place in the log: an entry, and how many points there are after it. */
interface Place {
  readonly seq: number;
  readonly points: number;
}

/** The latest first. */
export async function pointsOf(
  { study, seq: end, values: { items: values, total } }: KnownValues,
  entriesAfter: ReadEntries,
  offset: number,
): Promise<Page<LoggedPoint>> {
  const last = total - offset;
  const before = last - values.length;
  const items: LoggedPoint[] = [];
  const turns = new LoopTurns();
  let { seq, points } = await lastWith(before, { seq: 0, points: 0 }, end, entriesAfter);
  // One entry may have all points of the page, and be large.
  for (let portion = 1; values.length > 0 && points < last; portion = Math.min(2 * portion, PORTION)) {
    const pointsBefore = points;
    const entries = await entriesAfter(seq, portion);
    // The study was deleted meanwhile.
    if (entries.length === 0) break;
    for (const entry of entries) {
      const first = points + 1;
      ({ seq } = entry);
      points = pointsAfter(entry.summary);
      if (points < first) continue;
      const operation: StudyOperation = decode(new TextDecoder().decode(entry.body));
      solutionsMadeBy(operation, study.bounds.length).forEach((solution, k) => {
        const serial = first + k;
        if (serial <= before || serial > last) return;
        items.push({ serial, isAsked: operation.kind === 'ask', solution, values: values[last - serial] });
      });
      await turns.after(entry.body.length);
      if (points >= last) break;
    }
    const isGap = portion === PORTION && points === pointsBefore;
    if (isGap) ({ seq, points } = await lastWith(points, { seq, points }, end, entriesAfter));
  }
  return { items: items.reverse(), total };
}

/** How many points there are after an entry: each was told, or is open. */
const pointsAfter = ({ evaluations, open }: StudySummary): number => evaluations + open;

/** The last entry after which there are at most so many points, by bisection: their number never falls. */
async function lastWith(points: number, from: Place, end: number, entriesAfter: ReadEntries): Promise<Place> {
  let place = from;
  for (let above = end + 1; above - place.seq > 1;) {
    const seq = Math.floor((place.seq + above) / 2);
    const [entry] = await entriesAfter(seq - 1, 1);
    const found = entry === undefined ? Infinity : pointsAfter(entry.summary);
    if (found <= points) place = { seq, points: found };
    else above = seq;
  }
  return place;
}

/** Of the points that were not there before the entry, in the order of their serials. */
function solutionsMadeBy(operation: StudyOperation, n: number): Float64Array[] {
  if (operation.kind !== 'tell') return candidatesOf(operation, n).map(({ solution }) => solution);
  const count = operation.serials.filter((serial) => serial === 0).length;
  const solutions = decodeFloats(operation.solutions, count * n);
  return Array.from({ length: count }, (_, k) => solutions.slice(k * n, (k + 1) * n));
}
