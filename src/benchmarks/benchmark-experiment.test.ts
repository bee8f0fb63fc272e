import { describe, expect, test } from 'vitest';
import type { BenchmarkRun } from './benchmark-run.js';
import { carryOutExperiment, runId, runsOf, type BenchmarkExperiment } from './benchmark-experiment.js';
import type { ExperimentFolder } from './experiment-folder.js';

const EXPERIMENT: BenchmarkExperiment = {
  strategies: ['cma-es'],
  functions: [1, 5],
  dimensions: [2],
  instances: [1, 2],
  repetitions: 1,
  conditions: {
    suite: 'bbob',
    budget: { evaluations: 50, perDimension: false },
    mode: 'balanced',
    seed: 0,
    noise: 0,
    stretched: false,
  },
};

function folderOf(records: Map<string, BenchmarkRun>): ExperimentFolder {
  return { find: (id) => records.get(id), add: (id, record) => void records.set(id, record) };
}

describe('an experiment', () => {
  test('does what is missing, tells how far it is, and returns all in the fixed order', async () => {
    const records = new Map<string, BenchmarkRun>();
    const progress: string[] = [];
    const ports = {
      folder: folderOf(records),
      workers: 2,
      onProgress: (done: number, total: number) => progress.push(`${done}/${total}`),
    };
    const runs = await carryOutExperiment(EXPERIMENT, ports);
    expect(runs.map(runId)).toEqual(runsOf(EXPERIMENT).map(runId));
    expect(runs.map((run) => [run.functionId, run.instance])).toEqual([
      [1, 1],
      [1, 2],
      [5, 1],
      [5, 2],
    ]);
    expect(progress).toEqual(['0/4', '1/4', '2/4', '3/4', '4/4']);

    const kept = records.get('cma-es 2 1 2 0')!;
    records.delete('cma-es 2 5 1 0');
    progress.length = 0;
    const again = await carryOutExperiment(EXPERIMENT, ports);
    expect(again).toEqual(runs);
    expect(again[1]).toBe(kept);
    expect(progress).toEqual(['3/4', '4/4']);
  });

  test('names the run that failed', async () => {
    const ports = { folder: folderOf(new Map()), workers: 1 };
    await expect(carryOutExperiment({ ...EXPERIMENT, strategies: ['luck'] }, ports)).rejects.toThrow(
      /^luck on f1, 2-D, instance 1, repetition 0: strategy "luck" is unknown/,
    );
  });

  test('ends when it is told to, and says how much is done', async () => {
    const abort = new AbortController();
    const ports = { folder: folderOf(new Map()), workers: 1, signal: abort.signal };
    const onProgress = (done: number): void => {
      if (done === 1) abort.abort();
    };
    await expect(carryOutExperiment(EXPERIMENT, { ...ports, onProgress })).rejects.toMatchObject({
      code: 'cancelled',
      message: expect.stringMatching(/^Interrupted after \d of 4 runs/) as unknown,
    });
  });
});
