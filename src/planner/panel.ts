/**
 * The panel: agents that look at the evidence and vote on who searches next. A vote is a number of points for a member,
 * or a veto, with the reason in words and, from specialists, the gain that is expected. The member with the most points
 * searches; the order of the members settles ties. Nothing here is random and nothing reads a clock, so the same
 * evidence gives the same choice.
 *
 * A new agent joins by a line in `agents/agents.ts`.
 */
import { phrase, type Numbers } from '../common/phrase.js';
import type { GainPrediction, Mode, PlanningVote } from '../model/run-task.js';
import type { Membership } from '../strategies/search/search-kind.js';

/** Findings of the probes; null: not looked at. */
export interface Landscape {
  /** Two evaluations of one point differ. */
  readonly isNoisy: boolean;
  readonly isSeparable: boolean | null;
  /** Share of the variation along lines across the box that a quartic leaves. */
  readonly coarseRoughness: number | null;
  /** The same along short lines, for a cubic. */
  readonly fineRoughness: number | null;
  /** Along the lines across the box: what a parabola leaves of the variation; where the middle value lies. */
  readonly bend: number | null;
  readonly skew: number | null;
  /** Decades of the range of their values. */
  readonly spread: number | null;
  /** A gradient was exactly zero, or one of its components by differences of two sizes: a plateau, or steps. */
  readonly isFlat: boolean;
}

/** Advice from runs of similar problems. */
export interface Guide {
  /** Place in `LEADERS` (planner/leaders.ts). */
  readonly leader: number;
  /** Evaluations for which it leads, and of the run before it does. */
  readonly evaluations: number;
  readonly after: number;
  /** Runs of similar problems, weighted by their similarity. */
  readonly runs: number;
  /** They are runs of other deployments. */
  readonly isFromElsewhere?: true;
}

/** Evidence in the program itself. */
export interface ProgramEvidence {
  readonly hasGradient: boolean;
  /** Values that depend on the candidate are rounded. */
  readonly hasRounding: boolean;
  /** Number of residuals in the program's least-squares form; null: none was found. */
  readonly residuals: number | null;
  /** Number of places where it bends or jumps (`passes/switches`); 0: none, or they cannot be read. */
  readonly switches: number;
}

/** Record of what a member has done so far. */
export interface MemberRecord extends Pick<Membership, 'role' | 'family' | 'reads' | 'refines'> {
  readonly name: string;
  /** Whether there is something left for it to do. */
  readonly isOpen: boolean;
  /** Rough number of floating-point operations of its own for each evaluation. */
  readonly operations: number;
  readonly evaluations: number;
  /** Those that count against it: a turn is free up to the last better value of the run that it found. */
  readonly fruitless: number;
  /** Searches that have ended, and how many of the last ones in a row did not improve on the best value of the run. */
  readonly runs: number;
  readonly fruitlessRuns: number;
  /** Searches that improved on it, and by how much in all. */
  readonly successes: number;
  readonly gained: number;
  /** Its first search met nothing of what it is for. */
  readonly isMisplaced: boolean;
  /** The search under way; null between two. */
  readonly search: SearchRecord | null;
}

export interface SearchRecord {
  readonly evaluations: number;
  /** Best value that this search has found itself. */
  readonly bestFitness: number;
  /** Evaluations of this search since then. */
  readonly sinceImprovement: number;
  /**
   * [evaluations of this search, its best value], oldest first, thinned: the latest reach back about as far as half of
   * it.
   */
  readonly trail: readonly (readonly [number, number])[];
  /** Evaluations of this search since it last found a better value of the run. */
  readonly sinceGain: number;
  /** As `trail`, with the bound that it has proven; empty: it proves none. */
  readonly bounds: readonly (readonly [number, number])[];
}

export interface Evidence {
  readonly n: number;
  readonly mode: Mode;
  readonly budget: number;
  readonly evaluations: number;
  /** Best value of the run; Infinity before the first finite one. */
  readonly bestFitness: number;
  /** How much the best value of the run fell during the latter half of the evaluations so far. */
  readonly recentDecrease: number;
  /** Median of the finite values that are kept; Infinity before there are any. Takes time in proportion to them. */
  readonly medianFitness: () => number;
  /** Whether the best point comes from a search that does not end in the last digits, as gradients do. */
  readonly isBestRaw: boolean;
  readonly landscape: Landscape;
  /** Number of coordinates that the program rounds, as values show. */
  readonly rounded: number;
  /** Null: the objective can only be called. */
  readonly program: ProgramEvidence | null;
  /** Null: nothing has been learned about problems like this one. */
  readonly guide: Guide | null;
  readonly members: readonly MemberRecord[];
  readonly turn: Turn | null;
}

/** Who searches now. */
export interface Turn {
  readonly member: string;
  /** `MemberRecord.fruitless` when the turn began. */
  readonly fruitlessBefore: number;
  /** Evaluations of the turn since it last found a better value of the run, or since it began. */
  readonly sinceGain: number;
}

/** One agent's word on one member. */
export interface Opinion {
  readonly member: string;
  /** Null: a veto. */
  readonly points: number | null;
  readonly reason: string;
  /** The numbers in `reason`, by name. */
  readonly evidence?: Numbers;
  readonly prediction?: GainPrediction;
}

export interface Agent {
  readonly name: string;
  /** Nothing on members of which it has nothing to say. */
  vote(evidence: Evidence): readonly Opinion[];
}

/** Why, with the numbers that the words rest on. */
export const because = (
  template: string,
  evidence: Numbers,
): { readonly reason: string; readonly evidence: Numbers } => ({
  reason: phrase(template, evidence),
  evidence,
});

/** Points that outweigh any share of the budget. */
export const DECISIVE = 100;

interface Choice {
  readonly member: string;
  readonly votes: readonly PlanningVote[];
}

/** @throws {Error} when no open member is left without a veto, which the planner's list of members rules out */
export function choose(evidence: Evidence, agents: readonly Agent[]): Choice {
  // A word on a member that has nothing left to do would pass for that on an alternative.
  const open = new Set(evidence.members.filter(({ isOpen }) => isOpen).map(({ name }) => name));
  const votes = agents.flatMap((agent) =>
    agent.vote(evidence).flatMap((opinion) => (open.has(opinion.member) ? [{ agent: agent.name, ...opinion }] : [])),
  );
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
