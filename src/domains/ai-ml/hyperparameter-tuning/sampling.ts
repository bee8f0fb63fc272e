/** Which settings are tried: all where the budget covers them, else those of a sampler. */
import type { Config } from './config.js';
import {
  type Trials,
  type Halving,
  dividedBy,
  type Ending,
  type Sampler,
  type Task,
  searchByHalving,
  MOST_TRIALS,
  tryAll,
  searchAtRandom,
  searchByParzen,
  searchByEngine,
} from './search.js';
import { log } from '../../../common/float.js';
import type { Solution, SolveContext } from '../../problem-type.js';
import type { SolvingMethod } from '../../../model/problem.js';

/** Space that a Gaussian process is for: coordinates, and evaluations it can be fitted to. */
const MOST_COORDINATES_OF_GP = 20;

/** Amounts of the resource by round, from little to all. */
function halvingOf({ multi_fidelity: fidelity, evaluator }: Config): Halving | null {
  if (fidelity === undefined) return null;
  const { resource, min, max, eta } = fidelity;
  const rounds = Math.floor(log(max / min) / log(eta) + 1e-9);
  const amounts = Array.from({ length: rounds }, (_, k) => dividedBy(max, eta, rounds - k));
  const isWhole = evaluator.type === 'builtin' && resource !== 'rows';
  const given = (amount: number): number => {
    if (evaluator.type !== 'tabular') return isWhole ? Math.max(min, Math.round(amount)) : amount;
    const column = evaluator.columns.indexOf(resource);
    const there = evaluator.rows.flatMap((row) => {
      const value = row[column];
      return typeof value === 'number' && value >= min && value < max ? [value] : [];
    });
    return there.reduce((a, b) => (Math.abs(b - amount) < Math.abs(a - amount) ? b : a), min);
  };
  return { levels: [...new Set(amounts.map(given)), null], eta };
}

export interface Searched {
  readonly method: Solution['method'];
  readonly reason: string;
  readonly ending: Ending;
  readonly sampler: Exclude<Sampler, 'auto'> | 'halving';
  /** Every setting was tried. */
  readonly isWhole: boolean;
}

const REASONS: Readonly<Record<Searched['sampler'], string>> = {
  grid: 'The budget covers every setting of the grid.',
  random: 'Settings were drawn at random, as asked.',
  tpe: 'Tree-structured Parzen estimators take conditions, choices and several objectives.',
  gp: 'A Gaussian process makes most of few evaluations in a space of few coordinates.',
  cmaes: 'CMA-ES was asked for.',
  halving: 'Many settings get little of the resource, the best of them more.',
};

const METHODS: Readonly<Record<Searched['sampler'], SolvingMethod | { readonly strategy: string }>> = {
  grid: 'exhaustive_enumeration',
  random: 'random_search',
  tpe: 'tree_parzen_estimator',
  gp: { strategy: 'bayesian' },
  cmaes: { strategy: 'cma-es' },
  halving: 'successive_halving',
};

export async function searched(config: Config, task: Task, trials: Trials, context: SolveContext): Promise<Searched> {
  const { space, pool, directions } = task;
  const size = pool?.length ?? space.size;
  const answer = (sampler: Searched['sampler'], ending: Ending): Searched => ({
    method: METHODS[sampler],
    reason: REASONS[sampler],
    ending,
    sampler,
    isWhole: ending === 'exhausted' && trials.all.length >= size,
  });
  const halving = halvingOf(config);
  if (halving !== null) return answer('halving', await searchByHalving(task, trials, context, halving));
  const { sampler } = config;
  if (size <= Math.min(context.maxEvaluations, MOST_TRIALS) && (sampler === 'auto' || sampler === 'grid')) {
    return answer('grid', await tryAll(trials, pool ?? space.settings()));
  }
  if (sampler === 'grid') return gridOfSome(task, trials, context, answer);
  const isSmooth = space.axes.every(({ condition }) => condition === null) && directions.length === 1;
  const byDefault = isSmooth && space.dimension <= MOST_COORDINATES_OF_GP ? 'gp' : 'tpe';
  const chosen = sampler === 'auto' ? byDefault : sampler;
  switch (chosen) {
    case 'random':
      return answer(chosen, await searchAtRandom(task, trials, context));
    case 'tpe':
      return answer(chosen, await searchByParzen(task, trials, context));
    case 'gp':
    case 'cmaes': {
      const { strategy } = METHODS[chosen] as { readonly strategy: string };
      return answer(chosen, await searchByEngine(task, trials, context, strategy));
    }
  }
}

/** A grid as fine as the budget allows; where even the coarsest is too large, a part of it by chance. */
async function gridOfSome(
  task: Task,
  trials: Trials,
  context: SolveContext,
  answer: (sampler: Searched['sampler'], ending: Ending) => Searched,
): Promise<Searched> {
  const levels = task.pool === null ? task.space.gridLevels(Math.min(context.maxEvaluations, MOST_TRIALS)) : null;
  if (levels === null) {
    const found = answer('random', await searchAtRandom(task, trials, context));
    return { ...found, reason: 'The whole grid is beyond the budget: settings of it were drawn at random.' };
  }
  const found = answer('grid', await tryAll(trials, task.space.settings(levels)));
  return { ...found, reason: 'The grid is as fine as the budget allows.', isWhole: false };
}
