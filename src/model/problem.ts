/**
 * A business problem that is solved by a method of its own instead of a search over an uploaded function. Plain data:
 * crosses threads and is stored with the run.
 */
import type { Optimality } from './certificate.js';
import type { Statement } from './explanation.js';
import type { ObjectiveSource } from './objective.js';

/** Domains with problem types; `conversational` builds a problem of one of these. */
export const DOMAINS = ['financial', 'healthcare', 'supply_chain', 'ai_ml', 'marketing'] as const;
export type DomainName = (typeof DOMAINS)[number];
/** Domains that requests may name. */
export const REQUEST_DOMAINS = [...DOMAINS, 'conversational'] as const;
export type RequestDomain = (typeof REQUEST_DOMAINS)[number];

/** Methods that are no strategies of the engine. The list is closed: clients tell answers apart by it. */
export const SOLVING_METHODS = [
  'closed_form',
  'convex_qp',
  'lp',
  'milp',
  'qp_branch_and_bound',
  'hybrid_genetic_search',
  'robust_tabu_search',
  'dynamic_programming',
  'lagrangian_bisection',
  'exhaustive_enumeration',
  'value_iteration',
  'newton',
  'hierarchical_clustering',
  'savings_local_search',
  'recursive_integration',
  'least_squares',
  'random_search',
  'tree_parzen_estimator',
  'successive_halving',
  'regularized_evolution',
] as const;
export type SolvingMethod = (typeof SOLVING_METHODS)[number];

export const PROOFS = ['closed_form', 'convex_kkt', 'branch_and_bound', 'dynamic_programming', 'exhaustive'] as const;
export type Proof = (typeof PROOFS)[number];

/** Reference to the problem that a run solves; the config is the run's source. */
export interface ProblemReference {
  readonly domain: DomainName;
  /** Canonical, never an alias. */
  readonly problemType: string;
  /** Null: the type has one model. */
  readonly model: string | null;
}

/** Source of a run that solves a problem, in the place of Python source. */
export interface ProblemSource {
  readonly problem: ProblemReference;
  /** As the client sent it: defaults are filled in again where it is read. */
  readonly config: unknown;
}

/** Source that a run keeps: an objective or a problem. */
export type RunSource = ObjectiveSource | ProblemSource;

export const isProblemSource = (source: RunSource): source is ProblemSource => 'problem' in source;

/** JSON that clients read as it is: names in snake_case. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** How a limit of the problem stands at the solution. */
export interface ConstraintState {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  /** Distance from the limit, not negative but for rounding. */
  readonly slack: number;
  readonly binding: boolean;
  /** Change of the objective for one more unit of the limit, where the method gives it. */
  readonly shadowPrice?: number;
}

/** A default that mattered, or a repair. */
export interface Remark {
  /** Stable, snake_case. */
  readonly code: string;
  /** Path in the request, `config. ...`; absent: none of them alone. */
  readonly field?: string;
  readonly message: string;
}

/** The solver's work. */
interface SolverUse {
  readonly method: string;
  /** Name of the library, with its version. Absent: our own. */
  readonly library?: string;
  readonly iterations: number;
  readonly nodes: number;
  readonly seconds: number;
}

/** The solved problem, beside what every run has. */
export interface ProblemAnswer {
  readonly sense: 'minimize' | 'maximize';
  /** Names, in the order of the run's best solution. */
  readonly decisionVariables: readonly string[];
  /** As a practitioner reads it. */
  readonly result: JsonObject;
  readonly optimality: Omit<Optimality, 'proof'> & { readonly proof: Proof | null };
  readonly solver: SolverUse;
  readonly constraints: readonly ConstraintState[];
  readonly warnings: readonly Remark[];
  readonly assumptions: readonly Remark[];
  /** Frontier, runners-up, and so on; absent where none are natural. */
  readonly alternatives?: readonly JsonObject[];
  /** Statements of every level; which of them are shown is decided when the run is read. */
  readonly statements: readonly Statement[];
  /** Kinds of the pictures that can be drawn of it. */
  readonly pictures: readonly string[];
}
