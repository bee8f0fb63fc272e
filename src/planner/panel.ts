/**
 * The panel: agents that look at the evidence and vote on who searches next. A vote is a number of points for a member,
 * or a veto, with the reason in words and the numbers behind it. The member with the most points searches; the order of
 * the members settles ties. Nothing here is random and nothing reads a clock, so the same evidence gives the same choice.
 *
 * A new agent joins by a line in `AGENTS`.
 */

import type { SearchKind } from '../strategies/search/search.js';

export type AgentName = 'landscape analyst' | 'budget economist';

export interface Vote {
  readonly agent: AgentName;
  readonly member: string;
  /** Null: a veto. */
  readonly points: number | null;
  readonly reason: string;
}

/** What the probes found; null: not looked at. */
export interface Landscape {
  /** Two evaluations of one point differ. */
  readonly isNoisy: boolean;
  readonly isSeparable: boolean | null;
  /** Share of the variation along lines across the box that a quartic leaves. */
  readonly coarseRoughness: number | null;
  /** The same along short lines, for a cubic. */
  readonly fineRoughness: number | null;
  /** A whole gradient was exactly zero. */
  readonly isFlat: boolean;
}

/** What a member has done so far. */
export interface MemberRecord {
  readonly name: string;
  readonly family: SearchKind['family'];
  /** Searches once, from the best point so far, instead of again and again. */
  readonly isOnce: boolean;
  /** Whether there is something left for it to do. */
  readonly isOpen: boolean;
  readonly evaluations: number;
  /** Searches that have ended, and how many of the last ones in a row did not improve on the best value of the run. */
  readonly runs: number;
  readonly fruitlessRuns: number;
}

export interface Evidence {
  readonly n: number;
  readonly budget: number;
  readonly evaluations: number;
  readonly landscape: Landscape;
  readonly members: readonly MemberRecord[];
}

/** Values along a line that leave more to a polynomial than this are rough. */
export const COARSE_ROUGHNESS = 0.12;
export const FINE_ROUGHNESS = 0.1;
/** Evaluations, per dimension, that one run of a population wants before anything else is tried on a rough landscape. */
const RUN_PER_DIMENSION = 150;
/** Points that outweigh any share of the budget. */
const DECISIVE = 100;

type Agent = (evidence: Evidence) => Vote[];

export const isRough = ({ coarseRoughness, fineRoughness }: Landscape): boolean =>
  coarseRoughness !== null &&
  coarseRoughness > COARSE_ROUGHNESS &&
  fineRoughness !== null &&
  fineRoughness > FINE_ROUGHNESS;

/** Which kind of search suits what the probes found. */
const landscapeAnalyst: Agent = ({ landscape, members }) => {
  const vote = (member: MemberRecord): Omit<Vote, 'agent' | 'member'> | null => {
    const coarse = landscape.coarseRoughness?.toPrecision(2) ?? '-';
    const fine = landscape.fineRoughness?.toPrecision(2) ?? '-';
    switch (member.family) {
      case 'coordinate':
        return landscape.isSeparable === true
          ? { points: 2 * DECISIVE, reason: 'the objective is a sum of functions of single coordinates' }
          : { points: null, reason: 'the coordinates interact' };
      case 'gradient':
        if (landscape.isNoisy) return { points: null, reason: 'differences drown in the noise' };
        if (landscape.isFlat) return { points: null, reason: 'the gradient is zero on a plateau' };
        if (isRough(landscape)) {
          const reason = `rough at every scale (${coarse} of the variation across the box, ${fine} close by)`;
          return member.isOnce ? { points: null, reason } : { points: 0, reason };
        }
        return member.isOnce ? { points: DECISIVE, reason: `smooth along lines (roughness ${coarse})` } : null;
      case 'model':
      case 'simplex':
        return null;
      case 'population':
        return isRough(landscape)
          ? { points: 1, reason: `rough at every scale (${coarse} across the box, ${fine} close by)` }
          : null;
    }
  };
  return members.flatMap((member) => {
    const found = vote(member);
    return found === null ? [] : [{ agent: 'landscape analyst', member: member.name, ...found }];
  });
};

/** Equal shares: what a member has used counts against it. */
const budgetEconomist: Agent = ({ n, members }) =>
  members.map((member) => ({
    agent: 'budget economist',
    member: member.name,
    points: -member.evaluations / (RUN_PER_DIMENSION * n),
    reason: `has used ${member.evaluations} evaluations`,
  }));

export const AGENTS: readonly Agent[] = [landscapeAnalyst, budgetEconomist];

export interface Choice {
  readonly member: string;
  readonly votes: readonly Vote[];
}

/** @throws {Error} when no open member is left without a veto, which the planner's list of members rules out */
export function choose(evidence: Evidence): Choice {
  const votes = AGENTS.flatMap((agent) => agent(evidence));
  let chosen: string | null = null;
  let most = -Infinity;
  for (const member of evidence.members) {
    if (!member.isOpen) continue;
    const own = votes.filter((vote) => vote.member === member.name);
    if (own.some((vote) => vote.points === null)) continue;
    const points = own.reduce((sum, vote) => sum + (vote.points ?? 0), 0);
    if (points > most) [chosen, most] = [member.name, points];
  }
  if (chosen === null) throw new Error('no member of the portfolio is left');
  return { member: chosen, votes };
}
