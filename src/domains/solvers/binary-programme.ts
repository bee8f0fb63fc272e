/** Common parts of models that are programmes with 0 and 1. */
import { Infeasible, type SolveContext } from '../problem-type.js';
import { HIGHS } from './highs/linear-solver.js';
import type { LinearProgram } from './linear-program.js';
import type { Solution } from '../problem-type.js';

/** Relative. In the mode `fast`, an answer this near to the best is good enough. */
const FAST_GAP = 0.01;
const SAME = 1e-9;

export interface Chosen {
  /** 0 or 1, by column. */
  readonly values: readonly number[];
  readonly bound: number | null;
  readonly isProven: boolean;
  readonly nodes: number;
  readonly iterations: number;
}

/**
 * Columns that are 0 or 1, to the proof. `objective`: of values that are whole.
 * @throws {Infeasible} with the given words
 */
export async function choose(
  program: LinearProgram,
  context: SolveContext,
  { objective, infeasible }: { objective(values: readonly number[]): number; readonly infeasible: string },
): Promise<Chosen> {
  const solution = await context.solveLinear(program, context.mode === 'fast' ? { gap: FAST_GAP } : {});
  if (solution.status === 'infeasible') throw new Infeasible(infeasible, solution.conflict);
  if (solution.values === null) {
    context.look();
    throw new Error(`a programme of 0 and 1 ended as ${solution.status}`);
  }
  const values = Array.from(solution.values, (value) => Math.round(value));
  const found = objective(values);
  const { bound } = solution;
  const isNear = bound !== null && Math.abs(bound - found) <= SAME * (1 + Math.abs(found));
  return {
    values,
    bound,
    isProven: solution.status === 'optimal' && (isNear || context.mode !== 'fast'),
    nodes: solution.nodes,
    iterations: solution.iterations,
  };
}

/**
 * Gain from one more unit of each row's limit where columns may be parts: estimates for whole ones. Null: not known.
 */
export async function multipliersOf(program: LinearProgram, context: SolveContext): Promise<Float64Array | null> {
  const columns = program.columns.map(({ isInteger: _isInteger, ...column }) => column);
  const { rowDuals } = await context.solveLinear({ ...program, columns });
  return rowDuals;
}

/** The part of a solution that says how it was found. */
export const proofOf = (
  { bound, isProven, nodes, iterations }: Chosen,
  fitness: number,
  sense: 'maximize' | 'minimize' = 'maximize',
): Pick<Solution, 'method' | 'library' | 'optimality' | 'evaluations' | 'nodes' | 'iterations'> => ({
  method: 'milp',
  library: HIGHS,
  optimality: isProven
    ? { status: 'optimal', bound: fitness, proof: 'branch_and_bound' }
    : {
        status: 'feasible',
        bound: bound === null ? null : Math[sense === 'maximize' ? 'max' : 'min'](bound, fitness),
        proof: null,
      },
  evaluations: 1,
  nodes,
  iterations,
});
