/**
 * A kind of search: everything that the rest of the tree needs to know of it. Each has one in its folder (`kind.ts`),
 * and a line in `../kinds.ts`. Two halves are optional: `asStrategy` lets a request ask for it by name, `asMember` lets
 * the planner choose it.
 */
import type { ProgramView, StrategyFactory } from '../strategy.js';
import type { Search, SearchContext, SearchSnapshot } from './search.js';

/** A search that can be begun any number of times in one run. */
export interface SearchKind {
  readonly name: string;
  /** Beyond it time or memory run away. */
  readonly maxDimension: number;
  /** Whether the program gives what it needs; absent: it needs nothing. */
  isPossible?(n: number, program: ProgramView | undefined): boolean;
  /** Begins search number `run`, counted from 0; `settings` from similar problems. */
  start(context: SearchContext, run: number, settings?: SearchSettings): Search;
  restore(context: SearchContext, snapshot: SearchSnapshot): Search;
  /** Absent: no request can ask for it. */
  readonly asStrategy?: StrategyTraits;
  /** Absent: the planner never chooses it. */
  readonly asMember?: Membership;
}

/** Settings that the planner may give a search, most of them from problems like the one before it. */
export interface SearchSettings {
  /** Size of the first matrix of a quasi-Newton search, relative to the curvature along its first step. */
  readonly startSize?: number;
  /** Whether the model of a population's first run learns from what was evaluated before, too. */
  readonly usesArchive?: boolean;
  /** Whether it begins at the centre of the box. */
  readonly isFromCentre?: boolean;
  /** Where the first descent ends because values come in steps: in cells of equal width, or any. */
  readonly looksForSteps?: 'cells' | 'any';
  /** Whether the objective is noisy. */
  readonly isNoisy?: true;
}

type Capabilities = StrategyFactory['capabilities'];

/**
 * A kind of search as a strategy of its own (`repeated.ts`), with what it promises (`StrategyFactory.capabilities`).
 * Absent promises are those of most searches: not `rankBased`, `dependsOnBudget`, `converges`.
 */
interface StrategyTraits
  extends
    Pick<Capabilities, 'dependsOnSeed'>,
    Partial<Pick<Capabilities, 'rankBased' | 'dependsOnBudget' | 'converges'>> {
  /** Version of its snapshots; raised when what the searches keep changes. */
  readonly snapshotVersion: number;
}

/** Facts that the planner and its agents know of a member of the portfolio. */
export interface Membership {
  /** When it searches: again and again, once from the best point so far, or once at the end. */
  readonly role: 'restarts' | 'once' | 'polish';
  /**
   * Source that it learns from: values along single coordinates, gradients from differences, a quadratic through well
   * spread points, the order of the vertices of a simplex, the ranking of a population, the program itself, bounds
   * over boxes, cells within which values do not change.
   */
  readonly family: 'coordinate' | 'gradient' | 'model' | 'simplex' | 'population' | 'program' | 'interval' | 'lattice';
  /** The reading that it takes of a program that can be read; absent: none. */
  readonly reads?: 'terms' | 'residuals' | 'gradient' | 'bounds' | 'envelope' | 'switches';
  /** Whether it goes over what was found, and looks for no other basin; absent: it does not. */
  readonly refines?: true;
  /**
   * Which of its searches begins at the centre of the box if the best point of the probes is what an earlier run found:
   * the one that would be the second descent. Absent: none.
   */
  readonly centredSearch?: number;
  /** Rough number of floating-point operations of its own for each evaluation. */
  operations(context: SearchContext): number;
}

/** A kind that a request can ask for by name. */
export type NamedKind = SearchKind & { readonly asStrategy: StrategyTraits };
/** A kind that the planner chooses from. */
export type Member = SearchKind & { readonly asMember: Membership };

export const isNamed = (kind: SearchKind): kind is NamedKind => kind.asStrategy !== undefined;
export const isMember = (kind: SearchKind): kind is Member => kind.asMember !== undefined;

/** A strategy that drives itself, instead of a search that is begun again and again. */
export const isFactory = (kind: SearchKind | StrategyFactory): kind is StrategyFactory => 'create' in kind;
