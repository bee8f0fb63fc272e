/** Quadratic assignment from start to answer: tabu search, then a bound or a proof. */
import type { SolveContext } from '../../problem-type.js';
import {
  branchAndBound,
  costOf,
  gilmoreLawlerBound,
  isWhole,
  type QuadraticAssignment,
} from './quadratic-assignment.js';
import { advance, openTabuSearch } from './tabu-search.js';

interface QuadraticAnswer {
  readonly places: Int32Array;
  readonly cost: number;
  readonly isProven: boolean;
  /** Branch and bound made the proof; otherwise the bound alone. */
  readonly hasTree: boolean;
  readonly bound: number;
  readonly evaluations: number;
  readonly moves: number;
  readonly nodes: number;
}

/** Up to so many facilities the proof is found within the nodes. */
const PROVEN_UP_TO = 10;
/** Up to so many it is tried. */
const TRIED_UP_TO = 12;
const MAX_NODES = 200_000;
/** An evaluation is one stretch of the search: so many exchanges are valued, in a fraction of a millisecond. */
const EXCHANGES = 100_000;
const MOST_MOVES = 1_000;
/** Stretches without a better assignment after which a search that need not be accurate ends. */
const PATIENCE = { fast: 50, balanced: 500, accurate: Infinity } as const;

/** `shown`: turns places into the vector that clients follow. `start`: where the search begins. Absent: somewhere. */
export function solveQuadratic(
  problem: QuadraticAssignment,
  context: SolveContext,
  shown: (places: Int32Array) => readonly number[],
  start?: Int32Array,
): QuadraticAnswer {
  const { n } = problem;
  const tolerance = isWhole(problem) ? 0 : 1e-10;
  const bound = gilmoreLawlerBound(problem);
  const slack = isWhole(problem) ? 0 : 1e-9;
  const isClosed = (cost: number): boolean => cost - bound <= slack * Math.abs(cost);
  const moves = Math.max(1, Math.min(MOST_MOVES, Math.floor(EXCHANGES / Math.max(1, (n * (n - 1)) / 2))));
  const state = openTabuSearch(problem, context.rng('tabu'), start);
  let best = Int32Array.from(state.best);
  let cost = costOf(problem, best);
  context.improved(1, cost, shown(best));
  // Small ones need a good start for the proof, no more.
  const stretches = n <= TRIED_UP_TO ? Math.min(10, context.maxEvaluations) : context.maxEvaluations;
  let evaluations = 1;
  let since = 0;
  while (n > 1 && evaluations < stretches && !isClosed(cost) && since < PATIENCE[context.mode] && !context.isOver()) {
    advance(state, moves, context.stop);
    evaluations++;
    since++;
    // The sum that the search carries along collects rounding errors.
    const found = costOf(problem, state.best);
    if (found < cost - tolerance * Math.abs(cost)) {
      best = Int32Array.from(state.best);
      cost = found;
      since = 0;
      context.improved(evaluations, cost, shown(best));
    }
  }
  const done = { evaluations, moves: state.numbers[2] };
  if (isClosed(cost)) return { places: best, cost, isProven: true, hasTree: false, bound: cost, nodes: 0, ...done };
  if (n > TRIED_UP_TO) return { places: best, cost, isProven: false, hasTree: false, bound, nodes: 0, ...done };
  const tree = branchAndBound(problem, best, n <= PROVEN_UP_TO ? Infinity : MAX_NODES, () => context.isOver());
  if (tree.cost < cost) context.improved(evaluations, tree.cost, shown(tree.places));
  const { places, isProven, nodes } = tree;
  return { places, cost: tree.cost, isProven, hasTree: true, bound: isProven ? tree.cost : bound, nodes, ...done };
}
