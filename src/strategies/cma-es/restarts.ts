/**
 * BIPOP restarts: large populations that double, and in between small ones with random size and step size, each regime
 * getting about the same number of evaluations. Source: Hansen, Benchmarking a BI-Population CMA-ES on the BBOB-2009
 * Function Testbed, GECCO 2009, section 2. The first run counts as the first large one.
 */
import { log, power } from '../../common/float.js';
import type { Rng } from '../../common/rng.js';
import { wide } from '../side-by-side.js';
import { defaultPopulationSize } from './parameters.js';

/**
 * Shares of the box width. Over eight functions in 2, 5, 10 and 20-D, 1,000 evaluations, 0.2 beats 0.3 from 5-D on (hit
 * share .481/.461, .269/.254, .131/.123; 2-D .734/.758), while some restarts want the wider view: Schwefel 5-D, 100,000
 * evaluations, 16 of 20 solved with 0.3, 10 with 0.2. (13 multimodal BBOB functions in 5-D like 0.2, .51/.47 after
 * 10,000 evaluations; in 10-D both are equal. 0.1 and 0.15 lose.)
 */
const FIRST_SIGMA = 0.2;
const RESTART_SIGMA = 0.3;
const MIN_POPULATION = 4;
/** Entries of one population matrix above which populations stop doubling: 16 MiB. */
const MAX_POPULATION_ENTRIES = 2 ** 21;

export interface RestartState {
  /** Doublings of the large population so far. */
  readonly doublings: number;
  readonly regime: 'large' | 'small';
  /** Evaluations used by finished and current runs of each regime. */
  readonly largeEvaluations: number;
  readonly smallEvaluations: number;
  /** Evaluations of the current run. */
  readonly runEvaluations: number;
  /** Evaluations of the last large run; half of them are the limit of a small one. */
  readonly lastLargeEvaluations: number;
  readonly restarts: number;
}

interface RunPlan {
  readonly lambda: number;
  readonly sigma: number;
}

export const initialRestartState: RestartState = {
  doublings: 0,
  regime: 'large',
  largeEvaluations: 0,
  smallEvaluations: 0,
  runEvaluations: 0,
  lastLargeEvaluations: 0,
  restarts: 0,
};

/** `width`: candidates that are valued side by side; populations are multiples of it. */
export function firstRun(n: number, width = 1): RunPlan {
  return { lambda: wide(defaultPopulationSize(n), width), sigma: FIRST_SIGMA };
}

export function countEvaluations(state: RestartState, evaluations: number): RestartState {
  return state.regime === 'large'
    ? {
        ...state,
        runEvaluations: state.runEvaluations + evaluations,
        largeEvaluations: state.largeEvaluations + evaluations,
      }
    : {
        ...state,
        runEvaluations: state.runEvaluations + evaluations,
        smallEvaluations: state.smallEvaluations + evaluations,
      };
}

/** A small run that has used half of what the last large one used makes way for the next. */
export function isOverLimit(state: RestartState): boolean {
  return state.regime === 'small' && 2 * state.runEvaluations >= state.lastLargeEvaluations;
}

export function nextRun(state: RestartState, n: number, rng: Rng, width = 1): [RestartState, RunPlan] {
  const base = firstRun(n, width).lambda;
  const lastLarge = state.regime === 'large' ? state.runEvaluations : state.lastLargeEvaluations;
  const ended = { ...state, runEvaluations: 0, lastLargeEvaluations: lastLarge, restarts: state.restarts + 1 };
  const maxDoublings = Math.max(0, Math.floor(log(MAX_POPULATION_ENTRIES / (n * base)) / log(2)));
  if (state.smallEvaluations < state.largeEvaluations) {
    const u = rng.uniform();
    const ratio = 0.5 * 2 ** state.doublings;
    const lambda = wide(Math.max(MIN_POPULATION, Math.floor(base * power(ratio, u * u))), width);
    return [
      { ...ended, regime: 'small' },
      { lambda, sigma: RESTART_SIGMA * power(10, -2 * rng.uniform()) },
    ];
  }
  const doublings = Math.min(maxDoublings, state.doublings + 1);
  return [
    { ...ended, regime: 'large', doublings },
    { lambda: base * 2 ** doublings, sigma: RESTART_SIGMA },
  ];
}
