/** Built-in data sets, read once per thread. Origins and licences: README.md. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../../../common/dist-entry.js';
import type { TrainingData } from '../learners/learner.js';

/** Facts that checks need before anything is read. `classes` 0: the target is a number. */
export const DATASETS = {
  iris: { rows: 150, columns: 4, classes: 3 },
  wine: { rows: 178, columns: 13, classes: 3 },
  breast_cancer: { rows: 569, columns: 30, classes: 2 },
  diabetes: { rows: 442, columns: 10, classes: 0 },
  digits: { rows: 1797, columns: 64, classes: 10 },
} as const satisfies Readonly<Record<string, Pick<TrainingData, 'rows' | 'columns' | 'classes'>>>;

export type DatasetName = keyof typeof DATASETS;

export const DATASET_NAMES = Object.keys(DATASETS) as DatasetName[];

interface Dataset extends TrainingData {
  readonly featureNames: readonly string[];
}

const loaded = new Map<DatasetName, Dataset>();

/** Shared by all who ask: nobody writes into its arrays. */
export function loadDataset(name: DatasetName): Dataset {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const file = path.join(packageRoot(), 'src/domains/ai-ml/datasets', `${name}.csv.gz`);
  const [header, ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  const featureNames = header.split(',').slice(0, -1);
  const { rows, columns, classes } = DATASETS[name];
  if (lines.length !== rows || featureNames.length !== columns) throw new Error(`the data set ${name} is damaged`);
  const features = new Float64Array(rows * columns);
  const target = new Float64Array(rows);
  for (const [i, line] of lines.entries()) {
    const values = line.split(',').map(Number);
    features.set(values.slice(0, columns), i * columns);
    target[i] = values[columns];
  }
  const dataset = { rows, columns, classes, features, target, featureNames };
  loaded.set(name, dataset);
  return dataset;
}
