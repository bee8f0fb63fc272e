/**
 * The planner: a search that lets other searches run. First it probes the objective; then, step by step, the panel
 * (`panel.ts`) says which member of the portfolio goes on. All share one archive. What it chose and why is in `phases`.
 *
 * Figures and what was tried: docs/adr/0011-planner.md.
 */
import { coordinateSearch, distantRestarts, lqCmaEs, nearbyRestarts, quasiNewton } from '../strategies/portfolio.js';
import { QuasiNewton } from '../strategies/quasi-newton/quasi-newton.js';
import { bestPoint } from '../strategies/search/points.js';
import {
  evaluatePoint,
  type Search,
  type SearchContext,
  type SearchKind,
  type SearchSnapshot,
  type Step,
} from '../strategies/search/search.js';
import { searchStrategy } from '../strategies/search/search-strategy.js';
import type { StrategySpan } from '../model/run-task.js';
import type { StrategyStop } from '../strategies/strategy.js';
import { COARSE_ROUGHNESS, choose, type Landscape, type MemberRecord, type Vote } from './panel.js';
import { ACROSS_THE_BOX, CLOSE_BY, probeNoise, probeRoughness, probeSeparability } from './probes.js';

/** A stretch of the run in which one member searched, with the votes that chose it. */
interface Phase {
  readonly name: string;
  readonly fromEvaluation: number;
  readonly toEvaluation: number;
  /** Null before the first finite fitness. */
  readonly bestFitness: number | null;
  readonly votes: readonly Vote[];
}

/** Phases kept in a record; a run of many short searches has more. */
const MAX_PHASES = 100;
const PROBES = 'probes';
const SEPARABILITY_ROUNDS = 3;

interface Member extends SearchKind {
  /** Searches once, from the best point so far, instead of again and again. */
  readonly isOnce: boolean;
}

interface MemberState {
  search: Search | null;
  evaluations: number;
  runs: number;
  fruitlessRuns: number;
  /** Best value of the run when the current search began; Infinity before any. */
  bestBefore: number;
}

interface PlannerSnapshot {
  readonly landscape: Landscape | null;
  readonly states: readonly {
    readonly search: SearchSnapshot | null;
    readonly evaluations: number;
    readonly runs: number;
    readonly fruitlessRuns: number;
    readonly bestBefore: number | null;
  }[];
  readonly phases: readonly Phase[];
  readonly reason: StrategyStop | null;
}

class Planner implements Search {
  /** Null before the probes. */
  private landscape: Landscape | null;
  private readonly members: readonly Member[];
  private readonly states: MemberState[];
  private course: readonly Phase[];
  private reason: StrategyStop | null;

  constructor(
    private readonly context: SearchContext,
    snapshot?: SearchSnapshot,
  ) {
    const saved = snapshot as unknown as PlannerSnapshot | undefined;
    this.members = PORTFOLIO.filter((member) => member.maxDimension >= context.n);
    this.landscape = saved?.landscape ?? null;
    this.course = saved?.phases ?? [];
    this.reason = saved?.reason ?? null;
    this.states = this.members.map((member, k) => {
      const s = saved?.states[k];
      return {
        search: s === undefined || s.search === null ? null : member.restore(context, s.search),
        evaluations: s?.evaluations ?? 0,
        runs: s?.runs ?? 0,
        fruitlessRuns: s?.fruitlessRuns ?? 0,
        bestBefore: s?.bestBefore ?? Infinity,
      };
    });
  }

  /** Of the search that has just ended; there is always another to try. */
  end(): StrategyStop | null {
    return this.reason;
  }

  *step(): Step {
    if (this.landscape === null) yield* this.probe();
    else yield* this.delegate(this.landscape);
  }

  private *probe(): Step {
    const { rng, archive } = this.context;
    const centre = bestPoint(this.context);
    const fitness = yield* evaluatePoint(centre);
    const isNoisy = yield* probeNoise(centre, fitness);
    let landscape: Landscape = {
      isNoisy,
      isSeparable: null,
      coarseRoughness: null,
      fineRoughness: null,
      isFlat: false,
    };
    if (!isNoisy && fitness < Infinity) {
      const isSeparable = yield* probeSeparability(centre, fitness, SEPARABILITY_ROUNDS, rng);
      landscape = { ...landscape, isSeparable };
      if (!isSeparable) {
        const coarseRoughness = yield* probeRoughness(centre, fitness, ACROSS_THE_BOX, rng);
        landscape = { ...landscape, coarseRoughness };
        if (coarseRoughness > COARSE_ROUGHNESS) {
          const fineRoughness = yield* probeRoughness(archive.bestPoint()!, archive.bestFitness, CLOSE_BY, rng);
          landscape = { ...landscape, fineRoughness };
        }
      }
    }
    this.landscape = landscape;
    this.note(PROBES, 0, []);
  }

  /** One step of the member that the panel chooses. */
  private *delegate(landscape: Landscape): Step {
    const { n, budget, archive } = this.context;
    const before = archive.evaluations;
    const members = this.members.map((member, k) => this.record(member, this.states[k]!));
    const { member: name, votes } = choose({ n, budget, evaluations: before, landscape, members });
    const index = this.members.findIndex((member) => member.name === name);
    const member = this.members[index]!;
    const state = this.states[index]!;
    const bestBefore = state.search === null ? archive.bestFitness : state.bestBefore;
    const search = state.search ?? member.start(this.context, state.runs);
    yield* search.step();

    this.reason = search.end();
    const isOver = this.reason !== null;
    const isFruitless = !(archive.bestFitness < bestBefore);
    this.states[index] = {
      search: isOver ? null : search,
      evaluations: state.evaluations + archive.evaluations - before,
      runs: state.runs + (isOver ? 1 : 0),
      fruitlessRuns: !isOver ? state.fruitlessRuns : isFruitless ? state.fruitlessRuns + 1 : 0,
      bestBefore,
    };
    if (search instanceof QuasiNewton && search.isFlat && member.isOnce)
      this.landscape = { ...landscape, isFlat: true };
    this.note(name, before, votes);
  }

  /** Keeps the course of the run: the phase that goes on, or a new one. */
  private note(name: string, fromEvaluation: number, votes: readonly Vote[]): void {
    const { archive } = this.context;
    const { bestFitness } = archive;
    const end = { toEvaluation: archive.evaluations, bestFitness: bestFitness < Infinity ? bestFitness : null };
    const last = this.course[this.course.length - 1];
    const goesOn = last?.name === name;
    this.course = goesOn
      ? [...this.course.slice(0, -1), { ...last, ...end }]
      : [...this.course.slice(1 - MAX_PHASES), { name, fromEvaluation, ...end, votes }];
  }

  phases(): readonly StrategySpan[] {
    return this.course.map(({ name, fromEvaluation, toEvaluation, bestFitness, votes }) => {
      const own = votes.filter((vote) => vote.member === name && vote.points !== null && vote.points > 0);
      const reason = own.length > 0 ? own.map((vote) => vote.reason).join('; ') : 'its turn: it had used the least';
      return {
        name,
        reason: name === PROBES ? 'to learn what kind of objective it is' : reason,
        fromEvaluation,
        toEvaluation,
        bestFitness,
      };
    });
  }

  private record(member: Member, state: MemberState): MemberRecord {
    return {
      name: member.name,
      family: member.family,
      isOnce: member.isOnce,
      isOpen: !member.isOnce || state.runs === 0,
      evaluations: state.evaluations,
      runs: state.runs,
      fruitlessRuns: state.fruitlessRuns,
    };
  }

  snapshot(): SearchSnapshot {
    const snapshot: PlannerSnapshot = {
      landscape: this.landscape,
      states: this.states.map((state) => ({
        search: state.search?.snapshot() ?? null,
        evaluations: state.evaluations,
        runs: state.runs,
        fruitlessRuns: state.fruitlessRuns,
        bestBefore: state.bestBefore === Infinity ? null : state.bestBefore,
      })),
      phases: this.course,
      reason: this.reason,
    };
    return { ...snapshot };
  }
}

/** Who can search, in the order that settles ties. */
const PORTFOLIO: readonly Member[] = [
  { ...coordinateSearch, isOnce: true },
  { ...quasiNewton, isOnce: true },
  { ...lqCmaEs, isOnce: false },
  { ...distantRestarts, isOnce: false },
  { ...nearbyRestarts, isOnce: false },
];

const SNAPSHOT_VERSION = 1;

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
  },
  {
    create: (context) => new Planner(context),
    restore: (context, snapshot) => new Planner(context, snapshot),
  },
);
