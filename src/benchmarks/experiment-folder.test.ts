import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunConditions, BenchmarkRun } from './benchmark-run.js';
import { openExperimentFolder, programFingerprint } from './experiment-folder.js';

const CONDITIONS: RunConditions = {
  suite: 'bbob',
  budget: { evaluations: 100, perDimension: false },
  mode: 'balanced',
  seed: 0,
  noise: 0,
  stretched: false,
};

const record = (instance: number): BenchmarkRun => ({
  strategy: 'cma-es',
  functionId: 1,
  dimension: 2,
  instance,
  repetition: 0,
  budget: 100,
  evaluations: 100,
  bestDelta: 0.1,
  hits: [1, 2],
  dat: ['1 0'],
  tdat: [],
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'extremum-experiment-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('runs are there when the folder is opened again', () => {
  const first = openExperimentFolder(folder, CONDITIONS);
  first.add('a', record(1));
  first.add('b', record(2));
  const second = openExperimentFolder(folder, CONDITIONS);
  expect([second.find('a'), second.find('b'), second.find('c')]).toEqual([record(1), record(2), undefined]);
});

test('a line that a crash has cut off is dropped, and what is added later is whole', () => {
  openExperimentFolder(folder, CONDITIONS).add('a', record(1));
  appendFileSync(path.join(folder, 'runs.jsonl'), '{"id":"b","record":{"str');
  const again = openExperimentFolder(folder, CONDITIONS);
  expect(again.find('b')).toBeUndefined();
  again.add('b', record(2));
  expect(openExperimentFolder(folder, CONDITIONS).find('b')).toEqual(record(2));
  expect(readFileSync(path.join(folder, 'runs.jsonl'), 'utf8').split('\n')).toHaveLength(3);
});

test('runs of other conditions or another program are not mixed in', () => {
  openExperimentFolder(folder, CONDITIONS).add('a', record(1));
  const other = { ...CONDITIONS, noise: 0.01 };
  expect(() => openExperimentFolder(folder, other)).toThrow(/has runs with noise 0, not 0.01\. Begin anew \(--fresh\)/);
  expect(() => openExperimentFolder(folder, CONDITIONS, { program: 'other' })).toThrow(
    /another version of the program/,
  );
  expect(openExperimentFolder(folder, other, { fresh: true }).find('a')).toBeUndefined();
  expect(openExperimentFolder(folder, other).find('a')).toBeUndefined();
});

test('a damaged manifest is named', () => {
  writeFileSync(path.join(folder, 'experiment.json'), '{');
  expect(() => openExperimentFolder(folder, CONDITIONS)).toThrow(/experiment\.json cannot be read as JSON/);
});

test('the program is known by its compiled files', () => {
  expect(programFingerprint()).toMatch(/^[0-9a-f]{16}$/);
  expect(programFingerprint()).toBe(programFingerprint());
});
