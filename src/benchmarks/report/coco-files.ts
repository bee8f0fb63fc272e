/**
 * COCO data sets in the format `bbob-new2`, as cocopp and iohinspector read them: for each strategy a folder with index
 * files `bbobexp_f<F>.info` and data files `data_f<F>/bbobexp_f<F>_DIM<D>.dat` and `.tdat`. cocopp shows the folder's
 * name.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchmarkRun } from '../benchmark-run.js';
import { exponential } from '../coco-log.js';
import { groupBy } from './statistics.js';

interface CocoDataSet {
  /** The suite's name in COCO. */
  readonly suite: string;
  readonly algorithm: string;
  /** Optimal value of an instance; it stands in the header of each run. */
  optimalValue(run: BenchmarkRun): number;
}

/** Writes the runs of one strategy below `folder`. Their order is kept within each function and dimension. */
export function writeCocoDataSet(folder: string, runs: readonly BenchmarkRun[], set: CocoDataSet): void {
  for (const [functionId, ofFunction] of groupBy(runs, (run) => run.functionId)) {
    const name = `bbobexp_f${functionId}`;
    const data = `data_f${functionId}`;
    mkdirSync(path.join(folder, data), { recursive: true });
    const blocks: string[] = [];
    for (const [dimension, own] of groupBy(ofFunction, (run) => run.dimension)) {
      const file = `${data}/${name}_DIM${dimension}`;
      for (const kind of ['dat', 'tdat'] as const) {
        const text = own.map((run) => `${header(set.optimalValue(run))}\n${run[kind].join('\n')}\n`).join('');
        writeFileSync(path.join(folder, `${file}.${kind}`), text);
      }
      blocks.push(indexBlock(set, functionId, dimension, `${file}.dat`, own));
    }
    writeFileSync(path.join(folder, `${name}.info`), blocks.join('\n'));
  }
}

function indexBlock(
  { suite, algorithm }: CocoDataSet,
  functionId: number,
  dimension: number,
  dataFile: string,
  runs: readonly BenchmarkRun[],
): string {
  const keys = [
    `suite = '${suite}'`,
    `funcId = ${functionId}`,
    `DIM = ${dimension}`,
    'Precision = 1.000e-08',
    `algId = '${algorithm}'`,
    "data_format = 'bbob-new2'",
  ];
  const ends = runs.map((run) => `${run.instance}:${run.evaluations}|${exponential(run.bestDelta, 1)}`);
  return `${keys.join(', ')}\n% ${algorithm}\n${[dataFile, ...ends].join(', ')}\n`;
}

const header = (optimalValue: number): string =>
  `% f evaluations | g evaluations | best noise-free fitness - Fopt (${exponential(optimalValue, 12)})` +
  ' + sum g_i+ | measured fitness | best measured fitness or single-digit g-values | x1 | x2...';
