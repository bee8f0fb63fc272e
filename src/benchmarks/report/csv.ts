/** Tables for other programs. The columns are those of the protocol's peer tables, so that both can be joined. */
import type { BenchmarkRun } from '../benchmark-run.js';
import { FUNCTION_GROUPS, groupOf } from '../problem.js';
import { fractionHit, groupBy, mean, summarize } from './statistics.js';

function table(header: string, rows: readonly (readonly (string | number)[])[]): string {
  return `${[header, ...rows.map((row) => row.join(','))].join('\n')}\n`;
}

/** One row a run; `hits` joins the evaluations at which targets 0, 1, ... were reached by `;`. */
export function runsCsv(runs: readonly BenchmarkRun[]): string {
  return table(
    'solver,dimension,budget,function,instance,repetition,evaluations,best_delta,hits',
    runs.map((run) => [
      run.strategy,
      run.dimension,
      run.budget,
      run.functionId,
      run.instance,
      run.repetition,
      run.evaluations,
      run.bestDelta,
      run.hits.join(';'),
    ]),
  );
}

const cells = (runs: readonly BenchmarkRun[]): BenchmarkRun[][] => [
  ...groupBy(runs, (run) => `${run.strategy} ${run.dimension}`).values(),
];

const distinct = <T>(runs: readonly BenchmarkRun[], of: (run: BenchmarkRun) => T): number => new Set(runs.map(of)).size;

/** One row for each strategy, dimension and function group, and `all`. */
export function summaryCsv(runs: readonly BenchmarkRun[]): string {
  const rows = cells(runs).flatMap((cell) => {
    const { strategy, dimension, budget } = cell[0];
    const parts = ['all', ...FUNCTION_GROUPS].map(
      (group) => [group, cell.filter((run) => group === 'all' || groupOf(run.functionId) === group)] as const,
    );
    return parts
      .filter(([, own]) => own.length > 0)
      .map(([group, own]) => {
        const { fractionHit: hit, area, standardError, solved } = summarize(own);
        const counts = [distinct(own, (run) => run.instance), distinct(own, (run) => run.repetition)];
        return [strategy, dimension, budget, ...counts, group, hit, area, standardError ?? '', solved];
      });
  });
  return table('solver,dimension,budget,instances,repetitions,group,fraction_hit,area,se,solved', rows);
}

/** 1, 2, 3, 5, 7, 10, 15, 20, ... up to the budget, and the budget. */
function evaluationGrid(budget: number): number[] {
  const grid: number[] = [];
  for (let decade = 1; decade <= budget; decade *= 10) {
    for (const digit of [1, 1.5, 2, 3, 5, 7]) {
      const evaluations = digit * decade;
      if (Number.isInteger(evaluations) && evaluations < budget) grid.push(evaluations);
    }
  }
  return [...grid, budget];
}

/** The share of targets reached as a function of evaluations. */
export function ecdfCsv(runs: readonly BenchmarkRun[]): string {
  const rows = cells(runs).flatMap((cell) => {
    const { strategy, dimension, budget } = cell[0];
    return evaluationGrid(budget).map((evaluations) => [
      strategy,
      dimension,
      budget,
      evaluations,
      mean(cell.map((run) => fractionHit(run, evaluations))),
    ]);
  });
  return table('solver,dimension,budget,evals,fraction_hit', rows);
}
