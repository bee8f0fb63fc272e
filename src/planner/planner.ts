/**
 * The planner: a search that lets other searches run. First it probes the objective; then, step by step, the panel
 * (`panel.ts`) says which member of the portfolio (`strategies/kinds.ts`) goes on. All share one archive. What it chose
 * and why is in `phases` and `planning`.
 *
 * Figures and what was tried: docs/adr/0011-planner.md.
 */
import type { Numbers } from '../common/phrase.js';
import type {
  PlanningDecision,
  PlanningRecord,
  PlanningVote,
  StrategyChange,
  StrategySpan,
} from '../model/run-task.js';
import { switchCount } from '../model/reading.js';
import { PROBES } from '../model/run-task.js';
import { higher, isProven, type Certificate } from '../model/certificate.js';
import { wasProbed } from '../model/learning.js';
import { portfolio } from '../strategies/lists.js';
import { MAX_MATRIX_DIMENSION } from '../strategies/search/limits.js';
import { bestPoint } from '../strategies/search/points.js';
import {
  evaluatePoint,
  type Points,
  type Search,
  type SearchContext,
  type SearchSnapshot,
  type Step,
} from '../strategies/search/search.js';
import type { Member } from '../strategies/search/search-kind.js';
import { searchStrategy } from '../strategies/search/search-strategy.js';
import { isReadable, type StrategyStop } from '../strategies/strategy.js';
import { suits } from '../strategies/suitability.js';
import { programFeatures } from '../analysis/program-features.js';
import { guideFor } from './experience.js';
import { AGENTS } from './agents/agents.js';
import { mindsRipples, SHARED_EVALUATIONS } from './agents/code-analyst.js';
import {
  because,
  choose,
  type Evidence,
  type Guide,
  type Landscape,
  type MemberRecord,
  type ProgramEvidence,
  type Turn,
} from './panel.js';
import { LEAST_ROUGH } from './problem-classes.js';
import {
  ACROSS_THE_BOX,
  CLOSE_BY,
  differ,
  probeBound,
  probeLines,
  probeRounding,
  probeSeparability,
  probeSeparabilityUnderNoise,
  probeSteps,
} from './probes.js';
import { extendTrail, type Trail } from './trail.js';
import { LEADERS } from './leaders.js';

/** Phases kept in a record; a run of many short searches has more. */
const MAX_PHASES = 100;
/** Decisions kept with all votes: the first and the latest. */
const FIRST_DECISIONS = 8;
const LATEST_DECISIONS = 8;
/** Evaluations after which a first descent is interrupted by the question, and their share of the divided budget. */
const FIRST_DESCENT = 80;
const FIRST_DESCENT_SHARE = 0.08;
/** Share of the budget after which the panel votes again while a search goes on. */
const VOTE_INTERVAL = 0.01;
/** Evaluations, and more per dimension, within which a search that gains finds a better point: some Jacobians. */
const GAINING = 50;
const GAINING_PER_DIMENSION = 10;
const SEPARABILITY_ROUNDS = 3;
/** Evaluations of a run from which the questions about its form are worth their price, which is about 20. */
const LONG_ENOUGH = 120;
/** The same for each dimension, for the question whether a noisy objective is a sum. */
const NOISY_SUM_PER_DIMENSION = 100;
/** In fewer dimensions the question costs more than it gains where noise of one size hides the last digits. */
const NOISY_SUM_DIMENSION = 3;

interface MemberState {
  readonly evaluations: number;
  readonly fruitless: number;
  readonly runs: number;
  readonly fruitlessRuns: number;
  readonly successes: number;
  readonly gained: number;
  /** Its first search was not for this (`Search.isMisplaced`). */
  readonly isMisplaced: boolean;
  readonly current: {
    readonly search: Search;
    readonly evaluations: number;
    readonly bestFitness: number;
    readonly sinceImprovement: number;
    readonly sinceGain: number;
    readonly trail: Trail;
    /** Empty where the search certifies nothing. */
    readonly bounds: Trail;
    /** Best value of the run when the search began. */
    readonly bestBefore: number;
  } | null;
}

const FRESH: MemberState = {
  evaluations: 0,
  fruitless: 0,
  runs: 0,
  fruitlessRuns: 0,
  successes: 0,
  gained: 0,
  isMisplaced: false,
  current: null,
};

/** Words with the numbers in them, by name. */
type Reasoned = Pick<StrategySpan, 'reason' | 'evidence'>;

interface State {
  /** Null before the probes. */
  readonly landscape: Landscape | null;
  /** Some coordinates may be rounded, but the probes did not ask one by one; absent: before the probes. */
  readonly mayBeRounded?: boolean;
  /** Advice from what was learned; null: there is none. */
  readonly guide: Guide | null;
  /** The best point of the probes is what an earlier run of the program found; absent: it is not. */
  readonly isKnownStart?: boolean;
  readonly members: readonly MemberState[];
  readonly turn: Turn | null;
  /** The vote that holds until something can have changed it: name, evaluations of the run by then, reason. */
  readonly vote: (Reasoned & { readonly member: string; readonly evaluations: number }) | null;
  /** [evaluations, best value of the run]. */
  readonly trail: Trail;
  readonly isBestRaw: boolean;
  readonly phases: readonly StrategySpan[];
  readonly change: StrategyChange | null;
  readonly decisions: readonly PlanningDecision[];
  readonly decisionCount: number;
  /** Why the search that has just ended stopped. */
  readonly reason: StrategyStop | null;
  /** Highest certificate of the whole box and of searches that have ended. */
  readonly proven: Certificate | null;
}

class Planner implements Search {
  private readonly portfolio: readonly Member[];
  private readonly program: ProgramEvidence | null;
  private state: State;
  /** The phase that the step under way belongs to. */
  private underway: Pick<StrategySpan, 'name' | 'reason' | 'evidence' | 'fromEvaluation'> | null = null;

  constructor(
    private readonly context: SearchContext,
    snapshot?: SearchSnapshot,
  ) {
    const { n, program } = context;
    const seen = program === undefined ? null : { n, view: program };
    this.portfolio = portfolio.filter((member) => suits(member, { dimension: n, program: seen }));
    this.program =
      program === undefined
        ? null
        : {
            hasGradient: isReadable(program, 'gradient'),
            hasRounding: program.structure?.traits.hasRounding === true,
            residuals: program.resultLength('residuals'),
            switches: switchCount(n, program.resultLength('switches') ?? n + 1),
          };
    this.state =
      snapshot === undefined
        ? {
            landscape: null,
            guide: null,
            members: this.portfolio.map(() => FRESH),
            turn: null,
            vote: null,
            trail: [],
            isBestRaw: true,
            phases: [],
            change: null,
            decisions: [],
            decisionCount: 0,
            reason: null,
            proven: null,
          }
        : decode(snapshot, context, this.portfolio);
  }

  /** Why the search that has just ended stopped; there is always another to try. */
  end(): StrategyStop | null {
    return this.state.reason;
  }

  *step(): Step {
    const { landscape } = this.state;
    if (landscape === null) yield* this.probe();
    else yield* this.delegate(landscape);
  }

  private *probe(): Step {
    const { n, rng, archive } = this.context;
    const starts = this.knownStarts();
    const phase = { name: PROBES, ...reasonToProbe(starts), fromEvaluation: 0 };
    this.underway = phase;
    const centre = bestPoint(this.context);
    const fitness = yield* evaluatePoint(centre);
    if (starts !== null) yield starts;
    const isKnownStart = archive.bestFitness < fitness;
    // Often the exact minimum: then the run ends, with a proof, where a descent meets it.
    const proven = isReadable(this.context.program, 'bounds') ? yield* probeBound(n) : null;
    // A compiled program draws no random numbers, and its gradient needs no probes.
    const isRead = this.program?.hasGradient === true;
    const again = isRead ? fitness : yield* evaluatePoint(centre);
    const isNoisy = isRead ? false : differ(fitness, again);
    let landscape: Landscape = {
      isNoisy,
      isSeparable: null,
      coarseRoughness: null,
      fineRoughness: null,
      bend: null,
      skew: null,
      spread: null,
      isFlat: false,
    };
    const asksAboutForm = !isRead && !isNoisy && fitness < Infinity && this.asksAboutForm;
    if (isNoisy && this.asksWhetherNoisySum) {
      const isSeparable = yield* probeSeparabilityUnderNoise(centre, [fitness, again], rng);
      landscape = { ...landscape, isSeparable };
    }
    const cells = asksAboutForm ? yield* probeRounding(this.context, centre, fitness) : 'unknown';
    let lattice = typeof cells === 'string' ? null : cells;
    if (asksAboutForm && lattice === null) {
      const isSeparable = yield* probeSeparability(centre, fitness, SEPARABILITY_ROUNDS, rng);
      landscape = { ...landscape, isSeparable };
      if (!isSeparable) {
        const {
          roughness: coarseRoughness,
          bend,
          skew,
          spread,
        } = yield* probeLines(centre, fitness, ACROSS_THE_BOX, rng);
        landscape = { ...landscape, coarseRoughness, bend, skew, spread };
        if (coarseRoughness > LEAST_ROUGH && cells === 'unknown')
          lattice = yield* probeSteps(this.context, centre, fitness);
        if (coarseRoughness > LEAST_ROUGH && lattice === null) {
          const close = yield* probeLines(archive.bestPoint()!, archive.bestFitness, CLOSE_BY, rng);
          landscape = { ...landscape, fineRoughness: close.roughness };
        }
      }
    }
    if (lattice !== null) {
      this.context.archive.lattice = lattice;
      landscape = { ...landscape, isFlat: true };
    }
    const mayBeRounded = lattice === null && cells === 'unknown';
    this.state = {
      ...this.state,
      landscape,
      mayBeRounded,
      guide: this.advice(landscape),
      ...(isKnownStart ? { isKnownStart } : {}),
      proven,
      ...this.course(phase),
    };
    this.underway = null;
  }

  /**
   * Whether it is time to ask for lines where the program is read: its first descent has ended, or has taken long, and
   * another search that goes by slopes or bounds is about to go on.
   */
  private asksAboutRipples({ coarseRoughness, isFlat }: Landscape, { asMember }: Member): boolean {
    const { n, budget, archive } = this.context;
    const isAsked =
      this.program?.hasGradient === true && coarseRoughness === null && !isFlat && mindsRipples(n, budget);
    if (!isAsked || asMember.role === 'polish' || 2 * archive.evaluations > budget) return false;
    if (!['gradient', 'envelope', 'bounds'].includes(asMember.reads ?? '')) return false;
    const { members } = this.state;
    const hasDescended = this.portfolio.some((one, k) => one.asMember.family === 'gradient' && members[k].runs > 0);
    const share = FIRST_DESCENT_SHARE * Math.min(budget, SHARED_EVALUATIONS);
    return hasDescended || archive.evaluations >= Math.max(FIRST_DESCENT, share);
  }

  private *probeRipples(landscape: Landscape): Step {
    const { n, archive } = this.context;
    const phase = { name: PROBES, reason: REASON_TO_PROBE_RIPPLES, fromEvaluation: archive.evaluations };
    this.underway = phase;
    const centre = new Float64Array(n).fill(0.5);
    const lines = yield* this.lines(centre, yield* evaluatePoint(centre));
    this.state = { ...this.state, landscape: { ...landscape, ...lines }, vote: null, ...this.course(phase) };
    this.underway = null;
  }

  /** How rough it is along lines across the box through `centre`, and where it is, close to the best point. */
  private *lines(centre: Float64Array, fitness: number): Generator<Points, Partial<Landscape>, Float64Array> {
    const { rng, archive } = this.context;
    const { roughness: coarseRoughness, ...form } = yield* probeLines(centre, fitness, ACROSS_THE_BOX, rng);
    if (!(coarseRoughness > LEAST_ROUGH)) return { coarseRoughness, ...form };
    const close = yield* probeLines(archive.bestPoint() ?? centre, archive.bestFitness, CLOSE_BY, rng);
    return { coarseRoughness, ...form, fineRoughness: close.roughness };
  }

  /** In a short run a descent from the best point tells more. A single coordinate costs no question. */
  private get asksAboutForm(): boolean {
    const { n, budget } = this.context;
    return n === 1 || budget >= LONG_ENOUGH;
  }

  /** A scan and a descent along all coordinates have to fit into the run. */
  private get asksWhetherNoisySum(): boolean {
    const { n, budget } = this.context;
    return n >= NOISY_SUM_DIMENSION && n <= MAX_MATRIX_DIMENSION && budget >= NOISY_SUM_PER_DIMENSION * n;
  }

  /** Points that earlier runs of the same program found, unless the request says where to begin. */
  private knownStarts(): Points | null {
    const { n, start, starts } = this.context;
    if (start !== undefined || starts === undefined) return null;
    return { points: starts, count: starts.length / n };
  }

  /** Guide from what was learned, where the program is only called, and something is known of its form. */
  private advice(landscape: Landscape): Guide | null {
    const { n, budget, knowledge } = this.context;
    const features = { dimensions: n, maxEvaluations: budget, ...landscape };
    if (knowledge === undefined || this.program !== null || !wasProbed(features)) return null;
    return guideFor(knowledge, features);
  }

  /** Begins another search of a member; the population of one that leads may be larger from the first. */
  private start(member: Member, runs: number): Search {
    const { guide } = this.state;
    const leader = guide === null ? null : LEADERS[guide.leader];
    // Where the data have changed much, or the start lies on a kink, the run is as good as one with nothing learned
    // from here on.
    if (this.state.isKnownStart === true && runs === member.asMember.centredSearch) {
      return member.start(this.context, runs, { isFromCentre: true });
    }
    const looksForSteps = !this.asksAboutForm ? 'any' : this.state.mayBeRounded === true ? 'cells' : undefined;
    const noise = this.state.landscape?.isNoisy === true ? ({ isNoisy: true } as const) : {};
    if (leader?.member !== member.name) return member.start(this.context, runs, { looksForSteps, ...noise });
    return member.start(this.context, runs + leader.doublings, leader);
  }

  /** One step of the member that the panel chooses. */
  private *delegate(landscape: Landscape): Step {
    const { archive } = this.context;
    const s = this.state;
    const before = archive.evaluations;
    const sizeBefore = archive.size;
    const bestBefore = archive.bestFitness;
    const { name, why, votes } = this.vote(landscape);
    const index = this.portfolio.findIndex((member) => member.name === name);
    const member = this.portfolio[index];
    if (this.asksAboutRipples(landscape, member)) return yield* this.probeRipples(landscape);
    const own = s.members[index];
    const search = own.current?.search ?? this.start(member, own.runs);
    const phase = { name, ...why, fromEvaluation: before };
    this.underway = phase;
    yield* search.step();

    const used = archive.evaluations - before;
    let found = Infinity;
    for (let entry = sizeBefore; entry < archive.size; entry++) found = Math.min(found, archive.fitness[entry]);
    const isBetter = archive.bestFitness < bestBefore;
    const turn = s.turn?.member === name ? s.turn : { member: name, fruitlessBefore: own.fruitless, sinceGain: 0 };
    const fruitless = isBetter ? turn.fruitlessBefore : own.fruitless + used;
    const learned = this.learn(own, search, used, found, own.current?.bestBefore ?? bestBefore, isBetter);
    const reason = search.end();
    const isFlat = search.isFlat === true;
    const isNoSum = landscape.isSeparable === true && member.asMember.family === 'coordinate' && search.isMisplaced;
    this.state = {
      ...s,
      landscape: {
        ...landscape,
        isFlat: landscape.isFlat || isFlat,
        isSeparable: isNoSum === true ? false : landscape.isSeparable,
      },
      members: s.members.map((state, k) => (k === index ? { ...learned, fruitless } : state)),
      turn: { ...turn, sinceGain: isBetter ? 0 : turn.sinceGain + used },
      vote:
        reason !== null || isFlat || isNoSum === true
          ? null
          : { member: name, ...why, evaluations: votes === null ? s.vote!.evaluations : before },
      trail: extendTrail(s.trail, archive.evaluations, archive.bestFitness),
      isBestRaw: isBetter ? member.asMember.family !== 'gradient' : s.isBestRaw,
      reason: this.isConverged(search) ? reason : null,
      proven: reason === null ? s.proven : higher(s.proven, search.certificate?.() ?? null),
      ...(used === 0 ? {} : this.course(phase)),
      ...(used === 0 || votes === null || s.phases.at(-1)?.name === name ? {} : this.decided(before, name, votes)),
    };
    this.underway = null;
  }

  /** The panel's choice now; `votes` is null where its last word still holds. */
  private vote(landscape: Landscape): { name: string; why: Reasoned; votes: readonly PlanningVote[] | null } {
    const { vote } = this.state;
    const { budget, archive } = this.context;
    if (vote !== null && archive.evaluations - vote.evaluations < VOTE_INTERVAL * budget) {
      const { member, evaluations: _at, ...why } = vote;
      return { name: member, why, votes: null };
    }
    const { member, votes } = choose(this.evidence(landscape), AGENTS);
    return { name: member, why: reasonFor(member, votes), votes };
  }

  private learn(
    own: MemberState,
    search: Search,
    used: number,
    found: number,
    bestBefore: number,
    isBetter: boolean,
  ): Omit<MemberState, 'fruitless'> {
    const { archive } = this.context;
    const current = own.current;
    const evaluations = own.evaluations + used;
    if (search.end() !== null) {
      const isFruitless = !(archive.bestFitness < bestBefore);
      const gain = bestBefore < Infinity ? decrease(bestBefore, archive.bestFitness) : 0;
      return {
        evaluations,
        runs: own.runs + 1,
        fruitlessRuns: isFruitless ? own.fruitlessRuns + 1 : 0,
        successes: own.successes + (isFruitless ? 0 : 1),
        gained: isFruitless ? own.gained : Math.min(Number.MAX_VALUE, own.gained + gain),
        isMisplaced: own.isMisplaced || (own.runs === 0 && search.isMisplaced === true),
        current: null,
      };
    }
    const isImproved = current === null || found < current.bestFitness;
    const spent = (current?.evaluations ?? 0) + used;
    const bestFitness = Math.min(current?.bestFitness ?? Infinity, found);
    return {
      ...own,
      evaluations,
      current: {
        search,
        evaluations: spent,
        bestFitness,
        sinceImprovement: isImproved ? 0 : current.sinceImprovement + used,
        sinceGain: isBetter ? 0 : (current?.sinceGain ?? 0) + used,
        trail: extendTrail(current?.trail ?? [], spent, bestFitness),
        bounds: extendBounds(current?.bounds ?? [], spent, search.certificate?.() ?? null),
        bestBefore,
      },
    };
  }

  /**
   * Whether the end of a search ends a run that takes no trouble: not that of a search on a plateau, or far from the
   * best point.
   */
  private isConverged(search: Search): boolean {
    if (this.context.mode !== 'fast') return true;
    const { bestFitness } = this.context.archive;
    if (!(bestFitness < Infinity) || search.isFlat === true) return false;
    return search.end() !== 'stalled';
  }

  private evidence(landscape: Landscape): Evidence {
    const { n, budget, archive, mode = 'balanced' } = this.context;
    const { members, turn, trail, isBestRaw } = this.state;
    const { evaluations, bestFitness } = archive;
    const half = trail.find(([at]) => 2 * at >= evaluations)?.[1] ?? Infinity;
    return {
      n,
      mode,
      budget,
      evaluations,
      bestFitness,
      recentDecrease: half < Infinity ? decrease(half, bestFitness) : 0,
      medianFitness: () => archive.median(),
      isBestRaw,
      landscape,
      rounded: archive.lattice?.width.filter((width) => width > 0).length ?? 0,
      program: this.program,
      guide: this.state.guide,
      turn,
      members: this.portfolio.map((member, k) => this.record(member, members[k])),
    };
  }

  private record(member: Member, state: MemberState): MemberRecord {
    const { name, asMember } = member;
    const { role, family, reads, refines } = asMember;
    const { evaluations, fruitless, runs, fruitlessRuns, successes, gained, isMisplaced, current } = state;
    return {
      name,
      family,
      role,
      reads,
      refines,
      isOpen: role === 'restarts' || runs === 0,
      operations: asMember.operations(this.context),
      evaluations,
      fruitless,
      runs,
      fruitlessRuns,
      successes,
      gained,
      isMisplaced,
      search: current,
    };
  }

  /** The phases with what was evaluated since the latest one began or ended, and the change of member, if it is one. */
  private course({ name, fromEvaluation, ...why }: NonNullable<Planner['underway']>): Pick<State, 'phases' | 'change'> {
    const { archive } = this.context;
    const { phases, change } = this.state;
    const bestFitness = archive.bestFitness < Infinity ? archive.bestFitness : null;
    const end = { toEvaluation: archive.evaluations, bestFitness };
    const latest = phases.at(-1);
    if (latest?.name === name) return { phases: [...phases.slice(0, -1), { ...latest, ...end }], change };
    // Of members: probes in between are none.
    const last = phases.findLast((span) => span.name !== PROBES);
    const isChange = name !== PROBES && last !== undefined && last.name !== name;
    return {
      phases: [...phases.slice(1 - MAX_PHASES), { name, ...why, fromEvaluation, ...end }],
      change: isChange
        ? {
            number: (change?.number ?? 0) + 1,
            from: last.name,
            to: name,
            reason: why.reason,
            evaluations: fromEvaluation,
          }
        : change,
    };
  }

  private decided(
    evaluations: number,
    chosen: string,
    votes: readonly PlanningVote[],
  ): Pick<State, 'decisions' | 'decisionCount'> {
    const { decisions, decisionCount } = this.state;
    const kept =
      decisions.length < FIRST_DECISIONS + LATEST_DECISIONS
        ? decisions
        : [...decisions.slice(0, FIRST_DECISIONS), ...decisions.slice(FIRST_DECISIONS + 1)];
    return { decisions: [...kept, { evaluations, chosen, votes }], decisionCount: decisionCount + 1 };
  }

  phases(): readonly StrategySpan[] {
    return this.withUnderway.phases;
  }

  private get withUnderway(): Pick<State, 'phases' | 'change'> {
    const { underway } = this;
    const isEmpty = underway === null || this.context.archive.evaluations === underway.fromEvaluation;
    return isEmpty ? this.state : this.course(underway);
  }

  /** With that to the member whose first step is under way: a run may end within it. */
  change(): StrategyChange | null {
    return this.withUnderway.change;
  }

  planning(): PlanningRecord | null {
    const { landscape, guide, decisions, decisionCount } = this.state;
    if (landscape === null) return null;
    const structure = this.context.program?.structure ?? null;
    const starts = this.knownStarts();
    return {
      landscape: { ...landscape },
      decisions,
      decisionCount,
      leader: guide?.leader,
      program: structure === null ? undefined : programFeatures(structure),
      starts: starts?.count,
    };
  }

  /**
   * A certificate that would end the run waits for the search that still gains: a sum of squares near zero can be
   * within the gap and far from the fit.
   */
  certificate(): Certificate | null {
    const { members, proven } = this.state;
    const certificate = members.reduce(
      (best, { current }) => higher(best, current?.search.certificate?.() ?? null),
      proven,
    );
    if (certificate === null) return null;
    const { bestFitness } = this.context.archive;
    const isOptimal = isProven(bestFitness, certificate.bound);
    return isOptimal && bestFitness > certificate.bound && this.isGaining ? null : certificate;
  }

  /** Whether a search, other than one for a proof, has lowered the best value lately, or none has begun. */
  private get isGaining(): boolean {
    const { n, archive } = this.context;
    const { members, trail } = this.state;
    const searches = this.portfolio.flatMap(({ name, asMember }, k) =>
      asMember.family === 'interval' ? [] : [{ name, ...members[k] }],
    );
    if (members.every(({ evaluations }) => evaluations === 0)) return true;
    // What the step under way has found is not in the state yet.
    if (archive.bestFitness < (trail.at(-1)?.[1] ?? Infinity)) {
      return searches.some(({ name }) => name === this.underway?.name);
    }
    return searches.some(
      ({ current }) =>
        current?.bestFitness === archive.bestFitness && current.sinceImprovement < GAINING + GAINING_PER_DIMENSION * n,
    );
  }

  snapshot(): SearchSnapshot {
    const { members, trail, ...rest } = this.state;
    const snapshot: PlannerSnapshot = {
      ...rest,
      trail: encodeTrail(trail),
      members: members.map(({ current, ...state }) => ({
        ...state,
        current:
          current === null
            ? null
            : {
                ...current,
                search: current.search.snapshot(),
                bestFitness: orNull(current.bestFitness),
                bestBefore: orNull(current.bestBefore),
                trail: encodeTrail(current.trail),
              },
      })),
    };
    return { ...snapshot };
  }
}

const REASON_TO_PROBE_RIPPLES = 'to learn whether ripples hide where the objective leads';

function reasonToProbe(starts: Points | null): Reasoned {
  const reason = 'to learn what kind of objective it is';
  if (starts === null) return { reason };
  return because(`${reason}, and to try {count:solution|solutions} of earlier runs of the same form`, {
    count: starts.count,
  });
}

/** With the bound so far, if there is one yet. */
const extendBounds = (bounds: Trail, evaluations: number, certificate: Certificate | null): Trail =>
  certificate === null ? bounds : extendTrail(bounds, evaluations, certificate.bound);

/** By how much a value fell; the largest number where that is more than numbers hold. */
const decrease = (before: number, after: number): number =>
  after < before ? Math.min(Number.MAX_VALUE, before - after) : 0;

/** Why the member was chosen, in the words of those who spoke for it. */
function reasonFor(name: string, votes: readonly PlanningVote[]): Reasoned {
  const favourable = votes.filter(({ member, points, agent }) => {
    return member === name && points !== null && points > 0 && agent !== 'specialist';
  });
  if (favourable.length > 0) {
    const reason = favourable.map((vote) => vote.reason).join('; ');
    return { reason, evidence: Object.assign({}, ...favourable.map((vote) => vote.evidence)) as Numbers };
  }
  const specialist = votes.find(({ member, agent }) => member === name && agent === 'specialist');
  const prediction = specialist?.prediction;
  if (specialist === undefined || prediction === undefined) {
    return { reason: 'its turn: the least speaks against it' };
  }
  const expected = because(
    'expected to gain {gain:decade|decades} ({low..high}) in {evaluations:evaluation|evaluations}',
    {
      ...prediction,
    },
  );
  return {
    reason: `its turn: ${specialist.reason}, ${expected.reason}`,
    evidence: { ...specialist.evidence, ...expected.evidence },
  };
}

// --- snapshots

type SavedTrail = readonly (readonly [number, number | null])[];

interface PlannerSnapshot extends Omit<State, 'members' | 'trail'> {
  readonly trail: SavedTrail;
  readonly members: readonly (Omit<MemberState, 'current'> & {
    readonly current:
      | (Omit<NonNullable<MemberState['current']>, 'search' | 'bestFitness' | 'bestBefore' | 'trail'> & {
          readonly search: SearchSnapshot;
          readonly bestFitness: number | null;
          readonly bestBefore: number | null;
          readonly trail: SavedTrail;
        })
      | null;
  })[];
}

const orNull = (value: number): number | null => (value < Infinity ? value : null);
const encodeTrail = (trail: Trail): SavedTrail => trail.map(([at, value]) => [at, orNull(value)]);
const decodeTrail = (trail: SavedTrail): Trail => trail.map(([at, value]) => [at, value ?? Infinity]);

function decode(snapshot: SearchSnapshot, context: SearchContext, portfolio: readonly Member[]): State {
  const { members, trail, ...rest } = snapshot as unknown as PlannerSnapshot;
  // Earlier versions left members out of runs whose candidates are valued side by side.
  if (members.length !== portfolio.length) {
    throw new RangeError(`planner: a snapshot of ${members.length} members, expected ${portfolio.length}`);
  }
  return {
    ...rest,
    trail: decodeTrail(trail),
    members: members.map(({ current, ...state }, k) => ({
      ...state,
      current:
        current === null
          ? null
          : {
              ...current,
              search: portfolio[k].restore(context, current.search),
              bestFitness: current.bestFitness ?? Infinity,
              bestBefore: current.bestBefore ?? Infinity,
              trail: decodeTrail(current.trail),
            },
    })),
  };
}

const SNAPSHOT_VERSION = 16;

export const planner = searchStrategy(
  'planner',
  SNAPSHOT_VERSION,
  {
    minDimension: 1,
    maxDimension: 10_000,
    rankBased: false,
    dependsOnSeed: true,
    dependsOnBudget: true,
    restarts: true,
    plans: true,
  },
  {
    create: (context) => new Planner(context),
    restore: (context, snapshot) => new Planner(context, snapshot),
  },
);
