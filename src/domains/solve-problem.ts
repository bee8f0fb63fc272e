/** From a checked problem to a run's outcome: solves, verifies, and says how it went. Knows no thread and no clock. */
import type { Statement } from '../model/explanation.js';
import type { Json, ProblemAnswer } from '../model/problem.js';
import type { ProblemErrorCode, TerminationReason } from '../model/run-task.js';
import type { CheckedProblem } from './configs.js';
import { Infeasible, Unbounded, Unsolved, type AnyModel, type Solution, type SolveContext } from './problem-type.js';

const OUT_OF_RANGE =
  'The numbers of this problem lead beyond the range of float64: choose units in which they are of ordinary size.';

export interface SolvedProblem {
  readonly bestSolution: readonly number[];
  readonly bestFitness: number;
  readonly evaluations: number;
  /** Name of the method or strategy, and why it was taken. */
  readonly method: string;
  readonly reason: string;
  readonly termination: TerminationReason;
  readonly answer: ProblemAnswer;
}

export interface UnsolvedProblem {
  readonly error: {
    readonly code: ProblemErrorCode;
    readonly message: string;
    readonly conflict?: readonly string[];
  };
}

/**
 * `seconds`: since the solver began. @throws {Interrupted} where the time was up before there was any answer; {Error}
 * where an answer does not hold: a defect
 */
export async function solveProblem(
  { model, config }: CheckedProblem,
  context: SolveContext,
  seconds: () => number,
): Promise<SolvedProblem | UnsolvedProblem> {
  let solution: Solution;
  try {
    solution = await model.solve(config, context);
  } catch (error) {
    if (error instanceof Infeasible) {
      const { message, conflict } = error;
      return { error: { code: 'infeasible', message, conflict: conflict.length === 0 ? undefined : conflict } };
    }
    if (error instanceof Unbounded) return { error: { code: 'unbounded', message: error.message } };
    if (error instanceof Unsolved) {
      const message = `The problem could not be solved: ${error.message}. Numbers of more alike sizes may help.`;
      return { error: { code: 'unsolved', message } };
    }
    throw error;
  }
  if (!isFinite(solution)) return { error: { code: 'out_of_range', message: OUT_OF_RANGE } };
  const complaint = model.verify(config, solution) ?? formComplaint(solution, context);
  if (complaint !== null) throw new Error(`the answer of ${nameOf(solution)} does not hold: ${complaint}`);
  const { bestSolution, bestFitness, evaluations, reason, constraints = [], alternatives } = solution;
  const { warnings = [], assumptions = [] } = solution;
  const { status, bound, proof } = solution.optimality;
  const sense = model.sense(config);
  const answer: ProblemAnswer = {
    sense,
    decisionVariables: solution.decisionVariables,
    result: solution.result,
    optimality: { status, bound, gap: bound === null ? null : Math.abs(bestFitness - bound), proof },
    solver: {
      method: nameOf(solution),
      library: solution.library,
      iterations: solution.iterations ?? 0,
      nodes: solution.nodes ?? 0,
      seconds: seconds(),
    },
    constraints,
    warnings,
    assumptions,
    alternatives,
    statements: statementsOf(model.explain(config, solution), { assumptions, warnings }),
    pictures: picturesOf(model, config, solution),
  };
  const termination = terminationOf(solution, context);
  return { bestSolution, bestFitness, evaluations, method: nameOf(solution), reason, termination, answer };
}

/** Kinds of those that this solution has. */
const picturesOf = (model: AnyModel, config: unknown, solution: Solution): string[] => {
  const { bestSolution, bestFitness, result, alternatives = [] } = solution;
  const drawn = Object.entries(model.pictures).map(
    ([kind, draw]) => [kind, draw(config, { bestSolution, bestFitness, result, alternatives })] as const,
  );
  return drawn.flatMap(([kind, svg]) => (svg === null ? [] : [kind]));
};

const nameOf = ({ method }: Solution): string => (typeof method === 'string' ? method : method.strategy);

const isFinite = ({ bestSolution, bestFitness, result }: Solution): boolean =>
  Number.isFinite(bestFitness) && bestSolution.every(Number.isFinite) && hasFiniteNumbers(result);

function hasFiniteNumbers(value: Json): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}

/** Complaint about the form that every answer must have; null: none. */
function formComplaint(solution: Solution, { maxEvaluations }: SolveContext): string | null {
  const { bestSolution, decisionVariables, evaluations } = solution;
  const { status, proof } = solution.optimality;
  if (bestSolution.length !== decisionVariables.length) return 'names and values differ in number';
  if ((status === 'optimal') !== (proof !== null)) return `a proof (${proof}) of a solution that is ${status}`;
  if (!(evaluations >= 1 && evaluations <= maxEvaluations)) return `${evaluations} evaluations of ${maxEvaluations}`;
  return null;
}

function terminationOf({ optimality, evaluations }: Solution, context: SolveContext): TerminationReason {
  if (optimality.status === 'optimal') return 'optimal';
  if (context.isOver()) return 'timeout';
  return evaluations >= context.maxEvaluations ? 'budget' : 'converged';
}

/** Remarks are statements of level 3. */
function statementsOf(
  own: readonly Statement[],
  { assumptions, warnings }: Pick<ProblemAnswer, 'assumptions' | 'warnings'>,
): readonly Statement[] {
  const remarks = [...assumptions, ...warnings].map(({ message }): Statement => ({
    level: 3,
    topic: 'assumption',
    text: message,
    evidence: {},
  }));
  return [...own, ...remarks].sort((a, b) => a.level - b.level);
}
