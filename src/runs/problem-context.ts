/** Means that the engine gives solvers of business problems: time, chance, the strategies, linear programming. */
import { EVALUATION_FAILED, type EvaluationOutput, type Kernel } from '../backends/backend.js';
import { Rng } from '../common/rng.js';
import { LinearSolver } from '../domains/solvers/highs/linear-solver.js';
import { type SolveContext, Interrupted } from '../domains/problem-type.js';
import type { Search, SearchResult } from '../domains/solvers/search.js';
import { runOptimization } from '../engine/run-optimization.js';
import { CALLED_AS_IT_IS } from '../evaluation/placement-words.js';
import { candidateOf, type CandidateBatch } from '../model/candidate-batch.js';
import type { Mode } from '../model/run-task.js';
import { strategies } from '../planner/all-strategies.js';

interface ContextParts {
  readonly seed: number;
  readonly maxEvaluations: number;
  readonly mode: Mode;
  /** Asked often: cancelled, or the time is up. */
  isOver(): boolean;
  /** Absent: a cell of its own that nobody sets. */
  readonly stop?: Int32Array;
  /** Absent: nobody watches. */
  improved?: SolveContext['improved'];
}

interface OpenContext extends SolveContext {
  /** Ends the thread of linear programmes. */
  close(): Promise<void>;
}

export function openContext(parts: ContextParts): OpenContext {
  const { seed, maxEvaluations, mode } = parts;
  const isOver = (): boolean => parts.isOver();
  const linear = new LinearSolver(isOver);
  const rng = Rng.create(seed);
  return {
    seed,
    maxEvaluations,
    mode,
    rng: (label) => rng.split(label),
    isOver,
    look: () => {
      if (isOver()) throw new Interrupted('the run is over');
    },
    stop: parts.stop ?? new Int32Array(new SharedArrayBuffer(4)),
    improved: (...improvement) => parts.improved?.(...improvement),
    solveLinear: (program, options) => linear.solve(program, options),
    search: (search) => searchWith(search, isOver),
    close: () => linear.close(),
  };
}

async function searchWith(search: Search, isOver: () => boolean): Promise<SearchResult> {
  const { bounds, direction, maxEvaluations, seed, strategy } = search;
  const task = {
    bounds,
    direction,
    maxEvaluations,
    seed,
    mode: 'balanced' as const,
    strategy,
  };
  const {
    bestSolution,
    bestFitness,
    evaluations,
    strategies: spans,
  } = await runOptimization(task, {
    strategies,
    primary: new CalledKernel((x) => search.evaluate(x)),
    fallback: null,
    now: () => performance.now(),
    isCancelled: isOver,
    backendReason: CALLED_AS_IT_IS,
  });
  const best = bestSolution === null || bestFitness === null ? null : { x: bestSolution, value: bestFitness };
  return { best, evaluations, strategy: spans.at(-1)?.name ?? strategy ?? '' };
}

/** A function of this thread as the engine's kernel. */
class CalledKernel implements Kernel {
  readonly backend = 'function';
  readonly device = 'the thread of the run';

  constructor(private readonly call: (x: Float64Array) => number) {}

  evaluate(batch: CandidateBatch, output: EvaluationOutput): Promise<void> {
    output.failures.length = 0;
    for (let row = 0; row < batch.count; row++) {
      const value = this.call(candidateOf(batch, row).slice());
      output.values[row] = value;
      output.status[row] = Number.isNaN(value) ? EVALUATION_FAILED : 0;
      if (Number.isNaN(value)) {
        output.failures.push({ index: row, type: 'NaNResult', message: 'this candidate has no value', line: 0 });
      }
    }
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
