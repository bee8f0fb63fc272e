/**
 * Runs that may be what ends processes. A death is a loss for every run of the process, so one loss says little. Runs
 * with a loss begin one by one, and nothing begins beside one until it has proved harmless. A run with two losses is
 * tried alone, and only a death alone is a strike. Between two strikes the process works without the run for a while:
 * what kills it from outside kills it then, too, and no run is blamed. After three strikes a run is given up.
 */
import { lossesHere, strikesHere, type RunRecord } from '../model/run-record.js';

export const MAX_STRIKES = 3;
/** From so many losses at the same point on a run is tried alone. */
const ALONE_FROM = 2;
/** How long a process lives without a run that has so many strikes. */
const QUIET_MS: readonly number[] = [0, 10_000, 60_000];
/** A run has proved harmless once it has reported, or has worked this long. Each earlier loss doubles the time. */
const PROBATION_MS = 5_000;
const MOST_DOUBLINGS = 7;

type Deaths = Pick<RunRecord, 'losses' | 'strikes' | 'progress'>;

export const quietMsOf = (run: Deaths): number => QUIET_MS[Math.min(strikesHere(run), QUIET_MS.length - 1)] ?? 0;

export const isTriedAlone = (run: Deaths): boolean => lossesHere(run) >= ALONE_FROM;

export function probationMs(run: Deaths): number {
  const doublings = Math.min(Math.max(0, lossesHere(run) - 1), MOST_DOUBLINGS);
  return PROBATION_MS * 2 ** doublings;
}

interface Suspect {
  readonly id: string;
  readonly accountId: string;
  /** In all. */
  readonly losses: number;
  readonly isTriedAlone: boolean;
  /** On the clock of the process. */
  readonly dueAt: number;
}

export class Suspects {
  private readonly all = new Map<string, Suspect>();

  get size(): number {
    return this.all.size;
  }

  has(id: string): boolean {
    return this.all.has(id);
  }

  add(suspect: Suspect): void {
    this.all.set(suspect.id, suspect);
  }

  delete(id: string): Suspect | undefined {
    const found = this.all.get(id);
    this.all.delete(id);
    return found;
  }

  /** The suspect with the most losses among those due, so that it meets a process that does nothing else yet. */
  next(now: number): Suspect | undefined {
    let next: Suspect | undefined;
    for (const suspect of this.all.values()) {
      if (suspect.dueAt <= now && (next === undefined || suspect.losses > next.losses)) next = suspect;
    }
    return next;
  }

  /** When the next one of those that are not due yet will be; Infinity: there is none. */
  nextDueAt(now: number): number {
    const later = [...this.all.values()].map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > now);
    return Math.min(...later, Infinity);
  }
}
