/**
 * One specialist for each member: what the member will gain if it goes on, from its own record. The unit is decades
 * (see `GainPrediction`), with f* = the best value less what the run has gained in the latter half of its evaluations:
 * gains that shrink in proportion to the evaluations done, as those of a search that works do, will come to about as
 * much again.
 *
 * - A search under way goes on as it did lately (half as fast, at worst a tenth, at best twice as fast), and first has
 *   to make up for what it lies behind the best value of the run.
 * - A search that would begin anew improves on the best value as often as its predecessors did (Laplace's rule of
 *   succession, within one standard deviation of the posterior), and by as much.
 */
import { log } from '../../common/float.js';
import type { GainPrediction } from '../../model/run-task.js';
import { because, type Agent, type Evidence, type MemberRecord, type Opinion, type SearchRecord } from '../panel.js';

/** How far ahead: so many evaluations per dimension plus one, or this share of the budget. */
const HORIZON_PER_DIMENSION = 10;
const HORIZON = 0.05;
/** More decades than that are not told from each other. */
const MAX_GAIN = 3;
/** Evaluations per dimension plus one that a search takes as long as none has ended. */
const TYPICAL_RUN = 10;
/** Points for a decade. */
const WEIGHT = 0.1;

export const specialists: Agent = {
  name: 'specialist',
  vote: (evidence) => {
    const { budget, evaluations, n } = evidence;
    const ahead = Math.min(budget - evaluations, Math.max(HORIZON_PER_DIMENSION * (n + 1), HORIZON * budget));
    if (!(evidence.bestFitness < Infinity) || !(evidence.recentDecrease > 0) || ahead <= 0) return [];
    return evidence.members
      .filter((member) => member.isOpen)
      .map((member): Opinion => {
        const { search } = member;
        const [low, gain, high] = (
          search === null ? ofNewSearch(member, evidence, ahead) : ofSearch(search, evidence, ahead)
        ).map((decrease) => decades(decrease, evidence.recentDecrease));
        const prediction: GainPrediction = { gain, low, high, evaluations: Math.round(ahead) };
        return { member: member.name, points: WEIGHT * prediction.gain, ...record(member), prediction };
      });
  },
};

/** Record on which the prediction rests. */
function record({ search, runs, successes }: MemberRecord): Pick<Opinion, 'reason' | 'evidence'> {
  if (search !== null) {
    const { sinceImprovement } = search;
    return because('its best value improved last {sinceImprovement:evaluation|evaluations} ago', { sinceImprovement });
  }
  if (runs === 0) return { reason: 'it has not searched yet' };
  return because('{successes} of its {runs:search|searches} improved on the best value', { successes, runs });
}

/** Decreases of the run's best value: at worst, expected, at best. */
type Decreases = readonly [number, number, number];

function ofSearch(search: SearchRecord, { bestFitness }: Evidence, ahead: number): Decreases {
  const since = search.trail[search.trail.length >> 1];
  const used = since === undefined ? 0 : search.evaluations - since[0];
  if (since === undefined || used <= 0 || !(since[1] < Infinity)) return [0, 0, 0];
  const pace = ((since[1] - search.bestFitness) / used) * ahead;
  const behind = Math.max(0, search.bestFitness - bestFitness);
  return [Math.max(0, 0.1 * pace - behind), Math.max(0, 0.5 * pace - behind), Math.max(0, 2 * pace - behind)];
}

function ofNewSearch(member: MemberRecord, { n, recentDecrease }: Evidence, ahead: number): Decreases {
  const { runs, successes, gained, evaluations } = member;
  const chance = (successes + 1) / (runs + 2);
  const deviation = Math.sqrt((chance * (1 - chance)) / (runs + 3));
  const searches = ahead / (runs > 0 ? Math.max(1, evaluations / runs) : TYPICAL_RUN * (n + 1));
  const each = successes > 0 ? gained / successes : recentDecrease;
  const expected = (p: number): number => Math.min(1, Math.max(0, p) * searches) * each;
  return [expected(chance - deviation), expected(chance), expected(chance + deviation)];
}

function decades(decrease: number, toCome: number): number {
  // Differences of huge values may be no numbers.
  if (!(decrease > 0)) return 0;
  const left = Math.max(toCome - decrease, toCome * 1e-3);
  return Math.min(MAX_GAIN, log(toCome / left) / log(10));
}
