/** Report on an experiment with the user's own objective, as text and as CSV. */
import type { FileExperiment, FileRun } from '../file-experiment.js';
import { groupBy, rankSumTest } from './statistics.js';
import { formatTable, pText } from './tables.js';

/** Linear interpolation between the order statistics; `share` in [0, 1]. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

const number = (value: number): string => String(Number(value.toPrecision(6)));

/** Best first; the rank-sum test says which differences chance explains. */
export function fileReportText(experiment: FileExperiment, runs: readonly FileRun[]): string {
  const { direction, target } = experiment;
  const sign = direction === 'minimize' ? 1 : -1;
  const strategies = [...groupBy(runs, (run) => run.strategy)]
    .map(([strategy, own]) => ({ strategy, own, values: own.map((run) => sign * run.bestFitness) }))
    .sort((a, b) => median(a.values) - median(b.values));
  const rows = strategies.map(({ strategy, own, values }) => [
    strategy,
    ...[0.5, 0.25, 0.75, 0, 1].map((share) => number(sign * quantile(values, share))),
    number(median(own.map((run) => run.evaluations))),
    median(own.map((run) => run.durationSeconds)).toFixed(2),
    ...(target === undefined ? [] : [`${own.filter((run) => run.reachedTarget).length}/${own.length}`]),
  ]);
  const head = ['', 'median', 'quartile', 'quartile', 'best', 'worst', 'evaluations', 'seconds'];
  const scores = formatTable([[...head, ...(target === undefined ? [] : ['target'])], ...rows]);
  const pairs = strategies.flatMap((a, i) =>
    strategies.slice(i + 1).map((b) => {
      const wins = a.values.flatMap((x) => b.values.map((y) => (x < y ? 1 : x === y ? 0.5 : 0)));
      const share = wins.reduce((sum: number, v) => sum + v, 0) / wins.length;
      return [`${a.strategy} - ${b.strategy}`, `${(100 * share).toFixed(0)} %`, pText(rankSumTest(a.values, b.values))];
    }),
  );
  if (pairs.length === 0) return scores;
  const explanation =
    'Pairs: how often a run of the first is better than one of the second; p of the rank-sum test (Wilcoxon, Mann, Whitney)';
  return `${scores}\n\n${explanation}\n${formatTable([['', 'better', 'p'], ...pairs])}`;
}

/** One row a run; `best_solution` joins the coordinates by `;`. */
export function fileRunsCsv(runs: readonly FileRun[]): string {
  const head = 'strategy,repetition,seed,evaluations,failed_evaluations,best_fitness,best_solution';
  const rows = runs.map((run) =>
    [
      run.strategy,
      run.repetition,
      run.seed,
      run.evaluations,
      run.failedEvaluations,
      run.bestFitness,
      run.bestSolution.join(';'),
    ].join(','),
  );
  return `${[head, ...rows].join('\n')}\n`;
}

/** One row for each improvement of each run. */
export function fileHistoryCsv(runs: readonly FileRun[]): string {
  const rows = runs.flatMap((run) =>
    run.history.map((point) => [run.strategy, run.repetition, point.evaluations, point.bestFitness].join(',')),
  );
  return `${['strategy,repetition,evaluations,best_fitness', ...rows].join('\n')}\n`;
}
