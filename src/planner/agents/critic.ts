/**
 * Watches the run and calls for a change: a search that no longer gets anywhere, a member whose searches keep failing,
 * an end of the budget that is better spent on the last digits of what was found.
 */
import {
  because,
  DECISIVE,
  type Agent,
  type Evidence,
  type MemberRecord,
  type Opinion,
  type SearchRecord,
} from '../panel.js';

/** Evaluations per dimension without an improvement of its own best value after which a search has stagnated. */
const STAGNATION_PER_DIMENSION = 30;
/** Searches in a row without an improvement of the run's best value after which a member fails. */
const FAILING_RUNS = 3;
/** Points that stagnation and failure cost: as much as the analyst's preference is worth. */
const PENALTY = 1;
/** Evaluations per dimension plus one that the polish at the end gets. */
const POLISH_PER_DIMENSION = 6;

export const hasStagnated = ({ sinceImprovement }: SearchRecord, n: number): boolean =>
  sinceImprovement >= STAGNATION_PER_DIMENSION * n;

function opinion(evidence: Evidence, member: MemberRecord): Omit<Opinion, 'member'> | null {
  const { n, budget, evaluations } = evidence;
  const left = budget - evaluations;
  if (member.role === 'polish') {
    // What it finds itself is not raw.
    const isOpen = evidence.isBestRaw || member.search !== null;
    const isTime = left <= POLISH_PER_DIMENSION * (n + 1) && isOpen;
    return isTime
      ? {
          points: 3 * DECISIVE,
          ...because('what is left, {left:evaluation|evaluations}, is for the last digits of the best point', { left }),
        }
      : { points: null, reason: 'the polish comes at the end' };
  }
  const { search } = member;
  if (search !== null && hasStagnated(search, n)) {
    const { sinceImprovement } = search;
    return {
      points: -PENALTY,
      ...because('no improvement in its last {sinceImprovement:evaluation|evaluations}', { sinceImprovement }),
    };
  }
  if (member.fruitlessRuns >= FAILING_RUNS && member.role === 'restarts') {
    const { fruitlessRuns } = member;
    return {
      points: -PENALTY,
      ...because('its last {fruitlessRuns:search|searches} improved on nothing', { fruitlessRuns }),
    };
  }
  return null;
}

export const critic: Agent = {
  name: 'critic',
  vote: (evidence) =>
    evidence.members.flatMap((member) => {
      const found = opinion(evidence, member);
      return found === null ? [] : [{ member: member.name, ...found }];
    }),
};
