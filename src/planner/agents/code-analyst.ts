/**
 * Which kind of search suits what the program says of itself. Shares of the budget: docs/adr/0023-open-program.md.
 */
import { DECISIVE, because, type Agent, type Evidence, type MemberRecord, type Opinion } from '../panel.js';

/** Where Jacobians cost so much that only the first search with them is worth it. */
const EXPENSIVE_DIMENSION = 16;
type Shares = readonly (readonly [number, number])[];

/** Share of the budget that the least-squares form gets before others go on from its best point. */
const LEAST_SQUARES_SHARE = 0.5;
/** Evaluations that are divided up in longer runs; beyond them all members compete. */
const SHARED_EVALUATIONS = 2000;
/** Share for descents with gradients before bounds take over, by the dimension from which it holds. */
const DESCENT_SHARES: Shares = [
  [16, 0.5],
  [8, 0.3],
  [1, 0.2],
];

const shareOf = (shares: Shares, n: number): number => shares.find(([from]) => n >= from)![1];

/** Evaluations without a better point, and their share of all of a search, after which it goes no further. */
const PATIENCE = 200;
const PATIENCE_SHARE = 0.5;

const isStuck = ({ search }: MemberRecord): boolean =>
  search !== null && search.sinceImprovement > Math.max(PATIENCE, PATIENCE_SHARE * search.evaluations);

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
      const used = members.reduce((sum, { family, evaluations }) => sum + (family === 'gradient' ? evaluations : 0), 0);
      return used < shareOf(DESCENT_SHARES, n) * Math.min(budget, SHARED_EVALUATIONS)
        ? { points: 2 * DECISIVE, reason: 'the program has a gradient, for the price of one evaluation' }
        : null;
    }
    case 'bounds':
      if (landscape.isFlat) return { points: null, reason: 'on plateaus bounds do not tell boxes apart' };
      return member.evaluations < Math.min(budget, SHARED_EVALUATIONS)
        ? { points: DECISIVE, reason: 'the program bounds its own values over boxes' }
        : { points: null, reason: 'bounds have had their share of a long run' };
    case undefined:
      return null;
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
