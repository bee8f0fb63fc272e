/** Which kind of search suits what the probes found. */
import {
  because,
  DECISIVE,
  type Agent,
  type Evidence,
  type Landscape,
  type MemberRecord,
  type Opinion,
} from '../panel.js';
import { LEAST_ROUGH } from '../problem-classes.js';

/** Share of the budget for cells before all members compete, and least evaluations per dimension of it. */
const LATTICE_SHARE = 0.3;
const LATTICE_PER_DIMENSION = 40;
/** The same for coordinates one by one under noise, which may hide what they have to do with each other. */
const NOISY_COORDINATES_SHARE = 0.8;
/** As `LEAST_ROUGH`, close by. */
const FINE_ROUGHNESS = 0.1;
const MAX_SIMPLEX_DIMENSION = 5;
/** Evaluations per dimension up to which a Gaussian process is better than a population: under noise, among steps. */
const PROCESS_BUDGET = 10;
const PROCESS_BUDGET_AMONG_STEPS = 25;

export const isRough = ({
  coarseRoughness,
  fineRoughness,
}: Pick<Landscape, 'coarseRoughness' | 'fineRoughness'>): boolean =>
  coarseRoughness !== null && coarseRoughness > LEAST_ROUGH && fineRoughness !== null && fineRoughness > FINE_ROUGHNESS;

/** Why differences suit: what was probed, not more. */
function smoothness({ coarseRoughness, fineRoughness }: Landscape): Pick<Opinion, 'reason' | 'evidence'> {
  if (coarseRoughness === null) return { reason: 'nothing that was tested speaks against differences' };
  return fineRoughness === null
    ? because('smooth along lines (roughness {coarseRoughness})', { coarseRoughness })
    : because('smooth close by (roughness {fineRoughness}, {coarseRoughness} across the box)', {
        coarseRoughness,
        fineRoughness,
      });
}

const whyNotOneByOne = ({ isSeparable }: Landscape, n: number): string =>
  isSeparable === null
    ? n === 1
      ? 'a single coordinate is left to other searches'
      : 'whether coordinates can be searched one by one was not tested'
    : 'the objective did not pass the test for a sum of functions of single coordinates';

/** Reason and evidence that a rough landscape gives. */
export const roughness = ({ coarseRoughness, fineRoughness }: Landscape): Pick<Opinion, 'reason' | 'evidence'> =>
  because('rough at every scale (roughness {coarseRoughness} across the box, {fineRoughness} close by)', {
    coarseRoughness: coarseRoughness ?? 0,
    fineRoughness: fineRoughness ?? 0,
  });

function opinion(
  { landscape, n, budget, rounded, program }: Evidence,
  member: MemberRecord,
): Omit<Opinion, 'member'> | null {
  switch (member.family) {
    case 'coordinate':
      if (landscape.isSeparable !== true) return { points: null, reason: whyNotOneByOne(landscape, n) };
      if (landscape.isNoisy && member.evaluations >= NOISY_COORDINATES_SHARE * budget) return null;
      return {
        points: 2 * DECISIVE,
        reason: 'the objective passed the test for a sum of functions of single coordinates',
      };
    case 'gradient':
      if (landscape.isNoisy) return { points: null, reason: 'differences drown in the noise' };
      if (landscape.isFlat)
        return {
          points: null,
          reason:
            program?.hasGradient === true
              ? 'there is a point where some slope is exactly zero'
              : 'there is a point around which small steps along some coordinate change nothing',
        };
      if (member.role !== 'once') return null;
      return isRough(landscape)
        ? { points: null, ...roughness(landscape) }
        : { points: DECISIVE, ...smoothness(landscape) };
    case 'program':
      return null;
    case 'model':
      if (landscape.isNoisy) {
        return budget <= PROCESS_BUDGET * n
          ? { points: 1, reason: 'a Gaussian process makes the most of a few noisy values' }
          : { points: null, reason: 'a Gaussian process is for a few noisy values' };
      }
      return landscape.isFlat && budget <= PROCESS_BUDGET_AMONG_STEPS * n
        ? { points: 1, reason: 'a Gaussian process makes the most of a few values in steps' }
        : { points: null, reason: 'a Gaussian process is for a few values that are noisy or come in steps' };
    case 'simplex':
      if (landscape.isNoisy) return { points: null, reason: 'a simplex shrinks on noise' };
      return n > MAX_SIMPLEX_DIMENSION
        ? {
            points: null,
            ...because('a simplex gets lost in more than {most} dimensions', { most: MAX_SIMPLEX_DIMENSION }),
          }
        : null;
    case 'population':
      return isRough(landscape) ? { points: 3, ...roughness(landscape) } : null;
    case 'interval':
      return null;
    case 'lattice':
      if (rounded === 0) return { points: null, reason: 'no coordinate was found that the program rounds' };
      return member.evaluations < Math.max(LATTICE_SHARE * budget, LATTICE_PER_DIMENSION * n)
        ? { points: 3 * DECISIVE, ...because('the program rounds {rounded:coordinate|coordinates}', { rounded }) }
        : null;
  }
}

export const landscapeAnalyst: Agent = {
  name: 'landscape analyst',
  vote: (evidence) =>
    evidence.members.flatMap((member) => {
      const found = opinion(evidence, member);
      return found === null ? [] : [{ member: member.name, ...found }];
    }),
};
