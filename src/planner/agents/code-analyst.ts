/**
 * Which kind of search suits what the program says of itself. Shares of the budget: docs/adr/0023-open-program.md.
 */
import { log } from '../../common/float.js';
import { provenGap } from '../../model/certificate.js';
import {
  DECISIVE,
  because,
  type Agent,
  type Evidence,
  type Landscape,
  type MemberRecord,
  type Opinion,
  type ProgramEvidence,
  type SearchRecord,
} from '../panel.js';
import { LEAST_ROUGH } from '../problem-classes.js';
import { isRough, roughness } from './landscape-analyst.js';

/** Where Jacobians cost so much that only the first search with them is worth it. */
const EXPENSIVE_DIMENSION = 16;
type Shares = readonly (readonly [number, number])[];

/** Share of the budget that the least-squares form gets before others go on from its best point. */
const LEAST_SQUARES_SHARE = 0.5;
/** Evaluations that are divided up in longer runs; beyond them all members compete. */
export const SHARED_EVALUATIONS = 2000;
/** Share for descents with gradients before bounds take over, by the dimension from which it holds. */
const DESCENT_SHARES: Shares = [
  [16, 0.5],
  [8, 0.3],
  [1, 0.2],
];

/** Evaluations up to which a first descent that gains goes on beyond its share: most end within them. */
const FIRST_DESCENT = 100;

/** Share of the divided budget for steps along kinks, and searches in a row that may find nothing. */
const KINK_SHARE = 0.7;
const FRUITLESS_ON_KINKS = 2;
/** The slopes of each bend cost an evaluation: with more of them than this share of the run, steps are few. */
const BENDS_SHARE = 1 / 3;
/** Evaluations without a better value of the run within which a search goes on beyond its share. */
const GAINING = 30;

const shareOf = (shares: Shares, n: number): number => shares.find(([from]) => n >= from)![1];

/** Evaluations without a better point, and their share of all of a search, after which it goes no further. */
const PATIENCE = 200;
const PATIENCE_SHARE = 0.5;

/** Share of the divided budget for descents over boxes, the same where one has gained, and the least it may be. */
const ENVELOPE_SHARE = 0.3;
const ENVELOPE_SHARE_WITH_GAINS = 0.5;
const ENVELOPE_EVALUATIONS = 100;

/** Variables from which there are too many boxes for branch and bound. With fewer, nothing tells more. */
const MANY_VARIABLES = 4;
/** Evaluations without a better value up to which a first descent is not interrupted, unless there are ripples. */
const PATIENCE_WITH_DESCENTS = 20;
/** Evaluations up to which a population that finds nothing better than itself leads where the landscape is rough. */
const PATIENCE_WITH_POPULATIONS = 150;

/** Evaluations without a better value after which loose bounds, which will not prove anything, lead no longer. */
const PATIENCE_WITH_BOUNDS = 100;

const isStuck = ({ search }: MemberRecord): boolean =>
  search !== null && search.sinceImprovement > Math.max(PATIENCE, PATIENCE_SHARE * search.evaluations);

/**
 * Whether bounds lead nowhere: no better value for long, the best value further above them than half of all values are
 * above it, and no proof in sight.
 */
function isLoose(search: SearchRecord, { bestFitness, medianFitness, budget, evaluations }: Evidence): boolean {
  const bound = search.bounds.at(-1)?.[1] ?? -Infinity;
  const gap = bestFitness - bound;
  if (search.sinceGain <= PATIENCE_WITH_BOUNDS || willClose(search, bestFitness, budget - evaluations)) return false;
  return gap === Infinity || gap > medianFitness() - bestFitness;
}

/** Whether the gap, if it goes on to shrink as in the latter half of the search, will be as good as none. */
function willClose({ bounds, evaluations }: SearchRecord, bestFitness: number, left: number): boolean {
  const [, bound] = bounds.at(-1) ?? [0, -Infinity];
  const [since, before] = bounds.findLast(([at]) => 2 * at <= evaluations) ?? [0, -Infinity];
  const gap = bestFitness - bound;
  const gapBefore = bestFitness - before;
  if (!(gap > 0)) return true;
  if (!(gapBefore < Infinity)) return false;
  const rate = log(gap / gapBefore) / (evaluations - since);
  return log(gap) + rate * left <= log(provenGap(bestFitness));
}

const canAffordEnvelopes = (budget: number): boolean => ENVELOPE_SHARE * budget >= ENVELOPE_EVALUATIONS;

/** Whether it matters if there are ripples: the run is long enough, and boxes too many to be bounded one by one. */
export const mindsRipples = (n: number, budget: number): boolean => n >= MANY_VARIABLES && canAffordEnvelopes(budget);

const envelopeShare = ({ successes }: MemberRecord): number =>
  successes > 0 ? ENVELOPE_SHARE_WITH_GAINS : ENVELOPE_SHARE;

const hasRoughLine = ({ coarseRoughness }: Landscape): boolean => (coarseRoughness ?? 0) > LEAST_ROUGH;

/** Whether the first descent has not ended and still gains, where no line across the box was rough. */
const isFirstDescentOn = ({ members, landscape }: Evidence): boolean =>
  !landscape.isFlat &&
  !hasRoughLine(landscape) &&
  members.some(({ role, family, runs, search }) => {
    const isDue = role === 'once' && family === 'gradient' && runs === 0;
    return isDue && (search === null || search.sinceGain <= PATIENCE_WITH_DESCENTS);
  });

/** Whether the search under way has found the best value of the run a moment ago. */
const isGaining = ({ search }: MemberRecord): boolean => search !== null && search.sinceGain <= GAINING;

/** The same where it holds that value still: it goes on beyond its share, or others end far from its last digits. */
const leads = (member: MemberRecord, { bestFitness }: Evidence): boolean =>
  isGaining(member) && member.search?.bestFitness === bestFitness;

/** The first descent of a program that rounds looks for plateaus, no more. */
const goesOnBeyondShare = (member: MemberRecord, { program, landscape }: Evidence): boolean =>
  member.role === 'once' && program?.hasRounding === false && !hasRoughLine(landscape) && isGaining(member);

/** Whether data are fitted: squares of more residuals than there are variables. */
const isFit = ({ program, n }: Evidence): boolean => (program?.residuals ?? 0) > n;

/**
 * Whether the first descent comes before steps along bends: it looks for plateaus where values are rounded, ends what
 * squares began in a fit, and takes more steps where each costs the slopes of many bends.
 */
const comesAfterDescent = (evidence: Evidence, { hasRounding, switches }: ProgramEvidence): boolean =>
  hasRounding || isFit(evidence) || switches > BENDS_SHARE * evidence.budget;

const leadsOnRipples = ({ runs, search }: MemberRecord, landscape: Landscape): boolean =>
  isRough(landscape) && runs === 0 && (search === null || search.sinceImprovement <= PATIENCE_WITH_POPULATIONS);

function opinion(evidence: Evidence, member: MemberRecord): Omit<Opinion, 'member'> | null {
  const { program, budget, n, members, landscape } = evidence;
  if (program === null) return null;
  switch (member.reads) {
    case 'terms':
      if (isStuck(member)) return { points: null, reason: 'the search on terms has found nothing better for long' };
      return member.evaluations < Math.min(budget, SHARED_EVALUATIONS)
        ? { points: 8 * DECISIVE, reason: 'the program is a sum of terms that can be searched one by one' }
        : { points: null, reason: 'the search on terms has had its share of a long run' };
    case 'residuals':
      if (member.runs > 0 && n >= EXPENSIVE_DIMENSION)
        return { points: null, reason: 'its Jacobians cost too much to begin again' };
      return member.evaluations < LEAST_SQUARES_SHARE * budget && member.fruitlessRuns < 3
        ? {
            points: 5 * DECISIVE,
            ...because('the program is a sum of the squares of {residuals:residual|residuals}', {
              residuals: program.residuals ?? 0,
            }),
          }
        : { points: null, reason: 'the least-squares form has had its share' };
    case 'gradient': {
      if (member.refines === true || !program.hasGradient || landscape.isFlat) return null;
      if (isRough(landscape)) return { points: null, ...roughness(landscape) };
      const used = members.reduce((sum, { family, evaluations }) => sum + (family === 'gradient' ? evaluations : 0), 0);
      return used < shareOf(DESCENT_SHARES, n) * Math.min(budget, SHARED_EVALUATIONS) ||
        (used < FIRST_DESCENT && goesOnBeyondShare(member, evidence)) ||
        (member.role === 'restarts' && leads(member, evidence))
        ? {
            // The first descent, then those over boxes.
            points: (member.role === 'once' ? 2 : 1.2) * DECISIVE,
            reason: 'the program has a gradient, for the price of one evaluation',
          }
        : null;
    }
    case 'envelope':
      if (n < MANY_VARIABLES) return { points: null, reason: 'boxes of so few variables are bounded one by one' };
      if (!canAffordEnvelopes(budget)) return { points: null, reason: 'the run is too short for descents over boxes' };
      if (landscape.isFlat && member.runs > 0)
        return { points: null, reason: 'on plateaus one descent over boxes tells' };
      if (isFirstDescentOn(evidence)) {
        return { points: 0, reason: 'the first descent comes first, as long as it gains' };
      }
      if (member.fruitlessRuns > Math.min(1, member.successes)) {
        return { points: null, reason: 'descents over boxes find nothing better' };
      }
      return member.evaluations < envelopeShare(member) * Math.min(budget, SHARED_EVALUATIONS) ||
        leads(member, evidence)
        ? { points: 1.6 * DECISIVE, reason: 'the program bounds its own values over boxes, and the bounds have slopes' }
        : { points: null, reason: 'descents over boxes have had their share' };
    case 'switches':
      if (landscape.isFlat) return { points: null, reason: 'on plateaus slopes lead nowhere' };
      if (program.switches >= budget) {
        return {
          points: null,
          ...because('{switches:place|places} where the program bends or jumps are too many for so short a run', {
            switches: program.switches,
          }),
        };
      }
      if (member.isMisplaced) return { points: null, reason: 'its steps have ended at neither bend nor jump' };
      if (member.fruitlessRuns > FRUITLESS_ON_KINKS) {
        return { points: null, reason: 'steps that know of bends and jumps find nothing better' };
      }
      return member.evaluations < KINK_SHARE * Math.min(budget, SHARED_EVALUATIONS) || isGaining(member)
        ? {
            points: (comesAfterDescent(evidence, program) ? 1.9 : 4) * DECISIVE,
            reason: 'the program tells where it bends or jumps, and how it goes on beyond',
          }
        : budget > SHARED_EVALUATIONS
          ? null
          : { points: null, reason: 'steps that know of bends and jumps have had their share' };
    case 'bounds':
      if (landscape.isFlat) return { points: null, reason: 'on plateaus bounds do not tell boxes apart' };
      if (member.evaluations >= Math.min(budget, SHARED_EVALUATIONS)) {
        return { points: null, reason: 'bounds have had their share of a long run' };
      }
      if (member.search !== null && isLoose(member.search, evidence)) {
        const { sinceGain } = member.search;
        return {
          points: 0,
          ...because('bounds are loose: {sinceGain:evaluation|evaluations} with them found nothing better', {
            sinceGain,
          }),
        };
      }
      return { points: DECISIVE, reason: 'the program bounds its own values over boxes' };
    case undefined:
      return member.family === 'population' && n >= MANY_VARIABLES && leadsOnRipples(member, landscape)
        ? { points: 1.4 * DECISIVE, reason: 'gradients lead nowhere on ripples' }
        : null;
  }
}

export const codeAnalyst: Agent = {
  name: 'code analyst',
  vote: (evidence) =>
    evidence.members.flatMap((member) => {
      const found = opinion(evidence, member);
      return found === null ? [] : [{ member: member.name, ...found }];
    }),
};
