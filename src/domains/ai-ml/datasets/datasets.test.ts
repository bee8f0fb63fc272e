import { describe, expect, it } from 'vitest';
import { hasReference, referenceText } from '../../../../test/support/problems.js';
import { DATASET_NAMES, DATASETS, loadDataset } from './datasets.js';

describe('built-in data sets', () => {
  it.each(DATASET_NAMES)('%s has classes from 0 on, each with rows, or a target that is a number', (name) => {
    const { target, classes, features } = loadDataset(name);
    expect(features.every(Number.isFinite)).toBe(true);
    const labels = [...new Set(target)].sort((a, b) => a - b);
    if (classes > 0) expect(labels).toEqual(Array.from({ length: classes }, (_, i) => i));
    else expect(labels.length).toBeGreaterThan(100);
  });

  it.skipIf(!hasReference).each(DATASET_NAMES)('%s has every value of the reference', (name) => {
    const [header, ...lines] = referenceText('ai_ml', `datasets/${name}.csv`).trim().split('\n');
    const { rows, columns, features, target, featureNames } = loadDataset(name);
    expect([...featureNames, 'target']).toEqual(header.split(','));
    expect(lines).toHaveLength(DATASETS[name].rows);
    const own = Array.from({ length: rows }, (_, i) => [
      ...features.subarray(i * columns, (i + 1) * columns),
      target[i],
    ]);
    expect(own).toEqual(lines.map((line) => line.split(',').map(Number)));
  });
});
