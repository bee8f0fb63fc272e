/** Writes everything that other programs may want of an experiment, and makes the text for a terminal. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { budgetText, numbersText } from '../notation.js';
import type { RunConditions, BenchmarkRun } from '../benchmark-run.js';
import type { BenchmarkExperiment } from '../benchmark-experiment.js';
import { optimalValue } from '../bbob/instances.js';
import { FUNCTION_COUNT } from '../suites.js';
import { writeCocoDataSet } from './coco-files.js';
import { ecdfCsv, runsCsv, summaryCsv } from './csv.js';
import { ecdfPlot } from './ecdf-plot.js';
import { comparablePeers, type Peer } from './peers.js';
import { groupBy } from './statistics.js';
import { comparisonTable, scoreTable } from './tables.js';

/** ` noise 0.01, stretched box`: what differs from the plain suite; empty for the plain one. */
function variantText({ noise, stretched }: RunConditions): string {
  const parts = [noise > 0 ? `noise ${noise}` : '', stretched ? 'stretched box' : ''].filter((part) => part !== '');
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`;
}

/** Name of a strategy's data set: cocopp shows it, and it must tell variants apart. */
function dataSetName(strategy: string, { noise, stretched }: RunConditions): string {
  return `${strategy}${noise > 0 ? `_noise${noise}` : ''}${stretched ? '_stretched' : ''}`;
}

/** Peers were measured on the plain suite, all functions; elsewhere they would mislead. */
function peersFor({ conditions, functions }: BenchmarkExperiment, peers: readonly Peer[]): readonly Peer[] {
  const { suite, noise, stretched } = conditions;
  const plain = suite === 'bbob' && noise === 0 && !stretched && functions.length === FUNCTION_COUNT;
  return plain ? peers : [];
}

/** Subject of all tables and pictures. */
function titleOf({ conditions, functions, instances, repetitions }: BenchmarkExperiment, dimension: number): string {
  const which = functions.length === FUNCTION_COUNT ? '' : ` f${numbersText(functions)}`;
  const times = repetitions === 1 ? '' : `, ${repetitions} repetitions`;
  return (
    `${conditions.suite}${which}, ${dimension}-D, ${budgetText(conditions.budget)} evaluations, ` +
    `instances ${numbersText(instances)}${times}${variantText(conditions)}`
  );
}

/** Scores and comparisons, one block for each dimension. */
export function reportText(
  experiment: BenchmarkExperiment,
  runs: readonly BenchmarkRun[],
  peers: readonly Peer[],
): string {
  const blocks = [...groupBy(runs, (run) => run.dimension)].map(([dimension, own]) => {
    const beside = comparablePeers(peersFor(experiment, peers), dimension, own[0].budget);
    const comparison = comparisonTable(own);
    const pairs =
      comparison === ''
        ? ''
        : `\n\nPairs: difference of the share hit; p of Wilcoxon's signed-rank test over (function, instance)\n${comparison}`;
    return `${titleOf(experiment, dimension)}\n${scoreTable(own, beside)}${pairs}\n`;
  });
  return blocks.join('\n');
}

/**
 * Writes to `folder`: `runs.csv`, `summary.csv`, `ecdf.csv`, `ecdf-<n>D.svg` and COCO's data sets `coco/<strategy>/`.
 * Older ones are replaced. The same runs give the same bytes.
 */
export function writeReport(
  folder: string,
  experiment: BenchmarkExperiment,
  runs: readonly BenchmarkRun[],
  peers: readonly Peer[],
): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'runs.csv'), runsCsv(runs));
  writeFileSync(path.join(folder, 'summary.csv'), summaryCsv(runs));
  writeFileSync(path.join(folder, 'ecdf.csv'), ecdfCsv(runs));
  for (const [dimension, own] of groupBy(runs, (run) => run.dimension)) {
    const beside = comparablePeers(peersFor(experiment, peers), dimension, own[0].budget);
    writeFileSync(path.join(folder, `ecdf-${dimension}D.svg`), ecdfPlot(titleOf(experiment, dimension), own, beside));
  }
  const { suite } = experiment.conditions;
  const coco = path.join(folder, 'coco');
  rmSync(coco, { recursive: true, force: true });
  for (const [strategy, own] of groupBy(runs, (run) => run.strategy)) {
    const algorithm = dataSetName(strategy, experiment.conditions);
    writeCocoDataSet(path.join(coco, algorithm), own, {
      suite,
      algorithm,
      optimalValue: (run) => optimalValue(run.functionId, run.instance),
    });
  }
}
