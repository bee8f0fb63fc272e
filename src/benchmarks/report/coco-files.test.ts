import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { BenchmarkRun } from '../benchmark-run.js';
import { CocoLog } from '../coco-log.js';
import { writeCocoDataSet } from './coco-files.js';

function run(dimension: number, instance: number, deltas: readonly number[]): BenchmarkRun {
  const log = new CocoLog(dimension);
  const x = new Float64Array(dimension).fill(0.5);
  for (const delta of deltas) log.add(delta, delta - 7.25, x, 0);
  log.finish();
  return {
    strategy: 'any',
    functionId: 3,
    dimension,
    instance,
    repetition: 0,
    budget: 100,
    evaluations: deltas.length,
    bestDelta: Math.min(...deltas),
    hits: [],
    dat: log.dat,
    tdat: log.tdat,
  };
}

// The text follows the description of the format by its readers; cocopp 2.9.1 and iohinspector 0.0.8 load it
// (scripts/check-coco.mjs).
test('the files of a data set', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'extremum-coco-'));
  try {
    const runs = [run(2, 1, [30, 5, 8]), run(2, 2, [0.25]), run(7, 1, [1, 1e-9])];
    writeCocoDataSet(folder, runs, { suite: 'bbob', algorithm: 'any', optimalValue: () => -7.25 });
    const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
    expect(readdirSync(folder).sort()).toEqual(['bbobexp_f3.info', 'data_f3']);
    expect(readdirSync(path.join(folder, 'data_f3')).sort()).toEqual([
      'bbobexp_f3_DIM2.dat',
      'bbobexp_f3_DIM2.tdat',
      'bbobexp_f3_DIM7.dat',
      'bbobexp_f3_DIM7.tdat',
    ]);
    expect(read('bbobexp_f3.info')).toBe(
      [
        "suite = 'bbob', funcId = 3, DIM = 2, Precision = 1.000e-08, algId = 'any', data_format = 'bbob-new2'",
        '% any',
        'data_f3/bbobexp_f3_DIM2.dat, 1:3|5.0e+00, 2:1|2.5e-01',
        '',
        "suite = 'bbob', funcId = 3, DIM = 7, Precision = 1.000e-08, algId = 'any', data_format = 'bbob-new2'",
        '% any',
        'data_f3/bbobexp_f3_DIM7.dat, 1:2|1.0e-09',
        '',
      ].join('\n'),
    );
    const header =
      '% f evaluations | g evaluations | best noise-free fitness - Fopt (-7.250000000000e+00) + sum g_i+ | measured fitness' +
      ' | best measured fitness or single-digit g-values | x1 | x2...';
    expect(read('data_f3/bbobexp_f3_DIM2.dat')).toBe(
      [
        header,
        '1 0 +3.000000000e+01 +2.275000000e+01 +2.275000000e+01 +5.0000e-01 +5.0000e-01',
        '2 0 +5.000000000e+00 -2.250000000e+00 -2.250000000e+00 +5.0000e-01 +5.0000e-01',
        '3 0 +5.000000000e+00 +7.500000000e-01 -2.250000000e+00 +5.0000e-01 +5.0000e-01',
        header,
        '1 0 +2.500000000e-01 -7.000000000e+00 -7.000000000e+00 +5.0000e-01 +5.0000e-01',
        '',
      ].join('\n'),
    );
    expect(read('data_f3/bbobexp_f3_DIM7.tdat')).toBe(
      [
        header,
        '1 0 +1.000000000e+00 -6.250000000e+00 -6.250000000e+00',
        '2 0 +1.000000000e-09 -7.249999999e+00 -7.249999999e+00',
        '',
      ].join('\n'),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
