/** The planner's portfolio, in the order that settles ties, one line each. */
import {
  bayesian,
  branchAndBound,
  coordinateSearch,
  distantRestarts,
  levenbergMarquardt,
  lqCmaEs,
  lqOperations,
  nearbyRestarts,
  nelderMead,
  quasiNewton,
  termSearch,
} from '../strategies/portfolio.js';
import type { SearchContext, SearchKind } from '../strategies/search/search.js';
import type { MemberRecord } from './panel.js';

export interface Member extends SearchKind {
  readonly role: MemberRecord['role'];
  /** Rough number of floating-point operations of its own for each evaluation. */
  operations(context: SearchContext): number;
}

const linear = ({ n }: SearchContext): number => 10 * n;
/** About a millisecond in 5-D, for a Gaussian process and climbs on it. */
const ofProcess = ({ n }: SearchContext): number => 2e5 * n;
/** A few products with n x n matrices, and a factorisation, for the n + 3 evaluations of a step. */
const quadratic = ({ n }: SearchContext): number => 20 * n * n;

export const PORTFOLIO: readonly Member[] = [
  { ...termSearch, role: 'once', operations: linear },
  { ...branchAndBound, role: 'once', operations: linear },
  { ...levenbergMarquardt, role: 'restarts', operations: quadratic },
  { ...coordinateSearch, role: 'once', operations: linear },
  { ...quasiNewton, role: 'once', operations: quadratic },
  { ...lqCmaEs, role: 'restarts', operations: lqOperations },
  { ...distantRestarts, role: 'restarts', operations: quadratic },
  { ...nearbyRestarts, role: 'restarts', operations: quadratic },
  { ...bayesian, role: 'restarts', operations: ofProcess },
  { ...nelderMead, role: 'restarts', operations: linear },
  { ...quasiNewton, name: 'polish', role: 'polish', operations: quadratic },
];
